#include "check/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "check/ring.h"
#include "diagnostics/codes/bad_argument.h"
#include "diagnostics/codes/check_failed_to_run.h"
#include "diagnostics/codes/dimension_value.h"
#include "diagnostics/codes/too_large.h"
#include "ir/integer.h"
#include "ir/visit.h"
#include "numerics/format.h"

namespace reckon::check {

namespace {

/// More elements of one input than this are refused instead of exhausting the memory.
constexpr std::int64_t max_elements = std::int64_t{1} << 33;
/// `interval(split(n))` evaluates a circuit so many times at most.
constexpr std::int64_t max_pieces = std::int64_t{1} << 24;
/// A tensor of more elements than this is not written out.
constexpr std::int64_t max_written_out = 16;

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
  if (tensor.scalar == ir::Scalar::boolean) return;
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
  if (tensor.scalar == ir::Scalar::boolean) return tensor.bits(i) != 0 ? "true" : "false";
  if (ir::is_integer(tensor.scalar)) return ir::integer_text(tensor.scalar, tensor.bits(i));
  return numerics::shortest_decimal(tensor.bits(i), ir::format_of(tensor.scalar));
}

namespace {

/// `0, but [3, 1] = 1, [5, 2] = -2`.
std::string exceptions_text(const ir::HostTensor& tensor) {
  constexpr std::size_t most = 8;
  std::map<std::uint64_t, std::int64_t> counts;
  for (std::int64_t i = 0; i < tensor.size(); ++i) ++counts[tensor.bits(i)];
  const std::uint64_t usual = std::ranges::max_element(counts, {}, [](const auto& each) { return each.second; })->first;
  std::vector<std::string> others;
  std::string first;
  for (std::int64_t i = 0; first.empty(); ++i) {
    if (tensor.bits(i) == usual) first = element_text(tensor, i);
  }
  for (std::int64_t i = 0; i < tensor.size() && others.size() <= most; ++i) {
    if (tensor.bits(i) == usual) continue;
    others.push_back(others.size() == most ? "..."
                                           : fmt::format("[{}] = {}", fmt::join(subscripts_of(i, tensor.shape), ", "),
                                                         element_text(tensor, i)));
  }
  return others.empty() ? first + " everywhere" : fmt::format("{}, but {}", first, fmt::join(others, ", "));
}

}  // namespace

void describe(const ir::HostTensor& tensor, WitnessInput& input) {
  input.expression.clear();
  show_elements(tensor, input);
  if (tensor.shape.empty()) return;
  std::vector<std::string> elements;
  for (std::int64_t i = 0; tensor.size() <= max_written_out && i < tensor.size(); ++i)
    elements.push_back(element_text(tensor, i));
  input.expression = tensor.size() <= max_written_out ? nested_text(elements, tensor.shape) : exceptions_text(tensor);
  input.elements.clear();
  input.left_out = 0;
}

namespace {

/// Truth values that fill a line are written out, since no generator gives them.
void show_given(const ir::HostTensor& tensor, WitnessInput& input) {
  if (tensor.scalar == ir::Scalar::boolean && tensor.size() <= max_written_out) describe(tensor, input);
  else show_elements(tensor, input);
}

}  // namespace

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
  std::vector<ir::NodeId> roots;
  for (const auto* side : {&item.left, &item.right}) {
    if (*side) roots.push_back((*side)->body);
  }
  chooses_integers_ = ir::find_node(module, std::move(roots), [&](ir::NodeId id) {
                        return module[id].op == ir::Op::select && ir::is_integer(module.type(id).scalar);
                      }).has_value();
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
      if (is_truth(k)) out += fmt::format(", {} true and false", module_.name(item_.left->parameters[k].name));
      if (!ir::is_integer(module_.types()[item_.left->parameters[k].type].scalar)) continue;
      const std::string limit = index_limits_.text(k);
      out += fmt::format(", some {}{}", module_.name(item_.left->parameters[k].name), limit.empty() ? "" : " " + limit);
    }
    return out;
  }
  const std::string families = families_text(families_, constants_);
  std::vector<std::string> free, words, truths, ranged;
  for (std::size_t k = 0; k < count; ++k) {
    const std::string name(module_.name(item_.left->parameters[k].name));
    const frontend::RangeClause* range = range_of(item_, k);
    if (is_truth(k)) {
      truths.push_back(name);
    } else if (const std::string limit = index_limits_.text(k); !limit.empty()) {
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
  if (!truths.empty() && whole_first()) parts.push_back(fmt::format("all of {}", fmt::join(truths, ", ")));
  else if (!truths.empty()) parts.push_back(fmt::format("{} true and false", fmt::join(truths, ", ")));
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
      show_given(*tensor, input);
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
  if (!of_answers && !takes_whole_ranges()) return false;
  for (std::size_t k = 0; k < item_.left->parameters.size(); ++k) {
    const frontend::RangeClause* range = range_of(item_, k);
    if (!is_truth(k) && (range == nullptr || range->sign != 0)) return false;
    if (is_truth(k) && pieces_of(k) == 1 && chooses_integers_) return false;
  }
  return !item_.left->parameters.empty();
}

bool Inputs::is_truth(std::size_t parameter) const {
  return module_.types()[item_.left->parameters[parameter].type].scalar == ir::Scalar::boolean;
}

std::int64_t Inputs::pieces_of(std::size_t parameter) const {
  if (!module_.types()[item_.left->parameters[parameter].type].extents.empty()) return 1;
  if (is_truth(parameter)) return 2;
  return range_of(item_, parameter) != nullptr ? semantics_.pieces() : 1;
}

Expected<std::int64_t> Inputs::pieces(std::int64_t trial) const {
  std::int64_t choices = 1;
  if (!takes_ranges(trial)) return choices;
  for (std::size_t k = 0; k < item_.left->parameters.size(); ++k) {
    choices *= pieces_of(k);
    if (choices <= max_pieces) continue;
    return Diagnostic(code::bad_argument, item_.span,
                      fmt::format("this check would be cut into more than {} pieces", max_pieces))
        .help("cut each range into fewer pieces");
  }
  return choices;
}

/// The range `low` to `high`, or the piece of it whose turn it is; `rest` numbers the pieces of the remaining inputs.
interp::RangeTensor Inputs::piece_of(interp::RangeTensor range, std::size_t parameter, std::int64_t& rest) const {
  const std::int64_t count = pieces_of(parameter);
  if (count == 1) return range;
  const long index = static_cast<long>(rest % count);
  rest /= count;
  if (is_truth(parameter)) {
    range.low = range.high = index;
    return range;
  }
  const mpq_class step = (range.high - range.low) / static_cast<long>(count);
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
    if (type.kind == ir::TypeKind::tuple || !can_draw(type.scalar)) {
      return Diagnostic(code::check_failed_to_run, parameter.span,
                        fmt::format("a check cannot draw inputs of type `{}`", ir::type_text(module_, parameter.type)));
    }
    auto shape = shape_of(parameter, sizes);
    if (!shape) return shape.error();
    WitnessInput input{std::string(module_.name(parameter.name)), {}, {}};
    const frontend::RangeClause* range = range_of(item_, k);
    const std::int64_t seed = seed_of(trial, k);
    if (type.scalar == ir::Scalar::boolean) {
      if (whole_first() && trial == 0) {
        const interp::RangeTensor part = piece_of({type.scalar, *shape, 0, 1}, k, piece);
        input.expression = part.low != part.high ? "true or false" : part.low != 0 ? "true" : "false";
        out.arguments.push_back(part);
      } else {
        ir::HostTensor tensor(type.scalar, *shape);
        const auto turn = static_cast<std::uint64_t>(trial);
        draw_truths(tensor, static_cast<std::uint64_t>(seed), turn + k * (turn / 8));
        show_given(tensor, input);
        out.arguments.push_back(std::move(tensor));
      }
      out.shown.push_back(std::move(input));
      continue;
    }
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
