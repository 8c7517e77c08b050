// Matrix products on the host, in tiles: the bits of the interpreter on every kind of x86 processor that this machine
// can stand in for. The trees are those of tests/kernel/strategies_test.cpp.
#include "tests/codegen/program.h"

namespace reckon::codegen::testing {
namespace {

using LeafOfTwo = std::function<NodeId(Circuit&, NodeId, NodeId)>;

NodeId product_of_two(Circuit& c, NodeId x, NodeId y) { return c.module.apply(Op::mul, {x, y}); }

struct HostProduct {
  Scalar scalar = Scalar::f32;
  std::function<ScheduleId(Circuit&)> order = [](Circuit& c) { return c.schedules().fused(c.seq()); };
  bool transposed = false;  ///< both factors are stored the other way round
  Op op = Op::add;
  LeafOfTwo leaf = product_of_two;
};

struct ProductSizes {
  std::int64_t m, k, n;
};

/// Processors by LLVM's names, as far as this machine has their instructions.
std::vector<std::string> processors() {
  std::vector<std::string> out{"native"};
#if defined(__x86_64__)
  out.emplace_back("x86-64");
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) out.emplace_back("x86-64-v3");
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) out.emplace_back("x86-64-v4");
#endif
  return out;
}

void check_product(const HostProduct& of, const ProductSizes& sizes, bool known, const char* name) {
  Circuit c;
  const auto [m, k, n] = sizes;
  const auto size = [&](const char* dimension, std::int64_t value) {
    return known ? c.constant(value) : c.dimension(dimension);
  };
  const IndexId rows = size("m", m), leaves = size("k", k), columns = size("n", n);
  const auto shape = [&]<class T>(T first, T second) {
    return of.transposed ? std::vector<T>{second, first} : std::vector<T>{first, second};
  };
  const NodeId a = c.parameter("a", of.scalar, shape(rows, leaves));
  const NodeId b = c.parameter("b", of.scalar, shape(leaves, columns));
  c.result(c.map({rows, columns}, [&](const std::vector<VariableId>& at) {
    return c.reduce(of.op, leaves, of.order(c), [&](VariableId l) {
      return of.leaf(c, c.module.element(a, shape(c.at(at[0]), c.at(l))),
                     c.module.element(b, shape(c.at(l), c.at(at[1]))));
    });
  }));
  const std::vector<HostTensor> arguments{edgy(of.scalar, shape(m, k), 1), ordinary(of.scalar, shape(k, n), 2)};
  const std::vector<HostTensor> expected = interpret(c, name, arguments);
  for (const std::string& processor : processors()) {
    CompileOptions options = host(std::string(name) == "float" ? &float_code() : &fpsan_code(numerics::fpsan::now));
    options.cpu = processor;
    INFO(processor << ", " << m << " x " << k << " x " << n << (known ? "" : ", not known") << ", " << name);
    CHECK(difference(run(c, must_compile(c, options), arguments), expected) == "");
  }
}

}  // namespace

TEST_CASE("products on the host: ragged sizes, on every processor") {
  const ProductSizes sizes[] = {{50, 70, 41}, {5, 600, 37}, {197, 33, 290}};
  const auto runs = [](Circuit& c) { return c.then(c.tile(50, c.schedules().fused(c.seq())), c.seq()); };
  for (const ProductSizes& each : sizes) {
    for (const Scalar scalar : {Scalar::f32, Scalar::f64}) {
      check_product({.scalar = scalar}, each, true, "float");
      check_product({.scalar = scalar, .transposed = true}, each, true, "float");
    }
    check_product({.order = [](Circuit& c) { return c.seq(); }}, each, true, "float");
    check_product({.order = runs}, each, true, "float");
    check_product({}, each, true, "fpsan");
    check_product({}, each, false, "float");
  }
  check_product({.op = Op::max,
                 .leaf =
                     [](Circuit& c, NodeId x, NodeId y) {
                       return c.module.apply(Op::add, {x, y});
                     }},
                sizes[0], true, "float");
  check_product({.scalar = Scalar::f64,
                 .order = [](Circuit& c) { return c.seq(); },
                 .leaf =
                     [](Circuit& c, NodeId x, NodeId y) {
                       const NodeId apart = c.module.apply(Op::sub, {x, y});
                       return c.module.apply(Op::mul, {apart, apart});
                     }},
                sizes[0], true, "float");
}

TEST_CASE("products on the host: one result, one row, one column, where sizes are not known") {
  for (const ProductSizes& each :
       {ProductSizes{1, 1, 1}, ProductSizes{1, 300, 50}, ProductSizes{50, 300, 1}, ProductSizes{3, 1, 40}})
    check_product({}, each, false, "float");
}

}  // namespace reckon::codegen::testing
