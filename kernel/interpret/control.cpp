// Control in lock step: a region is run by the threads that come to it, and what threads do together needs all of them.
#include <fmt/format.h>

#include <algorithm>

#include "kernel/interpret/machine.h"

namespace reckon::kernel {

namespace {

/// The most nested calls; each of them needs some of the host's stack.
constexpr int max_nested_calls = 500;

}  // namespace

bool Machine::run_region(const Region& region, const Lanes& lanes) {
  for (const std::uint32_t number : region.operations) {
    operation_ = number;
    if (!execute(number, lanes) || outcome_.report) return false;
  }
  return true;
}

bool Machine::execute(std::uint32_t number, const Lanes& lanes) {
  const Operation& operation = program_.operations[number];
  ++step_;
  outcome_.operations += lanes.size();
  add(outcome_.counts, program_, operation, static_cast<double>(lanes.size()));
  if (outcome_.operations > launch_.budget) return fail(Report::Kind::budget, lanes[0], "too many operations");
  switch (operation.op) {
    case Op::loop: return loop(operation, lanes);
    case Op::while_loop: return while_loop(operation, lanes);
    case Op::branch: return branch(operation, lanes);
    case Op::call: return call(operation, lanes);
    case Op::chains: return chains(operation, lanes);
    case Op::mma_tiles: return mma_tiles(operation, lanes);
    case Op::mma_rows: return mma_rows(operation, lanes);
    case Op::barrier:
    case Op::barrier_or: return barrier(operation, lanes);
    case Op::shuffle_xor:
    case Op::peers:
    case Op::mma_f64:
    case Op::warp_barrier: return of_warp(operation, lanes);
    case Op::arrive:
    case Op::ticket: return count_up(operation, lanes);
    case Op::publish:
    case Op::look_up: return published(operation, lanes);
    case Op::launch_next: return true;
    case Op::await_previous:
      // A launch begins when the previous one is done, so there is nothing to wait for.
      for (std::uint32_t k = 0; k < operation.results; ++k) {
        const Value target = operation.result(k), source = operation.operands[k];
        assign({&target, 1}, {&source, 1}, lanes);
      }
      return true;
    case Op::table:
    case Op::stack:
    case Op::shared:
    case Op::advance:
    case Op::clear:
    case Op::load:
    case Op::load_vector:
    case Op::store:
    case Op::store_vector:
    case Op::atomic_add: return memory(operation, lanes);
    default: return compute(operation, lanes);
  }
}

bool Machine::loop(const Operation& operation, const Lanes& lanes) {
  const Region& region = operation.regions[0];
  const std::uint32_t number = operation_;
  const Value index = region.parameters[0];
  const auto carried = std::span(region.parameters).subspan(1);
  const auto signed_word = [&](Value value, std::uint32_t lane) {
    return static_cast<std::int64_t>(word(value, lane));
  };
  for (const std::uint32_t lane : lanes) {
    const std::int64_t first = signed_word(operation.operands[0], lane);
    const std::int64_t limit = signed_word(operation.operands[1], lane);
    if (first >= limit || signed_word(operation.operands[2], lane) <= 0) {
      return fail(Report::Kind::empty_loop, lane,
                  fmt::format("from {} to {} by {}", first, limit, signed_word(operation.operands[2], lane)));
    }
  }
  assign(carried, std::span(operation.operands).subspan(3), lanes);
  for (const std::uint32_t lane : lanes) word(index, lane) = word(operation.operands[0], lane);
  Lanes active = lanes;
  while (!active.empty()) {
    if (!run_region(region, active)) return false;
    operation_ = number;
    assign(carried, region.yields, active);
    std::erase_if(active, [&](std::uint32_t lane) {
      std::int64_t next = 0;
      const bool beyond =
          __builtin_add_overflow(signed_word(index, lane), signed_word(operation.operands[2], lane), &next);
      word(index, lane) = static_cast<std::uint64_t>(next);
      return beyond || next >= signed_word(operation.operands[1], lane);
    });
    // A body without operations counts as well.
    outcome_.operations += active.size();
    if (outcome_.operations > launch_.budget) return fail(Report::Kind::budget, lanes[0], "too many rounds");
  }
  for (std::uint32_t k = 0; k < operation.results; ++k) {
    const Value target = operation.result(k);
    assign({&target, 1}, {&carried[k], 1}, lanes);
  }
  return true;
}

bool Machine::while_loop(const Operation& operation, const Lanes& lanes) {
  const Region &condition = operation.regions[0], &body = operation.regions[1];
  const std::uint32_t number = operation_;
  assign(condition.parameters, operation.operands, lanes);
  Lanes active = lanes;
  while (true) {
    outcome_.operations += active.size();
    if (outcome_.operations > launch_.budget) return fail(Report::Kind::budget, lanes[0], "too many rounds");
    if (!run_region(condition, active)) return false;
    operation_ = number;
    std::erase_if(active, [&](std::uint32_t lane) { return word(condition.yields[0], lane) == 0; });
    if (active.empty()) break;
    assign(body.parameters, condition.parameters, active);
    if (!run_region(body, active)) return false;
    operation_ = number;
    assign(condition.parameters, body.yields, active);
  }
  for (std::uint32_t k = 0; k < operation.results; ++k) {
    const Value target = operation.result(k);
    assign({&target, 1}, {&condition.parameters[k], 1}, lanes);
  }
  return true;
}

bool Machine::branch(const Operation& operation, const Lanes& lanes) {
  const std::uint32_t number = operation_;
  Lanes sides[2];
  for (const std::uint32_t lane : lanes) sides[word(operation.operands[0], lane) != 0 ? 0 : 1].push_back(lane);
  for (std::size_t k = 0; k < 2; ++k) {
    const Lanes& side = sides[k];
    if (side.empty() || k >= operation.regions.size()) continue;
    const Region& region = operation.regions[k];
    if (!run_region(region, side)) return false;
    operation_ = number;
    for (std::uint32_t r = 0; r < operation.results; ++r) {
      const Value target = operation.result(r);
      assign({&target, 1}, {&region.yields[r], 1}, side);
    }
  }
  return true;
}

bool Machine::call(const Operation& operation, const Lanes& lanes) {
  const std::uint32_t number = operation_;
  const auto which = static_cast<std::size_t>(operation.number);
  if (which >= program_.functions.size()) return fail(Report::Kind::malformed, lanes[0], "there is no such function");
  if (depth_ >= max_nested_calls) return fail(Report::Kind::budget, lanes[0], "too many calls in each other");
  const Function& function = program_.functions[which];
  Frame frame;
  frame.columns.resize(frame_sizes_[which]);
  Frame* const caller = frame_;
  for (std::size_t k = 0; k < function.parameters.size(); ++k) {
    const Value parameter = function.parameters[k].value;
    auto made = std::make_unique<Column>(make_column(program_.type(parameter)));
    const Column& from = column(operation.operands[k]);
    for (const std::uint32_t lane : lanes) copy(from, lane, *made, lane);
    frame.columns[slots_[parameter.id]] = std::move(made);
  }
  frame_ = &frame;
  ++depth_;
  const bool done = run_region(function.body, lanes);
  --depth_;
  if (done) {
    for (std::uint32_t k = 0; k < operation.results; ++k) {
      frame_ = &frame;
      const Column& from = column(function.body.yields[k]);
      frame_ = caller;
      Column& to = column(operation.result(k));
      for (const std::uint32_t lane : lanes) copy(from, lane, to, lane);
    }
  }
  frame_ = caller;
  operation_ = number;
  return done;
}

/// One sum after the other, in every thread.
bool Machine::chains(const Operation& operation, const Lanes& lanes) {
  const Chains& chains = program_.chains[static_cast<std::size_t>(operation.number)];
  const Region& region = operation.regions[0];
  const std::uint32_t here = operation_;
  for (const std::uint32_t lane : lanes) {
    const Lanes alone{lane};
    const auto signed_word = [&](Value value) { return static_cast<std::int64_t>(word(value, lane)); };
    const std::int64_t first = signed_word(operation.operands[0]), limit = signed_word(operation.operands[1]);
    if (first >= limit) return fail(Report::Kind::empty_loop, lane, fmt::format("leaves {} to {}", first, limit));
    // Where element `further` of array k lies.
    const auto place = [&](std::size_t k, std::int64_t further, std::int64_t& offset) -> Array* {
      const Value memory = operation.operands[2 + 2 * k];
      const std::int64_t index = signed_word(operation.operands[3 + 2 * k]) + further;
      const Place& of = column(memory).places[lane];
      return find_place(program_.type(memory), of, static_cast<std::uint64_t>(index), 1, lane, offset) ? of.array
                                                                                                       : nullptr;
    };
    const auto read = [&](std::size_t k, std::int64_t further) {
      std::int64_t offset = 0;
      Array* array = place(k, further, offset);
      return array != nullptr && load_element(program_.type(operation.operands[2 + 2 * k]), *array, offset, lane,
                                              column(region.parameters[1 + k]));
    };
    const auto one_leaf = [&](std::int64_t leaf, std::int64_t row, std::int64_t of_column) {
      std::size_t k = chains.sums;
      for (const Chains::Factor& each : chains.of_rows)
        if (!read(k++, leaf * each.leaf + row * each.row)) return false;
      for (const std::int64_t step : chains.of_columns)
        if (!read(k++, leaf * step + of_column)) return false;
      word(region.parameters[0], lane) = static_cast<std::uint64_t>(leaf);
      if (!run_region(region, alone)) return false;
      operation_ = here;
      assign(std::span(region.parameters).subspan(1, chains.sums), region.yields, alone);
      return true;
    };
    for (std::int64_t number = 0; number < chains.rows * chains.columns; ++number) {
      const std::int64_t row = number / chains.columns, of_column = number % chains.columns;
      const std::int64_t sum = row * chains.pitch + of_column;
      for (std::size_t k = 0; k < chains.sums; ++k)
        if (!read(k, sum)) return false;
      for (std::int64_t leaf = first; leaf < limit; ++leaf)
        if (!one_leaf(leaf, row, of_column)) return false;
      for (std::size_t k = 0; k < chains.sums; ++k) {
        std::int64_t offset = 0;
        Array* array = place(k, sum, offset);
        if (array == nullptr || !store_element(program_.type(operation.operands[2 + 2 * k]), *array, offset, lane,
                                               column(region.parameters[1 + k]))) {
          return false;
        }
      }
    }
  }
  return true;
}

bool Machine::barrier(const Operation& operation, const Lanes& lanes) {
  if (!is_full(lanes)) {
    std::uint32_t missing = 0;
    while (missing < lanes.size() && lanes[missing] == missing) ++missing;
    return fail(Report::Kind::divergent, missing,
                fmt::format("{} of {} threads come to the barrier, not this one", lanes.size(), launch_.threads));
  }
  ordering_.barrier(step_);
  if (operation.op == Op::barrier) return true;
  const bool any = std::any_of(lanes.begin(), lanes.end(),
                               [&](std::uint32_t lane) { return word(operation.operands[0], lane) != 0; });
  for (const std::uint32_t lane : lanes) word(operation.result(), lane) = any;
  return true;
}

/// What needs all threads of a warp, each of which has to come.
bool Machine::of_warp(const Operation& operation, const Lanes& lanes) {
  for (const std::uint32_t lane : lanes) {
    const std::uint32_t first = lane - lane % warp;
    const std::uint32_t limit = std::min(first + warp, launch_.threads);
    const auto begin = std::lower_bound(lanes.begin(), lanes.end(), first);
    if (std::lower_bound(begin, lanes.end(), limit) - begin != static_cast<std::ptrdiff_t>(limit - first)) {
      return fail(Report::Kind::divergent, lane,
                  fmt::format("not all threads of the warp come to the {}",
                              operation.op == Op::shuffle_xor ? "shuffle" : spelling(operation.op)));
    }
    if (operation.op == Op::warp_barrier) ordering_.warp_barrier(lane / warp, step_);
  }
  return operation.op == Op::shuffle_xor ? shuffle(operation, lanes)
         : operation.op == Op::peers     ? peers(operation, lanes)
         : operation.op == Op::mma_f64   ? mma_f64(operation, lanes)
                                         : true;
}

bool Machine::shuffle(const Operation& operation, const Lanes& lanes) {
  const Column& from = column(operation.operands[0]);
  Column& to = column(operation.result());
  if (operation.number < 0 || operation.number >= warp) {
    return fail(Report::Kind::no_partner, lanes[0], fmt::format("a warp has no thread {} away", operation.number));
  }
  for (const std::uint32_t lane : lanes) {
    const std::uint32_t partner = lane ^ static_cast<std::uint32_t>(operation.number);
    if (partner >= launch_.threads) {
      return fail(Report::Kind::no_partner, lane, fmt::format("the block has no thread {}", partner));
    }
    copy(from, partner, to, lane);
  }
  return true;
}

bool Machine::peers(const Operation& operation, const Lanes& lanes) {
  for (const std::uint32_t lane : lanes) {
    const std::uint64_t index = word(operation.operands[0], lane);
    if (index >> 32 != 0) {
      return fail(Report::Kind::malformed, lane, fmt::format("the index {} has more than 32 bits", index));
    }
    std::uint64_t before = 0, all = 0;
    const std::uint32_t first = lane - lane % warp;
    for (std::uint32_t other = first; other < std::min(first + warp, launch_.threads); ++other) {
      if (word(operation.operands[0], other) != index) continue;
      ++all;
      before += other < lane ? 1 : 0;
    }
    word(operation.result(0), lane) = before;
    word(operation.result(1), lane) = all;
  }
  return true;
}

Machine::Lanes Machine::in_any_order(Lanes lanes) const {
  std::sort(lanes.begin(), lanes.end(), [&](std::uint32_t a, std::uint32_t b) { return order_[a] < order_[b]; });
  return lanes;
}

bool Machine::count_up(const Operation& operation, const Lanes& lanes) {
  const Type memory = program_.type(operation.operands[0]);
  const std::int64_t bytes = program_.widths.of_element(memory);
  for (const std::uint32_t lane : in_any_order(lanes)) {
    const Place place = column(operation.operands[0]).places[lane];
    std::int64_t offset = 0;
    if (!find_place(memory, place, word(operation.operands[1], lane), 1, lane, offset)) return false;
    const Cell* counter = place.array->find(offset, bytes);
    if (counter == nullptr) return fail(Report::Kind::not_written, lane, "the counter was not set to 0");
    if (counter->type.kind == Kind::number && !counter->is_pattern) {
      return fail(Report::Kind::malformed, lane, "a counter is an index, or a word in form `given`");
    }
    if (!note_write(*place.array, offset, bytes, lane, true)) return false;
    Cell& cell = place.array->claim(offset, bytes);
    const std::uint64_t last = word(operation.operands[2], lane), before = cell.word;
    if (before > last) {
      return fail(Report::Kind::malformed, lane, fmt::format("the counter is {}, more than {}", before, last));
    }
    const bool is_last = before == last;
    cell.word = is_last ? 0 : before + 1;
    if (operation.op == Op::arrive) ordering_.arrive(counters_[{place.array, offset}], lane, step_, is_last);
    word(operation.result(), lane) = operation.op == Op::arrive ? is_last : before;
  }
  return true;
}

}  // namespace reckon::kernel
