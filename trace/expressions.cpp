#include "trace/expressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>

#include "numerics/native.h"
#include "reveal/recognise.h"

namespace reckon::trace {
namespace {

using numerics::Format;
using ptx::TraceNode;
using Kind = TraceNode::Kind;

constexpr std::size_t most_nested = 16;  // terms that are not alike and still are written out
constexpr std::int64_t most_recognised = 1 << 20;
constexpr std::size_t most_shared = 1 << 14;  // nodes of extremes that are looked into from each of several places

bool is_extreme(Act act) { return act == Act::min || act == Act::max || act == Act::minnum || act == Act::maxnum; }

double value_of(const TraceNode& constant) { return numerics::widen(constant.wide(), constant.format); }

}  // namespace

bool Expressions::is_constant(std::uint32_t id, double value) const {
  return node(id).kind == Kind::constant && value_of(node(id)) == value;
}

/// Terms that change nothing: 0 of a sum (but for the sign of a sum of zeros), the least number of a maximum.
bool Expressions::is_neutral(std::uint32_t id, Act act) const {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  return act == Act::add                         ? is_constant(id, 0)
         : act == Act::mul                       ? is_constant(id, 1)
         : act == Act::max || act == Act::maxnum ? is_constant(id, -infinite)
                                                 : is_constant(id, infinite);
}

/// The operation that folds many terms of which the node is one; `convert` for none.
Act Expressions::fold_act(std::uint32_t id) const {
  const TraceNode& one = node(id);
  if (one.kind != Kind::act) return Act::convert;
  switch (one.act) {
    case Act::add:
    case Act::fma:
    case Act::dot: return Act::add;
    case Act::max:
    case Act::min:
    case Act::maxnum:
    case Act::minnum: return one.act;
    default: return Act::convert;
  }
}

std::vector<Expressions::Term> Expressions::children(std::uint32_t id) const {
  const TraceNode& one = node(id);
  if (one.act == Act::fma) {
    if (is_constant(one.a, 1)) return {{one.c, 0}, {one.b, 0}};
    if (is_constant(one.b, 1)) return {{one.c, 0}, {one.a, 0}};
    return {{one.c, 0}, {one.a, one.b}};
  }
  if (one.act == Act::dot) {
    std::vector<Term> out{{one.a, 0}};
    const auto factors = trace_.factors(one);
    for (std::size_t k = 0; k < factors.size(); k += 2) out.push_back({factors[k], factors[k + 1]});
    return out;
  }
  return {{one.a, 0}, {one.b, 0}};
}

/// What the roots are made of, and which nodes stand inside of one fold and nowhere else.
void Expressions::mark(const std::vector<std::uint32_t>& roots) {
  reached_.assign(trace_.size(), 0);
  interior_.assign(trace_.size(), 0);
  std::vector<std::uint8_t> uses(trace_.size(), 0);
  for (const std::uint32_t root : roots) {
    reached_[root] = 1;
    uses[root] = 2;
  }
  for (auto id = static_cast<std::uint32_t>(trace_.size()); id-- > 1;) {
    if (reached_[id] == 0) continue;
    const TraceNode& one = node(id);
    if (one.kind != Kind::act) continue;
    const auto use = [&](std::uint32_t operand, bool folds) {
      reached_[operand] = 1;
      uses[operand] = static_cast<std::uint8_t>(std::min(2, uses[operand] + 1));
      const TraceNode& other = node(operand);
      interior_[operand] = folds && uses[operand] == 1 && other.format == one.format && other.atomic == one.atomic &&
                           fold_act(operand) != Act::convert && fold_act(operand) == fold_act(id);
    };
    if (fold_act(id) != Act::convert) {
      for (const Term& term : children(id)) {
        use(term.node, term.factor == 0);
        if (term.factor != 0) use(term.factor, false);
      }
      continue;
    }
    const std::uint32_t operands[] = {one.a, one.b, one.c};
    for (std::size_t k = 0; k < one.operands; ++k) use(operands[k], false);
  }
}

/// Extremes round nothing: in whatever order, and however often a term comes, they are the same. What several of them
/// share is looked into, too, if there is not too much of it.
Expressions::Found Expressions::collect_extreme(std::uint32_t root) const {
  Found out;
  const Act act = fold_act(root);
  std::set<std::uint32_t> seen{root};
  std::vector<std::uint32_t> work{root}, terms;
  while (!work.empty()) {
    const std::uint32_t id = work.back();
    work.pop_back();
    out.plain = out.plain && node(id).plain;
    for (const Term& term : children(id)) {
      if (is_neutral(term.node, act) || !seen.insert(term.node).second) continue;
      const bool same = fold_act(term.node) == act && node(term.node).format == node(root).format &&
                        node(term.node).atomic == node(root).atomic;
      if (same && (interior_[term.node] != 0 || seen.size() < most_shared)) work.push_back(term.node);
      else terms.push_back(term.node);
    }
  }
  std::sort(terms.begin(), terms.end());
  for (const std::uint32_t term : terms) {
    out.postfix.push_back(static_cast<std::int32_t>(out.terms.size()));
    out.terms.push_back({term, 0});
  }
  return out;
}

Expressions::Found Expressions::collect(std::uint32_t root) const {
  Found out;
  const Act act = fold_act(root);
  struct Visit {
    std::uint32_t id;
    std::vector<Term> children;
    std::size_t next = 0;
    std::int32_t kept = 0;
    bool has_product = false;
  };
  std::vector<Visit> stack;
  const auto enter = [&](std::uint32_t id) {
    out.plain = out.plain && node(id).plain;
    stack.push_back({id, children(id)});
  };
  enter(root);
  while (!stack.empty()) {
    Visit& top = stack.back();
    if (top.next < top.children.size()) {
      const Term term = top.children[top.next++];
      if (term.factor == 0 && is_neutral(term.node, act)) continue;
      // Factors 0 pad the products of tensor cores.
      if (term.factor != 0 && (is_constant(term.node, 0) || is_constant(term.factor, 0))) continue;
      ++top.kept;
      if (term.factor == 0 && interior_[term.node] != 0) {
        enter(term.node);
        continue;
      }
      top.has_product =
          top.has_product || term.factor != 0 || (node(term.node).kind == Kind::act && node(term.node).act == Act::mul);
      out.postfix.push_back(static_cast<std::int32_t>(out.terms.size()));
      out.terms.push_back(term);
      continue;
    }
    const std::int32_t kept = top.kept;
    const bool has_product = top.has_product;
    const Act own = node(top.id).act;
    if (own == Act::dot) ++out.dots;
    else if (kept > 1 && has_product) ++(own == Act::fma ? out.fmas : out.unfused);
    stack.pop_back();
    if (kept > 1) {
      using Product = Found::Product;
      out.postfix.push_back(-kept);
      out.products.push_back(!has_product ? Product::none : own == Act::fma ? Product::fused : Product::rounded);
    }
    if (stack.empty()) continue;
    // A node without terms is neutral itself; it does not count where it stands. One of one product is that product,
    // rounded.
    if (kept == 0) --stack.back().kept;
    if (kept == 1 && has_product) stack.back().has_product = true;
  }
  return out;
}

std::vector<Expression> Expressions::of(const std::vector<std::uint32_t>& roots) {
  mark(roots);
  made_.clear();
  made_at_.assign(trace_.size(), 0);
  for (std::uint32_t id = 1; id < trace_.size(); ++id) {
    if (reached_[id] == 0 || interior_[id] != 0) continue;
    made_.push_back(made(id));
    made_at_[id] = static_cast<std::uint32_t>(made_.size());
  }
  std::vector<Expression> out;
  for (const std::uint32_t root : roots) out.push_back(known(root));
  return out;
}

std::uint32_t Expressions::intern(const Structure& structure) {
  const auto [at, is_new] = known_.try_emplace(structure, static_cast<std::uint32_t>(structures_.size()));
  if (is_new) structures_.push_back(structure);
  return at->second;
}

Expression Expressions::of_children(Structure structure, std::vector<Expression> children) {
  Expression out;
  const bool commutes =
      structure.kind == Structure::Kind::act && (structure.act == Act::add || structure.act == Act::mul ||
                                                 structure.act == Act::fma || is_extreme(structure.act));
  if (commutes &&
      std::tie(children[1].structure, children[1].slots) < std::tie(children[0].structure, children[0].slots))
    std::swap(children[0], children[1]);
  for (const Expression& child : children) {
    structure.children.push_back(child.structure);
    out.slots.insert(out.slots.end(), child.slots.begin(), child.slots.end());
  }
  out.structure = intern(structure);
  return out;
}

Expression Expressions::made(std::uint32_t id) {
  const TraceNode& one = node(id);
  Structure structure;
  structure.format = one.format;
  if (one.kind == Kind::input) {
    structure.argument = one.a;
    return {intern(structure), {static_cast<std::int64_t>(one.wide())}};
  }
  if (one.kind == Kind::constant) {
    structure.kind = Structure::Kind::constant;
    structure.bits = one.wide();
    return {intern(structure), {}};
  }
  return fold_act(id) != Act::convert ? of_fold(id) : of_act(id);
}

Expression Expressions::of_act(std::uint32_t id) {
  const TraceNode& one = node(id);
  if (one.act == Act::mul && is_constant(one.a, 1)) return known(one.b);
  if (one.act == Act::mul && is_constant(one.b, 1)) return known(one.a);
  Structure structure;
  structure.kind = Structure::Kind::act;
  structure.act = one.act;
  structure.format = one.format;
  structure.from = one.from;
  structure.plain = one.plain;
  const std::uint32_t operands[] = {one.a, one.b, one.c};
  std::vector<Expression> children;
  for (std::size_t k = 0; k < one.operands; ++k) children.push_back(known(operands[k]));
  return of_children(structure, children);
}

/// A product that a tensor core adds is of its sums' format.
Expression Expressions::of_term(const Term& term, Format sums) {
  if (term.factor == 0) {
    return made_at_[term.node] != 0 ? known(term.node) : nested(term.node);
  }
  Structure structure;
  structure.kind = Structure::Kind::act;
  structure.act = Act::mul;
  structure.format = structure.from = sums;
  std::vector<Expression> factors{known(term.node), known(term.factor)};
  for (Expression& factor : factors) {
    const Format own = structures_[factor.structure].format;
    if (own == sums) continue;
    Structure widened;
    widened.kind = Structure::Kind::act;
    widened.act = Act::convert;
    widened.format = sums;
    widened.from = own;
    factor = of_children(widened, {factor});
  }
  return of_children(structure, factors);
}

/// Few terms, written out node by node.
Expression Expressions::nested(std::uint32_t id) {
  const TraceNode& one = node(id);
  const Act act = fold_act(id);
  std::vector<Expression> kept;
  bool has_product = false;
  for (const Term& term : children(id)) {
    if (term.factor == 0 && is_neutral(term.node, act)) continue;
    has_product = has_product || term.factor != 0;
    kept.push_back(of_term(term, one.format));
  }
  Structure structure;
  structure.kind = Structure::Kind::act;
  structure.act = act;
  structure.format = structure.from = one.format;
  structure.plain = one.plain;
  if (kept.empty()) return known(one.a);
  if (kept.size() == 1) return kept[0];
  if (one.act == Act::fma && has_product) {
    structure.act = Act::fma;
    return of_children(structure, {known(one.a), known(one.b), kept[0]});
  }
  Expression out = kept[0];
  for (std::size_t k = 1; k < kept.size(); ++k) out = of_children(structure, {out, kept[k]});
  return out;
}

/// Finds the strides of the terms' slots: of all terms, or in chunks that are equally far apart, as the terms of a
/// block are whose grid goes through an array several times.
bool Expressions::fit(Structure& structure, const std::vector<Expression>& terms,
                      const std::vector<std::size_t>& sorted) {
  const std::size_t count = sorted.size(), slots = terms[sorted[0]].slots.size();
  const auto at = [&](std::size_t k, std::size_t s) { return terms[sorted[k]].slots[s]; };
  structure.strides.assign(slots, 0);
  if (count == 1) return true;
  for (std::size_t s = 0; s < slots; ++s) structure.strides[s] = at(1, s) - at(0, s);
  const auto follows = [&](std::size_t k) {
    for (std::size_t s = 0; s < slots; ++s) {
      if (at(k, s) != at(0, s) + static_cast<std::int64_t>(k) * structure.strides[s]) return false;
    }
    return true;
  };
  std::size_t first = 2;
  while (first < count && follows(first)) ++first;
  if (first == count) return true;
  structure.chunk = static_cast<std::int64_t>(first);
  structure.outer.assign(slots, 0);
  for (std::size_t s = 0; s < slots; ++s) structure.outer[s] = at(first, s) - at(0, s);
  for (std::size_t k = first; k < count; ++k) {
    const auto inner = static_cast<std::int64_t>(k % first), outer = static_cast<std::int64_t>(k / first);
    for (std::size_t s = 0; s < slots; ++s) {
      if (at(k, s) != at(0, s) + inner * structure.strides[s] + outer * structure.outer[s]) return false;
    }
  }
  return true;
}

Expression Expressions::of_fold(std::uint32_t id) {
  const Found found = is_extreme(fold_act(id)) ? collect_extreme(id) : collect(id);
  const std::size_t count = found.terms.size();
  if (count == 1 && is_extreme(fold_act(id))) return of_term(found.terms[0], node(id).format);
  if (count < 3 && found.dots == 0 && !node(id).atomic) return nested(id);
  if (count == 0) return nested(id);
  std::vector<Expression> terms;
  terms.reserve(count);
  for (const Term& term : found.terms) terms.push_back(of_term(term, node(id).format));
  std::vector<std::size_t> sorted(count);
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  const bool alike = std::all_of(terms.begin(), terms.end(),
                                 [&](const Expression& term) { return term.structure == terms[0].structure; });
  if (!alike && count <= most_nested && found.dots == 0 && !node(id).atomic) return nested(id);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](std::size_t a, std::size_t b) { return terms[a].slots < terms[b].slots; });
  std::vector<std::int64_t> place(count);
  for (std::size_t k = 0; k < count; ++k) place[sorted[k]] = static_cast<std::int64_t>(k);
  Structure structure;
  structure.act = fold_act(id);
  structure.format = structure.from = node(id).format;
  structure.terms = static_cast<std::int64_t>(count);
  structure.order = order_of(found, place, id);
  structure.plain = found.plain;
  const Expression& first = terms[sorted[0]];
  const bool regular = alike && fit(structure, terms, sorted);
  structure.kind = regular ? Structure::Kind::fold : Structure::Kind::irregular;
  if (!regular) {
    structure.strides.clear();
    structure.outer.clear();
    structure.chunk = 0;
    return {intern(structure), {}};
  }
  return of_children(structure, {first});
}

std::string Expressions::with_fmas(const Found& found, const std::vector<std::int64_t>& place,
                                   const std::string& schedule) {
  const std::string whole = found.unfused == 0 ? "fused(" + schedule + ")" : "";
  const bool lanes = schedule.starts_with("lanes(");
  if (!lanes && !schedule.starts_with("tile(")) return whole;
  // `lanes(32, S) then T`: threads add by fma, and what joins them does not.
  const std::size_t open = schedule.find('('), comma = schedule.find(',');
  const std::int64_t k = std::stoll(schedule.substr(open + 1, comma - open - 1));
  std::size_t close = comma;
  for (int depth = 1; depth > 0; ++close) depth += schedule[close] == '(' ? 1 : schedule[close] == ')' ? -1 : 0;
  const std::string inner = schedule.substr(comma + 2, close - comma - 3);
  // The group of the leaves below each node; -1 for leaves of several.
  std::vector<std::int64_t> groups;
  std::size_t join = 0;
  for (const std::int32_t entry : found.postfix) {
    if (entry >= 0) {
      const std::int64_t leaf = place[static_cast<std::size_t>(entry)];
      groups.push_back(lanes ? leaf % k : leaf / k);
      continue;
    }
    std::int64_t group = groups.back();
    for (std::int32_t each = 0; each < -entry; ++each) {
      if (groups.back() != group) group = -1;
      groups.pop_back();
    }
    groups.push_back(group);
    const Found::Product product = found.products[join++];
    if (product != Found::Product::none && (product == Found::Product::fused) != (group >= 0)) return whole;
  }
  return fmt::format("{}({}, fused({})){}", lanes ? "lanes" : "tile", k, inner, schedule.substr(close));
}

std::uint32_t Expressions::order_of(const Found& found, const std::vector<std::int64_t>& place, std::uint32_t root) {
  Order made;
  made.terms = static_cast<std::int64_t>(found.terms.size());
  made.atomic = node(root).atomic;
  const std::string format(numerics::traits(node(root).format).name);
  if (is_extreme(fold_act(root))) {
    made.arithmetic = format;
    made.extreme = true;
    const auto [at, is_new] = known_orders_.try_emplace(fmt::format("extreme {} {}", format, made.terms),
                                                        static_cast<std::uint32_t>(orders_.size()));
    if (is_new) orders_.push_back(std::move(made));
    return at->second;
  }
  reveal::SumTree tree;
  std::vector<reveal::SumTree::Node> stack;
  for (const std::int32_t entry : found.postfix) {
    if (entry >= 0) {
      stack.push_back(tree.leaf(place[static_cast<std::size_t>(entry)]));
      continue;
    }
    std::vector<reveal::SumTree::Node> children(stack.end() + entry, stack.end());
    stack.resize(stack.size() - children.size());
    stack.push_back(tree.join(std::move(children)));
  }
  tree.set_root(stack.back());
  made.tree = tree.text();
  made.multiway_nodes = tree.multiway_nodes();
  const std::string_view model = numerics::mma_model_names[static_cast<std::size_t>(trace_.model(node(root)))];
  made.arithmetic = found.dots > 0                         ? fmt::format("tensor cores ({})", model)
                    : found.fmas > 0 && found.unfused == 0 ? format + " with fma"
                    : found.fmas > 0                       ? format + ", some products with fma"
                                                           : format;
  const std::string key = made.arithmetic + (made.atomic ? " any " : " ") + made.tree;
  const auto [at, is_new] = known_orders_.try_emplace(key, static_cast<std::uint32_t>(orders_.size()));
  if (!is_new) return at->second;
  if (made.atomic) {
    made.schedule = "any";
  } else if (found.dots > 0) {
    // One node after the other, each with the next products.
    std::int64_t next = 0, nodes = 0;
    // Of f32 the cores read the upper bits, which no conversion of the language does.
    bool in_order = found.unfused == 0 && found.fmas == 0 && node(root).from != Format::tf32;
    const std::int64_t length = made.terms / std::max<std::int64_t>(found.dots, 1);
    for (const std::int32_t entry : found.postfix) {
      if (entry < 0) ++nodes;
      else in_order = in_order && place[static_cast<std::size_t>(entry)] / length == nodes, ++next;
    }
    if (in_order && next == made.terms) made.schedule = fmt::format("mma({})", model);
  } else if (made.terms <= most_recognised && made.multiway_nodes == 0) {
    if (const auto recognised = reveal::recognise(tree))
      made.schedule = found.fmas > 0 ? with_fmas(found, place, recognised->schedule) : recognised->schedule;
  }
  if (made.tree.size() > longest_tree) made.tree = made.tree.substr(0, longest_tree) + "...";
  orders_.push_back(std::move(made));
  return at->second;
}

bool Expressions::has_inexact(std::uint32_t number) const {
  const Structure& one = structures_[number];
  return !one.plain ||
         std::any_of(one.children.begin(), one.children.end(), [&](std::uint32_t child) { return has_inexact(child); });
}

}  // namespace reckon::trace
