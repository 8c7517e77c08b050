// A product whose leaves read at an index that is data: where the extent is not known, the code of a leaf branches, and
// so stands in several blocks within the loop over the leaves (codegen/emit/chains.cpp).
#include <catch2/catch.hpp>

#include <cstring>

#include "api/reckon/reckon.h"

using namespace reckon;

TEST_CASE("leaves of a product that read at an index have the interpreter's bits on the host") {
  Session session;
  REQUIRE(
      session.load("fn f(a: f32[m, k], b: f32[k, n], c: f32[r], l: i32[k] < r) -> f32[m, n] =\n"
                   "  for i, j: sum p: a[i, p] * b[p, j] * c[l[p]] by seq\n"));
  constexpr std::int64_t m = 40, n = 64, k = 200, r = 5;
  std::vector<float> a(m * k), b(k * n), c(r);
  std::vector<std::int32_t> l(k);
  for (std::size_t at = 0; at < a.size(); ++at) a[at] = static_cast<float>(at * 37 % 101) / 64 - 0.7F;
  for (std::size_t at = 0; at < b.size(); ++at) b[at] = static_cast<float>(at * 53 % 97) / 32 - 1.3F;
  for (std::size_t at = 0; at < c.size(); ++at) c[at] = static_cast<float>(at) + 0.3F;
  for (std::size_t at = 0; at < l.size(); ++at) l[at] = static_cast<std::int32_t>(at * 3 % r);
  const std::vector<Tensor> arguments{Tensor::of<float>(a, {m, k}), Tensor::of<float>(b, {k, n}), Tensor::of<float>(c),
                                      Tensor::of<std::int32_t>(l)};
  std::vector<std::vector<float>> results;
  for (const On on : {On::interpreter, On::host}) {
    CallOptions options;
    options.on = on;
    const auto called = session.call("f", arguments, options);
    if (!called) FAIL(called.messages().front().text);
    results.push_back(called->at(0).tensor->as<float>());
  }
  REQUIRE(results[0].size() == m * n);
  CHECK(std::memcmp(results[0].data(), results[1].data(), results[0].size() * sizeof(float)) == 0);
  CompileOptions options;
  options.host = true;
  options.emit = Emit::llvm;
  options.values = {{"m", m}, {"n", n}, {"k", k}};
  const auto compiled = session.compile("f", options);
  if (!compiled) FAIL(compiled.messages().front().text);
}
