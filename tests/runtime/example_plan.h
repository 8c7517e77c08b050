// A plan for the stand-in driver.
#pragma once

#include <catch2/catch.hpp>

#include "diagnostics/codes/undefined_result.h"
#include "runtime/cuda/launch.h"
#include "tests/runtime/fake_cuda/fake_cuda.h"
#include "tests/support/compiled_semantics.h"

namespace reckon::runtime::cuda {

using codegen::Buffer;

inline ir::HostTensor tensor(ir::Scalar scalar, std::vector<std::int64_t> shape, std::vector<std::uint8_t> bytes) {
  ir::HostTensor made;
  made.scalar = scalar;
  made.shape = std::move(shape);
  made.bytes = std::move(bytes);
  return made;
}

/// f(x: bf16[n], y: f32[2]) -> (bf16[n], f64[m]): its results are declared out of order, and the plan has a constant
/// and an intermediate. The kernels' names say what the stand-in does.
struct Example {
  ir::Module module;
  ir::SymbolId n = module.symbol("n");
  ir::SymbolId m = module.symbol("m");
  ir::Function function;
  ir::IndexId extent = module.indices().dimension(n);
  codegen::Compiled compiled;
  std::vector<ir::HostTensor> arguments;
  ir::Dimensions dimensions;

  explicit Example(std::int64_t n_value = 3) {
    function.name = module.symbol("f");
    function.span = {0, 5, 9};
    const ir::IndexId second = module.indices().add(module.indices().dimension(m), module.indices().constant(1));
    const ir::IndexId two = module.indices().constant(2);
    ir::Source source;
    source.kind = ir::Source::Kind::uniform;
    source.seed = module.indices().constant(42);
    const ir::NodeId random = module.source(source, module.types().tensor(ir::Scalar::bf16, {extent}));
    compiled.semantics = &codegen::float_code();
    compiled.plan.dimensions = {n, m};
    compiled.plan.buffers = {
        {Buffer::Role::parameter, ir::Scalar::bf16, {extent}, 0, {}},
        {Buffer::Role::parameter, ir::Scalar::f32, {two}, 1, {}},
        {Buffer::Role::constant, ir::Scalar::bf16, {extent}, 0, random},
        {Buffer::Role::intermediate, ir::Scalar::bf16, {extent}, 0, {}},
        {Buffer::Role::result, ir::Scalar::f64, {second}, 1, {}},
        {Buffer::Role::result, ir::Scalar::bf16, {extent}, 0, {}},
    };
    // Parameters 0 to 5 are the buffers; 6 and 7 are n and m.
    compiled.plan.kernels = {kernel("copy_0_3", 3, {extent}), kernel("copy_3_5", 5, {extent}),
                             kernel("store_7_4", 4, {})};
    compiled.assembly = ".entry copy_0_3 .entry copy_3_5 .entry store_7_4 .entry copy_2_5";
    std::vector<std::uint8_t> bytes;
    for (std::int64_t i = 0; i < n_value; ++i) {
      bytes.push_back(static_cast<std::uint8_t>(i));
      bytes.push_back(0x40);
    }
    arguments = {tensor(ir::Scalar::bf16, {n_value}, bytes),
                 tensor(ir::Scalar::f32, {2}, std::vector<std::uint8_t>(8, 1))};
    dimensions = {{n, n_value}, {m, 1}};
  }

  /// A buffer of faults, the last, and two that kernels may meet.
  void add_faults() {
    Buffer faults;
    faults.role = Buffer::Role::faults;
    faults.scalar = ir::Scalar::f64;
    faults.extents = {module.indices().constant(1)};
    compiled.plan.buffers.push_back(faults);
    compiled.plan.faults = {Diagnostic(code::undefined_result, {0, 1, 2}, "first"),
                            Diagnostic(code::undefined_result, {0, 3, 4}, "second")};
  }

  static codegen::Kernel kernel(const char* name, std::uint32_t output, std::vector<ir::IndexId> items) {
    codegen::Kernel made;
    made.name = name;
    made.output = output;
    made.items = std::move(items);
    return made;
  }
  static ir::HostTensor generate(ir::Source::Kind kind, ir::Scalar scalar, std::vector<std::int64_t> shape,
                                 std::int64_t seed) {
    CHECK(kind == ir::Source::Kind::uniform);
    CHECK(seed == 42);
    const auto size = static_cast<std::size_t>(shape[0]) * 2;
    return tensor(scalar, std::move(shape), std::vector<std::uint8_t>(size, 0xff));
  }
  Expected<std::vector<ir::HostTensor>> run(const FakeCuda& fake) {
    return run_on_gpu(module, function, compiled, arguments, dimensions, generate, {fake.options(), 0});
  }
  Expected<GpuProgram> prepare(const std::shared_ptr<const Context>& context, const ProgramOptions& options = {}) {
    return GpuProgram::prepare(context, module, function, compiled, dimensions, generate, options);
  }
};

inline std::vector<std::string> lines_of(const std::string& log, const std::vector<std::string>& kinds) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = log.find('\n', at);
    const std::string line = log.substr(at, end - at);
    for (const std::string& kind : kinds)
      if (line.starts_with(kind)) lines.push_back(line);
    at = end + 1;
  }
  return lines;
}

inline std::shared_ptr<const Context> open_context(const FakeCuda& fake) {
  auto context = open_gpu({fake.options(), 0});
  REQUIRE(context);
  return *context;
}

}  // namespace reckon::runtime::cuda
