// Calls of builtin circuits: one operation to a semantics that has a rule for it (accept), otherwise the callee's body,
// evaluated on the arguments' values. The arguments of a call are small vectors and matrices: each element is a column.
#include <fmt/format.h>

#include "diagnostics/codes/dimension_value.h"
#include "diagnostics/codes/internal.h"
#include "diagnostics/codes/shape_mismatch.h"
#include "diagnostics/codes/too_large.h"
#include "interp/evaluator.h"

namespace reckon::interp {

namespace {

/// A larger argument is refused: calls are not meant for computing with large tensors.
constexpr std::int64_t max_elements = 1 << 16;

/// Copies values into a new Tensor.
Tensor copied(const Semantics& semantics, const Values& values) {
  auto out = std::make_shared<Values>(semantics, values.scalar(), values.shape());
  copy_values(semantics, values.scalar(), values.data(), out->data(), static_cast<std::size_t>(values.count()));
  return out;
}

/// Advances to the next subscripts, row by row; returns false after the last ones.
bool advance(std::vector<std::int64_t>& subscripts, const std::vector<std::int64_t>& shape) {
  for (std::size_t k = shape.size(); k-- > 0;) {
    if (++subscripts[k] < shape[k]) return true;
    subscripts[k] = 0;
  }
  return false;
}

bool fits(const std::vector<Values>& results, const std::vector<Semantics::Call::Result>& expected) {
  return std::equal(results.begin(), results.end(), expected.begin(), expected.end(),
                    [](const Values& values, const Semantics::Call::Result& result) {
                      return values.scalar() == result.scalar && values.shape() == result.shape;
                    });
}

std::string shape_text(ir::Scalar scalar, const std::vector<std::int64_t>& shape) {
  const std::string name(ir::scalar_name(scalar));
  return shape.empty() ? name : fmt::format("{}[{}]", name, fmt::join(shape, ", "));
}
std::string shapes_text(const std::vector<Values>& results) {
  std::vector<std::string> out;
  for (const Values& values : results) out.push_back(shape_text(values.scalar(), values.shape()));
  return fmt::format("`{}`", fmt::join(out, "` and `"));
}
std::string shapes_text(const std::vector<Semantics::Call::Result>& results) {
  std::vector<std::string> out;
  for (const auto& [scalar, shape] : results) out.push_back(shape_text(scalar, shape));
  return fmt::format("`{}`", fmt::join(out, "` and `"));
}

}  // namespace

bool Evaluator::shapes_of(const ir::Type& type, ir::NodeId place, std::vector<std::vector<std::int64_t>>& out) {
  if (type.kind == ir::TypeKind::tuple) {
    for (ir::TypeId part : std::vector(type.parts)) {
      if (!shapes_of(ir::Type(module_.types()[part]), place, out)) return false;
    }
    return true;
  }
  std::vector<std::int64_t> shape;
  std::int64_t total = 1;
  for (ir::IndexId extent : type.extents) {
    const auto value = module_.indices().evaluate(extent, {});
    if (!value || *value < 0) {
      return fail(Diagnostic(code::dimension_value, span(place), "an extent of this tensor has no value"));
    }
    if (__builtin_mul_overflow(total, *value, &total) || total > max_elements) {
      return fail(Diagnostic(code::too_large, span(place),
                             fmt::format("a builtin is given or gives more than {} elements", max_elements)));
    }
    shape.push_back(*value);
  }
  out.push_back(std::move(shape));
  return true;
}

/// Computes the results of a call for each element of the frame. Element i of a result for the frame's element e is
/// entry i * size + e of its column.
bool Evaluator::call(Frame& frame, ir::NodeId id, Columns& out) {
  const ir::Node node = module_[id];
  const ir::Function callee = module_.callee_of(node);
  const auto size = static_cast<std::size_t>(frame.size);

  struct Given {
    ir::Scalar scalar{};
    std::vector<std::int64_t> shape;
    Columns elements;
  };
  std::vector<Given> given;
  for (ir::NodeId operand : node.operands) {
    const ir::Type type = module_.type(operand);
    std::vector<std::vector<std::int64_t>> shapes;
    if (!shapes_of(type, operand, shapes)) return false;
    Given& argument = given.emplace_back();
    argument.scalar = type.scalar;
    argument.shape = shapes.front();
    if (type.kind == ir::TypeKind::scalar) {
      if (!ensure_values(frame, operand, argument.elements)) return false;
      continue;
    }
    std::vector<std::int64_t> subscripts(argument.shape.size(), 0);
    bool more = std::find(argument.shape.begin(), argument.shape.end(), 0) == argument.shape.end();
    for (; more; more = advance(subscripts, argument.shape)) {
      Column element;
      if (!element_at(frame, operand, subscripts, element)) return false;
      argument.elements.push_back(std::move(element));
    }
  }

  const std::vector<ir::Scalar> scalars = component_scalars(node.type);
  std::vector<std::vector<std::int64_t>> shapes;
  if (!shapes_of(ir::Type(module_.types()[node.type]), id, shapes)) return false;
  out.clear();
  std::vector<Semantics::Call::Result> expected;
  for (std::size_t k = 0; k < scalars.size(); ++k) {
    expected.push_back({scalars[k], shapes[k]});
    std::int64_t count = frame.size;
    for (std::int64_t extent : shapes[k]) count *= extent;
    out.push_back(column(scalars[k], count));
  }
  for (std::size_t e = 0; e < size; ++e) {
    std::vector<Values> held;
    for (const Given& argument : given) {
      Values& values = held.emplace_back(semantics_, argument.scalar, argument.shape);
      const std::size_t width = semantics_.size(values.scalar());
      for (std::size_t i = 0; i < argument.elements.size(); ++i) {
        copy_values(semantics_, values.scalar(), argument.elements[i].data + e * width, values.data() + i * width, 1);
      }
    }
    std::vector<const Values*> arguments;
    for (const Values& values : held) arguments.push_back(&values);
    Semantics::Call called{module_.name(callee.name), callee.span, arguments, expected, {}};
    called.body = [&](Semantics& semantics, const std::vector<const Values*>& values,
                      std::vector<Values>& results) -> std::optional<Fault> {
      if (run_body(callee, semantics, values, results)) return std::nullopt;
      // The fault has its own place inside the callee, and diagnostic() holds it. Under another semantics it means that
      // the question had no answer there.
      if (&semantics == &semantics_) return Fault{code::internal, {}, {}};
      const Diagnostic problem = std::move(*diagnostic_);
      diagnostic_.reset();
      return Fault{problem.code, problem.message, problem.helps.empty() ? std::string() : problem.helps.front()};
    };
    std::vector<Values> results;
    auto done = semantics_.call(called, results);
    if (!done) {
      Diagnostic problem = done.error();
      const SourceSpan here = span(id);
      if (problem.primary.span.known()) {
        problem.secondary.push_back({here, fmt::format("in this call of `{}`", called.name)});
      } else {
        problem.primary.span = here;
      }
      return diagnostic_ ? false : fail(std::move(problem));
    }
    if (!*done && called.body(semantics_, arguments, results)) return false;
    if (!fits(results, expected)) {
      return fail(Diagnostic(code::shape_mismatch, span(id),
                             fmt::format("the rule for `{}` gives {} here, where the circuit gives {}", called.name,
                                         shapes_text(results), shapes_text(expected))));
    }
    for (std::size_t k = 0; k < out.size(); ++k) {
      const std::size_t width = semantics_.size(scalars[k]);
      for (std::size_t i = 0; i < static_cast<std::size_t>(results[k].count()); ++i) {
        copy_values(semantics_, scalars[k], results[k].data() + i * width,
                    out[k].writable() + (i * size + e) * width, 1);
      }
    }
  }
  return true;
}

bool Evaluator::run_body(const ir::Function& callee, Semantics& semantics,
                         const std::vector<const Values*>& arguments, std::vector<Values>& out) {
  std::vector<std::vector<std::int64_t>> shapes;
  std::vector<Tensor> parameters;
  for (const Values* values : arguments) {
    shapes.push_back(values->shape());
    parameters.push_back(copied(semantics, *values));
  }
  const auto prepared = circuits_.prepare(callee, shapes, {}, semantics.traits());
  if (!prepared) return fail(prepared.error());
  EvaluateOptions options;
  options.batch = static_cast<std::size_t>(batch_);
  options.interrupted = interrupted_;
  std::vector<Tensor> results;
  Evaluator inside(module_, **prepared, semantics, circuits_, std::move(parameters), options);
  if (!inside.results(results)) return fail(inside.diagnostic());
  if (!first_empty_) first_empty_ = inside.first_empty();
  out.clear();
  for (const Tensor& result : results) {
    Values& values = out.emplace_back(semantics, result->scalar(), result->shape());
    copy_values(semantics, result->scalar(), result->data(), values.data(), static_cast<std::size_t>(result->count()));
  }
  return true;
}

}  // namespace reckon::interp
