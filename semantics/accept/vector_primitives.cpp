#include "semantics/accept/vector_primitives.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/bad_argument.h"
#include "diagnostics/codes/unsupported_operation.h"
#include "ir/op.h"
#include "semantics/accept/orders.h"
#include "semantics/accept/sound.h"
#include "semantics/accept/suite.h"
#include "semantics/accept/values.h"

namespace reckon::interp::accept {

namespace {

using ir::Op;

/// Operations on single answers, by the profile's rules. It keeps the first fault.
class Arithmetic {
 public:
  Arithmetic(const Engine& engine, ir::Scalar scalar) : engine_(engine), scalar_(scalar) {}

  std::optional<Fault> fault;

  Answers apply(Op op, std::initializer_list<Answers> arguments) {
    Answers out;
    Operand operands[3];
    std::size_t k = 0;
    for (const Answers& argument : arguments) operands[k++] = {&argument, 0};
    if (!fault) fault = engine_.apply(op, scalar_, scalar_, operands, &out, 0, 1, 1);
    return out;
  }
  Answers add(const Answers& a, const Answers& b) { return apply(Op::add, {a, b}); }
  Answers sub(const Answers& a, const Answers& b) { return apply(Op::sub, {a, b}); }
  Answers mul(const Answers& a, const Answers& b) { return apply(Op::mul, {a, b}); }
  Answers dot(const Answers* x, const Answers* y, std::size_t n) {
    std::vector<Answers> products;
    for (std::size_t i = 0; i < n; ++i) products.push_back(mul(x[i], y[i]));
    Answers out;
    if (!fault) fault = fold_all_orders(engine_, Op::add, ir::ScheduleOp::any_seq, scalar_, products, nullptr, out);
    return out;
  }

 private:
  const Engine& engine_;
  ir::Scalar scalar_;
};

struct Call {
  Semantics& semantics;
  const Engine& engine;
  ir::Scalar scalar;
  Setting setting;
  const std::vector<const Values*>& arguments;
  std::vector<Values>& out;

  Values& result(std::vector<std::int64_t> shape) {
    out.emplace_back(semantics, scalar, std::move(shape));
    std::fill_n(answers(out.back()), out.back().count(), Answers{});
    return out.back();
  }
  std::size_t count(std::size_t k) const { return static_cast<std::size_t>(arguments[k]->count()); }
};

/// If one component of a result may be anything, so may all of them.
void collapse(Values& values) {
  const auto* all = answers(values);
  const auto* end = all + values.count();
  const auto* found = std::find_if(all, end, [](const Answers& x) { return x.unbounded; });
  if (found != end) std::fill_n(answers(values), values.count(), Answers(*found));
}

/// An argument that becomes a result: it is rounded and flushed.
Answers rounded_and_flushed(const Call& call, const Answers& x, bool negated = false) {
  if (x.unbounded) return x;
  Answers out;
  for (std::size_t p = 0; p < x.count; ++p) {
    Interval part = x.parts[p];
    if (negated) part = {-part.high + 0.0, -part.low + 0.0};
    if (call.setting.indeterminate && !call.setting.kind.is_finite(part)) {
      return Answers::anything(Cause::infinite, call.setting.operation);
    }
    unite(out, sound::rounded(call.setting, sound::input(call.setting, part)), !call.setting.endpoints_only);
  }
  out.nan = x.nan;
  return out;
}

std::optional<Fault> transpose(Call& call) {
  const auto& shape = call.arguments[0]->shape();
  if (shape.size() != 2 || call.arguments[0]->scalar() != call.scalar) {
    return Fault{code::bad_argument, "the primitive rule `transpose` takes a matrix", ""};
  }
  const auto first = static_cast<std::size_t>(shape[0]), second = static_cast<std::size_t>(shape[1]);
  Values& result = call.result({shape[1], shape[0]});
  for (std::size_t i = 0; i < first; ++i) {
    for (std::size_t j = 0; j < second; ++j)
      answers(result)[j * first + i] = rounded_and_flushed(call, answers(*call.arguments[0])[i * second + j]);
  }
  collapse(result);
  return std::nullopt;
}

/// Whether all arguments are of the call's format.
bool of_one_format(const Call& call) {
  return std::all_of(call.arguments.begin(), call.arguments.end(),
                     [&](const Values* each) { return each->scalar() == call.scalar; });
}

std::optional<Fault> modf_parts(Call& call) {
  if (call.arguments.size() != 1 || !of_one_format(call)) {
    return Fault{code::bad_argument, "the primitive rule `modf` takes one number, or a tensor", ""};
  }
  call.result(call.arguments[0]->shape());  // the fractions
  call.result(call.arguments[0]->shape());  // the whole parts
  for (std::size_t i = 0; i < call.count(0); ++i) {
    const Answers& x = answers(*call.arguments[0])[i];
    Answers both[2] = {x, x};
    if (!x.unbounded) {
      both[0] = both[1] = Answers{};
      for (std::size_t p = 0; p < x.count; ++p) {
        const Parts parts = modf(call.setting, x.parts[p]);
        unite(both[0], parts.fract, true);
        unite(both[1], parts.whole, true);
      }
    }
    answers(call.out[0])[i] = both[0];
    answers(call.out[1])[i] = both[1];
  }
  return std::nullopt;
}

/// Fractions from 1/2 to 1 with their exponents; a subnormal number may give anything.
std::optional<Fault> frexp_parts(Call& call) {
  if (call.arguments.size() != 1 || !of_one_format(call)) {
    return Fault{code::bad_argument, "the primitive rule `frexp` takes one number, or a tensor", ""};
  }
  call.result(call.arguments[0]->shape());
  call.out.emplace_back(call.semantics, ir::Scalar::i32, call.arguments[0]->shape());
  const NumberKind& kind = call.setting.kind;
  for (std::size_t i = 0; i < call.count(0); ++i) {
    const Answers& x = answers(*call.arguments[0])[i];
    Answers fraction, exponent;
    const auto anything = [&](Cause cause) { fraction = exponent = Answers::anything(cause, call.setting.operation); };
    if (x.unbounded) fraction = exponent = x;
    else if (x.nan || x.count == 0) anything(Cause::infinite);
    for (std::size_t p = 0; p < x.count && !fraction.unbounded; ++p) {
      const Interval part = sound::input(call.setting, x.parts[p]);
      if (!kind.is_finite(part)) {
        anything(Cause::infinite);
      } else if (part.low == 0 && part.high == 0) {
        unite(fraction, Answers::of({0, 0}), true);
        unite(exponent, Answers::of({0, 0}), true);
      } else if (kind.meets_subnormals(part)) {
        anything(Cause::undefined);
      } else {  // of one sign
        int first = 0, last = 0;
        const double low = std::frexp(part.low, &first), high = std::frexp(part.high, &last);
        const double below_one = part.low > 0 ? kind.before(1) : -0.5, least = part.low > 0 ? 0.5 : -kind.before(1);
        const bool one_binade = first == last;
        unite(fraction, Answers::of(one_binade ? Interval{low, high} : Interval{least, below_one}), true);
        unite(exponent,
              Answers::of({static_cast<double>(std::min(first, last)), static_cast<double>(std::max(first, last))}),
              true);
      }
    }
    answers(call.out[0])[i] = fraction;
    answers(call.out[1])[i] = exponent;
  }
  return std::nullopt;
}

/// x if dot(z, y) < 0, otherwise -x; the choice may be open.
std::optional<Fault> face_forward(Call& call) {
  const std::size_t n = call.count(0);
  if (call.arguments.size() != 3 || call.count(1) != n || call.count(2) != n || !of_one_format(call)) {
    return Fault{code::bad_argument, "the primitive rule `faceForward` takes three vectors of one length", ""};
  }
  Arithmetic arithmetic(call.engine, call.scalar);
  const Answers d = arithmetic.dot(answers(*call.arguments[2]), answers(*call.arguments[1]), n);
  if (arithmetic.fault) return std::move(arithmetic.fault);
  Values& result = call.result(call.arguments[0]->shape());
  for (std::size_t i = 0; i < n; ++i) {
    Answers& to = answers(result)[i];
    if (d.unbounded) {
      to = d;
      continue;
    }
    const Answers& x = answers(*call.arguments[0])[i];
    Interval sign = d.hull();
    if (!call.setting.endpoints_only) sign = sound::input(call.setting, sign);
    if (sign.low < 0) unite(to, rounded_and_flushed(call, x), !call.setting.endpoints_only);
    if (sign.high >= 0) unite(to, rounded_and_flushed(call, x, true), !call.setting.endpoints_only);
  }
  for (std::size_t i = 0; i < n && call.setting.endpoints_only; ++i) {
    if (answers(result)[i].unbounded) collapse(result);
  }
  return std::nullopt;
}

/// k = 1 - r^2 (1 - dot(s, i)^2): where it is negative, 0; otherwise r i - (r dot(s, i) + sqrt(k)) s.
std::optional<Fault> refract(Call& call) {
  const std::size_t n = call.count(0);
  if (call.arguments.size() != 3 || call.count(1) != n || call.count(2) != 1 || !of_one_format(call)) {
    return Fault{code::bad_argument, "the primitive rule `refract` takes two vectors of one length and a number", ""};
  }
  const Answers *i = answers(*call.arguments[0]), *s = answers(*call.arguments[1]);
  const Answers r = answers(*call.arguments[2])[0], one = Answers::of({1, 1});
  Arithmetic a(call.engine, call.scalar);
  const Answers d = a.dot(s, i, n);
  const Answers k = a.sub(one, a.mul(a.mul(r, r), a.sub(one, a.mul(d, d))));
  if (a.fault) return std::move(a.fault);
  Values& result = call.result(call.arguments[0]->shape());
  const auto all = [&](const Answers& value) { std::fill_n(answers(result), n, value); };
  if (k.unbounded) {
    all(k);
  } else if (const Interval sign = k.hull(); call.setting.kind.meets_subnormals(sign)) {
    all(Answers::anything(Cause::undefined, operation_number(Op::sqrt)));
  } else if (sign.high < 0) {
    all(Answers::of({0, 0}));
  } else {
    const Answers t = a.add(a.mul(d, r), a.apply(Op::sqrt, {k}));
    for (std::size_t j = 0; j < n; ++j) answers(result)[j] = a.sub(a.mul(i[j], r), a.mul(s[j], t));
    collapse(result);
  }
  return std::move(a.fault);
}

/// Applies the row of a scalar rule to each element.
std::optional<Fault> elements(Call& call, const PrimitiveRow& row) {
  const auto arity = static_cast<std::size_t>(row.arity);
  if (call.arguments.size() != arity) return Fault{code::bad_argument, "too many arguments, or too few", ""};
  for (const Values* each : call.arguments) {
    if (each->scalar() == call.scalar && (each->count() == 1 || each->shape() == call.arguments[0]->shape())) continue;
    return Fault{code::bad_argument,
                 fmt::format("the primitive rule `{}` takes numbers, or tensors of one shape, of `{}`", row.name,
                             ir::scalar_name(call.scalar)),
                 ""};
  }
  Values& result = call.result(call.arguments[0]->shape());
  for (std::size_t i = 0; i < call.count(0); ++i) {
    Interval box[3];
    Answers to;
    for (std::size_t k = 0; k < arity && !to.unbounded; ++k) {
      const Answers& x = answers(*call.arguments[k])[call.count(k) == 1 ? 0 : i];
      if (x.unbounded) to = x;
      else if (x.nan || x.count == 0 || !call.setting.kind.is_finite(x.hull()))
        to = Answers::anything(Cause::infinite, call.setting.operation, static_cast<int>(k));
      else box[k] = x.hull();
    }
    if (to.unbounded) {
      answers(result)[i] = to;
      continue;
    }
    if (call.setting.endpoints_only) {
      suite::each_choice(call.setting, box, row.arity,
                         [&](const double* point) { span(to, row.at(call.setting, point)); });
    } else {
      for (std::size_t k = 0; k < arity; ++k) box[k] = sound::input(call.setting, box[k]);
      to = row.over(call.setting, box);
    }
    answers(result)[i] = to;
  }
  return std::nullopt;
}

/// A word that may be one of several has the answers of each; the answers of an unknown word are not known.
template <Packing packing>
std::optional<Fault> unpacked(Call& call) {
  const Values& word = *call.arguments[0];
  if (word.scalar() != ir::Scalar::u32 || word.count() != 1) {
    return Fault{code::unsupported_operation, "unpacking is of one `u32`", ""};
  }
  const Answers& words = answers(word)[0];
  Values& result = call.result({packing == Packing::snorm4 || packing == Packing::unorm4 ? 4 : 2});
  for (std::size_t k = 0; k < words.count && !words.unbounded; ++k) {
    if (!words.parts[k].is_point()) break;
    const auto lanes = unpack(call.setting, packing, static_cast<std::uint32_t>(words.parts[k].low));
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
      unite(answers(result)[lane], lanes[lane], !call.setting.endpoints_only);
    if (k + 1 == words.count) return std::nullopt;
  }
  std::fill_n(answers(result), result.count(),
              words.unbounded ? words : Answers::anything(Cause::integers, call.setting.operation));
  return std::nullopt;
}

struct Row {
  const char* name;
  std::optional<Fault> (*run)(Call&);
};
constexpr Row rows[] = {
#define RECKON_VECTOR_PRIMITIVE(name, arity, types, implementation) {#name, implementation},
#include "ir/primitives.def"
};

}  // namespace

std::optional<Fault> vector_primitive(Semantics& semantics, const Engine& engine, const Piece& piece, ir::Scalar scalar,
                                      const std::vector<const Values*>& arguments, std::vector<Values>& out) {
  const std::uint16_t number = piece.primitive != nullptr ? operation_number(*piece.primitive) : unnamed_operation;
  Call call{semantics, engine, scalar, engine.rules().setting(scalar, number), arguments, out};
  if (piece.primitive != nullptr) return elements(call, *piece.primitive);
  const auto* row =
      std::find_if(std::begin(rows), std::end(rows), [&](const Row& each) { return piece.name == each.name; });
  if (row != std::end(rows)) return row->run(call);
  return Fault{code::unsupported_operation, fmt::format("there is no primitive rule `{}` of circuits", piece.name), ""};
}

std::vector<Answers> unpack(const Setting& setting, Packing packing, std::uint32_t word) {
  std::vector<Answers> out;
  const bool halves = packing != Packing::snorm4 && packing != Packing::unorm4;
  const int lanes = halves ? 2 : 4, bits = 32 / lanes;
  for (int lane = 0; lane < lanes; ++lane) {
    const std::uint32_t field = (word >> (lane * bits)) & ((1u << bits) - 1);
    const auto as_signed =
        static_cast<double>(halves ? static_cast<std::int16_t>(field) : static_cast<std::int8_t>(field));
    double value = 0;
    switch (packing) {
      case Packing::half2: {
        const double half = numerics::widen(field, numerics::Format::f16);
        if (!std::isfinite(half)) {
          out.assign(2, Answers::anything(Cause::infinite, setting.operation));
          return out;
        }
        Answers answer;
        const suite::Inputs inputs = suite::inputs(setting.kind, setting.flush_inputs, half);
        for (int k = 0; k < inputs.count; ++k)
          span(answer, primitive_named("quantizeToF16")->at(setting, inputs.values + k));
        out.push_back(answer);
        continue;
      }
      case Packing::snorm2: value = std::max(as_signed / 32767, -1.0); break;
      case Packing::unorm2: value = field / 65535.0; break;
      case Packing::snorm4: value = std::max(as_signed / 127, -1.0); break;
      case Packing::unorm4: value = field / 255.0; break;
    }
    out.push_back(suite::ulps(setting, {value, value}, 3));
  }
  return out;
}

}  // namespace reckon::interp::accept
