// Accumulators: fused products, compensated sums, and sums that are rounded once.
#include <algorithm>

#include "interp/fold.h"
#include "ir/bind.h"
#include "ir/op.h"

namespace reckon::interp {

using ir::Op;
using ir::ScheduleOp;

bool Folder::apply(Op op, std::initializer_list<Rows> operands, Column& out, std::int64_t first, std::int64_t rows,
                   std::int64_t columns, std::int64_t row_stride) {
  Semantics& semantics = evaluator_.semantics();
  std::byte* to = out.writable() + static_cast<std::size_t>(first) * semantics.size(out.scalar);
  return evaluator_.check(place_, semantics.apply(op, out.scalar, out.scalar, operands.begin(), to, row_stride,
                                                  static_cast<std::size_t>(rows), static_cast<std::size_t>(columns)));
}

bool Folder::apply_join(Op op, std::initializer_list<Rows> operands, Column& out, std::int64_t rows,
                        std::int64_t columns) {
  return evaluator_.check(place_, evaluator_.semantics().join(op, out.scalar, operands.begin(), out.writable(), columns,
                                                              static_cast<std::size_t>(rows),
                                                              static_cast<std::size_t>(columns)));
}

bool Folder::fold_arithmetic(const ir::Order& head, const Sublists& of, Nodes& out) {
  const ScheduleOp op = head.op();
  if (arithmetic_ != Arithmetic::plain) {
    return evaluator_.no_order(place_, order_, {ir::ScheduleProblem::Kind::nested_arithmetic});
  }
  if (op == ScheduleOp::rounded_once) return fold_long({}, false, of, out);
  if (op == ScheduleOp::binned) return fold_long({.folds = head.parameter()}, false, of, out);
  if (op == ScheduleOp::mma) return fold_long({.unit = head.node().mma->unit()}, true, of, out);
  const ir::Order inner = op == ScheduleOp::kahan ? head.plain(ScheduleOp::seq) : head.operand(0);
  if (plain_sums_) return fold(inner, of, out);
  if (op == ScheduleOp::fused) {
    if (inner.op() == ScheduleOp::rounded_once) return fold_long({}, true, of, out);
    arithmetic_ = Arithmetic::fused;
    const bool good = fold(inner, of, out);
    arithmetic_ = Arithmetic::plain;
    return good;
  }

  List list;
  list.kind = List::Kind::compensated;
  list.below = of.list;
  list.starts = of.starts;
  list.stride = of.stride;
  list.length = list.count = of.length;
  list.arithmetic = arithmetic_;
  Sublists compensated{&list, of.starts, 1, of.length};
  for (std::size_t p = 0; p < of.starts.size(); ++p)
    compensated.starts[p] = static_cast<std::int64_t>(p) * of.length;
  arithmetic_ = op == ScheduleOp::kahan ? Arithmetic::kahan : Arithmetic::neumaier;
  Nodes state;
  const bool good = fold(inner, compensated, state);
  arithmetic_ = Arithmetic::plain;
  if (!good) return false;
  const std::int64_t width = of.width(outer_);
  out = new_rows(width);
  if (op == ScheduleOp::kahan) {
    out.columns[0] = state.columns[0];
    return true;
  }
  return apply(Op::add, {rows_of(state.columns[0], 0, 0), rows_of(state.columns[1], 0, 0)}, out.columns[0], 0, 1, width,
               width);
}

bool Folder::fold_long(const LongSumRule& rule, bool of_products, const Sublists& of, Nodes& out) {
  const std::int64_t width = of.width(outer_);
  std::unique_ptr<LongSums> sums;
  if (!evaluator_.check(place_,
                        evaluator_.semantics().long_sums(scalars_[0], static_cast<std::size_t>(width), rule, sums))) {
    return false;
  }
  if (!sums) return of.length == 1 ? rows(of, 0, 1, out) : fold_tree(of, out);
  const std::int64_t at_once = rows_at_once(width);
  for (const bool measuring : {true, false}) {
    if (measuring && !sums->measures()) continue;
    for (std::int64_t first = 0; first < of.length; first += at_once) {
      const std::int64_t count = std::min(at_once, of.length - first);
      Nodes chunk;
      if (!rows(of, first, count, chunk)) return false;
      const auto all = static_cast<std::size_t>(count);
      if (of_products) {
        if (!multiply_by_one(chunk)) return false;
        sums->add_products(rows_of(chunk.columns[0], 0, width), rows_of(chunk.columns[1], 0, width), all);
        continue;
      }
      if (!round_products(chunk)) return false;
      const Rows operand = rows_of(chunk.columns[0], 0, width);
      if (measuring) sums->measure(operand, all);
      else sums->add(operand, all);
    }
  }
  out = new_rows(width);
  sums->finish(out.columns[0].writable());
  return evaluator_.check(place_, std::nullopt);
}

bool Folder::multiply_by_one(Nodes& nodes) {
  const auto is_product = [](std::uint8_t product) { return product != 0; };
  if (std::all_of(nodes.products.begin(), nodes.products.end(), is_product)) return true;
  const auto positions = static_cast<std::int64_t>(nodes.products.size());
  Column factors;
  if (!evaluator_.number(place_, 1, scalars_[0], positions * outer_.size, factors)) return false;
  const Semantics& semantics = evaluator_.semantics();
  const std::size_t values = static_cast<std::size_t>(outer_.size), bytes = values * semantics.size(factors.scalar);
  for (std::size_t p = 0; p < nodes.products.size(); ++p) {
    if (nodes.products[p] == 0) continue;
    copy_values(semantics, factors.scalar, nodes.columns[1].data + p * bytes, factors.writable() + p * bytes, values);
  }
  nodes.columns[1] = std::move(factors);
  nodes.products.assign(nodes.products.size(), 1);
  return true;
}

bool Folder::round_products(Nodes& nodes) {
  const auto is_product = [](std::uint8_t product) { return product != 0; };
  if (std::none_of(nodes.products.begin(), nodes.products.end(), is_product)) return true;
  const auto positions = static_cast<std::int64_t>(nodes.products.size());
  Nodes with_rounded = new_rows(positions * outer_.size);
  for (std::int64_t first = 0; first < positions;) {
    std::int64_t end = first + 1;
    const bool product = nodes.products[static_cast<std::size_t>(first)] != 0;
    while (end < positions && (nodes.products[static_cast<std::size_t>(end)] != 0) == product) ++end;
    const std::int64_t at = first * outer_.size, values = (end - first) * outer_.size;
    if (product) {
      if (!apply(Op::mul, {rows_of(nodes.columns[0], at, 0), rows_of(nodes.columns[1], at, 0)}, with_rounded.columns[0],
                 at, 1, values, 0)) {
        return false;
      }
    } else {
      copy_rows(nodes, first, with_rounded, first, end - first, outer_.size);
    }
    first = end;
  }
  nodes = std::move(with_rounded);
  return true;
}

bool Folder::join_fused(const Nodes& left, std::int64_t first_left, std::int64_t left_step, const Nodes& right,
                        std::int64_t first_right, std::int64_t right_step, std::int64_t count, std::int64_t width,
                        Nodes& out) {
  out = new_rows(count * width);
  const std::int64_t positions = width / outer_.size;  // of a row
  auto kind = [&](std::int64_t r, std::int64_t p) {
    const bool l = left.products[static_cast<std::size_t>((first_left + r * left_step) * positions + p)] != 0;
    const bool r_ = right.products[static_cast<std::size_t>((first_right + r * right_step) * positions + p)] != 0;
    return (l ? 1 : 0) + (r_ ? 2 : 0);
  };
  // Joins rows r .. r + rows - 1, values c .. c + columns - 1 of each, which are all of one kind.
  auto block = [&](std::int64_t r, std::int64_t rows, std::int64_t c, std::int64_t columns, int of_kind) {
    auto in = [&](const Nodes& nodes, std::size_t k, std::int64_t first, std::int64_t step) {
      return rows_of(nodes.columns[k], (first + r * step) * width + c, step * width);
    };
    auto l = [&](std::size_t k) { return in(left, k, first_left, left_step); };
    auto r_ = [&](std::size_t k) { return in(right, k, first_right, right_step); };
    const std::int64_t at = r * width + c;
    Column& to = out.columns[0];
    Rows first = l(0), second = r_(0);
    const bool fused = arithmetic_ == Arithmetic::fused;
    const Rows here = rows_of(to, at, width);
    if ((of_kind & 1) != 0 && (!fused || (of_kind & 2) != 0)) {  // the left product is rounded
      if (!apply(Op::mul, {l(0), l(1)}, to, at, rows, columns, width)) return false;
      first = here;
    }
    if (fused && (of_kind & 2) != 0) return apply(Op::fma, {r_(0), r_(1), first}, to, at, rows, columns, width);
    if (fused && of_kind == 1) return apply(Op::fma, {l(0), l(1), r_(0)}, to, at, rows, columns, width);
    if ((of_kind & 2) != 0) {
      Column rounded = evaluator_.column(to.scalar, rows * columns);
      if (!apply(Op::mul, {r_(0), r_(1)}, rounded, 0, rows, columns, columns)) return false;
      return apply(Op::add, {first, rows_of(rounded, 0, columns)}, to, at, rows, columns, width);
    }
    return apply(Op::add, {first, second}, to, at, rows, columns, width);
  };
  // Neighbouring rows of one kind are joined together; a row of several kinds is joined position by position.
  auto row_kind = [&](std::int64_t r) {
    const int first = kind(r, 0);
    for (std::int64_t p = 1; p < positions; ++p) {
      if (kind(r, p) != first) return -1;
    }
    return first;
  };
  for (std::int64_t r = 0; r < count;) {
    const int of_row = row_kind(r);
    std::int64_t end = r + 1;
    if (of_row < 0) {
      for (std::int64_t p = 0; p < positions; ++p) {
        if (!block(r, 1, p * outer_.size, outer_.size, kind(r, p))) return false;
      }
    } else {
      while (end < count && row_kind(end) == of_row) ++end;
      if (!block(r, end - r, 0, width, of_row)) return false;
    }
    r = end;
  }
  return true;
}

bool Folder::compensate(Nodes& nodes, std::int64_t count) {
  Column zeros;
  if (!evaluator_.number(place_, 0, scalars_[0], count, zeros)) return false;
  nodes.columns.resize(1);
  nodes.columns.push_back(std::move(zeros));
  return true;
}

bool Folder::join_compensated(RowRange left, RowRange right, std::int64_t count, std::int64_t width, Nodes& out) {
  out = new_rows(count * width);
  Column x = evaluator_.column(out.columns[0].scalar, count * width);
  Column y = evaluator_.column(out.columns[0].scalar, count * width);
  return join_compensated(left, right, count, width, out, x, y);
}

bool Folder::join_compensated(RowRange left, RowRange right, std::int64_t count, std::int64_t width, Nodes& out,
                              Column& x, Column& y) {
  auto in = [&](const RowRange& range, std::size_t k) {
    return rows_of(range.nodes->columns[k], range.first * width, range.step * width);
  };
  const Rows a = in(left, 0), a_rest = in(left, 1), b = in(right, 0), b_rest = in(right, 1);
  Column& sum = out.columns[0];
  Column& rest = out.columns[1];
  const Rows operands[] = {a, a_rest, b, b_rest};
  if (evaluator_.semantics().join_compensated(arithmetic_ == Arithmetic::kahan, sum.scalar, operands, sum.writable(),
                                              rest.writable(), static_cast<std::size_t>(count),
                                              static_cast<std::size_t>(width))) {
    return evaluator_.check(place_, std::nullopt);
  }
  auto all = [&](const Column& column) { return rows_of(column, 0, width); };
  auto step = [&](Op op, Rows first, Rows second, Column& to) {
    return apply(op, {first, second}, to, 0, count, width, width);
  };
  if (arithmetic_ == Arithmetic::kahan) {
    return step(Op::sub, b, a_rest, x) && step(Op::add, a, all(x), sum) && step(Op::sub, all(sum), a, y) &&
           step(Op::sub, all(y), all(x), rest);
  }
  // TwoSum (Knuth, TAOCP 2, 4.2.2): x = sum - a, error = (a - (sum - x)) + (b - x).
  return step(Op::add, a, b, sum) && step(Op::sub, all(sum), a, x) && step(Op::sub, all(sum), all(x), y) &&
         step(Op::sub, a, all(y), y) && step(Op::sub, b, all(x), x) && step(Op::add, all(y), all(x), x) &&
         step(Op::add, a_rest, b_rest, rest) && step(Op::add, all(rest), all(x), rest);
}

}  // namespace reckon::interp
