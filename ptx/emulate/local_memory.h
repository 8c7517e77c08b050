// Local memory of the lanes of a warp: a frame of each function that a lane has entered, and behind it what `alloca`
// took, all at multiples of 16.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "ptx/emulate/kernel.h"

namespace reckon::ptx {

class LocalMemory {
 public:
  /// Where a lane's local variables begin, and where what is taken next will.
  struct Frame {
    std::uint32_t begin = 0, top = 0;
    friend bool operator==(const Frame&, const Frame&) = default;
  };

  static constexpr std::uint32_t most = 512 << 10;  ///< bytes of a thread, as chips have it

  /// `bytes`: of the kernel's own variables.
  explicit LocalMemory(std::uint32_t bytes);
  std::uint32_t bytes() const { return bytes_; }  ///< of each lane
  std::uint8_t* at(std::size_t lane, std::uint64_t offset) { return data_.data() + lane * bytes_ + offset; }
  const Frame& frame(std::size_t lane) const { return frames_[lane]; }
  /// A function begins that has so many bytes of variables, at a multiple of `align`; `leave` gives back what it took.
  void enter(std::size_t lane, std::uint32_t bytes, std::uint32_t align);
  void leave(std::size_t lane, Frame caller) { frames_[lane] = caller; }
  /// The offset of so many bytes more; nothing if there are not so many.
  std::optional<std::uint32_t> take(std::size_t lane, std::uint64_t bytes);
  /// Gives back what was taken since the top was there.
  void restore(std::size_t lane, std::uint32_t top) { frames_[lane].top = top; }
  friend bool operator==(const LocalMemory&, const LocalMemory&) = default;

 private:
  void make_room(std::uint32_t bytes);

  std::uint32_t bytes_;
  std::vector<std::uint8_t> data_;
  std::array<Frame, lanes_of_warp> frames_{};
};

}  // namespace reckon::ptx
