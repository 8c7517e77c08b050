// FPSan against the vectors of tests/data/fpsan_vectors.txt, worked values of Triton's pass, and its own laws.
#include <catch2/catch.hpp>

#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "numerics/fpsan_native.h"
#include "reference.h"

using namespace reckon::numerics;
using namespace reckon::numerics::fpsan;
using namespace reckon::numerics::testing;

namespace {

constexpr Format fpsan_formats[] = {Format::f64,  Format::f32,    Format::f16,
                                    Format::bf16, Format::f8e4m3, Format::f8e5m2};

const std::map<std::string, Generation> generations = {
    {"now", now}, {"now_homomorphic", now_homomorphic}, {"v38", v38}, {"article", article}};

const std::map<std::string, Operation> operations = {
    {"add", Operation::add},   {"sub", Operation::sub},     {"mul", Operation::mul},     {"div", Operation::div},
    {"rem", Operation::rem},   {"neg", Operation::neg},     {"fma", Operation::fma},     {"min", Operation::min},
    {"max", Operation::max},   {"exp", Operation::exp},     {"exp2", Operation::exp2},   {"sin", Operation::sin},
    {"cos", Operation::cos},   {"log", Operation::log},     {"log2", Operation::log2},   {"sqrt", Operation::sqrt},
    {"rsqrt", Operation::rsqrt}, {"erf", Operation::erf},   {"floor", Operation::floor}, {"ceil", Operation::ceil}};

struct Vector {
  std::string generation, operation, formats;
  std::vector<std::uint64_t> operands;
  std::uint64_t carrier = 0, payload = 0;
};

std::vector<Vector> read_vectors() {
  std::ifstream file(RECKON_TEST_DATA "/fpsan_vectors.txt");
  std::vector<Vector> vectors;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    Vector vector;
    words >> vector.generation >> vector.operation >> vector.formats;
    std::string word;
    while (words >> word && word != "->") vector.operands.push_back(std::stoull(word, nullptr, 16));
    words >> word;
    vector.carrier = std::stoull(word, nullptr, 16);
    words >> word;
    vector.payload = std::stoull(word, nullptr, 16);
    vectors.push_back(vector);
  }
  return vectors;
}

/// The payload that the library computes for a vector, or nothing for formats outside of this library.
struct Computed {
  std::uint64_t payload, carrier;
};
std::optional<Computed> compute(const Vector& vector) {
  const Generation& generation = generations.at(vector.generation);
  if (vector.operation == "cast") {
    const std::size_t arrow = vector.formats.find('>');
    const std::optional<Format> from = format_named(vector.formats.substr(0, arrow));
    const std::optional<Format> to = format_named(vector.formats.substr(arrow + 1));
    if (!from || !to) return std::nullopt;
    const std::uint64_t operand = fpsan_embed(vector.operands.at(0), *from, generation);
    const std::uint64_t payload = fpsan_cast(operand, *from, *to, generation);
    return Computed{payload, fpsan_unembed(payload, *to, generation)};
  }
  const std::optional<Format> format = format_named(vector.formats);
  if (!format) return std::nullopt;
  std::uint64_t payloads[3] = {};
  for (std::size_t i = 0; i < vector.operands.size(); ++i) {
    payloads[i] = fpsan_embed(vector.operands[i], *format, generation);
  }
  const std::uint64_t payload =
      fpsan_apply(operations.at(vector.operation), *format, payloads[0], payloads[1], payloads[2], generation);
  return Computed{payload, fpsan_unembed(payload, *format, generation)};
}

std::uint64_t f32_payload(float value) { return fpsan_embed(std::bit_cast<std::uint32_t>(value), Format::f32); }

}  // namespace

TEST_CASE("FPSan gives the results of the vectors, in all four generations", "[numerics][fpsan]") {
  const std::vector<Vector> vectors = read_vectors();
  REQUIRE(vectors.size() == 4000);
  std::map<std::string, int> checked;
  for (const Vector& vector : vectors) {
    const std::optional<Computed> computed = compute(vector);
    if (!computed) continue;
    ++checked[vector.generation];
    if (computed->payload == vector.payload && computed->carrier == vector.carrier) continue;
    CAPTURE(vector.generation, vector.operation, vector.formats, vector.operands);
    REQUIRE(computed->payload == vector.payload);
    REQUIRE(computed->carrier == vector.carrier);
  }
  for (const auto& [name, generation] : generations) CHECK(checked[name] > 500);
}

TEST_CASE("FPSan's derived constants", "[numerics][fpsan]") {
  const Embedding f64 = embedding(now, Format::f64);
  CHECK(zeros_of_one(Format::f64) == 52);
  CHECK(f64.mixer_inverse == 0x76fb3970ed2baeb9);
  CHECK(f64.positive == 0x47e51bff1aa71547);
  CHECK(f64.positive_inverse == 0x4770000000000477);
  const Embedding bf16 = embedding(now, Format::bf16);
  CHECK(zeros_of_one(Format::bf16) == 7);
  CHECK(bf16.mixer == 0x7789);
  CHECK(bf16.positive == 0x4e47);
  CHECK(embedding(v38, Format::f16).positive == 0x6e35);
  CHECK(tag_hash(Tag::log) == 0xb456bcfc34c2cb2c);
  CHECK(tag_hash(Tag::precise_sqrt) == 0xefc6be81a1d572c4);
  CHECK(f32_payload(0x1.715476p+0f) == now.exp_premultiplier);
}

TEST_CASE("FPSan's worked values", "[numerics][fpsan]") {
  struct Row {
    Format format;
    std::uint64_t carrier, payload;
  };
  const Row rows[] = {
      {Format::f32, 0x00000000, 0x00000000}, {Format::f32, 0x80000000, 0x80000000},
      {Format::f32, 0x3f800000, 0x00000001}, {Format::f32, 0xbf800000, 0xffffffff},
      {Format::f32, 0x40000000, 0x35606380}, {Format::f32, 0xc0000000, 0xca9f9c80},
      {Format::f32, 0x3f000000, 0x5fded582}, {Format::f32, 0x40400000, 0x4a1b34dc},
      {Format::f32, 0x3dcccccd, 0x7b7e6c32}, {Format::f32, 0xbdcccccd, 0x848193ce},
      {Format::f32, 0x40490fdb, 0x17de6876}, {Format::f32, 0x402df854, 0x0dc200f9},
      {Format::f32, 0x7f800000, 0x4a9f9c81}, {Format::f32, 0xff800000, 0xb560637f},
      {Format::f32, 0x7fc00000, 0x5f5a6ddd}, {Format::f32, 0x00000001, 0x452b6ab8},
      {Format::f32, 0x7f7fffff, 0x7d1fb98e}, {Format::f32, 0xffffffff, 0xfa949d81}, {Format::f16, 0x3c00, 0x0001},
      {Format::f16, 0x4000, 0x5b70}, {Format::f16, 0x2e66, 0x685f}, {Format::f16, 0xae66, 0x97a1},
      {Format::f16, 0x4248, 0x4dcc}, {Format::f16, 0xfc00, 0xa48f}, {Format::f16, 0x7e00, 0x004d},
      {Format::f16, 0x0001, 0x4ecc}, {Format::f16, 0xffff, 0xaf5d}, {Format::bf16, 0xbf80, 0xffff},
      {Format::bf16, 0x4080, 0x7fff}, {Format::bf16, 0x3dcd, 0x12e2}, {Format::bf16, 0x4049, 0x246b},
      {Format::bf16, 0xff80, 0x9c7f}, {Format::bf16, 0x7f7f, 0x5410},
      {Format::f64, 0x4000000000000000, 0x546ffc6a9c551c00}, {Format::f64, 0x3ff8000000000000, 0x31d573cb2481e75d},
      {Format::f64, 0xbfb999999999999a, 0x9097b46315d08719}, {Format::f64, 0x7ff0000000000000, 0x2b90039563aae401},
      {Format::f64, 0x0000000000000001, 0x5ad3c06456e6e3ff}, {Format::f64, 0xffffffffffffffff, 0xd0d8eab900398948}};
  for (const Row& row : rows) {
    CAPTURE(traits(row.format).name, bit_digits(row.carrier, row.format));
    CHECK(fpsan_embed(row.carrier, row.format) == row.payload);
    CHECK(fpsan_unembed(row.payload, row.format) == row.carrier);
  }
}

TEST_CASE("FPSan's worked operations", "[numerics][fpsan]") {
  const std::uint64_t x = f32_payload(1.5f), y = f32_payload(2.5f), z = f32_payload(-3.0f);
  REQUIRE((x == 0x14bad15d && y == 0x3fbdcc2e && z == 0xb5e4cb24));
  const auto f32 = [](Operation operation, std::uint64_t p, std::uint64_t q = 0, std::uint64_t r = 0) {
    return fpsan_apply(operation, Format::f32, p, q, r);
  };
  CHECK(f32(Operation::add, x, y) == 0x54789d8b);
  CHECK(fpsan_unembed(0x54789d8b, Format::f32) == 0x2b8eb900);
  CHECK(f32(Operation::sub, x, y) == 0xd4fd052f);
  CHECK(f32(Operation::mul, x, y) == 0x0d10bab6);
  CHECK(f32(Operation::div, x, y) == 0x718f4ad6);
  CHECK(f32(Operation::rem, x, y) == 0x14bad15d);
  CHECK(f32(Operation::fma, x, y, z) == 0xc2f585da);
  CHECK(f32(Operation::exp, x) == 0xde618101);
  CHECK(f32(Operation::exp2, x) == 0x36075d01);
  CHECK(f32(Operation::sin, x) == 0x4d431ae4);
  CHECK(f32(Operation::cos, x) == 0xaf089b59);
  CHECK(f32(Operation::log, x) == 0x616cdc91);
  CHECK(f32(Operation::sqrt, x) == 0xe2e4a7a0);
  CHECK(f32(Operation::rsqrt, x) == 0xd13721d2);
  CHECK(f32(Operation::erf, x) == 0x706d3e2c);
  CHECK(f32(Operation::floor, x) == 0x4fe6e85a);
  CHECK(fpsan_cast(x, Format::f32, Format::f16) == 0x7ea1);
  CHECK(fpsan_unembed(0x7ea1, Format::f16) == 0x138b);
  CHECK(fpsan_unembed(0x7ea1, Format::bf16) == 0x53f8);
  CHECK(fpsan_cast(fpsan_embed(0x3e00, Format::f16), Format::f16, Format::f32) == 0x000024dd);
  CHECK(fpsan_cast(x, Format::f32, Format::f16, now_homomorphic) == 0xd15d);
  CHECK(fpsan_cast(0x00010000, Format::f32, Format::bf16) == 0x0dba);
  CHECK(fpsan_cast(0xfffffffe, Format::f32, Format::bf16) == 0xfffe);
  CHECK(fpsan_cast(0x0123456789abcdef, Format::f64, Format::f32) == 0xece8b204);
  CHECK(f32(Operation::div, 1, 2) == 0xaaaaaaaa);
  CHECK(f32(Operation::div, 1, 3) == 0xaaaaaaab);
  CHECK(f32(Operation::div, 1, 6) == 0xb6db6db6);
  CHECK(f32(Operation::div, x, 0) == 0);
  CHECK(f32(Operation::exp2, 1) == 0x101);
  CHECK(f32(Operation::exp2, 2) == 0x10201);
  CHECK(f32(Operation::exp2, 3) == 0x1030301);
  CHECK(f32(Operation::exp, 1) == 0xf41c7501);
  CHECK(f32(Operation::cos, 2) == 0xae147ae1);
  CHECK(f32(Operation::sin, 2) == 0xc28f5c28);
  CHECK(f32(Operation::log, 1) == 0xb268618d);
  CHECK(f32(Operation::sqrt, 1) == 0x717516e4);
  // The least integer by -1, where machines trap.
  CHECK(f32(Operation::rem, 0x80000000, 0xffffffff) == 0);
}

TEST_CASE("FPSan's embedding is a bijection with the stated symmetry", "[numerics][fpsan]") {
  for (const Format format : {Format::f16, Format::bf16}) {
    std::vector<bool> seen(65536);
    for (std::uint64_t bits = 0; bits < 65536; ++bits) {
      const std::uint64_t payload = fpsan_embed(bits, format);
      if (payload >= 65536 || seen[payload]) FAIL(bits);
      seen[payload] = true;
      if (fpsan_unembed(payload, format) != bits) FAIL(bits);
      if ((payload ^ bits) & 0x8000) FAIL(bits);
      if ((bits & 0x7fff) != 0 && fpsan_embed(bits ^ 0x8000, format) != ((0 - payload) & 0xffff)) FAIL(bits);
    }
  }
  std::mt19937_64 random = random_stream(61);
  for (int trial = 0; trial < 20000; ++trial) {
    for (const Format format : {Format::f64, Format::f32}) {
      const std::uint64_t bits = random() & width_mask(format);
      REQUIRE(fpsan_unembed(fpsan_embed(bits, format), format) == bits);
    }
  }
}

namespace {

/// The text's own definition of exp2, sin and cos: plain powers, one bit of the exponent after the other.
std::uint64_t power_by_bits(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t power = 1;
  for (int bit = 63; bit >= 0; --bit) {
    power *= power;
    if ((exponent >> bit) & 1) power *= base;
  }
  return power;
}

Gaussian rotation_by_bits(std::uint64_t exponent) {
  Gaussian power{1, 0};
  for (int bit = 63; bit >= 0; --bit) {
    power = multiply(power, power);
    if ((exponent >> bit) & 1) power = multiply(power, {0x9999999999999999, 0x3333333333333334});
  }
  return power;
}

}  // namespace

TEST_CASE("FPSan's closed forms equal the powers that they stand for", "[numerics][fpsan]") {
  std::mt19937_64 random = random_stream(62);
  const auto check = [](Format format, std::uint64_t p) {
    const std::uint64_t mask = width_mask(format);
    const int quarter = traits(format).width / 4;
    const std::uint64_t exp2 = power_by_bits(1 + (std::uint64_t{1} << quarter), p) & mask;
    const Gaussian rotation = rotation_by_bits(p);
    if (fpsan_apply(Operation::exp2, format, p) != exp2) FAIL(p);
    if (fpsan_apply(Operation::cos, format, p) != (rotation.real & mask)) FAIL(p);
    if (fpsan_apply(Operation::sin, format, p) != (rotation.imaginary & mask)) FAIL(p);
    const std::uint64_t generic = power_by_bits(0xA343836D, p) & mask;
    if (fpsan_apply(Operation::exp2, format, p, 0, 0, article) != generic) FAIL(p);
  };
  for (std::uint64_t p = 0; p < 65536; ++p) check(Format::f16, p);
  for (int trial = 0; trial < 20000; ++trial) {
    check(Format::f32, random() & 0xffffffff);
    check(Format::f64, random());
  }
}

TEST_CASE("FPSan's laws", "[numerics][fpsan]") {
  std::mt19937_64 random = random_stream(63);
  for (const Format format : fpsan_formats) {
    const std::uint64_t mask = width_mask(format);
    const auto apply = [&](Operation operation, std::uint64_t p, std::uint64_t q = 0) {
      return fpsan_apply(operation, format, p, q);
    };
    for (int trial = 0; trial < 5000; ++trial) {
      const std::uint64_t x = random() & mask, y = random() & mask;
      const std::uint64_t sum = apply(Operation::add, x, y);
      REQUIRE(apply(Operation::exp, sum) == apply(Operation::mul, apply(Operation::exp, x), apply(Operation::exp, y)));
      const std::uint64_t cosine = apply(Operation::cos, x), sine = apply(Operation::sin, x);
      REQUIRE(((cosine * cosine + sine * sine) & mask) == 1);
      REQUIRE(apply(Operation::cos, apply(Operation::neg, x)) == cosine);
      REQUIRE(apply(Operation::sin, apply(Operation::neg, x)) == apply(Operation::neg, sine));
      REQUIRE(apply(Operation::div, 1, apply(Operation::div, 1, x)) == x);
      REQUIRE(apply(Operation::div, x, y) == apply(Operation::mul, x, apply(Operation::div, 1, y)));
      if (x % 2 == 1) REQUIRE(apply(Operation::div, x, x) == 1);
      for (const Format wider : fpsan_formats) {
        if (traits(wider).width <= traits(format).width) continue;
        REQUIRE(fpsan_cast(fpsan_cast(x, format, wider), wider, format) == x);
      }
    }
  }
}
