// Inverses of layouts, from the left, from the right, and both (docs/layouts.md, "Complements and inverses").
#pragma once

#include "layout/composed.h"
#include "layout/layout.h"
#include "layout/problem.h"

namespace reckon::layout {

/// R with a(R(i)) = i for all i < size(R): the longest run of offsets from 0 that whole modes of `a` give. Always
/// right, and as long as can be where `a` is injective with strides >= 0; 1:0 if no mode has stride 1. (CuTe's; of
/// modes with the same stride, the largest.)
Result<Layout> right_inverse(const Layout& a);
/// With size(R) = cosize(a), so that all of the buffer is reached; refused as `gap` or `negative_stride` otherwise.
Result<Layout> right_inverse_whole(const Layout& a);

/// L with L(a(i)) = i for all i; what it gives for offsets that `a` does not take means nothing. Refused as `overlap`
/// if two indices meet or modes interleave, as `gap` if a stride is not a multiple of the one below it, as
/// `negative_stride`.
Result<Layout> left_inverse(const Layout& a);
/// CuTe's, for broadcasts too: a(L(a(i))) = a(i), so that L gives one of the indices back. Where modes overlap, CuTe's
/// gives indices that are not of `a`, or others; refused here as above.
Result<Layout> left_inverse_loose(const Layout& a);

/// From both sides: `a` is a bijection of 0 .. size - 1. Refused by kind otherwise.
Result<Layout> inverse(const Layout& a);

/// Of swizzled layouts: the inverse of the layout after the swizzle, which is its own. As Sw' o 0 o R where the bits
/// allow it. Refused where the inner layout's inverse is, or with an offset. A right inverse covers the run that the
/// layout has if the swizzle keeps it within, else at most the 2^base that it leaves alone.
Result<AnyLayout> right_inverse(const AnyLayout& a);
Result<AnyLayout> left_inverse(const AnyLayout& a);
Result<AnyLayout> inverse(const AnyLayout& a);

/// Whether all offsets differ: decided by the strides where they are far enough apart, by enumeration up to 2^20
/// points otherwise, `undecided` beyond.
Result<bool> injective(const Layout& a);

}  // namespace reckon::layout
