#include "runtime/host/run.h"

#include <chrono>

#include "diagnostics/codes/bad_argument.h"
#include "runtime/host/program.h"

namespace reckon::runtime {

void Timing::measure(const std::function<void()>& run) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const auto since = [](Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); };
  while (seconds.size() < min_runs || since(start) < wanted_seconds) {
    const Clock::time_point before = Clock::now();
    run();
    seconds.push_back(since(before));
  }
}

Expected<std::vector<ir::HostTensor>> run_host(ir::Module& module, const ir::Function& function,
                                               const codegen::Compiled& compiled,
                                               const std::vector<ir::HostTensor>& arguments,
                                               const std::map<ir::SymbolId, std::int64_t>& dimensions,
                                               const Generate& generate, Timing* timing) {
  auto program = HostProgram::prepare(module, function, compiled, dimensions, generate);
  if (!program) return program.error();
  const auto parameters = program->tensors(HostProgram::Role::parameter);
  if (arguments.size() < parameters.size()) {
    return Diagnostic(code::bad_argument, function.span, "an argument is missing");
  }
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    if (auto problem = program->give(module, k, arguments[k])) return *problem;
  }
  std::vector<ir::HostTensor> out;
  for (const HostProgram::Tensor& result : program->tensors(HostProgram::Role::result)) {
    out.emplace_back(result.scalar, result.shape);
  }
  for (std::size_t k = 0; k < out.size(); ++k) program->receive(k, out[k].bytes.data());
  program->compute();
  if (timing != nullptr) {
    timing->threads = program->threads();
    timing->measure([&] { program->compute(); });
  }
  if (auto fault = program->finish()) return *fault;
  return out;
}

}  // namespace reckon::runtime
