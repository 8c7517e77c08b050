// Products of f64 by tensor cores (PTX ISA 9.0, 9.7.15.5: mma.sync with .f64). Each sum takes its products one after the
// other along k, every one fused and rounded to nearest: so an H200's bits are (tests/data/ptx/triton/matmul_f64).
#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "ptx/emulate/floats.h"
#include "ptx/emulate/lanes.h"
#include "ptx/emulate/mma_f64.h"

namespace reckon::ptx {
namespace {

void multiply(const Operation& operation, Warp& warp, Mask on) {
  if (!is_whole_warp(operation, warp, on)) return;
  const WideProduct p{static_cast<int>(operation.target & 0xff), static_cast<int>(operation.target >> 8)};
  const Slot* d = warp.machine().kernel().slots.data() + operation.extra;
  const Slot *a = d + p.sums(), *b = a + p.of_a(), *c = b + p.of_b();
  double x[16][16]{}, y[8][16]{}, sums[lanes_of_warp][4]{};
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    for (int i = 0; i < p.of_a(); ++i) {
      const Element at = p.element_of_a(lane, i);
      x[at.side][at.leaf] = warp.at<double>(a[i])[lane];
    }
    for (int i = 0; i < p.of_b(); ++i) {
      const Element at = p.element_of_b(lane, i);
      y[at.side][at.leaf] = warp.at<double>(b[i])[lane];
    }
    for (int i = 0; i < p.sums(); ++i) sums[lane][i] = warp.at<double>(c[i])[lane];
  }
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    for (int i = 0; i < p.sums(); ++i) {
      const Element at = element_of_sums(lane, i);
      double sum = sums[lane][i];
      for (int k = 0; k < p.k; ++k) sum = std::fma(x[at.side][k], y[at.leaf][k], sum);
      warp.at<double>(d[i])[lane] = canonical(sum);
    }
  }
}

}  // namespace

bool decode_mma_f64(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  for (const std::string_view part : one.parts)
    if (part == "rz" || part == "rm" || part == "rp") return false;
  WideProduct p;
  int columns = 0;
  if (std::sscanf(std::string(one.parts[2]).c_str(), "m%dn%dk%d", &p.rows, &columns, &p.k) != 3 || columns != 8 ||
      !(p.rows == 8 ? p.k == 4 : p.rows == 16 && (p.k == 4 || p.k == 8 || p.k == 16)))
    return false;
  operation.target = static_cast<std::uint32_t>(p.rows) | static_cast<std::uint32_t>(p.k) << 8;
  return add_fragments(decoder, operation, {p.sums(), p.of_a(), p.of_b(), p.sums()}, Type::f64) &&
         finish_product(operation, multiply);
}

}  // namespace reckon::ptx
