// `lanes(L, tree)` and `tree`, computed by a block. A block row is as many neighbouring leaves as one read of a warp
// takes, or L leaves if that is more; it holds one or more whole rows of L leaves. Each group of warps has a run of
// block rows, a power of two of them; the last run may be shorter.

#include <bit>

#include "codegen/lower/block/block_rows.h"
#include "codegen/place/place.h"
#include "ir/visit.h"

namespace reckon::codegen {

namespace {

constexpr std::int64_t written_out = 64;   ///< most block rows of a run that are joined without a counter,
constexpr std::int64_t maybe_absent = 16;  ///< and most of them if their number is not known
/// In the second case, a thread reads at most so many bytes for these block rows: all loads are under way together, and
/// more would not fit in registers (an H200, products of 5000 rows of 5000 with a vector: f64 73 us with a counter, 242
/// without; f32 of 20000 129 us and 337).
constexpr std::int64_t bytes_under_way = 256;
/// Block rows whose loads are in flight together where a leaf is not cheap, but light.
constexpr std::int64_t light_rows_in_flight = 4;

}  // namespace

BlockReducer::Rows BlockReducer::rows_of(const FoldSite& site, const Slice& slice, std::int64_t lanes) const {
  Rows rows;
  rows.slice = slice;
  rows.lanes = lanes;
  rows.vector = vector_width(site, slice);
  rows.size = std::max(lanes, warp * rows.vector);
  rows.lane_blocks = rows.size / (warp * rows.vector);
  rows.groups = std::max<std::int64_t>(1, threads_ / warp / rows.lane_blocks);
  rows.is_cheap = folds_.is_cheap(site, slice);
  const bool is_light = site.light && slice.list->kind == List::Kind::leaves;
  rows.at_once = rows.is_cheap ? rows_in_flight : is_light ? light_rows_in_flight : 1;
  rows.step = leaf_step(site, rows);
  return rows;
}

/// How far a thread's leaves of a block row are apart.
std::int64_t BlockReducer::leaf_step(const FoldSite& site, const Rows& rows) const {
  // With fewer lanes the threads of a warp would join leaf by leaf.
  if (rows.vector == 1 || rows.lanes < warp || rows.slice.list->kind != List::Kind::leaves) return 1;
  if (slots_) return slot_step_;
  const bool aligned =
      reads_whole_vectors_ || reads_aligned(module_, site.node.operands, site.node.variables[0], rows.vector);
  return aligned ? 1 : warp;
}

std::int64_t BlockReducer::lanes_room(const FoldSite& site, const Slice& slice, std::int64_t lanes) const {
  return lanes * rows_of(site, slice, lanes).groups;
}

Nodes BlockReducer::lanes_by_tree(const FoldSite& site, const Nodes& nodes, std::int64_t lanes) {
  const Slice& slice = nodes.slice;
  Rows rows = rows_of(site, slice, lanes);
  Value size = w_.i64(rows.size);
  rows.whole = b_.udiv(slice.length, size);
  rows.rest = b_.urem(slice.length, size);
  Value all = b_.add(rows.whole, b_.extend(b_.not_equal(rows.rest, w_.i64(0))));
  rows.run = power_of_two_from(w_.divide_up(all, w_.i64(rows.groups)));
  rows.group = b_.udiv(warp_number_, w_.i64(rows.lane_blocks));
  write_out(site, rows, nodes.most);

  before_writing();
  const Values partials = shared_arrays(site, lanes * rows.groups);
  const std::int64_t warps = threads_ / warp;
  if (warps >= rows.lane_blocks) {
    rows.offset = offset_in(rows, b_.urem(warp_number_, w_.i64(rows.lane_blocks)));
    lanes_of_group(site, rows, partials);
  } else {
    rows.group = w_.i64(0);
    w_.loop(warp_number_, w_.i64(rows.lane_blocks), w_.i64(warps), {}, [&](Value block, const Values&) {
      rows.offset = offset_in(rows, block);
      lanes_of_group(site, rows, partials);
      return Values{};
    });
  }
  barrier();
  if (rows.groups > 1) join_groups(site, rows, partials);
  return stored(partials, least(w_.i64(lanes), slice.length), lanes);
}

/// This thread's place in a block row, in the given one of the warps' parts.
Value BlockReducer::offset_in(const Rows& rows, Value block) const {
  const std::int64_t units = warp * rows.vector / rows.unit();
  return b_.add(b_.mul(block, w_.i64(units), Fits::always), lane_, Fits::always);
}

/// Bytes in registers of what is read for a leaf.
std::int64_t BlockReducer::bytes_read(const FoldSite& site) const {
  std::int64_t bytes = 0;
  ir::walk(module_, site.node.operands, [&](ir::NodeId id) {
    if (module_[id].op != ir::Op::element) return ir::Walk::below;
    if (module_.depends_on(id, site.node.variables[0])) bytes += w_.bytes_of(Type::number(module_.type(id).scalar));
    return ir::Walk::beside;
  });
  return bytes;
}

/// Unrolls the block rows of a group's run if they are few enough to need no counter.
void BlockReducer::write_out(const FoldSite& site, Rows& rows, std::optional<std::int64_t> most) const {
  if (present_ && by_slots(rows)) {
    rows.share = static_cast<std::int64_t>(slots_->size()) / rows.vector;
    rows.run = w_.i64(rows.share);
    rows.all_there = true;  // or its nodes say that they are absent
    return;
  }
  const auto whole = w_.known(rows.whole), rest = w_.known(rows.rest);
  const std::int64_t share = whole ? *whole / rows.groups : 0;
  if (rest == 0 && share * rows.groups == whole && std::has_single_bit(static_cast<std::uint64_t>(share)) &&
      (slots_ || share <= (rows.is_cheap ? written_out : 4))) {
    rows.share = share;
    rows.all_there = true;
    return;
  }
  if (!most || !rows.is_cheap) return;
  const std::int64_t of_group = rows.size * rows.groups;
  const auto longest = std::bit_ceil(static_cast<std::uint64_t>((*most + of_group - 1) / of_group));
  if (longest > maybe_absent) return;
  if (static_cast<std::int64_t>(longest) * rows.vector * bytes_read(site) > bytes_under_way) return;
  rows.share = static_cast<std::int64_t>(longest);
  rows.run = w_.i64(rows.share);
}

/// Stores the nodes of this thread's lanes, as its group computes them, where the group keeps its nodes.
void BlockReducer::lanes_of_group(const FoldSite& site, const Rows& rows, const Values& partials) {
  const auto kept = static_cast<std::size_t>(rows.kept());
  // Threads of a warp that have a lane; 0: even a vector has several rows.
  const std::int64_t row_threads = rows.step > 1 ? warp : rows.lanes / rows.vector;
  Value leaf = b_.mul(rows.offset, w_.i64(rows.unit()), Fits::always);
  Value lane = rows.lanes >= warp * rows.vector ? leaf : b_.bit_and(leaf, w_.i64(rows.lanes - 1));
  Value keeps = row_threads >= warp ? b_.flag(true) : b_.less(lane_, w_.i64(std::max<std::int64_t>(row_threads, 1)));
  auto keep = [&](std::size_t k, const Values& values) {
    Value number = w_.add(lane, w_.i64(static_cast<std::int64_t>(k) * rows.step));
    w_.store_at(partials, w_.add(w_.multiply(rows.group, w_.i64(rows.lanes)), number), values);
  };
  Value first = b_.mul(rows.group, rows.run, Fits::always);

  if (rows.share > 0) {
    const std::vector<Maybe> nodes =
        rows.all_there ? all_block_rows(site, rows, first) : some_block_rows(site, rows, first);
    for (std::size_t k = 0; k < kept; ++k) {
      Value there = nodes[k].present ? b_.bit_and(keeps, nodes[k].present) : keeps;
      w_.if_then(there, [&] { keep(k, nodes[k].value); });
    }
    return;
  }

  TreeCounter counter(folds_, site, kept);
  Value left = b_.sub(rows.whole, first);
  Value mine = w_.smaller(b_.maximum(left, w_.i64(0)), rows.run);
  counter.fill(mine, rows.at_once,
               [&](Value begin, std::int64_t n) { return block_rows(site, rows, w_.add(first, begin), n); });
  // The incomplete block row, if it is this group's.
  Values counts(kept, mine);
  if (w_.known(rows.rest) != 0) {
    Value is_mine = b_.bit_and(b_.not_equal(rows.rest, w_.i64(0)),
                               b_.bit_and(b_.greater_equal(left, w_.i64(0)), b_.less(left, rows.run)));
    counts = w_.branch(
        is_mine,
        [&] {
          const std::vector<Maybe> nodes = block_row(site, rows, rows.whole, true);
          Values more;
          for (std::size_t k = 0; k < kept; ++k) {
            w_.if_then(nodes[k].present, [&] { folds_.trees().push(site, counter.of(k), mine, 0, nodes[k].value); });
            more.push_back(b_.add(mine, b_.extend(nodes[k].present)));
          }
          return more;
        },
        [&] { return Values(kept, mine); });
  }
  for (std::size_t k = 0; k < kept; ++k) {
    w_.if_then(b_.bit_and(keeps, b_.greater(counts[k], w_.i64(0))),
               [&] { keep(k, folds_.trees().finish(site, counter.of(k), counts[k])); });
  }
}

/// One thread for each lane joins the nodes of all groups, and stores the result where the first group had its node.
void BlockReducer::join_groups(const FoldSite& site, const Rows& rows, const Values& partials) {
  Value run_leaves = b_.mul(rows.run, w_.i64(rows.size), Fits::always);
  List list;
  list.kind = List::Kind::stored;
  list.pointers = partials;
  const auto whole = w_.known(rows.whole), rest = w_.known(rows.rest);
  const bool every_group_has_one = whole && rest == 0 && *whole > *w_.known(rows.run) * (rows.groups - 1);
  each(least(w_.i64(rows.lanes), rows.slice.length), rows.lanes, [&](Value lane) {
    Slice slice{&list, lane, w_.i64(rows.lanes), nullptr};
    auto tree = [&](Value count) {
      slice.length = count;
      return folds_.trees().fold_tree(site, slice);
    };
    // Groups whose run has a leaf of this lane.
    Value count = w_.divide_up(b_.sub(rows.slice.length, lane), run_leaves);
    Value groups = w_.i64(rows.groups);
    auto whole_tree = [&] { return tree(groups); };
    auto part_of_tree = [&] {
      return rows.share > 0 ? partial_.tree_of_some(site, slice, rows.groups, count) : tree(count);
    };
    const Values result =
        every_group_has_one ? whole_tree() : w_.branch(b_.equal(count, groups), whole_tree, part_of_tree);
    w_.store_at(partials, lane, result);
  });
  barrier();
}

/// Every warp computes the tree, so that no thread has to be told the result. Each lane reads a run of 2^k nodes.
Values BlockReducer::tree_of_stored(const FoldSite& site, const Nodes& nodes) {
  needs_barrier_ = true;
  std::int64_t size = 1;
  while (size < *nodes.most) size *= 2;
  if (size == 1) return folds_.node_at(site, nodes.slice, w_.i64(0));
  const std::int64_t run = std::max<std::int64_t>(1, size / warp);
  const bool full = w_.known(nodes.slice.length) == size;
  std::vector<std::vector<Maybe>> level;
  Value first = b_.mul(b_.bit_and(lane_, w_.i64(std::min(size, warp) - 1)), w_.i64(run), Fits::always);
  for (std::int64_t k = 0; k < run; ++k) {
    Value position = w_.add(first, w_.i64(k));
    if (full) {
      level.push_back({{folds_.node_at(site, nodes.slice, position), nullptr}});
      continue;
    }
    level.push_back({partial_.one_of(site, nodes.slice, position, nodes.slice.length)});
  }
  Maybe mine = partial_.pairwise(site, std::move(level))[0];
  for (std::int64_t bit = 1; bit < std::min(size, warp); bit *= 2) mine = butterfly(site, mine, bit);
  return mine.value;
}

Maybe BlockReducer::butterfly(const FoldSite& site, const Maybe& mine, std::int64_t bit) {
  Maybe other;
  for (Value value : mine.value) other.value.push_back(partner_lane_value(value, bit));
  if (mine.present) other.present = partner_lane_value(mine.present, bit);
  const bool commutes = !mine.present && !site.reduction.user && site.arithmetic == Arithmetic::plain && !site.fuses;
  if (commutes) return {joins_.join(site, mine.value, other.value), nullptr};
  Value is_right = b_.not_equal(b_.bit_and(lane_, w_.i64(bit)), w_.i64(0));
  auto chosen = [&](const Maybe& if_right, const Maybe& if_left) {
    Maybe out{w_.select(is_right, if_right.value, if_left.value), nullptr};
    if (mine.present) out.present = b_.select(is_right, if_right.present, if_left.present);
    return out;
  };
  return partial_.joined(site, chosen(other, mine), chosen(mine, other));
}

Value BlockReducer::partner_lane_value(Value value, std::int64_t bit) { return b_.shuffle_xor(value, bit); }

}  // namespace reckon::codegen
