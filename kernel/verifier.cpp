#include "kernel/verifier.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/ir_invalid.h"
#include "kernel/operation_types.h"
#include "kernel/printer.h"
#include "kernel/ranges.h"
#include "kernel/uniformity.h"

namespace reckon::kernel {
namespace {

constexpr std::size_t max_diagnostics = 16;

/// Where problems of one function go.
class Report {
 public:
  Report(const Program& program, const Function& function, std::vector<Diagnostic>& out)
      : program_(program), function_(function), out_(out) {}

  void operator()(const std::string& message) {
    if (out_.size() < max_diagnostics) out_.push_back(Diagnostic(code::ir_invalid, {}, message).note(where()));
  }

  void operator()(std::uint32_t operation, const std::string& problem) {
    if (out_.size() >= max_diagnostics) return;
    const std::string_view name = spelling(program_.operations[operation].op);
    out_.push_back(Diagnostic(code::ir_invalid, {}, fmt::format("`{}` {}", name, problem))
                       .note(fmt::format("{}: `{}`", where(), operation_text(program_, function_, operation))));
  }

 private:
  std::string where() const {
    return fmt::format("in {} `{}`", function_.is_kernel ? "kernel" : "function", function_.name);
  }

  const Program& program_;
  const Function& function_;
  std::vector<Diagnostic>& out_;
};

/// Definitions before uses, and types.
class Definitions {
 public:
  Definitions(const Program& program, const Function& function, Report& report)
      : program_(program),
        function_(function),
        report_(report),
        visible_(program.types.size()),
        defined_(program.types.size()) {}

  void run() {
    for (const Parameter& parameter : function_.parameters) {
      if (!define(parameter.value)) report_(fmt::format("the parameter `{}` is no value of its own", parameter.name));
    }
    visit(function_.body);
    for (const Value value : function_.body.yields) {
      if (!is_visible(value)) report_("what the function yields is not defined there");
    }
    if (function_.is_kernel && !function_.body.yields.empty()) report_("a kernel yields values");
  }

 private:
  bool is_visible(Value value) const {
    return value.id < visible_.size() && (visible_[value.id] || program_.as_constant(value) != nullptr);
  }

  /// False if it is defined already.
  bool define(Value value) {
    if (value.id >= defined_.size() || defined_[value.id]) return false;
    defined_[value.id] = visible_[value.id] = true;
    inside_.push_back(value.id);
    return true;
  }

  void visit(const Region& region) {
    for (const std::uint32_t each : region.operations) {
      if (each >= program_.operations.size()) {
        report_("a region has an operation that is not there");
        continue;
      }
      visit(each);
    }
  }

  void visit(std::uint32_t each) {
    const Operation& operation = program_.operations[each];
    bool known = true;
    for (std::size_t k = 0; k < operation.operands.size(); ++k) {
      if (is_visible(operation.operands[k])) continue;
      report_(each, fmt::format("has an operand {} that is not defined there", k + 1));
      known = false;
    }
    for (const Region& region : operation.regions) {
      const std::size_t before = inside_.size();
      for (const Value parameter : region.parameters) {
        if (!define(parameter)) report_(each, "has a region whose parameter is defined already");
      }
      visit(region);
      for (const Value value : region.yields) {
        if (is_visible(value)) continue;
        report_(each, "yields what is not defined there");
        known = false;
      }
      for (; inside_.size() > before; inside_.pop_back()) visible_[inside_.back()] = false;
    }
    for (std::uint32_t k = 0; k < operation.results; ++k) {
      if (define(operation.result(k))) continue;
      report_(each, "has a result that is defined already");
      return;
    }
    if (!known) return;
    if (const auto problem = detail::type_problem(program_, operation)) report_(each, *problem);
  }

  const Program& program_;
  const Function& function_;
  Report& report_;
  std::vector<bool> visible_, defined_;
  std::vector<std::uint32_t> inside_;  ///< what is visible, innermost last
};

/// Checks what threads do together, and memory, in functions whose types fit.
class Behaviour {
 public:
  Behaviour(const Program& program, const Function& function, const Limits& limits, Report& report)
      : program_(program),
        function_(function),
        limits_(limits),
        report_(report),
        uniformity_(program, function),
        ranges_(program, function) {}

  void run() {
    // Who calls a function that is no kernel is not known.
    visit(function_.body, function_.is_kernel ? Uniform::block : Uniform::none, function_.is_kernel);
  }

 private:
  /// `control`: for which threads it is the same whether they come here. `always`: every thread comes, at least once.
  void visit(const Region& region, Uniform control, bool always) {
    for (const std::uint32_t each : region.operations) {
      const Operation& operation = program_.operations[each];
      together(each, operation, control);
      if (operation.op == Op::mma_tiles) tiles(each, operation, control);
      if (operation.op == Op::mma_rows) rows(each, operation, control);
      memory(each, operation, always);
      const Uniform inside = std::max(control, uniformity_.of_control(operation));
      for (const Region& part : operation.regions) visit(part, inside, always && operation.op == Op::loop);
    }
  }

  void together(std::uint32_t each, const Operation& operation, Uniform control) {
    const bool of_block = operation.op == Op::barrier || operation.op == Op::barrier_or;
    const bool of_warp = operation.op == Op::shuffle_xor || operation.op == Op::peers || operation.op == Op::mma_f64 ||
                         operation.op == Op::warp_barrier;
    if (of_block && control != Uniform::block) {
      report_(each, "stands where not all threads of the block come");
    } else if (of_warp && control > Uniform::warp) {
      report_(each, "stands where not all threads of the warp come");
    }
  }

  void tiles(std::uint32_t each, const Operation& operation, Uniform control) {
    const MmaTiles& tiles = program_.mma_tiles[static_cast<std::size_t>(operation.number)];
    by_warp_groups(each, operation, control, tiles.threads(), MmaOperands(operation, tiles).room, tiles.shared_bytes());
  }
  void rows(std::uint32_t each, const Operation& operation, Uniform control) {
    const MmaRows& rows = program_.mma_rows[static_cast<std::size_t>(operation.number)];
    by_warp_groups(each, operation, control, rows.threads(), MmaRowsOperands(operation, rows).room,
                   rows.shared_bytes());
  }
  /// All threads of the block come, with the same tiles, and have enough shared memory.
  void by_warp_groups(std::uint32_t each, const Operation& operation, Uniform control, std::int64_t threads,
                      Value memory, std::int64_t bytes) {
    const bool agree = std::ranges::all_of(operation.operands,
                                           [&](Value operand) { return uniformity_.of(operand) == Uniform::block; });
    if (control != Uniform::block || !agree) report_(each, "is not the same for all threads of the block");
    if (function_.threads != threads) {
      report_(each, fmt::format("is for {} threads, and the kernel has {}", threads, function_.threads));
    }
    const auto room = ranges_.place(memory);
    if (!room || room->offset.least % MmaTiles::alignment != 0 || room->offset.least != room->offset.greatest ||
        room->bytes - room->offset.greatest < bytes) {
      report_(each,
              fmt::format("needs {} bytes of shared memory, from a multiple of {} on", bytes, MmaTiles::alignment));
    }
  }

  void memory(std::uint32_t each, const Operation& operation, bool always) {
    const Values& operands = operation.operands;
    switch (operation.op) {
      case Op::shared:
        if (operation.offset > limits_.shared_bytes - operation.number) {
          report_(each, fmt::format("ends at byte {} of shared memory, which has {}",
                                    operation.offset + operation.number, limits_.shared_bytes));
        }
        break;
      case Op::load:
      case Op::arrive:
      case Op::ticket: access(each, operation, 1, always); break;
      case Op::load_vector: access(each, operation, operation.results, always); break;
      case Op::store:
      case Op::store_vector:
      case Op::atomic_add:
        writes(each, operands[0]);
        access(each, operation, static_cast<std::int64_t>(operands.size()) - 2, always);
        break;
      case Op::clear:
        writes(each, operands[0]);
        access(each, operands[0], {0, 0, true}, operation.number, always);
        break;
      default: break;
    }
  }

  void writes(std::uint32_t each, Value memory) {
    const Type type = program_.type(memory);
    if (type.element != Kind::number || type.form != Form::given) return;
    const bool may_change = std::ranges::any_of(function_.parameters, [&](const Parameter& parameter) {
      return parameter.value == memory && parameter.changes;
    });
    if (!may_change) report_(each, "changes memory that is given");
  }

  void access(std::uint32_t each, const Operation& operation, std::int64_t count, bool always) {
    const auto index = ranges_.of(operation.operands[1]);
    const auto range = index ? sum(*index, {operation.offset, operation.offset, true}) : std::nullopt;
    if (range) access(each, operation.operands[0], *range, count, always);
  }

  /// Refuses an access that some thread is sure to make outside of the array: by every index, or by an attained bound.
  void access(std::uint32_t each, Value memory, const Range& index, std::int64_t count, bool always) {
    const auto place = ranges_.place(memory);
    const std::int64_t width = program_.widths.of_element(program_.type(memory));
    if (!place || width == 0 || count <= 0) return;
    const auto bytes = product(index, {width, width, true});
    const auto start = bytes ? sum(*bytes, place->offset) : std::nullopt;
    std::int64_t length = 0;
    if (!start || __builtin_mul_overflow(count, width, &length)) return;
    const std::int64_t last = place->bytes - length;  // the last byte at which an access may start
    const bool all = start->least > last || start->greatest < 0;
    const bool some = always && start->attained && (start->least < 0 || start->greatest > last);
    if (all || some) {
      report_(each, fmt::format("is at bytes {} to {} of an array that has {}", start->least,
                                start->greatest + (length - 1), place->bytes));
    }
  }

  const Program& program_;
  const Function& function_;
  const Limits& limits_;
  Report& report_;
  Uniformity uniformity_;
  Ranges ranges_;
};

}  // namespace

std::vector<Diagnostic> verify(const Program& program, const Limits& limits) {
  std::vector<Diagnostic> out;
  for (const Function& function : program.functions) {
    Report report(program, function, out);
    Definitions(program, function, report).run();
  }
  if (!out.empty()) return out;
  for (const Function& function : program.functions) {
    Report report(program, function, out);
    Behaviour(program, function, limits, report).run();
  }
  return out;
}

}  // namespace reckon::kernel
