// Storage for columns of values. Buffers are reused: the temporaries of a batch occupy the memory of those of the batch
// before it, which is still in the cache.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "interp/semantics.h"

namespace reckon::interp {

class Values;

/// A counted reference to memory of a pool. All references to the memory of one pool belong to one thread.
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer& other) : header_(other.header_) {
    if (header_ != nullptr) ++header_->uses;
  }
  Buffer(Buffer&& other) noexcept : header_(std::exchange(other.header_, nullptr)) {}
  Buffer& operator=(Buffer other) noexcept {
    std::swap(header_, other.header_);
    return *this;
  }
  ~Buffer() {
    if (header_ != nullptr && --header_->uses == 0) give_back(header_);
  }
  std::byte* data() const { return header_ != nullptr ? reinterpret_cast<std::byte*>(header_ + 1) : nullptr; }

 private:
  friend class Pool;
  struct FreeLists;
  /// Precedes the values and keeps them aligned.
  struct alignas(64) Header {
    std::size_t uses = 0;
    FreeLists* lists = nullptr;
    std::size_t list = 0;    ///< the number of its list in `lists`
    Header* next = nullptr;  ///< the next free buffer, while this one is free
  };
  explicit Buffer(Header* header) : header_(header) {}
  static void give_back(Header* header);

  Header* header_ = nullptr;
};

/// Values of one scalar type, one for each element of a frame (or each row of a block).
struct Column {
  ir::Scalar scalar{};
  const std::byte* data = nullptr;
  Buffer buffer;                         ///< if the values are in a pool's memory
  std::shared_ptr<const Values> tensor;  ///< if the values belong to a tensor

  std::byte* writable() const { return buffer.data(); }
};

/// A scalar has one column, a tuple one for each of its parts.
using Columns = std::vector<Column>;

class Pool {
 public:
  explicit Pool(const Semantics& semantics);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();

  /// A writable column of `count` constructed values. It may outlive the pool, but not the semantics.
  Column column(ir::Scalar scalar, std::size_t count);

 private:
  Buffer::FreeLists* free_;
};

/// Memory for `count` constructed values of a scalar type, aligned for vector loads.
std::byte* allocate_values(const Semantics& semantics, ir::Scalar scalar, std::size_t count);
/// `semantics` is used only if its values are not trivial, and may be null otherwise.
void release_values(const Semantics* semantics, ir::Scalar scalar, std::byte* data, std::size_t count);

}  // namespace reckon::interp
