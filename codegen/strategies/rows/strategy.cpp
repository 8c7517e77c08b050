// Kernels that go over the same rows become one: what a block makes of its row never leaves it.
#include "codegen/strategies/strategy.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "codegen/lower/kernel_parts.h"
#include "codegen/place/buffer_reads.h"
#include "codegen/strategies/rows/row_steps.h"
#include "ir/op.h"
#include "ir/visit.h"

namespace reckon::codegen {
namespace {

using ir::IndexId;
using ir::NodeId;
using ir::Op;
using Kind = KernelBody::Kind;

constexpr std::int64_t max_slots = 32;    ///< most elements of a row that a thread has
constexpr std::int64_t min_elements = 4;  ///< so many elements of a row are worth a thread
/// The same limit where functions are computed that are longer than exp: beyond it, code for each element takes longer
/// to compile than it saves.
constexpr std::int64_t max_slots_of_long_code = 16;
/// The same limit where exp is computed: with code for 32 elements a kernel takes over 100 ms from its text to the GPU.
/// With 16 elements it wants more threads on a multiprocessor than usual (softmax of 8192 x 8192 on an H200: 132 us;
/// with 1024 threads 150 us; with 32 elements of a thread 128 us).
constexpr std::int64_t max_slots_of_exp = 16;
constexpr std::int64_t resident_threads_of_exp = 1536;
/// Of a kernel that copies rows to shared memory: threads of a block, and those of a multiprocessor, so that a thread has
/// 64 registers (an H200, 512 rows of 50257: log softmax in bf16 68 us, with 256 threads 75, with 1024
/// 80; softmax in f32 117, 151 and 134 us).
constexpr std::int64_t threads_of_copies = 512, resident_threads_of_copies = 1024;
/// Room for what a thread makes known to its block.
constexpr std::int64_t bytes_made_known = 256;

class RowKernel : public PlacedKernel {
 public:
  explicit RowKernel(RowShares shares) : shares_(std::move(shares)) {}

  void write(KernelParts& parts, const KernelBody& body, Kernel& kernel) const override {
    parts.write_blocks(body, kernel, [&](BlockReducer& reducer) {
      RowSteps(parts.folds(), parts.items(), parts.kept(), body, shares_, kernel, reducer).lower();
    });
  }

  std::string who(const KernelBody&, const Kernel& kernel) const override {
    if (shares_.slots == 0) {
      return fmt::format("A row is shared by the {} threads of a block{}.", kernel.threads,
                         shares_.copies ? ", which first copy it to shared memory" : "");
    }
    return fmt::format("A row is shared by the {} threads of a block, {} elements a thread, which stay in {}.",
                       kernel.threads, shares_.slots, shares_.arrays.count > 0 ? "shared memory" : "registers");
  }

  ClauseSet clauses() const override { return ClauseSet::blocks; }

 private:
  RowShares shares_;
};

class RowFuser {
 public:
  RowFuser(ir::Module& module, Planned& planned, const Numbers& code)
      : module_(module), planned_(planned), code_(code), reads_(module, planned) {}

  void run() {
    for (std::size_t k = 0; k < planned_.bodies.size(); ++k) fuse_from(k);
  }

 private:
  std::vector<Kernel>& kernels() { return planned_.plan.kernels; }
  std::vector<KernelBody>& bodies() { return planned_.bodies; }

  std::vector<IndexId> extents(const KernelBody& body, std::size_t count) const {
    std::vector<IndexId> out;
    for (std::size_t k = 0; k < count; ++k) out.push_back(body.space[k].extent);
    return out;
  }

  static bool is_row_fold(const KernelBody& body) {
    return body.kind == Kind::fold && body.placed && body.placed->has_rows() && !body.nodes && !body.space.empty();
  }

  /// Elements that are each a thread's so far.
  static bool is_elements(const KernelBody& body) {
    return body.kind == Kind::elements && !body.placed && !body.joined;
  }

  /// Fuses the kernels from k on that go over the same rows, if there is a reduction among them.
  void fuse_from(std::size_t k) {
    const KernelBody& first = bodies()[k];
    std::size_t rank = 0;
    if (is_row_fold(first)) rank = first.space.size();
    else if (is_elements(first) && first.space.size() >= 2) rank = first.space.size() - 1;
    else return;
    rows_ = extents(first, rank);
    length_.reset();
    outputs_.clear();
    std::size_t end = k, folds = 0;
    while (end < bodies().size() && kernels()[end].loop == kernels()[k].loop && joins(bodies()[end])) {
      folds += bodies()[end].kind == Kind::fold ? 1 : 0;
      outputs_.insert(kernels()[end].output);
      ++end;
    }
    if (folds == 0 || end - k < 2) return;
    const std::string of = kernels()[end - 1].name + ".rows";
    const bool apart = planned_.clauses.empty() && are_few_and_long();
    if (planned_.choices.take(of, {"yes", "no"}, apart ? 1 : 0) != 0) return;
    fuse(k, end);
  }

  /// A few long rows are left to kernels that share each among all blocks (softmax of 7 rows of 32,000 on an H200: 6.6
  /// us instead of 11.0; of 64 rows 12.8 instead of 11.5).
  bool are_few_and_long() const {
    constexpr std::int64_t few = 32, elements_of_long = 16384;
    const auto rows = known_product(module_, rows_), length = module_.indices().as_constant(*length_);
    return rows && length && *rows <= few && *length >= elements_of_long;
  }

  bool joins(const KernelBody& body) {
    if (is_row_fold(body)) {
      if (body.space.size() != rows_.size() || extents(body, rows_.size()) != rows_) return false;
      const ir::Node& node = module_[body.node];
      if (length_ && *length_ != node.indices[0]) return false;
      if (!reads_own_row(body, node.variables[0])) return false;
      length_ = node.indices[0];
      return true;
    }
    if (!is_elements(body) || body.space.size() < rows_.size()) return false;
    if (extents(body, rows_.size()) != rows_) return false;
    if (body.space.size() == rows_.size()) return reads_own_row(body, std::nullopt);
    if (body.space.size() > rows_.size() + 1) return false;
    if (length_ && *length_ != body.space.back().extent) return false;
    if (!reads_own_row(body, body.space.back().variable)) return false;
    length_ = body.space.back().extent;
    return true;
  }

  /// Whether the body reads results of kernels of this group only in its own row, and only at its own position there.
  bool reads_own_row(const KernelBody& body, std::optional<ir::VariableId> inner) {
    ir::IndexStore& indices = module_.indices();
    return reads_.each(body, [&](const Place& place, const std::vector<IndexId>& subscripts) {
      if (!outputs_.contains(place.buffer)) return true;
      if (subscripts.size() < rows_.size() || subscripts.size() > rows_.size() + 1) return false;
      for (std::size_t k = 0; k < rows_.size(); ++k) {
        if (subscripts[k] != indices.variable(body.space[k].variable)) return false;
      }
      return subscripts.size() == rows_.size() || (inner && subscripts.back() == indices.variable(*inner));
    });
  }

  void fuse(std::size_t begin, std::size_t end) {
    KernelBody rows;
    rows.kind = Kind::rows;
    rows.node = bodies()[begin].node;
    for (IndexId extent : rows_) rows.space.push_back({module_.fresh_variable(), extent});
    for (std::size_t k = begin; k < end; ++k) {
      KernelBody step = bodies()[k];
      step.output = kernels()[k].output;
      step.outputs = kernels()[k].outputs;
      step.written = reads_.needed_outside(step.output, begin, end);
      rows.steps.push_back(std::move(step));
    }
    for (const KernelBody& step : rows.steps) {
      if (step.written) continue;
      // The step's values are never in memory; its buffer stays, with no elements, to keep the buffers' numbers.
      for (std::uint32_t k = 0; k < step.outputs; ++k) {
        planned_.plan.buffers[step.output + k].extents = {module_.indices().constant(0)};
      }
    }
    Kernel kernel = kernels()[end - 1];
    kernel.items = rows_;
    RowShares shares = shares_of(rows, kernel, std::nullopt);
    const std::uint32_t threads = threads_of_choices(planned_.choices, kernel.name + ".row", kernel.threads);
    if (threads != kernel.threads) {
      rows.blocks = 0;
      shares = shares_of(rows, kernel, threads);
      kernel.threads = threads;
    }
    rows.placed = std::make_shared<RowKernel>(std::move(shares));
    bodies()[begin] = std::move(rows);
    kernels()[begin] = std::move(kernel);
    bodies().erase(bodies().begin() + static_cast<std::ptrdiff_t>(begin) + 1,
                   bodies().begin() + static_cast<std::ptrdiff_t>(end));
    kernels().erase(kernels().begin() + static_cast<std::ptrdiff_t>(begin) + 1,
                    kernels().begin() + static_cast<std::ptrdiff_t>(end));
  }

  /// How threads share the row; each keeps its elements if the length is known and all reductions share it alike.
  /// With a number of threads, these are the block's.
  RowShares shares_of(KernelBody& rows, Kernel& kernel, std::optional<std::int64_t> stated) {
    RowShares out;
    kernel.threads = 256;
    const auto length = module_.indices().as_constant(*length_);
    if (!length) return out;
    std::int64_t vector = 0;
    bool one_deal = true;
    for (const KernelBody& step : rows.steps) {
      if (step.kind != Kind::fold) continue;
      const auto lanes = lanes_by_tree(module_, step.schedule);
      one_deal = one_deal && lanes && *lanes <= warp * step.vector && (vector == 0 || vector == step.vector);
      vector = step.vector;
    }
    const auto computes = [&](auto&& is_one) {
      return std::any_of(rows.steps.begin(), rows.steps.end(), [&](const KernelBody& step) {
        const auto found = ir::find_node(module_, {step.node}, [&](NodeId id) { return is_one(module_[id].op); });
        return found.has_value();
      });
    };
    // Few registers leave room for more threads; functions need them.
    const bool has_functions = computes([](Op op) { return ir::is_elementary(op); });
    const bool has_long_code = computes([](Op op) { return ir::is_elementary(op) && op != Op::exp; });
    std::vector<std::int64_t> choices{512, 256, 1024, 128, 64, 32};
    if (has_functions) std::swap(choices[0], choices[1]);
    // Where exp is computed, few threads wait for each other less; a row alone wants many.
    const bool has_exp = has_functions && !has_long_code;
    if (has_exp) choices = {32, 64, 128, 256, 512, 1024};
    if (has_exp && are_few(rows)) std::ranges::reverse(choices);
    if (!has_functions && !are_few(rows)) choices = threads_of_many(*length);
    if (planned_.clauses.threads) stated = planned_.clauses.threads->count;
    if (stated) choices = {*stated};
    const std::int64_t kept = rows_kept(module_, planned_, rows);
    for (const std::int64_t most : {has_exp ? max_slots_of_exp / kept : 0, max_slots / kept, max_slots}) {
      for (std::int64_t threads : choices) {
        if (!one_deal) break;
        const std::int64_t block_row = warp * vector;
        const std::int64_t groups = threads / warp;
        if (*length % (block_row * groups) != 0) continue;
        const std::int64_t run = *length / (block_row * groups);
        if (!std::has_single_bit(static_cast<std::uint64_t>(run)) || run * vector > most) continue;
        kernel.threads = static_cast<std::uint32_t>(threads);
        out.slots = run * vector;
        out.vector = vector;
        out.step = step_of(rows, vector, *length);
        const bool shared = has_long_code && run * vector > max_slots_of_long_code;
        out.arrays = shared ? rows_in_shared_memory(module_, planned_, rows, vector, *length)
                            : rows_in_registers(module_, planned_, rows, vector);
        if (has_exp && out.arrays.known && out.slots * kept <= max_slots_of_exp) {
          rows.blocks = static_cast<std::uint32_t>(resident_threads_of_exp / threads);
        }
        return out;
      }
    }
    if (one_deal && vector > 0) {
      const std::int64_t most = has_long_code ? max_slots_of_long_code : max_slots;
      for (const std::int64_t slots : {has_exp ? max_slots_of_exp / kept : 0, most / kept}) {
        const auto threads = threads_beyond(*length, vector, slots, choices);
        if (!threads) continue;
        kernel.threads = static_cast<std::uint32_t>(*threads);
        out.slots = slots_beyond(*length, vector, *threads);
        out.vector = vector;
        out.step = step_of(rows, vector, *length);
        out.ends_at = *length;
        out.arrays = rows_in_registers(module_, planned_, rows, vector);
        return out;
      }
    }
    while (kernel.threads < 1024 && std::int64_t{kernel.threads} * max_slots < *length) kernel.threads *= 2;
    while (kernel.threads > warp && std::int64_t{kernel.threads} * min_elements > *length) kernel.threads /= 2;
    if (one_deal && vector > 0) copy_to_shared_memory(rows, kernel, *length, stated, out);
    return out;
  }

  /// Whether what the first stage leaves is not joined where it is in shared memory.
  bool has_later_stages(ir::ScheduleId schedule) const {
    using ir::ScheduleOp;
    const ir::ScheduleNode& node = module_.schedules()[schedule];
    if (node.op == ScheduleOp::tree) return false;
    if (node.op != ScheduleOp::then) return true;
    const ScheduleOp last = module_.schedules()[node.operands[1]].op;
    return last != ScheduleOp::tree && last != ScheduleOp::seq && last != ScheduleOp::halving;
  }

  /// A row that is too long for slots is read once, if a multiprocessor has room for a copy.
  void copy_to_shared_memory(KernelBody& rows, Kernel& kernel, std::int64_t length, std::optional<std::int64_t> stated,
                             RowShares& out) {
    const kernel::Widths& widths = code_.widths();
    RowArrays arrays = rows_in_registers(module_, planned_, rows, 1);
    std::int64_t copies = 0, joined = 0;
    for (const RowArrays::Input& input : arrays.inputs) {
      const ir::Scalar scalar = module_.type(input.reads.front().second).scalar;
      copies += (length * widths.of(scalar, kernel::Form::kept) + 15) / 16 * 16;
    }
    if (!arrays.known || copies == 0) return;
    for (const KernelBody& step : rows.steps) {
      if (step.kind != Kind::fold) continue;
      if (has_later_stages(step.schedule)) return;
      // What a thread has of a block row, which the groups of warps put into shared memory.
      std::int64_t bytes = 0;
      for (const ir::Scalar scalar : scalars_of(module_, module_[module_[step.node].operands[0]].type)) {
        bytes += widths.of(scalar, kernel::Form::registers);
      }
      const bool has_factors = keeps_factors(module_, module_.reduction_of(step.node).schedule, code_);
      joined = std::max(joined, bytes * step.vector * (has_factors ? 3 : 1));
    }
    const std::int64_t threads = stated.value_or(threads_of_copies);
    const std::int64_t need = copies + joined * threads + bytes_made_known;
    if (need > planned_.gpu->max_shared_bytes()) return;
    const std::int64_t blocks = planned_.gpu->shared_bytes / (need + planned_.gpu->shared_bytes_of_system);
    kernel.threads = static_cast<std::uint32_t>(threads);
    const std::int64_t most = std::max<std::int64_t>(1, resident_threads_of_copies / threads);
    rows.blocks = static_cast<std::uint32_t>(std::clamp<std::int64_t>(blocks, 1, most));
    out.arrays = std::move(arrays);
    out.copies = true;
  }

  /// How far the leaves of a thread's vector are apart.
  std::int64_t step_of(const KernelBody& rows, std::int64_t vector, std::int64_t length) {
    bool aligned = length % vector == 0, lanes_of_warps = vector > 1;
    for (const KernelBody& step : rows.steps) {
      const bool folds = step.kind == Kind::fold;
      if (folds) lanes_of_warps = lanes_of_warps && lanes_by_tree(module_, step.schedule).value_or(0) >= warp;
      if (!folds && step.space.size() == rows.space.size()) continue;
      const ir::VariableId inner = folds ? module_[step.node].variables[0] : step.space.back().variable;
      aligned = aligned &&
                reads_aligned(module_, folds ? module_[step.node].operands : std::vector{step.node}, inner, vector);
    }
    return aligned || !lanes_of_warps ? 1 : warp;
  }

  /// Where there are many rows and little to compute, a thread does best with some 16 elements or more, and a warp
  /// alone with 32 (an H200, rms norms of 4096 rows of 2048 in bf16: 6.3 us with 128 threads, 11.7 with 512; moments of
  /// rows of 1009: 9.2 us with a warp, 27.7 with 256 threads). Where a part of them would be absent, with no more than
  /// 16 (layer norms of 4096 rows of 5120 in f32: 55 us with 512 threads, 68 with 256).
  static std::vector<std::int64_t> threads_of_many(std::int64_t length) {
    constexpr std::int64_t usual = 16;
    const std::int64_t most = std::has_single_bit(static_cast<std::uint64_t>(length)) ? 256 : 512;
    std::vector<std::int64_t> out;
    if (length <= warp * max_slots) out.push_back(warp);
    for (std::int64_t threads = 2 * warp; threads <= max_block_threads; threads *= 2) {
      if (threads * usual >= length || threads >= most) out.push_back(threads);
    }
    for (std::int64_t threads = max_block_threads; threads >= warp; threads /= 2) {
      if (std::ranges::find(out, threads) == out.end()) out.push_back(threads);
    }
    return out;
  }

  /// Are there known to be fewer rows than keep the chip busy?
  bool are_few(const KernelBody& rows) const {
    const auto count = known_product(module_, extents_of(rows.space));
    return count && *count < enough_blocks(*planned_.gpu);
  }

  /// Elements of each thread that together cover the row, and more: a power of two of vectors.
  static std::int64_t slots_beyond(std::int64_t length, std::int64_t vector, std::int64_t threads) {
    const std::int64_t vectors = (length + vector * threads - 1) / (vector * threads);
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(vectors))) * vector;
  }
  /// The number of threads with the fewest absent elements, if the threads have no more than `most` each.
  static std::optional<std::int64_t> threads_beyond(std::int64_t length, std::int64_t vector, std::int64_t most,
                                                    const std::vector<std::int64_t>& choices) {
    std::optional<std::int64_t> best;
    const auto covered = [&](std::int64_t threads) { return slots_beyond(length, vector, threads) * threads; };
    for (const std::int64_t threads : choices) {
      if (slots_beyond(length, vector, threads) > most) continue;
      if (!best || covered(threads) < covered(*best)) best = threads;
    }
    return best;
  }

  ir::Module& module_;
  Planned& planned_;
  const Numbers& code_;
  BufferReads reads_;
  std::vector<IndexId> rows_;
  std::optional<IndexId> length_;
  std::set<std::uint32_t> outputs_;
};

class Rows : public Strategy {
 public:
  std::string_view name() const override { return "rows"; }

  void after_folds(const Placing& placing) const override {
    RowFuser(placing.module, placing.planned, placing.code).run();
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_rows() { return std::make_unique<Rows>(); }

}  // namespace reckon::codegen
