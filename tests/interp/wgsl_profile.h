// The WGSL specification's accuracies (15.7.4) as a profile, for tests of the engine without
// stdlib/profiles/wgsl.rk.
#pragma once

#include "tests/interp/profiles.h"

namespace reckon::interp::testing {

inline void add_wgsl_rules(ProfileBuilder& builder, Scalar scalar) {
  using enum Accuracy::Kind;
  const bool half = scalar == Scalar::f16;
  const int bias = half ? 15 : 127;
  const mpq_class normal = power_of_two(1 - bias), divisor = power_of_two(half ? 14 : 126);
  const ir::Literal largest = number(half ? mpq_class(65504) : power_of_two(128) - power_of_two(104));
  const auto positive = [&] { return domain(0, number(power_of_two(half ? -24 : -149)), largest); };
  const auto one_of = [](std::vector<ir::Piece> pieces) { return ir::Choice{std::move(pieces)}; };
  ir::Literal pi = number(1), minus_pi = number(-1);
  pi.kind = minus_pi.kind = ir::Literal::Kind::real;
  pi.constant = minus_pi.constant = ir::RealConstant::pi;

  for (const Op op : {Op::add, Op::sub, Op::mul}) builder.rule(op, scalar, {piece(rounded)});
  builder.rule(Op::div, scalar,
               {piece(ulps, constant(mpq_class(5, 2)), {domain(1, number(normal), number(divisor), true)})});
  builder.inherit(Op::rem, scalar,
                  [](const Build& b) { return b.sub(b[0], b.mul(b[1], b.of(Op::trunc, b.div(b[0], b[1])))); });
  builder.inherit(Op::fma, scalar, [](const Build& b) { return b.add(b.mul(b[0], b[1]), b[2]); });
  builder.rule(Op::rsqrt, scalar, {piece(ulps, constant(2), {positive()})});
  builder.inherit(Op::sqrt, scalar, [](const Build& b) { return b.div(b.literal(1), b.of(Op::rsqrt, b[0])); });
  for (const Op op : {Op::exp, Op::exp2}) builder.rule(op, scalar, {piece(ulps, linear(half ? 1 : 3, 2))});
  for (const Op op : {Op::log, Op::log2}) {
    builder.rule(
        op, scalar,
        {piece(absolute, constant(power_of_two(half ? -7 : -21)), {domain(0, number(mpq_class(1, 2)), number(2))}),
         piece(ulps, constant(3), {positive()})});
  }
  builder.inherit(Op::pow, scalar, [](const Build& b) { return b.of(Op::exp2, b.mul(b[1], b.of(Op::log2, b[0]))); });
  for (const Op op : {Op::sin, Op::cos})
    builder.rule(op, scalar, {piece(absolute, constant(power_of_two(half ? -7 : -11)), {domain(0, minus_pi, pi)})});
  builder.inherit(Op::tan, scalar, [](const Build& b) { return b.div(b.of(Op::sin, b[0]), b.of(Op::cos, b[0])); });
  builder.rule(Op::atan, scalar, {piece(ulps, constant(half ? 5 : 4096))});
  builder.rule(Op::atan2, scalar,
               {piece(ulps, constant(half ? 5 : 4096),
                      {domain(0, number(normal), largest, true), domain(1, number(normal), number(divisor), true)})});
  // 1 - x^2
  const auto rest = [](const Build& b) { return b.of(Op::sqrt, b.sub(b.literal(1), b.mul(b[0], b[0]))); };
  const auto unit = [&] { return domain(0, number(-1), number(1)); };
  const std::string acos = builder.circuit("acos", scalar, 1, [&](const Build& b) {
    return b(Op::atan2, {rest(b), b[0]});
  });
  const std::string asin = builder.circuit("asin", scalar, 1, [&](const Build& b) {
    return b(Op::atan2, {b[0], rest(b)});
  });
  const mpq_class half_error(391, 100000);
  builder.rule("acos", scalar,
               {one_of({named(circuit, acos, {unit()})}),
                one_of({piece(absolute, constant(half ? half_error : mpq_class(677, 10000000)), {unit()})})},
               true);
  builder.rule("asin", scalar,
               {one_of({named(circuit, asin, {unit()})}),
                one_of({piece(absolute, constant(half ? half_error : mpq_class(681, 10000000)), {unit()})})},
               true);
  const auto twice = [](const Build& b, Op op) {
    return b.mul(b(op, {b.of(Op::exp, b[0]), b.of(Op::exp, b.of(Op::neg, b[0]))}), b.literal(mpq_class(1, 2)));
  };
  builder.inherit(Op::sinh, scalar, [&](const Build& b) { return twice(b, Op::sub); });
  builder.inherit(Op::cosh, scalar, [&](const Build& b) { return twice(b, Op::add); });
  const std::string tanh = builder.circuit("tanh", scalar, 1, [](const Build& b) {
    return b.div(b.of(Op::sinh, b[0]), b.of(Op::cosh, b[0]));
  });
  builder.rule("tanh", scalar,
               {one_of({named(circuit, tanh)}), one_of({piece(absolute, constant(mpq_class(1, 100000)))})}, true);
  builder.inherit(Op::asinh, scalar, [](const Build& b) {
    return b.of(Op::log, b.add(b[0], b.of(Op::sqrt, b.add(b.mul(b[0], b[0]), b.literal(1)))));
  });
  const std::string primary = builder.circuit("acoshPrimary", scalar, 1, [](const Build& b) {
    return b.of(Op::log, b.add(b[0], b.of(Op::sqrt, b.sub(b.mul(b[0], b[0]), b.literal(1)))));
  });
  const std::string other = builder.circuit("acoshAlternative", scalar, 1, [](const Build& b) {
    const NodeId one = b.literal(1);
    return b.of(Op::log, b.add(b[0], b.of(Op::sqrt, b.mul(b.add(b[0], one), b.sub(b[0], one)))));
  });
  builder.rule("acosh", scalar, {one_of({named(circuit, primary)}), one_of({named(circuit, other)})});
  builder.inherit(Op::atanh, scalar, [](const Build& b) {
    const NodeId one = b.literal(1);
    return b.mul(b.of(Op::log, b.div(b.add(one, b[0]), b.sub(one, b[0]))), b.literal(mpq_class(1, 2)));
  });
}

/// `endpoints_only`: the suite's own rule.
inline std::shared_ptr<const ir::Profile> wgsl_profile(bool endpoints_only) {
  using enum Accuracy::Kind;
  ProfileBuilder builder;
  builder.profile->name = endpoints_only ? "wgsl_suite" : "wgsl";
  builder.profile->formats = {Scalar::f32, Scalar::f16, Scalar::f64};
  builder.profile->flush_inputs = builder.profile->flush_outputs = ir::Profile::Flush::may;
  builder.profile->overflow = ir::Profile::Overflow::indeterminate;
  builder.profile->endpoints_only = endpoints_only;
  for (const Scalar scalar : builder.profile->formats) {
    for (const char* name : {"fract", "quantizeToF16"}) builder.rule(name, scalar, {{{named(primitive, name)}}});
    for (const char* name : {"transpose", "modf", "ldexp", "faceForward", "refract"})
      builder.rule(name, scalar, {{{named(primitive, name)}}});
    const std::string minmax = builder.circuit("clampMinMax", scalar, 3, [](const Build& b) {
      return b(Op::min, {b(Op::max, {b[0], b[1]}), b[2]});
    });
    builder.rule("clamp", scalar, {{{named(primitive, "clampMedian")}}, {{named(circuit, minmax)}}});
    // The alternatives by themselves, for the suite's rows.
    builder.rule("clampMedian", scalar, {{{named(primitive, "clampMedian")}}});
    builder.rule("clampMinMax", scalar, {{{named(circuit, minmax)}}});
  }
  add_wgsl_rules(builder, Scalar::f32);
  add_wgsl_rules(builder, Scalar::f16);
  for (const Scalar scalar : {Scalar::f32, Scalar::f16}) {
    builder.rule("acoshPrimary", scalar,
                 {{{named(circuit, std::string("acoshPrimary.") + std::string(ir::scalar_name(scalar)))}}});
    builder.rule("acoshAlternative", scalar,
                 {{{named(circuit, std::string("acoshAlternative.") + std::string(ir::scalar_name(scalar)))}}});
  }
  for (const Op op : {Op::add, Op::sub, Op::mul}) builder.rule(op, Scalar::f64, {piece(rounded)});
  return builder.done();
}

}  // namespace reckon::interp::testing
