// What tests/gpu/atoms.cu and banks.cu take from the layouts: golden headers, so that hardware is always shown what the
// layouts say now.
#include <catch2/catch.hpp>

#include "layout/atoms/mma_atom.h"
#include "layout/atoms/shared_atom.h"
#include "layout/memory/report.h"
#include "tests/layout/layouts.h"
#include "tests/support/golden.h"

using namespace reckon::layout;
using namespace reckon::layout_tests;

namespace {

/// `{{{4,32},{8,1},{1,0}},{{2,16},{2,8},{1,0}}}`
std::string fragment(const Layout& layout) {
  std::string out;
  for (std::size_t mode = 0; mode < 2; ++mode) {
    auto extents = layout.mode(mode).shape().leaves(), strides = layout.mode(mode).stride().leaves();
    REQUIRE(extents.size() <= 3);
    extents.resize(3, 1);
    strides.resize(3, 0);
    out += mode == 0 ? "{{" : ", {";
    for (std::size_t k = 0; k < 3; ++k) {
      out += (k == 0 ? "{" : ", {") + std::to_string(extents[k]) + ", " + std::to_string(strides[k]) + "}";
    }
    out += "}";
  }
  return out + "}";
}

/// D of n columns in f32, A and B of f16 or bf16 from shared memory or A from registers.
std::string group_instruction(int n, const std::string& type, bool from_registers) {
  std::string places, operands;
  const int registers = n / 2;
  for (int k = 0; k < registers; ++k) {
    places += (k == 0 ? "%" : ",%") + std::to_string(k);
    operands += (k == 0 ? "\"+f\"(d[" : ", \"+f\"(d[") + std::to_string(k) + "])";
  }
  int next = registers;
  const auto place = [&next] { return "%" + std::to_string(next++); };
  std::string a = place();
  if (from_registers) {
    a = "{" + a;
    for (int k = 1; k < 4; ++k) a += "," + place();
    a += "}";
  }
  const std::string b = place(), predicate = place();
  return "__device__ inline void wgmma_64x" + std::to_string(n) + "x16(float (&d)[" + std::to_string(registers) +
         "], " + (from_registers ? "const unsigned (&a)[4]" : "unsigned long long a") +
         ", unsigned long long b, int add, " + type + ") {\n  asm volatile(\"{ .reg .pred p; setp.ne.b32 p, " +
         predicate + ", 0; wgmma.mma_async.sync.aligned.m64n" + std::to_string(n) + "k16.f32." +
         (type == "Half" ? "f16.f16" : "bf16.bf16") + " \"\n      \"{" + places + "}, " + a + ", " + b + ", p, 1, 1, " +
         (from_registers ? "0" : "0, 0") + "; }\"\n      : " + operands +
         "\n      : " + (from_registers ? "\"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3])" : "\"l\"(a)") +
         ", \"l\"(b), \"r\"(add));\n}\n";
}

struct Pattern {
  const char* name;
  Layout lanes;  ///< to offsets in elements
  Swizzle swizzle;
  Access access;
};

}  // namespace

TEST_CASE("tables of the atoms for the GPU") {
  std::string out =
      "// Written by tests/layout/gpu_tables_test.cpp from the catalogue of atoms; for tests/gpu/atoms.cu.\n"
      "// A fragment maps (thread, value) to the column-major index in the tile: extents and strides of three digits "
      "each.\n"
      "#pragma once\n\nstruct Leaf {\n  int extent, stride;\n};\nstruct Fragment {\n  Leaf thread[3], value[3];\n};\n"
      "// Of 16-bit elements in shared memory, rows of K: `bits` units of 16 bytes change places, XOR the row.\n"
      "struct SharedTile {\n  const char* name;\n  int rows, columns, row_stride, column_stride;\n"
      "  int bits, base, shift;\n};\nstruct Half {};\nstruct Brain {};\n\n";
  const auto add = [&](const std::string& name, const Layout& layout) {
    out += "// " + layout.text() + "\nconst Fragment " + name + " = " + fragment(layout) + ";\n";
  };
  for (const auto& [name, atom_name] :
       std::vector<std::pair<std::string, std::string>>{{"f16_16x8x16", "SM80_16x8x16_F32F16F16F32_TN"},
                                                        {"bf16_16x8x16", "SM80_16x8x16_F32BF16BF16F32_TN"},
                                                        {"tf32_16x8x8", "SM80_16x8x8_F32TF32TF32F32_TN"},
                                                        {"f64_8x8x4", "SM80_8x8x4_F64F64F64F64_TN"}}) {
    const auto atom = mma_atom(atom_name);
    add(name + "_a", atom->a);
    add(name + "_b", atom->b);
    add(name + "_c", atom->c);
  }
  const std::vector<int> sizes{8, 24, 64, 128, 256};
  for (int n : sizes) {
    add("wgmma_64x" + std::to_string(n) + "x16_c", mma_atom("SM90_64x" + std::to_string(n) + "x16_F32F16F16_SS")->c);
  }
  add("wgmma_64x64x16_a", mma_atom("SM90_64x64x16_F32F16F16_RS")->a);
  out += "\nconst SharedTile shared_tiles[] = {\n";
  for (const char* name : {"K_INTER", "K_SW32", "K_SW64", "K_SW128"}) {
    const auto atom = shared_atom(name, 16);
    const auto extents = atom->layout.shape().leaves(), strides = atom->layout.stride().leaves();
    out += "    {\"" + std::string(name) + "\", " + std::to_string(extents[0]) + ", " + std::to_string(extents[1]) +
           ", " + std::to_string(strides[0]) + ", " + std::to_string(strides[1]) + ", " +
           std::to_string(atom->swizzle.bits) + ", " + std::to_string(atom->swizzle.base) + ", " +
           std::to_string(atom->swizzle.shift) + "},\n";
  }
  out += "};\n\n";
  for (int n : sizes) out += group_instruction(n, "Half", false) + group_instruction(n, "Brain", false);
  out += group_instruction(64, "Half", true);
  reckon::test::check_golden("layout/gpu_atoms.h", out);
}

TEST_CASE("tables of the access patterns for the GPU") {
  const Access f32{}, f32x2{.vector = 2}, f32x4{.vector = 4}, f64{.element_bytes = 8};
  const Access rows{.element_bytes = 2, .instruction = Instruction::ldmatrix};
  const std::vector<Pattern> patterns{
      {"4 bytes, neighbours", layout_from("32:1"), {}, f32},
      {"4 bytes, one word for all", layout_from("32:0"), {}, f32},
      {"4 bytes, stride 2", layout_from("32:2"), {}, f32},
      {"4 bytes, stride 4", layout_from("32:4"), {}, f32},
      {"4 bytes, stride 8", layout_from("32:8"), {}, f32},
      {"4 bytes, column of 32x32", layout_from("32:32"), {}, f32},
      {"4 bytes, column padded to 33", layout_from("32:33"), {}, f32},
      {"4 bytes, column swizzled Sw<5,0,5>", layout_from("32:32"), {5, 0, 5}, f32},
      {"8 bytes, neighbours", layout_from("32:1"), {}, f64},
      {"8 bytes, stride 2", layout_from("32:2"), {}, f64},
      {"8 bytes, stride 8", layout_from("32:8"), {}, f64},
      {"8 bytes, mma fragment in rows of 64", layout_from("(4,8):(2,64)"), {}, f32x2},
      {"8 bytes, mma fragment in rows of 72", layout_from("(4,8):(2,72)"), {}, f32x2},
      {"16 bytes, neighbours", layout_from("32:4"), {}, f32x4},
      {"16 bytes, stride 2", layout_from("32:8"), {}, f32x4},
      {"16 bytes, rows of 128 bytes", layout_from("32:32"), {}, f32x4},
      {"16 bytes, rows of 128 bytes swizzled", layout_from("32:32"), {3, 2, 3}, f32x4},
      {"16 bytes, pairs of lanes alike", layout_from("(2,16):(0,4)"), {}, f32x4},
      {"ldmatrix, rows of 32 bytes", layout_from("32:16"), {}, rows},
      {"ldmatrix, rows of 32 bytes swizzled", layout_from("32:16"), {1, 3, 3}, rows},
      {"ldmatrix, rows of 128 bytes", layout_from("32:64"), {}, rows},
      {"ldmatrix, rows of 128 bytes swizzled", layout_from("32:64"), {3, 3, 3}, rows},
      {"ldmatrix, rows padded to 144 bytes", layout_from("32:72"), {}, rows},
  };
  std::string out =
      "// Written by tests/layout/gpu_tables_test.cpp; for tests/gpu/banks.cu: byte addresses of 32 lanes, and the\n"
      "// wavefronts that the model of layout/memory/ gives them.\n#pragma once\n\n"
      "struct Pattern {\n  const char* name;\n  int width;  // bytes of a lane\n  bool matrix;  // ldmatrix, stmatrix\n"
      "  int wavefronts, phases;\n  int addresses[32];\n};\n\nconst Pattern patterns[] = {\n";
  for (const Pattern& pattern : patterns) {
    Offsets table = *offsets(pattern.lanes);
    table.threads = 32;
    table.values = 1;
    for (std::int64_t& offset : table.table) offset = pattern.swizzle(offset);
    const auto result = report(table, pattern.access);
    if (!result) FAIL(result.problem().message);
    const int bytes = pattern.access.element_bytes;
    out += "    {\"" + std::string(pattern.name) + "\", " + std::to_string(result->access.vector * bytes) + ", " +
           (pattern.access.instruction == Instruction::plain ? "false" : "true") + ", " +
           std::to_string(result->wavefronts) + ", " + std::to_string(result->phases) + ",\n     {";
    for (std::size_t lane = 0; lane < 32; ++lane) {
      out += (lane == 0 ? "" : lane % 16 == 0 ? ",\n      " : ", ") + std::to_string(table.table[lane] * bytes);
    }
    out += "}},\n";
  }
  reckon::test::check_golden("layout/gpu_banks.h", out + "};\n");
}
