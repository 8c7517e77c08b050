#include "check/sample.h"

#include "check/inputs.h"
#include "check/sizes.h"
#include "ir/op.h"

namespace reckon::check {

namespace {

constexpr std::int64_t results_chosen = 16;

/// The circuit that gives these elements of the result as a list.
ir::Function choosing(ir::Module& module, const ir::Function& circuit, const std::vector<std::vector<std::int64_t>>& elements) {
  std::vector<ir::NodeId> parts;
  for (const auto& element : elements) {
    std::vector<ir::IndexId> subscripts;
    for (std::int64_t subscript : element) subscripts.push_back(module.indices().constant(subscript));
    if (module[circuit.body].op != ir::Op::map) {
      parts.push_back(module.element(circuit.body, std::move(subscripts)));
      continue;
    }
    // Module::element would keep the map, which is evaluated as a whole.
    const ir::Node& map = module[circuit.body];
    const ir::NodeId body = map.operands[0];
    ir::Module::Substitution chosen;
    for (std::size_t k = 0; k < subscripts.size(); ++k) chosen.indices.variables[map.variables[k]] = subscripts[k];
    parts.push_back(module.substitute(body, chosen));
  }
  ir::Function out = circuit;
  out.body = module.array(std::move(parts), {static_cast<std::int64_t>(elements.size())});
  out.result = module[out.body].type;
  out.result_storage.clear();
  return out;
}

}  // namespace

std::optional<Sample> sample_results(ir::Module& module, const frontend::ElaboratedItem& item, std::int64_t affordable) {
  if (!item.left || !item.right) return std::nullopt;
  const std::vector<ir::Dimensions> sizes = choose_sizes(module, item);
  if (sizes.size() != 1 || sizes.front().size() != item.left->dimensions.size()) return std::nullopt;
  if (item.sizes.size() < item.left->dimensions.size() || index_values(sizes.front()) <= affordable) return std::nullopt;
  for (const auto* side : {&item.left, &item.right}) {
    const ir::Type& type = module.types()[(*side)->result];
    if (type.kind == ir::TypeKind::tuple || type.extents.empty()) return std::nullopt;
  }
  Sample out;
  out.of = 1;
  std::vector<std::int64_t> shape;
  for (ir::IndexId extent : module.types()[item.left->result].extents) {
    const auto value = module.indices().evaluate(extent, {sizes.front(), {}});
    if (!value || *value < 1 || __builtin_mul_overflow(out.of, *value, &out.of)) return std::nullopt;
    shape.push_back(*value);
  }
  if (out.of <= results_chosen) return std::nullopt;
  // The first and the last one, and others between them at nearly equal distances.
  for (std::int64_t k = 0; k < results_chosen; ++k) {
    out.elements.push_back(subscripts_of(k * (out.of - 1) / (results_chosen - 1), shape));
  }
  out.item = item;
  out.item.left = choosing(module, *item.left, out.elements);
  out.item.right = choosing(module, *item.right, out.elements);
  return out;
}

}  // namespace reckon::check
