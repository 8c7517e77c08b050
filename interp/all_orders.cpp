#include "interp/all_orders.h"

#include <fmt/format.h>

#include <limits>
#include <map>

#include "diagnostics/codes/empty_reduction.h"
#include "diagnostics/codes/interrupted.h"
#include "diagnostics/codes/not_available.h"
#include "diagnostics/codes/not_one_reduction.h"
#include "diagnostics/codes/orders_needed.h"
#include "diagnostics/codes/shape_mismatch.h"
#include "diagnostics/codes/too_large.h"
#include "diagnostics/codes/unsupported_operation.h"
#include "driver/prepare.h"
#include "ir/bind.h"
#include "ir/fold_operation.h"

namespace reckon::interp {
namespace {

/// The parts of a circuit's result: for each element, one fold of the leaves.
struct Folds {
  std::vector<ir::VariableId> variables;  ///< of the elements
  std::vector<ir::IndexId> extents;
  ir::NodeId place;
  ir::Node fold;  ///< with its variables free
  std::vector<std::int64_t> shape;
  std::int64_t length = 0;
  numerics::OrderSet orders{};
  numerics::FoldOperation operation{};
};

class QuestionContext {
 public:
  QuestionContext(ir::Module& module, SourceSpan asked, std::string_view name)
      : module_(module), asked_(asked), name_(name) {}

  Expected<Folds> folds(const ir::Function& function) {
    Folds out;
    ir::Node node = module_[function.body];
    out.place = function.body;
    if (node.op == ir::Op::map) {
      module_.open(node);
      out.variables = node.variables;
      out.extents = node.indices;
      for (ir::IndexId extent : node.indices) {
        const auto size = module_.indices().as_constant(extent);
        if (!size) return not_one("this circuit's result has no fixed shape", function.body);
        out.shape.push_back(*size);
      }
      out.place = node.operands[0];
      node = module_[out.place];
    }
    if (node.op == ir::Op::scan) return not_one("a scan has many results of different lengths", out.place);
    if (node.op != ir::Op::reduce)
      return not_one("this is no reduction, or something is done with its result", out.place);
    const ir::Reduction reduction = module_.reduction_of(node);
    module_.open(node);
    out.fold = node;
    if (reduction.user) {
      return ir::orders_of_function(module_, out.place)
          .with(asked_, fmt::format("`{}` asks about all orders", name_))
          .help("`+`, `*`, `min` and `max` of the two operands are followed");
    }
    const auto length = module_.indices().as_constant(node.indices[0]);
    if (!length) return not_one("the lengths of these reductions differ", out.place);
    out.length = *length;
    if (out.length < 1) {
      return Diagnostic(code::empty_reduction, asked_, "this reduction has no elements, and so no orders")
          .with(module_.span(out.place), "nothing to reduce");
    }
    const auto head = module_.schedules().head(reduction.schedule, out.length);
    const ir::ScheduleOp set = module_.schedules()[head.schedule].op;
    if (head.problem && head.problem->kind != ir::ScheduleProblem::Kind::no_single_order) {
      return ir::schedule_diagnostic(module_, reduction.schedule, *head.problem, module_.span(out.place));
    }
    if (ir::is_limited_set(set)) {
      return Diagnostic(code::not_available, asked_,
                        fmt::format("`{}` follows `any`, `any_tree` and `any_seq`, and this reduction is by `{}`",
                                    name_, ir::schedule_text(module_, reduction.schedule)))
          .with(module_.span(out.place), "a limited set of orders")
          .help("ask about `any`, which holds these orders, or how far they may err: `show f(x) in bound(any)`");
    }
    const std::vector<ir::ScheduleId>& inner = module_.schedules()[head.schedule].operands;
    if (set == ir::ScheduleOp::fused && !inner.empty() &&
        ir::is_set_of_orders(module_.schedules()[inner.front()].op)) {
      return Diagnostic(code::not_available, asked_,
                        fmt::format("`{}` follows orders of additions, and in `{}` each addition is one rounding with "
                                    "its product",
                                    name_, ir::schedule_text(module_, reduction.schedule)))
          .with(module_.span(out.place), "products are added by fma")
          .help("ask how far such sums may err: `show f(x) in bound(any)`; or about the products rounded first, `by any`");
    }
    switch (set) {
      case ir::ScheduleOp::any: out.orders = numerics::OrderSet::any; break;
      case ir::ScheduleOp::any_tree: out.orders = numerics::OrderSet::any_tree; break;
      case ir::ScheduleOp::any_seq: out.orders = numerics::OrderSet::any_seq; break;
      default:
        return Diagnostic(code::orders_needed, asked_,
                          fmt::format("`{}` asks about all orders, and this reduction is by `{}`", name_,
                                      ir::schedule_text(module_, reduction.schedule)))
            .with(module_.span(out.place), "one order is stated here")
            .help(
                "write `by any` for every tree on every permutation, `by any_tree` for every tree in place, `by "
                "any_seq` "
                "for left folds of every permutation");
    }
    using numerics::FoldOperation;
    out.operation = reduction.operation == ir::Op::add   ? FoldOperation::add
                    : reduction.operation == ir::Op::mul ? FoldOperation::mul
                    : reduction.operation == ir::Op::min ? FoldOperation::min
                                                         : FoldOperation::max;
    return out;
  }

  /// A function that gives all leaves as one tensor, whose indices are the elements' and then the fold's.
  ir::Function leaves(const ir::Function& function, const Folds& folds) {
    auto variables = folds.variables;
    auto extents = folds.extents;
    variables.push_back(folds.fold.variables[0]);
    extents.push_back(folds.fold.indices[0]);
    ir::Function out = function;
    out.body = module_.map(std::move(variables), std::move(extents), folds.fold.operands[0]);
    module_.places().put(out.body, module_.span(folds.place));
    out.result = module_[out.body].type;
    return out;
  }

 private:
  Diagnostic not_one(std::string why, ir::NodeId at) const {
    return Diagnostic(code::not_one_reduction, asked_,
                      fmt::format("`{}` is about the orders of one reduction: {}", name_, why))
        .with(module_.span(at), "the circuit's result")
        .help(
            "ask about a circuit that ends in `sum`, `prod`, `min` or `max`, or in a tensor of them: "
            "`for i: sum j: a[i, j] by any`");
  }

  ir::Module& module_;
  SourceSpan asked_;
  std::string_view name_;
};

Expected<ir::HostTensor> float_values(ir::Module& module, const ir::Function& function, Semantics& semantics,
                                      const EvaluateOptions& options) {
  auto values = evaluate(module, function, semantics, {}, {}, options);
  if (!values) return values.error();
  return values->front().host(semantics);
}

}  // namespace

Expected<OrdersAnswer> all_orders(ir::Module& module, const ir::Function& given, const ir::Function* target,
                                  Semantics& semantics, const EvaluateOptions& options, SourceSpan asked,
                                  std::string_view name) {
  if (const driver::Traits traits = semantics.traits(); !traits.floats || !traits.rounds_to_nearest) {
    return Diagnostic(code::unsupported_operation, asked,
                      fmt::format("`{}` is about rounding, and `{}` has no rounding to order", name, semantics.name()))
        .help("ask in `float`");
  }
  const ir::Function function = driver::settled_calls(module, given, semantics.traits());
  const ir::PlacesGuard placing(module, function.places);
  QuestionContext asker(module, asked, name);
  auto folds = asker.folds(function);
  if (!folds) return folds.error();
  auto leaves = float_values(module, asker.leaves(function, *folds), semantics, options);
  if (!leaves) return leaves.error();
  if (folds->length > std::numeric_limits<std::int32_t>::max() / 2) {
    return Diagnostic(code::too_large, asked, fmt::format("`{}` follows at most 2^30 leaves", name));
  }

  OrdersAnswer out;
  out.scalar = leaves->scalar;
  out.shape = folds->shape;
  out.orders = folds->orders;
  out.leaves = folds->length;
  std::optional<ir::HostTensor> targets;
  if (target != nullptr) {
    auto values = float_values(module, *target, semantics, options);
    if (!values) return values.error();
    const bool several = values->shape.size() == out.shape.size() + 1 &&
                         std::equal(out.shape.begin(), out.shape.end(), values->shape.begin() + 1);
    if (!several && !values->shape.empty() && values->shape != out.shape) {
      return Diagnostic(code::shape_mismatch, asked,
                        fmt::format("the values asked for have the shape [{}], and the circuit's result has [{}]",
                                    fmt::join(values->shape, ", "), fmt::join(out.shape, ", ")))
          .help(
              "give one number for all elements, a tensor of the result's shape, or with one dimension more in front, "
              "for the results of several runs");
    }
    if (several) out.runs = values->shape[0];
    targets = std::move(*values);
  }
  numerics::OrderLimits limits;
  limits.interrupted = options.interrupted;
  const std::int64_t elements = leaves->size() / folds->length;
  const std::int64_t runs = out.runs.value_or(1);
  if (targets) {
    out.attained.resize(static_cast<std::size_t>(runs * elements));
    const bool one_for_all = targets->shape.empty();
    for (std::int64_t k = 0; k < runs * elements; ++k) out.targets.push_back(targets->bits(one_for_all ? 0 : k));
  }
  for (std::int64_t e = 0; e < elements; ++e) {
    numerics::OrderQuestion question{folds->orders, folds->operation, ir::format_of(out.scalar), {}};
    question.leaves.reserve(static_cast<std::size_t>(folds->length));
    for (std::int64_t i = 0; i < folds->length; ++i) question.leaves.push_back(leaves->bits(e * folds->length + i));
    bool finished = true;
    if (targets) {
      std::map<std::uint64_t, numerics::Attains> known;  // the results of several runs often agree
      for (std::int64_t run = 0; run < runs && finished; ++run) {
        const auto at = static_cast<std::size_t>(run * elements + e);
        auto found = known.find(out.targets[at]);
        if (found == known.end()) {
          auto answer = numerics::attains(question, out.targets[at], limits);
          finished = answer.has_value();
          if (!finished) break;
          found = known.emplace(out.targets[at], std::move(*answer)).first;
        }
        out.attained[at] = found->second;
      }
    } else {
      auto answer = numerics::spread(question, limits);
      finished = answer.has_value();
      if (finished) out.spreads.push_back(std::move(*answer));
    }
    if (!finished && !targets) return Diagnostic(code::interrupted, asked, "interrupted");
    if (!finished) {
      out.ended_early = true;
      break;
    }
  }
  return out;
}

}  // namespace reckon::interp
