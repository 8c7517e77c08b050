// Operations of a thread by itself that touch no memory.
#include <fmt/format.h>

#include <array>

#include "kernel/integer.h"
#include "kernel/interpret/machine.h"

namespace reckon::kernel {

bool Machine::check(const std::optional<NoValue>& problem, std::uint32_t lane) {
  return !problem || problem->goes_on || fail(Report::Kind::no_value, lane, problem->text);
}

bool Machine::compute(const Operation& operation, const Lanes& lanes) {
  if (is_integer(operation.op)) return integer(operation, lanes);
  const auto all = [&](std::uint64_t value) {
    for (const std::uint32_t lane : lanes) word(operation.result(), lane) = value;
    return true;
  };
  switch (operation.op) {
    case Op::thread:
      for (const std::uint32_t lane : lanes) word(operation.result(), lane) = lane;
      return true;
    case Op::threads: return all(launch_.threads);
    case Op::block: return all(block_);
    case Op::blocks: return all(launch_.blocks);
    case Op::may_be_wrong: return all(0);
    case Op::select: {
      Column& out = column(operation.result());
      for (const std::uint32_t lane : lanes) {
        const bool is_set = word(operation.operands[0], lane) != 0;
        copy(column(operation.operands[is_set ? 1 : 2]), lane, out, lane);
      }
      return true;
    }
    case Op::apply: {
      const ir::Scalar to = program_.type(operation.result()).scalar;
      return apply({operation.number_op, operation.from, to, operation.number == 1}, operation.operands,
                   operation.result(), lanes);
    }
    case Op::apply_rounded: return apply_rounded(operation, lanes);
    case Op::prepare_divisor: {
      // The divisions below compute the right quotient, so nothing has to be prepared.
      const Value target = operation.result();
      assign({&target, 1}, operation.operands, lanes);
      return true;
    }
    case Op::divide_quick:
    case Op::divide_unusual: {
      const ir::Scalar scalar = program_.type(operation.result()).scalar;
      return apply({ir::Op::div, scalar, scalar, false}, std::span(operation.operands).first(2), operation.result(),
                   lanes);
    }
    case Op::fault: note_faults(operation, lanes); return true;
    case Op::bounded_index:
    case Op::clamped_index: return bounded_index(operation, lanes);
    case Op::leaf:
    case Op::node:
    case Op::root: return trees(operation, lanes);
    default: return flags_and_bits(operation, lanes);
  }
}

bool Machine::integer(const Operation& operation, const Lanes& lanes) {
  const int bits = program_.type(operation.operands[0]).kind == Kind::flag ? 1 : 64;
  std::vector<const Column*> operands;
  for (const Value operand : operation.operands) operands.push_back(&column(operand));
  Column& out = column(operation.result());
  std::array<std::uint64_t, 2> words{};
  for (const std::uint32_t lane : lanes) {
    for (std::size_t k = 0; k < operands.size(); ++k) words[k] = operands[k]->words[lane];
    const auto result = integer_result(operation.op, std::span(words).first(operands.size()), operation.fits, bits);
    if (!result) {
      return fail(Report::Kind::integer, lane,
                  fmt::format("{} of {} and {} is not what it is said to be", spelling(operation.op),
                              static_cast<std::int64_t>(words[0]), static_cast<std::int64_t>(words[1])));
    }
    out.words[lane] = *result;
  }
  return true;
}

bool Machine::apply(const Calculation& calculation, std::span<const Value> operands, Value result, const Lanes& lanes) {
  if (operands.size() > 3) return fail(Report::Kind::malformed, lanes[0], "too many operands");
  std::array<Column*, 3> from{};
  for (std::size_t k = 0; k < operands.size(); ++k) from[k] = &column(operands[k]);
  Column& out = column(result);
  std::array<const std::byte*, 3> at{};
  const Numbers::Operands all(at.data(), operands.size());
  if (is_full(lanes)) {
    for (std::size_t k = 0; k < operands.size(); ++k) at[k] = from[k]->numbers.at(0);
    const auto problem = numbers_.apply(calculation, all, out.numbers.at(0), lanes.size());
    if (!problem || problem->goes_on) return true;
    // The loop below finds out which thread had the problem.
  }
  for (const std::uint32_t lane : lanes) {
    for (std::size_t k = 0; k < operands.size(); ++k) at[k] = from[k]->numbers.at(lane);
    if (!check(numbers_.apply(calculation, all, out.numbers.at(lane), 1), lane)) return false;
  }
  return true;
}

bool Machine::apply_rounded(const Operation& operation, const Lanes& lanes) {
  const ir::Scalar to = program_.type(operation.result()).scalar;
  NumberArray unrounded(numbers_, operation.from, 1);
  for (std::uint32_t k = 0; k < operation.results; ++k) {
    for (const std::uint32_t lane : lanes) {
      const std::byte* operand = number(operation.operands[k], lane);
      const std::byte* between = unrounded.at(0);
      const Calculation function{operation.number_op, operation.from, operation.from, false};
      if (!check(numbers_.apply(function, {&operand, 1}, unrounded.at(0), 1), lane)) return false;
      const Calculation rounding{ir::Op::convert, operation.from, to, false};
      if (!check(numbers_.apply(rounding, {&between, 1}, number(operation.result(k), lane), 1), lane)) return false;
    }
  }
  return true;
}

void Machine::note_faults(const Operation& operation, const Lanes& lanes) {
  NumberArray unused(numbers_, operation.from, 1);
  std::array<const std::byte*, 4> at{};
  for (const std::uint32_t lane : lanes) {
    for (std::size_t k = 0; k < operation.operands.size(); ++k) at[k] = number(operation.operands[k], lane);
    const Calculation calculation{operation.number_op, operation.from, operation.from, false};
    if (numbers_.apply(calculation, {at.data(), operation.operands.size()}, unused.at(0), 1)) {
      outcome_.faults.insert(operation.number);
    }
  }
}

bool Machine::bounded_index(const Operation& operation, const Lanes& lanes) {
  const ir::Scalar type = program_.type(operation.operands[0]).scalar;
  for (const std::uint32_t lane : lanes) {
    const auto value = numbers_.pattern(type, number(operation.operands[0], lane));
    if (!value) return fail(Report::Kind::undecided, lane, "an index that is read from data is not one known integer");
    const std::uint64_t index = numerics::extended(ir::integer_traits(type), *value);
    const std::uint64_t limit = word(operation.operands[1], lane);
    const bool is_below = index < limit, clamps = operation.op == Op::clamped_index;
    if (!is_below && !clamps) outcome_.faults.insert(operation.number);
    word(operation.result(), lane) = is_below ? index : clamps ? limit : 0;
  }
  return true;
}

bool Machine::flags_and_bits(const Operation& operation, const Lanes& lanes) {
  const Value operand = operation.operands[0], result = operation.result();
  const ir::Scalar scalar = program_.type(result).scalar;
  for (const std::uint32_t lane : lanes) {
    switch (operation.op) {
      case Op::from_index:
        if (!check(numbers_.from_index(scalar, static_cast<std::int64_t>(word(operand, lane)), number(result, lane)),
                   lane)) {
          return false;
        }
        break;
      case Op::from_flag: numbers_.from_flag(word(operand, lane) != 0, number(result, lane)); break;
      case Op::to_flag: {
        const auto flag = numbers_.to_flag(number(operand, lane));
        if (!flag) return fail(Report::Kind::undecided, lane, "a bool is neither true nor false");
        word(result, lane) = *flag;
        break;
      }
      case Op::bits: {
        const auto pattern = numbers_.pattern(program_.type(operand).scalar, number(operand, lane));
        if (!pattern) return fail(Report::Kind::undecided, lane, "a number has no bit pattern");
        word(result, lane) = *pattern;
        break;
      }
      case Op::from_bits:
        if (!check(numbers_.from_pattern(scalar, word(operand, lane), number(result, lane)), lane)) return false;
        break;
      default: return fail(Report::Kind::malformed, lane, "the interpreter does not know the operation");
    }
  }
  return true;
}

bool Machine::trees(const Operation& operation, const Lanes& lanes) {
  const Value result = operation.result();
  const ir::Scalar scalar = program_.type(result).scalar;
  for (const std::uint32_t lane : lanes) {
    const std::byte* value = number(operation.operands[0], lane);
    std::byte* out = number(result, lane);
    if (operation.op == Op::leaf) {
      numbers_.leaf(operation.site, scalar, value, static_cast<std::int64_t>(word(operation.operands[1], lane)), out);
    } else if (operation.op == Op::node) {
      numbers_.node(operation.site, scalar, value, number(operation.operands[1], lane),
                    number(operation.operands[2], lane), out);
    } else {
      numbers_.root(operation.site, scalar, value, block_, lane, out);
    }
  }
  return true;
}

}  // namespace reckon::kernel
