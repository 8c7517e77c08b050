// printf in kernels (CUDA C++ Programming Guide, "Formatted Output"): the format is C's. Values lie one after the
// other, each at a multiple of its size; floats have become doubles.
#include "ptx/emulate/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>

namespace reckon::ptx {
namespace {

constexpr std::size_t most_text = 4096;        // of a format, and of a text that it names
constexpr std::size_t most_printed = 1 << 20;  // of a launch: as on a GPU, the rest is lost
constexpr int most_width = 512;

/// The memory of one lane.
class LaneMemory {
 public:
  LaneMemory(const Operation& operation, Warp& warp, int lane) : operation_(operation), warp_(warp), lane_(lane) {}

  /// Nothing after a fault.
  template <class T>
  std::optional<T> value(std::uint64_t address) {
    Access access;
    access.space = Space::generic;
    access.bytes = sizeof(T);
    const Reached reached = warp_.reach(operation_, access, address, lane_, false);
    if (reached.data == nullptr) return std::nullopt;
    T out;
    std::memcpy(&out, reached.data, sizeof out);
    return out;
  }
  std::optional<std::string> text(std::uint64_t address) {
    std::string out;
    while (out.size() < most_text) {
      const auto c = value<char>(address++);
      if (!c) return std::nullopt;
      if (*c == 0) break;
      out += *c;
    }
    return out;
  }

 private:
  const Operation& operation_;
  Warp& warp_;
  int lane_;
};

/// `%-5.2lf`: what stands between the percent sign and the letter, without the size; the size in bytes.
struct Conversion {
  std::string form;
  char letter = 0;
  std::size_t bytes = 4;
};
std::optional<Conversion> conversion_at(const std::string& format, std::size_t& at) {
  Conversion out;
  const auto take_number = [&] {
    int number = 0;
    for (; at < format.size() && format[at] >= '0' && format[at] <= '9' && number <= most_width; ++at) {
      number = 10 * number + format[at] - '0';
      out.form += format[at];
    }
    return number <= most_width;
  };
  while (at < format.size() && std::strchr("-+ #0", format[at]) != nullptr) out.form += format[at++];
  if (!take_number()) return std::nullopt;
  if (at < format.size() && format[at] == '.') {
    out.form += format[at++];
    if (!take_number()) return std::nullopt;
  }
  for (; at < format.size() && std::strchr("hljztL", format[at]) != nullptr; ++at)
    if (format[at] != 'h' && format[at] != 'L') out.bytes = 8;
  if (at >= format.size() || std::strchr("diouxXcsfFeEgGaAp", format[at]) == nullptr) return std::nullopt;
  out.letter = format[at++];
  if (std::strchr("fFeEgGaAsp", out.letter) != nullptr) out.bytes = 8;
  return out;
}

template <class T>
std::string formatted(const std::string& form, T value) {
  char room[most_text + most_width];
  const int length = std::snprintf(room, sizeof room, form.c_str(), value);
  return {room, static_cast<std::size_t>(std::clamp(length, 0, static_cast<int>(sizeof room) - 1))};
}

/// Nothing after a fault.
std::optional<std::string> shown(LaneMemory& memory, const Conversion& c, std::uint64_t address) {
  const std::string begin = "%" + c.form;
  if (c.letter == 's') {
    const auto at = memory.value<std::uint64_t>(address);
    const auto text = at ? memory.text(*at) : std::nullopt;
    return text ? std::optional(formatted(begin + "s", text->c_str())) : std::nullopt;
  }
  if (std::strchr("fFeEgGaA", c.letter) != nullptr) {
    const auto value = memory.value<double>(address);
    return value ? std::optional(formatted(begin + c.letter, *value)) : std::nullopt;
  }
  std::optional<long long> value;
  if (c.bytes == 8) value = memory.value<long long>(address);
  else if (const auto narrow = memory.value<int>(address))
    value = std::strchr("ouxX", c.letter) != nullptr ? static_cast<long long>(static_cast<unsigned>(*narrow))
                                                     : static_cast<long long>(*narrow);
  if (!value) return std::nullopt;
  if (c.letter == 'c') return formatted(begin + "c", static_cast<int>(*value));
  if (c.letter == 'p') return fmt::format("0x{:x}", static_cast<unsigned long long>(*value));
  return formatted(begin + "ll" + c.letter, *value);
}

/// Nothing after a fault.
std::optional<std::string> printed(LaneMemory& memory, std::uint64_t format_address, std::uint64_t values) {
  const auto format = memory.text(format_address);
  if (!format) return std::nullopt;
  std::string out;
  for (std::size_t at = 0; at < format->size();) {
    const char c = (*format)[at++];
    if (c != '%') {
      out += c;
      continue;
    }
    if (at < format->size() && (*format)[at] == '%') {
      out += (*format)[at++];
      continue;
    }
    const auto conversion = conversion_at(*format, at);
    if (!conversion) return out + format->substr(at - 1);  // as it stands
    values = (values + conversion->bytes - 1) / conversion->bytes * conversion->bytes;
    const auto text = shown(memory, *conversion, values);
    if (!text) return std::nullopt;
    out += *text;
    values += conversion->bytes;
  }
  return out;
}

}  // namespace

void fail_assertion(const Operation& operation, Warp& warp, Mask on) {
  const Call& call = warp.machine().kernel().calls[operation.extra];
  const int lane = std::countr_zero(on);
  LaneMemory memory(operation, warp, lane);
  const auto text = [&](std::size_t argument) {
    return memory.text(warp.at<std::uint64_t>(call.arguments[argument])[lane]);
  };
  const auto condition = text(0), file = text(1), function = text(3);
  if (!condition || !file || !function) return;  // a fault of its own
  warp.machine().fault(operation, warp,
                       fmt::format("lane {}: the assertion `{}` of `{}` does not hold ({}:{})", lane, *condition,
                                   *function, *file, warp.at<std::uint32_t>(call.arguments[2])[lane]));
}

void print(const Operation& operation, Warp& warp, Mask on) {
  const Call& call = warp.machine().kernel().calls[operation.extra];
  std::string& all = warp.machine().report().printed;
  for (; on != 0; on &= on - 1) {
    const int lane = std::countr_zero(on);
    LaneMemory memory(operation, warp, lane);
    const auto text = printed(memory, warp.at<std::uint64_t>(call.arguments[0])[lane],
                              warp.at<std::uint64_t>(call.arguments[1])[lane]);
    if (!text) return;
    if (all.size() + text->size() <= most_printed) all += *text;
    if (!call.results.empty() && call.result_bytes[0] == 4) {
      const std::int32_t count = static_cast<std::int32_t>(text->size());
      std::memcpy(warp.at<std::uint8_t>(call.results[0]) + lane * 4, &count, 4);
    }
  }
}

}  // namespace reckon::ptx
