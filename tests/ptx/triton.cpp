#include "tests/ptx/triton.h"

#include <cmath>

#include "numerics/format.h"
#include "ptx/emulate/kernel.h"
#include "ptx/emulate/tensor_map.h"
#include "tests/support/files.h"

namespace reckon::ptx::testing {
namespace {

using nlohmann::json;
using numerics::Format;

struct Kind {
  std::size_t bytes;
  std::optional<Format> format;  ///< of floats
};
Kind kind_of(const std::string& type) {
  static const std::map<std::string, Kind> kinds{{"float32", {4, Format::f32}},
                                                 {"float16", {2, Format::f16}},
                                                 {"bfloat16", {2, Format::bf16}},
                                                 {"float64", {8, Format::f64}},
                                                 {"float8_e4m3fn", {1, Format::f8e4m3}},
                                                 {"float8_e5m2", {1, Format::f8e5m2}},
                                                 {"int8", {1, {}}},
                                                 {"int32", {4, {}}},
                                                 {"int64", {8, {}}}};
  return kinds.at(type);
}

/// Murmur3's final mixing of i times a constant and a seed: the same in NumPy, where the inputs on the H200 were made.
std::uint32_t hashed(std::uint64_t i, std::uint64_t seed) {
  std::uint64_t h = (i * 2654435761u + seed * 40503u) & 0xffffffffu;
  h ^= h >> 16;
  h = h * 0x85ebca6bu & 0xffffffffu;
  h ^= h >> 13;
  h = h * 0xc2b2ae35u & 0xffffffffu;
  return static_cast<std::uint32_t>(h ^ h >> 16);
}

/// An element of a description's memory.
std::uint64_t element_of(const json& memory, const Kind& kind, std::size_t i) {
  if (memory.contains("zeros")) return 0;
  if (memory.contains("values")) return static_cast<std::uint64_t>(memory["values"][i].get<std::int64_t>());
  const std::uint32_t hash = hashed(i, memory["seed"].get<std::uint64_t>());
  if (memory.contains("below")) return hash % memory["below"].get<std::uint32_t>();
  const double value = static_cast<double>(static_cast<std::int32_t>(hash)) / 2147483648.0 * memory["scale"].get<double>();
  if (*kind.format == Format::f64) return std::bit_cast<std::uint64_t>(value);
  return numerics::round_f64(static_cast<float>(value), *kind.format);
}

}  // namespace

std::filesystem::path triton_folder() { return test::data_folder() / "ptx" / "triton"; }
json triton_launches() { return json::parse(test::read_file(triton_folder() / "launches.json"))["kernels"]; }

std::string triton_text(const json& kernel) {
  return test::read_file(triton_folder() / (kernel["name"].get<std::string>() + ".ptx"));
}

TritonLaunch::TritonLaunch(const json& kernel, const numerics::Chip* chip)
    : TritonLaunch(kernel, triton_text(kernel), chip) {}

TritonLaunch::TritonLaunch(const json& kernel, const std::string& text, const numerics::Chip* chip)
    : kernel_(kernel), launcher_(text) {
  options_.grid = kernel["grid"];
  options_.block = {kernel["threads"], 1, 1};
  options_.dynamic_shared_bytes = kernel["shared"];
  launcher_.approximates_nearest = true;
  launcher_.chip = chip;
  const Kernel& decoded = launcher_.kernel(kernel["entry"], options_);
  const auto infos = Program::parameters(decoded);
  parameters_.resize(decoded.parameter_bytes);
  std::size_t next = 0;
  for (const json& argument : kernel["arguments"]) add_argument(argument, infos, next);
  // Memory for scratch and for profiles, of which these kernels have none.
  REQUIRE(next + 2 == infos.size());
}

std::uint64_t TritonLaunch::put(const json& memory) {
  if (memory.contains("addresses")) {
    std::vector<std::uint64_t> addresses;
    for (const json& one : memory["addresses"]) addresses.push_back(put(one));
    const std::uint64_t made = launcher_.put(addresses);
    pointed_[made] = addresses;
    return made;
  }
  const Kind kind = kind_of(memory["type"]);
  const std::size_t count =
      memory.contains("values") ? memory["values"].size() : memory["count"].get<std::size_t>();
  std::vector<std::uint8_t> bytes(count * kind.bytes);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t element = element_of(memory, kind, i);
    std::memcpy(bytes.data() + i * kind.bytes, &element, kind.bytes);
  }
  const std::uint64_t made = launcher_.put(bytes);
  if (kind.format) floats_[made] = *kind.format;
  return made;
}

void TritonLaunch::add_argument(const json& argument, const std::vector<ParameterInfo>& infos, std::size_t& next) {
  const std::string type = argument["type"];
  if (argument.contains("memory")) {
    const std::uint64_t address = put(argument["memory"]);
    addresses_[argument["name"]] = address;
    if (type != "tensordesc") return add(infos, next, address);
    // A tensor map, whose dimensions go from the one whose elements are adjacent; then extents and distances.
    TensorMap map;
    const auto shape = argument["shape"], strides = argument["strides"], box = argument["box"];
    const auto rank = shape.size();
    map.element_bytes = static_cast<std::uint8_t>(kind_of(argument["memory"]["type"]).bytes);
    map.rank = static_cast<std::uint8_t>(rank);
    map.swizzle = argument["swizzle"];
    map.address = address;
    for (std::size_t d = 0; d < rank; ++d) {
      map.extents[d] = shape[rank - 1 - d];
      map.box[d] = box[rank - 1 - d];
      if (d > 0) map.strides[d - 1] = strides[rank - 1 - d].get<std::uint64_t>() * map.element_bytes;
    }
    std::array<std::uint8_t, 128> encoded{};
    std::memcpy(encoded.data(), &map, sizeof map);
    add(infos, next, encoded);
    for (std::size_t d = 0; d < rank; ++d) add(infos, next, shape[d].get<std::uint32_t>());
    for (std::size_t d = 0; d < rank; ++d) add(infos, next, strides[d].get<std::uint64_t>());
    return;
  }
  if (type == "fp32") add(infos, next, argument["value"].get<float>());
  else if (type == "i32") add(infos, next, argument["value"].get<std::int32_t>());
  else add(infos, next, argument["value"].get<std::int64_t>());
}

LaunchReport TritonLaunch::run() {
  return launcher_.run_with(launcher_.kernel(kernel_["entry"], options_), options_, parameters_);
}

LaunchReport TritonLaunch::run(Values& values) {
  LaunchOptions options = options_;
  options.values = &values;
  for (const auto& [address, format] : floats_) launcher_.mark(address, format, values);
  return launcher_.run_with(launcher_.kernel(kernel_["entry"], options), options, parameters_);
}

std::vector<std::uint8_t> TritonLaunch::input(const std::string& argument) {
  const std::uint64_t address = addresses_.at(argument);
  return launcher_.get<std::uint8_t>(address, launcher_.bytes_at(address));
}

std::vector<std::uint8_t> TritonLaunch::result(const std::string& name) {
  // The name of an argument, or of one with addresses and which of them.
  const json& argument = kernel_["results"][name]["argument"];
  const std::uint64_t address = argument.is_string() ? addresses_.at(argument)
                                                     : pointed_.at(addresses_.at(argument[0])).at(argument[1].get<std::size_t>());
  return launcher_.get<std::uint8_t>(address, kernel_["results"][name]["bytes"]);
}
std::vector<std::uint8_t> TritonLaunch::expected(const std::string& name) const {
  const std::string text = test::read_file(triton_folder() / kernel_["results"][name]["file"].get<std::string>());
  return {text.begin(), text.end()};
}

double distance(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b, const std::string& type) {
  const Kind kind = kind_of(type);
  if (!kind.format) return a == b ? 0 : INFINITY;
  double most = 0, greatest = 0;
  for (std::size_t at = 0; at + kind.bytes <= a.size(); at += kind.bytes) {
    std::uint64_t x = 0, y = 0;
    std::memcpy(&x, a.data() + at, kind.bytes);
    std::memcpy(&y, b.data() + at, kind.bytes);
    const double u = numerics::widen(x, *kind.format), v = numerics::widen(y, *kind.format);
    if (x != y && !(std::fabs(u - v) < INFINITY)) return INFINITY;
    if (x != y) most = std::max(most, std::fabs(u - v));
    if (std::fabs(v) < INFINITY) greatest = std::max(greatest, std::fabs(v));
  }
  return most == 0 ? 0 : most / greatest * std::ldexp(1.0, numerics::traits(*kind.format).precision - 24);
}

}  // namespace reckon::ptx::testing
