#include "interp/evaluate.h"

#include <fmt/format.h>

#include "diagnostics/codes/bad_argument.h"
#include "diagnostics/codes/interrupted.h"
#include "interp/circuit_cache.h"
#include "interp/evaluator.h"

namespace reckon::interp {

RangeTensor::RangeTensor(ir::Scalar scalar_, std::vector<std::int64_t> shape_, mpq_class low_, mpq_class high_)
    : scalar(scalar_), shape(std::move(shape_)), low(std::move(low_)), high(std::move(high_)) {}
RangeTensor::RangeTensor(const RangeTensor&) = default;
RangeTensor::RangeTensor(RangeTensor&&) noexcept = default;
RangeTensor& RangeTensor::operator=(const RangeTensor&) = default;
RangeTensor& RangeTensor::operator=(RangeTensor&&) noexcept = default;
RangeTensor::~RangeTensor() = default;

RandomTensor::RandomTensor() = default;
RandomTensor::RandomTensor(const RandomTensor&) = default;
RandomTensor::RandomTensor(RandomTensor&&) noexcept = default;
RandomTensor& RandomTensor::operator=(const RandomTensor&) = default;
RandomTensor& RandomTensor::operator=(RandomTensor&&) noexcept = default;
RandomTensor::~RandomTensor() = default;

namespace {

/// Element i depends on the seed, on i, and on how often its row was drawn again.
void draw_elements(const Semantics& semantics, const RandomTensor& random, std::size_t count, std::byte* out) {
  const auto scrambled = [](std::uint64_t z) {  // SplitMix64's output function
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  };
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = i / random.row_length;
    const std::uint64_t again = row < random.redrawn.size() ? random.redrawn[row] : 0;
    const std::uint64_t seed = scrambled(scrambled(random.seed + 0x9e3779b97f4a7c15ull * (again + 1)) + i);
    semantics.draw(random.scalar, {random.sign, seed, random.first_row + row}, out + i * semantics.size(random.scalar));
  }
}

std::optional<Diagnostic> load_argument(const ir::Module& module, const ir::Parameter& parameter, Semantics& semantics,
                                        const Argument& argument, Tensor& out) {
  const auto& [scalar, shape] =
      std::visit([](const auto& given) { return std::pair(given.scalar, given.shape); }, argument);
  const ir::Type& type = module.types()[parameter.type];
  if (scalar != type.scalar) {
    return Diagnostic(code::bad_argument, parameter.span,
                      fmt::format("`{}` has elements of type `{}` and was given `{}`", module.name(parameter.name),
                                  ir::scalar_name(type.scalar), ir::scalar_name(scalar)));
  }
  if (const auto* made = std::get_if<MadeTensor>(&argument)) {
    out = made->values;
    return std::nullopt;
  }
  auto values = std::make_shared<Values>(semantics, scalar, shape);
  const auto count = static_cast<std::size_t>(values->count());
  std::optional<Fault> fault;
  if (const auto* host = std::get_if<ir::HostTensor>(&argument)) {
    if (host->bytes.size() != count * static_cast<std::size_t>(ir::byte_width(scalar))) {
      return Diagnostic(code::bad_argument, parameter.span,
                        fmt::format("the value of `{}` does not have as many bytes as its shape needs",
                                    module.name(parameter.name)));
    }
    fault = semantics.load(scalar, host->bytes.data(), count, values->data());
  } else if (const auto* random = std::get_if<RandomTensor>(&argument)) {
    draw_elements(semantics, *random, count, values->data());
  } else if (count > 0) {
    const auto& range = std::get<RangeTensor>(argument);
    if (scalar == ir::Scalar::boolean) {
      const Truth truth = range.low != range.high ? Truth::unknown : range.low != 0 ? Truth::yes : Truth::no;
      std::fill_n(values->data(), count, static_cast<std::byte>(truth));
    } else {
      fault = semantics.ranges(scalar, range.low, range.high, count, values->data());
    }
  }
  if (fault) {
    Diagnostic diagnostic(fault->code, parameter.span,
                          fmt::format("argument `{}`: {}", module.name(parameter.name), fault->message));
    if (!fault->help.empty()) diagnostic.helps.push_back(fault->help);
    return diagnostic;
  }
  out = std::move(values);
  return std::nullopt;
}

std::optional<Diagnostic> first_without_value(const Evaluator& evaluator, const std::vector<Tensor>& results) {
  const Semantics& semantics = evaluator.semantics();
  for (const Tensor& result : results) {
    for (std::int64_t i = 0; i < result->count(); ++i) {
      if (semantics.undefined_by(result->scalar(), result->at(i)).empty()) continue;
      return evaluator.why_empty(result->scalar(), result->at(i));
    }
  }
  return std::nullopt;
}

}  // namespace

driver::Shapes shapes_of(const std::vector<Argument>& arguments) {
  driver::Shapes out;
  for (const Argument& argument : arguments) {
    out.push_back(std::visit([](const auto& given) { return given.shape; }, argument));
  }
  return out;
}

Expected<std::vector<Values>> evaluate(ir::Module& module, const ir::Function& function, Semantics& semantics,
                                       const std::vector<Argument>& arguments,
                                       const std::map<ir::SymbolId, std::int64_t>& given,
                                       const EvaluateOptions& options) {
  CircuitCache own(module);
  CircuitCache& circuits = options.circuits != nullptr ? *options.circuits : own;
  driver::Traits traits = semantics.traits();
  if (options.uses_are_related) traits.laws = traits.laws.without(ir::Law::uses_agree);
  const auto prepared = circuits.prepare(function, shapes_of(arguments), given, traits);
  if (!prepared) return prepared.error();
  const ir::Function& concrete = (*prepared)->function;
  std::vector<Tensor> parameters(arguments.size());
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (auto problem = load_argument(module, concrete.parameters[k], semantics, arguments[k], parameters[k])) {
      return std::move(*problem);
    }
  }
  std::vector<Tensor> results;
  const auto is_over = [&] {
    return options.interrupted != nullptr && options.interrupted->load(std::memory_order_relaxed);
  };
  const Diagnostic interrupted(code::interrupted, function.span, "interrupted");
  {
    const StopFlagGuard stopping(semantics, options.interrupted);
    Evaluator evaluator(module, **prepared, semantics, circuits, std::move(parameters), options);
    // An operation that was stopped is not one without a value.
    if (!evaluator.results(results)) return is_over() ? interrupted : evaluator.diagnostic();
    if (is_over()) return interrupted;
    const bool one_number = results.size() == 1 && results[0]->shape().empty();
    if (evaluator.first_empty() && one_number &&
        !semantics.undefined_by(results[0]->scalar(), results[0]->data()).empty()) {
      return *evaluator.why_empty(results[0]->scalar(), results[0]->data());
    }
    if (options.why_empty != nullptr && evaluator.first_empty()) *options.why_empty = first_without_value(evaluator, results);
  }
  // A result that nothing else holds is moved out; a parameter that is returned, or a tensor returned twice, is copied.
  std::vector<Values> out;
  for (Tensor& result : results) {
    if (result.use_count() == 1) {
      out.push_back(std::move(*std::const_pointer_cast<Values>(result)));
      result.reset();
      continue;
    }
    Values copy(semantics, result->scalar(), result->shape());
    copy_values(semantics, copy.scalar(), result->data(), copy.data(), static_cast<std::size_t>(copy.count()));
    out.push_back(std::move(copy));
    result.reset();
  }
  return out;
}

}  // namespace reckon::interp
