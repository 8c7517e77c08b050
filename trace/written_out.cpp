#include "trace/written_out.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "trace/text.h"

namespace reckon::trace {
namespace {

using ptx::TraceNode;

/// What the nodes are made of, operands first.
std::set<std::uint32_t> reached_from(const ptx::Trace& trace, const std::vector<std::uint32_t>& nodes) {
  std::set<std::uint32_t> out;
  std::vector<std::uint32_t> work(nodes.begin(), nodes.end());
  while (!work.empty() && out.size() <= 4 * most_written) {
    const std::uint32_t id = work.back();
    work.pop_back();
    if (!out.insert(id).second) continue;
    const TraceNode& one = trace.node(id);
    if (one.kind != TraceNode::Kind::act) continue;
    const std::uint32_t operands[] = {one.a, one.b, one.c};
    work.insert(work.end(), operands, operands + one.operands);
  }
  return out;
}

std::string element_text(const Argument& argument, std::uint64_t element) {
  std::vector<std::uint64_t> at(argument.shape.size());
  for (std::size_t d = argument.shape.size(); d-- > 0;) {
    at[d] = element % static_cast<std::uint64_t>(argument.shape[d]);
    element /= static_cast<std::uint64_t>(argument.shape[d]);
  }
  return fmt::format("{}[{}]", argument.name, fmt::join(at, ", "));
}

/// `[[a, b], [c, d]]`
std::string tensor_text(const std::vector<std::int64_t>& shape, std::size_t axis,
                        const std::vector<std::string>& elements, std::size_t& next) {
  if (axis == shape.size()) return elements[next++];
  std::string out = "[";
  for (std::int64_t k = 0; k < shape[axis]; ++k)
    out += (k == 0 ? "" : ", ") + tensor_text(shape, axis + 1, elements, next);
  return out + "]";
}

}  // namespace

std::optional<Circuit> written_out(const ptx::Trace& trace, const std::vector<Argument>& arguments,
                                   std::uint32_t output, const std::string& name,
                                   const std::vector<std::int64_t>& elements, const std::vector<std::uint32_t>& nodes,
                                   std::string& problem) {
  const Argument& result = arguments[output];
  std::int64_t size = 1;
  for (const std::int64_t extent : result.shape) size *= extent;
  if (static_cast<std::int64_t>(elements.size()) != size) {
    problem = fmt::format("{} of its {} elements are computed", elements.size(), size);
    return std::nullopt;
  }
  const auto reached = reached_from(trace, nodes);
  if (reached.size() > most_written) {
    problem = fmt::format("it is not regular, and has more than {} operations", most_written);
    return std::nullopt;
  }
  std::map<std::uint32_t, std::string> texts;
  std::set<std::uint32_t> used;
  std::string body;
  for (const std::uint32_t id : reached) {
    const TraceNode& one = trace.node(id);
    if (one.kind == TraceNode::Kind::input) {
      used.insert(one.a);
      texts[id] = element_text(arguments[one.a], one.wide());
    } else if (one.kind == TraceNode::Kind::constant) {
      texts[id] = number_text(one.wide(), one.format);
    } else {
      if (one.atomic) {
        problem = "it adds by atomic operations, whose order is that of one run";
        return std::nullopt;
      }
      const std::uint32_t operands[] = {one.a, one.b, one.c};
      std::vector<std::string> parts;
      for (std::size_t k = 0; k < one.operands; ++k) parts.push_back(texts.at(operands[k]));
      const auto made = act_text(one.act, one.format, parts);
      if (!made) {
        problem = fmt::format("it is not regular, and has `{}`", name_of(one.act));
        return std::nullopt;
      }
      body += fmt::format("  let v{} = {};\n", id, *made);
      texts[id] = fmt::format("v{}", id);
    }
  }
  std::vector<std::string> of_elements;
  for (const std::uint32_t id : nodes) of_elements.push_back(texts.at(id));
  std::size_t next = 0;
  Circuit out;
  std::string parameters;
  for (const std::uint32_t argument : used) {
    parameters += fmt::format("{}{}: {}", parameters.empty() ? "" : ", ", arguments[argument].name,
                              type_text(arguments[argument]));
    out.parameters.push_back(argument);
  }
  out.text = fmt::format("fn {}({}) -> {} {{\n{}  {}\n}}\n", name, parameters, type_text(result), body,
                         tensor_text(result.shape, 0, of_elements, next));
  return out;
}

}  // namespace reckon::trace
