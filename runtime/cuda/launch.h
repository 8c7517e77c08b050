// Running a compiled plan (codegen/compile.h) on a GPU: buffers, launches, results.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codegen/steps.h"
#include "ir/bind.h"
#include "runtime/cuda/resources.h"
#include "runtime/cuda/staging.h"
#include "runtime/cuda/tensor_maps.h"
#include "runtime/stored.h"

namespace reckon::runtime {

struct GpuOptions {
  cuda::DriverOptions driver;
  int device = 0;
};

/// E0900 if there is no such driver or device.
Expected<std::shared_ptr<const cuda::Context>> open_gpu(const GpuOptions& options = {});

/// Bytes of stack for each thread of recursive kernels: at most an eighth of the device's memory for all threads that
/// it can hold at once, since that is how the driver reserves it.
std::size_t stack_bytes(const cuda::DeviceInfo& device);

struct ProgramOptions {
  std::string cubin;  ///< loaded instead of the PTX, if it is not empty
  /// A stream of the context, which lives longer than the program; null is the default one. Without a value, the
  /// program has a stream of its own that waits for no other.
  std::optional<cuda::StreamObject*> stream;
};

/// A plan loaded on a device for certain sizes. It is prepared once and launched any number of times. Queued work runs
/// on one stream, in the order of the calls, while the host goes on; only `wait` and the destructor wait for it. Errors
/// of kernels and copies may be reported by any later call. The context must be current in the calling thread.
class GpuProgram {
 public:
  using Role = codegen::Buffer::Role;

  /// Loads the PTX (or cubin), allocates what kernels need besides parameters and results, and uploads the constants.
  /// The module is the one that the plan was made from. E0313 if a size cannot be computed.
  static Expected<GpuProgram> prepare(std::shared_ptr<const cuda::Context> context, ir::Module& module,
                                      const ir::Function& function, const codegen::Compiled& compiled,
                                      const ir::Dimensions& dimensions, const runtime::Generate& generate = {},
                                      const ProgramOptions& options = {});
  GpuProgram(GpuProgram&&) = default;
  ~GpuProgram();
  GpuProgram& operator=(GpuProgram&&) = delete;  // would release what is in use

  /// Queues the copy of one argument, or of one per parameter; they may change at once. E0603 if one does not fit.
  cuda::Failure upload(const ir::Module& module, std::size_t parameter, const ir::HostTensor& argument);
  cuda::Failure upload(const ir::Module& module, const std::vector<ir::HostTensor>& arguments);
  /// Queues every kernel in order; from the second launch at the same addresses on, as one graph if they are several.
  /// E0603 if an argument is missing, or a result shares memory with anything else.
  cuda::Failure launch();
  /// Queues every kernel, one by one, on any stream. `launch` came before.
  cuda::Failure enqueue(cuda::StreamObject* stream);
  /// Queues every kernel on any stream, which may be under capture, with arguments and results at these addresses: one
  /// for each parameter and result. Errors are those of `bind` and `launch`, but memory that was the device's at an
  /// earlier call is taken to be so still.
  cuda::Failure run(const void* const* arguments, void* const* results, cuda::StreamObject* stream);
  /// Queues the copy of every result to the host.
  cuda::Failure download();
  /// Waits for all that is queued. The results that were downloaded since the last wait, in the order of their
  /// positions, as runtime::tensor_of makes them; or the first fault of the kernels since then (E0502) instead. NaNs
  /// are canonical, but in fpsan, whose carriers may look like NaNs.
  Expected<std::vector<ir::HostTensor>> wait();
  Expected<std::vector<ir::HostTensor>> results();  ///< download, then wait
  /// Makes all work that is queued from now on run after the work that is queued on another program now.
  cuda::Failure wait_for(const GpuProgram& other);

  /// A parameter or result as it lies on the device.
  struct Tensor {
    ir::Scalar scalar{};
    std::vector<std::int64_t> shape;  ///< as runtime::tensor_of has it
    std::uint64_t bytes = 0;          ///< as it is stored
    bool row_major = true;
  };
  std::vector<Tensor> tensors(Role role) const;  ///< by position
  /// From now on the memory of a parameter or result is `address`; 0: its own again. A bound parameter counts as given.
  /// E0603 if there is none such, the address is no multiple of 16, the driver does not know so many bytes of this
  /// device there, or a parameter must be examined before it is uploaded (intervals, the ring).
  cuda::Failure bind(Role role, std::size_t position, cuda::DeviceAddress address);
  /// Where a parameter or result is; E0603 as for `bind`.
  Expected<cuda::DeviceAddress> address(Role role, std::size_t position);

  const cuda::Context& context() const { return *context_; }
  const std::shared_ptr<const cuda::Context>& shared_context() const { return context_; }
  cuda::StreamObject* stream() const { return work_.get(); }
  const std::string& build_log() const { return build_log_; }
  std::uint64_t bytes() const;  ///< of the elements of all buffers

 private:
  struct DeviceBuffer {
    codegen::Buffer buffer;
    std::vector<std::int64_t> shape;
    std::uint64_t bytes = 0;                  ///< of its elements
    std::uint64_t allocation = 0;             ///< bytes to allocate; may be more than the elements need
    std::optional<layout::AnyLayout> layout;  ///< the layout of a parameter or result, if it is not row-major
    cuda::Memory memory;                      ///< parameters and results have none before they need it
    cuda::DeviceAddress bound = 0;            ///< memory of another owner that is used instead
    cuda::Staging staging;                    ///< made for the first copy
    bool filled = false;      ///< parameter: its own memory, by an upload; result: by a launch at its address
    bool downloaded = false;  ///< result: since the last wait

    cuda::DeviceAddress address() const { return bound != 0 ? bound : memory.get(); }
    std::uint64_t stored_bytes() const;
  };
  /// Pieces of the device's memory, as the driver gave them out, in which addresses were found. A framework's allocator
  /// cuts its tensors from few such pieces, so a call with new tensors seldom has to ask the driver, which takes more
  /// than a microsecond for each question.
  struct SeenMemory {
    struct Piece {
      cuda::DeviceAddress begin = 0;
      std::uint64_t bytes = 0;
    };
    std::array<Piece, 8> pieces;
    std::size_t next = 0;  ///< the piece that the next one replaces

    bool holds(cuda::DeviceAddress address, std::uint64_t bytes) const;
    void add(const cuda::Context& context, cuda::DeviceAddress address);
  };
  /// A graph holds a node for each launch, so that of a long loop would take much memory and time to make.
  static constexpr std::size_t most_launches_of_graph = 4096;
  struct DeviceKernel {
    std::string name;
    cuda::FunctionObject* function = nullptr;
    kernel::LaunchShape shape;
    unsigned shared_bytes = 0;  ///< codegen::Kernel::dynamic_shared_bytes
    bool overlaps = false;  ///< codegen::Kernel::overlaps
  };

  GpuProgram() = default;
  cuda::Result start(const DeviceKernel& kernel, cuda::StreamObject* stream, void** parameters) const;
  cuda::Failure add_stream(const ProgramOptions& options);
  cuda::Failure add_buffers(const ir::Module& module, const codegen::Plan& plan, const ir::Dimensions& dimensions);
  cuda::Failure add_kernels(const ir::Module& module, const codegen::Plan& plan, const ir::Dimensions& dimensions);
  cuda::Failure fill(ir::Module& module, const runtime::Generate& generate);
  cuda::Failure allocate_and_check_buffers();
  cuda::Failure wait_for_other_streams();
  cuda::Failure allocate(DeviceBuffer& place);
  cuda::Failure bind(Role role, std::size_t position, cuda::DeviceAddress address, bool seen);
  cuda::Failure copy_in(const ir::Module& module, DeviceBuffer& place, const ir::HostTensor& contents);
  cuda::Failure copy_out(DeviceBuffer& place);
  Expected<DeviceBuffer*> on_device(Role role, std::size_t position);
  static Tensor as_tensor(const DeviceBuffer& place);
  Diagnostic buffer_problem(std::string message) const;
  std::string name(const DeviceBuffer& place) const;
  Diagnostic at_function(Diagnostic diagnostic) const;

  std::shared_ptr<const cuda::Context> context_;
  std::string function_name_;
  SourceSpan function_span_;
  cuda::LoadedModule module_;
  std::string build_log_;
  std::vector<DeviceBuffer> buffers_;
  SeenMemory seen_memory_;  ///< by `run`
  std::vector<DeviceKernel> kernels_;  ///< of the plan, in the same order
  std::vector<codegen::Loop> loops_;
  std::vector<codegen::Step> steps_;
  std::vector<std::int64_t> rounds_;  ///< of each loop
  std::vector<std::int64_t> sizes_;   ///< the dimensions, then the round of each loop
  std::size_t launches_ = 0;          ///< that carry out the plan; counted no further than for most_launches_of_graph
  /// What each kernel takes: the buffers' addresses, filled in for each launch, and pointers to them and to the sizes.
  std::vector<cuda::DeviceAddress> addresses_;
  std::vector<void*> launch_parameters_;
  cuda::TensorMaps tensor_maps_;  ///< encoded for each launch, where addresses have changed
  ir::Dimensions dimensions_;
  const codegen::CompiledSemantics* semantics_ = nullptr;
  ir::Function function_;
  std::vector<Diagnostic> faults_;  ///< of the plan
  std::size_t stack_bytes_ = 0;     ///< of each thread, if a kernel is recursive
  bool launched_ = false;           ///< at the present addresses
  bool elsewhere_ = false;          ///< `run` queued work on other streams since the last wait
  cuda::ExecutableGraph graph_;     ///< of the kernels at these addresses, if they were launched twice
  cuda::Stream own_stream_;
  cuda::QueuedWork work_;  ///< last: all of the above is in use until it is done
};

/// Opens a device, runs the plan once, and returns the results, tuples flattened. The arguments' shapes were bound and
/// checked by ir/bind.h. As runtime::run_host, for programs compiled for ptx.
Expected<std::vector<ir::HostTensor>> run_on_gpu(ir::Module& module, const ir::Function& function,
                                                 const codegen::Compiled& compiled,
                                                 const std::vector<ir::HostTensor>& arguments,
                                                 const ir::Dimensions& dimensions,
                                                 const runtime::Generate& generate = {},
                                                 const GpuOptions& options = {});

}  // namespace reckon::runtime
