// Kernels whose blocks have tiles of the outputs.

#include "codegen/strategies/tiles/tile_writer.h"

#include "codegen/lower/tile_place.h"

namespace reckon::codegen {

/// A block has one tile. With a loop over tiles around its loop over stages ptxas would move the loads of a leaf's
/// parts to their use (with ptxas 13.0 and 4096^3 f32 on an H200: 44.5 TFLOP/s instead of 48.8).
void TileWriter::lower(Folds& folds, Items& items, const KernelBody& body, const Tile& tile, Kernel& kernel) {
  Writer& w = folds.writer();
  w.function().threads = kernel.threads;
  w.function().blocks = tile.blocks;
  const KernelBody& fold = tile.joined ? tile.joined->fold : body;
  const FoldSite site = folds.joins().site_of(fold);
  BlockReducer reducer(folds, kernel.threads);
  TileWriter tiles(folds, fold, tile, site, reducer);
  items.block_per_item(kernel, [&](Value item) {
    tiles.enter(kernel, item);
    if (!tile.needed) return tiles.write_results(kernel);
    w.branch(
        tiles.is_needed(),
        [&] {
          tiles.write_results(kernel);
          return Values{};
        },
        [&] {
          tiles.write_zeros(kernel);
          return Values{};
        });
  });
  kernel.shared_bytes = reducer.shared_size();
}

void TileWriter::write_results(const Kernel& kernel) {
  const Value length = w_.index(site_.node.indices[0]);
  if (w_.known(length) && *w_.known(length) > 0) return write_outputs(kernel);
  w_.if_then(b_.greater(length, w_.i64(0)), [&] { write_outputs(kernel); });
  w_.if_then(b_.less_equal(length, w_.i64(0)), [&] { write_otherwise(kernel); });
}

/// Whether something may ask for a result of the tile.
Value TileWriter::is_needed() {
  const auto last = [&](Value first, std::int64_t count, Value extent) {
    return b_.sub(w_.smaller(b_.add(first, w_.i64(count), Fits::always), extent), w_.i64(1));
  };
  Scope box;
  box.variables.push_back({tile_.box.first_row, row_.extent, first_row_});
  box.variables.push_back({tile_.box.last_row, row_.extent, last(first_row_, tile_.rows, w_.index(row_.extent))});
  box.variables.push_back({tile_.box.first_column, column_.extent, first_column_});
  box.variables.push_back(
      {tile_.box.last_column, column_.extent, last(first_column_, tile_.columns, w_.index(column_.extent))});
  const Value needed = w_.in_scope(box, [&] { return Values{w_.index(*tile_.needed)}; })[0];
  w_.resume();
  return b_.not_equal(needed, w_.i64(0));
}

void TileWriter::enter(const Kernel& kernel, Value item) {
  const TilePlace place =
      enter_tile(w_, body_.space, kernel, {tile_.row_binder, tile_.rows, tile_.columns, tile_.run > 0}, item);
  run_ = place.run;
  start_at(place.row, place.column);
}

/// Where an output lies in the kernel's buffers.
Value TileWriter::offset_of(Value row, Value column) {
  if (tile_.joined) {
    Scope scope;
    scope.variables.push_back({row_.variable, row_.extent, row});
    scope.variables.push_back({column_.variable, column_.extent, column});
    const Value place = w_.in_scope(scope, [&] { return Values{w_.index(tile_.joined->place)}; })[0];
    w_.resume();
    if (!run_) return place;
    Value results = w_.i64(1);
    for (const Binder& binder : body_.space) results = w_.multiply(results, w_.index(binder.extent));
    return b_.add(b_.mul(run_, results, Fits::always), place, Fits::always);
  }
  Value offset = run_;
  for (std::size_t d = 0; d < body_.space.size(); ++d) {
    const Binder& binder = body_.space[d];
    const bool is_last = d + 1 == body_.space.size();
    Value coordinate = is_last                 ? column
                       : d == tile_.row_binder ? row
                                               : w_.index(module_.indices().variable(binder.variable));
    if (offset) offset = b_.mul(offset, w_.index(binder.extent), Fits::always);
    offset = offset ? b_.add(offset, coordinate, Fits::always) : coordinate;
  }
  return offset;
}

/// Whether the row or column exists.
Value TileWriter::is_there(bool of_rows, Value position) {
  Value size = w_.index(of_rows ? row_.extent : column_.extent);
  const auto known = w_.known(size);
  if (known && *known % (of_rows ? tile_.rows : tile_.columns) == 0) return b_.flag(true);
  return b_.less(position, size);
}

void TileWriter::write_outputs(const Kernel& kernel) {
  Value length = w_.index(site_.node.indices[0]);
  Value begin = run_ ? b_.mul(run_, w_.i64(tile_.run), Fits::always) : w_.i64(0);
  Value end = run_ ? w_.smaller(b_.add(begin, w_.i64(tile_.run), Fits::always), length) : length;
  const std::vector<Values> outputs = fold(begin, end);
  const auto columns = module_.indices().as_constant(column_.extent);
  // Neighbouring outputs are written together if all of them are in range or none is.
  const std::int64_t together = columns && *columns % column_side_.group == 0 ? column_side_.group : 1;
  for (std::int64_t r = 0; r < tile_.thread_rows; ++r) {
    Value i = rows_[static_cast<std::size_t>(r)];
    w_.if_then(is_there(true, i), [&] {
      for (std::int64_t c = 0; c < tile_.thread_columns; c += together) {
        w_.if_then(is_there(false, columns_[static_cast<std::size_t>(c)]), [&] {
          for (std::int64_t e = c; e < c + together; ++e) {
            const auto output = static_cast<std::size_t>(r * tile_.thread_columns + e);
            write_output(kernel, i, columns_[static_cast<std::size_t>(e)], outputs[output]);
          }
        });
      }
    });
  }
}

void TileWriter::write_output(const Kernel& kernel, Value row, Value column, const Values& values) {
  Value offset = offset_of(row, column);
  for (std::uint32_t k = 0; k < values.size(); ++k) circuits_.store(kernel.output + k, offset, values[k]);
}

/// Calls `write` for every output of the tile, each by one thread.
void TileWriter::each_output(FunctionRef<void(Value row, Value column)> write) {
  const std::int64_t outputs = tile_.rows * tile_.columns;
  w_.loop(
      reducer_.thread(), w_.i64(outputs), w_.i64(tile_.threads()), {},
      [&](Value number, const Values&) {
        Value i = b_.add(first_row_, b_.udiv(number, w_.i64(tile_.columns)), Fits::always);
        Value j = b_.add(first_column_, b_.urem(number, w_.i64(tile_.columns)), Fits::always);
        w_.if_then(b_.bit_and(is_there(true, i), is_there(false, j)), [&] { write(i, j); });
        return Values{};
      },
      false);
}

void TileWriter::write_otherwise(const Kernel& kernel) {
  each_output([&](Value row, Value column) {
    Scope scope;
    scope.variables.push_back({row_.variable, row_.extent, row});
    scope.variables.push_back({column_.variable, column_.extent, column});
    const Values values = w_.in_scope(scope, [&] { return joins_.empty_fold(site_); });
    write_output(kernel, row, column, values);
  });
}

void TileWriter::write_zeros(const Kernel& kernel) {
  Values zeros = joins_.zeros(site_);
  zeros.resize(site_.scalars.size());
  each_output([&](Value row, Value column) { write_output(kernel, row, column, zeros); });
}

}  // namespace reckon::codegen
