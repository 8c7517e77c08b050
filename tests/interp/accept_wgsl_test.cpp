// accept(wgsl_suite) against the conformance suite's own results, and accept(wgsl) around them.
#include "tests/interp/wgsl_cases.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;

TEST_CASE("the suite's rule gives the suite's intervals, both ends to the last bit") {
  Cases cases(true);
  const Agreement found = compare_rows(cases, [](const std::string&) { return false; });
  CHECK(found.rows == 2090);
  CHECK(found.agreeing == found.rows);
}
