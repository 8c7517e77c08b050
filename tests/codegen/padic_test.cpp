// `padic` compiled for the host against the interpreter's, whose values are tested by tests/numerics/padic_*: the same
// 16 bytes, what is unknown and why it is undefined included. RECKON_TRIALS is how many operands each operation gets.
#include "tests/codegen/rings.h"
#include "tests/support/long_run.h"

namespace reckon::codegen::testing {
namespace {

constexpr Op operations[] = {Op::add,    Op::sub,    Op::mul,    Op::div,   Op::rem,        Op::neg,      Op::abs,
                             Op::fma,    Op::sqrt,   Op::rsqrt,  Op::exp,   Op::exp2,       Op::log,      Op::log2,
                             Op::exp10,  Op::log10,  Op::sinpi,  Op::cospi, Op::tanpi,      Op::erfc,     Op::gamma,
                             Op::lgamma, Op::sin,    Op::cos,    Op::tan,   Op::asin,       Op::acos,     Op::atan,
                             Op::sinh,   Op::cosh,   Op::tanh,   Op::asinh, Op::acosh,      Op::atanh,    Op::erf,
                             Op::expm1,  Op::log1p,  Op::cbrt,   Op::atan2, Op::pow,        Op::hypot,    Op::min,
                             Op::max,    Op::minnum, Op::maxnum, Op::clamp, Op::sign,       Op::copysign, Op::floor,
                             Op::ceil,   Op::trunc,  Op::round,  Op::less,  Op::less_equal, Op::equal,    Op::not_equal,
                             Op::rootn};

/// for i: op(x[i], y[i], z[i])
struct Each : Circuit {
  explicit Each(Op op) {
    const IndexId n = dimension("n");
    std::vector<NodeId> x;
    for (const char* name : {"x", "y", "z"}) x.push_back(parameter(name, Scalar::f32, {n}));
    x.resize(static_cast<std::size_t>(ir::traits(op).arity));
    function.parameters.resize(x.size());
    result(map({n}, [&](const std::vector<VariableId>& i) {
      std::vector<NodeId> operands;
      for (NodeId node : x) operands.push_back(module.element(node, {at(i[0])}));
      return module.apply(op, operands);
    }));
  }
};

}  // namespace

TEST_CASE("padic compiled: every operation has the interpreter's bytes on special values") {
  const auto count = static_cast<std::size_t>(test::trials<std::int64_t>(6000));
  Random random(test::stream(1));
  const auto meaning = semantics("padic");
  for (Op op : operations) {
    INFO(ir::traits(op).spelling);
    Each circuit(op);
    const Compiled compiled = must_compile(circuit, host(&padic_code()));
    const auto arity = static_cast<std::size_t>(ir::traits(op).arity);
    std::vector<Elements> operands;
    std::vector<HostTensor> arguments;
    std::vector<interp::Rows> rows;
    for (std::size_t k = 0; k < arity; ++k) {
      operands.push_back(special(random, count));
      // Every special value meets every other.
      std::shuffle(operands.back().begin(), operands.back().end(), std::mt19937_64(random.word()));
      // Some are equal, or negatives.
      for (std::size_t i = 0; k > 0 && i < count; i += 7)
        operands[k][i] = i % 2 == 0 ? operands[0][i] : padic::neg(operands[0][i]);
      arguments.push_back(as_tensor(operands.back()));
      rows.push_back({reinterpret_cast<const std::byte*>(arguments.back().bytes.data()), 0});
    }
    for (std::size_t k = 0; k < arity; ++k)
      rows[k].data = reinterpret_cast<const std::byte*>(arguments[k].bytes.data());
    const bool truth = ir::traits(op).result == ir::ResultRule::truth;
    Buffer like;
    like.scalar = truth ? Scalar::boolean : Scalar::f32;
    like.words = padic_code().words();
    HostTensor expected = tensor_of(like, {static_cast<std::int64_t>(count)});
    REQUIRE_FALSE(meaning->apply(op, Scalar::f32, like.scalar, rows.data(),
                                 reinterpret_cast<std::byte*>(expected.bytes.data()),
                                 static_cast<std::ptrdiff_t>(count), 1, count));
    std::map<ir::SymbolId, std::int64_t> sizes{{circuit.module.symbol("n"), static_cast<std::int64_t>(count)}};
    const auto actual = run_host(circuit.module, circuit.function, compiled, arguments, sizes);
    REQUIRE(actual);
    if ((*actual)[0].bytes == expected.bytes) continue;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t size = truth ? 1 : sizeof(padic::Value);
      if (std::memcmp((*actual)[0].bytes.data() + i * size, expected.bytes.data() + i * size, size) == 0) continue;
      std::string given;
      for (const HostTensor& argument : arguments) given += text(argument, i) + "; ";
      FAIL(given << "gives " << (truth ? "another truth" : text((*actual)[0], i) + " instead of " + text(expected, i)));
    }
  }
}

TEST_CASE("padic compiled: without optimisation the bytes are the same") {
  Random random(2);
  const auto count = std::int64_t{500};
  for (Op op : {Op::fma, Op::exp, Op::pow, Op::log}) {
    Each circuit(op);
    CompileOptions options = host(&padic_code());
    const std::vector<HostTensor> all{as_tensor(special(random, count)), as_tensor(special(random, count)),
                                      as_tensor(special(random, count))};
    const std::vector<HostTensor> arguments(all.begin(), all.begin() + ir::traits(op).arity);
    std::map<ir::SymbolId, std::int64_t> sizes{{circuit.module.symbol("n"), count}};
    const auto optimised = run_host(circuit.module, circuit.function, must_compile(circuit, options), arguments, sizes);
    options.optimise = false;
    const auto plain = run_host(circuit.module, circuit.function, must_compile(circuit, options), arguments, sizes);
    CHECK(difference(plain, optimised) == "");
  }
}

TEST_CASE("padic compiled: parameters of every format, indices, literals, bools and choices") {
  for (Scalar scalar : float_scalars) {
    INFO(ir::scalar_name(scalar));
    Circuit c;
    auto& m = c.module;
    const IndexId n = c.dimension("n");
    const NodeId x = c.parameter("x", scalar, {n}), flag = c.parameter("flag", Scalar::boolean, {n});
    const auto at = [&](NodeId of, VariableId i) { return m.element(of, {c.at(i)}); };
    const NodeId wide = c.map({n}, [&](const std::vector<VariableId>& i) {
      const NodeId index = m.index_value(c.at(i[0]), scalar), value = at(x, i[0]);
      return m.apply(Op::fma,
                     {index, m.rational(mpq_class(-3, 7), scalar), m.convert(m.convert(value, Scalar::f64), scalar)});
    });
    const NodeId order = c.map({n}, [&](const std::vector<VariableId>& i) {
      // Unknown where two values differ in high digits alone.
      const NodeId value = at(x, i[0]),
                   moved = m.apply(Op::add, {value, m.rational(mpz_class("59863655522159"), scalar)});
      return m.apply(Op::logical_or, {m.apply(Op::less, {value, moved}), m.apply(Op::logical_not, {at(flag, i[0])})});
    });
    const NodeId chosen = c.map({n}, [&](const std::vector<VariableId>& i) {
      return m.apply(Op::select, {m.element(order, {c.at(i[0])}), at(x, i[0]), m.rational(2, scalar)});
    });
    const NodeId logic = c.map({n}, [&](const std::vector<VariableId>& i) {
      const NodeId unknown = m.element(order, {c.at(i[0])});
      return m.apply(Op::select, {unknown, m.apply(Op::logical_and, {unknown, at(flag, i[0])}), at(flag, i[0])});
    });
    c.result(m.tuple({wide, order, chosen, logic}));
    HostTensor given = ordinary(scalar, {40}, 3), flags = ordinary(Scalar::boolean, {40}, 4);
    if (numerics::has_infinity(ir::format_of(scalar))) {
      given.set_bits(7, numerics::infinity_bits(ir::format_of(scalar)) | numerics::sign_bit(ir::format_of(scalar)));
    }
    agree_in_ring(c, {given, flags});
  }
}

TEST_CASE("padic compiled: sums, products and scans by every schedule") {
  for (const auto& [name, make] : every_schedule()) {
    INFO(name);
    Circuit c;
    auto& m = c.module;
    const IndexId n = c.dimension("n");
    const NodeId x = c.parameter("x", Scalar::f32, {n}), y = c.parameter("y", Scalar::f32, {n});
    const auto at = [&](NodeId of, VariableId i) { return m.element(of, {c.at(i)}); };
    std::vector<NodeId> results;
    results.push_back(c.reduce(Op::add, n, make(c), [&](VariableId i) {
      return m.apply(Op::mul, {at(x, i), at(y, i)});
    }));
    results.push_back(c.reduce(Op::add, n, make(c), [&](VariableId i) {
      return m.apply(Op::log, {m.apply(Op::mul, {at(x, i), at(x, i)})});
    }));
    results.push_back(c.reduce(Op::mul, n, make(c), [&](VariableId i) { return m.apply(Op::exp, {at(x, i)}); }));
    results.push_back(c.reduce(Op::max, n, make(c), [&](VariableId i) { return at(y, i); }));
    c.result(m.tuple(results));
    const Compiled compiled = must_compile(c, host(&padic_code()));
    for (std::int64_t length : {1, 2, 5, 31, 64, 257}) {
      HostTensor a = ordinary(Scalar::f32, {length}, 5), b = ordinary(Scalar::f32, {length}, 6);
      b.set_bits(length / 2, 0xff800000);  // -inf
      const std::vector<HostTensor> arguments{a, b};
      INFO(length);
      CHECK(difference(compiled_elements(c, compiled, arguments), interpreted_elements(c, arguments)) == "");
    }
  }
}

TEST_CASE("padic compiled: inf and nan are refused as the interpreter refuses them") {
  for (const std::uint64_t bits : {0x7f800000, 0x7fc00000}) {
    Circuit c;
    const IndexId n = c.dimension("n");
    const NodeId x = c.parameter("x", Scalar::f32, {n});
    c.result(c.map({n}, [&](const std::vector<VariableId>& i) {
      return c.module.apply(Op::neg, {c.module.element(x, {c.at(i[0])})});
    }));
    HostTensor given(Scalar::f32, {3});
    given.set_bits(1, bits);
    const Outcome actual = compiled_elements(c, must_compile(c, host(&padic_code())), {given});
    REQUIRE_FALSE(actual);
    CHECK(difference(actual, interpreted_elements(c, {given})) == "");
  }
}

}  // namespace reckon::codegen::testing
