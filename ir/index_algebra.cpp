#include "ir/index_algebra.h"

#include <algorithm>

#include "ir/module.h"
#include "layout/complement.h"
#include "layout/compose.h"
#include "layout/filter.h"
#include "layout/modes.h"

namespace reckon::ir {

using layout::Problem;

namespace {

std::optional<layout::IntTuple> known_tuple(const IndexStore& indices, const IndexTuple& tuple) {
  if (tuple.is_leaf()) {
    const auto value = indices.as_constant(tuple.leaf);
    return value ? std::optional(layout::IntTuple(*value)) : std::nullopt;
  }
  std::vector<layout::IntTuple> elements;
  for (const IndexTuple& element : tuple.elements) {
    auto known = known_tuple(indices, element);
    if (!known) return std::nullopt;
    elements.push_back(std::move(*known));
  }
  return layout::IntTuple(std::move(elements));
}

/// Whether an expression over sizes and indices, which are not negative, is not negative because of its operations.
bool surely_not_negative(const IndexStore& indices, IndexId id) {
  const IndexNode& node = indices[id];
  const bool parts = std::all_of(node.operands.begin(), node.operands.end(),
                                 [&](IndexId part) { return surely_not_negative(indices, part); });
  switch (node.op) {
    case IndexOp::constant: return node.value >= 0;
    case IndexOp::sum:
      return parts && node.value >= 0 &&
             std::all_of(node.coefficients.begin(), node.coefficients.end(),
                         [](std::int64_t factor) { return factor >= 0; });
    default: return parts;
  }
}

/// If a condition fails, the error has been reported, and this problem has no message.
Problem refused(const std::string& where, const Problem& problem) {
  return problem.message.empty() ? problem : layout::prefixed(where, problem);
}

/// The tuple with something else for its last leaf.
IndexTuple with_last(IndexTuple tuple, IndexTuple last) {
  if (tuple.is_leaf()) return last;
  tuple.elements.back() = with_last(std::move(tuple.elements.back()), std::move(last));
  return tuple;
}

}  // namespace

IndexLayout concat(const std::vector<IndexLayout>& modes) {
  IndexLayout out;
  for (const IndexLayout& mode : modes) {
    out.shape.elements.push_back(mode.shape);
    out.stride.elements.push_back(mode.stride);
  }
  return out;
}

std::optional<layout::Layout> known_layout(const IndexStore& indices, const IndexLayout& layout) {
  const auto shape = known_tuple(indices, layout.shape), stride = known_tuple(indices, layout.stride);
  if (!shape || !stride) return std::nullopt;
  const auto made = layout::Layout::make(*shape, *stride);
  return made ? std::optional(*made) : std::nullopt;
}

std::optional<std::int64_t> IndexAlgebra::known(IndexId id) const { return module_.indices().as_constant(id); }
std::string IndexAlgebra::text(const IndexLayout& a) const { return "`" + layout_text(module_, a) + "`"; }

std::vector<IndexAlgebra::Leaf> IndexAlgebra::leaves(const IndexLayout& a) const {
  std::vector<IndexId> extents, strides;
  a.shape.leaves(extents);
  a.stride.leaves(strides);
  std::vector<Leaf> out;
  for (std::size_t k = 0; k < extents.size(); ++k) out.push_back({extents[k], strides[k]});
  return out;
}

IndexLayout IndexAlgebra::flat(const std::vector<Leaf>& leaves) {
  std::vector<IndexLayout> modes;
  for (const Leaf& leaf : leaves) modes.push_back({{leaf.extent, {}}, {leaf.stride, {}}});
  if (modes.empty()) modes.push_back({{module_.indices().constant(1), {}}, {module_.indices().constant(0), {}}});
  return modes.size() == 1 ? modes[0] : concat(modes);
}

bool IndexAlgebra::continues(const Leaf& first, const Leaf& second) {
  return module_.indices().multiply(first.extent, first.stride) == second.stride;
}

IndexLayout IndexAlgebra::coalesce(const IndexLayout& a) {
  std::vector<Leaf> out;
  for (const Leaf& leaf : leaves(a)) {
    if (known(leaf.extent) == 1) continue;
    if (!out.empty() && continues(out.back(), leaf)) {
      out.back().extent = module_.indices().multiply(out.back().extent, leaf.extent);
    } else {
      out.push_back(leaf);
    }
  }
  return flat(out);
}

/// The digits of an index; the last one has no bound (layout::digits_of).
std::vector<IndexAlgebra::Leaf> IndexAlgebra::digits(const IndexLayout& a) {
  std::vector<Leaf> before = leaves(a);
  const Leaf last = before.back();
  before.pop_back();
  std::vector<Leaf> out;
  if (!before.empty()) out = leaves(coalesce(flat(before)));
  if (out.size() == 1 && known(out[0].extent) == 1) out.clear();
  if (!out.empty() && continues(out.back(), last)) {
    out.back().extent = module_.indices().multiply(out.back().extent, last.extent);
  } else {
    out.push_back(last);
  }
  return out;
}

IndexLayout IndexAlgebra::filter_zeros(const IndexLayout& a) {
  std::vector<IndexId> strides;
  a.stride.leaves(strides);
  std::size_t next = 0;
  return {
      with_leaves(a.shape,
                  [&](IndexId extent) { return known(strides[next++]) == 0 ? module_.indices().constant(1) : extent; }),
      a.stride};
}

IndexAlgebra::Result<IndexAlgebra::Span> IndexAlgebra::span(const IndexLayout& a) {
  IndexStore& indices = module_.indices();
  Span out{indices.constant(0), indices.constant(0)};
  for (const Leaf& leaf : leaves(a)) {
    const bool positive = surely_not_negative(indices, leaf.stride);
    if (!positive && !surely_not_negative(indices, indices.negate(leaf.stride))) {
      return Problem{Problem::Kind::undecided,
                     "whether the stride `" + index_text(module_, leaf.stride) + "` of " + text(a) +
                         " is negative depends on sizes",
                     "give the sizes as static arguments"};
    }
    const IndexId reach = indices.multiply(indices.subtract(leaf.extent, indices.constant(1)), leaf.stride);
    (positive ? out.max : out.min) = indices.add(positive ? out.max : out.min, reach);
  }
  return out;
}

IndexAlgebra::Result<IndexLayout> IndexAlgebra::compose(const IndexLayout& a, const IndexLayout& b) {
  IndexStore& indices = module_.indices();
  const std::vector<Leaf> digits = this->digits(a);
  if (digits.size() == 1) {
    return IndexLayout{
        b.shape, with_leaves(b.stride, [&](IndexId stride) { return indices.multiply(stride, digits[0].stride); })};
  }
  std::int64_t below = 1;  // the product of the extents below the last digit
  for (std::size_t k = 0; k + 1 < digits.size(); ++k) {
    const auto extent = known(digits[k].extent);
    if (!extent || !known(digits[k].stride)) {
      return Problem{Problem::Kind::undecided,
                     "compose: which digits of " + text(a) + " an index has depends on the size `" +
                         index_text(module_, extent ? digits[k].stride : digits[k].extent) + "`",
                     "only the last extent may be unknown; or compose mode by mode, with a tuple of tiles"};
    }
    below *= *extent;
  }
  // Positions of the digits in `a` stand in for their strides, so that the last one may be any expression: the digit
  // rule multiplies a stride, and adds strides only where a step moves several digits at once.
  const auto last_stride = known(digits.back().stride);
  if (!last_stride) {
    return Problem{Problem::Kind::undecided,
                   "compose: the last stride `" + index_text(module_, digits.back().stride) + "` of " + text(a) +
                       " depends on sizes, and it is not one run",
                   "compose mode by mode, with a tuple of tiles"};
  }
  layout::Modes numbers;
  for (std::size_t k = 0; k + 1 < digits.size(); ++k)
    numbers.push_back({*known(digits[k].extent), *known(digits[k].stride)});
  numbers.push_back({2, *last_stride});
  const auto first = layout::flat_layout(numbers);
  if (!first) return first.problem();

  const auto refused_as = [&](Problem problem, const layout::Layout& second) {
    const std::pair<std::string, std::string> stand_for[] = {{first->text(), layout_text(module_, flat(digits))},
                                                             {second.text(), layout_text(module_, b)}};
    for (const auto& [number, text] : stand_for) {
      const std::size_t at = problem.message.find(number);
      if (at != std::string::npos) problem.message.replace(at, number.size(), text);
    }
    return problem;
  };
  if (const auto second = known_layout(indices, b)) {
    const auto out = layout::compose(*first, *second);
    if (!out) return refused_as(out.problem(), *second);
    return index_layout(indices, *out);
  }
  // If the number of b's last steps is unknown, they stay in the last digit, which has no bound; all others are known.
  const Leaf last = leaves(b).back();
  const auto step = known(last.stride);
  const auto others = known_layout(indices, {with_last(b.shape, {indices.constant(1), {}}), b.stride});
  if (!step || !others) {
    return Problem{Problem::Kind::undecided,
                   "compose: " + text(b) + " has sizes other than its last extent that are not known numbers",
                   "only a layout of one run takes steps of any size"};
  }
  if (*step > 0 && *step < below && below % *step == 0) {
    // `turn` steps go around all digits before the last one; the last extent must be a whole number of turns.
    const IndexId turn = indices.constant(below / *step);
    const IndexId whole = indices.constant(below);
    if (require_(indices.floor_mod(last.extent, turn), indices.constant(0),
                 "compose: the `" + index_text(module_, last.extent) + "` steps of `" + std::to_string(*step) +
                     "` do not end with one of the `" + std::to_string(below) + "` elements that " + text(a) +
                     " has before its last mode")) {
      return compose(a, {with_last(b.shape, {{}, {{turn, {}}, {indices.floor_div(last.extent, turn), {}}}}),
                         with_last(b.stride, {{}, {{last.stride, {}}, {whole, {}}}})});
    }
    return Problem{Problem::Kind::not_divisible, ""};
  }
  if (*step % below != 0) {
    return Problem{Problem::Kind::undecided,
                   "compose: the steps of `" + std::to_string(*step) +
                       "`, of unknown number, pass through the first `" + std::to_string(below) + "` elements of " +
                       text(a) + ", and do not stay in its last mode",
                   "a step that is a multiple of `" + std::to_string(below) + "` does"};
  }
  const auto out = layout::compose(*first, *others);
  if (!out) return refused_as(out.problem(), *others);
  IndexLayout whole = index_layout(indices, *out);
  whole.shape = with_last(whole.shape, {last.extent, {}});
  whole.stride = with_last(whole.stride, {indices.constant(*step / below * *last_stride), {}});
  return whole;
}

IndexAlgebra::Result<IndexLayout> IndexAlgebra::compose(const IndexLayout& a, const IndexTiler& b) {
  if (b.layout) return compose(a, *b.layout);
  if (b.is_keep()) return a;
  if (b.modes.size() > a.rank()) {
    return Problem{Problem::Kind::rank, "compose: `" + std::to_string(b.modes.size()) + "` tiles for the `" +
                                            std::to_string(a.rank()) + "` modes of " + text(a)};
  }
  std::vector<IndexLayout> modes;
  for (std::size_t k = 0; k < a.rank(); ++k) {
    auto mode = k < b.modes.size() ? compose(a.mode(k), b.modes[k]) : Result<IndexLayout>(a.mode(k));
    if (!mode) return mode;
    modes.push_back(*mode);
  }
  return concat(modes);
}

IndexAlgebra::Result<IndexLayout> IndexAlgebra::complement(const IndexLayout& tile, IndexId size,
                                                           const std::string& where) {
  IndexStore& indices = module_.indices();
  std::vector<Leaf> out;
  IndexId end;
  if (const auto numbers = known_layout(indices, tile)) {
    const auto gaps = layout::complement(*numbers, 1);
    if (!gaps) return gaps.problem();
    if (gaps->size() > 1) out = leaves(index_layout(indices, *gaps));
    end = indices.constant(layout::filter(*numbers).size() * gaps->size());
  } else if (tile.shape.is_leaf() && known(tile.stride.leaf) == 1) {
    end = tile.shape.leaf;
  } else {
    return Problem{Problem::Kind::undecided,
                   where + "the tile " + text(tile) +
                       " is neither of known numbers nor of "
                       "neighbours, `t:1`",
                   "tile mode by mode by integers"};
  }
  if (!require_(indices.floor_mod(size, end), indices.constant(0),
                where + "a tile of `" + index_text(module_, end) + "` does not divide `" + index_text(module_, size) +
                    "`")) {
    return Problem{Problem::Kind::not_divisible, ""};
  }
  out.push_back({indices.floor_div(size, end), end});
  return flat(out);
}

IndexAlgebra::Result<IndexLayout> IndexAlgebra::divide(const std::string& name, const IndexLayout& a,
                                                       const IndexTiler& tiler, bool keeps) {
  return divide(name, a, tiler, keeps, "");
}

IndexAlgebra::Result<IndexLayout> IndexAlgebra::divide(const std::string& name, const IndexLayout& a,
                                                       const IndexTiler& tiler, bool keeps, const std::string& path) {
  const std::string where = "`" + name + "`" + (path.empty() ? "" : ", mode " + path) + ": ";
  if (tiler.is_keep()) {
    if (keeps) return a;
    return Problem{Problem::Kind::empty, where + "`_` keeps a mode, which has no tile", "`logical_divide` takes it"};
  }
  if (tiler.layout) {
    const auto rest = complement(*tiler.layout, size_of(module_.indices(), a.shape), where);
    if (!rest) return rest;
    auto inside = compose(a, *tiler.layout);
    if (!inside) return refused(where, inside.problem());
    auto outside = compose(a, *rest);
    if (!outside) return refused(where, outside.problem());
    return concat({*inside, *outside});
  }
  if (tiler.modes.size() > a.rank()) {
    return Problem{Problem::Kind::rank, where + "the tiler has " + std::to_string(tiler.modes.size()) + " modes, and " +
                                            text(a) + " has " + std::to_string(a.rank())};
  }
  std::vector<IndexLayout> modes;
  for (std::size_t k = 0; k < a.rank(); ++k) {
    if (k >= tiler.modes.size()) {
      modes.push_back(a.mode(k));
      continue;
    }
    auto mode = divide(name, a.mode(k), tiler.modes[k], keeps, path + (path.empty() ? "" : ",") + std::to_string(k));
    if (!mode) return mode;
    modes.push_back(*mode);
  }
  return concat(modes);
}

}  // namespace reckon::ir
