#include "kernel/operation_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kernel/printer.h"

namespace reckon::kernel::detail {
namespace {

using Problem = std::optional<std::string>;

/// 1 or 2; 0 for what is no integer operation.
std::size_t integer_arity(Op op) {
  static constexpr std::uint8_t arities[] = {
#define RECKON_KERNEL_INTEGER(name, arity, spelling, result) arity,
#define RECKON_KERNEL_OP(name, spelling) 0,
#include "kernel/ops.def"
  };
  return arities[static_cast<std::size_t>(op)];
}

class Checker {
 public:
  Checker(const Program& program, const Operation& operation)
      : program_(program), operation_(operation), operands_(types(operation.operands)) {
    for (std::uint32_t k = 0; k < operation.results; ++k) results_.push_back(program.type(operation.result(k)));
  }

  Problem run() const {
    const bool two = operation_.op == Op::branch || operation_.op == Op::while_loop || operation_.op == Op::mma_tiles;
    const bool one = operation_.op == Op::loop || operation_.op == Op::chains;
    const std::size_t wanted = one ? 1 : two ? 2 : of_mma_rows();
    if (operation_.regions.size() != wanted) {
      return fmt::format("has {} regions, not {}", operation_.regions.size(), wanted);
    }
    if (is_integer(operation_.op)) return integer();
    switch (operation_.op) {
      case Op::apply: return apply();
      case Op::apply_rounded: return apply_rounded();
      case Op::loop: return loop();
      case Op::while_loop: return while_loop();
      case Op::branch: return branch();
      case Op::call: return call();
      case Op::chains: return chains();
      case Op::mma_tiles: return mma_tiles();
      case Op::mma_rows: return mma_rows();
      case Op::table:
      case Op::stack:
      case Op::shared:
      case Op::advance:
      case Op::clear:
      case Op::load:
      case Op::store:
      case Op::load_vector:
      case Op::store_vector:
      case Op::atomic_add:
      case Op::arrive:
      case Op::ticket:
      case Op::publish:
      case Op::look_up:
      case Op::await_previous: return memory();
      default: return other();
    }
  }

 private:
  using Types = std::vector<Type>;

  Types types(const Values& values) const {
    Types out;
    for (const Value value : values) out.push_back(program_.type(value));
    return out;
  }

  static Problem compare(const Types& found, const Types& wanted, std::string_view what) {
    if (found.size() != wanted.size()) {
      return fmt::format("has {} {}s, not {}", found.size(), what, wanted.size());
    }
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (!same_type(found[k], wanted[k])) {
        return fmt::format("{} {} is a `{}`, not a `{}`", what, k + 1, type_text(found[k]), type_text(wanted[k]));
      }
    }
    return std::nullopt;
  }

  Problem are(const Types& operands, const Types& results) const {
    const auto wrong = compare(operands_, operands, "operand");
    return wrong ? wrong : compare(results_, results, "result");
  }

  Problem count(std::size_t wanted) const {
    if (operands_.size() == wanted) return std::nullopt;
    return fmt::format("has {} operands, not {}", operands_.size(), wanted);
  }

  /// Whether there are `wanted` operands, and operand `which` is of that kind.
  Problem has(std::size_t wanted, std::size_t which, Kind kind, std::string_view what) const {
    if (const auto wrong = count(wanted)) return wrong;
    if (operands_[which].kind == kind) return std::nullopt;
    return fmt::format("operand {} is a `{}`, not {}", which + 1, type_text(operands_[which]), what);
  }

  Problem integer() const {
    const Op op = operation_.op;
    if (const auto wrong = count(integer_arity(op))) return wrong;
    if (op == Op::extend) return are({Type::flag()}, {Type::index()});
    const bool to_flag = is_comparison(op) || op == Op::odd;
    const Type of = operands_[0].kind == Kind::flag && !to_flag ? Type::flag() : Type::index();
    return are(Types(operands_.size(), of), {to_flag ? Type::flag() : of});
  }

  Problem apply() const {
    if (!ir::is_scalar_operation(operation_.number_op)) return "is no operation on numbers";
    const ir::OpTraits& traits = ir::traits(operation_.number_op);
    const Type from = Type::number(operation_.from), truth = Type::number(ir::Scalar::boolean);
    const auto arity = static_cast<std::size_t>(traits.arity);
    using Rule = ir::ResultRule;
    switch (traits.result) {
      case Rule::same: return are(Types(arity, from), {from});
      case Rule::truth: return are(Types(arity, from), {truth});
      case Rule::logic: return are(Types(arity, truth), {truth});
      case Rule::choose: return are({truth, from, from}, {from});
      case Rule::cast:
      case Rule::structure: break;
    }
    if (const auto wrong = compare(operands_, Types(arity, from), "operand")) return wrong;
    if (results_.size() != 1 || results_[0].kind != Kind::number) return "must give one number";
    return std::nullopt;
  }

  Problem apply_rounded() const {
    using ir::Scalar;
    if (operation_.number_op != ir::Op::exp && operation_.number_op != ir::Op::exp2) return "must be of exp or exp2";
    if (operation_.from != Scalar::f32) return "must be of f32";
    if (operands_.empty()) return "has no operands";
    const Type to = results_.empty() ? Type::number(Scalar::bf16) : results_[0];
    if (to.scalar != Scalar::bf16 && to.scalar != Scalar::f16) return "must give bf16 or f16";
    return are(Types(operands_.size(), Type::number(Scalar::f32)), Types(operands_.size(), Type::number(to.scalar)));
  }

  /// The rules of operations on numbers, and of those on threads.
  Problem other() const {
    const Type index = Type::index(), flag = Type::flag(), truth = Type::number(ir::Scalar::boolean);
    const Type first = operands_.empty() ? index : operands_[0];
    const Type divisor{Kind::divisor, first.scalar}, sizes{Kind::sizes, first.scalar};
    switch (operation_.op) {
      case Op::select: {
        const Type of = operands_.size() > 1 ? operands_[1] : index;
        return are({flag, of, of}, {of});
      }
      case Op::from_index:
        if (results_.size() != 1 || results_[0].kind != Kind::number) return "must give one number";
        return compare(operands_, {index}, "operand");
      case Op::bounded_index:
      case Op::clamped_index:
        if (first.kind != Kind::number || !ir::is_integer(first.scalar))
          return "must have an integer as its first operand";
        return are({first, index}, {index});
      case Op::from_flag: return are({flag}, {truth});
      case Op::to_flag: return are({truth}, {flag});
      case Op::bits: return are({Type::number(ir::Scalar::f64)}, {index});
      case Op::from_bits: return are({index}, {Type::number(ir::Scalar::f64)});
      case Op::prepare_divisor: {
        const auto wrong = has(1, 0, Kind::number, "a number");
        return wrong ? wrong : are({first}, {divisor});
      }
      case Op::divide_quick: {
        const auto wrong = has(4, 0, Kind::number, "a number");
        return wrong ? wrong : are({first, first, divisor, sizes}, {first, sizes});
      }
      case Op::divide_unusual: {
        const auto wrong = has(2, 0, Kind::number, "a number");
        return wrong ? wrong : are({first, first}, {first});
      }
      case Op::may_be_wrong: {
        const auto wrong = has(2, 0, Kind::divisor, "a divisor");
        return wrong ? wrong : are({first, sizes}, {flag});
      }
      case Op::fault:
        for (std::size_t k = 0; k < operands_.size(); ++k) {
          if (const auto wrong = has(operands_.size(), k, Kind::number, "a number")) return wrong;
        }
        return compare(results_, {}, "result");
      case Op::leaf: return are({first, index}, {first});
      case Op::node: return are({first, first, first}, {first});
      case Op::root: return are({first}, {first});
      case Op::thread:
      case Op::threads:
      case Op::block:
      case Op::blocks: return are({}, {index});
      case Op::barrier_or: return are({flag}, {flag});
      case Op::peers: return are({index}, {index, index});
      case Op::mma_f64: {
        const Types sums(MmaF64::sums, Type::number(ir::Scalar::f64));
        Types wanted(1 + MmaF64::factors, Type::number(ir::Scalar::f64));
        wanted[0] = index;
        wanted.insert(wanted.end(), sums.begin(), sums.end());
        return are(wanted, sums);
      }
      case Op::shuffle_xor:
        if (operation_.number < 1 || operation_.number > 31) return "bits are from 1 to 31";
        if (first.kind == Kind::memory) return "memory cannot be given to other threads";
        return are({first}, {first});
      default: return are({}, {});
    }
  }

  Problem memory() const {
    const Op op = operation_.op;
    const Type index = Type::index();
    if (op == Op::table || op == Op::stack || op == Op::shared) {
      static constexpr Space spaces[] = {Space::global, Space::local, Space::shared};
      const Space space = spaces[op == Op::table ? 0 : op == Op::stack ? 1 : 2];
      if (results_.size() != 1 || results_[0].kind != Kind::memory || results_[0].space != space) {
        return "must give memory of its space";
      }
      if (operation_.number < 0 || operation_.offset < 0) return "has a negative size or place";
      return compare(operands_, {}, "operand");
    }
    if (op == Op::await_previous) {
      for (std::size_t k = 0; k < operands_.size(); ++k) {
        if (const auto wrong = has(operands_.size(), k, Kind::memory, "memory")) return wrong;
      }
      return compare(results_, operands_, "result");
    }
    if (operands_.empty() || operands_[0].kind != Kind::memory) return "operand 1 is not memory";
    const Type place = operands_[0], element = place.element_type();
    Types wanted{place, index};
    switch (op) {
      case Op::advance: return are(wanted, {place});
      case Op::clear: return are({place}, {});
      case Op::load: return are(wanted, {element});
      case Op::load_vector: return are(wanted, Types(std::max<std::size_t>(1, results_.size()), element));
      case Op::atomic_add:
        if (place.space != Space::shared || element.kind != Kind::number)
          return "operand 1 is not shared memory of numbers";
        wanted.push_back(element);
        return are(wanted, {});
      case Op::arrive:
      case Op::ticket: {
        const Type counters = Type::memory(place.space, Type::number(ir::Scalar::u32), place.form);
        return are({counters, index, index}, {op == Op::arrive ? Type::flag() : index});
      }
      case Op::publish:
      case Op::look_up: {
        const Type words = Type::memory(place.space, Type::number(ir::Scalar::u64), place.form);
        const Type value = op == Op::publish ? operands_.back() : results_.empty() ? Type::index() : results_[0];
        if (value.kind != Kind::number) return "the value is no number";
        if (op == Op::publish) return are({words, index, value}, {});
        return are({words, index}, {value, Type::flag()});
      }
      default: break;
    }
    const std::size_t values = op == Op::store || operands_.size() < 3 ? 1 : operands_.size() - 2;
    wanted.insert(wanted.end(), values, element);
    return are(wanted, {});
  }

  /// Whether the region has these parameters and yields.
  Problem region(std::size_t which, const Types& parameters, const Types& yields) const {
    const Region& region = operation_.regions[which];
    const auto wrong = compare(types(region.parameters), parameters, "parameter");
    return wrong ? wrong : compare(types(region.yields), yields, "yield");
  }

  Problem loop() const {
    const Type index = Type::index();
    if (operands_.size() < 3) return count(3);
    const Types carried(operands_.begin() + 3, operands_.end());
    Types all{index, index, index};
    all.insert(all.end(), carried.begin(), carried.end());
    if (const auto wrong = are(all, carried)) return wrong;
    all.erase(all.begin(), all.begin() + 2);
    if (const auto wrong = region(0, all, carried)) return wrong;
    const auto known = [&](std::size_t k) -> std::optional<std::int64_t> {
      const Constant* constant = program_.as_constant(operation_.operands[k]);
      if (constant == nullptr) return std::nullopt;
      return static_cast<std::int64_t>(constant->value);
    };
    const auto first = known(0), limit = known(1), step = known(2);
    if (first && limit && *first >= *limit) return fmt::format("begins at {}, which is not below {}", *first, *limit);
    if (step && *step <= 0) return "has a step that is not positive";
    return std::nullopt;
  }

  Problem while_loop() const {
    if (const auto wrong = compare(results_, operands_, "result")) return wrong;
    const auto wrong = region(0, operands_, {Type::flag()});
    return wrong ? wrong : region(1, operands_, operands_);
  }

  Problem branch() const {
    if (const auto wrong = compare(operands_, {Type::flag()}, "operand")) return wrong;
    const auto wrong = region(0, {}, results_);
    return wrong ? wrong : region(1, {}, results_);
  }

  static bool is_no_factor(const MmaFactor& factor) {
    return factor.rank < 2 || factor.rank > 5 || std::max(factor.of_leaf, factor.of_side) >= factor.rank ||
           factor.of_leaf == factor.of_side || std::min(factor.of_leaf, factor.of_side) != 0;
  }
  static constexpr const char* no_factor = "has a factor whose dimensions are not those of a product";

  static Problem mma_shape(const MmaTiles& tiles) {
    if (tiles.unit.unit() == nullptr) return "has no such addition";
    if (is_no_factor(tiles.x) || is_no_factor(tiles.y)) return no_factor;
    const bool rows = tiles.rows > 0 && tiles.rows % MmaTiles::group_rows == 0;
    if (!rows || tiles.columns < 8 || tiles.columns > 256 || tiles.columns % 8 != 0 || tiles.stages < 1) {
      return "has no tile";
    }
    return std::nullopt;
  }

  bool is_memory(Value value, Space space) const {
    const Type type = program_.type(value);
    return type.kind == Kind::memory && type.space == space && type.element == Kind::number;
  }

  Problem mma_operands(const ir::TensorCores& unit, Value room,
                       std::initializer_list<const MmaOperands::Factor*> factors) const {
    if (!is_memory(room, Space::shared)) return "has no shared memory";
    const Type operand = Type::number(ir::scalar_of(*unit.operand));
    for (const MmaOperands::Factor* factor : factors) {
      for (const Value memory : {factor->memory, factor->copy}) {
        if (!memory) continue;
        if (!is_memory(memory, Space::global) || !same_type(program_.type(memory).element_type(), operand)) {
          return "has a factor that is not in memory as its tensor cores read it";
        }
      }
    }
    for (std::size_t k = 1; k < operands_.size(); ++k) {
      if (operands_[k].kind != Kind::memory && operands_[k].kind != Kind::index)
        return "has an operand that is no index";
    }
    return std::nullopt;
  }

  /// The number of regions; 0 for other operations.
  std::size_t of_mma_rows() const {
    const auto number = static_cast<std::size_t>(operation_.number);
    const bool is_one = operation_.op == Op::mma_rows && number < program_.mma_rows.size();
    return is_one ? program_.mma_rows[number].regions() : 0;
  }

  static Problem mma_rows_shape(const MmaRows& rows) {
    const bool two_bytes =
        rows.unit.unit() != nullptr && ir::byte_width(ir::scalar_of(*rows.unit.operand)) == MmaRows::operand_bytes;
    if (!two_bytes) return "has no such addition";
    if (is_no_factor(rows.x) || is_no_factor(rows.y) || is_no_factor(rows.z)) return no_factor;
    const auto is_multiple = [](std::int64_t size, std::int64_t most) {
      return size > 0 && size % MmaRows::depth == 0 && size <= most;
    };
    if (!is_multiple(rows.rows, 512) || !is_multiple(rows.columns, 128) || !is_multiple(rows.width, 256) ||
        rows.leaves < 1 || rows.slots < MmaRows::least_slots || rows.passes < 1) {
      return "has no tile";
    }
    return std::nullopt;
  }

  Problem mma_rows() const {
    const auto number = static_cast<std::size_t>(operation_.number);
    if (number >= program_.mma_rows.size()) return "has no rows of the program";
    const MmaRows& rows = program_.mma_rows[number];
    if (const auto wrong = mma_rows_shape(rows)) return wrong;
    if (const auto wrong = count(MmaRowsOperands::count(rows))) return wrong;
    const MmaRowsOperands operands(operation_, rows);
    if (const auto wrong = mma_operands(rows.unit, operands.room, {&operands.x, &operands.y, &operands.z}))
      return wrong;
    if (const auto wrong = compare(results_, {}, "result")) return wrong;
    const Type index = Type::index(), sum = Type::number(ir::scalar_of(*rows.unit.accumulator));
    const auto fragment = static_cast<std::size_t>(rows.fragment());
    if (const auto wrong = region(0, {index}, Types(rows.x.rank + rows.y.rank + rows.z.rank + 2, index))) return wrong;
    Types carried;
    for (std::int64_t pass = 0; pass < rows.passes; ++pass) {
      Types parameters{index};
      parameters.insert(parameters.end(), carried.begin(), carried.end());
      carried = types(operation_.regions[MmaRows::begin_of(pass)].yields);
      if (const auto wrong = region(MmaRows::begin_of(pass), parameters, carried)) return wrong;
      parameters = {index, index};
      parameters.insert(parameters.end(), fragment, sum);
      parameters.insert(parameters.end(), carried.begin(), carried.end());
      Types yields = carried;
      if (pass + 1 == rows.passes)
        yields.insert(yields.begin(), fragment, Type::number(ir::scalar_of(*rows.unit.operand)));
      if (const auto wrong = region(MmaRows::tile_of(pass), parameters, yields)) return wrong;
    }
    Types parameters{index};
    parameters.insert(parameters.end(), static_cast<std::size_t>(rows.results()), sum);
    parameters.insert(parameters.end(), carried.begin(), carried.end());
    return region(rows.regions() - 1, parameters, {});
  }

  Problem chains() const {
    const auto number = static_cast<std::size_t>(operation_.number);
    if (number >= program_.chains.size()) return "has no chains of the program";
    const Chains& chains = program_.chains[number];
    if (chains.rows < 1 || chains.columns < 1 || chains.lanes < 1 || chains.columns % chains.lanes != 0 ||
        chains.sums < 1 || chains.pitch < chains.columns) {
      return "has no tile";
    }
    if (const auto wrong = count(chains.operands())) return wrong;
    Types parameters{Type::index()}, sums;
    for (std::size_t k = 0; k < operands_.size(); ++k) {
      const bool is_memory = k >= 2 && k % 2 == 0;
      const Type& type = operands_[k];
      if (!is_memory) {
        if (type.kind != Kind::index) return fmt::format("operand {} is a `{}`, not an index", k + 1, type_text(type));
        continue;
      }
      const bool is_array = type.kind == Kind::memory && type.space == Space::local && type.element == Kind::number &&
                            type.form == Form::registers;
      if (!is_array) return fmt::format("operand {} is a `{}`, not numbers on the stack", k + 1, type_text(type));
      parameters.push_back(type.element_type());
      if (sums.size() < chains.sums) sums.push_back(type.element_type());
    }
    if (const auto wrong = compare(results_, {}, "result")) return wrong;
    return region(0, parameters, sums);
  }

  Problem mma_tiles() const {
    const auto number = static_cast<std::size_t>(operation_.number);
    if (number >= program_.mma_tiles.size()) return "has no tiles of the program";
    const MmaTiles& tiles = program_.mma_tiles[number];
    if (const auto wrong = mma_shape(tiles)) return wrong;
    if (const auto wrong = count(MmaOperands::count(tiles))) return wrong;
    const MmaOperands operands(operation_, tiles);
    if (const auto wrong = mma_operands(tiles.unit, operands.room, {&operands.x, &operands.y})) return wrong;
    if (const auto wrong = region(0, {Type::index()}, Types(tiles.x.rank + tiles.y.rank + 1, Type::index())))
      return wrong;
    Types parameters(static_cast<std::size_t>(tiles.fragment()), Type::number(ir::scalar_of(*tiles.unit.accumulator)));
    parameters.insert(parameters.begin(), Type::index());
    if (const auto wrong = compare(results_, {}, "result")) return wrong;
    return region(1, parameters, {});
  }

  Problem call() const {
    const auto number = static_cast<std::size_t>(operation_.number);
    if (number >= program_.functions.size()) return "calls no function of the program";
    const Function& called = program_.functions[number];
    if (called.is_kernel) return "calls a kernel";
    Values parameters;
    for (const Parameter& parameter : called.parameters) parameters.push_back(parameter.value);
    const auto is_value = [&](Value value) { return value.id < program_.types.size(); };
    if (!std::all_of(parameters.begin(), parameters.end(), is_value) ||
        !std::all_of(called.body.yields.begin(), called.body.yields.end(), is_value)) {
      return "calls a function with undefined values";
    }
    return are(types(parameters), types(called.body.yields));
  }

  const Program& program_;
  const Operation& operation_;
  Types operands_, results_;
};

}  // namespace

bool same_type(Type a, Type b) {
  if (a.kind != b.kind) return false;
  if (a.kind == Kind::index || a.kind == Kind::flag) return true;
  if (a.kind != Kind::memory) return a.scalar == b.scalar;
  if (a.space != b.space || a.element != b.element) return false;
  return a.element != Kind::number || (a.scalar == b.scalar && a.form == b.form);
}

std::optional<std::string> type_problem(const Program& program, const Operation& operation) {
  return Checker(program, operation).run();
}

}  // namespace reckon::kernel::detail
