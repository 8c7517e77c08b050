// Barriers in shared memory with phases (PTX ISA 9.0, 9.7.13.15: mbarrier), and what copies tell them.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ptx/emulate/phased.h"
#include "ptx/emulate/reach.h"

namespace reckon::ptx {

PhasedBarrier* phased_at(const Operation& operation, Warp& warp, std::uint64_t address) {
  if (is_in_window(address, shared_window)) address -= shared_window;
  Block* owner = &warp.block();
  if (const std::uint64_t above = address >> rank_shift; above != 0) {
    owner = warp.block().cluster().block(above - 1);
    address &= (std::uint64_t{1} << rank_shift) - 1;
  }
  if (owner != nullptr) {
    const auto found = owner->phased.find(static_cast<std::uint32_t>(address));
    if (found != owner->phased.end()) return &found->second;
  }
  warp.machine().fault(operation, warp,
                       fmt::format("there is no mbarrier at 0x{:x} of shared memory: none was initialised there",
                                   address));
  return nullptr;
}

namespace {

void join_clocks(std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& from) {
  into.resize(std::max(into.size(), from.size()), 0);
  for (std::size_t k = 0; k < from.size(); ++k) into[k] = std::max(into[k], from[k]);
}

void complete_if_done(Warp& warp, PhasedBarrier& barrier) {
  if (barrier.pending != 0 || barrier.bytes != 0) return;
  ++barrier.phase;
  barrier.pending = barrier.expected;
  join_clocks(barrier.clock, barrier.gathering);
  join(barrier.of_others, barrier.gathering_of_others);
  ++warp.machine().progress;
}

/// What the warp did, or the copies that it began, comes before what waits for the phase.
void give_clock(Warp& warp, PhasedBarrier& barrier, bool of_copies) {
  if (!warp.machine().options().finds_races) return;
  if (barrier.owner != &warp.block()) return warp.block().tell(barrier.gathering_of_others);
  warp.block().join_into(barrier.gathering, of_copies ? warp.block().agent() : warp.number());
  if (!of_copies) warp.block().fence(warp);
}

enum class Action : std::uint8_t { init, inval, arrive, arrive_drop, expect, complete, test };

/// Mode: the Action; 0x10: with bytes; 0x20: parity; 0x40: it completes no phase. d: the state, or e: the
/// predicate; b: a count, bytes, a state or a parity.
void act(const Operation& operation, Warp& warp, Mask on) {
  const Access& access = warp.machine().kernel().accesses[operation.extra];
  std::array<std::uint64_t, lanes_of_warp> where;
  addresses(operation, warp, access, on, where);
  const auto action = static_cast<Action>(operation.mode & 15);
  const bool with_bytes = (operation.mode & 0x10) != 0, parity = (operation.mode & 0x20) != 0;
  Mask done = 0;
  for (Mask rest = on; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto n = static_cast<std::size_t>(lane);
    const std::uint32_t given =
        operation.b == no_slot || (action == Action::test && !parity) ? 1 : warp.at<std::uint32_t>(operation.b)[lane];
    const Reached reached = warp.reach(operation, access, where[n], lane, true);
    if (reached.data == nullptr) return;
    if (action == Action::init) {
      if (given == 0 || given >= (1u << 20)) {
        warp.machine().fault(operation, warp, fmt::format("an mbarrier is for 1 to 2^20 - 1 arrivals, not {}", given));
        return;
      }
      PhasedBarrier made;
      made.expected = made.pending = given;
      made.owner = &warp.block();
      warp.block().phased[static_cast<std::uint32_t>(reached.offset)] = made;
      continue;
    }
    PhasedBarrier* barrier = phased_at(operation, warp, where[n]);
    if (barrier == nullptr) return;
    if (action != Action::test) ++warp.machine().progress;
    switch (action) {
      case Action::inval: warp.block().phased.erase(static_cast<std::uint32_t>(reached.offset)); break;
      case Action::arrive:
      case Action::arrive_drop: {
        const std::uint32_t count = with_bytes ? 1 : given;
        if (count > barrier->pending) {
          warp.machine().fault(operation, warp,
                               fmt::format("{} threads arrive at an mbarrier that waits for {} more", count,
                                           barrier->pending));
          return;
        }
        if ((operation.mode & 0x40) != 0 && count == barrier->pending && barrier->bytes == 0) {
          warp.machine().fault(
              operation, warp,
              fmt::format("{} threads arrive at an mbarrier that waits for no others: `.noComplete` says "
                          "that this completes no phase",
                          count));
          return;
        }
        if (operation.d != no_slot) warp.at<std::uint64_t>(operation.d)[lane] = barrier->phase;
        if (with_bytes) barrier->bytes += given;
        if (action == Action::arrive_drop) --barrier->expected;
        barrier->pending -= count;
        give_clock(warp, *barrier, false);
        complete_if_done(warp, *barrier);
        break;
      }
      case Action::expect: barrier->bytes += given; break;
      case Action::complete:
        barrier->bytes -= given;
        complete_if_done(warp, *barrier);
        break;
      default: {
        const bool is_done =
            parity ? (barrier->phase & 1) != (given & 1)
                   : barrier->phase != static_cast<std::uint32_t>(warp.at<std::uint64_t>(operation.b)[lane]);
        if (!is_done) break;
        done |= Mask{1} << lane;
        if (warp.machine().options().finds_races) {
          warp.block().join_from(barrier->clock, warp.number());
          warp.block().hear(barrier->of_others);
        }
      }
    }
  }
  if (action != Action::test) return;
  warp.put(operation.e, done, on);
  if (done != on) warp.yield();
}

bool decode_barrier(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  static constexpr std::pair<std::string_view, Action> actions[] = {
      {"init", Action::init},      {"inval", Action::inval},      {"arrive_drop", Action::arrive_drop},
      {"arrive", Action::arrive},  {"expect_tx", Action::expect}, {"complete_tx", Action::complete},
      {"test_wait", Action::test}, {"try_wait", Action::test}};
  const auto found = std::find_if(std::begin(actions), std::end(actions),
                                  [&](const auto& row) { return !one.parts.empty() && one.parts[0] == row.first; });
  if (found == std::end(actions)) return false;
  Access access;
  access.space = space_of(one);
  access.bytes = 8;
  access.strong = true;
  access.of_cluster = one.has("shared::cluster");
  const Action action = found->second;
  operation.mode = static_cast<std::uint16_t>(action);
  std::size_t at = 0;
  const bool gives = action == Action::arrive || action == Action::arrive_drop || action == Action::test;
  if (!decoder.has_operands(gives ? 2 : 1, 4)) return true;
  if (action == Action::test) operation.e = decoder.predicate_result(decoder.operand(at++));
  else if (gives && decoder.operand(0).kind != Operand::Kind::address)
    operation.d = decoder.result_or_none(decoder.operand(at++), 64);
  if (at >= one.operands.size() || !decoder.address(decoder.operand(at++), operation, access)) return true;
  if ((action == Action::arrive || action == Action::arrive_drop) && one.has("expect_tx")) operation.mode |= 0x10;
  if (action == Action::test && one.has("parity")) operation.mode |= 0x20;
  if (one.has("noComplete")) operation.mode |= 0x40;
  const bool by_state = action == Action::test && !one.has("parity");
  if (at < one.operands.size()) operation.b = decoder.source(decoder.operand(at), by_state ? Type::b64 : Type::b32);
  else if (action != Action::arrive && action != Action::arrive_drop && action != Action::inval)
    return decoder.fail(fmt::format("`{}` needs a further operand", one.opcode));
  operation.extra = decoder.add_access(access);
  operation.effect = Effect::opaque;
  operation.run = act;
  return true;
}

/// cp.async.mbarrier.arrive: after the copies that the threads began. Mode 1: .noinc.
void arrive_after_copies(const Operation& operation, Warp& warp, Mask on) {
  const Access& access = warp.machine().kernel().accesses[operation.extra];
  std::array<std::uint64_t, lanes_of_warp> where;
  addresses(operation, warp, access, on, where);
  finish_copies(warp, on);
  for (; on != 0 && !warp.machine().stopped(); on &= on - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(on));
    PhasedBarrier* barrier = phased_at(operation, warp, where[lane]);
    if (barrier == nullptr) return;
    give_clock(warp, *barrier, false);
    if ((operation.mode & 1) == 0) continue;  // the arrival was added to those that are expected
    if (barrier->pending == 0) {
      warp.machine().fault(operation, warp, "more threads arrive at the mbarrier than it waits for");
      return;
    }
    --barrier->pending;
    complete_if_done(warp, *barrier);
  }
}

}  // namespace

void bring(const Operation& operation, Warp& warp, std::uint64_t barrier_address, std::uint64_t bytes) {
  PhasedBarrier* barrier = phased_at(operation, warp, barrier_address);
  if (barrier == nullptr) return;
  barrier->bytes -= static_cast<std::int64_t>(bytes);
  give_clock(warp, *barrier, true);
  complete_if_done(warp, *barrier);
}

bool decode_phased(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  if (one.name == "mbarrier") return decode_barrier(decoder, operation);
  if (one.name != "cp") return false;
  if (one.has("mbarrier") && one.has("arrive")) {
    if (!decoder.has_operands(1, 1)) return true;
    Access access;
    access.space = space_of(one);
    access.bytes = 8;
    if (!decoder.address(decoder.operand(0), operation, access)) return true;
    operation.mode |= one.has("noinc") ? 1 : 0;
    operation.extra = decoder.add_access(access);
    operation.effect = Effect::opaque;
    operation.run = arrive_after_copies;
    return true;
  }
  return false;
}

}  // namespace reckon::ptx
