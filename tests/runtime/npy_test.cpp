#include "runtime/npy.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <random>

#include "diagnostics/codes/bad_data_file.h"
#include "diagnostics/codes/internal.h"
#include "numerics/format.h"
#include "tests/runtime/npy_files.h"

using namespace reckon;
using namespace reckon::runtime;

namespace {

using Shape = std::vector<std::int64_t>;
using Bytes = std::vector<std::uint8_t>;

ir::HostTensor read(const std::string& path) {
  auto tensor = read_npy(path, {});
  if (!tensor) FAIL(tensor.error().message);
  return *tensor;
}

ir::HostTensor tensor(ir::Scalar scalar, Shape shape, Bytes bytes) {
  ir::HostTensor made;
  made.scalar = scalar;
  made.shape = std::move(shape);
  made.bytes = std::move(bytes);
  return made;
}

const std::string f32_1_2_3 = number(0x3f800000, 4) + number(0x40000000, 4) + number(0x40400000, 4);
const Bytes f32_1_2_3_bytes = {0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0x40, 0x40};

}  // namespace

TEST_CASE("npy: every version and spelling of the header", "[runtime][npy]") {
  const Folder folder;
  const std::string path = folder.file("x.npy");
  const std::string header =
      GENERATE(std::string("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }                            \n"),
               std::string("{\"shape\":(3,),\"descr\":\"<f4\",\"fortran_order\":True}"),
               std::string(" { 'fortran_order' : False , 'shape' : ( 3 , ) , 'descr' : '=f4' } \n"),
               std::string("{'descr': '<f4', 'fortran_order': False, 'shape': (3L,)}\n"));
  const int version = GENERATE(1, 2, 3);
  const auto found = read(put(path, npy(header, f32_1_2_3, version)));
  CHECK(found.scalar == ir::Scalar::f32);
  CHECK(found.shape == Shape{3});
  CHECK(found.bytes == f32_1_2_3_bytes);
}

TEST_CASE("npy: every element type, in both byte orders", "[runtime][npy]") {
  const Folder folder;
  struct Row {
    const char* descr;
    ir::Scalar scalar;
    std::string data;
    Bytes bytes;
  };
  const Row rows[] = {
      {"<f8", ir::Scalar::f64, number(0x3ff8000000000001, 8), {1, 0, 0, 0, 0, 0, 0xf8, 0x3f}},
      {">f8", ir::Scalar::f64, std::string("\x3f\xf8\0\0\0\0\0\x01", 8), {1, 0, 0, 0, 0, 0, 0xf8, 0x3f}},
      {"<f4", ir::Scalar::f32, number(0x3fc00001, 4), {1, 0, 0xc0, 0x3f}},
      {">f4", ir::Scalar::f32, std::string("\x3f\xc0\0\x01", 4), {1, 0, 0xc0, 0x3f}},
      {"<f2", ir::Scalar::f16, number(0x3e01, 2), {1, 0x3e}},
      {">f2", ir::Scalar::f16, "\x3e\x01", {1, 0x3e}},
      {"<V2", ir::Scalar::bf16, number(0x3fc1, 2), {0xc1, 0x3f}},
      {"|V2", ir::Scalar::bf16, number(0x3fc1, 2), {0xc1, 0x3f}},
      {">V2", ir::Scalar::bf16, "\x3f\xc1", {0xc1, 0x3f}},
      {"bfloat16", ir::Scalar::bf16, number(0x3fc1, 2), {0xc1, 0x3f}},
      {"<V1", ir::Scalar::f8e4m3, "\x7e", {0x7e}},
      {"|V1", ir::Scalar::f8e4m3, "\x7e", {0x7e}},
      {"<f1", ir::Scalar::f8e5m2, "\x7b", {0x7b}},
      {"|f1", ir::Scalar::f8e5m2, "\x7b", {0x7b}},
      {"<u4", ir::Scalar::u32, number(0x3fc00001, 4), {1, 0, 0xc0, 0x3f}},
      {">u4", ir::Scalar::u32, std::string("\x3f\xc0\0\x01", 4), {1, 0, 0xc0, 0x3f}},
      {"|b1", ir::Scalar::boolean, std::string("\x01", 1), {1}},
      {"|b1", ir::Scalar::boolean, std::string("\0", 1), {0}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.descr);
    const auto found = read(put(folder.file("x.npy"), npy(dictionary(row.descr, "(1,)"), row.data)));
    CHECK(found.scalar == row.scalar);
    CHECK(found.bytes == row.bytes);
  }
}

TEST_CASE("npy: scalars and empty tensors", "[runtime][npy]") {
  const Folder folder;
  const std::string path = folder.file("x.npy");
  const auto scalar = read(put(path, npy(dictionary("<f4", "()"), number(0x3f800000, 4))));
  CHECK(scalar.shape.empty());
  CHECK(scalar.bytes == Bytes{0, 0, 0x80, 0x3f});
  CHECK(read(put(path, npy(dictionary("<f4", "(0,)"), ""))).shape == Shape{0});
  const auto empty = read(put(path, npy(dictionary("<f8", "(3, 0, 4611686018427387)", true), "")));
  CHECK(empty.shape == Shape{3, 0, 4611686018427387});
  CHECK(empty.bytes.empty());
}

TEST_CASE("npy: Fortran order becomes row-major", "[runtime][npy]") {
  const Folder folder;
  // a[i, j] = 10 i + j, first index fastest; bools have too few values, so two-byte elements of either byte order.
  std::string little, big;
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 2; ++i) {
      const auto value = static_cast<std::uint64_t>(10 * i + j);
      little += number(value, 2);
      big += number(value << 8, 2);
    }
  }
  const Bytes expected = {0, 0, 1, 0, 2, 0, 10, 0, 11, 0, 12, 0};
  CHECK(read(put(folder.file("a.npy"), npy(dictionary("<f2", "(2, 3)", true), little))).bytes == expected);
  CHECK(read(put(folder.file("b.npy"), npy(dictionary(">f2", "(2, 3)", true), big))).bytes == expected);
  // Three dimensions, against the definition.
  const int shape[] = {3, 4, 5};
  std::string data(60, '\0');
  Bytes rows;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 5; ++k) {
        const auto bit = static_cast<std::uint8_t>((i * 7 + j * 3 + k * k) % 2);
        data[static_cast<std::size_t>(i + shape[0] * (j + shape[1] * k))] = static_cast<char>(bit);
        rows.push_back(bit);
      }
  CHECK(read(put(folder.file("c.npy"), npy(dictionary("|b1", "(3, 4, 5)", true), data))).bytes == rows);
}

TEST_CASE("npy: the bytes that are written are those of the format", "[runtime][npy]") {
  const Folder folder;
  const std::string path = folder.file("y.npy");
  REQUIRE_FALSE(write_npy(path, tensor(ir::Scalar::f32, {3}, f32_1_2_3_bytes), {}));
  const std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
  CHECK(test::read_file(path) == "\x93NUMPY" + number(1, 2) + number(118, 2) + text +
                                     std::string(118 - text.size() - 1, ' ') + "\n" + f32_1_2_3);
  REQUIRE_FALSE(write_npy(path, tensor(ir::Scalar::bf16, {}, {0, 0x40}), {}));
  CHECK(test::read_file(path).find("{'descr': '<V2', 'fortran_order': False, 'shape': (), }") == 10);
  CHECK(test::read_file(path).size() == 128 + 2);
}

TEST_CASE("npy: what is written is read back, bit for bit", "[runtime][npy]") {
  const Folder folder;
  const std::string path = folder.file("y.npy");
  std::mt19937_64 random(2024);
  for (int trial = 0; trial < 300; ++trial) {
    ir::HostTensor made;
    made.scalar = static_cast<ir::Scalar>(random() % (static_cast<std::uint64_t>(ir::Scalar::boolean) + 1));
    if (ir::is_float(made.scalar) && numerics::traits(ir::format_of(made.scalar)).width < 8) continue;
    std::size_t size = static_cast<std::size_t>(ir::byte_width(made.scalar));
    for (std::uint64_t rank = random() % 6; rank > 0; --rank) {
      made.shape.push_back(static_cast<std::int64_t>(random() % 6));
      size *= static_cast<std::size_t>(made.shape.back());
    }
    for (std::size_t i = 0; i < size; ++i)
      made.bytes.push_back(static_cast<std::uint8_t>(made.scalar == ir::Scalar::boolean ? random() % 2 : random()));
    REQUIRE_FALSE(write_npy(path, made, {}));
    CHECK(test::read_file(path).size() % 64 == made.bytes.size() % 64);
    const auto found = read(path);
    // tf32 has no element type of its own: its patterns are those of f32.
    REQUIRE(found.scalar == (made.scalar == ir::Scalar::tf32 ? ir::Scalar::f32 : made.scalar));
    REQUIRE(found.shape == made.shape);
    REQUIRE(found.bytes == made.bytes);
  }
}

TEST_CASE("npy: formats of less than 8 bits are written as f8e4m3, which has all of their numbers", "[runtime][npy]") {
  const Folder folder;
  const std::string path = folder.file("y.npy");
  const auto written = [&](ir::Scalar scalar, const Bytes& bytes) {
    REQUIRE_FALSE(write_npy(path, tensor(scalar, {static_cast<std::int64_t>(bytes.size())}, bytes), {}));
    const auto found = read(path);
    CHECK(found.scalar == ir::Scalar::f8e4m3);
    return found.bytes;
  };
  // 28 and -28 are 1.75 2^4, and 2^-4 is normal in f8e4m3, whose bias is 7.
  CHECK(written(ir::Scalar::f6e3m2, {0x1f, 0x3f, 0x01, 0x00, 0x20}) == Bytes{0x5e, 0xde, 0x18, 0x00, 0x80});
  CHECK(written(ir::Scalar::f6e2m3, {0x1f, 0x01, 0x20}) == Bytes{0x4f, 0x20, 0x80});
  CHECK(written(ir::Scalar::f4e2m1, {0x0f, 0x01, 0x08}) == Bytes{0xcc, 0x30, 0x80});
}

TEST_CASE("npy: writing replaces the file as a whole, or leaves it", "[runtime][npy]") {
  const Folder folder;
  const auto one = tensor(ir::Scalar::boolean, {1}, {1});
  SECTION("mode and links are kept, and nothing else is left in the folder") {
    const std::string path = put(folder.file("y.npy"), "old");
    REQUIRE(chmod(path.c_str(), 0640) == 0);
    REQUIRE(symlink("y.npy", folder.file("link.npy").c_str()) == 0);
    REQUIRE_FALSE(write_npy(folder.file("link.npy"), one, {}));
    CHECK(std::filesystem::is_symlink(folder.file("link.npy")));
    struct stat status {};
    REQUIRE(stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 07777) == 0640);
    CHECK(read(path).bytes == Bytes{1});
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 2);
  }
  SECTION("a folder that does not exist") {
    const auto failure = write_npy(folder.file("none/y.npy"), one, {});
    REQUIRE(failure);
    CHECK(failure->code == code::bad_data_file);
    CHECK(failure->message == "cannot save `" + folder.file("none/y.npy") + "`: No such file or directory");
  }
  SECTION("a folder in its place") {
    CHECK(write_npy(folder.path().string(), one, {}));
    CHECK(std::filesystem::is_directory(folder.path()));
    CHECK(std::filesystem::is_empty(folder.path()));
  }
  SECTION("devices are written to, not replaced") {
    CHECK_FALSE(write_npy("/dev/null", one, {}));
    CHECK(std::filesystem::is_character_file("/dev/null"));
    if (std::filesystem::exists("/dev/full")) CHECK(write_npy("/dev/full", one, {}));
  }
  SECTION("a tensor that is none") {
    const auto failure = write_npy(folder.file("y.npy"), tensor(ir::Scalar::f32, {2}, {1}), {});
    REQUIRE(failure);
    CHECK(failure->code == code::internal);
    CHECK(write_npy(folder.file("y.npy"), tensor(ir::Scalar::number, {}, {}), {}));
    CHECK(std::filesystem::is_empty(folder.path()));
  }
}
