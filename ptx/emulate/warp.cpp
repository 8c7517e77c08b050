// The loop of a warp: which lanes go on, what operations do to their order, calls.
#include "ptx/emulate/warp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "ptx/shadow/shadow.h"

namespace reckon::ptx {

Warp::Warp(Machine& machine, Block& block, std::uint32_t number, Mask lanes)
    : machine_(machine),
      block_(block),
      registers_(machine.kernel().register_bytes, 0xcd),
      constants_(machine.constants()),
      number_(number),
      lanes_(lanes),
      ready_(lanes),
      local_(machine.kernel().parts[0].local_bytes) {
  lane_pc_.fill(machine.kernel().parts[0].first);
  for (const SpecialRegister& special : machine.kernel().specials) {
    for (int lane = 0; lane < lanes_of_warp; ++lane) {
      const std::uint64_t value = special_value(special.special, lane);
      if (bits_of(special.special) == 64) at<std::uint64_t>(special.slot)[lane] = value;
      else at<std::uint32_t>(special.slot)[lane] = static_cast<std::uint32_t>(value);
    }
  }
}

std::uint64_t Warp::special_value(Special special, int lane) {
  const LaunchOptions& options = machine_.options();
  const auto& size = options.block;
  const auto number = static_cast<std::size_t>(special);
  const auto bit = std::uint32_t{1} << lane;
  const std::uint32_t thread = number_ * lanes_of_warp + static_cast<std::uint32_t>(lane);
  const std::uint32_t threads[] = {thread % size[0], thread / size[0] % size[1], thread / size[0] / size[1]};
  const auto within = [&](Special first) { return special >= first && number < static_cast<std::size_t>(first) + 3; };
  const auto axis = [&](Special first) { return number - static_cast<std::size_t>(first); };
  if (within(Special::tid_x)) return threads[axis(Special::tid_x)];
  if (within(Special::ntid_x)) return size[axis(Special::ntid_x)];
  const auto cluster = block_.cluster().extents();
  if (within(Special::ctaid_x)) return block_.index()[axis(Special::ctaid_x)];
  if (within(Special::nctaid_x)) return options.grid[axis(Special::nctaid_x)];
  if (within(Special::clusterid_x))
    return block_.index()[axis(Special::clusterid_x)] / cluster[axis(Special::clusterid_x)];
  if (within(Special::nclusterid_x))
    return options.grid[axis(Special::nclusterid_x)] / cluster[axis(Special::nclusterid_x)];
  if (within(Special::cluster_ctaid_x))
    return block_.index()[axis(Special::cluster_ctaid_x)] % cluster[axis(Special::cluster_ctaid_x)];
  if (within(Special::cluster_nctaid_x)) return cluster[axis(Special::cluster_nctaid_x)];
  switch (special) {
    case Special::cluster_ctarank: return block_.rank();
    case Special::cluster_nctarank: return block_.cluster().size();
    case Special::envreg1: return machine_.grid_room >> 32;
    case Special::envreg2: return machine_.grid_room & 0xffffffffu;
    case Special::laneid: return static_cast<std::uint32_t>(lane);
    case Special::warpid: return number_;
    case Special::nwarpid: return (machine_.threads_of_block() + lanes_of_warp - 1) / lanes_of_warp;
    case Special::smid: return block_.number() % 132;
    case Special::nsmid: return 132;
    case Special::gridid: return 1;
    case Special::lanemask_eq: return bit;
    case Special::lanemask_lt: return bit - 1;
    case Special::lanemask_le: return bit | (bit - 1);
    case Special::lanemask_gt: return ~(bit | (bit - 1));
    case Special::lanemask_ge: return ~(bit - 1);
    case Special::dynamic_smem_size: return options.dynamic_shared_bytes;
    case Special::total_smem_size:
    case Special::reserved_smem_offset_begin:
    case Special::reserved_smem_offset_0: return machine_.reserved_begin();
    case Special::aggr_smem_size:
    case Special::reserved_smem_offset_end: return machine_.shared_bytes();
    case Special::reserved_smem_offset_cap: return reserved_shared_bytes;
    case Special::reserved_smem_offset_1: return machine_.reserved_begin() + reserved_shared_bytes / 2;
    default: return 0;
  }
}

bool Warp::pick() {
  if (ready_ == 0 && !meet()) return false;
  std::uint32_t least = ~0u, next = ~0u, most = 0;
  for (Mask rest = ready_; rest != 0; rest &= rest - 1) {
    const std::uint32_t pc = lane_pc_[static_cast<std::size_t>(std::countr_zero(rest))];
    most = std::max(most, pc);
    if (pc < least) next = least, least = pc;
    else if (pc > least && pc < next) next = pc;
  }
  // Lanes that spin must not keep those from running for which they wait.
  pc_ = rotates_ ? most : least;
  limit_ = rotates_ ? ~0u : next;
  rotates_ = false;
  active_ = lanes_at(pc_, ready_);
  return true;
}

inline void Warp::carry_out(const Operation& operation, Mask on) {
  if (Shadow* shadow = machine_.shadow(); shadow != nullptr) shadow->carry_out(operation, *this, on);
  else operation.run(operation, *this, on);
}

void Warp::go(std::uint64_t most) {
  const Kernel& kernel = machine_.kernel();
  yields_ = false;
  LaunchReport& report = machine_.report();
  OperationCounts* profile = machine_.profile.empty() ? nullptr : machine_.profile.data();
  while (!machine_.stopped() && pick()) {
    while (true) {
      const Operation& operation = kernel.operations[pc_];
      Mask on = active_;
      if (operation.guard != no_slot) on &= operation.guard_negated ? ~mask(operation.guard) : mask(operation.guard);
      ++report.warp_instructions;
      const auto threads = static_cast<std::uint64_t>(std::popcount(on));
      report.thread_instructions += threads;
      if (profile != nullptr) {
        ++profile[pc_].warps;
        profile[pc_].threads += threads;
      }
      if (operation.flow == Flow::next) {
        if (on != 0) {
          if (!sums_on_way_.empty()) check_sums(operation);
          carry_out(operation, on);
          if (!poison_.empty()) follow_poison(operation, on);
        } else if (!poison_.empty()) {
          check_decision(operation, operation.guard, active_);
        }
        ++pc_;
      } else if (!step(operation, on)) {
        break;  // the lanes have parted or wait
      }
      if (machine_.stopped()) return;
      const bool ends = --most == 0 || yields_;
      if (ends || pc_ >= limit_) {
        leave(active_, pc_);
        if (ends) {
          rotates_ = active_ != ready_;
          return;
        }
        break;
      }
    }
    if (most == 0) return;
  }
}

/// True if the active lanes go on together at `pc_`.
bool Warp::step(const Operation& operation, Mask on) {
  const Mask rest = active_ & ~on;
  if (!poison_.empty() && operation.guard != no_slot) check_decision(operation, operation.guard, active_);
  switch (operation.flow) {
    case Flow::branch: return branch(operation, on);
    case Flow::next: break;
    case Flow::converge: return converge(operation, on);
    case Flow::trap:
      if (on != 0) machine_.fault(operation, *this, "the kernel traps");
      break;
    default:
      if (on == 0) break;
      leave(rest, pc_ + 1);
      if (operation.flow == Flow::switch_) switch_to(operation, on);
      else if (operation.flow == Flow::call) call(operation, on);
      else if (operation.flow == Flow::back) back(on);
      else if (operation.flow == Flow::exit) end_lanes(on);
      else come_to_barrier(operation, on);
      return false;
  }
  ++pc_;
  return true;
}

void Warp::come_to_barrier(const Operation& operation, Mask on) {
  const auto way = static_cast<BarrierWay>(operation.mode);
  leave(on, pc_ + 1);
  if (way == BarrierWay::of_cluster_arrive) {
    cluster_phase = block_.cluster().phase();
    block_.cluster().arrive(static_cast<std::uint32_t>(std::popcount(on)));
    ++machine_.progress;
    return;
  }
  if (way == BarrierWay::of_cluster_wait) {
    if (block_.cluster().wait(*this, on)) return;
    ready_ &= ~on;
    at_barrier_ |= on;
    return;
  }
  const bool waits = way != BarrierWay::arrive;
  if (waits) {
    ready_ &= ~on;
    at_barrier_ |= on;
  }
  block_.arrive(*this, operation, on, waits);
}

bool Warp::branch(const Operation& operation, Mask on) {
  if (on == active_) {
    pc_ = operation.target;
    return true;
  }
  if (on == 0) {
    ++pc_;
    return true;
  }
  ++machine_.report().divergent_branches;
  if (!machine_.profile.empty()) ++machine_.profile[pc_].divergent;
  leave(on, operation.target);
  leave(active_ & ~on, pc_ + 1);
  return false;
}

void Warp::switch_to(const Operation& operation, Mask on) {
  const auto& targets = machine_.kernel().targets[operation.extra];
  const auto* index = at<std::uint32_t>(operation.a);
  for (Mask rest = on; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    if (index[lane] >= targets.size()) {
      machine_.fault(operation, *this,
                     fmt::format("the index {} is beyond the {} targets", index[lane], targets.size()));
      return;
    }
    lane_pc_[lane] = targets[index[lane]];
  }
}

void Warp::call(const Operation& operation, Mask on) {
  const Kernel& kernel = machine_.kernel();
  const Call& made = kernel.calls[operation.extra];
  // What the lanes call by its address may differ from lane to lane.
  std::map<std::uint32_t, std::shared_ptr<const Saved>> saved;
  for (Mask rest = on; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    const auto number = made.by_address ? part_at(operation, lane) : made.part;
    if (!number) return;
    const Part& part = kernel.parts[*number];
    const auto [at, is_new] = saved.try_emplace(*number);
    if (is_new && part.is_recursive) {
      Saved parts{{registers_.begin() + part.begin, registers_.begin() + part.end}, {}};
      if (!tags.empty()) parts.tags.assign(tags.begin() + part.begin, tags.begin() + part.end);
      at->second = std::make_shared<const Saved>(std::move(parts));
    }
    if (!enter(operation, made, *number, lane, at->second)) return;
    if (Shadow* shadow = machine_.shadow(); shadow != nullptr) shadow->call(made, part, *this, lane);
  }
}

std::optional<std::uint32_t> Warp::part_at(const Operation& operation, std::size_t lane) {
  const Kernel& kernel = machine_.kernel();
  const Call& made = kernel.calls[operation.extra];
  const std::uint64_t address = at<std::uint64_t>(operation.a)[lane];
  const auto found = kernel.part_of_address.find(address);
  if (found == kernel.part_of_address.end()) {
    machine_.fault(operation, *this, fmt::format("lane {}: there is no function at 0x{:x}", lane, address));
    return std::nullopt;
  }
  const Part& part = kernel.parts[found->second];
  if (part.parameter_bytes != made.argument_bytes || part.result_bytes.size() < made.result_bytes.size()) {
    machine_.fault(operation, *this,
                   fmt::format("lane {}: `{}` is called with other parameters than it has", lane,
                               kernel.module->functions[part.function].name));
    return std::nullopt;
  }
  return found->second;
}

bool Warp::enter(const Operation& operation, const Call& made, std::uint32_t number, std::size_t lane,
                 const std::shared_ptr<const Saved>& saved) {
  constexpr std::uint32_t most_levels = 4096;
  const Kernel& kernel = machine_.kernel();
  const Part& part = kernel.parts[number];
  if (returns_[lane].size() >= most_levels) {
    machine_.fault(operation, *this, fmt::format("calls are nested more than {} levels deep", most_levels));
    return false;
  }
  returns_[lane].push_back({pc_ + 1, part_[lane], number, local_.frame(lane), saved});
  local_.enter(lane, part.local_bytes, part.local_align);
  part_[lane] = number;
  for (std::size_t k = 0; k < made.arguments.size(); ++k) {
    std::memcpy(at<std::uint8_t>(part.parameters[k]) + lane * part.parameter_bytes[k],
                at<std::uint8_t>(made.arguments[k]) + lane * made.argument_bytes[k],
                std::min(part.parameter_bytes[k], made.argument_bytes[k]));
  }
  lane_pc_[lane] = part.first;
  return true;
}

void Warp::back(Mask on) {
  const Kernel& kernel = machine_.kernel();
  Mask ends = 0;
  for (Mask rest = on; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    if (returns_[lane].empty()) {
      ends |= Mask{1} << lane;
      continue;
    }
    const Return made = std::move(returns_[lane].back());
    returns_[lane].pop_back();
    local_.leave(lane, made.frame);
    part_[lane] = made.part;
    lane_pc_[lane] = made.operation;
    returned_from_[lane] = made.left;
    if (!made.saved) continue;
    const Part& left = kernel.parts[made.left];
    for (const Part::Place& place : left.places) {
      if (place.of_result) continue;
      const std::uint8_t* from = made.saved->registers.data() + (place.slot - left.begin);
      std::uint8_t* to = registers_.data() + place.slot;
      if (place.bytes == 0) {
        Mask before = 0, word = 0;
        std::memcpy(&before, from, sizeof before);
        std::memcpy(&word, to, sizeof word);
        const Mask bit = Mask{1} << lane;
        word = (word & ~bit) | (before & bit);
        std::memcpy(to, &word, sizeof word);
      } else {
        std::memcpy(to + lane * place.bytes, from + lane * place.bytes, place.bytes);
        const std::size_t first = place.slot + lane * place.bytes;
        if (!made.saved->tags.empty())
          std::copy_n(made.saved->tags.data() + (first - left.begin), place.bytes, tags.data() + first);
      }
    }
  }
  if (ends != 0) end_lanes(ends);
}

void Warp::end_lanes(Mask on) {
  exited_ |= on;
  ready_ &= ~on;
  ++machine_.progress;
  block_.thread_ended(static_cast<std::uint32_t>(std::popcount(on)));
  block_.cluster().thread_ended();
}

/// Of lanes that are at an operation, those that need not wait: lanes whose masks are the same meet, whatever the
/// others do (PTX ISA: the membermask names "threads participating in the barrier").
Mask Warp::meeting(const Operation& operation, Mask here) {
  if (operation.c == no_slot) return (live() & ~here) == 0 ? here : 0;
  const auto* masks = at<std::uint32_t>(operation.c);
  Mask out = 0;
  for (Mask rest = here; rest != 0;) {
    const Mask named = masks[std::countr_zero(rest)];
    Mask group = 0;
    for (Mask others = rest; others != 0; others &= others - 1) {
      const int lane = std::countr_zero(others);
      if (masks[lane] == named) group |= Mask{1} << lane;
    }
    rest &= ~group;
    if ((group & ~named) != 0) {
      machine_.fault(operation, *this,
                     fmt::format("lane {} carries this out, but the mask 0x{:08x} does not name it",
                                 std::countr_zero(group & ~named), named));
      return 0;
    }
    if ((named & live() & ~group) == 0) out |= group;
  }
  return out;
}

/// Carries out an operation for groups of lanes that have the same mask.
void Warp::run_groups(const Operation& operation, Mask on) {
  const auto* masks = operation.c == no_slot ? nullptr : at<std::uint32_t>(operation.c);
  while (on != 0) {
    Mask group = on;
    for (Mask rest = on; masks != nullptr && rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (masks[lane] != masks[std::countr_zero(on)]) group &= ~(Mask{1} << lane);
    }
    carry_out(operation, group);
    if (!poison_.empty()) follow_poison(operation, group);
    on &= ~group;
  }
}

bool Warp::converge(const Operation& operation, Mask on) {
  if (on == 0) {
    ++pc_;
    return true;
  }
  const Mask here = on | lanes_at(pc_, waiting_);
  const Mask go = meeting(operation, here);
  if (machine_.stopped()) return false;
  run_groups(operation, go);
  if (go == here && here == active_) {
    ++pc_;
    return true;
  }
  leave(go | (active_ & ~on), pc_ + 1);
  leave(here & ~go, pc_);
  waiting_ = (waiting_ & ~go) | (here & ~go);
  ready_ = (ready_ & ~here) | go | (active_ & ~on);
  return false;
}

/// Those that can go on since their partners have ended.
Mask Warp::lanes_that_meet() {
  for (Mask rest = waiting_; rest != 0; rest &= rest - 1) {
    const std::uint32_t pc = lane_pc_[static_cast<std::size_t>(std::countr_zero(rest))];
    if (const Mask go = meeting(machine_.kernel().operations[pc], lanes_at(pc, waiting_))) return go;
  }
  return 0;
}

bool Warp::meet() {
  const Mask go = lanes_that_meet();
  waiting_ &= ~go;
  ready_ |= go;
  return go != 0;
}

std::uint32_t Warp::waits_at() const {
  const Mask stands = waiting_ | at_barrier_;
  if (stands == 0) return no_slot;
  const auto lane = static_cast<std::size_t>(std::countr_zero(stands));
  return (waiting_ >> lane & 1) != 0 ? lane_pc_[lane] : lane_pc_[lane] - 1;
}

// ---- Addresses ----

namespace {

Reached reach_local(const Operation& operation, Warp& warp, std::uint64_t offset, std::uint32_t bytes, int lane) {
  LocalMemory& local = warp.local();
  if (!fits(offset, bytes, local.bytes())) {
    warp.machine().fault(operation, warp,
                         fmt::format("lane {}: offset {} is beyond the {} bytes of local memory", lane, offset,
                                     local.bytes()));
    return {};
  }
  return {local.at(static_cast<std::size_t>(lane), offset), nullptr, offset, false};
}

}  // namespace

Reached Warp::reach(const Operation& operation, const Access& access, std::uint64_t address, int lane, bool stores) {
  const std::uint32_t bytes = std::uint32_t{access.bytes} * access.count;
  if ((address & (bytes - 1)) != 0) {
    machine_.fault(operation, *this,
                   fmt::format("lane {}: the address 0x{:x} is no multiple of {}", lane, address, bytes));
    return {};
  }
  switch (access.space) {
    case Space::shared:
      if (is_in_window(address, shared_window)) address -= shared_window;
      return reach_shared(operation, address, bytes, access.of_cluster);
    case Space::local: return reach_local(operation, *this, address, bytes, lane);
    case Space::param: {
      if (is_in_window(address, param_window)) address -= param_window;
      auto& parameters = machine_.parameters();
      if (!fits(address, bytes, parameters.size()) || stores) {
        machine_.fault(operation, *this,
                       fmt::format("lane {}: offset {} is beyond the {} bytes of parameters", lane, address,
                                   parameters.size()));
        return {};
      }
      return {parameters.data() + address, nullptr, address, false};
    }
    default: break;
  }
  if (access.space == Space::generic) {
    if (is_in_window(address, shared_window)) return reach_shared(operation, address - shared_window, bytes, true);
    if (is_in_window(address, local_window)) return reach_local(operation, *this, address - local_window, bytes, lane);
    if (is_in_window(address, param_window)) {
      Access of_parameters = access;
      of_parameters.space = Space::param;
      return reach(operation, of_parameters, address, lane, stores);
    }
  }
  return reach_global(operation, address, bytes, stores);
}

Reached Warp::reach_shared(const Operation& operation, std::uint64_t offset, std::uint32_t bytes, bool of_cluster) {
  Block* owner = &block_;
  if (const std::uint64_t above = offset >> rank_shift; of_cluster && above != 0) {
    owner = block_.cluster().block(above - 1);
    offset &= (std::uint64_t{1} << rank_shift) - 1;
    if (owner == nullptr || (owner != &block_ && owner->is_done())) {
      machine_.fault(operation, *this,
                     owner == nullptr
                         ? fmt::format("there is no block {} in a cluster of {}", above - 1, block_.cluster().size())
                         : fmt::format("the block {} of the cluster has ended, and its shared memory with it",
                                       above - 1));
      return {};
    }
  }
  auto& shared = owner->shared();
  if (!fits(offset, bytes, shared.size())) {
    machine_.fault(operation, *this,
                   fmt::format("{} bytes at 0x{:x} of shared memory are beyond the {} that the block has", bytes,
                               offset, shared.size()));
    return {};
  }
  return {shared.data() + offset, nullptr, offset, true, owner};
}

Reached Warp::reach_global(const Operation& operation, std::uint64_t address, std::uint32_t bytes,
                           bool stores) {
  // An address before the first byte wraps around, far beyond the end.
  const auto has_all = [&](const Allocation* one) {
    return one != nullptr && one->heap != Allocation::Heap::freed && fits(address - one->base, bytes, one->bytes);
  };
  if (!has_all(last_)) {
    last_ = machine_.memory().find(address);
    if (!has_all(last_)) {
      last_ = nullptr;
      const Allocation* near = machine_.memory().nearest(address);
      std::string where = "there is no memory";
      if (near != nullptr) {
        const bool before = address < near->base;
        const std::uint64_t distance = before ? near->base - address : address - near->end();
        const bool is_within = !before && address < near->end();
        where = is_within && near->heap == Allocation::Heap::freed ? "`free` has taken that memory back"
                : is_within               ? fmt::format("they reach beyond the {} bytes of {}", near->bytes, near->name)
                : distance < window_bytes ? fmt::format("that is {} bytes {} the {} bytes of {}", distance,
                                                        before ? "before" : "after", near->bytes, near->name)
                                          : "no memory of the launch is near";
      }
      machine_.fault(operation, *this,
                     fmt::format("{} {} bytes at 0x{:x}: {}", stores ? "stores" : "loads", bytes, address, where));
      return {};
    }
  }
  if (stores && last_->is_constant) {
    machine_.fault(operation, *this, fmt::format("stores to {}, which is constant", last_->name));
    return {};
  }
  const std::uint64_t offset = address - last_->base;
  return {last_->data.data() + offset, last_, offset, false};
}

}  // namespace reckon::ptx
