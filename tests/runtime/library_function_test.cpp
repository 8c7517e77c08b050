// Functions of shared libraries: called as C calls them, and refused with a reason.
#include <catch2/catch.hpp>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include "diagnostics/codes/bad_library.h"
#include "runtime/library_function.h"
#include "tests/support/files.h"

using namespace reckon;
using namespace reckon::runtime;
using Catch::Contains;

namespace {

const std::string library = RECKON_TEST_LIBRARY;

template <class T>
T called(const std::string& symbol, ir::Scalar scalar, std::vector<T> arguments) {
  const auto function = find_function(library, symbol, {});
  REQUIRE(function);
  std::vector<const std::uint8_t*> pointers;
  for (const T& argument : arguments) pointers.push_back(reinterpret_cast<const std::uint8_t*>(&argument));
  T out{};
  (*function)->call(scalar, pointers, 1, reinterpret_cast<std::uint8_t*>(&out));
  return out;
}

std::string refusal(const std::string& path, const std::string& symbol = "right_exp") {
  const auto function = find_function(path, symbol, {});
  REQUIRE(!function);
  CHECK(function.error().code == code::bad_library);
  std::string out = function.error().message;
  for (const std::string& help : function.error().helps) out += " | " + help;
  return out;
}

std::string bytes_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

TEST_CASE("functions of one to three arguments, of three formats") {
  CHECK(called<float>("right_exp", ir::Scalar::f32, {0.0f}) == 1.0f);
  CHECK(called<float>("add_off_by_3", ir::Scalar::f32, {1.0f, 1.0f}) == 2.0f + 3 * 0x1p-22f);
  CHECK(called<double>("fused", ir::Scalar::f64, {0x1.0000001p0, 0x1.0000001p0, -0x1.0000002p0}) == 0x1p-56);
  CHECK(called<std::uint16_t>("half_root", ir::Scalar::f16, {0x4400}) == 0x4000);  // 4 -> 2
}

TEST_CASE("each element of an array, in order") {
  const auto function = find_function(library, "right_exp", {});
  REQUIRE(function);
  const float x[3] = {0, 1, -1};
  float out[3];
  (*function)->call(ir::Scalar::f32, {reinterpret_cast<const std::uint8_t*>(x)}, 3, reinterpret_cast<std::uint8_t*>(out));
  CHECK(out[0] == 1);
  CHECK(out[1] == 0x1.5bf0a8p+1f);   // e = 2.718281828459045..., to nearest (A001113)
  CHECK(out[2] == 0x1.78b564p-2f);   // 1/e = 0.367879441171442... (A068985)
}

TEST_CASE("what a function does to rounding and subnormals ends with the call") {
  CHECK(called<float>("careless", ir::Scalar::f32, {1.0f}) == 1.0f);
  CHECK(std::fegetround() == FE_TONEAREST);
  volatile float least = 0x1p-149f;
  CHECK(least * 1 == 0x1p-149f);
}

TEST_CASE("a library of the system, by its name alone") {
  const auto function = find_function("libm.so.6", "floorf", {});
  REQUIRE(function);
  const float x = 2.5f;
  float out = 0;
  (*function)->call(ir::Scalar::f32, {reinterpret_cast<const std::uint8_t*>(&x)}, 1, reinterpret_cast<std::uint8_t*>(&out));
  CHECK(out == 2);
}

TEST_CASE("names that are not there say what is") {
  CHECK_THAT(refusal(library, "rigth_exp"), Contains("has no function `rigth_exp`") && Contains("did you mean `right_exp`?"));
  CHECK_THAT(refusal(library, "mangled"), Contains("`_Z7mangledf`") && Contains("extern \"C\""));
  CHECK_THAT(refusal(library, "some_data"), Contains("`some_data` of the library") && Contains("is data, and no function"));
  CHECK_THAT(refusal(library, ""), Contains("has no function ``"));
  // libm's own, not what it is linked with.
  CHECK_THAT(refusal("libm.so.6", "printf"), Contains("has no function `printf`"));
}

TEST_CASE("files that are no libraries of this machine say what they are") {
  const test::TemporaryFolder folder;
  const auto file = [&](const std::string& name, const std::string& bytes) {
    const std::string path = (folder / name).string();
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  };
  CHECK_THAT(refusal("/nonexistent/libmine.so"), Contains("there is no such file"));
  CHECK_THAT(refusal("libthere_is_none_of_this_name.so"), Contains("the system has no library of that name"));
  CHECK_THAT(refusal(""), Contains("there is no such file"));
  CHECK_THAT(refusal(folder.path().string()), Contains("it is a folder"));
  CHECK_THAT(refusal(file("text.so", "INPUT(-lm)\n")), Contains("it is not a shared library"));
  CHECK_THAT(refusal(file("empty.so", "")), Contains("it is not a shared library"));
  CHECK_THAT(refusal(file("y.npy", "\x93NUMPY\x01\x00 and so on, more than 16 bytes")), Contains("it is a NumPy file"));
  CHECK_THAT(refusal(file("liba.a", "!<arch>\nand so on, more than 16 bytes")), Contains("it is an archive"));

  // The library itself, with another machine's number in its header, another class, another kind.
  const std::string bytes = bytes_of(library);
  REQUIRE(bytes.size() > 64);
  std::string other = bytes;
  other[18] = static_cast<char>(243), other[19] = 0;
  CHECK_THAT(refusal(file("riscv.so", other)), Contains("it is for another machine (RISC-V)"));
  other = bytes;
  other[4] = 1, other[18] = 3, other[19] = 0;
  CHECK_THAT(refusal(file("x86.so", other)), Contains("it is for another machine (x86, 32 bits)"));
  other = bytes;
  other[16] = 1;
  CHECK_THAT(refusal(file("object.o", other)), Contains("an object file or a program"));
}

TEST_CASE("a truncated library is refused and not read past its end") {
  const test::TemporaryFolder folder;
  const std::string bytes = bytes_of(library);
  for (const std::size_t size : {std::size_t{16}, std::size_t{19}, std::size_t{20}, std::size_t{63}, std::size_t{64}, std::size_t{1000}}) {
    const std::string path = (folder / ("cut" + std::to_string(size) + ".so")).string();
    std::ofstream(path, std::ios::binary) << bytes.substr(0, size);
    INFO(size);
    CHECK_THAT(refusal(path), Contains("cannot be used"));
  }
}
