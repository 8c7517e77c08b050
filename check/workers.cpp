#include "check/workers.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <thread>

#include "check/identity.h"
#include "diagnostics/codes/interrupted.h"

namespace reckon::check {

namespace {

using std::chrono::steady_clock;

/// A thread and its copy of the module cost about a millisecond, so each thread should have this much work.
constexpr double worthwhile_seconds = 4e-3;
/// Threads take trials in chunks that last about so long.
constexpr double chunk_seconds = 0.02;

double since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

bool is_interrupted(const Expected<TrialResult>& result) {
  return !result && result.error().code == code::interrupted;
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

/// The trials of one size, or the pieces of one trial, as others see them.
class Workers::TrialSweep : public sweep::Sweep {
 public:
  TrialSweep(Workers& workers, const Cell& cell, std::int64_t from, std::int64_t to, std::uint64_t key,
             const Summary::Rules& rules)
      : Sweep(from, to), workers_(workers), cell_(cell), key_(key), rules_(rules) {}
  std::uint64_t key() const override { return key_; }
  sweep::Part run(std::int64_t first, std::int64_t last) override {
    const Summary found = workers_.on_threads(cell_, first, last, rules_);
    return {first, found.last, found.end.has_value(), found.bytes()};
  }
  std::string merged(const std::string& earlier, const std::string& later) const override {
    Summary out = Summary::read(0, 0, earlier);
    out.add(Summary::read(0, 0, later));
    return out.bytes();
  }
  void cancel(bool on) override { workers_.watch_.cancel(on); }
  bool stopped() const override { return workers_.watch_.ended_early(); }
  void abandon() override { workers_.watch_.end(); }

 private:
  Workers& workers_;
  const Cell& cell_;
  std::uint64_t key_;
  const Summary::Rules& rules_;
};

Summary Workers::run(const ir::Dimensions& sizes, std::int64_t from, std::int64_t to, bool redraws) {
  const Cell cell = [&](const Trial& trial, std::int64_t number) { return trial.run(sizes, number, redraws); };
  std::string name = fmt::format("trials, {}", redraws ? "drawn again" : "as drawn");
  for (const auto& [symbol, value] : sizes) name += fmt::format(", {} = {}", module_.name(symbol), value);
  return carry_out(cell, from, to, name);
}

Expected<TrialResult> Workers::run_pieces(const ir::Dimensions& sizes, std::int64_t trial, std::int64_t pieces,
                                          bool redraws) {
  const Cell cell = [&](const Trial& by, std::int64_t piece) { return by.run_piece(sizes, trial, piece, redraws); };
  std::string name = fmt::format("pieces of trial {}", trial);
  for (const auto& [symbol, value] : sizes) name += fmt::format(", {} = {}", module_.name(symbol), value);
  const Summary found = carry_out(cell, 0, pieces, name);
  const auto result = [&](const Summary::Kept& kept) -> Expected<TrialResult> {
    if (kept.result) return *kept.result;
    const Watchdog::Grace grace(watch_);
    return cell(first_, kept.trial);
  };
  if (found.end) return result(*found.end);
  if (found.last < pieces) return Diagnostic(code::interrupted, item_.span, "interrupted");
  // The first piece that left the check open, or any: then they are alike.
  return result(found.open.value_or(Summary::Kept{0}));
}

Expected<TrialResult> Workers::result_of(const Summary::Kept& kept, const ir::Dimensions& sizes, bool redraws) {
  if (kept.result) return *kept.result;
  const Watchdog::Grace grace(watch_);
  return first_.run(sizes, kept.trial, redraws);
}

Summary Workers::carry_out(const Cell& cell, std::int64_t from, std::int64_t to, const std::string& name) {
  // A lone trial is no sweep: every rank runs it for itself.
  if (carrier_ == nullptr || to - from < 2) return on_threads(cell, from, to, rules_);
  const std::uint64_t key = sweep::hashed(fmt::format("{}, {} to {}", name, from, to), identity());
  TrialSweep trials(*this, cell, from, to, key, rules_);
  const sweep::Part part = carrier_->carry_out(trials);
  return Summary::read(part.first, part.last, part.seen);
}

std::uint64_t Workers::identity() {
  if (!identity_) identity_ = identity_of(module_, item_, semantics_);
  return *identity_;
}

/// Runs trials from `out.last` on, until it is known how long one takes or all are done.
void Workers::alone(const Cell& cell, std::int64_t to, const Summary::Rules& rules, Summary& out) {
  const auto start = steady_clock::now();
  const std::int64_t from = out.last;
  while (out.last < to && !out.end && (out.last == from || since(start) < worthwhile_seconds)) {
    auto result = cell(first_, out.last);
    if (is_interrupted(result)) return;
    out.add(std::move(result), rules);
  }
  seconds_each_ = since(start) / static_cast<double>(std::max<std::int64_t>(out.last - from, 1));
}

Summary Workers::on_threads(const Cell& cell, std::int64_t from, std::int64_t to, const Summary::Rules& rules) {
  Summary out(from);
  if (seconds_each_ <= 0) {
    alone(cell, to, rules, out);
    if (out.end || seconds_each_ <= 0) return out;
  }
  const std::int64_t left = to - out.last;
  if (left <= 0) return out;
  static const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());  // reads the file system
  const double worth = std::min(seconds_each_ * static_cast<double>(left) / worthwhile_seconds, 1e3);
  const std::size_t wanted =
      std::min({cores - 1, static_cast<std::size_t>(left - 1), static_cast<std::size_t>(worth)});
  make_more(wanted);
  const std::size_t threads_used = 1 + std::min(wanted, others_.size());
  const auto of_time = static_cast<std::int64_t>(std::min(chunk_seconds / std::max(seconds_each_, 1e-9), 1e9));
  const std::int64_t share = left / static_cast<std::int64_t>(4 * threads_used);
  const std::int64_t chunk = std::max<std::int64_t>(1, threads_used == 1 ? left : std::min(of_time, share));

  const std::int64_t begin = out.last;
  std::vector<std::optional<Summary>> found(static_cast<std::size_t>((left + chunk - 1) / chunk));
  std::atomic<std::size_t> next = 0;
  std::atomic<std::int64_t> end = to;  // of what is needed
  std::vector<std::exception_ptr> thrown(threads_used);
  const auto end_at = [&](std::int64_t trial) {
    std::int64_t known = end;
    while (trial < known && !end.compare_exchange_weak(known, trial)) {}
  };
  const auto work = [&](const Trial& trial, std::exception_ptr& exception) {
    try {
      for (std::size_t k = next++; k < found.size(); k = next++) {
        const std::int64_t first = begin + static_cast<std::int64_t>(k) * chunk;
        Summary& mine = found[k].emplace(first);
        while (mine.last < std::min({first + chunk, to, end.load()})) {
          auto result = cell(trial, mine.last);
          if (is_interrupted(result)) {
            end_at(mine.last);
            break;
          }
          mine.add(std::move(result), rules);
          if (mine.end) end_at(mine.last);
        }
      }
    } catch (...) {
      exception = std::current_exception();
      end = 0;
    }
  };
  const auto start = steady_clock::now();
  {
    std::vector<std::jthread> threads;
    for (std::size_t k = 0; k + 1 < threads_used; ++k) {
      threads.emplace_back([&, k] { work(*others_[k].trial, thrown[k + 1]); });
    }
    work(first_, thrown[0]);
  }
  for (const std::exception_ptr& exception : thrown) {
    if (exception) std::rethrow_exception(exception);
  }
  for (auto& each : found) {
    if (!each || each->first != out.last || out.end) break;
    out.add(std::move(*each));
  }
  if (out.last > begin) {
    seconds_each_ = since(start) * static_cast<double>(threads_used) / static_cast<double>(out.last - begin);
  }
  return out;
}

}  // namespace reckon::check
