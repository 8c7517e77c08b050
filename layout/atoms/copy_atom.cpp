#include "layout/atoms/copy_atom.h"

#include <algorithm>

#include "layout/atoms/build.h"
#include "layout/atoms/names.h"
#include "layout/cast.h"

namespace reckon::layout {
namespace {

/// Each thread copies its own elements.
CopyAtom thread_copy(std::string name, std::string instruction, std::int64_t bits) {
  const Layout all = thread_value_layout({{1, 0}}, {{bits, 1}});
  return {std::move(name), std::move(instruction), *Layout::make(1, 0), all, all, all};
}

/// The addresses in shared memory of ldmatrix and stmatrix: lane 8 j + i has row i of matrix j. If there are fewer than
/// four matrices, the lanes past them repeat these rows.
Layout matrix_addresses(std::int64_t matrices) {
  const std::int64_t lanes = 8 * matrices;
  if (matrices == 4) return thread_value_layout({{32, 128}}, {{128, 1}});
  return thread_value_layout({{lanes, 128}, {32 / lanes, 0}}, {{128, 1}});
}

/// The registers: of each matrix, lane l has one register, the l-th 32 bits, which are pair l % 4 of row l /
/// 4.
Layout matrix_registers(std::int64_t matrices) {
  if (matrices == 1) return thread_value_layout({{32, 32}}, {{32, 1}});
  return thread_value_layout({{32, 32}}, {{32, 1}, {matrices, 1024}});
}

/// Transposed: lane l has column l / 4 of the matrix, rows 2 (l % 4) and the next.
Layout transposed_registers(std::int64_t matrices) {
  std::vector<AtomLeaf> values{{16, 1}, {2, 128}};
  if (matrices > 1) values.push_back({matrices, 1024});
  return thread_value_layout({{4, 256}, {8, 16}}, values);
}

const std::vector<CopyAtom>& all_copy_atoms() {
  static const std::vector<CopyAtom> atoms = [] {
    std::vector<CopyAtom> out;
    for (std::int64_t bits : {8, 16, 32, 64, 128}) {
      out.push_back(thread_copy("u" + std::to_string(bits), "ld, st", bits));
    }
    for (std::int64_t bits : {32, 64, 128}) {
      out.push_back(thread_copy("cp_async_u" + std::to_string(bits), "cp.async.ca.shared.global", bits));
    }
    const Layout warp = *Layout::make(32, 1);
    for (const bool transposed : {false, true}) {
      for (std::int64_t matrices : {1, 2, 4}) {
        const std::string count = std::to_string(matrices), pairs = std::to_string(2 * matrices);
        const Layout registers = transposed ? transposed_registers(matrices) : matrix_registers(matrices);
        const std::string unit = transposed ? "U16x" + pairs : "U32x" + count, end = transposed ? "_T" : "_N";
        const std::string variant = ".sync.aligned.m8n8.x" + count + (transposed ? ".trans" : "") + ".shared.b16";
        const Layout memory = matrix_addresses(matrices);
        out.push_back({"SM75_" + unit + "_LDSM" + end, "ldmatrix" + variant, warp, memory, registers, registers});
        out.push_back({"SM90_" + unit + "_STSM" + end, "stmatrix" + variant, warp, registers, memory, registers});
      }
    }
    return out;
  }();
  return atoms;
}

}  // namespace

const std::vector<std::string>& copy_atom_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const CopyAtom& atom : all_copy_atoms()) out.push_back(atom.name);
    return out;
  }();
  return names;
}

Result<CopyAtom> copy_atom(const std::string& name) {
  for (const CopyAtom& atom : all_copy_atoms()) {
    if (atom.name == name) return atom;
  }
  return unknown_name("copy instruction", name, copy_atom_names());
}

Result<CopyAtom> in_elements(const CopyAtom& atom, int element_bits) {
  CopyAtom out = atom;
  for (Layout* layout : {&out.source, &out.target, &out.reference}) {
    const auto cast = recast(*layout, atom.element_bits, element_bits);
    const std::string refusal =
        "`" + atom.name + "` does not move whole elements of `" + std::to_string(element_bits) + "` bits: ";
    if (!cast) return Problem{cast.problem().kind, refusal + cast.problem().message};
    if (cast->mode(0).size() != layout->mode(0).size() ||
        cast->size() * element_bits != layout->size() * atom.element_bits) {
      return Problem{Problem::Kind::not_divisible, refusal + "those of one are shared by several threads"};
    }
    *layout = *cast;
  }
  out.element_bits = element_bits;
  return out;
}

}  // namespace reckon::layout
