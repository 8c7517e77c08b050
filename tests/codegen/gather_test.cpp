// Indices that are read from data: what a plain loop reads, in the interpreter and compiled; one error where an index is
// out of range.
#include <fmt/format.h>

#include "diagnostics/codes/index_out_of_range.h"
#include "tests/codegen/program.h"

namespace reckon::codegen::testing {
namespace {

/// tensor[value], of a tensor of one dimension.
NodeId gather(Circuit& c, NodeId tensor, NodeId value) {
  const VariableId v = c.module.fresh_variable();
  return c.module.at(v, c.module.type(tensor).extents[0], c.module.element(tensor, {c.at(v)}), value);
}

HostTensor indices(std::vector<std::int64_t> shape, std::uint64_t below, std::uint64_t seed) {
  HostTensor out(Scalar::u32, std::move(shape));
  Random random(seed);
  for (std::int64_t i = 0; i < out.size(); ++i) out.set_bits(i, random.below(below));
  return out;
}

/// for k: x[i[k]]
void gathered(Circuit& c, Scalar scalar) {
  const IndexId n = c.dimension("n"), m = c.dimension("m");
  const NodeId x = c.parameter("x", scalar, {n}), i = c.parameter("i", Scalar::u32, {m});
  c.result(c.map({m}, [&](const std::vector<VariableId>& k) {
    return gather(c, x, c.module.element(i, {c.at(k[0])}));
  }));
}

}  // namespace

TEST_CASE("the elements at indices that are read from data are those of a loop") {
  for (const std::int64_t m : {1, 5, 257, 1000}) {
    for (const std::int64_t n : {1, 3, 200}) {
      for (const Scalar scalar : {Scalar::f64, Scalar::f32, Scalar::bf16, Scalar::f8e4m3, Scalar::u32}) {
        Circuit c;
        gathered(c, scalar);
        const HostTensor x = scalar == Scalar::u32 ? indices({n}, 1u << 31, 3) : ordinary(scalar, {n}, 1);
        const HostTensor i = indices({m}, static_cast<std::uint64_t>(n), 2);
        const std::vector<HostTensor> found = run(c, must_compile(c), {x, i});
        CHECK(difference(found, interpret(c, "float", {x, i})) == "");
        for (std::int64_t k = 0; k < m; ++k) {
          REQUIRE(found[0].bits(k) == x.bits(static_cast<std::int64_t>(i.bits(k))));
        }
        if (scalar != Scalar::u32) agree(c, {x, i}, "fpsan");
      }
    }
  }
}

TEST_CASE("rows at indices that are read from data, and rows of rows") {
  // for k, j: table[i[p[k]], j]
  Circuit c;
  const IndexId v = c.dimension("v"), d = c.dimension("d"), m = c.dimension("m"), s = c.dimension("s");
  const NodeId table = c.parameter("table", Scalar::f32, {v, d}), i = c.parameter("i", Scalar::u32, {m}),
               p = c.parameter("p", Scalar::u32, {s});
  c.result(c.map({s, d}, [&](const std::vector<VariableId>& k) {
    const VariableId row = c.module.fresh_variable();
    const NodeId which = gather(c, i, c.module.element(p, {c.at(k[0])}));
    return c.module.at(row, v, c.module.element(table, {c.at(row), c.at(k[1])}), which);
  }));
  const HostTensor of_table = ordinary(Scalar::f32, {37, 19}, 1), of_i = indices({11}, 37, 2), of_p = indices({50}, 11, 3);
  const std::vector<HostTensor> found = run(c, must_compile(c), {of_table, of_i, of_p});
  CHECK(difference(found, interpret(c, "float", {of_table, of_i, of_p})) == "");
  for (std::int64_t k = 0; k < 50; ++k) {
    for (std::int64_t j = 0; j < 19; ++j) {
      const auto row = static_cast<std::int64_t>(of_i.bits(static_cast<std::int64_t>(of_p.bits(k))));
      REQUIRE(found[0].bits(k * 19 + j) == of_table.bits(row * 19 + j));
    }
  }
}

TEST_CASE("sums over sparse rows, in several orders, are those of the interpreter") {
  // for r: sum k: w[r, k] * x[column[r, k]], and of a computed x, and of one that depends on r.
  for (const int kind : {0, 1, 2}) {
    for (const int order : {0, 1, 2}) {
      Circuit c;
      const IndexId rows = c.dimension("rows"), width = c.dimension("width"), n = c.dimension("n");
      const NodeId w = c.parameter("w", Scalar::f32, {rows, width}), x = c.parameter("x", Scalar::f32, {n}),
                   column = c.parameter("column", Scalar::u32, {rows, width});
      const ScheduleId schedule = order == 0 ? c.seq() : order == 1 ? c.tree() : c.schedules().default_order();
      const auto squares = [&](const std::function<NodeId(VariableId)>& factor) {
        return c.map({n}, [&](const std::vector<VariableId>& j) {
          const NodeId each = c.module.element(x, {c.at(j[0])});
          return c.module.apply(Op::mul, {each, factor(j[0])});
        });
      };
      const NodeId computed = squares([&](VariableId j) { return c.module.element(x, {c.at(j)}); });
      c.result(c.map({rows}, [&](const std::vector<VariableId>& r) {
        return c.reduce(Op::add, width, schedule, [&](VariableId k) {
          const NodeId of_row = kind == 2 ? squares([&](VariableId) {
            return c.module.index_value(c.at(r[0]), Scalar::f32);
          }) : kind == 1 ? computed : x;
          const NodeId index = c.module.element(column, {c.at(r[0]), c.at(k)});
          const VariableId v = c.module.fresh_variable();
          const NodeId read = c.module.at(v, n, c.module.element(of_row, {c.at(v)}), index);
          return c.module.apply(Op::mul, {c.module.element(w, {c.at(r[0]), c.at(k)}), read});
        });
      }));
      INFO("kind " << kind << ", order " << order);
      const std::vector<HostTensor> arguments{ordinary(Scalar::f32, {13, 300}, 1), ordinary(Scalar::f32, {70}, 2),
                                              indices({13, 300}, 70, 3)};
      agree(c, arguments);
      const std::vector<HostTensor> found = run(c, must_compile(c), arguments);
      if (kind == 0 && order == 0) {
        for (std::int64_t r = 0; r < 13; ++r) {
          float sum = 0;
          for (std::int64_t k = 0; k < 300; ++k) {
            const auto number = [](const HostTensor& t, std::int64_t at) {
              return std::bit_cast<float>(static_cast<std::uint32_t>(t.bits(at)));
            };
            const float product = number(arguments[0], r * 300 + k) *
                                  number(arguments[1], static_cast<std::int64_t>(arguments[2].bits(r * 300 + k)));
            sum = k == 0 ? product : sum + product;
          }
          CHECK(found[0].bits(r) == std::bit_cast<std::uint32_t>(sum));
        }
      }
      for (const char* arch : {"sm_80", "sm_90"}) {
        const Compiled compiled = must_compile(c, ptx(arch));
        CHECK(check_with_ptxas(compiled.assembly, arch).status != PtxasResult::Status::rejected);
      }
    }
  }
}

TEST_CASE("an index from data that is out of range is one error, in the interpreter and compiled") {
  for (const std::int64_t n : {0, 1, 5}) {
    Circuit c;
    gathered(c, Scalar::f32);
    const HostTensor x = ordinary(Scalar::f32, {n}, 1);
    HostTensor i = indices({9}, static_cast<std::uint64_t>(std::max<std::int64_t>(n, 1)), 2);
    if (n > 0) {
      const std::vector<HostTensor> found = run(c, must_compile(c), {x, i});
      CHECK(difference(found, interpret(c, "float", {x, i})) == "");
    }
    for (const std::uint64_t beyond : {static_cast<std::uint64_t>(n), std::uint64_t{0xffffffff}}) {
      i.set_bits(6, beyond);
      const auto meaning = semantics("float");
      const auto interpreted = c.run(*meaning, {x, i});
      REQUIRE(!interpreted);
      CHECK(interpreted.error().code == code::index_out_of_range);
      const std::int64_t first = n == 0 ? 0 : 6;
      CHECK(interpreted.error().message ==
            fmt::format("index {} is out of range: the dimension has {} element{} (`i[{}]` is {})", i.bits(first), n,
                        n == 1 ? "" : "s", first, i.bits(first)));
      const Compiled compiled = must_compile(c);
      const auto sizes = ir::bind_dimensions(c.module, c.function, {x.shape, i.shape});
      const auto ran = run_host(c.module, c.function, compiled, {x, i}, *sizes, interp::generate);
      REQUIRE(!ran);
      CHECK(ran.error().code == code::index_out_of_range);
    }
  }
}

}  // namespace reckon::codegen::testing
