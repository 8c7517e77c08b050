// Kernels: a circuit with clauses on how a GPU carries it out. In expressions a kernel stands for its circuit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/elaborator.h"

namespace reckon::frontend {

inline bool is_kernel(const Elaborator& elaborator, const CircuitValue& circuit) {
  return elaborator.item_of(elaborator.declarations[circuit.declaration]).kind == ItemKind::kernel;
}
/// The static parameters of a circuit or a kernel, and those that a kernel's circuit still lacks.
std::vector<std::string> static_parameters_of(Elaborator& elaborator, std::uint32_t declaration);
/// The value of a kernel's name with its static arguments: its circuit.
Maybe kernel_value(Elaborator& elaborator, std::uint32_t declaration, const std::vector<Value>& arguments,
                   SourceSpan place);
/// The kernel's circuit, with the kernel's name and clauses.
std::optional<ir::Function> kernel_instance(Elaborator& elaborator, std::uint32_t declaration,
                                            const std::vector<Value>& arguments, SourceSpan place);
/// Finds mistakes of a kernel, whether or not it is used, as far as they do not depend on static parameters.
void check_kernel(Elaborator& elaborator, std::uint32_t declaration);

}  // namespace reckon::frontend
