// Integers of all types from the text of a program to what it prints, in the interpreter and on the host. Expected values
// are Python's and NumPy's.
#include <fmt/format.h>

#include "tests/cli/npy.h"
#include "tests/cli/reckon_run.h"
#include "tests/support/files.h"

using namespace reckon::test;

TEST_CASE("quotients and remainders are Python's") {
  // [(a // b, a % b) for b in (3, -3) for a in range(-7, 8)]
  const RunResult result = run_text(
      "let a = for i < 15: i32(i) - 7\n"
      "show for i < 15: a[i] // 3\nshow for i < 15: a[i] % 3\nshow for i < 15: a[i] // -3\nshow for i < 15: a[i] % -3\n");
  CHECK(result.out ==
        "[-3, -2, -2, -2, -1, -1, -1, 0, 0, 0, 1, 1, 1, 2, 2]\n"
        "[2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1]\n"
        "[2, 2, 1, 1, 1, 0, 0, 0, -1, -1, -1, -2, -2, -2, -3]\n"
        "[-1, 0, -2, -1, 0, -2, -1, 0, -2, -1, 0, -2, -1, 0, -2]\n");
}

TEST_CASE("integers wrap around in their type") {
  // numpy.int8(100) + numpy.int8(100), ...
  CHECK(run_text("show i8(100) + 100").out == "-56  i8#c8\n");
  CHECK(run_text("show u8(200) + 100").out == "44  u8#2c\n");
  CHECK(run_text("show i16(-32768) - 1").out == "32767  i16#7fff\n");
  CHECK(run_text("show i64(9223372036854775807) + 1").out == "-9223372036854775808  i64#8000000000000000\n");
  CHECK(run_text("show u64(18446744073709551615) * 3").out == "18446744073709551613  u64#fffffffffffffffd\n");
  CHECK(run_text("show i8(-128) // -1").out == "-128  i8#80\n");
  CHECK(run_text("show abs(i8(-128))").out == "-128  i8#80\n");
  CHECK(run_text("show i8#fd").out == "-3  i8#fd\n");
  CHECK(run_text("show i8(-128) >> 3").out == "-16  i8#f0\n");
  CHECK(run_text("show u8(128) >> 3").out == "16  u8#10\n");
  CHECK(run_text("show i8(1) << 9").out == "2  i8#02\n");
}

TEST_CASE("conversions between integers wrap around, and those of floats end at the borders") {
  // numpy.array([300, -1, 128]).astype(numpy.int8)
  CHECK(run_text("show [i8(i32(300)), i8(i32(-1)), i8(u8(128))]").out == "[44, -1, -128]\n");
  CHECK(run_text("show [u64(i8(-1)), u64(u8(255))]").out == "[18446744073709551615, 255]\n");
  CHECK(run_text("show [i8(f32(300)), i8(f32(-300)), i8(f32(nan)), i8(f32(-3.9))]").out == "[127, -128, 0, -3]\n");
  CHECK(run_text("show [i64(f64(1e300)), i64(f64(-1e300))]").out == "[9223372036854775807, -9223372036854775808]\n");
  CHECK(run_text("show f64(u64(18446744073709551615))").out == "1.8446744073709552e19  f64#43f0000000000000\n");
  CHECK(run_text("show f32(i64(-9223372036854775807))").out == "-9.223372e18  f32#df000000\n");
  CHECK(run_text("show bits(f64(1))").out == "4607182418800017408  u64#3ff0000000000000\n");
  CHECK(run_text("show from_bits(f64, u64#3ff0000000000000)").out == "1  f64#3ff0000000000000\n");
  CHECK(run_text("show from_bits(f16, u16#3c00)").out == "1  f16#3c00\n");
  CHECK(run_text("show from_bits(f8e4m3, u8#38)").out == "1  f8e4m3#38\n");
}

TEST_CASE("the host gives what the interpreter gives, and its errors") {
  const TemporaryFolder folder;
  const std::string file = (folder / "i.rk").string();
  write_file(file,
             "fn quotient(a: i8[n], b: i8[n]) -> i8[n] = for i: a[i] // b[i]\n"
             "fn dot(a: i8[n], b: i8[n]) -> i32 = sum i: i32(a[i]) * i32(b[i]) by lanes(4, tree) then tree\n"
             "fn read(x: f32[n], k: i64[m]) -> f32[m] = for i: x[k[i]]\n"
             "fn any_type[T](a: T[n]) -> T = sum i: a[i] by seq\n");
  for (const char* on : {"--on=interp", "--on=host"}) {
    INFO(on);
    const auto call = [&](const char* name, std::vector<std::string> more) {
      std::vector<std::string> all{"call", file, "--fn", name, on};
      all.insert(all.end(), more.begin(), more.end());
      return reckon_here(all);
    };
    CHECK(call("quotient", {"--arg", "a=-7,7,-128", "--arg", "b=2,-2,-1"}).out == "[-4, -4, -128]\n");
    CHECK(call("dot", {"--arg", "a=127,127,-128,1,2", "--arg", "b=127,127,-128,3,4"}).out == "48653  i32#0000be0d\n");
    const RunResult zero = call("quotient", {"--arg", "a=5,7", "--arg", "b=1,0"});
    CHECK(zero.status != 0);
    CHECK_THAT(zero.err, Catch::Contains("error[E0400]: 7 is divided by zero (`b[1]` is 0)"));
    const RunResult beyond = call("read", {"--arg", "x=1,2", "--arg", "k=1,-1"});
    CHECK_THAT(beyond.err, Catch::Contains("error[E0308]: index -1 is out of range"));
    CHECK(call("any_type", {"-D", "T=i16", "--arg", "a=32767,1"}).out == "-32768  i16#8000\n");
    CHECK(call("any_type", {"-D", "T=u64", "--arg", "a=18446744073709551615,2"}).out == "1  u64#0000000000000001\n");
  }
}

TEST_CASE("files of NumPy's integers are tensors of their type") {
  const TemporaryFolder folder;
  const std::string file = (folder / "i.rk").string(), in = (folder / "a.npy").string(), out = (folder / "b.npy").string();
  const auto through = [&](const char* type, const char* kind, const std::string& bytes) {
    write_file(file, fmt::format("fn same(a: {0}[n]) -> {0}[n] = for i: a[i] + 0\n", type));
    write_file(in, npy(kind, "(2,)", bytes));
    const RunResult result = reckon_here({"call", file, "--fn", "same", "--arg", "a=@" + in, "-o", out});
    INFO(type << result.err);
    REQUIRE(result.status == 0);
    const std::string saved = read_file(out);
    CHECK(saved.find(fmt::format("'descr': '{}'", kind)) != std::string::npos);
    CHECK(saved.substr(saved.size() - bytes.size()) == bytes);
  };
  through("i8", "|i1", bytes_of<std::int8_t>({-128, 127}));
  through("i16", "<i2", bytes_of<std::int16_t>({-32768, 7}));
  through("i32", "<i4", bytes_of<std::int32_t>({INT32_MIN, 7}));
  through("i64", "<i8", bytes_of<std::int64_t>({INT64_MIN, 7}));
  through("u8", "|u1", bytes_of<std::uint8_t>({255, 7}));
  through("u16", "<u2", bytes_of<std::uint16_t>({65535, 7}));
  through("u32", "<u4", bytes_of<std::uint32_t>({UINT32_MAX, 7}));
  through("u64", "<u8", bytes_of<std::uint64_t>({UINT64_MAX, 7}));
}

TEST_CASE("an index meets integers of every type exactly") {
  // A key of -1 is no index below 3; an i8 has no 200, and an index of 200 is not -56.
  const RunResult result = run_text(
      "fn count(key: i8[n]) -> i32[3] = for k < 3: sum i where key[i] == k: i32(1) by seq\n"
      "fn far(key: i8[n]) -> i32 = sum i where key[i] == i + 200: i32(1) by seq\n"
      "fn below(key: i64[n]) -> i32 = sum i where key[i] < i - 1: i32(1) by seq\n"
      "show count([i8(0), -1, 2, 2])\nshow far([i8(-56), 1])\nshow below([i64(-2), -1, 0, 2])\n");
  CHECK(result.out == "[1, 0, 2]\n0  i32#00000000\n3  i32#00000003\n");
}

TEST_CASE("a check draws borders, small numbers and divisors that are not 0") {
  const RunResult result = run_text(
      "fn a(x: i16, d: i16) -> i16 = d * (x // d) + x % d\nfn b(x: i16, d: i16) -> i16 = x\ncheck a == b in float\n"
      "fn c(x: i8) -> i8 = abs(x)\nfn e(x: i8) -> i8 = max(x, -x)\nfn f(x: i8) -> i8 = max(x, -1 - x) + 1\n"
      "check c == e in float\ncheck c <= f in float for x: -100..100\n");
  INFO(result.out << result.err);
  CHECK(result.status == 0);
  CHECK_THAT(result.out, Catch::Contains("d not 0"));
}

TEST_CASE("integers are the same under every semantics") {
  const std::string item = "show (i32(-7) // 2) * 3 + i32(i8(u8(200)))";
  for (const char* semantics : {"float", "exact", "interval", "interval(f32)", "bound", "fpsan", "padic", "accept(wgsl)"}) {
    INFO(semantics);
    // -4 * 3 - 56
    CHECK(run_text("import \"profiles/wgsl\"\n" + item + " in " + semantics).out.starts_with("-68"));
    const RunResult zero = run_text("import \"profiles/wgsl\"\nfn f(d: u8) -> u8 = 7 % d\nshow f(0) in " + std::string(semantics));
    CHECK_THAT(zero.err, Catch::Contains("error[E0400]"));
  }
  CHECK(run_text(item + " in count").out.find("floor_div 1") != std::string::npos);
  // Answers have ends in f64: beyond 2^53 an integer is not known, and nothing is claimed.
  const RunResult beyond = run_text("import \"profiles/wgsl\"\nshow i64(9007199254740991) + 5 in accept(wgsl)");
  CHECK(beyond.out.starts_with("unbounded"));
}

TEST_CASE("proofs follow integers as far as nothing may wrap") {
  const RunResult result = run_text(
      "fn a(x: i8) -> f64 = f64(i32(x))\nfn b(x: i8) -> f64 = f64(x)\ncheck a == b in algebra\n"
      "fn c(x: i8, y: i8) -> f64 = f64(x + y)\nfn d(x: i8, y: i8) -> f64 = f64(x) + f64(y)\ncheck c == d in algebra\n"
      "fn e(x: i8, y: i8) -> f64 = f64(max(x, y))\nfn f(x: i8, y: i8) -> f64 = max(f64(x), f64(y))\ncheck e == f in algebra\n");
  INFO(result.out);
  CHECK(result.out.find("holds     check a == b in algebra  (proved)") != std::string::npos);
  CHECK(result.out.find("fails     check c == d in algebra") != std::string::npos);
  CHECK(result.out.find("holds     check e == f in algebra  (proved)") != std::string::npos);
}
