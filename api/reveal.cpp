// The order of a black box's sum: boxes from their descriptions, and names for what is found.
#include "reveal/reveal.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/implementation.h"
#include "api/reveal_boxes.h"
#include "diagnostics/codes/internal.h"
#include "reveal/command_box.h"
#include "reveal/library_box.h"
#include "reveal/recognise.h"
#include "runtime/cuda/foreign_kernel.h"
#include "runtime/cuda/launch.h"

namespace reckon {
namespace {

using reveal::Box;
using reveal::Format;
using reveal::Formats;
using reveal::Input;

Diagnostic undeclared(const std::string& circuit, const Revealed& found) {
  return Diagnostic(code::internal, {}, fmt::format("`{}` does not add in the order that it declares", circuit))
      .note("declared: " + found.declared)
      .note("revealed: " + found.tree);
}

/// A box, with the formats of its numbers and whether it adds products.
struct Opened {
  Box box;
  Formats formats;
  bool products = false;
};

std::vector<std::uint8_t> packed(const std::vector<std::uint64_t>& bits, Format format) {
  ir::HostTensor tensor(ir::scalar_of(format),
                        {static_cast<std::int64_t>(bits.size())});
  for (std::size_t i = 0; i < bits.size(); ++i) tensor.set_bits(static_cast<std::int64_t>(i), bits[i]);
  return tensor.bytes;
}

Expected<Opened> open(const CommandBox& box, const RevealOptions& options) {
  auto formats = named_formats(options);
  if (!formats) return formats.error();
  auto made = reveal::command_box({box.command, box.lines, *formats, duration(box.timeout)});
  if (!made) return made.error();
  return Opened{*made, *formats, box.products};
}

Expected<Opened> open(const LibraryBox& box, const RevealOptions& options) {
  auto signature = reveal::parse_signature(box.signature);
  if (!signature) return signature.error();
  RevealOptions said = options;
  said.format = numerics::traits(signature->input).name;
  said.result = numerics::traits(signature->result).name;
  auto formats = named_formats(said);
  if (!formats) return formats.error();
  auto made = reveal::library_box({box.path, box.symbol, box.signature, duration(box.timeout)});
  if (!made) return made.error();
  return Opened{*made, *formats, signature->products};
}

Expected<Opened> open(const KernelBox& box, const RevealOptions& options, const runtime::GpuOptions& gpu) {
  auto formats = named_formats(options);
  if (!formats) return formats.error();
  auto launch = runtime::KernelLaunch::parse(box.launch);
  if (!launch) return launch.error();
  auto context = runtime::open_gpu(gpu);
  if (!context) return context.error();
  const auto width = [](Format format) { return static_cast<std::size_t>(numerics::word_width(format) / 8); };
  auto prepared = runtime::ForeignKernel::prepare(*context, box.ptx, box.kernel, *launch,
                                                  static_cast<std::size_t>(options.n) * width(formats->input),
                                                  width(formats->result));
  if (!prepared) return prepared.error();
  auto kernel = std::make_shared<runtime::ForeignKernel>(std::move(*prepared));
  const Formats said = *formats;
  return Opened{[kernel, said, width](const Input& input) -> Expected<std::uint64_t> {
                  auto bytes = kernel->run(packed(input.x, said.input), packed(input.y, said.input),
                                           static_cast<std::int64_t>(input.x.size()));
                  if (!bytes) return bytes.error();
                  std::uint64_t bits = 0;
                  for (std::size_t k = 0; k < width(said.result); ++k) bits |= std::uint64_t{(*bytes)[k]} << (8 * k);
                  return bits;
                },
                said, box.products};
}

Expected<Opened> open(const FunctionBox& box, const RevealOptions& options) {
  auto formats = named_formats(options);
  if (!formats) return formats.error();
  return Opened{[call = box.call](const Input& input) -> Expected<std::uint64_t> {
                  const auto sum = call(input.x, input.y);
                  if (!sum) return unusable("the function failed");
                  return *sum;
                },
                *formats, box.products};
}

/// The shapes of a circuit's parameters: one vector of n elements, or two of one format. Its result is a number.
Expected<driver::Shapes> vectors_of(const ir::TypeStore& types, const ir::Function& function,
                                    const std::string& circuit, std::int64_t n) {
  driver::Shapes shapes;
  for (const ir::Parameter& parameter : function.parameters) {
    const ir::Type& type = types[parameter.type];
    const bool vector = type.kind != ir::TypeKind::tuple && type.extents.size() == 1 && ir::is_float(type.scalar) &&
                        type.scalar == types[function.parameters[0].type].scalar;
    if (vector) shapes.push_back({n});
  }
  const ir::Type& result = types[function.result];
  const bool scalar = result.kind != ir::TypeKind::tuple && result.extents.empty() && ir::is_float(result.scalar);
  if (shapes.empty() || shapes.size() != function.parameters.size() || shapes.size() > 2 || !scalar) {
    return unusable(fmt::format("`{}` is no sum of one vector, or of the products of two", circuit))
        .help("it must take one or two vectors of one format, and give one number");
  }
  return shapes;
}

/// A compiled circuit of vectors of this format, as a box.
Box box_of(Runner run, ir::Scalar element) {
  return [run = std::move(run), element](const Input& input) -> Expected<std::uint64_t> {
    std::vector<ir::HostTensor> arguments;
    for (const auto* part : {&input.x, &input.y}) {
      if (part->empty()) continue;
      ir::HostTensor tensor(element, {static_cast<std::int64_t>(part->size())});
      for (std::size_t i = 0; i < part->size(); ++i) tensor.set_bits(static_cast<std::int64_t>(i), (*part)[i]);
      arguments.push_back(std::move(tensor));
    }
    auto results = run(arguments);
    if (!results) return results.error();
    return results->front().bits(0);
  };
}

}  // namespace

Result<Revealed> Session::reveal(const SumBox& description, const RevealOptions& options) {
  Implementation& self = *implementation_;
  self.interrupted = false;

  // The box is a circuit of ours: the formats and the number of vectors follow from it.
  const auto open_circuit = [&](const CircuitBox& box) -> Expected<Opened> {
    ir::Module& module = self.session.module();
    auto chosen = self.choose(box.circuit, box.options.values, box.options.formats);
    if (!chosen) return chosen.error();
    const ir::Function& function = chosen->function;
    const ir::TypeStore& types = module.types();
    const auto shapes = vectors_of(types, function, box.circuit, options.n);
    if (!shapes) return shapes.error();
    const ir::Scalar element = types[function.parameters[0].type].scalar;
    RevealOptions said = options;
    said.format = ir::scalar_name(element);
    said.result = ir::scalar_name(types[function.result].scalar);
    auto formats = named_formats(said);
    if (!formats) return formats.error();
    auto run = circuit_runner(module, function, *shapes, chosen->dimensions, box.options, self.evaluate_options(),
                              self.gpu());
    if (!run) return run.error();
    return Opened{box_of(std::move(*run), element), *formats, shapes->size() == 2};
  };

  const auto work = [&]() -> Expected<Revealed> {
    if (options.n < 1) return unusable("a sum has at least one element").help("say how many the box adds: `--n 64`");
    if (options.n > 65'536)
      return unusable(fmt::format("{} elements are too many to ask about; 65536 are not", options.n));
    auto opened = std::visit(
        [&](const auto& box) -> Expected<Opened> {
          if constexpr (std::is_same_v<std::decay_t<decltype(box)>, CircuitBox>) return open_circuit(box);
          else if constexpr (std::is_same_v<std::decay_t<decltype(box)>, KernelBox>)
            return open(box, options, self.gpu());
          else return open(box, options);
        },
        description);
    if (!opened) return opened.error();
    reveal::Question question;
    question.n = options.n;
    question.formats = opened->formats;
    question.products = opened->products;
    question.verify = std::max<std::int64_t>(options.verify, 0);
    question.seed = options.seed;
    auto found = reveal::reveal(opened->box, question);
    if (!found) return found.error();
    return self.named(*found, options.n);
  };

  Result<Revealed> out = Revealed{};
  with_large_stack([&] {
    auto revealed = work();
    out = revealed ? Result<Revealed>(std::move(*revealed)) : self.messages(revealed.error());
  });
  const auto* circuit = std::get_if<CircuitBox>(&description);
  if (!out || circuit == nullptr) return out;
  // The circuit also declares a schedule, which must be the order that was found.
  with_large_stack([&] {
    const auto declared = self.tree_of(circuit->circuit, options.n, circuit->options.values, circuit->options.formats);
    if (declared) out->declared = reveal::SumTree::of(self.session.module().schedules().trees(), *declared).text();
  });
  const bool other = out->undecided.empty() && !out->declared.empty() && out->declared != out->tree;
  if (other) return self.messages(undeclared(circuit->circuit, *out));
  return out;
}

Revealed Session::Implementation::named(const reveal::Outcome& found, std::int64_t n, bool names) const {
  constexpr int few_terms = 3;  // a schedule of at most so many terms is preferred to a name of the library
  Revealed out;
  out.undecided = found.undecided;
  out.notes = found.notes;
  out.arithmetic = found.arithmetic;
  out.scaling = public_scaling(found, n);
  out.verified = found.verified;
  out.probes = found.calls.probes;
  out.checks = found.calls.checks;
  if (!found.tree) return out;
  out.tree = found.tree->text();
  out.multiway_nodes = found.tree->multiway_nodes();
  if (!out.undecided.empty() || !names) return out;
  const auto recognised = reveal::recognise(*found.tree);
  if (recognised) out.schedule = recognised->schedule;
  if (out.multiway_nodes == 0) out.names = library_names(*found.tree);
  if (!out.names.empty() && (!recognised || recognised->terms > few_terms)) out.schedule = out.names.front();
  return out;
}

std::vector<std::string> Session::Implementation::library_names(const reveal::SumTree& tree) const {
  Implementation library(SessionOptions{options.library_folders, {}, {}, {}});
  const std::vector<std::string> of_the_language = library.session.names();
  if (!library.session.import_library().empty()) return {};
  ir::ScheduleStore& schedules = library.session.module().schedules();
  const std::int64_t n = tree.leaf_count();
  const auto has_tree = [&](std::optional<ir::ScheduleId> schedule) {
    if (!schedule) return false;
    const auto [expanded, problem] = schedules.expand(*schedule, n);
    return !problem && reveal::SumTree::of(schedules.trees(), expanded) == tree;
  };
  std::vector<std::string> out;
  for (const std::string& name : library.session.names()) {
    // `kahan` has the tree of `seq`, but not its arithmetic.
    if (std::find(of_the_language.begin(), of_the_language.end(), name) != of_the_language.end()) continue;
    if (has_tree(library.session.schedule(name))) out.push_back(name);
    // A schedule may take one number: the powers of two up to n are tried.
    for (std::int64_t size = 1; size <= n && size <= 4096; size *= 2) {
      if (has_tree(library.session.schedule(name, {size}))) out.push_back(fmt::format("{}({})", name, size));
    }
  }
  return out;
}

}  // namespace reckon
