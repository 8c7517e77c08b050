// The private header of the translation: one walk over the nodes of a circuit.
#pragma once

#include <optional>
#include <set>

#include "api/circuit/sharing.h"
#include "api/circuit/translate.h"

namespace reckon::circuit {

class Translator {
 public:
  Translator(Translation& out, const DefinitionNames& names) : out_(out), names_(names) {}

  void definition(const Definition& definition);
  /// An expression with blocks for what it shares.
  frontend::ExprId whole(const NodePointer& root);
  void claim(const Claim& claim);

 private:
  using ExprId = frontend::ExprId;

  // Names (translate_names.cpp)
  void reserve(const Definition* definition);
  void reserve_names_of(const std::vector<const Node*>& nodes);
  void name_indices();
  void name_lets();
  std::string unique(const std::string& wanted, const std::set<std::string>& more = {});
  void require_identifier(const std::string& name, const char* what, Place place);

  // Expressions (translate_expression.cpp)
  /// The value of a scope: a block, if some of its values have names.
  ExprId block(const Node& root, std::uint32_t scope, Place place);
  ExprId expression(const Node& node, std::uint32_t scope, const CppPlace& user);
  ExprId built(const Node& node, std::uint32_t scope, const CppPlace& user);
  ExprId leaf(const Node& node, std::uint32_t scope, const CppPlace& user);
  ExprId number(const Node& node, const CppPlace& user);
  ExprId binder(const Node& node, std::uint32_t scope, const CppPlace& user);
  ExprId compound(frontend::ExprKind kind, const Node& node, std::uint32_t scope, const CppPlace& user);
  ExprId index(const Node& node, std::uint32_t scope, const CppPlace& user);
  ExprId parameter(const Node& node, const CppPlace& user);
  std::optional<frontend::BinderName> range(const Node& node, std::uint32_t inside, Place place);
  void bindings(std::uint32_t scope, std::vector<frontend::LetBinding>& out);
  ExprId named(const std::string& name, const CppPlace& user);
  ExprId add(frontend::Expr expression);

  // Items
  frontend::TypeExpr type(const Node& node, Place place);
  ExprId header(const Node& node, Place place);
  void tolerance(const Claim& claim, frontend::Item& item);
  void clauses(const Claim& claim, frontend::Item& item);

  SourceSpan span(const CppPlace& place);
  void mistake(const CppPlace& place, std::string message, std::string label, std::string help = {}) {
    out_.mistakes.push_back({std::move(message), std::move(label), std::move(help), place});
  }

  Translation& out_;
  const DefinitionNames& names_;
  const Definition* definition_ = nullptr;
  std::optional<Sharing> sharing_;
  std::set<std::string> reserved_;
  std::map<std::pair<std::uint32_t, const Node*>, std::string> index_names_;
  std::map<Occurrence, std::string> let_names_;
  std::map<Occurrence, std::vector<std::string>> part_names_;
  /// While the ranges of a binder are translated: its body's scope, whose names are not known there.
  std::uint32_t nameless_ = ~std::uint32_t{0};
  std::uint32_t lets_ = 0;
};

}  // namespace reckon::circuit
