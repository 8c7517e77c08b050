// The bridge between a program's own semantics and the evaluator. What is the same under every semantics (bools,
// integers, the checks of shapes) is that of ArraySemantics; all arithmetic on floats goes to the kernels of the class.
#include "api/own_semantics.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "diagnostics/codes/bad_library.h"
#include "diagnostics/codes/own_semantics_failed.h"
#include "diagnostics/codes/undefined_result.h"
#include "diagnostics/codes/unknown_semantics.h"
#include "interp/algebra/array_semantics.h"
#include "interp/algebra/real_constant.h"
#include "interp/algebra/rounded_literal.h"
#include "numerics/format.h"
#include "numerics/wide_float.h"
#include "semantics/registry.h"
#include "semantics/standard.h"

namespace reckon {
namespace {

using interp::Fault;
using interp::Rows;
using semantics::Block;
using semantics::Failure;
using semantics::Format;
using semantics::Outcome;

static_assert(sizeof(semantics::Truth) == sizeof(interp::Truth) &&
              static_cast<int>(semantics::Truth::unknown) == static_cast<int>(interp::Truth::unknown));

/// The operation by the name that it has in ir/ops.def. A row that reckon/semantics/kernels.h lacks does not compile.
template <class Operation = semantics::Operation>
Operation operation_of(ir::Op op) {
  switch (op) {
#define RECKON_SCALAR(name, arity, spelling, result)                                                             \
  case ir::Op::name:                                                                                             \
    if constexpr ((ir::ResultRule::result == ir::ResultRule::same && !ir::is_integer_operation(ir::Op::name)) || \
                  ir::ResultRule::result == ir::ResultRule::truth) {                                             \
      return Operation::name;                                                                                    \
    }                                                                                                            \
    break;
#include "ir/ops.def"
    default: break;
  }
  return {};
}

const Format& stated_format(ir::Scalar scalar) {
  static const auto formats = [] {
    std::array<Format, numerics::format_count> out;
    for (std::size_t k = 0; k < out.size(); ++k) {
      const numerics::FormatTraits& traits = numerics::format_traits[k];
      const auto format = static_cast<numerics::Format>(k);
      out[k] = {traits.name,     traits.width, traits.precision,
                traits.emin,     traits.emax,  numerics::widen(numerics::largest_finite(format), format),
                traits.saturates, numerics::has_nan(format)};
    }
    return out;
  }();
  return formats[static_cast<std::size_t>(ir::format_of(scalar))];
}

double rounded_to_f64(const mpq_class& value, numerics::Rounding rounding) {
  return numerics::widen(numerics::round_rational(value, numerics::Format::f64, rounding), numerics::Format::f64);
}

/// A literal of the IR in the words of the public header.
semantics::Literal public_literal(const ir::Literal& literal, numerics::Format format) {
  using Kind = ir::Literal::Kind;
  using numerics::Rounding;
  semantics::Literal out;
  out.nearest = numerics::widen(interp::literal_bits(literal, format), format);
  out.low = out.high = out.nearest;
  if (literal.kind != Kind::rational && literal.kind != Kind::real) return out;
  mpq_class low = literal.value, high = literal.value;
  const auto constant = literal.kind == Kind::real ? interp::real_constant(literal.constant) : std::nullopt;
  if (constant) {
    constexpr int bits = 200;  // far more than an f64 has
    low = numerics::wide_real(literal.value, *constant, bits, numerics::Toward::below).rational();
    high = numerics::wide_real(literal.value, *constant, bits, numerics::Toward::above).rational();
  } else {
    out.numerator = literal.value.get_num().get_str();
    out.denominator = literal.value.get_den().get_str();
  }
  out.low = rounded_to_f64(low, Rounding::downward);
  out.high = rounded_to_f64(high, Rounding::upward);
  return out;
}

/// Values of a class have a size that only the class knows; nothing is computed with this type.
struct OwnAlgebra {
  using Value = std::uint8_t;
};

class OwnSemantics final : public interp::ArraySemantics<OwnSemantics> {
 public:
  using Base = interp::ArraySemantics<OwnSemantics>;
  using Truth = interp::Truth;

  OwnSemantics(std::string name, semantics::Maker maker, std::vector<std::string> arguments,
               std::unique_ptr<semantics::Kernels> kernels)
      : name_(std::move(name)),
        maker_(std::move(maker)),
        arguments_(std::move(arguments)),
        kernels_(std::move(kernels)),
        values_(kernels_->values()) {}

  const std::type_info& type() const { return *values_.type; }

  std::string_view name() const override { return name_; }
  std::unique_ptr<Semantics> another() const override {
    if (!kernels_->properties().parallel) return nullptr;
    auto made = maker_.make(arguments_);
    if (!made.kernels) return nullptr;  // the first one goes on alone
    return std::make_unique<OwnSemantics>(name_, maker_, arguments_, std::move(made.kernels));
  }

  driver::Traits traits() const override {
    using enum ir::Law;
    const semantics::Properties stated = kernels_->properties();
    driver::Traits out;
    if (stated.exact || stated.ring) {
      out.laws = {add_commutes, mul_commutes, add_associates, mul_associates, mul_distributes, sums_exactly};
    }
    if (stated.exact) {
      out.laws = {add_commutes,    mul_commutes, add_associates,   mul_associates,
                  mul_distributes, sums_exactly, min_max_any_order};
    }
    if (stated.encloses) out.laws = {sums_exactly, any_order_encloses};
    out.compiled_laws = out.laws;
    out.closed_numbers = &interp::closed_numbers();
    out.encloses = stated.encloses;
    out.reals = stated.exact;
    out.ring = stated.ring;
    out.sets = stated.sets;
    out.no_distance = !values_.has_enclosures;
    out.no_equality = !values_.has_equality;
    return out;
  }

  template <ir::Scalar S>
  auto algebra() const {
    if constexpr (ir::is_float(S)) return OwnAlgebra{};
    else return interp::NoAlgebra{};
  }

  std::size_t size(ir::Scalar scalar) const override {
    return ir::is_float(scalar) ? values_.size : Base::size(scalar);
  }
  bool trivial() const override { return values_.trivial; }
  void construct(ir::Scalar scalar, std::byte* data, std::size_t count) const override {
    if (ir::is_float(scalar) && !trivial()) kernels_->construct(data, count);
  }
  void destroy(ir::Scalar scalar, std::byte* data, std::size_t count) const override {
    if (ir::is_float(scalar) && !trivial()) kernels_->destroy(data, count);
  }
  void gather(ir::Scalar scalar, const std::byte* in, const std::int64_t* index, std::byte* out,
              std::size_t count) const override {
    if (!ir::is_float(scalar) || trivial()) return Base::gather(scalar, in, index, out, count);
    must(kernels_->gather(in, index, out, count));
  }

  std::optional<Fault> literal(const ir::Literal& literal, ir::Scalar scalar, std::byte* out) const override {
    if (scalar == ir::Scalar::boolean) return *out = static_cast<std::byte>(literal.bits != 0), std::nullopt;
    if (ir::is_integer(scalar)) return interp::words::put_literal(scalar, literal, out), std::nullopt;
    if (scalar == ir::Scalar::number) return without_format();
    return fault(kernels_->literal(stated_format(scalar), public_literal(literal, ir::format_of(scalar)), out));
  }
  std::optional<Fault> load(ir::Scalar scalar, const std::uint8_t* bytes, std::size_t count,
                            std::byte* out) const override {
    if (ir::is_integer(scalar)) return interp::words::load(scalar, bytes, count, out), std::nullopt;
    std::vector<double> numbers(ir::is_float(scalar) ? count : 0);
    auto failed =
        load_patterns(scalar, bytes, count, out, [&](std::uint64_t pattern, std::size_t i) -> std::optional<Fault> {
          numbers[i] = numerics::widen(pattern & numerics::storage_mask(ir::format_of(scalar)), ir::format_of(scalar));
          return std::nullopt;
        });
    if (failed || numbers.empty()) return failed;
    return fault(kernels_->numbers(stated_format(scalar), numbers.data(), count, out));
  }
  std::optional<Fault> from_index(ir::Scalar scalar, const std::int64_t* values, std::size_t count,
                                  std::byte* out) const override {
    if (ir::is_integer(scalar)) return interp::words::put_indices(scalar, values, count, out), std::nullopt;
    if (!ir::is_float(scalar)) return without_format();
    constexpr std::int64_t exact = std::int64_t{1} << 53;
    for (std::size_t i = 0; i < count; ++i) {
      std::byte* to = out + i * values_.size;
      std::optional<Fault> failed;
      if (values[i] >= -exact && values[i] <= exact) {
        const double number = static_cast<double>(values[i]);
        failed = fault(kernels_->numbers(stated_format(scalar), &number, 1, to));
      } else {
        ir::Literal whole;
        whole.kind = ir::Literal::Kind::rational;
        whole.value = mpq_class(static_cast<long>(values[i]));
        failed = literal(whole, scalar, to);
      }
      if (failed) return failed;
    }
    return std::nullopt;
  }
  std::optional<Fault> range(ir::Scalar scalar, const mpq_class& low, const mpq_class& high,
                             std::byte* out) const override {
    return ranges(scalar, low, high, 1, out);
  }
  /// Each element is made by itself: elements that are anywhere in a range are not the same number.
  std::optional<Fault> ranges(ir::Scalar scalar, const mpq_class& low, const mpq_class& high, std::size_t count,
                              std::byte* out) const override {
    if (!ir::is_float(scalar)) return Semantics::range(scalar, low, high, out);
    return fault(kernels_->ranges(stated_format(scalar), rounded_to_f64(low, numerics::Rounding::downward),
                                  rounded_to_f64(high, numerics::Rounding::upward), count, out));
  }

  std::optional<Fault> apply(ir::Op op, ir::Scalar from, ir::Scalar to, const Rows* operands, std::byte* out,
                             std::ptrdiff_t out_row_stride, std::size_t rows, std::size_t columns) override {
    const ir::ResultRule rule = ir::traits(op).result;
    const bool arithmetic = (rule == ir::ResultRule::same || rule == ir::ResultRule::truth) && ir::is_float(from);
    const bool selects = rule == ir::ResultRule::choose && ir::is_float(to);
    const bool converts = op == ir::Op::convert && ir::is_float(from) && ir::is_float(to);
    if (!arithmetic && !selects && !converts) {
      return Base::apply(op, from, to, operands, out, out_row_stride, rows, columns);
    }
    Block block{{}, out, out_row_stride, rows, columns};
    for (int k = 0; k < ir::traits(op).arity; ++k) {
      block.operands[static_cast<std::size_t>(k)] = {operands[k].data, operands[k].row_stride};
    }
    if (selects) return fault(kernels_->select(block));
    if (converts) return fault(kernels_->convert(stated_format(from), stated_format(to), block), op);
    return fault(kernels_->apply(operation_of(op), stated_format(from), block), op);
  }
  std::optional<Fault> accumulate(ir::Op op, ir::Scalar scalar, std::byte* accumulator, Rows in, std::size_t rows,
                                  std::size_t columns) override {
    if (!ir::is_float(scalar)) return Base::accumulate(op, scalar, accumulator, in, rows, columns);
    return fault(kernels_->accumulate(operation_of(op), stated_format(scalar), accumulator, {in.data, in.row_stride},
                                      rows, columns),
                 op);
  }
  std::optional<Fault> accumulate_products(ir::Scalar scalar, std::byte* accumulator, Rows left, Rows right,
                                           std::size_t rows, std::size_t columns) override {
    if (!ir::is_float(scalar)) return Base::accumulate_products(scalar, accumulator, left, right, rows, columns);
    return fault(kernels_->accumulate_products(stated_format(scalar), accumulator, {left.data, left.row_stride},
                                               {right.data, right.row_stride}, rows, columns),
                 ir::Op::fma);
  }

  interp::Rendering render(ir::Scalar scalar, const std::byte* value) const override {
    if (scalar == ir::Scalar::boolean) return interp::render_truth(value);
    if (ir::is_integer(scalar)) return interp::words::render(scalar, value);
    interp::Rendering out;
    if (const Outcome failed = kernels_->text(value, out.text, out.fields)) {
      return {fmt::format("no text: {}", failed->message), {{"error", failed->message}}};
    }
    if (out.fields.empty()) out.fields = {{"value", out.text}};
    return out;
  }
  Truth equal(ir::Scalar scalar, const std::byte* a, const std::byte* b) const override {
    if (scalar == ir::Scalar::boolean) return interp::equal_truths(a, b);
    if (ir::is_integer(scalar)) return interp::words::equal(scalar, a, b);
    semantics::Truth out{};
    if (values_.has_equality) must(kernels_->same(a, b, out));
    return static_cast<Truth>(out);
  }
  std::optional<interp::Enclosure> enclosure(ir::Scalar scalar, const std::byte* value) const override {
    if (scalar == ir::Scalar::boolean) return std::nullopt;
    if (ir::is_integer(scalar)) return interp::words::enclosure(scalar, value);
    if (!values_.has_enclosures) return std::nullopt;
    std::optional<semantics::Enclosure> out;
    must(kernels_->enclosure(value, out));
    if (!out || !std::isfinite(out->low) || !std::isfinite(out->high)) return std::nullopt;
    return interp::Enclosure{mpq_class(out->low), mpq_class(out->high)};
  }
  std::optional<std::uint64_t> bits(ir::Scalar scalar, const std::byte* value) const override {
    if (ir::is_integer(scalar)) return interp::words::at(scalar, value);
    if (scalar == ir::Scalar::boolean) {
      if (static_cast<Truth>(*value) == Truth::unknown) return std::nullopt;
      return static_cast<std::uint64_t>(*value);
    }
    std::optional<double> out;
    must(kernels_->as_float(value, out));
    if (!out) return std::nullopt;
    return numerics::round_f64(*out, ir::format_of(scalar));
  }
  std::vector<std::pair<std::string, std::string>> summary() const override {
    std::vector<std::pair<std::string, std::string>> out;
    if (const Outcome failed = kernels_->summary(out)) return {{"error", failed->message}};
    return out;
  }

 private:
  /// The operation is named in the message of a function that the class lacks.
  std::optional<Fault> fault(Outcome failed, std::optional<ir::Op> op = {}) const {
    if (!failed) return std::nullopt;
    switch (failed->kind) {
      case Failure::Kind::no_memory: throw std::bad_alloc();
      case Failure::Kind::no_value:
        return Fault{code::undefined_result, std::move(failed->message), std::move(failed->help)};
      case Failure::Kind::thrown:
        return Fault{code::own_semantics_failed,
                     op ? fmt::format("`{}` of `{}` failed: {}", ir::traits(*op).spelling, name_, failed->message)
                        : fmt::format("`{}` failed: {}", name_, failed->message),
                     "its class has thrown an exception; semantics::NoValue says that an operation has no value"};
      case Failure::Kind::missing: break;
    }
    if (op && ir::is_approximate(*op)) return missing(*op);
    Fault out{code::unsupported_operation,
              {},
              fmt::format("its class has no function `{}` of these operands", failed->message)};
    out.message = fmt::format("`{}` has no meaning under `{}`", op ? ir::traits(*op).spelling : failed->message, name_);
    return out;
  }
  /// Throws where no fault can be returned.
  void must(Outcome failed) const {
    if (auto found = fault(std::move(failed))) {
      Diagnostic diagnostic(found->code, {}, std::move(found->message));
      if (!found->help.empty()) diagnostic.helps.push_back(std::move(found->help));
      throw OwnSemanticsFailure{std::move(diagnostic)};
    }
  }

  std::string name_;
  semantics::Maker maker_;
  std::vector<std::string> arguments_;
  std::unique_ptr<semantics::Kernels> kernels_;
  semantics::Kernels::Values values_;
};

}  // namespace

Expected<const semantics::Library*> own_library(const std::string& path) {
  const auto problem = [&](std::string_view why) {
    return Diagnostic(code::bad_library, {}, fmt::format("the library `{}` cannot be used: {}", path, why));
  };
  // Without a folder in its name, a file is searched where the system keeps libraries.
  const std::string opened = path.find('/') == std::string::npos ? "./" + path : path;
  void* library = dlopen(opened.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return problem(dlerror());
  using Entry = const semantics::Library* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "reckon_semantics_library_1"));
  if (entry == nullptr) {
    return problem("it has no semantics for this version of Reckon")
        .help("it names them by RECKON_SEMANTICS_LIBRARY(...)");
  }
  return entry();
}

Expected<std::unique_ptr<interp::Semantics>> make_own(const std::string& name, const semantics::Maker& maker,
                                                      const std::vector<std::string>& arguments, SourceSpan place) {
  if (!arguments.empty() && !maker.takes_arguments()) return interp::no_arguments(name, {arguments[0]}, place);
  auto made = maker.make(arguments);
  if (!made.kernels) {
    return Diagnostic(code::own_semantics_failed, place, fmt::format("`{}` cannot be made: {}", name, made.why))
        .help("the function that makes its objects has thrown an exception");
  }
  return std::unique_ptr<interp::Semantics>(
      std::make_unique<OwnSemantics>(name, maker, arguments, std::move(made.kernels)));
}

bool is_own(const interp::Semantics& semantics) { return dynamic_cast<const OwnSemantics*>(&semantics) != nullptr; }

Expected<interp::Argument> own_argument(const OwnTensor& tensor, const std::string& parameter, ir::Scalar scalar,
                                        const interp::Semantics& semantics) {
  const auto* own = dynamic_cast<const OwnSemantics*>(&semantics);
  const auto problem = [&](std::string message) { return Diagnostic(code::bad_argument, {}, std::move(message)); };
  if (own == nullptr || tensor.type == nullptr || *tensor.type != own->type()) {
    return problem(fmt::format("argument `{}` has values of a class that is not the one of `{}`", parameter,
                               semantics.name()))
        .help("give floats, or name the semantics of these values in the options of the call");
  }
  if (!ir::is_float(scalar)) {
    return problem(fmt::format("argument `{}` has elements of type `{}`, which are no values of `{}`", parameter,
                               ir::scalar_name(scalar), semantics.name()));
  }
  std::int64_t count = 1;
  bool fits = true;
  for (const std::int64_t extent : tensor.shape)
    fits = fits && extent >= 0 && !__builtin_mul_overflow(count, extent, &count);
  if (!fits || static_cast<std::size_t>(count) != tensor.count) {
    return problem(fmt::format("argument `{}` has {} values, and its shape is [{}]", parameter, tensor.count,
                               fmt::join(tensor.shape, ", ")));
  }
  auto values = std::make_shared<interp::Values>(semantics, scalar, tensor.shape);
  std::vector<std::int64_t> order(tensor.count);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  own->gather(scalar, static_cast<const std::byte*>(tensor.data.get()), order.data(), values->data(), tensor.count);
  return interp::Argument(interp::MadeTensor{scalar, tensor.shape, std::move(values)});
}

std::optional<OwnTensor> own_tensor(const interp::Semantics& semantics, const interp::Values& values,
                                    const std::shared_ptr<const void>& keeper) {
  const auto* own = dynamic_cast<const OwnSemantics*>(&semantics);
  if (own == nullptr || !ir::is_float(values.scalar())) return std::nullopt;
  OwnTensor out;
  out.type = &own->type();
  out.shape = values.shape();
  out.count = static_cast<std::size_t>(values.count());
  out.data = std::shared_ptr<const void>(keeper, values.data());
  return out;
}

}  // namespace reckon
