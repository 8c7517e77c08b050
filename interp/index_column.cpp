// Index expressions over whole frames. Sums of multiples stay strided; everything else is written out.
#include <algorithm>

#include "diagnostics/codes/dimension_unbound.h"
#include "diagnostics/codes/division_by_zero.h"
#include "diagnostics/codes/integer_overflow.h"
#include "diagnostics/codes/internal.h"
#include "interp/frame.h"

namespace reckon::interp {

namespace {

using ir::IndexOp;

constexpr IndexProblem overflow{code::integer_overflow, "an index expression does not fit in 64 bits"};
constexpr IndexProblem zero_divisor{code::division_by_zero, "an index expression divides by zero"};

class Indexer {
 public:
  Indexer(const ir::Module& module) : store_(module.indices()) {}

  bool column(const Frame& frame, ir::IndexId id, IndexColumn& out) {
    if (frame.parent != nullptr && !frame.owns(store_.variables(id))) {
      if (store_.variables(id).empty()) return constant(frame, id, out);
      IndexColumn of_parent;
      if (!column(*frame.parent, id, of_parent)) return false;
      out = frame.extend(of_parent);
      return true;
    }
    const ir::IndexNode& node = store_[id];
    switch (node.op) {
      case IndexOp::constant: return constant(frame, id, out);
      case IndexOp::dimension: return fail({code::dimension_unbound, "a dimension has no value"});
      case IndexOp::variable: return variable(frame, node.variable, out);
      case IndexOp::sum: return sum(frame, node, out);
      default: return pointwise(frame, node, out);
    }
  }

  std::optional<IndexProblem> problem;

 private:
  bool fail(IndexProblem why) {
    problem = why;
    return false;
  }

  bool constant(const Frame& frame, ir::IndexId id, IndexColumn& out) {
    const auto value = store_.evaluate(id, {});
    if (!value) return fail(overflow);
    out = {};
    out.base = *value;
    out.strides.assign(frame.dims.size(), 0);
    return true;
  }

  bool variable(const Frame& frame, ir::VariableId variable, IndexColumn& out) {
    for (const auto& [name, column] : frame.indices) {
      if (name == variable) {
        out = column;
        return true;
      }
    }
    return fail({code::internal, "an index variable is not bound"});
  }

  bool sum(const Frame& frame, const ir::IndexNode& node, IndexColumn& out) {
    std::vector<IndexColumn> terms(node.operands.size());
    bool strided = true;
    for (std::size_t k = 0; k < terms.size(); ++k) {
      if (!column(frame, node.operands[k], terms[k])) return false;
      strided = strided && terms[k].strided;
    }
    out = {};
    if (strided) {
      out.base = node.value;
      out.strides.assign(frame.dims.size(), 0);
      bool wrapped = false;
      for (std::size_t k = 0; k < terms.size(); ++k) {
        wrapped |= add_multiple(out.base, node.coefficients[k], terms[k].base);
        for (std::size_t d = 0; d < out.strides.size(); ++d) {
          wrapped |= add_multiple(out.strides[d], node.coefficients[k], terms[k].strides[d]);
        }
      }
      if (wrapped || !fits(out, frame)) return fail(overflow);
      return true;
    }
    const auto size = static_cast<std::size_t>(frame.size);
    std::vector<std::int64_t> scratch(size);
    out.strided = false;
    out.values.assign(size, node.value);
    bool wrapped = false;
    for (std::size_t k = 0; k < terms.size(); ++k) {
      write_out(terms[k], frame.dims, frame.size, scratch.data());
      for (std::size_t e = 0; e < size; ++e) wrapped |= add_multiple(out.values[e], node.coefficients[k], scratch[e]);
    }
    return wrapped ? fail(overflow) : true;
  }

  static bool add_multiple(std::int64_t& total, std::int64_t factor, std::int64_t value) {
    std::int64_t product = 0;
    return __builtin_mul_overflow(factor, value, &product) || __builtin_add_overflow(total, product, &total);
  }

  static bool fits(const IndexColumn& column, const Frame& frame) {
    __extension__ using Wide = __int128;
    Wide low = column.base;
    Wide high = column.base;
    for (std::size_t d = 0; d < column.strides.size(); ++d) {
      const Wide reach = static_cast<Wide>(column.strides[d]) * (frame.dims[d] - 1);
      (reach < 0 ? low : high) += reach;
    }
    return low >= INT64_MIN && high <= INT64_MAX;
  }

  bool pointwise(const Frame& frame, const ir::IndexNode& node, IndexColumn& out) {
    const auto size = static_cast<std::size_t>(frame.size);
    out = {};
    out.strided = false;
    std::vector<std::int64_t>& a = out.values;
    std::vector<std::int64_t> b;
    for (std::size_t k = 0; k < node.operands.size(); ++k) {
      IndexColumn operand;
      if (!column(frame, node.operands[k], operand)) return false;
      std::vector<std::int64_t>& target = k == 0 ? a : b;
      target.resize(size);
      write_out(operand, frame.dims, frame.size, target.data());
      if (k > 0 || node.operands.size() == 1) {
        if (!combine(node.op, a, b)) return false;
      }
    }
    return true;
  }

  template <class Function>
  static bool each(std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b, Function function) {
    for (std::size_t e = 0; e < a.size(); ++e) a[e] = function(a[e], b[e]);
    return true;
  }

  bool combine(IndexOp op, std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
    using I = std::int64_t;
    switch (op) {
      case IndexOp::product: {
        bool wrapped = false;
        each(a, b, [&](I x, I y) {
          wrapped |= __builtin_mul_overflow(x, y, &x);
          return x;
        });
        return wrapped ? fail(overflow) : true;
      }
      case IndexOp::floor_div:
      case IndexOp::floor_mod:
        for (std::size_t e = 0; e < a.size(); ++e) {
          if (b[e] == 0) return fail(zero_divisor);
          if (b[e] == -1) {  // the least integer divided by -1 does not fit, and the machine would trap
            if (op == IndexOp::floor_div && a[e] == INT64_MIN) return fail(overflow);
            a[e] = op == IndexOp::floor_div ? -a[e] : 0;
          } else {
            a[e] = op == IndexOp::floor_div ? ir::floor_quotient(a[e], b[e]) : ir::floor_remainder(a[e], b[e]);
          }
        }
        return true;
      case IndexOp::minimum: return each(a, b, [](I x, I y) { return std::min(x, y); });
      case IndexOp::maximum: return each(a, b, [](I x, I y) { return std::max(x, y); });
      case IndexOp::less: return each(a, b, [](I x, I y) -> I { return x < y; });
      case IndexOp::less_equal: return each(a, b, [](I x, I y) -> I { return x <= y; });
      case IndexOp::equal: return each(a, b, [](I x, I y) -> I { return x == y; });
      case IndexOp::logical_and: return each(a, b, [](I x, I y) -> I { return x != 0 && y != 0; });
      case IndexOp::logical_or: return each(a, b, [](I x, I y) -> I { return x != 0 || y != 0; });
      case IndexOp::logical_not:
        for (I& x : a) x = x == 0;
        return true;
      default: return fail({code::internal, "an index expression has an unexpected form"});
    }
  }

  const ir::IndexStore& store_;
};

}  // namespace

std::optional<IndexProblem> index_column(const ir::Module& module, const Frame& frame, ir::IndexId index,
                                         IndexColumn& out) {
  Indexer indexer(module);
  if (indexer.column(frame, index, out)) return std::nullopt;
  return indexer.problem;
}

}  // namespace reckon::interp
