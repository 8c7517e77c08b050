#include "ir/schedule/cut.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace reckon::ir {

namespace {

/// More elements of a list than this do not become nodes one by one: the first number where the order that joins them
/// has subtrees, which are nodes in their place, the second where it has none.
constexpr std::int64_t usual_elements = 4096, most_elements = std::int64_t{1} << 20;

/// What a stage makes of the positions start + t * stride, t < length, of the list below. Null below: the leaves.
struct List {
  const List* below = nullptr;
  std::int64_t start = 0, stride = 1, length = 0;
  bool lanes = false;     ///< else runs
  std::int64_t size = 1;  ///< the stage's k
  std::int64_t count = 0;
  ScheduleId schedule;  ///< of each run or lane
  bool fused = false;   ///< the stage is inside `fused`
};

/// The fold of positions start + t * stride, t < length, of a list.
struct Subtree {
  ScheduleId order;
  const List* list = nullptr;
  std::int64_t start = 0, stride = 1, length = 1;
  bool fused = false;
};

std::int64_t bit_floor(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n)));
}
bool is_power_of_two(std::int64_t n) { return std::has_single_bit(static_cast<std::uint64_t>(n)); }

}  // namespace

class Cutter {
 public:
  Cutter(ScheduleStore& schedules, bool keeps_products) : schedules_(schedules), keeps_products_(keeps_products) {}

  /// Appends the nodes of the subtree to `groups`, and gives the order that joins them.
  ScheduleId cut(Subtree at, std::int64_t wanted);
  /// A single node becomes its leaves; the result is the order that joins them.
  ScheduleId give_leaves(Cut::Group& node) const {
    const ScheduleId join = std::exchange(node.order, schedules_.plain(ScheduleOp::seq));
    node.count = std::exchange(node.leaves, 1);
    node.single_leaves = true;
    return join;
  }
  std::vector<Cut::Group> groups;
  bool whole = false;  ///< something has no tree

 private:
  /// The element of a list, as a subtree over the list below.
  static Subtree element(const List& list, std::int64_t number) {
    Subtree out{list.schedule, list.below, 0, list.stride, 0, list.fused};
    if (list.lanes) {
      const std::int64_t rows = list.length / list.size;
      out.start = list.start + number * list.stride;
      out.stride *= list.size;
      out.length = rows + (number < list.length - rows * list.size ? 1 : 0);
    } else {
      out.start = list.start + number * list.size * list.stride;
      out.length = std::min(list.size, list.length - number * list.size);
    }
    return out;
  }
  static Subtree innermost(Subtree at) {
    while (at.length == 1 && at.list != nullptr) at = element(*at.list, at.start);
    return at;
  }
  Cut::Group described(const Subtree& at) const;
  std::int64_t leaves(const Subtree& at) const { return described(innermost(at)).leaves; }
  ScheduleId node(const Subtree& at);
  ScheduleId two(const Subtree& left, const Subtree& right, std::int64_t wanted);
  std::optional<std::pair<Subtree, Subtree>> halves(const Subtree& at, const ScheduleNode& head) const;
  /// The elements of the subtree's list, each a node; false if they cannot be nodes.
  bool elements(const Subtree& at, ScheduleOp op);
  bool enter_stages(Subtree& at, ScheduleId stage);
  std::int64_t count() const {
    std::int64_t all = 0;
    for (const Cut::Group& group : groups) all += group.count;
    return all;
  }
  void add(Cut::Group group);

  ScheduleStore& schedules_;
  bool keeps_products_;
  std::deque<List> lists_;  ///< a deque: lists point to each other
};

bool Cut::Group::same_form(const Group& other) const {
  if (order != other.order || leaves != other.leaves || levels.size() != other.levels.size()) return false;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const Level &a = levels[k], &b = other.levels[k];
    if (a.lanes != b.lanes || a.start != b.start || a.stride != b.stride || a.size != b.size || a.length != b.length ||
        a.affine != b.affine || a.pace != b.pace) {
      return false;
    }
  }
  return true;
}

std::int64_t Cut::nodes() const {
  std::int64_t all = 0;
  for (const Group& group : groups) all += group.count;
  return all;
}

/// The subtree as one node: its positions, level by level down to the leaves, and the schedule that folds them.
Cut::Group Cutter::described(const Subtree& at) const {
  using Level = Cut::Group::Level;
  Cut::Group out;
  Level top;
  top.length = at.length;
  top.base = at.start;
  top.pace = at.length == 1 ? 1 : at.stride;
  out.levels.push_back(top);
  ScheduleId term = at.order;
  bool fused = at.fused;
  for (const List* list = at.list; list != nullptr; list = list->below) {
    const std::size_t above_level = out.levels.size() - 1;
    const Level above = out.levels.back();
    const auto position = [&](std::int64_t t) { return out.position<std::int64_t>(above_level, 0, t); };
    if (fused && !list->fused) {
      term = schedules_.fused(term);
      fused = false;
    }
    Level level;
    level.lanes = list->lanes;
    level.start = list->start;
    level.stride = list->stride;
    level.size = list->size;
    if (list->lanes) {
      const std::int64_t rows = list->length / list->size, longer = list->length % list->size;
      // The first `longer` lanes have one node more.
      std::int64_t more = 0;
      if (!above.affine) {
        for (std::int64_t t = 0; t < above.length; ++t) more += position(t) < longer ? 1 : 0;
      } else if (longer > above.base) {
        more = std::min(above.length, (longer - 1 - above.base) / above.pace + 1);
      }
      level.length = above.length * rows + more;
      const bool all = above.affine && above.base == 0 && above.pace == 1 && above.length == list->count;
      level.affine = above.length == 1 || all;
      level.base = list->start + (all ? 0 : above.base * list->stride);
      level.pace = list->stride * (above.length == 1 ? list->size : 1);
      term = schedules_.then(schedules_.lanes(schedules_.indices().constant(above.length), list->schedule), term);
    } else {
      const bool has_last = position(above.length - 1) == list->count - 1;
      level.length = above.length * list->size - (has_last ? list->count * list->size - list->length : 0);
      level.affine = above.length == 1 || (above.affine && above.pace == 1);
      level.base = list->start + above.base * list->size * list->stride;
      level.pace = list->stride;
      term = schedules_.then(schedules_.tile(schedules_.indices().constant(list->size), list->schedule), term);
    }
    out.levels.push_back(level);
  }
  out.leaves = out.levels.back().length;
  out.order = fused ? schedules_.fused(term) : term;
  return out;
}

void Cutter::add(Cut::Group next) {
  if (!groups.empty() && groups.back().same_form(next)) {
    Cut::Group& last = groups.back();
    // The distance is that of the first level; those below follow from it, where they are affine.
    const std::int64_t step = next.levels[0].base - last.levels[0].base;
    const std::int64_t wanted = last.count == 1 ? step : last.levels[0].step * last.count;
    if (step == wanted) {
      if (last.count == 1) {
        for (std::size_t k = 0; k < last.levels.size(); ++k)
          last.levels[k].step = next.levels[k].base - last.levels[k].base;
      }
      ++last.count;
      return;
    }
  }
  groups.push_back(std::move(next));
}

ScheduleId Cutter::node(const Subtree& at) {
  add(described(innermost(at)));
  return schedules_.plain(ScheduleOp::seq);
}

ScheduleId Cutter::two(const Subtree& left, const Subtree& right, std::int64_t wanted) {
  const std::int64_t of_left = leaves(left), of_right = leaves(right);
  const auto share = static_cast<double>(of_left) / static_cast<double>(of_left + of_right);
  const std::int64_t for_left =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(share * static_cast<double>(wanted) + 0.5), 1, wanted - 1);
  const std::int64_t before = count();
  const ScheduleId join_left = cut(left, for_left);
  const std::int64_t nodes_left = count() - before;
  const ScheduleId join_right = cut(right, wanted - for_left);
  return schedules_.split(schedules_.indices().constant(nodes_left), join_left, join_right);
}

std::optional<std::pair<Subtree, Subtree>> Cutter::halves(const Subtree& at, const ScheduleNode& head) const {
  const std::int64_t n = at.length;
  Subtree left = at, right = at;
  const auto at_position = [&](std::int64_t first) {
    left.length = first;
    right.length = n - first;
    right.start += first * at.stride;
  };
  switch (head.op) {
    case ScheduleOp::tree: at_position(is_power_of_two(n) ? n / 2 : bit_floor(n)); break;
    case ScheduleOp::blelloch: at_position(is_power_of_two(n) ? n / 2 : n - (n & -n)); break;
    case ScheduleOp::halving:
      left.length = n - n / 2;
      right.length = n / 2;
      right.start += at.stride;
      left.stride = right.stride = 2 * at.stride;
      break;
    case ScheduleOp::split:
      at_position(schedules_.indices()[head.parameter].value);
      left.order = head.operands[0];
      right.order = head.operands[1];
      break;
    case ScheduleOp::seq:
      if (at.list == nullptr) return std::nullopt;  // a chain
      at_position(n - 1);
      break;
    default: return std::nullopt;
  }
  if (keeps_products_ && leaves(left) == 1 && leaves(right) > 1) return std::nullopt;
  return std::pair(left, right);
}

bool Cutter::elements(const Subtree& at, ScheduleOp op) {
  std::vector<Cut::Group> made;
  std::swap(made, groups);
  bool some_single = false, some_larger = false;
  for (std::int64_t t = 0; t < at.length; ++t) {
    node(element(*at.list, at.start + t * at.stride));
    (groups.back().leaves == 1 ? some_single : some_larger) = true;
  }
  std::swap(made, groups);
  // In these orders the shorter lists come last.
  const bool in_order =
      op == ScheduleOp::seq || op == ScheduleOp::tree || op == ScheduleOp::halving || op == ScheduleOp::blelloch;
  if (keeps_products_ && some_single && some_larger && !in_order) return false;
  for (Cut::Group& group : made) groups.push_back(std::move(group));
  return true;
}

bool Cutter::enter_stages(Subtree& at, ScheduleId stage) {
  std::vector<ScheduleId> stages{stage};
  while (!stages.empty()) {
    const auto [head, problem] = schedules_.head(stages.back(), at.length);
    stages.pop_back();
    if (problem) return false;
    const ScheduleNode written = schedules_[head];
    if (written.op == ScheduleOp::stage_then) {
      stages.push_back(written.operands[1]);
      stages.push_back(written.operands[0]);
      continue;
    }
    if (written.op == ScheduleOp::arrange) return false;
    List& list = lists_.emplace_back();
    list.below = at.list;
    list.start = at.start;
    list.stride = at.stride;
    list.length = at.length;
    list.lanes = written.op == ScheduleOp::lanes;
    list.size = std::min(schedules_.parameter(head), at.length);
    list.count = list.lanes ? list.size : (at.length + list.size - 1) / list.size;
    list.schedule = written.operands[0];
    list.fused = at.fused;
    at = {at.order, &list, 0, 1, list.count, at.fused};
  }
  return true;
}

ScheduleId Cutter::cut(Subtree at, std::int64_t wanted) {
  const bool around = at.fused;
  at = innermost(at);
  // The join of the nodes of a run that is not fused must not be inside `fused`: such a run stays one node.
  if (wanted <= 1 || at.length == 1 || at.fused != around) return node(at);
  const auto [found, problem] = schedules_.head(at.order, at.length);
  if (problem) {
    whole = true;
    return node(at);
  }
  at.order = found;
  const ScheduleNode head = schedules_[found];
  switch (head.op) {
    case ScheduleOp::fused: {
      if (!keeps_products_ || at.fused) return node(at);
      Subtree inner = at;
      inner.order = head.operands[0];
      inner.fused = true;
      return schedules_.fused(cut(inner, wanted));
    }
    case ScheduleOp::then: {
      Subtree inner = at;
      inner.order = head.operands[1];
      return enter_stages(inner, head.operands[0]) ? cut(inner, wanted) : node(at);
    }
    case ScheduleOp::split:
      if (at.length <= schedules_.parameter(found)) {
        at.order = head.operands[0];
        return cut(at, wanted);
      }
      break;
    default: break;
  }
  const bool has_subtrees = head.op == ScheduleOp::tree || head.op == ScheduleOp::halving ||
                            head.op == ScheduleOp::blelloch || head.op == ScheduleOp::split;
  const bool enough = at.length >= wanted || (!has_subtrees && head.op != ScheduleOp::seq);
  const bool too_many = at.length > (has_subtrees ? std::max(usual_elements, wanted) : most_elements);
  if (at.list != nullptr && !is_arithmetic(head.op) && enough && !too_many && elements(at, head.op)) return found;
  if (head.op == ScheduleOp::seq && at.length >= wanted) return node(at);
  const auto parts = halves(at, head);
  return parts ? two(parts->first, parts->second, wanted) : node(at);
}

std::optional<Cut> cut(ScheduleStore& schedules, ScheduleId schedule, std::int64_t n, std::int64_t wanted,
                       bool keeps_products) {
  Cutter cutter(schedules, keeps_products);
  Cut out;
  out.join = cutter.cut({schedule, nullptr, 0, 1, n, false}, std::min(wanted, n));
  if (cutter.whole) return std::nullopt;
  out.groups = std::move(cutter.groups);
  if (out.nodes() == 1 && out.groups[0].leaves > 1) out.join = cutter.give_leaves(out.groups[0]);
  return out;
}

}  // namespace reckon::ir
