// The order of each reduction in kernels of CUDA and CUB (tests/data/ptx): what `trace` reads off a launch is what
// `reveal` finds by probing the same kernel, and the circuit has the kernel's bits.
#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>

#include "api/reckon/trace.h"
#include "numerics/format.h"
#include "ptx/emulate/program.h"
#include "ptx/read/read.h"
#include "reveal/reveal.h"
#include "tests/support/files.h"
#include "tests/support/long_run.h"
#include "tests/trace/launches.h"

namespace {

using namespace reckon;
using namespace reckon::test;

using At = std::function<std::int64_t(std::int64_t)>;

/// A launch whose output element is a sum of n elements of x, or of n products of elements of x and y.
struct Reduction {
  std::string name;  ///< of the test
  std::string file, entry;
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::uint32_t shared = 0;
  std::vector<PtxArgument> arguments;
  std::size_t x = 0, out = 1;
  std::int64_t n = 0;
  std::int64_t element = 0;
  At x_at = [](std::int64_t k) { return k; };
  std::size_t y = 0;  ///< of a sum of products
  At y_at = nullptr;
  std::string probed = {};  ///< the format of probes, if it is not that of the memory
};

/// The kernel whose name has this in it, without the other kernels of the file: probes read the text often.
std::string only(const std::string& text, const std::string& part, std::string& entry) {
  std::string out;
  std::size_t at = 0;
  for (;;) {
    const std::size_t begin = text.find(".visible .entry ", at);
    if (begin == std::string::npos) return out + text.substr(at);
    out += text.substr(at, begin - at);
    std::size_t end = text.find("\n{", begin) + 2;
    for (int depth = 1; depth > 0; ++end) depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
    const std::string name = text.substr(begin + 16, text.find('(', begin) - begin - 16);
    if (name.find(part) != std::string::npos && entry.empty()) {
      entry = name;
      out += text.substr(begin, end - begin);
    }
    at = end;
  }
}

std::size_t bytes_of(const std::string& type) {
  return static_cast<std::size_t>(numerics::traits(*numerics::format_named(type)).width) / 8;
}

/// Numbers in the format, of either sign and few binades.
Tensor random_numbers(std::vector<std::int64_t> shape, const std::string& type, unsigned seed) {
  Tensor out = room(std::move(shape), type);
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const auto format = *numerics::format_named(type);
  const std::size_t bytes = bytes_of(type);
  for (std::size_t at = 0; at < out.bytes.size(); at += bytes) {
    const std::uint64_t bits = numerics::round_f64(normal(random), format);
    std::memcpy(out.bytes.data() + at, &bits, bytes);
  }
  return out;
}
PtxArgument in(std::vector<std::int64_t> shape, const std::string& type = "f32") {
  return given(random_numbers(std::move(shape), type, 1));
}
PtxArgument to(std::vector<std::int64_t> shape, const std::string& type = "f32") {
  return unwritten(room(std::move(shape), type));
}
PtxArgument zeros(std::vector<std::int64_t> shape, const std::string& type = "f32") {
  PtxArgument out = given(room(std::move(shape), type));
  out.zeros = true;
  return out;
}
PtxArgument integers(const std::vector<std::int32_t>& all) {
  Tensor out{"i32", {static_cast<std::int64_t>(all.size())}, {}};
  out.bytes.resize(4 * all.size());
  std::memcpy(out.bytes.data(), all.data(), out.bytes.size());
  return given(std::move(out));
}
PtxArgument n_of(std::int64_t n) { return number(std::to_string(n)); }
At row(std::int64_t step) {
  return [step](std::int64_t k) { return step * k; };
}

std::vector<Reduction> reductions() {
  const At same = row(1);
  // Probes take (n/2) log2 n launches for a balanced tree.
  const auto size = [](std::int64_t few, std::int64_t many) { return long_run() ? many : few; };
  const std::int64_t halves = size(150, 700), blocks = size(600, 1000), shuffles = size(150, 500),
                     last = size(200, 600), neighbours = size(64, 256), unrolled = size(120, 500),
                     fours = size(132, 600), grid = size(150, 500), tile = size(130, 600), rest = size(45, 77),
                     by_warps = size(70, 128);
  const auto threads = [](std::int64_t n) { return std::array<std::uint32_t, 3>{static_cast<std::uint32_t>(n), 1, 1}; };
  const std::string single =
      "DeviceReduceSingleTileKernelINS2_10policy_hubIfjN4cuda3std3__44plusIvEEE10Policy1000EPKfPfj";
  std::vector<Reduction> out = {
      {"halves",
       "kernels",
       "sum_by_halves",
       {1, 1, 1},
       {256, 1, 1},
       0,
       {in({halves}), to({1}), n_of(halves)},
       0,
       1,
       halves},
      {"halves, second block of three",
       "kernels",
       "sum_by_halves",
       {3, 1, 1},
       {64, 1, 1},
       0,
       {in({blocks}), to({3}), n_of(blocks)},
       0,
       1,
       (blocks - 64 - 1) / 192 * 64 + 64,
       1,
       [](std::int64_t k) { return 64 + k % 64 + k / 64 * 192; }},
      {"shuffles",
       "kernels",
       "sum_by_shuffles",
       {1, 1, 1},
       {64, 1, 1},
       0,
       {in({shuffles}), to({1}), n_of(shuffles)},
       0,
       1,
       shuffles},
      {"last block",
       "kernels",
       "sum_by_last_block",
       {3, 1, 1},
       {128, 1, 1},
       0,
       {in({last}), to({3}), zeros({1}), to({1}), n_of(last)},
       0,
       3,
       last},
      {"neighbours",
       "reductions",
       "sum_of_neighbours",
       {1, 1, 1},
       threads(neighbours),
       1024,
       {in({neighbours}), to({1})},
       0,
       1,
       neighbours},
      {"conflicts", "reductions", "sum_with_conflicts", {2, 1, 1}, {64, 1, 1}, 256, {in({128}), to({2})}, 0, 1, 64},
      {"unrolled warp",
       "reductions",
       "sum_with_unrolled_warp",
       {1, 1, 1},
       threads(long_run() ? 256 : 64),
       1024,
       {in({unrolled}), to({1}), n_of(unrolled)},
       0,
       1,
       unrolled},
      {"fours",
       "reductions",
       "sum_of_fours",
       {1, 1, 1},
       {64, 1, 1},
       0,
       {in({fours}), to({1}), n_of(fours)},
       0,
       1,
       fours},
      {"grid",
       "reductions",
       "sum_of_grid",
       {2, 1, 1},
       {64, 1, 1},
       0,
       {in({grid}), to({4}), to({1}), n_of(grid)},
       0,
       2,
       grid},
      {"columns",
       "reductions",
       "sums_of_columns",
       {1, 1, 1},
       {32, 1, 1},
       0,
       {in({40, 8}), to({8}), n_of(40), n_of(8)},
       0,
       1,
       40,
       0,
       row(8)},
      {"scan by doubling", "kernels", "scan", {1, 1, 1}, {64, 1, 1}, 512, {in({64}), to({64}), n_of(64)}, 0, 1, 64, 63},
      {"scan by a tree", "scans", "scan_by_tree", {1, 1, 1}, {32, 1, 1}, 256, {in({64}), to({64})}, 0, 1, 63, 63},
      {"scan by warps",
       "scans",
       "scan_by_warps",
       {1, 1, 1},
       {128, 1, 1},
       0,
       {in({128}), to({128}), n_of(128)},
       0,
       1,
       by_warps,
       by_warps - 1},
      {"CUB, one tile",
       "cub",
       single,
       {1, 1, 1},
       {256, 1, 1},
       0,
       {in({tile}), to({1}), n_of(tile), n_of(0), number("0"), n_of(0)},
       0,
       1,
       tile},
      {"CUB, part of a tile",
       "cub",
       single,
       {1, 1, 1},
       {256, 1, 1},
       0,
       {in({rest}), to({1}), n_of(rest), n_of(0), number("0"), n_of(0)},
       0,
       1,
       rest},
  };
  // Products.
  const auto matrices = [&](const char* name, const char* file, const char* entry, std::array<std::uint32_t, 3> grid,
                            std::array<std::uint32_t, 3> block, std::int64_t n, const std::string& type,
                            const std::string& result) {
    out.push_back({name,
                   file,
                   entry,
                   grid,
                   block,
                   0,
                   {in({n, n}, type), in({n, n}, type), to({n, n}, result), n_of(n)},
                   0,
                   2,
                   n,
                   0,
                   row(1),
                   1,
                   row(n)});
  };
  matrices("tiles", "kernels", "product_by_tiles", {2, 2, 1}, {16, 16, 1}, 32, "f32", "f32");
  matrices("registers", "kernels", "product_in_registers", {1, 1, 1}, {16, 16, 1}, 64, "f32", "f32");
  matrices("fours of a product", "matrices", "product_of_fours", {1, 1, 1}, {256, 1, 1}, 64, "f32", "f32");
  matrices("pipeline", "matrices", "product_with_pipeline", {2, 2, 1}, {256, 1, 1}, 64, "f32", "f32");
  matrices("mma of halves", "matrices", "product_by_mma", {1, 1, 1}, {128, 1, 1}, 64, "f16", "f16");
  matrices("mma of tf32", "matrices", "product_by_tf32", {2, 1, 1}, {32, 1, 1}, 16, "f32", "f32");
  out.back().probed = "tf32";
  out.push_back({"dot of doubles",
                 "kernels",
                 "dot_of_doubles",
                 {1, 1, 1},
                 {32, 1, 1},
                 0,
                 {in({100}, "f64"), in({100}, "f64"), to({1}, "f64"), n_of(100)},
                 0,
                 2,
                 100,
                 0,
                 same,
                 1,
                 same});
  out.push_back({"matrix and vector",
                 "matrices",
                 "matrix_vector",
                 {2, 1, 1},
                 {64, 1, 1},
                 0,
                 {in({4, 90}), in({90}), to({4}), n_of(4), n_of(90)},
                 0,
                 2,
                 90,
                 0,
                 same,
                 1,
                 same});
  out.push_back({"rows of a sparse matrix",
                 "matrices",
                 "sparse_product",
                 {1, 1, 1},
                 {32, 1, 1},
                 0,
                 {integers({0, 20, 33}), integers([] {
                    std::vector<std::int32_t> columns;
                    for (std::int32_t k = 0; k < 33; ++k) columns.push_back(k % 20);
                    return columns;
                  }()),
                  in({33}, "f64"), in({20}, "f64"), to({2}, "f64"), n_of(2)},
                 2,
                 4,
                 20,
                 0,
                 same,
                 3,
                 same});
  out.push_back({"wgmma",
                 "hopper",
                 "product_of_warp_group",
                 {1, 1, 1},
                 {128, 1, 1},
                 0,
                 {in({64, 32}, "f16"), in({8, 32}, "f16"), to({64, 8}), n_of(32)},
                 0,
                 2,
                 32,
                 0,
                 same,
                 1,
                 same});
  out.push_back({"cluster, by the first block's shared memory",
                 "hopper",
                 "sum_of_cluster",
                 {4, 1, 1},
                 {32, 1, 1},
                 0,
                 {in({128}), to({1})},
                 0,
                 1,
                 128});
  out.push_back({"tiles of two warps, by cooperative groups",
                 "modern",
                 "sums_of_many",
                 {1, 1, 1},
                 {128, 1, 1},
                 0,
                 {in({128}), to({2})},
                 0,
                 1,
                 64});
  return out;
}

/// A kernel that is read once and launched for each probe; no race is looked for.
class Probe {
 public:
  Probe(const Reduction& one, const std::string& text, const PtxLaunch& launch)
      : one_(one), program_(std::move(ptx::read(text).module), memory_) {
    ptx::Refused refused;
    kernel_ = program_.kernel(launch.kernel, {}, refused);
    options_.grid = launch.grid;
    options_.block = launch.block;
    options_.dynamic_shared_bytes = launch.shared_bytes;
    options_.finds_races = false;
    const auto infos = ptx::Program::parameters(*kernel_);
    for (std::size_t k = 0; k < infos.size(); ++k) {
      const PtxArgument& argument = launch.arguments[k];
      std::uint64_t word = argument.memory ? 0 : std::stoull(argument.number);
      if (argument.memory) word = memory_.allocate(argument.memory->bytes.size(), "memory", true).base;
      bases_.push_back(argument.memory ? word : 0);
      parameters_.resize(std::max<std::size_t>(parameters_.size(), infos[k].offset + infos[k].bytes));
      std::memcpy(parameters_.data() + infos[k].offset, &word, infos[k].bytes);
    }
  }

  /// What a launch leaves in the element.
  Expected<std::uint64_t> ask(const reveal::Input& input) {
    for (std::size_t k = 0; k < bases_.size(); ++k) {
      if (bases_[k] == 0) continue;
      const Tensor& given = *one_.arguments[k].memory;
      memory_.find(bases_[k])->data.assign(given.bytes.begin(), given.bytes.end());
    }
    put(one_.x, one_.x_at, input.x);
    if (one_.y_at) put(one_.y, one_.y_at, input.y);
    ptx::Refused refused;
    const auto report = program_.launch(*kernel_, options_, parameters_, refused);
    if (!report || report->fault) return reveal::unusable("the launch was ended");
    const std::size_t bytes = bytes_of(one_.arguments[one_.out].memory->type);
    std::uint64_t bits = 0;
    std::memcpy(&bits, memory_.find(bases_[one_.out])->data.data() + static_cast<std::size_t>(one_.element) * bytes,
                bytes);
    return bits;
  }

 private:
  /// The leaves, and zeros elsewhere.
  void put(std::size_t argument, const At& at, const std::vector<std::uint64_t>& bits) {
    auto& data = memory_.find(bases_[argument])->data;
    const std::size_t bytes = bytes_of(one_.arguments[argument].memory->type);
    std::fill(data.begin(), data.end(), std::uint8_t{0});
    for (std::size_t k = 0; k < bits.size(); ++k)
      std::memcpy(data.data() + static_cast<std::size_t>(at(static_cast<std::int64_t>(k))) * bytes, &bits[k], bytes);
  }

  const Reduction& one_;
  ptx::Memory memory_;
  ptx::Program program_;
  const ptx::Kernel* kernel_ = nullptr;
  ptx::LaunchOptions options_;
  std::vector<std::uint8_t> parameters_;
  std::vector<std::uint64_t> bases_;
};

PtxLaunch launch_of(const Reduction& one, const std::string& entry) {
  PtxLaunch launch;
  launch.kernel = entry;
  launch.grid = one.grid;
  launch.block = one.block;
  launch.shared_bytes = one.shared;
  launch.arguments = one.arguments;
  launch.races = false;
  return launch;
}

const TracedFold* fold_of(const TracedOutput& output, std::int64_t element) {
  for (const TracedGroup& group : output.groups) {
    const bool has = std::find(group.elements.begin(), group.elements.end(), element) != group.elements.end();
    if (has && !group.folds.empty()) return &group.folds[0];
  }
  return nullptr;
}

struct Figures {
  int kernels = 0, named = 0, equal = 0, bits = 0;
};

void compare(const Reduction& one, std::int64_t inputs, Figures& figures) {
  std::string entry;
  const std::string target = one.file == "hopper" ? "90a" : "80";
  const std::string text =
      only(read_file(data_folder() / "ptx" / fmt::format("{}_sm_{}.ptx", one.file, target)), one.entry, entry);
  INFO(one.name << ": " << entry);
  const PtxLaunch launch = launch_of(one, entry);
  TraceOptions options;
  options.verify = inputs;
  const PtxTrace trace = trace_ptx(text, "k.ptx", launch, options);
  for (const Message& message : trace.run.messages) FAIL_CHECK(message.text);
  const TracedOutput* output = nullptr;
  for (const TracedOutput& each : trace.outputs) {
    if (each.argument == one.out) output = &each;
  }
  if (output == nullptr) {
    FAIL_CHECK("nothing is stored");
    return;
  }
  ++figures.kernels;
  INFO(output->circuit.substr(0, 500) << output->problem << output->irregular << output->bits.problem);
  // What the cores read of an f32 is no conversion of the language.
  if (one.probed != "tf32") {
    CHECK(output->bits.compared == inputs + 1);
    CHECK(output->bits.equal == output->bits.compared);
    if (output->bits.equal == inputs + 1) ++figures.bits;
  }
  reveal::Question question;
  question.n = one.n;
  question.products = one.y_at != nullptr;
  question.pairs = 20;
  question.verify = 10;
  const std::string input = one.arguments[one.x].memory->type, result = one.arguments[one.out].memory->type;
  question.formats.input = *numerics::format_named(one.probed.empty() ? input : one.probed);
  question.formats.result = *numerics::format_named(result);
  question.formats.accumulator = input == "f64" ? numerics::Format::f64 : numerics::Format::f32;
  Probe probe(one, text, launch);
  const auto found = reveal::reveal([&](const reveal::Input& input) { return probe.ask(input); }, question);
  if (!found || !found->tree) {
    FAIL_CHECK((found ? found->undecided : found.error().message));
    return;
  }
  const TracedFold* fold = fold_of(*output, one.element);
  if (fold == nullptr) {
    FAIL_CHECK("the element is no sum");
    return;
  }
  if (!fold->schedule.empty()) ++figures.named;
  CHECK(fold->terms == one.n);
  CHECK(fold->tree == found->tree->text());
  if (fold->tree == found->tree->text()) ++figures.equal;
  INFO("trace: " << fold->arithmetic << "; reveal: " << found->arithmetic);
  // Probes tell nodes of tensor cores by how many bits they keep, and those of Hopper not at all.
  const bool tensor_cores = fold->arithmetic.starts_with("tensor cores");
  CHECK((tensor_cores || fold->arithmetic == found->arithmetic));
}

}  // namespace

TEST_CASE("reductions of CUDA and CUB: the traced order is the one that probing finds, and the circuit has the bits") {
  Figures figures;
  const std::vector<Reduction> all = reductions();
  for (const Reduction& one : all) {
    compare(one, trials<std::int64_t>(5), figures);
  }
  CHECK(figures.kernels == 27);
  CHECK(figures.equal == figures.kernels);
  CHECK(figures.named == 25);  // not the exclusive scan's, nor that of tf32
  CHECK(figures.bits == 26);
}

TEST_CASE("blocks of CUB's that take tiles in turn, by a struct of figures: the circuit has the bits") {
  // cub::GridEvenShare, of which a kernel that strides reads the number of elements and of blocks.
  const std::uint32_t share[10] = {0, 0, 0, 0, 0, 9000, 2, 9000, 9000, 0};
  std::string bytes = "bytes:";
  for (const std::uint32_t word : share) {
    for (int k = 0; k < 4; ++k) bytes += fmt::format("{:02x}", word >> (8 * k) & 255);
  }
  std::string entry;
  const std::string text = only(read_file(data_folder() / "ptx" / "cub_sm_80.ptx"), "DeviceReduceKernel", entry);
  PtxLaunch launch;
  launch.kernel = entry;
  launch.grid = {2, 1, 1};
  launch.block = {256, 1, 1};
  launch.arguments = {in({9000}), to({2}), n_of(9000), number(bytes), n_of(0), n_of(0)};
  TraceOptions options;
  options.verify = trials<std::int64_t>(5);
  const PtxTrace trace = trace_ptx(text, "k.ptx", launch, options);
  for (const Message& message : trace.run.messages) FAIL_CHECK(message.text);
  REQUIRE(trace.outputs.size() == 1);
  CHECK(trace.outputs[0].bits.compared == options.verify + 1);
  CHECK(trace.outputs[0].bits.equal == trace.outputs[0].bits.compared);
  launch.arguments[3].number = "bytes:00";
  const PtxTrace wrong = trace_ptx(text, "k.ptx", launch, options);
  REQUIRE(wrong.run.messages.size() == 1);
  CHECK_THAT(wrong.run.messages[0].message, Catch::Contains("are not the 40 bytes of the parameter"));
}

TEST_CASE("sums that are no reductions by a tree have the kernel's bits") {
  const std::vector<Reduction> all = {
      {"what additions lose",
       "reductions",
       "compensated_sum",
       {1, 1, 1},
       {32, 1, 1},
       0,
       {in({100}), to({32}), n_of(100)}},
      {"means and squares",
       "reductions",
       "welford",
       {1, 1, 1},
       {32, 1, 1},
       0,
       {in({100}), to({1}), to({1}), n_of(100)}},
      {"products so far",
       "scans",
       "cumulative_product",
       {1, 1, 1},
       {32, 1, 1},
       0,
       {in({70}, "f64"), to({70}, "f64"), n_of(70)}},
  };
  for (const Reduction& one : all) {
    INFO(one.name);
    std::string entry;
    const std::string text = only(read_file(data_folder() / "ptx" / (one.file + "_sm_80.ptx")), one.entry, entry);
    TraceOptions options;
    options.verify = trials<std::int64_t>(20);
    const PtxTrace trace = trace_ptx(text, "k.ptx", launch_of(one, entry), options);
    for (const Message& message : trace.run.messages) FAIL_CHECK(message.text);
    CHECK(!trace.outputs.empty());
    for (const TracedOutput& output : trace.outputs) {
      INFO(output.circuit.substr(0, 400) << output.problem << output.bits.problem);
      CHECK(output.bits.compared == options.verify + 1);
      CHECK(output.bits.equal == output.bits.compared);
    }
  }
}
