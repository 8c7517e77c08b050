// Static checks for all positive integers: `check (a, b):(1, a) == (a * b):1 for all a, b`, or `for a > 0, b > 0`.
//
// The names are sizes that nobody knows, so the condition is decided for all of them at once where both of its sides
// have one form (ir/index_algebra.h for layouts, ir/index.h for numbers). It is tried for small numbers besides: what
// is not true of them is refuted, and what is true of them alone is not decided.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "frontend/checks.h"

namespace reckon::frontend {
namespace {

class AllSizes {
 public:
  AllSizes(Elaborator& elaborator, const Context& outer, const Item& item, ElaboratedItem& out)
      : elaborator_(elaborator), outer_(outer), item_(item), out_(out), reported_(elaborator.diagnostics.size()) {
    const Program& tree = elaborator.programs[outer.program].tree;
    std::erase_if(item_.clauses, [&](const ForClause& clause) {
      const auto name = positive_name(tree, clause);
      const bool taken = name && mentions(tree, item.body, *name);
      if (taken) names_.push_back(*name);
      return taken;
    });
  }
  AllSizes(const AllSizes&) = delete;

  std::optional<bool> elaborate() {
    if (names_.empty()) return std::nullopt;
    if (const auto good = elaborate_bound_claim(elaborator_, outer_, item_, names_, out_)) return good;
    const bool proved = for_unknown_sizes();
    const State tried = all(0, Scope(outer_.scope));
    if (tried == State::of_circuits) {
      forget();
      return std::nullopt;
    }
    if (tried == State::refused) return false;
    out_.static_truth = tried == State::true_;
    if (tried == State::false_) return true;
    const std::string sizes = fmt::format("{} > 0", fmt::join(names_, ", "));
    out_.cases = tried_;
    if (proved) {
      out_.cases = 0;
      out_.all_sizes = sizes;
    } else {
      out_.undecided = fmt::format("it holds for {} up to {}, and is not decided for all {}", fmt::join(names_, ", "),
                                   greatest(), sizes);
    }
    return true;
  }

 private:
  enum class State : std::uint8_t { true_, false_, refused, of_circuits };

  /// Some hundred combinations at most.
  long greatest() const { return names_.size() <= 1 ? 64 : names_.size() == 2 ? 12 : names_.size() == 3 ? 6 : 3; }

  void forget() {
    elaborator_.diagnostics.erase(elaborator_.diagnostics.begin() + static_cast<std::ptrdiff_t>(reported_),
                                  elaborator_.diagnostics.end());
  }

  bool for_unknown_sizes() {
    ir::Module& module = elaborator_.module;
    Scope scope(outer_.scope);
    for (const std::string& name : names_) {
      scope.bind(name, Value{SymbolicInteger{module.indices().dimension(module.symbol(name))}});
    }
    // What holds only under conditions on the sizes is an error, and not true of all.
    auto* const requirements = std::exchange(elaborator_.requirements, nullptr);
    ElaboratedItem found;
    const bool good = elaborate_check(elaborator_, {outer_.program, &scope}, item_, found);
    elaborator_.requirements = requirements;
    forget();
    return good && found.static_truth && *found.static_truth && found.undecided.empty();
  }

  State all(std::size_t at, const Scope& scope) {
    if (at == names_.size()) return one({outer_.program, &scope});
    for (long value = 1; value <= greatest(); ++value) {
      Scope inner(&scope);
      inner.bind(names_[at], Value{mpq_class(value)});
      given_.push_back(fmt::format("{} = {}", names_[at], value));
      const State state = all(at + 1, inner);
      given_.pop_back();
      if (state != State::true_) return state;
    }
    return State::true_;
  }

  State one(const Context& context) {
    ElaboratedItem found;
    const bool good = elaborate_check(elaborator_, context, item_, found);
    if (good && !found.static_truth) return State::of_circuits;
    // `check f(x) == g(x) for x > 0` is about the inputs of circuits, which may take no number.
    const auto given_to_circuit = [&](const std::string& name) {
      return is_given_to_circuit(elaborator_, outer_, item_.body, name);
    };
    if (!good && tried_ == 0 && std::ranges::any_of(names_, given_to_circuit)) return State::of_circuits;
    if (!good) {
      note_case(elaborator_, reported_, given_);
      return State::refused;
    }
    ++tried_;
    if (*found.static_truth) return State::true_;
    keep_failing_case(found, given_, out_);
    return State::false_;
  }

  Elaborator& elaborator_;
  const Context& outer_;
  Item item_;  ///< without the clauses of the names
  ElaboratedItem& out_;
  std::size_t reported_;
  std::vector<std::string> names_, given_;
  std::size_t tried_ = 0;
};

}  // namespace

std::optional<bool> elaborate_all_sizes(Elaborator& elaborator, const Context& context, const Item& item,
                                        ElaboratedItem& out) {
  if (item.relation != Item::Relation::truth || item.semantics) return std::nullopt;
  return AllSizes(elaborator, context, item, out).elaborate();
}

}  // namespace reckon::frontend
