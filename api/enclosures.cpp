// Answers to questions about enclosures (interp/enclosures.h), as values to show and as verdicts.
#include <fmt/format.h>

#include "api/implementation.h"
#include "diagnostics/codes/type_mismatch.h"
#include "diagnostics/codes/undefined_result.h"
#include "diagnostics/codes/unsupported_operation.h"
#include "semantics/standard.h"

namespace reckon {

Expected<EnclosureAnswers> Session::Implementation::of_enclosures(const frontend::ElaboratedItem& item) {
  const auto& question = std::get<frontend::Question>(*item.value);
  auto with = semantics_for(item, interp::usual_semantics);
  if (!with) return with.error();
  const driver::Traits traits = (*with)->traits();
  if (!traits.encloses && !traits.bounds_errors) {
    return Diagnostic(code::unsupported_operation, question.span,
                      fmt::format("`{}` asks about enclosures, and values of `{}` are none", question.name, (*with)->name()))
        .help("ask `in interval`; `in bound` encloses the real result behind a float");
  }
  std::vector<interp::Values> values;
  for (const ir::Function* written : {&question.function, question.target ? &*question.target : nullptr}) {
    if (written == nullptr) break;
    const auto formatted = in_entry_format(*written, traits);
    const ir::Function& function = formatted ? *formatted : *written;
    note_roundings(function, **with, item.span);
    auto results = evaluated(function, **with, {}, {});
    if (!results) return results.error();
    values.push_back(std::move(results->front()));
  }
  EnclosureAnswers out{std::string((*with)->name()), values[0].scalar(), values[0].shape(), {}, {}, (*with)->end_format()};
  if (values.size() == 2 && values[0].shape() != values[1].shape()) {
    return Diagnostic(code::type_mismatch, question.span,
                      fmt::format("`{}` compares element by element, and its operands have the shapes [{}] and [{}]", question.name,
                                  fmt::join(values[0].shape(), ", "), fmt::join(values[1].shape(), ", ")))
        .help("give it two values of one shape");
  }
  const auto function = interp::enclosure_function_named(question.name);
  for (std::int64_t i = 0; i < values[0].count(); ++i) {
    interp::Ends ends[2];
    auto& texts = out.operands.emplace_back();
    for (std::size_t k = 0; k < values.size(); ++k) {
      const auto known = (*with)->ends(values[k].scalar(), values[k].at(i));
      texts[k] = (*with)->render(values[k].scalar(), values[k].at(i)).text;
      if (!known) {
        return Diagnostic(code::undefined_result, question.span,
                          fmt::format("`{}` needs an enclosure, and nothing is known of this result: {}", question.name, texts[k]))
            .help("`show` it alone, which says why");
      }
      ends[k] = *known;
    }
    out.answers.push_back(interp::enclosure_answer(function, out.format, ends[0], ends[1]));
  }
  return out;
}

Shown shown(const EnclosureAnswers& answers) {
  Shown out;
  out.semantics = answers.semantics;
  const bool truth = !answers.answers.empty() && std::holds_alternative<bool>(answers.answers[0]);
  out.type = truth ? "bool" : std::string(ir::scalar_name(answers.scalar));
  out.shape = answers.shape;
  out.is_scalar = out.shape.empty();
  std::vector<Number> numbers;
  for (const auto& answer : answers.answers) numbers.push_back(number(interp::rendered(answer, answers.format)));
  out.numbers = std::move(numbers);
  return out;
}

/// The verdict is about the enclosures, and so it is proved; a note has the first element that is against it.
Checked checked(const EnclosureAnswers& answers, const frontend::ElaboratedItem& item) {
  Checked out;
  out.text = item.text;
  out.given = {item.given, item.label};
  out.semantics = answers.semantics;
  out.strength = "proved";
  std::size_t against = 0;
  while (against < answers.answers.size() && std::get<bool>(answers.answers[against])) ++against;
  out.verdict = against == answers.answers.size() ? "holds" : "fails";
  if (against < answers.answers.size()) {
    const auto& [left, right] = answers.operands[against];
    out.notes.push_back(answers.shape.empty() ? fmt::format("{} and {}", left, right)
                                              : fmt::format("element {}: {} and {}", against, left, right));
  }
  return out;
}

}  // namespace reckon
