// Clusters: their barrier, and addresses of another block's shared memory (PTX ISA 9.0: mapa, getctarank,
// barrier.cluster).
#include "ptx/emulate/cluster.h"

#include <fmt/format.h>

#include <algorithm>

#include "ptx/emulate/decode.h"
#include "ptx/emulate/lanes.h"

namespace reckon::ptx {

void Cluster::add(Block& block) { blocks_.push_back(&block); }

bool Cluster::is_done() const {
  return std::all_of(blocks_.begin(), blocks_.end(), [](const Block* block) { return block->is_done(); });
}

std::uint32_t Cluster::live() const {
  std::uint32_t out = 0;
  for (const Block* block : blocks_) out += block->live();
  return out;
}

void Cluster::arrive(std::uint32_t threads) {
  arrived_ += threads;
  if (arrived_ >= live()) pass();
}

bool Cluster::wait(Warp& warp, Mask on) {
  if (warp.cluster_phase != phase_) return true;
  waiting_.emplace_back(&warp, on);
  return false;
}

void Cluster::thread_ended() {
  if (arrived_ > 0 && arrived_ >= live()) pass();
}

void Cluster::pass() {
  arrived_ = 0;
  ++phase_;
  Heard heard;
  for (Block* block : blocks_) {
    block->meet_all();
    block->tell(heard);
  }
  for (Block* block : blocks_) block->hear(heard);
  for (const auto& [warp, lanes] : waiting_) warp->pass_barrier(lanes);
  waiting_.clear();
}

namespace {

/// b: the rank.
template <class T>
void map_rank(const Operation& operation, Warp& warp, Mask on) {
  T* d = warp.at<T>(operation.d);
  const T* a = warp.at<T>(operation.a);
  const auto* rank = warp.at<std::uint32_t>(operation.b);
  const Cluster& cluster = warp.block().cluster();
  for_lanes(on, [&](int lane) {
    if (rank[lane] >= cluster.size()) {
      warp.machine().fault(operation, warp,
                           fmt::format("there is no block {} in a cluster of {}", rank[lane], cluster.size()));
      return;
    }
    const T ranks = static_cast<T>((most_ranks * 2 - 1) << rank_shift);
    d[lane] = static_cast<T>((a[lane] & ~ranks) | static_cast<T>(rank_bits(rank[lane])));
  });
}

template <class T>
void rank_of(const Operation& operation, Warp& warp, Mask on) {
  auto* d = warp.at<std::uint32_t>(operation.d);
  const T* a = warp.at<T>(operation.a);
  for_lanes(on, [&](int lane) {
    const auto above = static_cast<std::uint32_t>(a[lane] >> rank_shift) & (most_ranks * 2 - 1);
    d[lane] = above == 0 ? warp.block().rank() : static_cast<std::uint32_t>(above - 1);
  });
}

}  // namespace

bool decode_cluster(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  if (one.name != "mapa" && one.name != "getctarank") return false;
  const auto types = decoder.types();
  if (types.size() != 1 || (types[0] != Type::u32 && types[0] != Type::u64)) return false;
  const bool wide = types[0] == Type::u64, maps = one.name == "mapa";
  if (!decoder.has_operands(maps ? 3 : 2, maps ? 3 : 2)) return true;
  operation.d = decoder.result(decoder.operand(0), maps && wide ? 64 : 32);
  operation.a = decoder.source(decoder.operand(1), types[0]);
  if (maps) operation.b = decoder.source(decoder.operand(2), Type::u32);
  operation.run = maps ? (wide ? map_rank<std::uint64_t> : map_rank<std::uint32_t>)
                       : (wide ? rank_of<std::uint64_t> : rank_of<std::uint32_t>);
  return true;
}

}  // namespace reckon::ptx
