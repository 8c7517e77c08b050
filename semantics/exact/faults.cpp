#include "semantics/exact/faults.h"

#include <fmt/format.h>

#include <limits>

#include "diagnostics/codes/undecided_value.h"
#include "diagnostics/codes/undefined_result.h"
#include "diagnostics/codes/unsupported_operation.h"
#include "ir/function_of.h"

namespace reckon::interp {

namespace {

using ir::Op;

struct Row {
  Op op;
  const char* undefined;  ///< what lies outside the domain; empty if nothing does
  const char* help;
  const char* undecided;   ///< what could not be decided
};

/// The rows for operations that a domain alone does not describe.
constexpr Row rows[] = {
    {Op::div, "division by zero", "keep the divisor from being 0; under `interval` the quotient is unbounded",
     "the divisor cannot be told apart from 0"},
    {Op::rem, "the remainder by zero", "keep the divisor from being 0",
     "the quotient cannot be told apart from an integer"},
    {Op::sqrt, "the square root of a negative number", "keep the operand from being negative",
     "the operand of `sqrt` cannot be told apart from 0"},
    {Op::log, "the logarithm of a number that is not positive", "keep the operand positive",
     "the operand of `log` cannot be told apart from 0"},
    {Op::log2, "the logarithm of a number that is not positive", "keep the operand positive",
     "the operand of `log2` cannot be told apart from 0"},
    {Op::tan, "the tangent at a pole", "keep the operand from odd multiples of pi/2",
     "the operand of `tan` cannot be told apart from a pole"},
    {Op::tanpi, "the tangent at a pole", "keep the operand from 1/2, 3/2, -1/2, ...",
     "the operand of `tanpi` cannot be told apart from a pole"},
    {Op::gamma, "`gamma` at a pole", "keep the operand from 0 and the negative integers",
     "the operand of `gamma` cannot be told apart from a pole"},
    {Op::lgamma, "`lgamma` at a pole", "keep the operand from 0 and the negative integers",
     "the operand of `lgamma` cannot be told apart from a pole"},
    {Op::atan2, "the angle of the origin, `atan2(0, 0)`,", "keep the two operands from being 0 at once",
     "the operands of `atan2` cannot be told apart from its cut, y = 0 where x is not positive"},
    {Op::pow, "this power",
     "a negative base needs an integer exponent that is known as one, and 0 needs one that is not negative",
     "the operands of `pow` cannot be told apart from the edge of its domain"},
    {Op::rootn, "this root",
     "a root of even degree needs an operand that is not negative, and one of a negative degree an operand other than "
     "0",
     "the operand of `rootn` cannot be told apart from 0"},
    {Op::ldexp, "`ldexp` by an exponent that is no integer", "round the exponent first: `ldexp(x, floor(k))`",
     "the exponent of `ldexp` cannot be told apart from an integer"},
    {Op::sign, "", "", "the operand of `sign` cannot be told apart from 0"},
    {Op::copysign, "", "", "the sign's operand of `copysign` cannot be told apart from 0"},
    {Op::floor, "", "", "the operand of `floor` cannot be told apart from an integer"},
    {Op::ceil, "", "", "the operand of `ceil` cannot be told apart from an integer"},
    {Op::trunc, "", "", "the operand of `trunc` cannot be told apart from an integer"},
    {Op::round, "", "", "the operand of `round` cannot be told apart from the middle between two integers"},
    {Op::less, "", "", "the two sides of this comparison cannot be told apart"},
};

struct Words {
  std::string undefined, help, undecided;
};

/// The texts for a function, from its domain.
Words words_of(std::string_view name, const numerics::Domain& domain) {
  const std::string low = fmt::format("{}", domain.low), high = fmt::format("{}", domain.high);
  const bool bounded = domain.high < std::numeric_limits<float>::infinity();
  Words out;
  out.undecided =
      fmt::format("the operand of `{}` cannot be told apart from {}", name, bounded ? high + " or " + low : low);
  if (bounded && !domain.low_open) {
    out.undefined = fmt::format("`{}` of a number outside {}..{}", name, low, high);
    out.help = fmt::format("keep the operand in {}..{}; `clamp` does", low, high);
  } else if (bounded) {
    out.undefined = fmt::format("`{}` of a number that is not between {} and {}", name, low, high);
    out.help = fmt::format("keep the operand between {} and {}", low, high);
  } else if (!domain.low_open) {
    out.undefined = fmt::format("`{}` of a number below {}", name, low);
    out.help = fmt::format("keep the operand from being below {}", low);
  } else {
    const std::string above = domain.low == 0 ? "positive" : "above " + low;
    out.undefined = fmt::format("`{}` of a number that is not {}", name, above);
    out.help = "keep the operand " + above;
  }
  return out;
}

}  // namespace

ExactFaults::ExactFaults(long limit) : limit_(limit) {
  undecided_help_ = fmt::format("raise the limit, as in `exact(bits({}))`; if both are one number in two forms, no limit is enough", 10 * limit);
  const auto say = [&](Op op, std::string_view undefined, std::string_view help, std::string_view undecided) {
    const auto at = static_cast<std::size_t>(op);
    undecided_[at].message = fmt::format("{} at {} bits", undecided, limit);
    undecided_[at].text = {code::undecided_value, undecided_[at].message.c_str(), undecided_help_.c_str()};
    if (undefined.empty()) return;
    undefined_[at].message = fmt::format("{} has no value under `exact`", undefined);
    undefined_[at].help = help;
    undefined_[at].text = {code::undefined_result, undefined_[at].message.c_str(), undefined_[at].help.c_str()};
  };
  for (std::size_t at = 0; at < operations; ++at) {
    const auto function = ir::function_of(static_cast<Op>(at));
    if (!function || numerics::is_everywhere(*function)) continue;
    const Words words = words_of(ir::traits(static_cast<Op>(at)).spelling, numerics::traits(*function).domain);
    say(static_cast<Op>(at), words.undefined, words.help, words.undecided);
  }
  for (const Row& row : rows) say(row.op, row.undefined, row.help, row.undecided);
  if (numerics::balls_missing().empty()) return;
  no_library_ = "irrational numbers need FLINT and Arb: " + numerics::balls_missing();
  library_ = {code::unsupported_operation, no_library_.c_str(), "on Debian 12: apt-get install libflint-arb2"};
}

const FaultText* ExactFaults::of(ir::Op op, numerics::Outcome outcome) const {
  const auto at = static_cast<std::size_t>(op);
  return outcome == numerics::Outcome::undefined ? &undefined_[at].text : &undecided_[at].text;
}

}  // namespace reckon::interp
