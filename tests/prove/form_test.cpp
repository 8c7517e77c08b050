// Normal forms as text: what the rules of docs/algebra.md make of small circuits.
#include "prove/text.h"

#include "prove/reader.h"
#include "tests/prove/pair.h"

using namespace reckon;
using namespace reckon::normal;

namespace {

/// The form of a circuit over x and y.
std::string form(const std::string& body) {
  const std::string head = "(x: f64[n], y: f64[n]) -> f64 = ";
  Pair pair("fn f" + head + body + "\nfn g" + head + "x[0]\n");
  ir::Module& module = pair.session.module();
  ir::normal::Terms terms(module, {});
  ir::normal::Reader reader(module, terms);
  const auto id = reader.scalar(pair.f->body);
  return terms.failed() ? "none" : ir::normal::text(module, terms, id);
}

}  // namespace

TEST_CASE("normal forms") {
  CHECK(form("x[0] + 2 * x[0]") == "3*x0[0]");
  CHECK(form("x[0] / x[0]") == "1");
  CHECK(form("exp(x[0]) * exp(x[1]) / exp(x[0])") == "e^(x0[1])");
  CHECK(form("sum i < n: x[n - 1 - i] * y[n - 1 - i]") == "sum[%0<n](x0[%0]*x1[%0])");
  CHECK(form("sum i < n: 2 * x[0]") == "2*x0[0]*n");
  CHECK(form("sum i < n: f64(i)") == "-1/2*n + 1/2*n^2");
  CHECK(form("(sum i: x[i]) * (sum j: y[j])") == "sum[%0<n](x0[%0])*sum[%0<n](x1[%0])");
  CHECK(form("sum i: (sum j: x[i] * y[j])") == "sum[%0<n](x1[%0])*sum[%0<n](x0[%0])");
  CHECK(form("sum i < n: (sum j < i + 1: x[j] else 0)") == form("sum i < n: (sum j < n: select(j < i + 1, x[j], 0))"));
  CHECK(form("f64(inf)") == "none");
  CHECK(form("1 / (x[0] - x[0])") == "none");
}
