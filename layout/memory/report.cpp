#include "layout/memory/report.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <tuple>

#include "layout/powers.h"

namespace reckon::layout {
namespace {

std::string elements_text(int elements) {
  return std::to_string(elements) + (elements == 1 ? " element" : " elements");
}

Problem refused(std::string message) { return {Problem::Kind::bad_access, std::move(message)}; }

/// The reason why a thread's values cannot be accessed `vector` at a time; empty if there is none.
std::string obstacle(const Offsets& offsets, const Access& access, int vector) {
  const std::string wanted = elements_text(vector) + " at a time";
  if (vector * access.element_bytes > widest_access) return "an access has at most 16 bytes";
  if (access.base_alignment % (vector * access.element_bytes) != 0) {
    return "the base is aligned to " + in_backticks(access.base_alignment) + " bytes only";
  }
  if (offsets.values % vector != 0)
    return in_backticks(offsets.values) + " values a thread are not a multiple of " + wanted;
  // Values that are not adjacent are looked for first: that says more than a start that is not aligned.
  for (const bool starts : {false, true}) {
    for (std::int64_t value = 0; value < offsets.values; ++value) {
      if ((value % vector == 0) != starts) continue;
      for (std::int64_t thread = 0; thread < offsets.threads; ++thread) {
        const std::int64_t offset = offsets(thread, value);
        if (starts ? offset % vector == 0 : offset == offsets(thread, value - 1) + 1) continue;
        return "value " + in_backticks(value) + " of thread " + in_backticks(thread) + " is at offset " +
               in_backticks(offset) + ", " +
               (starts ? "no multiple of `" + std::to_string(vector) + "`"
                       : "and the one before it at " + in_backticks(offsets(thread, value - 1)));
      }
    }
  }
  return {};
}

int widest(const Offsets& offsets, const Access& access) {
  int out = widest_access / access.element_bytes;
  while (out > 1 && !obstacle(offsets, access, out).empty()) out /= 2;
  return out;
}

std::optional<Problem> unfit(const Offsets& offsets, const Access& access) {
  if (!power_of_two(access.element_bytes) || access.element_bytes > widest_access) {
    return refused("an element of " + in_backticks(access.element_bytes) + " bytes: 1, 2, 4, 8 or 16 are possible");
  }
  if (!power_of_two(access.base_alignment) || access.base_alignment < access.element_bytes) {
    return refused("a base alignment of " + in_backticks(access.base_alignment) +
                   " bytes: a power of two, at least that of an element, is possible");
  }
  if (access.vector != 0 && (!power_of_two(access.vector) || access.vector * access.element_bytes > widest_access)) {
    return refused("an access of " + in_backticks(access.vector) + " elements of " +
                   in_backticks(access.element_bytes) + " bytes: a power of two, at most 16 bytes, is possible");
  }
  if (access.instruction != Instruction::plain && access.space != Space::shared) {
    return refused("ldmatrix and stmatrix access shared memory only");
  }
  if (access.instruction != Instruction::plain && offsets.threads % 8 != 0) {
    return refused("a matrix takes the addresses of 8 lanes, and there are " + in_backticks(offsets.threads) +
                   " threads");
  }
  return std::nullopt;
}

/// If a thread has one value, it is where its access starts; an access of several elements is written out in `room`.
const Offsets& with_whole_access(const Offsets& offsets, int vector, Offsets& room) {
  if (offsets.values != 1 || vector == 1) return offsets;
  room = Offsets{offsets.threads, vector, {}};
  for (int value = 0; value < vector; ++value) {
    for (std::int64_t offset : offsets.table) room.table.push_back(offset + value);
  }
  return room;
}

/// The addresses in bytes of one value of each lane of a warp.
std::vector<std::int64_t> addresses_of(const Offsets& offsets, const Access& access, std::int64_t first_thread,
                                       std::int64_t value, std::int64_t shift) {
  std::vector<std::int64_t> out;
  for (std::int64_t thread = first_thread; thread < std::min(first_thread + warp_lanes, offsets.threads); ++thread) {
    out.push_back(offsets(thread, value) * access.element_bytes + shift);
  }
  return out;
}

Request request(const Offsets& offsets, const Access& access, std::int64_t first_thread, std::int64_t value,
                std::int64_t shift) {
  Request out{first_thread, value, {}, 0, {}};
  const auto addresses = addresses_of(offsets, access, first_thread, value, shift);
  const int width = access.vector * access.element_bytes;
  if (access.space == Space::global) {
    out.traffic = global_traffic(addresses, width);
    return out;
  }
  out.phases = shared_phases(addresses, width);
  for (const Phase& phase : out.phases) out.wavefronts += phase.wavefronts;
  return out;
}

int worst_of(const Request& request) {
  int out = 0;
  for (const Phase& phase : request.phases) out = std::max(out, phase.wavefronts);
  return out;
}

/// All requests, with the base `shift` bytes past a multiple of 128.
Report at_shift(const Offsets& offsets, Report out, std::int64_t shift) {
  for (std::int64_t value = 0; value < offsets.values; value += out.access.vector) {
    for (std::int64_t thread = 0; thread < offsets.threads; thread += warp_lanes) {
      Request next = request(offsets, out.access, thread, value, shift);
      out.phases += static_cast<std::int64_t>(next.phases.size());
      out.wavefronts += next.wavefronts;
      out.worst_phase = std::max(out.worst_phase, worst_of(next));
      out.traffic.sectors += next.traffic.sectors;
      out.traffic.lines += next.traffic.lines;
      out.traffic.bytes += next.traffic.bytes;
      const auto cost = [](const Request& of) {
        return std::make_tuple(worst_of(of), of.wavefronts, of.traffic.sectors);
      };
      if (out.requests++ == 0 || cost(next) > cost(out.worst)) out.worst = std::move(next);
    }
  }
  return out;
}

}  // namespace

Width vector_width(const Offsets& offsets, const Access& access) {
  Width out;
  out.elements = widest(offsets, access);
  out.limit = obstacle(offsets, access, out.elements * 2);
  std::optional<Offsets> sorted;  // if some thread's values are not in order: the offsets in order
  for (std::int64_t thread = 0; thread < offsets.threads; ++thread) {
    std::vector<std::int64_t> own;
    for (std::int64_t value = 0; value < offsets.values; ++value) own.push_back(offsets(thread, value));
    if (std::is_sorted(own.begin(), own.end())) continue;
    std::sort(own.begin(), own.end());
    if (!sorted) sorted = offsets;
    for (std::int64_t value = 0; value < offsets.values; ++value) {
      sorted->table[static_cast<std::size_t>(thread + offsets.threads * value)] = own[static_cast<std::size_t>(value)];
    }
  }
  out.elements_reordered = sorted ? widest(*sorted, access) : out.elements;
  return out;
}

Result<Report> report(const Offsets& given, const Access& access) {
  if (const auto problem = unfit(given, access)) return *problem;
  const bool matrix = access.instruction != Instruction::plain;
  const int wanted = matrix ? widest_access / access.element_bytes : access.vector;
  Offsets room;
  const Offsets& offsets = with_whole_access(given, std::max(wanted, 1), room);
  Report start;
  start.access = access;
  start.width = vector_width(offsets, access);
  start.access.vector = wanted == 0 ? start.width.elements : wanted;
  if (start.access.vector > start.width.elements) {
    return refused((matrix ? "a matrix has rows of 16 bytes, " : "an access of ") + elements_text(wanted) +
                   (matrix ? "" : " at a time is not possible") + ": " + obstacle(offsets, access, wanted));
  }
  // All bases that the alignment allows are equal modulo a word (conflicts do not depend on which bank) or a line.
  const std::int64_t period = access.space == Space::shared ? word_bytes : line_bytes;
  Report out = at_shift(offsets, start, 0);
  for (std::int64_t shift = access.base_alignment; shift < period; shift += access.base_alignment) {
    Report next = at_shift(offsets, start, shift);
    const auto cost = [](const Report& of) {
      return std::make_tuple(of.wavefronts, of.traffic.sectors, of.traffic.lines);
    };
    if (cost(next) > cost(out)) out = std::move(next);
  }
  return out;
}

Result<Report> report(const AnyLayout& thread_value, const Access& access) {
  const auto table = offsets(thread_value);
  if (!table) return table.problem();
  return report(*table, access);
}

std::int64_t count_wavefronts(const Offsets& given, const Access& access) {
  if (access.space == Space::global) return 0;
  Offsets room;
  const Offsets& offsets = with_whole_access(given, access.vector, room);
  const int width = access.vector * access.element_bytes;
  std::int64_t out = 0;
  for (std::int64_t shift = 0; shift < word_bytes; shift += access.base_alignment) {
    std::int64_t wavefronts = 0;
    for (std::int64_t value = 0; value < offsets.values; value += access.vector) {
      for (std::int64_t thread = 0; thread < offsets.threads; thread += warp_lanes) {
        wavefronts += shared_wavefronts(addresses_of(offsets, access, thread, value, shift), width);
      }
    }
    out = std::max(out, wavefronts);
  }
  return out;
}

double Report::coalescing() const {
  if (traffic.sectors == 0) return 1;
  return static_cast<double>(traffic.bytes) / static_cast<double>(traffic.sectors * sector_bytes);
}

std::string Report::text() const {
  const int bytes = access.vector * access.element_bytes;
  std::string out = "width: " + elements_text(access.vector) + ", " + std::to_string(bytes) + " bytes";
  if (access.vector < width.elements) out += " (" + std::to_string(width.elements) + " are possible)";
  else out += " (no more: " + width.limit + ")";
  if (width.elements_reordered > width.elements) {
    out += "\n       " + std::to_string(width.elements_reordered) +
           " with each thread's values in the order of their offsets";
  }
  out += "\nrequests: " + std::to_string(requests);
  if (access.space == Space::global) {
    char percent[16];
    std::snprintf(percent, sizeof percent, "%.1f %%", 100 * coalescing());
    return out + "\nsectors: " + std::to_string(traffic.sectors) + " of 32 bytes, in " + std::to_string(traffic.lines) +
           " lines of 128\ncoalescing: " + percent + " (" + std::to_string(traffic.bytes) + " bytes used of " +
           std::to_string(traffic.sectors * sector_bytes) + ")\n";
  }
  out += "\nwavefronts: " + std::to_string(wavefronts);
  if (conflict_free()) return out + ": no bank conflicts\n";
  out += ", against " + std::to_string(phases) + " without conflicts; the worst phase takes " +
         std::to_string(worst_phase) + "\n";
  for (const Phase& phase : worst.phases) {
    if (phase.wavefronts < worst_phase) continue;
    const std::string last = std::to_string(phase.first_lane + phase.lanes - 1);
    return out + "in the phase of lanes " + std::to_string(phase.first_lane) + " to " + last + ", " +
           layout::text(phase.worst) + "\n";
  }
  return out;
}

}  // namespace reckon::layout
