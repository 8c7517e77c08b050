// Reductions side by side whose leaves lie across memory, the columns of a matrix: neighbouring ones are those of the
// lanes of warps. If blocks share the leaves of a column, a kernel after this one joins the nodes that they make.
#include "codegen/strategies/strategy.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/lower/kernel_parts.h"
#include "codegen/strategies/columns/column_reduction.h"
#include "codegen/strategies/columns/long_columns.h"
#include "ir/op.h"
#include "ir/visit.h"

namespace reckon::codegen {
namespace {

using ir::ScheduleOp;

/// What makes a block worthwhile: warps, and leaves of a column for each of them.
constexpr std::int64_t min_warps = 8, min_leaves = 16;
/// More warps of a block wait for each other too long (an H200, the greatest elements of 9999 columns of 1000: 7.9 us
/// with 16 warps, 9.8 with 32). Where all columns share what they read besides, twice as many share that (a vector
/// times a matrix of 1001 x 99999: 182 us with 32 warps, 326 with 16).
constexpr std::int64_t most_column_warps = 16;
/// So many warps of a multiprocessor keep its memory busy: more blocks need not share the columns.
constexpr std::int64_t enough_column_warps = 32;
/// With so many results, a thread may have two columns and the chip still has work for all multiprocessors.
constexpr std::int64_t wide_items = 1 << 18;
constexpr std::int64_t wide_columns = 4096;  ///< the same of columns, where all share what they read besides
constexpr std::int64_t short_lanes = 16;  ///< leaves
/// With so few results, a thread for each would leave the chip idle: shorter columns are shared, too.
constexpr std::int64_t few_columns = 1 << 15, min_leaves_of_few = 64;

std::int64_t divided_up(std::int64_t x, std::int64_t y) { return (x + y - 1) / y; }

/// Leaves from which on threads share a column.
std::int64_t leaves_worth_sharing(const ir::Module& module, const KernelBody& body) {
  const auto results = known_product(module, extents_of(body.space));
  const bool few = results && *results <= few_columns && module.indices().as_constant(module[body.node].indices[0]);
  return few ? min_leaves_of_few : min_column_leaves;
}

constexpr Reason not_side_by_side{"neighbouring results do not read neighbours in memory"};

class Sharing {
 public:
  /// lanes_by_tree must know the schedule of `fold`.
  explicit Sharing(const Candidate& fold)
      : module_(fold.module()),
        body_(fold.body()),
        lanes_(*lanes_by_tree(module_, body_.schedule)),
        state_bytes_(fold.state_bytes()),
        keeps_factors_(fold.keeps_factors()),
        narrow_(reads_narrow(fold)),
        shares_(reads_shared(fold)),
        columns_(module_.indices().as_constant(body_.space.back().extent)),
        length_(fold.length()),
        items_(fold.items()),
        enough_(enough_blocks(fold.gpu())),
        multiprocessors_(fold.gpu().multiprocessors) {}

  /// The shares, with more than one part if that is worthwhile. They may need more bytes than a block has.
  ColumnShares shares() const {
    if (may_share()) {
      // Where elements take no fewer bytes than registers, and are all that is read, one column is as well read as
      // several.
      const auto vectors = narrow_ || shares_ ? std::vector<std::int64_t>{4, 2, 1} : std::vector<std::int64_t>{1};
      for (const std::int64_t vector : vectors) {
        const ColumnShares found = shared_by(vector);
        if (found.parts > 1 && fits(vector) && bytes(found) <= max_shared_bytes) return found;
      }
    }
    for (std::int64_t vector : {4, 2}) {
      const ColumnShares found = alone_by(vector);
      if (is_worth(vector) && bytes(found) <= max_shared_bytes) return found;
    }
    return alone_by(1);
  }

  /// The shares to take for a kernel of that name: these, or others that fit.
  ColumnShares of_choices(const ColumnShares& usual, std::string_view kernel, Choices& choices) const {
    const auto text = [](const ColumnShares& by) { return fmt::format("{}x{}x{}", by.parts, by.warps, by.vector); };
    Ways<ColumnShares> ways(usual, text(usual));
    const auto add = [&](ColumnShares by, std::int64_t warps) {
      by.warps = std::min(by.warps, warps);
      by.joins_lanes = joins_lanes(by);
      if (bytes(by) <= max_shared_bytes) ways.add(by, text(by));
    };
    for (std::int64_t vector : {4, 2, 1}) {
      if (vector > 1 && (!columns_ || !fits(vector))) continue;
      for (std::int64_t warps : {4, 8, 16, 32}) {
        if (may_share()) add(shared_by(vector), warps);
        add(alone_by(vector), warps);
      }
    }
    return ways.take(choices, fmt::format("{}.shares", kernel));
  }

  /// Bytes of shared memory.
  std::int64_t bytes(const ColumnShares& by) const {
    const std::int64_t nodes = lanes_ > 1 && !by.joins_lanes ? lanes_ / by.parts : by.warps;
    return nodes * warp * by.vector * state_bytes_;
  }

 private:
  /// Whether blocks may share a column. Its nodes are those of `tree` from some level up, so that an aligned run of
  /// them is a node, too. Not for fused sums, whose nodes may still be products.
  bool may_share() const {
    return ends_in_tree() && !keeps_factors_ && items_ && *items_ > 0 && length_ &&
           *length_ >= std::max(lanes_, min_column_leaves);
  }

  bool ends_in_tree() const {
    const ir::ScheduleNode& node = module_.schedules()[body_.schedule];
    return lanes_ == 1 || module_.schedules()[node.operands[1]].op == ScheduleOp::tree;
  }

  /// Whether a thread should have so many columns if blocks do not share them: two where there are many results; and
  /// those that it reads in 8 bytes where the elements are of fewer bytes than a register, if the chip still has work
  /// for all multiprocessors.
  bool is_worth(std::int64_t vector) const {
    if (!columns_ || !fits(vector)) return false;
    if (vector == 2 && (shares_ ? *columns_ >= wide_columns : items_ && *items_ >= wide_items)) return true;
    return narrow_ && (!items_ || divided_up(*items_, warp * vector) >= enough_ / 2);
  }

  std::int64_t most_warps(std::int64_t vector) const {
    return shares_ && vector <= 2 ? 2 * most_column_warps : most_column_warps;
  }

  ColumnShares alone_by(std::int64_t vector) const {
    ColumnShares out{1, vector, most_warps(vector)};
    out.joins_lanes = joins_lanes(out);
    return out;
  }

  /// Whether a warp has whole lanes side by side that are short. What all columns share is read for these lanes
  /// together and takes as many registers as they have leaves.
  bool joins_lanes(const ColumnShares& by) const {
    if (lanes_ == 1 || !ends_in_tree() || !length_ || *length_ < lanes_) return false;
    const std::int64_t lanes = lanes_ / by.parts, leaves = divided_up(*length_, lanes_);
    return lanes > by.warps && leaves <= short_lanes && lanes / by.warps * leaves <= written_out;
  }

  /// Whether one read of a thread can take so many columns.
  bool fits(std::int64_t vector) const {
    return *columns_ % vector == 0 && (vector == 1 || vector * state_bytes_ <= 16);
  }

  ColumnShares shared_by(std::int64_t vector) const {
    const std::int64_t groups = divided_up(*items_, warp * vector);
    const std::int64_t most = lanes_ > 1 ? lanes_ / min_warps : *length_ / (min_warps * min_leaves);
    ColumnShares out{1, vector, most_warps(vector)};
    const std::int64_t enough = shares_ ? enough_ * most_column_warps : enough_column_warps * multiprocessors_;
    while (groups * out.parts * most_column_warps < enough && 2 * out.parts <= most) out.parts *= 2;
    if (lanes_ > 1) out.warps = std::min(most_warps(vector), lanes_ / out.parts);
    else out.parts = divided_up(*length_, column_run(*length_, out.parts));  // none is empty
    out.joins_lanes = joins_lanes(out);
    return out;
  }

  static bool reads_shared(const Candidate& fold) {
    const ir::Module& module = fold.module();
    const ir::Node& reduce = module[fold.body().node];
    bool found = false;
    ir::walk(module, {reduce.operands[0]}, [&](ir::NodeId id) {
      if (module[id].op != ir::Op::element) return ir::Walk::below;
      found = found ||
              (module.depends_on(id, reduce.variables[0]) && !module.depends_on(id, fold.body().space.back().variable));
      return ir::Walk::beside;
    });
    return found;
  }

  /// Whether all elements of a leaf that are a column's own are of two bytes or one.
  static bool reads_narrow(const Candidate& fold) {
    const ir::Module& module = fold.module();
    bool any = false, all = true;
    ir::walk(module, {module[fold.body().node].operands[0]}, [&](ir::NodeId id) {
      const ir::Node& node = module[id];
      if (node.op != ir::Op::element) return ir::Walk::below;
      if (!module.depends_on(id, fold.body().space.back().variable)) return ir::Walk::beside;
      const bool is_given = module[node.operands[0]].op == ir::Op::parameter;
      const auto form = is_given ? kernel::Form::given : kernel::Form::kept;
      any = true;
      all = all && fold.numbers().widths().of(module.type(id).scalar, form) <= 2;
      return ir::Walk::beside;
    });
    return any && all;
  }

  const ir::Module& module_;
  const KernelBody& body_;
  std::int64_t lanes_, state_bytes_;
  bool keeps_factors_, narrow_;
  bool shares_;  ///< whether all columns read some element alike
  std::optional<std::int64_t> columns_, length_, items_;
  std::int64_t enough_;  ///< blocks
  std::int64_t multiprocessors_;
};

class ColumnKernel : public FoldKernel {
 public:
  explicit ColumnKernel(const ColumnShares& shares) : shares_(shares) {}

  void write(KernelParts& parts, const KernelBody& body, Kernel& kernel) const override {
    parts.write_blocks(fold_of(body), kernel, [&](BlockReducer& reducer) {
      ColumnReduction(parts, *this, fold_of(body), shares_, kernel, reducer).lower();
    });
  }

  std::string who(const KernelBody&, const Kernel& kernel) const override {
    return fmt::format("The lanes of a warp take neighbouring lists{}, and {} warps share their leaves{}.",
                       shares_.vector > 1 ? fmt::format(", {} each", shares_.vector) : "", kernel.threads / warp,
                       shares_.parts > 1 ? fmt::format("; {} blocks share those of one list", shares_.parts) : "");
  }

  ClauseSet clauses() const override { return ClauseSet::blocks; }
  std::optional<Diagnostic> obey(const ir::KernelClauses& clauses, KernelBody&, Kernel&) const override {
    return ir::unmet(
        clauses.span(), "a kernel of columns has the threads that its columns want",
        "rows and single reductions take `threads` and `blocks`, matrix products `tile` and `values`, too");
  }

 private:
  std::shared_ptr<FoldKernel> copy() const override { return std::make_shared<ColumnKernel>(*this); }

  ColumnShares shares_;
};

class Columns : public Strategy {
 public:
  std::string_view name() const override { return "warps for columns"; }

  void before_folds(const Placing& placing) const override { split_long_columns(placing); }

  bool take(Candidate& fold) const override {
    const std::int64_t least = leaves_worth_sharing(fold.module(), fold.body());
    if (!fold.may_be_shared() || fold.is_shorter_than(least) || !fold.is_across_memory()) return false;
    if (!fold.is_side_by_side()) return fold.refuse(name(), not_side_by_side);
    if (fold.is_pinned()) return fold.refuse(name(), reason::pinned);
    if (!lanes_by_tree(fold.module(), fold.body().schedule)) return fold.refuse(name(), reason::not_by_tree);
    const Sharing sharing(fold);
    ColumnShares by = sharing.shares();
    if (sharing.bytes(by) > max_shared_bytes) {
      return fold.refuse(name(), reason::no_room, sharing.bytes(by), max_shared_bytes);
    }
    by = sharing.of_choices(by, fold.kernel().name, fold.planned().choices);
    if (by.parts > 1) {
      const ir::IndexId nodes = fold.module().indices().constant(by.parts);
      const ir::ScheduleId tree = fold.module().schedules().simple(ScheduleOp::tree);
      add_join_kernel(fold.module(), fold.planned(), fold.number(), nodes, tree);
      fold.kernel().items.insert(fold.kernel().items.begin(), nodes);
    }
    fold.body().placed = std::make_shared<ColumnKernel>(by);
    fold.kernel().threads = static_cast<std::uint32_t>(warp * by.warps);
    return true;
  }

  /// Short columns of which there are few. Long ones get a kernel anyway.
  bool wants_kernel(const InnerCandidate& inner, Decision&) const override {
    ir::Module& module = inner.module;
    const KernelBody& fold = inner.fold;
    if (inner.in_words || fold.space.empty() || !lanes_by_tree(module, fold.schedule)) return false;
    const ir::Node& node = module[fold.node];
    const auto length = module.indices().as_constant(node.indices[0]);
    const ir::VariableId leaf = node.variables[0];
    if (!length || *length < leaves_worth_sharing(module, fold)) return false;
    return !reads_in_order(module, node.operands[0], leaf) &&
           reads_in_order(module, node.operands[0], fold.space.back().variable);
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_columns() { return std::make_unique<Columns>(); }

}  // namespace reckon::codegen
