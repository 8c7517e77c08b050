// A trace (ptx/shadow/trace.h) as expressions of its inputs, with sums and extremes of many terms as folds.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ptx/shadow/trace.h"
#include "reveal/sum_tree.h"

namespace reckon::trace {

using ptx::Act;

/// The order of a fold, and its arithmetic.
struct Order {
  std::string tree;      ///< reveal::SumTree::text(); cut where it has more than `longest_tree` characters
  std::string schedule;  ///< as the language writes it; empty if none is recognised
  std::int64_t terms = 0;
  std::string arithmetic;  ///< `f32`, `f32 with fma`, `tensor cores (hopper)`
  std::int64_t multiway_nodes = 0;
  bool atomic = false;   ///< by atomic operations: any order
  bool extreme = false;  ///< a minimum or maximum, which has no order
};
inline constexpr std::size_t longest_tree = 1 << 16;

/// What an expression is, but for the elements that it reads. Structures are numbered so that equal ones have one
/// number.
struct Structure {
  enum class Kind : std::uint8_t {
    input,     ///< of `argument`: one slot
    constant,  ///< `bits`
    act,       ///< of the children
    fold,      ///< over `terms` numbers j of the child, whose slots are base + stride * j; by `order`
    irregular  ///< many terms that are not alike; by `order`
  };
  Kind kind{};
  Act act{};
  numerics::Format format{}, from{};
  bool plain = true;
  std::uint32_t argument = 0, order = 0;
  std::int64_t terms = 0;
  std::uint64_t bits = 0;
  std::vector<std::uint32_t> children;
  std::vector<std::int64_t> strides;  ///< of j; with a chunk, of j modulo it
  std::int64_t chunk = 0;             ///< 0: none
  std::vector<std::int64_t> outer;    ///< of j divided by the chunk
  friend auto operator<=>(const Structure&, const Structure&) = default;
};

/// The slots of a structure are the elements of inputs that it reads, in the order in which it is written.
struct Expression {
  std::uint32_t structure = 0;
  std::vector<std::int64_t> slots;
};

class Expressions {
 public:
  explicit Expressions(const ptx::Trace& trace) : trace_(trace) {}
  /// Of these nodes, all at once: what several of them share is looked at once.
  std::vector<Expression> of(const std::vector<std::uint32_t>& roots);

  const Structure& structure(std::uint32_t number) const { return structures_[number]; }
  const Order& order(std::uint32_t number) const { return orders_[number]; }
  /// Instructions that do not round as IEEE 754 says are part of it.
  bool has_inexact(std::uint32_t structure) const;

 private:
  struct Term {
    std::uint32_t node = 0, factor = 0;  ///< factor: of a product that an fma or a dot adds
    friend auto operator<=>(const Term&, const Term&) = default;
  };
  /// A fold as it is found: postfix, a term or a node of so many children.
  struct Found {
    std::vector<Term> terms;
    std::vector<std::int32_t> postfix;  ///< a term's number, or -children
    /// Of each node of the postfix that has children: whether one of them is a product, and whether it is an fma.
    enum class Product : std::uint8_t { none, fused, rounded };
    std::vector<Product> products;
    std::int64_t fmas = 0, unfused = 0, dots = 0;
    bool plain = true;
  };
  const ptx::TraceNode& node(std::uint32_t id) const { return trace_.node(id); }
  const Expression& known(std::uint32_t id) const { return made_[made_at_[id] - 1]; }
  bool is_constant(std::uint32_t id, double value) const;
  bool is_neutral(std::uint32_t id, Act act) const;
  Act fold_act(std::uint32_t id) const;
  std::vector<Term> children(std::uint32_t id) const;
  void mark(const std::vector<std::uint32_t>& roots);
  Found collect(std::uint32_t root) const;
  Found collect_extreme(std::uint32_t root) const;
  Expression made(std::uint32_t id);
  Expression of_term(const Term& term, numerics::Format sums);
  Expression of_act(std::uint32_t id);
  Expression of_fold(std::uint32_t id);
  Expression nested(std::uint32_t id);
  /// The schedule with its accumulator where the kernel has fmas; empty if the language has none.
  static std::string with_fmas(const Found& found, const std::vector<std::int64_t>& place, const std::string& schedule);
  std::uint32_t order_of(const Found& found, const std::vector<std::int64_t>& place, std::uint32_t root);
  static bool fit(Structure& structure, const std::vector<Expression>& terms, const std::vector<std::size_t>& sorted);
  std::uint32_t intern(const Structure& structure);
  Expression of_children(Structure structure, std::vector<Expression> children);

  const ptx::Trace& trace_;
  std::vector<Expression> made_;        ///< of nodes
  std::vector<std::uint32_t> made_at_;  ///< by node: one more than its place in made_, or 0
  std::vector<std::uint8_t> reached_, interior_;
  std::map<Structure, std::uint32_t> known_;
  std::vector<Structure> structures_;
  std::map<std::string, std::uint32_t> known_orders_;
  std::vector<Order> orders_;
};

}  // namespace reckon::trace
