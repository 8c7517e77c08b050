#include "semantics/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "diagnostics/codes/not_compilable.h"
#include "diagnostics/codes/unknown_semantics.h"
#include "semantics/standard.h"

namespace reckon::interp {

namespace {

/// Which forms of a semantics have compiled code.
struct Compilation {
  bool any = false;
  std::string_view others;  ///< what runs the forms that cannot
};
constexpr Compilation no_code{}, all_forms{true, {}};
constexpr Compilation some_forms(std::string_view others) { return {true, others}; }

struct Row {
  SemanticsInfo info;
  Maker make;
  Compilation code;
  bool takes_profile;
};

constexpr std::array rows{
#define RECKON_SEMANTICS(name, value, code, takes_profile) Row{{#name, value}, make_##name, code, takes_profile},

#include "semantics/semantics.def"
};

const Row* row_of(std::string_view name) {
  const auto found = std::ranges::find(rows, name, [](const Row& row) { return row.info.name; });
  return found == rows.end() ? nullptr : &*found;
}

/// The semantics that a maker gives for arguments that this program chose.
std::unique_ptr<Semantics> made(Maker make, const std::vector<SemanticsArgument>& arguments = {}) {
  return std::move(*make(arguments, {}));
}

}  // namespace

Diagnostic no_arguments(std::string_view semantics, const SemanticsArgument& given, SourceSpan place,
                        std::string help) {
  Diagnostic diagnostic(code::unknown_semantics, place, fmt::format("`{}` has no variant `{}`", semantics, given.text));
  diagnostic.helps.push_back(help.empty() ? fmt::format("write `{}`", semantics) : std::move(help));
  return diagnostic;
}

Expected<std::unique_ptr<Semantics>> make_semantics(std::string_view name,
                                                    const std::vector<SemanticsArgument>& arguments, SourceSpan place,
                                                    const std::vector<std::string>& others) {
  if (const Row* row = row_of(name)) return row->make(arguments, place);
  if (name == algebra_question) {
    return Diagnostic(code::unknown_semantics, place, "`algebra` is a question for checks: there are no values in it")
        .help("ask `check f == g in algebra`, or look at a value in `padic`");
  }
  std::vector<std::string> names = semantics_names();
  names.insert(names.end(), others.begin(), others.end());
  Diagnostic diagnostic(code::unknown_semantics, place, fmt::format("there is no semantics `{}`", name));
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
  for (const Row& row : rows) names.emplace_back(row.info.name);
  return names;
}

std::span<const SemanticsInfo> known_semantics() {
  static constexpr auto infos = [] {
    std::array<SemanticsInfo, rows.size()> out{};
    std::ranges::transform(rows, out.begin(), [](const Row& row) { return row.info; });
    return out;
  }();
  return infos;
}

bool takes_profile(std::string_view name) {
  const Row* row = row_of(name);
  return row != nullptr && row->takes_profile;
}

Diagnostic not_compilable(const Semantics& semantics) {
  const std::string_view name = semantics.name();
  const Row* row = row_of(name.substr(0, name.find('(')));
  if (row != nullptr && !row->code.others.empty()) {
    return Diagnostic(code::not_compilable, {}, fmt::format("`{}` cannot be compiled yet", name))
        .help(std::string(row->code.others));
  }
  std::vector<std::string_view> compiled;
  for (const Row& each : rows) {
    if (each.code.any) compiled.push_back(each.info.name);
  }
  const std::string_view last = compiled.back();
  compiled.pop_back();
  return Diagnostic(code::not_compilable, {}, fmt::format("`{}` cannot be compiled", name))
      .help(fmt::format("`{}` and `{}` can; the interpreter has every semantics", fmt::join(compiled, "`, `"), last));
}

std::unique_ptr<Semantics> floats() { return made(make_float); }
std::unique_ptr<Semantics> bounds() { return made(make_bound); }
std::unique_ptr<Semantics> bounds_for_any_order() { return made(make_bound, {{"any"}}); }
std::unique_ptr<Semantics> reals(std::int64_t bits) { return made(make_exact, {{fmt::format("bits({})", bits)}}); }
std::unique_ptr<Semantics> algebraic_ring() { return made(make_padic); }
std::unique_ptr<Semantics> sanitizer() { return made(make_fpsan); }

}  // namespace reckon::interp
