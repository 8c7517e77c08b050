// The abstract syntax tree: the source text's structure with its places, without anything computed from it.
// Expressions are one struct with a kind, stored by index in an arena, so that walking is cheap and deep
// trees are freed without recursion. Parentheses are not in the tree unless they mean something (a layout, a
// tuple).
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "diagnostics/source.h"

namespace reckon::frontend {

inline bool is_inequality(const std::string& sign) {
  return sign == "<" || sign == "<=" || sign == ">" || sign == ">=";
}

struct ExprId {
  std::uint32_t index = ~std::uint32_t{0};
  bool valid() const { return index != ~std::uint32_t{0}; }
  friend bool operator==(ExprId, ExprId) = default;
};

enum class ExprKind : std::uint8_t {
  number,       ///< value: an exact rational literal. integer_spelling tells `2` from `2.0`
  bit_pattern,  ///< text: format name; bits: the pattern (`f32#3fc00000`)
  string,       ///< text: contents, escapes resolved
  boolean,      ///< bits: 0 or 1
  name,         ///< text (`x`, `pi`, `inf`, `seq`, `f32`, `_`)
  unary,        ///< text: `-` or `not`; children[0]
  binary,       ///< text: `+ - * / // % << >> & xor | and or < <= > >= == != === ..`; children[0], children[1].
                ///< Chains of one level lean to the left and may be 100,000 deep: walk down children[0] in a loop
  call,         ///< children[0] is the callee, the rest are the arguments
  index,        ///< children[0] is indexed (or given static arguments, or is a format: `f32[n]`), the rest are the subscripts
  tuple,        ///< `(a, b)`; `(a,)` has one child; `()` none
  list,         ///< `[a, b, c]`
  colon,        ///< `shape : stride` of a layout; children[0], children[1]
  binder,       ///< see BinderKind; names, bounds, children[0] the body
  conditional,  ///< `if c { a } else { b }`: children 0, 1, 2
  block,        ///< `{ let ...; result }`: lets, children[0] the result
  quoted,       ///< a quoted tree `'((0 1) 2)`: tree
  then,         ///< `A then S`: children[0], children[1]
  length,       ///< `length n: S`: names[0], children[0]
  member,       ///< `z.re`: children[0], text: the part's name; operator_span: the name's
  pinned,       ///< `S @ level`: children[0], text: the level; operator_span: the level's
};

enum class BinderKind : std::uint8_t { for_, sum, prod, min, max, reduce, scan, fold };

struct BinderName {
  std::string name;
  SourceSpan span;
  ExprId bound;  ///< `i < e`; not valid if the range is to be found from uses
};

/// A quoted tree in prefix order: a leaf number, or -1 for a pair whose two trees follow.
struct QuotedTree {
  std::vector<std::int64_t> prefix;
};

/// A type as written: `f32[m, k]`, `bool`, `number`, `(f32, f32[n])`.
struct TypeExpr {
  SourceSpan span;
  std::string name;             ///< empty for a tuple
  std::vector<ExprId> dims;     ///< of a type with static parameters its arguments
  std::vector<TypeExpr> parts;  ///< of a tuple
  ExprId storage;               ///< after `@`: how its elements lie in memory; not valid if nothing is said
};

/// A `let` of a block; or, without names, an `assert`, whose claim is the value.
struct LetBinding {
  std::vector<std::string> names;  ///< more than one for `let (a, b) = t`
  std::vector<SourceSpan> spans;
  bool is_tuple = false;  ///< written with parentheses: `let (a,) = t` takes a tuple of one apart
  std::optional<TypeExpr> type;  ///< `let x: f32[3] = ...`
  ExprId value;
  std::string reason = {};  ///< of an `assert`; may be empty
  bool is_claim() const { return names.empty(); }
};

struct Expr {
  ExprKind kind{};
  SourceSpan span;
  SourceSpan operator_span;  ///< of the operator, the binder's keyword, or the name of a call
  std::string text;
  mpq_class value;
  bool integer_spelling = false;
  bool parenthesised = false;  ///< stood in its own parentheses: a layout may distinguish `(8)` from `8`
  std::uint64_t bits = 0;
  std::vector<ExprId> children;
  // binders, blocks and length
  BinderKind binder{};
  std::vector<BinderName> names;
  ExprId guard;      ///< after `where`: which leaves take part
  ExprId schedule;   ///< after `by`
  ExprId otherwise;  ///< after `else`
  ExprId operation;  ///< reduce(op), scan(op), fold(op, start)
  ExprId start;
  std::vector<LetBinding> lets;
  QuotedTree tree;
};

/// `< c` or `in 0..c - 1` behind the type of a parameter: the range of its integers.
struct StatedRange {
  SourceSpan span;
  ExprId low;   ///< none if it is `< c`
  ExprId high;  ///< the greatest integer, or that below which they are
};

struct ParameterDecl {
  std::string name;
  SourceSpan span;
  TypeExpr type;
  std::optional<StatedRange> range = std::nullopt;
};

/// `float`, `float(toward_zero, flush)`, `fpsan(v38)`: a semantics as written.
struct SemanticsRef {
  std::string name;
  SourceSpan span;
  std::vector<ExprId> arguments;
};

/// One clause after `for` of a check or show: `n: {1, 7}`, `x: -1..1`, or a condition `x > 0`.
struct ForClause {
  enum class Kind : std::uint8_t { sizes, range, condition, all } kind{};
  SourceSpan span;
  std::string name;             ///< sizes, range, all
  SourceSpan name_span;
  std::vector<ExprId> values;   ///< sizes: each; range: low, high; condition: the expression
};

/// `within 4 ulp`, `within 1e-3`, `within relative 1e-6`, `within bound by numpy`, `within orders`, `within 0..1`.
struct Tolerance {
  enum class Kind : std::uint8_t { none, ulp, absolute, relative, bound, orders, range } kind = Kind::none;
  SourceSpan span;
  ExprId low;   ///< the amount; or the lower end of a range
  ExprId high;  ///< the upper end of a range
  ExprId order;  ///< bound, orders: the schedule after `by`
};

/// A name at its place.
struct Word {
  std::string text;
  SourceSpan span;
};

/// A condition on one argument in a profile: `x: lo..hi or lo..hi`, `abs(x): lo..hi`, `x > 0`.
struct DomainDecl {
  SourceSpan span;
  Word parameter, function;                          ///< with ranges; the function may be empty
  std::vector<std::pair<ExprId, ExprId>> ranges;
  std::string comparison;                            ///< `<`, `<=`, `>`, `>=`, between the two sides
  ExprId left, right;
};

/// An accuracy as written (`ulps(2.5)`, `hull(...)`), or an inherited circuit after `=`, and where it counts.
struct PieceDecl {
  ExprId accuracy;
  std::vector<DomainDecl> domains;
};

/// `sin(x), cos(x) in f32 : absolute(0x1p-11) for x: -pi..pi`.
struct RuleDecl {
  struct Operation {
    Word name;
    bool has_parameters = false;
    std::vector<std::string> parameters;
    std::vector<SourceSpan> parameter_spans;
  };
  SourceSpan span;
  std::vector<Operation> operations;
  std::vector<Word> formats;                         ///< none: the profile's
  bool is_circuit = false;                           ///< written with `=`
  std::vector<PieceDecl> pieces;
};

/// `overflow infinite`: a word and its value; `flush inputs, outputs may`: one value for each part.
struct SettingDecl {
  Word name;
  std::vector<Word> parts;                           ///< formats: each; flush: inputs or outputs; else none
  std::vector<Word> values;                          ///< flush: for each part; else the one value
};

struct ProfileDecl {
  Word base;                                         ///< of `= base with`; may be empty
  std::vector<SettingDecl> settings;
  std::vector<RuleDecl> rules;
};

/// `tile(128, 128, 16)` of a kernel.
struct ClauseDecl {
  Word name;
  SourceSpan span;
  std::vector<ExprId> arguments;
};

/// `k in {64, 128}`, `k in 1..4`, `S in orders`: the values of a static name, one after another.
struct StaticRange {
  Word name;
  bool is_set = false;          ///< written with braces
  std::vector<ExprId> values;   ///< of a set: each; of `lo..hi`: both ends; else the list
};

enum class ItemKind : std::uint8_t { import, fn, let, type, profile, kernel, check, show, save, assertion };

/// Whether items of this kind define names of the file.
constexpr bool defines(ItemKind kind) { return kind >= ItemKind::fn && kind <= ItemKind::kernel; }

/// The place of a name in `let (a, b) = t`.
struct TuplePart {
  std::uint32_t index = 0, count = 0;
};

struct Item {
  ItemKind kind{};
  SourceSpan span;
  SourceSpan name_span;
  std::string name;  ///< fn, let, type, profile, kernel; the path of import and save; why an assertion should hold
  bool is_builtin = false;  ///< `builtin fn`: one operation to accuracy profiles
  std::string approximated;  ///< fn: the operation that it approximates, or empty
  SourceSpan approximated_span;
  ProfileDecl profile;
  std::vector<ClauseDecl> clauses_of_kernel;

  // fn, let, type and kernel
  std::vector<std::string> static_parameters;        ///< fn f[b](...), kernel f[b] = ...: b. let f(a, b) = ...: a, b
  std::vector<SourceSpan> static_parameter_spans;
  bool has_parameter_list = false;                   ///< let f(...) = , as against let f =
  std::optional<TuplePart> part;                     ///< let (a, b) = t is an item for each name, with one body
  std::vector<ParameterDecl> parameters;             ///< fn; of a type its parts
  std::optional<TypeExpr> result;                    ///< fn; let: the type that is stated for the value
  ExprId body;  ///< fn, let, show, save, assertion; a kernel's circuit; the left side of a check

  // check, show, save
  /// accepted: the floats of the right side are among the answers that the left side's profile allows.
  /// ordered: `comparison` holds between the sides' elements.
  enum class Relation : std::uint8_t { equal, near, within, accepted, truth, ordered } relation = Relation::truth;
  std::string comparison;    ///< ordered: `<`, `<=`, `>` or `>=`
  SourceSpan relation_span;  ///< of `==`, `~` or the comparison
  ExprId right;              ///< of `==`, `~` and a comparison
  Tolerance tolerance;
  std::optional<SemanticsRef> semantics;
  SourceSpan everywhere;     ///< the place of the word after `in algebra`, if it is there
  std::optional<double> budget;  ///< `within 30s`: seconds
  SourceSpan budget_span;
  std::vector<ForClause> clauses;
  ExprId trials;
  ExprId seed;

  // check and show
  std::vector<StaticRange> repeated_for;  ///< `for k in {64, 128}: show ...`; the item is carried out for all values
  SourceSpan repeated_span;               ///< of the item behind the colon
};

/// One parsed file, or one line of the REPL.
struct Program {
  std::vector<Item> items;
  std::vector<Expr> expressions;
  ExprId result;  ///< a lone expression, if one was parsed instead of items
  std::optional<SemanticsRef> semantics;  ///< of the lone expression: `e in exact`
  /// Definitions with syntax errors. What names them has no mistake of its own.
  std::set<std::string> unreadable;

  const Expr& operator[](ExprId id) const { return expressions[id.index]; }
};

}  // namespace reckon::frontend
