// Writes index expressions, types and schedules, for messages and for printed IR. If a store keeps operands in the
// order of their ids, they are written in the order of their texts, so that the text depends on the expression
// alone.
#include <algorithm>
#include <array>

#include "ir/printer.h"

namespace reckon::ir {
namespace {

// Binding strengths of the language: or, and, comparison, sum, product, atom.
enum Strength { weakest = 0, or_level, and_level, not_level, comparison, additive, multiplicative, atom };

std::string variable_text(VariableId variable) {
  if (variable.temporary()) return "%t" + std::to_string(variable.index - VariableId::first_temporary);
  return "%" + std::to_string(variable.index);
}

class IndexPrinter {
 public:
  explicit IndexPrinter(const Module& module) : module_(module) {}

  std::string text(IndexId id, Strength around) const {
    const IndexNode& node = module_.indices()[id];
    Strength own = atom;
    std::string out;
    auto both = [&](Strength strength, const char* sign) {
      own = strength;
      // The left operand may have the same strength, the right one must bind tighter; comparisons do not chain.
      const auto left = strength == comparison ? Strength(strength + 1) : strength;
      out = text(node.operands[0], left) + sign + text(node.operands[1], Strength(strength + 1));
    };
    auto either = [&](Strength strength, const char* sign) {
      own = strength;
      const auto parts = sorted(node, Strength(strength + 1));
      out = parts[0] + sign + parts[1];
    };
    switch (node.op) {
      case IndexOp::constant:
        out = std::to_string(node.value);
        if (node.value < 0) own = additive;
        break;
      case IndexOp::dimension: out = name_text(module_.name(node.symbol)); break;
      case IndexOp::variable: out = variable_text(node.variable); break;
      case IndexOp::sum: out = sum(node, own); break;
      case IndexOp::product:
        own = multiplicative;
        for (const std::string& factor : sorted(node, atom)) out += (out.empty() ? "" : "*") + factor;
        break;
      case IndexOp::floor_div: both(multiplicative, " // "); break;
      case IndexOp::floor_mod: both(multiplicative, " % "); break;
      case IndexOp::minimum: out = call("min", node); break;
      case IndexOp::maximum: out = call("max", node); break;
      case IndexOp::less: both(comparison, " < "); break;
      case IndexOp::less_equal: both(comparison, " <= "); break;
      case IndexOp::equal: either(comparison, " == "); break;
      case IndexOp::logical_and: either(and_level, " and "); break;
      case IndexOp::logical_or: either(or_level, " or "); break;
      case IndexOp::logical_not:
        own = not_level;
        out = "not " + text(node.operands[0], not_level);
        break;
    }
    return own < around ? "(" + out + ")" : out;
  }

 private:
  std::string call(const char* name, const IndexNode& node) const {
    const auto parts = sorted(node, weakest);
    return std::string(name) + "(" + parts[0] + ", " + parts[1] + ")";
  }

  bool is_division(IndexId id) const {
    const IndexOp op = module_.indices()[id].op;
    return op == IndexOp::floor_div || op == IndexOp::floor_mod;
  }

  std::vector<std::string> sorted(const IndexNode& node, Strength around) const {
    std::vector<std::string> out;
    for (IndexId operand : node.operands) out.push_back(text(operand, around));
    std::sort(out.begin(), out.end());
    return out;
  }

  std::string sum(const IndexNode& node, Strength& own) const {
    own = node.operands.size() + (node.value != 0) > 1 ? additive : multiplicative;
    std::string out;
    // Positive terms first: `n - 1`, not `-1 + n`.
    std::vector<std::size_t> order(node.operands.size());
    std::vector<std::string> terms;
    for (std::size_t k = 0; k < order.size(); ++k) {
      order[k] = k;
      const std::int64_t c = node.coefficients[k];
      terms.push_back(text(node.operands[k], c == 1 || c == -1 ? multiplicative : atom));
    }
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return terms[a] < terms[b]; });
    std::stable_partition(order.begin(), order.end(), [&](std::size_t k) { return node.coefficients[k] > 0; });
    auto add = [&](bool negative, const std::string& term) {
      if (out.empty()) out = (negative ? "-" : "") + term;
      else out += (negative ? " - " : " + ") + term;
    };
    const bool constant_first = node.value > 0 && !order.empty() && node.coefficients[order[0]] < 0;
    auto constant_term = [&] {
      if (node.value == 0) return;
      std::string digits = std::to_string(node.value);
      add(node.value < 0, node.value < 0 ? digits.substr(1) : digits);
    };
    if (constant_first) constant_term();
    for (std::size_t k : order) {
      const std::int64_t c = node.coefficients[k];
      std::string digits = std::to_string(c);
      if (c < 0) digits = digits.substr(1);
      // A leading minus sign binds tighter than `//` and `%`.
      const bool leading = out.empty() && c == -1;
      const std::string term = leading && is_division(node.operands[k]) ? text(node.operands[k], atom) : terms[k];
      if (out.empty() && c < 0) own = additive;
      add(c < 0, digits == "1" ? term : digits + "*" + term);
    }
    if (!constant_first) constant_term();
    return out;
  }

  const Module& module_;
};

class SchedulePrinter {
 public:
  explicit SchedulePrinter(const Module& module) : module_(module) {}

  /// `inner`: within a `then` or an argument list, where `length` needs parentheses.
  std::string text(ScheduleId id, bool inner) const {
    const ScheduleNode& node = module_.schedules()[id];
    if (node.level == MachineLevel::none) return unpinned(node, inner);
    return unpinned(node, true) + " @" + std::string(machine_level_name(node.level));
  }

 private:
  std::string unpinned(const ScheduleNode& node, bool inner) const {
    const ScheduleStore& store = module_.schedules();
    auto parameter = [&] { return index_text(module_, node.parameter); };
    switch (node.op) {
      case ScheduleOp::any_depth: return "any(depth: " + parameter() + ")";
      case ScheduleOp::any_lanes: return "any(lanes: " + parameter() + ")";
      case ScheduleOp::quoted: return "'" + store.trees().text(node.tree);
      case ScheduleOp::then:
      case ScheduleOp::stage_then: return text(node.operands[0], true) + " then " + text(node.operands[1], true);
      case ScheduleOp::length: {
        const std::string out = "length " + variable_text(node.variable) + ": " + text(node.operands[0], false);
        return inner ? "(" + out + ")" : out;
      }
      case ScheduleOp::conditional:
        return "if " + parameter() + " { " + text(node.operands[0], false) + " } else { " +
               text(node.operands[1], false) + " }";
      case ScheduleOp::reference: return name_text(module_.name(node.symbol));
      default: break;
    }
    const Form& form = *form_of(node);
    std::string taken;
    if (takes_size(form.takes)) taken = parameter();
    if (node.mma) taken = tensor_cores_text(*node.mma);
    if (form.takes == FormTakes::layout_schedule) taken = arrangement_text(store.arrangement_of(node));
    for (ScheduleId operand : node.operands) taken += (taken.empty() ? "" : ", ") + text(operand, false);
    return std::string(form.name) + (taken.empty() ? "" : "(" + taken + ")");
  }

  /// `hopper`, `hopper, f32`, `hopper, f32, f16`
  static std::string tensor_cores_text(const TensorCores& cores) {
    std::string out(numerics::mma_model_names[static_cast<std::size_t>(cores.model)]);
    for (const auto& format : {cores.accumulator, cores.operand}) {
      if (format) out += ", " + std::string(numerics::traits(*format).name);
    }
    return out;
  }

  /// `((4, 2), _):((2, 1), 8)`: always two modes, the run's and the last; of a composed one, within its stages.
  static std::string arrangement_text(const Arrangement& arrangement) {
    using Mode = Arrangement::Mode;
    auto integers = [](const std::vector<Mode>& modes, std::int64_t Mode::*part) {
      if (modes.size() == 1) return std::to_string(modes[0].*part);
      std::string out;
      for (const Mode& mode : modes) out += (out.empty() ? "(" : ", ") + std::to_string(mode.*part);
      return out + ")";
    };
    const std::string last = arrangement.open ? "_" : integers(arrangement.runs, &Mode::extent);
    return composed_text(arrangement.stages,
                         "(" + integers(arrangement.run, &Mode::extent) + ", " + last + "):(" +
                             integers(arrangement.run, &Mode::stride) + ", " +
                             integers(arrangement.runs, &Mode::stride) + ")");
  }

  const Module& module_;
};

}  // namespace

std::string quoted_text(std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += {'\\', c};
    else if (byte < 0x20 || byte == 0x7f) out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    else out += c;
  }
  return out + "\"";
}

std::string name_text(std::string_view name) {
  // Words that mean something else where a name may stand in printed IR; so do the names of forms of schedules.
  constexpr std::array reserved{"and",    "bf16",  "bool",    "by",       "compose", "else", "f16",  "f32",
                                "f64",    "false", "fn",      "if",       "length",  "max",  "min",  "not",
                                "number", "or",    "require", "schedule", "then",    "true", "with", "yield"};
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  auto allowed = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  const bool plain = !name.empty() && letter(name[0]) && std::all_of(name.begin(), name.end(), allowed) &&
                     std::find(reserved.begin(), reserved.end(), name) == reserved.end() &&
                     Forms::standard().named(name) == nullptr;
  return plain ? std::string(name) : quoted_text(name);
}

std::string index_text(const Module& module, IndexId index) { return IndexPrinter(module).text(index, weakest); }

namespace {

/// The leaves between a pair of brackets.
std::string tuple_text(const Module& module, const IndexTuple& tuple, const char* brackets) {
  if (tuple.is_leaf()) return index_text(module, tuple.leaf);
  std::string out;
  for (const IndexTuple& element : tuple.elements) {
    out += (out.empty() ? "" : ", ") + tuple_text(module, element, brackets);
  }
  return brackets[0] + out + brackets[1];
}

std::string layout_text(const Module& module, const IndexLayout& layout, const char* brackets) {
  return tuple_text(module, layout.shape, brackets) + ":" + tuple_text(module, layout.stride, brackets);
}

}  // namespace

std::string layout_text(const Module& module, const IndexLayout& layout) { return layout_text(module, layout, "()"); }

std::string composed_text(const std::vector<layout::Stage>& stages, std::string inner) {
  for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
    const auto* swizzle = std::get_if<layout::Swizzle>(&stage->map);
    const std::string map = swizzle ? "swizzle(" + std::to_string(swizzle->bits) + ", " +
                                          std::to_string(swizzle->base) + ", " + std::to_string(swizzle->shift) + ")"
                                    : std::get<layout::Layout>(stage->map).text();
    inner = "compose(" + map + ", " + std::to_string(stage->offset) + ", " + inner + ")";
  }
  return inner;
}

std::string storage_text(const Module& module, const Storage& storage) {
  return composed_text(storage.stages, layout_text(module, storage.layout, "[]"));
}

std::string schedule_text(const Module& module, ScheduleId schedule) {
  return SchedulePrinter(module).text(schedule, false);
}

std::string type_text(const Module& module, TypeId id) {
  const Type& type = module.types()[id];
  if (type.kind == TypeKind::scalar) return std::string(scalar_name(type.scalar));
  std::string out;
  if (type.kind == TypeKind::tuple) {
    for (TypeId part : type.parts) out += (out.empty() ? "" : ", ") + type_text(module, part);
    return "(" + out + (type.parts.size() == 1 ? ",)" : ")");
  }
  for (IndexId extent : type.extents) out += (out.empty() ? "" : ", ") + index_text(module, extent);
  return std::string(scalar_name(type.scalar)) + "[" + out + "]";
}

}  // namespace reckon::ir
