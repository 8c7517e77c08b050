// Nodes of stages that are kept in shared memory, each computed by one thread.
#include <bit>

#include "codegen/lower/block/block_reducer.h"
#include "codegen/place/place.h"

namespace reckon::codegen {

using ir::ScheduleOp;

namespace {

/// Bytes of leaves that a thread reads before it joins them: with 1024 threads, twice what it takes to keep an H200's
/// memory busy.
constexpr std::int64_t bytes_ahead = 128;

}  // namespace

/// The site, with leaves that `seq` reads ahead of their joins.
FoldSite BlockReducer::reading_ahead(const FoldSite& site) const {
  std::int64_t bytes = 0;
  for (Type type : site.state) bytes += w_.bytes_of(type);
  FoldSite prefetch = site;
  prefetch.prefetch = static_cast<std::int64_t>(
      std::bit_floor(static_cast<std::uint64_t>(bytes_ahead / std::clamp<std::int64_t>(bytes, 4, bytes_ahead))));
  return prefetch;
}

/// Each node is computed by one thread.
Nodes BlockReducer::each_by_a_thread(const FoldSite& site, const Nodes& nodes) {
  before_writing();
  const Values arrays = shared_arrays(site, *nodes.most);
  Value length = nodes.slice.length;
  const FoldSite prefetch = reading_ahead(site);
  each(length, *nodes.most,
       [&](Value position) { w_.store_at(arrays, position, folds_.node_at(prefetch, nodes.slice, position)); });
  barrier();
  return stored(arrays, length, *nodes.most);
}

/// Neighbouring lanes that a thread folds side by side: as many as one read takes, if every thread then has some.
std::int64_t BlockReducer::lanes_of_a_thread(const FoldSite& site, const Slice& slice, std::int64_t lanes) const {
  std::int64_t vector = vector_width(site, slice);
  while (vector > 1 && (lanes % vector != 0 || lanes / vector < threads_)) vector /= 2;
  return vector;
}

bool BlockReducer::reads_vectors_of(const FoldSite& site, const Slice& slice, std::int64_t lanes) const {
  return folds_.is_cheap(site, slice) && joins_.drops_joins(site) && lanes_of_a_thread(site, slice, lanes) > 1;
}

/// `lanes(lanes, seq)`: a thread folds neighbouring lanes.
Nodes BlockReducer::lanes_in_order(const FoldSite& site, const Slice& slice, std::int64_t lanes) {
  const std::int64_t vector = lanes_of_a_thread(site, slice, lanes);
  const bool absorbs = site.arithmetic == Arithmetic::fused && holds_leaves(*slice.list);
  const std::size_t parts = site.state.size();
  const auto kept = static_cast<std::size_t>(vector);
  before_writing();
  const Values arrays = shared_arrays(site, lanes);
  Value rows = b_.udiv(slice.length, w_.i64(lanes));
  Value rest = b_.urem(slice.length, w_.i64(lanes));
  each(w_.i64(lanes / vector), lanes / vector, [&](Value mine) {
    Value lane = b_.mul(mine, w_.i64(vector), Fits::always);
    auto read = [&](Value first, std::int64_t count) {
      std::vector<Values> nodes;
      for (std::int64_t row = 0; row < count; ++row) {
        Value begin = b_.mul(w_.add(first, w_.i64(row)), w_.i64(lanes), Fits::always);
        begin = b_.add(begin, lane, Fits::always);
        for (std::int64_t k = 0; k < vector; ++k) {
          nodes.push_back(folds_.node_at(site, slice, b_.add(begin, w_.i64(k), Fits::always)));
        }
      }
      return nodes;
    };
    auto flat = [](const std::vector<Values>& nodes) {
      Values all;
      for (const Values& node : nodes) all.append(node);
      return all;
    };
    // A single product is not rounded: another node may absorb it.
    const std::int64_t prefetch = std::max<std::int64_t>(1, reading_ahead(site).prefetch / vector);
    const Values sums = w_.branch(
        b_.less_equal(rows, w_.i64(1)),
        [&] {
          return w_.branch(
              b_.equal(rows, w_.i64(1)), [&] { return flat(read(w_.i64(0), 1)); },
              [&] { return flat(std::vector<Values>(kept, joins_.zeros(site))); });
        },
        [&] { return folds_.seq_in_rounds(site, rows, kept, prefetch, absorbs, read); });
    for (std::size_t k = 0; k < kept; ++k) {
      Value number = b_.add(lane, w_.i64(static_cast<std::int64_t>(k)), Fits::always);
      const Values whole = nth_node(sums, k, parts);
      // The last row may be short.
      const Values node = w_.branch(
          w_.known(rest) == 0 ? b_.flag(false) : b_.less(number, rest),
          [&] {
            Value position = b_.add(b_.mul(rows, w_.i64(lanes), Fits::always), number, Fits::always);
            const Values last = folds_.node_at(site, slice, position);
            return w_.branch(
                b_.greater(rows, w_.i64(0)), [&] { return joins_.join(site, whole, last); }, [&] { return last; });
          },
          [&] { return whole; });
      w_.store_at(arrays, number, node);
    }
  });
  barrier();
  return stored(arrays, least(w_.i64(lanes), slice.length), lanes);
}

/// Can a warp do the stage `tile(size, tree)` or `tile(size, halving)` of so many stored nodes by shuffles?
bool BlockReducer::are_of_lanes(const FoldSite& site, const Nodes& nodes, ScheduleOp inner, std::int64_t size,
                                std::int64_t least) const {
  if (nodes.slice.list->kind != List::Kind::stored || !nodes.most || *nodes.most < least) return false;
  if (size < 2 || size > warp || !std::has_single_bit(static_cast<std::uint64_t>(size))) return false;
  if (!fits_in_shared_memory(site, (*nodes.most + size - 1) / size)) return false;
  // An incomplete run would be halved at another place.
  const auto length = w_.known(nodes.slice.length);
  return inner == ScheduleOp::tree || (inner == ScheduleOp::halving && length && *length % size == 0);
}

/// Runs of `size` neighbouring nodes, each joined by `size` lanes of a warp.
Nodes BlockReducer::runs_of_lanes(const FoldSite& site, const Nodes& nodes, ScheduleOp inner, std::int64_t size) {
  const std::int64_t most = (*nodes.most + size - 1) / size;
  before_writing();
  const Values arrays = shared_arrays(site, most);
  Value length = nodes.slice.length;
  const auto fixed = w_.known(length);
  const bool all_there = fixed && *fixed % warp == 0;
  // The length is rounded up so that whole warps execute the shuffles together.
  each(b_.bit_and(b_.add(length, w_.i64(warp - 1)), w_.i64(-warp)), (*nodes.most + warp - 1) / warp * warp,
       [&](Value position) {
         Maybe mine = all_there ? Maybe{folds_.node_at(site, nodes.slice, position), nullptr}
                                : partial_.one_of(site, nodes.slice, position, length);
         for (std::int64_t step = 1; step < size; step *= 2) {
           mine = butterfly(site, mine, inner == ScheduleOp::tree ? step : size / 2 / step);
         }
         Value is_first = b_.equal(b_.bit_and(position, w_.i64(size - 1)), w_.i64(0));
         w_.if_then(mine.present ? b_.bit_and(is_first, mine.present) : is_first,
                    [&] { w_.store_at(arrays, b_.lshr(position, w_.log2_up(w_.i64(size))), mine.value); });
       });
  barrier();
  return stored(arrays, w_.divide_up(length, w_.i64(size)), most);
}

}  // namespace reckon::codegen
