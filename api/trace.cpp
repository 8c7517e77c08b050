#include "api/reckon/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "api/ptx_launch.h"
#include "api/sized_circuits.h"
#include "numerics/native.h"
#include "ptx/shadow/shadow.h"
#include "ptx/shadow/trace.h"
#include "trace/program.h"
#include "trace/written_out.h"

namespace reckon {
namespace {

constexpr std::size_t longest_circuit = 20'000;           // characters
constexpr std::size_t most_alone = std::size_t{1} << 26;  // nodes that are looked at, element by element

/// A name of a circuit, of a kernel's: no dollar signs, and not too long.
std::string circuit_name(const std::string& kernel) {
  std::string out;
  for (const char c : kernel.substr(0, 40)) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) != 0) out = "k_" + out;
  return "kernel_" + out;
}

std::vector<trace::Argument> arguments_of(const PtxLaunch& launch) {
  std::vector<trace::Argument> out;
  for (std::size_t k = 0; k < launch.arguments.size(); ++k) {
    const auto& memory = launch.arguments[k].memory;
    const std::string& name = launch.arguments[k].name;
    out.push_back({name.empty() ? fmt::format("a{}", k) : name, memory ? memory->type : "",
                   memory ? memory->shape : std::vector<std::int64_t>{}});
  }
  return out;
}

/// The elements of an argument in which the kernel stored something, with their nodes.
void outputs_of(ptx::Allocation& memory, numerics::Format format, ptx::Trace& trace, std::size_t argument,
                std::vector<std::int64_t>& elements, std::vector<std::uint32_t>& nodes) {
  const auto bytes = static_cast<std::size_t>(ptx::bytes_of(format));
  for (std::size_t k = 0; (k + 1) * bytes <= memory.tags.size(); ++k) {
    const std::uint32_t* tags = memory.tags.data() + k * bytes;
    const bool none = std::all_of(tags, tags + bytes, [](std::uint32_t tag) { return tag == 0; });
    if (none && memory.is_unwritten(k * bytes, bytes)) continue;
    std::uint32_t id = tags[0] >> 3;
    if (none) {
      // Inputs have tags: these bytes are a constant that was stored.
      std::uint64_t bits = 0;
      std::memcpy(&bits, memory.data.data() + k * bytes, bytes);
      id = trace.constant(bits, format);
    } else {
      bool whole = (tags[0] & 7) == 0 && tags[0] != 0;
      for (std::uint32_t b = 1; b < bytes; ++b) whole = whole && tags[b] == tags[0] + b;
      if (!whole || trace.node(id).format != format) continue;
    }
    const ptx::TraceNode& node = trace.node(id);
    const bool unchanged = node.kind == ptx::TraceNode::Kind::input && node.a == argument && node.wide() == k;
    if (unchanged) continue;
    elements.push_back(static_cast<std::int64_t>(k));
    nodes.push_back(id);
  }
}

/// The arguments that the nodes are computed from, in order.
std::set<std::uint32_t> read_by(const ptx::Trace& trace, const std::vector<std::uint32_t>& nodes) {
  std::set<std::uint32_t> out;
  std::vector<bool> seen(trace.size());
  std::vector<std::uint32_t> work;
  const auto reach = [&](std::uint32_t id) {
    if (!seen[id]) work.push_back(id);
    seen[id] = true;
  };
  std::for_each(nodes.begin(), nodes.end(), reach);
  while (!work.empty()) {
    const ptx::TraceNode& one = trace.node(work.back());
    work.pop_back();
    if (one.kind == ptx::TraceNode::Kind::input) out.insert(one.a);
    if (one.kind != ptx::TraceNode::Kind::act) continue;
    if (one.act == ptx::Act::dot) {
      reach(one.a);
      for (const std::uint32_t factor : trace.factors(one)) reach(factor);
      continue;
    }
    const std::uint32_t operands[] = {one.a, one.b, one.c};
    std::for_each(operands, operands + one.operands, reach);
  }
  return out;
}

std::vector<TracedGroup> public_groups(const trace::Expressions& all, const std::vector<trace::Group>& groups) {
  std::vector<TracedGroup> out;
  for (const trace::Group& group : groups) {
    TracedGroup& made = out.emplace_back();
    made.elements = group.outputs;
    made.exact = !all.has_inexact(group.structure);
    for (const std::uint32_t number : orders_of(all, group.structure)) {
      const trace::Order& order = all.order(number);
      made.folds.push_back(
          {order.terms, order.schedule, order.tree, order.arithmetic, order.extreme, order.multiway_nodes});
    }
  }
  return out;
}

/// Normal numbers for the elements of floats.
void randomise(Tensor& tensor, std::mt19937_64& random) {
  const auto format = numerics::format_named(tensor.type);
  if (!format) return;
  std::normal_distribution<double> normal;
  const auto bytes = static_cast<std::size_t>(ptx::bytes_of(*format));
  for (std::size_t at = 0; at + bytes <= tensor.bytes.size(); at += bytes) {
    const double x = normal(random);
    const std::uint64_t bits =
        *format == numerics::Format::f64 ? std::bit_cast<std::uint64_t>(x) : numerics::round_f64(x, *format);
    std::memcpy(tensor.bytes.data() + at, &bits, bytes);
  }
}

/// Compares a circuit's result with what a launch left in the output's memory; NaNs are one.
void compare(const Result<std::vector<Shown>>& results, const Tensor& memory, TracedBits& out) {
  if (!results) {
    out.problem = results.messages().front().message;
    return;
  }
  const auto format = numerics::format_named(memory.type);
  const bool fits = results->size() == 1 && results->front().tensor && format &&
                    results->front().tensor->type == memory.type &&
                    results->front().tensor->bytes.size() == memory.bytes.size();
  if (!fits) {
    out.problem = "its result is not of the output's type and size";
    return;
  }
  const Tensor& made = *results->front().tensor;
  const auto bytes = static_cast<std::size_t>(ptx::bytes_of(*format));
  bool same = true;
  for (std::size_t at = 0; at < made.bytes.size(); at += bytes) {
    std::uint64_t a = 0, b = 0;
    std::memcpy(&a, made.bytes.data() + at, bytes);
    std::memcpy(&b, memory.bytes.data() + at, bytes);
    const bool both_nan = numerics::is_nan(a, *format) && numerics::is_nan(b, *format);
    if (a == b || both_nan) continue;
    same = false;
    out.ulps = std::max(out.ulps, numerics::ulps_apart(a, b, *format).value_or(~std::uint64_t{0}));
  }
  ++out.compared;
  if (same) ++out.equal;
}

/// The arguments of the next turn: random numbers, but in the memory of outputs, which keep what they had.
void randomise_inputs(PtxLaunch& given, const PtxLaunch& launch, const PtxTrace& trace, std::mt19937_64& random) {
  for (std::size_t k = 0; k < given.arguments.size(); ++k) {
    PtxArgument& argument = given.arguments[k];
    if (!argument.memory || argument.unwritten || argument.zeros) continue;
    const bool is_output = std::any_of(trace.outputs.begin(), trace.outputs.end(),
                                       [&](const TracedOutput& output) { return output.argument == k; });
    if (is_output) argument.memory->bytes = launch.arguments[k].memory->bytes;
    else randomise(*argument.memory, random);
  }
}

void verify(const std::string& text, const std::string& name, const PtxLaunch& launch, const TraceOptions& options,
            PtxTrace& out) {
  Session session{SessionOptions{}}, other{SessionOptions{}};
  const std::string program = out.program();
  if (const auto loaded = session.load(program, "trace"); !loaded) {
    for (TracedOutput& output : out.outputs) {
      if (!output.circuit.empty()) output.bits.problem = loaded.messages().front().message;
    }
  }
  if (!options.against.empty()) {
    if (const auto loaded = other.load(options.against, options.against_path); !loaded) {
      out.run.messages.insert(out.run.messages.end(), loaded.messages().begin(), loaded.messages().end());
      return;
    }
  }
  std::mt19937_64 random(options.seed + 1);
  PtxLaunch given = launch;
  given.semantics = usual_semantics();
  given.nearest = true;
  given.races = false;
  for (std::int64_t turn = 0; turn <= options.verify; ++turn) {
    if (turn > 0) randomise_inputs(given, launch, out, random);
    const PtxRun run = turn == 0 ? out.run : run_ptx(text, name, given);
    if (run.memory.size() != given.arguments.size()) return;
    for (TracedOutput& output : out.outputs) {
      std::vector<Tensor> arguments;
      for (const std::size_t parameter : output.parameters) arguments.push_back(*given.arguments[parameter].memory);
      const Tensor& memory = *run.memory[output.argument];
      if (!output.circuit.empty() && output.bits.problem.empty())
        compare(session.call(output.name, arguments), memory, output.bits);
      if (!options.against.empty() && output.other.problem.empty())
        compare(other.call(options.against_circuit, arguments), memory, output.other);
    }
  }
}

}  // namespace

PtxValues values_of_ptx(const std::string& text, const std::string& name, const PtxLaunch& launch) {
  PtxValues out;
  TraceOptions options;
  options.verify = -1;
  PtxTrace trace = trace_ptx(text, name, launch, options);
  out.run = std::move(trace.run);
  Session session{SessionOptions{}};
  if (const auto loaded = session.load(trace.program(), "trace"); !loaded) {
    out.messages = loaded.messages();
    return out;
  }
  CallOptions how;
  how.semantics = launch.semantics;
  for (const TracedOutput& output : trace.outputs) {
    if (output.circuit.empty()) {
      out.messages.push_back(
          ptx_message(text, name, launch.kernel,
                      fmt::format("argument {} has no circuit, by which kernels have values in `{}`: {}",
                                  output.argument, launch.semantics, output.problem)));
      continue;
    }
    std::vector<Tensor> arguments;
    for (const std::size_t parameter : output.parameters) arguments.push_back(*launch.arguments[parameter].memory);
    auto values = session.call(output.name, arguments, how);
    if (!values) {
      out.messages.insert(out.messages.end(), values.messages().begin(), values.messages().end());
      continue;
    }
    const bool plain =
        std::all_of(output.groups.begin(), output.groups.end(), [](const TracedGroup& group) { return group.exact; });
    out.outputs.push_back({output.argument, std::move(*values),
                           plain ? ""
                                 : "instructions that are approximate, flush subnormals, or round in their own way "
                                   "are taken for the operations that they stand for"});
  }
  return out;
}

std::string PtxTrace::program() const {
  std::string out;
  for (const TracedOutput& output : outputs) out += output.circuit;
  return out.empty() ? out : "import \"schedules\"\n" + out;
}

namespace {

/// Elements that share what they add (a scan's) are each looked at alone for the order of their own sums, as long as
/// there are not too many of them.
void find_orders_alone(const ptx::Trace& trace, const std::vector<trace::Group>& groups,
                       const std::vector<std::int64_t>& elements, const std::vector<std::uint32_t>& nodes,
                       std::vector<TracedGroup>& out) {
  if (groups.size() < 2 || groups.size() > most_alone / std::max<std::size_t>(trace.size(), 1)) return;
  std::map<std::int64_t, std::uint32_t> node_of;
  for (std::size_t k = 0; k < elements.size(); ++k) node_of[elements[k]] = nodes[k];
  for (std::size_t g = 0; g < groups.size(); ++g) {
    trace::Expressions alone(trace);
    const auto expressions = alone.of({node_of.at(groups[g].outputs[0])});
    out[g].folds = public_groups(alone, trace::grouped({groups[g].outputs[0]}, expressions))[0].folds;
  }
}

/// The orders of an output's sums, and its circuit.
void read_off(const ptx::Trace& trace, const std::vector<trace::Argument>& arguments,
              const std::vector<std::int64_t>& elements, const std::vector<std::uint32_t>& nodes,
              const TraceOptions& options, TracedOutput& made) {
  const auto output = static_cast<std::uint32_t>(made.argument);
  trace::Expressions all(trace);
  const auto groups = trace::grouped(elements, all.of(nodes));
  made.groups = public_groups(all, groups);
  find_orders_alone(trace, groups, elements, nodes, made.groups);
  auto circuit = trace::circuit_of(all, arguments, output, made.name, groups, made.problem,
                                   {options.taken.begin(), options.taken.end()});
  if (circuit && circuit->text.size() > longest_circuit) made.problem = "its text would be very long";
  made.regular = circuit && made.problem.empty();
  if (!made.regular) {
    made.irregular = std::exchange(made.problem, {});
    circuit = trace::written_out(trace, arguments, output, made.name, elements, nodes, made.problem);
  }
  if (circuit) made.circuit = circuit->text;
  const auto parameters =
      circuit ? std::set(circuit->parameters.begin(), circuit->parameters.end()) : read_by(trace, nodes);
  made.parameters.assign(parameters.begin(), parameters.end());
}

}  // namespace

PtxTrace trace_ptx(const std::string& text, const std::string& name, const PtxLaunch& launch,
                   const TraceOptions& options) {
  PtxTrace out;
  ptx::Trace trace;
  PtxMemory placed;
  out.run = carry_out_ptx(text, name, launch, &trace, placed);
  out.numbers = static_cast<std::int64_t>(trace.size());
  if (out.run.memory.empty()) return out;
  const auto arguments = arguments_of(launch);
  std::vector<std::size_t> first;
  std::vector<std::int64_t> elements;
  std::vector<std::uint32_t> nodes;
  std::vector<std::size_t> outputs;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const auto format = placed.bases[k] == 0 ? std::nullopt : numerics::format_named(arguments[k].type);
    if (!format) continue;
    const std::size_t before = elements.size();
    outputs_of(*placed.memory.find(placed.bases[k]), *format, trace, k, elements, nodes);
    // Zeros that the kernel has only looked at.
    const bool untouched = launch.arguments[k].zeros &&
                           std::all_of(nodes.begin() + static_cast<std::ptrdiff_t>(before), nodes.end(), [&](auto id) {
                             return trace.node(id).kind == ptx::TraceNode::Kind::constant && trace.node(id).wide() == 0;
                           });
    if (untouched) {
      elements.resize(before);
      nodes.resize(before);
    }
    if (elements.size() == before) continue;
    outputs.push_back(k);
    first.push_back(before);
  }
  first.push_back(elements.size());
  for (std::size_t n = 0; n < outputs.size(); ++n) {
    const auto begin = static_cast<std::ptrdiff_t>(first[n]), end = static_cast<std::ptrdiff_t>(first[n + 1]);
    TracedOutput& made = out.outputs.emplace_back();
    made.argument = outputs[n];
    made.name = (options.name.empty() ? circuit_name(launch.kernel) : options.name) +
                (outputs.size() > 1 ? fmt::format("_{}", outputs[n]) : "");
    read_off(trace, arguments, {elements.begin() + begin, elements.begin() + end},
             {nodes.begin() + begin, nodes.begin() + end}, options, made);
  }
  verify(text, name, launch, options, out);
  return out;
}

SizedTrace trace_ptx_sizes(const std::string& text, const std::string& name, const std::vector<SizedLaunch>& launches,
                           const TraceOptions& options) {
  SizedTrace out;
  std::vector<trace::Instance> instances;
  for (const SizedLaunch& one : launches) {
    TraceOptions how = options;
    for (const auto& [size, value] : one.sizes) how.taken.push_back(size);
    const PtxTrace& made = out.traces.emplace_back(trace_ptx(text, name, one.launch, how));
    if (!made.run.messages.empty()) return out;
    for (const TracedOutput& output : made.outputs) {
      if (out.problem.empty() && !output.regular)
        out.problem = fmt::format("argument {} has no regular circuit: {}", output.argument, output.irregular);
    }
    instances.push_back({one.sizes, made.program()});
  }
  if (launches.size() < 3) out.problem = "circuits at three sizes are needed to see how they go by them";
  if (!out.problem.empty()) return out;
  if (auto one = one_circuit(std::move(instances), out.problem)) out.program = std::move(*one);
  return out;
}

}  // namespace reckon
