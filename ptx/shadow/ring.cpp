#include "ptx/shadow/ring.h"

#include <algorithm>
#include <array>

#include "numerics/fpsan_native.h"

namespace reckon::ptx {
namespace {

namespace fpsan = numerics::fpsan;
using numerics::Format;

template <Format format>
struct Ring : fpsan::Rules<fpsan::NativeWords, numerics::traits(format).width> {
  static constexpr int width = numerics::traits(format).width;
  using V = fpsan::NativeWords::Word<width>;

  Ring(const fpsan::Generation& generation, const fpsan::Embedding& of_format)
      : fpsan::Rules<fpsan::NativeWords, width>{generation, {}}, embedding(of_format) {}
  V in(const Number& number) { return fpsan::embed<format>(this->words, embedding, static_cast<V>(number.bits)); }
  std::uint64_t out(V payload) { return fpsan::unembed<format>(this->words, embedding, payload); }

  fpsan::Embedding embedding;
};

template <Format format>
std::uint64_t applied(const fpsan::Generation& generation, const fpsan::Embedding& embedding, Act act,
                      std::span<const Number> operands) {
  Ring<format> ring(generation, embedding);
  using V = typename Ring<format>::V;
  constexpr V one = 1, zero = 0;
  if (act == Act::abs) return operands[0].bits & numerics::fpsan::magnitude_bits(format);
  const V a = ring.in(operands[0]);
  const V b = operands.size() > 1 ? ring.in(operands[1]) : zero;
  const V c = operands.size() > 2 ? ring.in(operands[2]) : zero;
  switch (act) {
    case Act::add: return ring.out(ring.add(a, b));
    case Act::sub: return ring.out(ring.sub(a, b));
    case Act::mul: return ring.out(ring.mul(a, b));
    case Act::div: return ring.out(ring.div(a, b));
    case Act::fma: return ring.out(ring.fma(a, b, c));
    case Act::neg: return ring.out(ring.neg(a));
    case Act::minnum:
    case Act::min: return ring.out(ring.min(a, b));
    case Act::maxnum:
    case Act::max: return ring.out(ring.max(a, b));
    case Act::rcp: return ring.out(ring.div(one, a));
    case Act::sqrt: return ring.out(ring.sqrt(a));
    case Act::rsqrt: return ring.out(ring.rsqrt(a));
    case Act::exp2: return ring.out(ring.exp2(a));
    case Act::log: return ring.out(ring.log(a));
    case Act::log2: return ring.out(ring.log2(a));
    case Act::sin: return ring.out(ring.sin(a));
    case Act::cos: return ring.out(ring.cos(a));
    case Act::tanh: return ring.out(ring.tanh(a));
    case Act::erf: return ring.out(ring.erf(a));
    case Act::erfc: return ring.out(ring.erfc(a));
    case Act::tan: return ring.out(ring.tan(a));
    case Act::asin: return ring.out(ring.asin(a));
    case Act::acos: return ring.out(ring.acos(a));
    case Act::atan: return ring.out(ring.atan(a));
    case Act::sinh: return ring.out(ring.sinh(a));
    case Act::cosh: return ring.out(ring.cosh(a));
    case Act::exp10: return ring.out(ring.exp10(a));
    case Act::expm1: return ring.out(ring.expm1(a));
    case Act::log10: return ring.out(ring.log10(a));
    case Act::log1p: return ring.out(ring.log1p(a));
    case Act::pow: return ring.out(ring.pow(a, b));
    case Act::floor: return ring.out(ring.floor(a));
    case Act::ceil: return ring.out(ring.ceil(a));
    case Act::trunc: return ring.out(ring.trunc(a));
    case Act::round: return ring.out(ring.round(a));
    case Act::copysign: return ring.out(ring.copysign(a, b));
    case Act::clamp: return ring.out(ring.clamp(a, zero, one));
    case Act::relu: return ring.out(ring.max(a, zero));
    case Act::abs:
    case Act::convert:
    case Act::dot: break;
  }
  return operands[0].bits;
}

}  // namespace

RingValues::RingValues(const fpsan::Generation& generation) : generation_(generation) {
  for (const Format format : {Format::f32, Format::f64, Format::f16, Format::bf16}) {
    const auto place = static_cast<std::size_t>(format);
    if (embeddings_.size() <= place) embeddings_.resize(place + 1);
    embeddings_[place] = fpsan::embedding(generation, format);
  }
}

Number RingValues::apply(const FloatAct& act, std::span<const Number> given) {
  // A summand of the kernel's own that is -0, which changes no sum, stands for 0: sums begin with it.
  std::array<Number, 3> taken{};
  std::ranges::copy(given, taken.begin());
  const std::span<const Number> operands(taken.data(), given.size());
  const std::size_t first_summand = act.act == Act::add ? 0 : act.act == Act::fma ? 2 : given.size();
  for (std::size_t k = first_summand; k < given.size(); ++k) {
    if (taken[k].id == 0 && taken[k].bits == numerics::sign_bit(act.format)) taken[k].bits = 0;
  }
  if (act.act == Act::convert) {
    // Products of tensor cores take f32 as tf32: the ring has one element for both.
    if (act.from == act.format || act.format == Format::tf32 || act.from == Format::tf32)
      return {operands[0].bits, operands[0].id != 0 ? operands[0].id : id_of(Format::f32, false)};
    const std::uint64_t payload = fpsan::fpsan_embed(operands[0].bits, act.from, generation_);
    const std::uint64_t cast = fpsan::fpsan_cast(payload, act.from, act.format, generation_);
    return {fpsan::fpsan_unembed(cast, act.format, generation_), id_of(act.format, true)};
  }
  std::uint64_t bits = 0;
  const auto in = [&](Format format) -> const fpsan::Embedding& {
    return embeddings_[static_cast<std::size_t>(format)];
  };
  switch (act.format) {
    case Format::f32: bits = applied<Format::f32>(generation_, in(Format::f32), act.act, operands); break;
    case Format::f64: bits = applied<Format::f64>(generation_, in(Format::f64), act.act, operands); break;
    case Format::f16: bits = applied<Format::f16>(generation_, in(Format::f16), act.act, operands); break;
    case Format::bf16: bits = applied<Format::bf16>(generation_, in(Format::bf16), act.act, operands); break;
    default: break;
  }
  return {bits, id_of(act.format, true)};
}

std::unique_ptr<Values> ring_named(std::string_view semantics) {
  constexpr std::string_view name = "fpsan";
  if (!semantics.starts_with(name)) return nullptr;
  semantics.remove_prefix(name.size());
  if (!semantics.empty()) {
    if (semantics.front() != '(' || semantics.back() != ')') return nullptr;
    semantics = semantics.substr(1, semantics.size() - 2);
  }
  const auto generation = fpsan::generation_named(semantics);
  return generation ? std::make_unique<RingValues>(*generation) : nullptr;
}

Number RingValues::dot(const DotAct& act, Number sums, std::span<const Number> x, std::span<const Number> y) {
  const auto payload = [&](const Number& number, Format format) {
    const Format own = format == Format::tf32 ? Format::f32 : format;
    const std::uint64_t made = fpsan::fpsan_embed(number.bits, own, generation_);
    return own == act.sums ? made : fpsan::fpsan_cast(made, own, act.sums, generation_);
  };
  std::uint64_t total = fpsan::fpsan_embed(sums.bits, act.sums, generation_);
  for (std::size_t k = 0; k < x.size(); ++k) total += payload(x[k], act.x) * payload(y[k], act.y);
  total &= fpsan::low_bits(numerics::traits(act.sums).width);
  return {fpsan::fpsan_unembed(total, act.sums, generation_), id_of(act.sums, true)};
}

}  // namespace reckon::ptx
