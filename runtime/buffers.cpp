#include "runtime/buffers.h"

#include <cstring>

#include "codegen/literal.h"
#include "codegen/sizes.h"
#include "diagnostics/codes/dimension_value.h"
#include "diagnostics/codes/internal.h"
#include "diagnostics/codes/not_compilable.h"
#include "diagnostics/codes/undefined_result.h"
#include "ir/op.h"
#include "ir/words.h"
#include "numerics/nan_words.h"
#include "numerics/padic/padic.h"

namespace reckon::runtime {

namespace padic = numerics::padic;

std::int64_t allocation_count(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (std::int64_t extent : shape) count *= extent > 0 ? extent : 1;
  return count;
}

ir::HostTensor tensor_of(const codegen::Buffer& buffer, const std::vector<std::int64_t>& shape) {
  if (buffer.endpoints == codegen::Endpoints::none || buffer.scalar == ir::Scalar::boolean)
    return ir::HostTensor(buffer.scalar, shape);
  std::vector<std::int64_t> with_ends = shape;
  with_ends.push_back(2);
  return ir::HostTensor(buffer.endpoints == codegen::Endpoints::f32 ? ir::Scalar::f32 : ir::Scalar::f64,
                        std::move(with_ends));
}

std::optional<Diagnostic> refused_input(const ir::Module& module, const ir::Function& function,
                                        const codegen::Buffer& buffer, codegen::CompiledSemantics semantics,
                                        const ir::HostTensor& tensor) {
  if (!codegen::has_endpoints(semantics) || buffer.endpoints != codegen::Endpoints::none ||
      !ir::is_float(tensor.scalar))
    return std::nullopt;
  const ir::Format format = ir::format_of(tensor.scalar);
  const std::int64_t count = tensor.size();
  const bool has_nan = ir::by_words(tensor, [&](const auto& words) {
    const numerics::NanWords<decltype(words[0])> nans(format);
    std::int64_t i = 0;
    while (i < count && !nans.contain(words[i])) ++i;
    return i < count;
  });
  if (!has_nan) return std::nullopt;
  if (buffer.role != codegen::Buffer::Role::parameter) {
    return Diagnostic(code::undefined_result, module.span(buffer.source, function.places),
                      codegen::nan_has_no_interval);
  }
  const ir::Parameter& parameter = function.parameters[buffer.position];
  return Diagnostic(code::undefined_result, parameter.span,
                    "argument `" + std::string(module.name(parameter.name)) + "`: " + codegen::nan_has_no_interval);
}

bool is_one_empty(const std::vector<ir::HostTensor>& results, codegen::CompiledSemantics semantics) {
  if (!codegen::has_endpoints(semantics) || results.size() != 1) return false;
  const ir::HostTensor& endpoints = results.front();
  return ir::is_float(endpoints.scalar) && endpoints.shape.size() == 1 &&
         numerics::is_nan(endpoints.bits(0), ir::format_of(endpoints.scalar));
}

std::optional<Diagnostic> first_fault(const std::vector<Diagnostic>& faults, const ir::HostTensor& words) {
  for (std::size_t k = 0; k < faults.size(); ++k) {
    if ((words.bits(static_cast<std::int64_t>(k / 64)) >> (k % 64) & 1) != 0) return faults[k];
  }
  return std::nullopt;
}

void canonicalise_nans(ir::HostTensor& tensor) {
  if (!ir::is_float(tensor.scalar)) return;
  const ir::Format format = ir::format_of(tensor.scalar);
  const std::int64_t count = tensor.size();
  ir::by_words(tensor, [&](const auto& words) {
    const numerics::NanWords<decltype(words[0])> nans(format);
    for (std::int64_t i = 0; i < count; ++i) words.set(i, nans.canonical(words[i]));
  });
}

Expected<ir::HostTensor> constant_contents(ir::Module& module, const ir::Function& function,
                                           const codegen::Buffer& buffer,
                                           const std::map<ir::SymbolId, std::int64_t>& dimensions,
                                           const Generate& generate) {
  const SourceSpan place = module.span(buffer.source, function.places);
  const auto shape = codegen::extent_values(module, buffer.extents, dimensions);
  if (!shape) return Diagnostic(code::dimension_value, place, "an extent of this tensor has no usable value");
  const ir::Node node = module[buffer.source];
  if (node.op == ir::Op::array) {
    ir::HostTensor tensor = tensor_of(buffer, *shape);
    for (std::size_t k = 0; k < node.operands.size(); ++k) {
      if (buffer.endpoints == codegen::Endpoints::ring && ir::is_float(buffer.scalar)) {
        const ir::Literal& literal = module.literal_of(node.operands[k]);
        const auto value = codegen::literal_in_ring(literal, buffer.scalar);
        if (!value) return codegen::no_element(literal, buffer.scalar, module.span(node.operands[k], function.places));
        std::memcpy(tensor.bytes.data() + k * sizeof *value, &*value, sizeof *value);
        continue;
      }
      if (buffer.endpoints != codegen::Endpoints::none && ir::is_float(buffer.scalar)) {
        const ir::Format format = ir::format_of(tensor.scalar);
        const auto endpoints = codegen::literal_endpoints(module.literal_of(node.operands[k]), buffer.scalar, format);
        if (!endpoints)
          return Diagnostic(code::undefined_result, module.span(node.operands[k], function.places),
                            codegen::nan_has_no_interval);
        tensor.set_bits(2 * static_cast<std::int64_t>(k), numerics::round_f64(endpoints->low, format));
        tensor.set_bits(2 * static_cast<std::int64_t>(k) + 1, numerics::round_f64(endpoints->high, format));
        continue;
      }
      const auto bits = codegen::literal_bits(module.literal_of(node.operands[k]), buffer.scalar);
      if (!bits) return Diagnostic(code::not_compilable, place, "a `number` cannot be stored");
      tensor.set_bits(static_cast<std::int64_t>(k), *bits);
    }
    return tensor;
  }
  const ir::Source source = module.source_of(buffer.source);
  if (source.data) return in_ring(module, function, buffer, *source.data);
  if (!generate) return Diagnostic(code::internal, place, "nothing was given that generates sequences");
  std::int64_t seed = 0;
  if (source.seed.valid()) {
    ir::IndexEnvironment environment;
    environment.dimensions = dimensions;
    const auto value = module.indices().evaluate(source.seed, environment);
    if (!value) return Diagnostic(code::dimension_value, place, "the seed has no usable value");
    seed = *value;
  }
  return in_ring(module, function, buffer, generate(source.kind, buffer.scalar, *shape, seed));
}

bool must_be_embedded(const codegen::Buffer& buffer, const ir::HostTensor& tensor) {
  return buffer.endpoints == codegen::Endpoints::ring && tensor.scalar == buffer.scalar &&
         tensor.shape.size() == buffer.extents.size();
}

Expected<ir::HostTensor> in_ring(const ir::Module& module, const ir::Function& function, const codegen::Buffer& buffer,
                                 const ir::HostTensor& tensor) {
  if (!must_be_embedded(buffer, tensor)) return tensor;
  ir::HostTensor out = tensor_of(buffer, tensor.shape);
  const ir::Format format = ir::format_of(tensor.scalar);
  static_assert(sizeof(padic::Value) == 2 * sizeof(std::uint64_t));
  const std::int64_t count = tensor.size();
  std::uint8_t* place = out.bytes.data();
  const auto refused = ir::by_words(tensor, [&](const auto& words) -> std::optional<std::uint64_t> {
    for (std::int64_t i = 0; i < count; ++i, place += sizeof(padic::Value)) {
      const auto value = padic::from_pattern(words[i], format);
      if (!value) return words[i];
      std::memcpy(place, &*value, sizeof *value);
    }
    return std::nullopt;
  });
  if (!refused) return out;
  const bool argument = buffer.role == codegen::Buffer::Role::parameter;
  Diagnostic problem = codegen::no_element(numerics::shortest_decimal(*refused, format),
                                           argument ? function.parameters[buffer.position].span
                                                    : module.span(buffer.source, function.places));
  if (argument) {
    problem.message =
        "argument `" + std::string(module.name(function.parameters[buffer.position].name)) + "`: " + problem.message;
  }
  return problem;
}

}  // namespace reckon::runtime
