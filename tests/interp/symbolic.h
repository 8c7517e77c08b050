// A semantics whose values are the expressions themselves: trees over integers. `add` writes a pair down. Folding a
// schedule under it gives the parenthesisation that was really carried out.
#pragma once

#include <cstring>

#include "interp/algebra/array_semantics.h"
#include "ir/schedule/schedule.h"

namespace reckon::interp::testing {

struct Expressions {
  using Value = std::uint32_t;
  ir::TreeStore* trees = nullptr;
  Value add(Value a, Value b) const { return trees->pair({a}, {b}).index; }
};

class SymbolicSemantics : public ArraySemantics<SymbolicSemantics> {
 public:
  std::string_view name() const override { return "symbolic"; }
  driver::Traits traits() const override { return {}; }
  template <ir::Scalar>
  auto algebra() const {
    return Expressions{&trees};
  }
  std::optional<Fault> literal(const ir::Literal& literal, ir::Scalar, std::byte* out) const override {
    put(static_cast<std::int64_t>(literal.value.get_d()), out);
    return std::nullopt;
  }
  std::optional<Fault> load(ir::Scalar, const std::uint8_t* bytes, std::size_t count, std::byte* out) const override {
    for (std::size_t i = 0; i < count; ++i) {
      float value = 0;
      std::memcpy(&value, bytes + 4 * i, 4);
      put(static_cast<std::int64_t>(value), out + 4 * i);
    }
    return std::nullopt;
  }
  std::optional<Fault> from_index(ir::Scalar, const std::int64_t* values, std::size_t count,
                                  std::byte* out) const override {
    for (std::size_t i = 0; i < count; ++i) put(values[i], out + 4 * i);
    return std::nullopt;
  }
  Rendering render(ir::Scalar, const std::byte* value) const override { return {trees.text(get(value)), {}}; }
  Truth equal(ir::Scalar, const std::byte* a, const std::byte* b) const override {
    return get(a) == get(b) ? Truth::yes : Truth::no;
  }
  std::optional<Enclosure> enclosure(ir::Scalar, const std::byte*) const override { return std::nullopt; }
  std::optional<std::uint64_t> bits(ir::Scalar, const std::byte*) const override { return std::nullopt; }

  ir::TreeId get(const std::byte* value) const {
    std::uint32_t index = 0;
    std::memcpy(&index, value, 4);
    return {index};
  }
  /// A tree of another store, its leaves moved by `offset`, in this one.
  ir::TreeId import(const ir::TreeStore& from, ir::TreeId id, std::int64_t offset) {
    const ir::TreeNode& node = from[id];
    if (node.leaf >= 0) return trees.leaf(node.leaf + offset);
    return trees.pair(import(from, node.left, offset), import(from, node.right, offset));
  }

  mutable ir::TreeStore trees;

 private:
  void put(std::int64_t leaf, std::byte* out) const {
    const std::uint32_t index = trees.leaf(leaf).index;
    std::memcpy(out, &index, 4);
  }
};

}  // namespace reckon::interp::testing
