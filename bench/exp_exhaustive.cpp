// Checks exp on every f32, f16 and bf16 argument: the evidence for numerics/exp.h.
//
//   exp_exhaustive [STRIDE]      STRIDE: 1 (all 2^32 f32 patterns, minutes) or every so manieth
//
// The reference shares nothing with the code under test. Where the result is a normal f32 it is x87's 64-bit expl
// (glibc, error about one unit in the 64th bit), unless that lies within 2^8 of such units of a midpoint between
// floats; there, for all subnormal results, and for the 16-bit formats it is MPFR, which rounds correctly.
#include <mpfr.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <thread>
#include <vector>

#include "numerics/arrays.h"
#include "numerics/format.h"
#include "numerics/native.h"

namespace {

using reckon::numerics::Format;

/// exp through MPFR at the format's own precision and exponent range: one correct rounding.
class MpfrExp {
 public:
  explicit MpfrExp(Format format) {
    const auto format_traits = reckon::numerics::traits(format);
    mpfr_init2(argument_, 53);
    mpfr_init2(result_, format_traits.precision);
    // MPFR's significands are in [1/2, 1). The range is this thread's own.
    mpfr_set_emin(format_traits.emin - format_traits.precision + 2);
    mpfr_set_emax(format_traits.emax + 1);
  }
  MpfrExp(const MpfrExp&) = delete;
  MpfrExp& operator=(const MpfrExp&) = delete;
  ~MpfrExp() {
    mpfr_clear(argument_);
    mpfr_clear(result_);
  }

  double operator()(double x) {
    // An argument may lie outside of the result's range (bf16's do not); set_d does not check, exp does.
    mpfr_set_d(argument_, x, MPFR_RNDN);
    const int ternary = mpfr_exp(result_, argument_, MPFR_RNDN);
    mpfr_subnormalize(result_, ternary, MPFR_RNDN);
    return mpfr_get_d(result_, MPFR_RNDN);
  }

 private:
  mpfr_t argument_;
  mpfr_t result_;
};

struct Tally {
  std::uint64_t checked = 0;
  std::uint64_t by_mpfr = 0;
  std::uint64_t mismatches = 0;
};

float reference(float x, MpfrExp& mpfr, Tally& tally) {
  if (x != x) return x;
  if (x > 89.0f) return std::numeric_limits<float>::infinity();
  if (x < -104.0f) return 0.0f;               // exp(-104) < 2^-150, half of the least subnormal
  if (std::fabs(x) < 0x1p-26f) return 1.0f;   // and 1 - 2^-25, 1 + 2^-24 are the midpoints around 1
  if (x > -87.0f) {
    const long double value = expl(static_cast<long double>(x));
    int exponent = 0;
    const auto significand = static_cast<std::uint64_t>(std::ldexp(std::frexp(value, &exponent), 64));
    const std::int64_t dropped = static_cast<std::int64_t>(significand & ((std::uint64_t{1} << 40) - 1));
    const std::int64_t from_midpoint = dropped - (std::int64_t{1} << 39);
    if (from_midpoint > 256 || from_midpoint < -256) return static_cast<float>(value);
  }
  ++tally.by_mpfr;
  return static_cast<float>(mpfr(static_cast<double>(x)));
}

constexpr std::uint64_t block = 1 << 16;

Tally check_f32_blocks(std::atomic<std::uint64_t>& next, std::uint64_t stride) {
  Tally tally;
  MpfrExp mpfr(Format::f32);
  std::vector<float> arguments, results;
  for (std::uint64_t start; (start = next.fetch_add(block * stride)) < (std::uint64_t{1} << 32);) {
    arguments.clear();
    for (std::uint64_t i = start; i < start + block * stride && i < (std::uint64_t{1} << 32); i += stride) {
      arguments.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(i)));
    }
    results.resize(arguments.size());
    reckon::numerics::exp_f32(arguments.data(), results.data(), arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const float expected = reference(arguments[i], mpfr, tally);
      ++tally.checked;
      const bool both_nan = expected != expected && results[i] != results[i];
      if (both_nan || std::bit_cast<std::uint32_t>(expected) == std::bit_cast<std::uint32_t>(results[i])) continue;
      if (++tally.mismatches <= 10) {
        std::printf("  exp(%a) = %a, should be %a\n", static_cast<double>(arguments[i]),
                    static_cast<double>(results[i]), static_cast<double>(expected));
      }
    }
  }
  return tally;
}

Tally check_f32(std::uint64_t stride) {
  constexpr unsigned thread_count = 2;
  std::atomic<std::uint64_t> next{0};
  Tally tallies[thread_count];
  std::vector<std::thread> threads;
  for (Tally& tally : tallies) threads.emplace_back([&] { tally = check_f32_blocks(next, stride); });
  Tally total;
  for (unsigned i = 0; i < thread_count; ++i) {
    threads[i].join();
    total.checked += tallies[i].checked;
    total.by_mpfr += tallies[i].by_mpfr;
    total.mismatches += tallies[i].mismatches;
  }
  return total;
}

Tally check_16_bits(Format format) {
  Tally tally;
  MpfrExp mpfr(format);
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto pattern = static_cast<std::uint16_t>(bits);
    std::uint16_t result = 0;
    std::uint16_t from_array = 0;
    if (format == Format::f16) {
      result = reckon::numerics::exp_f16(pattern);
      reckon::numerics::exp_f16(&pattern, &from_array, 1);
    } else {
      result = reckon::numerics::exp_bf16(pattern);
      reckon::numerics::exp_bf16(&pattern, &from_array, 1);
    }
    const double x = reckon::numerics::widen(bits, format);
    const std::uint64_t expected = reckon::numerics::round_f64(mpfr(x), format);
    ++tally.checked;
    ++tally.by_mpfr;
    if (expected == result && expected == from_array) continue;
    if (++tally.mismatches <= 10) {
      std::printf("  exp(%a) = %04x, %04x, should be %04x\n", x, result, from_array, static_cast<unsigned>(expected));
    }
  }
  return tally;
}

bool report(const char* name, const Tally& tally, std::chrono::steady_clock::time_point start) {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%-5s %11llu arguments, %9llu of them by MPFR, %llu mismatches, %.1f s\n", name,
              static_cast<unsigned long long>(tally.checked), static_cast<unsigned long long>(tally.by_mpfr),
              static_cast<unsigned long long>(tally.mismatches), seconds);
  std::fflush(stdout);
  return tally.mismatches == 0;
}

}  // namespace

int main(int argument_count, char** arguments) {
  const std::uint64_t stride = argument_count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1;
  bool all_equal = true;
  for (const Format format : {Format::f16, Format::bf16}) {
    const auto start = std::chrono::steady_clock::now();
    all_equal &= report(reckon::numerics::traits(format).name.data(), check_16_bits(format), start);
  }
  const auto start = std::chrono::steady_clock::now();
  all_equal &= report("f32", check_f32(stride == 0 ? 1 : stride), start);
  return all_equal ? 0 : 1;
}
