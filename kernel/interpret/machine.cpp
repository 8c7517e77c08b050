#include "kernel/interpret/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace reckon::kernel {

std::string_view spelling(Report::Kind kind) {
  static constexpr std::string_view spellings[] = {"malformed", "not written",    "outside", "misaligned", "race",
                                                   "divergent", "no partner",     "integer", "empty loop", "no value",
                                                   "undecided", "missing result", "budget"};
  return spellings[static_cast<std::size_t>(kind)];
}

std::string text(const Report& report, const Program& program) {
  std::string where = "launch";
  if (report.operation != Value::none) {
    where = fmt::format("operation {} ({}), block {}, thread {}", report.operation,
                        spelling(program.operations[report.operation].op), report.block, report.thread);
  }
  return fmt::format("{}: {}: {}", spelling(report.kind), where, report.text);
}

Outcome interpret(const Program& program, const Launch& launch, Numbers& numbers) {
  return Machine(program, launch, numbers).run();
}

Machine::Machine(const Program& program, const Launch& launch, Numbers& numbers)
    : program_(program), launch_(launch), numbers_(numbers) {}

bool Machine::fail(Report::Kind kind, std::uint32_t thread, std::string text) {
  if (!outcome_.report) outcome_.report = Report{kind, operation_, block_, thread, std::move(text)};
  return false;
}

bool Machine::check_launch() {
  if (launch_.function >= program_.functions.size()) return fail(Report::Kind::malformed, 0, "there is no such kernel");
  const Function& function = program_.functions[launch_.function];
  if (launch_.threads == 0 || launch_.blocks == 0) return fail(Report::Kind::malformed, 0, "there are no threads");
  if (function.threads != 0 && function.threads != launch_.threads) {
    return fail(Report::Kind::malformed, 0, fmt::format("the kernel is for {} threads", function.threads));
  }
  if (function.parameters.size() != launch_.arguments.size()) {
    return fail(Report::Kind::malformed, 0, fmt::format("the kernel has {} parameters", function.parameters.size()));
  }
  for (std::size_t k = 0; k < launch_.arguments.size(); ++k) {
    const Type type = program_.type(function.parameters[k].value);
    const Buffer* buffer = launch_.arguments[k].buffer;
    if ((type.kind == Kind::memory) != (buffer != nullptr) || (buffer && !(buffer->memory() == type))) {
      return fail(Report::Kind::malformed, 0,
                  fmt::format("the argument `{}` is of another type", function.parameters[k].name));
    }
  }
  return true;
}

void Machine::number_region(const Region& region, std::uint32_t& count) {
  for (const Value parameter : region.parameters) slots_[parameter.id] = count++;
  for (const std::uint32_t number : region.operations) {
    const Operation& operation = program_.operations[number];
    if (operation.op == Op::shared) shared_bytes_ = std::max(shared_bytes_, operation.offset + operation.number);
    for (std::uint32_t k = 0; k < operation.results; ++k) slots_[operation.result(k).id] = count++;
    for (const Region& inner : operation.regions) number_region(inner, count);
  }
}

/// Numbers the values of each function by itself, so that a frame has no columns but for its function's values.
void Machine::number_values() {
  slots_.assign(program_.types.size(), Value::none);
  for (const Function& function : program_.functions) {
    std::uint32_t count = 0;
    for (const Parameter& parameter : function.parameters) slots_[parameter.value.id] = count++;
    number_region(function.body, count);
    frame_sizes_.push_back(count);
  }
  constants_.resize(program_.constants.size());
  for (const std::vector<std::int64_t>& table : program_.tables) {
    auto array = std::make_unique<Array>(Space::global, static_cast<std::int64_t>(table.size()) * 8);
    for (std::size_t k = 0; k < table.size(); ++k) {
      Cell& cell = array->claim(static_cast<std::int64_t>(k) * 8, 8);
      cell.type = Type::index();
      cell.word = static_cast<std::uint64_t>(table[k]);
    }
    tables_.push_back(std::move(array));
  }
}

Outcome Machine::run() {
  if (!check_launch()) return outcome_;
  number_values();
  for (const Argument& argument : launch_.arguments) {
    if (argument.buffer) argument.buffer->array().forget_accesses();
  }
  std::mt19937_64 random(launch_.seed);
  std::vector<std::uint32_t> blocks(launch_.blocks);
  std::iota(blocks.begin(), blocks.end(), 0U);
  order_.resize(launch_.threads);
  std::iota(order_.begin(), order_.end(), 0U);
  // With seed 0, threads come in the order of their numbers.
  if (launch_.seed != 0) {
    std::shuffle(blocks.begin(), blocks.end(), random);
    std::shuffle(order_.begin(), order_.end(), random);
  }
  for (const std::uint32_t block : blocks) {
    if (!run_block(block)) return outcome_;
  }
  operation_ = Value::none;
  check_results();
  return outcome_;
}

bool Machine::run_block(std::uint32_t block) {
  const Function& function = program_.functions[launch_.function];
  block_ = block;
  ordering_.begin_block(block, ++step_);
  shared_ = std::make_unique<Array>(Space::shared, shared_bytes_);
  Frame frame;
  frame.columns.resize(frame_sizes_[launch_.function]);
  frame_ = &frame;
  Lanes lanes(launch_.threads);
  std::iota(lanes.begin(), lanes.end(), 0U);
  for (std::size_t k = 0; k < launch_.arguments.size(); ++k) {
    const Argument& argument = launch_.arguments[k];
    Column& to = column(function.parameters[k].value);
    for (const std::uint32_t lane : lanes) {
      if (argument.buffer) {
        Array& array = argument.buffer->array();
        to.places[lane] = {&array, 0, 0, array.bytes()};
      } else {
        to.words[lane] = static_cast<std::uint64_t>(argument.index);
      }
    }
  }
  const bool done = run_region(function.body, lanes);
  frame_ = nullptr;
  return done;
}

bool Machine::check_results() {
  const Function& function = program_.functions[launch_.function];
  for (std::size_t a = 0; a < launch_.arguments.size(); ++a) {
    const Argument& argument = launch_.arguments[a];
    if (!argument.is_result) continue;
    for (std::int64_t k = 0; k < argument.buffer->count(); ++k) {
      if (argument.buffer->is_written(k)) continue;
      return fail(Report::Kind::missing_result, 0,
                  fmt::format("element {} of `{}` was not written", k, function.parameters[a].name));
    }
  }
  return true;
}

Column Machine::make_column(Type type) const {
  Column out;
  out.type = type;
  const std::size_t count = launch_.threads;
  switch (type.kind) {
    case Kind::index:
    case Kind::flag: out.words.assign(count, 0); break;
    case Kind::memory: out.places.assign(count, {}); break;
    case Kind::number:
    case Kind::divisor: out.numbers = NumberArray(numbers_, type.scalar, count); break;
    case Kind::sizes: break;
  }
  return out;
}

Column& Machine::column(Value value) {
  if (program_.as_constant(value)) return constant(value);
  std::unique_ptr<Column>& slot = frame_->columns[slots_[value.id]];
  if (!slot) slot = std::make_unique<Column>(make_column(program_.type(value)));
  return *slot;
}

Column& Machine::constant(Value value) {
  std::unique_ptr<Column>& slot = constants_[program_.definitions[value.id].index];
  if (slot) return *slot;
  const Constant& constant = *program_.as_constant(value);
  slot = std::make_unique<Column>(make_column(constant.type));
  Column& made = *slot;
  if (!made.words.empty()) {
    made.words.assign(launch_.threads, constant.kind == Constant::Kind::integer ? constant.value : 0);
  } else if (constant.type.kind == Kind::number) {
    for (std::uint32_t lane = 0; lane < launch_.threads; ++lane) {
      if (!check(numbers_.constant(program_, constant, made.numbers.at(lane)), lane)) break;
    }
  }
  return made;
}

void Machine::copy(const Column& from, std::uint32_t from_lane, Column& to, std::uint32_t to_lane) {
  switch (to.type.kind) {
    case Kind::index:
    case Kind::flag: to.words[to_lane] = from.words[from_lane]; break;
    case Kind::memory: to.places[to_lane] = from.places[from_lane]; break;
    case Kind::number:
    case Kind::divisor: numbers_.copy(to.type.scalar, from.numbers.at(from_lane), to.numbers.at(to_lane)); break;
    case Kind::sizes: break;
  }
}

void Machine::assign(std::span<const Value> targets, std::span<const Value> sources, const Lanes& lanes) {
  bool is_parallel = true;
  for (const Value source : sources) {
    is_parallel = is_parallel && std::find(targets.begin(), targets.end(), source) == targets.end();
  }
  std::vector<Column> kept;
  if (!is_parallel) {
    for (const Value source : sources) {
      const Column& from = column(source);
      Column& to = kept.emplace_back(make_column(from.type));
      for (const std::uint32_t lane : lanes) copy(from, lane, to, lane);
    }
  }
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const Column& from = is_parallel ? column(sources[k]) : kept[k];
    Column& to = column(targets[k]);
    for (const std::uint32_t lane : lanes) copy(from, lane, to, lane);
  }
}

}  // namespace reckon::kernel
