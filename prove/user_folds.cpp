// Reductions by functions of the program that are sums in disguise. For an operation (a, b) -> c on tuples it is enough
// that T(c) = T(a) + T(b) for some T: then T of the whole is the sum of T over the leaves, in every order. Tried are
// the parts themselves, a part times e or 2 to another (the online softmax), a part times another (a mean beside its
// count), and those plus a product of parts (Welford's sum of squares). In a reduction by `seq` the right operand is
// always a leaf: an operation that relies on a part of the leaf being constant (a count that goes up by one) is read
// with that constant.
#include "ir/op.h"
#include "prove/binders.h"
#include "prove/division.h"
#include "prove/functions.h"
#include "prove/maxima.h"
#include "prove/reader.h"

namespace reckon::ir::normal {

PolynomialId Reader::total(const Parts& parts, PolynomialId leaf) { return sum(terms_, {parts.binder}, leaf); }

bool Reader::find_plain(Parts& parts, std::size_t j) {
  const PolynomialId a = parts.left[j], b = parts.right[j], c = parts.joined[j];
  if (c == terms_.add(a, b)) {
    parts.value[j] = total(parts, parts.leaf[j]);
  } else if (c == terms_.multiply(a, b)) {
    parts.value[j] = product(terms_, {parts.binder}, parts.leaf[j]);
  } else if (c == maximum(terms_, {a, b})) {
    parts.value[j] = supremum(terms_, {parts.binder}, parts.leaf[j]);
  } else if (c == apply(terms_, Op::min, {a, b})) {
    parts.value[j] = terms_.negate(supremum(terms_, {parts.binder}, terms_.negate(parts.leaf[j])));
  } else {
    return false;
  }
  parts.plain[j] = true;
  return true;
}

bool Reader::find_weighted(Parts& parts, std::size_t j) {
  for (std::size_t k = 0; k < parts.value.size(); ++k) {
    if (k == j || !parts.value[k]) continue;
    for (const Op weight_of : {Op::exp, Op::exp2, Op::convert}) {
      const auto weight = [&](PolynomialId of) { return apply(terms_, weight_of, {of}); };
      const auto weighted = [&](const std::vector<PolynomialId>& of) { return terms_.multiply(of[j], weight(of[k])); };
      // The result is divided by the weight, so the weight must not be 0.
      const bool exponential = weight_of != Op::convert;
      if (!exponential && !(parts.plain[k] && terms_.assumptions.is_positive(parts.leaf[k], true))) continue;
      if (!same_where_defined(terms_, weighted(parts.joined),
                              terms_.add(weighted(parts.left), weighted(parts.right)))) {
        continue;
      }
      parts.value[j] = terms_.multiply(total(parts, weighted(parts.leaf)), terms_.inverse(weight(*parts.value[k])));
      return true;
    }
  }
  return false;
}

bool Reader::find_shifted(Parts& parts, std::size_t j) {
  for (std::size_t k = 0; k < parts.value.size(); ++k) {
    for (std::size_t l = 0; l < parts.value.size(); ++l) {
      if (k == j || l == j || !parts.value[k] || !parts.value[l]) continue;
      // c_j + c_k^2 c_l is additive.
      const auto square = [&](PolynomialId x, PolynomialId y) { return terms_.multiply(terms_.multiply(x, x), y); };
      const auto shifted = [&](const std::vector<PolynomialId>& of) { return terms_.add(of[j], square(of[k], of[l])); };
      if (!same_where_defined(terms_, shifted(parts.joined), terms_.add(shifted(parts.left), shifted(parts.right)))) {
        continue;
      }
      parts.value[j] = terms_.subtract(total(parts, shifted(parts.leaf)), square(*parts.value[k], *parts.value[l]));
      return true;
    }
  }
  return false;
}

std::optional<PolynomialId> Reader::user_fold(const Node& opened, IndexId leaves, std::uint32_t part) {
  const Type type = module_.type(opened.operands[0]);
  const std::size_t count = type.kind == TypeKind::tuple ? type.parts.size() : 1;
  const VariableId left = opened.variables[1], right = opened.variables[2];
  operands_.insert(left);
  operands_.insert(right);
  Parts parts;
  parts.binder = {opened.variables[0], leaves, true};
  parts.value.resize(count);
  parts.plain.resize(count);
  NodeId operation = opened.operands[1];
  for (std::uint32_t k = 0; k < count; ++k) {
    parts.left.push_back(operand(left, k));
    parts.right.push_back(operand(right, k));
    parts.leaf.push_back(scalar(part_of(opened.operands[0], k)));
  }
  const ScheduleOp order = module_.schedules()[module_.reduction_of(opened).schedule].op;
  if (order == ScheduleOp::seq && type.kind == TypeKind::tuple) {
    std::vector<NodeId> leaf;
    const NodeId itself = module_.operand(right, module_[opened.operands[0]].type);
    for (std::uint32_t k = 0; k < count; ++k) {
      const NodeId part = module_.get(opened.operands[0], k);
      const bool known = terms_.as_constant(parts.leaf[k]) && module_.free_variables(part).empty();
      leaf.push_back(known ? part : module_.get(itself, k));
      if (known) parts.right[k] = parts.leaf[k];
    }
    operation = module_.substitute(operation, {{}, {{right, module_.tuple(leaf)}}, {}});
  }
  for (std::uint32_t k = 0; k < count; ++k) parts.joined.push_back(scalar(part_of(operation, k)));
  for (bool more = true; more && !parts.value[part] && !terms_.failed();) {
    more = false;
    for (std::size_t j = 0; j < count; ++j) {
      if (parts.value[j]) continue;
      more = find_plain(parts, j) || find_weighted(parts, j) || find_shifted(parts, j) || more;
    }
  }
  return parts.value[part];
}

}  // namespace reckon::ir::normal
