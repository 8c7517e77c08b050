// Copies between host and device that run while the host goes on. The driver does so for page-locked memory alone,
// so the bytes pass through some.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/cuda/resources.h"

namespace reckon::runtime::cuda {

/// Page-locked memory for the copies of one buffer. It has to live until they are done.
class Staging {
 public:
  Staging() = default;  ///< of no bytes
  /// E0902 if the host has no such memory left.
  static Expected<Staging> make(const std::shared_ptr<const Context>& context, std::size_t bytes);

  std::size_t size() const { return size_; }
  /// Queues a copy of `from`, of at most size() bytes, to the device. It is taken at once, and may change afterwards;
  /// for that, the upload before this one is waited for, and nothing else.
  Failure upload(DeviceAddress to, std::span<const std::uint8_t> from, StreamObject* stream);
  /// Queues a copy of size() bytes to `contents`, where they are when the stream has been waited for.
  Failure download(DeviceAddress from, StreamObject* stream);
  std::span<const std::uint8_t> contents() const;

 private:
  HostMemory memory_;
  std::size_t size_ = 0;
  Event uploaded_;  ///< of the last upload, if there was one
};

}  // namespace reckon::runtime::cuda
