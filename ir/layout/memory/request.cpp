#include "ir/layout/memory/request.h"

#include <algorithm>
#include <array>
#include <set>

namespace reckon::layout {
namespace {

std::vector<int> set_bits(std::int64_t mask) {
  std::vector<int> out;
  for (int bit = 0; bit < 63; ++bit) {
    if (mask >> bit & 1) out.push_back(bit);
  }
  return out;
}

std::string list(const std::vector<int>& values) {
  std::string out;
  for (int value : values) out += (out.empty() ? "" : ", ") + std::to_string(value);
  return out;
}

/// A word that some lane of the phase wants.
struct Wanted {
  std::int64_t word;
  int lane;
};

Collision collision_of(int bank, const std::vector<Wanted>& wanted) {
  Collision out{bank, {}, {}, {}};
  std::int64_t address_mask = 0, lane_mask = 0;
  for (const Wanted& one : wanted) {
    out.lanes.push_back(one.lane);
    address_mask |= (one.word ^ wanted[0].word) * word_bytes;
    lane_mask |= one.lane ^ wanted[0].lane;
  }
  std::sort(out.lanes.begin(), out.lanes.end());
  out.address_bits = set_bits(address_mask);
  out.lane_bits = set_bits(lane_mask);
  return out;
}

Phase one_phase(const std::vector<std::int64_t>& addresses, int first, int end, int width) {
  Phase out{first, end - first, 0, {}};
  std::array<std::vector<Wanted>, banks> wanted;
  for (int lane = first; lane < end; ++lane) {
    const std::int64_t start = addresses[static_cast<std::size_t>(lane)];
    for (std::int64_t word = start / word_bytes; word * word_bytes < start + width; ++word) {
      auto& bank = wanted[static_cast<std::size_t>(word % banks)];
      const bool shared =
          std::any_of(bank.begin(), bank.end(), [&](const Wanted& other) { return other.word == word; });
      if (!shared) bank.push_back({word, lane});
    }
  }
  const auto worst =
      std::max_element(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  out.wavefronts = static_cast<int>(worst->size());
  if (out.wavefronts > 1) out.worst = collision_of(static_cast<int>(worst - wanted.begin()), *worst);
  return out;
}

}  // namespace

std::vector<Phase> shared_phases(const std::vector<std::int64_t>& addresses, int width) {
  const int lanes = static_cast<int>(addresses.size());
  const int together = std::min(warp_lanes, banks * word_bytes / width);
  std::vector<Phase> out;
  for (int first = 0; first < lanes; first += together) {
    out.push_back(one_phase(addresses, first, std::min(first + together, lanes), width));
  }
  return out;
}

Traffic global_traffic(const std::vector<std::int64_t>& addresses, int width) {
  std::set<std::int64_t> sectors, lines, units;
  for (std::int64_t start : addresses) {
    // A thread's access is aligned to its width: two of them are the same bytes or have none in common.
    units.insert(start / width);
    for (std::int64_t at = start; at < start + width; at += std::min(width, sector_bytes)) {
      sectors.insert(at / sector_bytes);
      lines.insert(at / line_bytes);
    }
  }
  return {static_cast<std::int64_t>(sectors.size()), static_cast<std::int64_t>(lines.size()),
          static_cast<std::int64_t>(units.size()) * width};
}

std::string text(const Collision& collision) {
  return "lanes " + list(collision.lanes) + " want " + std::to_string(collision.lanes.size()) + " words of bank " +
         std::to_string(collision.bank) + ": their addresses differ in bits " + list(collision.address_bits) +
         " alone, the lanes in bits " + list(collision.lane_bits);
}

}  // namespace reckon::layout
