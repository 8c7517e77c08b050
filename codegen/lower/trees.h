// The schedules that are trees: `tree`, `blelloch`, `halving` and quoted ones.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/lower/joins.h"
#include "codegen/lower/parts.h"

namespace reckon::codegen {

class Folds;

/// A binary counter of partial results: level l holds the result of 2^l nodes in a row.
struct Counter {
  Values stack;
};

class TreeFolds : LoweringParts {
 public:
  TreeFolds(Folds& folds, Joins& joins);
  TreeFolds(const TreeFolds&) = delete;

  Values fold_tree(const FoldSite& site, const Slice& slice);
  Values fold_blelloch(const FoldSite& site, const Slice& slice);
  Values fold_halving(const FoldSite& site, const Slice& slice);
  Values fold_quoted(const FoldSite& site, ir::TreeId tree, const Slice& slice);

  /// The nodes of a short row, joined as `tree` joins them.
  Values joined_in_pairs(const FoldSite& site, std::vector<Values> row);

  Counter make_counter(const FoldSite& site, std::int64_t levels);
  /// Adds the result of 2^level nodes to a counter that holds `count` such groups. Gives the result of the run that
  /// ends with it: what the counter has of these nodes now.
  Values push(const FoldSite& site, const Counter& counter, Value count, std::int64_t level, Values value);
  /// The counter's result; it holds `count` >= 1 nodes and stays as it is.
  Values finish(const FoldSite& site, const Counter& counter, Value count);
  /// The same, joined as `blelloch` joins them.
  Values finish_blelloch(const FoldSite& site, const Counter& counter, Value count);
  /// Several nodes, each joined on its left with the runs of the `number` nodes before it, as `tree` joins it: a run
  /// for each bit of the number, from the lowest on. `load(left, level)` gives the one of 2^level nodes, the last of
  /// the first `left`.
  std::vector<Values> after_runs(const FoldSite& site, Value number, const std::vector<Values>& nodes,
                                 FunctionRef<Values(Value left, Value level)> load);
  /// The same with the runs of a counter.
  std::vector<Values> after_runs(const FoldSite& site, const Counter& counter, Value number,
                                 const std::vector<Values>& nodes);

 private:
  Values fold_by_levels(const FoldSite& site, const Values& nodes, std::int64_t count);
  Counter fill_counter(const FoldSite& site, const Slice& slice);
  Values written_out(const FoldSite& site, ir::TreeId tree, const Slice& slice);
};

}  // namespace reckon::codegen
