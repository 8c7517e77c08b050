// `reckon tune`: which choices of placement are fastest, by measurement on this machine's GPU.
#include <fmt/format.h>

#include <filesystem>

#include "api/gpu_timing.h"
#include "api/implementation.h"
#include "api/kept_choices.h"
#include "api/tuner.h"
#include "diagnostics/codes/internal.h"
#include "runtime/kernel_folder.h"

namespace reckon {
namespace {

/// Compiles, runs and times one circuit by stated choices.
class OnGpu {
 public:
  OnGpu(std::shared_ptr<const runtime::cuda::Context> context, ir::Module& module, const ir::Function& function,
        codegen::CompileOptions options, const std::vector<ir::HostTensor>& arguments, double seconds)
      : context_(std::move(context)),
        module_(module),
        function_(function),
        options_(std::move(options)),
        arguments_(arguments),
        seconds_(seconds) {}

  Expected<double> measure(const codegen::StatedChoices& choices) {
    codegen::CompileOptions options = options_;
    options.choices = choices;
    auto code = codegen::compile(module_, function_, options);
    if (!code) return code.error();
    auto program = runtime::GpuProgram::prepare(context_, module_, function_, *code, {}, interp::generate);
    if (!program) return program.error();
    if (auto failure = program->upload(module_, arguments_)) return *failure;
    auto times = seconds_on_gpu([&](auto timing) { return runtime::time_on_gpu(*program, timing); }, seconds_);
    if (!times) return times.error();
    auto results = program->results();
    if (!results) return results.error();
    if (auto problem = other_bits(*results, choices)) return *problem;
    return median(*times);
  }

 private:
  /// Every way has to give the bits of the first one.
  std::optional<Diagnostic> other_bits(std::vector<ir::HostTensor>& results, const codegen::StatedChoices& choices) {
    if (results_.empty()) results_ = std::move(results);
    else {
      for (std::size_t k = 0; k < results_.size(); ++k) {
        if (results[k].bytes == results_[k].bytes) continue;
        return Diagnostic(code::internal, function_.span,
                          fmt::format("the choices {} change bits of the result", codegen::text_of(choices)))
            .help("this is a mistake of Reckon's; please report it with the program");
      }
    }
    return std::nullopt;
  }

  std::shared_ptr<const runtime::cuda::Context> context_;
  ir::Module& module_;
  const ir::Function& function_;
  codegen::CompileOptions options_;
  const std::vector<ir::HostTensor>& arguments_;
  double seconds_;
  std::vector<ir::HostTensor> results_;
};

/// Where choices are kept.
std::string choices_folder(const SessionOptions& options) { return options.kernel_folder + "/choices"; }

}  // namespace

bool read_choice(std::string_view text, std::map<std::string, std::string>& choices) {
  return codegen::add_choice(choices, text);
}

codegen::StatedChoices choices_for(Session::Implementation& session, const ir::Function& function,
                                   const driver::Shapes& shapes, const ir::Dimensions& given,
                                   const interp::Semantics& with, const std::string& device) {
  // Without the folder, what names an entry, the whole circuit as text, need not be made.
  std::error_code none;
  if (session.options.kernel_folder.empty() || !std::filesystem::exists(choices_folder(session.options), none))
    return {};
  const auto sizes = ir::bind_dimensions(session.session.module(), function, shapes, given);
  if (!sizes) return {};
  runtime::KernelFolder folder(choices_folder(session.options));
  const std::string key = choices_key(session.session.module(), function, std::string(with.name()), device, *sizes);
  return kept_choices(folder, key).value_or(codegen::StatedChoices{});
}

Result<Tuned> Session::tune(const std::string& circuit, const TuneOptions& options) {
  SourceSpan place;
  auto work = [&]() -> Expected<Tuned> {
    Implementation& self = *implementation_;
    ir::Module& module = self.session.module();
    auto chosen = self.choose(circuit, options.bench.call.values, options.bench.call.formats);
    if (!chosen) return chosen.error();
    place = chosen->function.span;
    auto semantics = self.semantics(options.bench.call.semantics, {});
    if (!semantics) return semantics.error();
    const auto shapes = benchmark_shapes(self, *chosen, options.bench);
    if (!shapes) return shapes.error();
    auto compile_options = compile_options_for(**semantics);
    if (!compile_options) return compile_options.error();
    compile_options->target = codegen::Target::ptx;
    compile_options->store = self.kernels.get();
    if (!options.bench.call.arch.empty()) compile_options->arch = options.bench.call.arch;
    const auto sizes = ir::bind_dimensions(module, chosen->function, *shapes, chosen->dimensions);
    if (!sizes) return sizes.error();
    auto passed = driver::for_code(module, chosen->function, *sizes, (*semantics)->traits());
    if (!passed) return passed.error();

    Tuned out;
    std::vector<ir::HostTensor> arguments;
    std::optional<OnGpu> gpu;
    if (options.measures) {
      auto made = self.benchmark_arguments(*chosen, options.bench);
      if (!made) return made.error();
      arguments = std::move(*made);
      auto context = runtime::open_gpu(self.gpu());
      if (!context) return context.error();
      out.machine = (*context)->device().name;
      if (options.bench.call.arch.empty()) compile_options->arch = (*context)->device().arch();
      gpu.emplace(*context, module, *passed, *compile_options, arguments, options.bench.seconds);
    }
    const auto model = [&](const codegen::StatedChoices& choices) {
      codegen::CompileOptions stated = *compile_options;
      stated.choices = choices;
      return codegen::modelled_choices(module, *passed, stated);
    };
    Tuner::Measure measure;
    if (gpu) measure = [&](const codegen::StatedChoices& choices) { return gpu->measure(choices); };
    Tuner tuner(model, measure, options.most);
    const auto best = tuner.run();
    if (!best) return best.error();
    out.ways = tuner.trials();
    out.best = *best;
    out.left_out = tuner.left_out();
    if (gpu && options.keeps && !self.options.kernel_folder.empty()) {
      runtime::KernelFolder folder(choices_folder(self.options));
      const auto sizes = ir::bind_dimensions(module, chosen->function, *shapes, chosen->dimensions);
      if (!sizes) return sizes.error();
      keep_choices(folder,
                   choices_key(module, chosen->function, std::string((*semantics)->name()), out.machine, *sizes),
                   tuner.trials()[*best].choices);
      out.kept = true;
    }
    return out;
  };
  Result<Tuned> out = Tuned{};
  implementation_->interrupted = false;
  with_large_stack([&] {
    auto tuned = within_memory(place, work);
    out = tuned ? Result<Tuned>(std::move(*tuned)) : implementation_->messages(tuned.error());
  });
  return out;
}

}  // namespace reckon
