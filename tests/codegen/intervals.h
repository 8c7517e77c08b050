// Circuits under `interval`, compiled for the host beside the interpreter's answer: hostile operands, every operation, every
// schedule.
#pragma once

#include <cstring>
#include <limits>

#include "driver/prepare.h"
#include "ir/op.h"
#include "semantics/standard.h"
#include "tests/codegen/program.h"

namespace reckon::codegen::testing {

inline constexpr double infinity = std::numeric_limits<double>::infinity(), largest = std::numeric_limits<double>::max();
inline constexpr double tiniest = std::numeric_limits<double>::denorm_min();

struct Flavour {
  const char* name;
  const CompiledSemantics* semantics;
  Scalar endpoints;
};
inline const Flavour flavours[] = {{"interval", &interval_code(), Scalar::f64},
                                   {"interval(f32)", &interval_f32_code(), Scalar::f32}};
inline const Flavour& wide = flavours[0];

inline CompileOptions interval_host(const Flavour& flavour = wide) { return host(flavour.semantics); }

/// -0 becomes 0: there is one zero.
inline void unsign_zeros(std::vector<HostTensor>& tensors) {
  for (HostTensor& tensor : tensors) {
    if (tensor.scalar == Scalar::boolean) continue;
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
      if (tensor.bits(i) == numerics::sign_bit(ir::format_of(tensor.scalar))) tensor.set_bits(i, 0);
    }
  }
}

using Outcome = Expected<std::vector<HostTensor>>;

inline std::unique_ptr<interp::Semantics> semantics_of(const Flavour& flavour) {
  std::vector<interp::SemanticsArgument> arguments;
  if (flavour.endpoints == Scalar::f32) arguments.push_back({"f32"});
  auto made = interp::make_semantics("interval", arguments, {});
  REQUIRE(made);
  return std::move(*made);
}

/// The code that users get, for these sizes, or, without them, for every size (driver::for_code).
inline Compiled compiled_at(Circuit& circuit, const ir::Dimensions& sizes, const Flavour& flavour) {
  const auto function = driver::for_code(circuit.module, circuit.function, sizes, semantics_of(flavour)->traits());
  REQUIRE(function);
  auto compiled = compile(circuit.module, *function, interval_host(flavour));
  REQUIRE(compiled);
  return std::move(*compiled);
}

inline Outcome interpreted(Circuit& circuit, const std::vector<HostTensor>& arguments, const Flavour& flavour = wide) {
  const auto meaning = semantics_of(flavour);
  auto results = circuit.run(*meaning, {arguments.begin(), arguments.end()});
  if (!results) return results.error();
  std::vector<HostTensor> out;
  for (const interp::Values& value : *results) {
    Buffer like;
    like.scalar = value.scalar();
    like.words = flavour.semantics->words();
    out.push_back(tensor_of(like, value.shape()));
    std::memcpy(out.back().bytes.data(), value.data(), out.back().bytes.size());
  }
  unsign_zeros(out);
  return out;
}

inline Outcome compiled_for_host(Circuit& circuit, const Compiled& compiled, const std::vector<HostTensor>& arguments) {
  std::vector<std::vector<std::int64_t>> shapes;
  for (const HostTensor& argument : arguments) shapes.push_back(argument.shape);
  auto sizes = ir::bind_dimensions(circuit.module, circuit.function, shapes);
  REQUIRE(sizes);
  auto results = run_host(circuit.module, circuit.function, compiled, arguments, *sizes, interp::generate);
  if (results) unsign_zeros(*results);
  return results;
}

/// In words, what is different; empty if nothing is.
inline std::string difference(const Outcome& actual, const Outcome& expected) {
  if (actual && expected) return testing::difference(*actual, *expected);
  if (actual) return "a result instead of: " + expected.error().message;
  if (expected) return "a fault instead of a result: " + actual.error().message;
  const Diagnostic &a = actual.error(), &b = expected.error();
  const bool same = a.code == b.code && a.message == b.message && a.primary.span == b.primary.span && a.helps == b.helps;
  return same ? "" : "`" + a.message + "` instead of `" + b.message + "`, or at another place";
}

/// Whether some element of a result is an empty interval.
inline bool has_empty(const std::vector<HostTensor>& results) {
  for (const HostTensor& tensor : results) {
    for (std::int64_t i = 0; ir::is_float(tensor.scalar) && i < tensor.size(); ++i) {
      if (numerics::is_nan(tensor.bits(i), ir::format_of(tensor.scalar))) return true;
    }
  }
  return false;
}

inline std::string difference(Circuit& circuit, const Compiled& compiled, const std::vector<HostTensor>& arguments,
                       const Flavour& flavour = wide) {
  return difference(compiled_for_host(circuit, compiled, arguments), interpreted(circuit, arguments, flavour));
}

/// Endpoints of every size and sign: zeros, subnormal, next to overflow, infinite, few bits and many.
inline double hostile(Random& random) {
  static constexpr double edges[] = {0,         -0.0,           tiniest,   -tiniest, 0x1p-1022, -0x1p-1022, largest, -largest,
                                     infinity,  -infinity,      1,         -1,       0.5,       3,          0x1p-538, 0x1.8p-537,
                                     0x1p+511,  -0x1.4p+512,    0x1p+1023, 0x1p+52,  1.5,       -2.5,       1. / 3,   0x1.fffffp-969};
  const std::uint64_t kind = random.below(8);
  if (kind == 0) return edges[random.below(std::size(edges))];
  std::uint64_t mantissa = random.word() >> 12;
  if (kind < 4) mantissa &= ~std::uint64_t{0} << (20 + random.below(33));
  const std::uint64_t narrow = 1023 - 150 + random.below(300);  // about f32's range
  const std::uint64_t exponent = kind == 6 ? narrow : kind % 2 == 0 ? random.below(2047) : 1023 - 30 + random.below(61);
  return std::bit_cast<double>((random.word() & (std::uint64_t{1} << 63)) | exponent << 52 | mantissa);
}

/// `op` on three intervals, each the hull of two parameters' elements, for every element.
struct Operation : Circuit {
  explicit Operation(Op op) : op(op) {
    const IndexId n = dimension("n");
    for (const char* name : {"a", "b", "c", "d", "e", "f"}) endpoints.push_back(parameter(name, Scalar::f64, {n}));
    const NodeId third = module.apply(Op::div, {module.rational(1, Scalar::f64), parameter("three", Scalar::f64)});
    const NodeId around_zero = module.apply(Op::sub, {third, module.rational(mpq_class(1, 3), Scalar::f64)});
    const NodeId unknown = module.apply(Op::less, {around_zero, module.rational(0, Scalar::f64)});
    result(map({n}, [&](const std::vector<VariableId>& i) {
      std::vector<NodeId> operands;
      for (int k = 0; k < ir::traits(op).arity; ++k) {
        const auto end = [&](int which) {
          return module.element(endpoints[static_cast<std::size_t>(2 * k + which)], {at(i[0])});
        };
        operands.push_back(module.apply(Op::select, {unknown, end(0), end(1)}));
      }
      return module.apply(op, operands);
    }));
  }
  std::vector<HostTensor> arguments(Random& random, std::int64_t n) {
    std::vector<HostTensor> out(6, HostTensor(Scalar::f64, {n}));
    const auto set = [&](int k, std::int64_t i, double value) {
      out[static_cast<std::size_t>(k)].set_bits(i, std::bit_cast<std::uint64_t>(value));
    };
    for (std::int64_t i = 0; i < n; ++i) {
      for (int k = 0; k < 6; k += 2) {
        double low = hostile(random), high = random.below(3) ? hostile(random) : low;
        if (std::isfinite(low) && random.below(6) == 0) high = std::nextafter(low, infinity);
        to_ordinary(random, k, low, high);
        // Faults have a test of their own.
        if (k == 0) into_domain(low, high);
        if (k == 2 && (op == Op::div || op == Op::rem || op == Op::atan2) && low == 0 && high == 0) {
          high = random.below(2) ? 7 : -tiniest;
        }
        // A negative base needs an integer as its exponent, 0 one that is not negative.
        if (k == 2 && op == Op::pow && !(value(0, i, out) > 0) && !(value(1, i, out) > 0))
          low = std::trunc(std::fabs(low));
        if (k == 2 && op == Op::rootn) {  // one degree, an odd one of what is not positive, and none of a pole alone
          const bool positive = value(1, i, out) > 0;
          low = positive ? 1 + static_cast<double>(random.below(12)) : 1 + 2 * static_cast<double>(random.below(6));
          if (random.below(2) && (value(0, i, out) != 0 || value(1, i, out) != 0)) low = -low;
          high = low;
        }
        set(k, i, low);
        set(k + 1, i, high);
      }
      if (op == Op::fma && random.below(2)) {  // an addend that cancels the product of two ends, or nearly
        const double product = std::bit_cast<double>(out[0].bits(i)) * std::bit_cast<double>(out[2].bits(i));
        if (std::isfinite(product)) set(4 + static_cast<int>(random.below(2)), i, -product);
      }
    }
    HostTensor three(Scalar::f64, {});
    three.set_bits(0, std::bit_cast<std::uint64_t>(3.0));
    out.push_back(three);
    return out;
  }
  Op op;
  std::vector<NodeId> endpoints;

 private:
  static double value(int k, std::int64_t i, const std::vector<HostTensor>& from) {
    return std::bit_cast<double>(from[static_cast<std::size_t>(k)].bits(i));
  }
  /// Mostly, where the functions are neither constant nor infinite.
  void to_ordinary(Random& random, int k, double& low, double& high) const {
    double range = 0;
    switch (op) {
      case Op::exp:
      case Op::exp2:
      case Op::expm1:
      case Op::sinh:
      case Op::cosh: range = random.below(2) ? 1100 : 130; break;
      case Op::sin:
      case Op::cos:
      case Op::tan: range = 100; break;
      case Op::sinpi:
      case Op::cospi:
      case Op::tanpi: range = 30; break;
      case Op::erfc: range = 30; break;
      case Op::gamma:
      case Op::lgamma: range = 12; break;
      case Op::asin:
      case Op::acos:
      case Op::atanh: range = 1.0625; break;
      case Op::erf:
      case Op::tanh: range = 9; break;
      case Op::pow: range = k == 0 ? 10 : 50; break;
      default: return;
    }
    if (!std::isfinite(low) || !std::isfinite(high) || random.below(8) == 0) return;
    low = std::fmod(low, range), high = std::fmod(high, range);
    const bool half_turns = op == Op::sinpi || op == Op::cospi || op == Op::tanpi;
    const bool has_poles = op == Op::gamma || op == Op::lgamma || op == Op::tanpi;
    if ((has_poles || half_turns) && random.below(3) == 0) low = std::nearbyint(2 * low) / 2;
    if (half_turns && random.below(4)) high = low + static_cast<double>(random.below(160)) / 64;
    if ((op == Op::gamma || op == Op::lgamma) && random.below(4))
      high = low + static_cast<double>(random.below(96)) / 64;
    if ((op == Op::sin || op == Op::cos || op == Op::tan) && random.below(4))
      high = low + static_cast<double>(random.below(512)) / 64;
    if (op == Op::pow && random.below(3) == 0) low = std::nearbyint(low), high = k == 2 && random.below(2) ? low : high;
  }
  void into_domain(double& low, double& high) const {
    switch (op) {
      case Op::sqrt:
        if (low < 0 && high < 0) high = -low;
        break;
      case Op::rsqrt:
      case Op::log:
      case Op::log2:
      case Op::log10:
        if (low <= 0 && high <= 0) high = low == 0 ? tiniest : -low;
        break;
      case Op::log1p:
        if (low <= -1 && high <= -1) high = -low;
        break;
      case Op::acosh:
        if (low < 1 && high < 1) high = 1.5;
        break;
      case Op::asin:
      case Op::acos:
      case Op::atanh:
        if (std::fabs(low) >= 1 && std::fabs(high) >= 1 && (low < 0) == (high < 0)) high = low / 1e300;
        break;
      default: break;
    }
  }
};

inline constexpr Op all_operations[] = {
    Op::add,   Op::sub,       Op::mul,      Op::div,   Op::rem,   Op::neg,   Op::abs,   Op::fma,    Op::sqrt,
    Op::rsqrt, Op::exp,       Op::exp2,     Op::log,   Op::log2,  Op::exp10, Op::log10, Op::sin,    Op::cos,
    Op::tan,   Op::asin,      Op::sinpi,    Op::cospi, Op::tanpi, Op::erfc,  Op::gamma, Op::lgamma, Op::acos,
    Op::atan,  Op::sinh,      Op::cosh,     Op::tanh,  Op::asinh, Op::acosh, Op::atanh, Op::erf,    Op::expm1,
    Op::log1p, Op::cbrt,      Op::atan2,    Op::pow,   Op::hypot, Op::min,   Op::max,   Op::minnum, Op::maxnum,
    Op::clamp, Op::sign,      Op::copysign, Op::floor, Op::ceil,  Op::trunc, Op::round, Op::less,   Op::less_equal,
    Op::equal, Op::not_equal, Op::rootn};

/// In PTX with f64 ends, or with f32 ends.
inline bool ptx_has(Op op, bool f64 = true) {
  if (op == Op::gamma || op == Op::lgamma) return false;
  return !f64 || (op != Op::atan2 && op != Op::pow && op != Op::rootn && op != Op::erfc);
}

using Make = std::function<ScheduleId(Circuit&)>;

inline ScheduleId halves(Circuit& c) {
  const ir::SymbolId name = c.module.symbol("halves");
  const VariableId n = c.module.fresh_variable();
  const ScheduleId self = c.schedules().reference(name);
  c.schedules().define(name, c.schedules().length(
                                 n, c.schedules().conditional(
                                        c.index().less(c.at(n), c.constant(5)), c.seq(),
                                        c.schedules().split(c.index().floor_div(c.at(n), c.constant(2)), self, self))));
  return self;
}

inline const std::vector<std::pair<const char*, Make>>& every_schedule() {
  static const std::vector<std::pair<const char*, Make>> all = {
      {"seq", [](Circuit& c) { return c.seq(); }},
      {"tree", [](Circuit& c) { return c.tree(); }},
      {"halving", [](Circuit& c) { return c.halving(); }},
      {"blelloch", [](Circuit& c) { return c.schedules().simple(ir::ScheduleOp::blelloch); }},
      {"tile(8, tree) then seq", [](Circuit& c) { return c.then(c.tile(8, c.tree()), c.seq()); }},
      {"tile(4, lanes(2, seq) then seq) then halving",
       [](Circuit& c) { return c.then(c.tile(4, c.then(c.lanes(2, c.seq()), c.seq())), c.halving()); }},
      {"lanes(8, seq) then tree", [](Circuit& c) { return c.then(c.lanes(8, c.seq()), c.tree()); }},
      {"lanes(64, tree) then tree", [](Circuit& c) { return c.then(c.lanes(64, c.tree()), c.tree()); }},
      {"lanes(5, halving) then seq", [](Circuit& c) { return c.then(c.lanes(5, c.halving()), c.seq()); }},
      {"split(10, tree, seq)", [](Circuit& c) { return c.split(10, c.tree(), c.seq()); }},
      {"halves", halves},
      {"default", [](Circuit& c) { return c.schedules().default_order(); }},
  };
  return all;
}

inline constexpr std::int64_t lengths[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100, 257, 1000};

}  // namespace reckon::codegen::testing
