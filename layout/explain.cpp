#include "layout/explain.h"

#include <sstream>

#include "layout/coalesce.h"
#include "layout/complement.h"
#include "layout/compose.h"
#include "layout/coordinates.h"
#include "layout/digits.h"
#include "layout/filter.h"

namespace reckon::layout {
namespace {

using How = Placed::Step::How;

std::string modes_text(const Modes& modes) {
  std::string out;
  for (const Mode& mode : modes) out += (out.empty() ? "" : ", ") + text(mode);
  return out;
}

std::string digit_text(const Modes& digits, std::size_t k) {
  return "digit " + std::to_string(k) +
         (k + 1 == digits.size() ? " (the last)" : " (radix " + std::to_string(digits[k].extent) + ")");
}

/// One step of the walk of a leaf through the digits.
std::string step_text(const Modes& digits, const Placed::Step& step) {
  std::ostringstream out;
  const Mode& digit = digits[step.digit];
  const std::int64_t extent = step.leaf.extent, stride = step.leaf.stride;
  if (step.how == How::still) {
    out << (extent == 1 ? "one element" : "stride 0") << ": gives "
        << text(step.emitted.extent == 1 ? Mode{extent, 0} : step.emitted);
    return out.str();
  }
  out << digit_text(digits, step.digit) << ": " << extent << " elements " << stride << " apart";
  switch (step.how) {
    case How::spreads: {
      out << ", which is ";
      std::int64_t value = stride;
      for (std::size_t k = step.digit; k < digits.size(); ++k) {
        const bool last = k + 1 == digits.size();
        out << (k == step.digit ? "(" : ",") << (last ? value : value % digits[k].extent);
        value /= digits[k].extent;
      }
      out << ") from this digit on; " << (step.emitted.extent == extent ? "all" : std::to_string(step.emitted.extent))
          << " without a carry: gives " << text(step.emitted);
      break;
    }
    case How::skips:
      out << "; " << stride << " is a multiple of " << digit.extent << ": on, " << stride / digit.extent << " apart";
      break;
    case How::stays:
      out << " reach " << step.reach << " < " << digit.extent << ": gives " << extent << ":" << stride << "*"
          << digit.stride << " = " << text(step.emitted);
      break;
    case How::rests:
      out << ": gives " << extent << ":" << stride << "*" << digit.stride << " = " << text(step.emitted);
      break;
    case How::crosses:
      out << "; " << step.emitted.extent << " of them fill it: gives " << step.emitted.extent << ":" << stride << "*"
          << digit.stride << " = " << text(step.emitted) << "; on with the other " << extent / step.emitted.extent
          << ", 1 apart";
      break;
    default:
      out << " reach " << step.reach << ", and do not fill it: ";
      if (digit.extent % stride != 0) out << stride << " does not divide " << digit.extent;
      else out << digit.extent / stride << " does not divide " << extent;
      out << ": carries";
  }
  return out.str();
}

}  // namespace

std::string explain_coalesce(const Layout& layout) {
  const auto steps = coalesce_steps(layout);
  std::ostringstream out;
  out << "coalesce " << layout.text() << "\n";
  Modes modes = leaf_modes(layout);
  if (layout.depth() > 1) out << "  flat       " << flat_layout(modes)->text() << "\n";
  for (const Rewrite& step : steps) {
    const Mode first = modes[step.at], second = modes[step.at + 1];
    const std::string pair = "(" + std::to_string(first.extent) + "," + std::to_string(second.extent) + "):(" +
                             std::to_string(first.stride) + "," + std::to_string(second.stride) + ")";
    switch (step.rule) {
      case Rewrite::Rule::left_unit: out << "  left unit  "; break;
      case Rewrite::Rule::right_unit: out << "  right unit "; break;
      case Rewrite::Rule::packed: out << "  packed     "; break;
    }
    modes = leaf_modes(step.result);
    out << pair << " is " << text(modes[step.at]);
    if (step.rule == Rewrite::Rule::packed) {
      out << ", as " << second.stride << " = " << first.extent << "*" << first.stride;
    }
    out << ": " << step.result.text() << "\n";
  }
  const Layout canonical = coalesce(layout);
  if (modes.size() == 1 && modes[0].extent == 1 && modes[0].stride != 0) out << "  one element has stride 0\n";
  out << "  = " << canonical.text() << "\n";
  return out.str();
}

std::string explain_compose(const Layout& a, const Layout& b) {
  std::ostringstream out;
  const Modes digits = digits_of(a), leaves = leaf_modes(b);
  out << "compose " << a.text() << " after " << b.text() << "\n";
  out << "  digits of the first: " << modes_text(digits) << "\n";
  DigitRule rule(digits);
  bool placed = true;
  for (std::size_t k = 0; k < leaves.size() && placed; ++k) {
    Placed trace;
    Modes given;
    placed = rule.place(leaves[k], given, &trace);
    out << "  mode " << text(leaves[k]) << " of the second\n";
    for (const Placed::Step& step : trace.steps) out << "    " << step_text(digits, step) << "\n";
  }
  if (placed && digits.size() > 1) {
    placed = rule.finish();
    for (std::size_t k = 0; k + 1 < digits.size(); ++k) {
      const std::int64_t use = rule.use(k), radix = digits[k].extent;
      out << "  " << digit_text(digits, k) << ": all modes together reach " << use;
      out << (use < radix ? " < " + std::to_string(radix) + ": no carry"
                          : " >= " + std::to_string(radix) + ": carries");
      out << "\n";
    }
  }
  const auto result = compose(a, b);
  if (result) {
    if (!placed) out << "  tried on all " << b.size() << " points: it is a layout all the same\n";
    out << "  = " << result->text() << "\n";
  } else {
    const Problem& problem = result.problem();
    if (problem.at) {
      const auto value = extended(a, b.at(*problem.at));
      out << "  no layout: at index " << *problem.at;
      if (!b.shape().is_int()) out << ", coordinate " << split(*problem.at, b.shape())->text() << ",";
      if (value) out << " it is " << *value << ", which none with this shape has that begins so";
      else out << " the first gets the index " << b.at(*problem.at);
      out << "\n";
    } else {
      out << "  " << problem.message << "\n";
    }
    out << "  composed: " << text(compose_any(a, b)) << "\n";
  }
  return out.str();
}

std::string explain_complement(const Layout& a, const IntTuple& target) {
  std::ostringstream out;
  out << "complement of " << a.text() << " in " << target.text() << "\n";
  Modes sorted = coalesced_modes(filter_zeros(a));
  sort_by_stride(sorted);
  std::int64_t end = 1;
  bool goes_on = true;
  for (const Mode& mode : sorted) {
    out << "  mode " << text(mode) << ": ";
    if (mode.stride < end || mode.stride % end != 0) {
      out << (mode.stride < 0     ? "the stride is negative"
              : mode.stride < end ? "starts before " + std::to_string(end) + ", where those below it end"
                                  : std::to_string(mode.stride) + " is not a multiple of " + std::to_string(end));
      out << "\n";
      goes_on = false;
      break;
    }
    if (mode.stride == end) out << "starts at " << end << ", where those below it end: no room";
    else out << "room from " << end << " to " << mode.stride << ": " << mode.stride / end << ":" << end;
    if (__builtin_mul_overflow(mode.extent, mode.stride, &end)) {
      goes_on = false;
      out << "\n";
      break;
    }
    out << "; ends at " << end << "\n";
  }
  const auto result = complement(a, target);
  if (goes_on && result && product(target)) out << "  the rest, to " << *product(target) << ", from " << end << " on\n";
  out << (result ? "  = " + result->text() : "  refused: " + result.problem().message) << "\n";
  return out.str();
}

}  // namespace reckon::layout
