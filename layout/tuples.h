// Relations between shapes, their divisions and their coordinates (docs/layouts.md). Every function here has a result
// for all arguments, or says what fails; the leaves of shapes are positive.
#pragma once

#include <span>

#include "layout/int_tuple.h"
#include "layout/problem.h"

namespace reckon::layout {

/// `a` is nested as `b` is, or less deeply: an integer stands for anything.
bool weakly_congruent(const IntTuple& a, const IntTuple& b);
/// Every coordinate of `a` is a coordinate of `b`: an integer of `a` is the size of what `b` has in its place. A
/// partial order; (24) and 24 are not compatible, 24 and (24) are.
bool compatible(const IntTuple& a, const IntTuple& b);
/// A tiler of this size, or of these sizes mode by mode, leaves nothing over.
bool evenly_divides(const IntTuple& shape, const IntTuple& tiler);

/// How many tiles cover the shape. By an integer: it is used up from the left, ceil_div((4,6),3) = (2,6), so that the
/// size of the result may be more than the rounded-up quotient of the sizes; where it comes out as less, and tiles are
/// missing ((16,32) by 36 is (1,11) in CuTe), it is refused. By a tuple: mode by mode, modes past its end as they are.
/// An integer by a tuple: by its size.
Result<IntTuple> ceil_div(const IntTuple& shape, const IntTuple& tiler);
/// As ceil_div, where on every step one of the two divides the other.
Result<IntTuple> shape_div(const IntTuple& shape, const IntTuple& tiler);

/// The coordinate, nested as the shape is, of an index or of a coordinate that the shape takes. (`split` takes indices
/// only.) An index past the end is refused; idx2crd_extended lets the last mode go past its end, as CuTe does.
Result<IntTuple> idx2crd(const IntTuple& index, const IntTuple& shape);
Result<IntTuple> idx2crd_extended(std::int64_t index, const IntTuple& shape);
/// For compact strides only: (index div d) mod s at each leaf, refused where that is not the inverse of crd2idx.
Result<IntTuple> idx2crd(std::int64_t index, const IntTuple& shape, const IntTuple& stride);
/// The index of a coordinate: `join`; with strides, the offset.
Result<std::int64_t> crd2idx(const IntTuple& coordinate, const IntTuple& shape);
Result<std::int64_t> crd2idx(const IntTuple& coordinate, const IntTuple& shape, const IntTuple& stride);
/// The coordinate of the same index in another shape, of the same size.
Result<IntTuple> crd2crd(const IntTuple& coordinate, const IntTuple& from, const IntTuple& to);

// Structure. An integer counts as one mode, itself: append(3, 4) = (3,4).

/// The element at a path: get<1,0>.
Result<IntTuple> get(const IntTuple& tuple, std::span<const std::int64_t> path);
/// The elements named, in the order named; always a tuple.
Result<IntTuple> select(const IntTuple& tuple, std::span<const std::int64_t> modes);
/// The elements first .. last - 1; first < last.
Result<IntTuple> take(const IntTuple& tuple, std::int64_t first, std::int64_t last);
/// Wraps the elements first .. last - 1 as one; first < last.
Result<IntTuple> group(const IntTuple& tuple, std::int64_t first, std::int64_t last);
/// One level, of leaves; an integer stays one.
IntTuple flatten(const IntTuple& tuple);
/// The leaves nested as the profile is; as many as it has.
Result<IntTuple> unflatten(const IntTuple& tuple, const IntTuple& profile);
IntTuple append(const IntTuple& tuple, const IntTuple& element);
IntTuple prepend(const IntTuple& tuple, const IntTuple& element);
/// Repeats `element` at the end until there are `rank` modes; an integer becomes a tuple if any is added.
Result<IntTuple> append_to_rank(const IntTuple& tuple, std::int64_t rank, const IntTuple& element);
Result<IntTuple> prepend_to_rank(const IntTuple& tuple, std::int64_t rank, const IntTuple& element);
Result<IntTuple> replace(const IntTuple& tuple, std::int64_t mode, const IntTuple& element);
/// ((a,b),(c,d)) -> ((a,c),(b,d)): tuples of one rank.
Result<IntTuple> zip(const IntTuple& tuple);
/// The size of each mode: (4,(2,3)) -> (4,6). A size that does not fit is refused.
Result<IntTuple> product_each(const IntTuple& shape);

}  // namespace reckon::layout
