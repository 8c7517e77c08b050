// What the buffers of a compiled program hold: tensors of patterns on the way in and out, whatever runs the program.
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
                                           const codegen::Buffer& buffer,
                                           const std::map<ir::SymbolId, std::int64_t>& dimensions,
                                           const Generate& generate);

/// Elements to allocate for a buffer: an extent of 0 counts as 1, since a reduction of nothing may still form the
/// address of an element (and read, but never use, what is there).
std::int64_t allocation_count(const std::vector<std::int64_t>& shape);

/// A tensor for what a buffer holds. Of intervals: of the ends' type (of the ring: f64, for its width), with one more
/// extent, 2, at the end; or bool.
ir::HostTensor tensor_of(const codegen::Buffer& buffer, const std::vector<std::int64_t>& shape);

/// Why a semantics cannot take these patterns, for a parameter or a constant.
std::optional<Diagnostic> refused_input(const ir::Module& module, const ir::Function& function,
                                        const codegen::Buffer& buffer, codegen::CompiledSemantics semantics,
                                        const ir::HostTensor& tensor);

/// Whether there is one result, one number, that is an empty interval: an error, for which a fault is the reason.
bool is_one_empty(const std::vector<ir::HostTensor>& results, codegen::CompiledSemantics semantics);
/// What a buffer of role `faults` says after the kernels: the first of its faults.
std::optional<Diagnostic> first_fault(const std::vector<Diagnostic>& faults, const ir::HostTensor& words);

/// Is the tensor of patterns of the buffer's type, where the buffer holds elements of the ring?
bool must_be_embedded(const codegen::Buffer& buffer, const ir::HostTensor& tensor);

/// What a buffer with Endpoints::ring holds, of a tensor's patterns; of any other tensor, itself.
Expected<ir::HostTensor> in_ring(const ir::Module& module, const ir::Function& function, const codegen::Buffer& buffer,
                                 const ir::HostTensor& tensor);

/// Every NaN becomes the canonical one. Not under fpsan, whose carriers may look like NaNs.
void canonicalise_nans(ir::HostTensor& tensor);

}  // namespace reckon::runtime
