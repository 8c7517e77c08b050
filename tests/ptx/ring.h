// Bodies of kernels of one block that are followed in fpsan's ring, and what the ring makes of patterns.
#pragma once

#include <string>
#include <vector>

#include "numerics/fpsan_native.h"
#include "ptx/shadow/ring.h"
#include "tests/ptx/launched.h"

namespace reckon::ptx::testing {

namespace fpsan = numerics::fpsan;
using Ring = fpsan::Operation;

inline const std::string header_of_body =
    ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
    ".reg .b64 from, to, d1, d2, d3, at; .reg .b32 r1, r2, r3, r4; .reg .f32 f1, f2, f3; .reg .b16 h1, h2, h3, h4; "
    ".reg "
    ".pred p;\nld.param.u64 from, [in]; ld.param.u64 to, [out];\n";

struct RingOutcome {
  std::vector<std::uint32_t> words;
  std::string text;
};

/// Runs a body with inputs of a format; the output has 64 words of 32 bits.
template <class T>
RingOutcome run_body(const std::string& body, const std::vector<T>& inputs, numerics::Format format, std::uint32_t threads = 1,
                 bool races = true) {
  Launcher gpu(header_of_body + body + "\nret;\n}\n");
  gpu.approximates_nearest = true;
  RingValues values(fpsan::now);
  LaunchOptions options = shape(1, threads);
  options.values = &values;
  options.finds_races = races;
  const std::uint64_t in = gpu.put(inputs), out = gpu.put(std::vector<std::uint32_t>(64, 0));
  gpu.mark(in, format, values);
  const LaunchReport report = gpu.run("k", options, in, out);
  return {gpu.get<std::uint32_t>(out, 64), Launcher::text(report)};
}

inline std::uint64_t in_ring(Ring operation, numerics::Format format, std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0) {
  const auto payload = [&](std::uint64_t carrier) { return fpsan::fpsan_embed(carrier, format); };
  return fpsan::fpsan_unembed(fpsan::fpsan_apply(operation, format, payload(a), payload(b), payload(c)), format);
}
inline std::uint64_t cast(std::uint64_t carrier, numerics::Format from, numerics::Format to) {
  return fpsan::fpsan_unembed(fpsan::fpsan_cast(fpsan::fpsan_embed(carrier, from), from, to), to);
}

inline std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

}  // namespace reckon::ptx::testing
