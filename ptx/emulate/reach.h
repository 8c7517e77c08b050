// What loads, stores, atomics and copies have in common.
#pragma once

#include <array>
#include <cstdint>

#include "ptx/emulate/decode.h"
#include "ptx/emulate/lanes.h"

namespace reckon::ptx {

/// The address of each lane of the mask: the base in `a`, the offset, and, for local variables, the lane's frame.
void addresses(const Operation& operation, Warp& warp, const Access& access, Mask on,
               std::array<std::uint64_t, lanes_of_warp>& out);
/// Notes for the checks that a lane reads or writes there. `note_read` reports what nobody wrote.
void note_read(const Operation& operation, Warp& warp, const Reached& reached, std::uint32_t bytes);
/// The same for a load into registers: true if nobody wrote some of it, which is reported where it is used.
bool is_unwritten_read(const Operation& operation, Warp& warp, const Reached& reached, std::uint32_t bytes);
/// What messages call a place.
std::string place_text(const Reached& reached);
/// `keeps`: the bytes are there already, so that it does not matter which of two writes comes first.
void note_write(const Operation& operation, Warp& warp, const Reached& reached, std::uint32_t bytes,
                bool keeps = false);
/// Counts sectors of global memory and conflicts of banks.
void count_request(const Operation& operation, Warp& warp, const Access& access, Mask on,
                   const std::array<std::uint64_t, lanes_of_warp>& where, bool is_shared);
/// Stores the elements that a lane has in the access's slots.
void put_elements(const Operation& operation, Warp& warp, const Access& access, int lane, const Reached& reached);
/// The registers of a vector, or the one, that are loaded or stored, become the access's slots. False: a failure.
bool set_elements(Decoder& decoder, const Operand& operand, Type type, bool loads, Access& access);
/// A key for what synchronises at an address.
std::uint64_t key_of(const Reached& reached);
/// After a strong read, before a strong write.
void acquire_at(Warp& warp, const Reached& reached);
void release_at(Warp& warp, const Reached& reached, bool itself);
/// The space that an instruction's modifiers name; generic if none. `.const` and `.param` as well.
Space space_of(const Instruction& instruction);
/// volatile, relaxed, acquire, release and their kin.
void set_order(const Instruction& instruction, Access& access);

}  // namespace reckon::ptx
