#include "codegen/strategies/tensor_cores/product.h"

#include <algorithm>

#include "ir/op.h"

namespace reckon::codegen {
namespace {

using ir::IndexId;
using ir::NodeId;
using ir::Op;
using ir::VariableId;

constexpr Reason other_chip{"the order is that of chips of compute capability 9.0, and the code is for another one"};
constexpr Reason other_accumulator{"only accumulators of f32 are carried out by wgmma here"};
constexpr Reason one_dimension{.text = "each result is a product of its own: rows and columns would share factors",
                               .is_short = true};
constexpr Reason no_product{
    "a factor would have to be an element of a tensor in the format that the tensor cores read, `f32(a[i, l])`, one "
    "factor with the row and the other one with the column"};
constexpr Reason not_affine{
    "the leaf and the row or column would have to be, plainly, subscripts of a factor's tensor, one of them the last"};
constexpr Reason not_leaf_first{"factors of this format would have to have the leaf as their last subscript"};
constexpr Reason pitch{"rows of a factor's tensor would have to be a multiple of 16 bytes, for every size"};
constexpr Reason stored{"a factor's tensor has a layout"};

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
    const ir::Node widened = module_[factor];
    if (widened.op != Op::convert) return refuse(no_product);
    const ir::Node element = module_[widened.operands[0]];
    if (element.op != Op::element || module_.type(widened.operands[0]).scalar != ir::scalar_of(*unit.operand)) {
      return refuse(no_product);
    }
    MmaOperand out;
    const NodeId tensor = element.operands[0];
    if (module_[tensor].op == Op::parameter) {
      out.buffer = module_[tensor].attribute;
    } else {
      const auto place = planned_.places.find({tensor, {}});
      if (place == planned_.places.end() || !place->second.variables.empty()) return refuse(no_product);
      out.buffer = place->second.buffer;
    }
    const Buffer& buffer = planned_.plan.buffers[out.buffer];
    if (buffer.storage) return refuse(stored);
    out.extents = buffer.extents;
    return located(out, element.indices, side) ? std::optional(out) : std::nullopt;
  }

  /// Finds the two dimensions, and where the leaves end.
  bool located(MmaOperand& out, const std::vector<IndexId>& subscripts, VariableId side) {
    ir::IndexStore& indices = module_.indices();
    const VariableId leaf = node_.variables[0];
    const std::size_t rank = subscripts.size();
    if (rank < 2 || rank > max_rank) return refuse(not_affine), false;
    int leaves = 0, sides = 0;
    for (std::size_t d = 0; d < rank; ++d) {
      const bool has_leaf = indices.mentions(subscripts[d], leaf), has_side = indices.mentions(subscripts[d], side);
      if (has_leaf && has_side) return refuse(not_affine), false;
      if (!has_leaf && !has_side) {
        out.subscripts.push_back(subscripts[d]);
        continue;
      }
      const auto affine = indices.affine_in(subscripts[d], has_leaf ? leaf : side);
      if (!affine || indices.as_constant(affine->stride) != 1) return refuse(not_affine), false;
      (has_leaf ? out.of_leaf : out.of_side) = d;
      (has_leaf ? leaves : sides) += 1;
      if (has_leaf) {
        // Beyond the leaves the copy engine has to find zeros, so that the dimension ends with them.
        if (!indices.variables(affine->base).empty()) return refuse(not_affine), false;
        out.extents[d] = indices.add(affine->base, node_.indices[0]);
      }
      out.subscripts.push_back(affine->base);
    }
    if (leaves != 1 || sides != 1 || std::max(out.of_leaf, out.of_side) + 1 != rank) return refuse(not_affine), false;
    if (out.of_side + 1 == rank && bytes_ != 2) return refuse(not_leaf_first), false;
    return has_whole_rows(out);
  }

  /// Whether all strides are multiples of 16 bytes.
  bool has_whole_rows(const MmaOperand& operand) {
    ir::IndexStore& indices = module_.indices();
    const IndexId bytes =
        indices.multiply(planned_.plan.buffers[operand.buffer].extents.back(), indices.constant(bytes_));
    if (indices.as_constant(indices.floor_mod(bytes, indices.constant(16))) == 0) return true;
    return refuse(pitch), false;
  }

  ir::Module& module_;
  const Planned& planned_;
  const KernelBody& fold_;
  Decision& decision_;
  ir::Node node_;
  int bytes_ = 0;
};

}  // namespace

std::optional<MmaProduct> mma_product(ir::Module& module, const Planned& planned, const KernelBody& fold, int chip,
                                      Decision& decision) {
  const ir::ScheduleNode& order = module.schedules()[fold.schedule];
  if (order.op != ir::ScheduleOp::mma || order.mma->unit() == nullptr) return std::nullopt;
  const auto refuse = [&](const Reason& reason) {
    decision.refuse(tensor_cores_name, reason);
    return std::nullopt;
  };
  if (order.mma->model != numerics::MmaModel::hopper || chip != 90) return refuse(other_chip);
  if (order.mma->accumulator != numerics::Format::f32) return refuse(other_accumulator);
  if (!module.indices().variables(module[fold.node].indices[0]).empty()) return refuse(reason::length_varies);
  const ir::Reduction& reduction = module.reduction_of(fold.node);
  if (reduction.user || reduction.operation != ir::Op::add) return std::nullopt;
  const auto length = module.indices().as_constant(module[fold.node].indices[0]);
  if (reduction.has_otherwise && (!length || *length < 1)) return refuse(no_product);
  return Recognition(module, planned, fold, decision).find(*order.mma);
}

}  // namespace reckon::codegen
