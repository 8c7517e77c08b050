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
  %39 = bounded_index u32(5), %37, 2
  %40 = from_flag %36
  %41 = to_flag %40
  %42 = from_bits %37
  %43 = bits %42
  %44 = fma.f32 %38, f32(1/3), f32#3fc00000 @7
  %45 = convert.f32.to.f64 %44
  %46 = less.f32.to.bool %44, rounded(f32#40490fdb) @9
  %47 = select.f32 %46, neutral(f32), zero(f32)
  %48 = approx.exp2.f32 f32(pi*-1/2)
  %49 = and.bool %46, bool(true)
  %50 = prepare_divisor %44
  %51, %52 = divide_quick %47, %44, %50, zero(sizes f32)
  %53 = may_be_wrong %50, %52
  %54 = divide_unusual %47, %44
  fault 3 sqrt.f32(%54)
  %55 = table [1, -2, 3]
  %56 = load %55[1]
  %57 = stack 4 : f32
  clear %57, 4
  %58 = shared 1024 at 256 : f32
  %59 = advance %58, 16
  %60 = load x[%2] [once]
  %61 = load %0[%2 - 1] [beside results]
  %62 = leaf %60, %2 @12
  %63 = leaf %61, %6 @12
  %64 = add.f32 %62, %63 @12 [joins]
  %65 = node %64, %62, %63 @12
  %66 = root %65 @12
  store %58[%2] = %66
  barrier
  %67, %68 = load_vector %58[%17]
  store_vector %57[0 + 2] = %67, %68
  %69 = barrier_or %33
  %70 = shuffle_xor %67, 16
  %71 = shared 8 at 2048 : u32
  %72 = arrive %71[0], 63
  %73, %74 = for %75 = %2 to 640 step 64 carry %76 = zero(f32), %77 = 0 [no unroll] {
    %78 = add %77, 1
    yield %70, %78
  }
  for %79 = 0 to 4 step 1 {
    store %57[%79] = %73
  }
  %80 = while carry %81 = %74 {
    %82 = gt %81, 0
    yield %82
  } do %83 {
    %84 = sub %83, 1
    yield %84
  }
  while {
    yield false
  } do {
    barrier
  }
  %85 = if %33 {
    yield %73
  } else {
    yield f32(inf)
  }
  if c {
    store out[%2] = %85
  }
  if %27 {
  } else {
    store out[%2] = f32(nan)
  }
  %86, %87 = call helper @1(%85, i) : f32, index
  call helper @2()
}

function helper @1(%0: f32, %1 "two words": index) -> f32, index {
  yield %0, %1
}

function helper @2() {
}
)";

}  // namespace reckon::test
