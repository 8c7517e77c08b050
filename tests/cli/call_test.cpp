// `reckon call`: one circuit, on numbers and .npy files, interpreted and on the host.
#include <cstring>

#include "tests/cli/npy.h"
#include "tests/cli/reckon_run.h"

using namespace reckon::test;

TEST_CASE("call on numbers: the interpreter and the host agree") {
  for (const char* on : {"interp", "host"}) {
    INFO(on);
    const auto where = std::string("--on=") + on;
    // 1*4 + 2*5 + 3*6
    CHECK(call("examples/dot.rk", "dot_seq", {"--arg", "x=1,2,3", "--arg", "y=4,5,6", where}).out ==
          "32  f32#42000000\n");
    CHECK(call("examples/dot.rk", "dot_seq", {"--arg", "x=[1, 2, 3]", "--arg", "y= 4, 5, 6", where}).out ==
          "32  f32#42000000\n");
    // 0.1 is rounded to f32 first, and so is each product.
    const float x = 0.1F, y = 3.0F, product = x * y;
    const RunResult run =
        call("examples/dot.rk", "dot_seq", {"--arg", "x=0.1", "--arg", "y=3", where, "--format=json"});
    std::uint32_t bits = 0;
    std::memcpy(&bits, &product, sizeof bits);
    CHECK(std::stoul(json_lines(run.out)[0]["bits"].get<std::string>(), nullptr, 16) == bits);
    CHECK(call("examples/dot.rk", "dot_seq", {"--arg", "x=inf,1", "--arg", "y=0,f32#3f800000", where}).out ==
          "nan  f32#7fc00000\n");
  }
}

TEST_CASE("call with a static parameter and a dimension") {
  for (const char* on : {"--on=interp", "--on=host"}) {
    CHECK(call("examples/canonical.rk", "total", {"--arg", "x=1,2,3", "-D", "l=2", on}).out ==
          "6  f64#4018000000000000\n");
    CHECK(call("examples/canonical.rk", "total", {"--arg", "x=1,2,3", "-D", "l=2", "-D", "n=3", on}).status == 0);
    const RunResult wrong = call("examples/canonical.rk", "total", {"--arg", "x=1,2,3", "-D", "l=2", "-D", "n=4", on});
    CHECK(wrong.status == 3);
  }
}

TEST_CASE("call: a parameter has one value") {
  const RunResult run =
      call("examples/dot.rk", "dot_seq", {"--arg", "x=1,2,3", "--arg", "x=4,5,6", "--arg", "y=1,2,3"});
  CHECK(run.status == 2);
  CHECK_THAT(run.err, Catch::Contains("`x` has a value already"));
}
TEST_CASE("call under another semantics") {
  const auto json = [](const std::vector<std::string>& more) {
    std::vector<std::string> words{"--arg", "x=1.5", "--arg", "y=2.5", "--format=json"};
    words.insert(words.end(), more.begin(), more.end());
    return json_lines(call("examples/dot.rk", "dot_seq", words).out).at(0);
  };
  CHECK(json({"--in=fpsan"})["payload"] == "0d10bab6");  // the article's table: 1.5 * 2.5
  CHECK(json({"--in=fpsan", "--on=host"})["payload"] == "0d10bab6");
  CHECK(json({"--in=fpsan", "--on=host"})["bits"] == "18e53e7a");
  CHECK(json({"--in=exact"})["value"] == "15/4");
  CHECK(json({"--in=exact", "--on=host"})["code"] == "E0700");
}

TEST_CASE("intervals are compiled: the interpreter's ends, and its faults") {
  const TemporaryFolder folder;
  const std::string file = (folder / "program.rk").string();
  write_file(file,
             "fn mean(x: f32[n]) -> f32 = (sum i: x[i] / 3 by tree) / f32(n)\n"
             "fn below(x: f64[n], y: f64) -> bool[n] = for i: x[i] / y < 1 / y\n"
             "fn roots(x: f64[n], y: f64) -> f64[n] = for i: sqrt(x[i] - y) / y\n"
             "fn angle(x: f64) -> f64 = 1 + atan2(x, 1)\n");
  const auto on = [&](const char* where, const std::string& circuit, std::vector<std::string> more) {
    more.insert(more.end(), {"--in=interval", std::string("--on=") + where});
    return call(file, circuit, more);
  };
  for (const char* where : {"interp", "host"}) {
    INFO(where);
    // Every operation on rationals (Python's), rounded outward: around (1/3 + 2/3 + 4/3) / 3 = 7/9.
    CHECK(on(where, "mean", {"--arg", "x=1,2,4"}).out == "[0.7777777777777777, 0.777777777777778]\n");
    CHECK(on(where, "below", {"--arg", "x=0.9,1,1.1", "--arg", "y=3"}).out == "[true, unknown, false]\n");
    CHECK(on(where, "mean", {"--arg", "x=inf"}).out == "[5.992310449541052e307, inf]\n");
    // An element without a value is empty, and the others have theirs; a single number without one is an error.
    CHECK(on(where, "roots", {"--arg", "x=1,2,3", "--arg", "y=0"}).out == "[empty, empty, empty]\n");
    const RunResult outside = on(where, "roots", {"--arg", "x=1,2,3", "--arg", "y=2.5"});
    CHECK(outside.status == 0);
    CHECK_THAT(outside.out, Catch::StartsWith("[empty, empty, [0.2828427"));
    const RunResult nan = on(where, "roots", {"--arg", "x=1,nan", "--arg", "y=0.5"});
    CHECK_THAT(nan.err, Catch::Contains("error[E0502]: argument `x`: `nan` is no real number"));
  }
  for (const char* where : {"interp", "host"}) {
    // The same in f32: between the f32s around every step.
    CHECK(call(file, "mean", {"--arg", "x=1,2,4", "--in=interval(f32)", std::string("--on=") + where}).out ==
          "[0.7777777, 0.77777785]\n");
  }
  for (const char* where : {"interp", "host"}) {
    // 1 + pi/4 = 1.78539816339744830961...
    CHECK(on(where, "angle", {"--arg", "x=1"}).out == "[1.7853981633974483, 1.7853981633974485]\n");
    CHECK(call(file, "angle", {"--arg", "x=1", "--in=interval(f32)", std::string("--on=") + where}).out ==
          "[1.7853981, 1.7853982]\n");
  }
  // PTX has this function with f32 ends; the host calls the interpreter's, and what it emits says so.
  const auto compiled = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"compile", file, "--fn", "angle"});
    return run_program(more);
  };
  CHECK_THAT(compiled({"--in=interval"}).err,
             Catch::Contains("error[E0700]: `atan2` of f64 is not available on `ptx` yet") &&
                 Catch::Contains("`erfc`, `atan2`, `pow` and `rootn`, which `interval(f32)` has"));
  CHECK(compiled({"--in=interval(f32)"}).status == 0);
  CHECK_THAT(compiled({"--in=interval", "--target=host", "--emit=asm"}).out,
             Catch::StartsWith("# calls reckon_interval_function, "));
  CHECK_THAT(compiled({"--in=interval", "--target=host", "--emit=llvm"}).out,
             Catch::StartsWith("; calls reckon_interval_function, "));
  CHECK_THAT(compiled({"--in=interval(f32)", "--target=host", "--emit=asm"}).out,
             !Catch::Contains("reckon_interval_function"));
  for (const char* name : {"interval(200)", "interval(split(4))"}) {
    const RunResult other = call(file, "mean", {"--arg", "x=1", std::string("--in=") + name, "--on=host"});
    CHECK(other.status == 3);
    CHECK_THAT(other.err, Catch::Contains(std::string("error[E0700]: `") + name + "` cannot be compiled yet"));
  }
}

TEST_CASE("modes of float are interpreted, and not compiled yet") {
  const std::vector<std::string> arguments{"--arg", "x=1,1e-8", "--arg", "y=1,1"};
  auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), arguments.begin(), arguments.end());
    return call("examples/dot.rk", "dot_seq", more);
  };
  CHECK(with({"--in=float(up)"}).out == "1.0000001  f32#3f800001\n");
  CHECK(with({"--in=float(down)"}).out == "1  f32#3f800000\n");
  const RunResult host = with({"--in=float(up)", "--on=host"});
  CHECK(host.status == 3);
  CHECK(host.err.find("E0700") != std::string::npos);
  CHECK(host.err.find("--on=interp") != std::string::npos);
}

TEST_CASE("P4016's known answers, interpreted and on the host") {
  const TemporaryFolder folder;
  const std::string file = (folder / "known.rk").string(), data = (folder / "data.npy").string();
  write_file(file, "save \"" + data + "\" = lcg(f64[1000000], 0x243F6A8885A308D3)\n");
  REQUIRE(reckon_here({file}).status == 0);
  for (const char* on : {"--on=interp", "--on=host"}) {
    INFO(on);
    CHECK(call("examples/canonical.rk", "total", {"--arg", "x=@" + data, "-D", "l=16", on, "--format=json"})
              .out.find("\"bits\":\"40618f71f6379380\"") != std::string::npos);
    CHECK(call("examples/canonical.rk", "total", {"--arg", "x=@" + data, "-D", "l=128", on, "--format=json"})
              .out.find("\"bits\":\"40618f71f6379397\"") != std::string::npos);
  }
}

TEST_CASE("call reads and writes .npy files as NumPy lays them out") {
  const TemporaryFolder folder;
  const std::string a = (folder / "a.npy").string(), b = (folder / "b.npy").string(), c = (folder / "c.npy").string();
  write_file(a, npy("<f4", "(2, 3)", bytes_of<float>({1, 2, 3, 4, 5, 6})));
  write_file(b, npy("<f4", "(3, 2)", bytes_of<float>({1, 0, 0, 1, 2, 2})));
  for (const char* on : {"--on=interp", "--on=host"}) {
    INFO(on);
    const RunResult run = call("examples/matmul.rk", "matmul", {"--arg", "a=@" + a, "--arg", "b=@" + b, on, "-o", c});
    INFO(run.err);
    CHECK(run.status == 0);
    CHECK(run.out.empty());
    const std::string written = read_file(c);
    CHECK(written.substr(0, 6) == "\x93NUMPY");
    CHECK(written.find("(2, 2)") != std::string::npos);
    REQUIRE(written.size() > 16);
    CHECK(written.substr(written.size() - 16) == bytes_of<float>({7, 8, 16, 17}));
    CHECK((written.size() - 16) % 64 == 0);
    std::filesystem::remove(c);
  }
}

TEST_CASE("a big-endian file and one in columns are read as what they say") {
  const TemporaryFolder folder;
  const std::string file = (folder / "x.npy").string();
  write_file(file, npy(">f4", "(2,)", std::string("\x3f\x80\x00\x00\x40\x00\x00\x00", 8)));
  const RunResult run = call("examples/softmax.rk", "shifted", {"--arg", "x=@" + file});
  CHECK(run.out == call("examples/softmax.rk", "shifted", {"--arg", "x=1,2"}).out);
}

TEST_CASE("u32 arguments and uint32 files") {
  const TemporaryFolder folder;
  const std::string file = (folder / "u.rk").string(), in = (folder / "u.npy").string(), out = (folder / "v.npy").string();
  write_file(file, "fn turned(u: u32[n]) -> u32[n] = for i: (u[i] << 8) | (u[i] >> 24)\n"
                   "fn first(u: u32[n]) -> u32 = min i: u[i] by seq\n");
  write_file(in, npy("<u4", "(2,)", bytes_of<std::uint32_t>({0x12345678, 0xffffff00})));
  for (const char* on : {"--on=interp", "--on=host"}) {
    CHECK(call(file, "first", {"--arg", "u=4294967295, 0xff,u32#7fffffff", on}).out == "255  u32#000000ff\n");
    REQUIRE(call(file, "turned", {"--arg", "u=@" + in, "-o", out, on}).status == 0);
    const std::string saved = read_file(out);
    CHECK(saved.find("'descr': '<u4'") != std::string::npos);
    CHECK(saved.substr(saved.size() - 8) == bytes_of<std::uint32_t>({0x34567812, 0xffff00ff}));
  }
  for (const char* wrong : {"-1", "4294967296", "1.5", "nan", "f32#3f800000", "u32#ff", ""}) {
    const RunResult run = call(file, "first", {"--arg", std::string("u=") + wrong});
    CHECK(run.status != 0);
    CHECK_THAT(run.err, Catch::Contains("`" + std::string(wrong) + "` is no `u32`"));
  }
}

TEST_CASE("tensors of every rank are written as nested lists, and what is expected is said") {
  const TemporaryFolder folder;
  const std::string file = (folder / "t.rk").string();
  write_file(file,
             "fn doubled(x: f32[n]) -> f32[n] = for i: 2 * x[i]\n"
             "fn rows(a: f32[m, k]) -> f32[m] = for i: sum j: a[i, j] by seq\n"
             "fn corner(a: f32[m, k, l]) -> f32 = a[m - 1, 0, l - 1]\n"
             "fn half(x: f32) -> f32 = x / 2\n"
             "fn both(x: bool[n]) -> bool[n] = for i: not x[i]\n");
  const auto out = [&](const std::string& circuit, const std::string& argument) {
    const RunResult run = call(file, circuit, {"--arg", argument});
    INFO(argument << run.err);
    CHECK(run.status == 0);
    return run.out;
  };
  CHECK(out("doubled", "x=1,2,-3") == "[2, 4, -6]\n");
  CHECK(out("doubled", "x=[1, 2, -3]") == "[2, 4, -6]\n");
  CHECK(out("doubled", "x=5") == "[10]\n");
  CHECK(out("doubled", "x= [ f32#3f800000 ,inf, 0x1p-1 ] ") == "[2, inf, 1]\n");
  CHECK(out("rows", "a=[[1,2,3],[4,5,6]]") == "[6, 15]\n");
  CHECK(out("rows", "a=[[1],[2],[3]]") == "[1, 2, 3]\n");
  CHECK(out("corner", "a=[[[1,2],[3,4]],[[5,6],[7,8]]]") == "6  f32#40c00000\n");
  CHECK(out("half", "x=3") == "1.5  f32#3fc00000\n");
  CHECK(out("both", "x=[true, false]") == "[false, true]\n");

  const auto wrong = [&](const std::string& circuit, const std::string& argument) {
    const RunResult run = call(file, circuit, {"--arg", argument});
    INFO(argument << run.out);
    CHECK(run.status == 2);
    CHECK(run.out.empty());
    return run.err;
  };
  using Catch::Contains;
  CHECK_THAT(wrong("doubled", "x=[[1,2],[3,4]]"),
             Contains("one list of numbers is expected, as in `[1, 2, 3]`, and these lists are 2 deep"));
  CHECK_THAT(wrong("rows", "a=1,2,3"), Contains("lists in lists are expected, 2 deep, as in `[[1, 2], [1, 2]]`"));
  CHECK_THAT(wrong("rows", "a=[1,2,3]"), Contains("and this is a list of numbers"));
  CHECK_THAT(wrong("rows", "a=[[[1]]]"), Contains("and these lists are 3 deep"));
  CHECK_THAT(wrong("rows", "a=[[1,2],[3]]"), Contains("equally long, and these have 2 and 1 elements"));
  CHECK_THAT(wrong("corner", "a=[[[1],[2]],[[3]]]"), Contains("equally long, and these have 2 and 1 rows"));
  CHECK_THAT(wrong("rows", "a=[[1,2],3]"), Contains("a list holds both lists and single values"));
  CHECK_THAT(wrong("half", "x=[1]"), Contains("a single number is expected, as in `1.5`, and this is a list of numbers"));
  CHECK_THAT(wrong("half", "x=1,2"), Contains("a single number is expected, as in `1.5`, and these are several"));
  CHECK_THAT(wrong("doubled", "x=[1,2"), Contains("a `[` is not closed"));
  CHECK_THAT(wrong("doubled", "x=1,2]"), Contains("this `]` closes nothing"));
  CHECK_THAT(wrong("doubled", "x=[1,2] 3"), Contains("`3` follows the end of the list"));
  CHECK_THAT(wrong("doubled", "x=1,,2"), Contains("a number is missing between commas"));
  CHECK_THAT(wrong("doubled", "x=1 2"), Contains("`1 2` is not a number"));
  CHECK_THAT(wrong("rows", "a=[]"), Contains("an empty list"));
  CHECK_THAT(wrong("both", "x=[1]"), Contains("`1` is not `true` or `false`"));
}

TEST_CASE("mistakes in calls") {
  const auto error = [](const std::string& circuit, const std::vector<std::string>& more) {
    const RunResult run = call("examples/dot.rk", circuit, more);
    CHECK(run.status == 3);
    CHECK(run.out.empty());
    return run.err;
  };
  using Catch::Contains;
  CHECK_THAT(error("dot_seq", {"--arg", "x=1,2,3", "--arg", "y=1,2"}),
             Contains("error[E0603]: dimension 1 of `y` should be `n` = 3 and is 2"));
  CHECK_THAT(error("dot_seq", {"--arg", "x=1", "--arg", "y=1", "-D", "k=1"}),
             Contains("error[E0603]: `dot_seq` has no dimension or static parameter `k`"));
  CHECK_THAT(error("dot_sequence", {}), Contains("error[E0200]: there is no circuit `dot_sequence`"));
  CHECK_THAT(error("dot_se", {}), Contains("did you mean `dot_seq`?"));
  CHECK_THAT(error("dot_seq", {"--arg", "x=@nowhere.npy"}), Contains("error[E0602]: cannot load `nowhere.npy`"));
  CHECK_THAT(error("dot_seq", {"--arg", "x=1", "--arg", "y=1", "-o", "/nonexistent/y.npy"}), Contains("error[E0602]"));

  const TemporaryFolder folder;
  const std::string file = (folder / "x.npy").string();
  write_file(file, npy("<f8", "(1,)", bytes_of<double>({1})));
  CHECK_THAT(error("dot_seq", {"--arg", "x=@" + file, "--arg", "y=1"}),
             Contains("error[E0603]") && Contains("`f32`") && Contains("`f64`"));
  CHECK_THAT(call("examples/canonical.rk", "total", {"--arg", "x=1"}).err,
             Contains("error[E0603]: the static parameter `l`") && Contains("-D l=64"));
}

TEST_CASE("a tuple cannot be written to one file") {
  const TemporaryFolder folder;
  const std::string file = (folder / "pair.rk").string();
  write_file(file, "fn pair(x: f32) -> (f32, f32) = (x, x + 1)\n");
  CHECK(call(file, "pair", {"--arg", "x=1"}).out == "(1  f32#3f800000, 2  f32#40000000)\n");
  CHECK(call(file, "pair", {"--arg", "x=1", "--on=host"}).out == "(1  f32#3f800000, 2  f32#40000000)\n");
  CHECK(call(file, "pair", {"--arg", "x=1", "-o", (folder / "out.npy").string()}).status == 2);
}

TEST_CASE("a circuit of any format is called in the one that -D names") {
  const TemporaryFolder folder;
  const std::string file = (folder / "g.rk").string();
  write_file(file, "fn third[T](x: T[n]) -> T[n] = for i: x[i] / 3\nfn plain(x: f32) -> f32 = x\n"
                   "fn repeat[T, k](x: T) -> T[k] = for i < k: x\n");
  using Catch::Contains;
  for (const char* on : {"--on=interp", "--on=host"}) {
    INFO(on);
    // 1/3 to nearest: f32#3eaaaaab, f16#3555, f64#3fd5555555555555.
    CHECK(call(file, "third", {"-D", "T=f32", "--arg", "x=1", on}).out == "[0.33333334]\n");
    CHECK(call(file, "third", {"-D", "T=f16", "--arg", "x=1", on}).out == "[0.3333]\n");
    CHECK(call(file, "third", {"-D", "T=f64", "--arg", "x=1", on}).out == "[0.3333333333333333]\n");
    CHECK(call(file, "repeat", {"-D", "T=f16", "-D", "k=3", "--arg", "x=2", on}).out == "[2, 2, 2]\n");
  }
  const RunResult compiled = reckon_here({"compile", file, "--fn", "third", "-D", "T=f16", "--emit=ir"});
  CHECK(compiled.status == 0);
  CHECK_THAT(compiled.out, Contains("f16[n]") && !Contains("f32"));
  const RunResult ptx = reckon_here({"compile", file, "--fn", "third", "-D", "T=f64"});
  CHECK_THAT(ptx.out, Contains("div.rn.f64"));
  CHECK(reckon_here({"eval", "T(1) / 3", "-D", "T=f16"}).out == "0.3333  f16#3555\n");

  CHECK_THAT(call(file, "third", {"--arg", "x=1"}).err,
             Contains("the static parameter `T` of `third` has no value") || Contains("T"));
  CHECK_THAT(call(file, "third", {"-D", "T=f31", "--arg", "x=1"}).err, Contains("`f31` is no format") && Contains("-D T=f32"));
  CHECK_THAT(call(file, "third", {"-D", "S=f32", "-D", "T=f32", "--arg", "x=1"}).err, Contains("has no static parameter `S`"));
  CHECK_THAT(call(file, "plain", {"-D", "T=f32", "--arg", "x=1"}).err, Contains("has no static parameter `T`"));
  CHECK(call(file, "third", {"-D", "T=4", "--arg", "x=1"}).status == 3);
  CHECK(call(file, "repeat", {"-D", "T=f32", "-D", "k=f32", "--arg", "x=1"}).status == 3);
  const RunResult malformed = call(file, "third", {"-D", "T=f 32", "--arg", "x=1"});
  CHECK(malformed.status == 2);
  CHECK_THAT(malformed.err, Contains("or NAME=FORMAT"));
}
