#include "kernel/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "ir/printer.h"
#include "numerics/format.h"

namespace reckon::kernel {
namespace {

/// The type of a memory's elements, and their form.
std::string element_text(Type memory) {
  static constexpr std::string_view forms[] = {" given", " kept", ""};
  return type_text(memory.element_type()) + std::string(forms[static_cast<std::size_t>(memory.form)]);
}

constexpr std::size_t line_width = 120;

void append(std::string& list, std::string_view item) {
  if (!list.empty()) list += ", ";
  list += item;
}

/// Whether a parameter of this name can be written by it.
bool is_word(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto allowed = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && letter(name[0]) && std::all_of(name.begin(), name.end(), allowed) && name != "true" &&
         name != "false";
}

std::string pattern_text(ir::Scalar scalar, std::uint64_t bits) {
  const std::string digits = ir::is_float(scalar) ? numerics::bit_digits(bits, ir::format_of(scalar))
                                                  : fmt::format("{:0{}x}", bits, 2 * ir::byte_width(scalar));
  return fmt::format("{}#{}", ir::scalar_name(scalar), digits);
}

std::string constant_text(const Program& program, const Constant& constant) {
  const std::string_view scalar = ir::scalar_name(constant.type.scalar);
  switch (constant.kind) {
    case Constant::Kind::integer:
      if (constant.type.kind == Kind::flag) return constant.value ? "true" : "false";
      return std::to_string(static_cast<std::int64_t>(constant.value));
    case Constant::Kind::zero: return fmt::format("zero({})", type_text(constant.type));
    case Constant::Kind::bits: return fmt::format("rounded({})", pattern_text(constant.type.scalar, constant.value));
    case Constant::Kind::neutral: return fmt::format("neutral({})", scalar);
    case Constant::Kind::literal: break;
  }
  if (constant.value >= program.literals.size()) return "%?";
  const std::string literal = ir::literal_text(program.literals[constant.value], constant.type.scalar);
  return constant.type.scalar == ir::Scalar::boolean ? fmt::format("{}({})", scalar, literal) : literal;
}

/// The function's name, with its number where others have the same name.
std::string label_text(const Program& program, std::size_t number) {
  if (number >= program.functions.size()) return fmt::format("@{}", number);
  const std::string& name = program.functions[number].name;
  const auto same = std::count_if(program.functions.begin(), program.functions.end(),
                                  [&](const Function& each) { return each.name == name; });
  std::string out = is_word(name) ? name : ir::quoted_text(name);
  if (same > 1) out += fmt::format(" @{}", number);
  return out;
}

class FunctionPrinter {
 public:
  FunctionPrinter(const Program& program, const Function& function) : program_(program), function_(function) {
    for (const Parameter& parameter : function.parameters) {
      const auto same = std::count_if(function.parameters.begin(), function.parameters.end(),
                                      [&](const Parameter& each) { return each.name == parameter.name; });
      if (is_word(parameter.name) && same == 1) {
        names_[parameter.value.id] = parameter.name;
      } else {
        number(parameter.value);
      }
    }
    number(function.body);
  }

  std::string text() {
    out_ = header();
    write(function_.body, "");
    return out_ + "\n";
  }

  std::string line(const Operation& operation) {
    out_ = results(operation);
    write_head(operation);
    return std::move(out_);
  }

 private:
  // ------------------------------------------------------------------------------------------------------ numbers

  void number(Value value) { names_.try_emplace(value.id, fmt::format("%{}", next_++)); }

  void number(const Region& region) {
    for (const std::uint32_t each : region.operations) {
      const Operation& operation = program_.operations[each];
      for (std::uint32_t k = 0; k < operation.results; ++k) number(operation.result(k));
      for (const Region& inside : operation.regions) {
        for (const Value parameter : inside.parameters) number(parameter);
        number(inside);
      }
    }
  }

  std::string operand(Value value) const {
    if (value.id >= program_.types.size()) return "%?";
    if (const Constant* constant = program_.as_constant(value)) return constant_text(program_, *constant);
    const auto found = names_.find(value.id);
    return found != names_.end() ? found->second : "%?";
  }

  template <class Range>
  std::string list(const Range& values) const {
    std::string out;
    for (const Value value : values) append(out, operand(value));
    return out;
  }

  std::string list(const Values& values, std::size_t first) const {
    return list(Values(values.begin() + static_cast<std::ptrdiff_t>(first), values.end()));
  }

  std::string types(const Values& values) const {
    std::string out;
    for (const Value value : values) {
      append(out, value.id < program_.types.size() ? type_text(program_.type(value)) : "?");
    }
    return out;
  }

  // -------------------------------------------------------------------------------------------------------- texts

  std::string header() const {
    const auto same = [&](const Function& each) { return &each == &function_; };
    const auto found = std::find_if(program_.functions.begin(), program_.functions.end(), same);
    std::string out = function_.is_kernel ? "kernel " : "function ";
    out += label_text(program_, static_cast<std::size_t>(found - program_.functions.begin())) + "(";
    std::string end = ")";
    if (!function_.body.yields.empty()) end += " -> " + types(function_.body.yields);
    if (function_.threads != 0) end += fmt::format(" threads {}", function_.threads);
    if (function_.blocks != 0) end += fmt::format(" blocks {}", function_.blocks);
    end += " ";
    std::string in_line, by_line;
    for (const Parameter& parameter : function_.parameters) {
      const std::string text = parameter_text(parameter);
      append(in_line, text);
      by_line += (by_line.empty() ? "\n    " : ",\n    ") + text;
    }
    return out + (out.size() + in_line.size() + end.size() < line_width ? in_line : by_line) + end;
  }

  std::string parameter_text(const Parameter& parameter) const {
    std::string out = operand(parameter.value);
    if (out.starts_with('%') && !parameter.name.empty()) out += " " + ir::quoted_text(parameter.name);
    out += ": " + types({parameter.value});
    if (parameter.changes) out += " changes";
    return out;
  }

  std::string results(const Operation& operation) const {
    std::string out;
    for (std::uint32_t k = 0; k < operation.results; ++k) append(out, operand(operation.result(k)));
    return out.empty() ? out : out + " = ";
  }

  static std::string marks(const Operation& operation) {
    std::string list;
    if (operation.fits != Fits::unknown) append(list, operation.fits == Fits::always ? "fits" : "fits signed");
    if (operation.op == Op::apply && operation.number != 0) append(list, "joins");
    if (operation.stream != Stream::none) append(list, operation.stream == Stream::once ? "once" : "beside results");
    if (!operation.unroll) append(list, "no unroll");
    std::string out;
    if (operation.site.valid()) out += fmt::format(" @{}", operation.site.index);
    return list.empty() ? out : out + " [" + list + "]";
  }

  /// `{ ... }`, after a space.
  void write(const Region& region, const std::string& indent) {
    out_ += "{\n";
    const std::string inner = indent + "  ";
    for (const std::uint32_t each : region.operations) {
      const Operation& operation = program_.operations[each];
      out_ += inner + results(operation);
      write_head(operation);
      write_regions(operation, inner);
      out_ += "\n";
    }
    if (!region.yields.empty()) out_ += inner + "yield " + list(region.yields) + "\n";
    out_ += indent + "}";
  }

  void write_regions(const Operation& operation, const std::string& indent) {
    for (std::size_t k = 0; k < operation.regions.size(); ++k) {
      const Region& region = operation.regions[k];
      out_ += " ";
      if (k == 1 && operation.op == Op::branch) {
        if (region.operations.empty() && region.yields.empty()) {
          out_.pop_back();
          continue;
        }
        out_ += "else ";
      }
      if (operation.op == Op::mma_rows && k > 0) {
        out_ += k + 1 == operation.regions.size() ? "end " : k % 2 == 1 ? "pass " : "tile ";
        out_ += list(region.parameters) + " ";
      }
      if (k == 1 && (operation.op == Op::while_loop || operation.op == Op::mma_tiles)) {
        out_ += region.parameters.empty() ? "do " : "do " + list(region.parameters) + " ";
      }
      write(region, indent);
    }
  }

  /// All but the results and regions.
  void write_head(const Operation& operation) {
    if (operation.op == Op::loop || operation.op == Op::while_loop) {
      write_loop(operation);
    } else if (operation.op == Op::chains) {
      write_chains(operation);
    } else if (operation.op == Op::mma_tiles) {
      write_mma_tiles(operation);
    } else if (operation.op == Op::mma_rows) {
      write_mma_rows(operation);
    } else if (operation.op != Op::apply) {
      out_ += spelling(operation.op);
      out_ += rest(operation);
    } else {
      out_ += number_operation(operation);
      const ir::Scalar to = has_result(operation) ? program_.type(operation.result()).scalar : operation.from;
      if (to != operation.from) out_ += fmt::format(".to.{}", ir::scalar_name(to));
      out_ += " " + list(operation.operands);
    }
    out_ += marks(operation);
  }

  bool has_result(const Operation& operation) const {
    return operation.results == 1 && operation.first_result < program_.types.size();
  }

  bool has_results(const Operation& operation) const {
    return operation.results > 0 && operation.first_result < program_.types.size();
  }

  static std::string number_operation(const Operation& operation) {
    return fmt::format("{}.{}", ir::traits(operation.number_op).spelling, ir::scalar_name(operation.from));
  }

  void write_loop(const Operation& operation) {
    out_ += spelling(operation.op);
    const bool counted = operation.op == Op::loop;
    const std::size_t before = counted ? 3 : 0, bound = counted ? 1 : 0;
    const Values& operands = operation.operands;
    if (operation.regions.empty() || operands.size() < before ||
        operation.regions[0].parameters.size() - bound != operands.size() - before) {
      out_ += " " + list(operands);
      return;
    }
    const Values& parameters = operation.regions[0].parameters;
    if (counted) {
      out_ += fmt::format(" {} = {} to {} step {}", operand(parameters[0]), operand(operands[0]), operand(operands[1]),
                          operand(operands[2]));
    }
    std::string carried;
    for (std::size_t k = before; k < operands.size(); ++k) {
      append(carried, operand(parameters[k - before + bound]) + " = " + operand(operands[k]));
    }
    if (!carried.empty()) out_ += " carry " + carried;
  }

  void write_chains(const Operation& operation) {
    out_ += spelling(operation.op);
    const auto number = static_cast<std::size_t>(operation.number);
    if (number >= program_.chains.size() || operation.regions.empty() ||
        operation.operands.size() != program_.chains[number].operands() ||
        operation.regions[0].parameters.size() != 1 + program_.chains[number].arrays()) {
      out_ += " " + list(operation.operands);
      return;
    }
    const Chains& chains = program_.chains[number];
    const Values &operands = operation.operands, &parameters = operation.regions[0].parameters;
    out_ += fmt::format(" {} by {} lanes {} {} = {} to {}", chains.rows, chains.columns, chains.lanes,
                        operand(parameters[0]), operand(operands[0]), operand(operands[1]));
    std::size_t next = 0;
    const auto array = [&] {
      const std::size_t k = next++;
      return fmt::format("{} = {}[{}]", operand(parameters[1 + k]), operand(operands[2 + 2 * k]),
                         operand(operands[3 + 2 * k]));
    };
    std::string sums, rows, columns;
    for (std::size_t k = 0; k < chains.sums; ++k) append(sums, array());
    for (const Chains::Factor& each : chains.of_rows)
      append(rows, array() + fmt::format(" leaf {} row {}", each.leaf, each.row));
    for (const std::int64_t leaf : chains.of_columns) append(columns, array() + fmt::format(" leaf {}", leaf));
    out_ += fmt::format(" sums {} pitch {} rows {} columns {}", sums, chains.pitch, rows, columns);
  }

  void write_mma_tiles(const Operation& operation) {
    out_ += spelling(operation.op);
    const auto number = static_cast<std::size_t>(operation.number);
    if (number >= program_.mma_tiles.size() || operation.regions.empty() || operation.regions[0].parameters.empty() ||
        operation.operands.size() != MmaOperands::count(program_.mma_tiles[number])) {
      out_ += " " + list(operation.operands);
      return;
    }
    const MmaTiles& tiles = program_.mma_tiles[number];
    const MmaOperands operands(operation, tiles);
    out_ += fmt::format(" {} {} {}{} {} by {} stages {} in {} leaves {} {} = {} to {} step {}",
                        numerics::mma_model_names[static_cast<std::size_t>(tiles.unit.model)],
                        ir::scalar_name(ir::scalar_of(*tiles.unit.operand)),
                        ir::scalar_name(ir::scalar_of(*tiles.unit.accumulator)), tiles.by_warps ? " warps" : "",
                        tiles.rows, tiles.columns, tiles.stages, operand(operands.room), operand(operands.leaves),
                        operand(operation.regions[0].parameters[0]), operand(operands.first), operand(operands.limit),
                        operand(operands.step));
    out_ += " x " + factor(tiles.x, operands.x) + " y " + factor(tiles.y, operands.y);
  }

  void write_mma_rows(const Operation& operation) {
    out_ += spelling(operation.op);
    const auto number = static_cast<std::size_t>(operation.number);
    if (number >= program_.mma_rows.size() || operation.regions.empty() || operation.regions[0].parameters.empty() ||
        operation.operands.size() != MmaRowsOperands::count(program_.mma_rows[number])) {
      out_ += " " + list(operation.operands);
      return;
    }
    const MmaRows& rows = program_.mma_rows[number];
    const MmaRowsOperands operands(operation, rows);
    out_ += fmt::format(" {} {} {} @{} {} by {} leaves {} width {} slots {} in {} {} = {} to {} step {}",
                        numerics::mma_model_names[static_cast<std::size_t>(rows.unit.model)],
                        ir::scalar_name(ir::scalar_of(*rows.unit.operand)),
                        ir::scalar_name(ir::scalar_of(*rows.unit.accumulator)), rows.first.index, rows.rows,
                        rows.columns, rows.leaves, rows.width, rows.slots, operand(operands.room),
                        operand(operation.regions[0].parameters[0]), operand(operands.first), operand(operands.limit),
                        operand(operands.step));
    out_ +=
        " x " + factor(rows.x, operands.x) + " y " + factor(rows.y, operands.y) + " z " + factor(rows.z, operands.z);
  }

  std::string factor(const MmaFactor& shape, const MmaOperands::Factor& of) const {
    const std::string copy = shape.has_copy ? fmt::format(" or {} if {}", operand(of.copy), operand(of.copied)) : "";
    return fmt::format("{}{} leaf {} side {} map {} extents {}{}{}", operand(of.memory), copy, shape.of_leaf,
                       shape.of_side, shape.map, list(of.extents), of.strides.empty() ? "" : " strides ",
                       list(of.strides));
  }

  /// What stands after the name of an operation.
  std::string rest(const Operation& operation) const {
    const Values& operands = operation.operands;
    const std::string all = operands.empty() ? "" : " " + list(operands);
    const auto element = [&] {
      const std::int64_t more = operation.offset;
      const std::string further = more == 0 ? "" : fmt::format(" {} {}", more < 0 ? '-' : '+', more < 0 ? -more : more);
      return " " + operand(operands[0]) + "[" + operand(operands[1]) + further + "]";
    };
    const auto result = [&] { return has_results(operation) ? program_.type(operation.result()) : Type::index(); };
    switch (operation.op) {
      case Op::apply_rounded:
        return fmt::format(" {}.to.{}{}", number_operation(operation), ir::scalar_name(result().scalar), all);
      case Op::from_index: return all + " : " + type_text(result());
      case Op::fault: return fmt::format(" {} {}({})", operation.number, number_operation(operation), list(operands));
      case Op::table: return " " + table(operation.number);
      case Op::stack: return fmt::format(" {} : {}", operation.number, type_text(result().element_type()));
      case Op::shared: return fmt::format(" {} at {} : {}", operation.number, operation.offset, element_text(result()));
      case Op::bounded_index:
      case Op::clear:
      case Op::shuffle_xor: return all + fmt::format(", {}", operation.number);
      case Op::load:
      case Op::load_vector: return operands.size() == 2 ? element() : all;
      case Op::store:
      case Op::store_vector: return operands.size() > 2 ? element() + " = " + list(operands, 2) : all;
      case Op::look_up: return operands.size() == 2 ? element() + " : " + type_text(result()) : all;
      case Op::atomic_add:
      case Op::publish:
      case Op::ticket:
      case Op::arrive: return operands.size() == 3 ? element() + ", " + operand(operands[2]) : all;
      case Op::call: {
        std::string out = " " + label_text(program_, static_cast<std::size_t>(operation.number));
        out += "(" + list(operands) + ")";
        Values made;
        for (std::uint32_t k = 0; k < operation.results; ++k) made.push_back(operation.result(k));
        return made.empty() ? out : out + " : " + types(made);
      }
      default: return all;
    }
  }

  /// The elements, in several lines because there may be thousands.
  std::string table(std::int64_t which) const {
    if (static_cast<std::size_t>(which) >= program_.tables.size()) return "[?]";
    std::string out = "[";
    std::size_t line = 0;
    for (const std::int64_t element : program_.tables[static_cast<std::size_t>(which)]) {
      const std::string text = std::to_string(element);
      if (out.size() > 1) out += ",";
      if (out.size() - line + text.size() > line_width - 20) {
        out += "\n   ";
        line = out.size();
      }
      if (out.size() > 1) out += " ";
      out += text;
    }
    return out + "]";
  }

  const Program& program_;
  const Function& function_;
  std::unordered_map<std::uint32_t, std::string> names_;
  int next_ = 0;
  std::string out_;
};

std::string widths_text(const Widths& widths) {
  std::string out;
  for (std::size_t k = 0; k < Widths::scalars; ++k) {
    const int given = widths.given[k], kept = widths.kept[k], registers = widths.registers[k];
    if (given == 0 && kept == 0 && registers == 0) continue;
    const std::string_view name = ir::scalar_name(static_cast<ir::Scalar>(k));
    append(out, given == kept && kept == registers ? fmt::format("{} {}", name, given)
                                                   : fmt::format("{} {}/{}/{}", name, given, kept, registers));
  }
  return out.empty() ? out : "widths " + out + "\n";
}

}  // namespace

std::string type_text(Type type) {
  static constexpr std::string_view spaces[] = {"global", "shared", "local"};
  switch (type.kind) {
    case Kind::number: return std::string(ir::scalar_name(type.scalar));
    case Kind::index: return "index";
    case Kind::flag: return "flag";
    case Kind::divisor: return fmt::format("divisor {}", ir::scalar_name(type.scalar));
    case Kind::sizes: return fmt::format("sizes {}", ir::scalar_name(type.scalar));
    case Kind::memory: break;
  }
  return fmt::format("{} {}", spaces[static_cast<std::size_t>(type.space)], element_text(type));
}

std::string print(const Program& program) {
  std::string out = widths_text(program.widths);
  for (const Function& function : program.functions) {
    if (!out.empty()) out += "\n";
    out += FunctionPrinter(program, function).text();
  }
  return out;
}

std::string print(const Program& program, const Function& function) {
  return FunctionPrinter(program, function).text();
}

std::string operation_text(const Program& program, const Function& function, std::uint32_t operation) {
  return FunctionPrinter(program, function).line(program.operations[operation]);
}

}  // namespace reckon::kernel
