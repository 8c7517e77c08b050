// The suite's rule for one operation: arguments are looked at in their ends, each end in its roundings and flushed
// (gpuweb/cts, floating_point.ts). To the last bit; for wide arguments it leaves answers out.
#pragma once

#include "semantics/accept/rules.h"

namespace reckon::interp::accept::suite {

/// A number's roundings, and 0 where one may be flushed: at most three.
struct Inputs {
  double values[3];
  int count = 0;
};
Inputs inputs(const NumberKind& kind, Setting::Flush flush, double x);

/// One of the fundamental intervals around a real between two neighbours of the format, n = low..high rounded outward.
Answers correctly_rounded(const Setting& setting, const Interval& n);
Answers absolute(const Setting& setting, const Interval& n, double error);
Answers ulps(const Setting& setting, const Interval& n, double count);

/// What an operation gives at one choice of arguments, by a piece that is no circuit.
Answers at(const Setting& setting, const Piece& piece, ir::Op op, const double* point);

/// The same of a true value in `n`; `nearest`: to nearest it is one of these. `amount`: the piece's.
Answers around(const Setting& setting, const Piece& piece, const Interval& n, const Interval& nearest, double amount);

/// The first piece whose domains hold the point, or null; then `argument` is one that lies outside.
const Piece* piece_at(const Choice& choice, const double* point, int& argument);

/// Endpoints of arguments where the suite looks elsewhere: a divisor with 0 inside becomes 0.
void extrema(ir::Op op, Interval* arguments);

/// Calls `visit` with every choice of ends and inputs.
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
