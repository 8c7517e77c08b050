// The state of the interpreter: a launch, a block of it, and the function that its threads are in.
#pragma once

#include <memory>
#include <span>
#include <unordered_map>

#include "kernel/gpu.h"
#include "kernel/interpret/interpret.h"

namespace reckon::kernel {

/// Threads of a warp.
constexpr auto warp = static_cast<std::uint32_t>(threads_of_a_warp);

/// A place in an array, and the part of it that may be accessed from there.
struct Place {
  Array* array = nullptr;
  std::int64_t offset = 0, begin = 0, end = 0;
};

/// A value in every thread of the block.
struct Column {
  Type type;
  std::vector<std::uint64_t> words;  ///< index, flag
  std::vector<Place> places;         ///< memory
  NumberArray numbers;               ///< number, divisor (the divisor itself)
};

class Machine {
 public:
  Machine(const Program& program, const Launch& launch, Numbers& numbers);
  Outcome run();

 private:
  /// The threads of the block that take part, ascending.
  using Lanes = std::vector<std::uint32_t>;
  struct Frame {
    std::vector<std::unique_ptr<Column>> columns;
    std::unordered_map<std::uint32_t, std::vector<std::unique_ptr<Array>>> stacks;  ///< by operation
  };

  // machine.cpp. A function that returns a bool gives false after it has made a report.
  bool fail(Report::Kind kind, std::uint32_t thread, std::string text);
  bool check_launch();
  void number_values();
  void number_region(const Region& region, std::uint32_t& count);
  bool run_block(std::uint32_t block);
  bool check_results();
  Column& column(Value value);
  Column make_column(Type type) const;
  Column& constant(Value value);
  std::uint64_t& word(Value value, std::uint32_t lane) { return column(value).words[lane]; }
  std::byte* number(Value value, std::uint32_t lane) { return column(value).numbers.at(lane); }
  void copy(const Column& from, std::uint32_t from_lane, Column& to, std::uint32_t to_lane);
  /// Assigns all targets at once, since a target may be another one's source.
  void assign(std::span<const Value> targets, std::span<const Value> sources, const Lanes& lanes);
  bool is_full(const Lanes& lanes) const { return lanes.size() == launch_.threads; }

  // control.cpp
  bool run_region(const Region& region, const Lanes& lanes);
  bool execute(std::uint32_t number, const Lanes& lanes);
  bool loop(const Operation& operation, const Lanes& lanes);
  bool while_loop(const Operation& operation, const Lanes& lanes);
  bool branch(const Operation& operation, const Lanes& lanes);
  bool call(const Operation& operation, const Lanes& lanes);
  bool chains(const Operation& operation, const Lanes& lanes);
  bool barrier(const Operation& operation, const Lanes& lanes);
  bool of_warp(const Operation& operation, const Lanes& lanes);
  bool shuffle(const Operation& operation, const Lanes& lanes);
  bool peers(const Operation& operation, const Lanes& lanes);
  bool mma_f64(const Operation& operation, const Lanes& lanes);
  bool join_products(const Operation& operation, std::uint32_t lane, std::uint32_t which);
  bool count_up(const Operation& operation, const Lanes& lanes);
  /// The lanes in the order of this run (Launch::seed), for what threads do one after the other.
  Lanes in_any_order(Lanes lanes) const;

  // mma_tiles.cpp
  /// A factor's part of a tile: leaf by leaf of every row.
  struct FactorTile {
    NumberArray numbers;
    std::vector<bool> has_row;  ///< those that are not beyond the tensor
    std::int64_t leaves = 0;    ///< that are not beyond it
    std::int64_t room = 0;      ///< leaves of a row in `numbers`
    const std::byte* of(std::size_t row, std::int64_t leaf) const {
      return numbers.at(row * static_cast<std::size_t>(room) + static_cast<std::size_t>(leaf));
    }
  };
  bool mma_tiles(const Operation& operation, const Lanes& lanes);
  /// Lists of products, from whose sums a fragment is made: `out` gets the one of row r and column c of the thread.
  /// Leaves before number `from` of the factors are left out.
  bool mma_fragment(const ir::TensorCores& unit, ir::NodeId site, std::int64_t first_leaf, const FactorTile& x,
                    const FactorTile& y, std::span<const Value> out, std::uint32_t lane, std::int64_t from = 0);
  bool read_factor(const MmaFactor& shape, const MmaOperands::Factor& factor, std::span<const Value> begin,
                   std::int64_t rows, std::int64_t leaves, std::uint32_t lane, FactorTile& out,
                   std::int64_t first_row = 0);

  // mma_rows.cpp
  struct MmaRow;
  bool mma_rows(const Operation& operation, const Lanes& lanes);
  bool mma_row(MmaRow& row, std::int64_t item);
  bool mma_tile_of_row(MmaRow& row, std::int64_t pass, std::int64_t first_column);

  // compute.cpp
  bool compute(const Operation& operation, const Lanes& lanes);
  bool integer(const Operation& operation, const Lanes& lanes);
  bool apply(const Calculation& calculation, std::span<const Value> operands, Value result, const Lanes& lanes);
  bool apply_rounded(const Operation& operation, const Lanes& lanes);
  bool check(const std::optional<NoValue>& problem, std::uint32_t lane);
  void note_faults(const Operation& operation, const Lanes& lanes);
  bool bounded_index(const Operation& operation, const Lanes& lanes);
  bool flags_and_bits(const Operation& operation, const Lanes& lanes);
  bool trees(const Operation& operation, const Lanes& lanes);

  // access.cpp
  bool memory(const Operation& operation, const Lanes& lanes);
  void make_places(const Operation& operation, const Lanes& lanes);
  bool clear(const Operation& operation, const Lanes& lanes);
  bool load(const Operation& operation, const Lanes& lanes);
  bool store(const Operation& operation, const Lanes& lanes);
  bool atomic_add(const Operation& operation, const Lanes& lanes);
  bool published(const Operation& operation, const Lanes& lanes);
  /// Finds the byte at which the elements begin.
  bool find_place(Type memory, const Place& place, std::uint64_t index, std::int64_t count, std::uint32_t lane,
                  std::int64_t& offset);
  bool load_element(Type memory, Array& array, std::int64_t offset, std::uint32_t lane, Column& out);
  bool store_element(Type memory, Array& array, std::int64_t offset, std::uint32_t lane, const Column& in);
  bool note_read(Array& array, Cell& cell, std::uint32_t lane);
  bool note_write(Array& array, std::int64_t offset, std::int64_t bytes, std::uint32_t lane, bool atomic = false);

  const Program& program_;
  const Launch& launch_;
  Numbers& numbers_;
  Outcome outcome_;

  std::vector<std::uint32_t> slots_;        ///< for each value: its column in the frames of its function
  std::vector<std::uint32_t> frame_sizes_;  ///< the number of columns of each function
  std::vector<std::unique_ptr<Column>> constants_;
  std::vector<std::unique_ptr<Array>> tables_;
  std::map<std::pair<const Array*, std::int64_t>, Ordering::Known> counters_;
  std::vector<std::uint32_t> order_;  ///< the threads' order, where any order is possible
  std::int64_t shared_bytes_ = 0;

  // Of the block.
  std::uint32_t block_ = 0;
  std::uint64_t step_ = 0;
  Ordering ordering_;
  std::unique_ptr<Array> shared_;
  Frame* frame_ = nullptr;
  int depth_ = 0;
  std::uint32_t operation_ = Value::none;  ///< the operation that is being executed
};

}  // namespace reckon::kernel
