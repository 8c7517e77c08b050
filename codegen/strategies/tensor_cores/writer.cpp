#include "codegen/strategies/tensor_cores/writer.h"

namespace reckon::codegen {

using kernel::MmaTiles;

MmaWriter::MmaWriter(Folds& folds, const KernelBody& body, const MmaPlacement& placement, Kernel& kernel)
    : LoweringParts(folds, folds.joins()),
      body_(body),
      placement_(placement),
      tiles_(placement.tiles),
      kernel_(kernel) {}

void MmaWriter::write() {
  w_.function().threads = tiles_.threads();
  w_.function().blocks = 1;
  kernel_.threads = static_cast<std::uint32_t>(tiles_.threads());
  kernel_.block_items = 1;
  kernel_.resident = 1;
  kernel_.shared_bytes = static_cast<std::uint32_t>(tiles_.shared_bytes());
  thread_ = b_.thread();
  const ir::Node node = module_[body_.node];
  kernel::MmaOperands operands;
  operands.room = b_.shared(0, tiles_.shared_bytes(), Type::number(ir::scalar_of(*tiles_.unit.operand)));
  operands.first = b_.block();
  operands.step = b_.blocks();
  operands.limit = w_.i64(1);
  for (const ir::IndexId extent : kernel_.items) operands.limit = w_.multiply(operands.limit, w_.index(extent));
  operands.leaves = w_.index(node.indices[0]);
  operands.x = factor(placement_.product.x);
  operands.y = factor(placement_.product.y);
  w_.mma_tiles(
      tiles_, operands, body_.node,
      [&](Value item) {
        const TilePlace place = enter_tile(w_, body_, kernel_, placement_.grid(), item);
        Values out = begin(placement_.product.x, body_.space[placement_.product.row_binder].variable, place.row);
        out.append(begin(placement_.product.y, body_.space.back().variable, place.column));
        return out;
      },
      [&](Value item, const Values& sums) { write_tile(item, sums); });
}

kernel::MmaOperands::Factor MmaWriter::factor(const MmaOperand& operand) {
  kernel::MmaOperands::Factor out;
  out.memory = w_.buffers()[operand.buffer];
  const std::vector<ir::IndexId>& whole = planned_.plan.buffers[operand.buffer].extents;
  ir::IndexId stride = module_.indices().constant(1);
  for (std::size_t d = whole.size(); d-- > 0;) {
    out.extents.push_back(w_.index(operand.extents[d]));
    if (d + 1 < whole.size()) out.strides.push_back(w_.index(stride));
    stride = module_.indices().multiply(stride, whole[d]);
  }
  return out;
}

Values MmaWriter::begin(const MmaOperand& operand, ir::VariableId, Value first) {
  Values out;
  for (std::size_t d = operand.subscripts.size(); d-- > 0;) {
    Value at = w_.index(operand.subscripts[d]);
    out.push_back(d == operand.of_side ? w_.add(at, first) : at);
  }
  return out;
}

void MmaWriter::write_tile(Value item, const Values& sums) {
  const TilePlace place = enter_tile(w_, body_, kernel_, placement_.grid(), item);
  Value rows = w_.index(body_.space[placement_.product.row_binder].extent);
  Value columns = w_.index(body_.space.back().extent);
  Value is_whole = b_.bit_and(b_.less_equal(b_.add(place.row, w_.i64(tiles_.rows), Fits::always), rows),
                              b_.less_equal(b_.add(place.column, w_.i64(tiles_.columns), Fits::always), columns));
  const auto part = [&](bool whole) {
    return [&, whole] {
      write_results(place, sums, whole);
      return Values{};
    };
  };
  const auto known_rows = w_.known(rows), known_columns = w_.known(columns);
  const bool all_whole =
      known_rows && known_columns && *known_rows % tiles_.rows == 0 && *known_columns % tiles_.columns == 0;
  if (all_whole) write_results(place, sums, true);
  else static_cast<void>(w_.branch(is_whole, part(true), part(false)));
}

void MmaWriter::write_results(const TilePlace& place, const Values& sums, bool is_whole) {
  const Binder &row_binder = body_.space[placement_.product.row_binder], &column_binder = body_.space.back();
  // As MmaTiles::row_of_thread and column_of_thread have it.
  Value within = b_.bit_and(thread_, w_.i64(MmaTiles::group - 1));
  Value row_of_thread = b_.add(b_.mul(b_.lshr(thread_, w_.i64(7)), w_.i64(MmaTiles::group_rows), Fits::always),
                               b_.add(b_.mul(b_.lshr(within, w_.i64(5)), w_.i64(16), Fits::always),
                                      b_.lshr(b_.bit_and(thread_, w_.i64(31)), w_.i64(2)), Fits::always),
                               Fits::always);
  Value column_of_thread = b_.mul(b_.bit_and(thread_, w_.i64(3)), w_.i64(2), Fits::always);
  Value first_row = b_.add(place.row, row_of_thread, Fits::always);
  Value first_column = b_.add(place.column, column_of_thread, Fits::always);
  const auto columns = module_.indices().as_constant(column_binder.extent);
  // Two neighbours are written together if both are there or neither is.
  const bool in_pairs = columns && *columns % 2 == 0;
  const auto when = [&](Value condition, FunctionRef<void()> then) {
    if (is_whole) then();
    else w_.if_then(condition, then);
  };
  const std::int64_t count = tiles_.fragment();
  for (const std::int64_t further : {std::int64_t{0}, std::int64_t{8}}) {
    Value row = b_.add(first_row, w_.i64(further), Fits::always);
    when(b_.less(row, w_.index(row_binder.extent)), [&] {
      for (std::int64_t k = further == 0 ? 0 : 2; k < count; k += 4) {
        Value column = b_.add(first_column, w_.i64(MmaTiles::column(k)), Fits::always);
        const auto result = [&](std::int64_t e) {
          Scope scope;
          scope.variables.push_back({row_binder.variable, row_binder.extent, row});
          scope.variables.push_back({column_binder.variable, column_binder.extent,
                                     e == 0 ? column : b_.add(column, w_.i64(e), Fits::always)});
          static_cast<void>(w_.in_scope(scope, [&] {
            const Value value = b_.root(body_.node, sums[static_cast<std::size_t>(k + e)]);
            circuits_.store_at_offset(kernel_.output,
                                      circuits_.place_in(planned_.plan.buffers[kernel_.output], body_.space), value);
            return Values{};
          }));
        };
        when(b_.less(column, w_.index(column_binder.extent)), [&] {
          result(0);
          if (in_pairs || is_whole) result(1);
        });
        if (!in_pairs && !is_whole) {
          w_.if_then(b_.less(b_.add(column, w_.i64(1), Fits::always), w_.index(column_binder.extent)),
                     [&] { result(1); });
        }
      }
    });
  }
}

}  // namespace reckon::codegen
