#include "frontend/layouts/instructions.h"

#include "frontend/layouts/functions.h"
#include "layout/atoms/copy_atom.h"
#include "layout/atoms/mma_atom.h"
#include "layout/atoms/shared_atom.h"

namespace reckon::frontend::layout_functions {

using layout::AnyLayout;
using layout::AnySliced;
using layout::Bounds;
using layout::Composed;
using layout::CoordinateLayout;
using layout::IntTuple;
using layout::Layout;
using layout::Operand;
using layout::Problem;
using layout::Result;
using layout::Side;
using layout::SlicedCoordinates;
using layout::TiledCopy;
using layout::TiledMma;
using layout::Tiler;
using Int = std::int64_t;

namespace {

// ------------------------------------------------------------------------------------------------- one at a time

Result<Operand> operand_named(const std::string& name) {
  if (name == "A") return Operand::a;
  if (name == "B") return Operand::b;
  if (name == "C" || name == "D") return Operand::c;
  return Problem{Problem::Kind::unknown_name, "there is no operand `" + name + "`", "`\"A\"`, `\"B\"` or `\"C\"`"};
}

Result<layout::CopyAtom> copy_of(const std::string& operation, const std::string& name, Int bits) {
  auto atom = layout::copy_atom(name);
  if (!atom || bits == 1) return atom;
  const auto element = small(operation, bits, " bits an element");
  if (!element) return element.problem();
  return layout::in_elements(*atom, *element);
}

Problem no_side(const std::string& operation, const std::string& side) {
  return {Problem::Kind::unknown_name, "`" + operation + "`: there is no side `" + side + "`",
          "`\"source\"`, `\"target\"` or `\"threads\"`"};
}

Result<Layout> mma(const std::string& name, const std::string& operand) {
  auto atom = layout::mma_atom(name);
  if (!atom) return atom.problem();
  auto which = operand_named(operand);
  if (!which) return which.problem();
  return *which == Operand::a ? atom->a : *which == Operand::b ? atom->b : atom->c;
}

Result<Layout> copy(const std::string& name, const Int& bits, const std::string& side) {
  auto atom = copy_of("copy", name, bits);
  if (!atom) return atom.problem();
  if (side == "source") return atom->source;
  if (side == "target") return atom->target;
  if (side == "threads") return atom->threads;
  return no_side("copy", side);
}

Result<AnyLayout> shared_atom(const std::string& name, const Int& bits) {
  const auto element = small("shared_atom", bits, " bits an element");
  if (!element) return element.problem();
  auto atom = layout::shared_atom(name, *element);
  if (!atom) return atom.problem();
  return AnyLayout(Composed(atom->swizzle, 0, atom->layout));
}

// --------------------------------------------------------------------------------------------------------- tiled

Result<TiledMma> tiled_mma(const std::string& name, const Layout& atoms) {
  auto atom = layout::mma_atom(name);
  if (!atom) return atom.problem();
  return TiledMma::make(*atom, atoms);
}

Result<TiledMma> tiled_mma_of(const std::string& name, const Layout& atoms, const Tiler& tile) {
  auto atom = layout::mma_atom(name);
  if (!atom) return atom.problem();
  if (!tile.is_tuple() || tile.rank() != 3) {
    return Problem{Problem::Kind::rank,
                   "`tiled_mma`: the tile has " + std::to_string(tile.rank()) + " mode" +
                       (tile.rank() == 1 ? "" : "s") + ", not 3",
                   "write `(M, N, K)`, `_` for a mode that is as large as the atoms"};
  }
  std::array<std::optional<Layout>, 3> modes;
  for (std::size_t k = 0; k < 3; ++k) {
    const Tiler& mode = tile.modes()[k];
    if (mode.is_layout()) modes[k] = mode.layout();
  }
  return TiledMma::make(*atom, atoms, std::move(modes));
}

Result<Layout> of_operand(const Result<TiledMma>& tiled, const std::string& operand) {
  if (!tiled) return tiled.problem();
  if (operand == "threads") return tiled->thr_vmnk();
  auto which = operand_named(operand);
  if (!which) return which.problem();
  return tiled->thread_value(*which);
}

Result<TiledCopy> tiled_copy(const std::string& name, const Int& bits, const Layout& threads, const Layout& values) {
  auto atom = copy_of("tiled_copy", name, bits);
  if (!atom) return atom.problem();
  return TiledCopy::make(*atom, threads, values);
}

Result<TiledCopy> tiled_copy_for(const std::string& name, const Int& bits, const TiledMma& mma,
                                 const std::string& operand) {
  auto atom = copy_of("tiled_copy", name, bits);
  if (!atom) return atom.problem();
  auto which = operand_named(operand);
  if (!which) return which.problem();
  return TiledCopy::make(*atom, mma, *which);
}

Result<Layout> of_side(const Result<TiledCopy>& tiled, const std::string& side) {
  if (!tiled) return tiled.problem();
  if (side == "source") return tiled->source();
  if (side == "target") return tiled->target();
  if (side == "threads") return tiled->thread_value();
  return no_side("tiled_copy", side);
}

// ---------------------------------------------------------------------------------------------- what threads have

constexpr const char* cut_name(Operand which) {
  return which == Operand::a ? "thrfrg_A" : which == Operand::b ? "thrfrg_B" : "thrfrg_C";
}
constexpr const char* cut_name(Side which) { return which == Side::source ? "tidfrg_S" : "tidfrg_D"; }
constexpr const char* cut_usage(Operand which) {
  return which == Operand::a ? "thrfrg_A(mma, L)" : which == Operand::b ? "thrfrg_B(mma, L)" : "thrfrg_C(mma, L)";
}
constexpr const char* cut_usage(Side which) {
  return which == Side::source ? "tidfrg_S(copy, L)" : "tidfrg_D(copy, L)";
}
constexpr const char* part_usage(Operand which) {
  return which == Operand::a   ? "partition_A(mma, L, thread)"
         : which == Operand::b ? "partition_B(mma, L, thread)"
                               : "partition_C(mma, L, thread)";
}
constexpr const char* part_usage(Side which) {
  return which == Side::source ? "partition_S(copy, L, thread)" : "partition_D(copy, L, thread)";
}

template <auto which>
auto cut(const TiledMma& tiled, const auto& tensor) {
  return tiled.thrfrg(which, tensor);
}
template <auto which>
auto cut(const TiledCopy& tiled, const auto& tensor) {
  return tiled.tidfrg(which, tensor);
}

template <class Tiled, auto which>
Result<AnyLayout> cut_any(const Tiled& tiled, const AnyLayout& tensor) {
  return said_of(cut_name(which),
                 layout::on_inner(tensor, [&](const Layout& inner) { return cut<which>(tiled, inner); }));
}
template <class Tiled, auto which>
Result<CoordinateLayout> cut_coordinates(const Tiled& tiled, const CoordinateLayout& tensor) {
  return said_of(cut_name(which), cut<which>(tiled, tensor));
}

template <class Tiled, auto which>
Result<AnySliced> part_of_any(const Tiled& tiled, const AnyLayout& tensor, const Int& thread) {
  return said_of(partition_name(which), layout::cut_inner(tensor, [&](const Layout& inner) {
                   return tiled.partition(which, inner, thread);
                 }));
}
template <class Tiled, auto which>
Result<SlicedCoordinates> part_of_coordinates(const Tiled& tiled, const CoordinateLayout& tensor, const Int& thread) {
  const auto all = tiled.shares(which, tensor);
  if (!all) return said_of<SlicedCoordinates>(partition_name(which), all.problem());
  return said_of(partition_name(which), share_of(*all, thread));
}
/// The bounds of a tensor are partitioned like the tensor itself.
template <class Tiled, auto which>
Result<Bounds> part_of_bounds(const Tiled& tiled, const Bounds& tensor, const Int& thread) {
  const auto part = part_of_coordinates<Tiled, which>(tiled, tensor.coordinates(), thread);
  if (!part) return part.problem();
  return tensor.of_part(part->layout, part->offset);
}

template <class Tiled, auto which>
void add_parts(std::vector<LayoutFunction>& out) {
  out.push_back(row<cut_any<Tiled, which>>(cut_name(which), cut_usage(which)));
  out.push_back(row<cut_coordinates<Tiled, which>>(cut_name(which), cut_usage(which)));
  out.push_back(row<part_of_any<Tiled, which>>(partition_name(which), part_usage(which)));
  out.push_back(row<part_of_coordinates<Tiled, which>>(partition_name(which), part_usage(which)));
  out.push_back(row<part_of_bounds<Tiled, which>>(partition_name(which), part_usage(which)));
}

}  // namespace

std::vector<LayoutFunction> instructions() {
  std::vector<LayoutFunction> out{
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
      row<copy>("copy", "copy(\"SM75_U32x4_LDSM_N\", 16, \"source\")"),
      row<shared_atom>("shared_atom", "shared_atom(\"K_SW128\", 16)"),

      row<tiled_mma>("tiled_mma", "tiled_mma(name, atoms)"),
      row<[](const std::string& name, const Layout& atoms, const std::string& operand) {
        return of_operand(tiled_mma(name, atoms), operand);
      }>("tiled_mma", "tiled_mma(name, atoms, \"A\")"),
      row<tiled_mma_of>("tiled_mma", "tiled_mma(name, atoms, tile)"),
      row<[](const std::string& name, const Layout& atoms, const std::string& operand, const Tiler& tile) {
        return of_operand(tiled_mma_of(name, atoms, tile), operand);
      }>("tiled_mma", "tiled_mma(name, atoms, \"A\", tile)"),
      row<tiled_copy>("tiled_copy", "tiled_copy(\"u128\", 16, threads, values)"),
      row<tiled_copy_for>("tiled_copy", "tiled_copy(\"SM75_U32x4_LDSM_N\", 16, mma, \"A\")"),
      row<[](const std::string& name, const Int& bits, const Layout& threads, const Layout& values,
             const std::string& side) { return of_side(tiled_copy(name, bits, threads, values), side); }>(
          "tiled_copy", "tiled_copy(\"u128\", 16, threads, values, \"source\")"),
      row<[](const TiledMma& a) { return a.threads(); }>("size", "size(mma)"),
      row<[](const TiledCopy& a) { return a.threads(); }>("size", "size(copy)"),
      row<[](const TiledMma& a) { return a.tile_mnk(); }>("tile_shape", "tile_shape(mma)"),
      row<[](const TiledCopy& a) { return a.tile(); }>("tile_shape", "tile_shape(copy)"),
  };
  add_parts<TiledMma, Operand::a>(out);
  add_parts<TiledMma, Operand::b>(out);
  add_parts<TiledMma, Operand::c>(out);
  add_parts<TiledCopy, Side::source>(out);
  add_parts<TiledCopy, Side::target>(out);
  return out;
}

}  // namespace reckon::frontend::layout_functions
