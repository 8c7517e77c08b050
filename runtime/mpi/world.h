// The ranks of a job that `mpirun` started, and what they tell each other: whether all went well so far, and bytes. No
// number is ever added by MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "diagnostics/diagnostic.h"
#include "runtime/mpi/library.h"

namespace reckon::runtime::mpi {

/// Whether a launcher (mpirun, srun, ...) started this process, and the rank that it says, before MPI is opened.
std::optional<int> launched_rank();

class World {
 public:
  /// Opened once for a process; later calls give the same. Without a launcher, a world of one rank. `library`: its name
  /// or path; empty: that in the environment variable RECKON_MPI, or the usual names. E0901: there is none.
  static Expected<std::shared_ptr<World>> open(const std::string& library = {});
  /// From now on the ranks are those of this communicator, an MPI_Comm of the same library; all of them call this. It
  /// lives as long as it is used. No two of the world's own functions are under way at once.
  void use(Handle communicator);
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  /// Waits until every rank is done, and ends MPI. Ranks that are still in a call get an error there.
  ~World();

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_root() const { return rank_ == 0; }

  /// Every rank says whether it failed since the last time. The result is the same on all of them: the failure of the
  /// first rank that has one, or nothing. Before ranks exchange anything else they agree, so that none waits for one
  /// that has failed.
  std::optional<Diagnostic> agree(const std::optional<Diagnostic>& mine);

  /// Prints the reason, and ends all ranks at once: for what leaves no way to agree.
  [[noreturn]] void abort(std::string_view reason) const;

  void send_to_root(const void* bytes, std::size_t count);
  void receive(int from, void* bytes, std::size_t count);  ///< at rank 0
  void broadcast(void* bytes, std::size_t count);          ///< from rank 0

  /// A message that the other rank may or may not be waiting for, apart from all of the above. Any thread may call
  /// these two, one at a time.
  void tell(int to, std::string_view bytes);
  /// The next such message from a rank, if one has arrived.
  std::optional<std::string> heard(int from);

 private:
  void send(int to, int tag, const void* bytes, std::size_t count);
  void receive(int from, int tag, void* bytes, std::size_t count);
  World(Library library, bool launched);
  enum class Kind : std::uint8_t { good, closing, failed };  ///< from the least grave to the gravest
  struct State {
    Kind kind{};
    int from = 0;
    bool all = false;  ///< every rank says the same kind
    std::string text;  ///< failed: the packed diagnostic
  };
  State exchanged(Kind kind, const std::string& text);

  Library library_;
  bool started_ = false;  ///< MPI_Init was called here
  int rank_ = 0, size_ = 1;
};

}  // namespace reckon::runtime::mpi
