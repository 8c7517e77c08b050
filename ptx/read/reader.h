// The state of reading one file: what is declared, and where an operand's name is looked up. The sources beside this
// one each define a part of it.
#pragma once

#include <PtxLexer.h>
#include <PtxParser.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/read/read.h"

namespace reckon::ptx {

using Grammar = grammar::PtxParser;

/// What is wrong with a token.
Mistake mistake_at(const antlr4::Token* token, std::string message);

/// Thrown inside of the reader alone, as ANTLR throws, and caught by `read`.
struct Refusal {
  Mistake mistake;
};

class Reader {
 public:
  explicit Reader(Module& module) : module_(module) {}
  void read_module(Grammar::ModuleContext* context);

 private:
  /// What a name means in a body. Names of numbered registers (`%r<100>`) are found by their prefix.
  struct Symbol {
    enum class Kind : std::uint8_t { reg, registers, variable } kind{};
    std::uint32_t index = 0;
    std::uint32_t count = 0;  ///< of registers
  };
  struct Scope {
    std::unordered_map<std::string_view, Symbol> symbols;
    std::unordered_map<std::string_view, std::uint32_t> labels;   ///< to the instruction that follows
    std::unordered_map<std::string_view, std::uint32_t> targets;  ///< labels of `.branchtargets`
    std::optional<std::size_t> around;
  };
  /// A label or a list of targets that an operand names before the scope is read to its end.
  struct Pending {
    std::size_t scope;
    std::string_view name;
    const antlr4::Token* token;
    std::size_t instruction, operand;
  };
  struct PendingTargets {
    std::size_t scope;
    std::uint32_t list;
    std::vector<const antlr4::Token*> names;
  };

  [[noreturn]] void refuse(const antlr4::Token* token, std::string message) const;
  std::string_view text_of(const antlr4::Token* token) const;

  // declarations.cpp
  void read_item(Grammar::ItemContext* item);
  void read_variables(Grammar::VariableContext* context, bool is_extern, bool in_body);
  void declare_variable(Variable variable, const antlr4::Token* token, bool in_body);
  void read_initial(Grammar::InitialContext* initial, Variable& variable, std::uint64_t& element);
  Variable read_parameter(Grammar::ParameterContext* context);
  Function::Parameter add_parameter(Grammar::ParameterContext* context);
  void read_function(Grammar::FunctionContext* context);
  void read_attributes(Grammar::FunctionContext* context);
  void read_location(Grammar::LocationContext* context);
  std::uint64_t integer(const antlr4::Token* token) const;
  Space space_of(const antlr4::Token* token) const;
  void set_extents(Variable& variable, const std::vector<Grammar::ExtentContext*>& extents);
  void set_modifiers(Variable& variable, const std::vector<Grammar::ModifierContext*>& modifiers,
                     const antlr4::Token* token);

  // statements.cpp
  void read_body(Grammar::BodyContext* body);
  void read_statement(Grammar::StatementContext* statement);
  void read_registers(Grammar::StatementContext* statement);
  void add_register(const antlr4::Token* token, Type type, std::optional<std::uint32_t> count);
  void read_instruction(Grammar::InstructionContext* context);
  Operand read_operand(Grammar::OperandContext* context, Instruction& instruction);
  Operand read_simple(Grammar::SimpleContext* context, Instruction& instruction);
  Operand read_name(Grammar::SimpleContext* context, Instruction& instruction);
  Operand number_operand(const antlr4::Token* token, bool negative) const;
  std::optional<Symbol> find(std::string_view name) const;
  std::optional<Operand> register_named(std::string_view name) const;
  Operand label_operand(const antlr4::Token* token, Instruction& instruction);
  void resolve_labels();
  void take_targets(Grammar::StatementContext* statement);

  Module& module_;
  std::unordered_map<std::string_view, std::uint32_t> globals_, functions_;
  Function* function_ = nullptr;
  std::vector<Scope> scopes_;  ///< of the function; the first is its own
  std::size_t scope_ = 0;
  std::vector<Pending> pending_;
  std::vector<PendingTargets> pending_targets_;
  const antlr4::Token* last_label_ = nullptr;
  std::uint32_t place_ = 0;
  /// The outermost callers of places that were put in place, by file, line and column.
  std::map<std::array<std::uint32_t, 3>, std::uint32_t> in_place_;
};

}  // namespace reckon::ptx
