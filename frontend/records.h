// Records: `type complex = (re: f32, im: f32)` gives names to the parts of a tuple. What circuits compute with is the tuple;
// the names stay with the values of the elaborator (Value::record), and end where it does.
#pragma once

#include "frontend/elaborator.h"

namespace reckon::frontend {

/// The value of a `type`: its name, which can be called.
Maybe elaborate_record(Elaborator& elaborator, std::uint32_t declaration);

/// Whether the written type is the name of a `type` of the program, which may have mistakes of its own.
bool names_record(const Elaborator& elaborator, const Context& context, const TypeExpr& type);
/// The record that a written type names, or a tuple of types with records among them; null for every other type.
std::shared_ptr<const Record> record_of(Elaborator& elaborator, const Context& context, const TypeExpr& type);
/// That of a circuit's parameter; of a kernel, whose circuit has them, null.
std::shared_ptr<const Record> record_of_parameter(Elaborator& elaborator, const CircuitValue& circuit,
                                                  std::size_t parameter);
/// That of the result of a circuit, where it is stated or was found.
std::shared_ptr<const Record> record_of_result(Elaborator& elaborator, const CircuitValue& circuit);

/// The tuple that `type` stands for, the name of a record. In brackets stand its static arguments, if it has static
/// parameters, and otherwise the extents of tensors, one for each part: `complex[n]` is `(f32[n], f32[n])`.
std::optional<ir::TypeId> record_type(Elaborator& elaborator, const Context& context, const TypeExpr& type,
                                      const Record& record);

/// Appends the scalars and tensors that a value of the type consists of, each a parameter: `z` itself, or `z.re` and `z.im`,
/// or of a tuple without names `t.0` and `t.1`. The value that they make up.
Value append_parameters(Elaborator& elaborator, const ir::Parameter& of, std::shared_ptr<const Record> record,
                        std::vector<ir::Parameter>& parameters);

/// A circuit as it is checked, compiled and called: none of its parameters is a tuple.
std::optional<ir::Function> entry_circuit(Elaborator& elaborator, const CircuitValue& circuit, SourceSpan place);

/// `complex(1, 2)`.
Maybe make_record(Elaborator& elaborator, const RecordValue& callee, const std::vector<Value>& arguments,
                  const std::vector<SourceSpan>& spans, SourceSpan at);

/// `z.re`.
Maybe elaborate_member(Elaborator& elaborator, const Context& context, const Expr& expression);

}  // namespace reckon::frontend
