#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "cli/lsp/server.h"
#include "cli/options.h"

namespace reckon::cli {
namespace {

/// A server reads a text again and again, so it keeps the memory that it has had: a file of 10,000 lines takes many
/// small pieces, and half of the time until its first diagnostics was the system's, which gave them page by page.
void keep_memory() {
#ifdef __GLIBC__
  constexpr int at_a_time = 64 << 20, never = 1 << 30;
  mallopt(M_TOP_PAD, at_a_time);
  mallopt(M_TRIM_THRESHOLD, never);
  mallopt(M_MMAP_THRESHOLD, never);
#endif
}

}  // namespace

int serve_editor(const Common& common) {
  keep_memory();
  SessionOptions options = session_options(common);
  options.progress = {};
  lsp::Connection connection(STDIN_FILENO, STDOUT_FILENO);
  return lsp::serve(connection, options);
}

}  // namespace reckon::cli
