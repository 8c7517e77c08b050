// Matrix products by `mma` on the tensor cores of the chip. On Hopper they are wgmma from shared memory, which the copy
// engine fills (codegen/emit/mma_tiles.cpp), and a block of as many as the chip has multiprocessors goes through tiles;
// on other chips, mma.sync of fragments that warps read from shared memory (codegen/emit/mma_warps.cpp).
#include "codegen/strategies/strategy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <span>

#include "codegen/lower/kernel_parts.h"
#include "codegen/lower/neighbours.h"
#include "codegen/place/buffer_reads.h"
#include "codegen/place/tails.h"
#include "codegen/strategies/tensor_cores/rows_writer.h"
#include "codegen/strategies/tensor_cores/writer.h"
#include "ir/op.h"

namespace reckon::codegen {
namespace {

class MmaKernel : public PlacedKernel {
 public:
  explicit MmaKernel(MmaPlacement placement) : placement_(std::move(placement)) {}

  void write(KernelParts& parts, const KernelBody&, Kernel& kernel) const override {
    MmaWriter(parts, placement_, kernel).write();
  }

  std::string who(const KernelBody&, const Kernel& kernel) const override {
    const kernel::MmaTiles& tiles = placement_.tiles;
    return fmt::format(
        "A block of {} threads on each multiprocessor computes tiles of {} x {} results on tensor cores ({}), from "
        "{} leaves of each at a time, of which {} times as many are in shared memory.{}",
        kernel.threads, tiles.rows, tiles.columns, tiles.by_warps ? "mma.sync" : "wgmma", tiles.depth(), tiles.stages,
        placement_.tails.empty() ? "" : " The elements are made of the results before these are written.");
  }

  std::optional<ir::NodeId> within() const override {
    if (placement_.tails.empty()) return std::nullopt;
    return placement_.product.reduce;
  }
  std::optional<TensorWork> tensor_work(const ir::Module& module) const override {
    const MmaProduct& product = placement_.product;
    TensorWork out{{module[product.reduce].indices[0]}, placement_.tiles.operand_bytes()};
    for (std::size_t d = product.run ? 1 : 0; d < product.space.size(); ++d) out.products.push_back(product.space[d].extent);
    return out;
  }

  bool reads(std::uint32_t buffer) const override {
    const auto is_it = [&](const MmaOperand& operand) { return operand.buffer == buffer || operand.copy == buffer; };
    return is_it(placement_.product.x) || is_it(placement_.product.y);
  }

  const MmaPlacement& placement() const { return placement_; }

 private:
  MmaPlacement placement_;
};

/// A shape of tile, and how fast its products are beside those of the first one.
struct Shape {
  std::int64_t rows, columns, stages;
  double speed;
};
/// By wgmma: measured on an H200.
constexpr Shape of_groups[] = {{128, 256, 4, 1}, {128, 128, 6, 0.85}, {64, 128, 8, 0.6}, {64, 64, 8, 0.4}};
/// By mma.sync: measured on an H200, bf16, 4096 x 4096 x 4096: 448, 504 and 516 us. (wgmma takes 179 to 215 us.)
constexpr Shape of_warps[] = {{64, 128, 4, 1}, {128, 128, 4, 0.89}, {64, 64, 4, 0.87}};

/// The most stages that a block has shared memory for, up to the usual ones.
std::int64_t stages_of(const Shape& shape, const kernel::Gpu& gpu) {
  const std::int64_t bytes = (shape.rows + shape.columns) * kernel::MmaTiles::row_bytes + 16;
  return std::min(shape.stages, gpu.max_shared_bytes() / bytes);
}

/// Functions of f32 that are one polynomial in f64, some two dozen instructions (numerics/functions): with erf in the
/// tail of a bf16 product of 4096 x 4096 x 4096 an H200 takes 218 us, and 180 us without a tail. With the some 170
/// instructions that erf had before it took 424 us.
bool is_quick(ir::Op op) {
  using enum ir::Op;
  constexpr ir::Op quick[] = {exp, exp2, expm1, erf, tanh, sinh, cosh, log, log2, log1p, sin, cos, sqrt, rsqrt};
  return std::ranges::find(quick, op) != std::end(quick);
}
constexpr Reason functions_wait{
    "a long function takes long where a multiprocessor has eight warps; a kernel of its own has sixty-four"};

/// The shape with which the chip is done first, as far as the sizes are known.
std::size_t best_shape(const ir::Module& module, const MmaProduct& product, std::span<const Shape> shapes,
                       const kernel::Gpu& gpu) {
  const ir::IndexStore& indices = module.indices();
  const std::vector<Binder>& space = product.space;
  const auto extent = [&](std::size_t d) { return indices.as_constant(space[d].extent); };
  const auto rows = extent(product.row_binder), columns = extent(space.size() - 1);
  bool all_known = rows && columns;
  std::int64_t others = 1;
  for (std::size_t d = 0; d + 1 < space.size(); ++d) {
    if (d == product.row_binder) continue;
    const auto known = extent(d);
    all_known = all_known && known && !__builtin_mul_overflow(others, *known, &others);
  }
  if (!all_known) return 0;
  const auto time = [&](const Shape& shape) {
    const auto parts = [](std::int64_t whole, std::int64_t part) {
      return static_cast<double>((whole + part - 1) / part);
    };
    const double tiles = static_cast<double>(others) * parts(*rows, shape.rows) * parts(*columns, shape.columns);
    const double rounds = std::ceil(tiles / gpu.multiprocessors);
    return rounds * static_cast<double>(shape.rows * shape.columns) / shape.speed;
  };
  return static_cast<std::size_t>(std::ranges::min_element(shapes, {}, time) - shapes.begin());
}

/// The dimensions of a factor, counted from the innermost one.
kernel::MmaFactor factor_shape(const MmaOperand& operand) {
  const std::size_t last = operand.extents.size() - 1;
  const auto from_innermost = [&](std::size_t d) { return static_cast<std::uint32_t>(last - d); };
  return {.rank = static_cast<std::uint32_t>(last + 1),
          .of_leaf = from_innermost(operand.of_leaf),
          .of_side = from_innermost(operand.of_side),
          .has_copy = operand.copy.has_value()};
}

/// Adds the tensor map of a factor, of which so many rows or columns are read at a time, whose elements have so many
/// bytes.
kernel::MmaFactor add_map(ir::Module& module, Plan& plan, const MmaOperand& operand, std::int64_t side,
                          std::int64_t bytes) {
  ir::IndexStore& indices = module.indices();
  const std::size_t last = operand.extents.size() - 1;
  TensorMap map;
  map.buffer = operand.buffer;
  map.copy = operand.copy;
  map.copied = operand.copied;
  const std::int64_t together = kernel::MmaTiles::row_bytes / bytes;
  for (std::size_t d = last + 1; d-- > 0;) {
    map.extents.push_back(operand.extents[d]);
    if (d < last) map.strides.push_back(indices.multiply(operand.stride(indices, d), indices.constant(bytes)));
    const bool along_side = operand.of_side == last;
    const std::int64_t of_side = along_side ? together : side;
    const std::int64_t box = d == operand.of_leaf ? together : d == operand.of_side ? of_side : 1;
    map.box.push_back(static_cast<std::uint32_t>(box));
  }
  kernel::MmaFactor out = factor_shape(operand);
  out.map = static_cast<std::uint32_t>(plan.tensor_maps.size());
  plan.tensor_maps.push_back(std::move(map));
  return out;
}

/// Elements that are made of a product's results, each of the one at its own place, are computed where these are: the
/// results are never in memory.
class Tails {
 public:
  Tails(ir::Module& module, Planned& planned) : module_(module), planned_(planned), reads_(module, planned) {}

  void run() {
    for (std::size_t k = 0; k < planned_.bodies.size(); ++k) {
      const auto product = std::dynamic_pointer_cast<const MmaKernel>(planned_.bodies[k].placed);
      // The kernel of the tail comes later, and may have a tail itself; kernel k is another one then.
      if (const auto tail = product ? tail_of(k) : std::nullopt) join(k--, *tail, product->placement());
    }
    for (std::size_t k = 0; k < planned_.bodies.size(); ++k) {
      const auto product = std::dynamic_pointer_cast<const MmaKernel>(planned_.bodies[k].placed);
      if (product) shape(planned_.bodies[k], planned_.plan.kernels[k], product->placement());
    }
  }

 private:
  /// The elements that are made of the results of kernel k alone, if they are to be computed with them.
  std::optional<std::size_t> tail_of(std::size_t k) const {
    const auto tail = elements_of_results(module_, planned_, k);
    const auto is_long = [](ir::Op op) { return ir::is_elementary(op) && !is_quick(op); };
    if (!tail || !reads_.computes(planned_.bodies[*tail], is_long)) return tail;
    planned_.bodies[k].decision.refuse("in one kernel with what is made of the results", functions_wait);
    return std::nullopt;
  }

  void join(std::size_t k, std::size_t tail, MmaPlacement placement) {
    std::vector<Kernel>& kernels = planned_.plan.kernels;
    KernelBody& body = planned_.bodies[tail];
    placement.has_long_tails = placement.has_long_tails || reads_.computes(body, ir::may_have_no_value);
    placement.tails.push_back({body.node, body.space, kernels[tail].output});
    body.placed = std::make_shared<MmaKernel>(std::move(placement));
    std::ranges::copy(planned_.bodies[k].decision.refusals, std::back_inserter(body.decision.refusals));
    remove_kernel(module_, planned_, k);
  }

  /// Chooses the tiles.
  void shape(KernelBody& body, Kernel& kernel, MmaPlacement placement) {
    const MmaProduct& product = placement.product;
    kernel::MmaTiles& tiles = placement.tiles;
    tiles.by_warps = product.by_warps;
    if (!tiles.by_warps && has_warp_instruction(product.unit))
      tiles.by_warps = planned_.choices.take(kernel.name + ".instruction", {"wgmma", "mma.sync"}, 0) == 1;
    const std::span<const Shape> shapes = tiles.by_warps ? std::span<const Shape>(of_warps) : of_groups;
    std::vector<std::string> ways;
    for (const Shape& each : shapes) ways.push_back(fmt::format("{}x{}", each.rows, each.columns));
    const std::size_t usual = best_shape(module_, product, shapes, *planned_.gpu);
    const Shape& best = shapes[planned_.choices.take(kernel.name + ".tile", std::move(ways), usual)];
    tiles.rows = best.rows;
    tiles.columns = best.columns;
    tiles.stages = stages_of(best, *planned_.gpu);
    if (tiles.by_warps) {
      tiles.x = factor_shape(product.x);
      tiles.y = factor_shape(product.y);
    } else {
      tiles.x = add_map(module_, planned_.plan, product.x, best.rows, tiles.operand_bytes());
      tiles.y = add_map(module_, planned_.plan, product.y, best.columns, tiles.operand_bytes());
    }
    kernel.items = items_of_tiles(module_.indices(), placement.product.space, placement.grid());
    body.placed = std::make_shared<MmaKernel>(std::move(placement));
  }

  ir::Module& module_;
  Planned& planned_;
  BufferReads reads_;
};

class RowsKernel : public PlacedKernel {
 public:
  RowsKernel(RowsPlacement placement, std::set<std::uint32_t> buffers)
      : placement_(std::move(placement)), buffers_(std::move(buffers)) {}

  void write(KernelParts& parts, const KernelBody&, Kernel& kernel) const override {
    RowsWriter(parts, placement_, kernel).write();
  }

  std::string who(const KernelBody&, const Kernel& kernel) const override {
    const kernel::MmaRows& shape = placement_.shape;
    return fmt::format(
        "A block of {} threads on each multiprocessor computes {} rows of two products on tensor cores (wgmma), and "
        "what "
        "stands between them. It goes through the rows of the first product {}, by tiles of {} columns, which stay in "
        "registers; {} tiles of the factors are in shared memory.",
        kernel.threads, shape.rows, shape.passes == 1 ? "once" : fmt::format("{} times", shape.passes), shape.columns,
        shape.slots);
  }

  std::optional<ir::NodeId> within() const override { return placement_.rows.second.reduce; }
  std::optional<TensorWork> tensor_work(const ir::Module& module) const override {
    const ProductRows& rows = placement_.rows;
    TensorWork out{{module[rows.second.reduce].indices[0], placement_.leaves}, kernel::MmaRows::operand_bytes};
    for (std::size_t d = 0; d + 1 < rows.second.space.size(); ++d) out.products.push_back(rows.second.space[d].extent);
    return out;
  }
  bool reads(std::uint32_t buffer) const override { return buffers_.contains(buffer); }

 private:
  RowsPlacement placement_;
  std::set<std::uint32_t> buffers_;  ///< that any part reads
};

/// Makes one kernel of two products and what stands between them.
class RowsOfProducts {
 public:
  explicit RowsOfProducts(const Placing& placing)
      : placing_(placing), module_(placing.module), planned_(placing.planned) {}

  void run() {
    for (std::size_t k = 0; k < planned_.bodies.size(); ++k) {
      Decision decision;
      const auto found = product_rows(module_, planned_, placing_.code, k, placing_.chip, decision);
      if (found) k = join(*found);
      else std::ranges::copy(decision.refusals, std::back_inserter(planned_.bodies[k].decision.refusals));
    }
  }

 private:
  /// Gives the kernel's number.
  std::size_t join(const FoundRows& found) {
    std::vector<Kernel>& kernels = planned_.plan.kernels;
    std::set<std::uint32_t> buffers = buffers_read(found);
    const std::size_t last = found.results;
    RowsPlacement placement{found.rows, shape_of_choices(found.rows, kernels[last].name), {}};
    placement.leaves = module_.indices().add(module_.indices().constant(placement.shape.leaves * found.rows.passes),
                                             found.rows.second.space.back().extent);
    std::optional<KernelBody> finite;
    if (found.rows.skips) {
      finite = finite_leaves(found.rows.second.y);
      placement.rows.finite =
          add_buffers(planned_, {module_.type(finite->node).scalar}, extents_of(finite->space), std::nullopt);
      buffers.insert(placement.rows.finite);
    }
    const std::uint32_t buffer_of_finite = placement.rows.finite;
    kernel::MmaRows& shape = placement.shape;
    const auto map = [&](const MmaOperand& operand, std::int64_t side) {
      return add_map(module_, planned_.plan, operand, side, kernel::MmaRows::operand_bytes);
    };
    shape.x = map(found.rows.first.x, shape.rows);
    shape.y = map(found.rows.first.y, shape.columns);
    shape.z = map(found.rows.second.y, shape.width);
    kernels[last].items = items_of_tiles(module_.indices(), found.rows.second.space, placement.grid());
    planned_.bodies[last].placed = std::make_shared<RowsKernel>(std::move(placement), buffers);
    std::size_t removed = 0, number = last;
    for (const std::size_t part : found.parts) {
      if (part == last) continue;
      const std::size_t k = part - removed++;
      if (part < last) --number;
      const auto step = std::ranges::find(found.rows.steps, kernels[k].output, &RowStep::output);
      const std::vector<ir::IndexId> extents = planned_.plan.buffers[kernels[k].output].extents;
      const std::uint32_t buffer = kernels[k].output;
      remove_kernel(module_, planned_, k);
      if (step != found.rows.steps.end() && step->is_written) planned_.plan.buffers[buffer].extents = extents;
    }
    if (!finite) return number;
    add_kernel_before(planned_, number, "_finite", buffer_of_finite, 1, std::move(*finite));
    return number + 1;
  }

  /// For each point of the factor's dimensions but leaf and side: one more than the last leaf with a number that is not
  /// finite, or 0.
  KernelBody finite_leaves(const MmaOperand& factor) const {
    ir::IndexStore& indices = module_.indices();
    KernelBody out;
    out.kind = KernelBody::Kind::fold;
    out.vector = vector_of(ir::byte_width(ir::Scalar::i32));
    ir::Module::Fold fold;
    fold.variable = module_.fresh_variable();
    fold.operation = ir::Op::max;
    fold.schedule = module_.schedules().default_order();
    // The numbers of both dimensions in the order of memory.
    const std::size_t outer = std::min(factor.of_leaf, factor.of_side),
                      inner = std::max(factor.of_leaf, factor.of_side);
    const ir::IndexId width = factor.whole[inner], number = indices.variable(fold.variable);
    fold.extent = indices.multiply(factor.whole[outer], width);
    std::vector<ir::IndexId> subscripts;
    for (std::size_t d = 0; d < factor.whole.size(); ++d) {
      if (d == outer) subscripts.push_back(indices.floor_div(number, width));
      else if (d == inner) subscripts.push_back(indices.floor_mod(number, width));
      else {
        out.space.push_back({module_.fresh_variable(), factor.whole[d]});
        subscripts.push_back(indices.variable(out.space.back().variable));
      }
    }
    const ir::NodeId value = module_.convert(module_.element(factor.tensor, subscripts), ir::Scalar::f32);
    const ir::NodeId infinity = module_.literal({.kind = ir::Literal::Kind::infinity}, ir::Scalar::f32);
    const ir::NodeId is_finite = module_.apply(ir::Op::less, {module_.apply(ir::Op::abs, {value}), infinity});
    const ir::IndexId leaf = indices.add(subscripts[factor.of_leaf], indices.constant(1));
    fold.body = module_.apply(ir::Op::select, {is_finite, module_.index_value(indices.constant(0), ir::Scalar::i32),
                                               module_.index_value(leaf, ir::Scalar::i32)});
    out.node = module_.reduce(fold);
    return out;
  }

  std::set<std::uint32_t> buffers_read(const FoundRows& found) const {
    std::set<std::uint32_t> out;
    const BufferReads reads(module_, planned_);
    for (const std::size_t part : found.parts) {
      reads.each(planned_.bodies[part], [&](const Place& place, const auto&) {
        out.insert(place.buffer);
        return true;
      });
    }
    for (const MmaOperand* operand : {&found.rows.first.x, &found.rows.first.y, &found.rows.second.y}) {
      out.insert(operand->buffer);
    }
    for (const std::size_t part : found.parts) out.erase(planned_.plan.kernels[part].output);
    return out;
  }

  kernel::MmaRows shape_of_choices(const ProductRows& rows, const std::string& kernel) const {
    const kernel::MmaRows usual = shape_of(rows, 128);
    if (usual.columns == 64) return usual;
    return planned_.choices.take(kernel + ".columns", {"128", "64"}, 0) == 0 ? usual : shape_of(rows, 64);
  }

  /// For tiles of so many columns, or of fewer ones if there is no room for them.
  kernel::MmaRows shape_of(const ProductRows& rows, std::int64_t columns) const {
    kernel::MmaRows out;
    out.unit = rows.second.unit;
    out.first = rows.first.reduce;
    out.rows = 2 * kernel::MmaTiles::group_rows;
    out.columns = columns;
    out.leaves = *module_.indices().as_constant(module_[rows.first.reduce].indices[0]);
    const auto width = module_.indices().as_constant(rows.second.space.back().extent);
    out.width = width && *width <= 64 ? 64 : 128;
    out.passes = rows.passes;
    const auto slots = [&] {
      const std::int64_t room = planned_.gpu->max_shared_bytes() - out.x_bytes() - 16;
      return std::min<std::int64_t>(room / (out.slot_bytes() + 16), 8);
    };
    if (slots() < kernel::MmaRows::least_slots) out.columns = 64;
    out.slots = slots();
    return out;
  }

  const Placing& placing_;
  ir::Module& module_;
  Planned& planned_;
};

class TensorCores : public Strategy {
 public:
  std::string_view name() const override { return tensor_cores_name; }

  bool is_optional() const override { return false; }

  void before_folds(const Placing& placing) const override { RowsOfProducts(placing).run(); }

  /// Takes sums by `mma` whose factors are elements of tensors, for the results of two dimensions or more.
  bool take(Candidate& fold) const override {
    if (fold.is_of_a_thread() || fold.words() || fold.numbers().sums_exactly()) return false;
    auto product = mma_product(fold.module(), fold.planned(), fold.body(), fold.chip(), fold.body().decision);
    if (!product) return false;
    if (fold.is_pinned()) return fold.refuse(name(), reason::pinned);
    ir::Module& module = fold.module();
    provide(fold, product->x, "_x");
    provide(fold, product->y, "_y");
    MmaPlacement placement{*product, {}};
    placement.product.output = fold.kernel().output;
    placement.tiles.unit = product->unit;
    if (product->run) {
      add_join_kernel(module, fold.planned(), fold.number(), product->space.front().extent, product->rest);
    }
    fold.body().placed = std::make_shared<MmaKernel>(std::move(placement));
    return true;
  }

  bool wants_kernel(const InnerCandidate& inner, Decision& decision) const override {
    return !inner.in_words && mma_product(inner.module, inner.planned, inner.fold, inner.chip, decision).has_value();
  }

  std::optional<Diagnostic> missing(const ir::Module& module, const Planned& planned) const override {
    for (const KernelBody& body : planned.bodies) {
      const auto product = std::dynamic_pointer_cast<const MmaKernel>(body.placed);
      if (!product) continue;
      Diagnostic out = ir::unmet(planned.clauses.span(), "no clause is for products on tensor cores",
                                 "their tiles and threads are the compiler's choice");
      out.secondary.push_back({module.span(product->placement().product.reduce), "is one"});
      return out;
    }
    return std::nullopt;
  }

  void after_folds(const Placing& placing) const override { Tails(placing.module, placing.planned).run(); }

 private:
  /// Adds the kernel that makes what the operand needs.
  static void provide(Candidate& fold, MmaOperand& operand, std::string_view suffix) {
    if (operand.needs == MmaOperand::Needs::nothing) return;
    ir::Module& module = fold.module();
    ir::IndexStore& indices = module.indices();
    KernelBody body;
    body.kind = KernelBody::Kind::elements;
    if (operand.needs == MmaOperand::Needs::packing) {
      body.node = operand.value;
      body.space = operand.space;
    } else {
      std::vector<ir::IndexId> subscripts;
      for (const ir::IndexId extent : operand.whole) {
        body.space.push_back({module.fresh_variable(), extent});
        subscripts.push_back(indices.variable(body.space.back().variable));
      }
      // There are no elements where the sizes need no copy.
      Binder& last = body.space.back();
      last.extent = indices.multiply(operand.copied, last.extent);
      const ir::IndexId end = fold.planned().plan.buffers[operand.buffer].extents.back();
      subscripts.back() = indices.minimum(subscripts.back(), indices.subtract(end, indices.constant(1)));
      body.node = module.element(operand.tensor, subscripts);
    }
    const std::uint32_t buffer =
        add_buffers(fold.planned(), {module.type(body.node).scalar}, extents_of(body.space), std::nullopt);
    if (operand.needs == MmaOperand::Needs::packing) operand.buffer = buffer;
    else operand.copy = buffer;
    const std::int64_t bytes = ir::byte_width(module.type(body.node).scalar);
    fold.add_before(suffix, buffer, std::move(body));
    if (operand.needs != MmaOperand::Needs::packing || bytes > 4) return;
    // Rows are multiples of 16 bytes, so that a thread has as many neighbours as one store has.
    const std::size_t made = fold.number() - 1;
    compute_neighbours(indices, fold.planned().bodies[made], fold.planned().plan.kernels[made], {16 / bytes, false});
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_tensor_cores() { return std::make_unique<TensorCores>(); }

}  // namespace reckon::codegen
