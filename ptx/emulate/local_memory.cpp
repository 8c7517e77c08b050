#include "ptx/emulate/local_memory.h"

#include <algorithm>
#include <cstring>

namespace reckon::ptx {

LocalMemory::LocalMemory(std::uint32_t bytes) : bytes_(bytes), data_(std::size_t{bytes} * lanes_of_warp, 0xcd) {
  for (Frame& frame : frames_) frame.top = bytes;
}

void LocalMemory::enter(std::size_t lane, std::uint32_t bytes, std::uint32_t align) {
  Frame& frame = frames_[lane];
  frame.begin = (frame.top + align - 1) / align * align;
  frame.top = frame.begin + bytes;
  make_room(frame.top);
}

std::optional<std::uint32_t> LocalMemory::take(std::size_t lane, std::uint64_t bytes) {
  Frame& frame = frames_[lane];
  if (bytes > most || frame.top + bytes > most) return std::nullopt;
  const std::uint32_t begin = frame.top;
  frame.top += static_cast<std::uint32_t>((bytes + 15) / 16 * 16);
  make_room(frame.top);
  return begin;
}

void LocalMemory::make_room(std::uint32_t bytes) {
  if (bytes <= bytes_) return;
  const std::uint32_t wider = std::max(bytes, bytes_ * 2);
  std::vector<std::uint8_t> moved(std::size_t{wider} * lanes_of_warp, 0xcd);
  for (std::size_t k = 0; k < lanes_of_warp && bytes_ > 0; ++k)
    std::memcpy(moved.data() + k * wider, data_.data() + k * bytes_, bytes_);
  data_ = std::move(moved);
  bytes_ = wider;
}

}  // namespace reckon::ptx
