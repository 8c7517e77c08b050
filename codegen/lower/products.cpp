#include "codegen/lower/products.h"

#include <utility>

#include "codegen/lower/folds.h"
#include "codegen/lower/tile_place.h"
#include "codegen/place/place.h"

namespace reckon::codegen {

namespace {

/// Bytes between rows that would otherwise lie a power of two apart, in the same places of a cache.
constexpr std::int64_t line = 64;

}  // namespace

Products::Products(Folds& folds, const KernelBody& body, const Kernel& kernel, const ProductTiles& tiles)
    : LoweringParts(folds, folds.joins()),
      body_(body),
      kernel_(kernel),
      tiles_(tiles),
      site_(joins_.site_of(tiles.fold)),
      row_(tiles.fold.space[tiles.row]),
      column_(tiles.fold.space.back()) {
  const Type type = site_.state[0];
  const std::int64_t gap = line / w_.bytes_of(type);
  const auto add = [&](ir::NodeId node, bool of_rows) {
    Packed part{node, of_rows};
    const Binder& side = of_rows ? row_ : column_;
    part.along_leaves =
        reads_in_order(module_, node, site_.node.variables[0]) && !reads_in_order(module_, node, side.variable);
    std::int64_t size = 0;
    if (!of_rows) {
      // Panels, one after the other; `side` is from a panel to the next one.
      part.leaf = tiles_.panel;
      part.side = tiles_.depth * tiles_.panel + gap;
      size = tiles_.columns / tiles_.panel * part.side;
    } else if (part.along_leaves) {
      part.side = tiles_.depth + gap;
      size = tiles_.rows * part.side;
    } else {
      part.leaf = tiles_.rows + gap;
      size = tiles_.depth * part.leaf;
    }
    part.array = w_.stack_array(type, size);
    parts_.push_back(part);
  };
  for (const ir::NodeId node : tiles_.sides.of_rows) add(node, true);
  for (const ir::NodeId node : tiles_.sides.of_columns) add(node, false);
  sums_ = w_.stack_array(type, tiles_.rows * tiles_.columns);
  if (tiles_.run > 0) totals_ = w_.stack_array(type, tiles_.rows * tiles_.columns);
}

void Products::write(Value begin, Value end) {
  w_.for_range(
      begin, end,
      [&](Value item) {
        const TilePlace tile =
            enter_tile(w_, body_.space, kernel_, {tiles_.row, tiles_.rows, tiles_.columns, false}, item);
        TileSizes place;
        place.row = tile.row;
        place.column = tile.column;
        place.rows = w_.smaller(b_.sub(w_.index(row_.extent), tile.row), w_.i64(tiles_.rows));
        place.columns = w_.smaller(b_.sub(w_.index(column_.extent), tile.column), w_.i64(tiles_.columns));
        const auto rounded_up = [&](Value count, std::int64_t by) {
          return b_.mul(w_.divide_up(count, w_.i64(by)), w_.i64(by), Fits::always);
        };
        place.groups_rows = rounded_up(place.rows, tiles_.few_rows);
        place.panels = w_.divide_up(place.columns, w_.i64(tiles_.panel));
        const Value length = w_.index(site_.node.indices[0]);
        w_.branch(
            b_.greater(length, w_.i64(0)),
            [&] {
              write_tile(place);
              return Values{};
            },
            [&] {
              write_empty(place);
              return Values{};
            });
      },
      false);
}

void Products::write_tile(const TileSizes& place) {
  const Value length = w_.index(site_.node.indices[0]);
  if (tiles_.run == 0) {
    add_leaves(place, w_.i64(0), length);
    finish(place, sums_);
    return;
  }
  const Value run = w_.i64(tiles_.run);
  w_.for_range(
      w_.i64(0), w_.divide_up(length, run),
      [&](Value number) {
        const Value begin = b_.mul(number, run, Fits::always);
        add_leaves(place, begin, w_.smaller(length, b_.add(begin, run, Fits::always)));
        join_run(place, number);
      },
      false);
  finish(place, totals_);
}

/// The sums over the leaves begin .. end - 1, of which there is one at least.
void Products::add_leaves(const TileSizes& place, Value begin, Value end) {
  w_.loop(
      begin, end, w_.i64(tiles_.depth), {},
      [&](Value first, const Values&) {
        const Value count = w_.smaller(b_.sub(end, first), w_.i64(tiles_.depth));
        for (const Packed& part : parts_) {
          if (part.of_rows) pack_rows(part, place, first, count);
          else pack_columns(part, place, first, count);
        }
        const Value is_first = b_.equal(first, begin);
        w_.if_then(is_first, [&] { begin_sums(place, first); });
        multiply(place, first, has_neutral() ? w_.i64(0) : b_.extend(is_first), count);
        return Values{};
      },
      false);
}

Value Products::element(const Packed& part, Value side, Value leaf) {
  Scope scope;
  const Binder& binder = part.of_rows ? row_ : column_;
  scope.variables.push_back({binder.variable, binder.extent, side});
  scope.variables.push_back({site_.node.variables[0], site_.node.indices[0], leaf});
  const Values out = w_.in_scope(scope, [&] { return Values{circuits_.scalar(part.node)}; });
  w_.resume();
  return out[0];
}

/// Rows beyond the last one are the last one again, so that there are whole groups.
void Products::pack_rows(const Packed& part, const TileSizes& place, Value begin, Value count) {
  const Value last = b_.sub(place.rows, w_.i64(1));
  const auto put = [&](Value row, Value leaf, Value side) {
    const Value at = w_.add(w_.multiply(leaf, w_.i64(part.leaf)), w_.multiply(row, w_.i64(part.side)));
    b_.store(part.array, at, element(part, side, w_.add(begin, leaf)));
  };
  const auto side_of = [&](Value row) { return w_.add(place.row, w_.smaller(row, last)); };
  if (part.along_leaves) {
    w_.for_range(
        w_.i64(0), place.groups_rows,
        [&](Value row) {
          const Value side = side_of(row);
          w_.for_range(w_.i64(0), count, [&](Value leaf) { put(row, leaf, side); });
        },
        false);
    return;
  }
  w_.for_range(
      w_.i64(0), count,
      [&](Value leaf) {
        w_.for_range(w_.i64(0), place.rows, [&](Value row) { put(row, leaf, w_.add(place.row, row)); });
        w_.for_range(
            place.rows, place.groups_rows, [&](Value row) { put(row, leaf, side_of(row)); }, false);
      },
      false);
}

/// Panel after panel, in each of them leaf after leaf. Columns beyond the last one are the last one again.
void Products::pack_columns(const Packed& part, const TileSizes& place, Value begin, Value count) {
  const Value width = w_.i64(tiles_.panel);
  const auto put = [&](Value panel, Value number, Value leaf, Value column) {
    const Value at = w_.add(w_.multiply(panel, w_.i64(part.side)), w_.add(w_.multiply(leaf, width), number));
    b_.store(part.array, at, element(part, w_.add(place.column, column), w_.add(begin, leaf)));
  };
  const Value whole = b_.udiv(place.columns, width), last = b_.sub(place.columns, w_.i64(1));
  const auto first_of = [&](Value panel) { return w_.multiply(panel, width); };
  if (part.along_leaves) {
    w_.for_range(
        w_.i64(0), place.panels,
        [&](Value panel) {
          w_.for_range(
              w_.i64(0), width,
              [&](Value number) {
                const Value column = w_.smaller(w_.add(first_of(panel), number), last);
                w_.for_range(w_.i64(0), count, [&](Value leaf) { put(panel, number, leaf, column); });
              },
              false);
        },
        false);
    return;
  }
  w_.for_range(
      w_.i64(0), count,
      [&](Value leaf) {
        w_.for_range(
            w_.i64(0), whole,
            [&](Value panel) {
              w_.for_range(w_.i64(0), width,
                           [&](Value number) { put(panel, number, leaf, w_.add(first_of(panel), number)); });
            },
            false);
        w_.if_then(b_.less(whole, place.panels), [&] {
          w_.for_range(
              w_.i64(0), width,
              [&](Value number) { put(whole, number, leaf, w_.smaller(w_.add(first_of(whole), number), last)); },
              false);
        });
      },
      false);
}

Values Products::node_of(Value number) {
  Values out = joins_.zeros(site_);
  out[0] = number;
  return out;
}

/// The leaf that is made of its parts, all of which are known.
Values Products::leaf_of(const Values& parts, Value row, Value column, Value leaf) {
  Scope scope;
  scope.variables.push_back({row_.variable, row_.extent, row});
  scope.variables.push_back({column_.variable, column_.extent, column});
  scope.variables.push_back({site_.node.variables[0], site_.node.indices[0], leaf});
  for (std::size_t k = 0; k < parts_.size(); ++k) scope.nodes[parts_[k].node] = {parts[k]};
  const Values out = w_.in_scope(scope, [&] { return joins_.leaf_here(site_, leaf); });
  w_.resume();
  return out;
}

void Products::each_result(Value rows, Value columns, FunctionRef<void(Value row, Value column, Value number)> body) {
  w_.for_range(
      w_.i64(0), rows,
      [&](Value row) {
        const Value first = w_.multiply(row, w_.i64(tiles_.columns));
        w_.for_range(w_.i64(0), columns, [&](Value column) { body(row, column, w_.add(first, column)); });
      },
      false);
}

/// Whether there is something that changes no bit of the first leaf.
bool Products::has_neutral() const {
  return site_.reduction.operation == ir::Op::add && w_.numbers().has_neutral_summand(site_.scalars[0]);
}

/// Sums begin with what is neutral, or else with the first leaf.
void Products::begin_sums(const TileSizes& place, Value leaf) {
  const Value width = w_.i64(tiles_.panel);
  const auto first_leaf = [&](Value row, Value panel, Value number) {
    Values parts;
    for (const Packed& part : parts_) {
      const Value at =
          part.of_rows ? w_.multiply(row, w_.i64(part.side)) : w_.add(w_.multiply(panel, w_.i64(part.side)), number);
      parts.push_back(b_.load(part.array, at));
    }
    return joins_.rounded_product(site_, leaf_of(parts, row, number, leaf))[0];
  };
  w_.for_range(
      w_.i64(0), place.groups_rows,
      [&](Value row) {
        w_.for_range(
            w_.i64(0), place.panels,
            [&](Value panel) {
              const Value first = w_.add(w_.multiply(row, w_.i64(tiles_.columns)), w_.multiply(panel, width));
              w_.for_range(w_.i64(0), width, [&](Value number) {
                const Value sum = has_neutral() ? b_.neutral(site_.scalars[0]) : first_leaf(row, panel, number);
                b_.store(sums_, w_.add(first, number), sum);
              });
            },
            false);
      },
      false);
}

/// The leaves begin + from .. begin + count - 1.
void Products::multiply(const TileSizes& place, Value begin, Value from, Value count) {
  const std::int64_t many = tiles_.many_rows, few = tiles_.few_rows;
  const Value whole = b_.mul(b_.udiv(place.groups_rows, w_.i64(many)), w_.i64(many), Fits::always);
  w_.for_range(
      w_.i64(0), place.panels,
      [&](Value panel) {
        const auto rows = [&](Value first, Value limit, std::int64_t step) {
          w_.if_then(b_.less(first, limit), [&] {
            w_.loop(
                first, limit, w_.i64(step), {},
                [&](Value row, const Values&) {
                  multiply_rows(step, row, panel, begin, from, count);
                  return Values{};
                },
                false);
          });
        };
        w_.if_then(b_.less(from, count), [&] {
          rows(w_.i64(0), whole, many);
          rows(whole, place.groups_rows, few);
        });
      },
      false);
}

void Products::multiply_rows(std::int64_t rows, Value first_row, Value panel, Value begin, Value from, Value count) {
  kernel::Chains chains{.rows = rows, .columns = tiles_.panel, .lanes = tiles_.lanes, .pitch = tiles_.columns};
  const Value first_sum =
      w_.add(w_.multiply(first_row, w_.i64(tiles_.columns)), w_.multiply(panel, w_.i64(tiles_.panel)));
  Values operands{from, count, sums_, first_sum};
  for (const Packed& part : parts_) {
    operands.push_back(part.array);
    operands.push_back(w_.multiply(part.of_rows ? first_row : panel, w_.i64(part.side)));
    if (part.of_rows) chains.of_rows.push_back({part.leaf, part.side});
    else chains.of_columns.push_back(part.leaf);
  }
  // Which row and column it is, is in the parts alone.
  w_.chains(chains, operands, [&](Value leaf, const Values& values) {
    const Values of_leaf = leaf_of(Values(values.begin() + 1, values.end()), first_row, panel, w_.add(begin, leaf));
    return Values{joins_.join(site_, node_of(values[0]), of_leaf)[0]};
  });
}

/// Joins the sums of a run with those of the runs before it.
void Products::join_run(const TileSizes& place, Value number) {
  FoldSite around = site_;
  around.arithmetic = Arithmetic::plain;
  w_.branch(
      b_.equal(number, w_.i64(0)),
      [&] {
        each_result(place.rows, place.columns,
                    [&](Value, Value, Value at) { b_.store(totals_, at, b_.load(sums_, at)); });
        return Values{};
      },
      [&] {
        each_result(place.rows, place.columns, [&](Value, Value, Value at) {
          const Values joined = joins_.join(around, node_of(b_.load(totals_, at)), node_of(b_.load(sums_, at)));
          b_.store(totals_, at, joined[0]);
        });
        return Values{};
      });
}

/// Stores what is made of a result: the result itself, or an element.
void Products::store(Value row, Value column, FunctionRef<Values()> values) {
  Scope scope;
  scope.variables.push_back({row_.variable, row_.extent, row});
  scope.variables.push_back({column_.variable, column_.extent, column});
  w_.in_scope(scope, [&] {
    const Values sum = values();
    Value element = sum[0];
    if (body_.kind == KernelBody::Kind::elements) {
      w_.scope()->nodes[tiles_.fold.node] = sum;
      element = circuits_.scalar(body_.node);
    }
    const Value offset = circuits_.place_in(planned_.plan.buffers[kernel_.output], body_.space);
    w_.resume();
    circuits_.store_at_offset(kernel_.output, offset, element);
    return Values{};
  });
}

void Products::finish(const TileSizes& place, Value array) {
  each_result(place.rows, place.columns, [&](Value row, Value column, Value number) {
    store(w_.add(place.row, row), w_.add(place.column, column),
          [&] { return joins_.whole(site_, node_of(b_.load(array, number))); });
  });
}

void Products::write_empty(const TileSizes& place) {
  each_result(place.rows, place.columns, [&](Value row, Value column, Value) {
    store(w_.add(place.row, row), w_.add(place.column, column), [&] { return joins_.empty_fold(site_); });
  });
}

}  // namespace reckon::codegen
