#include "tests/differential/inputs.h"

#include <fmt/format.h>

#include "numerics/format.h"
#include "tests/differential/program.h"

namespace reckon::differential {
namespace {

mpq_class near_tie(Random& random, numerics::Format format) {
  static constexpr unsigned distances[] = {1, 2, 7, 8, 9, 10, 11, 12, 13, 22, 23, 24, 25, 30, 40, 52};
  const unsigned range = format == numerics::Format::f16 ? 12 : 30;
  mpq_class out = 1;
  for (int part = 0; part < 2; ++part) {
    mpq_class step = 1;
    mpq_div_2exp(step.get_mpq_t(), step.get_mpq_t(), random.pick(distances));
    if (!random.one_in(3)) out += random.one_in(2) ? step : mpq_class(-step);
  }
  const auto up = static_cast<unsigned>(random.below(2 * range));
  mpq_mul_2exp(out.get_mpq_t(), out.get_mpq_t(), up);
  mpq_div_2exp(out.get_mpq_t(), out.get_mpq_t(), range);
  return random.one_in(2) ? out : mpq_class(-out);
}

}  // namespace

ir::HostTensor make_input(ir::Scalar scalar, std::vector<std::int64_t> shape, std::uint64_t seed, int kind) {
  ir::HostTensor out(scalar, std::move(shape));
  Random random(seed);
  if (ir::is_integer(scalar)) {
    // Of any size; in one kind of input, of all bits; of a signed type as often negative.
    const auto& type = ir::integer_traits(scalar);
    for (std::int64_t i = 0; i < out.size(); ++i) {
      std::uint64_t word = numerics::wrapped(type, random.word());
      if (kind != 2) word >>= random.below(static_cast<std::uint64_t>(type.width));
      if (kind != 2 && type.is_signed && random.one_in(2)) word = numerics::wrapped(type, 0 - word);
      out.set_bits(i, word);
    }
    return out;
  }
  const numerics::Format format = ir::format_of(scalar);
  const std::uint64_t min_normal = numerics::min_normal(format),
                      step = std::uint64_t{1} << numerics::traits(format).unused;
  const std::uint64_t end = numerics::finite_end(format), sign = numerics::sign_bit(format);
  const std::uint64_t specials[] = {0,
                                    step,
                                    min_normal - step,
                                    min_normal,
                                    end - step,
                                    end,
                                    numerics::canonical_nan(format),
                                    numerics::round_rational(1, format)};
  for (std::int64_t i = 0; i < out.size(); ++i) {
    const std::uint64_t bits = random.word() & numerics::storage_mask(format);
    const auto integer = static_cast<long>(random.below(9)) - 4;
    const auto fraction = mpq_class(static_cast<long>(random.below(4'000'001)) - 2'000'000, 1'000'003);
    const bool special = random.one_in(8), negative = random.one_in(2);
    const std::uint64_t chosen = specials[random.below(std::size(specials))] | (negative ? sign : 0);
    std::uint64_t value = 0;
    const std::uint64_t extreme = specials[random.one_in(3) ? 7 : random.one_in(4) ? 6 : random.one_in(4) ? 5 : 0];
    switch (kind) {
      case 0: value = numerics::round_rational(fraction, format); break;
      case 1: value = special ? chosen : numerics::round_rational(fraction, format); break;
      case 2: value = special ? chosen : bits; break;
      case 3: value = numerics::round_rational(integer, format); break;
      case 5: value = numerics::round_rational(near_tie(random, format), format); break;
      case 6: value = extreme | (negative ? sign : 0); break;
      default: value = numerics::round_rational(1, format);
    }
    out.set_bits(i, value);
  }
  return out;
}

void without_nans(ir::HostTensor& tensor, bool without_infinity) {
  if (!ir::is_float(tensor.scalar)) return;
  const numerics::Format format = ir::format_of(tensor.scalar);
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const bool infinite =
        without_infinity && numerics::has_infinity(format) && tensor.bits(i) == numerics::infinity_bits(format);
    if (infinite || numerics::is_nan(tensor.bits(i), format)) tensor.set_bits(i, numerics::round_rational(1, format));
  }
}

std::string text(const ir::HostTensor& tensor) {
  std::string out = fmt::format("{}[{}] = ", ir::scalar_name(tensor.scalar), fmt::join(tensor.shape, ", "));
  constexpr std::int64_t shown = 24;
  for (std::int64_t i = 0; i < tensor.size() && i < shown; ++i) {
    out += fmt::format("{}{:0{}x}", i > 0 ? " " : "", tensor.bits(i), 2 * ir::byte_width(tensor.scalar));
  }
  if (tensor.size() > shown) out += fmt::format(" ... ({} in all)", tensor.size());
  return out;
}

}  // namespace reckon::differential
