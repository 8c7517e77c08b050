// The 4,000 vectors of tests/data/fpsan_vectors.txt, as operations of the IR.
#pragma once

#include <catch2/catch.hpp>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "ir/op.h"
#include "ir/type.h"

namespace reckon::interp::testing {

struct FpsanVector {
  std::string line;
  std::string semantics;  ///< `fpsan(v38)`
  ir::Op op{};
  ir::Scalar from{}, to{};
  std::vector<std::uint64_t> operands;  ///< carriers
  std::uint64_t carrier = 0;
  std::string carrier_digits, payload_digits;
};

inline std::vector<FpsanVector> fpsan_vectors() {
  const std::map<std::string, std::string> generations{{"now", "fpsan"},
                                                       {"now_homomorphic", "fpsan(now, homomorphic)"},
                                                       {"v38", "fpsan(v38)"},
                                                       {"article", "fpsan(article)"}};
  std::ifstream file(RECKON_TEST_DATA "/fpsan_vectors.txt");
  REQUIRE(file);
  std::vector<FpsanVector> out;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string generation, operation, formats, word;
    words >> generation >> operation >> formats;
    const auto arrow = formats.find('>');
    const auto from = ir::scalar_named(formats.substr(0, arrow));
    const auto to = arrow == std::string::npos ? from : ir::scalar_named(formats.substr(arrow + 1));
    const auto op = operation == "cast" ? ir::Op::convert : ir::op_named(operation).value_or(ir::Op::parameter);
    INFO(line);
    REQUIRE((from && to && op != ir::Op::parameter));
    FpsanVector vector{line, generations.at(generation), op, *from, *to, {}, 0, {}, {}};
    while (words >> word && word != "->") vector.operands.push_back(std::stoull(word, nullptr, 16));
    words >> vector.carrier_digits >> vector.payload_digits;
    vector.carrier = std::stoull(vector.carrier_digits, nullptr, 16);
    out.push_back(std::move(vector));
  }
  REQUIRE(out.size() == 4000);
  return out;
}

}  // namespace reckon::interp::testing
