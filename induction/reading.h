// Circuits as terms of proofs.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/module.h"
#include "ir/op.h"
#include "proof/proof.h"

namespace reckon::ir::steps {

/// The dimensions of which a value of 0 leaves a reduction without leaves, and so without a result.
std::set<SymbolId> not_empty(Module& module, const std::vector<NodeId>& bodies,
                             const std::vector<SymbolId>& dimensions);

/// Reads circuits of one module into the names and recurrences of one proof. What it cannot read is null.
class Reading {
 public:
  /// `least`: the dimensions that are 1 or more; others are 0 or more. `writes_out`: sums and products over few values
  /// are read as their terms.
  Reading(Module& module, const Function& like, const std::set<SymbolId>& least, proof::Proof& proof,
          bool writes_out = false);

  proof::TermRef scalar(NodeId id);
  proof::TermRef element(NodeId tensor, const std::vector<IndexId>& subscripts);
  proof::TermRef index(IndexId id);
  /// The name of a parameter.
  std::string input(std::uint32_t position) const;
  /// A name for an index that is free in the statement, below the extent.
  std::optional<VariableId> place(IndexId extent);

 private:
  proof::TermRef read(NodeId id, const Node& node);
  proof::TermRef operation(const Node& node);
  proof::TermRef literal(const Node& node);
  proof::TermRef fold(NodeId id, IndexId count, std::uint32_t part);
  proof::TermRef written_out(const Node& node, std::int64_t count, bool is_sum);
  proof::TermRef user_fold(NodeId id, const Node& node, IndexId count, std::uint32_t part);
  proof::TermRef choice(const Node& node);
  std::optional<bool> known(NodeId condition) const;
  std::optional<std::vector<proof::TermRef>> parts_of(NodeId id, std::size_t count);
  proof::TermRef divided(const proof::TermRef& a, const proof::TermRef& b);
  /// A new name that nothing else has.
  std::string fresh(const std::string& like);
  void name(VariableId variable, IndexId count, bool is_bound);

  Module& module_;
  const Function& like_;
  proof::Proof& proof_;
  const bool writes_out_;
  std::map<VariableId, std::string> names_;
  std::map<VariableId, std::vector<std::string>> operands_;
  std::map<VariableId, IndexRange> ranges_;
  std::map<NodeId, std::string> recurrences_;
  std::map<NodeId, bool> skips_first_;
  std::vector<std::string> inputs_;  ///< of the parameters
  std::set<std::string> taken_;
  int inside_ = 0;  ///< binders around what is read
  int depth_ = 0;
};

/// A term without infinities that has the same value: max(-inf, a) is a, exp(-inf) is 0. Null if it is infinite.
proof::TermRef without_infinities(const proof::TermRef& term);

}  // namespace reckon::ir::steps
