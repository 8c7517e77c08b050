// Memory: where an access goes, what it finds there, and who else touched it.
#include <fmt/format.h>

#include <algorithm>

#include "kernel/interpret/machine.h"
#include "numerics/format.h"

namespace reckon::kernel {

namespace {

/// How many threads that read a cell are remembered: enough for two threads of each of four blocks.
constexpr std::size_t max_readers = 8;
/// What arrays are aligned to.
constexpr std::int64_t widest = 16;

/// The largest power of two that divides the bytes.
std::int64_t alignment_of(std::int64_t bytes) { return bytes == 0 ? 1 : std::min(widest, bytes & -bytes); }

}  // namespace

bool Machine::memory(const Operation& operation, const Lanes& lanes) {
  switch (operation.op) {
    case Op::clear: return clear(operation, lanes);
    case Op::load:
    case Op::load_vector: return load(operation, lanes);
    case Op::store:
    case Op::store_vector: return store(operation, lanes);
    case Op::atomic_add: return atomic_add(operation, lanes);
    default: make_places(operation, lanes); return true;
  }
}

void Machine::make_places(const Operation& operation, const Lanes& lanes) {
  Column& out = column(operation.result());
  const std::int64_t bytes = program_.widths.of_element(out.type);
  for (const std::uint32_t lane : lanes) {
    Place& place = out.places[lane];
    if (operation.op == Op::advance) {
      place = column(operation.operands[0]).places[lane];
      place.offset += static_cast<std::int64_t>(word(operation.operands[1], lane));
    } else if (operation.op == Op::shared) {
      place = {shared_.get(), operation.offset, operation.offset, operation.offset + operation.number};
    } else if (operation.op == Op::table) {
      Array& array = *tables_[static_cast<std::size_t>(operation.number)];
      place = {&array, 0, 0, array.bytes()};
    } else {
      // A thread gets the same array however often it comes here.
      auto& stacks = frame_->stacks[operation_];
      stacks.resize(launch_.threads);
      if (!stacks[lane]) stacks[lane] = std::make_unique<Array>(Space::local, operation.number * bytes);
      place = {stacks[lane].get(), 0, 0, stacks[lane]->bytes()};
    }
  }
}

bool Machine::find_place(Type memory, const Place& place, std::uint64_t index, std::int64_t count, std::uint32_t lane,
                         std::int64_t& offset) {
  const std::int64_t bytes = program_.widths.of_element(memory);
  if (place.array == nullptr) return fail(Report::Kind::malformed, lane, "the place was not made");
  std::int64_t further = 0, last = 0;
  if (__builtin_mul_overflow(static_cast<std::int64_t>(index), bytes, &further) ||
      __builtin_add_overflow(place.offset, further, &offset) || __builtin_add_overflow(offset, count * bytes, &last) ||
      offset < place.begin || last > place.end) {
    return fail(Report::Kind::outside, lane,
                fmt::format("element {} ({} of {} bytes) of an array of {} bytes, from byte {}",
                            static_cast<std::int64_t>(index), count, bytes, place.end - place.begin,
                            place.offset - place.begin));
  }
  if (offset % alignment_of(count * bytes) != 0) {
    return fail(Report::Kind::misaligned, lane, fmt::format("{} bytes at byte {} of the array", count * bytes, offset));
  }
  return true;
}

bool Machine::note_read(Array& array, Cell& cell, std::uint32_t lane) {
  if (array.space() == Space::local) return true;
  for (const Access& written : {cell.written, cell.other_written}) {
    if (ordering_.is_before(written, lane)) continue;
    return fail(Report::Kind::race, lane,
                fmt::format("byte {} is read, and written by thread {} of block {}", cell.offset, written.thread,
                            written.block));
  }
  const auto is_mine = [&](const Access& read) { return read.block == block_ && read.thread == lane; };
  std::erase_if(cell.read, is_mine);
  const auto of_block =
      std::count_if(cell.read.begin(), cell.read.end(), [&](const Access& read) { return read.block == block_; });
  // Two readers of a block are enough: one of them is not the thread that writes. The latest readers are kept.
  if (of_block == 2) {
    cell.read.erase(
        std::find_if(cell.read.begin(), cell.read.end(), [&](const Access& read) { return read.block == block_; }));
  } else if (cell.read.size() == max_readers) {
    cell.read.erase(cell.read.begin());
  }
  cell.read.push_back({step_, block_, lane, false});
  return true;
}

bool Machine::note_write(Array& array, std::int64_t offset, std::int64_t bytes, std::uint32_t lane, bool atomic) {
  if (array.space() == Space::local) return true;
  const auto race = [&](const Cell& cell, const Access& other, const char* what) {
    return fail(Report::Kind::race, lane,
                fmt::format("byte {} is written, and {} by thread {} of block {}", cell.offset, what, other.thread,
                            other.block));
  };
  for (const Cell* cell : array.overlapping(offset, bytes)) {
    for (const Access& written : {cell->written, cell->other_written}) {
      if (!(atomic && written.atomic) && !ordering_.is_before(written, lane)) return race(*cell, written, "written");
    }
    for (const Access& read : cell->read) {
      if (!ordering_.is_before(read, lane)) return race(*cell, read, "read");
    }
  }
  Cell& cell = array.claim(offset, bytes);
  if (!atomic) cell.other_written = {};
  else if (cell.written.atomic && (cell.written.thread != lane || cell.written.block != block_))
    cell.other_written = cell.written;
  cell.written = {step_, block_, lane, atomic};
  cell.read.clear();
  return true;
}

bool Machine::load_element(Type memory, Array& array, std::int64_t offset, std::uint32_t lane, Column& out) {
  const std::int64_t bytes = program_.widths.of_element(memory);
  Cell* cell = array.find(offset, bytes);
  if (cell == nullptr) {
    for (const Cell* other : array.overlapping(offset, bytes)) {
      if (!ordering_.is_before(other->written, lane)) {
        return fail(Report::Kind::race, lane,
                    fmt::format("byte {} is read, and written by thread {} of block {} in another size", offset,
                                other->written.thread, other->written.block));
      }
    }
    return fail(Report::Kind::not_written, lane, fmt::format("{} bytes at byte {}", bytes, offset));
  }
  if (!note_read(array, *cell, lane)) return false;
  const Type type = memory.element_type();
  if (cell->type.kind != type.kind || (type.kind == Kind::number && cell->type.scalar != type.scalar)) {
    return fail(Report::Kind::not_written, lane, fmt::format("byte {} was written as another type", offset));
  }
  if (type.kind != Kind::number) {
    out.words[lane] = cell->word;
  } else if (cell->is_pattern) {
    return check(numbers_.from_pattern(type.scalar, cell->word, out.numbers.at(lane)), lane);
  } else {
    numbers_.copy(type.scalar, cell->number.at(0), out.numbers.at(lane));
  }
  return true;
}

bool Machine::store_element(Type memory, Array& array, std::int64_t offset, std::uint32_t lane, const Column& in) {
  const std::int64_t bytes = program_.widths.of_element(memory);
  if (!note_write(array, offset, bytes, lane)) return false;
  Cell& cell = array.claim(offset, bytes);
  const Type type = memory.element_type();
  const bool same = cell.type == type && !cell.is_pattern;
  cell.type = type;
  cell.is_pattern = type.kind == Kind::number && memory.form == Form::given;
  if (type.kind != Kind::number) {
    cell.word = in.words[lane];
  } else if (cell.is_pattern) {
    const auto pattern = numbers_.pattern(type.scalar, in.numbers.at(lane));
    if (!pattern) return fail(Report::Kind::no_value, lane, "a number has no bit pattern");
    cell.word = *pattern;
  } else {
    // The array is empty where the cell is new, or was of another type.
    if (!same || !cell.has_number) cell.number = NumberArray(numbers_, type.scalar, 1);
    cell.has_number = true;
    numbers_.copy(type.scalar, in.numbers.at(lane), cell.number.at(0));
  }
  return true;
}

bool Machine::clear(const Operation& operation, const Lanes& lanes) {
  const Column& places = column(operation.operands[0]);
  const Type type = places.type.element_type();
  Column zero = make_column(type);
  for (const std::uint32_t lane : lanes) {
    if (type.kind == Kind::number && !check(numbers_.from_pattern(type.scalar, 0, zero.numbers.at(lane)), lane)) {
      return false;
    }
    for (std::int64_t k = 0; k < operation.number; ++k) {
      const Place place = places.places[lane];
      std::int64_t offset = 0;
      if (!find_place(places.type, place, static_cast<std::uint64_t>(k), 1, lane, offset) ||
          !store_element(places.type, *place.array, offset, lane, zero)) {
        return false;
      }
    }
  }
  return true;
}

bool Machine::load(const Operation& operation, const Lanes& lanes) {
  const Column& places = column(operation.operands[0]);
  const std::int64_t bytes = program_.widths.of_element(places.type);
  const std::uint32_t count = operation.results;
  for (const std::uint32_t lane : lanes) {
    const Place& place = places.places[lane];
    const std::uint64_t index = word(operation.operands[1], lane) + static_cast<std::uint64_t>(operation.offset);
    Place readable = place;
    // The last 16 bytes of a kernel's array may be read as a whole even if the elements end before.
    if (count > 1 && place.array && place.array->space() == Space::global) {
      readable.end = (place.end + widest - 1) / widest * widest;
    }
    std::int64_t offset = 0;
    if (!find_place(places.type, readable, index, count, lane, offset)) return false;
    for (std::uint32_t k = 0; k < count; ++k, offset += bytes) {
      Column& out = column(operation.result(k));
      if (offset >= place.end) {
        // There is no value beyond the end: the result is no node, and a NaN if the format has NaNs, so that uses show.
        if (k == 0) return fail(Report::Kind::outside, lane, "the first element is beyond the end");
        if (out.type.kind != Kind::number) continue;
        const ir::Scalar scalar = out.type.scalar;
        const std::uint64_t nan = ir::is_float(scalar) ? numerics::canonical_nan(ir::format_of(scalar)) : 0;
        if (numbers_.from_pattern(scalar, nan, out.numbers.at(lane)) &&
            !check(numbers_.from_pattern(scalar, 0, out.numbers.at(lane)), lane)) {
          return false;
        }
      } else if (!load_element(places.type, *place.array, offset, lane, out)) {
        return false;
      }
    }
  }
  return true;
}

bool Machine::store(const Operation& operation, const Lanes& lanes) {
  const Column& places = column(operation.operands[0]);
  const std::int64_t bytes = program_.widths.of_element(places.type);
  const auto values = std::span(operation.operands).subspan(2);
  for (const std::uint32_t lane : lanes) {
    const Place& place = places.places[lane];
    const std::uint64_t index = word(operation.operands[1], lane) + static_cast<std::uint64_t>(operation.offset);
    std::int64_t offset = 0;
    if (!find_place(places.type, place, index, static_cast<std::int64_t>(values.size()), lane, offset)) return false;
    for (const Value value : values) {
      if (!store_element(places.type, *place.array, offset, lane, column(value))) return false;
      offset += bytes;
    }
  }
  return true;
}

/// Threads come in any order.
bool Machine::atomic_add(const Operation& operation, const Lanes& lanes) {
  const Type memory = program_.type(operation.operands[0]);
  const ir::Scalar scalar = memory.scalar;
  const std::int64_t bytes = program_.widths.of_element(memory);
  for (const std::uint32_t lane : in_any_order(lanes)) {
    const Place place = column(operation.operands[0]).places[lane];
    const std::uint64_t index = word(operation.operands[1], lane) + static_cast<std::uint64_t>(operation.offset);
    std::int64_t offset = 0;
    if (!find_place(memory, place, index, 1, lane, offset)) return false;
    const Cell* before = place.array->find(offset, bytes);
    if (before == nullptr || before->type != memory.element_type() || !before->has_number) {
      return fail(Report::Kind::not_written, lane, fmt::format("{} bytes at byte {}", bytes, offset));
    }
    if (!note_write(*place.array, offset, bytes, lane, true)) return false;
    Cell& cell = place.array->claim(offset, bytes);
    const std::byte* const operands[] = {cell.number.at(0), number(operation.operands[2], lane)};
    NumberArray out(numbers_, scalar, 1);
    if (!check(numbers_.apply({ir::Op::add, scalar, scalar}, operands, out.at(0), 1), lane)) return false;
    numbers_.copy(scalar, out.at(0), cell.number.at(0));
  }
  return true;
}

bool Machine::published(const Operation& operation, const Lanes& lanes) {
  const Type memory = program_.type(operation.operands[0]);
  const Value value = operation.op == Op::publish ? operation.operands[2] : operation.result();
  const Type type = program_.type(value);
  const std::int64_t parts = program_.widths.words_to_publish(type.scalar),
                     word_bytes = program_.widths.of_element(memory);
  for (const std::uint32_t lane : in_any_order(lanes)) {
    const Place place = column(operation.operands[0]).places[lane];
    const std::uint64_t index = word(operation.operands[1], lane) * static_cast<std::uint64_t>(parts);
    std::int64_t offset = 0;
    if (!find_place(memory, place, index, parts, lane, offset)) return false;
    if (operation.op == Op::look_up) {
      const Cell* cell = place.array->find(offset, parts * word_bytes);
      const bool is_there = cell != nullptr && !cell->is_pattern && cell->type == type;
      word(operation.result(1), lane) = is_there;
      std::byte* found = column(value).numbers.at(lane);
      if (is_there) numbers_.copy(type.scalar, cell->number.at(0), found);
      else if (!check(numbers_.from_pattern(type.scalar, 0, found), lane)) return false;
      continue;
    }
    for (std::int64_t part = 0; part < parts; ++part) {
      const Cell* cell = place.array->find(offset + part * word_bytes, word_bytes);
      if (cell == nullptr || !cell->is_pattern || cell->word != 0) {
        return fail(Report::Kind::malformed, lane, "the words of a published value are not 0");
      }
    }
    if (!note_write(*place.array, offset, parts * word_bytes, lane, true)) return false;
    Cell& cell = place.array->claim(offset, parts * word_bytes);
    cell.type = type;
    cell.is_pattern = false;
    cell.has_number = true;
    cell.number = NumberArray(numbers_, type.scalar, 1);
    numbers_.copy(type.scalar, number(value, lane), cell.number.at(0));
  }
  return true;
}

}  // namespace reckon::kernel
