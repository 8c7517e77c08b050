// Control: which threads execute what, how often, and how the rounds that are not followed are extrapolated.
#include "kernel/cost_walk.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace reckon::kernel {
namespace {

/// The most nested calls, and the most rounds of a `while`, that are followed.
constexpr int max_followed_calls = 64;
constexpr std::int64_t max_rounds = 4096;
/// Rounds of a loop that are followed once much work is done.
constexpr std::int64_t few_rounds = 4;
/// The kernel is given up when the work is so many times what was intended.
constexpr std::int64_t work_reserve = 4;
/// The work of an operation besides that of its threads, in units of one thread's work.
constexpr std::int64_t work_of_operation = 16;

}  // namespace

CostWalk::Lanes::Lanes(std::vector<std::uint32_t> of) : lanes(std::move(of)) {
  std::int64_t last = -1;
  for (const std::uint32_t lane : lanes) {
    const std::int64_t number = static_cast<std::int64_t>(lane) / threads_of_a_warp;
    if (number != last) ++warps;
    last = number;
  }
}

CostWalk::CostWalk(const Program& program, std::size_t function, LaunchShape shape,
                   std::span<const CostArgument> arguments, const Gpu& gpu, const CostOptions& options)
    : program_(program), function_(function), shape_(shape), arguments_(arguments), gpu_(gpu), options_(options) {}

std::optional<Cost> CostWalk::run() {
  const Function& function = program_.functions[function_];
  cost_.shape = shape_;
  if (function.blocks > 0) cost_.registers = gpu_.registers / (function.blocks * shape_.threads);
  constants_.resize(program_.constants.size());
  auto blocks = followed(shape_.blocks, options_.blocks);
  all_blocks_ = std::ssize(blocks) == shape_.blocks;
  if (!all_blocks_) std::ranges::rotate(blocks, blocks.begin() + 1);
  for (const auto& [number, count] : blocks) {
    weight_ = static_cast<double>(count);
    block(number);
    if (failed_) return std::nullopt;
  }
  for (const auto& [which, array] : arrays_) {
    if (array.space != Space::global) continue;
    cost_.sectors.read += array.sectors.read;
    cost_.sectors.written += array.sectors.written;
    const double size = which < std::ssize(arguments_) ? static_cast<double>(arguments_[static_cast<std::size_t>(which)].bytes)
                                                       : array.sectors.read;
    cost_.memory.read += std::min(size, array.sectors.read);
    cost_.memory.written += std::min(size, array.sectors.written);
  }
  return cost_;
}

CostWalk::Frame CostWalk::frame_of(std::size_t function) {
  const auto [found, is_new] = extents_.try_emplace(function, Value::none, 0);
  auto& [first, last] = found->second;
  if (is_new) {
    const auto has = [&](Value value) {
      first = std::min(first, value.id);
      last = std::max(last, value.id);
    };
    for (const Parameter& parameter : program_.functions[function].parameters) has(parameter.value);
    std::vector<const Region*> pending{&program_.functions[function].body};
    while (!pending.empty()) {
      const Region& region = *pending.back();
      pending.pop_back();
      std::ranges::for_each(region.parameters, has);
      for (const std::uint32_t number : region.operations) {
        const Operation& operation = program_.operations[number];
        for (std::uint32_t k = 0; k < operation.results; ++k) has(operation.result(k));
        for (const Region& inner : operation.regions) pending.push_back(&inner);
      }
    }
  }
  Frame out;
  if (first > last) return out;
  out.first = first;
  out.values.resize(last - first + 1);
  return out;
}

void CostWalk::block(std::int64_t number) {
  const Function& function = program_.functions[function_];
  block_ = number;
  tickets_.clear();
  std::erase_if(arrays_, [](const auto& entry) { return entry.second.space != Space::global; });
  Frame frame = frame_of(function_);
  frame_ = &frame;
  Sectors touched;
  touched_ = &touched;
  for (std::size_t k = 0; k < function.parameters.size(); ++k) {
    Known& parameter = frame[function.parameters[k].value.id];
    const bool is_memory = program_.type(function.parameters[k].value).kind == Kind::memory;
    set_all(parameter, is_memory ? 0 : arguments_[k].index);
    if (is_memory) parameter.array = static_cast<std::int64_t>(k);
  }
  std::vector<std::uint32_t> all(static_cast<std::size_t>(shape_.threads));
  std::iota(all.begin(), all.end(), 0U);
  region(function.body, Lanes(std::move(all)));
  touched_ = nullptr;
  frame_ = nullptr;
}

void CostWalk::region(const Region& region, const Lanes& lanes) {
  for (const std::uint32_t number : region.operations) {
    if (failed_) return;
    execute(number, lanes);
  }
}

void CostWalk::execute(std::uint32_t number, const Lanes& lanes) {
  const Operation& operation = program_.operations[number];
  const auto threads = static_cast<std::int64_t>(lanes.lanes.size());
  work_ += threads + work_of_operation;
  if (work_ > options_.work) options_.rounds = std::min(options_.rounds, few_rounds);
  if (work_ > options_.work * work_reserve) {
    too_long_ = true;
    return give_up();
  }
  add(cost_.counts, program_, operation, weight_ * static_cast<double>(threads));
  const auto issues = [&] { cost_.warp_instructions += weight_ * lanes.warps; };
  switch (operation.op) {
    case Op::loop: return loop(operation, lanes);
    case Op::while_loop: return while_loop(operation, lanes);
    case Op::branch: return branch(operation, lanes);
    case Op::call: return call(operation, lanes);
    case Op::chains:
    case Op::mma_tiles:
    case Op::mma_rows: return give_up();
    case Op::table:
    case Op::stack:
    case Op::shared:
    case Op::advance: return make_memory(operation, number, lanes);
    case Op::load:
    case Op::load_vector:
    case Op::store:
    case Op::store_vector:
    case Op::atomic_add:
      if (program_.type(operation.operands[0]).space != Space::local) issues();
      return access(operation, lanes);
    case Op::clear: return access(operation, lanes);
    case Op::shuffle_xor: issues(); return shuffle(operation, lanes);
    case Op::peers:
      issues();
      for (std::uint32_t k = 0; k < operation.results; ++k) result(operation, k) = {};
      return;
    case Op::barrier:
    case Op::warp_barrier: issues(); return;
    case Op::barrier_or: issues(); return any_flag(operation, lanes);
    case Op::arrive: issues(); return arrive(operation, lanes);
    case Op::ticket: issues(); return ticket(operation, lanes);
    case Op::publish: issues(); return;
    case Op::look_up:
      issues();
      result(operation, 0) = {};
      return set_all(result(operation, 1), 1);
    default:
      if (const auto unit = unit_of(program_, operation); unit && *unit != Unit::index) issues();
      return compute(operation, lanes);
  }
}

std::vector<std::pair<std::int64_t, std::int64_t>> CostWalk::followed(std::int64_t count, std::int64_t most) {
  std::vector<std::pair<std::int64_t, std::int64_t>> out;
  if (count <= std::max<std::int64_t>(most, 3)) {
    for (std::int64_t k = 0; k < count; ++k) out.emplace_back(k, 1);
    return out;
  }
  cost_.complete = false;
  // The first one and the last one are often unlike the others, and stand for themselves.
  const std::int64_t parts = std::max<std::int64_t>(most, 3) - 2, between = count - 2;
  out.emplace_back(0, 1);
  for (std::int64_t part = 0; part < parts; ++part) {
    const std::int64_t first = part * between / parts, limit = (part + 1) * between / parts;
    // Not always the first round of a part: multiples of one power of two alone would not be typical.
    if (limit > first) out.emplace_back(1 + first + (limit - first) * (part * 3 % 7) / 7, limit - first);
  }
  out.emplace_back(count - 1, 1);
  return out;
}

void CostWalk::assign(std::span<const Value> targets, std::span<const Value> sources, const Lanes& lanes, bool fresh) {
  std::vector<Known> from;
  for (const Value source : sources) from.push_back(known(source));
  for (std::size_t k = 0; k < targets.size(); ++k) merge(known(targets[k]), from[k], lanes, fresh);
}

void CostWalk::go_on(std::span<const Value> carried, const std::vector<Known>& before, std::int64_t rounds,
                     const Lanes& lanes) {
  // How much the longest chain of each lane has grown. A value that takes over another one's chain grows more in one round,
  // and not in each.
  std::vector<Chain> growth(static_cast<std::size_t>(shape_.threads));
  for (const std::uint32_t lane : lanes.lanes) {
    Chain longest, longest_before;
    for (std::size_t k = 0; k < carried.size(); ++k) {
      longest = later(longest, known(carried[k]).chain(lane));
      longest_before = later(longest_before, before[k].chain(lane));
    }
    growth[lane] = later({}, {longest.joins - longest_before.joins, longest.cycles - longest_before.cycles});
  }
  for (std::size_t k = 0; k < carried.size(); ++k) {
    Known& now = known(carried[k]);
    const Known& then = before[k];
    const bool advances = program_.type(carried[k]).kind == Kind::index && now.is_known && then.is_known;
    for (const std::uint32_t lane : lanes.lanes) {
      if (advances) {
        // Indices wrap around, as they do on the machine.
        const auto word = static_cast<std::uint64_t>(now.words[lane]);
        const std::uint64_t step = word - static_cast<std::uint64_t>(then.words[lane]);
        now.words[lane] = static_cast<std::int64_t>(word + static_cast<std::uint64_t>(rounds) * step);
      }
      if (now.chains.empty()) continue;
      Chain& chain = now.chains[lane];
      const Chain earlier = then.chain(lane);
      const auto [joins, cycles] = growth[lane];
      chain.joins += static_cast<double>(rounds) * std::clamp(chain.joins - earlier.joins, 0.0, joins);
      chain.cycles += static_cast<double>(rounds) * std::clamp(chain.cycles - earlier.cycles, 0.0, cycles);
    }
    note(now.chains, lanes);
  }
}

CostWalk::ArrayChains CostWalk::array_chains() const {
  ArrayChains out;
  for (const auto& [which, array] : arrays_) {
    if (!array.chains.empty()) out.emplace(which, array.chains);
  }
  return out;
}

void CostWalk::go_on(const ArrayChains& at_first, const ArrayChains& between, std::int64_t rounds) {
  for (const auto& [which, first] : at_first) {
    const auto middle = between.find(which);
    const auto array = arrays_.find(which);
    if (middle == between.end() || array == arrays_.end()) continue;
    for (const auto& [place, start] : first) {
      const auto after_one = middle->second.find(place);
      const auto after_two = array->second.chains.find(place);
      if (after_one == middle->second.end() || after_two == array->second.chains.end()) continue;
      Chain& now = after_two->second;
      const double joins = after_one->second.joins - start.joins, cycles = after_one->second.cycles - start.cycles;
      // Growth that differs from round to round is at a place that not every round reaches.
      if (joins <= 0 || now.joins - after_one->second.joins != joins) continue;
      now.joins += static_cast<double>(rounds) * joins;
      now.cycles += static_cast<double>(rounds) * std::min(cycles, now.cycles - after_one->second.cycles);
      cost_.longest = later(cost_.longest, now);
    }
  }
}

void CostWalk::loop(const Operation& operation, const Lanes& lanes) {
  const Region& body = operation.regions[0];
  const Known first = known(operation.operands[0]), limit = known(operation.operands[1]),
              step = known(operation.operands[2]);
  if (!first.is_known || !limit.is_known || !step.is_known) return give_up();
  std::vector<std::int64_t> rounds(static_cast<std::size_t>(shape_.threads), 0);
  std::int64_t most = 0;
  for (const std::uint32_t lane : lanes.lanes) {
    if (step.words[lane] <= 0) return give_up();
    const std::int64_t length = limit.words[lane] - first.words[lane];
    rounds[lane] = std::max<std::int64_t>(1, (length + step.words[lane] - 1) / step.words[lane]);
    most = std::max(most, rounds[lane]);
  }
  const auto carried = std::span(body.parameters).subspan(1);
  assign(carried, std::span(operation.operands).subspan(3), lanes, true);
  const double weight = weight_;
  const auto one_round = [&](std::int64_t round, std::int64_t count) {
    std::vector<std::uint32_t> in;
    std::ranges::copy_if(lanes.lanes, std::back_inserter(in), [&](std::uint32_t lane) { return rounds[lane] > round; });
    if (in.empty() || failed_) return;
    const Lanes active(std::move(in));
    Known& index = known(body.parameters[0]);
    set_all(index, 0);
    for (const std::uint32_t lane : active.lanes) index.words[lane] = first.words[lane] + round * step.words[lane];
    std::vector<Known> before;
    if (count > 1) {
      for (const Value value : carried) before.push_back(known(value));
    }
    Sectors of_round;
    Sectors* const touched = std::exchange(touched_, &of_round);
    weight_ = weight * static_cast<double>(count);
    region(body, active);
    weight_ = weight;
    touched_ = touched;
    if (failed_) return;
    assign(carried, body.yields, active, false);
    if (count > 1) go_on(carried, before, count - 1, active);
  };
  for (const auto& [round, count] : followed(most, options_.rounds)) {
    if (count < 3) {
      one_round(round, count);
      continue;
    }
    // Two rounds are followed, to see which chains in arrays grow from each round to the next.
    const ArrayChains at_first = array_chains();
    one_round(round, 1);
    const ArrayChains between = array_chains();
    one_round(round + 1, count - 1);
    go_on(at_first, between, count - 2);
  }
  if (failed_) return;
  for (std::uint32_t k = 0; k < operation.results; ++k) result(operation, k) = known(carried[k]);
}

void CostWalk::while_loop(const Operation& operation, const Lanes& lanes) {
  const Region &condition = operation.regions[0], &body = operation.regions[1];
  assign(condition.parameters, operation.operands, lanes, true);
  Lanes active = lanes;
  Sectors* const touched = touched_;
  for (std::int64_t round = 0;; ++round) {
    region(condition, active);
    if (failed_) return;
    const Known& goes_on = known(condition.yields[0]);
    if (!goes_on.is_known || round == max_rounds) return give_up();
    std::vector<std::uint32_t> in;
    std::ranges::copy_if(active.lanes, std::back_inserter(in),
                         [&](std::uint32_t lane) { return goes_on.words[lane] != 0; });
    if (in.empty()) break;
    active = Lanes(std::move(in));
    Sectors of_round;
    touched_ = &of_round;
    assign(body.parameters, condition.parameters, active, true);
    region(body, active);
    touched_ = touched;
    if (failed_) return;
    assign(condition.parameters, body.yields, active, false);
  }
  for (std::uint32_t k = 0; k < operation.results; ++k) result(operation, k) = known(condition.parameters[k]);
}

void CostWalk::branch(const Operation& operation, const Lanes& lanes) {
  const Known& condition = known(operation.operands[0]);
  std::vector<std::uint32_t> sides[2];
  if (condition.is_known) {
    for (const std::uint32_t lane : lanes.lanes) sides[condition.words[lane] != 0 ? 0 : 1].push_back(lane);
  } else {
    // If the condition may differ between the lanes of a warp, the warp takes both sides.
    cost_.complete = false;
    sides[0] = sides[1] = lanes.lanes;
  }
  bool is_first = true;
  for (std::size_t k = 0; k < operation.regions.size(); ++k) {
    if (sides[k].empty()) continue;
    const Lanes active(std::move(sides[k]));
    region(operation.regions[k], active);
    if (failed_) return;
    for (std::uint32_t r = 0; r < operation.results; ++r) {
      const Known from = known(operation.regions[k].yields[r]);
      Known& to = result(operation, r);
      merge(to, from, active, is_first);
      if (!condition.is_known) to.is_known = false;
    }
    is_first = false;
  }
}

void CostWalk::call(const Operation& operation, const Lanes& lanes) {
  if (depth_ >= max_followed_calls) return give_up();
  const Function& function = program_.functions[static_cast<std::size_t>(operation.number)];
  Frame frame = frame_of(static_cast<std::size_t>(operation.number));
  work_ += std::ssize(frame.values);
  for (std::size_t k = 0; k < function.parameters.size(); ++k) {
    frame[function.parameters[k].value.id] = known(operation.operands[k]);
  }
  Frame* const caller = frame_;
  frame_ = &frame;
  ++depth_;
  region(function.body, lanes);
  --depth_;
  std::vector<Known> results;
  if (!failed_) {
    for (const Value value : function.body.yields) results.push_back(known(value));
  }
  frame_ = caller;
  for (std::size_t k = 0; k < results.size(); ++k) result(operation, static_cast<std::uint32_t>(k)) = results[k];
}

}  // namespace reckon::kernel
