#include "api/parts_on_gpus.h"

#include "interp/evaluate.h"
#include "runtime/cuda/launch.h"

namespace reckon {

namespace cuda = runtime::cuda;

namespace {

/// A part that a GPU is computing.
struct Running {
  std::size_t gpu = 0;
  std::optional<Session::Implementation::Compiled> code;
  std::optional<runtime::GpuProgram> program;

  ~Running() {
    if (!program) return;
    const cuda::CurrentContext here(program->shared_context());
    program.reset();
  }
};

}  // namespace

Expected<std::vector<std::shared_ptr<const cuda::Context>>> open_gpus(const Session::Implementation& self) {
  const runtime::GpuOptions options = self.gpu();
  auto driver = cuda::Driver::open(options.driver);
  if (!driver) return driver.error();
  std::vector<std::shared_ptr<const cuda::Context>> out;
  for (int device = 0; device < (*driver)->device_count(); ++device) {
    auto context = cuda::Context::open(*driver, device);
    if (!context) return context.error();
    out.push_back(std::move(*context));
  }
  return out;
}

Expected<std::vector<std::vector<interp::Values>>> parts_on_gpus(
    Session::Implementation& self, interp::Semantics& semantics,
    const std::vector<std::shared_ptr<const cuda::Context>>& gpus, const std::vector<std::optional<PartOnGpu>>& parts) {
  ir::Module& module = self.session.module();
  std::vector<std::unique_ptr<Running>> all;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (!parts[k]) continue;
    auto running = std::make_unique<Running>();
    running->gpu = k;
    driver::Shapes shapes;
    for (const ir::HostTensor& argument : parts[k]->arguments) shapes.push_back(argument.shape);
    CallOptions call;
    call.on = On::gpu;
    call.arch = gpus[k]->device().arch();
    auto code = self.compiled(parts[k]->function, shapes, {}, semantics, call);
    if (!code) return code.error();
    running->code = std::move(*code);
    const cuda::CurrentContext here(gpus[k]);
    if (here.failure()) return *here.failure();
    auto program = runtime::GpuProgram::prepare(gpus[k], module, running->code->function, running->code->code, {},
                                                interp::generate);
    if (!program) return program.error();
    running->program.emplace(std::move(*program));
    if (auto failure = running->program->upload(module, parts[k]->arguments)) return *failure;
    if (auto failure = running->program->launch()) return *failure;
    all.push_back(std::move(running));
  }
  std::vector<std::vector<interp::Values>> out(parts.size());
  for (const auto& running : all) {
    const cuda::CurrentContext here(gpus[running->gpu]);
    if (here.failure()) return *here.failure();
    auto tensors = running->program->results();
    if (!tensors) return tensors.error();
    for (std::uint32_t k = 0; k < tensors->size(); ++k) {
      auto values = compiled_values(semantics, running->code->code.plan, k, (*tensors)[k]);
      if (!values) return values.error();
      out[running->gpu].push_back(std::move(*values));
    }
  }
  return out;
}

}  // namespace reckon
