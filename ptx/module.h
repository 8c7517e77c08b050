// A PTX file as data: what it declares, and its instructions with resolved operands. ptx/read/read.h makes it of a
// text.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace reckon::ptx {

enum class Type : std::uint8_t {
  none,
#define RECKON_PTX_TYPE(name, bits) name,
#include "ptx/types.def"
};
/// `f32`; `none` is empty.
std::string_view name_of(Type type);
/// Bits of a register; 0 for `none`.
int bits_of(Type type);
/// Without its point: `f32`.
std::optional<Type> type_named(std::string_view name);
constexpr bool is_signed(Type type) { return type >= Type::s8 && type <= Type::s64; }

/// A float of 32 or 64 bits in so many bits: rounded to nearest where they are fewer.
std::uint64_t float_in_bits(std::uint64_t bits, int from, int to);

enum class Space : std::uint8_t { generic, global, constant, shared, local, param };
std::string_view name_of(Space space);

/// The special registers that can be read. `tid`, `ntid`, `ctaid` and the like have three numbers in this order: x, y,
/// z.
enum class Special : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  clusterid_x,
  clusterid_y,
  clusterid_z,
  nclusterid_x,
  nclusterid_y,
  nclusterid_z,
  cluster_ctaid_x,
  cluster_ctaid_y,
  cluster_ctaid_z,
  cluster_nctaid_x,
  cluster_nctaid_y,
  cluster_nctaid_z,
  cluster_ctarank,
  cluster_nctarank,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  dynamic_smem_size,
  total_smem_size,
  aggr_smem_size,
  reserved_smem_offset_begin,
  reserved_smem_offset_end,
  reserved_smem_offset_cap,
  reserved_smem_offset_0,
  reserved_smem_offset_1,
  clock,
  clock_hi,
  clock64,
  globaltimer,
  globaltimer_lo,
  globaltimer_hi,
  envreg1,  ///< with the next: the address of what the blocks of a cooperative launch share
  envreg2
};
/// `%tid.x`; nothing if it is unknown.
std::optional<Special> special_named(std::string_view name);
/// It is read anew each time.
constexpr bool is_clock(Special special) { return special >= Special::clock && special <= Special::globaltimer_hi; }
/// It tells of what compilers take for themselves in shared memory, behind what the kernel has there: its places, or
/// the size of both.
constexpr bool is_of_reserved(Special special) {
  return special >= Special::aggr_smem_size && special <= Special::reserved_smem_offset_1;
}
/// Bits of a special register: 32 or 64.
int bits_of(Special special);

struct Variable {
  std::string_view name;
  Space space{};
  Type type{};
  std::uint64_t elements = 1;  ///< of vectors, their elements
  std::uint64_t bytes = 0;
  std::uint32_t align = 1;
  bool of_launch = false;  ///< an array of shared memory whose size the launch states (`[]`)
  bool is_extern = false;
  std::uint32_t line = 0;
  /// Numbers are in `initial`, which may be shorter than the variable: the rest is 0.
  std::vector<std::uint8_t> initial;
  /// Addresses of other variables among the initial bytes.
  struct Address {
    std::uint64_t at = 0;  ///< the byte
    std::uint32_t variable = 0;
    std::int64_t offset = 0;
    bool generic = false;
    bool of_function = false;  ///< `variable` is a function of the module
  };
  std::vector<Address> addresses;
};

struct Operand {
  enum class Kind : std::uint8_t {
    reg,       ///< index: of the function's registers; negated: `!%p1`
    number,    ///< bits: an integer, or with `real` a float (its width: `real_bits`)
    special,   ///< index: a Special
    variable,  ///< index: of the module's variables; bits: an offset
    function,  ///< index: of the module's functions
    label,     ///< index: of the function's instructions
    targets,   ///< index: of the function's lists of targets
    list,      ///< `{...}`: children
    group,     ///< `(...)` of a call: children
    address,   ///< `[...]`: children; the first is a register or a variable with an offset in bits, or a number
    pair,      ///< `%p1|%p2`: two children
    sink       ///< `_`
  };
  Kind kind{};
  bool negated = false;
  bool real = false;
  std::uint8_t real_bits = 0;
  std::uint32_t index = 0;
  std::uint64_t bits = 0;
  std::uint32_t first = 0, count = 0;  ///< children, in the function's `children`
};

struct Guard {
  std::uint32_t reg = 0;
  bool negated = false;
};

struct Instruction {
  std::uint32_t line = 0;
  std::uint32_t place = 0;              ///< in Module::places; 0: none
  std::string_view opcode;              ///< with its modifiers: `ld.global.f32`
  std::string_view name;                ///< `ld`
  std::vector<std::string_view> parts;  ///< `global`, `f32`
  std::optional<Guard> guard;
  std::vector<Operand> operands;

  bool has(std::string_view part) const;
};

struct Register {
  std::string_view prefix;  ///< the name, or `%r` of `%r<100>`
  std::optional<std::uint32_t> number;
  Type type{};
  std::string name() const;
};

struct Function {
  std::string_view name;
  bool is_entry = false;
  bool is_defined = false;  ///< has a body
  std::uint32_t line = 0;
  /// Of the module's variables, or registers of the function, in order.
  struct Parameter {
    bool is_register = false;
    std::uint32_t index = 0;
  };
  std::vector<Parameter> results, parameters;
  std::vector<Register> registers;
  std::vector<std::uint32_t> variables;  ///< declared in the body: shared, local, param
  std::vector<Instruction> instructions;
  std::vector<Operand> children;
  std::vector<std::vector<std::uint32_t>> targets;  ///< of brx.idx: instructions
  std::array<std::uint32_t, 3> required_threads{};  ///< .reqntid; zeros: not stated
  std::uint32_t most_threads = 0;                   ///< .maxntid, multiplied; 0: not stated
  std::array<std::uint32_t, 3> cluster{};           ///< .reqnctapercluster
};

/// A place in the user's source that `.loc` names.
struct Place {
  std::uint32_t file = 0;  ///< the number that `.file` gives it
  std::uint32_t line = 0, column = 0;
  /// Where the function that the line belongs to was called, if the compiler put it in place: the outermost call, which
  /// is the user's. Of the module's places; 0: there is none.
  std::uint32_t caller = 0;
};

struct Module {
  std::shared_ptr<const std::string> text;  ///< which the names point into
  std::string_view version, target;
  int address_size = 64;
  std::vector<Variable> variables;
  std::vector<std::uint32_t> globals;  ///< of the variables: those that are declared outside of functions
  std::vector<Function> functions;
  std::vector<Place> places{{}};
  std::unordered_map<std::uint32_t, std::string> files;

  /// Null if there is none.
  const Function* entry(std::string_view name) const;
  /// `k.cu:17`, or `k.cu:17, in sync.h:66` for a function that was put in place; empty without `.loc`.
  std::string place_text(std::uint32_t place) const;
};

}  // namespace reckon::ptx
