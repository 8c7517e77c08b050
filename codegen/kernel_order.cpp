#include "codegen/kernel_order.h"

#include <map>
#include <set>

#include "codegen/steps.h"
#include "ir/visit.h"

namespace reckon::codegen {
namespace {

using ir::NodeId;

class KernelOrder {
 public:
  KernelOrder(const ir::Module& module, const Planned& planned) : planned_(planned), reads_(kernels().size()) {
    for (std::size_t k = 0; k < kernels().size(); ++k) {
      for (std::uint32_t b = 0; b < kernels()[k].outputs; ++b) writers_[kernels()[k].output + b].insert(k);
      loops_.push_back(loops_around(planned.plan, kernels()[k]));
    }
    // What has left a loop was written by its last round, or by the start if there is none.
    std::map<std::uint32_t, std::uint32_t> other_state;
    for (const Loop& loop : planned.plan.loops) other_state.insert(loop.exchanged.begin(), loop.exchanged.end());
    std::map<NodeId, std::set<std::uint32_t>> kept;
    for (const auto& [occurrence, place] : planned.places) {
      const std::size_t count = scalars_of(module, module[occurrence.node].type).size();
      std::set<std::uint32_t>& buffers = kept[occurrence.node];
      for (std::uint32_t b = place.buffer; b < place.buffer + count; ++b) {
        buffers.insert(b);
        if (const auto other = other_state.find(b); other != other_state.end()) buffers.insert(other->second);
      }
    }
    for (std::size_t k = 0; k < kernels().size(); ++k) {
      ir::visit_nodes(module, {planned.bodies[k].node}, [&](NodeId id) {
        if (const auto found = kept.find(id); found != kept.end()) {
          for (const std::uint32_t buffer : found->second) reads(k, buffer);
        }
        // A round reads the state as a parameter.
        if (module[id].op == ir::Op::parameter) reads(k, module[id].attribute);
      });
    }
  }

  std::vector<std::size_t> order() {
    std::vector<std::size_t> all(kernels().size()), out;
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = k;
    put(all, 0, out);
    return out;
  }

 private:
  const std::vector<Kernel>& kernels() const { return planned_.plan.kernels; }

  /// The kernel has to stand behind those that write the buffer.
  void reads(std::size_t kernel, std::uint32_t buffer) {
    const auto found = writers_.find(buffer);
    if (found == writers_.end() || found->second.contains(kernel)) return;
    reads_[kernel].insert(found->second.begin(), found->second.end());
  }

  /// Kernels that `depth` loops have in common: one kernel, or all of one more loop, after the other.
  void put(const std::vector<std::size_t>& all, std::size_t depth, std::vector<std::size_t>& out) const {
    std::vector<std::vector<std::size_t>> units;
    std::map<std::size_t, std::size_t> unit_of;
    std::map<std::uint32_t, std::size_t> unit_of_loop;
    for (const std::size_t k : all) {
      std::size_t unit = units.size();
      if (loops_[k].size() > depth) unit = unit_of_loop.try_emplace(loops_[k][depth], unit).first->second;
      if (unit == units.size()) units.emplace_back();
      units[unit].push_back(k);
      unit_of[k] = unit;
    }
    std::vector<bool> begun(units.size(), false);
    const auto emit = [&](const auto& self, std::size_t unit) -> void {
      if (begun[unit]) return;
      begun[unit] = true;
      std::set<std::size_t> before;
      for (const std::size_t k : units[unit]) {
        for (const std::size_t read : reads_[k]) {
          if (const auto found = unit_of.find(read); found != unit_of.end()) before.insert(found->second);
        }
      }
      for (const std::size_t each : before) self(self, each);
      if (loops_[units[unit][0]].size() > depth) put(units[unit], depth + 1, out);
      else out.push_back(units[unit][0]);
    };
    for (std::size_t unit = 0; unit < units.size(); ++unit) emit(emit, unit);
  }

  const Planned& planned_;
  std::map<std::uint32_t, std::set<std::size_t>> writers_;  ///< of each buffer, the kernels
  std::vector<std::set<std::size_t>> reads_;  ///< of each kernel, those that write what it may read
  std::vector<std::vector<std::uint32_t>> loops_;  ///< around each kernel, outermost first
};

}  // namespace

void order_kernels(const ir::Module& module, Planned& planned) {
  std::vector<std::string> names;
  for (const Kernel& kernel : planned.plan.kernels) names.push_back(kernel.name);
  std::vector<Kernel> kernels;
  std::vector<KernelBody> bodies;
  for (const std::size_t k : KernelOrder(module, planned).order()) {
    kernels.push_back(std::move(planned.plan.kernels[k]));
    kernels.back().name = names[kernels.size() - 1];
    bodies.push_back(std::move(planned.bodies[k]));
  }
  planned.plan.kernels = std::move(kernels);
  planned.bodies = std::move(bodies);
}

}  // namespace reckon::codegen
