// A thread for several neighbouring elements of a tensor, which it reads and writes with one access each.
#include "codegen/strategies/strategy.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/lower/neighbours.h"
#include "codegen/place/element_reads.h"

namespace reckon::codegen {
namespace {

using ir::IndexId;
using ir::NodeId;

constexpr std::int64_t bytes_of_access = 16;
/// Code of so many operations is written out for each of the neighbours.
constexpr std::int64_t most_operations = 192;
/// Threads of a multiprocessor that have work before one of them has several elements.
constexpr std::int64_t least_threads = 512;

/// Whether a thread should compute several elements of a kernel, and how many.
class NeighbourChoice {
 public:
  NeighbourChoice(const Placing& placing, const KernelBody& body, const Kernel& kernel)
      : placing_(placing), module_(placing.module), body_(body), kernel_(kernel) {}

  /// The usual number, and others, ascending; nothing if one element is all that a thread can have.
  struct Found {
    std::vector<std::int64_t> counts;
    std::size_t usual = 0;
    bool flat = false;
  };
  std::optional<Found> find() {
    const auto reads = element_reads(placing_, body_, kernel_);
    if (!reads) return std::nullopt;
    Found out;
    out.flat = reads->is_uniform && std::ranges::all_of(reads->along, [&](NodeId id) { return is_own(id); });
    const auto are_neighbours = [&](NodeId id) { return reads_in_order(module_, id, body_.space.back().variable); };
    if (!out.flat && !std::ranges::all_of(reads->along, are_neighbours)) return std::nullopt;
    const auto along = module_.indices().as_constant(body_.space.back().extent);
    std::int64_t most = bytes_of_access / reads->least_bytes;
    while (most > 1 && most * reads->operations > most_operations) most /= 2;
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

  const Placing& placing_;
  ir::Module& module_;
  const KernelBody& body_;
  const Kernel& kernel_;
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
