// tf32 and the formats of at most 8 bits on the host: the interpreter's bits, exhaustively where 2^16 inputs are all there are. The
// interpreter itself is checked against MPFR in tests/interp/formats_test.cpp.
#include "diagnostics/codes/not_compilable.h"
#include "tests/codegen/program.h"
#include "tests/support/in_turn.h"

namespace reckon::codegen::testing {
namespace {

constexpr Scalar added[] = {Scalar::tf32, Scalar::f8e4m3, Scalar::f8e5m2, Scalar::f6e3m2, Scalar::f6e2m3, Scalar::f4e2m1};

/// Every pattern of a format of 16 bits or less, `each` times in a row and all that `times` times; samples of others.
HostTensor patterns(Scalar scalar, std::int64_t each, std::int64_t times, std::uint64_t seed = 1) {
  const int width = numerics::traits(ir::format_of(scalar)).width;
  if (width > 16) return edgy(scalar, {20'000}, seed);
  const std::int64_t count = std::int64_t{1} << width;
  HostTensor out(scalar, {count * each * times});
  for (std::int64_t i = 0; i < out.size(); ++i) out.set_bits(i, static_cast<std::uint64_t>(i / each % count));
  return out;
}

void check_small_operation(Op op, Scalar scalar, const char* name) {
  const int arity = ir::traits(op).arity;
  std::vector<HostTensor> arguments;
  const auto seed = static_cast<std::uint64_t>(100 * static_cast<int>(op));
  arguments.push_back(patterns(scalar, arity == 1 ? 1 : 256, 1, seed));
  if (arity > 1) arguments.push_back(patterns(scalar, 1, 256, seed + 1));
  if (arity > 2) arguments.push_back(edgy(scalar, arguments[0].shape, seed + 2));
  agree_on(op, arguments, name);
}

}  // namespace

TEST_CASE("float operations of tf32 and small formats on the host give the interpreter's bits", "[targets]") {
  for (Scalar scalar : added) {
    for (Op op : {Op::add,  Op::sub,   Op::mul,   Op::div,  Op::rem,        Op::neg,      Op::abs,
                  Op::fma,  Op::sqrt,  Op::min,   Op::max,  Op::sign,       Op::copysign, Op::floor,
                  Op::ceil, Op::trunc, Op::round, Op::less, Op::less_equal, Op::equal,    Op::not_equal}) {
      check_small_operation(op, scalar, "float");
    }
  }
  // Elementary functions are computed in f64 for all of these formats, and then rounded.
  test::InTurn<Scalar> formats({std::begin(added), std::end(added)});
  for (int arity : {1, 2}) {
    for (Op op : elementary_operations(arity)) {
      for (Scalar scalar : formats.next()) check_small_operation(op, scalar, "float");
    }
  }
}

TEST_CASE("fpsan operations of 8-bit formats on the host give the interpreter's payloads") {
  for (Scalar scalar : {Scalar::f8e4m3, Scalar::f8e5m2}) {
    for (Op op : {Op::add,  Op::sub,   Op::mul,   Op::div,  Op::rem,        Op::neg,      Op::abs,
                  Op::fma,  Op::sqrt,  Op::rsqrt, Op::exp,  Op::exp2,       Op::log,      Op::log2,
                  Op::sin,  Op::cos,   Op::min,   Op::max,  Op::sign,       Op::copysign, Op::floor,
                  Op::ceil, Op::trunc, Op::round, Op::less, Op::less_equal, Op::equal,    Op::not_equal}) {
      check_small_operation(op, scalar, "fpsan");
    }
  }
}

TEST_CASE("conversions between all pairs of formats on the host, all patterns of the narrow ones") {
  for (const char* name : {"float", "fpsan"}) {
    for (Scalar from : float_scalars) {
      for (Scalar to : float_scalars) {
        if (from == to || !has_format(name, from) || !has_format(name, to)) continue;
        Circuit c;
        const IndexId n = c.dimension("n");
        const NodeId x = c.parameter("x", from, {n});
        c.result(c.map({n}, [&](const std::vector<VariableId>& i) {
          return c.module.convert(c.module.element(x, {c.at(i[0])}), to);
        }));
        INFO(ir::scalar_name(from) << " to " << ir::scalar_name(to) << " in " << name);
        agree(c, {patterns(from, 1, 1)}, name);
      }
    }
  }
}

TEST_CASE("a compiled product of tf32 is not rounded to f32 first") {
  Circuit c;  // see tests/interp/formats_test.cpp
  const IndexId n = c.dimension("n");
  const NodeId x = c.parameter("x", Scalar::tf32, {n}), y = c.parameter("y", Scalar::tf32, {n});
  c.result(c.map({n}, [&](const std::vector<VariableId>& i) {
    return c.module.apply(Op::mul, {c.module.element(x, {c.at(i[0])}), c.module.element(y, {c.at(i[0])})});
  }));
  HostTensor a(Scalar::tf32, {1}), b(Scalar::tf32, {1});
  a.set_bits(0, numerics::round_f64(std::ldexp(987, -75), numerics::Format::tf32));
  b.set_bits(0, numerics::round_f64(std::ldexp(83, -76), numerics::Format::tf32));
  CHECK(run(c, must_compile(c), {a, b})[0].bits(0) == 3 << 13);
}

TEST_CASE("indices and literals of tf32 and small formats") {
  for (Scalar scalar : added) {
    Circuit c;
    const IndexId n = c.dimension("n");
    const NodeId x = c.parameter("x", Scalar::f32, {n});
    static_cast<void>(x);
    c.result(c.map({n}, [&](const std::vector<VariableId>& i) {
      const IndexId cube = c.index().multiply(c.index().multiply(c.at(i[0]), c.at(i[0])), c.at(i[0]));
      const NodeId index = c.module.index_value(c.index().subtract(cube, c.constant(300)), scalar);
      NodeId total = index;
      for (const char* literal : {"1/10", "-1/100000000", "1000000", "-451/1000"})
        total = c.module.apply(Op::max, {c.module.apply(Op::mul, {total, index}), c.module.rational(mpq_class(literal), scalar)});
      return total;
    }));
    INFO(ir::scalar_name(scalar));
    agree(c, {ordinary(Scalar::f32, {3000}, 1)});
  }
}

TEST_CASE("sums of tf32 and small formats: in order, fused, and rounded once") {
  for (Scalar scalar : added) {
    for (int kind = 0; kind < 4; ++kind) {
      Circuit c;
      const IndexId m = c.dimension("m"), n = c.dimension("n");
      const NodeId x = c.parameter("x", scalar, {m, n}), y = c.parameter("y", scalar, {m, n});
      auto& s = c.schedules();
      const ScheduleId once = s.simple(ir::ScheduleOp::rounded_once);
      const ScheduleId schedule =
          kind == 0 ? c.tree() : kind == 1 ? s.fused(c.seq()) : kind == 2 ? once : s.fused(once);
      c.result(c.map({m}, [&](const std::vector<VariableId>& r) {
        return c.reduce(Op::add, n, schedule, [&](VariableId i) {
          const NodeId a = c.module.element(x, {c.at(r[0]), c.at(i)});
          return kind == 0 || kind == 2 ? a : c.module.apply(Op::mul, {a, c.module.element(y, {c.at(r[0]), c.at(i)})});
        });
      }));
      INFO(ir::scalar_name(scalar) << " kind " << kind);
      agree(c, {edgy(scalar, {300, 13}, 5), edgy(scalar, {300, 13}, 6)});
      agree(c, {ordinary(scalar, {20, 200}, 7), ordinary(scalar, {20, 200}, 8)});
    }
  }
}

TEST_CASE("formats that do not fill their words have no payloads to compile") {
  for (Scalar scalar : float_scalars) {
    if (has_format("fpsan", scalar)) continue;
    Circuit c;
    const IndexId n = c.dimension("n");
    const NodeId x = c.parameter("x", scalar, {n});
    c.result(c.map({n}, [&](const std::vector<VariableId>& i) { return c.module.element(x, {c.at(i[0])}); }));
    const auto compiled = compile(c.module, c.function, host(&fpsan_code(numerics::fpsan::now)));
    REQUIRE_FALSE(compiled);
    CHECK(compiled.error().code == code::not_compilable);
    CHECK(compiled.error().message == "`" + std::string(ir::scalar_name(scalar)) +
                                          "` has no meaning under `fpsan`: its patterns do not use all bits of their words");
  }
}

TEST_CASE("the bits above a pattern of less than 8 bits are ignored, and are 0 in results") {
  for (Scalar scalar : {Scalar::f6e3m2, Scalar::f6e2m3, Scalar::f4e2m1}) {
    HostTensor all(scalar, {256});
    for (std::int64_t i = 0; i < all.size(); ++i) all.set_bits(i, static_cast<std::uint64_t>(i));
    Circuit c;
    auto& m = c.module;
    const IndexId n = c.dimension("n");
    const NodeId x = c.parameter("x", scalar, {n}), word = c.parameter("word", Scalar::u32, {n});
    std::vector<NodeId> results;
    const auto each = [&](auto&& make) {
      results.push_back(c.map({n}, [&](const std::vector<VariableId>& i) {
        return make(m.element(x, {c.at(i[0])}), m.element(word, {c.at(i[0])}));
      }));
    };
    each([&](NodeId a, NodeId) { return a; });
    each([&](NodeId a, NodeId) { return m.apply(Op::neg, {a}); });
    each([&](NodeId a, NodeId) { return m.apply(Op::abs, {a}); });
    each([&](NodeId a, NodeId) { return m.cast(Op::bits, a, Scalar::u32); });
    each([&](NodeId, NodeId b) { return m.cast(Op::from_bits, b, scalar); });
    c.result(m.tuple(results));
    HostTensor words(Scalar::u32, {256});
    for (std::int64_t i = 0; i < words.size(); ++i) words.set_bits(i, static_cast<std::uint64_t>(i) * 0x1010101);
    agree(c, {all, words});
    const std::uint64_t mask = numerics::storage_mask(ir::format_of(scalar)), sign = numerics::sign_bit(ir::format_of(scalar));
    const auto found = run(c, must_compile(c), {all, words});
    for (std::int64_t i = 0; i < all.size(); ++i) {
      const std::uint64_t bits = static_cast<std::uint64_t>(i) & mask;
      CHECK(found[0].bits(i) == bits);
      CHECK(found[1].bits(i) == (bits ^ sign));
      CHECK(found[2].bits(i) == (bits & ~sign));
      CHECK(found[3].bits(i) == bits);
      CHECK(found[4].bits(i) == bits);
    }
  }
}

}  // namespace reckon::codegen::testing
