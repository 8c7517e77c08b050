#include "interp/fold.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <utility>

#include "diagnostics/codes/internal.h"
#include "diagnostics/codes/static_depth.h"
#include "ir/bind.h"
#include "ir/fold_operation.h"
#include "ir/op.h"
#include "ir/schedule/bounds.h"
#include "ir/schedule/round_walk.h"

namespace reckon::interp {

using ir::ScheduleOp;

namespace {
/// The deepest nesting of stages, which `length` terms that refer to themselves may cause. Splits do not count.
constexpr int deepest = 1000;

/// Gives the steps of a written-out tree in the form of ir::RoundWalk.
class TreeWalk {
 public:
  TreeWalk(const ir::TreeStore& trees, ir::TreeId tree) : trees_(trees), pending_{tree} {}

  std::optional<std::int64_t> next() {
    while (!pending_.empty()) {
      const ir::TreeId at = pending_.back();
      pending_.pop_back();
      if (!at.valid()) return ir::RoundWalk::join;
      const ir::TreeNode& node = trees_[at];
      if (node.leaf >= 0) return node.leaf;
      pending_.push_back({});
      pending_.push_back(node.right);
      pending_.push_back(node.left);
    }
    return std::nullopt;
  }

 private:
  const ir::TreeStore& trees_;
  std::vector<ir::TreeId> pending_;
};

}  // namespace

Folder::Folder(Evaluator& evaluator, Frame& outer, ir::NodeId fold)
    : evaluator_(evaluator), outer_(outer), place_(fold), reduction_(evaluator.module().reduction_of(fold)),
      order_(evaluator.module().schedules(), reduction_.schedule) {
  const ir::Node& node = evaluator.module()[fold];
  variable_ = node.variables[0];
  body_ = node.operands[0];
  if (reduction_.user) {
    left_ = node.variables[1];
    right_ = node.variables[2];
    operation_ = node.operands[1];
  }
  scalars_ = evaluator.component_scalars(evaluator.module()[body_].type);
  plain_sums_ = evaluator.semantics().traits().laws.has(ir::Law::sums_exactly);
  fuses_ = !plain_sums_ && evaluator.module().schedules().absorbs_products(reduction_.schedule);
}

bool Folder::follows_orders() {
  if (!reduction_.user || !evaluator_.semantics().traits().bounds_all_orders) return true;
  return evaluator_.fail(ir::orders_of_function(evaluator_.module(), place_)
                             .help("`+`, `*`, `min` and `max` of the two operands have one; for the order that is stated, "
                                   "ask `show f(x) in bound`"));
}

bool Folder::reduce(std::int64_t length, Columns& out) {
  if (!follows_orders()) return false;
  Nodes result;
  if (!fold(order_, {nullptr, {0}, 1, length}, result) || !round_products(result)) return false;
  out.assign(result.columns.begin(), result.columns.begin() + static_cast<std::ptrdiff_t>(scalars_.size()));
  return true;
}

// Nodes of lists.

bool Folder::leaves(std::vector<std::int64_t> positions, Nodes& out) {
  const auto count = static_cast<std::int64_t>(positions.size());
  const std::int64_t step = count > 1 ? positions[1] - positions[0] : 1;
  bool strided = true;
  for (std::size_t r = 1; r < positions.size(); ++r) strided &= positions[r] - positions[r - 1] == step;

  if (stored_ != nullptr) {
    if (strided && step == 1) {
      out = view(*stored_, positions[0] * outer_.size, count * outer_.size);
      return true;
    }
    out = new_rows(count * outer_.size);
    for (std::int64_t r = 0; r < count; ++r) {
      copy_rows(*stored_, positions[static_cast<std::size_t>(r)], out, r, 1, outer_.size);
    }
    return true;
  }

  Frame frame;
  frame.init_tile(outer_, count);
  IndexColumn column;
  if (strided) {
    column.base = positions[0];
    column.strides.assign(frame.dims.size(), 0);
    column.strides[0] = count > 1 ? step : 0;
  } else {
    column.strided = false;
    column.values.reserve(static_cast<std::size_t>(frame.size));
    for (std::int64_t position : positions) {
      column.values.insert(column.values.end(), static_cast<std::size_t>(outer_.size), position);
    }
  }
  frame.bind_index(variable_, std::move(column));
  if (!fuses_) return evaluator_.ensure_values(frame, body_, out.columns);
  const std::vector<ir::NodeId> factors = evaluator_.module()[body_].operands;
  if (!evaluator_.ensure_values(frame, factors)) return false;
  for (ir::NodeId factor : factors) {
    Columns one;
    if (!evaluator_.ensure_values(frame, factor, one)) return false;
    out.columns.push_back(std::move(one[0]));
  }
  out.products.assign(static_cast<std::size_t>(count), 1);
  return true;
}

std::int64_t Folder::List::position_below(std::int64_t position) const {
  const std::int64_t which = starts.size() == 1 ? 0 : position / count;
  std::int64_t node = position - which * count;
  if (kind == Kind::arranged) {
    const std::int64_t run = size, o = node / run, c = node % run;
    if (!arrangement->open) {
      node = arrangement->node(o, c);
    } else if ((o + 1) * run > length) {
      node = last_run[static_cast<std::size_t>(c)];
    } else {
      node = o * run + ir::Arrangement::offset(arrangement->run, c);
    }
  }
  return starts[static_cast<std::size_t>(which)] + node * stride;
}

bool Folder::nodes(const List* list, std::vector<std::int64_t> positions, Nodes& out) {
  if (list == nullptr) return leaves(std::move(positions), out);
  const Arithmetic around = std::exchange(arithmetic_, list->arithmetic);
  bool good = true;
  if (list->kind == List::Kind::tile || list->kind == List::Kind::lanes) {
    good = folded_nodes(*list, positions, out);
    arithmetic_ = around;
    return good;
  }
  for (std::int64_t& position : positions) position = list->position_below(position);
  const auto count = static_cast<std::int64_t>(positions.size()) * outer_.size;
  good = nodes(list->below, std::move(positions), out);
  if (good && list->kind == List::Kind::compensated) good = round_products(out) && compensate(out, count);
  arithmetic_ = around;
  return good;
}

bool Folder::folded_nodes(const List& folded, const std::vector<std::int64_t>& positions, Nodes& out) {
  const List* list = &folded;
  const bool lanes = list->kind == List::Kind::lanes;
  // Each node is the fold of a run or a lane; nodes of the same length are folded together.
  std::map<std::int64_t, std::pair<Sublists, std::vector<std::int64_t>>> groups;  // by length: sublists, their rows
  std::int64_t grouped = 0;
  std::pair<Sublists, std::vector<std::int64_t>>* group = nullptr;  // the group of length `grouped`
  const std::int64_t whole = list->length / list->size;  // that of a lane; the first `length % size` have one more
  const bool one_sublist = list->starts.size() == 1;
  for (std::size_t r = 0; r < positions.size(); ++r) {
    const std::int64_t which = one_sublist ? 0 : positions[r] / list->count;
    const std::int64_t node = positions[r] - which * list->count;
    const std::int64_t first = lanes ? node : node * list->size;
    const std::int64_t length =
        lanes ? whole + (node < list->length - whole * list->size) : std::min(list->size, list->length - first);
    if (length != grouped) {
      grouped = length;
      group = &groups[length];
    }
    auto& [sublists, rows] = *group;
    if (rows.empty()) sublists = {list->below, {}, lanes ? list->stride * list->size : list->stride, length};
    sublists.starts.push_back(list->starts[static_cast<std::size_t>(which)] + first * list->stride);
    rows.push_back(static_cast<std::int64_t>(r));
  }
  if (groups.size() == 1) return fold(list->schedule, groups.begin()->second.first, out);
  out = new_rows(static_cast<std::int64_t>(positions.size()) * outer_.size);
  for (auto& [length, of_length] : groups) {
    const auto& [sublists, rows] = of_length;
    Nodes some;
    if (!fold(list->schedule, sublists, some)) return false;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      copy_rows(some, static_cast<std::int64_t>(k), out, rows[k], 1, outer_.size);
    }
  }
  return true;
}

bool Folder::rows(const Sublists& of, std::int64_t first, std::int64_t count, Nodes& out) {
  std::vector<std::int64_t> positions;
  positions.reserve(of.starts.size() * static_cast<std::size_t>(count));
  for (std::int64_t t = first; t < first + count; ++t) {
    for (std::int64_t start : of.starts) positions.push_back(start + t * of.stride);
  }
  return nodes(of.list, std::move(positions), out);
}

// Schedules.

bool Folder::head_of(const ir::Order& schedule, std::int64_t n, ir::Order& head) {
  auto found = evaluator_.head(schedule, n);
  if (found.problem) return evaluator_.no_order(place_, schedule, *found.problem);
  head = std::move(found.order);
  return true;
}

bool Folder::fold(const ir::Order& schedule, const Sublists& of, Nodes& out) {
  // If there are more sublists than a batch holds, they are folded in groups, so that memory stays within few batches.
  const auto count = static_cast<std::int64_t>(of.starts.size());
  const std::int64_t at_once = rows_at_once(outer_.size);
  if (count > at_once && of.length > 1) {
    out = new_rows(count * outer_.size);
    for (std::int64_t first = 0; first < count; first += at_once) {
      const std::int64_t some = std::min(at_once, count - first);
      Sublists group = of;
      group.starts.assign(of.starts.begin() + first, of.starts.begin() + first + some);
      Nodes part;
      if (!fold(schedule, group, part)) return false;
      copy_rows(part, 0, out, first, some, outer_.size);
    }
    return true;
  }
  const driver::Traits traits = evaluator_.semantics().traits();
  if (traits.knows_sets_of_orders() && !reduction_.user && arithmetic_ == Arithmetic::plain) {
    const auto found = evaluator_.head(schedule, of.length);
    if (found.problem && found.problem->kind == ir::ScheduleProblem::Kind::no_single_order) {
      if (traits.bounds_all_orders) return fold_one_of(found.order, of, out);
      return fold_all_orders(found.order.op(), of, out);
    }
  }
  ir::Order head;
  if (!head_of(schedule, of.length, head)) return false;
  if (depth_ >= deepest) {
    return evaluator_.fail(Diagnostic(code::static_depth, evaluator_.span(place_),
                                      "stages of this schedule are nested more than 1000 deep"));
  }
  ++depth_;
  const bool good = fold_head(head, of, out);
  --depth_;
  return good;
}

bool Folder::fold_one_of(const ir::Order& set, const Sublists& of, Nodes& out) {
  const ir::Order tree = set.plain(ScheduleOp::tree);
  List lanes;
  const bool in_lanes = set.op() == ScheduleOp::any_lanes;
  const Sublists nodes = in_lanes ? lanes.take(List::Kind::lanes, set.parameter(), tree, of, arithmetic_) : of;
  if (!fold(tree, nodes, out)) return false;
  // Two leaves have only one order. A single leaf is not summed here, and may itself be the result of another sum.
  if (!ir::is_limited_set(set.op()) || reduction_.operation != ir::Op::add || !ir::is_float(scalars_[0]) || of.length <= 2) {
    return true;
  }
  const ir::SumOrder order{.op = set.op(), .leaves = of.length, .parameter = set.parameter()};
  const mpq_class factor = *ir::tightest_factor(order, {.format = ir::format_of(scalars_[0])});
  const std::uint64_t bits = numerics::round_rational(factor, numerics::Format::f64, numerics::Rounding::upward);
  evaluator_.semantics().limit_orders(scalars_[0], std::bit_cast<double>(bits), out.columns[0].writable(),
                                      static_cast<std::size_t>(of.width(outer_)));
  return true;
}

bool Folder::fold_all_orders(ScheduleOp orders, const Sublists& of, Nodes& out) {
  if (ir::is_limited_set(orders)) orders = ScheduleOp::any;  // `any` includes it
  const std::int64_t width = of.width(outer_);
  Nodes all;
  if (!rows(of, 0, of.length, all) || !round_products(all)) return false;
  out = new_rows(width);
  const Column& column = all.columns[0];
  return evaluator_.check(place_, evaluator_.semantics().fold_all_orders(
                                      reduction_.operation, orders, column.scalar, rows_of(column, 0, width),
                                      out.columns[0].writable(), static_cast<std::size_t>(of.length),
                                      static_cast<std::size_t>(width)));
}

bool Folder::fold_head(const ir::Order& head, const Sublists& of, Nodes& out) {
  const auto by_tree = [&](const ir::TreeStore& trees, ir::TreeId tree) {
    TreeWalk walk(trees, tree);
    return fold_steps([&] { return walk.next(); }, of, out);
  };
  switch (head.op()) {
    case ScheduleOp::quoted: return by_tree(head.trees(), head.node().tree);
    case ScheduleOp::split: return fold_split(head, of, out);
    case ScheduleOp::then: return fold_then(head, of, out);
    default:
      if (ir::is_arithmetic(head.op())) return fold_arithmetic(head, of, out);
      break;
  }
  if (of.length == 1) return rows(of, 0, 1, out);
  switch (head.op()) {
    case ScheduleOp::seq: return fold_seq(of, out);
    case ScheduleOp::tree: return fold_tree(of, out);
    case ScheduleOp::halving: return fold_halving(head, of, out);
    case ScheduleOp::blelloch: return fold_blelloch(of, out);
    case ScheduleOp::rounds: {
      ir::RoundWalk walk(head.node().form->rounds, of.length);
      return fold_steps([&] { return walk.next(); }, of, out);
    }
    default: break;
  }
  // Any other form is expanded to its tree.
  ir::TreeStore trees;
  const auto [tree, problem] = ir::expand(head, of.length, trees);
  return problem ? evaluator_.no_order(place_, head, *problem) : by_tree(trees, tree);
}

bool Folder::fold_seq(const Sublists& of, Nodes& out) {
  const std::int64_t width = of.width(outer_);
  const std::int64_t at_once = rows_at_once(width);
  Semantics& semantics = evaluator_.semantics();
  for (std::int64_t first = 0; first < of.length; first += at_once) {
    const std::int64_t count = std::min(at_once, of.length - first);
    Nodes chunk;
    if (!rows(of, first, count, chunk)) return false;
    std::int64_t next = 0;
    if (first == 0) {
      out = new_rows(width);
      copy_rows(chunk, 0, out, 0, 1, width);
      next = 1;
    }
    const auto left = static_cast<std::size_t>(count - next), columns = static_cast<std::size_t>(width);
    if (!reduction_.user && arithmetic_ == Arithmetic::plain) {
      if (!round_products(chunk) || !round_products(out)) return false;
      const Column& column = chunk.columns[0];
      if (!evaluator_.check(place_, semantics.accumulate(reduction_.operation, column.scalar, out.columns[0].writable(),
                                                         rows_of(column, next * width, width), left, columns))) {
        return false;
      }
      continue;
    }
    if (arithmetic_ == Arithmetic::fused && left > 0 &&
        std::all_of(chunk.products.begin() + next * width / outer_.size, chunk.products.end(),
                    [](std::uint8_t product) { return product != 0; })) {
      if (!round_products(out)) return false;
      const Columns& factors = chunk.columns;
      if (!evaluator_.check(
              place_, semantics.accumulate_products(factors[0].scalar, out.columns[0].writable(),
                                                    rows_of(factors[0], next * width, width),
                                                    rows_of(factors[1], next * width, width), left, columns))) {
        return false;
      }
      continue;
    }
    if (arithmetic_ == Arithmetic::neumaier || arithmetic_ == Arithmetic::kahan) {
      // Two nodes are used alternately, because allocating new rows for every node would take most of the time.
      Nodes other = new_rows(width);
      Column x = evaluator_.column(scalars_[0], width), y = evaluator_.column(scalars_[0], width);
      for (; next < count; ++next) {
        if (!join_compensated({&out}, {&chunk, next}, 1, width, other, x, y)) return false;
        std::swap(out, other);
      }
      continue;
    }
    for (; next < count; ++next) {
      Nodes joined;
      if (!join({&out}, {&chunk, next}, 1, width, joined)) return false;
      out = std::move(joined);
    }
  }
  return true;
}

bool Folder::fold_tree(const Sublists& of, Nodes& out) {
  const std::int64_t width = of.width(outer_);
  // A block whose number of rows is a power of two is a whole subtree; the finished subtrees form a binary counter.
  const auto at_once = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(rows_at_once(width))));
  std::vector<Nodes> counter;
  for (std::int64_t first = 0; first < of.length; first += at_once) {
    const std::int64_t count = std::min(at_once, of.length - first);
    Nodes chunk;
    if (!rows(of, first, count, chunk) || !reduce_pairwise(chunk, count, width)) return false;
    if (count == at_once) {
      for (std::int64_t number = first / at_once + 1; number % 2 == 0; number /= 2) {
        Nodes joined;
        if (!join_one(counter.back(), chunk, width, joined)) return false;
        counter.pop_back();
        chunk = std::move(joined);
      }
    }
    counter.push_back(std::move(chunk));
  }
  // From the smallest block to the largest: an odd last node was carried until there was one to its left.
  out = std::move(counter.back());
  counter.pop_back();
  for (; !counter.empty(); counter.pop_back()) {
    Nodes joined;
    if (!join_one(counter.back(), out, width, joined)) return false;
    out = std::move(joined);
  }
  return true;
}

bool Folder::fold_blelloch(const Sublists& of, Nodes& out) {
  // As in `tree`, but the blocks of the counter are joined from the largest one on.
  const std::int64_t width = of.width(outer_);
  const auto at_once = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(rows_at_once(width))));
  std::vector<Nodes> counter;
  for (std::int64_t first = 0; first < of.length; first += at_once) {
    const std::int64_t count = std::min(at_once, of.length - first);
    for (std::int64_t done = 0; done < count;) {
      const auto block = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(count - done)));
      Nodes chunk;
      if (!rows(of, first + done, block, chunk) || !reduce_pairwise(chunk, block, width)) return false;
      for (std::int64_t number = first / at_once + 1; block == at_once && number % 2 == 0; number /= 2) {
        Nodes joined;
        if (!join_one(counter.back(), chunk, width, joined)) return false;
        counter.pop_back();
        chunk = std::move(joined);
      }
      counter.push_back(std::move(chunk));
      done += block;
    }
  }
  out = std::move(counter.front());
  for (std::size_t k = 1; k < counter.size(); ++k) {
    Nodes joined;
    if (!join_one(out, counter[k], width, joined)) return false;
    out = std::move(joined);
  }
  return true;
}

bool Folder::reduce_pairwise(Nodes& rows, std::int64_t count, std::int64_t width) {
  while (count > 1) {
    Nodes joined;
    const std::int64_t pairs = count / 2;
    if (!join({&rows, 0, 2}, {&rows, 1, 2}, pairs, width, joined)) return false;
    if (count % 2 != 0) {
      Nodes carried = new_rows((pairs + 1) * width);
      copy_rows(joined, 0, carried, 0, pairs, width);
      copy_rows(rows, count - 1, carried, pairs, 1, width);
      joined = std::move(carried);
    }
    rows = std::move(joined);
    count = pairs + count % 2;
  }
  return true;
}

bool Folder::fold_halving(const ir::Order& head, const Sublists& of, Nodes& out) {
  const std::int64_t width = of.width(outer_);
  if (of.length <= rows_at_once(width) || of.length <= 2) {
    if (!rows(of, 0, of.length, out)) return false;
    std::int64_t count = of.length;
    while (count > 1) {
      const auto half = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(count)) / 2);
      Nodes joined;
      if (!join({&out, 0, 1}, {&out, half, 1}, count - half, width, joined)) return false;
      Nodes level = new_rows(half * width);
      copy_rows(joined, 0, level, 0, count - half, width);
      copy_rows(out, count - half, level, count - half, half - (count - half), width);
      out = std::move(level);
      count = half;
    }
    return true;
  }
  if (rows_at_once(width) <= 2) {
    // The last join combines the result of the even positions with the result of the odd ones.
    Sublists even{of.list, of.starts, of.stride * 2, of.length - of.length / 2};
    Sublists odd{of.list, of.starts, of.stride * 2, of.length / 2};
    for (std::int64_t& start : odd.starts) start += of.stride;
    Nodes left, right;
    return fold_halving(head, even, left) && fold_halving(head, odd, right) && join_one(left, right, width, out);
  }
  // The rounds with distances C and more, C a power of two, reduce each residue class modulo C by halving; the rest is
  // halving of the C results. Therefore C rows are folded in lockstep, next to each other in memory.
  const auto classes = static_cast<std::int64_t>(
      std::bit_floor(static_cast<std::uint64_t>(std::min(rows_at_once(width), of.length - 1))));
  List list;
  list.kind = List::Kind::lanes;
  list.below = of.list;
  list.starts = of.starts;
  list.stride = of.stride;
  list.length = of.length;
  list.size = list.count = classes;
  list.schedule = head;
  list.arithmetic = arithmetic_;
  Sublists results{&list, of.starts, 1, classes};
  for (std::size_t p = 0; p < results.starts.size(); ++p) results.starts[p] = static_cast<std::int64_t>(p) * classes;
  return fold_halving(head, results, out);
}

bool Folder::fold_split(const ir::Order& head, const Sublists& of, Nodes& out) {
  // Splits may be nested as deeply as there are leaves, on either side, so an explicit stack replaces recursion.
  struct Work {
    ir::Order schedule;  ///< not valid: join the two values on top of the stack
    std::int64_t first = 0;
    std::int64_t length = 0;
  };
  std::vector<Work> work{{head, 0, of.length}};
  std::vector<Nodes> values;
  while (!work.empty()) {
    const Work item = work.back();
    work.pop_back();
    if (!item.schedule.valid()) {
      Nodes joined;
      if (!join_one(values[values.size() - 2], values.back(), of.width(outer_), joined)) return false;
      values.pop_back();
      values.back() = std::move(joined);
      continue;
    }
    ir::Order at;
    if (!head_of(item.schedule, item.length, at)) return false;
    if (at.op() == ScheduleOp::split) {
      const std::int64_t first = at.parameter();
      if (item.length <= first) {
        work.push_back({at.operand(0), item.first, item.length});
      } else {
        work.push_back({});
        work.push_back({at.operand(1), item.first + first, item.length - first});
        work.push_back({at.operand(0), item.first, first});
      }
      continue;
    }
    Sublists part{of.list, of.starts, of.stride, item.length};
    for (std::int64_t& start : part.starts) start += item.first * of.stride;
    Nodes value;
    if (!fold(at, part, value)) return false;
    values.push_back(std::move(value));
  }
  out = std::move(values.back());
  return true;
}

bool Folder::fold_steps(const std::function<std::optional<std::int64_t>()>& step, const Sublists& of, Nodes& out) {
  const std::int64_t width = of.width(outer_), at_once = rows_at_once(width);
  std::vector<Nodes> values;
  // Leaves are computed in the order of the tree, as many at a time as a batch holds.
  std::vector<std::int64_t> ahead;
  std::vector<bool> steps;  // whether a step takes the next leaf, or joins the two values on top
  const auto run = [&] {
    std::vector<std::int64_t> positions;
    positions.reserve(ahead.size() * of.starts.size());
    for (std::int64_t leaf : ahead) {
      for (std::int64_t start : of.starts) positions.push_back(start + leaf * of.stride);
    }
    Nodes leaves;
    if (!ahead.empty() && !nodes(of.list, std::move(positions), leaves)) return false;
    std::int64_t next = 0;
    for (const bool takes_leaf : steps) {
      if (takes_leaf) {
        values.push_back(view(leaves, next++ * width, width));
        continue;
      }
      Nodes joined;
      if (!join_one(values[values.size() - 2], values.back(), width, joined)) return false;
      values.pop_back();
      values.back() = std::move(joined);
    }
    ahead.clear();
    steps.clear();
    return true;
  };
  while (const auto leaf = step()) {
    const bool takes_leaf = *leaf != ir::RoundWalk::join;
    if (takes_leaf) {
      if (static_cast<std::int64_t>(ahead.size()) == at_once && !run()) return false;
      ahead.push_back(*leaf);
    }
    steps.push_back(takes_leaf);
  }
  if (!run()) return false;
  out = std::move(values.back());
  return true;
}

Folder::Sublists Folder::List::take(Kind stage, std::int64_t k, const ir::Order& inner, const Sublists& of,
                                   Arithmetic around) {
  kind = stage;
  below = of.list;
  starts = of.starts;
  stride = of.stride;
  length = of.length;
  size = std::min(k, length);
  count = kind == Kind::lanes ? size : kind == Kind::tile ? (length + size - 1) / size : length;
  schedule = inner;
  arithmetic = around;
  Sublists out{this, starts, 1, count};
  for (std::size_t p = 0; p < starts.size(); ++p) out.starts[p] = static_cast<std::int64_t>(p) * count;
  return out;
}

bool Folder::fold_then(const ir::Order& head, const Sublists& of, Nodes& out) {
  std::deque<List> lists;  // a deque: lists point to each other
  Sublists current = of;
  // The stages in order; nested ones as in `A then B` are flattened.
  std::vector<ir::Order> stages{head.operand(0)};
  while (!stages.empty()) {
    ir::Order stage;
    const ir::Order written = stages.back();
    stages.pop_back();
    if (!head_of(written, current.length, stage)) return false;
    if (stage.op() == ScheduleOp::stage_then) {
      stages.push_back(stage.operand(1));
      stages.push_back(stage.operand(0));
      continue;
    }
    auto put = [&](List::Kind kind, std::int64_t size) -> List& {
      List& list = lists.emplace_back();
      current = list.take(kind, size, stage.operand(0), current, arithmetic_);
      return list;
    };
    if (stage.op() != ScheduleOp::arrange) {
      put(stage.op() == ScheduleOp::lanes ? List::Kind::lanes : List::Kind::tile, stage.parameter());
      continue;
    }
    // The nodes in the arrangement's order, and the runs of these nodes.
    const ir::Arrangement& arrangement = stage.arrangement();
    const std::int64_t run = arrangement.run_length();
    List& arranged = put(List::Kind::arranged, run);
    arranged.size = run;
    arranged.arrangement = &arrangement;
    if (const std::int64_t rest = arranged.length % run; arrangement.open && rest > 0) {
      const std::int64_t first = arranged.length - rest;
      for (std::int64_t c = 0; c < run; ++c) {
        const std::int64_t at = ir::Arrangement::offset(arrangement.run, c);
        if (at < rest) arranged.last_run.push_back(first + at);
      }
    }
    put(List::Kind::tile, run);
  }
  return fold(head.operand(1), current, out);
}

// Values.

bool Folder::join(RowRange left, RowRange right, std::int64_t count, std::int64_t width, Nodes& out) {
  if (!reduction_.user) {
    if (arithmetic_ == Arithmetic::neumaier || arithmetic_ == Arithmetic::kahan) {
      return join_compensated(left, right, count, width, out);
    }
    if (fuses_) {
      return join_fused(*left.nodes, left.first, left.step, *right.nodes, right.first, right.step, count, width, out);
    }
    out = new_rows(count * width);
    return apply_join(reduction_.operation,
                      {rows_of(left.nodes->columns[0], left.first * width, left.step * width),
                       rows_of(right.nodes->columns[0], right.first * width, right.step * width)},
                      out.columns[0], count, width);
  }
  auto contiguous = [&](const RowRange& range) {
    if (range.step == 1 || count == 1) return view(*range.nodes, range.first * width, count * width);
    Nodes copied = new_rows(count * width);
    for (std::int64_t r = 0; r < count; ++r) copy_rows(*range.nodes, range.first + r * range.step, copied, r, 1, width);
    return copied;
  };
  if (!program_) program_ = JoinProgram::make(evaluator_, outer_, operation_, left_, right_);
  if (*program_)
    return (*program_)->run(contiguous(left).columns, contiguous(right).columns, count * width, out.columns);
  Frame frame;
  frame.init_tile(outer_, count * width / outer_.size);
  frame.bind_operand(left_, contiguous(left).columns);
  frame.bind_operand(right_, contiguous(right).columns);
  return evaluator_.ensure_values(frame, operation_, out.columns);
}

Nodes Folder::new_rows(std::int64_t count) {
  Nodes made;
  for (ir::Scalar scalar : scalars_) made.columns.push_back(evaluator_.column(scalar, count));
  if (fuses_ || arithmetic_ == Arithmetic::neumaier || arithmetic_ == Arithmetic::kahan) {
    made.columns.push_back(evaluator_.column(scalars_[0], count));
  }
  if (fuses_) made.products.assign(static_cast<std::size_t>(count / outer_.size), 0);
  return made;
}

void Folder::copy_rows(const Nodes& from, std::int64_t from_row, Nodes& to, std::int64_t to_row, std::int64_t count,
                       std::int64_t width) {
  for (std::size_t c = 0; c < from.columns.size(); ++c) {
    const Column& column = from.columns[c];
    const std::size_t bytes = evaluator_.semantics().size(column.scalar);
    copy_values(evaluator_.semantics(), column.scalar, column.data + static_cast<std::size_t>(from_row * width) * bytes,
                to.columns[c].writable() + static_cast<std::size_t>(to_row * width) * bytes,
                static_cast<std::size_t>(count * width));
  }
  const std::int64_t positions = width / outer_.size;
  if (!from.products.empty()) {
    std::copy_n(from.products.begin() + from_row * positions, count * positions,
                to.products.begin() + to_row * positions);
  }
}

Nodes Folder::view(const Nodes& of, std::int64_t first_value, std::int64_t values) const {
  Nodes views;
  for (const Column& column : of.columns) {
    views.columns.push_back(part_of(evaluator_.semantics(), column, first_value));
  }
  if (!of.products.empty()) {
    const auto first = of.products.begin() + first_value / outer_.size;
    views.products.assign(first, first + values / outer_.size);
  }
  return views;
}

}  // namespace reckon::interp
