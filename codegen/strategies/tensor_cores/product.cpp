#include "codegen/strategies/tensor_cores/product.h"

#include <algorithm>

#include "ir/op.h"
#include "numerics/mma_chips.h"

namespace reckon::codegen {
namespace {

using ir::IndexId;
using ir::NodeId;
using ir::Op;
using ir::VariableId;

constexpr Reason other_chip{"the order is that of sm_{need}'s tensor cores, and the code is for sm_{have}"};
constexpr int least_chip = 80;
constexpr Reason old_chip{"tensor cores are used from sm_80 on"};
constexpr Reason other_accumulator{"tensor cores are used with accumulators of f32 alone"};
constexpr Reason other_format{"no instruction of this chip that is used here takes factors of this format"};
constexpr Reason one_dimension{.text = "each result is a product of its own: rows and columns would share factors",
                               .is_short = true};
constexpr Reason no_product{"a leaf would have to be a product of a factor with the row and one with the column"};
constexpr Reason short_run{"a run has {have} leaves, which is no multiple of {need}"};
constexpr Reason many_dimensions{"a factor would have more than 5 dimensions"};

/// Most dimensions of a tensor map.
constexpr std::size_t max_rank = 5;

class Recognition {
 public:
  Recognition(ir::Module& module, const Planned& planned, const KernelBody& fold, Decision& decision)
      : module_(module), planned_(planned), fold_(fold), decision_(decision), node_(module[fold.node]) {}

  std::optional<MmaProduct> find(const ir::TensorCores& unit) {
    MmaProduct out;
    out.reduce = fold_.node;
    out.space = fold_.space;
    out.unit = unit;
    bytes_ = ir::byte_width(ir::scalar_of(*unit.operand));
    const ir::Node leaf = module_[node_.operands[0]];
    if (fold_.space.size() < 2) return refuse(one_dimension);
    if (leaf.op != Op::mul) return refuse(no_product);
    const VariableId column = fold_.space.back().variable;
    for (std::size_t row = fold_.space.size() - 1; row-- > 0;) {
      const auto has = [&](std::size_t k, VariableId variable) {
        return module_.depends_on(leaf.operands[k], variable);
      };
      const VariableId of_row = fold_.space[row].variable;
      const bool straight = has(0, of_row) && !has(0, column) && has(1, column) && !has(1, of_row);
      const bool crossed = has(1, of_row) && !has(1, column) && has(0, column) && !has(0, of_row);
      if (!straight && !crossed) continue;
      out.row_binder = row;
      const auto x = operand(leaf.operands[straight ? 0 : 1], unit, of_row);
      if (!x) return std::nullopt;
      const auto y = operand(leaf.operands[straight ? 1 : 0], unit, column);
      if (!y) return std::nullopt;
      out.x = *x;
      out.y = *y;
      return out;
    }
    return refuse(one_dimension);
  }

 private:
  std::nullopt_t refuse(const Reason& reason) {
    decision_.refuse(tensor_cores_name, reason);
    return std::nullopt;
  }

  std::optional<MmaOperand> operand(NodeId factor, const ir::TensorCores& unit, VariableId side) {
    const ir::Scalar narrow = ir::scalar_of(*unit.operand);
    const ir::Node widened = module_[factor];
    const bool is_widened = widened.op == Op::convert && module_.type(widened.operands[0]).scalar == narrow;
    const NodeId value = is_widened ? widened.operands[0] : module_.convert(factor, narrow);
    if (auto out = in_memory(value, side)) return out;
    return packed(value, side);
  }

  /// The operand, if it is an element of a tensor in memory, as the copy engine finds it there.
  std::optional<MmaOperand> in_memory(NodeId value, VariableId side) {
    const ir::Node element = module_[value];
    if (element.op != Op::element) return std::nullopt;
    MmaOperand out;
    out.tensor = element.operands[0];
    if (module_[out.tensor].op == Op::parameter) {
      out.buffer = module_[out.tensor].attribute;
    } else {
      const auto place = planned_.places.find({out.tensor, {}});
      if (place == planned_.places.end() || !place->second.variables.empty()) return std::nullopt;
      out.buffer = place->second.buffer;
    }
    const Buffer& buffer = planned_.plan.buffers[out.buffer];
    if (buffer.storage) return std::nullopt;
    out.extents = out.whole = buffer.extents;
    if (!located(out, element.indices, side)) return std::nullopt;
    pad(out);
    return out;
  }

  /// Finds the two dimensions, and where the leaves end.
  bool located(MmaOperand& out, const std::vector<IndexId>& subscripts, VariableId side) {
    ir::IndexStore& indices = module_.indices();
    const VariableId leaf = node_.variables[0];
    const std::size_t rank = subscripts.size();
    if (rank < 2 || rank > max_rank) return false;
    int leaves = 0, sides = 0;
    for (std::size_t d = 0; d < rank; ++d) {
      const bool has_leaf = indices.mentions(subscripts[d], leaf), has_side = indices.mentions(subscripts[d], side);
      if (has_leaf && has_side) return false;
      if (!has_leaf && !has_side) {
        out.subscripts.push_back(subscripts[d]);
        continue;
      }
      const auto affine = indices.affine_in(subscripts[d], has_leaf ? leaf : side);
      if (!affine || indices.as_constant(affine->stride) != 1) return false;
      (has_leaf ? out.of_leaf : out.of_side) = d;
      (has_leaf ? leaves : sides) += 1;
      if (has_leaf) {
        // Beyond the leaves the copy engine has to find zeros, so that the dimension ends with them.
        if (!indices.variables(affine->base).empty()) return false;
        out.extents[d] = indices.add(affine->base, node_.indices[0]);
      }
      out.subscripts.push_back(affine->base);
    }
    if (leaves != 1 || sides != 1 || std::max(out.of_leaf, out.of_side) + 1 != rank) return false;
    return out.of_side + 1 != rank || bytes_ == 2;
  }

  /// Makes all strides multiples of 16 bytes.
  void pad(MmaOperand& out) {
    ir::IndexStore& indices = module_.indices();
    const IndexId last = out.whole.back(), together = indices.constant(16 / bytes_);
    out.copied = indices.minimum(indices.constant(1), indices.floor_mod(last, together));
    if (indices.as_constant(out.copied) == 0) return;
    out.needs = MmaOperand::Needs::padding;
    const IndexId more = indices.subtract(padded(last), last);
    out.whole.back() = indices.add(last, indices.multiply(out.copied, more));
  }

  IndexId padded(IndexId length) {
    ir::IndexStore& indices = module_.indices();
    const IndexId together = indices.constant(16 / bytes_);
    const IndexId rounded = indices.add(length, indices.subtract(together, indices.constant(1)));
    return indices.multiply(indices.floor_div(rounded, together), together);
  }

  /// The operand in a buffer of its own: by the dimensions that are no side, by the side, and by the leaves; by the
  /// leaves and then by the side if neighbours along the side, and not along the leaves, are neighbours in what it is
  /// made of.
  std::optional<MmaOperand> packed(NodeId value, VariableId side) {
    ir::IndexStore& indices = module_.indices();
    const VariableId leaf = node_.variables[0];
    MmaOperand out;
    out.needs = MmaOperand::Needs::packing;
    out.of_leaf_variable = value;
    const Binder* of_side = nullptr;
    for (const Binder& binder : fold_.space) {
      if (binder.variable == side) of_side = &binder;
      else if (module_.depends_on(value, binder.variable)) out.space.push_back(binder);
    }
    for (const Binder& binder : out.space) out.subscripts.push_back(indices.variable(binder.variable));
    const bool along_side =
        bytes_ == 2 && reads_in_order(module_, value, side) && !reads_in_order(module_, value, leaf);
    const VariableId position = module_.fresh_variable();
    const IndexId length = node_.indices[0], inner = along_side ? of_side->extent : length;
    const Binder last{position, padded(inner)};
    if (along_side) out.space.push_back({module_.fresh_variable(), length});
    else out.space.push_back(*of_side);
    const VariableId before = out.space.back().variable;
    out.space.push_back(last);
    if (out.space.size() > max_rank) {
      decision_.refuse(tensor_cores_name, many_dimensions);
      return std::nullopt;
    }
    out.subscripts.insert(out.subscripts.end(), 2, indices.constant(0));
    out.of_side = out.space.size() - (along_side ? 1 : 2);
    out.of_leaf = out.space.size() - (along_side ? 2 : 1);
    out.whole = extents_of(out.space);
    out.extents = out.whole;
    out.extents.back() = inner;
    // Rows go on to a multiple of 16 bytes with the last leaf, or the last one of the side, which nothing reads.
    const IndexId present = indices.minimum(indices.variable(position), indices.subtract(inner, indices.constant(1)));
    ir::Module::Substitution places;
    places.indices.variables[along_side ? side : leaf] = present;
    if (along_side) places.indices.variables[leaf] = indices.variable(before);
    out.value = module_.substitute(value, places);
    return out;
  }

  ir::Module& module_;
  const Planned& planned_;
  const KernelBody& fold_;
  Decision& decision_;
  ir::Node node_;
  int bytes_ = 0;
};

}  // namespace

ir::IndexId MmaOperand::stride(ir::IndexStore& indices, std::size_t dimension) const {
  IndexId out = indices.constant(1);
  for (std::size_t d = dimension + 1; d < whole.size(); ++d) out = indices.multiply(out, whole[d]);
  return out;
}

namespace {

/// `mma`, or `tile(k, mma) then rest`: a product in runs.
struct MmaOrder {
  ir::TensorCores unit;
  std::optional<std::int64_t> run;
  ir::ScheduleId rest;
};

std::optional<MmaOrder> mma_order(const ir::Module& module, ir::ScheduleId schedule) {
  const ir::ScheduleStore& schedules = module.schedules();
  const ir::ScheduleNode* node = &schedules[schedule];
  MmaOrder out;
  if (node->op == ir::ScheduleOp::then) {
    const ir::ScheduleNode& stage = schedules[node->operands[0]];
    out.rest = node->operands[1];
    if (stage.op != ir::ScheduleOp::tile || schedules.has_arithmetic(out.rest)) return std::nullopt;
    out.run = module.indices().as_constant(stage.parameter);
    if (!out.run || *out.run < 1) return std::nullopt;
    node = &schedules[stage.operands[0]];
  }
  if (node->op != ir::ScheduleOp::mma || node->mma->unit() == nullptr) return std::nullopt;
  out.unit = *node->mma;
  return out;
}

/// Makes runs of the product's leaves.
void split(ir::Module& module, MmaProduct& product, const MmaOrder& order, ir::IndexId length) {
  ir::IndexStore& indices = module.indices();
  product.run = order.run;
  product.rest = order.rest;
  const ir::IndexId size = indices.constant(*order.run);
  const ir::IndexId rounded = indices.add(length, indices.subtract(size, indices.constant(1)));
  const VariableId run = module.fresh_variable();
  product.space.insert(product.space.begin(), {run, indices.floor_div(rounded, size)});
  ++product.row_binder;
  for (MmaOperand* operand : {&product.x, &product.y}) {
    IndexId& begin = operand->subscripts[operand->of_leaf];
    begin = indices.add(begin, indices.multiply(indices.variable(run), size));
  }
}

}  // namespace

bool has_warp_instruction(const ir::TensorCores& unit) {
  // Hopper's and Blackwell's mma.sync of formats of one byte are made of other additions (Xie and others, "MMA-Sim",
  // 2025).
  const bool narrow = ir::byte_width(ir::scalar_of(*unit.operand)) == 1;
  return numerics::first_chip(unit.model) >= least_chip && (!narrow || unit.model == numerics::MmaModel::ada);
}

std::optional<MmaProduct> mma_product(ir::Module& module, const Planned& planned, const KernelBody& fold, int chip,
                                      Decision& decision) {
  const auto order = mma_order(module, fold.schedule);
  if (!order) return std::nullopt;
  const auto refuse = [&](const Reason& reason, std::int64_t have = 0, std::int64_t need = 0) {
    decision.refuse(tensor_cores_name, reason, have, need);
    return std::nullopt;
  };
  // Blackwell's rows are a B200's, and not those of the chips from sm_120 on.
  if (numerics::mma_model_of_chip(chip) != order->unit.model || chip >= 110)
    return refuse(other_chip, chip, numerics::first_chip(order->unit.model));
  if (chip < least_chip) return refuse(old_chip);
  const bool by_warps = order->unit.model != numerics::MmaModel::hopper;
  if (by_warps && !has_warp_instruction(order->unit)) return refuse(other_format);
  if (order->unit.accumulator != numerics::Format::f32) return refuse(other_accumulator);
  const kernel::MmaTiles tiles{.unit = order->unit};
  if (order->run && *order->run % tiles.depth() != 0) return refuse(short_run, *order->run, tiles.depth());
  if (!module.indices().variables(module[fold.node].indices[0]).empty()) return refuse(reason::length_varies);
  const ir::Reduction& reduction = module.reduction_of(fold.node);
  if (reduction.user || reduction.operation != ir::Op::add) return std::nullopt;
  const ir::IndexId leaves = module[fold.node].indices[0];
  const auto length = module.indices().as_constant(leaves);
  if (reduction.has_otherwise && (!length || *length < 1)) return refuse(no_product);
  auto out = Recognition(module, planned, fold, decision).find(order->unit);
  if (out) out->by_warps = by_warps;
  if (out && order->run) split(module, *out, *order, leaves);
  return out;
}

}  // namespace reckon::codegen
