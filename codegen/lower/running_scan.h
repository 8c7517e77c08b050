// A whole scan by one thread, leaf after leaf: what the prefixes have in common is kept, and joined with each new leaf.
#pragma once

#include "codegen/lower/folds.h"
#include "codegen/lower/parts.h"

namespace reckon::codegen {

class RunningScan : LoweringParts {
 public:
  RunningScan(Folds& folds, const FoldSite& site);

  using Keep = FunctionRef<void(Value position, const Values& values)>;
  /// Scans the leaves 0 .. length - 1, of which there is at least one, in a running order (plan.h).
  void write(ir::ScheduleId schedule, Value length, Keep keep);

 private:
  /// What is kept of the nodes so far: for `seq` one node, for the others those of runs of powers of two.
  struct State {
    ir::ScheduleOp order{};
    Values one;
    Counter runs;
  };
  State start(ir::ScheduleOp order);
  /// The nodes so far, of which there are `count`, joined with one more.
  Values with(const State& state, Value count, const Values& node);
  /// The same, and the node is one of them from now on. `joined` is what `with` gave.
  void add(const State& state, Value count, const Values& node, const Values& joined);
  Values with_runs(const State& state, Value count, const Values& node);

  const FoldSite& site_;
};

}  // namespace reckon::codegen
