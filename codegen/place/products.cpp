#include "codegen/place/products.h"

#include <algorithm>

#include "codegen/lower/numbers.h"
#include "codegen/lower/tile_place.h"
#include "codegen/scalars/scalar_code.h"
#include "ir/op.h"
#include "ir/visit.h"

namespace reckon::codegen {

namespace {

using ir::NodeId;
using ir::Op;

/// Below these sizes, items are computed by themselves. `min_work` is of all leaves of a product.
constexpr std::int64_t min_rows = 4, min_columns = 16, min_leaves = 8, min_work = std::int64_t{1} << 16;
/// Bytes of the sums of a row, and of a column, of a tile. With them and the depth, what is packed of both factors fits
/// in the second-level cache, and a panel of the columns' factor in the first one. The sums are on the stack, too:
/// `bytes_of_any` is for sides whose extent is not known, where code may be for others (`--emit=object`), whose threads
/// may have a stack of 1 MB.
constexpr std::int64_t bytes_of_row = 2048, bytes_of_column = 1536, bytes_of_any = 1024, depth = 256;
/// Vectors of sums in a row of registers, and the share of the rows that is computed where few are left.
constexpr std::int64_t vectors_of_row = 2, share_of_few = 3;

/// The order of a chain of all leaves, or of chains of runs that are joined from left to right.
struct ChainOrder {
  bool fused = false;
  std::int64_t run = 0;
};

std::optional<ChainOrder> chain_order(const ir::Module& module, ir::ScheduleId schedule) {
  using ir::ScheduleOp;
  const ir::ScheduleStore& schedules = module.schedules();
  if (!schedules.levels(schedule).empty()) return std::nullopt;
  ChainOrder out;
  const ir::ScheduleNode* node = &schedules[schedule];
  if (node->op == ScheduleOp::fused) {
    out.fused = true;
    node = &schedules[node->operands[0]];
  }
  if (node->op == ScheduleOp::seq) return out;
  if (node->op != ScheduleOp::then || schedules[node->operands[1]].op != ScheduleOp::seq) return std::nullopt;
  const ir::ScheduleNode& stage = schedules[node->operands[0]];
  if (stage.op != ScheduleOp::tile) return std::nullopt;
  const auto size = module.indices().as_constant(stage.parameter);
  const ir::ScheduleNode* of_run = &schedules[stage.operands[0]];
  // A run of one product within `fused` would be handed on unrounded.
  if (out.fused) return std::nullopt;
  out.fused = of_run->op == ScheduleOp::fused;
  if (out.fused) of_run = &schedules[of_run->operands[0]];
  if (of_run->op != ScheduleOp::seq || !size || *size < min_leaves) return std::nullopt;
  out.run = *size;
  return out;
}

class ProductFinder {
 public:
  ProductFinder(ir::Module& module, const Numbers& code, const Abilities& abilities)
      : module_(module), code_(code), abilities_(abilities) {}

  std::optional<ProductTiles> find(const KernelBody& body, const Kernel& kernel) {
    if (body.space.size() < 2 || body.space.size() != kernel.items.size() || body.joined || body.by_key || body.nodes)
      return std::nullopt;
    const auto reduce = product_of(body);
    if (!reduce) return std::nullopt;
    ProductTiles out{body};
    out.fold.kind = KernelBody::Kind::fold;
    out.fold.node = *reduce;
    const auto order = chain_order(module_, module_.reduction_of(*reduce).schedule);
    if (!order) return std::nullopt;
    out.fold.fused = order->fused && !code_.sums_exactly();
    out.run = order->run;
    if (!is_below(module_[*reduce].indices[0], min_leaves) || !is_below(body.space.back().extent, min_columns))
      return std::nullopt;
    for (std::size_t row = body.space.size() - 1; row-- > 0;) {
      auto sides = sides_of(module_, out.fold, row);
      if (!sides || !is_below(body.space[row].extent, min_rows)) continue;
      out.row = row;
      out.sides = std::move(*sides);
      if (!is_computed_by_vectors(out)) continue;
      if (!is_large(out) || !choose(out)) return std::nullopt;
      return out;
    }
    return std::nullopt;
  }

 private:
  /// Whether it is not known that the extent is less.
  bool is_below(ir::IndexId extent, std::int64_t least) const {
    return module_.indices().as_constant(extent).value_or(least) >= least;
  }

  /// The only reduction of the kernel, if it is over the whole space of it.
  std::optional<NodeId> product_of(const KernelBody& body) const {
    if (body.kind == KernelBody::Kind::fold) return body.node;
    if (body.kind != KernelBody::Kind::elements) return std::nullopt;
    std::optional<NodeId> out;
    bool others = false;
    ir::walk(module_, {body.node}, [&](NodeId id) {
      const ir::Node& node = module_[id];
      if (node.op == Op::scan || node.op == Op::loop || (node.op == Op::reduce && out)) others = true;
      if (node.op == Op::reduce) out = id;
      return node.op == Op::reduce || node.op == Op::element ? ir::Walk::beside : ir::Walk::below;
    });
    if (!out || others) return std::nullopt;
    const auto& free = module_.free_variables(*out);
    const auto is_in_space = [&](ir::VariableId variable) {
      return std::ranges::find(body.space, variable, &Binder::variable) != body.space.end();
    };
    return std::ranges::all_of(free, is_in_space) ? out : std::nullopt;
  }

  /// Whether what is computed of the parts, and with each leaf, is a few instructions for a vector of columns.
  bool is_computed_by_vectors(const ProductTiles& tiles) const {
    const ir::Node& node = module_[tiles.fold.node];
    const ir::Reduction reduction = module_.reduction_of(tiles.fold.node);
    const ir::VariableId row = tiles.fold.space[tiles.row].variable, column = tiles.fold.space.back().variable;
    if (!module_.indices().variables(node.indices[0]).empty()) return false;
    if (code_.has_undefined()) return false;
    const auto scalars = scalars_of(module_, module_[node.operands[0]].type);
    if (scalars.size() != 1 || reduction.user) return false;
    const ir::Scalar scalar = scalars[0];
    if (!code_.applies_to_vectors(reduction.operation, scalar) || !code_.is_word(scalar)) return false;
    if (tiles.fold.fused && !code_.applies_to_vectors(Op::fma, scalar)) return false;
    const auto is_part = [&](NodeId id) {
      return std::ranges::find(tiles.sides.of_rows, id) != tiles.sides.of_rows.end() ||
             std::ranges::find(tiles.sides.of_columns, id) != tiles.sides.of_columns.end();
    };
    const auto other = ir::walk(module_, {node.operands[0]}, [&](NodeId id) {
      if (!module_.depends_on(id, row) && !module_.depends_on(id, column)) return ir::Walk::beside;
      if (is_part(id)) return module_.type(id).scalar == scalar ? ir::Walk::beside : ir::Walk::stop;
      const ir::Node& each = module_[id];
      const bool applies = module_.type(id).kind == ir::TypeKind::scalar && module_.type(id).scalar == scalar &&
                           ir::is_scalar_operation(each.op) && code_.applies_to_vectors(each.op, scalar);
      return applies ? ir::Walk::below : ir::Walk::stop;
    });
    return !other;
  }

  /// Whether the packing is known to pay, or sizes are not known.
  bool is_large(const ProductTiles& tiles) const {
    std::int64_t work = 1;
    for (const ir::IndexId extent :
         {tiles.fold.space[tiles.row].extent, tiles.fold.space.back().extent, module_[tiles.fold.node].indices[0]}) {
      const auto known = module_.indices().as_constant(extent);
      if (!known || __builtin_mul_overflow(work, *known, &work)) return true;
    }
    return work >= min_work;
  }

  /// The side of tiles, a multiple of `part`, that are about equally large and have about `most` rows or columns at
  /// most; `any` if the extent is not known.
  std::int64_t side(ir::IndexId extent, std::int64_t most, std::int64_t any, std::int64_t part) const {
    const auto up = [](std::int64_t count, std::int64_t of) { return (count + of - 1) / of; };
    const auto known = module_.indices().as_constant(extent);
    if (!known) return std::min(most, any) / part * part;
    const std::int64_t tiles = std::max<std::int64_t>(1, up(*known, most));
    return std::max<std::int64_t>(1, up(up(*known, tiles), part)) * part;
  }

  bool choose(ProductTiles& out) const {
    const ir::Scalar scalar = module_.type(out.fold.node).scalar;
    const std::int64_t bytes = code_.widths().of(scalar, kernel::Form::registers);
    out.lanes = std::max<std::int64_t>(1, abilities_.vector_bytes / bytes);
    out.panel = vectors_of_row * out.lanes;
    // The sums leave registers for the columns' elements, and for a row's element.
    out.many_rows = (abilities_.vectors - (abilities_.vectors > 16 ? 8 : 4)) / vectors_of_row;
    out.few_rows = out.many_rows / share_of_few;
    out.rows = side(out.fold.space[out.row].extent, bytes_of_column / bytes, bytes_of_any / bytes, out.many_rows);
    out.columns = side(out.fold.space.back().extent, (out.run > 0 ? bytes_of_any : bytes_of_row) / bytes,
                       bytes_of_any / bytes, out.panel);
    out.depth = side(module_[out.fold.node].indices[0], depth, depth, 1);
    // More parts than the factors of a product have no room.
    return out.sides.of_rows.size() + out.sides.of_columns.size() <= 3;
  }

  ir::Module& module_;
  const Numbers& code_;
  const Abilities& abilities_;
};

}  // namespace

void place_products(ir::Module& module, Planned& planned, const Numbers& code, const Abilities& abilities) {
  ProductFinder finder(module, code, abilities);
  for (std::size_t k = 0; k < planned.bodies.size(); ++k) {
    KernelBody& body = planned.bodies[k];
    Kernel& kernel = planned.plan.kernels[k];
    auto found = finder.find(body, kernel);
    if (!found) continue;
    kernel.items = items_of_tiles(module.indices(), body.space, {found->row, found->rows, found->columns});
    body.product = std::make_shared<const ProductTiles>(std::move(*found));
  }
}

}  // namespace reckon::codegen
