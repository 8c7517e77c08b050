// Objects for programs of C: the interpreter's bits, one visible symbol, nothing needed but the C library.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <set>

#include "tests/standalone/circuits.h"
#include "tests/support/in_turn.h"

using namespace reckon;
using namespace reckon::test;

namespace {

struct Array {
  std::string name, type;
  std::vector<std::int64_t> shape;
};
struct Called {
  std::string circuit;
  std::vector<std::int64_t> sizes;  ///< in the order of the function's parameters
  std::vector<Array> arguments;
  std::vector<Array> results;
};

std::size_t count_of(const Array& array) {
  std::size_t out = 1;
  for (const std::int64_t extent : array.shape) out *= static_cast<std::size_t>(extent);
  return out;
}
unsigned width_of(const std::string& type) {
  static const std::map<std::string, unsigned> widths{{"f64", 8}, {"f32", 4}, {"u32", 4}, {"f16", 2}, {"bool", 1}};
  return widths.at(type);
}
std::string c_type(const std::string& type) {
  if (type == "f64") return "double";
  if (type == "f32") return "float";
  return fmt::format("uint{}_t", 8 * width_of(type));
}

/// Patterns of numbers near 1, or of any words.
std::uint64_t pattern(const std::string& type, std::mt19937_64& random) {
  const double value = std::uniform_real_distribution<double>(-2, 2)(random);
  if (type == "f64") {
    std::uint64_t bits;
    std::memcpy(&bits, &value, 8);
    return bits;
  }
  if (type == "f32") {
    const float narrow = static_cast<float>(value);
    std::uint32_t bits;
    std::memcpy(&bits, &narrow, 4);
    return bits;
  }
  if (type == "f16") return (random() & 0x83ff) | ((12 + random() % 5) << 10);
  return type == "bool" ? random() % 2 : random() & 0xffffffff;
}

std::string literal(const std::string& type, std::uint64_t bits) {
  if (type == "bool") return bits ? "true" : "false";
  if (type == "u32") return std::to_string(bits);
  return fmt::format("{}#{:0{}x}", type, bits, 2 * width_of(type));
}

/// The elements as text for `--arg`, with brackets for each dimension.
std::string text_of(const Array& array, const std::vector<std::uint64_t>& bits, std::size_t dimension,
                    std::size_t& at) {
  if (dimension == array.shape.size()) return literal(array.type, bits[at++]);
  std::string out;
  for (std::int64_t k = 0; k < array.shape[dimension]; ++k) {
    out += (out.empty() ? "" : ",") + text_of(array, bits, dimension + 1, at);
  }
  return "[" + out + "]";
}

/// The bits of the results in hexadecimal, one a line, by the interpreter.
std::string interpreted(const Called& of, const std::vector<std::vector<std::uint64_t>>& inputs) {
  std::vector<std::string> words{"call", elsewhere, "--fn", of.circuit, "--format=json"};
  for (std::size_t k = 0; k < of.arguments.size(); ++k) {
    std::size_t at = 0;
    words.insert(words.end(), {"--arg", of.arguments[k].name + "=" + text_of(of.arguments[k], inputs[k], 0, at)});
  }
  const RunResult run = reckon_here(words);
  INFO(of.circuit << run.err << run.out);
  REQUIRE(run.status == 0);
  std::string out;
  const auto add = [&](const Json& value) {
    if (value.contains("bits")) out += value["bits"].get<std::string>() + "\n";
    else out += value["value"].dump() + "\n";
  };
  for (const Json& line : json_lines(run.out)) {
    if (!line.contains("values")) add(line);
    else
      for (const Json& value : line["values"]) add(value);
  }
  return out;
}

/// A program of C that calls the function and prints the same.
std::string program_for(const Called& of, const std::vector<std::vector<std::uint64_t>>& inputs,
                        const std::string& symbol) {
  std::string text =
      fmt::format("#include \"{}.h\"\n#include <inttypes.h>\n#include <stdio.h>\n#include <string.h>\n", of.circuit);
  std::string body, arguments;
  for (const std::int64_t size : of.sizes) arguments += fmt::format("{}, ", size);
  for (std::size_t k = 0; k < of.arguments.size(); ++k) {
    const Array& array = of.arguments[k];
    const unsigned width = width_of(array.type);
    std::string words;
    for (const std::uint64_t bits : inputs[k]) words += fmt::format("0x{:x}u,", bits);
    if (!words.empty()) text += fmt::format("static const uint{}_t in_{}[] = {{{}}};\n", 8 * width, k, words);
    if (array.shape.empty()) {
      body += fmt::format("  {} value_{};\n  memcpy(&value_{}, in_{}, {});\n", c_type(array.type), k, k, k, width);
      arguments += fmt::format("value_{}, ", k);
    } else {
      arguments += inputs[k].empty() ? "0, " : fmt::format("(const {} *)in_{}, ", c_type(array.type), k);
    }
  }
  for (std::size_t k = 0; k < of.results.size(); ++k) {
    const Array& array = of.results[k];
    text += fmt::format("static {} out_{}[{}];\n", c_type(array.type), k, count_of(array) + 1);
    arguments += fmt::format("out_{}{}", k, k + 1 < of.results.size() ? ", " : "");
  }
  text += "int main(void) {\n" + body +
          fmt::format("  const int status = {}({});\n  if (status != 0) return 10 + status;\n", symbol, arguments);
  for (std::size_t k = 0; k < of.results.size(); ++k) {
    const unsigned width = width_of(of.results[k].type);
    text += fmt::format(
        "  for (int i = 0; i < {0}; ++i) {{\n    uint{1}_t bits;\n    memcpy(&bits, &out_{2}[i], {3});\n"
        "    printf(\"%0{4}\" PRIx{1} \"\\n\", bits);\n  }}\n",
        count_of(of.results[k]), 8 * width, k, width, of.results[k].type == "bool" ? 1 : 2 * width);
  }
  return text + "  return 0;\n}\n";
}

std::vector<Called> called() {
  std::vector<Called> all;
  for (const std::int64_t n : {1, 2, 7, 33, 257}) {
    all.push_back({"dot", {n}, {{"x", "f32", {n}}, {"y", "f32", {n}}}, {{"result", "f32", {}}}});
    all.push_back({"dot64", {n}, {{"x", "f64", {n}}, {"y", "f64", {n}}}, {{"result", "f64", {}}}});
    all.push_back({"half_sum", {n}, {{"x", "f16", {n}}}, {{"result", "f16", {}}}});
    all.push_back(
        {"axpy", {n}, {{"alpha", "f32", {}}, {"x", "f32", {n}}, {"y", "f32", {n}}}, {{"result", "f32", {n}}}});
    all.push_back(
        {"mean_and_largest", {3, n}, {{"x", "f32", {3, n}}}, {{"a", "f32", {3}}, {"b", "f32", {3}}, {"c", "f32", {}}}});
    all.push_back({"matmul", {5, n, 3}, {{"a", "f32", {5, n}}, {"b", "f32", {n, 3}}}, {{"result", "f32", {5, 3}}}});
    all.push_back({"softmax", {n}, {{"x", "f32", {n}}}, {{"result", "f32", {n}}}});
    all.push_back({"numpy_sum", {n}, {{"x", "f32", {n}}}, {{"result", "f32", {}}}});
    all.push_back({"prefix", {n}, {{"x", "f32", {n}}}, {{"result", "f32", {n}}}});
    all.push_back({"below", {n}, {{"x", "f32", {n}}}, {{"result", "f32", {n}}}});
    all.push_back({"differences", {n}, {{"x", "f32", {n}}}, {{"result", "f32", {n - 1}}}});
    all.push_back({"weighted", {n}, {{"x", "f32", {n}}}, {{"result", "f32", {}}}});
    all.push_back(
        {"choose", {n}, {{"first", "bool", {}}, {"x", "f16", {n}}, {"y", "f16", {n}}}, {{"result", "f16", {n}}}});
    all.push_back({"checksum", {n}, {{"x", "u32", {n}}}, {{"result", "u32", {}}}});
  }
  all.push_back({"noisy", {}, {{"x", "f32", {4}}}, {{"result", "f32", {4}}}});
  all.push_back({"prefix", {0}, {{"x", "f32", {0}}}, {{"result", "f32", {0}}}});
  return all;
}

}  // namespace

TEST_CASE("an object's function gives the interpreter's bits, for every processor", "[targets]") {
  std::mt19937_64 random(20261125);
  std::vector<std::string> all{"", "--arch=native"};
#ifdef __x86_64__
  all.push_back("--arch=x86-64-v3");
#endif
  test::InTurn<std::string> processors(all);
  std::map<std::string, std::vector<std::string>> of_circuit;
  for (const Called& each : called()) {
    if (!of_circuit.contains(each.circuit)) of_circuit[each.circuit] = processors.next();
  }
  for (const std::string& processor : all) {
    const TemporaryFolder folder;
    std::set<std::string> made;
    for (const Called& each : called()) {
      if (std::ranges::count(of_circuit[each.circuit], processor) == 0) continue;
      INFO(each.circuit << " " << processor << fmt::format(" {}", fmt::join(each.sizes, " ")));
      if (made.insert(each.circuit).second) {
        const std::vector<std::string> options =
            processor.empty() ? std::vector<std::string>{} : std::vector{processor};
        emit_to(folder / (each.circuit + ".o"), each.circuit, "object", options);
        emit_to(folder / (each.circuit + ".h"), each.circuit, "header", options);
      }
      std::vector<std::vector<std::uint64_t>> inputs;
      for (const Array& array : each.arguments) {
        auto& bits = inputs.emplace_back();
        for (std::size_t k = 0; k < count_of(array); ++k) bits.push_back(pattern(array.type, random));
      }
      const std::string program = (folder / "program").string();
      write_file(folder / "main.c", program_for(each, inputs, each.circuit));
      must_run({"gcc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", (folder / "main.c").string(),
                (folder / (each.circuit + ".o")).string(), "-o", program, "-lm"});
      const RunResult run = run_command({program});
      CHECK(run.status == 0);
      if (each.sizes != std::vector<std::int64_t>{0}) CHECK(run.out == interpreted(each, inputs));
    }
  }
}

TEST_CASE("an object has one symbol that others see, and needs the C library alone") {
  const std::set<std::string> library{"malloc",  "free",      "memset",     "memcpy",
                                      "memmove", "fma",       "fmaf",       "floor",
                                      "floorf",  "ceil",      "ceilf",      "trunc",
                                      "truncf",  "roundeven", "roundevenf", "_GLOBAL_OFFSET_TABLE_"};
  const TemporaryFolder folder;
  std::set<std::string> seen;
  for (const Called& each : called()) {
    if (!seen.insert(each.circuit).second) continue;
    INFO(each.circuit);
    for (const char* semantics : {"--in=float", "--in=fpsan"}) {
      const std::string object = (folder / "object.o").string();
      emit_to(object, each.circuit, "object", {semantics});
      const RunResult run = run_command({"nm", "-g", "--format=posix", object});
      REQUIRE(run.status == 0);
      std::vector<std::string> defined;
      for (const std::string& line : lines_of(run.out)) {
        const std::string name = line.substr(0, line.find(' ')), kind = line.substr(name.size() + 1, 1);
        if (kind == "U") CHECK(library.contains(name));
        else defined.push_back(name);
      }
      CHECK(defined == std::vector<std::string>{each.circuit});
      // Position-independent: it can be part of a shared library.
      must_run({"gcc", "-shared", "-Wl,-z,text", object, "-o", (folder / "library.so").string(), "-lm"});
    }
  }
}

TEST_CASE("an object's function refuses sizes for which the circuit has no value") {
  const TemporaryFolder folder;
  for (const char* circuit : {"dot", "differences", "matmul"}) {
    emit_to(folder / (std::string(circuit) + ".o"), circuit, "object");
    emit_to(folder / (std::string(circuit) + ".h"), circuit, "header");
  }
  write_file(folder / "main.c", R"c(
#include "dot.h"
#include "differences.h"
#include "matmul.h"
#include <stdio.h>
int main(void) {
  float x[4] = {1, 2, 3, 4}, y = 9;
  printf("%d ", dot(0, x, x, &y));
  printf("%d ", dot(-1, x, x, &y));
  printf("%d ", dot(4, x, x, &y));
  printf("%g ", y);
  printf("%d %d ", differences(0, x, &y), differences(1, x, &y));
  printf("%d %d\n", matmul(2, 0, 2, x, x, x), matmul(INT64_MAX, 1, INT64_MAX, 0, 0, 0));
  return 0;
}
)c");
  const std::string program = (folder / "program").string();
  must_run({"gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", (folder / "main.c").string(), (folder / "dot.o").string(),
            (folder / "differences.o").string(), (folder / "matmul.o").string(), "-o", program, "-lm"});
  CHECK(run_command({program}).out == "1 1 0 30 1 0 1 1\n");
}

TEST_CASE("a header is C++, too") {
  const TemporaryFolder folder;
  emit_to(folder / "dot.o", "dot", "object");
  emit_to(folder / "dot.h", "dot", "header");
  write_file(folder / "main.cpp",
             "#include \"dot.h\"\nint main() {\n  const float x[] = {3};\n  float y = 0;\n"
             "  return dot(1, x, x, &y) == 0 && y == 9 ? 0 : 1;\n}\n");
  must_run({RECKON_CXX, "-Wall", "-Wextra", "-Werror", (folder / "main.cpp").string(), (folder / "dot.o").string(),
            "-o", (folder / "program").string(), "-lm"});
  must_run({(folder / "program").string()});
}
