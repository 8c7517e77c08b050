// Kernels: a circuit with clauses on how a GPU carries it out. In expressions a kernel stands for its circuit.
#include <fmt/format.h>

#include "diagnostics/codes/argument_count.h"
#include "diagnostics/codes/bad_layout.h"
#include "diagnostics/codes/syntax.h"
#include "diagnostics/codes/type_mismatch.h"
#include "frontend/kernels.h"

namespace reckon::frontend {

namespace {

std::string plural(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// The circuit that the kernel `item` is made of, as an expression.
std::optional<CircuitValue> circuit_of_kernel(Elaborator& elaborator, const Context& context, const Item& item) {
  auto value = elaborator.elaborate(context, item.body);
  if (!value) return std::nullopt;
  if (auto* circuit = value->get_if<CircuitValue>()) return *circuit;
  return elaborator.report(
      Diagnostic(code::type_mismatch, elaborator.expr(context, item.body).span,
                 fmt::format("a kernel carries out a circuit, and this is {}", elaborator.kind_text(*value)))
          .help("name one that `fn` defines: `kernel k = matmul with tile(64, 64, 16)`"));
}

std::optional<ir::KernelClauses> clauses_of_kernel(Elaborator& elaborator, const Context& context, const Item& item) {
  ir::KernelClauses out;
  for (const ClauseDecl& clause : item.clauses_of_kernel) {
    std::vector<ir::KernelClauses::Side> parts;
    for (ExprId argument : clause.arguments) {
      auto value = elaborator.elaborate(context, argument);
      if (!value) return std::nullopt;
      const SourceSpan at = elaborator.expr(context, argument).span;
      // A number states how many there are, not where: here it is no layout.
      if (value->is<layout::Layout>()) {
        const auto& layout = *value->get_if<layout::Layout>();
        parts.push_back({layout.size(), layout});
        continue;
      }
      if (value->is<TupleValue>() || value->is<LayoutObject>() || value->is<OpenLayout>()) {
        return elaborator.report(Diagnostic(code::bad_layout, at,
                                            fmt::format("`{}` takes numbers and layouts, and this is {}",
                                                        clause.name.text, elaborator.kind_text(*value)))
                                     .help("a layout is written with its strides: `(8, 16):(16, 1)`"));
      }
      auto number = elaborator.integer_of(*value, at, "what a kernel states");
      if (!number) return std::nullopt;
      parts.push_back({*number});
    }
    if (auto problem = ir::add_clause(out, clause.name.text, parts, clause.span)) {
      Diagnostic diagnostic = ir::unmet(clause.span, *problem,
                                        "a kernel states `tile(rows, columns, depth)`, `values(rows, columns)`, "
                                        "`threads(n)` and `blocks(n)`, each once");
      if (auto near = nearest_name(clause.name.text, kernel_clauses());
          near && *near != clause.name.text) {
        diagnostic.helps = {fmt::format("did you mean `{}`?", *near)};
      }
      return elaborator.report(std::move(diagnostic));
    }
  }
  if (auto problem = ir::contradiction(out)) return elaborator.report(std::move(*problem));
  auto refused = elaborator.back_end.refused_clause ? elaborator.back_end.refused_clause(out) : std::nullopt;
  if (refused) return elaborator.report(std::move(*refused));
  return out;
}

}  // namespace

Maybe kernel_value(Elaborator& elaborator, std::uint32_t id, const std::vector<Value>& arguments, SourceSpan place) {
  const Declaration& declaration = elaborator.declarations[id];
  const Item& item = elaborator.item_of(declaration);
  if (arguments.size() != item.static_parameters.size()) {
    return elaborator.report(
        Diagnostic(code::argument_count, place,
                   fmt::format("`{}` takes {} in brackets and was given {}", item.name,
                               plural(item.static_parameters.size(), "static argument"), arguments.size()))
            .with(item.name_span, fmt::format("`{}` is defined here", item.name)));
  }
  Scope scope;
  for (std::size_t k = 0; k < arguments.size(); ++k) scope.bind(item.static_parameters[k], arguments[k]);
  auto circuit = circuit_of_kernel(elaborator, {declaration.program, &scope}, item);
  if (!circuit) return std::nullopt;
  return Value{std::move(*circuit)};
}

std::vector<std::string> static_parameters_of(Elaborator& elaborator, std::uint32_t id) {
  const Declaration& declaration = elaborator.declarations[id];
  const Item& item = elaborator.item_of(declaration);
  std::vector<std::string> out = item.static_parameters;
  // If the kernel's circuit still lacks static arguments, the kernel passes its own on.
  if (item.kind != ItemKind::kernel || elaborator.programs[declaration.program].tree[item.body].kind != ExprKind::name)
    return out;
  const std::string& name = elaborator.programs[declaration.program].tree[item.body].text;
  const Value* value =
      elaborator.global_value(*elaborator.programs[declaration.program].environment, name, item.name_span);
  const auto* circuit = value ? value->get_if<CircuitValue>() : nullptr;
  if (circuit && !circuit->given) {
    for (const std::string& each : static_parameters_of(elaborator, circuit->declaration)) out.push_back(each);
  }
  return out;
}

std::optional<ir::Function> kernel_instance(Elaborator& elaborator, std::uint32_t id,
                                            const std::vector<Value>& arguments, SourceSpan place) {
  ir::Module& module = elaborator.module;
  Declaration& declaration = elaborator.declarations[id];
  const Item& item = elaborator.item_of(declaration);
  const std::size_t own = item.static_parameters.size();
  const std::vector<Value> mine(arguments.begin(),
                                arguments.begin() + static_cast<std::ptrdiff_t>(std::min(own, arguments.size())));
  auto value = kernel_value(elaborator, id, mine, place);
  if (!value) return std::nullopt;
  CircuitValue circuit = *value->get_if<CircuitValue>();
  if (!circuit.given) {
    circuit.static_arguments.assign(arguments.begin() + static_cast<std::ptrdiff_t>(mine.size()), arguments.end());
  }
  Scope scope;
  for (std::size_t k = 0; k < own; ++k) scope.bind(item.static_parameters[k], mine[k]);
  std::optional<ir::KernelClauses> clauses = ir::KernelClauses{};
  if (elaborator.reads_clauses) clauses = clauses_of_kernel(elaborator, {declaration.program, &scope}, item);
  if (!clauses) return std::nullopt;
  auto function = elaborator.instance(circuit.declaration, circuit.static_arguments, place);
  if (!function) return std::nullopt;
  function->name = module.symbol(item.name);
  function->kernel = std::move(*clauses);
  return function;
}

namespace {

/// A kernel without clauses is one of PTX.
bool states_something(Elaborator& elaborator, const Declaration& declaration, const Item& item) {
  const Program& tree = elaborator.programs[declaration.program].tree;
  const Expr& body = tree[item.body];
  const bool is_ptx = body.kind == ExprKind::call && tree[body.children[0]].text == "ptx";
  if (is_ptx || !item.clauses_of_kernel.empty()) return true;
  elaborator.report(Diagnostic(code::syntax, body.span,
                               fmt::format("`with` and clauses are missing behind the circuit of `{}`", item.name))
                        .help("a kernel states how a GPU carries out its circuit: `kernel k = matmul with tile(64, 64, "
                              "16)`; one of PTX is `kernel k = ptx(...)`"));
  return false;
}

}  // namespace

void check_kernel(Elaborator& elaborator, std::uint32_t id) {
  const Declaration& declaration = elaborator.declarations[id];
  const Item& item = elaborator.item_of(declaration);
  if (!states_something(elaborator, declaration, item)) return;
  const Value* value =
      elaborator.global_value(*elaborator.programs[declaration.program].environment, item.name, item.name_span);
  if (!value || !item.static_parameters.empty()) return;
  Scope empty;
  clauses_of_kernel(elaborator, {declaration.program, &empty}, item);
}

}  // namespace reckon::frontend
