// `reckon draw FILE --fn NAME`: the pictures are those of the schedules that stand in the circuit.
#include "tests/cli/reckon_run.h"
#include "tests/support/golden.h"

using namespace reckon::test;

namespace {

const char* const circuits =
    "fn dot(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by lanes(4, tree) then tree\n"
    "fn scaled(x: f32[n]) -> f32 = dot(x, x) / (max j: x[j] by seq)\n"
    "fn fixed(x: f32[7]) -> f32 = prod i: x[i] by halving\n"
    "fn first(x: f32[n]) -> f32 = x[0]\n"
    "fn rows[d](a: f32[n, d]) -> f32[n] = for i: sum j: a[i, j] by tile(b, seq) then tree\n"
    "let b = 2\n"
    "fn twice(x: f32[n]) -> f32 = dot(x, x) + dot(x, 2 * x)\n"
    "fn blocks(x: f32[n]) -> f32 = { let a = sum i: x[i] by tree; let c = sum i: a * x[i] by seq; c + a }\n"
    "fn running(x: f32[n]) -> f32[n] = scan(add) i: x[i] by blelloch\n"
    "fn some(x: f32[n]) -> f32 = (sum i: x[i] by any) + (sum j where x[j] > 0: x[j] by seq)\n"
    "fn none(x: f32[n]) -> f32 = sum i: x[i] by any\n"
    "fn triangle(x: f32[n]) -> f32[n] = for i: sum j < i + 1: x[j] by seq\n";

class DrawnFile {
 public:
  DrawnFile() { write_file(folder_ / "sums.rk", circuits); }
  RunResult draw(std::vector<std::string> words) const {
    words.insert(words.begin(), {"draw", "sums.rk", "--fn"});
    return reckon_in(folder_.path(), words);
  }
  RunResult run(const std::vector<std::string>& words) const { return reckon_in(folder_.path(), words); }
  std::string read(const std::string& name) const { return read_file(folder_ / name); }

 private:
  TemporaryFolder folder_;
};

/// The picture of a schedule under another title.
std::string titled(const std::string& title, const std::string& schedule, int n) {
  const std::string picture = reckon_here({"draw", schedule, "--n", std::to_string(n)}).out;
  return title + ": " + schedule + picture.substr(picture.find('\n'));
}

}  // namespace

TEST_CASE("the orders of a circuit are drawn, in the order of the text") {
  const DrawnFile file;
  const std::string lanes = "lanes(4, tree) then tree";
  CHECK(file.draw({"fixed"}).out == titled("prod i at line 3", "halving", 7));
  CHECK(file.draw({"dot", "--n", "6"}).out == titled("sum i at line 1", lanes, 6));
  CHECK(file.draw({"dot", "-D", "n=6"}).out == titled("sum i at line 1", lanes, 6));
  CHECK(file.draw({"scaled", "--n", "6"}).out ==
        titled("sum i at line 1", lanes, 6) + "\n" + titled("max j at line 2", "seq", 6));
  CHECK(file.draw({"twice", "-D", "n=5"}).out == titled("sum i at line 1, 2 times", lanes, 5));
  CHECK(file.draw({"blocks", "--n", "3"}).out ==
        titled("sum i at line 8", "tree", 3) + "\n" + titled("sum i at line 8", "seq", 3));
  // The schedule is for the extent of the static parameter, whatever n is.
  CHECK(file.draw({"rows", "-D", "d=6"}).out == titled("sum j at line 5", "tile(2, seq) then tree", 6));
  CHECK(file.draw({"running", "--n", "5"}).out == titled("scan(add) i at line 9, the last element", "blelloch", 5));
  CHECK(file.draw({"triangle", "--n", "3"}).out == titled("sum j < i + 1 at line 12", "seq", 3));
  // What has no single order is said beside what has one.
  CHECK(file.draw({"some", "--n", "3"}).out ==
        "sum i at line 10: any\nnot drawn: this reduction has no single order: `any` stands for many\n\n" +
            titled("sum j where x[j] > 0 at line 10", "seq", 3));
}

TEST_CASE("the orders of a circuit on one page") {
  const DrawnFile file;
  for (const std::string ending : {"svg", "pdf"}) {
    REQUIRE(file.draw({"scaled", "--n", "6", "-o", "page." + ending}).out ==
            "saved     page." + ending + "  (" + ending + ")\n");
    check_golden("draw/circuit." + ending, file.read("page." + ending));
  }
  REQUIRE(file.draw({"scaled", "--n", "6", "-o", "page.txt"}).status == 0);
  CHECK(file.read("page.txt") == file.draw({"scaled", "--n", "6"}).out);
}

TEST_CASE("what of a circuit cannot be drawn is said") {
  const DrawnFile file;
  std::string all;
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"first"},
                                             {"scald", "--n", "4"},
                                             {"scaled"},
                                             {"triangle"},
                                             {"fixed", "--n", "4"},
                                             {"none", "--n", "4"},
                                             {"scaled", "--n", "4", "--as", "tv"},
                                             {"scaled", "-D", "m=4"},
                                             {"scaled", "-D", "n=0"},
                                             {"rows"},
                                             {"dot", "-D", "n=2000000"}}) {
    const RunResult run = file.draw(words);
    CHECK(run.status == 3);
    CHECK(run.out.empty());
    all += "$ reckon draw sums.rk --fn";
    for (const std::string& word : words) all += " " + word;
    all += "\n" + run.err;
  }
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"draw", "sums.rk"},
                                             {"draw", "nowhere.rk", "--fn", "dot"},
                                             {"draw", "sums.rk", "--fn", "dot", "--n", "4", "-o", "page.png"}}) {
    const RunResult run = file.run(words);
    CHECK(run.status == 2);
    CHECK(run.out.empty());
    all += "$ reckon";
    for (const std::string& word : words) all += " " + word;
    all += "\n" + run.err;
  }
  check_golden("draw/circuit_mistakes.txt", all);
}

TEST_CASE("pictures without a caption have no title, summary and notes") {
  const auto lines = [](const std::string& schedule, std::vector<std::string> more) {
    more.insert(more.begin(), {"draw", schedule, "--no-caption"});
    return reckon_here(more).out;
  };
  CHECK(lines("seq", {"--n", "2"}) == "0 -+\n1 -'\n");
  CHECK(lines("(2,2):(2,1)", {}) == "    0 1\n  +----\n0 | 0 1\n1 | 2 3\n");
  CHECK(lines("(2,2):(2,1)", {"--shade", "tile", "--tile", "1,2"}) == "     0  1\n  +------\n0 | 0a 1a\n1 | 2b 3b\n");
  // Of grids beside each other, the titles say which is which, and stay.
  CHECK(lines("slice((_, 1), (2,2):(2,1))", {}).starts_with("before: (2,2):(2,1)"));
  const DrawnFile file;
  CHECK(file.draw({"scaled", "--n", "2", "--no-caption"}).out == "0 -+\n1 -'\n\n0 -+\n1 -'\n");
  for (const std::string form : {"svg", "pdf"}) {
    REQUIRE(file.run({"draw", "seq", "--n", "2", "--no-caption", "-o", "page." + form}).status == 0);
    const std::string page = file.read("page." + form);
    CHECK(page.find("2 leaves, depth") == page.rfind("2 leaves, depth"));
    CHECK(page.find(form == "svg" ? "class=\"title\"" : "/F2 15 Tf") == std::string::npos);
    // Readers still know what it is.
    CHECK(page.find(form == "svg" ? "<title>seq</title>" : "/Title (seq)") != std::string::npos);
  }
}
