// The CUDA driver, opened at run time, and what it says about its devices and errors.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "diagnostics/diagnostic.h"
#include "runtime/cuda/abi.h"

namespace reckon::runtime::cuda {

/// Nothing if all went well.
using Failure = std::optional<Diagnostic>;

struct DriverOptions {
  std::string library = "libcuda.so.1";  ///< a name that the loader looks for, or a path
};

struct DeviceInfo {
  int ordinal = 0;
  DeviceHandle handle = 0;
  std::string name;
  int capability_major = 0;
  int capability_minor = 0;
  std::uint64_t memory_bytes = 0;
  int multiprocessors = 0;
  int threads_per_block = 0;
  int threads_per_multiprocessor = 0;
  int shared_bytes_per_block = 0;
  int l2_bytes = 0;
  int clock_kilohertz = 0;
  int memory_clock_kilohertz = 0;
  int memory_bus_bits = 0;
  std::string arch() const;  ///< `sm_90`
};

class Driver {
 public:
  /// E0900 if the library, an entry point of it, or a device is missing. The library stays loaded until the process
  /// ends: unloading a driver that has started threads is not safe.
  static Expected<std::shared_ptr<const Driver>> open(const DriverOptions& options = {});

  const Functions& call() const { return functions_; }
  int version() const { return version_; }  ///< newest CUDA that it supports: 1000 * major + 10 * minor
  int device_count() const { return device_count_; }
  /// E0900 if there is no such device.
  Expected<DeviceInfo> device(int ordinal) const;

  /// `CUDA_ERROR_INVALID_PTX (a PTX JIT compilation failed)`.
  std::string error_text(Result error) const;
  /// E0902: the device could not `action`.
  Diagnostic failure(Result error, std::string_view action) const;
  Failure check(Result error, std::string_view action) const {
    return error == result::success ? Failure{} : Failure{failure(error, action)};
  }

 private:
  Functions functions_;
  int version_ = 0;
  int device_count_ = 0;
};

/// Whether the error stays with the context: every later call of the process fails with it.
bool is_sticky(Result error);

}  // namespace reckon::runtime::cuda
