#include "api/reckon/ptx.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "api/implementation.h"
#include "api/ptx_launch.h"
#include "api/ptx_report.h"
#include "diagnostics/codes/bad_ptx.h"
#include "diagnostics/codes/kernel_fault.h"
#include "numerics/chips/chip.h"
#include "ptx/emulate/pressure.h"
#include "ptx/read/read.h"
#include "ptx/shadow/ring.h"
#include "ptx/shadow/shadow.h"

namespace reckon {
namespace {

/// Messages with places in the text of a PTX file.
class PtxMessages {
 public:
  PtxMessages(const std::string& text, const std::string& name) : file_(sources_.add(name, text)) {}

  Message at(Code code, std::uint32_t line, std::string message, std::vector<std::string> notes = {},
             std::string help = {}) {
    return shown(Diagnostic(code, span_of(line), std::move(message)), std::move(notes), std::move(help));
  }
  Message of(const ptx::Mistake& mistake) {
    SourceSpan span = span_of(mistake.line);
    if (span.known()) {
      span.begin = std::min(start_of(mistake.line) + mistake.column, size());
      span.end = std::min(span.begin + std::max(mistake.length, 1u), size());
    }
    return shown(Diagnostic(code::bad_ptx, span, mistake.message), {}, {});
  }

 private:
  std::uint32_t size() const { return static_cast<std::uint32_t>(sources_.text(file_).size()); }
  std::uint32_t start_of(std::uint32_t line) const {
    const std::string_view text = sources_.text(file_);
    std::size_t at = 0;
    for (std::uint32_t k = 1; k < line && at < text.size(); ++k) {
      const std::size_t end = text.find('\n', at);
      at = end == std::string_view::npos ? text.size() : end + 1;
    }
    return static_cast<std::uint32_t>(at);
  }
  /// The instruction of a line, without the spaces around it.
  SourceSpan span_of(std::uint32_t line) const {
    if (line == 0) return {};
    const std::string_view text = sources_.text(file_);
    std::uint32_t begin = start_of(line);
    while (begin < text.size() && (text[begin] == ' ' || text[begin] == '\t')) ++begin;
    std::uint32_t end = begin;
    while (end < text.size() && text[end] != '\n' && text[end] != ';') ++end;
    return {file_, begin, std::max(end, std::min(begin + 1, size()))};
  }
  Message shown(Diagnostic diagnostic, std::vector<std::string> notes, std::string help) {
    diagnostic.notes = std::move(notes);
    if (!help.empty()) diagnostic.helps.push_back(std::move(help));
    Message out = public_message(diagnostic, sources_);
    if (diagnostic.code == code::kernel_fault) out.status = 1;
    return out;
  }

  SourceMap sources_;
  std::uint32_t file_;
};

/// The bits of a number in a parameter's type; nothing if it is none.
std::optional<std::uint64_t> number_bits(const std::string& text, ptx::Type type, std::uint32_t bytes) {
  const char* end = text.data() + text.size();
  if (type == ptx::Type::f32 || type == ptx::Type::f64) {
    double value = 0;
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end) return std::nullopt;
    if (type == ptx::Type::f64) return std::bit_cast<std::uint64_t>(value);
    return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
  const bool minus = text.starts_with("-"), hex = text.starts_with("0x");
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data() + (minus ? 1 : hex ? 2 : 0), end, value, hex ? 16 : 10);
  if (error != std::errc{} || stop != end) return std::nullopt;
  if (bytes < 8 && value >> (8 * bytes) != 0) return std::nullopt;
  return minus ? 0 - value : value;
}

/// `bytes:00ff3c`, the bytes of a struct in their order; nothing if it is none of so many.
std::optional<std::vector<std::uint8_t>> struct_bytes(const std::string& text, std::uint32_t bytes) {
  const std::string digits = text.substr(6);
  if (digits.size() != 2 * std::size_t{bytes}) return std::nullopt;
  std::vector<std::uint8_t> out(bytes);
  for (std::size_t k = 0; k < bytes; ++k) {
    const char* begin = digits.data() + 2 * k;
    const auto [stop, error] = std::from_chars(begin, begin + 2, out[k], 16);
    if (error != std::errc{} || stop != begin + 2) return std::nullopt;
  }
  return out;
}

/// The elements of an argument that are floats become inputs.
void mark_inputs(ptx::Values& values, std::size_t argument, const Tensor& tensor, ptx::Allocation& memory) {
  const auto format = numerics::format_named(tensor.type);
  if (!format) return;
  const auto bytes = static_cast<std::size_t>(ptx::bytes_of(*format));
  memory.tags.assign(memory.data.size(), 0);
  for (std::size_t k = 0; (k + 1) * bytes <= memory.data.size(); ++k) {
    const std::uint32_t id = values.input(static_cast<std::uint32_t>(argument), k, *format);
    ptx::Shadow::put({0, id}, static_cast<int>(bytes), memory.tags.data() + k * bytes);
  }
}

/// The parameters' bytes, and the memory of those arguments that have some.
std::string place_arguments(const ptx::Kernel& kernel, const PtxLaunch& launch, ptx::Memory& memory,
                            ptx::Values* values, std::vector<std::uint8_t>& bytes, std::vector<std::uint64_t>& bases) {
  const auto infos = ptx::Program::parameters(kernel);
  if (infos.size() != launch.arguments.size())
    return fmt::format("parameters of the kernel: {}; arguments given: {}", infos.size(), launch.arguments.size());
  for (std::size_t k = 0; k < infos.size(); ++k) {
    const ptx::ParameterInfo& info = infos[k];
    const PtxArgument& argument = launch.arguments[k];
    bytes.resize(std::max<std::size_t>(bytes.size(), info.offset + info.bytes));
    bases.push_back(0);
    std::uint64_t word = 0;
    if (!argument.memory && argument.number.starts_with("bytes:")) {
      const auto given = struct_bytes(argument.number, info.bytes);
      if (!given)
        return fmt::format("`{}` are not the {} bytes of the parameter `{}`", argument.number, info.bytes, info.name);
      std::copy(given->begin(), given->end(), bytes.begin() + info.offset);
      continue;
    }
    if (argument.memory) {
      if (info.bytes != 8)
        return fmt::format("the parameter `{}` has {} bytes: it is no address", info.name, info.bytes);
      const auto& given = argument.memory->bytes;
      ptx::Allocation& made = memory.allocate(std::max<std::size_t>(given.size(), 1),
                                              fmt::format("argument {} (`{}`)", k, info.name), !argument.unwritten);
      if (!argument.unwritten) std::copy(given.begin(), given.end(), made.data.begin());
      if (!argument.unwritten && !argument.zeros && values != nullptr) mark_inputs(*values, k, *argument.memory, made);
      word = bases.back() = made.base;
    } else {
      const auto bits = number_bits(argument.number, info.type, info.bytes);
      if (!bits || info.bytes > 8)
        return info.bytes > 8 || info.type == ptx::Type::b8
                   ? fmt::format("`{}` is no value of the parameter `{}`, a struct of {} bytes: write `bytes:` and their "
                                 "hexadecimal digits",
                                 argument.number, info.name, info.bytes)
                   : fmt::format("`{}` is no value of the parameter `{}`, which has the type .{}", argument.number,
                                 info.name, ptx::name_of(info.type));
      word = *bits;
    }
    std::memcpy(bytes.data() + info.offset, &word, info.bytes);
  }
  return {};
}

std::uint32_t kernel_line(const ptx::Module& module, std::string_view name) {
  const ptx::Function* entry = module.entry(name);
  return entry != nullptr ? entry->line : 0;
}

void count(const ptx::LaunchReport& report, PtxRun& out) {
  out.counts = {{"blocks", report.blocks},
                {"thread instructions", report.thread_instructions},
                {"warp instructions", report.warp_instructions},
                {"divergent branches", report.divergent_branches},
                {"requests of global memory", report.global_requests},
                {"sectors of global memory", report.global_sectors},
                {"requests of shared memory", report.shared_requests},
                {"wavefronts of shared memory", report.shared_wavefronts},
                {"bytes of shared memory", report.static_shared_bytes}};
}

/// What floats are under a semantics: null for `float`; nothing if PTX has no such semantics.
std::optional<std::unique_ptr<ptx::Values>> values_named(const std::string& semantics) {
  if (semantics.empty() || semantics == usual_semantics()) return std::unique_ptr<ptx::Values>();
  auto ring = ptx::ring_named(semantics);
  return ring ? std::optional(std::move(ring)) : std::nullopt;
}

}  // namespace

Result<std::vector<PtxKernel>> ptx_kernels(const std::string& text, const std::string& name) {
  const ptx::ReadResult read = ptx::read(text);
  if (read.mistake) return std::vector<Message>{PtxMessages(text, name).of(*read.mistake)};
  std::vector<PtxKernel> out;
  for (const ptx::Function& function : read.module.functions) {
    if (!function.is_entry || !function.is_defined) continue;
    PtxKernel& made = out.emplace_back();
    made.name = std::string(function.name);
    for (const auto& parameter : function.parameters) {
      if (parameter.is_register) continue;
      const ptx::Variable& variable = read.module.variables[parameter.index];
      made.parameters.push_back({std::string(variable.name), std::string(ptx::name_of(variable.type)), variable.bytes});
    }
  }
  return out;
}

PtxRun carry_out_ptx(const std::string& text, const std::string& name, const PtxLaunch& launch, ptx::Values* values,
                     PtxMemory& placed) {
  PtxRun out;
  PtxMessages messages(text, name);
  ptx::ReadResult read = ptx::read(text);
  if (read.mistake) {
    out.messages.push_back(messages.of(*read.mistake));
    return out;
  }
  std::shared_ptr<const numerics::Chip> chip;
  if (!launch.tables.empty()) {
    std::string problem;
    chip = numerics::Chip::read(launch.tables, problem);
    if (!chip) {
      out.messages.push_back(messages.at(code::bad_ptx, 0, problem));
      return out;
    }
  }
  ptx::Program program(std::move(read.module), placed.memory);
  ptx::Refused refused;
  const ptx::Kernel* kernel =
      program.kernel(launch.kernel,
                     ptx::DecodeOptions{launch.nearest || values != nullptr, chip.get(), values != nullptr}, refused);
  if (kernel == nullptr) {
    out.messages.push_back(messages.at(code::bad_ptx, refused.line, refused.message, {},
                                       refused.approximate
                                           ? "--approx=nearest takes the nearest number for it, and --approx=FILE what "
                                             "was measured on a chip"
                                           : ""));
    return out;
  }
  std::vector<std::uint8_t> parameters;
  if (std::string problem = place_arguments(*kernel, launch, placed.memory, values, parameters, placed.bases);
      !problem.empty()) {
    out.messages.push_back(messages.at(code::bad_ptx, kernel_line(program.module(), launch.kernel), problem));
    return out;
  }
  ptx::LaunchOptions options;
  options.grid = launch.grid;
  options.block = launch.block;
  options.dynamic_shared_bytes = launch.shared_bytes;
  options.seed = launch.seed;
  options.most_instructions = launch.budget;
  options.finds_races = launch.races;
  options.profiles = launch.profile;
  options.values = values;
  const auto report = program.launch(*kernel, options, std::move(parameters), refused);
  if (!report) {
    out.messages.push_back(messages.at(code::bad_ptx, refused.line, refused.message));
    return out;
  }
  out.approximated = ptx::Program::approximate(*kernel) > 0;
  count(*report, out);
  if (const auto lines = program.lines_that_may_be_joined(*kernel); !lines.empty())
    out.counts.emplace_back("sums an assembler may fuse", lines.size());
  if (launch.profile) {
    out.lines = cost_lines(program.module(), report->operations);
    if (const auto live = ptx::live_registers(*program.module().entry(launch.kernel)))
      out.counts.emplace_back("registers live at once", *live);
  }
  out.printed = report->printed;
  const auto add = [&](const ptx::Finding& finding) {
    std::vector<std::string> notes;
    if (const std::string place = program.module().place_text(finding.place); !place.empty())
      notes.push_back("this is " + place);
    if (finding.count > 1) notes.push_back(fmt::format("{} times", finding.count));
    out.messages.push_back(messages.at(code::kernel_fault, finding.line, finding.message, std::move(notes)));
  };
  if (report->fault) add(*report->fault);
  for (const ptx::Finding& finding : report->findings) add(finding);
  if (report->fault) return out;
  for (std::size_t k = 0; k < placed.bases.size(); ++k) {
    out.memory.emplace_back();
    if (placed.bases[k] == 0) continue;
    Tensor tensor = *launch.arguments[k].memory;
    const auto& data = placed.memory.find(placed.bases[k])->data;
    std::copy_n(data.begin(), tensor.bytes.size(), tensor.bytes.begin());
    out.memory.back() = std::move(tensor);
  }
  return out;
}

Message ptx_message(const std::string& text, const std::string& name, const std::string& kernel, std::string message) {
  const ptx::ReadResult read = ptx::read(text);
  return PtxMessages(text, name)
      .at(code::bad_ptx, read.mistake ? 0 : kernel_line(read.module, kernel), std::move(message));
}

bool ptx_emulates(const std::string& semantics) { return values_named(semantics).has_value(); }

PtxRun run_ptx(const std::string& text, const std::string& name, const PtxLaunch& launch) {
  const auto values = values_named(launch.semantics);
  if (!values) {
    PtxRun out;
    out.messages.push_back(PtxMessages(text, name)
                               .at(code::bad_ptx, 0,
                                   fmt::format("`{}` is no semantics of PTX kernels", launch.semantics), {},
                                   "they run in `float`, `fpsan`, `fpsan(now, homomorphic)`, `fpsan(v38)` or "
                                   "`fpsan(article)`; the circuit that a trace reads off has values in all others"));
    return out;
  }
  PtxMemory placed;
  return carry_out_ptx(text, name, launch, values->get(), placed);
}

}  // namespace reckon
