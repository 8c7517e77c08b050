// Why an operation of the layout algebra has no result, as a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace reckon::layout {

struct Problem {
  enum class Kind {
    empty,            ///< a shape or stride with an empty tuple
    not_congruent,    ///< shape and stride are nested differently
    not_positive,     ///< an extent below 1
    too_large,        ///< a size or offset that does not fit in 64 bits
    bad_coordinate,   ///< a coordinate that is not nested like the shape
    out_of_range,     ///< a coordinate or index that is negative or past the end
    rank,             ///< more modes asked for than there are
    overlap,          ///< modes that interleave or repeat offsets, broadcasts among them
    gap,              ///< offsets that no exact tiling fills: a stride is not a multiple of what is below it
    negative_stride,  ///< a stride below 0 where the operation needs none
    carry,            ///< steps that carry from one digit of a layout into the next
    no_layout,        ///< a function that is no layout; `at` is an index that refutes it
    undecided,        ///< an exact answer would take an enumeration beyond the stated bound
    not_divisible,    ///< sizes or strides that do not divide
    ambiguous,        ///< orders, strides or threads that cannot be distinguished
    bad_swizzle,      ///< bits, base and shift, or masks, that define no swizzle
    bad_access,       ///< an access to memory that no instruction makes: its width, its alignment
    not_linear,       ///< no function of bits: a size that is no power of two, a carry
    not_a_cover,      ///< a thread-value layout that misses an element, or has two owners for one
    unknown_name,     ///< of an atom
  } kind{};
  std::string message{};             ///< what was seen: lower case, no final full stop, values in back-ticks
  std::string hint{};                ///< what to do instead; may be empty
  std::optional<std::int64_t> at{};  ///< an index of the domain where it shows, if there is one
};

/// In back-ticks: the form of names and values in a problem's texts.
inline std::string in_backticks(const std::string& text) { return "`" + text + "`"; }
inline std::string in_backticks(std::int64_t value) { return in_backticks(std::to_string(value)); }

/// The same problem, with where it was seen before its message.
inline Problem prefixed(const std::string& where, Problem problem) {
  problem.message = where + problem.message;
  return problem;
}

/// A value, or the problem that says why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Problem problem) : state_(std::in_place_index<1>, std::move(problem)) {}
  explicit operator bool() const { return state_.index() == 0; }
  const T& operator*() const { return std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const Problem& problem() const { return std::get<1>(state_); }

 private:
  std::variant<T, Problem> state_;
};

}  // namespace reckon::layout
