// The worst errors of a file of FPCores over the ranges of their preconditions, and the errors at random points.
//   bench_fpcores FILE.fpcore... [--points N]
// Each is read by itself, so that one that is refused is named and the others go on. The status is 1 if a bound is
// below an error at any of the points, and 2 if a file cannot be read.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "fpcore/program.h"
#include "fpcore/terms.h"
#include "frontend/elaborate.h"
#include "semantics/standard.h"
#include "worst/worst_case.h"

namespace {

using namespace reckon;

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Its `:name`, or the beginning of what it says.
std::string name_of(const fpcore::Term& core, std::string_view text) {
  const auto at = std::ranges::find_if(core.parts, [](const fpcore::Term& each) { return each.is(":name"); });
  if (core.parts.end() - at > 1) return (at + 1)->text;
  return std::string(text.substr(0, text.find('\n')));
}

class Run {
 public:
  explicit Run(std::size_t points) : points_(points) {}

  /// False if the file cannot be read.
  bool file(const std::string& path) {
    std::ifstream in(path);
    if (!in) {
      fmt::print(stderr, "cannot read {}\n", path);
      return false;
    }
    std::stringstream text;
    text << in.rdbuf();
    SourceMap sources;
    const std::uint32_t file = sources.add(path, text.str());
    const auto terms = fpcore::read_terms(sources, file);
    if (!terms) {
      fmt::print(stderr, "{}: {}\n", path, terms.error().message);
      return false;
    }
    for (const fpcore::Term& each : *terms) {
      const std::string_view core_text = sources.text(each.span);
      core(name_of(each, core_text), std::string(core_text));
    }
    return true;
  }

  int report() const {
    fmt::print(
        "\n{} FPCores: {} refused by name, {} without arguments; of {} others {} have a finite bound, and of {} a part "
        "of the ranges is named where they have none; {:.1f} s; {} unsound at {} points each\n",
        all_, refused_, without_arguments_, bounded_ + unbounded_, bounded_, unbounded_, time_, unsound_, points_);
    return unsound_ == 0 ? 0 : 1;
  }

 private:
  void core(const std::string& name, const std::string& text) {
    ++all_;
    const double begin = seconds();
    SourceMap sources;
    const std::uint32_t file = sources.add("a.fpcore", text);
    const auto program = fpcore::program_of(sources, file);
    if (!program) {
      ++refused_;
      fmt::print("| {} | refused: {} | | | |\n", name, program.error().message);
      return;
    }
    frontend::Session session(sources, {});
    auto read = session.add(sources.add("a.rk", *program), "", frontend::ParseAs::program);
    const frontend::ElaboratedItem* asked = nullptr;
    for (const frontend::ElaboratedItem& item : read.items) {
      if (!item.value) continue;
      const auto* question = std::get_if<frontend::Question>(&*item.value);
      if (question != nullptr && question->kind == frontend::Question::Kind::worst) asked = &item;
    }
    if (!read.diagnostics.empty() || asked == nullptr) {
      ++(read.diagnostics.empty() ? without_arguments_ : refused_);
      fmt::print("| {} | {} | | | |\n", name,
                 read.diagnostics.empty() ? "no arguments" : "refused: " + read.diagnostics.front().message);
      return;
    }
    const bool stated = program->find("no range is stated for") == std::string::npos;
    bound(session, *asked, stated ? name : name + ", all numbers", begin);
  }

  void bound(frontend::Session& session, const frontend::ElaboratedItem& item, const std::string& name, double begin) {
    const auto& question = std::get<frontend::Question>(*item.value);
    worst::Asked asked;
    asked.circuit = &question.function;
    for (const ir::Function& condition : question.conditions) asked.conditions.push_back(&condition);
    asked.ranges.resize(question.function.parameters.size());
    for (const frontend::RangeClause& range : item.ranges) asked.ranges[range.parameter] = {range.low, range.high};
    const auto semantics = interp::make_semantics("bound", {}, {});
    asked.numbers = (*semantics)->traits().closed_numbers;
    const auto found = worst::worst_case(session.module(), asked, {});
    const double took = seconds() - begin;
    time_ += took;
    if (!found) {
      ++refused_;
      fmt::print("| {} | refused: {} | | | |\n", name, found.error().message);
      return;
    }
    if (found->hindrance) {
      ++unbounded_;
      fmt::print("| {} | none: {} | | | {:.2f} |\n", name, worst::reason_text(found->hindrance->reason), took);
      return;
    }
    ++bounded_;
    const double most = largest_error(session, asked, *found);
    const bool sound = most <= found->error;
    if (!sound) ++unsound_;
    fmt::print("| {} | {:.3e} | {} | {:.3e}{} | {:.2f} |\n", name, found->error,
               found->found ? fmt::format("{:.3e}", found->found->sample.error) : "-", most, sound ? "" : " UNSOUND",
               took);
  }

  double largest_error(frontend::Session& session, const worst::Asked& asked, const worst::WorstCase& found) const {
    const auto posed = worst::pose(session.module(), asked, {}, false);
    if (!posed) return 0;
    worst::Sampler sampler(posed->circuit, posed->outputs[static_cast<std::size_t>(found.element)],
                           {.conditions = posed->conditions});
    std::uint64_t random = 1;
    double most = 0;
    for (std::size_t k = 0; k < points_; ++k) {
      const worst::Sample sample = sampler.at(sampler.draw(posed->floats, random));
      // Points that do not meet the conditions are not valid.
      if (sample.valid) most = std::max(most, sample.error);
    }
    return most;
  }

  const std::size_t points_;
  std::size_t all_ = 0, refused_ = 0, without_arguments_ = 0, bounded_ = 0, unbounded_ = 0, unsound_ = 0;
  double time_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  std::size_t points = 0;
  std::vector<std::string> files;
  for (int k = 1; k < argc; ++k) {
    const std::string argument = argv[k];
    if (argument == "--points" && k + 1 < argc) points = std::strtoull(argv[++k], nullptr, 10);
    else if (argument.ends_with(".fpcore")) files.push_back(argument);
  }
  Run run(points);
  fmt::print("| FPCore | bound | found | largest error at random points | s |\n|---|---|---|---|---|\n");
  bool all_read = true;
  for (const std::string& file : files) all_read = run.file(file) && all_read;
  const int status = run.report();
  return all_read ? status : 2;
}
