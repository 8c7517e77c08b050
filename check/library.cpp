#include "check/library.h"

#include <fmt/format.h>

#include "diagnostics/codes/check_failed_to_run.h"
#include "diagnostics/codes/dimension_value.h"

namespace reckon::check {

Expected<std::vector<interp::Values>> library_results(const ir::Module& module, const frontend::ElaboratedItem& item,
                                                      interp::Semantics& floats, const ir::Dimensions& sizes,
                                                      const std::vector<interp::Argument>& arguments) {
  const ir::Type& type = module.types()[item.left->result];
  std::vector<std::int64_t> shape;
  for (const ir::IndexId extent : type.extents) {
    const auto value = module.indices().evaluate(extent, {sizes, {}});
    if (!value || *value < 0) {
      return Diagnostic(code::dimension_value, item.left->span, "an extent of the result has no value");
    }
    shape.push_back(*value);
  }
  ir::HostTensor out(type.scalar, shape);
  std::vector<const std::uint8_t*> columns;
  std::vector<ir::HostTensor> repeated;
  repeated.reserve(arguments.size());  // the columns point into it, so it must not grow
  for (const interp::Argument& argument : arguments) {
    const auto* given = std::get_if<ir::HostTensor>(&argument);
    if (given == nullptr) {
      return Diagnostic(code::check_failed_to_run, item.span,
                        "a library's function is called with numbers, not with ranges")
          .help("ask `in float`, or `in accept(P)` with an accuracy profile P");
    }
    if (given->size() == out.size()) {
      columns.push_back(given->bytes.data());
      continue;
    }
    ir::HostTensor& column = repeated.emplace_back(type.scalar, shape);
    for (std::int64_t i = 0; i < out.size(); ++i) column.set_bits(i, given->bits(0));
    columns.push_back(column.bytes.data());
  }
  item.library->call(type.scalar, columns, static_cast<std::size_t>(out.size()), out.bytes.data());

  std::vector<interp::Values> results;
  results.emplace_back(floats, type.scalar, shape);
  if (const auto fault = floats.load(type.scalar, out.bytes.data(), static_cast<std::size_t>(out.size()),
                                     results.back().data())) {
    return Diagnostic(fault->code, item.span, fault->message);
  }
  return results;
}

}  // namespace reckon::check
