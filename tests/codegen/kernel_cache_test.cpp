// The kernel store: what is found there is what would be compiled, for the same program and options and no others.
#include "codegen/kernel_cache.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "ir/parser.h"
#include "tests/support/compiled_semantics.h"

using namespace reckon;
using namespace reckon::codegen;

namespace {

struct MapStore : KernelStore {
  std::map<std::string, std::string> entries;
  int hits = 0;
  std::optional<std::string> find(const std::string& name) override {
    const auto found = entries.find(name);
    if (found == entries.end()) return std::nullopt;
    ++hits;
    return found->second;
  }
  void keep(const std::string& name, const std::string& contents) override { entries[name] = contents; }
};

struct Program {
  ir::Module module;
  ir::Function function;
  explicit Program(const std::string& text) {
    auto parsed = ir::parse_ir(module, text, 0);
    if (!parsed) FAIL(parsed.error().message);
    function = parsed->front();
  }
  Compiled compile(KernelStore& store, CompileOptions options = {}) {
    options.target = Target::ptx;
    options.store = &store;
    if (options.semantics == nullptr) options.semantics = &float_code();
    options.keep_llvm_ir = true;  // which tells what was compiled from what was found
    auto compiled = codegen::compile(module, function, options);
    if (!compiled) FAIL(compiled.error().message);
    return std::move(*compiled);
  }
};

std::string sum(const std::string& extent, const std::string& schedule) {
  return "fn f[n](x: f32[n]) -> f32 {\n  %v0: f32 = reduce add %0 < " + extent + " by " + schedule +
         " { yield x[%0] }\n  yield %v0\n}\n";
}

}  // namespace

TEST_CASE("a kernel is compiled once, and found with its launch figures") {
  MapStore store;
  const Compiled first = Program(sum("n", "lanes(128, tree) then tree")).compile(store);
  CHECK(store.entries.size() == 1);
  CHECK(store.hits == 0);
  CHECK_FALSE(first.llvm_ir.empty());
  const Compiled second = Program(sum("n", "lanes(128, tree) then tree")).compile(store);
  CHECK(store.hits == 1);
  CHECK(second.llvm_ir.empty());
  CHECK(second.assembly == first.assembly);
  REQUIRE(second.plan.kernels.size() == first.plan.kernels.size());
  for (std::size_t k = 0; k < first.plan.kernels.size(); ++k) {
    const Kernel &one = first.plan.kernels[k], &other = second.plan.kernels[k];
    CHECK(one.name == other.name);
    CHECK(one.threads == other.threads);
    CHECK(one.block_items == other.block_items);
    CHECK(one.shared_bytes == other.shared_bytes);
    CHECK(one.recursive == other.recursive);
  }
  CHECK(first.plan.kernels[0].shared_bytes > 0);
}

TEST_CASE("whatever the code depends on has its own entry") {
  MapStore store;
  std::size_t programs = 0;
  auto differs = [&](const std::string& text, const CompileOptions& options) {
    Program(text).compile(store, options);
    ++programs;
    CHECK(store.entries.size() == programs);
    CHECK(store.hits == 0);
  };
  differs(sum("n", "seq"), {});
  differs(sum("n", "tree"), {});
  differs(sum("n + 1", "tree"), {});
  // A schedule by its name: its definition counts.
  differs("schedule s = length %0: if %0 < 2 { seq } else { split(1, seq, s) }\n" + sum("n", "s"), {});
  differs("schedule s = length %0: if %0 < 3 { seq } else { split(1, seq, s) }\n" + sum("n", "s"), {});
  differs("fn f[n](x: f64[n]) -> f64 {\n  %v0: f64 = reduce add %0 < n by tree { yield x[%0] }\n  yield %v0\n}\n", {});
  differs("fn f[n](x: f32[n] @ n:2) -> f32 {\n  %v0: f32 = reduce add %0 < n by tree { yield x[%0] }\n  yield %v0\n}\n", {});
  differs("fn f[n](x: f32[n]) -> f32[n] @ n:2 {\n  %v0: f32[n] = map %0 < n { yield x[%0] }\n  yield %v0\n}\n", {});
  differs(sum("n", "tree"), {.arch = "sm_80"});
  differs(sum("n", "tree"), {.optimise = false});
  differs(sum("n", "tree"), {.semantics = &fpsan_code(numerics::fpsan::now)});
  differs(sum("n", "tree"), {.semantics = &fpsan_code(numerics::fpsan::v38)});
}

TEST_CASE("an entry that is not whole, or another program's, is compiled again") {
  MapStore store;
  const Compiled good = Program(sum("n", "tree")).compile(store);
  const auto [name, whole] = *store.entries.begin();
  MapStore other;
  Program(sum("n", "seq")).compile(other);
  std::vector<std::string> bad{"", "x", other.entries.begin()->second, whole + "x"};
  for (std::size_t cut = 0; cut < whole.size(); cut += 1 + whole.size() / 29) bad.push_back(whole.substr(0, cut));
  for (const std::string& entry : bad) {
    store.entries[name] = entry;
    CHECK(Program(sum("n", "tree")).compile(store).assembly == good.assembly);
    CHECK(store.entries[name] == whole);
  }
  // One that is whole is believed.
  std::string changed = whole;
  changed.back() = '?';
  store.entries[name] = changed;
  CHECK(Program(sum("n", "tree")).compile(store).assembly.back() == '?');
}

TEST_CASE("what may fail with a place in the source is not kept") {
  MapStore store;
  Program(sum("n", "tree")).compile(store, {.semantics = &interval_code()});
  CHECK(store.entries.empty());
}

TEST_CASE("names of entries are BLAKE3, by its published test vectors") {
  // https://github.com/BLAKE3-team/BLAKE3/blob/master/test_vectors/test_vectors.json: inputs of the bytes 0, 1, ...
  CHECK(entry_name("") == "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
  CHECK(entry_name(std::string(1, '\0')) == "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213");
}
