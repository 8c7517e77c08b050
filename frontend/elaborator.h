// The private header of the elaborator: one walk over expressions, split into files by the kind of expression or item.
// Every function that returns an optional has reported why when it returns nothing.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontend/elaborate.h"
#include "frontend/environment.h"
#include "frontend/imports.h"
#include "frontend/value.h"
#include "ir/index_algebra.h"
#include "layout/expression.h"

namespace reckon::frontend {

class Session::Lone {
 public:
  Lone(PlacedResult result_, std::uint32_t program_) : result(std::move(result_)), program(program_) {}

  PlacedResult result;
  std::uint32_t program;  ///< whose result the expression is
};

/// A value, or nothing: then it has been reported why.
using Maybe = std::optional<Value>;

/// An index of a binder, and its range as far as it is known.
struct BinderRange {
  std::string name;
  SourceSpan declared;
  std::optional<ir::IndexId> extent;
  SourceSpan found;    ///< where the extent was found
  bool given = false;  ///< `i < e`
};

class Elaborator {
 public:
  Elaborator(SourceMap& sources_, Files files_, BackEnd back_end_);
  Elaborator(const Elaborator&) = delete;

  // Items (elaborate_item.cpp)
  Session::Outcome add(std::uint32_t file, const std::string& path, ParseAs as);
  Session::Outcome add(ParseResult parsed, const std::string& path, ParseAs as);
  std::optional<ir::Function> instance(std::uint32_t declaration, const std::vector<Value>& arguments,
                                       SourceSpan place);
  std::optional<StaticResult> static_result(const Value& value);
  std::optional<ir::Function> closed_function(const Value& value, SourceSpan span, const std::string& name,
                                              std::optional<ir::Scalar> scalar = std::nullopt);

  ir::Module module;
  SourceMap& sources;
  const Files files;
  const BackEnd back_end;
  Imports imports{*this};
  std::deque<LoadedProgram> programs;
  std::deque<Declaration> declarations;
  std::shared_ptr<Environment> session = std::make_shared<Environment>();  ///< of the main program and the REPL
  std::map<std::string, Value> predefined;                                 ///< built-in names
  std::vector<Diagnostic> diagnostics;
  bool keep_literal_places = false;
  bool reads_clauses = true;  ///< whether clauses of kernels are read
  /// The places where numbers of the program were converted to a float format: file, begin, end. One node may have
  /// several places.
  std::map<ir::NodeId, std::set<std::array<std::uint32_t, 3>>> literal_places;

  // Where elaboration stands
  std::map<ir::VariableId, BinderRange> ranges;          ///< of the indices of the binders around
  std::vector<ir::Requirement>* requirements = nullptr;  ///< of the function being elaborated
  std::uint32_t length_depth = 0;                        ///< how many `length` bodies are around

  const Item& item_of(const Declaration& declaration) const {
    return programs[declaration.program].tree.items[declaration.item];
  }
  /// The value of a definition; nothing if there is none of that name, or if it has errors.
  const Value* global_value(const Environment& environment, const std::string& name, SourceSpan place);
  std::vector<std::string> all_names(const Environment& environment) const;
  /// `a circuit`, `a schedule`, `f32[n]`: what a value is, for messages.
  std::string kind_text(const Value& value);
  std::string value_text(const Value& value);
  /// The same for static arguments, where `-0` and `0` are different.
  std::string key_text(const Value& value);
  std::optional<ir::ScheduleId> schedule_of(const Value& value, SourceSpan at, bool stage);
  Maybe call_closure(const ClosureValue& closure, const std::vector<Value>& arguments, SourceSpan at);
  /// A lone expression in the form that pictures need; nothing if it is not a layout (frontend/layouts/expression.cpp).
  std::optional<layout::Expression> layout_expression(const Session::Lone& lone);

  const Expr& expr(const Context& context, ExprId id) const { return programs[context.program].tree[id]; }
  template <class... Arguments>
  std::nullopt_t fail(Arguments&&... arguments) {
    report(Diagnostic(std::forward<Arguments>(arguments)...));
    return std::nullopt;
  }
  std::nullopt_t report(Diagnostic diagnostic);

  // Expressions (elaborate_expression.cpp)
  Maybe elaborate(const Context& context, ExprId id);
  Maybe elaborate_kind(const Context& context, const Expr& expression, ExprId id);
  Maybe elaborate_name(const Context& context, const Expr& expression);
  Maybe elaborate_block(const Context& context, const Expr& expression);
  Maybe elaborate_conditional(const Context& context, const Expr& expression);
  Maybe elaborate_list(const Context& context, const Expr& expression);
  Maybe elaborate_index(const Context& context, const Expr& expression);
  Maybe elaborate_chain(const Context& context, ExprId id);

  // Operators (operators.cpp)
  Maybe unary(const std::string& sign, const Value& value, const Expr& at, SourceSpan operand);
  Maybe binary(const std::string& sign, const Value& left, const Value& right, const Expr& at, SourceSpan left_span,
               SourceSpan right_span);
  Maybe static_arithmetic(const std::string& sign, const mpq_class& a, const mpq_class& b, const Expr& at,
                          SourceSpan right_span);
  Maybe static_bits(const std::string& sign, const mpz_class& a, const mpz_class& b, const Expr& at,
                    SourceSpan right_span);
  Maybe symbolic_arithmetic(const std::string& sign, ir::IndexId a, ir::IndexId b, const Expr& at);
  Maybe compare(const std::string& sign, const Value& left, const Value& right, const Expr& at);
  Maybe truth(const std::string& sign, const Value& left, const Value& right, const Expr& at);
  /// An element-wise operation on values of which at least one is dynamic (or becomes so).
  Maybe apply(ir::Op op, const std::vector<Value>& arguments, const std::vector<SourceSpan>& spans, SourceSpan at,
              const std::string& spelled);

  // Coercion (coerce.cpp)
  /// The value as a node; static numbers become literals of `scalar` (of `number` if none is given).
  std::optional<ir::NodeId> node_of(const Value& value, std::optional<ir::Scalar> scalar, SourceSpan at);
  /// A value for a parameter or result of the given type, whose dimensions the substitution may bind.
  std::optional<ir::NodeId> fit(const Value& value, ir::TypeId type, ir::IndexSubstitution& dimensions, bool bind,
                                SourceSpan at, const std::string& what);
  std::optional<ir::NodeId> array_of(const ListValue& list, std::optional<ir::Scalar> scalar, SourceSpan at);
  struct PlacedValue {
    const Value* value;
    SourceSpan span;
  };
  bool flatten(const ListValue& list, std::vector<PlacedValue>& elements, std::vector<std::int64_t>& shape,
               std::size_t depth, SourceSpan at);
  std::optional<ir::Scalar> scalar_of(const Value& value) const;
  bool is_dynamic(const Value& value) const;
  std::optional<ir::IndexId> index_of(const Value& value, SourceSpan at, const std::string& what);
  std::optional<std::int64_t> integer_of(const Value& value, SourceSpan at, const std::string& what);
  std::optional<ir::TypeId> type_of(const Context& context, const TypeExpr& type);
  std::optional<ir::TypeId> type_of(const TypeValue& type, SourceSpan at);
  bool equal_extents(ir::IndexId a, ir::IndexId b, Diagnostic diagnostic);

  // Calls (elaborate_call.cpp, builtins.cpp)
  Maybe elaborate_call(const Context& context, const Expr& expression);
  Maybe call(const Value& callee, const std::vector<Value>& arguments, const std::vector<SourceSpan>& spans,
             const Expr& at, SourceSpan callee_span);
  Maybe call_circuit(const CircuitValue& circuit, const std::vector<Value>& arguments,
                     const std::vector<SourceSpan>& spans, SourceSpan at);
  std::optional<std::vector<Value>> deduced_formats(const Item& item, const std::vector<Value>& arguments,
                                                    SourceSpan at);
  Maybe call_builtin(const std::string& name, const std::vector<Value>& arguments,
                     const std::vector<SourceSpan>& spans, SourceSpan at);
  /// The size in a schedule: an index expression that no loop changes, at least 1.
  std::optional<ir::IndexId> schedule_size(const Value& value, SourceSpan at, const std::string& what,
                                           std::string_view meaning);
  /// `any(depth: h)`, `any(lanes: k)`.
  Maybe elaborate_limited_set(const Context& context, ir::ScheduleId set, const Expr& expression);
  Maybe make_schedule(const ir::Form& form, const std::vector<Value>& arguments, const std::vector<SourceSpan>& spans,
                      SourceSpan at);
  Maybe make_arrangement(const std::vector<Value>& arguments, const std::vector<SourceSpan>& spans);
  Maybe ask_schedule(const std::string& name, const std::vector<Value>& arguments, const std::vector<SourceSpan>& spans,
                     SourceSpan at);
  Maybe call_bound(const std::string& name, const std::vector<Value>& arguments, const std::vector<SourceSpan>& spans,
                   SourceSpan at);
  static bool is_layout_function(const std::string& name);  ///< frontend/layouts/
  static bool any_symbolic(const std::vector<Value>& values);
  Maybe call_symbolic_layout_function(const std::string& name, const std::vector<Value>& values,
                                      const std::vector<SourceSpan>& spans, SourceSpan at);
  /// The algebra of layouts with unknown sizes (layouts/symbolic.cpp). Conditions become requirements of a circuit.
  ir::IndexAlgebra index_algebra(SourceSpan at);
  template <class Labels, class IsLayout>
  Maybe rearranged(Labels& labels, const std::string& name, std::vector<Value> values,
                   const std::vector<SourceSpan>& spans, SourceSpan at, const IsLayout& is_layout);
  /// The result of a function that depends only on how layouts are nested, not on their numbers; nothing for other
  /// functions.
  std::optional<Maybe> rearrange_symbolic(const std::string& name, const std::vector<Value>& values,
                                          const std::vector<SourceSpan>& spans, SourceSpan at);
  Maybe give_symbolic(const layout::Result<ir::IndexLayout>& result, SourceSpan at);
  Maybe measure_symbolic(const std::string& name, const Value& value, SourceSpan at);
  std::optional<ir::IndexTiler> index_tiler_of(const Value& value, SourceSpan at);
  Maybe compose_symbolic(const std::vector<Value>& values, const std::vector<SourceSpan>& spans, SourceSpan at);
  std::optional<ir::IndexLayout> divided_symbolic(const std::string& name, const Value& value,
                                                  const ir::IndexTiler& tiler, SourceSpan value_at, SourceSpan at);
  Maybe divide_symbolic(const std::string& name, const std::vector<Value>& values, const std::vector<SourceSpan>& spans,
                        SourceSpan at);
  Maybe slice_symbolic(const Value& coordinate, const Value& value, SourceSpan value_at, SourceSpan at);
  bool add_fixed(const Value& coordinate, const ir::IndexTuple& shape, const ir::IndexTuple& stride, SourceSpan at,
                 ir::IndexId& sum);
  Maybe local_tile_symbolic(const std::vector<Value>& values, const std::vector<SourceSpan>& spans, SourceSpan at);
  Maybe local_partition_symbolic(const std::vector<Value>& values, const std::vector<SourceSpan>& spans, SourceSpan at);
  // A thread's part, or a tile, at indices of the program (layouts/at_indices.cpp)
  static bool takes_indices(const std::string& name, const std::vector<Value>& values);
  Maybe part_at_indices(const std::string& name, const std::vector<Value>& values, const std::vector<SourceSpan>& spans,
                        SourceSpan at);
  template <class Valued>
  Maybe tile_at_indices(const Valued& whole, const layout::Tiler& tiler, const Value& coordinate, SourceSpan at);
  template <class Shared>
  Maybe share_at_index(const layout::Result<Shared>& shares, const Value& thread, SourceSpan thread_at, SourceSpan at);
  /// Adds the values of layouts of one shape at an index, each to a sum of its own.
  bool add_at_index(const std::vector<layout::Layout>& components, const Value& index, SourceSpan at,
                    std::vector<ir::IndexId>& sums);
  static Diagnostic layout_problem(const layout::Problem& problem, SourceSpan at);
  Maybe call_layout_function(const std::string& name, const std::vector<Value>& arguments,
                             const std::vector<SourceSpan>& spans, SourceSpan at);
  Maybe call_source(const std::string& name, const std::vector<Value>& arguments,
                    const std::vector<SourceSpan>& spans, SourceSpan at);
  /// spread, attains (elaborate_question.cpp)
  Maybe call_question(const std::string& name, const std::vector<Value>& arguments,
                      const std::vector<SourceSpan>& spans, SourceSpan at);
  std::optional<Question> question_of(const QuestionValue& value, SourceSpan at);
  Maybe convert(const TypeValue& type, const Value& value, SourceSpan at, SourceSpan value_span);
  Maybe cast(ir::Op op, ir::NodeId value, ir::Scalar to, SourceSpan at);  ///< element by element
  Maybe call_bits(const std::string& name, const std::vector<Value>& arguments, const std::vector<SourceSpan>& spans,
                  SourceSpan at);
  bool wrong_count(const std::string& name, std::size_t wanted, const std::vector<Value>& arguments, SourceSpan at);
  void define_builtins();

  // Binders (elaborate_binder.cpp)
  Maybe elaborate_binder(const Context& context, const Expr& expression);
  Maybe make_map(const std::vector<ir::VariableId>& variables, const std::vector<ir::IndexId>& extents,
                 const Value& body, SourceSpan at);
  Maybe element(const Value& tensor, const std::vector<Value>& subscripts, const std::vector<const Expr*>& written,
                const Expr& at);
  void note_range(ir::IndexId subscript, ir::IndexId extent, const Expr& written);

  // Schedules and layouts (elaborate_schedule.cpp, elaborate_layout.cpp)
  Maybe elaborate_then(const Context& context, const Expr& expression);
  Maybe elaborate_pin(const Context& context, const Expr& expression);
  Maybe elaborate_length(const Context& context, const Expr& expression);
  Maybe elaborate_quoted(const Expr& expression);
  /// Whether the schedule's accumulator suits a sum (or another reduction) of these leaves.
  bool accumulator_fits(ir::ScheduleId schedule, const ir::Module::Fold& fold, const std::string& spelled,
                        SourceSpan at);
  std::optional<ir::TreeId> tree_of(const Value& value, SourceSpan at, std::int64_t leaves, SourceSpan leaves_at);
  /// `check S == T for n: {..}`: whether two schedules have one tree for each of the sizes.
  std::optional<bool> equal_schedules(const Context& context, const Item& item, const Value& left, const Value& right,
                                      SourceSpan left_at, SourceSpan right_at);
  Maybe elaborate_open_colon(const Value& shape, const Value& stride, const Expr& expression, SourceSpan stride_at);
  Maybe elaborate_colon(const Context& context, const Expr& expression);
  /// Like int_tuple_of, but also for sizes and indices that are not known numbers.
  std::optional<ir::IndexTuple> index_tuple_of(const Value& value, SourceSpan at);
  std::optional<ir::IndexLayout> index_layout_of(const Value& value, SourceSpan at);
  // `view`, nested subscripts, and how a parameter is stored (elaborate_view.cpp)
  Maybe call_view(const std::vector<Value>& arguments, const std::vector<SourceSpan>& spans, SourceSpan at);
  Maybe view_element(const View& view, const std::vector<Value>& subscripts, const std::vector<const Expr*>& written,
                     const Context& context, const Expr& at);
  /// Adds the leaves of a mode's coordinate. `proves`: its range must be proved here, since nothing checks it later.
  bool nested_coordinate(const Context& context, const Value& coordinate, const Expr& written,
                         const ir::IndexTuple& shape, bool proves, std::vector<ir::IndexId>& leaves);
  bool stays_below(ir::IndexId index, ir::IndexId extent, const Expr& written);
  /// `L(i, j)` at indices of the program.
  Maybe apply_at_indices(const Context& context, const Value& layout, const std::vector<Value>& arguments,
                         const Expr& at);
  /// How the scalars and tensors of a type are stored, tuples flattened. `what` is a parameter, or a result.
  bool storages_of(const Context& context, const TypeExpr& written, ir::TypeId type, const std::string& what,
                   std::vector<std::optional<ir::Storage>>& out);
  std::optional<ir::Storage> storage_of(const Context& context, const TypeExpr& written, ir::TypeId type,
                                        const std::string& what);
  std::optional<layout::IntTuple> int_tuple_of(const Value& value, SourceSpan at);
  std::optional<layout::Layout> layout_of(const Value& value, SourceSpan at);
  Maybe compare_objects(const std::string& sign, const Value& left, const Value& right, const Expr& at);
  Maybe apply_layout_object(const LayoutObject& object, const std::vector<Value>& arguments,
                            const std::vector<SourceSpan>& spans, SourceSpan at);
  Maybe apply_layout(const layout::Layout& layout, const std::vector<Value>& arguments,
                     const std::vector<SourceSpan>& spans, SourceSpan at);

  // Items (elaborate_item.cpp)
  void declare(std::uint32_t program, const std::string& path, Environment& environment);
  const Value* used(const Declaration& declaration);
  std::optional<ElaboratedItem> elaborate_item(std::uint32_t program, const Item& item);
  bool elaborate_result(const Value& value, SourceSpan at, const std::string& name, ElaboratedItem& out);
  /// Whether every name in a computed dimension is bound by another parameter; reports one that is not.
  bool dimensions_are_bound(const Context& context, const Item& item);
  std::optional<ir::Function> elaborate_function(std::uint32_t declaration, const std::vector<Value>& arguments);
  bool judges_by_profile(const Item& item) const {
    return item.semantics && back_end.takes_profile && back_end.takes_profile(item.semantics->name);
  }
  std::optional<SemanticsName> semantics_name(const Context& context, const Item& item);
  void collect_requirements(const ir::Function& function, const ir::Module::Substitution& substitution);

 private:
  std::uint32_t depth_ = 0;
  std::uint64_t steps_ = 0;
  struct ClosureCall {
    std::uint32_t length_depth = 0;  ///< how many `length` bodies enclosed its start
    bool referenced = false;         ///< a schedule that refers to itself
  };
  std::map<std::string, ClosureCall> closure_calls_;         ///< in progress, by name and arguments
  bool gave_up_ = false;                                     ///< the step limit was reached, which is reported once
};

/// The place of an expression, for messages.
inline SourceSpan span_of(const Expr& expression) { return expression.span; }

}  // namespace reckon::frontend
