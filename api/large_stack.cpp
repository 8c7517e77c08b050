#include <pthread.h>

#include <exception>

#include "api/implementation.h"

namespace reckon {
namespace {

// This is address space only: pages are taken when they are used. The address sanitizer needs far larger frames.
#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t stack_bytes = std::size_t{1} << 33;
#else
constexpr std::size_t stack_bytes = std::size_t{1} << 30;
#endif
thread_local bool on_large_stack = false;

struct Work {
  const std::function<void()>* run;
  std::exception_ptr failure;
};

void* start(void* argument) {
  auto* work = static_cast<Work*>(argument);
  on_large_stack = true;
  try {
    (*work->run)();
  } catch (...) {
    work->failure = std::current_exception();
  }
  return nullptr;
}

}  // namespace

void with_large_stack(const std::function<void()>& work) {
  if (on_large_stack) return work();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  Work packet{&work, nullptr};
  pthread_t thread;
  const bool started = pthread_create(&thread, &attributes, start, &packet) == 0;
  pthread_attr_destroy(&attributes);
  if (!started) return work();  // the system gives no such thread, so the work runs on the caller's stack
  pthread_join(thread, nullptr);
  if (packet.failure) std::rethrow_exception(packet.failure);
}

}  // namespace reckon
