// RAII owners of a program's resources on a device: its context, modules, memory, streams, events and graphs. Each is
// released at the end of its lifetime. A failure to release is not reported, because nothing can be done about it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/cuda/driver.h"

namespace reckon::runtime::cuda {

/// The primary context of a device, retained, and current in the thread that opened it.
class Context {
 public:
  static Expected<std::shared_ptr<const Context>> open(std::shared_ptr<const Driver> driver, int ordinal = 0);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context();

  const Driver& driver() const { return *driver_; }
  const Functions& call() const { return driver_->call(); }
  const DeviceInfo& device() const { return device_; }

  /// Every other thread that uses the context must call this first.
  Failure make_current() const;
  bool is(const ContextObject* object) const { return object == object_; }
  Failure synchronize() const;
  /// Reserves at least so much stack for every GPU thread (recursive kernels). It never reduces the reservation.
  Failure reserve_stack(std::size_t bytes) const;

 private:
  Context(std::shared_ptr<const Driver> driver, DeviceInfo device, ContextObject* object)
      : driver_(std::move(driver)), device_(std::move(device)), object_(object) {}

  std::shared_ptr<const Driver> driver_;
  DeviceInfo device_;
  ContextObject* object_;
};

/// Makes a context current in this thread for its lifetime, and restores the previous one afterwards: a caller of the
/// public API may have a context of its own, perhaps of another device, on which its calls rely.
class CurrentContext {
 public:
  explicit CurrentContext(std::shared_ptr<const Context> context);
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;
  ~CurrentContext();
  const Failure& failure() const { return failure_; }

 private:
  std::shared_ptr<const Context> context_;
  ContextObject* before_ = nullptr;
  bool changed_ = false;  ///< Mostly it is current already: frameworks use the same one, a device's primary context.
  Failure failure_;
};

/// A handle with the entry point that releases it.
template <class Handle, Result (*Functions::*release)(Handle)>
class Owned {
 public:
  Owned() = default;
  Owned(std::shared_ptr<const Context> context, Handle handle) : context_(std::move(context)), handle_(handle) {}
  Owned(Owned&& other) noexcept
      : context_(std::move(other.context_)), handle_(std::exchange(other.handle_, Handle{})) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() {
    if (context_ == nullptr) return;
    static_cast<void>(context_->make_current());
    (context_->call().*release)(handle_);
  }
  Handle get() const { return handle_; }
  const std::shared_ptr<const Context>& context() const { return context_; }

 private:
  std::shared_ptr<const Context> context_;
  Handle handle_{};
};

using Memory = Owned<DeviceAddress, &Functions::memory_free>;
using HostMemory = Owned<void*, &Functions::host_memory_free>;  ///< page-locked
using LoadedModule = Owned<ModuleObject*, &Functions::module_unload>;
using Stream = Owned<StreamObject*, &Functions::stream_destroy>;
/// A stream that another owner holds. The destructor waits for its work, so that members declared before this one are
/// released after the work is done.
using QueuedWork = Owned<StreamObject*, &Functions::stream_synchronize>;
using Event = Owned<EventObject*, &Functions::event_destroy>;
using Graph = Owned<GraphObject*, &Functions::graph_destroy>;
using ExecutableGraph = Owned<ExecutableGraphObject*, &Functions::executable_graph_destroy>;

/// Allocates a multiple of 16 bytes, and never 0: every buffer has an address of its own, and code may read 16 whole
/// bytes where it needs only some of them (LLVM reads three neighbours as four).
Expected<Memory> allocate(const std::shared_ptr<const Context>& context, std::uint64_t bytes);
/// Queues a fill of the memory with zeros.
Failure clear(const Memory& memory, std::uint64_t bytes, StreamObject* stream);

/// Loads PTX text, which ptxas optimises at `level` (0 to 4; none: as much as it can), or a cubin (known by its ELF
/// magic). The driver's own words about it become notes of an E0902, or, if all went well and `log` is given, are left
/// there.
Expected<LoadedModule> load_module(const std::shared_ptr<const Context>& context, const std::string& image,
                                   std::string* log = nullptr, std::optional<int> level = {});
Expected<FunctionObject*> find_kernel(const LoadedModule& module, const std::string& name);

/// A stream that does not wait for the default one.
Expected<Stream> create_stream(const std::shared_ptr<const Context>& context);
Expected<Event> create_event(const std::shared_ptr<const Context>& context, unsigned flags = 0);
/// What is queued on `stream` from now on runs after all that is queued now on `other`, a stream of `context`. The host
/// does not wait.
Failure wait_for(StreamObject* stream, const std::shared_ptr<const Context>& context, StreamObject* other);
/// Waits for all that is queued on a stream.
Failure synchronize(const Context& context, StreamObject* stream);

}  // namespace reckon::runtime::cuda
