// The elaborator makes static values and typed IR of syntax trees: names, types, shapes and static evaluation, in one
// walk.
//
// A Session holds every definition made so far, so that a program, a REPL line or an expression is elaborated in the
// context of what came before. Circuits become functions of its Module; nothing is evaluated here.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "frontend/ast.h"
#include "frontend/parse.h"
#include "ir/library_function.h"
#include "ir/module.h"
#include "ir/profile.h"
#include "layout/expression.h"

namespace reckon::frontend {

/// `fpsan(v38)`: a semantics and its arguments as text.
struct SemanticsName {
  std::string name;
  std::vector<std::string> arguments;
  SourceSpan span;
  std::shared_ptr<const ir::Profile> profile = nullptr;  ///< of `accept`: what its first argument names
};

/// A static result, ready to be shown: its kind (`integer`, `rational`, `bool`, `string`, `tuple`, `list`, `type`, `layout`,
/// `schedule`, `stage`, `tree`, `fn`) and its text.
struct StaticResult {
  std::string type;
  std::string text;
};

/// A question about all orders of a circuit's reduction: its least and greatest result, or whether one gives a value.
/// Or one about the enclosures that values are under `interval` and `bound`; or about the worst error over the ranges
/// of an item (`worst`).
struct Question {
  enum class Kind : std::uint8_t { spread, attains, enclosures, worst } kind{};
  ir::Function function;               ///< its result is what is asked about; without parameters, but for `worst`
  std::optional<ir::Function> target;  ///< attains: the value; enclosures: the second operand; worst: another circuit
  std::string name = {};               ///< enclosures: a row of ir/enclosure_functions.def
  SourceSpan span;
  std::vector<ir::Function> conditions =
      {};  ///< worst: truth values of the same parameters; others are not asked about
  struct Alternative {
    ir::Function circuit;
    SourceSpan span;
  };
  std::vector<Alternative> alternatives = {};  ///< tune: all circuits, where several are given; `function` is the first
};

/// The result of an expression: a static value, a circuit without parameters, or a question about one.
using Result = std::variant<StaticResult, ir::Function, Question>;

struct SizeClause {
  ir::SymbolId dimension;
  std::vector<std::int64_t> values;
};
struct RangeClause {
  std::uint32_t parameter = 0;  ///< of the checked circuits
  mpq_class low, high;
  /// 1, -1: the condition `x > 0`, `x < 0`; then the ends say only where floats are drawn, and 0 is left out.
  int sign = 0;
  /// Where it is not empty: most elements are drawn near one of these numbers, as far as the range allows.
  std::vector<mpq_class> landmarks = {};
};

struct ElaboratedItem {
  ItemKind kind{};
  SourceSpan span;
  std::string text;  ///< the item as written, on one line, without what it is repeated for
  /// Of `for k in {64, 128}: show ...`: `k` and `64`.
  std::vector<std::pair<std::string, std::string>> given;
  std::string label;  ///< the same for people, `k = 64 `, as wide for all values
  std::optional<SemanticsName> semantics;

  std::optional<Result> value;  ///< show, save; check: of a question (attains)
  /// A static number as a circuit of type `number`, for semantics other than float.
  std::optional<ir::Function> number;
  std::string path;             ///< save

  // check
  Item::Relation relation{};
  std::string comparison;               ///< Relation::ordered: `<`, `<=`, `>` or `>=`
  std::optional<bool> static_truth;     ///< a static check: its outcome
  std::size_t cases = 0;                ///< a static check for several values: how many combinations; 0: there are none
  std::string failing_case;             ///< the first combination of which it is not true, `a = 3, b = 4`
  std::string all_sizes;                ///< proved for all of these sizes: `a, b > 0`
  std::string undecided;  ///< why `static_truth`, which holds where it was tried, is not decided; or empty
  std::optional<ir::Function> left, right;
  /// In the place of `right`: called for each element of the left side's parameters.
  std::shared_ptr<const ir::LibraryFunction> library;
  std::string left_text, right_text;    ///< as written
  Tolerance::Kind tolerance{};
  mpq_class low, high;                  ///< the amount of the tolerance in `low`; the ends of a range
  SourceSpan tolerance_span;
  /// `within bound by S`, `within orders by S`: the order of the side that no circuit computes.
  std::optional<ir::ScheduleId> order;
  std::string order_text;               ///< as written
  std::vector<SizeClause> sizes;
  std::vector<RangeClause> ranges;
  std::optional<std::int64_t> trials, seed;
  std::optional<double> budget;         ///< seconds that the check may take
  /// Inputs for which one side alone has a value are passed over (exact, for algebra); otherwise they are a difference.
  bool where_both_defined = false;
  bool everywhere = false;              ///< the two sides must have values for the same inputs (algebra)
  /// Circuits of kernels in it that hold for all sizes and were read off at some: `rows at n = 256; n = 128; n = 96`.
  std::vector<std::string> read_off;
};

/// Functions that read files, so that the front end itself opens none.
struct Files {
  /// The text of a source file, or nothing.
  std::function<std::optional<std::string>(const std::string& path)> read_source;
  /// The contents of a tensor file (`load`), or a diagnostic.
  std::function<Expected<ir::HostTensor>(const std::string& path, SourceSpan place)> read_tensor;
  /// A function of a shared library (`load` with a symbol), or a diagnostic.
  std::function<Expected<std::shared_ptr<const ir::LibraryFunction>>(const std::string& path, const std::string& symbol,
                                                                     SourceSpan place)>
      find_function;
  /// Paths of the `.rk` files in a folder, sorted.
  std::function<std::vector<std::string>(const std::string& folder)> list_sources;
  /// Folders of the standard library, searched for imports after the importing file's own folder.
  std::vector<std::string> library_folders;
};

struct PtxCall;

/// What those who evaluate and compile tell the front end. If a function is missing, its question is not asked.
struct BackEnd {
  /// Whether the first argument of a semantics names an accuracy profile, so that a check in it may ask what the
  /// profile permits. Without this function, no semantics does.
  std::function<bool(std::string_view semantics)> takes_profile = {};
  /// Whether a check in this semantics asks for algebraic equality, so that it may be `everywhere`.
  std::function<bool(std::string_view semantics)> asks_for_algebra = {};
  /// The error (E0701) at a clause that the machine cannot follow for any circuit.
  std::function<std::optional<Diagnostic>(const ir::KernelClauses& clauses)> refused_clause = {};
  /// How the language's function or schedule is called, as `lanes(k, S)`; empty if that is not known.
  std::function<std::string(std::string_view name)> form_of = {};
  /// The circuit of a kernel of PTX as the text of a program (ptx_call.h), or why there is none (E0630 to E0632). Of
  /// several calls, which differ in their sizes, one circuit that has the sizes' names.
  std::function<Expected<std::string>(const std::vector<PtxCall>& calls)> circuit_of_ptx = {};
  /// The forms of schedules; the table has to outlive the session.
  const ir::Forms* forms = &ir::Forms::standard();
};

class Session {
 public:
  Session(SourceMap& sources, Files files, BackEnd back_end = {});
  ~Session();

  ir::Module& module();

  /// The value of a lone expression, for the session that made it.
  class Lone;
  struct Outcome {
    std::vector<ElaboratedItem> items;
    std::vector<Diagnostic> diagnostics;
    bool incomplete = false;  ///< see ParseResult
    std::shared_ptr<const Lone> lone = nullptr;  ///< null: there is none
  };
  /// Parses and elaborates a file of the source map: its definitions stay, its checks, shows and saves come back in
  /// order. `path` is what relative imports start from. A lone expression (ParseAs::entry, expression) comes back as a
  /// show.
  Outcome add(std::uint32_t file, const std::string& path, ParseAs as);
  /// The same of what is parsed already, or was made otherwise; its places lie in the session's source map.
  Outcome add(ParseResult parsed, const std::string& path, ParseAs as);

  /// Brings every definition of the standard library into scope, under any that exist.
  std::vector<Diagnostic> import_library();

  /// A static argument: an integer, or a format of a circuit that is generic over formats.
  using StaticArgument = std::variant<std::int64_t, ir::Scalar>;
  /// The circuit or kernel of that name with the given static arguments, or why there is none (E0200 with a suggestion).
  /// Without `clauses`, what a kernel states is passed over.
  Expected<ir::Function> circuit(std::string_view name, const std::vector<StaticArgument>& static_arguments = {},
                                 bool clauses = true);
  /// The accuracy profile of that name: of the program, else of the standard library.
  Expected<std::shared_ptr<const ir::Profile>> profile(const std::string& name, SourceSpan place);
  /// What was parsed of a file; null if it has no items.
  const Program* tree(std::uint32_t file) const;
  /// Names of the circuits and kernels that a file defines, in order.
  std::vector<std::string> circuits(std::uint32_t file) const;
  /// Names of the dimensions and static parameters of a file's circuits, and of the sizes in its checks, sorted.
  std::vector<std::string> sizes(std::uint32_t file) const;
  /// The format of numbers that meet none, in what is entered from now on: in lone expressions, and in the shows and
  /// checks of entries. Without one, and in programs, they have type `number`.
  void set_entry_format(std::optional<ir::Scalar> format);
  /// Whether the function's result is a number without a format, or a tensor or tuple of some.
  bool has_numbers(const ir::Function& function) const;
  /// The same function with its result in this float format: numbers are converted where they meet it.
  ir::Function in_format(const ir::Function& function, ir::Scalar format);

  /// Names of the circuit's static parameters (`-D` gives them).
  std::vector<std::string> static_parameters(std::string_view name);

  /// Binds a name to a value (`ans` in the REPL).
  void remember(const std::string& name, const Lone& value);

  /// The schedule that a value is (a tree is one, for its number of leaves); E0404 if it is none.
  Expected<ir::ScheduleId> schedule_of(const Lone& value, SourceSpan place);
  /// The schedule of that name, or that the function of that name gives for these integers; nothing if it is none.
  std::optional<ir::ScheduleId> schedule(const std::string& name, const std::vector<std::int64_t>& arguments = {});

  /// The layout (or what is kin to one) that a value is, with the arguments of the call that it is.
  std::optional<layout::Expression> layout_of(const Lone& value);

  /// From now on, the session remembers where numbers are converted to float formats: `literal_places`.
  void keep_literal_places();
  /// The places of a literal's node, which may be several, in the order of the text.
  std::vector<SourceSpan> literal_places(ir::NodeId literal) const;

  /// Every name in scope, for completion and suggestions.
  std::vector<std::string> names() const;
  /// The definitions in scope and where they stand, in the order in which they were made.
  std::vector<std::pair<std::string, SourceSpan>> definitions() const;
  /// One line on a name: its kind and type. Nothing if it is unknown.
  std::optional<std::string> describe(std::string_view name);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace reckon::frontend
