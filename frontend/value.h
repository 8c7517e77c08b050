// The values of expressions in the elaborator: a static value, which is known before anything runs, or a circuit node.
#pragma once

#include <gmpxx.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "frontend/layouts/object.h"
#include "ir/index_layout.h"
#include "ir/library_function.h"
#include "ir/module.h"
#include "ir/profile.h"
#include "layout/layout.h"

namespace reckon::frontend {

struct Value;

/// A size, an index, or an integer computed from them, not known as a number yet.
struct SymbolicInteger {
  ir::IndexId index;
};
struct SymbolicCondition {
  ir::IndexId condition;
};
/// A rational multiple of pi, e, ln2 or log2e.
struct RealMultiple {
  mpq_class factor;
  ir::RealConstant constant{};
};
/// `inf`, `-inf`, `nan`: a value of whatever float format it is combined with.
struct SpecialNumber {
  bool nan = false;
  bool negative = false;
};
struct TupleValue {
  std::vector<Value> parts;
};
struct ListValue {
  std::vector<Value> elements;
  std::vector<SourceSpan> spans;  ///< where each element stands
};
struct TypeValue {
  ir::Scalar scalar{};
  std::vector<Value> extents;
  bool indexed = false;  ///< `f32[n]` as against `f32`
};
/// `_` in a shape: an extent as large as needed.
struct OpenExtent {};
/// A layout whose last mode is open: `(4, _):(1, 4)`.
struct OpenLayout {
  ir::Arrangement arrangement;
  std::string text;
};
struct ScheduleValue {
  ir::ScheduleId schedule;  ///< a schedule or a stage
};
struct TreeValue {
  ir::TreeId tree;
};
/// A `fn`, with its static arguments if it has been given some; or a `kernel` that lacks its own.
struct CircuitValue {
  std::uint32_t declaration = 0;
  std::vector<Value> static_arguments;
  bool given = false;
};
/// A `let f(a, b) = ...`.
struct ClosureValue {
  std::uint32_t declaration = 0;
};
struct BuiltinValue {
  std::string name;
};
/// What `view` adds to a tensor: subscripts may be nested as the layout's shape is.
struct View {
  ir::NodeId leaves;     ///< the same elements with a dimension for each leaf of the shape
  ir::IndexTuple shape;
};
struct DynamicValue {
  ir::NodeId node;
  std::shared_ptr<const View> view = nullptr;
};
/// `spread(f, x)`, `attains(f, x, r)`, `width(f(x))`: a question, which has an answer but is not a value in
/// expressions.
struct QuestionValue {
  std::string name;    ///< spread, attains, or a function of enclosures
  ir::NodeId result;   ///< f(x)
  ir::NodeId target;   ///< attains: r; of enclosures: the second operand
};
/// A `profile`.
struct ProfileValue {
  std::uint32_t declaration = 0;
  std::shared_ptr<const ir::Profile> profile;
};
/// A function of a shared library: one side of a check.
struct LibraryValue {
  std::shared_ptr<const ir::LibraryFunction> function;
};
/// A number that is shown as a decimal (a bound); otherwise it is an ordinary number.
struct DecimalValue {
  mpq_class value;
  std::string text;
};

struct Value {
  using Data =
      std::variant<mpq_class, SymbolicInteger, bool, SymbolicCondition, RealMultiple, SpecialNumber, std::string,
                   TupleValue, ListValue, TypeValue, layout::Layout, ir::IndexLayout, LayoutObject, OpenExtent,
                   OpenLayout, ScheduleValue, TreeValue, CircuitValue, ClosureValue, BuiltinValue, DynamicValue,
                   QuestionValue, ProfileValue, LibraryValue, DecimalValue>;
  Data data;
  /// For the number 0: it was written `-0`, and becomes the negative zero of a float format.
  bool negative_zero = false;

  Value(Data data_ = {}, bool negative_zero_ = false);
  Value(const Value&);
  Value(Value&&) noexcept;
  Value& operator=(const Value&);
  Value& operator=(Value&&) noexcept;
  ~Value();

  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&data);
  }
  template <class T>
  bool is() const {
    return std::holds_alternative<T>(data);
  }
};

/// The swizzle, composed layout, ... that a value is, or null.
template <class T>
const T* layout_object(const Value& value) {
  auto* object = value.get_if<LayoutObject>();
  return object ? object->get_if<T>() : nullptr;
}

}  // namespace reckon::frontend
