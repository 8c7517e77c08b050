#include "layout/carry.h"

#include <span>

#include "layout/compose.h"
#include "layout/coordinates.h"
#include "layout/fit.h"
#include "layout/walk.h"

namespace reckon::layout {
namespace {

using Kind = Problem::Kind;

std::string number(std::int64_t value) { return std::to_string(value); }

std::string heading(const Layout& a, const Layout& b) {
  return "compose: " + in_backticks(a.text()) + " after " + in_backticks(b.text());
}

/// Names a leaf of b: ", its mode `4:3`,"; nothing if b has only one leaf.
std::string leaf_text(const Modes& leaves, std::size_t k) {
  if (leaves.size() == 1) return "`" + text(leaves[k]) + "`";
  return "its mode " + number(static_cast<std::int64_t>(k)) + ", `" + text(leaves[k]) + "`,";
}

std::string step_text(const Modes& digits, const Mode& leaf, const std::string& which) {
  DigitRule rule(digits);
  Modes out;
  Placed trace;
  (void)rule.place(leaf, out, &trace);
  const Placed::Step& last = trace.steps.back();
  const std::string radix = number(digits[last.digit].extent);
  std::string text = which + " carries out of digit " + number(static_cast<std::int64_t>(last.digit)) + ", " +
                     in_backticks(layout::text(digits[last.digit])) + ", of the first: there it has " +
                     number(last.leaf.extent) + " elements " + number(last.leaf.stride) + " apart, up to " +
                     number(last.reach) + ", and ";
  const std::int64_t fill = digits[last.digit].extent / last.leaf.stride;
  if (digits[last.digit].extent % last.leaf.stride != 0) {
    return text + number(last.leaf.stride) + " does not divide " + radix;
  }
  return text + "the " + number(fill) + " that fill " + radix + " do not divide " + number(last.leaf.extent);
}

std::string sum_text(const Modes& digits, const Modes& leaves, std::size_t digit) {
  std::string who;
  std::int64_t total = 0;
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    DigitRule rule(digits);
    Modes out;
    Placed trace;
    if (!rule.place(leaves[k], out, &trace) || rule.use(digit) == 0) continue;
    who += (who.empty() ? "`" : " and `") + text(leaves[k]) + "` (" + number(rule.use(digit)) + ")";
    total += rule.use(digit);
  }
  return "the modes " + who + " of the second add up to " + number(total) + " in digit " +
         number(static_cast<std::int64_t>(digit)) + ", `" + text(digits[digit]) + "`, of the first, and carry from " +
         number(digits[digit].extent) + " on";
}

std::string coordinate_text(std::int64_t index, const Layout& b) {
  const std::string text = "index " + number(index);
  if (b.shape().is_int()) return text;
  return text + ", coordinate " + in_backticks(split(index, b.shape())->text()) + ",";
}

/// Tries the composition by its values: one leaf of b at a time, and then all together.
struct Attempt {
  const Layout& b;
  const Modes& digits;
  Modes leaves;
  std::int64_t bound;

  std::vector<IntTuple> shapes{}, strides{};  // of each leaf's layout
  std::optional<std::int64_t> refuted{};
  std::string why{};
  bool overflow = false;

  std::optional<std::int64_t> value(std::int64_t index) {
    auto out = at_digits(digits, b.at(index));
    if (!out) overflow = true;
    return out;
  }

  /// Whether this leaf alone is a layout.
  bool leaf(const Mode& mode, std::int64_t weight) {
    if (mode.extent == 1 || mode.stride == 0) {
      shapes.emplace_back(mode.extent);
      strides.emplace_back(0);
      return true;
    }
    if (mode.extent > bound) return false;
    std::vector<std::int64_t> table;
    for (std::int64_t k = 0; k < mode.extent; ++k) {
      const auto offset = value(weight * k);
      if (!offset) return false;
      table.push_back(*offset);
    }
    const auto fitted = fit(table);
    if (!fitted) {
      refuted = *fitted.problem().at * weight;
      why = "no layout of " + number(mode.extent) + " elements begins with " + beginning(table, *fitted.problem().at);
      return false;
    }
    shapes.push_back(fitted->layout.shape());
    strides.push_back(fitted->layout.stride());
    return true;
  }

  static std::string beginning(const std::vector<std::int64_t>& table, std::int64_t last) {
    std::string out;
    for (std::int64_t k = std::max<std::int64_t>(0, last - 6); k <= last; ++k) {
      out += (out.empty() ? "`" : ", ") + number(table[static_cast<std::size_t>(k)]);
    }
    return last > 6 ? "... " + out + "`" : out + "`";
  }
};

Result<Layout> assembled(const Attempt& attempt) {
  return Layout::make(grafted(attempt.b.shape(), attempt.shapes), grafted(attempt.b.shape(), attempt.strides));
}

/// The layout that the composition is as a function of the index alone, without b's shape.
std::string flat_hint(Attempt& attempt) {
  if (attempt.b.shape().is_int() || attempt.b.size() > attempt.bound) return {};
  std::vector<std::int64_t> table;
  for (std::int64_t i = 0; i < attempt.b.size(); ++i) table.push_back(*attempt.value(i));
  const auto fitted = fit(table);
  return fitted ? "as a function of the index alone it is `" + fitted->layout.text() + "`" : "";
}

}  // namespace

Problem overflowing(const Layout& a, const Layout& b) {
  return {Kind::too_large, heading(a, b) + " has offsets that do not fit in 64 bits"};
}

Result<Layout> fit_composition(const Layout& a, const Layout& b, const Modes& digits, const Carry& carry) {
  const Modes leaves = leaf_modes(b);
  if (digits.size() > 1 && b.min() < 0) {
    std::int64_t weight = 1;
    std::size_t k = 0;
    while (leaves[k].extent == 1 || leaves[k].stride >= 0) weight *= leaves[k++].extent;
    return Problem{Kind::out_of_range,
                   heading(a, b) + ": " + leaf_text(leaves, k) + " takes negative indices, down to " + number(b.min()) +
                       ", and in the several modes of the first these mean nothing",
                   "add an offset that keeps the indices from 0 on: at least " + number(-b.min()), weight};
  }
  if (carry.why == Carry::Why::overflow) return overflowing(a, b);
  const std::string rule = carry.why == Carry::Why::step
                               ? step_text(digits, leaves[carry.leaf], leaf_text(leaves, carry.leaf))
                               : sum_text(digits, leaves, carry.digit);

  Attempt attempt{b, digits, leaves, composed_points};
  bool whole = true;
  std::int64_t weight = 1;
  for (const Mode& mode : leaves) {
    whole = attempt.leaf(mode, weight) && whole;
    if (attempt.refuted || attempt.overflow) break;
    weight *= mode.extent;
  }
  if (attempt.overflow) return overflowing(a, b);
  if (!attempt.refuted && attempt.shapes.size() == leaves.size()) {
    const auto made = assembled(attempt);
    if (!made) return overflowing(a, b);
    const Layout& candidate = *made;
    // Broadcast leaves of b repeat what has been compared, so only its other leaves are compared.
    const Modes indices = first_indices(b);
    Odometer odometer(indices.begin(), indices.end());
    for (std::int64_t points = 0; points < composed_points; ++points) {
      const std::int64_t index = odometer.offset();
      const auto offset = attempt.value(index);
      if (!offset) return overflowing(a, b);
      if (const std::int64_t alone = candidate.at(index); *offset != alone) {
        attempt.refuted = index;
        attempt.why = "the modes of the second, each alone, add up to " + number(alone);
        break;
      }
      if (odometer.next()) continue;
      if (whole) return candidate;
      break;
    }
  }
  if (!attempt.refuted) {
    return Problem{Kind::undecided,
                   heading(a, b) + ": " + rule + "; whether it is a layout all the same was tried at " +
                       number(composed_points) + " points, and it has " + number(b.size()),
                   "keep it composed, which evaluates it as it is"};
  }
  const std::int64_t at = *attempt.refuted;
  std::string hint = flat_hint(attempt);
  if (hint.empty()) hint = "keep it composed, which evaluates it as it is";
  return Problem{Kind::carry,
                 heading(a, b) + " is no layout: " + rule + ". At " + coordinate_text(at, b) + " it is " +
                     number(*attempt.value(at)) + ", but " + attempt.why,
                 hint, at};
}

std::optional<Problem> leaves_domain(const Layout& a, const Layout& b) {
  if (b.min() >= 0 && b.max() < a.size()) return std::nullopt;
  const bool below = b.min() < 0;
  return Problem{Kind::out_of_range,
                 "compose: " + in_backticks(b.text()) + " reaches the index " + number(below ? b.min() : b.max()) +
                     ", and " + in_backticks(a.text()) + " has the indices 0 to " + number(a.size() - 1),
                 below ? "" : "past the end, the last mode of the first goes on"};
}

}  // namespace reckon::layout
