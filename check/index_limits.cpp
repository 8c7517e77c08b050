#include "check/index_limits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ir/op.h"
#include "ir/visit.h"

namespace reckon::check {
namespace {

using ir::NodeId;
using ir::Op;

/// The parameter that the node is an element of.
std::optional<std::uint32_t> parameter_read(const ir::Module& module, NodeId id) {
  const ir::Node& node = module[id];
  const ir::Node& whole = node.op == Op::element ? module[node.operands[0]] : node;
  return whole.op == Op::parameter ? std::optional(whole.attribute) : std::nullopt;
}

}  // namespace

IndexLimits::IndexLimits(const ir::Module& module, const frontend::ElaboratedItem& item) : module_(module) {
  for (const auto* side : {&item.left, &item.right}) {
    if (!*side) continue;
    extents_.resize(std::max(extents_.size(), (*side)->parameters.size()));
    ir::visit_nodes(module, {(*side)->body}, [&](NodeId id) {
      const ir::Node& node = module[id];
      if (node.op != Op::at || !module.indices().variables(node.indices[0]).empty()) return;
      const auto parameter = parameter_read(module, node.operands[1]);
      if (!parameter) return;
      std::vector<ir::IndexId>& known = extents_[*parameter];
      if (std::ranges::find(known, node.indices[0]) == known.end()) known.push_back(node.indices[0]);
    });
  }
}

std::optional<std::int64_t> IndexLimits::of(std::size_t parameter, const ir::Dimensions& sizes) const {
  std::optional<std::int64_t> least;
  if (parameter >= extents_.size()) return least;
  for (const ir::IndexId extent : extents_[parameter]) {
    const auto value = module_.indices().evaluate(extent, {sizes, {}});
    if (value && (!least || *value < *least)) least = value;
  }
  return least;
}

std::string IndexLimits::text(std::size_t parameter) const {
  if (parameter >= extents_.size() || extents_[parameter].empty()) return {};
  std::vector<std::string> texts;
  for (const ir::IndexId extent : extents_[parameter]) texts.push_back(ir::index_text(module_, extent));
  return texts.size() == 1 ? texts[0] : fmt::format("min({})", fmt::join(texts, ", "));
}

bool IndexLimits::keep(std::size_t parameter, const ir::Dimensions& sizes, ir::HostTensor& tensor) const {
  const auto limit = of(parameter, sizes);
  if (!limit || *limit < 1) return false;
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    tensor.set_bits(i, tensor.bits(i) % static_cast<std::uint64_t>(*limit));
  }
  return true;
}

}  // namespace reckon::check
