// Where the f64s are that the lanes of a warp hold together (PTX ISA 9.0, 9.7.15.5, "Matrix Fragments for mma.m8n8k4 with
// .f64", "... mma.m16n8k4, m16n8k8, m16n8k16").
#pragma once

#include "ptx/emulate/tensor_core.h"

namespace reckon::ptx {

/// An operation's `target` has the rows in its lower 8 bits and k above. The slots are those of d, a, b and c.
struct WideProduct {
  int rows = 8, k = 4;
  int sums() const { return rows / 4; }
  int of_a() const { return rows * k / lanes_of_warp; }
  int of_b() const { return 8 * k / lanes_of_warp; }
  Element element_of_a(int lane, int i) const {
    const int halves = rows / 8;
    return {(lane >> 2) + 8 * (i % halves), (lane & 3) + 4 * (i / halves)};
  }
  Element element_of_b(int lane, int i) const { return {lane >> 2, (lane & 3) + 4 * i}; }
};

bool decode_mma_f64(Decoder& decoder, Operation& operation);

}  // namespace reckon::ptx
