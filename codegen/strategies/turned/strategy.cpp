// Blocks that turn tiles: elements that a thread for each, or for some neighbours, would read at places far apart.
#include "codegen/strategies/strategy.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/strategies/turned/turned_elements.h"
#include "ir/op.h"
#include "ir/visit.h"

namespace reckon::codegen {
namespace {

using ir::NodeId;
using ir::Op;

/// Bytes that a lane reads and writes at once. With 8, f32 of 8192 x 8192 take an H200 131 us instead of 136, but 1001 x
/// 9999 take 35 us instead of 24, and formats of two bytes several times as long.
constexpr std::int64_t bytes_of_lane = 4;
/// Elements of a side that are worth a tile, and elements in all that are worth blocks of them.
constexpr std::int64_t least_side = 24, least_elements = 1 << 16;
/// Elements that go through shared memory, and operations, functions counting for more, that are written out for the
/// elements of a thread.
constexpr std::size_t most_elements = 4;
constexpr std::int64_t most_operations = 512, operations_of_function = 24;

class TurnedKernel : public PlacedKernel {
 public:
  explicit TurnedKernel(TurnedShape shape) : shape_(std::move(shape)) {}

  void write(KernelParts& parts, const KernelBody& body, Kernel& kernel) const override {
    parts.write_blocks(
        body, kernel,
        [&](BlockReducer& reducer) { TurnedElements(parts, body, shape_, kernel, reducer).write(); },
        static_cast<std::uint32_t>(resident));
  }

  std::string who(const KernelBody&, const Kernel& kernel) const override {
    return fmt::format(
        "The {} threads of a block compute tiles of {} x {} elements, whose operands they bring into shared memory in "
        "the order in which these lie.",
        kernel.threads, shape_.side(), shape_.side());
  }

 private:
  static constexpr std::int64_t resident = 2048;
  TurnedShape shape_;
};

/// Whether a kernel's elements are read across memory, and how.
class TurnedChoice {
 public:
  TurnedChoice(const Placing& placing, const KernelBody& body, const Kernel& kernel)
      : placing_(placing),
        module_(placing.module),
        buffers_(placing.planned.plan.buffers),
        body_(body),
        kernel_(kernel) {}

  std::optional<TurnedShape> find() {
    const bool are_elements = body_.kind == KernelBody::Kind::elements && !body_.placed && !body_.joined;
    if (!are_elements || body_.space.size() < 2 || buffers_[kernel_.output].storage ||
        module_.type(body_.node).kind == ir::TypeKind::tuple || module_[body_.node].op == Op::reduce ||
        !add_bytes(buffers_[kernel_.output].scalar, kernel::Form::kept) || !reads() || turned_.empty() ||
        turned_.size() > most_elements) {
      return std::nullopt;
    }
    TurnedShape out;
    out.elements = turned_;
    out.vector = std::max<std::int64_t>(1, bytes_of_lane / least_bytes_);
    std::int64_t bytes = 0;  // of an element of the tile in shared memory
    for (const NodeId element : turned_)
      bytes += placing_.code.widths().of(module_.type(element).scalar, kernel::Form::registers);
    while (out.vector > 1 && out.room() * bytes > max_shared_bytes) out.vector /= 2;
    const std::int64_t of_thread = out.rows_of_warp() * out.vector;
    if (of_thread * operations_ > most_operations || out.room() * bytes > max_shared_bytes) return std::nullopt;
    const auto across = dimension_of_neighbours();
    if (!across || !is_large(*across) || !is_large(body_.space.size() - 1)) return std::nullopt;
    const auto elements = known_product(module_, extents_of(body_.space));
    if (elements && *elements < least_elements) return std::nullopt;
    out.across = *across;
    return out;
  }

 private:
  bool add_bytes(ir::Scalar scalar, kernel::Form form) {
    if (scalar == ir::Scalar::number || scalar == ir::Scalar::boolean || !placing_.code.is_word(scalar)) return false;
    least_bytes_ = std::min<std::int64_t>(least_bytes_, placing_.code.widths().of(scalar, form));
    return true;
  }

  bool is_large(std::size_t dimension) const {
    const auto known = module_.indices().as_constant(body_.space[dimension].extent);
    return !known || *known >= least_side;
  }

  /// Finds the elements that are read across memory. False if the body is more than elements and what is made of them.
  bool reads() {
    bool good = true;
    ir::walk(module_, {body_.node}, [&](NodeId id) {
      const ir::Node& node = module_[id];
      operations_ += ir::is_elementary(node.op) ? operations_of_function : 1;
      switch (node.op) {
        case Op::reduce:
        case Op::scan:
        case Op::get: good = false; return ir::Walk::beside;
        case Op::element: good = good && is_good_element(id); return ir::Walk::beside;
        case Op::at: good = good && !module_.depends_on(id, last()); return ir::Walk::below;
        default: return ir::Walk::below;
      }
    });
    return good;
  }

  bool is_good_element(NodeId id) {
    if (!module_.depends_on(id, last())) return true;
    const ir::Node& node = module_[id];
    const NodeId tensor = node.operands[0];
    const bool is_given = module_[tensor].op == Op::parameter;
    if (!is_given && !module_.free_variables(tensor).empty()) return false;
    if (is_given && buffers_[module_[tensor].attribute].storage) return false;
    if (!add_bytes(module_.type(id).scalar, is_given ? kernel::Form::given : kernel::Form::kept)) return false;
    if (!reads_in_order(module_, id, last()) && std::ranges::find(turned_, id) == turned_.end()) turned_.push_back(id);
    return true;
  }

  /// The dimension along which all that is read across is read along memory.
  std::optional<std::size_t> dimension_of_neighbours() const {
    for (std::size_t d = 0; d + 1 < body_.space.size(); ++d) {
      const ir::VariableId variable = body_.space[d].variable;
      const bool are_neighbours = std::ranges::all_of(turned_, [&](NodeId id) {
        return module_.depends_on(id, variable) && reads_in_order(module_, id, variable);
      });
      if (are_neighbours) return d;
    }
    return std::nullopt;
  }

  ir::VariableId last() const { return body_.space.back().variable; }

  const Placing& placing_;
  ir::Module& module_;
  const std::vector<Buffer>& buffers_;
  const KernelBody& body_;
  const Kernel& kernel_;
  std::vector<NodeId> turned_;
  std::int64_t least_bytes_ = bytes_of_lane, operations_ = 0;
};

class Turned : public Strategy {
 public:
  std::string_view name() const override { return "turned tiles"; }

  void after_folds(const Placing& placing) const override {
    if (!placing.planned.clauses.empty()) return;
    for (std::size_t k = 0; k < placing.planned.bodies.size(); ++k) {
      KernelBody& body = placing.planned.bodies[k];
      Kernel& kernel = placing.planned.plan.kernels[k];
      auto shape = TurnedChoice(placing, body, kernel).find();
      if (!shape || placing.planned.choices.take(kernel.name + ".turned", {"yes", "no"}, 0) == 1) continue;
      ir::IndexStore& indices = placing.module.indices();
      for (const std::size_t d : {shape->across, body.space.size() - 1}) {
        const ir::IndexId rounded_up =
            indices.add(body.space[d].extent, indices.constant(shape->side() - 1));
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
