// What someone must know who launches the kernels of a PTX file himself.
#include <nlohmann/json.hpp>

#include "api/implementation.h"
#include "codegen/sizes.h"
#include "ir/printer.h"

namespace reckon {
namespace {

using Json = nlohmann::ordered_json;
using codegen::Buffer;

const char* role_name(Buffer::Role role) {
  switch (role) {
    case Buffer::Role::parameter: return "parameter";
    case Buffer::Role::constant: return "constant";
    case Buffer::Role::intermediate: return "intermediate";
    case Buffer::Role::result: return "result";
    case Buffer::Role::faults: return "faults";
    case Buffer::Role::counters: return "counters";
    case Buffer::Role::state: return "state";
  }
  return "";
}

/// A number where it is known, else the expression over the dimensions.
Json extent(const ir::Module& module, ir::IndexId id) {
  if (const auto value = module.indices().as_constant(id)) return *value;
  return ir::index_text(module, id);
}

Json extents(const ir::Module& module, const std::vector<ir::IndexId>& ids) {
  Json out = Json::array();
  for (ir::IndexId id : ids) out.push_back(extent(module, id));
  return out;
}

}  // namespace

std::string plan_text(const ir::Module& module, const codegen::Plan& plan) {
  Json out{{"buffers", Json::array()}, {"dimensions", Json::array()}, {"kernels", Json::array()}};
  for (const Buffer& buffer : plan.buffers) {
    Json row{{"role", role_name(buffer.role)},
             {"type", ir::scalar_name(buffer.scalar)},
             {"extents", extents(module, buffer.extents)},
             {"element_bytes", codegen::element_bytes(buffer)}};
    const bool numbered = buffer.role == Buffer::Role::parameter || buffer.role == Buffer::Role::result;
    if (numbered) row["position"] = buffer.position;
    if (buffer.storage) row["layout"] = ir::storage_text(module, *buffer.storage);
    out["buffers"].push_back(std::move(row));
  }
  for (ir::SymbolId dimension : plan.dimensions) out["dimensions"].push_back(module.name(dimension));
  for (const codegen::Kernel& kernel : plan.kernels) {
    out["kernels"].push_back({{"name", kernel.name},
                              {"items", extents(module, kernel.items)},
                              {"threads", kernel.threads},
                              {"block_items", kernel.block_items},
                              {"most_blocks", kernel.most_blocks()},
                              {"one_item", kernel.one_item},
                              {"shared_bytes", kernel.shared_bytes},
                              {"dynamic_shared_bytes", kernel.dynamic_shared_bytes()},
                              {"overlaps", kernel.overlaps},
                              {"recursive", kernel.recursive}});
    if (kernel.loop) out["kernels"].back()["loop"] = *kernel.loop;
  }
  for (const codegen::TensorMap& map : plan.tensor_maps) {
    out["tensor_maps"].push_back({{"buffer", map.buffer},
                                  {"extents", extents(module, map.extents)},
                                  {"strides", extents(module, map.strides)},
                                  {"box", map.box}});
    if (!map.copy) continue;
    out["tensor_maps"].back()["copy"] = *map.copy;
    out["tensor_maps"].back()["copied"] = extent(module, map.copied);
  }
  for (const codegen::Loop& loop : plan.loops) {
    Json exchanged = Json::array();
    for (const auto& [one, other] : loop.exchanged) exchanged.push_back({one, other});
    Json row{{"rounds", extent(module, loop.rounds)}, {"exchanged", std::move(exchanged)}};
    if (loop.around) row["around"] = *loop.around;
    out["loops"].push_back(std::move(row));
  }
  return out.dump() + "\n";
}

}  // namespace reckon
