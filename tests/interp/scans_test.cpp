// Scans share what their prefixes have in common (interp/prefixes.cpp); the definition does not: element i is the
// reduction of leaves 0..i. Both in one circuit, under every semantics, by random schedules.
#include <cstdlib>

#include "diagnostics/codes/quoted_tree_length.h"
#include "tests/interp/circuits.h"
#include "tests/support/long_run.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;
using ir::HostTensor;
using ir::ScheduleOp;

namespace {

/// Random schedules that have a tree for every length.
class Orders {
 public:
  Orders(Circuit& circuit, std::uint64_t seed) : c_(circuit), random_(seed) {}

  bool fuses = false;

  ScheduleId order(int depth, bool accumulate) {
    if (accumulate && random_.below(4) == 0) {
      switch (random_.below(6)) {
        case 0: return c_.schedules().simple(ScheduleOp::kahan);
        case 1: return c_.schedules().simple(ScheduleOp::rounded_once);
        case 2: return c_.schedules().binned(c_.constant(2));
        case 3: return c_.schedules().neumaier(order(depth, false));
        default: fuses = true; return c_.schedules().fused(order(depth, false));
      }
    }
    if (depth <= 0 || random_.below(4) == 0) {
      static constexpr ScheduleOp simple[] = {ScheduleOp::seq, ScheduleOp::tree, ScheduleOp::halving,
                                              ScheduleOp::blelloch};
      return c_.schedules().simple(simple[random_.below(4)]);
    }
    switch (random_.below(8)) {
      case 0: {
        const ScheduleId first = order(depth - 1, accumulate);
        return c_.split(size(), first, order(depth - 1, accumulate));
      }
      case 1: {  // by parity of the length, and split in the middle
        const VariableId n = c_.module.fresh_variable();
        const IndexId half = c_.index().maximum(c_.constant(1), c_.index().floor_div(c_.at(n), c_.constant(2)));
        const ScheduleId first = order(depth - 1, accumulate);
        const ScheduleId halves = c_.schedules().split(half, first, order(depth - 1, accumulate));
        const IndexId even = c_.index().equal(c_.index().floor_mod(c_.at(n), c_.constant(2)), c_.constant(0));
        return c_.schedules().length(n, c_.schedules().conditional(even, halves, order(depth - 1, accumulate)));
      }
      default: {
        const ScheduleId first = stage(depth - 1, accumulate);
        return c_.then(first, order(depth - 1, accumulate));
      }
    }
  }

 private:
  std::int64_t size() {
    static constexpr std::int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 16, 32, 128};
    return sizes[random_.below(std::size(sizes))];
  }
  ScheduleId stage(int depth, bool accumulate) {
    switch (random_.below(7)) {
      case 0: {
        const auto a = 1 + static_cast<std::int64_t>(random_.below(4)),
                   b = 1 + static_cast<std::int64_t>(random_.below(4));
        ir::Arrangement arrangement;
        if (random_.below(2)) arrangement.run = {{a, 1}, {b, a}};
        else arrangement.run = {{a, b}, {b, 1}};
        arrangement.runs = {{1, a * b}};
        arrangement.open = true;
        return c_.schedules().arrange(arrangement, order(depth, accumulate));
      }
      case 1: {
        const ScheduleId first = stage(depth - 1, accumulate);
        return c_.schedules().stage_then(first, stage(depth - 1, accumulate));
      }
      case 2:
      case 3: return c_.tile(size(), order(depth, accumulate));
      default: return c_.lanes(size(), order(depth, accumulate));
    }
  }
  Circuit& c_;
  Random random_;
};

enum class Operation { add, maximum, user, tuples };

/// Results: scans alone and in a map, and the same elements by definition.
void build(Circuit& c, ScheduleId schedule, Operation operation, bool products) {
  const IndexId n = c.dimension("n"), m = c.constant(3);
  const NodeId x = c.parameter("x", Scalar::f32, {m, n}), y = c.parameter("y", Scalar::f32, {m, n});
  auto fold = [&](IndexId extent, IndexId row) {
    auto leaf = [&](VariableId i) {
      const NodeId a = c.module.element(x, {row, c.at(i)}), b = c.module.element(y, {row, c.at(i)});
      if (operation == Operation::tuples) return c.module.tuple({a, b});
      return products ? c.module.apply(Op::mul, {a, b}) : a;
    };
    if (operation == Operation::add) return c.fold(Op::add, extent, schedule, leaf);
    if (operation == Operation::maximum) return c.fold(Op::max, extent, schedule, leaf);
    return c.user_fold(extent, schedule, leaf, [&](NodeId left, NodeId right) {
      if (operation == Operation::user) return c.module.apply(Op::sub, {c.module.apply(Op::mul, {left, right}), left});
      const NodeId a = c.module.get(left, 0), b = c.module.get(left, 1), d = c.module.get(right, 0),
                   e = c.module.get(right, 1);
      return c.module.tuple({c.module.apply(Op::add, {a, e}), c.module.apply(Op::mul, {b, d})});
    });
  };
  auto part = [&](NodeId node) { return operation == Operation::tuples ? c.module.get(node, 0) : node; };
  const NodeId alone = part(c.module.scan(fold(n, c.constant(0))));
  const NodeId nested = c.map({m, n}, [&](std::vector<VariableId> v) {
    return c.module.element(part(c.module.scan(fold(n, c.at(v[0])))), {c.at(v[1])});
  });
  const NodeId apart = c.map({m, n}, [&](std::vector<VariableId> v) {
    return part(c.module.reduce(fold(c.index().add(c.at(v[1]), c.constant(1)), c.at(v[0]))));
  });
  c.result(c.module.tuple({alone, nested, apart}));
}

HostTensor values(std::int64_t n, Random& random, bool hostile) {
  HostTensor out(Scalar::f32, {3, n});
  for (std::int64_t i = 0; i < out.size(); ++i) {
    const double value = (static_cast<double>(random.word() >> 11) - 0x1p52) / 0x1p52;
    const bool wild = hostile && random.below(6) == 0;
    out.set_bits(i, wild ? random.word() & 0xffffffff : numerics::round_f64(value, numerics::Format::f32));
  }
  return out;
}

}  // namespace

TEST_CASE("scans agree with the reductions of their prefixes under every semantics") {
  Random random(11);
  int compared = 0, different = 0;
  const int count = test::trials(150);
  for (int t = 0; t < count; ++t) {
    for (const char* name : {"float", "exact", "interval", "bound", "fpsan", "count"}) {
      const std::string meaning = name;
      Circuit c;
      const auto operation = static_cast<Operation>(t % 4);
      const bool rings = meaning == "exact" || meaning == "interval" || meaning == "fpsan";
      Orders orders(c, static_cast<std::uint64_t>(t));
      const ScheduleId schedule = orders.order(3, operation == Operation::add);
      build(c, schedule, operation, orders.fuses || t % 3 == 0);
      auto semantics = testing::semantics(name);
      static constexpr std::int64_t lengths[] = {1, 2, 3, 7, 8, 9, 16, 17, 31, 33, 40, 64, 65, 100};
      // Products of products grow to thousands of digits under `exact`.
      const std::int64_t n = operation == Operation::add || operation == Operation::maximum || !rings
                                 ? lengths[random.below(std::size(lengths))]
                                 : lengths[random.below(7)];
      const HostTensor x = values(n, random, meaning == "float" && t % 2 == 1), y = values(n, random, false);
      static constexpr std::size_t batches[] = {1024, 1024, 7, 1, 64};
      auto results = c.run(*semantics, {x, y}, {}, batches[random.below(std::size(batches))]);
      INFO(name << ", n = " << n << ", operation " << t % 4 << ", by " << ir::schedule_text(c.module, schedule));
      if (!results) {
        FAIL_CHECK(results.error().message);
        continue;
      }
      auto text = [&](std::size_t which, std::int64_t at) {
        const Rendering shown = semantics->render(Scalar::f32, (*results)[which].at(at));
        std::string out = shown.text;
        for (const auto& [key, value] : shown.fields) out += " " + value;
        return out;
      };
      std::string last;
      for (std::int64_t i = 0; i < 3 * n; ++i, ++compared) {
        const std::string right = text(2, i);
        different += right != last;
        last = right;
        if (text(1, i) != right) {
          FAIL_CHECK("row " << i / n << ", element " << i % n << ": " << text(1, i) << " instead of " << right);
          break;
        }
        if (i < n && text(0, i) != right) {
          FAIL_CHECK("alone, element " << i << ": " << text(0, i) << " instead of " << right);
          break;
        }
      }
    }
  }
  CHECK(different > compared / 2);
}

TEST_CASE("long scans agree with the reductions of some of their prefixes") {
  constexpr std::int64_t n = 3000, step = 127;
  Random random(12);
  int different = 0, compared = 0;
  for (int t = 0; t < test::trials(150) / 3; ++t) {
    Circuit c;
    Orders orders(c, 1000 + static_cast<std::uint64_t>(t));
    const ScheduleId schedule = orders.order(3, true);
    const NodeId x = c.parameter("x", Scalar::f32, {c.constant(n)});
    auto leaf = [&](VariableId i) {
      const NodeId value = c.module.element(x, {c.at(i)});
      return orders.fuses ? c.module.apply(Op::mul, {value, value}) : value;
    };
    const NodeId scan = c.module.scan(c.fold(Op::add, c.constant(n), schedule, leaf));
    const NodeId apart = c.map({c.constant(n / step)}, [&](std::vector<VariableId> v) {
      const IndexId last = c.index().multiply(c.constant(step), c.at(v[0]));
      return c.reduce(Op::add, c.index().add(last, c.constant(1)), schedule, leaf);
    });
    c.result(c.module.tuple({scan, apart}));
    HostTensor in(Scalar::f32, {n});
    for (std::int64_t i = 0; i < n; ++i) {
      const double value = (static_cast<double>(random.word() >> 11) - 0x1p52) / 0x1p52;
      in.set_bits(i, numerics::round_f64(value, numerics::Format::f32));
    }
    auto floating = semantics("float");
    INFO("by " << ir::schedule_text(c.module, schedule));
    auto results = c.run(*floating, {in});
    REQUIRE(results);
    const auto all = floats((*results)[0], *floating), some = floats((*results)[1], *floating);
    float running = 0;
    for (std::int64_t i = 0, k = 0; i < n; ++i) {
      running += orders.fuses ? std::bit_cast<float>(static_cast<std::uint32_t>(in.bits(i))) *
                                    std::bit_cast<float>(static_cast<std::uint32_t>(in.bits(i)))
                              : std::bit_cast<float>(static_cast<std::uint32_t>(in.bits(i)));
      if (i != k * step || k >= n / step) continue;
      different += running != some[static_cast<std::size_t>(k)];
      ++compared;
      if (all[static_cast<std::size_t>(i)] != some[static_cast<std::size_t>(k)]) FAIL_CHECK("element " << i);
      ++k;
    }
  }
  CHECK(different > compared / 4);
}

TEST_CASE("a scan by an order for one length alone is an error") {
  Circuit c;
  auto& trees = c.schedules().trees();
  const ScheduleId quoted = c.schedules().quoted(trees.pair(trees.leaf(1), trees.leaf(0)));
  c.result(c.module.scan(c.fold(Op::add, c.constant(20), c.then(c.tile(10, c.seq()), quoted),
                                [&](VariableId i) { return c.module.index_value(c.at(i), Scalar::f32); })));
  auto values = c.run(*semantics("float"));
  REQUIRE(!values);
  CHECK(values.error().code == code::quoted_tree_length);
}
