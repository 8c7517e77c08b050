// Why an operation of the layout algebra has no result, as a value.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace reckon::layout {

struct Problem {
  enum class Kind {
    empty,           ///< a shape or stride with an empty tuple
    not_congruent,   ///< shape and stride are nested differently
    not_positive,    ///< an extent below 1
    too_large,       ///< a size or offset that does not fit in 64 bits
    bad_coordinate,  ///< a coordinate that is nested in another way than the shape
    out_of_range,    ///< a coordinate or index that is negative or past the end
    rank,            ///< more modes asked for than there are
  } kind{};
  std::string message;  ///< what was seen: lower case, no final full stop, values in back-ticks
};

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
