#include "check/families.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "check/inputs.h"
#include "interp/evaluate.h"
#include "ir/integer.h"
#include "ir/op.h"
#include "ir/visit.h"
#include "numerics/format.h"

namespace reckon::check {

using frontend::Item;
using frontend::Tolerance;

namespace {

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t count) { return bits() % count; }
  /// Uniform in [-1, 1).
  double unit() { return std::ldexp(static_cast<double>(static_cast<std::int64_t>(bits()) >> 11), -52); }

 private:
  std::uint64_t state_;
};

/// The next number of the format above or below; the same at the ends.
std::uint64_t neighbour(std::uint64_t bits, ir::Format format, bool up) {
  const std::uint64_t sign = numerics::sign_bit(format), step = std::uint64_t{1} << numerics::traits(format).unused;
  const std::uint64_t magnitude = numerics::magnitude_bits(bits, format);
  if (!numerics::is_finite(bits, format)) return bits;
  const bool negative = (bits & sign) != 0;
  if (magnitude == 0) return up ? step : sign | step;
  if (negative != up) return magnitude == numerics::largest_finite(format) ? bits : bits + step;
  return bits - step;
}

constexpr std::uint64_t extremes_count = 16;
std::uint64_t extreme(std::uint64_t which, ir::Format format) {
  const std::uint64_t sign = numerics::sign_bit(format), step = std::uint64_t{1} << numerics::traits(format).unused;
  const std::uint64_t chosen_sign = which % 2 != 0 ? sign : 0;
  switch (which / 2 % 8) {
    case 0: return chosen_sign;
    case 1: return numerics::has_infinity(format) ? chosen_sign | numerics::infinity_bits(format) : chosen_sign | numerics::largest_finite(format);
    case 2: return numerics::canonical_nan(format);
    case 3: return chosen_sign | numerics::largest_finite(format);
    case 4: return chosen_sign | step;
    case 5: return chosen_sign | numerics::min_normal(format);
    case 6: return chosen_sign | numerics::round_f64(1, format);
    default: return chosen_sign | numerics::round_f64(3, format);
  }
}

/// The numbers of Family::extremes, each once.
std::vector<std::uint64_t> extremes_of(ir::Format format) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t which = 0; which < extremes_count; ++which) {
    const std::uint64_t bits = extreme(which, format);
    if (std::ranges::find(out, bits) == out.end()) out.push_back(bits);
  }
  return out;
}

std::uint64_t any_pattern(Random& random, ir::Format format) {
  const std::uint64_t bits = random.bits() & numerics::storage_mask(format);
  // A pattern of a NaN or an infinity is cut to a subnormal number.
  return numerics::is_finite(bits, format) ? bits : bits & (numerics::min_normal(format) - 1);
}

std::uint64_t few_bits(Random& random, ir::Format format) {
  const auto length = static_cast<int>(1 + random.below(static_cast<std::uint64_t>(numerics::traits(format).precision)));
  const auto exponent = static_cast<int>(random.below(2) != 0 ? random.below(9) : random.below(41)) - (length % 2 != 0 ? 4 : 20);
  const double significand = static_cast<double>(std::uint64_t{1} << length | (random.bits() & ((std::uint64_t{1} << length) - 1)) | 1);
  double value = std::ldexp(random.below(2) != 0 ? significand : -significand, exponent - length);
  // One more bit, far below the others, decides a tie.
  if (random.below(3) == 0) {
    value *= 1 + std::ldexp(random.below(2) != 0 ? 1.0 : -1.0, -static_cast<int>(static_cast<std::uint64_t>(length) + 1 + random.below(52)));
  }
  const std::uint64_t bits = numerics::round_f64(value, format);
  const std::uint64_t beside = random.below(4);
  return beside > 1 ? bits : neighbour(bits, format, beside == 0);
}

/// A constant, a number beside it or beyond it, or one between it and the next constant.
std::uint64_t near_constant(Random& random, ir::Format format, const std::vector<mpq_class>& constants) {
  const std::uint64_t which = random.below(constants.size());
  const mpq_class& constant = constants[which];
  const std::uint64_t bits = numerics::round_rational(constant, format);
  const double about = constant.get_d(), unit = random.unit();
  switch (random.below(9)) {
    case 0:
    case 1: return bits;
    case 2: return neighbour(bits, format, true);
    case 3: return neighbour(bits, format, false);
    case 4: return numerics::round_f64(about + unit, format);
    case 5: return numerics::round_f64(about * (1 + unit / 8), format);
    case 6: return numerics::round_f64(about * (2 + unit), format);
    case 7: return numerics::round_rational(-constant, format);
    default:
      return which + 1 < constants.size() ? numerics::round_rational((constant + constants[which + 1]) / 2, format)
                                          : numerics::round_f64(2 * about + 1, format);
  }
}

int largest_exponent(ir::Format format) { return std::min(20, numerics::traits(format).emax - 5); }

/// A number beside a border of the type: the greatest ones, and of a signed type the least ones and -1.
std::uint64_t border(const numerics::IntegerTraits& type, std::uint64_t any) {
  const std::uint64_t inward = any / 2 % 3;
  if (!type.is_signed) return numerics::pattern_mask(type) - inward;
  switch (any / 8 % 4) {
    case 0: return numerics::least_pattern(type) + inward;
    case 1: return numerics::pattern_mask(type) - inward;
    default: return numerics::greatest_pattern(type) - inward;
  }
}

/// The integer, if it lies in the range, or else an end of the range or any number in it. `any`: random bits.
std::uint64_t within(const frontend::RangeClause& range, ir::Scalar scalar, std::uint64_t bits, std::uint64_t any,
                     Family family) {
  const auto [low, high] = integers_in(range, scalar);
  const mpz_class value = ir::integer_of(scalar, bits);
  const bool ends = family == Family::endpoints;
  if (!ends && low <= value && value <= high) return bits;
  if (ends || any % 4 == 0) return ir::integer_pattern(scalar, (any >> 8) % 2 != 0 ? high : low);
  const mpz_class count = high - low + 1;
  return ir::integer_pattern(scalar, low + mpz_class(static_cast<unsigned long>(any >> 2)) % count);
}

void draw_words(Family family, ir::HostTensor& tensor, Random& random, const std::vector<mpq_class>& constants,
                const frontend::RangeClause* range) {
  const auto& type = ir::integer_traits(tensor.scalar);
  const auto width = static_cast<std::uint64_t>(type.width);
  const std::uint64_t same = random.bits() >> (64 - width);
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const std::uint64_t wide = random.bits(), any = wide >> (64 - width);
    // What chooses among few: the top 32 bits, of which a narrow number has too few.
    const std::uint64_t choice = wide >> 32;
    std::uint64_t bits = any;
    switch (family) {
      case Family::integers:
      case Family::small: bits = type.is_signed ? numerics::wrapped(type, choice % 9 - 4) : choice % 9; break;
      case Family::equal: bits = same; break;
      case Family::zeros: bits = choice % 4 == 0 ? same : 0; break;
      case Family::patterns:
      case Family::extremes: bits = choice % 2 != 0 ? std::uint64_t{1} << choice % width : border(type, choice); break;
      case Family::constants: {
        const mpq_class& constant = constants[choice % constants.size()];
        const mpz_class whole = constant.get_num() / constant.get_den();
        if (!ir::has_integer(tensor.scalar, whole)) break;
        bits = numerics::wrapped(type, ir::integer_pattern(tensor.scalar, whole) + (choice >> 8) % 3 - 1);
        break;
      }
      default: break;
    }
    if (range != nullptr) bits = within(*range, tensor.scalar, bits, family == Family::equal ? same : wide, family);
    tensor.set_bits(i, bits);
  }
}

}  // namespace

std::pair<mpz_class, mpz_class> integers_in(const frontend::RangeClause& range, ir::Scalar scalar) {
  const mpz_class least = ir::least_integer(scalar), greatest = ir::greatest_integer(scalar);
  mpz_class low = range.sign > 0 ? mpz_class(1) : least, high = range.sign < 0 ? mpz_class(-1) : greatest;
  if (range.sign == 0) {
    mpz_cdiv_q(low.get_mpz_t(), range.low.get_num_mpz_t(), range.low.get_den_mpz_t());
    mpz_fdiv_q(high.get_mpz_t(), range.high.get_num_mpz_t(), range.high.get_den_mpz_t());
  }
  low = std::clamp(low, least, greatest);
  return {low, std::clamp(high, low, greatest)};
}

std::vector<Family> families_of(const frontend::ElaboratedItem& item, const interp::Semantics& semantics) {
  using enum Family;
  const driver::Traits traits = semantics.traits();
  const auto also = [&](std::vector<Family> out) {
    if (!item.ranges.empty()) out.push_back(endpoints);
    if (item.left->parameters.size() > 1) out.push_back(mixed);
    return out;
  };
  if (traits.bounds_errors || item.tolerance == Tolerance::Kind::bound) {
    return also({unit, large, small, equal, constants, one_large, cancelling, zeros, negative, positive});
  }
  if (item.tolerance == Tolerance::Kind::orders) return {unit};
  if (traits.permits_answers) return also({unit, constants, large, small, integers, zeros, negative});
  if (!traits.floats && !traits.reals && !traits.encloses) return {unit};
  if (item.relation == Item::Relation::equal) {
    std::vector<Family> out{unit, constants, integers, negative, large, equal, zeros, small, positive, cancelling, one_large};
    if (traits.floats) out.insert(out.end(), {extremes, patterns, short_ones});
    return also(std::move(out));
  }
  if (item.relation == Item::Relation::within) return also({unit, constants, equal, zeros, integers, negative});
  if (item.tolerance == Tolerance::Kind::absolute) return also({unit, constants, small, equal, zeros, negative, positive});
  return also(
      {unit, constants, large, small, integers, equal, zeros, negative, positive, short_ones, one_large, cancelling});
}

void cancel_each_other(std::vector<ir::HostTensor>& inputs, const std::vector<frontend::RangeClause>& ranges,
                       std::uint64_t turn) {
  const std::size_t count = inputs.size();
  if (count < 2) return;
  const std::size_t from = turn % count, to = (from + 1 + turn / count % (count - 1)) % count;
  const ir::Format format = ir::format_of(inputs[from].scalar);
  if (!ir::is_float(inputs[from].scalar) || inputs[to].scalar != inputs[from].scalar ||
      inputs[to].shape != inputs[from].shape)
    return;
  const auto put = [&](std::size_t k, std::int64_t i, std::uint64_t bits) {
    const auto value = numerics::exact_value(bits, ir::format_of(inputs[k].scalar));
    if (value && is_allowed(ranges, k, *value)) inputs[k].set_bits(i, bits);
  };
  for (std::int64_t i = 0; i < inputs[from].size(); ++i) put(to, i, inputs[from].bits(i) ^ numerics::sign_bit(format));
  for (std::size_t k = 0; k < count; ++k) {
    if (k == from || k == to || !ir::is_float(inputs[k].scalar)) continue;
    const ir::Format own = ir::format_of(inputs[k].scalar);
    for (std::int64_t i = 0; i < inputs[k].size(); ++i) {
      put(k, i,
          numerics::round_f64(std::ldexp(numerics::widen(inputs[k].bits(i), own), -static_cast<int>(i % 24)), own));
    }
  }
}

std::vector<std::vector<ir::HostTensor>> special_inputs(const std::vector<ir::HostTensor>& unit) {
  std::vector<std::vector<ir::HostTensor>> out;
  const auto numbers_of = [](const ir::HostTensor& tensor) {
    if (ir::is_float(tensor.scalar)) return extremes_of(ir::format_of(tensor.scalar));
    if (!ir::is_integer(tensor.scalar)) return std::vector<std::uint64_t>{0, 1};
    const auto& type = ir::integer_traits(tensor.scalar);
    std::vector<std::uint64_t> words{0, 1, numerics::pattern_mask(type), std::uint64_t{1} << (type.width - 1)};
    if (type.is_signed) words.push_back(numerics::greatest_pattern(type));
    return words;
  };
  const auto fill = [](ir::HostTensor& tensor, std::uint64_t bits) {
    for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.set_bits(i, bits);
  };
  std::vector<std::vector<std::uint64_t>> numbers;
  for (const ir::HostTensor& tensor : unit) numbers.push_back(numbers_of(tensor));
  for (std::size_t k = 0; k < unit.size(); ++k) {
    for (const std::uint64_t bits : numbers[k]) fill(out.emplace_back(unit)[k], bits);
    if (unit[k].shape.empty() || !ir::has_pattern(unit[k].scalar)) continue;
    const bool floats = ir::is_float(unit[k].scalar);
    for (const bool ascends : {true, false}) {
      ir::HostTensor& tensor = out.emplace_back(unit)[k];
      for (std::int64_t i = 0; i < tensor.size(); ++i) {
        const std::int64_t value = ascends ? i + 1 : tensor.size() - i;
        tensor.set_bits(i, floats ? numerics::round_f64(static_cast<double>(value), ir::format_of(tensor.scalar))
                                  : numerics::wrapped(ir::integer_traits(tensor.scalar),
                                                      static_cast<std::uint64_t>(value)));
      }
    }
  }
  for (std::size_t which = 0; unit.size() > 1 && which < numbers[0].size(); ++which) {
    std::vector<ir::HostTensor>& point = out.emplace_back(unit);
    for (std::size_t k = 0; k < unit.size(); ++k) fill(point[k], numbers[k][which % numbers[k].size()]);
  }
  if (unit.size() != 2) return out;
  for (const std::uint64_t first : numbers[0]) {
    for (const std::uint64_t second : numbers[1]) {
      std::vector<ir::HostTensor>& point = out.emplace_back(unit);
      fill(point[0], first);
      fill(point[1], second);
    }
  }
  return out;
}

std::vector<mpq_class> constants_of(const ir::Module& module, const frontend::ElaboratedItem& item, bool compared) {
  std::vector<mpq_class> out;
  std::vector<ir::NodeId> roots;
  for (const auto* side : {&item.left, &item.right}) {
    if (*side) roots.push_back((*side)->body);
  }
  const auto add = [&](ir::NodeId id) {
    if (module[id].op != ir::Op::literal || module.literal_of(id).kind != ir::Literal::Kind::rational) return;
    out.push_back(module.literal_of(id).value);
  };
  ir::visit_nodes(module, std::move(roots), [&](ir::NodeId id) {
    const ir::Node& node = module[id];
    if (!compared) return add(id);
    if (!ir::is_scalar_operation(node.op)) return;
    const bool turns = ir::traits(node.op).result == ir::ResultRule::truth || node.op == ir::Op::select ||
                       (node.op >= ir::Op::min && node.op <= ir::Op::clamp);
    if (turns) std::ranges::for_each(node.operands, add);
  });
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

void draw_truths(ir::HostTensor& tensor, std::uint64_t seed, std::uint64_t turn) {
  Random random(seed);
  const std::int64_t count = tensor.size();
  const std::int64_t one = count == 0 ? 0 : static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(count)));
  const auto first = static_cast<std::int64_t>(random.below(2));
  const auto is_true = [&](std::int64_t i) {
    switch (turn % 8) {
      case 0: return random.below(2) != 0;
      case 1: return true;
      case 2: return i == one;
      case 3: return false;
      case 4: return random.below(8) == 0;
      case 5: return i % 2 == first;
      case 6: return i != one;
      default: return random.below(8) != 0;
    }
  };
  for (std::int64_t i = 0; i < count; ++i) tensor.set_bits(i, is_true(i) ? 1 : 0);
}

void draw_family(Family family, ir::HostTensor& tensor, std::uint64_t seed, const std::vector<mpq_class>& constants,
                 const frontend::RangeClause* range, std::uint64_t turn) {
  Random random(seed);
  if (tensor.scalar == ir::Scalar::boolean) return draw_truths(tensor, seed, random.bits());
  if (ir::is_integer(tensor.scalar)) return draw_words(family, tensor, random, constants, range);
  const ir::Format format = ir::format_of(tensor.scalar);
  const std::int64_t count = tensor.size();
  const auto place = [&] { return count == 0 ? 0 : static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(count))); };
  const int exponent = 3 + static_cast<int>(random.below(static_cast<std::uint64_t>(std::max(1, largest_exponent(format) - 2))));
  const double same = random.unit();
  const std::int64_t large_one = place();
  const std::uint64_t few = random.below(4);
  double before = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double unit = random.unit();
    std::uint64_t bits = numerics::round_f64(unit, format);
    switch (family) {
      case Family::unit: break;
      case Family::large: bits = numerics::round_f64(std::ldexp(unit, exponent), format); break;
      case Family::small: bits = numerics::round_f64(std::ldexp(unit, -exponent), format); break;
      case Family::integers: bits = numerics::round_f64(static_cast<double>(random.below(9)) - 4, format); break;
      case Family::equal:
        // The numbers are near each other, so that cancellation shows in, say, a variance.
        bits = numerics::round_f64(turn % 2 == 0 ? same : same + std::ldexp(unit, -4 - 3 * static_cast<int>(few)), format);
        break;
      case Family::zeros:
        if (turn % 2 == 0 || random.below(4) != 0) bits = random.below(2) != 0 ? numerics::sign_bit(format) : 0;
        break;
      case Family::one_large:
        if (i == large_one) bits = numerics::round_f64(std::ldexp(unit < 0 ? unit - 1 : unit + 1, largest_exponent(format)), format);
        break;
      case Family::cancelling:
        if (i % 2 == 1) {
          bits = numerics::round_f64(-before, format);
          if (few == 0) bits = neighbour(bits, format, random.below(2) != 0);
        }
        before = unit;
        break;
      case Family::constants:
        if (!constants.empty() && random.below(4) != 0) bits = near_constant(random, format, constants);
        break;
      case Family::extremes:
        // The first number of a tensor takes each extreme in turn.
        if (few == 0 || random.below(static_cast<std::uint64_t>(std::min<std::int64_t>(count, 4))) == 0) {
          bits = extreme(i == 0 ? turn : random.below(extremes_count), format);
        }
        break;
      case Family::patterns: bits = any_pattern(random, format); break;
      case Family::negative: bits |= numerics::sign_bit(format); break;
      case Family::positive: bits &= ~numerics::sign_bit(format); break;
      case Family::short_ones: bits = few_bits(random, format); break;
      case Family::mixed: break;  // the caller replaces it by another family
      case Family::endpoints: {
        const bool high = few < 2 ? same < 0 : random.below(2) != 0;
        if (range != nullptr && range->sign == 0) bits = numerics::round_rational(high ? range->high : range->low, format);
        else bits = numerics::round_f64(high ? 1 : -1, format);
        break;
      }
    }
    if (range != nullptr) {
      const auto value = numerics::exact_value(bits, format);
      if (range->sign != 0) {  // a condition: any number of that sign
        if (!value || *value == 0) bits = numerics::round_f64(std::fabs(same) + 0x1p-4, format);
        bits &= ~numerics::sign_bit(format);
        if (range->sign < 0) bits |= numerics::sign_bit(format);
      } else if (!value || *value < range->low || *value > range->high) {
        // A number of the range: an endpoint, or any number in it.
        const double chosen = family == Family::equal ? same : unit;  // Family::equal repeats one number here, too
        const mpq_class part = family != Family::equal && random.below(4) == 0
                                   ? mpq_class(static_cast<long>(random.below(2)))
                                   : mpq_class((chosen + 1) / 2);
        bits = numerics::round_rational(range->low + part * (range->high - range->low), format);
        const auto inside = numerics::exact_value(bits, format);
        if (!inside || *inside < range->low) bits = neighbour(bits, format, true);
        else if (*inside > range->high) bits = neighbour(bits, format, false);
      }
    }
    tensor.set_bits(i, bits);
  }
}

std::string families_text(const std::vector<Family>& families, const std::vector<mpq_class>& constants) {
  const auto has = [&](Family family) { return std::ranges::find(families, family) != families.end(); };
  std::vector<std::string> parts;
  if (has(Family::large) && has(Family::small)) parts.emplace_back("magnitudes 2^-20 to 2^20");
  else if (has(Family::small)) parts.emplace_back("magnitudes 2^-20 to 1");
  if (has(Family::integers)) parts.emplace_back("integers");
  if (has(Family::equal)) parts.emplace_back("equal");
  if (has(Family::zeros)) parts.emplace_back("zeros of both signs");
  if (has(Family::negative)) parts.emplace_back(has(Family::positive) ? "of one sign" : "negative");
  if (has(Family::short_ones)) parts.emplace_back("few bits");
  if (has(Family::one_large)) parts.emplace_back("one large");
  if (has(Family::cancelling)) parts.emplace_back("cancelling");
  if (has(Family::extremes)) parts.emplace_back("inf, nan, any finite bits");
  if (has(Family::constants) && !constants.empty()) {
    constexpr std::size_t most = 4;
    std::vector<std::string> named;
    for (const mpq_class& constant : constants) {
      if (named.size() == most) {
        named.emplace_back("...");
        break;
      }
      const std::string exact = numerics::rational_text(constant);
      named.push_back(exact.size() <= 8 ? exact : fmt::format("{:.4g}", constant.get_d()));
    }
    parts.push_back(fmt::format("near {}", fmt::join(named, ", ")));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace reckon::check
