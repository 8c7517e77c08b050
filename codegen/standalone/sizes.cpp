// Expressions over the dimensions in other languages.
#include <fmt/format.h>

#include "codegen/standalone/interface.h"

namespace reckon::codegen {
namespace {

using ir::IndexId;
using ir::IndexNode;
using ir::IndexOp;

std::string number(std::int64_t value) {
  // The least number has no literal of its own in C++.
  if (value == INT64_MIN) return "(-9223372036854775807 - 1)";
  return value < 0 ? fmt::format("({})", value) : std::to_string(value);
}

std::string call(const char* function, const std::string& x, const std::string& y) {
  return fmt::format("exact.{}({}, {})", function, x, y);
}

}  // namespace

std::string cpp_size(const Standalone& circuit, IndexId id) {
  const IndexNode& node = circuit.module.indices()[id];
  const auto part = [&](std::size_t k) { return cpp_size(circuit, node.operands[k]); };
  const auto compared = [&](const char* sign) { return fmt::format("({} {} {})", part(0), sign, part(1)); };
  switch (node.op) {
    case IndexOp::constant: return number(node.value);
    case IndexOp::dimension: return circuit.names.name_of(circuit.plan, node.symbol);
    case IndexOp::variable: return "0";  // sizes have none
    case IndexOp::sum: {
      std::string total;
      for (std::size_t k = 0; k < node.operands.size(); ++k) {
        const std::int64_t coefficient = node.coefficients[k];
        const std::string term = coefficient == 1 ? part(k) : call("times", number(coefficient), part(k));
        total = total.empty() ? term : call("plus", total, term);
      }
      return node.value == 0 && !total.empty() ? total : call("plus", total.empty() ? "0" : total, number(node.value));
    }
    case IndexOp::product: {
      std::string total = part(0);
      for (std::size_t k = 1; k < node.operands.size(); ++k) total = call("times", total, part(k));
      return total;
    }
    case IndexOp::floor_div: return call("quotient", part(0), part(1));
    case IndexOp::floor_mod: return call("remainder", part(0), part(1));
    case IndexOp::minimum: return call("least", part(0), part(1));
    case IndexOp::maximum: return call("greatest", part(0), part(1));
    case IndexOp::less: return compared("<");
    case IndexOp::less_equal: return compared("<=");
    case IndexOp::equal: return compared("==");
    case IndexOp::logical_and: return compared("&&");
    case IndexOp::logical_or: return compared("||");
    case IndexOp::logical_not: return fmt::format("(!{})", part(0));
  }
  return "0";
}

std::string python_size(const Standalone& circuit, IndexId id) {
  const IndexNode& node = circuit.module.indices()[id];
  const auto part = [&](std::size_t k) { return python_size(circuit, node.operands[k]); };
  const auto between = [&](const char* sign) { return fmt::format("({} {} {})", part(0), sign, part(1)); };
  switch (node.op) {
    case IndexOp::constant: return node.value < 0 ? fmt::format("({})", node.value) : std::to_string(node.value);
    case IndexOp::dimension: return circuit.names.name_of(circuit.plan, node.symbol);
    case IndexOp::variable: return "0";
    case IndexOp::sum: {
      std::string total = node.value == 0 ? "" : std::to_string(node.value);
      for (std::size_t k = 0; k < node.operands.size(); ++k) {
        const std::int64_t coefficient = node.coefficients[k];
        total +=
            (total.empty() ? "" : " + ") + (coefficient == 1 ? part(k) : fmt::format("{} * {}", coefficient, part(k)));
      }
      return "(" + (total.empty() ? "0" : total) + ")";
    }
    case IndexOp::product: {
      std::string total = part(0);
      for (std::size_t k = 1; k < node.operands.size(); ++k) total += " * " + part(k);
      return "(" + total + ")";
    }
    case IndexOp::floor_div: return between("//");
    case IndexOp::floor_mod: return between("%");
    case IndexOp::minimum: return fmt::format("min({}, {})", part(0), part(1));
    case IndexOp::maximum: return fmt::format("max({}, {})", part(0), part(1));
    case IndexOp::less: return between("<");
    case IndexOp::less_equal: return between("<=");
    case IndexOp::equal: return between("==");
    case IndexOp::logical_and: return between("and");
    case IndexOp::logical_or: return between("or");
    case IndexOp::logical_not: return fmt::format("(not {})", part(0));
  }
  return "0";
}

}  // namespace reckon::codegen
