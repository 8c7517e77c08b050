#include "draw/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <queue>
#include <set>

#include "draw/stages.h"

namespace reckon::draw {
namespace {

using ir::ScheduleOp;
using ir::TreeId;
using ir::TreeNode;

/// A tree that is cut has about this many leaves and bundles.
constexpr std::size_t cut_width = 16;
/// Of one stage, trees of so many different forms are drawn.
constexpr std::size_t max_forms = 3;

std::string plural(std::int64_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string shortened(const std::string& text, std::size_t longest = 60) {
  return text.size() <= longest ? text : text.substr(0, longest - 4) + " ...";
}

/// The form of trees: trees whose leaves are all 0, which hash-consing makes equal where the forms are.
class Forms {
 public:
  explicit Forms(const ir::TreeStore& trees) : trees_(trees) {}

  TreeId of(TreeId tree) {
    std::vector<TreeId> stack{tree};
    while (!stack.empty()) {
      const TreeId at = stack.back();
      const TreeNode node = trees_[at];
      if (node.leaf >= 0 || known_.contains(at)) {
        known_.try_emplace(at, store_.leaf(0));
        stack.pop_back();
        continue;
      }
      const auto left = known_.find(node.left), right = known_.find(node.right);
      if (left == known_.end()) stack.push_back(node.left);
      if (right == known_.end()) stack.push_back(node.right);
      if (left == known_.end() || right == known_.end()) continue;
      known_.emplace(at, store_.pair(left->second, right->second));
      stack.pop_back();
    }
    return known_.at(tree);
  }

  /// `in order` for a left fold, `pairwise` for the form of `tree`.
  std::string name(TreeId tree) {
    const std::int64_t n = trees_.leaf_count(tree);
    if (n < 3) return "";
    const TreeId form = of(tree), leaf = store_.leaf(0);
    TreeId fold = leaf;
    for (std::int64_t i = 1; i < n; ++i) fold = store_.pair(fold, leaf);
    if (form == fold) return "in order";
    std::vector<TreeId> nodes(static_cast<std::size_t>(n), leaf);
    while (nodes.size() > 1) {
      std::vector<TreeId> next;
      for (std::size_t i = 0; i + 1 < nodes.size(); i += 2) next.push_back(store_.pair(nodes[i], nodes[i + 1]));
      if (nodes.size() % 2) next.push_back(nodes.back());
      nodes = std::move(next);
    }
    return form == nodes[0] ? "pairwise" : "";
  }

 private:
  const ir::TreeStore& trees_;
  ir::TreeStore store_;
  std::map<TreeId, TreeId> known_;
};

/// `0..63`, `0,4..60`, `3`, `0,5,..90`: the leaves of a tree by number.
std::string leaf_set(const ir::TreeStore& trees, TreeId tree) {
  std::vector<std::int64_t> leaves;
  std::vector<TreeId> stack{tree};
  while (!stack.empty()) {
    const TreeNode node = trees[stack.back()];
    stack.pop_back();
    if (node.leaf >= 0) {
      leaves.push_back(node.leaf);
    } else {
      stack.push_back(node.right);
      stack.push_back(node.left);
    }
  }
  std::sort(leaves.begin(), leaves.end());
  if (leaves.size() < 3) return fmt::format("{}", fmt::join(leaves, ","));
  const std::int64_t step = leaves[1] - leaves[0];
  bool even = true;
  for (std::size_t i = 1; i < leaves.size(); ++i) even = even && leaves[i] - leaves[i - 1] == step;
  if (even && step == 1) return fmt::format("{}..{}", leaves.front(), leaves.back());
  if (even) return fmt::format("{},{}..{}", leaves[0], leaves[1], leaves.back());
  return fmt::format("{},{},..{}", leaves[0], leaves[1], leaves.back());
}

class PanelMaker {
 public:
  PanelMaker(const ir::TreeStore& trees, Forms& forms, std::function<Level(TreeId)> level)
      : trees_(trees), forms_(forms), level_(std::move(level)) {}

  Panel make(TreeId tree, std::string title, std::int64_t largest_whole) {
    Panel out;
    out.title = std::move(title);
    cut_ = trees_.leaf_count(tree) > largest_whole;
    opened_.clear();
    if (cut_) open_largest(tree);
    panel_ = &out;
    const std::uint32_t root = place(tree);
    out.rows = out.marks[root].row;
    return out;
  }

 private:
  /// Opens the subtree with the most leaves, the first met of several, until the tree is wide enough.
  void open_largest(TreeId tree) {
    struct Entry {
      std::int64_t leaves;
      std::int64_t order;  ///< in which it was met
      TreeId tree;
      bool operator<(const Entry& other) const {
        return leaves != other.leaves ? leaves < other.leaves : order > other.order;
      }
    };
    std::priority_queue<Entry> closed;
    std::int64_t order = 0;
    closed.push({trees_.leaf_count(tree), order++, tree});
    for (std::size_t width = 1; width < cut_width && !closed.empty(); ++width) {
      const TreeId at = closed.top().tree;
      closed.pop();
      opened_.insert(at);
      for (TreeId operand : {trees_[at].left, trees_[at].right}) {
        if (trees_[operand].leaf < 0) closed.push({trees_.leaf_count(operand), order++, operand});
      }
    }
  }

  /// At most some dozens deep: no deeper than the panel is wide.
  std::uint32_t place(TreeId tree) {
    const TreeNode node = trees_[tree];
    Mark mark;
    mark.leaves = trees_.leaf_count(tree);
    if (node.leaf < 0 && (!cut_ || opened_.contains(tree))) {
      mark.kind = Mark::Kind::pair;
      mark.left = place(node.left);
      mark.right = place(node.right);
      const Mark &left = panel_->marks[mark.left], &right = panel_->marks[mark.right];
      mark.column = (left.column + right.column) / 2;
      mark.row = 1 + std::max(left.row, right.row);
      mark.level = level_ ? level_(tree) : Level::none;
    } else {
      mark.kind = node.leaf >= 0 ? Mark::Kind::leaf : Mark::Kind::bundle;
      mark.label = node.leaf >= 0 ? std::to_string(node.leaf) : leaf_set(trees_, tree);
      if (node.leaf < 0) mark.form = forms_.name(tree);
      panel_->bundles = panel_->bundles || node.leaf < 0;
      mark.column = panel_->columns++;
    }
    panel_->marks.push_back(std::move(mark));
    return static_cast<std::uint32_t>(panel_->marks.size() - 1);
  }

  const ir::TreeStore& trees_;
  Forms& forms_;
  std::function<Level(TreeId)> level_;
  Panel* panel_ = nullptr;
  bool cut_ = false;
  std::set<TreeId> opened_;
};

/// The whole tree, each pair with the level of the stage that forms it.
Section whole_tree(const ir::TreeStore& trees, const std::vector<Stage>& stages) {
  std::map<TreeId, Level> levels;
  for (const Stage& stage : stages) {
    const Level level = stage.level;
    // Each stage sets the level of its own pairs and of all above; later stages overwrite those above.
    std::vector<std::pair<TreeId, TreeId>> stack{{stages[0].tree, stage.tree}};
    while (!stack.empty()) {
      const auto [at, above] = stack.back();
      stack.pop_back();
      if (trees[above].leaf >= 0) continue;
      levels[at] = level;
      stack.push_back({trees[at].left, trees[above].left});
      stack.push_back({trees[at].right, trees[above].right});
    }
  }
  Forms forms(trees);
  PanelMaker maker(trees, forms, [&](TreeId tree) { return levels.at(tree); });
  return {"", {maker.make(stages[0].tree, "", largest_whole_tree)}};
}

/// What a stage's runs are called, and what each is reduced by.
std::pair<const char*, std::string> runs_of(const ir::Module& module, ir::ScheduleId part) {
  const ir::ScheduleNode& node = module.schedules()[part];
  const std::string inner = node.operands.empty() ? "" : shortened(schedule_text(module, node.operands.back()));
  return {node.op == ScheduleOp::lanes ? "lane" : "run", inner};
}

Section section_of(const ir::Module& module, const Stage& stage, bool first, bool only, Forms& forms) {
  const ir::TreeStore& trees = module.schedules().trees();
  const Level level = stage.level;
  PanelMaker maker(trees, forms, [level](TreeId) { return level; });
  Section out;
  if (!only) {
    out.title =
        fmt::format("{}: {} {} become {}", shortened(schedule_text(module, stage.part)), stage.before,
                    first ? "leaves" : "nodes", first ? plural(stage.after, "node") : std::to_string(stage.after));
  }
  if (stage.after == 1) {
    out.panels.push_back(maker.make(stage.tree, "", largest_whole_tree / 2));
    return out;
  }
  // One run of each form, the first; forms in the order in which they come.
  std::vector<std::pair<TreeId, std::vector<TreeId>>> kinds;
  for (TreeId run : stage.runs) {
    const TreeId form = forms.of(run);
    auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const auto& each) { return each.first == form; });
    if (kind == kinds.end()) kind = kinds.insert(kinds.end(), {form, {}});
    kind->second.push_back(run);
  }
  const auto [noun, inner] = runs_of(module, stage.part);
  for (std::size_t i = 0; i < std::min(kinds.size(), max_forms); ++i) {
    const std::vector<TreeId>& runs = kinds[i].second;
    const auto count = static_cast<std::int64_t>(runs.size());
    std::string title = fmt::format("{} of {} over {}", plural(count, noun), inner, trees.leaf_count(runs[0]));
    if (count > 1) title += ", the first:";
    if (i + 1 == max_forms && kinds.size() > max_forms) {
      title += fmt::format(" ({} more not drawn)", plural(static_cast<std::int64_t>(kinds.size() - max_forms), "form"));
    }
    out.panels.push_back(maker.make(runs[0], std::move(title), largest_whole_tree / 2));
  }
  return out;
}

}  // namespace

Drawing picture_of(ir::Module& module, ir::ScheduleId schedule, std::int64_t n, std::string title) {
  const auto [stages, problem] = stages_of(module.schedules(), schedule, n);
  if (problem) return {{}, problem};
  const ir::TreeStore& trees = module.schedules().trees();
  Drawing out;
  out.picture.title = std::move(title);
  out.picture.summary =
      n == 1 ? "1 leaf" : fmt::format("{} leaves, depth {}, {}", n, trees.depth(stages[0].tree), plural(n - 1, "pair"));
  if (n <= largest_whole_tree) {
    out.picture.sections.push_back(whole_tree(trees, stages));
    return out;
  }
  Forms forms(trees);
  for (const Stage& stage : stages) {
    out.picture.sections.push_back(
        section_of(module, stage, &stage == &stages.front(), stages.size() == 1, forms));
  }
  return out;
}

}  // namespace reckon::draw
