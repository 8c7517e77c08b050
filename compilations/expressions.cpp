#include "compilations/expressions.h"

#include <fmt/format.h>

namespace reckon::compilations {

using ir::Op;

namespace {
constexpr std::size_t longest = 200;
}  // namespace

void Expressions::write(ExpressionId id, int around, std::string& out) const {
  if (out.size() > longest) return;
  const Expression& e = list_[id];
  if (!e.leaf.empty()) {
    // A negative number is a sum's or product's operand in parentheses only.
    const bool closed = e.leaf.front() != '-' || around == 0;
    out += closed ? e.leaf : "(" + e.leaf + ")";
    return;
  }
  const auto infix = [&](std::string_view sign, int level, int right) {
    if (level < around) out += '(';
    write(e.operands[0], level, out);
    out += sign;
    write(e.operands[1], right, out);
    if (level < around) out += ')';
  };
  switch (e.op) {
    case Op::add: {
      // x + (-y)
      const Expression& last = list_[e.operands[1]];
      if (last.op != Op::neg || !last.leaf.empty()) return infix(" + ", 1, 2);
      if (around > 1) out += '(';
      write(e.operands[0], 1, out);
      out += " - ";
      write(last.operands[0], 2, out);
      if (around > 1) out += ')';
      return;
    }
    case Op::sub: return infix(" - ", 1, 2);
    case Op::mul: return infix(" * ", 2, 3);
    case Op::div: return infix(" / ", 2, 3);
    case Op::neg:
      out += around > 0 ? "(-" : "-";
      write(e.operands[0], 3, out);
      if (around > 0) out += ')';
      return;
    default: break;
  }
  out += ir::traits(e.op).spelling;
  out += '(';
  for (int k = 0; k < e.count; ++k) {
    if (k > 0) out += ", ";
    write(e.operands[k], 0, out);
  }
  out += ')';
}

std::string Expressions::text(ExpressionId id) const {
  std::string out;
  write(id, 0, out);
  if (out.size() > longest) out = out.substr(0, longest) + " ...";
  return out;
}

}  // namespace reckon::compilations
