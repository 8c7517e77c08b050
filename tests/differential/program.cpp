#include "tests/differential/program.h"

namespace reckon::differential {
namespace {

void write(const Node& node, Spelling spelling, std::string& out);

/// `other` patterns say of each operand how loosely it may bind: `$0` an atom, `$0*` a product, `$0+` a sum, `$0.`
/// anything.
void write_operand(const Node& node, char looseness, std::string& out) {
  const Binding allowed = looseness == '*'   ? Binding::product
                          : looseness == '+' ? Binding::sum
                          : looseness == '.' ? Binding::open
                                             : Binding::atom;
  const bool closed = node.other.empty() || node.binding <= allowed;
  if (!closed) out += '(';
  write(node, Spelling::other, out);
  if (!closed) out += ')';
}

void write(const Node& node, Spelling spelling, std::string& out) {
  const bool other = spelling == Spelling::other && !node.other.empty();
  const std::string& pattern = other ? node.other : node.pattern;
  for (std::size_t k = 0; k < pattern.size(); ++k) {
    if (pattern[k] != '$') {
      out += pattern[k];
      continue;
    }
    const char which = pattern[++k];
    if (which == ',' || which == ';') {
      for (std::size_t c = 0; c < node.children.size(); ++c) {
        if (c > 0) out += which == ',' ? ", " : "\n";
        write(node.children[c], spelling, out);
      }
      continue;
    }
    const Node& child = node.children[static_cast<std::size_t>(which - '0')];
    const char looseness = k + 1 < pattern.size() ? pattern[k + 1] : ' ';
    const bool said = other && (looseness == '*' || looseness == '+' || looseness == '.');
    if (spelling == Spelling::other) write_operand(child, said ? looseness : ' ', out);
    else write(child, spelling, out);
    if (said) ++k;
  }
}

}  // namespace

std::string text(const Node& node, Spelling spelling) {
  std::string out;
  write(node, spelling, out);
  return out;
}

std::size_t size(const Node& node) {
  std::size_t out = 1;
  for (const Node& child : node.children) out += size(child);
  return out;
}

}  // namespace reckon::differential
