// A launch: its blocks in order, some of them at once where they wait for each other; barriers; what is reported.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ptx/emulate/warp.h"
#include "ptx/shadow/shadow.h"

namespace reckon::ptx {
namespace {

constexpr std::uint64_t slice = 4096;             // operations of a warp before another one goes on
constexpr std::uint64_t block_slices = 512;       // rounds of a block before another block begins beside it
constexpr std::size_t most_blocks_at_once = 132;  // as an H200 has multiprocessors
constexpr std::size_t most_findings = 100;
constexpr std::uint64_t most_idle_rounds =
    10000;  // in which all warps look whether something has happened, and nothing has

}  // namespace

// ---- Blocks ----

Block::Block(Machine& machine, std::uint32_t number, std::uint32_t rank, std::shared_ptr<Cluster> cluster)
    : machine_(machine), number_(number), rank_(rank), cluster_(std::move(cluster)) {
  const auto& grid = machine.options().grid;
  index_ = {number % grid[0], number / grid[0] % grid[1], number / grid[0] / grid[1]};
  shared_.assign(machine.shared_bytes(), 0xcd);
  // Cooperative groups have barriers among the reserved bytes, which nobody initialises: they begin with zeros.
  const auto reserved = static_cast<std::ptrdiff_t>(machine.reserved_begin());
  std::fill(shared_.begin() + reserved, shared_.end(), std::uint8_t{0});
  const std::uint32_t threads = machine.threads_of_block();
  live_ = threads;
  const std::uint32_t count = (threads + lanes_of_warp - 1) / lanes_of_warp;
  cluster_->add(*this);
  for (std::uint32_t w = 0; w < count; ++w) {
    const std::uint32_t rest = threads - w * lanes_of_warp;
    warps_.push_back(std::make_unique<Warp>(machine, *this, w, rest >= 32 ? ~Mask{0} : (Mask{1} << rest) - 1));
  }
  order_.resize(count);
  std::iota(order_.begin(), order_.end(), 0u);
  width_ = count + 1;
  if (!machine.options().finds_races) return;
  shared_written_.assign(shared_.size(), 0);
  std::fill(shared_written_.begin() + reserved, shared_written_.end(), std::uint8_t{1});
  clocks_.assign(std::size_t{width_} * width_, 1);
  const std::size_t granules = (shared_.size() + machine.granule() - 1) / machine.granule();
  writes_.assign(granules, {});
  writers_.assign(granules, 0);
  reads_.assign(granules * width_, {});
}

bool Block::go(std::uint64_t most) {
  bool went = false;
  if (machine_.options().seed != 0) {
    for (std::size_t k = order_.size(); k > 1; --k) std::swap(order_[k - 1], order_[machine_.random() % k]);
  }
  for (const std::uint32_t w : order_) {
    Warp& warp = *warps_[w];
    if (warp.is_done() || !warp.is_ready()) continue;
    went = true;
    warp.go(machine_.options().seed != 0 ? 1 + machine_.random() % most : most);
    if (machine_.stopped()) return false;
    if (!warp.has_yielded()) ++machine_.busy;
  }
  return went;
}

void Block::arrive(Warp& warp, const Operation& operation, Mask on, bool waits) {
  const int first = std::countr_zero(on);
  const std::uint32_t number = warp.at<std::uint32_t>(operation.a)[first];
  if (number >= barriers_.size()) {
    machine_.fault(operation, warp, fmt::format("there is no barrier {}: they are numbered from 0 to 15", number));
    return;
  }
  const std::uint32_t expected = operation.b == no_slot ? 0 : warp.at<std::uint32_t>(operation.b)[first];
  if (operation.b != no_slot && (expected == 0 || expected % lanes_of_warp != 0)) {
    machine_.fault(operation, warp, fmt::format("a barrier is of a multiple of 32 threads, not of {}", expected));
    return;
  }
  Barrier& barrier = barriers_[number];
  if (barrier.arrived == 0) {
    barrier.first = &operation;
    barrier.expected = expected;
    barrier.count_true = 0;
  } else if (barrier.expected != expected) {
    machine_.fault(operation, warp,
                   fmt::format("threads come to the barrier {} with {} threads, others with {}: {}", number, expected,
                               barrier.expected, machine_.line_text(machine_.number_of(*barrier.first))));
    return;
  } else if (barrier.first != &operation && expected == 0) {
    machine_.finding(operation, FindingKind::divergent_barrier, [&] {
      return fmt::format("divergent barrier: threads wait here while others of their block wait at {}",
                         machine_.line_text(machine_.number_of(*barrier.first)));
    });
  }
  barrier.arrived += static_cast<std::uint32_t>(std::popcount(on));
  ++machine_.progress;
  barrier.warps |= Mask{1} << warp.number();
  if (static_cast<BarrierWay>(operation.mode) >= BarrierWay::count)
    barrier.count_true += static_cast<std::uint32_t>(std::popcount(warp.predicate(operation, operation.c, 2) & on));
  if (waits) {
    barrier.waiting.emplace_back(&warp, on);
    barrier.operations.push_back(&operation);
  }
  const std::uint32_t needed = expected == 0 ? live_ : expected;
  if (barrier.arrived > needed) {
    machine_.fault(operation, warp,
                   fmt::format("{} threads come to the barrier {}, which is of {}", barrier.arrived, number, needed));
  } else if (barrier.arrived == needed) {
    pass(barrier);
  }
}

void Block::pass(Barrier& barrier) {
  ++machine_.progress;
  if (machine_.options().finds_races) {
    // Everyone who waits knows what everyone did who came.
    std::vector<std::uint32_t> clock(width_, 0);
    for (std::uint32_t w = 0; w + 1 < width_; ++w) {
      if ((barrier.warps >> w & 1) != 0) join_into(clock, w);
    }
    for (const auto& [warp, lanes] : barrier.waiting) join_from(clock, warp->number());
    ++time_;
  }
  const std::uint32_t arrived = barrier.arrived;
  for (std::size_t k = 0; k < barrier.waiting.size(); ++k) {
    const auto& [warp, lanes] = barrier.waiting[k];
    const Operation& operation = *barrier.operations[k];
    warp->pass_barrier(lanes);
    const auto way = static_cast<BarrierWay>(operation.mode);
    if (way == BarrierWay::count) {
      auto* out = warp->at<std::uint32_t>(operation.d);
      for (Mask rest = lanes; rest != 0; rest &= rest - 1) out[std::countr_zero(rest)] = barrier.count_true;
    } else if (way > BarrierWay::count) {
      const bool value = way == BarrierWay::all ? barrier.count_true == arrived : barrier.count_true > 0;
      warp->put(operation.d, value ? ~Mask{0} : 0, lanes);
    }
  }
  barrier = Barrier{};
}

void Block::meet_all() {
  ++machine_.progress;
  if (!machine_.options().finds_races) return;
  std::vector<std::uint32_t> clock(width_, 0);
  for (std::uint32_t w = 0; w + 1 < width_; ++w) join_into(clock, w);
  for (std::uint32_t w = 0; w + 1 < width_; ++w) join_from(clock, w);
  ++time_;
}

void Block::thread_ended(std::uint32_t count) {
  live_ -= count;
  if (live_ == 0) return;
  for (Barrier& barrier : barriers_) {
    if (barrier.arrived > 0 && barrier.expected == 0 && barrier.arrived == live_) pass(barrier);
  }
}

// ---- The machine ----

Machine::Machine(const Kernel& kernel, Memory& memory, const LaunchOptions& options,
                 std::vector<std::uint8_t> parameters)
    : kernel_(kernel),
      memory_(memory),
      options_(options),
      parameters_(std::move(parameters)),
      constants_(kernel.constants),
      random_(options.seed * 0x9e3779b97f4a7c15u + 1) {
  parameters_.resize(kernel.parameter_bytes);
  if (options.profiles) profile.resize(kernel.operations.size());
  if (options.values != nullptr) shadow_ = std::make_unique<Shadow>(kernel, *options.values);
  const std::uint32_t align = kernel.shared_align;
  shared_bytes_ = kernel.shared_bytes;
  if (options.dynamic_shared_bytes > 0) shared_bytes_ = (shared_bytes_ + align - 1) / align * align;
  shared_bytes_ += options.dynamic_shared_bytes;
  reserved_begin_ = shared_bytes_;
  if (kernel.uses_reserved) {
    reserved_begin_ = (shared_bytes_ + 127) / 128 * 128;
    shared_bytes_ = reserved_begin_ + reserved_shared_bytes;
  }
}

Machine::~Machine() = default;

std::uint32_t Machine::threads_of_block() const { return options_.block[0] * options_.block[1] * options_.block[2]; }

/// Steele and Vigna's splitmix64 ("Fast splittable pseudorandom number generators", 2014).
std::uint64_t Machine::random() {
  std::uint64_t z = random_ += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

std::string Machine::line_text(std::uint32_t operation) const {
  const Operation& made = kernel_.operations[operation];
  const std::string place = kernel_.module->place_text(made.place);
  return place.empty() ? fmt::format("line {}", made.line) : fmt::format("line {} ({})", made.line, place);
}

void Machine::fault(const Operation& operation, const Warp& warp, std::string message) {
  if (report_.fault) return;
  const auto block = const_cast<Warp&>(warp).block().index();
  Finding made;
  made.message = fmt::format("{} [block {},{},{}, warp {}]", message, block[0], block[1], block[2], warp.number());
  made.line = operation.line;
  made.place = operation.place;
  report_.fault = std::move(made);
}

bool Machine::was_found(const Found& found) {
  const auto at = found_.find(found);
  if (at == found_.end()) return false;
  if (at->second < report_.findings.size()) ++report_.findings[at->second].count;
  return true;
}

void Machine::add_finding(const Found& found, const Operation& operation, std::string message) {
  found_[found] = report_.findings.size();
  if (report_.findings.size() < most_findings)
    report_.findings.push_back({std::move(message), operation.line, operation.place, 1});
}

LaunchReport Machine::run() {
  memory_.begin_launch();
  report_.static_shared_bytes = kernel_.shared_bytes;
  run_blocks();
  for (std::size_t k = 0; k < profile.size(); ++k) {
    if (profile[k].warps == 0) continue;
    const Operation& operation = kernel_.operations[k];
    OperationCounts& made = report_.operations.emplace_back(profile[k]);
    made.line = operation.line;
    made.place = operation.place;
    made.unit = operation.unit;
  }
  return std::move(report_);
}

void Machine::run_blocks() {
  const auto extents = kernel_.cluster();
  const std::uint64_t of_cluster = std::uint64_t{extents[0]} * extents[1] * extents[2];
  report_.blocks = std::uint64_t{options_.grid[0]} * options_.grid[1] * options_.grid[2];
  const std::uint64_t count = report_.blocks / of_cluster;  // clusters
  std::vector<std::uint32_t> order;
  if (options_.seed != 0) {
    order.resize(count);
    std::iota(order.begin(), order.end(), 0u);
    for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random() % k]);
  }
  std::uint64_t next = 0, rounds = 0, idle = 0;
  std::vector<std::unique_ptr<Block>> running;
  const auto begin = [&] {
    const std::uint64_t at = next++;
    begin_cluster(order.empty() ? at : order[at], running);
  };
  while (next < count || !running.empty()) {
    if (running.empty()) begin();
    const std::uint64_t before = progress, busy_before = busy;
    bool went = false;
    for (std::size_t k = 0; k < running.size(); ++k) {
      if (running[k]->is_done()) continue;
      went = running[k]->go(slice) || went;
      if (stopped()) return;
    }
    // A block's shared memory is there as long as its cluster runs.
    const auto first_done = std::stable_partition(running.begin(), running.end(),
                                                  [](const auto& block) { return !block->cluster().is_done(); });
    const auto left = running.end() - first_done;
    running.erase(first_done, running.end());
    if (report_.thread_instructions > options_.most_instructions) {
      Finding made;
      made.message =
          fmt::format("the launch did not end within {} instructions of its threads", options_.most_instructions);
      if (!running.empty() && !running[0]->warps().empty()) {
        for (const auto& warp : running[0]->warps()) {
          if (warp->is_done()) continue;
          made.line = kernel_.operations[warp->place()].line;
          made.place = kernel_.operations[warp->place()].place;
          break;
        }
      }
      report_.fault = std::move(made);
      report_.over_budget = true;
      return;
    }
    if (left > 0) {
      rounds = 0;
      continue;
    }
    const bool stuck = !went || progress == before;
    ++rounds;
    if (next < count && running.size() < most_blocks_at_once && (stuck || rounds % block_slices == 0)) {
      begin();
      continue;
    }
    const bool may_be_endless =
        stuck && busy != busy_before && (next == count || running.size() >= most_blocks_at_once);
    if (may_be_endless && is_endless(running)) {
      endless(running);
      return;
    }
    idle = progress == before && busy == busy_before ? idle + 1 : 0;
    if (!went || idle > most_idle_rounds) {
      deadlock(running);
      return;
    }
  }
}

void Machine::begin_cluster(std::uint64_t at, std::vector<std::unique_ptr<Block>>& running) {
  const auto extents = kernel_.cluster();
  const auto& grid = options_.grid;
  const std::array<std::uint64_t, 3> clusters{grid[0] / extents[0], grid[1] / extents[1], grid[2] / extents[2]};
  const std::array<std::uint64_t, 3> first{at % clusters[0] * extents[0], at / clusters[0] % clusters[1] * extents[1],
                                           at / clusters[0] / clusters[1] * extents[2]};
  const auto cluster = std::make_shared<Cluster>(extents);
  for (std::uint32_t rank = 0; rank < cluster->size(); ++rank) {
    const std::uint64_t x = first[0] + rank % extents[0], y = first[1] + rank / extents[0] % extents[1],
                        z = first[2] + rank / extents[0] / extents[1];
    const auto number = static_cast<std::uint32_t>(x + grid[0] * (y + grid[1] * z));
    running.push_back(std::make_unique<Block>(*this, number, rank, cluster));
  }
}

void Machine::deadlock(std::vector<std::unique_ptr<Block>>& blocks) {
  for (auto& block : blocks) {
    for (auto& warp : block->warps()) {
      if (warp->is_done()) continue;
      const std::uint32_t at = warp->waits_at() == no_slot ? warp->place() : warp->waits_at();
      std::string others;
      std::set<std::uint32_t> seen{at};
      for (auto& other : block->warps()) {
        const std::uint32_t elsewhere = other->is_done()               ? no_slot
                                        : other->waits_at() == no_slot ? other->place()
                                                                       : other->waits_at();
        if (elsewhere != no_slot && seen.insert(elsewhere).second && seen.size() < 6)
          others += fmt::format("; warp {} at {}", other->number(), line_text(elsewhere));
      }
      fault(kernel_.operations[at], *warp,
            fmt::format("deadlock: threads wait here for others that do not come{}{}", others,
                        others.empty() && block->live() < threads_of_block() ? " (some threads have ended)" : ""));
      return;
    }
  }
}

}  // namespace reckon::ptx
