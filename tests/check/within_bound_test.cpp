// `check f ~ g within bound`: rounding always explains another order of the same sum, and never explains a planted bug
// whose effect is larger than both sides' a-priori bounds, which are computed here, in rationals.
// RECKON_TRIALS=100000 for a long run.
#include "check/within_bound.h"

#include "tests/interp/bound_sums.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;
using check::WithinBound;

namespace {

/// Two circuits of one module, over the tensors x and y of n elements each.
class Pair {
 public:
  Circuit circuit;
  Scalar scalar{}, accumulator{};
  std::int64_t n = 0;
  bool dot = false;
  ir::HostTensor x, y;

  /// Inputs of one kind; `closed`: as data of the circuits, not as their parameters.
  Pair(Random& random, bool closed, Kind kind, Scalar of, std::int64_t length)
      : scalar(of),
        accumulator(of),
        n(length),
        x(hostile(random, kind, of, length)),
        y(hostile(random, kind, of, length)) {
    dot = random.below(2) == 0;
    // Narrow factors into a wide sum: their products are exact.
    if ((of == Scalar::f16 || of == Scalar::bf16) && random.below(3) == 0) accumulator = Scalar::f32;
    for (int k = 0; k < 2; ++k) {
      const ir::HostTensor& data = k == 0 ? x : y;
      if (!closed) {
        tensors_[k] = circuit.parameter(k == 0 ? "x" : "y", scalar, {circuit.constant(n)});
        arguments.push_back(data);
        continue;
      }
      const ir::TypeId type = circuit.module.types().tensor(scalar, {circuit.constant(n)});
      const std::string path = k == 0 ? "x.npy" : "y.npy";
      tensors_[k] = circuit.module.source(
          {ir::Source::Kind::file, circuit.constant(0), path, std::make_shared<const ir::HostTensor>(data)}, type);
    }
  }

  NodeId at(int which, IndexId subscript) {
    const NodeId element = circuit.module.element(tensors_[which], {subscript});
    return accumulator == scalar ? element : circuit.module.convert(element, accumulator);
  }
  NodeId leaf(VariableId i) {
    const IndexId place = circuit.at(i);
    return dot ? circuit.module.apply(Op::mul, {at(0, place), at(1, place)}) : at(0, place);
  }
  /// The sum of `length` leaves.
  ir::Function sum(ScheduleId schedule, std::int64_t length, const std::function<NodeId(VariableId)>& body) {
    circuit.result(circuit.reduce(Op::add, circuit.constant(length), schedule, body));
    return circuit.function;
  }
  ir::Function sum(ScheduleId schedule) {
    return sum(schedule, n, [&](VariableId i) { return leaf(i); });
  }
  ir::Function plain(std::uint64_t bits) {
    circuit.result(circuit.module.literal({.kind = ir::Literal::Kind::bits, .bits = bits}, accumulator));
    return circuit.function;
  }

  mpq_class leaf_value(std::int64_t i) const { return dot ? value_at(x, i) * value_at(y, i) : value_at(x, i); }

  std::vector<Argument> arguments;

 private:
  NodeId tensors_[2];
};

/// One order, an accumulator, or a set of orders.
ScheduleId honest_order(Pair& pair, Random& random, bool with_bins) {
  constexpr ir::ScheduleOp sets[] = {ir::ScheduleOp::any, ir::ScheduleOp::any_tree, ir::ScheduleOp::any_seq};
  if (random.below(6) == 0) return pair.circuit.schedules().simple(sets[random.below(3)]);
  return any_accumulation(pair.circuit, random, pair.n, pair.dot, with_bins);
}

WithinBound::Finding compared(Pair& pair, const ir::Function& left, const ir::Function& right) {
  static const auto floats = semantics("float");
  frontend::ElaboratedItem item;
  item.left = left;
  item.right = right;
  item.tolerance = frontend::Tolerance::Kind::bound;
  auto made = WithinBound::make(pair.circuit.module, item, *floats);
  REQUIRE(made);
  auto found = made->compare(pair.arguments, {}, {});
  if (!found) FAIL(found.error().message);
  return *found;
}

std::uint64_t float_bits(Pair& pair, const ir::Function& function) {
  static const auto floats = semantics("float");
  auto values = evaluate(pair.circuit.module, function, *floats, pair.arguments, {}, {1024});
  if (!values) FAIL(values.error().message);
  return *floats->bits((*values)[0].scalar(), (*values)[0].at(0));
}

std::string described(Pair& pair, const ir::Function& left, const ir::Function& right) {
  const auto text = [&](const ir::Function& function) -> std::string {
    if (pair.circuit.module[function.body].op != Op::reduce) return "plain";
    return ir::schedule_text(pair.circuit.module, pair.circuit.module.reduction_of(function.body).schedule);
  };
  return std::string(pair.dot ? "dot " : "sum ") + std::string(ir::scalar_name(pair.scalar)) + " into " +
         std::string(ir::scalar_name(pair.accumulator)) + " n " + std::to_string(pair.n) + ": " + text(left) + " and " +
         text(right);
}

}  // namespace

TEST_CASE("rounding explains every pair of orders of one sum or dot") {
  Random random(31);
  const int rounds = test::trials(2000);
  int different = 0, plain = 0;
  for (int trial = 0; trial < rounds; ++trial) {
    const bool loaded = random.below(3) == 0;  // one side is a result that comes from elsewhere, in an order unknown
    const Kind kind = all_kinds[random.below(5)];
    Pair pair(random, loaded, kind, bound_scalars[random.below(std::size(bound_scalars))],
              static_cast<std::int64_t>(1 + random.below(random.below(4) == 0 ? 100 : 12)));

    const ir::Function left = pair.sum(honest_order(pair, random, true));
    // Bins are coarser than any order of rounded additions, so a loaded result is not one of theirs.
    ir::Function right = pair.sum(any_accumulation(pair.circuit, random, pair.n, pair.dot, !loaded));
    INFO("trial " << trial << " " << kind_names[static_cast<int>(kind)] << " " << described(pair, left, right));
    if (loaded) right = pair.plain(float_bits(pair, right));
    const bool swapped = random.below(2) == 0;
    const WithinBound::Finding found = swapped ? compared(pair, right, left) : compared(pair, left, right);
    INFO(found.allowance << found.doubt);
    REQUIRE(found.truth == Truth::yes);
    different += found.largest > 0;
    plain += loaded;
  }
  CHECK(different > rounds / 4);
  CHECK(plain > rounds / 5);
}

namespace {

/// A bound on the error of any accumulator but bins, with room to spare: 2 (n + 4) roundings of size u |leaf| each, and
/// of products' underflow.
mpq_class a_priori(const Pair& pair, const mpq_class& magnitudes, std::int64_t leaves) {
  const auto traits = numerics::traits(ir::format_of(pair.accumulator));
  return mpq_class(static_cast<long>(2 * leaves + 8)) * power_of_two(-traits.precision) * magnitudes * mpq_class(5, 4) +
         mpq_class(static_cast<long>(4 * leaves)) * power_of_two(traits.emin - traits.precision + 1);
}

enum class Bug { zeroed, dropped_last, dropped_first, doubled, repeated_last, swapped, neighbour, narrow };
constexpr const char* bug_names[] = {"zeroed",        "dropped last", "dropped first", "doubled",
                                     "repeated last", "swapped",      "neighbour",     "narrow accumulator"};

/// The sum with a bug, and what it is in rationals.
struct Planted {
  ir::Function function;
  mpq_class exact = 0, magnitudes = 0;
  std::int64_t leaves = 0;
  void count(const mpq_class& leaf) {
    exact += leaf;
    magnitudes += abs(leaf);
    ++leaves;
  }
};

Planted plant(Pair& pair, Random& random, Bug bug, std::int64_t a, std::int64_t b) {
  Planted out;
  ir::Module& module = pair.circuit.module;
  const std::int64_t n = pair.n;
  const auto index = [&](std::int64_t k) { return pair.circuit.constant(k); };
  const auto is = [&](IndexId i, std::int64_t k) {
    return module.index_condition(module.indices().equal(i, index(k)));
  };
  const auto product = [&](NodeId left, const std::function<NodeId()>& right) {
    return pair.dot ? module.apply(Op::mul, {left, right()}) : left;
  };
  const std::int64_t length = bug == Bug::dropped_last || bug == Bug::dropped_first ? n - 1
                              : bug == Bug::repeated_last                           ? n + 1
                                                                                    : n;
  const ScheduleId schedule = any_accumulation(pair.circuit, random, length, pair.dot, false);
  out.function = pair.sum(schedule, length, [&](VariableId variable) {
    const IndexId i = pair.circuit.at(variable);
    NodeId x = pair.at(0, i);
    IndexId at = i;
    switch (bug) {
      case Bug::zeroed: x = module.apply(Op::select, {is(i, a), module.rational(0, pair.accumulator), x}); break;
      case Bug::doubled: x = module.apply(Op::select, {is(i, a), module.apply(Op::add, {x, x}), x}); break;
      case Bug::dropped_first: at = module.indices().add(i, index(1)); break;
      case Bug::repeated_last: at = module.indices().minimum(i, index(n - 1)); break;
      default: break;
    }
    if (at != i) x = pair.at(0, at);
    return product(x, [&] {
      if (bug == Bug::neighbour)
        return pair.at(1, module.indices().floor_mod(module.indices().add(i, index(1)), index(n)));
      if (bug != Bug::swapped) return pair.at(1, at);
      return module.apply(Op::select, {is(i, a), pair.at(1, index(b)),
                                       module.apply(Op::select, {is(i, b), pair.at(1, index(a)), pair.at(1, i)})});
    });
  });
  for (std::int64_t i = 0; i < length; ++i) {
    const std::int64_t at = bug == Bug::dropped_first ? i + 1 : std::min(i, n - 1);
    const std::int64_t partner = bug == Bug::neighbour           ? (i + 1) % n
                                 : bug == Bug::swapped && i == a ? b
                                 : bug == Bug::swapped && i == b ? a
                                                                 : at;
    mpq_class leaf = value_at(pair.x, at);
    if (pair.dot) leaf *= value_at(pair.y, partner);
    if (bug == Bug::zeroed && i == a) leaf = 0;
    if (bug == Bug::doubled && i == a) leaf *= 2;
    out.count(leaf);
  }
  return out;
}

/// Every partial sum rounded to f16, in an order from left to right: worked out here, in rationals.
std::optional<mpq_class> narrow_sum(const Pair& pair) {
  mpq_class sum = 0;
  for (std::int64_t i = 0; i < pair.n; ++i) {
    const auto value =
        numerics::exact_value(numerics::round_rational(sum + pair.leaf_value(i), ir::Format::f16), ir::Format::f16);
    if (!value) return std::nullopt;
    sum = *value;
  }
  return sum;
}

}  // namespace

TEST_CASE("rounding explains no planted bug whose effect exceeds the bounds") {
  Random random(37);
  const int wanted = test::trials(1000);
  int planted = 0, drawn = 0, of_kind[8] = {}, plain = 0;
  while (planted < wanted && drawn < 100 * wanted) {
    ++drawn;
    const auto bug = static_cast<Bug>(random.below(8));
    const bool loaded = bug == Bug::narrow || random.below(3) == 0;
    const Scalar scalar = bug == Bug::narrow ? Scalar::f32 : bound_scalars[random.below(std::size(bound_scalars))];
    const Kind kind = bug == Bug::narrow ? all_kinds[random.below(2)] : all_kinds[random.below(5)];
    Pair pair(random, loaded, kind, scalar,
              static_cast<std::int64_t>(2 + random.below(random.below(3) == 0 ? 60 : 10)));
    if ((bug == Bug::swapped || bug == Bug::neighbour) && !pair.dot) continue;
    const auto a = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(pair.n))),
               b = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(pair.n)));
    mpq_class exact = 0, magnitudes = 0;
    for (std::int64_t i = 0; i < pair.n; ++i) {
      exact += pair.leaf_value(i);
      magnitudes += abs(pair.leaf_value(i));
    }
    const ir::Function right_sum = pair.sum(honest_order(pair, random, false));
    const mpq_class own = a_priori(pair, magnitudes, pair.n);
    ir::Function wrong;
    mpq_class effect, others;  // what the bug does; the largest allowance of its side, and its own rounding
    if (bug == Bug::narrow) {
      const auto value = narrow_sum(pair);
      if (!value) continue;
      wrong = pair.plain(numerics::round_rational(*value, ir::format_of(pair.accumulator)));  // f16 in f32: exact
      effect = abs(*value - exact);
      others = own;  // of any order; no rounding of its own
    } else {
      Planted made = plant(pair, random, bug, a, b);
      effect = abs(made.exact - exact);
      others = 2 * a_priori(pair, made.magnitudes, made.leaves);
      wrong = made.function;
      if (loaded) others += own;
    }
    if (effect <= 2 * own + others) continue;
    INFO("bug " << planted << ", " << bug_names[static_cast<int>(bug)] << " of " << kind_names[static_cast<int>(kind)]
                << " " << described(pair, right_sum, wrong));
    if (loaded && bug != Bug::narrow) wrong = pair.plain(float_bits(pair, wrong));
    const WithinBound::Finding found =
        random.below(2) == 0 ? compared(pair, right_sum, wrong) : compared(pair, wrong, right_sum);
    INFO(found.allowance << found.doubt);
    REQUIRE(found.truth == Truth::no);
    ++planted;
    ++of_kind[static_cast<int>(bug)];
    plain += loaded;
  }
  CHECK(planted == wanted);
  CHECK(plain > wanted / 5);
  for (int k = 0; k < 8; ++k) {
    INFO(bug_names[k]);
    CHECK(of_kind[k] > wanted / 40);
  }
}

TEST_CASE("a finding names the worst element, both values, their distance and the allowance") {
  Random random(41);
  Pair pair(random, false, Kind::uniform, Scalar::f32, 3);
  // Three elements; the middle one is off by 1, the last by 2^-20.
  const std::vector<IndexId> shape{pair.circuit.constant(3)};
  const NodeId left =
      pair.circuit.map(shape, [&](std::vector<VariableId> i) { return pair.at(0, pair.circuit.at(i[0])); });
  const NodeId right = pair.circuit.map(shape, [&](std::vector<VariableId> i) {
    ir::Module& module = pair.circuit.module;
    const auto is = [&](std::int64_t k) {
      return module.index_condition(module.indices().equal(pair.circuit.at(i[0]), pair.circuit.constant(k)));
    };
    const NodeId moved =
        module.apply(Op::select,
                     {is(1), module.rational(3, Scalar::f32),
                      module.apply(Op::select, {is(2), module.rational(mpq_class(2) + power_of_two(-20), Scalar::f32),
                                                pair.at(0, pair.circuit.at(i[0]))})});
    return moved;
  });
  pair.arguments = {tensor({3}, {1, 2, 2}), tensor({3}, {1, 2, 2})};
  pair.circuit.result(left);
  const ir::Function f = pair.circuit.function;
  pair.circuit.result(right);
  const WithinBound::Finding found = compared(pair, f, pair.circuit.function);
  CHECK(found.truth == Truth::no);
  CHECK(found.element == 1);
  CHECK(found.shape == std::vector<std::int64_t>{3});
  CHECK(found.left.text == "2");
  CHECK(found.right.text == "3");
  CHECK(found.distance == "4194304 ulp");
  CHECK(found.allowance == "0 in all: 0 on the left and 0 on the right; the difference is 1");
}
