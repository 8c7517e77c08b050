// The rows of layout_cases.json about hardware atoms, tiled matrix instructions and tiled copies.
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "ir/layout/atoms/shared_atom.h"
#include "ir/layout/tiled/copy.h"
#include "ir/layout/tiled/mma.h"
#include "tests/layout/layouts.h"
#include "tests/support/files.h"

using namespace reckon::layout;
using namespace reckon::layout_tests;

namespace {

template <class T>
T must(const Result<T>& result) {
  if (!result) FAIL(result.problem().message);
  return *result;
}

/// A layout, or a shape that is compact from the left.
Layout layout_or_shape(const std::string& text) {
  if (auto layout = read_layout(text)) return *layout;
  return must(Layout::compact_left(*whole_tuple(text)));
}

std::string full_name(const std::string& name) {
  if (name == "SM80_16x8x16") return "SM80_16x8x16_F32F16F16F32_TN";
  return name == "SM70_8x8x4_NT" ? "SM70_8x8x4_F32F16F16F32_NT" : name;
}

/// "(32,32,16)", or "<(4,4,2):(1,8,4),32,4>".
std::array<std::optional<Layout>, 3> tile_of(const std::string& text) {
  if (text == "<(4,4,2):(1,8,4),32,4>") return {layout_from("(4,4,2):(1,8,4)"), layout_from("32:1"), layout_from("4:1")};
  std::array<std::optional<Layout>, 3> out;
  const auto sizes = whole_tuple(text);
  REQUIRE(sizes);
  for (std::size_t k = 0; k < 3; ++k) out[k] = *Layout::make(sizes->elements()[k], 1);
  return out;
}

std::string after(const std::string& text, const std::string& key) {
  const std::size_t at = text.find(key);
  return at == std::string::npos ? "" : text.substr(at + key.size(), text.find(' ', at) - at - key.size());
}

TiledMma mma_of(const std::vector<std::string>& arguments) {
  std::array<std::optional<Layout>, 3> tile;
  if (arguments.size() > 2) tile = tile_of(arguments[2].substr(arguments[2].find('=') + 1));
  const std::string atoms = arguments[1].substr(arguments[1].find('=') + 1);
  return must(TiledMma::make(must(mma_atom(full_name(arguments[0]))), layout_or_shape(atoms), tile));
}

TiledCopy copy_of(const std::string& text) {
  if (text.rfind("ldsm x4 N for ", 0) == 0) {
    const TiledMma mma = mma_of({"SM80_16x8x16", "(2,2,1):(1,2,0)", "(32,32,16)"});
    return must(TiledCopy::make(must(in_elements(must(copy_atom("SM75_U32x4_LDSM_N")), 16)), mma,
                                text[14] == 'A' ? Operand::a : Operand::b));
  }
  std::istringstream words(text);
  std::string atom, type;
  words >> atom >> type;
  return must(TiledCopy::make(must(in_elements(must(copy_atom(atom)), type == "f16" ? 16 : 32)),
                              layout_or_shape(after(text, "thr=")), layout_or_shape(after(text, "val="))));
}

CopyAtom copy_atom_of(const std::string& text) {
  return must(in_elements(must(copy_atom(text.substr(0, text.find(' ')))), 16));
}

std::optional<Layout> layout_answer(const std::string& op, const std::vector<std::string>& arguments) {
  if (op == "mma_atom_thr") return must(mma_atom(arguments[0])).threads;
  if (op == "mma_atom_A_TV") return must(mma_atom(arguments[0])).a;
  if (op == "mma_atom_B_TV") return must(mma_atom(arguments[0])).b;
  if (op == "mma_atom_C_TV") return must(mma_atom(arguments[0])).c;
  if (op == "gmma_layout") {
    const std::size_t atom = arguments[0].find("_Atom_f");
    if (atom == std::string::npos) return must(gmma_layout(arguments[0]));
    return must(shared_atom(arguments[0].substr(0, atom), std::stoi(arguments[0].substr(atom + 7)))).layout;
  }
  if (op == "tiled_mma_thr_vmnk") return mma_of(arguments).thr_vmnk();
  if (op == "tiled_mma_A_TV") return must(mma_of(arguments).thread_value(Operand::a));
  if (op == "tiled_mma_B_TV") return must(mma_of(arguments).thread_value(Operand::b));
  if (op == "tiled_mma_C_TV") return must(mma_of(arguments).thread_value(Operand::c));
  if (op == "tiled_copy_TV") return copy_of(arguments[0]).thread_value();
  if (op == "tiled_copy_S_TV") return must(copy_of(arguments[0]).source());
  if (op == "tiled_copy_D_TV") return must(copy_of(arguments[0]).target());
  if (op == "copy_atom_thr") return copy_atom_of(arguments[0]).threads;
  if (op == "copy_atom_src") return copy_atom_of(arguments[0]).source;
  if (op == "copy_atom_dst") return copy_atom_of(arguments[0]).target;
  if (op == "thrfrg_B") return must(mma_of(arguments).thrfrg(Operand::b, layout_from(arguments[3])));
  return std::nullopt;
}

}  // namespace

TEST_CASE("the case file's rows about atoms and tiled instructions") {
  const auto file = nlohmann::json::parse(reckon::test::read_file(reckon::test::data_folder() / "layout_cases.json"));
  std::map<std::string, int> done;
  for (const auto& row : file.at("cases")) {
    const std::string op = row.at("op");
    std::vector<std::string> arguments;
    for (const auto& argument : row.at("args"))
      arguments.push_back(argument.is_string() ? argument.get<std::string>() : argument.dump());
    const std::string expected =
        row.at("expected").is_string() ? row.at("expected").get<std::string>() : row.at("expected").dump();
    CAPTURE(op, arguments, expected);
    if (op == "mma_atom_shape_mnk") {
      CHECK(must(mma_atom(arguments[0])).shape_mnk().text() == expected);
    } else if (op == "tiled_mma_tile_mnk") {
      CHECK(mma_of(arguments).tile_mnk().text() == expected);
    } else if (op == "tiled_copy_tiler") {
      CHECK(copy_of(arguments[0]).tile().text() == expected);
    } else if (op == "partition_C") {
      const auto part = must(mma_of(arguments).partition(Operand::c, layout_from(arguments[3]), std::stoi(arguments[4])));
      CHECK(part.layout.text() == expected);
      CHECK(part.offset == row.at("offset").get<std::int64_t>());
    } else if (const auto result = layout_answer(op, arguments)) {
      // As functions of (thread, value). The catalogue's atoms are written as CUTLASS's are.
      const Layout wanted = layout_from(expected);
      CAPTURE(result->text());
      CHECK(*result == wanted);
      CHECK(result->rank() == wanted.rank());
      for (std::size_t k = 0; k < wanted.rank(); ++k) CHECK(result->mode(k).size() == wanted.mode(k).size());
      if (op.rfind("mma_atom", 0) == 0 || op.rfind("copy_atom", 0) == 0 || op == "gmma_layout") {
        CHECK(result->text() == expected);
      }
    } else {
      continue;
    }
    ++done[op];
  }
  CHECK(done == std::map<std::string, int>{{"mma_atom_thr", 16},
                                           {"mma_atom_shape_mnk", 16},
                                           {"mma_atom_A_TV", 16},
                                           {"mma_atom_B_TV", 12},
                                           {"mma_atom_C_TV", 12},
                                           {"gmma_layout", 15},
                                           {"tiled_mma_thr_vmnk", 5},
                                           {"tiled_mma_C_TV", 8},
                                           {"tiled_mma_B_TV", 5},
                                           {"tiled_mma_A_TV", 6},
                                           {"tiled_mma_tile_mnk", 5},
                                           {"tiled_copy_TV", 5},
                                           {"tiled_copy_S_TV", 3},
                                           {"tiled_copy_D_TV", 5},
                                           {"tiled_copy_tiler", 2},
                                           {"copy_atom_thr", 3},
                                           {"copy_atom_src", 5},
                                           {"copy_atom_dst", 7},
                                           {"thrfrg_B", 1},
                                           {"partition_C", 1}});
}
