// Scans: element i is the reduction of leaves 0..i, so that scan and reduce agree to the bit.
#include <algorithm>
#include <numeric>

#include "diagnostics/codes/internal.h"
#include "interp/fold.h"
#include "interp/rounds.h"
#include "ir/op.h"

namespace reckon::interp {

bool Folder::scan(std::int64_t length, Columns& out) {
  if (!follows_orders()) return false;
  Nodes result = new_rows(length * outer_.size);
  if (length > 0) {
    // prefixes.cpp is faster for all but `seq`, but it makes more joins than necessary, which must not be counted.
    const ir::ScheduleOp op = order_.op();
    const bool counts = evaluator_.semantics().traits().counts_applications;
    const bool good = op == ir::ScheduleOp::seq                  ? scan_seq(length, result)
                      : counts && op == ir::ScheduleOp::tree     ? scan_tree(length, result)
                      : counts && op == ir::ScheduleOp::blelloch ? scan_blelloch(length, result)
                                                                 : scan_shared(length, result);
    if (!good || !round_products(result)) return false;
  }
  out.assign(result.columns.begin(), result.columns.begin() + static_cast<std::ptrdiff_t>(scalars_.size()));
  return true;
}

bool Folder::scan_seq(std::int64_t length, Nodes& out) {
  const std::int64_t width = outer_.size;
  const Sublists all{nullptr, {0}, 1, length};
  const std::int64_t at_once = rows_at_once(width);
  for (std::int64_t first = 0; first < length; first += at_once) {
    const std::int64_t count = std::min(at_once, length - first);
    Nodes chunk;
    if (!rows(all, first, count, chunk)) return false;
    for (std::int64_t r = 0; r < count; ++r) {
      if (first + r == 0) {
        copy_rows(chunk, 0, out, 0, 1, width);
        continue;
      }
      Nodes joined;
      if (!join({&out, first + r - 1}, {&chunk, r}, 1, width, joined)) return false;
      copy_rows(joined, 0, out, first + r, 1, width);
    }
  }
  return true;
}

bool Folder::scan_tree(std::int64_t length, Nodes& out) {
  const std::int64_t width = outer_.size;
  const Sublists all{nullptr, {0}, 1, length};
  const std::int64_t at_once = rows_at_once(width);
  std::vector<Nodes> counter;  // finished subtrees of a power of two of leaves each, the largest first
  for (std::int64_t first = 0; first < length; first += at_once) {
    const std::int64_t count = std::min(at_once, length - first);
    Nodes chunk;
    if (!rows(all, first, count, chunk)) return false;
    for (std::int64_t r = 0; r < count; ++r) {
      Nodes block = view(chunk, r * width, width);
      for (std::int64_t number = first + r + 1; number % 2 == 0; number /= 2) {
        Nodes joined;
        if (!join_one(counter.back(), block, width, joined)) return false;
        counter.pop_back();
        block = std::move(joined);
      }
      counter.push_back(std::move(block));
      Nodes total = counter.back();
      for (std::size_t k = counter.size() - 1; k-- > 0;) {
        Nodes joined;
        if (!join_one(counter[k], total, width, joined)) return false;
        total = std::move(joined);
      }
      copy_rows(total, 0, out, first + r, 1, width);
    }
  }
  return true;
}

bool Folder::scan_blelloch(std::int64_t length, Nodes& out) {
  // The counter of `tree`; beside each block, the blocks up to it joined from the left: two joins for each leaf.
  const std::int64_t width = outer_.size;
  const Sublists all{nullptr, {0}, 1, length};
  const std::int64_t at_once = rows_at_once(width);
  std::vector<Nodes> counter, prefix;
  for (std::int64_t first = 0; first < length; first += at_once) {
    const std::int64_t count = std::min(at_once, length - first);
    Nodes chunk;
    if (!rows(all, first, count, chunk)) return false;
    for (std::int64_t r = 0; r < count; ++r) {
      Nodes block = view(chunk, r * width, width);
      for (std::int64_t number = first + r + 1; number % 2 == 0; number /= 2) {
        Nodes joined;
        if (!join_one(counter.back(), block, width, joined)) return false;
        counter.pop_back();
        prefix.pop_back();
        block = std::move(joined);
      }
      Nodes total = block;
      if (!prefix.empty() && !join_one(prefix.back(), block, width, total)) return false;
      copy_rows(total, 0, out, first + r, 1, width);
      counter.push_back(std::move(block));
      prefix.push_back(std::move(total));
    }
  }
  return true;
}

/// Scans with long sums, which go on from element to element. Plain sums leave `done` false.
bool Folder::scan_long(std::int64_t length, const LongSumRule& rule, const Nodes& leaves, bool of_products, Nodes& out,
                       bool& done) {
  const std::int64_t width = outer_.size;
  Semantics& semantics = evaluator_.semantics();
  std::unique_ptr<LongSums> sums;
  if (!evaluator_.check(place_, semantics.long_sums(scalars_[0], static_cast<std::size_t>(width), rule, sums))) {
    return false;
  }
  if (!sums) return true;
  done = true;
  const std::size_t row_bytes = semantics.size(scalars_[0]) * static_cast<std::size_t>(width);
  for (std::int64_t i = 0; i < length; ++i) {
    const Rows row = rows_of(leaves.columns[0], i * width, width);
    if (of_products) sums->add_products(row, rows_of(leaves.columns[1], i * width, width), 1);
    else sums->add(row, 1);
    sums->finish(out.columns[0].writable() + static_cast<std::size_t>(i) * row_bytes);
  }
  return true;
}

bool Folder::scan_shared(std::int64_t length, Nodes& out) {
  // Each leaf is computed once.
  const std::int64_t width = outer_.size;
  Nodes leaves = new_rows(length * width);
  const std::int64_t at_once = rows_at_once(width);
  for (std::int64_t first = 0; first < length; first += at_once) {
    const std::int64_t count = std::min(at_once, length - first);
    Nodes chunk;
    if (!rows({nullptr, {0}, 1, length}, first, count, chunk)) return false;
    copy_rows(chunk, 0, leaves, first, count, width);
  }
  const bool on_tensor_cores = order_.op() == ir::ScheduleOp::mma;
  const bool of_products = on_tensor_cores || (order_.op() == ir::ScheduleOp::fused &&
                                               order_.operand(0).op() == ir::ScheduleOp::rounded_once);
  if (!plain_sums_ && (of_products || order_.op() == ir::ScheduleOp::rounded_once)) {
    const LongSumRule rule{.unit = on_tensor_cores ? order_.node().mma->unit() : nullptr};
    bool done = false;
    if (!scan_long(length, rule, leaves, of_products, out, done)) return false;
    if (done) return true;
  }
  const Lists lists{&leaves, {0}};
  Prefixes all{Indices(static_cast<std::size_t>(length), 0), Indices(static_cast<std::size_t>(length)), leaves};
  std::iota(all.counts.begin(), all.counts.end(), 0);
  return evaluator_.semantics().traits().counts_applications ? prefixes_one_by_one(order_, lists, all, out)
                                                             : prefixes(order_, lists, all, out);
}

bool Evaluator::table(Frame& home, ir::NodeId tensor, const Table*& out) {
  auto found = home.tables.find(tensor);
  if (found == home.tables.end()) {
    Table made;
    const ir::Node& node = module_[tensor];
    if (node.op == ir::Op::array) {
      if (!ensure_values(home, node.operands)) return false;
      Column all = column(module_.type(tensor).scalar, static_cast<std::int64_t>(node.operands.size()) * home.size);
      const std::size_t bytes = semantics_.size(all.scalar) * static_cast<std::size_t>(home.size);
      for (std::size_t i = 0; i < node.operands.size(); ++i) {
        Columns element;
        if (!ensure_values(home, node.operands[i], element)) return false;
        copy_values(semantics_, all.scalar, element[0].data, all.writable() + i * bytes,
                    static_cast<std::size_t>(home.size));
      }
      made.columns = {std::move(all)};
    } else if (node.op == ir::Op::scan) {
      IndexColumn extent;
      if (!index_column(home, node.indices[0], tensor, extent)) return false;
      Folder folder(*this, home, tensor);
      if (!folder.scan(extent.strided ? extent.base : extent.values.front(), made.columns)) return false;
    } else if (node.op == ir::Op::call) {
      if (!call(home, tensor, made.columns)) return false;
    } else if (node.op == ir::Op::loop) {
      if (!Rounds(*this, tensor).last_states(home, made.columns)) return false;
    } else {
      return fail(
          Diagnostic(code::internal, span(tensor), "a tensor that depends on an index has no elements"));
    }
    found = home.tables.emplace(tensor, std::move(made)).first;
  }
  out = &found->second;
  return true;
}

bool Evaluator::scan_element_by_definition(Frame& frame, ir::NodeId scan, std::uint32_t part, const IndexColumn& offset,
                                           Column& out) {
  IndexColumn length = offset;  // element i is the reduction of i + 1 leaves
  if (length.strided) {
    ++length.base;
  } else {
    for (std::int64_t& value : length.values) ++value;
  }
  Columns columns;
  if (!reduce_ragged(frame, scan, length, columns)) return false;
  out = columns[part];
  return true;
}

}  // namespace reckon::interp
