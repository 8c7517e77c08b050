// Elements of the tiles of a first product's rows: the steps between the products, folds, and the factor that is made.
#include "codegen/strategies/tensor_cores/rows_writer.h"

#include <algorithm>

namespace reckon::codegen {

using kernel::MmaTiles;

namespace {

/// Numbers whose functions are computed together, with one branch for all: on an H200 attention of 33 x 2048 x 2048 x
/// 128 takes 268 us with 8, 276 us with 16, and 303 us with 32, for which registers do not suffice.
constexpr std::size_t rounded_together = 8;

/// Elements of a round, where a tile's are computed in rounds: a multiple of those of all lanes of a fold.
constexpr std::size_t in_a_round = 16;

}  // namespace

std::vector<bool> RowsWriter::needed(std::int64_t pass) const {
  std::vector<bool> out(rows_.steps.size());
  for (std::size_t s = rows_.steps.size(); s-- > 0;) {
    const RowStep& step = rows_.steps[s];
    const bool is_fold = step.kind == RowStepKind::fold && step.pass == pass;
    if (is_fold || (s == rows_.made && pass + 1 == rows_.passes)) out[s] = true;
    if (!out[s] || (is_fold && step.scaled)) continue;
    for (const std::size_t read : step.reads) out[read] = true;
  }
  return out;
}

Values RowsWriter::tile_of_pass(std::int64_t pass, Value item, Value first, const Values& sums, const Values& carried) {
  const TilePlace place = enter(item);
  const auto compute = [&](bool is_whole) {
    return [&, is_whole] {
      State state = unpack(pass, carried);
      if (!rows_.skips) find_columns(place, state.begin, state.limit);
      const Tile tile{pass, first, sums, state.begin, state.limit, is_whole};
      Values made = is_whole ? elements(tile, place, state) : elements_in_rounds(tile, place, state);
      made.append(pack(state));
      return made;
    };
  };
  const auto known = w_.known(columns());
  const bool has_masks = std::ranges::any_of(rows_.steps, [](const RowStep& step) { return step.mask.has_value(); });
  if (known && *known % shape_.columns == 0 && !has_masks) return compute(true)();
  Value limit = rows_.skips ? unpack(pass, carried).limit : columns();
  return w_.branch(is_whole(place, first, limit), compute(true), compute(false));
}

/// Adds the elements of a tile to the folds of the pass. In the last pass it gives the factor that is made of them.
Values RowsWriter::elements(const Tile& tile, const TilePlace& place, State& state) {
  const std::vector<bool> is_needed = needed(tile.pass);
  const bool makes = tile.pass + 1 == rows_.passes;
  Elements known;
  Values& sums = known[rows_.first.output];
  for (Value sum : tile.sums) sums.push_back(b_.root(rows_.first.reduce, sum));
  Values made;
  for (std::size_t s = 0; s < rows_.steps.size(); ++s) {
    const RowStep& step = rows_.steps[s];
    if (!is_needed[s] || step.kind == RowStepKind::row) continue;
    if (step.kind == RowStepKind::fold) {
      if (step.pass == tile.pass) join_leaves(step, tile, place, known, state, s);
      continue;
    }
    const Values values = step_values(step, tile, place, known, state);
    if (step.output != RowStep::no_buffer) known[step.output] = values;
    if (makes && s == rows_.made) made = values;
  }
  if (tile.is_whole) return made;
  Value zero = b_.zero(Type::number(ir::scalar_of(*shape_.unit.operand)));
  for (std::size_t k = 0; k < made.size(); ++k) made[k] = b_.select(is_there(tile, k), made[k], zero);
  return made;
}

/// The same with little code, for the few tiles of a row that are not whole: a part of the elements after the other.
Values RowsWriter::elements_in_rounds(const Tile& tile, const TilePlace& place, State& state) {
  const bool makes = tile.pass + 1 == rows_.passes;
  const std::size_t all = tile.sums.size();
  const ir::Scalar wide = ir::scalar_of(*shape_.unit.accumulator), narrow = ir::scalar_of(*shape_.unit.operand);
  const auto converted = [&](Value value, ir::Scalar from, ir::Scalar to) {
    const Value operands[] = {value};
    return b_.apply(ir::Op::convert, from, to, operands, rows_.second.reduce);
  };
  // A round takes the first sums, and puts what is made of them, without loss in their format, behind the others.
  Values initial = tile.sums;
  for (const auto& [step, of_halves] : state.folds) {
    for (const Values& lanes : of_halves) initial.append(lanes);
  }
  const auto take_lanes = [&](const Values& carried) {
    auto at = carried.begin() + all;
    for (auto& [step, of_halves] : state.folds) {
      for (Values& lanes : of_halves) {
        std::copy_n(at, lanes.size(), lanes.begin());
        at += lanes.size();
      }
    }
  };
  const Values last = w_.loop(
      w_.i64(0), w_.i64(static_cast<std::int64_t>(all / in_a_round)), w_.i64(1), initial,
      [&](Value round, const Values& carried) {
        Tile now = tile;
        now.first = b_.add(tile.first, b_.mul(round, w_.i64(MmaTiles::column(in_a_round)), Fits::always), Fits::always);
        now.sums.assign(carried.begin(), carried.begin() + in_a_round);
        take_lanes(carried);
        const Values made = elements(now, place, state);
        Values next(carried.begin() + in_a_round, carried.begin() + all);
        for (std::size_t k = 0; k < in_a_round; ++k)
          next.push_back(makes ? converted(made[k], narrow, wide) : now.sums[k]);
        for (const auto& [step, of_halves] : state.folds) {
          for (const Values& lanes : of_halves) next.append(lanes);
        }
        return next;
      },
      false);
  take_lanes(last);
  Values out;
  for (std::size_t k = 0; makes && k < all; ++k) out.push_back(converted(last[k], wide, narrow));
  return out;
}

/// The column of element k, of the thread's fragment from this column on.
Value RowsWriter::column_of(Value first, std::size_t k) {
  Value of_thread = b_.add(first, lane_column(), Fits::always);
  return b_.add(of_thread, w_.i64(MmaTiles::column(static_cast<std::int64_t>(k))), Fits::always);
}

Value RowsWriter::is_there(const Tile& tile, std::size_t k) { return b_.less(column_of(tile.first, k), tile.limit); }

/// Runs the body for each of `count` elements from column `tile.first` on, half by half, where its place is bound, and
/// what is known of its row and of itself.
void RowsWriter::each_element(const Tile& tile, const TilePlace& place, const Elements& known, const State& state,
                              std::size_t count, FunctionRef<void(std::size_t k, Value column)> body) {
  for (std::size_t half = 0; half < halves; ++half) {
    Scope of_row;
    bind_row(of_row, row_of(place, half, true));
    w_.in_scope(of_row, [&] {
      for (std::size_t k = 0; k < count; ++k) {
        if (k / 2 % halves != half) continue;
        Value column = column_of(tile.first, k);
        if (!tile.is_whole) column = w_.smaller(column, b_.sub(columns(), w_.i64(1)));
        Scope of_element;
        bind_column(of_element, column);
        w_.in_scope(of_element, [&] {
          if (circuits_.quick() != nullptr) circuits_.quick()->element = w_.scope();
          keep_rows(state, half);
          for (const auto& [buffer, values] : known) kept_.of_step(buffer).value = {values[k]};
          body(k, column);
          kept_.clear();
          w_.resume();
          return Values{};
        });
        w_.resume();
      }
      return Values{};
    });
    w_.resume();
  }
}

/// A step's values for all elements of a tile. Quotients take the quick method; if it may be wrong for one of them, all
/// are computed again.
Values RowsWriter::step_values(const RowStep& step, const Tile& tile, const TilePlace& place, const Elements& known,
                               const State& state) {
  const ir::NodeId whole = tile.is_whole && step.mask ? step.mask->visible : step.body.node;
  const auto rounded = circuits_.rounded_function(whole);
  const ir::NodeId node = rounded ? module_[*rounded].operands[0] : whole;
  const auto compute = [&](const Tile& part, const Elements& inputs, std::size_t count) {
    Values out(count, nullptr);
    each_element(part, place, inputs, state, count, [&](std::size_t k, Value) { out[k] = circuits_.scalar(node); });
    return out;
  };
  const std::size_t all = tile.sums.size();
  const Values out = circuits_.quick_or_exact([&] { return compute(tile, known, all); },
                                              [&] { return again(step, tile, known, compute); });
  if (!rounded) return out;
  Values made;
  for (std::size_t k = 0; k < all; k += rounded_together) {
    const Values some(out.begin() + k, out.begin() + std::min(all, k + rounded_together));
    made.append(b_.apply_rounded(module_[*rounded].op, module_.type(whole).scalar, some, whole));
  }
  return made;
}

/// The same by the exact method, in a loop over the elements if they are made of one value each.
Values RowsWriter::again(const RowStep& step, const Tile& tile, const Elements& known, const Compute& compute) {
  constexpr std::size_t part = 8;
  const std::size_t all = tile.sums.size();
  std::vector<std::uint32_t> inputs;
  for (const auto& [buffer, values] : known) {
    if (std::ranges::find(step.buffers, buffer) != step.buffers.end()) inputs.push_back(buffer);
  }
  const ir::Scalar scalar = module_.type(step.body.node).scalar;
  const bool in_turn =
      inputs.size() == 1 && scalar == ir::scalar_of(*shape_.unit.accumulator) && inputs[0] == rows_.first.output;
  if (!in_turn) return compute(tile, known, all);
  // Each round computes the first elements, and puts their values behind the others.
  const Values& sums = known.at(inputs[0]);
  return w_.loop(
      w_.i64(0), w_.i64(static_cast<std::int64_t>(all / part)), w_.i64(1), sums,
      [&](Value round, const Values& carried) {
        Tile now = tile;
        now.first = b_.add(tile.first, b_.mul(round, w_.i64(MmaTiles::column(part)), Fits::always), Fits::always);
        const Values first(carried.begin(), carried.begin() + part);
        Values next(carried.begin() + part, carried.end());
        next.append(compute(now, {{inputs[0], first}}, part));
        return next;
      },
      false);
}

/// Joins the elements of the tile to the lanes that they belong to.
void RowsWriter::join_leaves(const RowStep& step, const Tile& tile, const TilePlace& place, const Elements& known,
                             State& state, std::size_t number) {
  const FoldSite site = joins_.site_of(step.body);
  const std::int64_t blocks = step.lanes / 8;
  Lanes& of_halves = state.folds[number];
  const State of_rows = state;
  Value is_first_tile = b_.equal(tile.first, tile.begin);
  each_element(tile, place, known, of_rows, tile.sums.size(), [&](std::size_t k, Value column) {
    const auto block = static_cast<std::int64_t>(k / 4), within = static_cast<std::int64_t>(k % 2);
    Value& lane =
        of_halves[k / 2 % halves][static_cast<std::size_t>(step.lanes == 0 ? 0 : block % blocks * 2 + within)];
    Values leaf;
    if (step.scaled) leaf = {circuits_.scalar(tile.is_whole ? step.scaled->visible : step.scaled->leaf)};
    else leaf = joins_.leaf_here(site, column);
    w_.resume();
    const bool is_first = step.lanes == 0 ? block == 0 && within == 0 : block < blocks;
    Value joined = joins_.join(site, {lane}, leaf)[0];
    if (is_first) joined = b_.select(is_first_tile, leaf[0], joined);
    if (!tile.is_whole) joined = b_.select(is_there(tile, k), joined, lane);
    lane = joined;
  });
}

/// The fold of a row's lanes, which four neighbouring threads have: adjacent pairs, again and again. With fewer columns
/// than lanes, lanes from number `present` on are absent.
Value RowsWriter::joined_lanes(const RowStep& step, Values lanes, Value present) {
  const FoldSite site = joins_.site_of(step.body);
  // The first lane of a node, and whether it is there.
  const auto is_there = [&](Value first) { return b_.less(first, present); };
  const auto join = [&](Value left, Value right, Value first_of_right) {
    Value joined = joins_.join(site, {left}, {right})[0];
    return b_.select(is_there(first_of_right), joined, left);
  };
  Value own = lane_column();
  Values nodes;
  for (std::size_t a = 0; a < lanes.size(); a += 2) {
    Value first = w_.add(own, w_.i64(static_cast<std::int64_t>(4 * a)));
    nodes.push_back(step.lanes == 0 ? lanes[a] : join(lanes[a], lanes[a + 1], b_.add(first, w_.i64(1), Fits::always)));
  }
  for (const std::int64_t bit : {std::int64_t{1}, std::int64_t{2}}) {
    Value is_right = b_.equal(b_.bit_and(thread_, w_.i64(bit)), w_.i64(bit));
    // The lanes of the right one of two nodes.
    Value right_lane = b_.bit_or(b_.bit_and(own, w_.i64(8 - 4 * bit)), w_.i64(2 * bit));
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      Value partner = b_.shuffle_xor(nodes[a], bit);
      Value left = b_.select(is_right, partner, nodes[a]), right = b_.select(is_right, nodes[a], partner);
      nodes[a] = join(left, right, w_.add(right_lane, w_.i64(static_cast<std::int64_t>(8 * a))));
    }
  }
  for (std::size_t width = 1; width < nodes.size(); width *= 2) {
    for (std::size_t a = 0; a + width < nodes.size(); a += 2 * width) {
      nodes[a] = join(nodes[a], nodes[a + width], w_.i64(static_cast<std::int64_t>(8 * (a + width))));
    }
  }
  return joins_.whole(site, {nodes[0]})[0];
}

}  // namespace reckon::codegen
