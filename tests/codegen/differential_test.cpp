// Random circuits: compiled for the host and interpreted, the same bits.
#include "tests/codegen/program.h"

namespace reckon::codegen::testing {
namespace {

/// Grows an expression of one format over elements of x[n, m] at (i, j), with reductions inside.
class Grower {
 public:
  Grower(Circuit& c, Random& random, NodeId x, IndexId n, IndexId m, Scalar scalar)
      : c_(c), random_(random), x_(x), n_(n), m_(m), scalar_(scalar) {}

  NodeId grow(int depth, const std::vector<VariableId>& rows, const std::vector<VariableId>& columns) {
    auto& m = c_.module;
    if (depth == 0 || random_.below(8) == 0) {
      switch (random_.below(6)) {
        case 0: return m.rational(mpq_class(static_cast<long>(random_.below(9)) - 4, 3), scalar_);
        case 1: return m.index_value(any(rows), scalar_);
        default: return m.element(x_, {any(rows), any(columns)});
      }
    }
    switch (random_.below(9)) {
      case 0: return m.apply(Op::add, {grow(depth - 1, rows, columns), grow(depth - 1, rows, columns)});
      case 1: return m.apply(Op::sub, {grow(depth - 1, rows, columns), grow(depth - 1, rows, columns)});
      case 2: return m.apply(Op::mul, {grow(depth - 1, rows, columns), grow(depth - 1, rows, columns)});
      case 3: return m.apply(Op::div, {grow(depth - 1, rows, columns), grow(depth - 1, rows, columns)});
      case 4: return m.apply(Op::max, {grow(depth - 1, rows, columns), grow(depth - 1, rows, columns)});
      case 5: {
        const NodeId a = grow(depth - 1, rows, columns), b = grow(depth - 1, rows, columns);
        return m.apply(Op::select, {m.apply(Op::less, {a, b}), b, a});
      }
      case 6:
        return m.apply(Op::fma, {grow(depth - 1, rows, columns), grow(depth - 1, rows, columns),
                                 grow(depth - 1, rows, columns)});
      default: {
        const bool over_rows = random_.below(2) == 0;
        const Op op = random_.below(3) == 0 ? Op::min : Op::add;
        return c_.reduce(op, over_rows ? n_ : m_, schedule(2), [&](VariableId v) {
          auto r = rows, s = columns;
          (over_rows ? r : s).push_back(v);
          return grow(depth - 1, r, s);
        });
      }
    }
  }

  ScheduleId schedule(int depth) {
    switch (random_.below(depth == 0 ? 3 : 6)) {
      case 0: return c_.seq();
      case 1: return c_.tree();
      case 2: return c_.halving();
      case 3:
        return c_.split(1 + static_cast<std::int64_t>(random_.below(6)), schedule(depth - 1), schedule(depth - 1));
      case 4:
        return c_.then(c_.tile(1 + static_cast<std::int64_t>(random_.below(5)), schedule(depth - 1)),
                       schedule(depth - 1));
      default:
        return c_.then(c_.lanes(1 + static_cast<std::int64_t>(random_.below(9)), schedule(depth - 1)),
                       schedule(depth - 1));
    }
  }

 private:
  IndexId any(const std::vector<VariableId>& variables) {
    return variables.empty() ? c_.constant(0) : c_.at(variables[random_.below(variables.size())]);
  }

  Circuit& c_;
  Random& random_;
  NodeId x_;
  IndexId n_, m_;
  Scalar scalar_;
};

}  // namespace

TEST_CASE("random circuits give the interpreter's bits") {
  for (std::uint64_t seed = 0; seed < 4 * std::size(float_scalars); ++seed) {
    Random random(seed);
    Circuit c;
    const Scalar scalar = float_scalars[seed % std::size(float_scalars)];
    const IndexId n = c.dimension("n"), m = c.dimension("m");
    const NodeId x = c.parameter("x", scalar, {n, m});
    Grower grower(c, random, x, n, m, scalar);
    c.result(c.map({n, m}, [&](const std::vector<VariableId>& v) { return grower.grow(4, {v[0]}, {v[1]}); }));
    INFO("seed " << seed);
    const char* name = seed % 3 == 2 && has_format("fpsan", scalar) ? "fpsan" : "float";
    agree(c, {ordinary(scalar, {3, 5}, seed)}, name);
    agree(c, {edgy(scalar, {6, 2}, seed)}, name);
  }
}

TEST_CASE("random circuits assemble for PTX") {
  for (std::uint64_t seed = 100; seed < 112; ++seed) {
    Random random(seed);
    Circuit c;
    const IndexId n = c.dimension("n"), m = c.dimension("m");
    const NodeId x = c.parameter("x", Scalar::f32, {n, m});
    Grower grower(c, random, x, n, m, Scalar::f32);
    c.result(c.map({n, m}, [&](const std::vector<VariableId>& v) { return grower.grow(3, {v[0]}, {v[1]}); }));
    INFO("seed " << seed);
    const Compiled compiled = must_compile(c, ptx());
    const PtxasResult result = check_with_ptxas(compiled.assembly, "sm_90");
    CHECK(result.status != PtxasResult::Status::rejected);
  }
}

}  // namespace reckon::codegen::testing
