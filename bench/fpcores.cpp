// The worst errors of a file of FPCores over the ranges of their preconditions, and the errors at random points.
//   bench_fpcores FILE.fpcore... [--points N]
// Each is read by itself, so that one that is refused is named and the others go on. The status is 1 if a bound is
// below an error at any of the points.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "fpcore/program.h"
#include "frontend/elaborate.h"
#include "semantics/standard.h"
#include "worst/worst_case.h"

namespace {

using namespace reckon;

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// The FPCores of a text: what stands between a parenthesis at its start and the one that closes it.
std::vector<std::string> cores_of(const std::string& text) {
  std::vector<std::string> out;
  int depth = 0;
  std::size_t begin = 0;
  bool in_comment = false, in_string = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (in_comment) {
      in_comment = c != '\n';
    } else if (c == '"') {
      in_string = !in_string;
    } else if (in_string) {
      continue;
    } else if (c == ';') {
      in_comment = true;
    } else if (c == '(') {
      if (depth++ == 0) begin = k;
    } else if (c == ')' && --depth == 0) {
      out.push_back(text.substr(begin, k + 1 - begin));
    }
  }
  return out;
}

std::string name_of(const std::string& core) {
  const std::size_t at = core.find(":name \"");
  if (at == std::string::npos) return core.substr(0, core.find('\n'));
  return core.substr(at + 7, core.find('"', at + 7) - at - 7);
}

class Run {
 public:
  explicit Run(std::size_t points) : points_(points) {}

  void core(const std::string& text) {
    ++all_;
    const double begin = seconds();
    SourceMap sources;
    const std::uint32_t file = sources.add("a.fpcore", text);
    const auto program = fpcore::program_of(sources, file);
    if (!program) {
      ++refused_;
      fmt::print("| {} | refused: {} | | | |\n", name_of(text), program.error().message);
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
      ++(read.diagnostics.empty() ? without_ranges_ : refused_);
      fmt::print("| {} | {} | | | |\n", name_of(text),
                 read.diagnostics.empty() ? "no range for every argument"
                                          : "refused: " + read.diagnostics.front().message);
      return;
    }
    bound(session, *asked, name_of(text), begin);
  }

  int total() const {
    fmt::print(
        "\n{} FPCores: {} refused by name, {} without ranges; of {} with ranges {} have a finite bound, {} a part of "
        "their ranges "
        "where they have none; {:.1f} s; {} unsound at {} points each\n",
        all_, refused_, without_ranges_, bounded_ + unbounded_, bounded_, unbounded_, time_, unsound_, points_);
    return unsound_ == 0 ? 0 : 1;
  }

 private:
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
  std::size_t all_ = 0, refused_ = 0, without_ranges_ = 0, bounded_ = 0, unbounded_ = 0, unsound_ = 0;
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
  for (const std::string& file : files) {
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    for (const std::string& core : cores_of(text.str())) run.core(core);
  }
  return run.total();
}
