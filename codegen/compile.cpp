// A function's way through the compiler: plan, lowering, LLVM's pipeline, target code, audit.
#include "codegen/compile.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "codegen/emit/emit.h"
#include "codegen/host/jit.h"
#include "codegen/host/passes.h"
#include "codegen/inlining.h"
#include "codegen/kernel_cache.h"
#include "codegen/launch_cost.h"
#include "codegen/llvm_module.h"
#include "codegen/lower/lowering.h"
#include "codegen/place/by_key.h"
#include "codegen/place/kernel_clauses.h"
#include "codegen/place/place.h"
#include "codegen/place/products.h"
#include "codegen/placed_kernel.h"
#include "codegen/plan.h"
#include "codegen/ptx/emit.h"
#include "codegen/ptx/passes.h"
#include "codegen/report.h"
#include "codegen/scalars/approximation.h"
#include "codegen/scalars/quick_exponential.h"
#include "codegen/standalone/entry.h"
#include "diagnostics/codes/bad_argument.h"
#include "diagnostics/codes/internal.h"
#include "diagnostics/codes/not_compilable.h"
#include "ir/passes/passes.h"
#include "ir/visit.h"
#include "kernel/printer.h"

namespace reckon::codegen {
namespace {

Diagnostic llvm_problem(const ir::Function& function, const std::string& text) {
  return Diagnostic(code::internal, function.span, "LLVM does not accept this circuit's code")
      .note(text.substr(0, 2000))
      .help("this is a mistake of Reckon's; please report it with the program");
}

std::vector<ir::NodeId> roots(const Planned& planned) {
  std::vector<ir::NodeId> out;
  for (const KernelBody& body : planned.bodies) {
    out.push_back(body.node);
    for (const KernelBody& step : body.steps) out.push_back(step.node);
  }
  return out;
}

/// Does the circuit ask for fma, by name or by a `fused` order, or use an algorithm of ours that does?
bool writes_fma(const ir::Module& module, const Planned& planned, const CompiledSemantics& semantics) {
  const auto is_one = [&](ir::NodeId id) {
    const ir::Node& node = module[id];
    if (semantics.has_fma(node.op)) return true;
    if ((node.op != ir::Op::reduce && node.op != ir::Op::scan) || !semantics.has_fma(ir::Op::fma)) return false;
    return module.schedules().operations(module.reduction_of(id).schedule).contains(ir::ScheduleOp::fused);
  };
  return ir::find_node(module, roots(planned), is_one).has_value();
}

/// Does the circuit ask for an elementary function, or for rsqrt, which intervals evaluate as one?
bool writes_function(const ir::Module& module, const Planned& planned) {
  const auto is_one = [&](ir::NodeId id) { return ir::is_elementary(module[id].op) || module[id].op == ir::Op::rsqrt; };
  return ir::find_node(module, roots(planned), is_one).has_value();
}

/// The instructions of the circuit's `approx.` operations.
std::set<std::string> approximations(const ir::Module& module, const Planned& planned) {
  std::set<std::string> out;
  ir::visit_nodes(module, roots(planned), [&](ir::NodeId id) {
    const ir::Op op = module[id].op;
    if (ir::is_approximate(op) && ir::is_float(module.type(id).scalar)) {
      const auto found = approximation(op, ir::format_of(module.type(id).scalar));
      if (found) out.insert(found->instruction);
      if (op == ir::Op::approx_exp2) out.emplace(flushing_exp2);  // where small results are replaced by 0
    }
  });
  return out;
}

std::optional<Diagnostic> refused_format(const ir::Module& module, const Planned& planned,
                                         const CompiledSemantics& semantics) {
  std::optional<CompiledSemantics::Refusal> refused;
  const auto found = ir::find_node(module, roots(planned), [&](ir::NodeId id) {
    const ir::Type& type = module.type(id);
    if (type.kind != ir::TypeKind::tuple) refused = semantics.refuses(type.scalar);
    return refused.has_value();
  });
  if (!found) return std::nullopt;
  return Diagnostic(code::not_compilable, module.span(*found), refused->message).help(refused->help);
}

struct Lowered {
  bool uses_fma = false;  ///< the lowering uses fma where the circuit does not say so
  bool guesses = false;   ///< functions are guessed by an instruction, and the guess is tested
  bool any_side_by_side = false;  ///< Lowering::any_side_by_side
  std::string key;        ///< the key in the kernel store; empty if the kernels are not to be kept
  std::string found;      ///< the PTX, if the store had it
  const EntryOptions* entry = nullptr;  ///< of the function to add; null: none is added
  std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
};

std::optional<Diagnostic> make_machine(Lowered& lowered, const ir::Function& function, const CompileOptions& options) {
  if (options.target == Target::host) {
    lowered.machine = make_host_machine(options.optimise, options.cpu, lowered.entry != nullptr);
    if (lowered.machine) return std::nullopt;
    if (options.cpu == "native") {
      return Diagnostic(code::not_compilable, function.span, "LLVM has no compiler for this machine");
    }
    return Diagnostic(code::not_compilable, function.span,
                      "`" + options.cpu + "` is not a processor that LLVM compiles for on this kind of machine")
        .help("processors are named like `x86-64-v2`, `x86-64-v3`, `x86-64-v4`; `native` is this machine's");
  }
  lowered.machine = make_ptx_machine(options.arch, options.optimise);
  if (lowered.machine) return std::nullopt;
  return Diagnostic(code::not_compilable, function.span, "`" + options.arch + "` is not a chip that LLVM compiles for")
      .help("chips are named like `sm_80`, `sm_90`, `sm_100`");
}

/// Whether an operation of the circuit may have no value.
bool has_partial_operations(const ir::Module& module, const ir::Function& function) {
  return ir::find_node(module, {function.body}, [&](ir::NodeId id) { return is_partial(module[id].op); }).has_value();
}

/// Makes buffers hold the evaluator's values: those that kernels write, those of literals, and, if the semantics asks
/// for it (given_in_words), those of parameters and constants.
void keep_in_words(const ir::Module& module, Plan& plan, const CompiledSemantics& semantics) {
  for (Buffer& buffer : plan.buffers) {
    const bool given = buffer.role == Buffer::Role::parameter || buffer.role == Buffer::Role::constant;
    const bool literals = buffer.role == Buffer::Role::constant && module[buffer.source].op == ir::Op::array;
    const bool as_patterns =
        given && (buffer.scalar == ir::Scalar::boolean || !(literals || semantics.given_in_words()));
    if (!as_patterns) buffer.words = semantics.words();
  }
}

/// The plan of a function under a semantics.
Expected<Planned> plan_for(ir::Module& module, const ir::Function& function, const CompiledSemantics& semantics) {
  auto planned = make_plan(module, function);
  if (!planned) return planned;
  if (semantics.words()) keep_in_words(module, planned->plan, semantics);
  if (semantics.leaves_empty() || may_fail(module, function.body)) {
    Buffer faults;
    faults.role = Buffer::Role::faults;
    faults.scalar = ir::Scalar::f64;  // for its width
    planned->plan.buffers.push_back(std::move(faults));
  }
  return planned;
}

/// Does work that gives an Expected<...> on the plan of a function.
template <class Work>
auto with_plan(ir::Module& module, const ir::Function& function, const CompiledSemantics& semantics, Work&& work)
    -> decltype(work(std::declval<Planned&>())) {
  const ir::PlacesGuard placing(module, function.places);
  auto planned = plan_for(module, function, semantics);
  if (!planned) return planned.error();
  return work(*planned);
}

/// What a function is placed and lowered for.
struct Machine {
  Abilities abilities;
  std::unique_ptr<ScalarCode> code;
  std::optional<Numbers> numbers;
};

Diagnostic no_such_choice(const ir::Function& function, const Choices& choices,
                          const StatedChoices::value_type& stated) {
  const auto& [of, way] = stated;
  std::string known;
  for (const Choice& choice : choices.made()) {
    const std::string text = fmt::format("`{}`: {}", choice.of, fmt::join(choice.ways, ", "));
    if (choice.of == of) {
      return Diagnostic(code::bad_argument, function.span, fmt::format("`{}` is none of the ways of `{}`", way, of))
          .help("they are " + fmt::format("{}", fmt::join(choice.ways, ", ")));
    }
    known += (known.empty() ? "" : "; ") + text;
  }
  return Diagnostic(code::bad_argument, function.span, fmt::format("this circuit has no choice `{}`", of))
      .help(known.empty() ? "it has none at all" : "it has " + known);
}

/// Makes an empty module for the target and the semantics' code for it, and places the plan if the target is a GPU.
std::optional<Diagnostic> open_and_place(ir::Module& module, const ir::Function& function,
                                         const CompileOptions& options, Planned& planned, Lowered& lowered,
                                         Machine& machine) {
  if (auto problem = refused_format(module, planned, *options.semantics)) return problem;
  if (auto problem = make_machine(lowered, function, options)) return problem;
  lowered.module = std::make_unique<llvm::Module>("reckon", *lowered.context);
  lowered.module->setTargetTriple(lowered.machine->getTargetTriple());
  lowered.module->setDataLayout(lowered.machine->createDataLayout());
  machine.abilities =
      options.target == Target::host ? host_abilities(*lowered.machine) : Abilities{.chip = chip_number(options.arch)};
  machine.code = options.semantics->scalar_code(*lowered.context, machine.abilities, options.target,
                                                has_partial_operations(module, function));
  machine.numbers.emplace(*machine.code, lowered.module->getDataLayout());
  if (options.target == Target::ptx) {
    planned.choices = Choices(options.choices);
    planned.gpu = &kernel::gpu_of(machine.abilities.chip);
    if (auto problem = place_on_gpu(module, planned, *machine.numbers, machine.abilities.chip)) return problem;
    if (const auto* unmet = planned.choices.unmet()) return no_such_choice(function, planned.choices, *unmet);
    if (planned.plan.tensor_maps.empty()) return std::nullopt;
    // Tensor maps and what reads them are of this chip alone, as its own architecture says.
    lowered.machine = make_ptx_machine(arch_of(options.arch, planned.plan), options.optimise);
    return std::nullopt;
  }
  place_by_key(module, planned, *machine.numbers);
  place_products(module, planned, *machine.numbers, machine.abilities);
  return std::nullopt;
}

/// Fills the plan's launch figures, and gives its kernels.
Expected<kernel::Program> lower_plan(ir::Module& module, const CompileOptions& options, const Machine& machine,
                                     Planned& planned, Lowered& lowered) {
  Lowering lowering(module, planned, *machine.numbers, options.target, machine.abilities.chip);
  if (auto problem = lowering.run(planned.plan)) return *problem;
  if (auto problem = shared_memory_problem(planned)) return *problem;
  lowered.any_side_by_side = lowering.any_side_by_side();
  kernel::Program program = lowering.take_program();
  const bool rounds = std::ranges::any_of(program.operations, [](const kernel::Operation& each) {
    return each.op == kernel::Op::apply_rounded;
  });
  lowered.uses_fma = lowering.uses_fma() || rounds;
  lowered.guesses = rounds;
  return program;
}

/// The function that others call, with the contents of the constants.
std::optional<Diagnostic> add_entry_to(const ir::Module& module, const ir::Function& function,
                                       const CompileOptions& options, const Plan& plan, Lowered& lowered,
                                       Lines* lines) {
  for (const llvm::Function& declared : *lowered.module) {
    if (!declared.isDeclaration() || options.semantics->symbol(declared.getName()) == nullptr) continue;
    Diagnostic out(code::not_compilable, function.span,
                   "this code calls `" + declared.getName().str() + "`, which is inside of reckon alone");
    if (const auto other = options.semantics->without_symbols(); !other.empty()) out.helps.emplace_back(other);
    return out;
  }
  std::vector<std::vector<std::uint8_t>> constants;
  for (const Buffer& buffer : plan.buffers) {
    if (buffer.role != Buffer::Role::constant) continue;
    auto contents = lowered.entry->constant(function, buffer);
    if (!contents) return contents.error();
    constants.push_back(std::move(*contents));
  }
  add_entry(module, plan, *lowered.entry, constants, *lowered.module, lines);
  return std::nullopt;
}

/// Everything up to optimised LLVM IR; the plan gets its launch figures.
std::optional<Diagnostic> lower(ir::Module& module, const ir::Function& function, const CompileOptions& options,
                                Planned& planned, Lowered& lowered) {
  Machine machine;
  if (auto problem = open_and_place(module, function, options, planned, lowered, machine)) return problem;
  // A fault in a kernel is reported with its place in the source, and a key of the store holds no places.
  const bool has_faults = machine.code->has_undefined() || may_fail(module, function.body);
  if (options.target == Target::ptx && options.store != nullptr && !options.lines && !has_faults) {
    lowered.key = cache_key(module, function, options);
  }
  if (!lowered.key.empty()) {
    if (const auto entry = options.store->find(entry_name(lowered.key))) {
      lowered.found = read_entry(*entry, lowered.key, planned.plan).value_or("");
      if (!lowered.found.empty()) return std::nullopt;
    }
  }
  const auto program = lower_plan(module, options, machine, planned, lowered);
  if (!program) return program.error();
  std::optional<Lines> lines;
  if (options.lines) lines.emplace(module, function, options, *lowered.module);
  if (auto problem = emit(*program, module, planned.plan, *machine.code, options.target, *lowered.module,
                          lines ? &*lines : nullptr)) {
    return problem;
  }
  if (lowered.entry != nullptr) {
    if (auto problem = add_entry_to(module, function, options, planned.plan, lowered, lines ? &*lines : nullptr)) {
      return problem;
    }
  }
  if (lines) lines->finish();
  if (auto text = verify(*lowered.module)) return llvm_problem(function, *text + module_text(*lowered.module));
  const auto crashed = guarded(lowered.context.get(), [&] {
    limit_inlining(*lowered.module);
    if (!options.optimise) leave_unoptimised(*lowered.module, *lowered.machine);
    else if (options.target == Target::ptx) optimise_ptx(*lowered.module, *lowered.machine);
    else
      optimise_host(*lowered.module, *lowered.machine,
                    lowered.any_side_by_side ? Vectors::of_loops_and_statements : options.semantics->vectors());
  });
  if (crashed) {
    // LLVM crashed, perhaps in the middle of a change to these objects, so their memory is not released.
    static_cast<void>(lowered.module.release());
    static_cast<void>(lowered.context.release());
    return llvm_problem(function, *crashed);
  }
  // Our own passes change the code, too, and LLVM compiles code that is not valid to anything.
  if (auto text = verify(*lowered.module)) return llvm_problem(function, *text + module_text(*lowered.module));
  return std::nullopt;
}

Expected<kernel::Program> placed_and_lowered(ir::Module& module, const ir::Function& function,
                                             const CompileOptions& options, Planned& planned) {
  Lowered lowered;
  Machine machine;
  if (auto problem = open_and_place(module, function, options, planned, lowered, machine)) return *problem;
  return lower_plan(module, options, machine, planned, lowered);
}

/// Comment lines that name what exists in this program alone, for those who link the code elsewhere.
std::string outside_needs(const llvm::Module& module, const CompiledSemantics& semantics, char comment) {
  std::string out;
  for (const llvm::Function& function : module) {
    if (!function.isDeclaration() || semantics.symbol(function.getName()) == nullptr) continue;
    out += std::string(1, comment) + " calls " + function.getName().str() +
           ", which is inside of reckon (docs/semantics.md, Compiled)";
    if (const auto other = semantics.without_symbols(); !other.empty()) out += "; " + std::string(other);
    out += "\n";
  }
  return out;
}

std::optional<Diagnostic> emit_code(const ir::Function& function, Lowered& lowered, AddPass add,
                                    llvm::CodeGenFileType type, std::string& out) {
  bool supported = false;
  auto crashed =
      guarded(lowered.context.get(), [&] { supported = emit_file(*lowered.module, *lowered.machine, add, type, out); });
  if (!crashed && !supported) crashed = "the target writes no such file";
  if (!crashed) return std::nullopt;
  static_cast<void>(lowered.module.release());
  static_cast<void>(lowered.machine.release());
  static_cast<void>(lowered.context.release());
  return llvm_problem(function, *crashed);
}

std::optional<Diagnostic> write_ptx(const ir::Module& module, const ir::Function& function,
                                    const CompileOptions& options, const Planned& planned, Lowered& lowered,
                                    std::string& out) {
  const bool keeps = std::any_of(planned.bodies.begin(), planned.bodies.end(), [](const KernelBody& body) {
    return body.placed && body.placed->keeps_addresses();
  });
  const AddPass add = keeps ? add_ptx_pass_keeping_addresses : add_ptx_pass;
  if (auto problem = emit_code(function, lowered, add, llvm::CodeGenFileType::AssemblyFile, out)) return problem;
  const bool fma = lowered.uses_fma || writes_fma(module, planned, *options.semantics);
  AuditOptions audit = options.semantics->audit();
  audit.fma_written = fma;
  audit.below_sm_90 = below_sm_90(options.arch);
  audit.nearest_too = writes_function(module, planned);
  audit.approximations = approximations(module, planned);
  if (lowered.guesses) audit.approximations.emplace(flushing_exp2);
  for (const AuditFinding& finding : audit_ptx(out, audit)) {
    return Diagnostic(code::internal, function.span, "the PTX breaks a rule: " + finding.reason)
        .note("line " + std::to_string(finding.line) + ": " + finding.text)
        .help("this is a mistake of Reckon's; please report it with the program");
  }
  if (!lowered.key.empty()) {
    options.store->keep(entry_name(lowered.key), make_entry(lowered.key, planned.plan, out));
  }
  return std::nullopt;
}

Expected<std::shared_ptr<HostProgram>> load_on_host(const ir::Function& function, const CompileOptions& options,
                                                    const Plan& plan, Lowered& lowered) {
  auto program = load_host_program(std::move(lowered.context), std::move(lowered.module), std::move(lowered.machine),
                                   *options.semantics);
  if (!program) return program;
  // Looking up a kernel compiles it, so what cannot be compiled is reported here and not at the first run.
  bool complete = true;
  const auto crashed = guarded(nullptr, [&] {
    for (const Kernel& kernel : plan.kernels) complete = complete && (*program)->kernel(kernel.name);
  });
  if (crashed) {
    // The session of a crashed program may hold locks, so it is never destroyed.
    static_cast<void>(new std::shared_ptr<HostProgram>(*program));
    return llvm_problem(function, *crashed);
  }
  if (!complete) return llvm_problem(function, "a kernel has no code");
  return program;
}

/// The text of kernels without the numbers of the circuit's nodes, ` @12`: placement makes new nodes each time.
std::string without_sites(std::string_view text) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '@' && k > 0 && text[k - 1] == ' ') {
      while (k + 1 < text.size() && text[k + 1] >= '0' && text[k + 1] <= '9') ++k;
    } else {
      out += text[k];
    }
  }
  return out;
}

}  // namespace

std::string arch_of(const std::string& arch, const Plan& plan) {
  return !plan.tensor_maps.empty() && arch == "sm_90" ? "sm_90a" : arch;
}

Expected<Compiled> compile(ir::Module& module, const ir::Function& function, const CompileOptions& options) {
  return with_plan(module, function, *options.semantics, [&](Planned& planned) -> Expected<Compiled> {
    Lowered lowered;
    if (auto problem = lower(module, function, options, planned, lowered)) return *problem;
    Compiled out;
    out.semantics = options.semantics;
    if (options.keep_llvm_ir && lowered.found.empty()) {
      out.llvm_ir = outside_needs(*lowered.module, *options.semantics, ';') + module_text(*lowered.module);
    }
    if (!lowered.found.empty()) {
      out.assembly = std::move(lowered.found);
    } else if (options.target == Target::ptx) {
      if (auto problem = write_ptx(module, function, options, planned, lowered, out.assembly)) return *problem;
    } else {
      auto program = load_on_host(function, options, planned.plan, lowered);
      if (!program) return program.error();
      out.host = *program;
    }
    out.plan = std::move(planned.plan);
    return out;
  });
}

Expected<std::string> host_assembly(ir::Module& module, const ir::Function& function, const CompileOptions& options) {
  return with_plan(module, function, *options.semantics, [&](Planned& planned) -> Expected<std::string> {
    CompileOptions host = options;
    host.target = Target::host;
    Lowered lowered;
    if (auto problem = lower(module, function, host, planned, lowered)) return *problem;
    const std::string needs = outside_needs(*lowered.module, *options.semantics, '#');
    std::string text;
    if (auto problem = emit_code(function, lowered, add_pass, llvm::CodeGenFileType::AssemblyFile, text))
      return *problem;
    return needs + text;
  });
}

Expected<std::string> host_object(ir::Module& module, const ir::Function& function, const CompileOptions& options,
                                  const EntryOptions& entry) {
  return with_plan(module, function, *options.semantics, [&](Planned& planned) -> Expected<std::string> {
    CompileOptions host = options;
    host.target = Target::host;
    Lowered lowered;
    lowered.entry = &entry;
    if (auto problem = lower(module, function, host, planned, lowered)) return *problem;
    std::string object;
    if (auto problem = emit_code(function, lowered, add_pass, llvm::CodeGenFileType::ObjectFile, object))
      return *problem;
    return object;
  });
}

Expected<kernel::Program> kernels_of(ir::Module& module, const ir::Function& function, const CompileOptions& options,
                                     Plan* plan) {
  return with_plan(module, function, *options.semantics, [&](Planned& planned) {
    auto program = placed_and_lowered(module, function, options, planned);
    if (plan != nullptr) *plan = std::move(planned.plan);
    return program;
  });
}

Expected<std::string> report_text(ir::Module& module, const ir::Function& function, const CompileOptions& options,
                                  const std::function<std::string(SourceSpan)>& place) {
  return with_plan(module, function, *options.semantics, [&](Planned& planned) -> Expected<std::string> {
    const auto program = placed_and_lowered(module, function, options, planned);
    if (!program) return program.error();
    return report(module, planned, *program, options, place);
  });
}

Expected<ModelledChoices> modelled_choices(ir::Module& module, const ir::Function& function,
                                           const CompileOptions& options) {
  return with_plan(module, function, *options.semantics, [&](Planned& planned) -> Expected<ModelledChoices> {
    const auto program = placed_and_lowered(module, function, options, planned);
    if (!program) return program.error();
    ModelledChoices out{planned.choices.made(), LaunchCosts(module, planned, *program).seconds(), {}};
    std::string kernels = without_sites(kernel::print(*program));
    for (const Kernel& kernel : planned.plan.kernels) {
      kernels += fmt::format("{} {} {} {}\n", kernel.name, kernel.threads, kernel.block_items, kernel.resident);
    }
    out.kernels = entry_name(kernels);
    return out;
  });
}

Expected<std::string> kernels_text(ir::Module& module, const ir::Function& function, const CompileOptions& options) {
  const auto program = kernels_of(module, function, options);
  if (!program) return program.error();
  return kernel::print(*program);
}

HostKernel host_kernel(const Compiled& compiled, const std::string& name) {
  return compiled.host ? compiled.host->kernel(name) : nullptr;
}

}  // namespace reckon::codegen
