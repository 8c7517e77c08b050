// Every f32, f16 and bf16 argument of the elementary functions: the evidence for numerics/functions/.
//
//   bench_exhaustive RECKON [FUNCTION ...]        all functions, if none is named
//     RECKON_SLICES=64          of 2^26 f32 arguments each; every function's slices that the log lacks are checked
//     RECKON_EVERY=1            one argument of so many
//     RECKON_THREADS=2
//     RECKON_LOG=exhaustive.log a line for each slice done: what is there is not done again
//
// Checked is the code compiled for the host, and the interpreter's against it. The reference shares nothing with them:
// glibc's x87 functions, whose documented errors are a few units in the 64th bit, decide unless they are within 2^9 such
// units of a rounding boundary; what they leave open, subnormal results and the 16-bit formats are MPFR's, which rounds
// correctly.
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "bench/arguments.h"
#include "bench/kernel.h"
#include "numerics/arrays.h"
#include "numerics/format.h"

namespace {

using namespace reckon;
using namespace reckon::bench;

float reference(const Row& row, float x, Mpfr& mpfr, Tally& tally) {
  const long double value = row.wide(static_cast<long double>(x));
  if (value != value) return std::numeric_limits<float>::quiet_NaN();
  if (value == 0 || std::isinf(value)) return static_cast<float>(value);
  if (std::fabs(value) > 0x1p-120L && std::fabs(value) < 0x1.fffffep127L) {
    int exponent = 0;
    const auto significand = static_cast<std::uint64_t>(std::ldexp(std::frexp(std::fabs(value), &exponent), 64));
    const auto dropped = static_cast<std::int64_t>(significand & ((std::uint64_t{1} << 40) - 1));
    const std::int64_t from_boundary = dropped - (std::int64_t{1} << 39);
    if (from_boundary > 512 || from_boundary < -512) return static_cast<float>(value);
  }
  ++tally.by_mpfr;
  return static_cast<float>(mpfr(row, static_cast<double>(x)));
}

constexpr std::uint64_t block = 1 << 16;

Tally check_f32(const Row& row, const bench::Kernel& kernel, std::uint64_t begin, std::uint64_t end, std::uint64_t every) {
  Tally total;
  std::mutex mutex;
  std::atomic<std::uint64_t> next{begin};
  auto work = [&] {
    Tally tally;
    Mpfr mpfr(Format::f32);
    std::vector<float> x, compiled, interpreted;
    for (std::uint64_t start; (start = next.fetch_add(block * every)) < end;) {
      x.clear();
      for (std::uint64_t i = start; i < start + block * every && i < end; i += every) {
        x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(i)));
      }
      compiled.resize(x.size());
      interpreted.resize(x.size());
      kernel(x, compiled);
      numerics::elementary_array(row.function, Format::f32, x.data(), interpreted.data(), x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        const float expected = reference(row, x[i], mpfr, tally);
        const auto bits = std::bit_cast<std::uint32_t>(expected);
        ++tally.arguments;
        tally.checksum += (bits ^ 0x9e3779b97f4a7c15u) * (2 * (start + i * every) + 1);
        auto same = [&](float result) {
          return std::bit_cast<std::uint32_t>(result) == bits || (expected != expected && result != result);
        };
        if (same(compiled[i]) && same(interpreted[i])) continue;
        if (++tally.mismatches <= 3) {
          std::printf("  %s(%a): %a compiled, %a interpreted, should be %a\n", row.name, static_cast<double>(x[i]),
                      static_cast<double>(compiled[i]), static_cast<double>(interpreted[i]),
                      static_cast<double>(expected));
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

Tally check_16(const Row& row, Format format) {
  const bench::Kernel kernel(row.op, format == Format::f16 ? ir::Scalar::f16 : ir::Scalar::bf16);
  Tally tally;
  Mpfr mpfr(format);
  std::vector<std::uint16_t> x(65536), compiled(x.size()), interpreted(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::uint16_t>(i);
  kernel(x, compiled);
  numerics::elementary_array(row.function, format, x.data(), interpreted.data(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint64_t expected = numerics::round_f64(mpfr(row, numerics::widen(i, format)), format);
    ++tally.arguments;
    ++tally.by_mpfr;
    tally.checksum += (expected ^ 0x9e3779b97f4a7c15u) * (2 * i + 1);
    auto same = [&](std::uint64_t bits) {
      return bits == expected || (numerics::is_nan(bits, format) && numerics::is_nan(expected, format));
    };
    if (same(compiled[i]) && same(interpreted[i])) continue;
    if (++tally.mismatches <= 3) {
      std::printf("  %s of %04zx: %04x compiled, %04x interpreted, should be %04llx\n", row.name, i, compiled[i],
                  interpreted[i], static_cast<unsigned long long>(expected));
    }
  }
  return tally;
}

}  // namespace

int main(int argument_count, char** arguments) {
  const std::uint64_t slices = setting("RECKON_SLICES", 64), every = setting("RECKON_EVERY", 1);
  const char* log_name = std::getenv("RECKON_LOG");
  const std::string log_path = log_name ? log_name : "exhaustive.log";
  std::set<std::string> done;
  std::ifstream log(log_path);
  for (std::string line; std::getline(log, line);) done.insert(line.substr(0, line.find(':')));
  std::uint64_t mismatches = 0;
  for (const Row& row : rows) {
    bool wanted = argument_count <= 2;
    for (int k = 2; k < argument_count; ++k) wanted |= std::strcmp(arguments[k], row.name) == 0;
    if (!wanted) continue;
    Tally total;
    auto report = [&](const std::string& what, const Tally& tally) {
      total.add(tally);
      std::ofstream(log_path, std::ios::app)
          << what << ": " << tally.arguments << " arguments, " << tally.by_mpfr << " by MPFR, " << tally.mismatches
          << " mismatches, checksum " << std::hex << tally.checksum << "\n";
    };
    for (const Format format : {Format::f16, Format::bf16}) {
      const std::string what = std::string(row.name) + " " + std::string(numerics::traits(format).name);
      if (!done.count(what)) report(what, check_16(row, format));
    }
    std::optional<bench::Kernel> kernel;
    for (std::uint64_t slice = 0; slice < slices; ++slice) {
      const std::string what = std::string(row.name) + " f32 1/" + std::to_string(every) + " slice " +
                               std::to_string(slice) + " of " + std::to_string(slices);
      if (done.count(what)) continue;
      if (!kernel) kernel.emplace(row.op, ir::Scalar::f32);
      const std::uint64_t size = (std::uint64_t{1} << 32) / slices;
      report(what, check_f32(row, *kernel, slice * size, slice + 1 == slices ? std::uint64_t{1} << 32 : (slice + 1) * size, every));
    }
    std::printf("%-6s %11llu arguments, %9llu of them by MPFR, %llu mismatches, checksum %016llx\n", row.name,
                static_cast<unsigned long long>(total.arguments), static_cast<unsigned long long>(total.by_mpfr),
                static_cast<unsigned long long>(total.mismatches), static_cast<unsigned long long>(total.checksum));
    std::fflush(stdout);
    mismatches += total.mismatches;
  }
  return mismatches == 0 ? 0 : 1;
}
