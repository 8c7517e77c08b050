// `check bound(S, n) <= (n - 1) * u for all n`: claims about error bounds for all numbers of leaves, and for every unit
// roundoff u from 0 to 1/2.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "diagnostics/codes/argument_count.h"
#include "diagnostics/codes/bad_accumulator.h"
#include "diagnostics/codes/empty_reduction.h"
#include "diagnostics/codes/static_needed.h"
#include "frontend/checks.h"
#include "frontend/find_expression.h"
#include "frontend/schedules.h"
#include "ir/bind.h"
#include "ir/schedule/growth_claim.h"
#include "ir/schedule/shared_shape.h"

namespace reckon::frontend {

namespace {

using ir::ClaimAtom;
using ir::HeightRange;
using ir::Polynomial;
using ir::ScheduleOp;

bool is_bound(const Expr& callee) {
  return callee.kind == ExprKind::name && (callee.text == "bound" || callee.text == "bound_dot");
}
bool is_depth(const Expr& callee) { return callee.kind == ExprKind::name && callee.text == "depth"; }

/// Whether the reader knows all of it; else a claim without bounds is tried for many sizes, as others are.
bool is_readable(const Program& tree, ExprId id) {
  const Expr& at = tree[id];
  if (at.kind == ExprKind::number || at.kind == ExprKind::name) return true;
  if (at.kind == ExprKind::call) return is_depth(tree[at.children[0]]);
  const bool operates =
      at.kind == ExprKind::unary ||
      (at.kind == ExprKind::binary && std::string_view("+-*/").find(at.text) != std::string_view::npos);
  return operates && std::ranges::all_of(at.children, [&](ExprId child) { return is_readable(tree, child); });
}

/// The sizes that are known; the others are variables.
using Given = std::map<std::string, std::int64_t>;

/// Reads the sides of a claim.
class ClaimReader {
 public:
  ClaimReader(Elaborator& elaborator, const Context& outer, const std::vector<std::string>& names, const Given& given)
      : elaborator_(elaborator), scope_(outer.scope), context_(outer.in(scope_)), names_(names), given_(given) {
    ir::Module& module = elaborator.module;
    for (const std::string& name : names) {
      const auto known = given.find(name);
      if (known != given.end()) scope_.bind(name, Value{mpq_class(static_cast<long>(known->second))});
      else scope_.bind(name, Value{SymbolicInteger{module.indices().dimension(module.symbol(name))}});
    }
    claim_.sizes = names.size();
  }
  ClaimReader(const ClaimReader&) = delete;

  /// A quotient of two polynomials.
  struct Side {
    Polynomial above, below{1};
  };

  std::optional<Side> read(ExprId id) {
    const Expr& at = elaborator_.expr(context_, id);
    if (at.kind == ExprKind::name) {
      if (is_open(at.text)) return Side{size_variable(at.text)};
      if (is_unit(at)) return Side{Polynomial::variable(ir::unit_variable)};
    }
    if (at.kind == ExprKind::unary && at.text == "-") {
      auto inner = read(at.children[0]);
      if (inner) inner->above = inner->above * Polynomial(-1);
      return inner;
    }
    if (at.kind == ExprKind::binary) return operation(at);
    if (at.kind == ExprKind::call) {
      const Expr& callee = elaborator_.expr(context_, at.children[0]);
      if (is_bound(callee)) return bound(at, callee.text == "bound_dot");
      if (is_depth(callee)) return depth(at);
    }
    return number(id);
  }

  ir::GrowthClaim& claim() { return claim_; }

 private:
  static constexpr long most_leaves = 1L << 24;

  bool is_open(const std::string& name) const {
    return std::ranges::find(names_, name) != names_.end() && !given_.contains(name);
  }
  Polynomial size_variable(const std::string& name) const {
    const auto place = std::ranges::find(names_, name) - names_.begin();
    return Polynomial::variable(ir::first_size + static_cast<std::size_t>(place));
  }
  /// `u` is the unit roundoff where the program says nothing else of it.
  bool is_unit(const Expr& at) const {
    return at.kind == ExprKind::name && at.text == "u" && context_.scope->find("u") == nullptr &&
           !elaborator_.session->definitions.contains("u");
  }

  std::optional<Side> number(ExprId id) {
    const SourceSpan at = elaborator_.expr(context_, id).span;
    const Maybe value = elaborator_.elaborate(context_, id);
    if (!value) return std::nullopt;
    if (const auto* rational = value->get_if<mpq_class>()) return Side{Polynomial(*rational)};
    if (const auto* decimal = value->get_if<DecimalValue>()) return Side{Polynomial(decimal->value)};
    elaborator_.report(
        Diagnostic(code::static_needed, at,
                   fmt::format("a claim for all sizes is about numbers, sizes and `u`, and this is {}",
                               elaborator_.kind_text(*value)))
            .help("it may have `+ - * /`, `bound(S, n)`, `bound(S, n, u)`, `bound_dot` and `depth(S, n)`"));
    return std::nullopt;
  }

  std::optional<Side> operation(const Expr& at) {
    if (at.text != "+" && at.text != "-" && at.text != "*" && at.text != "/") {
      elaborator_.report(
          Diagnostic(code::static_needed, at.span, fmt::format("a claim for all sizes has no `{}`", at.text))
              .help("it may have `+ - * /`, `bound(S, n)`, `bound(S, n, u)`, `bound_dot` and `depth(S, n)`"));
      return std::nullopt;
    }
    auto left = read(at.children[0]), right = left ? read(at.children[1]) : std::nullopt;
    if (!right) return std::nullopt;
    if (at.text == "*") return Side{left->above * right->above, left->below * right->below};
    if (at.text == "/") {
      if (right->above.is_zero()) {
        elaborator_.fail(code::static_needed, at.span, "this divides by 0");
        return std::nullopt;
      }
      return Side{left->above * right->below, left->below * right->above};
    }
    const Polynomial second = right->above * left->below * Polynomial(at.text == "+" ? 1 : -1);
    return Side{left->above * right->below + second, left->below * right->below};
  }

  /// A schedule, its number of leaves, and its place in the source.
  struct Leaves {
    ir::ScheduleId schedule;
    Polynomial count;
    SourceSpan at;
  };
  std::optional<Leaves> leaves(const Expr& call) {
    const Maybe order = elaborator_.elaborate(context_, call.children[1]);
    if (!order) return std::nullopt;
    const SourceSpan at = elaborator_.expr(context_, call.children[1]).span;
    const auto schedule = elaborator_.schedule_of(*order, at, false);
    if (!schedule) return std::nullopt;
    const SourceSpan count_at = elaborator_.expr(context_, call.children[2]).span;
    const auto count = read(call.children[2]);
    if (!count) return std::nullopt;
    const auto known = count->above.constant();
    if (!(count->below == Polynomial(1)) || (known && (*known < 1 || known->get_den() != 1))) {
      elaborator_.fail(code::empty_reduction, count_at, "a tree has at least one leaf, and a whole number of them");
      return std::nullopt;
    }
    if (!is_of_sizes(count->above)) {
      elaborator_.fail(code::static_needed, count_at, "a number of leaves is made of sizes and numbers alone");
      return std::nullopt;
    }
    return Leaves{*schedule, count->above, at};
  }
  /// Whether it has neither the unit roundoff nor bounds and heights of other trees.
  bool is_of_sizes(const Polynomial& of) const {
    return std::ranges::all_of(of.terms(), [&](const auto& term) {
      const Polynomial::Exponents& exponents = term.first;
      return exponents.size() <= ir::first_size + names_.size() &&
             (exponents.empty() || exponents[ir::unit_variable] == 0);
    });
  }

  std::optional<HeightRange> height(ir::ScheduleId schedule, const Leaves& of) {
    ir::Module& module = elaborator_.module;
    if (const auto known = of.count.constant()) {
      if (*known > most_leaves) {
        // Of sizes that are tried, such a one is left out.
        if (given_.empty())
          elaborator_.fail(code::static_needed, of.at,
                           "a tree in a claim has at most 2^24 leaves, where their number is known");
        return std::nullopt;
      }
      const auto [shape, problem] = ir::shape_of(module.schedules(), schedule, known->get_num().get_si());
      if (problem) {
        elaborator_.report(ir::schedule_diagnostic(module, schedule, *problem, of.at));
        return std::nullopt;
      }
      const Polynomial exact(mpq_class(module.schedules().trees().depth(shape)));
      return HeightRange{exact, exact};
    }
    // Of another number than the first size, only this is known.
    if (!(of.count == Polynomial::variable(ir::first_size)))
      return HeightRange{Polynomial(0), of.count - Polynomial(1)};
    return ir::height_of(module.schedules(), schedule);
  }

  Side atom(ClaimAtom made) {
    claim_.atoms.push_back(std::move(made));
    return Side{Polynomial::variable(ir::first_size + names_.size() + claim_.atoms.size() - 1)};
  }

  std::optional<Side> depth(const Expr& call) {
    if (call.children.size() != 3) return number_of_arguments(call);
    const auto of = leaves(call);
    if (!of || !has_tree(*of)) return std::nullopt;
    auto found = height(of->schedule, *of);
    if (!found) return std::nullopt;
    return atom({.kind = ClaimAtom::Kind::height, .height = std::move(*found)});
  }

  bool has_tree(const Leaves& of) {
    const ScheduleOp op = elaborator_.module.schedules()[of.schedule].op;
    if (!ir::is_arithmetic(op) && !ir::is_set_of_orders(op)) return true;
    refuse(of, "has no single tree");
    return false;
  }
  std::optional<Side> refuse(const Leaves& of, const std::string& why) {
    elaborator_.report(Diagnostic(code::bad_accumulator, of.at,
                                  fmt::format("`{}` {}", ir::schedule_text(elaborator_.module, of.schedule), why))
                           .help("claims for all sizes are about orders of additions, `any`, `rounded_once` and, of "
                                 "products, `fused(S)`; "
                                 "for one size and format there is `bound(S, n, f32)`"));
    return std::nullopt;
  }
  std::optional<Side> number_of_arguments(const Expr& call) {
    elaborator_.report(Diagnostic(code::argument_count, call.span,
                                  "a claim for all sizes takes a schedule and a number of leaves here")
                           .help("write `bound(tree, n)`, `bound(tree, n, u)` or `depth(tree, n)`; `u` stands for the "
                                 "unit roundoff of any format"));
    return std::nullopt;
  }

  std::optional<Side> bound(const Expr& call, bool dot) {
    const bool of_unit = call.children.size() == 4 && is_unit(elaborator_.expr(context_, call.children[3]));
    if (call.children.size() != 3 && !of_unit) return number_of_arguments(call);
    const auto of = leaves(call);
    if (!of) return std::nullopt;
    const ir::ScheduleStore& schedules = elaborator_.module.schedules();
    const ir::ScheduleNode node = schedules[of->schedule];
    const Polynomial u = Polynomial::variable(ir::unit_variable), products(dot ? 1 : 0);
    ir::ScheduleId tree = of->schedule;
    bool rounds_once = node.op == ScheduleOp::rounded_once;
    if (node.op == ScheduleOp::fused && dot) {
      tree = node.operands[0];
      rounds_once = schedules[tree].op == ScheduleOp::rounded_once;
    }
    if (rounds_once) {
      const Polynomial rounded_products = dot && tree == of->schedule ? u + u * u : Polynomial();
      return Side{u + rounded_products};
    }
    const ScheduleOp inner = schedules[tree].op;
    const bool is_set = inner == ScheduleOp::any || inner == ScheduleOp::any_tree || inner == ScheduleOp::any_seq;
    if (!is_set && (ir::is_set_of_orders(inner) || (ir::is_arithmetic(node.op) && tree == of->schedule)))
      return refuse(*of, "has no bound of this form");
    if (is_set && of_unit) return refuse(*of, "has no single tree, of which a growth factor would be");
    ClaimAtom made{.kind = of_unit ? ClaimAtom::Kind::growth : ClaimAtom::Kind::minimum};
    // Jeannerod and Rump: any order, rounded to nearest (ir/schedule/bounds.h).
    if (!of_unit) made.polynomial = (of->count - Polynomial(1) + products) * u;
    if (!is_set) {
      auto found = height(tree, *of);
      if (!found) return std::nullopt;
      found->low = found->low + products;
      found->high = found->high + products;
      made.height = std::move(*found);
    }
    return atom(std::move(made));
  }

  Elaborator& elaborator_;
  Scope scope_;
  const Context context_;
  const std::vector<std::string>& names_;
  const Given& given_;
  ir::GrowthClaim claim_;
};

/// The value of a polynomial that has no other variables than these.
mpq_class value_at(const Polynomial& of, const std::map<std::size_t, mpq_class>& values) {
  Polynomial out = of;
  for (const auto& [variable, value] : values) out = out.with(variable, Polynomial(value));
  return *out.constant();
}

mpq_class growth_at(long height, const mpq_class& u) {
  mpq_class out = 1, square = 1 + u;
  for (; height > 0; height /= 2, square *= square) {
    if (height % 2 != 0) out *= square;
  }
  return out - 1;
}

class BoundClaim {
 public:
  /// `names`: of sizes, and perhaps that of the unit roundoff.
  BoundClaim(Elaborator& elaborator, const Context& outer, const Item& item, std::vector<std::string> names,
             ElaboratedItem& out)
      : elaborator_(elaborator),
        outer_(outer),
        item_(item),
        names_(std::move(names)),
        out_(out),
        whole_(elaborator.expr(outer, item.body)) {
    const bool is_defined = outer.scope->find("u") != nullptr || elaborator.session->definitions.contains("u");
    if (!is_defined) std::erase(names_, "u");
  }
  BoundClaim(const BoundClaim&) = delete;

  bool elaborate() {
    if (!is_known_relation()) return false;
    const std::size_t reported = elaborator_.diagnostics.size();
    auto open = claim_for({}, true);
    if (!open) return false;
    const bool has_unit =
        std::ranges::any_of(open->claim.atoms,
                            [](const ClaimAtom& atom) { return atom.kind != ClaimAtom::Kind::height; }) ||
        std::ranges::any_of(open->differences,
                            [](const Polynomial& each) { return each.degree(ir::unit_variable) > 0; });
    if (refuted()) {
      elaborator_.diagnostics.resize(reported);
      return true;
    }
    if (elaborator_.diagnostics.size() > reported) return false;
    out_.static_truth = true;
    const bool proved = proves(*open);
    elaborator_.diagnostics.resize(reported);
    std::vector<std::string> of;
    if (!names_.empty()) of.push_back(fmt::format("{} > 0", fmt::join(names_, ", ")));
    if (has_unit) of.emplace_back("0 < u <= 1/2");
    of.insert(of.end(), conditions_.begin(), conditions_.end());
    const std::string all = fmt::format("{}", fmt::join(of, ", "));
    if (proved) out_.all_sizes = all;
    else out_.undecided = fmt::format("{}, and is not decided for all {}", tried_, all);
    return true;
  }

 private:
  static constexpr int largest_power = 20;
  static constexpr long most_bits = 20'000;  ///< of a growth factor

  bool is_known_relation() {
    if (whole_.text == "<=" || whole_.text == ">=" || whole_.text == "==") return true;
    elaborator_.report(
        Diagnostic(code::static_needed, whole_.operator_span, "claims for all sizes have `<=`, `>=` or `==`"));
    return false;
  }

  /// The claim that both sides have this relation: right - left is 0 or more, and for `==` left - right.
  struct Read {
    ir::GrowthClaim claim;
    ClaimReader::Side left, right;
    std::vector<Polynomial> differences;
  };
  std::optional<Read> claim_for(const Given& given, bool notes_conditions = false) {
    ClaimReader reader(elaborator_, outer_, names_, given);
    const auto left = reader.read(whole_.children[0]), right = left ? reader.read(whole_.children[1]) : std::nullopt;
    if (!right) return std::nullopt;
    Read out{.claim = {}, .left = *left, .right = *right, .differences = {}};
    std::vector<Polynomial> positive;
    for (const ForClause& clause : item_.clauses) {
      if (clause.kind != ForClause::Kind::condition) {
        elaborator_.fail(code::static_needed, clause.span,
                         "a claim for all sizes has names that it mentions, and conditions with `<` or `>`");
        return std::nullopt;
      }
      const Expr& condition = elaborator_.expr(outer_, clause.values[0]);
      if (condition.kind != ExprKind::binary || (condition.text != "<" && condition.text != ">")) {
        elaborator_.fail(code::static_needed, condition.span, "a condition of such a claim has `<` or `>`");
        return std::nullopt;
      }
      const auto low = reader.read(condition.children[condition.text == "<" ? 0 : 1]),
                 high = low ? reader.read(condition.children[condition.text == "<" ? 1 : 0]) : std::nullopt;
      if (!high) return std::nullopt;
      if (!low->below.constant() || !high->below.constant()) {
        elaborator_.fail(code::static_needed, condition.span, "a condition of such a claim divides by numbers alone");
        return std::nullopt;
      }
      const auto divided = [](const ClaimReader::Side& side) {
        return side.above * Polynomial(1 / *side.below.constant());
      };
      positive.push_back(divided(*high) - divided(*low));
      if (notes_conditions) conditions_.emplace_back(elaborator_.sources.text(condition.span));
    }
    out.claim = std::move(reader.claim());
    out.claim.assumed = positive;
    // What is divided by is a positive number, or said to be positive.
    for (const ClaimReader::Side& side : {*left, *right}) {
      const auto number = side.below.constant();
      const auto is_multiple = [&](const Polynomial& of) { return is_positive_multiple(side.below, of); };
      if ((number && *number > 0) || std::ranges::any_of(positive, is_multiple)) continue;
      elaborator_.report(
          Diagnostic(code::static_needed, whole_.span, "a claim for all sizes divides by what is known to be positive")
              .help("say so: `... <= (n - 1) * u / (1 - (n - 1) * u) for all n, (n - 1) * u < 1`"));
      return std::nullopt;
    }
    const Polynomial difference = right->above * left->below - left->above * right->below;
    if (whole_.text != ">=") out.differences.push_back(difference);
    if (whole_.text != "<=") out.differences.push_back(difference * Polynomial(-1));
    return out;
  }

  static bool is_positive_multiple(const Polynomial& left, const Polynomial& right) {
    if (left.is_zero() || right.is_zero()) return false;
    const mpq_class factor = left.terms().begin()->second / right.terms().begin()->second;
    return factor > 0 && left == right * Polynomial(factor);
  }

  static bool shows(Read& read, std::int64_t from) {
    return std::ranges::all_of(read.differences, [&](const Polynomial& difference) {
      read.claim.difference = difference;
      return ir::is_shown(read.claim, from);
    });
  }

  bool proves(Read& open) {
    if (shows(open, 1)) return true;
    if (names_.size() != 1) return false;
    for (std::int64_t from = 2; from <= 2048; from *= 2) {
      if (!shows(open, from)) continue;
      for (std::int64_t n = 1; n < from; ++n) {
        auto of_size = claim_for({{names_[0], n}});
        if (!of_size || !shows(*of_size, 1)) return false;
      }
      return true;
    }
    return false;
  }

  bool refuted() {
    // Unit roundoffs of formats, from that of 2 bits to that of f64.
    const std::vector<int> precisions{2, 3, 4, 8, 11, 24, 53};
    const std::int64_t greatest = names_.size() == 1 ? 64 : names_.size() == 2 ? 12 : 4;
    const std::size_t reported = elaborator_.diagnostics.size();
    int tried = 0, left_out = 0;  // sizes; those whose trees are too large
    int powers = 0;               // powers of two that were tried
    enum class State : std::uint8_t { holds, fails, left_out, refused };
    const auto state_of = [&](const Given& sizes) {
      const auto read = claim_for(sizes);
      if (!read && elaborator_.diagnostics.size() > reported) {
        note_case(elaborator_, reported, text_of(sizes));
        return State::refused;
      }
      if (!read) return State::left_out;
      const auto fails = [&](int precision) { return fails_at(*read, sizes, precision); };
      return std::ranges::any_of(precisions, fails) ? State::fails : State::holds;
    };
    Given given;
    for (const std::string& name : names_) given[name] = 1;
    std::size_t k = 0;
    do {
      const State state = state_of(given);
      if (state == State::fails || state == State::refused) return state == State::fails;
      left_out += state == State::left_out ? 1 : 0;
      ++tried;
      for (k = 0; k < names_.size() && ++given[names_[k]] > greatest; ++k) given[names_[k]] = 1;
    } while (k < names_.size());
    tried_ = names_.empty() ? "it holds for the unit roundoffs of formats"
                            : fmt::format("it holds for {} up to {}", fmt::join(names_, ", "), greatest);
    if (left_out > 0) tried_ += fmt::format(" but for {} sizes whose trees are too large to be tried", left_out);
    if (left_out == tried) tried_ = "it was tried at no size, as the trees are too large";
    if (names_.size() != 1 || left_out == tried) return false;
    for (int power = 7; power <= largest_power; ++power) {
      const State state = state_of({{names_[0], std::int64_t{1} << power}});
      if (state == State::fails || state == State::refused) return state == State::fails;
      powers += state == State::holds ? 1 : 0;
    }
    if (powers > 0) tried_ += fmt::format(" and {} powers of two after it", powers);
    return false;
  }

  std::vector<std::string> text_of(const Given& given) const {
    std::vector<std::string> out;
    for (const std::string& name : names_) out.push_back(fmt::format("{} = {}", name, given.at(name)));
    return out;
  }

  bool fails_at(const Read& read, const Given& given, int precision) {
    mpq_class u(1);
    mpq_div_2exp(u.get_mpq_t(), u.get_mpq_t(), static_cast<mp_bitcnt_t>(precision));
    std::map<std::size_t, mpq_class> values{{ir::unit_variable, u}};
    for (std::size_t k = 0; k < read.claim.atoms.size(); ++k) {
      const ClaimAtom& atom = read.claim.atoms[k];
      std::optional<mpq_class> value;
      if (atom.polynomial) value = value_at(*atom.polynomial, {{ir::unit_variable, u}});
      if (atom.height) {
        const mpq_class height = *atom.height->low.constant();
        const bool is_height = atom.kind == ClaimAtom::Kind::height;
        if (!is_height && height * precision > most_bits) return false;
        const mpq_class other = is_height ? height : growth_at(height.get_num().get_si(), u);
        value = value ? std::min(*value, other) : other;
      }
      values[ir::first_size + names_.size() + k] = *value;
    }
    for (const Polynomial& condition : read.claim.assumed) {
      if (value_at(condition, values) <= 0) return false;
    }
    const mpq_class left = value_at(read.left.above, values) / value_at(read.left.below, values),
                    right = value_at(read.right.above, values) / value_at(read.right.below, values);
    const bool holds = whole_.text == "==" ? left == right : whole_.text == "<=" ? left <= right : left >= right;
    if (holds) return false;
    out_.static_truth = false;
    std::vector<std::string> at = text_of(given);
    at.push_back(fmt::format("u = 2^-{}", precision));
    out_.failing_case = fmt::format("{}", fmt::join(at, ", "));
    out_.left_text = fmt::format("{:.6g}", left.get_d());
    out_.right_text = fmt::format("{:.6g}", right.get_d());
    return true;
  }

  Elaborator& elaborator_;
  const Context& outer_;
  const Item& item_;
  std::vector<std::string> names_;  ///< of sizes
  ElaboratedItem& out_;
  const Expr whole_;
  std::vector<std::string> conditions_;
  std::string tried_;
};

}  // namespace

std::optional<bool> elaborate_bound_claim(Elaborator& elaborator, const Context& context, const Item& item,
                                          const std::vector<std::string>& names, ElaboratedItem& out) {
  const Program& tree = elaborator.programs[context.program].tree;
  const Expr& whole = tree[item.body];
  if (whole.kind != ExprKind::binary || (whole.text != "==" && !is_inequality(whole.text))) return std::nullopt;
  const auto calls = [&](bool (*which)(const Expr&)) {
    return find_expression(tree, item.body,
                           [&](const Expr& at) { return at.kind == ExprKind::call && which(tree[at.children[0]]); });
  };
  const bool of_depths = calls(is_depth) && is_inequality(whole.text) && is_readable(tree, whole.children[0]) &&
                         is_readable(tree, whole.children[1]);
  if (!calls(is_bound) && !of_depths) return std::nullopt;
  return BoundClaim(elaborator, context, item, names, out).elaborate();
}

}  // namespace reckon::frontend
