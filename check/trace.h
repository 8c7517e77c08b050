// A semantics whose values are small records instead of numbers, for properties that propagate through a circuit.
// Constants and loaded arguments have empty records, and every operation makes the record of its result from those of
// its operands. An integer is one integer here, too.
#pragma once

#include <cstring>
#include <string_view>

#include "interp/algebra/array_semantics.h"

namespace reckon::check {

/// `Algebra` defines the operations on records, which are its Values. A derived class defines the name and the record
/// that is drawn for an input.
template <class Derived, class Algebra>
class TraceSemantics : public interp::ArraySemantics<Derived> {
 public:
  using Record = typename Algebra::Value;

  explicit TraceSemantics(ir::Laws laws) : laws_(laws) {}
  driver::Traits traits() const override { return {.laws = laws_, .ring = true, .draws_values = true}; }
  template <ir::Scalar S>
  auto algebra() const {
    return Algebra{};
  }

  std::optional<interp::Fault> literal(const ir::Literal& literal, ir::Scalar scalar, std::byte* out) const override {
    if (scalar == ir::Scalar::boolean) *out = static_cast<std::byte>(literal.bits != 0);
    else if (ir::is_integer(scalar)) interp::words::put_literal(scalar, literal, out);
    else put(out, {});
    return std::nullopt;
  }
  std::optional<interp::Fault> load(ir::Scalar scalar, const std::uint8_t* bytes, std::size_t count,
                                    std::byte* out) const override {
    if (scalar == ir::Scalar::boolean) interp::load_truths(bytes, count, out);
    else if (ir::is_integer(scalar)) interp::words::load(scalar, bytes, count, out);
    else fill(count, out);
    return std::nullopt;
  }
  std::optional<interp::Fault> from_index(ir::Scalar scalar, const std::int64_t* values, std::size_t count,
                                          std::byte* out) const override {
    if (ir::is_integer(scalar)) interp::words::put_indices(scalar, values, count, out);
    else fill(count, out);
    return std::nullopt;
  }
  interp::Rendering render(ir::Scalar, const std::byte*) const override { return {}; }
  interp::Truth equal(ir::Scalar, const std::byte*, const std::byte*) const override { return interp::Truth::unknown; }
  std::optional<interp::Enclosure> enclosure(ir::Scalar, const std::byte*) const override { return std::nullopt; }
  std::optional<std::uint64_t> bits(ir::Scalar scalar, const std::byte* value) const override {
    return ir::is_integer(scalar) ? std::optional<std::uint64_t>(interp::words::at(scalar, value)) : std::nullopt;
  }

 protected:
  static void put(std::byte* out, const Record& record) { std::memcpy(out, &record, sizeof(record)); }

 private:
  static void fill(std::size_t count, std::byte* out) {
    for (std::size_t i = 0; i < count; ++i) put(out + i * sizeof(Record), {});
  }

  ir::Laws laws_;
};

}  // namespace reckon::check
