// Integers nested in tuples: shapes, strides and coordinates (CuTe's IntTuple; docs/layouts.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reckon::layout {

class IntTuple {
 public:
  IntTuple(std::int64_t value) : value_(value) {}
  IntTuple(std::vector<IntTuple> elements) : is_int_(false), elements_(std::move(elements)) {}
  // Copying and destruction are defined in the source file: inlined into every type that holds an IntTuple, they would
  // make up a sixth of the program's object code.
  IntTuple(const IntTuple&);
  IntTuple(IntTuple&&) noexcept;
  IntTuple& operator=(const IntTuple&);
  IntTuple& operator=(IntTuple&&) noexcept;
  ~IntTuple();

  bool is_int() const { return is_int_; }
  std::int64_t value() const { return value_; }                        ///< of an integer
  const std::vector<IntTuple>& elements() const { return elements_; }  ///< of a tuple
  /// 1 for an integer: `24` has one mode, itself, and `(24)` has one too.
  std::size_t rank() const { return is_int_ ? 1 : elements_.size(); }
  /// 0 for an integer.
  int depth() const;
  /// The integers from left to right.
  std::vector<std::int64_t> leaves() const;
  /// As CuTe writes it: `((2,4),3)`.
  std::string text() const;

  friend bool operator==(const IntTuple&, const IntTuple&) = default;

 private:
  bool is_int_ = true;
  std::int64_t value_ = 0;
  std::vector<IntTuple> elements_;
};

/// The integers from left to right, without a vector of them.
template <class Action>
void for_each_leaf(const IntTuple& tuple, Action&& action) {
  if (tuple.is_int()) return action(tuple.value());
  for (const IntTuple& element : tuple.elements()) for_each_leaf(element, action);
}

/// Whether the tuples are equal if their integers are ignored.
bool congruent(const IntTuple& a, const IntTuple& b);
/// The product of the leaves, if it fits; 1 for the empty tuple.
std::optional<std::int64_t> product(const IntTuple& tuple);
/// The tuple with its leaves replaced, from left to right; as many as it has.
IntTuple with_leaves(const IntTuple& tuple, const std::vector<std::int64_t>& leaves);
/// The tuple with its leaves replaced by tuples.
IntTuple grafted(const IntTuple& tuple, const std::vector<IntTuple>& leaves);
/// The path of every leaf, from left to right: (4,(2,3)) has 0, then 1 0, then 1 1; an integer the empty one.
std::vector<std::vector<std::int64_t>> leaf_paths(const IntTuple& tuple);

}  // namespace reckon::layout
