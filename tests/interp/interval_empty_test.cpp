// Intervals that hold no number: what makes them, what passes them on, how they are shown.

#include "diagnostics/codes/undefined_result.h"
#include "semantics/standard.h"
#include "tests/interp/circuits.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;

namespace {

const std::vector<std::vector<std::string>> kinds{{}, {"f32"}, {"100"}, {"mean_value"}};

std::unique_ptr<Semantics> interval(const std::vector<std::string>& arguments = {}) {
  std::vector<SemanticsArgument> given;
  for (const std::string& argument : arguments) given.push_back({argument});
  auto made = make_semantics("interval", given, {});
  REQUIRE(made);
  return std::move(*made);
}

ir::HostTensor doubles(const std::vector<double>& values) {
  ir::HostTensor out(Scalar::f64, {static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) out.set_bits(static_cast<std::int64_t>(i), std::bit_cast<std::uint64_t>(values[i]));
  return out;
}

std::vector<std::string> texts(const Semantics& semantics, const Values& values) {
  std::vector<std::string> out;
  for (std::int64_t i = 0; i < values.count(); ++i) out.push_back(semantics.render(values.scalar(), values.at(i)).text);
  return out;
}

/// body(x[i]) for every element.
struct Mapped : Circuit {
  IndexId n = dimension("n");
  NodeId x = parameter("x", Scalar::f64, {n});
  void each(const std::function<NodeId(NodeId)>& body) {
    result(map({n}, [&](const std::vector<VariableId>& i) { return body(module.element(x, {at(i[0])})); }));
  }
};

}  // namespace

TEST_CASE("an element outside of the domain is empty, and the others have their values") {
  for (const auto& kind : kinds) {
    auto semantics = interval(kind);
    INFO(semantics->name());
    Mapped f;
    f.each([&](NodeId x) { return f.module.apply(Op::sqrt, {x}); });
    auto values = f.run(*semantics, {doubles({4, -1, 9})});
    REQUIRE(values);
    CHECK(texts(*semantics, values->front()) == std::vector<std::string>{"[2, 2]", "empty", "[3, 3]"});
    const Rendering shown = semantics->render(Scalar::f64, values->front().at(1));
    CHECK(shown.fields == std::vector<std::pair<std::string, std::string>>{{"empty", "true"}});
    CHECK(!semantics->enclosure(Scalar::f64, values->front().at(1)));
    CHECK(semantics->equal(Scalar::f64, values->front().at(0), values->front().at(1)) == Truth::no);
    CHECK(semantics->equal(Scalar::f64, values->front().at(1), values->front().at(1)) == Truth::unknown);
  }
}

TEST_CASE("whatever has no value for its operands gives an empty interval") {
  // docs/domains.md: the rows that have no value under `interval`.
  const std::vector<std::pair<Op, std::vector<double>>> rows{
      {Op::div, {1, 0}},   {Op::div, {0, 0}},  {Op::rem, {1, 0}},   {Op::sqrt, {-1}},     {Op::rsqrt, {0}},  {Op::rsqrt, {-1}},
      {Op::log, {0}},      {Op::log, {-1}},    {Op::log2, {-1}}, {Op::log10, {-1}},    {Op::log1p, {-1}},    {Op::log1p, {-2}}, {Op::asin, {2}},
      {Op::acos, {-2}},    {Op::acosh, {0.5}}, {Op::atanh, {1}},    {Op::atanh, {2}},     {Op::pow, {-8, 0.5}},
      {Op::pow, {0, -1}},  {Op::atan2, {0, 0}}, {Op::ldexp, {1, 0.5}}};
  for (const auto& kind : kinds) {
    auto semantics = interval(kind);
    for (const auto& [op, operands] : rows) {
      INFO(ir::traits(op).spelling << " in " << semantics->name());
      Circuit c;
      const IndexId two = c.constant(2);
      std::vector<NodeId> parameters;
      std::vector<Argument> arguments;
      for (double operand : operands) {
        parameters.push_back(c.parameter(parameters.empty() ? "x" : "y", Scalar::f64, {two}));
        arguments.push_back(doubles({operand, 0.75}));
      }
      if (op == Op::acosh) arguments[0] = doubles({operands[0], 2});
      if (op == Op::ldexp) arguments[1] = doubles({operands[1], 2});
      c.result(c.map({two}, [&](const std::vector<VariableId>& i) {
        std::vector<NodeId> elements;
        for (NodeId parameter : parameters) elements.push_back(c.module.element(parameter, {c.at(i[0])}));
        return c.module.apply(op, elements);
      }));
      auto values = c.run(*semantics, arguments);
      REQUIRE(values);
      const auto shown = texts(*semantics, values->front());
      CHECK(shown[0] == "empty");
      CHECK(shown[1] != "empty");
    }
  }
}

TEST_CASE("every operation of an empty interval is empty, in any of its operands") {
  for (const auto& kind : kinds) {
    auto semantics = interval(kind);
    int operations = 0;
    for (const Op op : {
#define RECKON_SCALAR(name, arity, spelling, result) Op::name,
#include "ir/ops.def"
         }) {
      if (ir::traits(op).result != ir::ResultRule::same || ir::is_approximate(op) || ir::is_integer_operation(op))
        continue;
      if (op == Op::nextafter) continue;  // reals have no neighbours
      for (int place = 0; place < ir::traits(op).arity; ++place) {
        INFO(ir::traits(op).spelling << ", operand " << place << ", in " << semantics->name());
        Mapped f;
        f.each([&](NodeId x) {
          std::vector<NodeId> operands(static_cast<std::size_t>(ir::traits(op).arity), f.module.rational(1, Scalar::f64));
          operands[static_cast<std::size_t>(place)] = f.module.apply(Op::sqrt, {x});
          return f.module.apply(op, operands);
        });
        // Enough of them for a whole block of the fast kernels, and one empty.
        std::vector<double> all(300, 1);
        all[17] = -4;
        auto values = f.run(*semantics, {doubles(all)});
        REQUIRE(values);
        const auto shown = texts(*semantics, values->front());
        CHECK(shown[17] == "empty");
        if (op != Op::atanh) CHECK(std::count(shown.begin(), shown.end(), "empty") == 1);
        ++operations;
      }
    }
    CHECK(operations > 50);
  }
}

TEST_CASE("comparisons with an empty interval are unknown, and a choice on unknown is what there is") {
  for (const auto& kind : kinds) {
    auto semantics = interval(kind);
    INFO(semantics->name());
    Mapped f;
    auto& m = f.module;
    const NodeId zero = m.rational(0, Scalar::f64);
    const auto root = [&](NodeId x) { return m.apply(Op::sqrt, {x}); };
    const auto shown = [&](const std::function<NodeId(NodeId)>& body) {
      f.each(body);
      auto values = f.run(*semantics, {doubles({-4})});
      REQUIRE(values);
      return texts(*semantics, values->front())[0];
    };
    for (Op op : {Op::less, Op::less_equal, Op::equal, Op::not_equal}) {
      CHECK(shown([&](NodeId x) { return m.apply(op, {root(x), zero}); }) == "unknown");
      CHECK(shown([&](NodeId x) { return m.apply(op, {x, root(x)}); }) == "unknown");
    }
    const auto negative = [&](NodeId x) { return m.apply(Op::less, {x, zero}); };
    const auto open = [&](NodeId x) { return m.apply(Op::less, {root(x), zero}); };
    const NodeId five = m.rational(5, Scalar::f64);
    CHECK(shown([&](NodeId x) { return m.apply(Op::select, {negative(x), five, root(x)}); }) == "[5, 5]");
    CHECK(shown([&](NodeId x) { return m.apply(Op::select, {negative(x), root(x), five}); }) == "empty");
    CHECK(shown([&](NodeId x) { return m.apply(Op::select, {open(x), root(x), five}); }) == "[5, 5]");
    CHECK(shown([&](NodeId x) { return m.apply(Op::select, {open(x), five, root(x)}); }) == "[5, 5]");
    CHECK(shown([&](NodeId x) { return m.apply(Op::select, {open(x), zero, five}); }) == "[0, 5]");
  }
}

TEST_CASE("a reduction over an empty leaf is empty, and a scan is from there on") {
  const std::vector<std::function<ScheduleId(Circuit&)>> orders{
      [](Circuit& c) { return c.seq(); }, [](Circuit& c) { return c.tree(); }, [](Circuit& c) { return c.halving(); },
      [](Circuit& c) { return c.then(c.lanes(4, c.seq()), c.tree()); }};
  for (const auto& kind : kinds) {
    auto semantics = interval(kind);
    for (const auto& order : orders) {
      for (Op op : {Op::add, Op::mul, Op::min, Op::max}) {
        INFO(ir::traits(op).spelling << " in " << semantics->name());
        Circuit c;
        const IndexId n = c.dimension("n");
        const NodeId x = c.parameter("x", Scalar::f64, {n});
        const auto leaf = [&](VariableId i) { return c.module.apply(Op::sqrt, {c.module.element(x, {c.at(i)})}); };
        c.result(c.module.tuple({c.reduce(op, n, order(c), leaf), c.module.scan(c.fold(op, n, order(c), leaf))}));
        std::vector<double> all(20, 1);
        all[7] = -1;
        auto values = c.run(*semantics, {doubles(all)});
        REQUIRE(values);
        CHECK(texts(*semantics, (*values)[0])[0] == "empty");
        const auto prefixes = texts(*semantics, (*values)[1]);
        for (std::size_t i = 0; i < 20; ++i) CHECK((prefixes[i] == "empty") == (i >= 7));
      }
    }
  }
}

TEST_CASE("a result that is one number, and empty, is an error at the operation") {
  for (const auto& kind : kinds) {
    auto semantics = interval(kind);
    Circuit c;
    const NodeId x = c.parameter("x", Scalar::f64);
    const NodeId logarithm = c.module.apply(Op::log, {x});
    c.module.places().put(logarithm, {0, 3, 9});
    c.result(c.module.apply(Op::add, {logarithm, x}));
    ir::HostTensor at(Scalar::f64, {});
    at.set_bits(0, std::bit_cast<std::uint64_t>(-1.0));
    auto values = c.run(*semantics, {at});
    REQUIRE(!values);
    CHECK(values.error().code == code::undefined_result);
    CHECK(values.error().message == "no value of this interval lies in the operation's domain");
    CHECK(values.error().primary.span == SourceSpan{0, 3, 9});
    // What no result needs is no error.
    const NodeId chosen = c.module.apply(
        Op::select, {c.module.apply(Op::less, {c.module.rational(0, Scalar::f64), x}), logarithm, x});
    c.result(chosen);
    auto other = c.run(*semantics, {at});
    REQUIRE(other);
    CHECK(texts(*semantics, other->front())[0] == "[-1, -1]");
    // What arrays are computed with tells its causes, too.
    const NodeId zero = c.module.apply(Op::add, {x, c.module.rational(1, Scalar::f64)});
    for (const NodeId empty : {c.module.apply(Op::sqrt, {x}), c.module.apply(Op::div, {x, zero})}) {
      c.result(empty);
      const auto none = c.run(*semantics, {at});
      REQUIRE(!none);
      CHECK(none.error().code == code::undefined_result);
    }
  }
}

TEST_CASE("0 divided by what may be 0 is 0") {
  // Wherever the quotient is defined, it is 0: by definition.
  for (const auto& kind : kinds) {
    auto semantics = interval(kind);
    for (const auto& [low, high] : {std::pair(-1, 1), {0, 1}, {-1, 0}, {-5, 3}, {2, 3}}) {
      Circuit c;
      const NodeId y = c.parameter("y", Scalar::f64);
      c.result(c.module.apply(Op::div, {c.module.rational(0, Scalar::f64), y}));
      auto values = c.run(*semantics, {RangeTensor{Scalar::f64, {}, low, high}});
      REQUIRE(values);
      INFO(low << ".." << high << " in " << semantics->name());
      const auto found = semantics->enclosure(Scalar::f64, values->front().data());
      REQUIRE(found);
      CHECK((found->low == 0 && found->high == 0));
    }
    // Anything else is not.
    Circuit c;
    const NodeId x = c.parameter("x", Scalar::f64), y = c.parameter("y", Scalar::f64);
    c.result(c.module.apply(Op::div, {x, y}));
    auto values = c.run(*semantics, {RangeTensor{Scalar::f64, {}, 0, 1}, RangeTensor{Scalar::f64, {}, -1, 1}});
    CHECK(!semantics->enclosure(Scalar::f64, values->front().data()));
  }
}
