// What `exact` reports if an operation has no value, or if it could not find the value.
#pragma once

#include <array>
#include <string>

#include "interp/algebra/array_semantics.h"
#include "numerics/reals/real.h"

namespace reckon::interp {

class ExactFaults {
 public:
  explicit ExactFaults(long limit);
  ExactFaults(const ExactFaults&) = delete;
  ExactFaults& operator=(const ExactFaults&) = delete;

  /// When balls give up: the number of bits, and the flag that ends them at once.
  numerics::Limit limit() const { return limit_; }
  void stop_when(const std::atomic<bool>* flag) { limit_.stop = flag; }
  /// The fault of an operation that ended without a value. The text lives as long as this object.
  const FaultText* of(ir::Op op, numerics::Outcome outcome) const;
  /// Null if irrational numbers can be computed.
  const FaultText* library() const { return library_.message ? &library_ : nullptr; }

 private:
  struct Said {
    std::string message, help;
    FaultText text{};
  };
  static constexpr std::size_t operations = static_cast<std::size_t>(ir::Op::convert) + 1;

  numerics::Limit limit_;
  std::string undecided_help_, no_library_;
  FaultText library_{};
  std::array<Said, operations> undecided_;
  std::array<Said, operations> undefined_;
};

}  // namespace reckon::interp
