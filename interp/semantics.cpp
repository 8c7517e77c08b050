#include "interp/semantics.h"

#include <fmt/format.h>

#include <cstring>

namespace reckon::interp {

namespace {

template <class Word>
void gather_words(const std::byte* in, const std::int64_t* index, std::byte* out, std::size_t count) {
  const auto* from = reinterpret_cast<const Word*>(in);
  auto* to = reinterpret_cast<Word*>(out);
  for (std::size_t i = 0; i < count; ++i) to[i] = from[index[i]];
}

}  // namespace

void Semantics::gather(ir::Scalar scalar, const std::byte* in, const std::int64_t* index, std::byte* out,
                       std::size_t count) const {
  const std::size_t width = size(scalar);
  switch (width) {
    case 1: return gather_words<std::uint8_t>(in, index, out, count);
    case 2: return gather_words<std::uint16_t>(in, index, out, count);
    case 4: return gather_words<std::uint32_t>(in, index, out, count);
    case 8: return gather_words<std::uint64_t>(in, index, out, count);
    default:
      for (std::size_t i = 0; i < count; ++i) {
        std::memcpy(out + i * width, in + static_cast<std::size_t>(index[i]) * width, width);
      }
  }
}

void Semantics::store(ir::Scalar scalar, const std::byte* values, std::size_t count, ir::HostTensor& out) const {
  const std::size_t width = size(scalar);
  const std::uint64_t none = ir::is_float(scalar) ? numerics::canonical_nan(ir::format_of(scalar)) : 0;
  for (std::size_t i = 0; i < count; ++i) {
    out.set_bits(static_cast<std::int64_t>(i), bits(scalar, values + i * width).value_or(none));
  }
}

std::optional<Fault> Semantics::range(ir::Scalar, const mpq_class& low, const mpq_class& high, std::byte*) const {
  return Fault{Code::undefined_result,
               fmt::format("`{}` has no value for the range {}..{}", name(), numerics::rational_text(low),
                           numerics::rational_text(high)),
               "ask in `interval`, whose values are ranges"};
}

}  // namespace reckon::interp
