// The contents of a compiled program's buffers: tensors of patterns on the way in and out, on every target.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "codegen/compile.h"

namespace reckon::runtime {

/// The elements of a generated sequence: interp::generate.
using Generate = std::function<ir::HostTensor(ir::Source::Kind kind, ir::Scalar scalar, std::vector<std::int64_t> shape,
                                              std::int64_t seed)>;

/// What a buffer of role `constant` holds.
Expected<ir::HostTensor> constant_contents(ir::Module& module, const ir::Function& function,
                                           const codegen::Buffer& buffer, const codegen::CompiledSemantics& semantics,
                                           const std::map<ir::SymbolId, std::int64_t>& dimensions,
                                           const Generate& generate);

/// Elements to allocate for a buffer: an extent of 0 counts as 1, since a reduction of nothing may still form the
/// address of an element (and read, but never use, what is there).
std::int64_t allocation_count(const std::vector<std::int64_t>& shape);

/// A tensor for the contents of a buffer. If the elements are in words, the tensor has the type of the words, and their
/// number as one more extent at the end; or it is bool.
ir::HostTensor tensor_of(const codegen::Buffer& buffer, const std::vector<std::int64_t>& shape);

/// The error if a semantics cannot take these patterns, for a parameter or a constant.
std::optional<Diagnostic> refused_input(const ir::Module& module, const ir::Function& function,
                                        const codegen::Buffer& buffer, const codegen::CompiledSemantics& semantics,
                                        const ir::HostTensor& tensor);

/// The error that a buffer of role `faults` holds after the kernels have run: an index that was out of range, or else the
/// first fault. A fault that leaves elements empty (CompiledSemantics::leaves_empty) is an error only if the only result
/// is one such element.
std::optional<Diagnostic> error_of(const std::vector<Diagnostic>& faults, const ir::HostTensor& words,
                                   const codegen::CompiledSemantics& semantics,
                                   const std::vector<ir::HostTensor>& results);

/// Whether the buffer holds words but the tensor has patterns of the buffer's type.
bool needs_words(const codegen::Buffer& buffer, const ir::HostTensor& tensor);

/// A tensor's patterns as the words that the buffer holds; any other tensor unchanged.
Expected<ir::HostTensor> in_words(const ir::Module& module, const ir::Function& function, const codegen::Buffer& buffer,
                                  const codegen::CompiledSemantics& semantics, const ir::HostTensor& tensor);

/// Makes every NaN the canonical one, if the semantics has one NaN. FPSan's carriers are not numbers: a carrier that
/// looks like a NaN stands for a value.
void canonicalise_nans(const codegen::CompiledSemantics& semantics, ir::HostTensor& tensor);
void canonicalise_nans(const codegen::CompiledSemantics& semantics, ir::Scalar scalar, std::uint8_t* elements,
                       std::int64_t count);

}  // namespace reckon::runtime
