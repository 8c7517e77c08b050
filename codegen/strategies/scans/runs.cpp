#include "codegen/strategies/scans/runs.h"

namespace reckon::codegen {
namespace {

class RunWriter : LoweringParts {
 public:
  RunWriter(KernelParts& parts, const KernelBody& body, const ScanPlacement& placement, const Kernel& kernel,
            BlockReducer& reducer)
      : LoweringParts(parts.folds(), parts.folds().joins()),
        lists_(parts, body, placement, kernel),
        kernel_(kernel),
        reducer_(reducer) {}

  void write() {
    lists_.in_groups(1, [&](Value item) { write_list(lists_.at(item)); });
  }

 private:
  void write_list(const ScanList& list) {
    // Runs of two are made of totals, and longer ones of runs.
    level(list, w_.i64(1), [&](Value first) { return lists_.node(list, first); });
    w_.while_loop(
        {w_.i64(2)}, [&](const Values& now) { return b_.less_equal(b_.shl(now[0], 1), list.length); },
        [&](const Values& now) {
          reducer_.barrier();
          level(list, now[0], [&](Value first) { return run(list, w_.add(first, b_.lshr(now[0], 1))); });
          return Values{b_.shl(now[0], 1)};
        });
    reducer_.barrier();
  }

  /// Joins pairs of runs of `half` tiles.
  void level(const ScanList& list, Value half, FunctionRef<Values(Value first)> half_from) {
    const Value count = b_.udiv(list.length, b_.shl(half, 1));
    w_.if_then(b_.less(reducer_.thread(), count), [&] {
      w_.loop(
          reducer_.thread(), count, w_.i64(reducer_.threads()), {},
          [&](Value number, const Values&) {
            const Value first = b_.mul(number, b_.shl(half, 1));
            const Value middle = w_.add(first, half);
            lists_.store(list, middle, joins_.join(lists_.site(), half_from(first), half_from(middle)));
            return Values{};
          },
          false);
    });
  }

  Values run(const ScanList& list, Value place) {
    return lists_.load(kernel_.output, w_.add(w_.multiply(list.row, list.length), place));
  }

  ScanLists lists_;
  const Kernel& kernel_;
  BlockReducer& reducer_;
};

}  // namespace

void write_runs(KernelParts& parts, const KernelBody& body, const ScanPlacement& placement, const Kernel& kernel,
                BlockReducer& reducer) {
  RunWriter(parts, body, placement, kernel, reducer).write();
}

}  // namespace reckon::codegen
