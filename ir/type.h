// Types: scalars, tensors whose extents are index expressions, and tuples.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/ids.h"
#include "numerics/integer.h"

namespace reckon::numerics {
enum class Format : std::uint8_t;  // numerics/format.h, for those who look at one
}

namespace reckon::ir {

using numerics::Format;

/// The formats, in Format's order, the integers, then the types without bits of their own.
enum class Scalar : std::uint8_t {
#define RECKON_FORMAT(name, ...) name,
#include "numerics/formats.def"
#define RECKON_INTEGER(name, ...) name,
#include "numerics/integers.def"
  boolean,
  number
};

constexpr bool is_float(Scalar scalar) { return scalar < Scalar::i8; }
constexpr bool is_integer(Scalar scalar) { return scalar >= Scalar::i8 && scalar < Scalar::boolean; }
/// A format, or integers: values are bit patterns in memory.
constexpr bool has_pattern(Scalar scalar) { return scalar < Scalar::boolean; }
constexpr bool is_numeric(Scalar scalar) { return scalar != Scalar::boolean; }
constexpr Format format_of(Scalar scalar) { return static_cast<Format>(scalar); }
constexpr Scalar scalar_of(Format format) { return static_cast<Scalar>(format); }
/// Of an integer type.
constexpr const numerics::IntegerTraits& integer_traits(Scalar scalar) {
  return numerics::integer_table[static_cast<int>(scalar) - static_cast<int>(Scalar::i8)];
}
/// The k-th integer type of numerics/integers.def.
constexpr Scalar integer_scalar(int k) { return static_cast<Scalar>(static_cast<int>(Scalar::i8) + k); }
/// How many bytes a value has in memory; a bool has one.
int byte_width(Scalar scalar);
std::string_view scalar_name(Scalar scalar);
std::optional<Scalar> scalar_named(std::string_view name);
/// In the order of Scalar.
std::vector<std::string_view> scalar_names();

enum class TypeKind : std::uint8_t { scalar, tensor, tuple };

struct Type {
  TypeKind kind{};
  Scalar scalar{};              ///< of a scalar, or of a tensor's elements
  std::vector<IndexId> extents; ///< of a tensor, outermost first (row-major); rank >= 1
  std::vector<TypeId> parts;    ///< of a tuple, at least one
  friend bool operator==(const Type&, const Type&) = default;
};

class TypeStore {
 public:
  TypeId scalar(Scalar scalar);
  TypeId tensor(Scalar scalar, std::vector<IndexId> extents);
  TypeId tuple(std::vector<TypeId> parts);
  const Type& operator[](TypeId id) const { return types_[id.index]; }
  /// Whether it is a tensor, or a tuple with a tensor in it.
  bool has_tensor(TypeId id) const;

 private:
  TypeId intern(Type type);
  struct Hash {
    std::size_t operator()(const Type& type) const;
  };
  std::vector<Type> types_;
  std::unordered_map<Type, TypeId, Hash> interned_;
};

}  // namespace reckon::ir
