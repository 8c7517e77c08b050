#include "codegen/strategies/tensor_cores/writer.h"

#include <algorithm>

namespace reckon::codegen {

using kernel::MmaTiles;

namespace {

/// Results of a row that a thread writes together.
constexpr std::int64_t written_together = 4, of_two_blocks = 2 * written_together;

}  // namespace

MmaWriter::MmaWriter(KernelParts& parts, const MmaPlacement& placement, Kernel& kernel)
    : LoweringParts(parts.folds(), parts.folds().joins()),
      parts_(parts),
      placement_(placement),
      tiles_(placement.tiles),
      kernel_(kernel) {}

/// Blocks of a multiprocessor: as many as there is shared memory for, with 128 registers for each thread, of which up
/// to 64 are the fragment's.
std::uint32_t MmaWriter::blocks_of_warps() const {
  constexpr std::int64_t registers = 128;
  const kernel::Gpu& gpu = *planned_.gpu;
  const std::int64_t by_shared = gpu.shared_bytes / (tiles_.shared_bytes() + gpu.shared_bytes_of_system);
  const std::int64_t by_registers = gpu.registers / (registers * tiles_.threads());
  return static_cast<std::uint32_t>(std::max<std::int64_t>(1, std::min(by_shared, by_registers)));
}

void MmaWriter::write() {
  w_.function().threads = tiles_.threads();
  kernel_.threads = static_cast<std::uint32_t>(tiles_.threads());
  kernel_.block_items = 1;
  kernel_.resident = tiles_.by_warps ? blocks_of_warps() : 1;
  w_.function().blocks = kernel_.resident;
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
  operands.x = factor_of(w_, placement_.product.x);
  operands.y = factor_of(w_, placement_.product.y);
  w_.mma_tiles(
      tiles_, operands, placement_.product.reduce,
      [&](Value item) {
        const TilePlace place = enter(item);
        Values out = begin_of(w_, placement_.product.x, place.row);
        out.append(begin_of(w_, placement_.product.y, place.column));
        out.push_back(first_leaf());
        return out;
      },
      [&](Value item, const Values& sums) { write_tile(item, sums); });
}

kernel::MmaOperands::Factor factor_of(Writer& w, const MmaOperand& operand) {
  kernel::MmaOperands::Factor out;
  out.memory = w.buffers()[operand.buffer];
  if (operand.copy) {
    out.copy = w.buffers()[*operand.copy];
    out.copied = w.index(operand.copied);
  }
  for (std::size_t d = operand.whole.size(); d-- > 0;) {
    out.extents.push_back(w.index(operand.extents[d]));
    if (d + 1 < operand.whole.size()) out.strides.push_back(w.index(operand.stride(w.module().indices(), d)));
  }
  return out;
}

Values begin_of(Writer& w, const MmaOperand& operand, Value side) {
  Values out;
  for (std::size_t d = operand.subscripts.size(); d-- > 0;) {
    Value at = w.index(operand.subscripts[d]);
    out.push_back(d == operand.of_side && side ? w.add(at, side) : at);
  }
  return out;
}

/// The number of a tile's first leaf in the reduction.
Value MmaWriter::first_leaf() {
  if (!placement_.product.run) return w_.i64(0);
  const ir::IndexId run = module_.indices().variable(placement_.product.space.front().variable);
  return w_.multiply(w_.index(run), w_.i64(*placement_.product.run));
}

void MmaWriter::bind(Scope& scope, std::size_t dimension, Value value) const {
  const auto add = [&](const Binder& binder) {
    if (!scope.binds(binder.variable)) scope.variables.push_back({binder.variable, binder.extent, value});
  };
  add(placement_.product.space[dimension]);
  for (const Tail& tail : placement_.tails) add(tail.space[dimension]);
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

void MmaWriter::write_tile(Value item, const Values& fragment) {
  const TilePlace place = enter(item);
  const Values sums = exchanged(fragment);
  Value rows = w_.index(row_binder().extent), columns = w_.index(column_binder().extent);
  const auto known_rows = w_.known(rows), known_columns = w_.known(columns);
  if (planned_.plan.buffers[kernel_.output].storage) {
    write_results(place, sums, false);
    return;
  }
  if (known_rows && known_columns && *known_rows % tiles_.rows == 0 && *known_columns % tiles_.columns == 0) {
    write_results(place, sums, true);
    return;
  }
  Value last_row = b_.add(place.row, w_.i64(tiles_.rows), Fits::always);
  Value last_column = b_.add(place.column, w_.i64(tiles_.columns), Fits::always);
  Value is_whole = b_.bit_and(b_.less_equal(last_row, rows), b_.less_equal(last_column, columns));
  // Results that are written together lie at a multiple of so many.
  Value is_aligned = b_.equal(b_.bit_and(columns, w_.i64(written_together - 1)), w_.i64(0));
  const auto part = [&](bool whole) {
    return [&, whole] {
      write_results(place, sums, whole);
      return Values{};
    };
  };
  static_cast<void>(w_.branch(b_.bit_and(is_whole, is_aligned), part(true), part(false)));
}

/// Gives each thread results that are neighbours, four of each row. Of two blocks of 8 columns threads 0 and 2 of four
/// neighbours get the first one, and threads 1 and 3 the second one. So the stores of neighbouring threads fill whole
/// sectors of memory.
Values MmaWriter::exchanged(const Values& sums) {
  Value is_odd = b_.odd(thread_);
  Values out;
  for (std::size_t k = 0; k < sums.size(); k += 8) {
    for (const std::size_t below : {k, k + 2}) {
      Value own[2], other[2];
      for (std::size_t e = 0; e < 2; ++e) {
        Value first = sums[below + e], second = sums[below + 4 + e];
        own[e] = b_.select(is_odd, second, first);
        other[e] = b_.shuffle_xor(b_.select(is_odd, first, second), 1);
      }
      for (std::size_t e = 0; e < 2; ++e) out.push_back(b_.select(is_odd, other[e], own[e]));
      for (std::size_t e = 0; e < 2; ++e) out.push_back(b_.select(is_odd, own[e], other[e]));
    }
  }
  return out;
}

void MmaWriter::write_results(const TilePlace& place, const Values& sums, bool is_whole) {
  const auto shifted = [&](Value value, std::int64_t bits) { return b_.lshr(value, w_.i64(bits)); };
  const auto times = [&](Value value, std::int64_t factor) { return b_.mul(value, w_.i64(factor), Fits::always); };
  const auto masked = [&](std::int64_t mask) { return b_.bit_and(thread_, w_.i64(mask)); };
  const auto plus = [&](Value x, Value y) { return b_.add(x, y, Fits::always); };
  // The rows are as MmaTiles::row_of_thread has them. Four results are neighbours: see `exchanged`.
  Value of_group = times(shifted(thread_, 7), MmaTiles::group_rows);
  Value of_warp = times(shifted(masked(MmaTiles::group - 1), 5), 16);
  Value first_row = plus(place.row, plus(of_group, plus(of_warp, shifted(masked(31), 2))));
  Value of_thread = b_.bit_or(times(masked(1), 8), times(masked(2), 2));
  Value first_column = plus(place.column, of_thread);
  const auto write = [&](const Values& values, Value column) {
    for (std::int64_t k = 0; k < static_cast<std::int64_t>(values.size()); k += of_two_blocks) {
      const auto first = values.begin() + k;
      write_two_blocks(first_row, plus(column, w_.i64(MmaTiles::column(k))), {first, first + of_two_blocks}, is_whole);
    }
  };
  if (is_whole && !placement_.has_long_tails) return write(sums, first_column);
  // Long code, and code for the few tiles at the ends, stands for a part of the results. Registers have no index: in
  // each round all values move on.
  constexpr std::int64_t of_long_tails = 32;
  const std::int64_t part = is_whole ? of_long_tails : of_two_blocks;
  static_cast<void>(w_.loop(
      w_.i64(0), w_.i64(tiles_.fragment() / part), w_.i64(1), sums,
      [&](Value round, const Values& carried) {
        const auto end = carried.begin() + part;
        write({carried.begin(), end}, plus(first_column, times(round, MmaTiles::column(part))));
        Values next(end, carried.end());
        next.append(carried.begin(), end);
        return next;
      },
      false));
}

/// The results of two blocks of columns, `of_two_blocks` of them, from this row and column on.
void MmaWriter::write_two_blocks(Value first_row, Value first_column, const Values& sums, bool is_whole) {
  const auto further = [&](Value value, std::int64_t more) {
    return more == 0 ? value : b_.add(value, w_.i64(more), Fits::always);
  };
  const auto if_there = [&](Value position, const Binder& binder, FunctionRef<void()> then) {
    if (is_whole) then();
    else w_.if_then(b_.less(position, w_.index(binder.extent)), then);
  };
  for (const std::int64_t below : {std::int64_t{0}, std::int64_t{1}}) {
    Value row = further(first_row, MmaTiles::row(2 * below));
    const auto sum = [&](std::int64_t e) { return sums[static_cast<std::size_t>(written_together * below + e)]; };
    if_there(row, row_binder(), [&] {
      Values results;
      for (std::int64_t e = 0; e < written_together; ++e) {
        Value column = further(first_column, e);
        if (is_whole) {
          results.push_back(at_place(row, column, [&] { return result(sum(e)); }));
          continue;
        }
        if_there(column, column_binder(), [&] {
          static_cast<void>(at_place(row, column, [&] {
            Value value = result(sum(e));
            circuits_.store_at_offset(kernel_.output, offset_of_result(), value);
            return value;
          }));
        });
      }
      if (!is_whole) return;
      Value offset = at_place(row, first_column, [&] { return offset_of_result(); });
      b_.store_vector(w_.buffers()[kernel_.output], offset, results);
    });
  }
}

/// What the body gives where the variables of the row and column have these values.
Value MmaWriter::at_place(Value row, Value column, FunctionRef<Value()> body) {
  Scope scope;
  bind(scope, placement_.product.row_binder, row);
  bind(scope, placement_.product.space.size() - 1, column);
  return w_.in_scope(scope, [&] { return Values{body()}; })[0];
}

/// What is made of the sum, at its place.
Value MmaWriter::result(Value sum) {
  const MmaProduct& product = placement_.product;
  Value value = product.run ? sum : b_.root(product.reduce, sum);
  return parts_.made_of(product.output, {value}, placement_.tails)[0];
}

Value MmaWriter::offset_of_result() {
  const std::vector<Binder>& space =
      placement_.tails.empty() ? placement_.product.space : placement_.tails.back().space;
  Value offset = circuits_.place_in(planned_.plan.buffers[kernel_.output], space);
  w_.resume();
  return offset;
}

}  // namespace reckon::codegen
