// One program under every evaluator, and whether they agree.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "ir/module.h"

namespace reckon::differential {

/// What is run, beside the interpreter on the circuit as it stands.
enum class Variant : std::uint8_t {
  small_batches,   ///< interpreted in batches of 7
  other_spelling,  ///< the same program in other words, interpreted
  printed,         ///< the IR printed and parsed back, interpreted
  instantiated,    ///< sizes put in, interpreted
  trees_written,   ///< sizes put in, and every schedule replaced by its tree, interpreted
  pass_fold,       ///< one pass alone, interpreted
  pass_share,
  pass_dead,
  passes,               ///< all passes, interpreted
  instantiated_passes,  ///< sizes put in, then all passes, interpreted
  host,                 ///< compiled as it stands
  host_unoptimised,     ///< the same without LLVM's optimisations
  host_passes,          ///< all passes, compiled
  host_fold,            ///< one pass alone, compiled
  host_share,
  host_dead,
  host_instantiated,  ///< sizes put in, compiled
  host_call,          ///< as api/call.cpp has it: sizes put in, all passes, compiled
  ptx,                ///< compiled for sm_90, audited, and run in the emulator
  ptx_call,           ///< the same with sizes put in, after all passes
  ptxas,              ///< assembled, where ptxas is installed
};
inline constexpr int variant_count = static_cast<int>(Variant::ptxas) + 1;
const char* name(Variant variant);

/// A program's sizes and the seed of its arguments.
struct Trial {
  std::map<std::string, std::int64_t> sizes;
  std::uint64_t seed = 0;
  int inputs = 0;   ///< which kind of arguments: inputs.h
};

struct Question {
  std::string source, other_source;
  std::string semantics = "float";
  std::vector<Trial> trials;
  std::set<Variant> variants;
};

struct Disagreement {
  std::optional<Variant> variant;   ///< none: the program was refused, or the interpreter failed
  Trial trial;
  std::string what;                 ///< the element and both bit patterns, or a message
  std::string kind;                 ///< `bits`, or the code of an error: what shrinking must keep
  std::string arguments, results;   ///< for people
};

/// The first disagreement. `ran`, if given, counts the variants that were run.
std::optional<Disagreement> ask(const Question& question, std::map<Variant, int>* ran = nullptr);

/// The IR of all circuits of the program, printed; or the message of a program that is refused.
std::string ir_of(const std::string& source);
/// The names of main's dimensions, in order; nothing if the program is refused.
std::optional<std::vector<std::string>> dimensions_of(const std::string& source);

}  // namespace reckon::differential
