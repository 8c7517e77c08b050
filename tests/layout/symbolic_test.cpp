// Layouts of unknown sizes in circuits: each operation against the one on numbers, at sizes from 1 on.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstring>

#include "api/reckon/reckon.h"

using namespace reckon;

namespace {

/// Layouts of m and of n = 6.
struct Case {
  const char* expression;
  std::int64_t multiple = 1;  ///< of which m must be one, or it is an error that says so
  bool part = false;          ///< a layout and where it starts
};

const std::vector<Case> cases{
    // structure
    {"get(((4, m), 3):((1, 12), 4), 0, 1)"},
    {"select((m, 4, 3):(12, 1, 4), 2, 0)"},
    {"take((2, m, 3):(1, 6, 2), 1, 3)"},
    {"group((2, m, 3):(1, 6, 2), 0, 2)"},
    {"flatten(((2, m), (3, 1)):((1, 6), (2, 0)))"},
    {"unflatten((2, m, 3):(1, 6, 2), ((2, 2), 3))"},
    {"append((m, 4):(4, 1), n:m)"},
    {"prepend(m:4, 4)"},
    {"replace((4, m):(1, 4), 0, (2, 2):(2, 1))"},
    {"concat(m:1, 4:m, 2)"},
    {"zip(((2, m), (3, n)):((1, 6), (2, 6*m)))"},
    {"row_major((m, 4, n))"},
    {"column_major((4, m))"},
    // simplification
    {"coalesce((4, m):(1, 4))"},
    {"coalesce((4, m, n):(1, 4, 4*m))"},
    {"coalesce((m, 4, 2):(1, m, 1))"},
    {"coalesce((1, m, 1):(7, 2, 5))"},
    {"filter((4, m, 2):(1, 0, 4))"},
    {"filter((4, m, 2):(0, 3, 3*m))"},
    {"filter_zeros((4, m):(0, 1))"},
    // composition
    {"compose((4, m):(2, 100), (4, 3):(1, 4))"},
    {"compose((4, m):(2, 100), (3, 2):(4, 2))"},
    {"compose((4, m):(2, 100), 8)"},
    {"compose((2, 2, m):(8, 1, 2), (2, 6):(1, 2))"},
    {"compose(m:3, (m // 2, 2):(2, 1))", 2},
    {"compose((4, m):(1, 4), (m, 4):(4, 1))"},
    {"compose((4, m):(2, 100), m:4)"},
    {"compose((4, m):(2, 100), (2, m):(2, 4))"},
    {"compose((4, m):(2, 100), ((2, 2), m):((2, 1), 8))"},
    {"compose((m, 8):(8, 1), (3, 4))"},
    {"compose((m, (2, m)):(1, (50, 7)), (_, 4))"},
    {"compose((m, n):(n, 1), (2:1, (3, 2):(2, 1)))"},
    // divisions
    {"logical_divide(m, 4)", 4},
    {"logical_divide(m:3, (2, 2):(4, 1))", 8},
    {"logical_divide(m:3, 2:2)", 4},
    {"logical_divide((m, n):(n, 1), (2, 3))", 2},
    {"logical_divide((m, n):(n, 1), (_, 3))"},
    {"logical_divide((m, n):(n, 1), (2,))", 2},
    {"logical_divide((4, m):(1, 4), 8)", 2},
    {"logical_divide((4, m):(3, 100), 8)", 2},
    {"logical_divide((4, m):(3, 100), 2)"},
    {"logical_divide((2, 4, m):(40, 3, 100), (2, 2):(1, 4))"},
    {"zipped_divide((m, n):(n, 1), (4, (3, 2):(2, 1)))", 4},
    {"zipped_divide((4, m):(3, 100), 8)", 2},
    {"zipped_divide((m, 8, n):(48, 1, 8), (2, 4))", 2},
    {"zipped_divide(((2, m), n):((1, 2), 2*m), (4, 2))", 2},
    {"tiled_divide((m, n):(n, 1), (2, 3))", 2},
    {"tiled_divide(((2, m), n):((1, 2), 2*m), ((2, 2), 3))", 2},
    {"flat_divide((m, 8, n):(48, 1, 8), (2, 4))", 2},
    // parts
    {"slice((2, _), (4, m):(1, 4))", 1, true},
    {"slice((_, (1, _)), (m, (2, n)):(1, (m, 2*m)))", 1, true},
    {"local_tile((m, n):(n, 1), (2, 3), (_, 1))", 2, true},
    {"local_tile((m, 4, n):(4*n, 1, 4), (2, 2), (_, 1))", 2, true},
    {"local_tile((4, m):(1, 4), 4, _)", 1, true},
    {"local_partition((m, n):(n, 1), (2, 3):(3, 1), 4)", 2, true},
    {"local_partition((m, n):(1, m), (2, 2):(1, 2), 3)", 2, true},
    {"local_partition(m:2, 4, 3)", 4, true},
};

std::string program(const Case& each) {
  const char* offsets =
      each.part ? "let (L, start) = {}; for i < size(L): f32(start + L(i))" : "let L = {}; for i < size(L): f32(L(i))";
  const std::string body = fmt::format(fmt::runtime(offsets), each.expression);
  return fmt::format("fn unknown(x: f32[m], y: f32[n]) = {{ {} }}\nfn known[m, n](x: f32[m], y: f32[n]) = {{ {} }}\n",
                     body, body);
}

Tensor ones(std::int64_t size) {
  Tensor out;
  out.type = "f32";
  out.shape = {size};
  out.bytes.resize(static_cast<std::size_t>(4 * size));
  return out;
}

std::string all_of(const Result<std::vector<Shown>>& shown) {
  std::string out;
  if (shown) {
    for (const Shown& each : *shown) {
      for (const Number& number : each.numbers) out += (out.empty() ? "" : " ") + number.text;
    }
  } else {
    for (const Message& each : shown.messages()) out += "error: " + each.message;
  }
  return out;
}

}  // namespace

TEST_CASE("an operation on a layout of unknown size is the one on numbers, at every size") {
  constexpr std::int64_t n = 6;
  for (const Case& each : cases) {
    INFO(each.expression);
    Session session;
    const auto loaded = session.load(program(each));
    if (!loaded) FAIL(loaded.messages()[0].message);
    for (std::int64_t k = 1; k <= 20; ++k) {
      const std::int64_t m = each.multiple * k;
      INFO("m = " << m);
      CallOptions known;
      known.values = {{"m", m}, {"n", n}};
      const std::string expected = all_of(session.call("known", {ones(m), ones(n)}, known));
      REQUIRE(expected.find("error") == std::string::npos);
      CHECK(all_of(session.call("unknown", {ones(m), ones(n)})) == expected);
    }
    // What the tiles do not divide is seen as soon as sizes are.
    if (each.multiple == 1 || std::string(each.expression).starts_with("compose")) continue;
    CHECK_THAT(all_of(session.call("unknown", {ones(each.multiple + 1), ones(n)})), Catch::Contains("does not divide"));
  }
}

TEST_CASE("a thread and a tile may be indices where sizes are unknown") {
  Session session;
  const auto loaded = session.load(
      "fn tiles(x: f32[m, 6]) -> f32[m // 2, 2, 2, 3] = for i, j, a, b: {\n"
      "  let (tile, start) = local_tile(row_major((m, 6)), (2, 3), (i, j));\n"
      "  let place = start + tile(a, b);\n  x[place // 6, place % 6]\n}\n"
      "fn threads(x: f32[m, 6]) -> f32[6, m] = for t, v: {\n"
      "  let (own, start) = local_partition(row_major((m, 6)), (2, 3):(3, 1), t);\n"
      "  let place = start + own(v);\n  x[place // 6, place % 6]\n}\n"
      "fn tiles_of[m](x: f32[m, 6]) -> f32[m // 2, 2, 2, 3] = for i < m // 2, j < 2, a < 2, b < 3: x[2 * i + a, 3 * j "
      "+ b]\n"
      "fn threads_of[m](x: f32[m, 6]) -> f32[6, m] = for t, v: {\n"
      "  let (own, start) = local_partition(row_major((m, 6)), (2, 3):(3, 1), t);\n"
      "  let place = start + own(v);\n  x[place // 6, place % 6]\n}\n");
  if (!loaded) FAIL(loaded.messages()[0].message);
  for (std::int64_t m = 2; m <= 40; m += 2) {
    Tensor x = ones(6 * m);
    x.shape = {m, 6};
    for (std::int64_t k = 0; k < 6 * m; ++k) {
      const float value = static_cast<float>(k);
      std::memcpy(x.bytes.data() + 4 * k, &value, 4);
    }
    CallOptions known;
    known.values = {{"m", m}};
    for (const std::string circuit : {"tiles", "threads"}) {
      const std::string expected = all_of(session.call(circuit + "_of", {x}, known));
      REQUIRE(expected.find("error") == std::string::npos);
      CHECK(all_of(session.call(circuit, {x})) == expected);
    }
  }
}

TEST_CASE("sizes, spans and depth of layouts of unknown size are expressions") {
  struct Question {
    const char* expression;
    std::int64_t (*expected)(std::int64_t m);
  };
  const Question questions[] = {
      {"size((4, m):(1, 4))", [](std::int64_t m) { return 4 * m; }},
      {"cosize((4, m):(1, 10))", [](std::int64_t m) { return 10 * m - 6; }},
      {"cosize((m, 4):(1, m))", [](std::int64_t m) { return 4 * m; }},
      {"cosize((m, 4):(-2, 1))", [](std::int64_t m) { return 2 * m + 2; }},
      {"extent((m, m):(m + 1, 1))", [](std::int64_t m) { return (m + 2) * (m - 1) + 1; }},
      {"min((m, 4):(-2, 1))", [](std::int64_t m) { return 2 - 2 * m; }},
      {"max((m, 4):(-2, 1))", [](std::int64_t) -> std::int64_t { return 3; }},
      {"depth(((4, m), 2):((1, 8), 4))", [](std::int64_t) -> std::int64_t { return 2; }},
  };
  for (const Question& each : questions) {
    INFO(each.expression);
    Session session;
    REQUIRE(session.load(fmt::format("fn f(x: f32[m]) -> f32 = f32({})\n", each.expression)));
    for (std::int64_t m = 1; m <= 20; ++m) {
      CHECK(all_of(session.call("f", {ones(m)})) == fmt::format("{}", each.expected(m)));
    }
  }
}

TEST_CASE("what depends on unknown sizes is refused with the condition") {
  struct Refused {
    const char* expression;
    const char* message;
  };
  const Refused all_refused[] = {
      {"compose((m, 4):(4, 1), 8)", "which digits of `(m, 4):(4, 1)` an index has depends on the size `m`"},
      {"compose((4, m):(2, 100), (m, 4):(1, m))", "`(m, 4):(1, m)` has sizes other than its last extent"},
      {"compose((4, m):(2, 100), m:3)", "the steps of `3`, of unknown number, pass through the first `4` elements"},
      {"compose((4, m + 1):(2, 100), (m + 1):2)", "the `m + 1` steps of `2` do not end with one of the `4` elements"},
      {"local_tile((m, n):(n, 1), (2, 3), (4, 0))", "coordinate `4` is out of range: this mode has `m // 2` elements"},
      {"slice((4, _), (4, m):(1, 4))", "coordinate `4` is out of range"},
      {"compose((4, m):(2, 100), (3, m):(3, 4))",
       "compose: `(4, m):(2, 100)` after `(3, m):(3, 4)` is no layout: its mode 0, `3:3`, carries"},
      {"cosize((m, 4):(m - 3, 1))", "whether the stride `m - 3` of `(m, 4):(m - 3, 1)` is negative depends on sizes"},
      {"logical_divide(m, (2, 3):(1, 3))", "complement"},
      {"logical_divide((m, n):(n, 1), 2)", "which digits of `(m, n):(n, 1)` an index has"},
      {"zipped_divide((m, n):(n, 1), (2, _))", "`_` keeps a mode, which has no tile"},
      {"logical_divide(m, m:2)", "the tile `m:2` is neither of known numbers nor of neighbours"},
      {"right_inverse((4, m):(1, 4))", "`right_inverse` needs sizes that are known numbers here"},
      {"select((m, 4):(4, 1), 5)", "there is no mode `5` in `(m, 4)`"},
      {"local_partition(m, m, 0)", "`local_partition` needs a number of threads that is known here"},
      {"local_partition(m, (2, 2):(1, 3), 0)", "inverse"},
      {"compose(m:1, (2, (2, 2)))", "`2` tiles for the `1` modes of `m:1`"},
  };
  for (const Refused& each : all_refused) {
    INFO(each.expression);
    Session session;
    const auto loaded =
        session.load(fmt::format("fn f(x: f32[m], y: f32[n]) -> f32 = {{ let L = {}; x[0] }}\nlet g = f([1], [2])",
                                 each.expression));
    std::string said;
    if (!loaded) {
      for (const Message& message : loaded.messages()) said += message.message + "\n";
    } else {
      said = all_of(session.call("f", {ones(8), ones(6)}));
    }
    CHECK_THAT(said, Catch::Contains(each.message));
    CHECK(said.find(":(1,1)") == std::string::npos);  // the stand-ins of layouts are nobody's business
  }
}
