// What a thread-value layout costs in memory: vector width, sectors, lines, wavefronts, and why (docs/layouts.md).
// A model of NVIDIA GPUs of 32 banks of 4 bytes (compute capability 5.0 and later).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layout/memory/access.h"
#include "layout/memory/request.h"

namespace reckon::layout {

/// How wide a thread can access its values.
struct Width {
  int elements = 1;            ///< per access, a power of two
  std::string limit;           ///< what keeps it from twice that: "the alignment of the base, 4 bytes", ...
  int elements_reordered = 1;  ///< with the values of a thread in the order of their offsets
};
Width vector_width(const Offsets& offsets, const Access& access);

/// One warp, one access of each of its threads.
struct Request {
  std::int64_t first_thread = 0, first_value = 0;
  std::vector<Phase> phases;  ///< shared memory
  int wavefronts = 0;
  Traffic traffic;  ///< global memory; over the bases that the alignment allows, the most sectors and lines
};

struct Report {
  Access access;  ///< with the vector that was used
  Width width;
  std::int64_t requests = 0;
  std::int64_t phases = 0;      ///< in all: the least number of wavefronts
  std::int64_t wavefronts = 0;  ///< in all
  int worst_phase = 0;          ///< wavefronts of the worst phase: its conflict is that many ways
  Traffic traffic;              ///< sums over the requests
  Request worst;                ///< the first request of those that cost most

  bool conflict_free() const { return wavefronts == phases; }
  /// Distinct bytes used, of those that the sectors hold.
  double coalescing() const;
  /// Some lines for a reader.
  std::string text() const;
};

/// Refuses an access that is not one: element bytes or vector no power of two, wider than 16 bytes, values that are not
/// a multiple of the vector, a thread's access that is not aligned to its own width, rows of ldmatrix that are not
/// aligned to 16 bytes or not 8, 16 or 32.
Result<Report> report(const Offsets& offsets, const Access& access);
Result<Report> report(const AnyLayout& thread_value, const Access& access);
/// Wavefronts alone, of an access that a report has checked and given its vector.
std::int64_t count_wavefronts(const Offsets& offsets, const Access& access);

}  // namespace reckon::layout
