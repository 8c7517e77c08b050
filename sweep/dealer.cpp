#include "sweep/dealer.h"

#include <algorithm>
#include <cmath>

namespace reckon::sweep {

namespace {

/// A block takes about so long: short enough that a failure elsewhere ends the work soon, and that little is lost when
/// the job is killed.
constexpr double block_seconds = 0.25;

}  // namespace

std::int64_t Dealer::block_size(std::int64_t left) const {
  if (seconds_each_ <= 0) return 1;
  const double wanted = std::min(block_seconds / seconds_each_, 1e15);
  // Towards the end, blocks become smaller, so that all takers end together.
  const std::int64_t share = left / static_cast<std::int64_t>(2 * dealt_.size());
  return std::max<std::int64_t>(1, std::min(static_cast<std::int64_t>(wanted), dealt_.size() > 1 ? share : left));
}

std::optional<Dealer::Block> Dealer::undealt() const {
  std::vector<Block> dealt;
  for (const auto& block : dealt_) {
    if (block) dealt.push_back(*block);
  }
  std::ranges::sort(dealt, {}, &Block::first);
  std::int64_t at = sweep_.from();
  while (const auto gap = cells_.gap(at)) {
    Block free{gap->first, gap->second};
    for (const Block& block : dealt) {
      if (block.last <= free.first) continue;
      if (block.first > free.first) {
        free.last = std::min(free.last, block.first);
        break;
      }
      free.first = block.last;
    }
    if (free.first < free.last) return free;
    at = gap->second;
  }
  return std::nullopt;
}

std::optional<Dealer::Block> Dealer::take(std::size_t taker) {
  const std::lock_guard lock(mutex_);
  dealt_[taker].reset();
  std::optional<Block> block = undealt();
  if (block) {
    block->last = std::min(block->last, block->first + block_size(cells_.needed() - block->first));
  } else if (taker == 0) {
    for (const auto& other : dealt_) {
      if (other && other->first < cells_.needed() && (!block || other->first < block->first)) block = other;
    }
    // Only what is still missing of it.
    if (block) {
      const auto gap = cells_.gap(block->first);
      if (gap && gap->first < block->last) block = Block{gap->first, std::min(gap->second, block->last)};
      else block.reset();
    }
  }
  dealt_[taker] = block;
  told_[taker] = false;
  return block;
}

void Dealer::give(std::size_t taker, Part part, double seconds) {
  const std::lock_guard lock(mutex_);
  if (part.last > part.first) seconds_each_ = seconds / static_cast<double>(part.last - part.first);
  const std::int64_t count = part.last - part.first;
  if (cells_.add(std::move(part), sweep_)) done_[taker] += count;
  dealt_[taker].reset();
  if (taker == 0) return sweep_.cancel(false);
  // The threads here may be at work on what is not needed any more.
  const auto& mine = dealt_[0];
  if (mine && (cells_.finished() || mine->first >= cells_.needed())) sweep_.cancel(true);
}

bool Dealer::finished() const {
  const std::lock_guard lock(mutex_);
  return cells_.finished();
}

Part Dealer::front() const {
  const std::lock_guard lock(mutex_);
  return cells_.front();
}

std::optional<std::int64_t> Dealer::unneeded(std::size_t taker) {
  const std::lock_guard lock(mutex_);
  const auto& block = dealt_[taker];
  if (!block || told_[taker]) return std::nullopt;
  const std::int64_t from = cells_.finished() || sweep_.stopped() ? block->first : cells_.needed();
  if (block->first < from) return std::nullopt;
  told_[taker] = true;
  return from;
}

}  // namespace reckon::sweep
