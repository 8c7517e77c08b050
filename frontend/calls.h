// Calls: of circuits, of static functions, of built-in functions, and of formats, which convert.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frontend/elaborator.h"

namespace reckon::frontend {

// elaborate_call.cpp
Maybe elaborate_call(Elaborator& elaborator, const Context& context, const Expr& expression);
Maybe call(Elaborator& elaborator, const Value& callee, const std::vector<Value>& arguments,
           const std::vector<SourceSpan>& spans, const Expr& at, SourceSpan callee_span);
Maybe call_circuit(Elaborator& elaborator, const CircuitValue& circuit, const std::vector<Value>& arguments,
                   const std::vector<SourceSpan>& spans, SourceSpan at);
/// Whether there are other than the wanted number of arguments, which is reported.
bool wrong_count(Elaborator& elaborator, const std::string& name, std::size_t wanted,
                 const std::vector<Value>& arguments, SourceSpan at);

// builtins.cpp
/// The names that need no definition.
std::map<std::string, Value> builtin_names(ir::Module& module);
Maybe call_builtin(Elaborator& elaborator, const std::string& name, const std::vector<Value>& arguments,
                   const std::vector<SourceSpan>& spans, SourceSpan at);

/// `f32(x)` (elaborate_conversion.cpp).
Maybe convert(Elaborator& elaborator, const TypeValue& type, const Value& value, SourceSpan at, SourceSpan value_span);
/// `bits(x)` and `from_bits(T, u)` (elaborate_conversion.cpp).
Maybe call_bits(Elaborator& elaborator, const std::string& name, const std::vector<Value>& arguments,
                const std::vector<SourceSpan>& spans, SourceSpan at);
/// random, normal, lcg, load (elaborate_source.cpp)
Maybe call_source(Elaborator& elaborator, const std::string& name, const std::vector<Value>& arguments,
                  const std::vector<SourceSpan>& spans, SourceSpan at);
/// `ptx("k.ptx", "kernel", grid: 4, block: 256, ...)`: a circuit (elaborate_ptx.cpp).
Maybe elaborate_ptx(Elaborator& elaborator, const Context& context, const Expr& written);
/// spread, attains (elaborate_question.cpp)
Maybe call_question(Elaborator& elaborator, const std::string& name, const std::vector<Value>& arguments,
                    const std::vector<SourceSpan>& spans, SourceSpan at);
/// A function of enclosures: a row of ir/enclosure_functions.def.
struct EnclosureFunction {
  std::string_view name;
  std::size_t operands;
  bool gives_truth;  ///< so that a check can ask it
};
const EnclosureFunction* enclosure_function(std::string_view name);
std::vector<std::string_view> enclosure_functions();
Maybe call_enclosure_function(Elaborator& elaborator, const EnclosureFunction& function,
                              const std::vector<Value>& arguments, const std::vector<SourceSpan>& spans, SourceSpan at);
std::optional<Question> question_of(Elaborator& elaborator, const QuestionValue& value, SourceSpan at);

}  // namespace reckon::frontend
