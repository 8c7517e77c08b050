// How tight bounds of a sum are: bound over error, the median and the largest, for inputs of several classes, and the
// range form's known case. Errors are exact (GMP's rationals).
//   bench_bounds [REPETITIONS]      of each class and order (default 300)
#include <gmpxx.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "bench/measure.h"
#include "interp/evaluate.h"
#include "ir/op.h"
#include "ir/schedule/bounds.h"
#include "ir/schedule/shared_shape.h"
#include "semantics/standard.h"

namespace {

using namespace reckon;
using ir::Scalar;

constexpr std::int64_t length = 256;
constexpr const char* classes[] = {"random", "cancelling", "subnormal", "mixed magnitudes"};
constexpr const char* bounds[] = {"classical", "Jeannerod-Rump", "per leaf", "a posteriori"};

/// 256 values: uniform in [-1, 1); the same in pairs that cancel but for their last bits; of the least normal's size;
/// of 2^-40 to 1.
ir::HostTensor draw(int of_class, Scalar scalar, std::mt19937_64& random) {
  const auto format = ir::format_of(scalar);
  ir::HostTensor out(scalar, {length});
  for (std::int64_t i = 0; i < length; ++i) {
    double value = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
    if (of_class == 2) value = std::ldexp(value, numerics::traits(format).emin + 2 - static_cast<int>(random() % 5));
    if (of_class == 3) value = std::ldexp(value, -static_cast<int>(random() % 40));
    std::uint64_t bits = numerics::round_f64(value, format);
    if (of_class == 1 && i % 2 != 0) bits = (out.bits(i - 1) ^ numerics::sign_bit(format)) ^ (random() % 4);
    out.set_bits(i, bits);
  }
  for (std::int64_t i = length - 1; i > 0; --i) {
    const auto k = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(i + 1));
    const std::uint64_t bits = out.bits(i);
    out.set_bits(i, out.bits(k));
    out.set_bits(k, bits);
  }
  return out;
}

struct Sum {
  ir::Module module;
  ir::Function function;
  std::vector<int> depths;  ///< of the leaves

  Sum(Scalar scalar, ir::ScheduleOp order) {
    const ir::IndexId extent = module.indices().constant(length);
    const ir::ScheduleId schedule = module.schedules().simple(order);
    const ir::TypeId type = module.types().tensor(scalar, {extent});
    function.parameters.push_back({module.symbol("x"), type, {}});
    ir::Module::Fold fold;
    fold.variable = module.fresh_variable();
    fold.extent = extent;
    fold.operation = ir::Op::add;
    fold.schedule = schedule;
    fold.body = module.element(module.parameter(0, type), {module.indices().variable(fold.variable)});
    function.body = module.reduce(fold);
    function.name = module.symbol("sum");
    function.result = module[function.body].type;
    depths.resize(length);
    walk(module.schedules().expand(schedule, length).tree, 0);
  }
  void walk(ir::TreeId id, int depth) {
    const ir::TreeNode node = module.schedules().trees()[id];
    if (node.leaf >= 0) {
      depths[static_cast<std::size_t>(node.leaf)] = depth;
      return;
    }
    walk(node.left, depth + 1);
    walk(node.right, depth + 1);
  }
};

void table(Scalar scalar, ir::ScheduleOp order, const char* name, int repetitions) {
  Sum sum(scalar, order);
  auto semantics = std::move(*interp::make_semantics("bound", {}, {}));
  ir::Accumulation how;
  how.format = ir::format_of(scalar);
  std::mt19937_64 random(7);
  for (int of_class = 0; of_class < 4; ++of_class) {
    std::vector<double> ratios[4];
    int exact_sums = 0;
    for (int k = 0; k < repetitions; ++k) {
      const ir::HostTensor x = draw(of_class, scalar, random);
      auto values = interp::evaluate(sum.module, sum.function, *semantics, {x}, {});
      if (!values) std::abort();
      const auto* result = values->front().at(0);
      mpq_class exact = 0, magnitudes = 0, by_leaf = 0;
      for (std::int64_t i = 0; i < length; ++i) {
        const mpq_class leaf = *numerics::exact_value(x.bits(i), how.format);
        exact += leaf;
        magnitudes += abs(leaf);
        by_leaf += ir::growth_factor(sum.depths[static_cast<std::size_t>(i)], how) * abs(leaf);
      }
      const mpq_class error = abs(*numerics::exact_value(*semantics->bits(scalar, result), how.format) - exact);
      const mpq_class stated[] = {ir::growth_factor(length - 1, how) * magnitudes,
                                  ir::any_order_factor(length, how) * magnitudes, by_leaf,
                                  *semantics->error_bound(scalar, result)};
      if (error == 0) {
        ++exact_sums;
        continue;
      }
      for (int b = 0; b < 4; ++b) {
        if (stated[b] < error) {
          std::printf("UNSOUND: %s\n", bounds[b]);
          std::exit(1);
        }
        ratios[b].push_back(mpq_class(stated[b] / error).get_d());
      }
    }
    std::printf("  %-4s %-5s %-17s", std::string(ir::scalar_name(scalar)).c_str(), name, classes[of_class]);
    for (auto& ratio : ratios) {
      std::sort(ratio.begin(), ratio.end());
      if (ratio.empty()) std::printf("  %18s", "-");
      else std::printf("  %8.4g (%7.2g)", ratio[ratio.size() / 2], ratio.back());
    }
    std::printf("  %5d\n", exact_sums);
  }
}

/// 1024 f64 values in [-1, 1] by `tree`: Satire (SC 2020) has 1.25e-12 in 30 s, TorchLean's theorem 1.16e-10.
bool satire() {
  mpq_class bound;
  const double seconds = bench::median_seconds(51, [&] {
    ir::Module module;
    const auto shape = ir::shape_of(module.schedules(), module.schedules().simple(ir::ScheduleOp::tree), 1024);
    bound = *ir::range_bound(module.schedules().trees(), shape.tree, {-1, 1, 0, 0}, {});
  });
  const bool good = bound <= mpq_class("57/100000000000000") && seconds < 1e-3;
  std::printf(
      "1024 f64 values in [-1, 1] by tree, range form: %.3g in %.3f ms (Satire 1.25e-12 in 30 s, TorchLean "
      "1.16e-10)%s\n",
      bound.get_d(), seconds * 1e3, good ? "" : "  NOT WHAT IT SHOULD BE: 5.7e-13 in 1 ms");
  return good;
}

}  // namespace

int main(int count, char** arguments) {
  const int given = count > 1 ? std::atoi(arguments[1]) : 0;  // `./dev bench` gives the program's path
  const int repetitions = given > 0 ? given : 300;
  std::printf("bounds of sums of %d values, %d of each class: bound / error, median (largest)\n",
              static_cast<int>(length), repetitions);
  std::printf("  %-28s", "");
  for (const char* name : bounds) std::printf("  %18s", name);
  std::printf("  error 0\n");
  for (Scalar scalar : {Scalar::f64, Scalar::f32, Scalar::f16, Scalar::bf16}) {
    table(scalar, ir::ScheduleOp::tree, "tree", repetitions);
    table(scalar, ir::ScheduleOp::seq, "seq", repetitions);
  }
  return satire() ? 0 : 1;
}
