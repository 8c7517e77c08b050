// How the work items of a kernel are walked on each target.
//
// Host: the items begin..end-1 in order, the last dimension innermost, so that what depends on outer indices alone is
// computed once per row and LLVM sees a plain counted loop. PTX: a thread (or a block) starts with the item of its
// number, and goes on in steps of the number of all threads (or blocks).
#include "codegen/lower/items.h"

#include "ir/visit.h"
#include "kernel/jam.h"

namespace reckon::codegen {

namespace {

/// Bytes of the results of neighbouring items that are computed side by side: two registers of AVX2.
constexpr std::int64_t bytes_side_by_side = 64;
/// The same where columns are reduced by at most so many operations each step: the sums fill eight of the sixteen registers,
/// and each step reads four whole lines of the cache.
constexpr std::int64_t bytes_of_columns = 256, few_operations = 8;
/// The same where items read rows that lie far apart, so that the first cache holds a line of each row.
constexpr std::int64_t bytes_of_rows = 32;
/// Rows of items that go together if they share what they read. Four rows of two registers leave registers for operands.
constexpr std::int64_t max_rows = 4;
/// So many rows are computed for some columns before the next columns.
constexpr std::int64_t rows_of_a_chunk = 64;
/// Operations of loops side by side, beyond which compilation takes long.
constexpr std::int64_t max_operations = 512;
/// Bytes of the arrays on the stack of all items side by side.
constexpr std::int64_t max_array_bytes = 64 * 1024;

}  // namespace

Items::Items(Writer& writer) : w_(writer), b_(writer.builder()) {}

/// Items whose reductions are chains wait for themselves most of the time, and read what their neighbours read: several
/// of them are computed side by side (kernel/jam.h), in vectors where their elements are neighbours.
bool Items::may_go_side_by_side(const KernelBody& body, const Kernel& kernel) const {
  if (w_.numbers().has_undefined() || !w_.numbers().is_word(w_.planned().plan.buffers[kernel.output].scalar))
    return false;
  // Reductions of a few leaves are written out, and LLVM makes vectors of neighbouring items.
  constexpr std::int64_t few = 8;
  const auto is_long_reduction = [&](ir::NodeId id) {
    const ir::Node& node = w_.module()[id];
    return node.op == ir::Op::reduce && w_.module().indices().as_constant(node.indices[0]).value_or(few + 1) > few;
  };
  const bool reduces = body.kind == KernelBody::Kind::fold || body.kind == KernelBody::Kind::elements;
  return reduces && ir::find_node(w_.module(), {body.node}, is_long_reduction).has_value();
}

/// Puts the rounds of the loop that ends the region side by side.
void Items::side_by_side(const Kernel& kernel, kernel::Region& around) {
  const kernel::Jammable found = kernel::jammable(b_.program(), b_.program().operations[around.operations.back()]);
  if (!found.possible || !found.is_light) return;
  const ir::Scalar scalar = w_.planned().plan.buffers[kernel.output].scalar;
  const bool columns = kernel.items.size() == 1 && found.reads_neighbours && found.operations <= few_operations;
  const std::int64_t bytes = columns ? bytes_of_columns : found.reads_neighbours ? bytes_side_by_side : bytes_of_rows;
  std::int64_t width = bytes / w_.bytes_of(Type::number(scalar));
  while (width > 1 && (found.operations * width > max_operations || found.stack_bytes * width > max_array_bytes))
    width /= 2;
  if (width < 2) return;
  kernel::unroll_and_jam(b_.program(), w_.function(), around, width, kernel::RoundArrays::interleaved);
  any_side_by_side_ = true;
}

/// The same for columns inside of rows. If rows share what they read, some of them go together, too, and columns are
/// walked outside of rows: what the rows share stays in the cache.
void Items::rows_and_columns_side_by_side(const Kernel& kernel) {
  kernel::Program& program = b_.program();
  kernel::Region& around = *w_.scope()->region;
  kernel::Operation& rows = program.operations[around.operations.back()];
  const kernel::Jammable found = kernel::jammable(program, rows);
  const bool together = found.possible && found.is_light && found.shares_loads &&
                        found.operations * max_rows <= max_operations &&
                        found.stack_bytes * max_rows <= max_array_bytes;
  if (!together || !kernel::exchange_loops(program, around)) {
    side_by_side(kernel, rows.regions[0]);
    return;
  }
  kernel::Region& inside = program.operations[around.operations.back()].regions[0];
  kernel::unroll_and_jam(program, w_.function(), inside, max_rows, kernel::RoundArrays::apart);
  side_by_side(kernel, around);
}

void Items::of_host(const KernelBody& body, const Kernel& kernel, Value begin, Value end, One emit_one) {
  const auto& items = kernel.items;
  const bool together = may_go_side_by_side(body, kernel);
  auto bind = [&](std::size_t k, Value coordinate) {
    if (k < body.space.size())
      w_.scope()->variables.push_back({body.space[k].variable, body.space[k].extent, coordinate});
  };
  if (items.empty()) {
    w_.if_then(b_.less(begin, end), [&] { emit_one(w_.i64(0), nullptr); });
    return;
  }
  if (items.size() == 1) {
    w_.if_then(b_.less(begin, end), [&] {
      w_.loop(begin, end, w_.i64(1), {}, [&](Value item, const Values&) {
        bind(0, item);
        emit_one(item, item);
        return Values{};
      });
      if (together) side_by_side(kernel, *w_.scope()->region);
      w_.resume();
    });
    return;
  }
  Value columns = w_.index(items.back());
  const auto row_of_items = [&](Value row_start, Value first, Value limit) {
    w_.loop(first, limit, w_.i64(1), {}, [&](Value column, const Values&) {
      bind(items.size() - 1, column);
      emit_one(w_.add(row_start, column), column);
      return Values{};
    });
  };
  w_.while_loop(
      {begin}, [&](const Values& now) { return b_.less(now[0], end); },
      [&](const Values& now) {
        Value row = b_.udiv(now[0], columns);
        Value row_start = w_.multiply(row, columns);
        Value first = b_.sub(now[0], row_start);
        Value limit = w_.smaller(columns, b_.sub(end, row_start));
        Value rest = row;
        Value inner;  // the coordinate in the last dimension but one
        for (std::size_t k = items.size() - 1; k-- > 0;) {
          Value extent = k == 0 ? nullptr : w_.index(items[k]);
          Value coordinate = extent ? b_.urem(rest, extent) : rest;
          if (k + 2 == items.size()) inner = coordinate;
          if (!together || k + 2 != items.size()) bind(k, coordinate);
          if (extent) rest = b_.udiv(rest, extent);
        }
        if (!together) {
          row_of_items(row_start, first, limit);
          return Values{w_.add(row_start, limit)};
        }
        // Whole rows of one matrix may go together.
        const std::size_t rows_at = items.size() - 2;
        const Value left =
            w_.smaller(b_.sub(w_.index(items[rows_at]), inner), b_.udiv(b_.sub(end, row_start), columns));
        const Value whole = w_.smaller(b_.maximum(left, w_.i64(1)), w_.i64(rows_of_a_chunk));
        const Value rows = b_.select(b_.equal(first, w_.i64(0)), whole, w_.i64(1));
        w_.loop(w_.i64(0), rows, w_.i64(1), {}, [&](Value further, const Values&) {
          bind(rows_at, w_.add(inner, further));
          row_of_items(w_.add(row_start, w_.multiply(further, columns)), first, limit);
          return Values{};
        });
        rows_and_columns_side_by_side(kernel);
        w_.resume();
        return Values{w_.add(w_.add(row_start, w_.multiply(b_.sub(rows, w_.i64(1)), columns)), limit)};
      });
}

Value Items::item_count(const Kernel& kernel) {
  Value total = w_.i64(1);
  for (ir::IndexId extent : kernel.items) total = w_.multiply(total, w_.index(extent));
  return total;
}

void Items::of_ptx(const KernelBody& body, const Kernel& kernel, One emit_one) {
  const bool by_threads = kernel.block_items == 0;
  Value threads = by_threads ? b_.threads() : nullptr;
  Value first = b_.block();
  Value step = b_.blocks();
  if (by_threads) {
    Value thread = b_.thread();
    first = b_.add(b_.mul(first, threads), thread);
    step = b_.mul(step, threads);
  }
  if (kernel.items.empty()) {
    w_.if_then(b_.equal(first, w_.i64(0)), [&] { emit_one(w_.i64(0), nullptr); });
    return;
  }
  Value total = item_count(kernel);
  w_.if_then(b_.less(first, total), [&] {
    w_.loop(first, total, step, {}, [&](Value item, const Values&) {
      emit_one(item, bind_item(body, kernel, item));
      return Values{};
    });
  });
}

void Items::block_per_item(Kernel& kernel, FunctionRef<void(Value item)> emit_one) {
  kernel.block_items = 1;
  kernel.one_item = true;
  Value item = b_.block();
  w_.if_then(b_.less(item, item_count(kernel)), [&] { emit_one(item); });
}

Values Items::item_coordinates(const std::vector<ir::IndexId>& extents, Value item) {
  Values coordinates(extents.size(), nullptr);
  Value rest = item;
  for (std::size_t k = extents.size(); k-- > 0;) {
    Value extent = k == 0 ? nullptr : w_.index(extents[k]);
    coordinates[k] = extent ? b_.urem(rest, extent) : rest;
    if (extent) rest = b_.udiv(rest, extent);
  }
  return coordinates;
}

Value Items::bind_item(const KernelBody& body, const Kernel& kernel, Value item) {
  const Values coordinates = item_coordinates(kernel.items, item);
  for (std::size_t k = 0; k < body.space.size() && k < coordinates.size(); ++k) {
    w_.scope()->variables.push_back({body.space[k].variable, body.space[k].extent, coordinates[k]});
  }
  return coordinates.empty() ? nullptr : coordinates.back();
}

}  // namespace reckon::codegen
