#include "check/trial.h"

#include <fmt/format.h>

#include <algorithm>

#include "check/distance.h"
#include "check/library.h"
#include "check/parting.h"
#include "diagnostics/codes/bad_argument.h"
#include "diagnostics/codes/check_signatures.h"
#include "diagnostics/codes/interrupted.h"
#include "diagnostics/codes/shape_mismatch.h"
#include "diagnostics/codes/undefined_result.h"
#include "numerics/format.h"
#include "semantics/standard.h"

namespace reckon::check {

using frontend::Item;
using frontend::Tolerance;
using interp::Truth;

Expected<Trial> Trial::make(ir::Module& module, const frontend::ElaboratedItem& item, interp::Semantics& semantics,
                            const interp::EvaluateOptions& options) {
  Trial out(module, item, semantics, options);
  if (item.tolerance == Tolerance::Kind::bound) {
    auto within_bound = WithinBound::make(module, item, semantics);
    if (!within_bound) return within_bound.error();
    out.within_bound_ = std::make_unique<WithinBound>(std::move(*within_bound));
  }
  if (item.tolerance == Tolerance::Kind::orders) {
    auto within_orders = WithinOrders::make(module, item, semantics);
    if (!within_orders) return within_orders.error();
    out.within_orders_ = std::make_unique<WithinOrders>(std::move(*within_orders));
  }
  return out;
}

/// Under `interval(split(n))` there is one comparison for each choice of pieces of the scalar inputs' ranges.
Expected<TrialResult> Trial::run(const ir::Dimensions& sizes, std::int64_t trial, bool redraws) const {
  const auto pieces = inputs_.pieces(trial);
  if (!pieces) return pieces.error();
  std::optional<TrialResult> all;
  for (std::int64_t piece = 0; piece < *pieces; ++piece) {
    auto step = run_piece(sizes, trial, piece, redraws);
    if (!step || step->truth == Truth::no) return step;
    if (!all || (step->truth == Truth::unknown && all->truth == Truth::yes)) all = std::move(*step);
  }
  return std::move(*all);
}

Expected<TrialResult> Trial::run_piece(const ir::Dimensions& sizes, std::int64_t trial, std::int64_t piece,
                                       bool redraws) const {
  auto drawn = inputs_.draw(sizes, trial, piece);
  if (!drawn) return drawn.error();
  return compare(sizes, std::move(*drawn), redraws);
}

Expected<TrialResult> Trial::compare(const ir::Dimensions& sizes, Drawn inputs, bool redraws) const {
  auto out = within_bound_                                ? compare_bounds(sizes, inputs)
             : within_orders_                             ? compare_orders(sizes, inputs)
             : item_.relation == Item::Relation::within   ? compare_range(sizes, inputs)
             : item_.relation == Item::Relation::accepted ? compare_accepted(sizes, inputs)
                                                          : compare_sides(sizes, inputs, redraws);
  if (out) out->family = inputs.family;
  if (out && out->truth == Truth::no) out->arguments = std::move(inputs.arguments);
  return out;
}

Expected<TrialResult> Trial::compare_sides(const ir::Dimensions& sizes, Drawn& inputs, bool redraws) const {
  TrialResult out;
  const auto left_side = [&] { return interp::evaluate(module_, *item_.left, semantics_, inputs.arguments, sizes, options_); };
  const auto right_side = [&] { return this->right_side(semantics_, sizes, inputs.arguments); };
  const auto has_no_value = [&](const auto& side) {
    return !side && !semantics_.traits().draws_values && side.error().code == code::undefined_result;
  };
  auto left = left_side();
  if (!left && !has_no_value(left)) return left.error();
  auto right = right_side();
  if (!right && !has_no_value(right)) return about_signatures(right.error());
  if (!left || !right) return without_value(sizes, inputs, left, right);
  if (redraws && semantics_.traits().draws_values && (any_undefined(*left) || any_undefined(*right))) {
    Redraw redraw(module_, semantics_, options_);
    out.no_defined_inputs = !redraw.both(*item_.left, *item_.right, sizes, inputs.arguments);
    left = left_side();
    if (!left) return left.error();
    right = right_side();
    if (!right) return right.error();
  }
  std::int64_t all = 0;
  for (std::size_t part = 0; part < left->size(); ++part) {
    const interp::Values& a = (*left)[part];
    const interp::Values& b = (*right)[part];
    if (a.shape() != b.shape()) return different_shapes(a, b);
    for (std::int64_t i = 0; i < a.count(); ++i) {
      const bool left_lacks = lacks_value(a, i), right_lacks = lacks_value(b, i);
      if (left_lacks || right_lacks) {
        if (item_.where_both_defined || (left_lacks && right_lacks)) continue;
        out = element_without_value(sizes, inputs, a, b, i);
        if (left->size() > 1) out.notes.push_back(fmt::format("this is part {} of the {} results", part + 1, left->size()));
        return out;
      }
      ++out.compared;
      if (!out.any_finite) out.any_finite = is_informative(inputs.family, a.scalar(), a.at(i), b.at(i));
      auto same = item_.relation == Item::Relation::equal
                      ? Expected<Truth>(semantics_.equal(a.scalar(), a.at(i), b.at(i)))
                  : item_.relation == Item::Relation::ordered
                      ? Expected<Truth>(in_order(item_, semantics_, a.scalar(), a.at(i), b.at(i)))
                      : near(item_, semantics_, a.scalar(), a.at(i), b.at(i));
      if (!same) return same.error();
      if (semantics_.traits().draws_values) {
        std::string blame = semantics_.undefined_by(a.scalar(), a.at(i));
        if (blame.empty()) blame = semantics_.undefined_by(b.scalar(), b.at(i));
        out.elements.push_back({*same != Truth::unknown, semantics_.is_degenerate(a.scalar(), a.at(i)), std::move(blame)});
      }
      if (*same == Truth::unknown && options_.interrupted != nullptr && options_.interrupted->load()) {
        return Diagnostic(code::interrupted, item_.span, "interrupted");  // the answer was not known yet
      }
      if (*same == Truth::unknown) out.truth = Truth::unknown;
      if (*same != Truth::no) continue;
      out.truth = Truth::no;
      if (left->size() > 1) out.notes = {fmt::format("this is part {} of the {} results", part + 1, left->size())};
      out.counterexample = witness(sizes, inputs, a.shape(), i, semantics_.render(a.scalar(), a.at(i)));
      out.counterexample->right = semantics_.render(b.scalar(), b.at(i));
      if (item_.relation == Item::Relation::ordered) return out;
      out.counterexample->distance = distance_text(semantics_, a.scalar(), a.at(i), b.at(i));
      out.counterexample->ulps = ulps_between(semantics_, a.scalar(), a.at(i), b.at(i));
      if (!item_.right) return out;
      out.counterexample->parting =
          find_parting(module_, *item_.left, *item_.right, semantics_, inputs.arguments, sizes, a, i);
      return out;
    }
    all += a.count();
  }
  out.no_value = all > 0 && out.compared == 0;
  return out;
}

bool Trial::lacks_value(const interp::Values& values, std::int64_t i) const {
  return semantics_.traits().reals && !semantics_.undefined_by(values.scalar(), values.at(i)).empty();
}

TrialResult Trial::element_without_value(const ir::Dimensions& sizes, Drawn& inputs, const interp::Values& left,
                                         const interp::Values& right, std::int64_t i) const {
  TrialResult out;
  out.truth = Truth::no;
  const bool on_left = lacks_value(left, i);
  std::optional<Diagnostic> why;
  interp::EvaluateOptions options = options_;
  options.why_empty = &why;
  const bool again = static_cast<bool>(
      on_left ? interp::evaluate(module_, *item_.left, semantics_, inputs.arguments, sizes, options)
              : interp::evaluate(module_, *item_.right, semantics_, inputs.arguments, {}, options));
  out.counterexample = witness(sizes, inputs, left.shape(), i, semantics_.render(left.scalar(), left.at(i)));
  out.counterexample->right = semantics_.render(right.scalar(), right.at(i));
  out.notes.push_back(fmt::format("the {} side has no value here{}, and the other one does", on_left ? "left" : "right",
                                  again && why ? " (" + why->message + ")" : ""));
  return out;
}

TrialResult Trial::without_value(const ir::Dimensions& sizes, Drawn& inputs,
                                 const Expected<std::vector<interp::Values>>& left,
                                 const Expected<std::vector<interp::Values>>& right) const {
  TrialResult out;
  out.no_value = item_.where_both_defined || (!left && !right);
  if (out.no_value) return out;
  out.truth = Truth::no;
  const auto side = [&](const Expected<std::vector<interp::Values>>& values) -> interp::Rendering {
    if (!values)
      return {"no value: " + values.error().message, {{"defined", "false"}, {"error", values.error().message}}};
    if (values->size() != 1 || values->front().count() != 1) return {"values everywhere", {{"defined", "true"}}};
    return semantics_.render(values->front().scalar(), values->front().at(0));
  };
  out.counterexample = witness(sizes, inputs, {}, 0, side(left));
  out.counterexample->right = side(right);
  out.notes.push_back(fmt::format("the {} side has no value here, and the other one does", left ? "right" : "left"));
  return out;
}

/// Whether the results show something: zeros that result from zeros do not, if the circuits overflow everywhere else.
bool Trial::is_informative(Family family, ir::Scalar scalar, const std::byte* a, const std::byte* b) const {
  if (!is_finite(scalar, a) || !is_finite(scalar, b)) return false;
  if (family != Family::zeros && family != Family::integers && family != Family::constants) return true;
  const auto is_zero = [&](const std::byte* value) {
    const auto bits = ir::is_float(scalar) ? semantics_.bits(scalar, value) : std::nullopt;
    return bits && numerics::magnitude_bits(*bits, ir::format_of(scalar)) == 0;
  };
  return !is_zero(a) || !is_zero(b);
}

bool Trial::is_finite(ir::Scalar scalar, const std::byte* value) const {
  // A value of `exact` is a real number; if there is none, the evaluation has ended.
  if (!ir::is_float(scalar) || !semantics_.traits().has_distance() || semantics_.traits().reals) return true;
  if (const auto bits = semantics_.bits(scalar, value)) return numerics::is_finite(*bits, ir::format_of(scalar));
  return semantics_.enclosure(scalar, value).has_value();
}

Expected<std::vector<interp::Values>> Trial::right_side(interp::Semantics& floats, const ir::Dimensions& sizes,
                                                        const std::vector<interp::Argument>& arguments) const {
  // The other circuit may name its dimensions differently, so its sizes come from the shapes.
  if (item_.right) return interp::evaluate(module_, *item_.right, floats, arguments, {}, options_);
  return library_results(module_, item_, floats, sizes, arguments);
}

Expected<TrialResult> Trial::compare_bounds(const ir::Dimensions& sizes, Drawn& inputs) const {
  auto found = within_bound_->compare(inputs.arguments, sizes, options_);
  if (!found) return about_signatures(found.error());
  TrialResult out;
  out.truth = found->truth;
  out.largest = found->largest;
  out.compared = found->compared;
  const bool from_zeros = inputs.family == Family::zeros || inputs.family == Family::constants;
  out.any_finite = found->any_finite || (found->any_zero && !from_zeros);
  if (found->truth == Truth::unknown) out.notes.push_back(found->doubt);
  const bool compares_floats = !found->allowances.empty() || found->most.allowed > 0;
  if (found->truth == Truth::yes && compares_floats) out.power = within_bound_->power(*found, inputs.arguments, sizes, options_);
  if (found->truth != Truth::no) return out;
  out.counterexample = witness(sizes, inputs, found->shape, found->element, found->left);
  out.counterexample->right = found->right;
  out.counterexample->distance = found->distance;
  out.counterexample->allowance = found->allowance;
  out.counterexample->amounts = found->amounts;
  const auto floats = interp::floats();
  auto left = interp::evaluate(module_, *item_.left, *floats, inputs.arguments, sizes, options_);
  if (left && left->size() == 1) {
    out.counterexample->parting = find_parting(module_, *item_.left, *item_.right, *floats, inputs.arguments, sizes,
                                               left->front(), found->element);
  }
  out.notes = {within_bound_->verdict()};
  if (found->parts > 1) {
    out.notes.push_back(fmt::format("these are part {} of the {} results", found->part + 1, found->parts));
  }
  return out;
}

Expected<TrialResult> Trial::compare_orders(const ir::Dimensions& sizes, Drawn& inputs) const {
  auto found = within_orders_->compare(inputs.arguments, sizes, options_);
  if (!found) return about_signatures(found.error());
  TrialResult out;
  out.truth = found->truth;
  out.orders = found->seen;
  out.compared = 1;
  out.any_finite = found->any_finite;
  if (found->truth == Truth::unknown) {
    out.notes = {found->why_unknown};
  }
  if (found->truth != Truth::no) return out;
  out.counterexample = witness(sizes, inputs, found->shape, found->element, found->left);
  out.counterexample->right = found->right;
  out.counterexample->distance = found->distance;
  out.notes = {"no order that was tried comes near this: it is hardly rounding alone, and this is no proof"};
  return out;
}

Expected<TrialResult> Trial::compare_range(const ir::Dimensions& sizes, Drawn& inputs) const {
  auto values = interp::evaluate(module_, *item_.left, semantics_, inputs.arguments, sizes, options_);
  TrialResult out;
  if (!values && !semantics_.traits().draws_values && values.error().code == code::undefined_result) {
    out.truth = Truth::unknown;
    out.no_value = true;
    out.notes.push_back("the circuit has no value on some of these inputs: " + values.error().message);
    return out;
  }
  if (!values) return values.error();
  const bool of_ranges = std::ranges::any_of(inputs.arguments, [](const auto& argument) {
    return std::holds_alternative<interp::RangeTensor>(argument);
  });
  out.any_finite = true;
  for (const interp::Values& part : *values) {
    out.compared += part.count();
    for (std::int64_t i = 0; i < part.count(); ++i) {
      const auto lies_inside = inside(item_, semantics_, part.scalar(), part.at(i), of_ranges);
      if (!lies_inside) return lies_inside.error();
      if (*lies_inside == Truth::yes) continue;
      interp::Rendering shown = semantics_.render(part.scalar(), part.at(i));
      if (*lies_inside == Truth::unknown) {
        out.truth = Truth::unknown;
        if (out.notes.empty()) out.notes.push_back(fmt::format("the enclosure {} is not inside the range", shown.text));
        continue;
      }
      out.truth = Truth::no;
      out.counterexample = witness(sizes, inputs, part.shape(), i, std::move(shown));
      return out;
    }
  }
  return out;
}

bool Trial::any_undefined(const std::vector<interp::Values>& values) const {
  for (const interp::Values& part : values) {
    for (std::int64_t i = 0; i < part.count(); ++i) {
      if (!semantics_.undefined_by(part.scalar(), part.at(i)).empty()) return true;
    }
  }
  return false;
}

Diagnostic Trial::different_shapes(const interp::Values& a, const interp::Values& b) const {
  return Diagnostic(code::shape_mismatch, item_.span,
                    fmt::format("the results have shapes [{}] and [{}]", fmt::join(a.shape(), ", "),
                                fmt::join(b.shape(), ", ")));
}

/// The diagnostic if the second circuit refuses the inputs drawn for the first.
Diagnostic Trial::about_signatures(const Diagnostic& refusal) const {
  if (refusal.code != code::bad_argument) return refusal;
  return Diagnostic(code::check_signatures, item_.span,
                    fmt::format("the two circuits of this check take different shapes: {}", refusal.message))
      .with(item_.left->span, "the inputs are drawn for this one")
      .with(refusal.primary.span, "the other one's parameter")
      .help("give both the same parameters; a circuit need not use all of its own");
}

Counterexample Trial::witness(const ir::Dimensions& sizes, Drawn& inputs, const std::vector<std::int64_t>& shape,
                              std::int64_t element, interp::Rendering left) const {
  Counterexample out;
  for (const auto& [symbol, value] : sizes) out.dimensions.push_back({std::string(module_.name(symbol)), value});
  out.inputs = std::move(inputs.shown);
  out.element = subscripts_of(element, shape);
  out.left = std::move(left);
  return out;
}

}  // namespace reckon::check
