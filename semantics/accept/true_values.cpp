#include "semantics/accept/true_values.h"

#include <cstring>

#include "diagnostics/codes/interrupted.h"
#include "diagnostics/codes/undefined_result.h"
#include "interp/algebra/interval_endpoints.h"
#include "semantics/accept/primitives.h"
#include "semantics/accept/values.h"

namespace reckon::interp::accept {

namespace {

using numerics::Rounding;

bool is_point(const Values& values) {
  for (std::int64_t i = 0; i < values.count(); ++i) {
    if (values.scalar() == ir::Scalar::boolean) {
      if (static_cast<Truth>(values.data()[i]) == Truth::unknown) return false;
    } else if (!answers(values)[i].is_point()) {
      return false;
    }
  }
  return true;
}

/// The bit patterns of numbers; all values must be points.
std::vector<std::uint8_t> patterns(const Values& values) {
  const ir::Scalar scalar = values.scalar();
  const auto width = static_cast<std::size_t>(ir::byte_width(scalar)), count = static_cast<std::size_t>(values.count());
  std::vector<std::uint8_t> out(width * count);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t bits = 0;
    if (scalar == ir::Scalar::boolean) {
      bits = static_cast<Truth>(values.data()[i]) == Truth::yes ? 1 : 0;
    } else {
      const double x = answers(values)[i].parts[0].low;
      bits = ir::is_float(scalar) ? numerics::round_f64(x, ir::format_of(scalar)) : static_cast<std::uint64_t>(x);
    }
    std::memcpy(out.data() + i * width, &bits, width);
  }
  return out;
}

double rounded(const mpq_class& value, numerics::Format format, Rounding rounding) {
  return numerics::widen(numerics::round_rational(value, format, rounding), format) + 0.0;
}

}  // namespace

std::optional<Fault> TrueValues::at_point(const Semantics::Call& call, const std::vector<const Values*>& arguments,
                                          std::vector<std::vector<TrueValue>>& out) {
  if (exact_ == nullptr) exact_ = make_exact_();
  std::vector<Values> numbers;
  for (const Values* from : arguments) {
    Values& to = numbers.emplace_back(*exact_, from->scalar(), from->shape());
    const std::vector<std::uint8_t> bits = patterns(*from);
    if (auto fault = exact_->load(from->scalar(), bits.data(), static_cast<std::size_t>(from->count()), to.data())) {
      return fault;
    }
  }
  std::vector<const Values*> given;
  for (const Values& values : numbers) given.push_back(&values);
  std::vector<Values> results;
  if (auto fault = call.body(*exact_, given, results)) return fault;
  out.clear();
  for (const Values& values : results) {
    const numerics::Format format = ir::format_of(values.scalar());
    std::vector<TrueValue>& to = out.emplace_back();
    for (std::int64_t i = 0; i < values.count(); ++i) {
      const auto endpoints = exact_->finest_enclosure(values.scalar(), values.at(i));
      if (!endpoints) return Fault{code::undefined_result, "the value is no real number", ""};
      to.push_back({{},
                    {rounded(endpoints->low, numerics::Format::f64, Rounding::downward),
                     rounded(endpoints->high, numerics::Format::f64, Rounding::upward)},
                    {rounded(endpoints->low, format, Rounding::nearest_even),
                     rounded(endpoints->high, format, Rounding::nearest_even)}});
    }
  }
  return std::nullopt;
}

std::optional<Fault> TrueValues::of(const Semantics::Call& call, const std::vector<const Values*>& arguments,
                                    std::vector<std::vector<TrueValue>>& out) {
  if (std::all_of(arguments.begin(), arguments.end(), [](const Values* values) { return is_point(*values); })) {
    // If there is no exact answer (no real one, or it takes too long), the enclosure is used.
    const auto fault = at_point(call, arguments, out);
    if (!fault || fault->code == code::interrupted) return fault;
  }
  if (reals_ == nullptr) reals_ = make_reals_();
  std::vector<Values> results;
  if (auto fault = call.body(*reals_, arguments, results)) return fault;
  out.clear();
  for (const Values& values : results) {
    const NumberKind kind = NumberKind::of(ir::format_of(values.scalar()));
    std::vector<TrueValue>& to = out.emplace_back();
    for (std::int64_t i = 0; i < values.count(); ++i) {
      const Answers& x = answers(values)[i];
      TrueValue& value = to.emplace_back();
      if (x.unbounded) {
        value.anything = x;
      } else if (x.nan || x.count == 0) {
        value.anything = Answers::anything(Cause::undefined, unnamed_operation);
      } else {
        value.reals = x.hull();
        value.nearest = {kind.nearest(value.reals.low), kind.nearest(value.reals.high)};
      }
    }
  }
  return std::nullopt;
}

}  // namespace reckon::interp::accept
