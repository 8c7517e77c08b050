// Matrix instructions as values: which thread holds which elements (docs/layouts.md; PTX ISA, "Matrix Fragments").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layout/layout.h"
#include "layout/problem.h"

namespace reckon::layout {

/// Where an instruction takes an operand from.
enum class OperandPlace { registers, shared };

/// D = A B + C of M x N x K. A thread-value layout maps (thread, value) to the column-major index of a tile: (M,K) for
/// A, (N,K) for B, (M,N) for C and D. All threads see the whole tile of an operand in shared memory: thread stride 0.
struct MmaAtom {
  std::string name;         ///< CUTLASS's: SM80_16x8x16_F32F16F16F32_TN
  std::string instruction;  ///< PTX's: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
  std::int64_t m, n, k;
  std::string type_d, type_a, type_b, type_c;
  OperandPlace place_a = OperandPlace::registers, place_b = OperandPlace::registers;
  Layout threads;  ///< logical thread to lane (of a quad pair, a warp or a warp group)
  Layout a, b, c;

  /// "(16,8,16)"
  IntTuple shape_mnk() const;
};

/// All of them, by architecture.
const std::vector<std::string>& mma_atom_names();
/// By CUTLASS's name. A refusal lists the nearest names.
Result<MmaAtom> mma_atom(const std::string& name);

/// Named pieces of the warp-group instructions: CLayout_64x128, ALayout_64x16, ABLayout_128x16 (all threads see it).
Result<Layout> gmma_layout(const std::string& name);

}  // namespace reckon::layout
