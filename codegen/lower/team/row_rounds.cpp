// The elements of a row that are a thread's, some after the others in a loop: little code, which is soon compiled.
#include <algorithm>

#include "codegen/lower/team/team.h"
#include "codegen/place.h"
#include "ir/op.h"
#include "ir/visit.h"

namespace reckon::codegen {

using llvm::Value;

namespace {

/// Elements of a round in registers. Fewer are less code, and more moves of the others.
constexpr std::size_t of_a_round = 8;

}  // namespace

bool Lowering::is_much_code(const KernelBody& step) const {
  const auto is_long = [&](ir::NodeId id) {
    return ir::is_elementary(module_[id].op) || module_[id].op == ir::Op::div;
  };
  return ir::find_node(module_, {step.node}, is_long).has_value();
}

/// round(positions, carried) for `side` neighbouring slots at a time; what it gives is carried on.
Values Lowering::elements_in_rounds(std::size_t side, const Values& carried,
                                    llvm::function_ref<Values(llvm::ArrayRef<Value*>, const Values&)> round) {
  side = std::min(side, slots_.size());
  const auto count = static_cast<std::int64_t>(slots_.size() / side);
  const auto stride = static_cast<std::int64_t>(side) * warp;
  return loop(
      i64(0), i64(count), i64(1), carried,
      [&](Value* number, const Values& now) {
        Value* before = b_.CreateMul(number, i64(stride), "", true, true);
        std::vector<Value*> positions;
        for (std::size_t k = 0; k < side; ++k) positions.push_back(add(before, slots_[k]));
        return round(positions, now);
      },
      false);
}

/// Registers have no subscripts. So the rows that the step reads go round: each round finds its elements in front, and
/// puts them, or what it has made of them, behind the others. What is made takes the place of a row that no later step
/// reads; without one there would be registers for both at the same time.
bool Lowering::rows_go_round(const KernelBody& rows, std::size_t number, Local& made, Round round) {
  const KernelBody& step = rows.steps[number];
  const RowArrays& arrays = rows.row_arrays;
  const std::size_t side = std::max(of_a_round, static_cast<std::size_t>(rows.row_vector)), size = slots_.size();
  const bool kept = arrays.readers.contains(step.output);
  llvm::Type* type = code_.register_type(module_.type(step.node).scalar);
  if (!arrays.known || size % side != 0) return false;
  std::vector<Local*> read;
  Local* replaced = nullptr;
  const auto note = [&](Local& row, bool last) {
    read.push_back(&row);
    if (kept && last && replaced == nullptr && row.of_slot[0][0]->getType() == type) replaced = &row;
  };
  for (std::size_t k = 0; k < arrays.inputs.size(); ++k) {
    const auto& reads = arrays.inputs[k].reads;
    const auto is_here = [&](const auto& one) { return one.first == number; };
    if (std::ranges::any_of(reads, is_here)) note(staged_[k], reads.back().first == number);
  }
  for (const auto& [buffer, readers] : arrays.readers) {
    if (std::ranges::find(readers, number) != readers.end()) note(locals_.at(buffer), readers.back() == number);
  }
  if (kept && replaced == nullptr) return false;

  Values all;
  for (Local* row : read) {
    for (const Values& slot : row->of_slot) all.push_back(slot[0]);
  }
  const std::vector<Value*> slots = slots_;
  const auto put = [&](const Values& values, std::size_t each, std::size_t count) {
    for (std::size_t r = 0; r < read.size(); ++r) {
      read[r]->of_slot.clear();
      for (std::size_t k = 0; k < count; ++k) read[r]->of_slot.push_back({values[r * each + k]});
    }
  };
  const Values after = elements_in_rounds(side, all, [&](llvm::ArrayRef<Value*> positions, const Values& now) {
    slots_.assign(positions.begin(), positions.end());
    put(now, size, side);
    const Values values = round(positions);
    slots_ = slots;
    Values next;
    for (std::size_t r = 0; r < read.size(); ++r) {
      const auto first = now.begin() + static_cast<std::ptrdiff_t>(r * size);
      const auto rest = first + static_cast<std::ptrdiff_t>(side);
      next.append(rest, first + static_cast<std::ptrdiff_t>(size));
      if (read[r] == replaced) next.append(values.begin(), values.end());
      else next.append(first, rest);
    }
    return next;
  });
  put(after, size, size);
  if (replaced != nullptr) made.of_slot = replaced->of_slot;
  return true;
}

}  // namespace reckon::codegen
