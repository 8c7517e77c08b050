#include <utility>

#include "interp/evaluate.h"
#include "interp/pool.h"

namespace reckon::interp {

Values::Values(const Semantics& semantics, ir::Scalar scalar, std::vector<std::int64_t> shape)
    : semantics_(semantics.trivial() ? nullptr : &semantics),
      scalar_(scalar),
      shape_(std::move(shape)),
      count_(1),
      element_size_(semantics.size(scalar)) {
  for (std::int64_t extent : shape_) count_ *= extent;
  data_ = allocate_values(semantics, scalar_, static_cast<std::size_t>(count_));
}

Values::Values(Values&& other) noexcept
    : semantics_(other.semantics_),
      scalar_(other.scalar_),
      shape_(std::move(other.shape_)),
      count_(std::exchange(other.count_, 0)),
      element_size_(other.element_size_),
      data_(std::exchange(other.data_, nullptr)) {}

Values& Values::operator=(Values&& other) noexcept {
  if (this != &other) {
    Values old(std::move(*this));
    semantics_ = other.semantics_;
    scalar_ = other.scalar_;
    shape_ = std::move(other.shape_);
    count_ = std::exchange(other.count_, 0);
    element_size_ = other.element_size_;
    data_ = std::exchange(other.data_, nullptr);
  }
  return *this;
}

Values::~Values() {
  if (data_ != nullptr) release_values(semantics_, scalar_, data_, static_cast<std::size_t>(count_));
}

ir::HostTensor Values::host(const Semantics& semantics) const {
  ir::HostTensor tensor(scalar_, shape_);
  semantics.store(scalar_, data_, static_cast<std::size_t>(count_), tensor);
  return tensor;
}

std::optional<ir::HostTensor> Values::host_if_all(const Semantics& semantics) const {
  ir::HostTensor tensor(scalar_, shape_);
  if (!semantics.store(scalar_, data_, static_cast<std::size_t>(count_), tensor)) return std::nullopt;
  return tensor;
}

}  // namespace reckon::interp
