// What the tests of layouts share: CuTe's notation read, tables, random layouts.
#pragma once

#include <catch2/catch.hpp>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "layout/layout.h"

namespace reckon::layout_tests {

using layout::IntTuple;
using layout::Layout;

/// `((2,4),3)`; nothing for what this notation does not have (swizzles, tilers, basis strides).
inline std::optional<IntTuple> read_tuple(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  if (text[0] == '(') {
    std::vector<IntTuple> elements;
    do {
      text.remove_prefix(1);
      auto element = read_tuple(text);
      if (!element) return element;
      elements.push_back(std::move(*element));
    } while (!text.empty() && text[0] == ',');
    if (text.empty() || text[0] != ')') return std::nullopt;
    text.remove_prefix(1);
    return IntTuple(std::move(elements));
  }
  std::size_t length = text[0] == '-' ? 1 : 0;
  while (length < text.size() && text[length] >= '0' && text[length] <= '9') ++length;
  if (length == 0) return std::nullopt;
  const IntTuple out(std::stoll(std::string(text.substr(0, length))));
  text.remove_prefix(length);
  return out;
}

inline std::optional<IntTuple> whole_tuple(std::string_view text) {
  auto out = read_tuple(text);
  return text.empty() ? out : std::nullopt;
}

inline std::optional<Layout> read_layout(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  auto shape = whole_tuple(text.substr(0, colon)), stride = whole_tuple(text.substr(colon + 1));
  if (!shape || !stride) return std::nullopt;
  const auto made = Layout::make(*shape, *stride);
  if (!made) return std::nullopt;
  return *made;
}

inline Layout layout_from(std::string_view text) {
  auto out = read_layout(text);
  if (!out) FAIL(text << " is no layout");
  return *out;
}

/// The result, or a failure of the test that says why there is none.
template <class T>
T must(const layout::Result<T>& result) {
  if (!result) FAIL(result.problem().message);
  return *result;
}

inline Layout row_major(std::int64_t rows, std::int64_t columns) {
  return *Layout::make(std::vector<IntTuple>{rows, columns}, std::vector<IntTuple>{columns, 1});
}

inline std::vector<std::int64_t> table(const Layout& of) {
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < of.size(); ++i) out.push_back(*of(i));
  return out;
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}
  std::int64_t pick(std::initializer_list<std::int64_t> choices) {
    return *(choices.begin() + random_() % choices.size());
  }

  Layout draw() {
    std::vector<std::int64_t> strides;
    const IntTuple shape = this->shape(2);
    for (std::size_t k = shape.leaves().size(); k > 0; --k) strides.push_back(pick({0, 1, 1, 2, 3, 4, 6, 8, -1, -2}));
    return *Layout::make(shape, with_leaves(shape, strides));
  }
  IntTuple shape(int depth) {
    if (depth == 0 || random_() % 3 == 0) return pick({1, 2, 2, 3, 4});
    std::vector<IntTuple> elements;
    for (std::uint64_t k = 1 + random_() % 3; k > 0; --k) elements.push_back(shape(depth - 1));
    return elements;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace reckon::layout_tests
