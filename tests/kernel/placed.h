// A circuit placed on a GPU, or lowered for the host: its kernels run in the interpreter of kernels, where every number
// carries its tree, and what comes out is compared with the evaluator's bits and with the trees that the schedules state.
#pragma once

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "codegen/compile.h"
#include "codegen/sizes.h"
#include "driver/prepare.h"
#include "frontend/elaborate.h"
#include "interp/evaluate.h"
#include "kernel/cost.h"
#include "kernel/interpret/interpret.h"
#include "kernel/interpret/trees.h"
#include "kernel/verifier.h"
#include "runtime/buffers.h"
#include "semantics/standard.h"
#include "tests/support/compiled_semantics.h"

namespace reckon::test {

using Sizes = std::map<std::string, std::int64_t>;

class Placed {
 public:
  /// The function `f` of the text. The `late` sizes are not known before the launch.
  Placed(const std::string& text, const Sizes& sizes, codegen::Target target = codegen::Target::ptx,
         const ir::Forms& forms = ir::Forms::standard(), const Sizes& late = {},
         const codegen::StatedChoices& choices = {})
      : session_(sources_, {}, {.forms = &forms}), target_(target) {
    const auto outcome = session_.add(sources_.add("placed.rk", text), "placed.rk", frontend::ParseAs::program);
    for (const Diagnostic& diagnostic : outcome.diagnostics) FAIL(diagnostic.message << " in " << text);
    auto made = interp::make_semantics("float", {}, {});
    REQUIRE(made);
    floats_ = std::move(*made);
    ir::Dimensions dimensions;
    for (const auto& [name, size] : sizes) dimensions[module().symbol(name)] = size;
    for (const auto& [name, size] : late) late_[module().symbol(name)] = size;
    auto circuit = session_.circuit("f");
    if (!circuit) FAIL(circuit.error().message);
    auto function = driver::for_code(module(), *circuit, dimensions, floats_->traits());
    if (!function) FAIL(function.error().message);
    function_ = std::move(*function);
    codegen::CompileOptions options;
    options.semantics = &codegen::float_code();
    options.target = target;
    options.choices = choices;
    auto program = codegen::kernels_of(module(), function_, options, &plan_);
    if (!program) FAIL(program.error().message);
    program_ = std::move(*program);
  }

  /// What placement chooses from if these choices are stated, or why it cannot take them.
  Expected<codegen::ModelledChoices> choices(const codegen::StatedChoices& stated) {
    codegen::CompileOptions options;
    options.semantics = &codegen::float_code();
    options.target = target_;
    options.choices = stated;
    return codegen::modelled_choices(module(), function_, options);
  }

  ir::Module& module() { return session_.module(); }
  kernel::Program& program() { return program_; }
  const codegen::Plan& plan() const { return plan_; }

  /// The verifier's first problem; empty if there is none.
  std::string broken_rule() const {
    kernel::Limits limits;
    const auto opts_in = [](const codegen::Kernel& kernel) { return kernel.dynamic_shared_bytes() > 0; };
    if (std::ranges::any_of(plan_.kernels, opts_in)) limits.shared_bytes = kernel::h100.max_shared_bytes();
    const auto problems = kernel::verify(program_, limits);
    if (problems.empty()) return {};
    return problems[0].message + (problems[0].notes.empty() ? "" : ": " + problems[0].notes[0]);
  }

  /// Runs all kernels on random inputs. Empty if nothing is wrong: no report, the evaluator's bits, the stated trees.
  /// Results at the positions of `no_trees` are made of several reductions, or of none.
  std::string wrong(std::uint64_t seed, const std::set<std::uint32_t>& no_trees = {}) {
    trees_ = 0;
    counts_.clear();
    const std::unique_ptr<kernel::Numbers> values = kernel::numbers_of(*floats_);
    kernel::TreeNumbers numbers(*values);
    const auto arguments = random_arguments(seed);
    std::vector<std::unique_ptr<kernel::Buffer>> buffers = make_buffers(numbers, arguments);
    for (std::size_t k = 0; k < plan_.kernels.size(); ++k) {
      if (product(plan_.kernels[k].items) == 0) continue;
      for (kernel::Launch& launch : launches_of(k, buffers)) {
        launch.seed = seed;
        const kernel::Outcome outcome = kernel::interpret(program_, launch, numbers);
        if (outcome.report) return plan_.kernels[k].name + ": " + kernel::text(*outcome.report, program_);
        counts_.push_back(outcome.counts);
      }
    }
    if (std::string text = left_over(buffers); !text.empty()) return text;
    if (std::string text = other_bits(arguments, buffers); !text.empty()) return text;
    return other_tree(numbers, buffers, no_trees);
  }
  /// What each kernel costs by the model, launched as it is interpreted on a GPU.
  std::vector<std::optional<kernel::Cost>> costs(const kernel::CostOptions& options) {
    std::vector<kernel::CostArgument> arguments;
    for (const codegen::Buffer& buffer : plan_.buffers) {
      arguments.push_back({0, product(buffer.extents) * codegen::element_bytes(buffer)});
    }
    std::vector<std::optional<kernel::Cost>> out;
    for (std::size_t k = 0; k < plan_.kernels.size(); ++k) {
      out.push_back(kernel::cost_of(program_, function_of(k), shape_of(k), arguments, kernel::h100, options));
    }
    return out;
  }
  /// Of the last run: what the threads of each launch did.
  const std::vector<kernel::Counts>& counts() const { return counts_; }
  /// Of the last run: how many results were held against their trees.
  std::size_t trees() const { return trees_; }

 private:
  using Buffers = std::vector<std::unique_ptr<kernel::Buffer>>;

  std::vector<ir::HostTensor> random_arguments(std::uint64_t seed) {
    std::vector<ir::HostTensor> out;
    for (const ir::Parameter& parameter : function_.parameters) {
      const ir::Type& type = module().types()[parameter.type];
      std::vector<std::int64_t> shape;
      for (const ir::IndexId extent : type.extents) shape.push_back(product({extent}));
      out.push_back(
          interp::generate(ir::Source::Kind::normal, type.scalar, shape, static_cast<std::int64_t>(seed + out.size())));
    }
    return out;
  }

  std::int64_t product(const std::vector<ir::IndexId>& of) {
    const auto extents = codegen::extent_values(module(), of, late_);
    REQUIRE(extents);
    std::int64_t out = 1;
    for (const std::int64_t extent : *extents) out *= extent;
    return out;
  }

  Buffers make_buffers(kernel::Numbers& numbers, const std::vector<ir::HostTensor>& arguments) {
    using Role = codegen::Buffer::Role;
    Buffers out;
    for (const codegen::Buffer& buffer : plan_.buffers) {
      const std::int64_t count = product(buffer.extents);
      if (buffer.role == Role::parameter || buffer.role == Role::counters) {
        std::vector<std::uint64_t> patterns(static_cast<std::size_t>(count), 0);
        for (std::size_t k = 0; buffer.role == Role::parameter && k < patterns.size(); ++k) {
          patterns[k] = arguments[buffer.position].bits(static_cast<std::int64_t>(k));
        }
        out.push_back(
            std::make_unique<kernel::Buffer>(kernel::Buffer::given(numbers, program_.widths, buffer.scalar, patterns)));
      } else {
        REQUIRE((buffer.role == Role::intermediate || buffer.role == Role::result));
        const kernel::Type memory =
            kernel::Type::memory(kernel::Space::global, kernel::Type::number(buffer.scalar), kernel::Form::kept);
        out.push_back(std::make_unique<kernel::Buffer>(numbers, program_.widths, memory, count));
      }
    }
    return out;
  }

  /// Any grid will do, but for those of one item a block: a small one goes round several times.
  kernel::LaunchShape shape_of(std::size_t k) {
    const codegen::Kernel& kernel = plan_.kernels[k];
    if (target_ == codegen::Target::host) return {1, 1};
    const std::int64_t of_block = kernel.block_items > 0 ? kernel.block_items : 64;
    const std::int64_t blocks = (product(kernel.items) + of_block - 1) / of_block;
    return {static_cast<std::uint32_t>(kernel.one_item ? blocks : std::min<std::int64_t>(blocks, 5)),
            kernel.block_items > 0 ? kernel.threads : 64};
  }

  std::size_t function_of(std::size_t k) const {
    const auto is_it = [&](const kernel::Function& function) { return function.name == plan_.kernels[k].name; };
    const auto found = std::ranges::find_if(program_.functions, is_it);
    REQUIRE(found != program_.functions.end());
    return static_cast<std::size_t>(found - program_.functions.begin());
  }

  /// One on a GPU; for the host one for each half of the items.
  std::vector<kernel::Launch> launches_of(std::size_t k, Buffers& buffers) {
    kernel::Launch out;
    out.function = function_of(k);
    for (auto& buffer : buffers) out.arguments.push_back(kernel::Argument::memory(*buffer));
    out.blocks = shape_of(k).blocks;
    out.threads = shape_of(k).threads;
    for (const ir::SymbolId symbol : plan_.dimensions)
      out.arguments.push_back(kernel::Argument::number(late_.at(symbol)));
    if (target_ == codegen::Target::ptx) return {out};
    const std::int64_t items = product(plan_.kernels[k].items), half = items / 2;
    kernel::Launch second = out;
    for (const std::int64_t end : {std::int64_t{0}, half}) out.arguments.push_back(kernel::Argument::number(end));
    for (const std::int64_t end : {half, items}) second.arguments.push_back(kernel::Argument::number(end));
    return {out, second};
  }

  /// Every launch leaves zeros in counters, for the next one.
  std::string left_over(const Buffers& buffers) {
    for (std::size_t b = 0; b < buffers.size(); ++b) {
      if (plan_.buffers[b].role != codegen::Buffer::Role::counters) continue;
      for (std::int64_t k = 0, count = product(plan_.buffers[b].extents); k < count; ++k) {
        if (buffers[b]->word(k) != 0U) return "counter " + std::to_string(k) + " is not 0 again";
      }
    }
    return {};
  }

  std::string other_bits(const std::vector<ir::HostTensor>& arguments, Buffers& buffers) {
    const std::vector<interp::Argument> inputs(arguments.begin(), arguments.end());
    const auto expected = interp::evaluate(module(), function_, *floats_, inputs);
    if (!expected) return expected.error().message;
    for (std::size_t b = 0; b < buffers.size(); ++b) {
      if (plan_.buffers[b].role != codegen::Buffer::Role::result) continue;
      const ir::HostTensor tensor = (*expected)[plan_.buffers[b].position].host(*floats_);
      for (std::int64_t k = 0; k < tensor.size(); ++k) {
        if (buffers[b]->word(k) != tensor.bits(k)) return "element " + std::to_string(k) + " has other bits";
      }
    }
    return {};
  }

  /// Looks at the elements of the results, not at the roots: where a join commutes to the bit, other threads than the
  /// one that stores the result have joined its nodes the other way round.
  std::string other_tree(const kernel::TreeNumbers& numbers, Buffers& buffers,
                         const std::set<std::uint32_t>& no_trees) {
    std::map<std::pair<ir::NodeId, std::int64_t>, ir::TreeId> stated;
    kernel::TreeComparison comparison(numbers.trees(), module().schedules().trees());
    for (std::size_t b = 0; b < buffers.size(); ++b) {
      if (plan_.buffers[b].role != codegen::Buffer::Role::result) continue;
      if (no_trees.contains(plan_.buffers[b].position)) continue;
      for (std::int64_t k = 0; k < buffers[b]->count(); ++k) {
        const kernel::TermId term = numbers.term(plan_.buffers[b].scalar, buffers[b]->number(k));
        if (term == 0) return "element " + std::to_string(k) + " is no node of a tree";
        const ir::NodeId site = numbers.trees()[term].site;
        const ir::Node& node = module()[site];
        const auto lengths = codegen::extent_values(module(), {node.indices[0]}, late_);
        auto length = lengths ? std::optional(lengths->front()) : std::nullopt;
        if (!length) return "a reduction without a length";
        // An element of a scan is the reduction of the leaves up to it.
        if (node.op == ir::Op::scan) length = k % *length + 1;
        const auto [tree, is_new] = stated.try_emplace({site, *length});
        if (is_new) {
          const auto [expanded, problem] =
              module().schedules().additions(module().reduction_of(node).schedule, *length);
          if (problem) return "a schedule without a tree";
          tree->second = expanded;
        }
        ++trees_;
        const auto difference = comparison.difference(term, site, tree->second);
        if (difference) return *difference;
      }
    }
    return {};
  }

  SourceMap sources_;
  frontend::Session session_;
  codegen::Target target_;
  std::shared_ptr<interp::Semantics> floats_;
  ir::Function function_;
  ir::Dimensions late_;
  codegen::Plan plan_;
  kernel::Program program_;
  std::size_t trees_ = 0;
  std::vector<kernel::Counts> counts_;
};

}  // namespace reckon::test
