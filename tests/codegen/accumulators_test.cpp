// Accumulators and the orders below them: the words of docs/schedules.md carried out on an explicit list of
// nodes (sums rounded once: over rationals), beside the interpreter and the host's code. RECKON_TRIALS is the number of random schedules (1500 for a long run).
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "tests/codegen/program.h"
#include "tests/support/long_run.h"

namespace reckon::codegen::testing {
namespace {

using numerics::Format;

// The arithmetic: the machine's for f32 and f64, rationals for f16 and bf16.

double widened(std::uint64_t bits, Format format) {
  switch (format) {
    case Format::f64: return std::bit_cast<double>(bits);
    case Format::f32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case Format::bf16: return std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16));
    default: break;
  }
  const auto field = static_cast<int>(bits >> 10 & 31);
  const auto fraction = static_cast<double>(bits & 1023);
  const double sign = bits >> 15 ? -1 : 1;
  if (field == 31) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  return sign * (field == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, field - 25));
}

struct Machine {
  Format format;

  /// One rounding of a * b + c; `in_f64` is the same in f64, for signs of zero and special values.
  double rounded(const mpq_class& exact, double in_f64) const {
    if (exact == 0) return in_f64;
    return widened(numerics::round_rational(exact, format, numerics::Rounding::nearest_even), format);
  }
  double fma(double a, double b, double c) const {
    if (format == Format::f64) return std::fma(a, b, c);
    if (format == Format::f32) return std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));
    const double in_f64 = std::fma(a, b, c);
    if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c)) return in_f64;
    return rounded(mpq_class(a) * mpq_class(b) + mpq_class(c), in_f64);
  }
  double add(double a, double b) const {
    if (format == Format::f64) return a + b;
    if (format == Format::f32) return static_cast<float>(a) + static_cast<float>(b);
    if (!std::isfinite(a) || !std::isfinite(b)) return a + b;
    return rounded(mpq_class(a) + mpq_class(b), a + b);
  }
  double sub(double a, double b) const { return add(a, -b); }
  double mul(double a, double b) const {
    if (format == Format::f64) return a * b;
    if (format == Format::f32) return static_cast<float>(a) * static_cast<float>(b);
    if (!std::isfinite(a) || !std::isfinite(b)) return a * b;
    return rounded(mpq_class(a) * mpq_class(b), a * b);
  }
};

// Schedules, and what they do to a list.

struct Term {
  std::string name;
  std::int64_t k = 0;
  std::vector<std::int64_t> extents, strides;  // arrange: the modes of a run
  std::vector<Term> parts;
};

/// A value, a product that waits for its addition, or a sum with its compensation.
struct Item {
  double x = 0, y = 0;
  bool product = false;
};

class Model {
 public:
  explicit Model(Format format) : m_{format} {}

  double sum(const Term& term, const std::vector<Item>& leaves) { return settled(fold(term, leaves)).x; }

 private:
  Item settled(Item item) const { return item.product ? Item{m_.mul(item.x, item.y)} : item; }

  Item join(const Item& left, const Item& right) const {
    if (arithmetic_ == "neumaier") {
      const double s = m_.add(left.x, right.x), part = m_.sub(s, left.x);
      const double e = m_.add(m_.sub(left.x, m_.sub(s, part)), m_.sub(right.x, part));
      return {s, m_.add(m_.add(left.y, right.y), e)};
    }
    if (arithmetic_ == "fused") {
      if (right.product) return {m_.fma(right.x, right.y, settled(left).x)};
      if (left.product) return {m_.fma(left.x, left.y, right.x)};
    }
    return {m_.add(settled(left).x, settled(right).x)};
  }

  Item left_fold(const std::vector<Item>& items) const {
    Item all = items[0];
    for (std::size_t i = 1; i < items.size(); ++i) all = join(all, items[i]);
    return all;
  }
  Item pairwise(std::vector<Item> items) const {
    while (items.size() > 1) {
      std::vector<Item> next;
      for (std::size_t i = 0; i < items.size(); i += 2)
        next.push_back(i + 1 < items.size() ? join(items[i], items[i + 1]) : items[i]);
      items = std::move(next);
    }
    return items[0];
  }

  Item fold(const Term& term, std::vector<Item> items) {
    const auto n = static_cast<std::int64_t>(items.size());
    if (term.name == "seq") return left_fold(items);
    if (term.name == "tree") return pairwise(std::move(items));
    if (term.name == "halving") {
      std::size_t size = 1;
      while (size < items.size()) size *= 2;
      for (size /= 2; size > 0; size /= 2) {
        std::vector<Item> next(items.begin(),
                               items.begin() + static_cast<std::ptrdiff_t>(std::min(size, items.size())));
        for (std::size_t i = size; i < items.size(); ++i) next[i - size] = join(items[i - size], items[i]);
        items = std::move(next);
      }
      return items[0];
    }
    if (term.name == "blelloch") {
      std::vector<Item> blocks;
      std::int64_t first = 0;
      for (std::int64_t bit = std::int64_t{1} << 40; bit > 0; bit /= 2) {
        if ((n & bit) == 0) continue;
        blocks.push_back(pairwise({items.begin() + first, items.begin() + first + bit}));
        first += bit;
      }
      return left_fold(blocks);
    }
    if (term.name == "split") {
      if (n <= term.k) return fold(term.parts[0], items);
      const Item left = fold(term.parts[0], {items.begin(), items.begin() + term.k});
      return join(left, fold(term.parts[1], {items.begin() + term.k, items.end()}));
    }
    if (term.name == "then") return fold(term.parts[1], stage(term.parts[0], items));
    if (term.name == "kahan") {
      double s = settled(items[0]).x, c = 0;
      for (std::int64_t i = 1; i < n; ++i) {
        const double y = m_.sub(settled(items[static_cast<std::size_t>(i)]).x, c), t = m_.add(s, y);
        c = m_.sub(m_.sub(t, s), y);
        s = t;
      }
      return {s};
    }
    if (term.name == "rounded_once") return {exactly(items, 0)};
    if (term.name == "binned") return {exactly(items, term.k)};
    const std::string around = arithmetic_;
    if (term.name == "fused" && term.parts[0].name == "rounded_once") return {exactly(items, -1)};
    if (term.name == "neumaier") {
      for (Item& item : items) item = {settled(item).x, 0};
      arithmetic_ = term.name;
      const Item all = fold(term.parts[0], items);
      arithmetic_ = around;
      return {m_.add(all.x, all.y)};
    }
    arithmetic_ = term.name;  // fused
    const Item all = fold(term.parts[0], items);
    arithmetic_ = around;
    return all;  // a product that stayed alone may be absorbed by another `fused` above
  }

  /// The exact sum rounded once: of the products themselves (-1), of the leaves (0), or of the leaves on the grid of k
  /// bins below the largest.
  double exactly(const std::vector<Item>& items, std::int64_t k) const {
    std::vector<Item> leaves = items;
    mpq_class largest = 0, sum = 0, grid = 0;
    for (Item& leaf : leaves) {
      if (k >= 0) leaf = settled(leaf);
      if (k > 0 && std::isfinite(leaf.x)) largest = std::max(largest, mpq_class(std::fabs(leaf.x)));
    }
    if (largest > 0) {
      const std::int64_t width = m_.format == Format::f64 ? 40 : 13;
      std::int64_t bin = 200;
      while (power(bin * width) > largest) --bin;
      grid = power(width * (bin - k + 1));
    }
    double specials = 0;
    bool special = false, negative_zeros = true;
    for (const Item& leaf : leaves) {
      const double value = leaf.product ? leaf.x * leaf.y : leaf.x;  // the sign, and what is no number
      const double y = leaf.product ? leaf.y : 1;
      const bool zero = leaf.x == 0 || y == 0;
      negative_zeros = negative_zeros && zero && std::signbit(value);
      if (!std::isfinite(leaf.x) || !std::isfinite(y)) {
        specials += value;
        special = true;
        continue;
      }
      mpq_class exact = mpq_class(leaf.x) * mpq_class(y);
      sum += grid > 0 ? mpq_class(nearest(exact / grid)) * grid : exact;
    }
    if (special) return specials;
    if (sum == 0) return negative_zeros ? -0.0 : 0.0;
    return widened(numerics::round_rational(sum, m_.format, numerics::Rounding::nearest_even), m_.format);
  }
  static mpq_class power(std::int64_t exponent) {
    mpq_class out = 1;
    if (exponent >= 0) mpq_mul_2exp(out.get_mpq_t(), out.get_mpq_t(), static_cast<mp_bitcnt_t>(exponent));
    else mpq_div_2exp(out.get_mpq_t(), out.get_mpq_t(), static_cast<mp_bitcnt_t>(-exponent));
    return out;
  }
  /// The nearest integer, ties to even.
  static mpz_class nearest(const mpq_class& value) {
    const mpq_class shifted = value + mpq_class(1, 2);
    mpz_class down;
    mpz_fdiv_q(down.get_mpz_t(), shifted.get_num_mpz_t(), shifted.get_den_mpz_t());
    if (mpq_class(down) == shifted && mpz_odd_p(down.get_mpz_t())) --down;
    return down;
  }

  std::vector<Item> stage(const Term& term, const std::vector<Item>& items) {
    const auto n = static_cast<std::int64_t>(items.size());
    std::vector<std::vector<Item>> runs;
    if (term.name == "tile") {
      for (std::int64_t i = 0; i < n; ++i) {
        if (i % term.k == 0) runs.emplace_back();
        runs.back().push_back(items[static_cast<std::size_t>(i)]);
      }
    } else if (term.name == "lanes") {
      runs.resize(static_cast<std::size_t>(std::min(n, term.k)));
      for (std::int64_t i = 0; i < n; ++i)
        runs[static_cast<std::size_t>(i % term.k)].push_back(items[static_cast<std::size_t>(i)]);
    } else if (term.name == "both") {
      return stage(term.parts[1], stage(term.parts[0], items));
    } else {  // arrange, its last mode open
      const std::int64_t size =
          std::accumulate(term.extents.begin(), term.extents.end(), std::int64_t{1}, std::multiplies<>());
      for (std::int64_t first = 0; first < n; first += size) {
        runs.emplace_back();
        for (std::int64_t c = 0; c < size; ++c) {
          std::int64_t at = first, rest = c;
          for (std::size_t k = 0; k < term.extents.size(); ++k) {
            at += rest % term.extents[k] * term.strides[k];
            rest /= term.extents[k];
          }
          if (at < n) runs.back().push_back(items[static_cast<std::size_t>(at)]);
        }
      }
    }
    std::vector<Item> out;
    for (auto& run : runs) out.push_back(fold(term.parts[0], std::move(run)));
    return out;
  }

  Machine m_;
  std::string arithmetic_;
};

ScheduleId built(Circuit& c, const Term& term) {
  std::vector<ScheduleId> parts;
  for (const Term& part : term.parts) parts.push_back(built(c, part));
  using ir::ScheduleOp;
  if (term.name == "seq") return c.seq();
  if (term.name == "tree") return c.tree();
  if (term.name == "halving") return c.halving();
  if (term.name == "blelloch") return c.schedules().simple(ScheduleOp::blelloch);
  if (term.name == "rounded_once") return c.schedules().simple(ScheduleOp::rounded_once);
  if (term.name == "binned") return c.schedules().binned(c.constant(term.k));
  if (term.name == "kahan") return c.schedules().simple(ScheduleOp::kahan);
  if (term.name == "split") return c.split(term.k, parts[0], parts[1]);
  if (term.name == "then") return c.then(parts[0], parts[1]);
  if (term.name == "both") return c.schedules().stage_then(parts[0], parts[1]);
  if (term.name == "tile") return c.tile(term.k, parts[0]);
  if (term.name == "lanes") return c.lanes(term.k, parts[0]);
  if (term.name == "fused") return c.schedules().fused(parts[0]);
  if (term.name == "neumaier") return c.schedules().neumaier(parts[0]);
  ir::Arrangement arrangement;
  std::int64_t size = 1;
  for (std::size_t k = 0; k < term.extents.size(); ++k) {
    arrangement.run.push_back({term.extents[k], term.strides[k]});
    size *= term.extents[k];
  }
  arrangement.runs.push_back({1, size});
  arrangement.open = true;
  REQUIRE(arrangement.is_bijection());
  return c.schedules().arrange(arrangement, parts[0]);
}

/// Random schedules; `accumulate`: an accumulator may still come, on each way from the root to the leaves once.
class Terms {
 public:
  explicit Terms(std::uint64_t seed) : random_(seed) {}

  Term schedule(int depth, bool accumulate) {
    if (accumulate && (depth <= 0 || random_.below(3) == 0)) {
      const std::uint64_t kind = random_.below(8);
      if (kind == 0) return {"kahan"};
      if (kind == 5) return {"rounded_once"};
      if (kind == 6) return {"binned", 1 + static_cast<std::int64_t>(random_.below(4))};
      if (kind == 7) return {"fused", 0, {}, {}, {{"rounded_once"}}};
      return {kind < 3 ? "fused" : "neumaier", 0, {}, {}, {schedule(depth, false)}};
    }
    if (depth <= 0 || random_.below(4) == 0) {
      static constexpr const char* names[] = {"seq", "tree", "halving", "blelloch"};
      return {names[random_.below(4)]};
    }
    if (random_.below(4) == 0) {
      Term first = schedule(depth - 1, accumulate);
      return {"split", size(), {}, {}, {std::move(first), schedule(depth - 1, accumulate)}};
    }
    Term first = stage(depth - 1, accumulate);
    return {"then", 0, {}, {}, {std::move(first), schedule(depth - 1, accumulate)}};
  }

 private:
  std::int64_t size() {
    static constexpr std::int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 16, 32};
    return sizes[random_.below(std::size(sizes))];
  }
  Term stage(int depth, bool accumulate) {
    switch (random_.below(4)) {
      case 0: {
        std::vector<std::int64_t> extents{1 + static_cast<std::int64_t>(random_.below(4)),
                                          1 + static_cast<std::int64_t>(random_.below(4))};
        std::vector<std::int64_t> strides{1, extents[0]};
        if (random_.below(3)) strides = {extents[1], 1};
        return {"arrange", 0, extents, strides, {schedule(depth, accumulate)}};
      }
      case 1:
        if (depth > 0) {
          Term first = stage(depth - 1, accumulate);
          return {"both", 0, {}, {}, {std::move(first), stage(depth - 1, accumulate)}};
        }
        [[fallthrough]];
      case 2: return {"lanes", size(), {}, {}, {schedule(depth, accumulate)}};
      default: return {"tile", size(), {}, {}, {schedule(depth, accumulate)}};
    }
  }
  Random random_;
};

/// x[0] alone by the schedule, and every row; leaves are products or plain.
struct Sums : Circuit {
  Sums(Scalar scalar, const Term& term, bool products, bool scans) {
    const IndexId m = dimension("m"), n = dimension("n");
    const NodeId x = parameter("x", scalar, {m, n}), y = parameter("y", scalar, {m, n});
    schedule = built(*this, term);
    auto row = [&](IndexId r) {
      return [&, r](VariableId i) {
        const NodeId a = module.element(x, {r, at(i)}), b = module.element(y, {r, at(i)});
        return products ? module.apply(Op::mul, {a, b}) : a;
      };
    };
    std::vector<NodeId> results{
        map({m}, [&](std::vector<VariableId> r) { return reduce(Op::add, n, schedule, row(at(r[0]))); }),
        reduce(Op::add, n, schedule, row(constant(0)))};
    if (scans) results.push_back(module.scan(fold(Op::add, n, schedule, row(constant(0)))));
    result(module.tuple(results));
  }
  ScheduleId schedule;
};

std::uint64_t canonical(double value, Format format) {
  if (std::isnan(value)) return numerics::canonical_nan(format);
  return numerics::round_f64(value, format);  // a value of the format: exact
}

bool has(const Term& term, const std::string& name) {
  return term.name == name ||
         std::any_of(term.parts.begin(), term.parts.end(), [&](const Term& part) { return has(part, name); });
}

}  // namespace

TEST_CASE("accumulators over random orders follow their definitions") {
  const int count = test::trials(40);
  Terms terms(20261121);
  Random random(3);
  int plain_differs = 0, specials = 0, finite = 0;
  for (int t = 0; t < count; ++t) {
    const Term term = terms.schedule(3, true);
    static constexpr Scalar scalars[] = {Scalar::f32, Scalar::f64, Scalar::f16, Scalar::bf16};
    const Scalar scalar = scalars[t % 4];
    const Format format = ir::format_of(scalar);
    const bool products = has(term, "fused") || random.below(3) == 0;
    Sums sums(scalar, term, products, true);
    INFO("schedule " << t << " of " << ir::scalar_name(scalar) << (products ? " products: " : ": ")
                     << ir::schedule_text(sums.module, sums.schedule));
    const Compiled compiled = must_compile(sums);
    if (t % 5 == 0) must_compile(sums, ptx());  // the audit knows the fmas that `fused` writes
    Model model(format);
    for (int round = 0; round < 4; ++round) {
      static constexpr std::int64_t lengths[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 31, 33, 40, 64, 65, 100};
      const std::int64_t n = lengths[random.below(std::size(lengths))], m = 3;
      const std::uint64_t seed = random.word();
      const HostTensor x = round % 2 ? edgy(scalar, {m, n}, seed) : ordinary(scalar, {m, n}, seed);
      const HostTensor y = round % 2 ? edgy(scalar, {m, n}, seed + 1) : ordinary(scalar, {m, n}, seed + 1);
      INFO("n = " << n << (round % 2 ? ", any bits" : ", ordinary"));
      std::vector<std::uint64_t> rows, scan;
      auto leaves = [&](std::int64_t r, std::int64_t length) {
        std::vector<Item> out;
        for (std::int64_t i = 0; i < length; ++i)
          out.push_back(
              {widened(x.bits(r * n + i), format), products ? widened(y.bits(r * n + i), format) : 0, products});
        return out;
      };
      for (std::int64_t r = 0; r < m; ++r) rows.push_back(canonical(model.sum(term, leaves(r, n)), format));
      for (std::int64_t i = 0; i < n; ++i) scan.push_back(canonical(model.sum(term, leaves(0, i + 1)), format));
      const double plain = Model(format).sum({"seq"}, leaves(0, n));
      plain_differs += canonical(plain, format) != rows[0];
      (std::isfinite(plain) ? finite : specials) += 1;

      auto compare = [&](const std::vector<HostTensor>& got, const char* by) {
        for (std::int64_t r = 0; r < m; ++r) {
          if (got[0].bits(r) == rows[static_cast<std::size_t>(r)]) continue;
          FAIL_CHECK(by << ", row " << r << ": " << std::hex << got[0].bits(r) << " instead of "
                        << rows[static_cast<std::size_t>(r)]);
        }
        if (got[1].bits(0) != rows[0])
          FAIL_CHECK(by << ", alone: " << std::hex << got[1].bits(0) << " instead of " << rows[0]);
        for (std::int64_t i = 0; i < n; ++i) {
          if (got[2].bits(i) == scan[static_cast<std::size_t>(i)]) continue;
          FAIL_CHECK(by << ", scan at " << i << ": " << std::hex << got[2].bits(i) << " instead of "
                        << scan[static_cast<std::size_t>(i)]);
          break;
        }
      };
      compare(interpret(sums, "float", {x, y}), "interpreted");
      compare(run(sums, compiled, {x, y}), "on the host");
    }
  }
  CHECK(plain_differs > count / 2);
  CHECK(finite > count);
  CHECK(specials > count / 4);
}

namespace {

/// A row of leaves whose sum is hard to round: ties broken far below, cancellation down to the last bit, sums around
/// the format's largest and least numbers.
std::vector<double> hostile_row(Format format, std::int64_t n, Random& random) {
  const numerics::FormatTraits traits = numerics::traits(format);
  const int least = traits.emin - traits.precision + 1;
  auto between = [&](int low, int high) {
    return low + static_cast<int>(random.below(static_cast<std::uint64_t>(high - low + 1)));
  };
  auto sign = [&] { return random.below(2) ? 1.0 : -1.0; };
  auto value = [&](int exponent) {  // of full precision; rounded where the format has fewer bits
    const double x = sign() * std::ldexp(1 + static_cast<double>(random.below(1ull << 52)) * 0x1p-52, exponent);
    return widened(numerics::round_f64(x, format), format);
  };
  std::vector<double> row(static_cast<std::size_t>(n), 0.0);
  switch (random.below(5)) {
    case 0: {  // v, half of its last bit, and something much smaller
      const int exponent = between(traits.emin, traits.emax - 1);
      row[0] = value(exponent);
      row[1] = sign() * std::ldexp(1, std::max(exponent - traits.precision, least));
      row[2] = random.below(4) ? sign() * std::ldexp(1, between(least, std::max(exponent - traits.precision, least))) : 0;
      break;
    }
    case 1:  // everything but one leaf goes away
      for (std::size_t k = 0; k + 2 < row.size(); k += 2) row[k + 1] = -(row[k] = value(between(traits.emin, traits.emax)));
      row.back() = value(between(traits.emin, traits.emax));
      break;
    case 2:
      for (double& x : row) x = sign() * std::ldexp(static_cast<double>(random.below(8)), least);
      break;
    case 3:
      for (double& x : row) x = value(traits.emax - static_cast<int>(random.below(2)));
      break;
    default:
      for (double& x : row) x = value(between(traits.emin, traits.emax));
  }
  for (std::size_t k = row.size(); k > 1; --k) std::swap(row[k - 1], row[random.below(k)]);
  return row;
}

}  // namespace

TEST_CASE("compiled sums are rounded once") {
  static constexpr Scalar scalars[] = {Scalar::f64, Scalar::f32, Scalar::f16, Scalar::bf16};
  const std::int64_t m = std::max(test::trials(40) * 25, 250), n = 7;
  const std::vector<Term> terms{{"rounded_once"}, {"fused", 0, {}, {}, {{"rounded_once"}}}, {"binned", 1}, {"binned", 2},
                                {"binned", 5},    {"binned", 100}};
  Random random(11);
  for (const Scalar scalar : scalars) {
    const Format format = ir::format_of(scalar);
    HostTensor x(scalar, {m, n}), y(scalar, {m, n});
    std::vector<Item> items;
    for (std::int64_t r = 0; r < m; ++r) {
      // Where the factors pull into one direction, products lie far outside of what the format holds.
      const std::vector<double> a = hostile_row(format, n, random);
      const std::vector<double> b = random.below(3) ? hostile_row(format, n, random) : a;
      for (std::int64_t i = 0; i < n; ++i) {
        const auto k = static_cast<std::size_t>(i);
        x.set_bits(r * n + i, numerics::round_f64(a[k], format));
        y.set_bits(r * n + i, numerics::round_f64(b[k], format));
        items.push_back({a[k], b[k], true});
      }
    }
    for (const Term& term : terms) {
      const bool products = term.name == "fused";
      Sums sums(scalar, term, products, false);
      INFO(ir::schedule_text(sums.module, sums.schedule) << " of " << ir::scalar_name(scalar));
      const Compiled compiled = must_compile(sums);
      must_compile(sums, ptx());
      const std::vector<HostTensor> by_interpreter = interpret(sums, "float", {x, y}), by_host = run(sums, compiled, {x, y});
      int wrong = 0;
      for (std::int64_t r = 0; r < m && wrong < 5; ++r) {
        std::vector<Item> leaves(items.begin() + r * n, items.begin() + (r + 1) * n);
        if (!products) {
          for (Item& leaf : leaves) leaf = {leaf.x};
        }
        const std::uint64_t expected = canonical(Model(format).sum(term, leaves), format);
        if (by_interpreter[0].bits(r) == expected && by_host[0].bits(r) == expected) continue;
        ++wrong;
        FAIL_CHECK("row " << r << ": " << std::hex << by_interpreter[0].bits(r) << " interpreted, "
                          << by_host[0].bits(r) << " on the host, instead of " << expected);
      }
    }
  }
}

}  // namespace reckon::codegen::testing
