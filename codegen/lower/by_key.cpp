// Sums by key on the host: the items are set to the neutral number, and one pass over the leaves adds each to the items
// that have its key.
#include "codegen/place/by_key.h"
#include "codegen/lower/kernels.h"

namespace reckon::codegen {

void Kernels::emit_by_key(const ByKey& plan, const KernelBody& body, const Kernel& kernel, Value begin, Value end) {
  const FoldSite site = joins_.site_of(plan.reduce);
  const ir::KeyedReduction& keyed = plan.keyed;
  const bool any = keyed.kind == ir::KeyedReduction::Kind::any;
  const auto truth = [&](std::uint64_t bits) {
    return circuits_.scalar(module_.literal({.kind = ir::Literal::Kind::boolean, .bits = bits}, ir::Scalar::boolean));
  };
  const Value absent = any ? truth(0) : circuits_.scalar(keyed.absent);
  const Value present = any ? truth(1) : nullptr;
  // x + 0 is x unless x is -0, which stays -0 only where no leaf is left out. Items begin with what changes no x.
  const bool signs = !any && !ir::is_integer(site.scalars[0]);
  const Value neutral = signs ? b_.neutral(site.scalars[0]) : absent;
  const Value rows = w_.index(kernel.items[0]);
  const Value columns = kernel.items.size() == 2 ? w_.index(kernel.items[1]) : w_.i64(1);
  const Value limit = w_.add(rows, w_.i64(plan.first_key));
  w_.for_range(begin, end, [&](Value item) { circuits_.store_at_offset(kernel.output, item, neutral); });

  const auto add = [&](Value item, Value column) {
    Scope scope;
    if (body.space.size() == 2) scope.variables.push_back({body.space[1].variable, body.space[1].extent, column});
    w_.in_scope(scope, [&] {
      Value now = present;
      if (!any) {
        const Value leaf = circuits_.scalar(keyed.leaf[0]);
        now = joins_.join(site, {circuits_.load_at_offset(kernel.output, item)}, {leaf})[0];
      }
      circuits_.store_at_offset(kernel.output, item, now);
      return Values{};
    });
  };
  // Of the keys so far: the first one, and whether all of them are the same.
  const auto round = [&](Value position, const Values& before) -> Values {
    w_.scope()->variables.push_back({site.node.variables[0], site.node.indices[0], position});
    const Value key = b_.clamped_index(circuits_.scalar(keyed.key), limit);
    if (plan.leaf_first && !any) circuits_.scalar(keyed.leaf[0]);
    const Value row = b_.sub(key, w_.i64(plan.first_key));
    w_.resume();
    w_.if_then(b_.below(row, rows), [&] {
      Scope scope;
      scope.variables.push_back({body.space[0].variable, body.space[0].extent, row});
      w_.in_scope(scope, [&] {
        const Value start = w_.multiply(row, columns);
        if (body.space.size() == 1) {
          w_.if_then(b_.below(b_.sub(start, begin), b_.sub(end, begin)), [&] { add(start, nullptr); });
        } else {
          w_.for_range(b_.maximum(begin, start), w_.smaller(end, w_.add(start, columns)),
                       [&](Value item) { add(item, b_.sub(item, start)); });
        }
        return Values{};
      });
    });
    w_.resume();
    if (!signs) return {};
    const Value first = b_.select(b_.equal(position, w_.i64(0)), key, before[0]);
    return {first, b_.bit_and(before[1], b_.extend(b_.equal(key, first)))};
  };
  const Value length = w_.index(site.node.indices[0]);
  const Values initial = signs ? Values{w_.i64(0), w_.i64(1)} : Values{};
  const Values keys = w_.branch(
      b_.less(w_.i64(0), length), [&] { return w_.loop(w_.i64(0), length, w_.i64(1), initial, round, false); },
      [&] {
        return signs ? Values{w_.i64(0), w_.i64(0)} : Values{};
      });
  if (!signs) return;
  const auto add_zero = [&](Value item) {
    const Value sum = circuits_.load_at_offset(kernel.output, item);
    circuits_.store_at_offset(kernel.output, item, joins_.operation(site, ir::Op::add, {sum, absent}));
  };
  const Value row = b_.sub(keys[0], w_.i64(plan.first_key));
  const Value full = b_.select(b_.below(row, rows), keys[1], w_.i64(0));  // 1: the items of `row` have all leaves
  const Value start = w_.multiply(row, columns);
  const auto within = [&](Value item) {
    return b_.select(b_.equal(full, w_.i64(1)), w_.smaller(end, b_.maximum(begin, item)), end);
  };
  w_.for_range(begin, within(start), add_zero);
  w_.for_range(within(w_.add(start, columns)), end, add_zero);
}

}  // namespace reckon::codegen
