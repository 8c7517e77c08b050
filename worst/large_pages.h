// An allocator for the arrays of long circuits: 4 million operations take a third of a gigabyte, and a quarter of the
// time went into the page faults of pages of 4 KB.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace reckon::worst {

/// Asks the system for pages of 2 MB where an array is larger than a few of them.
template <class T>
struct LargePages {
  using value_type = T;

  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}  // NOLINT(google-explicit-constructor): containers convert their allocators

  T* allocate(std::size_t count) {
    if (!is_large(count)) return static_cast<T*>(::operator new(count * sizeof(T)));
    const std::size_t bytes = (count * sizeof(T) + page - 1) / page * page;
    void* made = std::aligned_alloc(page, bytes);
    if (made == nullptr) throw std::bad_alloc();
    madvise(made, bytes, MADV_HUGEPAGE);  // a hint: without such pages the array is as good, and slower
    return static_cast<T*>(made);
  }
  void deallocate(T* made, std::size_t count) {
    if (is_large(count)) std::free(made);
    else ::operator delete(made);
  }
  friend bool operator==(LargePages, LargePages) { return true; }

 private:
  static constexpr std::size_t page = std::size_t{2} << 20;
  static bool is_large(std::size_t count) { return count > 4 * page / sizeof(T); }
};

}  // namespace reckon::worst
