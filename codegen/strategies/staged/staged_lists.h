// Lists in order, or short ones by `tree`, a thread for each, whose leaves are made of elements that follow each other
// in memory: neighbouring threads would read places that are far apart. So the threads of a block bring chunks of these
// elements into shared memory first, neighbours together.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/lower/kernel_parts.h"
#include "codegen/lower/parts.h"

namespace reckon::codegen {

/// An element of a leaf that goes through shared memory.
struct StagedElement {
  ir::NodeId node;
  std::int64_t vector = 1;  ///< neighbours that a thread brings together
  std::int64_t shared = 1;  ///< those that one access to shared memory has, at most
};

/// How a block is shared out.
struct StagedShape {
  static constexpr std::int64_t threads = 128;

  std::vector<StagedElement> elements;
  std::int64_t lists = 0;    ///< that a block brings: a power of two
  std::int64_t columns = 0;  ///< leaves of a list in a chunk: a power of two
  std::int64_t at_once = 1;  ///< leaves that a thread reads from shared memory before the first of them is joined
  /// The number of a dimension of the results on which no staged element depends: what is brought serves all results
  /// along it, which are shared by as many threads as the block has for a list.
  std::optional<std::size_t> side;
  std::int64_t side_extent = 1;
  bool by_tree = false;     ///< the order is `tree`, and a chunk has all leaves; else lists are in order
  bool is_product = false;  ///< many results share what is brought, which only tiles serve well

  std::int64_t threads_of_list() const { return side ? threads / lists : 1; }
  /// Results of a thread.
  std::int64_t along() const { return (side_extent + threads_of_list() - 1) / threads_of_list(); }
  /// Whether all threads have results.
  bool busy() const { return threads_of_list() * lists == threads; }

  /// The elements of a list follow each other in shared memory. A vector of them is between those of two lists, so that
  /// the vectors that neighbouring threads read are in different banks.
  std::int64_t pitch(const StagedElement& element) const { return columns + element.shared; }
};

class StagedLists : LoweringParts {
 public:
  StagedLists(KernelParts& parts, const FoldKernel& placed, const KernelBody& body, const StagedShape& shape,
              Kernel& kernel, BlockReducer& reducer);
  StagedLists(const StagedLists&) = delete;

  void write();

 private:
  /// Where a thread's vectors of an element go: neighbouring threads have neighbours of a list.
  struct Slots {
    Value column, row;                 ///< of the first one: the leaf in the chunk, and the list in the block
    std::int64_t round = 0;            ///< lists from one to the next
    std::vector<ir::NodeId> elements;  ///< of the list of each, by the number of the first one's list
  };
  Slots slots_of(const StagedElement& element);
  ir::NodeId by_number(ir::NodeId element, std::int64_t further);
  void write_group(Value first);
  Values chunk(Value begin, std::int64_t count, const Values& sums);
  void bring(Value begin, std::int64_t count);
  Values read(std::size_t number, Value leaf, std::size_t from, std::size_t to);
  void keep(std::size_t number, const Values& elements, std::size_t from, std::size_t to);
  Values chain(Value begin, std::int64_t count, const Values& sums);
  Values some_leaves(Value begin, Value position, std::int64_t count, const Values& sums);
  std::vector<Values> leaves_at(Value begin, Value position, std::int64_t count);
  Values tree(std::int64_t count);
  Values leaf_of(std::int64_t along, Value leaf, const Values& elements);
  Values joined(Value is_first, const Values& state, const Values& leaf);
  void store(Value item, const Values& sums);
  Values coordinates_of(std::int64_t along);
  std::int64_t length() const { return *w_.known(w_.index(site_.node.indices[0])); }

  KernelParts& parts_;
  const FoldKernel& placed_;
  const KernelBody& body_;
  const StagedShape& shape_;
  Kernel& kernel_;
  BlockReducer& reducer_;
  const FoldSite site_;
  Values arrays_;                     ///< of each staged element
  std::vector<ir::IndexId> extents_;  ///< of the lists, without the side
  ir::VariableId number_;             ///< of a list, and of how many
  ir::IndexId count_;
  Value total_ = nullptr, begin_ = nullptr;           ///< lists; the first one of the block
  Value own_list_ = nullptr, first_along_ = nullptr;  ///< of this thread: its list in the block; its first result
  Values own_;                                        ///< the coordinates of its list
  std::vector<Slots> slots_;                          ///< of each staged element
  bool from_neutral_ = false;                         ///< sums begin with a value that changes nothing
};

}  // namespace reckon::codegen
