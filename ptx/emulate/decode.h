// Makes a kernel of an entry of a module: every instruction that it can reach is decoded once, and its operands are
// checked.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "ptx/emulate/decode_options.h"
#include "ptx/emulate/kernel.h"
#include "ptx/emulate/report.h"
#include "ptx/shadow/sequences.h"

namespace reckon::ptx {

struct DecodeMistake {
  std::uint32_t line = 0;
  std::string message;
  bool approximate = false;  ///< Refused::approximate
};

struct DecodeResult {
  Kernel kernel;
  std::optional<DecodeMistake> mistake;  ///< the kernel is unusable then
};

/// `globals`: the address of each variable of the module that is in global or constant memory, by its number. The
/// module must outlive the kernel.
DecodeResult decode(const Module& module, const Function& entry, const std::vector<std::uint64_t>& globals,
                    const DecodeOptions& options = {});

/// Bytes of a register of one lane; 0 for predicates.
inline std::uint32_t lane_bytes(Type type) {
  return type == Type::pred ? 0 : std::max(static_cast<std::uint32_t>(bits_of(type) / 8), 1u);
}

class Decoder {
 public:
  Decoder(const Module& module, const std::vector<std::uint64_t>& globals, const DecodeOptions& options, Kernel& kernel)
      : module_(module), globals_(globals), options_(options), kernel_(kernel) {}
  std::optional<DecodeMistake> run(const Function& entry);

  // What the decoders of families use. A failure is kept, and decoding ends with it; results are then of no matter.
  const Instruction& instruction() const { return *instruction_; }
  Kernel& kernel() { return kernel_; }
  const Module& module() const { return module_; }
  const DecodeOptions& options() const { return options_; }
  bool fail(std::string message);
  bool fail_approximate(std::string message);
  bool failed() const { return mistake_.has_value(); }
  /// False after a failure that names how many operands the instruction has.
  bool has_operands(std::size_t least, std::size_t most);
  const Operand& operand(std::size_t number) const { return instruction_->operands[number]; }
  const Operand& child(const Operand& parent, std::size_t number) const {
    return function_->children[parent.first + number];
  }
  /// The place of a register of so many bits that takes a result.
  Slot result(const Operand& operand, int bits);
  /// The same; no_slot for `_`, a result that nobody wants. Few instructions have those.
  Slot result_or_none(const Operand& operand, int bits);
  /// The place of a value of a type: a register of its width, or a constant in that form.
  Slot source(const Operand& operand, Type type);
  /// A register of any width but a predicate, of at least `bits`; `reg_bits` is its width.
  Slot wide_source(const Operand& operand, int bits, int& reg_bits);
  Slot wide_result(const Operand& operand, int bits, int& reg_bits);
  /// A predicate, or a constant; notes in `operation` if it is negated.
  Slot predicate(const Operand& operand, int number, Operation& operation);
  Slot predicate_result(const Operand& operand);
  /// The result and so many operands, all of one type, in d and a, b, c.
  void take(Operation& operation, Type type, std::size_t operands);
  std::optional<std::uint64_t> constant(const Operand& operand) const;
  Slot constant_slot_of(std::uint64_t bits, int width);
  /// The base of an address in `operation.a`, its offset in `operation.offset`; `access` says how wide it is.
  bool address(const Operand& operand, Operation& operation, Access& access);
  std::uint32_t add_access(const Access& access);
  std::uint32_t add_slots(const std::vector<Slot>& slots);
  /// Types among the modifiers, in order.
  std::vector<Type> types() const;
  int register_bits(const Operand& operand) const;
  void narrow_granule(const Access& access);
  /// The instruction is two operations: this one first.
  void emit(Operation operation);
  std::optional<std::uint64_t> variable_address(std::uint32_t variable, bool& of_frame) const;
  const Variable& variable(std::uint32_t number) const { return module_.variables[number]; }
  std::optional<Slot> parameter_slot(std::uint32_t variable) const;
  /// Whether an operand is a register that nothing else in the function names.
  bool is_unused(const Operand& operand) const;
  /// Bytes of a lane of a register or a constant; 0: a predicate, or no_slot.
  std::uint8_t bytes_of_slot(Slot slot) const {
    const auto found = slot_bytes_.find(slot);
    return found == slot_bytes_.end() ? std::uint8_t{0} : found->second;
  }
  /// What the instruction is in a sequence that is followed as a whole.
  std::optional<Sequence> sequence_step() const;
  /// Whether an operand is a register that a compare and swap writes.
  bool is_swapped(const Operand& operand) const;

 private:
  bool add_part(std::uint32_t function);
  bool lay_out(Part& part, const Function& function);
  void lay_out_shared(const Function& entry);
  /// Makes room for the variable at the end of what has so many bytes; a failure if it has more than `most` then.
  void add_variable(const Variable& variable, std::uint32_t most, std::uint32_t& end);
  void add_shared(std::uint32_t index);
  void lay_out_parameters(const Function& entry);
  void find_recursion();
  bool decode_function(std::size_t part);
  void count_names();
  bool decode_instruction();
  bool decode_control(Operation& operation);
  bool decode_call(Operation& operation);
  bool decode_barrier(Operation& operation);
  // calls.cpp
  void find_addresses_taken();
  std::vector<std::uint32_t> callees(const Function& function) const;
  bool add_passed(const Operand& group, std::vector<Slot>& slots, std::vector<std::uint32_t>& sizes);
  bool decode_call_of_system(std::string_view name, const Call& made);

  const Module& module_;
  const std::vector<std::uint64_t>& globals_;
  DecodeOptions options_;
  Kernel& kernel_;
  std::optional<DecodeMistake> mistake_;
  const Function* function_ = nullptr;
  const Instruction* instruction_ = nullptr;
  std::size_t part_ = 0;
  std::set<std::uint32_t> addresses_taken_;                   ///< functions
  std::vector<std::uint32_t> named_;                          ///< how often the function names each register
  std::unordered_map<std::uint32_t, std::size_t> part_of_;    ///< by function
  std::vector<std::vector<Slot>> registers_;                  ///< of each part
  std::unordered_map<std::uint32_t, Slot> parameter_slots_;   ///< variables of .param, in registers
  std::unordered_map<std::uint32_t, std::uint32_t> offsets_;  ///< of shared, local and the entry's parameters
  std::unordered_map<std::uint64_t, Slot> constants_[5];      ///< by width
  std::unordered_map<Slot, std::uint8_t> slot_bytes_;
  std::unordered_map<std::uint32_t, Sequence> sequences_;
  std::unordered_map<std::uint32_t, Slot> special_slots_;
};

// Families: each takes the instructions that it knows (true) and leaves the others (false).
bool decode_integer(Decoder& decoder, Operation& operation);
bool decode_bits(Decoder& decoder, Operation& operation);
bool decode_float(Decoder& decoder, Operation& operation);
bool decode_half(Decoder& decoder, Operation& operation);
bool decode_approximate(Decoder& decoder, Operation& operation);
bool decode_compare(Decoder& decoder, Operation& operation);
bool decode_move(Decoder& decoder, Operation& operation);
bool decode_convert(Decoder& decoder, Operation& operation);
bool decode_memory(Decoder& decoder, Operation& operation);
bool decode_atomic(Decoder& decoder, Operation& operation);
bool decode_copy(Decoder& decoder, Operation& operation);
bool decode_exchange(Decoder& decoder, Operation& operation);
bool decode_matrix(Decoder& decoder, Operation& operation);
bool decode_phased(Decoder& decoder, Operation& operation);
bool decode_warp_group(Decoder& decoder, Operation& operation);
bool decode_wmma(Decoder& decoder, Operation& operation);
bool decode_cluster(Decoder& decoder, Operation& operation);
bool decode_pair(Decoder& decoder, Operation& operation);
bool decode_bulk(Decoder& decoder, Operation& operation);
bool decode_simd(Decoder& decoder, Operation& operation);
bool decode_stack(Decoder& decoder, Operation& operation);

}  // namespace reckon::ptx
