// References of schedules to definitions: a function for each definition.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <string>

#include "codegen/lower/joins.h"
#include "codegen/lower/parts.h"

namespace reckon::codegen {

class Folds;

class FoldCalls : LoweringParts {
 public:
  FoldCalls(Folds& folds, Joins& joins);
  FoldCalls(const FoldCalls&) = delete;

  Values fold_reference(const FoldSite& site, ir::ScheduleId id, const Slice& slice);
  /// A kernel begins: its functions are made anew.
  void begin_kernel();
  /// Whether the current kernel calls functions, which may recurse.
  bool any() const { return any_; }

 private:
  struct Called {
    ir::SymbolId symbol;
    ir::NodeId site;
    std::string list;  ///< the shape of the list that is folded
    Arithmetic arithmetic{};
    auto operator<=>(const Called&) const = default;
  };

  bool recurs_through_stage(ir::SymbolId symbol) const;
  Values fold_head(const FoldSite& site, ir::ScheduleId id, const Slice& slice);
  std::size_t make_fold_function(const FoldSite& site, const Called& called, const Slice& slice,
                                 const Values& arguments);

  std::map<Called, std::size_t> functions_;
  bool any_ = false;
};

}  // namespace reckon::codegen
