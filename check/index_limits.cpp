#include "check/index_limits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ir/op.h"
#include "ir/visit.h"

namespace reckon::check {
namespace {

using ir::IndexId;
using ir::NodeId;
using ir::Op;

/// The parameter of integers that the node is an element of, perhaps in a wider type.
std::optional<std::uint32_t> parameter_read(const ir::Module& module, NodeId id) {
  const ir::Node& node = module[id];
  const ir::Scalar scalar = module.type(id).scalar;
  if (!ir::is_integer(scalar)) return std::nullopt;
  if (node.op == Op::convert) {
    const ir::Scalar from = module.type(node.operands[0]).scalar;
    const bool widens = ir::byte_width(scalar) >= ir::byte_width(from);
    return widens ? parameter_read(module, node.operands[0]) : std::nullopt;
  }
  const ir::Node& whole = node.op == Op::element ? module[node.operands[0]] : node;
  return whole.op == Op::parameter ? std::optional(whole.attribute) : std::nullopt;
}

bool compares(Op op) {
  return op == Op::equal || op == Op::not_equal || op == Op::less || op == Op::less_equal;
}

void add(std::vector<IndexId>& extents, IndexId extent) {
  if (std::ranges::find(extents, extent) == extents.end()) extents.push_back(extent);
}

}  // namespace

IndexLimits::IndexLimits(const ir::Module& module, const frontend::ElaboratedItem& item) : module_(module) {
  for (const auto* side : {&item.left, &item.right}) {
    if (!*side) continue;
    uses_.resize(std::max(uses_.size(), (*side)->parameters.size()));
    // The extents of the binders of each variable; binders beside one another may have the same one.
    std::map<ir::VariableId, std::vector<IndexId>> ranges;
    ir::visit_nodes(module, {(*side)->body}, [&](NodeId id) {
      const ir::Node& node = module[id];
      if (node.op != Op::map && node.op != Op::reduce && node.op != Op::scan && node.op != Op::loop) return;
      for (std::size_t k = 0; k < node.indices.size() && k < node.variables.size(); ++k) {
        add(ranges[node.variables[k]], node.indices[k]);
      }
    });
    ir::visit_nodes(module, {(*side)->body}, [&](NodeId id) {
      const ir::Node& node = module[id];
      if (node.op == Op::at && module.indices().variables(node.indices[0]).empty()) {
        if (const auto parameter = parameter_read(module, node.operands[1])) {
          add(uses_[*parameter].extents, node.indices[0]);
        }
      }
      if (ir::divides_integers(node.op)) {
        if (const auto parameter = parameter_read(module, node.operands[1])) uses_[*parameter].divides = true;
      }
      for (const std::size_t key : {0, 1}) {
        if (!compares(node.op) || module[node.operands[1 - key]].op != Op::index_value) continue;
        const auto parameter = parameter_read(module, node.operands[key]);
        if (!parameter) continue;
        for (const ir::VariableId variable : module.indices().variables(module[node.operands[1 - key]].indices[0])) {
          for (const IndexId extent : ranges[variable]) {
            if (module.indices().variables(extent).empty()) add(uses_[*parameter].keys, extent);
          }
        }
      }
    });
  }
}

std::optional<std::int64_t> IndexLimits::of(const std::vector<IndexId>& extents, const ir::Dimensions& sizes) const {
  std::optional<std::int64_t> least;
  for (const IndexId extent : extents) {
    const auto value = module_.indices().evaluate(extent, {sizes, {}});
    if (value && (!least || *value < *least)) least = value;
  }
  return least;
}

std::string IndexLimits::text(std::size_t parameter) const {
  if (parameter >= uses_.size()) return {};
  const Use& use = uses_[parameter];
  const std::vector<IndexId>& extents = use.extents.empty() ? use.keys : use.extents;
  if (extents.empty()) return use.divides ? "not 0" : "";
  std::vector<std::string> texts;
  for (const IndexId extent : extents) texts.push_back(ir::index_text(module_, extent));
  return fmt::format("{}< {}", use.extents.empty() ? "mostly " : "",
                     texts.size() == 1 ? texts[0] : fmt::format("min({})", fmt::join(texts, ", ")));
}

bool IndexLimits::keep(std::size_t parameter, const ir::Dimensions& sizes, ir::HostTensor& tensor) const {
  if (parameter >= uses_.size()) return false;
  bool changed = keep_below(parameter, sizes, tensor);
  for (std::int64_t i = 0; uses_[parameter].divides && i < tensor.size(); ++i) {
    if (tensor.bits(i) != 0) continue;
    tensor.set_bits(i, 1);
    changed = true;
  }
  return changed;
}

bool IndexLimits::keep_below(std::size_t parameter, const ir::Dimensions& sizes, ir::HostTensor& tensor) const {
  const bool subscripts = !uses_[parameter].extents.empty();
  const auto limit = of(subscripts ? uses_[parameter].extents : uses_[parameter].keys, sizes);
  if (!limit || *limit < 1) return false;
  const auto& type = ir::integer_traits(tensor.scalar);
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    // One key of eight stays as it is. Three bits in the middle choose it, because the remainder by a small number
    // depends least on them, and so every remainder remains likely.
    if (subscripts || (tensor.bits(i) >> (type.width / 2)) % 8 != 0) {
      const std::uint64_t natural = tensor.bits(i) & numerics::greatest_pattern(type);
      tensor.set_bits(i, natural % static_cast<std::uint64_t>(*limit));
    }
  }
  return true;
}

}  // namespace reckon::check
