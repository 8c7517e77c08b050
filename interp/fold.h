// Following a schedule without building its tree.
//
// A reduction of n leaves is folded for every element of an outer frame at once. The nodes that a schedule combines
// are those of a *list*: the leaves themselves, or what a stage made of another list, computed when they are asked for.
// Many parallel sublists of one length, each an arithmetic progression of positions in a list, are folded in lockstep;
// rows of nodes are evaluated as many at a time as a batch holds. Values of a fold stand row by row: one row for each
// node, in a row one value for each parallel sublist and each outer element.
#pragma once

#include <cstdint>
#include <vector>

#include "interp/evaluator.h"

namespace reckon::interp {

class Folder {
 public:
  /// `fold` is a reduce or scan node whose free variables are bound in `outer` or above.
  Folder(Evaluator& evaluator, Frame& outer, ir::NodeId fold);

  /// The reduction of leaves 0..length-1 (length >= 1), for each outer element.
  [[nodiscard]] bool reduce(std::int64_t length, Columns& out);
  /// The reductions of leaves 0..i for i < length: row i of `out`.
  [[nodiscard]] bool scan(std::int64_t length, Columns& out);

 private:
  /// What a stage made of `starts.size()` sublists of `below`, laid end to end: `count` nodes of each.
  struct List {
    const List* below = nullptr;  ///< null: the leaves
    std::vector<std::int64_t> starts;
    std::int64_t stride = 1;
    std::int64_t length = 0;
    bool lanes = false;
    std::int64_t size = 1;  ///< the stage's k
    std::int64_t count = 0;
    ir::ScheduleId schedule;  ///< for each run or lane
  };
  /// Parallel sublists: positions start + t * stride, t < length, for each start.
  struct Sublists {
    const List* list = nullptr;
    std::vector<std::int64_t> starts;
    std::int64_t stride = 1;
    std::int64_t length = 1;
  };

  bool fold(ir::ScheduleId schedule, const Sublists& of, Columns& out);
  bool fold_head(ir::ScheduleId head, const Sublists& of, Columns& out);
  bool fold_split(ir::ScheduleId head, const Sublists& of, Columns& out);
  bool fold_seq(const Sublists& of, Columns& out);
  bool fold_tree(const Sublists& of, Columns& out);
  bool fold_halving(ir::ScheduleId head, const Sublists& of, Columns& out);
  bool fold_quoted(ir::TreeId tree, const Sublists& of, Columns& out);
  bool fold_then(ir::ScheduleId head, const Sublists& of, Columns& out);
  /// The schedule's term for n nodes, or the reason why there is none.
  bool head_of(ir::ScheduleId schedule, std::int64_t n, ir::ScheduleId& head);

  /// Values of list nodes at some positions; row r is position r.
  bool nodes(const List* list, std::vector<std::int64_t> positions, Columns& out);
  bool leaves(std::vector<std::int64_t> positions, Columns& out);
  /// Rows first..first+count-1 of sublists, each with one value for every start.
  bool rows(const Sublists& of, std::int64_t first, std::int64_t count, Columns& out);

  /// out row r = left row (first_left + r * left_step) joined with right row likewise; rows are `width` values long.
  struct RowRange {
    const Columns* columns = nullptr;
    std::int64_t first = 0;
    std::int64_t step = 1;
  };
  bool join(RowRange left, RowRange right, std::int64_t count, std::int64_t width, Columns& out);
  bool join_one(const Columns& left, const Columns& right, std::int64_t width, Columns& out) {
    return join({&left}, {&right}, 1, width, out);
  }
  /// Adjacent pairs again and again, an odd last one carried, until one row is left.
  bool pair_up(Columns& rows, std::int64_t count, std::int64_t width);

  bool scan_seq(std::int64_t length, Columns& out);
  bool scan_tree(std::int64_t length, Columns& out);
  bool scan_stored(std::int64_t length, Columns& out);

  Columns new_rows(std::int64_t count);
  void copy_rows(const Columns& from, std::int64_t from_row, Columns& to, std::int64_t to_row, std::int64_t count,
                 std::int64_t width);
  Columns view(const Columns& of, std::int64_t first_value) const;
  std::int64_t width(const Sublists& of) const { return static_cast<std::int64_t>(of.starts.size()) * outer_.size; }
  std::int64_t rows_at_once(std::int64_t width) const { return std::max<std::int64_t>(evaluator_.batch() / width, 1); }

  Evaluator& evaluator_;
  Frame& outer_;
  ir::NodeId place_;
  ir::VariableId variable_, left_, right_;
  ir::NodeId body_, operation_;
  ir::Reduction reduction_;
  std::vector<ir::Scalar> scalars_;
  const Columns* stored_ = nullptr;  ///< the leaves, where they were computed before
  int depth_ = 0;
};

}  // namespace reckon::interp
