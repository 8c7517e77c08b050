// States of tensors whose elements depend on other elements, against loops written here in the same order; the
// interpreter and the host.
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <random>

#include "api/reckon/reckon.h"

using namespace reckon;

namespace {

using Row = std::vector<float>;

const char* const rounds_program = R"(
fn step(u: f32[n]) -> f32[n] = for i: u[i] + 0.25 * (u[max(i - 1, 0)] - 2 * u[i] + u[min(i + 1, n - 1)])
fn heat[k](u: f32[n]) -> f32[n] = iterate(k, step, u)
fn heat_0(u: f32[n]) -> f32[n] = heat[0](u)
fn heat_1(u: f32[n]) -> f32[n] = heat[1](u)
fn heat_10(u: f32[n]) -> f32[n] = heat[10](u)
fn by_rows(u: f32[b, n]) -> f32[b, n] = for r, i: heat[7](for l < n: u[r, l])[i]

fn times(p: f32[d, d], q: f32[d, d]) -> f32[d, d] = for i, j: sum l: p[i, l] * q[l, j] by seq
fn chain(a: f32[k, d, d]) -> f32[d, d] = reduce(times) m: (for i < d, j < d: a[m, i, j]) by seq
fn chosen(a: f32[k, d, d]) -> f32[d, d] =
  reduce(times) m where a[m, 0, 0] > 0: (for i < d, j < d: a[m, i, j]) by seq else for i < d, j < d: f32(7)

fn push(s: f32[n], row: f32[n]) -> f32[n] = for i: s[n - 1 - i] / 2 + row[i]
fn pushed(rows: f32[b, n]) -> f32[n] = fold(push, for i < n: f32(1)) r: (for i < n: rows[r, i])
fn pushed_some(rows: f32[b, n]) -> f32[n] =
  fold(push, for i < n: f32(1)) r where rows[r, 0] > 0: (for i < n: rows[r, i])

# A vector and a number; the next vector needs the sum of the present one.
fn centred(s: (f32[n], f32)) -> (f32[n], f32) {
  let (u, top) = s;
  let mean = (sum i: u[i] by seq) / f32(n);
  (for i < n: u[(i + 1) % n] - mean, max(top, mean))
}
fn pair(u: f32[n]) -> (f32[n], f32) = iterate(5, centred, (u, f32(-9)))

fn calm(u: f32[n]) -> bool = (max i: abs(u[i])) < 1.25
fn settled(u: f32[n]) -> f32[n] = until(step, calm, u, at_most 40)
fn twice(u: f32[n]) -> f32[n] = iterate(3, heat[2], u)
fn numbered(s: f32[n], t: f32) -> f32[n] = for i: s[n - 1 - i] * 0.5 + t
fn counted(u: f32[n]) -> f32[n] = fold(numbered, u) t < 6: f32(t * n)
# In round t the scan has t + 1 elements.
fn grown(u: f32[n]) -> f32[n] = fold(numbered, u) t < 6: { let v = scan(add) j < (t + 1): u[j % n] by seq; v[0] + v[t // 2] }
fn every_count(u: f32[n]) -> f32[6, n] = scan(numbered, u) t < 6: f32(t * n)
fn every_product(a: f32[k, d, d]) -> f32[k, d, d] = scan(times) m: (for i < d, j < d: a[m, i, j]) by seq
fn every_pair(u: f32[n]) -> (f32[5, n], f32[5]) = scan(after, (u, f32(-9))) t < 5: f32(t)
fn after(s: (f32[n], f32), t: f32) -> (f32[n], f32) = centred(s)
fn every_row(rows: f32[b, n]) -> f32[b, n] = scan(push, for i < n: f32(1)) r: (for i < n: rows[r, i])
)";

Row step(const Row& u) {
  const std::size_t n = u.size();
  Row out(n);
  for (std::size_t i = 0; i < n; ++i) {
    const float left = u[i == 0 ? 0 : i - 1], right = u[i + 1 == n ? i : i + 1];
    const float twice = 2 * u[i], inner = left - twice, sum = inner + right, part = 0.25f * sum;
    out[i] = u[i] + part;
  }
  return out;
}

Row heat(Row u, int k) {
  while (k-- > 0) u = step(u);
  return u;
}

Row times(const Row& p, const Row& q, std::size_t d) {
  Row out(d * d);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      float sum = p[i * d] * q[j];
      for (std::size_t l = 1; l < d; ++l) {
        const float product = p[i * d + l] * q[l * d + j];
        sum = sum + product;
      }
      out[i * d + j] = sum;
    }
  }
  return out;
}

Row part(const Row& all, std::size_t k, std::size_t size) {
  return {all.begin() + static_cast<std::ptrdiff_t>(k * size),
          all.begin() + static_cast<std::ptrdiff_t>((k + 1) * size)};
}

Row push(const Row& s, const Row& row) {
  Row out(s.size());
  for (std::size_t i = 0; i < s.size(); ++i) {
    const float half = s[s.size() - 1 - i] / 2;
    out[i] = half + row[i];
  }
  return out;
}

struct Machine {
  Session& session;
  On on;

  std::vector<Tensor> results(const std::string& circuit, const Row& argument,
                              const std::vector<std::int64_t>& shape) const {
    CallOptions options;
    options.on = on;
    const auto out = session.call(circuit, {Tensor::of<float>(argument, shape)}, options);
    if (!out) FAIL(circuit << ": " << out.messages().front().text);
    std::vector<Tensor> tensors;
    for (const auto& each : *out) tensors.push_back(*each.tensor);
    return tensors;
  }
  Row operator()(const std::string& circuit, const Row& argument, const std::vector<std::int64_t>& shape) const {
    return results(circuit, argument, shape)[0].as<float>();
  }
};

Row numbers(std::mt19937& random, std::size_t count) {
  std::uniform_real_distribution<float> number(-1.5f, 1.5f);
  Row out(count);
  for (float& each : out) each = number(random);
  return out;
}

}  // namespace

TEST_CASE("states that combine different places go on round by round") {
  Session session;
  REQUIRE(session.load(rounds_program));
  std::mt19937 random(11);
  for (const std::int64_t n : {1, 2, 65, 100, 1500}) {
    const auto count = static_cast<std::size_t>(n);
    const Row u = numbers(random, count), rows = numbers(random, 3 * count);
    for (const On on : {On::interpreter, On::host}) {
      INFO("n = " << n << ", on the host: " << (on == On::host));
      const Machine run{session, on};
      for (const int k : {0, 1, 10}) CHECK(run("heat_" + std::to_string(k), u, {n}) == heat(u, k));
      CHECK(run("twice", u, {n}) == heat(u, 6));
      Row grown = u;
      for (std::size_t t = 0; t < 6; ++t) {
        float prefix = u[0];
        for (std::size_t j = 1; j <= t / 2; ++j) prefix = prefix + u[j % count];
        const float added = u[0] + prefix;
        Row next(count);
        for (std::size_t i = 0; i < count; ++i) {
          const float half = grown[count - 1 - i] * 0.5f;
          next[i] = half + added;
        }
        grown = next;
      }
      CHECK(run("grown", u, {n}) == grown);
      Row each;
      for (std::size_t r = 0; r < 3; ++r) {
        const Row last = heat(part(rows, r, count), 7);
        each.insert(each.end(), last.begin(), last.end());
      }
      CHECK(run("by_rows", rows, {3, n}) == each);

      Row all(count, 1), some(count, 1), every;
      for (std::size_t r = 0; r < 3; ++r) {
        const Row row = part(rows, r, count);
        all = push(all, row);
        every.insert(every.end(), all.begin(), all.end());
        if (row[0] > 0) some = push(some, row);
      }
      CHECK(run("pushed", rows, {3, n}) == all);
      CHECK(run("pushed_some", rows, {3, n}) == some);
      CHECK(run("every_row", rows, {3, n}) == every);

      Row vector = u, vectors, tops;
      float top = -9;
      for (int k = 0; k < 5; ++k) {
        float sum = vector[0];
        for (std::size_t i = 1; i < count; ++i) sum += vector[i];
        const float mean = sum / static_cast<float>(n);
        Row next(count);
        for (std::size_t i = 0; i < count; ++i) next[i] = vector[(i + 1) % count] - mean;
        vector = next;
        top = std::max(top, mean);
        vectors.insert(vectors.end(), vector.begin(), vector.end());
        tops.push_back(top);
      }
      const auto pair = run.results("pair", u, {n});
      CHECK(pair[0].as<float>() == vector);
      CHECK(pair[1].as<float>() == Row{top});
      const auto pairs = run.results("every_pair", u, {n});
      CHECK(pairs[0].as<float>() == vectors);
      CHECK(pairs[1].as<float>() == tops);

      Row settled = u;
      const auto calm = [&] { return std::ranges::all_of(settled, [](float each) { return std::abs(each) < 1.25f; }); };
      for (int k = 0; k < 40 && !calm(); ++k) settled = step(settled);
      CHECK(run("settled", u, {n}) == settled);

      Row counted = u, counts;
      for (std::int64_t t = 0; t < 6; ++t) {
        Row next(count);
        for (std::size_t i = 0; i < count; ++i) {
          const float half = counted[count - 1 - i] * 0.5f;
          next[i] = half + static_cast<float>(t * n);
        }
        counted = next;
        counts.insert(counts.end(), next.begin(), next.end());
      }
      CHECK(run("counted", u, {n}) == counted);
      CHECK(run("every_count", u, {n}) == counts);
    }
  }
}

TEST_CASE("products of matrices are taken in order, of those that take part") {
  Session session;
  REQUIRE(session.load(rounds_program));
  std::mt19937 random(12);
  for (const std::int64_t k : {1, 2, 5}) {
    for (const std::int64_t d : {1, 9, 20}) {
      const auto size = static_cast<std::size_t>(d * d);
      const Row a = numbers(random, static_cast<std::size_t>(k) * size);
      Row product = part(a, 0, size), products = product;
      for (std::size_t m = 1; m < static_cast<std::size_t>(k); ++m) {
        product = times(product, part(a, m, size), d);
        products.insert(products.end(), product.begin(), product.end());
      }
      std::optional<Row> chosen;
      for (std::size_t m = 0; m < static_cast<std::size_t>(k); ++m) {
        const Row matrix = part(a, m, size);
        if (matrix[0] > 0) chosen = chosen ? times(*chosen, matrix, d) : matrix;
      }
      for (const On on : {On::interpreter, On::host}) {
        INFO(k << " of " << d << ", on the host: " << (on == On::host));
        const Machine run{session, on};
        CHECK(run("chain", a, {k, d, d}) == product);
        CHECK(run("every_product", a, {k, d, d}) == products);
        CHECK(run("chosen", a, {k, d, d}) == chosen.value_or(Row(size, 7)));
      }
    }
  }
}

TEST_CASE("a reduction of no tensors is an error, or what `else` says") {
  Session session;
  REQUIRE(session.load(rounds_program));
  for (const On on : {On::interpreter, On::host}) {
    CallOptions options;
    options.on = on;
    const auto none = session.call("chain", {Tensor::of<float>(Row{}, {0, 9, 9})}, options);
    REQUIRE_FALSE(none);
    CHECK(none.messages().front().text.find("this reduction has no elements") != std::string::npos);
    const auto other = session.call("chosen", {Tensor::of<float>(Row{}, {0, 3, 3})}, options);
    REQUIRE(other);
    CHECK(other->front().tensor->as<float>() == Row(9, 7));
    for (const char* each : {"every_product", "every_row"}) {
      const bool rows = each == std::string("every_row");
      const std::vector<std::int64_t> shape =
          rows ? std::vector<std::int64_t>{0, 9} : std::vector<std::int64_t>{0, 9, 9};
      const auto prefixes = session.call(each, {Tensor::of<float>(Row{}, shape)}, options);
      REQUIRE(prefixes);
      CHECK(prefixes->front().tensor->shape == shape);
    }
    const auto start = session.call("pushed", {Tensor::of<float>(Row{}, {0, 3})}, options);
    REQUIRE(start);
    CHECK(start->front().tensor->as<float>() == Row(3, 1));
  }
}
