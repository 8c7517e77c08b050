// Parts of coordinates, bounds and swizzled tensors, local tiles with projections, parts inside of circuits, refusals.
#include "tests/cli/held.h"
#include "tests/support/golden.h"

using namespace reckon::test;

TEST_CASE("partitions of coordinates, of bounds and of swizzled tensors go with those of offsets") {
  std::vector<std::string> claims;
  for (const int thread : {0, 37, 64, 127}) {
    for (const auto& [call, shape] :
         {std::pair{"partition_C(" + cores, "(64,96)"}, {"partition_A(" + cores, "(64,48)"},
          {"partition_B(" + cores, "(96,16)"}, {"partition_S(" + wide_copy, "(32,128)"}}) {
      const std::string rows = fmt::format("row_major({})", shape);
      claims.push_back(fmt::format(
          "{{ let (e, s) = {0}, identity({1}), {2}); let (l, o) = {0}, {3}, {2}); compose({3}, e) == l and "
          "crd2idx(s, {1}, stride({3})) == o }}",
          call, shape, thread, rows));
      // A swizzled tensor keeps the start inside of the swizzle.
      claims.push_back(fmt::format(
          "{{ let (z, n) = {0}, compose(swizzle(3, 3, 3), {3}), {2}); let (l, o) = {0}, {3}, {2}); "
          "n == 0 and z(5) == swizzle(3, 3, 3)(o + l(5)) and z(7) == swizzle(3, 3, 3)(o + l(7)) }}",
          call, shape, thread, rows));
    }
  }
  for (const std::string& value : values_of(claims)) CHECK(value == "true");

  // Tiles of 32 x 32 over 40 x 50: a thread's value is an element where its coordinate is below (40, 50).
  std::vector<std::string> insides, places;
  for (const char* tile : {"(0, 0)", "(1, 0)", "(0, 1)", "(1, 1)"}) {
    for (const int thread : {0, 5, 70, 127}) {
      for (const int value : {0, 1, 2, 5, 7}) {
        insides.push_back(fmt::format("partition_C({}, bounds(local_tile, row_major((40, 50)), (32, 32), {}), {})({})",
                                      cores, tile, thread, value));
        places.push_back(fmt::format(
            "{{ let (own, start) = partition_C({}, row_major((32, 32)), {}); start + own({}) }}", cores, thread,
            value));
      }
    }
  }
  const auto inside = values_of(insides), place = values_of(places);
  int within = 0;
  for (std::size_t k = 0; k < inside.size(); ++k) {
    const Int tile = static_cast<Int>(k) / 20, at = std::stoll(place[k]);
    const bool wanted = 32 * (tile % 2) + at / 32 < 40 && 32 * (tile / 2) + at % 32 < 50;
    INFO(insides[k]);
    CHECK(inside[k] == (wanted ? "true" : "false"));
    within += wanted;
  }
  CHECK((within > 20 && within < 75));  // some of both
}

TEST_CASE("local tiles and partitions: projections, coordinates, bounds") {
  const auto values = values_of({
      "local_tile((128,64):(64,1), (32,16,8), (1,2,_), (1,_,1))",
      "local_tile((128,64):(64,1), (32,8), (1,_))",
      "local_tile((64,32):(1,64), (32,16,8), (1,2,_), (_,1,1))",
      "local_tile((64,32):(1,64), (16,8), (2,_))",
      "local_partition((16,6):(6,1), (2,3,4):(1,2,6), 9, (1,1,_))",
      "local_partition((16,6):(6,1), (2,3), 3)",
      "local_partition((16,8):(8,1), (2,4), 5, (1,_))",
      "local_partition((16,8):(8,1), 2, 1)",
      "local_tile(identity((128,64)), (32,16), (1,_))",
      "local_partition(identity((128,64)), (32,4):(1,32), 37)",
      "compose(identity((8,8)), (2:4, 4))(1, 3)",
      "compose(identity((8,8)), (_, 4:2))(7, 3)",
      "slice((1, (_, _)), zipped_divide(identity((8,8)), (2,4)))",
  });
  CHECK(values[0] == values[1]);
  CHECK(values[1] == "((32,8,8):(64,1,8), 2048)");
  CHECK(values[2] == values[3]);
  CHECK(values[4] == values[5]);  // thread 9 is (1,1,1): what thread (1,1) of six has
  CHECK(values[6] == values[7]);  // thread 5 is (1,2)
  CHECK(values[8] == "((32,16,4):(1@0,1@1,16@1), (32, 0))");
  CHECK(values[9] == "((4,16):(32@0,4@1), (5, 1))");
  CHECK(values[10] == "(4, 3)");
  CHECK(values[11] == "(7, 6)");
  CHECK(values[12] == "((4,2):(2@0,4@1), (1, 0))");

  // Ragged tiles of 4 x 3 over 10 x 7, and threads 4 x 3 over it: what is inside are its 70 elements, each once.
  for (const bool by_threads : {false, true}) {
    std::vector<std::string> insides, elements;
    for (int part = 0; part < (by_threads ? 12 : 9); ++part) {
      const std::string arguments =
          by_threads ? fmt::format("local_partition, row_major((10, 7)), (4, 3), {}", part)
                     : fmt::format("local_tile, row_major((10, 7)), (4, 3), ({}, {})", part % 3, part / 3);
      const std::size_t comma = arguments.find(',');
      const std::string call = arguments.substr(0, comma) + "(" + arguments.substr(comma + 2) + ")";
      for (int i = 0; i < (by_threads ? 9 : 12); ++i) {
        insides.push_back(fmt::format("bounds({})({})", arguments, i));
        elements.push_back(fmt::format("{{ let (own, start) = {}; start + own({}) }}", call, i));
      }
    }
    const auto inside = values_of(insides), element = values_of(elements);
    std::map<Int, int> seen;
    for (std::size_t k = 0; k < inside.size(); ++k) {
      if (inside[k] == "true") ++seen[std::stoll(element[k])];
    }
    CHECK(seen.size() == 70);
    for (const auto& [at, times] : seen) REQUIRE((at >= 0 && at < 70 && times == 1));
  }
}

TEST_CASE("what has no part is refused, with the sizes") {
  const std::pair<std::string, std::string> mistakes[] = {
      {"partition_C(" + cores + ", (40,32):(32,1), 0)",
       "`partition_C`: mode 0 of `(40,32):(32,1)` has `40` elements, no multiple of the tile's `32`"},
      {"partition_C(" + cores + ", 64, 0)", "`partition_C`: `64:1` has not the two modes of an operand"},
      {"partition_C(" + cores + ", (32,32), 128)", "`partition_C`: there is no thread `128`: there are `128`"},
      {"partition_A(" + cores + ", identity((32,16)), 0 - 1)",
       "`partition_A`: there is no thread `-1`: there are `128`"},
      {"partition_S(" + wide_copy + ", (16,60), 0)",
       "`partition_S`: mode 1 of `(16,60):(1,16)` has `60` elements, no multiple of the tile's `64`"},
      {"partition_D(" + wide_copy + ", 64, 0)", "`partition_D`: `64:1` has not the modes of the tile `(16,64)`"},
      {"partition_C(" + wide_copy + ", (32,32), 0)", "`partition_C` needs a tiled MMA (`tiled_mma(name, atoms)`) here, "
       "and this is the tiled copy `u128 of 16 bits by ((8,16),8):((128,1),16), tile (16,64)`"},
      {"partition_S(" + cores + ", (32,32), 0)",
       "`partition_S` needs a tiled copy (`tiled_copy(name, bits, threads, values)`) here, and this is the tiled MMA "
       "`SM80_16x8x16_F32F16F16F32_TN by (32,2,2,1):(1,32,64,0), tile (32,32,16)`"},
      {"tiled_mma(\"SM80_16x8x17\", 1)", "no matrix instruction is called `SM80_16x8x17`"},
      {"tiled_mma(\"SM80_16x8x16_F32F16F16F32_TN\", 1, (16, 8))", "`tiled_mma`: the tile has 2 modes, not 3"},
      {"tiled_copy(\"SM75_U32x4_LDSM_N\", 16, " + cores + ", \"E\")", "there is no operand `E`"},
      {"partition_C(" + cores + ", (32,32))", "`partition_C` was given 2 arguments"},
      {cores + "(1)", "a tiled MMA cannot be called"},
      {"local_tile((128,64), (32,16,8), (1,2,_), (1,_))",
       "local_tile of `(128,64):(1,128)`: a projection of `2` modes for a tiler of `3`"},
      {"local_tile((128,64), (32,16,8), (1,2), (1,_,1))",
       "local_tile of `(128,64):(1,128)`: a projection of `3` modes for a coordinate of `2`"},
      {"local_tile((128,64), (32,16,8), (1,2,_), (_,_,_))",
       "local_tile of `(128,64):(1,128)`: the projection keeps no mode"},
      {"local_tile((128,64), (32,16,8), (1,2,_), (1,2,1))",
       "`local_tile`: a projection is of `1`, to keep a mode, and `_`, to leave it out, and this has `2`"},
      {"local_partition((16,8), (2,4), 5, (1,_,1))",
       "local_partition of `(16,8):(1,16)`: a projection of `3` modes for a layout of threads of `2`"},
      {"local_partition(identity((16,8)), (2,4), 8)",
       "local_partition of `(16,8):(1@0,1@1)`: thread `8` is none of the `8` of `(2,4):(1,2)`"},
      {"bounds(coalesce, (10,7), (4,3), (0,0))", "`bounds`: `coalesce` gives no tile"},
      {"compose(identity((8,8)), (2, 2, 2))",
       "composition of `(8,8):(1@0,1@1)` with the tiler `<2:1,2:1,2:1>`: `3` tilers for `2` modes"},
  };
  std::string input;
  for (const auto& [expression, message] : mistakes) input += expression + "\n";
  const RunResult run = reckon_in(source_folder(), {"eval", "-", "--format=json"}, input);
  const auto lines = json_lines(run.out);
  REQUIRE(lines.size() == std::size(mistakes));
  for (std::size_t k = 0; k < lines.size(); ++k) {
    INFO(mistakes[k].first);
    CHECK(lines[k]["kind"] == "error");
    CHECK(lines[k]["message"].get<std::string>() == mistakes[k].second);
  }
}

TEST_CASE("parts at indices of a circuit are those at numbers, interpreted and compiled") {
  const TemporaryFolder folder;
  const std::string file = (folder / "program.rk").string();
  write_file(file,
             "let cores = " + cores + "\nlet wide = " + wide_copy + "\n" +
             "fn numbers(x: f32[2]) -> f32[4096] = for i < 4096: f32(i)\n"
             "fn part(x: f32[2]) -> f32[128, 32] = for t < 128, v < 32: {\n"
             "  let (own, start) = partition_C(cores, row_major((64, 64)), t); numbers(x)[start + own(v)] }\n"
             "fn coordinates(x: f32[2]) -> f32[128, 32] = for t < 128, v < 32: {\n"
             "  let (own, start) = partition_C(cores, identity((64, 64)), t); let (i, j) = own(v);\n"
             "  let (r, c) = start; numbers(x)[64 * (r + i) + c + j] }\n"
             "fn copied(x: f32[2]) -> f32[128, 32] = for t < 128, v < 32: {\n"
             "  let (own, start) = partition_S(wide, row_major((64, 64)), t); numbers(x)[start + own(v)] }\n"
             "fn taken(x: f32[2]) -> f32[4, 8, 128] = for i < 4, j < 8, v < 128: {\n"
             "  let (own, start) = local_tile(row_major((64, 64)), (16, 8), (i, j)); numbers(x)[start + own(v)] }\n"
             "fn shared(x: f32[2]) -> f32[12, 9] = for t < 12, v < 9: {\n"
             "  let (own, start) = local_partition(row_major((12, 9)), (4, 3):(3, 1), t);\n"
             "  numbers(x)[start + own(v)] }\n");
  const auto table = [&](const std::string& circuit, const char* where) {
    const RunResult run =
        reckon_here({"call", file, "--fn", circuit, "--arg", "x=1, 2", std::string("--on=") + where, "--format=json"});
    INFO(circuit << " " << where << ": " << run.err);
    REQUIRE(run.status == 0);
    std::vector<Int> out;
    const Json result = json_lines(run.out).at(0);
    for (const Json& value : result["values"]) out.push_back(std::stoll(value["value"].get<std::string>()));
    return out;
  };
  const auto wanted = [&](const std::string& call, Int parts) {
    std::vector<Int> out;
    for (const Held& part : all_held(call, parts)) {
      for (const Int element : part.elements()) out.push_back(element);
    }
    return out;
  };
  const auto of_mma = wanted("partition_C(" + cores + ", row_major((64, 64)), {})", 128);
  const auto of_copy = wanted("partition_S(" + wide_copy + ", row_major((64, 64)), {})", 128);
  const auto of_tile = wanted("local_tile(row_major((64, 64)), (16, 8), (({0}) // 8, ({0}) % 8))", 32);
  const auto of_threads = wanted("local_partition(row_major((12, 9)), (4, 3):(3, 1), {})", 12);
  for (const char* where : {"interp", "host"}) {
    CHECK(table("part", where) == of_mma);
    CHECK(table("coordinates", where) == of_mma);
    CHECK(table("copied", where) == of_copy);
    CHECK(table("taken", where) == of_tile);
    CHECK(table("shared", where) == of_threads);
  }
}

TEST_CASE("the examples of layouts run, and their checks hold") {
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() / "examples/layouts")) {
    const std::string name = entry.path().stem().string();
    INFO(name);
    const RunResult run = reckon_here({"run", "examples/layouts/" + name + ".rk"});
    CHECK(run.status == 0);
    CHECK(run.err.empty());
    check_golden("cli/examples/layouts/" + name + ".txt", run.out);
  }
}
