// The threads that compute kernels of the host: the caller's own, and others that wait for work as long as the process
// lives. Which thread computes which items is decided as they come; no bit of a result depends on it.
#pragma once

#include <cstdint>
#include <functional>

namespace reckon::runtime {

/// How many threads a kernel may have: the environment's RECKON_THREADS if that is a number from 1 on, else as many as
/// the process may use processors.
int host_threads();

/// Does the parts 0 .. parts - 1, each once, in this thread and up to `threads` - 1 others, and returns when all are
/// done. One caller at a time has the others; a second one does all parts itself.
void in_threads(int threads, std::int64_t parts, const std::function<void(std::int64_t part)>& body);

}  // namespace reckon::runtime
