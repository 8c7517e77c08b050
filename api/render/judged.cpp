#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "api/render/parts.h"

namespace reckon {
namespace {

using Json = nlohmann::ordered_json;

Json counts_json(const Checked::Judged& judged) {
  Json out{{"results", judged.results}, {"inside", judged.inside}, {"outside", judged.outside},
           {"unbounded", judged.unbounded}};
  if (judged.outside > 0) {
    if (std::isfinite(judged.worst_ulps)) out["worst_ulps"] = judged.worst_ulps;
    else out["worst_ulps"] = "inf";
  }
  if (judged.inside > 0) out["used"] = judged.used;
  return out;
}

std::string worst_text(const Checked::Judged& judged) {
  if (judged.outside > 0) {
    return std::isfinite(judged.worst_ulps) ? fmt::format("{:.7g} ulp outside", judged.worst_ulps) : "far outside";
  }
  return judged.inside > 0 ? fmt::format("{:.0f} % of what is allowed", std::ceil(100 * judged.used)) : "nothing judged";
}

}  // namespace

void Accepted::add(const Checked& check) {
  const auto same = [&](const Row& row) {
    return row.counts.what == check.judged->what && row.semantics == check.semantics;
  };
  const auto row = std::find_if(rows_.begin(), rows_.end(), same);
  if (row == rows_.end()) {
    rows_.push_back({check.semantics, 1, *check.judged});
    return;
  }
  ++row->checks;
  Checked::Judged& all = row->counts;
  const Checked::Judged& more = *check.judged;
  all.results += more.results;
  all.inside += more.inside;
  all.outside += more.outside;
  all.unbounded += more.unbounded;
  all.worst_ulps = std::max(all.worst_ulps, more.worst_ulps);
  all.used = std::max(all.used, more.used);
}

std::int64_t Accepted::checks() const {
  std::int64_t out = 0;
  for (const Row& row : rows_) out += row.checks;
  return out;
}

std::string render::judged_text(const Checked::Judged& judged) {
  std::string out = fmt::format("{} {}", judged.results, judged.results == 1 ? "result" : "results");
  std::vector<std::string> parts;
  if (judged.outside > 0 || judged.unbounded > 0) {
    if (judged.inside > 0) parts.push_back(fmt::format("{} inside", judged.inside));
    if (judged.outside > 0) parts.push_back(fmt::format("{} outside", judged.outside));
    if (judged.unbounded > 0) parts.push_back(fmt::format("{} unbounded", judged.unbounded));
    return out + fmt::format(": {}", fmt::join(parts, ", "));
  }
  return out + fmt::format(", {:.0f} % of what is allowed", std::ceil(100 * judged.used));
}

Json render::judged_json(const Checked::Judged& judged) {
  Json out = counts_json(judged);
  for (const auto& [reason, count] : judged.reasons) out["reasons"][reason] = count;
  return out;
}

std::string to_text(const Accepted& accepted) {
  constexpr std::size_t widest = 40;
  std::vector<std::vector<std::string>> table{{"of", "semantics", "results", "inside", "outside", "unbounded", "worst"}};
  for (const Accepted::Row& row : accepted.rows()) {
    const auto& [what, results, inside, outside, unbounded, ulps, used, reasons] = row.counts;
    const std::string name = what.size() > widest ? what.substr(0, widest - 3) + "..." : what;
    table.push_back({name, row.semantics, std::to_string(results), std::to_string(inside), std::to_string(outside),
                     std::to_string(unbounded), worst_text(row.counts)});
  }
  std::vector<std::size_t> widths(table[0].size());
  for (const auto& row : table) {
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
  }
  std::string out;
  for (const auto& row : table) {
    out += out.empty() ? "accepted  " : "\n          ";
    for (std::size_t k = 0; k + 1 < row.size(); ++k) {
      out += k < 2 ? fmt::format("{:<{}}  ", row[k], widths[k]) : fmt::format("{:>{}}  ", row[k], widths[k]);
    }
    out += row.back();
  }
  return out;
}

Json render::accepted_json(const Accepted::Row& row) {
  Json out{{"kind", "accepted"}, {"of", row.counts.what}, {"semantics", row.semantics}, {"checks", row.checks}};
  out.update(counts_json(row.counts));
  return out;
}

}  // namespace reckon
