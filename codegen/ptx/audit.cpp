// The audit of emitted PTX (docs/architecture.md, "Code generation"): nothing approximate or flushed, each rounding
// explicit, no fma that the program did not write. It works on text, so it also sees what LLVM's back end chose.
#include <algorithm>
#include <array>
#include <sstream>

#include "codegen/audit.h"

namespace reckon::codegen {
namespace {

using std::string_view;

struct Instruction {
  string_view name;                ///< `add`
  std::vector<string_view> parts;  ///< `rn`, `f32`
  string_view operands;
  bool has(string_view part) const { return std::find(parts.begin(), parts.end(), part) != parts.end(); }
};

string_view trim(string_view text) {
  const auto first = text.find_first_not_of(" \t\r{");
  if (first == string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// The instruction of one statement, without its predicate and label; nothing for directives.
Instruction instruction_of(string_view text) {
  text = trim(text);
  if (const auto label = text.find_first_of(": \t"); label != string_view::npos && text[label] == ':') {
    text = trim(text.substr(label + 1));
  }
  if (!text.empty() && text[0] == '@') {
    const auto space = text.find_first_of(" \t");
    text = space == string_view::npos ? string_view{} : trim(text.substr(space));
  }
  if (text.empty() || text[0] == '.' || text[0] == '}' || text[0] == '/') return {};
  string_view word = text.substr(0, text.find_first_of(" \t;"));
  Instruction out;
  out.operands = text.substr(word.size());
  std::size_t begin = 0;
  while (begin <= word.size()) {
    const auto dot = std::min(word.find('.', begin), word.size());
    const string_view part = word.substr(begin, dot - begin);
    if (begin == 0) out.name = part;
    else out.parts.push_back(part);
    begin = dot + 1;
  }
  return out;
}

/// Bits of a float type by its name in PTX; 0 for anything else.
int float_width(string_view type) {
  static constexpr std::array<std::pair<string_view, int>, 9> widths = {{{"f64", 64},
                                                                         {"f32", 32},
                                                                         {"f32x2", 32},
                                                                         {"tf32", 19},
                                                                         {"f16", 16},
                                                                         {"f16x2", 16},
                                                                         {"bf16", 16},
                                                                         {"bf16x2", 16},
                                                                         {"e4m3", 8}}};
  for (const auto& [name, width] : widths) {
    if (name == type) return width;
  }
  return 0;
}

bool has_rounding(const Instruction& instruction) {
  static constexpr std::array<string_view, 9> roundings = {"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "rna"};
  return std::any_of(roundings.begin(), roundings.end(),
                     [&](string_view rounding) { return instruction.has(rounding); });
}

bool is_any_of(string_view name, std::initializer_list<string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Why a conversion is wrong, if it is.
std::string conversion_problem(const Instruction& instruction) {
  std::vector<string_view> types;
  for (string_view part : instruction.parts) {
    const bool integer = part.size() >= 2 && (part[0] == 's' || part[0] == 'u') && part[1] >= '0' && part[1] <= '9';
    if (float_width(part) > 0 || integer) types.push_back(part);
  }
  if (types.size() < 2) return {};
  const int to = float_width(types[0]), from = float_width(types[1]);
  if (to == 0 && from == 0) return {};
  // Between formats of one width (f16, bf16) something is lost either way. Widening is exact.
  const bool rounds = to == 0 || from == 0 || to < from || (to == from && types[0] != types[1]);
  return rounds && !has_rounding(instruction) ? "a conversion that rounds has no rounding suffix" : std::string{};
}

std::string problem_of(const Instruction& instruction, const AuditOptions& options) {
  if (instruction.name.empty()) return {};
  const bool approximate = instruction.has("approx") || instruction.has("full") ||
                           is_any_of(instruction.name, {"ex2", "lg2", "sin", "cos", "tanh"});
  if (approximate) {
    std::string whole(instruction.name);
    for (string_view part : instruction.parts) whole.append(".").append(part);
    return options.approximations.contains(whole) ? std::string{} : "an approximate operation";
  }
  if (instruction.has("ftz")) return "subnormals are flushed to zero";
  if (instruction.name == "cvt") return conversion_problem(instruction);
  const bool on_floats = std::any_of(instruction.parts.begin(), instruction.parts.end(),
                                     [](string_view part) { return float_width(part) > 0; });
  if (!on_floats) return {};
  if (is_any_of(instruction.name, {"atom", "red"})) return "float atomics have no stated order";
  const bool rounds = is_any_of(instruction.name, {"add", "sub", "mul", "div", "rcp", "sqrt", "rsqrt", "mad", "fma"});
  if (rounds && !has_rounding(instruction)) return "no rounding suffix";
  // The code that widens the formats of 8 bits and fewer subtracts an f32 constant, which is exact.
  const bool widens = is_any_of(instruction.name, {"add", "sub"}) && instruction.has("rn") &&
                      instruction.operands.find("0f") != string_view::npos;
  const bool of_ends =
      options.outward && (instruction.has("f64") || (options.f32_endpoints && instruction.has("f32") && !widens));
  const bool directed = instruction.has("rm") || instruction.has("rp");
  if (rounds && directed != of_ends &&
      !(of_ends && options.nearest_too && instruction.has("rn") && instruction.has("f64"))) {
    return of_ends ? "an end of an interval is not rounded outward" : "a rounding that no program writes";
  }
  if (is_any_of(instruction.name, {"mad", "fma"})) {
    const bool bf16 = instruction.has("bf16") || instruction.has("bf16x2");
    if (!options.fma_written && !(options.below_sm_90 && bf16)) return "an fma that the program did not write";
  }
  return {};
}

}  // namespace

std::vector<AuditFinding> audit_ptx(string_view ptx, const AuditOptions& options) {
  std::vector<AuditFinding> findings;
  int number = 0;
  bool in_comment = false;
  while (!ptx.empty()) {
    ++number;
    const auto end = std::min(ptx.find('\n'), ptx.size());
    string_view line = ptx.substr(0, end);
    ptx.remove_prefix(std::min(end + 1, ptx.size()));
    // Comments do not count, wherever they stand.
    std::string code;
    for (std::size_t k = 0; k < line.size(); ++k) {
      if (in_comment) {
        if (line.substr(k, 2) == "*/") in_comment = false, ++k;
      } else if (line.substr(k, 2) == "/*") {
        in_comment = true, ++k;
      } else if (line.substr(k, 2) == "//") {
        break;
      } else {
        code += line[k];
      }
    }
    std::size_t begin = 0;
    while (begin < code.size()) {
      const auto stop = std::min(code.find(';', begin), code.size());
      const std::string reason = problem_of(instruction_of(string_view(code).substr(begin, stop - begin)), options);
      if (!reason.empty()) findings.push_back({number, std::string(trim(line)), reason});
      begin = stop + 1;
    }
  }
  return findings;
}

}  // namespace reckon::codegen
