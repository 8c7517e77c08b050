// Types of the kernel IR's values.
#pragma once

#include <cstdint>

#include "ir/type.h"

namespace reckon::kernel {

enum class Kind : std::uint8_t {
  number,   ///< of a format, abstract in its semantics; `boolean` is the truth value of the semantics
  index,    ///< a 64-bit integer
  flag,     ///< one bit
  memory,   ///< a place in an array: where elements are loaded and stored from
  divisor,  ///< what `prepare_divisor` gives
  sizes,    ///< the least and the greatest size of the dividends of a divisor so far
};

enum class Space : std::uint8_t {
  global,
  shared,  ///< of a block
  local,   ///< of a thread: the stack
};

/// How numbers are kept in memory.
enum class Form : std::uint8_t {
  given,      ///< bit patterns of the format, as parameters have them
  kept,       ///< as kernels keep them in buffers
  registers,  ///< as values are
};

struct Type {
  Kind kind = Kind::index;
  ir::Scalar scalar = ir::Scalar::f64;  ///< number; memory of numbers
  Kind element = Kind::index;           ///< memory: number, index or flag
  Form form = Form::registers;          ///< memory of numbers
  Space space = Space::global;          ///< memory

  static constexpr Type number(ir::Scalar scalar) { return {Kind::number, scalar}; }
  static constexpr Type index() { return {Kind::index}; }
  static constexpr Type flag() { return {Kind::flag}; }
  static constexpr Type memory(Space space, Type element, Form form = Form::registers) {
    return {Kind::memory, element.scalar, element.kind, form, space};
  }
  constexpr Type element_type() const { return {element, scalar}; }
  friend constexpr bool operator==(const Type&, const Type&) = default;
};

/// Bytes of a number in each form, which the compiled semantics decides.
struct Widths {
  static constexpr std::size_t scalars = static_cast<std::size_t>(ir::Scalar::number) + 1;
  std::uint8_t given[scalars] = {}, kept[scalars] = {}, registers[scalars] = {};

  std::int64_t of(ir::Scalar scalar, Form form) const {
    const auto k = static_cast<std::size_t>(scalar);
    return form == Form::given ? given[k] : form == Form::kept ? kept[k] : registers[k];
  }
  /// Bytes of a value in memory of form `registers`.
  std::int64_t of(Type type) const {
    if (type.kind == Kind::number) return of(type.scalar, Form::registers);
    return type.kind == Kind::flag ? 1 : 8;
  }
  /// The words that `publish` needs for a number: one for 4 of its bytes, or for each of fewer ones.
  std::int64_t words_to_publish(ir::Scalar scalar) const {
    const std::int64_t bytes = of(scalar, Form::registers);
    return bytes < 4 ? bytes : bytes / 4;
  }
  std::int64_t of_element(Type memory) const {
    return memory.element == Kind::number ? of(memory.scalar, memory.form) : of(memory.element_type());
  }
};

}  // namespace reckon::kernel
