// Every example: what it prints, the IR of its circuits, and PTX that ptxas accepts.
#include <algorithm>
#include <bit>

#include "tests/cli/reckon_run.h"
#include "tests/support/golden.h"
#include "tests/support/in_turn.h"

using namespace reckon::test;

namespace {

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() / "examples")) {
    if (entry.path().extension() == ".rk") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

struct Circuit {
  std::string name;
  std::vector<std::string> static_parameters;
};

/// The circuits of an example, found by their first lines.
std::vector<Circuit> circuits_of(const std::string& example) {
  std::vector<Circuit> out;
  for (const std::string& line : lines_of(read_file(source_folder() / "examples" / (example + ".rk")))) {
    const bool is_kernel = line.starts_with("kernel ");
    if (!line.starts_with("fn ") && !is_kernel) continue;
    if (line.find(" by any") != std::string::npos) continue;  // a set of orders: asked about, never compiled
    Circuit circuit;
    const std::size_t begin = is_kernel ? 7 : 3, end = line.find_first_of(is_kernel ? "[ " : "[(", begin);
    circuit.name = line.substr(begin, end - begin);
    if (line[end] == '[') {
      std::string names = line.substr(end + 1, line.find(']') - end - 1);
      std::replace(names.begin(), names.end(), ',', ' ');
      std::istringstream stream(names);
      for (std::string name; stream >> name;) circuit.static_parameters.push_back(name);
    }
    out.push_back(circuit);
  }
  return out;
}

RunResult compile(const std::string& example, const Circuit& circuit, std::vector<std::string> more) {
  more.insert(more.begin(), {"compile", "examples/" + example + ".rk", "--fn", circuit.name});
  for (const std::string& parameter : circuit.static_parameters) more.insert(more.end(), {"-D", parameter + "=64"});
  return reckon_here(more);
}

/// PTX of the same LLVM differs between CUDA versions in this line alone.
std::string without_version(const std::string& ptx) {
  std::string out;
  for (const std::string& line : lines_of(ptx)) {
    if (!line.starts_with(".version")) out += line + "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("every example prints what its golden files say, and its checks hold") {
  for (const std::string& name : example_names()) {
    INFO(name);
    const RunResult text = reckon_here({"examples/" + name + ".rk"});
    CHECK(text.status == 0);
    CHECK(text.err.empty());
    check_golden("cli/examples/" + name + ".txt", text.out);
    const RunResult json = reckon_here({"examples/" + name + ".rk", "--format=json"});
    CHECK(json.status == 0);
    CHECK(json.err.empty());
    for (Json line : json_lines(json.out)) CHECK((line["kind"] != "check" || line["verdict"] == "holds"));
    check_golden("cli/examples/" + name + ".json", json.out);
  }
}

TEST_CASE("what examples say of checks that fail, they do") {
  // `#> check ...` is carried out as if it were no comment; the lines `#| ...` after it are printed, in this order.
  int found = 0;
  for (const std::string& name : example_names()) {
    std::string program;
    std::vector<std::string> expected;
    for (const std::string& line : lines_of(read_file(source_folder() / "examples" / (name + ".rk")))) {
      program += (line.starts_with("#> ") ? line.substr(3) : line) + "\n";
      if (line.starts_with("#| ")) expected.push_back(line.substr(3));
    }
    if (expected.empty()) continue;
    INFO(name);
    const RunResult run = reckon_in(source_folder() / "examples", {"run", "-"}, program);
    CHECK(run.status == 1);
    CHECK(run.err.empty());
    const std::vector<std::string> printed = lines_of(run.out);
    auto from = printed.begin();
    for (const std::string& line : expected) {
      INFO(line << "\n" << run.out);
      from = std::find(from, printed.end(), line);
      REQUIRE(from != printed.end());
      found += line.starts_with("fails ");
    }
  }
  CHECK(found >= 2);
}

TEST_CASE("the sums of examples/dot.rk, worked out here") {
  // SplitMix64 of seed + i, 53 bits, uniform in [-1, 1), rounded once: docs/language.md, "Circuits".
  const auto random = [](std::uint64_t seed) {
    std::vector<float> out;
    for (std::uint64_t i = 0; i < 1000; ++i) {
      std::uint64_t z = seed + i + 0x9E3779B97F4A7C15;
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
      z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
      z ^= z >> 31;
      out.push_back(static_cast<float>(static_cast<double>(z >> 11) * 0x1p-52 - 1));
    }
    return out;
  };
  const auto pairwise = [](std::vector<float> nodes) {
    while (nodes.size() > 1) {
      std::vector<float> next;
      for (std::size_t i = 0; i < nodes.size(); i += 2) {
        next.push_back(i + 1 < nodes.size() ? nodes[i] + nodes[i + 1] : nodes[i]);
      }
      nodes = next;
    }
    return nodes[0];
  };
  const std::vector<float> x = random(1), y = random(100000);
  std::vector<float> products, lanes;
  for (std::size_t i = 0; i < x.size(); ++i) products.push_back(x[i] * y[i]);
  float in_order = products[0];
  for (std::size_t i = 1; i < products.size(); ++i) in_order += products[i];
  for (std::size_t lane = 0; lane < 128; ++lane) {
    std::vector<float> own;
    for (std::size_t i = lane; i < products.size(); i += 128) own.push_back(products[i]);
    lanes.push_back(pairwise(own));
  }
  std::vector<std::string> shown;
  for (const std::string& line : lines_of(reckon_here({"examples/dot.rk"}).out)) {
    if (line.find("f32#") != std::string::npos) shown.push_back(line.substr(line.find("f32#") + 4));
  }
  REQUIRE(shown.size() == 3);
  CHECK(std::stoul(shown[0], nullptr, 16) == std::bit_cast<std::uint32_t>(in_order));
  CHECK(std::stoul(shown[1], nullptr, 16) == std::bit_cast<std::uint32_t>(pairwise(products)));
  CHECK(std::stoul(shown[2], nullptr, 16) == std::bit_cast<std::uint32_t>(pairwise(lanes)));
}

TEST_CASE("the IR of every example's circuits") {
  for (const std::string& name : example_names()) {
    std::string all;
    for (const Circuit& circuit : circuits_of(name)) {
      const RunResult run = compile(name, circuit, {"--emit=ir"});
      INFO(name << " " << circuit.name << run.err);
      CHECK(run.status == 0);
      all += run.out;
      if (!all.ends_with('\n')) all += '\n';
    }
    check_golden("cli/ir/" + name + ".ir", all);
  }
}

TEST_CASE("the PTX of a few circuits for sm_90") {
  const std::vector<std::pair<std::string, Circuit>> chosen = {
      {"dot", {"dot_seq", {}}}, {"order_matters", {"pairwise", {}}}, {"matmul", {"matmul", {}}}};
  for (const auto& [example, circuit] : chosen) {
    // A product too small for tiles, whose code is long (tests/codegen/tiles_test.cpp looks at it).
    const std::vector<std::string> sizes = example == "matmul" ? std::vector<std::string>{"-Dm=9", "-Dk=5", "-Dn=7"}
                                                               : std::vector<std::string>{};
    std::vector<std::string> options{"--emit=ptx", "--arch=sm_90"};
    options.insert(options.end(), sizes.begin(), sizes.end());
    const RunResult run = compile(example, circuit, options);
    INFO(example << " " << circuit.name << run.err);
    CHECK(run.status == 0);
    check_golden("cli/ptx/" + example + "_" + circuit.name + ".ptx", without_version(run.out));
  }
}

TEST_CASE("an approximate instruction is emitted where the program names it") {
  const RunResult run = reckon_here({"compile", "tests/data/approximate.rk", "--fn", "weights", "--arch=sm_90", "-D", "n=8"});
  INFO(run.err);
  CHECK(run.status == 0);
  check_golden("cli/ptx/approximate_weights.ptx", without_version(run.out));
}

// Each circuit is assembled for one architecture under one semantics: the six combinations are dealt to the circuits in
// turn. All of them for every circuit took ten minutes; RECKON_ALL_TARGETS=1 asks for them.
TEST_CASE("ptxas accepts the PTX of every example's circuits for sm_80, sm_90 or sm_100", "[targets]") {
  if (run_command({"ptxas", "--version"}).status != 0) {
    WARN("ptxas was not found: no PTX was assembled");
    return;
  }
  std::vector<std::pair<std::string, std::string>> combinations;
  for (const std::string arch : {"sm_80", "sm_90", "sm_100"}) {
    for (const std::string semantics : {"float", "fpsan"}) combinations.emplace_back(arch, semantics);
  }
  InTurn<std::pair<std::string, std::string>> in_turn(combinations);
  const TemporaryFolder folder;
  std::size_t circuits = 0;
  int assembled = 0, not_compiled = 0;
  for (const std::string& name : example_names()) {
    for (const Circuit& circuit : circuits_of(name)) {
      for (const auto& [arch, semantics] : in_turn.next()) {
        const RunResult run = compile(name, circuit, {"--emit=ptx", "--arch=" + arch, "--in=" + semantics});
        INFO(name << " " << circuit.name << " " << arch << " " << semantics << run.err);
        if (run.status == 3 && run.err.starts_with("error[E0700]")) {  // said, and why
          ++not_compiled;
          continue;
        }
        CHECK(run.status == 0);
        const std::string file = (folder / "circuit.ptx").string();
        write_file(file, run.out);
        const RunResult result = run_command({"ptxas", "-arch=" + arch, "-o", "/dev/null", file});
        INFO(result.out << result.err);
        CHECK(result.status == 0);
        ++assembled;
      }
      ++circuits;
    }
  }
  // Tuples as parameters cannot be passed to a kernel.
  WARN("ptxas assembled " << assembled << " PTX files of " << circuits << " circuits; " << not_compiled
                          << " could not be compiled, which the program said");
  CHECK(assembled > 0);
}
