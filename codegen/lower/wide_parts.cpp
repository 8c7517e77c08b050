#include "codegen/lower/wide_parts.h"

namespace reckon::codegen {

using ir::Op;
using ir::Scalar;

WideParts::F64Parts WideParts::parts_of(Value x) {
  Value bits = b_.bits(x);
  Value field = b_.bit_and(b_.lshr(bits, 52), 0x7ff);
  Value fraction = b_.bit_and(bits, (1ull << 52) - 1);
  Value normal = b_.not_equal(field, w_.i64(0));
  F64Parts parts;
  parts.sign = b_.ashr(bits, 63);
  parts.magnitude = b_.bit_or(fraction, b_.shl(b_.extend(normal), 52));
  parts.exponent = b_.sub(b_.select(normal, field, w_.i64(1)), w_.i64(1075));
  parts.finite = b_.not_equal(field, w_.i64(0x7ff));
  return parts;
}

Value WideParts::f64_operation(Op op, Value x, Value y) {
  const Value operands[] = {x, y};
  return b_.apply(op, Scalar::f64, Scalar::f64, operands, {});
}

Value WideParts::converted(Scalar from, Scalar to, Value x) {
  return from == to ? x : b_.apply(Op::convert, from, to, {&x, 1}, {});
}

}  // namespace reckon::codegen
