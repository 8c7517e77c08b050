// Copies that threads begin and wait for later (PTX ISA 9.0, 9.7.9.25: cp.async). They are carried out where they are
// waited for, as late as they may be: a kernel that does not wait finds what was there before.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ptx/emulate/phased.h"
#include "ptx/emulate/reach.h"
#include "ptx/shadow/shadow.h"

namespace reckon::ptx {
namespace {

/// b: the address of the source; c: the bytes to copy, f: the predicate to copy nothing. `extra`: the access of the
/// destination, the one of the source follows it.
void begin_copy(const Operation& operation, Warp& warp, Mask on) {
  const Kernel& kernel = warp.machine().kernel();
  const Access& to = kernel.accesses[operation.extra];
  const Access& from = kernel.accesses[operation.extra + 1];
  std::array<std::uint64_t, lanes_of_warp> where, source;
  addresses(operation, warp, to, on, where);
  const auto* base = warp.at<std::uint64_t>(operation.b);
  const Mask ignored = operation.f == no_slot ? 0 : warp.predicate(operation, operation.f, 3);
  const std::uint32_t bytes = to.bytes;
  Mask reads = 0;
  for (Mask rest = on; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    source[lane] = base[lane] + static_cast<std::uint64_t>(static_cast<std::int32_t>(operation.target));
    std::uint32_t given = operation.c == no_slot ? bytes : std::min(bytes, warp.at<std::uint32_t>(operation.c)[lane]);
    if ((ignored >> lane & 1) != 0) given = 0;
    // Both addresses are checked now.
    if (warp.reach(operation, to, where[lane], static_cast<int>(lane), true).data == nullptr) return;
    if (given > 0) {
      reads |= Mask{1} << lane;
      if (warp.reach(operation, from, source[lane], static_cast<int>(lane), false).data == nullptr && given == bytes)
        return;
    }
    warp.copies.push_back(
        {&operation, static_cast<int>(lane), where[lane], source[lane], bytes, given, warp.copy_group});
  }
  count_request(operation, warp, from, reads, source, false);
  count_request(operation, warp, to, on, where, true);
}

void carry_out(Warp& warp, const Warp::PendingCopy& copy) {
  const Operation& operation = *copy.operation;
  const Kernel& kernel = warp.machine().kernel();
  const Reached to = warp.reach(operation, kernel.accesses[operation.extra], copy.to, copy.lane, true);
  if (to.data == nullptr) return;
  note_write(operation, warp, to, copy.bytes);
  std::memset(to.data, 0, copy.bytes);
  Shadow* shadow = warp.machine().shadow();
  if (copy.given == 0) {
    if (shadow != nullptr) shadow->copied(warp, to, to, copy.lane, copy.bytes, 0);
    return;
  }
  const Reached from = warp.reach(operation, kernel.accesses[operation.extra + 1], copy.from, copy.lane, false);
  if (from.data == nullptr) return;
  note_read(operation, warp, from, copy.given);
  std::memcpy(to.data, from.data, copy.given);
  if (shadow != nullptr) shadow->copied(warp, to, from, copy.lane, copy.bytes, copy.given);
}

void finish(Warp& warp, Mask on, std::uint32_t below_group) {
  auto& copies = warp.copies;
  for (const Warp::PendingCopy& copy : copies) {
    if (copy.group < below_group && (on >> copy.lane & 1) != 0) carry_out(warp, copy);
  }
  std::erase_if(copies, [&](const auto& copy) { return copy.group < below_group && (on >> copy.lane & 1) != 0; });
}

void commit_group(const Operation&, Warp& warp, Mask) { ++warp.copy_group; }
/// `extra`: so many groups may be left.
void wait_group(const Operation& operation, Warp& warp, Mask on) {
  const std::uint32_t left = operation.extra;
  if (warp.copy_group >= left) finish(warp, on, warp.copy_group - left);
}
void wait_all(const Operation&, Warp& warp, Mask on) {
  ++warp.copy_group;
  finish(warp, on, warp.copy_group);
}

bool decode_begin(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  if (!decoder.has_operands(3, 5)) return true;
  const auto bytes = decoder.constant(decoder.operand(2));
  if (!bytes || (*bytes != 4 && *bytes != 8 && *bytes != 16)) return decoder.fail("`cp.async` copies 4, 8 or 16 bytes");
  Access to, from;
  to.space = Space::shared;
  from.space = Space::global;
  to.bytes = from.bytes = static_cast<std::uint8_t>(*bytes);
  Operation source;
  if (!decoder.address(decoder.operand(1), source, from)) return true;
  if (!from.wide_address) return decoder.fail("the address of global memory has 64 bits");
  if (!decoder.address(decoder.operand(0), operation, to)) return true;
  operation.b = source.a;
  operation.target = static_cast<std::uint32_t>(source.offset);
  if (source.offset != static_cast<std::int32_t>(source.offset))
    return decoder.fail("the offset of the source is too large");
  for (std::size_t k = 3; k < one.operands.size(); ++k) {
    const Operand& further = decoder.operand(k);
    const int bits = decoder.register_bits(further);
    if (bits == 64) continue;  // a policy of the cache
    if (bits == 1) operation.f = decoder.predicate(further, 3, operation);
    else operation.c = decoder.source(further, Type::u32);
  }
  operation.extra = decoder.add_access(to);
  decoder.add_access(from);
  operation.effect = Effect::opaque;
  operation.run = begin_copy;
  return true;
}

}  // namespace

void finish_copies(Warp& warp, Mask on) {
  ++warp.copy_group;
  finish(warp, on, warp.copy_group);
}

bool decode_copy(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  if (one.name != "cp" || one.has("bulk") || one.has("mbarrier")) return false;
  if (one.has("commit_group")) {
    operation.effect = Effect::opaque;
    operation.run = commit_group;
    return true;
  }
  if (one.has("wait_all")) {
    operation.effect = Effect::opaque;
    operation.run = wait_all;
    return true;
  }
  if (one.has("wait_group")) {
    if (!decoder.has_operands(1, 1)) return true;
    const auto left = decoder.constant(decoder.operand(0));
    if (!left) return decoder.fail("`cp.async.wait_group` needs a number");
    operation.extra = static_cast<std::uint32_t>(*left);
    operation.effect = Effect::opaque;
    operation.run = wait_group;
    return true;
  }
  if (!one.has("ca") && !one.has("cg")) return false;
  return decode_begin(decoder, operation);
}

}  // namespace reckon::ptx
