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
  %50, %51 = apply_rounded exp2.f32.to.bf16 %48, %49 @9
  %52 = and.bool %47, bool(true)
  %53 = prepare_divisor %45
  %54, %55 = divide_quick %48, %45, %53, zero(sizes f32)
  %56 = may_be_wrong %53, %55
  %57 = divide_unusual %48, %45
  fault 3 sqrt.f32(%57)
  %58 = table [1, -2, 3]
  %59 = load %58[1]
  %60 = stack 4 : f32
  clear %60, 4
  %61 = shared 1024 at 256 : f32
  %62 = advance %61, 16
  %63 = load x[%2] [once]
  %64 = load %0[%2 - 1] [beside results]
  %65 = leaf %63, %2 @12
  %66 = leaf %64, %6 @12
  %67 = add.f32 %65, %66 @12 [joins]
  %68 = node %67, %65, %66 @12
  %69 = root %68 @12
  store %61[%2] = %69
  barrier
  %70, %71 = load_vector %61[%17]
  store_vector %60[0 + 2] = %70, %71
  %72 = barrier_or %33
  %73 = shuffle_xor %70, 16
  %74 = shared 8 at 2048 : u32
  %75 = arrive %74[0], 63
  atomic_add %61[%2 + 1], %69
  %76, %77 = for %78 = %2 to 640 step 64 carry %79 = zero(f32), %80 = 0 [no unroll] {
    %81 = add %80, 1
    yield %73, %81
  }
  for %82 = 0 to 4 step 1 {
    store %60[%82] = %76
  }
  %83 = while carry %84 = %77 {
    %85 = gt %84, 0
    yield %85
  } do %86 {
    %87 = sub %86, 1
    yield %87
  }
  while {
    yield false
  } do {
    barrier
  }
  %88 = if %33 {
    yield %76
  } else {
    yield f32(inf)
  }
  if c {
    store out[%2] = %88
  }
  if %27 {
  } else {
    store out[%2] = f32(nan)
  }
  %89, %90 = call helper @1(%88, i) : f32, index
  call helper @2()
  warp_barrier
  %91, %92 = peers %2
  %93, %94, %95, %96 = mma_f64 %2, %46, %46, f64#3ff8000000000000, %46, %46, neutral(f64), %46 @12
  %97 = ticket %74[0], 80
  %98 = shared 64 at 2048 : u64
  publish %98[%97], %46
  %99, %100 = look_up %98[2] : f64
}

function helper @1(%0: f32, %1 "two words": index) -> f32, index {
  yield %0, %1
}

function helper @2() {
}

kernel sums(out: global f32 kept) {
  %0 = stack 96 : f32
  %1 = stack 100 : f32
  %2 = stack 80 : f32
  chains 4 by 16 lanes 8 %3 = 1 to 5 sums %4 = %0[0] pitch 24 rows %5 = %1[3] leaf 1 row 24 columns %6 = %2[0] leaf 16 {
    %7 = leaf %5, %3 @12
    %8 = fma.f32 %7, %6, %4 @12 [joins]
    yield %8
  }
  chains 1 by 1 lanes 1 %9 = 0 to 5 sums %10 = %0[0], %11 = %0[1] pitch 1 rows %12 = %1[0] leaf 1 row 1, %13 = %1[7] leaf 2 row 0 columns %14 = %2[0] leaf 1, %15 = %2[9] leaf 1 {
    yield %10, %11
  }
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

kernel rows(half: global f16 given, out: global f32 kept) threads 256 {
  %0 = shared 33000 at 1024 : f16
  %1 = block
  %2 = blocks
  mma_rows hopper f16 f32 @3 64 by 64 leaves 16 width 64 slots 3 in %0 %3 = %1 to 8 step %2 x half leaf 0 side 1 map 0 extents 16, 64 strides 16 y half leaf 0 side 1 map 1 extents 16, 64 strides 16 z half leaf 1 side 0 map 2 extents 16, 64 strides 16 @12 {
    yield 0, 0, 0, 0, 0, 0, 0, 64
  } pass %4 {
    yield 7
  } tile %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39 {
    yield f16(0), f16(0), f16(0), f16(0), f16(0), f16(0), f16(0), f16(0), f16(0), f16(0), f16(0), f16(0), f16(0), f16(0), f16(0), f16(0), f16(0), f16(0), f16(0), f16(0), f16(0), f16(0), f16(0), f16(0), f16(0), f16(0), f16(0), f16(0), f16(0), f16(0), f16(0), f16(0), %39
  } end %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73 {
    store out[%40] = %41
  }
}
)";

}  // namespace reckon::test
