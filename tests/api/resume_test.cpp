// Session::run with a restart file.
#include <catch2/catch.hpp>

#include <filesystem>

#include "reckon/reckon.h"
#include "tests/support/files.h"

using namespace reckon;

TEST_CASE("a session goes on from a restart file") {
  const test::TemporaryFolder folder;
  const std::string text =
      "fn f(x: f32[n]) -> f32 = sum i: x[i] by seq\n"
      "fn g(x: f32[n]) -> f32 = sum i: x[i] by tree\n"
      "check f ~ g within bound in float for n: {6} trials 300\n";
  SessionOptions options;
  options.resume = (folder / "done").string();
  options.explain_sweeps = true;
  const auto run = [&](std::string& note) {
    Session session(options);
    std::optional<Checked> out;
    session.run(text, "p.rk", [&](const Event& event) {
      if (const auto* check = std::get_if<Checked>(&event)) out = *check;
      if (const auto* messages = std::get_if<std::vector<Message>>(&event)) note = messages->front().message;
    });
    REQUIRE(out);
    return *out;
  };
  std::string first_note, second_note;
  const Checked first = run(first_note), second = run(second_note);
  CHECK(first_note == "trials of sweeps: 0 were done before, 298 by rank 0");
  CHECK(second_note == "trials of sweeps: 298 were done before, 0 by rank 0");
  CHECK(first.verdict == "holds");
  REQUIRE(first.evidence.size() == second.evidence.size());
  for (std::size_t k = 0; k < first.evidence.size(); ++k) CHECK(first.evidence[k].value == second.evidence[k].value);
}
