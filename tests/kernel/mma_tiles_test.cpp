// Products on tensor cores: the kernels obey the verifier, run without a report, have the evaluator's bits, and their
// results are the trees of `mma`, for factors of every arrangement and ragged sizes.
#include <fmt/format.h>

#include "kernel/parser.h"
#include "kernel/printer.h"
#include "tests/kernel/placed.h"

namespace {

using namespace reckon;
using namespace reckon::test;

struct Arrangement {
  const char *a, *b, *x, *y;  ///< shapes, and the factors
};
constexpr Arrangement row_major{"[m, k]", "[k, n]", "a[i, l]", "b[l, j]"};
constexpr Arrangement arrangements[] = {
    row_major,
    {"[m, k]", "[n, k]", "a[i, l]", "b[j, l]"},
    {"[k, m]", "[k, n]", "a[l, i]", "b[l, j]"},
    {"[k, m]", "[n, k]", "a[l, i]", "b[j, l]"},
};

std::string product(const Arrangement& of, const std::string& format, const std::string& order = "mma(hopper)") {
  return fmt::format("fn f(a: {0}{1}, b: {0}{2}) -> f32[m, n] = for i, j: sum l: f32({3}) * f32({4}) by {5}", format,
                     of.a, of.b, of.x, of.y, order);
}

void check_tiles(const std::string& text, const Sizes& sizes, std::size_t results, const Sizes& late = {}) {
  std::string said = text;
  for (const Sizes* all : {&sizes, &late}) {
    for (const auto& [name, size] : *all) said += fmt::format("  {} = {}", name, size);
  }
  INFO(said);
  Placed placed(text, sizes, codegen::Target::ptx, ir::Forms::standard(), late);
  REQUIRE(placed.broken_rule() == "");
  REQUIRE(placed.program().mma_tiles.size() == 1);
  CHECK(placed.wrong(1) == "");
  CHECK(placed.trees() == results);
  const std::string printed = kernel::print(placed.program());
  const auto again = kernel::parse_kernels(printed, 0);
  REQUIRE(again);
  CHECK(kernel::print(*again) == printed);
}

}  // namespace

TEST_CASE("products on tensor cores, by the interpreter of kernels") {
  for (const Arrangement& each : arrangements) {
    check_tiles(product(each, "bf16"), {{"m", 72}, {"n", 80}, {"k", 40}}, 72 * 80);
    check_tiles(product(each, "f16"), {{"m", 8}, {"n", 8}, {"k", 8}}, 64);
  }
  check_tiles(product(row_major, "f16"), {{"m", 65}, {"n", 72}, {"k", 136}}, 65 * 72);
  const Arrangement& leaf_first = arrangements[1];
  check_tiles(product(leaf_first, "f16"), {{"m", 3}, {"n", 67}, {"k", 16}}, 3 * 67);
  check_tiles(product(leaf_first, "tf32"), {{"m", 33}, {"n", 9}, {"k", 36}}, 33 * 9);
  check_tiles(product(leaf_first, "f8e4m3"), {{"m", 10}, {"n", 65}, {"k", 80}}, 650);
  check_tiles(product(leaf_first, "f8e5m2"), {{"m", 65}, {"n", 5}, {"k", 16}}, 325);
}

TEST_CASE("products on tensor cores: more dimensions, slices, and factors in the other order") {
  check_tiles(
      "fn f(a: bf16[p, m, k], b: bf16[p, k, n]) -> f32[p, m, n] = "
      "for q, i, j: sum l: f32(b[q, l, j]) * f32(a[q, i, l]) by mma(hopper)",
      {{"p", 3}, {"m", 9}, {"n", 16}, {"k", 24}}, 3 * 9 * 16);
  check_tiles(
      "fn f(a: f16[m, p, k], b: f16[r, k, n]) -> f32[p, m, n] = "
      "for q, i, j: sum l: f32(a[i, q, l]) * f32(b[q // 2, l, j]) by mma(hopper)",
      {{"p", 4}, {"r", 2}, {"m", 7}, {"n", 8}, {"k", 8}}, 4 * 7 * 8);
  // Fewer leaves than the tensors have, from another one on than the first.
  check_tiles(
      "fn f(a: f16[m, 48], b: f16[n, 48]) -> f32[m, n] = "
      "for i, j: sum l < 21: f32(a[i, l + 5]) * f32(b[j, l + 16]) by mma(hopper)",
      {{"m", 5}, {"n", 6}}, 30);
}

TEST_CASE("factors that the copy engine cannot read are copied for the tensor cores") {
  // Rows that are no multiples of 16 bytes.
  for (const Arrangement& each : arrangements) check_tiles(product(each, "bf16"), {{"m", 5}, {"n", 7}, {"k", 19}}, 35);
  check_tiles(product(row_major, "f16"), {{"m", 9}, {"n", 8}, {"k", 21}}, 72);
  // Formats of other widths than two bytes with the leaf as their last subscript.
  for (const Arrangement& each : arrangements) {
    check_tiles(product(each, "f8e5m2"), {{"m", 6}, {"n", 5}, {"k", 35}}, 30);
    check_tiles(product(each, "tf32"), {{"m", 6}, {"n", 5}, {"k", 10}}, 30);
  }
  const Sizes sizes{{"m", 6}, {"n", 10}, {"k", 17}};
  // Factors that are computed, subscripts that are no tile's, layouts, and formats that the tensor cores' one holds.
  for (const char* text :
       {"fn f(a: f16[m, k], b: f16[k, n]) -> f32[m, n] = for i, j: sum l: f32(-a[i, l]) * f32(abs(b[l, j])) by "
        "mma(hopper)",
        "fn f(a: f16[m, k], b: f16[n, 2 * k]) -> f32[m, n] = for i, j: sum l < k: f32(a[i, k - 1 - l]) * f32(b[j, 2 * "
        "l]) by "
        "mma(hopper)",
        "fn f(a: f8e4m3[m, k], b: f16[k, n]) -> f32[m, n] = for i, j: sum l: f32(a[i, l]) * f32(b[l, j]) by "
        "mma(hopper)",
        "fn f(a: u8[m, k], s: f16[m], b: f16[k, n]) -> f32[m, n] = for i, j: sum l: f32(f16(a[i, l]) * s[i]) * "
        "f32(b[l, j]) by mma(hopper)",
        "fn f(a: f16[m * k], s: f16[m], b: f16[k, n]) -> f32[m, n] = for i, j: sum l: f32(a[i * k + l] * s[i]) * "
        "f32(b[l, j]) by mma(hopper)"}) {
    check_tiles(text, sizes, 60);
  }
  check_tiles(
      "fn f(a: f16[p, m, k], b: f16[p, n]) -> f32[p, m, n] = for q, i, j: sum l: f32(a[q, i, l]) * f32(b[q, j] * "
      "f16(2)) by "
      "mma(hopper)",
      {{"p", 2}, {"m", 3}, {"n", 4}, {"k", 9}}, 24);
}

TEST_CASE("runs of leaves on tensor cores, whose sums are added in the stated order") {
  for (const char* rest : {"seq", "tree", "lanes(2, seq) then tree"}) {
    const std::string order = std::string(" then ") + rest;
    check_tiles(product(row_major, "bf16", "tile(64, mma(hopper))" + order), {{"m", 3}, {"n", 8}, {"k", 232}}, 24);
    check_tiles(product(arrangements[1], "f8e4m3", "tile(128, mma(hopper))" + order), {{"m", 2}, {"n", 3}, {"k", 301}},
                6);
    check_tiles(product(arrangements[1], "f16", "tile(128, mma(hopper))" + order), {}, 6,
                {{"m", 2}, {"n", 3}, {"k", 250}});
  }
  check_tiles(product(row_major, "bf16", "tile(128, mma(hopper)) then seq"), {{"m", 3}, {"n", 8}, {"k", 40}}, 24);
}

TEST_CASE("elements that are made of joined nodes are computed with them") {
  const Sizes sizes{{"m", 33}, {"n", 40}, {"k", 200}};
  for (const char* order : {"tile(128, mma(hopper)) then tree", "tile(64, fused(seq)) then seq"}) {
    const std::string text = fmt::format(
        "fn f(a: f16[m, k], b: f16[n, k], bias: f16[n]) -> f16[m, n] = {{ let c = for i, j: sum l: f32(a[i, l]) * "
        "f32(b[j, l]) by {}; for r, s: f16(max(c[r, s] + f32(bias[s]), 0)) }}",
        order);
    INFO(text);
    Placed placed(text, sizes);
    CHECK(placed.plan().kernels.size() == 2);
    CHECK(placed.broken_rule() == "");
    CHECK(placed.wrong(1) == "");
    CHECK(placed.trees() == 33 * 40);
  }
}

TEST_CASE("products on tensor cores whose sizes are not known before the launch") {
  for (const Arrangement& each : arrangements) {
    for (const std::int64_t k : {16, 13}) check_tiles(product(each, "f16"), {}, 72, {{"m", 9}, {"n", 8}, {"k", k}});
  }
  check_tiles(product(row_major, "bf16"), {{"k", 24}}, 21, {{"m", 3}, {"n", 7}});
  check_tiles(product(row_major, "f8e4m3"), {}, 21, {{"m", 3}, {"n", 7}, {"k", 40}});
}

TEST_CASE("elements that are made of a product's results on tensor cores are computed with them") {
  const std::string parameters = "fn f(a: f16[m, k], b: f16[k, n], bias: f32[n], rest: f16[m, n]) -> ";
  const std::string sum = "sum l: f32(a[i, l]) * f32(b[l, j]) by mma(hopper)";
  const Sizes sizes{{"m", 70}, {"n", 72}, {"k", 24}};
  const auto check_tail = [&](const std::string& text) {
    check_tiles(text, sizes, 70 * 72);
    CHECK(Placed(text, sizes).plan().kernels.size() == 1);
  };
  check_tail(parameters + "f16[m, n] = for i, j: f16(" + sum + ")");
  check_tail(parameters + "f16[m, n] = { let c = for i, j: " + sum +
             "; for r, s: f16(max(c[r, s] + bias[s], 0)) + rest[r, s] }");
  const auto with = [&](const std::string& function) {
    return parameters + "f32[m, n] = { let c = for i, j: bias[j] + " + sum + "; for i, j: c[i, j] * " + function +
           "(c[i, j]) }";
  };
  check_tail(with("erf"));
  // Long functions have a kernel of their own.
  check_tiles(with("erfc"), sizes, 70 * 72);
  CHECK(Placed(with("erfc"), sizes).plan().kernels.size() == 2);
  check_tail(parameters + "f32[m, n] = { let c = for i, j: " + sum + "; for i, j: c[i, j] / (1 + abs(c[i, j])) }");
}

TEST_CASE("windows of convolutions are copied by neighbours in memory, several to a thread") {
  const std::string channels_first =
      "fn f(x: f16[b, c, h, w], k: f16[o, c, r, r]) -> f32[b, o, h - r + 1, w - r + 1] = for a, j, y < h - r + 1, "
      "z < w - r + 1: sum i < c, u < r, v < r: f32(x[a, i, y + u, z + v]) * f32(k[j, i, u, v]) by mma(hopper)";
  const std::string channels_last =
      "fn f(x: bf16[b, h, w, c], k: bf16[r, r, c, o]) -> f32[b, h - r + 1, w - r + 1, o] = for a, y < h - r + 1, "
      "z < w - r + 1, j: sum u < r, v < r, i < c: f32(x[a, y + u, z + v, i]) * f32(k[u, v, i, j]) by mma(hopper)";
  for (const std::int64_t w : {10, 13, 18}) {
    const Sizes sizes{{"b", 2}, {"c", 3}, {"h", 5}, {"o", 24}, {"r", 3}, {"w", w}};
    const auto results = static_cast<std::size_t>(2 * 24 * 3 * (w - 2));
    check_tiles(channels_first, sizes, results);
    check_tiles(channels_last, sizes, results);
    const std::string kernels = kernel::print(Placed(channels_first, sizes).program());
    CHECK(kernels.find("store_vector") != std::string::npos);
  }
}

TEST_CASE("attention by products on tensor cores, with softmax between them") {
  const std::string text =
      "fn f(q: f16[h, s, d], k: f16[h, t, d], v: f16[h, t, d]) -> f16[h, s, d] {"
      "  let score = for g, i, j: (sum e: f32(q[g, i, e]) * f32(k[g, j, e]) by mma(hopper)) / 4;"
      "  let top = for g, i: max j: score[g, i, j];"
      "  let p = for g, i, j: f16(exp(score[g, i, j] - top[g, i]));"
      "  let total = for g, i: sum j: f32(p[g, i, j]);"
      "  for g, i, e: f16((sum j: f32(p[g, i, j]) * f32(v[g, j, e]) by mma(hopper)) / total[g, i]) }";
  Placed placed(text, {{"h", 2}, {"s", 5}, {"t", 40}, {"d", 16}});
  CHECK(placed.plan().kernels.size() == 3);
  CHECK(placed.program().mma_tiles.size() == 2);
  CHECK(placed.broken_rule() == "");
  CHECK(placed.wrong(1, {0}) == "");
}

TEST_CASE("results of a product that others read elsewhere, too, are in memory") {
  const std::string sum = "for i, j: sum l: f32(a[i, l]) * f32(b[j, l]) by mma(hopper)";
  const std::string head = "fn f(a: f16[m, k], b: f16[m, k]) -> f32[m, m] = { let c = " + sum + "; ";
  const Sizes sizes{{"m", 24}, {"k", 24}};
  for (const char* body : {"for i, j: c[i, j] + c[j, i] }", "for i, j: c[j, i] * 2 }"}) {
    INFO(body);
    Placed placed(head + body, sizes);
    CHECK(placed.plan().kernels.size() == 2);
    CHECK(placed.wrong(1, {0}) == "");
  }
  // A product of a product's results, which are converted first.
  const std::string chain =
      "fn f(a: f16[m, k], b: f16[m, k], c: f16[k, m]) -> f32[m, k] = { let d = for i, j: f16(sum l: "
      "f32(a[i, l]) * f32(b[j, l]) by mma(hopper)); "
      "for i, j: sum l: f32(d[i, l]) * f32(c[j, l]) by mma(hopper) }";
  Placed placed(chain, sizes);
  CHECK(placed.plan().kernels.size() == 2);
  CHECK(placed.program().mma_tiles.size() == 2);
  CHECK(placed.wrong(1) == "");
}

TEST_CASE("products by the instructions of warps, by the interpreter of kernels") {
  for (const Arrangement& each : arrangements) {
    for (const std::string format : {"bf16", "tf32"}) {
      const std::string text = product(each, format);
      INFO(text);
      Placed placed(text, {{"m", 72}, {"n", 21}, {"k", 40}}, codegen::Target::ptx, ir::Forms::standard(), {},
                    {{"reckon_f_0.instruction", "mma.sync"}});
      REQUIRE(placed.broken_rule() == "");
      REQUIRE(placed.program().mma_tiles.size() == 1);
      CHECK(placed.program().mma_tiles[0].by_warps);
      CHECK(placed.plan().tensor_maps.empty());
      CHECK(placed.wrong(1) == "");
      CHECK(placed.trees() == 72 * 21);
      const std::string printed = kernel::print(placed.program());
      const auto again = kernel::parse_kernels(printed, 0);
      REQUIRE(again);
      CHECK(kernel::print(*again) == printed);
    }
  }
}

TEST_CASE("what tensor cores do not take is carried out otherwise, with the same bits") {
  const auto check_other = [](const std::string& text, const Sizes& sizes) {
    INFO(text);
    Placed placed(text, sizes);
    CHECK(placed.program().mma_tiles.empty());
    CHECK(placed.broken_rule() == "");
  };
  check_other(product(row_major, "bf16", "mma(ampere)"), {{"m", 8}, {"n", 8}, {"k", 8}});
  check_other(product(row_major, "f16", "mma(hopper, f32, f16) @thread"), {{"m", 8}, {"n", 8}, {"k", 8}});
}
