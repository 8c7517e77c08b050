#include "reveal/prober.h"

namespace reckon::reveal {

Prober::Prober(const Box& box, const Question& question, Units units)
    : box_(box), question_(question), patterns_(std::move(units)) {
  const auto n = static_cast<std::size_t>(question.n);
  for (std::size_t i = 0; i < n; ++i) units_.x.push_back(patterns_.unit(i));
  if (question.products) units_.y.assign(n, numerics::round_f64(1, question.formats.input));
}

Expected<std::uint64_t> Prober::ask(Input input) {
  if (question_.products && input.y.empty()) input.y = units_.y;
  ++calls_;
  return box_(input);
}

Expected<Count> Prober::all_units() {
  auto bits = ask(units_);
  if (!bits) return bits.error();
  return patterns_.count(*bits, question_.n);
}

Expected<Count> Prober::survivors(std::int64_t i, std::int64_t j) {
  auto& x = units_.x;
  const auto first = static_cast<std::size_t>(i), second = static_cast<std::size_t>(j);
  x[first] = patterns_.mask(first);
  x[second] = negative(patterns_.mask(second));
  ++calls_;
  auto bits = box_(units_);
  x[first] = patterns_.unit(first);
  x[second] = patterns_.unit(second);
  if (!bits) return bits.error();
  return patterns_.count(*bits, question_.n - 2);
}

}  // namespace reckon::reveal
