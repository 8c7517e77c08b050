// Schedules of every form, each of which has a tree for every length.
#include <utility>

#include "numerics/mma.h"
#include "tests/differential/formats.h"
#include "tests/differential/generator.h"

namespace reckon::differential {

Node Generator::stage_size() {
  if (!scope_.static_parameter.empty() && random_.one_in(2)) return atom("size", scope_.static_parameter);
  if (!scope_.dimensions.empty() && random_.one_in(8)) {
    const std::string name = random_.pick(scope_.dimensions);
    return atom("size", random_.one_in(2) ? name : "(" + name + " // 2 + 1)");
  }
  static constexpr int sizes[] = {1, 2, 3, 4, 5, 7, 8, 16, 32, 128};
  return atom("size", std::to_string(random_.pick(sizes)));
}

/// A random tree over a random permutation of the leaves.
Node Generator::quoted(int leaves) {
  std::vector<std::string> nodes(static_cast<std::size_t>(leaves));
  for (std::size_t k = 0; k < nodes.size(); ++k) nodes[k] = std::to_string(k);
  while (nodes.size() > 1) {
    const std::size_t a = random_.below(nodes.size());
    const std::string left = nodes[a];
    nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(a));
    const std::size_t b = random_.below(nodes.size());
    nodes[b] = "(" + left + " " + nodes[b] + ")";
  }
  return atom("schedule", "'" + nodes[0]);
}

Node Generator::stage(int depth) {
  if (depth > 1 && random_.one_in(4)) {
    return {"stage", "($0 then $1)", "$0. then $1.", Binding::open, {stage(depth - 1), stage(depth - 1)}};
  }
  if (random_.one_in(4)) {
    // Runs of a * b nodes, by rows or by columns.
    const std::string a = std::to_string(1 + random_.below(4)), b = std::to_string(1 + random_.below(4));
    const std::string strides = random_.one_in(2) ? "(" + b + ", 1, " : "(1, " + a + ", ";
    Node layout = atom("layout", "(" + a + ", " + b + ", _):" + strides + a + " * " + b + ")");
    return call_node("stage", "arrange", {std::move(layout), schedule(depth - 1, 0)});
  }
  const char* name = random_.one_in(2) ? "tile" : "lanes";
  Node size = stage_size();
  return call_node("stage", name, {std::move(size), schedule(depth - 1, 0)});
}

/// One that refers to itself, as NumPy's does.
Node Generator::named_schedule(int depth) {
  const std::string name = fresh("s"), limit = std::to_string(2 + random_.below(6));
  // What is inside must not depend on where it is used.
  Scope outer = std::move(scope_);
  scope_ = {};
  const bool accumulates = std::exchange(accumulates_, false);
  Node few = schedule(depth - 1, 0);
  Node definition{"item", "let " + name + " = length l: if l < " + limit + " { $0 } else { split(" +
                              (random_.one_in(2) ? "l // 2" : "l - (l + 2) // 3") + ", " + name + ", " + name + ") }",
                  {}, {}, {std::move(few)}};
  scope_ = std::move(outer);
  accumulates_ = accumulates;
  items_.push_back(std::move(definition));
  return atom("schedule", name);
}

/// An order with its way of accumulating, of which there is one between the leaves and the result.
Node Generator::accumulator(const Format& format, int depth, int leaves) {
  accumulates_ = false;
  Node out;
  switch (random_.below(8)) {
    case 0: out = atom("schedule", "kahan"); break;
    case 1:
    case 2: out = call_node("schedule", "neumaier", {schedule(depth, leaves)}); break;
    case 6: out = atom("schedule", "rounded_once"); break;
    case 7:
      out = format == "f32" || format == "f64" ? atom("schedule", "binned(" + std::to_string(1 + random_.below(3)) + ")")
                                               : atom("schedule", "rounded_once");
      break;
    default:
      fuses_ = true;
      out = call_node("schedule", "fused",
                      {random_.one_in(4) ? atom("schedule", "rounded_once") : schedule(depth, leaves)});
  }
  accumulates_ = true;
  return out;
}

Node Generator::tensor_cores(const Format& format, int depth) {
  std::vector<const numerics::MmaUnit*> units;
  for (const numerics::MmaUnit& unit : numerics::mma_units()) {
    // tf32 has no meaning under `fpsan`.
    if (numerics::traits(unit.accumulator).name == format && numerics::fills_words(unit.operand))
      units.push_back(&unit);
  }
  const numerics::MmaUnit& unit = *random_.pick(units);
  fuses_ = true;
  narrow_ = numerics::traits(unit.operand).name;
  const std::string model(numerics::mma_model_names[static_cast<std::size_t>(unit.model)]);
  const auto sum = [&] { return atom("schedule", "mma(" + model + (random_.one_in(3) ? ", " + format : "") + ")"); };
  const auto in_stage = [&](const char* name) {
    Node size = stage_size();
    Node first = call_node("stage", name, {std::move(size), sum()});
    return Node{"schedule", "($0 then $1)", "$0. then $1.", Binding::open, {std::move(first), schedule(depth - 1, 0)}};
  };
  switch (random_.below(5)) {
    case 0: return in_stage("tile");
    case 1: return in_stage("lanes");
    case 2: return call_node("schedule", "split", {stage_size(), sum(), sum()});
    default: return sum();
  }
}

Node Generator::sum_schedule(const Format& format, int depth, int leaves) {
  fuses_ = false;
  narrow_.clear();
  if (is_integer(format)) return schedule(depth, leaves);
  if ((format == "f32" || format == "f16") && random_.one_in(8)) return tensor_cores(format, depth);
  accumulates_ = true;
  accumulated_ = format;
  Node out = random_.one_in(3) ? accumulator(format, depth, leaves) : schedule(depth, leaves);
  accumulates_ = false;
  return out;
}

Node Generator::product(const Format& format, Node one, int depth, const Format& narrow) {
  Node other = scalar(format, depth);
  if (!narrow.empty() && narrow != format) {
    const std::string pattern = format + "(" + narrow + "($0))";
    one = {format, pattern, {}, {}, {std::move(one)}};
    other = {format, pattern, {}, {}, {std::move(other)}};
  }
  return {format, "($0 * $1)", "$0* * $1", Binding::product, {std::move(one), std::move(other)}};
}

Node Generator::schedule(int depth, int leaves) {
  if (accumulates_ && random_.one_in(8)) return accumulator(accumulated_, depth, leaves);
  if (leaves > 0 && random_.one_in(2)) return quoted(leaves);
  if (depth <= 0 || random_.one_in(3)) {
    static constexpr const char* simple[] = {"seq", "tree", "halving", "blelloch"};
    return atom("schedule", random_.pick(simple));
  }
  switch (random_.below(8)) {
    case 0: {
      Node size = stage_size(), first = schedule(depth - 1, 0);
      return call_node("schedule", "split", {std::move(size), std::move(first), schedule(depth - 1, 0)});
    }
    case 1: {
      const int only = 1 + static_cast<int>(random_.below(5));
      Node first = quoted(only);
      return {"schedule", "(length l: if l == " + std::to_string(only) + " { $0 } else { $1 })", {}, {},
              {std::move(first), schedule(depth - 1, 0)}};
    }
    case 2: {
      static constexpr const char* conditions[] = {"l % 2 == 0", "l > 4", "l < 3 or l == 7", "not (l <= 8)"};
      Node first = schedule(depth - 1, 0);
      return {"schedule", std::string("(length l: if ") + random_.pick(conditions) + " { $0 } else { split(max(l // 2, 1), $0, $1) })",
              {}, {}, {std::move(first), schedule(depth - 1, 0)}};
    }
    case 3: return named_schedule(depth);
    default: {
      Node first = stage(depth);
      return {"schedule", "($0 then $1)", "$0. then $1.", Binding::open, {std::move(first), schedule(depth - 1, 0)}};
    }
  }
}

}  // namespace reckon::differential
