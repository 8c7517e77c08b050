// Entry points: what a kernel computes for its items, and where the results are stored.
#include "codegen/lower/kernels.h"

#include <set>

#include "codegen/lower/products.h"
#include "codegen/lower/running_scan.h"
#include "codegen/placed_kernel.h"

namespace reckon::codegen {

Kernels::Kernels(Folds& folds, KeptValues& kept)
    : LoweringParts(folds, folds.joins()), items_(w_), columns_(folds, items_), parts_(folds, items_, kept) {}

/// A kernel may start while the kernel before it still runs, and lets the next one start. Before it reads anything it
/// waits until the kernel before, and with it every earlier one, is done. (PTX ISA, griddepcontrol; CUDA's programmatic
/// dependent launch.)
void Kernels::overlap(std::size_t k, Kernel& kernel) {
  const std::size_t count = planned_.plan.kernels.size();
  if (!w_.overlaps_kernels() || count == 1) return;
  if (k + 1 < count) b_.launch_next();
  if (k == 0) return;
  kernel.overlaps = true;
  std::set<std::uint32_t> written;
  // In a loop, later kernels were run in the round before.
  const std::size_t last = kernel.loop ? count : k;
  for (std::uint32_t b = 0; b < planned_.plan.buffers.size(); ++b) {
    if (planned_.plan.buffers[b].role == Buffer::Role::state) written.insert(b);
  }
  for (std::size_t before = 0; before < last; ++before) {
    const KernelBody& body = planned_.bodies[before];
    const Kernel& other = planned_.plan.kernels[before];
    for (std::uint32_t part = 0; part < other.outputs; ++part) written.insert(other.output + part);
    for (const KernelBody& step : body.steps) {
      for (std::uint32_t part = 0; part < step.outputs; ++part) written.insert(step.output + part);
    }
  }
  Values places;
  for (std::uint32_t buffer : written) places.push_back(w_.buffers()[buffer]);
  const Values after = b_.await_previous(places);
  std::size_t next = 0;
  for (std::uint32_t buffer : written) w_.buffers()[buffer] = after[next++];
}

void Kernels::lower(std::size_t k, Kernel& kernel) {
  const KernelBody& body = planned_.bodies[k];
  folds_.calls().begin_kernel();
  const kernel::OriginGuard of_kernel(b_, body.node);
  Scope root;
  const std::size_t number = w_.make_kernel(kernel.name);
  w_.begin_function(number, root);
  const auto item = [&](Value one, Value last) { emit_item(body, kernel, one, last); };
  if (w_.target() == Target::host) {
    Value range[2];
    for (const char* name : {"begin", "end"}) {
      const Value value = b_.program().fresh(Type::index(), {kernel::Program::Definition::Kind::parameter,
                                                             static_cast<std::uint32_t>(number)});
      w_.function().parameters.push_back({name, value});
      range[*name == 'e'] = value;
    }
    if (body.product) Products(folds_, body, kernel, *body.product).write(range[0], range[1]);
    else if (body.by_key) emit_by_key(*body.by_key, body, kernel, range[0], range[1]);
    else if (!columns_.write(body, kernel, range[0], range[1])) items_.of_host(body, kernel, range[0], range[1], item);
  } else {
    overlap(k, kernel);
    if (body.placed) body.placed->write(parts_, body, kernel);
    else items_.of_ptx(body, kernel, item);
  }
  kernel.recursive = folds_.calls().any();
}

/// `item` is the item's number, `last` its coordinate in the last dimension.
void Kernels::emit_item(const KernelBody& body, const Kernel& kernel, Value item, Value last) {
  if (w_.failed()) return;
  switch (body.kind) {
    case KernelBody::Kind::elements: {
      const Buffer& output = planned_.plan.buffers[kernel.output];
      Value value = body.joined ? made_of_joined(body, kernel, item) : circuits_.scalar(body.node);
      circuits_.store_at_offset(kernel.output, output.storage ? circuits_.place_in(output, body.space) : item, value);
      return;
    }
    case KernelBody::Kind::array: emit_array(body, kernel, item); return;
    case KernelBody::Kind::scan:
      if (body.running) {
        emit_scan(body, kernel, item);
        return;
      }
      break;
    case KernelBody::Kind::fold: break;
    case KernelBody::Kind::rows: return;
  }
  auto fold_of_leaves = [&] {
    const bool prefix = body.kind == KernelBody::Kind::scan;
    FoldSite site = joins_.site_of(body);
    site.arithmetic = Arithmetic::plain;  // the whole schedule is followed, `fused` and all
    return folds_.emit_fold(site, prefix ? b_.add(last, w_.i64(1)) : w_.index(site.node.indices[0]));
  };
  const Values values = body.nodes ? fold_of_runs(body, kernel, item) : fold_of_leaves();
  for (std::uint32_t k = 0; k < values.size(); ++k) circuits_.store(kernel.output + k, item, values[k]);
}

/// A whole scan, for the schedules whose prefixes share their work.
void Kernels::emit_scan(const KernelBody& body, const Kernel& kernel, Value item) {
  const FoldSite site = joins_.site_of(body.node);
  folds_.check_pins(site, site.reduction.schedule, {ir::MachineLevel::thread});
  Value length = w_.index(site.node.indices[0]);
  Value start = w_.multiply(item, length);
  auto keep = [&](Value position, const Values& values) {
    for (std::uint32_t k = 0; k < values.size(); ++k)
      circuits_.store(kernel.output + k, w_.add(start, position), values[k]);
  };
  // Where every order has the same bits, `seq` does the least work: one join for each number. It pays if a join is
  // cheap.
  const ir::Reduction& reduction = site.reduction;
  const bool picks = !reduction.user && (reduction.operation == ir::Op::min || reduction.operation == ir::Op::max);
  const bool any = picks && w_.numbers().picks_in_any_order() &&
                   w_.numbers().applies_to_vectors(reduction.operation, site.scalars[0]);
  const ir::ScheduleId order = any ? module_.schedules().simple(ir::ScheduleOp::seq) : reduction.schedule;
  w_.if_then(b_.greater(length, w_.i64(0)), [&] { RunningScan(folds_, site).write(order, length, keep); });
}

void Kernels::emit_array(const KernelBody& body, const Kernel& kernel, Value item) {
  const std::vector<ir::NodeId> elements = module_[body.node].operands;
  for (std::size_t k = 0; k < elements.size(); ++k) {
    w_.if_then(b_.equal(item, w_.i64(static_cast<std::int64_t>(k))),
               [&] { circuits_.store(kernel.output, item, circuits_.scalar(elements[k])); });
  }
}

/// An element that is made of the fold of nodes at its place.
Value Kernels::made_of_joined(const KernelBody& body, const Kernel& kernel, Value item) {
  const KernelBody& fold = body.joined->fold;
  Scope scope;
  for (std::size_t d = 0; d < fold.space.size(); ++d) {
    const ir::VariableId own = body.space[d].variable;
    if (fold.space[d].variable == own) continue;
    scope.variables.push_back(
        {fold.space[d].variable, fold.space[d].extent, w_.index(module_.indices().variable(own))});
  }
  return w_.in_scope(scope, [&] {
    KeptValues& kept = parts_.kept();
    kept.clear();
    kept.of_step(body.joined->output).value = fold_of_runs(fold, kernel, item);
    const Value out = circuits_.scalar(body.node);
    kept.clear();
    w_.resume();
    return Values{out};
  })[0];
}

/// Folds the nodes of an output that the kernel before has made; they are a whole result apart in their buffer.
Values Kernels::fold_of_runs(const KernelBody& body, const Kernel& kernel, Value item) {
  FoldSite site = joins_.site_of(body.node);
  // The nodes in the buffers are values: none of them is a product that is not rounded.
  site.fuses = false;
  site.state.clear();
  for (ir::Scalar scalar : site.scalars) site.state.push_back(Type::number(scalar));
  List list;
  list.kind = List::Kind::buffered;
  list.buffer = *body.nodes;
  list.base = item;
  Value stride = w_.i64(1);
  for (ir::IndexId extent : kernel.items) stride = w_.multiply(stride, w_.index(extent));
  Value count = w_.index(planned_.plan.buffers[*body.nodes].extents[0]);
  return folds_.emit_fold(site, body.schedule, {&list, w_.i64(0), stride, count});
}

}  // namespace reckon::codegen
