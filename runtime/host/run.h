// Running programs that are compiled for the host.
#pragma once

#include <functional>
#include <vector>

#include "runtime/buffers.h"

namespace reckon::runtime {

/// How long repeated work takes.
struct Timing {
  double wanted_seconds = 1;  ///< all runs together, about
  std::size_t min_runs = 5;
  std::vector<double> seconds = {};  ///< of each run
  int threads = 1;                   ///< of the host that compute
  void measure(const std::function<void()>& run);
};

/// Runs a host program on arguments (bit patterns, shapes already bound and checked by ir/bind.h). Results are as
/// tensor_of makes them. With `timing`, its kernels are run again and again.
Expected<std::vector<ir::HostTensor>> run_host(ir::Module& module, const ir::Function& function,
                                               const codegen::Compiled& compiled,
                                               const std::vector<ir::HostTensor>& arguments,
                                               const std::map<ir::SymbolId, std::int64_t>& dimensions,
                                               const Generate& generate = {}, Timing* timing = nullptr);

}  // namespace reckon::runtime
