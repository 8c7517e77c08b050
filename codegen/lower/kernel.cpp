// Entry points: how the work items of a kernel are walked on each target, and what one of them computes.
//
// Host: the items begin..end-1 in order, the last dimension innermost, so that what depends on outer indices alone is
// computed once per row and LLVM sees a plain counted loop. PTX: item t of a thread (or of a warp), then t + all
// threads, and so on.
#include <set>

#include "codegen/lower/lowering.h"

namespace reckon::codegen {


Lowering::Lowering(ir::Module& module, const Planned& planned, const Numbers& code, Target target, int chip)
    : module_(module), planned_(planned), code_(code), target_(target), chip_(chip), b_(program_) {
  program_.widths = code.widths();
}

std::optional<Diagnostic> Lowering::run(Plan& plan) {
  for (const Buffer& buffer : plan.buffers) {
    if (buffer.scalar != ir::Scalar::number) continue;
    return Diagnostic(Code::not_compilable, buffer.source.valid() ? module_.span(buffer.source) : SourceSpan{},
                      "a value of type `number` is not available on `" + std::string(target_name()) +
                          "`; give it a format")
        .help("convert it: `f32(...)`");
  }
  for (std::size_t k = 0; k < plan.kernels.size() && !error_; ++k) lower_kernel(k, plan.kernels[k]);
  plan.faults = std::move(faults_);
  if (code_.has_undefined()) {
    const auto words = static_cast<std::int64_t>((plan.faults.size() + 63) / 64);
    plan.buffers.back().extents = {module_.indices().constant(words)};
  }
  return error_;
}

std::size_t Lowering::make_kernel(const std::string& name) {
  const std::size_t number = program_.functions.size();
  kernel::Function& made = program_.functions.emplace_back();
  made.name = name;
  const auto parameter = [&](std::string text, Type type) {
    const kernel::Program::Definition definition{kernel::Program::Definition::Kind::parameter,
                                                 static_cast<std::uint32_t>(number)};
    made.parameters.push_back({std::move(text), program_.fresh(type, definition)});
    return made.parameters.back().value;
  };
  function_ = {};
  function_.function = number;
  for (const Buffer& buffer : planned_.plan.buffers) {
    using Role = Buffer::Role;
    Type element = Type::number(buffer.scalar);
    if (buffer.role == Role::faults) element = Type::index();
    const bool written = buffer.role == Role::intermediate || buffer.role == Role::result;
    const kernel::Form form = written || buffer.ends != Ends::none ? kernel::Form::kept : kernel::Form::given;
    function_.buffers.push_back(parameter(buffer_name(buffer, function_.buffers.size()),
                                          Type::memory(kernel::Space::global, element, form)));
  }
  for (const ir::SymbolId dimension : planned_.plan.dimensions) {
    function_.dimensions[dimension] = parameter(std::string(module_.name(dimension)), Type::index());
  }
  return number;
}

/// For the text form: what the buffer is, and which.
std::string Lowering::buffer_name(const Buffer& buffer, std::size_t number) {
  static constexpr std::string_view roles[] = {"parameter", "constant", "made", "result", "faults", "counters"};
  return std::string(roles[static_cast<std::size_t>(buffer.role)]) + "_" + std::to_string(number);
}

/// A kernel may start while the one before it still runs, and lets the next one start; before it reads anything it
/// waits until the one before is done, and so all before that. (PTX ISA, griddepcontrol; CUDA's programmatic dependent
/// launch.)
void Lowering::overlap(std::size_t k, Kernel& kernel) {
  constexpr int first_chip = 90;
  const std::size_t count = planned_.plan.kernels.size();
  if (chip_ < first_chip || count == 1) return;
  if (k + 1 < count) b_.launch_next();
  if (k == 0) return;
  kernel.overlaps = true;
  std::set<std::uint32_t> written;
  for (std::size_t before = 0; before < k; ++before) {
    const KernelBody& body = planned_.bodies[before];
    const Kernel& other = planned_.plan.kernels[before];
    for (std::uint32_t part = 0; part < other.outputs; ++part) written.insert(other.output + part);
    for (const KernelBody& step : body.steps) {
      for (std::uint32_t part = 0; part < step.outputs; ++part) written.insert(step.output + part);
    }
  }
  Values places;
  for (std::uint32_t buffer : written) places.push_back(function_.buffers[buffer]);
  const Values after = b_.await_previous(places);
  std::size_t next = 0;
  for (std::uint32_t buffer : written) function_.buffers[buffer] = after[next++];
}

void Lowering::lower_kernel(std::size_t k, Kernel& kernel) {
  const KernelBody& body = planned_.bodies[k];
  functions_.clear();
  recursive_ = false;
  Scope root;
  const std::size_t number = make_kernel(kernel.name);
  begin_function(number, root);
  if (target_ == Target::host) {
    Value range[2];
    for (const char* name : {"begin", "end"}) {
      const Value value = program_.fresh(Type::index(), {kernel::Program::Definition::Kind::parameter,
                                                         static_cast<std::uint32_t>(number)});
      function().parameters.push_back({name, value});
      range[*name == 'e'] = value;
    }
    host_items(body, kernel, range[0], range[1]);
  } else {
    overlap(k, kernel);
    if (body.spread == KernelBody::Spread::threads) {
      ptx_items(body, kernel, [&](Value item, Value last) { emit_item(body, kernel, item, last); });
    } else if (body.spread == KernelBody::Spread::tiles) {
      lower_tiles(body, kernel);
    } else {
      lower_by_blocks(body, kernel);
    }
  }
  kernel.recursive = recursive_;
}

void Lowering::host_items(const KernelBody& body, const Kernel& kernel, Value begin, Value end) {
  const auto& items = kernel.items;
  auto bind = [&](std::size_t k, Value coordinate) {
    if (k < body.space.size()) scope_->variables.push_back({body.space[k].variable, body.space[k].extent, coordinate});
  };
  if (items.empty()) {
    when(b_.less(begin, end), [&] { emit_item(body, kernel, i64(0), nullptr); });
    return;
  }
  if (items.size() == 1) {
    for_range(begin, end, [&](Value item) {
      bind(0, item);
      emit_item(body, kernel, item, item);
    });
    return;
  }
  Value columns = index(items.back());
  while_loop(
      {begin}, [&](const Values& now) { return b_.less(now[0], end); },
      [&](const Values& now) {
        Value row = b_.udiv(now[0], columns);
        Value row_start = multiply(row, columns);
        Value first = b_.sub(now[0], row_start);
        Value limit = smaller(columns, b_.sub(end, row_start));
        Value rest = row;
        for (std::size_t k = items.size() - 1; k-- > 0;) {
          Value extent = k == 0 ? nullptr : index(items[k]);
          bind(k, extent ? b_.urem(rest, extent) : rest);
          if (extent) rest = b_.udiv(rest, extent);
        }
        loop(first, limit, i64(1), {}, [&](Value column, const Values&) {
          bind(items.size() - 1, column);
          emit_item(body, kernel, add(row_start, column), column);
          return Values{};
        });
        return Values{add(row_start, limit)};
      });
}

Value Lowering::item_count(const Kernel& kernel) {
  Value total = i64(1);
  for (ir::IndexId extent : kernel.items) total = multiply(total, index(extent));
  return total;
}

/// Every item that this thread, or the block, is for.
void Lowering::ptx_items(const KernelBody& body, const Kernel& kernel,
                         FunctionRef<void(Value item, Value last)> emit_one) {
  const bool by_threads = kernel.block_items == 0;
  Value threads = by_threads ? b_.threads() : nullptr;
  Value first = b_.block();
  Value step = b_.blocks();
  if (by_threads) {
    Value thread = b_.thread();
    first = b_.add(b_.mul(first, threads), thread);
    step = b_.mul(step, threads);
  }
  if (kernel.items.empty()) {
    when(b_.equal(first, i64(0)), [&] { emit_one(i64(0), nullptr); });
    return;
  }
  Value total = item_count(kernel);
  when(b_.less(first, total), [&] {
    loop(first, total, step, {}, [&](Value item, const Values&) {
      emit_one(item, bind_item(body, kernel, item));
      return Values{};
    });
  });
}

/// The item that the block is for; it has no other.
void Lowering::one_of_a_block(Kernel& kernel, FunctionRef<void(Value item)> emit_one) {
  kernel.block_items = 1;
  kernel.one_item = true;
  Value item = b_.block();
  when(b_.less(item, item_count(kernel)), [&] { emit_one(item); });
}

Values Lowering::item_coordinates(const std::vector<ir::IndexId>& extents, Value item) {
  Values coordinates(extents.size(), nullptr);
  Value rest = item;
  for (std::size_t k = extents.size(); k-- > 0;) {
    Value extent = k == 0 ? nullptr : index(extents[k]);
    coordinates[k] = extent ? b_.urem(rest, extent) : rest;
    if (extent) rest = b_.udiv(rest, extent);
  }
  return coordinates;
}

Value Lowering::bind_item(const KernelBody& body, const Kernel& kernel, Value item) {
  const Values coordinates = item_coordinates(kernel.items, item);
  for (std::size_t k = 0; k < body.space.size() && k < coordinates.size(); ++k) {
    scope_->variables.push_back({body.space[k].variable, body.space[k].extent, coordinates[k]});
  }
  return coordinates.empty() ? nullptr : coordinates.back();
}

/// `item` is its number, `last` its coordinate in the last dimension.
void Lowering::emit_item(const KernelBody& body, const Kernel& kernel, Value item, Value last) {
  if (error_) return;
  switch (body.kind) {
    case KernelBody::Kind::elements: {
      const Buffer& output = planned_.plan.buffers[kernel.output];
      Value value = scalar(body.node);
      store_at_offset(kernel.output, output.storage ? place_in(output, body.space) : item, value);
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
    const FoldSite site = site_of(body.node);
    return emit_fold(site, prefix ? b_.add(last, i64(1)) : index(site.node.indices[0]));
  };
  const Values values = body.nodes ? fold_of_runs(body, kernel, item) : fold_of_leaves();
  for (std::uint32_t k = 0; k < values.size(); ++k) store(kernel.output + k, item, values[k]);
}

/// A whole scan, for the schedules whose prefixes share their work.
void Lowering::emit_scan(const KernelBody& body, const Kernel& kernel, Value item) {
  const FoldSite site = site_of(body.node);
  carried_out(site, site.reduction.schedule, {ir::MachineLevel::thread});
  Value length = index(site.node.indices[0]);
  Value start = multiply(item, length);
  auto keep = [&](Value position, const Values& values) {
    for (std::uint32_t k = 0; k < values.size(); ++k) store(kernel.output + k, add(start, position), values[k]);
  };
  when(b_.greater(length, i64(0)), [&] {
    if (module_.schedules()[site.reduction.schedule].op == ir::ScheduleOp::tree) {
      const Counter counter = make_counter(site, 64);
      loop(i64(0), length, i64(1), {}, [&](Value position, const Values&) {
        push(site, counter, position, 0, leaf(site, position));
        keep(position, finish(site, counter, b_.add(position, i64(1))));
        return Values{};
      });
      return;
    }
    if (!drops_joins(site)) {
      const Values first = leaf(site, i64(0));
      keep(i64(0), first);
      when(b_.greater(length, i64(1)), [&] {
        loop(i64(1), length, i64(1), first, [&](Value position, const Values& sum) {
          const Values joined = join(site, sum, leaf(site, position));
          keep(position, joined);
          return joined;
        });
      });
      return;
    }
    loop(i64(0), length, i64(1), zeros(site), [&](Value position, const Values& sum) {
      const Values value = leaf(site, position);
      const Values joined = join(site, sum, value);
      Value is_first = b_.equal(position, i64(0));
      Values next;
      for (std::size_t k = 0; k < value.size(); ++k) next.push_back(b_.select(is_first, value[k], joined[k]));
      keep(position, next);
      return next;
    });
  });
}

void Lowering::emit_array(const KernelBody& body, const Kernel& kernel, Value item) {
  const std::vector<ir::NodeId> elements = module_[body.node].operands;
  for (std::size_t k = 0; k < elements.size(); ++k) {
    when(b_.equal(item, i64(static_cast<std::int64_t>(k))),
         [&] { store(kernel.output, item, scalar(elements[k])); });
  }
}

}  // namespace reckon::codegen
