// Interval arithmetic over arrays, nanoseconds per element on one core: through the interpreter's kernels, and compiled
// for the host, next to MPFI (53 bits) and Boost.Interval where they are installed. Boost's exp is the C library's
// under a changed rounding mode, which no library promises to be an enclosure.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "bench/measure.h"
#include "codegen/compile.h"
#include "interp/semantics.h"
#include "ir/op.h"
#include "semantics/interval/compiled.h"
#include "semantics/standard.h"

#if __has_include(<mpfi.h>) && defined(RECKON_BENCH_MPFI)
#include <mpfi.h>
#define HAVE_MPFI 1
#else
#define HAVE_MPFI 0
#endif
#if __has_include(<boost/numeric/interval.hpp>)
#include <boost/numeric/interval.hpp>
#define HAVE_BOOST 1
#else
#define HAVE_BOOST 0
#endif

namespace {

using namespace reckon;

struct Endpoints {
  double low, high;
};
constexpr std::size_t count = 1024;  // a batch of the interpreter

/// Thin and wide, of both signs unless `positive`.
std::vector<Endpoints> operands(unsigned seed, bool positive) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> magnitude(0.25, 8), width(0, 1);
  std::vector<Endpoints> out;
  for (std::size_t i = 0; i < count; ++i) {
    const double middle = magnitude(random) * (!positive && random() % 2 ? -1 : 1);
    const double half = i % 2 ? std::fabs(middle) * 0x1p-40 : width(random) * (positive ? 0.2 : 1.5);
    out.push_back({middle - half, middle + half});
  }
  return out;
}

/// The time of one element, the whole array done again and again.
template <class Work>
double nanoseconds(Work&& work) {
  int repeat = 1;
  while (bench::median_seconds(1, [&] { for (int k = 0; k < repeat; ++k) work(); }) < 0.01) repeat *= 2;
  return 1e9 * bench::median_seconds(7, [&] { for (int k = 0; k < repeat; ++k) work(); }) / repeat / count;
}

double ours(const char* argument, ir::Op op, const std::vector<Endpoints>& a, const std::vector<Endpoints>& b) {
  auto semantics = interp::make_semantics("interval", {{argument}}, {});
  std::vector<Endpoints> out(count);
  std::vector<float> narrow_a, narrow_b;
  interp::Rows rows[2] = {{reinterpret_cast<const std::byte*>(a.data()), count},
                          {reinterpret_cast<const std::byte*>(b.data()), count}};
  if (std::string_view(argument) == "f32") {
    for (std::size_t i = 0; i < count; ++i) {
      for (double x : {a[i].low, a[i].high}) narrow_a.push_back(static_cast<float>(x));
      for (double x : {b[i].low, b[i].high}) narrow_b.push_back(static_cast<float>(x));
    }
    rows[0].data = reinterpret_cast<const std::byte*>(narrow_a.data());
    rows[1].data = reinterpret_cast<const std::byte*>(narrow_b.data());
  }
  return nanoseconds([&] {
    if ((*semantics)->apply(op, ir::Scalar::f64, ir::Scalar::f64, rows, reinterpret_cast<std::byte*>(out.data()), count,
                            1, count)) {
      std::exit(1);
    }
    bench::keep(out.data());
  });
}

/// The kernel of `for i: t[i] op u[i]`, t and u intervals of kernels before it; 0 if it is not compiled.
double compiled(ir::Op op, const std::vector<Endpoints>& a, const std::vector<Endpoints>& b) {
  ir::Module module;
  const ir::SymbolId name = module.symbol("n");
  const ir::IndexId n = module.indices().dimension(name);
  const ir::TypeId type = module.types().tensor(ir::Scalar::f64, {n});
  ir::Function function;
  function.name = module.symbol("f");
  function.dimensions = {name};
  const auto map = [&](auto&& body) {
    const ir::VariableId i = module.fresh_variable();
    return module.map({i}, {n}, body(module.indices().variable(i)));
  };
  std::vector<ir::NodeId> tensors;
  for (std::uint32_t k = 0; k < 2; ++k) {
    function.parameters.push_back({module.symbol(k == 0 ? "x" : "y"), type, {}});
    const ir::NodeId parameter = module.parameter(k, type);
    tensors.push_back(map([&](ir::IndexId i) { return module.apply(ir::Op::neg, {module.element(parameter, {i})}); }));
  }
  function.body = map([&](ir::IndexId i) {
    std::vector<ir::NodeId> operands;
    for (int k = 0; k < ir::traits(op).arity; ++k) operands.push_back(module.element(tensors[static_cast<std::size_t>(k)], {i}));
    return module.apply(op, operands);
  });
  function.result = module[function.body].type;
  codegen::CompileOptions options;
  options.semantics = &codegen::interval_code();
  auto made = codegen::compile(module, function, options);
  if (!made) return 0;
  const codegen::Kernel& last = made->plan.kernels.back();
  const codegen::HostKernel kernel = codegen::host_kernel(*made, last.name);
  std::vector<Endpoints> out(count);
  std::uint64_t faults = 0;
  std::vector<void*> buffers;
  int operand = 0;
  for (const codegen::Buffer& buffer : made->plan.buffers) {
    using Role = codegen::Buffer::Role;
    const void* data = buffer.role == Role::faults         ? static_cast<const void*>(&faults)
                       : buffer.role == Role::intermediate ? static_cast<const void*>((operand++ == 0 ? a : b).data())
                                                           : static_cast<const void*>(out.data());
    buffers.push_back(const_cast<void*>(data));
  }
  const std::int64_t dimensions[] = {static_cast<std::int64_t>(count)};
  const double time = nanoseconds([&] {
    kernel(buffers.data(), dimensions, 0, dimensions[0]);
    bench::keep(out.data());
  });
  return faults == 0 ? time : 0;
}

#if HAVE_MPFI
struct Mpfi {
  std::vector<mpfi_t> values;
  explicit Mpfi(const std::vector<Endpoints>& endpoints) : values(endpoints.size()) {
    for (std::size_t i = 0; i < endpoints.size(); ++i) {
      mpfi_init2(values[i], 53);
      mpfi_interv_d(values[i], endpoints[i].low, endpoints[i].high);
    }
  }
  ~Mpfi() {
    for (auto& value : values) mpfi_clear(value);
  }
};

double mpfi(ir::Op op, const std::vector<Endpoints>& first, const std::vector<Endpoints>& second) {
  Mpfi a(first), b(second), out(first);
  return nanoseconds([&] {
    for (std::size_t i = 0; i < count; ++i) {
      switch (op) {
        case ir::Op::add: mpfi_add(out.values[i], a.values[i], b.values[i]); break;
        case ir::Op::mul: mpfi_mul(out.values[i], a.values[i], b.values[i]); break;
        case ir::Op::div: mpfi_div(out.values[i], a.values[i], b.values[i]); break;
        case ir::Op::sqrt: mpfi_sqrt(out.values[i], a.values[i]); break;
        default: mpfi_exp(out.values[i], a.values[i]); break;
      }
    }
    bench::keep(out.values.data());
  });
}
#endif

#if HAVE_BOOST
using namespace boost::numeric::interval_lib;
using Policies = policies<save_state<rounded_transc_opp<double>>, checking_base<double>>;
using Boost = boost::numeric::interval<double, Policies>;

template <class Interval>
double boost_each(ir::Op op, const std::vector<Endpoints>& first, const std::vector<Endpoints>& second) {
  std::vector<Interval> a, b, out(count);
  for (std::size_t i = 0; i < count; ++i) a.emplace_back(first[i].low, first[i].high), b.emplace_back(second[i].low, second[i].high);
  typename Boost::traits_type::rounding rounding;  // once, for those that change no mode themselves
  const auto loop = [&](auto&& operation) {
    return nanoseconds([&] {
      for (std::size_t i = 0; i < count; ++i) out[i] = operation(a[i], b[i]);
      bench::keep(out.data());
    });
  };
  switch (op) {
    case ir::Op::add: return loop([](const Interval& x, const Interval& y) { return x + y; });
    case ir::Op::mul: return loop([](const Interval& x, const Interval& y) { return x * y; });
    case ir::Op::div: return loop([](const Interval& x, const Interval& y) { return x / y; });
    case ir::Op::sqrt: return loop([](const Interval& x, const Interval&) { return sqrt(x); });
    default: return loop([](const Interval& x, const Interval&) { return exp(x); });
  }
}
#endif

}  // namespace

int main() {
  std::printf("intervals, ns per element, batches of %zu, one core\n", count);
  std::printf("  %-6s %10s %10s %10s %10s %12s %18s\n", "", "interval", "(f32)", "compiled", "MPFI", "Boost", "Boost, mode kept");
  for (const ir::Op op : {ir::Op::add, ir::Op::sub, ir::Op::mul, ir::Op::div, ir::Op::sqrt, ir::Op::exp}) {
    const std::vector<Endpoints> a = operands(1, op == ir::Op::sqrt), b = operands(2, op == ir::Op::div);
    const double mine = ours("f64", op, a, b);
    std::printf("  %-6s %10.2f %10.2f %10.2f", ir::traits(op).spelling.data(), mine, ours("f32", op, a, b), compiled(op, a, b));
    if (op == ir::Op::sub) {
      std::printf("\n");
      continue;
    }
#if HAVE_MPFI
    const double theirs = mpfi(op, a, b);
    std::printf(" %6.1f (%3.0fx)", theirs, theirs / mine);
#endif
#if HAVE_BOOST
    for (const double each : {boost_each<Boost>(op, a, b), boost_each<unprotect<Boost>::type>(op, a, b)}) {
      std::printf(" %8.2f (%4.1fx)", each, each / mine);
    }
#endif
    std::printf("\n");
  }
  if (!HAVE_MPFI) std::printf("  MPFI: not installed\n");
  if (!HAVE_BOOST) std::printf("  Boost.Interval: not installed\n");
}
