// The nodes of arrangements, the runs of an `arrange` stage (ir::Arrangement).
#include <numeric>

#include "codegen/lower/folds.h"
#include "layout/modes.h"

namespace reckon::codegen {

namespace {

constexpr std::int64_t longest_open_run = 4096;

}  // namespace

Value Folds::arranged_position(const ir::Arrangement& arrangement, Value position, std::int64_t every) {
  using Modes = std::vector<ir::Arrangement::Mode>;
  // The common factor of the strides is multiplied in last, so that LLVM sees that vectors are aligned.
  auto offset = [&](const Modes& modes, Value rest, std::int64_t factor) {
    Value sum = w_.i64(0);
    for (std::size_t k = 0; k < modes.size(); ++k) {
      Value extent = w_.i64(modes[k].extent);
      Value digit = k + 1 == modes.size() ? rest : b_.urem(rest, extent);
      sum = w_.add(sum, w_.multiply(digit, w_.i64(modes[k].stride / factor)));
      if (k + 1 < modes.size()) rest = b_.udiv(rest, extent);
    }
    return sum;
  };
  const Modes within_run = arrangement.every(every);
  std::int64_t factor = arrangement.open ? arrangement.run_length() : 0;
  for (const Modes* modes : {&within_run, &arrangement.runs}) {
    for (const auto& mode : *modes) factor = std::gcd(factor, mode.stride);
  }
  factor = std::max<std::int64_t>(factor, 1);
  Value run = w_.i64(arrangement.run_length());
  Value which = b_.udiv(position, run);
  Value within = b_.udiv(b_.urem(position, run), w_.i64(every));
  Value start = arrangement.open ? w_.multiply(which, w_.i64(arrangement.run_length() / factor))
                                 : offset(arrangement.runs, which, factor);
  Value node = w_.add(start, offset(within_run, within, factor));
  node = w_.multiply(node, w_.i64(factor));
  for (auto stage = arrangement.stages.rbegin(); stage != arrangement.stages.rend(); ++stage) {
    node = w_.add(node, w_.i64(stage->offset));
    if (const auto* swizzle = std::get_if<layout::Swizzle>(&stage->map)) {
      Value read = b_.bit_and(node, static_cast<std::uint64_t>(swizzle->read_mask()));
      const auto distance = static_cast<std::uint64_t>(std::abs(swizzle->shift));
      node = b_.bit_xor(node, swizzle->shift < 0 ? b_.shl(read, distance) : b_.lshr(read, distance));
      continue;
    }
    std::vector<ir::Arrangement::Mode> digits;
    for (const layout::Mode& mode : layout::leaf_modes(std::get<layout::Layout>(stage->map))) {
      digits.push_back({mode.extent, mode.stride});
    }
    node = offset(digits, node, 1);
  }
  return node;
}

/// The short last run of an open arrangement: those of its nodes that exist, in order.
Values Folds::last_run(const FoldSite& site, const List& list, Value first, Value length) {
  const ir::Arrangement& arrangement = module_.schedules().arrangement(list.arrangement);
  const std::int64_t run = arrangement.run_length();
  if (run > longest_open_run) {
    w_.fail(site.id, "an arrangement of runs of " + std::to_string(run) + " nodes");
    return joins_.zeros(site);
  }
  List chosen;
  chosen.kind = List::Kind::chosen;
  chosen.parent = list.parent.list->parent;  // the list of the nodes before they were arranged
  chosen.size = w_.i64(1);
  chosen.pointers = {w_.stack_array(Type::index(), run)};
  const Values count = w_.loop(w_.i64(0), w_.i64(run), w_.i64(1), {w_.i64(0)}, [&](Value c, const Values& found) {
    Value offset = b_.sub(arranged_position(arrangement, c), w_.i64(0));
    w_.if_then(b_.less(offset, length), [&] { b_.store(chosen.pointers[0], found[0], w_.add(first, offset)); });
    return Values{b_.add(found[0], b_.extend(b_.less(offset, length)))};
  });
  return fold(site, list.schedule, {&chosen, w_.i64(0), w_.i64(1), count[0]}, list.lengths);
}

}  // namespace reckon::codegen
