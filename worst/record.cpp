#include "worst/record.h"

#include <fmt/format.h>

#include <cstring>
#include <set>

#include "diagnostics/codes/dimension_value.h"
#include "diagnostics/codes/too_large.h"
#include "diagnostics/codes/unsupported_operation.h"
#include "driver/closed_numbers.h"
#include "interp/algebra/array_semantics.h"
#include "interp/algebra/real_constant.h"
#include "interp/kleene.h"
#include "interp/place_listener.h"
#include "ir/function_of.h"
#include "worst/rounding.h"

namespace reckon::worst {

using interp::Fault;
using interp::Rows;
using interp::Truth;
using ir::Op;

namespace {

constexpr std::int64_t most_elements = 1 << 24;

/// Values are numbers of nodes. What is done to them is carried out by RecordingSemantics::apply.
struct NodeAlgebra {
  using Value = NodeNumber;
};

NodeNumber at(Rows rows, std::size_t row, std::size_t column) {
  NodeNumber out = 0;
  std::memcpy(&out,
              rows.data + (static_cast<std::ptrdiff_t>(row) * rows.row_stride + static_cast<std::ptrdiff_t>(column)) *
                              static_cast<std::ptrdiff_t>(sizeof out),
              sizeof out);
  return out;
}
void put(std::byte* out, std::size_t place, NodeNumber node) {
  std::memcpy(out + place * sizeof node, &node, sizeof node);
}

}  // namespace

/// What numbers without a format are, and which of them are not known exactly.
class NotedNumbers : public driver::ClosedNumbers {
 public:
  explicit NotedNumbers(const driver::ClosedNumbers* numbers) : numbers_(numbers) {}
  const driver::ClosedNumbers* known() const { return numbers_ == nullptr ? nullptr : this; }
  bool is_approximate(const mpq_class& value) const { return approximate_.contains(value); }

  Expected<driver::ClosedNumber> number(ir::Module& module, ir::NodeId node, ir::Scalar format) const override {
    auto out = numbers_->number(module, node, format);
    if (out && !out->exact) approximate_.insert(out->value);
    return out;
  }
  Expected<bool> truth(ir::Module& module, ir::NodeId comparison) const override {
    return numbers_->truth(module, comparison);
  }

 private:
  const driver::ClosedNumbers* numbers_;
  mutable std::set<mpq_class> approximate_;
};

/// Sums in bins, and on tensor cores.
class RecordedBlocks final : public interp::LongSums {
 public:
  RecordedBlocks(Circuit& circuit, Format format, std::size_t columns, const interp::LongSumRule& rule)
      : circuit_(circuit), format_(format), rule_(rule), terms_(columns) {}

  void add(Rows operand, std::size_t rows) override {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < terms_.size(); ++c) terms_[c].push_back(at(operand, r, c));
    }
  }
  void add_products(Rows left, Rows right, std::size_t rows) override {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < terms_.size(); ++c) {
        terms_[c].push_back(at(left, r, c));
        terms_[c].push_back(at(right, r, c));
      }
    }
  }
  void finish(std::byte* out) override {
    for (std::size_t c = 0; c < terms_.size(); ++c)
      put(out, c, rule_.unit != nullptr ? by_tensor_cores(terms_[c]) : in_bins(terms_[c]));
  }

 private:
  NodeNumber zero() { return circuit_.number(0, ir::RealConstant::one, format_); }
  NodeNumber size(NodeNumber node) { return circuit_.exact(Op::abs, node, node); }

  NodeNumber in_bins(std::vector<NodeNumber> leaves) {
    if (leaves.empty()) return zero();
    for (NodeNumber& leaf : leaves) leaf = circuit_.flushed_operand(leaf);
    NodeNumber sum = leaves[0], scale = size(leaves[0]);
    for (std::size_t k = 1; k < leaves.size(); ++k) {
      sum = circuit_.exact(Op::add, sum, leaves[k]);
      scale = circuit_.exact(Op::max, scale, size(leaves[k]));
    }
    const Block block{.rule = Block::Rule::binned,
                      .folds = *rule_.folds,
                      .terms = std::make_shared<std::vector<NodeNumber>>(leaves),
                      .count = leaves.size()};
    return circuit_.flushed_result(circuit_.block(block, sum, scale, format_));
  }

  /// At least the least normal number, whose exponent a subnormal one has for tensor cores.
  NodeNumber normal_size(NodeNumber node, Format format) {
    mpq_class least(1);
    mpq_div_2exp(least.get_mpq_t(), least.get_mpq_t(), static_cast<mp_bitcnt_t>(-numerics::traits(format).emin));
    return circuit_.exact(Op::max, size(node), circuit_.number(least, ir::RealConstant::one, format));
  }

  NodeNumber by_tensor_cores(const std::vector<NodeNumber>& factors) {
    const std::size_t length = 2 * static_cast<std::size_t>(rule_.unit->length);
    NodeNumber total = zero();
    for (std::size_t first = 0; first < factors.size(); first += length) {
      const std::size_t last = std::min(first + length, factors.size());
      auto terms = std::make_shared<std::vector<NodeNumber>>(1, total);
      NodeNumber sum = total, scale = normal_size(total, format_);
      for (std::size_t k = first; k < last; k += 2) {
        const NodeNumber x = factors[k], y = factors[k + 1];
        terms->push_back(x);
        terms->push_back(y);
        sum = circuit_.exact(Op::add, sum, circuit_.exact(Op::mul, x, y));
        scale = circuit_.exact(Op::max, scale,
                               circuit_.exact(Op::mul, normal_size(x, rule_.unit->operand),
                                              normal_size(y, rule_.unit->operand)));
      }
      const std::size_t count = terms->size();
      total = circuit_.block({.rule = Block::Rule::mma, .unit = rule_.unit, .terms = std::move(terms), .count = count},
                             sum, scale, format_);
    }
    return total;
  }

  Circuit& circuit_;
  const Format format_;
  const interp::LongSumRule rule_;
  std::vector<std::vector<NodeNumber>> terms_;  ///< of each column: leaves, or the factors of products
};

/// Sums that are rounded once.
class RecordedSums final : public interp::LongSums {
 public:
  RecordedSums(Circuit& circuit, Format format, std::size_t columns)
      : circuit_(circuit), format_(format), totals_(columns) {}

  void add(Rows operand, std::size_t rows) override {
    each(rows, [&](std::size_t r, std::size_t c) { add(c, circuit_.flushed_operand(at(operand, r, c))); });
  }
  void add_products(Rows left, Rows right, std::size_t rows) override {
    each(rows, [&](std::size_t r, std::size_t c) {
      add(c,
          circuit_.exact(Op::mul, circuit_.flushed_operand(at(left, r, c)), circuit_.flushed_operand(at(right, r, c))));
    });
  }
  void finish(std::byte* out) override {
    for (std::size_t c = 0; c < totals_.size(); ++c) {
      put(out, c,
          totals_[c] ? circuit_.flushed_result(circuit_.operation(Op::convert, format_, *totals_[c]))
                     : circuit_.number(0, ir::RealConstant::one, format_));
    }
  }

 private:
  template <class Visit>
  void each(std::size_t rows, Visit&& visit) const {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < totals_.size(); ++c) visit(r, c);
    }
  }
  void add(std::size_t column, NodeNumber node) {
    std::optional<NodeNumber>& total = totals_[column];
    total = total ? circuit_.exact(Op::add, *total, node) : node;
  }

  Circuit& circuit_;
  const Format format_;
  std::vector<std::optional<NodeNumber>> totals_;
};

class RecordingSemantics : public interp::ArraySemantics<RecordingSemantics>, public interp::PlaceListener {
  using Parent = interp::ArraySemantics<RecordingSemantics>;

 public:
  RecordingSemantics(const driver::ClosedNumbers* numbers, const numerics::FloatMode& mode)
      : circuit_(mode), numbers_(numbers), steps_(mode != numerics::FloatMode{}) {}
  std::string_view name() const override { return "bound"; }
  driver::Traits traits() const override {
    return {.laws = {}, .closed_numbers = numbers_.known(), .rounds_to_nearest = true, .bounds_errors = true};
  }
  template <ir::Scalar S>
  auto algebra() const {
    return NodeAlgebra{};
  }

  interp::PlaceListener* place_listener() override { return this; }
  void carried_out_at(SourceSpan place) override { circuit_.made_at(place); }

  std::optional<Fault> apply(Op op, ir::Scalar from, ir::Scalar to, const Rows* operands, std::byte* out,
                             std::ptrdiff_t out_row_stride, std::size_t rows, std::size_t columns) override {
    const ir::ResultRule rule = ir::traits(op).result;
    const bool floats = ir::is_float(from) && ir::is_float(to);
    if (rule == ir::ResultRule::truth && ir::is_float(from))
      return compare(op, operands, out, out_row_stride, rows, columns);
    if (rule == ir::ResultRule::logic) return join_conditions(op, operands, out, out_row_stride, rows, columns);
    if (rule == ir::ResultRule::choose) {
      if (ir::is_float(to)) return select(to, operands, out, out_row_stride, rows, columns);
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) {
          if (truth_at(operands[0], r, c) > Truth::yes) return undecided();
        }
      }
    }
    if (!floats || (rule != ir::ResultRule::same && op != Op::convert)) {
      return Parent::apply(op, from, to, operands, out, out_row_stride, rows, columns);
    }
    const Format format = ir::format_of(to);
    const int count = ir::traits(op).arity;
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        NodeNumber x[3] = {};
        for (int k = 0; k < count; ++k) x[k] = at(operands[k], r, c);
        const auto made = recorded(op, format, x);
        if (!made) return missing(op);
        put(out, static_cast<std::size_t>(out_row_stride) * r + c, *made);
      }
    }
    return std::nullopt;
  }

  std::optional<Fault> accumulate(Op op, ir::Scalar scalar, std::byte* accumulator, Rows operand, std::size_t rows,
                                  std::size_t columns) override {
    if (!ir::is_float(scalar)) return Parent::accumulate(op, scalar, accumulator, operand, rows, columns);
    for (std::size_t c = 0; c < columns; ++c) {
      NodeNumber total = at({accumulator, 0}, 0, c);
      for (std::size_t r = 0; r < rows; ++r) {
        const NodeNumber x[3] = {total, at(operand, r, c), 0};
        const auto made = recorded(op, ir::format_of(scalar), x);
        if (!made) return missing(op);
        total = *made;
      }
      put(accumulator, c, total);
    }
    return std::nullopt;
  }

  /// (s, e) = TwoSum(s1, s2) and c = (c1 + c2) + e: neumaier's nodes. What is fixed by constants alone goes step by
  /// step.
  bool join_compensated(bool kahan, ir::Scalar scalar, const Rows* operands, std::byte* sum, std::byte* rest,
                        std::size_t rows, std::size_t columns) override {
    if (!ir::is_float(scalar)) return false;
    if (steps_) return false;
    const Format format = ir::format_of(scalar);
    if (kahan) {
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) {
          // The rest of a sum that goes on is its own node, and so tells it from a sum that is another one's first
          // leaf, whose rest is 0.
          const NodeNumber joined =
              with_leaf(format, at(operands[0], r, c), at(operands[1], r, c), at(operands[2], r, c));
          put(sum, r * columns + c, joined);
          put(rest, r * columns + c, joined);
        }
      }
      return true;
    }
    if (residual_steps_) return false;
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        NodeNumber x[4];
        for (int k = 0; k < 4; ++k) x[k] = at(operands[k], r, c);
        if (circuit_[x[0]].kind == Kind::constant && circuit_[x[2]].kind == Kind::constant) return false;
      }
    }
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        NodeNumber x[4];
        for (int k = 0; k < 4; ++k) x[k] = at(operands[k], r, c);
        const NodeNumber total = circuit_.operation(Op::add, format, x[0], x[2]);
        const NodeNumber rests = circuit_.operation(Op::add, format, x[1], x[3]);
        put(sum, r * columns + c, total);
        put(rest, r * columns + c, circuit_.operation(Op::add, format, rests, circuit_.residual(total)));
      }
    }
    return true;
  }

  std::optional<Fault> long_sums(ir::Scalar scalar, std::size_t columns, const interp::LongSumRule& rule,
                                 std::unique_ptr<interp::LongSums>& out) override {
    if (!ir::is_float(scalar)) return Parent::long_sums(scalar, columns, rule, out);
    if (rule.folds || rule.unit != nullptr) {
      out = std::make_unique<RecordedBlocks>(circuit_, ir::format_of(scalar), columns, rule);
      return std::nullopt;
    }
    out = std::make_unique<RecordedSums>(circuit_, ir::format_of(scalar), columns);
    return std::nullopt;
  }

  std::optional<Fault> literal(const ir::Literal& literal, ir::Scalar scalar, std::byte* out) const override {
    using Kind = ir::Literal::Kind;
    if (ir::is_integer(scalar)) return interp::words::put_literal(scalar, literal, out), std::nullopt;
    if (scalar == ir::Scalar::boolean) {
      *out = static_cast<std::byte>(literal.bits != 0);
      return std::nullopt;
    }
    if (!ir::is_float(scalar)) return without_format(scalar);
    const Format format = ir::format_of(scalar);
    switch (literal.kind) {
      case Kind::rational:
        if (numbers_.is_approximate(literal.value)) {
          put(out, 0, circuit_.approximate_number(literal.value, format));
          return std::nullopt;
        }
        [[fallthrough]];
      case Kind::real:
        put(out, 0,
            circuit_.number(literal.value, literal.kind == Kind::real ? literal.constant : ir::RealConstant::one,
                            format));
        return std::nullopt;
      case Kind::bits:
        if (const auto value = numerics::exact_value(literal.bits, format)) {
          put(out, 0, circuit_.number(*value, ir::RealConstant::one, format));
          return std::nullopt;
        }
        break;
      default: break;
    }
    return Fault{code::unsupported_operation, "an infinity or a NaN has no bound over a range", ""};
  }

  std::optional<Fault> load(ir::Scalar scalar, const std::uint8_t* bytes, std::size_t count,
                            std::byte* out) const override {
    if (ir::is_integer(scalar)) return interp::words::load(scalar, bytes, count, out), std::nullopt;
    std::size_t i = 0;
    return load_patterns(scalar, bytes, count, out, [&](std::uint64_t pattern, std::size_t) -> std::optional<Fault> {
      const auto value = numerics::exact_value(pattern, ir::format_of(scalar));
      if (!value) return Fault{code::unsupported_operation, "an infinity or a NaN has no bound over a range", ""};
      put(out, i++, circuit_.number(*value, ir::RealConstant::one, ir::format_of(scalar)));
      return std::nullopt;
    });
  }

  std::optional<Fault> from_index(ir::Scalar scalar, const std::int64_t* values, std::size_t count,
                                  std::byte* out) const override {
    if (ir::is_integer(scalar)) return interp::words::put_indices(scalar, values, count, out), std::nullopt;
    if (!ir::is_float(scalar)) return without_format(scalar);
    for (std::size_t i = 0; i < count; ++i) {
      put(out, i, circuit_.number(static_cast<long>(values[i]), ir::RealConstant::one, ir::format_of(scalar)));
    }
    return std::nullopt;
  }

  interp::Rendering render(ir::Scalar, const std::byte*) const override { return {}; }
  Truth equal(ir::Scalar, const std::byte*, const std::byte*) const override { return Truth::unknown; }
  std::optional<interp::Enclosure> enclosure(ir::Scalar, const std::byte*) const override { return std::nullopt; }
  std::optional<std::uint64_t> bits(ir::Scalar, const std::byte*) const override { return std::nullopt; }

  Circuit& circuit() { return circuit_; }
  void follow_steps(bool residuals) {
    steps_ = true;
    residual_steps_ = residuals;
    circuit_.keep_constants();
  }

  // Truth values that inputs decide are conditions, which have numbers from 3 on: as many as a byte has left.
  static constexpr std::uint32_t first_code = 3, codes = 256 - first_code;
  static bool is_code(Truth truth) { return static_cast<std::uint32_t>(truth) >= first_code; }
  static std::uint32_t condition_of(Truth truth) { return static_cast<std::uint32_t>(truth) - first_code; }

 private:
  /// The node; nothing for an operation that has no rule.
  std::optional<NodeNumber> recorded(Op op, Format format, const NodeNumber* x) {
    switch (op) {
      case Op::clamp: return circuit_.operation(Op::min, format, circuit_.operation(Op::max, format, x[0], x[1]), x[2]);
      case Op::add:
      case Op::sub:
      case Op::mul:
      case Op::div:
      case Op::fma:
      case Op::neg:
      case Op::abs:
      case Op::min:
      case Op::max:
      case Op::minnum:
      case Op::maxnum:
      case Op::sqrt:
      case Op::rem:
      case Op::sign:
      case Op::copysign:
      case Op::floor:
      case Op::ceil:
      case Op::trunc:
      case Op::round:
      case Op::convert: return circuit_.operation(op, format, x[0], x[1], x[2]);
      case Op::ldexp: return scaled(format, x[0], x[1]);
      default:
        if (ir::function_of(op)) return circuit_.operation(op, format, x[0]);
        if (ir::binary_function_of(op)) return circuit_.operation(op, format, x[0], x[1]);
        return std::nullopt;
    }
  }

  /// Kahan's sum of one leaf more: the leaves so far, their sum and the sum of their sizes are known by the sum's node.
  NodeNumber with_leaf(Format format, NodeNumber before, NodeNumber rest, NodeNumber leaf) {
    const auto found = rest == before ? kahan_.find(before) : kahan_.end();
    KahanSum sum;
    if (found != kahan_.end()) {
      sum = found->second;
    } else {
      sum = {std::make_shared<std::vector<NodeNumber>>(1, before), 1, before, circuit_.exact(Op::abs, before, before)};
    }
    // Another sum may have gone on from here.
    if (sum.leaves->size() != sum.count) {
      sum.leaves =
          std::make_shared<std::vector<NodeNumber>>(sum.leaves->begin(),
                                                    sum.leaves->begin() + static_cast<std::ptrdiff_t>(sum.count));
    }
    sum.leaves->push_back(leaf);
    ++sum.count;
    sum.exact = circuit_.exact(Op::add, sum.exact, leaf);
    sum.sizes = circuit_.exact(Op::add, sum.sizes, circuit_.exact(Op::abs, leaf, leaf));
    const NodeNumber out = circuit_.block({.rule = Block::Rule::kahan, .terms = sum.leaves, .count = sum.count},
                                          sum.exact, sum.sizes, format);
    kahan_.emplace(out, std::move(sum));
    return out;
  }

  /// The product with a power of two that the program states, and the format has.
  std::optional<NodeNumber> scaled(Format format, NodeNumber value, NodeNumber exponent) {
    if (circuit_[exponent].kind != Kind::constant) return std::nullopt;
    const Constant& constant = circuit_.constant_of(circuit_[exponent]);
    if (constant.real != constant.rounded || constant.real.get_den() != 1 || abs(constant.real) > 1000)
      return std::nullopt;
    const double factor = std::ldexp(1.0, static_cast<int>(constant.rounded));
    if (nearest(factor, format) != factor || std::isinf(factor)) return std::nullopt;
    // Of `ldexp` the exponent is an operand, and no factor that might be flushed.
    if (flushed(factor, format) == 0) return std::nullopt;
    return circuit_.operation(Op::mul, format, value,
                              circuit_.number(mpq_class(factor), ir::RealConstant::one, format));
  }

  static Fault undecided() {
    return Fault{code::unsupported_operation,
                 "over a range, `bound` does not follow this selection, which an input decides", ""};
  }
  static Truth truth_at(Rows rows, std::size_t r, std::size_t c) {
    return static_cast<Truth>(
        rows.data[static_cast<std::ptrdiff_t>(r) * rows.row_stride + static_cast<std::ptrdiff_t>(c)]);
  }

  Truth code_of(const Condition& condition) {
    if (circuit_.condition_count() >= codes) return Truth::unknown;
    return static_cast<Truth>(circuit_.condition(condition) + first_code);
  }

  /// Of constants, the comparison is known if reals and floats agree.
  std::optional<Truth> known(Op op, NodeNumber a, NodeNumber b) const {
    if (circuit_[a].kind != Kind::constant || circuit_[b].kind != Kind::constant) return std::nullopt;
    const Constant &x = circuit_.constant_of(circuit_[a]), &y = circuit_.constant_of(circuit_[b]);
    const auto is_known = [](const Constant& of) { return of.is_exact && of.named == ir::RealConstant::one; };
    if (!is_known(x) || !is_known(y)) return std::nullopt;
    const auto holds = [&](int order) {
      return op == Op::less ? order < 0 : op == Op::less_equal ? order <= 0 : op == Op::equal ? order == 0 : order != 0;
    };
    const bool reals = holds(cmp(x.real, y.real));
    const bool floats = holds(x.rounded < y.rounded ? -1 : x.rounded > y.rounded ? 1 : 0);
    return reals == floats ? std::optional(reals ? Truth::yes : Truth::no) : std::nullopt;
  }

  std::optional<Fault> compare(Op op, const Rows* operands, std::byte* out, std::ptrdiff_t out_row_stride,
                               std::size_t rows, std::size_t columns) {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        const NodeNumber a = circuit_.flushed_operand(at(operands[0], r, c)),
                         b = circuit_.flushed_operand(at(operands[1], r, c));
        const auto constant = known(op, a, b);
        out[static_cast<std::size_t>(out_row_stride) * r + c] =
            static_cast<std::byte>(constant ? *constant : code_of({op, a, b}));
      }
    }
    return std::nullopt;
  }

  std::optional<Fault> join_conditions(Op op, const Rows* operands, std::byte* out, std::ptrdiff_t out_row_stride,
                                       std::size_t rows, std::size_t columns) {
    const auto joined = [&](Truth a, Truth b) {
      if (op == Op::logical_not) {
        if (is_code(a)) return code_of({op, condition_of(a), 0});
        return interp::kleene::negation(a);
      }
      if (is_code(a) && is_code(b)) return code_of({op, condition_of(a), condition_of(b)});
      // One that is known decides, or leaves the other.
      if (is_code(a) || is_code(b)) {
        const Truth known = is_code(a) ? b : a;
        if (known == Truth::unknown) return known;
        return known == (op == Op::logical_and ? Truth::no : Truth::yes) ? known : is_code(a) ? a : b;
      }
      return op == Op::logical_and ? interp::kleene::conjunction(a, b) : interp::kleene::disjunction(a, b);
    };
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        const Truth a = truth_at(operands[0], r, c), b = op == Op::logical_not ? a : truth_at(operands[1], r, c);
        out[static_cast<std::size_t>(out_row_stride) * r + c] = static_cast<std::byte>(joined(a, b));
      }
    }
    return std::nullopt;
  }

  std::optional<Fault> select(ir::Scalar scalar, const Rows* operands, std::byte* out, std::ptrdiff_t out_row_stride,
                              std::size_t rows, std::size_t columns) {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        const Truth which = truth_at(operands[0], r, c);
        const NodeNumber a = at(operands[1], r, c), b = at(operands[2], r, c);
        NodeNumber chosen = which == Truth::no ? b : a;
        if (which == Truth::unknown && a != b) return undecided();
        if (is_code(which) && a != b) {
          chosen = circuit_.operation(Op::select, ir::format_of(scalar), a, b, condition_of(which));
        }
        put(out, static_cast<std::size_t>(out_row_stride) * r + c, chosen);
      }
    }
    return std::nullopt;
  }

  struct KahanSum {
    std::shared_ptr<std::vector<NodeNumber>> leaves;
    std::size_t count = 0;
    NodeNumber exact = 0, sizes = 0;
  };

  mutable Circuit circuit_;
  const NotedNumbers numbers_;
  std::unordered_map<NodeNumber, KahanSum> kahan_;
  /// Compensated sums are written out. What holds of them as wholes holds to nearest, with subnormal numbers.
  bool steps_;
  bool residual_steps_ = false;
};

Expected<driver::Shapes> shapes_of(const ir::Module& module, const ir::Function& function,
                                   const ir::Dimensions& sizes) {
  driver::Shapes out;
  for (const ir::Parameter& parameter : function.parameters) {
    std::vector<std::int64_t> shape;
    std::int64_t elements = 1;
    for (const ir::IndexId extent : module.types()[parameter.type].extents) {
      const auto value = module.indices().evaluate(extent, {sizes, {}});
      if (!value || *value < 0) {
        return Diagnostic(code::dimension_value, parameter.span,
                          fmt::format("the dimension `{}` has no usable value", ir::index_text(module, extent)));
      }
      elements *= std::max<std::int64_t>(*value, 1);
      if (elements > most_elements) {
        return Diagnostic(code::too_large, parameter.span,
                          fmt::format("the input `{}` would have more than 2^24 elements",
                                      module.name(parameter.name)));
      }
      shape.push_back(*value);
    }
    out.push_back(std::move(shape));
  }
  return out;
}

Recorder::Recorder() = default;
Recorder::Recorder(Recorder&&) noexcept = default;
Recorder::~Recorder() = default;

void Recorder::follow_steps(bool residuals) { semantics_->follow_steps(residuals); }
Circuit& Recorder::circuit() { return semantics_->circuit(); }

Expected<Recorder> Recorder::make(ir::Module& module, const ir::Function& function, const driver::Shapes& shapes,
                                  const driver::ClosedNumbers* numbers, const numerics::FloatMode& mode) {
  Recorder out;
  out.semantics_ = std::make_unique<RecordingSemantics>(numbers, mode);
  std::size_t elements = 0;
  for (const auto& shape : shapes) {
    std::size_t count = 1;
    for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
    elements += count;
  }
  // Most circuits have some operations for each input.
  out.circuit().reserve(2 * elements);
  out.inputs_.reserve(elements);
  for (std::size_t p = 0; p < function.parameters.size(); ++p) {
    const ir::Type& type = module.types()[function.parameters[p].type];
    if (type.kind == ir::TypeKind::tuple || !ir::is_float(type.scalar)) {
      return Diagnostic(code::unsupported_operation, function.parameters[p].span,
                        fmt::format("over a range, `bound` has no rule for `{}`, which is no float",
                                    module.name(function.parameters[p].name)));
    }
    auto values = std::make_shared<interp::Values>(*out.semantics_, type.scalar, shapes[p]);
    for (std::int64_t i = 0; i < values->count(); ++i) {
      put(values->data(), static_cast<std::size_t>(i), out.circuit().input(ir::format_of(type.scalar)));
      out.inputs_.push_back({p, i});
    }
    out.circuit().made_at(function.parameters[p].span);
    out.arguments_.push_back(interp::MadeTensor{type.scalar, shapes[p], std::move(values)});
  }
  return out;
}

Expected<std::vector<NodeNumber>> Recorder::add(ir::Module& module, const ir::Function& function,
                                                const ir::Dimensions& sizes, const interp::EvaluateOptions& options) {
  auto values = interp::evaluate(module, function, *semantics_, arguments_, sizes, options);
  if (!values) return values.error();
  std::vector<NodeNumber> out;
  for (const interp::Values& part : *values) {
    if (!ir::is_float(part.scalar())) {
      return Diagnostic(code::unsupported_operation, function.span,
                        "over a range, `bound` is about floats: this result is none");
    }
    for (std::int64_t i = 0; i < part.count(); ++i) out.push_back(at({part.data(), 0}, 0, static_cast<std::size_t>(i)));
  }
  return out;
}

Expected<std::optional<std::uint32_t>> Recorder::add_condition(ir::Module& module, const ir::Function& function,
                                                               const ir::Dimensions& sizes,
                                                               const interp::EvaluateOptions& options) {
  auto values = interp::evaluate(module, function, *semantics_, arguments_, sizes, options);
  if (!values) return values.error();
  const auto truth = static_cast<Truth>(*values->front().at(0));
  if (RecordingSemantics::is_code(truth)) return std::optional(RecordingSemantics::condition_of(truth));
  if (truth == Truth::yes) return std::optional<std::uint32_t>();
  return Diagnostic(code::unsupported_operation, function.span,
                    truth == Truth::no ? "no input meets this condition"
                                       : "over a range, `bound` does not follow this condition");
}

}  // namespace reckon::worst
