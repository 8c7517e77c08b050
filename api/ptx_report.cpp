#include "api/ptx_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "draw/costs.h"

namespace reckon {
namespace {

/// `3.0`; a dash if there are none.
std::string per(std::uint64_t count, std::uint64_t of) {
  return of == 0 ? "-" : fmt::format("{:.1f}", static_cast<double>(count) / static_cast<double>(of));
}
std::string share(std::uint64_t count, std::uint64_t of) {
  return of == 0 ? "-" : fmt::format("{:.0f} %", 100 * static_cast<double>(count) / static_cast<double>(of));
}

const std::vector<std::string>& headings() {
  static const std::vector<std::string> out{"instructions", "threads", "parted", "requests", "sectors",
                                            "used",         "shared",  "waves",  "at least"};
  return out;
}

/// Under the headings.
std::vector<std::string> figures(const PtxLine& one) {
  const auto number = [](std::uint64_t value) { return value == 0 ? "-" : std::to_string(value); };
  return {std::to_string(one.instructions),
          per(one.threads, one.instructions),
          number(one.divergent),
          number(one.global_requests),
          per(one.global_sectors, one.global_requests),
          share(one.global_bytes, 32 * one.global_sectors),
          number(one.shared_requests),
          per(one.shared_wavefronts, one.shared_requests),
          per(one.least_wavefronts, one.shared_requests)};
}

/// Adds what lines and operations both count.
template <class Counts>
void add(PtxLine& to, const Counts& from) {
  to.threads += from.threads;
  to.divergent += from.divergent;
  to.global_requests += from.global_requests;
  to.global_bytes += from.global_bytes;
  to.global_sectors += from.global_sectors;
  to.shared_requests += from.shared_requests;
  to.shared_wavefronts += from.shared_wavefronts;
  to.least_wavefronts += from.least_wavefronts;
}

PtxLine total(const PtxRun& run) {
  PtxLine out;
  out.place = "all lines";
  for (const PtxLine& one : run.lines) {
    for (const auto& [unit, count] : one.units) out.units[unit] += count;
    out.instructions += one.instructions;
    add(out, one);
  }
  return out;
}

/// `412 integer, 96 f32`, the most first.
std::string units_text(const PtxLine& one) {
  std::vector<std::pair<std::string, std::uint64_t>> order(one.units.begin(), one.units.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out;
  for (const auto& [unit, count] : order) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, unit);
  return out;
}

std::string table(const PtxRun& run, const std::string& title) {
  std::vector<PtxLine> lines = run.lines;
  lines.push_back(total(run));
  std::size_t widest = 0;
  std::vector<std::size_t> widths;
  for (const std::string& heading : headings()) widths.push_back(heading.size());
  for (const PtxLine& one : lines) {
    widest = std::max(widest, one.place.size());
    const auto cells = figures(one);
    for (std::size_t k = 0; k < cells.size(); ++k) widths[k] = std::max(widths[k], cells[k].size());
  }
  std::string out = title + "\n" + std::string(widest, ' ');
  for (std::size_t k = 0; k < widths.size(); ++k) out += fmt::format("  {:>{}}", headings()[k], widths[k]);
  out += "  by unit\n";
  for (const PtxLine& one : lines) {
    out += fmt::format("{:<{}}", one.place, widest);
    const auto cells = figures(one);
    for (std::size_t k = 0; k < widths.size(); ++k) out += fmt::format("  {:>{}}", cells[k], widths[k]);
    out += "  " + units_text(one) + "\n";
  }
  return out;
}

}  // namespace

std::vector<PtxLine> cost_lines(const ptx::Module& module, const std::vector<ptx::OperationCounts>& operations) {
  // Places of the source by file and line, lines of the PTX after them.
  std::map<std::pair<std::string, std::uint32_t>, PtxLine> lines;
  for (const ptx::OperationCounts& one : operations) {
    std::string file;
    std::uint32_t line = one.line;
    if (one.place != 0) {
      const std::uint32_t caller = module.places[one.place].caller;
      const ptx::Place& place = module.places[caller != 0 ? caller : one.place];
      const auto found = module.files.find(place.file);
      file = found == module.files.end() ? fmt::format("file {}", place.file) : found->second;
      line = place.line;
    }
    PtxLine& made = lines[{file, line}];
    made.place = file.empty() ? fmt::format("line {}", line)
                 : line == 0  ? file + ", no line"  // which the compiler did not say
                              : fmt::format("{}:{}", file, line);
    made.units[std::string(ptx::name_of(one.unit))] += one.warps;
    made.instructions += one.warps;
    add(made, one);
  }
  std::vector<PtxLine> out;
  for (auto& [place, line] : lines) out.push_back(std::move(line));
  return out;
}

std::string ptx_report(const PtxRun& run, const std::string& title, PictureForm form) {
  if (form == PictureForm::text) return table(run, title);
  draw::Costs costs;
  const PtxLine all = total(run);
  costs.title = title;
  costs.summary = fmt::format("{} instructions of warps: {}", all.instructions, units_text(all));
  costs.headings = headings();
  for (std::size_t unit = 0; unit < ptx::unit_count; ++unit)
    costs.kinds.emplace_back(ptx::name_of(static_cast<ptx::Unit>(unit)));
  for (const PtxLine& one : run.lines) {
    draw::CostLine& made = costs.lines.emplace_back();
    made.place = one.place;
    made.figures = figures(one);
    for (const std::string& kind : costs.kinds) {
      const auto found = one.units.find(kind);
      made.parts.push_back(found == one.units.end() ? 0 : static_cast<double>(found->second));
    }
  }
  const draw::Sheet sheet = draw::costs_sheet(costs);
  return form == PictureForm::svg ? draw::svg(sheet) : draw::pdf(sheet);
}

}  // namespace reckon
