// Folding leaves along a schedule without building its tree (docs/architecture/folding.md).
//
// A reduction of n leaves is folded for all elements of an outer frame at once. The nodes that a schedule combines are
// those of a *list*: the leaves themselves, or the nodes that a stage makes of another list, which are computed on
// demand. Parallel sublists of one length, each an arithmetic progression of positions in a list, are folded in
// lockstep. As many rows of nodes are evaluated at a time as a batch holds. The values of a fold are stored row by row:
// one row for each node, and in it one value for each parallel sublist and each outer element.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "interp/join_program.h"
#include "ir/schedule/order.h"

namespace reckon::interp {

/// How the nodes of a fold are joined (docs/schedules.md: `fused`, `neumaier`, `kahan`).
enum class Arithmetic : std::uint8_t { plain, fused, neumaier, kahan };

/// Values of nodes. Usually a node has the parts of the reduction's body. Under `neumaier` and `kahan` it is a sum and
/// its compensation. Where a schedule fuses products, a leaf keeps its two factors until a node absorbs them or rounds
/// their product.
struct Nodes {
  Columns columns;
  /// Only for reductions that fuse: for each position, whether the node is still two factors of a product. (A position
  /// has one value for each outer element.)
  std::vector<std::uint8_t> products;
};

class Folder {
 public:
  /// `fold` is a reduce or scan node whose free variables are bound in `outer` or above.
  Folder(Evaluator& evaluator, Frame& outer, ir::NodeId fold);

  /// The reduction of leaves 0..length-1 (length >= 1), for each outer element.
  [[nodiscard]] bool reduce(std::int64_t length, Columns& out);
  /// The reductions of leaves 0..i for i < length: row i of `out`.
  [[nodiscard]] bool scan(std::int64_t length, Columns& out);
  using Indices = std::vector<std::int64_t>;
  /// Row to[k] of `out` becomes row left_rows[k] joined with row right_rows[k]. `out` may be one of the others, if no
  /// row that is written is read for another k. Rows are one value for each outer element.
  [[nodiscard]] bool join_rows(const Nodes& left, const Indices& left_rows, const Nodes& right,
                               const Indices& right_rows, Nodes& out, const Indices& to);

 private:
  struct List;
  /// Parallel sublists: positions start + t * stride, t < length, for each start.
  struct Sublists {
    const List* list = nullptr;  ///< null: the leaves
    std::vector<std::int64_t> starts;
    std::int64_t stride = 1;
    std::int64_t length = 1;
    /// The length of a row: one value for each start and each outer element.
    std::int64_t width(const Frame& outer) const { return static_cast<std::int64_t>(starts.size()) * outer.size; }
  };
  /// Nodes made from the nodes of another list, `below`: runs or lanes of its sublists, each folded to one node;
  /// the same nodes in another order; or the same nodes with compensations. The nodes of the `starts.size()` sublists
  /// are stored one sublist after the other.
  struct List {
    enum class Kind : std::uint8_t { tile, lanes, arranged, compensated } kind{};
    const List* below = nullptr;  ///< null: the leaves
    std::vector<std::int64_t> starts;
    std::int64_t stride = 1;
    std::int64_t length = 0;      ///< of each sublist
    std::int64_t count = 0;       ///< nodes that each sublist becomes
    Arithmetic arithmetic{};      ///< of the runs, or of the nodes below
    // tile, lanes
    std::int64_t size = 1;        ///< the stage's k
    ir::Order schedule;           ///< for each run or lane
    // arranged
    const ir::Arrangement* arrangement = nullptr;
    std::vector<std::int64_t> last_run;  ///< the nodes of the short last run of an open arrangement

    /// Becomes the list that a stage makes of the sublists `of`, and returns its nodes as sublists.
    Sublists take(Kind stage, std::int64_t k, const ir::Order& inner, const Sublists& of, Arithmetic around);
    /// The position, in the list below, of a node of an arranged or compensated list.
    std::int64_t position_below(std::int64_t position) const;
  };

  /// Returns false, with an error, if the semantics bounds all orders and this reduction's operation has no such bound.
  bool follows_orders();

  bool fold(const ir::Order& schedule, const Sublists& of, Nodes& out);
  bool fold_head(const ir::Order& head, const Sublists& of, Nodes& out);
  /// Folds by one order of the set, and lets the semantics account for the others (Traits::bounds_all_orders).
  bool fold_one_of(const ir::Order& set, const Sublists& of, Nodes& out);
  bool fold_all_orders(ir::ScheduleOp orders, const Sublists& of, Nodes& out);
  bool fold_split(const ir::Order& head, const Sublists& of, Nodes& out);
  bool fold_seq(const Sublists& of, Nodes& out);
  bool fold_tree(const Sublists& of, Nodes& out);
  bool fold_blelloch(const Sublists& of, Nodes& out);
  bool fold_halving(const ir::Order& head, const Sublists& of, Nodes& out);
  /// Folds a tree in post-order: `step` gives a leaf's number or ir::RoundWalk::join, and nothing at the end.
  bool fold_steps(const std::function<std::optional<std::int64_t>()>& step, const Sublists& of, Nodes& out);
  bool fold_then(const ir::Order& head, const Sublists& of, Nodes& out);
  /// The schedule's term for n nodes, or the reason why there is none.
  bool head_of(const ir::Order& schedule, std::int64_t n, ir::Order& head);

  // Accumulators (fold_arithmetic.cpp)
  bool fold_arithmetic(const ir::Order& head, const Sublists& of, Nodes& out);
  bool fold_long(const LongSumRule& rule, bool of_products, const Sublists& of, Nodes& out);
  /// Rounds the products that no node absorbed.
  bool round_products(Nodes& nodes);
  /// The reverse: turns each node that is not a product into a product with 1.
  bool multiply_by_one(Nodes& nodes);
  bool join_fused(const Nodes& left, std::int64_t first_left, std::int64_t left_step, const Nodes& right,
                  std::int64_t first_right, std::int64_t right_step, std::int64_t count, std::int64_t width,
                  Nodes& out);
  bool apply(ir::Op op, std::initializer_list<Rows> operands, Column& out, std::int64_t first, std::int64_t rows,
             std::int64_t columns, std::int64_t row_stride);
  /// Applies the reduction's operation to nodes of the fold.
  bool apply_join(ir::Op op, std::initializer_list<Rows> operands, Column& out, std::int64_t rows,
                  std::int64_t columns);
  /// Gives nodes a compensation of 0.
  bool compensate(Nodes& nodes, std::int64_t count);

  /// Computes the values of list nodes at some positions; row r belongs to position r.
  bool nodes(const List* list, std::vector<std::int64_t> positions, Nodes& out);
  bool folded_nodes(const List& list, const std::vector<std::int64_t>& positions, Nodes& out);
  bool leaves(std::vector<std::int64_t> positions, Nodes& out);
  /// Rows first..first+count-1 of sublists; each row has one value for every start.
  bool rows(const Sublists& of, std::int64_t first, std::int64_t count, Nodes& out);

  /// out row r = left row (first_left + r * left_step) joined with right row likewise; rows are `width` values long.
  struct RowRange {
    const Nodes* nodes = nullptr;
    std::int64_t first = 0;
    std::int64_t step = 1;
  };
  bool join(RowRange left, RowRange right, std::int64_t count, std::int64_t width, Nodes& out);
  bool join_one(const Nodes& left, const Nodes& right, std::int64_t width, Nodes& out) {
    return join({&left}, {&right}, 1, width, out);
  }
  bool join_compensated(RowRange left, RowRange right, std::int64_t count, std::int64_t width, Nodes& out);
  /// The same, written into existing rows that are not operands; `x` and `y` are temporary columns.
  bool join_compensated(RowRange left, RowRange right, std::int64_t count, std::int64_t width, Nodes& out, Column& x,
                        Column& y);
  /// Joins adjacent pairs repeatedly, carrying an odd last one, until one row is left.
  bool reduce_pairwise(Nodes& rows, std::int64_t count, std::int64_t width);

  bool scan_seq(std::int64_t length, Nodes& out);
  bool scan_tree(std::int64_t length, Nodes& out);
  bool scan_blelloch(std::int64_t length, Nodes& out);
  bool scan_shared(std::int64_t length, Nodes& out);
  bool scan_long(std::int64_t length, const LongSumRule& rule, const Nodes& leaves, bool of_products, Nodes& out,
                 bool& done);

  // Prefixes of stored lists, which share their subtrees (prefixes.cpp). Rows are one value for each outer element.
  /// List l has the rows of `nodes` from starts[l] on, as many as its prefixes need.
  struct Lists {
    const Nodes* nodes = nullptr;
    Indices starts;
    /// The number of rows that contain so many nodes of each list.
    std::int64_t rows(const Indices& counts) const;
  };
  /// Prefix k: the first counts[k] nodes of list lists[k], followed by row k of `last`.
  struct Prefixes {
    Indices lists, counts;
    Nodes last;
    /// For each list, the number of nodes that its longest prefix has before the last one.
    Indices max_counts(const Lists& of) const;
  };
  /// Row k of `out` is the fold of prefix k by the schedule.
  bool prefixes(const ir::Order& schedule, const Lists& lists, const Prefixes& of, Nodes& out);
  bool prefixes_of_head(const ir::Order& head, const Lists& lists, const Prefixes& of, Nodes& out);
  bool prefixes_one_by_one(const ir::Order& schedule, const Lists& lists, const Prefixes& of, Nodes& out);
  bool prefixes_seq(const Lists& lists, const Prefixes& of, Nodes& out);
  bool prefixes_tree(const Lists& lists, const Prefixes& of, bool blelloch, Nodes& out);
  bool prefixes_halving(const Lists& lists, const Prefixes& of, Nodes& out);
  bool prefixes_split(const ir::Order& head, const Lists& lists, const Prefixes& of, Nodes& out);
  bool prefixes_then(const ir::Order& head, const Lists& lists, const Prefixes& of, Nodes& out);
  bool prefixes_lanes(const ir::Order& then, const Lists& lists, const Prefixes& of, Nodes& out);
  bool prefixes_arithmetic(const ir::Order& head, const Lists& lists, const Prefixes& of, Nodes& out);
  /// Folds `count` sublists of `length` nodes side by side: node t of sublist c is row t * count + c.
  bool fold_columns(const ir::Order& schedule, const Nodes& nodes, std::int64_t length, std::int64_t count, Nodes& out);
  Prefixes chosen(const Prefixes& of, const Indices& members);
  Nodes taken(const Nodes& from, const std::int64_t* rows, std::int64_t count);
  Nodes copied(const Nodes& from, std::int64_t rows);
  void put(const Nodes& from, Nodes& out, const std::int64_t* rows, std::int64_t count);
  void gather_rows(const Nodes& from, const Indices& rows, Nodes& out, std::int64_t first);

  Nodes new_rows(std::int64_t count);
  void copy_rows(const Nodes& from, std::int64_t from_row, Nodes& to, std::int64_t to_row, std::int64_t count,
                 std::int64_t width);
  Nodes view(const Nodes& of, std::int64_t first_value, std::int64_t values) const;
  Rows rows_of(const Column& column, std::int64_t first, std::int64_t row_stride) const {
    return {column.data + static_cast<std::size_t>(first) * evaluator_.semantics().size(column.scalar), row_stride};
  }
  std::int64_t rows_at_once(std::int64_t width) const { return std::max<std::int64_t>(evaluator_.batch() / width, 1); }

  Evaluator& evaluator_;
  Frame& outer_;
  ir::NodeId place_;
  ir::VariableId variable_, left_, right_;
  ir::NodeId body_, operation_;
  ir::Reduction reduction_;
  ir::Order order_;  ///< the reduction's order
  std::vector<ir::Scalar> scalars_;
  bool fuses_ = false;         ///< leaves keep their factors
  bool plain_sums_ = false;    ///< addition is exact, so that all accumulators give the same result
  Arithmetic arithmetic_ = Arithmetic::plain;  ///< of the nodes that are being joined
  /// For an operation that the program defines: made at the first join, and null if the operation needs frames.
  std::optional<std::unique_ptr<JoinProgram>> program_;
  const Nodes* stored_ = nullptr;  ///< values that were computed before and are used as leaves; null: none
  int depth_ = 0;
};

}  // namespace reckon::interp
