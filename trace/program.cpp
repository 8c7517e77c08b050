#include "trace/program.h"

#include "trace/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace reckon::trace {
namespace {

using Shape = Structure::Kind;
constexpr std::uint64_t log2_e = 0x3fb8aa3b;  // the f32 nearest to it

/// Names of the indices of outputs and of sums: those that mean nothing else.
struct Names {
  std::vector<std::string> outputs, sums;

  Names(const std::vector<Argument>& arguments, std::set<std::string> taken) {
    for (const Argument& argument : arguments) taken.insert(argument.name);
    const auto take = [&](const char* wanted, std::vector<std::string>& into) {
      std::string name = wanted;
      while (!taken.insert(name).second) name += '_';
      into.push_back(name);
    };
    for (const char* wanted : {"i", "j", "m", "n", "o"}) take(wanted, outputs);
    for (const char* wanted : {"k", "l", "p", "q", "r", "s", "t", "u"}) take(wanted, sums);
  }
};

/// base + the sum of factor * variable, each variable from 0 to extent - 1.
struct Index {
  struct Part {
    std::string variable;
    std::int64_t factor = 0, extent = 1;
  };
  std::int64_t base = 0;
  std::vector<Part> parts;

  std::int64_t least() const {
    std::int64_t out = base;
    for (const Part& part : parts) out += std::min<std::int64_t>(0, part.factor * (part.extent - 1));
    return out;
  }
  std::int64_t most() const {
    std::int64_t out = base;
    for (const Part& part : parts) out += std::max<std::int64_t>(0, part.factor * (part.extent - 1));
    return out;
  }
  std::string text() const {
    std::string out;
    for (const Part& part : parts) {
      if (part.factor == 0) continue;
      const std::int64_t size = std::abs(part.factor);
      const std::string term = size == 1 ? part.variable : fmt::format("{} * {}", size, part.variable);
      if (out.empty()) out = part.factor < 0 ? fmt::format("{} - {}", base, term) : term;
      else out += (part.factor < 0 ? " - " : " + ") + term;
    }
    const bool has_base = !parts.empty() && out.starts_with(std::to_string(base) + " - ");
    if (out.empty()) return std::to_string(base);
    if (base != 0 && !has_base) out += base < 0 ? fmt::format(" - {}", -base) : fmt::format(" + {}", base);
    return out;
  }
};

std::vector<std::int64_t> steps_of(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> out(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) out[d - 1] = out[d] * shape[d];
  return out;
}

/// The coordinates of an element whose number is `flat`, as indices of their own; or by division.
std::string subscripts(const Index& flat, const std::vector<std::int64_t>& shape) {
  const auto steps = steps_of(shape);
  std::vector<Index> coordinates(shape.size());
  std::int64_t base = flat.base;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    coordinates[d].base = base / steps[d];
    base %= steps[d];
  }
  for (const Index::Part& part : flat.parts) {
    std::int64_t factor = part.factor;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      // Toward zero: -1 is a step back in the last coordinate.
      coordinates[d].parts.push_back({part.variable, factor / steps[d], part.extent});
      factor %= steps[d];
    }
  }
  bool fits = true;
  for (std::size_t d = 0; d < shape.size(); ++d)
    fits = fits && coordinates[d].least() >= 0 && coordinates[d].most() < shape[d];
  std::string out;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    out += d == 0 ? "" : ", ";
    if (fits) {
      out += coordinates[d].text();
      continue;
    }
    std::string one = "(" + flat.text() + ")";
    if (steps[d] > 1) one += fmt::format(" // {}", steps[d]);
    if (d > 0) one = (steps[d] > 1 ? "(" + one + ")" : one) + fmt::format(" % {}", shape[d]);
    out += one;
  }
  return out;
}

class Writer {
 public:
  Writer(const Expressions& all, const std::vector<Argument>& arguments, const Names& names, std::vector<Index> slots)
      : all_(all), arguments_(arguments), names_(names), slots_(std::move(slots)) {}

  std::string write(std::uint32_t number) {
    const Structure& one = all_.structure(number);
    switch (one.kind) {
      case Shape::input: {
        used_.insert(one.argument);
        const Argument& argument = arguments_[one.argument];
        return fmt::format("{}[{}]", argument.name, subscripts(slots_[next_++], argument.shape));
      }
      case Shape::constant: return number_text(one.bits, one.format);
      case Shape::act: return act(one);
      case Shape::fold: return fold(one);
      case Shape::irregular: break;
    }
    problem_ = "it has a sum of terms that are not alike";
    return "?";
  }
  const std::string& problem() const { return problem_; }
  const std::set<std::uint32_t>& used() const { return used_; }

 private:
  std::string act(const Structure& one) {
    std::vector<std::string> parts;
    const bool is_exp = one.act == Act::exp2 && is_times_log2_e(one.children[0]);
    if (is_exp) {
      const Structure& product = all_.structure(one.children[0]);
      for (const std::uint32_t child : product.children) {
        if (all_.structure(child).kind != Shape::constant) return fmt::format("exp({})", write(child));
      }
    }
    for (const std::uint32_t child : one.children) parts.push_back(write(child));
    if (auto text = act_text(one.act, one.format, parts)) return *text;
    problem_ = fmt::format("it has `{}`", name_of(one.act));
    return "?";
  }
  bool is_times_log2_e(std::uint32_t number) const {
    const Structure& one = all_.structure(number);
    if (one.kind != Shape::act || one.act != Act::mul || one.format != numerics::Format::f32) return false;
    return std::any_of(one.children.begin(), one.children.end(), [&](std::uint32_t child) {
      return all_.structure(child).kind == Shape::constant && all_.structure(child).bits == log2_e;
    });
  }
  std::string fold(const Structure& one) {
    const Order& order = all_.order(one.order);
    if (order.schedule.empty() && one.act == Act::add) {
      problem_ = "the order of a sum is no schedule that is known";
      return "?";
    }
    if (depth_ >= names_.sums.size()) {
      problem_ = "its sums are nested too deep";
      return "?";
    }
    const std::string variable = names_.sums[depth_++];
    // The slots of the terms come next.
    for (std::size_t s = 0; s < one.strides.size(); ++s) {
      auto& parts = slots_[next_ + s].parts;
      if (one.chunk == 0) {
        parts.push_back({variable, one.strides[s], one.terms});
        continue;
      }
      parts.push_back({fmt::format("({} % {})", variable, one.chunk), one.strides[s], one.chunk});
      parts.push_back({fmt::format("({} // {})", variable, one.chunk), one.outer[s], (one.terms - 1) / one.chunk + 1});
    }
    const char* binder = one.act == Act::add ? "sum" : one.act == Act::max || one.act == Act::maxnum ? "max" : "min";
    const std::string body = write(one.children[0]);
    --depth_;
    const std::string by = order.schedule.empty() ? "" : " by " + order.schedule;
    return fmt::format("({} {} < {}: {}{})", binder, variable, one.terms, body, by);
  }

  const Expressions& all_;
  const std::vector<Argument>& arguments_;
  const Names& names_;
  std::vector<Index> slots_;
  std::size_t next_ = 0, depth_ = 0;
  std::set<std::uint32_t> used_;
  std::string problem_;
};

/// The slots of a group's expressions as indices of the output's coordinates; nothing if one is not affine.
std::optional<std::vector<Index>> fitted(const Group& group, const std::vector<std::int64_t>& shape,
                                         const std::vector<std::string>& names) {
  const auto steps = steps_of(shape);
  std::vector<Index> out(group.expressions[0].slots.size());
  for (std::size_t s = 0; s < out.size(); ++s) {
    out[s].base = group.expressions[0].slots[s];
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const std::int64_t factor =
          shape[d] > 1 ? group.expressions[static_cast<std::size_t>(steps[d])].slots[s] - out[s].base : 0;
      out[s].parts.push_back({names[d], factor, shape[d]});
    }
    for (std::size_t k = 0; k < group.outputs.size(); ++k) {
      std::int64_t expected = out[s].base, rest = group.outputs[k];
      for (std::size_t d = 0; d < shape.size(); ++d) {
        expected += out[s].parts[d].factor * (rest / steps[d]);
        rest %= steps[d];
      }
      if (expected != group.expressions[k].slots[s]) return std::nullopt;
    }
  }
  return out;
}

}  // namespace

std::vector<Group> grouped(const std::vector<std::int64_t>& elements, const std::vector<Expression>& expressions) {
  std::vector<Group> out;
  std::map<std::uint32_t, std::size_t> by_structure;
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const auto [at, is_new] = by_structure.try_emplace(expressions[k].structure, out.size());
    if (is_new) out.push_back({{}, expressions[k].structure, {}});
    out[at->second].outputs.push_back(elements[k]);
    out[at->second].expressions.push_back(expressions[k]);
  }
  return out;
}

std::vector<std::uint32_t> orders_of(const Expressions& all, std::uint32_t structure) {
  std::vector<std::uint32_t> out, work{structure};
  std::set<std::uint32_t> seen;
  while (!work.empty()) {
    const std::uint32_t number = work.back();
    work.pop_back();
    if (!seen.insert(number).second) continue;
    const Structure& one = all.structure(number);
    const bool folds = one.kind == Shape::fold || one.kind == Shape::irregular;
    if (folds && std::find(out.begin(), out.end(), one.order) == out.end()) out.push_back(one.order);
    work.insert(work.end(), one.children.rbegin(), one.children.rend());
  }
  return out;
}

std::optional<Circuit> circuit_of(const Expressions& all, const std::vector<Argument>& arguments, std::uint32_t output,
                                  const std::string& name, const std::vector<Group>& groups, std::string& problem,
                                  const std::set<std::string>& taken) {
  const Argument& result = arguments[output];
  std::int64_t size = 1;
  for (const std::int64_t extent : result.shape) size *= extent;
  if (groups.size() != 1) {
    problem = fmt::format("its elements are computed in {} ways", groups.size());
    return std::nullopt;
  }
  const Group& group = groups[0];
  if (static_cast<std::int64_t>(group.outputs.size()) != size) {
    problem = fmt::format("{} of its {} elements are computed", group.outputs.size(), size);
    return std::nullopt;
  }
  if (result.shape.size() > 5) {
    problem = "it has more than five axes";
    return std::nullopt;
  }
  const Names names(arguments, taken);
  auto slots = fitted(group, result.shape, names.outputs);
  if (!slots) {
    problem = "the elements that they read follow no linear index";
    return std::nullopt;
  }
  Writer writer(all, arguments, names, std::move(*slots));
  const std::string body = writer.write(group.structure);
  if (!writer.problem().empty()) {
    problem = writer.problem();
    return std::nullopt;
  }
  Circuit out;
  std::string parameters, binders;
  for (const std::uint32_t argument : writer.used()) {
    parameters += fmt::format("{}{}: {}", parameters.empty() ? "" : ", ", arguments[argument].name,
                              type_text(arguments[argument]));
    out.parameters.push_back(argument);
  }
  for (std::size_t d = 0; d < result.shape.size(); ++d)
    binders += fmt::format("{}{} < {}", d == 0 ? "" : ", ", names.outputs[d], result.shape[d]);
  out.text = fmt::format("fn {}({}) -> {} =\n  for {}: {}\n", name, parameters, type_text(result), binders, body);
  return out;
}

}  // namespace reckon::trace
