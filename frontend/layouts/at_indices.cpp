// A tile, or a thread's part, at indices of the program: `local_tile(L, T, (i, j))`, `partition_C(mma, L, t)`.
#include "frontend/layouts/at_indices.h"

#include <fmt/format.h>

#include "diagnostics/codes/static_needed.h"
#include "frontend/layouts/arguments.h"
#include "frontend/layouts/instructions.h"
#include "frontend/layouts/layouts.h"
#include "frontend/layouts/symbolic.h"
#include "frontend/views.h"
#include "layout/tile.h"
#include "layout/valued.h"

namespace reckon::frontend {

using ir::IndexId;
using ir::IndexLayout;
using layout::Bounds;
using layout::Composed;
using layout::CoordinateLayout;
using layout::Holed;
using layout::IntTuple;
using layout::Layout;
using layout::Operand;
using layout::Side;

std::vector<Layout> components(const Layout& layout) { return {layout}; }
std::vector<Layout> components(const CoordinateLayout& layout) {
  std::vector<Layout> out;
  for (std::size_t k = 0; k < layout.codomain().leaves().size(); ++k) out.push_back(layout.component(k));
  return out;
}

std::vector<IndexId> constants(ir::IndexStore& indices, const IntTuple& values) {
  std::vector<IndexId> out;
  for (const std::int64_t value : values.leaves()) out.push_back(indices.constant(value));
  return out;
}

Value nested_as(ir::IndexStore& indices, const Layout&, const std::vector<IndexId>& leaves) {
  return value_of(indices, ir::IndexTuple{leaves[0], {}});
}
Value nested_as(ir::IndexStore& indices, const CoordinateLayout& layout, const std::vector<IndexId>& leaves) {
  std::size_t next = 0;
  return value_of(indices, ir::with_leaves(ir::index_tuple(indices, layout.codomain()),
                                           [&](IndexId) { return leaves[next++]; }));
}

namespace {

Value value_of_part(Layout part) { return {std::move(part)}; }
Value value_of_part(CoordinateLayout part) { return {LayoutObject{std::move(part)}}; }

/// Adds the values of layouts of one shape at an index, each to a sum of its own.
bool add_at_index(Elaborator& elaborator, const std::vector<Layout>& components, const Value& index, SourceSpan at,
                  std::vector<IndexId>& sums) {
  ir::Module& module = elaborator.module;
  ir::IndexStore& indices = module.indices();
  Expr here;
  here.kind = ExprKind::name;  // an index alone takes its range from here
  here.span = at;
  std::vector<IndexId> leaves;
  const IndexLayout first = ir::index_layout(indices, components[0]);
  if (!nested_coordinate(elaborator, Context{}, index, here, first.shape, true, leaves)) return false;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    const IndexLayout layout = ir::index_layout(indices, components[k]);
    sums[k] = indices.add(sums[k], ir::offset_at(indices, layout.stride, leaves));
  }
  return true;
}

template <class Shared>
Maybe share_at_index(Elaborator& elaborator, const layout::Result<Shared>& shares, const Value& thread,
                     SourceSpan thread_at, SourceSpan at) {
  ir::Module& module = elaborator.module;
  if (!shares) return elaborator.report(layout_problem(shares.problem(), at));
  const auto starts = components(shares->starts);
  std::vector<IndexId> start(starts.size(), module.indices().constant(0));
  if (!add_at_index(elaborator, starts, thread, thread_at, start)) return std::nullopt;
  return Value{TupleValue{{value_of_part(shares->part), nested_as(module.indices(), shares->starts, start)}}};
}

template <class Valued>
Maybe tile_at_indices(Elaborator& elaborator, const Valued& whole, const layout::Tiler& tiler, const Value& coordinate,
                      SourceSpan at) {
  ir::Module& module = elaborator.module;
  // With its indices replaced by 0, the coordinate gives the part; each index then moves the part along its mode.
  std::vector<Value> given{coordinate};
  auto* tuple = coordinate.get_if<TupleValue>();
  if (tuple) given = tuple->parts;
  std::vector<Holed> known;
  for (const Value& each : given) {
    if (each.is<SymbolicInteger>()) known.emplace_back(0);
    else if (each.is<OpenExtent>()) known.push_back(Holed::hole());
    else {
      auto tile = elaborator.int_tuple_of(each, at);
      if (!tile) return std::nullopt;
      known.emplace_back(*tile);
    }
  }
  const auto part = layout::local_tile(whole, tiler, tuple ? Holed(known) : known[0]);
  if (!part) return elaborator.report(layout_problem(part.problem(), at));
  const auto zipped = layout::valued::divided(layout::DivideForm::zipped, whole, tiler);
  if (!zipped) return elaborator.report(layout_problem(zipped.problem(), at));
  const Valued rest = layout::valued::mode_of(*zipped, 1);
  std::vector<IndexId> start = constants(module.indices(), IntTuple(part->offset));
  for (std::size_t k = 0; k < given.size(); ++k) {
    if (!given[k].is<SymbolicInteger>()) continue;
    const auto mode = components(tuple ? layout::valued::mode_of(rest, k) : rest);
    if (!add_at_index(elaborator, mode, given[k], at, start)) return std::nullopt;
  }
  return Value{TupleValue{{value_of_part(part->layout), nested_as(module.indices(), whole, start)}}};
}

}  // namespace

bool takes_indices(const std::string& name, const std::vector<Value>& values) {
  const bool local = name == "local_partition" || name == "local_tile";
  const bool part = (local && values.size() == 4) || ((local || name.starts_with("partition_")) && values.size() == 3);
  return part && !any_symbolic({values[0], values[1]});
}

Maybe part_at_indices(Elaborator& elaborator, const std::string& name, const std::vector<Value>& values,
                      const std::vector<SourceSpan>& spans, SourceSpan at) {
  const LayoutArguments arguments(elaborator, name, values, spans, at);
  const std::size_t tensor = name.starts_with("local_") ? 0 : 1;
  const auto needs_numbers = [&](const std::string& what, const char* help) -> Maybe {
    return elaborator.report(
        Diagnostic(code::static_needed, spans[2], fmt::format("`{}` {} needs known numbers here", name, what))
            .help(help));
  };
  if (values.size() > 3) {
    return needs_numbers("with a projection",
                         "leave out yourself what it leaves out: `local_tile(L, (32, 8), (i, k))`");
  }
  const auto of_tensor = [&](const auto& cut) -> Maybe {
    if (arguments.accepts<CoordinateLayout>(tensor)) return cut(*arguments.read<CoordinateLayout>(tensor));
    const auto* object = values[tensor].get_if<LayoutObject>();
    if (object && (object->get_if<Composed>() || object->get_if<Bounds>())) {
      return needs_numbers(fmt::format("of the {} `{}`", object->kind(), object->text()),
                           object->get_if<Bounds>()
                               ? "share out the coordinates, `identity(S)`, and compare them with the sizes"
                               : "share out the layout inside, and take what it gives through the rest: "
                                 "`compose(Sw, n:1)(start + own(v))`");
    }
    auto whole = arguments.read<Layout>(tensor);
    return whole ? cut(*whole) : std::nullopt;
  };
  const auto shared = [&](const auto& shares) {
    return of_tensor(
        [&](const auto& whole) { return share_at_index(elaborator, shares(whole), values[2], spans[2], at); });
  };
  if (name == "local_tile") {
    auto tiler = arguments.read<layout::Tiler>(1);
    if (!tiler) return std::nullopt;
    return of_tensor(
        [&](const auto& whole) { return tile_at_indices(elaborator, whole, *tiler, values[2], spans[2]); });
  }
  if (name == "local_partition") {
    auto threads = arguments.read<Layout>(1);
    if (!threads) return std::nullopt;
    return shared([&](const auto& whole) { return layout::local_shares(whole, *threads); });
  }
  const auto partition = [&](const auto& tiled, auto which) -> Maybe {
    if (!tiled) return std::nullopt;
    return shared([&](const auto& whole) { return said_of(partition_name(which), tiled->shares(which, whole)); });
  };
  for (const Operand operand : {Operand::a, Operand::b, Operand::c}) {
    if (name == partition_name(operand)) return partition(arguments.read<layout::TiledMma>(0), operand);
  }
  const Side side = name == partition_name(Side::source) ? Side::source : Side::target;
  return partition(arguments.read<layout::TiledCopy>(0), side);
}

}  // namespace reckon::frontend
