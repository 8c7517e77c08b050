#include "check/identity.h"

#include "ir/printer.h"
#include "ir/visit.h"
#include "sweep/bytes.h"

namespace reckon::check {

namespace {

void write_circuit(sweep::Writer& out, const ir::Module& module, const std::optional<ir::Function>& circuit) {
  out.truth(circuit.has_value());
  if (!circuit) return;
  out.text(ir::print(module, *circuit));
  // The text has the names of loaded files, and not their contents. The order of a visit may differ between processes.
  std::uint64_t contents = 0;
  ir::visit_nodes(module, {circuit->body}, [&](ir::NodeId id) {
    if (module[id].op != ir::Op::source) return;
    const ir::Source& source = module.source_of(id);
    if (!source.data) return;
    const auto* bytes = reinterpret_cast<const char*>(source.data->bytes.data());
    contents += sweep::hashed({bytes, source.data->bytes.size()}, sweep::hashed(source.path));
  });
  out.number(contents);
}

}  // namespace

std::uint64_t identity_of(const ir::Module& module, const frontend::ElaboratedItem& item,
                          const interp::Semantics& semantics) {
  sweep::Writer out;
  out.text(item.text);
  out.text(item.left_text);
  out.text(item.right_text);
  write_circuit(out, module, item.left);
  write_circuit(out, module, item.right);
  out.number(static_cast<std::uint64_t>(item.relation));
  out.number(static_cast<std::uint64_t>(item.tolerance));
  out.text(item.low.get_str(16));
  out.text(item.high.get_str(16));
  out.text(item.order_text);
  for (const frontend::RangeClause& range : item.ranges) {
    out.number(std::uint64_t{range.parameter});
    out.text(range.low.get_str(16));
    out.text(range.high.get_str(16));
    out.number(std::int64_t{range.sign});
    for (const mpq_class& landmark : range.landmarks) out.text(landmark.get_str(16));
  }
  out.number(item.trials.value_or(-1));
  out.number(item.seed.value_or(0));
  out.truth(item.where_both_defined);
  out.truth(item.everywhere);
  out.text(semantics.name());
  if (item.semantics) {
    for (const std::string& argument : item.semantics->arguments) out.text(argument);
  }
  return sweep::hashed(out.bytes);
}

}  // namespace reckon::check
