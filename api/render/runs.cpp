#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

#include "api/render/parts.h"

namespace reckon::render {
namespace {

constexpr std::size_t max_rows = 16, max_runs = 8;
constexpr std::size_t longest_tree = 160;

struct Row {
  const Checked::Run* first = nullptr;
  std::vector<std::int64_t> runs;
};

/// Every value of every element once: first the values that no order gives, then the others, by their first run.
std::vector<Row> rows_of(const Checked& check) {
  std::vector<Row> out;
  std::map<std::pair<std::vector<std::int64_t>, std::string>, std::size_t> seen;
  for (const Checked::Run& run : check.runs) {
    const auto [at, is_new] = seen.try_emplace({run.element, run.result.text}, out.size());
    if (is_new) out.push_back({&run, {}});
    out[at->second].runs.push_back(run.run);
  }
  const auto rank = [](const Row& row) {
    return row.first->attained == "no" ? 0 : row.first->attained == "unknown" ? 1 : 2;
  };
  std::stable_sort(out.begin(), out.end(), [&](const Row& a, const Row& b) { return rank(a) < rank(b); });
  return out;
}

std::string runs_list(const std::vector<std::int64_t>& runs) {
  const std::size_t shown = std::min(runs.size(), max_runs);
  std::string out = fmt::format("{}", fmt::join(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  return runs.size() == shown ? out : fmt::format("{} and {} more", out, runs.size() - shown);
}

std::string answer_text(const Checked::Run& run) {
  if (run.attained != "yes") return run.attained;
  if (run.witness.size() > longest_tree) return "yes, by a tree too long to show";
  return run.witness.find('(') == std::string::npos ? "yes, by any order" : "yes, by '" + run.witness;
}

}  // namespace

std::string runs_evidence(const Checked& check) {
  const auto number = [&](std::string_view name) {
    const Checked::Fact* fact = check.fact(name);
    return fact == nullptr ? std::int64_t{0} : std::get<std::int64_t>(fact->value);
  };
  const bool tensors = !check.runs.empty() && !check.runs.front().element.empty();
  std::string out =
      fmt::format("{} of {} {}{} attained", number("attained"), check.runs.size(), tensors ? "elements" : "runs",
                  tensors ? fmt::format(" of {} runs", number("runs")) : "");
  if (number("unknown") != 0) out += fmt::format(", {} neither found nor excluded", number("unknown"));
  return out;
}

std::string runs_text(const Checked& check) {
  const std::vector<Row> rows = rows_of(check);
  const std::size_t shown = std::min(rows.size(), max_rows);
  std::vector<std::vector<std::string>> table{{"result", "runs", "attained"}};
  const bool tensors = !check.runs.front().element.empty();
  if (tensors) table[0].insert(table[0].begin(), "element");
  for (std::size_t k = 0; k < shown; ++k) {
    std::vector<std::string> line{rows[k].first->result.text, runs_list(rows[k].runs), answer_text(*rows[k].first)};
    if (tensors) line.insert(line.begin(), fmt::format("[{}]", fmt::join(rows[k].first->element, ", ")));
    table.push_back(std::move(line));
  }
  std::string out;
  for (const auto& line : table) {
    out += "\n   ";
    for (std::size_t column = 0; column < line.size(); ++column) {
      std::size_t width = 0;
      for (const auto& other : table) width = std::max(width, other[column].size());
      out += column + 1 == line.size() ? " " + line[column] : fmt::format(" {:<{}} ", line[column], width);
    }
  }
  if (rows.size() > shown) out += fmt::format("\n    and {} more rows, which `--format=json` has", rows.size() - shown);
  return out;
}

nlohmann::ordered_json runs_json(const Checked& check) {
  auto out = nlohmann::ordered_json::array();
  for (const Checked::Run& run : check.runs) {
    nlohmann::ordered_json row{{"run", run.run}};
    if (!run.element.empty()) row["element"] = run.element;
    for (const auto& [name, value] : run.result.forms) row[name] = value;
    row["attained"] = run.attained;
    if (!run.witness.empty()) row["witness"] = run.witness;
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace reckon::render
