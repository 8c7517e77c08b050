#include "codegen/semantics/interval_trig.h"

#include <limits>

#include "codegen/semantics/trig_of_f64.h"
#include "numerics/functions/sided.h"

namespace reckon::codegen {

using ir::Op;
using llvm::Value;
using numerics::Function;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// At one end of an operand: the function rounded down and up, and the floor of the end / (pi/2) modulo 4.
struct AtEnd {
  Value *below, *above, *turns;
};

template <Function function>
AtEnd at_f32(Builder& b, Directed& directed, Value* x) {
  NumberBuilder numbers{b};
  const auto quadrant = numerics::quadrant_of(numbers, x);
  Value* value = numerics::sided_in<function>(numbers, quadrant, x);
  return {directed.number(Side::below, value), directed.number(Side::above, value),
          numerics::quarter_turns(numbers, quadrant, x)};
}

class IntervalTrig {
 public:
  IntervalTrig(Builder& b, Target target, Endpoints endpoints, Op op)
      : b_(b),
        directed_(b, target, endpoints),
        rules_(b, target, endpoints),
        target_(target),
        endpoints_(endpoints),
        op_(op) {}

  Pair operator()(Pair x) {
    const AtEnd low = at(x.low), high = at(x.high);
    // Below a width of 7 there are 5 quarter turns at most. Two numbers modulo 4 give their count modulo 4; 0 or 1 is 4
    // or 5 where the width is 4 or more: up to one fit into less than 3.2, and four need 4.7.
    Value* width = directed_.add(Side::below, x.high, b_.CreateFNeg(x.low));  // an infinity for unbounded ones
    before_ = low.turns;
    count_ = b_.CreateAnd(b_.CreateSub(high.turns, low.turns), 3);
    Value* few = b_.CreateICmpULT(count_, b_.getInt64(2));
    Value* wraps = b_.CreateAnd(few, rules_.at_least(width, 4));
    count_ = b_.CreateAdd(count_, b_.CreateSelect(wraps, b_.getInt64(4), b_.getInt64(0)));
    many_ = rules_.at_least(width, 7);
    if (op_ == Op::tan) {
      return rules_.choose(hold(1, 2), {rules_.number(-infinity), rules_.number(infinity)}, {low.below, high.above});
    }
    // sin is 1 where the quarter turns number 1, 5, ..., and -1 at 3, 7, ...; cos at 0, 4, ... and 2, 6, ...
    const std::uint64_t peak = op_ == Op::sin ? 1 : 0;
    return {b_.CreateSelect(hold(peak + 2, 4), rules_.number(-1), rules_.min_of(low.below, high.below)),
            b_.CreateSelect(hold(peak, 4), rules_.number(1), rules_.max_of(low.above, high.above))};
  }

 private:
  AtEnd at(Value* x) {
    if (endpoints_ != Endpoints::f32) {
      return {emit_trig_of_f64(b_, op_, Side::below, x, target_), emit_trig_of_f64(b_, op_, Side::above, x, target_),
              emit_quarter_turns_of_f64(b_, x, target_)};
    }
    if (op_ == Op::sin) return at_f32<Function::sin>(b_, directed_, x);
    if (op_ == Op::cos) return at_f32<Function::cos>(b_, directed_, x);
    return at_f32<Function::tan>(b_, directed_, x);
  }
  /// Whether one of the multiples of pi/2 inside is `residue` modulo `modulus`, 2 or 4.
  Value* hold(std::uint64_t residue, std::uint64_t modulus) {
    Value* gap = b_.CreateAnd(b_.CreateSub(b_.getInt64((residue + 3) % 4), before_), modulus - 1);
    return b_.CreateOr(many_, b_.CreateICmpULT(gap, count_));
  }

  Builder& b_;
  Directed directed_;
  Rules rules_;
  Target target_;
  Endpoints endpoints_;
  Op op_;
  Value *before_ = nullptr, *count_ = nullptr, *many_ = nullptr;
};

}  // namespace

Pair emit_interval_trig(Builder& b, Target target, Endpoints endpoints, Op op, Pair x) {
  return IntervalTrig(b, target, endpoints, op)(x);
}

}  // namespace reckon::codegen
