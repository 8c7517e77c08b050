#include "numerics/chips/chip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <string_view>

#include "numerics/arrays.h"

namespace reckon::numerics {
namespace {

constexpr std::string_view mark = "reckon approximate tables: ";
constexpr std::array<std::string_view, 4> names{"ex2", "rcp", "rsqrt", "sqrt"};
constexpr std::uint32_t one = 0x3f800000, fractions = 1u << 23;
constexpr int lanes = Chip::most;
constexpr float infinity = std::numeric_limits<float>::infinity();

std::size_t size_of(std::size_t function) {
  return function < static_cast<std::size_t>(Tabled::rsqrt) ? fractions : std::size_t{2} * fractions;
}

float taken(float x, bool flushes) { return flushes && std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; }

/// The NaN that instructions of a GPU give (PTX ISA, "Floating Point Instructions").
float canonical(float x) { return x != x ? std::bit_cast<float>(0x7fffffffu) : x; }

template <class F>
void for_lanes(std::uint32_t on, F&& f) {
  for (int k = 0; k < lanes; ++k) {
    if ((on >> k & 1) != 0) f(k);
  }
}

/// A positive or negative number as fraction, of 23 bits, times a power of two; subnormal ones, too.
struct Parts {
  std::uint32_t fraction = 0;
  int exponent = 0;
};
Parts parts_of(float x) {
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(static_cast<double>(x)), &exponent);
  return {static_cast<std::uint32_t>(std::ldexp(fraction, 24)) & (fractions - 1), exponent - 1};
}

}  // namespace

// The tables of the H200, as bytes of the program.
extern "C" const char reckon_h200_tables[], reckon_h200_tables_end[];
asm(R"(
  .pushsection .rodata
  .globl reckon_h200_tables, reckon_h200_tables_end
reckon_h200_tables:
  .incbin ")" RECKON_H200_TABLES R"("
reckon_h200_tables_end:
  .popsection
)");

std::shared_ptr<const Chip> Chip::named(std::string_view name) {
  if (name != "h200") return nullptr;
  static const std::shared_ptr<const Chip> h200 = [] {
    std::istringstream in(std::string(reckon_h200_tables, reckon_h200_tables_end));
    std::string problem;
    return read(in, "h200", problem);
  }();
  return h200;
}

std::shared_ptr<const Chip> Chip::read(const std::string& path, std::string& problem) {
  if (auto known = named(path)) return known;
  std::ifstream in(path, std::ios::binary);
  return read(in, path, problem);
}

std::shared_ptr<const Chip> Chip::read(std::istream& in, const std::string& path, std::string& problem) {
  std::string line;
  if (!in || !std::getline(in, line)) {
    problem = fmt::format("`{}` is no chip whose tables are known, as `h200` is, and no file that can be read", path);
    return nullptr;
  }
  const auto wrong = [&](const std::string& what) {
    problem = fmt::format("`{}` has no tables of approximate instructions: {}", path, what);
    return nullptr;
  };
  if (!line.starts_with(mark)) return wrong("it does not begin as such a file does");
  auto made = std::make_shared<Chip>();
  made->name_ = line.substr(mark.size());
  while (std::getline(in, line)) {
    const std::size_t first = line.find(' '), second = line.find(' ', first + 1);
    std::size_t function = 0;
    while (function < names.size() && names[function] != line.substr(0, first)) ++function;
    if (second == std::string::npos || function == names.size()) return wrong(fmt::format("`{}`", line.substr(0, 40)));
    const unsigned long count = std::strtoul(line.c_str() + first, nullptr, 10),
                        bytes = std::strtoul(line.c_str() + second, nullptr, 10);
    if (count != size_of(function) || bytes > count) return wrong(fmt::format("`{}` has another size", names[function]));
    std::vector<std::uint8_t> packed(bytes), table(count);
    in.read(reinterpret_cast<char*>(packed.data()), static_cast<std::streamsize>(bytes));
    uLongf size = count;
    if (!in || uncompress(table.data(), &size, packed.data(), bytes) != Z_OK || size != count)
      return wrong(fmt::format("the table of `{}` is damaged", names[function]));
    made->tables_[function] = std::move(table);
  }
  return made;
}

void Chip::look_up(Tabled function, const std::uint32_t* fraction, double* out) const {
  const auto& table = tables_[static_cast<std::size_t>(function)];
  float x[lanes], nearest[lanes];
  for (int k = 0; k < lanes; ++k) x[k] = std::bit_cast<float>(one + fraction[k]);
  if (function == Tabled::ex2) elementary_array(Function::exp2, Format::f32, x, nearest, lanes);
  if (function == Tabled::rsqrt) elementary_array(Function::rsqrt, Format::f32, x, nearest, lanes);
  for (int k = 0; k < lanes; ++k) {
    if (function == Tabled::rcp) nearest[k] = 1 / x[k];
    if (function == Tabled::sqrt) nearest[k] = __builtin_sqrtf(x[k]);
    out[k] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(nearest[k]) + table[fraction[k]] - 128);
  }
}

// The argument becomes a whole number and a fraction of 23 bits, of its magnitude the nearest towards 0; of negative
// numbers with a fraction, the fraction's bits are inverted, and the whole number is one less.
void Chip::ex2(const float* x, float* out, std::uint32_t on, bool flushes) const {
  std::uint32_t fraction[lanes] = {};
  int whole[lanes] = {};
  for_lanes(on, [&](int k) {
    // Without .ftz, small results are squares of those of half the number.
    const double scaled = !flushes && x[k] < -126 ? 0.5 * x[k] : x[k];
    if (!(std::fabs(scaled) < 1024)) return;
    const auto fixed = static_cast<std::int64_t>(std::fabs(scaled) * fractions);
    fraction[k] = static_cast<std::uint32_t>(fixed) & (fractions - 1);
    whole[k] = static_cast<int>(fixed >> 23);
    if (scaled >= 0) return;
    whole[k] = fraction[k] == 0 ? -whole[k] : -whole[k] - 1;
    fraction[k] = fraction[k] == 0 ? 0 : fractions - 1 - fraction[k];
  });
  double looked[lanes];
  look_up(Tabled::ex2, fraction, looked);
  for_lanes(on, [&](int k) {
    float made = static_cast<float>(std::ldexp(looked[k], whole[k] - 1));
    if (!flushes && x[k] < -126) made *= made;
    if (x[k] >= 128) made = infinity;
    if (x[k] <= -1024) made = 0;
    out[k] = canonical(x[k] != x[k] ? x[k] : taken(made, flushes));
  });
}

void Chip::rcp(const float* x, float* out, std::uint32_t on, bool flushes) const {
  std::uint32_t fraction[lanes] = {};
  int exponent[lanes] = {};
  for_lanes(on, [&](int k) {
    const Parts parts = parts_of(std::isfinite(x[k]) ? x[k] : 1);
    fraction[k] = parts.fraction;
    exponent[k] = parts.exponent;
  });
  double looked[lanes];
  look_up(Tabled::rcp, fraction, looked);
  for_lanes(on, [&](int k) {
    const float own = taken(x[k], flushes);
    float made = taken(static_cast<float>(std::ldexp(looked[k], -exponent[k])), flushes);
    if (own == 0) made = infinity;
    if (std::isinf(own)) made = 0;
    out[k] = canonical(own != own ? own : std::copysign(made, own));
  });
}

void Chip::root(Tabled function, const float* x, float* out, std::uint32_t on, bool flushes) const {
  std::uint32_t fraction[lanes] = {};
  int half[lanes] = {};
  for_lanes(on, [&](int k) {
    const Parts parts = parts_of(std::isfinite(x[k]) ? x[k] : 1);
    const int odd = parts.exponent & 1;
    fraction[k] = parts.fraction + (odd != 0 ? fractions : 0);
    half[k] = (parts.exponent - odd) / 2;
  });
  double looked[lanes];
  look_up(function, fraction, looked);
  const bool inverts = function == Tabled::rsqrt;
  for_lanes(on, [&](int k) {
    const float own = taken(x[k], flushes);
    float made = taken(static_cast<float>(std::ldexp(looked[k], inverts ? -half[k] : half[k])), flushes);
    if (std::isinf(own)) made = inverts ? 0 : infinity;
    if (own < 0) made = std::numeric_limits<float>::quiet_NaN();
    if (own == 0) made = std::copysign(inverts ? infinity : 0.0f, own);
    out[k] = canonical(own != own ? own : made);
  });
}
void Chip::rsqrt(const float* x, float* out, std::uint32_t on, bool flushes) const {
  root(Tabled::rsqrt, x, out, on, flushes);
}
void Chip::sqrt(const float* x, float* out, std::uint32_t on, bool flushes) const {
  root(Tabled::sqrt, x, out, on, flushes);
}

// A product with the divisor's reciprocal. div.full makes large divisors smaller before, and without .ftz small ones
// larger; div.approx without .ftz flushes reciprocals that are subnormal.
void Chip::div(const float* x, const float* y, float* out, std::uint32_t on, bool flushes, bool full) const {
  float a[lanes] = {}, b[lanes] = {}, inverse[lanes] = {};
  for_lanes(on, [&](int k) {
    a[k] = taken(x[k], flushes);
    b[k] = taken(y[k], flushes);
    const float size = std::fabs(b[k]);
    const float factor = full && size > 0x1p126f ? 0.25f : !flushes && size < 0x1p-126f ? 0x1p24f : 1.0f;
    a[k] = taken(a[k] * factor, flushes);
    b[k] = taken(b[k] * factor, flushes);
  });
  rcp(b, inverse, on, flushes || !full);
  for_lanes(on, [&](int k) { out[k] = canonical(taken(a[k] * inverse[k], flushes)); });
}

}  // namespace reckon::numerics
