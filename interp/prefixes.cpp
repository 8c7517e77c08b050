// Scans whose prefixes share common subtrees (docs/architecture/folding.md, "Scans").
//
// The trees of two prefixes of a list differ only in the last node and in the nodes above it; the rest consists of the
// same few subtrees. A scan is therefore a set of questions, "the schedule on the first `count` nodes of a list, and
// one more node", for many lists at once, and each combinator turns them into questions about parts:
//   seq           the left fold of the first nodes, kept for every position, joined with the last node
//   tree          aligned blocks of 2^h nodes, level by level; the last node is joined with the block to its left at
//                 each set bit of its position
//   blelloch      the blocks again, and the prefixes that end where a block does
//   halving       residue classes modulo 2^d instead of blocks: at level d, each node's class up to that node
//   split         the first part is one question of its own, whose answer all longer prefixes share
//   tile(k, A)    A's questions about the tiles of every list, each full tile being one more; then S's questions about
//                 lists of full tiles, the last node being the part of a tile that A answered
//   lanes(k, A)   A's questions about the lanes; a prefix then has two rows of answers: lanes that have one element
//                 more, and lanes that do not. S folds these without sharing (k - 1 joins), but side by side.
// Schedules without a rule here (quoted trees, closed arrangements, exact sums) are folded prefix by prefix. Joins at
// one level are carried out together, batch by batch. Every join is one of the definition's, so the bits are the same.
#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "interp/fold.h"
#include "ir/op.h"

namespace reckon::interp {

using ir::ScheduleOp;

namespace {

/// Sharing pays from so many questions on.
constexpr std::size_t few = 8;
/// The deepest nesting of rules. Beyond it prefixes are folded one by one, which follows splits without recursion.
constexpr int deepest_sharing = 200;
/// The values that are gathered at a time to fold lanes by S, or to fold prefixes one by one.
constexpr std::int64_t max_gathered = 1 << 16;

bool bit(std::int64_t number, int which) { return ((number >> which) & 1) != 0; }

}  // namespace

Nodes Folder::taken(const Nodes& from, const std::int64_t* rows, std::int64_t count) {
  const std::int64_t width = outer_.size;
  if (count == 0) return new_rows(0);
  bool contiguous = true;
  for (std::int64_t k = 1; k < count && contiguous; ++k) contiguous = rows[k] == rows[k - 1] + 1;
  if (contiguous) return view(from, rows[0] * width, count * width);
  Nodes out;
  std::vector<std::int64_t> wide;
  if (width > 1) {
    wide.reserve(static_cast<std::size_t>(count * width));
    for (std::int64_t k = 0; k < count; ++k) {
      for (std::int64_t c = 0; c < width; ++c) wide.push_back(rows[k] * width + c);
    }
  }
  for (const Column& column : from.columns) {
    Column made = evaluator_.column(column.scalar, count * width);
    evaluator_.semantics().gather(column.scalar, column.data, width > 1 ? wide.data() : rows, made.writable(),
                                  static_cast<std::size_t>(count * width));
    out.columns.push_back(std::move(made));
  }
  if (!from.products.empty()) {
    for (std::int64_t k = 0; k < count; ++k) out.products.push_back(from.products[static_cast<std::size_t>(rows[k])]);
  }
  return out;
}

void Folder::put(const Nodes& from, Nodes& out, const std::int64_t* rows, std::int64_t count) {
  for (std::int64_t first = 0; first < count;) {
    std::int64_t end = first + 1;
    while (end < count && rows[end] == rows[end - 1] + 1) ++end;
    copy_rows(from, first, out, rows[first], end - first, outer_.size);
    first = end;
  }
}

bool Folder::join_rows(const Nodes& left, const Indices& left_rows, const Nodes& right, const Indices& right_rows,
                       Nodes& out, const Indices& to) {
  const std::int64_t at_once = rows_at_once(outer_.size), all = static_cast<std::int64_t>(to.size());
  for (std::int64_t first = 0; first < all; first += at_once) {
    const std::int64_t count = std::min(at_once, all - first);
    const Nodes l = taken(left, left_rows.data() + first, count), r = taken(right, right_rows.data() + first, count);
    Nodes joined;
    if (!join({&l}, {&r}, count, outer_.size, joined)) return false;
    put(joined, out, to.data() + first, count);
  }
  return true;
}

/// A copy that may be modified.
Nodes Folder::copied(const Nodes& from, std::int64_t rows) {
  Nodes out = new_rows(rows * outer_.size);
  if (rows > 0) copy_rows(from, 0, out, 0, rows, outer_.size);
  return out;
}

Folder::Indices Folder::Prefixes::max_counts(const Lists& of) const {
  Indices out(of.starts.size(), 0);
  for (std::size_t k = 0; k < counts.size(); ++k) {
    std::int64_t& longest = out[static_cast<std::size_t>(lists[k])];
    longest = std::max(longest, counts[k]);
  }
  return out;
}

std::int64_t Folder::Lists::rows(const Indices& counts) const {
  std::int64_t out = 0;
  for (std::size_t l = 0; l < counts.size(); ++l) {
    if (counts[l] > 0) out = std::max(out, starts[l] + counts[l]);
  }
  return out;
}

bool Folder::prefixes(const ir::Order& schedule, const Lists& lists, const Prefixes& of, Nodes& out) {
  if (of.counts.empty()) {
    out = new_rows(0);
    return true;
  }
  const auto count = static_cast<std::int64_t>(of.counts.size());
  // Schedules may depend on the length: prefixes that lead to the same schedule are folded together.
  struct Group {
    ir::Order head;
    Indices members;
  };
  std::map<std::vector<std::int64_t>, Group> groups;  // by the signature of the schedule's head
  std::map<std::int64_t, Group*> group_of;            // by the length
  const ScheduleOp written = schedule.op();
  const bool looks =
      written == ScheduleOp::length || written == ScheduleOp::conditional || written == ScheduleOp::reference;
  if (!looks) {
    ir::Order head;
    if (!head_of(schedule, *std::min_element(of.counts.begin(), of.counts.end()) + 1, head)) return false;
    return count < static_cast<std::int64_t>(few) || depth_ >= deepest_sharing
               ? prefixes_one_by_one(schedule, lists, of, out)
               : prefixes_of_head(head, lists, of, out);
  }
  for (std::int64_t length : std::set<std::int64_t>(of.counts.begin(), of.counts.end())) {
    ir::Order head;
    if (!head_of(schedule, length + 1, head)) return false;
    Group& group = groups[head.signature()];
    group.head = std::move(head);
    group_of[length] = &group;
  }
  for (std::int64_t k = 0; k < count; ++k) group_of[of.counts[static_cast<std::size_t>(k)]]->members.push_back(k);
  out = new_rows(count * outer_.size);
  Indices rest;
  for (const auto& [signature, group] : groups) {
    const auto& [head, members] = group;
    if (members.size() < few || depth_ >= deepest_sharing) {
      rest.insert(rest.end(), members.begin(), members.end());
      continue;
    }
    Nodes some;
    if (!prefixes_of_head(head, lists, chosen(of, members), some)) return false;
    put(some, out, members.data(), static_cast<std::int64_t>(members.size()));
  }
  if (rest.empty()) return true;
  Nodes some;
  if (!prefixes_one_by_one(schedule, lists, chosen(of, rest), some)) return false;
  put(some, out, rest.data(), static_cast<std::int64_t>(rest.size()));
  return true;
}

Folder::Prefixes Folder::chosen(const Prefixes& of, const Indices& members) {
  Prefixes out;
  for (std::int64_t k : members) {
    out.lists.push_back(of.lists[static_cast<std::size_t>(k)]);
    out.counts.push_back(of.counts[static_cast<std::size_t>(k)]);
  }
  out.last = taken(of.last, members.data(), static_cast<std::int64_t>(members.size()));
  return out;
}

bool Folder::prefixes_of_head(const ir::Order& head, const Lists& lists, const Prefixes& of, Nodes& out) {
  ++depth_;
  bool good = false;
  switch (head.op()) {
    case ScheduleOp::seq: good = prefixes_seq(lists, of, out); break;
    case ScheduleOp::tree: good = prefixes_tree(lists, of, false, out); break;
    case ScheduleOp::blelloch: good = prefixes_tree(lists, of, true, out); break;
    case ScheduleOp::halving: good = prefixes_halving(lists, of, out); break;
    case ScheduleOp::split: good = prefixes_split(head, lists, of, out); break;
    case ScheduleOp::then: good = prefixes_then(head, lists, of, out); break;
    case ScheduleOp::fused:
    case ScheduleOp::neumaier:
    case ScheduleOp::kahan: good = prefixes_arithmetic(head, lists, of, out); break;
    default: good = prefixes_one_by_one(head, lists, of, out); break;
  }
  --depth_;
  return good;
}

bool Folder::prefixes_one_by_one(const ir::Order& schedule, const Lists& lists, const Prefixes& of, Nodes& out) {
  std::map<std::int64_t, Indices> by_count;
  for (std::size_t k = 0; k < of.counts.size(); ++k) by_count[of.counts[k]].push_back(static_cast<std::int64_t>(k));
  out = new_rows(static_cast<std::int64_t>(of.counts.size()) * outer_.size);
  for (const auto& [length, members] : by_count) {
    const auto all = static_cast<std::int64_t>(members.size());
    const std::int64_t at_once = std::max<std::int64_t>(1, max_gathered / (length + 1) / outer_.size);
    for (std::int64_t first = 0; first < all; first += at_once) {
      const std::int64_t count = std::min(at_once, all - first);
      const Indices here(members.begin() + first, members.begin() + first + count);
      Indices rows;
      rows.reserve(static_cast<std::size_t>(length * count));
      for (std::int64_t r = 0; r < length; ++r) {
        for (std::int64_t k : here) {
          rows.push_back(lists.starts[static_cast<std::size_t>(of.lists[static_cast<std::size_t>(k)])] + r);
        }
      }
      Nodes nodes = new_rows((length + 1) * count * outer_.size);
      gather_rows(*lists.nodes, rows, nodes, 0);
      gather_rows(of.last, here, nodes, length * count);
      Nodes some;
      if (!fold_columns(schedule, nodes, length + 1, count, some)) return false;
      put(some, out, members.data() + first, count);
    }
  }
  return true;
}

bool Folder::fold_columns(const ir::Order& schedule, const Nodes& nodes, std::int64_t length, std::int64_t count,
                          Nodes& out) {
  Sublists columns{nullptr, Indices(static_cast<std::size_t>(count)), count, length};
  std::iota(columns.starts.begin(), columns.starts.end(), 0);
  const Nodes* around = std::exchange(stored_, &nodes);
  const bool good = fold(schedule, columns, out);
  stored_ = around;
  return good;
}

bool Folder::prefixes_seq(const Lists& lists, const Prefixes& of, Nodes& out) {
  const Indices max_counts = of.max_counts(lists);
  // Rows are folded one after the other, each for all lists that are long enough; the longest lists come first.
  Indices order;
  for (std::size_t l = 0; l < max_counts.size(); ++l) {
    if (max_counts[l] > 0) order.push_back(static_cast<std::int64_t>(l));
  }
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return max_counts[static_cast<std::size_t>(a)] > max_counts[static_cast<std::size_t>(b)];
  });
  Nodes total =
      new_rows(lists.rows(max_counts) * outer_.size);  // at each position, its list's left fold up to there
  for (std::int64_t r = 0; !order.empty(); ++r) {
    while (!order.empty() && max_counts[static_cast<std::size_t>(order.back())] <= r) order.pop_back();
    Indices here, before;
    for (std::int64_t l : order) {
      here.push_back(lists.starts[static_cast<std::size_t>(l)] + r);
      before.push_back(here.back() - 1);
    }
    if (here.empty()) break;
    if (r == 0) {
      put(taken(*lists.nodes, here.data(), static_cast<std::int64_t>(here.size())), total, here.data(),
          static_cast<std::int64_t>(here.size()));
    } else if (!join_rows(total, before, *lists.nodes, here, total, here)) {
      return false;
    }
  }
  const auto count = static_cast<std::int64_t>(of.counts.size());
  out = copied(of.last, count);
  Indices first, second;
  for (std::int64_t k = 0; k < count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    if (of.counts[at] == 0) continue;
    first.push_back(lists.starts[static_cast<std::size_t>(of.lists[at])] + of.counts[at] - 1);
    second.push_back(k);
  }
  return join_rows(total, first, of.last, second, out, second);
}

bool Folder::prefixes_tree(const Lists& lists, const Prefixes& of, bool blelloch, Nodes& out) {
  const auto count = static_cast<std::int64_t>(of.counts.size());
  const Indices max_counts = of.max_counts(lists);
  const std::int64_t longest = *std::max_element(max_counts.begin(), max_counts.end());
  // Level h holds the whole aligned blocks of 2^h nodes, list after list.
  std::vector<Nodes> levels{*lists.nodes};
  std::vector<Indices> starts{lists.starts};
  out = copied(of.last, count);
  for (int h = 0; (longest >> h) > 0; ++h) {
    const auto level = static_cast<std::size_t>(h);
    if (h > 0) {
      Indices left, right, to;
      Indices& first = starts.emplace_back();
      std::int64_t rows = 0;
      for (std::size_t l = 0; l < max_counts.size(); ++l) {
        first.push_back(rows);
        for (std::int64_t b = 0; b < max_counts[l] >> h; ++b) {
          left.push_back(starts[level - 1][l] + 2 * b);
          right.push_back(left.back() + 1);
          to.push_back(rows++);
        }
      }
      Nodes blocks = new_rows(rows * outer_.size);
      if (!join_rows(levels[level - 1], left, levels[level - 1], right, blocks, to)) return false;
      levels.push_back(std::move(blocks));
      if (!blelloch) levels[level - 1] = {};
    }
    // The block to the left of the last node's block, if the two are siblings. `blelloch` joins complete blocks only:
    // the last node's block grows while the low bits of its position are all set.
    Indices left, right;
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t at = of.counts[static_cast<std::size_t>(k)];
      if (blelloch ? std::countr_one(static_cast<std::uint64_t>(at)) <= h : !bit(at, h)) continue;
      left.push_back(starts[level][static_cast<std::size_t>(of.lists[static_cast<std::size_t>(k)])] + (at >> h) - 1);
      right.push_back(k);
    }
    if (!join_rows(levels[level], left, out, right, out, right)) return false;
  }
  if (!blelloch) return true;

  // ends[start + p - 1] is the prefix of p nodes. The lowest set bit of p is the size of its last block; prefixes with
  // larger last blocks are computed first.
  Nodes ends = new_rows(lists.rows(max_counts) * outer_.size);
  for (int h = static_cast<int>(levels.size()) - 1; h >= 0; --h) {
    const auto level = static_cast<std::size_t>(h);
    const std::int64_t size = std::int64_t{1} << h;
    Indices before, block, to, first_block, first_to;
    for (std::size_t l = 0; l < max_counts.size(); ++l) {
      for (std::int64_t p = size; p <= max_counts[l]; p += 2 * size) {
        (p == size ? first_block : block).push_back(starts[level][l] + (p >> h) - 1);
        (p == size ? first_to : to).push_back(lists.starts[l] + p - 1);
        if (p != size) before.push_back(lists.starts[l] + p - size - 1);
      }
    }
    if (!first_block.empty()) {
      const auto firsts = static_cast<std::int64_t>(first_block.size());
      put(taken(levels[level], first_block.data(), firsts), ends, first_to.data(), firsts);
    }
    if (!join_rows(ends, before, levels[level], block, ends, to)) return false;
  }
  Indices left, right;
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t length = of.counts[static_cast<std::size_t>(k)] + 1;
    const std::int64_t others = length & (length - 1);
    if (others == 0) continue;
    left.push_back(lists.starts[static_cast<std::size_t>(of.lists[static_cast<std::size_t>(k)])] + others - 1);
    right.push_back(k);
  }
  return join_rows(ends, left, out, right, out, right);
}

bool Folder::prefixes_halving(const Lists& lists, const Prefixes& of, Nodes& out) {
  // At level d, `classes` holds for each node e the fold of the nodes up to e that are e modulo 2^d. One level down
  // they are two classes, e's and that of e - 2^d, whose residues say which is the left operand.
  const auto count = static_cast<std::int64_t>(of.counts.size());
  const Indices max_counts = of.max_counts(lists);
  const std::int64_t longest = *std::max_element(max_counts.begin(), max_counts.end());
  const std::int64_t rows = lists.rows(max_counts);
  Nodes classes = *lists.nodes;
  out = copied(of.last, count);
  for (int d = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(longest))) - 1; d >= 0; --d) {
    const std::int64_t distance = std::int64_t{1} << d;
    Indices earlier[2], last[2];
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t at = of.counts[static_cast<std::size_t>(k)];
      if (at < distance) continue;
      const std::int64_t start = lists.starts[static_cast<std::size_t>(of.lists[static_cast<std::size_t>(k)])];
      earlier[bit(at, d)].push_back(start + at - distance);
      last[bit(at, d)].push_back(k);
    }
    if (!join_rows(classes, earlier[1], out, last[1], out, last[1])) return false;
    if (!join_rows(out, last[0], classes, earlier[0], out, last[0])) return false;
    if (d == 0) break;
    Nodes next = copied(classes, rows);
    Indices before[2], here[2];
    for (std::size_t l = 0; l < max_counts.size(); ++l) {
      for (std::int64_t e = distance; e < max_counts[l]; ++e) {
        before[bit(e, d)].push_back(lists.starts[l] + e - distance);
        here[bit(e, d)].push_back(lists.starts[l] + e);
      }
    }
    if (!join_rows(classes, before[1], classes, here[1], next, here[1])) return false;
    if (!join_rows(classes, here[0], classes, before[0], next, here[0])) return false;
    classes = std::move(next);
  }
  return true;
}

bool Folder::prefixes_split(const ir::Order& head, const Lists& lists, const Prefixes& of, Nodes& out) {
  const std::int64_t first = head.parameter();
  const auto count = static_cast<std::int64_t>(of.counts.size());
  // A is asked about the short prefixes, and about the first part of each list that has longer ones.
  Prefixes of_first;
  Indices short_ones, long_ones, last_of_first;
  std::map<std::int64_t, std::int64_t> first_part;  // for each list, the number of its question among A's
  for (std::int64_t k = 0; k < count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    if (of.counts[at] < first) short_ones.push_back(k);
    else long_ones.push_back(k);
  }
  for (std::int64_t k : short_ones) {
    of_first.lists.push_back(of.lists[static_cast<std::size_t>(k)]);
    of_first.counts.push_back(of.counts[static_cast<std::size_t>(k)]);
  }
  for (std::int64_t k : long_ones) {
    const std::int64_t list = of.lists[static_cast<std::size_t>(k)];
    if (!first_part.try_emplace(list, static_cast<std::int64_t>(of_first.lists.size())).second) continue;
    of_first.lists.push_back(list);
    of_first.counts.push_back(first - 1);
    last_of_first.push_back(lists.starts[static_cast<std::size_t>(list)] + first - 1);
  }
  const auto shorts = static_cast<std::int64_t>(short_ones.size());
  of_first.last = new_rows(static_cast<std::int64_t>(of_first.lists.size()) * outer_.size);
  gather_rows(of.last, short_ones, of_first.last, 0);
  gather_rows(*lists.nodes, last_of_first, of_first.last, shorts);
  Nodes left;
  if (!prefixes(head.operand(0), lists, of_first, left)) return false;
  out = new_rows(count * outer_.size);
  put(left, out, short_ones.data(), shorts);
  if (long_ones.empty()) return true;

  Prefixes of_rest = chosen(of, long_ones);
  Lists rest{lists.nodes, lists.starts};
  for (std::int64_t& start : rest.starts) start += first;
  Indices parts, each;
  for (std::size_t k = 0; k < long_ones.size(); ++k) {
    of_rest.counts[k] -= first;
    parts.push_back(first_part.at(of_rest.lists[k]));
    each.push_back(static_cast<std::int64_t>(k));
  }
  Nodes right;
  if (!prefixes(head.operand(1), rest, of_rest, right)) return false;
  return join_rows(left, parts, right, each, out, long_ones);
}

void Folder::gather_rows(const Nodes& from, const Indices& rows, Nodes& out, std::int64_t first) {
  if (rows.empty()) return;
  const auto count = static_cast<std::int64_t>(rows.size());
  copy_rows(taken(from, rows.data(), count), 0, out, first, count, outer_.size);
}

bool Folder::prefixes_then(const ir::Order& head, const Lists& lists, const Prefixes& of, Nodes& out) {
  const ir::Order stage = head.operand(0);
  if (stage.op() == ScheduleOp::lanes) return prefixes_lanes(head, lists, of, out);
  std::int64_t size = 0;
  if (stage.op() == ScheduleOp::tile) {
    size = stage.parameter();
  } else if (stage.op() == ScheduleOp::arrange) {
    const ir::Arrangement& arrangement = stage.arrangement();
    if (arrangement.open && arrangement.runs_in_order()) size = arrangement.run_length();
  }
  if (size == 0) return prefixes_one_by_one(head, lists, of, out);

  // A is asked about the part of a tile at each prefix's end, and about every full tile.
  const auto count = static_cast<std::int64_t>(of.counts.size());
  const Indices max_counts = of.max_counts(lists);
  Lists tiles{lists.nodes, {}}, full;
  Prefixes of_tiles;
  Indices first_tile, last_of_full;
  for (std::size_t l = 0; l < max_counts.size(); ++l) {
    first_tile.push_back(static_cast<std::int64_t>(tiles.starts.size()));
    for (std::int64_t t = 0; t * size <= max_counts[l]; ++t) tiles.starts.push_back(lists.starts[l] + t * size);
  }
  for (std::int64_t k = 0; k < count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    of_tiles.lists.push_back(first_tile[static_cast<std::size_t>(of.lists[at])] + of.counts[at] / size);
    of_tiles.counts.push_back(of.counts[at] % size);
  }
  for (std::size_t l = 0; l < max_counts.size(); ++l) {
    full.starts.push_back(count + static_cast<std::int64_t>(last_of_full.size()));
    for (std::int64_t t = 0; t < max_counts[l] / size; ++t) {
      of_tiles.lists.push_back(first_tile[l] + t);
      of_tiles.counts.push_back(size - 1);
      last_of_full.push_back(lists.starts[l] + (t + 1) * size - 1);
    }
  }
  of_tiles.last = new_rows((count + static_cast<std::int64_t>(last_of_full.size())) * outer_.size);
  copy_rows(of.last, 0, of_tiles.last, 0, count, outer_.size);
  gather_rows(*lists.nodes, last_of_full, of_tiles.last, count);
  Nodes answers;
  if (!prefixes(stage.operand(0), tiles, of_tiles, answers)) return false;

  full.nodes = &answers;
  Prefixes of_full{of.lists, of.counts, view(answers, 0, count * outer_.size)};
  for (std::int64_t& length : of_full.counts) length /= size;
  return prefixes(head.operand(1), full, of_full, out);
}

bool Folder::prefixes_lanes(const ir::Order& then, const Lists& lists, const Prefixes& of, Nodes& out) {
  const ir::Order inner = then.operand(0).operand(0);
  const std::int64_t lanes = then.operand(0).parameter();
  const auto count = static_cast<std::int64_t>(of.counts.size());
  const Indices max_counts = of.max_counts(lists);
  // A is asked, for each prefix, about the lane of its last node; and about every lane up to every node.
  Lists by_lane;
  Prefixes of_lanes;
  Indices order, every, first_lane, first_answer;
  for (std::size_t l = 0; l < max_counts.size(); ++l) {
    first_lane.push_back(static_cast<std::int64_t>(by_lane.starts.size()));
    for (std::int64_t lane = 0; lane < std::min(lanes, max_counts[l] + 1); ++lane) {
      by_lane.starts.push_back(static_cast<std::int64_t>(order.size()));
      for (std::int64_t e = lane; e < max_counts[l]; e += lanes) order.push_back(lists.starts[l] + e);
    }
  }
  for (std::int64_t k = 0; k < count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    of_lanes.lists.push_back(first_lane[static_cast<std::size_t>(of.lists[at])] + of.counts[at] % lanes);
    of_lanes.counts.push_back(of.counts[at] / lanes);
  }
  for (std::size_t l = 0; l < max_counts.size(); ++l) {
    first_answer.push_back(count + static_cast<std::int64_t>(every.size()));
    for (std::int64_t e = 0; e < max_counts[l]; ++e) {
      of_lanes.lists.push_back(first_lane[l] + e % lanes);
      of_lanes.counts.push_back(e / lanes);
      every.push_back(lists.starts[l] + e);
    }
  }
  const auto nodes = static_cast<std::int64_t>(every.size());
  Nodes laned = new_rows(nodes * outer_.size);
  gather_rows(*lists.nodes, order, laned, 0);
  by_lane.nodes = &laned;
  of_lanes.last = new_rows((count + nodes) * outer_.size);
  copy_rows(of.last, 0, of_lanes.last, 0, count, outer_.size);
  gather_rows(*lists.nodes, every, of_lanes.last, count);
  Nodes answers;
  if (!prefixes(inner, by_lane, of_lanes, answers)) return false;

  // A prefix that only reaches first elements of lanes is a question for S about a list. In a longer one, the lanes
  // before the last node's lane have one element more than those after it.
  Indices short_ones, long_ones;
  for (std::int64_t k = 0; k < count; ++k)
    (of.counts[static_cast<std::size_t>(k)] < lanes ? short_ones : long_ones).push_back(k);
  out = new_rows(count * outer_.size);
  if (!short_ones.empty()) {
    const Lists first_elements{&answers, first_answer};
    Prefixes few_nodes = chosen(of, short_ones);
    few_nodes.last = taken(answers, short_ones.data(), static_cast<std::int64_t>(short_ones.size()));
    Nodes some;
    if (!prefixes(then.operand(1), first_elements, few_nodes, some)) return false;
    put(some, out, short_ones.data(), static_cast<std::int64_t>(short_ones.size()));
  }
  const auto all = static_cast<std::int64_t>(long_ones.size());
  const std::int64_t at_once =
      std::clamp<std::int64_t>(max_gathered / lanes / outer_.size, 1, rows_at_once(outer_.size));
  for (std::int64_t first = 0; first < all; first += at_once) {
    const std::int64_t columns = std::min(at_once, all - first);
    Indices rows;
    rows.reserve(static_cast<std::size_t>(lanes * columns));
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      for (std::int64_t c = 0; c < columns; ++c) {
        const std::int64_t k = long_ones[static_cast<std::size_t>(first + c)];
        const std::int64_t position = of.counts[static_cast<std::size_t>(k)], last = position % lanes;
        const std::int64_t start = first_answer[static_cast<std::size_t>(of.lists[static_cast<std::size_t>(k)])];
        const std::int64_t at = start + position - last + lane;
        rows.push_back(lane == last ? k : lane < last ? at : at - lanes);
      }
    }
    const Nodes lane_nodes = taken(answers, rows.data(), lanes * columns);
    Nodes some;
    if (!fold_columns(then.operand(1), lane_nodes, lanes, columns, some)) return false;
    put(some, out, long_ones.data() + first, columns);
  }
  return true;
}

bool Folder::prefixes_arithmetic(const ir::Order& head, const Lists& lists, const Prefixes& of, Nodes& out) {
  const ScheduleOp op = head.op();
  const ir::Order inner = op == ScheduleOp::kahan ? head.plain(ScheduleOp::seq) : head.operand(0);
  if (arithmetic_ != Arithmetic::plain || inner.op() == ScheduleOp::rounded_once) {
    return prefixes_one_by_one(head, lists, of, out);
  }
  if (plain_sums_) return prefixes(inner, lists, of, out);
  if (op == ScheduleOp::fused) {
    arithmetic_ = Arithmetic::fused;
    const bool good = prefixes(inner, lists, of, out);
    arithmetic_ = Arithmetic::plain;
    return good;  // a fold around this one may absorb a product that no node absorbed here
  }
  const Indices max_counts = of.max_counts(lists);
  const std::int64_t rows = lists.rows(max_counts);
  Nodes nodes = view(*lists.nodes, 0, rows * outer_.size);
  Prefixes compensated{of.lists, of.counts, of.last};
  const auto count = static_cast<std::int64_t>(of.counts.size());
  if (!round_products(nodes) || !round_products(compensated.last)) return false;
  arithmetic_ = op == ScheduleOp::kahan ? Arithmetic::kahan : Arithmetic::neumaier;
  Nodes state;
  const bool good = compensate(nodes, rows * outer_.size) && compensate(compensated.last, count * outer_.size) &&
                    prefixes(inner, {&nodes, lists.starts}, compensated, state);
  arithmetic_ = Arithmetic::plain;
  if (!good) return false;
  out = new_rows(count * outer_.size);
  if (op == ScheduleOp::kahan) {
    out.columns[0] = state.columns[0];
    return true;
  }
  return apply(ir::Op::add, {rows_of(state.columns[0], 0, 0), rows_of(state.columns[1], 0, 0)}, out.columns[0], 0, 1,
               count * outer_.size, count * outer_.size);
}

}  // namespace reckon::interp
