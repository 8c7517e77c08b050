#include "check/every_input.h"

#include <algorithm>

#include "check/index_limits.h"
#include "ir/integer.h"
#include "numerics/format.h"

namespace reckon::check {

namespace {

/// The most inputs that are all tried: those of 16 bits.
constexpr std::int64_t max_every_input = 1 << 16;

/// for i: f(x[i], y[i], ...)
ir::Function over_all(ir::Module& module, ir::Function function, std::int64_t count) {
  const ir::PlacesGuard placing(module, function.places);
  const ir::IndexId extent = module.indices().constant(count);
  const ir::VariableId variable = module.fresh_variable();
  ir::Module::Substitution substitution;
  for (std::uint32_t k = 0; k < function.parameters.size(); ++k) {
    ir::Parameter& parameter = function.parameters[k];
    parameter.type = module.types().tensor(module.types()[parameter.type].scalar, {extent});
    substitution.parameters.push_back(module.element(module.parameter(k, parameter.type), {module.indices().variable(variable)}));
  }
  function.body = module.map({variable}, {extent}, module.substitute(function.body, substitution));
  function.result = module[function.body].type;
  return function;
}

bool takes_scalars(const ir::Module& module, const frontend::ElaboratedItem& item, const interp::Semantics& semantics) {
  using frontend::Item;
  const bool asked = item.relation == Item::Relation::equal || item.relation == Item::Relation::ordered ||
                     (item.relation == Item::Relation::near && item.tolerance != frontend::Tolerance::Kind::bound &&
                      item.tolerance != frontend::Tolerance::Kind::orders);
  if (!asked || !item.right || item.trials) return false;
  // Under `exact`, truth values alone are what they are under `float`.
  const bool truths =
      semantics.traits().reals && std::ranges::all_of(item.left->parameters, [&](const auto& parameter) {
        return module.types()[parameter.type].scalar == ir::Scalar::boolean;
      });
  if (!semantics.traits().floats && !truths) return false;
  for (const ir::Function* side : {&*item.left, &*item.right}) {
    if (!side->dimensions.empty() || side->parameters.empty()) return false;
    if (module.types()[side->result].kind != ir::TypeKind::scalar) return false;
    for (const ir::Parameter& parameter : side->parameters) {
      const ir::Type& type = module.types()[parameter.type];
      if (type.kind != ir::TypeKind::scalar || !can_draw(type.scalar)) return false;
    }
  }
  return true;
}

frontend::ElaboratedItem lifted(ir::Module& module, const frontend::ElaboratedItem& item, std::int64_t count) {
  frontend::ElaboratedItem all = item;
  all.left = over_all(module, *item.left, count);
  all.right = over_all(module, *item.right, count);
  all.ranges.clear();
  return all;
}

}  // namespace

std::optional<ManyInputs> try_many_inputs(ir::Module& module, const frontend::ElaboratedItem& item,
                                          interp::Semantics& semantics, const interp::EvaluateOptions& options,
                                          std::int64_t count) {
  if (!takes_scalars(module, item, semantics)) return std::nullopt;
  constexpr std::int64_t block = 32;
  const Inputs inputs(module, item, semantics);
  const std::vector<Family>& families = inputs.families();
  std::vector<ir::HostTensor> columns;
  for (const ir::Parameter& parameter : item.left->parameters) {
    columns.emplace_back(module.types()[parameter.type].scalar, std::vector<std::int64_t>{count});
  }
  for (std::int64_t first = 0; first < count; first += block) {
    // In every other block, all inputs are of the same family.
    const auto turn = static_cast<std::uint64_t>(first / block);
    const bool alike = turn % 2 == 0;
    const Family of_all = families[turn / 2 % families.size()];
    std::vector<ir::HostTensor> parts;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const std::uint64_t own = (turn * 31 + k + 1) * 0x9e3779b97f4a7c15ull >> 40;
      const Family family = alike ? of_all : families[own % families.size()];
      ir::HostTensor& part =
          parts.emplace_back(columns[k].scalar, std::vector<std::int64_t>{std::min(block, count - first)});
      const bool same = alike && family == Family::equal && turn / families.size() % 2 == 0;
      const std::uint64_t seed =
          (static_cast<std::uint64_t>(item.seed.value_or(0)) << 40) + (turn << 8) + (same ? 0 : k);
      draw_family(family, part, seed, inputs.constants(), range_of(item, k), turn / families.size());
    }
    if (alike && of_all == Family::cancelling) cancel_each_other(parts, item.ranges, turn / families.size());
    for (std::size_t k = 0; k < columns.size(); ++k) {
      for (std::int64_t i = 0; i < parts[k].size(); ++i) columns[k].set_bits(first + i, parts[k].bits(i));
    }
  }
  const frontend::ElaboratedItem all = lifted(module, item, count);
  const auto trial = Trial::make(module, all, semantics, options);
  if (!trial) return std::nullopt;
  std::vector<interp::Argument> arguments(columns.begin(), columns.end());
  const auto found = trial->compare({}, trial->inputs().given({}, std::move(arguments)), false);
  if (!found || found->truth == interp::Truth::unknown) return std::nullopt;
  ManyInputs out{count, found->any_finite, std::nullopt};
  if (found->truth == interp::Truth::yes) return out;
  if (!found->counterexample || found->counterexample->element.size() != 1) return std::nullopt;
  out.difference.emplace();
  for (const ir::HostTensor& column : columns) {
    ir::HostTensor& one = out.difference->emplace_back(column.scalar, std::vector<std::int64_t>{});
    one.set_bits(0, column.bits(found->counterexample->element.front()));
  }
  return out;
}

namespace {

/// The patterns that a parameter may have within the check's range; nothing if it has more bits than are tried.
std::optional<std::vector<std::uint64_t>> patterns_of(ir::Scalar scalar, const frontend::ElaboratedItem& item,
                                                      std::size_t parameter) {
  if (scalar == ir::Scalar::boolean) return std::vector<std::uint64_t>{0, 1};
  if (ir::byte_width(scalar) > 2) return std::nullopt;
  const bool is_word = ir::is_integer(scalar);
  const ir::Format format = ir::format_of(scalar);
  const std::uint64_t last =
      is_word ? numerics::pattern_mask(ir::integer_traits(scalar)) : numerics::width_mask(format);
  std::vector<std::uint64_t> patterns;
  for (std::uint64_t bits = 0; bits <= last; ++bits) {
    if (is_word) {
      if (!is_allowed(item.ranges, parameter, ir::integer_of(scalar, bits))) continue;
    } else if (range_of(item, parameter) != nullptr) {
      const auto value = numerics::exact_value(bits, format);
      if (!value || !is_allowed(item.ranges, parameter, *value)) continue;
    } else if (numerics::is_nan(bits, format) && bits != numerics::canonical_nan(format)) {
      continue;  // a circuit cannot distinguish NaNs
    }
    patterns.push_back(bits);
  }
  return patterns;
}

}  // namespace

std::optional<EveryInput> try_every_input(ir::Module& module, const frontend::ElaboratedItem& item,
                                          interp::Semantics& semantics, const interp::EvaluateOptions& options) {
  if (!takes_scalars(module, item, semantics)) return std::nullopt;
  const IndexLimits limits(module, item);
  std::vector<std::vector<std::uint64_t>> patterns;
  std::vector<ir::Scalar> scalars;
  std::int64_t count = 1;
  for (std::size_t k = 0; k < item.left->parameters.size(); ++k) {
    scalars.push_back(module.types()[item.left->parameters[k].type].scalar);
    // Indices and divisors are not drawn from all integers.
    if (ir::is_integer(scalars[k]) && !limits.text(k).empty()) return std::nullopt;
    auto own = patterns_of(scalars[k], item, k);
    if (!own || (count *= static_cast<std::int64_t>(own->size())) > max_every_input) return std::nullopt;
    patterns.push_back(std::move(*own));
  }
  std::vector<ir::HostTensor> inputs;
  std::int64_t repeats = count;  // of each pattern, one after the other
  for (std::size_t k = 0; k < scalars.size(); ++k) {
    const auto own = static_cast<std::int64_t>(patterns[k].size());
    if (own > 0) repeats /= own;
    ir::HostTensor& column = inputs.emplace_back(scalars[k], std::vector<std::int64_t>{count});
    for (std::int64_t i = 0; i < count; ++i)
      column.set_bits(i, patterns[k][static_cast<std::size_t>(i / repeats % own)]);
  }

  const frontend::ElaboratedItem all = lifted(module, item, count);
  const auto trial = Trial::make(module, all, semantics, options);
  if (!trial) return std::nullopt;
  const auto found = trial->compare({}, trial->inputs().given({}, {inputs.begin(), inputs.end()}), false);
  if (!found || found->truth == interp::Truth::unknown) return std::nullopt;
  EveryInput out{count, std::nullopt};
  if (found->truth == interp::Truth::yes) return out;
  if (!found->counterexample || found->counterexample->element.size() != 1) return std::nullopt;
  out.difference.emplace();
  for (const ir::HostTensor& column : inputs) {
    ir::HostTensor& one = out.difference->emplace_back(column.scalar, std::vector<std::int64_t>{});
    one.set_bits(0, column.bits(found->counterexample->element.front()));
  }
  return out;
}

}  // namespace reckon::check
