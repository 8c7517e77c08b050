#include "worst/witness.h"

#include <mpfr.h>

#include <algorithm>

#include "interp/algebra/real_constant.h"
#include "ir/function_of.h"
#include "numerics/elementary.h"
#include "numerics/exact_sum.h"
#include "numerics/split_mix.h"
#include "worst/rounding.h"

namespace reckon::worst {

using ir::Op;
using numerics::Function;

namespace {

/// Of the reals: five times what f64 has, so that cancellation leaves enough.
constexpr mpfr_prec_t precision = 280;
/// Of exact sums: all bits of products of any f64s.
constexpr mpfr_prec_t exact_precision = 4400;

std::uint64_t bits_of(double value, Format format) { return numerics::round_f64(value, format); }
numerics::WideFloat wide(mpfr_srcptr value) {
  return numerics::WideFloat::rounded(precision, numerics::Toward::below,
                                      [&](mpfr_ptr to, mpfr_rnd_t) { mpfr_set(to, value, MPFR_RNDN); });
}
double unit(std::uint64_t& state) { return static_cast<double>(numerics::split_mix(state) >> 11) * 0x1p-53; }

}  // namespace

struct Sampler::Reals {
  std::vector<mpfr_t> values;  // NOLINT: MPFR's numbers are arrays
  std::vector<mpfr_t> exact;   ///< floats that no double holds, by their nodes; NOLINT: as above
  mpfr_t difference;

  Reals(std::size_t count, bool has_exact) : values(count), exact(has_exact ? count : 0) {
    for (auto& value : values) mpfr_init2(value, precision);
    for (auto& value : exact) mpfr_init2(value, exact_precision);
    mpfr_init2(difference, precision);
  }
  Reals(const Reals&) = delete;
  ~Reals() {
    for (auto& value : values) mpfr_clear(value);
    for (auto& value : exact) mpfr_clear(value);
    mpfr_clear(difference);
    mpfr_free_cache();
  }
};

Sampler::Sampler(const Circuit& circuit, NodeNumber output, const Question& question)
    : circuit_(circuit),
      output_(output),
      question_(question),
      formats_(circuit.input_count(), Format::f64),
      floats_(circuit.nodes().size()),
      reals_(std::make_unique<Reals>(circuit.nodes().size(), std::ranges::any_of(circuit.nodes(), [](const Node& node) {
                                       return node.kind == Kind::exact;
                                     }))) {
  for (std::size_t k = 0; k < circuit.nodes().size(); ++k) {
    const Node& node = circuit.nodes()[k];
    if (node.kind == Kind::input) formats_[node.first] = node.format;
    if (node.kind != Kind::constant) continue;
    const Constant& constant = circuit.constant_of(node);
    mpfr_ptr value = reals_->values[k];
    if (const auto named = interp::real_constant(constant.named)) {
      const auto near = numerics::wide_real(constant.real, *named, precision, numerics::Toward::below);
      mpfr_set(value, near.get(), MPFR_RNDN);
    } else {
      mpfr_set_q(value, constant.real.get_mpq_t(), MPFR_RNDN);
    }
    floats_[k] = constant.rounded;
  }
}

Sampler::~Sampler() = default;

bool Sampler::float_value(const Node& node, double& out) const {
  const double a = floats_[node.first], b = floats_[node.second];
  const Format format = node.format;
  if (node.kind == Kind::difference) return true;
  if (node.kind == Kind::exact) return exact_value(node, out);
  if (node.kind == Kind::block) {
    out = block_value(node);
    return std::isfinite(out);
  }
  if (node.kind == Kind::flushed) {
    out = flushed(a, format);
    return std::isfinite(a);
  }
  if (node.kind == Kind::residual) {
    // Knuth, TAOCP 2, 4.2.2, in f64; of narrower formats the sum in f64 is rounded once more.
    const double x = floats_[circuit_[node.first].first], y = floats_[circuit_[node.first].second];
    const double sum = x + y, part = sum - x;
    out = (sum - a) + ((x - (sum - part)) + (y - part));
    return true;
  }
  switch (node.op) {
    case Op::neg: out = -a; break;
    case Op::abs: out = std::fabs(a); break;
    case Op::min:
    case Op::minnum: out = b < a ? b : a; break;
    case Op::max:
    case Op::maxnum: out = a < b ? b : a; break;
    case Op::sign: out = a < 0 ? -1 : a > 0 ? 1 : 0; break;
    case Op::copysign: out = std::copysign(a, b); break;
    case Op::floor: out = std::floor(a); break;
    case Op::ceil: out = std::ceil(a); break;
    case Op::trunc: out = std::trunc(a); break;
    case Op::round: out = std::nearbyint(a); break;
    case Op::rem: out = std::fmod(a, b); break;
    case Op::select: out = holds(node.third, false) ? a : b; break;
    default: return rounded_value(node, out) && std::isfinite(out);
  }
  return std::isfinite(out);
}

/// Of an operation that rounds.
bool Sampler::rounded_value(const Node& node, double& out) const {
  const double a = floats_[node.first], b = floats_[node.second];
  const Format format = node.format;
  const numerics::Rounding way = circuit_.mode().rounding;
  const bool to_nearest = way == numerics::Rounding::nearest_even;
  const auto found = [&](std::uint64_t bits) {
    out = numerics::widen(bits, format);
    return true;
  };
  // The product of the first two and the third, rounded once.
  const auto fused = [&](double x, double y, double z) {
    return found(numerics::mpfr_fma(bits_of(x, format), bits_of(y, format), bits_of(z, format), format, way));
  };
  if (const auto f = ir::function_of(node.op); f && (node.op != Op::sqrt || !to_nearest))
    return found(numerics::mpfr_unary(*f, bits_of(a, format), format, way));
  if (const auto f = ir::binary_function_of(node.op))
    return found(numerics::mpfr_binary(*f, bits_of(a, format), bits_of(b, format), format, way));
  switch (node.op) {
    case Op::convert:
      if (circuit_[node.first].kind == Kind::exact) {
        mpq_class exact;
        mpfr_get_q(exact.get_mpq_t(), reals_->exact[node.first]);
        return found(numerics::round_rational(exact, format, way));
      }
      return found(numerics::round_f64(a, format, way));
    case Op::fma:
      if (!to_nearest || format != Format::f64) return fused(a, b, floats_[node.third]);
      out = std::fma(a, b, floats_[node.third]);
      return true;
    case Op::sqrt: out = nearest(std::sqrt(a), format); return a >= 0;
    case Op::add: out = nearest(a + b, format); return to_nearest || fused(a, 1, b);
    case Op::sub: out = nearest(a - b, format); return to_nearest || fused(a, 1, -b);
    case Op::mul: out = nearest(a * b, format); return to_nearest || fused(a, b, 0);
    case Op::div:
      if (b == 0) return false;
      out = nearest(a / b, format);
      return to_nearest || !std::isfinite(a) || !std::isfinite(b) ||
             found(numerics::round_rational(mpq_class(a) / mpq_class(b), format, way));
    default: return false;
  }
}

/// The sum or product of floats; `out` is near it.
bool Sampler::exact_value(const Node& node, double& out) const {
  mpfr_t operands[2];
  const NodeNumber numbers[] = {node.first, node.second};
  for (int k = 0; k < 2; ++k) {
    mpfr_init2(operands[k], exact_precision);
    if (circuit_[numbers[k]].kind == Kind::exact) mpfr_set(operands[k], reals_->exact[numbers[k]], MPFR_RNDN);
    else mpfr_set_d(operands[k], floats_[numbers[k]], MPFR_RNDN);
  }
  mpfr_ptr exact = reals_->exact[static_cast<std::size_t>(&node - circuit_.nodes().data())];
  const int ternary = node.op == Op::mul   ? mpfr_mul(exact, operands[0], operands[1], MPFR_RNDN)
                      : node.op == Op::add ? mpfr_add(exact, operands[0], operands[1], MPFR_RNDN)
                      : node.op == Op::abs ? mpfr_abs(exact, operands[0], MPFR_RNDN)
                                           : mpfr_max(exact, operands[0], operands[1], MPFR_RNDN);
  for (auto& operand : operands) mpfr_clear(operand);
  out = mpfr_get_d(exact, MPFR_RNDN);
  return ternary == 0 && std::isfinite(out);
}

/// What the accumulator gives for the floats of its terms.
double Sampler::block_value(const Node& node) const {
  const Block& block = circuit_.block_of(node);
  const std::vector<NodeNumber>& terms = *block.terms;
  const Format format = node.format;
  switch (block.rule) {
    case Block::Rule::mma: {
      std::vector<double> x, y;
      for (std::size_t k = 1; k < block.count; k += 2)
        x.push_back(floats_[terms[k]]), y.push_back(floats_[terms[k + 1]]);
      return numerics::mma_node(*block.unit, floats_[terms[0]], x, y);
    }
    case Block::Rule::binned: {
      numerics::BinnedSum sum;
      for (std::size_t k = 0; k < block.count; ++k) sum.measure(floats_[terms[k]]);
      for (std::size_t k = 0; k < block.count; ++k)
        sum.add(floats_[terms[k]], numerics::bin_width(format), block.folds);
      return numerics::widen(sum.round(format, circuit_.mode().rounding), format);
    }
    case Block::Rule::kahan: {
      double sum = floats_[terms[0]], rest = 0;
      for (std::size_t k = 1; k < block.count; ++k) {
        const double x = nearest(floats_[terms[k]] - rest, format), next = nearest(sum + x, format);
        rest = nearest(nearest(next - sum, format) - x, format);
        sum = next;
      }
      return sum;
    }
    case Block::Rule::any_order: {
      double sum = floats_[terms[0]];
      for (std::size_t k = 1; k < block.count; ++k) sum = nearest(sum + floats_[terms[k]], format);
      return sum;
    }
  }
  return 0;
}

bool Sampler::holds(std::uint32_t number, bool of_reals) const {
  const Condition& condition = circuit_.condition_of(number);
  if (!condition.compares()) {
    const bool left = holds(condition.left, of_reals);
    if (condition.op == Op::logical_not) return !left;
    const bool right = holds(condition.right, of_reals);
    return condition.op == Op::logical_and ? left && right : left || right;
  }
  int order = 0;
  if (of_reals) {
    order = mpfr_cmp(reals_->values[condition.left], reals_->values[condition.right]);
  } else {
    const double a = floats_[condition.left], b = floats_[condition.right];
    order = a < b ? -1 : a > b ? 1 : 0;
  }
  switch (condition.op) {
    case Op::less: return order < 0;
    case Op::less_equal: return order <= 0;
    case Op::equal: return order == 0;
    default: return order != 0;
  }
}

Sample Sampler::at(const Point& point) {
  Sample out;
  auto& x = reals_->values;
  const auto count = static_cast<NodeNumber>(question_.conditions.empty() ? output_ + 1 : circuit_.nodes().size());
  for (NodeNumber k = 0; k < count; ++k) {
    const Node& node = circuit_[k];
    if (node.kind == Kind::constant) continue;
    mpfr_ptr r = x[k];
    if (node.kind == Kind::input) {
      floats_[k] = point.floats[node.first];
      mpfr_set_d(r, floats_[k], MPFR_RNDN);
      mpfr_add_d(r, r, point.offsets[node.first], MPFR_RNDN);
      continue;
    }
    // A branch that is not taken may have no value.
    if (!float_value(node, floats_[k])) {
      if (!circuit_.has_conditions()) return out;
      floats_[k] = std::nan("");
    }
    mpfr_srcptr a = x[node.first], b = x[node.second];
    if (node.kind == Kind::residual) {
      mpfr_set_zero(r, 1);
    } else if (node.kind == Kind::block || node.kind == Kind::flushed) {
      mpfr_set(r, a, MPFR_RNDN);
    } else if (node.kind == Kind::difference) {
      floats_[k] = 0;
      mpfr_sub(r, a, b, MPFR_RNDN);
    } else if (const auto f = ir::function_of(node.op); f && node.op != Op::sqrt) {
      // MPFR's macros evaluate their arguments in statements of their own.
      const auto value = numerics::wide_function(*f, precision, numerics::Toward::below, wide(a));
      mpfr_set(r, value.get(), MPFR_RNDN);
    } else if (const auto two = ir::binary_function_of(node.op)) {
      const auto value = numerics::wide_function(*two, precision, numerics::Toward::below, wide(a), wide(b));
      mpfr_set(r, value.get(), MPFR_RNDN);
    } else {
      switch (node.op) {
        case Op::add: mpfr_add(r, a, b, MPFR_RNDN); break;
        case Op::sub: mpfr_sub(r, a, b, MPFR_RNDN); break;
        case Op::mul: mpfr_mul(r, a, b, MPFR_RNDN); break;
        case Op::div: mpfr_div(r, a, b, MPFR_RNDN); break;
        case Op::sqrt: mpfr_sqrt(r, a, MPFR_RNDN); break;
        case Op::fma: mpfr_fma(r, a, b, x[node.third], MPFR_RNDN); break;
        case Op::neg: mpfr_neg(r, a, MPFR_RNDN); break;
        case Op::abs: mpfr_abs(r, a, MPFR_RNDN); break;
        case Op::min:
        case Op::minnum: mpfr_min(r, a, b, MPFR_RNDN); break;
        case Op::max:
        case Op::maxnum: mpfr_max(r, a, b, MPFR_RNDN); break;
        case Op::convert: mpfr_set(r, a, MPFR_RNDN); break;
        case Op::sign: mpfr_set_si(r, mpfr_sgn(a), MPFR_RNDN); break;
        case Op::copysign: mpfr_setsign(r, a, mpfr_sgn(b) < 0 ? 1 : 0, MPFR_RNDN); break;
        case Op::floor: mpfr_floor(r, a); break;
        case Op::ceil: mpfr_ceil(r, a); break;
        case Op::trunc: mpfr_trunc(r, a); break;
        case Op::round: mpfr_roundeven(r, a); break;
        case Op::rem: mpfr_fmod(r, a, b, MPFR_RNDN); break;
        case Op::select: mpfr_set(r, holds(node.third, true) ? a : b, MPFR_RNDN); break;
        default: return out;
      }
    }
    if (mpfr_zero_p(r) != 0) mpfr_set_zero(r, 1);  // the zero of the reals has no sign
    if (mpfr_number_p(r) == 0 && !circuit_.has_conditions()) return out;
  }
  for (const std::uint32_t condition : question_.conditions) {
    if (!holds(condition, true)) return out;
  }
  if (mpfr_number_p(x[output_]) == 0 || std::isnan(floats_[output_])) return out;
  out.valid = true;
  const Node& last = circuit_[output_];
  out.real = mpfr_get_d(x[output_], MPFR_RNDN);
  if (last.kind == Kind::difference) {
    // Two floats may differ by what no f64 is.
    mpfr_set_d(reals_->difference, floats_[last.first], MPFR_RNDN);
    mpfr_sub_d(reals_->difference, reals_->difference, floats_[last.second], MPFR_RNDN);
    out.result = mpfr_get_d(reals_->difference, MPFR_RNDN);
  } else {
    out.result = floats_[output_];
    mpfr_set_d(reals_->difference, out.result, MPFR_RNDN);
  }
  if (!question_.with_value) mpfr_sub(reals_->difference, reals_->difference, x[output_], MPFR_RNDN);
  out.error = std::fabs(mpfr_get_d(reals_->difference, MPFR_RNDN));
  return out;
}

Point Sampler::draw(const Box& box, std::uint64_t& random) const {
  Point out;
  for (std::size_t j = 0; j < box.size(); ++j) {
    const Interval& range = box[j];
    const Format format = formats_[j];
    const double width = range.high - range.low;
    double value = range.low + width * unit(random);
    const std::uint64_t kind = numerics::split_mix(random) % 16;
    // Of nearly all numbers of f64, any magnitude.
    if (!std::isfinite(width)) value = std::ldexp(2 * unit(random) - 1, 1024 - static_cast<int>(kind * 67));
    if (kind == 0) value = range.low;
    if (kind == 1) value = range.high;
    // Magnitudes below the range's own, where it reaches to 0.
    if (kind == 2 && mignitude(range) == 0)
      value = std::ldexp(value, -static_cast<int>(numerics::split_mix(random) % 30));
    value = nearest(std::clamp(value, range.low, range.high), format);
    const double place = power_of_two(last_place(std::fabs(value), format));
    if (value > range.high) value = nearest(value - place, format);
    if (value < range.low) value = nearest(value + place, format);
    double offset = 0;
    if (question_.inputs == Inputs::reals && !is_point(range)) {
      // Near the middle between two floats, mostly, or near the next float. Below a power of two floats lie closer.
      const double place = power_of_two(last_place(std::nextafter(std::fabs(value), 0.0), format));
      const double part = numerics::split_mix(random) % 4 == 0 ? unit(random) : 1 - 0x1p-20;
      const double side = numerics::split_mix(random) % 2 == 0 ? 1 : -1;
      switch (circuit_.mode().rounding) {
        case numerics::Rounding::nearest_even: offset = place / 2 * part * side; break;
        case numerics::Rounding::toward_zero: offset = value < 0 ? -place * part : place * part; break;
        case numerics::Rounding::upward: offset = -place * part; break;
        case numerics::Rounding::downward: offset = place * part; break;
      }
      if (!(value + offset <= range.high) || !(value + offset >= range.low)) offset = 0;
      if (std::fabs(value) == range.high || value == range.low || value == range.high) offset = 0;
    }
    out.floats.push_back(value);
    out.offsets.push_back(offset);
  }
  return out;
}

Witness find_witness(Sampler& sampler, const Box& inputs, const Box& where, std::size_t evaluations, bool relative,
                     std::uint64_t seed) {
  struct Tried {
    double score = -1;
    Point point;
    Sample sample;
  };
  constexpr std::size_t kept = 8;
  std::vector<Tried> best;
  std::uint64_t random = seed;
  Witness out;
  const auto attempt = [&](const Box& box) {
    Tried now;
    now.point = sampler.draw(box, random);
    now.sample = sampler.at(now.point);
    if (!now.sample.valid) return;
    now.score = !relative ? now.sample.error : now.sample.real == 0 ? 0 : now.sample.error / std::fabs(now.sample.real);
    if (best.size() == kept && now.score <= best.back().score) return;
    const auto at = std::find_if(best.begin(), best.end(), [&](const Tried& each) { return now.score > each.score; });
    best.insert(at, std::move(now));
    if (best.size() > kept) best.pop_back();
  };
  for (std::size_t k = 0; k < evaluations / 2; ++k) attempt(k % 2 == 0 ? inputs : where);
  for (std::size_t k = evaluations / 2; k < evaluations && !best.empty(); ++k) {
    const Point& centre = best[numerics::split_mix(random) % best.size()].point;
    Box near = inputs;
    // Ever closer: from a tenth of the ranges to some last places.
    const double share = 0.1 * std::exp2(-30 * unit(random));
    for (std::size_t j = 0; j < near.size(); ++j) {
      const double reach = (inputs[j].high - inputs[j].low) * share;
      if (numerics::split_mix(random) % 3 == 0)
        near[j] = {std::max(inputs[j].low, centre.floats[j]), std::min(inputs[j].high, centre.floats[j])};
      else
        near[j] = {std::max(inputs[j].low, centre.floats[j] - reach),
                   std::min(inputs[j].high, centre.floats[j] + reach)};
      if (near[j].low > near[j].high) near[j] = inputs[j];
    }
    attempt(near);
  }
  if (!best.empty()) {
    out.point = best.front().point;
    out.sample = best.front().sample;
  }
  return out;
}

}  // namespace reckon::worst
