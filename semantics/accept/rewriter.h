// What a compiler may make of additions and multiplications: a profile's `contract may` and `reassociate may`.
//
//   contract      an addition or subtraction that has a product as an operand may be one fma instead
//   reassociate   the terms of a chain of additions and subtractions may be added in any order, and the factors of a
//                 chain of multiplications multiplied in any order
//
// A value remembers which product or which chain it is (Answers::origin), so that the operation that takes it encloses
// all of these ways. Every use of a value chooses for itself, as a compiler may that computes a product twice.
#pragma once

#include <deque>

#include "semantics/accept/engine.h"

namespace reckon::interp::accept {

class Rewriter {
 public:
  /// Chains of more terms are enclosed by a proven bound; of those up to this length, all orders are looked at.
  static constexpr std::size_t most_terms = 7;

  explicit Rewriter(const Engine& engine);
  Rewriter(const Rewriter&) = delete;

  /// Whether the profile lets anything be rewritten.
  bool enabled() const { return contracts_ || reassociates_; }
  bool reassociates() const { return reassociates_; }
  static bool follows(ir::Op op);

  /// The answers of an operation that it follows: add, sub, mul, neg. `out` may be one of the operands.
  std::optional<Fault> apply(ir::Op op, ir::Scalar scalar, const Answers* const* operands, Answers& out);
  /// The addition or subtraction of two values, or of what a compiler may contract them to.
  std::optional<Fault> contracted(ir::Op op, ir::Scalar scalar, const Answers& a, const Answers& b, Answers& out);

  /// The reals that a term of a sum may contribute: its own answers, or its product as it is before it is rounded. False
  /// if it may be infinite, NaN or anything.
  bool term_range(const Setting& setting, const Answers& term, Interval& out) const;

  /// While this lives, nothing is rewritten: a library's circuits are compiled already.
  class Pause {
   public:
    explicit Pause(Rewriter& rewriter) : rewriter_(rewriter) { ++rewriter_.pauses_; }
    ~Pause() { --rewriter_.pauses_; }
    Pause(const Pause&) = delete;

   private:
    Rewriter& rewriter_;
  };
  bool active() const { return enabled() && pauses_ == 0; }

 private:
  /// How a value was made. Of a chain `count` terms or factors, the least and greatest real sum or product of them, and
  /// `size`: of a sum, the sum of their magnitudes; of a product, that of the magnitudes above 1. `known` is false if
  /// one of them may be infinite, NaN or anything.
  struct Made {
    ir::Op op{};
    ir::Scalar scalar{};
    Answers left, right;
    std::size_t count = 0;
    bool known = false;
    Interval reals{};
    double size = 0;
  };
  using Factors = std::pair<Answers, Answers>;

  const Made* made(const Answers& value) const { return value.origin == 0 ? nullptr : &made_[value.origin - 1]; }
  const Made* product(const Answers& value) const;
  const Made* chain(ir::Op op, const Answers& value) const;
  Answers remembered(Answers value, Made how);
  Answers negated(const Answers& value);

  Made joined_chain(ir::Op op, ir::Scalar scalar, const Answers& a, const Answers& b) const;
  void terms(const Answers& value, bool negative, std::vector<Answers>& out);
  void factors(const Answers& value, std::vector<Answers>& out) const;
  std::optional<Fault> sum(ir::Op op, ir::Scalar scalar, const Answers& a, const Answers& b, Answers& out);
  std::optional<Fault> times(ir::Scalar scalar, const Answers& a, const Answers& b, Answers& out);
  std::optional<Fault> factorings(const Answers& value, std::vector<Factors>& out);
  std::optional<Fault> fused(ir::Scalar scalar, const Answers& value, bool negative, const Answers& addend,
                             Answers& out);
  std::optional<Fault> full() const;
  bool any_order_product(const Setting& setting, const Made& chain, Interval& out) const;

  const Engine& engine_;
  const bool contracts_, reassociates_;
  int pauses_ = 0;
  std::deque<Made> made_;
};

}  // namespace reckon::interp::accept
