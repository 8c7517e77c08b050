// The C interface: sessions, programs' texts, results.
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/capi/handles.h"

using namespace reckon::test;
using nlohmann::json;

namespace {

constexpr const char* program_text = R"(
fn dot(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by tree
fn both(x: f64) -> (f64, f64) = (x + 1, x / 3)
fn scale[k](x: f32[n]) -> f32[n] = for i: x[i] * f32(k)
)";

Handle_of<reckon_values> called(reckon_session* session, const char* circuit,
                                const std::vector<reckon_tensor>& arguments, const char* semantics = nullptr,
                                const char* const* definitions = nullptr, reckon_place on = RECKON_ON_INTERPRETER) {
  reckon_call_options options{};
  options.size = sizeof options;
  options.on = on;
  options.semantics = semantics;
  options.definitions = definitions;
  reckon_values* out = nullptr;
  INFO(reckon_message_text(session));
  const reckon_status status = reckon_call(session, circuit, arguments.data(), arguments.size(), &options, &out);
  INFO(reckon_message_text(session));
  REQUIRE(status == RECKON_OK);
  return Handle_of<reckon_values>(out);
}

constexpr std::array<float, 3> x{1, 2, 3}, y{4, 5, 6};
constexpr std::array<std::int64_t, 1> three{3};
reckon_tensor vector_of(const std::array<float, 3>& values) { return {"f32", 1, three.data(), values.data()}; }

}  // namespace

TEST_CASE("C: a circuit is called, on the interpreter and on the host") {
  const auto s = session(program_text);
  REQUIRE(s);
  for (const reckon_place on : {RECKON_ON_INTERPRETER, RECKON_ON_HOST}) {
    const auto values = called(s.get(), "dot", {vector_of(x), vector_of(y)}, nullptr, nullptr, on);
    REQUIRE(reckon_values_count(values.get()) == 1);
    CHECK(std::string(reckon_value_type(values.get(), 0)) == "f32");
    CHECK(std::string(reckon_value_semantics(values.get(), 0)) == "float");
    CHECK(reckon_value_rank(values.get(), 0) == 0);
    std::size_t bytes = 0;
    const void* bits = reckon_value_bits(values.get(), 0, &bytes);
    REQUIRE(bytes == 4);
    float result = 0;
    std::memcpy(&result, bits, 4);
    CHECK(result == 1 * 4 + 2 * 5 + 3 * 6);
  }
}

TEST_CASE("C: static parameters are given as on the command line") {
  const auto s = session(program_text);
  REQUIRE(s);
  const char* definitions[] = {"k=7", nullptr};
  const auto values = called(s.get(), "scale", {vector_of(x)}, nullptr, definitions);
  REQUIRE(reckon_value_rank(values.get(), 0) == 1);
  CHECK(reckon_value_shape(values.get(), 0)[0] == 3);
  std::array<double, 3> numbers{};
  REQUIRE(reckon_value_numbers(values.get(), 0, "value", numbers.data()) == RECKON_OK);
  CHECK(numbers == std::array<double, 3>{7, 14, 21});
  CHECK(reckon_value_numbers(values.get(), 0, "lo", numbers.data()) == RECKON_BAD_USE);
}

TEST_CASE("C: a tuple has several values, and an enclosure has endpoints") {
  const auto s = session(program_text);
  REQUIRE(s);
  const double one = 1;
  const auto values = called(s.get(), "both", {{"f64", 0, nullptr, &one}}, "interval");
  REQUIRE(reckon_values_count(values.get()) == 2);
  double low = 0, high = 0;
  REQUIRE(reckon_value_numbers(values.get(), 1, "lo", &low) == RECKON_OK);
  REQUIRE(reckon_value_numbers(values.get(), 1, "hi", &high) == RECKON_OK);
  // 1/3 lies strictly between two neighbours: 3 * low < 1 < 3 * high, where an fma rounds the difference once.
  CHECK(std::fma(3, low, -1) < 0);
  CHECK(std::fma(3, high, -1) > 0);
  CHECK(std::nextafter(low, 1) == high);
  const auto exact = called(s.get(), "both", {{"f64", 0, nullptr, &one}}, "exact");
  CHECK(std::string(reckon_value_text(exact.get(), 1, 0)) == "1/3");
  REQUIRE(reckon_value_numbers(exact.get(), 1, "value", &low) == RECKON_OK);
  CHECK(low == 1.0 / 3);
}

TEST_CASE("C: mistakes give a status and messages, and the session goes on") {
  const auto s = session(program_text);
  REQUIRE(s);
  CHECK(reckon_load(s.get(), "fn f(x: f32) -> f32 = x + z", "f.rk") == RECKON_SOURCE_ERROR);
  const auto messages = json::parse(reckon_messages(s.get()));
  REQUIRE(messages.size() == 1);
  CHECK(messages[0]["code"] == "E0200");
  CHECK_THAT(reckon_message_text(s.get()), Catch::Contains("--> f.rk:1:27"));
  reckon_values* values = nullptr;
  const reckon_tensor short_one{"f32", 1, three.data(), nullptr};
  CHECK(reckon_call(s.get(), "dot", &short_one, 1, nullptr, &values) == RECKON_BAD_USE);
  const reckon_tensor strange{"f33", 0, nullptr, x.data()};
  CHECK(reckon_call(s.get(), "dot", &strange, 1, nullptr, &values) == RECKON_BAD_USE);
  const reckon_tensor only = vector_of(x);
  CHECK(reckon_call(s.get(), "dot", &only, 1, nullptr, &values) == RECKON_SOURCE_ERROR);
  CHECK(reckon_call(s.get(), "nothing", &only, 1, nullptr, &values) == RECKON_SOURCE_ERROR);
  CHECK(reckon_load_file(s.get(), "/nowhere/x.rk") == RECKON_BAD_USE);
  CHECK_THAT(reckon_message_text(s.get()), Catch::Contains("`/nowhere/x.rk` cannot be read"));
  CHECK(values == nullptr);
  CHECK(called(s.get(), "dot", {vector_of(x), vector_of(y)}) != nullptr);
  CHECK(std::string(reckon_messages(s.get())) == "[]");
}

TEST_CASE("C: NULL is refused everywhere") {
  const char* text = nullptr;
  std::size_t bytes = 0;
  reckon_values* values = nullptr;
  reckon_program* program = nullptr;
  reckon_tensor_info info;
  double number = 0;
  CHECK(reckon_session_new(nullptr, nullptr) == RECKON_BAD_USE);
  reckon_session_free(nullptr);
  reckon_values_free(nullptr);
  reckon_program_free(nullptr);
  reckon_interrupt(nullptr);
  CHECK(std::string(reckon_message_text(nullptr)).empty());
  CHECK(std::string(reckon_messages(nullptr)) == "[]");
  CHECK(reckon_load(nullptr, "", "") == RECKON_BAD_USE);
  CHECK(reckon_load_file(nullptr, "") == RECKON_BAD_USE);
  CHECK(reckon_use_library(nullptr) == RECKON_BAD_USE);
  CHECK(reckon_names(nullptr, &text) == RECKON_BAD_USE);
  CHECK(reckon_loaded(nullptr, &text) == RECKON_BAD_USE);
  CHECK(reckon_describe(nullptr, "x", &text) == RECKON_BAD_USE);
  CHECK(reckon_signature(nullptr, "x", &text) == RECKON_BAD_USE);
  CHECK(reckon_define(nullptr, "x", nullptr) == RECKON_BAD_USE);
  CHECK(reckon_run(nullptr, "", "", nullptr, nullptr) == RECKON_BAD_USE);
  CHECK(reckon_enter(nullptr, "", nullptr, nullptr) == RECKON_BAD_USE);
  CHECK(reckon_evaluate(nullptr, "", &values) == RECKON_BAD_USE);
  CHECK(reckon_call(nullptr, "", nullptr, 0, nullptr, &values) == RECKON_BAD_USE);
  CHECK(reckon_compile(nullptr, "", nullptr, &text, &bytes) == RECKON_BAD_USE);
  CHECK(reckon_tree(nullptr, "", 1, &text) == RECKON_BAD_USE);
  CHECK(reckon_circuit_tree(nullptr, "", 1, nullptr, &text) == RECKON_BAD_USE);
  CHECK(reckon_draw(nullptr, "", nullptr, &text) == RECKON_BAD_USE);
  CHECK(reckon_draw_circuit(nullptr, "", nullptr, nullptr, &text) == RECKON_BAD_USE);
  CHECK(reckon_reveal(nullptr, nullptr, nullptr, nullptr, &text) == RECKON_BAD_USE);
  CHECK(reckon_prepare(nullptr, "", nullptr, &program) == RECKON_BAD_USE);
  CHECK(reckon_program_run(nullptr, nullptr, nullptr, nullptr) == RECKON_BAD_USE);
  CHECK(reckon_program_wait(nullptr) == RECKON_BAD_USE);
  CHECK(reckon_program_parameter(nullptr, 0, &info) == RECKON_BAD_USE);
  CHECK(reckon_values_count(nullptr) == 0);
  CHECK(reckon_value_bits(nullptr, 0, &bytes) == nullptr);
  CHECK(reckon_value_text(nullptr, 0, 0) == nullptr);
  CHECK(reckon_value_numbers(nullptr, 0, "value", &number) == RECKON_BAD_USE);
  const auto s = session();
  REQUIRE(s);
  CHECK(reckon_load(s.get(), nullptr, nullptr) == RECKON_BAD_USE);
  CHECK(reckon_evaluate(s.get(), nullptr, nullptr) == RECKON_BAD_USE);
  CHECK(reckon_call(s.get(), nullptr, nullptr, 0, nullptr, nullptr) == RECKON_BAD_USE);
  CHECK(reckon_prepare(s.get(), nullptr, nullptr, nullptr) == RECKON_BAD_USE);
  CHECK(reckon_reveal(s.get(), nullptr, nullptr, nullptr, &text) == RECKON_BAD_USE);
}

TEST_CASE("C: options of an older version lack members, and those of no version are refused") {
  reckon_session_options options{};
  reckon_session* made = nullptr;
  CHECK(reckon_session_new(&options, &made) == RECKON_BAD_USE);  // the size is not set
  options.semantics = "exact";
  options.kernel_folder = reinterpret_cast<const char*>(8);  // beyond the size that is stated
  options.size = offsetof(reckon_session_options, kernel_folder);
  REQUIRE(reckon_session_new(&options, &made) == RECKON_OK);
  const Handle_of<reckon_session> s(made);
  reckon_values* values = nullptr;
  REQUIRE(reckon_evaluate(s.get(), "1 / 3", &values) == RECKON_OK);
  const Handle_of<reckon_values> kept(values);
  CHECK(std::string(reckon_value_text(values, 0, 0)) == "1/3");
}

TEST_CASE("C: a program's outcomes come one by one, and the gravest is the status") {
  const auto s = session(program_text);
  REQUIRE(s);
  struct Seen {
    std::vector<json> outcomes;
    std::vector<std::string> lines;
    std::vector<std::size_t> counts;
  } seen;
  const auto sink = [](void* user, const char* outcome, const char* line, const reckon_values* values) {
    static_cast<Seen*>(user)->outcomes.push_back(json::parse(outcome));
    static_cast<Seen*>(user)->lines.emplace_back(line);
    static_cast<Seen*>(user)->counts.push_back(reckon_values_count(values));
  };
  const char* text = "show both(2)\ncheck 1 + 1 == 2 in exact\ncheck 1 + 1 == 3 in exact\n";
  CHECK(reckon_run(s.get(), text, "p.rk", sink, &seen) == RECKON_CHECK_FAILED);
  REQUIRE(seen.outcomes.size() == 3);
  CHECK(seen.outcomes[0].size() == 2);
  CHECK(seen.counts == std::vector<std::size_t>{2, 0, 0});
  CHECK(seen.lines[0] == "(3  f64#4008000000000000, 0.6666666666666666  f64#3fe5555555555555)");
  CHECK_THAT(seen.lines[2], Catch::StartsWith("fails "));
  CHECK(seen.outcomes[1]["verdict"] == "holds");
  CHECK(seen.outcomes[2]["verdict"] == "fails");
  CHECK(reckon_run(s.get(), "show 1 +", "p.rk", nullptr, nullptr) == RECKON_SOURCE_ERROR);
  CHECK(reckon_enter(s.get(), "check dot == dot in float", sink, &seen) == RECKON_OK);
  CHECK(seen.outcomes.back()["kind"] == "check");
}

TEST_CASE("C: texts of compilation, trees and pictures") {
  const auto s = session(program_text);
  REQUIRE(s);
  const char* text = nullptr;
  std::size_t bytes = 0;
  REQUIRE(reckon_compile(s.get(), "dot", nullptr, &text, &bytes) == RECKON_OK);
  CHECK(std::strlen(text) == bytes);
  CHECK_THAT(text, Catch::Contains(".entry"));
  reckon_compile_options options{};
  options.size = sizeof options;
  options.emit = "pt";
  CHECK(reckon_compile(s.get(), "dot", &options, &text, &bytes) == RECKON_BAD_USE);
  REQUIRE(reckon_tree(s.get(), "tree", 4, &text) == RECKON_OK);
  CHECK(std::string(text) == "((0 1) (2 3))");
  REQUIRE(reckon_circuit_tree(s.get(), "dot", 4, nullptr, &text) == RECKON_OK);
  CHECK(std::string(text) == "((0 1) (2 3))");
  reckon_draw_options draw{};
  draw.size = sizeof draw;
  draw.leaves = 4;
  draw.form = "svg";
  REQUIRE(reckon_draw(s.get(), "tree", &draw, &text) == RECKON_OK);
  CHECK_THAT(text, Catch::StartsWith("<svg"));
  draw.form = "pdf";
  REQUIRE(reckon_draw_circuit(s.get(), "dot", &draw, nullptr, &text) == RECKON_OK);
  CHECK_THAT(text, Catch::StartsWith("%PDF-1.4") && Catch::EndsWith("%%EOF\n"));
  draw.form = "text";
  draw.no_caption = 1;
  REQUIRE(reckon_draw(s.get(), "seq", &draw, &text) == RECKON_OK);
  CHECK_THAT(text, Catch::StartsWith("0 -+-+-+\n"));
  const char* const sizes[] = {"n=2", nullptr};
  draw.leaves = 0;
  REQUIRE(reckon_draw_circuit(s.get(), "dot", &draw, sizes, &text) == RECKON_OK);
  CHECK(std::string(text) == "0 -+\n1 -'\n");
  CHECK(reckon_draw_circuit(s.get(), "dott", &draw, sizes, &text) == RECKON_SOURCE_ERROR);
  draw.form = "png";
  CHECK(reckon_draw(s.get(), "seq", &draw, &text) == RECKON_BAD_USE);
  REQUIRE(reckon_loaded(s.get(), &text) == RECKON_OK);
  CHECK(json::parse(text) == json({"dot", "both", "scale"}));
}

TEST_CASE("C: what a circuit takes and gives") {
  const auto s = session(R"(
fn cut[T, k](x: T[n], y: f32[2 * n, k]) -> (T[n], f32) = (x, y[0, 0])
fn turned(a: f32[m, 8] @ (m, 8):(1, m)) -> f32[8, m] = for i, j: a[j, i]
)");
  REQUIRE(s);
  const char* text = nullptr;
  REQUIRE(reckon_signature(s.get(), "cut", &text) == RECKON_OK);
  CHECK(json::parse(text) == json::parse(R"({
    "static": [{"name": "T", "kind": "format"}, {"name": "k", "kind": "integer"}],
    "parameters": [{"name": "x", "type": "T", "shape": ["n"], "row_major": true},
                   {"name": "y", "type": "f32", "shape": ["2*n", "1"], "row_major": true}],
    "results": [{"type": "T", "shape": ["n"], "row_major": true}, {"type": "f32", "shape": [], "row_major": true}]
  })"));
  REQUIRE(reckon_signature(s.get(), "turned", &text) == RECKON_OK);
  CHECK(json::parse(text)["parameters"][0]["row_major"] == false);
  CHECK(reckon_signature(s.get(), "nothing", &text) == RECKON_SOURCE_ERROR);
}

TEST_CASE("C: a tensor of the caller has a name in expressions, and another one later") {
  const auto s = session(program_text);
  REQUIRE(s);
  for (const auto& values : {x, y}) {
    const reckon_tensor tensor = vector_of(values);
    REQUIRE(reckon_define(s.get(), "mine", &tensor) == RECKON_OK);
    reckon_values* found = nullptr;
    REQUIRE(reckon_evaluate(s.get(), "dot(mine, mine)", &found) == RECKON_OK);
    const Handle_of<reckon_values> kept(found);
    double result = 0;
    REQUIRE(reckon_value_numbers(found, 0, "value", &result) == RECKON_OK);
    CHECK(result == values[0] * values[0] + values[1] * values[1] + values[2] * values[2]);
  }
  const reckon_tensor none{"f32", 1, three.data(), nullptr};
  CHECK(reckon_define(s.get(), "mine", &none) == RECKON_BAD_USE);
}

TEST_CASE("C: the order of a function of this process is found") {
  const auto s = session();
  REQUIRE(s);
  // A sum in f32 of pairs from both ends: ((0 3) (1 2)) for four.
  const auto ends = [](void* calls, const std::uint64_t* v, const std::uint64_t*, std::int64_t n, std::uint64_t* sum) {
    ++*static_cast<int*>(calls);
    std::vector<float> at(static_cast<std::size_t>(n));
    for (std::size_t k = 0; k < at.size(); ++k) {
      const auto word = static_cast<std::uint32_t>(v[k]);
      std::memcpy(&at[k], &word, sizeof word);
    }
    for (std::size_t size = at.size(); size > 1; size = (size + 1) / 2) {
      for (std::size_t k = 0; k < size / 2; ++k) at[k] += at[size - 1 - k];
    }
    std::uint32_t word = 0;
    std::memcpy(&word, at.data(), sizeof word);
    *sum = word;
    return 0;
  };
  reckon_reveal_options options{};
  options.size = sizeof options;
  options.n = 4;
  int calls = 0;
  const char* text = nullptr;
  REQUIRE(reckon_reveal(s.get(), ends, &calls, &options, &text) == RECKON_OK);
  CHECK(json::parse(text)["tree"] == "((0 3) (1 2))");
  CHECK(calls > 0);
  const auto rows = [](void*, const std::uint64_t* x, const std::uint64_t*, std::uint64_t* sums) {
    for (std::size_t i = 0; i < 3; ++i) {
      const auto at = [&](std::size_t j) { return std::bit_cast<float>(static_cast<std::uint32_t>(x[3 * i + j])); };
      sums[i] = std::bit_cast<std::uint32_t>((at(0) + (at(1) + at(2))) / 3);
    }
    return 0;
  };
  const std::array<std::int64_t, 2> shape{3, 3};
  options.shape = shape.data();
  options.rank = shape.size();
  options.outputs = 3;
  REQUIRE(reckon_reveal_outputs(s.get(), rows, nullptr, &options, &text) == RECKON_OK);
  const json many = json::parse(text);
  CHECK(many["groups"][0]["tree"] == "(0 (1 2))");
  CHECK(many["groups"][0]["scaling"]["by"] == 3);
  CHECK(many["groups"][0]["outputs"].size() == 3);
  CHECK(reckon_reveal_outputs(s.get(), nullptr, nullptr, &options, &text) == RECKON_BAD_USE);
  const auto broken = [](void*, const std::uint64_t*, const std::uint64_t*, std::int64_t, std::uint64_t*) { return 1; };
  CHECK(reckon_reveal(s.get(), broken, nullptr, &options, &text) == RECKON_SOURCE_ERROR);
  CHECK_THAT(reckon_message_text(s.get()), Catch::Contains("the function failed"));
}

TEST_CASE("C: a kernel of PTX is run and read off") {
  const char* kernel = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 from, .param .u64 to, .param .f32 by) {
  .reg .f32 %a, %b; .reg .b64 %x, %y;
  ld.param.u64 %x, [from]; ld.param.u64 %y, [to]; ld.param.f32 %b, [by];
  ld.global.f32 %a, [%x+4]; mul.f32 %a, %a, %b; st.global.f32 [%y], %a;
  ret;
}
)";
  const auto s = session();
  const float x[2] = {3, 5};
  const std::int64_t two = 2, one = 1;
  reckon_ptx_argument arguments[3]{};
  arguments[0].memory = {"f32", 1, &two, x};
  arguments[1].memory = {"f32", 1, &one, nullptr};
  arguments[1].unwritten = 1;
  arguments[2].number = "2";
  reckon_ptx_options options{};
  options.size = sizeof options;
  options.kernel = "twice";
  options.verify = 3;
  float y = 0;
  void* const memory[3] = {nullptr, &y, nullptr};
  const char* text = nullptr;
  REQUIRE(reckon_ptx(s.get(), kernel, nullptr, arguments, 3, &options, memory, &text) == RECKON_OK);
  CHECK(y == 10);
  CHECK(nlohmann::json::parse(text)["blocks"] == 1);
  REQUIRE(reckon_trace(s.get(), kernel, nullptr, arguments, 3, &options, &text) == RECKON_OK);
  const auto trace = nlohmann::json::parse(text);
  CHECK(trace["outputs"][0]["bits"]["equal"] == 4);
  CHECK(trace["program"].get<std::string>().find("a0[1]") != std::string::npos);
  // The output's memory is too small, there is no such semantics, and there is nothing to read.
  const std::int64_t none = 0;
  arguments[1].memory = {"f32", 1, &none, nullptr};
  CHECK(reckon_ptx(s.get(), kernel, "k.ptx", arguments, 3, &options, nullptr, nullptr) == RECKON_CHECK_FAILED);
  CHECK_THAT(reckon_message_text(s.get()), Catch::Matchers::Contains("k.ptx:7"));
  arguments[1].memory = {"f32", 1, &one, nullptr};
  options.semantics = "nothing_like_it";
  CHECK(reckon_ptx(s.get(), kernel, "k.ptx", arguments, 3, &options, nullptr, nullptr) == RECKON_SOURCE_ERROR);
  CHECK(reckon_ptx(s.get(), kernel, "k.ptx", nullptr, 3, &options, nullptr, nullptr) == RECKON_BAD_USE);
  arguments[1].memory = {"f33", 1, &one, nullptr};
  CHECK(reckon_trace(s.get(), kernel, "k.ptx", arguments, 3, &options, nullptr) == RECKON_BAD_USE);
  CHECK(reckon_ptx(nullptr, kernel, nullptr, arguments, 3, &options, nullptr, nullptr) == RECKON_BAD_USE);
  CHECK(reckon_trace(s.get(), kernel, nullptr, arguments, 3, nullptr, nullptr) == RECKON_BAD_USE);
}

TEST_CASE("C: sessions are independent of each other in 16 threads") {
  std::vector<std::thread> threads;
  std::array<int, 16> good{};
  for (std::size_t k = 0; k < good.size(); ++k) {
    threads.emplace_back([k, &good] {
      const auto s = session(program_text);
      if (!s) return;
      for (int round = 0; round < 3; ++round) {
        const float left = static_cast<float>(k), right = static_cast<float>(round);
        constexpr std::array<std::int64_t, 1> one{1};
        const std::array<reckon_tensor, 2> arguments{{{"f32", 1, one.data(), &left}, {"f32", 1, one.data(), &right}}};
        reckon_call_options options{};
        options.size = sizeof options;
        options.on = round % 2 == 0 ? RECKON_ON_HOST : RECKON_ON_INTERPRETER;
        reckon_values* values = nullptr;
        if (reckon_call(s.get(), "dot", arguments.data(), 2, &options, &values) != RECKON_OK) return;
        const Handle_of<reckon_values> kept(values);
        double result = 0;
        if (reckon_value_numbers(values, 0, "value", &result) == RECKON_OK && result == static_cast<double>(left) * round) {
          ++good[k];
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int each : good) CHECK(each == 3);
}
