// All sweeps of a program, what is done of them, and the restart file that keeps it.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "sweep/dealer.h"

namespace reckon::sweep {

/// What a restart file is good for.
struct Identity {
  std::string version;         ///< of Reckon, and which build
  std::uint64_t program = 0;   ///< a hash of all texts
  std::string settings;        ///< those on which results depend, as the user writes them
};

class Job : public Carrier {
 public:
  /// `others`: how many take blocks besides the threads of this process.
  explicit Job(Identity identity, std::size_t others = 0) : identity_(std::move(identity)), done_(1 + others) {}

  /// What is done so far, as the bytes of a restart file.
  std::string bytes();
  /// Takes what a restart file says is done. Otherwise the result says what is wrong with the file, after its name.
  std::optional<std::string> read(const std::string& bytes);
  /// From now on, `save` gets the bytes every few seconds while a sweep is under way; it returns why it failed, or "".
  void keep(std::function<std::string(const std::string&)> save) { save_ = std::move(save); }
  /// Saves at once, if something keeps the bytes: why that failed, or "".
  std::string save();

  Part carry_out(Sweep& sweep) override;

  /// How many cells a restart file had, and how many each taker has done since.
  std::int64_t kept() const { return kept_; }
  const std::vector<std::int64_t>& done() const { return done_; }

 protected:
  /// Called again and again while a sweep is under way, by a thread that does nothing else; by the caller's own before
  /// and after.
  virtual void attend(Dealer& /*dealer*/) {}
  /// A sweep whose cells are all known.
  std::optional<Part> known(std::uint64_t key);

 private:
  class Attendant;
  void save_if_due();

  Identity identity_;
  std::mutex mutex_;  ///< guards sweeps_ and done_
  std::map<std::uint64_t, Cells> sweeps_;  ///< by key
  std::vector<std::int64_t> done_;
  std::int64_t kept_ = 0;
  std::function<std::string(const std::string&)> save_;
  std::chrono::steady_clock::time_point next_save_ = {};
};

}  // namespace reckon::sweep
