#include "check/opened_sum.h"

#include <fmt/format.h>

#include <algorithm>

#include "check/inputs.h"
#include "diagnostics/codes/empty_reduction.h"
#include "diagnostics/codes/not_one_reduction.h"
#include "diagnostics/codes/too_large.h"
#include "ir/op.h"
#include "ir/passes/bottom_up.h"
#include "ir/visit.h"

namespace reckon::check {
namespace {

constexpr std::int64_t max_leaves = std::int64_t{1} << 28;

bool is_fold(const ir::Node& node) {
  return node.op == ir::Op::reduce || node.op == ir::Op::scan || node.op == ir::Op::loop;
}

/// Whether the order of a fold's operations matters to floats.
bool rounds(const ir::Module& module, const ir::Node& node) {
  if (node.op == ir::Op::loop) return true;
  const ir::Reduction& reduction = module.reduction_of(node);
  if (reduction.user || node.op == ir::Op::scan) return true;
  return reduction.operation == ir::Op::add || reduction.operation == ir::Op::mul;
}

/// The folds that round and are not inside other folds.
std::vector<ir::NodeId> outer_sums(const ir::Module& module, ir::NodeId place) {
  std::vector<ir::NodeId> out;
  ir::walk(module, {place}, [&](ir::NodeId id) {
    if (!is_fold(module[id]) || !rounds(module, module[id])) return ir::Walk::below;
    out.push_back(id);
    return ir::Walk::beside;
  });
  return out;
}

}  // namespace

std::int64_t OpenedSum::elements() const {
  std::int64_t out = 1;
  for (std::int64_t extent : shape_) out *= extent;
  return out;
}

std::vector<std::uint64_t> OpenedSum::row(const ir::HostTensor& tensor, std::int64_t e) const {
  const std::int64_t first = shared_ ? 0 : e * length_;
  std::vector<std::uint64_t> out;
  out.reserve(static_cast<std::size_t>(length_));
  for (std::int64_t i = 0; i < length_; ++i) out.push_back(tensor.bits(first + i));
  return out;
}

Expected<OpenedSum> OpenedSum::open(ir::Module& module, const ir::Function& function,
                                    const std::vector<interp::Argument>& arguments, const ir::Dimensions& sizes,
                                    interp::Semantics& floats, const interp::EvaluateOptions& options, SourceSpan asked,
                                    std::string_view asker) {
  const auto refused = [&](const std::string& why, ir::NodeId at) {
    return Diagnostic(code::not_one_reduction, asked,
                      fmt::format("`{}` is about the orders of one sum: {}", asker, why))
        .with(module.span(at), "the circuit's result")
        .help("ask about a circuit that is made of one `sum` or `prod`, or a tensor of such: `for i: sum j: a[i, j]`");
  };
  const auto sized = driver::at_shapes(module, function, interp::shapes_of(arguments), sizes);
  if (!sized) return sized.error();
  OpenedSum out(module, floats, arguments, options);
  out.concrete_ = *sized;
  out.place_ = out.concrete_.body;
  if (module[out.place_].op == ir::Op::map) {
    ir::Node map = module[out.place_];
    module.open(map);
    out.variables_ = map.variables;
    out.extents_ = map.indices;
    out.place_ = map.operands[0];
  }
  for (ir::IndexId extent : out.extents_) {
    const auto size = module.indices().as_constant(extent);
    if (!size) return refused("this circuit's result has no fixed shape", out.concrete_.body);
    out.shape_.push_back(*size);
  }
  const ir::Type result = module.type(out.place_);
  if (result.kind == ir::TypeKind::tuple || !result.extents.empty()) {
    return refused("this result is no number, and no tensor of numbers that one binder makes", out.concrete_.body);
  }
  out.result_ = result.scalar;

  const std::vector<ir::NodeId> sums = outer_sums(module, out.place_);
  if (sums.empty()) return refused("this circuit has no sum", out.concrete_.body);
  if (sums.size() > 1) return refused(fmt::format("this circuit has {}", sums.size()), sums[1]);
  out.sum_ = sums[0];
  ir::Node fold = module[out.sum_];
  if (fold.op == ir::Op::loop) return refused("a loop carries out its sums in every round", out.sum_);
  if (fold.op == ir::Op::scan) return refused("a scan has many results of different lengths", out.sum_);
  const ir::Reduction reduction = module.reduction_of(fold);
  if (reduction.user) return refused("this reduction has an operation of its own", out.sum_);
  const ir::Type type = module.type(out.sum_);
  if (type.kind == ir::TypeKind::tuple || !ir::is_float(type.scalar) || type.scalar > ir::Scalar::bf16) {
    return refused(fmt::format("it knows those of f64, f32, f16 and bf16, and this one is of `{}`",
                               ir::type_text(module, module[out.sum_].type)),
                   out.sum_);
  }
  for (ir::VariableId variable : module.free_variables(out.sum_)) {
    if (std::ranges::find(out.variables_, variable) == out.variables_.end()) {
      return refused("this sum depends on the index of a binder inside of the circuit", out.sum_);
    }
  }
  out.direct_ = out.sum_ == out.place_;
  out.shared_ = module.free_variables(out.sum_).empty();
  out.operation_ = reduction.operation == ir::Op::add ? numerics::FoldOperation::add : numerics::FoldOperation::mul;
  out.schedule_ = reduction.schedule;
  module.open(fold);
  const auto nested = ir::find_node(module, {fold.operands[0]},
                                    [&](ir::NodeId id) { return is_fold(module[id]) && rounds(module, module[id]); });
  if (nested) return refused("the leaves of this sum are made of sums", *nested);
  const auto length = module.indices().as_constant(fold.indices[0]);
  if (!length) return refused("the lengths of these sums differ", out.sum_);
  out.length_ = *length;
  if (out.length_ < 1) {
    return Diagnostic(code::empty_reduction, asked, "this sum has no elements, and so no orders")
        .with(module.span(out.sum_), "nothing to sum");
  }
  if (out.length_ > max_leaves / std::max<std::int64_t>(out.shared_ ? 1 : out.elements(), 1)) {
    return Diagnostic(code::too_large, asked, fmt::format("`{}` follows at most 2^28 leaves", asker));
  }
  if (auto failure = out.evaluate_leaves(fold)) return *failure;
  return out;
}

Expected<ir::HostTensor> OpenedSum::at_all_leaves(ir::NodeId body, const ir::Node& fold) const {
  ir::Module& module = *module_;
  auto over = shared_ ? std::vector<ir::VariableId>{} : variables_;
  auto lengths = shared_ ? std::vector<ir::IndexId>{} : extents_;
  over.push_back(fold.variables[0]);
  lengths.push_back(fold.indices[0]);
  ir::Function leaves = concrete_;
  leaves.body = module.map(std::move(over), std::move(lengths), body);
  module.places().put(leaves.body, module.span(sum_));
  leaves.result = module[leaves.body].type;
  auto values = interp::evaluate(module, leaves, *floats_, *arguments_, {}, *options_);
  if (!values) return values.error();
  return values->front().host(*floats_);
}

std::optional<Diagnostic> OpenedSum::evaluate_leaves(const ir::Node& fold) {
  auto leaves = at_all_leaves(fold.operands[0], fold);
  if (!leaves) return leaves.error();
  leaves_ = std::move(*leaves);
  const ir::Node leaf = (*module_)[fold.operands[0]];
  if (leaf.op != ir::Op::mul) return std::nullopt;
  auto factors = at_all_leaves(leaf.operands[0], fold), others = at_all_leaves(leaf.operands[1], fold);
  if (!factors) return factors.error();
  if (!others) return others.error();
  factors_ = std::move(*factors);
  others_ = std::move(*others);
  return std::nullopt;
}

Expected<std::vector<std::uint64_t>> OpenedSum::results(std::int64_t e, const std::vector<std::uint64_t>& sums) const {
  if (direct_) return sums;
  ir::Module& module = *module_;
  // The circuit of one element, where an element of an additional parameter replaces the sum.
  const std::vector<std::int64_t> subscripts = subscripts_of(e, shape_);
  ir::Module::Substitution element;
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    element.indices.variables[variables_[d]] = module.indices().constant(subscripts[d]);
  }
  const auto count = static_cast<std::int64_t>(sums.size());
  const ir::IndexId extent = module.indices().constant(count);
  const ir::TypeId type = module.types().tensor(scalar(), {extent});
  const ir::NodeId given = module.parameter(static_cast<std::uint32_t>(concrete_.parameters.size()), type);
  const ir::VariableId k = module.fresh_variable();
  const ir::NodeId value = module.element(given, {module.indices().variable(k)});
  ir::Function after = concrete_;
  after.parameters.push_back({module.symbol("sums"), type, concrete_.span});
  after.body = module.map({k}, {extent}, module.substitute(with_sum(value), element));
  module.places().put(after.body, module.span(concrete_.body));
  after.result = module[after.body].type;
  ir::HostTensor tensor(scalar(), {count});
  for (std::int64_t i = 0; i < count; ++i) tensor.set_bits(i, sums[static_cast<std::size_t>(i)]);
  std::vector<interp::Argument> arguments = *arguments_;
  arguments.push_back(std::move(tensor));
  auto values = interp::evaluate(module, after, *floats_, arguments, {}, *options_);
  if (!values) return values.error();
  const ir::HostTensor found = values->front().host(*floats_);
  std::vector<std::uint64_t> out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(found.bits(i));
  return out;
}

ir::Function OpenedSum::accumulated_in(ir::Scalar narrow) const {
  ir::Module& module = *module_;
  const bool plain =
      !module.schedules().has_arithmetic(schedule_) && !ir::is_set_of_orders(module.schedules()[schedule_].op);
  ir::Node fold = module[sum_];
  module.open(fold);
  ir::Module::Fold narrowed{fold.variables[0], fold.indices[0], module.convert(fold.operands[0], narrow)};
  narrowed.operation = module.reduction_of(fold).operation;
  narrowed.schedule = plain ? schedule_ : module.schedules().simple(ir::ScheduleOp::seq);
  const ir::NodeId sum = module.convert(module.reduce(narrowed), scalar());
  ir::Function out = concrete_;
  out.body = with_sum(sum);
  if (!variables_.empty()) out.body = module.map(variables_, extents_, out.body);
  module.places().put(out.body, module.span(concrete_.body));
  return out;
}

ir::NodeId OpenedSum::with_sum(ir::NodeId value) const {
  ir::Module& module = *module_;
  return ir::BottomUp(module,
                      [&](ir::NodeId id, const ir::Node& node, std::vector<ir::NodeId> operands) {
                        if (id == sum_) return value;
                        return operands == node.operands ? id : module.rebuild(node, std::move(operands));
                      })
      .run(place_);
}

}  // namespace reckon::check
