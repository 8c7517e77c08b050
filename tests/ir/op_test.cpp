#include <catch2/catch.hpp>

#include <iterator>

#include "ir/op.h"

using namespace reckon::ir;

TEST_CASE("every operation is found by its spelling") {
  for (std::size_t k = 0; k < std::size(op_traits); ++k) {
    INFO(op_traits[k].spelling);
    CHECK(op_named(op_traits[k].spelling) == static_cast<Op>(k));
  }
  CHECK(op_named("call") == Op::call);
  CHECK_FALSE(op_named("nothing_like_it"));
}
