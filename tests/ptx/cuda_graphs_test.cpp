// Graphs, searches and tables in CUDA (tests/data/ptx/graphs.cu), whose control flow goes by their data.
#include <map>
#include <numeric>

#include "tests/ptx/cuda.h"

namespace {

using namespace reckon;
using namespace reckon::ptx;
using namespace reckon::ptx::testing;

struct Edge {
  int from, to;
};

std::vector<Edge> random_edges(int nodes, int count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Edge> out;
  for (int k = 0; k < count; ++k)
    out.push_back({static_cast<int>(random() % static_cast<unsigned>(nodes)),
                   static_cast<int>(random() % static_cast<unsigned>(nodes))});
  return out;
}

}  // namespace

TEST_CASE("CUDA's searches of graphs find the levels, components and ways that a loop finds") {
  Launcher gpu(cuda_text("graphs", arch()));
  const int nodes = 300;
  const auto edges = random_edges(nodes, 500, 1);
  {
    std::vector<int> begins(nodes + 1, 0), to(edges.size()), expected(nodes, -1);
    for (const Edge& e : edges) ++begins[static_cast<std::size_t>(e.from) + 1];
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    auto next = begins;
    for (const Edge& e : edges) to[static_cast<std::size_t>(next[static_cast<std::size_t>(e.from)]++)] = e.to;
    std::vector<int> queue{3};
    expected[3] = 0;
    for (std::size_t k = 0; k < queue.size(); ++k)
      for (const Edge& e : edges) {
        if (e.from != queue[k] || expected[static_cast<std::size_t>(e.to)] >= 0) continue;
        expected[static_cast<std::size_t>(e.to)] = expected[static_cast<std::size_t>(e.from)] + 1;
        queue.push_back(e.to);
      }
    const std::uint64_t b = gpu.put(begins), t = gpu.put(to), level = gpu.room(nodes * 4), of = gpu.room(nodes * 4);
    gpu.clean("breadth_first", shape(1, 96), b, t, level, of, nodes, 3);
    CHECK(same(gpu.get<int>(level, nodes), expected));
  }
  {
    std::vector<int> parent(nodes), label(nodes);
    std::iota(parent.begin(), parent.end(), 0);
    label = parent;
    for (bool changed = true; changed;) {
      changed = false;
      for (const Edge& e : edges) {
        int &a = label[static_cast<std::size_t>(e.from)], &b = label[static_cast<std::size_t>(e.to)];
        if (a != b) a = b = std::min(a, b), changed = true;
      }
    }
    for (const std::uint64_t seed : {0, 5}) {
      const std::uint64_t p = gpu.put(parent), e = gpu.put(edges);
      LaunchOptions options = shape(2, 64);
      options.seed = seed;
      gpu.clean("unions", options, p, e, static_cast<int>(edges.size()));
      auto found = gpu.get<int>(p, nodes);
      for (int& each : found)
        while (found[static_cast<std::size_t>(each)] != each) each = found[static_cast<std::size_t>(each)];
      CHECK(same(found, label));
    }
  }
  {
    std::vector<float> lengths = numbers(edges.size(), 2), distance(nodes, HUGE_VALF);
    for (float& each : lengths) each = std::fabs(each);
    distance[3] = 0;
    auto expected = distance;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t k = 0; k < edges.size(); ++k) {
        const float found = expected[static_cast<std::size_t>(edges[k].from)] + lengths[k];
        float& to = expected[static_cast<std::size_t>(edges[k].to)];
        if (found < to) to = found, changed = true;
      }
    }
    const std::uint64_t e = gpu.put(edges), l = gpu.put(lengths), d = gpu.put(distance);
    for (int changed = 1; changed != 0;) {
      const std::uint64_t flag = gpu.put(std::vector<int>{0});
      gpu.run("shorten", shape(4, 128), e, l, static_cast<int>(edges.size()), d, flag);  // its flag is a race of equals
      changed = gpu.get<int>(flag, 1)[0];
    }
    CHECK(same(gpu.get<float>(d, nodes), expected));
  }
}

TEST_CASE("CUDA's tables, words, queens and clusters") {
  Launcher gpu(cuda_text("graphs", arch()));
  std::mt19937 random(3);
  {
    std::vector<std::uint64_t> keys;
    std::map<std::uint64_t, unsigned> expected, found;
    for (int k = 0; k < 400; ++k) ++expected[keys.emplace_back(random() % 90 * 0x100000001ull)];
    const unsigned size = 128;
    const std::uint64_t in = gpu.put(keys), table = gpu.put(std::vector<std::uint64_t>(size, ~0ull)),
                        counts = gpu.put(std::vector<unsigned>(size, 0));
    gpu.clean("count_keys", shape(4, 128), in, 400, table, counts, size);
    const auto of = gpu.get<std::uint64_t>(table, size);
    const auto each = gpu.get<unsigned>(counts, size);
    for (std::size_t k = 0; k < size; ++k)
      if (of[k] != ~0ull) found[of[k]] += each[k];
    CHECK(found == expected);
  }
  {
    const std::string a = "the emulator of kernels", b = "an emulator for a kernel";
    std::vector<int> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 1; i <= a.size(); ++i) {
      int diagonal = row[0];
      row[0] = static_cast<int>(i);
      for (std::size_t j = 1; j <= b.size(); ++j) {
        const int next = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1] ? 1 : 0)});
        diagonal = row[j], row[j] = next;
      }
    }
    const std::uint64_t x = gpu.put(std::vector<char>(a.begin(), a.end())),
                        y = gpu.put(std::vector<char>(b.begin(), b.end())), out = gpu.room(4);
    gpu.clean("edit_distance", shape(1, 64), x, static_cast<int>(a.size()), y, static_cast<int>(b.size()), out);
    CHECK(gpu.get<int>(out, 1)[0] == row.back());
  }
  {
    const std::uint64_t out = gpu.put(std::vector<std::uint64_t>{0});
    gpu.clean("queens", shape(7, 32), 7, out);
    CHECK(gpu.get<std::uint64_t>(out, 1)[0] == 40);  // OEIS A000170
  }
  {
    const auto points = numbers(600, 4), centres = numbers(10, 5);
    const std::uint64_t p = gpu.put(points), c = gpu.put(centres), nearest = gpu.room(300 * 4),
                        sums = gpu.put(std::vector<double>(10, 0)), counts = gpu.put(std::vector<int>(5, 0));
    gpu.clean("cluster", shape(2, 96), p, 300, c, 5, nearest, sums, counts);
    std::vector<int> expected, of(5, 0);
    std::vector<double> total(10, 0);
    for (std::size_t i = 0; i < 300; ++i) {
      std::size_t best = 0;
      double least = HUGE_VAL;
      for (std::size_t k = 0; k < 5; ++k) {
        const double far = std::hypot(points[2 * i] - centres[2 * k], points[2 * i + 1] - centres[2 * k + 1]);
        if (far < least) least = far, best = k;
      }
      expected.push_back(static_cast<int>(best)), ++of[best];
      total[2 * best] += points[2 * i], total[2 * best + 1] += points[2 * i + 1];
    }
    CHECK(same(gpu.get<int>(nearest, 300), expected));
    CHECK(same(gpu.get<int>(counts, 5), of));
    const auto made = gpu.get<double>(sums, 10);
    for (std::size_t k = 0; k < 10; ++k) CHECK(made[k] == Approx(total[k]).epsilon(1e-12));
  }
  {
    const std::string text = R"({"a": -12.5e-3, "b\"c": 7}x"open)";
    const std::uint64_t in = gpu.put(std::vector<char>(text.begin(), text.end())), out = gpu.room(text.size() * 4);
    gpu.clean("tokens", shape(1, 64), in, static_cast<int>(text.size()), out);
    const auto kinds = gpu.get<int>(out, text.size());
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    std::vector<int> expected;
    for (std::size_t i = 0; i < text.size(); ++i) {
      int state = 0;
      std::size_t k = i;
      for (; k < text.size() && state != 9; ++k) {
        const char c = text[k];
        if (state == 0) state = digit(c) ? 1 : c == '-' ? 2 : c == '"' ? 3 : c == '{' ? 7 : 9;
        else if (state == 1) state = digit(c) ? 1 : c == '.' ? 4 : c == 'e' ? 5 : 9;
        else if (state == 2) state = digit(c) ? 1 : 9;
        else if (state == 3) state = c == '"' ? 6 : c == '\\' ? 8 : 3;
        else if (state == 4) state = digit(c) ? 4 : c == 'e' ? 5 : 9;
        else if (state == 5) state = digit(c) || c == '-' ? 1 : 9;
        else if (state == 7) state = c == '}' ? 6 : 7;
        else state = state == 8 ? 3 : 9;
      }
      expected.push_back(state * 1000 + static_cast<int>(k - i));
    }
    CHECK(same(kinds, expected));
  }
}
