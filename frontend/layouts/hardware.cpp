#include <algorithm>

#include "frontend/layouts/functions.h"
#include "ir/layout/atoms/copy_atom.h"
#include "ir/layout/atoms/mma_atom.h"
#include "ir/layout/atoms/shared_atom.h"
#include "ir/layout/memory/mend.h"
#include "ir/layout/memory/report.h"
#include "ir/layout/tiled/copy.h"
#include "ir/layout/tiled/mma.h"

namespace reckon::frontend::layout_functions {

using layout::AnyLayout;
using layout::BitMatrix;
using layout::Composed;
using layout::IntTuple;
using layout::Layout;
using layout::Problem;
using layout::Result;
using layout::Swizzle;
using layout::Tiler;
using Int = std::int64_t;

namespace {

// ------------------------------------------------------------------------------------------------ instructions

Result<layout::Operand> operand_named(const std::string& name) {
  if (name == "A") return layout::Operand::a;
  if (name == "B") return layout::Operand::b;
  if (name == "C" || name == "D") return layout::Operand::c;
  return Problem{Problem::Kind::rank, "there is no operand `" + name + "`", "`\"A\"`, `\"B\"` or `\"C\"`"};
}

Result<Layout> mma(const std::string& name, const std::string& operand) {
  auto atom = layout::mma_atom(name);
  if (!atom) return atom.problem();
  auto which = operand_named(operand);
  if (!which) return which.problem();
  return *which == layout::Operand::a ? atom->a : *which == layout::Operand::b ? atom->b : atom->c;
}

Result<Layout> tiled(const std::string& name, const Layout& atoms, const std::string& operand,
                     std::array<std::optional<Layout>, 3> tile) {
  auto atom = layout::mma_atom(name);
  if (!atom) return atom.problem();
  auto made = layout::TiledMma::make(*atom, atoms, std::move(tile));
  if (!made) return made.problem();
  if (operand == "threads") return made->thr_vmnk();
  auto which = operand_named(operand);
  if (!which) return which.problem();
  return made->thread_value(*which);
}

Result<Layout> tiled_mma(const std::string& name, const Layout& atoms, const std::string& operand) {
  return tiled(name, atoms, operand, {});
}

Result<Layout> tiled_mma_of(const std::string& name, const Layout& atoms, const std::string& operand,
                            const Tiler& tile) {
  std::array<std::optional<Layout>, 3> modes;
  if (!tile.is_tuple() || tile.rank() != 3) {
    return Problem{Problem::Kind::rank, "`tiled_mma`: the tile has " + std::to_string(tile.rank()) + " modes, not 3",
                   "write `(M, N, K)`, `_` for a mode that is as large as the atoms"};
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const Tiler& mode = tile.modes()[k];
    if (mode.is_layout()) modes[k] = mode.layout();
  }
  return tiled(name, atoms, operand, std::move(modes));
}

Result<layout::CopyAtom> copy_of(const std::string& name, Int bits) {
  auto atom = layout::copy_atom(name);
  if (!atom || bits == 1) return atom;
  return layout::in_elements(*atom, static_cast<int>(bits));
}

Result<Layout> copy(const std::string& name, const Int& bits, const std::string& side) {
  auto atom = copy_of(name, bits);
  if (!atom) return atom.problem();
  if (side == "source") return atom->source;
  if (side == "target") return atom->target;
  if (side == "threads") return atom->threads;
  return Problem{Problem::Kind::rank, "`copy`: there is no side `" + side + "`",
                 "`\"source\"`, `\"target\"` or `\"threads\"`"};
}

Result<Layout> tiled_copy(const std::string& name, const Int& bits, const Layout& threads, const Layout& values,
                          const std::string& side) {
  auto atom = copy_of(name, bits);
  if (!atom) return atom.problem();
  auto made = layout::TiledCopy::make(*atom, threads, values);
  if (!made) return made.problem();
  if (side == "source") return made->source();
  if (side == "target") return made->target();
  if (side == "threads") return made->thread_value();
  return Problem{Problem::Kind::rank, "`tiled_copy`: there is no side `" + side + "`",
                 "`\"source\"`, `\"target\"` or `\"threads\"`"};
}

Result<AnyLayout> shared_atom(const std::string& name, const Int& bits) {
  auto atom = layout::shared_atom(name, static_cast<int>(bits));
  if (!atom) return atom.problem();
  return AnyLayout(Composed(atom->swizzle, 0, atom->layout));
}

// ------------------------------------------------------------------------------------------------------ memory

/// Offsets by thread (mode 0) and value; a swizzled layout's as it gives them.
Result<layout::Offsets> offsets_of(const AnyLayout& any) {
  if (auto* plain = std::get_if<Layout>(&any)) return layout::offsets(*plain);
  const auto& composed = std::get<Composed>(any);
  auto inner = layout::offsets(composed.inner());
  if (!inner) return inner;
  layout::Offsets out = *inner;
  for (Int k = 0; k < out.threads * out.values; ++k) {
    auto offset = composed(IntTuple(k));
    if (!offset) return offset.problem();
    out.table[static_cast<std::size_t>(k)] = *offset;
  }
  return out;
}

Result<layout::Access> access_of(const Int& bytes, const std::string& how) {
  layout::Access access;
  access.element_bytes = static_cast<int>(bytes);
  if (how == "global") access.space = layout::Space::global;
  else if (how == "ldmatrix") access.instruction = layout::Instruction::ldmatrix;
  else if (how == "stmatrix") access.instruction = layout::Instruction::stmatrix;
  else if (how != "shared") {
    return Problem{Problem::Kind::rank, "`report`: there is no access `" + how + "`",
                   "`\"shared\"`, `\"global\"`, `\"ldmatrix\"` or `\"stmatrix\"`"};
  }
  if (access.instruction != layout::Instruction::plain) access.vector = static_cast<int>(16 / std::max<Int>(bytes, 1));
  return access;
}

Result<std::string> reported(const AnyLayout& any, const Int& bytes, const std::string& how, Int vector) {
  auto access = access_of(bytes, how);
  if (!access) return access.problem();
  layout::Access chosen = *access;
  if (vector > 0) chosen.vector = static_cast<int>(vector);
  auto offsets = offsets_of(any);
  if (!offsets) return offsets.problem();
  auto report = layout::report(*offsets, chosen);
  if (!report) return report.problem();
  return report->text();
}

Result<std::string> mended(const AnyLayout& any, const Int& bytes, const std::string& how) {
  auto access = access_of(bytes, how);
  if (!access) return access.problem();
  auto offsets = offsets_of(any);
  if (!offsets) return offsets.problem();
  auto mend = layout::mend({layout::Use{*offsets, *access}});
  if (!mend) return mend.problem();
  return mend->text();
}

}  // namespace

std::vector<LayoutFunction> hardware() {
  return {
      row<[](const Int& b, const Int& m, const Int& s) {
        const Int far = 1000;  // what does not fit an int is no swizzle either
        return Swizzle::make(static_cast<int>(std::clamp(b, -far, far)), static_cast<int>(std::clamp(m, -far, far)),
                             static_cast<int>(std::clamp(s, -far, far)));
      }>("swizzle", "swizzle(bits, base, shift)"),
      row<[](const Int& read, const Int& changed) { return Swizzle::from_masks(read, changed); }>(
          "make_swizzle", "make_swizzle(read, changed)"),
      row<[](const AnyLayout& a) { return layout::bit_matrix(a); }>("bit_matrix", "bit_matrix(L)"),
      row<[](const Swizzle& a, const Int& bits) { return layout::bit_matrix(a, static_cast<int>(bits)); }>(
          "bit_matrix", "bit_matrix(Sw, bits)"),
      row<[](const BitMatrix& a) { return layout::any_layout_of(a); }>("layout_of", "layout_of(M)"),

      row<mma>("mma", "mma(\"SM80_16x8x16_F32F16F16F32_TN\", \"A\")"),
      row<[](const std::string& name) -> Result<IntTuple> {
        auto atom = layout::mma_atom(name);
        if (!atom) return atom.problem();
        return atom->shape_mnk();
      }>("mma_shape", "mma_shape(\"SM80_16x8x16_F32F16F16F32_TN\")"),
      row<[](const std::string& name) -> Result<Layout> {
        auto atom = layout::mma_atom(name);
        if (!atom) return atom.problem();
        return atom->threads;
      }>("mma_threads", "mma_threads(\"SM80_16x8x16_F32F16F16F32_TN\")"),
      row<[](const std::string& name) { return layout::gmma_layout(name); }>("gmma_layout",
                                                                             "gmma_layout(\"CLayout_64x128\")"),
      row<tiled_mma>("tiled_mma", "tiled_mma(name, atoms, \"A\")"),
      row<tiled_mma_of>("tiled_mma", "tiled_mma(name, atoms, \"A\", tile)"),
      row<copy>("copy", "copy(\"SM75_U32x4_LDSM_N\", 16, \"source\")"),
      row<tiled_copy>("tiled_copy", "tiled_copy(\"u128\", 16, threads, values, \"source\")"),
      row<shared_atom>("shared_atom", "shared_atom(\"K_SW128\", 16)"),

      row<[](const AnyLayout& a, const Int& bytes) { return reported(a, bytes, "shared", 0); }>("report",
                                                                                                "report(L, bytes)"),
      row<[](const AnyLayout& a, const Int& bytes, const std::string& how) { return reported(a, bytes, how, 0); }>(
          "report", "report(L, bytes, \"global\")"),
      row<[](const AnyLayout& a, const Int& bytes, const std::string& how, const Int& vector) {
        return reported(a, bytes, how, vector);
      }>("report", "report(L, bytes, \"shared\", vector)"),
      row<[](const AnyLayout& a, const Int& bytes) { return mended(a, bytes, "shared"); }>("mend", "mend(L, bytes)"),
      row<mended>("mend", "mend(L, bytes, \"ldmatrix\")"),
  };
}

}  // namespace reckon::frontend::layout_functions
