// Storage for columns of values. Buffers are recycled: a batch's temporaries are those of the batch before it, still
// warm in the cache.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "interp/semantics.h"

namespace reckon::interp {

/// Values of one scalar type, one for each element of a frame (or each row of a block). `owner` is empty for views
/// into tensors that live longer.
struct Column {
  ir::Scalar scalar{};
  const std::byte* data = nullptr;
  std::shared_ptr<std::byte> owner;

  std::byte* writable() const { return owner.get(); }
};

/// A scalar has one column, a tuple one for each of its parts.
using Columns = std::vector<Column>;

class Pool {
 public:
  explicit Pool(const Semantics& semantics) : semantics_(semantics), free_(std::make_shared<FreeLists>(semantics)) {}

  /// A writable column of `count` constructed values. It may outlive the pool, not the semantics.
  Column column(ir::Scalar scalar, std::size_t count);

  const Semantics& semantics() const { return semantics_; }

 private:
  // Kept alive by the columns in flight, so that a result may outlive the evaluation.
  struct FreeLists {
    explicit FreeLists(const Semantics& semantics_) : semantics(semantics_) {}
    ~FreeLists();
    const Semantics& semantics;
    /// By scalar type and the capacity's logarithm.
    std::array<std::array<std::vector<std::byte*>, 64>, static_cast<std::size_t>(ir::Scalar::number) + 1> lists;
  };
  const Semantics& semantics_;
  std::shared_ptr<FreeLists> free_;
};

/// Memory for `count` constructed values of a scalar type, aligned for vector loads.
std::byte* allocate_values(const Semantics& semantics, ir::Scalar scalar, std::size_t count);
/// `semantics` is looked at only if its values are not trivial, and may be null otherwise.
void release_values(const Semantics* semantics, ir::Scalar scalar, std::byte* data, std::size_t count);

}  // namespace reckon::interp
