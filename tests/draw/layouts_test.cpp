// `reckon draw` of layouts: what it prints, what it refuses, and the pictures of docs/pictures.md.
#include <fmt/format.h>

#include "tests/cli/reckon_run.h"
#include "tests/support/golden.h"
#include "tests/support/python.h"

using namespace reckon::test;

namespace {

RunResult draw(std::vector<std::string> words) {
  words.insert(words.begin(), "draw");
  return reckon_here(words);
}

}  // namespace

TEST_CASE("pictures of layouts") {
  const std::vector<std::pair<std::string, std::vector<std::string>>> pictures = {
      {"layout_rows", {"(4,8):(8,1)"}},
      {"layout_nested", {"((2,2),(2,4)):((1,4),(2,8))"}},
      {"layout_three_modes", {"(2,(2,2),3):(1,(2,4),8)", "--label", "coordinate"}},
      {"layout_swizzled", {"compose(swizzle(2,1,3), (8,16):(16,1))", "--alone", "--label", "bank", "--bytes", "2"}},
      {"layout_tiles", {"(6,8):(8,1)", "--shade", "tile", "--tile", "2,4"}},
      {"zipped_divide", {"zipped_divide((8,8):(8,1), (2,4))"}},
      {"zipped_divide_ragged", {"zipped_divide((5,6):(6,1), (2,4))"}},
      {"raked_product", {"raked_product((2,2):(2,1), (2,3):(1,2))"}},
      {"compose", {"compose((8,8):(8,1), (4,8):(2,8))"}},
      {"coalesce", {"coalesce((2,(2,4)):(1,(2,4)))"}},
      {"slice", {"slice((_, 2), (4,(2,3)):(6,(3,1)))"}},
      {"inverse", {"inverse((4,8):(8,1))"}},
      {"complement", {"complement((2,2):(1,6), 24)"}},
      {"identity", {"zipped_divide(identity((4,6)), (2,3))"}},
      {"swizzle", {"swizzle(3,3,3)"}},
      {"compose_swizzle", {"compose(swizzle(3,0,3), (8,8):(8,1))"}},
      {"tv_warps", {"(64,2):(2,1)", "--as", "tv", "--tile", "16,8", "--shade", "warp"}},
      {"bits", {"bit_matrix(compose(swizzle(2,0,3), (8,4):(4,1)))"}},
      {"banks", {"compose(swizzle(3,3,3), (8,64):(64,1))", "--as", "banks", "--bytes", "2"}},
      {"mma_c", {"mma(\"SM80_16x8x16_F32F16F16F32_TN\", \"C\")", "--as", "tv"}},
      {"tiled_mma_a", {"tiled_mma(\"SM80_16x8x8_F32TF32TF32F32_TN\", (2,2,1), \"A\")", "--as", "tv"}},
      {"tv_tile", {"((4,2),2):((2,16),1)", "--as", "tv", "--tile", "8,4", "--label", "thread"}},
  };
  const auto python = python_with("xml.dom.minidom");
  const TemporaryFolder folder;
  for (const auto& [name, words] : pictures) {
    INFO(name);
    const RunResult text = draw(words);
    CHECK(text.status == 0);
    CHECK(text.err == "");
    check_golden("draw/" + name + ".txt", text.out);
    for (const std::string& line : lines_of(text.out)) CHECK(line.size() <= 120);
    std::vector<std::string> more = words;
    const std::string file = (folder / (name + ".svg")).string();
    more.insert(more.end(), {"-o", file});
    const RunResult saved = draw(more);
    CHECK(saved.status == 0);
    CHECK(saved.out == "saved     " + file + "  (svg)\n");
    const std::string svg = read_file(file);
    check_golden("draw/" + name + ".svg", svg);
    CHECK(svg.find("script") == std::string::npos);
    if (python) {
      CHECK(run_command({*python, "-c", "import sys, xml.dom.minidom as m; m.parse(sys.argv[1])", file}).err == "");
    }
  }
}

TEST_CASE("what of layouts cannot be drawn is said") {
  const auto refusal = [](const std::vector<std::string>& words) {
    const RunResult run = draw(words);
    CHECK(run.out.empty());
    CHECK(run.status == 3);
    return run.err.substr(0, run.err.find('\n'));
  };
  CHECK(refusal({"(2,3):(1,2)", "--n", "4"}) == "error[E0603]: a layout has no leaves: `--n` is for schedules");
  CHECK(refusal({"tree", "--n", "4", "--as", "tv"}) ==
        "error[E0603]: `--as`, `--label`, `--shade`, `--tile` and `--alone` are for layouts");
  CHECK(refusal({"(4,8):(8,1)", "--as", "tv"}) == "error[E0603]: the tile that `(4,8):(8,1)` covers is not known");
  CHECK(refusal({"(4,8):(8,1)", "--as", "tv", "--tile", "4,4"}) ==
        "error[E0603]: thread 2, value 0 holds element 16, and a tile of 4 x 4 has 16");
  CHECK(refusal({"(4,8):(8,1)", "--as", "tv", "--tile", "4,2,2"}) ==
        "error[E0603]: a tile has one or two sizes, which are positive");
  CHECK(refusal({"(4,8):(8,1)", "--shade", "tile"}) ==
        "error[E0603]: how large the tiles are that are to be coloured is not said");
  CHECK(refusal({"(4,8):(8,1)", "--shade", "blue"}) == "error[E0603]: `--shade blue` is not known");
  CHECK(refusal({"(4,8):(8,1)", "--shade", "offset:0"}) ==
        "error[E0603]: `--shade offset:0`: the modulus is a positive integer");
  CHECK(refusal({"(4,8):(8,-1)", "--as", "banks"}) ==
        "error[E0603]: `(4,8):(8,-1)` at index 4 is -1: no offset into shared memory");
  CHECK(refusal({"(4,8):(8,-1)", "--label", "bank"}).starts_with("error[E0603]: `(4,8):(8,-1)` at index 4 is -1"));
  CHECK(refusal({"(3,8):(8,1)", "--as", "bits"}) == "error[E0603]: `(3,8):(8,1)` has size `24`, no power of two");
  CHECK(refusal({"swizzle(3,3,3)", "--as", "banks"}) == "error[E0603]: `Sw<3,3,3>` says of no element where it lies");
  CHECK(refusal({"(2048,1024):(1,2048)", "--as", "banks"}) ==
        "error[E0410]: 2097152 elements are too many to look up where each lies");
  CHECK(refusal({"(2048,1024):(1,2048)", "--as", "tv", "--tile", "2048,1024"}) ==
        "error[E0410]: 2097152 elements are too many to look up who holds each");
  CHECK(refusal({"complement((2,2):(1,1), 24)"}).starts_with("error[E0406]"));
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"(2,3):(1,2)", "--as", "cake"},
                                                                                     {"(2,3):(1,2)", "--label", "cake"},
                                                                                     {"(2,3):(1,2)", "--bytes", "3"},
                                                                                     {"(2,3):(1,2)", "--tile", "x"}}) {
    const RunResult run = draw(words);
    CHECK(run.status == 2);
    CHECK(run.out.empty());
    CHECK_FALSE(run.err.empty());
  }
}

TEST_CASE("large layouts are cut, and that is said") {
  const RunResult run = draw({"(1000000,1000000):(1,1000000)"});
  CHECK(run.status == 0);
  CHECK(run.out.find("the first 128 of 1000000 rows are drawn\nthe first 128 of 1000000 columns are drawn\n") !=
        std::string::npos);
  // Too large to be linked, and drawn all the same.
  CHECK(draw({"zipped_divide((4096,4096):(4096,1), (128,64))"}).status == 0);
}

TEST_CASE("the pictures of the documentation are what is printed") {
  int run = 0;
  for (const char* page : {"docs/pictures.md", "docs/schedules.md"}) {
    const std::vector<std::string> lines = lines_of(read_file(source_folder() / page));
    for (std::size_t k = 1; k < lines.size(); ++k) {
      if (lines[k - 1] != "```" || !lines[k].starts_with("$ reckon draw ")) continue;
      INFO(page << ":" << k + 1);
      // Words are separated by spaces; single quotes hold some together.
      std::vector<std::string> words{""};
      bool quoted = false;
      for (const char c : lines[k].substr(std::string("$ reckon draw ").size())) {
        if (c == '\'') quoted = !quoted;
        else if (c == ' ' && !quoted) words.emplace_back();
        else words.back() += c;
      }
      std::string expected;
      for (std::size_t i = k + 1; i < lines.size() && lines[i] != "```"; ++i) expected += lines[i] + "\n";
      const std::string actual = draw(words).out;
      if (actual != expected) FAIL_CHECK(line_differences(expected, actual));
      ++run;
    }
  }
  CHECK(run >= 6);
}
