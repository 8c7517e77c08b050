// `iterate(k, f, x)` and `until(f, done, x, at_most k)`: a function carried out again and again.
//
// They are the reduction in order of k + 1 leaves, each of which is x, by the operation (s, _) -> f(s): the first leaf is
// the start, and f is carried out once for each of the others. `until` selects: (s, _) -> s where done(s), else f(s).
#include <fmt/format.h>

#include "diagnostics/codes/argument_count.h"
#include "diagnostics/codes/index_out_of_range.h"
#include "diagnostics/codes/syntax.h"
#include "diagnostics/codes/type_mismatch.h"
#include "frontend/calls.h"
#include "frontend/reduction.h"
#include "ir/op.h"

namespace reckon::frontend {

using ir::IndexId;
using ir::NodeId;
using ir::Op;
using ir::TypeKind;

namespace {

bool is_limit(const Elaborator& elaborator, const Context& context, const Expr& argument) {
  if (argument.kind != ExprKind::call || argument.children.size() != 2) return false;
  const Expr& head = elaborator.expr(context, argument.children[0]);
  return head.kind == ExprKind::name && head.text == "at_most";
}

}  // namespace

Maybe ReductionElaboration::iterate(const Value& operation, const Maybe& done, SourceSpan at_done) {
  parts_ = parts_of(module_, leaves_.body);
  if (!combines_numbers()) return std::nullopt;
  schedule_ = elaborator_.predefined.at("seq").get_if<ScheduleValue>()->schedule;
  const bool is_tuple = module_.type(leaves_.body).kind == TypeKind::tuple;
  Operands operands = operands_of_parts();
  const Value state = joined(module_, operands.left, is_tuple);
  const SourceSpan at = expr(binder_.operation).span;
  const Maybe next = call(elaborator_, operation, {state}, {leaves_.span}, binder_, at);
  if (!next) return std::nullopt;
  ir::IndexSubstitution none;
  const auto node = elaborator_.fit(*next, module_[leaves_.body].type, none, false, at, "the next state");
  if (!node) return std::nullopt;
  operands.results = parts_of(module_, inlined(*node));
  if (done) {
    const Maybe ends = call(elaborator_, *done, {state}, {leaves_.span}, binder_, at_done);
    const auto condition = ends ? elaborator_.node_of(*ends, ir::Scalar::boolean, at_done) : std::nullopt;
    if (!condition) return std::nullopt;
    const ir::Type type = module_.type(*condition);
    if (type.kind != TypeKind::scalar || type.scalar != ir::Scalar::boolean) {
      refuse(Diagnostic(code::type_mismatch, at_done, "`until` needs a condition on the state",
                        fmt::format("what it gives is `{}`", ir::type_text(module_, module_[*condition].type)))
                 .help("a comparison is one: `fn done(x: f32) -> bool = abs(x * x - 2) < 1e-6`"));
      return std::nullopt;
    }
    const NodeId is_done = inlined(*condition);
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      operands.results[part] = for_each_element(module_, parts_[part], [&](const std::vector<IndexId>& subscripts) {
        return module_.apply(Op::select, {is_done, number_at(module_, operands.left[part], subscripts),
                                          number_at(module_, operands.results[part], subscripts)});
      });
    }
  }
  const auto results = results_of(operands, parts_.size());
  if (!results) return std::nullopt;
  return joined(module_, *results, is_tuple);
}

Maybe elaborate_iteration(Elaborator& elaborator, const Context& context, const std::string& name,
                          const Expr& expression) {
  ir::Module& module = elaborator.module;
  const bool until = name == "until";
  const char* form = until ? "until(f, done, x, at_most k)" : "iterate(k, f, x)";
  const std::size_t count = expression.children.size() - 1;
  const auto argument = [&](std::size_t k) -> const Expr& { return elaborator.expr(context, expression.children[k + 1]); };
  if (name == "at_most") {
    return elaborator.report(Diagnostic(code::syntax, expression.span, "`at_most` limits no steps here")
                                 .help("it is the last argument of `until`: `until(f, done, x, at_most 100)`"));
  }
  if (count != (until ? 4 : 3)) {
    return elaborator.report(Diagnostic(code::argument_count, expression.span,
                                        fmt::format("`{}` takes {} arguments and was given {}", name, until ? 4 : 3, count))
                                 .help(fmt::format("write `{}`", form)));
  }
  if (until && !is_limit(elaborator, context, argument(3))) {
    return elaborator.report(
        Diagnostic(code::syntax, argument(3).span, "`until` needs the largest number of steps", "not said to be one")
            .help("write `at_most` before it: every circuit has a known number of operations"));
  }
  const ExprId written_steps = until ? argument(3).children[1] : expression.children[1];
  const SourceSpan at_steps = elaborator.expr(context, written_steps).span;
  const Maybe counted = elaborator.elaborate(context, written_steps);
  const auto steps = counted ? elaborator.index_of(*counted, at_steps, "a number of steps") : std::nullopt;
  if (!steps) return std::nullopt;
  if (const auto known = module.indices().as_constant(*steps); known && *known < 0) {
    return elaborator.fail(code::index_out_of_range, at_steps, fmt::format("there are no {} steps", *known),
                           "a number of steps is at least 0");
  }
  const std::size_t function = until ? 0 : 1;
  const Maybe operation = elaborator.elaborate(context, expression.children[function + 1]);
  const Maybe done = until ? elaborator.elaborate(context, expression.children[2]) : std::nullopt;
  const Maybe start = elaborator.elaborate(context, expression.children[3]);
  if (!operation || (until && !done) || !start) return std::nullopt;

  // The format of a start that is only written, `1`, is that of the state after the first step.
  const SourceSpan at_start = argument(2).span, at_function = argument(function).span;
  const Maybe first = call(elaborator, *operation, {*start}, {at_start}, expression, at_function);
  const auto state = first ? elaborator.node_of(*first, std::nullopt, at_function) : std::nullopt;
  if (!state) return std::nullopt;
  if (const auto* written = start->get_if<DynamicValue>()) {
    const ir::TypeId before = module[written->node].type, after = module[*state].type;
    if (before != after) {
      return elaborator.report(Diagnostic(code::type_mismatch, at_function,
                                          fmt::format("`{}` needs a function whose result can be its next argument", name),
                                          fmt::format("of `{}` it makes `{}`", ir::type_text(module, before),
                                                      ir::type_text(module, after)))
                                   .with(at_start, "the start"));
    }
  }
  ir::IndexSubstitution none;
  const auto begin = elaborator.fit(*start, module[*state].type, none, false, at_start, "the start");
  if (!begin) return std::nullopt;

  Expr loop;
  loop.kind = ExprKind::binder;
  loop.binder = BinderKind::reduce;
  loop.span = expression.span;
  loop.operation = expression.children[function + 1];
  const IndexId leaves = module.indices().add(*steps, module.indices().constant(1));
  Maybe last = ReductionElaboration(elaborator, context, loop,
                                    {module.fresh_variable(), leaves, *begin, std::nullopt, at_start})
                   .iterate(*operation, done, until ? argument(1).span : SourceSpan{});
  if (last) last->record = first->record;
  return last;
}

}  // namespace reckon::frontend
