// Long sums under `bound`: the float result, the error that the leaves bring, and the error that the roundings of the
// sum (or its bins) add, which is known exactly.
#pragma once

#include <optional>
#include <vector>

#include "interp/semantics.h"
#include "numerics/exact_sum.h"
#include "semantics/bound/algebra.h"

namespace reckon::interp {

template <class Float>
class BoundSums final : public LongSums {
  using Algebra = BoundAlgebra<Float>;
  using Value = typename Algebra::Value;

 public:
  BoundSums(std::size_t columns, const LongSumRule& rule)
      : folds_(rule.folds), exact_(columns), binned_(folds_ ? columns : 0), errors_(columns), doubts_(columns) {
    if (rule.unit != nullptr) mma_.assign(columns, numerics::MmaSum(*rule.unit));
  }

  bool measures() const override { return folds_.has_value(); }
  void measure(Rows operand, std::size_t rows) override {
    each(rows, [&](std::size_t r, std::size_t c) { binned_[c].measure(Algebra::wide(at(operand, r, c))); });
  }
  void add(Rows operand, std::size_t rows) override {
    each(rows, [&](std::size_t r, std::size_t c) {
      const Value& x = at(operand, r, c);
      exact_[c].add(Algebra::wide(x));
      if (folds_) binned_[c].add(Algebra::wide(x), numerics::bin_width(Algebra::format), *folds_);
      note(c, x, x.error);
    });
  }
  void add_products(Rows left, Rows right, std::size_t rows) override {
    each(rows, [&](std::size_t r, std::size_t c) {
      const Value &x = at(left, r, c), &y = at(right, r, c);
      exact_[c].add_product(Algebra::wide(x), Algebra::wide(y));
      if (!mma_.empty()) mma_[c].add_product(Algebra::wide(x), Algebra::wide(y));
      note(c, x, {});
      note(c, y, x.doubt == Doubt::none && y.doubt == Doubt::none ? Algebra::propagated_product(x, y) : ErrorInterval{});
    });
  }
  void finish(std::byte* out) override {
    auto* to = reinterpret_cast<Value*>(out);
    for (std::size_t c = 0; c < exact_.size(); ++c) {
      const std::uint64_t bits = !mma_.empty() ? numerics::round_f64(mma_[c].result(), Algebra::format)
                                 : folds_      ? binned_[c].round(Algebra::format)
                                               : exact_[c].round(Algebra::format);
      const auto result = Float::from_bits(bits);
      const auto exact = exact_[c].value(), rounded = numerics::exact_value(bits, Algebra::format);
      Doubt doubt = doubts_[c];
      if (doubt == Doubt::none && !exact) doubt = std::isnan(Algebra::wide(result)) ? Doubt::not_a_number : Doubt::infinite;
      if (doubt == Doubt::none && !rounded) doubt = Doubt::overflow;
      to[c] = doubt == Doubt::none ? Algebra::make(result, errors_[c] + enclosing(*exact - *rounded))
                                   : Algebra::doubtful(result, doubt);
    }
  }

 private:
  static const Value& at(const Rows& rows, std::size_t r, std::size_t c) {
    return reinterpret_cast<const Value*>(rows.data)[static_cast<std::ptrdiff_t>(r) * rows.row_stride +
                                                     static_cast<std::ptrdiff_t>(c)];
  }
  void each(std::size_t rows, auto visit) {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < exact_.size(); ++c) visit(r, c);
    }
  }
  void note(std::size_t c, const Value& x, const ErrorInterval& error) {
    if (doubts_[c] == Doubt::none) doubts_[c] = x.doubt;
    errors_[c] = errors_[c] + error;
  }

  std::optional<std::int64_t> folds_;
  std::vector<numerics::ExactSum> exact_;   ///< the sums of the leaves as computed
  std::vector<numerics::BinnedSum> binned_;
  std::vector<numerics::MmaSum> mma_;
  std::vector<ErrorInterval> errors_;       ///< the sums of the leaves' errors
  std::vector<Doubt> doubts_;
};

}  // namespace reckon::interp
