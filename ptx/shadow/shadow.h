// Follows values through a launch: a tag for each byte of the registers and of memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/emulate/atomic.h"
#include "ptx/emulate/warp.h"
#include "ptx/shadow/followed.h"

namespace reckon::ptx {

/// What a byte is: the id of a value in the upper 29 bits, and the number of the byte in it; 0: an ordinary byte.
using Tag = std::uint32_t;
inline constexpr std::uint32_t most_ids = (1u << 29) - 1;

class Shadow {
 public:
  Shadow(const Kernel& kernel, Values& values)
      : kernel_(kernel), values_(values), ordinary_(kernel.constants.size() + 16 * lanes_of_warp, 0) {}

  Values& values() { return values_; }
  void carry_out(const Operation& operation, Warp& warp, Mask on);
  /// A lane's call hands its arguments over to a part.
  void call(const Call& made, const Part& part, Warp& warp, std::size_t lane);
  /// What a reduction in bulk makes of numbers of a type in memory and others.
  void reduced(const Operation& operation, Warp& warp, const Reached& to, const Reached& from, int lane, Type type,
               AtomicKind kind, std::uint32_t bytes);
  /// A copy that the lane began before: the bytes after `given` become 0.
  void copied(Warp& warp, const Reached& to, const Reached& from, int lane, std::uint32_t bytes, std::uint32_t given);

  /// The tags of a register, one for each of its bytes in the order of the lanes.
  Tag* tags(Warp& warp, Slot slot) {
    if ((slot & constant_slot) != 0) return ordinary_.data() + (slot & ~constant_slot);
    if (warp.tags.empty()) warp.tags.assign(warp.register_bytes(), 0);
    return warp.tags.data() + slot;
  }
  /// The tags of some bytes of memory.
  Tag* tags(Warp& warp, const Reached& reached, int lane, std::uint32_t bytes);

  /// The number in a part of a register, or in memory, that an instruction takes in this format.
  Number take(const Operation& operation, Warp& warp, const std::uint8_t* bits, const Tag* tags,
              numerics::Format format);
  static void put(Number number, int bytes, Tag* tags);
  static void clear(Tag* tags, std::size_t count) { std::fill_n(tags, count, 0); }

  /// Whether any of the bytes is of a value; with `opaque`, of one whose pattern means nothing.
  bool has_values(const Tag* tags, std::size_t count, bool opaque) const;
  /// Reports if a register holds a value that means nothing to the instruction.
  void check(const Operation& operation, Warp& warp, Slot slot, int bytes, Mask on, const char* what);
  void report(const Operation& operation, Warp& warp, FindingKind kind, const std::string& message);

 private:
  const Kernel& kernel_;
  Values& values_;
  std::vector<Tag> ordinary_;
};

constexpr int bytes_of(numerics::Format format) { return numerics::word_width(format) / 8; }

/// The format of a type of floats, and how many a register of it has.
std::optional<numerics::Format> float_format(Type type, int& parts);

class Decoder;
/// How the operation, which was decoded of the decoder's instruction, is followed. A failure of the decoder names what
/// is not followed.
Followed followed_of(Decoder& decoder, const Operation& operation);

// Families, by source.
void follow_act(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_scaled(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_function(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_one(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_unwatched(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_move(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_pack(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_unpack(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_select(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_bits(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_integers(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_comparison(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_to_integer(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_load(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_store(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_load_parameter(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_store_parameter(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_results(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_call_of_system(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_sign(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_tile(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_integer_tiles(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_product_of_tiles(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_shuffle(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_atomic(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_matrices(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_stored_matrices(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_transposition(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_product(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_product_of_f64(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_integer_product(const Operation&, const Followed&, Warp&, Mask, Shadow&);
void follow_warp_group(const Operation&, const Followed&, Warp&, Mask, Shadow&);

}  // namespace reckon::ptx
