// The outputs of a thread: their sums stay in registers while a loop goes over the leaves.
#include "codegen/strategies/tiles/tile_writer.h"
#include "ir/op.h"

namespace reckon::codegen {

TileWriter::TileWriter(Folds& folds, const KernelBody& body, const Tile& tile, const FoldSite& site,
                       BlockReducer& reducer)
    : LoweringParts(folds, folds.joins()),
      numbers_(w_.numbers()),
      reducer_(reducer),
      body_(body),
      site_(site),
      tile_(tile),
      row_(body.space[tile_.row_binder]),
      column_(body.space.back()) {
  plan_stage();
  assign_to_threads();
  unrolled_ = tile_.mma_f64 || (tile_.unrolled && site.cheap);
  if (!site.reduction.user && site.reduction.operation == ir::Op::add) {
    if (numbers_.has_neutral_summand(site.scalars[0])) {
      neutral_.assign(static_cast<std::size_t>(tile_.thread_rows * tile_.thread_columns), b_.neutral(site.scalars[0]));
    }
  }
}

void TileWriter::start_at(Value first_row, Value first_column) {
  first_row_ = first_row;
  first_column_ = first_column;
  row_side_.first = start_of(row_side_);
  rows_ = coordinates(true);
  column_side_.first = start_of(column_side_);
  columns_ = coordinates(false);
  for (Value row : rows_) rows_in_range_.push_back(bounded(true, row, 1));
  for (Value column : columns_) columns_in_range_.push_back(bounded(false, column, 1));
}

Values TileWriter::coordinates(bool of_rows) const {
  Value first = b_.add(of_rows ? first_row_ : first_column_, side(of_rows).first, Fits::always);
  Values out;
  for (std::int64_t offset : side(of_rows).offsets) {
    out.push_back(b_.add(first, w_.i64(offset), Fits::always));
  }
  return out;
}

/// Loads what one leaf of all the thread's outputs is made of: part after part, each for the thread's rows or columns.
Values TileWriter::fragments(Value stage, Value leaf) {
  const auto fixed = w_.known(leaf);
  Values out;
  for (const Staged& part : parts_) {
    const Side& of = side(part.of_rows);
    const std::vector<std::int64_t>& offsets = of.offsets;
    const std::int64_t group = of.group;
    Value element = of.first;
    if (!fixed) element = w_.add(element, w_.multiply(leaf, w_.i64(part.pitch)));
    for (std::size_t k = 0; k < offsets.size(); k += static_cast<std::size_t>(group)) {
      const Value memory = b_.advance(part.memory, stage);
      const std::int64_t more = fixed.value_or(0) * part.pitch + offsets[k] + part.offset / w_.bytes_of(part.type);
      if (group == 1) out.push_back(b_.load(memory, element, Stream::none, more));
      else out.append(b_.load_vector(memory, element, static_cast<std::uint32_t>(group), more));
    }
  }
  return out;
}

Values TileWriter::leaf_of(std::int64_t row, std::int64_t column, const Values& parts, Value leaf) {
  Scope scope;
  scope.variables.push_back({row_.variable, row_.extent, rows_in_range_[static_cast<std::size_t>(row)]});
  scope.variables.push_back({column_.variable, column_.extent, columns_in_range_[static_cast<std::size_t>(column)]});
  scope.variables.push_back({site_.node.variables[0], site_.node.indices[0], leaf});
  std::size_t first = 0;
  for (const Staged& part : parts_) {
    scope.nodes[part.node] = {parts[first + static_cast<std::size_t>(part.of_rows ? row : column)]};
    first += static_cast<std::size_t>(part.of_rows ? tile_.thread_rows : tile_.thread_columns);
  }
  return w_.in_scope(scope, [&] { return joins_.leaf_here(site_, leaf); });
}

/// The sum of an output as a node that is no product.
Values TileWriter::node_of(const Values& sums, std::size_t output) const {
  Values node = joins_.zeros(site_);
  const std::size_t parts = site_.scalars.size();
  for (std::size_t k = 0; k < parts; ++k) node[k] = sums[output * parts + k];
  return node;
}

Values TileWriter::begin_all(const Values& parts, Value leaf) {
  Values sums;
  for (std::int64_t row = 0; row < tile_.thread_rows; ++row) {
    for (std::int64_t column = 0; column < tile_.thread_columns; ++column) {
      const Values node = joins_.rounded_product(site_, leaf_of(row, column, parts, leaf));
      sums.append(node.begin(), node.begin() + static_cast<std::ptrdiff_t>(site_.scalars.size()));
    }
  }
  return sums;
}

Values TileWriter::join_all(const Values& sums, const Values& parts, Value leaf) {
  Values next;
  std::size_t output = 0;
  for (std::int64_t row = 0; row < tile_.thread_rows; ++row) {
    for (std::int64_t column = 0; column < tile_.thread_columns; ++column) {
      const Values node = joins_.join(site_, node_of(sums, output++), leaf_of(row, column, parts, leaf));
      next.append(node.begin(), node.begin() + static_cast<std::ptrdiff_t>(site_.scalars.size()));
    }
  }
  return next;
}

/// The leaves first .. limit - 1 of a stage, which begins with `leaf`.
Values TileWriter::leaf_by_leaf(const Values& sums, Value stage, Value first, Value limit, Value leaf) {
  auto all = [&] {
    return w_.loop(
        first, limit, w_.i64(1), sums,
        [&](Value k, const Values& before) { return join_all(before, fragments(stage, k), w_.add(leaf, k)); }, false);
  };
  return w_.branch(b_.less(first, limit), all, [&] { return sums; });
}

/// The first `count` leaves, 1 .. depth of them, or none if there are neutral sums to go on with.
Values TileWriter::incomplete_stage(const Values& sums, Value begin, Value end, Value count) {
  Value stage = w_.i64(0);
  write(read(begin, end), stage);
  Values result = sums.empty() ? begin_all(fragments(stage, w_.i64(0)), begin) : sums;
  result = leaf_by_leaf(result, stage, w_.i64(sums.empty() ? 1 : 0), count, begin);
  reducer_.barrier();
  return result;
}

/// What leaves of the stage from `leaf` on are made of, as many as are joined together.
Values TileWriter::next_fragments(Value stage, std::int64_t leaf) {
  return tile_.mma_f64 ? mma_fragments(stage, leaf) : fragments(stage, w_.i64(leaf));
}

Values TileWriter::join_next(const Values& sums, const Values& parts, Value leaf) {
  return tile_.mma_f64 ? mma_join(sums, parts, leaf) : join_all(sums, parts, leaf);
}

Values TileWriter::whole_stages(const Values& sums, Value begin, Value count) {
  const std::int64_t depth = tile_.depth;
  write(read(begin, nullptr), w_.i64(0));
  Values carried = sums;
  if (unrolled_) {
    const Values parts = next_fragments(w_.i64(0), 0);
    carried.append(parts.begin(), parts.end());
  }
  carried.push_back(w_.i64(0));
  const auto outputs = static_cast<std::ptrdiff_t>(sums.size());
  Values end = w_.loop(
      w_.i64(0), count, w_.i64(1), carried,
      [&](Value number, const Values& before) {
        Value stage = before.back();
        Value other = b_.sub(w_.i64(stage_bytes_), stage, Fits::always);
        Value leaf = w_.add(begin, b_.mul(number, w_.i64(depth), Fits::always));
        // After the last stage the same stage is read once more, which needs no condition.
        Value next = w_.smaller(b_.add(number, w_.i64(1), Fits::always), b_.sub(count, w_.i64(1)));
        const auto elements = read(w_.add(begin, b_.mul(next, w_.i64(depth), Fits::always)), nullptr);
        Values now(before.begin(), before.begin() + outputs);
        if (!unrolled_) {
          now = leaf_by_leaf(now, stage, w_.i64(0), w_.i64(depth), leaf);
          write(elements, other);
          now.push_back(other);
          return now;
        }
        Values parts(before.begin() + outputs, before.end() - 1);
        const std::int64_t step = tile_.mma_f64 ? kernel::MmaF64::leaves : 1;
        for (std::int64_t k = 0; k < depth; k += step) {
          // The next leaf's parts are being loaded while this one's are used.
          const bool is_last = k + step == depth;
          if (is_last) write(elements, other);
          const Values coming = next_fragments(is_last ? other : stage, is_last ? 0 : k + step);
          now = join_next(now, parts, w_.add(leaf, w_.i64(k)));
          parts = coming;
        }
        now.append(parts.begin(), parts.end());
        now.push_back(other);
        return now;
      },
      false);
  end.resize(sums.size());
  return end;
}

std::vector<Values> TileWriter::fold(Value begin, Value end) {
  Value depth = w_.i64(tile_.depth);
  Value length = b_.sub(end, begin);
  // The incomplete stage comes first, so that all others are whole.
  const bool from_nothing = !neutral_.empty();
  Value left_over =
      from_nothing ? b_.urem(length, depth) : w_.add(b_.urem(b_.sub(length, w_.i64(1)), depth), w_.i64(1));
  Values sums = neutral_;
  auto incomplete = [&] { return incomplete_stage(neutral_, begin, end, left_over); };
  if (from_nothing) {
    sums = w_.branch(b_.greater(left_over, w_.i64(0)), incomplete, [&] { return neutral_; });
  } else {
    sums = incomplete();
  }
  Value stages = b_.udiv(b_.sub(length, left_over), depth);
  sums = w_.branch(
      b_.greater(stages, w_.i64(0)), [&] { return whole_stages(sums, w_.add(begin, left_over), stages); },
      [&] { return sums; });
  std::vector<Values> out;
  const std::size_t parts = site_.scalars.size();
  for (std::size_t k = 0; k < sums.size(); k += parts) {
    const auto first = sums.begin() + static_cast<std::ptrdiff_t>(k);
    Values values(first, first + static_cast<std::ptrdiff_t>(parts));
    out.push_back(run_ ? values : joins_.whole(site_, values));
  }
  return out;
}

}  // namespace reckon::codegen
