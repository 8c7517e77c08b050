#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <iostream>
#include <nlohmann/json.hpp>

#include "api/reckon/trace.h"
#include "cli/ptx_launch.h"

namespace reckon::cli {
namespace {

using Json = nlohmann::ordered_json;

/// `f32[8, 8]`: a tensor of zeros; or why it is none.
std::string read_room(const std::string& text, std::optional<Tensor>& made) {
  const auto bracket = text.find('[');
  if (bracket == std::string::npos || text.back() != ']') return "write `f32[8, 8]` or `zeros:f32[8, 8]`";
  Tensor out;
  out.type = text.substr(0, bracket);
  static constexpr std::pair<std::string_view, std::int64_t> types[] = {
      {"f64", 8}, {"f32", 4}, {"f16", 2}, {"bf16", 2}, {"f8e4m3", 1}, {"f8e5m2", 1}, {"i64", 8}, {"i32", 4},
      {"i16", 2}, {"i8", 1},  {"u64", 8}, {"u32", 4},  {"u16", 2},    {"u8", 1},     {"bool", 1}};
  const auto* type =
      std::find_if(std::begin(types), std::end(types), [&](const auto& row) { return row.first == out.type; });
  if (type == std::end(types))
    return fmt::format(
        "there is no format `{}`: memory is of f64, f32, f16, bf16, f8e4m3, f8e5m2, i8 to i64, u8 to u64 "
        "or bool",
        out.type);
  std::int64_t bytes = type->second;
  const char* at = text.data() + bracket + 1;
  const char* end = text.data() + text.size() - 1;
  while (at < end) {
    std::int64_t extent = 0;
    const auto [stop, error] = std::from_chars(at, end, extent);
    if (error == std::errc::invalid_argument || (stop < end && *stop != ',' && *stop != ' '))
      return fmt::format("`{}` is no number of elements; sizes with names have values by --sizes n=1000,512,300",
                         std::string(at, std::find(at, end, ',')));
    if (error != std::errc{} || extent < 1 || __builtin_mul_overflow(bytes, extent, &bytes) ||
        bytes > (std::int64_t{1} << 33))
      return "there are 1 to 2^33 bytes of memory";
    out.shape.push_back(extent);
    at = stop;
    while (at < end && (*at == ',' || *at == ' ')) ++at;
  }
  if (out.shape.empty()) return "write `f32[8, 8]` or `zeros:f32[8, 8]`";
  out.bytes.resize(static_cast<std::size_t>(bytes));
  made = std::move(out);
  return {};
}

/// `NAME:` before a type; empty if there is none.
std::string name_before(const std::string& text) {
  const std::size_t colon = text.find(':');
  return colon == std::string::npos || colon > text.find('[') ? "" : text.substr(0, colon);
}

/// `f32[8]`, `zeros:f32[8]`, `x:f32[8]`: what the argument is, or why it is none.
std::string read_memory(const std::string& text, Session& session, PtxArgument& out) {
  const std::string name = name_before(text), type = name.empty() ? text : text.substr(name.size() + 1);
  if (const std::string why = read_room(type, out.memory); !why.empty())
    return fmt::format("`{}` is no memory: {}", text, why);
  out.zeros = name == "zeros";
  out.unwritten = name.empty();
  if (out.zeros || out.unwritten) return {};
  out.name = name;
  auto numbers = session.evaluate(fmt::format("normal({}, {})", type, std::hash<std::string>()(name) % 1000));
  if (!numbers || numbers->size() != 1 || !numbers->front().tensor)
    return fmt::format("`{}` is no memory of floats: random numbers are floats", text);
  out.memory = numbers->front().tensor;
  return {};
}

std::optional<std::vector<PtxArgument>> read_ptx_arguments(const PtxCommand& options, Session& session,
                                                           Console& console) {
  std::vector<PtxArgument> out;
  for (const std::string& text : options.arguments) {
    PtxArgument& made = out.emplace_back();
    if (text.starts_with("@")) {
      auto read = session.read_npy(text.substr(1));
      if (!read) {
        console.print(read.messages());
        return std::nullopt;
      }
      made.memory = std::move(*read);
    } else if (text.find('[') != std::string::npos) {
      if (const std::string problem = read_memory(text, session, made); !problem.empty()) {
        console.complain("--arg: " + problem);
        console.raise(wrong_usage);
        return std::nullopt;
      }
    } else {
      made.number = text;
    }
  }
  return out;
}

}  // namespace

std::optional<std::array<std::uint32_t, 3>> ptx_extents(const std::vector<std::string>& given, const char* flag,
                                                        Console& console) {
  std::array<std::uint32_t, 3> out{1, 1, 1};
  for (std::size_t k = 0; k < std::min<std::size_t>(given.size(), 3); ++k) {
    const char* end = given[k].data() + given[k].size();
    const auto [stop, error] = std::from_chars(given[k].data(), end, out[k]);
    if (error == std::errc{} && stop == end) continue;
    console.complain(fmt::format("{}: `{}` is no number of 32 bits", flag, given[k]));
    console.raise(wrong_usage);
    return std::nullopt;
  }
  return out;
}

std::optional<PtxLaunch> ptx_launch(const PtxCommand& options, const Common& common, Session& session,
                                    Console& console) {
  PtxLaunch launch;
  if (!semantics_exists(session, common, console)) {
    console.raise(wrong_usage);
    return std::nullopt;
  }
  if (!common.semantics.empty()) launch.semantics = common.semantics;
  const auto grid = ptx_extents(options.grid, "--grid", console),
             block = ptx_extents(options.block, "--block", console);
  if (!grid || !block) return std::nullopt;
  auto arguments = read_ptx_arguments(options, session, console);
  if (!arguments) return std::nullopt;
  launch.kernel = options.kernel;
  launch.grid = *grid;
  launch.block = *block;
  launch.shared_bytes = options.shared;
  launch.arguments = std::move(*arguments);
  launch.seed = static_cast<std::uint64_t>(common.seed.value_or(0));
  launch.budget = options.instructions;
  launch.races = !options.no_races;
  launch.nearest = options.approximate == "nearest";
  if (!launch.nearest && options.approximate != "refuse") launch.tables = options.approximate;
  launch.profile = !options.report.empty();
  return launch;
}

namespace {

int list_kernels(const std::string& text, const PtxCommand& options, Console& console) {
  const auto kernels = ptx_kernels(text, options.file);
  if (!kernels) {
    console.print(kernels.messages());
    return console.status();
  }
  for (const PtxKernel& kernel : *kernels) {
    if (console.json()) {
      Json row{{"kind", "kernel"}, {"name", kernel.name}, {"parameters", Json::array()}};
      for (const auto& one : kernel.parameters)
        row["parameters"].push_back({{"name", one.name}, {"type", one.type}, {"bytes", one.bytes}});
      console.line(row.dump());
      continue;
    }
    console.line(kernel.name);
    for (const auto& one : kernel.parameters)
      console.line(one.type == "b8" ? fmt::format("  {}: {} bytes", one.name, one.bytes)
                                    : fmt::format("  {}: {}", one.name, one.type));
  }
  return console.status();
}

/// The memory that the kernel changed, as `reckon call` prints results.
void print_memory(const PtxLaunch& launch, const PtxRun& run, Session& session, Console& console) {
  for (std::size_t k = 0; k < run.memory.size(); ++k) {
    const auto& tensor = run.memory[k];
    if (!tensor || (!launch.arguments[k].unwritten && tensor->bytes == launch.arguments[k].memory->bytes)) continue;
    std::string dimensions;
    for (std::size_t d = 0; d < tensor->shape.size(); ++d) dimensions += fmt::format("{}d{}", d == 0 ? "" : ", ", d);
    const std::string type = dimensions.empty() ? tensor->type : fmt::format("{}[{}]", tensor->type, dimensions);
    const std::string name = fmt::format("memory_{}", k);
    if (auto loaded = session.load(fmt::format("fn {0}(x: {1}) -> {1} = x\n", name, type), "memory"); !loaded) {
      console.print(loaded.messages());
      continue;
    }
    CallOptions how;
    how.semantics = launch.semantics;
    const auto shown = session.call(name, {*tensor}, how);
    if (!shown) {
      console.print(shown.messages());
      continue;
    }
    if (!console.json()) console.line(fmt::format("argument {}:", k));
    console.print(*shown);
  }
}

void print_counts(const PtxRun& run, Console& console) {
  if (console.json()) {
    Json row{{"kind", "launch"}};
    for (const auto& [name, value] : run.counts) row[name] = value;
    console.line(row.dump());
    return;
  }
  for (const auto& [name, value] : run.counts) console.line(fmt::format("{:<28} {}", name, value));
}

/// What the kernel printed, as it stands.
void print_text(const std::string& text, Console& console) {
  if (console.json()) console.line(Json{{"kind", "printed"}, {"text", text}}.dump());
  else std::cout << text << std::flush;
}

Json json_of(const PtxLine& one) {
  Json row{{"kind", "line"},
           {"place", one.place},
           {"instructions", one.instructions},
           {"threads", one.threads},
           {"divergent branches", one.divergent}};
  row["global"] = {{"requests", one.global_requests}, {"bytes", one.global_bytes}, {"sectors", one.global_sectors}};
  row["shared"] = {{"requests", one.shared_requests},
                   {"wavefronts", one.shared_wavefronts},
                   {"least wavefronts", one.least_wavefronts}};
  row["units"] = one.units;
  return row;
}

/// The form of the file that a report goes to; text where it is printed. Nothing if there is no such form.
std::optional<PictureForm> report_form(const PtxCommand& options, Console& console) {
  if (options.report.empty() || options.report == "-") return PictureForm::text;
  const std::string ending = options.report.substr(options.report.find_last_of('.') + 1);
  const auto form = picture_form_named(ending == "txt" ? "text" : ending);
  if (form && ending != "text") return form;
  console.complain("--report " + options.report + ": a report is written to FILE.svg, FILE.pdf or FILE.txt");
  console.raise(wrong_usage);
  return std::nullopt;
}

/// What each line costs, printed or written.
void give_report(const PtxRun& run, const PtxCommand& options, PictureForm form, Console& console) {
  const std::string title =
      fmt::format("{}, grid {}, block {}", options.kernel, fmt::join(options.grid, ","), fmt::join(options.block, ","));
  if (options.report == "-") {
    if (!console.json()) std::cout << ptx_report(run, title) << std::flush;
    else
      for (const PtxLine& one : run.lines) console.line(json_of(one).dump());
    return;
  }
  if (const std::string problem = Session::write_file(options.report, ptx_report(run, title, form)); !problem.empty()) {
    console.complain("`" + options.report + "` cannot be written: " + problem);
    console.raise(wrong_usage);
    return;
  }
  console.print(Event(Saved{options.report, options.report.substr(options.report.find_last_of('.') + 1)}));
}

/// Under a semantics that has the values of the kernel's circuit.
int show_by_circuit(const std::string& text, const PtxCommand& options, const PtxLaunch& launch, Console& console) {
  if (!options.outputs.empty()) {
    console.complain("-o writes memory, whose patterns a kernel has that is run, and not one whose circuit is");
    return wrong_usage;
  }
  const PtxValues found = values_of_ptx(text, options.file, launch);
  console.print(found.run.messages);
  console.print(found.messages);
  for (const PtxValues::Output& output : found.outputs) {
    if (!console.json()) console.line(fmt::format("argument {}:", output.argument));
    console.print(output.values);
    if (!output.note.empty() && !console.json()) console.line("note: " + output.note);
  }
  return console.status();
}

}  // namespace

int ptx(const PtxCommand& options, const Common& common) {
  Console console(common);
  const auto text = read_program(options.file, console);
  if (!text) return console.status();
  if (options.kernel.empty()) return list_kernels(*text, options, console);
  const auto form = report_form(options, console);
  if (!form) return console.status();
  SessionOptions session_options;
  Session session(session_options);
  const auto prepared = ptx_launch(options, common, session, console);
  if (!prepared) return console.status();
  const PtxLaunch& launch = *prepared;
  if (!ptx_emulates(launch.semantics)) return show_by_circuit(*text, options, launch, console);
  const PtxRun run = run_ptx(*text, options.file, launch);
  if (!run.printed.empty()) print_text(run.printed, console);
  console.print(run.messages);
  if (!run.memory.empty() && !common.quiet) print_memory(launch, run, session, console);
  if ((common.verbose || common.json) && !run.counts.empty()) print_counts(run, console);
  if (!run.lines.empty()) give_report(run, options, *form, console);
  for (const std::string& output : options.outputs) {
    const auto equals = output.find('=');
    std::size_t number = run.memory.size();
    if (equals != std::string::npos) std::from_chars(output.data(), output.data() + equals, number);
    if (number >= launch.arguments.size() || !launch.arguments[number].memory) {
      console.complain(fmt::format("-o: `{}` names no argument that is memory: write `1=y.npy`", output));
      console.raise(wrong_usage);
      continue;
    }
    if (number < run.memory.size()) console.print(session.write_npy(output.substr(equals + 1), *run.memory[number]));
  }
  return console.status();
}

}  // namespace reckon::cli
