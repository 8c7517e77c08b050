// A program that has every operation of kernel/ops.def, every kind of constant and every mark, in the form in which the
// printer writes it.
#pragma once

#include <string_view>

namespace reckon::test {

inline constexpr std::string_view every_operation = R"(widths f64 8/8/16, f32 4, f16 2/2/4, u32 4

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
  %40 = clamped_index u32(5), %37
  %41 = from_flag %36
  %42 = to_flag %41
  %43 = from_bits %37
  %44 = bits %43
  %45 = fma.f32 %38, f32(1/3), f32#3fc00000 @7
  %46 = convert.f32.to.f64 %45
  %47 = less.f32.to.bool %45, rounded(f32#40490fdb) @9
  %48 = select.f32 %47, neutral(f32), zero(f32)
  %49 = approx.exp2.f32 f32(pi*-1/2)
  %50 = and.bool %47, bool(true)
  %51 = prepare_divisor %45
  %52, %53 = divide_quick %48, %45, %51, zero(sizes f32)
  %54 = may_be_wrong %51, %53
  %55 = divide_unusual %48, %45
  fault 3 sqrt.f32(%55)
  %56 = table [1, -2, 3]
  %57 = load %56[1]
  %58 = stack 4 : f32
  clear %58, 4
  %59 = shared 1024 at 256 : f32
  %60 = advance %59, 16
  %61 = load x[%2] [once]
  %62 = load %0[%2 - 1] [beside results]
  %63 = leaf %61, %2 @12
  %64 = leaf %62, %6 @12
  %65 = add.f32 %63, %64 @12 [joins]
  %66 = node %65, %63, %64 @12
  %67 = root %66 @12
  store %59[%2] = %67
  barrier
  %68, %69 = load_vector %59[%17]
  store_vector %58[0 + 2] = %68, %69
  %70 = barrier_or %33
  %71 = shuffle_xor %68, 16
  %72 = shared 8 at 2048 : u32
  %73 = arrive %72[0], 63
  %74, %75 = for %76 = %2 to 640 step 64 carry %77 = zero(f32), %78 = 0 [no unroll] {
    %79 = add %78, 1
    yield %71, %79
  }
  for %80 = 0 to 4 step 1 {
    store %58[%80] = %74
  }
  %81 = while carry %82 = %75 {
    %83 = gt %82, 0
    yield %83
  } do %84 {
    %85 = sub %84, 1
    yield %85
  }
  while {
    yield false
  } do {
    barrier
  }
  %86 = if %33 {
    yield %74
  } else {
    yield f32(inf)
  }
  if c {
    store out[%2] = %86
  }
  if %27 {
  } else {
    store out[%2] = f32(nan)
  }
  %87, %88 = call helper @1(%86, i) : f32, index
  call helper @2()
}

function helper @1(%0: f32, %1 "two words": index) -> f32, index {
  yield %0, %1
}

function helper @2() {
}

kernel products(half: global f16 given, copy: global f16 kept, out: global f32 kept) threads 256 {
  %0 = shared 9232 at 1024 : f16
  %1 = block
  %2 = blocks
  mma_tiles hopper f16 f32 64 by 8 stages 1 in %0 leaves 16 %3 = %1 to 8 step %2 x half leaf 0 side 1 map 0 extents 16, 64 strides 16 y half or copy if %2 leaf 1 side 0 map 1 extents 8, 16 strides 8 @12 {
    yield 0, %3, 0, 8, 16
  } do %4, %5, %6, %7, %8 {
    store out[%4] = %5
  }
}
)";

}  // namespace reckon::test
