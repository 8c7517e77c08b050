// Copy instructions as values: which thread reads and which thread gets which bits (docs/layouts.md).
#pragma once

#include <string>
#include <vector>

#include "layout/layout.h"
#include "layout/problem.h"

namespace reckon::layout {

/// Maps (thread, value) to a number of a common order. In bits until an element type is chosen: in_elements().
struct CopyAtom {
  std::string name;         ///< CUTLASS's: SM75_U32x4_LDSM_N; universal copies: u8, u16, u32, u64, u128
  std::string instruction;  ///< PTX's: ldmatrix.sync.aligned.m8n8.x4.shared.b16
  Layout threads;           ///< logical thread to lane
  Layout source, target;
  Layout reference;  ///< the side that says which thread holds which value: a tiled copy is given in its terms
  int element_bits = 1;
};

const std::vector<std::string>& copy_atom_names();
/// The copy instruction of that name, in bits.
Result<CopyAtom> copy_atom(const std::string& name);
/// The same for elements of so many bits. Refuses elements that the instruction would split.
Result<CopyAtom> in_elements(const CopyAtom& atom, int element_bits);

}  // namespace reckon::layout
