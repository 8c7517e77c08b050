// The frame of decoding: where registers, parameters and variables are, operands, and the instructions that control.
#include "ptx/emulate/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "ptx/emulate/missing.h"
#include "ptx/emulate/warp.h"
#include "ptx/shadow/shadow.h"

namespace reckon::ptx {
namespace {

constexpr std::uint32_t most_register_bytes = 1u << 28;  // of a warp, with parameters of functions
constexpr std::uint32_t most_parameter_bytes = 1u << 20, most_local_bytes = 1u << 24, most_shared_bytes = 1u << 24;

std::uint32_t up(std::uint32_t value, std::uint32_t align) { return (value + align - 1) / align * align; }

}  // namespace

DecodeResult decode(const Module& module, const Function& entry, const std::vector<std::uint64_t>& globals,
                    const DecodeOptions& options) {
  DecodeResult out;
  Decoder decoder(module, globals, options, out.kernel);
  out.mistake = decoder.run(entry);
  return out;
}

bool Decoder::fail(std::string message) {
  if (!mistake_) mistake_ = DecodeMistake{instruction_ != nullptr ? instruction_->line : 0, std::move(message)};
  return true;
}

bool Decoder::fail_approximate(std::string message) {
  const bool is_first = !failed();
  fail(std::move(message));
  if (is_first) mistake_->approximate = true;
  return true;
}

std::optional<DecodeMistake> Decoder::run(const Function& entry) {
  kernel_.name = entry.name;
  kernel_.module = &module_;
  kernel_.entry = &entry;
  kernel_.granule = 4;
  const auto number = static_cast<std::uint32_t>(&entry - module_.functions.data());
  find_addresses_taken();
  lay_out_shared(entry);
  lay_out_parameters(entry);
  if (failed() || !add_part(number)) return mistake_;
  find_recursion();
  // Threads that part go on where the program counter is least: what is called stands first, so that they meet again.
  for (std::size_t part = kernel_.parts.size(); part-- > 0;) {
    if (!decode_function(part)) return mistake_;
  }
  for (Operation& operation : kernel_.operations) {
    if (operation.flow == Flow::call) operation.target = kernel_.parts[kernel_.calls[operation.extra].part].first;
  }
  for (const std::uint32_t function : addresses_taken_) {
    if (const auto found = part_of_.find(function); found != part_of_.end())
      kernel_.part_of_address[address_of_function(function)] = static_cast<std::uint32_t>(found->second);
  }
  for (const auto& [special, slot] : special_slots_) kernel_.specials.push_back({static_cast<Special>(special), slot});
  kernel_.register_bytes = up(kernel_.register_bytes, 64);
  if (options_.follows) kernel_.followed.resize(kernel_.operations.size());
  return mistake_;
}

/// The function and all that it calls, each once.
bool Decoder::add_part(std::uint32_t function) {
  std::vector<std::uint32_t> work{function};
  while (!work.empty()) {
    const std::uint32_t number = work.back();
    work.pop_back();
    if (part_of_.contains(number)) continue;
    const Function& made = module_.functions[number];
    if (!made.is_defined) continue;  // refused where it is called
    part_of_[number] = kernel_.parts.size();
    kernel_.parts.emplace_back().function = number;
    if (!lay_out(kernel_.parts.back(), made)) return false;
    for (const std::uint32_t callee : callees(made)) work.push_back(callee);
  }
  return true;
}

bool Decoder::lay_out(Part& part, const Function& function) {
  std::uint32_t& end = kernel_.register_bytes;
  part.begin = end = up(end, 64);
  std::vector<Slot>& slots = registers_.emplace_back();
  std::set<std::uint32_t> of_results;
  const auto is_result = [&](bool is_register, std::uint32_t index) {
    return std::any_of(function.results.begin(), function.results.end(), [&](const Function::Parameter& result) {
      return result.is_register == is_register && result.index == index;
    });
  };
  for (std::uint32_t k = 0; k < function.registers.size(); ++k) {
    const std::uint32_t bytes = lane_bytes(function.registers[k].type);
    const std::uint32_t size = bytes == 0 ? 4 : bytes * lanes_of_warp;
    end = up(end, bytes == 0 ? 4 : 32);
    slots.push_back(end);
    part.places.push_back({end, bytes, is_result(true, k)});
    slot_bytes_[end] = static_cast<std::uint8_t>(bytes);
    end += size;
    if (end > most_register_bytes) {
      mistake_ = DecodeMistake{function.line, "the registers of a warp take more than 256 MB"};
      return false;
    }
  }
  const auto place_of = [&](std::uint32_t index, bool of_result) {
    const Slot slot = end = up(end, 64);
    std::uint32_t bytes = 0;
    add_variable(module_.variables[index], (most_register_bytes - std::min(slot, most_register_bytes)) / lanes_of_warp,
                 bytes);
    parameter_slots_[index] = slot;
    if (bytes > 0) part.places.push_back({slot, bytes, of_result});
    end += bytes * lanes_of_warp;
    return std::pair{slot, bytes};
  };
  const auto parameter = [&](const Function::Parameter& one, bool of_result, std::vector<Slot>& out,
                             std::vector<std::uint32_t>& sizes) {
    if (one.is_register) {
      out.push_back(slots[one.index]);
      sizes.push_back(lane_bytes(function.registers[one.index].type));
      return;
    }
    const auto [slot, bytes] = place_of(one.index, of_result);
    out.push_back(slot);
    sizes.push_back(bytes);
  };
  for (const auto& one : function.results) parameter(one, true, part.results, part.result_bytes);
  if (!function.is_entry) {
    for (const auto& one : function.parameters) parameter(one, false, part.parameters, part.parameter_bytes);
  }
  for (const std::uint32_t index : function.variables) {
    const Variable& variable = module_.variables[index];
    if (variable.space == Space::param) {
      place_of(index, false);
    } else if (variable.space == Space::local) {
      part.local_align = std::max(part.local_align, variable.align);
      part.local_bytes = up(part.local_bytes, std::max(variable.align, 16u));
      offsets_[index] = part.local_bytes;
      add_variable(variable, most_local_bytes, part.local_bytes);
    } else if (variable.space == Space::shared && !offsets_.contains(index)) {
      add_shared(index);
    }
  }
  part.local_bytes = up(part.local_bytes, 16);
  part.end = end;
  return !failed();
}

void Decoder::add_variable(const Variable& variable, std::uint32_t most, std::uint32_t& end) {
  if (fits(end, variable.bytes, most)) {
    end += static_cast<std::uint32_t>(variable.bytes);
  } else if (!mistake_) {
    mistake_ = DecodeMistake{variable.line, fmt::format("with `{}` there are more than {} bytes of such variables",
                                                        variable.name, most)};
  }
}

void Decoder::add_shared(std::uint32_t index) {
  const Variable& variable = module_.variables[index];
  kernel_.shared_bytes = up(kernel_.shared_bytes, variable.align);
  offsets_[index] = kernel_.shared_bytes;
  add_variable(variable, most_shared_bytes, kernel_.shared_bytes);
}

/// Static variables first; the array of the launch begins after all of them.
void Decoder::lay_out_shared(const Function& entry) {
  // A variable outside of functions takes room only if the entry, or what it calls, names it.
  std::set<std::uint32_t> named, seen;
  std::vector<std::uint32_t> work{static_cast<std::uint32_t>(&entry - module_.functions.data())};
  while (!work.empty()) {
    const std::uint32_t number = work.back();
    work.pop_back();
    if (!seen.insert(number).second) continue;
    const Function& function = module_.functions[number];
    for (const Instruction& one : function.instructions) {
      for (const Operand& operand : one.operands) {
        if (operand.kind == Operand::Kind::variable) named.insert(operand.index);
      }
    }
    for (const Operand& operand : function.children) {
      if (operand.kind == Operand::Kind::variable) named.insert(operand.index);
    }
    for (const std::uint32_t callee : callees(function)) work.push_back(callee);
  }
  for (const std::uint32_t index : module_.globals) {
    const Variable& variable = module_.variables[index];
    if (variable.space != Space::shared || !named.contains(index)) continue;
    if (variable.of_launch) {
      kernel_.shared_align = std::max(kernel_.shared_align, variable.align);
      continue;
    }
    add_shared(index);
  }
}

void Decoder::lay_out_parameters(const Function& entry) {
  std::uint32_t end = 0;
  for (const Function::Parameter& one : entry.parameters) {
    if (one.is_register) continue;
    const Variable& variable = module_.variables[one.index];
    end = up(end, variable.align);
    offsets_[one.index] = end;
    kernel_.parameters.push_back({end, static_cast<std::uint32_t>(variable.bytes), variable.type, variable.name});
    add_variable(variable, most_parameter_bytes, end);
  }
  kernel_.parameter_bytes = end;
}

void Decoder::find_recursion() {
  for (std::size_t k = 0; k < kernel_.parts.size(); ++k) {
    std::set<std::uint32_t> seen;
    std::vector<std::uint32_t> work = callees(module_.functions[kernel_.parts[k].function]);
    while (!work.empty()) {
      const std::uint32_t number = work.back();
      work.pop_back();
      if (!seen.insert(number).second) continue;
      for (const std::uint32_t callee : callees(module_.functions[number])) work.push_back(callee);
    }
    kernel_.parts[k].is_recursive = seen.contains(kernel_.parts[k].function);
  }
}

bool Decoder::decode_function(std::size_t part) {
  part_ = part;
  function_ = &module_.functions[kernel_.parts[part].function];
  count_names();
  if (options_.follows) sequences_ = find_sequences(*function_);
  const auto first = static_cast<std::uint32_t>(kernel_.operations.size());
  kernel_.parts[part].first = first;
  std::vector<std::uint32_t> at(function_->instructions.size() + 1);
  for (std::size_t k = 0; k < function_->instructions.size(); ++k) {
    instruction_ = &function_->instructions[k];
    at[k] = static_cast<std::uint32_t>(kernel_.operations.size());
    if (kernel_.operations.size() >= (std::size_t{1} << 24) - 2) fail("the kernel is too long");
    if (const auto what = missing_for(*instruction_); !failed() && !what.empty())
      fail(fmt::format("the emulator does not know `{}`: it has no {}", instruction_->opcode, what));
    if (!failed() && !decode_instruction()) fail(fmt::format("the emulator does not know `{}`", instruction_->opcode));
    if (failed()) return false;
  }
  at.back() = static_cast<std::uint32_t>(kernel_.operations.size());
  Operation end;  // the function's end returns
  end.flow = Flow::back;
  end.line = function_->instructions.empty() ? function_->line : function_->instructions.back().line;
  kernel_.operations.push_back(end);
  for (std::size_t k = first; k < kernel_.operations.size(); ++k) {
    Operation& operation = kernel_.operations[k];
    if (operation.flow == Flow::branch) operation.target = at[operation.target];
  }
  // Lists of targets become the kernel's.
  const auto lists = static_cast<std::uint32_t>(kernel_.targets.size());
  for (const auto& list : function_->targets) {
    auto& made = kernel_.targets.emplace_back();
    for (const std::uint32_t target : list) made.push_back(at[target]);
  }
  for (std::size_t k = first; k < kernel_.operations.size(); ++k) {
    if (kernel_.operations[k].flow == Flow::switch_) kernel_.operations[k].extra += lists;
  }
  return true;
}

void Decoder::count_names() {
  named_.assign(function_->registers.size(), 0);
  const auto count = [&](const Operand& operand) {
    if (operand.kind == Operand::Kind::reg) ++named_[operand.index];
  };
  for (const Instruction& one : function_->instructions) {
    for (const Operand& operand : one.operands) count(operand);
    if (one.guard) ++named_[one.guard->reg];
  }
  for (const Operand& operand : function_->children) count(operand);
}

bool Decoder::is_unused(const Operand& operand) const {
  return operand.kind == Operand::Kind::sink || (operand.kind == Operand::Kind::reg && named_[operand.index] <= 1);
}

void Decoder::emit(Operation operation) {
  operation.line = instruction_->line;
  operation.place = instruction_->place;
  operation.unit = unit_of(*instruction_);
  if (instruction_->guard) {
    operation.guard = registers_[part_][instruction_->guard->reg];
    operation.guard_negated = instruction_->guard->negated;
  }
  kernel_.operations.push_back(operation);
  if (!options_.follows) return;
  const Followed how = followed_of(*this, operation);
  kernel_.followed.resize(kernel_.operations.size());
  kernel_.followed.back() = how;
}

std::optional<Sequence> Decoder::sequence_step() const {
  const auto found = sequences_.find(static_cast<std::uint32_t>(instruction_ - function_->instructions.data()));
  return found == sequences_.end() ? std::nullopt : std::optional(found->second);
}

bool Decoder::is_swapped(const Operand& operand) const {
  if (operand.kind != Operand::Kind::reg) return false;
  return std::any_of(function_->instructions.begin(), function_->instructions.end(), [&](const Instruction& one) {
    return one.name == "atom" && one.has("cas") && !one.operands.empty() &&
           one.operands[0].kind == Operand::Kind::reg && one.operands[0].index == operand.index;
  });
}

bool Decoder::decode_instruction() {
  using Family = bool (*)(Decoder&, Operation&);
  static constexpr Family families[] = {
      decode_integer,    decode_bits,   decode_float,   decode_half, decode_approximate, decode_compare, decode_move,
      decode_convert,    decode_memory, decode_atomic,  decode_copy, decode_exchange,    decode_matrix,  decode_phased,
      decode_warp_group, decode_wmma,   decode_cluster, decode_pair, decode_bulk,        decode_simd,    decode_stack};
  Operation operation;
  if (decode_control(operation)) return true;
  for (const Family family : families) {
    operation = Operation{};
    if (!family(*this, operation)) continue;
    if (failed()) return true;
    emit(operation);
    return true;
  }
  return false;
}

bool Decoder::has_operands(std::size_t least, std::size_t most) {
  const std::size_t given = instruction_->operands.size();
  if (given >= least && given <= most) return true;
  fail(least == most ? fmt::format("`{}` has {} operands, not {}", instruction_->opcode, least, given)
                     : fmt::format("`{}` has {} to {} operands, not {}", instruction_->opcode, least, most, given));
  return false;
}

std::vector<Type> Decoder::types() const {
  std::vector<Type> out;
  for (const std::string_view part : instruction_->parts) {
    if (const auto type = type_named(part)) out.push_back(*type);
  }
  return out;
}

int Decoder::register_bits(const Operand& operand) const {
  return operand.kind == Operand::Kind::reg ? bits_of(function_->registers[operand.index].type) : 0;
}

Slot Decoder::constant_slot_of(std::uint64_t bits, int width) {
  const int kind = width == 8 ? 0 : width == 16 ? 1 : width == 32 ? 2 : width == 64 ? 3 : 4;
  if (width < 64) bits &= (std::uint64_t{1} << width) - 1;
  const auto known = constants_[kind].find(bits);
  if (known != constants_[kind].end()) return known->second;
  auto& pool = kernel_.constants;
  pool.resize((pool.size() + 31) / 32 * 32);
  const Slot slot = constant_slot | static_cast<Slot>(pool.size());
  const auto bytes = static_cast<std::size_t>(width / 8);
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    const std::size_t at = pool.size();
    pool.resize(at + bytes, 0);
    std::memcpy(pool.data() + at, &bits, std::min<std::size_t>(bytes, 8));
  }
  constants_[kind][bits] = slot;
  slot_bytes_[slot] = static_cast<std::uint8_t>(width / 8);
  return slot;
}

std::optional<std::uint64_t> Decoder::constant(const Operand& operand) const {
  if (operand.kind == Operand::Kind::number && !operand.real) return operand.bits;
  return std::nullopt;
}

std::optional<Slot> Decoder::parameter_slot(std::uint32_t variable) const {
  const auto found = parameter_slots_.find(variable);
  if (found == parameter_slots_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::uint64_t> Decoder::variable_address(std::uint32_t number, bool& of_frame) const {
  const Variable& variable = module_.variables[number];
  of_frame = variable.space == Space::local;
  if (variable.space == Space::global || variable.space == Space::constant) return globals_[number];
  if (variable.space == Space::shared && variable.of_launch) return up(kernel_.shared_bytes, kernel_.shared_align);
  const auto found = offsets_.find(number);
  if (found == offsets_.end()) return std::nullopt;
  return found->second;
}

Slot Decoder::result(const Operand& operand, int bits) {
  if (operand.kind != Operand::Kind::reg) {
    fail(fmt::format("`{}` needs a register for its result", instruction_->opcode));
    return no_slot;
  }
  if (register_bits(operand) != bits) {
    fail(fmt::format("`{}` has {} bits, but `{}` needs {}", function_->registers[operand.index].name(),
                     register_bits(operand), instruction_->opcode, bits));
    return no_slot;
  }
  return registers_[part_][operand.index];
}

Slot Decoder::source(const Operand& operand, Type type) {
  const int bits = bits_of(type);
  switch (operand.kind) {
    case Operand::Kind::reg:
      if (operand.bits != 0) fail("a register takes an offset only in an address");
      return result(operand, bits);
    case Operand::Kind::number: {
      std::uint64_t word = operand.bits;
      const bool is_float = type == Type::f32 || type == Type::f64;
      if (operand.real && operand.real_bits != bits) {
        if (!is_float) {
          fail(fmt::format("`{}` takes no such number", instruction_->opcode));
          return no_slot;
        }
        word = float_in_bits(word, operand.real_bits, bits);
      } else if (!operand.real && is_float) {
        fail(fmt::format("`{}` takes floating-point numbers, not integers", instruction_->opcode));
        return no_slot;
      }
      return constant_slot_of(word, bits);
    }
    case Operand::Kind::special: {
      const auto special = static_cast<Special>(operand.index);
      if (bits_of(special) != bits) {
        fail(fmt::format("`{}` reads a special register of {} bits", instruction_->opcode, bits_of(special)));
        return no_slot;
      }
      if (is_clock(special)) {
        fail("this special register can only be moved");
        return no_slot;
      }
      kernel_.uses_grid_room = kernel_.uses_grid_room || special >= Special::envreg1;
      kernel_.uses_reserved = kernel_.uses_reserved || is_of_reserved(special);
      const auto known = special_slots_.find(operand.index);
      if (known != special_slots_.end()) return known->second;
      std::uint32_t& end = kernel_.register_bytes;
      end = up(end, 64);
      const Slot slot = end;
      end += static_cast<std::uint32_t>(bits / 8 * lanes_of_warp);
      special_slots_[operand.index] = slot;
      slot_bytes_[slot] = static_cast<std::uint8_t>(bits / 8);
      return slot;
    }
    case Operand::Kind::function:
      if (bits != 64) fail("the address of a function has 64 bits");
      return constant_slot_of(address_of_function(operand.index), 64);
    case Operand::Kind::variable: {
      bool of_frame = false;
      const auto address = variable_address(operand.index, of_frame);
      if (!address || of_frame || (bits != 64 && bits != 32)) {
        fail(fmt::format("`{}` cannot take the address of `{}`", instruction_->opcode,
                         module_.variables[operand.index].name));
        return no_slot;
      }
      return constant_slot_of(*address + operand.bits, bits);
    }
    default: fail(fmt::format("`{}` has an operand of a wrong kind", instruction_->opcode)); return no_slot;
  }
}

Slot Decoder::wide_source(const Operand& operand, int bits, int& reg_bits) {
  if (operand.kind == Operand::Kind::reg) {
    reg_bits = register_bits(operand);
    if (reg_bits < std::max(bits, 8)) {
      fail(fmt::format("`{}` has {} bits, but `{}` needs {}", function_->registers[operand.index].name(), reg_bits,
                       instruction_->opcode, bits));
    }
    return registers_[part_][operand.index];
  }
  reg_bits = bits;
  return source(operand, bits == 8    ? Type::b8
                         : bits == 16 ? Type::b16
                         : bits == 32 ? Type::b32
                         : bits == 64 ? Type::b64
                                      : Type::b128);
}

Slot Decoder::wide_result(const Operand& operand, int bits, int& reg_bits) {
  if (operand.kind != Operand::Kind::reg) {
    reg_bits = bits;
    return result(operand, bits);
  }
  return wide_source(operand, bits, reg_bits);
}

Slot Decoder::predicate(const Operand& operand, int number, Operation& operation) {
  if (operand.kind == Operand::Kind::reg && function_->registers[operand.index].type == Type::pred) {
    if (operand.negated) operation.negates |= static_cast<std::uint8_t>(1u << number);
    return registers_[part_][operand.index];
  }
  if (const auto bits = constant(operand)) return constant_slot_of(*bits != 0 ? ~std::uint64_t{0} : 0, 32);
  fail(fmt::format("`{}` needs a predicate", instruction_->opcode));
  return no_slot;
}

void Decoder::take(Operation& made, Type type, std::size_t operands) {
  if (!has_operands(operands + 1, operands + 1)) return;
  made.d = result(operand(0), bits_of(type));
  Slot* const places[] = {&made.a, &made.b, &made.c};
  for (std::size_t k = 0; k < operands; ++k) *places[k] = source(operand(k + 1), type);
}

Slot Decoder::result_or_none(const Operand& operand, int bits) {
  return operand.kind == Operand::Kind::sink ? no_slot : result(operand, bits);
}

Slot Decoder::predicate_result(const Operand& operand) { return result_or_none(operand, 1); }

std::uint32_t Decoder::add_access(const Access& access) {
  kernel_.accesses.push_back(access);
  return static_cast<std::uint32_t>(kernel_.accesses.size() - 1);
}

std::uint32_t Decoder::add_slots(const std::vector<Slot>& slots) {
  const auto first = static_cast<std::uint32_t>(kernel_.slots.size());
  kernel_.slots.insert(kernel_.slots.end(), slots.begin(), slots.end());
  return first;
}

void Decoder::narrow_granule(const Access& access) {
  if (access.space != Space::local && access.space != Space::param)
    kernel_.granule = std::min<std::uint32_t>(kernel_.granule, access.bytes);
}

bool Decoder::address(const Operand& operand, Operation& operation, Access& access) {
  if (operand.kind != Operand::Kind::address || operand.count != 1) {
    fail(fmt::format("`{}` needs an address", instruction_->opcode));
    return false;
  }
  const Operand& base = child(operand, 0);
  if (base.kind == Operand::Kind::reg) {
    const int bits = register_bits(base);
    if (bits != 32 && bits != 64) {
      fail("an address is in a register of 32 or 64 bits");
      return false;
    }
    access.wide_address = bits == 64;
    operation.a = registers_[part_][base.index];
    operation.offset = static_cast<std::int64_t>(base.bits);
    return true;
  }
  access.wide_address = true;
  if (base.kind == Operand::Kind::number) {
    operation.a = constant_slot_of(base.bits, 64);
    return true;
  }
  bool of_frame = false;
  const auto at = variable_address(base.index, of_frame);
  if (!at) {
    fail(fmt::format("`{}` cannot reach `{}`", instruction_->opcode, module_.variables[base.index].name));
    return false;
  }
  std::uint64_t value = *at + base.bits;
  const Space space = module_.variables[base.index].space;
  if (access.space == Space::generic) {
    if (space == Space::shared) value += shared_window;
    else if (space == Space::local) value += local_window;
    else if (space == Space::param) value += param_window;
  } else if (space != access.space && !(space == Space::constant && access.space == Space::global)) {
    fail(fmt::format("`{}` is in .{} memory", module_.variables[base.index].name, name_of(space)));
    return false;
  }
  operation.a = constant_slot_of(value, 64);
  if (of_frame) operation.mode |= 0x100;  // and the frame of the lane
  return true;
}

// ---- Control ----

bool Decoder::decode_control(Operation& operation) {
  const std::string_view name = instruction_->name;
  if (name == "bra") {
    if (!has_operands(1, 1)) return true;
    if (operand(0).kind != Operand::Kind::label) return fail("`bra` needs a label");
    operation.flow = Flow::branch;
    operation.target = operand(0).index;
  } else if (name == "brx") {
    if (!has_operands(2, 2)) return true;
    if (operand(1).kind != Operand::Kind::targets) return fail("`brx.idx` needs a list of targets");
    operation.flow = Flow::switch_;
    operation.a = source(operand(0), Type::u32);
    operation.extra = operand(1).index;
  } else if (name == "ret" || name == "exit") {
    operation.flow = name == "ret" ? Flow::back : Flow::exit;
  } else if (name == "trap" || name == "brkpt") {
    operation.flow = Flow::trap;
  } else if (name == "call") {
    return decode_call(operation);
  } else if ((name == "bar" || name == "barrier") && !instruction_->has("warp")) {
    return decode_barrier(operation);
  } else {
    return false;
  }
  if (!failed()) emit(operation);
  return true;
}

bool Decoder::decode_barrier(Operation& operation) {
  const bool arrive = instruction_->has("arrive"), red = instruction_->has("red");
  operation.flow = Flow::barrier;
  if (instruction_->has("cluster")) {
    operation.mode = static_cast<std::uint16_t>(arrive ? BarrierWay::of_cluster_arrive : BarrierWay::of_cluster_wait);
    if (has_operands(0, 0)) emit(operation);
    return true;
  }
  BarrierWay way = arrive ? BarrierWay::arrive : BarrierWay::sync;
  std::size_t at = 0;
  if (red) {
    if (!has_operands(3, 4)) return true;
    if (instruction_->has("popc")) {
      way = BarrierWay::count;
      operation.d = result(operand(at++), 32);
    } else {
      way = instruction_->has("and") ? BarrierWay::all : BarrierWay::any;
      operation.d = predicate_result(operand(at++));
    }
  } else if (!has_operands(arrive ? 2 : 1, 2)) {
    return true;
  }
  operation.mode = static_cast<std::uint16_t>(way);
  operation.a = source(operand(at++), Type::u32);
  if (red) {
    if (operand(at).kind == Operand::Kind::number || register_bits(operand(at)) == 32)
      operation.b = source(operand(at++), Type::u32);
    if (at >= instruction_->operands.size()) return fail("the barrier needs a predicate");
    operation.c = predicate(operand(at), 2, operation);
  } else if (at < instruction_->operands.size()) {
    operation.b = source(operand(at), Type::u32);
  }
  if (!failed()) emit(operation);
  return true;
}

}  // namespace reckon::ptx
