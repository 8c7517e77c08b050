// The kernel IR: what strategies of placement produce, and what emitters read (docs/kernel_ir.md). A program has the
// kernels of one plan and the functions that they call. Control is structured: an operation has regions, and there are
// no jumps.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "ir/op.h"
#include "kernel/chains.h"
#include "kernel/mma_f64.h"
#include "kernel/mma_rows.h"
#include "kernel/type.h"

namespace reckon::kernel {

/// A constant, a parameter of a function or a region, or a result of an operation. Null: none.
struct Value {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint32_t id = none;
  constexpr Value() = default;
  constexpr Value(std::nullptr_t) {}
  constexpr explicit Value(std::uint32_t number) : id(number) {}
  constexpr explicit operator bool() const { return id != none; }
  friend constexpr auto operator<=>(const Value&, const Value&) = default;
};

/// Values in order. Parts of others are appended often.
struct Values : std::vector<Value> {
  using std::vector<Value>::vector;
  template <class Range>
  void append(const Range& range) {
    insert(end(), range.begin(), range.end());
  }
  template <class Iterator>
  void append(Iterator first, Iterator last) {
    insert(end(), first, last);
  }
};

enum class Op : std::uint8_t {
#define RECKON_KERNEL_INTEGER(name, arity, spelling, result) name,
#define RECKON_KERNEL_OP(name, spelling) name,
#include "kernel/ops.def"
};
std::string_view spelling(Op op);
constexpr bool is_integer(Op op) { return op <= Op::extend; }
constexpr bool is_comparison(Op op) { return op >= Op::equal && op <= Op::above; }

/// What is known of the result of add, sub, mul and shl: whether it is the mathematical one, of signed integers, or of
/// signed and unsigned ones.
enum class Fits : std::uint8_t { unknown, as_signed, always };

struct Constant {
  enum class Kind : std::uint8_t {
    integer,  ///< an index or a flag: `value`
    zero,     ///< of any type but memory: the value of no bits
    bits,     ///< a number: rounded, the pattern of its format
    literal,  ///< a number: Program::literals[value], which the semantics encloses or rounds
    neutral,  ///< a number: what changes no bit as the left operand of `add`
  } kind{};
  Type type;
  std::uint64_t value = 0;
  friend auto operator<=>(const Constant& a, const Constant& b) {
    const auto key = [](const Constant& c) { return std::tuple(c.kind, c.type.kind, c.type.scalar, c.value); };
    return key(a) <=> key(b);
  }
};

struct Region {
  Values parameters;
  std::vector<std::uint32_t> operations;  ///< of Program::operations, in order
  Values yields;                          ///< what the region gives
};

/// How the second-level cache treats what is loaded.
enum class Stream : std::uint8_t {
  none,
  /// Of a kernel that writes as much as it reads. Its lines stay (L2::evict_last), so that what goes first is what the
  /// kernel has written: it goes to memory early and in order, between the reads. On an H200 norms of 8192 rows take
  /// 126.5 us instead of 129.7, less than a copy of the same bytes, with buffers that no launch before has read.
  beside_results,
  /// What nothing reads again: its lines go first (L2::evict_first). On an H200 sums of 1 GiB take 237.9 us instead of
  /// 241.0, of f64s 239.2 instead of 244.0.
  once,
};

/// What the fields hold, by operation; others are as they are initialised.
///   apply           number_op; from: the number type of the operands (of `select`: of the result); site: where the
///                   circuit has it; number: 1 if it joins nodes of that reduction
///   apply_rounded   values of f32; number_op: exp or exp2; from: f32; site. As many results of bf16 or of f16: the
///                   operation's f32 result for each value, rounded to that type
///   prepare_divisor divisor
///   divide_quick    dividend, divisor, prepared, sizes so far (a zero: none); gives the quotient and the sizes now
///   divide_unusual  dividend, divisor
///   may_be_wrong    prepared, sizes; a flag: some quotient is wrong, and divide_unusual gives the right one
///   fault           number_op; number: which fault; operands: those of the operation
///   bounded_index   integer, index (the limit); number: the fault if the integer is negative or not below the limit,
///                   which the operation keeps in mind; it gives 0 then
///   clamped_index   integer, index (the limit); the limit if the integer is negative or not below it
///   leaf            value, position; site: the reduction. The value is that leaf.
///   node            value, left, right; site. The value joins the nodes that the two others are.
///   root            value; site. The value is the whole reduction.
///   table           number: of Program::tables, whose elements are indices
///   stack           number: elements of `result`'s type. A thread's own, for as long as the function runs.
///   shared          number: bytes; offset: bytes from the start of the block's shared memory
///   advance         memory, index: so many bytes further
///   clear           memory; number: elements that become 0
///   load            memory, index; stream; offset: elements further than the index says
///   store           memory, index, value; offset
///   load_vector     memory, index; as many results as neighbouring elements are read at once; offset
///   store_vector    memory, index, values: neighbouring elements, written at once; offset
///   atomic_add      memory, index, value; offset: adds the value to the element as one step; others' additions come
///   before or
///                   after it. The memory is shared, and numbers are words of 4 or 8 bytes whose `add` is that of
///                   integers modulo a power of 2, so that no order of additions changes a bit.
///   barrier_or      flag: all threads of the block wait, and learn whether it is set in one of them
///   warp_barrier    all threads of the warp wait for each other, and see what they have written to shared memory
///   shuffle_xor     value; number: the thread of the warp whose number differs in these bits has it
///   peers           index, from 0 to 2^32 - 1; two indices: how many threads of the warp before this one have the same
///                   index, and how many have it in all
///   mma_f64         index, and of f64: two elements x, one y, four sums; site: the reduction. The warp has 16 rows and
///                   8 columns. Lane l has x of rows l / 4 and l / 4 + 8 at leaf l % 4, y of column l / 4 at leaf l %
///                   4, and the sums of rows l / 4 and l / 4 + 8 at columns 2 (l % 4) and 2 (l % 4) + 1, row by row.
///                   Each sum is joined with its four products x y, one after the other, each by one fma. The index,
///                   which all threads of the warp have alike, is the number of the first of the four leaves.
///   arrive          memory (counters), index, index: raises the counter, which becomes 0 after the last value; the
///                   flag says that it had the last value. What came before in any thread that arrived is seen after
///                   it.
///   ticket          memory (counters), index, index: raises the counter, which becomes 0 after the last value, and
///                   gives what it was. It orders no accesses.
///   publish         memory (words), index, value: makes the value known to other blocks, as number `index` of those
///                   that have room there. A word has 64 bits, which are 0 before: 4 bytes of the value in its lower
///                   half, and 1 in its upper half once they are there (Widths::words_to_publish: how many words).
///   look_up         memory (words), index; the value, and a flag: whether it is published. Without it, the value may
///                   be any. No other access is ordered by the two. Blocks need not run at the same time, so a thread
///                   may wait for a value only if the block has started that publishes it: with a lower ticket.
///   await_previous  memory...: the kernel before is done; the same places, to read what it has written
///   loop            first, limit, step, initial values; first < limit. The region's parameters are the index and the
///                   carried values; it yields the next ones. Results: the last ones.
///   while_loop      initial values; region 0 yields a flag, region 1 the next values; both have the carried values as
///                   parameters. Results: those at which the flag was not set.
///   branch          flag; region 0 if it is set, otherwise region 1; results: what the region yields
///   chains          number: of Program::chains. Operands: first, limit, and of each array of sums, of elements of rows
///                   and of elements of columns the memory and an index. All arrays are on the stack. Element (leaf,
///                   row) of an array of rows lies leaf * Factor::leaf + row * Factor::row beyond the index, and others
///                   likewise. Each sum is read; for each leaf first, ..., limit - 1 the region, which has the leaf,
///                   the sum and the elements of its row and of its column as its parameters, yields the next sum; the
///                   last one is written. first < limit. An emitter computes all of them side by side.
///   mma_tiles       number: of Program::mma_tiles. Operands: shared memory for the stages; first, limit, step; the
///                   number of leaves; and of x, and then of y, the memory, with a copy that of the copy and an index
///                   that is not 0 if the copy is read, the extents of the dimensions, and their strides in elements
///                   but for the innermost one, whose stride is 1. All of them are the same in the whole block. For
///                   each tile first, first + step, ... below limit region 0 yields where the tile begins in x, and
///                   then in y, an index for each dimension, and the number of its first leaf in the reduction. Element
///                   (r, l) of x lies r further in the dimension of the side and l further in that of the leaves.
///                   Region 1, which only consumers run, has the tile's number and the thread's fragment of the sums
///                   over all leaves of x(r, l) y(c, l) as its parameters. Leaves beyond one of the tensors are absent,
///                   and sums of rows and columns beyond them have any value. site: the reduction. No thread may meet
///                   others after it.
///   mma_rows        number: of Program::mma_rows. Operands: shared memory for x and the slots; first, limit, step; and
///   of
///                   x, y and z what `mma_tiles` has of a factor. All of them are the same in the whole block. For each
///                   item first, first + step, ... below limit region 0 yields where x, y and z begin, an index for
///                   each dimension, and which columns of the first product there are: the first one, and the limit n,
///                   which is greater. They are the leaves of the second product. A pass goes through the columns, tile
///                   by tile. Its first region has the item and what the pass before carried as its parameters, and
///                   yields what it carries itself; the second one has the item, the tile's first column, the thread's
///                   fragment of the sums over all leaves of x(r, l) y(c, l), and the carried values, and yields the
///                   next ones. In the last pass it yields a fragment p(r, c) of numbers of the operand's format as
///                   well, before them, which are 0 for columns from n on. The last region has the item, the thread's
///                   fragment of the sums over all c of p(r, c) z(c, e), and the carried values. All regions but the
///                   first one are run by consumers only. site: the second reduction. No thread may meet others after
///                   it.
///   call            number: of Program::functions; operands: its arguments
struct Operation {
  Op op{};
  Fits fits = Fits::unknown;
  ir::Op number_op{};
  ir::Scalar from{};
  Stream stream = Stream::none;
  bool unroll = true;  ///< loop: whether the emitter may unroll it
  std::uint32_t first_result = Value::none;
  std::uint32_t results = 0;
  std::int64_t number = 0, offset = 0;
  ir::NodeId site;
  ir::NodeId origin;  ///< the circuit's node for which it was written, for line tables; may be none
  Values operands;
  std::vector<Region> regions;

  Value result(std::uint32_t k = 0) const { return Value(first_result + k); }
};

/// The operands of an `mma_tiles`, by name.
struct MmaOperands {
  struct Factor {
    Value memory, copy, copied;
    Values extents, strides;  ///< strides from dimension 1 on
  };
  Value room, first, limit, step, leaves;
  Factor x, y;
  static std::size_t count(const MmaTiles& tiles);
  /// The operation has so many operands.
  MmaOperands(const Operation& operation, const MmaTiles& tiles);
  MmaOperands() = default;
  /// In the operation's order.
  Values list() const;
};

/// The operands of an `mma_rows`, by name.
struct MmaRowsOperands {
  Value room, first, limit, step;
  MmaOperands::Factor x, y, z;
  static std::size_t count(const MmaRows& rows);
  /// The operation has so many operands.
  MmaRowsOperands(const Operation& operation, const MmaRows& rows);
  MmaRowsOperands() = default;
  /// In the operation's order.
  Values list() const;
};

struct Parameter {
  std::string name;
  Value value;
  bool changes = false;  ///< memory: others write it while the function runs
};

struct Function {
  std::string name;
  bool is_kernel = true;
  std::vector<Parameter> parameters;
  Region body;  ///< yields the results
  // Of a kernel:
  std::int64_t threads = 0;  ///< of a block; 0: any number
  std::int64_t blocks = 0;   ///< of a multiprocessor at a time, at least; 0: not stated
};

struct Program {
  Widths widths;
  std::deque<Function> functions;  ///< references to them stay
  std::deque<Operation> operations;
  std::vector<ir::Literal> literals;
  std::vector<std::vector<std::int64_t>> tables;
  std::vector<Chains> chains;
  std::vector<MmaTiles> mma_tiles;
  std::vector<MmaRows> mma_rows;
  ir::NodeId origin;  ///< of the operations that are made next

  struct Definition {
    enum class Kind : std::uint8_t { constant, parameter, operation } kind{};
    std::uint32_t index = 0;  ///< constant: of `constants`; operation: which
  };
  std::vector<Type> types;              ///< of each value
  std::vector<Definition> definitions;  ///< of each value
  std::vector<Constant> constants;
  std::map<Constant, Value> known_constants;

  Type type(Value value) const { return types[value.id]; }
  Value fresh(Type type, Definition definition);
  Value constant(const Constant& constant);
  /// Null if the value is no constant.
  const Constant* as_constant(Value value) const;
  const Operation* as_operation(Value value) const;
};

}  // namespace reckon::kernel
