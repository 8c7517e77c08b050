#include "kernel/interpret/memory.h"

#include <algorithm>

#include "kernel/gpu.h"

namespace reckon::kernel {

Cell* Array::find(std::int64_t offset, std::int64_t bytes) {
  return const_cast<Cell*>(static_cast<const Array&>(*this).find(offset, bytes));
}

const Cell* Array::find(std::int64_t offset, std::int64_t bytes) const {
  if (offset < 0 || offset >= this->bytes()) return nullptr;
  const std::uint32_t number = cell_at_[static_cast<std::size_t>(offset)];
  if (number == 0) return nullptr;
  const Cell& cell = cells_[number - 1];
  return cell.alive && cell.offset == offset && cell.bytes == bytes ? &cell : nullptr;
}

std::vector<Cell*> Array::overlapping(std::int64_t offset, std::int64_t bytes) {
  std::vector<Cell*> out;
  std::uint32_t before = 0;
  for (std::int64_t k = offset; k < offset + bytes; ++k) {
    const std::uint32_t number = cell_at_[static_cast<std::size_t>(k)];
    if (number != 0 && number != before) out.push_back(&cells_[number - 1]);
    before = number;
  }
  return out;
}

Cell& Array::claim(std::int64_t offset, std::int64_t bytes) {
  if (Cell* found = find(offset, bytes)) return *found;
  for (Cell* cell : overlapping(offset, bytes)) {
    // Bytes that the new cell does not cover keep the dead cell, which still knows who touched them.
    cell->alive = false;
    cell->number = {};
    cell->has_number = false;
  }
  Cell& made = cells_.emplace_back();
  made.offset = offset;
  made.bytes = bytes;
  made.alive = true;
  std::fill_n(cell_at_.begin() + offset, bytes, static_cast<std::uint32_t>(cells_.size()));
  return made;
}

void Array::forget_accesses() {
  for (Cell& cell : cells_) {
    cell.written = cell.other_written = {};
    cell.read.clear();
  }
}

Buffer::Buffer(Numbers& numbers, const Widths& widths, Type memory, std::int64_t count)
    : numbers_(&numbers),
      memory_(memory),
      bytes_(widths.of_element(memory)),
      count_(count),
      array_(Space::global, bytes_ * count) {}

Buffer Buffer::given(Numbers& numbers, const Widths& widths, ir::Scalar scalar,
                     std::span<const std::uint64_t> patterns) {
  Buffer out(numbers, widths, Type::memory(Space::global, Type::number(scalar), Form::given),
             static_cast<std::int64_t>(patterns.size()));
  for (std::size_t k = 0; k < patterns.size(); ++k) out.set_word(static_cast<std::int64_t>(k), patterns[k]);
  return out;
}

Buffer Buffer::indices(Numbers& numbers, const Widths& widths, std::span<const std::int64_t> values) {
  Buffer out(numbers, widths, Type::memory(Space::global, Type::index()), static_cast<std::int64_t>(values.size()));
  for (std::size_t k = 0; k < values.size(); ++k) {
    out.set_word(static_cast<std::int64_t>(k), static_cast<std::uint64_t>(values[k]));
  }
  return out;
}

void Buffer::set_word(std::int64_t k, std::uint64_t word) {
  Cell& cell = array_.claim(k * bytes_, bytes_);
  cell.type = memory_.element_type();
  cell.is_pattern = cell.type.kind == Kind::number;
  cell.word = word;
}

const std::byte* Buffer::number(std::int64_t k) const {
  const Cell* found = cell(k);
  return found && found->type.kind == Kind::number && !found->is_pattern ? found->number.at(0) : nullptr;
}

std::optional<std::uint64_t> Buffer::word(std::int64_t k) const {
  const Cell* found = cell(k);
  if (found == nullptr) return std::nullopt;
  if (const std::byte* value = number(k)) return numbers_->pattern(found->type.scalar, value);
  return found->word;
}

void Ordering::begin_block(std::uint32_t block, std::uint64_t step) {
  block_ = block;
  barrier_ = step;
  warp_barriers_.clear();
  acquired_.clear();
}

bool Ordering::sees(const Release& release, const Access& earlier) const {
  if (release.block != earlier.block) return false;
  return earlier.step < release.barrier || (earlier.thread == release.thread && earlier.step < release.step);
}

bool Ordering::is_before(const Access& earlier, std::uint32_t thread) const {
  if (earlier.step == 0) return true;
  if (earlier.block == block_) {
    if (earlier.thread == thread || earlier.step < barrier_) return true;
    const auto met = warp_barriers_.find(thread / threads_of_a_warp);
    return met != warp_barriers_.end() && earlier.thread / threads_of_a_warp == met->first &&
           earlier.step < met->second;
  }
  for (const Acquired& acquired : acquired_) {
    if (acquired.thread != thread && acquired.step >= barrier_) continue;
    for (const Release& release : acquired.known) {
      if (sees(release, earlier)) return true;
    }
  }
  return false;
}

void Ordering::arrive(Known& counter, std::uint32_t thread, std::uint64_t step, bool is_last) {
  if (is_last) acquired_.push_back({thread, step, counter});
  counter.push_back({block_, thread, barrier_, step});
  // What this thread has learnt from others is passed on to the last thread that arrives.
  for (const Acquired& acquired : acquired_) {
    if (acquired.thread == thread || acquired.step < barrier_) {
      const Known known = acquired.known;
      counter.insert(counter.end(), known.begin(), known.end());
    }
  }
  if (is_last) counter.clear();
}

}  // namespace reckon::kernel
