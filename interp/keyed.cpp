#include "interp/keyed.h"

#include <algorithm>
#include <numeric>

#include "ir/op.h"

namespace reckon::interp {

using ir::KeyedReduction;
using ir::ScheduleOp;

namespace {

/// Smaller reductions, and smaller batches of elements, are not worth sorting.
constexpr std::int64_t fewest_leaves = 16, fewest_elements = 16;
/// More leaves than this are not sorted, since their keys and places are kept.
constexpr std::int64_t most_leaves = std::int64_t{1} << 27;
/// Leaves that are gathered at a time, unless an element has more.
constexpr std::int64_t leaves_at_once = std::int64_t{1} << 20;

int bits_for(std::int64_t greatest) {
  int out = 0;
  while (greatest >> out != 0) ++out;
  return out;
}

std::optional<TreePlaces> tree_places(Evaluator& evaluator, ir::Order order, std::int64_t nodes) {
  TreePlaces out;
  for (;;) {
    const auto head = evaluator.head(order, nodes);
    if (head.problem) return std::nullopt;
    if (head.order.op() == ScheduleOp::tree) break;
    if (head.order.op() != ScheduleOp::then) return std::nullopt;
    const auto stage = evaluator.head(head.order.operand(0), nodes);
    const bool lanes = !stage.problem && stage.order.op() == ScheduleOp::lanes;
    if (!lanes && (stage.problem || stage.order.op() != ScheduleOp::tile)) return std::nullopt;
    const std::int64_t k = stage.order.parameter(), within = lanes ? (nodes - 1) / k : std::min(k, nodes) - 1;
    const auto inner = evaluator.head(stage.order.operand(0), within + 1);
    if (inner.problem || inner.order.op() != ScheduleOp::tree) return std::nullopt;
    out.stages.push_back({lanes, k, out.bits});
    out.bits += bits_for(within);
    nodes = lanes ? std::min(k, nodes) : (nodes - 1) / k + 1;
    order = head.order.operand(1);
  }
  return out.bits + bits_for(nodes - 1) < 63 ? std::optional(out) : std::nullopt;
}

}  // namespace

std::int64_t TreePlaces::of(std::int64_t leaf) const {
  std::int64_t place = 0;
  for (const Stage& stage : stages) {
    const std::int64_t quotient = leaf / stage.size, rest = leaf - quotient * stage.size;
    place |= (stage.lanes ? quotient : rest) << stage.shift;
    leaf = stage.lanes ? rest : quotient;
  }
  return place | leaf << bits;
}

KeyedFold::KeyedFold(Evaluator& evaluator, ir::NodeId reduce, std::int64_t length)
    : evaluator_(evaluator), place_(reduce), variable_(evaluator.module()[reduce].variables[0]), length_(length) {
  if (length < fewest_leaves || length > most_leaves) return;
  keyed_ = ir::keyed_reduction(evaluator.module(), reduce);
  if (keyed_ && !follows_order()) keyed_.reset();
}

/// Whether the leaves that take no part can be left out of the order.
bool KeyedFold::follows_order() {
  const ir::Module& module = evaluator_.module();
  const ir::Node& node = module[place_];
  const ir::Reduction& reduction = module.reduction_of(place_);
  const driver::Traits traits = evaluator_.semantics().traits();
  if (traits.counts_applications || traits.knows_sets_of_orders()) return false;
  const auto depends_on_others = [&](ir::NodeId of, std::initializer_list<ir::VariableId> but) {
    return std::ranges::any_of(module.free_variables(of),
                               [&](ir::VariableId v) { return std::ranges::find(but, v) == but.end(); });
  };
  const ir::Order order(module.schedules(), reduction.schedule);
  const auto head = evaluator_.head(order, length_);
  if (head.problem) return false;
  places_ = tree_places(evaluator_, order, length_);
  const bool seq = head.order.op() == ScheduleOp::seq;
  switch (keyed_->kind) {
    case KeyedReduction::Kind::plain: {
      const bool sum = reduction.operation == ir::Op::add, word = ir::is_integer(module.type(node.operands[0]).scalar);
      zero_is_neutral_ = word || traits.laws.has(sum ? ir::Law::add_zero : ir::Law::mul_one);
      // Under rounding to nearest, x + 0 is x unless x is -0.
      const bool nearest = sum && traits.laws.has(ir::Law::literals_round) && !traits.bounds_errors;
      if ((!zero_is_neutral_ && !nearest) || (!seq && !places_)) return false;
      in_order_ = seq || word;
      break;
    }
    case KeyedReduction::Kind::state:
      // The operation is carried out for all elements together.
      if (!places_ || depends_on_others(node.operands[1], {node.variables[1], node.variables[2]})) return false;
      break;
    case KeyedReduction::Kind::any: return seq || places_;
  }
  if (in_order_) places_.reset();
  closed_ = std::ranges::none_of(keyed_->leaf, [&](ir::NodeId part) { return depends_on_others(part, {variable_}); });
  // A leaf that takes no part may be an error, too; leaves that depend on elements are not all looked at.
  return closed_ || std::ranges::all_of(keyed_->leaf, [&](ir::NodeId part) { return ir::never_fails(module, part); });
}

/// Computes the keys of all leaves, and the leaves if they do not depend on elements.
bool KeyedFold::sort_leaves() {
  Semantics& semantics = evaluator_.semantics();
  const ir::Scalar type = evaluator_.module().type(keyed_->key).scalar;
  const std::size_t width = semantics.size(type);
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(length_));
  for (const ir::NodeId part : keyed_->leaf) {
    if (closed_) values_.push_back(evaluator_.column(evaluator_.module().type(part).scalar, length_));
  }
  for (std::int64_t first = 0; first < length_; first += evaluator_.batch()) {
    const std::int64_t count = std::min(evaluator_.batch(), length_ - first);
    Frame frame;
    frame.init_tile(evaluator_.root(), count);
    IndexColumn index;
    index.base = first;
    index.strides.assign(frame.dims.size(), 0);
    index.strides[0] = count > 1 ? 1 : 0;
    frame.bind_index(variable_, std::move(index));
    Columns read;
    if (!evaluator_.ensure_values(frame, keyed_->key, read)) return false;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto bits = semantics.bits(type, read[0].data + static_cast<std::size_t>(i) * width);
      if (!bits) {  // not known, so that which leaves take part is not, either
        keyed_.reset();
        return true;
      }
      keys[static_cast<std::size_t>(first + i)] = *bits;
    }
    for (std::size_t part = 0; part < values_.size(); ++part) {
      Columns one;
      if (!evaluator_.ensure_values(frame, keyed_->leaf[part], one)) return false;
      copy_values(semantics, one[0].scalar, one[0].data,
                  values_[part].writable() + static_cast<std::size_t>(first) * semantics.size(one[0].scalar),
                  static_cast<std::size_t>(count));
    }
  }
  order_.resize(keys.size());
  std::iota(order_.begin(), order_.end(), 0);
  if (places_) {
    std::ranges::sort(order_, {}, [&](std::int64_t leaf) { return places_->of(leaf); });
  }
  std::ranges::stable_sort(order_, {}, [&](std::int64_t leaf) { return keys[static_cast<std::size_t>(leaf)]; });
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const std::uint64_t key = keys[static_cast<std::size_t>(order_[k])];
    if (!keys_.empty() && keys_.back() == key) continue;
    keys_.push_back(key);
    starts_.push_back(static_cast<std::int64_t>(k));
  }
  starts_.push_back(length_);
  sorted_ = true;
  return true;
}

/// The leaves of each element; nothing if a target is not known.
std::optional<KeyedFold::Lists> KeyedFold::lists_of(Frame& frame, const Column& targets) const {
  const std::size_t width = evaluator_.semantics().size(targets.scalar);
  Lists out(static_cast<std::size_t>(frame.size));
  for (std::size_t e = 0; e < out.size(); ++e) {
    const auto bits = evaluator_.semantics().bits(targets.scalar, targets.data + e * width);
    if (!bits) return std::nullopt;
    const auto at = std::ranges::lower_bound(keys_, *bits);
    if (at == keys_.end() || *at != *bits) continue;
    const auto which = static_cast<std::size_t>(at - keys_.begin());
    out[e] = {starts_[which], starts_[which + 1]};
  }
  return out;
}

bool KeyedFold::reduce(Frame& frame, Columns& out, bool& done) {
  if (!keyed_ || (!sorted_ && frame.size < fewest_elements)) return true;
  if (!sorted_ && !sort_leaves()) return false;
  if (!keyed_) return true;
  Columns targets;
  if (!evaluator_.ensure_values(frame, keyed_->target, targets)) return false;
  const auto lists = lists_of(frame, targets[0]);
  if (!lists) return true;
  const ir::Module& module = evaluator_.module();
  for (const ir::Scalar scalar : evaluator_.component_scalars(module[module[place_].operands[0]].type)) {
    out.push_back(evaluator_.column(scalar, frame.size));
  }
  for (std::size_t first = 0; first < lists->size();) {
    Lists some;
    std::int64_t leaves = 0;
    while (first + some.size() < lists->size() && (some.empty() || leaves < leaves_at_once)) {
      some.push_back((*lists)[first + some.size()]);
      leaves += some.back().size();
    }
    Columns results;
    if (!fold(frame, static_cast<std::int64_t>(first), some, results)) return false;
    for (std::size_t c = 0; c < out.size(); ++c) {
      copy_values(evaluator_.semantics(), out[c].scalar, results[c].data,
                  out[c].writable() + first * evaluator_.semantics().size(out[c].scalar), some.size());
    }
    first += some.size();
  }
  done = true;
  return true;
}

/// The results of the elements of the frame from `first` on, one for each list.
bool KeyedFold::fold(Frame& frame, std::int64_t first, const Lists& lists, Columns& out) {
  const auto truth = [](bool is) { return static_cast<std::byte>(is ? Truth::yes : Truth::no); };
  if (keyed_->kind == KeyedReduction::Kind::any) {
    out.push_back(evaluator_.column(ir::Scalar::boolean, static_cast<std::int64_t>(lists.size())));
    for (std::size_t l = 0; l < lists.size(); ++l) out[0].writable()[l] = truth(lists[l].size() > 0);
    return true;
  }
  // An element without leaves has one that takes no part.
  Indices leaves, elements, starts{0};
  for (const List& list : lists) {
    for (std::int64_t k = list.from; k < list.to; ++k) leaves.push_back(order_[static_cast<std::size_t>(k)]);
    if (list.size() == 0) leaves.push_back(0);
    elements.resize(leaves.size(), first + static_cast<std::int64_t>(starts.size()) - 1);
    starts.push_back(static_cast<std::int64_t>(leaves.size()));
  }
  Nodes nodes;
  if (closed_) {
    for (const Column& values : values_) nodes.columns.push_back(gathered(evaluator_, values, leaves));
  } else if (!leaves_of(frame, leaves, elements, nodes.columns)) {
    return false;
  }
  if (keyed_->kind == KeyedReduction::Kind::plain) return fold_numbers(lists, leaves, starts, nodes, out);
  Column takes_part = evaluator_.column(ir::Scalar::boolean, starts.back());
  std::fill_n(takes_part.writable(), starts.back(), truth(true));
  for (std::size_t l = 0; l < lists.size(); ++l) {
    if (lists[l].size() == 0) takes_part.writable()[starts[l]] = truth(false);
  }
  nodes.columns.push_back(std::move(takes_part));
  Nodes results;
  if (!fold_places(nodes, starts, leaves, results)) return false;
  out = std::move(results.columns);
  return true;
}

/// Sums or products: list l has nodes starts[l] to starts[l + 1] - 1.
bool KeyedFold::fold_numbers(const Lists& lists, const Indices& leaves, const Indices& starts, Nodes& nodes,
                             Columns& out) {
  Semantics& semantics = evaluator_.semantics();
  Columns absent;
  if (!evaluator_.ensure_values(evaluator_.root(), keyed_->absent, absent)) return false;
  // What the numbers of an element are joined to, from the left.
  out.push_back(gathered(evaluator_, absent[0], Indices(lists.size(), 0)));
  const std::size_t bytes = semantics.size(out[0].scalar);
  Indices firsts(starts.begin(), starts.end() - 1), ends(starts.begin() + 1, starts.end());
  if (!in_order_) {
    Nodes trees;
    if (!fold_places(nodes, starts, leaves, trees)) return false;
    nodes = std::move(trees);
    std::iota(firsts.begin(), firsts.end(), 0);
    std::iota(ends.begin(), ends.end(), 1);
  }
  const Column& column = nodes.columns[0];
  const ir::Op operation = evaluator_.module().reduction_of(place_).operation;
  for (std::size_t l = 0; l < lists.size(); ++l) {
    if (lists[l].size() == 0) continue;
    const std::byte* from = column.data + static_cast<std::size_t>(firsts[l]) * bytes;
    auto count = static_cast<std::size_t>(ends[l] - firsts[l]);
    if (!zero_is_neutral_ && lists[l].size() == length_) {  // where no leaf is left out, nothing is added to -0
      copy_values(semantics, column.scalar, from, out[0].writable() + l * bytes, 1);
      from += bytes;
      --count;
    }
    if (!evaluator_.check(place_, semantics.accumulate(operation, column.scalar, out[0].writable() + l * bytes,
                                                       {from, 1}, count, 1))) {
      return false;
    }
  }
  return true;
}

/// Folds each list of nodes, of which there is at least one, by the bits of its leaves' places. The nodes are
/// overwritten.
bool KeyedFold::fold_places(Nodes& nodes, const Indices& starts, const Indices& leaves, Nodes& out) {
  Indices places(leaves.size()), rows(leaves.size()), ends(starts.begin() + 1, starts.end());
  std::ranges::transform(leaves, places.begin(), [&](std::int64_t leaf) { return places_->of(leaf); });
  std::iota(rows.begin(), rows.end(), 0);  // of the nodes that are left, list after list
  Folder folder(evaluator_, evaluator_.root(), place_);
  for (int level = 0; rows.size() > ends.size(); ++level) {
    const auto block = [&](std::size_t k) { return places[static_cast<std::size_t>(rows[k])] >> (level + 1); };
    Indices kept, left, right;
    std::size_t k = 0;
    for (std::int64_t& end : ends) {
      while (k < static_cast<std::size_t>(end)) {
        kept.push_back(rows[k]);
        const bool pair = k + 1 < static_cast<std::size_t>(end) && block(k) == block(k + 1);
        if (pair) {
          left.push_back(rows[k]);
          right.push_back(rows[k + 1]);
        }
        k += pair ? 2 : 1;
      }
      end = static_cast<std::int64_t>(kept.size());
    }
    if (!folder.join_rows(nodes, left, nodes, right, nodes, left)) return false;
    rows = std::move(kept);
  }
  for (const Column& column : nodes.columns) out.columns.push_back(gathered(evaluator_, column, rows));
  return true;
}

/// The parts of leaves, each for an element of the frame.
bool KeyedFold::leaves_of(Frame& frame, const Indices& leaves, const Indices& elements, Columns& out) {
  const auto all = static_cast<std::int64_t>(leaves.size());
  for (const ir::NodeId part : keyed_->leaf) {
    out.push_back(evaluator_.column(evaluator_.module().type(part).scalar, all));
  }
  for (std::int64_t first = 0; first < all; first += evaluator_.batch()) {
    const std::int64_t count = std::min(evaluator_.batch(), all - first);
    Frame pairs;
    pairs.init_choice(frame, Indices(elements.begin() + first, elements.begin() + first + count));
    IndexColumn index;
    index.strided = false;
    index.values.assign(leaves.begin() + first, leaves.begin() + first + count);
    pairs.bind_index(variable_, std::move(index));
    if (!evaluator_.ensure_values(pairs, keyed_->leaf)) return false;
    for (std::size_t part = 0; part < out.size(); ++part) {
      Columns one;
      if (!evaluator_.ensure_values(pairs, keyed_->leaf[part], one)) return false;
      copy_values(evaluator_.semantics(), one[0].scalar, one[0].data,
                  out[part].writable() + static_cast<std::size_t>(first) * evaluator_.semantics().size(one[0].scalar),
                  static_cast<std::size_t>(count));
    }
  }
  return true;
}

}  // namespace reckon::interp
