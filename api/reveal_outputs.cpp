// The orders of a black box that gives many sums.
#include "reveal/outputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/reveal_boxes.h"
#include "reveal/command_box.h"
#include "runtime/cuda/launch.h"

namespace reckon {
namespace {

using reveal::Input;

constexpr std::size_t most_named = 16;  // groups whose trees are looked up among schedules

/// A box, with the formats of its numbers and whether it adds products.
struct OpenedOutputs {
  reveal::OutputsBox box;
  reveal::Formats formats;
  bool products = false;
};

Expected<OpenedOutputs> open_outputs(const CommandBox& box, const RevealOptions& options) {
  auto formats = named_formats(options);
  if (!formats) return formats.error();
  auto made = reveal::outputs_command_box({box.command, box.lines, *formats, duration(box.timeout)});
  if (!made) return made.error();
  return OpenedOutputs{*made, *formats, box.products};
}

Expected<OpenedOutputs> open_outputs(const OutputsFunctionBox& box, const RevealOptions& options) {
  auto formats = named_formats(options);
  if (!formats) return formats.error();
  return OpenedOutputs{[call = box.call](const Input& input) -> Expected<std::vector<std::uint64_t>> {
                         auto results = call(input.x, input.y);
                         if (!results) return unusable("the function failed");
                         return std::move(*results);
                       },
                       *formats, box.products};
}

/// E0621 unless the circuit takes one tensor of numbers, or two of one format, of the ranks of these shapes, and gives
/// one.
std::optional<Diagnostic> unfit(const ir::TypeStore& types, const ir::Function& function, const std::string& circuit,
                                const driver::Shapes& shapes) {
  const auto fits = [&](ir::TypeId id, std::size_t rank) {
    const ir::Type& type = types[id];
    return type.kind != ir::TypeKind::tuple && type.extents.size() == rank && ir::is_float(type.scalar);
  };
  bool fine =
      function.parameters.size() == shapes.size() && fits(function.result, types[function.result].extents.size());
  for (std::size_t k = 0; fine && k < shapes.size(); ++k) {
    fine = fits(function.parameters[k].type, shapes[k].size()) &&
           types[function.parameters[k].type].scalar == types[function.parameters[0].type].scalar;
  }
  if (fine) return std::nullopt;
  return unusable(fmt::format("`{}` does not take {} of {} axes and give one tensor", circuit,
                              shapes.size() == 1 ? "one tensor" : "two tensors of one format",
                              shapes.size() == 1 ? fmt::format("{}", shapes[0].size())
                                                 : fmt::format("{} and {}", shapes[0].size(), shapes[1].size())))
      .help("`--shape` has the sizes of its argument, and `--second-shape` those of a second one");
}

ir::HostTensor tensor_of(const std::vector<std::uint64_t>& bits, ir::Scalar element,
                         const std::vector<std::int64_t>& shape) {
  ir::HostTensor out(element, shape);
  for (std::size_t i = 0; i < bits.size(); ++i) out.set_bits(static_cast<std::int64_t>(i), bits[i]);
  return out;
}

}  // namespace

bool RevealedOutputs::decided() const {
  return std::all_of(groups.begin(), groups.end(),
                     [](const RevealedGroup& group) { return group.found.undecided.empty(); });
}

Result<RevealedOutputs> Session::reveal_outputs(const OutputsBox& description, const RevealOptions& options) {
  Implementation& self = *implementation_;
  self.interrupted = false;

  const auto open_circuit = [&](const CircuitBox& box) -> Expected<OpenedOutputs> {
    ir::Module& module = self.session.module();
    auto chosen = self.choose(box.circuit, box.options.values, box.options.formats);
    if (!chosen) return chosen.error();
    const ir::Function& function = chosen->function;
    driver::Shapes shapes{options.shape};
    if (!options.second_shape.empty()) shapes.push_back(options.second_shape);
    if (auto problem = unfit(module.types(), function, box.circuit, shapes)) return *problem;
    const ir::Scalar element = module.types()[function.parameters[0].type].scalar;
    RevealOptions said = options;
    said.format = ir::scalar_name(element);
    said.result = ir::scalar_name(module.types()[function.result].scalar);
    auto formats = named_formats(said);
    if (!formats) return formats.error();
    auto run =
        circuit_runner(module, function, shapes, chosen->dimensions, box.options, self.evaluate_options(), self.gpu());
    if (!run) return run.error();
    return OpenedOutputs{[run = *run, element, shapes](const Input& input) -> Expected<std::vector<std::uint64_t>> {
                           std::vector<ir::HostTensor> arguments{tensor_of(input.x, element, shapes[0])};
                           if (shapes.size() == 2) arguments.push_back(tensor_of(input.y, element, shapes[1]));
                           auto results = run(arguments);
                           if (!results) return results.error();
                           std::vector<std::uint64_t> out;
                           const ir::HostTensor& all = results->front();
                           for (std::int64_t k = 0; k < all.size(); ++k) out.push_back(all.bits(k));
                           return out;
                         },
                         *formats, shapes.size() == 2};
  };

  const auto work = [&]() -> Expected<RevealedOutputs> {
    auto opened = std::visit(
        [&](const auto& box) -> Expected<OpenedOutputs> {
          if constexpr (std::is_same_v<std::decay_t<decltype(box)>, CircuitBox>) return open_circuit(box);
          else return open_outputs(box, options);
        },
        description);
    if (!opened) return opened.error();
    reveal::OutputsQuestion question;
    question.each.formats = opened->formats;
    question.each.products = opened->products;
    question.each.verify = std::max<std::int64_t>(options.verify, 0);
    question.each.seed = options.seed;
    question.x_shape = options.shape;
    if (opened->products) question.y_shape = options.second_shape;
    auto found = reveal::reveal_outputs(opened->box, question);
    if (!found) return found.error();
    RevealedOutputs out;
    out.outputs = static_cast<std::int64_t>(found->x.size());
    out.probes = found->calls.probes;
    out.checks = found->calls.checks;
    out.verified = found->verified;
    out.weights = std::move(found->weights);
    for (reveal::Elements& each : found->x) out.elements.push_back(std::move(each.at));
    for (reveal::Elements& each : found->y) out.second_elements.push_back(std::move(each.at));
    for (reveal::OutputGroup& group : found->groups) {
      const auto n = static_cast<std::int64_t>(out.elements[static_cast<std::size_t>(group.outputs[0])].size());
      const bool names = out.groups.size() < most_named;
      out.groups.push_back(
          {std::move(group.outputs), n, group.x_pattern, group.y_pattern, self.named(group.outcome, n, names)});
    }
    return out;
  };

  Result<RevealedOutputs> out = RevealedOutputs{};
  with_large_stack([&] {
    auto revealed = work();
    out = revealed ? Result<RevealedOutputs>(std::move(*revealed)) : self.messages(revealed.error());
  });
  return out;
}

}  // namespace reckon
