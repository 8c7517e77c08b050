#include "codegen/strategies/turned/turned_elements.h"

namespace reckon::codegen {

TurnedElements::TurnedElements(KernelParts& parts, const KernelBody& body, const TurnedShape& shape, Kernel& kernel,
                               BlockReducer& reducer)
    : LoweringParts(parts.folds(), parts.folds().joins()),
      parts_(parts),
      body_(body),
      shape_(shape),
      kernel_(kernel),
      reducer_(reducer) {
  for (const ir::NodeId element : shape.elements) {
    arrays_.push_back(reducer.shared_array(Type::number(module_.type(element).scalar), shape.room()));
  }
}

void TurnedElements::write() {
  kernel_.block_items = 1;
  Value tiles = w_.i64(1);
  for (const ir::IndexId extent : kernel_.items) tiles = w_.multiply(tiles, w_.index(extent));
  w_.loop(
      b_.block(), tiles, b_.blocks(), {},
      [&](Value tile, const Values&) {
        write_tile(tile);
        return Values{};
      },
      false);
}

void TurnedElements::write_tile(Value tile) {
  coordinates_ = parts_.items().item_coordinates(kernel_.items, tile);
  Value is_whole = nullptr;
  for (const std::size_t d : {shape_.across, last()}) {
    coordinates_[d] = w_.multiply(coordinates_[d], w_.i64(shape_.side()));
    if (is_divided(d)) continue;
    const Value is_inside = b_.less_equal(w_.add(coordinates_[d], w_.i64(shape_.side())), extent(d));
    is_whole = is_whole ? b_.bit_and(is_whole, is_inside) : is_inside;
  }
  const auto whole_or_not = [&](FunctionRef<Values(bool)> part) {
    if (!is_whole) return part(true);
    return w_.branch(
        is_whole, [&] { return part(true); }, [&] { return part(false); });
  };
  const Values elements = whole_or_not([&](bool whole) { return read(whole); });
  reducer_.barrier();  // the tile before has been read
  keep(elements);
  reducer_.barrier();
  whole_or_not([&](bool whole) {
    compute(whole);
    return Values{};
  });
}

bool TurnedElements::is_divided(std::size_t dimension) const {
  const auto known = module_.indices().as_constant(body_.space[dimension].extent);
  return known && *known % shape_.side() == 0;
}

Value TurnedElements::row(std::int64_t number) {
  return b_.add(reducer_.warp_number(), w_.i64(number * TurnedShape::warps), Fits::always);
}

Value TurnedElements::column(std::int64_t k) {
  return b_.add(b_.mul(reducer_.lane(), w_.i64(shape_.vector), Fits::always), w_.i64(k), Fits::always);
}

Value TurnedElements::kept_at(Value row, Value lane_of_row, Value column) {
  const Value begin = b_.add(b_.mul(row, w_.i64(shape_.side()), Fits::always), lane_of_row, Fits::always);
  return b_.add(begin, column, Fits::always);
}

Scope TurnedElements::place(Value across, Value last_one) const {
  Scope out;
  for (std::size_t d = 0; d < body_.space.size(); ++d) {
    const Value value = d == shape_.across ? across : d == last() ? last_one : coordinates_[d];
    out.variables.push_back({body_.space[d].variable, body_.space[d].extent, value});
  }
  return out;
}

Value TurnedElements::evaluated(Scope& scope, ir::NodeId node) {
  return w_.in_scope(scope, [&] {
    const Value out = circuits_.scalar(node);
    w_.resume();
    return Values{out};
  })[0];
}

/// Here the threads of a warp share a value of the last coordinate, so that they read neighbours in memory. Beyond the
/// ends of the tensor they read its last elements.
Values TurnedElements::read(bool is_whole) {
  Values out;
  const auto inside = [&](Value value, std::size_t d) {
    return is_whole || is_divided(d) ? value : w_.smaller(value, b_.sub(extent(d), w_.i64(1)));
  };
  for (std::int64_t r = 0; r < shape_.rows_of_warp(); ++r) {
    const Value of_last = inside(w_.add(coordinates_[last()], row(r)), last());
    for (std::int64_t k = 0; k < shape_.vector; ++k) {
      const Value of_across = inside(w_.add(coordinates_[shape_.across], column(k)), shape_.across);
      Scope scope = place(of_across, of_last);
      for (const ir::NodeId element : shape_.elements) out.push_back(evaluated(scope, element));
    }
  }
  return out;
}

void TurnedElements::keep(const Values& elements) {
  std::size_t next = 0;
  for (std::int64_t r = 0; r < shape_.rows_of_warp(); ++r) {
    const Value begin = kept_at(row(r), b_.udiv(row(r), w_.i64(shape_.vector)), column(0));
    for (std::int64_t k = 0; k < shape_.vector; ++k) {
      for (const Value array : arrays_) b_.store(array, begin, elements[next++], k);
    }
  }
}

/// Here the threads of a warp share a value of the coordinate across, so that they write neighbours in memory.
void TurnedElements::compute(bool is_whole) {
  for (std::int64_t r = 0; r < shape_.rows_of_warp(); ++r) {
    const Value of_across = w_.add(coordinates_[shape_.across], row(r));
    std::vector<std::function<void()>> stores;
    for (std::int64_t k = 0; k < shape_.vector; ++k) {
      const Value of_last = w_.add(coordinates_[last()], column(k));
      const auto value = [&, k] {
        Scope scope = place(of_across, of_last);
        const Value kept = kept_at(column(k), reducer_.lane(), row(r));
        for (std::size_t e = 0; e < arrays_.size(); ++e) scope.nodes[shape_.elements[e]] = {b_.load(arrays_[e], kept)};
        return evaluated(scope, body_.node);
      };
      Value offset = w_.i64(0);
      for (std::size_t d = 0; d < body_.space.size(); ++d) {
        const Value coordinate = d == shape_.across ? of_across : d == last() ? of_last : coordinates_[d];
        offset = w_.add(w_.multiply(offset, extent(d)), coordinate);
      }
      if (is_whole) {
        stores.emplace_back(
            [this, offset, made = value()] { circuits_.store_at_offset(kernel_.output, offset, made); });
        continue;
      }
      const Value is_there = b_.bit_and(b_.less(of_across, extent(shape_.across)), b_.less(of_last, extent(last())));
      w_.if_then(is_there, [&] { circuits_.store_at_offset(kernel_.output, offset, value()); });
    }
    for (const auto& store : stores) store();
  }
}

}  // namespace reckon::codegen
