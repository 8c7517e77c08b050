#include "layout/digits.h"

#include <bit>

namespace reckon::layout {

Modes digits_of(const Layout& a) {
  const Modes leaves = leaf_modes(a);
  Modes before;
  for (std::size_t k = 0; k + 1 < leaves.size(); ++k) before.push_back(leaves[k]);
  Modes out = coalesced(before);
  const Mode& last = leaves.back();
  if (!out.empty() && continues(out.back(), last)) out.back().extent *= last.extent;
  else out.push_back(last);
  return out;
}

std::optional<std::int64_t> at_digits(const Modes& digits, std::int64_t index) {
  if (index < 0 && digits.size() > 1) return std::nullopt;
  std::int64_t out = 0, term;
  for (std::size_t k = 0; k < digits.size(); ++k) {
    const bool last = k + 1 == digits.size();
    if (__builtin_mul_overflow(last ? index : index % digits[k].extent, digits[k].stride, &term)) return std::nullopt;
    if (__builtin_add_overflow(out, term, &out)) return std::nullopt;
    index /= digits[k].extent;
  }
  return out;
}

bool bitwise_on(const Modes& digits, std::int64_t bits) {
  for (std::size_t k = 0; k + 1 < digits.size(); ++k) {
    if (!std::has_single_bit(static_cast<std::uint64_t>(digits[k].extent))) return false;
  }
  std::int64_t seen = 0;
  for (; bits != 0; bits &= bits - 1) {
    const auto image = at_digits(digits, bits & -bits);
    if (!image || *image < 0 || (*image & seen) != 0) return false;
    seen |= *image;
  }
  return true;
}

DigitRule::DigitRule(const Modes& digits) : digits_(digits) {
  for (std::size_t k = 0; k < digits.size(); ++k) uses_.push_back(0);
}

bool DigitRule::refuse(Carry::Why why, std::size_t digit) {
  refusal_ = Carry{why, leaf_, digit};
  return false;
}

bool DigitRule::emit(std::size_t digit, std::int64_t extent, std::int64_t step, Modes& out) {
  std::int64_t stride;
  if (__builtin_mul_overflow(step, digits_[digit].stride, &stride)) return refuse(Carry::Why::overflow, digit);
  out.push_back({extent, stride});
  // The sum is at most the largest value of b, which fits.
  uses_[digit] += (extent - 1) * step;
  return true;
}

bool DigitRule::place(const Mode& leaf, Modes& out, Placed* trace) {
  using How = Placed::Step::How;
  const auto note = [&](How how, std::size_t digit, const Mode& rest, std::int64_t reach) {
    if (!trace) return;
    const bool emits = how == How::stays || how == How::crosses || how == How::rests;
    trace->steps.push_back({how, digit, rest, emits ? out.back() : Mode{1, 0}, reach});
  };
  Mode rest = leaf;
  if (rest.extent == 1 || rest.stride == 0) {
    out.push_back({rest.extent, 0});
    note(How::still, 0, rest, 0);
    ++leaf_;
    return true;
  }
  const std::size_t last = digits_.size() - 1;
  if (rest.stride < 0 && last > 0) return refuse(Carry::Why::negative, 0);
  for (std::size_t k = 0;; ++k) {
    const std::int64_t radix = digits_[k].extent;
    const std::int64_t reach = (rest.extent - 1) * rest.stride;
    if (k == last || reach < radix) {
      if (!emit(k, rest.extent, rest.stride, out)) return false;
      note(k == last ? How::rests : How::stays, k, rest, reach);
      break;
    }
    if (rest.stride % radix == 0) {
      note(How::skips, k, rest, 0);
      rest.stride /= radix;
      continue;
    }
    const std::int64_t fill = radix / rest.stride;
    if (radix % rest.stride != 0 || rest.extent % fill != 0) {
      if (spread(rest, k, out, trace)) break;
      if (refusal_) return false;
      note(How::carries, k, rest, reach);
      return refuse(Carry::Why::step, k);
    }
    if (!emit(k, fill, rest.stride, out)) return false;
    note(How::crosses, k, rest, (fill - 1) * rest.stride);
    rest = {rest.extent / fill, 1};
  }
  ++leaf_;
  return true;
}

/// Splits the mode in parts t:d, then (s/t):(t*d), and so on, each with so many elements that no digit carries. Leaves
/// everything as it was if the parts carry together.
bool DigitRule::spread(Mode rest, std::size_t from, Modes& out, Placed* trace) {
  const Small<std::int64_t> before = uses_;
  const std::size_t count = out.size(), steps = trace ? trace->steps.size() : 0;
  while (rest.extent > 1) {
    std::int64_t most = rest.extent, value = rest.stride;
    std::int64_t stride = 0, term;
    bool fits = true;
    for (std::size_t k = from; k < digits_.size(); ++k) {
      const bool last = k + 1 == digits_.size();
      const std::int64_t digit = last ? value : value % digits_[k].extent;
      if (!last && digit != 0) most = std::min(most, (digits_[k].extent - 1) / digit + 1);
      fits = fits && !__builtin_mul_overflow(digit, digits_[k].stride, &term) &&
             !__builtin_add_overflow(stride, term, &stride);
      value /= digits_[k].extent;
    }
    const std::int64_t extent = divisor(rest.extent, most);
    bool carries = extent == 1;
    value = rest.stride;
    for (std::size_t k = from; k < digits_.size() && !carries; ++k) {
      const bool last = k + 1 == digits_.size();
      uses_[k] += (extent - 1) * (last ? value : value % digits_[k].extent);
      carries = !last && uses_[k] - before[k] >= digits_[k].extent;
      value /= digits_[k].extent;
    }
    if (carries || !fits) {
      if (!fits && !carries) refuse(Carry::Why::overflow, from);
      uses_ = before;
      while (out.size() > count) out.pop_back();
      if (trace) trace->steps.resize(steps);
      return false;
    }
    out.push_back({extent, stride});
    if (trace) trace->steps.push_back({Placed::Step::How::spreads, from, rest, out.back(), 0});
    rest = {rest.extent / extent, rest.stride * extent};
  }
  return true;
}

bool DigitRule::finish() {
  for (std::size_t k = 0; k + 1 < digits_.size(); ++k) {
    if (uses_[k] >= digits_[k].extent) return refuse(Carry::Why::sum, k);
  }
  return true;
}

}  // namespace reckon::layout
