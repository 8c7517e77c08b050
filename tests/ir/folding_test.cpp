// Every folding rule where it matches, where it does not, and without its laws.
#include <catch2/catch.hpp>
#include <set>

#include "ir/parser.h"
#include "ir/passes/folding_rules.h"
#include "ir/passes/passes.h"
#include "ir/printer.h"

using namespace reckon;
using namespace reckon::ir;

namespace {

struct Case {
  std::string rule;
  std::string positive;  ///< a value, as printed IR has it
  std::string folded;    ///< the operand that it becomes
  std::string negative;  ///< a value that stays
};

std::string program(const std::string& value) {
  const std::string type = value.substr(0, value.find(' ')), rest = value.substr(value.find(' ') + 1);
  return "fn f[n](x: f32, y: f32, c: bool, d: f64, t: f32[n]) -> " + type +
         " {\n  %v0: f32 = neg x\n  %v1: f32 = neg %v0\n  %v2: bool = not c\n  %v3: bool = not %v2\n"
         "  %v4: f32[2, 2] = array x, y, f32(3), f32(4)\n  %v9: " +
         type + " = " + rest + "\n  yield %v9\n}\n";
}

Function read(Module& m, const std::string& text) {
  auto parsed = parse_ir(m, text);
  if (!parsed) FAIL(text << parsed.error().message);
  return parsed->front();
}

const FoldingRule& rule_named(const std::string& name) {
  for (const FoldingRule& rule : folding_rules()) {
    if (rule.name == name) return rule;
  }
  FAIL("no rule " << name);
  return folding_rules()[0];
}

const std::vector<Case>& cases() {
  static const std::vector<Case> rows{
      {"add_zero", "f32 add x, f32(0)", "x", "f32 add x, f32#80000000"},
      {"add_zero", "f32 add f32(0), f32(0)", "f32(0)", "f32 add f32(0), x"},
      {"zero_add", "f32 add f32(0), x", "x", "f32 add x, f32(0)"},
      {"sub_zero", "f32 sub x, f32(0)", "x", "f32 sub f32(0), x"},
      {"sub_zero", "f32 sub f32(2), f32(0)", "f32(2)", "f32 sub x, f32#80000000"},
      {"sub_self", "f32 sub x, x", "f32(0)", "f32 sub x, y"},
      {"mul_one", "f32 mul x, f32(1)", "x", "f32 mul x, f32(-1)"},
      {"one_mul", "f32 mul f32(1), x", "x", "f32 mul x, f32(1)"},
      {"mul_zero", "f32 mul x, f32(0)", "f32(0)", "f32 mul x, f32(1)"},
      {"zero_mul", "f32 mul f32(0), x", "f32(0)", "f32 mul x, f32(0)"},
      {"div_one", "f32 div x, f32(1)", "x", "f32 div f32(1), x"},
      {"double_negation", "f32 neg %v0", "x", "f32 neg x"},
      {"min_max_same", "f32 min x, x", "x", "f32 min x, y"},
      {"min_max_same", "f32 max y, y", "y", "f32 add y, y"},
      {"select_same", "f32 select c, x, x", "x", "f32 select c, x, y"},
      {"select_known", "f32 select true, x, y", "x", "f32 select c, x, y"},
      {"select_known", "f32 select false, x, y", "y", "f32 select %v2, x, y"},
      {"not_known", "bool not true", "false", "bool not c"},
      {"not_known", "bool not false", "true", "bool not %v2"},
      {"not_not", "bool not %v2", "c", "bool not c"},
      {"logic_known", "bool and c, true", "c", "bool and c, %v2"},
      {"logic_known", "bool and false, c", "false", "bool or c, %v2"},
      {"logic_known", "bool or c, false", "c", "bool or %v2, c"},
      {"logic_known", "bool or true, c", "true", "bool not c"},
      {"logic_same", "bool and c, c", "c", "bool and c, %v2"},
      {"logic_same", "bool or c, c", "c", "bool or c, %v2"},
      {"arithmetic_exact", "f32 add f32(1/3), f32(1/6)", "f32(1/2)", "f32 add f32(1/3), x"},
      {"arithmetic_exact", "f32 add f32(1), f32(2)", "f32(3)", "u32 add u32(4294967295), u32(2)"},
      {"arithmetic_exact", "f32 sub f32(1/3), f32(1/3)", "f32(0)", "f32 sub f32(inf), f32(1)"},
      {"arithmetic_exact", "f32 mul f32(1/3), f32(3)", "f32(1)", "f32 mul f32(pi*1), f32(1)"},
      {"arithmetic_exact", "number div number(1), number(-3)", "number(-1/3)", "f32 div f32(1), f32(0)"},
      {"arithmetic_exact", "f32 neg f32(1/3)", "f32(-1/3)", "f32 abs f32(1/3)"},
      {"arithmetic_exact", "f32 fma f32(1/3), f32(3), f32(1/7)", "f32(8/7)", "f32 sqrt f32(4)"},
      {"order_exact", "f32 min f32(1/3), f32(1/2)", "f32(1/3)", "f32 min f32(1/3), x"},
      {"order_exact", "f32 max f32(1/3), f32(1/2)", "f32(1/2)", "f32 max f32(inf), f32(1)"},
      {"order_exact", "f32 abs f32(-1/2)", "f32(1/2)", "f32 neg f32(-1/2)"},
      // 1/3 in f16 is 1365/4096; the sum with 1/6 = 1365/8192 is 4095/8192, a tie between 2047 and 2048 of 4096ths.
      {"arithmetic_rounded", "f16 add f16(1/3), f16(1/6)", "f16(1/2)", "f16 add f16(1/3), f16(-1/3)"},
      {"arithmetic_rounded", "f16 add f16(2048), f16(1)", "f16(2048)", "f16 add f16(65504), f16(65504)"},
      {"arithmetic_rounded", "f32 sub f32#3f800000, f32(1/2)", "f32(1/2)", "f32 sub f32(inf), f32(1)"},
      {"arithmetic_rounded", "f32 mul f32(3), f32(1/2)", "f32(3/2)", "f32 mul f32(-1), f32(0)"},
      {"arithmetic_rounded", "f16 div f16(1), f16(3)", "f16(1365/4096)", "f16 div f16(1), f16(0)"},
      {"arithmetic_rounded", "f32 neg f32(2)", "f32(-2)", "f32 neg f32(0)"},
      {"arithmetic_rounded", "f16 fma f16(2048), f16(1), f16(1)", "f16(2048)", "f16 fma f16(1), f16(1), f16(-1)"},
      {"arithmetic_rounded", "f32 max f32(-1), f32(2)", "f32(2)", "f32 max f32(0), f32(-1)"},
      {"arithmetic_rounded", "f32 abs f32(-2)", "f32(2)", "number add number(1), number(2)"},
      // The least subnormal is 2^-24; halved, it rounds to zero.
      {"arithmetic_rounded", "f16 mul f16#0001, f16(2)", "f16(1/8388608)", "f16 mul f16#0001, f16(1/2)"},
      {"comparison_exact", "bool less f32(1/3), f32(1/2)", "true", "bool less f32(1/3), x"},
      {"comparison_exact", "bool equal f16(1/3), f16(1365/4096)", "false", "bool equal f32(pi*1), f32(3)"},
      {"comparison_exact", "bool less_equal f32(1/2), f32(1/2)", "true", "bool not_equal f32(nan), f32(nan)"},
      {"comparison_exact", "bool not_equal f32(1/2), f32(1/2)", "false", "bool not_equal f32(inf), f32(1)"},
      {"comparison_rounded", "bool equal f16(1/3), f16(1365/4096)", "true", "bool equal f16(1/3), f16(nan)"},
      {"comparison_rounded", "bool less f16(1/3), f16(1366/4096)", "true", "bool less f16(1/3), f16(100000)"},
      {"comparison_rounded", "bool equal f32(0), f32#80000000", "true", "bool equal number(0), number(0)"},
      {"conversion_exact", "f16 convert f32(1/3)", "f16(1/3)", "f16 convert f32#3f800000"},
      {"conversion_exact", "f32 convert number(1/3)", "f32(1/3)", "f32 convert d"},
      {"conversion_exact", "f16 convert f32(1/4)", "f16(1/4)", "u32 convert f32(3/2)"},
      {"conversion_rounded", "f16 convert f32(1/3)", "f16(1365/4096)", "f16 convert f32(0)"},
      {"conversion_rounded", "f64 convert f16(1/3)", "f64(1365/4096)", "f16 convert f32(100000)"},
      {"conversion_rounded", "f32 convert f64#3ff0000000000000", "f32(1)", "f32 convert number(1/3)"},
      {"element_of_array", "f32 abs %v4[1, 0]", "f32(3)", "f32 abs %v4[n, 0]"},
      {"element_of_array", "f32 abs %v4[0, 1]", "y", "f32 abs t[0]"},
      {"element_of_array", "f32 abs %v4[1, 1]", "f32(4)", "f32 abs %v4[2, 0]"},
  };
  return rows;
}

}  // namespace

TEST_CASE("folding rules match what they should, with their laws, and nothing else") {
  std::set<std::string> tested;
  for (const Case& row : cases()) {
    CAPTURE(row.rule, row.positive, row.negative);
    tested.insert(row.rule);
    const FoldingRule& rule = rule_named(row.rule);
    const bool element = row.rule == "element_of_array";
    for (bool positive : {true, false}) {
      Module m;
      Function function = read(m, program(positive ? row.positive : row.negative));
      NodeId id = function.body;
      if (element) id = m[id].operands[0];  // an element is no statement of its own
      const Node node = m[id];
      const auto result = rule.apply(m, node, node.operands);
      REQUIRE(result.has_value() == positive);
      if (!positive) continue;
      const std::string type = row.positive.substr(0, row.positive.find(' '));
      Function expected =
          read(m, "fn f[n](x: f32, y: f32, c: bool, d: f64, t: f32[n]) -> " + type + " { yield " + row.folded + " }\n");
      CHECK(*result == expected.body);
      // The pass has the rule if the laws have what it needs, and not otherwise.
      function.body = id;
      CHECK(fold_constants(m, function, rule.needs).body == expected.body);
      if (!rule.needs.has_all({})) continue;
      const bool needs_nothing = Laws{}.has_all(rule.needs);
      if (!needs_nothing) CHECK(fold_constants(m, function, {}).body == function.body);
    }
  }
  for (const FoldingRule& rule : folding_rules()) {
    CAPTURE(std::string(rule.name));
    CHECK(tested.contains(std::string(rule.name)));
  }
}

TEST_CASE("folding goes from the leaves up") {
  Module m;
  const Function function =
      read(m,
           "fn f(x: f32) -> f32 {\n  %v0: f32 = add f32(1), f32(2)\n  %v1: f32 = sub %v0, f32(2)\n"
           "  %v2: f32 = mul x, %v1\n  yield %v2\n}\n");
  const Laws laws{Law::literals_round, Law::mul_one};
  CHECK(print(m, fold_constants(m, function, laws)) == "fn f(x: f32) -> f32 {\n  yield x\n}\n");
  CHECK(print(m, fold_constants(m, function, {Law::mul_one})) == print(m, function));
}

TEST_CASE("numbers do not grow without end") {
  std::string text = "fn f() -> number {\n  %v0: number = mul number(3), number(3)\n";
  for (int k = 1; k <= 60; ++k) {
    const std::string before = "%v" + std::to_string(k - 1);
    text += "  %v" + std::to_string(k) + ": number = mul " + before + ", " + before + "\n";
  }
  Module m;
  const Function function = read(m, text + "  yield %v60\n}\n");
  CHECK(print(m, fold_constants(m, function, {Law::literals_exact})).size() < 10000);
}
