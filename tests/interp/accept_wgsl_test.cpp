// accept(wgsl_suite) against the conformance suite's own results, and accept(wgsl) around them.
#include <fmt/format.h>

#include "tests/interp/wgsl_cases.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;

namespace {

std::string text(const accept::Interval& x) { return fmt::format("[{:a}, {:a}]", x.low, x.high); }

}  // namespace

TEST_CASE("the suite's rule gives the suite's intervals, both ends to the last bit") {
  Cases cases(true);
  int rows = 0, agreeing = 0;
  for (const json& row : wgsl_cases()) {
    ++rows;
    INFO(row.dump());
    const auto results = cases.evaluate_row(row);
    if (!results) {
      CHECK(false);
      continue;
    }
    std::vector<accept::Interval> wanted;
    bool same = true;
    if (row["op"] == "faceForward") {
      // Alternatives, each a vector or "undefined"; ours are of each element.
      for (std::size_t i = 0; i < results->size(); ++i) {
        const Answers& mine = (*results)[i];
        Answers theirs;
        for (const json& alternative : row["expected"]) {
          wanted.clear();
          Cases::expected(alternative, wanted);
          const bool undefined = wanted.size() == 1;
          accept::unite(theirs, undefined ? Answers::anything(accept::Cause::stated, 0) : Answers::of(wanted[i]), false);
        }
        same &= mine.unbounded == theirs.unbounded && (mine.unbounded || mine.count == theirs.count);
        for (std::size_t p = 0; same && !mine.unbounded && p < mine.count; ++p) same &= mine.parts[p] == theirs.parts[p];
      }
    } else {
      Cases::expected(row["expected"], wanted);
      if (wanted.size() == 1 && results->size() > 1) wanted.assign(results->size(), wanted[0]);
      same = wanted.size() == results->size();
      for (std::size_t i = 0; same && i < wanted.size(); ++i) {
        const accept::Interval mine = ends((*results)[i]);
        INFO("element " << i << ": " << text(mine) << " instead of " << text(wanted[i]));
        CHECK(mine == wanted[i]);
        same &= mine == wanted[i];
      }
    }
    CHECK(same);
    agreeing += same;
  }
  CHECK(rows == 2090);
  CHECK(agreeing == rows);
}
