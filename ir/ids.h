// Typed 32-bit ids into the stores of a Module.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace reckon::ir {

template <class Tag>
struct Id {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint32_t index = none;
  constexpr bool valid() const { return index != none; }
  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

using SymbolId = Id<struct SymbolTag>;      ///< an interned name
using IndexId = Id<struct IndexTag>;        ///< an integer expression over dimensions and index variables
using TypeId = Id<struct TypeTag>;
using LiteralId = Id<struct LiteralTag>;
using ScheduleId = Id<struct ScheduleTag>;
using TreeId = Id<struct TreeTag>;          ///< a written-out tree over leaf numbers
using ReductionId = Id<struct ReductionTag>;
using SourceId = Id<struct SourceTag>;      ///< where the elements of a generated or loaded tensor come from
using NodeId = Id<struct NodeTag>;
using PlacesId = Id<struct PlacesTag>;      ///< a set of places of nodes (places.h)

/// A variable of a binder: an index of `map`, `reduce` or `scan`, an operand of a reduction's operation, or the
/// length of a `length n:` schedule. Numbers below `first_temporary` are canonical: a binder's variable is numbered
/// one above every variable bound inside its body, so that expressions equal up to renaming are one expression.
struct VariableId {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::uint32_t first_temporary = std::uint32_t{1} << 31;
  std::uint32_t index = none;
  constexpr bool valid() const { return index != none; }
  constexpr bool temporary() const { return index >= first_temporary && valid(); }
  friend constexpr auto operator<=>(const VariableId&, const VariableId&) = default;
};

inline std::size_t hash_combine(std::size_t seed, std::size_t value) {
  return seed ^ (value + 0x9e3779b97f4a7c15ull + (seed << 6) + (seed >> 2));
}

}  // namespace reckon::ir

template <class Tag>
struct std::hash<reckon::ir::Id<Tag>> {
  std::size_t operator()(reckon::ir::Id<Tag> id) const { return std::hash<std::uint32_t>{}(id.index); }
};
template <>
struct std::hash<reckon::ir::VariableId> {
  std::size_t operator()(reckon::ir::VariableId id) const { return std::hash<std::uint32_t>{}(id.index); }
};
