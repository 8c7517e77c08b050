#include <unistd.h>

#include "cli/lsp/server.h"
#include "cli/options.h"

namespace reckon::cli {

int serve_editor(const Common& common) {
  SessionOptions options = session_options(common);
  options.progress = {};
  lsp::Connection connection(STDIN_FILENO, STDOUT_FILENO);
  return lsp::serve(connection, options);
}

}  // namespace reckon::cli
