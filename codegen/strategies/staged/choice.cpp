#include "codegen/strategies/staged/choice.h"

#include <algorithm>
#include <bit>

#include "ir/op.h"
#include "ir/visit.h"

namespace reckon::codegen {
namespace {

using ir::NodeId;
using ir::Op;
using ir::VariableId;

constexpr std::int64_t bytes_of_chunk = 1 << 15;  ///< of shared memory, but for what is between lists
/// What a thread reads of leaves before it joins the first of them: bytes in registers, and leaves.
constexpr std::int64_t bytes_in_registers = 192, least_at_once = 4;
constexpr std::int64_t least_length = 16, most_by_tree = 128;
constexpr std::int64_t most_written_out = 512;  ///< leaves of all results of a thread
constexpr int few_operations = 12;
/// Bytes between neighbouring lists for which this is worthwhile: with lists of 66 bytes it takes as long as without,
/// and with 33 bytes 32 us instead of 20 (sums of 10^6 rows on an H200).
constexpr std::int64_t least_distance = 64;
/// So many results are worth it. Where lists could also go through blocks chunk by chunk, a thread joining each, so
/// many that no thread is needed that does nothing else.
constexpr std::int64_t few_results = 1024, many_results = 1 << 14;
/// Results along a side: of a thread at most, and in all (from 32 on they are rows of a tile).
constexpr std::int64_t most_along = 8, most_of_side = 31;
/// Lists of a block with a side, at least, and blocks that are enough then: with fewer lists a thread has fewer results
/// to make of what it reads from shared memory.
constexpr std::int64_t least_of_block = 16, enough_with_side = 256;
constexpr std::int64_t enough_of_multiprocessor = 4;  ///< blocks without a side

std::int64_t power_from(std::int64_t x) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(x)));
}
std::int64_t power_to(std::int64_t x) {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(x)));
}

class StagedChoice {
 public:
  StagedChoice(ir::Module& module, const Planned& planned, const KernelBody& body, const Numbers& code,
               std::optional<std::int64_t> lists)
      : module_(module), planned_(planned), body_(body), code_(code), lists_(lists), node_(module[body.node]) {}

  std::optional<StagedShape> choose() {
    const auto length = module_.indices().as_constant(node_.indices[0]);
    const bool in_order = module_.schedules()[body_.schedule].op == ir::ScheduleOp::seq;
    if (body_.space.empty() || !length || (!in_order && !is_tree(*length))) return std::nullopt;
    const auto results = known_product(module_, extents_of(body_.space));
    if (*length < least_length || !results) return std::nullopt;
    const bool factors = keeps_factors(module_, module_.reduction_of(body_.node).schedule, code_);
    if (factors && (!body_.fused || !in_order)) return std::nullopt;
    if (computes() || !choose_elements()) return std::nullopt;
    StagedShape shape;
    shape.by_tree = !in_order;
    shape.side = side_;
    if (side_) shape.side_extent = *extent(*side_);
    const std::int64_t lists = *results / shape.side_extent;
    if (*results < (in_order && (factors || is_narrow()) ? few_results : many_results) || lists < StagedShape::threads)
      return std::nullopt;
    if (!choose_chunk(shape, lists, *length)) return std::nullopt;
    for (std::size_t d = 0; d < body_.space.size(); ++d)
      shape.is_product = shape.is_product || (*extent(d) > most_of_side && are_free_of(d));
    return shape;
  }

 private:
  VariableId leaf() const { return node_.variables[0]; }
  std::optional<std::int64_t> extent(std::size_t d) const {
    return module_.indices().as_constant(body_.space[d].extent);
  }

  /// Whether the order is `tree` for so many leaves, which a thread joins in registers.
  bool is_tree(std::int64_t length) const {
    const auto lanes = lanes_by_tree(module_, body_.schedule);
    if (!lanes || length > most_by_tree || !is_light()) return false;
    // Of no more leaves than lanes, each is a lane.
    const ir::ScheduleNode& order = module_.schedules()[body_.schedule];
    return *lanes == 1 || (length <= *lanes && module_.schedules()[order.operands[1]].op == ir::ScheduleOp::tree);
  }

  /// Whether a leaf and a join are few operations, which may be written out many times.
  bool is_light() const {
    int count = 0;
    bool is_long = module_.reduction_of(node_).user;
    ir::walk(module_, {node_.operands[0]}, [&](NodeId id) {
      const Op op = module_[id].op;
      ++count;
      is_long = is_long || ir::is_elementary(op) || ir::may_have_no_value(op) || op == Op::at;
      return op == Op::element ? ir::Walk::beside : ir::Walk::below;
    });
    return !is_long && count <= few_operations;
  }

  bool is_narrow() const {
    return std::ranges::any_of(elements_, [&](NodeId id) { return bytes_of(id) < 4; });
  }

  /// Whether there is another reduction in the leaf. It would be computed again for each.
  bool computes() const {
    bool found = false;
    ir::walk(module_, {node_.operands[0]}, [&](NodeId id) {
      const Op op = module_[id].op;
      found = found || op == Op::reduce || op == Op::scan || op == Op::get;
      return op == Op::element ? ir::Walk::beside : ir::Walk::below;
    });
    return found;
  }

  /// With the innermost side whose results share what is worth bringing, or without one. With a side, what is small
  /// beside that is read where it is.
  bool choose_elements() {
    for (std::size_t d = body_.space.size(); d-- > 0;) {
      if (*extent(d) < 2 || *extent(d) > most_of_side) continue;
      find_elements(d);
      std::erase_if(elements_, [&, most = most_rows()](NodeId id) { return is_small(id, most); });
      if (!elements_.empty() && are_free_of(d)) return true;
    }
    find_elements(std::nullopt);
    return !elements_.empty();
  }

  /// How many lists of such elements there are.
  std::int64_t rows_of(NodeId id) const {
    std::int64_t rows = 1;
    for (std::size_t d = 0; d < body_.space.size(); ++d) {
      if (module_.depends_on(id, body_.space[d].variable)) rows *= *extent(d);
    }
    return rows;
  }
  std::int64_t most_rows() const {
    std::int64_t most = 0;
    for (const NodeId id : elements_) most = std::max(most, rows_of(id));
    return most;
  }
  bool is_small(NodeId id, std::int64_t most) const { return rows_of(id) <= most / 8; }

  /// Whether no element but small ones depends on this dimension.
  bool are_free_of(std::size_t d) const {
    return std::ranges::all_of(elements_, [&, most = most_rows()](NodeId id) {
      return is_small(id, most) || !module_.depends_on(id, body_.space[d].variable);
    });
  }

  void find_elements(std::optional<std::size_t> side) {
    side_ = side;
    elements_.clear();
    neighbour_.reset();
    for (std::size_t d = 0; d < body_.space.size(); ++d) {
      if (d != side && *extent(d) > 1) neighbour_ = body_.space[d].variable;
    }
    if (!neighbour_) return;
    ir::walk(module_, {node_.operands[0]}, [&](NodeId id) {
      const Op op = module_[id].op;
      if (op == Op::element && is_far(id) && std::ranges::find(elements_, id) == elements_.end())
        elements_.push_back(id);
      return op == Op::element || op == Op::at ? ir::Walk::beside : ir::Walk::below;
    });
  }

  /// Whether the elements of a list are neighbours in memory, and those of neighbouring lists are far apart.
  bool is_far(NodeId id) {
    const ir::Node node = module_[id];
    const ir::Node tensor = module_[node.operands[0]];
    const bool is_parameter = tensor.op == Op::parameter;
    if (module_.type(id).scalar == ir::Scalar::boolean) return false;
    if (!is_parameter && !module_.free_variables(node.operands[0]).empty()) return false;
    if (is_parameter && planned_.plan.buffers[tensor.attribute].storage) return false;
    ir::IndexStore& indices = module_.indices();
    const auto stride_in = [&](ir::IndexId index, VariableId variable) {
      const auto affine = indices.affine_in(index, variable);
      return affine ? indices.as_constant(affine->stride) : std::nullopt;
    };
    const ir::IndexId along = node.indices.back();
    if (stride_in(along, leaf()) != 1) return false;
    bool apart = false;
    for (const ir::IndexId index : node.indices) {
      if (index != along && indices.mentions(index, leaf())) return false;
      if (!indices.mentions(index, *neighbour_)) continue;
      const std::int64_t bytes = bytes_of(id);
      const ir::IndexId row = module_.type(node.operands[0]).extents.back();
      const auto further = index == along ? stride_in(index, *neighbour_).value_or(0) : indices.as_constant(row);
      if (further && std::abs(*further) * bytes < least_distance) return false;
      apart = true;
    }
    return apart;
  }

  /// In memory.
  std::int64_t bytes_of(NodeId element) const {
    const bool is_parameter = module_[module_[element].operands[0]].op == Op::parameter;
    return code_.widths().of(module_.type(element).scalar, is_parameter ? kernel::Form::given : kernel::Form::kept);
  }

  /// Enough blocks, if there are lists for them; and threads that have results to compute.
  void choose_lists(StagedShape& shape, std::int64_t lists) const {
    const std::int64_t enough = enough_of_multiprocessor * planned_.gpu->multiprocessors;
    std::int64_t least = warp, most = StagedShape::threads;
    if (shape.side) {
      least = std::max(least_of_block, StagedShape::threads / power_from(shape.side_extent));
      most = StagedShape::threads / power_from((shape.side_extent + most_along - 1) / most_along);
    }
    const std::int64_t of_block = lists / (shape.side ? enough_with_side : enough);
    shape.lists = std::clamp(lists_.value_or(power_to(std::max<std::int64_t>(1, of_block))), least, most);
  }

  bool choose_chunk(StagedShape& shape, std::int64_t lists, std::int64_t length) {
    std::int64_t of_leaf = 0, vector = warp, largest = 1;
    for (const NodeId id : elements_) {
      const ir::Scalar scalar = module_.type(id).scalar;
      if (scalar == ir::Scalar::number) return false;
      const std::int64_t registers = code_.widths().of(scalar, kernel::Form::registers);
      StagedElement element{id};
      if (code_.is_word(scalar)) element.shared = vector_of(registers);
      while (element.vector < element.shared && length % (2 * element.vector) == 0) element.vector *= 2;
      shape.elements.push_back(element);
      of_leaf += registers;
      vector = std::min(vector, element.vector);
      largest = std::max(largest, element.vector);
    }
    choose_lists(shape, lists);
    // A thread brings no more than one vector of a list, and no less than one.
    const std::int64_t leaves = power_to(bytes_of_chunk / of_leaf);
    if (shape.by_tree) {
      // Half as many lists as threads do better where elements are as wide as registers (greatest elements of 10^6 rows
      // of 33 on an H200: 38 us in f32 instead of 44, in f64 sums 65 instead of 74).
      if (!shape.side && !lists_ && !is_narrow()) shape.lists = std::min(shape.lists, StagedShape::threads / 2);
      shape.lists = std::min(shape.lists, leaves / power_from(length));
    }
    if (shape.lists < least_of_block) return false;
    shape.columns = std::min({leaves / shape.lists, power_from(length), StagedShape::threads * vector});
    if (shape.columns < least_length || shape.lists * shape.columns < StagedShape::threads * largest) return false;
    const std::int64_t at_once = bytes_in_registers / (of_leaf + 4 * shape.along());
    shape.at_once = std::clamp(power_to(std::max<std::int64_t>(1, at_once)), least_at_once, shape.columns);
    if (!shape.by_tree && !is_light()) shape.at_once = 1;
    if (shape.by_tree && (shape.columns < length || length * shape.along() > most_written_out)) return false;
    return true;
  }

  ir::Module& module_;
  const Planned& planned_;
  const KernelBody& body_;
  const Numbers& code_;
  std::optional<std::int64_t> lists_;  ///< of a block, if they are given
  const ir::Node node_;
  std::optional<std::size_t> side_;
  std::optional<VariableId> neighbour_;  ///< of the dimension in which neighbouring lists differ
  std::vector<NodeId> elements_;
};

}  // namespace

std::optional<StagedShape> staged_shape(ir::Module& module, const Planned& planned, const KernelBody& fold,
                                        const Numbers& code, std::optional<std::int64_t> lists) {
  return StagedChoice(module, planned, fold, code, lists).choose();
}

}  // namespace reckon::codegen
