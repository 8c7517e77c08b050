#include "semantics/accept/engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/unsupported_operation.h"
#include "ir/op.h"
#include "semantics/accept/integers.h"
#include "semantics/accept/primitives.h"
#include "semantics/accept/sound.h"
#include "semantics/accept/suite.h"

namespace reckon::interp::accept {

using ir::Op;

/// The results of one choice for many elements, while circuits still have to run.
struct Engine::Work {
  struct Slot {
    std::size_t element = 0;
    Answers answers;
  };
  std::vector<Slot> slots;
  std::vector<Jobs> jobs;  ///< by circuit
  std::size_t element = 0;

  void add(int circuit, int arity, const Interval* box, const Answers* const* arguments) {
    Jobs& list = jobs[static_cast<std::size_t>(circuit)];
    list.arity = arity;
    for (int k = 0; k < arity; ++k) {
      list.arguments.push_back(Answers::of(box[k]));
      list.arguments.back().nan = arguments[k]->nan;
    }
    list.slots.push_back(slots.size() - 1);
  }
};

namespace {

/// Adds what arguments say besides their intervals: verdicts, and NaN as IEEE 754 propagates it.
void finish(const Setting& setting, Op op, const Answers* const* arguments, int arity, Answers& out) {
  for (int k = 0; k < arity; ++k) {
    if (arguments[k]->verdict <= out.verdict) continue;
    out.verdict = arguments[k]->verdict;
    out.verdict_operation = arguments[k]->verdict_operation;
  }
  bool nan = false;
  for (int k = 0; k < arity; ++k) nan |= arguments[k]->nan;
  if (!nan || out.unbounded) return;
  const auto also = [&](const Answers& more) {
    Answers other = more;
    other.nan = false;
    if (!other.empty()) unite(out, other, !setting.endpoints_only);
  };
  switch (op) {
    case Op::minnum:
    case Op::maxnum:
      if (arguments[0]->nan) also(*arguments[1]);
      if (arguments[1]->nan) also(*arguments[0]);
      out.nan |= arguments[0]->nan && arguments[1]->nan;
      return;
    case Op::pow: out.nan = true; return also(Answers::of({1, 1}));
    case Op::hypot: out.nan = true; return also(Answers::of({infinity, infinity}));
    default: out.nan = true;
  }
}

/// Advice: a profile with a rule for the operation, which the user could write.
std::string remedy(const ir::Profile& profile, Op op, ir::Scalar scalar) {
  const std::string name(ir::traits(op).spelling);
  bool elsewhere = false;
  for (const ir::Scalar format : profile.formats) elsewhere |= profile.rules.contains({name, format});
  return fmt::format("give it one: `profile mine = {} with {{ {}{} : ulps(4) }}`, and ask in `accept(mine)`", profile.name,
                     name, elsewhere ? fmt::format(" in {}", ir::scalar_name(scalar)) : "");
}

}  // namespace

void Engine::combination(const Setting& setting, const Setting& source, const Choice& choice, Op op,
                         const Interval* parts, const Answers* const* arguments, Work* work, Answers& out) const {
  const int arity = setting.arity;
  if (setting.indeterminate) {
    for (int k = 0; k < arity; ++k) {
      if (!source.kind.is_finite(parts[k])) {
        Answers anything = Answers::anything(Cause::infinite, setting.operation, k);
        if (setting.constant) anything = std::move(anything).with(Verdict::either, setting.operation);
        span(out, anything);
        return;
      }
    }
  }
  std::array<Interval, 3> box{};
  if (setting.endpoints_only) {
    std::copy(parts, parts + arity, box.begin());
    suite::extrema(op, box.data());
    suite::each_choice(source, box.data(), arity, [&](const double* point) {
      int outside = 0;
      const Piece* piece = suite::piece_at(choice, point, outside);
      if (piece == nullptr) {
        span(out, Answers::anything(op == Op::div && point[1] == 0 ? Cause::zero : Cause::outside, setting.operation,
                                    outside));
      } else if (piece->kind == Piece::Kind::circuit) {
        Interval one[3];
        for (int k = 0; k < arity; ++k) one[k] = {point[k], point[k]};
        work->add(piece->circuit, arity, one, arguments);
      } else {
        span(out, suite::at(setting, *piece, op, point));
      }
    });
    return;
  }
  for (int k = 0; k < arity; ++k) box[k] = sound::input(source, parts[k]);
  if (choice.pieces.size() == 1 && choice.pieces[0].domains.empty() && choice.pieces[0].circuit < 0) {
    span(out, sound::over(setting, choice.pieces[0], op, box.data()));
    return;
  }
  sound::each_piece(setting, choice, box, [&](const Piece* piece, const auto& parts_of_box, int outside) {
    const Interval* part = parts_of_box.data();
    if (out.unbounded) return;
    if (piece == nullptr) {
      const bool zero = op == Op::div && box[1].contains(0);
      Answers anything = Answers::anything(zero ? Cause::zero : Cause::outside, setting.operation, outside);
      if (setting.constant) anything = std::move(anything).with(sound::outside(setting, op, part), setting.operation);
      span(out, anything);
    } else if (piece->kind == Piece::Kind::circuit) {
      work->add(piece->circuit, arity, part, arguments);
    } else {
      span(out, sound::over(setting, *piece, op, part));
    }
  });
}

void Engine::element(const Setting& setting, const Setting& source, const Choice& choice, Op op,
                     const Answers* const* arguments, Work* work, Answers& out) const {
  const int arity = setting.arity;
  bool single = true;
  for (int k = 0; k < arity; ++k) {
    if (arguments[k]->unbounded) {
      unite(out, *arguments[k], false);
      return;
    }
    single &= arguments[k]->count == 1;
  }
  Interval parts[3];
  const auto one = [&] {
    if (work == nullptr) {
      Answers answers;
      combination(setting, source, choice, op, parts, arguments, nullptr, answers);
      unite(out, answers, !setting.endpoints_only);
      return;
    }
    work->slots.push_back({work->element, {}});
    Answers answers;  // a slot may move, so jobs refer to it by its number
    combination(setting, source, choice, op, parts, arguments, work, answers);
    work->slots.back().answers = answers;
  };
  if (single) {
    for (int k = 0; k < arity; ++k) parts[k] = arguments[k]->parts[0];
    if (work == nullptr && out.empty()) combination(setting, source, choice, op, parts, arguments, nullptr, out);
    else one();
  } else {
    const auto choose = [&](auto&& self, int k) -> void {
      if (k == arity) return one();
      for (std::size_t p = 0; p < arguments[k]->count; ++p) {
        parts[k] = arguments[k]->parts[p];
        self(self, k + 1);
      }
    };
    choose(choose, 0);
  }
}

namespace {

/// Why a profile permits no answer of an operation.
template <class Rules>
std::optional<Fault> unsupported(const Rules& rules, Op op, ir::Scalar from, ir::Scalar to) {
  const auto& profile = rules.profile();
  for (const ir::Scalar scalar : {from, to}) {
    if (rules.has(scalar) || ir::is_integer(scalar)) continue;
    return Fault{code::unsupported_operation,
                 fmt::format("the profile `{}` says nothing of `{}`", profile.name, ir::scalar_name(scalar)),
                 "write the circuit in one of the profile's formats"};
  }
  const Rule* rule = rules.rule(op, to);
  if (rule == nullptr) {
    return Fault{code::unsupported_operation,
                 fmt::format("the profile `{}` has no rule for `{}` in `{}`", profile.name, ir::traits(op).spelling,
                             ir::scalar_name(to)),
                 remedy(profile, op, to)};
  }
  const bool by_engine = rule->choices[0].pieces[0].kind == Piece::Kind::primitive;
  if (op == ir::Op::ldexp && by_engine) return std::nullopt;
  for (const Choice& choice : rule->choices) {
    for (const Piece& piece : choice.pieces) {
      if (piece.kind == Piece::Kind::primitive && piece.primitive == nullptr) {
        return Fault{code::unsupported_operation,
                     fmt::format("the profile `{}` names a primitive rule for `{}` that there is not", profile.name,
                                 ir::traits(op).spelling),
                     ""};
      }
    }
  }
  return std::nullopt;
}

/// Whether a conversion rounds nothing: the format has the numbers of the other one, and the profile adds no error.
bool keeps_numbers(const Rule& rule, ir::Scalar from, ir::Scalar to) {
  if (!ir::is_float(from) || !ir::is_float(to)) return false;
  const numerics::FormatTraits &source = numerics::traits(ir::format_of(from)),
                               &target = numerics::traits(ir::format_of(to));
  if (target.precision < source.precision || target.emax < source.emax || target.emin > source.emin) return false;
  return std::ranges::all_of(rule.choices, [](const Choice& choice) {
    return std::ranges::all_of(choice.pieces, [](const Piece& piece) {
      return piece.domains.empty() && (piece.kind == Piece::Kind::exact || piece.kind == Piece::Kind::rounded);
    });
  });
}

/// The answers as those of a format that has their numbers: the ends stay, which may lie between numbers of the
/// narrower one.
Answers widened(const Setting& source, const Answers& x) {
  if (x.unbounded) return x;
  Answers out;
  for (std::size_t p = 0; p < x.count; ++p) {
    const Interval part = sound::seen(source, x.parts[p]);
    if (source.indeterminate && !source.kind.is_finite(part))
      return Answers::anything(Cause::overflow, source.operation);
    unite(out, Answers::of(part), !source.endpoints_only);
  }
  out.nan = x.nan;
  out.verdict = x.verdict;
  out.verdict_operation = x.verdict_operation;
  return out;
}

}  // namespace

std::optional<Fault> Engine::apply(Op op, ir::Scalar from, ir::Scalar to, const Operand* operands, Answers* out,
                                   std::ptrdiff_t out_row_stride, std::size_t rows, std::size_t columns) const {
  if (auto fault = unsupported(rules_, op, from, to)) return fault;
  const Rule* rule = rules_.rule(op, to);
  const bool by_engine = rule->choices[0].pieces[0].kind == Piece::Kind::primitive;
  if (op == ir::Op::ldexp && by_engine) {  // an exponent is not rounded or flushed
    const Setting setting = rules_.setting(to, operation_number(op));
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        out[static_cast<std::ptrdiff_t>(r) * out_row_stride + static_cast<std::ptrdiff_t>(c)] =
            ldexp(setting, operands[0].at(r, c), operands[1].at(r, c));
      }
    }
    return std::nullopt;
  }
  const Setting setting = rules_.setting(to, operation_number(op));
  const Setting source = from == to             ? setting
                         : ir::is_integer(from) ? integer_setting()
                                                : rules_.setting(from, operation_number(op));
  const int arity = setting.arity;
  const auto result = [&](std::size_t r, std::size_t c) -> Answers& {
    return out[static_cast<std::ptrdiff_t>(r) * out_row_stride + static_cast<std::ptrdiff_t>(c)];
  };
  const Answers* arguments[3];
  const auto fetch = [&](std::size_t r, std::size_t c) {
    for (int k = 0; k < arity; ++k) arguments[k] = &operands[k].at(r, c);
  };
  if (op == Op::convert && from != to && keeps_numbers(*rule, from, to)) {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) result(r, c) = widened(source, operands[0].at(r, c));
    }
    return std::nullopt;
  }
  bool circuits = false;
  for (const Choice& choice : rule->choices) circuits |= choice.has_circuits;
  if (!circuits) {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        fetch(r, c);
        Answers all;
        for (const Choice& choice : rule->choices) {
          Answers one;
          element(setting, source, choice, op, arguments, nullptr, one);
          if (&choice == &rule->choices.front()) all = one;
          else if (rule->hull) span(all, one);
          else unite(all, one, !setting.endpoints_only);
        }
        finish(setting, op, arguments, arity, all);
        result(r, c) = all;
      }
    }
    return std::nullopt;
  }
  std::vector<Answers> all(rows * columns);
  for (const Choice& choice : rule->choices) {
    Work work;
    work.jobs.resize(rules_.circuits().size());
    std::vector<Answers> one(rows * columns);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        fetch(r, c);
        work.element = r * columns + c;
        element(setting, source, choice, op, arguments, &work, one[work.element]);
      }
    }
    for (std::size_t circuit = 0; circuit < work.jobs.size(); ++circuit) {
      const Jobs& jobs = work.jobs[circuit];
      if (jobs.slots.empty()) continue;
      std::vector<Answers> results;
      if (auto fault = run_(static_cast<int>(circuit), to, jobs, results)) return fault;
      for (std::size_t k = 0; k < jobs.slots.size(); ++k) span(work.slots[jobs.slots[k]].answers, results[k]);
    }
    for (const Work::Slot& slot : work.slots) unite(one[slot.element], slot.answers, !setting.endpoints_only);
    for (std::size_t e = 0; e < one.size(); ++e) {
      if (&choice == &rule->choices.front()) all[e] = one[e];
      else if (rule->hull) span(all[e], one[e]);
      else unite(all[e], one[e], !setting.endpoints_only);
    }
  }
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      fetch(r, c);
      finish(setting, op, arguments, arity, all[r * columns + c]);
    }
  }
  for (std::size_t r = 0; r < rows; ++r)
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(r * columns), columns, &result(r, 0));
  return std::nullopt;
}

Truth compare(Op op, const Setting& setting, const Answers& a, const Answers& b) {
  if (a.unbounded || b.unbounded) return Truth::unknown;
  bool yes = false, no = a.nan || b.nan;
  for (std::size_t i = 0; i < a.count; ++i) {
    for (std::size_t k = 0; k < b.count; ++k) {
      const Interval x = sound::input(setting, a.parts[i]), y = sound::input(setting, b.parts[k]);
      if (setting.indeterminate && !(setting.kind.is_finite(x) && setting.kind.is_finite(y))) return Truth::unknown;
      switch (op) {
        case Op::less:
          yes |= x.low < y.high;
          no |= x.high >= y.low;
          break;
        case Op::less_equal:
          yes |= x.low <= y.high;
          no |= x.high > y.low;
          break;
        default:
          yes |= x.meets(y);
          no |= !(x.is_point() && x == y);
          break;
      }
    }
  }
  const bool negated = op == Op::not_equal;
  if (yes && no) return Truth::unknown;
  return yes != negated ? Truth::yes : Truth::no;
}

}  // namespace reckon::interp::accept
