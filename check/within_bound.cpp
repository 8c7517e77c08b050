#include "check/within_bound.h"

#include <fmt/format.h>

#include <set>

#include "numerics/decimal_upward.h"
#include "numerics/format.h"

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

/// A closed circuit that only picks, places and converts numbers that were there before.
bool is_plain(const ir::Module& module, const ir::Function& function) {
  if (!function.parameters.empty()) return false;
  for (ir::NodeId id : nodes_of(module, function.body)) {
    const ir::Op op = module[id].op;
    if (op == ir::Op::reduce || op == ir::Op::scan) return false;
    if (ir::is_scalar_operation(op) && op != ir::Op::convert) return false;
  }
  return true;
}

std::optional<ir::NodeId> reduction_by_function(const ir::Module& module, const ir::Function& function) {
  for (ir::NodeId id : nodes_of(module, function.body)) {
    const ir::Op op = module[id].op;
    if ((op == ir::Op::reduce || op == ir::Op::scan) && module.reduction_of(id).user) return id;
  }
  return std::nullopt;
}

/// A reduction by a set of orders.
bool is_open(const ir::Module& module, const ir::Function& function) {
  for (ir::NodeId id : nodes_of(module, function.body)) {
    const ir::Op op = module[id].op;
    if (op != ir::Op::reduce && op != ir::Op::scan) continue;
    const ir::ScheduleOp order = module.schedules()[module.reduction_of(id).schedule].op;
    if (order == ir::ScheduleOp::any || order == ir::ScheduleOp::any_tree || order == ir::ScheduleOp::any_seq) return true;
  }
  return false;
}

interp::Rendering as_float(std::uint64_t bits, ir::Scalar scalar) {
  if (scalar == ir::Scalar::u32) return {std::to_string(bits), {{"value", std::to_string(bits)}}};
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

std::string few_digits(const mpq_class& value, int digits = 2) { return numerics::decimal_upward(value, digits); }

/// As few digits as show that the difference is larger than what is allowed.
int telling_digits(const mpq_class& difference, const mpq_class& allowed) {
  int digits = 2;
  while (digits < 17 && few_digits(difference, digits) == few_digits(allowed, digits)) ++digits;
  return digits;
}

}  // namespace

Expected<WithinBound> WithinBound::make(ir::Module& module, const frontend::ElaboratedItem& item,
                                        const interp::Semantics& semantics) {
  const SourceSpan at = item.tolerance_span.known() ? item.tolerance_span : item.span;
  if (semantics.name() != "float" && semantics.name() != "bound") {
    return Diagnostic(Code::no_distance, at,
                      fmt::format("`within bound` asks what the rounding of `float` explains, and this check is in `{}`",
                                  semantics.name()))
        .help("write `within bound in float`");
  }
  WithinBound out(module, item);
  out.left_plain_ = is_plain(module, *item.left);
  out.right_plain_ = is_plain(module, *item.right);
  if (out.left_plain_ && out.right_plain_) {
    return Diagnostic(Code::no_distance, at,
                      "no side of this check is computed by a circuit, so nothing says how much rounding is allowed")
        .help("give a distance: `within 4 ulp`, `within 1e-3`, `within relative 1e-6`");
  }
  auto bound = interp::make_semantics("bound", {}, at);
  if (!bound) return bound.error();
  out.bound_ = std::move(*bound);
  out.left_open_ = is_open(module, *item.left);
  out.right_open_ = is_open(module, *item.right);
  if (out.left_plain_ || out.right_plain_) {
    const ir::Function& circuit = out.left_plain_ ? *item.right : *item.left;
    if (auto reduction = reduction_by_function(module, circuit)) {
      return Diagnostic(Code::unsupported_operation, module.span(*reduction, circuit.places),
                        "a reduction by a function of its own has no bound over all orders")
          .with(at, "the other side's order is not known, so any order is allowed for it")
          .help("compare with a circuit that states its order, or give a distance: `within 1e-3`");
    }
  }
  if (out.left_plain_ || out.right_plain_ || out.left_open_ || out.right_open_) {
    auto any_order = interp::make_semantics("bound", {{"any"}}, at);
    if (!any_order) return any_order.error();
    out.any_order_ = std::move(*any_order);
  }
  return out;
}

void WithinBound::describe(Finding& out, const mpq_class& left, const mpq_class& right, const mpq_class& any_order,
                           const std::optional<mpq_class>& difference) const {
  const mpq_class on_left = left + (left_plain_ ? any_order : 0), on_right = right + (right_plain_ ? any_order : 0);
  const mpq_class allowed = on_left + on_right;
  const int digits = difference ? telling_digits(*difference, allowed) : 2;
  const auto side = [&](const mpq_class& amount, bool any) {
    return few_digits(amount, digits) + (any ? ", in any order," : "");
  };
  out.allowance = fmt::format("{} in all: {} on the left and {} on the right{}", few_digits(allowed, digits),
                              side(on_left, left_plain_ || left_open_), side(on_right, right_plain_ || right_open_),
                              difference ? "; the difference is " + few_digits(*difference, digits) : "");
  out.amounts = {{"allowed", few_digits(allowed, 17)},
                 {"allowed_left", few_digits(on_left, 17)},
                 {"allowed_right", few_digits(on_right, 17)}};
  if (difference) out.amounts.push_back({"difference", few_digits(*difference, 17)});
}

Expected<WithinBound::Finding> WithinBound::compare(const std::vector<interp::Argument>& arguments,
                                                    const ir::Dimensions& sizes,
                                                    const interp::EvaluateOptions& options) {
  interp::Semantics &of_left = semantics_of(left_open_), &of_right = semantics_of(right_open_);
  auto left = interp::evaluate(*module_, *item_->left, of_left, arguments, sizes, options);
  if (!left) return left.error();
  auto right = interp::evaluate(*module_, *item_->right, of_right, arguments, {}, options);
  if (!right) return right.error();
  std::optional<std::vector<interp::Values>> loose;
  if (left_plain_ || right_plain_) {
    auto values = interp::evaluate(*module_, left_plain_ ? *item_->right : *item_->left, *any_order_, arguments,
                                   left_plain_ ? ir::Dimensions{} : sizes, options);
    if (!values) return values.error();
    loose = std::move(*values);
  }

  Finding out;
  std::optional<mpq_class> worst;  // the largest excess so far; none: no excess, or one beyond all numbers
  bool beyond = false;
  out.parts = left->size();
  for (std::size_t part = 0; part < left->size(); ++part) {
    const interp::Values& a = (*left)[part];
    const interp::Values& b = (*right)[part];
    const ir::Scalar scalar = a.scalar();
    if (a.shape() != b.shape()) {
      return Diagnostic(Code::shape_mismatch, item_->span,
                        fmt::format("the results have shapes [{}] and [{}]", fmt::join(a.shape(), ", "),
                                    fmt::join(b.shape(), ", ")));
    }
    for (std::int64_t i = 0; i < a.count(); ++i) {
      const std::uint64_t x = *of_left.bits(scalar, a.at(i)), y = *of_right.bits(scalar, b.at(i));
      if (x == y) continue;
      const auto unknown = [&](const std::string& why) {
        if (out.truth != Truth::no) out.truth = Truth::unknown;
        if (out.doubt.empty()) out.doubt = why;
      };
      if (!ir::is_float(scalar)) {
        // A comparison that rounding may turn is explained by it.
        const bool certain = bound_->equal(scalar, a.at(i), b.at(i)) == Truth::no &&
                             (!loose || any_order_->equal(scalar, (*loose)[part].at(i), (*loose)[part].at(i)) == Truth::yes);
        if (!certain || beyond) continue;
        beyond = true;
        out.truth = Truth::no;
        out.shape = a.shape();
        out.element = i;
        out.part = part;
        out.left = as_float(x, scalar);
        out.right = as_float(y, scalar);
        continue;
      }
      const ir::Format format = ir::format_of(scalar);
      const auto left_bound = of_left.error_bound(scalar, a.at(i)), right_bound = of_right.error_bound(scalar, b.at(i));
      const auto loose_bound = loose ? any_order_->error_bound(scalar, (*loose)[part].at(i)) : std::optional<mpq_class>(0);
      // A plain value that is no number is no rounding of a result that stays within its format.
      const bool plain_left = left_plain_ && !numerics::exact_value(x, format);
      const bool plain_right = right_plain_ && !numerics::exact_value(y, format);
      if (!loose_bound || (!left_bound && !plain_left) || (!right_bound && !plain_right)) {
        const auto& doubtful = !left_bound && !plain_left     ? of_left.render(scalar, a.at(i))
                               : !right_bound && !plain_right ? of_right.render(scalar, b.at(i))
                                                              : any_order_->render(scalar, (*loose)[part].at(i));
        unknown(fmt::format("there is no bound on a result: {}", doubtful.text));
        continue;
      }
      const auto u = numerics::exact_value(x, format), v = numerics::exact_value(y, format);
      const mpq_class allowed = left_bound.value_or(0) + right_bound.value_or(0) + *loose_bound;
      if (u && v) {
        const mpq_class difference = abs(*u - *v), excess = difference - allowed;
        if (excess <= 0) out.largest = std::max(out.largest, difference);
        if (excess <= 0 || beyond || (worst && excess <= *worst)) continue;
        worst = excess;
      } else {
        if (beyond) continue;
        beyond = true;
      }
      out.truth = Truth::no;
      out.shape = a.shape();
      out.element = i;
      out.part = part;
      out.left = as_float(x, scalar);
      out.right = as_float(y, scalar);
      const auto ulps = numerics::ulps_apart(x, y, format);
      out.distance = ulps && u && v ? fmt::format("{} ulp", *ulps) : "";
      describe(out, left_bound.value_or(0), right_bound.value_or(0), *loose_bound,
               u && v ? std::optional<mpq_class>(abs(*u - *v)) : std::nullopt);
    }
  }
  return out;
}

}  // namespace reckon::check
