#include "frontend/name_places.h"

#include <map>

#include "frontend/find_expression.h"
#include "ir/type.h"

namespace reckon::frontend {

namespace {

class Walk {
 public:
  Walk(const Program& program, const std::function<bool(const std::string&)>& is_known)
      : program_(program), is_known_(is_known) {}

  NamePlaces run() {
    for (const Item& item : program_.items) define_global(item);
    for (const Item& item : program_.items) walk(item);
    if (program_.result.valid()) walk(program_.result);
    return std::move(out_);
  }

 private:
  /// A step of a walk over an expression. Trees may be deep, and so the steps that are left stand on a stack of their own.
  struct Step {
    enum class Kind : std::uint8_t { visit, type, bind, leave } kind{};
    ExprId expression{};
    NameDefinition definition{};
    std::size_t bound = 0;            ///< leave: how many local names are in scope outside
    const TypeExpr* type = nullptr;
  };

  const Expr& at(ExprId id) const { return program_[id]; }

  void define_global(const Item& item) {
    if (!defines(item.kind)) return;
    const auto kind = item.kind == ItemKind::fn        ? NameKind::circuit
                      : item.kind == ItemKind::let     ? NameKind::value
                      : item.kind == ItemKind::type    ? NameKind::type
                      : item.kind == ItemKind::profile ? NameKind::profile
                                                       : NameKind::kernel;
    globals_[item.name] = out_.definitions.size();
    out_.definitions.push_back({item.name, kind, item.name_span, item.span, {}});
  }

  void bind(NameDefinition definition) {
    locals_.emplace_back(definition.name, out_.definitions.size());
    out_.definitions.push_back(std::move(definition));
  }

  std::optional<std::size_t> find_local(const std::string& name) const {
    for (auto local = locals_.rbegin(); local != locals_.rend(); ++local) {
      if (local->first == name) return local->second;
    }
    return std::nullopt;
  }

  void use(const std::string& name, SourceSpan span) {
    auto definition = find_local(name);
    if (const auto global = globals_.find(name); !definition && global != globals_.end()) definition = global->second;
    // A dimension is defined where it first stands alone, among the other dimensions.
    if (definition && out_.definitions[*definition].span == span) return;
    out_.uses.push_back({name, span, definition});
  }
  void use(const Word& word) {
    if (!word.text.empty()) use(word.text, word.span);
  }

  void walk(const Item& item) {
    locals_.clear();
    for (std::size_t k = 0; k < item.static_parameters.size(); ++k) {
      const SourceSpan span = item.static_parameter_spans[k];
      bind({item.static_parameters[k], NameKind::static_parameter, span, span, item.span});
    }
    for (const StaticRange& range : item.repeated_for) {
      for (const ExprId each : range.values) walk(each);
      bind({range.name.text, NameKind::static_parameter, range.name.span, range.name.span, item.span});
    }
    bind_dimensions(item);
    for (const ParameterDecl& parameter : item.parameters) {
      walk(parameter.type);
      if (!parameter.range) continue;
      walk(parameter.range->low);
      walk(parameter.range->high);
    }
    if (item.result) walk(*item.result);
    // The parts of a type are no names by themselves.
    for (const ParameterDecl& parameter : item.parameters) {
      if (item.kind == ItemKind::type) break;
      const SourceSpan whole{parameter.span.file, parameter.span.begin, parameter.type.span.end};
      bind({parameter.name, NameKind::parameter, parameter.span, whole, item.span});
    }
    for (const ForClause& clause : item.clauses) {
      if (clause.kind == ForClause::Kind::condition || find_local(clause.name)) continue;
      bind({clause.name, NameKind::argument, clause.name_span, clause.span, item.span});
    }
    if (item.part && item.part->index > 0) return;  // the body was looked at with the first name
    for (const ExprId each : {item.body, item.right, item.tolerance.low, item.tolerance.high, item.tolerance.order,
                              item.trials, item.seed}) {
      walk(each);
    }
    if (item.semantics) {
      use(item.semantics->name, item.semantics->span);
      for (const ExprId each : item.semantics->arguments) walk(each);
    }
    for (const ForClause& clause : item.clauses) {
      for (const ExprId each : clause.values) walk(each);
    }
    for (const ClauseDecl& clause : item.clauses_of_kernel) {
      for (const ExprId each : clause.arguments) walk(each);
    }
    if (item.kind == ItemKind::profile) walk(item.profile);
  }

  /// As the elaborator does: names that stand alone first, then what only computed dimensions have.
  void bind_dimensions(const Item& item) {
    const std::vector<ExprId> all = dimensions_of(item);
    const auto bind_dimension = [&](const Expr& name) {
      bind({name.text, NameKind::dimension, name.span, name.span, item.span});
    };
    for (const ExprId each : all) {
      const Expr& written = at(each);
      if (written.kind == ExprKind::name && !find_local(written.text) && !ir::scalar_named(written.text)) bind_dimension(written);
    }
    for (const ExprId each : all) {
      const auto next = [&](const Expr& inner) {
        const bool known = inner.kind != ExprKind::name || find_local(inner.text) || globals_.contains(inner.text) ||
                           is_known_(inner.text);
        return known ? nullptr : &inner;
      };
      while (const Expr* unbound = find_expression(program_, each, next)) bind_dimension(*unbound);
    }
  }

  void walk(const TypeExpr& type) {
    if (!type.name.empty()) {
      const auto end = type.span.begin + static_cast<std::uint32_t>(type.name.size());
      use(type.name, {type.span.file, type.span.begin, end});
    }
    for (const ExprId each : type.dims) walk(each);
    walk(type.storage);
    for (const TypeExpr& part : type.parts) walk(part);
  }

  void walk(const ProfileDecl& profile) {
    use(profile.base);
    for (const SettingDecl& setting : profile.settings) {
      for (const Word& format : setting.parts) {
        if (setting.name.text == "formats") use(format);
      }
    }
    for (const RuleDecl& rule : profile.rules) walk(rule);
  }

  void walk(const RuleDecl& rule) {
    for (const RuleDecl::Operation& operation : rule.operations) {
      use(operation.name);
      for (std::size_t k = 0; k < operation.parameters.size(); ++k) {
        const SourceSpan span = operation.parameter_spans[k];
        if (find_local(operation.parameters[k])) continue;  // of another operation of the rule
        bind({operation.parameters[k], NameKind::parameter, span, span, rule.span});
      }
    }
    for (const Word& format : rule.formats) use(format);
    for (const PieceDecl& piece : rule.pieces) {
      walk(piece.accuracy);
      for (const DomainDecl& domain : piece.domains) {
        use(domain.function);
        use(domain.parameter);
        for (const auto& [low, high] : domain.ranges) {
          walk(low);
          walk(high);
        }
        walk(domain.left);
        walk(domain.right);
      }
    }
    locals_.clear();
  }

  void walk(ExprId root) {
    if (!root.valid()) return;
    std::vector<Step> left{{Step::Kind::visit, root}};
    while (!left.empty()) {
      const Step step = std::move(left.back());
      left.pop_back();
      switch (step.kind) {
        case Step::Kind::visit: visit(at(step.expression), left); break;
        case Step::Kind::type: walk(*step.type); break;
        case Step::Kind::bind: bind(step.definition); break;
        case Step::Kind::leave: locals_.resize(step.bound); break;
      }
    }
  }

  bool is_call_of_ptx(const Expr& expression) const {
    return expression.kind == ExprKind::call && at(expression.children[0]).text == "ptx";
  }

  /// Notes a name, or puts the steps of the parts on the stack, the last first.
  void visit(const Expr& expression, std::vector<Step>& left) {
    if (expression.kind == ExprKind::name) return use(expression.text, expression.span);
    std::vector<Step> steps;
    const auto then_visit = [&](ExprId id) {
      if (id.valid()) steps.push_back({Step::Kind::visit, id});
    };
    const auto then_bind = [&](const std::string& name, NameKind kind, SourceSpan span, SourceSpan whole) {
      steps.push_back({Step::Kind::bind, {}, {name, kind, span, whole, expression.span}});
    };
    // Before the names: the operation of a `reduce`.
    then_visit(expression.operation);
    then_visit(expression.start);
    const auto kind = expression.kind == ExprKind::length ? NameKind::length : NameKind::index;
    for (const BinderName& name : expression.names) {
      then_visit(name.bound);
      then_bind(name.name, kind, name.span, name.span);
    }
    then_visit(expression.guard);
    for (const LetBinding& let : expression.lets) {
      if (let.type) steps.push_back({Step::Kind::type, {}, {}, 0, &*let.type});
      then_visit(let.value);
      for (std::size_t k = 0; k < let.names.size(); ++k) {
        const SourceSpan end = at(let.value).span;
        then_bind(let.names[k], NameKind::local, let.spans[k], {let.spans[k].file, let.spans[k].begin, end.end});
      }
    }
    if (is_call_of_ptx(expression)) {
      // A name before a colon is a word, an input of the kernel, or a size, which the whole call may use.
      for (const ExprId child : expression.children) {
        const Expr& part = at(child);
        if (part.kind != ExprKind::colon || at(part.children[1]).kind != ExprKind::list) continue;
        then_visit(part.children[1]);
        const Expr& size = at(part.children[0]);
        then_bind(size.text, NameKind::dimension, size.span, part.span);
      }
      for (const ExprId child : expression.children) {
        const Expr& part = at(child);
        if (part.kind != ExprKind::colon) then_visit(child);
        else if (at(part.children[1]).kind != ExprKind::list) then_visit(part.children[1]);
      }
    } else {
      for (const ExprId child : expression.children) then_visit(child);
    }
    steps.push_back({Step::Kind::leave, {}, {}, locals_.size()});
    then_visit(expression.schedule);
    then_visit(expression.otherwise);
    left.insert(left.end(), std::make_move_iterator(steps.rbegin()), std::make_move_iterator(steps.rend()));
  }

  const Program& program_;
  const std::function<bool(const std::string&)>& is_known_;
  std::map<std::string, std::size_t> globals_;
  std::vector<std::pair<std::string, std::size_t>> locals_;
  NamePlaces out_;
};

}  // namespace

NamePlaces name_places(const Program& program, const std::function<bool(const std::string&)>& is_known) {
  return Walk(program, is_known).run();
}

}  // namespace reckon::frontend
