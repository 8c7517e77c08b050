// The table of the layout algebra's functions.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "frontend/layouts/arguments.h"

namespace reckon::frontend {

struct LayoutFunction {
  std::string_view name;
  std::string_view usage;  ///< `complement(L, N)`
  std::size_t arity = 0;   ///< number of arguments; with `rest`, at least so many
  bool rest = false;
  std::size_t parameters = 0;
  /// How many of the first arguments have the kinds that the row takes. If not all `parameters`, the row is not meant.
  std::size_t (*accepted)(const LayoutArguments& arguments) = nullptr;
  Maybe (*call)(const LayoutArguments& arguments) = nullptr;
};

namespace layout_functions {

template <class T>
inline constexpr bool is_rest = false;
template <class T>
inline constexpr bool is_rest<Rest<T>> = true;

template <auto function, class Result, class... Parameters, std::size_t... k>
LayoutFunction row_of(std::string_view name, std::string_view usage, Result (*)(Parameters...),
                      std::index_sequence<k...>) {
  LayoutFunction row{name, usage, sizeof...(Parameters) - (is_rest<std::remove_cvref_t<Parameters>> + ... + 0),
                     (is_rest<std::remove_cvref_t<Parameters>> || ... || false), sizeof...(Parameters)};
  row.accepted = [](const LayoutArguments& arguments) {
    std::size_t out = 0;
    (void)((arguments.accepts(k, static_cast<const std::remove_cvref_t<Parameters>*>(nullptr)) && ++out != 0) && ...);
    return out;
  };
  row.call = [](const LayoutArguments& arguments) -> Maybe {
    std::tuple<std::optional<std::remove_cvref_t<Parameters>>...> read;
    const bool sound =
        (static_cast<bool>(std::get<k>(read) = arguments.read<std::remove_cvref_t<Parameters>>(k)) && ... && true);
    if (!sound) return std::nullopt;
    return arguments.give(function(*std::get<k>(read)...));
  };
  return row;
}

/// Makes a row from a function without captures; the types of its parameters say how arguments are read.
template <auto function>
LayoutFunction row(std::string_view name, std::string_view usage) {
  return []<class Result, class... Parameters>(std::string_view name, std::string_view usage,
                                               Result (*pointer)(Parameters...)) {
    return row_of<function>(name, usage, pointer, std::index_sequence_for<Parameters...>());
  }(name, usage, +function);
}

/// A number of bits, bytes or elements, as hardware has them; one that is far too large is refused before it overflows.
layout::Result<int> small(const std::string& operation, std::int64_t value, const char* unit);

std::vector<LayoutFunction> structure();     ///< shapes, coordinates, taking apart and putting together
std::vector<LayoutFunction> algebra();       ///< coalesce, compose, complement, inverses, casts, vectors
std::vector<LayoutFunction> tiles();         ///< divisions, products, partitions
std::vector<LayoutFunction> instructions();  ///< of tensor cores and copies, tiled and partitioned
std::vector<LayoutFunction> hardware();      ///< swizzles, bit matrices, memory

}  // namespace layout_functions

/// All functions; rows of one name differ in the number or the kinds of their arguments.
const std::vector<LayoutFunction>& all_layout_functions();

}  // namespace reckon::frontend
