// Every f32 argument of the elementary functions under `interval(f32)`, compiled for the host: are its two ends f(x)
// rounded down and up? The evidence for numerics/functions/sided.h.
//
//   bench_ends RECKON [FUNCTION ...]              all functions of one operand, if none is named
//     RECKON_EVERY=1            one argument of so many
//     RECKON_FIRST=0            the first pattern
//     RECKON_THREADS=2
//
// The reference is that of exhaustive.cpp: an x87 function decides unless it is within 2^9 of its last places of an
// f32. What it leaves open is MPFR's; in long runs of such arguments (small x, where sin(x) is beside x, or tanh(x)
// beside 1) that is asked for one in 64.
#include <atomic>
#include <bit>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "bench/arguments.h"
#include "bench/kernel.h"
#include "numerics/functions/table.h"
#include "semantics/interval/compiled.h"

namespace {

using namespace reckon;
using namespace reckon::bench;

struct Endpoints {
  float low, high;
};

/// Those of the reference; nothing where they are taken on trust.
class Reference {
 public:
  explicit Reference(const Row& row) : row_(row), mpfr_(Format::f32) {}

  std::optional<Endpoints> operator()(float x, Tally& tally) {
    const long double value = row_.wide(static_cast<long double>(x));
    if (std::fabs(value) > 0x1p-120L && std::fabs(value) < 0x1.fffffep127L) {
      int exponent = 0;
      const auto significand = static_cast<std::uint64_t>(std::ldexp(std::frexp(std::fabs(value), &exponent), 64));
      const std::uint64_t dropped = significand & ((std::uint64_t{1} << 40) - 1);
      if (dropped > 512 && dropped < (std::uint64_t{1} << 40) - 512) {
        run_ = 0;
        const auto near = static_cast<float>(value);
        if (near < value) return Endpoints{near, std::nextafterf(near, HUGE_VALF)};
        return Endpoints{std::nextafterf(near, -HUGE_VALF), near};
      }
    }
    ++run_;
    if (run_ > 1000 && run_ % 64 != 0) return std::nullopt;
    ++tally.by_mpfr;
    const auto rounded = [&](mpfr_rnd_t where) {
      return static_cast<float>(mpfr_(row_, static_cast<double>(x), where));
    };
    return Endpoints{rounded(MPFR_RNDD), rounded(MPFR_RNDU)};
  }

 private:
  const Row& row_;
  Mpfr mpfr_;
  std::uint64_t run_ = 0;
};

bool has_ends(const Row& row, float x) {
  const numerics::Domain& domain = numerics::traits(row.function).domain;
  return std::isfinite(x) && (domain.low_open ? x > domain.low : x >= domain.low) &&
         (domain.high_open ? x < domain.high : x <= domain.high);
}

constexpr std::uint64_t block = 1 << 15;

Tally check(const Row& row, std::uint64_t first, std::uint64_t every) {
  codegen::CompileOptions options;
  options.semantics = &codegen::interval_f32_code();
  const Kernel kernel(row.op, ir::Scalar::f32, options);
  Tally total;
  std::mutex mutex;
  std::atomic<std::uint64_t> next{first};
  const auto work = [&] {
    Tally tally;
    Reference reference(row);
    std::vector<float> x, ends;
    for (std::uint64_t start; (start = next.fetch_add(block * every)) < std::uint64_t{1} << 32;) {
      x.clear();
      for (std::uint64_t i = start; i < start + block * every && i < std::uint64_t{1} << 32; i += every) {
        const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(i));
        if (has_ends(row, value)) x.push_back(value);
      }
      if (x.empty()) continue;
      ends.resize(2 * x.size());
      kernel(x, ends);
      for (std::size_t i = 0; i < x.size(); ++i) {
        ++tally.arguments;
        const auto expected = reference(x[i], tally);
        if (!expected || (ends[2 * i] == expected->low && ends[2 * i + 1] == expected->high)) continue;
        if (++tally.mismatches <= 3) {
          std::printf("  %s(%a): [%a, %a], should be [%a, %a]\n", row.name, static_cast<double>(x[i]),
                      static_cast<double>(ends[2 * i]), static_cast<double>(ends[2 * i + 1]),
                      static_cast<double>(expected->low), static_cast<double>(expected->high));
        }
      }
    }
    const std::scoped_lock lock(mutex);
    total.add(tally);
  };
  std::vector<std::thread> threads;
  for (std::uint64_t t = setting("RECKON_THREADS", 2); t-- > 0;) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  return total;
}

}  // namespace

int main(int argument_count, char** arguments) {
  std::uint64_t mismatches = 0;
  for (const Row& row : rows) {
    bool wanted = argument_count <= 2;
    for (int k = 2; k < argument_count; ++k) wanted |= std::strcmp(arguments[k], row.name) == 0;
    if (!wanted) continue;
    const Tally tally = check(row, setting("RECKON_FIRST", 0), setting("RECKON_EVERY", 1));
    std::printf("%-6s %11llu arguments, %9llu of them by MPFR, %llu mismatches\n", row.name,
                static_cast<unsigned long long>(tally.arguments), static_cast<unsigned long long>(tally.by_mpfr),
                static_cast<unsigned long long>(tally.mismatches));
    std::fflush(stdout);
    mismatches += tally.mismatches;
  }
  return mismatches == 0 ? 0 : 1;
}
