// Every scalar operation of every format on the host: the interpreter's bits.
#include "tests/codegen/program.h"
#include "tests/support/in_turn.h"

namespace reckon::codegen::testing {
namespace {

constexpr std::int64_t count = 20'000;
const Scalar formats[] = {Scalar::f64, Scalar::f32, Scalar::f16, Scalar::bf16};

/// On numbers of every kind and, of functions of two operands, on as many ordinary ones.
void check_operation(Op op, Scalar scalar, const char* name) {
  const bool is_function_of_two = ir::is_elementary(op) && ir::traits(op).arity == 2;
  std::vector<HostTensor> arguments;
  for (int k = 0; k < ir::traits(op).arity; ++k) {
    const auto seed = static_cast<std::uint64_t>(100 * static_cast<int>(op) + k);
    HostTensor all = edgy(scalar, {is_function_of_two ? 2 * count : count}, seed);
    if (is_function_of_two) {
      const HostTensor some = ordinary(scalar, {count}, seed);
      for (std::int64_t i = 0; i < count; ++i) all.set_bits(i, some.bits(i));
    }
    arguments.push_back(std::move(all));
  }
  agree_on(op, arguments, name);
}

}  // namespace

TEST_CASE("float operations on the host give the interpreter's bits", "[targets]") {
  for (Scalar scalar : formats) {
    for (Op op : {Op::add,  Op::sub,   Op::mul,   Op::div,  Op::rem,        Op::neg,      Op::abs,
                  Op::fma,  Op::sqrt,  Op::min,   Op::max,  Op::sign,       Op::copysign, Op::floor,
                  Op::ceil, Op::trunc, Op::round, Op::less, Op::less_equal, Op::equal,    Op::not_equal,
                  Op::minnum, Op::maxnum, Op::clamp}) {
      check_operation(op, scalar, "float");
    }
  }
  // Elementary functions of these formats but f64 are computed in f64, and then rounded.
  test::InTurn<Scalar> narrow({Scalar::f32, Scalar::f16, Scalar::bf16});
  for (int arity : {1, 2}) {
    for (Op op : elementary_operations(arity)) {
      check_operation(op, Scalar::f64, "float");
      for (Scalar scalar : narrow.next()) check_operation(op, scalar, "float");
    }
  }
}

TEST_CASE("fpsan operations on the host give the interpreter's payloads") {
  for (Scalar scalar : formats) {
    for (Op op : {Op::add,   Op::sub,   Op::mul,   Op::div,        Op::rem,      Op::neg,       Op::abs,
                  Op::fma,   Op::sqrt,  Op::rsqrt, Op::exp,        Op::exp2,     Op::log,       Op::log2,
                  Op::erf,   Op::sinpi, Op::erfc,  Op::gamma,      Op::lgamma,   Op::nextafter, Op::sin,
                  Op::cos,   Op::min,   Op::max,   Op::sign,       Op::copysign, Op::floor,     Op::ceil,
                  Op::trunc, Op::round, Op::less,  Op::less_equal, Op::equal,    Op::not_equal, Op::rootn}) {
      check_operation(op, scalar, "fpsan");
    }
  }
}

TEST_CASE("conversions between all formats round once") {
  for (const char* name : {"float", "fpsan"}) {
    for (Scalar from : formats) {
      for (Scalar to : formats) {
        if (from == to) continue;
        Circuit c;
        const IndexId n = c.dimension("n");
        const NodeId x = c.parameter("x", from, {n});
        c.result(c.map({n}, [&](const std::vector<VariableId>& i) {
          return c.module.convert(c.module.element(x, {c.at(i[0])}), to);
        }));
        INFO(ir::scalar_name(from) << " to " << ir::scalar_name(to) << " in " << name);
        agree(c, {edgy(from, {count}, 7)}, name);
      }
    }
  }
}

TEST_CASE("indices become numbers with one rounding") {
  for (const char* name : {"float", "fpsan"}) {
    for (Scalar scalar : formats) {
      Circuit c;
      const IndexId n = c.dimension("n");
      const NodeId x = c.parameter("x", Scalar::f32, {n});
      static_cast<void>(x);
      c.result(c.map({n}, [&](const std::vector<VariableId>& i) {
        // Large, negative and small values, ties among them.
        const IndexId i2 = c.index().multiply(c.at(i[0]), c.at(i[0]));
        const IndexId i4 = c.index().multiply(i2, i2);
        const IndexId cubes = c.index().multiply(i4, c.at(i[0]));
        const IndexId value = c.index().subtract(cubes, c.index().multiply(c.constant(1003), i4));
        return c.module.index_value(value, scalar);
      }));
      INFO(ir::scalar_name(scalar) << " in " << name);
      agree(c, {ordinary(Scalar::f32, {3000}, 1)}, name);
    }
  }
}

TEST_CASE("select, logic and comparisons of mixed circuits") {
  for (const char* name : {"float", "fpsan"}) {
    Circuit c;
    const IndexId n = c.dimension("n");
    const NodeId x = c.parameter("x", Scalar::f32, {n});
    const NodeId p = c.parameter("p", Scalar::boolean, {n});
    c.result(c.map({n}, [&](const std::vector<VariableId>& i) {
      auto& m = c.module;
      const NodeId here = m.element(x, {c.at(i[0])});
      const NodeId there = m.element(x, {c.index().subtract(c.index().subtract(n, c.constant(1)), c.at(i[0]))});
      const NodeId truth = m.element(p, {c.at(i[0])});
      const NodeId less = m.apply(Op::less, {here, there});
      const NodeId early = m.index_condition(c.index().less(c.index().multiply(c.constant(2), c.at(i[0])), n));
      const NodeId both =
          m.apply(Op::logical_or, {m.apply(Op::logical_and, {less, truth}), m.apply(Op::logical_not, {early})});
      return m.apply(Op::select, {both, here, m.apply(Op::add, {here, there})});
    }));
    agree(c, {edgy(Scalar::f32, {777}, 3), ordinary(Scalar::boolean, {777}, 4)}, name);
  }
}

TEST_CASE("every literal is rounded as the interpreter rounds it") {
  for (const char* name : {"float", "fpsan"}) {
    for (Scalar scalar : formats) {
      Circuit c;
      std::vector<NodeId> elements;
      elements.push_back(c.module.rational(mpq_class(1, 10), scalar));
      elements.push_back(c.module.rational(mpq_class("-1/100000000000000000000000000000000000000000000"), scalar));
      for (auto constant :
           {ir::RealConstant::pi, ir::RealConstant::e, ir::RealConstant::ln2, ir::RealConstant::log2e}) {
        ir::Literal literal;
        literal.kind = ir::Literal::Kind::real;
        literal.value = mpq_class(-3, 7);
        literal.constant = constant;
        elements.push_back(c.module.literal(literal, scalar));
      }
      ir::Literal infinity;
      infinity.kind = ir::Literal::Kind::infinity;
      infinity.negative = true;
      elements.push_back(c.module.literal(infinity, scalar));
      ir::Literal bits;
      bits.kind = ir::Literal::Kind::bits;
      bits.bits = 0x1234;
      elements.push_back(c.module.literal(bits, scalar));
      const auto size = static_cast<std::int64_t>(elements.size());
      const NodeId array = c.module.array(elements, {size});
      c.result(c.map({c.constant(size)}, [&](const std::vector<VariableId>& i) {
        return c.module.apply(Op::mul, {c.module.element(array, {c.at(i[0])}), c.module.rational(3, scalar)});
      }));
      INFO(ir::scalar_name(scalar) << " in " << name);
      agree(c, {}, name);
    }
  }
}

}  // namespace reckon::codegen::testing
