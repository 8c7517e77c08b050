// Integers and ldexp compiled: the interpreter's bits. The interpreter itself is checked in
// tests/interp/words_test.cpp, integers_test.cpp and ldexp_test.cpp.
#include "ir/integer.h"
#include "tests/codegen/program.h"
#include "tests/support/golden.h"

namespace reckon::codegen::testing {
namespace {

HostTensor words(std::int64_t count, std::uint64_t seed) {
  HostTensor out(Scalar::u32, {count});
  Random random(seed);
  for (std::int64_t i = 0; i < count; ++i) out.set_bits(i, (random.word() & 0xffffffff) >> random.below(32));
  return out;
}

/// Integers of a type: borders, small ones, and any.
HostTensor integers(Scalar type, std::int64_t count, std::uint64_t seed) {
  HostTensor out(type, {count});
  const auto& traits = ir::integer_traits(type);
  Random random(seed);
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint64_t word = random.word() >> random.below(64);
    if (random.below(4) == 0) word = random.below(5) - 2;
    if (random.below(8) == 0) word = (std::uint64_t{1} << (traits.width - 1)) + random.below(5) - 2;
    out.set_bits(i, numerics::wrapped(traits, word));
  }
  return out;
}

void cast_agrees(Op op, Scalar from, Scalar to, const HostTensor& argument, const char* name) {
  Circuit c;
  const IndexId n = c.dimension("n");
  const NodeId x = c.parameter("x", from, {n});
  c.result(c.map({n}, [&](const std::vector<VariableId>& i) {
    return c.module.cast(op, c.module.element(x, {c.at(i[0])}), to);
  }));
  INFO(ir::traits(op).spelling << " from " << ir::scalar_name(from) << " to " << ir::scalar_name(to) << " in " << name);
  agree(c, {argument}, name);
}

/// The bits of 2^-k by way of the exponent's field, and a sum of what is left: a bit of everything.
void exponent_field(Circuit& c) {
  auto& m = c.module;
  const IndexId n = c.dimension("n");
  const NodeId x = c.parameter("x", Scalar::f32, {n});
  const auto word = [&](long value) { return m.rational(mpq_class(value), Scalar::u32); };
  c.result(c.reduce(Op::add, n, c.tree(), [&](VariableId i) {
    const NodeId bits = m.cast(Op::bits, m.element(x, {c.at(i)}), Scalar::u32);
    const NodeId field = m.apply(Op::bit_and, {m.apply(Op::shift_right, {bits, word(23)}), word(255)});
    const NodeId turned = m.apply(Op::shift_left, {m.apply(Op::sub, {word(254), field}), m.index_value(c.at(i), Scalar::u32)});
    return m.apply(Op::select, {m.apply(Op::less, {field, word(254)}), turned, m.apply(Op::bit_xor, {bits, field})});
  }));
}

}  // namespace

TEST_CASE("operations on u32 on the host give the interpreter's") {
  for (const char* name : {"float", "fpsan"}) {
    for (Op op : {Op::add, Op::sub, Op::mul, Op::min, Op::max, Op::bit_and, Op::bit_or, Op::bit_xor, Op::shift_left,
                  Op::shift_right, Op::less, Op::less_equal, Op::equal, Op::not_equal}) {
      agree_on(op, {words(3000, 1), words(3000, 2)}, name);
    }
    agree_on(Op::neg, {words(3000, 3)}, name);
    Circuit c;
    exponent_field(c);
    agree(c, {edgy(Scalar::f32, {3000}, 4)}, name);
  }
}

TEST_CASE("casts from and to u32 on the host give the interpreter's bits") {
  for (const char* name : {"float", "fpsan"}) {
    for (Scalar scalar : float_scalars) {
      if (!has_format(name, scalar)) continue;
      cast_agrees(Op::convert, scalar, Scalar::u32, edgy(scalar, {5000}, 5), name);
      cast_agrees(Op::convert, Scalar::u32, scalar, words(5000, 6), name);
      const Scalar pattern = ir::pattern_scalar(scalar);
      cast_agrees(Op::bits, scalar, pattern, edgy(scalar, {5000}, 7), name);
      cast_agrees(Op::from_bits, pattern, scalar, integers(pattern, 5000, 8), name);
    }
  }
}

TEST_CASE("operations on integers of every type on the host give the interpreter's") {
  for (const char* name : {"float", "fpsan"}) {
    for (int k = 0; k < numerics::integer_count; ++k) {
      const Scalar type = ir::integer_scalar(k);
      for (Op op : {Op::add, Op::sub, Op::mul, Op::min, Op::max, Op::bit_and, Op::bit_or, Op::bit_xor, Op::shift_left,
                    Op::shift_right, Op::less, Op::less_equal, Op::equal, Op::not_equal}) {
        agree_on(op, {integers(type, 2000, 11), integers(type, 2000, 12)}, name);
      }
      for (Op op : {Op::neg, Op::abs, Op::sign}) agree_on(op, {integers(type, 2000, 13)}, name);
      agree_on(Op::clamp, {integers(type, 2000, 14), integers(type, 2000, 15), integers(type, 2000, 16)}, name);
      HostTensor divisors = integers(type, 2000, 17);
      for (std::int64_t i = 0; i < divisors.size(); ++i) {
        if (divisors.bits(i) == 0) divisors.set_bits(i, 3);
      }
      for (Op op : {Op::floor_div, Op::floor_mod}) agree_on(op, {integers(type, 2000, 18), divisors}, name);
    }
  }
}

TEST_CASE("conversions of integers on the host give the interpreter's bits") {
  for (const char* name : {"float", "fpsan"}) {
    for (int k = 0; k < numerics::integer_count; ++k) {
      const Scalar type = ir::integer_scalar(k);
      for (int other = 0; other < numerics::integer_count; ++other) {
        if (other != k) cast_agrees(Op::convert, type, ir::integer_scalar(other), integers(type, 1000, 19), name);
      }
      for (Scalar scalar : float_scalars) {
        if (!has_format(name, scalar)) continue;
        cast_agrees(Op::convert, scalar, type, edgy(scalar, {2000}, 20), name);
        cast_agrees(Op::convert, type, scalar, integers(type, 2000, 21), name);
      }
    }
  }
}

TEST_CASE("ldexp on the host gives the interpreter's bits") {
  for (const char* name : {"float", "fpsan"}) {
    for (Scalar scalar : float_scalars) {
      if (!has_format(name, scalar)) continue;
      const auto format = ir::format_of(scalar);
      HostTensor k = edgy(scalar, {20'000}, 9);
      Random random(10);
      const int range = numerics::traits(format).emax - numerics::traits(format).emin + 60;
      for (std::int64_t i = 0; i < k.size(); ++i) {
        const auto near = static_cast<double>(random.below(static_cast<std::uint64_t>(2 * range))) - range;
        if (random.below(4) != 0) k.set_bits(i, numerics::round_f64(near, format));
      }
      agree_on(Op::ldexp, {edgy(scalar, {20'000}, 11), k}, name);
    }
  }
}

TEST_CASE("u32 in PTX assembles, and is what it was") {
  Circuit c;
  exponent_field(c);
  for (const char* arch : {"sm_80", "sm_90", "sm_100"}) {
    const Compiled compiled = must_compile(c, ptx(arch));
    CHECK(check_with_ptxas(compiled.assembly, arch).status != PtxasResult::Status::rejected);
  }
  Circuit small;
  const IndexId n = small.dimension("n");
  const NodeId x = small.parameter("x", Scalar::f32, {n}), k = small.parameter("k", Scalar::u32, {n});
  small.result(small.map({n}, [&](const std::vector<VariableId>& i) {
    auto& m = small.module;
    const NodeId bits = m.cast(Op::bits, m.element(x, {small.at(i[0])}), Scalar::u32);
    const NodeId shifted = m.apply(Op::shift_right, {bits, m.element(k, {small.at(i[0])})});
    return m.cast(Op::from_bits, m.apply(Op::bit_xor, {shifted, m.rational(0x5f3759df, Scalar::u32)}), Scalar::f32);
  }));
  test::check_golden("codegen/words.ptx", must_compile(small, ptx("sm_80")).assembly);
}

}  // namespace reckon::codegen::testing
