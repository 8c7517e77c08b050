// Between the public values and those of the inside.
#include <fmt/format.h>

#include "api/implementation.h"
#include "diagnostics/codes/device_failure.h"
#include "diagnostics/codes/device_missing.h"
#include "diagnostics/codes/internal.h"
#include "diagnostics/codes/interrupted.h"
#include "diagnostics/codes/rank_failure.h"
#include "diagnostics/codes/too_large.h"
#include "diagnostics/codes/tool_missing.h"
#include "numerics/format.h"

namespace reckon {
namespace {

constexpr int source_status = 3, missing_status = 69, internal_status = 70, interrupted_status = 130;

int status_of(Code code) {
  if (code == code::internal) return internal_status;
  if (code == code::device_missing || code == code::tool_missing || code == code::device_failure ||
      code == code::rank_failure) {
    return missing_status;
  }
  if (code == code::interrupted) return interrupted_status;
  return source_status;
}

}  // namespace

Diagnostic out_of_memory(SourceSpan place) {
  return Diagnostic(code::too_large, place, "this needs more memory than there is");
}

Message public_message(const Diagnostic& diagnostic, const SourceMap& sources) {
  Message out;
  if (diagnostic.code != Code{}) out.code = code_text(diagnostic.code);
  out.message = diagnostic.message;
  if (diagnostic.primary.span.known()) {
    const SourceSpan span = diagnostic.primary.span;
    const LineColumn place = sources.locate(span.file, span.begin);
    out.file = sources.name(span.file);
    out.line = place.line;
    out.column = place.column;
  }
  out.notes = diagnostic.notes;
  out.helps = diagnostic.helps;
  out.text = render_text(diagnostic, sources, false);
  out.colored = render_text(diagnostic, sources, true);
  out.json = render_json(diagnostic, sources);
  out.status = diagnostic.severity == Severity::note ? 0 : status_of(diagnostic.code);
  return out;
}

std::vector<Message> Session::Implementation::messages(const std::vector<Diagnostic>& diagnostics) {
  std::vector<Message> out;
  for (const Diagnostic& diagnostic : diagnostics) out.push_back(message(diagnostic));
  return out;
}

Number number(const interp::Rendering& rendering) { return {rendering.text, rendering.fields}; }

Shown shown(interp::Values values, std::shared_ptr<const interp::Semantics> semantics) {
  Shown out;
  const ir::Scalar scalar = values.scalar();
  out.type = ir::scalar_name(scalar);
  out.semantics = semantics->name();
  out.floats = semantics->traits().floats;
  out.shape = values.shape();
  out.is_scalar = values.shape().empty();
  out.summary = semantics->summary();
  if (scalar == ir::Scalar::boolean || ir::has_pattern(scalar)) {
    if (auto tensor = values.host_if_all(*semantics)) out.tensor = public_tensor(std::move(*tensor));
  }
  // Values must not outlive their semantics.
  struct Kept {
    std::shared_ptr<const interp::Semantics> semantics;
    interp::Values values;
  };
  const auto count = static_cast<std::size_t>(values.count());
  auto kept = std::make_shared<const Kept>(Kept{std::move(semantics), std::move(values)});
  out.own = own_tensor(*kept->semantics, kept->values, kept);
  out.numbers = Numbers(count, [kept = std::move(kept)](std::size_t k) {
    const interp::Values& values = kept->values;
    return number(kept->semantics->render(values.scalar(), values.at(static_cast<std::int64_t>(k))));
  });
  return out;
}

std::optional<std::size_t> tensor_bytes(std::string_view type, std::span<const std::int64_t> shape) {
  const auto scalar = ir::scalar_named(type);
  if (!scalar || *scalar == ir::Scalar::number) return std::nullopt;
  auto bytes = static_cast<std::int64_t>(ir::byte_width(*scalar));
  for (std::int64_t extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
  }
  return static_cast<std::size_t>(bytes);
}

Expected<ir::HostTensor> host_tensor(Tensor tensor) {
  const auto scalar = ir::scalar_named(tensor.type);
  if (!scalar || *scalar == ir::Scalar::number) {
    return bad_argument(fmt::format("`{}` is not an element type", tensor.type));
  }
  const auto bytes = tensor_bytes(tensor.type, tensor.shape);
  if (!bytes) return bad_argument("a tensor's shape is negative or too large");
  if (*bytes != tensor.bytes.size()) {
    return bad_argument(fmt::format("a tensor of shape [{}] and type `{}` needs {} bytes and has {}",
                                    fmt::join(tensor.shape, ", "), tensor.type, *bytes, tensor.bytes.size()));
  }
  ir::HostTensor out;
  out.scalar = *scalar;
  out.shape = std::move(tensor.shape);
  out.bytes = std::move(tensor.bytes);
  return out;
}

Tensor public_tensor(ir::HostTensor tensor) {
  Tensor out;
  out.type = ir::scalar_name(tensor.scalar);
  out.shape = std::move(tensor.shape);
  out.bytes = std::move(tensor.bytes);
  return out;
}

}  // namespace reckon
