// The sound rule for one operation: every answer that some conforming implementation may give for some arguments in a
// box. "Conforming" is what WGSL's text says (the unit in the last place is that of the real result), or what its suite
// accepts at points, where that is more.
#pragma once

#include "semantics/accept/rules.h"

namespace reckon::interp::accept::sound {

/// An argument as the operation sees it: rounded outward to the format, and flushed.
Interval input(const Setting& setting, const Interval& x);
/// The same where an interval holds the answers of the format already, so that its ends may lie between numbers.
Interval seen(const Setting& setting, const Interval& x);

/// The answers over a box inside the piece's domains; the piece is not a circuit.
Answers over(const Setting& setting, const Piece& piece, ir::Op op, const Interval* box);

/// The same for true values that are known to lie in `reals`. `nearest` holds them rounded to nearest. `amount` is the
/// largest amount of the piece. `slack` is the relative error that an end of `reals` may have.
Answers around(const Setting& setting, const Piece& piece, const Interval& reals, const Interval& nearest,
               double amount, double slack);

/// The verdict of a constant expression if no accuracy is stated for a box.
Verdict outside(const Setting& setting, ir::Op op, const Interval* box);

/// The results of an operation on a range of reals if it rounds them, in either direction, and may flush them.
Answers rounded(const Setting& setting, const Interval& reals, bool flushes = true);

/// Calls `visit(piece, box)` for parts that cover the box, each inside a piece's domains. The piece is null for a part
/// outside all domains, because of `argument`. Box: an array or a vector of an interval for each argument.
template <class Box, class Visit>
void each_piece(const Setting& setting, const Choice& choice, const Box& box, Visit&& visit) {
  const auto cover = [&](auto&& self, std::size_t p, std::size_t d, Box part, int argument) -> void {
    if (p == choice.pieces.size()) return visit(static_cast<const Piece*>(nullptr), part, argument);
    const Piece& piece = choice.pieces[p];
    if (d == piece.domains.size()) return visit(&piece, part, argument);
    const Domain& domain = piece.domains[d];
    const Interval whole = part[domain.argument];
    double from = whole.low;  // the part that is not covered yet begins here
    bool done = false;
    const auto outside = [&](double low, double high) {
      Box rest = part;
      rest[domain.argument] = {low, high};
      self(self, p + 1, 0, rest, static_cast<int>(domain.argument));
    };
    for (const Interval& range : domain.ranges) {
      if (range.high < from) continue;
      if (range.low > whole.high) break;
      if (range.low > from) outside(from, setting.kind.before(range.low));
      Box inside = part;
      inside[domain.argument] = {std::max(from, range.low), std::min(whole.high, range.high)};
      self(self, p, d + 1, inside, argument);
      if (range.high >= whole.high) {
        done = true;
        break;
      }
      from = setting.kind.after(range.high);
    }
    if (!done) outside(from, whole.high);
  };
  cover(cover, 0, 0, box, 0);
}

}  // namespace reckon::interp::accept::sound
