// Random well-typed circuits, made with the Module API: nested maps, reductions, scans, tuples, user operations, shared
// values, every scalar operation and every schedule.
#pragma once

#include <random>

#include "diagnostics/codes/shape_mismatch.h"
#include "ir/module.h"
#include "ir/op.h"
#include "numerics/format.h"

namespace reckon::ir::testing {

struct RandomOptions {
  bool runnable = false;  ///< only f32 and f64, subscripts in range, and schedules with a tree for every length
  bool shared_subterms = true;
};

class RandomCircuit {
 public:
  RandomCircuit(Module& module, std::uint64_t seed, RandomOptions options = {})
      : m_(module), random_(seed), options_(options), stored_(seed % 2 == 1) {}

  Function make() {
    Function out;
    out.name = m_.symbol("f" + std::to_string(below(10)));
    n_ = m_.symbol("n");
    k_ = m_.symbol("k");
    out.dimensions = {n_, k_};
    const IndexId n = m_.indices().dimension(n_), k = m_.indices().dimension(k_);
    auto parameter = [&](const char* name, Scalar scalar, std::vector<IndexId> extents) {
      const TypeId type = m_.types().tensor(scalar, std::move(extents));
      out.parameters.push_back({m_.symbol(name), type, {}});
      parameters_.push_back(m_.parameter(static_cast<std::uint32_t>(parameters_.size()), type));
    };
    parameter("x", Scalar::f32, {n});
    parameter("y", Scalar::f32, {n, k});
    parameter("a", Scalar::f32, {});
    parameter("b", Scalar::f64, {});
    parameter("h", options_.runnable ? Scalar::f64 : Scalar::f16, {m_.indices().add(n, m_.indices().constant(1))});
    if (below(2)) {
      out.requirements.push_back(
          {n, m_.indices().add(k, m_.indices().constant(1)), Diagnostic(code::shape_mismatch, {}, "rows \"differ\"")});
    }
    define_pairwise();
    scopes_.emplace_back();
    std::vector<NodeId> parts;
    for (std::uint64_t c = 1 + below(2); c > 0; --c) parts.push_back(whole());
    out.body = parts.size() == 1 ? parts[0] : m_.tuple(parts);
    out.result = m_[out.body].type;
    if (stored_) {
      for (Parameter& each : out.parameters) each.storage = padded(each.type);
      store_results(out.result, out.result_storage);
    }
    return out;
  }

 private:
  /// Of a tensor: column-major with a gap of 1 before each next dimension.
  std::optional<Storage> padded(TypeId id) {
    const Type type = m_.types()[id];
    if (type.kind != TypeKind::tensor) return std::nullopt;
    Storage out;
    IndexId next = m_.indices().constant(1);
    for (IndexId extent : type.extents) {
      out.layout.shape.elements.push_back({extent, {}});
      out.layout.stride.elements.push_back({next, {}});
      next = m_.indices().add(m_.indices().multiply(next, extent), m_.indices().constant(1));
    }
    if (type.extents.size() == 1) out.layout = out.layout.mode(0);
    return out;
  }
  void store_results(TypeId id, std::vector<std::optional<Storage>>& out) {
    const Type type = m_.types()[id];
    if (type.kind != TypeKind::tuple) out.push_back(padded(id));
    for (TypeId part : type.parts) store_results(part, out);
  }

  struct Scope {
    std::vector<std::pair<VariableId, IndexId>> variables;
    std::vector<NodeId> operands;
    std::vector<NodeId> made;  ///< to be used again
  };

  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  template <class T>
  T pick(std::initializer_list<T> choices) {
    return *(choices.begin() + below(choices.size()));
  }

  void define_pairwise() {
    const SymbolId name = m_.symbol("pairwise");
    if (m_.schedules().definition(name)) return;
    IndexStore& ix = m_.indices();
    ScheduleStore& s = m_.schedules();
    const VariableId length = m_.fresh_variable();
    const IndexId n = ix.variable(length);
    const ScheduleId self = s.reference(name);
    const ScheduleId halves = s.split(ix.floor_div(n, ix.constant(2)), self, self);
    const ScheduleId few = s.simple(ScheduleOp::seq);
    s.define(name, s.length(length, s.conditional(ix.less(n, ix.constant(3)), few, halves)));
  }

  ScheduleId schedule(int depth) {
    ScheduleStore& s = m_.schedules();
    const IndexId size = one_in(4) ? m_.indices().dimension(n_) : m_.indices().constant(1 + static_cast<int>(below(4)));
    const auto stage = [&] {
      return one_in(2) ? s.tile(size, schedule(depth - 1)) : s.lanes(size, schedule(depth - 1));
    };
    switch (depth <= 0 ? below(3) : below(options_.runnable ? 8 : 10)) {
      case 0: return s.simple(ScheduleOp::seq);
      case 1: return s.simple(ScheduleOp::tree);
      case 2: return s.simple(ScheduleOp::halving);
      case 3: return s.split(size, schedule(depth - 1), schedule(depth - 1));
      case 4: return s.then(stage(), schedule(depth - 1));
      case 5: return s.then(s.stage_then(stage(), stage()), schedule(depth - 1));
      case 6: return s.reference(m_.symbol("pairwise"));
      case 7: {
        const VariableId length = m_.fresh_variable();
        const IndexId n = m_.indices().variable(length), limit = m_.indices().constant(static_cast<int>(below(4)));
        const IndexId condition = one_in(2)
                                      ? m_.indices().less(limit, n)
                                      : m_.indices().logical_or(m_.indices().equal(n, limit),
                                                                m_.indices().less_equal(n, m_.indices().constant(2)));
        return s.length(length,
                        s.conditional(condition, schedule(depth - 1),
                                      s.split(m_.indices().maximum(m_.indices().floor_div(n, m_.indices().constant(2)),
                                                                   m_.indices().constant(1)),
                                              schedule(depth - 1), schedule(depth - 1))));
      }
      case 8: return s.simple(pick({ScheduleOp::any, ScheduleOp::any_tree, ScheduleOp::any_seq}));
      default: {
        TreeStore& trees = s.trees();
        return s.quoted(trees.pair(trees.pair(trees.leaf(1), trees.leaf(0)), trees.leaf(2)));
      }
    }
  }

  IndexId extent() {
    IndexStore& ix = m_.indices();
    std::vector<std::pair<VariableId, IndexId>> variables;
    for (const Scope& scope : scopes_)
      variables.insert(variables.end(), scope.variables.begin(), scope.variables.end());
    switch (below(6)) {
      case 0: return ix.dimension(n_);
      case 1: return ix.dimension(k_);
      case 2: return ix.constant(1 + static_cast<int>(below(3)));
      case 3: return ix.add(ix.floor_div(ix.dimension(n_), ix.constant(2)), ix.constant(1));
      case 4:
        if (!variables.empty()) return ix.add(ix.variable(variables[below(variables.size())].first), ix.constant(1));
        [[fallthrough]];
      default: return ix.maximum(ix.subtract(ix.dimension(n_), ix.dimension(k_)), ix.constant(2));
    }
  }

  IndexId index(int depth) {
    IndexStore& ix = m_.indices();
    if (depth <= 0 || one_in(3)) {
      std::vector<VariableId> variables;
      for (const Scope& scope : scopes_) {
        for (auto [variable, e] : scope.variables) variables.push_back(variable);
      }
      if (!variables.empty() && !one_in(4)) return ix.variable(variables[below(variables.size())]);
      return one_in(2) ? ix.dimension(one_in(2) ? n_ : k_) : ix.constant(static_cast<std::int64_t>(below(9)) - 4);
    }
    const IndexId a = index(depth - 1), b = index(depth - 1);
    switch (below(9)) {
      case 0: return ix.add(a, b);
      case 1: return ix.subtract(a, b);
      case 2: return ix.multiply(a, b);
      case 3: return ix.floor_div(a, ix.constant(2 + static_cast<int>(below(3))));
      case 4: return ix.floor_mod(a, ix.constant(1 + static_cast<int>(below(4))));
      case 5: return ix.minimum(a, b);
      case 6: return ix.maximum(a, b);
      case 7: return ix.multiply(a, ix.constant(static_cast<std::int64_t>(below(7)) - 3));
      default: return ix.add(condition(depth - 1), a);
    }
  }

  IndexId condition(int depth) {
    IndexStore& ix = m_.indices();
    const IndexId a = index(depth - 1), b = index(depth - 1);
    switch (below(depth <= 0 ? 3 : 6)) {
      case 0: return ix.less(a, b);
      case 1: return ix.less_equal(a, b);
      case 2: return ix.equal(a, b);
      case 3: return ix.logical_and(condition(depth - 1), condition(depth - 1));
      case 4: return ix.logical_or(condition(depth - 1), condition(depth - 1));
      default: return ix.logical_not(condition(depth - 1));
    }
  }

  NodeId element_of(NodeId tensor) {
    std::vector<IndexId> subscripts;
    const std::vector<IndexId> extents = m_.type(tensor).extents;
    for (IndexId extent : extents) {
      IndexId subscript = options_.runnable ? m_.indices().floor_mod(index(1), extent) : index(2);
      for (const Scope& scope : scopes_) {
        for (auto [variable, range] : scope.variables) {
          if (range == extent && !one_in(4)) subscript = m_.indices().variable(variable);
        }
      }
      subscripts.push_back(subscript);
    }
    return m_.element(tensor, subscripts);
  }

  NodeId truth(int depth) {
    if (depth <= 0 || one_in(4)) {
      if (one_in(4)) {
        Literal literal;
        literal.kind = Literal::Kind::boolean;
        literal.bits = below(2);
        return m_.literal(literal, Scalar::boolean);
      }
      return m_.index_condition(condition(1));
    }
    if (one_in(3)) return m_.apply(Op::logical_not, {truth(depth - 1)});
    if (one_in(3)) {
      return m_.apply(one_in(2) ? Op::logical_and : Op::logical_or, {truth(depth - 1), truth(depth - 1)});
    }
    const Scalar type = number_type();
    const Op op = pick({Op::less, Op::less_equal, Op::equal, Op::not_equal});
    return m_.apply(op, {number(type, depth - 1), number(type, depth - 1)});
  }

  Scalar number_type() {
    return options_.runnable ? pick({Scalar::f32, Scalar::f32, Scalar::f64})
                             : pick({Scalar::f32, Scalar::f64, Scalar::f16, Scalar::bf16, Scalar::number});
  }

  NodeId literal(Scalar type) {
    Literal out;
    switch (below(is_float(type) ? 8 : 4)) {
      case 4:
        out.kind = Literal::Kind::bits;
        out.bits = random_() & numerics::width_mask(format_of(type));
        break;
      case 5:
        out.kind = Literal::Kind::infinity;
        out.negative = one_in(2);
        break;
      case 6: out.kind = Literal::Kind::not_a_number; break;
      case 0:
        if (!options_.runnable) {
          out.kind = Literal::Kind::real;
          out.constant = pick({RealConstant::pi, RealConstant::e, RealConstant::ln2, RealConstant::log2e});
          out.value = mpq_class(static_cast<int>(below(9)) - 4, 7);
          out.value.canonicalize();
          break;
        }
        [[fallthrough]];
      case 7: return m_.rational(static_cast<int>(below(3)) - 1, type);
      default: return m_.rational(mpq_class(static_cast<int>(below(21)) - 10, 1 + static_cast<int>(below(9))), type);
    }
    return m_.literal(out, type);
  }

  NodeId number(Scalar type, int depth) {
    const NodeId out = new_number(type, depth);
    scopes_.back().made.push_back(out);
    return out;
  }

  NodeId leaf(Scalar type) {
    if (one_in(3)) return literal(type);
    std::vector<NodeId> all = parameters_;
    for (const Scope& scope : scopes_) all.insert(all.end(), scope.operands.begin(), scope.operands.end());
    for (int tries = 0; tries < 6; ++tries) {
      const NodeId id = all[below(all.size())];
      const Type of = m_.type(id);
      if (of.kind == TypeKind::tuple) {
        for (std::uint32_t part = 0; part < of.parts.size(); ++part) {
          if (of.parts[part] == m_.types().scalar(type)) return m_.get(id, part);
        }
      }
      if (of.kind != TypeKind::tuple && of.scalar == type) return of.kind == TypeKind::scalar ? id : element_of(id);
    }
    return one_in(2) ? literal(type) : m_.index_value(index(1), type);
  }

  NodeId new_number(Scalar type, int depth) {
    if (depth <= 0) return leaf(type);
    if (options_.shared_subterms && one_in(5)) {
      const auto& made = scopes_[below(scopes_.size())].made;
      if (!made.empty()) {
        const NodeId id = made[below(made.size())];
        if (m_[id].type == m_.types().scalar(type)) return id;
      }
    }
    auto sub = [&] { return number(type, depth - 1); };
    switch (below(16)) {
      case 0: return leaf(type);
      case 1:
        return m_.apply(options_.runnable
                            ? pick({Op::neg, Op::abs, Op::sqrt, Op::floor})
                            : pick({Op::neg, Op::abs, Op::sqrt, Op::rsqrt, Op::exp, Op::exp2, Op::log, Op::log2,
                                    Op::sin, Op::cos, Op::sign, Op::floor, Op::ceil, Op::trunc, Op::round}),
                        {sub()});
      case 2:
      case 3:
      case 4: return m_.apply(pick({Op::add, Op::sub, Op::mul, Op::div, Op::min, Op::max}), {sub(), sub()});
      case 5: return m_.apply(options_.runnable ? Op::sub : pick({Op::rem, Op::copysign}), {sub(), sub()});
      case 6: return m_.apply(Op::fma, {sub(), sub(), sub()});
      case 7: return m_.apply(Op::select, {truth(depth - 1), sub(), sub()});
      case 8: return m_.convert(number(number_type(), depth - 1), type);
      case 9:
      case 10: return m_.reduce(fold(type, depth, true));
      case 11: {
        const NodeId tuple = tuple_fold(type, depth, Op::reduce);
        return m_.get(tuple, 0);
      }
      case 12: return element_of(m_.get(tuple_fold(type, depth, Op::scan), 0));
      case 13: return element_of(m_.scan(fold(type, depth, false)));
      case 14: return element_of(tensor(type, depth - 1));
      default: return m_.apply(pick({Op::add, Op::mul}), {leaf(type), sub()});
    }
  }

  Module::Fold fold(Scalar type, int depth, bool reduce) {
    Module::Fold out;
    out.extent = extent();
    out.variable = m_.fresh_variable();
    out.schedule = schedule(2);
    out.operation = pick({Op::add, Op::mul, Op::min, Op::max});
    scopes_.push_back({{{out.variable, out.extent}}, {}, {}});
    out.body = number(type, depth - 1);
    scopes_.pop_back();
    if (one_in(3)) {
      add_operation(out, [&] { return number(type, depth - 2); });
    }
    if (reduce && one_in(3)) out.otherwise = number(type, depth - 2);
    return out;
  }

  template <class Make>
  void add_operation(Module::Fold& fold, Make make) {
    fold.left = m_.fresh_variable();
    fold.right = m_.fresh_variable();
    const TypeId type = m_[fold.body].type;
    scopes_.push_back({{}, {m_.operand(fold.left, type), m_.operand(fold.right, type)}, {}});
    fold.user_operation = make();
    scopes_.pop_back();
  }

  /// A reduction or scan of tuples whose first part has this type.
  NodeId tuple_fold(Scalar type, int depth, Op op) {
    Module::Fold out;
    out.extent = extent();
    out.variable = m_.fresh_variable();
    out.schedule = schedule(1);
    std::vector<Scalar> types{type};
    for (std::uint64_t more = 1 + below(2); more > 0; --more) types.push_back(number_type());
    auto parts = [&](int levels) {
      std::vector<NodeId> each;
      for (Scalar part : types) each.push_back(number(part, levels));
      return m_.tuple(each);
    };
    scopes_.push_back({{{out.variable, out.extent}}, {}, {}});
    out.body = parts(depth - 2);
    scopes_.pop_back();
    add_operation(out, [&] { return parts(1); });
    if (op == Op::reduce && one_in(3)) out.otherwise = parts(0);
    return op == Op::reduce ? m_.reduce(out) : m_.scan(out);
  }

  NodeId tensor(Scalar type, int depth) {
    switch (below(4)) {
      case 0: {
        Source source;
        source.kind = pick({Source::Kind::uniform, Source::Kind::normal, Source::Kind::lcg});
        source.seed = m_.indices().constant(static_cast<int>(below(5)));
        if (!options_.runnable && one_in(3)) source = {Source::Kind::file, {}, "data/\"x\"\n.npy", nullptr};
        if (options_.runnable) return map(type, depth);
        return m_.source(source, m_.types().tensor(type, {m_.indices().dimension(n_)}));
      }
      case 1: {
        const bool matrix = one_in(2);
        std::vector<NodeId> elements;
        for (int k = 0; k < (matrix ? 4 : 3); ++k) elements.push_back(number(type, depth - 2));
        return m_.array(elements, matrix ? std::vector<std::int64_t>{2, 2} : std::vector<std::int64_t>{3});
      }
      default: return map(type, depth);
    }
  }

  NodeId map(Scalar type, int depth) {
    std::vector<VariableId> variables;
    std::vector<IndexId> extents;
    Scope scope;
    for (std::uint64_t count = 1 + below(2); count > 0; --count) {
      variables.push_back(m_.fresh_variable());
      extents.push_back(extent());
      scope.variables.emplace_back(variables.back(), extents.back());
    }
    scopes_.push_back(scope);
    const NodeId body = number(type, depth);
    scopes_.pop_back();
    return m_.map(variables, extents, body);
  }

  NodeId whole() {
    const Scalar type = number_type();
    switch (below(4)) {
      case 0: return number(type, 4);
      case 1: return tuple_fold(type, 4, one_in(2) ? Op::reduce : Op::scan);
      case 2: return m_.scan(fold(type, 4, false));
      default: return map(type, 4);
    }
  }

  Module& m_;
  std::mt19937_64 random_;
  RandomOptions options_;
  bool stored_;  ///< parameters and results are, by layouts
  SymbolId n_, k_;
  std::vector<NodeId> parameters_;
  std::vector<Scope> scopes_;
};

}  // namespace reckon::ir::testing
