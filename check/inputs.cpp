#include "check/inputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "check/ring.h"
#include "diagnostics/codes/bad_argument.h"
#include "diagnostics/codes/check_failed_to_run.h"
#include "diagnostics/codes/dimension_value.h"
#include "diagnostics/codes/too_large.h"
#include "ir/integer.h"
#include "numerics/format.h"

namespace reckon::check {

namespace {

/// More elements of one input than this are refused instead of exhausting the memory.
constexpr std::int64_t max_elements = std::int64_t{1} << 33;
/// `interval(split(n))` evaluates a circuit so many times at most.
constexpr std::int64_t max_pieces = std::int64_t{1} << 24;

/// Maps a number of [-1, 1) to a landmark or beside one, or (one time in four) gives nothing.
std::optional<mpq_class> near_landmark(const std::vector<mpq_class>& landmarks, const mpq_class& unit, std::uint64_t bits) {
  if (landmarks.empty()) return std::nullopt;
  const std::uint64_t choice = (bits + 1) * 0x9e3779b97f4a7c15ull >> 20;
  const mpq_class& landmark = landmarks[choice / 4 % landmarks.size()];
  switch (choice % 4) {
    case 0: return landmark;
    case 1: return mpq_class(landmark + unit / 8);
    case 2: return mpq_class(landmark + unit * 2);
    default: return std::nullopt;
  }
}

/// Maps the random bits of integers to integers of the range.
void scale_words(ir::HostTensor& tensor, const frontend::RangeClause& range) {
  const auto [low, high] = integers_in(range, tensor.scalar);
  const mpz_class count = high - low + 1;
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const mpz_class value = low + (count * static_cast<unsigned long>(tensor.bits(i)) >>
                                   static_cast<unsigned long>(ir::integer_traits(tensor.scalar).width));
    tensor.set_bits(i, ir::integer_pattern(tensor.scalar, value));
  }
}

}  // namespace

void scale_to(ir::HostTensor& tensor, const frontend::RangeClause& range) {
  if (ir::is_integer(tensor.scalar)) return scale_words(tensor, range);
  const ir::Format format = ir::format_of(tensor.scalar);
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const mpq_class drawn = *numerics::exact_value(tensor.bits(i), format), unit = (drawn + 1) / 2;
    mpq_class wanted = range.low + unit * (range.high - range.low);
    const auto near = near_landmark(range.landmarks, drawn, tensor.bits(i));
    if (near && range.low <= *near && *near <= range.high) wanted = *near;
    std::uint64_t bits = numerics::round_rational(wanted, format);
    const auto value = numerics::exact_value(bits, format);
    if (!value || *value > range.high || *value < range.low) bits = numerics::round_rational(range.low, format);
    if (range.sign != 0 && value && *value == 0) bits = numerics::round_rational(4 * range.sign, format);
    tensor.set_bits(i, bits);
  }
}

const frontend::RangeClause* range_of(const frontend::ElaboratedItem& item, std::size_t parameter) {
  const auto found = std::ranges::find(item.ranges, parameter, &frontend::RangeClause::parameter);
  return found == item.ranges.end() ? nullptr : &*found;
}

bool is_allowed(const std::vector<frontend::RangeClause>& ranges, std::size_t parameter, const mpq_class& value) {
  return std::ranges::all_of(ranges, [&](const frontend::RangeClause& range) {
    if (range.parameter != parameter) return true;
    return range.sign != 0 ? sgn(value) == range.sign : range.low <= value && value <= range.high;
  });
}

std::string nested_text(const std::vector<std::string>& elements, const std::vector<std::int64_t>& shape) {
  const auto part = [&](auto&& self, std::size_t dimension, std::size_t from, std::size_t count) -> std::string {
    if (dimension == shape.size()) return elements[from];
    std::vector<std::string> parts;
    const auto extent = static_cast<std::size_t>(shape[dimension]);
    const std::size_t each = extent == 0 ? 0 : count / extent;
    for (std::size_t i = 0; i < extent; ++i) parts.push_back(self(self, dimension + 1, from + i * each, each));
    return fmt::format("[{}]", fmt::join(parts, ", "));
  };
  return part(part, 0, 0, elements.size());
}

std::vector<std::int64_t> subscripts_of(std::int64_t element, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> out(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    out[d] = element % shape[d];
    element /= shape[d];
  }
  return out;
}

std::string element_text(const ir::HostTensor& tensor, std::int64_t i) {
  if (ir::is_integer(tensor.scalar)) return ir::integer_text(tensor.scalar, tensor.bits(i));
  return numerics::shortest_decimal(tensor.bits(i), ir::format_of(tensor.scalar));
}

void show_elements(const ir::HostTensor& tensor, WitnessInput& input) {
  const std::int64_t shown = std::min<std::int64_t>(tensor.size(), 8);
  input.elements.clear();
  for (std::int64_t i = 0; i < shown; ++i) input.elements.push_back(element_text(tensor, i));
  input.left_out = tensor.size() - shown;
}

Inputs::Inputs(const ir::Module& module, const frontend::ElaboratedItem& item, const interp::Semantics& semantics)
    : module_(module),
      item_(item),
      semantics_(semantics),
      families_(families_of(item, semantics)),
      index_limits_(module, item) {
  const bool distance = item.relation != frontend::Item::Relation::equal;
  constants_ = constants_of(module, item, distance);
  if (distance) {  // and small constants, which have no effect unless the inputs are as small
    for (const mpq_class& constant : constants_of(module, item, false)) {
      if (constant != 0 && abs(constant) <= 1) constants_.push_back(constant);
    }
    std::ranges::sort(constants_);
    constants_.erase(std::ranges::unique(constants_).begin(), constants_.end());
  }
  if (constants_.empty()) std::erase(families_, Family::constants);
}

Family Inputs::family_of(const ir::Dimensions& sizes, std::int64_t trial) const {
  if (trial % 2 == 0 || families_.size() == 1) return Family::unit;
  std::uint64_t turn = static_cast<std::uint64_t>(trial / 2);
  for (const auto& [symbol, value] : sizes) turn += static_cast<std::uint64_t>(value);
  return families_[1 + turn % (families_.size() - 1)];
}

std::string Inputs::text() const {
  const std::size_t count = item_.left->parameters.size();
  if (count == 0) return {};
  if (semantics_.traits().draws_values) {
    std::string out = fmt::format("random elements of `{}`", semantics_.name());
    for (std::size_t k = 0; k < count; ++k) {
      if (!ir::is_integer(module_.types()[item_.left->parameters[k].type].scalar)) continue;
      const std::string limit = index_limits_.text(k);
      out += fmt::format(", some {}{}", module_.name(item_.left->parameters[k].name), limit.empty() ? "" : " " + limit);
    }
    return out;
  }
  const std::string families = families_text(families_, constants_);
  std::vector<std::string> free, words, ranged;
  for (std::size_t k = 0; k < count; ++k) {
    const std::string name(module_.name(item_.left->parameters[k].name));
    const frontend::RangeClause* range = range_of(item_, k);
    if (const std::string limit = index_limits_.text(k); !limit.empty()) {
      ranged.push_back(fmt::format("{} {}", name, limit));
    } else if (range == nullptr) {
      const bool is_word = ir::is_integer(module_.types()[item_.left->parameters[k].type].scalar);
      (is_word ? words : free).push_back(name);
    } else if (range->sign != 0) {
      ranged.push_back(fmt::format("{} {} 0", name, range->sign > 0 ? ">" : "<"));
    } else {
      const bool whole = takes_ranges(0);
      ranged.push_back(fmt::format("{} {}: {}..{}", whole ? "all of" : "points of", name,
                                   numerics::rational_text(range->low), numerics::rational_text(range->high)));
    }
  }
  std::vector<std::string> parts = std::move(ranged);
  if (!words.empty()) parts.push_back(fmt::format("{} of any bits", fmt::join(words, ", ")));
  if (!free.empty()) parts.push_back(fmt::format("{} in -1..1", fmt::join(free, ", ")));
  // Numbers that a family draws outside of a range are replaced, and few trials draw few families.
  const bool few = item_.trials && static_cast<std::size_t>(*item_.trials) < 2 * families_.size();
  if (!families.empty() && !takes_whole_ranges() && !free.empty())
    parts.push_back(few ? "some of another kind" : families);
  return fmt::format("{}", fmt::join(parts, ", "));
}

Drawn Inputs::given(const ir::Dimensions& sizes, std::vector<interp::Argument> arguments) const {
  Drawn out;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    WitnessInput input{std::string(module_.name(item_.left->parameters[k].name)), {}, {}};
    if (auto* tensor = std::get_if<ir::HostTensor>(&arguments[k])) {
      index_limits_.keep(k, sizes, *tensor);
      show_elements(*tensor, input);
    }
    out.shown.push_back(std::move(input));
  }
  out.arguments = std::move(arguments);
  out.family = Family::constants;
  return out;
}

bool Inputs::fixed() const {
  return item_.left->parameters.empty();
}

bool Inputs::whole_first() const {
  const bool of_answers = item_.relation == frontend::Item::Relation::within && item_.semantics &&
                          item_.semantics->profile && !item_.semantics->profile->endpoints_only;
  return (of_answers || takes_whole_ranges()) && !item_.ranges.empty() &&
         item_.ranges.size() >= item_.left->parameters.size() &&
         std::ranges::all_of(item_.ranges, [](const auto& range) { return range.sign == 0; });
}

bool Inputs::is_cut(std::size_t parameter) const {
  return semantics_.pieces() > 1 && module_.types()[item_.left->parameters[parameter].type].extents.empty();
}

Expected<std::int64_t> Inputs::pieces(std::int64_t trial) const {
  std::int64_t choices = 1;
  if (!takes_ranges(trial)) return choices;
  for (const frontend::RangeClause& range : item_.ranges) {
    if (!is_cut(range.parameter)) continue;
    choices *= semantics_.pieces();
    if (choices <= max_pieces) continue;
    return Diagnostic(code::bad_argument, item_.span,
                      fmt::format("this check would be cut into more than {} pieces", max_pieces))
        .help("cut each range into fewer pieces");
  }
  return choices;
}

/// The range `low` to `high`, or the piece of it whose turn it is; `rest` numbers the pieces of the remaining inputs.
interp::RangeTensor Inputs::piece_of(interp::RangeTensor range, std::size_t parameter, std::int64_t& rest) const {
  if (!is_cut(parameter)) return range;
  const mpq_class step = (range.high - range.low) / static_cast<long>(semantics_.pieces());
  const long index = static_cast<long>(rest % semantics_.pieces());
  rest /= semantics_.pieces();
  range.high = range.low + (index + 1) * step;
  range.low += index * step;
  return range;
}

/// The seeds are far apart, so that no two inputs share part of the generator's sequence.
std::int64_t Inputs::seed_of(std::int64_t trial, std::size_t parameter) const {
  const auto position = static_cast<std::uint64_t>(trial) * item_.left->parameters.size() + parameter;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(item_.seed.value_or(0)) + (position << 32));
}

Expected<std::vector<std::int64_t>> Inputs::shape_of(const ir::Parameter& parameter,
                                                     const ir::Dimensions& sizes) const {
  std::vector<std::int64_t> shape;
  std::int64_t elements = 1;
  for (ir::IndexId extent : module_.types()[parameter.type].extents) {
    const auto value = module_.indices().evaluate(extent, {sizes, {}});
    if (!value || *value < 0) {
      return Diagnostic(code::dimension_value, parameter.span,
                        fmt::format("the dimension `{}` has no usable value", ir::index_text(module_, extent)));
    }
    if (*value > 0 && elements > max_elements / *value) {
      return Diagnostic(code::too_large, parameter.span,
                        fmt::format("the input `{}` of this check would have more than 2^33 elements",
                                    module_.name(parameter.name)));
    }
    elements *= *value;
    shape.push_back(*value);
  }
  return shape;
}

Expected<Drawn> Inputs::draw(const ir::Dimensions& sizes, std::int64_t trial, std::int64_t piece) const {
  Drawn out;
  out.family = family_of(sizes, trial);
  std::vector<RingInput> of_ring;
  for (std::size_t k = 0; k < item_.left->parameters.size(); ++k) {
    const ir::Parameter& parameter = item_.left->parameters[k];
    const ir::Type type = module_.types()[parameter.type];
    if (type.kind == ir::TypeKind::tuple || !ir::has_pattern(type.scalar)) {
      return Diagnostic(code::check_failed_to_run, parameter.span,
                        fmt::format("a check cannot draw inputs of type `{}`", ir::type_text(module_, parameter.type)));
    }
    auto shape = shape_of(parameter, sizes);
    if (!shape) return shape.error();
    WitnessInput input{std::string(module_.name(parameter.name)), {}, {}};
    const frontend::RangeClause* range = range_of(item_, k);
    const std::int64_t seed = seed_of(trial, k);
    if (range && range->sign != 0 && takes_ranges(trial)) {
      return Diagnostic(code::check_failed_to_run, item_.span,
                        fmt::format("a condition is no range, and `{}` takes the whole range of each input at once",
                                    semantics_.name()))
          .help("give a range: `for x: 1/2..8`");
    }
    if (range && takes_ranges(trial)) {
      const interp::RangeTensor part = piece_of({type.scalar, *shape, range->low, range->high}, k, piece);
      input.expression = numerics::rational_text(part.low) + ".." + numerics::rational_text(part.high);
      out.arguments.push_back(part);
    } else if (semantics_.traits().draws_values && !ir::is_integer(type.scalar)) {
      const bool positive = range && range->low >= 0, negative = range && !positive && range->high <= 0;
      input.expression = fmt::format("{} element{} of the ring, seed {}",
                                     positive ? "positive" : negative ? "negative" : "random",
                                     type.extents.empty() ? "" : "s", seed);
      of_ring.push_back({k, std::move(*shape), seed});
      out.arguments.emplace_back();
    } else {
      ir::HostTensor tensor = interp::generate(ir::Source::Kind::uniform, type.scalar, *shape, seed);
      if (out.family != Family::unit) {
        // The first parameter takes the variants of a family in turn; the others take them in another order.
        const std::uint64_t turn = static_cast<std::uint64_t>(trial / 2) / (families_.size() - 1);
        Family family = out.family;
        if (family == Family::mixed) {  // the last family of the list, which is never chosen itself
          const auto choice = static_cast<std::uint64_t>(trial / 2 + seed_of(trial / 2, k) / 7) * 0x9e3779b97f4a7c15ull >> 33;
          family = families_[choice % (families_.size() - 1)];
        }
        // Family::equal has one number everywhere; every other time it is the same for all inputs.
        const std::int64_t of_family = family == Family::equal && turn % 2 == 0 ? seed_of(trial, 0) : seed;
        draw_family(family, tensor, static_cast<std::uint64_t>(of_family), constants_, range,
                    k == 0 ? turn : turn * (2 * k + 1) + seed % 16);
      } else if (range) {
        scale_to(tensor, *range);
      } else {
        input.expression = fmt::format("random({}{}, {})", ir::scalar_name(type.scalar),
                                       shape->empty() ? "" : fmt::format("[{}]", fmt::join(*shape, ", ")), seed);
      }
      if (index_limits_.keep(k, sizes, tensor)) input.expression.clear();  // no longer what a generator gives
      show_elements(tensor, input);
      out.arguments.push_back(std::move(tensor));
    }
    out.shown.push_back(std::move(input));
  }
  random_elements(module_, item_, of_ring, out.arguments);
  return out;
}

}  // namespace reckon::check
