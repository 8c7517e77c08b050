// MPI's library, opened at run time. Neither its headers nor the library are needed when Reckon is built.
#pragma once

#include <cstdint>
#include <string>

#include "diagnostics/diagnostic.h"

namespace reckon::runtime::mpi {

/// A communicator or a type: a pointer in Open MPI, an int in MPICH. Both fit, because the calling conventions of
/// 64-bit machines pass either in one register.
using Handle = std::uintptr_t;

struct Functions {
#define RECKON_MPI(name, symbol, parameters) int(*name) parameters = nullptr;
#include "runtime/mpi/mpi.def"
#undef RECKON_MPI
};

struct Library {
  Functions call;
  Handle world = 0, byte = 0;
  void* ignored_status = nullptr;  ///< MPI_STATUS_IGNORE
  std::string name;                ///< what was opened
};

/// Opens `name`, or the first of the usual ones if it is empty. E0901 if there is none, or it is no MPI that is known
/// here: Open MPI, or MPICH and what shares its binary interface (Intel MPI, Cray MPICH). The library stays loaded.
Expected<Library> open_library(const std::string& name);

}  // namespace reckon::runtime::mpi
