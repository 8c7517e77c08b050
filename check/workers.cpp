#include "check/workers.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

namespace reckon::check {

namespace {

/// A thread and its copy of the module cost about a millisecond, so each thread should have this much work.
constexpr double worthwhile_seconds = 4e-3;

/// Whether later trials are not needed. A check against a profile judges all its results, so only an error ends it.
bool ends_the_check(const frontend::ElaboratedItem& item, const Expected<TrialResult>& result) {
  return !result || (result->truth == interp::Truth::no && item.relation != frontend::Item::Relation::accepted);
}

}  // namespace

void Workers::make_more(std::size_t count) {
  while (!alone_ && others_.size() < count) {
    Worker worker{module_.copy(), semantics_.another(), nullptr, nullptr};
    if (!worker.semantics) {
      alone_ = true;
      return;
    }
    worker.circuits = std::make_unique<interp::CircuitCache>(*worker.module);
    interp::EvaluateOptions options = options_;
    options.circuits = worker.circuits.get();
    auto trial = Trial::make(*worker.module, item_, *worker.semantics, options);
    if (!trial) {
      alone_ = true;
      return;
    }
    worker.trial = std::make_unique<Trial>(std::move(*trial));
    others_.push_back(std::move(worker));
  }
}

std::vector<Expected<TrialResult>> Workers::run(const ir::Dimensions& sizes, std::int64_t from, std::int64_t to,
                                                bool redraws, double seconds_each) {
  std::vector<std::optional<Expected<TrialResult>>> found(
      static_cast<std::size_t>(std::max<std::int64_t>(to - from, 0)));
  static const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());  // reads the file system
  const double worth = std::min(seconds_each * static_cast<double>(found.size()) / worthwhile_seconds, 1e3);
  const std::size_t wanted = std::min({cores - 1, found.size() - std::min<std::size_t>(found.size(), 1), static_cast<std::size_t>(worth)});
  make_more(wanted);
  std::atomic<std::size_t> next = 0, end = found.size();
  std::vector<std::exception_ptr> thrown(others_.size() + 1);
  const auto work = [&](const Trial& trial, std::exception_ptr& exception) {
    try {
      for (std::size_t k = next++; k < end; k = next++) {
        found[k] = trial.run(sizes, from + static_cast<std::int64_t>(k), redraws);
        if (!ends_the_check(item_, *found[k])) continue;
        std::size_t known = end;
        while (k + 1 < known && !end.compare_exchange_weak(known, k + 1)) {}
      }
    } catch (...) {
      exception = std::current_exception();
      end = 0;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t k = 0; k < std::min(wanted, others_.size()); ++k) {
      threads.emplace_back([&, k] { work(*others_[k].trial, thrown[k + 1]); });
    }
    work(first_, thrown[0]);
  }
  for (const std::exception_ptr& exception : thrown) {
    if (exception) std::rethrow_exception(exception);
  }
  std::vector<Expected<TrialResult>> out;
  for (auto& result : found) {
    if (!result) break;
    out.push_back(std::move(*result));
    if (ends_the_check(item_, out.back())) break;
  }
  return out;
}

}  // namespace reckon::check
