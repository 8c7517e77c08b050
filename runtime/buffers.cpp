#include "runtime/buffers.h"

#include <cstring>

#include "codegen/sizes.h"
#include "diagnostics/codes/dimension_value.h"
#include "diagnostics/codes/division_by_zero.h"
#include "diagnostics/codes/index_out_of_range.h"
#include "diagnostics/codes/internal.h"
#include "diagnostics/codes/not_compilable.h"
#include "ir/words.h"
#include "numerics/nan_words.h"

namespace reckon::runtime {

std::int64_t allocation_count(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (std::int64_t extent : shape) count *= extent > 0 ? extent : 1;
  return count;
}

ir::HostTensor tensor_of(const codegen::Buffer& buffer, const std::vector<std::int64_t>& shape) {
  if (!buffer.in_words()) return ir::HostTensor(buffer.scalar, shape);
  std::vector<std::int64_t> with_words = shape;
  with_words.push_back(buffer.words->count);
  return ir::HostTensor(buffer.words->scalar, std::move(with_words));
}

namespace {

/// The error for contents of a parameter or a constant that cannot be taken.
Diagnostic refused_contents(const ir::Module& module, const ir::Function& function, const codegen::Buffer& buffer,
                            const interp::Fault& fault) {
  if (buffer.role != codegen::Buffer::Role::parameter) {
    return codegen::at_place(fault, module.span(buffer.source, function.places));
  }
  const ir::Parameter& parameter = function.parameters[buffer.position];
  Diagnostic out = codegen::at_place(fault, parameter.span);
  out.message = "argument `" + std::string(module.name(parameter.name)) + "`: " + out.message;
  return out;
}

}  // namespace

std::optional<Diagnostic> refused_input(const ir::Module& module, const ir::Function& function,
                                        const codegen::Buffer& buffer, const codegen::CompiledSemantics& semantics,
                                        const ir::HostTensor& tensor) {
  if (buffer.in_words()) return std::nullopt;
  const auto fault = semantics.refused_input(tensor);
  return fault ? std::optional(refused_contents(module, function, buffer, *fault)) : std::nullopt;
}

namespace {

/// Whether the only result is one element, and that is empty.
bool is_empty(const std::vector<ir::HostTensor>& results) {
  if (results.size() != 1) return false;
  const ir::HostTensor& words = results.front();
  return ir::is_float(words.scalar) && words.shape.size() == 1 &&
         numerics::is_nan(words.bits(0), ir::format_of(words.scalar));
}

}  // namespace

std::optional<Diagnostic> error_of(const std::vector<Diagnostic>& faults, const ir::HostTensor& words,
                                   const codegen::CompiledSemantics& semantics,
                                   const std::vector<ir::HostTensor>& results) {
  const Diagnostic* first = nullptr;
  for (std::size_t k = 0; k < faults.size(); ++k) {
    if ((words.bits(static_cast<std::int64_t>(k / 64)) >> (k % 64) & 1) == 0) continue;
    if (faults[k].code == code::index_out_of_range || faults[k].code == code::division_by_zero) return faults[k];
    if (first == nullptr) first = &faults[k];
  }
  if (first == nullptr || (semantics.leaves_empty() && !is_empty(results))) return std::nullopt;
  return *first;
}

void canonicalise_nans(const codegen::CompiledSemantics& semantics, ir::Scalar scalar, std::uint8_t* elements,
                       std::int64_t count) {
  if (!semantics.has_one_nan() || !ir::is_float(scalar)) return;
  const ir::Format format = ir::format_of(scalar);
  ir::by_words(scalar, elements, [&](const auto& words) {
    const numerics::NanWords<decltype(words[0])> nans(format);
    for (std::int64_t i = 0; i < count; ++i) words.set(i, nans.canonical(words[i]));
  });
}

void canonicalise_nans(const codegen::CompiledSemantics& semantics, ir::HostTensor& tensor) {
  canonicalise_nans(semantics, tensor.scalar, tensor.bytes.data(), tensor.size());
}

namespace {

/// The literals of an array as the buffer holds them.
Expected<ir::HostTensor> literals(const ir::Module& module, const ir::Function& function, const ir::Node& array,
                                  const codegen::Buffer& buffer, const interp::Semantics& values, ir::HostTensor out) {
  if (buffer.scalar == ir::Scalar::number) {
    return Diagnostic(code::not_compilable, module.span(buffer.source, function.places), "a `number` cannot be stored");
  }
  std::vector<std::byte> value(values.size(buffer.scalar));
  std::uint8_t* element = out.bytes.data();
  for (std::size_t k = 0; k < array.operands.size(); ++k) {
    if (const auto fault = values.literal(module.literal_of(array.operands[k]), buffer.scalar, value.data())) {
      return codegen::at_place(*fault, module.span(array.operands[k], function.places));
    }
    if (buffer.in_words() || buffer.scalar == ir::Scalar::boolean) {
      std::memcpy(element + k * value.size(), value.data(), value.size());
    } else {
      out.set_bits(static_cast<std::int64_t>(k), *values.bits(buffer.scalar, value.data()));
    }
  }
  return out;
}

}  // namespace

Expected<ir::HostTensor> constant_contents(ir::Module& module, const ir::Function& function,
                                           const codegen::Buffer& buffer, const codegen::CompiledSemantics& semantics,
                                           const std::map<ir::SymbolId, std::int64_t>& dimensions,
                                           const Generate& generate) {
  const SourceSpan place = module.span(buffer.source, function.places);
  const auto shape = codegen::extent_values(module, buffer.extents, dimensions);
  if (!shape) return Diagnostic(code::dimension_value, place, "an extent of this tensor has no usable value");
  const ir::Node node = module[buffer.source];
  if (node.op == ir::Op::array) {
    return literals(module, function, node, buffer, semantics.values(), tensor_of(buffer, *shape));
  }
  const ir::Source source = module.source_of(buffer.source);
  if (source.data) return in_words(module, function, buffer, semantics, *source.data);
  if (!generate) return Diagnostic(code::internal, place, "nothing was given that generates sequences");
  std::int64_t seed = 0;
  if (source.seed.valid()) {
    ir::IndexEnvironment environment;
    environment.dimensions = dimensions;
    const auto value = module.indices().evaluate(source.seed, environment);
    if (!value) return Diagnostic(code::dimension_value, place, "the seed has no usable value");
    seed = *value;
  }
  return in_words(module, function, buffer, semantics, generate(source.kind, buffer.scalar, *shape, seed));
}

bool needs_words(const codegen::Buffer& buffer, const ir::HostTensor& tensor) {
  return buffer.in_words() && tensor.scalar == buffer.scalar && tensor.shape.size() == buffer.extents.size();
}

Expected<ir::HostTensor> in_words(const ir::Module& module, const ir::Function& function, const codegen::Buffer& buffer,
                                  const codegen::CompiledSemantics& semantics, const ir::HostTensor& tensor) {
  if (!needs_words(buffer, tensor)) return tensor;
  ir::HostTensor out = tensor_of(buffer, tensor.shape);
  const auto fault = semantics.values().load(buffer.scalar, tensor.bytes.data(), static_cast<std::size_t>(tensor.size()),
                                             reinterpret_cast<std::byte*>(out.bytes.data()));
  if (fault) return refused_contents(module, function, buffer, *fault);
  return out;
}

}  // namespace reckon::runtime
