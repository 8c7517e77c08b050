#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/arguments.h"
#include "cli/options.h"

namespace reckon::cli {
namespace {

/// The form in which a picture is written, or what stands in its place.
std::string form_of(const std::string& path) {
  if (path.empty() || path.ends_with(".txt")) return "text";
  return path == "-" ? "svg" : path.substr(path.find_last_of('.') + 1);
}

/// The picture, or nothing after a message.
std::optional<std::string> drawn(const DrawCommand& command, DrawOptions options, const Common& common,
                                 Console& console) {
  Result<std::string> picture = std::string();
  if (!command.function.empty()) {
    auto session = loaded_session(command.expression, common, console);
    if (!session) return std::nullopt;
    options.circuit = true;
    options.values = common.values;
    options.formats = common.formats;
    picture = session->draw(command.function, options);
  } else {
    if (command.expression.ends_with(".rk")) {
      console.complain("`" + command.expression +
                       "` is a program: `--fn NAME` says of which of its circuits the orders are drawn");
      console.raise(wrong_usage);
      return std::nullopt;
    }
    Session session(session_options(common));
    if (auto problems = session.use_library(); !problems.empty()) console.print(problems);
    if (!define_all(session, common, console)) return console.raise(wrong_usage), std::nullopt;
    picture = session.draw(command.expression, options);
  }
  if (picture) return *picture;
  console.print(picture.messages());
  return std::nullopt;
}

}  // namespace

int draw(const DrawCommand& options, const Common& common) {
  Console console(common);
  const std::string& path = options.output;
  DrawOptions draw_options = options.options;
  const std::string form = form_of(path);
  const auto known = picture_form_named(form);
  if (!known) {
    console.complain("-o " + path + ": a picture is written to FILE.svg, FILE.pdf or FILE.txt, or as SVG to -");
    return wrong_usage;
  }
  draw_options.form = *known;
  const auto picture = drawn(options, draw_options, common, console);
  if (!picture) return console.status();
  if (path.empty() || path == "-") {
    if (common.json) {
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
  console.print(Event(Saved{path, form}));
  return console.status();
}

}  // namespace reckon::cli
