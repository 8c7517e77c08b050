// Loops: maps, reductions, scans, blocks of lets, and calls of circuits that have loops.
#include <algorithm>
#include <utility>

#include "tests/differential/generator.h"

namespace reckon::differential {
namespace {

bool is_named(const std::string& extent) { return extent.find_first_not_of("0123456789") != std::string::npos; }

}  // namespace

Generator::Extent Generator::extent(bool ragged) {
  if (ragged && !scope_.indices.empty() && random_.one_in(4)) return "(" + random_.pick(scope_.indices).name + " + 1)";
  if (scope_.dimensions.empty() || random_.one_in(6)) return std::to_string(1 + random_.below(6));
  const std::string name = random_.pick(scope_.dimensions);
  switch (random_.below(12)) {
    case 0: return "(" + name + " + " + std::to_string(1 + random_.below(3)) + ")";
    case 1: return "(2 * " + name + ")";
    case 2: return "(" + name + " // 2 + 1)";
    default: return name;
  }
}

Generator::Loop Generator::loop() {
  Loop out;
  out.variable.name = fresh("j");
  const std::string& name = out.variable.name;
  const auto bounded = [&](const std::string& bound) { out.header = name + " < " + bound; };
  // A range that a subscript gives.
  std::vector<const Variable*> vectors;
  for (const Variable& variable : scope_.variables) {
    if (variable.extents.size() == 1) vectors.push_back(&variable);
  }
  if (!vectors.empty() && random_.one_in(2)) {
    out.inferred = random_.pick(vectors)->extents[0];
    out.header = name;
    out.variable.below = {out.inferred};
    out.named = is_named(out.inferred);
    return out;
  }
  if (!scope_.indices.empty() && random_.one_in(3)) {
    // Triangles and ragged ends: the range depends on an outer index.
    const IndexVariable outer = random_.pick(scope_.indices);
    out.named = true;
    if (!outer.below.empty() && random_.one_in(3)) {
      out.variable.below = {outer.below[0]};
      bounded(random_.one_in(2) ? "(" + outer.below[0] + " - " + outer.name + ")"
                                : "min(" + std::to_string(1 + random_.below(5)) + ", " + outer.below[0] + " - " + outer.name + ")");
      return out;
    }
    out.variable.below = outer.below;
    if (random_.one_in(3)) {
      out.empty = true;
      bounded(random_.one_in(2) ? outer.name : "(" + outer.name + " // 2)");
    } else {
      bounded("(" + outer.name + " + 1)");
    }
    return out;
  }
  if (!scope_.dimensions.empty() && random_.one_in(8)) {
    const std::string dimension = random_.pick(scope_.dimensions);
    out.named = out.empty = true;
    if (random_.one_in(2)) {
      out.variable.below = {dimension};
      bounded("(" + dimension + " - 1)");
    } else {
      bounded("(" + dimension + " % 3)");
    }
    return out;
  }
  const Extent range = extent();
  bounded(range);
  out.variable.below = {range};
  out.named = is_named(range);
  if (!out.named) out.leaves = std::stoi(range);
  return out;
}

/// What is under a binder. An index without a bound must stand alone in some subscript.
Node Generator::body(const Format& format, const std::vector<Loop>& loops, int depth) {
  Node out = scalar(format, depth);
  for (const Loop& loop : loops) {
    if (loop.inferred.empty()) continue;
    for (const Variable& variable : scope_.variables) {
      if (variable.extents != std::vector<Extent>{loop.inferred}) continue;
      Node one{variable.format, variable.name + "[" + loop.variable.name + "]", {}, {}, {}};
      if (variable.format != format) one = call_node(format, format, {std::move(one)});
      const bool product = random_.one_in(2);
      out = Node{format, product ? "($0 * $1)" : "($0 + $1)", product ? "$0* * $1" : "$0+ + $1*",
                 product ? Binding::product : Binding::sum, {std::move(one), std::move(out)}};
      break;
    }
  }
  return out;
}

Node Generator::reduction(const Format& format, int depth) {
  static constexpr const char* heads[] = {"sum", "sum", "sum", "prod", "min", "max"};
  static constexpr const char* names[] = {"add", "add", "add", "mul", "min", "max"};
  const std::size_t which = random_.below(std::size(heads));
  const bool user = random_.one_in(4);
  const std::string operation = user ? operation_of(format) : names[which];
  std::vector<Loop> loops{loop()};
  // Two indices are one list of leaves, the last one fastest; their ranges stand beside one another.
  if (random_.one_in(6)) loops.push_back(loop());
  const int leaves = loops.size() == 1 ? loops[0].leaves : 0;
  const bool sums = !user && which < 3;
  Node order = random_.one_in(5) ? Node{} : sums ? sum_schedule(format, 2, leaves) : schedule(2, leaves);
  const bool products = sums && !order.pattern.empty() && std::exchange(fuses_, false);
  const Format narrow = std::exchange(narrow_, {});
  const bool guarded = !products && random_.one_in(6);
  const bool otherwise = (guarded && (user || which > 3)) || std::any_of(loops.begin(), loops.end(), [](const Loop& loop) { return loop.empty; }) ||
                         random_.one_in(12);
  Node empty = otherwise ? scalar(format, depth - 2) : Node{};
  const Scope outer = scope_;
  std::string header;
  for (const Loop& loop : loops) {
    header += (header.empty() ? "" : ", ") + loop.header;
    scope_.nesting += loop.named;
    scope_.indices.push_back(loop.variable);
  }
  nesting_ = std::max(nesting_, scope_.nesting);
  Node inside = body(format, loops, depth - 1);
  if (products) inside = product(format, std::move(inside), depth - 2, narrow);
  Node guard = guarded ? condition(depth - 1, random_.one_in(2)) : Node{};
  scope_ = outer;
  const std::string place_of_guard = std::to_string(1 + !order.pattern.empty() + otherwise);
  const std::string rest = std::string(" ") + header + (guarded ? " where ($" + place_of_guard + ")" : "") + ": $0" + (order.pattern.empty() ? "" : " by $1") +
                           (otherwise ? order.pattern.empty() ? " else $1" : " else $2" : "");
  std::string other_rest = rest;
  // A `by` or `else` would belong to a binder at the end of the body.
  const bool ended = !order.pattern.empty() || otherwise;
  if (const auto place = other_rest.find(": $0"); place != std::string::npos) other_rest.insert(place + 4, ended ? "+" : ".");
  if (const auto place = other_rest.find("by $1"); place != std::string::npos) other_rest.insert(place + 5, ".");
  const std::string head = user ? "reduce(" + operation + ")" : heads[which];
  Node out{format, "(" + head + rest + ")", "reduce(" + operation + ")" + other_rest, Binding::open, {std::move(inside)}};
  if (!order.pattern.empty()) out.children.push_back(std::move(order));
  if (otherwise) out.children.push_back(std::move(empty));
  if (guarded) out.children.push_back(std::move(guard));
  return out;
}

Node Generator::map(const Format& format, const std::vector<Extent>& extents, int depth) {
  std::vector<Loop> loops;
  const Scope outer = scope_;
  std::string header, separate;
  for (const Extent& range : extents) {
    Loop each;
    each.variable = {fresh("j"), {range}};
    const bool known = std::any_of(scope_.variables.begin(), scope_.variables.end(), [&](const Variable& variable) {
      return variable.extents == std::vector<Extent>{range};
    });
    each.header = each.variable.name;
    if (known && random_.one_in(2)) each.inferred = range;
    else each.header += " < " + range;
    header += (header.empty() ? "" : ", ") + each.header;
    separate += "for " + each.header + ": ";
    scope_.nesting += is_named(range);
    loops.push_back(std::move(each));
  }
  for (const Loop& loop : loops) scope_.indices.push_back(loop.variable);
  nesting_ = std::max(nesting_, scope_.nesting);
  Node inside = body(format, loops, depth);
  scope_ = outer;
  Sort sort = format + "[";
  for (std::size_t k = 0; k < extents.size(); ++k) sort += (k > 0 ? ", " : "") + extents[k];
  return {sort + "]", "(for " + header + ": $0)", separate + "$0.", Binding::open, {std::move(inside)}};
}

Node Generator::tensor(const Format& format, const std::vector<Extent>& extents, int depth) {
  Sort sort = format + "[";
  for (std::size_t k = 0; k < extents.size(); ++k) sort += (k > 0 ? ", " : "") + extents[k];
  sort += "]";
  std::vector<std::string> same, other;
  for (const Variable& variable : scope_.variables) {
    if (variable.extents == extents) (variable.format == format ? same : other).push_back(variable.name);
  }
  if (!same.empty() && (depth <= 0 || random_.one_in(4))) return atom(sort, random_.pick(same));
  if (depth > 0 && random_.one_in(5)) {
    // Operations and conversions work element by element.
    if (!other.empty() && random_.one_in(3)) return call_node(sort, format, {atom(sort, random_.pick(other))});
    if (!same.empty() && random_.one_in(2)) {
      Node scaled = scalar(format, depth - 1);
      return {sort, "($0 * $1)", "$0* * $1", Binding::product, {atom(sort, random_.pick(same)), std::move(scaled)}};
    }
    const char* name = random_.one_in(2) ? "add" : "max";
    Node left = tensor(format, extents, depth - 1);
    return call_node(sort, name, {std::move(left), tensor(format, extents, depth - 2)});
  }
  if (extents.size() == 1 && depth > 1 && random_.one_in(scope_.indices.empty() ? 5 : 2) && scope_.nesting < 2) {
    const Scope outer = scope_;
    Loop each;
    each.variable = {fresh("j"), {extents[0]}};
    const std::string operation = random_.one_in(3) ? operation_of(format)
                                                    : std::string(random_.pick({"add", "add", "mul", "max", "min"}));
    Node order = operation == "add" ? sum_schedule(format, 2, 0) : schedule(2, 0);
    const bool products = operation == "add" && std::exchange(fuses_, false);
    const Format narrow = std::exchange(narrow_, {});
    scope_.indices.push_back(each.variable);
    scope_.nesting += 2 * is_named(extents[0]);  // a scan by a tree is work of the square
    nesting_ = std::max(nesting_, scope_.nesting);
    Node inside = body(format, {each}, depth - 1);
    if (products) inside = product(format, std::move(inside), depth - 2, narrow);
    scope_ = outer;
    const std::string header = "scan(" + operation + ") " + each.variable.name + " < " + extents[0];
    return {sort, "(" + header + ": $0 by $1)", header + ": $0+ by $1.", Binding::open, {std::move(inside), std::move(order)}};
  }
  // A state has one shape.
  const bool varies = std::ranges::any_of(extents, [&](const Extent& extent) {
    return std::ranges::any_of(scope_.indices, [&](const auto& index) { return extent.find(index.name) != std::string::npos; });
  });
  if (!varies && depth > 1 && scope_.nesting + static_cast<int>(extents.size()) < 3 && random_.one_in(6)) {
    return rounds(format, extents, sort, depth);
  }
  return map(format, extents, depth - 1);
}

/// A loop over a state that is a tensor: a circuit that takes the state at any places, carried out again and again.
Node Generator::rounds(const Format& format, const std::vector<Extent>& extents, const Sort& sort, int depth) {
  Node start = tensor(format, extents, depth - 2);
  const bool folds = random_.one_in(2);
  const Scope outer = scope_;
  scope_ = {};
  scope_.nesting = outer.nesting + 1;
  std::vector<Extent> own;
  std::string type;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    own.push_back(d == 0 ? "l" : "w");
    scope_.dimensions.push_back(own.back());
    type += (d == 0 ? "[" : ", ") + own.back();
  }
  type = format + type + "]";
  scope_.variables = {{"s", format, own}};
  if (folds) scope_.variables.push_back({"e", format, {}});
  Node next = map(format, own, std::min(depth, 3));
  scope_ = outer;
  const std::string name = fresh("step");
  items_.push_back({"item",
                    "fn " + name + "(s: " + type + (folds ? ", e: " + format : "") + ") -> " + type + " = $0",
                    {},
                    {},
                    {std::move(next)}});
  if (!folds) {
    const std::string head = "iterate(" + std::to_string(random_.below(4)) + ", " + name + ", ";
    return {sort, head + "$0)", head + "$0.)", Binding::atom, {std::move(start)}};
  }
  // No code has loops whose number of rounds depends on an index.
  Loop each;
  const Extent count = extent(false);
  each.variable = {fresh("j"), {count}};
  each.header = each.variable.name + " < " + count;
  scope_.indices.push_back(each.variable);
  scope_.nesting += is_named(count);
  nesting_ = std::max(nesting_, scope_.nesting);
  Node leaf = scalar(format, depth - 2);
  scope_ = outer;
  const std::string head = "fold(" + name + ", ";
  return {sort,
          "(" + head + "$0) " + each.header + ": $1)",
          head + "$0.) " + each.header + ": $1.",
          Binding::open,
          {std::move(start), std::move(leaf)}};
}

/// One or two lets, the second for the parts of a tuple; what they name is in scope from then on.
std::vector<Node> Generator::binding(int depth) {
  const Format format = random_.one_in(6) ? other_format(format_) : format_;
  const std::string name = fresh("v");
  std::vector<Node> out;
  const auto let = [&](const std::string& target, Node value) {
    out.push_back({"let", "let " + target + " = $0;", "let " + target + " = $0.;", {}, {std::move(value)}});
  };
  switch (random_.below(6)) {
    case 0:
    case 1: {
      let(name, scalar(format, depth));
      scope_.variables.push_back({name, format, {}});
      break;
    }
    case 2:
    case 3: {
      std::vector<Extent> extents{extent(true)};
      if (random_.one_in(4) && scope_.nesting == 0) extents.push_back(extent());
      if (scope_.nesting + static_cast<int>(extents.size()) > 3) {
        let(name, scalar(format, depth));
        extents.clear();
      } else {
        let(name, tensor(format, extents, depth));
      }
      scope_.variables.push_back({name, format, extents});
      break;
    }
    case 4: {
      if (scope_.nesting > 1) {
        let(name, scalar(format, depth));
        scope_.variables.push_back({name, format, {}});
        break;
      }
      const Extent range = extent(true);
      let(name, tensor(format, {range}, std::max(depth, 2)));
      scope_.variables.push_back({name, format, {range}});
      break;
    }
    default: {
      // A reduction of tuples: a running maximum and a sum beside it, say.
      const std::vector<Format> formats{format, random_.one_in(3) ? other_format(format) : format};
      const std::string operation = operation_of_tuples(formats), second = fresh("v");
      Loop each = loop();
      if (!each.inferred.empty()) {
        each.header += " < " + each.inferred;
        each.inferred.clear();
      }
      const bool prefix = scope_.nesting == 0 && !each.empty && random_.one_in(3);
      Node order = schedule(2, prefix ? 0 : each.leaves);
      const Scope outer = scope_;
      scope_.indices.push_back(each.variable);
      scope_.nesting += each.named * (prefix ? 2 : 1);
      nesting_ = std::max(nesting_, scope_.nesting);
      Node first_part = scalar(formats[0], depth - 1), second_part = scalar(formats[1], depth - 1);
      scope_ = outer;
      std::string otherwise;
      if (each.empty) otherwise = " else (" + formats[0] + "(0), " + formats[1] + "(1))";
      const std::string head = std::string(prefix ? "scan(" : "reduce(") + operation + ") " + each.header;
      let("(" + name + ", " + second + ")",
          {"pair", "(" + head + ": ($0, $1) by $2" + otherwise + ")", head + ": ($0., $1.) by $2." + otherwise,
           Binding::open, {std::move(first_part), std::move(second_part), std::move(order)}});
      const std::vector<Extent> extents = prefix ? each.variable.below : std::vector<Extent>{};
      if (prefix && extents.empty()) break;
      // The range of a scan is the first extent that its index is below, unless that is a triangle's.
      if (prefix && each.header.find(" < " + extents[0]) + 3 + extents[0].size() != each.header.size()) break;
      const std::vector<Extent> shape = prefix ? std::vector<Extent>{extents[0]} : std::vector<Extent>{};
      scope_.variables.push_back({name, formats[0], shape});
      scope_.variables.push_back({second, formats[1], shape});
    }
  }
  return out;
}

Node Generator::block(Node (Generator::*result)(const Format&, const std::vector<Extent>&, int), const Format& format,
                      const std::vector<Extent>& extents, int depth) {
  const Scope outer = scope_;
  Node lets{"lets", "$;", {}, {}, {}};
  for (std::uint64_t count = 1 + random_.below(3); count > 0; --count) {
    for (Node& let : binding(depth)) lets.children.push_back(std::move(let));
  }
  Node last = (this->*result)(format, extents, depth);
  scope_ = outer;
  const Sort sort = last.sort;
  return {sort, "{ $0 $1 }", "{ $0 $1. }", Binding::atom, {std::move(lets), std::move(last)}};
}

/// A circuit over a vector, defined for this call: its dimension is bound by the argument.
Node Generator::call_tensor(const Format& format, int depth) {
  const Format of = random_.one_in(4) ? other_format(format) : format;
  const bool staged = random_.one_in(3), pair = random_.one_in(3);
  const std::string name = fresh("g");
  const Extent range = extent();
  if (scope_.nesting + 2 > 3) return operation(format, depth);
  std::vector<Node> arguments{tensor(of, {range}, depth - 1)};
  if (pair) arguments.push_back(tensor(format, {range}, depth - 1));
  const Scope outer = scope_;
  scope_ = {};
  scope_.dimensions = {"l"};
  scope_.nesting = outer.nesting + 1;
  scope_.variables = {{"x", of, {"l"}}};
  if (pair) scope_.variables.push_back({"y", format, {"l"}});
  if (staged) scope_.static_parameter = "b";
  Node value = random_.one_in(3) ? block(&Generator::scalar_result, format, {}, 2) : reduction(format, 2);
  scope_ = outer;
  const std::string head = "fn " + name + (staged ? "[b]" : "") + "(x: " + of + "[l]" +
                           (pair ? ", y: " + format + "[l]" : "") + ")" + (random_.one_in(2) ? " -> " + format : "");
  items_.push_back({"item", head + " = $0", head + " { $0. }", {}, {std::move(value)}});
  return call_node(format, name + (staged ? "[" + std::to_string(1 + random_.below(9)) + "]" : ""), std::move(arguments));
}

}  // namespace reckon::differential
