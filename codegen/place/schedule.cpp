// Which parts of a schedule threads can do side by side.
#include <bit>
#include <set>

#include "codegen/place/place.h"
#include "ir/op.h"

namespace reckon::codegen {

using ir::ScheduleId;
using ir::ScheduleOp;

namespace {

bool is_parallel_stage(const ir::Module& module, ScheduleId id) {
  const ir::ScheduleNode& node = module.schedules()[id];
  if (node.op == ScheduleOp::stage_then) {
    return is_parallel_stage(module, node.operands[0]) || is_parallel_stage(module, node.operands[1]);
  }
  if (node.op == ScheduleOp::arrange) return true;
  const auto size = module.indices().as_constant(node.parameter);
  return size && (node.op == ScheduleOp::lanes ? *size >= warp : *size <= warp);
}

}  // namespace

bool is_parallel(const ir::Module& module, ScheduleId id) {
  const ir::ScheduleNode& node = module.schedules()[id];
  switch (node.op) {
    case ScheduleOp::tree:
    case ScheduleOp::halving: return true;
    case ScheduleOp::then: return is_parallel_stage(module, node.operands[0]) || is_parallel(module, node.operands[1]);
    case ScheduleOp::length: return is_parallel(module, node.operands[0]);
    case ScheduleOp::conditional: return is_parallel(module, node.operands[0]) && is_parallel(module, node.operands[1]);
    default: return false;
  }
}

bool is_of_a_thread(const ir::Module& module, ScheduleId schedule) {
  return module.schedules().levels(schedule) == std::set{ir::MachineLevel::thread};
}

ir::MachineLevel pinned_first(const ir::Module& module, ScheduleId schedule) {
  const ir::ScheduleNode* node = &module.schedules()[schedule];
  while (node->op == ScheduleOp::then || node->op == ScheduleOp::stage_then || node->op == ScheduleOp::fused) {
    node = &module.schedules()[node->operands[0]];
  }
  return node->level;
}

std::optional<std::int64_t> lanes_by_tree(const ir::Module& module, ScheduleId schedule) {
  const ir::ScheduleNode& node = module.schedules()[schedule];
  if (node.op == ScheduleOp::tree) return 1;
  if (node.op != ScheduleOp::then) return std::nullopt;
  const ir::ScheduleNode& stage = module.schedules()[node.operands[0]];
  if (stage.op != ScheduleOp::lanes) return std::nullopt;
  if (module.schedules()[stage.operands[0]].op != ScheduleOp::tree) return std::nullopt;
  const auto lanes = module.indices().as_constant(stage.parameter);
  if (!lanes || *lanes < 1 || *lanes > max_lanes_by_tree) return std::nullopt;
  return std::has_single_bit(static_cast<std::uint64_t>(*lanes)) ? lanes : std::nullopt;
}

bool keeps_factors(const ir::Module& module, ScheduleId schedule, const Numbers& code) {
  return !code.sums_exactly() && module.schedules().absorbs_products(schedule);
}

std::optional<std::int64_t> threads_of_first_stage(const ir::Module& module, ScheduleId schedule, std::int64_t vector) {
  constexpr std::int64_t min_threads = 64;
  const ir::ScheduleNode* node = &module.schedules()[schedule];
  if (node->op != ScheduleOp::then) return std::nullopt;
  do node = &module.schedules()[node->operands[0]];
  while (node->op == ScheduleOp::stage_then);
  std::int64_t lists = 0;
  if (node->op == ScheduleOp::arrange) {
    const ir::Arrangement& arrangement = module.schedules().arrangement_of(*node);
    if (!arrangement.open) lists = arrangement.size() / arrangement.run_length();
  } else if (node->op == ScheduleOp::lanes && module.schedules()[node->operands[0]].op == ScheduleOp::seq) {
    lists = module.indices().as_constant(node->parameter).value_or(0);
    if (lists % vector == 0 && lists / vector >= min_threads) lists /= vector;
  }
  while (lists > max_block_threads && lists % 2 == 0) lists /= 2;
  if (lists < min_threads || lists > max_block_threads || lists % warp != 0) return std::nullopt;
  return lists;
}

PlacedOrder placed_order(ir::Module& module, ir::NodeId id, const Numbers& code) {
  const ir::Reduction reduction = module.reduction_of(id);
  const auto length = module.indices().as_constant(module[id].indices[0]);
  const ir::Type type = module.type(id);
  PlacedOrder order{reduction.schedule};
  const bool pinned = !module.schedules().levels(reduction.schedule).empty();
  const bool sums_words = !pinned && !reduction.user && reduction.operation == ir::Op::add &&
                          type.kind == ir::TypeKind::scalar && code.adds_words(type.scalar);
  if (sums_words) order = {module.schedules().default_order(), false, true};
  auto take_head = [&] {
    const ScheduleOp op = module.schedules()[order.schedule].op;
    if ((op != ScheduleOp::length && op != ScheduleOp::reference) || !length || *length < 1) return;
    const auto found = module.schedules().head(order.schedule, *length);
    if (!found.problem) order.schedule = found.schedule;
  };
  take_head();
  if (module.schedules()[order.schedule].op != ScheduleOp::fused) return order;
  if (module.schedules()[order.schedule].level != ir::MachineLevel::none) return order;
  const ScheduleId inner = module.schedules()[order.schedule].operands[0];
  if (module.schedules()[inner].op == ScheduleOp::rounded_once) return order;
  order = {inner, !code.sums_exactly(), false};
  take_head();
  return order;
}

}  // namespace reckon::codegen
