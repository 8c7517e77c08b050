// Accuracy profiles: whether all operations of the inherited circuits have rules.
#include <algorithm>
#include <set>

#include "diagnostics/codes/profile_circular.h"
#include "diagnostics/codes/rule_missing.h"
#include "frontend/find_expression.h"
#include "frontend/profile_builder.h"
#include "ir/visit.h"

namespace reckon::frontend {

using ir::Op;
using ir::Profile;
using ir::Scalar;

namespace {

/// The place in an expression where it uses an operation, by name or by sign; else the whole expression.
SourceSpan use_of(const Elaborator& elaborator, const Context& context, ExprId id, std::string_view operation) {
  static constexpr std::pair<std::string_view, std::string_view> signs[] = {
      {"+", "add"}, {"-", "sub"}, {"*", "mul"}, {"/", "div"}, {"%", "rem"}};
  const Program& tree = elaborator.programs[context.program].tree;
  const auto use = find_expression(tree, id, [&](const Expr& at) -> std::optional<SourceSpan> {
    if (at.kind == ExprKind::call && tree[at.children[0]].text == operation) return at.operator_span;
    for (const auto& [sign, name] : signs) {
      if (at.kind == ExprKind::binary && at.text == sign && name == operation) return at.operator_span;
    }
    return std::nullopt;
  });
  return use.value_or(tree[id].span);
}

}  // namespace

bool rules_suffice(Elaborator& elaborator, ProfileBuilder& builder) {
  ir::Module& module = elaborator.module;
  using Key = std::pair<std::string, Scalar>;
  const Profile& profile = builder.profile;
  std::map<std::string, std::set<Key>> uses;  // of each circuit
  for (const ProfileBuilder::Circuit& circuit : builder.circuits) {
    std::set<Key>& keys = uses[std::string(module.name(circuit.function.name))];
    std::vector<ir::NodeId> bodies{circuit.function.body};
    std::set<ir::NodeId> known{circuit.function.body};
    const auto note = [&](ir::NodeId id) {
      const ir::Node& node = module[id];
      Op op = node.op;
      if (op == Op::call) {
        const ir::Function& callee = module.callee_of(node);
        std::vector<Scalar> arguments;
        for (ir::NodeId operand : node.operands) arguments.push_back(module.type(operand).scalar);
        const auto format = ir::ruled_format(scalars_of(module, node.type), arguments);
        const ir::Rule* rule = format ? profile.find(callee.builtin, *format) : nullptr;
        // It rests on its own rule if it has one, else on those of its operations.
        if (rule != nullptr && rule->definition == callee.span) keys.insert({callee.builtin, *format});
        else if (known.insert(callee.body).second) bodies.push_back(callee.body);
        return;
      }
      if (op == Op::reduce || op == Op::scan) {
        if (module.reduction_of(id).user) return;
        op = module.reduction_of(id).operation;
      }
      if (!ruled_operation(std::string(ir::traits(op).spelling))) return;
      const Key key{std::string(ir::traits(op).spelling), module.type(id).scalar};
      if (profile.find(key.first, key.second) != nullptr || !ir::goes_without_saying(op)) keys.insert(key);
    };
    while (!bodies.empty()) {
      const ir::NodeId body = bodies.back();
      bodies.pop_back();
      ir::visit_nodes(module, {body}, note);
    }
    for (const Key& key : keys) {
      if (profile.find(key.first, key.second) != nullptr) continue;
      const Scope empty;
      const SourceSpan use = use_of(elaborator, {circuit.program, &empty}, circuit.written, key.first);
      Diagnostic diagnostic(code::rule_missing, use,
                            fmt::format("the profile `{}` has no rule for {}", profile.name, place_of(key)));
      diagnostic.primary.text = "used by this circuit";
      diagnostic.secondary.push_back({profile.span, "the profile"});
      std::vector<std::string> others;
      for (Scalar format : profile.formats) {
        if (profile.find(key.first, format) != nullptr) others.emplace_back(ir::scalar_name(format));
      }
      diagnostic.helps.push_back(others.empty()
                                     ? fmt::format("give it one: `{} : ulps(4)`", key.first)
                                     : fmt::format("give it one, or say that this rule is for {} alone: `in {}`",
                                                   fmt::join(others, " and "), fmt::join(others, ", ")));
      elaborator.report(std::move(diagnostic));
      return false;
    }
  }

  // Depth first; `path` is where the search stands.
  std::set<Key> done;
  std::vector<Key> path;
  auto visit = [&](auto&& self, const Key& key) -> bool {
    if (done.contains(key)) return true;
    if (const auto begin = std::find(path.begin(), path.end(), key); begin != path.end()) {
      std::vector<std::string> names;
      for (auto at = begin; at != path.end(); ++at) names.push_back(fmt::format("`{}`", at->first));
      const ir::Rule& first = *profile.find(begin->first, begin->second);
      Diagnostic diagnostic(code::profile_circular, first.span,
                            fmt::format("the accuracy of {} rests on itself: {} by `{}`", place_of(*begin),
                                        fmt::join(names, " by "), begin->first));
      for (auto at = begin + 1; at != path.end(); ++at) {
        diagnostic.secondary.push_back({profile.find(at->first, at->second)->span, fmt::format("`{}`", at->first)});
      }
      diagnostic.helps.push_back("give one of them an accuracy of its own: `ulps(4)`, `absolute(0x1p-11)`");
      elaborator.report(std::move(diagnostic));
      return false;
    }
    const ir::Rule* rule = profile.find(key.first, key.second);
    if (rule == nullptr) return true;
    path.push_back(key);
    for (const ir::Choice& choice : rule->choices) {
      for (const ir::Piece& piece : choice.pieces) {
        if (piece.accuracy.kind != ir::Accuracy::Kind::circuit) continue;
        for (const Key& next : uses[piece.accuracy.circuit]) {
          if (!self(self, next)) return false;
        }
      }
    }
    path.pop_back();
    done.insert(key);
    return true;
  };
  for (const auto& [key, rule] : profile.rules) {
    if (!visit(visit, key)) return false;
  }
  return true;
}

}  // namespace reckon::frontend
