#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <random>

#include "diagnostics/codes/bad_data_file.h"
#include "runtime/npy.h"
#include "tests/runtime/npy_files.h"

using namespace reckon;
using namespace reckon::runtime;

namespace {

/// What is said about a file of these bytes after `cannot load `PATH`: `, and its helps, one a line.
std::string problem(const Folder& folder, const std::string& bytes) {
  const std::string path = put(folder.file("bad.npy"), bytes);
  const SourceSpan place{3, 10, 20};
  const auto found = read_npy(path, place);
  REQUIRE_FALSE(found);
  CHECK(found.error().code == code::bad_data_file);
  CHECK(found.error().primary.span == place);
  const std::string start = "cannot load `" + path + "`: ";
  REQUIRE(found.error().message.starts_with(start));
  std::string text = found.error().message.substr(start.size());
  for (const std::string& help : found.error().helps) text += "\n" + help;
  return text;
}

}  // namespace

TEST_CASE("npy: files that are no .npy files", "[runtime][npy]") {
  const Folder folder;
  CHECK(problem(folder, "") == "it is empty");
  CHECK(problem(folder, "1.0, 2.0\n") == "it is not a NumPy file: it begins with `1.0, 2.0`");
  CHECK(problem(folder, std::string(100000, '\0')) ==
        "it is not a NumPy file: it begins with `\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00`");
  CHECK(problem(folder, "PK\x03\x04 archive").find("`.npz`") != std::string::npos);
  CHECK(problem(folder, "\x93NUMPX\x01").find("is not a NumPy file") != std::string::npos);

  CHECK(read_npy(folder.file("none.npy"), {}).error().message ==
        "cannot load `" + folder.file("none.npy") + "`: No such file or directory");
  CHECK(read_npy(folder.path().string(), {}).error().message.ends_with("it is a folder"));
  REQUIRE(mkfifo(folder.file("pipe.npy").c_str(), 0600) == 0);
  CHECK(read_npy(folder.file("pipe.npy"), {}).error().message.ends_with("it is not a regular file"));
}

TEST_CASE("npy: a file cut off anywhere is refused", "[runtime][npy]") {
  const Folder folder;
  for (const int version : {1, 2, 3}) {
    const std::string whole = npy(dictionary("<f4", "(2, 2)"), std::string(16, 'x'), version);
    for (std::size_t size = 1; size < whole.size(); ++size) {
      CAPTURE(version, size);
      CHECK(problem(folder, whole.substr(0, size)).starts_with("it is cut off"));
    }
    CHECK(problem(folder, whole.substr(0, whole.size() - 1)) ==
          "it is cut off: shape `(2, 2)` of f32 needs 16 bytes of data, and it holds 15");
    CHECK(problem(folder, whole + "xyz")
              .starts_with("3 bytes follow the array of shape `(2, 2)` of f32\na file holds one array"));
  }
}

TEST_CASE("npy: sizes are compared with the file before they are believed", "[runtime][npy]") {
  const Folder folder;
  const auto shaped = [&](const std::string& shape) { return problem(folder, npy(dictionary("<f8", shape), "")); };
  CHECK(shaped("(1000000000000000,)").starts_with("it is cut off: shape `(1000000000000000,)` of f64 needs"));
  CHECK(shaped("(4611686018427387904, 2)") == "its shape `(4611686018427387904, 2)` is too large");
  CHECK(shaped("(4611686018427387904, 8, 0)") == "its shape `(4611686018427387904, 8, 0)` is too large");
  CHECK(shaped("(1152921504606846976,)") == "its shape `(1152921504606846976,)` is too large");
  CHECK(shaped("(99999999999999999999,)") == "its header has the extent `99999999999999999999`, which is too large");
  std::string many = "(";
  for (int i = 0; i < 100000; ++i) many += "1,";
  CHECK(problem(folder, npy(dictionary("<f8", many + ")"), "", 2)) ==
        "its header has a shape of more than 64 dimensions");
  CHECK(problem(folder, "\x93NUMPY" + number(2, 2) + number(0xffffffff, 4) + "{}") ==
        "it is cut off within its header, after 14 bytes");
  CHECK(problem(folder, npy(std::string(2 << 20, ' '), "", 2)) == "its header is 2097152 bytes long");
}

TEST_CASE("npy: a sparse file larger than memory is refused without being read", "[runtime][npy]") {
  const Folder folder;
  const std::string start = npy(dictionary("|b1", "(4398046511104,)"), "");  // 4 TiB
  const std::string path = put(folder.file("huge.npy"), start);
  if (truncate(path.c_str(), static_cast<off_t>(start.size()) + (off_t{1} << 42)) != 0) return;  // no sparse files here
  const auto found = read_npy(path, {});
  REQUIRE_FALSE(found);
  CHECK(found.error().message.ends_with("its 4398046511104 bytes do not fit in memory"));
}

TEST_CASE("npy: versions that do not exist", "[runtime][npy]") {
  const Folder folder;
  for (const std::uint64_t version : {0x0000, 0x0004, 0x0101, 0x00ff}) {
    const std::string bytes = "\x93NUMPY" + number(version, 2) + number(2, 2) + "{}";
    CHECK(problem(folder, bytes).find("of the format, and 1.0, 2.0 and 3.0 are known") != std::string::npos);
  }
}

TEST_CASE("npy: element types that no tensor has", "[runtime][npy]") {
  const Folder folder;
  const auto typed = [&](const std::string& descr) {
    return problem(folder, npy(dictionary(descr, "(1,)"), "12345678"));
  };
  CHECK(typed("<i3").find("which are no numbers") != std::string::npos);
  CHECK(typed("|O").starts_with("its elements are `|O`, pickled Python objects, which are never run\n"));
  CHECK(typed("<c16").find("complex") != std::string::npos);
  CHECK(typed("<f16").find("np.float64") != std::string::npos);
  CHECK(typed("<U5").find("which are no numbers") != std::string::npos);
  CHECK(typed("|V3").find("which are no numbers") != std::string::npos);
  CHECK(typed("").starts_with("its elements are ``"));
  CHECK(typed("<").starts_with("its elements are `<`"));
  CHECK(typed("\xff\x01`").starts_with("its elements are `\\xff\\x01\\x60`"));
  CHECK(problem(folder, npy("{'descr': [('a', '<f8'), ('b', '<f8')], 'fortran_order': False, 'shape': (1,), }", ""))
            .starts_with("its elements are records of several fields\n"));
  CHECK(problem(folder, npy(dictionary("|b1", "(3,)"), std::string("\0\x01\x02", 3))) ==
        "element 2 is byte 2, and a bool is 0 or 1");
}

TEST_CASE("npy: malformed headers", "[runtime][npy]") {
  const Folder folder;
  const auto header = [&](const std::string& text) { return problem(folder, npy(text, "")); };
  CHECK(header("") == "its header has its end where `{` was expected");
  CHECK(header("{}") == "its header has no `descr`");
  CHECK(header("{'descr': '<f4'}") == "its header has no `fortran_order`");
  CHECK(header("{'descr': '<f4', 'fortran_order': True}") == "its header has no `shape`");
  CHECK(header("{'descr': '<f4', 'descr': '<f4'}") == "its header has `descr` twice");
  CHECK(header("{'other': 1}") == "its header has the unknown key `other`");
  CHECK(header("{'descr' '<f4'}") == "its header has `'<f4'}` where `:` was expected");
  CHECK(header("{'descr': <f4}") == "its header has `<f4}` where an element type was expected");
  CHECK(header("{'descr': '<f4") == "its header has `'<f4` where an element type was expected");
  CHECK(header("{'descr': '\\x41'}").ends_with("where an element type was expected"));
  CHECK(header("{'fortran_order': 1}") == "its header has `1}` where `True` or `False` was expected");
  CHECK(header("{'shape': 3}") == "its header has `3}` where `(` was expected");
  CHECK(header("{'shape': (3)}") == "its header has a shape that is no tuple");
  CHECK(header("{'shape': (3 4)}") == "its header has `4)}` where `,` or `)` was expected");
  CHECK(header("{'shape': (-3,)}") == "its header has `-3,)}` where an extent that is not negative was expected");
  CHECK(header("{'shape': (,)}") == "its header has `,)}` where an extent was expected");
  CHECK(header("{'shape': (1.5,)}").ends_with("where `,` or `)` was expected"));
  CHECK(header("{'shape': (3,") == "its header has its end where an extent was expected");
  CHECK(header(dictionary("<f4", "(0,)") + " extra").ends_with("where nothing more was expected"));
  CHECK(header("{'descr': '<f4' 'shape': ()}").ends_with("where `}` was expected"));
}

TEST_CASE("npy: no mutation of a file does harm", "[runtime][npy]") {
  const Folder folder;
  const std::string path = folder.file("bad.npy");
  const std::string whole = npy(dictionary(">f2", "(2, 3)", true), "abcdefghijkl");
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 3000; ++trial) {
    std::string bytes = whole;
    for (std::uint64_t changes = 1 + random() % 3; changes > 0; --changes) {
      const std::size_t at = random() % bytes.size();
      switch (random() % 3) {
        case 0: bytes[at] = static_cast<char>(random()); break;
        case 1: bytes.erase(at, 1 + random() % 4); break;
        default: bytes.insert(at, 1, "0123456789(){},'"[random() % 16]); break;
      }
      if (bytes.empty()) break;
    }
    const auto found = read_npy(put(path, bytes), {});
    if (!found) {
      REQUIRE(found.error().code == code::bad_data_file);
      continue;
    }
    std::size_t size = static_cast<std::size_t>(ir::byte_width(found->scalar));
    for (const std::int64_t extent : found->shape) size *= static_cast<std::size_t>(extent);
    REQUIRE(found->bytes.size() == size);
  }
}
