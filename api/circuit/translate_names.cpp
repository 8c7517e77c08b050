// The names of a translated circuit: what its user chose, as far as no two things get one name.
#include <fmt/format.h>

#include <algorithm>

#include "api/circuit/translator.h"
#include "frontend/parse.h"

namespace reckon::circuit {
namespace {

bool is_identifier(const std::string& name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto more = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && letter(name[0]) && std::all_of(name.begin(), name.end(), more);
}

}  // namespace

void Translator::require_identifier(const std::string& name, const char* what, Place place) {
  if (!is_identifier(name)) {
    mistake(place, fmt::format("`{}` cannot be the name of {}", name, what), "not a name of the language",
            "a name has letters, digits and `_`, and begins with a letter");
  } else if (frontend::is_reserved(name)) {
    mistake(place, fmt::format("`{}` is a word of the language, and cannot be the name of {}", name, what),
            "not a name of the language", fmt::format("for example `{}_`", name));
  }
}

std::string Translator::unique(const std::string& wanted, const std::set<std::string>& more) {
  const std::string base = is_identifier(wanted) ? wanted : "t";
  std::string name = base;
  for (int k = 2; reserved_.contains(name) || more.contains(name) || frontend::is_reserved(name); ++k) {
    name = fmt::format("{}{}", base, k);
  }
  return name;
}

void Translator::reserve_names_of(const std::vector<const Node*>& nodes) {
  for (const Node* node : nodes) {
    if (node->kind == NodeKind::name || node->kind == NodeKind::size) reserved_.insert(node->text);
    if (node->kind == NodeKind::circuit) reserved_.insert(names_.at(node->definition.get()));
  }
}

/// The names of a circuit's head, and those that its body uses.
void Translator::reserve(const Definition* definition) {
  reserved_.clear();
  index_names_.clear();
  let_names_.clear();
  part_names_.clear();
  lets_ = 0;
  if (definition != nullptr) {
    reserved_.insert(definition->name);
    std::vector<const Node*> stack;
    for (const NodePointer& parameter : definition->parameters) {
      reserved_.insert(parameter->text);
      for (const NodePointer& child : parameter->children) stack.push_back(child.get());
    }
    for (const NodePointer& size : definition->statics) stack.push_back(size.get());
    std::vector<const Node*> head;
    while (!stack.empty()) {
      head.push_back(stack.back());
      stack.pop_back();
      for (const NodePointer& child : head.back()->children) stack.push_back(child.get());
    }
    reserve_names_of(head);
  }
  reserve_names_of(sharing_->nodes());
  name_indices();
  name_lets();
}

void Translator::name_indices() {
  const std::vector<BodyScope>& scopes = sharing_->scopes();
  std::vector<std::set<std::string>> around(
      scopes.size());  // of each scope: the names of its indices and of those outside
  std::set<std::string> all;
  for (std::uint32_t k = 1; k < scopes.size(); ++k) {
    around[k] = around[scopes[k].parent];
    for (const Node* index : scopes[k].bound) {
      std::string name = unique(index->text, around[k]);
      around[k].insert(name);
      all.insert(name);
      index_names_[{k, index}] = std::move(name);
    }
  }
  reserved_.insert(all.begin(), all.end());
}

void Translator::name_lets() {
  for (std::uint32_t scope = 0; scope < sharing_->scopes().size(); ++scope) {
    for (const Occurrence& here : sharing_->named(scope)) {
      const Node& node = *here.node;
      std::string base = node.kind == NodeKind::let || node.kind == NodeKind::parameter ? node.text
                         : node.kind == NodeKind::circuit                               ? "t"
                                                                                        : fmt::format("t{}", ++lets_);
      if (sharing_->is_named(here)) {
        base = unique(base);
        reserved_.insert(base);
        let_names_[here] = base;
      }
      if (!sharing_->is_apart(here)) continue;
      for (std::size_t k = 0; k < sharing_->parts(here); ++k) {
        std::string part = unique(fmt::format("{}_{}", base, k + 1));
        reserved_.insert(part);
        part_names_[here].push_back(std::move(part));
      }
    }
  }
}

}  // namespace reckon::circuit
