#include "check/within_bound.h"

#include "check/other_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "diagnostics/codes/check_signatures.h"
#include "diagnostics/codes/no_distance.h"
#include "diagnostics/codes/shape_mismatch.h"
#include "ir/fold_operation.h"
#include "ir/integer.h"
#include "numerics/decimal_upward.h"
#include "numerics/format.h"
#include "semantics/standard.h"

namespace reckon::check {

using interp::Truth;

namespace {

/// Every node that a circuit is made of.
std::set<ir::NodeId> nodes_of(const ir::Module& module, ir::NodeId root) {
  std::set<ir::NodeId> seen{root};
  std::vector<ir::NodeId> work{root};
  while (!work.empty()) {
    const ir::Node& node = module[work.back()];
    work.pop_back();
    for (ir::NodeId operand : node.operands) {
      if (seen.insert(operand).second) work.push_back(operand);
    }
  }
  return seen;
}

/// Whether a reduction is by a set of orders.
bool is_open(const ir::Module& module, const ir::Function& function) {
  for (ir::NodeId id : nodes_of(module, function.body)) {
    const ir::Op op = module[id].op;
    if (op != ir::Op::reduce && op != ir::Op::scan) continue;
    if (ir::is_set_of_orders(module.schedules()[module.reduction_of(id).schedule].op)) return true;
  }
  return false;
}

std::string few_digits(const mpq_class& value, int digits = 2) { return numerics::decimal_upward(value, digits); }

/// The most elements whose allowance is kept.
constexpr std::int64_t max_allowances = 1024;

/// The fewest digits that show that the difference is larger than the allowance.
int distinguishing_digits(const mpq_class& difference, const mpq_class& allowed) {
  int digits = 2;
  while (digits < 17 && few_digits(difference, digits) == few_digits(allowed, digits)) ++digits;
  return digits;
}

bool is_number(std::uint64_t bits, ir::Scalar scalar) {
  return !ir::is_float(scalar) || numerics::is_finite(bits, ir::format_of(scalar));
}
bool is_zero(std::uint64_t bits, ir::Scalar scalar) {
  return ir::is_float(scalar) && numerics::magnitude_bits(bits, ir::format_of(scalar)) == 0;
}

}  // namespace

bool is_plain(const ir::Module& module, const ir::Function& function) {
  if (!function.parameters.empty()) return false;
  for (ir::NodeId id : nodes_of(module, function.body)) {
    const ir::Op op = module[id].op;
    if (op == ir::Op::reduce || op == ir::Op::scan) return false;
    if (ir::is_scalar_operation(op) && op != ir::Op::convert) return false;
  }
  return true;
}

interp::Rendering as_float(std::uint64_t bits, ir::Scalar scalar) {
  if (ir::is_integer(scalar)) {
    const std::string text = ir::integer_text(scalar, bits);
    return {text, {{"value", text}}};
  }
  if (!ir::is_float(scalar)) {
    const std::string text = bits != 0 ? "true" : "false";
    return {text, {{"value", text}}};
  }
  const ir::Format format = ir::format_of(scalar);
  const std::string text = numerics::shortest_decimal(bits, format);
  return {text,
          {{"value", text},
           {"hex", numerics::hexadecimal(bits, format)},
           {"bits", numerics::bit_digits(bits, format)}}};
}

Expected<WithinBound> WithinBound::make(ir::Module& module, const frontend::ElaboratedItem& item,
                                        const interp::Semantics& semantics) {
  const SourceSpan at = item.tolerance_span.known() ? item.tolerance_span : item.span;
  if (!semantics.traits().rounds_to_nearest) {
    return Diagnostic(
               code::no_distance, at,
               fmt::format("`within bound` asks what the rounding of `float` explains, and this check is in `{}`",
                           semantics.name()))
        .help("write `within bound in float`");
  }
  WithinBound out(module, item);
  out.left_plain_ = is_plain(module, *item.left);
  out.right_plain_ = is_plain(module, *item.right);
  if (out.left_plain_ && out.right_plain_) {
    return Diagnostic(code::no_distance, at,
                      "no side of this check is computed by a circuit, so nothing says how much rounding is allowed")
        .help("give a distance: `within 4 ulp`, `within 1e-3`, `within relative 1e-6`");
  }
  out.bound_ = interp::bounds();
  out.left_open_ = is_open(module, *item.left);
  out.right_open_ = is_open(module, *item.right);
  if (item.order) {
    if (!out.left_plain_ && !out.right_plain_) {
      return Diagnostic(code::check_signatures, at,
                        "both sides of this check are circuits, and state the orders of their sums themselves")
          .help(fmt::format("leave `by {}` out: it is the order of a result from elsewhere", item.order_text));
    }
    auto named = in_order(module, out.plain_sides_circuit(), *item.order, at, item.order_text);
    if (!named) return named.error();
    out.named_ = std::move(*named);
    out.loose_open_ = ir::is_set_of_orders(module.schedules()[*item.order].op);
  }
  for (const bool left : {true, false}) {
    const bool any_order = left ? out.left_open_ || (out.right_plain_ && out.loose_open_)
                                : out.right_open_ || (out.left_plain_ && out.loose_open_);
    const ir::Function& circuit = left ? *item.left : *item.right;
    const auto reduction = ir::reduction_by_function(module, circuit.body);
    if (!any_order || !reduction) continue;
    const ir::PlacesGuard placing(module, circuit.places);
    return ir::orders_of_function(module, *reduction)
        .with(at, (left ? out.right_plain_ : out.left_plain_)
                      ? "the other side's order is not known, so any order is allowed for it"
                      : "a sum of this side leaves its order open, so any order is allowed here")
        .help("compare with a circuit that states its order, or give a distance: `within 1e-3`");
  }
  if (((out.left_plain_ || out.right_plain_) && out.loose_open_) || out.left_open_ || out.right_open_) {
    out.any_order_ = interp::bounds_for_any_order();
  }
  return out;
}

void WithinBound::describe(Finding& out, const mpq_class& left, const mpq_class& right, const mpq_class& any_order,
                           const std::optional<mpq_class>& difference) const {
  const mpq_class on_left = left + (left_plain_ ? any_order : 0), on_right = right + (right_plain_ ? any_order : 0);
  const mpq_class allowed = on_left + on_right;
  const int digits = difference ? distinguishing_digits(*difference, allowed) : 2;
  const auto side = [&](const mpq_class& amount, bool plain, bool open) {
    const std::string how = plain && named_ ? fmt::format(", by {},", item_->order_text) : plain || open ? ", in any order," : "";
    return few_digits(amount, digits) + how;
  };
  out.allowance = fmt::format("{} in all: {} on the left and {} on the right{}", few_digits(allowed, digits),
                              side(on_left, left_plain_, left_open_), side(on_right, right_plain_, right_open_),
                              difference ? "; the difference is " + few_digits(*difference, digits) : "");
  out.amounts = {{"allowed", few_digits(allowed, 17)},
                 {"allowed_left", few_digits(on_left, 17)},
                 {"allowed_right", few_digits(on_right, 17)}};
  if (difference) out.amounts.push_back({"difference", few_digits(*difference, 17)});
}

/// The results of both sides, and those of the circuit that says how large the error of a side may be that no circuit
/// computes; each under its own semantics.
struct WithinBound::Sides {
  interp::Semantics &of_left, &of_right, &of_loose;
  std::vector<interp::Values> left, right;
  std::optional<std::vector<interp::Values>> loose;  ///< where one side is plain
};

Expected<WithinBound::Sides> WithinBound::evaluate(const std::vector<interp::Argument>& arguments,
                                                   const ir::Dimensions& sizes,
                                                   const interp::EvaluateOptions& options) {
  Sides out{semantics_of(left_open_), semantics_of(right_open_), semantics_of(loose_open_ && any_order_ != nullptr)};
  auto left = interp::evaluate(*module_, *item_->left, out.of_left, arguments, sizes, options);
  if (!left) return left.error();
  out.left = std::move(*left);
  auto right = interp::evaluate(*module_, *item_->right, out.of_right, arguments, {}, options);
  if (!right) return right.error();
  out.right = std::move(*right);
  if (left_plain_ || right_plain_) {
    auto loose = interp::evaluate(*module_, plain_sides_circuit(), out.of_loose, arguments,
                                  left_plain_ ? ir::Dimensions{} : sizes, options);
    if (!loose) return loose.error();
    out.loose = std::move(*loose);
  }
  return out;
}

/// Compares the results element by element, and keeps the one that exceeds its allowance by most.
class WithinBound::Elements {
 public:
  Elements(const WithinBound& check, const Sides& sides) : check_(check), sides_(sides) {
    out_.parts = sides.left.size();
  }

  Expected<Finding> compare() {
    for (std::size_t part = 0; part < out_.parts; ++part) {
      const interp::Values &a = sides_.left[part], &b = sides_.right[part];
      if (a.shape() != b.shape()) {
        return Diagnostic(code::shape_mismatch, check_.item_->span,
                          fmt::format("the results have shapes [{}] and [{}]", fmt::join(a.shape(), ", "),
                                      fmt::join(b.shape(), ", ")));
      }
      for (std::int64_t i = 0; i < a.count(); ++i) compare(part, i);
    }
    return std::move(out_);
  }

 private:
  struct Element {
    std::size_t part;
    std::int64_t at;
    ir::Scalar scalar;
    const std::byte *left, *right, *loose;  ///< null where there is no such value
    std::uint64_t x, y;                     ///< the patterns of left and right
    bool sampled;                           ///< whether its allowance is kept
  };

  void compare(std::size_t part, std::int64_t i) {
    const interp::Values &a = sides_.left[part], &b = sides_.right[part];
    const ir::Scalar scalar = a.scalar();
    const std::uint64_t x = *sides_.of_left.bits(scalar, a.at(i)), y = *sides_.of_right.bits(scalar, b.at(i));
    ++out_.compared;
    const bool both_zero = is_zero(x, scalar) && is_zero(y, scalar);
    out_.any_zero |= both_zero;
    if (!out_.any_finite) out_.any_finite = is_number(x, scalar) && is_number(y, scalar) && !both_zero;
    const std::int64_t step = std::max<std::int64_t>(a.count() / max_allowances, 1);
    const bool sampled = i % step == 0 && out_.parts == 1 && ir::is_float(scalar);
    if (x == y && !sampled) return;
    const std::byte* loose = sides_.loose ? (*sides_.loose)[part].at(i) : nullptr;
    const Element element{part, i, scalar, a.at(i), b.at(i), loose, x, y, sampled};
    if (ir::is_float(scalar)) compare_numbers(element);
    else compare_truths(element);
  }

  /// Compares bools: if rounding may change the comparison, rounding explains the difference.
  void compare_truths(const Element& e) {
    const bool certain = check_.bound_->equal(e.scalar, e.left, e.right) == Truth::no &&
                         (!sides_.loose || sides_.of_loose.equal(e.scalar, e.loose, e.loose) == Truth::yes);
    if (!certain || beyond_) return;
    beyond_ = true;
    fails(e);
  }

  void compare_numbers(const Element& e) {
    const ir::Format format = ir::format_of(e.scalar);
    // Rounding does not turn a number into a NaN.
    const bool nan_apart = numerics::is_nan(e.x, format) ? is_number(e.y, e.scalar)
                                                         : numerics::is_nan(e.y, format) && is_number(e.x, e.scalar);
    const auto left_bound = sides_.of_left.error_bound(e.scalar, e.left);
    const auto right_bound = sides_.of_right.error_bound(e.scalar, e.right);
    const auto loose_bound = sides_.loose ? sides_.of_loose.error_bound(e.scalar, e.loose) : mpq_class(0);
    // Rounding does not turn a result that stays within its format into a plain value that is not a number.
    const auto u = numerics::exact_value(e.x, format), v = numerics::exact_value(e.y, format);
    const bool plain_left = check_.left_plain_ && !u, plain_right = check_.right_plain_ && !v;
    if (e.x == e.y && (!left_bound || !right_bound || !loose_bound)) return;
    if (!nan_apart && (!loose_bound || (!left_bound && !plain_left) || (!right_bound && !plain_right))) {
      return doubts(!left_bound && !plain_left     ? sides_.of_left.render(e.scalar, e.left)
                    : !right_bound && !plain_right ? sides_.of_right.render(e.scalar, e.right)
                                                   : sides_.of_loose.render(e.scalar, e.loose));
    }
    const mpq_class allowed = left_bound.value_or(0) + right_bound.value_or(0) + loose_bound.value_or(0);
    std::optional<mpq_class> difference;
    if (u && v) difference = abs(*u - *v);
    if (difference) keep_allowance(e, {e.at, allowed.get_d(), u->get_d(), v->get_d()});
    if (!exceeds(difference, allowed)) return;
    fails(e);
    const auto ulps = numerics::ulps_apart(e.x, e.y, format);
    out_.distance = ulps && difference ? fmt::format("{} ulp", *ulps) : "";
    if (nan_apart) return;
    check_.describe(out_, left_bound.value_or(0), right_bound.value_or(0), *loose_bound, difference);
  }

  void keep_allowance(const Element& e, const Allowance& here) {
    if (e.sampled) out_.allowances.push_back(here);
    if (here.allowed >= out_.most.allowed) out_.most = here;
  }

  /// Whether the difference exceeds the allowance by more than any before; no difference: it is beyond all numbers.
  bool exceeds(const std::optional<mpq_class>& difference, const mpq_class& allowed) {
    if (!difference) return !std::exchange(beyond_, true);
    const mpq_class excess = *difference - allowed;
    if (excess <= 0) out_.largest = std::max(out_.largest, *difference);
    if (excess <= 0 || beyond_ || (worst_ && excess <= *worst_)) return false;
    worst_ = excess;
    return true;
  }

  void doubts(const interp::Rendering& value) {
    if (out_.truth != Truth::no) out_.truth = Truth::unknown;
    if (out_.doubt.empty()) out_.doubt = fmt::format("there is no bound on a result: {}", value.text);
  }

  void fails(const Element& e) {
    out_.truth = Truth::no;
    out_.shape = sides_.left[e.part].shape();
    out_.element = e.at;
    out_.part = e.part;
    out_.left = as_float(e.x, e.scalar);
    out_.right = as_float(e.y, e.scalar);
  }

  const WithinBound& check_;
  const Sides& sides_;
  Finding out_;
  std::optional<mpq_class> worst_;  ///< the largest excess so far; none: no excess, or one beyond all numbers
  bool beyond_ = false;
};

Expected<WithinBound::Finding> WithinBound::compare(const std::vector<interp::Argument>& arguments,
                                                    const ir::Dimensions& sizes,
                                                    const interp::EvaluateOptions& options) {
  const auto sides = evaluate(arguments, sizes, options);
  if (!sides) return sides.error();
  return Elements(*this, *sides).compare();
}

const ir::Function& WithinBound::plain_sides_circuit() const {
  if (named_) return *named_;
  return left_plain_ ? *item_->right : *item_->left;
}

std::string WithinBound::verdict() const {
  const bool plain = left_plain_ || right_plain_;
  if (plain && named_ && !loose_open_) {
    return fmt::format("no rounding explains this, of sums by {}: it is not what the circuit computes", item_->order_text);
  }
  if (plain || left_open_ || right_open_) {
    return fmt::format("no rounding explains this, in any order of the sums{}: it is not what the circuit computes",
                       named_ ? fmt::format(" by {}", item_->order_text) : "");
  }
  return "no rounding explains this: the two sides compute different things";
}

PowerSeen WithinBound::power(const Finding& finding, const std::vector<interp::Argument>& arguments,
                             const ir::Dimensions& sizes, const interp::EvaluateOptions& options) {
  return power_of(*module_, left_plain_ ? *item_->right : *item_->left, !left_plain_, finding.most, finding.allowances,
                  arguments, sizes, options);
}

}  // namespace reckon::check
