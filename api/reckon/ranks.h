// Reckon on many machines: what a program needs to know that `mpirun` started several times
// (docs/many_machines.md). Each of these processes, the ranks, makes the same calls with On::mpi.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "export.h"  // beside this file
#include "reckon.h"  // beside this file

namespace reckon {

struct Ranks {
  int rank = 0, size = 1;
};

/// Opens MPI, if it is not open yet. Without a launcher there is one rank. `library` is its name or path; if it is
/// empty, the environment variable RECKON_MPI says it, or the usual names are tried.
RECKON_API Result<Ranks> open_ranks(const std::string& library = {});

/// Calls with On::mpi are those of this communicator's ranks from now on, and no longer of all. `communicator` is an
/// MPI_Comm, cast to an integer; all of its ranks call this, and it lives as long as calls are made. MPI has been started
/// (by `open_ranks`, or by the program itself).
RECKON_API Result<Ranks> use_communicator(std::uintptr_t communicator, const std::string& library = {});

/// The rank that the launcher says, before MPI is opened; 0 without a launcher.
RECKON_API int launched_rank();

/// All ranks say whether something failed on them that the others do not know of: no messages, or messages. The result
/// is the same on each of them, empty if all is well. A rank that cannot make its call with On::mpi calls this in its
/// place; the calls of the other ranks then end with its messages.
RECKON_API std::vector<Message> agree_on(const std::vector<Message>& failures);

}  // namespace reckon
