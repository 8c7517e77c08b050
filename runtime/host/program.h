// A compiled plan (codegen/compile.h) on the host: buffers, and calls of its kernels.
#pragma once

#include <optional>
#include <vector>

#include "codegen/steps.h"
#include "ir/bind.h"
#include "runtime/buffers.h"
#include "runtime/stored.h"

namespace reckon::runtime {

/// A plan for certain sizes, whose kernels are called any number of times. One thread uses it at a time.
class HostProgram {
 public:
  using Role = codegen::Buffer::Role;

  /// Allocates what kernels need besides parameters and results, and fills the constants. The module is the one that the
  /// plan was made from. E0313 if a size cannot be computed.
  static Expected<HostProgram> prepare(ir::Module& module, const ir::Function& function,
                                       const codegen::Compiled& compiled, const ir::Dimensions& dimensions,
                                       const Generate& generate = {});

  /// A parameter as patterns of its format, or a result as runtime::tensor_of makes it; row-major.
  struct Tensor {
    ir::Scalar scalar{};
    std::vector<std::int64_t> shape;
    std::uint64_t bytes = 0;
    bool row_major = true;
  };
  std::vector<Tensor> tensors(Role role) const;  ///< by position

  /// Computes the results from arguments in memory: an address for each parameter and for each result, with as many
  /// bytes as `tensors` says. Results share memory with nothing else. NaNs are canonical. Returns the first fault of the
  /// kernels (E0502), or what is wrong with an argument.
  std::optional<Diagnostic> run(const ir::Module& module, const void* const* arguments, void* const* results);

  // The steps of `run`, for arguments as tensors.

  /// The argument stays where it is, and unchanged, until `compute` is done, unless the program needs a copy in another
  /// form. It is in words already if its type is that of the words. E0603 if it does not fit.
  std::optional<Diagnostic> give(const ir::Module& module, std::size_t parameter, const ir::HostTensor& argument);
  /// The memory for a result.
  void receive(std::size_t result, void* elements);
  /// Calls the kernels; again for the same arguments, if it is called again.
  void compute();
  /// How many threads compute a kernel, at most.
  int threads() const { return threads_; }
  /// Completes the results, and returns the first fault of the kernels.
  std::optional<Diagnostic> finish();

 private:
  struct HostBuffer {
    codegen::Buffer buffer;
    std::vector<std::int64_t> shape;
    std::int64_t count = 0;                   ///< elements (words, if it is in words) of the tensor
    std::uint64_t bytes = 0;                  ///< of the tensor, row-major
    std::optional<layout::AnyLayout> layout;  ///< of a parameter or result that is not row-major
    std::vector<std::uint8_t> own;            ///< its memory, unless it is the caller's
    std::uint8_t* caller = nullptr;           ///< result: where the caller wants it
    bool copied = false;                      ///< parameter: kernels read `own`, which has the argument in another form
  };
  struct Task {
    codegen::HostKernel code = nullptr;
    std::int64_t count = 1;
    std::int64_t row = 1;  ///< items of the innermost dimension
    bool whole = false;    ///< one thread computes all items
  };

  HostProgram() = default;
  std::optional<Diagnostic> add_buffers(ir::Module& module, const codegen::Plan& plan, const ir::Dimensions& dimensions,
                                        const Generate& generate);
  std::optional<Diagnostic> add_kernels(const ir::Module& module, const ir::Dimensions& dimensions);
  void launch(const Task& task);
  void point(std::size_t index, const void* elements);
  std::optional<Diagnostic> take(const ir::Module& module, std::size_t index, const ir::HostTensor& argument);

  ir::Function function_;
  codegen::Compiled compiled_;  ///< keeps the code
  std::vector<HostBuffer> buffers_;
  std::vector<void*> pointers_;            ///< of the buffers, as kernels take them
  std::vector<std::size_t> parameters_, results_;  ///< places in buffers_, by position
  std::optional<std::size_t> faults_;
  std::vector<std::int64_t> sizes_;   ///< the dimensions, then the round of each loop
  std::vector<std::int64_t> rounds_;  ///< of each loop
  std::vector<Task> tasks_;           ///< by kernel
  int threads_ = 1;                   ///< that compute a kernel
  std::vector<codegen::Step> steps_;
};

}  // namespace reckon::runtime
