// Trials of a check: draw inputs, evaluate both sides, compare every element.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "check/check.h"
#include "check/parting.h"
#include "check/ring.h"
#include "check/sizes.h"
#include "check/within_bound.h"
#include "ir/visit.h"
#include "numerics/decimal_upward.h"
#include "numerics/format.h"

namespace reckon::check {

using frontend::ElaboratedItem;
using frontend::Item;
using frontend::Tolerance;
using interp::Truth;

std::string_view verdict_name(Verdict verdict) {
  constexpr std::string_view names[] = {"holds", "fails", "undecided"};
  return names[static_cast<int>(verdict)];
}
std::string_view strength_name(Strength strength) {
  constexpr std::string_view names[] = {"proved", "agreed", "observed"};
  return names[static_cast<int>(strength)];
}

Outcome static_outcome(const ElaboratedItem& item) {
  Outcome out;
  out.verdict = *item.static_truth ? Verdict::holds : Verdict::fails;
  out.strength = Strength::proved;
  if (!*item.static_truth && !item.left_text.empty()) {
    out.evidence = {{"left", item.left_text}, {"right", item.right_text}};
  }
  return out;
}

namespace {

constexpr std::int64_t usual_trials = 20;
/// More elements of one input than this are refused instead of exhausting the memory.
constexpr std::int64_t most_elements = std::int64_t{1} << 33;
/// As many evaluations of a circuit at most by `interval(split(n))`.
constexpr std::int64_t most_pieces = std::int64_t{1} << 24;

class Runner {
 public:
  Runner(ir::Module& module, const ElaboratedItem& item, interp::Semantics& semantics,
         const interp::EvaluateOptions& options)
      : module_(module), item_(item), semantics_(semantics), options_(options) {}

  Expected<Outcome> run() {
    const ir::Function& left = *item_.left;
    if (item_.tolerance == Tolerance::Kind::bound) {
      auto within_bound = WithinBound::make(module_, item_, semantics_);
      if (!within_bound) return within_bound.error();
      within_bound_ = std::move(*within_bound);
    }
    std::vector<ir::SymbolId> dimensions = left.dimensions;
    // Nothing is drawn where there are no inputs, and where an enclosure takes each input's whole range at once.
    const bool nothing_drawn = item_.ranges.size() >= left.parameters.size() &&
                               (left.parameters.empty() || semantics_.name().starts_with("interval"));
    const std::int64_t trials = nothing_drawn ? 1 : item_.trials.value_or(usual_trials);
    out_.semantics = semantics_.name();
    out_.verdict = Verdict::holds;
    out_.strength = strength();
    std::int64_t sizes_done = 0, trials_done = 0, undecided = 0;
    std::optional<Diagnostic> skipped;
    for (const ir::Dimensions& sizes : choose_sizes(dimensions, item_.sizes)) {
      bool usable = true;
      if (semantics_.draws_values()) {
        auto step = ring_size(sizes, nothing_drawn, trials_done);
        if (step && *step == Truth::no) {
          out_.verdict = Verdict::fails;
          finish(sizes_done + 1, trials_done);
          return std::move(out_);
        }
        if (step && *step == Truth::unknown) ++undecided;
        if (!step) {
          const bool about_size = item_.sizes.empty() && !dimensions.empty() &&
                                  (is_about_sizes(step.error().code) || step.error().code == Code::undefined_result);
          if (!about_size) return step.error();
          if (!skipped) skipped = step.error();
        }
        if (step) ++sizes_done;
        continue;
      }
      for (std::int64_t trial = 0; trial < trials && usable; ++trial) {
        auto step = every_piece(sizes, trial);
        if (!step) {
          // A size that a circuit does not take is passed over, unless the check asked for it.
          const bool about_size = is_about_sizes(step.error().code) && item_.sizes.empty() && !dimensions.empty();
          if (!about_size) return step.error();
          if (!skipped) skipped = step.error();
          usable = false;
          break;
        }
        ++trials_done;
        if (*step == Truth::no) {
          out_.verdict = Verdict::fails;
          finish(sizes_done + 1, trials_done);
          return std::move(out_);
        }
        if (*step == Truth::unknown) ++undecided;
      }
      sizes_done += usable;
    }
    if (most_degenerate_ > 0) {
      out_.notes.push_back(fmt::format("{} 0 or degenerate in every trial: of such values `{}` sees little",
                                       most_degenerate_ == 1 ? "1 output was" : fmt::format("{} outputs were", most_degenerate_),
                                       semantics_.name()));
    }
    if (sizes_done == 0) {
      if (skipped) return *skipped;
      return Diagnostic(Code::check_failed_to_run, item_.span, "this check has no sizes to try");
    }
    if (undecided > 0) out_.verdict = Verdict::undecided;
    if (skipped) out_.notes.push_back("some sizes were passed over: " + skipped->message);
    finish(sizes_done, trials_done);
    return std::move(out_);
  }

 private:
  static bool is_about_sizes(Code code) {
    return code == Code::index_out_of_range || code == Code::empty_reduction || code == Code::shape_mismatch ||
           code == Code::quoted_tree_length || code == Code::dimension_value || code == Code::check_signatures ||
           code == Code::bad_stage_size;
  }

  bool is_ring() const { return semantics_.name().starts_with("fpsan") || semantics_.draws_values(); }

  Strength strength() const {
    const std::string_view name = semantics_.name();
    if (is_ring()) return Strength::agreed;
    // An enclosure of every value is a proof, for the sizes that were run.
    if (name.starts_with("interval") && item_.left->dimensions.empty()) return Strength::proved;
    return Strength::observed;
  }

  void finish(std::int64_t sizes, std::int64_t trials) {
    out_.evidence.insert(out_.evidence.begin(),
                         {{"sizes", std::to_string(sizes)}, {"trials", std::to_string(trials)}});
    if (within_bound_ && out_.verdict == Verdict::holds) {
      out_.evidence.push_back({"largest_difference", numerics::decimal_upward(largest_, 2)});
    }
    if (out_.strength == Strength::agreed && out_.verdict == Verdict::holds) {
      if (total_ > 0) out_.evidence.push_back({"defined", fmt::format("{} of {} outputs", defined_, total_)});
      out_.evidence.push_back({"probability_of_error", bits_ ? fmt::format("2^-{}", *bits_) : "none proven"});
    }
    if (semantics_.name().starts_with("fpsan")) note_what_fpsan_leaves();
  }

  /// Operations on the scrambled patterns (fpsan.md 2.11).
  void note_what_fpsan_leaves() {
    std::set<std::string> names;
    std::vector<ir::NodeId> sides{item_.left->body};
    if (item_.right) sides.push_back(item_.right->body);
    ir::visit_nodes(module_, std::move(sides), [&](ir::NodeId id) {
      const ir::Node& node = module_[id];
      const bool compares = ir::is_scalar_operation(node.op) && ir::traits(node.op).result == ir::ResultRule::truth &&
                            ir::is_float(module_.type(node.operands[0]).scalar);
      if (compares || node.op == ir::Op::abs || node.op == ir::Op::sign) {
        names.insert(fmt::format("`{}`", ir::traits(node.op).spelling));
      }
    });
    if (names.empty()) return;
    out_.notes.push_back(
        fmt::format("FPSan does not follow {}: it looks at the scrambled pattern, so that this verdict says less",
                    fmt::join(names, ", ")));
  }

  /// One trial, or under `interval(split(n))` one for each choice of pieces of the scalar inputs' ranges.
  Expected<Truth> every_piece(const ir::Dimensions& sizes, std::int64_t trial) {
    std::int64_t choices = 1;
    for (std::size_t k = 0; k < item_.ranges.size() && k < item_.left->parameters.size(); ++k) {
      if (!is_cut(k)) continue;
      choices *= semantics_.pieces();
      if (choices > most_pieces) {
        return Diagnostic(Code::bad_argument, item_.span, fmt::format("this check would be cut into more than {} pieces", most_pieces))
            .help("cut each range into fewer pieces");
      }
    }
    Truth all = Truth::yes;
    for (piece_ = 0; piece_ < choices; ++piece_) {
      auto step = one_trial(sizes, trial);
      if (!step || *step == Truth::no) return step;
      if (*step == Truth::unknown) all = Truth::unknown;
    }
    return all;
  }
  bool is_cut(std::size_t parameter) const {
    return semantics_.pieces() > 1 && module_.types()[item_.left->parameters[parameter].type].extents.empty();
  }
  /// `low` to `high`, or the piece of it whose turn it is; `rest` numbers the pieces of the inputs still to come.
  interp::RangeTensor piece_of(interp::RangeTensor range, std::size_t parameter, std::int64_t& rest) const {
    if (!is_cut(parameter)) return range;
    const mpq_class step = (range.high - range.low) / static_cast<long>(semantics_.pieces());
    const long index = static_cast<long>(rest % semantics_.pieces());
    rest /= semantics_.pieces();
    range.high = range.low + (index + 1) * step;
    range.low += index * step;
    return range;
  }

  Expected<Truth> one_trial(const ir::Dimensions& sizes, std::int64_t trial) {
    auto arguments = draw(sizes, trial);
    if (!arguments) return arguments.error();
    if (within_bound_) return compare_bounds(*arguments, sizes);
    auto left = interp::evaluate(module_, *item_.left, semantics_, *arguments, sizes, options_);
    if (!left) return left.error();
    if (item_.relation == Item::Relation::within) return compare_within(*left, sizes);
    // The other circuit may name its dimensions differently: its own come from the shapes.
    auto right = interp::evaluate(module_, *item_.right, semantics_, *arguments, {}, options_);
    if (!right) return about_signatures(right.error());
    if (redraw_ && !hopeless_ && (any_undefined(*left) || any_undefined(*right))) {
      hopeless_ = !redraw_->both(*item_.left, *item_.right, sizes, *arguments);
      left = interp::evaluate(module_, *item_.left, semantics_, *arguments, sizes, options_);
      if (!left) return left.error();
      right = interp::evaluate(module_, *item_.right, semantics_, *arguments, {}, options_);
      if (!right) return right.error();
    }
    Truth all = Truth::yes;
    std::size_t counted = 0;
    for (std::size_t part = 0; part < left->size(); ++part) {
      const interp::Values& a = (*left)[part];
      const interp::Values& b = (*right)[part];
      if (a.shape() != b.shape()) {
        return Diagnostic(Code::shape_mismatch, item_.span,
                          fmt::format("the results have shapes [{}] and [{}]", fmt::join(a.shape(), ", "),
                                      fmt::join(b.shape(), ", ")));
      }
      for (std::int64_t i = 0; i < a.count(); ++i) {
        auto same = item_.relation == Item::Relation::equal
                        ? Expected<Truth>(semantics_.equal(a.scalar(), a.at(i), b.at(i)))
                        : near(a.scalar(), a.at(i), b.at(i));
        if (!same) return same;
        if (tally_) {
          std::string blame = semantics_.undefined_by(a.scalar(), a.at(i));
          if (blame.empty()) blame = semantics_.undefined_by(b.scalar(), b.at(i));
          tally_->count(counted++, *same != Truth::unknown, std::move(blame),
                        semantics_.is_degenerate(a.scalar(), a.at(i)));
        }
        if (*same == Truth::unknown) all = Truth::unknown;
        if (*same != Truth::no) continue;
        witness(sizes, a.shape(), i, semantics_.render(a.scalar(), a.at(i)));
        out_.counterexample->right = semantics_.render(b.scalar(), b.at(i));
        out_.counterexample->distance = distance(a.scalar(), a.at(i), b.at(i));
        out_.counterexample->parting =
            find_parting(module_, *item_.left, *item_.right, semantics_, *arguments, sizes, a, i);
        return Truth::no;
      }
    }
    return all;
  }

  /// Every trial of one size in a ring. An output that no trial defined: unknown, or where the check asked for no sizes,
  /// a diagnostic (the size is passed over).
  Expected<Truth> ring_size(const ir::Dimensions& sizes, bool nothing_drawn, std::int64_t& trials_done) {
    RingTally tally;
    tally_ = &tally;
    hopeless_ = false;
    Redraw redraw(module_, semantics_, options_);
    redraw_ = &redraw;
    std::int64_t trials = nothing_drawn ? 1 : item_.trials.value_or(ring_trials);
    std::optional<Trials> proven;
    for (std::int64_t trial = 0; trial < trials; ++trial) {
      auto step = one_trial(sizes, trial);
      if (!step) return step;
      ++trials_done;
      if (*step == Truth::no) return step;
      if (trial == 0 && !nothing_drawn) {
        proven = proven_trials(sizes);
        if (proven) trials = proven->count;
      }
      const bool patient = !nothing_drawn && !item_.trials && trials < ring_trials * ring_patience;
      if (trial + 1 == trials && !tally.all_seen() && patient) trials = std::min(2 * trials, ring_trials * ring_patience);
    }
    if (tally.degenerate() > most_degenerate_) most_degenerate_ = tally.degenerate();
    total_ += tally.total();
    defined_ += tally.defined();
    any_unproven_ |= !proven;
    if (any_unproven_) bits_.reset();
    else bits_ = std::min(bits_.value_or(proven->bits), proven->bits);
    if (tally.unseen() == 0) return Truth::yes;
    const std::string reason = fmt::format("{} never defined in `{}`: {} has no value",
                                           tally.unseen() == 1 ? "1 output is" : fmt::format("{} outputs are", tally.unseen()),
                                           semantics_.name(), tally.blame());
    if (item_.sizes.empty() && !item_.left->dimensions.empty()) {
      return Diagnostic(Code::undefined_result, item_.span, reason);
    }
    if (out_.notes.empty()) out_.notes.push_back(reason);
    return Truth::unknown;
  }

  std::optional<Trials> proven_trials(const ir::Dimensions& sizes) {
    if (!item_.right) return std::nullopt;
    auto arguments = draw(sizes, 0);
    if (!arguments) return std::nullopt;
    const auto degree = degree_of_difference(module_, *item_.left, *item_.right, *arguments, sizes, semantics_.laws(), options_);
    if (!degree) return std::nullopt;
    return trials_for(*degree, semantics_.least_choices(), item_.trials);
  }

  /// The second circuit's refusal of the inputs drawn for the first.
  Diagnostic about_signatures(const Diagnostic& refusal) const {
    if (refusal.code != Code::bad_argument) return refusal;
    return Diagnostic(Code::check_signatures, item_.span,
                      fmt::format("the two circuits of this check take different shapes: {}", refusal.message))
        .with(item_.left->span, "the inputs are drawn for this one")
        .with(refusal.primary.span, "the other one's parameter")
        .help("give both the same parameters; a circuit need not use all of its own");
  }

  Expected<Truth> compare_bounds(const std::vector<interp::Argument>& arguments, const ir::Dimensions& sizes) {
    auto found = within_bound_->compare(arguments, sizes, options_);
    if (!found) return about_signatures(found.error());
    if (found->truth == Truth::unknown && out_.notes.empty()) out_.notes.push_back(found->doubt);
    if (found->largest > largest_) largest_ = found->largest;
    if (found->truth != Truth::no) return found->truth;
    witness(sizes, found->shape, found->element, found->left);
    out_.counterexample->right = found->right;
    out_.counterexample->distance = found->distance;
    out_.counterexample->allowance = found->allowance;
    out_.counterexample->amounts = found->amounts;
    auto floats = interp::make_semantics("float", {}, item_.span);
    auto left = interp::evaluate(module_, *item_.left, **floats, arguments, sizes, options_);
    if (left && left->size() == 1) {
      out_.counterexample->parting = find_parting(module_, *item_.left, *item_.right, **floats, arguments, sizes,
                                                  left->front(), found->element);
    }
    out_.notes = {within_bound_->any_order()
                      ? "no rounding explains this, in any order of the sums: it is not what the circuit computes"
                      : "no rounding explains this: the two sides compute different things"};
    if (found->parts > 1) {
      out_.notes.push_back(fmt::format("these are part {} of the {} results", found->part + 1, found->parts));
    }
    return Truth::no;
  }

  Expected<Truth> compare_within(const std::vector<interp::Values>& values, const ir::Dimensions& sizes) {
    Truth all = Truth::yes;
    for (const interp::Values& part : values) {
      for (std::int64_t i = 0; i < part.count(); ++i) {
        auto enclosure = semantics_.enclosure(part.scalar(), part.at(i));
        const auto inside = [&] { return enclosure && enclosure->low >= item_.low && enclosure->high <= item_.high; };
        const auto beside = [&] { return !enclosure || enclosure->high < item_.low || enclosure->low > item_.high; };
        if (!inside() && !beside()) enclosure = semantics_.finest_enclosure(part.scalar(), part.at(i));
        if (inside()) continue;
        const bool outside = beside();
        // An enclosure that sticks out may do so by its own width alone.
        const bool set_valued = semantics_.name().starts_with("interval") || semantics_.name().starts_with("bound") ||
                                semantics_.name().starts_with("exact");
        if (!enclosure && is_ring()) return no_distance();
        if (set_valued && !(outside && enclosure)) {
          if (out_.notes.empty()) {
            out_.notes.push_back(fmt::format("the enclosure {} is not inside the range",
                                             semantics_.render(part.scalar(), part.at(i)).text));
          }
          all = Truth::unknown;
          continue;
        }
        witness(sizes, part.shape(), i, semantics_.render(part.scalar(), part.at(i)));
        return Truth::no;
      }
    }
    return all;
  }

  bool any_undefined(const std::vector<interp::Values>& values) const {
    for (const interp::Values& part : values) {
      for (std::int64_t i = 0; i < part.count(); ++i) {
        if (!semantics_.undefined_by(part.scalar(), part.at(i)).empty()) return true;
      }
    }
    return false;
  }

  Diagnostic no_distance() const {
    return Diagnostic(Code::no_distance, item_.tolerance_span.known() ? item_.tolerance_span : item_.span,
                      fmt::format("`{}` has no distance between values", semantics_.name()))
        .help("compare with `==` in a ring; use `within` in `float`, `exact` or `interval`");
  }

  /// Whether two values are as near as the tolerance asks, for every pair of reals that they stand for.
  Expected<Truth> near(ir::Scalar scalar, const std::byte* a, const std::byte* b) {
    const auto x = semantics_.enclosure(scalar, a), y = semantics_.enclosure(scalar, b);
    if ((!x || !y) && semantics_.equal(scalar, a, b) == Truth::yes) return Truth::yes;
    if (is_ring()) return no_distance();
    if ((semantics_.name().starts_with("bound") || semantics_.name() == "exact") && (!x || !y)) return Truth::unknown;
    if (!x || !y) return Truth::no;  // an infinity or NaN on one side only
    const auto first = near(scalar, *x, *y, b);
    if (!first || *first != Truth::unknown) return first;
    const auto finer_x = semantics_.finest_enclosure(scalar, a), finer_y = semantics_.finest_enclosure(scalar, b);
    return near(scalar, *finer_x, *finer_y, b);
  }

  Expected<Truth> near(ir::Scalar scalar, const interp::Enclosure& left, const interp::Enclosure& right,
                       const std::byte* b) {
    const interp::Enclosure *x = &left, *y = &right;
    mpq_class most = std::max(abs(x->high - y->low), abs(y->high - x->low));
    mpq_class least = 0;
    if (x->low > y->high) least = x->low - y->high;
    if (y->low > x->high) least = y->low - x->high;
    mpq_class allowed = item_.low;
    if (item_.tolerance == Tolerance::Kind::relative) {
      allowed *= std::max(abs(y->low), abs(y->high));
    } else if (item_.tolerance == Tolerance::Kind::ulp) {
      const auto bits = semantics_.bits(scalar, b);
      if (!bits || !ir::is_float(scalar)) {
        return Diagnostic(Code::no_distance, item_.tolerance_span,
                          fmt::format("`{}` values have no ulp", semantics_.name()))
            .help("give a distance: `within 1e-3`, `within relative 1e-6`");
      }
      allowed *= numerics::ulp(*bits, ir::format_of(scalar));
    }
    if (most <= allowed) return Truth::yes;
    return least > allowed ? Truth::no : Truth::unknown;
  }

  std::string distance(ir::Scalar scalar, const std::byte* a, const std::byte* b) const {
    if (semantics_.name() == "exact") {
      // Reals whose shown digits may agree.
      const auto x = semantics_.finest_enclosure(scalar, a), y = semantics_.finest_enclosure(scalar, b);
      if (!x || !y || (x->low == x->high && y->low == y->high)) return {};
      return numerics::decimal_upward(mpq_class(std::max(abs(x->high - y->low), abs(y->high - x->low))), 2);
    }
    if (!ir::is_float(scalar) || !semantics_.name().starts_with("float")) return {};
    const auto x = semantics_.bits(scalar, a), y = semantics_.bits(scalar, b);
    if (!x || !y) return {};
    const auto ulps = numerics::ulps_apart(*x, *y, ir::format_of(scalar));
    return ulps ? fmt::format("{} ulp", *ulps) : std::string();
  }

  /// Seeds far apart, so that no two inputs share a stretch of the generator.
  std::int64_t seed_of(std::int64_t trial, std::size_t parameter) const {
    const auto position = static_cast<std::uint64_t>(trial) * item_.left->parameters.size() + parameter;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(item_.seed.value_or(0)) + (position << 32));
  }

  Expected<std::vector<interp::Argument>> draw(const ir::Dimensions& sizes, std::int64_t trial) {
    std::vector<interp::Argument> arguments;
    std::vector<std::vector<std::int64_t>> shapes;  // in a ring
    std::vector<std::int64_t> seeds;
    std::int64_t rest = piece_;
    inputs_.clear();
    for (std::size_t k = 0; k < item_.left->parameters.size(); ++k) {
      const ir::Parameter& parameter = item_.left->parameters[k];
      const ir::Type type = module_.types()[parameter.type];
      if (type.kind == ir::TypeKind::tuple || !ir::is_float(type.scalar)) {
        return Diagnostic(Code::check_failed_to_run, parameter.span,
                          fmt::format("a check cannot draw inputs of type `{}`", ir::type_text(module_, parameter.type)));
      }
      std::vector<std::int64_t> shape;
      std::int64_t elements = 1;
      for (ir::IndexId extent : type.extents) {
        const auto value = module_.indices().evaluate(extent, {sizes, {}});
        if (!value || *value < 0) {
          return Diagnostic(Code::dimension_value, parameter.span,
                            fmt::format("the dimension `{}` has no usable value", ir::index_text(module_, extent)));
        }
        if (*value > 0 && elements > most_elements / *value) {
          return Diagnostic(Code::too_large, parameter.span,
                            fmt::format("the input `{}` of this check would have more than 2^33 elements",
                                        module_.name(parameter.name)));
        }
        elements *= *value;
        shape.push_back(*value);
      }
      WitnessInput input{std::string(module_.name(parameter.name)), {}, {}};
      const frontend::RangeClause* range = k < item_.ranges.size() ? &item_.ranges[k] : nullptr;
      if (range && range->sign != 0 && semantics_.name().starts_with("interval")) {
        return Diagnostic(Code::check_failed_to_run, item_.span,
                          "a condition is no range, and `interval` takes the whole range of each input at once")
            .help("give a range: `for x: 1/2..8`");
      }
      if (range && semantics_.name().starts_with("interval")) {
        const interp::RangeTensor piece = piece_of({type.scalar, shape, range->low, range->high}, k, rest);
        if (is_cut(k)) {
          input.expression = numerics::rational_text(piece.low) + ".." + numerics::rational_text(piece.high);
        }
        arguments.push_back(piece);
        inputs_.push_back(std::move(input));
        continue;
      }
      const std::int64_t seed = seed_of(trial, k);
      if (semantics_.draws_values()) {
        shapes.push_back(std::move(shape));
        seeds.push_back(seed);
        const bool positive = range && range->low >= 0, negative = range && !positive && range->high <= 0;
        input.expression = fmt::format("{} element{} of the ring, seed {}",
                                       positive ? "positive" : negative ? "negative" : "random",
                                       type.extents.empty() ? "" : "s", seed);
        inputs_.push_back(std::move(input));
        continue;
      }
      ir::HostTensor tensor = interp::generate(ir::Source::Kind::uniform, type.scalar, shape, seed);
      if (range) {
        scale(tensor, *range);
      } else {
        input.expression = fmt::format("random({}{}, {})", ir::scalar_name(type.scalar),
                                       shape.empty() ? "" : fmt::format("[{}]", fmt::join(shape, ", ")), seed);
      }
      const ir::Format format = ir::format_of(type.scalar);
      for (std::int64_t i = 0; i < std::min<std::int64_t>(tensor.size(), 8); ++i) {
        input.elements.push_back(numerics::shortest_decimal(tensor.bits(i), format));
      }
      arguments.push_back(std::move(tensor));
      inputs_.push_back(std::move(input));
    }
    if (semantics_.draws_values()) return random_elements(module_, item_, shapes, seeds);
    return arguments;
  }

  /// From [-1, 1) to the range, rounded once and kept inside.
  void scale(ir::HostTensor& tensor, const frontend::RangeClause& range) const {
    const ir::Format format = ir::format_of(tensor.scalar);
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
      const mpq_class unit = (*numerics::exact_value(tensor.bits(i), format) + 1) / 2;
      std::uint64_t bits = numerics::round_rational(range.low + unit * (range.high - range.low), format);
      const auto value = numerics::exact_value(bits, format);
      if (!value || *value > range.high || *value < range.low) bits = numerics::round_rational(range.low, format);
      if (range.sign != 0 && value && *value == 0) bits = numerics::round_rational(4 * range.sign, format);
      tensor.set_bits(i, bits);
    }
  }

  void witness(const ir::Dimensions& sizes, const std::vector<std::int64_t>& shape, std::int64_t element,
               interp::Rendering left) {
    Counterexample out;
    for (const auto& [symbol, value] : sizes) out.dimensions.push_back({std::string(module_.name(symbol)), value});
    out.inputs = inputs_;
    out.element.resize(shape.size());
    for (std::size_t d = shape.size(); d-- > 0;) {
      out.element[d] = element % shape[d];
      element /= shape[d];
    }
    out.left = std::move(left);
    out_.counterexample = std::move(out);
  }

  ir::Module& module_;
  const ElaboratedItem& item_;
  interp::Semantics& semantics_;
  const interp::EvaluateOptions& options_;
  Outcome out_;
  std::vector<WitnessInput> inputs_;
  std::optional<WithinBound> within_bound_;
  std::int64_t piece_ = 0;
  mpq_class largest_ = 0;  ///< difference that rounding explains
  // In a ring that draws its own elements.
  RingTally* tally_ = nullptr;
  Redraw* redraw_ = nullptr;
  bool hopeless_ = false;
  std::uint64_t defined_ = 0, total_ = 0;
  std::optional<std::int64_t> bits_;  ///< the probability of a false acceptance is 2^-bits at most
  bool any_unproven_ = false;
  std::size_t most_degenerate_ = 0;  ///< outputs at one size
};

}  // namespace

Expected<Outcome> run(ir::Module& module, const ElaboratedItem& item, interp::Semantics& semantics,
                      const interp::EvaluateOptions& options) {
  return Runner(module, item, semantics, options).run();
}

}  // namespace reckon::check
