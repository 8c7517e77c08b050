// What calls of `partition_C`, `local_tile`, ... give, read back from the program's answers.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "tests/cli/reckon_run.h"
#include "tests/layout/layouts.h"

namespace reckon::test {

using Int = std::int64_t;

/// What each expression is worth, all by one process.
inline std::vector<std::string> values_of(const std::vector<std::string>& expressions) {
  std::string input;
  for (const std::string& expression : expressions) input += expression + "\n";
  const RunResult run = reckon_in(source_folder(), {"eval", "-", "--format=json"}, input);
  std::vector<std::string> out;
  for (const Json& line : json_lines(run.out)) {
    INFO(expressions.at(out.size()) << ": " << line.dump());
    REQUIRE(line["kind"] == "static");
    out.push_back(line["value"].get<std::string>());
  }
  REQUIRE(out.size() == expressions.size());
  return out;
}

struct Held {
  layout::Layout layout;
  Int offset = 0;
  std::vector<Int> elements() const {
    std::vector<Int> out;
    for (Int i = 0; i < layout.size(); ++i) out.push_back(offset + *layout(i));
    return out;
  }
};

/// `((2,2):(1,8), 3)`
inline Held held(const std::string& text) {
  const std::size_t comma = text.rfind(", ");
  REQUIRE(comma != std::string::npos);
  return {layout_tests::layout_from(text.substr(1, comma - 1)), std::stoll(text.substr(comma + 2))};
}

/// What the call gives for threads 0 .. threads - 1: `{}` is the thread.
inline std::vector<Held> all_held(const std::string& call, Int threads) {
  std::vector<std::string> calls;
  for (Int thread = 0; thread < threads; ++thread) calls.push_back(fmt::format(fmt::runtime(call), thread));
  std::vector<Held> out;
  for (const std::string& value : values_of(calls)) out.push_back(held(value));
  return out;
}

inline std::map<Int, int> counts(const std::vector<Held>& parts) {
  std::map<Int, int> out;
  for (const Held& part : parts) {
    for (const Int element : part.elements()) ++out[element];
  }
  return out;
}

inline const std::string cores = "tiled_mma(\"SM80_16x8x16_F32F16F16F32_TN\", (2,2,1):(1,2,0), (32,32,16))";
inline const std::string wide_copy = "tiled_copy(\"u128\", 16, (16,8):(8,1), (1,8))";

}  // namespace reckon::test
