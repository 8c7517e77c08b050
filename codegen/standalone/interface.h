// What programs that know nothing of Reckon see of a compiled circuit: names, types, statuses.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/compile.h"
#include "ir/size_conditions.h"

namespace reckon::codegen {

/// What the function of a host object returns.
enum class EntryStatus : int { done = 0, sizes_refused = 1, no_memory = 2 };

/// Names that are identifiers of C, C++ and Python and differ from each other.
struct Interface {
  struct Array {
    std::size_t buffer = 0;  ///< of the plan
    std::string name;
  };
  std::string symbol;                      ///< for the circuit
  std::vector<std::string> dimensions;     ///< in the plan's order
  std::vector<Array> parameters, results;  ///< by position
  std::string name_of(const Plan& plan, ir::SymbolId dimension) const;
};
Interface interface_of(const ir::Module& module, const ir::Function& function, const Plan& plan);

/// A compiled circuit, and what a text about it says.
struct Standalone {
  const ir::Module& module;
  const ir::Function& function;  ///< before passes: its orders are those of the program
  const Plan& plan;
  Interface names;
  std::vector<ir::SizeCondition> conditions;
  std::string version;  ///< of Reckon
  std::string machine;  ///< `sm_90`
  std::string semantics;
  std::function<std::string(SourceSpan)> place = {};      ///< `line 3`; may be empty
  std::vector<std::vector<std::uint8_t>> constants = {};  ///< contents of the constant buffers, in order
  std::map<std::size_t, std::int64_t> stored = {};        ///< elements of the buffers that a layout stores
  std::string ptx = {};
};

/// The circuit, the orders of its reductions, its sizes and its buffers, and, for a GPU, its launches: lines of a
/// comment.
std::vector<std::string> description(const Standalone& circuit, Target target);
/// Those lines as a comment, each after `mark`, which is not followed by a space where the line is empty.
std::string commented(const std::vector<std::string>& lines, std::string_view mark);

/// The type of the array's elements as a program of C holds them: `float`, `uint16_t` for f16.
std::string c_type(ir::Scalar scalar);
/// `f32[m, n]`.
std::string array_type(const ir::Module& module, const Buffer& buffer);

/// The PTX with the contents of the constants as variables, `reckon_constant_0` and so on, for the driver to find.
std::string ptx_with_constants(const Standalone& circuit);

/// A source file of C++17 that launches the kernels through the CUDA Driver API, and a module of Python 3.
std::string cpp_launcher(const Standalone& circuit);
std::string python_launcher(const Standalone& circuit);
/// A header of C for the function of a host object (EntryOptions::symbol is `names.symbol`).
std::string c_header(const Standalone& circuit);

/// The text with every `@NAME@` replaced.
std::string filled(std::string_view text, std::initializer_list<std::pair<std::string_view, std::string>> values);

/// An expression over the dimensions in C++, as calls of the launcher's checked arithmetic, and in Python.
std::string cpp_size(const Standalone& circuit, ir::IndexId id);
std::string python_size(const Standalone& circuit, ir::IndexId id);

}  // namespace reckon::codegen
