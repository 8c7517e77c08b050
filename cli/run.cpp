#include "cli/arguments.h"
#include "cli/interrupt.h"
#include "cli/options.h"

namespace reckon::cli {
namespace {

/// `begun`: whether it came to running the program, whose failures all ranks of a job know.
int run_once(const RunOptions& options, const Common& common, Console& console, bool& begun) {
  if (!gives_no_format(common, console)) return console.status();
  auto text = read_program(options.file, console);
  if (!text) return console.status();
  SessionOptions settings = session_options(common);
  settings.known_values_only = true;
  settings.on = place_named(options.on);
  settings.resume = options.resume;
  settings.explain_sweeps = common.verbose;
  // A long job that says how many trials it wants gets them all.
  settings.all_trials = !common.budget && (settings.on == On::mpi || !settings.resume.empty());
  Session session(settings);
  if (!semantics_exists(session, common, console)) return wrong_usage;
  const std::string name = options.file == "-" ? "standard input" : options.file;
  const Interruptible interruptible(session, true);
  begun = true;
  session.run(*text, name, [&](const Event& event) { console.print(event); });
  console.finish();
  return console.status();
}

}  // namespace

int run(const RunOptions& options, const Common& common) {
  return on_ranks(place_named(options.on), common, [&](const Common& shared, Console& console, bool& begun) {
    return run_once(options, shared, console, begun);
  });
}

}  // namespace reckon::cli
