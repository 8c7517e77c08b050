// One run of a program: alone, or by the ranks of a job that deal the trials of its checks among them, with or without
// a restart file (docs/many_machines.md).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/implementation.h"
#include "sweep/job.h"

namespace reckon {

class ProgramRun {
 public:
  explicit ProgramRun(Session::Implementation& self) : self_(self) {}
  ~ProgramRun();
  ProgramRun(const ProgramRun&) = delete;

  /// `failures`: why the program cannot run at all, as far as this process knows. The result is why it does not: on all
  /// ranks of a job, if one of them says so.
  std::vector<Message> begin(std::vector<Message> failures);
  /// The outcome of an item; nothing if this rank leaves it to rank 0, or only helped it.
  std::optional<Event> carry_out(const frontend::ElaboratedItem& item);
  /// Keeps what is done, if there is a restart file. Messages: that failed; if the options ask for it, who did what.
  std::vector<Message> finish();

 private:
  bool is_root() const { return rank_ == 0; }
  sweep::Identity identity() const;
  std::vector<Message> make_carrier();
  std::vector<Message> saved();
  std::vector<Message> read_restart_file(sweep::Job& job);
  std::vector<Message> about_restart_file(const std::string& problem, const std::string& help);

  Session::Implementation& self_;
  int rank_ = 0;
  sweep::Job* job_ = nullptr;  ///< at rank 0, if there is anything to deal or to keep
};

}  // namespace reckon
