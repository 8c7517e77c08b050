// Random kernels of one warp: float operations, and everything that moves numbers, with what they give in fpsan's ring.
#pragma once

#include <fmt/format.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "numerics/fpsan_native.h"

namespace reckon::ptx::testing {

/// The kernel `k(in, out)` reads `inputs` f32s of each lane, those of a number side by side, and writes one f32 a lane.
class RandomKernel {
 public:
  static constexpr int lanes = 32, inputs = 3, registers = 6;
  using Lanes = std::array<std::uint32_t, lanes>;

  /// `halves`: some numbers go through pairs of f16.
  RandomKernel(std::uint64_t seed, int operations, bool halves) : random_(seed), halves_(halves) {
    for (float& x : in) x = std::normal_distribution<float>()(random_);
    text_ =
        ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
        ".reg .b64 from, to, at; .reg .b32 t, lane, u, v; .reg .b16 g, h; .reg .pred odd;\n.reg .f32 f<8>;\n"
        ".shared .align 16 .b8 part[256]; .local .align 16 .b8 own[16];\n"
        "ld.param.u64 from, [in]; ld.param.u64 to, [out]; mov.u32 lane, %tid.x; and.b32 t, lane, 1;\n"
        "setp.ne.u32 odd, t, 0; mul.wide.u32 at, lane, 4; add.s64 from, from, at; add.s64 to, to, at;\n";
    for (int k = 0; k < registers; ++k) {
      const int from = k % inputs;
      line(fmt::format("ld.global.f32 f{}, [from+{}];", k, from * lanes * 4));
      for (int l = 0; l < lanes; ++l)
        at(k)[static_cast<std::size_t>(l)] =
            embed(std::bit_cast<std::uint32_t>(in[static_cast<std::size_t>(from * lanes + l)]));
    }
    for (int k = 0; k < operations; ++k) step();
    line("st.global.f32 [to], f0;\nret;\n}");
  }

  const std::string& text() const { return text_; }
  /// The patterns that stand for the results.
  Lanes expected() const {
    Lanes out;
    for (std::size_t l = 0; l < lanes; ++l)
      out[l] = static_cast<std::uint32_t>(numerics::fpsan::fpsan_unembed(values_[0][l], numerics::Format::f32));
    return out;
  }
  std::array<float, inputs * lanes> in{};

 private:
  using Ring = numerics::fpsan::Operation;
  static std::uint32_t embed(std::uint32_t bits) {
    return static_cast<std::uint32_t>(numerics::fpsan::fpsan_embed(bits, numerics::Format::f32));
  }
  Lanes& at(int reg) { return values_[static_cast<std::size_t>(reg)]; }
  int pick() { return static_cast<int>(random_() % registers); }
  void line(const std::string& text) { text_ += text + "\n"; }

  template <class F>
  void set(int reg, F&& f) {
    Lanes made;
    for (std::size_t l = 0; l < lanes; ++l) made[l] = f(l);
    at(reg) = made;
  }
  void operate(const char* instruction, Ring ring, int count) {
    const int d = pick(), a = pick(), b = pick(), c = pick();
    line(count == 1   ? fmt::format("{} f{}, f{};", instruction, d, a)
         : count == 2 ? fmt::format("{} f{}, f{}, f{};", instruction, d, a, b)
                      : fmt::format("{} f{}, f{}, f{}, f{};", instruction, d, a, b, c));
    set(d, [&](std::size_t l) {
      return static_cast<std::uint32_t>(
          numerics::fpsan::fpsan_apply(ring, numerics::Format::f32, at(a)[l], at(b)[l], at(c)[l]));
    });
  }
  void move() {
    const int d = pick(), a = pick();
    switch (random_() % 4) {
      case 0: line(fmt::format("mov.f32 f{}, f{};", d, a)); break;
      case 1:
        line(fmt::format("mov.b32 u, f{}; mov.b32 {{g, h}}, u; mov.b32 v, {{g, h}}; mov.b32 f{}, v;", a, d));
        break;
      case 2:
        line(fmt::format("mov.b32 u, f{}; prmt.b32 v, u, 0, 0x0123; prmt.b32 u, v, 0, 0x0123; mov.b32 f{}, u;", a, d));
        break;
      default:
        line(
            fmt::format("mov.b32 u, f{}; shr.u32 v, u, 16; shl.b32 u, u, 16; shr.u32 u, u, 16; shl.b32 v, v, 16; "
                        "or.b32 u, u, v; mov.b32 f{}, u;",
                        a, d));
    }
    set(d, [&](std::size_t l) { return at(a)[l]; });
  }
  void exchange() {
    const int d = pick(), a = pick();
    const std::uint32_t by = 1 + static_cast<std::uint32_t>(random_() % 31);
    line(fmt::format("mov.b32 u, f{}; shfl.sync.bfly.b32 v, u, {}, 31, -1; mov.b32 f{}, v;", a, by, d));
    set(d, [&](std::size_t l) { return at(a)[l ^ by]; });
  }
  void choose() {
    const int d = pick(), a = pick(), b = pick();
    line(fmt::format("selp.f32 f{}, f{}, f{}, odd;", d, a, b));
    set(d, [&](std::size_t l) { return l % 2 == 1 ? at(a)[l] : at(b)[l]; });
  }
  void guard() {
    const int d = pick(), a = pick(), b = pick();
    line(fmt::format("@!odd add.f32 f{}, f{}, f{};", d, a, b));
    set(d, [&](std::size_t l) { return l % 2 == 1 ? at(d)[l] : at(a)[l] + at(b)[l]; });
  }
  void through_memory() {
    const int d = pick(), a = pick();
    if (random_() % 2 == 0) {
      line(fmt::format("st.local.f32 [own+4], f{}; ld.local.f32 f{}, [own+4];", a, d));
      set(d, [&](std::size_t l) { return at(a)[l]; });
      return;
    }
    // Lane l takes what lane 31 - l has.
    line(
        fmt::format("shl.b32 u, lane, 2; mov.u32 v, part; add.s32 u, u, v; bar.warp.sync -1; st.shared.f32 [u], f{};\n"
                    "sub.s32 u, 31, lane; shl.b32 u, u, 2; add.s32 u, u, v; bar.warp.sync -1; ld.shared.f32 f{}, [u];",
                    a, d));
    set(d, [&](std::size_t l) { return at(a)[31 - l]; });
  }
  /// Two numbers as f16s in one register, their sums, and one of them back.
  void in_halves() {
    const int d = pick(), a = pick(), b = pick();
    const bool upper = random_() % 2 == 0;
    line(fmt::format("cvt.rn.f16x2.f32 u, f{}, f{}; add.rn.f16x2 u, u, u; mov.b32 {{g, h}}, u; cvt.f32.f16 f{}, {};", a,
                     b, d, upper ? "h" : "g"));
    set(d, [&](std::size_t l) {
      using numerics::Format;
      const std::uint64_t half = numerics::fpsan::fpsan_cast(upper ? at(a)[l] : at(b)[l], Format::f32, Format::f16);
      const std::uint64_t twice = numerics::fpsan::fpsan_apply(Ring::add, Format::f16, half, half);
      return static_cast<std::uint32_t>(numerics::fpsan::fpsan_cast(twice, Format::f16, Format::f32));
    });
  }
  void step() {
    switch (random_() % (halves_ ? 14 : 13)) {
      case 0: return operate("add.rn.f32", Ring::add, 2);
      case 1: return operate("sub.rn.f32", Ring::sub, 2);
      case 2: return operate("mul.rn.f32", Ring::mul, 2);
      case 3:
      case 4: return operate("fma.rn.f32", Ring::fma, 3);
      case 5: return operate("neg.f32", Ring::neg, 1);
      case 6: return operate("max.f32", Ring::max, 2);
      case 7: return operate("div.rn.f32", Ring::div, 2);
      case 8: return move();
      case 9: return exchange();
      case 10: return choose();
      case 11: return guard();
      case 12: return through_memory();
      default: return in_halves();
    }
  }

  std::mt19937_64 random_;
  bool halves_;
  std::string text_;
  std::array<Lanes, registers> values_{};
};

}  // namespace reckon::ptx::testing
