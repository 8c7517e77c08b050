// Forms of schedules that nothing but their rows knows, each with an independent definition of its tree.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/schedule/forms.h"
#include "ir/schedule/schedule.h"

namespace reckon::test {

/// The first node with the last, the second with the one before the last, ...; one in the middle is carried; again and
/// again.
struct Zigzag {
  template <class N>
  static N groups(N m) {
    return (m + 1) / 2;
  }
  template <class N>
  static N size(N m, N i) {
    return 2 - (i * 2 + 1 == m);
  }
  template <class N>
  static N node(N m, N i, N c) {
    return i + c * (m - 1 - i * 2);
  }
};

/// The left fold of the first node, the last, the second, the one before the last, ...
struct OutsideIn {
  template <class N>
  static N groups(N m) {
    return m - m + 1;
  }
  template <class N>
  static N size(N m, N) {
    return m;
  }
  template <class N>
  static N node(N m, N, N c) {
    return c / 2 + c % 2 * (m - 1 - c / 2 * 2);
  }
};

/// Runs of three nodes, again and again; the last may be short.
struct Thirds {
  template <class N>
  static N groups(N m) {
    return (m + 2) / 3;
  }
  template <class N>
  static N size(N m, N i) {
    using std::min;
    return min(m - m + 3, m - i * 3);
  }
  template <class N>
  static N node(N, N i, N c) {
    return i * 3 + c;
  }
};

inline const ir::Forms& made_up_forms() {
  using Op = ir::ScheduleOp;
  constexpr auto none = ir::FormTakes::nothing;
  static const ir::Forms forms({
      {"zigzag", Op::rounds, none, "zigzag", "first with last", {}, ir::rounds_of<Zigzag>()},
      {"outside_in", Op::rounds, none, "outside_in", "from both ends", {}, ir::rounds_of<OutsideIn>()},
      {"thirds", Op::rounds, none, "thirds", "runs of three", {}, ir::rounds_of<Thirds>()},
  });
  return forms;
}

/// The same trees as texts, without rounds.
struct MadeUpForm {
  std::string name;
  std::function<std::string(std::vector<std::string> nodes)> tree;

  std::string quoted(std::int64_t n) const {
    std::vector<std::string> leaves;
    for (std::int64_t k = 0; k < n; ++k) leaves.push_back(std::to_string(k));
    return "'" + tree(std::move(leaves));
  }
};

inline std::string left_fold(const std::vector<std::string>& nodes) {
  std::string out = nodes[0];
  for (std::size_t k = 1; k < nodes.size(); ++k) out = "(" + out + " " + nodes[k] + ")";
  return out;
}

inline std::vector<MadeUpForm> made_up_trees() {
  using Nodes = std::vector<std::string>;
  const auto zigzag = [](Nodes nodes) {
    while (nodes.size() > 1) {
      Nodes next;
      for (std::size_t first = 0, last = nodes.size(); first < last; ++first) {
        --last;
        next.push_back(first == last ? nodes[first] : "(" + nodes[first] + " " + nodes[last] + ")");
      }
      nodes = next;
    }
    return nodes[0];
  };
  const auto outside_in = [](Nodes nodes) {
    Nodes order;
    while (!nodes.empty()) {
      order.push_back(nodes.front());
      nodes.erase(nodes.begin());
      if (nodes.empty()) break;
      order.push_back(nodes.back());
      nodes.pop_back();
    }
    return left_fold(order);
  };
  const auto thirds = [](Nodes nodes) {
    while (nodes.size() > 1) {
      Nodes next;
      while (!nodes.empty()) {
        const auto end = nodes.begin() + std::min<std::ptrdiff_t>(3, static_cast<std::ptrdiff_t>(nodes.size()));
        next.push_back(left_fold(Nodes(nodes.begin(), end)));
        nodes.erase(nodes.begin(), end);
      }
      nodes = next;
    }
    return nodes[0];
  };
  return {{"zigzag", zigzag}, {"outside_in", outside_in}, {"thirds", thirds}};
}

}  // namespace reckon::test
