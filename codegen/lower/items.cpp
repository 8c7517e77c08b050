// How the work items of a kernel are walked on each target.
//
// Host: the items begin..end-1 in order, the last dimension innermost, so that what depends on outer indices alone is
// computed once per row and LLVM sees a plain counted loop. PTX: a thread (or a block) starts with the item of its
// number, and goes on in steps of the number of all threads (or blocks).
#include "codegen/lower/items.h"

namespace reckon::codegen {

Items::Items(Writer& writer) : w_(writer), b_(writer.builder()) {}

void Items::of_host(const KernelBody& body, const Kernel& kernel, Value begin, Value end, One emit_one) {
  const auto& items = kernel.items;
  auto bind = [&](std::size_t k, Value coordinate) {
    if (k < body.space.size())
      w_.scope()->variables.push_back({body.space[k].variable, body.space[k].extent, coordinate});
  };
  if (items.empty()) {
    w_.if_then(b_.less(begin, end), [&] { emit_one(w_.i64(0), nullptr); });
    return;
  }
  if (items.size() == 1) {
    w_.for_range(begin, end, [&](Value item) {
      bind(0, item);
      emit_one(item, item);
    });
    return;
  }
  Value columns = w_.index(items.back());
  w_.while_loop(
      {begin}, [&](const Values& now) { return b_.less(now[0], end); },
      [&](const Values& now) {
        Value row = b_.udiv(now[0], columns);
        Value row_start = w_.multiply(row, columns);
        Value first = b_.sub(now[0], row_start);
        Value limit = w_.smaller(columns, b_.sub(end, row_start));
        Value rest = row;
        for (std::size_t k = items.size() - 1; k-- > 0;) {
          Value extent = k == 0 ? nullptr : w_.index(items[k]);
          bind(k, extent ? b_.urem(rest, extent) : rest);
          if (extent) rest = b_.udiv(rest, extent);
        }
        w_.loop(first, limit, w_.i64(1), {}, [&](Value column, const Values&) {
          bind(items.size() - 1, column);
          emit_one(w_.add(row_start, column), column);
          return Values{};
        });
        return Values{w_.add(row_start, limit)};
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
