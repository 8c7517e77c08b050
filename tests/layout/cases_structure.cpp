// Rows of structure, tilers, divisions, products and casts.
#include "layout/cast.h"
#include "layout/compose.h"
#include "layout/composed_parts.h"
#include "layout/coordinates.h"
#include "layout/divide.h"
#include "layout/make.h"
#include "layout/product.h"
#include "layout/structure.h"
#include "layout/tile.h"
#include "layout/tuples.h"
#include "tests/layout/cases.h"
#include "tests/layout/notation.h"

namespace reckon::layout_tests {
namespace {

using layout::Result;

Answer truth(bool value) { return Answer(std::string(value ? "1" : "0")); }
Answer number(std::int64_t value) { return Answer(std::to_string(value)); }
Answer of_tuple(const Result<IntTuple>& tuple) {
  return tuple ? Answer(tuple->text()) : Answer(tuple.problem());
}

std::optional<Answer> divided(const Row& row) {
  const auto a = read_layout(row.args[0]);
  const auto tiler = row.args.size() > 1 ? read_tiler(row.args[1]) : std::nullopt;
  if (!a || !tiler) return std::nullopt;
  if (row.op == "logical_divide") return logical_divide(*a, *tiler);
  if (row.op == "zipped_divide") return zipped_divide(*a, *tiler);
  if (row.op == "tiled_divide") return tiled_divide(*a, *tiler);
  if (row.op == "flat_divide") return flat_divide(*a, *tiler);
  if (row.op == "logical_product") return logical_product(*a, *tiler);
  if (row.op == "zipped_product") return zipped_product(*a, *tiler);
  if (row.op == "tiled_product") return tiled_product(*a, *tiler);
  if (row.op == "flat_product") return flat_product(*a, *tiler);
  if (row.op == "blocked_product") return blocked_product(*a, tiler->layout());
  if (row.op == "raked_product") return raked_product(*a, tiler->layout());
  if (row.op == "composition" && tiler->is_tuple()) return compose(*a, *tiler);
  return std::nullopt;
}

std::optional<Answer> taken_apart(const Row& row) {
  const auto a = read_layout(row.args[0]);
  if (!a) return std::nullopt;
  if (row.op == "get") return get(*a, numbers(row.args[1]));
  if (row.op == "select") return select(*a, numbers(row.args[1]));
  if (row.op == "take") return take(*a, numbers(row.args[1])[0], numbers(row.args[1])[1]);
  if (row.op == "group") return group(*a, numbers(row.args[1])[0], numbers(row.args[1])[1]);
  if (row.op == "flatten") return Answer(flatten(*a));
  if (row.op == "append") return append(*a, layout_from(row.args[1]));
  if (row.op == "replace") return replace(*a, numbers(row.args[1])[0], layout_from(row.args[2]));
  if (row.op == "slice" || row.op == "slice_offset") {
    const auto sliced = slice(*a, *read_holed(row.args[1]));
    if (!sliced) return Answer(sliced.problem());
    return row.op == "slice" ? Answer(sliced->layout) : number(sliced->offset);
  }
  if (row.op == "concat") {
    std::vector<Layout> modes;
    for (const std::string& argument : row.args) modes.push_back(layout_from(argument));
    return concat(modes);
  }
  if (row.op == "make_layout_like") return make_layout_like(*a);
  if (row.op == "make_fragment_like") return make_fragment_like(*a);
  if (row.op == "local_tile") {
    const auto part = local_tile(*a, *read_tiler(row.args[1]), *read_holed(row.args[2]));
    return part ? Answer(part->layout, part->offset) : Answer(part.problem());
  }
  if (row.op == "local_partition") {
    const auto part = local_partition(*a, layout_from(row.args[1]), numbers(row.args[2])[0]);
    return part ? Answer(part->layout, part->offset) : Answer(part.problem());
  }
  return std::nullopt;
}

std::optional<Answer> of_tuples(const Row& row) {
  const auto a = row.args.empty() ? std::nullopt : whole_tuple(row.args[0]);
  if (!a) return std::nullopt;
  if (row.op == "make_layout") {
    return row.args[1] == "left" ? Layout::compact_left(*a) : Layout::compact_right(*a);
  }
  const auto b = row.args.size() > 1 ? whole_tuple(row.args[1]) : std::nullopt;
  if (!b) return std::nullopt;
  if (row.op == "compatible") return truth(compatible(*a, *b));
  if (row.op == "weakly_congruent") return truth(weakly_congruent(*a, *b));
  if (row.op == "evenly_divides") return truth(evenly_divides(*a, *b));
  if (row.op == "shape_div") return of_tuple(shape_div(*a, *b));
  if (row.op == "ceil_div") return of_tuple(ceil_div(*a, *b));
  if (row.op == "idx2crd") {
    // One row takes an index past the end, as CuTe's idx2crd does; ours refuses it.
    const auto strict = idx2crd(*a, *b);
    return of_tuple(strict || !a->is_int() ? strict : idx2crd_extended(a->value(), *b));
  }
  if (row.op == "make_ordered_layout") return make_ordered_layout(*a, *b);
  if (row.op == "domain_distribute") return domain_distribute(*a, b->value());
  return std::nullopt;
}

std::optional<Answer> cast(const Row& row) {
  if (row.op != "upcast" && row.op != "downcast") return std::nullopt;
  const std::int64_t n = numbers(row.args[1])[0];
  if (const auto swizzle = read_swizzle(row.args[0])) {
    const auto out = row.op == "upcast" ? upcast(*swizzle, n) : downcast(*swizzle, n);
    return out ? Answer(out->text()) : Answer(out.problem());
  }
  const Layout a = layout_from(row.args[0]);
  return row.op == "upcast" ? upcast(a, n) : downcast(a, n);
}

std::optional<Answer> with_coordinates(const Row& row) {
  if (row.op == "composition") {
    const auto a = read_layout(row.args[0]);
    const auto b = read_coordinates(row.args[1]);
    if (a && b) return compose(*a, *b);
  }
  if (row.op == "eval") {
    if (const auto a = read_coordinates(row.args[0])) return of_tuple((*a)(*whole_tuple(row.args[1])));
  }
  return std::nullopt;
}

std::optional<Answer> tiled_to_shape(const Row& row) {
  if (row.op != "tile_to_shape") return std::nullopt;
  const auto block = read_any(row.args[0]);
  const IntTuple shape = *whole_tuple(row.args[1]);
  if (row.args.size() > 2) return tile_to_shape(std::get<Layout>(*block), shape, *whole_tuple(row.args[2]));
  return tile_to_shape(*block, shape);
}

std::optional<Answer> measured(const Row& row) {
  const auto a = row.args.empty() ? std::nullopt : read_any(row.args[0]);
  if (!a) return std::nullopt;
  const auto* plain = std::get_if<Layout>(&*a);
  if (row.op == "size") return number(size(*a));
  if (row.op == "rank") return number(static_cast<std::int64_t>(shape(*a).rank()));
  if (row.op == "depth") return number(shape(*a).depth());
  if (row.op == "cosize" && plain) return number(plain->cosize());
  if (row.op == "cosize") {
    const auto out = std::get<Composed>(*a).cosize();
    return out ? number(*out) : Answer(out.problem());
  }
  if (row.op == "eval") {
    const auto out = evaluate(*a, *whole_tuple(row.args[1]));
    return out ? number(*out) : Answer(out.problem());
  }
  return std::nullopt;
}

}  // namespace

std::optional<Answer> structure_answer(const Row& row) {
  for (const auto family :
       {divided, taken_apart, of_tuples, cast, with_coordinates, tiled_to_shape, measured}) {
    if (auto answer = family(row)) return answer;
  }
  return std::nullopt;
}

}  // namespace reckon::layout_tests
