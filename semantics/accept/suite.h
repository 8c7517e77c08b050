// The suite's rule for one operation: it is evaluated at the ends of its arguments, each end rounded and flushed
// (gpuweb/cts, floating_point.ts). The results match the suite bit for bit; for wide arguments answers are missing.
#pragma once

#include "semantics/accept/rules.h"

namespace reckon::interp::accept::suite {

/// A number's roundings, and 0 if one of them may be flushed: at most three numbers.
struct Inputs {
  double values[3];
  int count = 0;
};
Inputs inputs(const NumberKind& kind, Setting::Flush flush, double x);

/// These give a fundamental interval around a real between two neighbours of the format, n = low..high rounded outward.
Answers correctly_rounded(const Setting& setting, const Interval& n);
Answers absolute(const Setting& setting, const Interval& n, double error);
Answers ulps(const Setting& setting, const Interval& n, double count);

/// The result of an operation at one choice of arguments, by a piece that is not a circuit.
Answers at(const Setting& setting, const Piece& piece, ir::Op op, const double* point);

/// The same for a true value in `n`. `nearest` has the candidates for its rounding to nearest; `amount` is the piece's.
Answers around(const Setting& setting, const Piece& piece, const Interval& n, const Interval& nearest, double amount);

/// The first piece whose domains hold the point, or null; then `argument` is the number of one that lies outside.
const Piece* piece_at(const Choice& choice, const double* point, int& argument);

/// Moves ends of arguments to where the suite evaluates: a divisor that holds 0 becomes 0, for instance.
void extrema(ir::Op op, Interval* arguments);

/// Calls `visit` with every choice of ends and their inputs.
template <class Visit>
void each_choice(const Setting& setting, const Interval* arguments, int arity, Visit&& visit) {
  Inputs of[3][2];
  int ends[3];
  for (int k = 0; k < arity; ++k) {
    ends[k] = arguments[k].is_point() ? 1 : 2;
    of[k][0] = inputs(setting.kind, setting.flush_inputs, arguments[k].low);
    if (ends[k] == 2) of[k][1] = inputs(setting.kind, setting.flush_inputs, arguments[k].high);
  }
  double point[3];
  const auto choose = [&](auto&& self, int k) -> void {
    if (k == arity) return visit(point);
    for (int e = 0; e < ends[k]; ++e) {
      for (int i = 0; i < of[k][e].count; ++i) {
        point[k] = of[k][e].values[i];
        self(self, k + 1);
      }
    }
  };
  choose(choose, 0);
}

}  // namespace reckon::interp::accept::suite
