#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/arguments.h"
#include "cli/options.h"

namespace reckon::cli {

int export_circuit(const ExportCommand& options, const Common& common) {
  Console console(common);
  auto session = loaded_session(options.file, common, console);
  if (!session) return console.status();
  CompileOptions compile_options;
  compile_options.emit = Emit::fpcore;
  compile_options.values = common.values;
  compile_options.formats = common.formats;
  const auto text = session->compile(options.function, compile_options);
  if (!text) {
    console.print(text.messages());
    return console.status();
  }
  if (options.output.empty() || options.output == "-") {
    if (common.json) console.line(nlohmann::ordered_json{{"kind", "export"}, {"form", "fpcore"}, {"value", *text}}.dump());
    else std::cout << *text << std::flush;
    return console.status();
  }
  if (const std::string problem = Session::write_file(options.output, *text); !problem.empty()) {
    console.complain("`" + options.output + "` cannot be written: " + problem);
    return wrong_usage;
  }
  console.print(Event(Saved{options.output, "fpcore"}));
  return console.status();
}

}  // namespace reckon::cli
