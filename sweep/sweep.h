// A sweep is a list of numbered cells (trials of a check, pieces of a range, slices of a benchmark) with what was seen
// of those that are done. What was seen of neighbouring cells is merged in the order of their numbers, so that it does
// not matter who did which of them, in how many blocks, and when: threads, the ranks of a job, or an earlier process
// whose restart file says so.
#pragma once

#include <cstdint>
#include <string>

namespace reckon::sweep {

/// What was seen of the cells `first` to `last` - 1.
struct Part {
  std::int64_t first = 0, last = 0;
  bool ends = false;  ///< the sweep ends with the last of these cells: no later one is needed
  std::string seen;   ///< in bytes that the sweep alone understands
};

class Sweep {
 public:
  Sweep(std::int64_t from, std::int64_t to) : from_(from), to_(to) {}
  virtual ~Sweep() = default;
  std::int64_t from() const { return from_; }
  std::int64_t to() const { return to_; }

  /// A hash of everything that the results depend on: sweeps of one key have the same results.
  virtual std::uint64_t key() const = 0;
  /// Carries out cells from `first` on, on threads of this process, up to `last` - 1 or to a cell that ends the sweep.
  /// There may be fewer of them, if `cancel`, the clock or the user stops them.
  virtual Part run(std::int64_t first, std::int64_t last) = 0;
  /// What was seen of two neighbouring parts.
  virtual std::string merged(const std::string& earlier, const std::string& later) const = 0;

  /// Lets `run` end soon, from another thread; until it is taken back.
  virtual void cancel(bool on) = 0;
  /// Whether the clock or the user ended the sweep.
  virtual bool stopped() const = 0;
  /// Ends the sweep, and what it is a part of, as the clock would.
  virtual void abandon() = 0;

 private:
  std::int64_t from_, to_;
};

/// Who carries out sweeps, if others than the threads of this process take part or something is kept.
class Carrier {
 public:
  virtual ~Carrier() = default;
  /// A step of the program that may have sweeps begins. False: nobody needs it any more.
  virtual bool begin() { return true; }
  /// The step is over; `failure` says why it could not be carried out, or is empty.
  virtual void end(const std::string& /*failure*/) {}
  /// The cells from `from` on without a gap: all of them up to `to` or to a cell that ends the sweep; fewer, if the
  /// clock or the user stopped it.
  virtual Part carry_out(Sweep& sweep) = 0;
};

}  // namespace reckon::sweep
