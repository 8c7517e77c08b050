#include "cli/options.h"

namespace reckon::cli {

int run(const RunOptions& options, const Common& common) {
  Console console(common);
  auto text = read_program(options.file, console);
  if (!text) return console.status();
  Session session(session_options(common));
  if (!semantics_exists(session, common, console)) return wrong_usage;
  const std::string name = options.file == "-" ? "standard input" : options.file;
  session.run(*text, name, [&](const Event& event) { console.print(event); });
  return console.status();
}

}  // namespace reckon::cli
