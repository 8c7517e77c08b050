// The time that a check takes: its budget, the user's interruption, and its progress line.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "check/check.h"

namespace reckon::check {

/// While it lives, a thread looks at the clock and at the user's interruption, sets `stop()` when either ends the
/// check, and reports progress.
class Watchdog {
 public:
  explicit Watchdog(const Options& options);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;

  /// Evaluations that are given this flag end soon after the budget is used up or the user interrupts.
  const std::atomic<bool>* stop() const { return &stop_; }
  bool stopped() const { return stop_.load(std::memory_order_relaxed); }
  bool interrupted() const { return by_user_.load(std::memory_order_relaxed); }
  double seconds() const;
  double budget() const { return budget_; }
  /// For a verdict's evidence, where the budget ended the check.
  Fact ended() const;
  /// What of the budget is left; at least 0.
  double seconds_left() const;
  /// For the progress line.
  void at(std::string sizes, std::int64_t trials, std::int64_t planned);

 private:
  void poll();

  const std::atomic<bool>* user_;
  const std::function<void(const std::optional<Progress>&)>& progress_;
  double budget_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::atomic<bool> stop_ = false, by_user_ = false;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;  ///< guarded by mutex_
  Progress now_;       ///< guarded by mutex_
  std::thread thread_;
};

}  // namespace reckon::check
