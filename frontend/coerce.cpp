// Converts values of any kind to circuit nodes, index expressions and integers.
#include <fmt/format.h>

#include "diagnostics/codes/bad_literal.h"
#include "diagnostics/codes/integer_overflow.h"
#include "diagnostics/codes/mixed_formats.h"
#include "diagnostics/codes/shape_mismatch.h"
#include "diagnostics/codes/static_needed.h"
#include "diagnostics/codes/type_mismatch.h"
#include "diagnostics/codes/unknown_type.h"
#include "frontend/elaborator.h"
#include "frontend/foreign_names.h"
#include "frontend/in_format.h"
#include "frontend/records.h"
#include "ir/integer.h"
#include "numerics/format.h"

namespace reckon::frontend {

using ir::IndexId;
using ir::NodeId;
using ir::Scalar;
using ir::TypeKind;

std::optional<Scalar> Elaborator::scalar_of(const Value& value) const {
  if (auto* dynamic = value.get_if<DynamicValue>()) {
    const ir::Type& type = module.type(dynamic->node);
    if (type.kind != TypeKind::tuple) return type.scalar;
  }
  if (auto* list = value.get_if<ListValue>()) {
    // Numbers take the format of the other elements.
    std::optional<Scalar> found;
    for (const Value& element : list->elements) {
      const auto scalar = scalar_of(element);
      if (scalar && scalar != Scalar::number) return scalar;
      if (!found) found = scalar;
    }
    if (found) return found;
  }
  if (value.is<bool>() || value.is<SymbolicCondition>()) return Scalar::boolean;
  return std::nullopt;
}

namespace {

/// How a tensor of this type is written whose elements are all the same.
std::string tensor_of(Elaborator& elaborator, const ir::Type& type, const std::string& element) {
  std::string ranges;
  for (std::size_t k = 0; k < type.extents.size(); ++k) {
    ranges += fmt::format("{}{} < {}", k > 0 ? ", " : "", "ijklpqrs"[k % 8], elaborator.index_text(type.extents[k]));
  }
  return fmt::format("a tensor of equal elements is written with its extents: `for {}: {}`", ranges, element);
}

/// An element of a list, and its place.
struct PlacedValue {
  const Value* value;
  SourceSpan span;
};

/// Adds the elements of a list, and of the lists in it, row by row.
bool flatten(Elaborator& elaborator, const ListValue& list, std::vector<PlacedValue>& elements,
             std::vector<std::int64_t>& shape, std::size_t depth, SourceSpan at) {
  const auto length = static_cast<std::int64_t>(list.elements.size());
  if (depth == shape.size()) shape.push_back(length);
  if (shape[depth] != length || length == 0) {
    elaborator.report(
        Diagnostic(code::shape_mismatch, at,
                   length == 0 ? "an empty list has no type" : "the rows of this list have different lengths"));
    return false;
  }
  bool rows = false, leaves = false;
  for (std::size_t k = 0; k < list.elements.size(); ++k) {
    const Value& element = list.elements[k];
    if (auto* inner = element.get_if<ListValue>()) {
      rows = true;
      if (leaves || !flatten(elaborator, *inner, elements, shape, depth + 1, at)) {
        if (leaves) elaborator.fail(code::shape_mismatch, at, "a list holds both lists and single values");
        return false;
      }
    } else {
      leaves = true;
      if (rows || shape.size() != depth + 1) {
        elaborator.fail(code::shape_mismatch, at, "a list holds both lists and single values");
        return false;
      }
      elements.push_back({&element, list.spans[k]});
    }
  }
  return true;
}

std::optional<NodeId> array_of(Elaborator& elaborator, const ListValue& list, std::optional<Scalar> scalar,
                               SourceSpan at) {
  ir::Module& module = elaborator.module;
  std::vector<PlacedValue> elements;
  std::vector<std::int64_t> shape;
  if (!flatten(elaborator, list, elements, shape, 0, at)) return std::nullopt;
  if (!scalar) scalar = elaborator.scalar_of(Value{list});
  std::vector<NodeId> nodes;
  std::optional<Scalar> common;
  for (const PlacedValue& element : elements) {
    auto node = elaborator.node_of(*element.value, scalar, element.span);
    if (!node) return node;
    const ir::Type& type = module.type(*node);
    if (type.kind != TypeKind::scalar)
      return elaborator.fail(code::type_mismatch, at, "a list of tensors is not a tensor");
    if (common && *common != type.scalar) {
      return elaborator.report(Diagnostic(code::mixed_formats, at,
                                          fmt::format("the elements of this list are `{}` and `{}`",
                                                      ir::scalar_name(*common), ir::scalar_name(type.scalar)))
                                   .help("convert them to one format"));
    }
    common = type.scalar;
    nodes.push_back(*node);
  }
  const NodeId array = module.array(std::move(nodes), std::move(shape));
  module.places().put(array, at);
  return array;
}

/// The numbers of a program's text are to have a type that no literal takes from what it meets.
Diagnostic without_type(Scalar wanted, const std::string& text, SourceSpan at) {
  // An operation on a few numbers is short; what has leaves takes the type of these.
  const bool is_short = text.size() <= 20 && text.find(':') == std::string::npos;
  return Diagnostic(code::type_mismatch, at,
                    fmt::format("{} is needed, and this is a number without a format", ir::with_article(wanted)))
      .help(is_short ? fmt::format("give it a format first: `{}(f64({}))`", ir::scalar_name(wanted), text)
                     : fmt::format("give its numbers that type: `{}(1)` in the place of `1`", ir::scalar_name(wanted)));
}

}  // namespace

std::optional<NodeId> Elaborator::node_of(const Value& value, std::optional<Scalar> scalar, SourceSpan at) {
  const Scalar wanted = scalar.value_or(Scalar::number);
  auto placed = [&](NodeId node) {
    module.places().put(node, at);
    return node;
  };
  auto placed_literal = [&](NodeId node) {
    if (keep_literal_places && ir::is_float(wanted)) literal_places[node].insert({at.file, at.begin, at.end});
    return placed(node);
  };
  ir::Literal literal;
  if (auto* dynamic = value.get_if<DynamicValue>()) {
    if (scalar_of(value) != Scalar::number || wanted == Scalar::number) return dynamic->node;
    if (ir::is_float(wanted)) return in_format(*this, dynamic->node, wanted);
    return report(without_type(wanted, std::string(sources.text(at)), at));
  }
  if (auto* truth = value.get_if<bool>()) {
    literal.kind = ir::Literal::Kind::boolean;
    literal.bits = *truth;
    return placed(module.literal(literal, Scalar::boolean));
  }
  if (auto* condition = value.get_if<SymbolicCondition>()) return placed(module.index_condition(condition->condition));
  if (wanted == Scalar::boolean && !value.is<ListValue>()) {
    return fail(code::type_mismatch, at, fmt::format("a `bool` is needed, and this is {}", kind_text(value)));
  }
  if (ir::is_integer(wanted)) {
    auto* decimal = value.get_if<DecimalValue>();
    auto* number = decimal ? &decimal->value : value.get_if<mpq_class>();
    if ((number && !ir::has_integer(wanted, *number)) || value.is<RealMultiple>()) {
      return report(
          Diagnostic(code::bad_literal, at, fmt::format("`{}` is no `{}`", value_text(value), ir::scalar_name(wanted)))
              .help(fmt::format("{} is {}; of other integers, write what is left modulo 2^{}", ir::with_article(wanted),
                                ir::integers_text(wanted), ir::integer_traits(wanted).width)));
    }
  }
  if (auto* number = value.get_if<DecimalValue>()) return placed_literal(module.rational(number->value, wanted));
  if (value.negative_zero && ir::is_float(wanted)) {
    literal.kind = ir::Literal::Kind::bits;
    literal.bits = numerics::sign_bit(ir::format_of(wanted));
    return placed(module.literal(literal, wanted));
  }
  if (auto* number = value.get_if<mpq_class>()) return placed_literal(module.rational(*number, wanted));
  if (auto* real = value.get_if<RealMultiple>()) {
    literal.kind = ir::Literal::Kind::real;
    literal.value = real->factor;
    literal.constant = real->constant;
    return placed_literal(module.literal(literal, wanted));
  }
  if (auto* special = value.get_if<SpecialNumber>()) {
    if (!ir::is_float(wanted)) {
      return report(Diagnostic(code::type_mismatch, at,
                               fmt::format("`{}` belongs to a float format, and none is named here", value_text(value)))
                        .help(fmt::format("name one: `f64({})`", value_text(value))));
    }
    const ir::Format format = ir::format_of(wanted);
    if (special->nan ? !numerics::has_nan(format) : !numerics::has_infinity(format)) {
      return report(Diagnostic(code::bad_literal, at,
                               fmt::format("`{}` has no {}", ir::scalar_name(wanted), special->nan ? "NaN" : "infinity"))
                        .help(fmt::format("its largest number is {}, which {}, too",
                                          numerics::shortest_decimal(numerics::largest_finite(format), format),
                                          special->nan ? "a NaN that is converted becomes" : "overflow gives")));
    }
    literal.kind = special->nan ? ir::Literal::Kind::not_a_number : ir::Literal::Kind::infinity;
    literal.negative = special->negative;
    return placed(module.literal(literal, wanted));
  }
  if (auto* integer = value.get_if<SymbolicInteger>()) {
    const std::string text = index_text(integer->index);
    return report(
        Diagnostic(code::type_mismatch, at, "a size or index is used as a number",
                   "this is an integer of the program, not a value")
            .help(fmt::format("make a number of it: `{}({})`",
                              scalar ? ir::scalar_name(*scalar) : std::string_view("f32"), text)));
  }
  if (auto* list = value.get_if<ListValue>()) return array_of(*this, *list, scalar, at);
  if (auto* tuple = value.get_if<TupleValue>()) {
    std::vector<NodeId> parts;
    for (const Value& part : tuple->parts) {
      auto node = node_of(part, scalar, at);
      if (!node) return node;
      parts.push_back(*node);
    }
    if (!parts.empty()) return placed(module.tuple(std::move(parts)));
  }
  Diagnostic diagnostic(code::type_mismatch, at,
                        fmt::format("a number or tensor is needed, and this is {}", kind_text(value)));
  if (value.is<ScheduleValue>()) diagnostic.helps.push_back("an order stands after `by`: `sum i: x[i] by seq`");
  if (value.is<QuestionValue>()) {
    diagnostic.helps.push_back("a question is answered by `show` or `check`, and is no value in an expression");
  }
  if (value.is<CircuitValue>()) diagnostic.helps.push_back("give it its arguments: `f(...)`");
  return report(std::move(diagnostic));
}

std::optional<IndexId> Elaborator::index_of(const Value& value, SourceSpan at, const std::string& what) {
  if (auto* symbolic = value.get_if<SymbolicInteger>()) return symbolic->index;
  if (auto* number = value.get_if<mpq_class>()) {
    if (number->get_den() != 1) {
      return fail(code::static_needed, at, fmt::format("{} must be an integer, and is {}", what, number->get_str()));
    }
    // The limit is far above any size, and far below the values at which sums of products would overflow.
    if (abs(number->get_num()) > mpz_class("1000000000000000")) {
      return fail(code::integer_overflow, at, fmt::format("{} is {}, which is too large", what, number->get_str()));
    }
    return module.indices().constant(number->get_num().get_si());
  }
  if (value.is<DynamicValue>()) {
    return report(Diagnostic(code::static_needed, at,
                             fmt::format("{} must be an integer known before anything runs", what),
                             fmt::format("this is {}", kind_text(value))));
  }
  return fail(code::static_needed, at, fmt::format("{} must be an integer, and is {}", what, kind_text(value)));
}

std::optional<std::int64_t> Elaborator::integer_of(const Value& value, SourceSpan at, const std::string& what) {
  auto index = index_of(value, at, what);
  if (!index) return std::nullopt;
  auto constant = module.indices().as_constant(*index);
  if (!constant) return fail(code::static_needed, at, fmt::format("{} must be a known integer here", what));
  return constant;
}

bool Elaborator::equal_extents(IndexId a, IndexId b, Diagnostic diagnostic) {
  if (a == b) return true;
  const auto difference = module.indices().as_constant(module.indices().subtract(a, b));
  if (difference || !requirements) {
    report(std::move(diagnostic));
    return false;
  }
  requirements->push_back({a, b, std::move(diagnostic)});
  return true;
}

std::optional<NodeId> Elaborator::fit(const Value& value, ir::TypeId type_id, ir::IndexSubstitution& dimensions,
                                      bool bind, SourceSpan at, const std::string& what) {
  const ir::Type type = module.types()[type_id];
  if (type.kind == TypeKind::tuple) {
    std::vector<Value> parts;
    if (auto* tuple = value.get_if<TupleValue>()) {
      parts = tuple->parts;
    } else if (auto* dynamic = value.get_if<DynamicValue>();
               dynamic && module.type(dynamic->node).kind == TypeKind::tuple) {
      const std::size_t count = module.type(dynamic->node).parts.size();
      for (std::size_t k = 0; k < count; ++k) {
        parts.push_back({DynamicValue{module.get(dynamic->node, static_cast<std::uint32_t>(k))}});
      }
    }
    if (parts.size() != type.parts.size()) {
      return fail(code::type_mismatch, at,
                  fmt::format("{} has type `{}`, and this is {}", what, ir::type_text(module, type_id),
                              kind_text(value)));
    }
    std::vector<NodeId> nodes;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      auto node = fit(parts[k], type.parts[k], dimensions, bind, at, what);
      if (!node) return node;
      nodes.push_back(*node);
    }
    return module.tuple(std::move(nodes));
  }
  // A value that has its format keeps it; static numbers take the wanted one.
  auto mismatch = [&](const std::string& have) {
    Diagnostic diagnostic(code::type_mismatch, at,
                          fmt::format("{} has type `{}`, and this is `{}`", what, ir::type_text(module, type_id),
                                      have));
    return diagnostic;
  };
  auto node = node_of(value, type.scalar, at);
  if (!node) return node;
  const ir::Type have = module.type(*node);
  const std::string have_text = ir::type_text(module, module[*node].type);
  if (type.kind == TypeKind::scalar && have.kind == TypeKind::tensor) {
    return report(mismatch(have_text).help("one element is `x[i]`, and all of them are reached by `for i: f(x[i])`"));
  }
  // `fold(push, 0)`: a start of the right format, without the extents of the state.
  if (type.kind == TypeKind::tensor && have.kind == TypeKind::scalar) {
    const std::string element{sources.text(at)};
    return report(mismatch(have_text).help(tensor_of(
        *this, type, value.is<DynamicValue>() ? element : fmt::format("{}({})", ir::scalar_name(type.scalar), element))));
  }
  if (have.kind != type.kind || have.extents.size() != type.extents.size()) return report(mismatch(have_text));
  if (have.scalar != type.scalar) {
    if (have.kind == TypeKind::scalar && ir::is_numeric(have.scalar) && ir::is_numeric(type.scalar)) {
      return report(mismatch(have_text).help(
          fmt::format("convert it: `{}({})`", ir::scalar_name(type.scalar), sources.text(at))));
    }
    return report(mismatch(have_text));
  }
  for (std::size_t d = 0; d < type.extents.size(); ++d) {
    const ir::IndexNode extent = module.indices()[type.extents[d]];
    if (bind && extent.op == ir::IndexOp::dimension && !dimensions.dimensions.contains(extent.symbol)) {
      dimensions.dimensions[extent.symbol] = have.extents[d];
      continue;
    }
    if (bind) continue;  // computed dimensions are checked when all dimensions are bound
    const IndexId expected = module.indices().substitute(type.extents[d], dimensions);
    Diagnostic diagnostic(code::shape_mismatch, at,
                          fmt::format("dimension {} of {} should be `{}` and is `{}`", d + 1, what,
                                      index_text(expected), index_text(have.extents[d])));
    if (!equal_extents(expected, have.extents[d], std::move(diagnostic))) return std::nullopt;
  }
  return node;
}

std::optional<ir::TypeId> Elaborator::type_of(const TypeValue& type, SourceSpan at) {
  std::vector<IndexId> extents;
  for (const Value& extent : type.extents) {
    auto index = index_of(extent, at, "a dimension");
    if (!index) return std::nullopt;
    extents.push_back(*index);
  }
  return module.types().tensor(type.scalar, std::move(extents));
}

std::optional<ir::TypeId> Elaborator::type_of(const Context& context, const TypeExpr& type) {
  if (type.name.empty()) {
    std::vector<ir::TypeId> parts;
    for (const TypeExpr& part : type.parts) {
      auto id = type_of(context, part);
      if (!id) return id;
      parts.push_back(*id);
    }
    if (parts.empty()) return fail(code::unknown_type, type.span, "the empty tuple is not a type");
    return module.types().tuple(std::move(parts));
  }
  auto scalar = ir::scalar_named(type.name);
  // A static parameter may stand for a format: `fn f[T](x: T[n])`.
  if (const Value* named = scalar ? nullptr : context.scope->find(type.name)) {
    if (auto* format = named->get_if<TypeValue>(); format && !format->indexed) scalar = format->scalar;
  }
  if (!scalar) {
    if (names_record(*this, context, type)) {
      const auto record = record_of(*this, context, type);
      return record ? record_type(*this, context, type, *record) : std::nullopt;  // its mistakes have been reported
    }
    Diagnostic diagnostic(code::unknown_type, type.span, fmt::format("there is no type `{}`", type.name));
    const std::vector<std::string_view> known = ir::scalar_names();
    if (const std::string_view help = foreign_type_help(type.name); !help.empty()) diagnostic.helps.emplace_back(help);
    else if (auto near = nearest_name(type.name, {known.begin(), known.end()}))
      diagnostic.helps.push_back(fmt::format("did you mean `{}`?", *near));
    else {
      diagnostic.helps.push_back(fmt::format("types are {}, tensors `f32[n]` and tuples", fmt::join(known, ", ")));
    }
    return report(std::move(diagnostic));
  }
  std::vector<IndexId> extents;
  for (ExprId id : type.dims) {
    auto value = elaborate(context, id);
    if (!value) return std::nullopt;
    auto index = index_of(*value, expr(context, id).span, "a dimension");
    if (!index) return std::nullopt;
    extents.push_back(*index);
  }
  return module.types().tensor(*scalar, std::move(extents));
}

void Elaborator::state_type(const Context& context, ExprId id, ir::TypeId type) {
  std::vector<IndexId> extents = module.types()[type].extents;
  for (const Expr* at = &expr(context, id); !extents.empty(); at = &expr(context, at->children[0])) {
    if (at->kind == ExprKind::block) continue;
    if (at->kind != ExprKind::binder || at->binder != BinderKind::for_) return;
    stated_extents[at] = extents;
    extents.erase(extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(std::min(at->names.size(), extents.size())));
  }
}

Maybe Elaborator::of_stated_type(const Context& context, const TypeExpr& type, ExprId id, const std::string& name) {
  if (type.storage.valid()) {
    return fail(code::type_mismatch, type.span, "how elements lie in memory is said of parameters and results alone");
  }
  const auto wanted = type_of(context, type);
  if (!wanted) return std::nullopt;
  state_type(context, id, *wanted);
  const Maybe value = elaborate(context, id);
  if (!value) return std::nullopt;
  ir::IndexSubstitution none;
  const auto node = fit(*value, *wanted, none, false, expr(context, id).span, fmt::format("`{}`", name));
  if (!node) return std::nullopt;
  Value out{DynamicValue{*node}};
  out.record = record_of(*this, context, type);
  return out;
}

}  // namespace reckon::frontend
