#include "tests/differential/evaluate.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "codegen/compile.h"
#include "codegen/sizes.h"
#include "diagnostics/codes/dimension_value.h"
#include "diagnostics/codes/internal.h"
#include "diagnostics/codes/not_compilable.h"
#include "diagnostics/codes/undefined_result.h"
#include "frontend/elaborate.h"
#include "interp/evaluate.h"
#include "ir/bind.h"
#include "ir/op.h"
#include "ir/parser.h"
#include "ir/passes/passes.h"
#include "ir/printer.h"
#include "ir/rewrite.h"
#include "ir/verifier.h"
#include "numerics/format.h"
#include "runtime/cuda/launch.h"
#include "runtime/host/run.h"
#include "semantics/standard.h"
#include "tests/differential/inputs.h"
#include "tests/support/files.h"
#include "tests/support/no_files.h"

namespace reckon::differential {
namespace {

using Results = std::vector<ir::HostTensor>;

constexpr const char* variant_names[variant_count] = {
    "interpreted in batches of 7",
    "interpreted in other words",
    "interpreted after printing and parsing the IR",
    "interpreted with sizes put in",
    "interpreted with schedules written out as trees",
    "interpreted after `fold`",
    "interpreted after `share`",
    "interpreted after `dead`",
    "interpreted after all passes",
    "interpreted with sizes put in, after all passes",
    "compiled for the host",
    "compiled for the host without optimisation",
    "compiled for the host after all passes",
    "compiled for the host after `fold`",
    "compiled for the host after `share`",
    "compiled for the host after `dead`",
    "compiled for the host with sizes put in",
    "compiled for the host with sizes put in, after all passes",
    "compiled to PTX",
    "compiled to PTX with sizes put in, after all passes",
    "assembled by ptxas",
};

std::string message(const Diagnostic& diagnostic) {
  std::string out = code_text(diagnostic.code) + ": " + diagnostic.message;
  for (const std::string& note : diagnostic.notes) out += "\n  " + note;
  return out;
}

/// A program read by the front end.
struct Read {
  SourceMap sources;
  frontend::Session session{sources, test::no_files()};
  std::optional<ir::Function> function;
  std::optional<Diagnostic> problem;

  explicit Read(const std::string& source) {
    const std::uint32_t file = sources.add("program.rk", source);
    auto outcome = session.add(file, "program.rk", frontend::ParseAs::program);
    if (!outcome.diagnostics.empty()) {
      problem = outcome.diagnostics.front();
      return;
    }
    auto circuit = session.circuit("main");
    if (!circuit) {
      problem = circuit.error();
      return;
    }
    function = *circuit;
    if (auto broken = ir::verify(session.module(), *function); !broken.empty()) problem = broken.front();
  }
};

/// An interval's endpoints, an element of a ring or a bool's truth: as runtime::tensor_of has it.
ir::HostTensor words_of(const interp::Values& values, const std::optional<codegen::Words>& words) {
  codegen::Buffer like;
  like.scalar = values.scalar();
  like.words = words;
  ir::HostTensor out = runtime::tensor_of(like, values.shape());
  std::memcpy(out.bytes.data(), values.data(), out.bytes.size());
  return out;
}

void unsign_zeros(ir::HostTensor& tensor) {
  if (tensor.scalar == ir::Scalar::boolean) return;
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    if (tensor.bits(i) == numerics::sign_bit(ir::format_of(tensor.scalar))) tensor.set_bits(i, 0);
  }
}

/// Every schedule of an instantiated function replaced by the tree that it denotes, where the length is known.
ir::Function write_trees(ir::Module& module, ir::Function function) {
  function.body = module.rewrite(function.body, [&](const ir::Node& node, std::vector<ir::NodeId> operands) {
    if (node.op != ir::Op::reduce) return module.rebuild(node, std::move(operands));
    const ir::ScheduleId schedule = module.reduction_of(node).schedule;
    const auto length = module.indices().as_constant(node.indices[0]);
    if (!length || *length < 1 || *length > 2000) return module.rebuild(node, std::move(operands));
    // An accumulator over the whole tree keeps its name; below other stages there is no tree to write instead.
    const ir::ScheduleNode term = module.schedules()[schedule];
    const bool accumulates = term.op == ir::ScheduleOp::fused || term.op == ir::ScheduleOp::neumaier;
    const ir::ScheduleId order = accumulates ? term.operands[0] : schedule;
    if (module.schedules().has_arithmetic(order)) return module.rebuild(node, std::move(operands));
    auto [tree, problem] = module.schedules().expand(order, *length);
    if (problem) return module.rebuild(node, std::move(operands));
    ir::ScheduleId written = module.schedules().quoted(tree);
    if (term.op == ir::ScheduleOp::fused) written = module.schedules().fused(written);
    if (term.op == ir::ScheduleOp::neumaier) written = module.schedules().neumaier(written);
    return module.rebuild(node, std::move(operands), written);
  });
  return function;
}

class Examiner {
 public:
  Examiner(const Question& question, std::map<Variant, int>* ran)
      : question_(question), ran_(ran), read_(question.source), module_(read_.session.module()) {}

  std::optional<Disagreement> run() {
    if (read_.problem) return refused({}, *read_.problem, "the front end refuses the program");
    function_ = *read_.function;
    auto semantics = question_.semantics == "interval(f32)" ? interp::make_semantics("interval", {{"f32"}}, {})
                                                            : interp::make_semantics(question_.semantics, {}, {});
    if (!semantics) return refused({}, semantics.error(), "no such semantics");
    semantics_ = std::move(*semantics);
    // What driver::for_code does before it puts sizes in.
    related_ = ir::relate_uses(module_, function_, semantics_->traits().laws);
    for (const Trial& trial : question_.trials) {
      if (auto found = run(trial)) return found;
    }
    return {};
  }

 private:
  std::optional<Disagreement> refused(std::optional<Variant> variant, const Diagnostic& diagnostic, const std::string& what) {
    Disagreement out;
    out.variant = variant;
    if (trial_) out.trial = *trial_;
    out.kind = code_text(diagnostic.code);
    out.what = what + ": " + message(diagnostic);
    return out;
  }

  std::optional<Disagreement> run(const Trial& trial) {
    trial_ = &trial;
    sizes_.clear();
    for (ir::SymbolId symbol : function_.dimensions) {
      auto found = trial.sizes.find(std::string(module_.name(symbol)));
      sizes_[symbol] = found == trial.sizes.end() ? 1 : found->second;
    }
    arguments_.clear();
    for (std::size_t k = 0; k < function_.parameters.size(); ++k) {
      const ir::Type type = module_.types()[function_.parameters[k].type];
      const auto shape = codegen::extent_values(module_, type.extents, sizes_);
      if (!shape) return refused({}, Diagnostic(code::dimension_value, {}, "an extent has no value"), "no arguments");
      arguments_.push_back(make_input(type.scalar, *shape, trial.seed * 31 + k, trial.inputs));
      if (is_interval() || is_ring()) without_nans(arguments_.back(), is_ring());
    }
    auto expected = interpret(module_, function_, 1024);
    // No value for these operands: elsewhere, too, unless what has none was not needed there.
    const bool faulty = !expected && (is_interval() || is_ring()) && expected.error().code == code::undefined_result;
    if (!expected && !faulty) return refused({}, expected.error(), "the interpreter fails");
    expected_ = expected ? &*expected : nullptr;
    for (Variant variant : question_.variants) {
      // Sizes are put in once, since each time is another compilation; and what has no result is seen once.
      const bool once = variant == Variant::host_instantiated || variant == Variant::host_call ||
                        variant == Variant::ptx || variant == Variant::ptx_call || variant == Variant::ptxas;
      if (once && &trial != &question_.trials.back()) continue;
      auto results = evaluate(variant);
      if (faulty) {
        if (results || results.error().code == code::undefined_result) continue;
      }
      if (!results) return refused(variant, results.error(), "an evaluator fails");
      if (ran_ && &trial == &question_.trials.back()) ++(*ran_)[variant];
      if (!*results) continue;
      if (auto found = compare(variant, *expected, **results)) return found;
    }
    return {};
  }

  const codegen::CompiledSemantics& code() const { return *semantics_->traits().compiled; }
  bool is_ring() const { return question_.semantics == "padic"; }
  bool is_interval() const { return question_.semantics.starts_with("interval"); }

  std::optional<Disagreement> compare(Variant variant, const Results& expected, const Results& actual) {
    std::string what;
    if (expected.size() != actual.size()) what = "different numbers of results";
    for (std::size_t k = 0; k < expected.size() && what.empty(); ++k) {
      const ir::HostTensor &a = expected[k], &b = actual[k];
      if (a.scalar != b.scalar || a.shape != b.shape) what = "different types of results";
      for (std::int64_t i = 0; i < a.size() && what.empty() && a.bytes != b.bytes; ++i) {
        if (a.bits(i) == b.bits(i)) continue;
        const int digits = 2 * ir::byte_width(a.scalar);
        what = fmt::format("result {}, element {}: {:0{}x} instead of {:0{}x}", k, i, b.bits(i), digits, a.bits(i), digits);
      }
    }
    if (what.empty()) return {};
    Disagreement out{variant, *trial_, what, "bits", {}, {}};
    for (std::size_t k = 0; k < arguments_.size(); ++k) {
      out.arguments += fmt::format("  {}: {}\n", module_.name(function_.parameters[k].name), text(arguments_[k]));
    }
    for (const ir::HostTensor& tensor : expected) out.results += "  interpreted: " + text(tensor) + "\n";
    for (const ir::HostTensor& tensor : actual) out.results += "  this way:    " + text(tensor) + "\n";
    return out;
  }

  /// `uses_are_related`: see interp::EvaluateOptions.
  Expected<Results> interpret(ir::Module& module, const ir::Function& function, std::size_t batch,
                              bool uses_are_related = false) {
    const std::vector<interp::Argument> arguments(arguments_.begin(), arguments_.end());
    ir::Dimensions given;
    for (const auto& [symbol, value] : sizes_) given[module.symbol(module_.name(symbol))] = value;
    interp::EvaluateOptions options;
    options.batch = batch;
    options.uses_are_related = uses_are_related;
    auto values = interp::evaluate(module, function, *semantics_, arguments, given, options);
    if (!values) return values.error();
    Results out;
    for (const interp::Values& value : *values) {
      out.push_back(code().words() ? words_of(value, code().words()) : value.host(*semantics_));
      if (is_interval()) unsign_zeros(out.back());
      // A copy of an argument keeps its NaNs.
      runtime::canonicalise_nans(code(), out.back());
    }
    return out;
  }

  Expected<ir::Function> after(ir::Function function, std::string_view only = {}) {
    ir::PassOptions options;
    options.verify = true;
    for (const ir::Pass& pass : ir::pipeline()) {
      if (!only.empty() && pass.name != only) options.disabled.insert(std::string(pass.name));
    }
    return ir::run_passes(module_, std::move(function), semantics_->traits().compiled_laws, options);
  }

  Expected<Results> interpret_after(ir::Function function, std::string_view only = {}) {
    auto passed = after(std::move(function), only);
    if (!passed) return passed.error();
    return interpret(module_, *passed, 1024, true);
  }

  codegen::CompileOptions options(codegen::Target target) const {
    codegen::CompileOptions out;
    out.semantics = &code();
    out.target = target;
    return out;
  }

  /// Compiles once for all trials, if the key says so.
  Expected<Results> compiled(std::optional<Variant> key, const Expected<ir::Function>& function, bool optimise = true) {
    if (!function) return function.error();
    const codegen::Compiled* program = nullptr;
    if (auto found = key ? programs_.find(*key) : programs_.end(); found != programs_.end()) program = &found->second;
    std::optional<codegen::Compiled> fresh;
    if (!program) {
      codegen::CompileOptions how = options(codegen::Target::host);
      how.optimise = optimise;
      auto made = codegen::compile(module_, *function, how);
      if (!made) return made.error();
      if (key) program = &(programs_[*key] = std::move(*made));
      else program = &fresh.emplace(std::move(*made));
    }
    std::map<ir::SymbolId, std::int64_t> sizes;
    for (ir::SymbolId symbol : function->dimensions) sizes[symbol] = sizes_[symbol];
    auto results = runtime::run_host(module_, *function, *program, arguments_, sizes, interp::generate);
    if (results && is_interval()) {
      for (ir::HostTensor& tensor : *results) unsign_zeros(tensor);
    }
    return results;
  }

  /// Runs the PTX in the emulator (ptx/), by way of its CUDA driver. Nothing, if that takes too long.
  Expected<std::optional<Results>> emulated(const ir::Function& function, const codegen::Compiled& program) {
    std::map<ir::SymbolId, std::int64_t> sizes;
    for (ir::SymbolId symbol : function.dimensions) sizes[symbol] = sizes_[symbol];
    runtime::GpuOptions gpu;
    gpu.driver.library = (test::emulated_driver_folder() / "libcuda.so.1").string();
    if (!std::filesystem::exists(gpu.driver.library)) return std::optional<Results>();  // the preset `static` has none
    setenv("RECKON_PTX_BUDGET", "20000000", 0);
    setenv("RECKON_PTX_APPROX", "nearest", 0);  // guesses of functions, which are tested: no result depends on them
    auto results = runtime::run_on_gpu(module_, function, program, arguments_, sizes, interp::generate, gpu);
    if (!results) {
      if (results.error().message.find("EMULATED_KERNEL_REFUSED") != std::string::npos) return std::optional<Results>();
      return results.error();
    }
    for (ir::HostTensor& tensor : *results) {
      if (is_interval()) unsign_zeros(tensor);
    }
    return std::optional<Results>(std::move(*results));
  }

  Expected<std::optional<Results>> evaluate(Variant variant) {
    auto done = [](Expected<Results> results) -> Expected<std::optional<Results>> {
      if (!results) return results.error();
      return std::optional<Results>(std::move(*results));
    };
    const auto concrete = [&] { return ir::instantiate(module_, related_, sizes_); };
    switch (variant) {
      case Variant::small_batches: return done(interpret(module_, function_, 7));
      case Variant::other_spelling: {
        if (!other_) other_ = std::make_unique<Read>(question_.other_source);
        if (other_->problem) return *other_->problem;
        return done(interpret(other_->session.module(), *other_->function, 1024));
      }
      case Variant::printed: {
        if (!printed_) {
          parsed_ = std::make_unique<ir::Module>();
          auto functions = ir::parse_ir(*parsed_, ir::print(module_, function_));
          if (!functions) return functions.error();
          printed_ = functions->front();
          if (ir::print(*parsed_, *printed_) != ir::print(module_, function_)) {
            return Diagnostic(code::internal, {}, "the IR does not print as it was read");
          }
        }
        return done(interpret(*parsed_, *printed_, 1024));
      }
      case Variant::instantiated: return done(interpret(module_, concrete(), 1024, true));
      case Variant::trees_written: return done(interpret(module_, write_trees(module_, concrete()), 1024, true));
      case Variant::pass_fold: return done(interpret_after(related_, "fold"));
      case Variant::pass_share: return done(interpret_after(related_, "share"));
      case Variant::pass_dead: return done(interpret_after(related_, "dead"));
      case Variant::passes: return done(interpret_after(related_));
      case Variant::instantiated_passes: return done(interpret_after(concrete()));
      case Variant::host: return done(compiled(variant, related_));
      case Variant::host_unoptimised: return done(compiled(variant, related_, false));
      case Variant::host_passes: return done(compiled(variant, after(related_)));
      case Variant::host_fold: return done(compiled(variant, after(related_, "fold")));
      case Variant::host_share: return done(compiled(variant, after(related_, "share")));
      case Variant::host_dead: return done(compiled(variant, after(related_, "dead")));
      case Variant::host_instantiated: return done(compiled({}, concrete()));
      case Variant::host_call: return done(compiled({}, after(concrete())));
      case Variant::ptx:
      case Variant::ptx_call:
      case Variant::ptxas: {
        auto function = variant == Variant::ptx_call ? after(concrete()) : Expected<ir::Function>(related_);
        if (!function) return function.error();
        const codegen::CompileOptions how = options(codegen::Target::ptx);
        auto made = codegen::compile(module_, *function, how);
        // Functions with f64 endpoints that PTX lacks.
        if (!made && is_interval() && made.error().code == code::not_compilable)
          return std::optional<Results>();
        if (!made) return made.error();
        if (variant != Variant::ptxas) return emulated(*function, *made);
        const auto result = codegen::check_with_ptxas(made->assembly, codegen::arch_of(how.arch, made->plan),
                                                      made->plan.assembler_level());
        if (result.status == codegen::PtxasResult::Status::rejected) {
          return Diagnostic(code::internal, {}, "ptxas rejects the PTX: " + result.message);
        }
        return std::optional<Results>();
      }
    }
    return std::optional<Results>();
  }

  const Question& question_;
  std::map<Variant, int>* ran_;
  Read read_;
  ir::Module& module_;
  ir::Function function_, related_;
  std::unique_ptr<interp::Semantics> semantics_;
  const Trial* trial_ = nullptr;
  const Results* expected_ = nullptr;
  ir::Dimensions sizes_;
  std::vector<ir::HostTensor> arguments_;
  std::unique_ptr<Read> other_;
  std::unique_ptr<ir::Module> parsed_;
  std::optional<ir::Function> printed_;
  std::map<Variant, codegen::Compiled> programs_;
};

}  // namespace

const char* name(Variant variant) { return variant_names[static_cast<int>(variant)]; }

std::optional<Disagreement> ask(const Question& question, std::map<Variant, int>* ran) {
  return Examiner(question, ran).run();
}

std::string ir_of(const std::string& source) {
  Read read(source);
  return read.problem ? message(*read.problem) : ir::print(read.session.module());
}

std::optional<std::vector<std::string>> dimensions_of(const std::string& source) {
  Read read(source);
  if (read.problem) return {};
  std::vector<std::string> out;
  for (ir::SymbolId symbol : read.function->dimensions) out.emplace_back(read.session.module().name(symbol));
  return out;
}

}  // namespace reckon::differential
