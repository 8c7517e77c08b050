// What a reader must know of compiled kernels who has nothing but their text.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "codegen/sizes.h"
#include "codegen/standalone/interface.h"
#include "codegen/steps.h"
#include "ir/op.h"
#include "ir/printer.h"
#include "ir/visit.h"

namespace reckon::codegen {
namespace {

using TextLines = std::vector<std::string>;
using Role = Buffer::Role;

constexpr std::size_t most_bytes_told = 64;
constexpr std::size_t width = 112;  ///< of a line, at most, where words can be moved to the next one

void add_wrapped(TextLines& out, const std::string& text, const std::string& indent = "", const std::string& more = "") {
  std::istringstream words(text);
  std::string line = indent;
  bool first = true;
  for (std::string word; words >> word; first = false) {
    if (!first && line.size() + 1 + word.size() > width) {
      out.push_back(line);
      line = more + word;
    } else {
      line += (first ? "" : " ") + word;
    }
  }
  out.push_back(line);
}

/// The circuit's line, after the definitions of the orders that it names.
TextLines signature(const Standalone& circuit) {
  TextLines out;
  std::istringstream text(ir::print(circuit.module, circuit.function));
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("schedule ")) out.push_back(line);
    if (!line.starts_with("fn ")) continue;
    if (line.ends_with(" {")) line.resize(line.size() - 2);
    out.push_back(line);
    break;
  }
  return out;
}

TextLines orders(const Standalone& circuit) {
  struct Order {
    SourceSpan span;
    std::string text;
  };
  std::vector<Order> found;
  const ir::Module& module = circuit.module;
  ir::visit_nodes(module, {circuit.function.body}, [&](ir::NodeId id) {
    const ir::Node& node = module[id];
    if (node.op != ir::Op::reduce && node.op != ir::Op::scan) return;
    const ir::Reduction& reduction = module.reduction_of(node);
    const SourceSpan span = module.span(id, circuit.function.places);
    const std::string where = circuit.place ? circuit.place(span) : "";
    const std::string by = reduction.user ? "by an operation of the program"
                                          : fmt::format("by {}", ir::traits(reduction.operation).spelling);
    const bool varies = !module.indices().variables(node.indices[0]).empty();
    found.push_back(
        {span, fmt::format("{} {} of {} leaves{}: {}", node.op == ir::Op::scan ? "scan" : "reduction", by,
                           varies ? "as many" : ir::index_text(module, node.indices[0]),
                           where.empty() ? "" : ", " + where, ir::schedule_text(module, reduction.schedule))});
  });
  std::stable_sort(found.begin(), found.end(),
                   [](const Order& a, const Order& b) { return a.span.begin < b.span.begin; });
  TextLines out;
  for (const Order& order : found) add_wrapped(out, order.text, "  ", "    ");
  return out;
}

std::string names(const Standalone& circuit) { return fmt::format("{}", fmt::join(circuit.names.dimensions, ", ")); }

void add_sizes(TextLines& out, const Standalone& circuit, Target target) {
  if (circuit.plan.dimensions.empty()) return;
  out.emplace_back();
  const bool one = circuit.plan.dimensions.size() == 1;
  std::string conditions;
  for (const ir::SizeCondition& condition : circuit.conditions) {
    conditions += (conditions.empty() ? "" : "; ") + ir::index_text(circuit.module, condition.holds);
  }
  add_wrapped(out,
              fmt::format("Size{}: {}, {} 64-bit integer. {}", one ? "" : "s", names(circuit), one ? "a" : "each a",
                          conditions.empty()       ? "Which can be used is not known in general."
                          : target == Target::host ? ""
                                                   : "The kernels do not check: " + conditions + "."));
}

/// A constant's bytes, if they are few.
std::string contents(const Standalone& circuit, std::size_t buffer) {
  std::size_t which = 0;
  for (std::size_t k = 0; k < buffer; ++k) which += circuit.plan.buffers[k].role == Role::constant ? 1 : 0;
  if (which >= circuit.constants.size() || circuit.constants[which].size() > most_bytes_told) {
    return ", with contents that a launcher has (--emit=launcher=cpp)";
  }
  return fmt::format(", the bytes {:02x}", fmt::join(circuit.constants[which], " "));
}

std::string buffer_text(const Standalone& circuit, std::size_t k) {
  const Buffer& buffer = circuit.plan.buffers[k];
  std::string type = array_type(circuit.module, buffer);
  if (buffer.in_words()) {
    type += fmt::format(", each element {} words of {}", buffer.words->count, ir::scalar_name(buffer.words->scalar));
  } else if (buffer.words) {
    type += ", each element a byte: 0, 1, or 2 for unknown";
  }
  const auto named = [&](const std::vector<Interface::Array>& arrays) {
    for (const Interface::Array& array : arrays) {
      if (array.buffer == k) return array.name;
    }
    return std::string();
  };
  const std::string stored =
      buffer.storage ? fmt::format(", stored by the layout {}", ir::storage_text(circuit.module, *buffer.storage)) : "";
  switch (buffer.role) {
    case Role::parameter: return fmt::format("parameter {}: {}{}", named(circuit.names.parameters), type, stored);
    case Role::result: {
      const std::string name = named(circuit.names.results);
      return fmt::format("{}: {}{}", name.starts_with("result") ? name : "result " + name, type, stored);
    }
    case Role::constant: return fmt::format("constant: {}{}", type, contents(circuit, k));
    case Role::state: return fmt::format("state: {}, memory for a part of the state of a loop", type);
    case Role::intermediate: return fmt::format("intermediate: {}, memory for what kernels give each other", type);
    case Role::faults:
      return fmt::format(
          "faults: {} words of 64 bits, zeros before the first launch; a bit is set where an index that is "
          "read from data is out of range (then element 0 is read), or an integer is divided by 0",
          buffer.extents.empty() ? "0" : ir::index_text(circuit.module, buffer.extents[0]));
    case Role::counters:
      return fmt::format("counters: {}, zeros before the first launch; every launch leaves zeros", type);
  }
  return type;
}

/// In brackets, unless it is a word.
std::string grouped(const std::string& text) { return text.find(' ') == std::string::npos ? text : "(" + text + ")"; }

/// The product of the extents: a number if it is known.
std::string product(const ir::Module& module, const std::vector<ir::IndexId>& extents) {
  std::int64_t known = 1;
  TextLines factors;
  for (const ir::IndexId extent : extents) {
    const auto value = module.indices().as_constant(extent);
    if (!value || __builtin_mul_overflow(known, *value, &known)) factors.push_back(ir::index_text(module, extent));
  }
  if (known != 1 || factors.empty()) factors.push_back(std::to_string(known));
  if (factors.size() == 1) return factors[0];
  for (std::string& factor : factors) factor = grouped(factor);
  return fmt::format("{}", fmt::join(factors, " * "));
}

void add_kernel(TextLines& out, const Standalone& circuit, const Kernel& kernel, const std::string& indent) {
  const std::string items = product(circuit.module, kernel.items);
  std::string text = kernel.name + ": ";
  if (kernel.block_items == 0) {
    text +=
        fmt::format("block {0}, or fewer whole warps; grid any number of blocks, ceil({1} / {0}) for one item a thread",
                    kernel.threads, grouped(items));
  } else {
    const std::string blocks =
        kernel.block_items == 1 ? items : fmt::format("ceil({} / {})", grouped(items), kernel.block_items);
    text += fmt::format("block {}; grid {}{}", kernel.threads, blocks,
                        kernel.one_item       ? ""
                        : kernel.resident > 0 ? fmt::format(", but at most {} for each multiprocessor", kernel.resident)
                                              : ", or any other number of blocks");
  }
  text += fmt::format("; {} bytes of {} shared memory", kernel.shared_bytes,
                      kernel.dynamic_shared_bytes() > 0 ? "dynamic" : "static");
  if (kernel.overlaps) {
    text +=
        "; it waits by itself for the kernel before it, so it may be launched with programmatic stream serialization";
  }
  if (kernel.recursive) text += "; it calls itself: raise CU_LIMIT_STACK_SIZE, and assemble it with -O1";
  add_wrapped(out, text + ".", indent + "  ", indent + "    ");
}

void add_launches(TextLines& out, const Standalone& circuit) {
  const Plan& plan = circuit.plan;
  std::size_t depth = 0;
  for (const Step& step : steps_of(plan)) {
    if (step.kind == Step::Kind::launch) {
      add_kernel(out, circuit, plan.kernels[step.number], std::string(2 * depth, ' '));
      continue;
    }
    const Loop& loop = plan.loops[step.number];
    if (step.kind == Step::Kind::enter) {
      add_wrapped(out,
                  fmt::format("Round {} = 0, 1, ... of {}:", step.number, ir::index_text(circuit.module, loop.rounds)),
                  std::string(2 * depth + 2, ' '), std::string(2 * depth + 4, ' '));
      ++depth;
      continue;
    }
    std::string pairs;
    for (const auto& [one, other] : loop.exchanged)
      pairs += fmt::format("{}{} and {}", pairs.empty() ? "" : ", ", one, other);
    add_wrapped(out, fmt::format("then these buffers exchange their addresses: {}.", pairs),
                std::string(2 * depth + 2, ' '), std::string(2 * depth + 4, ' '));
    --depth;
  }
}

}  // namespace

std::vector<std::string> description(const Standalone& circuit, Target target) {
  TextLines out{fmt::format("Compiled by Reckon {} for {}, under the semantics {}:", circuit.version, circuit.machine,
                        circuit.semantics)};
  out.emplace_back();
  for (const std::string& line : signature(circuit)) add_wrapped(out, line, "  ", "    ");
  if (const TextLines all = orders(circuit); !all.empty()) {
    out.emplace_back();
    out.emplace_back("The order of each reduction:");
    out.insert(out.end(), all.begin(), all.end());
  }
  add_sizes(out, circuit, target);
  if (target == Target::host) return out;
  out.emplace_back();
  const std::size_t count = circuit.plan.dimensions.size();
  std::string sizes = count == 0 ? "" : fmt::format(", and then the size{} {}", count == 1 ? "" : "s", names(circuit));
  if (!circuit.plan.loops.empty()) sizes += ", and then the number of the round of each loop as 64 bits";
  add_wrapped(out, fmt::format("Each kernel takes the addresses of these buffers, in this order{}:", sizes));
  for (std::size_t k = 0; k < circuit.plan.buffers.size(); ++k) {
    add_wrapped(out, fmt::format("{} {}", k, buffer_text(circuit, k)), "  ", "    ");
  }
  add_wrapped(
      out,
      "Elements are row-major where no layout is named. Every address is a multiple of 16, and the bytes up to the "
      "next multiple of 16 can be read. An extent of 0 counts as 1. No buffer that is written overlaps another.");
  if (!circuit.plan.tensor_maps.empty()) {
    out.emplace_back();
    add_wrapped(
        out,
        "After these each kernel takes these tensor maps by value (CUtensorMap), each encoded by "
        "cuTensorMapEncodeTiled for elements that are unsigned integers of their width, with the interleave none, "
        "the swizzle of 128 bytes, promotion to 256 bytes, element strides of 1, and zeros beyond the tensor:");
    for (std::size_t k = 0; k < circuit.plan.tensor_maps.size(); ++k) {
      const TensorMap& map = circuit.plan.tensor_maps[k];
      const auto described = [&](const TensorMap& one) {
        if (!one.copy) return std::to_string(one.buffer);
        if (circuit.module.indices().as_constant(one.copied)) return std::to_string(*one.copy);
        return fmt::format("{} if {} is not 0, or else {}", *one.copy, ir::index_text(circuit.module, one.copied),
                           one.buffer);
      };
      const auto list = [&](const std::vector<ir::IndexId>& sizes) {
        TextLines all;
        for (const ir::IndexId size : sizes) all.push_back(ir::index_text(circuit.module, size));
        return fmt::format("{}", fmt::join(all, ", "));
      };
      add_wrapped(out,
                  fmt::format("{} of buffer {}: extents {}; strides in bytes {}; box {}", k, described(map),
                              list(map.extents), list(map.strides), fmt::join(map.box, ", ")),
                  "  ", "    ");
    }
  }
  out.emplace_back();
  out.emplace_back("The launches, in order; grids and blocks have one dimension:");
  add_launches(out, circuit);
  return out;
}

}  // namespace reckon::codegen
