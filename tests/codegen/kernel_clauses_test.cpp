// What a kernel states becomes its plan and its PTX, or an error. Bits: tests/gpu/emulated_test.cpp,
// tests/gpu/kernels.rk.
#include <map>
#include <set>

#include "codegen/strategies/tiles/stated_tile.h"
#include "diagnostics/codes/kernel_unmet.h"
#include "ir/parser.h"
#include "tests/codegen/placed.h"

namespace reckon::codegen::testing {
namespace {

using layout::IntTuple;
using layout::Layout;

std::string product(const std::string& clauses, const std::string& size = "n",
                    const std::string& order = "fused(seq)") {
  std::string text = "fn f[n](a: f32[n, n], b: f32[n, n]) -> f32[n, n] with " + clauses +
                     " {\n  %v0: f32[n, n] = map %1 < n, %2 < n {\n    %v1: f32 = reduce add %0 < n by " + order +
                     " {\n      %v2: f32 = mul a[%1, %0], b[%0, %2]\n      yield %v2\n    }\n    yield %v1\n  }\n"
                     "  yield %v0\n}\n";
  if (size == "n") return text;
  for (const std::string name : {"[n, n]", "< n"}) {
    const std::string known = name == "< n" ? "< " + size : "[" + size + ", " + size + "]";
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) text.replace(at, name.size(), known);
  }
  return text.replace(text.find("[n]"), 3, "");
}

Expected<Compiled> compiled(const std::string& text, const CompileOptions& options = ptx()) {
  ir::Module module;
  auto parsed = ir::parse_ir(module, text);
  if (!parsed) FAIL(parsed.error().message);
  return compile(module, parsed->front(), options);
}

Compiled taken(const std::string& clauses, const std::string& size = "512") {
  INFO(clauses);
  auto out = compiled(product(clauses, size));
  if (!out) FAIL(out.error().message);
  const PtxasResult result = check_with_ptxas(out->assembly, "sm_90");
  INFO(result.message);
  CHECK(result.status != PtxasResult::Status::rejected);
  CHECK(result.message.find("spill") == std::string::npos);
  return std::move(*out);
}

std::string number(std::int64_t k) { return std::to_string(k); }

}  // namespace

TEST_CASE("clauses that no GPU can follow are refused before anything is placed") {
  const std::pair<const char*, const char*> cases[] = {
      {"values(16, 16)", "a thread has 255 registers, and 256 outputs do not fit in them"},
      {"threads(48)", "no block has 48 threads"},
      {"threads(2048)", "no block has 2048 threads"},
      {"threads((4,4):(4,1))", "no block has 16 threads"},
      {"blocks(33)", "no multiprocessor has 33 blocks at a time"},
      {"threads(1024), blocks(3)", "3 blocks of 1024 threads are 3072, more than a multiprocessor has"},
      {"tile(8, 8), values(8, 8)", "its 1 x 1 parts would be those of 1 threads"},
      {"tile(256, 256), values(4, 4)", "its 64 x 64 parts would be those of 4096 threads"}};
  for (const auto& [clauses, message] : cases) {
    INFO(clauses);
    const auto out = compiled(product(clauses));
    REQUIRE_FALSE(out);
    CHECK(out.error().code == code::kernel_unmet);
    CHECK(out.error().message == message);
  }
}

TEST_CASE("clauses: every tile has its threads, its shared memory and its loads") {
  struct Case {
    std::int64_t rows, columns, depth, thread_rows, thread_columns;
  };
  for (const Case& c : {Case{128, 128, 16, 16, 8},
                        {128, 128, 8, 8, 8},
                        {64, 64, 16, 8, 8},
                        {64, 128, 8, 8, 8},
                        {32, 32, 16, 4, 4},
                        {16, 32, 4, 4, 4},
                        {64, 64, 2, 8, 8},
                        {96, 24, 16, 6, 3},
                        {256, 64, 8, 8, 8}}) {
    const Compiled made = taken("tile(" + number(c.rows) + ", " + number(c.columns) + ", " + number(c.depth) +
                                "), values(" + number(c.thread_rows) + ", " + number(c.thread_columns) + ")");
    REQUIRE(made.plan.kernels.size() == 1);
    const Kernel& kernel = made.plan.kernels[0];
    CHECK(kernel.threads == c.rows / c.thread_rows * (c.columns / c.thread_columns));
    CHECK(kernel.shared_bytes == 2 * c.depth * (c.rows + c.columns + 8) * 4);
    CHECK(Counted(made)(("\\.maxntid " + number(kernel.threads) + "\\b").c_str()) == 1);
    CHECK(Counted(made)("fma\\.rn\\.f32") % (c.thread_rows * c.thread_columns) == 0);
    // Neighbours are read together as far as a thread has them.
    const bool by_four = c.thread_rows % 4 == 0 && c.thread_columns % 4 == 0;
    CHECK((Counted(made)("ld\\.shared\\.b32") == 0) == by_four);
  }
}

TEST_CASE("clauses: what is left open is chosen to fit") {
  const auto threads_of = [](const std::string& clauses) { return taken(clauses).plan.kernels[0].threads; };
  CHECK(threads_of("tile(128, 128)") == 128);
  CHECK(threads_of("tile(64, 64)") == 64);
  CHECK(threads_of("tile(64, 64), threads(256)") == 256);
  CHECK(threads_of("values(8, 8)") % 32 == 0);
  CHECK(threads_of("threads((16,16):(16,1)), values(8, 8)") == 256);
  CHECK(threads_of("tile(128, 64), threads((16,8):(8,1))") == 128);
  CHECK(Counted(taken("blocks(1)"))("\\.minnctapersm 1\\b") == 1);
  CHECK(Counted(taken("tile(64, 64), blocks(5)"))("\\.minnctapersm 5\\b") == 1);
}

TEST_CASE("clauses: the usual arrangement and values, stated, are the usual code") {
  auto usual = compiled(product("tile(64, 64, 16), values(8, 8)", "512"));
  auto stated =
      compiled(product("tile(64, 64, 16), values((4,2):(1,32), (4,2):(1,32)), "
                       "threads(((4,2),8):((8,32),1))",
                       "512"));
  REQUIRE(usual);
  REQUIRE(stated);
  CHECK(usual->assembly == stated->assembly);
  auto other = compiled(product("tile(64, 64, 16), values(8, 8), threads((8,8):(1,8))", "512"));
  REQUIRE(other);
  CHECK(other->assembly != usual->assembly);
}

TEST_CASE("clauses: the usual arrangement numbers every thread once") {
  for (std::int64_t rows = 1; rows <= 64; ++rows) {
    for (std::int64_t columns = 1; columns <= 64; ++columns) {
      if (rows * columns % 32 != 0 || rows * columns > 1024) continue;
      const Layout layout = default_arrangement(rows, columns);
      INFO(layout.text());
      REQUIRE(layout.mode(0).size() == rows);
      REQUIRE(layout.mode(1).size() == columns);
      std::vector<bool> seen(static_cast<std::size_t>(rows * columns), false);
      for (std::int64_t k = 0; k < layout.size(); ++k) {
        const auto number = static_cast<std::size_t>(layout.at(k));
        REQUIRE(number < seen.size());
        REQUIRE_FALSE(seen[number]);
        seen[number] = true;
      }
    }
  }
  CHECK(default_arrangement(8, 16).text() == "((4,2),(8,2)):((8,64),(1,32))");
}

TEST_CASE("clauses: nothing but a GPU's code depends on them, and its key does") {
  struct MapStore : KernelStore {
    std::map<std::string, std::string> entries;
    std::optional<std::string> find(const std::string& name) override {
      const auto found = entries.find(name);
      return found == entries.end() ? std::nullopt : std::optional(found->second);
    }
    void keep(const std::string& name, const std::string& contents) override { entries[name] = contents; }
  } store;
  CompileOptions kept = ptx();
  kept.store = &store;
  kept.keep_llvm_ir = true;
  std::set<std::string> texts;
  for (const char* clauses : {"tile(64, 64, 16)", "tile(64, 64, 8)", "tile(64, 64, 16), blocks(2)",
                              "tile(64, 64, 16), values(8, 8), threads((8,8):(1,8))"}) {
    auto first = compiled(product(clauses), kept), second = compiled(product(clauses), kept);
    REQUIRE(first);
    REQUIRE(second);
    CHECK(second->llvm_ir.empty());
    CHECK(first->assembly == second->assembly);
    texts.insert(first->assembly);
  }
  CHECK(store.entries.size() == 4);
  CHECK(texts.size() == 4);
  CompileOptions text = host();
  text.keep_llvm_ir = true;
  auto on_host = compiled(product("tile(64, 64, 16)"), text), in_order = compiled(product("blocks(1)"), text);
  REQUIRE(on_host);
  REQUIRE(in_order);
  CHECK_FALSE(on_host->llvm_ir.empty());
  CHECK(on_host->llvm_ir == in_order->llvm_ir);
}

TEST_CASE("clauses: of a sum in runs they are about the runs") {
  auto made = compiled(
      "fn f(x: f32[65537]) -> f32 with threads(64) {\n  %v0: f32 = reduce add %0 < 65537 by "
      "tile(4096, lanes(128, seq) then tree) then tree {\n    yield x[%0]\n  }\n  yield %v0\n}\n");
  if (!made) FAIL(made.error().message);
  REQUIRE(made->plan.kernels.size() == 3);
  CHECK(made->plan.kernels[0].threads == 64);
}

// The bytes that a block of a chip may have: CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability".
TEST_CASE("clauses: a tile of more than 48 KiB gets its shared memory from the launch") {
  const std::string text = product("tile(128, 128, 48)");
  const auto made = compiled(text, ptx("sm_90"));
  if (!made) FAIL(made.error().message);
  REQUIRE(made->plan.kernels.size() == 1);
  CHECK(made->plan.kernels[0].shared_bytes == 101376);
  CHECK(made->plan.kernels[0].dynamic_shared_bytes() == 101376);
  CHECK(made->assembly.find(".extern .shared .align 16 .b8 reckon_shared_of_launch[];") != std::string::npos);
  const auto usual = compiled(product("tile(128, 128, 16)"), ptx("sm_90"));
  REQUIRE(usual);
  CHECK(usual->plan.kernels[0].dynamic_shared_bytes() == 0);
  CHECK(usual->assembly.find(".extern .shared") == std::string::npos);
  const std::string larger = product("tile(128, 128, 64), values(8, 8)");
  for (const char* chip : {"sm_80", "sm_100"}) CHECK(compiled(larger, ptx(chip)));  // 163 and 227 KiB
  for (const char* chip : {"sm_89", "sm_120"}) {
    CHECK(compiled(text, ptx(chip)));  // all of its 99 KiB
    const auto refused = compiled(larger, ptx(chip));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message == "two stages take 135168 bytes of shared memory, and a block has 101376");
  }
}

TEST_CASE("clauses: refused where the circuit has nothing for them") {
  const auto refused = [](const std::string& text, const CompiledSemantics* semantics = &float_code()) {
    auto made = compiled(text, ptx("sm_90", semantics));
    REQUIRE_FALSE(made);
    CHECK(made.error().code == code::kernel_unmet);
    CHECK(made.error().helps.size() == 1);
    return made.error().message;
  };
  CHECK(refused(product("tile(64, 64)", "n", "tree")) == "nothing in the circuit is carried out by tiles");
  CHECK(refused(product("tile(128, 128, 128)")) ==
        "two stages take 270336 bytes of shared memory, and a block has 232448");
  CHECK(refused(product("tile(64, 64), values(8, 8)"), &interval_code()) ==
        "a thread has 255 registers, and 64 sums of 16 bytes do not fit in them");
  // Under `fpsan` every order has the same bits, and so tiles.
  CHECK(compiled(product("tile(64, 64)", "n", "tree"), ptx("sm_90", &fpsan_code(numerics::fpsan::now))));
}

}  // namespace reckon::codegen::testing
