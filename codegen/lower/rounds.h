// Folds schedules that have no case of their own, by the rounds that define them (ir/schedule/rounds.h).
#pragma once

#include "codegen/lower/joins.h"
#include "codegen/lower/parts.h"
#include "ir/schedule/rounds.h"

namespace reckon::codegen {

class Folds;

class RoundFolds : LoweringParts {
 public:
  RoundFolds(Folds& folds, Joins& joins);
  RoundFolds(const RoundFolds&) = delete;

  Values fold(const FoldSite& site, ir::ScheduleId id, const Slice& slice);

 private:
  /// The rule as index expressions over three variables.
  struct Rule {
    ir::VariableId m, i, c;
    ir::IndexId groups, size, node;
  };
  /// What the walk keeps of each level of the tree. Level 0 is that of the nodes that are folded.
  struct Levels {
    Value counts = nullptr;  ///< how many nodes the level has
    Value group = nullptr;   ///< which node of the level is being made
    Value member = nullptr;  ///< how many parts of that node have been joined
    Values made;             ///< the value of these parts
  };

  Rule rule_of(const ir::Rounds& rounds);
  Value number(const Rule& rule, ir::IndexId what, Value m, Value i = nullptr, Value c = nullptr);
  /// Walks down to the first part of node i of a level; gives its position at level 0.
  Value descend(const Rule& rule, const Levels& levels, Value level, Value i);
  Values walk(const FoldSite& site, const Rule& rule, const Slice& slice);
};

}  // namespace reckon::codegen
