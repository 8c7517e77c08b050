// Runs one kernel of PTX that Reckon did not compile: it has one or two inputs, and its result is one number.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "runtime/cuda/staging.h"

namespace reckon::runtime {

/// How a kernel is started: `grid=4 block=256 shared=1024 args=in,out,n`. Grid and block may have up to three extents
/// (`grid=4,2`), 1 if absent; `shared` is dynamic shared memory in bytes. The arguments stand in the kernel's order:
/// `in`, `in2` and `out` are addresses, `n` the number of elements, `scratch:BYTES` the address of zeroed memory, an
/// integer itself. Integers serve parameters of 32 and of 64 bits. E0621 if the text is none of this.
struct KernelLaunch {
  struct Argument {
    enum class Kind : std::uint8_t { in, in2, out, n, scratch, integer } kind{};
    std::int64_t value = 0;  ///< scratch: bytes; integer
  };
  std::array<unsigned, 3> grid{1, 1, 1}, block{1, 1, 1};
  unsigned shared_bytes = 0;
  std::vector<Argument> arguments;

  static Expected<KernelLaunch> parse(const std::string& text);
};

class ForeignKernel {
 public:
  /// `in_bytes`: of each input; `out_bytes`: of the result. E0902 if the driver refuses.
  static Expected<ForeignKernel> prepare(std::shared_ptr<const cuda::Context> context, const std::string& ptx,
                                         const std::string& kernel, KernelLaunch launch, std::size_t in_bytes,
                                         std::size_t out_bytes);
  ForeignKernel(ForeignKernel&&) = default;
  ForeignKernel& operator=(ForeignKernel&&) = delete;  // would release what is in use

  /// Uploads, zeroes `out` and scratch memory, launches, waits, downloads `out`.
  Expected<std::vector<std::uint8_t>> run(const std::vector<std::uint8_t>& in, const std::vector<std::uint8_t>& in2,
                                          std::int64_t n);

 private:
  struct Place {
    std::size_t bytes = 0;  ///< of an argument that is an address; else 0
    cuda::Memory memory;
    cuda::Staging staging;  ///< of in, in2 and out
  };

  ForeignKernel() = default;

  std::shared_ptr<const cuda::Context> context_;
  std::string name_;
  KernelLaunch launch_;
  cuda::LoadedModule module_;
  cuda::FunctionObject* function_ = nullptr;
  std::vector<Place> places_;  ///< of each argument
  cuda::Stream stream_;
  cuda::QueuedWork work_;  ///< last: all of the above is in use until it is done
};

}  // namespace reckon::runtime
