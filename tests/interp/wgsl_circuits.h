// WGSL's builtin functions that the language lacks, as circuits, for tests of the engine without stdlib/wgsl.rk.
#pragma once

#include <map>

#include "numerics/format.h"
#include "tests/interp/profiles.h"

namespace reckon::interp::testing {

/// A function of tensors of fixed shapes.
class Library {
 public:
  using Shape = std::vector<std::int64_t>;

  explicit Library(Scalar scalar) : scalar_(scalar) {}

  ir::Module module;

  /// The function for arguments of these shapes, or null.
  const ir::Function* find(const std::string& name, const std::vector<Shape>& shapes) {
    std::string key = name;
    for (const Shape& shape : shapes) {
      key += "/";
      for (const std::int64_t extent : shape) key += std::to_string(extent) + ",";
    }
    const auto found = functions_.find(key);
    if (found != functions_.end()) return &found->second;
    ir::Function function;
    function.name = module.symbol(key);
    Build b{module, scalar_, {}};
    for (std::size_t k = 0; k < shapes.size(); ++k) {
      std::vector<ir::IndexId> extents;
      for (const std::int64_t extent : shapes[k]) extents.push_back(module.indices().constant(extent));
      const ir::TypeId type =
          extents.empty() ? module.types().scalar(scalar_) : module.types().tensor(scalar_, extents);
      function.parameters.push_back({module.symbol("x" + std::to_string(k)), type, {}});
      b.parameters.push_back(module.parameter(static_cast<std::uint32_t>(k), type));
    }
    const NodeId body = make(name, b, shapes);
    if (!body.valid()) return nullptr;
    function.body = body;
    function.result = module[body].type;
    return &functions_.emplace(key, function).first->second;
  }

 private:
  NodeId at(NodeId tensor, std::vector<std::int64_t> place) {
    std::vector<ir::IndexId> subscripts;
    for (const std::int64_t k : place) subscripts.push_back(module.indices().constant(k));
    return module.element(tensor, subscripts);
  }
  std::vector<NodeId> parts(NodeId vector, const Shape& shape) {
    std::vector<NodeId> out;
    for (std::int64_t k = 0; k < shape[0]; ++k) out.push_back(at(vector, {k}));
    return out;
  }
  /// The column of a matrix, which is an array of columns.
  std::vector<NodeId> column(NodeId matrix, const Shape& shape, std::int64_t k) {
    std::vector<NodeId> out;
    for (std::int64_t r = 0; r < shape[1]; ++r) out.push_back(at(matrix, {k, r}));
    return out;
  }
  std::vector<NodeId> row(NodeId matrix, const Shape& shape, std::int64_t r) {
    std::vector<NodeId> out;
    for (std::int64_t k = 0; k < shape[0]; ++k) out.push_back(at(matrix, {k, r}));
    return out;
  }
  NodeId vector(std::vector<NodeId> parts) {
    const auto n = static_cast<std::int64_t>(parts.size());
    return module.array(std::move(parts), {n});
  }
  /// By every order.
  NodeId sum(std::vector<NodeId> terms) {
    ir::Module::Fold fold;
    fold.variable = module.fresh_variable();
    fold.extent = module.indices().constant(static_cast<std::int64_t>(terms.size()));
    fold.body = module.element(vector(std::move(terms)), {module.indices().variable(fold.variable)});
    fold.schedule = module.schedules().simple(ir::ScheduleOp::any_seq);
    return module.reduce(fold);
  }
  NodeId dot(const Build& b, const std::vector<NodeId>& x, const std::vector<NodeId>& y) {
    std::vector<NodeId> products;
    for (std::size_t i = 0; i < x.size(); ++i) products.push_back(b.mul(x[i], y[i]));
    return sum(products);
  }
  NodeId length(const Build& b, const std::vector<NodeId>& x) {
    return b.of(Op::sqrt, x.size() == 1 ? b.mul(x[0], x[0]) : dot(b, x, x));
  }
  using Matrix = std::vector<std::vector<NodeId>>;
  NodeId determinant(const Build& b, const Matrix& m) {
    const std::size_t n = m.size();
    if (n == 2) return b.sub(b.mul(m[0][0], m[1][1]), b.mul(m[0][1], m[1][0]));
    std::vector<NodeId> terms;
    for (std::size_t j = 0; j < n; ++j) {
      Matrix minor;
      for (std::size_t c = 1; c < n; ++c) {
        minor.emplace_back();
        for (std::size_t r = 0; r < n; ++r) {
          if (r != j) minor.back().push_back(m[c][r]);
        }
      }
      const NodeId factor = j % 2 == 0 ? m[0][j] : b.of(Op::neg, m[0][j]);
      terms.push_back(b.mul(factor, determinant(b, minor)));
    }
    return sum(terms);
  }

  NodeId make(const std::string& name, const Build& b, const std::vector<Shape>& shapes) {
    const auto literal = [&](const char* decimal) { return b.literal(*numerics::parse_number(decimal)); };
    const auto min_max = [&](NodeId x, NodeId low, NodeId high) { return b(Op::min, {b(Op::max, {x, low}), high}); };
    const bool scalars = std::all_of(shapes.begin(), shapes.end(), [](const Shape& shape) { return shape.empty(); });
    if (scalars) {
      if (name == "saturate") return min_max(b[0], b.literal(0), b.literal(1));
      if (name == "step") return b(Op::select, {b(Op::less_equal, {b[0], b[1]}), b.literal(1), b.literal(0)});
      if (name == "mixImprecise") return b.add(b[0], b.mul(b.sub(b[1], b[0]), b[2]));
      if (name == "mixPrecise") return b.add(b.mul(b[0], b.sub(b.literal(1), b[2])), b.mul(b[1], b[2]));
      if (name == "smoothstep") {
        const NodeId ratio = b.div(b.sub(b[2], b[0]), b.sub(b[1], b[0]));
        const NodeId t = b(Op::max, {b(Op::min, {ratio, b.literal(0)}),
                                     b(Op::min, {b(Op::max, {ratio, b.literal(0)}), b.literal(1)})});  // the median
        return b.mul(t, b.mul(t, b.sub(b.literal(3), b.mul(b.literal(2), t))));
      }
      if (name == "degrees") return b.mul(b[0], literal("57.295779513082322865"));
      if (name == "radians") return b.mul(b[0], literal("0.017453292519943295474"));
      if (name == "length") return length(b, {b[0]});
      if (name == "distance") return length(b, {b.sub(b[0], b[1])});
      return {};
    }
    const bool vectors =
        std::all_of(shapes.begin(), shapes.end(), [](const Shape& shape) { return shape.size() == 1; });
    if (vectors) {
      const std::vector<NodeId> x = parts(b[0], shapes[0]);
      const std::vector<NodeId> y = shapes.size() > 1 ? parts(b[1], shapes[1]) : x;
      if (name == "dot") return dot(b, x, y);
      if (name == "length") return length(b, x);
      std::vector<NodeId> out;
      if (name == "distance") {
        for (std::size_t i = 0; i < x.size(); ++i) out.push_back(b.sub(x[i], y[i]));
        return length(b, out);
      }
      if (name == "normalize") {
        for (const NodeId part : x) out.push_back(b.div(part, length(b, x)));
        return vector(out);
      }
      if (name == "cross") {
        for (const auto& [i, j] : {std::pair{1, 2}, {2, 0}, {0, 1}}) {
          const auto u = static_cast<std::size_t>(i), v = static_cast<std::size_t>(j);
          out.push_back(b.sub(b.mul(x[u], y[v]), b.mul(x[v], y[u])));
        }
        return vector(out);
      }
      if (name == "reflect") {
        const NodeId t = b.mul(b.literal(2), dot(b, x, y));
        for (std::size_t i = 0; i < x.size(); ++i) out.push_back(b.sub(x[i], b.mul(y[i], t)));
        return vector(out);
      }
      return {};
    }
    if (name == "determinant") {
      Matrix m;
      for (std::int64_t k = 0; k < shapes[0][0]; ++k) m.push_back(column(b[0], shapes[0], k));
      return determinant(b, m);
    }
    std::vector<NodeId> out;
    const auto elements = [&](const std::function<NodeId(std::int64_t, std::int64_t)>& element, Shape shape) {
      for (std::int64_t k = 0; k < shape[0]; ++k) {
        for (std::int64_t r = 0; r < shape[1]; ++r) out.push_back(element(k, r));
      }
      return module.array(out, shape);
    };
    if (name == "matAdd" || name == "matSub") {
      return elements(
          [&](std::int64_t k, std::int64_t r) {
            return b(name == "matAdd" ? Op::add : Op::sub, {at(b[0], {k, r}), at(b[1], {k, r})});
          },
          shapes[0]);
    }
    if (name == "matScalarMul")
      return elements([&](std::int64_t k, std::int64_t r) { return b.mul(at(b[0], {k, r}), b[1]); }, shapes[0]);
    if (name == "matMul") {
      return elements([&](std::int64_t k,
                          std::int64_t r) { return dot(b, row(b[0], shapes[0], r), column(b[1], shapes[1], k)); },
                      {shapes[1][0], shapes[0][1]});
    }
    if (name == "matVecMul") {
      for (std::int64_t r = 0; r < shapes[0][1]; ++r)
        out.push_back(dot(b, row(b[0], shapes[0], r), parts(b[1], shapes[1])));
      return vector(out);
    }
    if (name == "vecMatMul") {
      for (std::int64_t k = 0; k < shapes[1][0]; ++k)
        out.push_back(dot(b, parts(b[0], shapes[0]), column(b[1], shapes[1], k)));
      return vector(out);
    }
    return {};
  }

  Scalar scalar_;
  std::map<std::string, ir::Function> functions_;
};

}  // namespace reckon::interp::testing
