// The trials of a check on all cores, and by others that take part (sweep/sweep.h). What they show is the same whoever
// does which of them.
#pragma once

#include <functional>

#include "check/summary.h"
#include "check/watchdog.h"
#include "interp/circuit_cache.h"
#include "sweep/sweep.h"

namespace reckon::check {

class Workers {
 public:
  /// `first` is the caller's own. Others use copies of the module and are made when they are needed, if the semantics
  /// can be made twice. `carrier` may be null.
  Workers(ir::Module& module, const frontend::ElaboratedItem& item, interp::Semantics& semantics,
          const interp::EvaluateOptions& options, const Trial& first, Watchdog& watch, sweep::Carrier* carrier)
      : module_(module), item_(item), semantics_(semantics), options_(options), first_(first), watch_(watch),
        carrier_(carrier), rules_(Summary::Rules::of(item)) {}

  /// What trials `from` to `to` - 1 of one size show, up to the first error or `no` (all of them, if the check is
  /// against a profile), or to where the clock ended them.
  Summary run(const ir::Dimensions& sizes, std::int64_t from, std::int64_t to, bool redraws);
  /// The result of one trial, whose ranges are cut into so many pieces: these are carried out as trials are.
  Expected<TrialResult> run_pieces(const ir::Dimensions& sizes, std::int64_t trial, std::int64_t pieces, bool redraws);
  /// The result of a trial that a summary names.
  Expected<TrialResult> result_of(const Summary::Kept& kept, const ir::Dimensions& sizes, bool redraws);

  /// How long a trial takes, where it is known before the first one is done. Other threads are started if the trials
  /// take long enough.
  void expect(double seconds_each) { seconds_each_ = seconds_each; }

 private:
  class TrialSweep;
  /// What is carried out under a number: a trial, or a piece of one.
  using Cell = std::function<Expected<TrialResult>(const Trial&, std::int64_t)>;
  struct Worker {
    std::unique_ptr<ir::Module> module;
    std::unique_ptr<interp::Semantics> semantics;
    std::unique_ptr<interp::CircuitCache> circuits;  ///< of its module
    std::unique_ptr<Trial> trial;
  };
  void make_more(std::size_t count);
  Summary carry_out(const Cell& cell, std::int64_t from, std::int64_t to, const std::string& name);
  Summary on_threads(const Cell& cell, std::int64_t from, std::int64_t to, const Summary::Rules& rules);
  void alone(const Cell& cell, std::int64_t to, const Summary::Rules& rules, Summary& out);
  std::uint64_t identity();

  ir::Module& module_;
  const frontend::ElaboratedItem& item_;
  interp::Semantics& semantics_;
  const interp::EvaluateOptions& options_;
  const Trial& first_;
  Watchdog& watch_;
  sweep::Carrier* carrier_;
  const Summary::Rules rules_;
  std::vector<Worker> others_;
  bool alone_ = false;
  double seconds_each_ = 0;  ///< of the last trials, on one thread; 0: not known
  std::optional<std::uint64_t> identity_;
};

}  // namespace reckon::check
