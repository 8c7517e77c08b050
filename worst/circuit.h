// Circuits of scalars as they are analysed: one list of operations, each after its operands. Sums and tensors are
// written out, and the same operation on the same operands is one node, so that an error that is made once is counted
// once.
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "ir/module.h"
#include "ir/op.h"
#include "numerics/float_mode.h"
#include "numerics/format.h"
#include "numerics/mma.h"

namespace reckon::worst {

using numerics::Format;
using NodeNumber = std::uint32_t;

/// An enclosure of one real number.
struct Ends {
  double low = 0, high = 0;
};

/// A number that the program writes, or that follows from such numbers alone: what it is, what its format makes of it,
/// and the difference.
struct Constant {
  mpq_class real;  ///< the number, or what the named real is multiplied by
  ir::RealConstant named = ir::RealConstant::one;
  double rounded = 0;  ///< a number of the format
  Ends value;          ///< around the real number
  Ends error;          ///< around rounded - real
  /// Whether `real` is the number; otherwise one that is rounded alike, and lies no nearer to `rounded` than the
  /// number.
  bool is_exact = true;
};

enum class Kind : std::uint8_t {
  input,     ///< first: its number among the inputs
  constant,  ///< first: its number among the constants
  operation,
  flushed,   ///< the zero of its sign, where its operand is subnormal; as a real it is the operand
  residual,  ///< of a rounded sum: exactly what its rounding left out, a float of the format (TwoSum); as a real it is
             ///< 0
  exact,     ///< a sum or product of floats as it is, which nobody rounds, or the largest of them: a part of a sum that
             ///< is rounded once, or of a block
  block,     ///< a sum that an accumulator of its own computes: `first` is the sum as it is, `second` what its error is
             ///< measured by, `third` its number among the blocks
  difference  ///< of two results, which nobody computes: it has no rounding
};

struct Node {
  Kind kind = Kind::operation;
  ir::Op op{};  ///< of an operation or what is exact: arithmetic, `convert`, a function
  Format format{};
  NodeNumber first = 0, second = 0, third = 0;  ///< the operands
  std::uint32_t place = 0;                      ///< its number among the places
  std::uint8_t contracts = 0;  ///< of a sum whose first (1) or second (2) operand is a product that may be contracted
};

/// How an accumulator adds up its terms, and what its result errs by at most.
struct Block {
  enum class Rule : std::uint8_t {
    mma,     ///< one addition of tensor cores (numerics/mma.h): terms are c and the factors x, y, x, y, ...; the error is
             ///< measured by the largest product of factors and by c, none counted as less than the least normal number
    binned,  ///< measured by the largest leaf
    kahan,   ///< measured by the sum of |leaf|
    any_order  ///< additions in any order, some of them of products that are not rounded; measured by the sum of |leaf|
  } rule{};
  const numerics::MmaUnit* unit = nullptr;
  std::int64_t folds = 0;
  std::shared_ptr<std::vector<NodeNumber>> terms;  ///< shared with the sums of fewer of its leaves
  std::size_t count = 0;                           ///< so many terms are this block's
};

/// A comparison of two nodes, or `and or not` of conditions, which stand before it.
struct Condition {
  ir::Op op{};
  std::uint32_t left = 0, right = 0;  ///< numbers of nodes, or of conditions
  bool compares() const { return ir::traits(op).result == ir::ResultRule::truth; }
};

/// The number of operands. Of a `select` these are its two branches, and `third` is the number of a condition.
int arity(const Node& node);
inline bool is_operation(const Node& node, ir::Op op) { return node.kind == Kind::operation && node.op == op; }
inline bool is_sum(const Node& node) { return is_operation(node, ir::Op::add) || is_operation(node, ir::Op::sub); }

class Circuit {
 public:
  /// `mode`: how operations round, and which of their operands and results are flushed.
  explicit Circuit(numerics::FloatMode mode = {}) : mode_(mode) {}
  const numerics::FloatMode& mode() const { return mode_; }
  NodeNumber input(Format format);
  NodeNumber constant(Constant value, Format format);
  /// The constant of this value, rounded to the format.
  NodeNumber number(const mpq_class& factor, ir::RealConstant named, Format format);
  /// The same of a number that is known to lie no further from what `near` is rounded to than that.
  NodeNumber approximate_number(const mpq_class& near, Format format);
  /// The operation, or what it gives where its operands are constants. Operands and results are flushed as the mode has
  /// it.
  NodeNumber operation(ir::Op op, Format format, NodeNumber first, NodeNumber second = 0, NodeNumber third = 0);
  /// The operand or result of an operation that the mode flushes, where it is not an `operation`.
  NodeNumber flushed_operand(NodeNumber node) { return mode_.flush_inputs ? flushed(node) : node; }
  NodeNumber flushed_result(NodeNumber node) { return mode_.flush ? flushed(node) : node; }
  /// From now on, what constants give is a node of its own.
  void keep_constants() { folds_ = false; }
  NodeNumber difference(NodeNumber left, NodeNumber right);
  NodeNumber residual(NodeNumber sum);
  /// The sum or product as it is. Only a conversion takes it, which rounds it to any format.
  NodeNumber exact(ir::Op op, NodeNumber first, NodeNumber second);
  /// The sum that the block computes from its terms; `sum` and `scale` are exact nodes of them.
  NodeNumber block(const Block& block, NodeNumber sum, NodeNumber scale, Format format);
  /// Room for so many nodes more.
  void reserve(std::size_t nodes) { nodes_.reserve(nodes_.size() + nodes); }
  std::size_t condition_count() const { return conditions_.size(); }
  /// The number of the condition. What it compares is flushed as operands are.
  std::uint32_t condition(Condition condition);
  /// All nodes that were made since the last call stand here in the source.
  void made_at(SourceSpan place);

  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& operator[](NodeNumber node) const { return nodes_[node]; }
  const Constant& constant_of(const Node& node) const { return constants_[node.first]; }
  const Block& block_of(const Node& node) const { return blocks_[node.third]; }
  const Condition& condition_of(std::uint32_t number) const { return conditions_[number]; }
  bool has_conditions() const { return !conditions_.empty(); }
  /// Calls visit(node) for the nodes that a condition compares.
  template <class Visit>
  void visit_compared(std::uint32_t number, Visit&& visit) const {
    const Condition& condition = conditions_[number];
    if (condition.compares()) {
      visit(condition.left);
      visit(condition.right);
      return;
    }
    visit_compared(condition.left, visit);
    if (condition.op != ir::Op::logical_not) visit_compared(condition.right, visit);
  }
  std::size_t input_count() const { return inputs_; }
  /// The node that a value is, or is the negative of: `negative` changes with each sign that is left out.
  NodeNumber without_sign(NodeNumber node, bool& negative) const;
  SourceSpan place_of(const Node& node) const { return places_[node.place]; }
  /// The same operations in the formats that each node has here: operands are converted to it, and literals take it.
  /// What was an explicit conversion becomes one to its node's format. Outputs have their former formats, and new
  /// numbers, as `conditions` have. retyped.cpp.
  Circuit retyped(const std::vector<Format>& formats, std::vector<NodeNumber>& outputs,
                  std::vector<std::uint32_t>& conditions) const;
  /// The circuit whose bound holds for all that compilers may make of this one (compiled.cpp).
  Circuit compiled(bool contracts, bool reassociates, std::vector<NodeNumber>& outputs,
                   std::vector<std::uint32_t>& conditions) const;
  /// A node for which that is not known.
  std::optional<NodeNumber> not_compiled(bool contracts, bool reassociates) const;
  /// Keeps only the nodes that the outputs and conditions need; `outputs` become their new numbers.
  void reduce(std::vector<NodeNumber>& outputs, const std::vector<std::uint32_t>& conditions = {});

 private:
  class Compiler;
  struct Key {
    std::uint64_t head = 0, tail = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return (key.head * 0x9e3779b97f4a7c15u) ^ (key.tail * 0xc2b2ae3d27d4eb4fu);
    }
  };
  NodeNumber make(const Node& node);
  NodeNumber folded_or_made(const Node& node);
  NodeNumber flushed(NodeNumber node);
  double literal(double rounded, Format format) const;
  bool folded(const Node& node, Constant& out) const;

  numerics::FloatMode mode_;
  std::vector<Node> nodes_;
  std::vector<Constant> constants_;
  std::vector<Condition> conditions_;
  std::vector<Block> blocks_;
  std::vector<SourceSpan> places_{SourceSpan{}};
  std::unordered_map<Key, NodeNumber, Hash> known_;
  std::unordered_map<std::string, NodeNumber> known_constants_;
  std::size_t inputs_ = 0;
  bool folds_ = true;
  NodeNumber placed_ = 0;  ///< nodes before it have places
};

}  // namespace reckon::worst
