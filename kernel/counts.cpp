#include "kernel/counts.h"

#include "ir/op.h"

namespace reckon::kernel {

std::string_view spelling(Unit unit) {
  static constexpr std::string_view spellings[units] = {"index",    "f32",      "f64",     "simple",
                                                        "division", "function", "convert", "mma_f64"};
  return spellings[static_cast<std::size_t>(unit)];
}

namespace {

Unit unit_of(ir::Op op, ir::Scalar scalar) {
  switch (op) {
    case ir::Op::add:
    case ir::Op::sub:
    case ir::Op::mul:
    case ir::Op::fma: return scalar == ir::Scalar::f64 ? Unit::f64 : Unit::f32;
    case ir::Op::div:
    case ir::Op::rem:
    case ir::Op::sqrt:
    case ir::Op::rsqrt: return Unit::division;
    case ir::Op::convert:
    case ir::Op::bits:
    case ir::Op::from_bits: return Unit::convert;
    default: return ir::is_elementary(op) || ir::is_approximate(op) ? Unit::function : Unit::simple;
  }
}

}  // namespace

std::optional<Unit> unit_of(const Program& program, const Operation& operation) {
  if (is_integer(operation.op)) return Unit::index;
  switch (operation.op) {
    case Op::apply: return unit_of(operation.number_op, operation.from);
    case Op::apply_rounded: return Unit::f32;
    case Op::mma_f64: return Unit::mma_f64;
    case Op::select:
      return program.type(operation.result()).kind == Kind::number ? Unit::simple : Unit::index;
    case Op::divide_quick:
    case Op::divide_unusual:
    case Op::prepare_divisor: return Unit::division;
    case Op::from_index:
    case Op::bounded_index:
    case Op::clamped_index:
    case Op::from_flag:
    case Op::to_flag:
    case Op::bits:
    case Op::from_bits: return Unit::convert;
    default: return std::nullopt;
  }
}

void add(Counts& counts, const Program& program, const Operation& operation, double threads) {
  if (const auto unit = unit_of(program, operation)) {
    // Of each value, as codegen/scalars/quick_exponential.h emits it for nearly all values.
    constexpr double instructions_of_a_rounded_function = 10;
    const bool rounds = operation.op == Op::apply_rounded;
    double each = 1;
    if (rounds) each = operation.results * instructions_of_a_rounded_function;
    if (operation.op == Op::mma_f64) each = static_cast<double>(operation.results * MmaF64::leaves);
    counts.operations[static_cast<std::size_t>(*unit)] += each * threads;
    return;
  }
  const auto traffic = [&](std::size_t elements) -> std::pair<Counts::Traffic&, double> {
    const Type memory = program.type(operation.operands[0]);
    const auto bytes = static_cast<double>(program.widths.of_element(memory)) * static_cast<double>(elements);
    return {counts.bytes[static_cast<std::size_t>(memory.space)], bytes * threads};
  };
  switch (operation.op) {
    case Op::load:
    case Op::load_vector: {
      const auto [to, bytes] = traffic(operation.results);
      to.read += bytes;
      break;
    }
    case Op::store:
    case Op::store_vector: {
      const auto [to, bytes] = traffic(operation.operands.size() - 2);
      to.written += bytes;
      break;
    }
    case Op::atomic_add: {
      const auto [to, bytes] = traffic(1);
      to.read += bytes;
      to.written += bytes;
      break;
    }
    case Op::clear: {
      const auto [to, bytes] = traffic(static_cast<std::size_t>(operation.number));
      to.written += bytes;
      break;
    }
    case Op::shuffle_xor:
    case Op::peers: counts.shuffles += threads; break;
    case Op::barrier:
    case Op::barrier_or: counts.barriers += threads; break;
    case Op::arrive:
    case Op::ticket:
    case Op::publish:
    case Op::look_up: counts.arrivals += threads; break;
    default: break;
  }
}

}  // namespace reckon::kernel
