// Sweeps whose cells the ranks of a job carry out together (docs/many_machines.md).
//
// Rank 0 runs the program as a process alone would, and decides everything. The other ranks run the same checks; at each
// sweep they ask rank 0 what to do, and are given blocks of cells, or what all cells showed. Rank 0 never waits for them:
// a rank that is late, or in which the clock ended the check sooner, is told that the check is over.
#pragma once

#include <memory>
#include <vector>

#include "runtime/mpi/world.h"
#include "sweep/job.h"

namespace reckon::runtime::mpi {

/// A question or a part of another rank.
struct Report {
  std::uint64_t key = 0;  ///< of the sweep that the rank has come to
  bool has_part = false;
  sweep::Part part;
  double seconds = 0;
};

/// At rank 0.
class DealtJob : public sweep::Job {
 public:
  DealtJob(sweep::Identity identity, World& world);
  ~DealtJob() override;

  bool begin() override;
  void end(const std::string& failure) override;

 protected:
  void attend(sweep::Dealer& dealer) override;

 private:
  void answer(int rank, sweep::Dealer& dealer);

  World& world_;
  std::int64_t step_ = 0;
  std::vector<std::optional<std::uint64_t>> asked_;  ///< by rank: the key of the sweep whose answer it waits for
};

/// At the other ranks.
class HelpingRank : public sweep::Carrier {
 public:
  explicit HelpingRank(World& world) : world_(world) {}
  /// Waits until rank 0 has ended its job, so that a later one finds no messages of this one.
  ~HelpingRank() override;

  bool begin() override;
  /// Waits until rank 0 has ended the step, too. If that did not fail there, `failure` ends the job.
  void end(const std::string& failure) override;
  sweep::Part carry_out(sweep::Sweep& sweep) override;

 private:
  struct Answer;
  std::optional<Answer> next_answer();
  sweep::Part run(sweep::Sweep& sweep, std::int64_t first, std::int64_t last);
  void look_out(sweep::Sweep& sweep, std::int64_t first);

  World& world_;
  std::int64_t step_ = 0, over_ = 0;  ///< steps that have begun here; that are over at rank 0
  bool failed_ = false;               ///< the last step that is over failed at rank 0
  bool abandoned_ = false;            ///< this step was over before it ended here
};

}  // namespace reckon::runtime::mpi
