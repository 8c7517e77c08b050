#include "frontend/layouts/functions.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/argument_count.h"
#include "frontend/layouts/layouts.h"
#include "frontend/layouts/symbolic.h"

namespace reckon::frontend {

const std::vector<LayoutFunction>& all_layout_functions() {
  static const std::vector<LayoutFunction> functions = [] {
    std::vector<LayoutFunction> out;
    for (auto part : {layout_functions::structure, layout_functions::algebra, layout_functions::tiles,
                      layout_functions::instructions, layout_functions::hardware}) {
      for (LayoutFunction& function : part()) out.push_back(function);
    }
    return out;
  }();
  return functions;
}

namespace {

/// The ways to call the function: "`coalesce(L)` or `coalesce(L, profile)`".
std::string usages(const std::string& name) {
  std::vector<std::string_view> out;
  for (const LayoutFunction& row : all_layout_functions()) {
    if (row.name == name && std::find(out.begin(), out.end(), row.usage) == out.end()) out.push_back(row.usage);
  }
  return fmt::format("`{}`", fmt::join(out, "` or `"));
}

}  // namespace

bool is_layout_function(const std::string& name) {
  const auto& all = all_layout_functions();
  return std::any_of(all.begin(), all.end(), [&](const LayoutFunction& row) { return row.name == name; });
}

Maybe call_layout_function(Elaborator& elaborator, const std::string& name, const std::vector<Value>& values,
                           const std::vector<SourceSpan>& spans, SourceSpan at) {
  if (any_symbolic(values)) return SymbolicLayouts(elaborator).call(name, values, spans, at);
  const LayoutArguments arguments(elaborator, name, values, spans, at);
  const LayoutFunction* nearest = nullptr;  // the one of the rows for so many arguments that accepts most of them
  std::size_t most = 0;
  for (const LayoutFunction& row : all_layout_functions()) {
    if (row.name != name) continue;
    if (row.rest ? values.size() < row.arity : values.size() != row.arity) continue;
    const std::size_t accepted = row.accepted(arguments);
    if (accepted == row.parameters) return row.call(arguments);
    if (!nearest || accepted > most) nearest = &row;
    most = std::max(most, accepted);
  }
  if (nearest) return nearest->call(arguments);  // it reports what is wrong
  const std::size_t given = values.size();
  return elaborator.report(Diagnostic(code::argument_count, at,
                                      fmt::format("`{}` was given {} argument{}", name, given, given == 1 ? "" : "s"))
                               .help("write " + usages(name)));
}

}  // namespace reckon::frontend
