// Circuits by their text, for certain sizes: interpreted, or compiled for the host.
#pragma once

#include <map>
#include <string>

#include "bench/kernel.h"
#include "bench/measure.h"
#include "driver/prepare.h"
#include "frontend/elaborate.h"
#include "interp/evaluate.h"
#include "runtime/host/run.h"
#include "semantics/standard.h"

namespace reckon::bench {

using Sizes = std::map<std::string, std::int64_t>;

class Program {
 public:
  explicit Program(const char* text) : session_(sources_, {}) {
    const auto outcome = session_.add(sources_.add("bench.rk", text), "bench.rk", frontend::ParseAs::program);
    for (const Diagnostic& diagnostic : outcome.diagnostics) std::fprintf(stderr, "%s\n", diagnostic.message.c_str());
    if (!outcome.diagnostics.empty()) std::exit(1);
  }
  ir::Module& module() { return session_.module(); }

  /// A function for these sizes, its orders settled and its passes run as `reckon call` has them.
  ir::Function function(const char* name, const Sizes& sizes, const char* semantics) {
    ir::Dimensions dimensions;
    for (const auto& [dimension, size] : sizes) dimensions[module().symbol(dimension)] = size;
    const auto meaning = must(interp::make_semantics(semantics, {}, {}));
    return must(driver::for_code(module(), must(session_.circuit(name)), dimensions, meaning->traits()));
  }

  double interpreted_seconds(const ir::Function& function, const char* semantics,
                             const std::vector<ir::HostTensor>& arguments, int runs = 5) {
    const auto meaning = must(interp::make_semantics(semantics, {}, {}));
    const std::vector<interp::Argument> inputs(arguments.begin(), arguments.end());
    return median_seconds(runs,
                          [&] { keep(must(interp::evaluate(module(), function, *meaning, inputs)).front().data()); });
  }

  /// Without the time that compiling takes.
  double compiled_seconds(const ir::Function& function, const codegen::CompiledSemantics* semantics,
                          const std::vector<ir::HostTensor>& arguments, int runs = 5) {
    codegen::CompileOptions options;
    options.semantics = semantics;
    const codegen::Compiled compiled = must(codegen::compile(module(), function, options));
    return median_seconds(runs, [&] {
      keep(must(runtime::run_host(module(), function, compiled, arguments, {}, interp::generate)).front().bytes.data());
    });
  }

 private:
  SourceMap sources_;
  frontend::Session session_;
};

inline ir::HostTensor random_tensor(ir::Scalar scalar, std::vector<std::int64_t> shape, std::int64_t seed) {
  return interp::generate(ir::Source::Kind::normal, scalar, std::move(shape), seed);
}

constexpr const char* matmul_text = R"(
fn matmul(a: f32[m, l], b: f32[l, n]) -> f32[m, n] = for i, j: sum k: a[i, k] * b[k, j]
)";

}  // namespace reckon::bench
