#include <catch2/catch.hpp>

#include "diagnostics/diagnostic.h"

using namespace reckon;

TEST_CASE("near names are suggested, far ones are not", "[diagnostics]") {
  const std::vector<std::string> names = {"softmax", "schedule", "lanes", "tree", "x"};
  CHECK(nearest_name("sofmax", names) == "softmax");
  CHECK(nearest_name("shcedule", names) == "schedule");  // a transposition is one edit
  CHECK(nearest_name("lane", names) == "lanes");
  CHECK(nearest_name("trees", names) == "tree");
  CHECK(nearest_name("matmul", names) == std::nullopt);
  CHECK(nearest_name("y", names) == std::nullopt);  // no correction of `x`
  CHECK(nearest_name("", names) == std::nullopt);
  CHECK(nearest_name("tree", {}) == std::nullopt);
}

TEST_CASE("the nearest of several names wins, then the first", "[diagnostics]") {
  CHECK(nearest_name("interva", {"internal", "interval"}) == "interval");
  CHECK(nearest_name("tile", {"tilt", "till"}) == "tilt");
  CHECK(nearest_name("matmull", {"matmul", "matmult"}) == "matmul");
}

TEST_CASE("the cut-off grows with the length of the name", "[diagnostics]") {
  CHECK(nearest_name("abcdef", {"abcxyf"}) == "abcxyf");      // 2 of 6
  CHECK(nearest_name("abcdef", {"axcxyf"}) == std::nullopt);  // 3 of 6
  CHECK(nearest_name("abc", {"axy"}) == std::nullopt);        // 2 of 3
}
