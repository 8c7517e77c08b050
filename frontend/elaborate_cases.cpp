// Static checks for several values of static names.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "diagnostics/codes/static_depth.h"
#include "frontend/checks.h"
#include "frontend/static_choices.h"

namespace reckon::frontend {
namespace {

/// The check once for each combination.
class Cases {
 public:
  Cases(Elaborator& elaborator, const Context& outer, const Item& item, ElaboratedItem& out)
      : elaborator_(elaborator), outer_(outer), item_(item), out_(out) {
    const auto is_static = [&](const ForClause& clause) {
      return clause.kind != ForClause::Kind::condition &&
             mentions(elaborator.programs[outer.program].tree, item.body, clause.name);
    };
    std::ranges::copy_if(item.clauses, std::back_inserter(clauses_), is_static);
    std::erase_if(item_.clauses, is_static);
  }
  Cases(const Cases&) = delete;

  /// Nothing: the names are not static, and nothing was reported.
  std::optional<bool> elaborate() {
    if (clauses_.empty()) return std::nullopt;
    const std::size_t reported = elaborator_.diagnostics.size();
    for (const ForClause& clause : clauses_) {
      auto choices = clause.kind == ForClause::Kind::sizes
                         ? elements_of_set(elaborator_, outer_, clause.values)
                         : integers_between(elaborator_, outer_, clause.values[0], clause.values[1]);
      if (!choices) return of_circuits(reported);
      choices_.push_back(std::move(*choices));
    }
    std::size_t count = 1;
    for (const auto& choices : choices_) count = std::min(count * choices.size(), most_static_choices + 1);
    if (count > most_static_choices) {
      elaborator_.fail(code::static_depth, clauses_.front().span,
                       fmt::format("a check is made for at most {} combinations of values", most_static_choices));
      return false;
    }
    const Scope empty(outer_.scope);
    const State state = all(0, empty);
    if (state == State::of_circuits) return of_circuits(reported);
    return state != State::refused;
  }

 private:
  enum class State : std::uint8_t { true_, false_, refused, of_circuits };

  /// Ranges of numbers are also those of circuits' inputs, `check f(x) == g(x) for x: -1..1`.
  std::optional<bool> of_circuits(std::size_t reported) {
    const bool certainly_static = std::ranges::any_of(clauses_, [&](const ForClause& clause) {
      return clause.kind == ForClause::Kind::sizes ||
             !is_given_to_call(elaborator_.programs[outer_.program].tree, item_.body, clause.name);
    });
    if (certainly_static && elaborator_.diagnostics.size() > reported) return false;
    elaborator_.diagnostics.erase(elaborator_.diagnostics.begin() + static_cast<std::ptrdiff_t>(reported),
                                  elaborator_.diagnostics.end());
    return std::nullopt;
  }

  State all(std::size_t at, const Scope& scope) {
    if (at == clauses_.size()) return one({outer_.program, &scope});
    for (const StaticChoice& choice : choices_[at]) {
      Scope inner(&scope);
      inner.bind(clauses_[at].name, choice.value);
      given_.push_back(fmt::format("{} = {}", clauses_[at].name, choice.text));
      const State state = all(at + 1, inner);
      given_.pop_back();
      if (state != State::true_) return state;
    }
    return State::true_;
  }

  State one(const Context& context) {
    const std::size_t reported = elaborator_.diagnostics.size();
    ElaboratedItem found;
    if (!elaborate_check(elaborator_, context, item_, found) || !found.static_truth) {
      // The first combination tells whether the names are static.
      if (out_.cases == 0) return State::of_circuits;
      note_case(elaborator_, reported, given_);
      return State::refused;
    }
    ++out_.cases;
    out_.static_truth = found.static_truth;
    if (*found.static_truth) return State::true_;
    keep_failing_case(found, given_, out_);
    return State::false_;
  }

  Elaborator& elaborator_;
  const Context& outer_;
  Item item_;  ///< without the clauses of static names
  ElaboratedItem& out_;
  std::vector<ForClause> clauses_;
  std::vector<std::vector<StaticChoice>> choices_;  ///< for each clause
  std::vector<std::string> given_;
};

}  // namespace

void note_case(Elaborator& elaborator, std::size_t reported, const std::vector<std::string>& given) {
  for (std::size_t k = reported; k < elaborator.diagnostics.size(); ++k) {
    elaborator.diagnostics[k].notes.push_back(fmt::format("this is for {}", fmt::join(given, ", ")));
  }
}

void keep_failing_case(const ElaboratedItem& found, const std::vector<std::string>& given, ElaboratedItem& out) {
  out.failing_case = fmt::format("{}", fmt::join(given, ", "));
  out.left_text = found.left_text;
  out.right_text = found.right_text;
}

std::optional<bool> elaborate_cases(Elaborator& elaborator, const Context& context, const Item& item,
                                    ElaboratedItem& out) {
  if (item.relation != Item::Relation::truth || item.semantics) return std::nullopt;
  return Cases(elaborator, context, item, out).elaborate();
}

}  // namespace reckon::frontend
