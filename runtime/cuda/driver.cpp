#include "runtime/cuda/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>

#include "diagnostics/codes/device_failure.h"
#include "diagnostics/codes/device_missing.h"

namespace reckon::runtime::cuda {
namespace {

Diagnostic no_device(std::string message, std::string note) {
  Diagnostic diagnostic(code::device_missing, {}, std::move(message));
  if (!note.empty()) diagnostic.notes.push_back(std::move(note));
  diagnostic.helps.push_back("install NVIDIA's driver, or run without a GPU: `--on=host` or `--on=interp`");
  return diagnostic;
}

/// The first entry point that the library lacks, or null.
const char* find_functions(void* library, Functions& functions) {
#define RECKON_CUDA(name, symbol, parameters)                                          \
  functions.name = reinterpret_cast<decltype(functions.name)>(dlsym(library, symbol)); \
  if (functions.name == nullptr) return symbol;
#define RECKON_CUDA_SINCE(version, name, symbol, parameters) \
  functions.name = reinterpret_cast<decltype(functions.name)>(dlsym(library, symbol));
#include "runtime/cuda/driver.def"
#undef RECKON_CUDA_SINCE
#undef RECKON_CUDA
  return nullptr;
}

}  // namespace

std::string DeviceInfo::arch() const { return fmt::format("sm_{}{}", capability_major, capability_minor); }

Expected<std::shared_ptr<const Driver>> Driver::open(const DriverOptions& options) {
  void* library = dlopen(options.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    return no_device(fmt::format("no GPU can be used: the CUDA driver's library `{}` could not be opened",
                                 options.library),
                     reason != nullptr ? reason : "");
  }
  auto driver = std::make_shared<Driver>();
  if (const char* missing = find_functions(library, driver->functions_)) {
    return no_device(fmt::format("no GPU can be used: `{}` has no `{}`", options.library, missing),
                     "it is no CUDA driver, or one that is too old (CUDA 11.4 is the oldest that will do)");
  }
  const Functions& call = driver->functions_;
  if (const Result error = call.init(0); error != result::success) {
    return no_device(fmt::format("no GPU can be used: the CUDA driver reports {}", driver->error_text(error)),
                     error == result::stub_library ? "the library that was found is a stub, meant for linking only"
                                                   : "");
  }
  if (auto failure = driver->check(call.driver_version(&driver->version_), "tell the driver's version"))
    return *failure;
  if (auto failure = driver->check(call.device_count(&driver->device_count_), "be counted")) return *failure;
  if (driver->device_count_ == 0) return no_device("no GPU can be used: the CUDA driver sees no device", "");
  return std::shared_ptr<const Driver>(std::move(driver));
}

Expected<DeviceInfo> Driver::device(int ordinal) const {
  if (ordinal < 0 || ordinal >= device_count_) {
    return Diagnostic(code::device_missing, {}, fmt::format("there is no GPU {}", ordinal))
        .help(fmt::format("devices are numbered from 0; the driver sees {}", device_count_));
  }
  DeviceInfo info;
  info.ordinal = ordinal;
  std::array<char, 256> name{};
  std::size_t bytes = 0;
  const char* action = "be described";
  if (auto failure = check(functions_.device_get(&info.handle, ordinal), action)) return *failure;
  if (auto failure = check(functions_.device_name(name.data(), static_cast<int>(name.size()) - 1, info.handle), action))
    return *failure;
  if (auto failure = check(functions_.device_memory(&bytes, info.handle), action)) return *failure;
  info.name = name.data();
  info.memory_bytes = bytes;
  const std::pair<int, int*> attributes[] = {
      {device_attribute::capability_major, &info.capability_major},
      {device_attribute::capability_minor, &info.capability_minor},
      {device_attribute::multiprocessors, &info.multiprocessors},
      {device_attribute::threads_per_block, &info.threads_per_block},
      {device_attribute::threads_per_multiprocessor, &info.threads_per_multiprocessor},
      {device_attribute::shared_bytes_per_block, &info.shared_bytes_per_block},
      {device_attribute::l2_bytes, &info.l2_bytes},
      {device_attribute::clock_kilohertz, &info.clock_kilohertz},
      {device_attribute::memory_clock_kilohertz, &info.memory_clock_kilohertz},
      {device_attribute::memory_bus_bits, &info.memory_bus_bits},
  };
  for (const auto& [attribute, value] : attributes)
    if (auto failure = check(functions_.device_attribute(value, attribute, info.handle), action)) return *failure;
  return info;
}

std::string Driver::error_text(Result error) const {
  const char* name = nullptr;
  const char* description = nullptr;
  if (functions_.error_name(error, &name) != result::success || name == nullptr) return fmt::format("error {}", error);
  if (functions_.error_string(error, &description) != result::success || description == nullptr) return name;
  return fmt::format("{} ({})", name, description);
}

Diagnostic Driver::failure(Result error, std::string_view action) const {
  Diagnostic diagnostic(code::device_failure, {}, fmt::format("the GPU could not {}: {}", action, error_text(error)));
  if (is_sticky(error))
    diagnostic.notes.push_back("after this error the device refuses all further work of this process");
  switch (error) {
    case result::out_of_memory:
      diagnostic.helps.push_back("use smaller sizes, or end other programs that use the GPU");
      break;
    case result::unsupported_ptx_version:
      diagnostic.helps.push_back(
          fmt::format("this driver supports CUDA {}.{}: update it", version_ / 1000, version_ % 1000 / 10));
      break;
    case result::no_binary_for_device:
      diagnostic.helps.push_back("compile for this device's architecture: `--arch=`");
      break;
    default: break;
  }
  return diagnostic;
}

bool is_sticky(Result error) {
  // 714 to 719: stack error, illegal instruction, misaligned address, invalid address space, invalid pc, launch
  // failure.
  return error == result::ecc_uncorrectable || error == result::illegal_address || error == result::launch_timeout ||
         error == result::assertion || (error >= result::hardware_stack_error && error <= result::launch_failed);
}

}  // namespace reckon::runtime::cuda
