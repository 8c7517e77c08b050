#include "runtime/mpi/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "diagnostics/codes/tool_missing.h"

namespace reckon::runtime::mpi {
namespace {

Diagnostic no_library(std::string message, std::string note) {
  Diagnostic diagnostic(code::tool_missing, {}, std::move(message));
  if (!note.empty()) diagnostic.notes.push_back(std::move(note));
  diagnostic.helps.push_back(
      "install Open MPI (Debian: `openmpi-bin`) or MPICH, or name MPI's library in the environment variable "
      "`RECKON_MPI`; one machine alone needs no MPI: leave out `--on=mpi`");
  return diagnostic;
}

/// The first function that the library lacks, or null.
const char* find_functions(void* library, Functions& functions) {
#define RECKON_MPI(name, symbol, parameters)                                           \
  functions.name = reinterpret_cast<decltype(functions.name)>(dlsym(library, symbol)); \
  if (functions.name == nullptr) return symbol;
#include "runtime/mpi/mpi.def"
#undef RECKON_MPI
  return nullptr;
}

bool find_handles(void* opened, Library& library) {
  // Open MPI: the handles are the addresses of these objects (mpi.h, OMPI_PREDEFINED_GLOBAL).
  if (void* world = dlsym(opened, "ompi_mpi_comm_world")) {
    library.world = reinterpret_cast<Handle>(world);
    library.byte = reinterpret_cast<Handle>(dlsym(opened, "ompi_mpi_byte"));
    library.ignored_status = nullptr;
    return library.byte != 0;
  }
  // MPICH: fixed numbers (mpi.h; the MPICH ABI Compatibility Initiative). MPI_DUP_FN is this function in mpi.h, so that
  // every library with this interface has it.
  if (dlsym(opened, "MPIR_Dup_fn") == nullptr) return false;
  library.world = 0x44000000;
  library.byte = 0x4c00010d;
  library.ignored_status = reinterpret_cast<void*>(std::uintptr_t{1});
  return true;
}

/// Where both are installed, the launcher shows which of them is meant: MPICH's sets PMI_RANK alone.
std::vector<std::string> usual_names() {
  const bool mpich = std::getenv("PMI_RANK") != nullptr && std::getenv("PMIX_RANK") == nullptr &&
                     std::getenv("OMPI_COMM_WORLD_RANK") == nullptr;
  if (mpich) return {"libmpich.so.12", "libmpi.so.12", "libmpi.so.40", "libmpi.so"};
  return {"libmpi.so.40", "libmpi.so.12", "libmpich.so.12", "libmpi.so"};
}

}  // namespace

Expected<Library> open_library(const std::string& name) {
  const std::vector<std::string> names = name.empty() ? usual_names() : std::vector<std::string>{name};
  std::string reason;
  for (const std::string& each : names) {
    // Open MPI's plugins look for its symbols, so that they have to be global.
    void* opened = dlopen(each.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (opened == nullptr) {
      const char* text = dlerror();
      if (reason.empty() && text != nullptr) reason = text;
      continue;
    }
    Library library;
    library.name = each;
    if (const char* missing = find_functions(opened, library.call)) {
      return no_library(fmt::format("no ranks can be used: `{}` has no `{}`, so it is no MPI library", each, missing),
                        "");
    }
    if (!find_handles(opened, library)) {
      return no_library(fmt::format("no ranks can be used: `{}` is neither Open MPI nor MPICH", each),
                        "the binary interfaces of other MPI libraries are not known here");
    }
    return library;
  }
  return no_library(name.empty() ? "no ranks can be used: no MPI library was found"
                                 : fmt::format("no ranks can be used: MPI's library `{}` could not be opened", name),
                    reason);
}

}  // namespace reckon::runtime::mpi
