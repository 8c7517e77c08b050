#include "frontend/static_choices.h"

#include <fmt/format.h>

#include <array>

#include "diagnostics/codes/static_needed.h"
#include "frontend/items.h"

namespace reckon::frontend {

std::optional<std::vector<StaticChoice>> elements_of_set(Elaborator& elaborator, const Context& context,
                                                         const std::vector<ExprId>& elements) {
  std::vector<StaticChoice> out;
  for (const ExprId id : elements) {
    const SourceSpan at = elaborator.expr(context, id).span;
    auto value = elaborator.elaborate(context, id);
    if (!value) return std::nullopt;
    const std::string text =
        value->is<mpq_class>() ? elaborator.value_text(*value) : one_line(elaborator.sources.text(at));
    out.push_back({std::move(*value), text});
  }
  return out;
}

std::optional<std::vector<StaticChoice>> integers_between(Elaborator& elaborator, const Context& context, ExprId low,
                                                          ExprId high) {
  std::array<std::int64_t, 2> ends{};
  for (std::size_t k = 0; k < 2; ++k) {
    const ExprId id = k == 0 ? low : high;
    auto value = elaborator.elaborate(context, id);
    const auto end =
        value ? elaborator.integer_of(*value, elaborator.expr(context, id).span, "an end of a range") : std::nullopt;
    if (!end) return std::nullopt;
    ends[k] = *end;
  }
  if (ends[0] > ends[1] || ends[1] - ends[0] >= static_cast<std::int64_t>(most_static_choices)) {
    const std::string problem = ends[0] > ends[1] ? "this range is empty: its first value is above its last"
                                                  : fmt::format("a range has at most {} values", most_static_choices);
    const SourceSpan span = elaborator.expr(context, low).span.to(elaborator.expr(context, high).span);
    return elaborator.report(Diagnostic(code::static_needed, span, problem));
  }
  std::vector<StaticChoice> out;
  for (std::int64_t k = ends[0]; k <= ends[1]; ++k) {
    out.push_back({Value{mpq_class(static_cast<long>(k))}, std::to_string(k)});
  }
  return out;
}

}  // namespace reckon::frontend
