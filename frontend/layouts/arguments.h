// The layout algebra's functions as the language has them: a table (functions.h) of functions over layouts, shapes,
// tilers, ..., and the code that converts values to their arguments and their results to values.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/elaborator.h"
#include "frontend/layouts/object.h"
#include "layout/composed_parts.h"
#include "layout/tiler.h"

namespace reckon::frontend {

/// All remaining arguments.
template <class T>
struct Rest {
  std::vector<T> items;
};
/// A list of integers: the table of a function.
struct Table {
  std::vector<std::int64_t> entries;
};
/// A tuple of tilers, or `_`. It applies mode by mode, while a layout alone does not.
struct ModeTiler {
  layout::Tiler tiler;
};
/// The name of a function, given as a value: `bounds(zipped_divide, L, T)`.
struct FunctionName {
  std::string name;
};
/// The name `local_partition`, whose arguments are read in another way than those of divisions.
struct LocalPartitionName {};
/// Which modes a projection keeps, CuTe's Step<_1,X,_1>: `(1, _, 1)`.
struct Projection {
  std::vector<bool> wanted;
};

class LayoutArguments {
 public:
  LayoutArguments(Elaborator& elaborator, const std::string& name, const std::vector<Value>& values,
                  const std::vector<SourceSpan>& spans, SourceSpan at)
      : elaborator_(elaborator), name_(name), values_(values), spans_(spans), at_(at) {}

  std::size_t count() const { return values_.size(); }
  const std::string& name() const { return name_; }

  /// Whether argument k is of the kind that T wants, before anything is said about it.
  template <class T>
  bool accepts(std::size_t k, const T* = nullptr) const;
  template <ObjectKind T>
  bool accepts(std::size_t k, const T* = nullptr) const {
    return k < count() && layout_object<T>(values_[k]);
  }
  /// Argument k, or nothing (reported).
  template <class T>
  std::optional<T> read(std::size_t k) const;
  template <ObjectKind T>
  std::optional<T> read(std::size_t k) const {
    if (const T* found = layout_object<T>(values_[k])) return *found;
    return wanted(k, object_wanted<T>);
  }

  Maybe give(layout::Layout layout) const { return Value{std::move(layout)}; }
  Maybe give(layout::AnyLayout layout) const;
  Maybe give(const layout::IntTuple& tuple) const;
  Maybe give(std::int64_t number) const;
  Maybe give(bool truth) const { return Value{truth}; }
  Maybe give(std::string text) const {
    while (text.ends_with('\n')) text.pop_back();
    return Value{std::move(text)};
  }
  /// The rest of a sliced layout, and the offset at which it starts.
  Maybe give(const layout::AnySliced& part) const { return at_offset(part.layout, part.offset); }
  Maybe give(const layout::AnyPart& part) const { return at_offset(part.layout, part.offset); }
  Maybe give(const layout::Sliced& part) const { return at_offset(part.layout, part.offset); }
  Maybe give(const layout::SlicedCoordinates& part) const;
  template <ObjectKind T>
  Maybe give(T object) const {
    return Value{LayoutObject{std::move(object)}};
  }
  template <class T>
  Maybe give(const layout::Result<T>& result) const {
    if (!result) return refuse(result.problem());
    return give(*result);
  }
  Maybe refuse(const layout::Problem& problem) const;

 private:
  Maybe at_offset(const layout::AnyLayout& layout, std::int64_t offset) const;
  std::nullopt_t unfit(const char* what, const Value& value, const Value& part, SourceSpan at) const;
  std::optional<layout::Layout> layout(const Value& value, SourceSpan at) const;
  std::optional<layout::Tiler> tiler(const Value& value, SourceSpan at) const;
  std::optional<layout::Holed> holed(const Value& value, SourceSpan at) const;
  std::nullopt_t wanted(std::size_t k, const char* what) const;

  Elaborator& elaborator_;
  const std::string name_;
  const std::vector<Value>& values_;
  const std::vector<SourceSpan>& spans_;
  SourceSpan at_;
};

}  // namespace reckon::frontend
