// What approximate instructions on f32 give on one GPU: tables that were measured there
// (tests/gpu/approximate_tables.py), and how the instructions are made of them.
//
// A file of tables is the line `reckon approximate tables: NAME`, and for each of `ex2`, `rcp`, `rsqrt` and `sqrt` that
// was measured a line `FUNCTION COUNT BYTES` and so many bytes: a zlib stream of COUNT bytes. Byte k says how far the
// result for the f32 with the pattern 0x3f800000 + k is from the nearest number, in units of the last place, plus 128.
// COUNT is 2^23, which is [1, 2), and 2^24 for the roots, which is [1, 4).
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace reckon::numerics {

/// Functions that have tables. Quotients (div.approx, div.full) are products with `rcp`.
enum class Tabled : std::uint8_t { ex2, rcp, rsqrt, sqrt };

class Chip {
 public:
  static constexpr int most = 32;  ///< numbers to a call of the functions below

  /// The chip whose tables are part of the program, or null: `h200` is the only one.
  static std::shared_ptr<const Chip> named(std::string_view name);
  /// A chip by its name, else from the file of this path. Null, with what is wrong in `problem`, if that cannot be read.
  static std::shared_ptr<const Chip> read(const std::string& path, std::string& problem);

  const std::string& name() const { return name_; }  ///< of the chip
  bool has(Tabled function) const { return !tables_[static_cast<std::size_t>(function)].empty(); }

  // What the instructions give; `flushes`: with .ftz. Each was compared with an H200 on 98,304 random operands of all
  // magnitudes. Elements `on` has a bit for are wanted; the others are any numbers.
  void ex2(const float* x, float* out, std::uint32_t on, bool flushes) const;
  void rcp(const float* x, float* out, std::uint32_t on, bool flushes) const;
  void rsqrt(const float* x, float* out, std::uint32_t on, bool flushes) const;
  void sqrt(const float* x, float* out, std::uint32_t on, bool flushes) const;
  /// `full`: div.full, else div.approx.
  void div(const float* x, const float* y, float* out, std::uint32_t on, bool flushes, bool full) const;

 private:
  static std::shared_ptr<const Chip> read(std::istream& in, const std::string& path, std::string& problem);
  /// What the function gives on [1, 2) or [1, 4), for fractions of 23 bits, and 1 at 2^23; `most` at once.
  void look_up(Tabled function, const std::uint32_t* fractions, double* out) const;
  void root(Tabled function, const float* x, float* out, std::uint32_t on, bool flushes) const;

  std::string name_;
  std::array<std::vector<std::uint8_t>, 4> tables_;
};

}  // namespace reckon::numerics
