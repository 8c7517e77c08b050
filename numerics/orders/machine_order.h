// Orders that machines use, as data, and fast ways to carry them out: stages of tiles or lanes, then one of some folds.
// docs/schedules.md defines tile, lanes, tree, halving and blelloch; here they are loops over arrays.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "numerics/format.h"
#include "numerics/native.h"

namespace reckon::numerics {

struct MachineOrder {
  enum class Fold : std::uint8_t {
    seq,
    from_right,  ///< 0 + (1 + (2 + ...))
    tree,        ///< adjacent pairs, repeatedly
    halving,     ///< i with i + P/2, then with half of P
    blelloch,    ///< aligned blocks of the length's binary digits, each by tree, joined from the left
    numpy,       ///< pairwise with blocks of 128 in 8 lanes (stdlib/schedules.rk)
  };
  struct Stage;
  std::vector<Stage> stages;
  Fold last = Fold::seq;

  /// Whether the leaves keep their order, so that the result is a tree over them in place.
  bool in_place() const;
};

struct MachineOrder::Stage {
  enum class Kind : std::uint8_t {
    tile,   ///< runs of `size` neighbouring nodes
    lanes,  ///< node i in run i mod `size`
    turns,  ///< `size` threads, each of which takes `width` neighbours in turn
  } kind{};
  std::int64_t size = 1;
  std::int64_t width = 1;
  MachineOrder run{};  ///< the order within each tile, lane or thread
};

inline bool MachineOrder::in_place() const {
  for (const Stage& stage : stages) {
    if (stage.kind != Stage::Kind::tile || !stage.run.in_place()) return false;
  }
  return last == Fold::seq || last == Fold::from_right || last == Fold::tree || last == Fold::blelloch;
}

/// Rounded additions (or products) of one format. f16 and bf16 are kept in f32 and rounded after every operation. For
/// sums and products this rounds correctly, since 24 >= 2p + 2 (Figueroa, "When is double rounding innocuous?", SIGNUM
/// 1995).
template <Format format, bool product>
struct RoundedJoin {
  using Value = std::conditional_t<format == Format::f64, double, float>;

  static Value from_bits(std::uint64_t bits) { return static_cast<Value>(widen(bits, format)); }
  static std::uint64_t to_bits(Value value) { return round_f64(static_cast<double>(value), format); }

  static Value join(Value a, Value b) { return rounded(product ? a * b : a + b); }
  /// a b + c with one rounding.
  static Value fused(Value a, Value b, Value c) {
    if constexpr (format == Format::f64 || format == Format::f32) return std::fma(a, b, c);
    // The product is exact in f64, and the sum is rounded to odd there, so it may be rounded once more.
    return static_cast<Value>(widen(
        round_f64(rounded_to_odd_sum(static_cast<double>(a) * static_cast<double>(b), static_cast<double>(c)), format),
        format));
  }
  static Value multiplied(Value a, Value b) {
    if constexpr (format == Format::f64 || format == Format::f32) return a * b;
    return static_cast<Value>(widen(round_f64(static_cast<double>(a) * static_cast<double>(b), format), format));
  }

 private:
  static Value rounded(Value value) {
    if constexpr (format == Format::f64 || format == Format::f32) {
      return value;
    } else if constexpr (product && format == Format::f16) {
      return f16_to_f32(f32_to_f16(value));
    } else {
      // Rounds to nearest even by the kept bits of the pattern; the carry may run into the exponent. A sum of f16
      // values that is subnormal in f16 is exact. NaNs and infinities stay what they are.
      constexpr int dropped = format == Format::f16 ? 13 : 16;
      const std::uint32_t word = std::bit_cast<std::uint32_t>(value);
      const std::uint32_t up = ((word >> dropped) & 1u) + ((1u << (dropped - 1)) - 1);
      std::uint32_t out = (word + up) & ~((1u << dropped) - 1);
      if constexpr (format == Format::f16) {
        const std::uint32_t magnitude = out & 0x7fffffffu;
        if (magnitude > 0x477fe000u && magnitude < 0x7f800000u) out = (word & 0x80000000u) | 0x7f800000u;
      }
      return value != value ? value : std::bit_cast<float>(out);
    }
  }
};

/// Carries out orders on arrays, and keeps its buffers from one order to the next.
template <class Join>
class OrderRunner {
 public:
  using Value = typename Join::Value;
  using Fold = MachineOrder::Fold;
  using Stage = MachineOrder::Stage;

  /// n >= 1.
  Value run(const MachineOrder& order, const Value* leaves, std::int64_t n) { return run(order, leaves, n, 0); }

  static Value seq(const Value* x, std::int64_t n) {
    Value out = x[0];
    for (std::int64_t i = 1; i < n; ++i) out = Join::join(out, x[i]);
    return out;
  }
  /// out[j] is the sum of x[j], x[j + lanes], ...; `lanes` is at most n.
  static void lanes(const Value* x, std::int64_t n, std::int64_t lanes, Value* out) {
    for (std::int64_t j = 0; j < lanes; ++j) out[j] = x[j];
    for (std::int64_t row = lanes; row < n; row += lanes) {
      const std::int64_t count = std::min(lanes, n - row);
      for (std::int64_t j = 0; j < count; ++j) out[j] = Join::join(out[j], x[row + j]);
    }
  }
  /// out[t] is the sum of the t-th tile; returns the number of tiles.
  static std::int64_t tiles(const Value* x, std::int64_t n, std::int64_t size, Value* out) {
    const std::int64_t whole = n / size;
    std::int64_t tile = 0;
    // Eight tiles at a time, so that each sum depends only on itself.
    for (; tile + 8 <= whole; tile += 8) {
      Value sums[8];
      const Value* from = x + tile * size;
      for (int k = 0; k < 8; ++k) sums[k] = from[k * size];
      for (std::int64_t i = 1; i < size; ++i) {
        for (int k = 0; k < 8; ++k) sums[k] = Join::join(sums[k], from[k * size + i]);
      }
      for (int k = 0; k < 8; ++k) out[tile + k] = sums[k];
    }
    for (; tile * size < n; ++tile) out[tile] = seq(x + tile * size, std::min(size, n - tile * size));
    return tile;
  }

 private:
  Value run(const MachineOrder& order, const Value* x, std::int64_t n, std::size_t depth) {
    const Value* from = x;
    std::size_t side = 0;
    for (const Stage& stage : order.stages) {
      std::vector<Value>& to = buffer(2 * depth + side);
      n = this->stage(stage, from, n, to, depth);
      from = to.data();
      side = 1 - side;
    }
    return fold(order.last, from, n, buffer(2 * depth + side));
  }

  std::int64_t stage(const Stage& stage, const Value* x, std::int64_t n, std::vector<Value>& out, std::size_t depth) {
    const bool plain = stage.run.stages.empty() && stage.run.last == Fold::seq;
    const std::int64_t size = std::max<std::int64_t>(stage.size, 1);
    if (stage.kind == Stage::Kind::tile) {
      const std::int64_t count = (n + size - 1) / size;
      out.resize(static_cast<std::size_t>(count));
      if (plain) return tiles(x, n, size, out.data());
      for (std::int64_t t = 0; t < count; ++t) {
        out[static_cast<std::size_t>(t)] = run(stage.run, x + t * size, std::min(size, n - t * size), depth + 1);
      }
      return count;
    }
    const std::int64_t width = stage.kind == Stage::Kind::turns ? stage.width : 1;
    const std::int64_t count = std::min(size, (n + width - 1) / width);
    out.resize(static_cast<std::size_t>(count));
    if (plain && width == 1) {
      lanes(x, n, count, out.data());
      return count;
    }
    if (width == 1 && stage.run.stages.empty() && stage.run.last == Fold::tree) {
      lanes_by_tree(x, n, count, out);
      return count;
    }
    std::vector<Value> run_of_one;
    for (std::int64_t t = 0; t < count; ++t) {
      run_of_one.clear();
      for (std::int64_t at = t * width; at < n; at += size * width) {
        for (std::int64_t k = at; k < std::min(at + width, n); ++k) run_of_one.push_back(x[k]);
      }
      out[static_cast<std::size_t>(t)] =
          run(stage.run, run_of_one.data(), static_cast<std::int64_t>(run_of_one.size()), depth + 1);
    }
    return count;
  }

  /// All lanes at once: rows are joined in pairs. If the last row is short, the rest of the other row is copied.
  void lanes_by_tree(const Value* x, std::int64_t n, std::int64_t lanes, std::vector<Value>& out) {
    std::vector<Value> rows(x, x + n);
    while (n > lanes) {
      std::int64_t to = 0;
      for (std::int64_t row = 0; row < n; row += 2 * lanes, to += lanes) {
        const std::int64_t first = std::min(lanes, n - row),
                           second = std::min(lanes, std::max<std::int64_t>(n - row - lanes, 0));
        for (std::int64_t j = 0; j < second; ++j) {
          rows[static_cast<std::size_t>(to + j)] =
              Join::join(rows[static_cast<std::size_t>(row + j)], rows[static_cast<std::size_t>(row + lanes + j)]);
        }
        for (std::int64_t j = second; j < first; ++j) {
          rows[static_cast<std::size_t>(to + j)] = rows[static_cast<std::size_t>(row + j)];
        }
      }
      const std::int64_t pairs = n / (2 * lanes), rest = n % (2 * lanes);
      n = pairs * lanes + std::min(rest, lanes);
    }
    std::copy(rows.begin(), rows.begin() + lanes, out.begin());
  }

  static Value fold(Fold how, const Value* x, std::int64_t n, std::vector<Value>& scratch) {
    switch (how) {
      case Fold::seq: return seq(x, n);
      case Fold::from_right: {
        Value out = x[n - 1];
        for (std::int64_t i = n - 1; i-- > 0;) out = Join::join(x[i], out);
        return out;
      }
      case Fold::tree: scratch.assign(x, x + n); return tree(scratch.data(), n);
      case Fold::halving: {
        scratch.assign(x, x + n);
        for (std::int64_t half = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)) / 2); half > 0;
             half /= 2) {
          for (std::int64_t i = 0; i < half && i + half < n; ++i) {
            scratch[static_cast<std::size_t>(i)] =
                Join::join(scratch[static_cast<std::size_t>(i)], scratch[static_cast<std::size_t>(i + half)]);
          }
          n = std::min(n, half);
        }
        return scratch[0];
      }
      case Fold::blelloch: {
        scratch.assign(x, x + n);
        std::int64_t at = 0;
        Value out{};
        for (std::int64_t block = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n))); block > 0;
             block /= 2) {
          if ((n & block) == 0) continue;
          const Value sum = tree(scratch.data() + at, block);
          out = at == 0 ? sum : Join::join(out, sum);
          at += block;
        }
        return out;
      }
      case Fold::numpy: return numpy(x, n);
    }
    return x[0];
  }

  static Value tree(Value* x, std::int64_t n) {
    while (n > 1) {
      for (std::int64_t i = 0; i < n / 2; ++i) x[i] = Join::join(x[2 * i], x[2 * i + 1]);
      if (n % 2 != 0) x[n / 2] = x[n - 1];
      n = (n + 1) / 2;
    }
    return x[0];
  }

  static Value numpy(const Value* x, std::int64_t n) {
    if (n < 8) return seq(x, n);
    if (n > 128) {
      const std::int64_t half = n / 2 - n / 2 % 8;
      return Join::join(numpy(x, half), numpy(x + half, n - half));
    }
    Value sums[8];
    lanes(x, n - n % 8, 8, sums);
    Value out = tree(sums, 8);
    for (std::int64_t i = n - n % 8; i < n; ++i) out = Join::join(out, x[i]);
    return out;
  }

  std::vector<Value>& buffer(std::size_t which) {
    while (buffers_.size() <= which) buffers_.push_back(std::make_unique<std::vector<Value>>());
    return *buffers_[which];
  }
  std::vector<std::unique_ptr<std::vector<Value>>> buffers_;
};

}  // namespace reckon::numerics
