#include "layout/composed.h"

#include <algorithm>

#include "layout/coordinates.h"
#include "layout/digits.h"
#include "layout/image.h"

namespace reckon::layout {
Composed::Composed(const Composed&) = default;
Composed::Composed(Composed&&) noexcept = default;
Composed& Composed::operator=(const Composed&) = default;
Composed& Composed::operator=(Composed&&) noexcept = default;
Composed::~Composed() = default;

namespace {

Problem overflow(const std::string& what) {
  return {Problem::Kind::too_large, "an offset of `" + what + "` does not fit in 64 bits"};
}

}  // namespace

Result<std::int64_t> extended(const Layout& layout, std::int64_t index) {
  const Modes digits = digits_of(layout);
  if (index < 0 && digits.size() > 1) {
    return Problem{Problem::Kind::out_of_range,
                   "index `" + std::to_string(index) + "` is negative, and `" + layout.text() + "` has several modes",
                   "add an offset that keeps indices from 0 on"};
  }
  const auto out = at_digits(digits, index);
  if (!out) return overflow(layout.text());
  return *out;
}

bool operator==(const Stage& a, const Stage& b) {
  if (a.offset != b.offset || a.map.index() != b.map.index()) return false;
  if (const auto* swizzle = std::get_if<Swizzle>(&a.map)) return *swizzle == std::get<Swizzle>(b.map);
  return same_spelling(std::get<Layout>(a.map), std::get<Layout>(b.map));
}

Result<std::int64_t> after(const std::vector<Stage>& stages, std::int64_t x) {
  Result<std::int64_t> value = x;
  for (std::size_t k = stages.size(); k-- > 0 && value;) {
    std::int64_t moved;
    if (__builtin_add_overflow(*value, stages[k].offset, &moved)) {
      return overflow(std::to_string(*value) + " + " + std::to_string(stages[k].offset));
    }
    if (const auto* swizzle = std::get_if<Swizzle>(&stages[k].map)) value = (*swizzle)(moved);
    else value = extended(std::get<Layout>(stages[k].map), moved);
  }
  return value;
}

Result<std::int64_t> Composed::operator()(const IntTuple& coordinate) const {
  const auto value = inner_(coordinate);
  if (!value) return value;
  auto out = after(stages_, *value);
  if (!out && out.problem().kind == Problem::Kind::too_large) return overflow(text());
  return out;
}

Result<Range> Composed::range() const { return image_range(*this); }

Result<std::int64_t> Composed::min() const {
  const auto out = range();
  if (!out) return out.problem();
  return out->min;
}

Result<std::int64_t> Composed::max() const {
  const auto out = range();
  if (!out) return out.problem();
  return out->max;
}

Result<std::int64_t> Composed::extent() const {
  const auto out = range();
  if (!out) return out.problem();
  std::int64_t extent;
  if (__builtin_sub_overflow(out->max, out->min, &extent) || __builtin_add_overflow(extent, 1, &extent)) {
    return overflow(text());
  }
  return extent;
}

Result<std::int64_t> Composed::cosize() const {
  const auto out = range();
  if (!out) return out.problem();
  std::int64_t extent;
  if (__builtin_sub_overflow(out->max, std::min<std::int64_t>(0, out->min), &extent) ||
      __builtin_add_overflow(extent, 1, &extent)) {
    return overflow(text());
  }
  return extent;
}

Result<Composed> Composed::with_inner(Layout inner, std::int64_t added) const {
  std::vector<Stage> stages = stages_;
  if (!stages.empty() && __builtin_add_overflow(stages.back().offset, added, &stages.back().offset)) {
    return overflow(text());
  }
  return Composed(std::move(stages), std::move(inner), reason_);
}

Composed Composed::mode(std::size_t k) const { return Composed(stages_, inner_.mode(k), reason_); }

std::string Composed::text() const {
  std::string out;
  for (const Stage& stage : stages_) {
    const auto* swizzle = std::get_if<Swizzle>(&stage.map);
    out += swizzle ? swizzle->text() : std::get<Layout>(stage.map).text();
    if (swizzle || stage.offset != 0) out += " o " + std::to_string(stage.offset);
    out += " o ";
  }
  return out + inner_.text();
}

const IntTuple& shape(const AnyLayout& layout) {
  return std::visit([](const auto& each) -> const IntTuple& { return each.shape(); }, layout);
}

std::int64_t size(const AnyLayout& layout) {
  return std::visit([](const auto& each) { return each.size(); }, layout);
}

Result<std::int64_t> evaluate(const AnyLayout& layout, const IntTuple& coordinate) {
  return std::visit([&](const auto& each) { return each(coordinate); }, layout);
}

Result<Range> range(const AnyLayout& layout) {
  if (const auto* composed = std::get_if<Composed>(&layout)) return composed->range();
  const Layout& plain = std::get<Layout>(layout);
  return Range{plain.min(), plain.max()};
}

std::string text(const AnyLayout& layout) {
  return std::visit([](const auto& each) { return each.text(); }, layout);
}

}  // namespace reckon::layout
