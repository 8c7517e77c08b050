// A thread for several neighbouring elements of a tensor, which it reads and writes with one access each.
#include "codegen/strategies/strategy.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/lower/neighbours.h"
#include "ir/op.h"
#include "ir/visit.h"

namespace reckon::codegen {
namespace {

using ir::IndexId;
using ir::NodeId;
using ir::Op;

constexpr std::int64_t bytes_of_access = 16;
/// Code of so many operations is written out for each of the neighbours; a function counts as some dozens of them.
constexpr std::int64_t most_operations = 192, operations_of_function = 24;
/// Threads of a multiprocessor that have work before one of them has several elements.
constexpr std::int64_t least_threads = 512;

/// Whether a thread should compute several elements of a kernel, and how many.
class NeighbourChoice {
 public:
  NeighbourChoice(const Placing& placing, const KernelBody& body, const Kernel& kernel)
      : placing_(placing),
        module_(placing.module),
        buffers_(placing.planned.plan.buffers),
        body_(body),
        kernel_(kernel) {}

  /// The usual number, and others, ascending; nothing if one element is all that a thread can have.
  struct Found {
    std::vector<std::int64_t> counts;
    std::size_t usual = 0;
    bool flat = false;
  };
  std::optional<Found> find() {
    if (body_.kind != KernelBody::Kind::elements || body_.placed || body_.joined || body_.space.empty() ||
        buffers_[kernel_.output].storage || !add_bytes(buffers_[kernel_.output].scalar, kernel::Form::kept)) {
      return std::nullopt;
    }
    const ir::Node& root = module_[body_.node];
    if (module_.type(body_.node).kind == ir::TypeKind::tuple || root.op == Op::reduce) return std::nullopt;
    if (!reads()) return std::nullopt;
    Found out;
    out.flat = is_flat_;
    const auto along = module_.indices().as_constant(body_.space.back().extent);
    std::int64_t most = bytes_of_access / least_bytes_;
    while (most > 1 && most * operations_ > most_operations) most /= 2;
    if (!out.flat) {
      if (!along) return std::nullopt;
      while (most > 1 && *along % most != 0) most /= 2;
    }
    const auto elements = known_product(module_, extents_of(body_.space));
    const std::int64_t threads = least_threads * placing_.gpu().multiprocessors;
    for (std::int64_t count = 1; count <= most; count *= 2) {
      out.counts.push_back(count);
      if (!elements || *elements / count >= threads) out.usual = out.counts.size() - 1;
    }
    return out;
  }

 private:
  bool add_bytes(ir::Scalar scalar, kernel::Form form) {
    if (scalar == ir::Scalar::number || scalar == ir::Scalar::boolean || !placing_.code.is_word(scalar)) return false;
    least_bytes_ = std::min<std::int64_t>(least_bytes_, placing_.code.widths().of(scalar, form));
    return true;
  }

  /// Whether all that depends on the last coordinate is read where neighbours are neighbours, or not in memory.
  bool reads() {
    is_flat_ = true;
    bool good = true;
    ir::walk(module_, {body_.node}, [&](NodeId id) {
      const ir::Node& node = module_[id];
      operations_ += ir::is_elementary(node.op) ? operations_of_function : 1;
      switch (node.op) {
        case Op::reduce:
        case Op::scan:
        case Op::get: good = false; return ir::Walk::beside;
        case Op::index_value:
        case Op::index_condition:
          if (!module_.free_variables(id).empty()) is_flat_ = false;
          return ir::Walk::beside;
        case Op::element: good = good && is_good_element(id); return ir::Walk::beside;
        case Op::at:  // an index that is data is the same for all neighbours
          good = good && !module_.depends_on(node.operands[1], last());
          return ir::Walk::below;
        default: return ir::Walk::below;
      }
    });
    return good;
  }

  bool is_good_tensor(NodeId tensor, NodeId element) {
    const ir::Node& node = module_[tensor];
    const bool is_given = node.op == Op::parameter;
    if (!is_given && !module_.free_variables(tensor).empty()) return false;
    if (is_given && buffers_[node.attribute].storage) return false;
    return add_bytes(module_.type(element).scalar, is_given ? kernel::Form::given : kernel::Form::kept);
  }

  bool is_good_element(NodeId id) {
    if (!module_.depends_on(id, last())) {
      is_flat_ = is_flat_ && module_.free_variables(id).empty();
      return true;
    }
    if (!is_good_tensor(module_[id].operands[0], id)) return false;
    is_flat_ = is_flat_ && is_own(id);
    return is_flat_ || reads_in_order(module_, id, last());
  }

  /// Whether it is the element of a tensor of the same extents at the same place.
  bool is_own(NodeId id) const {
    const ir::Node& node = module_[id];
    const std::vector<IndexId>& extents = module_.type(node.operands[0]).extents;
    if (node.indices.size() != body_.space.size() || extents.size() != body_.space.size()) return false;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      if (extents[d] != body_.space[d].extent) return false;
      if (node.indices[d] != module_.indices().variable(body_.space[d].variable)) return false;
    }
    return true;
  }

  ir::VariableId last() const { return body_.space.back().variable; }

  const Placing& placing_;
  ir::Module& module_;
  const std::vector<Buffer>& buffers_;
  const KernelBody& body_;
  const Kernel& kernel_;
  std::int64_t least_bytes_ = bytes_of_access, operations_ = 0;
  bool is_flat_ = true;
};

class NeighbouringElements : public Strategy {
 public:
  std::string_view name() const override { return "neighbours"; }

  void after_folds(const Placing& placing) const override {
    if (!placing.planned.clauses.empty()) return;
    for (std::size_t k = 0; k < placing.planned.bodies.size(); ++k) {
      KernelBody& body = placing.planned.bodies[k];
      Kernel& kernel = placing.planned.plan.kernels[k];
      const auto found = NeighbourChoice(placing, body, kernel).find();
      if (!found) continue;
      std::vector<std::string> ways;
      for (const std::int64_t count : found->counts) ways.push_back(std::to_string(count));
      const std::size_t way = placing.planned.choices.take(kernel.name + ".neighbours", std::move(ways), found->usual);
      const Neighbours neighbours{found->counts[way], found->flat};
      if (neighbours.count > 1) compute_neighbours(placing.module.indices(), body, kernel, neighbours);
    }
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_neighbours() { return std::make_unique<NeighbouringElements>(); }

}  // namespace reckon::codegen
