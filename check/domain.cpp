#include "check/domain.h"

#include <fmt/format.h>

#include <algorithm>

#include "check/families.h"
#include "check/inputs.h"
#include "check/sizes.h"
#include "ir/visit.h"
#include "numerics/format.h"

namespace reckon::check {

namespace {

constexpr const char* precision = "bits(256)";
constexpr std::int64_t most_index_values = 16;
constexpr std::size_t most_sizes = 3;
/// Points times index values, where a check names its sizes, and they are large: exact evaluations take long.
constexpr std::int64_t most_work = 4000, fewest_points = 2;
constexpr std::uint64_t random_points = 24;

/// Operations that are not defined for all reals.
bool is_partial_on_reals(ir::Op op) {
  switch (op) {
    case ir::Op::div:
    case ir::Op::rem:
    case ir::Op::sqrt:
    case ir::Op::rsqrt:
    case ir::Op::log:
    case ir::Op::log2:
    case ir::Op::log1p:
    case ir::Op::tan:
    case ir::Op::asin:
    case ir::Op::acos:
    case ir::Op::acosh:
    case ir::Op::atanh:
    case ir::Op::atan2:
    case ir::Op::pow:
    case ir::Op::ldexp: return true;  // of an exponent that is no integer
    default: return ir::is_approximate(op);
  }
}

bool has_partial(const ir::Module& module, const frontend::ElaboratedItem& item) {
  return ir::find_node(module, {item.left->body, item.right->body}, [&](ir::NodeId id) {
           const ir::Node& node = module[id];
           if (ir::is_scalar_operation(node.op)) return is_partial_on_reals(node.op);
           if (node.op != ir::Op::literal) return false;
           const auto kind = module.literal_of(id).kind;
           return kind == ir::Literal::Kind::infinity || kind == ir::Literal::Kind::not_a_number;
         }).has_value();
}

class Search {
 public:
  Search(ir::Module& module, const frontend::ElaboratedItem& item, const Options& options, const Watch& watch)
      : module_(module), item_(item), watch_(watch), evaluate_(options.evaluate) {
    evaluate_.interrupted = watch.stop();
  }

  Domains run() {
    out_.total = !has_partial(module_, item_);
    auto exact = interp::make_semantics("exact", {{precision}}, item_.span);
    auto floats = interp::make_semantics("float", {}, item_.span);
    if (!exact || !floats) return out_;
    exact_ = std::move(*exact);
    floats_ = std::move(*floats);
    constants_ = constants_of(module_, item_, false);
    std::size_t sizes_done = 0;
    for (const ir::Dimensions& sizes : choose_sizes(module_, item_)) {
      if (index_values(sizes) > most_index_values && sizes_done > 0) break;
      if (at_size(sizes) && ++sizes_done == most_sizes) break;
      if (watch_.stopped() || (out_.left && out_.right)) break;
    }
    return out_;
  }

 private:
  bool is_over() const { return watch_.stopped() || (out_.left && out_.right) || left_here_ <= 0; }

  /// Whether the circuits take the sizes.
  bool at_size(const ir::Dimensions& sizes) {
    left_here_ = std::max(fewest_points, most_work / index_values(sizes));
    std::vector<mpq_class> simple{0, 1, -1, 2, -2, mpq_class(1, 2), mpq_class(-1, 2), 10, -10};
    for (const mpq_class& constant : constants_) {
      simple.push_back(constant);
      simple.push_back(-constant);
    }
    const std::size_t count = item_.left->parameters.size();
    for (const mpq_class& value : simple) {
      if (!look(sizes, [&](std::size_t, ir::HostTensor& tensor) { fill(tensor, value); })) return false;
    }
    // One parameter at a time has the simple value, beside a random rest.
    for (std::size_t one = 0; one < count && count > 1; ++one) {
      for (std::size_t k = 0; k < simple.size(); ++k) {
        if (is_over()) return true;
        look(sizes, [&](std::size_t parameter, ir::HostTensor& tensor) {
          if (parameter == one) fill(tensor, simple[k]);
          else draw_family(Family::integers, tensor, 31 * k + parameter, constants_, nullptr);
        });
      }
    }
    using enum Family;
    for (std::uint64_t point = 0; point < random_points; ++point) {
      constexpr Family families[] = {integers, unit, large, constants};
      if (is_over()) return true;
      look(sizes, [&](std::size_t parameter, ir::HostTensor& tensor) {
        const Family family = families[point % 4] == constants && constants_.empty() ? large : families[point % 4];
        draw_family(family, tensor, 1000 * point + parameter, constants_, nullptr);
        if (point % 8 < 4) return;
        for (std::int64_t i = 0; i < tensor.size(); ++i) {  // logarithms and roots want positive numbers
          if (ir::is_float(tensor.scalar)) tensor.set_bits(i, numerics::magnitude_bits(tensor.bits(i), ir::format_of(tensor.scalar)));
        }
      });
    }
    return true;
  }

  static void fill(ir::HostTensor& tensor, const mpq_class& value) {
    const bool word = tensor.scalar == ir::Scalar::u32;
    const std::uint64_t bits = word ? (value >= 0 ? mpz_class(value.get_num() / value.get_den()).get_ui() & 0xffffffff : 0)
                                    : numerics::round_rational(value, ir::format_of(tensor.scalar));
    for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.set_bits(i, bits);
  }

  /// Whether a number may be an input, by the check's range.
  static bool allowed(const frontend::RangeClause& range, const ir::HostTensor& tensor, std::int64_t i) {
    if (!ir::is_float(tensor.scalar)) return true;
    const auto value = numerics::exact_value(tensor.bits(i), ir::format_of(tensor.scalar));
    if (!value) return false;
    return range.sign != 0 ? sgn(*value) == range.sign : range.low <= *value && *value <= range.high;
  }

  enum class Side : std::uint8_t { value, no_value, unknown };

  Side side_of(const ir::Function& circuit, const std::vector<interp::Argument>& arguments, const ir::Dimensions& sizes,
               std::string& reason) {
    const auto found = interp::evaluate(module_, circuit, *exact_, arguments, sizes, evaluate_);
    if (found) return Side::value;
    if (found.error().code != Code::undefined_result) return Side::unknown;
    reason = found.error().message;
    if (const auto end = reason.find(" has no value under"); end != std::string::npos) reason.resize(end);
    // Both sides of a selection are evaluated: what has no value may not be chosen.
    const bool selects = ir::find_node(module_, {circuit.body}, [&](ir::NodeId id) {
                           return module_[id].op == ir::Op::select;
                         }).has_value();
    if (!selects) return Side::no_value;
    const auto floats = interp::evaluate(module_, circuit, *floats_, arguments, sizes, evaluate_);
    if (!floats) return Side::unknown;
    for (const interp::Values& part : *floats) {
      if (!ir::is_float(part.scalar())) return Side::no_value;
      for (std::int64_t i = 0; i < part.count(); ++i) {
        const auto bits = floats_->bits(part.scalar(), part.at(i));
        if (bits && !numerics::is_finite(*bits, ir::format_of(part.scalar()))) return Side::no_value;
      }
    }
    return Side::unknown;
  }

  /// False where the circuits do not take the sizes.
  template <class Fill>
  bool look(const ir::Dimensions& sizes, Fill&& fill_parameter) {
    if (is_over()) return true;
    std::vector<interp::Argument> arguments;
    for (std::size_t k = 0; k < item_.left->parameters.size(); ++k) {
      const ir::Type type = module_.types()[item_.left->parameters[k].type];
      if (type.kind == ir::TypeKind::tuple || !ir::has_pattern(type.scalar)) return false;
      std::vector<std::int64_t> shape;
      for (ir::IndexId extent : type.extents) {
        const auto value = module_.indices().evaluate(extent, {sizes, {}});
        if (!value || *value < 0 || *value > 4096) return false;
        shape.push_back(*value);
      }
      ir::HostTensor tensor(type.scalar, std::move(shape));
      fill_parameter(k, tensor);
      if (const frontend::RangeClause* range = range_of(item_, k)) {
        for (std::int64_t i = 0; i < tensor.size(); ++i) {
          if (!allowed(*range, tensor, i)) return true;
        }
      }
      arguments.emplace_back(std::move(tensor));
    }
    --left_here_;
    std::string left_reason, right_reason;
    const Side left = side_of(*item_.left, arguments, sizes, left_reason);
    if (left == Side::unknown) return true;
    const Side right = side_of(*item_.right, arguments, {}, right_reason);
    if (right == Side::unknown) return true;
    ++out_.points;
    out_.both += left == Side::value && right == Side::value;
    if (left == right) return true;
    std::optional<Domains::Hole>& hole = left == Side::no_value ? out_.left : out_.right;
    if (hole) return true;
    hole.emplace();
    hole->reason = left == Side::no_value ? left_reason : right_reason;
    for (const auto& [symbol, value] : sizes) hole->dimensions.emplace_back(std::string(module_.name(symbol)), value);
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const auto& tensor = std::get<ir::HostTensor>(arguments[k]);
      WitnessInput input{std::string(module_.name(item_.left->parameters[k].name)), {}, first_elements(tensor)};
      if (!tensor.shape.empty()) {
        input.expression = fmt::format("[{}{}]", fmt::join(input.elements, ", "), tensor.size() > 8 ? ", ..." : "");
      }
      hole->inputs.push_back(std::move(input));
    }
    return true;
  }

  ir::Module& module_;
  const frontend::ElaboratedItem& item_;
  const Watch& watch_;
  interp::EvaluateOptions evaluate_;
  std::unique_ptr<interp::Semantics> exact_, floats_;
  std::vector<mpq_class> constants_;
  std::int64_t left_here_ = 0;  ///< points of the present size
  Domains out_;
};

}  // namespace

std::string Domains::Hole::place() const {
  std::vector<std::string> parts;
  for (const auto& [name, value] : dimensions) parts.push_back(fmt::format("{} = {}", name, value));
  for (const WitnessInput& input : inputs) {
    parts.push_back(fmt::format("{} = {}", input.name,
                                input.expression.empty() ? fmt::format("{}", fmt::join(input.elements, ", ")) : input.expression));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

Domains search_domains(ir::Module& module, const frontend::ElaboratedItem& item, const Options& options, const Watch& watch) {
  return Search(module, item, options, watch).run();
}

}  // namespace reckon::check
