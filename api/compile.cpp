// Circuits as code.
#include <fmt/format.h>

#include "api/implementation.h"
#include "diagnostics/codes/internal.h"
#include "diagnostics/codes/tool_missing.h"
#include "diagnostics/codes/unreadable_file.h"
#include "ir/printer.h"
#include "runtime/cuda/launch.h"
#include "semantics/standard.h"

namespace reckon {

Expected<codegen::CompileOptions> compile_options_for(const interp::Semantics& with) {
  const codegen::CompiledSemantics* compiled = with.traits().compiled;
  if (compiled == nullptr) return interp::not_compilable(with);
  codegen::CompileOptions options;
  options.semantics = compiled;
  return options;
}

Expected<Session::Implementation::Compiled> Session::Implementation::compiled(const ir::Function& function,
                                                                              const driver::Shapes& shapes,
                                                                              const ir::Dimensions& given,
                                                                              const interp::Semantics& with,
                                                                              const CallOptions& call_options) {
  auto compile_options = compile_options_for(with);
  if (!compile_options) return compile_options.error();
  ir::Module& module = session.module();
  const auto sizes = ir::bind_dimensions(module, function, shapes, given);
  if (!sizes) return sizes.error();
  auto passed = driver::for_code(module, function, *sizes, with.traits());
  if (!passed) return passed.error();
  compile_options->target = call_options.on == On::host ? codegen::Target::host : codegen::Target::ptx;
  if (call_options.on == On::gpu) {
    const auto driver = runtime::cuda::Driver::open(gpu().driver);
    if (!driver) return driver.error();
    const auto device = (*driver)->device(0);
    if (!device) return device.error();
    compile_options->arch = call_options.arch.empty() ? device->arch() : call_options.arch;
    compile_options->choices =
        call_options.choices ? *call_options.choices : choices_for(*this, function, shapes, given, with, device->name);
  }
  compile_options->store = kernels.get();
  auto code = codegen::compile(module, *passed, *compile_options);
  // Choices that were kept may be those of another version, and are not needed.
  if (!code && !call_options.choices && !compile_options->choices.empty()) {
    compile_options->choices.clear();
    code = codegen::compile(module, *passed, *compile_options);
  }
  if (!code) return code.error();
  return Compiled{std::move(*passed), std::move(*code)};
}

std::optional<Emit> emit_named(std::string_view name) {
  static constexpr std::pair<std::string_view, Emit> names[] = {{"ir", Emit::ir},
                                                                {"kernels", Emit::kernels},
                                                                {"report", Emit::report},
                                                                {"llvm", Emit::llvm},
                                                                {"ptx", Emit::ptx},
                                                                {"asm", Emit::assembly},
                                                                {"cubin", Emit::cubin},
                                                                {"plan", Emit::plan},
                                                                {"header", Emit::header},
                                                                {"object", Emit::object},
                                                                {"launcher=cpp", Emit::cpp_launcher},
                                                                {"launcher=python", Emit::python_launcher},
                                                                {"fpcore", Emit::fpcore}};
  for (const auto& [known, emit] : names) {
    if (known == name) return emit;
  }
  return std::nullopt;
}

Result<std::string> Session::compile(const std::string& circuit, const CompileOptions& options) {
  auto work = [&]() -> Expected<std::string> {
    Implementation& self = *implementation_;
    ir::Module& module = self.session.module();
    auto chosen = self.choose(circuit, options.values, options.formats);
    if (!chosen) return chosen.error();
    if (options.emit == Emit::fpcore) return written_fpcore(self, chosen->function, chosen->dimensions);
    auto semantics = self.semantics(options.semantics, {});
    if (!semantics) return semantics.error();
    self.note_roundings(chosen->function, **semantics);
    std::string dumps;
    ir::PassOptions passes;
    passes.disabled.insert(options.without_passes.begin(), options.without_passes.end());
    // The pass to dump after has to exist as well as the disabled ones.
    ir::PassOptions named = passes;
    if (!options.dump_after.empty() && options.dump_after != "all") named.disabled.insert(options.dump_after);
    if (auto unknown = ir::unknown_passes(named); !unknown.empty()) {
      return bad_argument(fmt::format("there is no pass `{}`", unknown.front()));
    }
    passes.dump = [&](std::string_view name, const ir::Function& now) {
      if (options.dump_after != "all" && options.dump_after != name) return;
      dumps += fmt::format("; after {}\n{}\n", name, ir::print(module, now));
    };
    if (options.emit == Emit::ir && options.dump_after.empty()) {
      const auto prepared =
          driver::prepared(module, chosen->function, chosen->dimensions, (*semantics)->traits());
      if (!prepared) return prepared.error();
      return ir::print(module, *prepared);
    }
    const auto passed = driver::for_code(module, chosen->function, chosen->dimensions, (*semantics)->traits(), passes);
    if (!passed) return passed.error();
    const ir::Function& function = *passed;
    if (options.emit == Emit::ir) return dumps;
    auto compile_options = compile_options_for(**semantics);
    if (!compile_options) return compile_options.error();
    compile_options->choices = options.choices;
    const bool object = options.emit == Emit::header || options.emit == Emit::object;
    const bool host = options.host || object;
    compile_options->target = host ? codegen::Target::host : codegen::Target::ptx;
    if (!options.arch.empty()) (host ? compile_options->cpu : compile_options->arch) = options.arch;
    else if (object) compile_options->cpu = baseline_processor();
    if (options.line_info) compile_options->lines = self.source_lines();
    compile_options->keep_llvm_ir = options.emit == Emit::llvm;
    if (options.emit == Emit::kernels) return codegen::kernels_text(module, function, *compile_options);
    if (options.emit == Emit::report) {
      const auto line = [&](SourceSpan span) -> std::string {
        if (span.file == SourceSpan::no_file) return {};
        return fmt::format("line {}", self.sources.locate(span.file, span.begin).line);
      };
      return codegen::report_text(module, function, *compile_options, line);
    }
    if (options.emit != Emit::llvm) compile_options->store = self.kernels.get();
    if (options.host && options.emit == Emit::assembly) {
      return codegen::host_assembly(module, function, *compile_options);
    }
    const auto before = driver::prepared(module, chosen->function, chosen->dimensions, (*semantics)->traits());
    if (!before) return before.error();
    if (object || options.emit == Emit::cpp_launcher || options.emit == Emit::python_launcher) {
      return self.standalone(*before, function, *compile_options, options.emit);
    }
    auto compiled = codegen::compile(module, function, *compile_options);
    if (!compiled) return compiled.error();
    if (options.emit == Emit::llvm) return compiled->llvm_ir;
    if (options.emit == Emit::plan) return plan_text(module, compiled->plan);
    if (options.emit != Emit::cubin) return self.described_ptx(*before, *compiled, *compile_options);
    using Status = codegen::PtxasResult::Status;
    const auto result =
        codegen::check_with_ptxas(compiled->assembly, codegen::arch_of(compile_options->arch, compiled->plan),
                                  compiled->plan.assembler_level());
    if (result.status == Status::no_file) {
      return Diagnostic(code::unreadable_file, {}, "no temporary file can be made")
          .help("name a folder that can be written to in the environment variable `TMPDIR`");
    }
    if (result.status == Status::missing) {
      return Diagnostic(code::tool_missing, {}, "`ptxas` was not found, and a cubin needs it")
          .help("install the CUDA toolkit, or emit PTX");
    }
    if (result.status == Status::rejected) {
      return Diagnostic(code::internal, {}, "ptxas rejects the PTX: " + result.message);
    }
    return result.cubin;
  };
  Result<std::string> out = std::string();
  with_large_stack([&] {
    auto text = work();
    out = text ? Result<std::string>(std::move(*text)) : implementation_->messages(text.error());
  });
  return out;
}

namespace {

Expected<ir::TreeId> expanded(ir::Module& module, ir::ScheduleId schedule, std::int64_t n, SourceSpan place) {
  if (n < 1 || n > 100'000) return bad_argument("a tree is shown for 1 to 100,000 leaves");
  auto [tree, problem] = module.schedules().expand(schedule, n);
  if (problem) return ir::schedule_diagnostic(module, schedule, *problem, place);
  return tree;
}

}  // namespace

Expected<ir::TreeId> Session::Implementation::tree_of(const std::string& circuit, std::int64_t n,
                                                      const std::map<std::string, std::int64_t>& values,
                                                      const std::map<std::string, std::string>& formats) {
  ir::Module& module = session.module();
  auto chosen = choose(circuit, values, formats);
  if (!chosen) return chosen.error();
  // Find the first reduction in the order of evaluation.
  std::vector<ir::NodeId> stack{ir::inline_calls(module, chosen->function).body};
  while (!stack.empty()) {
    const ir::NodeId id = stack.back();
    stack.pop_back();
    const ir::Node node = module[id];
    if (node.op == ir::Op::reduce || node.op == ir::Op::scan) {
      const ir::ScheduleId schedule = module.reduction_of(node).schedule;
      return expanded(module, schedule, n, module.span(id, chosen->function.places));
    }
    stack.insert(stack.end(), node.operands.rbegin(), node.operands.rend());
  }
  return bad_argument(fmt::format("`{}` has no reduction", circuit));
}

Result<std::string> Session::tree(const std::string& circuit, std::int64_t n,
                                  const std::map<std::string, std::int64_t>& values,
                                  const std::map<std::string, std::string>& formats) {
  Result<std::string> out = std::string();
  with_large_stack([&] {
    Implementation& self = *implementation_;
    const auto tree = self.tree_of(circuit, n, values, formats);
    out =
        tree ? Result<std::string>(self.session.module().schedules().trees().text(*tree)) : self.messages(tree.error());
  });
  return out;
}

Result<std::string> Session::tree_of_schedule(const std::string& expression, std::int64_t n) {
  Result<std::string> out = std::string();
  with_large_stack([&] {
    Implementation& self = *implementation_;
    ir::Module& module = self.session.module();
    auto outcome = self.session.add(self.sources.add("expression", expression), "", frontend::ParseAs::expression);
    if (!outcome.diagnostics.empty()) {
      out = self.messages(outcome.diagnostics);
      return;
    }
    const SourceSpan place = outcome.items.back().span;
    const auto schedule = self.session.schedule_of(*outcome.lone, place);
    const auto tree = schedule ? expanded(module, *schedule, n, place) : Expected<ir::TreeId>(schedule.error());
    out = tree ? Result<std::string>(module.schedules().trees().text(*tree)) : self.messages(tree.error());
  });
  return out;
}

}  // namespace reckon
