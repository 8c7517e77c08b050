#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/options.h"

namespace reckon::cli {

int draw(const DrawCommand& options, const Common& common) {
  Console console(common);
  const std::string& path = options.output;
  DrawOptions draw_options = options.options;
  draw_options.svg = path == "-" || path.ends_with(".svg");
  if (!path.empty() && !draw_options.svg && !path.ends_with(".txt")) {
    console.complain("-o " + path + ": a picture is written to FILE.svg, to FILE.txt, or as SVG to -");
    return wrong_usage;
  }
  Session session(session_options(common));
  if (auto problems = session.use_library(); !problems.empty()) console.print(problems);
  if (!define_all(session, common, console)) return wrong_usage;
  auto picture = session.draw(options.expression, draw_options);
  if (!picture) {
    console.print(picture.messages());
    return console.status();
  }
  if (path.empty() || path == "-") {
    if (common.json) {
      const char* form = draw_options.svg ? "svg" : "text";
      console.line(nlohmann::ordered_json{{"kind", "picture"}, {"form", form}, {"value", *picture}}.dump());
    } else {
      std::cout << *picture << std::flush;
    }
    return console.status();
  }
  if (const std::string problem = Session::write_file(path, *picture); !problem.empty()) {
    console.complain("`" + path + "` cannot be written: " + problem);
    return wrong_usage;
  }
  console.print(Event(Saved{path, draw_options.svg ? "svg" : "text"}));
  return console.status();
}

}  // namespace reckon::cli
