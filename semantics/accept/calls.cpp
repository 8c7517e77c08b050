#include "semantics/accept/calls.h"

#include <fmt/format.h>

#include "diagnostics/codes/unsupported_operation.h"
#include "semantics/accept/corners.h"
#include "semantics/accept/primitives.h"
#include "semantics/accept/sound.h"
#include "semantics/accept/suite.h"
#include "semantics/accept/values.h"
#include "semantics/accept/vector_primitives.h"

namespace reckon::interp::accept {

namespace {

Diagnostic diagnostic(const Fault& fault) {
  Diagnostic out(fault.code, {}, fault.message);
  if (!fault.help.empty()) out.helps.push_back(fault.help);
  return out;
}
std::optional<Diagnostic> diagnostic(const std::optional<Fault>& fault) {
  return fault ? std::optional(diagnostic(*fault)) : std::nullopt;
}

bool counts_from_true_values(Piece::Kind kind) {
  using enum Piece::Kind;
  return kind == exact || kind == rounded || kind == absolute || kind == ulps;
}

/// A rule for a builtin circuit, carried out on one call.
class RuledCall {
 public:
  RuledCall(const Machinery& machinery, const Semantics::Call& call, const Rule& rule, ir::Scalar format)
      : machinery_(machinery),
        semantics_(machinery.semantics),
        rules_(machinery.engine.rules()),
        call_(call),
        rule_(rule),
        format_(format),
        setting_(rules_.setting(format, rules_.operation_number(call.name))) {}

  std::optional<Diagnostic> run(std::vector<Values>& out) {
    if (auto problem = check()) return problem;
    for (const Choice& choice : rule_.choices) {
      std::vector<Values> one;
      if (auto problem = by_choice(choice, one)) return problem;
      if (&choice == &rule_.choices.front()) out = std::move(one);
      else
        join(out, one, rule_.hull ? Joining::hull : setting_.endpoints_only ? Joining::alternatives : Joining::merged);
    }
    take_verdicts(out);
    return std::nullopt;
  }

 private:
  /// The front end has checked the rule, but a profile that was made by hand may be about another circuit.
  std::optional<Diagnostic> check() const {
    const auto refuse = [&](std::string_view what) {
      return Diagnostic(code::unsupported_operation, {},
                        fmt::format("the rule for `{}` of the profile `{}` {}", call_.name, rules_.profile().name,
                                    what));
    };
    for (const Choice& choice : rule_.choices) {
      for (const Piece& piece : choice.pieces) {
        for (const Domain& domain : piece.domains) {
          if (!is_number(domain.argument)) return refuse("has a domain of an argument that is no number");
        }
        if (!counts_from_true_values(piece.kind)) continue;
        for (const auto& [scalar, shape] : call_.results) {
          if (scalar != format_) {
            return refuse(fmt::format("counts errors in `{}`, and a result is `{}`", ir::scalar_name(format_),
                                      ir::scalar_name(scalar)));
          }
        }
      }
    }
    return std::nullopt;
  }
  bool is_number(std::size_t argument) const {
    return argument < call_.arguments.size() && call_.arguments[argument]->scalar() == format_ &&
           call_.arguments[argument]->count() == 1;
  }

  std::optional<Diagnostic> by_choice(const Choice& choice, std::vector<Values>& out) {
    const Piece& first = choice.pieces.front();
    if (first.kind == Piece::Kind::primitive && choice.pieces.size() == 1 && first.domains.empty()) {
      return by_primitive(first, call_.arguments, out);  // the primitive rule examines its arguments itself
    }
    if (setting_.endpoints_only) {
      return at_corners(
          semantics_, rules_, call_, setting_.operation,
          [&](const std::vector<const Values*>& point, std::vector<Values>& results) {
            return at_point(choice, point, results);
          },
          out);
    }
    return over_boxes(choice, out);
  }

  std::optional<Diagnostic> at_point(const Choice& choice, const std::vector<const Values*>& point,
                                     std::vector<Values>& out) {
    std::vector<double> numbers;
    for (const Values* values : point) {
      numbers.push_back(ir::is_float(values->scalar()) && values->count() == 1 ? answers(*values)[0].parts[0].low : 0);
    }
    int outside = 0;
    const Piece* piece = suite::piece_at(choice, numbers.data(), outside);
    if (piece == nullptr) {
      out = all_of(semantics_, call_, Answers::anything(Cause::outside, setting_.operation, outside));
      return std::nullopt;
    }
    if (!counts_from_true_values(piece->kind)) return by_other(*piece, point, out);
    const double amount = piece->amount.steps() == 0 ? 0 : piece->amount.at(numbers.data());
    return by_true_values(point, out, [&](const TrueValue& value) {
      return suite::around(setting_, *piece, value.reals, value.nearest, amount);
    });
  }

  std::optional<Diagnostic> over_boxes(const Choice& choice, std::vector<Values>& out) {
    std::vector<Interval> box;
    for (std::size_t k = 0; k < call_.arguments.size(); ++k) {
      const Values& values = *call_.arguments[k];
      Interval& range = box.emplace_back();
      if (values.scalar() == ir::Scalar::boolean) continue;
      for (std::int64_t i = 0; i < values.count(); ++i) {
        const Answers& x = answers(values)[i];
        if (const auto why = never_bounded(values.scalar(), x, static_cast<int>(k))) {
          out = all_of(semantics_, call_, *why);
          return std::nullopt;
        }
      }
      if (is_number(k))
        range = sound::input(rules_.setting(values.scalar(), setting_.operation), answers(values)->hull());
    }
    std::optional<Diagnostic> problem;
    sound::each_piece(setting_, choice, box, [&](const Piece* piece, const std::vector<Interval>& part, int outside) {
      if (problem) return;
      std::vector<Values> results;
      if (piece == nullptr) {
        results = all_of(semantics_, call_, undecided(Answers::anything(Cause::outside, setting_.operation, outside)));
      } else {
        problem = over_part(choice, *piece, part, results);
      }
      if (problem) return;
      if (out.empty()) out = std::move(results);
      else join(out, results, Joining::hull);
    });
    return problem;
  }

  std::optional<Diagnostic> over_part(const Choice& choice, const Piece& piece, const std::vector<Interval>& part,
                                      std::vector<Values>& out) {
    // Arguments that select a choice are cut to the part; a circuit or a primitive rule flushes them itself.
    const bool counts = counts_from_true_values(piece.kind);
    std::vector<Values> held;
    for (std::size_t k = 0; k < part.size(); ++k) {
      Values& values = held.emplace_back(copied(semantics_, *call_.arguments[k]));
      if (!ir::is_float(values.scalar())) continue;
      const bool cut = std::any_of(choice.pieces.begin(), choice.pieces.end(), [&](const Piece& each) {
        return std::any_of(each.domains.begin(), each.domains.end(),
                           [&](const Domain& domain) { return domain.argument == k; });
      });
      if (cut) {
        answers(values)[0] = Answers::of(part[k]);
      } else if (counts) {
        const Setting setting = rules_.setting(values.scalar(), setting_.operation);
        for (std::int64_t i = 0; i < values.count(); ++i) {
          answers(values)[i] = Answers::of(sound::input(setting, answers(values)[i].hull()));
        }
      }
    }
    std::vector<const Values*> arguments;
    for (const Values& values : held) arguments.push_back(&values);
    if (!counts) return by_other(piece, arguments, out);
    const double amount = piece.amount.steps() == 0 ? 0 : piece.amount.upper_bound(part.data());
    // The endpoints of an enclosure are rounded outward already: the slack only covers what f64 cannot distinguish.
    return by_true_values(arguments, out, [&](const TrueValue& value) {
      return sound::around(setting_, piece, value.reals, value.nearest, amount, setting_.kind.mask != 0 ? 0x1p-50 : 0);
    });
  }

  /// The answer for arguments to which no rule has a bounded answer.
  std::optional<Answers> never_bounded(ir::Scalar scalar, const Answers& x, int argument) const {
    if (x.unbounded) return x;
    if (!ir::is_float(scalar)) return std::nullopt;
    if (x.nan || x.count == 0) return undecided(Answers::anything(Cause::undefined, setting_.operation, argument));
    const bool finite = rules_.setting(scalar, setting_.operation).kind.is_finite(x.hull());
    if (!finite && setting_.indeterminate) {
      return undecided(Answers::anything(Cause::infinite, setting_.operation, argument));
    }
    return std::nullopt;
  }
  Answers undecided(Answers anything) const {
    return setting_.constant ? std::move(anything).with(Verdict::either, setting_.operation) : anything;
  }

  std::optional<Diagnostic> by_other(const Piece& piece, const std::vector<const Values*>& arguments,
                                     std::vector<Values>& out) {
    if (piece.kind == Piece::Kind::circuit) return machinery_.circuits.call(semantics_, piece.circuit, arguments, out);
    if (piece.kind == Piece::Kind::primitive) return by_primitive(piece, arguments, out);
    out = all_of(semantics_, call_, Answers::anything(Cause::stated, setting_.operation));
    return std::nullopt;
  }
  std::optional<Diagnostic> by_primitive(const Piece& piece, const std::vector<const Values*>& arguments,
                                         std::vector<Values>& out) {
    return diagnostic(vector_primitive(semantics_, machinery_.engine, piece, format_, arguments, out));
  }

  /// `allows` gives the answers for a true value.
  template <class Allows>
  std::optional<Diagnostic> by_true_values(const std::vector<const Values*>& arguments, std::vector<Values>& out,
                                           const Allows& allows) {
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const Values& values = *arguments[k];
      for (std::int64_t i = 0; ir::is_float(values.scalar()) && i < values.count(); ++i) {
        if (rules_.setting(values.scalar(), setting_.operation).kind.is_finite(answers(values)[i].hull())) continue;
        out = all_of(semantics_, call_, Answers::anything(Cause::infinite, setting_.operation, static_cast<int>(k)));
        return std::nullopt;
      }
    }
    std::vector<std::vector<TrueValue>> values;
    if (auto fault = machinery_.true_values.of(call_, arguments, values)) return diagnostic(*fault);
    out.clear();
    for (std::size_t k = 0; k < values.size(); ++k) {
      Values& to = out.emplace_back(semantics_, call_.results[k].scalar, call_.results[k].shape);
      for (std::size_t i = 0; i < values[k].size(); ++i) {
        const TrueValue& value = values[k][i];
        answers(to)[i] = value.anything.unbounded ? undecided(Answers::anything(Cause::undefined, setting_.operation))
                                                  : allows(value);
      }
    }
    return std::nullopt;
  }

  /// In a constant expression, an error in an argument makes the results errors.
  void take_verdicts(std::vector<Values>& out) const {
    if (!setting_.constant) return;
    Answers worst;
    for (const Values* values : call_.arguments) {
      if (values->scalar() == ir::Scalar::boolean) continue;
      for (std::int64_t i = 0; i < values->count(); ++i) {
        if (answers(*values)[i].verdict > worst.verdict) worst = answers(*values)[i];
      }
    }
    for (Values& values : out) {
      if (values.scalar() == ir::Scalar::boolean) continue;
      for (std::int64_t i = 0; i < values.count(); ++i) {
        Answers& to = answers(values)[i];
        if (to.verdict >= worst.verdict) continue;
        to.verdict = worst.verdict;
        to.verdict_operation = worst.verdict_operation;
      }
    }
  }

  const Machinery& machinery_;
  Semantics& semantics_;
  const Rules& rules_;
  const Semantics::Call& call_;
  const Rule& rule_;
  ir::Scalar format_;
  Setting setting_;
};

}  // namespace

Expected<bool> call(const Machinery& machinery, const Semantics::Call& call, std::vector<Values>& out) {
  const Rules& rules = machinery.engine.rules();
  std::vector<ir::Scalar> results, arguments;
  for (const auto& [scalar, shape] : call.results) results.push_back(scalar);
  for (const Values* values : call.arguments) arguments.push_back(values->scalar());
  const auto format = ir::ruled_format(results, arguments);
  const Rule* rule = format && rules.has(*format) ? rules.rule(call.name, *format) : nullptr;
  // The rule may be about another circuit of the same name.
  if (rule != nullptr && rule->definition.known() && call.definition.known() && rule->definition != call.definition) {
    rule = nullptr;
  }
  if (rule != nullptr) {
    if (auto problem = RuledCall(machinery, call, *rule, *format).run(out)) return std::move(*problem);
    return true;
  }
  const bool real = std::any_of(arguments.begin(), arguments.end(),
                                [&](ir::Scalar scalar) { return ir::is_float(scalar) && rules.has(scalar); });
  if (!rules.profile().endpoints_only || !real) return false;
  const AtCorner body = [&](const std::vector<const Values*>& point,
                            std::vector<Values>& at) -> std::optional<Diagnostic> {
    return diagnostic(call.body(machinery.semantics, point, at));
  };
  if (auto problem = at_corners(machinery.semantics, rules, call, unnamed_operation, body, out)) {
    return std::move(*problem);
  }
  return true;
}

}  // namespace reckon::interp::accept
