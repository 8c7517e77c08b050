#include "interp/semantics/exact_faults.h"

#include <fmt/format.h>

namespace reckon::interp {

namespace {

using ir::Op;

struct Row {
  Op op;
  const char* undefined;   ///< what is outside the domain; null where there is no outside
  const char* help;
  const char* undecided;   ///< what cannot be told from what
};

constexpr const char* positive_help = "keep the operand positive";
constexpr Row rows[] = {
    {Op::div, "division by zero", "keep the divisor from being 0; under `interval` the quotient is unbounded",
     "the divisor cannot be told apart from 0"},
    {Op::rem, "the remainder by zero", "keep the divisor from being 0", "the quotient cannot be told apart from an integer"},
    {Op::sqrt, "the square root of a negative number", "keep the operand from being negative",
     "the operand of `sqrt` cannot be told apart from 0"},
    {Op::rsqrt, "`rsqrt` of a number that is not positive", positive_help,
     "the operand of `rsqrt` cannot be told apart from 0"},
    {Op::log, "the logarithm of a number that is not positive", positive_help,
     "the operand of `log` cannot be told apart from 0"},
    {Op::log2, "the logarithm of a number that is not positive", positive_help,
     "the operand of `log2` cannot be told apart from 0"},
    {Op::log1p, "`log1p` of a number that is not above -1", "keep the operand above -1",
     "the operand of `log1p` cannot be told apart from -1"},
    {Op::tan, "the tangent at a pole", "keep the operand from odd multiples of pi/2",
     "the operand of `tan` cannot be told apart from a pole"},
    {Op::asin, "`asin` of a number outside -1..1", "keep the operand in -1..1; `clamp` does",
     "the operand of `asin` cannot be told apart from 1 or -1"},
    {Op::acos, "`acos` of a number outside -1..1", "keep the operand in -1..1; `clamp` does",
     "the operand of `acos` cannot be told apart from 1 or -1"},
    {Op::acosh, "`acosh` of a number below 1", "keep the operand from being below 1",
     "the operand of `acosh` cannot be told apart from 1"},
    {Op::atanh, "`atanh` of a number that is not between -1 and 1", "keep the operand between -1 and 1",
     "the operand of `atanh` cannot be told apart from 1 or -1"},
    {Op::atan2, "the angle of the origin, `atan2(0, 0)`,", "keep the two operands from being 0 at once",
     "the operands of `atan2` cannot be told apart from its cut, y = 0 where x is not positive"},
    {Op::pow, "this power",
     "a negative base needs an integer exponent that is known as one, and 0 needs one that is not negative",
     "the operands of `pow` cannot be told apart from the edge of its domain"},
    {Op::ldexp, "`ldexp` by an exponent that is no integer", "round the exponent first: `ldexp(x, floor(k))`",
     "the exponent of `ldexp` cannot be told apart from an integer"},
    {Op::sign, nullptr, nullptr, "the operand of `sign` cannot be told apart from 0"},
    {Op::copysign, nullptr, nullptr, "the sign's operand of `copysign` cannot be told apart from 0"},
    {Op::floor, nullptr, nullptr, "the operand of `floor` cannot be told apart from an integer"},
    {Op::ceil, nullptr, nullptr, "the operand of `ceil` cannot be told apart from an integer"},
    {Op::trunc, nullptr, nullptr, "the operand of `trunc` cannot be told apart from an integer"},
    {Op::round, nullptr, nullptr, "the operand of `round` cannot be told apart from the middle between two integers"},
    {Op::less, nullptr, nullptr, "the two sides of this comparison cannot be told apart"},
};


}  // namespace

ExactFaults::ExactFaults(long limit) : limit_(limit) {
  undecided_help_ = fmt::format("raise the limit, as in `exact(bits({}))`; if both are one number in two forms, no limit is enough", 10 * limit);
  for (const Row& row : rows) {
    const auto at = static_cast<std::size_t>(row.op);
    undecided_[at].message = fmt::format("{} at {} bits", row.undecided, limit);
    undecided_[at].text = {Code::undecided_value, undecided_[at].message.c_str(), undecided_help_.c_str()};
    if (!row.undefined) continue;
    undefined_[at].message = fmt::format("{} has no value under `exact`", row.undefined);
    undefined_[at].text = {Code::undefined_result, undefined_[at].message.c_str(), row.help};
  }
  if (numerics::balls_missing().empty()) return;
  no_library_ = "irrational numbers need FLINT and Arb: " + numerics::balls_missing();
  library_ = {Code::unsupported_operation, no_library_.c_str(), "on Debian 12: apt-get install libflint-arb2"};
}

const FaultText* ExactFaults::of(ir::Op op, numerics::Outcome outcome) const {
  const auto at = static_cast<std::size_t>(op);
  return outcome == numerics::Outcome::undefined ? &undefined_[at].text : &undecided_[at].text;
}

}  // namespace reckon::interp
