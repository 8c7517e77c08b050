// A program that has every operation of kernel/ops.def, every kind of constant and every mark, in the form in which the
// printer writes it.
#pragma once

#include <string_view>

namespace reckon::test {

inline constexpr std::string_view every_operation = R"(widths f64 8/8/16, f32 4, u32 4

kernel all(
    x: global f32 given,
    y: global f32 kept changes,
    out: global f32 kept,
    i: index,
    c: flag) threads 64 blocks 2 {
  launch_next
  %0, %1 = await_previous x, y
  %2 = thread
  %3 = threads
  %4 = block
  %5 = blocks
  %6 = add %2, i [fits]
  %7 = sub %6, 3 [fits signed]
  %8 = mul %7, -9223372036854775808
  %9 = mul_high %8, %6
  %10 = udiv %2, 32
  %11 = urem %2, 32
  %12 = sdiv %8, 2
  %13 = srem %8, 3
  %14 = and %2, 31
  %15 = or %14, 64
  %16 = xor %15, -1
  %17 = shl %2, 2 [fits]
  %18 = lshr %17, 1
  %19 = ashr %17, 1
  %20 = min %18, %19
  %21 = max %18, %19
  %22 = leading_zeros %21
  %23 = trailing_zeros %21
  %24 = reversed_bits %21
  %25 = eq %2, 0
  %26 = ne %2, 0
  %27 = lt %2, 1
  %28 = le %2, 1
  %29 = gt %2, 1
  %30 = ge %2, 1
  %31 = ult %2, 1
  %32 = ugt %2, 1
  %33 = odd %2
  %34 = extend %33
  %35 = and %33, true
  %36 = xor %35, false
  %37 = select %36, %34, 7
  %38 = from_index %37 : f32
  %39 = from_flag %36
  %40 = to_flag %39
  %41 = from_bits %37
  %42 = bits %41
  %43 = fma.f32 %38, f32(1/3), f32#3fc00000 @7
  %44 = convert.f32.to.f64 %43
  %45 = less.f32.to.bool %43, rounded(f32#40490fdb) @9
  %46 = select.f32 %45, neutral(f32), zero(f32)
  %47 = approx.exp2.f32 f32(pi*-1/2)
  %48 = and.bool %45, bool(true)
  %49 = prepare_divisor %43
  %50, %51 = divide_quick %46, %43, %49, zero(sizes f32)
  %52 = may_be_wrong %49, %51
  %53 = divide_unusual %46, %43
  fault 3 sqrt.f32(%53)
  %54 = table [1, -2, 3]
  %55 = load %54[1]
  %56 = stack 4 : f32
  clear %56, 4
  %57 = shared 1024 at 256 : f32
  %58 = advance %57, 16
  %59 = load x[%2] [once]
  %60 = load %0[%2 - 1] [beside results]
  %61 = leaf %59, %2 @12
  %62 = leaf %60, %6 @12
  %63 = add.f32 %61, %62 @12 [joins]
  %64 = node %63, %61, %62 @12
  %65 = root %64 @12
  store %57[%2] = %65
  barrier
  %66, %67 = load_vector %57[%17]
  store_vector %56[0 + 2] = %66, %67
  %68 = barrier_or %33
  %69 = shuffle_xor %66, 16
  %70 = shared 8 at 2048 : u32
  %71 = arrive %70[0], 63
  %72, %73 = for %74 = %2 to 640 step 64 carry %75 = zero(f32), %76 = 0 [no unroll] {
    %77 = add %76, 1
    yield %69, %77
  }
  for %78 = 0 to 4 step 1 {
    store %56[%78] = %72
  }
  %79 = while carry %80 = %73 {
    %81 = gt %80, 0
    yield %81
  } do %82 {
    %83 = sub %82, 1
    yield %83
  }
  while {
    yield false
  } do {
    barrier
  }
  %84 = if %33 {
    yield %72
  } else {
    yield f32(inf)
  }
  if c {
    store out[%2] = %84
  }
  if %27 {
  } else {
    store out[%2] = f32(nan)
  }
  %85, %86 = call helper @1(%84, i) : f32, index
  call helper @2()
}

function helper @1(%0: f32, %1 "two words": index) -> f32, index {
  yield %0, %1
}

function helper @2() {
}
)";

}  // namespace reckon::test
