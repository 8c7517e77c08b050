// Results of the second product, and of rows: what is made of them, and how they are written.
#include "codegen/strategies/tensor_cores/rows_writer.h"

namespace reckon::codegen {

using kernel::MmaTiles;

void RowsWriter::end(Value item, const Values& sums, const Values& carried) {
  const TilePlace place = enter(item);
  const State state = after_pass(rows_.passes - 1, place, unpack(rows_.passes - 1, carried));
  write_results(place, state, sums);
}

void RowsWriter::write_results(const TilePlace& place, const State& state, const Values& sums) {
  const auto all = [&] { return results(place, state, sums); };
  const Values right = circuits_.quick_or_exact(all, all);
  Value rows = w_.index(row_binder().extent), width = w_.index(rows_.second.space.back().extent);
  Value first_column = b_.add(place.column, lane_column(), Fits::always);
  for (std::size_t half = 0; half < halves; ++half) {
    Value row = row_of(place, half, false);
    w_.if_then(b_.less(row, rows), [&] {
      Scope of_row;
      bind_row(of_row, row);
      w_.in_scope(of_row, [&] {
        write_values_of_row(state, half);
        for (std::size_t k = 2 * half; k < right.size(); k += 4) {
          Value column = b_.add(first_column, w_.i64(MmaTiles::column(static_cast<std::int64_t>(k))), Fits::always);
          write_pair(column, width, {right[k], right[k + 1]});
        }
        return Values{};
      });
    });
  }
}

/// One of the four threads that have a row writes its values.
void RowsWriter::write_values_of_row(const State& state, std::size_t half) {
  w_.if_then(b_.equal(b_.bit_and(thread_, w_.i64(3)), w_.i64(0)), [&] {
    for (const auto& [s, values] : state.values) {
      const RowStep& step = rows_.steps[s];
      if (!step.is_written) continue;
      Value offset = circuits_.place_in(planned_.plan.buffers[step.output], step.body.space);
      circuits_.store_at_offset(step.output, offset, values[half]);
    }
  });
}

/// What is made of the sums of the second product, in their order.
Values RowsWriter::results(const TilePlace& place, const State& state, const Values& sums) {
  Values out(sums.size(), nullptr);
  Value width = w_.index(rows_.second.space.back().extent);
  const auto known = w_.known(width);
  for (std::size_t half = 0; half < halves; ++half) {
    Scope of_row;
    bind_row(of_row, row_of(place, half, true));
    w_.in_scope(of_row, [&] {
      for (std::size_t k = 2 * half; k < sums.size(); k += k % 2 == 0 ? 1 : 3) {
        Value column = column_of(place.column, k);
        if (!known || *known % shape_.width != 0) column = w_.smaller(column, b_.sub(width, w_.i64(1)));
        Scope of_result;
        bind_result(of_result, column);
        out[k] = w_.in_scope(of_result, [&] {
          if (circuits_.quick() != nullptr) circuits_.quick()->element = w_.scope();
          keep_rows(state, half);
          const Values made = parts_.made_of(rows_.second.output, {b_.root(rows_.second.reduce, sums[k])}, rows_.tails);
          kept_.clear();
          return made;
        })[0];
        w_.resume();
      }
      return Values{};
    });
    w_.resume();
  }
  return out;
}

void RowsWriter::bind_result(Scope& scope, Value column) const {
  const auto bind = [&](const Binder& binder) {
    if (!scope.binds(binder.variable)) scope.variables.push_back({binder.variable, binder.extent, column});
  };
  bind(rows_.second.space.back());
  for (const Tail& tail : rows_.tails) bind(tail.space.back());
}

/// Two results that are neighbours in a row, which begin at an even column.
void RowsWriter::write_pair(Value column, Value width, const Values& values) {
  const std::vector<Binder>& space = rows_.tails.empty() ? rows_.second.space : rows_.tails.back().space;
  const Buffer& output = planned_.plan.buffers[kernel_.output];
  const auto at_column = [&](Value position, FunctionRef<void(Value offset)> body) {
    Scope scope;
    bind_result(scope, position);
    w_.in_scope(scope, [&] {
      Value offset = circuits_.place_in(output, space);
      w_.resume();
      body(offset);
      return Values{};
    });
  };
  const auto known = w_.known(width);
  if (known && *known % 2 == 0 && !output.storage) {
    const auto write = [&] {
      at_column(column, [&](Value offset) { b_.store_vector(w_.buffers()[kernel_.output], offset, values); });
    };
    if (*known % shape_.width == 0) write();
    else w_.if_then(b_.less(column, width), write);
    return;
  }
  for (std::size_t e = 0; e < 2; ++e) {
    Value position = e == 0 ? column : b_.add(column, w_.i64(1), Fits::always);
    w_.if_then(b_.less(position, width), [&] {
      at_column(position, [&](Value offset) { circuits_.store_at_offset(kernel_.output, offset, values[e]); });
    });
  }
}

}  // namespace reckon::codegen
