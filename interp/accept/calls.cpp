#include "interp/accept/calls.h"

#include <fmt/format.h>

#include "interp/accept/orders.h"
#include "interp/accept/primitives.h"
#include "interp/accept/sound.h"
#include "interp/accept/suite.h"
#include "interp/accept/vector_primitives.h"

namespace reckon::interp::accept {

namespace {

/// More choices of corners than this are refused.
constexpr std::size_t most_choices = std::size_t{1} << 20;

const Answers* answers(const Values& values) { return reinterpret_cast<const Answers*>(values.data()); }
Answers* answers(Values& values) { return reinterpret_cast<Answers*>(values.data()); }

Diagnostic diagnostic(const Fault& fault) {
  Diagnostic out(fault.code, {}, fault.message);
  if (!fault.help.empty()) out.helps.push_back(fault.help);
  return out;
}

bool finite(const NumberKind& kind, const Answers& x) {
  return !x.unbounded && !x.nan && x.count != 0 && kind.is_finite(x.hull());
}

void make_unbounded(std::vector<Values>& out, const Answers& why) {
  for (Values& values : out) {
    if (values.scalar() == ir::Scalar::boolean) {
      std::fill_n(values.data(), values.count(), static_cast<std::byte>(Truth::unknown));
      continue;
    }
    std::fill_n(answers(values), values.count(), why);
  }
}

/// Runs a body at every choice of the arguments' components.
class Corners {
 public:
  Corners(Semantics& semantics, const Rules& rules, const std::vector<const Values*>& arguments)
      : semantics_(semantics), rules_(rules) {
    for (const Values* from : arguments) {
      Values copy(semantics, from->scalar(), from->shape());
      std::copy_n(from->data(), static_cast<std::size_t>(from->count()) * semantics.size(from->scalar()), copy.data());
      points_.push_back(std::move(copy));
    }
  }

  std::optional<Fault> run(std::string_view name, const Semantics::Circuit& body, std::vector<Values>& out) {
    std::vector<const Values*> arguments;
    for (const Values& values : points_) arguments.push_back(&values);
    std::optional<Answers> unbounded;
    for (std::size_t k = 0; k < points_.size(); ++k) {
      Values& values = points_[k];
      if (!ir::is_float(values.scalar())) {
        if (values.scalar() == ir::Scalar::u32) integers_known(values, unbounded);
        continue;
      }
      const Setting setting = rules_.setting(values.scalar(), unnamed_operation);
      for (std::int64_t i = 0; i < values.count(); ++i) {
        Answers& x = answers(values)[i];
        if (!finite(setting.kind, x)) {
          if (!unbounded) {
            unbounded = x.unbounded ? x : Answers::anything(Cause::infinite, unnamed_operation, static_cast<int>(k));
          }
          continue;
        }
        components_.push_back({&x, choices(setting, x)});
      }
    }
    if (unbounded) {  // evaluated all the same, for the result's shape
      if (auto fault = body(arguments, out)) return fault;
      make_unbounded(out, *unbounded);
      return std::nullopt;
    }
    std::size_t total = 1;
    for (const Component& component : components_) {
      total *= component.choices.size();
      if (total > most_choices) {
        return Fault{Code::too_large, fmt::format("`{}` has too many corners here to look at all of them", name),
                     "give it fewer components that are intervals, or no numbers of the format"};
      }
    }
    for (std::size_t which = 0; which < total; ++which) {
      std::size_t rest = which;
      for (const Component& component : components_) {
        const double x = component.choices[rest % component.choices.size()];
        *component.place = Answers::of({x, x});
        rest /= component.choices.size();
      }
      std::vector<Values> results;
      if (auto fault = body(arguments, results)) return fault;
      if (which == 0) out = std::move(results);
      else join(out, results);
      if (const Answers* why = not_finite(out)) {
        make_unbounded(out, *why);
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

 private:
  /// Integers are what they are: there is no end to look at.
  static void integers_known(const Values& values, std::optional<Answers>& unbounded) {
    for (std::int64_t i = 0; i < values.count() && !unbounded; ++i) {
      if (answers(values)[i].unbounded) unbounded = answers(values)[i];
    }
  }

  struct Component {
    Answers* place;
    std::vector<double> choices;
  };
  static std::vector<double> choices(const Setting& setting, const Answers& x) {
    std::vector<double> out;
    const auto add = [&](double end) {
      const suite::Inputs inputs = suite::inputs(setting.kind, setting.flush_inputs, end);
      for (int k = 0; k < inputs.count; ++k) {
        if (std::find(out.begin(), out.end(), inputs.values[k]) == out.end()) out.push_back(inputs.values[k]);
      }
    };
    for (std::size_t p = 0; p < x.count; ++p) {
      add(x.parts[p].low);
      add(x.parts[p].high);
    }
    return out;
  }

  static void join(std::vector<Values>& out, const std::vector<Values>& more) {
    for (std::size_t k = 0; k < out.size(); ++k) {
      for (std::int64_t i = 0; i < out[k].count(); ++i) {
        if (ir::is_float(out[k].scalar())) span(answers(out[k])[i], answers(more[k])[i]);
        else if (out[k].scalar() == ir::Scalar::u32) unite(answers(out[k])[i], answers(more[k])[i], true);
        else if (out[k].data()[i] != more[k].data()[i]) out[k].data()[i] = static_cast<std::byte>(Truth::unknown);
      }
    }
  }
  const Answers* not_finite(const std::vector<Values>& out) {
    for (const Values& values : out) {
      if (!ir::is_float(values.scalar())) continue;
      const NumberKind kind = rules_.setting(values.scalar(), unnamed_operation).kind;
      for (std::int64_t i = 0; i < values.count(); ++i) {
        const Answers& x = answers(values)[i];
        if (finite(kind, x)) continue;
        why_ = x.unbounded ? x : Answers::anything(Cause::overflow, unnamed_operation);
        return &why_;
      }
    }
    return nullptr;
  }

  Semantics& semantics_;
  const Rules& rules_;
  std::vector<Values> points_;
  std::vector<Component> components_;
  Answers why_;
};

/// Choices that are one circuit of scalars each, element by element.
std::optional<Fault> of_circuits(const Rules& rules, const RunCircuit& run, const Rule& rule, ir::Scalar scalar,
                                 const std::vector<const Values*>& arguments, Values& out) {
  const Setting setting = rules.setting(scalar, unnamed_operation);
  const auto count = static_cast<std::size_t>(out.count());
  for (const Choice& choice : rule.choices) {
    Jobs jobs;
    jobs.arity = static_cast<int>(arguments.size());
    std::vector<Answers> one(count);
    for (std::size_t i = 0; i < count; ++i) {
      Interval box[3];
      bool bounded = true;
      for (std::size_t k = 0; k < arguments.size(); ++k) {
        const Answers& x = answers(*arguments[k])[arguments[k]->count() == 1 ? 0 : i];
        if (setting.indeterminate && !finite(setting.kind, x)) {
          one[i] = x.unbounded ? x : Answers::anything(Cause::infinite, unnamed_operation, static_cast<int>(k));
          bounded = false;
          break;
        }
        if (x.unbounded || x.count == 0 || x.nan) {
          one[i] = x.unbounded ? x : Answers::anything(Cause::undefined, unnamed_operation, static_cast<int>(k));
          bounded = false;
          break;
        }
        box[k] = x.hull();
      }
      if (!bounded) continue;
      const auto add = [&](const Interval* part) {
        for (std::size_t k = 0; k < arguments.size(); ++k) jobs.arguments.push_back(Answers::of(part[k]));
        jobs.slots.push_back(i);
      };
      if (!setting.ends) {
        add(box);
        continue;
      }
      suite::each_choice(setting, box, jobs.arity, [&](const double* point) {
        Interval part[3];
        for (std::size_t k = 0; k < arguments.size(); ++k) part[k] = {point[k], point[k]};
        add(part);
      });
    }
    std::vector<Answers> results;
    if (!jobs.slots.empty()) {
      if (auto fault = run(choice.pieces[0].circuit, scalar, jobs, results)) return fault;
    }
    for (std::size_t k = 0; k < results.size(); ++k) span(one[jobs.slots[k]], results[k]);
    for (std::size_t i = 0; i < count; ++i) {
      Answers& to = answers(out)[i];
      if (&choice == &rule.choices.front()) to = one[i];
      else if (rule.hull) span(to, one[i]);
      else unite(to, one[i], !setting.ends);
    }
  }
  return std::nullopt;
}

}  // namespace

Expected<bool> call(Semantics& semantics, const Engine& engine, const RunCircuit& run, std::string_view name,
                    const std::vector<const Values*>& arguments, const Semantics::Circuit& body,
                    std::vector<Values>& out) {
  const Rules& rules = engine.rules();
  const Values* first = nullptr;
  for (const Values* values : arguments) {
    if (first == nullptr && ir::is_float(values->scalar())) first = values;
  }
  if (first == nullptr) {  // of integers: the one format that has a rule of its own
    for (const ir::Scalar scalar : rules.profile().formats) {
      const Rule* rule = rules.has(scalar) ? rules.rule(name, scalar) : nullptr;
      if (rule == nullptr || rule->choices[0].pieces[0].kind != Piece::Kind::primitive) continue;
      const auto done = vector_primitive(semantics, engine, name, nullptr, scalar, arguments, out);
      if (!done || *done) return done;
    }
    return false;
  }
  if (!rules.has(first->scalar())) return false;
  if (const Rule* rule = rules.rule(name, first->scalar())) {
    const Piece* piece =
        rule->choices.size() == 1 && rule->choices[0].pieces.size() == 1 ? &rule->choices[0].pieces[0] : nullptr;
    if (piece != nullptr && piece->kind == Piece::Kind::primitive) {
      const auto done = vector_primitive(semantics, engine, name, piece->primitive, first->scalar(), arguments, out);
      if (!done) return done.error();
      if (*done) return true;
      return Diagnostic(Code::unsupported_operation, {},
                        fmt::format("there is no primitive rule for `{}` with these arguments", name));
    }
    bool circuits = arguments.size() <= 3;
    for (const Choice& choice : rule->choices) {
      circuits &= choice.pieces.size() == 1 && choice.pieces[0].domains.empty() && choice.pieces[0].circuit >= 0;
    }
    if (circuits) {
      out.emplace_back(semantics, first->scalar(), first->shape());
      if (auto fault = of_circuits(rules, run, *rule, first->scalar(), arguments, out.back()))
        return diagnostic(*fault);
      return true;
    }
  }
  if (!rules.profile().ends) return false;
  if (auto fault = Corners(semantics, rules, arguments).run(name, body, out)) return diagnostic(*fault);
  return true;
}

}  // namespace reckon::interp::accept
