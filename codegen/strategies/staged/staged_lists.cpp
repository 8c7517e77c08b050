#include "codegen/strategies/staged/staged_lists.h"

#include <algorithm>

namespace reckon::codegen {

namespace {

/// What a thread reads from memory before the first of it goes to shared memory: bytes there, and in registers.
constexpr std::int64_t bytes_at_once = 128, registers_at_once = 256;

}  // namespace

StagedLists::StagedLists(KernelParts& parts, const FoldKernel& placed, const KernelBody& body, const StagedShape& shape,
                         Kernel& kernel, BlockReducer& reducer)
    : LoweringParts(parts.folds(), parts.folds().joins()),
      parts_(parts),
      placed_(placed),
      body_(body),
      shape_(shape),
      kernel_(kernel),
      reducer_(reducer),
      site_(joins_.site_of(body)),
      number_(module_.fresh_variable()),
      count_(module_.indices().constant(1)) {
  for (std::size_t d = 0; d < body.space.size(); ++d) {
    if (d == shape.side) continue;
    extents_.push_back(body.space[d].extent);
    count_ = module_.indices().multiply(count_, extents_.back());
  }
  std::set<ir::NodeId> read_once = parts.read_once(body);
  for (const StagedElement& element : shape.elements) {
    const Type type = Type::number(module_.type(element.node).scalar);
    arrays_.push_back(reducer.shared_array(type, shape.lists * shape.pitch(element)));
    slots_.push_back(slots_of(element));
    if (read_once.contains(element.node))
      read_once.insert(slots_.back().elements.begin(), slots_.back().elements.end());
  }
  circuits_.set_read_once(std::move(read_once));
  own_list_ = shape.side ? b_.urem(reducer.thread(), w_.i64(shape.lists)) : reducer.thread();
  first_along_ = b_.mul(b_.udiv(reducer.thread(), w_.i64(shape.lists)), w_.i64(shape.along()), Fits::always);
  from_neutral_ = !site_.reduction.user && site_.reduction.operation == ir::Op::add &&
                  w_.numbers().has_neutral_summand(site_.scalars[0]);
}

void StagedLists::write() {
  kernel_.block_items = static_cast<std::uint32_t>(shape_.lists);
  total_ = w_.index(count_);
  const Value groups = w_.divide_up(total_, w_.i64(shape_.lists));
  const Value block = b_.block();
  w_.if_then(b_.less(block, groups), [&] {
    w_.loop(
        block, groups, b_.blocks(), {},
        [&](Value group, const Values&) {
          write_group(b_.mul(group, w_.i64(shape_.lists), Fits::always));
          return Values{};
        },
        false);
  });
}

/// The element of a list so many further on, where lists have numbers, not coordinates. Mostly there is no division
/// left in it, since a tensor has its elements in the order of these numbers, too.
ir::NodeId StagedLists::by_number(ir::NodeId element, std::int64_t further) {
  ir::IndexStore& indices = module_.indices();
  ir::Module::Substitution coordinates;
  ir::IndexId rest = indices.add(indices.variable(number_), indices.constant(further));
  std::size_t left = extents_.size();
  for (std::size_t d = body_.space.size(); d-- > 0;) {
    if (d == shape_.side) continue;
    const auto& [variable, extent] = body_.space[d];
    coordinates.indices.variables[variable] = --left == 0 ? rest : indices.floor_mod(rest, extent);
    rest = indices.floor_div(rest, extent);
  }
  return module_.substitute(element, coordinates);
}

StagedLists::Slots StagedLists::slots_of(const StagedElement& element) {
  const std::int64_t of_list = shape_.columns / element.vector;  // threads
  Slots out;
  out.column = b_.mul(b_.urem(reducer_.thread(), w_.i64(of_list)), w_.i64(element.vector), Fits::always);
  out.row = b_.udiv(reducer_.thread(), w_.i64(of_list));
  out.round = StagedShape::threads / of_list;
  for (std::int64_t k = 0; k < shape_.lists; k += out.round) out.elements.push_back(by_number(element.node, k));
  return out;
}

/// The lists from `first` on. Where fewer are left than a block has, it goes through the last ones of all, and stores
/// the results of those that are left.
void StagedLists::write_group(Value first) {
  begin_ = w_.smaller(first, b_.sub(total_, w_.i64(shape_.lists)));
  const Value item = b_.add(begin_, own_list_, Fits::always);
  own_ = parts_.items().item_coordinates(extents_, item);
  const std::int64_t chunks = length() / shape_.columns, rest = length() % shape_.columns;
  Values sums;
  const auto parts = static_cast<std::int64_t>(site_.scalars.size());
  for (std::int64_t along = 0; along < shape_.along(); ++along) {
    if (from_neutral_) {
      sums.push_back(b_.neutral(site_.scalars[0]));
      continue;
    }
    const Values zeros = joins_.zeros(site_);
    sums.append(zeros.begin(), zeros.begin() + parts);
  }
  if (chunks == 1) sums = chunk(w_.i64(0), shape_.columns, sums);
  if (chunks > 1) {
    sums = w_.loop(
        w_.i64(0), w_.i64(chunks), w_.i64(1), sums,
        [&](Value number, const Values& now) {
          return chunk(b_.mul(number, w_.i64(shape_.columns), Fits::always), shape_.columns, now);
        },
        false);
  }
  if (rest > 0) sums = chunk(w_.i64(chunks * shape_.columns), rest, sums);
  const Value is_left = b_.less_equal(first, item);
  w_.if_then(shape_.busy() ? is_left : b_.bit_and(is_left, b_.less(reducer_.thread(), w_.i64(shape_.lists))),
             [&] { store(item, sums); });
}

/// Brings the elements of `count` leaves from `begin` on, and joins these.
Values StagedLists::chunk(Value begin, std::int64_t count, const Values& sums) {
  bring(begin, count);
  const auto joined = [&] { return shape_.by_tree ? tree(count) : chain(begin, count, sums); };
  if (shape_.busy()) return joined();
  return w_.branch(b_.less(reducer_.thread(), w_.i64(shape_.lists)), joined, [&] { return sums; });
}

/// A vector that would begin beyond the last leaf is read from the last ones, and not used.
void StagedLists::bring(Value begin, std::int64_t count) {
  bool is_free = false;  // what the threads have read of shared memory
  for (std::size_t e = 0; e < shape_.elements.size(); ++e) {
    const StagedElement& element = shape_.elements[e];
    const Slots& slots = slots_[e];
    const ir::Scalar scalar = module_.type(element.node).scalar;
    const auto most = [&](std::int64_t bytes, kernel::Form form) {
      return std::max<std::int64_t>(1, bytes / w_.numbers().widths().of(scalar, form) / element.vector);
    };
    const auto together = static_cast<std::size_t>(
        std::min(most(bytes_at_once, kernel::Form::given), most(registers_at_once, kernel::Form::registers)));
    const Value leaf = b_.add(begin, slots.column, Fits::always);
    const Value first = count == shape_.columns ? leaf : w_.smaller(leaf, w_.i64(length() - element.vector));
    for (std::size_t some = 0; some < slots.elements.size(); some += together) {
      const std::size_t end = std::min(some + together, slots.elements.size());
      const Values elements = read(e, first, some, end);
      if (!is_free) reducer_.barrier();
      is_free = true;
      keep(e, elements, some, end);
    }
  }
  reducer_.barrier();
}

/// Some of the thread's vectors of an element, which begin with this leaf.
Values StagedLists::read(std::size_t number, Value leaf, std::size_t from, std::size_t to) {
  const Slots& slots = slots_[number];
  const Value list = b_.add(begin_, slots.row, Fits::always);
  Values out;
  for (std::size_t k = from; k < to; ++k) {
    for (std::int64_t v = 0; v < shape_.elements[number].vector; ++v) {
      Scope scope;
      scope.variables.push_back({number_, count_, list});
      scope.variables.push_back({site_.node.variables[0], site_.node.indices[0], w_.add(leaf, w_.i64(v))});
      out.append(w_.in_scope(scope, [&] { return Values{circuits_.scalar(slots.elements[k])}; }));
    }
  }
  w_.resume();
  return out;
}

/// Keeps them in shared memory.
void StagedLists::keep(std::size_t number, const Values& elements, std::size_t from, std::size_t to) {
  const StagedElement& element = shape_.elements[number];
  const Slots& slots = slots_[number];
  const auto vector = static_cast<std::size_t>(element.vector);
  const Value place =
      b_.add(b_.mul(slots.row, w_.i64(shape_.pitch(element)), Fits::always), slots.column, Fits::always);
  for (std::size_t k = from; k < to; ++k) {
    const Values some = nth_node(elements, k - from, vector);
    const std::int64_t further = static_cast<std::int64_t>(k) * slots.round * shape_.pitch(element);
    if (vector == 1) b_.store(arrays_[number], place, some[0], further);
    else b_.store_vector(arrays_[number], place, some, further);
  }
}

/// Joins the first `count` leaves of the chunk to the sums of the thread's lists.
Values StagedLists::chain(Value begin, std::int64_t count, const Values& sums) {
  const std::int64_t whole = count / shape_.at_once * shape_.at_once;
  Values now = sums;
  if (whole == shape_.at_once) now = some_leaves(begin, w_.i64(0), whole, now);
  if (whole > shape_.at_once) {
    now = w_.loop(
        w_.i64(0), w_.i64(whole), w_.i64(shape_.at_once), now,
        [&](Value position, const Values& before) { return some_leaves(begin, position, shape_.at_once, before); },
        false);
  }
  if (whole == count) return now;
  return w_.loop(
      w_.i64(whole), w_.i64(count), w_.i64(1), now,
      [&](Value position, const Values& before) { return some_leaves(begin, position, 1, before); }, false);
}

/// `count` leaves of the thread's results from this position of the chunk on: result after result. All of them come
/// before the first join, so that their loads are under way together.
std::vector<Values> StagedLists::leaves_at(Value begin, Value position, std::int64_t count) {
  // Of each leaf, the elements.
  std::vector<Values> elements(static_cast<std::size_t>(count));
  for (std::size_t e = 0; e < shape_.elements.size(); ++e) {
    const StagedElement& element = shape_.elements[e];
    const Value place = b_.add(b_.mul(own_list_, w_.i64(shape_.pitch(element)), Fits::always), position, Fits::always);
    const std::int64_t run = count % element.shared == 0 ? element.shared : 1;
    for (std::int64_t k = 0; k < count; k += run) {
      const Values some = run > 1 ? b_.load_vector(arrays_[e], place, static_cast<std::uint32_t>(run), k)
                                  : Values{b_.load(arrays_[e], place, Stream::none, k)};
      for (std::size_t v = 0; v < some.size(); ++v) elements[static_cast<std::size_t>(k) + v].push_back(some[v]);
    }
  }
  const Value first = w_.add(begin, position);
  std::vector<Values> leaves;
  for (std::int64_t along = 0; along < shape_.along(); ++along) {
    for (std::int64_t k = 0; k < count; ++k)
      leaves.push_back(leaf_of(along, w_.add(first, w_.i64(k)), elements[static_cast<std::size_t>(k)]));
  }
  return leaves;
}

/// Joins `count` leaves from this position of the chunk on to the sums.
Values StagedLists::some_leaves(Value begin, Value position, std::int64_t count, const Values& sums) {
  const std::size_t parts = site_.scalars.size();
  const Value is_first = from_neutral_ ? nullptr : b_.equal(w_.add(begin, position), w_.i64(0));
  const std::vector<Values> leaves = leaves_at(begin, position, count);
  Values out;
  auto leaf = leaves.begin();
  for (std::int64_t along = 0; along < shape_.along(); ++along) {
    Values node = joins_.zeros(site_);
    const Values sum = nth_node(sums, static_cast<std::size_t>(along), parts);
    std::copy(sum.begin(), sum.end(), node.begin());
    for (std::int64_t k = 0; k < count; ++k, ++leaf)
      node = k == 0 && !from_neutral_ ? joined(is_first, node, *leaf) : joins_.join(site_, node, *leaf);
    out.append(node.begin(), node.begin() + static_cast<std::ptrdiff_t>(parts));
  }
  return out;
}

/// The nodes of the thread's results by `tree`, of all leaves.
Values StagedLists::tree(std::int64_t count) {
  PartialTrees partial(folds_);
  const auto some = [&](Value first, std::int64_t n) {
    const std::vector<Values> leaves = leaves_at(w_.i64(0), first, n);
    std::vector<std::vector<Maybe>> rows(static_cast<std::size_t>(n));
    for (std::size_t k = 0; k < leaves.size(); ++k) rows[k % rows.size()].push_back({leaves[k]});
    return partial.pairwise(site_, std::move(rows));
  };
  Values out;
  for (const Maybe& node : partial.by_halves(site_, 0, count, shape_.at_once, some)) out.append(node.value);
  return out;
}

/// The leaf of the thread's result of this number, made of these elements.
Values StagedLists::leaf_of(std::int64_t along, Value leaf, const Values& elements) {
  Scope scope;
  const Values coordinates = coordinates_of(along);
  for (std::size_t d = 0; d < coordinates.size(); ++d)
    scope.variables.push_back({body_.space[d].variable, body_.space[d].extent, coordinates[d]});
  scope.variables.push_back({site_.node.variables[0], site_.node.indices[0], leaf});
  for (std::size_t e = 0; e < elements.size(); ++e) scope.nodes[shape_.elements[e].node] = {elements[e]};
  return w_.in_scope(scope, [&] { return joins_.leaf_here(site_, leaf); });
}

/// The first leaf is joined with nothing.
Values StagedLists::joined(Value is_first, const Values& state, const Values& leaf) {
  const Values start = joins_.rounded_product(site_, leaf);
  if (joins_.drops_joins(site_) && site_.cheap) return w_.select(is_first, start, joins_.join(site_, state, leaf));
  return w_.branch(
      is_first, [&] { return start; }, [&] { return joins_.join(site_, state, leaf); });
}

void StagedLists::store(Value item, const Values& sums) {
  const std::size_t parts = site_.scalars.size();
  for (std::int64_t along = 0; along < shape_.along(); ++along) {
    const Values coordinates = coordinates_of(along);
    Value place = item;
    if (shape_.side) {
      place = w_.i64(0);
      for (std::size_t d = 0; d < coordinates.size(); ++d)
        place = w_.add(w_.multiply(place, w_.index(body_.space[d].extent)), coordinates[d]);
    }
    const auto write = [&] {
      const Values whole = joins_.whole(site_, nth_node(sums, static_cast<std::size_t>(along), parts));
      parts_.store(placed_, kernel_, place, coordinates, whole);
    };
    if (shape_.along() * shape_.threads_of_list() == shape_.side_extent) write();
    else w_.if_then(b_.less(w_.add(first_along_, w_.i64(along)), w_.i64(shape_.side_extent)), write);
  }
}

/// Those of the thread's result of this number. In place of one beyond the side, it has the last one.
Values StagedLists::coordinates_of(std::int64_t along) {
  Value on_side = shape_.threads_of_list() == 1 ? w_.i64(along) : w_.add(first_along_, w_.i64(along));
  if (shape_.along() * shape_.threads_of_list() != shape_.side_extent)
    on_side = w_.smaller(on_side, w_.i64(shape_.side_extent - 1));
  Values out;
  std::size_t next = 0;
  for (std::size_t d = 0; d < body_.space.size(); ++d) out.push_back(d == shape_.side ? on_side : own_[next++]);
  return out;
}

}  // namespace reckon::codegen
