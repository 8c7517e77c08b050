#include "reveal/prober.h"

#include <fmt/format.h>

#include <cmath>

namespace reckon::reveal {

using numerics::exact_value;
using numerics::round_f64;

Prober::Prober(const Box& box, const Question& question, Scale scale) : box_(box), question_(question), scale_(scale) {
  const Format format = question.formats.input;
  mask_ = round_f64(std::ldexp(1.0, scale.mask), format);
  unit_ = round_f64(std::ldexp(1.0, scale.unit), format);
  one_ = round_f64(1, format);
  units_.x.assign(static_cast<std::size_t>(question.n), unit_);
  if (question.products) units_.y.assign(units_.x.size(), one_);
}

Expected<std::uint64_t> Prober::ask(Input input) {
  if (question_.products && input.y.empty()) input.y = units_.y;
  ++calls_;
  return box_(input);
}

Prober::Count Prober::count(std::uint64_t bits, std::int64_t most) const {
  const Format format = question_.formats.result;
  const auto value = exact_value(bits, format);
  if (!value) return {-1, numerics::shortest_decimal(bits, format)};
  mpq_class units = *value;
  if (scale_.unit < 0) units <<= static_cast<unsigned>(-scale_.unit);
  if (units.get_den() == 1 && units >= 0 && units <= most) return {units.get_num().get_si(), {}};
  return {-1, numerics::shortest_decimal(bits, format)};
}

Expected<Prober::Count> Prober::all_units() {
  auto bits = ask(units_);
  if (!bits) return bits.error();
  return count(*bits, question_.n);
}

Expected<Prober::Count> Prober::survivors(std::int64_t i, std::int64_t j) {
  auto& x = units_.x;
  x[static_cast<std::size_t>(i)] = mask_;
  x[static_cast<std::size_t>(j)] = negative(mask_);
  ++calls_;
  auto bits = box_(units_);
  x[static_cast<std::size_t>(i)] = x[static_cast<std::size_t>(j)] = unit_;
  if (!bits) return bits.error();
  return count(*bits, question_.n - 2);
}

}  // namespace reckon::reveal
