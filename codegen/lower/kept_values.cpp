// The values that the steps of a row keep for later steps.
#include "codegen/lower/kept_values.h"

#include <algorithm>
#include <iterator>

#include "diagnostics/codes/internal.h"
#include "ir/op.h"
#include "ir/visit.h"

namespace reckon::codegen {

void KeptValues::clear() {
  steps_.clear();
  slots_.clear();
  inputs_.clear();
  read_.clear();
}

std::pair<const KeptValues::Kept*, std::uint32_t> KeptValues::find(std::uint32_t buffer) const {
  // The other parts of a tuple have the buffers after the first one.
  const auto after = steps_.upper_bound(buffer);
  if (after == steps_.begin()) return {nullptr, 0};
  const auto& [first, kept] = *std::prev(after);
  return {&kept, first};
}

void KeptValues::begin_step(const std::vector<std::pair<ir::NodeId, std::size_t>>& reads) {
  read_.clear();
  for (const auto& [element, input] : reads) read_[element] = &inputs_[input];
}

const KeptValues::Kept* KeptValues::row_input(ir::NodeId element) const {
  const auto found = read_.find(element);
  return found == read_.end() ? nullptr : found->second;
}

Values KeptValues::row_element(const Kept& row, Value position) {
  if (row.array) {
    w_.resume();
    return {w_.builder().load(row.array, position)};
  }
  const auto slot = std::find(slots_.begin(), slots_.end(), position);
  if (slot != slots_.end()) return row.of_slot[static_cast<std::size_t>(slot - slots_.begin())];
  w_.fail(Diagnostic(code::internal, {}, "an element of a row is not the thread's own"));
  return row.of_slot[0];
}

bool KeptValues::computes_elements_anew(const KernelBody& fold) const {
  const ir::Module& module = w_.module();
  const auto is_long = [&](ir::NodeId id) { return ir::is_elementary(module[id].op) || module[id].op == ir::Op::div; };
  return std::ranges::any_of(steps_, [&](const auto& kept) {
    const KernelBody* step = kept.second.step;
    const auto is_step = [&](ir::NodeId id) { return id == step->node; };
    return step != nullptr && ir::find_node(module, {step->node}, is_long) &&
           ir::find_node(module, {fold.node}, is_step);
  });
}

}  // namespace reckon::codegen
