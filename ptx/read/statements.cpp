// Bodies: registers, labels, instructions and their operands.
#include <fmt/format.h>

#include <charconv>
#include <cstring>

#include "ptx/read/reader.h"
#include "ptx/read/words.h"

namespace reckon::ptx {
namespace {

constexpr std::uint64_t most_registers = 1 << 20;  // of a function
constexpr std::size_t most_instructions = std::size_t{1} << 24;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// `%r12`: `%r` and 12. Nothing for names without a number, or whose number could be written shorter.
std::optional<std::pair<std::string_view, std::uint32_t>> numbered(std::string_view name) {
  std::size_t end = name.size();
  while (end > 0 && is_digit(name[end - 1])) --end;
  const std::string_view digits = name.substr(end);
  if (digits.empty() || digits.size() > 8 || (digits.size() > 1 && digits[0] == '0')) return std::nullopt;
  std::uint32_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return std::pair{name.substr(0, end), number};
}

}  // namespace

void Reader::read_body(Grammar::BodyContext* body) {
  for (Grammar::StatementContext* statement : body->statement()) read_statement(statement);
}

void Reader::read_statement(Grammar::StatementContext* statement) {
  if (Grammar::InstructionContext* instruction = statement->instruction()) {
    read_instruction(instruction);
  } else if (statement->LABEL() != nullptr) {
    const antlr4::Token* token = statement->LABEL()->getSymbol();
    std::string_view name = text_of(token);
    name = name.substr(0, name.find_first_of(" \t:"));
    const auto here = static_cast<std::uint32_t>(function_->instructions.size());
    Scope& scope = scopes_[scope_];
    if (!scope.labels.emplace(name, here).second) refuse(token, fmt::format("the label `{}` stands twice", name));
    last_label_ = token;
    return;
  } else if (statement->body() != nullptr) {
    const std::size_t around = scope_;
    scope_ = scopes_.size();
    scopes_.emplace_back().around = around;
    read_body(statement->body());
    scope_ = around;
  } else if (statement->REG() != nullptr) {
    read_registers(statement);
  } else if (statement->variable() != nullptr) {
    read_variables(statement->variable(), false, true);
  } else if (statement->location() != nullptr) {
    read_location(statement->location());
  } else if (statement->TARGETS() != nullptr) {
    take_targets(statement);
  }
  last_label_ = nullptr;
}

void Reader::take_targets(Grammar::StatementContext* statement) {
  if (last_label_ == nullptr) refuse(statement->getStart(), "`.branchtargets` needs a label before it");
  std::string_view name = text_of(last_label_);
  name = name.substr(0, name.find_first_of(" \t:"));
  scopes_[scope_].labels.erase(name);
  const auto list = static_cast<std::uint32_t>(function_->targets.size());
  scopes_[scope_].targets[name] = list;
  function_->targets.emplace_back();
  PendingTargets& pending = pending_targets_.emplace_back(PendingTargets{scope_, list, {}});
  for (auto* target : statement->NAME()) pending.names.push_back(target->getSymbol());
}

void Reader::read_registers(Grammar::StatementContext* statement) {
  Type type{};
  for (Grammar::ModifierContext* modifier : statement->modifier()) {
    const antlr4::Token* token = modifier->getStart();
    const std::string_view word = text_of(token).substr(1);
    const auto named = modifier->DIRECTIVE() != nullptr ? type_named(word) : std::nullopt;
    if (!named) refuse(token, fmt::format("`.{}` is no type of a register", word));
    type = *named;
  }
  if (type == Type::none) refuse(statement->getStart(), "registers need a type");
  for (Grammar::RegistersContext* registers : statement->registers()) {
    std::optional<std::uint32_t> count;
    if (registers->NUMBER() != nullptr) {
      const std::uint64_t given = integer(registers->NUMBER()->getSymbol());
      if (given > most_registers || function_->registers.size() + given > most_registers)
        refuse(registers->NUMBER()->getSymbol(), "a function has about a million registers at most");
      count = static_cast<std::uint32_t>(given);
    }
    add_register(registers->NAME()->getSymbol(), type, count);
  }
}

void Reader::add_register(const antlr4::Token* token, Type type, std::optional<std::uint32_t> count) {
  const std::string_view name = text_of(token);
  const auto first = static_cast<std::uint32_t>(function_->registers.size());
  const Symbol symbol{count ? Symbol::Kind::registers : Symbol::Kind::reg, first, count.value_or(1)};
  if (function_->registers.size() >= most_registers) refuse(token, "a function has about a million registers at most");
  if (!scopes_[scope_].symbols.emplace(name, symbol).second) refuse(token, fmt::format("`{}` is declared twice", name));
  if (!count) {
    function_->registers.push_back({name, std::nullopt, type});
    return;
  }
  for (std::uint32_t k = 0; k < *count; ++k) function_->registers.push_back({name, k, type});
}

std::optional<Reader::Symbol> Reader::find(std::string_view name) const {
  for (std::optional<std::size_t> at = scope_; at; at = scopes_[*at].around) {
    const auto found = scopes_[*at].symbols.find(name);
    if (found != scopes_[*at].symbols.end()) return found->second;
  }
  return std::nullopt;
}

std::optional<Operand> Reader::register_named(std::string_view name) const {
  Operand out;
  out.kind = Operand::Kind::reg;
  const auto symbol = find(name);
  if (symbol && symbol->kind == Symbol::Kind::reg) {
    out.index = symbol->index;
    return out;
  }
  const auto parts = numbered(name);
  if (!parts) return std::nullopt;
  const auto many = find(parts->first);
  if (!many || many->kind != Symbol::Kind::registers || parts->second >= many->count) return std::nullopt;
  out.index = many->index + parts->second;
  return out;
}

void Reader::read_instruction(Grammar::InstructionContext* context) {
  if (function_->instructions.size() >= most_instructions) refuse(context->getStart(), "a function is too long");
  Instruction instruction;
  const antlr4::Token* token = context->opcode;
  instruction.line = static_cast<std::uint32_t>(token->getLine());
  instruction.place = place_;
  instruction.opcode = text_of(token);
  std::string_view rest = instruction.opcode;
  const auto first_dot = std::min(rest.find('.'), rest.size());
  instruction.name = rest.substr(0, first_dot);
  if (!is_opcode(instruction.name))
    refuse(token, fmt::format("there is no instruction `{}`", instruction.name.substr(0, 60)));
  for (rest = rest.substr(first_dot); !rest.empty();) {
    const auto end = std::min(rest.find('.', 1), rest.size());
    const std::string_view part = rest.substr(1, end - 1);
    if (!is_modifier(part))
      refuse(token,
             fmt::format("`.{}` in `{}` is no modifier of an instruction", part, instruction.opcode.substr(0, 100)));
    instruction.parts.push_back(part);
    rest.remove_prefix(end);
  }
  const auto names = context->NAME();
  const antlr4::Token* start = context->getStart();
  if (text_of(start) == "@") {
    const antlr4::Token* name = names.front()->getSymbol();
    const auto guard = register_named(text_of(name));
    if (!guard || function_->registers[guard->index].type != Type::pred)
      refuse(name, fmt::format("`{}` is no register of type `.pred`", text_of(name)));
    instruction.guard = Guard{guard->index, context->children[1]->getText() == "!"};
  }
  // Operands may add children to the function, and labels are resolved by the instruction's number.
  function_->instructions.push_back(std::move(instruction));
  for (Grammar::OperandContext* operand : context->operand()) {
    Operand made = read_operand(operand, function_->instructions.back());
    function_->instructions.back().operands.push_back(made);
  }
}

Operand Reader::read_operand(Grammar::OperandContext* context, Instruction& instruction) {
  const auto simple = context->simple();
  if (!simple.empty()) {
    Operand first = read_simple(simple[0], instruction);
    if (simple.size() == 1) return first;
    Operand second = read_simple(simple[1], instruction);
    Operand pair;
    pair.kind = Operand::Kind::pair;
    pair.first = static_cast<std::uint32_t>(function_->children.size());
    pair.count = 2;
    function_->children.push_back(first);
    function_->children.push_back(second);
    return pair;
  }
  std::vector<Operand> children;
  for (Grammar::OperandContext* child : context->operand()) children.push_back(read_operand(child, instruction));
  Operand out;
  const char bracket = text_of(context->getStart())[0];
  out.kind = bracket == '{' ? Operand::Kind::list : bracket == '(' ? Operand::Kind::group : Operand::Kind::address;
  if (out.kind == Operand::Kind::address) {
    const Operand::Kind kind = children[0].kind;
    if (kind != Operand::Kind::reg && kind != Operand::Kind::variable && kind != Operand::Kind::number)
      refuse(context->getStart(), "an address is a register, a variable or a number, with or without an offset");
  }
  out.first = static_cast<std::uint32_t>(function_->children.size());
  out.count = static_cast<std::uint32_t>(children.size());
  function_->children.insert(function_->children.end(), children.begin(), children.end());
  return out;
}

Operand Reader::number_operand(const antlr4::Token* token, bool negative) const {
  Operand out;
  out.kind = Operand::Kind::number;
  const std::string_view text = text_of(token);
  const char mark = text.size() > 2 && text[0] == '0' ? text[1] : ' ';
  const bool single = mark == 'f' || mark == 'F', wide = mark == 'd' || mark == 'D';
  if (single || wide) {
    const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), out.bits, 16);
    const std::size_t digits = single ? 8 : 16;
    if (error != std::errc{} || end != text.data() + text.size() || text.size() != digits + 2)
      refuse(token, fmt::format("`{}` has not {} hexadecimal digits", text.substr(0, 60), digits));
    out.real = true;
    out.real_bits = single ? 32 : 64;
    if (negative) out.bits ^= std::uint64_t{1} << (out.real_bits - 1);
    return out;
  }
  if (text.find('.') != std::string_view::npos ||
      (text.find_first_of("xX") == std::string_view::npos && text.find_first_of("eE") != std::string_view::npos)) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
      refuse(token, fmt::format("`{}` is no number", text.substr(0, 60)));
    if (negative) value = -value;
    out.real = true;
    out.real_bits = 64;
    std::memcpy(&out.bits, &value, 8);
    return out;
  }
  out.bits = integer(token);
  if (negative) out.bits = 0 - out.bits;
  return out;
}

Operand Reader::read_simple(Grammar::SimpleContext* context, Instruction& instruction) {
  const antlr4::Token* start = context->getStart();
  const std::string_view first = text_of(start);
  if (first == "!") {
    const antlr4::Token* name = context->NAME()->getSymbol();
    auto reg = register_named(text_of(name));
    if (!reg || function_->registers[reg->index].type != Type::pred)
      refuse(name, fmt::format("`{}` is no register of type `.pred`", text_of(name)));
    reg->negated = true;
    return *reg;
  }
  if (context->NAME() == nullptr && context->OPCODE() == nullptr)
    return number_operand(context->NUMBER(0)->getSymbol(), first == "-");
  Operand out = read_name(context, instruction);
  const auto offsets = context->NUMBER();
  if (offsets.empty()) return out;
  if (out.kind != Operand::Kind::reg && out.kind != Operand::Kind::variable)
    refuse(start, fmt::format("`{}` takes no offset", first));
  bool minus = false;
  for (auto* child : context->children) {
    auto* node = dynamic_cast<antlr4::tree::TerminalNode*>(child);
    const std::string_view word = text_of(node->getSymbol());
    if (word == "-") minus = !minus;
    else if (word == "+") minus = false;
    if (node->getSymbol()->getType() != Grammar::NUMBER) continue;
    const std::uint64_t offset = integer(node->getSymbol());
    out.bits += minus ? 0 - offset : offset;
    minus = false;
  }
  return out;
}

Operand Reader::read_name(Grammar::SimpleContext* context, Instruction& instruction) {
  auto* node = context->NAME() != nullptr ? context->NAME() : context->OPCODE();
  const antlr4::Token* token = node->getSymbol();
  const std::string_view name = text_of(token);
  Operand out;
  if (name == "_") {
    out.kind = Operand::Kind::sink;
    return out;
  }
  if (auto reg = register_named(name)) return *reg;
  // Video instructions choose bytes and half-words of a register.
  if (const auto dot = name.rfind('.');
      dot != std::string_view::npos && register_named(name.substr(0, dot)) && !special_named(name))
    refuse(token, fmt::format("`{}` chooses bytes of a register by `{}`, which the emulator does not know",
                              instruction.opcode.substr(0, 100), name.substr(0, 100)));
  if (name[0] == '%') {
    const auto special = special_named(name);
    if (!special)
      refuse(token, fmt::format("`{}` is no register that is declared here, and no special register", name));
    out.kind = Operand::Kind::special;
    out.index = static_cast<std::uint32_t>(*special);
    return out;
  }
  if (const auto symbol = find(name); symbol && symbol->kind == Symbol::Kind::variable) {
    out.kind = Operand::Kind::variable;
    out.index = symbol->index;
    return out;
  }
  if (name == "WARP_SZ") {
    out.kind = Operand::Kind::number;
    out.bits = 32;
    return out;
  }
  if (instruction.name == "bra" || instruction.name == "brx") return label_operand(token, instruction);
  if (const auto global = globals_.find(name); global != globals_.end()) {
    out.kind = Operand::Kind::variable;
    out.index = global->second;
    return out;
  }
  if (const auto function = functions_.find(name); function != functions_.end()) {
    out.kind = Operand::Kind::function;
    out.index = function->second;
    return out;
  }
  if (instruction.name == "call") {  // the prototype of an indirect call
    out.kind = Operand::Kind::sink;
    return out;
  }
  refuse(token, fmt::format("`{}` is not declared", name.substr(0, 100)));
}

Operand Reader::label_operand(const antlr4::Token* token, Instruction& instruction) {
  Operand out;
  out.kind = Operand::Kind::label;
  pending_.push_back({scope_, text_of(token), token, function_->instructions.size() - 1, instruction.operands.size()});
  return out;
}

void Reader::resolve_labels() {
  const auto look_up = [&](std::size_t scope, std::string_view name) -> std::optional<std::uint32_t> {
    for (std::optional<std::size_t> at = scope; at; at = scopes_[*at].around) {
      const auto found = scopes_[*at].labels.find(name);
      if (found != scopes_[*at].labels.end()) return found->second;
    }
    return std::nullopt;
  };
  for (const Pending& pending : pending_) {
    Operand& operand = function_->instructions[pending.instruction].operands[pending.operand];
    if (const auto label = look_up(pending.scope, pending.name)) {
      operand.index = *label;
      continue;
    }
    bool found = false;
    for (std::optional<std::size_t> at = pending.scope; at && !found; at = scopes_[*at].around) {
      const auto list = scopes_[*at].targets.find(pending.name);
      found = list != scopes_[*at].targets.end();
      if (found) operand.index = list->second;
    }
    if (!found) refuse(pending.token, fmt::format("there is no label `{}`", pending.name.substr(0, 100)));
    operand.kind = Operand::Kind::targets;
  }
  for (const PendingTargets& list : pending_targets_) {
    for (const antlr4::Token* token : list.names) {
      const auto label = look_up(list.scope, text_of(token));
      if (!label) refuse(token, fmt::format("there is no label `{}`", text_of(token)));
      function_->targets[list.list].push_back(*label);
    }
  }
}

}  // namespace reckon::ptx
