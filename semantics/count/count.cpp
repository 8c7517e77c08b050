// count: the number of operations of each kind in a circuit, and its depth. A value is the number of operations on the
// longest path to it: leaves and literals have depth 0, an operation on numbers adds one. A comparison's outcome is
// unknown and has no depth, so `select` takes the deeper of its two sides and adds nothing.
// Counts add up over all evaluations with one object. What the evaluator shares (a row's maximum) counts once.
#include <algorithm>
#include <array>
#include <cstring>

#include "interp/algebra/array_semantics.h"
#include "semantics/registry.h"

namespace reckon::interp {

namespace {

struct Depths {
  using Value = std::uint32_t;
  static Value above(auto... depths) { return std::max({Value{depths}...}) + 1; }

#define RECKON_SCALAR(name, arity, spelling, result)                                                         \
  static auto name(const std::same_as<Value> auto&... operands) requires(                                    \
      sizeof...(operands) == arity &&                                                                        \
      (ir::ResultRule::result == ir::ResultRule::same || ir::ResultRule::result == ir::ResultRule::truth)) { \
    if constexpr (ir::ResultRule::result == ir::ResultRule::same) return above(operands...);                 \
    else return Truth::unknown;                                                                              \
  }
#include "ir/ops.def"

  static Value hull(Value a, Value b) { return std::max(a, b); }
  static Value convert(Depths, Value value) { return value + 1; }
};

class CountSemantics : public ArraySemantics<CountSemantics> {
 public:
  std::string_view name() const override { return "count"; }
  /// It has no laws, because a rewrite would change what is counted.
  driver::Traits traits() const override { return {.laws = {}, .counts_applications = true}; }

  static constexpr bool has_own_words = true;
  template <ir::Scalar>
  auto algebra() const {
    return Depths{};
  }

  std::optional<Fault> apply(ir::Op op, ir::Scalar from, ir::Scalar to, const Rows* operands, std::byte* out,
                             std::ptrdiff_t out_row_stride, std::size_t rows, std::size_t columns) override {
    counts_[static_cast<std::size_t>(op)] += rows * columns;
    auto fault = ArraySemantics::apply(op, from, to, operands, out, out_row_stride, rows, columns);
    if (!fault && to != ir::Scalar::boolean && ir::traits(op).result != ir::ResultRule::truth) {
      for (std::size_t r = 0; r < rows; ++r) note(out, static_cast<std::size_t>(out_row_stride) * r, columns);
    }
    return fault;
  }

  std::optional<Fault> accumulate(ir::Op op, ir::Scalar scalar, std::byte* accumulator, Rows operand, std::size_t rows,
                                  std::size_t columns) override {
    counts_[static_cast<std::size_t>(op)] += rows * columns;
    auto fault = ArraySemantics::accumulate(op, scalar, accumulator, operand, rows, columns);
    if (!fault) note(accumulator, 0, columns);
    return fault;
  }

  std::optional<Fault> long_sums(ir::Scalar, std::size_t columns, const LongSumRule& rule,
                                 std::unique_ptr<LongSums>& out) override {
    // Sums that are rounded once, or kept in bins, have as many additions as any other.
    if (rule.unit != nullptr) out = std::make_unique<TensorCoreSums>(*this, columns, *rule.unit);
    return std::nullopt;
  }

  std::optional<Fault> literal(const ir::Literal& literal, ir::Scalar scalar, std::byte* out) const override {
    if (scalar == ir::Scalar::boolean) *out = static_cast<std::byte>(literal.bits != 0);
    else std::memset(out, 0, sizeof(std::uint32_t));
    return std::nullopt;
  }
  std::optional<Fault> load(ir::Scalar scalar, const std::uint8_t*, std::size_t count, std::byte* out) const override {
    if (scalar == ir::Scalar::boolean) std::fill_n(out, count, static_cast<std::byte>(Truth::unknown));
    else std::fill_n(out, count * sizeof(std::uint32_t), std::byte{0});
    return std::nullopt;
  }
  std::optional<Fault> from_index(ir::Scalar, const std::int64_t*, std::size_t count, std::byte* out) const override {
    std::fill_n(out, count * sizeof(std::uint32_t), std::byte{0});
    return std::nullopt;
  }
  std::optional<Fault> range(ir::Scalar, const mpq_class&, const mpq_class&, std::byte* out) const override {
    std::memset(out, 0, sizeof(std::uint32_t));
    return std::nullopt;
  }

  Rendering render(ir::Scalar scalar, const std::byte* value) const override {
    if (scalar == ir::Scalar::boolean) return render_truth(value);
    const std::string depth = std::to_string(depth_of(value));
    return {"depth " + depth, {{"depth", depth}}};
  }
  Truth equal(ir::Scalar scalar, const std::byte* a, const std::byte* b) const override {
    if (scalar == ir::Scalar::boolean) return equal_truths(a, b);
    return depth_of(a) == depth_of(b) ? Truth::yes : Truth::no;
  }
  std::optional<Enclosure> enclosure(ir::Scalar, const std::byte*) const override { return std::nullopt; }
  std::optional<std::uint64_t> bits(ir::Scalar, const std::byte*) const override { return std::nullopt; }

  /// Every operation that occurred, in the order of ops.def, then the greatest depth of all values.
  std::vector<std::pair<std::string, std::string>> summary() const override {
    std::vector<std::pair<std::string, std::string>> rows;
    for (std::size_t op = 0; op < counts_.size(); ++op) {
      if (counts_[op] > 0) rows.emplace_back(ir::traits(static_cast<ir::Op>(op)).spelling, std::to_string(counts_[op]));
    }
    if (tensor_core_additions_ > 0) rows.emplace_back("mma", std::to_string(tensor_core_additions_));
    rows.emplace_back("depth", std::to_string(deepest_));
    return rows;
  }

 private:
  /// Each addition of tensor cores is one operation on all of its products.
  class TensorCoreSums final : public LongSums {
   public:
    TensorCoreSums(CountSemantics& semantics, std::size_t columns, const numerics::MmaUnit& unit)
        : semantics_(semantics), unit_(unit), depths_(columns), products_(columns) {}
    void add(Rows, std::size_t) override {}
    void add_products(Rows left, Rows right, std::size_t rows) override {
      const auto* x = reinterpret_cast<const std::uint32_t*>(left.data);
      const auto* y = reinterpret_cast<const std::uint32_t*>(right.data);
      for (std::size_t r = 0; r < rows; ++r, x += left.row_stride, y += right.row_stride, ++added_) {
        const bool starts = added_ % static_cast<std::size_t>(unit_.length) == 0;
        if (starts) semantics_.tensor_core_additions_ += depths_.size();
        for (std::size_t c = 0; c < depths_.size(); ++c) {
          if (starts) products_[c] = depths_[c];
          products_[c] = std::max({products_[c], x[c], y[c]});
          if (ends()) depths_[c] = products_[c] + 1;
        }
      }
    }
    void finish(std::byte* out) override {
      const bool whole = added_ % static_cast<std::size_t>(unit_.length) == 0;
      for (std::size_t c = 0; c < depths_.size(); ++c) {
        const std::uint32_t depth = whole ? depths_[c] : products_[c] + 1;
        std::memcpy(out + c * sizeof depth, &depth, sizeof depth);
      }
      semantics_.note(out, 0, depths_.size());
    }

   private:
    bool ends() const { return (added_ + 1) % static_cast<std::size_t>(unit_.length) == 0; }
    CountSemantics& semantics_;
    const numerics::MmaUnit& unit_;
    std::vector<std::uint32_t> depths_;    ///< of the additions that are complete
    std::vector<std::uint32_t> products_;  ///< the deepest operand of the addition that is not
    std::size_t added_ = 0;
  };

  static std::uint32_t depth_of(const std::byte* value) {
    std::uint32_t depth = 0;
    std::memcpy(&depth, value, sizeof depth);
    return depth;
  }
  void note(const std::byte* values, std::size_t first, std::size_t count) {
    const auto* depths = reinterpret_cast<const std::uint32_t*>(values) + first;
    for (std::size_t i = 0; i < count; ++i) deepest_ = std::max(deepest_, depths[i]);
  }

  std::array<std::uint64_t, 256> counts_{};
  std::uint64_t tensor_core_additions_ = 0;
  std::uint32_t deepest_ = 0;
};

}  // namespace

Expected<std::unique_ptr<Semantics>> make_count(const std::vector<SemanticsArgument>& arguments, SourceSpan place) {
  if (!arguments.empty()) return no_arguments("count", arguments[0], place);
  return std::unique_ptr<Semantics>(std::make_unique<CountSemantics>());
}

}  // namespace reckon::interp
