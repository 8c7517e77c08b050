// A kernel as the emulator runs it: each instruction decoded to an operation, with the places of its registers.
//
// The registers of a warp lie in one array of bytes. A register of w bits has 32 numbers of w bits, one for each lane;
// a predicate is one word with a bit for each lane. Constants have the same form, in an array that all warps share. A
// *slot* names a place: an offset into the warp's registers, or, with its highest bit set, into the constants.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/emulate/memory.h"
#include "ptx/emulate/profile.h"
#include "ptx/module.h"
#include "ptx/shadow/followed.h"

namespace reckon::numerics {
class Chip;
}

namespace reckon::ptx {

inline constexpr int lanes_of_warp = 32;
using Mask = std::uint32_t;  ///< a bit for each lane
using Slot = std::uint32_t;
inline constexpr Slot constant_slot = 0x80000000u;
inline constexpr Slot no_slot = 0xffffffffu;

struct Operation;
class Warp;
/// Carries out an operation for the lanes of the mask.
using Run = void (*)(const Operation&, Warp&, Mask);

/// What the warp's loop does with an operation besides carrying it out.
enum class Flow : std::uint8_t {
  next,      ///< goes on to the next operation
  branch,    ///< to `target`
  switch_,   ///< to the target that `a` numbers, of the list `extra`
  call,      ///< of the function `extra`; `target` is its first operation
  back,      ///< returns from a function, or ends the thread
  exit,      ///< ends the thread
  converge,  ///< waits for the lanes of the mask in `c` before it is carried out
  barrier,   ///< waits for other warps: the barrier `a`, of `b` threads if it is no no_slot
  trap
};

/// What Flow::barrier does: its mode.
enum class BarrierWay : std::uint16_t {
  sync,
  arrive,  ///< does not wait
  count,   ///< gives how many threads' predicates are true
  all,     ///< whether all are
  any,     ///< whether one is
  of_cluster_arrive,
  of_cluster_wait
};

/// How what nobody wrote goes from an operation's operands to its results.
enum class Effect : std::uint8_t {
  plain,   ///< from any of a, b, c, f to d and e
  select,  ///< from the one of a and b that the predicate in c chooses
  both,    ///< of predicates: not where the other one is false
  either,  ///< of predicates: not where the other one is true
  pack,    ///< from the slots `extra`, `mode` of them, to d
  unpack,  ///< from a to those slots
  load,    ///< from memory to the access's slots
  store,   ///< from the access's slots to memory
  opaque   ///< no further
};

struct Operation {
  Run run = nullptr;
  Slot d = no_slot, e = no_slot;  ///< results
  Slot a = no_slot, b = no_slot, c = no_slot, f = no_slot;
  Slot guard = no_slot;
  std::uint32_t target = 0;
  std::uint32_t extra = 0;  ///< an index, a width, a mode: what `run` makes of it
  std::int64_t offset = 0;  ///< of an address
  std::uint32_t line = 0, place = 0;
  std::uint16_t mode = 0;    ///< what `run` makes of it
  std::uint8_t negates = 0;  ///< bits 0 to 3: the predicates in a, b, c, f are taken negated
  bool guard_negated = false;
  Effect effect = Effect::plain;
  Flow flow = Flow::next;
  Unit unit{};
};

/// How an operation reaches memory.
struct Access {
  Space space{};
  std::uint8_t bytes = 4;      ///< of one element
  std::uint8_t count = 1;      ///< elements of a vector
  std::uint8_t reg_bytes = 4;  ///< of the registers that take or give the elements
  bool is_signed = false;      ///< a narrow element is extended with its sign
  bool strong = false;         ///< volatile, relaxed or stronger: no race with other strong accesses
  bool acquires = false, releases = false;
  bool wide_address = true;  ///< of 64 bits
  bool of_cluster = false;   ///< shared memory of any block of the cluster
  std::uint32_t slots = 0;   ///< of the elements, in Kernel::slots
  /// Of a load: the first element that anything uses, and how many from there on: compilers load a fourth element that
  /// nobody wrote where they need three.
  std::uint8_t first_used = 0, used = 1;
};

struct SpecialRegister {
  Special special{};
  Slot slot = 0;
};

/// A function as a part of a kernel.
struct Part {
  std::uint32_t function = 0;     ///< of the module
  std::uint32_t first = 0;        ///< operation
  Slot begin = 0, end = 0;        ///< its registers and parameters
  std::uint32_t local_bytes = 0;  ///< of each thread
  std::uint32_t local_align = 16;
  bool is_recursive = false;
  std::vector<Slot> results;  ///< places of parameters, with their bytes for each lane in `result_bytes`
  std::vector<std::uint32_t> result_bytes;
  std::vector<Slot> parameters;
  std::vector<std::uint32_t> parameter_bytes;
  struct Place {
    Slot slot = 0;
    std::uint32_t bytes = 0;  ///< of a lane; 0: a predicate
    bool of_result = false;
  };
  std::vector<Place> places;  ///< all registers and parameters
};

/// A call, with the parameters that it passes.
struct Call {
  std::uint32_t part = 0;
  bool by_address = false;  ///< of the function whose address is in `a`
  std::vector<Slot> arguments, results;
  std::vector<std::uint32_t> argument_bytes, result_bytes;
};

struct Kernel {
  std::string name;
  const Module* module = nullptr;
  const Function* entry = nullptr;
  std::vector<Operation> operations;
  std::vector<Followed> followed;  ///< beside the operations, if values are followed
  std::vector<std::uint8_t> constants;
  std::vector<Slot> slots;
  std::vector<Access> accesses;
  std::vector<Part> parts;  ///< the first is the entry
  std::vector<Call> calls;
  std::unordered_map<std::uint64_t, std::uint32_t> part_of_address;  ///< of functions whose address is taken
  std::vector<std::vector<std::uint32_t>> targets;
  std::vector<SpecialRegister> specials;
  std::uint32_t register_bytes = 0;
  std::uint32_t shared_bytes = 0;   ///< static
  std::uint32_t shared_align = 16;  ///< of what the launch adds
  std::uint32_t granule = 4;        ///< the least access of shared and global memory
  struct Parameter {
    std::uint32_t offset = 0, bytes = 0;
    Type type{};
    std::string_view name;
  };
  std::vector<Parameter> parameters;
  std::uint32_t parameter_bytes = 0;
  std::uint32_t approximate = 0;  ///< instructions for whose result the nearest number stands in
  const numerics::Chip* chip = nullptr;  ///< DecodeOptions::chip
  bool uses_grid_room = false;    ///< Special::envreg1 or 2 is read
  bool uses_reserved = false;     ///< a register of reserved shared memory is read
  /// Blocks of a cluster along each axis.
  std::array<std::uint32_t, 3> cluster() const {
    std::array<std::uint32_t, 3> out = entry->cluster;
    for (std::uint32_t& extent : out) extent = extent == 0 ? 1 : extent;
    return out;
  }
};

}  // namespace reckon::ptx
