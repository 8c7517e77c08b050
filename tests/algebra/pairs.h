// Pairs of circuits, many in one program: in the ring, over the reals, proved, and checked.
#pragma once

#include <fmt/format.h>

#include "check/algebra.h"
#include "prove/prove.h"
#include "tests/algebra/program.h"
#include "tests/algebra/real.h"
#include "tests/support/long_run.h"

namespace reckon::algebra {

struct Pair {
  Tree before, after;
  std::vector<std::string> laws;
};

/// Many pairs in one program: circuits f0, g0, f1, ...
inline std::string program_of(const std::vector<Pair>& pairs, Random& random) {
  std::string out;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    constexpr const char* head = "fn {}{}(x: f32[t, {}], w: f32[t, {}]) -> f32[t] = for i < t: {}\n";
    out += fmt::format(fmt::runtime(head), "f", k, elements, elements, source(pairs[k].before, random));
    out += fmt::format(fmt::runtime(head), "g", k, elements, elements, source(pairs[k].after, random));
  }
  return out;
}

class Batch {
 public:
  Batch(std::vector<Pair> pairs, Random& random) : pairs(std::move(pairs)), program_(program_of(this->pairs, random)) {}
  std::vector<Pair> pairs;

  /// Pair k at so many random points of the ring.
  Comparison in_ring(std::size_t k, std::int64_t points, std::uint64_t seed, bool* degenerate = nullptr) {
    const std::vector<std::int64_t> shape{points, elements};
    const std::vector<interp::Argument> arguments{random_elements(ir::Scalar::f32, shape, seed),
                                                  random_elements(ir::Scalar::f32, shape, seed + 1,
                                                                  interp::Draw::Sign::positive)};
    const auto a = program_.evaluate("f" + std::to_string(k), *ring_, arguments);
    const auto b = program_.evaluate("g" + std::to_string(k), *ring_, arguments);
    if (degenerate) {
      *degenerate = true;
      for (std::int64_t i = 0; i < points; ++i) {
        if (ring_->undefined_by(a.scalar(), a.at(i)).empty()) *degenerate &= ring_->is_degenerate(a.scalar(), a.at(i));
      }
    }
    return compare(*ring_, a, b);
  }
  bool proved(std::size_t k) {
    return ir::prove_equal(program_.module(), program_.circuit("f" + std::to_string(k)),
                           program_.circuit("g" + std::to_string(k)))
        .has_value();
  }
  /// `check fk == gk in algebra for x: -2..2, w: 0..3, w > 0` at one point a trial.
  check::Outcome checked(std::size_t k) {
    frontend::ElaboratedItem item;
    item.left = program_.circuit("f" + std::to_string(k));
    item.right = program_.circuit("g" + std::to_string(k));
    item.relation = frontend::Item::Relation::equal;
    item.sizes = {{item.left->dimensions.at(0), {1}}};
    item.ranges = {{0, -2, 2, 0}, {1, 0, 3, 1}};
    auto outcome = check::run_algebra(program_.module(), item, {});
    if (!outcome) FAIL(outcome.error().message << "\n" << shown(k));
    return *outcome;
  }
  std::string shown(std::size_t k) const {
    return fmt::format("{}\n  = {}\n", text(pairs[k].before), text(pairs[k].after)) +
           (pairs[k].laws.empty() ? "" : fmt::format("  by {}\n", fmt::join(pairs[k].laws, "; ")));
  }

 private:
  Program program_;
  std::unique_ptr<interp::Semantics> ring_ = make_ring("padic");
};

/// `check` makes 40 trials. Comparisons deserve more: two constants may have few elements between them.
inline constexpr std::int64_t batch_size = 25, few_points = 8, driver_points = 40, points_of_comparisons = 320;

/// What the reals say of a pair, at up to so many points.
struct RealVerdict {
  int apart = 0, equal = 0;
  int points = 0;  ///< that were looked at
};
inline RealVerdict over_reals(const Pair& pair, int points, Random& random) {
  RealVerdict out;
  for (int k = 0; k < points && out.apart == 0; ++k) {
    const Reals found = compare_over_reals(pair.before, pair.after, random_reals(random));
    out.apart += found == Reals::apart;
    out.equal += found == Reals::equal;
    ++out.points;
  }
  return out;
}

template <class Make, class Look>
void each_pair(std::int64_t count, std::uint64_t seed, Make make, Look look) {
  // RECKON_FIRST=6080 begins a long run there.
  const char* begin = std::getenv("RECKON_FIRST");
  for (std::int64_t first = begin ? std::atoll(begin) / batch_size * batch_size : 0; first < count; first += batch_size) {
    std::vector<Pair> pairs;
    for (std::int64_t k = first; k < std::min(count, first + batch_size); ++k) {
      pairs.push_back(make(test::stream(seed) * 1000003 + static_cast<std::uint64_t>(k)));
    }
    Random random(test::stream(seed) + static_cast<std::uint64_t>(first));
    Batch batch(std::move(pairs), random);
    for (std::size_t k = 0; k < batch.pairs.size(); ++k) look(batch, k, random);
  }
}

inline Pair rewritten(std::uint64_t seed, bool order_laws) {
  Generator generator(seed);
  Pair out{generator.make(), {}, {}};
  out.after = generator.walk(out.before, 1 + static_cast<int>(generator.random().below(8)), order_laws, out.laws);
  return out;
}

}  // namespace reckon::algebra
