#include "ptx/shadow/shadow.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ptx/emulate/reach.h"

namespace reckon::ptx {

using numerics::Format;

void Shadow::carry_out(const Operation& operation, Warp& warp, Mask on) {
  const Followed& how = kernel_.followed[warp.machine().number_of(operation)];
  if (how.follow == nullptr) operation.run(operation, warp, on);
  else how.follow(operation, how, warp, on, *this);
  if (const auto why = values_.failure(); !why.empty()) warp.machine().fault(operation, warp, std::string(why));
}

void Shadow::call(const Call& made, const Part& part, Warp& warp, std::size_t lane) {
  for (std::size_t k = 0; k < made.arguments.size(); ++k) {
    Tag* to = tags(warp, part.parameters[k]);
    const Tag* from = tags(warp, made.arguments[k]);
    const std::size_t wide = part.parameter_bytes[k], given = made.argument_bytes[k];
    clear(to + lane * wide, wide);
    std::copy_n(from + lane * given, std::min(wide, given), to + lane * wide);
  }
}

Tag* Shadow::tags(Warp& warp, const Reached& reached, int lane, std::uint32_t bytes) {
  std::vector<Tag>* all = nullptr;
  std::size_t offset = reached.offset, size = 0;
  auto& parameters = warp.machine().parameters();
  if (reached.is_shared) {
    all = &reached.owner->tags;
    size = reached.owner->shared().size();
  } else if (reached.allocation != nullptr) {
    all = &reached.allocation->tags;
    size = reached.allocation->data.size();
  } else if (reached.data >= parameters.data() && reached.data < parameters.data() + parameters.size()) {
    all = &warp.machine().parameter_tags;
    size = parameters.size();
  } else {
    all = &warp.local_tags[static_cast<std::size_t>(lane)];
    size = offset + bytes;
  }
  if (all->size() < size) all->resize(size, 0);
  return all->data() + offset;
}

void Shadow::copied(Warp& warp, const Reached& to, const Reached& from, int lane, std::uint32_t bytes,
                    std::uint32_t given) {
  // Both pieces have their tags before either is pointed to.
  tags(warp, to, lane, bytes);
  const Tag* source = given > 0 ? tags(warp, from, lane, given) : nullptr;
  Tag* target = tags(warp, to, lane, bytes);
  if (given > 0) std::copy_n(source, given, target);
  clear(target + given, bytes - given);
}

void Shadow::reduced(const Operation& operation, Warp& warp, const Reached& to, const Reached& from, int lane,
                     Type type, AtomicKind kind, std::uint32_t bytes) {
  tags(warp, to, lane, bytes);
  const Tag* source = tags(warp, from, lane, bytes);
  Tag* target = tags(warp, to, lane, bytes);
  int parts = 1;
  const auto format = float_format(type, parts);
  FloatAct act;
  act.act = kind == AtomicKind::min ? Act::minnum : kind == AtomicKind::max ? Act::maxnum : Act::add;
  act.format = format.value_or(Format::f32);
  act.plain = act.format != Format::f32;
  act.atomic = true;
  const auto size = static_cast<std::uint32_t>(bits_of(type) / 8);
  for (std::uint32_t at = 0; at + size <= bytes; at += size) {
    std::uint64_t old = 0, value = 0;
    std::memcpy(&old, to.data + at, size);
    std::memcpy(&value, from.data + at, size);
    std::uint64_t made = atomic_result(type, kind, old, value, 0, true);
    if (!format && (has_values(target + at, size, true) || has_values(source + at, size, true)))
      report(
          operation, warp, FindingKind::meaningless_use,
          fmt::format("an integer reduction takes the bits of a number that was computed: it has no meaning under {}",
                      values_.name()));
    clear(target + at, format ? 0 : size);
    for (int part = 0; format && part < parts; ++part) {
      const std::uint32_t own = size / static_cast<std::uint32_t>(parts),
                          place = at + static_cast<std::uint32_t>(part) * own;
      const Number operands[] = {take(operation, warp, to.data + place, target + place, *format),
                                 take(operation, warp, from.data + place, source + place, *format)};
      const Number number = values_.apply(act, operands);
      put(number, static_cast<int>(own), target + place);
      if (values_.replaces_bits())
        std::memcpy(reinterpret_cast<std::uint8_t*>(&made) + (place - at), &number.bits, own);
    }
    std::memcpy(to.data + at, &made, size);
  }
}

bool Shadow::has_values(const Tag* tags, std::size_t count, bool opaque) const {
  Tag any = 0;
  for (std::size_t k = 0; k < count; ++k) any |= tags[k];
  if (any == 0) return false;
  if (!opaque) return true;
  return std::any_of(tags, tags + count, [&](Tag tag) { return tag != 0 && values_.is_opaque(tag >> 3); });
}

void Shadow::report(const Operation& operation, Warp& warp, FindingKind kind, const std::string& message) {
  warp.machine().finding(operation, kind, [&] { return message; });
}

void Shadow::check(const Operation& operation, Warp& warp, Slot slot, int bytes, Mask on, const char* what) {
  if (slot == no_slot || bytes == 0 || (slot & constant_slot) != 0) return;
  const Tag* all = tags(warp, slot);
  const auto size = static_cast<std::size_t>(bytes);
  if (!has_values(all, size * lanes_of_warp, false)) return;
  for (Mask rest = on; rest != 0; rest &= rest - 1) {
    if (!has_values(all + static_cast<std::size_t>(std::countr_zero(rest)) * size, size, true)) continue;
    report(operation, warp, FindingKind::meaningless_use, fmt::format(fmt::runtime(what), values_.name()));
    return;
  }
}

void Shadow::put(Number number, int bytes, Tag* tags) {
  if (bytes == 4) {
    const Tag first = number.id << 3, next = number.id == 0 ? 0 : 1;
    tags[0] = first, tags[1] = first + next, tags[2] = first + 2 * next, tags[3] = first + 3 * next;
    return;
  }
  for (int k = 0; k < bytes; ++k) tags[k] = number.id == 0 ? 0 : number.id << 3 | static_cast<Tag>(k);
}

Number Shadow::take(const Operation& operation, Warp& warp, const std::uint8_t* bits, const Tag* tags, Format format) {
  const int bytes = bytes_of(format);
  Number out;
  if (bytes == 4) {
    // Nearly always: a whole number of 4 bytes of that format, or an ordinary one.
    std::uint32_t word = 0;
    std::memcpy(&word, bits, sizeof word);
    out.bits = word;
    const Tag first = tags[0];
    const bool in_order = tags[1] == first + 1 && tags[2] == first + 2 && tags[3] == first + 3;
    if ((first | tags[1] | tags[2] | tags[3]) == 0) return out;
    if (in_order && first != 0 && (first & 7) == 0 && values_.format(first >> 3) == format) {
      out.id = first >> 3;
      return out;
    }
  } else {
    for (int k = 0; k < bytes; ++k) out.bits |= std::uint64_t{bits[k]} << (8 * k);
  }
  const auto is_whole = [&](int first, int count) {
    if ((tags[first] & 7) != 0) return false;
    for (int k = 1; k < count; ++k) {
      if (tags[first + k] != tags[first] + static_cast<Tag>(k)) return false;
    }
    return true;
  };
  Tag any = 0;
  for (int k = 0; k < bytes; ++k) any |= tags[k];
  if (any == 0) return out;
  if (tags[0] != 0 && is_whole(0, bytes)) {
    const Format own = values_.format(tags[0] >> 3);
    const bool same = own == format || (format == Format::tf32 && own == Format::f32);
    if (same) out.id = tags[0] >> 3;
    else
      report(operation, warp, FindingKind::meaningless_operand,
             fmt::format("a number of {} is taken as one of {}", numerics::traits(own).name,
                         numerics::traits(format).name));
    return out;
  }
  // A bf16 before 16 zeros is the f32 of its value.
  if (bytes == 4 && tags[0] == 0 && tags[1] == 0 && (out.bits & 0xffff) == 0 && tags[2] != 0 && is_whole(2, 2) &&
      values_.format(tags[2] >> 3) == Format::bf16) {
    const Number half{out.bits >> 16, tags[2] >> 3};
    FloatAct act;
    act.act = Act::convert;
    act.format = Format::f32;
    act.from = Format::bf16;
    return values_.apply(act, {&half, 1});
  }
  report(operation, warp, FindingKind::meaningless_operand,
         fmt::format("the bytes of an operand are of several numbers, or parts of one: they have no meaning under {}",
                     values_.name()));
  return out;
}

}  // namespace reckon::ptx
