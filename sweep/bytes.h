// Numbers and texts as bytes, for messages between ranks and for restart files. A reader of damaged bytes gives zeros
// and says so; it never reads beyond them.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace reckon::sweep {

class Writer {
 public:
  void number(std::uint64_t value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void number(std::int64_t value) { number(static_cast<std::uint64_t>(value)); }
  void real(double value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void truth(bool value) { bytes += value ? '\1' : '\0'; }
  void text(std::string_view value) {
    number(static_cast<std::uint64_t>(value.size()));
    bytes += value;
  }
  std::string bytes;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t number() { return plain<std::uint64_t>(); }
  std::int64_t integer() { return static_cast<std::int64_t>(number()); }
  double real() { return plain<double>(); }
  bool truth() { return plain<char>() != 0; }
  std::string text() {
    const std::uint64_t size = number();
    if (size > bytes_.size()) good_ = false;
    if (!good_) return {};
    std::string value(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return value;
  }
  /// How many items follow, each of which takes at least one byte.
  std::uint64_t count() {
    const std::uint64_t value = number();
    if (value > bytes_.size()) good_ = false;
    return good_ ? value : 0;
  }
  /// Whether everything that was asked for was there.
  bool good() const { return good_; }
  bool at_end() const { return bytes_.empty(); }

 private:
  template <class T>
  T plain() {
    T value{};
    if (sizeof value > bytes_.size()) good_ = false;
    if (!good_) return value;
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
    return value;
  }
  std::string_view bytes_;
  bool good_ = true;
};

/// FNV-1a (Fowler, Noll, Vo), 64 bits. `before` is the hash of what precedes the bytes.
constexpr std::uint64_t empty_hash = 0xcbf29ce484222325;
inline std::uint64_t hashed(std::string_view bytes, std::uint64_t before = empty_hash) {
  for (const char each : bytes) before = (before ^ static_cast<unsigned char>(each)) * 0x100000001b3;
  return before;
}

}  // namespace reckon::sweep
