// The rules that every kernel obeys. Strategies of placement make only programs that obey them: a diagnostic of the
// verifier is a bug in a strategy, or a mistake in a text that was read.
#pragma once

#include <vector>

#include "kernel/gpu.h"
#include "kernel/program.h"

namespace reckon::kernel {

struct Limits {
  std::int64_t shared_bytes = max_static_shared_bytes;  ///< of a block
};

/// Every broken rule, E0711, with the operation's text as a note; at most 16:
///   operands defined before, in the same region or one around; their number and types, and those of results and
///   yields; the first index of a loop below its limit; barriers that all threads of a block reach, shuffles that all
///   threads of a warp reach (kernel/uniformity.h); no access that is sure to leave an array of known bytes in some
///   thread, by what is known of its index (kernel/ranges.h); shared memory within the limits; no store to what is
///   given.
/// Types are looked at first, of all functions: the other rules are for programs whose types fit.
std::vector<Diagnostic> verify(const Program& program, const Limits& limits = {});

}  // namespace reckon::kernel
