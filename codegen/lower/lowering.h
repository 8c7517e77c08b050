// The lowering of kernels to the kernel IR, the same for every compiled semantics and target.
//
// The files beside this one: flow.cpp (loops and branches), expression.cpp (nodes), index.cpp (index expressions),
// fold.cpp and the other fold_*.cpp (reductions along their schedules), kernel.cpp (entry
// points and index spaces).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "codegen/lower/numbers.h"
#include "codegen/lower/scope.h"
#include "codegen/plan.h"

namespace reckon::codegen {

/// How nodes are joined (docs/schedules.md: `fused`, `neumaier`, `kahan`).
enum class Arithmetic : std::uint8_t { plain, fused, neumaier, kahan };

/// A reduce or scan whose leaves are being folded. A node is kept as the body's values; where the schedule fuses, as
/// (product leaf: both factors | otherwise: the value, nothing) and which of the two; under `neumaier` and `kahan` as a
/// sum and its compensation.
struct FoldSite {
  ir::NodeId id;
  ir::Node node;
  ir::Reduction reduction;
  std::vector<ir::Scalar> scalars;
  std::vector<Type> state;  ///< of a node
  bool fuses = false;
  Arithmetic arithmetic = Arithmetic::plain;
  bool cheap = false;      ///< a leaf and a join are few enough operations to be emitted several times in a row
  std::int64_t ahead = 1;  ///< leaves that `seq` reads before it joins them
  bool over_grid = false;  ///< what deals out the leaves is the grid's work, not a block's
};

struct List;

/// Nodes start, start + stride, ... of a list; length >= 1.
struct Slice {
  const List* list = nullptr;
  Value start = nullptr;
  Value stride = nullptr;
  Value length = nullptr;
};

/// What `length` variables of the enclosing schedule terms stand for.
using Lengths = std::map<ir::VariableId, Value>;

/// What a schedule folds: the leaves, values in memory, or the nodes that a stage makes of another list.
/// The nodes of a list, at most so many of them.
struct Nodes {
  Slice slice;
  std::optional<std::int64_t> most;
};

struct List {
  enum class Kind : std::uint8_t {
    leaves,
    stored,
    buffered,
    tile,
    lanes,
    arranged,
    chosen,
    compensated
  } kind = Kind::leaves;
  Values pointers;              ///< stored: one array for each part of a node; chosen: the parent's positions
  std::uint32_t buffer = 0;     ///< buffered: the first of the parts' buffers
  Value base = nullptr;  ///< buffered: where the list begins in them
  Slice parent;                 ///< of all but leaves, stored and buffered
  ir::ScheduleId schedule;      ///< tile, lanes: of one run or lane
  Lengths lengths;
  Value size = nullptr;                ///< tile, lanes: k
  Arithmetic arithmetic = Arithmetic::plain;  ///< tile, lanes: around the stage, whatever accumulates its nodes
  std::uint32_t arrangement = 0;              ///< arranged, or a tile of arranged nodes
  bool open_runs = false;                     ///< tile: the last run of an open arrangement leaves nodes out
  const FoldSite* below = nullptr;            ///< compensated: how the nodes below are kept
};

/// Of nodes that stand one after the other, each of so many parts, the k-th.
inline Values nth_node(std::span<const Value> nodes, std::size_t k, std::size_t parts) {
  const auto node = nodes.subspan(k * parts, parts);
  return Values(node.begin(), node.end());
}

/// The first chip whose PTX has createpolicy (7.4) when it is asked for by its name alone.
constexpr int first_chip_with_policies = 90;

class Team;
class Tiles;

class Lowering {
  friend class Team;
  friend class Tiles;

 public:
  /// `chip`: PTX: its number.
  Lowering(ir::Module& module, const Planned& planned, const Numbers& code, Target target, int chip);

  /// Emits every kernel; gives the first problem. May fill in the plan's launch figures.
  std::optional<Diagnostic> run(Plan& plan);
  /// One function for each kernel, of its name, and those that they call.
  const kernel::Program& program() const { return program_; }
  bool uses_fma() const { return uses_fma_; }  ///< where the circuit does not say so

 private:
  using Body = FunctionRef<Values(Value index, const Values& carried)>;
  using Arm = FunctionRef<Values()>;

  // What is the same all over one function.
  struct Context {
    std::size_t function = 0;  ///< of the program's
    Values buffers;
    std::map<ir::SymbolId, Value> dimensions;
    std::int64_t stack_bytes = 0;  ///< of stack arrays, about
  };

  // flow.cpp
  void settle() { b_.set_region(scope_->region); }
  /// for (index = first; index < limit; index += step); needs first < limit. Gives what the last round gave.
  Values loop(Value first, Value limit, Value step, const Values& initial, Body body,
              bool unroll = true);
  /// The same for any first and limit; without carried values.
  void for_range(Value first, Value limit, FunctionRef<void(Value)> body,
                 bool unroll = true);
  Values while_loop(const Values& initial, FunctionRef<Value (const Values&)> condition,
                    FunctionRef<Values(const Values&)> body);
  /// Both arms give equally many values.
  Values branch(Value condition, Arm then, Arm otherwise);
  void when(Value condition, FunctionRef<void()> then);
  /// Runs `body` in a scope of its own at the same place.
  Values in_scope(Scope& scope, Arm body);
  Value stack_array(Type type, std::int64_t count);
  /// Starts filling a function.
  void begin_function(std::size_t function, Scope& root);
  kernel::Function& function() { return program_.functions[function_.function]; }
  std::vector<Type> types_of(const Values& values) const;

  Value i64(std::int64_t value) const { return b_.index(value); }
  // Integer arithmetic that drops neutral elements.
  Value add(Value x, Value y);
  Value multiply(Value x, Value y);
  Value divide_up(Value x, Value y);  ///< both positive
  Value smaller(Value x, Value y);
  Value trailing_zeros(Value x);
  Value log2_up(Value x);  ///< the least b with 2^b >= x; x is positive
  std::optional<std::int64_t> known(Value value) const { return b_.known(value); }
  /// whole / part, if both are known and it is a whole number.
  std::optional<std::int64_t> divides(Value part, Value whole) const;

  // index.cpp
  Value index(ir::IndexId id);
  Value index_new(const ir::IndexNode& node, FunctionRef<Value (ir::IndexId)> part);
  Value parameter(ir::IndexId id, const Lengths& lengths);

  // expression.cpp
  Values emit(ir::NodeId id);
  Value scalar(ir::NodeId id) { return emit(id)[0]; }
  Scope* owner(const std::vector<ir::VariableId>& free);
  Values emit_new(ir::NodeId id);
  Value quick_quotient(const ir::Node& node, const Values& operands);
  const Values* cached(ir::NodeId id) const;
  Values emit_element(ir::NodeId id, const ir::Node& node);
  Value emit_array_element(const ir::Node& array, const std::vector<ir::IndexId>& subscripts);
  /// Where an occurrence is kept, if it has a buffer here.
  const Place* place_of(ir::NodeId id);
  Values load_place(ir::NodeId id, const Place& place, const std::vector<ir::IndexId>& subscripts);
  Value load(std::uint32_t buffer, const std::vector<ir::IndexId>& subscripts);
  Value load_at_offset(std::uint32_t buffer, Value offset);
  /// The element with this row-major number.
  void store(std::uint32_t buffer, Value element, Value value);
  void store_at_offset(std::uint32_t buffer, Value offset, Value value);
  /// Where the element with this row-major number lies, or the one at these variables.
  Value place_in(const Buffer& buffer, Value element);
  Value place_in(const Buffer& buffer, const std::vector<Binder>& space);
  ir::IndexId offset_of(const Buffer& buffer, const std::vector<ir::IndexId>& subscripts);
  ir::IndexId offset_of(const std::vector<ir::IndexId>& extents, const std::vector<ir::IndexId>& subscripts);
  Values undefined(ir::NodeId id);
  void fail(Diagnostic diagnostic);
  void fail(ir::NodeId id, const std::string& what);
  std::int64_t bytes_of(Type type) const { return b_.bytes_of(type); }

  // fault.cpp
  /// Keeps in mind whether the operation has no value for these operands.
  void note_fault(ir::NodeId id, ir::Op op, ir::Scalar from, std::span<const Value> operands);
  /// May a join be carried out on what is no node, if its result is dropped? Not if it might have no value then.
  bool drops_joins(const FoldSite& site) const;
  /// Loads may tell the second-level cache what will become of them.
  bool has_policies() const { return chip_ >= first_chip_with_policies; }
  std::string_view target_name() const { return target_ == Target::host ? "host" : "ptx"; }

  // fold.cpp
  FoldSite site_of(ir::NodeId id);
  FoldSite site_of(const KernelBody& body);
  /// The reduction of leaves 0..length-1, or what an empty one gives.
  Values emit_fold(const FoldSite& site, Value length);
  Values emit_fold(const FoldSite& site, ir::ScheduleId schedule, const Slice& slice);
  Values fold(const FoldSite& site, ir::ScheduleId id, const Slice& slice, const Lengths& lengths);
  Values node_at(const FoldSite& site, const Slice& slice, Value position);
  Values leaf(const FoldSite& site, Value position);
  Values leaf_here(const FoldSite& site, Value position);  ///< which the scope gives
  /// The value of the whole reduction: its parts, without what nodes have besides.
  Values whole(const FoldSite& site, Values values);
  Values joined(const FoldSite& site, const Values& left, const Values& right);
  Values join(const FoldSite& site, const Values& left, const Values& right);
  Values zeros(const FoldSite& site);
  /// What an empty reduction gives. Without `else` it has been refused before: the guard around it keeps what is
  /// computed ahead of its use, but never used, from reading what is not there.
  Values empty_fold(const FoldSite& site);
  // fold_arithmetic.cpp
  Values fold_arithmetic(const FoldSite& site, const ir::ScheduleNode& node, const Slice& slice,
                         const Lengths& lengths);
  /// A node outside of any `fused`: a product that nothing absorbed is rounded.
  Values settled(const FoldSite& site, const Values& node);
  Values joined_products(const FoldSite& site, const Values& left, const Values& right);
  Values joined_compensated(const FoldSite& site, const Values& left, const Values& right);
  Value operation(const FoldSite& site, ir::Op op, const Values& operands);
  /// Whether every node of the list is a leaf of the reduction.
  static bool holds_leaves(const List& list);
  /// The node at a place of an arrangement, a multiple of `every`, by which it repeats.
  Value arranged_position(const ir::Arrangement& arrangement, Value position, std::int64_t every = 1);
  Values last_run(const FoldSite& site, const List& list, Value first, Value length);
  bool is_cheap(const FoldSite& site, const Slice& slice) const;
  bool is_short_run(const List& list) const;
  Values fold_split(const FoldSite& site, const ir::ScheduleNode& node, const Slice& slice, const Lengths& lengths);
  Values fold_then(const FoldSite& site, const ir::ScheduleNode& node, const Slice& slice, const Lengths& lengths);
  /// Puts a stage on top of `slice`; the lists that it makes are kept in `lists`.
  void apply_stage(const FoldSite& site, ir::ScheduleId id, Slice& slice, const Lengths& lengths,
                   std::vector<std::unique_ptr<List>>& lists);

  // pins.cpp
  /// Fails if a term of the schedule is pinned to another level than these; the message tells the first of them.
  void carried_out(const FoldSite& site, ir::ScheduleId schedule, std::initializer_list<ir::MachineLevel> by);

  // fold_seq.cpp
  Values fold_seq(const FoldSite& site, const Slice& slice);
  std::int64_t leaves_of_node(const List& list) const;
  Values seq_in_rounds(const FoldSite& site, const Slice& slice, std::int64_t ahead);
  /// The sequential folds of lists side by side, one after the other: of `length` nodes each, of which `read` gives so
  /// many from the first one on, those of all lists side by side.
  Values seq_in_rounds(const FoldSite& site, Value length, std::size_t lists, std::int64_t ahead, bool absorbs,
                       FunctionRef<std::vector<Values>(Value first, std::int64_t count)> read);
  std::vector<Values> nodes_from(const FoldSite& site, const Slice& slice, Value first, std::int64_t count);

  // fold_exactly.cpp
  struct LongSum;
  struct Specials;
  struct F64Parts {  ///< sign (0 or -1) and magnitude * 2^exponent; the latter mean nothing unless it is finite
    Value sign;
    Value magnitude;
    Value exponent;
    Value finite;
  };
  /// `rounded_once`, of the exact products if so; with `folds` (otherwise null) `binned(folds)`.
  Values fold_exactly(const FoldSite& site, Value folds, bool of_products, const Slice& slice);
  Value bin_grid(const FoldSite& site, const Slice& slice, Value folds);
  LongSum make_long_sum(ir::Scalar scalar, bool products, bool rounded_leaves);
  Specials add_exactly(const LongSum& sum, const Specials& specials, Value x, Value grid);
  Specials add_product_exactly(const LongSum& sum, const Specials& specials, Value x, Value y);
  void add_bits(const LongSum& sum, Value magnitude, Value position, Value sign);
  void carry_limbs(const LongSum& sum);
  Value round_sum(const LongSum& sum, const Specials& specials, ir::Scalar scalar);
  F64Parts parts_of(Value x);
  Value f64_operation(ir::Op op, Value x, Value y);
  Value converted(ir::Scalar from, ir::Scalar to, Value x);

  // fold_tree.cpp
  struct Counter {  ///< a binary counter of partial results: level l holds the result of 2^l nodes in a row
    Values stack;
    std::int64_t width = 1;  ///< partial results of this many lanes side by side
  };
  Values fold_tree(const FoldSite& site, const Slice& slice);
  Values fold_blelloch(const FoldSite& site, const Slice& slice);
  Counter fill_counter(const FoldSite& site, const Slice& slice);
  Values fold_halving(const FoldSite& site, const Slice& slice);
  Values fold_quoted(const FoldSite& site, ir::TreeId tree, const Slice& slice);
  Values written_out(const FoldSite& site, ir::TreeId tree, const Slice& slice);
  Counter make_counter(const FoldSite& site, std::int64_t levels);
  void push(const FoldSite& site, const Counter& counter, Value count, std::int64_t level, Values value);
  Values finish(const FoldSite& site, const Counter& counter, Value count);
  Values load_at(const Values& arrays, Value index);
  void store_at(const Values& arrays, Value index, const Values& values);

  // fold_rows.cpp
  bool rows_apply(const FoldSite& site, ir::ScheduleId inner, const Slice& slice, Value size) const;
  std::unique_ptr<List> fold_rows(const FoldSite& site, ir::ScheduleId inner, const Slice& slice, std::int64_t lanes);
  void rows_seq(const FoldSite& site, const Slice& slice, std::int64_t lanes, const Values& result);
  void rows_tree(const FoldSite& site, const Slice& slice, std::int64_t lanes, const Values& result);
  Values row_leaf(const FoldSite& site, const Slice& slice, std::int64_t lanes, Value row, Value lane);

  // fold_call.cpp
  Values fold_reference(const FoldSite& site, ir::ScheduleId id, const Slice& slice, const Lengths& lengths);
  bool recurs_through_stage(ir::SymbolId symbol) const;
  struct Called {
    ir::SymbolId symbol;
    ir::NodeId site;
    std::string list;  ///< the shape of the list that is folded
    Arithmetic arithmetic{};
    auto operator<=>(const Called&) const = default;
  };
  std::size_t make_fold_function(const FoldSite& site, const Called& called, const Slice& slice,
                                 const Values& arguments);

  // team/kernels.cpp
  /// A kernel in which the threads of a block work together.
  void lower_by_blocks(const KernelBody& body, Kernel& kernel);
  void lower_fold(const KernelBody& body, const Kernel& kernel, Team& team);
  Values block_fold(const KernelBody& body, Team& team);
  Values whole_fold(const FoldSite& site, ir::ScheduleId schedule, const Nodes& nodes, Team& team);
  /// The first thread writes the values to element `offset` of the buffers from `output` on.
  void store_by_first(const Team& team, std::uint32_t output, Value offset, const Values& values);

  // team/grid.cpp
  struct Grid;
  struct Runs {
    Value count;      ///< a block's each
    Value superrows;  ///< of each but the last,
    Value leaves;     ///< which are so many leaves
    Value nodes;      ///< that all of them make
  };
  void lower_over_grid(const KernelBody& body, Kernel& kernel, Team& team);
  std::int64_t superrow_leaves(const Grid& grid, const Slice& slice) const;
  Runs runs_of(const Grid& grid, const Slice& slice, GridRuns pass);
  Value first_node(const Grid& grid, std::size_t pass, Value run);
  struct Cut;
  void take_run(const Grid& grid, std::size_t pass, const Cut& cut, Value run);
  void make_nodes(const Grid& grid, std::size_t pass, const Cut& cut, Value run);
  Value is_last_block(const Grid& grid, Value counter, Value count);

  // team/columns.cpp
  struct Columns;
  void lower_columns(const KernelBody& body, Kernel& kernel, Team& team);
  void column_tree(Columns& columns, Value start, std::int64_t stride, Value length, Value node);
  Value node_of_lane(const Columns& columns, Value node);
  Values folded_columns(const KernelBody& body, Columns& columns, Value length, std::int64_t lanes,
                        std::int64_t nodes);
  // team/rows.cpp
  void lower_rows(const KernelBody& body, Kernel& kernel, Team& team);
  struct Local;
  void lower_step(const KernelBody& rows, std::size_t number, Value item, Team& team);
  /// Where elements are computed in a quick way that is not always right.
  struct Unusual {
    bool again = false;  ///< one was not right: in a way that always is
    const Scope* element = nullptr;
    struct Divisor {
      Value prepared, sizes;
    };
    std::vector<Divisor> divisors;
  };
  Value may_be_wrong(const Unusual& unusual);
  Values elements_of_step(std::span<const Value> positions, FunctionRef<Values(Value)> element);
  void write_elements(const KernelBody& rows, std::size_t number, FunctionRef<Values(Value)> element,
                      FunctionRef<void(Value position, Value)> write);
  std::vector<Value> slots_of_row(const KernelBody& body, const Team& team);
  /// What a step of this row made, if the buffer is a step's.
  void stage_row(const KernelBody& body, std::span<const Value> coordinates);
  Values elements_in_rounds(std::size_t side, const Values& carried,
                            FunctionRef<Values(std::span<const Value>, const Values&)> round);
  void rows_go_round(const KernelBody& rows, std::size_t number, std::size_t side,
                     FunctionRef<void(std::span<const Value> positions)> round);
  bool computes_elements_anew(const KernelBody& fold) const;
  const Local* row_input(ir::NodeId element) const;
  /// The element at one of the thread's positions.
  Values row_element(const Local& row, Value position);
  /// One of `arrays_`, for elements of this type.
  Value array_of(std::uint32_t number, ir::Scalar scalar);
  std::optional<Values> local_value(const Place& place, std::size_t parts, const std::vector<ir::IndexId>& subscripts);

  // tile/kernels.cpp
  void lower_tiles(const KernelBody& body, Kernel& kernel);
  Values fold_of_runs(const KernelBody& body, const Kernel& kernel, Value item);

  // kernel.cpp
  void lower_kernel(std::size_t k, Kernel& kernel);
  void overlap(std::size_t k, Kernel& kernel);
  void emit_item(const KernelBody& body, const Kernel& kernel, Value item, Value last);
  void emit_scan(const KernelBody& body, const Kernel& kernel, Value item);
  void emit_array(const KernelBody& body, const Kernel& kernel, Value item);
  void host_items(const KernelBody& body, const Kernel& kernel, Value begin, Value end);
  Value item_count(const Kernel& kernel);
  void one_of_a_block(Kernel& kernel, FunctionRef<void(Value item)> emit_one);
  void ptx_items(const KernelBody& body, const Kernel& kernel,
                 FunctionRef<void(Value item, Value last)> emit_one);
  /// Gives the variables of the item's space their values; its coordinate in the last dimension.
  Value bind_item(const KernelBody& body, const Kernel& kernel, Value item);
  Values item_coordinates(const std::vector<ir::IndexId>& extents, Value item);
  /// A function over all buffers and all dimensions, which the context gets.
  std::size_t make_kernel(const std::string& name);
  static std::string buffer_name(const Buffer& buffer, std::size_t number);

  ir::Module& module_;
  const Planned& planned_;
  const Numbers& code_;
  Target target_;
  int chip_;  ///< PTX: its number
  kernel::Program program_;
  kernel::Builder b_;
  Scope* scope_ = nullptr;
  Context function_;
  std::optional<Diagnostic> error_;
  std::map<Called, std::size_t> functions_;
  std::map<ir::NodeId, std::size_t> fault_numbers_;
  std::vector<Diagnostic> faults_;  ///< by their numbers
  /// What is kept of a step: a value; one for each slot of the thread; or nothing, and it is computed where it is read.
  struct Local {
    Values value;
    std::vector<Values> of_slot;
    Value array = nullptr;  ///< in shared memory
    const KernelBody* step = nullptr;
  };
  std::map<std::uint32_t, Local> locals_;          ///< by the step's first buffer
  std::vector<Value> slots_;                ///< the positions of a row that are this thread's
  struct SharedRow {
    std::int64_t offset = 0, bytes = 0;
  };
  std::vector<SharedRow> arrays_;                  ///< rows in shared memory
  std::vector<Local> staged_;                      ///< RowArrays::inputs
  std::map<ir::NodeId, const Local*> row_inputs_;  ///< by the element as it stands in the step that is under way
  Unusual* unusual_ = nullptr;
  Stream stream_ = Stream::none;                              ///< what is loaded is one
  std::set<ir::NodeId> read_once_;                            ///< of this kernel's reduction
  std::optional<std::map<ir::NodeId, int>> parameter_reads_;  ///< of all kernels, once one has asked
  bool uses_fma_ = false;
  bool recursive_ = false;  ///< the kernel being lowered calls functions that may recurse
  std::int64_t folds_ = 0;  ///< folds emitted, to stop a schedule from growing without end
};

}  // namespace reckon::codegen
