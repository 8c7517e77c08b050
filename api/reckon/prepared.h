// A circuit that stays on a GPU: compiled and loaded once, run for many inputs.
//
//   auto program = session.prepare("softmax", {.values = {{"n", 1000}}});
//   auto result = program->run({reckon::Tensor::of<float>(x)});      // waits; any number of times
//   (*result)[0].as<float>();
//
// The steps of `run` can be called one by one. Every step but `wait` only queues work, and returns; it takes place on
// the program's stream, in the order of the calls. Programs have streams of their own, so that one copies while another
// computes; from its second launch on, a circuit of several kernels is replayed as one CUDA graph. Arguments and
// results can be memory of the device that others hold, and the stream can be another's, so that no data goes through
// the host:
//
//   program->bind_parameter(0, logits);                              // a device pointer of yours
//   program->bind_result(0, probabilities);
//   program->launch();
//
// The messages are those of the command line. Any later call may report an error of a kernel or a copy. After some
// errors the GPU refuses all further work of this process, and the message says so.
#pragma once

#include "reckon.h"  // beside this file

namespace reckon {

struct PrepareOptions {
  std::string semantics = usual_semantics();
  std::map<std::string, std::int64_t> values = {};  ///< every dimension, and the static parameters (`-D`)
  std::map<std::string, std::string> formats = {};  ///< static parameters that are formats: `f32`
  /// A shape for each parameter, from which dimensions follow; then `values` need not name these.
  std::optional<std::vector<std::vector<std::int64_t>>> shapes = {};
  std::optional<std::vector<std::string>> types = {};  ///< their element types, if they are to be checked
  std::string arch = {};                            ///< empty takes the device's own
  int device = 0;                                   ///< as the CUDA driver counts
  /// A CUstream (or cudaStream_t) of the device's primary context, which is the CUDA runtime's and PyTorch's; it must
  /// live longer than the program. Null is the default stream. Nothing: a stream of its own, that waits for no other.
  std::optional<void*> stream = {};
};

/// A parameter, or a part of the result, of a circuit that is prepared.
struct PreparedTensor {
  std::string name;  ///< of a parameter
  std::string type;  ///< element type
  std::vector<std::int64_t> shape;
  std::uint64_t bytes = 0;  ///< in memory
  bool row_major = true;    ///< or it lies on the device as the circuit stores it
};

/// Made by Session::prepare. Movable; one that was moved from gives E0603. It may outlive its session, and is used by
/// one thread at a time, together with it. At its end it waits for what it queued. Calls leave the thread's CUDA
/// context as it was.
class RECKON_API Prepared {
 public:
  struct Implementation;  ///< the library's own

  explicit Prepared(std::unique_ptr<Implementation> implementation);
  Prepared(Prepared&&) noexcept;
  Prepared& operator=(Prepared&&) noexcept;
  ~Prepared();

  const std::vector<PreparedTensor>& parameters() const;
  const std::vector<PreparedTensor>& results() const;
  void* stream() const;  ///< the CUstream on which all is queued

  /// Uploads, launches, downloads and waits. Results are bit patterns: under `float` with canonical NaNs, under `fpsan`
  /// carriers, under `interval` both ends of each element in one more dimension, under `padic` the ring's words,
  /// likewise.
  Result<std::vector<Tensor>> run(std::vector<Tensor> arguments);

  // The steps of `run`. Where a list of messages is returned, none is success.

  /// Queues the copy of one argument, or of all. The bytes are taken at once, to page-locked memory; so this waits for
  /// the last upload of the same parameter. An argument that is moved is not copied on the way. E0603 if it does not
  /// fit.
  std::vector<Message> upload(std::size_t parameter, Tensor argument);
  std::vector<Message> upload(std::vector<Tensor> arguments);
  /// Queues the kernels. Arguments stay what they are from launch to launch. E0603 if one was never given.
  std::vector<Message> launch();
  /// Queues the copy of all results to the host.
  std::vector<Message> download();
  /// Waits for all that is queued. The results, if they were downloaded since the last wait; or what went wrong in the
  /// kernels since then.
  Result<std::vector<Tensor>> wait();
  /// What is queued from now on runs after all that is queued now on the other program, perhaps of another device. The
  /// host does not wait.
  std::vector<Message> wait_for(const Prepared& other);

  /// A parameter or result is at this address from now on; null: in memory of its own again. The address is a multiple
  /// of 16, with PreparedTensor::bytes bytes there (readable up to the next multiple of 16), row-major or as the circuit
  /// stores it; a result shares them with nothing else. They are the caller's, and stay until the work is done. What is
  /// there at the launch is read. E0603 if the address cannot be right, and for parameters under `interval` and
  /// `padic`, which look at arguments before the device has them. NaNs on the device are as the hardware makes them.
  std::vector<Message> bind_parameter(std::size_t parameter, const void* address);
  std::vector<Message> bind_result(std::size_t result, void* address);
  /// Where it is: its own memory, which stays there until the program ends, or what was bound. To fill a parameter's
  /// own memory by other means than `upload`, bind it to this address.
  Result<void*> parameter_address(std::size_t parameter);
  Result<void*> result_address(std::size_t result);
  /// Binds all parameters and results to these addresses, as many as there are, and queues the kernels on any stream (a
  /// CUstream), which may be under capture. Intermediate values share the program's memory, so work on two streams at
  /// once needs two programs. `wait` waits for it, too.
  std::vector<Message> run(std::span<const void* const> arguments, std::span<void* const> results, void* stream);

 private:
  std::unique_ptr<Implementation> implementation_;
};

/// A circuit that is compiled for the host, at fixed sizes. Made by Session::prepare_host; it may outlive its session, and
/// is used by one thread at a time, together with it.
class RECKON_API PreparedHost {
 public:
  struct Implementation;  ///< the library's own

  explicit PreparedHost(std::unique_ptr<Implementation> implementation);
  PreparedHost(PreparedHost&&) noexcept;
  PreparedHost& operator=(PreparedHost&&) noexcept;
  ~PreparedHost();

  /// Parameters are patterns of their formats; results are as Prepared::run has them.
  const std::vector<PreparedTensor>& parameters() const;
  const std::vector<PreparedTensor>& results() const;

  /// Computes the results from arguments in memory, with PreparedTensor::bytes at each address, row-major and aligned to
  /// the elements. A result shares memory with nothing else. No message is success.
  std::vector<Message> run(std::span<const void* const> arguments, std::span<void* const> results);

 private:
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace reckon
