// Every combinator's tree, against docs/schedules.md's words written out by hand.
#include <catch2/catch.hpp>
#include <functional>
#include <random>

#include "ir/module.h"
#include "ir/parser.h"
#include "ir/schedule/order.h"

using namespace reckon;
using namespace reckon::ir;

namespace {

/// Reads schedules as printed IR has them.
struct Fixture {
  Module m;
  int count = 0;
  ScheduleId schedule(const std::string& text) {
    const std::string name = "s" + std::to_string(count++);
    const auto result = parse_ir(m, "schedule " + name + " = " + text + "\n");
    if (!result) FAIL(text << ": " << result.error().message);
    return *m.schedules().definition(m.symbol(name));
  }
  std::string tree(const std::string& text, std::int64_t n) {
    const auto [tree, problem] = m.schedules().expand(schedule(text), n);
    if (problem) return "problem " + std::to_string(static_cast<int>(problem->kind));
    return m.schedules().trees().text(tree);
  }
  std::optional<ScheduleProblem> problem(const std::string& text, std::int64_t n) {
    return m.schedules().expand(schedule(text), n).problem;
  }
};

std::string pair(const std::string& a, const std::string& b) { return "(" + a + " " + b + ")"; }

/// NumPy's pairwise sum as its C code has it (numpy/core/src/umath/loops_utils.h.src, pairwise_sum), on names.
std::string numpy(std::int64_t first, std::int64_t n) {
  auto name = [&](std::int64_t i) { return std::to_string(first + i); };
  if (n < 8) {
    std::string sum = name(0);
    for (std::int64_t i = 1; i < n; ++i) sum = pair(sum, name(i));
    return sum;
  }
  if (n <= 128) {
    std::string r[8];
    for (int lane = 0; lane < 8; ++lane) r[lane] = name(lane);
    std::int64_t i = 8;
    for (; i < n - n % 8; i += 8) {
      for (int lane = 0; lane < 8; ++lane) r[lane] = pair(r[lane], name(i + lane));
    }
    std::string sum = pair(pair(pair(r[0], r[1]), pair(r[2], r[3])), pair(pair(r[4], r[5]), pair(r[6], r[7])));
    for (; i < n; ++i) sum = pair(sum, name(i));
    return sum;
  }
  std::int64_t half = n / 2;
  half -= half % 8;
  return pair(numpy(first, half), numpy(first + half, n - half));
}

}  // namespace

TEST_CASE("seq, tree and halving") {
  Fixture f;
  CHECK(f.tree("seq", 1) == "0");
  CHECK(f.tree("seq", 4) == "(((0 1) 2) 3)");
  CHECK(f.tree("tree", 1) == "0");
  CHECK(f.tree("tree", 2) == "(0 1)");
  CHECK(f.tree("tree", 3) == "((0 1) 2)");
  CHECK(f.tree("tree", 5) == "(((0 1) (2 3)) 4)");
  CHECK(f.tree("tree", 6) == "(((0 1) (2 3)) (4 5))");
  CHECK(f.tree("tree", 7) == "(((0 1) (2 3)) ((4 5) 6))");
  CHECK(f.tree("tree", 9) == "((((0 1) (2 3)) ((4 5) (6 7))) 8)");
  CHECK(f.tree("halving", 1) == "0");
  CHECK(f.tree("halving", 2) == "(0 1)");
  CHECK(f.tree("halving", 3) == "((0 2) 1)");
  CHECK(f.tree("halving", 4) == "((0 2) (1 3))");
  CHECK(f.tree("halving", 5) == "(((0 4) 2) (1 3))");
  CHECK(f.tree("halving", 7) == "(((0 4) (2 6)) ((1 5) 3))");
}

TEST_CASE("quoted trees and split") {
  Fixture f;
  CHECK(f.tree("'((1 0) (3 2))", 4) == "((1 0) (3 2))");
  const auto problem = f.problem("'((0 1) 2)", 4);
  REQUIRE(problem);
  CHECK(problem->kind == ScheduleProblem::Kind::quoted_length);
  CHECK(problem->expected == 3);
  CHECK(problem->actual == 4);
  CHECK(f.tree("split(3, seq, tree)", 7) == "(((0 1) 2) ((3 4) (5 6)))");
  CHECK(f.tree("split(3, seq, tree)", 3) == "((0 1) 2)");
  CHECK(f.tree("split(3, seq, tree)", 2) == "(0 1)");
  CHECK(f.tree("split(2, seq, split(1, seq, tree))", 5) == "((0 1) (2 (3 4)))");
}

TEST_CASE("stages") {
  Fixture f;
  CHECK(f.tree("tile(3, seq) then tree", 8) == "((((0 1) 2) ((3 4) 5)) (6 7))");
  CHECK(f.tree("tile(9, tree) then seq", 4) == "((0 1) (2 3))");
  CHECK(f.tree("tile(1, tree) then seq", 3) == "((0 1) 2)");
  CHECK(f.tree("lanes(4, tree) then tree", 12) == "((((0 4) 8) ((1 5) 9)) (((2 6) 10) ((3 7) 11)))");
  CHECK(f.tree("lanes(4, seq) then tree", 6) == "(((0 4) (1 5)) (2 3))");
  CHECK(f.tree("lanes(9, seq) then seq", 3) == "((0 1) 2)");
  CHECK(f.tree("lanes(1, tree) then seq", 4) == "((0 1) (2 3))");
  CHECK(f.tree("tile(2, seq) then tile(2, seq) then seq", 5) == "(((0 1) (2 3)) 4)");
  CHECK(f.tree("tile(4, lanes(2, seq) then seq) then seq", 6) == "(((0 2) (1 3)) (4 5))");
  CHECK(f.tree("lanes(2, tile(2, tree) then seq) then seq", 7) == "(((0 2) (4 6)) ((1 3) 5))");
  // `then` associates: both are one term.
  CHECK(f.schedule("tile(2, seq) then (lanes(2, seq) then seq)") ==
        f.schedule("(tile(2, seq) then lanes(2, seq)) then seq"));
}

TEST_CASE("length and references") {
  Fixture f;
  CHECK(f.tree("length %0: if %0 < 4 { seq } else { tree }", 3) == "((0 1) 2)");
  CHECK(f.tree("length %0: if %0 < 4 { seq } else { tree }", 4) == "((0 1) (2 3))");
  CHECK(f.tree("length %0: tile(%0 // 2, seq) then seq", 6) == "(((0 1) 2) ((3 4) 5))");
  // An inner length is that of the nodes that are there by then.
  CHECK(f.tree("tile(2, seq) then (length %0: split(%0 - 1, seq, tree))", 6) == "(((0 1) (2 3)) (4 5))");
  CHECK(f.tree("length %1: tile(2, length %0: split(%1 - %0, seq, seq)) then seq", 3) == "((0 1) 2)");
  const auto numpy_text =
      "length %0: if %0 < 8 { seq } else { if %0 <= 128 { if %0 % 8 == 0 { lanes(8, seq) then tree } else { split(%0 - "
      "1, "
      "numpy, seq) } } else { split(%0 // 2 - %0 // 2 % 8, numpy, numpy) } }";
  f.m.schedules().define(f.m.symbol("numpy"), f.schedule(numpy_text));
  for (std::int64_t n = 1; n <= 20; ++n) CHECK(f.tree("numpy", n) == numpy(0, n));
  for (std::int64_t n : {127, 128, 129, 136, 200, 255, 256, 257, 300, 1000, 1025})
    CHECK(f.tree("numpy", n) == numpy(0, n));
}

TEST_CASE("schedules without a tree say why") {
  Fixture f;
  using Kind = ScheduleProblem::Kind;
  auto kind = [&](const std::string& text, std::int64_t n = 4) {
    const auto problem = f.problem(text, n);
    REQUIRE(problem);
    return problem->kind;
  };
  CHECK(kind("any") == Kind::no_single_order);
  CHECK(kind("any_tree") == Kind::no_single_order);
  CHECK(kind("tile(2, any_seq) then seq") == Kind::no_single_order);
  CHECK(kind("any(depth: 2)") == Kind::no_single_order);
  CHECK(kind("any(depth: 2)", 5) == Kind::too_shallow);
  CHECK(f.problem("any(depth: 2)", 5)->actual == 5);
  CHECK(kind("any(lanes: 7)") == Kind::no_single_order);
  CHECK(kind("any(lanes: 0)") == Kind::bad_size);
  CHECK(kind("any(depth: n)") == Kind::no_value);
  CHECK(kind("tile(0, seq) then seq") == Kind::bad_size);
  CHECK(kind("lanes(-3, seq) then seq") == Kind::bad_size);
  CHECK(f.problem("split(0, seq, seq)", 4)->expected == 0);
  CHECK(kind("tile(n, seq) then seq") == Kind::no_value);
  CHECK(kind("tile(3 // 0, seq) then seq") == Kind::no_value);
  CHECK(kind("nowhere") == Kind::no_value);
  f.m.schedules().define(f.m.symbol("loop"), f.schedule("length %0: loop"));
  CHECK(kind("loop") == Kind::endless);
  CHECK(f.problem("seq", 0));
}

TEST_CASE("head looks through lengths, conditions and references") {
  Fixture f;
  ScheduleStore& s = f.m.schedules();
  f.m.schedules().define(f.m.symbol("few"),
                         f.schedule("length %0: if %0 < 3 { seq } else { lanes(%0 - 1, tree) then seq }"));
  const ScheduleId few = f.schedule("few");
  CHECK(s.head(few, 2).schedule == s.simple(ScheduleOp::seq));
  const auto head = s.head(few, 5);
  CHECK_FALSE(head.problem);
  CHECK(schedule_text(f.m, head.schedule) == "lanes(4, tree) then seq");
  CHECK(s.parameter(s[head.schedule].operands[0]) == 4);
  CHECK(s.head(few, 5).schedule == head.schedule);  // from the cache
}

TEST_CASE("an order is followed to the heads that the store writes out") {
  Fixture f;
  ScheduleStore& s = f.m.schedules();
  s.define(f.m.symbol("few"), f.schedule("length %0: if %0 < 3 { seq } else { lanes(%0 - 1, tree) then seq }"));
  s.define(f.m.symbol("halves"), f.schedule("length %0: if %0 < 4 { seq } else { split(%0 // 2, halves, few) }"));
  s.define(f.m.symbol("loop"), f.schedule("length %0: loop"));
  // What both say of a term, and of the parts of its head, for the lengths 1 to 9.
  const std::function<void(const Order&, ScheduleId, int)> compare = [&](const Order& order, ScheduleId id, int depth) {
    for (std::int64_t n = 1; n <= 9 && depth > 0; ++n) {
      const auto [head, problem] = order.head(n);
      const auto written = s.head(id, n);
      INFO(schedule_text(f.m, id) << " for " << n);
      REQUIRE(problem.has_value() == written.problem.has_value());
      if (problem) {
        CHECK(problem->kind == written.problem->kind);
        CHECK(problem->expected == written.problem->expected);
        continue;
      }
      const ScheduleNode node = s[written.schedule];
      REQUIRE(head.op() == node.op);
      if (node.parameter.valid()) CHECK(head.parameter() == s.parameter(written.schedule));
      for (std::size_t k = 0; k < node.operands.size(); ++k) compare(head.operand(k), node.operands[k], depth - 1);
    }
  };
  for (const char* text :
       {"few", "halves", "loop", "nowhere", "length %1: tile(2, length %0: split(%1 - %0, seq, seq)) then seq",
        "length %0: if %0 < 5 { tile(%0 - 3, seq) then few } else { lanes(2, few) then halves }",
        "tile(3, halves) then few",
        "length %0: tile(%0 // 4, seq) then tree", "'((0 1) 2)", "any(depth: 2)", "length %0: any(lanes: %0 - 2)"}) {
    const ScheduleId id = f.schedule(text);
    compare(Order(s, id), id, 3);
  }
}

TEST_CASE("orders with the same signature have the same trees") {
  Fixture f;
  const ScheduleStore& s = f.m.schedules();
  const Order order(s, f.schedule("length %0: lanes(%0 // 4, if %0 < 10 { seq } else { tree }) then tile(2, seq) then tree"));
  std::map<std::vector<std::int64_t>, std::vector<std::int64_t>> lengths;
  for (std::int64_t n = 4; n <= 40; ++n) lengths[order.head(n).order.signature()].push_back(n);
  CHECK(lengths.size() == 11);  // 4..7, 8 and 9, 10 and 11, and each four from 12 on
  for (const auto& [signature, same] : lengths) {
    for (const std::int64_t n : same) {
      TreeStore trees;
      const TreeId one = expand(order.head(n).order, 20, trees).tree;
      CHECK(expand(order.head(same.front()).order, 20, trees).tree == one);
    }
  }
}

TEST_CASE("schedules are written as they are read") {
  Fixture f;
  for (const char* text :
       {"seq", "any_seq", "any(depth: 10)", "any(lanes: 2*k)", "tile(2, any(depth: n)) then any", "'((0 1) 2)", "split(n - 1, seq, tree)", "tile(k, seq) then lanes(2, tree) then halving",
        "length %0: if %0 < 3 { seq } else { split(%0 // 2, s, s) }", "tile(2, length %0: seq) then seq",
        "tile(2, seq) then (length %0: tile(%0, seq) then tree)", "tile(2, seq) then if n < 3 { seq } else { tree }",
        "length %1: tile(2, length %0: split(%1 - %0, seq, seq)) then seq", "\"tree\"", "\"odd name\""}) {
    CHECK(schedule_text(f.m, f.schedule(text)) == text);
  }
  CHECK(schedule_text(f.m, f.schedule("length %7: length %3: split(%7, seq, tile(%3, seq) then seq)")) ==
        "length %1: length %0: split(%1, seq, tile(%0, seq) then seq)");
  CHECK(schedule_text(f.m, f.m.schedules().default_order()) == "lanes(128, tree) then tree");
}

TEST_CASE("pins stand at what is carried out, and change no tree") {
  Fixture f;
  const auto text = [&](const std::string& written) { return schedule_text(f.m, f.schedule(written)); };
  for (const char* same :
       {"tile(2, seq) @thread then lanes(4, tree) @warp then halving @block", "'((0 1) 2) @warp", "s @grid",
        "length %0: if %0 < 3 { seq @warp } else { tile(2, seq @thread) then tree @warp }"}) {
    CHECK(text(same) == same);
  }
  // A pin on several terms is one on each that has none.
  CHECK(text("(tile(2, seq) @thread then lanes(2, tree) then seq) @block") ==
        "tile(2, seq) @thread then lanes(2, tree) @block then seq @block");
  CHECK(text("(length %0: if %0 < 3 { seq } else { tree }) @warp") ==
        "length %0: if %0 < 3 { seq @warp } else { tree @warp }");
  CHECK(f.tree("(tile(2, seq) @thread then lanes(2, tree)) @warp then seq @grid", 9) ==
        f.tree("tile(2, seq) then lanes(2, tree) then seq", 9));
  ScheduleStore& s = f.m.schedules();
  CHECK(s.levels(f.schedule("tile(2, seq @thread) then tree @warp")) ==
        std::set{MachineLevel::thread, MachineLevel::warp});
  CHECK(s.levels(f.schedule("seq")).empty());
  s.define(f.m.symbol("few"), f.schedule("length %0: if %0 < 3 { seq } else { tree }"));
  CHECK(schedule_text(f.m, s.head(f.schedule("few @warp"), 2).schedule) == "seq @warp");
}

TEST_CASE("a tree has every leaf once, and one application fewer") {
  std::mt19937_64 random(3);
  std::function<std::string(int)> draw = [&](int depth) -> std::string {
    auto k = [&] { return std::to_string(1 + random() % 5); };
    switch (random() % (depth <= 0 ? 3 : 8)) {
      case 0: return "seq";
      case 1: return "tree";
      case 2: return "halving";
      case 3: return "split(" + k() + ", " + draw(depth - 1) + ", " + draw(depth - 1) + ")";
      case 4: return "(tile(" + k() + ", " + draw(depth - 1) + ") then " + draw(depth - 1) + ")";
      case 5: return "(lanes(" + k() + ", " + draw(depth - 1) + ") then " + draw(depth - 1) + ")";
      case 6:
        return "(tile(" + k() + ", " + draw(depth - 1) + ") then lanes(" + k() + ", seq) then " + draw(depth - 1) + ")";
      default:
        return "(length %" + std::to_string(depth) + ": if %" + std::to_string(depth) + " < " + k() + " { " +
               draw(depth - 1) + " } else { " + draw(depth - 1) + " })";
    }
  };
  for (int trial = 0; trial < 300; ++trial) {
    Fixture f;
    const std::string text = draw(3);
    CAPTURE(text);
    const ScheduleId schedule = f.schedule(text);
    for (std::int64_t n : {1, 2, 3, 5, 8, 13, 32}) {
      const auto [tree, problem] = f.m.schedules().expand(schedule, n);
      REQUIRE_FALSE(problem);
      std::vector<int> seen(static_cast<std::size_t>(n));
      int pairs = 0;
      std::function<void(TreeId)> walk = [&](TreeId id) {
        const TreeNode node = f.m.schedules().trees()[id];
        if (node.leaf >= 0) {
          ++seen.at(static_cast<std::size_t>(node.leaf));
          return;
        }
        ++pairs;
        walk(node.left);
        walk(node.right);
      };
      walk(tree);
      REQUIRE(pairs == n - 1);
      REQUIRE(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
    }
  }
}

TEST_CASE("an arrangement says by how many nodes it repeats") {
  std::mt19937 random(1);
  int repeating = 0;
  for (int round = 0; round < 3000; ++round) {
    Arrangement arrangement;
    for (auto* modes : {&arrangement.run, &arrangement.runs}) {
      for (auto count = random() % 3 + 1; count > 0; --count) {
        modes->push_back({static_cast<std::int64_t>(random() % 6 + 1), static_cast<std::int64_t>(random() % 100)});
      }
    }
    const std::int64_t length = arrangement.run_length();
    for (std::int64_t count = 1; count <= length; ++count) {
      if (!arrangement.repeats_every(count)) continue;
      ++repeating;
      REQUIRE(length % count == 0);
      const auto every = arrangement.every(count);
      for (std::int64_t c = 0; c < length; ++c) {
        REQUIRE(Arrangement::offset(arrangement.run, c) ==
                Arrangement::offset(every, c / count) + Arrangement::offset(arrangement.run, c % count));
      }
    }
    // Every part of the first mode that goes into it, and whole modes.
    const Arrangement::Mode& first = arrangement.run[0];
    for (std::int64_t count = 1; count <= first.extent; ++count) {
      if (first.extent % count == 0) REQUIRE(arrangement.repeats_every(count));
    }
    REQUIRE(arrangement.repeats_every(first.extent));
    REQUIRE(arrangement.repeats_every(length));
  }
  REQUIRE(repeating > 10000);
}
