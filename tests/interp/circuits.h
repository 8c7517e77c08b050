// Small circuits built with the Module API, and short ways to run them.
#pragma once

#include <bit>
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "interp/evaluate.h"
#include "ir/op.h"
#include "numerics/elementary.h"
#include "semantics/standard.h"

namespace reckon::interp::testing {

using ir::IndexId;
using ir::NodeId;
using ir::Op;
using ir::Scalar;
using ir::ScheduleId;
using ir::VariableId;

/// e^x by MPFR.
inline float correct_exp(float x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(
      numerics::mpfr_unary(numerics::Function::exp, std::bit_cast<std::uint32_t>(x), numerics::Format::f32)));
}

struct Circuit {
  ir::Module module;
  ir::Function function;

  ir::IndexStore& index() { return module.indices(); }
  ir::ScheduleStore& schedules() { return module.schedules(); }
  IndexId constant(std::int64_t value) { return index().constant(value); }
  IndexId at(VariableId variable) { return index().variable(variable); }
  IndexId dimension(const char* name) {
    const ir::SymbolId symbol = module.symbol(name);
    if (std::find(function.dimensions.begin(), function.dimensions.end(), symbol) == function.dimensions.end()) {
      function.dimensions.push_back(symbol);
    }
    return index().dimension(symbol);
  }

  NodeId parameter(const char* name, Scalar scalar, std::vector<IndexId> extents = {}) {
    const ir::TypeId type = extents.empty() ? module.types().scalar(scalar) : module.types().tensor(scalar, extents);
    function.parameters.push_back({module.symbol(name), type, {}});
    return module.parameter(static_cast<std::uint32_t>(function.parameters.size() - 1), type);
  }

  NodeId map(std::vector<IndexId> extents, const std::function<NodeId(std::vector<VariableId>)>& body) {
    std::vector<VariableId> variables;
    for (std::size_t k = 0; k < extents.size(); ++k) variables.push_back(module.fresh_variable());
    return module.map(variables, extents, body(variables));
  }
  ir::Module::Fold fold(Op op, IndexId extent, ScheduleId schedule, const std::function<NodeId(VariableId)>& body) {
    ir::Module::Fold fold;
    fold.variable = module.fresh_variable();
    fold.extent = extent;
    fold.operation = op;
    fold.schedule = schedule;
    fold.body = body(fold.variable);
    return fold;
  }
  NodeId reduce(Op op, IndexId extent, ScheduleId schedule, const std::function<NodeId(VariableId)>& body) {
    return module.reduce(fold(op, extent, schedule, body));
  }
  /// A fold by a function of two nodes.
  ir::Module::Fold user_fold(IndexId extent, ScheduleId schedule, const std::function<NodeId(VariableId)>& body,
                             const std::function<NodeId(NodeId, NodeId)>& operation) {
    ir::Module::Fold made = fold(Op::add, extent, schedule, body);
    made.left = module.fresh_variable();
    made.right = module.fresh_variable();
    const ir::TypeId type = module[made.body].type;
    made.user_operation = operation(module.operand(made.left, type), module.operand(made.right, type));
    return made;
  }

  ScheduleId seq() { return schedules().simple(ir::ScheduleOp::seq); }
  ScheduleId tree() { return schedules().simple(ir::ScheduleOp::tree); }
  ScheduleId halving() { return schedules().simple(ir::ScheduleOp::halving); }
  ScheduleId tile(std::int64_t k, ScheduleId s) { return schedules().tile(constant(k), s); }
  ScheduleId lanes(std::int64_t k, ScheduleId s) { return schedules().lanes(constant(k), s); }
  ScheduleId split(std::int64_t m, ScheduleId a, ScheduleId b) { return schedules().split(constant(m), a, b); }
  ScheduleId then(ScheduleId a, ScheduleId b) { return schedules().then(a, b); }

  void result(NodeId body) {
    function.name = module.symbol("f");
    function.body = body;
    function.result = module[body].type;
  }
  Expected<std::vector<Values>> run(Semantics& semantics, const std::vector<Argument>& arguments = {},
                                    std::map<ir::SymbolId, std::int64_t> given = {}, std::size_t batch = 1024) {
    return evaluate(module, function, semantics, arguments, given, {batch});
  }
};

inline std::unique_ptr<Semantics> semantics(const char* name) {
  auto made = make_semantics(name, {}, {});
  REQUIRE(made);
  return std::move(*made);
}

inline ir::HostTensor tensor(std::vector<std::int64_t> shape, const std::vector<float>& values) {
  ir::HostTensor out(Scalar::f32, std::move(shape));
  REQUIRE(out.size() == static_cast<std::int64_t>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i)
    out.set_bits(static_cast<std::int64_t>(i), std::bit_cast<std::uint32_t>(values[i]));
  return out;
}

inline std::vector<float> floats(const Values& values, const Semantics& semantics) {
  const ir::HostTensor host = values.host(semantics);
  std::vector<float> out;
  for (std::int64_t i = 0; i < host.size(); ++i)
    out.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(host.bits(i))));
  return out;
}

/// A small generator, so that failures can be repeated.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t word() {
    state_ += 0x9e3779b97f4a7c15ull;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t n) { return word() % n; }

 private:
  std::uint64_t state_;
};

}  // namespace reckon::interp::testing
