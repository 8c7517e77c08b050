#include "api/ptx_circuit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <random>

#include "api/reckon/trace.h"
#include "api/sized_circuits.h"
#include "diagnostics/codes/bad_ptx.h"
#include "diagnostics/codes/kernel_fault.h"
#include "diagnostics/codes/no_circuit_of_ptx.h"
#include "numerics/format.h"

namespace reckon {
namespace {

using Kind = frontend::PtxArgument::Kind;

constexpr std::uint64_t longest_launch = std::uint64_t{1} << 34;  // instructions of threads
constexpr std::int64_t verified = 2;                              // launches on random inputs

/// The circuit of one launch: its text, with the name of the call.
class PtxCircuit {
 public:
  PtxCircuit(const frontend::PtxCall& call, const SourceMap& sources, std::vector<Diagnostic>& notes)
      : call_(call), text_(sources.text(call.file)), notes_(notes) {}

  Expected<std::string> text() {
    if (auto problem = unknown_kernel()) return std::move(*problem);
    describe_launch();
    TraceOptions options;
    options.name = call_.name;
    options.verify = verified;
    for (const auto& [name, value] : call_.sizes) options.taken.push_back(name);
    const PtxTrace trace = trace_ptx(text_, call_.path, launch_, options);
    if (!trace.run.messages.empty()) return refused(trace.run.messages.front());
    if (trace.outputs.empty()) {
      return no_circuit("it stores no number of a float's format in the memory of its arguments")
          .help("the memory of results is an argument without a name: `f32[4]`");
    }
    for (const TracedOutput& output : trace.outputs) {
      if (auto problem = unfit(output)) return std::move(*problem);
    }
    return program(trace);
  }

 private:
  Diagnostic no_circuit(const std::string& why) const {
    return Diagnostic(code::no_circuit_of_ptx, call_.span, fmt::format("`{}` is no circuit: {}", call_.entry, why));
  }

  /// E0630 if the text has no such kernel, or it takes another number of arguments.
  std::optional<Diagnostic> unknown_kernel() const {
    const auto kernels = ptx_kernels(text_, call_.path);
    if (!kernels) {
      const Message& message = kernels.messages().front();
      Diagnostic out(code::bad_ptx, call_.span,
                     fmt::format("`{}` cannot be read as PTX: {}", call_.path, message.message));
      if (const auto span = line_span(message.line)) out.secondary.push_back({*span, "here"});
      return out;
    }
    std::vector<std::string> names;
    const PtxKernel* found = nullptr;
    for (const PtxKernel& kernel : *kernels) {
      names.push_back(kernel.name);
      if (kernel.name == call_.entry) found = &kernel;
    }
    if (found == nullptr) {
      Diagnostic out(code::bad_ptx, call_.entry_span,
                     fmt::format("there is no kernel `{}` in `{}`", call_.entry, call_.path));
      if (const auto near = nearest_name(call_.entry, names))
        out.helps.push_back(fmt::format("did you mean `{}`?", *near));
      else if (names.empty()) out.helps.push_back("it has none at all");
      else out.helps.push_back(fmt::format("it has `{}`", fmt::join(names, "`, `")));
      return out;
    }
    const std::size_t wanted = found->parameters.size(), given = call_.arguments.size();
    if (wanted == given) return std::nullopt;
    std::vector<std::string> types;
    for (const PtxKernel::Parameter& one : found->parameters)
      types.push_back(one.type == "b8" ? fmt::format("{} bytes", one.bytes) : one.type);
    return Diagnostic(code::bad_ptx, call_.span,
                      fmt::format("`{}` takes {} argument{} and was given {}", call_.entry, wanted,
                                  wanted == 1 ? "" : "s", given))
        .note(fmt::format("its parameters: {}", fmt::join(types, ", ")))
        .help("memory is an argument for a u64: `x: f32[1000]` an input, `f32[4]` one that the kernel writes");
  }

  /// Floats of either sign in the inputs: which ones is of no matter, since no way and no address may depend on them.
  void describe_launch() {
    launch_.kernel = call_.entry;
    launch_.grid = call_.grid;
    launch_.block = call_.block;
    launch_.shared_bytes = call_.shared_bytes;
    launch_.budget = longest_launch;
    launch_.nearest = true;
    std::mt19937_64 random(1);
    for (const frontend::PtxArgument& given : call_.arguments) {
      PtxArgument& made = launch_.arguments.emplace_back();
      if (given.kind == Kind::number) {
        made.number = given.number;
        continue;
      }
      Tensor& memory = made.memory.emplace();
      memory.type = ir::scalar_name(given.scalar);
      memory.shape = given.shape;
      if (given.data) {
        memory.bytes = given.data->bytes;
        continue;
      }
      const ir::HostTensor room(given.scalar, given.shape);
      memory.bytes = room.bytes;
      made.unwritten = given.kind == Kind::unwritten;
      made.zeros = given.kind == Kind::zeros;
      if (given.kind != Kind::input) continue;
      made.name = given.name;
      const numerics::Format format = ir::format_of(given.scalar);
      ir::HostTensor filled = room;
      std::uniform_int_distribution<int> eighths(-16, 16);
      for (std::int64_t k = 0; k < filled.size(); ++k)
        filled.set_bits(k, numerics::round_f64(0.125 * eighths(random), format));
      memory.bytes = filled.bytes;
    }
  }

  /// The bytes of a line of the text, without the spaces around them.
  std::optional<SourceSpan> line_span(std::uint32_t line) const {
    if (line == 0) return std::nullopt;
    std::size_t begin = 0;
    for (std::uint32_t k = 1; k < line; ++k) {
      begin = text_.find('\n', begin);
      if (begin == std::string::npos) return std::nullopt;
      ++begin;
    }
    begin = std::min(text_.find_first_not_of(" \t", begin), text_.size());
    const std::size_t end = std::min(text_.find_first_of("\n;", begin), text_.size());
    return SourceSpan{call_.file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }

  /// What a launch said, at the call, with the line of the PTX. A kernel that runs well and cannot be followed is no
  /// circuit.
  Diagnostic refused(const Message& message) const {
    Code code = code::bad_ptx;
    std::string what = fmt::format("`{}` cannot be run: {}", call_.entry, message.message);
    if (message.code == code_text(code::kernel_fault)) {
      const bool runs = run_ptx(text_, call_.path, launch_).messages.empty();
      code = runs ? code::no_circuit_of_ptx : code::kernel_fault;
      what = fmt::format("`{}` {}: {}", call_.entry, runs ? "is no circuit" : "does what no kernel should do",
                         message.message);
    }
    Diagnostic out(code, call_.span, what);
    if (const auto span = line_span(message.line)) out.secondary.push_back({*span, "here"});
    out.notes = message.notes;
    for (const std::string& help : message.helps) {
      if (!help.starts_with("--approx")) out.helps.push_back(help);
    }
    if (code == code::no_circuit_of_ptx)
      out.helps.push_back(
          "a circuit computes the same way for all values of its inputs, which are the memory with a name");
    return out;
  }

  std::optional<Diagnostic> unfit(const TracedOutput& output) {
    if (output.circuit.empty()) {
      const std::string& why = output.problem.empty() ? output.irregular : output.problem;
      return no_circuit(fmt::format("of argument {}, {}", output.argument, why));
    }
    const bool exact =
        std::all_of(output.groups.begin(), output.groups.end(), [](const TracedGroup& group) { return group.exact; });
    if (!exact && !call_.nearest) return inexact();
    if (!exact) {
      Diagnostic note({}, call_.span,
                      fmt::format("the circuit of `{}` takes instructions that are approximate, flush subnormals, or "
                                  "round in their own way for the operations that they stand for",
                                  call_.name));
      note.severity = Severity::note;
      notes_.push_back(std::move(note));
    }
    // A sum by atomic operations has the bits of one run.
    const bool in_any_order = std::any_of(output.groups.begin(), output.groups.end(), [](const TracedGroup& group) {
      return std::any_of(group.folds.begin(), group.folds.end(),
                         [](const TracedFold& fold) { return fold.schedule == "any"; });
    });
    if (in_any_order) return std::nullopt;
    if (!output.bits.problem.empty())
      return no_circuit(fmt::format("of argument {}, {}", output.argument, output.bits.problem));
    if (exact && output.bits.equal != output.bits.compared) {
      return no_circuit(fmt::format("what was read off for argument {} has other bits after {} of {} launches",
                                    output.argument, output.bits.compared - output.bits.equal, output.bits.compared));
    }
    return std::nullopt;
  }

  /// The first approximate instruction is named, if there is one.
  Diagnostic inexact() const {
    Diagnostic out = no_circuit("it has instructions that are approximate, flush subnormals, or round in their own way")
                         .help(
                             "`approx: nearest` takes them for the operations that they stand for; bits may differ "
                             "from a chip's");
    PtxLaunch exact = launch_;
    exact.nearest = false;
    const PtxRun run = run_ptx(text_, call_.path, exact);
    if (run.messages.empty()) return out;
    if (const auto span = line_span(run.messages.front().line))
      out.secondary.push_back({*span, run.messages.front().message});
    return out;
  }

  std::string type_of(std::size_t argument) const {
    const Tensor& memory = *launch_.arguments[argument].memory;
    std::string out = memory.type + "[";
    for (std::size_t d = 0; d < memory.shape.size(); ++d) out += (d == 0 ? "" : ", ") + std::to_string(memory.shape[d]);
    return out + "]";
  }
  std::string name_of(std::size_t argument) const {
    const std::string& name = launch_.arguments[argument].name;
    return name.empty() ? fmt::format("a{}", argument) : name;
  }

  /// The circuits of the outputs, and one that takes all inputs and gives all results.
  std::string program(const PtxTrace& trace) const {
    std::string parameters, results, types, out = "import \"schedules\"\n";
    for (std::size_t k = 0; k < launch_.arguments.size(); ++k) {
      if (call_.arguments[k].kind != Kind::input) continue;
      parameters += fmt::format("{}{}: {}", parameters.empty() ? "" : ", ", name_of(k), type_of(k));
    }
    for (const TracedOutput& output : trace.outputs) {
      const std::string inner = fmt::format("{}_of_argument_{}", call_.name, output.argument);
      out += fmt::format("fn {}{}", inner, output.circuit.substr(output.circuit.find('(')));
      std::string arguments;
      for (const std::size_t parameter : output.parameters)
        arguments += (arguments.empty() ? "" : ", ") + name_of(parameter);
      results += fmt::format("{}{}({})", results.empty() ? "" : ", ", inner, arguments);
      types += fmt::format("{}{}", types.empty() ? "" : ", ", type_of(output.argument));
    }
    if (trace.outputs.size() > 1) {
      results = "(" + results + ")";
      types = "(" + types + ")";
    }
    return out + fmt::format("fn {}({}) -> {} = {}\n", call_.name, parameters, types, results);
  }

  const frontend::PtxCall& call_;
  const std::string text_;
  std::vector<Diagnostic>& notes_;
  PtxLaunch launch_;
};

}  // namespace

Expected<std::string> circuit_of_ptx(const std::vector<frontend::PtxCall>& calls, const SourceMap& sources,
                                     std::vector<Diagnostic>& notes) {
  std::vector<trace::Instance> instances;
  std::string at;
  std::vector<Diagnostic> remarks;
  for (const frontend::PtxCall& call : calls) {
    remarks.clear();
    auto text = PtxCircuit(call, sources, remarks).text();
    std::vector<std::string> sizes;
    for (const auto& [name, value] : call.sizes) sizes.push_back(fmt::format("{} = {}", name, value));
    if (!text) {
      if (!sizes.empty()) text.error().notes.push_back(fmt::format("at {}", fmt::join(sizes, ", ")));
      return text;
    }
    at += fmt::format("{}{}", at.empty() ? "" : "; ", fmt::join(sizes, ", "));
    instances.push_back({call.sizes, std::move(*text)});
  }
  notes.insert(notes.end(), remarks.begin(), remarks.end());
  if (instances.size() == 1) return instances[0].text;
  std::string problem;
  auto one = one_circuit(std::move(instances), problem);
  if (!one) {
    return Diagnostic(code::no_circuit_of_ptx, calls[0].span,
                      fmt::format("`{}` is no circuit of these sizes: {}", calls[0].entry, problem))
        .help(fmt::format("a static parameter reads the circuit off for each size that is used: `kernel {}[{}] = "
                          "ptx(...)`, without `{}: [...]`",
                          calls[0].name, calls[0].sizes[0].first, calls[0].sizes[0].first));
  }
  Diagnostic note(
      {}, calls[0].span,
      fmt::format("`{}` is read off at {}: that the kernel computes so at other sizes has not been looked at",
                  calls[0].name, at));
  note.severity = Severity::note;
  notes.push_back(std::move(note));
  return std::move(*one);
}

}  // namespace reckon
