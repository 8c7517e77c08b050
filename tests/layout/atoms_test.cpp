// The catalogue of atoms against the PTX ISA: fragments by the formulas of ptx_fragments.h, matrix copies here.
#include <catch2/catch.hpp>
#include <map>

#include "layout/atoms/copy_atom.h"
#include "layout/atoms/mma_atom.h"
#include "layout/atoms/shared_atom.h"
#include "layout/tiled/cover.h"
#include "tests/layout/layouts.h"
#include "tests/layout/ptx_fragments.h"

using namespace reckon::layout;
using namespace reckon::layout_tests;

namespace {

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
  CHECK(in_elements(*copy_atom("SM75_U16x8_LDSM_T"), 32)
            .problem()
            .message.rfind("`SM75_U16x8_LDSM_T` does not move whole elements of `32` bits: ", 0) == 0);
}
