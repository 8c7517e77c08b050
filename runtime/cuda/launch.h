// Running a compiled plan (codegen/compile.h) on a GPU: buffers, launches, results.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/stored.h"
#include "ir/bind.h"
#include "runtime/cuda/resources.h"

namespace reckon::runtime {

struct GpuOptions {
  cuda::DriverOptions driver;
  int device = 0;
};

/// How many threads a kernel is given.
struct LaunchShape {
  unsigned blocks = 0;
  unsigned threads = 0;  ///< of each block
};

/// For a kernel of so many work items, one per thread, grid-stride. Small kernels get smaller blocks than they ask for,
/// so that all multiprocessors have some; large ones get at most so many blocks that the loop over the items pays.
/// `most_threads`: what the kernel's registers allow. No items, no blocks.
LaunchShape launch_shape(const codegen::Kernel& kernel, std::int64_t items, int multiprocessors, int most_threads);

/// Bytes of stack for each thread of recursive kernels: at most an eighth of the device's memory for all threads that
/// it can hold at once, since that is how the driver reserves it.
std::size_t stack_bytes(const cuda::DeviceInfo& device);

/// A plan loaded on a device for certain sizes: prepared and filled once, launched any number of times.
class GpuProgram {
 public:
  /// Loads the PTX (or `cubin`, if it is not empty) and allocates every buffer. E0313 if a size cannot be computed.
  static Expected<GpuProgram> prepare(std::shared_ptr<const cuda::Context> context, const ir::Module& module,
                                      const ir::Function& function, const codegen::Compiled& compiled,
                                      const ir::Dimensions& dimensions, const std::string& cubin = {});

  /// Uploads the arguments, one per parameter, and the constants. The module is the one that the plan was made from.
  cuda::Failure fill(ir::Module& module, const std::vector<ir::HostTensor>& arguments,
                     const codegen::Generate& generate);
  /// Queues every kernel in order. Errors of the kernels themselves appear when the context is synchronised.
  cuda::Failure launch(cuda::StreamObject* stream = nullptr);
  /// Waits, and downloads the results in the order of their positions, as codegen::tensor_of makes them; or gives the
  /// first fault of the kernels (E0502) instead. NaNs are canonical, but in fpsan, whose
  /// carriers may look like NaNs.
  Expected<std::vector<ir::HostTensor>> results();

  const cuda::Context& context() const { return *context_; }
  const std::shared_ptr<const cuda::Context>& shared_context() const { return context_; }
  const std::string& build_log() const { return build_log_; }
  std::uint64_t bytes() const;  ///< of the elements of all buffers

 private:
  struct DeviceBuffer {
    codegen::Buffer buffer;
    std::vector<std::int64_t> shape;
    std::uint64_t bytes = 0;                  ///< of its elements; what is allocated may be more
    std::optional<layout::AnyLayout> layout;  ///< of a parameter or result that is stored by one
    cuda::Memory memory;
  };
  struct DeviceKernel {
    std::string name;
    cuda::FunctionObject* function = nullptr;
    LaunchShape shape;
    bool overlaps = false;  ///< codegen::Kernel::overlaps
  };

  cuda::Result start(const DeviceKernel& kernel, cuda::StreamObject* stream, void** parameters) const;
  cuda::Failure add_buffers(const ir::Module& module, const codegen::Plan& plan, const ir::Dimensions& dimensions);
  cuda::Failure add_kernels(const ir::Module& module, const codegen::Plan& plan, const ir::Dimensions& dimensions);
  Diagnostic at_function(Diagnostic diagnostic) const;

  std::shared_ptr<const cuda::Context> context_;
  std::string function_name_;
  SourceSpan function_span_;
  cuda::LoadedModule module_;
  std::string build_log_;
  std::vector<DeviceBuffer> buffers_;
  std::vector<DeviceKernel> kernels_;
  std::vector<std::int64_t> dimension_values_;
  ir::Dimensions dimensions_;
  codegen::CompiledSemantics semantics_{};
  ir::Function function_;
  std::vector<Diagnostic> faults_;  ///< of the plan
  std::size_t stack_bytes_ = 0;     ///< of each thread, if a kernel is recursive
};

/// Opens a device, runs the plan once, and returns the results, tuples flattened. The arguments' shapes were bound and
/// checked by ir/bind.h. As codegen::run_host, for programs compiled for ptx.
Expected<std::vector<ir::HostTensor>> run_on_gpu(ir::Module& module, const ir::Function& function,
                                                 const codegen::Compiled& compiled,
                                                 const std::vector<ir::HostTensor>& arguments,
                                                 const ir::Dimensions& dimensions,
                                                 const codegen::Generate& generate = {},
                                                 const GpuOptions& options = {});

}  // namespace reckon::runtime
