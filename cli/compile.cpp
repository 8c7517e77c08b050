#include <iostream>

#include "cli/arguments.h"
#include "cli/options.h"

namespace reckon::cli {

int compile(const CompileCommand& options, const Common& common) {
  Console console(common);
  auto session = loaded_session(options.file, common, console);
  if (!session) return console.status();
  CompileOptions compile_options;
  compile_options.emit = emit_named(options.emit).value_or(Emit::ptx);  // the command line admits known names alone
  compile_options.host = options.target == "host";
  if (compile_options.host && (compile_options.emit == Emit::ptx || compile_options.emit == Emit::cubin)) {
    console.complain("--target=host has no ptx or cubin: use --emit=asm, llvm, kernels, report, plan or ir");
    return wrong_usage;
  }
  compile_options.semantics = common.semantics.empty() ? usual_semantics() : common.semantics;
  compile_options.arch = options.arch;
  compile_options.values = common.values;
  compile_options.formats = common.formats;
  compile_options.dump_after = options.dump_after;
  compile_options.without_passes = options.without;
  auto output = session->compile(options.function, compile_options);
  console.print(session->notes());
  if (!output) {
    console.print(output.messages());
    return console.status();
  }
  if (options.output == "-") {
    std::cout << *output << std::flush;
    return console.status();
  }
  if (const std::string problem = Session::write_file(options.output, *output); !problem.empty()) {
    console.complain("`" + options.output + "` cannot be written: " + problem);
    console.raise(wrong_usage);
  }
  return console.status();
}

}  // namespace reckon::cli
