// Kernels of accept that are not operations of a profile: logic, choices and comparisons over rows.
#pragma once

#include "interp/algebra/array_semantics.h"
#include "interp/kleene.h"
#include "ir/op.h"
#include "semantics/accept/engine.h"

namespace reckon::interp::accept {

template <class T>
const T& element(const Rows& rows, std::size_t r, std::size_t c) {
  return reinterpret_cast<const T*>(
      rows.data)[static_cast<std::ptrdiff_t>(r) * rows.row_stride + static_cast<std::ptrdiff_t>(c)];
}
template <class T>
T& result(std::byte* out, std::ptrdiff_t stride, std::size_t r, std::size_t c) {
  return reinterpret_cast<T*>(out)[static_cast<std::ptrdiff_t>(r) * stride + static_cast<std::ptrdiff_t>(c)];
}
template <class Body>
std::optional<Fault> each(std::size_t rows, std::size_t columns, Body&& body) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) body(r, c);
  }
  return std::nullopt;
}

inline std::optional<Fault> logic(ir::Op op, const Rows* in, std::byte* out, std::ptrdiff_t stride, std::size_t rows,
                                  std::size_t columns) {
  return each(rows, columns, [&](std::size_t r, std::size_t c) {
    const Truth a = element<Truth>(in[0], r, c);
    const Truth b = op == ir::Op::logical_not ? a : element<Truth>(in[1], r, c);
    result<Truth>(out, stride, r, c) = op == ir::Op::logical_not   ? kleene::negation(a)
                                       : op == ir::Op::logical_and ? kleene::conjunction(a, b)
                                                                   : kleene::disjunction(a, b);
  });
}

inline std::optional<Fault> select_truths(const Rows* in, std::byte* out, std::ptrdiff_t stride, std::size_t rows,
                                          std::size_t columns) {
  return each(rows, columns, [&](std::size_t r, std::size_t c) {
    const Truth which = element<Truth>(in[0], r, c);
    const Truth a = element<Truth>(in[1], r, c), b = element<Truth>(in[2], r, c);
    result<Truth>(out, stride, r, c) = which == Truth::yes || a == b ? a : (which == Truth::no ? b : Truth::unknown);
  });
}

/// For an unknown condition, the result allows what either side allows.
inline std::optional<Fault> select(bool endpoints_only, const Rows* in, std::byte* out, std::ptrdiff_t stride,
                                   std::size_t rows, std::size_t columns) {
  return each(rows, columns, [&](std::size_t r, std::size_t c) {
    const Truth which = element<Truth>(in[0], r, c);
    const Answers a = element<Answers>(in[1], r, c), b = element<Answers>(in[2], r, c);
    Answers& to = result<Answers>(out, stride, r, c);
    to = which == Truth::no ? b : a;
    if (which == Truth::unknown) unite(to, b, !endpoints_only);
  });
}

inline std::optional<Fault> compare_truths(ir::Op op, const Rows* in, std::byte* out, std::ptrdiff_t stride,
                                           std::size_t rows, std::size_t columns) {
  return each(rows, columns, [&](std::size_t r, std::size_t c) {
    const Truth a = element<Truth>(in[0], r, c), b = element<Truth>(in[1], r, c);
    const bool known = a != Truth::unknown && b != Truth::unknown;
    const Truth same = !known ? Truth::unknown : (a == b ? Truth::yes : Truth::no);
    result<Truth>(out, stride, r, c) = op == ir::Op::equal ? same : kleene::negation(same);
  });
}

inline std::optional<Fault> comparison(ir::Op op, const Setting& setting, const Rows* in, std::byte* out,
                                       std::ptrdiff_t stride, std::size_t rows, std::size_t columns) {
  return each(rows, columns, [&](std::size_t r, std::size_t c) {
    result<Truth>(out, stride, r, c) =
        compare(op, setting, element<Answers>(in[0], r, c), element<Answers>(in[1], r, c));
  });
}

}  // namespace reckon::interp::accept
