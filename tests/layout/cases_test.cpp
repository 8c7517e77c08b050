// Every row of tests/data/layout_cases.json: the expected layout as a function, and as it is written there; a refusal
// where one is expected; the layout that exists where CUTLASS refuses.
#include "tests/layout/cases.h"

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

#include "tests/layout/notation.h"
#include "tests/support/files.h"

using namespace reckon::layout;
using namespace reckon::layout_tests;

namespace {

std::vector<Row> rows() {
  const auto file = nlohmann::json::parse(reckon::test::read_file(reckon::test::data_folder() / "layout_cases.json"));
  const auto text = [](const nlohmann::json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  };
  std::vector<Row> out;
  for (const auto& from : file.at("cases")) {
    Row row{from.at("op"), text(from.at("expected")), {}, {}, {}, {}};
    for (const auto& argument : from.at("args")) row.args.push_back(text(argument));
    if (from.contains("values")) row.values = from.at("values").get<std::vector<std::int64_t>>();
    if (from.contains("exact")) row.exact = text(from.at("exact"));
    if (from.contains("offset")) row.offset = from.at("offset").get<std::int64_t>();
    out.push_back(std::move(row));
  }
  return out;
}

struct Count {
  int rows = 0;     ///< of the operation
  int held = 0;     ///< answered as expected
  int spelled = 0;  ///< ... and written in the same way
  friend bool operator==(const Count&, const Count&) = default;
};

std::ostream& operator<<(std::ostream& out, const Count& count) {
  return out << count.held << " of " << count.rows << ", " << count.spelled << " as written";
}

/// Rows whose expected text is CUTLASS's but no layout: extents are positive. A refusal is right.
bool expects_no_layout(const Row& row) { return row.op == "left_inverse" && row.args[0] == "4:-1"; }

/// The function, in order.
std::vector<std::int64_t> values_of(const AnyLayout& layout) {
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < size(layout); ++i) {
    const auto value = evaluate(layout, i);
    if (!value) FAIL(text(layout) << " has no value at " << i << ": " << value.problem().message);
    out.push_back(*value);
  }
  return out;
}

/// Whether the answer is the layout written, as a function, with its values where the row lists them.
bool same_function(const Row& row, const AnyLayout& answer, const std::string& written) {
  const auto expected = read_any(written);
  if (!expected || shape(*expected).rank() != shape(answer).rank()) return false;
  const auto values = values_of(answer);
  return values == values_of(*expected) && (!row.values || values == *row.values);
}

void check(const Row& row, const Answer& answer, Count& count) {
  const bool refusal = row.expected.rfind("error", 0) == 0 || expects_no_layout(row);
  if (const auto* problem = std::get_if<Problem>(&answer.value)) {
    INFO(problem->message);
    CHECK(refusal);
    CHECK_FALSE(row.exact);
    CHECK(problem->message.size() > 20);
    count.held += refusal;
    count.spelled += refusal;
    return;
  }
  const std::string expected = row.exact ? *row.exact : row.expected;
  if (refusal && !row.exact) {
    const auto* layout = std::get_if<AnyLayout>(&answer.value);
    FAIL_CHECK("refused by CUTLASS, here it is " << (layout ? text(*layout) : std::get<std::string>(answer.value)));
    return;
  }
  CHECK(answer.offset == row.offset);
  if (const auto* written = std::get_if<std::string>(&answer.value)) {
    CHECK(*written == expected);
    count.held += *written == expected;
    count.spelled += *written == expected;
    return;
  }
  const AnyLayout& layout = std::get<AnyLayout>(answer.value);
  INFO(text(layout));
  const bool same = same_function(row, layout, expected);
  CHECK(same);
  count.held += same && answer.offset == row.offset;
  count.spelled += text(layout) == expected;
}

}  // namespace

TEST_CASE("the rows of the case file") {
  std::map<std::string, Count> counts;
  for (const Row& row : rows()) {
    CAPTURE(row.op, row.args, row.expected);
    Count& count = counts[row.op];
    ++count.rows;
    std::optional<Answer> answer;
    for (const auto family : {structure_answer, algebra_answer, hardware_answer}) {
      if (!answer) answer = family(row);
    }
    if (answer) check(row, *answer, count);
  }
  Count sum;
  std::vector<std::string> others;
  for (const auto& [op, count] : counts) {
    sum = {sum.rows + count.rows, sum.held + count.held, sum.spelled + count.spelled};
    if (count == Count{count.rows, count.rows, count.rows}) continue;
    others.push_back(op + ": " + Catch::Detail::stringify(count));
  }
  // 1:1 by 1:1 is (1,1):(0,0) here, not (1,1):(1,0): a mode of one element has no stride.
  CHECK(others == std::vector<std::string>{"logical_divide: 18 of 18, 17 as written"});
  CHECK(sum == Count{514, 514, 513});
}
