#include "check/every_input.h"

#include "numerics/format.h"

namespace reckon::check {

namespace {

/// for i: f(x[i])
ir::Function over_all(ir::Module& module, ir::Function function, std::int64_t count) {
  const ir::Placing placing(module, function.places);
  const ir::IndexId extent = module.indices().constant(count);
  const ir::VariableId variable = module.fresh_variable();
  const ir::TypeId all = module.types().tensor(module.types()[function.parameters[0].type].scalar, {extent});
  ir::Module::Substitution substitution;
  substitution.parameters = {module.element(module.parameter(0, all), {module.indices().variable(variable)})};
  function.parameters[0].type = all;
  function.body = module.map({variable}, {extent}, module.substitute(function.body, substitution));
  function.result = module[function.body].type;
  return function;
}

}  // namespace

std::optional<EveryInput> try_every_input(ir::Module& module, const frontend::ElaboratedItem& item,
                                          interp::Semantics& semantics, const interp::EvaluateOptions& options) {
  using frontend::Item;
  const bool asked = item.relation == Item::Relation::equal ||
                     (item.relation == Item::Relation::near && item.tolerance != frontend::Tolerance::Kind::bound &&
                      item.tolerance != frontend::Tolerance::Kind::orders);
  if (!asked || !item.right || item.trials || !semantics.name().starts_with("float")) return std::nullopt;
  for (const ir::Function* side : {&*item.left, &*item.right}) {
    const ir::Type& result = module.types()[side->result];
    if (!side->dimensions.empty() || side->parameters.size() != 1 || result.kind != ir::TypeKind::scalar) return std::nullopt;
  }
  const ir::Type& type = module.types()[item.left->parameters[0].type];
  if (type.kind != ir::TypeKind::scalar || !ir::is_float(type.scalar) || ir::byte_width(type.scalar) > 2) return std::nullopt;
  const ir::Format format = ir::format_of(type.scalar);
  const ir::Scalar scalar = type.scalar;

  std::vector<std::uint64_t> patterns;
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << (8 * ir::byte_width(scalar)); ++bits) {
    if (const frontend::RangeClause* range = range_of(item, 0)) {
      const auto value = numerics::exact_value(bits, format);
      if (!value || (range->sign != 0 ? sgn(*value) != range->sign : *value < range->low || *value > range->high)) continue;
    } else if (numerics::is_nan(bits, format) && bits != numerics::canonical_nan(format)) {
      continue;  // a circuit tells no NaN from another
    }
    patterns.push_back(bits);
  }
  const auto count = static_cast<std::int64_t>(patterns.size());
  ir::HostTensor inputs(scalar, {count});
  for (std::int64_t i = 0; i < count; ++i) inputs.set_bits(i, patterns[static_cast<std::size_t>(i)]);

  frontend::ElaboratedItem all = item;
  all.left = over_all(module, *item.left, count);
  all.right = over_all(module, *item.right, count);
  all.ranges.clear();
  const auto trial = Trial::make(module, all, semantics, options);
  if (!trial) return std::nullopt;
  const auto found = trial->compare({}, trial->inputs().given({inputs}), false);
  if (!found || found->truth == interp::Truth::unknown) return std::nullopt;
  EveryInput out{count, std::nullopt};
  if (found->truth == interp::Truth::yes) return out;
  if (!found->counterexample || found->counterexample->element.size() != 1) return std::nullopt;
  out.difference.emplace(scalar, std::vector<std::int64_t>{});
  out.difference->set_bits(0, inputs.bits(found->counterexample->element.front()));
  return out;
}

}  // namespace reckon::check
