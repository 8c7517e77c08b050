#include "interp/semantics.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "diagnostics/codes/undefined_result.h"
#include "diagnostics/codes/unsupported_operation.h"
#include "interp/algebra/words.h"
#include "numerics/format.h"

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
    case 16: return gather_words<std::array<std::uint64_t, 2>>(in, index, out, count);
    default:
      for (std::size_t i = 0; i < count; ++i) {
        std::memcpy(out + i * width, in + static_cast<std::size_t>(index[i]) * width, width);
      }
  }
}

std::optional<Fault> Semantics::accumulate_products(ir::Scalar scalar, std::byte* accumulator, Rows left, Rows right,
                                                    std::size_t rows, std::size_t columns) {
  const auto bytes = static_cast<std::ptrdiff_t>(size(scalar));
  std::optional<Fault> first;
  for (std::size_t r = 0; r < rows; ++r) {
    const auto row = static_cast<std::ptrdiff_t>(r);
    const Rows operands[3] = {{left.data + row * left.row_stride * bytes, 0},
                              {right.data + row * right.row_stride * bytes, 0},
                              {accumulator, 0}};
    auto fault = apply(ir::Op::fma, scalar, scalar, operands, accumulator, 0, 1, columns);
    if (fault && !fault->leaves_empty) return fault;
    if (!first) first = std::move(fault);
  }
  return first;
}

std::optional<Fault> Semantics::long_sums(ir::Scalar, std::size_t, const LongSumRule& rule,
                                          std::unique_ptr<LongSums>&) {
  if (traits().laws.has(ir::Law::sums_exactly)) return std::nullopt;
  return Fault{code::unsupported_operation, fmt::format("`{}` has no meaning under `{}`", rule.name(), name()),
               "sum in a plain order, such as `tree`"};
}

bool Semantics::store(ir::Scalar scalar, const std::byte* values, std::size_t count, ir::HostTensor& out) const {
  const std::size_t width = size(scalar);
  const std::uint64_t none = ir::is_float(scalar) ? numerics::canonical_nan(ir::format_of(scalar)) : 0;
  bool all = true;
  for (std::size_t i = 0; i < count; ++i) {
    const auto pattern = bits(scalar, values + i * width);
    all = all && pattern;
    out.set_bits(static_cast<std::int64_t>(i), pattern.value_or(none));
  }
  return all;
}

std::optional<Fault> Semantics::range(ir::Scalar, const mpq_class& low, const mpq_class& high, std::byte*) const {
  return Fault{code::undefined_result,
               fmt::format("`{}` has no value for the range {}..{}", name(), numerics::rational_text(low),
                           numerics::rational_text(high)),
               "ask in `interval`, whose values are ranges"};
}

std::optional<Fault> Semantics::ranges(ir::Scalar scalar, const mpq_class& low, const mpq_class& high, std::size_t count,
                                       std::byte* out) const {
  if (count == 0) return std::nullopt;
  if (auto fault = range(scalar, low, high, out)) return fault;
  const std::vector<std::int64_t> first(count - 1, 0);
  gather(scalar, out, first.data(), out + size(scalar), count - 1);
  return std::nullopt;
}

}  // namespace reckon::interp
