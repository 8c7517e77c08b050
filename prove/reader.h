// A circuit of the IR as forms: every scalar node has one, in terms of its free variables.
#pragma once

#include <set>
#include <unordered_map>

#include "prove/terms.h"

namespace reckon::ir::normal {

class Reader {
 public:
  Reader(Module& module, Terms& terms) : module_(module), terms_(terms) {}

  PolynomialId scalar(NodeId id);
  /// The element of a tensor node.
  PolynomialId element(NodeId tensor, const std::vector<IndexId>& subscripts);

 private:
  PolynomialId read(NodeId id, const Node& node);
  /// The node's operation on the forms of its operands.
  PolynomialId of_operands(const Node& node);
  /// Whether a node is the literal NaN.
  bool is_nan(NodeId id) const;
  /// A node of integers as the number that it is. Operations that wrap or work on bits are not followed.
  PolynomialId word(NodeId id, const Node& node);
  /// The chain of additions and subtractions that leads to this node from the left, as one sum.
  PolynomialId chain(Node node);
  PolynomialId literal(const Node& node);
  PolynomialId operand(VariableId variable, std::uint32_t part);
  /// One part of a reduction's result, or of a scan's element with so many leaves.
  PolynomialId fold(NodeId id, IndexId leaves, std::uint32_t part);
  PolynomialId otherwise(const Node& node, IndexId leaves, std::uint32_t part, PolynomialId folded);
  NodeId part_of(NodeId id, std::uint32_t part);
  /// The last state of a loop with few rounds.
  std::optional<NodeId> written_out(NodeId loop);
  /// A node of which nothing is known but its identity: the two sides have the same form if they have the same node.
  PolynomialId opaque(NodeId id);
  PolynomialId of_type(Scalar type, Atom atom);

  // user_folds.cpp
  struct Parts {
    std::vector<PolynomialId> left, right, joined, leaf;
    std::vector<std::optional<PolynomialId>> value;  ///< of the whole reduction
    std::vector<bool> plain;                         ///< it is a sum, product, maximum or minimum of the leaves
    Binder binder;
  };
  std::optional<PolynomialId> user_fold(const Node& opened, IndexId leaves, std::uint32_t part);
  bool find_plain(Parts& parts, std::size_t j);
  bool find_weighted(Parts& parts, std::size_t j);
  bool find_shifted(Parts& parts, std::size_t j);
  PolynomialId total(const Parts& parts, PolynomialId leaf);

  Module& module_;
  Terms& terms_;
  int depth_ = 0;
  std::unordered_map<NodeId, PolynomialId> done_;
  std::set<VariableId> operands_;   ///< operands of operations that are being read
  std::vector<VariableId> places_;  ///< the variables that stand for the free ones of opaque nodes
};

}  // namespace reckon::ir::normal
