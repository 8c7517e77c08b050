#include "draw/costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace reckon::draw {
namespace {

constexpr double bar_width = 420, bar_height = 14, gap = 18;
constexpr std::size_t most_kinds = 8;

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// For each kind its colour, those that occur most first; the kinds beyond the colours share the last one.
std::vector<std::size_t> colours(const Costs& costs, std::vector<std::string>& legend) {
  std::vector<double> sums(costs.kinds.size(), 0);
  for (const CostLine& one : costs.lines)
    for (std::size_t k = 0; k < one.parts.size(); ++k) sums[k] += one.parts[k];
  std::vector<std::size_t> order(sums.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return sums[a] > sums[b]; });
  std::vector<std::size_t> out(sums.size(), 0);
  for (std::size_t k = 0; k < order.size() && sums[order[k]] > 0; ++k) {
    out[order[k]] = std::min(k, most_kinds - 1);
    if (k < most_kinds) legend.push_back(costs.kinds[order[k]]);
    else legend.back() = "others";
  }
  return out;
}

}  // namespace

Sheet costs_sheet(const Costs& costs) {
  Sheet out(Style::In::grids, costs.title, costs.summary);
  double width = out.add_caption(), y = margin + 2.5 * line;
  std::vector<std::string> legend;
  const std::vector<std::size_t> colour = colours(costs, legend);
  double x = margin;
  for (std::size_t k = 0; k < legend.size(); ++k) {
    out.add(fmt::format("cell c{}", k), Rectangle{{x, y}, bar_height, bar_height});
    out.add("", Words{{x + bar_height + 5, y + 11}, legend[k]});
    x += bar_height + 5 + static_cast<double>(legend[k].size()) * letter + gap;
  }
  width = std::max(width, x - margin);
  y += 1.5 * line;
  std::size_t longest = 0;
  double most = 0;
  for (const CostLine& one : costs.lines) {
    longest = std::max(longest, one.place.size());
    most = std::max(most, sum(one.parts));
  }
  const double begin = margin + static_cast<double>(longest) * letter + gap;
  double end = begin + bar_width + gap;
  std::vector<double> columns;  // right ends of the figures
  for (std::size_t k = 0; k < costs.headings.size(); ++k) {
    std::size_t letters = costs.headings[k].size();
    for (const CostLine& one : costs.lines) letters = std::max(letters, one.figures[k].size());
    end += static_cast<double>(letters) * letter;
    columns.push_back(end);
    out.add("end faint", Words{{end, y}, costs.headings[k]});
    end += gap;
  }
  y += 0.5 * line;
  for (const CostLine& one : costs.lines) {
    out.add("", Words{{margin, y + 11}, one.place});
    double at = begin;
    for (std::size_t k = 0; k < one.parts.size(); ++k) {
      const double part = most > 0 ? one.parts[k] / most * bar_width : 0;
      if (part < 0.5) continue;
      out.add(fmt::format("cell c{}", colour[k]), Rectangle{{at, y}, part, bar_height});
      at += part;
    }
    for (std::size_t k = 0; k < columns.size(); ++k) out.add("end", Words{{columns[k], y + 11}, one.figures[k]});
    y += line;
  }
  out.resize(std::max(width + 2 * margin, end - gap + margin), y + margin);
  return out;
}

}  // namespace reckon::draw
