#include "reveal/scale.h"

#include <fmt/format.h>

#include <algorithm>

namespace reckon::reveal {

using numerics::traits;

namespace {

std::int64_t power(int exponent) { return exponent >= 40 ? std::int64_t{1} << 40 : std::int64_t{1} << exponent; }

Scale scale(const Formats& formats, int mask, int unit) {
  const int accumulator = traits(formats.accumulator).precision, result = traits(formats.result).precision;
  std::int64_t largest = std::min({largest_length, power(accumulator), power(result)});
  const int room = mask - accumulator - 1 - unit;  // (n - 2) units are less than 2^room units
  largest = std::min(largest, room < 0 ? 2 : power(room) + 1);
  return {mask, unit, largest};
}

}  // namespace

std::optional<std::string> formats_problem(const Formats& formats) {
  const auto from = traits(formats.input), to = traits(formats.accumulator);
  if (to.precision >= from.precision && to.emax >= from.emax) return std::nullopt;
  return fmt::format("sums in `{}` cannot hold every `{}`", to.name, from.name);
}

std::vector<Scale> scales(const Formats& formats) {
  const int mask = traits(formats.input).emax;
  if (formats.input != Format::f16) return {scale(formats, mask, 0)};
  return {scale(formats, mask, -24), scale(formats, mask, -14)};
}

}  // namespace reckon::reveal
