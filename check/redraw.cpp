#include "check/redraw.h"

#include "check/trace.h"
#include "diagnostics/codes/interrupted.h"
#include "ir/function_of.h"

namespace reckon::check {

namespace {

using namespace interp;
using Rows = Redraw::Rows;

/// Whether the operation has no value for about half of all random operands; divisions and exps nearly always have one.
/// In a ring these are roots, logarithms, and functions defined by a logarithm: those whose derivative is algebraic.
constexpr bool fails_often(ir::Op op) {
  if (op == ir::Op::sqrt || op == ir::Op::rsqrt || op == ir::Op::hypot || op == ir::Op::pow || op == ir::Op::rootn)
    return true;
  const auto function = ir::function_of(op);
  if (!function) return false;
  const numerics::Formula& derivative = numerics::traits(*function).derivative;
  if (derivative.uses(numerics::Formula::Kind::digamma)) return false;
  return !derivative.uses(numerics::Formula::Kind::value) && !derivative.uses(numerics::Formula::Kind::apply);
}

/// A value is the set of rows that it depends on; every operation gives the union of its operands' sets.
struct Dependence {
  using Value = Rows;
#define RECKON_SCALAR(name, arity, spelling, rule)                              \
  template <class... V>                                                         \
  static auto name(const Rows& first, const V&... rest)                         \
    requires(sizeof...(V) + 1 == arity && ir::ResultRule::rule == ir::ResultRule::same) \
  {                                                                             \
    return (first | ... | rest);                                                \
  }
#include "ir/ops.def"
  static Truth less(const Rows&, const Rows&) { return Truth::unknown; }
  static Truth less_equal(const Rows&, const Rows&) { return Truth::unknown; }
  static Truth equal(const Rows&, const Rows&) { return Truth::unknown; }
  static Truth not_equal(const Rows&, const Rows&) { return Truth::unknown; }
  static Rows hull(const Rows& a, const Rows& b) { return a | b; }
  static Rows convert(const Dependence&, const Rows& a) { return a; }
};

class DependenceSemantics : public TraceSemantics<DependenceSemantics, Dependence> {
 public:
  DependenceSemantics(ir::Laws laws, const PartialOperations& failed) : TraceSemantics(laws), failed_(failed) {}
  std::string_view name() const override { return "dependence"; }

  bool reached() const { return reached_; }
  Rows to_redraw() const {
    const Rows alone = of_failed_ & ~of_others_;
    return alone.any() ? alone : of_failed_;
  }

  std::optional<Fault> apply(ir::Op op, ir::Scalar from, ir::Scalar to, const interp::Rows* operands, std::byte* out,
                             std::ptrdiff_t out_row_stride, std::size_t rows, std::size_t columns) override {
    if (auto fault = TraceSemantics::apply(op, from, to, operands, out, out_row_stride, rows, columns)) return fault;
    const std::size_t call = calls_++;
    if (!may_have_no_value(op)) return std::nullopt;
    const bool here = call == failed_.call;
    auto next = failed_.elements.begin();
    for (std::size_t i = 0; i < rows * columns && (here || fails_often(op)); ++i) {
      const auto place = static_cast<std::ptrdiff_t>(i / columns) * out_row_stride + static_cast<std::ptrdiff_t>(i % columns);
      const Rows& set = reinterpret_cast<const Rows*>(out)[place];
      const bool bad = here && next != failed_.elements.end() && *next == i;
      if (bad) ++next;
      if (bad) of_failed_ |= set;
      else if (fails_often(op)) of_others_ |= set;
    }
    if (!here) return std::nullopt;
    reached_ = true;
    return Fault{code::interrupted, "far enough", ""};
  }

  void draw(ir::Scalar, const Draw& how, std::byte* out) const override {
    Rows set;
    set.set(how.row % Redraw::bits);
    put(out, set);
  }

 private:
  const PartialOperations& failed_;
  std::size_t calls_ = 0;
  bool reached_ = false;
  Rows of_failed_, of_others_;
};

/// Each round repairs at least a quarter of the rows on average.
constexpr int max_rounds = 80;

}  // namespace

std::optional<Redraw::Rows> Redraw::rows_to_redraw(const ir::Function& circuit, const ir::Dimensions& sizes,
                                                   const std::vector<interp::Argument>& arguments,
                                                   const interp::PartialOperations& failed) {
  DependenceSemantics dependence(semantics_.traits().laws, failed);
  (void)interp::evaluate(module_, circuit, dependence, arguments, sizes, options_);
  if (!dependence.reached()) return std::nullopt;
  return dependence.to_redraw();
}

bool Redraw::operator()(const ir::Function& circuit, const ir::Dimensions& sizes,
                        std::vector<interp::Argument>& arguments, bool& changed) {
  std::vector<std::size_t> passed_over;
  for (int round = 0; round < max_rounds; ++round) {
    interp::PartialOperations failed;
    failed.passed_over = passed_over;
    semantics_.watch(&failed);
    (void)interp::evaluate(module_, circuit, semantics_, arguments, sizes, options_);
    semantics_.watch(nullptr);
    if (!failed.found) return true;
    const auto rows = rows_to_redraw(circuit, sizes, arguments, failed);
    if (!rows) return false;
    if (rows->none()) {  // no input decides it, so drawing cannot repair it, and the rest may still be defined
      passed_over.insert(std::ranges::upper_bound(passed_over, failed.call), failed.call);
      continue;
    }
    changed = true;
    for (interp::Argument& argument : arguments) {
      auto* random = std::get_if<interp::RandomTensor>(&argument);
      if (random == nullptr) continue;
      for (std::size_t row = 0; row < random->redrawn.size(); ++row) {
        random->redrawn[row] += rows->test((random->first_row + row) % bits);
      }
    }
  }
  return false;
}

bool Redraw::both(const ir::Function& left, const ir::Function& right, const ir::Dimensions& sizes,
                  std::vector<interp::Argument>& arguments) {
  for (int turn = 0; turn < 4; ++turn) {
    bool changed = false;
    if (!(*this)(left, sizes, arguments, changed)) return false;
    changed = false;
    if (!(*this)(right, {}, arguments, changed)) return false;
    if (!changed) return true;
  }
  return false;
}

}  // namespace reckon::check
