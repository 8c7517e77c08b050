// Which rows and columns of the tile are a thread's. Layouts say so (docs/kernels.md), the usual ones or stated ones.
#include <numeric>

#include "codegen/place/place.h"
#include "codegen/strategies/tiles/stated_tile.h"
#include "codegen/strategies/tiles/tile_writer.h"
#include "layout/coalesce.h"
#include "layout/complement.h"

namespace reckon::codegen {

using layout::IntTuple;
using layout::Layout;

namespace {

/// Groups of neighbours; the thread's next group comes after one group of every thread.
Layout usual_values(std::int64_t count, std::int64_t group, std::int64_t threads) {
  return *Layout::make(IntTuple(std::vector<IntTuple>{group, count / group}),
                       IntTuple(std::vector<IntTuple>{1, group * threads}));
}

/// How many of its first values are neighbours.
std::int64_t neighbours_of(const Layout& values) {
  const Layout simple = layout::coalesce(values);
  return simple.stride().leaves()[0] == 1 ? simple.shape().leaves()[0] : 1;
}

}  // namespace

void TileWriter::assign_to_threads() {
  const std::int64_t down = tile_.rows / tile_.thread_rows, across = tile_.columns / tile_.thread_columns;
  const Layout arrangement = tile_.arrangement ? *tile_.arrangement : default_arrangement(down, across);
  column_side_ = side(false, arrangement);
  row_side_ = side(true, arrangement);
}

TileWriter::Side TileWriter::side(bool of_rows, const Layout& arrangement) const {
  const std::int64_t count = of_rows ? tile_.thread_rows : tile_.thread_columns;
  const std::int64_t extent = of_rows ? tile_.rows : tile_.columns;
  const auto& stated = of_rows ? tile_.row_values : tile_.column_values;
  const Layout values = stated ? *stated : usual_values(count, std::gcd(count, group_), extent / count);
  Side out;
  for (std::int64_t k = 0; k < count; ++k) out.offsets.push_back(values.at(k));
  out.group = std::gcd(neighbours_of(values), group_);
  out.starts = *layout::complement(values, IntTuple(extent));
  out.number = digits_of_thread(arrangement.mode(of_rows ? 0 : 1));
  return out;
}

Value TileWriter::start_of(const Side& side) const {
  const auto shape = side.starts->shape().leaves(), stride = side.starts->stride().leaves();
  Value out = w_.i64(0);
  std::int64_t weight = 1;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    Value digit = weight == 1 ? side.number : b_.udiv(side.number, w_.i64(weight));
    weight *= shape[k];
    if (k + 1 < shape.size()) digit = b_.urem(digit, w_.i64(shape[k]));
    out = w_.add(out, b_.mul(digit, w_.i64(stride[k]), Fits::always));
  }
  return out;
}

/// This thread's coordinate in a mode of the arrangement, from the digits of its number.
Value TileWriter::digits_of_thread(const Layout& mode) const {
  const auto shape = mode.shape().leaves(), stride = mode.stride().leaves();
  Value out = w_.i64(0);
  std::int64_t weight = 1;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (shape[k] == 1) continue;
    const bool in_warp = stride[k] * shape[k] <= warp, of_warps = stride[k] % warp == 0;
    const std::int64_t step = of_warps ? stride[k] / warp : stride[k];
    Value digit = of_warps ? reducer_.warp_number() : in_warp ? reducer_.lane() : reducer_.thread();
    if (step > 1) digit = b_.udiv(digit, w_.i64(step));
    const bool is_last = stride[k] * shape[k] == (in_warp ? warp : tile_.threads());
    if (!is_last) digit = b_.urem(digit, w_.i64(shape[k]));
    out = w_.add(out, weight == 1 ? digit : b_.mul(digit, w_.i64(weight), Fits::always));
    weight *= shape[k];
  }
  return out;
}

}  // namespace reckon::codegen
