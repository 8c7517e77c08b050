// Loops and tensors, written out.
#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/not_available.h"
#include "diagnostics/codes/syntax.h"
#include "fpcore/expression.h"

namespace reckon::fpcore {

namespace {

/// Of rounds and elements, of a whole FPCore.
constexpr std::size_t most_lines = 20'000;
constexpr std::int64_t most_elements = 20'000;

Diagnostic too_long(const Term& term, std::string_view what) {
  return Diagnostic(code::not_available, term.span,
                    fmt::format("this `{}` has more than {} {}, and is not read from FPCore", term.parts[0].text,
                                most_lines, what))
      .help("give it fewer rounds: a bound over so many is that of a shorter loop, again and again");
}
bool is_true(const Term& term) { return !term.is_list && term.text == "TRUE"; }

}  // namespace

/// After a round: the rounds and the assignments of the whole FPCore are limited.
std::optional<Diagnostic> Expressions::count_round(const Term& term) {
  if (lines_.size() > most_lines) return too_long(term, "assignments");
  if (++rounds_ > most_lines) return too_long(term, "rounds");
  return std::nullopt;
}

/// `[x start update]`, several of them.
Expected<std::vector<Expressions::Assigned>> Expressions::assigned(const Term& term) const {
  std::vector<Assigned> out;
  for (const Term& each : term.parts) {
    if (!each.is_list || each.parts.size() != 3 || each.parts[0].is_list)
      return Diagnostic(code::syntax, each.span, "write `(x start update)`");
    out.push_back({&each.parts[0], &each.parts[1], &each.parts[2]});
  }
  return out;
}

std::optional<Diagnostic> Expressions::start(const std::vector<Assigned>& all, Scope& scope, const Scope& outer,
                                             bool in_turn) {
  for (const Assigned& each : all) {
    auto found = value(*each.start, in_turn ? scope : outer);
    if (!found) return found.error();
    scope[each.name->text] = named(each.name->text, std::move(*found));
  }
  return std::nullopt;
}

std::optional<Diagnostic> Expressions::update(const std::vector<Assigned>& all, Scope& scope, bool in_turn) {
  const Scope before = scope;
  for (const Assigned& each : all) {
    auto found = value(*each.update, in_turn ? scope : before);
    if (!found) return found.error();
    scope[each.name->text] = named(each.name->text, std::move(*found));
  }
  return std::nullopt;
}

/// `(while condition ([x start update] ...) body)`.
Expected<Value> Expressions::loop(const Term& term, const Scope& scope, bool in_turn) {
  if (term.parts.size() != 4 || !term.parts[2].is_list)
    return Diagnostic(code::syntax, term.span, "write `(while condition ((x start update) ...) body)`");
  if (is_true(term.parts[1])) {
    return Diagnostic(code::not_available, term.parts[1].span,
                      fmt::format("this `{}` has no end, and is not read from FPCore", term.parts[0].text))
        .help("let it count: `(for ([k 20]) ([v start next]) v)`");
  }
  const auto all = assigned(term.parts[2]);
  if (!all) return all.error();
  Scope inner = scope;
  if (auto problem = start(*all, inner, scope, in_turn)) return *problem;
  for (;;) {
    const std::size_t before = lines_.size();
    const auto goes_on = truth(term.parts[1], inner);
    if (!goes_on) return goes_on.error();
    if (!goes_on->known) {
      return Diagnostic(code::not_available, term.parts[1].span,
                        fmt::format("this `{}` is not read from FPCore: constants alone do not decide how often it runs",
                                    term.parts[0].text))
          .help("let it count: `(for ([k 20]) ([v start next]) v)`");
    }
    lines_.resize(before);
    if (!*goes_on->known) break;
    if (auto problem = update(*all, inner, in_turn)) return *problem;
    if (auto problem = count_round(term)) return *problem;
  }
  return value(term.parts[3], inner);
}

/// A number of the program as an integer.
Expected<std::int64_t> Expressions::count(const Term& term, const Scope& scope) {
  const auto found = value(term, scope);
  if (!found) return found.error();
  if (!found->number || found->number->get_den() != 1 || *found->number < 0 || *found->number > most_elements) {
    return Diagnostic(code::not_available, term.span,
                      "constants alone decide no number of elements here, and it is not read from FPCore")
        .help("write the number of elements or rounds: `(for ([k 20]) ...)`");
  }
  return found->number->get_num().get_si();
}

/// `(for ([i n] ...) ([x start update] ...) body)`, and `(tensor ([i n] ...) body)`, which has an element for each
/// choice of the indices; `tensor*` has assignments, too, and the elements are what the body is in each round.
Expected<Value> Expressions::counted(const Term& term, const Scope& scope, bool in_turn, bool is_tensor) {
  const bool assigns = !is_tensor || in_turn;
  if (term.parts.size() != (assigns ? 4 : 3) || !term.parts[1].is_list || (assigns && !term.parts[2].is_list)) {
    return Diagnostic(code::syntax, term.span,
                      is_tensor ? "write `(tensor ((i n) ...) body)`"
                                : "write `(for ((i n) ...) ((x start update) ...) body)`");
  }
  std::vector<std::string> indices;
  std::vector<std::int64_t> sizes;
  std::int64_t rounds = 1;
  for (const Term& each : term.parts[1].parts) {
    if (!each.is_list || each.parts.size() != 2 || each.parts[0].is_list)
      return Diagnostic(code::syntax, each.span, "write `(i n)`");
    const auto size = count(each.parts[1], scope);
    if (!size) return size.error();
    indices.push_back(each.parts[0].text);
    sizes.push_back(*size);
    rounds *= *size;
    if (rounds > most_elements) return too_long(term, "rounds or elements");
  }
  Scope inner = scope;
  std::vector<Assigned> all;
  if (assigns) {
    auto found = assigned(term.parts[2]);
    if (!found) return found.error();
    all = std::move(*found);
    if (auto problem = start(all, inner, scope, in_turn)) return *problem;
  }
  std::vector<Value> elements;
  for (std::int64_t round = 0; round < rounds; ++round) {
    std::int64_t rest = round;
    for (std::size_t k = indices.size(); k-- > 0;) {
      inner[indices[k]] = number(static_cast<long>(rest % sizes[k]));
      rest /= sizes[k];
    }
    if (auto problem = update(all, inner, in_turn)) return *problem;
    if (is_tensor) {
      auto element = value(term.parts.back(), inner);
      if (!element) return element;
      elements.push_back(std::move(*element));
    }
    if (auto problem = count_round(term)) return *problem;
  }
  if (!is_tensor) {
    for (const std::string& index : indices) inner.erase(index);
    return value(term.parts.back(), inner);
  }
  if (elements.empty())
    return Diagnostic(code::not_available, term.span, "an empty tensor is not read from FPCore")
        .help("every size is 1 or more");
  // The last index runs fastest: rows are gathered from the innermost outward.
  for (std::size_t k = sizes.size(); k-- > 1;) {
    std::vector<Value> rows;
    const auto size = static_cast<std::ptrdiff_t>(sizes[k]);
    for (auto at = elements.begin(); at != elements.end(); at += size) {
      rows.push_back({.elements = std::make_shared<const std::vector<Value>>(at, at + size)});
    }
    elements = std::move(rows);
  }
  return Value{.elements = std::make_shared<const std::vector<Value>>(std::move(elements))};
}

Expected<Value> Expressions::list(const Term& term, const Scope& scope) {
  std::vector<Value> elements;
  for (std::size_t k = 1; k < term.parts.size(); ++k) {
    auto each = value(term.parts[k], scope);
    if (!each) return each;
    elements.push_back(std::move(*each));
  }
  if (elements.empty())
    return Diagnostic(code::not_available, term.span, "an empty tensor is not read from FPCore")
        .help("every size is 1 or more");
  return Value{.elements = std::make_shared<const std::vector<Value>>(std::move(elements))};
}

/// `(ref tensor i ...)`.
Expected<Value> Expressions::element(const Term& term, const Scope& scope) {
  if (term.parts.size() < 3) return Diagnostic(code::syntax, term.span, "write `(ref tensor i ...)`");
  auto at = value(term.parts[1], scope);
  for (std::size_t k = 2; at && k < term.parts.size(); ++k) {
    const auto index = count(term.parts[k], scope);
    if (!index) return index.error();
    if (!at->is_tensor() || *index >= static_cast<std::int64_t>(at->elements->size()))
      return Diagnostic(code::syntax, term.parts[k].span, "the tensor has no such element");
    at = Value((*at->elements)[static_cast<std::size_t>(*index)]);
  }
  return at;
}

/// `(dim tensor)`, and `(size tensor k)`.
Expected<Value> Expressions::extent(const Term& term, const Scope& scope) {
  const bool is_size = term.parts[0].is("size");
  if (term.parts.size() != (is_size ? 3 : 2))
    return Diagnostic(code::syntax, term.span, "write `(dim tensor)` or `(size tensor k)`");
  const auto tensor = value(term.parts[1], scope);
  if (!tensor) return tensor;
  std::vector<std::size_t> sizes;
  for (const Value* at = &*tensor; at->is_tensor(); at = &at->elements->front()) sizes.push_back(at->elements->size());
  if (!is_size) return number(static_cast<unsigned long>(sizes.size()));
  const auto which = count(term.parts[2], scope);
  if (!which) return which.error();
  if (*which >= static_cast<std::int64_t>(sizes.size()))
    return Diagnostic(code::syntax, term.parts[2].span, "the tensor has no such dimension");
  return number(static_cast<unsigned long>(sizes[static_cast<std::size_t>(*which)]));
}

}  // namespace reckon::fpcore
