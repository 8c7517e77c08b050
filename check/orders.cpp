#include "check/orders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "check/within_bound.h"
#include "diagnostics/codes/interrupted.h"
#include "diagnostics/codes/no_distance.h"
#include "diagnostics/codes/orders_needed.h"
#include "diagnostics/codes/shape_mismatch.h"
#include "numerics/format.h"
#include "numerics/orders/scatter.h"
#include "semantics/standard.h"

namespace reckon::check {

using interp::Truth;

namespace {

constexpr double holds_below = 4, fails_above = 8;
constexpr std::int64_t max_orders = 4000, min_orders = 400;
/// The joins that one comparison may take: on given inputs, and in one trial among many.
constexpr std::int64_t work_of_given = 400'000'000, work_of_trial = 20'000'000;
/// For sums of at most so many leaves, numerics::attains is asked before a distant result counts as unattainable.
constexpr std::int64_t searched_leaves = 14;

std::string times_text(double times) {
  if (times < 0.05) return "less than 0.1";
  if (times < 9.95) return fmt::format("{:.1f}", times);
  return times < 1e6 ? fmt::format("{:.0f}", times) : fmt::format("{:.1e}", times);
}

/// The fewest digits, at least five, with which the two numbers differ.
std::pair<std::string, std::string> differing_texts(double low, double high) {
  for (int digits = 5; digits < 17; ++digits) {
    auto a = fmt::format("{:.{}g}", low, digits), b = fmt::format("{:.{}g}", high, digits);
    if (a != b || low == high) return {a, b};
  }
  return {fmt::format("{:.17g}", low), fmt::format("{:.17g}", high)};
}

/// Higham and Mary, "A new approach to probabilistic rounding error analysis", SIAM J. Sci. Comput. 41(5), 2019,
/// theorem 2.4: rounding errors that are independent and of mean zero leave a sum of n leaves, in any order, within
/// (exp(lambda sqrt(n) u + n u^2 / (1 - u)) - 1) sum |x|, but for a probability of 2 n exp(-lambda^2 (1 - u)^2 / 2).
double probable_error(const std::vector<std::uint64_t>& leaves, numerics::Format format) {
  double magnitudes = 0;
  for (std::uint64_t leaf : leaves) magnitudes += std::fabs(numerics::widen(leaf, format));
  const double n = static_cast<double>(leaves.size()), u = std::ldexp(1.0, -numerics::traits(format).precision);
  constexpr double failure = 1e-6;
  const double lambda = std::sqrt(2 * std::log(2 * n / failure)) / (1 - u);
  return std::expm1(lambda * std::sqrt(n) * u + n * u * u / (1 - u)) * magnitudes;
}

}  // namespace

std::string OrdersSeen::text() const {
  if (attained) return fmt::format("one of the results of all orders of {} leaves", leaves);
  std::string range = low.empty()   ? ""
                      : low == high ? fmt::format(" ({})", low)
                                    : fmt::format(" ({} to {})", low, high);
  if (elements < elements_of) {
    range += fmt::format(", of the {} of {} elements that differ most", elements, elements_of);
  }
  if (unit == 0) {
    return distance == 0 ? fmt::format("the result of all {} orders{}", orders, range)
                         : fmt::format("not the result of all {} orders{}", orders, range);
  }
  return fmt::format("{} times the spread of {} orders{}", times_text(times), orders, range);
}

std::vector<Fact> OrdersSeen::evidence() const {
  std::vector<Fact> out{{"seen", text(), text()},
                        {"orders", static_cast<std::int64_t>(orders), ""},
                        {"leaves", static_cast<std::int64_t>(leaves), ""},
                        {"distance", distance, ""},
                        {"spread", unit, ""}};
  if (unit > 0) out.push_back({"times", times, ""});
  if (!low.empty()) {
    out.push_back({"low", std::strtod(low.c_str(), nullptr), ""});
    out.push_back({"high", std::strtod(high.c_str(), nullptr), ""});
  }
  if (elements < elements_of) {
    out.push_back({"elements", static_cast<std::int64_t>(elements), ""});
    out.push_back({"elements_of", static_cast<std::int64_t>(elements_of), ""});
  }
  if (probable > 0) out.push_back({"probable_error", probable, ""});
  return out;
}

Expected<WithinOrders> WithinOrders::make(ir::Module& module, const frontend::ElaboratedItem& item,
                                          const interp::Semantics& semantics) {
  const SourceSpan at = item.tolerance_span.known() ? item.tolerance_span : item.span;
  if (const driver::Traits traits = semantics.traits(); !traits.floats || !traits.rounds_to_nearest) {
    return Diagnostic(
               code::no_distance, at,
               fmt::format("`within orders` asks what the rounding of `float` explains, and this check is in `{}`",
                           semantics.name()))
        .help("write `within orders in float`");
  }
  WithinOrders out(module, item);
  const bool left_plain = is_plain(module, *item.left);
  if (left_plain && is_plain(module, *item.right)) {
    return Diagnostic(code::no_distance, at,
                      "no side of this check is computed by a circuit, so there is no sum whose orders could be tried")
        .help("give a distance: `within 4 ulp`, `within 1e-3`, `within relative 1e-6`");
  }
  out.swapped_ = left_plain;
  if (item.order) {
    const ir::ScheduleOp op = module.schedules()[*item.order].op;
    if (op == ir::ScheduleOp::any) out.set_ = numerics::OrderSet::any;
    else if (op == ir::ScheduleOp::any_tree) out.set_ = numerics::OrderSet::any_tree;
    else if (op == ir::ScheduleOp::any_seq) out.set_ = numerics::OrderSet::any_seq;
    else {
      return Diagnostic(
                 code::orders_needed, at,
                 fmt::format("`within orders` tries the orders of `any`, `any_tree` or `any_seq`, and this is `{}`",
                             item.order_text))
          .help(fmt::format("name one of the three sets; for an order or a set that is known, ask `within bound by {}`",
                            item.order_text));
    }
  }
  out.floats_ = interp::floats();
  return out;
}

Expected<WithinOrders::Finding> WithinOrders::compare(const std::vector<interp::Argument>& arguments,
                                                      const ir::Dimensions& sizes,
                                                      const interp::EvaluateOptions& options) {
  const ir::Function &circuit = swapped_ ? *item_->right : *item_->left,
                     &rest = swapped_ ? *item_->left : *item_->right;
  auto sum = OpenedSum::open(*module_, circuit, arguments, swapped_ ? ir::Dimensions{} : sizes, *floats_, options,
                             item_->tolerance_span.known() ? item_->tolerance_span : item_->span, "within orders");
  if (!sum) return sum.error();
  auto others = interp::evaluate(*module_, rest, *floats_, arguments, swapped_ ? sizes : ir::Dimensions{}, options);
  if (!others) return others.error();
  const ir::HostTensor other = others->front().host(*floats_);
  if (others->size() != 1 || other.shape != sum->shape()) {
    return Diagnostic(code::shape_mismatch, item_->span,
                      fmt::format("the results have shapes [{}] and [{}]",
                                  fmt::join(swapped_ ? other.shape : sum->shape(), ", "),
                                  fmt::join(swapped_ ? sum->shape() : other.shape, ", ")));
  }
  // A circuit by a set of orders has no single result, so the result of one tree stands for it.
  const ir::ScheduleOp stated = module_->schedules()[sum->schedule()].op;
  const bool open = ir::is_set_of_orders(stated);
  const std::int64_t elements = sum->elements();
  ir::HostTensor own(other.scalar, sum->shape());
  if (!open) {
    auto values =
        interp::evaluate(*module_, circuit, *floats_, arguments, swapped_ ? ir::Dimensions{} : sizes, options);
    if (!values) return values.error();
    own = values->front().host(*floats_);
  } else {
    for (std::int64_t e = 0; e < elements; ++e) {
      const numerics::OrderQuestion question{numerics::OrderSet::any, sum->operation(), sum->format(), sum->leaves(e)};
      auto result = sum->results(e, {numerics::carry_out({{}, numerics::MachineOrder::Fold::tree}, question)});
      if (!result) return result.error();
      own.set_bits(e, result->front());
    }
  }

  Finding out;
  out.shape = sum->shape();
  if (elements == 0) return out;
  // The most suspicious elements come first: those that differ most in relation to their leaves.
  const std::int64_t work = arguments.empty() ? work_of_given : work_of_trial;
  const std::int64_t orders = std::clamp(work / (sum->length() * elements), min_orders, max_orders);
  const std::int64_t tried = std::clamp<std::int64_t>(work / (sum->length() * orders), 1, elements);
  std::vector<std::int64_t> which(static_cast<std::size_t>(elements));
  std::iota(which.begin(), which.end(), 0);
  if (tried < elements) {
    std::vector<double> suspicion(which.size());
    for (std::int64_t e = 0; e < elements; ++e) {
      double squares = 0;
      for (std::uint64_t leaf : sum->leaves(e)) squares += std::pow(value_of(leaf, sum->scalar()), 2);
      const double difference = std::fabs(value_of(own.bits(e), own.scalar) - value_of(other.bits(e), other.scalar));
      suspicion[static_cast<std::size_t>(e)] = difference == 0 ? 0
                                               : squares > 0 && std::isfinite(difference)
                                                   ? difference / std::sqrt(squares)
                                                   : std::numeric_limits<double>::infinity();
    }
    std::ranges::stable_sort(which, [&](std::int64_t a, std::int64_t b) {
      return suspicion[static_cast<std::size_t>(a)] > suspicion[static_cast<std::size_t>(b)];
    });
    which.resize(static_cast<std::size_t>(tried));
  }
  const ir::Scalar scalar = other.scalar;
  const numerics::OrderSet set = item_->order                         ? set_
                                 : stated == ir::ScheduleOp::any_tree ? numerics::OrderSet::any_tree
                                 : stated == ir::ScheduleOp::any_seq  ? numerics::OrderSet::any_seq
                                                                      : numerics::OrderSet::any;
  bool first = true, narrower = true;
  for (std::int64_t e : which) {
    auto seen = look(*sum, e, set, own.bits(e), other.bits(e), scalar, orders, options);
    if (!seen) return seen.error();
    narrower = narrower && seen->narrower;
    if (!first && !(seen->times > out.seen.times)) continue;
    first = false;
    out.seen = std::move(*seen);
    out.element = e;
  }
  for (std::int64_t e = 0; e < elements && !out.any_finite; ++e) {
    out.any_finite = std::isfinite(value_of(own.bits(e), own.scalar)) || std::isfinite(value_of(other.bits(e), scalar));
  }
  out.seen.elements = tried;
  out.seen.elements_of = elements;
  out.truth = out.seen.times > fails_above ? Truth::no : out.seen.times >= holds_below ? Truth::unknown : Truth::yes;
  if (out.truth == Truth::unknown) {
    out.why_unknown =
        "this is farther away than an order's result is expected to be, and nearer than a bug's: `within bound` says what "
        "is possible";
  } else if (out.truth == Truth::yes && narrower) {
    out.truth = Truth::unknown;
    out.why_unknown = fmt::format(
        "{} is a number of {}, as fewer than one in 100 of the orders' results are: what was accumulated in {}, or written "
        "with few digits, may have come near by chance; ask it of other inputs",
        as_float(other.bits(out.element), scalar).text, numerics::traits(*out.seen.narrower).name,
        numerics::traits(*out.seen.narrower).name);
  }
  out.left = as_float((swapped_ ? other : own).bits(out.element), scalar);
  out.right = as_float((swapped_ ? own : other).bits(out.element), scalar);
  const auto ulps = numerics::ulps_apart(own.bits(out.element), other.bits(out.element), ir::format_of(scalar));
  out.distance = ulps ? fmt::format("{} ulp", *ulps) : "";
  return out;
}

Expected<OrdersSeen> WithinOrders::look(const OpenedSum& sum, std::int64_t e, numerics::OrderSet set, std::uint64_t own,
                                        std::uint64_t other, ir::Scalar scalar, std::int64_t orders,
                                        const interp::EvaluateOptions& options) const {
  numerics::OrderQuestion question{set, sum.operation(), sum.format(), sum.leaves(e)};
  const auto factors = sum.factors(e), others = sum.other_factors(e);
  numerics::SampleOptions how;
  how.orders = orders;
  how.interrupted = options.interrupted;
  if (!factors.empty()) {
    how.factors = &factors;
    how.other_factors = &others;
  }
  auto families = numerics::sample_orders(question, how);
  if (!families) return Diagnostic(code::interrupted, item_->span, "interrupted");

  for (numerics::OrderFamily& family : *families) {
    auto results = sum.results(e, family.results);
    if (!results) return results.error();
    family.results = std::move(*results);
  }
  if (!item_->order) families->push_back({"the circuit's own order", {own}});
  const numerics::Format format = ir::format_of(scalar);
  const bool agree =
      numerics::is_one_result(*families, format) && numerics::all_orders_agree(question, options.interrupted);
  const numerics::Scatter found = numerics::scatter(*families, format, other, agree);

  OrdersSeen out;
  out.leaves = sum.length();
  out.distance = found.distance;
  out.unit = found.unit;
  out.times = found.times;
  out.orders = found.orders - (item_->order ? 0 : 1);
  if (found.unit > 0 && other != own) out.narrower = numerics::narrower_format(*families, format, other);
  if (found.low <= found.high) std::tie(out.low, out.high) = differing_texts(found.low, found.high);
  if (sum.direct() && sum.operation() == numerics::FoldOperation::add)
    out.probable = probable_error(question.leaves, question.format);
  if (out.times >= holds_below && sum.direct() && sum.length() <= searched_leaves) {
    numerics::OrderLimits limits;
    limits.splits = 20'000'000;
    limits.pairs_of_values = 20'000'000;
    limits.search = 1'000'000;
    limits.interrupted = options.interrupted;
    const auto answer = numerics::attains(question, other, limits);
    if (answer && answer->answer == numerics::Possibility::yes) {
      out.attained = true;
      out.distance = out.times = 0;
    }
  }
  return out;
}

}  // namespace reckon::check
