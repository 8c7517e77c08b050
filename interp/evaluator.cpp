#include "interp/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "diagnostics/codes/division_by_zero.h"
#include "diagnostics/codes/internal.h"
#include "diagnostics/codes/interrupted.h"
#include "interp/keyed.h"
#include "ir/bind.h"
#include "ir/integer.h"
#include "ir/op.h"

namespace reckon::interp {

Evaluator::Evaluator(const ir::Module& module, PreparedCircuit& circuit, Semantics& semantics, CircuitCache& circuits,
                     std::vector<Tensor> parameters, const EvaluateOptions& options)
    : module_(module),
      circuit_(circuit),
      semantics_(semantics),
      listener_(semantics.place_listener()),
      pool_(semantics),
      circuits_(circuits),
      batch_(std::max<std::int64_t>(static_cast<std::int64_t>(options.batch), 1)),
      interrupted_(options.interrupted),
      parameters_(std::move(parameters)) {
  root_.whole = true;
}

Evaluator::~Evaluator() = default;

bool Evaluator::fail(Diagnostic diagnostic) {
  if (!diagnostic_) diagnostic_ = std::move(diagnostic);
  return false;
}

ir::Order::Head Evaluator::head(const ir::Order& schedule, std::int64_t length) {
  if (schedule.is_bound()) return schedule.head(length);
  const auto [found, is_new] = heads_.try_emplace({schedule.term(), length});
  if (is_new) found->second = schedule.head(length);
  return found->second;
}

bool Evaluator::no_order(ir::NodeId place, const ir::Order& schedule, const ir::ScheduleProblem& problem) {
  return fail(ir::schedule_diagnostic(module_, schedule.term(), problem, span(place)));
}

bool Evaluator::number(ir::NodeId place, int value, ir::Scalar scalar, std::int64_t count, Column& out) {
  out = column(scalar, count);
  ir::Literal literal;
  literal.kind = ir::Literal::Kind::rational;
  literal.value = value;
  if (!check(place, semantics_.literal(literal, scalar, out.writable()))) return false;
  const std::vector<std::int64_t> first(static_cast<std::size_t>(count), 0);
  semantics_.gather(scalar, out.data, first.data(), out.writable(), static_cast<std::size_t>(count));
  return true;
}

bool Evaluator::fault(ir::NodeId place, Fault found) {
  constexpr std::size_t max_reasons = 10'000;
  const bool keeps_reason = found.reason != 0 && reasons_.size() < max_reasons;
  if (found.leaves_empty && first_empty_ && !keeps_reason) return true;
  if (!found.leaves_empty && reasons_.contains(found.reason)) return fail(*reasons_[found.reason]);
  Diagnostic diagnostic(found.code, span(place), std::move(found.message));
  if (!found.help.empty()) diagnostic.helps.push_back(std::move(found.help));
  if (!found.leaves_empty) return fail(std::move(diagnostic));
  if (!first_empty_) first_empty_ = diagnostic;
  if (keeps_reason) reasons_[found.reason] = std::move(diagnostic);
  return true;
}

const std::optional<Diagnostic>& Evaluator::why_empty(ir::Scalar scalar, const std::byte* value) const {
  const auto found = reasons_.find(semantics_.reason(scalar, value));
  return found != reasons_.end() ? found->second : first_empty_;
}

namespace {

void add_scalars(const ir::Module& module, ir::TypeId id, std::vector<ir::Scalar>& out) {
  const ir::Type& type = module.types()[id];
  if (type.kind != ir::TypeKind::tuple) {
    out.push_back(type.scalar);
    return;
  }
  for (ir::TypeId part : type.parts) add_scalars(module, part, out);
}

/// A tensor, or a tuple with tensors (the result of a scan of tuples, of a loop or of a builtin circuit). It is
/// computed whole, never as columns.
bool is_tensor(const ir::Module& module, ir::NodeId id) { return module.types().has_tensor(module[id].type); }

}  // namespace

std::vector<ir::Scalar> Evaluator::component_scalars(ir::TypeId type) const {
  std::vector<ir::Scalar> scalars;
  add_scalars(module_, type, scalars);
  return scalars;
}

std::shared_ptr<Values> Evaluator::new_tensor(ir::Scalar scalar, std::vector<std::int64_t> shape) {
  return std::make_shared<Values>(semantics_, scalar, std::move(shape));
}

bool Evaluator::index_column(const Frame& frame, ir::IndexId index, ir::NodeId place, IndexColumn& out) {
  if (auto problem = interp::index_column(module_, frame, index, out)) {
    return fail(Diagnostic(problem->code, span(place), problem->message));
  }
  return true;
}

bool Evaluator::results(std::vector<Tensor>& out) {
  std::vector<ir::NodeId> parts{circuit_.function.body};
  for (std::size_t k = 0; k < parts.size();) {
    const ir::Node& node = module_[parts[k]];
    if (node.op != ir::Op::tuple) {
      ++k;
      continue;
    }
    const std::vector<ir::NodeId> inner = node.operands;
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(k));
    parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(k), inner.begin(), inner.end());
  }
  if (!ensure_values(root_, parts)) return false;
  for (ir::NodeId part : parts) {
    if (is_tensor(module_, part)) {
      std::vector<Tensor> tensors;
      if (!whole_tensor(root_, part, tensors)) return false;
      out.insert(out.end(), tensors.begin(), tensors.end());
      continue;
    }
    for (const Column& column : root_.values.at(part)) out.push_back(number_of(column));
  }
  return true;
}

bool Evaluator::whole_tensor(Frame& frame, ir::NodeId id, std::vector<Tensor>& out) {
  const ir::Node& node = module_[id];
  if (node.op == ir::Op::parameter) {
    out = {parameters_[node.attribute]};
    return true;
  }
  Frame& home = home_of(frame, id);
  if (node.op == ir::Op::operand) {
    out = home.state;
    return true;
  }
  auto found = home.tensors.find(id);
  if (found == home.tensors.end()) {
    if (!run(home, {id})) return false;
    found = home.tensors.find(id);
  }
  out = found->second;
  return true;
}

Frame& Evaluator::home_of(Frame& frame, ir::NodeId node) const {
  Frame* home = &frame;
  while (home->parent != nullptr && !home->owns(module_, node)) home = home->parent;
  return *home;
}

bool Evaluator::ensure_values(Frame& frame, ir::NodeId node, Columns& out) {
  const Columns* found = nullptr;
  if (!ensure_values(frame, node, found)) return false;
  out = *found;
  return true;
}

bool Evaluator::ensure_values(Frame& frame, ir::NodeId node, const Columns*& out) {
  auto found = frame.values.find(node);
  if (found == frame.values.end()) {
    if (!ensure_values(frame, std::vector<ir::NodeId>{node})) return false;
    found = frame.values.find(node);
  }
  out = &found->second;
  return true;
}

bool Evaluator::ensure_values(Frame& frame, const std::vector<ir::NodeId>& nodes) {
  std::vector<ir::NodeId> own;
  for (ir::NodeId node : nodes) {
    if (frame.values.contains(node)) continue;
    if (frame.owns(module_, node)) {
      own.push_back(node);
      continue;
    }
    Columns of_parent;
    if (!ensure_values(*frame.parent, node, of_parent)) return false;
    frame.values[node] = expand(frame, of_parent);
  }
  return own.empty() || run(frame, own);
}

bool Evaluator::run(Frame& frame, const std::vector<ir::NodeId>& roots) {
  if (interrupted_ != nullptr && interrupted_->load(std::memory_order_relaxed)) {
    return fail(Diagnostic(code::interrupted, span(roots.front()), "interrupted"));
  }
  const Plan& plan = circuit_.planner.plan(frame, roots);
  const std::size_t count = plan.steps.size();
  auto have = [&](ir::NodeId node) {
    if (frame.values.contains(node)) return true;
    if (!frame.whole || !is_tensor(module_, node)) return false;
    const ir::Op op = module_[node].op;
    return op == ir::Op::parameter || op == ir::Op::operand || frame.tensors.contains(node);
  };
  // Backwards: find the steps that are needed and have no values yet, and count their uses. A root is never dropped.
  std::vector<std::uint32_t> uses(count, 0);
  std::vector<bool> created(count, false);
  for (std::uint32_t root : plan.roots) uses[root] = ~std::uint32_t{0} / 2;
  for (std::size_t s = count; s-- > 0;) {
    if (uses[s] == 0 || have(plan.steps[s].node)) continue;
    created[s] = true;
    for (std::uint32_t needed : plan.steps[s].needs) ++uses[needed];
  }
  for (std::size_t s = 0; s < count; ++s) {
    if (!created[s]) continue;
    const ir::NodeId node = plan.steps[s].node;
    if (have(node)) {
      // A nested evaluation needed it too, and has kept it.
    } else if (frame.whole && is_tensor(module_, node)) {
      std::vector<Tensor> tensors;
      if (!make_tensor(frame, node, tensors)) return false;
      frame.tensors[node] = std::move(tensors);
    } else {
      Columns columns;
      if (!compute(frame, node, columns)) return false;
      frame.values[node] = std::move(columns);
    }
    for (std::uint32_t needed : plan.steps[s].needs) {
      if (--uses[needed] > 0 || !created[needed]) continue;
      frame.values.erase(plan.steps[needed].node);
      if (frame.whole) frame.tensors.erase(plan.steps[needed].node);
    }
  }
  return true;
}

Columns Evaluator::expand(const Frame& frame, const Columns& of_parent) {
  if (frame.link != Frame::Link::choose && frame.size == frame.parent->size) return of_parent;
  Columns out;
  const auto size = static_cast<std::size_t>(frame.size);
  for (const Column& column : of_parent) {
    if (frame.link == Frame::Link::choose) {
      out.push_back(gathered(*this, column, frame.chosen));
      continue;
    }
    Column wide = this->column(column.scalar, frame.size);
    const std::size_t width = semantics_.size(column.scalar);
    if (frame.link == Frame::Link::tile) {
      const auto period = static_cast<std::size_t>(frame.parent->size);
      if (period > 1 || !semantics_.trivial()) {
        for (std::size_t e = 0; e < size; e += period) {
          copy_values(semantics_, column.scalar, column.data, wide.writable() + e * width, period);
        }
        out.push_back(std::move(wide));
        continue;
      }
    }
    const std::size_t run = size / static_cast<std::size_t>(std::max<std::int64_t>(frame.parent->size, 1));
    auto fill = [&]<class Word>(Word) {
      const auto* in = reinterpret_cast<const Word*>(column.data);
      auto* to = reinterpret_cast<Word*>(wide.writable());
      for (std::int64_t p = 0; p < frame.parent->size; ++p) to = std::fill_n(to, run, in[p]);
    };
    if (semantics_.trivial() && width == 4) {
      fill(std::uint32_t{});
    } else if (semantics_.trivial() && width == 8) {
      fill(std::uint64_t{});
    } else if (semantics_.trivial() && width == 2) {
      fill(std::uint16_t{});
    } else if (semantics_.trivial() && width == 1) {
      fill(std::uint8_t{});
    } else {
      std::vector<std::int64_t> index(size);
      for (std::size_t e = 0; e < size; ++e) index[e] = static_cast<std::int64_t>(e / run);
      semantics_.gather(column.scalar, column.data, index.data(), wide.writable(), size);
    }
    out.push_back(std::move(wide));
  }
  return out;
}

bool Evaluator::compute(Frame& frame, ir::NodeId id, Columns& out) {
  const ir::Node& node = module_[id];
  switch (node.op) {
    case ir::Op::literal: {
      Column value = column(module_.type(id).scalar, frame.size);
      if (!check(id, semantics_.literal(module_.literal_of(id), value.scalar, value.writable()))) return false;
      out = {std::move(value)};
      return true;
    }
    case ir::Op::parameter: {
      const Tensor& values = parameters_[node.attribute];
      out = {Column{.scalar = values->scalar(), .data = values->data(), .buffer = {}, .tensor = values}};
      return true;
    }
    case ir::Op::source: {
      std::vector<Tensor> tensors;
      if (!make_source(id, tensors)) return false;
      Column value = column(tensors[0]->scalar(), 1);
      copy_values(semantics_, value.scalar, tensors[0]->data(), value.writable(), 1);
      out = {std::move(value)};
      return true;
    }
    case ir::Op::operand:
      for (const auto& [variable, columns] : frame.operands) {
        if (variable == node.variables[0]) {
          out = columns;
          return true;
        }
      }
      return fail(Diagnostic(code::internal, span(id), "an operand variable is not bound"));
    case ir::Op::index_value:
    case ir::Op::index_condition: out.resize(1); return index_values(frame, id, out[0]);
    case ir::Op::element: out.resize(1); return element(frame, id, out[0]);
    case ir::Op::at: out.resize(1); return at(frame, id, out[0]);
    case ir::Op::reduce: return reduce(frame, id, out);
    case ir::Op::call: return call(frame, id, out);
    case ir::Op::loop: {  // its columns are in the table, from which `get` takes its numbers
      const Table* table = nullptr;
      return this->table(frame, id, table);
    }
    case ir::Op::tuple:
      for (ir::NodeId part : node.operands) {
        Columns columns;
        if (!ensure_values(frame, part, columns)) return false;
        out.insert(out.end(), columns.begin(), columns.end());
      }
      return true;
    case ir::Op::get: {
      // Parts are laid end to end; a part may be a tuple itself.
      const auto& parts = module_.type(node.operands[0]).parts;
      std::size_t first = 0;
      for (std::uint32_t k = 0; k < node.attribute; ++k) first += component_scalars(parts[k]).size();
      const std::size_t length = component_scalars(parts[node.attribute]).size();
      if (is_tensor(module_, node.operands[0])) {  // a number beside tensors
        if (!frame.whole) {
          const Table* table = nullptr;
          if (!this->table(frame, node.operands[0], table)) return false;
          out.assign(table->columns.begin() + static_cast<std::ptrdiff_t>(first),
                     table->columns.begin() + static_cast<std::ptrdiff_t>(first + length));
          return true;
        }
        std::vector<Tensor> tensors;
        if (!whole_tensor(frame, node.operands[0], tensors)) return false;
        for (std::size_t k = first; k < first + length; ++k) {
          Column& number = out.emplace_back(column(tensors[k]->scalar(), 1));
          copy_values(semantics_, number.scalar, tensors[k]->data(), number.writable(), 1);
        }
        return true;
      }
      Columns columns;
      if (!ensure_values(frame, node.operands[0], columns)) return false;
      out.assign(columns.begin() + static_cast<std::ptrdiff_t>(first),
                 columns.begin() + static_cast<std::ptrdiff_t>(first + length));
      return true;
    }
    default:
      if (!ir::is_scalar_operation(node.op)) {
        return fail(Diagnostic(code::internal, span(id), "a tensor stands where a scalar is needed"));
      }
      out.resize(1);
      return scalar_operation(frame, id, out[0]);
  }
}

bool Evaluator::scalar_operation(Frame& frame, ir::NodeId id, Column& out) {
  const ir::Node& node = module_[id];
  const Columns* held[3] = {};
  Rows rows[3];
  for (std::size_t k = 0; k < node.operands.size(); ++k) {
    if (!ensure_values(frame, node.operands[k], held[k])) return false;
  }
  // Computing a later operand does not drop the column of an earlier one.
  for (std::size_t k = 0; k < node.operands.size(); ++k) {
    rows[k] = {(*held[k])[0].data, static_cast<std::ptrdiff_t>(frame.size)};
  }
  const ir::Scalar to = module_.type(id).scalar;
  const ir::Scalar from = node.op == ir::Op::select ? to : (*held[0])[0].scalar;
  out = column(to, frame.size);
  auto fault =
      semantics_.apply(node.op, from, to, rows, out.writable(), frame.size, 1, static_cast<std::size_t>(frame.size));
  if (fault && fault->code == code::division_by_zero && ir::divides_integers(node.op)) {
    fault->message = which_division(frame, id, from, rows);
  }
  return check(id, std::move(fault));
}

/// "7 is divided by zero (`d[2]` is 0)": the first element of the frame whose divisor is 0.
std::string Evaluator::which_division(const Frame& frame, ir::NodeId id, ir::Scalar type, const Rows* operands) const {
  const std::size_t width = semantics_.size(type);
  std::size_t e = 0;
  while (semantics_.bits(type, operands[1].data + e * width).value_or(1) != 0 &&
         e + 1 < static_cast<std::size_t>(frame.size)) {
    ++e;
  }
  const auto dividend = semantics_.bits(type, operands[0].data + e * width);
  const std::string read = where(frame, module_[id].operands[1], e);
  return fmt::format("{} is divided by zero{}", dividend ? ir::integer_text(type, *dividend) : "an integer",
                     read.empty() ? "" : fmt::format(" ({} is 0)", read));
}

bool Evaluator::index_values(Frame& frame, ir::NodeId id, Column& out) {
  const ir::Node& node = module_[id];
  IndexColumn index;
  if (!index_column(frame, node.indices[0], id, index)) return false;
  std::vector<std::int64_t> values(static_cast<std::size_t>(frame.size));
  write_out(index, frame.dims, frame.size, values.data());
  out = column(module_.type(id).scalar, frame.size);
  if (node.op == ir::Op::index_value) {
    return check(id, semantics_.from_index(out.scalar, values.data(), values.size(), out.writable()));
  }
  for (std::size_t e = 0; e < values.size(); ++e) {
    out.writable()[e] = static_cast<std::byte>(values[e] != 0 ? Truth::yes : Truth::no);
  }
  return true;
}

Column gathered(Evaluator& evaluator, const Column& column, const std::vector<std::int64_t>& index) {
  Column out = evaluator.column(column.scalar, static_cast<std::int64_t>(index.size()));
  evaluator.semantics().gather(column.scalar, column.data, index.data(), out.writable(), index.size());
  return out;
}

Column part_of(const Semantics& semantics, const Column& column, std::int64_t first) {
  Column view = column;
  view.data += static_cast<std::ptrdiff_t>(first) * static_cast<std::ptrdiff_t>(semantics.size(column.scalar));
  return view;
}

void copy_values(const Semantics& semantics, ir::Scalar scalar, const std::byte* in, std::byte* out,
                 std::size_t count) {
  if (count == 0) return;
  if (semantics.trivial()) {
    std::memcpy(out, in, count * semantics.size(scalar));
    return;
  }
  std::vector<std::int64_t> index(count);
  for (std::size_t i = 0; i < count; ++i) index[i] = static_cast<std::int64_t>(i);
  semantics.gather(scalar, in, index.data(), out, count);
}

}  // namespace reckon::interp
