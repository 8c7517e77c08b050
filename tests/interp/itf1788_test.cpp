// The vectors of the interval test framework ITF1788 (github.com/oheim/ITF1788), a collection of the tests of
// libieeep1788, MPFI, FI_LIB and C-XSC, for the elementary operations of IEEE 1788-2015. Their licences differ from
// ours, so that they are not among the files here: `itf1788.py` beside this file writes them down from Debian's package
// octave-interval, and RECKON_ITF1788 names what it wrote.
#include <cinttypes>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "interp/evaluate.h"
#include "tests/interp/kernels.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;

namespace {

struct Endpoints {
  double low, high;
  bool is_empty() const { return !(low <= high); }
};
const Endpoints empty{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};

struct Vector {
  std::string operation, line;
  std::vector<Endpoints> operands;
  Endpoints expected;
};

/// `add [0x1p+0,0x1p+1] empty -> empty`
Endpoints parsed(const std::string& text) {
  if (text == "empty") return empty;
  char* end = nullptr;
  const double low = std::strtod(text.c_str() + 1, &end);
  return {low, std::strtod(end + 1, nullptr)};
}

std::vector<Vector> vectors(std::istream& in) {
  std::vector<Vector> out;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    Vector made{.operation = {}, .line = line, .operands = {}, .expected = empty};
    words >> made.operation;
    std::string word;
    while (words >> word && word != "->") made.operands.push_back(parsed(word));
    words >> word;
    made.expected = parsed(word);
    out.push_back(made);
  }
  return out;
}

/// The operation that IEEE 1788 calls so. Its name is ours but for a few.
std::optional<Op> operation_of(const std::string& name) {
  if (name == "logp1") return Op::log1p;
  if (name == "pown") return Op::pow;
  if (name == "roundTiesToEven") return Op::round;
  return ir::op_named(name);
}

/// The circuit of the operation on scalars: what IEEE 1788 has as an operation, and this language as an expression.
NodeId built(Circuit& f, const std::string& name, const std::vector<NodeId>& x) {
  if (const auto op = operation_of(name)) return f.module.apply(*op, x);
  const NodeId one = f.module.literal({.kind = ir::Literal::Kind::rational, .value = 1}, Scalar::f64);
  if (name == "recip") return f.module.apply(Op::div, {one, x[0]});
  if (name == "sqr") return f.module.apply(Op::mul, {x[0], x[0]});
  return {};
}

/// How many numbers the second end is from the first, 2^62 if one is infinite and should not be.
std::uint64_t numbers_between(double a, double b) {
  if (a == b) return 0;
  if (std::isinf(a) || std::isinf(b)) return std::uint64_t{1} << 62;
  return numerics::ulps_apart(std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b), numerics::Format::f64)
      .value();
}

struct Tally {
  long vectors = 0, tight = 0, wider = 0;
  std::uint64_t worst = 0;
};

}  // namespace

TEST_CASE("the vectors of ITF1788 are enclosed", "[.itf1788]") {
  const char* path = std::getenv("RECKON_ITF1788");
  REQUIRE(path != nullptr);
  std::ifstream in(path);
  REQUIRE(in);
  auto interval = semantics("interval");
  std::map<std::string, Tally> tallies;
  std::map<std::string, long> left_out;
  for (const Vector& vector : vectors(in)) {
    Circuit f;
    std::vector<NodeId> parameters;
    std::vector<Argument> arguments;
    for (std::size_t k = 0; k < vector.operands.size(); ++k) {
      parameters.push_back(f.parameter(("x" + std::to_string(k)).c_str(), Scalar::f64));
      auto values = std::make_shared<Values>(*interval, Scalar::f64, std::vector<std::int64_t>{});
      const Endpoints given = vector.operands[k].is_empty() ? empty : vector.operands[k];
      std::memcpy(values->data(), &given, sizeof given);
      arguments.push_back(MadeTensor{Scalar::f64, {}, std::move(values)});
    }
    const NodeId body = built(f, vector.operation, parameters);
    if (!body.valid()) {
      ++left_out[vector.operation];
      continue;
    }
    f.result(body);
    const auto found = evaluate(f.module, f.function, *interval, arguments);
    Endpoints result = empty;
    if (found) std::memcpy(&result, found->front().at(0), sizeof result);
    Tally& tally = tallies[vector.operation];
    ++tally.vectors;
    INFO(vector.line << " gives [" << result.low << ", " << result.high << "]");
    if (vector.expected.is_empty()) {
      if (result.is_empty()) ++tally.tight;
      else ++tally.wider, tally.worst = std::uint64_t{1} << 62;
      CHECK((result.is_empty() || (vector.operation == "pow" && vector.operands[0].low < 0)));
      continue;
    }
    CHECK((!result.is_empty() && result.low <= vector.expected.low && result.high >= vector.expected.high));
    const std::uint64_t off =
        std::max(numbers_between(result.low, vector.expected.low), numbers_between(result.high, vector.expected.high));
    // Of a negative base, IEEE 1788's `pow` has no power; ours has those with integers, as its `pown` has.
    CHECK((off == 0 || (vector.operation == "pow" && vector.operands[0].low < 0)));
    ++(off == 0 ? tally.tight : tally.wider);
    tally.worst = std::max(tally.worst, off);
    if (off != 0 && std::getenv("RECKON_SHOW"))
      std::printf("%s gives [%a, %a]\n", vector.line.c_str(), result.low, result.high);
  }
  Tally all;
  for (const auto& [name, tally] : tallies) {
    std::printf("%-16s %5ld vectors, %5ld as tight as expected, %4ld wider, by %" PRIu64 " numbers at most\n",
                name.c_str(), tally.vectors, tally.tight, tally.wider, tally.worst);
    all.vectors += tally.vectors, all.tight += tally.tight, all.wider += tally.wider;
  }
  std::printf("%ld vectors enclosed, %ld as tight as expected\nleft out:", all.vectors, all.tight);
  for (const auto& [name, count] : left_out) std::printf(" %s (%ld)", name.c_str(), count);
  std::printf("\n");
  CHECK(all.vectors > 3000);
}
