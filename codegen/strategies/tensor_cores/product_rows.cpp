#include "codegen/strategies/tensor_cores/product_rows.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>

#include "codegen/place/buffer_reads.h"
#include "codegen/strategies/tensor_cores/hidden_elements.h"
#include "kernel/mma_rows.h"

namespace reckon::codegen {
namespace {

using ir::IndexId;
using ir::NodeId;
using ir::Op;
using ir::ScheduleOp;

constexpr std::int64_t most_leaves_of_first = 256;
constexpr std::int64_t least_rows = 32;  ///< a warp group has 64; with fewer, most of its work is lost

// Why two products are not one kernel.
constexpr std::string_view one_kernel = "one kernel with the product before";
constexpr Reason unknown_width{"the number of that product's leaves is not known"};
constexpr Reason wide_leaves{"that product has {have} leaves, and {need} have room beside a tile"};
constexpr Reason other_reduction{
    "between them stands a reduction whose order the lanes of a tile cannot keep, as they would `lanes(8, seq) then "
    "tree`"};
constexpr Reason needs_copy{"a factor needs a copy whose rows are multiples of 16 bytes"};
constexpr Reason needed_elsewhere{"what is made of that product is needed elsewhere, too"};

class RowRecognition {
 public:
  RowRecognition(ir::Module& module, const Planned& planned, const Numbers& numbers, int chip, Decision& decision)
      : module_(module),
        planned_(planned),
        numbers_(numbers),
        reads_(module, planned),
        chip_(chip),
        decision_(decision) {}

  std::optional<FoundRows> find(std::size_t k) {
    second_kernel_ = k;
    Decision ignored;
    auto second = product_of(k, ignored);
    if (!second || second->run || !second->unit.operand) return std::nullopt;
    if (ir::byte_width(ir::scalar_of(*second->unit.operand)) != kernel::MmaRows::operand_bytes) return std::nullopt;
    out_.rows.second = *second;
    const auto made = find_made(*second);
    if (!made) return std::nullopt;
    rows_ = extents_of(made->body.space);
    columns_ = rows_.back();
    rows_.pop_back();
    find_tails(k);
    if (!find_first(made->body)) return std::nullopt;
    if (!find_members()) return std::nullopt;
    if (made->kernel == none) add_step(RowStepKind::element, made->body, none);
    if (!order_steps(*made)) return std::nullopt;
    find_masks(module_, planned_, planned_.plan.kernels[first_kernel_].output, out_.rows);
    finish();
    return std::move(out_);
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  struct Made {
    KernelBody body;
    std::size_t kernel = none;  ///< none: the product would have it packed
  };

  bool refuse(const Reason& reason, std::int64_t have = 0, std::int64_t need = 0) {
    decision_.refuse(one_kernel, reason, have, need);
    return false;
  }

  std::optional<MmaProduct> product_of(std::size_t k, Decision& decision) const {
    KernelBody body = planned_.bodies[k];
    if (body.kind != KernelBody::Kind::fold || body.nodes || body.placed || body.part_of) return std::nullopt;
    if (planned_.plan.buffers[planned_.plan.kernels[k].output].words) return std::nullopt;
    body.schedule = module_.reduction_of(body.node).schedule;
    auto out = mma_product(module_, planned_, body, chip_, decision);
    if (out && out->by_warps) return std::nullopt;
    return out;
  }

  std::optional<std::size_t> kernel_of(std::uint32_t buffer) const {
    const std::vector<Kernel>& kernels = planned_.plan.kernels;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      if (kernels[k].output <= buffer && buffer < kernels[k].output + kernels[k].outputs) return k;
    }
    return std::nullopt;
  }

  /// What makes the first factor of the second product.
  std::optional<Made> find_made(const MmaProduct& second) const {
    const MmaOperand& x = second.x;
    const std::size_t rank = second.space.size();
    if (x.needs == MmaOperand::Needs::packing) {
      Made out;
      out.body.kind = KernelBody::Kind::elements;
      out.body.node = x.of_leaf_variable;
      out.body.space = x.space;
      if (x.space.size() != rank) return std::nullopt;
      out.body.space.back() = {module_[second.reduce].variables[0], module_[second.reduce].indices[0]};
      for (std::size_t d = 0; d + 1 < rank; ++d) {
        if (x.space[d].variable != second.space[d].variable) return std::nullopt;
      }
      return out;
    }
    const auto k = kernel_of(x.buffer);
    if (!k || x.subscripts.size() != rank || x.of_side != second.row_binder || x.of_leaf + 1 != rank)
      return std::nullopt;
    const KernelBody& body = planned_.bodies[*k];
    const bool is_plain = body.kind == KernelBody::Kind::elements && !body.placed && !body.joined;
    if (!is_plain || body.space.size() != rank) return std::nullopt;
    for (std::size_t d = 0; d < rank; ++d) {
      const bool is_inner = d == x.of_leaf || d == x.of_side;
      const IndexId wanted =
          is_inner ? module_.indices().constant(0) : module_.indices().variable(second.space[d].variable);
      const IndexId extent = d == x.of_leaf ? module_[second.reduce].indices[0] : second.space[d].extent;
      if (x.subscripts[d] != wanted || body.space[d].extent != extent) return std::nullopt;
    }
    return Made{body, *k};
  }

  void find_tails(std::size_t k) {
    results_ = k;
    while (const auto tail = elements_of_results(module_, planned_, results_)) {
      out_.rows.tails.push_back(
          {planned_.bodies[*tail].node, planned_.bodies[*tail].space, planned_.plan.kernels[*tail].output});
      tail_kernels_.insert(*tail);
      results_ = *tail;
    }
  }

  /// How the subscripts stand to the point of the space that reads.
  enum class Where : std::uint8_t { element, row, elsewhere };
  Where where(const KernelBody& body, const std::vector<IndexId>& subscripts) const {
    if (subscripts.size() < rows_.size() || subscripts.size() > rows_.size() + 1) return Where::elsewhere;
    for (std::size_t d = 0; d < subscripts.size(); ++d) {
      ir::VariableId own;
      if (d < body.space.size()) own = body.space[d].variable;
      else if (body.kind == KernelBody::Kind::fold) own = module_[body.node].variables[0];
      else return Where::elsewhere;
      if (subscripts[d] != module_.indices().variable(own)) return Where::elsewhere;
    }
    return subscripts.size() == rows_.size() ? Where::row : Where::element;
  }

  bool are_rows(const std::vector<Binder>& space) const {
    return space.size() >= rows_.size() &&
           std::ranges::equal(extents_of({space.begin(), space.begin() + static_cast<std::ptrdiff_t>(rows_.size())}),
                              rows_);
  }

  /// The kind of step that a kernel would be.
  std::optional<RowStepKind> kind_of(const KernelBody& body) const {
    if (!are_rows(body.space) || body.placed || body.joined) return std::nullopt;
    const bool has_columns = body.space.size() == rows_.size() + 1 && body.space.back().extent == columns_;
    if (body.kind == KernelBody::Kind::elements) {
      if (has_columns) return RowStepKind::element;
      if (body.space.size() == rows_.size()) return RowStepKind::row;
    } else if (body.kind == KernelBody::Kind::fold && !body.nodes && !body.part_of) {
      const bool is_row = body.space.size() == rows_.size() && module_[body.node].indices[0] == columns_;
      if (is_row) return RowStepKind::fold;
    }
    return std::nullopt;
  }

  /// Finds the one product on whose rows the body depends.
  bool find_first(const KernelBody& body) {
    std::set<std::size_t> seen;
    std::vector<KernelBody> pending{body};
    std::optional<std::size_t> first;
    bool one = true;
    while (!pending.empty()) {
      const KernelBody each = std::move(pending.back());
      pending.pop_back();
      reads_.each(each, [&](const Place& place, const std::vector<IndexId>& subscripts) {
        const auto k = where(each, subscripts) == Where::elsewhere ? std::nullopt : kernel_of(place.buffer);
        if (!k || !seen.insert(*k).second) return true;
        const KernelBody& next = planned_.bodies[*k];
        Decision ignored;
        const bool is_product = next.space.size() == rows_.size() + 1 && product_of(*k, ignored).has_value();
        if (is_product) {
          one = !first;
          first = *k;
        } else if (kind_of(next)) {
          pending.push_back(next);
        }
        return true;
      });
    }
    if (!first || !one) return false;
    return is_first(*first);
  }

  bool is_first(std::size_t k) {
    Decision ignored;
    const MmaProduct first = *product_of(k, ignored);
    const MmaProduct& second = out_.rows.second;
    if (!are_rows(first.space) || first.space.back().extent != columns_ || first.row_binder != second.row_binder ||
        first.run || !(first.unit == second.unit)) {
      return false;
    }
    const auto leaves = module_.indices().as_constant(module_[first.reduce].indices[0]);
    if (!leaves) return refuse(unknown_width);
    if (*leaves > most_leaves_of_first) return refuse(wide_leaves, *leaves, most_leaves_of_first);
    const auto rows = module_.indices().as_constant(second.space[second.row_binder].extent);
    if (rows && *rows < least_rows) return false;
    for (const MmaOperand* operand : {&first.x, &first.y, &second.y}) {
      if (operand->needs != MmaOperand::Needs::nothing) return refuse(needs_copy);
    }
    out_.rows.first = first;
    first_kernel_ = k;
    member_of_[planned_.plan.kernels[k].output] = k;
    return true;
  }

  /// Every kernel that reads the first product's rows, or what is made of them, is a step; only kernels after the
  /// results may read values of rows that are written.
  bool find_members() {
    for (std::size_t k = 0; k < planned_.bodies.size(); ++k) {
      if (k == first_kernel_ || k == second_kernel_ || tail_kernels_.contains(k)) continue;
      const bool reads = std::ranges::any_of(member_of_, [&](const auto& member) {
        return reads_.reads(planned_.bodies[k], member.first);
      });
      if (!reads) continue;
      if (may_be_step(k)) {
        member_of_[planned_.plan.kernels[k].output] = k;
        add_step(*kind_of(planned_.bodies[k]), planned_.bodies[k], k);
      } else if (k < results_) {
        return refuse(needed_elsewhere);
      }
    }
    return true;
  }

  bool may_be_step(std::size_t k) const {
    const Kernel& kernel = planned_.plan.kernels[k];
    const Buffer& buffer = planned_.plan.buffers[kernel.output];
    if (k < first_kernel_ || !kind_of(planned_.bodies[k]) || kernel.outputs != 1 || buffer.words || buffer.storage ||
        kernel.loop != planned_.plan.kernels[second_kernel_].loop) {
      return false;
    }
    return reads_.each(planned_.bodies[k], [&](const Place& place, const std::vector<IndexId>& subscripts) {
      if (member_of_.contains(place.buffer)) return is_own(place.buffer, planned_.bodies[k], subscripts);
      // What else it reads is known when the kernel of the results begins.
      const auto from = kernel_of(place.buffer);
      return k < results_ || !from || *from < results_;
    });
  }

  bool is_element(std::uint32_t buffer) const {
    const auto step = std::ranges::find(out_.rows.steps, buffer, &RowStep::output);
    return step == out_.rows.steps.end() || step->kind == RowStepKind::element;
  }
  /// Whether the value that is read is of the same element, or of the same row.
  bool is_own(std::uint32_t buffer, const KernelBody& body, const std::vector<IndexId>& subscripts) const {
    return where(body, subscripts) == (is_element(buffer) ? Where::element : Where::row);
  }

  void add_step(RowStepKind kind, const KernelBody& body, std::size_t kernel) {
    RowStep step;
    step.kind = kind;
    step.body = body;
    if (kernel != none) step.output = planned_.plan.kernels[kernel].output;
    out_.rows.steps.push_back(std::move(step));
    if (kernel != none) out_.parts.push_back(kernel);
  }

  /// Finds the pass of each step, and whether others need it.
  bool order_steps(const Made& made) {
    std::vector<RowStep>& steps = out_.rows.steps;
    std::int64_t last = 0;
    for (RowStep& step : steps) {
      // A value of a row can be used from the pass after its folds on.
      reads_.each(step.body, [&](const Place& place, const auto&) {
        step.buffers.push_back(place.buffer);
        const auto read = std::ranges::find(steps, place.buffer, &RowStep::output);
        if (read == steps.end() || &*read == &step) return true;
        step.reads.push_back(static_cast<std::size_t>(read - steps.begin()));
        step.pass = std::max(step.pass, read->pass + (read->kind == RowStepKind::fold ? 1 : 0));
        return true;
      });
      if (step.kind == RowStepKind::fold && !is_fold_of_lanes(step)) return false;
      const bool is_made =
          made.kernel == none ? &step == &steps.back() : step.output == planned_.plan.kernels[made.kernel].output;
      if (is_made) out_.rows.made = static_cast<std::size_t>(&step - steps.data());
      if (step.kind == RowStepKind::fold || is_made) last = std::max(last, step.pass);
      if (step.output == RowStep::no_buffer) continue;
      step.is_written = is_needed(step.output);
      if (step.is_written && step.kind == RowStepKind::element) return refuse(needed_elsewhere);
    }
    if (is_needed(planned_.plan.kernels[first_kernel_].output)) return refuse(needed_elsewhere);
    out_.rows.passes = last + 1;
    return true;
  }

  /// Is the buffer of any use outside of the parts?
  bool is_needed(std::uint32_t buffer) const {
    const Buffer::Role role = planned_.plan.buffers[buffer].role;
    if (role == Buffer::Role::result || role == Buffer::Role::state) return true;
    for (std::size_t k = 0; k < planned_.bodies.size(); ++k) {
      if (k == first_kernel_ || k == second_kernel_ || tail_kernels_.contains(k)) continue;
      if (std::ranges::find(out_.parts, k) == out_.parts.end() && reads_.reads(planned_.bodies[k], buffer)) return true;
    }
    return false;
  }

  /// Whether the lanes of a tile can keep the order of the reduction.
  bool is_fold_of_lanes(RowStep& step) {
    const ir::Reduction& reduction = module_.reduction_of(step.body.node);
    step.body.schedule = step.body.decision.stated = reduction.schedule;
    const auto length = module_.indices().as_constant(columns_);
    if (reduction.user || module_.type(module_[step.body.node].operands[0]).kind != ir::TypeKind::scalar ||
        (reduction.has_otherwise && (!length || *length < 1))) {
      return refuse(needed_elsewhere);
    }
    const PlacedOrder order = placed_order(module_, step.body.node, numbers_);
    const bool picks = reduction.operation == Op::max || reduction.operation == Op::min;
    if (order.any || (picks && numbers_.picks_in_any_order())) return true;
    const ir::ScheduleStore& schedules = module_.schedules();
    const ir::ScheduleNode& then = schedules[order.schedule];
    if (then.op == ScheduleOp::then && schedules[then.operands[1]].op == ScheduleOp::tree) {
      const ir::ScheduleNode& stage = schedules[then.operands[0]];
      const auto lanes = module_.indices().as_constant(stage.parameter);
      const bool is_chain = stage.op == ScheduleOp::lanes && schedules[stage.operands[0]].op == ScheduleOp::seq;
      if (is_chain && lanes && (*lanes == 8 || *lanes == 16 || *lanes == 32)) {
        step.lanes = *lanes;
        return true;
      }
    }
    return refuse(other_reduction);
  }

  void finish() {
    out_.parts.push_back(first_kernel_);
    out_.parts.push_back(second_kernel_);
    out_.parts.insert(out_.parts.end(), tail_kernels_.begin(), tail_kernels_.end());
    std::ranges::sort(out_.parts);
    out_.results = results_;
    out_.rows.second.output = planned_.plan.kernels[second_kernel_].output;
    out_.rows.first.output = planned_.plan.kernels[first_kernel_].output;
  }

  ir::Module& module_;
  const Planned& planned_;
  const Numbers& numbers_;
  BufferReads reads_;
  int chip_;
  Decision& decision_;
  FoundRows out_;
  std::vector<IndexId> rows_;  ///< extents of the dimensions that are not the columns
  IndexId columns_;
  std::size_t first_kernel_ = 0, second_kernel_ = 0, results_ = 0;
  std::set<std::size_t> tail_kernels_;
  std::map<std::uint32_t, std::size_t> member_of_;  ///< kernels of the first product and the steps, by their buffers
};

}  // namespace

std::optional<FoundRows> product_rows(ir::Module& module, const Planned& planned, const Numbers& numbers, std::size_t k,
                                      int chip, Decision& decision) {
  return RowRecognition(module, planned, numbers, chip, decision).find(k);
}

}  // namespace reckon::codegen
