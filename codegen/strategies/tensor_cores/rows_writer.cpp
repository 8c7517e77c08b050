#include "codegen/strategies/tensor_cores/rows_writer.h"

#include <algorithm>

namespace reckon::codegen {

using kernel::MmaTiles;

RowsWriter::RowsWriter(KernelParts& parts, const RowsPlacement& placement, Kernel& kernel)
    : LoweringParts(parts.folds(), parts.folds().joins()),
      parts_(parts),
      kept_(parts.kept()),
      placement_(placement),
      rows_(placement.rows),
      shape_(placement.shape),
      kernel_(kernel) {}

void RowsWriter::write() {
  w_.function().threads = shape_.threads();
  w_.function().blocks = 1;
  kernel_.threads = static_cast<std::uint32_t>(shape_.threads());
  kernel_.block_items = 1;
  kernel_.resident = 1;
  kernel_.shared_bytes = static_cast<std::uint32_t>(shape_.shared_bytes());
  thread_ = b_.thread();
  kernel::MmaRowsOperands operands;
  operands.room = b_.shared(0, shape_.shared_bytes(), Type::number(ir::scalar_of(*shape_.unit.operand)));
  operands.first = b_.block();
  operands.step = b_.blocks();
  operands.limit = w_.i64(1);
  for (const ir::IndexId extent : kernel_.items) operands.limit = w_.multiply(operands.limit, w_.index(extent));
  operands.x = factor_of(w_, rows_.first.x);
  operands.y = factor_of(w_, rows_.first.y);
  operands.z = factor_of(w_, rows_.second.y);
  Writer::RowParts parts;
  parts.where = [&](Value item) { return where(item); };
  parts.begin = [&](std::int64_t pass, Value item, const Values& carried) { return begin_pass(pass, item, carried); };
  parts.tile = [&](std::int64_t pass, Value item, Value first, const Values& sums, const Values& carried) {
    return tile_of_pass(pass, item, first, sums, carried);
  };
  parts.end = [&](Value item, const Values& sums, const Values& carried) { end(item, sums, carried); };
  w_.mma_rows(shape_, operands, rows_.second.reduce, parts);
}

/// Where masks leave out columns, rows of tiles differ in their work, which grows or falls with the row. So that all
/// blocks get as much, the items go through the last row of all products, then through the row before, and so on, and
/// are dealt out forwards and backwards in turn. Gives the number that enter_tile has for the item.
Value RowsWriter::evened_out(Value item) {
  Value blocks = b_.blocks(), all = w_.i64(1);
  for (const ir::IndexId extent : kernel_.items) all = w_.multiply(all, w_.index(extent));
  Value tile_rows = w_.index(kernel_.items[kernel_.items.size() - 2]), tile_columns = w_.index(kernel_.items.back());
  Value turn = b_.udiv(item, blocks);
  Value first = b_.mul(turn, blocks);
  Value backwards = b_.sub(b_.add(first, b_.minimum(b_.add(first, blocks), all)), b_.add(item, w_.i64(1)));
  Value number = b_.select(b_.odd(turn), backwards, item);
  Value of_a_row = b_.udiv(all, tile_rows);
  Value row = b_.sub(b_.sub(tile_rows, w_.i64(1)), b_.udiv(number, of_a_row));
  Value rest = b_.urem(number, of_a_row);
  return tile_number(w_, {row, b_.urem(rest, tile_columns)}, tile_rows, tile_columns, b_.udiv(rest, tile_columns));
}

TilePlace RowsWriter::enter(Value item) {
  const std::vector<Binder>& space = rows_.second.space;
  const TilePlace place = enter_tile(w_, space, kernel_, placement_.grid(), rows_.skips ? evened_out(item) : item);
  const auto bind = [&](const std::vector<Binder>& other) {
    for (std::size_t d = 0; d + 1 < space.size(); ++d) {
      if (d == rows_.second.row_binder || w_.scope()->binds(other[d].variable)) continue;
      Value coordinate = w_.index(module_.indices().variable(space[d].variable));
      w_.scope()->variables.push_back({other[d].variable, other[d].extent, coordinate});
    }
  };
  bind(rows_.first.space);
  for (const RowStep& step : rows_.steps) bind(step.body.space);
  for (const Tail& tail : rows_.tails) bind(tail.space);
  return place;
}

Values RowsWriter::where(Value item) {
  const TilePlace place = enter(item);
  Values out = begin_of(w_, rows_.first.x, place.row);
  out.append(begin_of(w_, rows_.first.y, nullptr));
  out.append(begin_of(w_, rows_.second.y, place.column));
  Value begin, limit;
  find_columns(place, begin, limit);
  out.push_back(begin);
  out.push_back(limit);
  return out;
}

/// Gives the sides of a tile to the variables of the masks.
void RowsWriter::bind_box(Scope& scope, const TilePlace& place, Value first_column) {
  const ir::IndexId extent = row_binder().extent, length = module_[rows_.second.reduce].indices[0];
  Value one = w_.i64(1);
  const auto last = [&](Value first, std::int64_t side, Value limit) {
    return b_.sub(w_.smaller(b_.add(first, w_.i64(side), Fits::always), limit), one);
  };
  scope.variables.push_back({rows_.box.first_row, extent, place.row});
  scope.variables.push_back({rows_.box.last_row, extent, last(place.row, shape_.rows, w_.index(extent))});
  if (!first_column) return;
  scope.variables.push_back({rows_.box.first_column, length, first_column});
  scope.variables.push_back({rows_.box.last_column, length, last(first_column, shape_.columns, columns())});
}

/// The columns that some row of the block sees: from a multiple of a tile's columns on, at least one.
void RowsWriter::find_columns(const TilePlace& place, Value& begin, Value& limit) {
  begin = w_.i64(0);
  limit = columns();
  if (!rows_.skips) return;
  const RowMask& mask = *rows_.steps[*rows_.skips].mask;
  Scope box;
  bind_box(box, place, nullptr);
  const Values found = w_.in_scope(box, [&] { return Values{w_.index(mask.begin), w_.index(mask.limit)}; });
  w_.resume();
  // Numbers that are not finite are seen from everywhere.
  const MmaOperand& factor = rows_.second.y;
  const Buffer& finite = planned_.plan.buffers[rows_.finite];
  std::vector<ir::IndexId> subscripts;
  for (std::size_t d = 0; d < factor.subscripts.size(); ++d) {
    if (d != factor.of_leaf && d != factor.of_side) subscripts.push_back(factor.subscripts[d]);
  }
  Value least = circuits_.load_at_offset(rows_.finite, w_.index(circuits_.offset_of(finite, subscripts)));
  w_.resume();
  least = b_.clamped_index(least, columns());
  Value greatest = b_.maximum(b_.maximum(found[1], least), w_.i64(1));
  limit = b_.minimum(greatest, columns());
  Value first = b_.minimum(found[0], b_.sub(limit, w_.i64(1)));
  first = b_.select(b_.equal(least, w_.i64(0)), first, w_.i64(0));
  begin = b_.sub(first, b_.urem(first, w_.i64(shape_.columns)));
}

/// Whether all columns of a tile are there, and every mask shows all of its elements.
Value RowsWriter::is_whole(const TilePlace& place, Value first, Value limit) {
  Value out = b_.less_equal(b_.add(first, w_.i64(shape_.columns), Fits::always), limit);
  Scope box;
  bind_box(box, place, first);
  for (const RowStep& step : rows_.steps) {
    if (!step.mask) continue;
    Value everywhere = w_.in_scope(box, [&] { return Values{w_.index(step.mask->everywhere)}; })[0];
    w_.resume();
    out = b_.bit_and(out, b_.not_equal(everywhere, w_.i64(0)));
  }
  return out;
}

/// What the tiles of a pass carry: the values of rows that are known, and then the lanes of the folds.
RowsWriter::State RowsWriter::unpack(std::int64_t pass, const Values& carried) const {
  State out;
  std::size_t at = 0;
  if (rows_.skips) {
    out.begin = carried[at++];
    out.limit = carried[at++];
  }
  for (std::size_t s = 0; s < rows_.steps.size(); ++s) {
    const RowStep& step = rows_.steps[s];
    const std::int64_t known = step.kind == RowStepKind::fold ? step.pass + 1 : step.pass;
    if (step.kind == RowStepKind::element || known > pass) continue;
    for (std::size_t half = 0; half < halves; ++half) out.values[s][half] = carried[at++];
  }
  for (std::size_t s = 0; s < rows_.steps.size(); ++s) {
    const RowStep& step = rows_.steps[s];
    if (step.kind != RowStepKind::fold || step.pass != pass) continue;
    for (Values& lanes : out.folds[s]) {
      lanes.assign(carried.begin() + at, carried.begin() + at + lanes_of_thread(step));
      at += lanes_of_thread(step);
    }
  }
  return out;
}

Values RowsWriter::pack(const State& state) const {
  Values out;
  if (rows_.skips) out = {state.begin, state.limit};
  for (const auto& [step, values] : state.values) out.append(values.begin(), values.end());
  for (const auto& [step, of_halves] : state.folds) {
    for (const Values& lanes : of_halves) out.append(lanes);
  }
  return out;
}

Values RowsWriter::begin_pass(std::int64_t pass, Value item, const Values& carried) {
  const TilePlace place = enter(item);
  State state;
  if (pass > 0) state = unpack(pass - 1, carried);
  else find_columns(place, state.begin, state.limit);
  state = after_pass(pass - 1, place, std::move(state));
  for (std::size_t s = 0; s < rows_.steps.size(); ++s) {
    const RowStep& step = rows_.steps[s];
    if (step.kind != RowStepKind::fold || step.pass != pass) continue;
    const FoldSite site = joins_.site_of(step.body);
    for (Values& lanes : state.folds[s]) lanes.assign(lanes_of_thread(step), b_.zero(site.state[0]));
  }
  w_.resume();
  return pack(state);
}

/// Makes the greatest elements of the first product those of the steps that scale them.
void RowsWriter::scale_greatest(std::int64_t pass, State& state, std::size_t half) {
  for (std::size_t s = 0; s < rows_.steps.size(); ++s) {
    const RowStep& step = rows_.steps[s];
    if (step.kind != RowStepKind::fold || step.pass != pass || !step.scaled) continue;
    const RowStep& scales = rows_.steps[step.scaled->step];
    Scope scope;
    bind_column(scope, w_.i64(0));
    Value& greatest = state.values[s][half];
    greatest = w_.in_scope(scope, [&] {
      kept_.of_step(rows_.first.output).value = {greatest};
      return Values{circuits_.scalar(scales.mask ? scales.mask->visible : scales.body.node)};
    })[0];
    w_.resume();
    keep_rows(state, half);
  }
}

RowsWriter::State RowsWriter::after_pass(std::int64_t pass, const TilePlace& place, State state) {
  if (!rows_.skips) find_columns(place, state.begin, state.limit);
  Value present = state.folds.empty() ? nullptr : b_.sub(state.limit, state.begin);
  for (auto& [s, of_halves] : state.folds) {
    for (std::size_t half = 0; half < halves; ++half) {
      state.values[s][half] = joined_lanes(rows_.steps[s], std::move(of_halves[half]), present);
    }
  }
  state.folds.clear();
  for (std::size_t half = 0; half < halves; ++half) {
    Scope scope;
    bind_row(scope, row_of(place, half, true));
    Values made = w_.in_scope(scope, [&] {
      Values out;
      keep_rows(state, half);
      scale_greatest(pass, state, half);
      for (std::size_t s = 0; s < rows_.steps.size(); ++s) {
        const RowStep& step = rows_.steps[s];
        if (step.kind != RowStepKind::row || step.pass != pass + 1) continue;
        out.push_back(circuits_.scalar(step.body.node));
        kept_.of_step(step.output).value = {out.back()};
      }
      kept_.clear();
      w_.resume();
      return out;
    });
    for (std::size_t s = 0, at = 0; s < rows_.steps.size(); ++s) {
      const RowStep& step = rows_.steps[s];
      if (step.kind == RowStepKind::row && step.pass == pass + 1) state.values[s][half] = made[at++];
    }
  }
  return state;
}

Value RowsWriter::row_of(const TilePlace& place, std::size_t half, bool clamped) {
  // MmaTiles::row_of_thread, in code.
  const auto part = [&](std::int64_t bits, std::int64_t mask, std::int64_t factor) {
    Value shifted = b_.bit_and(b_.lshr(thread_, w_.i64(bits)), w_.i64(mask));
    return b_.mul(shifted, w_.i64(factor), Fits::always);
  };
  Value row = b_.add(part(7, 15, MmaTiles::group_rows), part(5, 3, 16), Fits::always);
  row = b_.add(row, part(2, 7, 1), Fits::always);
  row = b_.add(row, b_.add(place.row, w_.i64(MmaTiles::row(2 * static_cast<std::int64_t>(half))), Fits::always),
               Fits::always);
  Value extent = w_.index(row_binder().extent);
  const auto known = w_.known(extent);
  if (!clamped || (known && *known % shape_.rows == 0)) return row;
  return w_.smaller(row, b_.sub(extent, w_.i64(1)));
}

void RowsWriter::bind_row(Scope& scope, Value row) const {
  const auto bind = [&](const std::vector<Binder>& space) {
    const Binder& binder = space[rows_.second.row_binder];
    if (!scope.binds(binder.variable)) scope.variables.push_back({binder.variable, binder.extent, row});
  };
  bind(rows_.second.space);
  bind(rows_.first.space);
  for (const RowStep& step : rows_.steps) bind(step.body.space);
  for (const Tail& tail : rows_.tails) bind(tail.space);
}

void RowsWriter::bind_column(Scope& scope, Value column) const {
  const auto bind = [&](ir::VariableId variable, ir::IndexId extent) {
    if (!scope.binds(variable)) scope.variables.push_back({variable, extent, column});
  };
  bind(rows_.first.space.back().variable, rows_.first.space.back().extent);
  for (const RowStep& step : rows_.steps) {
    const ir::Node& node = module_[step.body.node];
    if (step.kind == RowStepKind::element) bind(step.body.space.back().variable, step.body.space.back().extent);
    if (step.kind == RowStepKind::fold) bind(node.variables[0], node.indices[0]);
  }
}

/// From now on what is read of rows is known.
void RowsWriter::keep_rows(const State& state, std::size_t half) {
  kept_.clear();
  for (const auto& [s, values] : state.values) kept_.of_step(rows_.steps[s].output).value = {values[half]};
}

}  // namespace reckon::codegen
