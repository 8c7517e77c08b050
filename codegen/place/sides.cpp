#include "codegen/place/sides.h"

#include <algorithm>
#include <set>

#include "ir/op.h"
#include "ir/visit.h"

namespace reckon::codegen {

namespace {

using ir::IndexId;
using ir::NodeId;
using ir::Op;
using ir::VariableId;

class Sides {
 public:
  Sides(const ir::Module& module, VariableId row, VariableId column) : module_(module), row_(row), column_(column) {}

  void add(NodeId id) {
    const ir::Node& node = module_[id];
    const bool by_row = module_.depends_on(id, row_), by_column = module_.depends_on(id, column_);
    if (!by_row && !by_column) return;
    // Indices as numbers are computed where they are used.
    if (node.op == Op::index_value || node.op == Op::index_condition || !seen_.insert(id).second) return;
    if (by_row != by_column) {
      (by_row ? found.of_rows : found.of_columns).push_back(id);
      return;
    }
    for (NodeId operand : node.operands) add(operand);
  }

  LeafSides found;

 private:
  const ir::Module& module_;
  VariableId row_, column_;
  std::set<NodeId> seen_;
};

/// The side of a tile that most products have at least.
constexpr std::int64_t usual_side = 64;
/// The share of a side's places that are results, from which on it is good as it is.
constexpr double good_share = 0.9;

double share_of_results(std::int64_t extent) {
  return extent < min_tile_side ? 0 : share_of_places(extent, usual_side);
}

/// Joins dimensions of one fold.
class SideJoiner {
 public:
  SideJoiner(ir::Module& module, const KernelBody& fold) : module_(module), fold_(fold) {}

  std::optional<JoinedSides> run() {
    const std::size_t count = fold_.space.size();
    if (count < 3) return std::nullopt;
    for (const Binder& binder : fold_.space) {
      const auto extent = module_.indices().as_constant(binder.extent);
      if (!extent) return std::nullopt;
      extents_.push_back(*extent);
    }
    for (std::size_t row = count - 1; row-- > 0;) {
      const auto sides = sides_of(module_, fold_, row);
      if (!sides) continue;
      const Dimensions columns = grown({count - 1}, {row}, sides->of_rows);
      const Dimensions rows = grown({row}, columns, sides->of_columns);
      if (extent_of(rows) < min_tile_side || extent_of(columns) < min_tile_side) continue;
      if (rows.size() == 1 && columns.size() == 1) return std::nullopt;
      return joined(rows, columns);
    }
    return std::nullopt;
  }

 private:
  using Dimensions = std::vector<std::size_t>;  ///< ascending

  std::int64_t extent_of(const Dimensions& side) const {
    std::int64_t out = 1;
    for (const std::size_t d : side) {
      if (__builtin_mul_overflow(out, extents_[d], &out)) return 0;
    }
    return out;
  }

  /// With further dimensions, the innermost ones first, on which no part of the other side depends; as it was if that
  /// leaves hardly fewer places empty.
  Dimensions grown(const Dimensions& side, const Dimensions& other, const std::vector<NodeId>& of_other) const {
    Dimensions out = side;
    for (std::size_t d = extents_.size(); d-- > 0 && share_of_results(extent_of(out)) < good_share;) {
      const bool is_taken = std::ranges::count(out, d) + std::ranges::count(other, d) > 0;
      const auto depends = [&](NodeId part) { return module_.depends_on(part, fold_.space[d].variable); };
      if (is_taken || extents_[d] == 1 || std::ranges::any_of(of_other, depends)) continue;
      out.push_back(d);
      std::ranges::sort(out);
    }
    constexpr double enough = 1.1;
    return share_of_results(extent_of(out)) > enough * share_of_results(extent_of(side)) ? out : side;
  }

  JoinedSides joined(const Dimensions& rows, const Dimensions& columns) {
    ir::IndexStore& indices = module_.indices();
    JoinedSides out{fold_, indices.constant(0)};
    out.fold.space.clear();
    for (std::size_t d = 0; d < extents_.size(); ++d) {
      coordinates_.push_back(indices.variable(fold_.space[d].variable));
      if (std::ranges::count(rows, d) + std::ranges::count(columns, d) == 0) out.fold.space.push_back(fold_.space[d]);
    }
    out.fold.space.push_back(one_of(rows));
    out.fold.space.push_back(one_of(columns));
    out.fold.node = module_.substitute(fold_.node, digits_);
    module_.places().put(out.fold.node, module_.span(fold_.node));
    if (!out.fold.part_of) out.fold.part_of = KernelBody::Whole{fold_.node, indices.constant(0)};
    for (std::size_t d = 0; d < extents_.size(); ++d) {
      const IndexId rows_before = indices.multiply(out.place, indices.constant(extents_[d]));
      out.place = indices.rejoined(indices.add(rows_before, coordinates_[d]));
    }
    return out;
  }

  /// The dimension that these are together.
  Binder one_of(const Dimensions& side) {
    if (side.size() == 1) return fold_.space[side[0]];
    ir::IndexStore& indices = module_.indices();
    const Binder out{module_.fresh_variable(), indices.constant(extent_of(side))};
    IndexId rest = indices.variable(out.variable);
    for (std::size_t k = side.size(); k-- > 0;) {
      const IndexId extent = indices.constant(extents_[side[k]]);
      coordinates_[side[k]] = k == 0 ? rest : indices.floor_mod(rest, extent);
      rest = indices.floor_div(rest, extent);
      digits_.indices.variables[fold_.space[side[k]].variable] = coordinates_[side[k]];
    }
    return out;
  }

  ir::Module& module_;
  const KernelBody& fold_;
  std::vector<std::int64_t> extents_;
  std::vector<IndexId> coordinates_;  ///< of the dimensions as they were, in those that they have become
  ir::Module::Substitution digits_;
};

}  // namespace

std::optional<LeafSides> sides_of(const ir::Module& module, const KernelBody& fold, std::size_t row) {
  const VariableId of_row = fold.space[row].variable, of_column = fold.space.back().variable;
  const NodeId leaf = module[fold.node].operands[0];
  const auto stands_in_the_way = [&](NodeId id) {
    const ir::Node& node = module[id];
    if (node.op == Op::reduce || node.op == Op::scan || node.op == Op::get) return true;
    if (node.op == Op::at) return module.depends_on(id, of_row) && module.depends_on(id, of_column);
    if (node.op != Op::element) return false;
    const NodeId tensor = node.operands[0];
    if (module[tensor].op != Op::parameter && !module.free_variables(tensor).empty()) return true;
    return module.depends_on(id, of_row) && module.depends_on(id, of_column);
  };
  const auto in_the_way = ir::walk(module, {leaf}, [&](NodeId id) {
    if (stands_in_the_way(id)) return ir::Walk::stop;
    // An element's tensor is in memory by then, whatever it is made of.
    return module[id].op == Op::element ? ir::Walk::beside : ir::Walk::below;
  });
  if (in_the_way) return std::nullopt;
  Sides sides(module, of_row, of_column);
  // The factors of a product that `fused` absorbs are wanted one by one.
  for (NodeId root : fold.fused ? module[leaf].operands : std::vector{leaf}) sides.add(root);
  if (sides.found.of_rows.empty() || sides.found.of_columns.empty()) return std::nullopt;
  return sides.found;
}

std::optional<JoinedSides> join_sides(ir::Module& module, const KernelBody& fold) {
  return SideJoiner(module, fold).run();
}

}  // namespace reckon::codegen
