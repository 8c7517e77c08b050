#include "kernel/ranges.h"

#include <algorithm>
#include <bit>

namespace reckon::kernel {
namespace {

bool is_constant(const Range& range) { return range.least == range.greatest; }

/// Ends are attained together only if one of the operands is a constant: two that vary may be far apart, or one value.
bool attained(const Range& a, const Range& b) { return a.attained && b.attained && (is_constant(a) || is_constant(b)); }

}  // namespace

std::optional<Range> sum(const Range& a, const Range& b) {
  Range out{0, 0, attained(a, b)};
  if (__builtin_add_overflow(a.least, b.least, &out.least) ||
      __builtin_add_overflow(a.greatest, b.greatest, &out.greatest)) {
    return std::nullopt;
  }
  return out;
}

std::optional<Range> product(const Range& a, const Range& b) {
  std::int64_t ends[4];
  if (__builtin_mul_overflow(a.least, b.least, &ends[0]) || __builtin_mul_overflow(a.least, b.greatest, &ends[1]) ||
      __builtin_mul_overflow(a.greatest, b.least, &ends[2]) ||
      __builtin_mul_overflow(a.greatest, b.greatest, &ends[3])) {
    return std::nullopt;
  }
  const auto [least, greatest] = std::minmax_element(std::begin(ends), std::end(ends));
  return Range{*least, *greatest, attained(a, b)};
}

Ranges::Ranges(const Program& program, const Function& function)
    : program_(program), threads_(function.is_kernel ? function.threads : 0) {
  visit(function.body);
}

std::optional<Range> Ranges::of(Value value) const {
  if (const Constant* constant = program_.as_constant(value)) {
    if (constant->type.kind != Kind::index) return std::nullopt;
    const auto number = static_cast<std::int64_t>(constant->value);
    return Range{number, number, true};
  }
  const auto found = ranges_.find(value.id);
  return found == ranges_.end() ? std::nullopt : std::optional(found->second);
}

void Ranges::visit(const Region& region) {
  for (const std::uint32_t each : region.operations) visit(program_.operations[each]);
}

void Ranges::visit(const Operation& operation) {
  if (operation.op == Op::loop) {
    const auto first = of(operation.operands[0]), limit = of(operation.operands[1]), step = of(operation.operands[2]);
    if (first && limit && step && step->least > 0 && first->least < limit->greatest) {
      Range index{first->least, limit->greatest - 1, false};
      if (is_constant(*first) && is_constant(*limit) && is_constant(*step)) {
        index.greatest -= (index.greatest - index.least) % step->least;
        index.attained = true;
      }
      ranges_[operation.regions[0].parameters[0].id] = index;
    }
  }
  for (const Region& region : operation.regions) visit(region);
  if (operation.results != 1 || program_.type(operation.result()).kind != Kind::index) return;
  if (const auto out = result(operation)) ranges_[operation.result().id] = *out;
}

std::optional<Range> Ranges::result(const Operation& operation) const {
  const auto operand = [&](std::size_t k) { return of(operation.operands[k]); };
  if (operation.op == Op::thread && threads_ > 0) return Range{0, threads_ - 1, true};
  if (operation.op == Op::threads && threads_ > 0) return Range{threads_, threads_, true};
  if (!is_integer(operation.op) || operation.operands.size() != 2) return std::nullopt;
  const auto a = operand(0), b = operand(1);
  switch (operation.op) {
    case Op::bit_and: {
      // The other operand may be negative, too: the mask alone bounds the result.
      if (!b || !is_constant(*b) || b->least < 0) return std::nullopt;
      const bool passes = a && a->least >= 0 && a->greatest <= b->least &&
                          std::has_single_bit(static_cast<std::uint64_t>(b->least) + 1);
      return passes ? a : Range{0, b->least, false};
    }
    case Op::urem: {
      if (!b || b->least <= 0) return std::nullopt;
      const bool passes = a && a->least >= 0 && a->greatest < b->least;
      return passes ? a : Range{0, b->greatest - 1, false};
    }
    default: break;
  }
  if (!a || !b) return std::nullopt;
  switch (operation.op) {
    case Op::add: return sum(*a, *b);
    case Op::sub: {
      if (b->least == INT64_MIN) return std::nullopt;
      return sum(*a, {-b->greatest, -b->least, b->attained});
    }
    case Op::mul: return product(*a, *b);
    case Op::shl:
      if (!is_constant(*b) || b->least < 0 || b->least > 62) return std::nullopt;
      return product(*a, {std::int64_t{1} << b->least, std::int64_t{1} << b->least, true});
    case Op::udiv:
    case Op::lshr: {
      if (a->least < 0 || !is_constant(*b) || b->least < 0) return std::nullopt;
      const std::int64_t by = b->least;
      if (operation.op == Op::udiv ? by == 0 : by > 62) return std::nullopt;
      const std::int64_t divisor = operation.op == Op::udiv ? by : std::int64_t{1} << by;
      return Range{a->least / divisor, a->greatest / divisor, a->attained};
    }
    case Op::minimum: return Range{std::min(a->least, b->least), std::min(a->greatest, b->greatest), attained(*a, *b)};
    case Op::maximum: return Range{std::max(a->least, b->least), std::max(a->greatest, b->greatest), attained(*a, *b)};
    default: return std::nullopt;
  }
}

std::optional<Ranges::Place> Ranges::place(Value memory) const {
  const Operation* operation = program_.as_operation(memory);
  if (operation == nullptr) return std::nullopt;
  const Range start{0, 0, true};
  switch (operation->op) {
    case Op::shared: return Place{operation->number, start};
    case Op::stack: return Place{operation->number * program_.widths.of_element(program_.type(memory)), start};
    case Op::table:
      return Place{static_cast<std::int64_t>(program_.tables[static_cast<std::size_t>(operation->number)].size()) * 8,
                   start};
    case Op::advance: {
      auto before = place(operation->operands[0]);
      const auto by = of(operation->operands[1]);
      if (!before || !by) return std::nullopt;
      const auto offset = sum(before->offset, *by);
      if (!offset) return std::nullopt;
      return Place{before->bytes, *offset};
    }
    default: return std::nullopt;
  }
}

}  // namespace reckon::kernel
