#include "api/reckon/ranks.h"
#include "cli/arguments.h"
#include "cli/interrupt.h"
#include "cli/options.h"

namespace reckon::cli {
namespace {

/// `begun`: whether it came to running the program, whose failures all ranks of a job know.
int run_once(const RunOptions& options, const Common& common, Console& console, bool& begun) {
  if (!gives_no_format(common, console)) return console.status();
  auto text = read_program(options.file, console);
  if (!text) {
    // `reckon NAME` is a file to run, unless it was meant as a command.
    if (options.file.find_first_of("./") == std::string::npos) console.complain("`reckon --help` lists the commands");
    return console.status();
  }
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

/// One rank of a job: rank 0 prints, and a failure of another rank before the program runs ends all.
int run_on_ranks(const RunOptions& options, Common common) {
  common.silent = launched_rank() != 0;
  // mpirun gives its ranks a terminal even where its own output goes to a file.
  if (common.color == "auto") common.color = "never";
  Console console(common);
  const auto ranks = open_ranks();
  if (!ranks) {
    console.print(ranks.messages());
    return console.status();
  }
  common.silent = ranks->rank != 0;
  bool begun = false;
  const int status = run_once(options, common, console, begun);
  if (!begun) agree_on(console.failures());
  return status;
}

}  // namespace

int run(const RunOptions& options, const Common& common) {
  if (place_named(options.on) == On::mpi) return run_on_ranks(options, common);
  Console console(common);
  bool begun = false;
  return run_once(options, common, console, begun);
}

}  // namespace reckon::cli
