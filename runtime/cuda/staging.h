// Asynchronous copies between host and device. The driver copies asynchronously only from and to page-locked memory, so
// the bytes pass through such memory.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/cuda/resources.h"

namespace reckon::runtime::cuda {

/// Page-locked memory for the copies of one buffer. It must live until the copies are done.
class Staging {
 public:
  Staging() = default;  ///< of no bytes
  /// E0902 if the host has no such memory left.
  static Expected<Staging> make(const std::shared_ptr<const Context>& context, std::size_t bytes);

  std::size_t size() const { return size_; }
  /// Queues a copy of `from`, of at most size() bytes, to the device. The bytes are taken during the call and may
  /// change afterwards; the call waits for the previous upload, and for nothing else.
  Failure upload(DeviceAddress to, std::span<const std::uint8_t> from, StreamObject* stream);
  /// Queues a copy of size() bytes from the device. `contents` has them after the caller has waited for the stream.
  Failure download(DeviceAddress from, StreamObject* stream);
  std::span<const std::uint8_t> contents() const;

 private:
  HostMemory memory_;
  std::size_t size_ = 0;
  Event uploaded_;  ///< of the last upload, if there was one
};

}  // namespace reckon::runtime::cuda
