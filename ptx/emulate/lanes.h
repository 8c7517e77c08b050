// Operations on the numbers of all lanes, as loops that compilers vectorise.
#pragma once

#include <bit>
#include <cstdint>

#include "ptx/emulate/warp.h"

namespace reckon::ptx {

inline constexpr Mask all_lanes = ~Mask{0};

/// Calls `f` with the number of each lane of the mask.
template <class F>
[[gnu::always_inline]] inline void for_lanes(Mask on, F&& f) {
  if (on == all_lanes) {
#pragma GCC ivdep
    for (int lane = 0; lane < lanes_of_warp; ++lane) f(lane);
    return;
  }
  for (; on != 0; on &= on - 1) f(std::countr_zero(on));
}

/// d = F(a), F(a, b), F(a, b, c) in each lane. A result may be in the place of an operand.
template <class F, class D, class A>
void unary(const Operation& operation, Warp& warp, Mask on) {
  D* d = warp.at<D>(operation.d);
  const A* a = warp.at<A>(operation.a);
  for_lanes(on, [&](int lane) { d[lane] = static_cast<D>(F{}(a[lane])); });
}
template <class F, class D, class A, class B>
void binary(const Operation& operation, Warp& warp, Mask on) {
  D* d = warp.at<D>(operation.d);
  const A* a = warp.at<A>(operation.a);
  const B* b = warp.at<B>(operation.b);
  for_lanes(on, [&](int lane) { d[lane] = static_cast<D>(F{}(a[lane], b[lane])); });
}
template <class F, class D, class A, class B, class C>
void ternary(const Operation& operation, Warp& warp, Mask on) {
  D* d = warp.at<D>(operation.d);
  const A* a = warp.at<A>(operation.a);
  const B* b = warp.at<B>(operation.b);
  const C* c = warp.at<C>(operation.c);
  for_lanes(on, [&](int lane) { d[lane] = static_cast<D>(F{}(a[lane], b[lane], c[lane])); });
}

/// Calls `f` with a number of the C++ type of an integer type, of its width and sign; null for other types.
template <class F>
Run with_integer(Type type, F&& f) {
  switch (type) {
    case Type::u8:
    case Type::b8: return f(std::uint8_t{});
    case Type::u16:
    case Type::b16: return f(std::uint16_t{});
    case Type::u32:
    case Type::b32: return f(std::uint32_t{});
    case Type::u64:
    case Type::b64: return f(std::uint64_t{});
    case Type::s8: return f(std::int8_t{});
    case Type::s16: return f(std::int16_t{});
    case Type::s32: return f(std::int32_t{});
    case Type::s64: return f(std::int64_t{});
    default: return nullptr;
  }
}
/// The same for what does not depend on the sign.
template <class F>
Run with_word(int bits, F&& f) {
  switch (bits) {
    case 16: return f(std::uint16_t{});
    case 32: return f(std::uint32_t{});
    case 64: return f(std::uint64_t{});
    default: return nullptr;
  }
}

}  // namespace reckon::ptx
