#include "numerics/fpsan_native.h"

namespace reckon::numerics::fpsan {

namespace {

template <int width>
std::uint64_t applied(const Generation& generation, Operation operation, NativeWords::Word<width> p,
                      NativeWords::Word<width> q, NativeWords::Word<width> r) {
  Rules<NativeWords, width> rules{generation, {}};
  switch (operation) {
    case Operation::add: return rules.add(p, q);
    case Operation::sub: return rules.sub(p, q);
    case Operation::mul: return rules.mul(p, q);
    case Operation::div: return rules.div(p, q);
    case Operation::rem: return rules.rem(p, q);
    case Operation::neg: return rules.neg(p);
    case Operation::fma: return rules.fma(p, q, r);
    case Operation::min: return rules.min(p, q);
    case Operation::max: return rules.max(p, q);
    case Operation::exp: return rules.exp(p);
    case Operation::exp2: return rules.exp2(p);
    case Operation::sin: return rules.sin(p);
    case Operation::cos: return rules.cos(p);
    case Operation::log: return rules.log(p);
    case Operation::log2: return rules.log2(p);
    case Operation::sqrt: return rules.sqrt(p);
    case Operation::rsqrt: return rules.rsqrt(p);
    case Operation::erf: return rules.erf(p);
    case Operation::floor: return rules.floor(p);
    case Operation::ceil: return rules.ceil(p);
  }
  return 0;
}

}  // namespace

std::uint64_t fpsan_embed(std::uint64_t carrier, Format format, const Generation& generation) {
  return with_format<has_payloads>(format, [&]<Format f>() -> std::uint64_t {
    NativeWords words;
    return embed<f>(words, embedding(generation, f), static_cast<PayloadOf<NativeWords, f>>(carrier));
  });
}

std::uint64_t fpsan_unembed(std::uint64_t payload, Format format, const Generation& generation) {
  return with_format<has_payloads>(format, [&]<Format f>() -> std::uint64_t {
    NativeWords words;
    return unembed<f>(words, embedding(generation, f), static_cast<PayloadOf<NativeWords, f>>(payload));
  });
}

std::uint64_t fpsan_cast(std::uint64_t payload, Format from, Format to, const Generation& generation) {
  return with_format<has_payloads>(from, [&]<Format source>() {
    return with_format<has_payloads>(to, [&]<Format target>() -> std::uint64_t {
      NativeWords words;
      return cast<traits(source).width, traits(target).width>(words, generation,
                                                              static_cast<PayloadOf<NativeWords, source>>(payload));
    });
  });
}

std::uint64_t fpsan_apply(Operation operation, Format format, std::uint64_t p, std::uint64_t q, std::uint64_t r,
                          const Generation& generation) {
  return with_format<has_payloads>(format, [&]<Format f>() {
    using Word = PayloadOf<NativeWords, f>;
    return applied<traits(f).width>(generation, operation, static_cast<Word>(p), static_cast<Word>(q),
                                    static_cast<Word>(r));
  });
}

}  // namespace reckon::numerics::fpsan
