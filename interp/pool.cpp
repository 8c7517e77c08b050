#include "interp/pool.h"

#include <algorithm>
#include <bit>
#include <new>

namespace reckon::interp {

namespace {
constexpr std::align_val_t alignment{64};
}

std::byte* allocate_values(const Semantics& semantics, ir::Scalar scalar, std::size_t count) {
  const std::size_t bytes = std::max<std::size_t>(semantics.size(scalar) * count, 1);
  auto* data = static_cast<std::byte*>(::operator new(bytes, alignment));
  if (!semantics.trivial()) semantics.construct(scalar, data, count);
  return data;
}

void release_values(const Semantics* semantics, ir::Scalar scalar, std::byte* data, std::size_t count) {
  if (data == nullptr) return;
  if (semantics != nullptr && !semantics->trivial()) semantics->destroy(scalar, data, count);
  ::operator delete(data, alignment);
}

/// The pool and the columns that are in use share it, so that a result may outlive the evaluation.
struct Buffer::FreeLists {
  struct List {
    ir::Scalar scalar;
    std::size_t capacity;
    Header* first;
  };
  const Semantics& semantics;
  std::size_t users = 1;    ///< the pool, and each buffer that is in use
  std::vector<List> lists;  ///< few: an evaluation has two or three types, and batches of two or three sizes

  explicit FreeLists(const Semantics& of) : semantics(of) {}
  FreeLists(const FreeLists&) = delete;
  FreeLists& operator=(const FreeLists&) = delete;
  ~FreeLists() {
    for (const List& list : lists) {
      for (Header* header = list.first; header != nullptr;) {
        Header* next = header->next;
        if (!semantics.trivial())
          semantics.destroy(list.scalar, reinterpret_cast<std::byte*>(header + 1), list.capacity);
        header->~Header();
        ::operator delete(header, alignment);
        header = next;
      }
    }
  }

  Header* take(ir::Scalar scalar, std::size_t capacity) {
    std::size_t k = 0;
    while (k < lists.size() && (lists[k].scalar != scalar || lists[k].capacity != capacity)) ++k;
    if (k == lists.size()) lists.push_back({scalar, capacity, nullptr});
    if (Header* header = lists[k].first) {
      lists[k].first = header->next;
      return header;
    }
    void* memory = ::operator new(sizeof(Header) + semantics.size(scalar) * capacity, alignment);
    auto* header = new (memory) Header{.lists = this, .list = k};
    if (!semantics.trivial()) semantics.construct(scalar, reinterpret_cast<std::byte*>(header + 1), capacity);
    return header;
  }

  void end_use() {
    if (--users == 0) delete this;
  }
};

void Buffer::give_back(Header* header) {
  FreeLists* lists = header->lists;
  header->next = std::exchange(lists->lists[header->list].first, header);
  lists->end_use();
}

Pool::Pool(const Semantics& semantics) : free_(new Buffer::FreeLists(semantics)) {}
Pool::~Pool() { free_->end_use(); }

Column Pool::column(ir::Scalar scalar, std::size_t count) {
  // Capacities are powers of two, so that frames of slightly different sizes share buffers.
  const std::size_t capacity = std::bit_ceil(std::max<std::size_t>(count, 1));
  Buffer::Header* header = free_->take(scalar, capacity);
  header->uses = 1;
  ++free_->users;
  Column column;
  column.scalar = scalar;
  column.buffer = Buffer(header);
  column.data = column.buffer.data();
  return column;
}

}  // namespace reckon::interp
