#include "kernel/interpret/trees.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

namespace reckon::kernel {

std::size_t Trees::Hash::operator()(const Term& term) const {
  std::uint64_t out = term.site.index;
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(term.leaf), std::uint64_t{term.left}, std::uint64_t{term.right} * 2 + term.joint}) {
    out = (out ^ part) * 0x9e3779b97f4a7c15;
    out ^= out >> 29;
  }
  return out;
}

TermId Trees::intern(const Term& term) {
  const auto [found, is_new] = interned_.try_emplace(term, static_cast<TermId>(terms_.size()));
  if (is_new) {
    terms_.push_back(term);
    counts_.push_back(term.leaf >= 0 ? 1 : counts_[term.left] + counts_[term.right]);
  }
  return found->second;
}

std::string Trees::text(TermId id, std::size_t most) const {
  if (id == 0) return "none";
  // An explicit stack: the tree of `seq` is as deep as it has leaves. 0 stands for a closing parenthesis, and what is
  // second in a pair has its space before it.
  std::string out;
  std::vector<std::pair<TermId, bool>> stack{{id, false}};
  while (!stack.empty()) {
    if (out.size() > most) return out + "...";
    const auto [at, is_second] = stack.back();
    stack.pop_back();
    if (at == 0) {
      out += ')';
      continue;
    }
    if (is_second) out += ' ';
    const Term& term = terms_[at];
    if (term.leaf >= 0) {
      out += std::to_string(term.leaf);
    } else {
      out += '(';
      stack.insert(stack.end(), {{0, false}, {term.right, true}, {term.left, false}});
    }
  }
  return out;
}

namespace {

std::string cut(std::string text, std::size_t most = 80) {
  if (text.size() > most) text = text.substr(0, most) + "...";
  return text;
}

}  // namespace

std::optional<std::string> TreeComparison::difference(TermId id, ir::NodeId site, ir::TreeId stated) {
  if (id == 0) return "the value is no node of a tree";
  std::vector<std::pair<TermId, ir::TreeId>> stack{{id, stated}};
  while (!stack.empty()) {
    const TermId at = stack.back().first;
    const ir::TreeId other = stack.back().second;
    stack.pop_back();
    const Term& term = terms_[at];
    const ir::TreeNode& node = stated_[other];
    if (term.site != site) return fmt::format("`{}` is of another reduction", terms_.text(at));
    if (!same_.insert(std::uint64_t{at} << 32 | other.index).second) continue;
    // Trees of very many leaves are not written out: their numbers of leaves say as much.
    const auto stated_text = [&] {
      constexpr std::int64_t few = 1000;
      return stated_.leaf_count(other) <= few ? "`" + cut(stated_.text(other)) + "`"
                                              : fmt::format("a tree of {} leaves", stated_.leaf_count(other));
    };
    const bool pairs = term.leaf < 0 && node.leaf < 0;
    if ((term.leaf < 0) != (node.leaf < 0) || (!pairs && term.leaf != node.leaf)) {
      return fmt::format("the kernel has `{}` where the schedule has {}", terms_.text(at), stated_text());
    }
    if (!pairs) continue;
    if (term.joint != node.joint) {
      return fmt::format("the kernel joins `{}` {}, where the schedule has {}", terms_.text(at),
                         term.joint ? "in one addition" : "in an addition of its own", stated_text());
    }
    const std::int64_t left = stated_.leaf_count(node.left), right = stated_.leaf_count(node.right);
    if (terms_.leaf_count(term.left) != left || terms_.leaf_count(term.right) != right) {
      return fmt::format("the kernel joins {} and {} leaves, `{}`, where the schedule joins {} and {}, {}",
                         terms_.leaf_count(term.left), terms_.leaf_count(term.right), terms_.text(at), left, right,
                         stated_text());
    }
    stack.push_back({term.right, node.right});
    stack.push_back({term.left, node.left});
  }
  return std::nullopt;
}

TermId TreeNumbers::term(ir::Scalar scalar, const std::byte* value) const {
  TermId out = 0;
  std::memcpy(&out, value + tag_at(scalar), sizeof out);
  return out;
}

void TreeNumbers::set_term(ir::Scalar scalar, std::byte* value, TermId term) const {
  std::memcpy(value + tag_at(scalar), &term, sizeof term);
}

void TreeNumbers::construct(ir::Scalar scalar, std::byte* data, std::size_t count) const {
  for (std::size_t k = 0; k < count; ++k, data += size(scalar)) {
    values_.construct(scalar, data, 1);
    set_term(scalar, data, 0);
  }
}

void TreeNumbers::destroy(ir::Scalar scalar, std::byte* data, std::size_t count) const {
  for (std::size_t k = 0; k < count; ++k, data += size(scalar)) values_.destroy(scalar, data, 1);
}

void TreeNumbers::copy(ir::Scalar scalar, const std::byte* from, std::byte* to) const {
  values_.copy(scalar, from, to);
  set_term(scalar, to, term(scalar, from));
}

std::optional<NoValue> TreeNumbers::constant(const Program& program, const Constant& constant, std::byte* out) {
  set_term(constant.type.scalar, out, constant.kind == Constant::Kind::neutral ? no_leaves : 0);
  return values_.constant(program, constant, out);
}

std::optional<NoValue> TreeNumbers::from_pattern(ir::Scalar scalar, std::uint64_t pattern, std::byte* out) {
  set_term(scalar, out, 0);
  return values_.from_pattern(scalar, pattern, out);
}

std::optional<std::uint64_t> TreeNumbers::pattern(ir::Scalar scalar, const std::byte* value) const {
  return values_.pattern(scalar, value);
}

std::optional<NoValue> TreeNumbers::from_index(ir::Scalar scalar, std::int64_t index, std::byte* out) {
  set_term(scalar, out, 0);
  return values_.from_index(scalar, index, out);
}

void TreeNumbers::from_flag(bool flag, std::byte* out) {
  set_term(ir::Scalar::boolean, out, 0);
  values_.from_flag(flag, out);
}

TermId TreeNumbers::term_of(const Calculation& calculation, Operands operands) const {
  std::size_t first = 0;
  if (calculation.op == ir::Op::select) {
    if (const auto chosen = values_.to_flag(operands[0])) return term(calculation.to, operands[*chosen ? 1 : 2]);
    first = 1;
  }
  TermId out = 0;
  for (const std::byte* operand : operands.subspan(first)) {
    const TermId one = term(calculation.from, operand);
    if (one == 0 || one == no_leaves) continue;
    if (out != 0 && out != one) return 0;
    out = one;
  }
  return out;
}

std::optional<NoValue> TreeNumbers::apply(const Calculation& calculation, Operands operands, std::byte* out,
                                          std::size_t count) {
  const bool chooses = calculation.op == ir::Op::select;
  std::optional<NoValue> first;
  std::array<const std::byte*, 4> at{};
  for (std::size_t e = 0; e < count; ++e) {
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const ir::Scalar scalar = chooses && k == 0 ? ir::Scalar::boolean : calculation.from;
      at[k] = operands[k] + e * size(scalar);
    }
    const Operands these(at.data(), operands.size());
    const TermId term = term_of(calculation, these);
    std::byte* to = out + e * size(calculation.to);
    auto none = values_.apply(calculation, these, to, 1);
    set_term(calculation.to, to, term);
    if (none && !none->goes_on) return none;
    if (!first) first = std::move(none);
  }
  return first;
}

std::optional<NoValue> TreeNumbers::mma_sum(const Products& products, ir::NodeId site, std::byte* out) {
  const auto length = static_cast<std::size_t>(products.unit.length);
  TermId sum = no_leaves;
  for (std::size_t k = 0; k < products.x.size(); ++k) {
    const TermId leaf = trees_.leaf(site, products.first_leaf + static_cast<std::int64_t>(k));
    const std::size_t first_pair = k < length ? 1 : k / length * length;
    sum = sum == no_leaves ? leaf : k > first_pair ? trees_.joint(site, sum, leaf) : trees_.pair(site, sum, leaf);
  }
  const ir::Scalar wide = ir::scalar_of(products.unit.accumulator);
  auto none = values_.mma_sum(products, site, out);
  set_term(wide, out, sum);
  return none;
}

void TreeNumbers::leaf(ir::NodeId site, ir::Scalar scalar, const std::byte* value, std::int64_t position,
                       std::byte* out) {
  values_.copy(scalar, value, out);
  // A negative position means that the value is no leaf.
  set_term(scalar, out, position < 0 ? 0 : trees_.leaf(site, position));
}

void TreeNumbers::node(ir::NodeId site, ir::Scalar scalar, const std::byte* value, const std::byte* left,
                       const std::byte* right, std::byte* out) {
  const TermId a = term(scalar, left), b = term(scalar, right);
  values_.copy(scalar, value, out);
  const bool some_missing = a == 0 || b == 0;
  set_term(scalar, out, some_missing ? 0 : a == no_leaves ? b : b == no_leaves ? a : trees_.pair(site, a, b));
}

void TreeNumbers::root(ir::NodeId site, ir::Scalar scalar, const std::byte* value, std::uint32_t block,
                       std::uint32_t thread, std::byte* out) {
  const Root root{site, block, thread, term(scalar, value)};
  if (met_.try_emplace(root, true).second) roots_.push_back(root);
  copy(scalar, value, out);
}

}  // namespace reckon::kernel
