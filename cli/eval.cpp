#include <iostream>

#include "cli/options.h"

namespace reckon::cli {

int eval(const EvalOptions& options, const Common& common) {
  Console console(common);
  Session session(session_options(common));
  if (!semantics_exists(session, common, console)) return wrong_usage;
  if (auto problems = session.use_library(); !problems.empty()) console.print(problems);
  if (!define_all(session, common, console)) return wrong_usage;
  auto one = [&](const std::string& expression, std::uint32_t line) {
    auto values = session.evaluate(expression, options.expression == "-" ? "standard input" : "expression", line);
    console.print(session.notes());
    if (values) console.print(*values);
    else console.print(values.messages());
  };
  if (options.expression != "-") {
    one(options.expression, 1);
    return console.status();
  }
  std::string line;
  for (std::uint32_t number = 1; std::getline(std::cin, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    one(line, number);
  }
  return console.status();
}

}  // namespace reckon::cli
