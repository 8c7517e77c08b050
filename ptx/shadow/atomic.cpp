// Values that atomic operations exchange and add.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ptx/emulate/reach.h"
#include "ptx/shadow/shadow.h"

namespace reckon::ptx {
namespace {

/// A place that atomics reached, with what it holds when all lanes are done.
struct Touched {
  std::uint8_t* data = nullptr;
  std::array<std::uint8_t, 8> bits{};
};

}  // namespace

void follow_atomic(const Operation& operation, const Followed& how, Warp& warp, Mask on, Shadow& shadow) {
  const Access& access = warp.machine().kernel().accesses[operation.extra];
  const std::size_t bytes = access.bytes;
  shadow.check(operation, warp, operation.a, how.bytes[2], on,
               "this address was computed from floats, which has no meaning under {}");
  std::array<std::uint64_t, lanes_of_warp> where;
  addresses(operation, warp, access, on, where);
  // In the order of the lanes, on memory itself; the operation is carried out afterwards, for what it checks, and what
  // it left is replaced.
  std::vector<Touched> touched;
  std::vector<std::uint8_t> memory_before;
  std::array<std::array<std::uint8_t, 8>, lanes_of_warp> old_bits{};
  const bool replaces = shadow.values().replaces_bits() && how.operands > 0;
  const bool exchanges = how.operands == 0 && how.factor != 0, compares = how.factor == 2;
  for (Mask rest = on; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto n = static_cast<std::size_t>(lane);
    const Reached reached = warp.reach(operation, access, where[n], lane, true);
    if (reached.data == nullptr) return;
    Tag* place = shadow.tags(warp, reached, lane, access.bytes);
    std::array<Tag, 8> old{};
    std::copy_n(place, bytes, old.data());
    std::memcpy(old_bits[n].data(), reached.data, bytes);
    const Tag* own = shadow.tags(warp, operation.b) + n * bytes;
    const auto* own_bits = warp.at<std::uint8_t>(operation.b) + n * bytes;
    touched.push_back({reached.data, old_bits[n]});
    if (how.operands > 0) {
      const int size = bytes_of(how.act.format);
      for (int part = 0; part < how.parts; ++part) {
        const int at = part * size;
        const Number operands[] = {shadow.take(operation, warp, reached.data + at, place + at, how.act.format),
                                   shadow.take(operation, warp, own_bits + at, own + at, how.act.format)};
        const Number made = shadow.values().apply(how.act, operands);
        Shadow::put(made, size, place + at);
        if (replaces) std::memcpy(reached.data + at, &made.bits, static_cast<std::size_t>(size));
      }
    } else if (exchanges) {
      const bool stores = !compares || std::memcmp(reached.data, own_bits, bytes) == 0;
      const Slot from = compares ? operation.c : operation.b;
      if (stores) {
        std::copy_n(shadow.tags(warp, from) + n * bytes, bytes, place);
        // Later lanes compare with what is there then.
        std::memcpy(reached.data, warp.at<std::uint8_t>(from) + n * bytes, bytes);
      }
    } else {
      if (shadow.has_values(place, bytes, true) || shadow.has_values(own, bytes, true))
        shadow.report(operation, warp, FindingKind::meaningless_use,
                      fmt::format("an integer atomic takes the bits of a number that was computed: it has no meaning "
                                  "under {}",
                                  shadow.values().name()));
      Shadow::clear(place, bytes);
    }
    if (operation.d != no_slot) std::copy_n(old.data(), bytes, shadow.tags(warp, operation.d) + n * bytes);
  }
  // What the values made of each place; then memory as it was, in the reverse order of the lanes.
  std::vector<Touched> after = touched;
  for (Touched& one : after) std::memcpy(one.bits.data(), one.data, bytes);
  for (std::size_t k = touched.size(); k-- > 0;) std::memcpy(touched[k].data, touched[k].bits.data(), bytes);
  operation.run(operation, warp, on);
  if (!replaces) return;
  for (const Touched& one : after) std::memcpy(one.data, one.bits.data(), bytes);
  if (operation.d == no_slot) return;
  for (Mask rest = on; rest != 0; rest &= rest - 1) {
    const auto n = static_cast<std::size_t>(std::countr_zero(rest));
    std::memcpy(warp.at<std::uint8_t>(operation.d) + n * bytes, old_bits[n].data(), bytes);
  }
}

}  // namespace reckon::ptx
