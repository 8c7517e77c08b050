// Circuits for other people's programs: objects, headers and launchers, and the comment before PTX.
#include <fmt/format.h>

#include "api/implementation.h"
#include "codegen/sizes.h"
#include "codegen/standalone/interface.h"
#include "diagnostics/codes/not_compilable.h"
#include "interp/evaluate.h"
#include "runtime/stored.h"

namespace reckon {
namespace {

/// Of what a launcher or an object holds.
constexpr std::size_t max_constant_bytes = 4 << 20;

/// The bytes of a constant buffer, which its sizes have to be known for.
Expected<std::vector<std::uint8_t>> contents(ir::Module& module, const ir::Function& function,
                                             const codegen::Buffer& buffer,
                                             const codegen::CompiledSemantics& semantics) {
  const SourceSpan place = module.span(buffer.source, function.places);
  const auto shape = codegen::extent_values(module, buffer.extents, {});
  if (!shape) {
    return Diagnostic(code::not_compilable, place, "this tensor is generated anew for each size, and cannot be kept")
        .help("give the sizes (`-D NAME=SIZE`), or make it a parameter");
  }
  auto made = runtime::constant_contents(module, function, buffer, semantics, {}, interp::generate);
  if (!made) return made.error();
  if (made->bytes.size() > max_constant_bytes) {
    return Diagnostic(code::not_compilable, place,
                      fmt::format("this tensor has {} bytes, and at most {} can be kept in a file", made->bytes.size(),
                                  max_constant_bytes))
        .help("make it a parameter");
  }
  return std::move(made->bytes);
}

/// The semantics whose buffers hold the patterns of formats, so that any program can fill them.
std::optional<Diagnostic> refused(const ir::Function& function, const codegen::CompiledSemantics& semantics) {
  if (!semantics.words() && !semantics.looks_at_inputs() && !semantics.leaves_empty()) return std::nullopt;
  return Diagnostic(
             code::not_compilable, function.span,
             fmt::format("code under `{}` cannot be used without Reckon, which prepares its arguments and reads its "
                         "results",
                         semantics.name()))
      .help("use `--in=float` or `--in=fpsan`, or embed Reckon (api/reckon/prepared.h)");
}

}  // namespace

/// The machine's oldest processors that objects are for, if none is named.
std::string baseline_processor() {
#ifdef __x86_64__
  return "x86-64-v2";
#else
  return "generic";
#endif
}

std::function<std::optional<codegen::SourceLine>(SourceSpan)> Session::Implementation::source_lines() const {
  return [this](SourceSpan span) -> std::optional<codegen::SourceLine> {
    if (!span.known()) return std::nullopt;
    const LineColumn place = sources.locate(span.file, span.begin);
    return codegen::SourceLine{std::string(sources.name(span.file)), place.line, place.column};
  };
}

/// What a text about the compiled circuit says; `before`: the function before passes.
static codegen::Standalone described(Session::Implementation& self, const ir::Function& before,
                                     const codegen::Plan& plan, const codegen::CompileOptions& options) {
  codegen::Standalone out{self.session.module(),
                          before,
                          plan,
                          codegen::interface_of(self.session.module(), before, plan),
                          {},
                          Session::version(),
                          options.target == codegen::Target::host ? options.cpu : codegen::arch_of(options.arch, plan),
                          std::string(options.semantics->name())};
  out.place = [&self, file = before.span.file](SourceSpan span) -> std::string {
    if (!span.known()) return "";
    const std::uint32_t line = self.sources.locate(span.file, span.begin).line;
    if (span.file == file) return fmt::format("line {}", line);
    return fmt::format("{}, line {}", self.sources.name(span.file), line);
  };
  return out;
}

Expected<std::string> Session::Implementation::described_ptx(const ir::Function& before,
                                                             const codegen::Compiled& compiled,
                                                             const codegen::CompileOptions& options) {
  auto circuit = described(*this, before, compiled.plan, options);
  // Sizes that cannot be stated are told as such: the PTX is right for those that can be used.
  if (auto conditions = ir::size_conditions(session.module(), before)) circuit.conditions = std::move(*conditions);
  for (const codegen::Buffer& buffer : compiled.plan.buffers) {
    if (buffer.role != codegen::Buffer::Role::constant) continue;
    const auto bytes = contents(session.module(), before, buffer, *options.semantics);
    if (!bytes) break;
    circuit.constants.push_back(*bytes);
  }
  return codegen::commented(codegen::description(circuit, codegen::Target::ptx), "//") + compiled.assembly;
}

Expected<std::string> Session::Implementation::standalone(const ir::Function& before, const ir::Function& function,
                                                          const codegen::CompileOptions& options, Emit emit) {
  ir::Module& module = session.module();
  if (auto problem = refused(before, *options.semantics)) return *problem;
  auto conditions = ir::size_conditions(module, before);
  if (!conditions) return conditions.error();
  const auto complete = [&](const codegen::Plan& plan) -> Expected<codegen::Standalone> {
    auto out = described(*this, before, plan, options);
    out.conditions = std::move(*conditions);
    for (std::size_t k = 0; k < plan.buffers.size(); ++k) {
      const auto layout = runtime::stored_layout(module, plan.buffers[k], {});
      if (!layout) return layout.error();
      if (*layout) out.stored[k] = runtime::stored_count(**layout);
    }
    return out;
  };
  if (emit == Emit::header || emit == Emit::object) {
    codegen::Plan plan;
    const auto kernels = codegen::kernels_of(module, function, options, &plan);
    if (!kernels) return kernels.error();
    if (emit == Emit::header) {
      const auto circuit = complete(plan);
      if (!circuit) return circuit.error();
      return codegen::c_header(*circuit);
    }
    codegen::EntryOptions entry{codegen::interface_of(module, before, plan).symbol, {}, {}};
    for (const ir::SizeCondition& condition : *conditions) entry.conditions.push_back(condition.holds);
    entry.constant = [&](const ir::Function& of, const codegen::Buffer& buffer) {
      return contents(module, of, buffer, *options.semantics);
    };
    return codegen::host_object(module, function, options, entry);
  }
  auto compiled = codegen::compile(module, function, options);
  if (!compiled) return compiled.error();
  auto circuit = complete(compiled->plan);
  if (!circuit) return circuit.error();
  circuit->ptx = std::move(compiled->assembly);
  for (const codegen::Buffer& buffer : compiled->plan.buffers) {
    if (buffer.role != codegen::Buffer::Role::constant) continue;
    auto bytes = contents(module, function, buffer, *options.semantics);
    if (!bytes) return bytes.error();
    circuit->constants.push_back(std::move(*bytes));
  }
  return emit == Emit::cpp_launcher ? codegen::cpp_launcher(*circuit) : codegen::python_launcher(*circuit);
}

}  // namespace reckon
