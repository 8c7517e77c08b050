#include "cli/interrupt.h"
#include "cli/options.h"

namespace reckon::cli {

int run(const RunOptions& options, const Common& common) {
  Console console(common);
  if (!gives_no_format(common, console)) return console.status();
  auto text = read_program(options.file, console);
  if (!text) {
    // `reckon NAME` is a file to run, unless it was meant as a command.
    if (options.file.find_first_of("./") == std::string::npos) console.complain("`reckon --help` lists the commands");
    return console.status();
  }
  SessionOptions settings = session_options(common);
  settings.known_values_only = true;
  Session session(settings);
  if (!semantics_exists(session, common, console)) return wrong_usage;
  const std::string name = options.file == "-" ? "standard input" : options.file;
  const Interruptible interruptible(session, true);
  session.run(*text, name, [&](const Event& event) { console.print(event); });
  console.finish();
  return console.status();
}

}  // namespace reckon::cli
