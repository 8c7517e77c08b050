#include "ptx/emulate/memory.h"

namespace reckon::ptx {

Allocation& Memory::allocate(std::uint64_t bytes, std::string name, bool written) {
  constexpr std::uint64_t guard = 65536;
  const std::uint64_t base = next_;
  next_ += (bytes + guard + 255) / 256 * 256;
  Allocation& made = allocations_[base];
  made.base = base;
  made.bytes = bytes;
  made.name = std::move(name);
  made.data.assign(bytes, written ? 0 : 0xcd);
  if (!written) made.unwritten.assign((bytes + 7) / 8, 0xff);
  bytes_ += bytes;
  return made;
}

bool Memory::release(std::uint64_t base) {
  const auto found = allocations_.find(base);
  if (found == allocations_.end()) return false;
  bytes_ -= found->second.bytes;
  allocations_.erase(found);
  return true;
}

Allocation* Memory::find(std::uint64_t address) {
  auto at = allocations_.upper_bound(address);
  if (at == allocations_.begin()) return nullptr;
  --at;
  return address <= at->second.end() ? &at->second : nullptr;
}

const Allocation* Memory::nearest(std::uint64_t address) const {
  const Allocation* best = nullptr;
  std::uint64_t least = ~std::uint64_t{0};
  for (const auto& [base, allocation] : allocations_) {
    const std::uint64_t distance = address < base ? base - address : address - allocation.end();
    if (address >= base && address < allocation.end()) return &allocation;
    if (distance < least) {
      least = distance;
      best = &allocation;
    }
  }
  return best;
}

void Memory::begin_launch() {
  for (auto& [base, allocation] : allocations_) allocation.cells.clear();
}

}  // namespace reckon::ptx
