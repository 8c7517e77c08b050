// Values and memory: indices are computed for every thread of the block, numbers are only their chains.
#include <algorithm>

#include "kernel/cost_walk.h"
#include "kernel/integer.h"

namespace reckon::kernel {
namespace {

// The numbers of arrays: those of parameters come before these.
constexpr std::int64_t shared_array = 1 << 20, first_table = 1 << 21, first_stack = std::int64_t{1} << 40;

std::uint64_t place_of(Space space, std::int64_t offset, std::uint32_t lane) {
  return static_cast<std::uint64_t>(offset) | (space == Space::local ? std::uint64_t{lane} << 48 : 0);
}

/// The chain of an empty sum: another chain that is joined with it stays as long as it is.
constexpr Chain nothing{-1, 0};

}  // namespace

void CostWalk::set_all(Known& to, std::int64_t word) const {
  to = {};
  to.is_known = true;
  to.words.assign(static_cast<std::size_t>(shape_.threads), word);
}

CostWalk::Known& CostWalk::known(Value value) {
  const Constant* constant = program_.as_constant(value);
  if (!constant) return (*frame_)[value.id];
  Known& out = constants_[program_.definitions[value.id].index];
  if (!out.words.empty()) return out;
  set_all(out, constant->kind == Constant::Kind::integer ? static_cast<std::int64_t>(constant->value) : 0);
  out.is_known = constant->type.kind != Kind::number;
  if (constant->kind == Constant::Kind::neutral) out.chains.assign(out.words.size(), nothing);
  return out;
}

CostWalk::Known& CostWalk::result(const Operation& operation, std::uint32_t k) {
  return (*frame_)[operation.result(k).id];
}

void CostWalk::merge(Known& to, const Known& from, const Lanes& lanes, bool fresh) {
  if (fresh) {
    to = from;
    to.words.resize(std::max(to.words.size(), to.chains.size()));
    return;
  }
  const std::size_t threads = std::max({to.words.size(), to.chains.size(), from.words.size(), from.chains.size()});
  to.words.resize(threads);
  to.is_known = to.is_known && from.is_known;
  to.array = from.array;
  if (!from.chains.empty() && to.chains.empty()) to.chains.resize(to.words.size());
  for (const std::uint32_t lane : lanes.lanes) {
    if (to.is_known) to.words[lane] = from.words[lane];
    if (!to.chains.empty()) to.chains[lane] = from.chain(lane);
  }
}

void CostWalk::note(const std::vector<Chain>& chains, const Lanes& lanes) {
  if (chains.empty()) return;
  for (const std::uint32_t lane : lanes.lanes) cost_.longest = later(cost_.longest, chains[lane]);
}

std::vector<Chain> CostWalk::chains_of(std::span<const Value> operands, double cycles, bool joins, const Lanes& lanes) {
  std::vector<Chain> out(static_cast<std::size_t>(shape_.threads));
  std::array<const Known*, 4> from{};
  const std::size_t count = std::min(operands.size(), from.size());
  for (std::size_t k = 0; k < count; ++k) from[k] = &known(operands[k]);
  for (const std::uint32_t lane : lanes.lanes) {
    Chain chain;
    bool any_nothing = false;
    for (std::size_t k = 0; k < count; ++k) {
      const Chain one = from[k]->chain(lane);
      any_nothing = any_nothing || one.joins < 0;
      chain = later(chain, one);
    }
    out[lane] = {chain.joins + (joins && !any_nothing ? 1 : 0), chain.cycles + cycles};
  }
  return out;
}

void CostWalk::compute(const Operation& operation, const Lanes& lanes) {
  if (is_integer(operation.op)) return integer(operation, lanes);
  if (operation.op == Op::select) return select(operation, lanes);
  if (operation.results == 0) return;
  if (operation.op == Op::await_previous) {
    for (std::uint32_t k = 0; k < operation.results; ++k) result(operation, k) = known(operation.operands[k]);
    return;
  }
  Known& out = result(operation);
  switch (operation.op) {
    case Op::thread:
      set_all(out, 0);
      for (const std::uint32_t lane : lanes.lanes) out.words[lane] = lane;
      return;
    case Op::threads: return set_all(out, shape_.threads);
    case Op::block: return set_all(out, block_);
    case Op::blocks: return set_all(out, shape_.blocks);
    case Op::may_be_wrong: return set_all(out, 0);  // which is rare
    case Op::leaf:
    case Op::root: {
      const Known value = known(operation.operands[0]);
      out = value;
      return;
    }
    case Op::node: return node(operation, lanes);
    case Op::mma_f64: return mma_f64(operation, lanes);
    default: break;
  }
  const bool joins = operation.op == Op::apply && operation.number == 1;
  for (std::uint32_t k = 0; k < operation.results; ++k) {
    std::vector<Chain> chains = chains_of(operation.operands, gpu_.latency.arithmetic, joins, lanes);
    Known& each = result(operation, k);
    each = {};
    each.chains = std::move(chains);
  }
}

void CostWalk::node(const Operation& operation, const Lanes& lanes) {
  const Known &value = known(operation.operands[0]), &left = known(operation.operands[1]),
              &right = known(operation.operands[2]);
  Known out;
  out.chains.resize(static_cast<std::size_t>(shape_.threads));
  for (const std::uint32_t lane : lanes.lanes) {
    const double of_left = left.chain(lane).joins, of_right = right.chain(lane).joins;
    const double joins = std::max(of_left, of_right) + (of_left < 0 || of_right < 0 ? 0 : 1);
    out.chains[lane] = {joins, value.chain(lane).cycles};
  }
  note(out.chains, lanes);
  result(operation) = std::move(out);
}

/// Each sum is joined with four leaves.
void CostWalk::mma_f64(const Operation& operation, const Lanes& lanes) {
  for (std::uint32_t k = 0; k < operation.results; ++k) {
    const Known& sum = known(operation.operands[1 + MmaF64::factors + k]);
    std::vector<Chain> chains(static_cast<std::size_t>(shape_.threads));
    for (const std::uint32_t lane : lanes.lanes) {
      const Chain before = sum.chain(lane);
      chains[lane] = {before.joins + MmaF64::leaves, before.cycles + MmaF64::leaves * gpu_.latency.arithmetic};
    }
    note(chains, lanes);
    result(operation, k) = {};
    result(operation, k).chains = std::move(chains);
  }
}

void CostWalk::integer(const Operation& operation, const Lanes& lanes) {
  const int bits = program_.type(operation.operands[0]).kind == Kind::flag ? 1 : 64;
  const std::size_t count = operation.operands.size();
  std::array<const Known*, 2> from{};
  bool all = true;
  for (std::size_t k = 0; k < count; ++k) {
    from[k] = &known(operation.operands[k]);
    all = all && from[k]->is_known;
  }
  Known out;
  if (all) {
    out.is_known = true;
    out.words.assign(static_cast<std::size_t>(shape_.threads), 0);
    std::array<std::uint64_t, 2> words{};
    for (const std::uint32_t lane : lanes.lanes) {
      for (std::size_t k = 0; k < count; ++k) words[k] = static_cast<std::uint64_t>(from[k]->words[lane]);
      const auto word = integer_result(operation.op, std::span(words).first(count), Fits::unknown, bits);
      out.is_known = out.is_known && word;
      out.words[lane] = static_cast<std::int64_t>(word.value_or(0));
    }
  }
  result(operation) = std::move(out);
}

void CostWalk::select(const Operation& operation, const Lanes& lanes) {
  const Known &condition = known(operation.operands[0]), &yes = known(operation.operands[1]),
              &no = known(operation.operands[2]);
  const bool is_number = program_.type(operation.result()).kind == Kind::number;
  const auto threads = static_cast<std::size_t>(shape_.threads);
  Known out;
  out.array = yes.array;
  out.is_known = !is_number && condition.is_known;
  if (out.is_known) out.words.resize(threads);
  if (is_number) out.chains.resize(threads);
  for (const std::uint32_t lane : lanes.lanes) {
    const Known& chosen = condition.is_known && condition.words[lane] == 0 ? no : yes;
    if (is_number) {
      const Chain chain = condition.is_known ? chosen.chain(lane) : later(yes.chain(lane), no.chain(lane));
      out.chains[lane] = {chain.joins, chain.cycles + gpu_.latency.arithmetic};
    } else if (out.is_known) {
      out.is_known = chosen.is_known;
      if (chosen.is_known) out.words[lane] = chosen.words[lane];
    }
  }
  result(operation) = std::move(out);
}

void CostWalk::shuffle(const Operation& operation, const Lanes& lanes) {
  const Known& from = known(operation.operands[0]);
  Known& out = result(operation);
  out = from;
  for (const std::uint32_t lane : lanes.lanes) {
    const std::uint32_t partner = lane ^ static_cast<std::uint32_t>(operation.number);
    if (partner >= shape_.threads) continue;
    if (from.is_known) out.words[lane] = from.words[partner];
    if (from.chains.empty()) continue;
    out.chains[lane] = from.chains[partner];
    out.chains[lane].cycles += gpu_.latency.shuffle;
  }
}

void CostWalk::arrive(const Operation& operation, const Lanes& lanes) {
  const Known at = known(operation.operands[0]), index = known(operation.operands[1]),
              last = known(operation.operands[2]);
  Known& out = result(operation);
  set_all(out, 0);
  // If not all blocks are followed, block 0 is followed last, and is taken to be the last one at every counter.
  if (!all_blocks_ || !at.is_known || !index.is_known || !last.is_known) return set_all(out, block_ == 0);
  for (const std::uint32_t lane : lanes.lanes) {
    std::int64_t& counter = counters_[{at.array, at.words[lane] / 8 + index.words[lane]}];
    out.words[lane] = counter == last.words[lane];
    counter = out.words[lane] != 0 ? 0 : counter + 1;
  }
}

/// Blocks are taken to share tickets evenly.
void CostWalk::ticket(const Operation& operation, const Lanes& lanes) {
  Known& out = result(operation);
  set_all(out, 0);
  std::int64_t& taken = tickets_[known(operation.operands[0]).array];
  for (const std::uint32_t lane : lanes.lanes) out.words[lane] = block_ + shape_.blocks * taken++;
}

void CostWalk::any_flag(const Operation& operation, const Lanes& lanes) {
  const Known flag = known(operation.operands[0]);
  Known& out = result(operation);
  out = {};
  if (!flag.is_known) return;
  set_all(out, std::ranges::any_of(lanes.lanes, [&](std::uint32_t lane) { return flag.words[lane] != 0; }));
}

void CostWalk::make_memory(const Operation& operation, std::uint32_t number, const Lanes& lanes) {
  Known out;
  if (operation.op == Op::advance) {
    out = known(operation.operands[0]);
    const Known& by = known(operation.operands[1]);
    out.is_known = out.is_known && by.is_known;
    if (out.is_known) {
      for (const std::uint32_t lane : lanes.lanes) out.words[lane] += by.words[lane];
    }
  } else if (operation.op == Op::shared) {
    set_all(out, operation.offset);
    out.array = shared_array;
    arrays_[out.array].space = Space::shared;
    cost_.shared_bytes = std::max(cost_.shared_bytes, operation.offset + operation.number);
  } else if (operation.op == Op::table) {
    set_all(out, 0);
    out.array = first_table + operation.number;
    Array& table = arrays_[out.array];
    table.space = Space::global;
    const std::vector<std::int64_t>& words = program_.tables[static_cast<std::size_t>(operation.number)];
    for (std::size_t k = 0; k < words.size(); ++k) table.words[place_of(Space::global, static_cast<std::int64_t>(k) * 8, 0)] = words[k];
  } else {
    set_all(out, 0);
    // A function that calls itself has one stack array for each call.
    out.array = first_stack + (std::int64_t{depth_} << 32) + number;
    arrays_[out.array].space = Space::local;
  }
  result(operation) = std::move(out);
}

void CostWalk::access(const Operation& operation, const Lanes& lanes) {
  const Known& at = known(operation.operands[0]);
  const Type memory = program_.type(operation.operands[0]);
  const std::int64_t element = program_.widths.of_element(memory);
  if (at.array < 0) return give_up();
  Array& array = arrays_[at.array];
  array.space = memory.space;
  std::vector<std::int64_t> offsets;
  if (operation.op == Op::clear) {
    if (!at.is_known) return;
    for (std::int64_t k = 0; k < operation.number; ++k) {
      for (const std::uint32_t lane : lanes.lanes) array.words[place_of(memory.space, at.words[lane] + k * element, lane)] = 0;
    }
    return;
  }
  const Known& index = known(operation.operands[1]);
  if (at.is_known && index.is_known) {
    offsets = at.words;
    for (const std::uint32_t lane : lanes.lanes) offsets[lane] += (index.words[lane] + operation.offset) * element;
  } else {
    cost_.complete = false;
  }
  const bool writes = operation.op != Op::load && operation.op != Op::load_vector;
  const auto count = static_cast<std::int64_t>(writes ? operation.operands.size() - 2 : operation.results);
  if (memory.space == Space::global) touch(array, at.array, offsets, count * element, writes, lanes);
  if (writes) store(operation, array, offsets, lanes);
  else load(operation, array, offsets, lanes);
}

void CostWalk::touch(Array& array, std::int64_t which, std::span<const std::int64_t> offsets, std::int64_t bytes,
                     bool writes, const Lanes& lanes) {
  double sectors = 0;
  if (offsets.empty()) {
    sectors = static_cast<double>(lanes.lanes.size());
  } else {
    for (const std::uint32_t lane : lanes.lanes) {
      for (std::int64_t at = offsets[lane] / sector_bytes; at <= (offsets[lane] + bytes - 1) / sector_bytes; ++at) {
        const std::uint64_t key = (static_cast<std::uint64_t>(at) << 24) | (static_cast<std::uint64_t>(which & 0xffff) << 8) |
                                  (static_cast<std::uint64_t>(lane / threads_of_a_warp) << 1) | (writes ? 1 : 0);
        if (touched_->insert(key).second) ++sectors;
      }
    }
  }
  (writes ? array.sectors.written : array.sectors.read) += weight_ * sectors * sector_bytes;
}

void CostWalk::load(const Operation& operation, const Array& array, std::span<const std::int64_t> offsets,
                    const Lanes& lanes) {
  const Type memory = program_.type(operation.operands[0]);
  const std::int64_t element = program_.widths.of_element(memory);
  // What the kernel itself has written is in the cache.
  const double of_global = array.sectors.written > 0 ? gpu_.latency.cache : gpu_.latency.global;
  const double latency = memory.space == Space::global   ? of_global
                         : memory.space == Space::shared ? gpu_.latency.shared
                                                         : 0;
  for (std::uint32_t k = 0; k < operation.results; ++k) {
    Known& out = result(operation, k);
    out = {};
    const std::int64_t more = static_cast<std::int64_t>(k) * element;
    if (memory.element == Kind::number) {
      out.chains.assign(static_cast<std::size_t>(shape_.threads), array.anywhere);
      for (const std::uint32_t lane : lanes.lanes) {
        Chain& chain = out.chains[lane];
        if (!offsets.empty() && !array.chains.empty()) {
          const auto found = array.chains.find(place_of(memory.space, offsets[lane] + more, lane));
          if (found != array.chains.end()) chain = later(chain, found->second);
        }
        chain.cycles += latency;
      }
    } else if (!offsets.empty() && !array.words.empty()) {
      set_all(out, 0);
      for (const std::uint32_t lane : lanes.lanes) {
        const auto found = array.words.find(place_of(memory.space, offsets[lane] + more, lane));
        out.is_known = out.is_known && found != array.words.end();
        if (found != array.words.end()) out.words[lane] = found->second;
      }
    }
  }
}

void CostWalk::store(const Operation& operation, Array& array, std::span<const std::int64_t> offsets,
                     const Lanes& lanes) {
  const Type memory = program_.type(operation.operands[0]);
  const std::int64_t element = program_.widths.of_element(memory);
  const auto values = std::span(operation.operands).subspan(2);
  if (offsets.empty()) array.words.clear();
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Known& value = known(values[k]);
    note(value.chains, lanes);
    const std::int64_t more = static_cast<std::int64_t>(k) * element;
    for (const std::uint32_t lane : lanes.lanes) {
      const Chain chain = value.chain(lane);
      // Places in global memory are not told apart: blocks read what others wrote, and not all blocks are followed.
      if (offsets.empty() || memory.space == Space::global) {
        array.anywhere = later(array.anywhere, chain);
        continue;
      }
      const std::uint64_t place = place_of(memory.space, offsets[lane] + more, lane);
      if (memory.element == Kind::number) array.chains[place] = chain;
      else if (value.is_known) array.words[place] = value.words[lane];
      else array.words.erase(place);
    }
  }
}

}  // namespace reckon::kernel
