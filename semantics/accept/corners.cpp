#include "semantics/accept/corners.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/too_large.h"
#include "semantics/accept/primitives.h"
#include "semantics/accept/suite.h"
#include "semantics/accept/values.h"

namespace reckon::interp::accept {

namespace {

/// A larger number of choices is refused.
constexpr std::size_t max_choices = std::size_t{1} << 20;

bool finite(const NumberKind& kind, const Answers& x) {
  return !x.unbounded && !x.nan && x.count != 0 && kind.is_finite(x.hull());
}

std::vector<double> choices(const Setting& setting, const Answers& x) {
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

/// Why a result is not finite; nothing if all results are finite.
std::optional<Answers> not_finite(const Rules& rules, std::uint16_t operation, const std::vector<Values>& results) {
  for (const Values& values : results) {
    if (!ir::is_float(values.scalar())) continue;
    const NumberKind kind = rules.setting(values.scalar(), operation).kind;
    for (std::int64_t i = 0; i < values.count(); ++i) {
      const Answers& x = answers(values)[i];
      if (!finite(kind, x)) return x.unbounded ? x : Answers::anything(Cause::overflow, operation);
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<Values> all_of(Semantics& semantics, const Semantics::Call& call, const Answers& same) {
  std::vector<Values> out;
  for (const auto& [scalar, shape] : call.results) {
    Values& values = out.emplace_back(semantics, scalar, shape);
    if (scalar == ir::Scalar::boolean) {
      std::fill_n(values.data(), values.count(), static_cast<std::byte>(Truth::unknown));
    } else {
      std::fill_n(answers(values), values.count(), same);
    }
  }
  return out;
}

void join(std::vector<Values>& results, const std::vector<Values>& more, Joining how) {
  for (std::size_t k = 0; k < results.size(); ++k) {
    Values& to = results[k];
    for (std::int64_t i = 0; i < to.count(); ++i) {
      if (to.scalar() == ir::Scalar::boolean) {
        if (to.data()[i] != more[k].data()[i]) to.data()[i] = static_cast<std::byte>(Truth::unknown);
      } else if (ir::is_float(to.scalar()) && how == Joining::hull) {
        span(answers(to)[i], answers(more[k])[i]);
      } else {
        unite(answers(to)[i], answers(more[k])[i], how != Joining::alternatives || ir::is_integer(to.scalar()));
      }
    }
  }
}

std::optional<Diagnostic> at_corners(Semantics& semantics, const Rules& rules, const Semantics::Call& call,
                                     std::uint16_t operation, const AtCorner& at, std::vector<Values>& out) {
  struct Component {
    Answers* place;
    std::vector<double> choices;
  };
  std::vector<Values> points;
  for (const Values* from : call.arguments) points.push_back(copied(semantics, *from));
  std::vector<Component> components;
  for (std::size_t k = 0; k < points.size(); ++k) {
    Values& values = points[k];
    if (values.scalar() == ir::Scalar::boolean) continue;
    for (std::int64_t i = 0; i < values.count(); ++i) {
      Answers& x = answers(values)[i];
      // Integers are taken as they are: they have no ends to be rounded.
      const bool real = ir::is_float(values.scalar());
      const Setting setting = real ? rules.setting(values.scalar(), operation) : Setting{};
      if (real ? !finite(setting.kind, x) : x.unbounded) {
        out = all_of(semantics, call,
                     x.unbounded ? x : Answers::anything(Cause::infinite, operation, static_cast<int>(k)));
        return std::nullopt;
      }
      if (real) components.push_back({&x, choices(setting, x)});
    }
  }
  std::size_t total = 1;
  for (const Component& component : components) {
    total *= component.choices.size();
    if (total <= max_choices) continue;
    return Diagnostic(code::too_large, {},
                      fmt::format("`{}` has too many corners here to look at all of them", call.name))
        .help("give it fewer components that are intervals, or no numbers of the format");
  }
  std::vector<const Values*> arguments;
  for (const Values& values : points) arguments.push_back(&values);
  for (std::size_t which = 0; which < total; ++which) {
    std::size_t rest = which;
    for (const Component& component : components) {
      const double x = component.choices[rest % component.choices.size()];
      *component.place = Answers::of({x, x});
      rest /= component.choices.size();
    }
    std::vector<Values> results;
    if (auto problem = at(arguments, results)) return problem;
    if (which == 0) out = std::move(results);
    else join(out, results, Joining::hull);
    if (const auto why = not_finite(rules, operation, out)) {
      out = all_of(semantics, call, *why);
      return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace reckon::interp::accept
