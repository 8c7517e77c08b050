#include "tests/differential/export.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "codegen/sizes.h"
#include "codegen/steps.h"
#include "diagnostics/codes/dimension_value.h"
#include "interp/evaluate.h"
#include "runtime/buffers.h"
#include "tests/support/files.h"

namespace reckon::differential {
namespace {

using Json = nlohmann::ordered_json;
using Role = codegen::Buffer::Role;

void write_bytes(const std::string& path, const std::vector<std::uint8_t>& bytes) {
  test::write_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::int64_t product(const std::vector<std::int64_t>& extents) {
  std::int64_t out = 1;
  for (std::int64_t extent : extents) out *= extent;
  return out;
}

}  // namespace

std::optional<Diagnostic> export_launch(const std::string& name, ir::Module& module, const ir::Function& function,
                                        const codegen::Compiled& compiled, const ir::Dimensions& sizes,
                                        const std::vector<ir::HostTensor>& arguments,
                                        const std::vector<ir::HostTensor>& expected) {
  const codegen::Plan& plan = compiled.plan;
  Json out{{"buffers", Json::array()}, {"dimensions", Json::array()}, {"kernels", Json::array()}};
  const Diagnostic no_size(code::dimension_value, function.span, "an extent has no value");
  for (std::size_t k = 0; k < plan.buffers.size(); ++k) {
    const codegen::Buffer& buffer = plan.buffers[k];
    const auto shape = codegen::extent_values(module, buffer.extents, sizes);
    if (!shape) return no_size;
    const std::string file = fmt::format("{}.{}", name, k);
    if (buffer.role == Role::parameter || buffer.role == Role::constant) {
      const bool given = buffer.role == Role::parameter;
      auto contents = given ? runtime::in_words(module, function, buffer, *compiled.semantics, arguments[buffer.position])
                            : runtime::constant_contents(module, function, buffer, *compiled.semantics, sizes, interp::generate);
      if (!contents) return contents.error();
      write_bytes(file + ".in", contents->bytes);
    }
    if (buffer.role == Role::result) write_bytes(file + ".out", expected[buffer.position].bytes);
    const bool endpoints = buffer.words && compiled.semantics->leaves_empty();
    const ir::HostTensor like = runtime::tensor_of(buffer, {});
    out["buffers"].push_back(
        {{"written", buffer.role == Role::intermediate || buffer.role == Role::result || buffer.role == Role::state},
         {"result", buffer.role == Role::result},
         {"faults", buffer.role == Role::faults},
         {"bytes", runtime::allocation_count(*shape) * codegen::element_bytes(buffer)},
         {"used", product(*shape) * codegen::element_bytes(buffer)},
         {"type", buffer.words && !endpoints ? "ring" : ir::scalar_name(like.scalar)},
         {"ends", endpoints}});
  }
  for (ir::SymbolId dimension : plan.dimensions) out["dimensions"].push_back(sizes.at(dimension));
  out["fpsan"] = compiled.semantics->name() == "fpsan";
  for (const codegen::Kernel& kernel : plan.kernels) {
    const auto items = codegen::extent_values(module, kernel.items, sizes);
    if (!items) return no_size;
    out["kernels"].push_back({{"name", kernel.name},
                              {"items", product(*items)},
                              {"threads", kernel.threads},
                              {"block_items", kernel.block_items},
                              {"one_item", kernel.one_item}});
  }
  std::vector<std::int64_t> rounds, round(plan.loops.size());
  for (const codegen::Loop& loop : plan.loops) {
    const auto count = codegen::extent_values(module, {loop.rounds}, sizes);
    if (!count) return no_size;
    rounds.push_back(count->front());
  }
  std::vector<std::size_t> order(plan.buffers.size());  // whose memory each buffer has
  std::iota(order.begin(), order.end(), 0);
  out["launches"] = Json::array();
  const auto launch = [&](std::uint32_t kernel) {
    out["launches"].push_back({{"kernel", kernel}, {"buffers", order}, {"rounds", round}});
    return true;
  };
  const auto exchange = [&](std::uint32_t loop) {
    for (const auto& [one, other] : plan.loops[loop].exchanged) std::swap(order[one], order[other]);
  };
  codegen::carry_out(codegen::steps_of(plan), rounds, round.data(), launch, exchange);
  test::write_file(name + ".ptx", compiled.assembly);
  test::write_file(name + ".json", out.dump());
  return std::nullopt;
}

}  // namespace reckon::differential
