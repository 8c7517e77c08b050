#include "codegen/strategies/tensor_cores/writer.h"

#include <algorithm>

#include "ir/op.h"
#include "ir/visit.h"

namespace reckon::codegen {

using kernel::MmaTiles;

bool has_long_tail(const ir::Module& module, const MmaPlacement& placement) {
  return std::ranges::any_of(placement.tails, [&](const MmaTail& tail) {
    return ir::find_node(module, {tail.node}, [&](ir::NodeId id) { return ir::is_elementary(module[id].op); })
        .has_value();
  });
}

MmaWriter::MmaWriter(KernelParts& parts, const MmaPlacement& placement, Kernel& kernel)
    : LoweringParts(parts.folds(), parts.folds().joins()),
      kept_(parts.kept()),
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
  const ir::Node node = module_[placement_.product.reduce];
  kernel::MmaOperands operands;
  operands.room = b_.shared(0, tiles_.shared_bytes(), Type::number(ir::scalar_of(*tiles_.unit.operand)));
  operands.first = b_.block();
  operands.step = b_.blocks();
  operands.limit = w_.i64(1);
  for (const ir::IndexId extent : kernel_.items) operands.limit = w_.multiply(operands.limit, w_.index(extent));
  operands.leaves = placement_.product.run ? w_.i64(*placement_.product.run) : w_.index(node.indices[0]);
  operands.x = factor(placement_.product.x);
  operands.y = factor(placement_.product.y);
  w_.mma_tiles(
      tiles_, operands, placement_.product.reduce,
      [&](Value item) {
        const TilePlace place = enter(item);
        Values out = begin(placement_.product.x, place.row);
        out.append(begin(placement_.product.y, place.column));
        out.push_back(first_leaf());
        return out;
      },
      [&](Value item, const Values& sums) { write_tile(item, sums); });
}

kernel::MmaOperands::Factor MmaWriter::factor(const MmaOperand& operand) {
  kernel::MmaOperands::Factor out;
  out.memory = w_.buffers()[operand.buffer];
  if (operand.copy) {
    out.copy = w_.buffers()[*operand.copy];
    out.copied = w_.index(operand.copied);
  }
  for (std::size_t d = operand.whole.size(); d-- > 0;) {
    out.extents.push_back(w_.index(operand.extents[d]));
    if (d + 1 < operand.whole.size()) out.strides.push_back(w_.index(operand.stride(module_.indices(), d)));
  }
  return out;
}

/// The number of a tile's first leaf in the reduction.
Value MmaWriter::first_leaf() {
  if (!placement_.product.run) return w_.i64(0);
  const ir::IndexId run = module_.indices().variable(placement_.product.space.front().variable);
  return w_.multiply(w_.index(run), w_.i64(*placement_.product.run));
}

Values MmaWriter::begin(const MmaOperand& operand, Value first) {
  Values out;
  for (std::size_t d = operand.subscripts.size(); d-- > 0;) {
    Value at = w_.index(operand.subscripts[d]);
    out.push_back(d == operand.of_side ? w_.add(at, first) : at);
  }
  return out;
}

void MmaWriter::bind(Scope& scope, std::size_t dimension, Value value) const {
  const auto add = [&](const Binder& binder) {
    if (!scope.binds(binder.variable)) scope.variables.push_back({binder.variable, binder.extent, value});
  };
  add(placement_.product.space[dimension]);
  for (const MmaTail& tail : placement_.tails) add(tail.space[dimension]);
}

TilePlace MmaWriter::enter(Value item) {
  const std::vector<Binder>& space = placement_.product.space;
  const TilePlace place = enter_tile(w_, space, kernel_, placement_.grid(), item);
  for (std::size_t d = 0; d + 1 < space.size(); ++d) {
    if (d == placement_.product.row_binder) continue;
    bind(*w_.scope(), d, w_.index(module_.indices().variable(space[d].variable)));
  }
  return place;
}

void MmaWriter::write_tile(Value item, const Values& sums) {
  const TilePlace place = enter(item);
  Value rows = w_.index(row_binder().extent), columns = w_.index(column_binder().extent);
  const auto known_rows = w_.known(rows), known_columns = w_.known(columns);
  if (known_rows && known_columns && *known_rows % tiles_.rows == 0 && *known_columns % tiles_.columns == 0) {
    write_results(place, sums, true);
    return;
  }
  if (has_long_tail(module_, placement_)) {
    write_results(place, sums, false);
    return;
  }
  Value last_row = b_.add(place.row, w_.i64(tiles_.rows), Fits::always);
  Value last_column = b_.add(place.column, w_.i64(tiles_.columns), Fits::always);
  Value is_whole = b_.bit_and(b_.less_equal(last_row, rows), b_.less_equal(last_column, columns));
  const auto part = [&](bool whole) {
    return [&, whole] {
      write_results(place, sums, whole);
      return Values{};
    };
  };
  static_cast<void>(w_.branch(is_whole, part(true), part(false)));
}

void MmaWriter::write_results(const TilePlace& place, const Values& sums, bool is_whole) {
  // As MmaTiles::row_of_thread and column_of_thread have it.
  const auto shifted = [&](Value value, std::int64_t bits) { return b_.lshr(value, w_.i64(bits)); };
  const auto times = [&](Value value, std::int64_t factor) { return b_.mul(value, w_.i64(factor), Fits::always); };
  const auto masked = [&](std::int64_t mask) { return b_.bit_and(thread_, w_.i64(mask)); };
  const auto plus = [&](Value x, Value y) { return b_.add(x, y, Fits::always); };
  Value of_group = tiles_.in_turns ? w_.i64(0) : times(shifted(thread_, 7), tiles_.rows_of_group());
  Value of_warp = times(shifted(masked(MmaTiles::group - 1), 5), 16);
  Value first_row = plus(place.row, plus(of_group, plus(of_warp, shifted(masked(31), 2))));
  Value first_column = plus(place.column, times(masked(3), 2));
  const std::int64_t count = tiles_.fragment(), chunk = values_together();
  if (chunk == count) {
    write_values(first_row, first_column, sums, is_whole);
    return;
  }
  // Registers have no index: in each round all values move on by those that are written in it.
  const std::int64_t rounds_of_unit = tiles_.values_of_unit() / chunk;
  static_cast<void>(w_.loop(
      w_.i64(0), w_.i64(count / chunk), w_.i64(1), sums,
      [&](Value round, const Values& carried) {
        Value unit = b_.udiv(round, w_.i64(rounds_of_unit)), within = b_.urem(round, w_.i64(rounds_of_unit));
        const auto end = carried.begin() + chunk;
        write_values(plus(first_row, times(unit, MmaTiles::unit_rows)),
                     plus(first_column, times(within, tiles_.column(chunk))), Values(carried.begin(), end), is_whole);
        Values next(end, carried.end());
        next.append(carried.begin(), end);
        return next;
      },
      false));
}

/// The first values of a thread's fragment, or those that follow, if the column is so much further.
void MmaWriter::write_values(Value first_row, Value first_column, const Values& sums, bool is_whole) {
  const auto further = [&](Value value, std::int64_t more) {
    return more == 0 ? value : b_.add(value, w_.i64(more), Fits::always);
  };
  const auto if_there = [&](Value position, const Binder& binder, FunctionRef<void()> then) {
    if (is_whole) then();
    else w_.if_then(b_.less(position, w_.index(binder.extent)), then);
  };
  const auto count = static_cast<std::int64_t>(sums.size());
  const std::int64_t of_unit = std::min(count, tiles_.values_of_unit());
  for (std::int64_t first = 0; first < count; first += of_unit) {
    for (const std::int64_t below : {std::int64_t{0}, std::int64_t{2}}) {
      Value row = further(first_row, tiles_.row(first + below));
      if_there(row, row_binder(), [&] {
        for (std::int64_t k = first + below; k < first + of_unit; k += 4) {
          for (const std::int64_t e : {k, k + 1}) {
            Value column = further(first_column, tiles_.column(e));
            if_there(column, column_binder(), [&] { write_result(row, column, sums[static_cast<std::size_t>(e)]); });
          }
        }
      });
    }
  }
}

/// Values of a fragment for which code stands side by side: with that of a long function for all of them a kernel takes
/// over half a second from its text to the GPU.
std::int64_t MmaWriter::values_together() const {
  constexpr std::int64_t of_long_code = 8;
  return has_long_tail(module_, placement_) ? of_long_code : tiles_.fragment();
}

void MmaWriter::write_result(Value row, Value column, Value sum) {
  const MmaProduct& product = placement_.product;
  Scope scope;
  bind(scope, product.row_binder, row);
  bind(scope, product.space.size() - 1, column);
  static_cast<void>(w_.in_scope(scope, [&] {
    Value value = product.run ? sum : b_.root(product.reduce, sum);
    kept_.clear();
    kept_.of_step(product.output).value = {value};
    for (const MmaTail& tail : placement_.tails) {
      value = circuits_.scalar(tail.node);
      kept_.of_step(tail.output).value = {value};
    }
    kept_.clear();
    w_.resume();
    const std::vector<Binder>& space = placement_.tails.empty() ? product.space : placement_.tails.back().space;
    circuits_.store_at_offset(kernel_.output, circuits_.place_in(planned_.plan.buffers[kernel_.output], space), value);
    return Values{};
  }));
}

}  // namespace reckon::codegen
