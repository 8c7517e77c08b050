#include "cli/interrupt.h"

#include <atomic>
#include <csignal>

namespace reckon::cli {
namespace {

std::atomic<Session*> running = nullptr;
std::atomic<bool> ends_with_the_next = false;

void interrupt_running(int) {
  if (Session* session = running.load()) session->interrupt();
  if (ends_with_the_next) std::signal(SIGINT, SIG_DFL);
}

}  // namespace

Interruptible::Interruptible(Session& session, bool once) {
  ends_with_the_next = once;
  running = &session;
  std::signal(SIGINT, interrupt_running);
}

Interruptible::~Interruptible() {
  std::signal(SIGINT, SIG_DFL);
  running = nullptr;
}

}  // namespace reckon::cli
