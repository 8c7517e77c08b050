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
  if (found == allocations_.end() || found->second.heap != Allocation::Heap::none) return false;
  bytes_ -= found->second.bytes;
  allocations_.erase(found);
  return true;
}

std::uint64_t Memory::allocate_in_heap(std::uint64_t bytes) {
  constexpr std::uint64_t heap_limit = std::uint64_t{8} << 20;  // as CUDA has it (cudaLimitMallocHeapSize)
  if (bytes == 0) return 0;
  if (bytes > heap_limit - heap_bytes_) {
    heap_was_full_ = true;
    return 0;
  }
  Allocation& made = allocate(bytes, "memory of `malloc`", false);
  made.heap = Allocation::Heap::used;
  heap_bytes_ += bytes;
  return made.base;
}

/// The place stays known as one that was freed.
bool Memory::free_in_heap(std::uint64_t base) {
  const auto found = allocations_.find(base);
  if (found == allocations_.end() || found->second.heap != Allocation::Heap::used) return false;
  Allocation& freed = found->second;
  freed.heap = Allocation::Heap::freed;
  // Assigned objects, since a list `{}` would keep the room.
  freed.data = decltype(freed.data)();
  freed.tags = decltype(freed.tags)();
  freed.unwritten = decltype(freed.unwritten)();
  freed.cells.clear();
  heap_bytes_ -= freed.bytes;
  bytes_ -= freed.bytes;
  return true;
}

Allocation* Memory::find(std::uint64_t address) {
  auto at = allocations_.upper_bound(address);
  if (at == allocations_.begin()) return nullptr;
  --at;
  return address <= at->second.end() && at->second.heap != Allocation::Heap::freed ? &at->second : nullptr;
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
  std::erase_if(allocations_, [](const auto& each) { return each.second.heap == Allocation::Heap::freed; });
  for (auto& [base, allocation] : allocations_) allocation.cells.clear();
}

}  // namespace reckon::ptx
