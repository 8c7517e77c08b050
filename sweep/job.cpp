#include "sweep/job.h"

#include <fmt/format.h>

#include <condition_variable>
#include <exception>
#include <thread>

namespace reckon::sweep {

namespace {

using std::chrono::steady_clock;

constexpr std::string_view magic = "reckon: sweeps, for --resume; form 1\n";
/// How often a restart file is written; more rarely if writing takes long.
constexpr std::chrono::seconds between_saves{1};
constexpr int rest_after_save = 20;
constexpr std::chrono::microseconds between_looks{200};
constexpr std::chrono::milliseconds between_lone_looks{50};

}  // namespace

/// A thread that looks after the other takers and the restart file while the caller's thread computes.
class Job::Attendant {
 public:
  Attendant(Job& job, Dealer& dealer) : job_(job), dealer_(dealer) {
    thread_ = std::thread([this] { look(); });
  }
  ~Attendant() { leave(); }
  Attendant(const Attendant&) = delete;
  /// Ends the thread; throws what it threw.
  void finish() {
    leave();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void leave() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }
  void look() {
    std::unique_lock lock(mutex_);
    while (!over_) {
      lock.unlock();
      try {
        job_.attend(dealer_);
        job_.save_if_due();
      } catch (...) {
        failure_ = std::current_exception();
        return;
      }
      lock.lock();
      if (job_.done_.size() > 1) wake_.wait_for(lock, between_looks, [this] { return over_; });
      else wake_.wait_for(lock, between_lone_looks, [this] { return over_; });
    }
  }

  Job& job_;
  Dealer& dealer_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool over_ = false;  ///< guarded by mutex_
  std::exception_ptr failure_;
  std::thread thread_;
};

Part Job::carry_out(Sweep& sweep) {
  if (next_save_ == steady_clock::time_point{}) next_save_ = steady_clock::now() + between_saves;
  Cells* cells = nullptr;
  {
    const std::lock_guard lock(mutex_);
    cells = &sweeps_.try_emplace(sweep.key(), sweep.from(), sweep.to()).first->second;
  }
  Dealer dealer(*cells, sweep, mutex_, done_);
  attend(dealer);
  if (!dealer.finished()) {
    Attendant attendant(*this, dealer);
    while (!dealer.finished() && !sweep.stopped()) {
      const auto block = dealer.take(0);
      if (!block) continue;  // another has just delivered the last one
      const auto start = steady_clock::now();
      Part part = sweep.run(block->first, block->last);
      dealer.give(0, std::move(part), std::chrono::duration<double>(steady_clock::now() - start).count());
    }
    attendant.finish();
  }
  attend(dealer);
  return dealer.front();
}

std::optional<Part> Job::known(std::uint64_t key) {
  const std::lock_guard lock(mutex_);
  const auto found = sweeps_.find(key);
  if (found == sweeps_.end() || !found->second.finished()) return std::nullopt;
  return found->second.front();
}

std::string Job::bytes() {
  Writer out;
  out.bytes = magic;
  out.text(identity_.version);
  out.number(identity_.program);
  out.text(identity_.settings);
  {
    const std::lock_guard lock(mutex_);
    out.number(static_cast<std::uint64_t>(sweeps_.size()));
    for (const auto& [key, cells] : sweeps_) {
      out.number(key);
      cells.write(out);
    }
  }
  out.number(hashed(out.bytes));
  return out.bytes;
}

std::optional<std::string> Job::read(const std::string& bytes) {
  if (!bytes.starts_with(magic)) return "is no restart file";
  const std::string_view whole(bytes);
  constexpr std::size_t of_hash = sizeof(std::uint64_t);
  if (bytes.size() < magic.size() + of_hash ||
      Reader(whole.substr(bytes.size() - of_hash)).number() != hashed(whole.substr(0, bytes.size() - of_hash))) {
    return "is damaged: it is not what Reckon wrote";
  }
  Reader in(whole.substr(magic.size(), bytes.size() - of_hash - magic.size()));
  if (in.text() != identity_.version) return "is of another build of Reckon, whose results may differ";
  if (in.number() != identity_.program) return "is of another program, or the program was changed since";
  if (const std::string settings = in.text(); settings != identity_.settings) {
    const auto shown = [](const std::string& text) { return text.empty() ? "no options" : "`" + text + "`"; };
    return fmt::format("is of a job with {}, and this one has {}", shown(settings), shown(identity_.settings));
  }
  std::map<std::uint64_t, Cells> sweeps;
  for (std::uint64_t left = in.count(); left > 0 && in.good(); --left) {
    const std::uint64_t key = in.number();
    sweeps.emplace(key, Cells::read(in));
  }
  if (!in.good() || !in.at_end()) return "is damaged: it is not what Reckon wrote";
  for (const auto& [key, cells] : sweeps) kept_ += cells.done();
  const std::lock_guard lock(mutex_);
  sweeps_ = std::move(sweeps);
  return std::nullopt;
}

std::string Job::save() { return save_ ? save_(bytes()) : std::string(); }

void Job::save_if_due() {
  if (!save_ || steady_clock::now() < next_save_) return;
  const auto start = steady_clock::now();
  // The end of the job tells of a file that cannot be written any more.
  save();
  const auto end = steady_clock::now();
  next_save_ = end + std::max<steady_clock::duration>(between_saves, rest_after_save * (end - start));
}

}  // namespace reckon::sweep
