#include "diagnostics/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "diagnostics/pages.h"

namespace reckon {
Diagnostic::Diagnostic(Code code_, SourceSpan span, std::string message_, std::string label)
    : code(code_), message(std::move(message_)), primary{span, std::move(label)} {}
Diagnostic::Diagnostic() = default;
Diagnostic::Diagnostic(const Diagnostic&) = default;
Diagnostic::Diagnostic(Diagnostic&&) noexcept = default;
Diagnostic& Diagnostic::operator=(const Diagnostic&) = default;
Diagnostic& Diagnostic::operator=(Diagnostic&&) noexcept = default;
Diagnostic::~Diagnostic() = default;

Diagnostic&& Diagnostic::with(SourceSpan span, std::string text) && {
  secondary.push_back({span, std::move(text)});
  return std::move(*this);
}
Diagnostic&& Diagnostic::note(std::string text) && {
  notes.push_back(std::move(text));
  return std::move(*this);
}
Diagnostic&& Diagnostic::help(std::string text) && {
  helps.push_back(std::move(text));
  return std::move(*this);
}
Diagnostic&& Diagnostic::suggest(SourceSpan span, std::string replacement) && {
  suggestion = Suggestion{span, std::move(replacement)};
  return std::move(*this);
}

namespace {

struct Row {
  Code code;
  std::string_view title;
};
constexpr Row rows[] = {
#define RECKON_DIAGNOSTIC(name, number, title) {Code{number}, title},
#include "diagnostics/diagnostics.def"
#undef RECKON_DIAGNOSTIC
};

}  // namespace

std::string code_text(Code code) { return fmt::format("E{:04}", static_cast<unsigned>(code)); }

std::string_view code_title(Code code) {
  const auto row = std::ranges::find(rows, code, &Row::code);
  return row == std::end(rows) ? "unknown mistake" : row->title;
}

std::vector<Code> all_codes() {
  std::vector<Code> out;
  for (const Row& row : rows) out.push_back(row.code);
  return out;
}

std::optional<Code> code_named(std::string_view text) {
  const auto row = std::ranges::find_if(rows, [&](const Row& each) { return code_text(each.code) == text; });
  if (row == std::end(rows)) return std::nullopt;
  return row->code;
}

}  // namespace reckon
