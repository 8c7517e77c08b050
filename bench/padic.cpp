// The ring `padic`: nanoseconds an operation on arrays.
#include <cstdio>
#include <vector>

#include "bench/measure.h"
#include "numerics/padic/padic.h"

namespace {

namespace padic = reckon::numerics::padic;

template <class Work>
void speed(const char* name, Work work) {
  constexpr std::size_t n = 4096;
  std::vector<padic::Value> a(n), b(n), out(n);
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = padic::random_value(i, padic::Sign::positive);
    b[i] = padic::random_value(i + n, padic::Sign::positive);
  }
  const double seconds = reckon::bench::median_seconds(21, [&] {
    for (std::size_t i = 0; i < n; ++i) out[i] = work(a[i], b[i]);
    reckon::bench::keep(out.data());
  });
  std::printf("%-6s %6.1f ns\n", name, seconds / n * 1e9);
}

}  // namespace

int main() {
  speed("add", [](const auto& x, const auto& y) { return padic::add(x, y); });
  speed("mul", [](const auto& x, const auto& y) { return padic::mul(x, y); });
  speed("fma", [](const auto& x, const auto& y) { return padic::fma(x, y, x); });
  speed("div", [](const auto& x, const auto& y) { return padic::div(x, y); });
  speed("exp", [](const auto& x, const auto&) { return padic::exp(x); });
  speed("log", [](const auto& x, const auto&) { return padic::log(x); });
  speed("sqrt", [](const auto& x, const auto&) { return padic::sqrt(x); });
  speed("sin", [](const auto& x, const auto&) { return padic::sin(x); });
  speed("max", [](const auto& x, const auto& y) { return padic::max(x, y); });
  speed("erf", [](const auto& x, const auto&) { return padic::erf(x); });
}
