// Threads' parts by tiled instructions, in the language: against CUTLASS's layouts, the PTX ISA, and by counting.
#include "tests/cli/held.h"
#include "tests/layout/ptx_fragments.h"

using namespace reckon::test;
using reckon::layout::Layout;
using reckon::layout_tests::layout_from;

namespace {

std::string full_name(const std::string& name) {
  if (name == "SM80_16x8x16") return "SM80_16x8x16_F32F16F16F32_TN";
  return name == "SM70_8x8x4_NT" ? "SM70_8x8x4_F32F16F16F32_NT" : name;
}

/// "atoms=(2,2,1):(1,2,0)", "tile=<(4,4,2):(1,8,4),32,4>", as the case file has them.
std::string mma_call(const Json& args) {
  std::string out = "tiled_mma(\"" + full_name(args[0]) + "\"";
  for (std::size_t k = 1; k < args.size(); ++k) {
    std::string text = args[k].get<std::string>();
    text = text.substr(text.find('=') + 1);
    if (text == "(1,1,1)") text = "(1,1,1):(0,0,0)";
    if (text == "(4,1,1)") text = "(4,1,1):(1,0,0)";
    if (text.front() == '<') text = "(" + text.substr(1, text.size() - 2) + ")";
    out += ", " + text;
  }
  return out + ")";
}

}  // namespace

TEST_CASE("partitions of tiled instructions are CUTLASS's") {
  const Json file = Json::parse(read_file(source_folder() / "tests/data/layout_cases.json"));
  int cases = 0;
  for (const Json& row : file["cases"]) {
    const std::string op = row["op"], expected = row["expected"];
    INFO(row.dump());
    if (op.starts_with("tiled_mma_") && op.ends_with("_TV")) {
      // Thread by thread over the column-major tile, which is what the thread-value layout is of.
      const char letter = op[10];
      const std::string mma = mma_call(row["args"]);
      const auto sizes = values_of({"size(" + mma + ")", "tile_shape(" + mma + ")"});
      int m = 0, n = 0, k = 0;
      REQUIRE(std::sscanf(sizes[1].c_str(), "(%d, %d, %d)", &m, &n, &k) == 3);
      const std::string tile = letter == 'A'   ? fmt::format("({},{})", m, k)
                               : letter == 'B' ? fmt::format("({},{})", n, k)
                                               : fmt::format("({},{})", m, n);
      const Int threads = std::stoll(sizes[0]);
      const auto parts = all_held(fmt::format("partition_{}({}, column_major({}), {{}})", letter, mma, tile), threads);
      const Layout wanted = layout_from(expected);
      REQUIRE(wanted.mode(0).size() == threads);
      for (Int thread = 0; thread < threads; ++thread) {
        const auto elements = parts[static_cast<std::size_t>(thread)].elements();
        REQUIRE(static_cast<Int>(elements.size()) == wanted.mode(1).size());
        for (std::size_t v = 0; v < elements.size(); ++v) {
          REQUIRE(elements[v] == *wanted(thread + threads * static_cast<Int>(v)));
        }
      }
      ++cases;
    }
    if (op == "thrfrg_B" || op == "partition_C") {
      const auto& args = row["args"];
      const std::string mma = fmt::format("tiled_mma(\"{}\", {}, {})", args[0].get<std::string>(),
                                          args[1].get<std::string>(), args[2].get<std::string>());
      const std::string tensor = args[3];
      if (op == "thrfrg_B") {
        CHECK(values_of({"thrfrg_B(" + mma + ", " + tensor + ")"})[0] == expected);
      } else {
        CHECK(values_of({fmt::format("partition_C({}, {}, {})", mma, tensor, args[4].get<std::string>())})[0] ==
              fmt::format("({}, {})", expected, row["offset"].get<Int>()));
      }
      ++cases;
    }
  }
  CHECK(cases == 21);
}

TEST_CASE("one instruction's partitions are the fragments of the PTX ISA") {
  const auto formulas = reckon::layout_tests::of_warps();
  struct Instruction {
    const char *name, *shape;
    int bits;
    Int m, n, k;
  };
  for (const auto& one : {Instruction{"SM80_16x8x16_F32F16F16F32_TN", "m16n8k16", 16, 16, 8, 16},
                          {"SM80_16x8x8_F32TF32TF32F32_TN", "m16n8k8", 32, 16, 8, 8},
                          {"SM80_8x8x4_F64F64F64F64_TN", "m8n8k4", 64, 8, 8, 4}}) {
    INFO(one.name);
    const auto& wanted = formulas.at({one.shape, one.bits});
    const auto parts = [&](char operand, Int rows, Int columns) {
      return all_held(fmt::format("partition_{}(tiled_mma(\"{}\", 1), row_major(({},{})), {{}})", operand, one.name,
                                  rows, columns),
                      32);
    };
    const auto a = parts('A', one.m, one.k), b = parts('B', one.n, one.k), c = parts('C', one.m, one.n);
    for (int lane = 0; lane < 32; ++lane) {
      const auto agree = [&](const std::vector<Held>& held, const auto& formula, Int columns, bool turned) {
        const auto elements = held[static_cast<std::size_t>(lane)].elements();
        for (std::size_t i = 0; i < elements.size(); ++i) {
          const auto place = formula(lane, static_cast<int>(i));
          REQUIRE(elements[i] == (turned ? place.column * columns + place.row : place.row * columns + place.column));
        }
      };
      agree(a, wanted.a, one.k, false);
      agree(b, wanted.b, one.k, true);  // the formulas' B is K x N, CUTLASS's N x K
      agree(c, wanted.c, one.n, false);
    }
  }
}

TEST_CASE("all threads' parts are the tensor: C once, A and B for each thread along the other mode") {
  struct Tiling {
    const char *name, *atoms, *tile;
    int along_m, along_n;
    Int threads;
  };
  for (const auto& one : {Tiling{"SM80_16x8x16_F32F16F16F32_TN", "(2,2,1):(1,2,0)", "(32,32,16)", 2, 2, 128},
                          {"SM80_16x8x8_F32TF32TF32F32_TN", "(1,4,1):(0,1,0)", "(16,32,8)", 1, 4, 128},
                          {"SM70_8x8x4_F32F16F16F32_NT", "(2,2):(2,1)", "((4,4,2):(1,8,4),32,4)", 2, 2, 32}}) {
    INFO(one.name);
    const auto of = [&](char operand, const char* tensor) {
      return counts(all_held(fmt::format("partition_{}(tiled_mma(\"{}\", {}, {}), {}, {{}})", operand, one.name,
                                         one.atoms, one.tile, tensor),
                             one.threads));
    };
    const auto whole = [](const std::map<Int, int>& seen, const char* tensor, int times) {
      const Layout layout = layout_from(tensor);
      REQUIRE(static_cast<Int>(seen.size()) == layout.size());
      for (Int i = 0; i < layout.size(); ++i) {
        const auto found = seen.find(*layout(i));
        REQUIRE(found != seen.end());
        REQUIRE(found->second == times);
      }
    };
    whole(of('C', "(64,64):(67,1)"), "(64,64):(67,1)", 1);
    whole(of('C', "(64,(8,8)):(1,(64,1000))"), "(64,(8,8)):(1,(64,1000))", 1);
    whole(of('A', "(64,32):(32,1)"), "(64,32):(32,1)", one.along_n);
    whole(of('B', "(64,32):(1,64)"), "(64,32):(1,64)", one.along_m);
  }
}

TEST_CASE("tiled copies read and write all of a tensor, each element once") {
  struct Copy {
    const char* call;
    Int threads;
  };
  const std::string tensor = "(32,128):(131,1)";
  for (const auto& one : {Copy{"tiled_copy(\"u128\", 16, (16,8):(8,1), (1,8))", 128},
                          {"tiled_copy(\"u64\", 16, (8,4):(4,1), (2,4):(4,1))", 32},
                          {"tiled_copy(\"u32\", 32, (32,8), (1,1))", 256}}) {
    for (const char side : {'S', 'D'}) {
      INFO(one.call << " " << side);
      const auto parts = all_held(fmt::format("partition_{}({}, {}, {{}})", side, one.call, tensor), one.threads);
      const auto seen = counts(parts);
      CHECK(seen.size() == 32 * 128);
      for (const auto& [element, times] : seen) REQUIRE((times == 1 && element % 131 < 128 && element < 32 * 131));
      // A thread's slice of the whole's layout is its part.
      const auto slices = all_held(fmt::format("slice(({{}}, _, _), tidfrg_{}({}, {}))", side, one.call, tensor), 32);
      for (std::size_t t = 0; t < slices.size(); ++t) REQUIRE(slices[t].elements() == parts[t].elements());
    }
  }
}

TEST_CASE("a copy made for an operand gives each thread what the instruction wants of it") {
  for (const char operand : {'A', 'B'}) {
    const std::string copy = fmt::format("tiled_copy(\"SM75_U32x4_LDSM_N\", 16, {}, \"{}\")", cores, operand);
    const auto written = all_held(fmt::format("partition_D({}, (64,32):(32,1), {{}})", copy), 128);
    const auto wanted = all_held(fmt::format("partition_{}({}, (64,32):(32,1), {{}})", operand, cores), 128);
    for (std::size_t t = 0; t < 128; ++t) {
      auto x = written[t].elements(), y = wanted[t].elements();
      std::sort(x.begin(), x.end());
      std::sort(y.begin(), y.end());
      REQUIRE(x == y);
    }
  }
}

TEST_CASE("parts at indices are refused where there are none, or none that can be written down") {
  const std::pair<std::string, std::string> mistakes[] = {
      {"partition_C(cores, row_major((64, 64)), t)",
       "index `t` is out of range: it goes to `128`, and this mode has `128` elements"},
      {"partition_C(cores, row_major((64, 60)), t)",
       "`partition_C`: mode 1 of `(64,60):(60,1)` has `60` elements, no multiple of the tile's `32`"},
      {"partition_C(cores, compose(swizzle(3, 3, 3), row_major((64, 64))), t)",
       "`partition_C` of the composed layout `Sw<3,3,3> o 0 o (64,64):(64,1)` needs known numbers here"},
      {"partition_C(cores, bounds(local_tile, row_major((40, 50)), (32, 32), (1, 1)), t)",
       "`partition_C` of the bounds `(32,32) + (32,32):(1@0,1@1) < (40,50)` needs known numbers here"},
      {"local_tile(row_major((64, 64)), (32, 16, 8), (t, 1, 0), (1, _, 1))",
       "`local_tile` with a projection needs known numbers here"},
      {"local_tile(row_major((64, 64)), (32, 16), (t, 9))",
       "local_tile of `(64,64):(64,1)`: index `9` is outside of the shape `4`"},
  };
  for (const auto& [call, message] : mistakes) {
    INFO(call);
    const RunResult run = reckon_here({"run", "-", "--format=json"},
                                      "let cores = " + cores + "\nfn f(x: f32[4096]) -> f32[129] = for t < 129: {\n" +
                                          "  let (own, start) = " + call + ";\n  x[start] }\n");
    CHECK(run.status == 3);
    const auto lines = json_lines(run.out);
    REQUIRE(lines.size() == 1);
    CHECK(lines[0]["message"].get<std::string>() == message);
  }
}
