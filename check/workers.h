// The trials of a check on all cores. Results are the same whatever the number of threads.
#pragma once

#include "check/trial.h"
#include "interp/circuit_cache.h"

namespace reckon::check {

class Workers {
 public:
  /// `first` is the caller's own. Others use copies of the module and are made when they are needed, if the semantics
  /// can be made twice.
  Workers(const ir::Module& module, const frontend::ElaboratedItem& item, interp::Semantics& semantics,
          const interp::EvaluateOptions& options, const Trial& first)
      : module_(module), item_(item), semantics_(semantics), options_(options), first_(first) {}

  /// Runs trials `from` to `to` - 1 of one size and returns them in order, up to the first error or `no` (all of them,
  /// if the check is against a profile). Other threads are
  /// started if the trials are known to take long enough.
  std::vector<Expected<TrialResult>> run(const ir::Dimensions& sizes, std::int64_t from, std::int64_t to, bool redraws,
                                         double seconds_each);

 private:
  struct Worker {
    std::unique_ptr<ir::Module> module;
    std::unique_ptr<interp::Semantics> semantics;
    std::unique_ptr<interp::CircuitCache> circuits;  ///< of its module
    std::unique_ptr<Trial> trial;
  };
  void make_more(std::size_t count);

  const ir::Module& module_;
  const frontend::ElaboratedItem& item_;
  interp::Semantics& semantics_;
  const interp::EvaluateOptions& options_;
  const Trial& first_;
  std::vector<Worker> others_;
  bool alone_ = false;
};

}  // namespace reckon::check
