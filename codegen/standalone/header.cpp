// A header of C for the function of a host object.
#include <fmt/format.h>

#include "codegen/standalone/interface.h"
#include "ir/printer.h"

namespace reckon::codegen {

std::string c_header(const Standalone& circuit) {
  const Interface& names = circuit.names;
  std::vector<std::string> lines = description(circuit, Target::host);
  lines.emplace_back();
  lines.push_back(fmt::format("`{}` carries this out on the processor that calls it, in the stated order, and returns",
                              names.symbol));
  lines.emplace_back("  0  if all results are written,");
  lines.emplace_back("  1  if the sizes cannot be used, and nothing was done. They can if:");
  for (const ir::SizeCondition& condition : circuit.conditions) {
    lines.push_back("       " + ir::index_text(circuit.module, condition.holds));
  }
  lines.emplace_back("       and the bytes of every array fit in 63 bits;");
  lines.emplace_back("  2  if there is no memory for intermediate results, and nothing was done.");
  lines.emplace_back("Arrays are row-major where no layout is named. Results overlap nothing else. An array without");
  lines.emplace_back(
      "elements may be a null pointer. Several threads may call the function at a time, and the rounding");
  lines.emplace_back("mode is to nearest.");
  lines.emplace_back();
  const auto describe = [&](const Interface::Array& array) {
    const Buffer& buffer = circuit.plan.buffers[array.buffer];
    std::string text = fmt::format("  {}: {}", array.name, array_type(circuit.module, buffer));
    if (c_type(buffer.scalar).starts_with("uint") && !ir::is_integer(buffer.scalar)) {
      text += buffer.scalar == ir::Scalar::boolean ? ", each 0 or 1" : ", as bit patterns";
    }
    if (buffer.storage) {
      text += fmt::format(", stored by the layout {}, {} elements", ir::storage_text(circuit.module, *buffer.storage),
                          circuit.stored.at(array.buffer));
    }
    lines.push_back(text);
  };
  for (const Interface::Array& array : names.parameters) describe(array);
  for (const Interface::Array& array : names.results) describe(array);

  std::string parameters;
  const auto add = [&](const std::string& text) { parameters += (parameters.empty() ? "" : ", ") + text; };
  for (const std::string& name : names.dimensions) add("int64_t " + name);
  for (const Interface::Array& array : names.parameters) {
    const Buffer& buffer = circuit.plan.buffers[array.buffer];
    add(buffer.extents.empty() ? c_type(buffer.scalar) + " " + array.name
                               : fmt::format("const {} *{}", c_type(buffer.scalar), array.name));
  }
  for (const Interface::Array& array : names.results) {
    add(fmt::format("{} *{}", c_type(circuit.plan.buffers[array.buffer].scalar), array.name));
  }
  return commented(lines, "//") + filled(R"c(#ifndef RECKON_@SYMBOL@_H
#define RECKON_@SYMBOL@_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

int @SYMBOL@(@PARAMETERS@);

#ifdef __cplusplus
}
#endif
#endif
)c",
                                         {{"SYMBOL", names.symbol}, {"PARAMETERS", parameters}});
}

}  // namespace reckon::codegen
