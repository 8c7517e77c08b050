#include "check/rational_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "check/comparisons.h"
#include "check/inputs.h"
#include "check/reads.h"
#include "check/sizes.h"
#include "driver/prepare.h"
#include "interp/circuit_cache.h"
#include "ir/visit.h"
#include "numerics/format.h"
#include "semantics/standard.h"

namespace reckon::check {

namespace {

constexpr int max_evaluations = 1200;
constexpr std::size_t few_candidates = 5;  ///< if the numbers at 0 and 1 are irrational or do not exist
constexpr std::size_t max_rational_elements = 4096;  ///< of all inputs together
/// Larger inputs take longer and meet no more conditions; for these, only 0, 1 and -1 everywhere are tried.
constexpr std::int64_t few_elements = 16;
constexpr std::size_t bases = 10, variables_each = 4;
constexpr std::int64_t precision = 256;  ///< bits

/// The value of an element that is not moved.
mpq_class base_value(std::size_t base, std::size_t position) {
  constexpr std::array<long, 7> squares{4, 2, 1, 9, 3, 16, 5}, signs{3, -2, 5, -1, 7, -4, 2}, turned{2, 4, 1, -1, 6, 8, -3}, mixed{-1, 2, 1, -2, 1, 3, 5};
  switch (base) {
    case 0: return static_cast<long>(position % 4 + 1);
    case 1: return 1;
    case 2: return squares[position % squares.size()];
    case 3: return 0;
    case 4: return signs[position % signs.size()];
    case 5: return static_cast<long>(2 + position % 2);
    case 7: return mpq_class(mixed[position % mixed.size()]) / (position % 3 == 2 ? 2 : 1);
    case 8: return mpq_class(mixed[(position + 3) % mixed.size()]) / (position % 3 == 1 ? 2 : 1);
    case 6: return turned[position % turned.size()];
    default: return mpq_class(static_cast<long>(position % 5) + 1, 2);
  }
}

std::size_t count_of(const std::vector<std::int64_t>& shape) {
  std::size_t out = 1;
  for (const std::int64_t extent : shape) out *= static_cast<std::size_t>(extent);
  return out;
}

/// The elements that are moved: one element of a parameter, or all of them together.
struct Variable {
  std::size_t parameter;
  std::optional<std::size_t> element;
  friend auto operator<=>(const Variable&, const Variable&) = default;
};

std::optional<mpq_class> root_of(const mpq_class& square) {
  if (square < 0 || !mpz_perfect_square_p(square.get_num_mpz_t()) || !mpz_perfect_square_p(square.get_den_mpz_t())) return std::nullopt;
  return mpq_class(sqrt(square.get_num()), sqrt(square.get_den()));
}

/// The rational roots of the polynomial of degree 2 at most that has these values at 0, 1 and 2.
std::vector<mpq_class> roots(const mpq_class& at0, const mpq_class& at1, const mpq_class& at2) {
  const mpq_class a = (at2 - 2 * at1 + at0) / 2, b = at1 - at0 - a;
  if (a == 0) return b == 0 ? std::vector<mpq_class>{} : std::vector<mpq_class>{mpq_class(-at0 / b)};
  const auto root = root_of(b * b - 4 * a * at0);
  if (!root) return {};
  return {mpq_class((-b + *root) / (2 * a)), mpq_class((-b - *root) / (2 * a))};
}

class RationalPointFinder {
 public:
  RationalPointFinder(ir::Module& module, const ir::Function& left, const std::vector<frontend::RangeClause>& ranges,
         interp::Semantics& exact, RationalPoints& out, std::size_t most)
      : module_(module), function_(left), ranges_(ranges), exact_(exact), circuits_(module), out_(out), most_(most) {
    function_.requirements.clear();
    function_.result_storage.clear();
  }

  void run(const std::vector<Comparison>& comparisons, const std::vector<mpq_class>& constants) {
    candidates_ = {0, 1, 2, 3, 4, mpq_class(1, 2), -1, -2, 9, 10, 16};
    for (const mpq_class& constant : constants) {
      if (candidates_.size() < 24) candidates_.push_back(constant);
    }
    for (const Comparison& comparison : comparisons) {
      if (!ir::is_float(module_.type(comparison.left).scalar)) continue;
      Condition condition{comparison, {}};
      for (const Place& place : places_of(module_, out_.shapes, {comparison.left, comparison.right})) {
        condition.variables.insert({place.parameter, static_cast<std::size_t>(place.element)});
        if (!out_.shapes[place.parameter].empty()) condition.variables.insert({place.parameter, std::nullopt});
      }
      if (!condition.variables.empty()) conditions_.push_back(std::move(condition));
    }
    ends();
    if (conditions_.empty()) return;
    for (std::size_t base = 0; base < bases; ++base) {
      const RationalPoint plain = base_point(base);
      add(plain);
      for (std::size_t k = 0; k < plain.size(); ++k) {
        RationalPoint turned = plain;
        for (mpq_class& value : turned[k]) value = allowed(k, -value);
        add(std::move(turned));
      }
    }
    for (std::size_t base = 0; base < bases; ++base) {
      for (const Condition& condition : conditions_) each_alone(condition, base);
      if (conditions_.size() > 1) together(base);
    }
  }

 private:
  struct Condition {
    Comparison comparison;
    std::set<Variable> variables;
  };

  bool is_full() const { return out_.points.size() >= most_ || evaluations_ >= max_evaluations; }

  RationalPoint base_point(std::size_t base) const {
    RationalPoint out;
    std::size_t position = 0;
    for (std::size_t k = 0; k < out_.shapes.size(); ++k) {
      std::vector<mpq_class>& values = out.emplace_back();
      for (std::size_t i = 0; i < count_of(out_.shapes[k]); ++i)
        values.push_back(allowed(k, base_value(base, position++)));
    }
    return out;
  }

  /// The number if the parameter's range allows it, otherwise a number of the range.
  mpq_class allowed(std::size_t parameter, const mpq_class& value) const {
    for (const frontend::RangeClause& range : ranges_) {
      if (range.parameter != parameter || is_allowed(ranges_, parameter, value)) continue;
      if (range.sign != 0) return value == 0 ? mpq_class(range.sign) : mpq_class(-value);
      const mpq_class part = (abs(value) - floor_of(abs(value) / 8) * 8) / 8;
      return range.low + part * (range.high - range.low);
    }
    return value;
  }
  static mpz_class floor_of(const mpq_class& value) {
    mpz_class out;
    mpz_fdiv_q(out.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
    return out;
  }

  static RationalPoint moved(const RationalPoint& from, const Variable& variable, const mpq_class& to) {
    RationalPoint out = from;
    std::vector<mpq_class>& values = out[variable.parameter];
    if (variable.element) values[*variable.element] = to;
    else std::ranges::fill(values, to);
    return out;
  }

  void add(RationalPoint point) {
    if (out_.points.size() < most_ && known_.insert(point).second) out_.points.push_back(std::move(point));
  }

  /// By how much the left side is larger, where both are rational.
  std::optional<mpq_class> difference(const Comparison& comparison, const RationalPoint& point) {
    if (++evaluations_ > max_evaluations) return std::nullopt;
    function_.body = module_.tuple({comparison.left, comparison.right});
    function_.result = module_[function_.body].type;
    interp::EvaluateOptions options;
    options.circuits = &circuits_;
    const auto arguments = exact_arguments(module_, function_, exact_, out_, point);
    if (arguments.empty()) return std::nullopt;
    const auto sides = interp::evaluate(module_, function_, exact_, arguments, {}, options);
    if (!sides || sides->size() != 2) return std::nullopt;
    std::array<mpq_class, 2> values;
    for (std::size_t k = 0; k < 2; ++k) {
      const interp::Values& side = (*sides)[k];
      auto value = exact_.rational(side.scalar(), side.data());
      if (!value) return std::nullopt;
      values[k] = std::move(*value);
    }
    return mpq_class(values[0] - values[1]);
  }

  /// The values of the variable at which the two sides of the condition are equal.
  std::vector<mpq_class> borders(const Condition& condition, const RationalPoint& from, const Variable& variable) {
    const auto at = [&](const mpq_class& value) { return difference(condition.comparison, moved(from, variable, value)); };
    std::vector<mpq_class> out;
    const auto keep = [&](const mpq_class& value) {
      if (is_allowed(ranges_, variable.parameter, value) && std::ranges::find(out, value) == out.end()) out.push_back(value);
    };
    const auto at0 = at(0), at1 = at(1);
    const auto at2 = at0 || at1 ? at(2) : std::nullopt;
    if (at0 && *at0 == 0) keep(0);
    if (at1 && *at1 == 0) keep(1);
    if (at2 && *at2 == 0) keep(2);
    if (at0 && at1 && at2) {
      for (const mpq_class& root : roots(*at0, *at1, *at2)) {
        if (const auto there = at(root); there && *there == 0) keep(root);
      }
    }
    const std::size_t tried = at0 || at1 ? candidates_.size() : few_candidates;
    for (std::size_t k = 3; k < tried && out.empty(); ++k) {
      if (const auto there = at(candidates_[k]); there && *there == 0) keep(candidates_[k]);
    }
    return out;
  }

  void each_alone(const Condition& condition, std::size_t base) {
    const RationalPoint from = base_point(base);
    std::size_t tried = 0;
    for (const Variable& variable : condition.variables) {
      if (is_full() || tried++ == variables_each) return;
      for (const mpq_class& border : borders(condition, from, variable)) {
        add(moved(from, variable, border));
        for (const mpq_class& side : {mpq_class(1, 4096), mpq_class(-1, 4096), mpq_class(1), mpq_class(-1)}) {
          const mpq_class beside = border + side;
          if (base < 2 && is_allowed(ranges_, variable.parameter, beside)) add(moved(from, variable, beside));
        }
      }
    }
  }

  /// Meets one condition after another, each by a variable not moved before: at all boundaries, and on chosen sides.
  void together(std::size_t base) {
    constexpr std::size_t patterns = 6;
    for (std::size_t pattern = 0; pattern < patterns && !is_full(); ++pattern) {
      for (const bool backwards : {false, true}) {
        RationalPoint point = base_point(base);
        std::set<Variable> used;
        for (std::size_t step = 0; step < conditions_.size(); ++step) {
          const std::size_t k = backwards ? conditions_.size() - 1 - step : step;
          for (const Variable& variable : conditions_[k].variables) {
            if (used.contains(variable)) continue;
            const auto found = borders(conditions_[k], point, variable);
            if (found.empty()) continue;
            const bool above = pattern == 1 || (pattern > 2 && (step + pattern) % 2 == 0);
            const mpq_class side = pattern == 0 ? mpq_class(0) : mpq_class(above ? 1 : -1, pattern == 5 ? 1024 : 1);
            const mpq_class to = found.front() + side;
            if (!is_allowed(ranges_, variable.parameter, to)) continue;
            point = moved(point, variable, to);
            used.insert(variable);
            if (!variable.element) {
              for (std::size_t i = 0; i < point[variable.parameter].size(); ++i) used.insert({variable.parameter, i});
            }
            break;
          }
        }
        if (!used.empty()) add(point);
      }
    }
  }

  /// Tries every choice of endpoints for the first few parameters that have a range.
  void ends() {
    std::vector<const frontend::RangeClause*> ranged;
    for (const frontend::RangeClause& range : ranges_) {
      if (range.sign == 0 && ranged.size() < 4) ranged.push_back(&range);
    }
    if (ranged.empty()) return;
    for (std::size_t choice = 0; choice < std::size_t{1} << ranged.size(); ++choice) {
      RationalPoint point = base_point(0);
      for (std::size_t k = 0; k < ranged.size(); ++k) {
        std::ranges::fill(point[ranged[k]->parameter], (choice >> k & 1) != 0 ? ranged[k]->high : ranged[k]->low);
      }
      add(std::move(point));
    }
  }

  ir::Module& module_;
  ir::Function function_;
  const std::vector<frontend::RangeClause>& ranges_;
  interp::Semantics& exact_;
  interp::CircuitCache circuits_;
  RationalPoints& out_;
  std::size_t most_;
  std::vector<Condition> conditions_;
  std::vector<mpq_class> candidates_;
  std::set<RationalPoint> known_;
  int evaluations_ = 0;
};

}  // namespace

RationalPoints rational_points(ir::Module& module, const ir::Function& left, const ir::Function& right,
                               const ir::Dimensions& sizes, const std::vector<frontend::RangeClause>& ranges,
                               std::size_t most) {
  RationalPoints out;
  const auto exact = interp::reals(precision);
  const ir::Function first = ir::instantiate(module, left, sizes);
  std::int64_t elements = 0;
  for (const ir::Parameter& parameter : first.parameters) {
    const ir::Type& type = module.types()[parameter.type];
    if (type.kind == ir::TypeKind::tuple || !ir::is_float(type.scalar)) return out;
    std::vector<std::int64_t> shape;
    std::size_t count = 1;
    for (const ir::IndexId extent : type.extents) {
      const auto size = module.indices().as_constant(extent);
      if (!size || *size < 0 || *size > static_cast<std::int64_t>(max_rational_elements)) return out;
      count *= static_cast<std::size_t>(*size);
      shape.push_back(*size);
    }
    if ((elements += static_cast<std::int64_t>(count)) > static_cast<std::int64_t>(max_rational_elements)) return out;
    out.shapes.push_back(std::move(shape));
  }
  if (out.shapes.empty()) return out;
  if (elements > few_elements && index_values(sizes) > few_elements) {
    for (const long value : {0, 1, -1}) {
      RationalPoint& point = out.points.emplace_back();
      for (std::size_t k = 0; k < out.shapes.size(); ++k) {
        point.emplace_back(count_of(out.shapes[k]), mpq_class(value));
        if (!is_allowed(ranges, k, value)) {
          out.points.pop_back();
          break;
        }
      }
    }
    return out;
  }
  const auto second = driver::at_shapes(module, right, out.shapes);
  if (!second) return out;
  std::vector<mpq_class> constants;
  ir::visit_nodes(module, {first.body, second->body}, [&](ir::NodeId id) {
    if (module[id].op == ir::Op::literal && module.literal_of(id).kind == ir::Literal::Kind::rational) {
      constants.push_back(module.literal_of(id).value);
    }
  });
  RationalPointFinder(module, first, ranges, *exact, out, most)
      .run(comparisons_of(module, module.tuple({first.body, second->body}), 0), constants);
  return out;
}

std::vector<interp::Argument> exact_arguments(const ir::Module& module, const ir::Function& circuit,
                                              const interp::Semantics& exact, const RationalPoints& of,
                                              const RationalPoint& point) {
  std::vector<interp::Argument> out;
  for (std::size_t k = 0; k < point.size(); ++k) {
    const ir::Scalar scalar = module.types()[circuit.parameters[k].type].scalar;
    auto values = std::make_shared<interp::Values>(exact, scalar, of.shapes[k]);
    for (std::size_t i = 0; i < point[k].size(); ++i) {
      ir::Literal literal;
      literal.kind = ir::Literal::Kind::rational;
      literal.value = point[k][i];
      if (exact.literal(literal, scalar, values->data() + i * exact.size(scalar))) return {};
    }
    out.emplace_back(interp::MadeTensor{scalar, of.shapes[k], std::move(values)});
  }
  return out;
}

std::optional<std::vector<ir::HostTensor>> floats_of(const ir::Module& module, const ir::Function& circuit,
                                                     const RationalPoints& of, const RationalPoint& point) {
  auto out = nearest_floats(module, circuit, of, point, {});
  for (std::size_t k = 0; out && k < out->size(); ++k) {
    const ir::HostTensor& tensor = (*out)[k];
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
      const auto value = numerics::exact_value(tensor.bits(i), ir::format_of(tensor.scalar));
      if (!value || *value != point[k][static_cast<std::size_t>(i)]) return std::nullopt;
    }
  }
  return out;
}

std::vector<WitnessInput> shown_inputs(const ir::Module& module, const ir::Function& circuit, const RationalPoints& of,
                                       const RationalPoint& point) {
  constexpr std::size_t max_written_out = 64, max_shown = 8;
  std::vector<WitnessInput> out;
  for (std::size_t k = 0; k < point.size(); ++k) {
    WitnessInput input{std::string(module.name(circuit.parameters[k].name)), {}, {}};
    for (const mpq_class& value : point[k]) input.elements.push_back(numerics::rational_text(value));
    if (!of.shapes[k].empty() && point[k].size() <= max_written_out) {
      input.expression = nested_text(input.elements, of.shapes[k]);
      input.elements.clear();
    } else if (std::ranges::all_of(point[k], [&](const mpq_class& value) { return value == point[k].front(); })) {
      input.expression = of.shapes[k].empty() ? "" : input.elements.front() + " everywhere";
      input.elements.resize(of.shapes[k].empty() ? 1 : 0);
    } else {
      const std::size_t shown = std::min(input.elements.size(), max_shown);
      input.left_out = static_cast<std::int64_t>(input.elements.size() - shown);
      input.elements.resize(shown);
    }
    out.push_back(std::move(input));
  }
  return out;
}

std::optional<std::vector<ir::HostTensor>> nearest_floats(const ir::Module& module, const ir::Function& circuit,
                                                          const RationalPoints& of, const RationalPoint& point,
                                                          const std::vector<frontend::RangeClause>& ranges) {
  std::vector<ir::HostTensor> out;
  for (std::size_t k = 0; k < point.size(); ++k) {
    const ir::Scalar scalar = module.types()[circuit.parameters[k].type].scalar;
    ir::HostTensor tensor(scalar, of.shapes[k]);
    for (std::size_t i = 0; i < point[k].size(); ++i) {
      const std::uint64_t bits = numerics::round_rational(point[k][i], ir::format_of(scalar));
      const auto rounded = numerics::exact_value(bits, ir::format_of(scalar));
      if (!rounded || !is_allowed(ranges, k, *rounded)) return std::nullopt;
      tensor.set_bits(static_cast<std::int64_t>(i), bits);
    }
    out.push_back(std::move(tensor));
  }
  return out;
}

}  // namespace reckon::check
