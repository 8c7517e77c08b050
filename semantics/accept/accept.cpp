// accept(P): every answer that an implementation may give that obeys the accuracy profile P. The other files of this
// folder carry profiles out; this one makes a semantics of them.
//
//   * A value is a list of intervals (answers.h). A literal that its format does not have stands for both neighbours.
//   * A profile with `endpoints_only` evaluates as WebGPU's conformance suite does, which is not sound for wide
//     intervals; any other profile encloses all answers of conforming implementations for any choice of the inputs.
//   * An integer is not a float: its value is the set of integers that it may be (integers.h).
//   * An operation of which the profile says nothing is an error at its place, unless it has only one answer apart from
//     rounding and flushing (neg, min, floor, conversions, ...: rules.cpp).
#include <fmt/format.h>

#include "diagnostics/codes/format_without_profile.h"
#include "diagnostics/codes/not_a_number_in.h"
#include "diagnostics/codes/number_without_format.h"
#include "diagnostics/codes/undefined_result.h"
#include "diagnostics/codes/unknown_semantics.h"
#include "interp/algebra/array_semantics.h"
#include "interp/algebra/interval_endpoints.h"
#include "interp/algebra/real_constant.h"
#include "numerics/format.h"
#include "semantics/accept/acceptance.h"
#include "semantics/accept/calls.h"
#include "semantics/accept/circuits.h"
#include "semantics/accept/engine.h"
#include "semantics/accept/integers.h"
#include "semantics/accept/kernels.h"
#include "semantics/accept/orders.h"
#include "semantics/accept/primitives.h"
#include "semantics/accept/render.h"
#include "semantics/accept/rewriter.h"
#include "semantics/accept/sound.h"
#include "semantics/registry.h"
#include "semantics/standard.h"

namespace reckon::interp {

namespace {

using namespace accept;
using ir::Op;
using ir::Scalar;

class AcceptSemantics : public Semantics {
 public:
  using Numbers = Rules::Numbers;
  AcceptSemantics(std::shared_ptr<const ir::Profile> profile, std::string name, bool constant,
                  Numbers numbers = Numbers::formats)
      : name_(std::move(name)),
        constant_(constant),
        numbers_(numbers),
        rules_(profile, constant, numbers),
        circuits_(profile, rules_.circuits()),
        run_([this](int circuit, Scalar scalar, const Jobs& jobs, std::vector<Answers>& out) {
          const Rewriter::Pause pause(rewriter_);
          return circuits_.run(*this, circuit, scalar, jobs, out);
        }),
        engine_(rules_, run_),
        rewriter_(engine_),
        true_values_([] { return std::move(*make_exact({}, {})); }, over_reals) {}

  std::string_view name() const override { return name_; }
  std::unique_ptr<Semantics> another() const override {
    return std::make_unique<AcceptSemantics>(shared_profile(), name_, constant_, numbers_);
  }
  driver::Traits traits() const override {
    using enum ir::Law;
    return {.laws = numbers_ == Numbers::reals ? ir::Laws{select_same, any_order_encloses, sums_exactly}
                                               : ir::Laws{select_same},
            .folds_all_orders = true,
            .calls_have_rules = true,
            .closed_numbers = &closed_numbers(),
            .permits_answers = true};
  }
  std::size_t size(Scalar scalar) const override { return scalar == Scalar::boolean ? 1 : sizeof(Answers); }

  std::optional<Fault> literal(const ir::Literal& literal, Scalar scalar, std::byte* out) const override {
    using Kind = ir::Literal::Kind;
    if (literal.kind == Kind::boolean) {
      *out = static_cast<std::byte>(literal.bits != 0);
      return std::nullopt;
    }
    if (ir::is_integer(scalar)) {
      at(out, 0) = integer(scalar, ir::integer_pattern(scalar, literal.value.get_num()));
      return std::nullopt;
    }
    if (auto fault = unknown(scalar)) return fault;
    switch (literal.kind) {
      case Kind::bits: return pattern(literal.bits, scalar, at(out, 0));
      case Kind::not_a_number: return not_a_number();
      case Kind::infinity: at(out, 0) = infinite(literal.negative, scalar); return std::nullopt;
      case Kind::real:
        if (const auto constant = real_constant(literal.constant)) {
          at(out, 0) = rounded({F64Endpoints::real(Toward::below, literal.value, *constant),
                                F64Endpoints::real(Toward::above, literal.value, *constant)},
                               scalar);
          return std::nullopt;
        }
        [[fallthrough]];
      default: at(out, 0) = rounded(around(literal.value, literal.value), scalar); return std::nullopt;
    }
  }

  std::optional<Fault> load(Scalar scalar, const std::uint8_t* bytes, std::size_t count,
                            std::byte* out) const override {
    if (scalar == Scalar::boolean) {
      load_truths(bytes, count, out);
      return std::nullopt;
    }
    const auto width = static_cast<std::size_t>(ir::byte_width(scalar));
    if (ir::is_integer(scalar)) {
      for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes + i * width, width);
        at(out, i) = integer(scalar, word);
      }
      return std::nullopt;
    }
    if (auto fault = unknown(scalar)) return fault;
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, bytes + i * width, width);
      if (auto fault = pattern(bits, scalar, at(out, i))) return fault;
    }
    return std::nullopt;
  }

  std::optional<Fault> from_index(Scalar scalar, const std::int64_t* values, std::size_t count,
                                  std::byte* out) const override {
    if (ir::is_integer(scalar)) {
      for (std::size_t i = 0; i < count; ++i) {
        at(out, i) =
            integer(scalar, numerics::wrapped(ir::integer_traits(scalar), static_cast<std::uint64_t>(values[i])));
      }
      return std::nullopt;
    }
    if (auto fault = unknown(scalar)) return fault;
    for (std::size_t i = 0; i < count; ++i) {
      const mpq_class value(static_cast<long>(values[i]));
      at(out, i) = rounded(around(value, value), scalar);
    }
    return std::nullopt;
  }

  /// Inputs are not rounded here: an operation rounds its operands.
  std::optional<Fault> range(Scalar scalar, const mpq_class& low, const mpq_class& high,
                             std::byte* out) const override {
    if (ir::is_integer(scalar)) {
      auto whole = integers_between(scalar, around(low, high));
      if (!whole) return Fault{code::undefined_result, "there is no integer in this range", ""};
      at(out, 0) = *whole;
      return std::nullopt;
    }
    if (auto fault = unknown(scalar)) return fault;
    at(out, 0) = Answers::of(around(low, high));
    return std::nullopt;
  }

  std::optional<Fault> apply(Op op, Scalar from, Scalar to, const Rows* operands, std::byte* out,
                             std::ptrdiff_t out_row_stride, std::size_t rows, std::size_t columns) override {
    switch (ir::traits(op).result) {
      case ir::ResultRule::logic: return accept::logic(op, operands, out, out_row_stride, rows, columns);
      case ir::ResultRule::choose:
        if (to == Scalar::boolean) return select_truths(operands, out, out_row_stride, rows, columns);
        if (ir::is_integer(to)) return select(false, operands, out, out_row_stride, rows, columns);
        if (auto fault = unknown(to)) return fault;
        if (auto fault = select(rules_.profile().endpoints_only, operands, out, out_row_stride, rows, columns))
          return fault;
        if (rewriter_.enabled()) forget_undecided(operands[0], out, out_row_stride, rows, columns);
        return std::nullopt;
      case ir::ResultRule::truth:
        if (from == Scalar::boolean) return compare_truths(op, operands, out, out_row_stride, rows, columns);
        if (ir::is_integer(from))
          return comparison(op, integer_setting(), operands, out, out_row_stride, rows, columns);
        if (auto fault = unknown(from)) return fault;
        return comparison(op, rules_.setting(from, operation_number(op)), operands, out, out_row_stride, rows, columns);
      default: break;
    }
    for (const Scalar scalar : {from, to}) {
      if (auto fault = ir::is_integer(scalar) ? std::nullopt : unknown(scalar)) return fault;
    }
    Operand some[3];
    for (int k = 0; k < ir::traits(op).arity; ++k)
      some[k] = {reinterpret_cast<const Answers*>(operands[k].data), operands[k].row_stride};
    if (ir::is_integer(from) || ir::is_integer(to)) {
      if (op == Op::convert && ir::is_float(to)) {
        return engine_.apply(op, from, to, some, reinterpret_cast<Answers*>(out), out_row_stride, rows, columns);
      }
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) {
          const Answers* arguments[3];
          for (int k = 0; k < ir::traits(op).arity; ++k) arguments[k] = &some[k].at(r, c);
          Answers answers;
          if (auto fault = of_integers(op, from, to, arguments, answers)) return fault;
          result<Answers>(out, out_row_stride, r, c) = answers;
        }
      }
      return std::nullopt;
    }
    if (rewriter_.enabled()) return rewritten(op, from, to, some, out, out_row_stride, rows, columns);
    return engine_.apply(op, from, to, some, reinterpret_cast<Answers*>(out), out_row_stride, rows, columns);
  }

  std::optional<Fault> accumulate(Op op, Scalar scalar, std::byte* accumulator, Rows operand, std::size_t rows,
                                  std::size_t columns) override {
    for (std::size_t r = 0; r < rows; ++r) {
      const auto row =
          static_cast<std::ptrdiff_t>(r) * operand.row_stride * static_cast<std::ptrdiff_t>(sizeof(Answers));
      const Rows operands[2] = {{accumulator, 0}, {operand.data + row, 0}};
      if (auto fault = apply(op, scalar, scalar, operands, accumulator, 0, 1, columns)) return fault;
    }
    return std::nullopt;
  }

  std::optional<Fault> fold_all_orders(Op op, ir::ScheduleOp orders, Scalar scalar, Rows leaves, std::byte* out,
                                       std::size_t rows, std::size_t columns) override {
    if (ir::is_integer(scalar)) {  // the result is the same in every order
      for (std::size_t c = 0; c < columns; ++c) {
        Answers all = element<Answers>(leaves, 0, c);
        for (std::size_t r = 1; r < rows; ++r) {
          const Answers* arguments[] = {&all, &element<Answers>(leaves, r, c)};
          Answers next;
          if (auto fault = integer_operation(op, scalar, scalar, arguments, next)) return fault;
          all = next;
        }
        at(out, c) = all;
      }
      return std::nullopt;
    }
    if (auto fault = unknown(scalar)) return fault;
    std::vector<Answers> some(rows);
    for (std::size_t c = 0; c < columns; ++c) {
      for (std::size_t r = 0; r < rows; ++r) some[r] = element<Answers>(leaves, r, c);
      if (rewriter_.active() && rewriter_.reassociates() && Rewriter::follows(op)) {
        // A sum in any order is a chain like every other.
        Answers all = some[0];
        for (std::size_t r = 1; r < rows; ++r) {
          const Answers* operands[] = {&all, &some[r]};
          if (auto fault = rewriter_.apply(op, scalar, operands, all)) return fault;
        }
        at(out, c) = all;
        continue;
      }
      Rewriter* rewriter = rewriter_.active() ? &rewriter_ : nullptr;
      if (auto fault = accept::fold_all_orders(engine_, op, orders, scalar, some, rewriter, at(out, c))) return fault;
      if (rows > 1) at(out, c).origin = 0;
    }
    return std::nullopt;
  }

  Expected<bool> call(const Call& call, std::vector<Values>& out) override {
    const Rewriter::Pause pause(rewriter_);
    return accept::call({*this, engine_, circuits_, true_values_}, call, out);
  }

  Rendering render(Scalar scalar, const std::byte* value) const override {
    if (scalar == Scalar::boolean) return render_truth(value);
    if (ir::is_integer(scalar)) return rendered_integers(at(value, 0), rules_);
    Rendering out = rendered(at(value, 0), rules_.setting(scalar, 0).kind, rules_);
    if (constant_) {
      const std::string verdict = verdict_text(at(value, 0), rules_);
      out.text = at(value, 0).verdict == Verdict::invalid ? verdict : out.text + "  " + verdict;
      out.fields.emplace_back("verdict", verdict);
    }
    return out;
  }

  /// Yes only if both are one and the same number, no only if they have no answer in common.
  Truth equal(Scalar scalar, const std::byte* a, const std::byte* b) const override {
    if (scalar == Scalar::boolean) return equal_truths(a, b);
    if (ir::is_integer(scalar)) return compare(Op::equal, integer_setting(), at(a, 0), at(b, 0));
    Setting setting = rules_.setting(scalar, 0);
    setting.flush_inputs = Setting::Flush::never;
    return compare(Op::equal, setting, at(a, 0), at(b, 0));
  }

  std::optional<Enclosure> enclosure(Scalar scalar, const std::byte* value) const override {
    if (scalar == Scalar::boolean) return std::nullopt;
    const Answers& answers = at(value, 0);
    if (answers.unbounded || answers.nan || answers.count == 0) return std::nullopt;
    const Interval hull = answers.hull();
    if (std::isinf(hull.low) || std::isinf(hull.high)) return std::nullopt;
    return Enclosure{F64Endpoints::exact(hull.low), F64Endpoints::exact(hull.high)};
  }

  std::optional<std::uint64_t> bits(Scalar scalar, const std::byte* value) const override {
    if (!ir::is_integer(scalar) || !at(value, 0).is_point()) return std::nullopt;
    return ir::integer_pattern(scalar, mpz_class(at(value, 0).parts[0].low));
  }
  std::optional<Acceptance> acceptance(Scalar scalar, const std::byte* value, std::uint64_t bits) const override {
    if (!ir::is_float(scalar) || !rules_.has(scalar) || at(value, 0).empty()) return std::nullopt;
    const numerics::Format format = ir::format_of(scalar);
    return accept::acceptance(at(value, 0), rules_.setting(scalar, 0).kind, numerics::widen(bits, format) + 0.0);
  }

 private:
  /// Every operation is rounded outward in f64, whatever the format, so the results enclose those on real numbers. If
  /// some argument has no real value, the answer is "anything".
  static std::unique_ptr<Semantics> over_reals() {
    auto profile = std::make_shared<ir::Profile>();
    profile->name = "reals";
    profile->overflow = ir::Profile::Overflow::indeterminate;
    for (int k = 0; k < numerics::format_count; ++k) profile->formats.push_back(ir::scalar_of(static_cast<numerics::Format>(k)));
    ir::Piece rounded;
    rounded.accuracy.kind = ir::Accuracy::Kind::rounded;
    for (const Scalar scalar : profile->formats) {
      for (int k = 0; k <= static_cast<int>(Op::convert); ++k) {
        const ir::OpTraits traits = ir::traits(static_cast<Op>(k));
        if (traits.result != ir::ResultRule::same && static_cast<Op>(k) != Op::convert) continue;
        profile->rules[{std::string(traits.spelling), scalar}].choices = {{{rounded}}};
      }
    }
    return std::make_unique<AcceptSemantics>(std::move(profile), "accept(reals)", false, Numbers::reals);
  }

  std::shared_ptr<const ir::Profile> shared_profile() const { return rules_.shared(); }
  static Answers& at(std::byte* data, std::size_t i) { return reinterpret_cast<Answers*>(data)[i]; }
  static const Answers& at(const std::byte* data, std::size_t i) { return reinterpret_cast<const Answers*>(data)[i]; }

  std::optional<Fault> unknown(Scalar scalar) const {
    if (scalar == Scalar::number) {
      return Fault{code::number_without_format, fmt::format("a `number` has no format under `{}`", name_),
                   "give it a format, for example `f32(...)`"};
    }
    if (rules_.has(scalar)) return std::nullopt;
    return Fault{code::format_without_profile,
                 fmt::format("the profile `{}` says nothing of `{}`", rules_.profile().name, ir::scalar_name(scalar)),
                 "write the circuit in one of the profile's formats"};
  }
  Fault not_a_number() const {
    return {code::not_a_number_in, fmt::format("`nan` is no input under `{}`: every answer to it is accepted", name_),
            "ask of numbers only"};
  }

  static Answers integer(Scalar type, std::uint64_t pattern) {
    return integer_answer(type, pattern, operation_number(Op::convert));
  }
  std::optional<Fault> of_integers(Op op, Scalar from, Scalar to, const Answers* const* arguments, Answers& out) const {
    const std::uint16_t number = operation_number(op);
    if (ir::is_integer(from) && ir::is_integer(to)) return integer_operation(op, from, to, arguments, out);
    const bool patterns = op == Op::bits || op == Op::from_bits;
    if (patterns && numbers_ == Numbers::reals) out = Answers::anything(Cause::integers, number);  // a real has none
    else if (patterns && (from == Scalar::u64 || to == Scalar::u64)) out = Answers::anything(Cause::integers, number);
    else if (op == Op::bits) out = pattern_of(rules_.setting(from, number), *arguments[0]);
    else if (op == Op::from_bits) out = from_pattern(rules_.setting(to, number), *arguments[0]);
    else out = to_integers(rules_.setting(from, number), *arguments[0], to);
    return std::nullopt;
  }

  /// An operation under a profile that lets compilers rewrite additions and multiplications.
  std::optional<Fault> rewritten(Op op, Scalar from, Scalar to, const Operand* operands, std::byte* out,
                                 std::ptrdiff_t out_row_stride, std::size_t rows, std::size_t columns) {
    const bool follows = rewriter_.active() && Rewriter::follows(op);
    if (!follows) {
      if (auto fault =
              engine_.apply(op, from, to, operands, reinterpret_cast<Answers*>(out), out_row_stride, rows, columns))
        return fault;
    }
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        Answers& to_answers = result<Answers>(out, out_row_stride, r, c);
        if (!follows) {
          to_answers.origin = 0;  // the minimum of products is no product
          continue;
        }
        const Answers* some[2] = {};
        for (int k = 0; k < ir::traits(op).arity; ++k) some[k] = &operands[k].at(r, c);
        if (auto fault = rewriter_.apply(op, to, some, to_answers)) return fault;
      }
    }
    return std::nullopt;
  }
  /// What either of two values may be is neither of them.
  static void forget_undecided(const Rows& condition, std::byte* out, std::ptrdiff_t out_row_stride, std::size_t rows,
                               std::size_t columns) {
    each(rows, columns, [&](std::size_t r, std::size_t c) {
      if (element<Truth>(condition, r, c) == Truth::unknown) result<Answers>(out, out_row_stride, r, c).origin = 0;
    });
  }

  static Interval around(const mpq_class& low, const mpq_class& high) {
    return {F64Endpoints::rational(Toward::below, low) + 0.0, F64Endpoints::rational(Toward::above, high) + 0.0};
  }
  Answers rounded(const Interval& reals, Scalar scalar) const {
    const Setting setting = rules_.setting(scalar, operation_number(Op::convert));
    const Rule& rule = *rules_.rule(Op::convert, scalar);
    const bool exact = rule.choices.size() == 1 && rule.choices[0].pieces.size() == 1 &&
                       rule.choices[0].pieces[0].kind == Piece::Kind::exact;
    const Interval out = exact ? Interval{setting.kind.nearest(reals.low), setting.kind.nearest(reals.high)}
                               : setting.kind.outward(reals);
    if (constant_) return sound::rounded(setting, reals, false);
    if (setting.indeterminate && !setting.kind.is_finite(out)) {
      return Answers::anything(Cause::overflow, setting.operation);
    }
    return Answers::of(out);
  }
  Answers infinite(bool negative, Scalar scalar) const {
    const Setting setting = rules_.setting(scalar, operation_number(Op::convert));
    if (setting.indeterminate) return Answers::anything(Cause::infinite, setting.operation);
    const double end = negative ? -accept::infinity : accept::infinity;
    return Answers::of({end, end});
  }
  std::optional<Fault> pattern(std::uint64_t bits, Scalar scalar, Answers& out) const {
    const numerics::Format format = ir::format_of(scalar);
    if (numerics::is_nan(bits, format)) return not_a_number();
    const double value = numerics::widen(bits, format) + 0.0;
    out = std::isinf(value) ? infinite(value < 0, scalar) : Answers::of({value, value});
    return std::nullopt;
  }

  std::string name_;
  bool constant_;
  Numbers numbers_;
  Rules rules_;
  Circuits circuits_;
  RunCircuit run_;
  Engine engine_;
  Rewriter rewriter_;
  TrueValues true_values_;
};

}  // namespace

Expected<std::unique_ptr<Semantics>> make_accept(const std::vector<SemanticsArgument>& arguments, SourceSpan place) {
  std::shared_ptr<const ir::Profile> profile;
  std::string name = "accept(";
  bool constant = false;
  for (const SemanticsArgument& argument : arguments) {
    const bool first = &argument == &arguments.front();
    name += (first ? "" : ", ") + argument.text;
    if (first && argument.profile != nullptr) profile = argument.profile;
    else if (!first && argument.text == "const" && !constant) constant = true;
    else if (first) {
      return Diagnostic(code::unknown_semantics, place, fmt::format("there is no profile `{}`", argument.text))
          .help("name an accuracy profile: `accept(wgsl)`");
    } else {
      return no_arguments("accept", argument, place, "write `accept(P)` or `accept(P, const)`, with a profile P");
    }
  }
  if (profile == nullptr) {
    return Diagnostic(code::unknown_semantics, place, "`accept` is about an accuracy profile, and none is named")
        .help("write `accept(wgsl)`");
  }
  if (constant && profile->rewrites()) {
    return Diagnostic(code::unknown_semantics, place,
                      fmt::format("`const` asks about constant expressions, and `{}` is about what compilers make of a "
                                  "program",
                                  profile->name))
        .help("name a profile that has neither `contract may` nor `reassociate may`");
  }
  if (constant && (profile->endpoints_only || profile->overflow != ir::Profile::Overflow::indeterminate)) {
    return Diagnostic(code::unknown_semantics, place,
                      fmt::format("`const` asks whether an expression is an error, which `{}` does not know",
                                  profile->name))
        .help("name a profile without `ends` in which overflow is indeterminate: `accept(wgsl, const)`");
  }
  return std::unique_ptr<Semantics>(std::make_unique<AcceptSemantics>(std::move(profile), name + ")", constant));
}

}  // namespace reckon::interp
