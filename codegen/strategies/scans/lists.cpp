#include "codegen/strategies/scans/lists.h"

namespace reckon::codegen {

ScanLists::ScanLists(KernelParts& parts, const KernelBody& body, const ScanPlacement& placement, const Kernel& kernel)
    : LoweringParts(parts.folds(), parts.folds().joins()),
      items_(parts.items()),
      body_(body),
      placement_(placement),
      kernel_(kernel),
      site_(joins_.site_of(body)) {
  count_ = w_.i64(1);
  for (const ir::IndexId extent : kernel.items) count_ = w_.multiply(count_, w_.index(extent));
  length_ = w_.index(placement.length);
  longest_ = placement.tile ? w_.smaller(w_.i64(*placement.tile), length_) : length_;
}

void ScanLists::in_groups(std::int64_t items, FunctionRef<void(Value first)> write) {
  const Value groups = w_.divide_up(count_, w_.i64(items));
  const Value block = b_.block();
  w_.if_then(b_.bit_and(b_.less(block, groups), b_.greater(longest_, w_.i64(0))), [&] {
    w_.loop(
        block, groups, b_.blocks(), {},
        [&](Value group, const Values&) {
          write(w_.multiply(group, w_.i64(items)));
          return Values{};
        },
        false);
  });
}

ScanList ScanLists::at(Value item) {
  ScanList list;
  const Values coordinates = items_.item_coordinates(kernel_.items, item);
  for (std::size_t d = 0; d < body_.space.size(); ++d) {
    list.variables.push_back({body_.space[d].variable, body_.space[d].extent, coordinates[d]});
  }
  list.row = item;
  list.first = w_.i64(0);
  list.length = length_;
  if (!placement_.tile) return list;
  list.tile = coordinates.back();
  list.row = body_.space.empty() ? w_.i64(0) : b_.udiv(item, w_.index(kernel_.items.back()));
  list.first = w_.multiply(list.tile, w_.i64(*placement_.tile));
  list.length = w_.smaller(w_.i64(*placement_.tile), b_.sub(length_, list.first));
  return list;
}

Values ScanLists::packed(const ScanList& list) const {
  Values out{list.row, list.tile ? list.tile : w_.i64(0), list.first, list.length};
  for (const Scope::Bound& bound : list.variables) out.push_back(bound.value);
  return out;
}

ScanList ScanLists::unpacked(const Values& packed) const {
  ScanList list{{},
                packed[0],
                placement_.tile ? packed[1] : nullptr,
                placement_.tile ? packed[2] : w_.i64(0),
                placement_.tile ? packed[3] : length_};
  for (std::size_t d = 0; d < body_.space.size(); ++d) {
    list.variables.push_back({body_.space[d].variable, body_.space[d].extent, packed[4 + d]});
  }
  return list;
}

Values ScanLists::load(std::uint32_t buffer, Value element) {
  Values node;
  for (std::uint32_t part = 0; part < site_.scalars.size(); ++part) {
    node.push_back(circuits_.load_at_offset(buffer + part, element));
  }
  return node;
}

Values ScanLists::node(const ScanList& list, Value position) {
  const Value leaf = w_.add(list.first, position);
  if (placement_.source) return load(*placement_.source, w_.add(w_.multiply(list.row, length_), leaf));
  Scope scope;
  scope.variables = list.variables;
  return w_.in_scope(scope, [&] { return joins_.leaf(site_, leaf); });
}

std::vector<Values> ScanLists::joined_if(Value condition, const std::vector<Values>& nodes,
                                         FunctionRef<Values()> before) {
  const auto joined = [&] {
    const Values left = before();
    Values out;
    for (const Values& node : nodes) out.append(joins_.join(site_, left, node));
    return out;
  };
  const auto same = [&] {
    Values out;
    for (const Values& node : nodes) out.append(node);
    return out;
  };
  return nodes_apart(w_.branch(condition, joined, same), site_.state.size());
}

Value ScanLists::whole_tiles_before(const ScanList& list) {
  return w_.multiply(list.row, b_.udiv(length_, w_.i64(*placement_.tile)));
}

Values ScanLists::first_tiles(const ScanList& list, Value count) {
  return load(placement_.before.nodes, w_.add(whole_tiles_before(list), b_.sub(count, w_.i64(1))));
}

std::vector<Values> ScanLists::after_first_tiles(const ScanList& list, Value count, const std::vector<Values>& nodes) {
  return joined_if(b_.greater(count, w_.i64(0)), nodes, [&] { return first_tiles(list, count); });
}

/// The total of the last tiles of the list's first `left`: of as many as the lowest bit of that number says.
Values ScanLists::load_run(const ScanList& list, Value left) {
  const Value rest = b_.bit_and(left, b_.sub(left, w_.i64(1)));
  const Value run = b_.sub(left, rest), first = w_.add(whole_tiles_before(list), rest);
  return w_.branch(
      b_.equal(run, w_.i64(1)), [&] { return load(placement_.before.totals, first); },
      [&] { return load(placement_.before.runs, w_.add(first, b_.lshr(run, 1))); });
}

std::vector<Values> ScanLists::after_tiles(const ScanList& list, std::vector<Values> nodes) {
  TreeFolds& trees = folds_.trees();
  switch (placement_.before.order) {
    case TilesBefore::Order::none:
    case TilesBefore::Order::look_back:
    case TilesBefore::Order::continued: return nodes;
    case TilesBefore::Order::seq: return after_first_tiles(list, list.tile, nodes);
    case TilesBefore::Order::tree:
      return trees.after_runs(site_, list.tile, nodes, [&](Value left, Value) { return load_run(list, left); });
    case TilesBefore::Order::blelloch: break;
  }
  // The tiles before the longest run that ends with this one; the others of the run are before it by `tree`.
  const Value rest = b_.bit_and(list.tile, b_.add(list.tile, w_.i64(1)));
  nodes = trees.after_runs(site_, b_.sub(list.tile, rest), nodes,
                           [&](Value left, Value) { return load_run(list, w_.add(rest, left)); });
  return after_first_tiles(list, rest, nodes);
}

void ScanLists::store(const ScanList& list, Value position, const Values& node) {
  const Value element = w_.add(w_.multiply(list.row, length_), w_.add(list.first, position));
  for (std::uint32_t part = 0; part < site_.scalars.size(); ++part) {
    circuits_.store(kernel_.output + part, element, node[part]);
  }
}

void ScanLists::store_last(Value item, const Values& node) {
  const Values whole = joins_.whole(site_, node);
  for (std::uint32_t part = 0; part < whole.size(); ++part) circuits_.store(kernel_.output + part, item, whole[part]);
}

}  // namespace reckon::codegen
