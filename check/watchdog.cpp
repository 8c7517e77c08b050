#include "check/watchdog.h"

#include <fmt/format.h>

namespace reckon::check {

namespace {

constexpr std::chrono::milliseconds poll_interval{10};
/// A progress line appears after so many seconds, and is rewritten at most once in so many.
constexpr double seconds_before_progress = 1, between_lines = 0.2;

}  // namespace

Watchdog::Watchdog(const Options& options)
    : user_(options.evaluate.interrupted), progress_(options.progress), budget_(options.budget) {
  thread_ = std::thread([this] { poll(); });
}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

double Watchdog::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

Fact Watchdog::ended() const {
  return {"budget_seconds", budget_, fmt::format("the budget of {:.3g} s ended here", budget_)};
}

double Watchdog::seconds_left() const { return std::max(0.0, budget_ - seconds()); }

void Watchdog::at(std::string sizes, std::int64_t trials, std::int64_t planned) {
  const std::lock_guard lock(mutex_);
  now_.at = std::move(sizes);
  now_.trials = trials;
  now_.planned = planned;
}

void Watchdog::cancel(bool on) {
  const std::lock_guard lock(mutex_);
  cancelled_ = on;
  update();
}

void Watchdog::end() {
  const std::lock_guard lock(mutex_);
  over_early_ = true;
  update();
}

void Watchdog::grant(int more) {
  const std::lock_guard lock(mutex_);
  grace_ += more;
  update();
}

void Watchdog::update() { stop_ = (over_early_ || cancelled_) && grace_ == 0; }

void Watchdog::poll() {
  double next_line = seconds_before_progress;
  bool any_line = false;
  std::unique_lock lock(mutex_);
  while (!over_) {
    const double now = seconds();
    if (user_ != nullptr && user_->load(std::memory_order_relaxed)) {
      by_user_ = true;
      over_early_ = true;
    }
    if (now >= budget_) over_early_ = true;
    update();
    if (progress_ && now >= next_line) {
      now_.seconds = now;
      now_.budget = budget_;
      progress_(now_);
      any_line = true;
      next_line = now + between_lines;
    }
    ended_.wait_for(lock, poll_interval);
  }
  if (any_line) progress_(std::nullopt);
}

}  // namespace reckon::check
