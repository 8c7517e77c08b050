// Answers to questions about all orders, as values to show.
#include <fmt/format.h>

#include <map>

#include "api/compilations.h"
#include "api/implementation.h"
#include "check/watchdog.h"
#include "diagnostics/codes/interrupted.h"
#include "diagnostics/codes/too_large.h"
#include "interp/all_orders.h"
#include "semantics/standard.h"

namespace reckon {
namespace {

using numerics::OrderSet;
using numerics::Possibility;

/// Longer trees are shown in JSON only.
constexpr std::size_t longest_tree = 160;

std::string_view set_name(OrderSet orders) {
  constexpr std::string_view names[] = {"any", "any_tree", "any_seq"};
  return names[static_cast<int>(orders)];
}

/// `all orders of 3 leaves`.
std::string set_text(const interp::OrdersAnswer& answer) {
  constexpr std::string_view names[] = {"orders of", "trees over", "left folds of"};
  return fmt::format("all {} {} {}", names[static_cast<int>(answer.orders)], answer.leaves,
                     answer.leaves == 1 ? "leaf" : "leaves");
}

std::string by_text(const numerics::OrderTree& tree) {
  const std::string text = tree.text();
  if (text.size() > longest_tree) return "by a tree too long to show";
  // A single leaf is not a tree, so there is nothing to quote.
  return tree.pairs.empty() ? "by any order" : "by '" + text;
}

std::string_view possibility_text(Possibility possibility) {
  constexpr std::string_view names[] = {"no", "yes", "unknown"};
  return names[static_cast<int>(possibility)];
}

Number spread_number(const interp::OrdersAnswer& answer, const numerics::Spread& spread, bool alone) {
  const numerics::Format format = ir::format_of(answer.scalar);
  const std::string type(ir::scalar_name(answer.scalar));
  auto decimal = [&](std::uint64_t bits) { return numerics::shortest_decimal(bits, format); };
  auto pattern = [&](std::uint64_t bits) { return type + "#" + numerics::bit_digits(bits, format); };
  Number out;
  auto form = [&](std::string name, std::string value) { out.forms.emplace_back(std::move(name), std::move(value)); };
  form("orders", std::string(set_name(answer.orders)));
  form("leaves", std::to_string(answer.leaves));
  form("exact", spread.exact() ? "true" : "false");
  form("nan", spread.only_nan ? "always" : std::string(possibility_text(spread.nan)));
  const bool one = !spread.only_nan && spread.low == spread.high && spread.nan == Possibility::no;
  if (!spread.only_nan) {
    form("lo", numerics::hexadecimal(spread.low, format));
    form("hi", numerics::hexadecimal(spread.high, format));
    form("lo_bits", numerics::bit_digits(spread.low, format));
    form("hi_bits", numerics::bit_digits(spread.high, format));
    for (const auto& [name, witness] : {std::pair("lo", &spread.lowest), std::pair("hi", &spread.highest)}) {
      if (!*witness) continue;
      if (!spread.exact()) form(fmt::format("{}_found", name), numerics::hexadecimal((*witness)->bits, format));
      form(fmt::format("{}_witness", name), (*witness)->tree.text());
    }
  }
  if (spread.nan_tree) form("nan_witness", spread.nan_tree->text());

  if (spread.only_nan) out.text = "nan";
  else if (one) out.text = decimal(spread.low);
  else out.text = decimal(spread.low) + " .. " + decimal(spread.high);
  if (!alone) {
    if (!spread.only_nan && spread.nan != Possibility::no)
      out.text += spread.nan == Possibility::yes ? " or nan" : " or perhaps nan";
    return out;
  }
  if (!spread.only_nan)
    out.text += "  " + (one ? pattern(spread.low) : pattern(spread.low) + " .. " + pattern(spread.high));
  const std::string nan = spread.only_nan || spread.nan == Possibility::no ? ""
                          : spread.nan == Possibility::yes                 ? ", nan in some"
                                                                           : ", perhaps nan in some";
  if (one || spread.only_nan) out.text += fmt::format("  (exact, the same in {})", set_text(answer));
  else out.text += fmt::format("  ({}, {}{})", spread.exact() ? "exact" : "proven bounds", set_text(answer), nan);
  if (one || spread.only_nan) return out;
  for (const auto& witness : {spread.lowest, spread.highest}) {
    if (!witness) continue;
    out.text +=
        fmt::format("\n  {}{} {}", decimal(witness->bits), spread.exact() ? "" : "  found", by_text(witness->tree));
  }
  if (spread.nan_tree) out.text += fmt::format("\n  nan {}", by_text(*spread.nan_tree));
  return out;
}

/// The numbers of an element, row-major.
std::vector<std::int64_t> subscripts(std::int64_t element, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> out(shape.size());
  for (std::size_t d = shape.size(); d-- > 0; element /= shape[d]) out[d] = element % shape[d];
  return out;
}

/// The value that was asked about.
Number target_number(const interp::OrdersAnswer& answer, std::uint64_t bits) {
  const numerics::Format format = ir::format_of(answer.scalar);
  const std::string text = numerics::shortest_decimal(bits, format);
  return {text,
          {{"value", text},
           {"hex", numerics::hexadecimal(bits, format)},
           {"bits", numerics::bit_digits(bits, format)}}};
}

std::vector<Checked::Run> runs_of(const interp::OrdersAnswer& answer) {
  std::vector<Checked::Run> out;
  if (!answer.runs || *answer.runs == 0) return out;
  const auto elements = static_cast<std::int64_t>(answer.attained.size()) / *answer.runs;
  for (std::size_t k = 0; k < answer.attained.size(); ++k) {
    const numerics::Attains& attains = answer.attained[k];
    out.push_back({static_cast<std::int64_t>(k) / elements,
                   subscripts(static_cast<std::int64_t>(k) % elements, answer.shape),
                   target_number(answer, answer.targets[k]), std::string(possibility_text(attains.answer)),
                   attains.tree ? attains.tree->text() : ""});
  }
  return out;
}

Number attains_number(const interp::OrdersAnswer& answer, const numerics::Attains& attains, bool alone) {
  Number out;
  const std::string text(possibility_text(attains.answer));
  out.forms = {
      {"value", text}, {"orders", std::string(set_name(answer.orders))}, {"leaves", std::to_string(answer.leaves)}};
  if (attains.tree) out.forms.emplace_back("witness", attains.tree->text());
  out.text = text;
  if (!alone) return out;
  switch (attains.answer) {
    case Possibility::yes: out.text += ", " + by_text(*attains.tree); break;
    case Possibility::no: out.text += fmt::format("  (none of {})", set_text(answer)); break;
    case Possibility::unknown:
      out.text += fmt::format("  (neither found nor excluded among {})", set_text(answer));
      break;
  }
  return out;
}

}  // namespace

Expected<interp::OrdersAnswer> Session::Implementation::answer(const frontend::ElaboratedItem& item,
                                                              const std::atomic<bool>* stop) {
  const auto& question = std::get<frontend::Question>(*item.value);
  auto with = semantics_for(item, interp::usual_semantics);
  if (!with) return with.error();
  note_roundings(question.function, **with, item.span);
  if (question.target) note_roundings(*question.target, **with, item.span);
  interp::EvaluateOptions evaluate = evaluate_options();
  if (stop != nullptr) evaluate.interrupted = stop;
  try {
    return interp::all_orders(session.module(), question.function, question.target ? &*question.target : nullptr,
                              **with, evaluate, question.span,
                              question.kind == frontend::Question::Kind::attains ? "attains" : "spread");
  } catch (const std::bad_alloc&) {
    return Diagnostic(code::too_large, item.span, "this needs more memory than there is");
  }
}

Expected<std::vector<Shown>> Session::Implementation::show_answer(const frontend::ElaboratedItem& item) {
  if (std::get<frontend::Question>(*item.value).kind == frontend::Question::Kind::worst)
    return shown_worst(*this, item);
  if (std::get<frontend::Question>(*item.value).kind == frontend::Question::Kind::enclosures) {
    const auto of_sets = of_enclosures(item);
    return of_sets ? Expected(std::vector{shown(*of_sets)}) : Expected<std::vector<Shown>>(of_sets.error());
  }
  if (const auto profile = rewriting_profile(*this, item)) return shown_results(*this, item, *profile);
  auto found = answer(item);
  if (!found) return found.error();
  if (found->ended_early) return Diagnostic(code::interrupted, item.span, "interrupted");
  Shown out;
  out.semantics = interp::usual_semantics;
  out.floats = true;
  out.shape = found->shape;
  if (found->runs) out.shape.insert(out.shape.begin(), *found->runs);
  out.is_scalar = out.shape.empty();
  out.type = found->attained.empty() && !std::get<frontend::Question>(*item.value).target
                 ? std::string(ir::scalar_name(found->scalar))
                 : "answer";
  std::vector<Number> numbers;
  for (const auto& spread : found->spreads) numbers.push_back(spread_number(*found, spread, out.is_scalar));
  for (std::size_t k = 0; k < found->attained.size(); ++k) {
    numbers.push_back(attains_number(*found, found->attained[k], out.is_scalar));
    if (!found->runs) continue;
    numbers.back().text = target_number(*found, found->targets[k]).text + ": " + numbers.back().text;
    numbers.back().forms.emplace_back("result", numerics::hexadecimal(found->targets[k], ir::format_of(found->scalar)));
  }
  out.numbers = std::move(numbers);
  return std::vector<Shown>{out};
}

Event Session::Implementation::check_answer(const frontend::ElaboratedItem& item) {
  if (std::get<frontend::Question>(*item.value).kind == frontend::Question::Kind::enclosures) {
    const auto of_sets = of_enclosures(item);
    return of_sets ? Event(checked(*of_sets, item)) : Event(messages(of_sets.error()));
  }
  if (const auto profile = rewriting_profile(*this, item)) return checked_results(*this, item, *profile);
  const check::Options options_of_check = check_options(item);
  check::Watchdog watch(options_of_check);
  watch.at("its orders", 0, 0);
  auto found = answer(item, watch.stop());
  Checked out;
  out.text = item.text;
  out.given = {item.given, item.label};
  const auto note_the_end = [&] {
    out.interrupted = watch.interrupted();
    out.notes.push_back(out.interrupted ? "interrupted before the last result was looked at"
                                        : fmt::format("the budget of {:.3g} s ended before the last result was looked at; give it "
                                                      "more time: `--budget {:.0f}`", watch.budget(), 10 * watch.budget()));
  };
  if (!found) {
    if (found.error().code != code::interrupted) return messages(found.error());
    out.semantics = interp::usual_semantics;
    out.verdict = "undecided";
    note_the_end();
    return out;
  }
  out.semantics = interp::usual_semantics;
  out.strength = "proved";
  out.evidence = {{"orders", std::string(set_name(found->orders)), ""}, {"leaves", found->leaves, ""}};
  bool all = true, none = false;
  for (const auto& attains : found->attained) {
    all = all && attains.answer == Possibility::yes;
    none = none || attains.answer == Possibility::no;
  }
  if (found->attained.empty()) all = false;  // without any result, nothing is known
  out.verdict = all ? "holds" : none ? "fails" : "undecided";
  out.runs = runs_of(*found);
  if (found->ended_early) note_the_end();
  if (found->runs) {
    std::map<Possibility, std::int64_t> count;
    for (const auto& attains : found->attained) ++count[attains.answer];
    const auto fact = [&](const char* name, std::int64_t number) { out.evidence.push_back({name, number, ""}); };
    fact("runs", static_cast<std::int64_t>(*found->runs));
    fact("attained", count[Possibility::yes]);
    fact("not_attained", count[Possibility::no]);
    fact("unknown", count[Possibility::unknown]);
    return out;
  }
  if (found->attained.size() == 1) {
    const auto& one = found->attained.front();
    out.notes.push_back(
        one.tree ? by_text(*one.tree)
                 : fmt::format("{} {}", none ? "none of" : "neither found nor excluded among", set_text(*found)));
  }
  return out;
}

}  // namespace reckon
