// The rest of the case file's notation: tilers, coordinates with holes, basis strides, swizzles.
#pragma once

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "layout/composed.h"
#include "layout/coordinate_layout.h"
#include "layout/slice.h"
#include "layout/tiler.h"
#include "tests/layout/layouts.h"

namespace reckon::layout_tests {

using layout::AnyLayout;
using layout::Composed;
using layout::CoordinateLayout;
using layout::Holed;
using layout::Swizzle;
using layout::Tiler;

/// `a,(b,c),<d,e>` -> `a`, `(b,c)`, `<d,e>`.
inline std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> out(1);
  int depth = 0;
  for (const char c : text) {
    if (c == '(' || c == '<') ++depth;
    if (c == ')' || c == '>') --depth;
    if (c == ',' && depth == 0) out.emplace_back();
    else out.back() += c;
  }
  return out;
}

inline bool wrapped(std::string_view text, char open, char close) {
  return text.size() >= 2 && text.front() == open && text.back() == close;
}

/// `<3:3,(2,4):(1,8)>`, `<_,4:1>`, `(4,8)`, `2:1`.
inline std::optional<Tiler> read_tiler(std::string_view text) {
  if (text == "_") return Tiler::keep();
  if (wrapped(text, '<', '>')) {
    std::vector<Tiler> modes;
    for (const std::string& part : split_list(text.substr(1, text.size() - 2))) {
      auto mode = read_tiler(part);
      if (!mode) return mode;
      modes.push_back(*mode);
    }
    return Tiler(std::move(modes));
  }
  if (auto layout = read_layout(text)) return Tiler(*layout);
  const auto sizes = whole_tuple(text);
  if (!sizes) return std::nullopt;
  const auto out = Tiler::of(*sizes);
  return out ? std::optional<Tiler>(*out) : std::nullopt;
}

/// `((2,_),(_,3,_))`.
inline std::optional<Holed> read_holed(std::string_view text) {
  if (text == "_") return Holed::hole();
  if (!wrapped(text, '(', ')')) {
    const auto index = whole_tuple(text);
    return index ? std::optional<Holed>(Holed(*index)) : std::nullopt;
  }
  std::vector<Holed> elements;
  for (const std::string& part : split_list(text.substr(1, text.size() - 2))) {
    auto element = read_holed(part);
    if (!element) return element;
    elements.push_back(*element);
  }
  return Holed(std::move(elements));
}

struct Basis {
  std::int64_t scale = 0;
  std::vector<std::size_t> path;
};

/// `2@1@0` is twice the basis element at (0,1); a stride of integers alone has no path.
inline bool read_bases(std::string_view text, std::vector<Basis>& out) {
  if (wrapped(text, '(', ')')) {
    for (const std::string& part : split_list(text.substr(1, text.size() - 2))) {
      if (!read_bases(part, out)) return false;
    }
    return true;
  }
  Basis basis;
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('@'), text.size());
    const auto number = whole_tuple(text.substr(0, end));
    if (!number || !number->is_int()) return false;
    if (first) basis.scale = number->value();
    else basis.path.insert(basis.path.begin(), static_cast<std::size_t>(number->value()));
    first = false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  out.push_back(std::move(basis));
  return true;
}

/// As small as the paths allow.
inline IntTuple codomain_of(std::vector<std::vector<std::size_t>> paths) {
  std::size_t rank = 0;
  for (const auto& path : paths) rank = path.empty() ? rank : std::max(rank, path[0] + 1);
  if (rank == 0) return 0;
  std::vector<IntTuple> out;
  for (std::size_t k = 0; k < rank; ++k) {
    std::vector<std::vector<std::size_t>> below;
    for (const auto& path : paths) {
      if (!path.empty() && path[0] == k) below.emplace_back(path.begin() + 1, path.end());
    }
    out.push_back(codomain_of(below));
  }
  return out;
}

/// The number of the leaf at a path.
inline std::size_t leaf_number(const IntTuple& tuple, const std::vector<std::size_t>& path, std::size_t depth = 0) {
  if (depth == path.size()) return 0;
  std::size_t out = 0;
  for (std::size_t k = 0; k < path[depth]; ++k) out += tuple.elements()[k].leaves().size();
  return out + leaf_number(tuple.elements()[path[depth]], path, depth + 1);
}

/// `(4,(2,3)):(2@0,(1@1,4@1))`.
inline std::optional<CoordinateLayout> read_coordinates(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || text.find('@') == std::string_view::npos) return std::nullopt;
  const auto shape = whole_tuple(text.substr(0, colon));
  std::vector<Basis> bases;
  if (!shape || !read_bases(text.substr(colon + 1), bases)) return std::nullopt;
  std::vector<std::vector<std::size_t>> paths;
  for (const Basis& basis : bases) paths.push_back(basis.path);
  const IntTuple codomain = codomain_of(paths);
  std::vector<CoordinateLayout::Stride> strides;
  for (const Basis& basis : bases) {
    strides.emplace_back(codomain.leaves().size(), 0);
    if (basis.scale != 0) strides.back()[leaf_number(codomain, basis.path)] = basis.scale;
  }
  const auto out = CoordinateLayout::make(*shape, codomain, std::move(strides));
  return out ? std::optional<CoordinateLayout>(*out) : std::nullopt;
}

/// `Sw<3,4,-3>`.
inline std::optional<Swizzle> read_swizzle(std::string_view text) {
  if (text.substr(0, 3) != "Sw<" || text.back() != '>') return std::nullopt;
  int fields[3] = {};
  const auto parts = split_list(text.substr(3, text.size() - 4));
  if (parts.size() != 3) return std::nullopt;
  for (std::size_t k = 0; k < 3; ++k) fields[k] = std::stoi(parts[k]);
  const auto out = Swizzle::make(fields[0], fields[1], fields[2]);
  return out ? std::optional<Swizzle>(*out) : std::nullopt;
}

/// A layout, or `Sw<3,0,3> o 0 o (8,8):(8,1)`.
inline std::optional<AnyLayout> read_any(std::string_view text) {
  if (auto layout = read_layout(text)) return AnyLayout(*layout);
  const std::size_t first = text.find(" o "), second = text.find(" o ", first + 3);
  if (first == std::string_view::npos || second == std::string_view::npos) return std::nullopt;
  const auto swizzle = read_swizzle(text.substr(0, first));
  const auto offset = whole_tuple(text.substr(first + 3, second - first - 3));
  const auto inner = read_layout(text.substr(second + 3));
  if (!swizzle || !offset || !inner) return std::nullopt;
  return AnyLayout(Composed(*swizzle, offset->value(), *inner));
}

inline std::vector<std::int64_t> numbers(std::string_view text) {
  std::vector<std::int64_t> out;
  for (const std::string& part : split_list(text)) out.push_back(std::stoll(part));
  return out;
}

}  // namespace reckon::layout_tests
