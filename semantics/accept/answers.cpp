#include "semantics/accept/answers.h"

#include <algorithm>

namespace reckon::interp::accept {

Interval Answers::hull() const {
  Interval out = parts[0];
  for (std::size_t k = 1; k < count; ++k) out = accept::hull(out, parts[k]);
  return out;
}

bool Answers::contains(double x) const {
  if (unbounded) return true;
  if (x != x) return nan;
  return std::any_of(parts.begin(), parts.begin() + count, [&](const Interval& part) { return part.contains(x); });
}

namespace {

/// Handles the cases that one of the two allows anything, or nothing yet. If the verdicts differ, either may be right.
bool simple(Answers& answers, const Answers& more) {
  if (more.empty()) return true;
  if (answers.empty()) {
    answers = more;
    return true;
  }
  if (answers.verdict != more.verdict) {
    if (answers.verdict == Verdict::valid) answers.verdict_operation = more.verdict_operation;
    answers.verdict = Verdict::either;
  }
  if (answers.unbounded) return true;
  if (more.unbounded) {
    const Answers before = answers;
    answers = more;
    answers.verdict = before.verdict;
    answers.verdict_operation = before.verdict_operation;
    return true;
  }
  answers.nan |= more.nan;
  return false;
}

/// Adds one part; if there is no room, the two closest parts are joined, including the numbers between them.
void add(Answers& answers, Interval part, bool merge) {
  for (std::size_t k = 0; k < answers.count; ++k) {
    Interval& other = answers.parts[k];
    if (other.contains(part)) return;
    if (!(merge ? part.meets(other) : part.contains(other))) continue;
    part = hull(part, other);
    other = answers.parts[--answers.count];
    return add(answers, part, merge);
  }
  if (answers.count < Answers::capacity) {
    answers.parts[answers.count++] = part;
    return;
  }
  std::array<Interval, Answers::capacity + 1> all;
  std::copy(answers.parts.begin(), answers.parts.end(), all.begin());
  all.back() = part;
  std::sort(all.begin(), all.end(), [](const Interval& a, const Interval& b) { return a.low < b.low; });
  std::size_t least = 0;
  for (std::size_t k = 1; k + 1 < all.size(); ++k) {
    if (all[k + 1].low - all[k].high < all[least + 1].low - all[least].high) least = k;
  }
  all[least] = hull(all[least], all[least + 1]);
  std::copy(all.begin() + static_cast<std::ptrdiff_t>(least) + 2, all.end(),
            all.begin() + static_cast<std::ptrdiff_t>(least) + 1);
  std::copy(all.begin(), all.end() - 1, answers.parts.begin());
}

}  // namespace

void unite(Answers& answers, const Answers& more, bool merge) {
  if (simple(answers, more)) return;
  for (std::size_t k = 0; k < more.count; ++k) add(answers, more.parts[k], merge);
}

void span(Answers& answers, const Answers& more) {
  if (simple(answers, more)) return;
  if (answers.count == more.count) {
    for (std::size_t k = 0; k < answers.count; ++k) answers.parts[k] = hull(answers.parts[k], more.parts[k]);
  } else if (answers.count == 0) {
    answers.parts = more.parts;
    answers.count = more.count;
  } else if (more.count != 0) {
    answers.parts[0] = hull(answers.hull(), more.hull());
    answers.count = 1;
  }
}

}  // namespace reckon::interp::accept
