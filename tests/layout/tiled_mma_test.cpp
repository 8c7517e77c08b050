// Tiled matrix instructions, emulated thread by thread, against the plain product.
#include <catch2/catch.hpp>

#include "layout/tiled/cover.h"
#include "layout/tiled/mma.h"
#include "tests/layout/layouts.h"

using namespace reckon::layout;
using namespace reckon::layout_tests;

namespace {

/// The product of A (M,K) and B (N,K), with every instruction carried out as its fragments say: the operands that the
/// partitions give to the threads, and nothing else.
std::vector<std::int64_t> emulated(const TiledMma& mma, const Layout& a, const Layout& b, const Layout& c,
                                   const std::vector<std::int64_t>& a_values,
                                   const std::vector<std::int64_t>& b_values) {
  const MmaAtom& atom = mma.atom();
  const auto at = [](const std::vector<std::int64_t>& of, std::int64_t offset) {
    return of.at(static_cast<std::size_t>(offset));
  };
  std::vector<std::int64_t> out(static_cast<std::size_t>(c.size()), 0);
  const std::int64_t lanes = atom.threads.size(), groups = mma.threads() / lanes;
  const auto parts = [&](Operand operand, const Layout& tensor, std::int64_t group) {
    std::vector<Sliced> own;
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      own.push_back(must(mma.partition(operand, tensor, *mma.thr_vmnk()(lane + lanes * group))));
    }
    return own;
  };
  for (std::int64_t group = 0; group < groups; ++group) {
    const auto as = parts(Operand::a, a, group), bs = parts(Operand::b, b, group), cs = parts(Operand::c, c, group);
    const Layout &fa = as[0].layout, &fb = bs[0].layout, &fc = cs[0].layout;
    REQUIRE(fa.mode(1).size() == fc.mode(1).size());
    REQUIRE(fb.mode(1).size() == fc.mode(2).size());
    REQUIRE(fa.mode(2).size() == fb.mode(2).size());
    const std::int64_t va = fa.mode(0).size(), vb = fb.mode(0).size(), vc = fc.mode(0).size();
    const std::int64_t rest_m = fc.mode(1).size(), rest_n = fc.mode(2).size(), rest_k = fa.mode(2).size();
    for (std::int64_t m = 0; m < rest_m; ++m) {
      for (std::int64_t n = 0; n < rest_n; ++n) {
        for (std::int64_t k = 0; k < rest_k; ++k) {
          std::vector<std::int64_t> tile_a(static_cast<std::size_t>(atom.m * atom.k)),
              tile_b(static_cast<std::size_t>(atom.n * atom.k));
          for (std::int64_t lane = 0; lane < lanes; ++lane) {
            const auto l = static_cast<std::size_t>(lane);
            for (std::int64_t v = 0; v < va; ++v) {
              tile_a[static_cast<std::size_t>(*atom.a(lane + lanes * v))] =
                  at(a_values, as[l].offset + *as[l].layout(v + va * (m + rest_m * k)));
            }
            for (std::int64_t v = 0; v < vb; ++v) {
              tile_b[static_cast<std::size_t>(*atom.b(lane + lanes * v))] =
                  at(b_values, bs[l].offset + *bs[l].layout(v + vb * (n + rest_n * k)));
            }
          }
          for (std::int64_t lane = 0; lane < lanes; ++lane) {
            const auto l = static_cast<std::size_t>(lane);
            for (std::int64_t v = 0; v < vc; ++v) {
              const std::int64_t place = *atom.c(lane + lanes * v), row = place % atom.m, column = place / atom.m;
              std::int64_t sum = 0;
              for (std::int64_t i = 0; i < atom.k; ++i)
                sum += at(tile_a, row + atom.m * i) * at(tile_b, column + atom.n * i);
              out[static_cast<std::size_t>(cs[l].offset + *cs[l].layout(v + vc * (m + rest_m * n)))] += sum;
            }
          }
        }
      }
    }
  }
  return out;
}

struct Case {
  const char *atom, *atoms;
  std::array<std::optional<Layout>, 3> tile;
  std::array<std::int64_t, 3> sizes;
};

}  // namespace

TEST_CASE("a matrix product by the partitions of tiled instructions is the plain one") {
  const auto one = [](const char* text) { return std::optional<Layout>(layout_from(text)); };
  const std::vector<Case> cases{
      {"SM80_16x8x16_F32F16F16F32_TN", "(2,2,1):(1,2,0)", {one("32:1"), one("32:1"), one("16:1")}, {64, 64, 32}},
      {"SM80_16x8x16_F32BF16BF16F32_TN", "(2,2):(2,1)", {}, {32, 32, 48}},
      {"SM80_16x8x8_F32TF32TF32F32_TN", "(1,2,2):(0,1,2)", {}, {32, 32, 32}},
      {"SM80_8x8x4_F64F64F64F64_TN", "(2,1,1):(1,0,0)", {one("(8,2):(2,1)"), {}, {}}, {32, 16, 8}},
      {"SM70_8x8x4_F32F16F16F32_NT", "(2,2):(2,1)", {one("(4,4,2):(1,8,4)"), one("32:1"), one("4:1")}, {64, 32, 8}},
      {"SM70_8x8x4_F16F16F16F16_TN", "(4,1):(1,0)", {}, {32, 16, 8}},
      {"SM89_16x8x32_F32E4M3E5M2F32_TN", "(1,1,1):(0,0,0)", {}, {16, 16, 64}},
      {"SM90_64x16x16_F32F16F16_SS", "(2,1,1):(1,0,0)", {}, {128, 32, 16}},
  };
  std::mt19937_64 random(41);
  for (const Case& one_case : cases) {
    const TiledMma mma =
        must(TiledMma::make(must(mma_atom(one_case.atom)), layout_from(one_case.atoms), one_case.tile));
    const auto [m, n, k] = one_case.sizes;
    for (const bool by_rows : {true, false}) {
      const auto tensor = [&](std::int64_t rows, std::int64_t columns) {
        return by_rows ? row_major(rows, columns) : *Layout::compact_left(std::vector<IntTuple>{rows, columns});
      };
      const Layout a = tensor(m, k), b = tensor(n, k), c = tensor(m, n);
      std::vector<std::int64_t> a_values, b_values, wanted(static_cast<std::size_t>(c.size()));
      for (std::int64_t i = 0; i < a.size(); ++i) a_values.push_back(static_cast<std::int64_t>(random() % 100));
      for (std::int64_t i = 0; i < b.size(); ++i) b_values.push_back(static_cast<std::int64_t>(random() % 100));
      for (std::int64_t row = 0; row < m; ++row) {
        for (std::int64_t column = 0; column < n; ++column) {
          std::int64_t sum = 0;
          for (std::int64_t i = 0; i < k; ++i) {
            const std::int64_t left = by_rows ? row * k + i : row + m * i,
                               right = by_rows ? column * k + i : column + n * i;
            sum += a_values[static_cast<std::size_t>(left)] * b_values[static_cast<std::size_t>(right)];
          }
          wanted[static_cast<std::size_t>(by_rows ? row * n + column : row + m * column)] = sum;
        }
      }
      CAPTURE(one_case.atom, one_case.atoms, by_rows);
      // An array compared whole: Catch prints nothing of it.
      const bool same = emulated(mma, a, b, c, a_values, b_values) == wanted;
      CHECK(same);
    }
  }
}

TEST_CASE("thread-value layouts of tiled instructions are the partitions of the tile, and cover it") {
  for (const char* atoms :
       {"(2,2,1):(1,2,0)", "(2,2,1):(2,1,0)", "(4,1,1):(1,0,0)", "(1,2,2):(0,1,2)", "(2,3,1):(3,1,0)"}) {
    for (const char* name :
         {"SM80_16x8x16_F32F16F16F32_TN", "SM70_8x8x4_F32F16F16F32_NT", "SM80_8x8x4_F64F64F64F64_TN"}) {
      // Six quad pairs are no whole warps.
      if (std::string(atoms) == "(2,3,1):(3,1,0)" && std::string(name).rfind("SM70", 0) == 0) continue;
      const TiledMma mma = must(TiledMma::make(must(mma_atom(name)), layout_from(atoms)));
      for (Operand operand : {Operand::a, Operand::b, Operand::c}) {
        CAPTURE(atoms, name, static_cast<int>(operand));
        const Layout layout = must(mma.thread_value(operand));
        const Layout tile = *Layout::compact_left(mma.tile(operand));
        CHECK(layout.mode(0).size() == mma.threads());
        const auto problem = partition_problem(layout, tile.size());
        if (problem) FAIL(problem->message);
        const std::int64_t values = layout.mode(1).size();
        for (std::int64_t thread = 0; thread < mma.threads(); ++thread) {
          const Sliced own = must(mma.partition(operand, tile, thread));
          REQUIRE(own.layout.size() == values);
          for (std::int64_t value = 0; value < values; ++value) {
            REQUIRE(*layout(thread + mma.threads() * value) == own.offset + *own.layout(value));
          }
        }
      }
    }
  }
}

TEST_CASE("what cannot be tiled is refused, with the mode and the sizes") {
  const MmaAtom atom = must(mma_atom("SM80_16x8x16_F32F16F16F32_TN"));
  const auto refused = [&](const char* atoms, std::array<std::optional<Layout>, 3> tile = {}) {
    const auto made = TiledMma::make(atom, layout_from(atoms), tile);
    REQUIRE_FALSE(made);
    return made.problem().message;
  };
  CHECK(refused("(2,2,1,1):(1,2,0,0)") == "`(2,2,1,1):(1,2,0,0)` has 4 modes, and atoms are laid out along M, N and K");
  CHECK(refused("(2,2,1):(1,1,0)").rfind("atoms laid out as `(2,2,1):(1,1,0)` do not have `4` numbers from 0 on", 0) ==
        0);
  CHECK(refused("(2,2,1):(1,4,0)").rfind("atoms laid out as `(2,2,1):(1,4,0)` do not have `4` numbers from 0 on", 0) ==
        0);
  CHECK(refused("(2,2,1):(1,2,0)", {layout_from("48:1"), {}, {}}) ==
        "the tile's mode M, `48:1`, has `48` elements, no multiple of `32`: `2` atoms of `16`");
  CHECK(refused("(2,2,1):(1,2,0)", {layout_from("(16,2):(1,8)"), {}, {}})
            .rfind("the tile's mode M, `(16,2):(1,8)`, is no permutation: ", 0) == 0);
  const auto pairs = TiledMma::make(must(mma_atom("SM70_8x8x4_F16F16F16F16_TN")), layout_from("2:1"));
  CHECK(pairs.problem().message ==
        "the threads of `2` atoms of `(4,2):(1,16)`, `((4,2),2,1,1):((1,16),4,0,0)`, are not `0` to `15`");
  CHECK(pairs.problem().hint == "as many atoms as make whole warps");
  const TiledMma mma = must(TiledMma::make(atom, layout_from("(2,2,1):(1,2,0)")));
  CHECK(mma.thrfrg(Operand::a, row_major(40, 16)).problem().message ==
        "mode 0 of `(40,16):(16,1)` has `40` elements, no multiple of the tile's `32`");
  CHECK(mma.thrfrg(Operand::a, layout_from("64:1")).problem().message == "`64:1` has not the two modes of an operand");
  CHECK(mma.partition(Operand::a, row_major(32, 16), 128).problem().message ==
        "there is no thread `128`: there are `128`");
}
