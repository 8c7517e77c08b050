// Emitted PTX: accepted by ptxas where it is installed, passed by the audit (compile() runs it), and in what it holds.
#include <chrono>
#include <regex>

#include "diagnostics/codes/not_compilable.h"
#include "tests/codegen/program.h"
#include "tests/support/in_turn.h"

namespace reckon::codegen::testing {
namespace {

void check_chips(Circuit& c, const char* what, const CompiledSemantics* semantics = &float_code()) {
  static test::InTurn<const char*> chips({"sm_80", "sm_90", "sm_100"});
  for (const char* arch : chips.next()) {
    INFO(what << " for " << arch);
    const Compiled compiled = must_compile(c, ptx(arch, semantics));
    CHECK(compiled.assembly.find(std::string(".target ") + arch) != std::string::npos);
    const PtxasResult result = check_with_ptxas(compiled.assembly, arch);
    CHECK(result.status != PtxasResult::Status::rejected);
    if (result.status == PtxasResult::Status::rejected) WARN(result.message);
  }
}

NodeId sum_by(Circuit& c, ScheduleId schedule, Scalar scalar = Scalar::f32) {
  const IndexId n = c.dimension("n");
  const NodeId x = c.parameter("x", scalar, {n});
  return c.reduce(Op::add, n, schedule, [&](VariableId i) { return c.module.element(x, {c.at(i)}); });
}

}  // namespace

TEST_CASE("sums by every combinator assemble", "[targets]") {
  using Make = std::function<ScheduleId(Circuit&)>;
  const std::vector<std::pair<const char*, Make>> all = {
      {"seq", [](Circuit& c) { return c.seq(); }},
      {"tree", [](Circuit& c) { return c.tree(); }},
      {"halving", [](Circuit& c) { return c.halving(); }},
      {"default", [](Circuit& c) { return c.schedules().default_order(); }},
      {"tile", [](Circuit& c) { return c.then(c.tile(8, c.tree()), c.seq()); }},
      {"split", [](Circuit& c) { return c.split(10, c.tree(), c.seq()); }},
      {"quoted",
       [](Circuit& c) {
         auto& trees = c.schedules().trees();
         ir::TreeId tree = trees.leaf(0);
         for (std::int64_t k = 1; k < 50; ++k) tree = trees.pair(trees.leaf(k), tree);
         return c.schedules().quoted(tree);
       }},
      {"recursive", [](Circuit& c) {
         const ir::SymbolId name = c.module.symbol("half");
         const VariableId n = c.module.fresh_variable();
         const ScheduleId self = c.schedules().reference(name);
         c.schedules().define(
             name, c.schedules().length(
                       n, c.schedules().conditional(c.index().less(c.at(n), c.constant(9)), c.seq(),
                                                    c.schedules().split(c.index().floor_div(c.at(n), c.constant(2)),
                                                                        self, self))));
         return self;
       }}};
  for (const auto& [name, make] : all) {
    Circuit c;
    const NodeId sum = sum_by(c, make(c));
    c.result(sum);
    check_chips(c, name);
    check_chips(c, name, &fpsan_code(numerics::fpsan::now));
    const Compiled compiled = must_compile(c, ptx());
    CHECK(compiled.plan.kernels[0].recursive == (std::string(name) == "recursive"));
  }
}

TEST_CASE("every operation of every format assembles and passes the audit", "[targets]") {
  for (const auto semantics : {&float_code(), &fpsan_code(numerics::fpsan::now)}) {
    const bool is_float = semantics == &float_code();
    const auto known = [&](Scalar scalar) { return has_format(is_float ? "float" : "fpsan", scalar); };
    for (Scalar scalar : float_scalars) {
      if (!known(scalar)) continue;
      Circuit c;
      auto& m = c.module;
      const IndexId n = c.dimension("n");
      const NodeId x = c.parameter("x", scalar, {n}), y = c.parameter("y", scalar, {n});
      c.result(c.map({n}, [&](const std::vector<VariableId>& i) {
        const NodeId a = m.element(x, {c.at(i[0])}), b = m.element(y, {c.at(i[0])});
        NodeId total = m.index_value(c.at(i[0]), scalar);
        auto use = [&](NodeId value) { total = m.apply(Op::max, {total, m.apply(Op::min, {value, a})}); };
        for (Op op : {Op::add, Op::sub, Op::mul, Op::div, Op::rem, Op::copysign}) use(m.apply(op, {a, b}));
        for (Op op : {Op::neg, Op::abs, Op::sqrt, Op::sign, Op::floor, Op::ceil, Op::trunc, Op::round})
          use(m.apply(op, {a}));
        if (is_float) {
          for (Op op : {Op::minnum, Op::maxnum}) use(m.apply(op, {a, b}));
          use(m.apply(Op::clamp, {a, b, total}));
        }
        if (is_float) {
          for (Op op : elementary_operations(1)) use(m.apply(op, {a}));
          for (Op op : elementary_operations(2)) use(m.apply(op, {a, b}));
        }
        if (!is_float) {
          for (Op op : {Op::exp, Op::rsqrt}) use(m.apply(op, {a}));
        }
        use(m.apply(Op::fma, {a, b, total}));
        for (Scalar other : float_scalars) {
          if (known(other)) use(m.convert(m.convert(a, other), scalar));
        }
        return m.apply(Op::select, {m.apply(Op::less, {a, b}), total, a});
      }));
      check_chips(c, std::string(ir::scalar_name(scalar)).c_str(), semantics);
    }
  }
}

TEST_CASE("each function alone passes the audit") {
  std::vector<Op> operations = elementary_operations(1);
  operations.push_back(Op::rsqrt);
  for (const Op op : elementary_operations(2)) operations.push_back(op);
  for (const Scalar scalar : {Scalar::f64, Scalar::f32}) {
    for (const Op op : operations) {
      INFO(ir::traits(op).spelling << " of " << ir::scalar_name(scalar));
      Circuit c;
      const IndexId n = c.dimension("n");
      const NodeId x = c.parameter("x", scalar, {n});
      c.result(c.map({n}, [&](const std::vector<VariableId>& i) {
        const NodeId a = c.module.element(x, {c.at(i[0])});
        return ir::traits(op).arity == 1 ? c.module.apply(op, {a}) : c.module.apply(op, {a, a});
      }));
      must_compile(c, ptx());
    }
  }
}

TEST_CASE("without fma in the program there is none in the PTX") {
  for (Scalar scalar : {Scalar::f64, Scalar::f32, Scalar::f16, Scalar::bf16}) {
    Circuit c;
    auto& m = c.module;
    const IndexId n = c.dimension("n");
    const NodeId x = c.parameter("x", scalar, {n});
    c.result(c.reduce(Op::add, n, c.seq(), [&](VariableId i) {
      return m.apply(Op::mul, {m.element(x, {c.at(i)}), m.element(x, {c.at(i)})});
    }));
    for (const char* arch : {"sm_75", "sm_80", "sm_90", "sm_100"}) must_compile(c, ptx(arch));
    CHECK(must_compile(c, ptx()).assembly.find("fma") == std::string::npos);
  }
}

TEST_CASE("arrays on the stack of functions that call others lie at an address for each lane") {
  // What ptxas takes for the whole warp's it may lose in a call (codegen/ptx/stack_arrays.h).
  for (const bool calls : {false, true}) {
    Circuit c;
    auto& schedules = c.schedules();
    const ir::SymbolId name = c.module.symbol("half");
    const VariableId n = c.module.fresh_variable();
    const ScheduleId self = schedules.reference(name);
    schedules.define(
        name, schedules.length(
                  n, schedules.conditional(c.index().less(c.at(n), c.constant(9)), c.halving(),
                                           schedules.split(c.index().floor_div(c.at(n), c.constant(2)), self, self))));
    c.result(sum_by(c, calls ? self : c.halving()));
    const std::string text = must_compile(c, ptx()).assembly;
    std::size_t arrays = 0;
    for (std::size_t at = 0; (at = text.find(".local .align", at)) != std::string::npos; ++arrays) {
      const std::size_t end = text.find("\n}", at);
      CHECK((text.substr(at, end - at).find("%lanemask_lt") != std::string::npos) == calls);
      at = end;
    }
    CHECK(arrays == 1);
  }
}

TEST_CASE("a power of two is put on an f64's exponent in its upper word") {
  Circuit c;
  const IndexId n = c.dimension("n");
  const NodeId x = c.parameter("x", Scalar::f32, {n});
  c.result(c.map({n}, [&](const std::vector<VariableId>& i) {
    return c.module.apply(Op::exp, {c.module.element(x, {c.at(i[0])})});
  }));
  const std::string text = must_compile(c, ptx()).assembly;
  const std::regex in_64_bits("shl\\.b64[^\\n]*, 52;"), in_32_bits("shl\\.b32[^\\n]*, 20;");
  CHECK_FALSE(std::regex_search(text, in_64_bits));
  CHECK(std::regex_search(text, in_32_bits));
}

TEST_CASE("PTX does not change from one run to the next") {
  std::string first;
  for (int k = 0; k < 2; ++k) {
    Circuit c;
    c.result(sum_by(c, c.schedules().default_order()));
    const std::string text = must_compile(c, ptx()).assembly;
    if (k == 0) first = text;
    CHECK(text == first);
  }
}

TEST_CASE("ptxas reports its first error") {
  const PtxasResult result = check_with_ptxas(".version 7.8\n.target sm_90\n.address_size 64\nbanana\n", "sm_90");
  if (result.status == PtxasResult::Status::missing) return;
  CHECK(result.status == PtxasResult::Status::rejected);
  CHECK(result.message.find("line 4") != std::string::npos);
}

}  // namespace reckon::codegen::testing
