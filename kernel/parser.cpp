#include "kernel/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "ir/token_reader.h"
#include "kernel/builder.h"
#include "kernel/printer.h"

namespace reckon::kernel {
namespace {

using ir::detail::Token;

std::optional<Op> op_named(std::string_view text) {
  for (int k = 0; k <= static_cast<int>(Op::call); ++k) {
    if (spelling(static_cast<Op>(k)) == text) return static_cast<Op>(k);
  }
  return std::nullopt;
}

/// Operations whose text is their name alone.
bool stands_alone(Op op) {
  switch (op) {
    case Op::thread:
    case Op::threads:
    case Op::block:
    case Op::blocks:
    case Op::barrier:
    case Op::warp_barrier:
    case Op::launch_next: return true;
    default: return false;
  }
}

class KernelParser : public ir::detail::TokenReader {
 public:
  using TokenReader::TokenReader;

  Program program() {
    if (accept("widths")) widths();
    while (!error && token().kind != Kind::end) function();
    for (const Call& call : calls_) {
      if (!error) resolve(call);
    }
    return std::move(program_);
  }

 private:
  using Kind = Token::Kind;

  // ---------------------------------------------------------------------------------------------------- functions

  void widths() {
    do {
      const auto of = scalar();
      if (!of) return;
      const auto which = static_cast<std::size_t>(*of);
      const auto given = byte();
      if (!given) return;
      program_.widths.given[which] = program_.widths.kept[which] = program_.widths.registers[which] = *given;
      if (!accept("/")) continue;
      const auto kept = byte();
      if (!kept || !expect("/")) return;
      const auto registers = byte();
      if (!registers) return;
      program_.widths.kept[which] = *kept;
      program_.widths.registers[which] = *registers;
    } while (accept(","));
  }

  std::optional<std::uint8_t> byte() {
    const Token place = token();
    const auto out = integer();
    if (!out) return std::nullopt;
    if (*out > 255) return mistake(place, "a number has at most 255 bytes");
    return static_cast<std::uint8_t>(*out);
  }

  void function() {
    const bool is_kernel = accept("kernel");
    if (!is_kernel && !expect("function")) return;
    const std::size_t number = program_.functions.size();
    Function& made = program_.functions.emplace_back();
    made.is_kernel = is_kernel;
    values_.clear();
    const Token place = token();
    const auto wanted = name();
    if (!wanted) return;
    made.name = *wanted;
    if (accept("@")) {
      const auto said = integer();
      if (!said) return;
      if (static_cast<std::size_t>(*said) != number) {
        mistake(place, fmt::format("this is function {} of the program", number));
        return;
      }
    }
    if (!parameters(made, static_cast<std::uint32_t>(number))) return;
    std::vector<Type> results;
    const Token arrow = token();
    if (accept("->") && !types(results)) return;
    if (accept("threads") && !assign(made.threads)) return;
    if (accept("blocks") && !assign(made.blocks)) return;
    if (!block(made.body)) return;
    const auto of = [&](Value value) { return program_.type(value); };
    if (!std::equal(results.begin(), results.end(), made.body.yields.begin(), made.body.yields.end(),
                    [&](const Type& type, Value value) { return type == of(value); })) {
      mistake(arrow, "the function yields other types than it says");
    }
  }

  bool assign(std::int64_t& out) {
    const auto value = integer(accept("-"));
    if (value) out = *value;
    return value.has_value();
  }

  bool parameters(Function& function, std::uint32_t number) {
    if (!expect("(")) return false;
    while (!at(")")) {
      if (!function.parameters.empty() && !expect(",")) return false;
      const Token place = token();
      std::string key, name;
      if (place.kind == Kind::variable) {
        key = take().text;
        if (token().kind == Kind::string) name = ir::detail::unquote(take().text);
      } else {
        const auto word = this->name();
        if (!word) return false;
        key = name = *word;
      }
      if (!expect(":")) return false;
      const auto of = type();
      if (!of) return false;
      const Value value = program_.fresh(*of, {Program::Definition::Kind::parameter, number});
      if (!bind(place, key, value)) return false;
      function.parameters.push_back({name, value, accept("changes")});
    }
    return expect(")");
  }

  bool bind(const Token& place, const std::string& name, Value value) {
    if (values_.try_emplace(name, value).second) return true;
    mistake(place, fmt::format("`{}` has a value already", name));
    return false;
  }

  std::optional<ir::Scalar> scalar() {
    const auto out = token().kind == Kind::name ? ir::scalar_named(token().text) : std::nullopt;
    if (!out) return fail("a number type");
    take();
    return out;
  }

  std::optional<Type> type() {
    static constexpr std::string_view spaces[] = {"global", "shared", "local"};
    for (std::size_t k = 0; k < std::size(spaces); ++k) {
      if (!accept(spaces[k])) continue;
      const auto element = accept("index") ? Type::index() : accept("flag") ? Type::flag() : number_type();
      if (!element) return std::nullopt;
      return Type::memory(static_cast<Space>(k), *element, form());
    }
    if (accept("index")) return Type::index();
    if (accept("flag")) return Type::flag();
    const bool divisor = accept("divisor");
    const bool sizes = !divisor && accept("sizes");
    auto out = number_type();
    if (out && divisor) out->kind = kernel::Kind::divisor;
    if (out && sizes) out->kind = kernel::Kind::sizes;
    return out;
  }

  std::optional<Type> number_type() {
    const auto out = scalar();
    if (!out) return std::nullopt;
    return Type::number(*out);
  }

  bool types(std::vector<Type>& out) {
    do {
      const auto each = type();
      if (!each) return false;
      out.push_back(*each);
    } while (accept(","));
    return true;
  }

  // --------------------------------------------------------------------------------------------------- statements

  /// `{ ... }`
  bool block(Region& out) {
    const Nesting nesting(*this);
    if (!nesting || !expect("{")) return false;
    while (!at("}") && !at("yield")) {
      const auto made = statement();
      if (!made) return false;
      out.operations.push_back(*made);
    }
    if (accept("yield") && !operands(out.yields)) return false;
    return expect("}");
  }

  /// What is being read: an operation, and what gets its results.
  struct Statement {
    std::uint32_t number;
    std::vector<Token> names;
    Token place;
  };

  std::optional<std::uint32_t> statement() {
    Statement out;
    while (token().kind == Kind::variable) {
      out.names.push_back(take());
      if (!accept(",")) break;
    }
    if (!out.names.empty() && !expect("=")) return std::nullopt;
    out.place = token();
    if (out.place.kind != Kind::name) return fail("an operation");
    out.number = static_cast<std::uint32_t>(program_.operations.size());
    Operation& made = program_.operations.emplace_back();
    std::vector<Type> results;
    if (!operation(out, made, results) || !define(out, made, results)) return std::nullopt;
    return out.number;
  }

  /// Gives the operation its results, and the results their names.
  bool define(const Statement& statement, Operation& made, const std::vector<Type>& results) {
    if (results.size() != statement.names.size()) {
      mistake(statement.place, fmt::format("`{}` gives {} values, and {} are named", statement.place.text,
                                           results.size(), statement.names.size()));
      return false;
    }
    made.results = static_cast<std::uint32_t>(results.size());
    for (std::size_t k = 0; k < results.size(); ++k) {
      const Value value = program_.fresh(results[k], {Program::Definition::Kind::operation, statement.number});
      if (k == 0) made.first_result = value.id;
      if (!bind(statement.names[k], std::string(statement.names[k].text), value)) return false;
    }
    return true;
  }

  bool operation(const Statement& statement, Operation& made, std::vector<Type>& results) {
    const Token head = take();
    if (at(".")) {
      made.op = Op::apply;
      if (!number_operation(head, made)) return false;
      ir::Scalar to = made.from;
      if (accept(".")) {
        if (!expect("to") || !expect(".")) return false;
        const auto wanted = scalar();
        if (!wanted) return false;
        to = *wanted;
      }
      results = {Type::number(to)};
      return operands(made.operands) && marks(made);
    }
    const auto op = op_named(head.text);
    if (!op || op == Op::apply) {
      mistake(head, fmt::format("`{}` is not an operation", head.text));
      return false;
    }
    made.op = *op;
    switch (*op) {
      case Op::loop: return loop(made, results);
      case Op::while_loop: return while_loop(made, results);
      case Op::branch: return branch(made, results);
      case Op::call: return call(statement, made, results);
      case Op::chains: return chains(made);
      case Op::mma_tiles: return mma_tiles(made);
      case Op::mma_rows: return mma_rows(made);
      default: return simple(statement, made, results) && marks(made);
    }
  }

  /// `mul.f32`, whose first word has been taken.
  bool number_operation(const Token& head, Operation& made) {
    const auto op = ir::op_named(head.text);
    if (!op || !ir::is_scalar_operation(*op)) {
      mistake(head, fmt::format("`{}` is not an operation on numbers", head.text));
      return false;
    }
    if (!expect(".")) return false;
    const auto from = scalar();
    if (!from) return false;
    made.number_op = *op;
    made.from = *from;
    return true;
  }

  /// What stands after the name of an operation without regions.
  bool simple(const Statement& statement, Operation& made, std::vector<Type>& results) {
    const std::size_t count = statement.names.size();
    switch (made.op) {
      case Op::fault: return fault(made);
      case Op::apply_rounded: return apply_rounded(made, results);
      case Op::table: return table(made, results);
      case Op::stack: return assign(made.number) && memory(Space::local, results);
      case Op::shared:
        return assign(made.number) && expect("at") && assign(made.offset) && memory(Space::shared, results);
      case Op::clear: return operand(made.operands) && expect(",") && assign(made.number);
      case Op::shuffle_xor: {
        if (!operand(made.operands) || !expect(",") || !assign(made.number)) return false;
        results = {of_operand(made, 0)};
        return true;
      }
      case Op::bounded_index:
        results = {Type::index()};
        return operand(made.operands) && expect(",") && operand(made.operands) && expect(",") && assign(made.number);
      case Op::clamped_index:
        results = {Type::index()};
        return operand(made.operands) && expect(",") && operand(made.operands);
      case Op::from_index: {
        if (!operand(made.operands) || !expect(":")) return false;
        const auto of = type();
        if (of) results = {*of};
        return of.has_value();
      }
      case Op::load:
      case Op::load_vector:
        if (!element(made)) return false;
        results.assign(made.op == Op::load ? 1 : count, of_operand(made, 0).element_type());
        return true;
      case Op::store:
      case Op::store_vector: return element(made) && expect("=") && operands(made.operands);
      case Op::atomic_add: return element(made) && expect(",") && operand(made.operands);
      case Op::publish: return element(made) && expect(",") && operand(made.operands);
      case Op::look_up: {
        if (!element(made) || !expect(":")) return false;
        const auto of = type();
        if (of) results = {*of, Type::flag()};
        return of.has_value();
      }
      case Op::ticket: results = {Type::index()}; return element(made) && expect(",") && operand(made.operands);
      case Op::arrive: results = {Type::flag()}; return element(made) && expect(",") && operand(made.operands);
      case Op::await_previous:
        if (count > 0 && !operands(made.operands)) return false;
        for (std::size_t k = 0; k < made.operands.size(); ++k) results.push_back(of_operand(made, k));
        return true;
      default: break;
    }
    if (!stands_alone(made.op) && !operands(made.operands)) return false;
    if (const auto result = usual_result(made)) results = {*result};
    if (made.op == Op::peers) results.push_back(Type::index());
    if (made.op == Op::mma_f64) results.assign(count, Type::number(ir::Scalar::f64));
    if (made.op == Op::divide_quick) results.push_back({kernel::Kind::sizes, of_operand(made, 0).scalar});
    return true;
  }

  Type of_operand(const Operation& operation, std::size_t k) const {
    return k < operation.operands.size() ? program_.type(operation.operands[k]) : Type::index();
  }

  /// The type of what an operation with nothing but operands gives.
  std::optional<Type> usual_result(const Operation& made) const {
    const Type first = of_operand(made, 0);
    if (is_comparison(made.op)) return Type::flag();
    switch (made.op) {
      case Op::barrier:
      case Op::warp_barrier:
      case Op::launch_next: return std::nullopt;
      case Op::odd:
      case Op::to_flag:
      case Op::may_be_wrong:
      case Op::barrier_or: return Type::flag();
      case Op::extend:
      case Op::bits:
      case Op::thread:
      case Op::threads:
      case Op::block:
      case Op::blocks: return Type::index();
      case Op::select: return of_operand(made, 1);
      case Op::from_flag: return Type::number(ir::Scalar::boolean);
      case Op::from_bits: return Type::number(ir::Scalar::f64);
      case Op::prepare_divisor: return Type{kernel::Kind::divisor, first.scalar};
      default: return first;
    }
  }

  bool fault(Operation& made) {
    if (!assign(made.number)) return false;
    const Token head = token();
    if (head.kind != Kind::name) {
      fail("an operation on numbers");
      return false;
    }
    take();
    if (!number_operation(head, made)) return false;
    return arguments(made.operands);
  }

  bool apply_rounded(Operation& made, std::vector<Type>& results) {
    const Token head = token();
    if (head.kind != Kind::name) {
      fail("an operation on numbers");
      return false;
    }
    take();
    if (!number_operation(head, made) || !expect(".") || !expect("to") || !expect(".")) return false;
    const auto to = scalar();
    if (!to || !operands(made.operands)) return false;
    results.assign(made.operands.size(), Type::number(*to));
    return true;
  }

  bool table(Operation& made, std::vector<Type>& results) {
    if (!expect("[")) return false;
    std::vector<std::int64_t> elements;
    while (!at("]")) {
      if (!elements.empty() && !expect(",")) return false;
      const auto each = integer(accept("-"));
      if (!each) return false;
      elements.push_back(*each);
    }
    made.number = static_cast<std::int64_t>(program_.tables.size());
    program_.tables.push_back(std::move(elements));
    results = {Type::memory(Space::global, Type::index())};
    return expect("]");
  }

  /// `: f32`, the elements of memory of the space.
  bool memory(Space space, std::vector<Type>& results) {
    if (!expect(":")) return false;
    const auto element = type();
    if (element) results = {Type::memory(space, *element, form())};
    return element.has_value();
  }

  Form form() { return accept("given") ? Form::given : accept("kept") ? Form::kept : Form::registers; }

  /// `x[%3]`
  bool element(Operation& made) {
    if (!operand(made.operands) || !expect("[") || !operand(made.operands)) return false;
    const bool before = accept("-");
    if (before || accept("+")) {
      const auto further = integer(before);
      if (!further) return false;
      made.offset = *further;
    }
    return expect("]");
  }

  /// `(x, %3)`
  bool arguments(Values& out) {
    if (!expect("(")) return false;
    if (!at(")") && !operands(out)) return false;
    return expect(")");
  }

  bool marks(Operation& made) {
    if (accept("@")) {
      const auto site = integer();
      if (!site) return false;
      made.site = {static_cast<std::uint32_t>(*site)};
    }
    if (!accept("[")) return true;
    do {
      if (accept("fits")) {
        made.fits = accept("signed") ? Fits::as_signed : Fits::always;
      } else if (accept("joins")) {
        made.number = 1;
      } else if (accept("once")) {
        made.stream = Stream::once;
      } else if (accept("beside")) {
        if (!expect("results")) return false;
        made.stream = Stream::beside_results;
      } else if (accept("no")) {
        if (!expect("unroll")) return false;
        made.unroll = false;
      } else {
        fail("`fits`, `joins`, `once`, `beside results` or `no unroll`");
        return false;
      }
    } while (accept(","));
    return expect("]");
  }

  // ------------------------------------------------------------------------------------------------------ control

  /// `%3`, a new parameter of a region.
  bool region_parameter(std::uint32_t operation, Region& region, const Token& name, Type type) {
    const Value value = program_.fresh(type, {Program::Definition::Kind::parameter, operation});
    region.parameters.push_back(value);
    return bind(name, std::string(name.text), value);
  }

  std::optional<Token> value_name() {
    if (token().kind != Kind::variable) return fail("a new value");
    return take();
  }

  std::uint32_t last_operation() const { return static_cast<std::uint32_t>(program_.operations.size() - 1); }

  /// `carry %4 = 0, ...`; the values are parameters of the region.
  bool carried(std::uint32_t number, Operation& made, std::vector<Type>& results) {
    std::vector<Token> names;
    if (accept("carry")) {
      do {
        const auto name = value_name();
        if (!name || !expect("=") || !operand(made.operands)) return false;
        names.push_back(*name);
        results.push_back(program_.type(made.operands.back()));
      } while (accept(","));
    }
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (!region_parameter(number, made.regions[0], names[k], results[k])) return false;
    }
    return true;
  }

  bool loop(Operation& made, std::vector<Type>& results) {
    const std::uint32_t number = last_operation();
    made.regions.resize(1);
    const auto index = value_name();
    if (!index || !expect("=") || !operand(made.operands) || !expect("to") || !operand(made.operands) ||
        !expect("step") || !operand(made.operands)) {
      return false;
    }
    return region_parameter(number, made.regions[0], *index, Type::index()) && carried(number, made, results) &&
           marks(made) && block(made.regions[0]);
  }

  bool while_loop(Operation& made, std::vector<Type>& results) {
    const std::uint32_t number = last_operation();
    made.regions.resize(2);
    if (!carried(number, made, results) || !marks(made) || !block(made.regions[0]) || !expect("do")) return false;
    for (std::size_t k = 0; k < results.size(); ++k) {
      if (k > 0 && !expect(",")) return false;
      const auto name = value_name();
      if (!name || !region_parameter(number, made.regions[1], *name, results[k])) return false;
    }
    return block(made.regions[1]);
  }

  /// `%3 = %1[%2]`: the region gets a parameter of the elements' type.
  bool chain(std::uint32_t number, Operation& made) {
    const auto name = value_name();
    if (!name || !expect("=") || !operand(made.operands)) return false;
    const Type element = program_.type(made.operands.back()).element_type();
    return expect("[") && operand(made.operands) && expect("]") &&
           region_parameter(number, made.regions[0], *name, element);
  }

  bool chains(Operation& made) {
    const std::uint32_t number = last_operation();
    Chains chains;
    made.regions.resize(1);
    if (!assign(chains.rows) || !expect("by") || !assign(chains.columns) || !expect("lanes") || !assign(chains.lanes))
      return false;
    const auto leaf = value_name();
    if (!leaf || !expect("=") || !operand(made.operands) || !expect("to") || !operand(made.operands) ||
        !region_parameter(number, made.regions[0], *leaf, Type::index()) || !expect("sums")) {
      return false;
    }
    chains.sums = 0;
    do {
      if (!chain(number, made)) return false;
      ++chains.sums;
    } while (accept(","));
    if (!expect("pitch") || !assign(chains.pitch) || !expect("rows")) return false;
    do {
      Chains::Factor& factor = chains.of_rows.emplace_back();
      if (!chain(number, made) || !expect("leaf") || !assign(factor.leaf) || !expect("row") || !assign(factor.row))
        return false;
    } while (accept(","));
    if (!expect("columns")) return false;
    do {
      if (!chain(number, made) || !expect("leaf") || !assign(chains.of_columns.emplace_back())) return false;
    } while (accept(","));
    made.number = static_cast<std::int64_t>(program_.chains.size());
    program_.chains.push_back(std::move(chains));
    return marks(made) && block(made.regions[0]);
  }

  std::optional<numerics::Format> format() {
    const Token place = token();
    const auto of = scalar();
    if (!of) return std::nullopt;
    if (!ir::is_float(*of)) return mistake(place, "tensor cores multiply floats");
    return ir::format_of(*of);
  }

  bool mma_unit(ir::TensorCores& out) {
    const auto names = std::span(numerics::mma_model_names);
    const auto found = std::find(names.begin(), names.end(), token().text);
    if (found == names.end()) {
      fail("a generation of tensor cores");
      return false;
    }
    take();
    out.model = static_cast<numerics::MmaModel>(found - names.begin());
    out.operand = format();
    if (out.operand) out.accumulator = format();
    return out.accumulator.has_value();
  }

  /// `x a leaf 0 side 1 map 0 extents k, m strides k`
  bool mma_factor(const char* name, MmaFactor& shape, MmaOperands::Factor& out) {
    Values memory;
    std::int64_t leaf = 0, side = 0, map = 0;
    if (!expect(name) || !operand(memory)) return false;
    const bool has_copy = accept("or");
    if (has_copy && (!operand(memory) || !expect("if") || !operand(memory))) return false;
    if (!expect("leaf") || !assign(leaf) || !expect("side") || !assign(side) || !expect("map") || !assign(map) ||
        !expect("extents") || !operands(out.extents)) {
      return false;
    }
    if (accept("strides") && !operands(out.strides)) return false;
    out.memory = memory[0];
    if (has_copy) {
      out.copy = memory[1];
      out.copied = memory[2];
    }
    shape = {static_cast<std::uint32_t>(out.extents.size()), static_cast<std::uint32_t>(leaf),
             static_cast<std::uint32_t>(side), static_cast<std::uint32_t>(map), has_copy};
    return true;
  }

  bool mma_tiles(Operation& made) {
    const std::uint32_t number = last_operation();
    made.number = static_cast<std::int64_t>(program_.mma_tiles.size());
    made.regions.resize(2);
    MmaTiles tiles;
    Values first;
    MmaOperands all;
    if (!mma_unit(tiles.unit)) return false;
    tiles.by_warps = accept("warps");
    if (!assign(tiles.rows) || !expect("by") || !assign(tiles.columns) || !expect("stages") || !assign(tiles.stages) ||
        !expect("in") || !operand(first) || !expect("leaves") || !operand(first)) {
      return false;
    }
    const auto tile = value_name();
    if (!tile || !expect("=") || !operand(first) || !expect("to") || !operand(first) || !expect("step") ||
        !operand(first) || !mma_factor("x", tiles.x, all.x) || !mma_factor("y", tiles.y, all.y)) {
      return false;
    }
    all.room = first[0];
    all.leaves = first[1];
    all.first = first[2];
    all.limit = first[3];
    all.step = first[4];
    made.operands = all.list();
    program_.mma_tiles.push_back(tiles);
    if (!region_parameter(number, made.regions[0], *tile, Type::index()) || !marks(made) || !block(made.regions[0]) ||
        !expect("do")) {
      return false;
    }
    do {
      const auto name = value_name();
      const bool is_tile = made.regions[1].parameters.empty();
      const Type of = is_tile ? Type::index() : Type::number(ir::scalar_of(*tiles.unit.accumulator));
      if (!name || !region_parameter(number, made.regions[1], *name, of)) return false;
    } while (accept(","));
    return block(made.regions[1]);
  }

  /// A region with parameters of these types.
  bool block_with(const char* name, Region& region, const std::vector<Type>& types) {
    const std::uint32_t number = last_operation();
    if (!expect(name)) return false;
    for (std::size_t k = 0; k < types.size(); ++k) {
      if (k > 0 && !expect(",")) return false;
      const auto value = value_name();
      if (!value || !region_parameter(number, region, *value, types[k])) return false;
    }
    return block(region);
  }

  bool mma_rows(Operation& made) {
    const std::uint32_t number = last_operation();
    made.number = static_cast<std::int64_t>(program_.mma_rows.size());
    MmaRows rows;
    MmaRowsOperands all;
    Values first;
    std::int64_t site = 0;
    if (!mma_unit(rows.unit) || !expect("@") || !assign(site) || !assign(rows.rows) || !expect("by") ||
        !assign(rows.columns) || !expect("leaves") || !assign(rows.leaves) || !expect("width") || !assign(rows.width) ||
        !expect("slots") || !assign(rows.slots) || !expect("in") || !operand(first)) {
      return false;
    }
    const auto item = value_name();
    if (!item || !expect("=") || !operand(first) || !expect("to") || !operand(first) || !expect("step") ||
        !operand(first) || !mma_factor("x", rows.x, all.x) || !mma_factor("y", rows.y, all.y) ||
        !mma_factor("z", rows.z, all.z)) {
      return false;
    }
    rows.first = {static_cast<std::uint32_t>(site)};
    all.room = first[0];
    all.first = first[1];
    all.limit = first[2];
    all.step = first[3];
    made.operands = all.list();
    made.regions.resize(1);
    if (!region_parameter(number, made.regions[0], *item, Type::index()) || !marks(made) || !block(made.regions[0]))
      return false;
    const Type sum = Type::number(ir::scalar_of(*rows.unit.accumulator));
    std::vector<Type> carried;
    const auto with_carried = [&](std::vector<Type> types) {
      types.insert(types.end(), carried.begin(), carried.end());
      return types;
    };
    for (rows.passes = 0; token().text == "pass"; ++rows.passes) {
      made.regions.resize(made.regions.size() + 2);
      Region &begin = made.regions[MmaRows::begin_of(rows.passes)], &tile = made.regions[MmaRows::tile_of(rows.passes)];
      if (!block_with("pass", begin, with_carried({Type::index()}))) return false;
      carried.clear();
      for (const Value value : begin.yields) carried.push_back(program_.type(value));
      std::vector<Type> types(static_cast<std::size_t>(rows.fragment()), sum);
      types.insert(types.begin(), 2, Type::index());
      if (!block_with("tile", tile, with_carried(types))) return false;
    }
    made.regions.emplace_back();
    std::vector<Type> types(static_cast<std::size_t>(rows.results()), sum);
    types.insert(types.begin(), Type::index());
    program_.mma_rows.push_back(rows);
    return block_with("end", made.regions.back(), with_carried(types));
  }

  bool branch(Operation& made, std::vector<Type>& results) {
    made.regions.resize(2);
    if (!operand(made.operands) || !marks(made) || !block(made.regions[0])) return false;
    if (accept("else") && !block(made.regions[1])) return false;
    for (const Value value : made.regions[0].yields) results.push_back(program_.type(value));
    return true;
  }

  /// A call, whose function may come later in the text.
  struct Call {
    std::uint32_t operation;
    Token place;
    std::string name;
    std::optional<std::int64_t> number;
  };

  bool call(const Statement& statement, Operation& made, std::vector<Type>& results) {
    Call out{statement.number, token(), {}, std::nullopt};
    const auto wanted = name();
    if (!wanted) return false;
    out.name = *wanted;
    if (accept("@") && !(out.number = integer())) return false;
    calls_.push_back(std::move(out));
    return arguments(made.operands) && (!accept(":") || types(results)) && marks(made);
  }

  void resolve(const Call& call) {
    std::vector<std::int64_t> found;
    for (std::size_t k = 0; k < program_.functions.size(); ++k) {
      const auto number = static_cast<std::int64_t>(k);
      if (program_.functions[k].name == call.name && call.number.value_or(number) == number) found.push_back(number);
    }
    if (found.size() == 1) {
      program_.operations[call.operation].number = found[0];
    } else {
      const std::string_view trouble = found.empty() ? "there is no function" : "there are several functions";
      mistake(call.place, fmt::format("{} `{}`", trouble, call.name));
    }
  }

  // ----------------------------------------------------------------------------------------------------- operands

  bool operands(Values& out) {
    do {
      if (!operand(out)) return false;
    } while (accept(","));
    return true;
  }

  bool operand(Values& out) {
    const auto value = operand();
    if (value) out.push_back(*value);
    return value.has_value();
  }

  std::optional<Value> operand() {
    const Token first = token();
    switch (first.kind) {
      case Kind::variable: return known(take(), std::string(first.text));
      case Kind::integer: return index(false);
      case Kind::string: return known(take(), ir::detail::unquote(first.text));
      case Kind::bits: {
        const auto literal = bit_pattern();
        if (!literal) return std::nullopt;
        return builder_.literal(literal->first, literal->second);
      }
      case Kind::name: break;
      default:
        if (accept("-")) return index(true);
        return fail("a value");
    }
    take();
    if (at("(")) return constant(first);
    if (first.text == "true" || first.text == "false") return builder_.flag(first.text == "true");
    return known(first, std::string(first.text));
  }

  std::optional<Value> known(const Token& place, const std::string& name) {
    const auto found = values_.find(name);
    if (found == values_.end()) return mistake(place, fmt::format("`{}` has no value here", name));
    return found->second;
  }

  std::optional<Value> index(bool negative) {
    const auto value = integer(negative);
    if (!value) return std::nullopt;
    return builder_.index(*value);
  }

  /// What stands in brackets after `zero`, `rounded`, `neutral` or a number type.
  std::optional<Value> constant(const Token& head) {
    take();
    if (head.text == "rounded") {
      const auto value = rounded();
      return value && expect(")") ? value : std::nullopt;
    }
    if (head.text == "zero") {
      const auto of = type();
      if (!of || !expect(")")) return std::nullopt;
      return program_.constant({Constant::Kind::zero, *of});
    }
    if (head.text == "neutral") {
      const auto of = scalar();
      if (!of || !expect(")")) return std::nullopt;
      return builder_.neutral(*of);
    }
    const auto of = ir::scalar_named(head.text);
    if (!of) return mistake(head, fmt::format("`{}` is not a constant", head.text));
    if (*of == ir::Scalar::boolean) {
      ir::Literal truth;
      truth.kind = ir::Literal::Kind::boolean;
      truth.bits = at("true");
      if (!accept("true") && !expect("false")) return std::nullopt;
      return expect(")") ? std::optional(builder_.literal(truth, *of)) : std::nullopt;
    }
    const auto literal = literal_of(*of);
    if (!literal) return std::nullopt;
    return builder_.literal(*literal, *of);
  }

  /// `f32#3fc00000`, of any number type.
  std::optional<Value> rounded() {
    if (token().kind != Kind::bits) return fail("a bit pattern");
    const Token whole = take();
    const std::size_t sharp = whole.text.find('#');
    const std::string_view digits = whole.text.substr(sharp + 1);
    const auto of = ir::scalar_named(whole.text.substr(0, sharp));
    std::uint64_t bits = 0;
    const auto [end, trouble] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
    const bool is_number = trouble == std::errc{} && end == digits.data() + digits.size();
    const int width = of && ir::has_pattern(*of) ? ir::byte_width(*of) * 8 : 64;
    if (!of || !is_number || (width < 64 && bits >> width != 0)) {
      return mistake(whole, fmt::format("`{}` is not a bit pattern of a number type", whole.text));
    }
    return builder_.rounded(*of, bits);
  }

  Program program_;
  Builder builder_{program_};
  std::map<std::string, Value, std::less<>> values_;  ///< of the function: all that are defined so far
  std::vector<Call> calls_;
};

}  // namespace

Expected<Program> parse_kernels(std::string_view text, std::uint32_t file) {
  KernelParser parser(text, file);
  Program out = parser.program();
  if (parser.error) return *parser.error;
  return out;
}

}  // namespace reckon::kernel
