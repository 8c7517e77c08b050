#include "runtime/cuda/staging.h"

#include <fmt/format.h>

#include <cstring>

namespace reckon::runtime::cuda {

Expected<Staging> Staging::make(const std::shared_ptr<const Context>& context, std::size_t bytes) {
  Staging out;
  if (bytes == 0) return out;
  void* memory = nullptr;
  if (auto failure = context->driver().check(context->call().host_memory_allocate(&memory, bytes, 0),
                                             fmt::format("get {} bytes of page-locked memory of the host", bytes)))
    return *failure;
  out.memory_ = HostMemory(context, memory);
  out.size_ = bytes;
  return out;
}

Failure Staging::upload(DeviceAddress to, std::span<const std::uint8_t> from, StreamObject* stream) {
  if (from.empty()) return std::nullopt;
  const std::shared_ptr<const Context>& context = memory_.context();
  const Driver& driver = context->driver();
  if (uploaded_.context() == nullptr) {
    auto event = create_event(context, event_disable_timing);
    if (!event) return event.error();
    uploaded_ = std::move(*event);
  } else if (auto failure = driver.check(driver.call().event_synchronize(uploaded_.get()), "finish its work")) {
    return failure;
  }
  std::memcpy(memory_.get(), from.data(), from.size());
  if (auto failure = driver.check(driver.call().copy_to_device(to, memory_.get(), from.size(), stream),
                                  fmt::format("take {} bytes of data", from.size())))
    return failure;
  return driver.check(driver.call().event_record(uploaded_.get(), stream), "mark a place in a stream");
}

Failure Staging::download(DeviceAddress from, StreamObject* stream) {
  if (size_ == 0) return std::nullopt;
  const Context& context = *memory_.context();
  return context.driver().check(context.call().copy_to_host(memory_.get(), from, size_, stream),
                                fmt::format("return {} bytes of results", size_));
}

std::span<const std::uint8_t> Staging::contents() const {
  return {static_cast<const std::uint8_t*>(memory_.get()), size_};
}

}  // namespace reckon::runtime::cuda
