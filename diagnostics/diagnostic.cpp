#include "diagnostics/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace reckon {
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

std::optional<Code> code_named(std::string_view text) {
  const auto row = std::ranges::find_if(rows, [&](const Row& each) { return code_text(each.code) == text; });
  if (row == std::end(rows)) return std::nullopt;
  return row->code;
}

}  // namespace reckon
