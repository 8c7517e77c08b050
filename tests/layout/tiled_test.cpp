// Tiled matrix instructions and copies: emulated thread by thread, against the plain product and the plain tile.
#include <catch2/catch.hpp>
#include <map>

#include "ir/layout/tiled/copy.h"
#include "ir/layout/tiled/cover.h"
#include "ir/layout/tiled/mma.h"
#include "tests/layout/layouts.h"

using namespace reckon::layout;
using namespace reckon::layout_tests;

namespace {

template <class T>
T must(const Result<T>& result) {
  if (!result) FAIL(result.problem().message);
  return *result;
}

Layout row_major(std::int64_t rows, std::int64_t columns) {
  return *Layout::make(std::vector<IntTuple>{rows, columns}, std::vector<IntTuple>{columns, 1});
}

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

TEST_CASE("tiled copies move what they say") {
  const TiledMma mma =
      must(TiledMma::make(must(mma_atom("SM80_16x8x16_F32F16F16F32_TN")), layout_from("(2,2,1):(1,2,0)"),
                          {layout_from("32:1"), layout_from("32:1"), layout_from("16:1")}));
  const auto of = [](const char* name) { return must(in_elements(must(copy_atom(name)), 16)); };
  std::vector<TiledCopy> copies{
      must(TiledCopy::make(of("u128"), layout_from("(16,8):(8,1)"), layout_from("(1,8):(0,1)"))),
      must(TiledCopy::make(of("u64"), layout_from("(32,4):(4,1)"), layout_from("(2,4):(4,1)"))),
      must(TiledCopy::make(of("u16"), layout_from("(4,8):(1,4)"), layout_from("(3,2):(2,1)"))),
      must(TiledCopy::make(of("SM75_U32x4_LDSM_N"), mma, Operand::a)),
      must(TiledCopy::make(of("SM75_U32x4_LDSM_N"), mma, Operand::b)),
      must(TiledCopy::make(of("SM75_U32x2_LDSM_N"), mma, Operand::a)),
      must(TiledCopy::make(of("SM75_U32x1_LDSM_N"), mma, Operand::b)),
      must(TiledCopy::make(of("SM90_U32x4_STSM_N"), mma, Operand::c)),
      must(TiledCopy::make(of("SM90_U16x8_STSM_T"), mma, Operand::c))};
  for (const TiledCopy& copy : copies) {
    CAPTURE(copy.atom().name, copy.thread_value().text());
    const Layout source = must(copy.source()), target = must(copy.target());
    const CopyAtom& atom = copy.atom();
    const std::int64_t size = *product(copy.tile()), threads = copy.threads();
    REQUIRE(source.mode(0).size() == threads);
    REQUIRE(target.mode(0).size() == threads);
    // One instruction takes the element at place p of the common order from who has p to who gets p; `from` is where in
    // the tile that is, by (p, which instruction).
    const std::int64_t lanes = atom.reference.mode(0).size(), groups = threads / lanes;
    std::map<std::array<std::int64_t, 3>, std::int64_t> from;
    const auto each = [&](const Layout& side, const Layout& of_atom, const auto& action) {
      const std::int64_t own = of_atom.mode(1).size(), rest = side.mode(1).size() / own;
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        for (std::int64_t group = 0; group < groups; ++group) {
          for (std::int64_t value = 0; value < own; ++value) {
            for (std::int64_t r = 0; r < rest; ++r) {
              action(std::array{*of_atom(lane + lanes * value), group, r},
                     *side(lane + lanes * group + threads * (value + own * r)));
            }
          }
        }
      }
    };
    each(source, atom.source, [&](const auto& place, std::int64_t element) {
      REQUIRE(element < size);
      const auto [known, fresh] = from.emplace(place, element);
      REQUIRE((fresh || known->second == element));
    });
    each(target, atom.target, [&](const auto& place, std::int64_t element) {
      REQUIRE(from.count(place) == 1);
      REQUIRE(from.at(place) == element);
    });
    // The side of the reference is what was asked for.
    const bool store = atom.name.find("STSM") != std::string::npos;
    CHECK((store ? source : target) == copy.thread_value());
    // Partitions of a tensor of 2 x 3 tiles: the tile's part, moved.
    const std::int64_t rows = *product(copy.tile().elements()[0]), columns = *product(copy.tile().elements()[1]);
    const Layout tensor = row_major(2 * rows, 3 * columns);
    for (std::int64_t thread : {std::int64_t{0}, threads / 2, threads - 1}) {
      const Sliced part = must(copy.partition_source(tensor, thread));
      const std::int64_t own = source.mode(1).size();
      REQUIRE(part.layout.size() == own * 6);
      for (std::int64_t value = 0; value < own; ++value) {
        const std::int64_t element = *source(thread + threads * value);
        for (std::int64_t tile = 0; tile < 6; ++tile) {
          const std::int64_t row = element % rows + rows * (tile % 2), column = element / rows + columns * (tile / 2);
          REQUIRE(part.offset + *part.layout(value + own * tile) == row * 3 * columns + column);
        }
      }
    }
  }
}

TEST_CASE("thread-value layouts that are no partition name the threads and the element") {
  const auto why = [](const char* layout, std::int64_t size) {
    return partition_problem(layout_from(layout), size)->message;
  };
  CHECK_FALSE(partition_problem(layout_from("(4,2):(2,1)"), 8));
  CHECK_FALSE(partition_problem(layout_from("((4,8),2):((0,2),1)"), 16));
  CHECK(why("(4,2):(1,3)", 8) ==
        "element `3` has two owners in `(4,2):(1,3)`: value `0` of thread `3` and value `1` of thread `0`");
  CHECK(why("(4,2):(1,4)", 6) == "value `1` of thread `2` in `(4,2):(1,4)` is element `6`, outside of the tile's `6`");
  CHECK(why("(4,2):(1,4)", 9) == "no thread owns element `8` of the tile's `9` in `(4,2):(1,4)`");
  CHECK(why("4:-1", 4) == "value `0` of thread `1` in `4:-1` is element `-1`, outside of the tile's `4`");
  std::mt19937_64 random(42);
  Random layouts(42);
  int partitions = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const Layout layout = layouts.draw();
    const std::int64_t size = 1 + static_cast<std::int64_t>(random() % 16);
    CAPTURE(layout.text(), size);
    // Copies aside, every element of 0..size-1 is there exactly once.
    std::map<std::int64_t, int> times;
    std::int64_t copies = 1;
    const auto extents = layout.shape().leaves(), strides = layout.stride().leaves();
    for (std::size_t k = 0; k < extents.size(); ++k) copies *= strides[k] == 0 ? extents[k] : 1;
    for (std::int64_t value : table(layout)) ++times[value];
    bool whole = static_cast<std::int64_t>(times.size()) == size;
    for (const auto& [element, count] : times) whole = whole && element >= 0 && element < size && count == copies;
    REQUIRE(!partition_problem(layout, size) == whole);
    partitions += whole;
  }
  CHECK(partitions > 50);
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

  const CopyAtom wide = must(in_elements(must(copy_atom("u128")), 16));
  CHECK(TiledCopy::make(wide, layout_from("(16,8):(8,1)"), layout_from("(1,4):(0,1)")).problem().message ==
        "`u128` takes `8` values at a time, and there are `4`");
  const CopyAtom matrices = must(in_elements(must(copy_atom("SM75_U32x4_LDSM_N")), 16));
  CHECK(TiledCopy::make(matrices, layout_from("(4,12):(12,1)"), layout_from("(1,8):(0,1)")).problem().message ==
        "`SM75_U32x4_LDSM_N` takes `32` threads at a time, and there are `48`");
  CHECK(TiledCopy::make(wide, layout_from("(4,8):(1,3)"), IntTuple({25, 1})).problem().kind == Problem::Kind::overlap);
  CHECK_FALSE(TiledCopy::make(wide, layout_from("(16,8):(8,2)"), layout_from("(1,8):(0,1)")));
  const TiledCopy copy = must(TiledCopy::make(wide, layout_from("(16,8):(8,1)"), layout_from("(1,8):(0,1)")));
  CHECK(copy.partition_source(row_major(16, 60), 0).problem().message ==
        "mode 1 of `(16,60):(60,1)` has `60` elements, no multiple of the tile's `64`");
}
