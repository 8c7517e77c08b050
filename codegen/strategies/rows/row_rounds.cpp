// Loops over the elements of a row that belong to a thread: little code, which compiles fast, for elements in shared
// memory and for work that is rarely done.
#include <algorithm>

#include "codegen/place/place.h"
#include "codegen/strategies/rows/row_steps.h"

namespace reckon::codegen {

/// Runs round(positions, carried) for `side` neighbouring slots at a time; its result is carried to the next round.
Values RowSteps::elements_in_rounds(std::size_t side, const Values& carried,
                                    FunctionRef<Values(std::span<const Value>, const Values&)> round) {
  const std::vector<Value>& slots = kept_.slots();
  side = std::min(side, slots.size());
  const auto count = static_cast<std::int64_t>(slots.size() / side);
  const auto stride = static_cast<std::int64_t>(side) * warp;
  return w_.loop(
      w_.i64(0), w_.i64(count), w_.i64(1), carried,
      [&](Value number, const Values& now) {
        Value before = b_.mul(number, w_.i64(stride), Fits::always);
        std::vector<Value> positions;
        for (std::size_t k = 0; k < side; ++k) positions.push_back(w_.add(before, slots[k]));
        return round(positions, now);
      },
      false);
}

/// Registers cannot be indexed. So the rows that the step reads are rotated: each round finds its elements at the
/// front, and moves them behind the others.
void RowSteps::rows_go_round(std::size_t number, std::size_t side,
                             FunctionRef<void(std::span<const Value> positions)> round) {
  const RowArrays& arrays = shares_.arrays;
  std::vector<Kept*> read;
  for (std::size_t k = 0; k < arrays.inputs.size(); ++k) {
    const auto is_here = [&](const auto& one) { return one.first == number; };
    if (std::ranges::any_of(arrays.inputs[k].reads, is_here)) read.push_back(&kept_.input(k));
  }
  for (const auto& [buffer, readers] : arrays.readers) {
    if (std::ranges::find(readers, number) != readers.end()) read.push_back(&kept_.of_step(buffer));
  }
  const std::vector<Value> slots = kept_.slots();
  std::vector<std::vector<Values>> kept;
  Values all;
  for (const Kept* row : read) {
    kept.push_back(row->of_slot);
    for (const Values& slot : row->of_slot) all.push_back(slot[0]);
  }
  elements_in_rounds(side, all, [&](std::span<const Value> positions, const Values& now) {
    kept_.set_slots({positions.begin(), positions.end()});
    Values next;
    for (std::size_t r = 0; r < read.size(); ++r) {
      const auto first = now.begin() + static_cast<std::ptrdiff_t>(r * slots.size());
      const auto rest = first + static_cast<std::ptrdiff_t>(side);
      read[r]->of_slot.clear();
      for (auto value = first; value != rest; ++value) read[r]->of_slot.push_back({*value});
      next.append(rest, first + static_cast<std::ptrdiff_t>(slots.size()));
      next.append(first, rest);
    }
    round(positions);
    kept_.set_slots(slots);
    return next;
  });
  for (std::size_t r = 0; r < read.size(); ++r) read[r]->of_slot = kept[r];
}

}  // namespace reckon::codegen
