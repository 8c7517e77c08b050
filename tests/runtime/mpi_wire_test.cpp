// Diagnostics that ranks send each other, and opening MPI's library.
#include <catch2/catch.hpp>

#include "diagnostics/codes/rank_failure.h"
#include "diagnostics/codes/tool_missing.h"
#include "runtime/mpi/library.h"
#include "runtime/mpi/wire.h"

using namespace reckon;

TEST_CASE("a diagnostic comes out of its bytes as it went in") {
  Diagnostic before(code::rank_failure, {2, 10, 15}, "something is wrong", "here");
  before.secondary.push_back({{2, 1, 3}, "and there"});
  before.notes = {"a note", ""};
  before.helps = {"a help"};
  const std::string bytes = runtime::mpi::packed(before);
  const Diagnostic after = runtime::mpi::unpacked(bytes);
  CHECK(after.code == before.code);
  CHECK(after.message == before.message);
  CHECK(after.primary.span == before.primary.span);
  CHECK(after.primary.text == before.primary.text);
  REQUIRE(after.secondary.size() == 1);
  CHECK(after.secondary[0].span == before.secondary[0].span);
  CHECK(after.secondary[0].text == "and there");
  CHECK(after.notes == before.notes);
  CHECK(after.helps == before.helps);
  CHECK(runtime::mpi::packed(after) == bytes);
}

TEST_CASE("what is no MPI library is refused") {
  const auto missing = runtime::mpi::open_library("libno-mpi-at-all.so");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == code::tool_missing);
  CHECK(missing.error().notes.size() == 1);
  const auto other = runtime::mpi::open_library("libm.so.6");
  REQUIRE_FALSE(other);
  CHECK_THAT(other.error().message, Catch::Contains("has no `MPI_Initialized`"));
}
