#include "codegen/place/place.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/place/candidate.h"
#include "codegen/place/kernel_clauses.h"
#include "codegen/place/tails.h"
#include "codegen/strategies/strategy.h"
#include "ir/op.h"

namespace reckon::codegen {
namespace {

class Placer {
 public:
  explicit Placer(const Placing& placing) : placing_(placing), module_(placing.module), planned_(placing.planned) {}

  void run() {
    hoist_reductions(placing_);
    for (KernelBody& body : planned_.bodies) {
      // An element that is nothing but a reduction is placed as a fold.
      const bool is_fold = body.kind == KernelBody::Kind::elements && module_[body.node].op == ir::Op::reduce;
      if (is_fold) body.kind = KernelBody::Kind::fold;
      if (body.kind == KernelBody::Kind::fold) body.vector = vector_of(widest_part(body));
    }
    for (const auto& strategy : strategies()) strategy->before_folds(placing_);
    for (std::size_t k = 0; k < planned_.bodies.size(); ++k) {
      const KernelBody& body = planned_.bodies[k];
      if (body.kind == KernelBody::Kind::fold && !body.nodes && !body.placed) k = place(k);
    }
    add_tails_to_joins(module_, planned_);
    add_tails_to_folds(module_, planned_);
    for (const auto& strategy : strategies()) strategy->after_folds(placing_);
    for (std::size_t k = 0; k < planned_.bodies.size(); ++k) {
      Kernel& kernel = planned_.plan.kernels[k];
      if (planned_.bodies[k].placed) continue;
      kernel.threads = threads_of_choices(planned_.choices, kernel.name, kernel.threads);
    }
  }

 private:
  /// Gives kernel k to the first strategy that takes it. If none does, each item is computed by one thread. Returns the
  /// kernel's number, since a strategy may add kernels before it.
  std::size_t place(std::size_t k) {
    KernelBody& body = planned_.bodies[k];
    body.schedule = body.decision.stated = module_.reduction_of(body.node).schedule;
    const auto operations = module_.schedules().operations(body.schedule);
    if (std::any_of(operations.begin(), operations.end(), ir::is_set_of_orders)) return k;  // refused elsewhere
    Candidate fold(placing_, k);
    const std::string name = planned_.plan.kernels[k].name;
    for (std::size_t s = 0; s < strategies().size(); ++s) {
      const Strategy& strategy = *strategies()[s];
      const bool is_choice = strategy.is_optional() && !fold.is_pinned();
      const std::string of = fmt::format("{}.{}", name, strategy_keys()[s]);
      if ((is_choice && planned_.choices.leaves_out(of)) || !strategy.take(fold)) continue;
      if (is_choice) planned_.choices.takes(of);
      break;
    }
    return fold.number();
  }

  /// Bytes of the widest register of the fold's state.
  std::int64_t widest_part(const KernelBody& body) const {
    std::int64_t bytes = 0;
    for (ir::Scalar scalar : scalars_of(module_, module_[module_[body.node].operands[0]].type)) {
      if (scalar == ir::Scalar::number) continue;  // refused elsewhere
      const auto size = placing_.code.widths().of(scalar, kernel::Form::registers);
      bytes = std::max(bytes, static_cast<std::int64_t>(size));
    }
    return bytes;
  }

  const Placing& placing_;
  ir::Module& module_;
  Planned& planned_;
};

}  // namespace

std::optional<std::int64_t> known_product(const ir::Module& module, const std::vector<ir::IndexId>& extents) {
  std::int64_t product = 1;
  for (const ir::IndexId extent : extents) {
    const auto known = module.indices().as_constant(extent);
    if (!known || __builtin_mul_overflow(product, *known, &product)) return std::nullopt;
  }
  return product;
}

void add_kernel_before(Planned& planned, std::size_t k, std::string_view suffix, std::uint32_t output,
                       std::size_t outputs, KernelBody body) {
  std::vector<Kernel>& kernels = planned.plan.kernels;
  Kernel kernel;
  kernel.name = kernels[k].name + std::string(suffix);
  const auto is_taken = [&](const Kernel& other) { return other.name == kernel.name; };
  while (std::ranges::any_of(kernels, is_taken)) kernel.name += suffix;
  kernel.output = output;
  kernel.outputs = static_cast<std::uint32_t>(outputs);
  kernel.items = extents_of(body.space);
  kernel.loop = kernels[k].loop;
  const auto before = static_cast<std::ptrdiff_t>(k);
  planned.bodies.insert(planned.bodies.begin() + before, std::move(body));
  kernels.insert(kernels.begin() + before, std::move(kernel));
}

void add_join_kernel(ir::Module& module, Planned& planned, std::size_t k, ir::IndexId count, ir::ScheduleId rest) {
  std::vector<Kernel>& kernels = planned.plan.kernels;
  KernelBody whole = planned.bodies[k];
  Kernel last = kernels[k];
  const std::vector<ir::Scalar> parts = scalars_of(module, module[whole.node].type);
  std::vector<ir::IndexId> extents{count};
  extents.insert(extents.end(), last.items.begin(), last.items.end());
  whole.nodes = kernels[k].output = add_buffers(planned, parts, extents, planned.plan.buffers[last.output].words);
  whole.schedule = rest;
  whole.fused = false;
  kernels[k].name += "_runs";
  const auto after = static_cast<std::ptrdiff_t>(k) + 1;
  kernels.insert(kernels.begin() + after, std::move(last));
  planned.bodies.insert(planned.bodies.begin() + after, std::move(whole));
}

std::optional<Diagnostic> place_on_gpu(ir::Module& module, Planned& planned, const Numbers& code, int chip) {
  if (auto problem = refused_clause(planned.clauses)) return problem;
  if (!planned.clauses.empty()) planned.choices.close();
  const Placing placing{module, planned, code, chip};
  Placer(placing).run();
  return apply_clauses(module, planned);
}

}  // namespace reckon::codegen
