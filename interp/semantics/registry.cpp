#include "interp/semantics/registry.h"

#include <fmt/format.h>

#include <array>

namespace reckon::interp {

namespace {

struct Row {
  const char* name;
  Maker make;
};

constexpr std::array rows{
    Row{"float", make_float}, Row{"exact", make_exact}, Row{"interval", make_interval},
    Row{"fpsan", make_fpsan}, Row{"count", make_count}, Row{"bound", make_bound},
    Row{"padic", make_padic}, Row{"accept", make_accept},
};

}  // namespace

Diagnostic no_arguments(std::string_view semantics, const SemanticsArgument& given, SourceSpan place,
                        std::string help) {
  Diagnostic diagnostic(Code::unknown_semantics, place, fmt::format("`{}` has no variant `{}`", semantics, given.text));
  diagnostic.helps.push_back(help.empty() ? fmt::format("write `{}`", semantics) : std::move(help));
  return diagnostic;
}

Expected<std::unique_ptr<Semantics>> make_semantics(std::string_view name,
                                                    const std::vector<SemanticsArgument>& arguments, SourceSpan place) {
  for (const Row& row : rows) {
    if (name == row.name) return row.make(arguments, place);
  }
  if (name == "algebra") {
    return Diagnostic(Code::unknown_semantics, place, "`algebra` is a question for checks: there are no values in it")
        .help("ask `check f == g in algebra`, or look at a value in `padic`");
  }
  const std::vector<std::string> names = semantics_names();
  Diagnostic diagnostic(Code::unknown_semantics, place, fmt::format("there is no semantics `{}`", name));
  if (const auto near = nearest_name(name, names)) {
    diagnostic.helps.push_back(fmt::format("did you mean `{}`?", *near));
    diagnostic.suggestion = Suggestion{place, *near};
  } else {
    diagnostic.helps.push_back(fmt::format("there are `{}`", fmt::join(names, "`, `")));
  }
  return diagnostic;
}

std::vector<std::string> semantics_names() {
  std::vector<std::string> names;
  for (const Row& row : rows) names.emplace_back(row.name);
  return names;
}

}  // namespace reckon::interp
