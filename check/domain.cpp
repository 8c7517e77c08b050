#include "check/domain.h"

#include <fmt/format.h>

#include <algorithm>

#include "check/families.h"
#include "check/inputs.h"
#include "check/rational_points.h"
#include "check/sizes.h"
#include "check/totality.h"
#include "diagnostics/codes/undefined_result.h"
#include "ir/integer.h"
#include "numerics/format.h"
#include "semantics/standard.h"

namespace reckon::check {

namespace {

constexpr std::int64_t precision = 256;  ///< bits
constexpr std::int64_t max_domain_values = 16;
constexpr std::size_t max_sizes = 3;
/// Points times index values, where a check names its sizes, and they are large: exact evaluations take long.
constexpr std::int64_t max_work = 4000, fewest_points = 2;
constexpr std::uint64_t points_at_random = 24;
constexpr std::size_t max_rational_points = 96;

class Search {
 public:
  Search(ir::Module& module, const frontend::ElaboratedItem& item, const Options& options, const Watchdog& watch)
      : module_(module), item_(item), watch_(watch), evaluate_(options.evaluate), index_limits_(module, item) {
    evaluate_.interrupted = watch.stop();
  }

  Domains run() {
    out_.total = are_total(module_, item_);
    exact_ = interp::reals(precision);
    constants_ = constants_of(module_, item_, false);
    std::size_t sizes_done = 0;
    for (const ir::Dimensions& sizes : choose_sizes(module_, item_)) {
      if (index_values(sizes) > max_domain_values && sizes_done > 0) break;
      if (at_size(sizes) && ++sizes_done == max_sizes) break;
      if (watch_.stopped() || (out_.left && out_.right)) break;
    }
    return out_;
  }

 private:
  bool is_over() const { return watch_.stopped() || (out_.left && out_.right) || left_here_ <= 0; }

  /// Looks at points of one choice of sizes. Returns false if the circuits do not accept the sizes.
  bool at_size(const ir::Dimensions& sizes) {
    left_here_ = std::max(fewest_points, max_work / index_values(sizes));
    const RationalPoints rational =
        rational_points(module_, *item_.left, *item_.right, sizes, item_.ranges, max_rational_points);
    for (const RationalPoint& point : rational.points) {
      if (is_over()) return true;
      auto arguments = exact_arguments(module_, *item_.left, *exact_, rational, point);
      if (!arguments.empty()) compare(sizes, arguments, shown_inputs(module_, *item_.left, rational, point));
    }
    std::vector<mpq_class> simple{0, 1, -1, 2, -2, mpq_class(1, 2), mpq_class(-1, 2), 10, -10};
    for (const mpq_class& constant : constants_) {
      simple.push_back(constant);
      simple.push_back(-constant);
    }
    const std::size_t count = item_.left->parameters.size();
    for (const mpq_class& value : simple) {
      if (!look(sizes, [&](std::size_t, ir::HostTensor& tensor) { fill(tensor, value); })) return false;
    }
    // One parameter at a time has the simple value, and the other parameters are random.
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
    for (std::uint64_t point = 0; point < points_at_random; ++point) {
      constexpr Family families[] = {integers, unit, large, constants};
      if (is_over()) return true;
      look(sizes, [&](std::size_t parameter, ir::HostTensor& tensor) {
        const Family family = families[point % 4] == constants && constants_.empty() ? large : families[point % 4];
        draw_family(family, tensor, 1000 * point + parameter, constants_, nullptr);
        if (point % 8 < 4) return;
        for (std::int64_t i = 0; i < tensor.size(); ++i) {  // logarithms and roots need positive numbers
          if (ir::is_float(tensor.scalar)) tensor.set_bits(i, numerics::magnitude_bits(tensor.bits(i), ir::format_of(tensor.scalar)));
        }
      });
    }
    return true;
  }

  static void fill(ir::HostTensor& tensor, const mpq_class& value) {
    const std::uint64_t bits = tensor.scalar == ir::Scalar::boolean ? (value != 0 ? 1 : 0)
                               : ir::is_integer(tensor.scalar)
                                   ? ir::integer_pattern(tensor.scalar, value.get_num() / value.get_den())
                                   : numerics::round_rational(value, ir::format_of(tensor.scalar));
    for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.set_bits(i, bits);
  }

  /// Which elements of a circuit's results have no value, and why the first of them has none. Nothing: not known.
  std::optional<std::vector<bool>> lacking(const ir::Function& circuit, const std::vector<interp::Argument>& arguments,
                                           const ir::Dimensions& sizes, std::string& reason) {
    std::optional<Diagnostic> why;
    evaluate_.why_empty = &why;
    const auto found = interp::evaluate(module_, circuit, *exact_, arguments, sizes, evaluate_);
    evaluate_.why_empty = nullptr;
    if (!found && found.error().code != code::undefined_result) return std::nullopt;
    if (!found) why = found.error();
    if (why) reason = why->message;
    for (const char* last : {", so it has no value under", " has no value under"}) {
      if (const auto end = reason.find(last); end != std::string::npos) reason.resize(end);
    }
    std::vector<bool> out;
    if (!found) return std::vector<bool>{true};
    for (const interp::Values& part : *found) {
      for (std::int64_t i = 0; i < part.count(); ++i) out.push_back(!exact_->undefined_by(part.scalar(), part.at(i)).empty());
    }
    return out;
  }

  /// Evaluates both circuits on one input; false if they do not accept the sizes.
  template <class Fill>
  bool look(const ir::Dimensions& sizes, Fill&& fill_parameter) {
    if (is_over()) return true;
    std::vector<interp::Argument> arguments;
    for (std::size_t k = 0; k < item_.left->parameters.size(); ++k) {
      const ir::Type type = module_.types()[item_.left->parameters[k].type];
      if (type.kind == ir::TypeKind::tuple || !can_draw(type.scalar)) return false;
      std::vector<std::int64_t> shape;
      for (ir::IndexId extent : type.extents) {
        const auto value = module_.indices().evaluate(extent, {sizes, {}});
        if (!value || *value < 0 || *value > 4096) return false;
        shape.push_back(*value);
      }
      ir::HostTensor tensor(type.scalar, std::move(shape));
      fill_parameter(k, tensor);
      index_limits_.keep(k, sizes, tensor);
      for (std::int64_t i = 0; range_of(item_, k) != nullptr && ir::is_float(tensor.scalar) && i < tensor.size(); ++i) {
        const auto value = numerics::exact_value(tensor.bits(i), ir::format_of(tensor.scalar));
        if (!value || !is_allowed(item_.ranges, k, *value)) return true;
      }
      arguments.emplace_back(std::move(tensor));
    }
    std::vector<WitnessInput> shown;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const auto& tensor = std::get<ir::HostTensor>(arguments[k]);
      WitnessInput input{std::string(module_.name(item_.left->parameters[k].name)), {}, {}};
      show_elements(tensor, input);
      if (!tensor.shape.empty()) {
        input.expression = fmt::format("[{}{}]", fmt::join(input.elements, ", "), input.left_out > 0 ? ", ..." : "");
      }
      shown.push_back(std::move(input));
    }
    compare(sizes, arguments, shown);
    return true;
  }

  void compare(const ir::Dimensions& sizes, const std::vector<interp::Argument>& arguments,
               const std::vector<WitnessInput>& shown) {
    --left_here_;
    std::string left_reason, right_reason;
    const auto left = lacking(*item_.left, arguments, sizes, left_reason);
    if (!left) return;
    const auto right = lacking(*item_.right, arguments, {}, right_reason);
    if (!right || left->size() != right->size()) return;
    ++out_.points;
    bool both = left->empty(), on_left = false, on_right = false, on_neither = false;
    for (std::size_t i = 0; i < left->size(); ++i) {
      both |= !(*left)[i] && !(*right)[i];
      on_left |= (*left)[i] && !(*right)[i];
      on_right |= (*right)[i] && !(*left)[i];
      on_neither |= (*left)[i] && (*right)[i];
    }
    out_.both += both;
    if (on_left) keep(out_.left, left_reason, sizes, shown);
    if (on_right) keep(out_.right, right_reason, sizes, shown);
    if (on_neither) keep(out_.neither, left_reason, sizes, shown);
  }

  void keep(std::optional<Domains::Hole>& hole, const std::string& reason, const ir::Dimensions& sizes,
            const std::vector<WitnessInput>& shown) {
    if (hole) return;
    hole.emplace();
    hole->reason = reason;
    for (const auto& [symbol, value] : sizes) hole->dimensions.emplace_back(std::string(module_.name(symbol)), value);
    hole->inputs = shown;
  }

  ir::Module& module_;
  const frontend::ElaboratedItem& item_;
  const Watchdog& watch_;
  interp::EvaluateOptions evaluate_;
  const IndexLimits index_limits_;
  std::unique_ptr<interp::Semantics> exact_;
  std::vector<mpq_class> constants_;
  std::int64_t left_here_ = 0;  ///< points left for the current sizes
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

Domains search_domains(ir::Module& module, const frontend::ElaboratedItem& item, const Options& options,
                       const Watchdog& watch) {
  return Search(module, item, options, watch).run();
}

}  // namespace reckon::check
