#include <fmt/format.h>

#include <algorithm>

#include "api/circuit/translator.h"
#include "frontend/parse/literals.h"
#include "ir/type.h"
#include "numerics/format.h"

namespace reckon::circuit {

using frontend::Expr;
using frontend::ExprId;
using frontend::ExprKind;

namespace {

/// How C++ writes an operator of the language.
std::string cpp_sign(const std::string& sign) {
  if (sign == "//") return "/";
  if (sign == "xor") return "^";
  if (sign == "and") return "&&";
  if (sign == "or") return "||";
  if (sign == "not") return "!";
  return sign;
}

ExprKind kind_of(const Node& node) {
  switch (node.kind) {
    case NodeKind::unary: return ExprKind::unary;
    case NodeKind::binary: return ExprKind::binary;
    case NodeKind::call: return ExprKind::call;
    case NodeKind::subscript: return ExprKind::index;
    case NodeKind::tuple: return ExprKind::tuple;
    case NodeKind::list: return ExprKind::list;
    case NodeKind::colon: return ExprKind::colon;
    case NodeKind::then: return ExprKind::then;
    default: return ExprKind::pinned;
  }
}

/// The bits of a pattern of a format, or of integers.
int width_of(const std::string& type) {
  const auto format = numerics::format_named(type);
  if (format) return numerics::traits(*format).width;
  const auto scalar = ir::scalar_named(type);
  return scalar ? 8 * ir::byte_width(*scalar) : 32;
}

}  // namespace

SourceSpan Translator::span(const CppPlace& place) {
  out_.places.push_back(place);
  const auto number = static_cast<std::uint32_t>(out_.places.size() - 1);
  return {0, number, number};
}

ExprId Translator::add(Expr expression) {
  out_.program.expressions.push_back(std::move(expression));
  return {static_cast<std::uint32_t>(out_.program.expressions.size() - 1)};
}

ExprId Translator::named(const std::string& name, const CppPlace& user) {
  Expr expression;
  expression.kind = ExprKind::name;
  expression.text = name;
  expression.span = expression.operator_span = span(user);
  return add(std::move(expression));
}

ExprId Translator::block(const Node& root, std::uint32_t scope, Place place) {
  if (!sharing_ || sharing_->named(scope).empty()) return expression(root, scope, place);
  Expr out;
  out.kind = ExprKind::block;
  out.span = out.operator_span = span(place);
  bindings(scope, out.lets);
  out.children = {expression(root, scope, place)};
  return add(std::move(out));
}

void Translator::bindings(std::uint32_t scope, std::vector<frontend::LetBinding>& out) {
  for (const Occurrence& here : sharing_->named(scope)) {
    const Node& node = *here.node;
    const auto name = let_names_.find(here);
    if (name != let_names_.end()) {
      frontend::LetBinding let;
      let.names = {name->second};
      let.spans = {span(node.place)};
      let.value = built(node, here.scope, node.place);
      out.push_back(std::move(let));
    }
    const auto parts = part_names_.find(here);
    if (parts == part_names_.end()) continue;
    frontend::LetBinding let;
    let.is_tuple = true;
    let.names = parts->second;
    for (std::size_t k = 0; k < let.names.size(); ++k) let.spans.push_back(span(node.place));
    let.value = name != let_names_.end() ? named(name->second, node.place) : built(node, here.scope, node.place);
    out.push_back(std::move(let));
  }
}

ExprId Translator::expression(const Node& node, std::uint32_t scope, const CppPlace& user) {
  if (!sharing_) return built(node, scope, user);
  const Occurrence here = sharing_->at(node, scope);
  if (here.scope != 0 && here.scope == nameless_) return built(node, here.scope, user);
  if (const auto name = let_names_.find(here); name != let_names_.end()) return named(name->second, user);
  return built(node, here.scope, user);
}

ExprId Translator::built(const Node& node, std::uint32_t scope, const CppPlace& user) {
  if (is_leaf(node)) return leaf(node, scope, user);
  switch (node.kind) {
    case NodeKind::part: {
      const Occurrence whole = sharing_->at(*node.children[0], scope);
      return named(part_names_.at(whole).at(node.number), user);
    }
    case NodeKind::let: return expression(*node.children[0], scope, node.place);
    case NodeKind::binder:
    case NodeKind::length: return binder(node, scope, user);
    case NodeKind::choice: {
      Expr out;
      out.kind = ExprKind::conditional;
      out.span = out.operator_span = span(node.place);
      out.children = {expression(*node.children[0], scope, node.place)};
      for (std::size_t k = 1; k < 3; ++k) {
        Expr branch;
        branch.kind = ExprKind::block;
        branch.span = branch.operator_span = span(node.place);
        branch.children = {expression(*node.children[k], scope, node.place)};
        out.children.push_back(add(std::move(branch)));
      }
      return add(std::move(out));
    }
    case NodeKind::quoted: {
      Expr out;
      out.kind = ExprKind::quoted;
      out.span = out.operator_span = span(node.place);
      out.tree.prefix = node.prefix;
      return add(std::move(out));
    }
    case NodeKind::type: {
      // A format as a value, with its sizes: `random(f32[n], 1)`.
      return named(node.text, user);
    }
    default: return compound(kind_of(node), node, scope, user);
  }
}

ExprId Translator::compound(ExprKind kind, const Node& node, std::uint32_t scope, const CppPlace&) {
  const bool infix = node.kind == NodeKind::binary || node.kind == NodeKind::unary;
  const CppPlace here(node.place, infix ? cpp_sign(node.text) : std::string());
  Expr out;
  out.kind = kind;
  out.text = node.text;
  for (const NodePointer& child : node.children) out.children.push_back(expression(*child, scope, here));
  out.span = span(here);
  out.operator_span = span(here);
  return add(std::move(out));
}

ExprId Translator::leaf(const Node& node, std::uint32_t scope, const CppPlace& user) {
  switch (node.kind) {
    case NodeKind::number: return number(node, user);
    case NodeKind::index: return index(node, scope, user);
    case NodeKind::parameter: return parameter(node, user);
    case NodeKind::circuit: return named(names_.at(node.definition.get()), user);
    case NodeKind::name:
    case NodeKind::size: return named(node.text, user);
    default: break;
  }
  Expr out;
  out.kind = node.kind == NodeKind::bits      ? ExprKind::bit_pattern
             : node.kind == NodeKind::boolean ? ExprKind::boolean
                                              : ExprKind::string;
  out.span = out.operator_span = span(user);
  out.text = node.kind == NodeKind::boolean ? "" : node.text;
  out.bits = node.kind == NodeKind::boolean ? node.text == "true" : node.number;
  if (node.kind == NodeKind::bits) {
    const int width = width_of(node.text);
    if (width < 64 && node.number >> width != 0) {
      mistake(node.place,
              fmt::format("{:#x} is no bit pattern of `{}`, which has {} bits", node.number, node.text, width),
              "too many bits");
      out.bits = 0;
    }
  }
  return add(std::move(out));
}

ExprId Translator::number(const Node& node, const CppPlace& user) {
  Expr out;
  out.kind = ExprKind::number;
  out.span = out.operator_span = span(user);
  for (const char c : node.text) {
    if (c != '\'') out.text += c;
  }
  auto literal = frontend::read_number(out.text, out.span);
  if (literal) {
    out.value = std::move(literal->value);
    out.integer_spelling = literal->integer_spelling;
  } else {
    mistake(user, fmt::format("`{}` is no number of the language", out.text), "not read",
            "a literal is decimal, or hexadecimal with an exponent: `0.1_r`, `0x1.8p-3_r`");
    out.text = "0";
  }
  return add(std::move(out));
}

ExprId Translator::index(const Node& node, std::uint32_t scope, const CppPlace& user) {
  for (std::uint32_t at = scope; at != 0; at = sharing_->scopes()[at].parent) {
    if (const auto found = index_names_.find({at, &node}); found != index_names_.end()) {
      return named(found->second, user);
    }
  }
  mistake(user, fmt::format("the index `{}` is used where nothing binds it", node.text), "outside of every binder",
          fmt::format("bind it around this place: `sum({0}, ...)` or `each({0}, ...)`", node.text));
  return named(node.text, user);
}

ExprId Translator::parameter(const Node& node, const CppPlace& user) {
  const auto is_own = [&](const NodePointer& own) {
    return own.get() == &node || own->children.front() == node.children.front();
  };
  const bool own =
      definition_ != nullptr && std::any_of(definition_->parameters.begin(), definition_->parameters.end(), is_own);
  if (!own) {
    const std::string owner =
        definition_ != nullptr ? fmt::format("the circuit `{}`", definition_->name) : std::string("this expression");
    mistake(user, fmt::format("`{}` is not a parameter of {}", node.text, owner), "a parameter of another circuit",
            definition_ != nullptr ? fmt::format("give it to `fn(\"{}\", ...)` as a parameter", definition_->name)
                                   : "call a circuit that has this parameter");
  }
  return named(node.text, user);
}

std::optional<frontend::BinderName> Translator::range(const Node& node, std::uint32_t inside, Place place) {
  const bool bounded = node.kind == NodeKind::binary && node.text == "<" && node.children[0]->kind == NodeKind::index;
  if (node.kind != NodeKind::index && !bounded) {
    mistake(node.place, "a range is an index alone, or an index below its bound", "not a range",
            "write `sum(i, ...)` or `sum(i < n, ...)`");
    return std::nullopt;
  }
  const Node& index = bounded ? *node.children[0] : node;
  frontend::BinderName out;
  out.name = index_names_.at({inside, &index});
  out.span = span(place);
  if (bounded) {
    const std::uint32_t outer = std::exchange(nameless_, inside);
    out.bound = expression(*node.children[1], inside, node.place);
    nameless_ = outer;
  }
  return out;
}

ExprId Translator::binder(const Node& node, std::uint32_t scope, const CppPlace&) {
  static const std::map<std::string, frontend::BinderKind> kinds{
      {"for", frontend::BinderKind::for_},  {"sum", frontend::BinderKind::sum},
      {"prod", frontend::BinderKind::prod}, {"min", frontend::BinderKind::min},
      {"max", frontend::BinderKind::max},   {"reduce", frontend::BinderKind::reduce},
      {"scan", frontend::BinderKind::scan}, {"fold", frontend::BinderKind::fold}};
  Expr out;
  out.kind = node.kind == NodeKind::length ? ExprKind::length : ExprKind::binder;
  out.span = span(node.place);
  out.operator_span = span(node.place);
  if (out.kind == ExprKind::binder) out.binder = kinds.at(node.text);
  const std::uint32_t inside = sharing_->body(sharing_->at(node, scope));
  std::set<const Node*> seen;
  for (const NodePointer& each : node.ranges) {
    auto name = range(*each, inside, node.place);
    const Node* index = each->kind == NodeKind::index || each->children.empty() ? each.get() : each->children[0].get();
    if (!seen.insert(index).second) {
      mistake(node.place, fmt::format("the index `{}` is bound twice by one binder", index->text), "each index once",
              "declare another one: `Index i, j;`");
    }
    if (name) out.names.push_back(std::move(*name));
  }
  if (node.guard) {  // the names of the body are given behind it
    const std::uint32_t outer = std::exchange(nameless_, inside);
    out.guard = expression(*node.guard, inside, node.place);
    nameless_ = outer;
  }
  out.children = {block(*node.children[0], inside, node.place)};
  if (node.schedule) out.schedule = expression(*node.schedule, scope, node.schedule->place);
  if (node.otherwise) out.otherwise = expression(*node.otherwise, scope, node.otherwise->place);
  if (node.operation) out.operation = expression(*node.operation, scope, node.place);
  if (node.start) out.start = expression(*node.start, scope, node.place);
  return add(std::move(out));
}

}  // namespace reckon::circuit
