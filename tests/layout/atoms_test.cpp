// The catalogue of atoms against the fragment formulas of the PTX ISA (9.7.14.5, "Matrix Fragments for mma.m*n*k*";
// 9.7.15.5, "Register Fragments" of wgmma; 9.7.14.5.15, ldmatrix), written down here from its text.
#include <catch2/catch.hpp>
#include <functional>
#include <map>

#include "ir/layout/atoms/copy_atom.h"
#include "ir/layout/atoms/mma_atom.h"
#include "ir/layout/atoms/shared_atom.h"
#include "ir/layout/tiled/cover.h"
#include "tests/layout/layouts.h"

using namespace reckon::layout;
using namespace reckon::layout_tests;

namespace {

struct Place {
  int row, column;
  friend bool operator==(const Place&, const Place&) = default;
};
/// Lane (of a warp; of four warps) and the i-th element of its fragment. B is K x N.
using Formula = std::function<Place(int lane, int i)>;
struct Formulas {
  Formula a, b, c;
};

Place accumulator(int lane, int i) { return {lane / 4 + (i < 2 ? 0 : 8), lane % 4 * 2 + (i & 1)}; }
Place accumulator_of_8_rows(int lane, int i) { return {lane / 4, lane % 4 * 2 + (i & 1)}; }

/// By "m16n8k16" and the bits of A's elements.
std::map<std::pair<std::string, int>, Formulas> of_warps() {
  const auto group = [](int lane) { return lane >> 2; };
  const auto thread = [](int lane) { return lane % 4; };
  std::map<std::pair<std::string, int>, Formulas> out;
  out[{"m16n8k8", 16}] = {[=](int l, int i) { return Place{group(l) + (i < 2 ? 0 : 8), thread(l) * 2 + (i & 1)}; },
                          [=](int l, int i) { return Place{thread(l) * 2 + i, group(l)}; }, accumulator};
  out[{"m16n8k16", 16}] = {
      [=](int l, int i) {
        return Place{i < 2 || (4 <= i && i < 6) ? group(l) : group(l) + 8, thread(l) * 2 + (i & 1) + (i < 4 ? 0 : 8)};
      },
      [=](int l, int i) { return Place{thread(l) * 2 + (i & 1) + (i < 2 ? 0 : 8), group(l)}; }, accumulator};
  out[{"m16n8k4", 32}] = {[=](int l, int i) { return Place{i == 0 ? group(l) : group(l) + 8, thread(l)}; },
                          [=](int l, int) { return Place{thread(l), group(l)}; }, accumulator};
  out[{"m16n8k8", 32}] = {
      [=](int l, int i) {
        return Place{i == 0 || i == 2 ? group(l) : group(l) + 8, i == 0 || i == 1 ? thread(l) : thread(l) + 4};
      },
      [=](int l, int i) { return Place{i == 0 ? thread(l) : thread(l) + 4, group(l)}; }, accumulator};
  out[{"m8n8k4", 64}] = {[=](int l, int) { return Place{group(l), thread(l)}; },
                         [=](int l, int) { return Place{thread(l), group(l)}; }, accumulator_of_8_rows};
  out[{"m16n8k4", 64}] = out[{"m16n8k4", 32}];
  out[{"m16n8k8", 64}] = out[{"m16n8k8", 32}];
  out[{"m16n8k16", 64}] = {
      [=](int l, int i) {
        return i % 2 == 0 ? Place{group(l), i * 2 + thread(l)} : Place{group(l) + 8, i * 2 - 2 + thread(l)};
      },
      [=](int l, int i) { return Place{thread(l) + i * 4, group(l)}; }, accumulator};
  out[{"m8n8k16", 8}] = {[=](int l, int i) { return Place{group(l), thread(l) * 4 + i}; },
                         [=](int l, int i) { return Place{thread(l) * 4 + i, group(l)}; }, accumulator_of_8_rows};
  out[{"m16n8k16", 8}] = {[=](int l, int i) { return Place{i < 4 ? group(l) : group(l) + 8, thread(l) * 4 + (i & 3)}; },
                          [=](int l, int i) { return Place{thread(l) * 4 + i, group(l)}; }, accumulator};
  out[{"m16n8k32", 8}] = {
      [=](int l, int i) {
        return Place{i < 4 || (8 <= i && i < 12) ? group(l) : group(l) + 8, thread(l) * 4 + (i & 3) + (i < 8 ? 0 : 16)};
      },
      [=](int l, int i) { return Place{thread(l) * 4 + (i & 3) + (i < 4 ? 0 : 16), group(l)}; }, accumulator};
  out[{"m8n8k32", 4}] = {[=](int l, int i) { return Place{group(l), thread(l) * 8 + i}; },
                         [=](int l, int i) { return Place{thread(l) * 8 + i, group(l)}; }, accumulator_of_8_rows};
  out[{"m16n8k32", 4}] = {[=](int l, int i) { return Place{i < 8 ? group(l) : group(l) + 8, thread(l) * 8 + (i & 7)}; },
                          [=](int l, int i) { return Place{thread(l) * 8 + i, group(l)}; }, accumulator};
  out[{"m16n8k64", 4}] = {
      [=](int l, int i) {
        return Place{i < 8 || (16 <= i && i < 24) ? group(l) : group(l) + 8,
                     thread(l) * 8 + (i & 7) + (i < 16 ? 0 : 32)};
      },
      [=](int l, int i) { return Place{thread(l) * 8 + (i & 7) + (i < 8 ? 0 : 32), group(l)}; }, accumulator};
  out[{"m8n8k128", 1}] = {[=](int l, int i) { return Place{group(l), thread(l) * 32 + i}; },
                          [=](int l, int i) { return Place{thread(l) * 32 + i, group(l)}; }, accumulator_of_8_rows};
  out[{"m16n8k128", 1}] = {
      [=](int l, int i) { return Place{i < 32 ? group(l) : group(l) + 8, thread(l) * 32 + (i & 31)}; },
      [=](int l, int i) { return Place{thread(l) * 32 + i, group(l)}; }, accumulator};
  out[{"m16n8k256", 1}] = {
      [=](int l, int i) {
        return Place{i < 32 || (64 <= i && i < 96) ? group(l) : group(l) + 8,
                     thread(l) * 32 + (i & 31) + (i < 64 ? 0 : 128)};
      },
      [=](int l, int i) { return Place{thread(l) * 32 + (i & 31) + (i < 32 ? 0 : 128), group(l)}; }, accumulator};
  return out;
}

/// m8n8k4 of f16, by quad pairs, of which lanes 0-3 and 16-19 are the first.
Formulas of_quad_pairs(const std::string& name) {
  const bool a_rows = name[name.size() - 2] == 'T', b_columns = name.back() == 'N';
  const auto half = [](int lane) { return lane < 16 ? 0 : 4; };
  Formulas out;
  out.a = [=](int l, int i) { return a_rows ? Place{l % 4 + half(l), i} : Place{i % 4 + half(l), l % 4}; };
  out.b = [=](int l, int i) { return b_columns ? Place{i, l % 4 + half(l)} : Place{l % 4, i + half(l)}; };
  if (name.find("_F32") != std::string::npos) {
    out.c = [=](int l, int i) { return Place{(l & 1) + (i & 2) + half(l), (i & 4) + (l & 2) + (i & 1)}; };
  } else {
    out.c = [=](int l, int i) { return Place{l % 4 + half(l), i}; };
  }
  return out;
}

/// wgmma: lane here is of four warps.
Formulas of_groups(int element_bits) {
  Formulas out;
  const auto row = [](int l) { return l / 32 * 16 + l % 32 / 4; };
  out.c = [=](int l, int i) { return Place{row(l) + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * (l % 4) + i % 2}; };
  if (element_bits == 16) out.a = out.c;
  if (element_bits == 32) out.a = [=](int l, int i) { return Place{row(l) + 8 * (i % 2), l % 4 + 4 * (i / 2)}; };
  if (element_bits == 8) {
    out.a = [=](int l, int i) { return Place{row(l) + 8 * (i / 4 % 2), 4 * (l % 4) + i % 4 + 16 * (i / 8)}; };
  }
  return out;
}

int bits_of(const std::string& type) {
  if (type == "U1") return 1;
  if (type == "S4" || type == "U4") return 4;
  if (type == "S8" || type == "U8" || type == "E4M3" || type == "E5M2") return 8;
  return type == "F64" ? 64 : type == "TF32" || type == "F32" || type == "S32" ? 32 : 16;
}

void follows(const MmaAtom& atom, const Layout& layout, const Formula& formula, bool transposed, std::int64_t rows) {
  const std::int64_t threads = layout.mode(0).size(), values = layout.mode(1).size();
  REQUIRE(threads == atom.threads.size());
  for (std::int64_t t = 0; t < threads; ++t) {
    const int lane = static_cast<int>(*atom.threads(t));
    for (std::int64_t v = 0; v < values; ++v) {
      const Place place = formula(lane, static_cast<int>(v));
      const std::int64_t index = transposed ? place.column + rows * place.row : place.row + rows * place.column;
      if (index != *layout(t + threads * v)) {
        FAIL(atom.name << ": lane " << lane << ", element " << v << " is at " << *layout(t + threads * v) << ", not "
                       << index);
      }
    }
  }
}

}  // namespace

TEST_CASE("every matrix instruction's fragments are those of the PTX ISA") {
  const auto warps = of_warps();
  std::map<std::string, int> done;
  for (const std::string& name : mma_atom_names()) {
    const auto atom = mma_atom(name);
    REQUIRE(atom);
    CAPTURE(name);
    const bool group = atom->instruction.rfind("wgmma", 0) == 0, quad_pair = name.rfind("SM70", 0) == 0;
    const std::string shape =
        "m" + std::to_string(atom->m) + "n" + std::to_string(atom->n) + "k" + std::to_string(atom->k);
    REQUIRE(atom->instruction.find("." + shape + ".") != std::string::npos);
    REQUIRE(name.find("_" + std::to_string(atom->m) + "x" + std::to_string(atom->n) + "x" + std::to_string(atom->k) +
                      "_") != std::string::npos);
    const int bits = bits_of(atom->type_a);
    if (!group && !quad_pair) REQUIRE(warps.count({shape, bits}) == 1);
    const Formulas formulas = group ? of_groups(bits) : quad_pair ? of_quad_pairs(name) : warps.at({shape, bits});
    follows(*atom, atom->c, formulas.c, false, atom->m);
    if (atom->place_a == OperandPlace::registers) follows(*atom, atom->a, formulas.a, false, atom->m);
    if (atom->place_b == OperandPlace::registers) follows(*atom, atom->b, formulas.b, true, atom->n);
    // Bijections; operands in shared memory are seen whole by every thread.
    CHECK_FALSE(partition_problem(atom->a, atom->m * atom->k));
    CHECK_FALSE(partition_problem(atom->b, atom->n * atom->k));
    CHECK_FALSE(partition_problem(atom->c, atom->m * atom->n));
    ++done[name.substr(0, 4)];
  }
  CHECK(done == std::map<std::string, int>{{"SM70", 8}, {"SM75", 2}, {"SM80", 62}, {"SM89", 8}, {"SM90", 915}});
}

TEST_CASE("matrix copies are those of the PTX ISA") {
  // ldmatrix: lane 8 j + i gives the address of row i of matrix j. Then lane l has of each matrix row l / 4, columns
  // 2 (l % 4) and the next; with .trans, column l / 4, rows 2 (l % 4) and the next.
  for (const std::string& name : copy_atom_names()) {
    const bool load = name.find("LDSM") != std::string::npos, store = name.find("STSM") != std::string::npos;
    if (!load && !store) continue;
    CAPTURE(name);
    const auto atom = in_elements(*copy_atom(name), 16);
    REQUIRE(atom);
    const bool transposed = name.back() == 'T';
    const int matrices = std::stoi(name.substr(name.find('x') + 1, 1)) / (transposed ? 2 : 1);
    CHECK(atom->instruction.find(".x" + std::to_string(matrices) + ".") != std::string::npos);
    const Layout& memory = load ? atom->source : atom->target;
    const Layout& registers = load ? atom->target : atom->source;
    REQUIRE(memory.size() == 32 * 8);
    REQUIRE(registers.size() == 32 * 2 * matrices);
    for (int lane = 0; lane < 32; ++lane) {
      for (int element = 0; element < 8 && lane < 8 * matrices; ++element) {
        REQUIRE(*memory(lane + 32 * element) == 64 * (lane / 8) + 8 * (lane % 8) + element);
      }
      for (int value = 0; value < 2 * matrices; ++value) {
        const int along = 2 * (lane % 4) + value % 2, across = lane / 4;
        const int row = transposed ? along : across, column = transposed ? across : along;
        REQUIRE(*registers(lane + 32 * value) == 64 * (value / 2) + 8 * row + column);
      }
    }
    // In bytes too, and in words where a register holds whole ones.
    CHECK(in_elements(*copy_atom(name), 8));
    CHECK(bool(in_elements(*copy_atom(name), 32)) == !transposed);
  }
  CHECK(copy_atom_names().size() == 5 + 3 + 12);
}

TEST_CASE("layouts of operands in shared memory") {
  CHECK(shared_atom("K_SW128", 16)->swizzle == Swizzle{3, 3, 3});
  CHECK(shared_atom("K_SW64", 16)->swizzle == Swizzle{2, 3, 3});
  CHECK(shared_atom("MN_SW32", 16)->layout.text() == "(16,8):(1,16)");
  CHECK(shared_atom("K_SW128", 32)->swizzle == Swizzle{3, 2, 3});
  CHECK(shared_atom("K_SW128", 8)->swizzle == Swizzle{3, 4, 3});
  CHECK(shared_atom("K_INTER", 16)->swizzle.bits == 0);
  for (const std::string& name : shared_atom_names()) {
    for (int bits : {4, 8, 16, 32, 64}) {
      // In bytes, all of one width are the same: units of 16 bytes, moved by the eight rows.
      const auto atom = shared_atom(name, bits);
      REQUIRE(atom);
      const int row_bytes = static_cast<int>(atom->layout.size()) * bits / 8 / 8;
      CHECK((16 << atom->swizzle.bits) == row_bytes);
      CHECK((std::int64_t{1} << atom->swizzle.base) * bits == 128);
    }
  }
  CHECK(shared_atom("K_SW128", 12).problem().message == "elements of `12` bits: 4, 8, 16, 32 and 64 are possible");
  CHECK(shared_atom("K_SW256", 16).problem().message == "no layout of an operand in shared memory is called `K_SW256`");
}

TEST_CASE("names that are not there: the nearest ones") {
  const auto unknown = mma_atom("SM80_16x8x16_F32F16F16F32");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.problem().message == "no matrix instruction is called `SM80_16x8x16_F32F16F16F32`");
  CHECK(unknown.problem().hint.rfind("near to it: `SM80_16x8x16_F32F16F16F32_TN`", 0) == 0);
  CHECK(copy_atom("SM75_U32x8_LDSM_N").problem().hint.find("SM75_U32x4_LDSM_N") != std::string::npos);
  CHECK(gmma_layout("CLayout_64x12").problem().kind == Problem::Kind::unknown_name);
  CHECK(gmma_layout("ALayout_64x64").problem().kind == Problem::Kind::unknown_name);
  CHECK(gmma_layout("CLayout_64x").problem().kind == Problem::Kind::unknown_name);
  CHECK(gmma_layout("CLayout_64x248")->text() == "((4,8,4),(2,2,31)):((128,1,16),(64,8,512))");
  CHECK(in_elements(*copy_atom("SM75_U16x8_LDSM_T"), 32).problem().message.rfind(
            "`SM75_U16x8_LDSM_T` does not move whole elements of `32` bits: ", 0) == 0);
}
