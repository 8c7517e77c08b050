#include "layout/memory/request.h"

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

/// "0 to 31", "0, 4, 8": ascending, with three or more in a row as a range.
std::string list(const std::vector<int>& values) {
  std::string out;
  for (std::size_t k = 0; k < values.size();) {
    std::size_t end = k + 1;
    while (end < values.size() && values[end] == values[end - 1] + 1) ++end;
    const bool range = end - k > 2;
    out += (out.empty() ? "" : ", ") + std::to_string(values[k]);
    if (range) out += " to " + std::to_string(values[end - 1]);
    k = range ? end : k + 1;
  }
  return out;
}

/// A word that some lane of the phase accesses.
struct Wanted {
  std::int64_t word;
  int lane;
};
using WantedByBank = std::array<std::vector<Wanted>, banks>;

BankConflict conflict_of(int bank, const std::vector<Wanted>& wanted) {
  BankConflict out{bank, {}, {}, {}};
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

WantedByBank wanted_words(const std::vector<std::int64_t>& addresses, int first, int end, int width) {
  WantedByBank wanted;
  for (int lane = first; lane < end; ++lane) {
    const std::int64_t start = addresses[static_cast<std::size_t>(lane)];
    for (std::int64_t word = start / word_bytes; word * word_bytes < start + width; ++word) {
      auto& bank = wanted[static_cast<std::size_t>(word % banks)];
      const bool shared =
          std::any_of(bank.begin(), bank.end(), [&](const Wanted& other) { return other.word == word; });
      if (!shared) bank.push_back({word, lane});
    }
  }
  return wanted;
}

/// The first bank that has the most words.
std::size_t worst_bank(const WantedByBank& wanted) {
  const auto worst =
      std::max_element(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return static_cast<std::size_t>(worst - wanted.begin());
}

/// Calls visit(first lane, end, the words that these lanes want), phase by phase.
template <class Visit>
void for_each_phase(const std::vector<std::int64_t>& addresses, int width, Visit&& visit) {
  const int lanes = static_cast<int>(addresses.size());
  const int together = std::min(warp_lanes, banks * word_bytes / width);
  for (int first = 0; first < lanes; first += together) {
    const int end = std::min(first + together, lanes);
    visit(first, end, wanted_words(addresses, first, end, width));
  }
}

}  // namespace

std::vector<Phase> shared_phases(const std::vector<std::int64_t>& addresses, int width) {
  std::vector<Phase> out;
  for_each_phase(addresses, width, [&](int first, int end, const WantedByBank& wanted) {
    const std::size_t bank = worst_bank(wanted);
    out.push_back({first, end - first, static_cast<int>(wanted[bank].size()), {}});
    if (wanted[bank].size() > 1) out.back().worst = conflict_of(static_cast<int>(bank), wanted[bank]);
  });
  return out;
}

std::int64_t shared_wavefronts(const std::vector<std::int64_t>& addresses, int width) {
  std::int64_t out = 0;
  for_each_phase(addresses, width, [&](int, int, const WantedByBank& wanted) {
    out += static_cast<std::int64_t>(wanted[worst_bank(wanted)].size());
  });
  return out;
}

Traffic global_traffic(const std::vector<std::int64_t>& addresses, int width) {
  std::set<std::int64_t> sectors, lines, units;
  for (std::int64_t start : addresses) {
    // An access is aligned to its width, so two of them have all bytes in common or none.
    units.insert(start / width);
    for (std::int64_t at = start; at < start + width; at += std::min(width, sector_bytes)) {
      sectors.insert(at / sector_bytes);
      lines.insert(at / line_bytes);
    }
  }
  return {static_cast<std::int64_t>(sectors.size()), static_cast<std::int64_t>(lines.size()),
          static_cast<std::int64_t>(units.size()) * width};
}

std::string text(const BankConflict& conflict) {
  return "lanes " + list(conflict.lanes) + " want " + std::to_string(conflict.lanes.size()) + " words of bank " +
         std::to_string(conflict.bank) + ": their addresses differ in bits " + list(conflict.address_bits) +
         " alone, the lanes in bits " + list(conflict.lane_bits);
}

}  // namespace reckon::layout
