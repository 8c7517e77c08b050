#include "numerics/orders/sample.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace reckon::numerics {
namespace {

using Fold = MachineOrder::Fold;
using Stage = MachineOrder::Stage;
using Kind = Stage::Kind;

MachineOrder plain(Fold last) { return {{}, last}; }
Stage tile(std::int64_t size, Fold run = Fold::seq) { return {Kind::tile, size, 1, plain(run)}; }
Stage lanes(std::int64_t size, Fold run = Fold::seq) { return {Kind::lanes, size, 1, plain(run)}; }
Stage turns(std::int64_t threads, std::int64_t width) { return {Kind::turns, threads, width, plain(Fold::seq)}; }

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  /// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// A number of 0..n-1; n is below 2^32.
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>((next() >> 32) * static_cast<std::uint64_t>(n) >> 32);
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// A number of 1..n, with equally likely magnitudes.
  std::int64_t magnitude(std::int64_t n) {
    return std::clamp<std::int64_t>(
        static_cast<std::int64_t>(std::exp2(unit() * std::log2(static_cast<double>(n) + 1))), 1, n);
  }

 private:
  std::uint64_t state_;
};

/// The widths of vectors, warps and blocks, the numbers of cores, and numbers that people choose.
std::vector<std::int64_t> widths(std::int64_t n) {
  std::vector<std::int64_t> out;
  for (std::int64_t power = 2; power < n && power <= std::int64_t{1} << 24; power *= 2) out.push_back(power);
  for (std::int64_t k :
       {3,    5,    6,    7,     9,     10,    12,    14,    15,    20,    24,    28,   36,   40,   48,
        56,   60,   72,   80,    84,    96,    100,   104,   108,   112,   120,   132,  144,  160,  192,
        200,  216,  224,  240,   250,   264,   288,   320,   360,   384,   400,   432,  448,  480,  500,
        576,  600,  640,  672,   720,   768,   800,   864,   896,   960,   1000,  1152, 1280, 1344, 1408,
        1536, 1600, 1664, 1728,  1792,  1920,  2000,  2304,  2560,  2688,  3000,  3072, 3584, 3840, 4000,
        5000, 6144, 8000, 10000, 12288, 13824, 16896, 27648, 33792, 67584, 135168}) {
    if (k < n) out.push_back(k);
  }
  return out;
}

std::vector<MachineOrder> plain_orders() {
  std::vector<MachineOrder> out;
  for (Fold last : {Fold::seq, Fold::from_right, Fold::tree, Fold::halving, Fold::blelloch}) out.push_back(plain(last));
  return out;
}

std::vector<MachineOrder> lane_orders(std::int64_t n) {
  std::vector<MachineOrder> out;
  for (std::int64_t k : widths(n)) {
    for (Fold last : {Fold::seq, Fold::tree, Fold::halving}) out.push_back({{lanes(k)}, last});
    out.push_back({{lanes(k, Fold::tree)}, Fold::tree});
    if (k > 32) {
      for (Fold last : {Fold::seq, Fold::tree, Fold::halving}) {
        out.push_back({{lanes(k), tile(32, last == Fold::halving ? Fold::halving : Fold::tree)}, last});
      }
    }
    for (std::int64_t vector : {2, 4, 8}) {
      if (k * vector < n) out.push_back({{turns(k, vector)}, k % 3 == 0 ? Fold::seq : Fold::tree});
    }
  }
  return out;
}

std::vector<MachineOrder> tile_orders(std::int64_t n) {
  std::vector<MachineOrder> out;
  for (std::int64_t k : widths(n)) {
    for (Fold run : {Fold::seq, Fold::tree, Fold::halving}) {
      for (Fold last : {Fold::seq, Fold::tree}) out.push_back({{tile(k, run)}, last});
    }
    for (std::int64_t vector : {4, 8, 32}) {
      if (vector >= k) continue;
      out.push_back({{Stage{Kind::tile, k, 1, {{lanes(vector)}, Fold::tree}}}, Fold::seq});
    }
  }
  return out;
}

/// Sums that are split into 2 to 1024 parts, as the threads of a processor or the blocks of a kernel do it.
std::vector<MachineOrder> part_orders(std::int64_t n) {
  std::vector<MachineOrder> out;
  for (std::int64_t parts = 2; parts <= 1024 && parts < n; parts += parts < 32 ? 1 : parts < 128 ? 8 : 64) {
    const std::int64_t size = (n + parts - 1) / parts;
    out.push_back({{tile(size)}, Fold::seq});
    out.push_back({{tile(size)}, Fold::tree});
    out.push_back({{tile(size, Fold::numpy)}, Fold::seq});
    out.push_back({{Stage{Kind::tile, size, 1, {{lanes(8)}, Fold::tree}}}, Fold::seq});
    out.push_back({{Stage{Kind::tile, size, 1, {{lanes(256), tile(32, Fold::tree)}, Fold::seq}}}, Fold::tree});
  }
  return out;
}

MachineOrder random_machine(Random& random, std::int64_t n, bool in_place) {
  MachineOrder out;
  const auto fold = [&] {
    constexpr Fold folds[] = {Fold::seq, Fold::tree, Fold::seq, Fold::from_right, Fold::halving};
    return folds[random.below(in_place ? 4 : 5)];
  };
  for (std::int64_t left = n, stages = 1 + random.below(3); stages > 0 && left > 2; --stages) {
    const std::int64_t size = random.magnitude(left);
    if (in_place || random.below(2) == 0) {
      out.stages.push_back(tile(size, fold()));
      if (!in_place && random.below(4) == 0) out.stages.back().run = {{lanes(random.magnitude(size))}, fold()};
      left = (left + size - 1) / size;
    } else {
      out.stages.push_back(random.below(4) == 0 ? turns(size, std::int64_t{1} << random.below(4)) : lanes(size));
      left = size;
    }
  }
  out.last = fold();
  return out;
}

/// Drops orders evenly, so that about `count` are left.
std::vector<MachineOrder> thinned(std::vector<MachineOrder> orders, std::int64_t count) {
  if (static_cast<std::int64_t>(orders.size()) <= count) return orders;
  std::vector<MachineOrder> out;
  for (std::int64_t k = 0; k < count; ++k) {
    out.push_back(std::move(orders[static_cast<std::size_t>(k) * orders.size() / static_cast<std::size_t>(count)]));
  }
  return out;
}

template <class Join>
class Sampler {
 public:
  using Value = typename Join::Value;

  Sampler(const OrderQuestion& question, const SampleOptions& options)
      : question_(question),
        options_(options),
        n_(static_cast<std::int64_t>(question.leaves.size())),
        random_(options.seed) {
    leaves_ = values(question.leaves);
    mixed_ = leaves_;
  }

  std::optional<std::vector<OrderFamily>> run() {
    const std::int64_t all = std::max<std::int64_t>(options_.orders, 40);
    if (question_.orders == OrderSet::any_seq) {
      begin("in order and in reverse");
      give(runner_.run(plain(Fold::seq), leaves_.data(), n_));
      give(runner_.run(plain(Fold::from_right), leaves_.data(), n_));
      permutations(all);
      return finished();
    }
    machines("libraries and plain orders", library_orders(n_), all);
    machines("lanes", lane_orders(n_), all * 3 / 20);
    machines("tiles", tile_orders(n_), all * 3 / 20);
    machines("parts", part_orders(n_), all / 10);
    begin("random stages");
    for (std::int64_t k = 0; k < all / 10; ++k) {
      if (interrupted()) return std::nullopt;
      give(runner_.run(random_machine(random_, n_, in_place()), leaves_.data(), n_));
    }
    trees("random trees in place", leaves_, all * 3 / 40);
    if (!in_place()) {
      permutations(all / 4);
      blocks(all / 10);
      for (std::int64_t k = 0; k < 8; ++k) {
        mix(mixed_);
        trees(k == 0 ? "random trees of random permutations" : "", mixed_, all * 3 / 320);
      }
      begin("random stages of random permutations");
      for (std::int64_t k = 0; k < all / 20; ++k) {
        if (interrupted()) return std::nullopt;
        if (k % 8 == 0) mix(mixed_);
        give(runner_.run(random_machine(random_, n_, false), mixed_.data(), n_));
      }
      if (options_.factors != nullptr) fused(all / 40);
    }
    return finished();
  }

 private:
  bool in_place() const { return question_.orders == OrderSet::any_tree; }
  bool interrupted() const { return options_.interrupted != nullptr && *options_.interrupted; }

  static std::vector<Value> values(const std::vector<std::uint64_t>& bits) {
    std::vector<Value> out;
    out.reserve(bits.size());
    for (std::uint64_t pattern : bits) out.push_back(Join::from_bits(pattern));
    return out;
  }
  void begin(std::string name) { families_.push_back({std::move(name), {}}); }
  void give(Value value) { families_.back().results.push_back(Join::to_bits(value)); }
  std::optional<std::vector<OrderFamily>> finished() {
    if (interrupted()) return std::nullopt;
    std::erase_if(families_, [](const OrderFamily& family) { return family.results.empty(); });
    return std::move(families_);
  }

  void machines(const char* name, std::vector<MachineOrder> orders, std::int64_t count) {
    begin(name);
    if (in_place()) std::erase_if(orders, [](const MachineOrder& order) { return !order.in_place(); });
    for (const MachineOrder& order : thinned(std::move(orders), count)) {
      if (interrupted()) return;
      give(runner_.run(order, leaves_.data(), n_));
    }
  }

  void mix(std::vector<Value>& values) {
    for (std::int64_t i = n_; i > 1; --i) {
      std::swap(values[static_cast<std::size_t>(i - 1)], values[static_cast<std::size_t>(random_.below(i))]);
    }
  }

  /// Left folds from eight starting places of each random permutation, each of which is a random permutation, too.
  void permutations(std::int64_t count) {
    begin("left folds of random permutations");
    std::vector<Value> twice(static_cast<std::size_t>(2 * n_));
    for (std::int64_t done = 0; done < count && !interrupted();) {
      mix(mixed_);
      std::copy(mixed_.begin(), mixed_.end(), twice.begin());
      std::copy(mixed_.begin(), mixed_.end(), twice.begin() + n_);
      if (n_ < 8) {
        give(Runner::seq(twice.data(), n_));
        ++done;
        continue;
      }
      const Value* from[8];
      Value sums[8];
      for (int k = 0; k < 8; ++k) {
        from[k] = twice.data() + random_.below(n_);
        sums[k] = from[k][0];
      }
      for (std::int64_t i = 1; i < n_; ++i) {
        for (int k = 0; k < 8; ++k) sums[k] = Join::join(sums[k], from[k][i]);
      }
      for (int k = 0; k < 8; ++k, ++done) give(sums[k]);
    }
  }

  /// Random trees of three kinds: split at any place; split near one end; or leaves are taken and joined at random,
  /// which gives a depth of about the root of n.
  void trees(const char* name, const std::vector<Value>& leaves, std::int64_t count) {
    if (*name != '\0') begin(name);
    for (std::int64_t k = 0; k < count && !interrupted(); ++k) {
      if (k % 3 == 2) give(by_coins(leaves));
      else give(by_splits(leaves, k % 3 == 1));
    }
  }
  Value by_coins(const std::vector<Value>& leaves) {
    std::vector<Value>& stack = stack_;
    stack.clear();
    std::uint64_t coins = 0;
    int left = 0;
    for (std::size_t at = 0; at < leaves.size();) {
      if (left == 0) {
        coins = random_.next();
        left = 64;
      }
      const bool takes = (coins & 1) != 0 || stack.size() < 2;
      coins >>= 1;
      --left;
      if (takes) {
        stack.push_back(leaves[at++]);
      } else {
        join_last(stack);
      }
    }
    while (stack.size() > 1) join_last(stack);
    return stack.back();
  }
  static void join_last(std::vector<Value>& stack) {
    const Value right = stack.back();
    stack.pop_back();
    stack.back() = Join::join(stack.back(), right);
  }
  Value by_splits(const std::vector<Value>& leaves, bool skewed) {
    // Parts that are still to be split; a join is pushed before its two parts.
    constexpr std::int64_t join = -1;
    std::vector<std::pair<std::int64_t, std::int64_t>> work{{0, n_}};
    stack_.clear();
    while (!work.empty()) {
      const auto [begin, length] = work.back();
      work.pop_back();
      if (length == join) {
        join_last(stack_);
        continue;
      }
      if (length <= 2) {
        stack_.push_back(length == 1 ? leaves[static_cast<std::size_t>(begin)]
                                     : Join::join(leaves[static_cast<std::size_t>(begin)],
                                                  leaves[static_cast<std::size_t>(begin + 1)]));
        continue;
      }
      std::int64_t first = 1 + random_.below(length - 1);
      if (skewed) {
        const double unit = random_.unit();
        first = std::clamp<std::int64_t>(static_cast<std::int64_t>(unit * unit * unit * static_cast<double>(length)), 1,
                                         length - 1);
        if (random_.below(2) == 0) first = length - first;
      }
      work.push_back({0, join});
      work.push_back({begin + first, length - first});
      work.push_back({begin, first});
    }
    return stack_.back();
  }

  /// Blocks, each summed in some order, whose sums are added in the order of their arrival, as atomic additions are.
  void blocks(std::int64_t count) {
    begin("blocks that arrive in random order");
    std::vector<Value> sums;
    for (std::int64_t k = 0; k < count && !interrupted(); ++k) {
      const std::int64_t size = random_.magnitude(n_);
      if (k % 3 == 2) {
        sums.resize(static_cast<std::size_t>(size));
        Runner::lanes(leaves_.data(), n_, size, sums.data());
      } else {
        sums.clear();
        const MachineOrder inner = k % 3 == 0 ? plain(Fold::seq) : MachineOrder{{lanes(32)}, Fold::halving};
        for (std::int64_t at = 0; at < n_; at += size) {
          sums.push_back(runner_.run(inner, leaves_.data() + at, std::min(size, n_ - at)));
        }
      }
      for (std::size_t i = sums.size(); i > 1; --i) {
        std::swap(sums[i - 1], sums[static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(i)))]);
      }
      give(Runner::seq(sums.data(), static_cast<std::int64_t>(sums.size())));
    }
  }

  /// Lanes whose products are fused into their sums, on the data in place and permuted.
  void fused(std::int64_t count) {
    begin("products fused into the sums");
    std::vector<Value> a = values(*options_.factors), b = values(*options_.other_factors);
    std::vector<std::int64_t> all = widths(n_);
    all.insert(all.begin(), 1);
    std::vector<Value> sums;
    for (std::int64_t k = 0; k < count && !interrupted(); ++k) {
      if (k >= static_cast<std::int64_t>(all.size()) || k % 4 == 3) {
        for (std::int64_t i = n_; i > 1; --i) {
          const std::int64_t j = random_.below(i);
          std::swap(a[static_cast<std::size_t>(i - 1)], a[static_cast<std::size_t>(j)]);
          std::swap(b[static_cast<std::size_t>(i - 1)], b[static_cast<std::size_t>(j)]);
        }
      }
      const std::int64_t lanes = std::min(n_, all[static_cast<std::size_t>(k) % all.size()]);
      sums.resize(static_cast<std::size_t>(lanes));
      for (std::int64_t j = 0; j < lanes; ++j)
        sums[static_cast<std::size_t>(j)] =
            Join::multiplied(a[static_cast<std::size_t>(j)], b[static_cast<std::size_t>(j)]);
      for (std::int64_t i = lanes; i < n_; ++i) {
        Value& sum = sums[static_cast<std::size_t>(i % lanes)];
        sum = Join::fused(a[static_cast<std::size_t>(i)], b[static_cast<std::size_t>(i)], sum);
      }
      give(runner_.run(plain(k % 2 == 0 ? Fold::seq : Fold::tree), sums.data(), lanes));
    }
  }

  using Runner = OrderRunner<Join>;
  const OrderQuestion& question_;
  const SampleOptions& options_;
  std::int64_t n_;
  Random random_;
  Runner runner_;
  std::vector<Value> leaves_, mixed_, stack_;
  std::vector<OrderFamily> families_;
};

/// Calls work(RoundedJoin<...>{}) for the question's sum or product.
template <class Work>
decltype(auto) with_join(const OrderQuestion& question, Work&& work) {
  const bool product = question.operation == FoldOperation::mul;
  return with_format<has_orders>(question.format, [&]<Format format>() -> decltype(auto) {
    return product ? work(RoundedJoin<format, true>{}) : work(RoundedJoin<format, false>{});
  });
}

bool is_extremum(const OrderQuestion& question) {
  return question.operation == FoldOperation::min || question.operation == FoldOperation::max;
}

std::uint64_t extremum(const OrderQuestion& question) {
  std::uint64_t out = question.leaves.front();
  for (std::uint64_t leaf : question.leaves) out = rounded_join(question.operation, question.format, out, leaf);
  return out;
}

}  // namespace

std::vector<MachineOrder> library_orders(std::int64_t n) {
  std::vector<MachineOrder> out = plain_orders();
  const auto add = [&](std::vector<Stage> stages, Fold last) { out.push_back({std::move(stages), last}); };
  for (std::int64_t l : {128, 8, 32, 256, 512}) add({lanes(l, Fold::tree)}, Fold::tree);  // canonical, and the default
  for (std::int64_t l : {4, 8, 16, 32}) add({lanes(l)}, Fold::tree);
  out.push_back(plain(Fold::numpy));
  add({tile(8192, Fold::numpy)}, Fold::seq);
  add({lanes(32)}, Fold::halving);  // warp_shuffle
  for (std::int64_t block : {64, 128, 256, 512, 1024}) add({tile(block, Fold::halving)}, Fold::tree);
  for (std::int64_t block = 128; block <= std::max<std::int64_t>(n, 128) && block <= 65536; block *= 2) {
    const std::int64_t width = std::min<std::int64_t>(4, std::max<std::int64_t>(1, block / 128));
    if (block >= n) add({turns(128, width), tile(32, Fold::halving)}, Fold::halving);
    else add({Stage{Kind::tile, block, 1, {{turns(128, width), tile(32, Fold::halving)}, Fold::halving}}}, Fold::seq);
  }
  for (std::int64_t items : {1, 2, 4, 8, 16}) add({tile(items), tile(32, Fold::tree)}, Fold::seq);  // cub_block
  for (std::int64_t threads : {128, 256, 512}) {
    add({lanes(threads), tile(32, Fold::tree)}, Fold::seq);                                   // cub_turns
    add({tile(4, Fold::tree), lanes(threads, Fold::tree), tile(32, Fold::tree)}, Fold::seq);  // cub_tile
    for (std::int64_t share : {4096, 8192, 16384}) {                                          // cub_device
      if (share >= n) continue;
      for (std::int64_t width : {1, 4}) {
        add({Stage{Kind::tile, share, 1, {{turns(threads, width), tile(32, Fold::tree)}, Fold::seq}}, lanes(256),
             tile(32, Fold::tree)},
            Fold::seq);
      }
    }
  }
  for (std::int64_t threads = 1; threads <= 512; threads *= 2) {
    add({lanes(threads * 4), tile(4)}, Fold::halving);         // torch_vectors
    add({lanes(threads * 4), lanes(threads)}, Fold::halving);  // torch_strided
  }
  return out;
}

std::uint64_t carry_out(const MachineOrder& order, const OrderQuestion& question) {
  if (is_extremum(question)) return extremum(question);
  return with_join(question, [&]<class Join>(Join) {
    std::vector<typename Join::Value> leaves;
    for (std::uint64_t bits : question.leaves) leaves.push_back(Join::from_bits(bits));
    return Join::to_bits(OrderRunner<Join>().run(order, leaves.data(), static_cast<std::int64_t>(leaves.size())));
  });
}

std::optional<std::vector<OrderFamily>> sample_orders(const OrderQuestion& question, const SampleOptions& options) {
  if (is_extremum(question)) return std::vector<OrderFamily>{{"all orders", {extremum(question)}}};
  return with_join(question, [&]<class Join>(Join) { return Sampler<Join>(question, options).run(); });
}

}  // namespace reckon::numerics
