#include "frontend/layouts/functions.h"

#include <fmt/format.h>

#include <algorithm>

namespace reckon::frontend {

const std::vector<LayoutFunction>& all_layout_functions() {
  static const std::vector<LayoutFunction> functions = [] {
    std::vector<LayoutFunction> out;
    for (auto part : {layout_functions::structure, layout_functions::algebra, layout_functions::tiles,
                      layout_functions::hardware}) {
      for (LayoutFunction& function : part()) out.push_back(function);
    }
    return out;
  }();
  return functions;
}

bool Elaborator::is_layout_function(const std::string& name) {
  const auto& all = all_layout_functions();
  return std::any_of(all.begin(), all.end(), [&](const LayoutFunction& row) { return row.name == name; });
}

Elaborator::Maybe Elaborator::call_layout_function(const std::string& name, const std::vector<Value>& values,
                                                   const std::vector<SourceSpan>& spans, SourceSpan at) {
  if (any_symbolic(values)) return call_symbolic_layout_function(name, values, spans, at);
  const LayoutArguments arguments(*this, name, values, spans, at);
  const LayoutFunction* counts = nullptr;  // a row for so many arguments
  std::vector<std::string> usages;
  for (const LayoutFunction& row : all_layout_functions()) {
    if (row.name != name) continue;
    const std::string usage = fmt::format("`{}`", row.usage);
    if (std::find(usages.begin(), usages.end(), usage) == usages.end()) usages.push_back(usage);
    if (row.rest ? values.size() < row.arity : values.size() != row.arity) continue;
    if (row.accepts(arguments)) return row.call(arguments);
    if (!counts) counts = &row;
  }
  if (counts) return counts->call(arguments);  // which says what is wrong
  const std::size_t given = values.size();
  return report(Diagnostic(Code::argument_count, at,
                           fmt::format("`{}` was given {} argument{}", name, given, given == 1 ? "" : "s"))
                    .help(fmt::format("write {}", fmt::join(usages, " or "))));
}

}  // namespace reckon::frontend
