#include "semantics/accept/circuits.h"

#include <fmt/format.h>

#include <bit>

#include "diagnostics/codes/unsupported_operation.h"
#include "semantics/accept/values.h"

namespace reckon::interp::accept {

namespace {
/// Arguments are padded to a power of two up to this number, so that a circuit is expanded for few lengths.
constexpr std::size_t at_once = 1024;
}  // namespace

void Circuits::Circuit::take(std::unique_ptr<ir::Module> own) {
  module = std::move(own);
  prepared = std::make_unique<CircuitCache>(*module);
}

EvaluateOptions Circuits::Circuit::options() const {
  EvaluateOptions out;
  out.circuits = prepared.get();
  return out;
}

std::optional<Fault> Circuits::prepare(Circuit& circuit, const std::string& name, ir::Scalar scalar,
                                       std::size_t arity) {
  const auto problem = [&](std::string_view what) {
    return Fault{code::unsupported_operation,
                 fmt::format("the profile `{}` refers to the circuit `{}`, {}", profile_->name, name, what), ""};
  };
  const ir::Function* found = profile_->circuits ? profile_->circuits->find(name) : nullptr;
  if (found == nullptr) return problem("which it does not have");
  circuit.take(profile_->circuits->copy());
  ir::Module& module = *circuit.module;
  ir::Function function = *module.find(name);
  const ir::TypeId type = module.types().scalar(scalar);
  bool fits = function.parameters.size() == arity && function.dimensions.empty() && function.result == type;
  for (const ir::Parameter& parameter : function.parameters) fits &= parameter.type == type;
  if (!fits)
    return problem(fmt::format("which does not go from {} scalars of `{}` to one", arity, ir::scalar_name(scalar)));

  const ir::PlacesGuard placing(module, function.places);
  // The circuit is: for i: f(x[i], ...).
  const ir::SymbolId length = module.symbol("length of a batch");
  const ir::IndexId extent = module.indices().dimension(length);
  const ir::VariableId variable = module.fresh_variable();
  const ir::TypeId vector = module.types().tensor(scalar, {extent});
  ir::Module::Substitution substitution;
  for (std::size_t k = 0; k < arity; ++k) {
    function.parameters[k].type = vector;
    const ir::NodeId whole = module.parameter(static_cast<std::uint32_t>(k), vector);
    substitution.parameters.push_back(module.element(whole, {module.indices().variable(variable)}));
  }
  function.dimensions = {length};
  function.body = module.map({variable}, {extent}, module.substitute(function.body, substitution));
  function.result = module[function.body].type;
  circuit.function = std::move(function);
  return std::nullopt;
}

Fault Circuits::rests_on_itself(const std::string& name) const {
  return {code::unsupported_operation,
          fmt::format("the circuit `{}` of the profile `{}` needs its own accuracy", name, profile_->name), ""};
}

std::optional<Diagnostic> Circuits::call(Semantics& semantics, int number, const std::vector<const Values*>& arguments,
                                         std::vector<Values>& out) {
  Circuit& circuit = of_builtins_[static_cast<std::size_t>(number)];
  const std::string& name = names_[static_cast<std::size_t>(number)];
  if (circuit.active) return Diagnostic(code::unsupported_operation, {}, rests_on_itself(name).message);
  if (circuit.module == nullptr) {
    if (profile_->circuits == nullptr || profile_->circuits->find(name) == nullptr) {
      return Diagnostic(code::unsupported_operation, {},
                        fmt::format("the profile `{}` has no circuit `{}`", profile_->name, name));
    }
    circuit.take(profile_->circuits->copy());
    circuit.function = *circuit.module->find(name);
  }
  std::vector<Argument> given;
  for (const Values* values : arguments) {
    given.emplace_back(
        MadeTensor{values->scalar(), values->shape(), std::make_shared<Values>(copied(semantics, *values))});
  }
  circuit.active = true;
  auto results = evaluate(*circuit.module, circuit.function, semantics, given, {}, circuit.options());
  circuit.active = false;
  if (!results) return results.error();
  out = std::move(*results);
  return std::nullopt;
}

std::optional<Fault> Circuits::run(Semantics& semantics, int number, ir::Scalar scalar, const Jobs& jobs,
                                   std::vector<Answers>& out) {
  Circuit& circuit = of_operations_[static_cast<std::size_t>(number)];
  const std::string& name = names_[static_cast<std::size_t>(number)];
  if (circuit.active) return rests_on_itself(name);
  const auto arity = static_cast<std::size_t>(jobs.arity);
  if (circuit.module == nullptr) {
    if (auto fault = prepare(circuit, name, scalar, arity)) {
      circuit.module = nullptr;
      return fault;
    }
  }
  const std::size_t count = jobs.slots.size();
  out.resize(count);
  for (std::size_t first = 0; first < count; first += at_once) {
    const std::size_t some = std::min(at_once, count - first), padded = std::bit_ceil(some);
    std::vector<Argument> arguments;
    for (std::size_t k = 0; k < arity; ++k) {
      auto values = std::make_shared<Values>(semantics, scalar, std::vector{static_cast<std::int64_t>(padded)});
      auto* to = reinterpret_cast<Answers*>(values->data());
      for (std::size_t i = 0; i < padded; ++i) to[i] = jobs.arguments[(first + std::min(i, some - 1)) * arity + k];
      arguments.emplace_back(MadeTensor{scalar, values->shape(), values});
    }
    circuit.active = true;
    auto results = evaluate(*circuit.module, circuit.function, semantics, arguments, {}, circuit.options());
    circuit.active = false;
    if (!results) {
      const Diagnostic& diagnostic = results.error();
      return Fault{diagnostic.code, fmt::format("in the circuit `{}`: {}", name, diagnostic.message),
                   diagnostic.helps.empty() ? std::string() : diagnostic.helps.front()};
    }
    const auto* from = reinterpret_cast<const Answers*>(results->front().data());
    std::copy(from, from + some, out.begin() + static_cast<std::ptrdiff_t>(first));
  }
  return std::nullopt;
}

}  // namespace reckon::interp::accept
