#include "layout/fit.h"

#include "layout/coordinates.h"
#include "layout/modes.h"

namespace reckon::layout {
namespace {

bool step(std::int64_t from, std::int64_t stride, std::int64_t& out) {
  return !__builtin_add_overflow(from, stride, &out);
}

struct Refuted {
  std::int64_t index;
  std::string why;
};

/// Fits table[k * scale] for k below count, relative to table[0]: gives the canonical modes, or the first index (in the
/// table) that refutes them, if that is below `bound`.
void modes_of(std::span<const std::int64_t> table, std::size_t scale, Modes& out, std::optional<Refuted>& refuted) {
  const std::size_t count = table.size() / scale;
  if (count == 1) return;
  std::int64_t stride, next;
  if (__builtin_sub_overflow(table[scale], table[0], &stride)) {
    refuted = {static_cast<std::int64_t>(scale), "its distance from the first entry does not fit in 64 bits"};
    return;
  }
  std::size_t run = 2;
  while (run < count && step(table[(run - 1) * scale], stride, next) && table[run * scale] == next) ++run;
  if (count % run != 0) {
    const std::size_t at = run * scale;
    refuted = {static_cast<std::int64_t>(at), "it ends a run of " + std::to_string(run) + " in steps of " +
                                                  std::to_string(stride) + ", which does not divide the " +
                                                  std::to_string(count) + " entries"};
    if (scale > 1) refuted->why += " at the multiples of " + std::to_string(scale);
    return;
  }
  out.push_back({static_cast<std::int64_t>(run), stride});
  // Every block of `run` entries must repeat the first block's steps. The lowest index that refutes anything counts.
  for (std::size_t k = run; k < count; ++k) {
    if (k % run == 0 || (step(table[(k - 1) * scale], stride, next) && table[k * scale] == next)) continue;
    refuted = {static_cast<std::int64_t>(k * scale),
               "the runs of " + std::to_string(run) + " before go in steps of " + std::to_string(stride)};
    if (scale > 1) refuted->why += " at the multiples of " + std::to_string(scale);
    break;
  }
  std::optional<Refuted> later;
  modes_of(table, scale * run, out, later);
  if (later && (!refuted || later->index < refuted->index)) refuted = later;
}

std::optional<Difference> differ(const Modes& a, const Modes& b) {
  std::int64_t scale = 1;
  for (std::size_t k = 0;; ++k) {
    const bool a_ends = k == a.size(), b_ends = k == b.size();
    if (a_ends && b_ends) return std::nullopt;
    Difference out;
    // Up to `scale` both are equal; there the shorter one ends, or the strides differ.
    if (a_ends || b_ends || a[k].stride != b[k].stride) {
      out.index = scale;
      return out;
    }
    if (a[k].extent != b[k].extent) {
      out.index = scale * std::min(a[k].extent, b[k].extent);
      return out;
    }
    scale *= a[k].extent;
  }
}

}  // namespace

Result<Fitted> fit(std::span<const std::int64_t> table) {
  if (table.empty())
    return Problem{Problem::Kind::empty, "fit: the table is empty", "a layout has at least one offset"};
  Modes modes;
  std::optional<Refuted> refuted;
  modes_of(table, 1, modes, refuted);
  if (refuted) {
    return Problem{Problem::Kind::no_layout,
                   "fit: no layout of size " + std::to_string(table.size()) + " begins like this table: at index " +
                       in_backticks(refuted->index) + " it is " +
                       in_backticks(table[static_cast<std::size_t>(refuted->index)]) + ", and " + refuted->why,
                   {},
                   refuted->index};
  }
  auto layout = flat_layout(modes);
  if (!layout) return layout.problem();
  return Fitted{*std::move(layout), table[0]};
}

std::optional<Difference> diff(const Layout& a, const Layout& b) {
  auto out = differ(coalesced_modes(a), coalesced_modes(b));
  if (!out) return out;
  if (out->index < a.size()) out->a = a.at(out->index);
  if (out->index < b.size()) out->b = b.at(out->index);
  return out;
}

std::string text(const Difference& difference, const Layout& a, const Layout& b) {
  const auto side = [&](const Layout& of, const std::optional<std::int64_t>& offset) {
    if (!offset) return "`" + of.text() + "` has ended";
    const auto coordinate = split(difference.index, of.shape());
    return "`" + of.text() + "` has " + in_backticks(*offset) +
           (of.shape().is_int() ? "" : " at its coordinate `" + coordinate->text() + "`");
  };
  return "at index " + in_backticks(difference.index) + ", " + side(a, difference.a) + " and " + side(b, difference.b);
}

}  // namespace reckon::layout
