// Functions of intervals compiled for the host: at the edges of domains, in threads; and what PTX lacks. interval_test.cpp has all
// operations on random operands, interval_f64_test.cpp the comparison with MPFR.
#include <array>
#include <thread>

#include "diagnostics/codes/not_compilable.h"
#include "tests/codegen/intervals.h"
#include "tests/support/in_turn.h"

namespace reckon::codegen::testing {

TEST_CASE("intervals: functions at the edges of their domains, thin, one-sided and unbounded: ends, and what is empty",
          "[targets]") {
  const double edges[] = {
      -infinity, largest,  -largest, -2,  std::nextafter(-1, -2), -1, std::nextafterf(-1, 0), -0.5, -tiniest, -0.0,
      0,         0x1p-149, 0x1p-60,  0.5, std::nextafterf(1, 0),  1,  std::nextafter(1, 2),   1.5,  3,        16,
      89,        infinity};
  const double few[] = {-infinity, -2, -1, -0.5, 0, 0x1p-40, 1, 3, infinity};
  int empty = 0, results = 0;
  const auto check = [&](Operation& circuit, const Compiled& compiled, const Flavour& flavour,
                         const std::vector<double>& endpoints) {
    std::vector<HostTensor> arguments(7, HostTensor(Scalar::f64, {1}));
    for (std::size_t k = 0; k < endpoints.size(); ++k)
      arguments[k].set_bits(0, std::bit_cast<std::uint64_t>(endpoints[k]));
    arguments[6] = HostTensor(Scalar::f64, {});
    arguments[6].set_bits(0, std::bit_cast<std::uint64_t>(3.0));
    const Outcome outcome = compiled_for_host(circuit, compiled, arguments);
    REQUIRE(outcome);
    ++(has_empty(*outcome) ? empty : results);
    const std::string problem = difference(outcome, interpreted(circuit, arguments, flavour));
    if (problem.empty()) return;
    std::string operands;
    for (double end : endpoints) operands += " " + std::to_string(end);
    INFO(ir::traits(circuit.op).spelling << operands << " in " << flavour.name);
    CHECK(problem == "");
  };
  test::InTurn<Flavour> in_turn({std::begin(flavours), std::end(flavours)});
  for (Op op : all_operations) {
    if (!ir::is_elementary(op) && op != Op::rsqrt && op != Op::sqrt) continue;
    for (const Flavour& flavour : in_turn.next()) {
      Operation circuit(op);
      const Compiled compiled = must_compile(circuit, interval_host(flavour));
      if (ir::traits(op).arity == 1) {
        for (double low : edges) {
          for (double high : edges) {
            if (low <= high) check(circuit, compiled, flavour, {low, high});
          }
        }
        continue;
      }
      for (double low : few) {
        for (double high : few) {
          for (double other_low : few) {
            for (double other_high : few) {
              if (low <= high && other_low <= other_high)
                check(circuit, compiled, flavour, {low, high, other_low, other_high});
            }
          }
        }
      }
    }
  }
  CHECK(empty > 500);
  CHECK(results > 10'000);
}

TEST_CASE("intervals: threads may run functions with f64 ends at once") {
  Random random(11);
  Operation circuit(Op::atan2);
  const Compiled compiled = must_compile(circuit, interval_host());
  const auto arguments = circuit.arguments(random, 2000);
  const Outcome expected = interpreted(circuit, arguments);
  std::array<std::string, 4> problems;
  std::vector<std::thread> threads;
  for (std::string& problem : problems) {
    threads.emplace_back([&] {
      auto buffers = arguments;
      HostTensor out(Scalar::f64, {2000, 2}), faults(Scalar::f64, {1});
      std::vector<void*> pointers;
      std::size_t next = 0;
      for (const Buffer& buffer : compiled.plan.buffers) {
        HostTensor& tensor = buffer.role == Buffer::Role::parameter ? buffers[next++]
                             : buffer.role == Buffer::Role::faults  ? faults
                                                                    : out;
        pointers.push_back(tensor.bytes.data());
      }
      const std::int64_t count = 2000;
      host_kernel(compiled, compiled.plan.kernels[0].name)(pointers.data(), &count, 0, count);
      std::vector<HostTensor> results{out};
      unsign_zeros(results);
      problem = difference(Outcome(std::move(results)), expected);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& problem : problems) CHECK(problem == "");
}

TEST_CASE("intervals: functions that PTX lacks are named, with what there is instead") {
  for (Op op : {Op::atan2, Op::pow, Op::rootn, Op::erfc, Op::gamma, Op::lgamma}) {
    Circuit c;
    const NodeId x = c.parameter("x", Scalar::f32);
    const NodeId made =
        c.module.apply(op, ir::traits(op).arity == 1 ? std::vector<NodeId>{x} : std::vector<NodeId>{x, x});
    c.module.places().put(made, {0, 3, 9});
    c.result(made);
    const auto refused = compile(c.module, c.function, ptx("sm_90", &interval_code()));
    REQUIRE(!refused);
    CHECK(refused.error().code == code::not_compilable);
    CHECK(refused.error().primary.span == SourceSpan{0, 3, 9});
    REQUIRE(refused.error().helps.size() == 1);
    CHECK(refused.error().helps[0].find("compiled under `interval`: ") == 0);
    CHECK(refused.error().helps[0].find("all functions but `gamma` and `lgamma`, and `erfc`, `atan2`, `pow` and "
                                        "`rootn`, which `interval(f32)` has") != std::string::npos);
    if (op == Op::gamma || op == Op::lgamma)
      CHECK_FALSE(compile(c.module, c.function, ptx("sm_90", &interval_f32_code())));
    else must_compile(c, ptx("sm_90", &interval_f32_code()));
  }
}

}  // namespace reckon::codegen::testing
