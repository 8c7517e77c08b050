#include "sweep/cells.h"

#include <algorithm>
#include <iterator>

namespace reckon::sweep {

bool Cells::add(Part part, const Sweep& sweep) {
  if (part.last <= part.first || part.first < from_ || part.first >= needed_) return false;
  auto after = parts_.lower_bound(part.first);
  if (after != parts_.end() && after->first < part.last) return false;
  if (after != parts_.begin() && std::prev(after)->second.last > part.first) return false;
  if (part.ends) {
    needed_ = std::min(needed_, part.last);
    parts_.erase(parts_.lower_bound(needed_), parts_.end());
    after = parts_.end();
  }
  if (after != parts_.begin()) {
    if (Part& before = std::prev(after)->second; before.last == part.first) {
      part.seen = sweep.merged(before.seen, part.seen);
      part.first = before.first;
      parts_.erase(std::prev(after));
    }
  }
  if (after != parts_.end() && after->first == part.last) {
    part.seen = sweep.merged(part.seen, after->second.seen);
    part.last = after->second.last;
    part.ends = after->second.ends;
    parts_.erase(after);
  }
  const std::int64_t first = part.first;
  parts_.emplace(first, std::move(part));
  return true;
}

std::int64_t Cells::done() const {
  std::int64_t out = 0;
  for (const auto& [first, part] : parts_) out += part.last - first;
  return out;
}

bool Cells::finished() const { return !gap(from_); }

Part Cells::front() const {
  const auto first = parts_.find(from_);
  return first == parts_.end() ? Part{from_, from_, false, {}} : first->second;
}

std::optional<std::pair<std::int64_t, std::int64_t>> Cells::gap(std::int64_t at) const {
  auto next = parts_.upper_bound(at);
  if (next != parts_.begin()) at = std::max(at, std::prev(next)->second.last);
  while (next != parts_.end() && next->first <= at) at = std::max(at, (next++)->second.last);
  if (at >= needed_) return std::nullopt;
  return std::pair{at, next == parts_.end() ? needed_ : std::min(needed_, next->first)};
}

void Cells::write(Writer& out) const {
  out.number(from_);
  out.number(needed_);
  out.number(static_cast<std::uint64_t>(parts_.size()));
  for (const auto& [first, part] : parts_) {
    out.number(first);
    out.number(part.last);
    out.truth(part.ends);
    out.text(part.seen);
  }
}

Cells Cells::read(Reader& in) {
  Cells out;
  out.from_ = in.integer();
  out.needed_ = in.integer();
  for (std::uint64_t left = in.count(); left > 0 && in.good(); --left) {
    Part part;
    part.first = in.integer();
    part.last = in.integer();
    part.ends = in.truth();
    part.seen = in.text();
    const std::int64_t first = part.first;
    out.parts_.emplace(first, std::move(part));
  }
  return out;
}

}  // namespace reckon::sweep
