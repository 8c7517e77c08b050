// The element types: of scalars and tensors in circuits, and of the C++ numbers that hold their values.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

namespace reckon::circuit {

// A format is a type without values. `Native` holds its numbers, or its bit patterns where C++ has no such numbers.
struct f64 {
  static constexpr std::string_view name = "f64";
  using Native = double;
};
struct f32 {
  static constexpr std::string_view name = "f32";
  using Native = float;
};
struct f16 {
  static constexpr std::string_view name = "f16";
  using Native = std::uint16_t;
};
struct bf16 {
  static constexpr std::string_view name = "bf16";
  using Native = std::uint16_t;
};
/// f32 patterns whose 13 low bits are 0.
struct tf32 {
  static constexpr std::string_view name = "tf32";
  using Native = float;
};
struct f8e4m3 {
  static constexpr std::string_view name = "f8e4m3";
  using Native = std::uint8_t;
};
struct f8e5m2 {
  static constexpr std::string_view name = "f8e5m2";
  using Native = std::uint8_t;
};
/// Patterns of 6 and of 4 bits, in the low bits of a byte.
struct f6e3m2 {
  static constexpr std::string_view name = "f6e3m2";
  using Native = std::uint8_t;
};
struct f6e2m3 {
  static constexpr std::string_view name = "f6e2m3";
  using Native = std::uint8_t;
};
struct f4e2m1 {
  static constexpr std::string_view name = "f4e2m1";
  using Native = std::uint8_t;
};
// Integers modulo a power of 2.
struct i8 {
  static constexpr std::string_view name = "i8";
  using Native = std::int8_t;
};
struct i16 {
  static constexpr std::string_view name = "i16";
  using Native = std::int16_t;
};
struct i32 {
  static constexpr std::string_view name = "i32";
  using Native = std::int32_t;
};
struct i64 {
  static constexpr std::string_view name = "i64";
  using Native = std::int64_t;
};
struct u8 {
  static constexpr std::string_view name = "u8";
  using Native = std::uint8_t;
};
struct u16 {
  static constexpr std::string_view name = "u16";
  using Native = std::uint16_t;
};
struct u32 {
  static constexpr std::string_view name = "u32";
  using Native = std::uint32_t;
};
struct u64 {
  static constexpr std::string_view name = "u64";
  using Native = std::uint64_t;
};
struct boolean {
  static constexpr std::string_view name = "bool";
  using Native = std::uint8_t;
};

template <class T>
concept Format = requires {
  { T::name } -> std::convertible_to<std::string_view>;
  typename T::Native;
};
template <class T>
concept FloatFormat = Format<T> && T::name.front() != 'i' && T::name.front() != 'u' && !std::same_as<T, boolean>;
template <class T>
concept IntegerFormat = Format<T> &&(T::name.front() == 'i' || T::name.front() == 'u');
template <class T>
concept UnsignedFormat = IntegerFormat<T> && T::name.front() == 'u';

}  // namespace reckon::circuit
