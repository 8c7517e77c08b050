// The circuits of all examples, compiled to PTX and run by the emulator's CUDA driver, give what the interpreter gives:
// the bits of floats, the elements of both rings, and the ends of intervals.
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <random>
#include <regex>
#include <set>

#include "api/reckon/reckon.h"
#include "api/reckon/render.h"
#include "numerics/native.h"
#include "tests/support/files.h"
#include "tests/support/in_turn.h"

namespace {

using namespace reckon;
using namespace reckon::test;

std::vector<std::filesystem::path> programs() {
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_folder() / "examples")) {
    if (entry.path().extension() == ".rk") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// What is compared of a call: the values with their bits, or the code of why there are none.
struct Answer {
  std::vector<std::string> values;
  std::string refused, message;
};

class Program {
 public:
  explicit Program(const std::filesystem::path& path) : session_(options()) {
    REQUIRE(session_.load(read_file(path), path.string()));
  }

  /// The names of its own circuits.
  std::vector<std::string> circuits() {
    std::vector<std::string> out;
    static const std::regex head("^(?:fn|kernel) ([A-Za-z_0-9]+)");
    for (const auto& definition : session_.definitions()) {
      std::smatch found;
      if (std::regex_search(definition.text, found, head)) out.push_back(found[1]);
    }
    return out;
  }

  /// Arguments of these sizes; false where it takes tuples, or no such sizes exist.
  bool choose(const std::string& circuit, std::int64_t size) {
    arguments_.clear();
    values_.clear();
    formats_.clear();
    const auto signature = session_.signature(circuit);
    if (!signature) return false;
    for (const auto& [name, is_format] : signature->static_parameters) {
      if (is_format) formats_[name] = "f32";
      else values_[name] = 4;
    }
    std::mt19937 random(7);
    for (const Parameter& parameter : signature->parameters) {
      Tensor& made = arguments_.emplace_back();
      made.type = parameter.type.starts_with("f") || parameter.type.starts_with("bf") ||
                          parameter.type.starts_with("u") || parameter.type.starts_with("i")
                      ? parameter.type
                      : "f32";
      if (parameter.type.starts_with("(")) return false;
      std::int64_t count = 1;
      for (const std::string& written : parameter.shape) {
        const auto extent = extent_of(written, size);
        if (!extent || *extent < 1) return false;
        made.shape.push_back(*extent);
        count *= *extent;
      }
      if (count > 20000) return false;
      fill(made, count, random);
    }
    return true;
  }

  Answer call(const std::string& circuit, const std::string& semantics, On on) {
    CallOptions how;
    how.on = on;
    how.semantics = semantics;
    how.values = values_;
    how.formats = formats_;
    const auto results = session_.call(circuit, arguments_, how);
    Answer out;
    if (!results) {
      out.refused = results.messages().front().code;
      out.message = results.messages().front().message;
      return out;
    }
    for (const Shown& each : *results) out.values.push_back(to_json(each));
    return out;
  }

 private:
  static SessionOptions options() {
    SessionOptions out;
    out.cuda_driver = (emulated_driver_folder() / "libcuda.so.1").string();
    return out;
  }

  /// `4 * m - 4` where every name is `size`.
  std::optional<std::int64_t> extent_of(const std::string& written, std::int64_t size) {
    static const std::regex name("[A-Za-z_][A-Za-z_0-9]*");
    std::string text;
    std::size_t at = 0;
    for (std::sregex_iterator k(written.begin(), written.end(), name), end; k != end; ++k) {
      text += written.substr(at, static_cast<std::size_t>(k->position()) - at);
      const auto known = values_.find(k->str());
      text += std::to_string(known != values_.end() ? known->second : size);
      at = static_cast<std::size_t>(k->position() + k->length());
    }
    const auto made = session_.evaluate(text + written.substr(at));
    if (!made || made->empty()) return std::nullopt;
    return std::strtoll(made->front().text.c_str(), nullptr, 10);
  }

  /// Odd multiples of 1/16 between -1 and 1.1, which these formats hold exactly; of integers 0, 1 and 2.
  static void fill(Tensor& tensor, std::int64_t count, std::mt19937& random) {
    const std::string& type = tensor.type;
    const bool real = type[0] == 'f' || type[0] == 'b';
    std::vector<std::uint8_t>& bytes = tensor.bytes;
    for (std::int64_t k = 0; k < count; ++k) {
      std::uint64_t bits = random() % 3;
      std::size_t size = static_cast<std::size_t>(std::stoi(type.substr(type.find_first_of("0123456789")))) / 8;
      if (real) {
        const float x = 0.125f * static_cast<float>(static_cast<int>(random() % 17) - 8) + 1.0f / 16;
        const auto single = std::bit_cast<std::uint32_t>(x);
        if (type == "f64") bits = std::bit_cast<std::uint64_t>(double{x});
        else if (type == "bf16") bits = numerics::f32_to_bf16(x);
        else if (type == "f16") bits = numerics::f32_to_f16(x);
        else bits = single, size = 4;
      }
      for (std::size_t b = 0; b < size; ++b) bytes.push_back(static_cast<std::uint8_t>(bits >> 8 * b));
    }
  }

  Session session_;
  std::vector<Tensor> arguments_;
  std::map<std::string, std::int64_t> values_;
  std::map<std::string, std::string> formats_;
};

}  // namespace

TEST_CASE("the circuits of all examples give the interpreter's values as PTX, under four semantics", "[targets]") {
  if (!std::filesystem::exists(emulated_driver_folder() / "libcuda.so.1")) return;  // the preset `static` has none
  setenv("RECKON_PTX_APPROX", "nearest", 0);  // guesses, on which no result depends
  static const std::string all[] = {"float", "fpsan", "padic", "interval"};
  std::map<std::string, int> compared;
  std::map<std::string, std::set<std::string>> refused;
  std::size_t number = 0, circuits = 0;
  for (const auto& path : programs()) {
    Program program(path);
    for (const std::string& circuit : program.circuits()) {
      bool chosen = false;
      for (const std::int64_t size : {6, 8, 16, 64}) {
        if (!program.choose(circuit, size)) continue;
        chosen = program.call(circuit, "float", On::interpreter).refused.empty();
        if (chosen) break;
      }
      if (!chosen) {  // parts of others that take tuples, and sets of orders
        refused["interpreter"].insert(circuit);
        continue;
      }
      ++circuits, ++number;
      for (std::size_t k = 0; k < 4; ++k) {
        // Each circuit in float, and half of them under another semantics, in turn; for all targets, under all.
        if (!all_targets() && k != 0 && (number / 2 + k) % 3 + number % 2 != 0) continue;
        const Answer expected = program.call(circuit, all[k], On::interpreter);
        if (!expected.refused.empty()) {
          refused[all[k] + ", interpreted"].insert(circuit);
          continue;
        }
        const Answer made = program.call(circuit, all[k], On::gpu);
        INFO(path.filename().string() << ": " << circuit << " in " << all[k] << ": " << made.message);
        // What intervals lack on a GPU, and clauses of kernels that these small sizes cannot meet.
        if (made.refused == "E0700" || made.refused == "E0701") {
          refused[all[k] + ", compiled"].insert(circuit + " " + made.message);
          continue;
        }
        CHECK(made.refused.empty());
        CHECK(made.values == expected.values);
        ++compared[all[k]];
      }
    }
  }
  for (const auto& [what, names] : refused)
    for (const std::string& name : names) UNSCOPED_INFO(what << ": " << name);
  CHECK(circuits > 100);
  CHECK(compared["float"] > 100);
  for (const char* ring : {"fpsan", "padic", "interval"}) CHECK(compared[ring] > (all_targets() ? 80 : 12));
}
