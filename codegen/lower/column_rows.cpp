#include "codegen/lower/column_rows.h"

#include <algorithm>
#include <bit>

#include "codegen/lower/folds.h"
#include "codegen/place/place.h"

namespace reckon::codegen {

namespace {

constexpr std::int64_t bytes_of_row = 1024;  ///< that are read of each row, if the arrays are not too large then
constexpr std::int64_t min_columns = 8;
constexpr std::int64_t max_array_bytes = 512 * 1024;  ///< on the stack, of which few are used for most lengths

}  // namespace

ColumnRows::ColumnRows(Folds& folds, Items& items)
    : LoweringParts(folds, folds.joins()), items_(items), rows_(folds, folds.joins(), folds.trees()) {}

std::optional<ColumnRows::Shape> ColumnRows::shape_of(const KernelBody& body, const Kernel& kernel,
                                                      const FoldSite& site) const {
  const ir::ScheduleId schedule = site.reduction.schedule;
  const ir::ScheduleStore& schedules = module_.schedules();
  const auto lanes = lanes_by_tree(module_, schedule);
  if (!lanes || !schedules.levels(schedule).empty() || schedules.has_arithmetic(schedule)) return std::nullopt;
  if (site.fuses || !site.light || !joins_.drops_joins(site)) return std::nullopt;
  if (body.space.empty() || body.space.size() != kernel.items.size()) return std::nullopt;
  if (!module_.indices().variables(site.node.indices[0]).empty()) return std::nullopt;
  const ir::VariableId column = body.space.back().variable;
  const ir::NodeId leaf = site.node.operands[0];
  const auto& free = module_.free_variables(leaf);
  const bool across = std::ranges::find(free, column) != free.end() && reads_in_order(module_, leaf, column) &&
                      !reads_in_order(module_, leaf, site.node.variables[0]);
  const auto count = module_.indices().as_constant(body.space.back().extent);
  if (!across || (count && *count < min_columns)) return std::nullopt;
  std::int64_t bytes = 0, widest = 0;
  for (const ir::Scalar scalar : site.scalars) {
    if (!w_.numbers().is_word(scalar)) return std::nullopt;
    widest = std::max(widest, w_.bytes_of(Type::number(scalar)));
    bytes += w_.bytes_of(Type::number(scalar));
  }
  Shape shape{*lanes, bytes_of_row / widest, {}};
  if (count)
    shape.columns =
        std::min(shape.columns, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(*count))));
  const auto length = module_.indices().as_constant(site.node.indices[0]);
  while (LaneRows::bytes_of_tree(length, shape.lanes, shape.columns, bytes) > max_array_bytes) shape.columns /= 2;
  if (shape.columns < min_columns) return std::nullopt;
  if (*lanes > 1) shape.rest = schedules[schedule].operands[1];
  return shape;
}

bool ColumnRows::write(const KernelBody& body, const Kernel& kernel, Value begin, Value end) {
  if (module_[body.node].op != ir::Op::reduce) return false;
  const FoldSite site = joins_.site_of(body.node);
  const auto shape = shape_of(body, kernel, site);
  if (!shape) return false;
  const Value length = w_.index(site.node.indices[0]);
  const Value extent = w_.index(kernel.items.back());
  w_.while_loop(
      {begin}, [&](const Values& now) { return b_.less(now[0], end); },
      [&](const Values& now) {
        const Values at = items_.item_coordinates(kernel.items, now[0]);
        const Value left = w_.smaller(b_.sub(extent, at.back()), b_.sub(end, now[0]));
        const Value count = w_.smaller(left, w_.i64(shape->columns));
        const auto in_column = [&](Value column, FunctionRef<Values()> body_of_column) {
          Scope scope;
          for (std::size_t d = 0; d < body.space.size(); ++d) {
            const Value value = d + 1 == body.space.size() ? w_.add(at[d], column) : at[d];
            scope.variables.push_back({body.space[d].variable, body.space[d].extent, value});
          }
          return w_.in_scope(scope, body_of_column);
        };
        const auto keep = [&](Value column, const Values& values) {
          for (std::uint32_t part = 0; part < values.size(); ++part) {
            circuits_.store(kernel.output + part, w_.add(now[0], column), values[part]);
          }
        };
        const auto leaf = [&](Value position, Value column) {
          return in_column(column, [&] { return joins_.leaf(site, position); });
        };
        const auto empty = [&](Value column) {
          keep(column, in_column(column, [&] { return joins_.empty_fold(site); }));
        };
        w_.branch(
            b_.greater(length, w_.i64(0)),
            [&] {
              fold(site, *shape, length, count, keep, leaf);
              return Values{};
            },
            [&] {
              w_.for_range(w_.i64(0), count, empty);
              return Values{};
            });
        return Values{w_.add(now[0], count)};
      });
  return true;
}

/// The folds of `count` columns, of at least one leaf each.
void ColumnRows::fold(const FoldSite& site, const Shape& shape, Value length, Value count,
                      FunctionRef<void(Value column, const Values&)> keep,
                      FunctionRef<Values(Value position, Value column)> leaf) {
  List list;
  list.kind = List::Kind::stored;
  for (const Type type : site.state) list.pointers.push_back(w_.stack_array(type, shape.lanes * shape.columns));
  const LaneRows::Columns columns{length, shape.columns, count, leaf};
  rows_.rows_tree(site, columns, shape.lanes, list.pointers);
  const Value pitch = w_.i64(shape.columns);
  const auto each = [&](FunctionRef<void(Value)> body) { w_.for_range(w_.i64(0), count, body); };
  const auto finished = [&](Value column, const Values& node) { keep(column, joins_.whole(site, node)); };
  const bool by_tree = shape.rest.valid() && module_.schedules()[shape.rest].op == ir::ScheduleOp::tree;
  const auto joined_one_by_one = [&] {
    each([&](Value column) {
      const Slice nodes{&list, column, pitch, w_.smaller(length, w_.i64(shape.lanes))};
      finished(column,
               shape.rest.valid() ? folds_.fold(site, shape.rest, nodes, {}) : folds_.node_at(site, nodes, w_.i64(0)));
    });
    return Values{};
  };
  if (!by_tree) {
    joined_one_by_one();
    return;
  }
  // The lanes are joined pairwise, all columns side by side.
  const auto joined_together = [&] {
    for (std::int64_t half = shape.lanes / 2; half >= 1; half /= 2) {
      w_.for_range(
          w_.i64(0), w_.i64(half),
          [&](Value lane) {
            const Value to = b_.mul(lane, pitch, Fits::always), from = b_.shl(to, 1);
            each([&](Value column) {
              const Values left = w_.load_at(list.pointers, w_.add(from, column));
              const Values right = w_.load_at(list.pointers, w_.add(w_.add(from, pitch), column));
              w_.store_at(list.pointers, w_.add(to, column), joins_.join(site, left, right));
            });
          },
          false);
    }
    each([&](Value column) { finished(column, w_.load_at(list.pointers, column)); });
    return Values{};
  };
  w_.branch(b_.less(length, w_.i64(shape.lanes)), joined_one_by_one, joined_together);
}

}  // namespace reckon::codegen
