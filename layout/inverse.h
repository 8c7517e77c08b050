// Inverses of layouts, from the left, from the right, and both (docs/layouts.md, "Complements and inverses").
#pragma once

#include "layout/composed.h"
#include "layout/layout.h"
#include "layout/problem.h"

namespace reckon::layout {

/// R with a(R(i)) = i for all i < size(R): the longest run of offsets from 0 that whole modes of `a` give. Always
/// correct, and the longest possible if `a` is injective with strides >= 0; 1:0 if no mode has stride 1. (As in CuTe;
/// of modes with the same stride, the largest is taken.)
Result<Layout> right_inverse(const Layout& a);
/// The same with size(R) = cosize(a), so that it reaches the whole buffer; else refused as `gap` or `negative_stride`.
Result<Layout> right_inverse_whole(const Layout& a);

/// L with L(a(i)) = i for all i; its values for offsets that `a` does not take mean nothing. Refused as `overlap` if
/// two indices have one offset or modes interleave, as `gap` if a stride is not a multiple of the one below it, and as
/// `negative_stride`.
Result<Layout> left_inverse(const Layout& a);
/// CuTe's left inverse, for broadcasts too: a(L(a(i))) = a(i), so L gives one of the indices back. If modes overlap,
/// CuTe's gives indices that `a` does not have, or wrong ones; here that is refused as above.
Result<Layout> left_inverse_loose(const Layout& a);

/// The inverse from both sides: `a` is a bijection of 0 .. size - 1. Otherwise the refusal has a kind as above.
Result<Layout> inverse(const Layout& a);

/// Of swizzled layouts: the layout's inverse after the swizzle, which is its own inverse. In the form Sw' o 0 o R if
/// the bits allow it. Refused if the inner layout's inverse is, or with an offset. A right inverse covers the run that
/// the layout has if the swizzle keeps it within, else at most the 2^base that it does not move.
Result<AnyLayout> right_inverse(const AnyLayout& a);
Result<AnyLayout> left_inverse(const AnyLayout& a);
Result<AnyLayout> inverse(const AnyLayout& a);

/// Whether all offsets differ: decided by the strides where they are far enough apart, by enumeration up to 2^20
/// points otherwise, `undecided` beyond.
Result<bool> injective(const Layout& a);

}  // namespace reckon::layout
