#include "check/conditions.h"

#include <algorithm>
#include <array>
#include <set>

#include "check/comparisons.h"
#include "check/inputs.h"
#include "check/preimages.h"
#include "check/reads.h"
#include "driver/prepare.h"
#include "interp/circuit_cache.h"
#include "interp/evaluate.h"
#include "ir/integer.h"
#include "numerics/format.h"
#include "semantics/standard.h"

namespace reckon::check {
namespace {

using ir::HostTensor;
using Point = std::vector<HostTensor>;

constexpr int max_branch_evaluations = 6000;
constexpr int secants = 12, bisections = 100;
constexpr std::size_t places_for_each = 3;
constexpr std::size_t max_points = 384, max_joint = 48;
constexpr std::int64_t max_input_elements = 1 << 16;  ///< of one input
/// The random inputs that the search starts from lie between -s and s, or between 0 and s.
struct Start {
  long scale;
  bool positive;
};
constexpr std::array<Start, 4> starts{{{1, false}, {8, true}, {8, false}, {64, true}}};

/// An element as a number; nothing for infinities and NaN.
std::optional<mpq_class> number(std::uint64_t bits, ir::Scalar scalar) {
  if (ir::is_integer(scalar)) return mpq_class(ir::integer_of(scalar, bits));
  if (!ir::is_float(scalar)) return mpq_class(static_cast<unsigned long>(bits));
  return numerics::exact_value(bits, ir::format_of(scalar));
}
/// The pattern of the nearest number of the type.
std::uint64_t nearest(const mpq_class& value, ir::Scalar scalar) {
  if (ir::is_float(scalar)) return numerics::round_rational(value, ir::format_of(scalar));
  const mpq_class up = value + mpq_class(1, 2);
  mpz_class whole;
  mpz_fdiv_q(whole.get_mpz_t(), up.get_num_mpz_t(), up.get_den_mpz_t());
  if (!ir::is_integer(scalar)) return whole > 0 ? 1 : 0;
  return ir::integer_pattern(scalar, std::clamp(whole, ir::least_integer(scalar), ir::greatest_integer(scalar)));
}

/// The distance from an element of an input to the next value of its type.
mpq_class step_at(const Point& point, const Place& place) {
  const HostTensor& tensor = point[place.parameter];
  if (!ir::is_float(tensor.scalar)) return 1;
  return numerics::ulp(tensor.bits(place.element), ir::format_of(tensor.scalar));
}

/// A comparison, the elements that its sides read, and inputs that make the sides equal as far as inverting finds them.
struct Condition {
  Comparison comparison;
  std::vector<Place> places;
  std::vector<Preimage> preimages;
};

/// A point at the border of a condition, and the element that was moved to get there.
struct Solved {
  Point point;
  Place place;
  const Condition* condition;
};

class ConditionBoundaries {
 public:
  ConditionBoundaries(ir::Module& module, ir::Function function, interp::Semantics& semantics,
                      const std::vector<frontend::RangeClause>& ranges)
      : module_(module), function_(std::move(function)), semantics_(semantics), ranges_(ranges), circuits_(module) {
    function_.requirements.clear();
  }

  bool exhausted() const { return evaluations_ >= max_branch_evaluations; }

  mpq_class value(const Point& point, const Place& place) const {
    const HostTensor& tensor = point[place.parameter];
    return *number(tensor.bits(place.element), tensor.scalar);
  }
  /// The point with another value at that place, rounded to the input's format; nothing if the value leaves the range.
  std::optional<Point> with(const Point& point, const Place& place, const mpq_class& value) const {
    return with_bits(point, place, nearest(value, point[place.parameter].scalar));
  }
  std::optional<Point> with_bits(const Point& point, const Place& place, std::uint64_t bits) const {
    const auto rounded = number(bits, point[place.parameter].scalar);
    if (!rounded || !is_allowed(ranges_, place.parameter, *rounded)) return std::nullopt;
    Point out = point;
    out[place.parameter].set_bits(place.element, bits);
    return out;
  }

  /// Points at which the two sides of the comparison are equal, or two neighbours between which their order changes;
  /// nothing if moving that element finds no such points.
  std::vector<Point> solve(const Comparison& comparison, const Point& from, const Place& place) {
    struct Sample {
      mpq_class at, difference;
    };
    std::optional<Sample> below, above;  // the last sample of each sign
    std::vector<Point> out;
    const auto sample = [&](const mpq_class& at) -> std::optional<Sample> {
      const auto there = with(from, place, at);
      if (!there) return std::nullopt;
      const auto apart = difference(comparison, *there);
      if (!apart) return std::nullopt;
      Sample found{value(*there, place), *apart};
      if (found.difference == 0) out = {*there};
      else (found.difference < 0 ? below : above) = found;
      return found;
    };
    const mpq_class start = value(from, place);
    auto a = sample(start);
    if (!a || !out.empty()) return out;
    std::optional<Sample> b;
    for (const mpq_class& step :
         {mpq_class(1), mpq_class(-1), mpq_class(1, 16), mpq_class(-1, 16), mpq_class(-start)}) {
      b = sample(start + step);
      if (!out.empty()) return out;
      if (b && b->difference != a->difference) break;
      b.reset();
    }
    if (!b) return {};
    for (int k = 0; k < secants; ++k) {
      const mpq_class slope = (b->difference - a->difference) / (b->at - a->at);
      if (slope == 0) break;
      const auto next = sample(b->at - b->difference / slope);
      if (!out.empty()) return out;
      if (!next || next->at == a->at || next->at == b->at) break;
      a = std::exchange(b, next);
    }
    for (int k = 0; below && above && k < bisections; ++k) {
      const mpq_class low = below->at, high = above->at;
      const auto middle = sample((low + high) / 2);
      if (!out.empty() || !middle) return out;
      if (middle->at != low && middle->at != high) continue;
      return {*with(from, place, low), *with(from, place, high)};
    }
    return {};
  }

  /// Points at the boundary of the condition, found by moving one element of `from` other than `except`. `turn` chooses
  /// which elements are tried first.
  std::vector<Solved> meet(const Condition& condition, const Point& from, std::size_t turn, const Place* except) {
    std::vector<Solved> out;
    for (const Preimage& each : condition.preimages) {
      if (except && each.place == *except) continue;
      auto point = with_bits(from, each.place, each.bits);
      if (!point) continue;
      // The inverse of a function is rounded, so the boundary may lie beside the preimage.
      for (Point& beside : solve(condition.comparison, *point, each.place)) {
        out.push_back({std::move(beside), each.place, &condition});
      }
      out.push_back({std::move(*point), each.place, &condition});
    }
    const std::vector<Place>& places = condition.places;
    for (std::size_t k = 0; k < std::min(places.size(), places_for_each) && out.empty(); ++k) {
      const Place& place = places[(turn + k) % places.size()];
      if (except && place == *except) continue;
      for (Point& point : solve(condition.comparison, from, place)) {
        out.push_back({std::move(point), place, &condition});
      }
    }
    return out;
  }

 private:
  std::optional<mpq_class> difference(const Comparison& comparison, const Point& point) {
    if (++evaluations_ > max_branch_evaluations) return std::nullopt;
    function_.body = module_.tuple({comparison.left, comparison.right});
    function_.result = module_[function_.body].type;
    const std::vector<interp::Argument> arguments(point.begin(), point.end());
    interp::EvaluateOptions options;
    options.circuits = &circuits_;
    const auto sides = interp::evaluate(module_, function_, semantics_, arguments, {}, options);
    if (!sides || sides->size() != 2) return std::nullopt;
    std::array<mpq_class, 2> values;
    for (std::size_t k = 0; k < 2; ++k) {
      const interp::Values& side = (*sides)[k];
      const auto bits = semantics_.bits(side.scalar(), side.at(0));
      const auto exact = bits ? number(*bits, side.scalar()) : std::nullopt;
      if (!exact) return std::nullopt;
      values[k] = *exact;
    }
    return mpq_class(values[0] - values[1]);
  }

  ir::Module& module_;
  ir::Function function_;
  interp::Semantics& semantics_;
  const std::vector<frontend::RangeClause>& ranges_;
  interp::CircuitCache circuits_;
  int evaluations_ = 0;
};

std::optional<Point> random_point(const ir::Module& module, const ir::Function& function,
                                  const std::vector<frontend::RangeClause>& ranges, const Start& start,
                                  std::int64_t seed) {
  Point out;
  for (std::uint32_t k = 0; k < function.parameters.size(); ++k) {
    const ir::Type type = module.types()[function.parameters[k].type];
    if (type.kind == ir::TypeKind::tuple || !can_draw(type.scalar)) return std::nullopt;
    std::vector<std::int64_t> shape;
    std::int64_t elements = 1;
    for (ir::IndexId extent : type.extents) {
      const auto size = module.indices().as_constant(extent);
      if (!size || *size < 0 || *size > max_input_elements || (elements *= *size) > max_input_elements)
        return std::nullopt;
      shape.push_back(*size);
    }
    const auto far_apart = (static_cast<std::uint64_t>(k) + 1) << 32;
    HostTensor tensor = interp::generate(ir::Source::Kind::uniform, type.scalar, shape,
                                         static_cast<std::int64_t>(static_cast<std::uint64_t>(seed) + far_apart));
    frontend::RangeClause range{k, start.positive ? 0 : -start.scale, start.scale, start.positive ? 1 : 0};
    const auto given = std::ranges::find(ranges, k, &frontend::RangeClause::parameter);
    if (given != ranges.end()) range = *given;
    range.landmarks.clear();
    scale_to(tensor, range);
    out.push_back(std::move(tensor));
  }
  return out;
}

/// One random point from each start; none if a parameter is not a tensor of known size.
std::vector<Point> random_points(const ir::Module& module, const ir::Function& function,
                                 const std::vector<frontend::RangeClause>& ranges, std::int64_t seed) {
  std::vector<Point> out;
  for (std::size_t k = 0; k < starts.size(); ++k) {
    auto point = random_point(module, function, ranges, starts[k], seed + static_cast<std::int64_t>(k));
    if (!point) return {};
    out.push_back(std::move(*point));
  }
  return out;
}

/// The conditions of both circuits, each once. They read the same elements for all inputs of these shapes.
std::vector<Condition> conditions_of(ir::Module& module, ir::NodeId left, ir::NodeId right,
                                     const driver::Shapes& shapes, std::int64_t seed) {
  std::vector<Condition> out;
  for (const Comparison& comparison : comparisons_of(module, module.tuple({left, right}), seed)) {
    const std::set<Place> places = places_of(module, shapes, {comparison.left, comparison.right});
    if (places.empty()) continue;
    out.push_back({comparison, {places.begin(), places.end()}, preimages(module, shapes, comparison)});
  }
  return out;
}

}  // namespace

std::vector<Point> condition_points(ir::Module& module, const ir::Function& left, const ir::Function& right,
                                    const ir::Dimensions& sizes, const std::vector<frontend::RangeClause>& ranges,
                                    std::int64_t seed, const RationalPoints& rational) {
  const auto floats = interp::floats();
  const ir::Function first = ir::instantiate(module, left, sizes);
  const std::vector<Point> random = random_points(module, first, ranges, seed);
  if (random.empty()) return {};
  driver::Shapes shapes;
  for (const HostTensor& tensor : random[0]) shapes.push_back(tensor.shape);
  const auto second = driver::at_shapes(module, right, shapes);
  if (!second) return {};
  const std::vector<Condition> conditions = conditions_of(module, first.body, second->body, shapes, seed);

  ConditionBoundaries boundaries(module, first, *floats, ranges);
  std::vector<Solved> solved;
  for (std::size_t turn = 0; turn < random.size(); ++turn) {
    for (std::size_t k = 0; k < conditions.size() && solved.size() < max_points / 2; ++k) {
      std::ranges::move(boundaries.meet(conditions[k], random[turn], turn, nullptr), std::back_inserter(solved));
    }
  }

  std::vector<Point> out;
  for (const RationalPoint& point : rational.points) {
    auto floats_there = nearest_floats(module, first, rational, point, ranges);
    if (floats_there) out.push_back(std::move(*floats_there));
  }
  const auto move = [&](const Solved& each, const mpq_class& by) {
    if (out.size() >= max_points) return;
    auto moved = boundaries.with(each.point, each.place, boundaries.value(each.point, each.place) + by);
    if (moved) out.push_back(std::move(*moved));
  };
  // First come the points at the boundary and the floats next to it; later, points at some distance, and far ones.
  for (const Solved& each : solved) {
    out.push_back(each.point);
    for (const int side : {1, -1}) move(each, side * step_at(each.point, each.place));
    const mpq_class at = boundaries.value(each.point, each.place);
    if (at != 0) move(each, -2 * at);  // even functions have a boundary at -x, too
  }
  std::size_t joint = 0;
  for (std::size_t k = 0; k < solved.size() && joint < max_joint; ++k) {
    for (const Condition& other : conditions) {
      if (joint >= max_joint || boundaries.exhausted()) break;
      if (&other == solved[k].condition) continue;
      for (Solved& both : boundaries.meet(other, solved[k].point, k, &solved[k].place)) {
        out.push_back(std::move(both.point));
        ++joint;
      }
    }
  }
  for (const Solved& each : solved) {
    const mpq_class size = std::max<mpq_class>(1, abs(boundaries.value(each.point, each.place)));
    for (const int side : {1, -1}) {
      move(each, side * size / 64);
      move(each, side * size);
    }
  }
  return out;
}

}  // namespace reckon::check
