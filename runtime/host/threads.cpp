#include "runtime/host/threads.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <thread>

namespace reckon::runtime {

namespace {

constexpr int most_threads = 1024;
/// Of a worker, whatever the system's default is: kernels keep tiles of a few MB on it.
constexpr std::size_t stack_bytes = std::size_t{16} << 20;

int processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  return static_cast<int>(std::thread::hardware_concurrency());
}

class Pool {
 public:
  void run(int threads, std::int64_t parts, const std::function<void(std::int64_t)>& body) {
    {
      const std::lock_guard lock(mutex_);
      // Where the system has no more threads, those that there are do the work.
      while (workers_ < threads - 1 && start_worker()) ++workers_;
      body_ = &body;
      parts_ = parts;
      next_ = 0;
      wanted_ = threads - 1;
    }
    wake_.notify_all();
    take_parts(body, parts);
    std::unique_lock lock(mutex_);
    body_ = nullptr;  // who comes now comes too late
    done_.wait(lock, [&] { return busy_ == 0; });
  }

 private:
  void take_parts(const std::function<void(std::int64_t)>& body, std::int64_t parts) {
    for (std::int64_t part = next_++; part < parts; part = next_++) body(part);
  }

  bool start_worker() {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    pthread_attr_setstacksize(&attributes, stack_bytes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread{};
    const auto begin = [](void* pool) -> void* { static_cast<Pool*>(pool)->work(); };
    const bool started = pthread_create(&thread, &attributes, begin, this) == 0;
    pthread_attr_destroy(&attributes);
    return started;
  }

  [[noreturn]] void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return body_ != nullptr && wanted_ > 0 && next_ < parts_; });
      --wanted_;
      ++busy_;
      const auto* const body = body_;
      const std::int64_t parts = parts_;
      lock.unlock();
      take_parts(*body, parts);
      lock.lock();
      if (--busy_ == 0) done_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(std::int64_t)>* body_ = nullptr;  ///< null: there is no work
  std::atomic<std::int64_t> next_ = 0;
  std::int64_t parts_ = 0;
  int workers_ = 0;
  int wanted_ = 0;  ///< workers that may still come
  int busy_ = 0;    ///< workers that have come and are not done
};

}  // namespace

int host_threads() {
  if (const char* stated = std::getenv("RECKON_THREADS")) {
    const std::string_view text(stated);
    int count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error == std::errc() && end == text.data() + text.size() && count > 0) return std::min(count, most_threads);
  }
  return std::clamp(processors(), 1, most_threads);
}

void in_threads(int threads, std::int64_t parts, const std::function<void(std::int64_t)>& body) {
  static std::atomic_flag is_taken;  // no mutex: a call within a call asks again in the same thread
  static Pool* pool = nullptr;  // stays: its threads wait in it when the process ends
  static pid_t owner = 0;
  if (threads < 2 || parts < 2 || is_taken.test_and_set(std::memory_order_acquire)) {
    for (std::int64_t part = 0; part < parts; ++part) body(part);
    return;
  }
  // A process that was forked has none of its parent's threads.
  if (pool == nullptr || owner != getpid()) {
    pool = new Pool;
    owner = getpid();
  }
  pool->run(static_cast<int>(std::min<std::int64_t>(threads, parts)), parts, body);
  is_taken.clear(std::memory_order_release);
}

}  // namespace reckon::runtime
