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
  /// The options live longer: a thread of its own reads them.
  explicit Watchdog(const Options& options);
  explicit Watchdog(Options&&) = delete;
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;

  /// Evaluations that are given this flag end soon after the budget is used up or the user interrupts.
  const std::atomic<bool>* stop() const { return &stop_; }
  bool stopped() const { return stop_.load(std::memory_order_relaxed); }
  /// Whether the clock or the user ended the check, or `end` did.
  bool ended_early() const { return over_early_.load(std::memory_order_relaxed); }
  bool interrupted() const { return by_user_.load(std::memory_order_relaxed); }
  double seconds() const;
  double budget() const { return budget_; }
  /// Lets evaluations end soon though there is time left, until it is taken back.
  void cancel(bool on);
  /// As if the time were over.
  void end();
  /// While it lives, evaluations are not stopped though the time is over: for the few that make a verdict of what is
  /// known.
  class Grace {
   public:
    explicit Grace(Watchdog& watch) : watch_(watch) { watch_.grant(1); }
    ~Grace() { watch_.grant(-1); }
    Grace(const Grace&) = delete;

   private:
    Watchdog& watch_;
  };
  /// For a verdict's evidence, where the budget ended the check.
  Fact ended() const;
  /// What of the budget is left; at least 0.
  double seconds_left() const;
  /// For the progress line.
  void at(std::string sizes, std::int64_t trials, std::int64_t planned);

 private:
  void poll();
  void grant(int more);
  void update();

  const std::atomic<bool>* user_;
  const std::function<void(const std::optional<Progress>&)>& progress_;
  double budget_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::atomic<bool> stop_ = false, by_user_ = false, over_early_ = false;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;  ///< guarded by mutex_
  Progress now_;       ///< guarded by mutex_
  bool cancelled_ = false;  ///< guarded by mutex_
  int grace_ = 0;           ///< guarded by mutex_
  std::thread thread_;
};

}  // namespace reckon::check
