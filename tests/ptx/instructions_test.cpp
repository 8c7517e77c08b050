// Single instructions against what the PTX ISA says of them, written down here once more, on random operands.
#include <gmpxx.h>

#include <cfenv>
#include <cmath>
#include <functional>
#include <random>

#include "numerics/format.h"
#include "tests/ptx/launched.h"
#include "tests/support/long_run.h"

namespace {

using namespace reckon;
using namespace reckon::ptx;
using namespace reckon::ptx::testing;
using numerics::Format;
using numerics::Rounding;
using Words = std::vector<std::uint64_t>;

constexpr std::size_t count = 256;

/// Any bits, and numbers at the ends of ranges.
std::uint64_t word(std::mt19937_64& random) {
  static constexpr std::uint64_t ends[] = {0,
                                           1,
                                           2,
                                           31,
                                           32,
                                           33,
                                           63,
                                           64,
                                           0x7f,
                                           0x80,
                                           0xff,
                                           0x7fff,
                                           0x8000,
                                           0xffff,
                                           0x7fffffff,
                                           0x80000000,
                                           0xffffffff,
                                           0x7f800000,
                                           0x7fc00000,
                                           0xff800000,
                                           0x00800000,
                                           0x00000001,
                                           0x3f800000,
                                           0x7ff0000000000000,
                                           0x3ff0000000000000,
                                           0x8000000000000000,
                                           ~std::uint64_t{0}};
  const std::uint64_t any = random();
  switch (random() % 6) {
    case 0: return ends[random() % std::size(ends)];
    case 1: return any >> (random() % 64);
    case 2: return (any & 0x807fffff807fffff) | 0x3f0000003f000000;  // f32s near 1
    default: return any;
  }
}

/// Carries out `instruction` with operands of these widths, the result first, for many operands.
void compare(const std::string& instruction, const std::vector<int>& bits,
             const std::function<std::uint64_t(const Words&)>& expected,
             const std::function<bool(std::uint64_t, std::uint64_t)>& same_result = {}) {
  const auto type = [](int width) { return ".b" + std::to_string(width); };
  std::string text =
      ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b64 "
      "at, from, to; .reg .b32 thread; .reg .b32 block; .reg .pred c;\n";
  for (std::size_t k = 0; k < bits.size(); ++k) text += ".reg " + type(bits[k]) + " r" + std::to_string(k) + ";\n";
  text += "mov.u32 thread, %tid.x; ld.param.u64 from, [in]; ld.param.u64 to, [out];\nmul.wide.u32 at, thread, " +
          std::to_string(8 * bits.size()) +
          "; add.s64 from, from, at; mul.wide.u32 at, thread, 8; add.s64 to, to, at;\n";
  for (std::size_t k = 1; k < bits.size(); ++k)
    text += "ld.global" + type(bits[k]) + " r" + std::to_string(k) + ", [from+" + std::to_string(8 * k) + "];\n";
  text += instruction + "\nst.global" + type(bits[0]) + " [to], r0;\nret;\n}\n";
  Launcher gpu(text);
  std::mt19937_64 random(test::stream(11));
  Words in;
  for (std::size_t k = 0; k < count * bits.size(); ++k) in.push_back(word(random));
  const std::uint64_t from = gpu.put(in), to = gpu.put(Words(count, 0));
  INFO(instruction);
  gpu.run("k", shape(1, count), from, to);
  const Words out = gpu.get<std::uint64_t>(to, count);
  int wrong = 0;
  for (std::size_t t = 0; t < count; ++t) {
    Words operands;
    for (std::size_t k = 1; k < bits.size(); ++k)
      operands.push_back(in[t * bits.size() + k] &
                         (bits[k] == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits[k]) - 1));
    const std::uint64_t mask = bits[0] == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits[0]) - 1;
    const std::uint64_t right = expected(operands) & mask;
    if (same_result ? same_result(out[t], right) : out[t] == right) continue;
    if (wrong++ > 2) continue;
    UNSCOPED_INFO(std::hex << operands[0] << " " << (operands.size() > 1 ? operands[1] : 0) << " "
                           << (operands.size() > 2 ? operands[2] : 0) << " -> " << out[t] << " instead of " << right);
  }
  CHECK(wrong == 0);
}

std::int64_t sign_of(std::uint64_t x, int bits) { return static_cast<std::int64_t>(x << (64 - bits)) >> (64 - bits); }

/// A finite value of a format; nothing for others.
std::optional<mpq_class> exact(std::uint64_t bits, Format format) { return numerics::exact_value(bits, format); }

bool not_a_number(std::uint64_t bits, Format format) { return numerics::is_nan(bits, format); }

/// One rounding of an exact operation on finite numbers; where a number is not finite, or the exact result is 0, f64
/// knows the rest.
std::uint64_t rounded(const std::optional<mpq_class>& value, double otherwise, Format format, Rounding rounding) {
  if (!value || *value == 0) return numerics::round_f64(otherwise, format, rounding);
  return numerics::round_rational(*value, format, rounding);
}

}  // namespace

TEST_CASE("integer instructions give what the ISA says") {
  using W = const Words&;
  compare("max.s32.relu r0, r1, r2;", {32, 32, 32}, [](W w) {
    return static_cast<std::uint64_t>(std::max({sign_of(w[0], 32), sign_of(w[1], 32), std::int64_t{0}}));
  });
  compare("min.relu.s32 r0, r1, r2;", {32, 32, 32}, [](W w) {
    return static_cast<std::uint64_t>(std::max(std::min(sign_of(w[0], 32), sign_of(w[1], 32)), std::int64_t{0}));
  });
  compare("bfe.u32 r0, r1, r2, r3;", {32, 32, 32, 32}, [](W w) {
    std::uint64_t out = 0;
    const std::uint64_t at = w[1] & 0xff, length = w[2] & 0xff;
    for (std::uint64_t i = 0; i < 32; ++i) out |= (i < length && at + i <= 31 ? w[0] >> (at + i) & 1 : 0) << i;
    return out;
  });
  // The ISA says what places and lengths up to 255 give.
  compare("and.b32 r2, r2, 255; and.b32 r3, r3, 255; bfe.s64 r0, r1, r2, r3;", {64, 64, 32, 32}, [](W w) {
    std::uint64_t out = 0;
    const std::uint64_t at = w[1] & 0xff, length = w[2] & 0xff;
    const std::uint64_t sign = length == 0 ? 0 : w[0] >> std::min<std::uint64_t>(at + length - 1, 63) & 1;
    for (std::uint64_t i = 0; i < 64; ++i) out |= (i < length && at + i <= 63 ? w[0] >> (at + i) & 1 : sign) << i;
    return out;
  });
  compare("bfi.b32 r0, r1, r2, r3, r4;", {32, 32, 32, 32, 32}, [](W w) {
    std::uint64_t out = w[1];
    const std::uint64_t at = w[2] & 0xff, length = w[3] & 0xff;
    for (std::uint64_t i = 0; i < length && at + i <= 31; ++i)
      out = (out & ~(std::uint64_t{1} << (at + i))) | (w[0] >> i & 1) << (at + i);
    return out;
  });
  compare("shf.l.clamp.b32 r0, r1, r2, r3;", {32, 32, 32, 32}, [](W w) {
    const std::uint64_t n = std::min<std::uint64_t>(w[2], 32);
    return n == 32 ? w[0] : w[1] << n | (n == 0 ? 0 : w[0] >> (32 - n));
  });
  compare("shf.r.wrap.b32 r0, r1, r2, r3;", {32, 32, 32, 32}, [](W w) {
    const std::uint64_t n = w[2] & 31;
    return w[0] >> n | (n == 0 ? 0 : w[1] << (32 - n));
  });
  compare("shr.s32 r0, r1, r2;", {32, 32, 32},
          [](W w) { return static_cast<std::uint64_t>(sign_of(w[0], 32) >> std::min<std::uint64_t>(w[1], 63)); });
  compare("shl.b64 r0, r1, r2;", {64, 64, 32}, [](W w) { return w[1] > 63 ? 0 : w[0] << w[1]; });
  // Saturated integers beside each other, the second operand in the lower bits.
  for (const bool to_signed : {true, false}) {
    const std::int64_t low = to_signed ? -128 : 0, high = to_signed ? 127 : 255;
    compare("cvt.pack.sat." + std::string(to_signed ? "s8" : "u8") + ".s32.b32 r0, r1, r2, r3;", {32, 32, 32, 32},
            [=](W w) {
              const auto byte = [&](std::uint64_t bits) {
                const auto value = std::int64_t{static_cast<std::int32_t>(bits)};
                return static_cast<std::uint64_t>(value < low ? low : value > high ? high : value) & 0xff;
              };
              return (w[2] << 16 & 0xffff0000) | byte(w[0]) << 8 | byte(w[1]);
            });
  }
  compare("cvt.pack.sat.s16.s32 r0, r1, r2;", {32, 32, 32}, [](W w) {
    const auto half = [](std::uint64_t bits) {
      const auto value = static_cast<std::int32_t>(bits);
      return static_cast<std::uint64_t>(value < -32768 ? -32768 : value > 32767 ? 32767 : value) & 0xffff;
    };
    return half(w[0]) << 16 | half(w[1]);
  });
  compare("prmt.b32 r0, r1, r2, r3;", {32, 32, 32, 32}, [](W w) {
    std::uint64_t out = 0;
    for (int k = 0; k < 4; ++k) {
      const auto nibble = static_cast<int>(w[2] >> 4 * k & 15);
      const std::uint64_t byte = ((nibble & 4) != 0 ? w[1] : w[0]) >> 8 * (nibble & 3) & 255;
      out |= ((nibble & 8) == 0 ? byte : byte > 127 ? 255u : 0u) << 8 * k;
    }
    return out;
  });
  compare("lop3.b32 r0, r1, r2, r3, 0xB4;", {32, 32, 32, 32}, [](W w) {
    std::uint64_t out = 0;
    for (int i = 0; i < 32; ++i)
      out |= (std::uint64_t{0xB4} >> ((w[0] >> i & 1) * 4 + (w[1] >> i & 1) * 2 + (w[2] >> i & 1)) & 1) << i;
    return out;
  });
  compare("mul.hi.s64 r0, r1, r2;", {64, 64, 64}, [](W w) {
    const mpz_class product = mpz_class(static_cast<long>(w[0])) * static_cast<long>(w[1]);
    mpz_class high;
    mpz_fdiv_q_2exp(high.get_mpz_t(), product.get_mpz_t(), 64);
    return static_cast<std::uint64_t>(high.get_si());
  });
  compare("mad.wide.s32 r0, r1, r2, r3;", {64, 32, 32, 64},
          [](W w) { return static_cast<std::uint64_t>(sign_of(w[0], 32) * sign_of(w[1], 32)) + w[2]; });
  compare("mad.hi.u32 r0, r1, r2, r3;", {32, 32, 32, 32}, [](W w) { return (w[0] * w[1] >> 32) + w[2]; });
  compare("sub.sat.s32 r0, r1, r2;", {32, 32, 32}, [](W w) {
    return static_cast<std::uint64_t>(
        std::clamp<std::int64_t>(sign_of(w[0], 32) - sign_of(w[1], 32), INT32_MIN, INT32_MAX));
  });
  compare("{ .reg .b32 low, low2, high, x, y; add.cc.u32 low, r1, r2; addc.cc.u32 high, r3, r4; addc.u32 r0, 0, 0; }",
          {32, 32, 32, 32, 32}, [](W w) {
            return std::uint64_t{((w[2] << 32 | w[0]) + (w[3] << 32 | w[1])) < (w[2] << 32 | w[0]) ? 1u : 0u};
          });
  compare("sad.s32 r0, r1, r2, r3;", {32, 32, 32, 32},
          [](W w) { return w[2] + static_cast<std::uint64_t>(std::abs(sign_of(w[0], 32) - sign_of(w[1], 32))); });
  compare("dp4a.s32.u32 r0, r1, r2, r3;", {32, 32, 32, 32}, [](W w) {
    std::int64_t sum = sign_of(w[2], 32);
    for (int k = 0; k < 4; ++k) sum += sign_of(w[0] >> 8 * k & 255, 8) * static_cast<std::int64_t>(w[1] >> 8 * k & 255);
    return static_cast<std::uint64_t>(sum);
  });
  compare("min.u16x2 r0, r1, r2;", {32, 32, 32},
          [](W w) { return std::min(w[0] >> 16, w[1] >> 16) << 16 | std::min(w[0] & 0xffff, w[1] & 0xffff); });
  compare("max.s16x2.relu r0, r1, r2;", {32, 32, 32}, [](W w) {
    const auto half = [&](int at) {
      const std::int64_t most = std::max(sign_of(w[0] >> at & 0xffff, 16), sign_of(w[1] >> at & 0xffff, 16));
      return static_cast<std::uint64_t>(std::max<std::int64_t>(most, 0)) << at;
    };
    return half(16) | half(0);
  });
  compare("add.u16x2 r0, r1, r2;", {32, 32, 32},
          [](W w) { return ((w[0] >> 16) + (w[1] >> 16)) << 16 | ((w[0] + w[1]) & 0xffff); });
  compare("bfind.s32 r0, r1;", {32, 32}, [](W w) {
    const std::uint64_t x = sign_of(w[0], 32) < 0 ? ~w[0] & 0xffffffff : w[0];
    for (int k = 31; k >= 0; --k)
      if ((x >> k & 1) != 0) return static_cast<std::uint64_t>(k);
    return ~std::uint64_t{0};
  });
  compare("{ .reg .b32 n; popc.b64 n, r1; clz.b64 r0, r1; mad.lo.u32 r0, n, 100, r0; }", {32, 64}, [](W w) {
    std::uint64_t ones = 0, zeros = 0;
    for (int k = 0; k < 64; ++k) ones += w[0] >> k & 1;
    while (zeros < 64 && (w[0] >> (63 - zeros) & 1) == 0) ++zeros;
    return ones * 100 + zeros;
  });
  compare("rem.s64 r0, r1, r2;", {64, 64, 64}, [](W w) {
    const auto a = static_cast<std::int64_t>(w[0]), b = static_cast<std::int64_t>(w[1]);
    return static_cast<std::uint64_t>(b == 0 ? a : b == -1 ? 0 : a % b);
  });
  compare("{ .reg .b16 a, b; mov.b32 {a, b}, r1; mov.b32 r0, {b, a}; }", {32, 32},
          [](W w) { return w[0] << 16 | w[0] >> 16; });
  compare("{ .reg .pred p, q; setp.lt.s32 p, r1, r2; setp.ge.or.u32 q, r1, r3, !p; selp.b32 r0, r2, r3, q; }",
          {32, 32, 32, 32}, [](W w) { return w[0] >= w[2] || sign_of(w[0], 32) >= sign_of(w[1], 32) ? w[1] : w[2]; });
}

TEST_CASE("float instructions are rounded once, in every direction") {
  static constexpr std::pair<const char*, Rounding> roundings[] = {{"rn", Rounding::nearest_even},
                                                                   {"rz", Rounding::toward_zero},
                                                                   {"rm", Rounding::downward},
                                                                   {"rp", Rounding::upward}};
  static constexpr std::tuple<const char*, Format, int> formats[] = {
      {"f32", Format::f32, 32}, {"f64", Format::f64, 64}, {"f16", Format::f16, 16}, {"bf16", Format::bf16, 16}};
  for (const auto& [type, format, bits] : formats) {
    const auto close = [format = format](std::uint64_t a, std::uint64_t b) {
      return a == b || (not_a_number(a, format) && not_a_number(b, format));
    };
    const auto wide = [format = format](std::uint64_t x) { return numerics::widen(x, format); };
    for (const auto& [name, rounding] : roundings) {
      if (bits == 16 && rounding != Rounding::nearest_even) continue;
      const std::string suffix = std::string(".") + name + "." + type + " r0, r1, r2";
      static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
      // The sign of an exact 0 depends on the direction; f64 arithmetic in this direction has it.
      const auto in_f64 = [mode = modes[static_cast<int>(rounding)]](auto f) {
        std::fesetround(mode);
        volatile double out = f();
        std::fesetround(FE_TONEAREST);
        return static_cast<double>(out);
      };
      const auto both = [format = format](const Words& w, auto f) -> std::optional<mpq_class> {
        const auto a = exact(w[0], format), b = exact(w[1], format);
        if (!a || !b) return std::nullopt;
        return mpq_class(f(*a, *b));
      };
      using Q = const mpq_class&;
      compare(
          "add" + suffix + ";", {bits, bits, bits},
          [=, rounding = rounding, format = format](const Words& w) {
            volatile double a = wide(w[0]), b = wide(w[1]);
            return rounded(both(w, [](Q x, Q y) { return mpq_class(x + y); }), in_f64([&] { return a + b; }), format,
                           rounding);
          },
          close);
      compare(
          "mul" + suffix + ";", {bits, bits, bits},
          [=, rounding = rounding, format = format](const Words& w) {
            volatile double a = wide(w[0]), b = wide(w[1]);
            return rounded(both(w, [](Q x, Q y) { return mpq_class(x * y); }), in_f64([&] { return a * b; }), format,
                           rounding);
          },
          close);
      compare(
          "fma" + suffix + ", r3;", {bits, bits, bits, bits},
          [=, rounding = rounding, format = format](const Words& w) {
            volatile double a = wide(w[0]), b = wide(w[1]), c = wide(w[2]);
            const auto third = exact(w[2], format);
            auto product = both(w, [](Q x, Q y) { return mpq_class(x * y); });
            if (product && third) product = mpq_class(*product + *third);
            else product.reset();
            return rounded(product, in_f64([&] { return std::fma(a, b, c); }), format, rounding);
          },
          close);
      if (bits == 16) continue;
      compare(
          "div" + suffix + ";", {bits, bits, bits},
          [=, rounding = rounding, format = format](const Words& w) {
            volatile double a = wide(w[0]), b = wide(w[1]);
            const auto divisor = exact(w[1], format);
            const auto quotient =
                divisor && *divisor != 0 ? both(w, [](Q x, Q y) { return mpq_class(x / y); }) : std::nullopt;
            return rounded(quotient, in_f64([&] { return a / b; }), format, rounding);
          },
          close);
    }
  }
}

TEST_CASE("conversions are rounded once") {
  const auto to_float = [](const std::string& opcode, int to_bits, Format to, int from_bits, Format from,
                           Rounding rounding) {
    compare(
        opcode + " r0, r1;", {to_bits, from_bits},
        [=](const Words& w) { return rounded(exact(w[0], from), numerics::widen(w[0], from), to, rounding); },
        [=](std::uint64_t a, std::uint64_t b) { return a == b || (not_a_number(a, to) && not_a_number(b, to)); });
  };
  to_float("cvt.rn.f16.f32", 16, Format::f16, 32, Format::f32, Rounding::nearest_even);
  to_float("cvt.rz.f16.f32", 16, Format::f16, 32, Format::f32, Rounding::toward_zero);
  to_float("cvt.rn.bf16.f32", 16, Format::bf16, 32, Format::f32, Rounding::nearest_even);
  to_float("cvt.rm.f32.f64", 32, Format::f32, 64, Format::f64, Rounding::downward);
  to_float("cvt.rn.f32.f64", 32, Format::f32, 64, Format::f64, Rounding::nearest_even);
  to_float("cvt.f32.f16", 32, Format::f32, 16, Format::f16, Rounding::nearest_even);
  to_float("cvt.f64.f32", 64, Format::f64, 32, Format::f32, Rounding::nearest_even);
  for (const auto& [name, rounding] : {std::pair{"rn", Rounding::nearest_even}, std::pair{"rp", Rounding::upward}}) {
    compare(std::string("cvt.") + name + ".f32.u64 r0, r1;", {32, 64}, [rounding = rounding](const Words& w) {
      return w[0] == 0 ? 0
                       : numerics::round_rational(mpq_class(mpz_class(static_cast<unsigned long>(w[0]))), Format::f32,
                                                  rounding);
    });
    compare(std::string("cvt.") + name + ".f64.s64 r0, r1;", {64, 64}, [rounding = rounding](const Words& w) {
      return w[0] == 0 ? 0
                       : numerics::round_rational(mpq_class(mpz_class(static_cast<long>(w[0]))), Format::f64, rounding);
    });
    compare(std::string("cvt.") + name + ".f16.s64 r0, r1;", {16, 64}, [rounding = rounding](const Words& w) {
      return w[0] == 0 ? 0
                       : numerics::round_rational(mpq_class(mpz_class(static_cast<long>(w[0]))), Format::f16, rounding);
    });
  }
  // Whole numbers: beyond the range its end.
  const auto clamped = [](const mpq_class& x, const mpz_class& low, const mpz_class& high, bool up) {
    mpz_class out;
    if (up) mpz_cdiv_q(out.get_mpz_t(), x.get_num_mpz_t(), x.get_den_mpz_t());
    else mpz_tdiv_q(out.get_mpz_t(), x.get_num_mpz_t(), x.get_den_mpz_t());
    return out < low ? low : out > high ? high : out;
  };
  compare("cvt.rzi.s32.f32 r0, r1;", {32, 32}, [&](const Words& w) -> std::uint64_t {
    if (not_a_number(w[0], Format::f32)) return 0;
    if (numerics::is_infinite(w[0], Format::f32)) return w[0] >> 31 != 0 ? 0x80000000u : 0x7fffffffu;
    return static_cast<std::uint64_t>(
        clamped(*exact(w[0], Format::f32), mpz_class("-2147483648"), mpz_class("2147483647"), false).get_si());
  });
  compare("cvt.rpi.u32.f64 r0, r1;", {32, 64}, [&](const Words& w) -> std::uint64_t {
    if (not_a_number(w[0], Format::f64)) return 0x80000000u;
    if (numerics::is_infinite(w[0], Format::f64)) return w[0] >> 63 != 0 ? 0u : 0xffffffffu;
    return clamped(*exact(w[0], Format::f64), 0, mpz_class("4294967295"), true).get_ui();
  });
  compare("cvt.sat.u8.s32 r0, r1;", {16, 32}, [](const Words& w) {
    return static_cast<std::uint64_t>(std::clamp<std::int64_t>(sign_of(w[0], 32), 0, 255));
  });
  compare("cvt.s64.s8 r0, r1;", {64, 32},
          [](const Words& w) { return static_cast<std::uint64_t>(sign_of(w[0] & 255, 8)); });
  compare("cvt.rn.satfinite.e4m3x2.f32 r0, r1, r2;", {16, 32, 32}, [](const Words& w) {
    const auto one = [](std::uint64_t x) {
      return not_a_number(x, Format::f32) ? 0x7fu
                                          : rounded(exact(x, Format::f32), numerics::widen(x, Format::f32),
                                                    Format::f8e4m3, Rounding::nearest_even);
    };
    return one(w[0]) << 8 | one(w[1]);
  });
  compare(
      "cvt.rn.f16x2.e5m2x2 r0, r1;", {32, 16}, [](const Words& w) { return (w[0] >> 8) << 24 | (w[0] & 255) << 8; },
      [](std::uint64_t a, std::uint64_t b) {
        for (int k = 0; k < 32; k += 16)
          if ((a >> k & 0xffff) != (b >> k & 0xffff) &&
              !(not_a_number(a >> k & 0xffff, Format::f16) && not_a_number(b >> k & 0xffff, Format::f16)))
            return false;
        return true;
      });
}

TEST_CASE("instructions on two f32 round each of them once") {
  for (const auto& [name, rounding] : {std::pair<std::string, Rounding>{"rn", Rounding::nearest_even},
                                       {"rz", Rounding::toward_zero},
                                       {"rp", Rounding::upward}}) {
    const auto two = [rounding = rounding](const Words& w, const auto& exactly, const auto& otherwise) {
      std::uint64_t out = 0;
      for (int k = 0; k < 64; k += 32) {
        Words half;
        for (const std::uint64_t word : w) half.push_back(word >> k & 0xffffffff);
        std::optional<mpq_class> value;
        bool finite = true;
        for (const std::uint64_t word : half) finite = finite && exact(word, Format::f32).has_value();
        if (finite) value = exactly(half);
        std::vector<double> wide;
        for (const std::uint64_t word : half) wide.push_back(numerics::widen(word, Format::f32));
        const double other = otherwise(wide);
        out |= (other != other ? 0x7fffffffu : rounded(value, other, Format::f32, rounding)) << k;
      }
      return out;
    };
    // A zero that is the sum of two numbers has the sign that the direction gives: not compared.
    const auto same_but_zeros = [](std::uint64_t a, std::uint64_t b) {
      for (int k = 0; k < 64; k += 32) {
        const std::uint64_t x = a >> k & 0xffffffff, y = b >> k & 0xffffffff;
        if (x != y && ((x | y) & 0x7fffffff) != 0) return false;
      }
      return true;
    };
    const auto number = [](std::uint64_t bits) { return *exact(bits, Format::f32); };
    compare(
        "add." + name + ".f32x2 r0, r1, r2;", {64, 64, 64},
        [&](const Words& w) {
          return two(
              w, [&](const Words& h) -> mpq_class { return number(h[0]) + number(h[1]); },
              [](const auto& x) { return x[0] + x[1]; });
        },
        same_but_zeros);
    compare(
        "fma." + name + ".f32x2 r0, r1, r2, r3;", {64, 64, 64, 64},
        [&](const Words& w) {
          return two(
              w, [&](const Words& h) -> mpq_class { return number(h[0]) * number(h[1]) + number(h[2]); },
              [](const auto& x) { return x[0] * x[1] + x[2]; });
        },
        same_but_zeros);
  }
}

TEST_CASE("instructions on bytes and half-words") {
  const auto each = [](int width, const auto& f) {
    return [=](const Words& w) {
      std::uint64_t out = 0;
      for (int at = 0; at < 32; at += width) {
        const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
        out |= (static_cast<std::uint64_t>(f(w[0] >> at & mask, w[1] >> at & mask)) & mask) << at;
      }
      return out;
    };
  };
  using I = std::int64_t;
  compare("vabsdiff4.u32.u32.u32 r0, r1, r2, r3;", {32, 32, 32, 32},
          each(8, [](std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }));
  compare("vadd4.s32.s32.s32.sat r0, r1, r2, r3;", {32, 32, 32, 32}, each(8, [](std::uint64_t a, std::uint64_t b) {
            return std::clamp<I>(sign_of(a, 8) + sign_of(b, 8), -128, 127);
          }));
  compare("vsub2.u32.u32.u32 r0, r1, r2, r3;", {32, 32, 32, 32},
          each(16, [](std::uint64_t a, std::uint64_t b) { return a - b; }));
  compare("vmax2.s32.s32.s32 r0, r1, r2, r3;", {32, 32, 32, 32},
          each(16, [](std::uint64_t a, std::uint64_t b) { return std::max(sign_of(a, 16), sign_of(b, 16)); }));
  compare("vabsdiff4.u32.u32.u32.add r0, r1, r2, r3;", {32, 32, 32, 32}, [](const Words& w) {
    std::uint64_t sum = w[2];
    for (int at = 0; at < 32; at += 8)
      sum += static_cast<std::uint64_t>(std::abs(static_cast<I>(w[0] >> at & 255) - static_cast<I>(w[1] >> at & 255)));
    return sum;
  });
}
