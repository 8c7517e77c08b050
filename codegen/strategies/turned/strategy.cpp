// Blocks that turn tiles: elements that a thread for each, or for some neighbours, would read at places far apart.
#include "codegen/strategies/strategy.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/place/element_reads.h"
#include "codegen/strategies/turned/turned_elements.h"

namespace reckon::codegen {
namespace {

using ir::NodeId;

/// Bytes that a lane reads and writes at once. With 8, f32 of 8192 x 8192 take an H200 131 us instead of 136, but 1001
/// x 9999 take 35 us instead of 24, and formats of two bytes several times as long.
constexpr std::int64_t bytes_of_lane = 4;
/// Elements of a side that are worth a tile, and elements in all that are worth blocks of them.
constexpr std::int64_t least_side = 24, least_elements = 1 << 16;
/// Elements that go through shared memory, and operations that are written out for the elements of a thread.
constexpr std::size_t most_elements = 4;
constexpr std::int64_t most_operations = 512;

class TurnedKernel : public PlacedKernel {
 public:
  explicit TurnedKernel(TurnedShape shape) : shape_(std::move(shape)) {}

  void write(KernelParts& parts, const KernelBody& body, Kernel& kernel) const override {
    parts.write_blocks(
        body, kernel, [&](BlockReducer& reducer) { TurnedElements(parts, body, shape_, kernel, reducer).write(); },
        resident);
  }

  std::string who(const KernelBody&, const Kernel& kernel) const override {
    return fmt::format(
        "The {} threads of a block compute tiles of {} x {} elements, whose operands they bring into shared memory in "
        "the order in which these lie.",
        kernel.threads, shape_.side(), shape_.side());
  }

 private:
  static constexpr std::uint32_t resident = 2048;  ///< threads of a multiprocessor for which registers are provided
  TurnedShape shape_;
};

/// How a kernel's elements are read across memory; nothing if they are not, or tiles are not worth it.
std::optional<TurnedShape> turned_shape(const Placing& placing, const KernelBody& body, const Kernel& kernel) {
  ir::Module& module = placing.module;
  const auto reads = element_reads(placing, body, kernel);
  if (!reads || body.space.size() < 2) return std::nullopt;
  TurnedShape out;
  for (const NodeId id : reads->along) {
    if (!reads_in_order(module, id, body.space.back().variable)) out.elements.push_back(id);
  }
  if (out.elements.empty() || out.elements.size() > most_elements) return std::nullopt;
  std::int64_t bytes = 0;  // of an element of the tile in shared memory
  for (const NodeId element : out.elements)
    bytes += placing.code.widths().of(module.type(element).scalar, kernel::Form::registers);
  out.vector = std::max<std::int64_t>(1, bytes_of_lane / reads->least_bytes);
  while (out.vector > 1 && out.room() * bytes > max_shared_bytes) out.vector /= 2;
  const std::int64_t of_thread = out.rows_of_warp() * out.vector;
  if (of_thread * reads->operations > most_operations || out.room() * bytes > max_shared_bytes) return std::nullopt;
  // The dimension along which all that is read across is read along memory.
  const auto are_neighbours = [&](const Binder& binder) {
    return std::ranges::all_of(out.elements, [&](NodeId id) {
      return module.depends_on(id, binder.variable) && reads_in_order(module, id, binder.variable);
    });
  };
  const auto across = std::ranges::find_if(body.space.begin(), body.space.end() - 1, are_neighbours);
  if (across == body.space.end() - 1) return std::nullopt;
  out.across = static_cast<std::size_t>(across - body.space.begin());
  const auto is_large = [&](const Binder& binder) {
    return module.indices().as_constant(binder.extent).value_or(least_side) >= least_side;
  };
  const auto elements = known_product(module, extents_of(body.space));
  if (!is_large(*across) || !is_large(body.space.back()) || (elements && *elements < least_elements))
    return std::nullopt;
  return out;
}

class Turned : public Strategy {
 public:
  std::string_view name() const override { return "turned tiles"; }

  void after_folds(const Placing& placing) const override {
    if (!placing.planned.clauses.empty()) return;
    for (std::size_t k = 0; k < placing.planned.bodies.size(); ++k) {
      KernelBody& body = placing.planned.bodies[k];
      Kernel& kernel = placing.planned.plan.kernels[k];
      auto shape = turned_shape(placing, body, kernel);
      if (!shape || placing.planned.choices.take(kernel.name + ".turned", {"yes", "no"}, 0) == 1) continue;
      ir::IndexStore& indices = placing.module.indices();
      for (const std::size_t d : {shape->across, body.space.size() - 1}) {
        const ir::IndexId rounded_up = indices.add(body.space[d].extent, indices.constant(shape->side() - 1));
        kernel.items[d] = indices.floor_div(rounded_up, indices.constant(shape->side()));
      }
      kernel.threads = TurnedShape::threads;
      body.placed = std::make_shared<TurnedKernel>(std::move(*shape));
    }
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_turned() { return std::make_unique<Turned>(); }

}  // namespace reckon::codegen
