#include "layout/int_tuple.h"

#include <algorithm>

namespace reckon::layout {
IntTuple::IntTuple(const IntTuple&) = default;
IntTuple::IntTuple(IntTuple&&) noexcept = default;
IntTuple& IntTuple::operator=(const IntTuple&) = default;
IntTuple& IntTuple::operator=(IntTuple&&) noexcept = default;
IntTuple::~IntTuple() = default;

namespace {

template <class Iterator>
IntTuple refill(const IntTuple& tuple, Iterator& next) {
  if (tuple.is_int()) return IntTuple(*next++);
  std::vector<IntTuple> elements;
  for (const IntTuple& element : tuple.elements()) elements.push_back(refill(element, next));
  return elements;
}

void collect_paths(const IntTuple& tuple, std::vector<std::int64_t>& here,
                   std::vector<std::vector<std::int64_t>>& out) {
  if (tuple.is_int()) out.push_back(here);
  for (std::size_t k = 0; k < tuple.elements().size(); ++k) {
    here.push_back(static_cast<std::int64_t>(k));
    collect_paths(tuple.elements()[k], here, out);
    here.pop_back();
  }
}

}  // namespace

int IntTuple::depth() const {
  int out = 0;
  for (const IntTuple& element : elements_) out = std::max(out, element.depth());
  return is_int_ ? 0 : out + 1;
}

std::vector<std::int64_t> IntTuple::leaves() const {
  std::vector<std::int64_t> out;
  for_each_leaf(*this, [&](std::int64_t leaf) { out.push_back(leaf); });
  return out;
}

std::string IntTuple::text() const {
  if (is_int_) return std::to_string(value_);
  std::string out;
  for (const IntTuple& element : elements_) out += (out.empty() ? "" : ",") + element.text();
  return "(" + out + ")";
}

bool congruent(const IntTuple& a, const IntTuple& b) {
  if (a.is_int() || b.is_int()) return a.is_int() == b.is_int();
  return std::equal(a.elements().begin(), a.elements().end(), b.elements().begin(), b.elements().end(), congruent);
}

std::optional<std::int64_t> product(const IntTuple& tuple) {
  std::int64_t out = 1;
  bool fits = true;
  for_each_leaf(tuple, [&](std::int64_t leaf) { fits = fits && !__builtin_mul_overflow(out, leaf, &out); });
  return fits ? std::optional(out) : std::nullopt;
}

IntTuple with_leaves(const IntTuple& tuple, const std::vector<std::int64_t>& leaves) {
  auto next = leaves.begin();
  return refill(tuple, next);
}

IntTuple grafted(const IntTuple& tuple, const std::vector<IntTuple>& leaves) {
  auto next = leaves.begin();
  return refill(tuple, next);
}

std::vector<std::vector<std::int64_t>> leaf_paths(const IntTuple& tuple) {
  std::vector<std::int64_t> here;
  std::vector<std::vector<std::int64_t>> out;
  collect_paths(tuple, here, out);
  return out;
}

}  // namespace reckon::layout
