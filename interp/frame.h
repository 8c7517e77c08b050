// Frames: batches of elements of an index space, nested as binders are.
//
// A frame introduces the variables of one binder (or the operands of a user operation) for a batch of elements. Each
// element belongs to one element of the parent frame:
//   repeat  element e to e / (size / parent's size): a dimension inside the parent's (map)
//   tile    element e to e % (parent's size): rows of leaves, each row one copy of the parent (reduce)
//   choose  element e to chosen[e]: some of the parent's elements (reductions whose length differs)
//   round   the only element to the parent's only element: a round of a loop
// A node is computed in the innermost of the frames that introduce its free variables, once, and expanded from there.
// If that frame is `whole`, a tensor is computed with all its elements, and kept there until the frame ends: closed
// tensors in the root, and in a round of a loop those that depend on its state.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "interp/pool.h"
#include "ir/module.h"

namespace reckon::interp {

/// An integer for each element of a frame: base + sum of strides[k] * digit k of the element number, written in the
/// mixed radix of the frame's dims (the last digit varies fastest); or a list of all values.
struct IndexColumn {
  bool strided = true;
  std::int64_t base = 0;
  std::vector<std::int64_t> strides;  ///< strided: one for each of the frame's dims
  std::vector<std::int64_t> values;   ///< not strided: one for each element

  bool constant() const;
  friend bool operator==(const IndexColumn&, const IndexColumn&) = default;
};

/// A tensor that depends on variables, computed for each element of its home frame:
/// element i for the home's element h is entry i * home size + h of each column.
struct Table {
  Columns columns;
};

/// A tensor with all its elements, shared.
using Tensor = std::shared_ptr<const Values>;

struct Frame {
  enum class Link : std::uint8_t { root, repeat, tile, choose, round };

  Frame* parent = nullptr;
  Link link = Link::root;
  std::int64_t size = 1;
  std::vector<std::int64_t> dims;     ///< their product is the size
  std::vector<std::int64_t> chosen;   ///< choose
  std::vector<ir::VariableId> bound;  ///< the variables that the frame introduces, ascending
  std::vector<std::pair<ir::VariableId, IndexColumn>> indices;
  std::vector<std::pair<ir::VariableId, Columns>> operands;
  std::unordered_map<ir::NodeId, Columns> values;
  std::unordered_map<ir::NodeId, Table> tables;
  bool whole = false;                                           ///< of one element, whose tensors are in `tensors`
  std::unordered_map<ir::NodeId, std::vector<Tensor>> tensors;  ///< by node: the parts
  std::vector<Tensor> state;                                    ///< round: the parts of the loop's state

  Frame() = default;
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  void init_repeat(Frame& of, std::int64_t count);
  void init_tile(Frame& of, std::int64_t rows);
  void init_choice(Frame& of, std::vector<std::int64_t> elements);
  void init_round(Frame& of);

  void bind_index(ir::VariableId variable, IndexColumn column);
  void bind_operand(ir::VariableId variable, Columns columns);

  bool introduces(ir::VariableId variable) const;
  /// True if one of the node's free variables is introduced here.
  bool owns(const ir::Module& module, ir::NodeId node) const;
  bool owns(const std::vector<ir::VariableId>& free_variables) const;

  /// A column of the parent, expanded to this frame.
  IndexColumn extend(const IndexColumn& of_parent) const;
  /// The parent's element that each element belongs to.
  std::int64_t parent_element(std::int64_t element) const;
  /// The ancestor's element that each element belongs to; nothing if each belongs to the one of its own number.
  std::optional<std::vector<std::int64_t>> elements_of(const Frame& ancestor) const;
};

/// The same integer for each element of the frame.
IndexColumn same_for_all(const Frame& frame, std::int64_t value);

/// Writes a column out as one integer for each element.
void write_out(const IndexColumn& column, const std::vector<std::int64_t>& dims, std::int64_t size, std::int64_t* out);

/// Why an index expression has no value for some element of a frame.
struct IndexProblem {
  Code code{};
  const char* message = nullptr;
};
std::optional<IndexProblem> index_column(const ir::Module& module, const Frame& frame, ir::IndexId index,
                                         IndexColumn& out);

}  // namespace reckon::interp
