// Ciphers, long integers and words of bits in CUDA (tests/data/ptx/codes.cu), against published values and loops.
#include <bit>
#include <cstdio>

#include <gmpxx.h>

#include "tests/ptx/cuda.h"

namespace {

using namespace reckon;
using namespace reckon::ptx;
using namespace reckon::ptx::testing;

using Word = std::uint32_t;
using Long = std::uint64_t;

std::vector<Word> words(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Word> out(count);
  for (Word& each : out) each = random() % 8 == 0 ? 0x80ff7f00u : static_cast<Word>(random());
  return out;
}

mpz_class number(const Long* x, std::size_t count) {
  mpz_class out;
  mpz_import(out.get_mpz_t(), count, -1, 8, 0, 0, x);
  return out;
}

/// The parts of two words, `bits` wide, through a function of signed or unsigned parts, as one word.
template <class F>
Word by_parts(Word a, Word b, int bits, bool is_signed, F f) {
  Word out = 0;
  const auto part = [&](Word x, int at) {
    const Word low = x >> at & ((1u << bits) - 1);
    return is_signed && (low >> (bits - 1) & 1) != 0 ? static_cast<int>(low) - (1 << bits) : static_cast<int>(low);
  };
  for (int at = 0; at < 32; at += bits)
    out |= (static_cast<Word>(f(part(a, at), part(b, at))) & ((1u << bits) - 1)) << at;
  return out;
}

}  // namespace

TEST_CASE("CUDA's ciphers give published values") {
  Launcher gpu(cuda_text("codes", arch()));
  {
    const std::uint64_t out = gpu.room(96 * 32);
    gpu.clean("sha256", shape(3, 32), out, 0u);
    const auto found = gpu.get<Word>(out, 96 * 8);
    const auto text = [&](std::size_t i) {
      std::string hex(64, '0');
      for (std::size_t k = 0; k < 8; ++k) std::snprintf(hex.data() + 8 * k, 9, "%08x", found[8 * i + k]);
      return hex;
    };
    // sha256sum of four bytes, the most significant one first
    CHECK(text(0) == "df3f619804a92fdb4057192dc43dd748ea778adc52bc498ce80524c014b81119");
    CHECK(text(1) == "b40711a88c7039756fb8a73827eabe2c0fe5a0346ca7e0a104adc0fc764f528d");
    CHECK(text(77) == "0a62d0f80072eafa5d94b92a01043d978e9ec6a473f4d4c883db99221a78fe2f");
  }
  {
    // RFC 8439, section 2.3.2
    std::vector<unsigned char> key(32), nonce{0, 0, 0, 9, 0, 0, 0, 0x4a, 0, 0, 0, 0};
    for (std::size_t k = 0; k < 32; ++k) key[k] = static_cast<unsigned char>(k);
    const std::uint64_t k = gpu.put(key), n = gpu.put(nonce), out = gpu.room(2 * 64);
    gpu.clean("chacha", shape(1, 2), k, n, 1u, out);
    const std::vector<Word> expected{0xe4e7f110, 0x15593bd1, 0x1fdd0f50, 0xc47120a3, 0xc7f4d1c7, 0x0368c033,
                                     0x9aaa2204, 0x4e6cd4c3, 0x466482d2, 0x09aa9f07, 0x05d7c214, 0xa2028bd9,
                                     0xd19c12b5, 0xb94e16de, 0xe883d0cb, 0x4e3c50a2};
    CHECK(same(gpu.get<Word>(out, 16), expected));
  }
  {
    const std::string in = "Many hands make light work.!";
    const std::uint64_t x = gpu.put(std::vector<char>(in.begin(), in.end())), out = gpu.room(40);
    gpu.clean("base64", shape(1, 32), x, static_cast<int>(in.size()), out);
    const auto text = gpu.get<char>(out, 40);
    CHECK(std::string(text.begin(), text.end()) == "TWFueSBoYW5kcyBtYWtlIGxpZ2h0IHdvcmsuIQ==");
  }
}

TEST_CASE("CUDA's long integers carry") {
  Launcher gpu(cuda_text("codes", arch()));
  std::mt19937_64 random(1);
  std::vector<Long> base;
  for (int k = 0; k < 32 * 4; ++k)
    base.push_back(k < 4 ? ~0ull >> (k == 3 ? 1 : 0) : k % 4 == 3 ? random() >> 1 : random());
  const std::uint64_t in = gpu.put(base), out = gpu.room(base.size() * 8);
  gpu.clean("powers_of_long", shape(1, 32), in, 65537u, out);
  const auto made = gpu.get<Long>(out, base.size());
  const mpz_class prime = (mpz_class(1) << 255) - 19;
  for (std::size_t k = 0; k < 32; ++k) {
    mpz_class expected;
    mpz_powm_ui(expected.get_mpz_t(), number(&base[4 * k], 4).get_mpz_t(), 65537, prime.get_mpz_t());
    const mpz_class found = number(&made[4 * k], 4), rest = (found - expected) % prime;
    CHECK(rest == 0);
  }
  const auto x = words(96, 2), y = words(96, 3);
  const std::uint64_t a = gpu.put(x), b = gpu.put(y), sums = gpu.room(32 * 24);
  gpu.clean("carried", shape(1, 32), a, b, sums);
  const auto found = gpu.get<Word>(sums, 32 * 6);
  for (std::size_t k = 0; k < 32; ++k) {
    const auto wide = [](const Word* w) -> mpz_class {
      return mpz_class(w[2]) << 64 | mpz_class(w[1]) << 32 | mpz_class(w[0]);
    };
    const mpz_class whole = mpz_class(1) << 96, p = wide(&x[3 * k]), q = wide(&y[3 * k]);
    const mpz_class sum = (p + q) % whole, difference = (p - q + whole) % whole;
    CHECK(wide(&found[6 * k]) == sum);
    CHECK(wide(&found[6 * k + 3]) == difference);
  }
}

TEST_CASE("CUDA's functions of bits, and parts of words") {
  Launcher gpu(cuda_text("codes", arch()));
  {
    std::vector<unsigned char> x;
    std::mt19937 random(4);
    while (x.size() < 32) x.insert(x.end(), 1 + random() % 5, static_cast<unsigned char>(random() % 3));
    x.resize(32);
    std::vector<int> begins, lengths;
    for (int k = 0; k < 32; ++k) {
      if (k == 0 || x[static_cast<std::size_t>(k)] != x[static_cast<std::size_t>(k) - 1])
        begins.push_back(k), lengths.push_back(0);
      ++lengths.back();
    }
    const std::uint64_t in = gpu.put(x), b = gpu.room(128), l = gpu.room(128), count = gpu.room(4);
    gpu.clean("run_lengths", shape(1, 32), in, b, l, count);
    REQUIRE(gpu.get<int>(count, 1)[0] == static_cast<int>(begins.size()));
    CHECK(same(gpu.get<int>(b, begins.size()), begins));
    CHECK(same(gpu.get<int>(l, begins.size()), lengths));
  }
  {
    std::mt19937_64 random(5);
    std::vector<Long> x{0, ~0ull, 1, 1ull << 63, 0x00000000ffffffffull};
    while (x.size() < 70) x.push_back(random() >> random() % 64);
    const std::uint64_t in = gpu.put(x), out = gpu.room(x.size() * 96);
    gpu.clean("bits", shape(3, 32), in, out, static_cast<int>(x.size()));
    const auto made = gpu.get<Long>(out, x.size() * 12);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Long v = x[i], low = v & 0xffffffff, high = v >> 32;
      const auto* to = &made[12 * i];
      Long reversed = 0, morton = 0, chosen = 0;
      for (int k = 0; k < 64; ++k) reversed |= (v >> k & 1) << (63 - k);
      for (int k = 0; k < 32; ++k) morton |= ((k % 2 == 0 ? low : high) >> (k / 2) & 1) << k;
      for (const int place : {3, 7, 1, 5}) chosen = chosen << 8 | (v >> 8 * place & 255);
      INFO(v);
      CHECK(to[0] == reversed);
      CHECK(to[1] == static_cast<Long>(std::popcount(v)));
      CHECK(to[2] == static_cast<Long>(std::countl_zero(v)));
      CHECK(to[3] == static_cast<Long>(v == 0 ? 0 : std::countr_zero(v) + 1));
      CHECK(to[4] == chosen);
      const int turn = static_cast<int>(std::min<Long>(high & 63, 32));
      CHECK(to[5] == ((v << turn) >> 32 & 0xffffffff));
      CHECK(to[6] == morton);
      const mpz_class product = mpz_class(static_cast<std::int64_t>(v)) * mpz_class(0x123456789abcdefl);
      mpz_class upper;
      mpz_fdiv_q_2exp(upper.get_mpz_t(), product.get_mpz_t(), 64);
      CHECK(mpz_class(static_cast<std::int64_t>(to[7])) == upper);
      CHECK(to[8] == low * high >> 32);
      CHECK(static_cast<std::int64_t>(to[9]) ==
            (std::int64_t{static_cast<std::int32_t>(low)} * static_cast<std::int32_t>(high)) >> 32);
      CHECK(to[10] == ((low + high) >> 1) + ((low + high + 1) >> 1 << 32));
      const std::int64_t p = static_cast<std::int32_t>(low), q = static_cast<std::int32_t>(high);
      CHECK((to[11] & 0xffffffff) == ((static_cast<Long>(std::abs(p - q)) + 7) & 0xffffffff));
      CHECK(to[11] >> 32 == (((low > high ? low - high : high - low) + 9) & 0xffffffff));
    }
  }
  const auto x = words(100, 6), y = words(100, 7);
  const std::uint64_t a = gpu.put(x), b = gpu.put(y), out = gpu.room(100 * 64);
  gpu.clean("parts_of_words", shape(4, 32), a, b, out, 100);
  const auto made = gpu.get<Word>(out, 1600);
  const auto limited = [](int v, int least, int most) { return std::min(std::max(v, least), most); };
  for (std::size_t i = 0; i < 100; ++i) {
    const Word p = x[i], q = y[i];
    const auto fours = [&](auto f) { return by_parts(p, q, 8, false, f); };
    const auto twos = [&](auto f) { return by_parts(p, q, 16, true, f); };
    Word sum_of_fours = 0, sum_of_twos = 0;
    fours([&](int u, int v) { return sum_of_fours += static_cast<Word>(std::abs(u - v)); });
    twos([&](int u, int v) { return sum_of_twos += static_cast<Word>(std::abs(u - v)); });
    const std::vector<Word> expected{fours([](int u, int v) { return u + v; }),
                                     fours([](int u, int v) { return u - v; }),
                                     fours([](int u, int v) { return std::abs(u - v); }),
                                     twos([](int u, int v) { return std::max(u, v); }),
                                     fours([](int u, int v) { return std::min(u, v); }),
                                     fours([](int u, int v) { return u > v ? 255 : 0; }),
                                     sum_of_fours,
                                     fours([](int u, int v) { return (u + v + 1) / 2; }),
                                     twos([&](int u, int v) { return limited(u + v, -32768, 32767); }),
                                     fours([](int u, int v) { return std::max(u - v, 0); }),
                                     fours([](int u, int v) { return u == v ? 1 : 0; }),
                                     twos([](int u, int) { return std::abs(u); }),
                                     twos([&](int u, int) { return limited(-u, -32768, 32767); }),
                                     fours([](int u, int v) { return (u + v) / 2; }),
                                     sum_of_twos,
                                     twos([](int u, int v) { return std::abs(u - v); })};
    INFO(std::hex << p << " " << q);
    CHECK(same(std::vector<Word>(made.begin() + static_cast<std::ptrdiff_t>(16 * i),
                                 made.begin() + static_cast<std::ptrdiff_t>(16 * i + 16)),
               expected));
  }
}
