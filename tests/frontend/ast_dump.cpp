#include "ast_dump.h"

#include <fmt/format.h>

namespace reckon::frontend::testing {

namespace {

std::string_view word(BinderKind kind) {
  constexpr std::string_view words[] = {"for", "sum", "prod", "min", "max", "reduce", "scan", "fold"};
  return words[static_cast<int>(kind)];
}

class Dump {
 public:
  explicit Dump(const Program& program) : program_(program) {}

  std::string take() { return std::move(out_); }

  void expression(ExprId id) {
    if (!id.valid()) {
      out_ += "?";
      return;
    }
    const Expr& e = program_[id];
    switch (e.kind) {
      case ExprKind::number:
        out_ += e.value.get_str();
        if (!e.integer_spelling && e.value.get_den() == 1) out_ += ".";
        break;
      case ExprKind::bit_pattern: out_ += fmt::format("{}#{:x}", e.text, e.bits); break;
      case ExprKind::string: out_ += fmt::format("\"{}\"", e.text); break;
      case ExprKind::boolean: out_ += e.bits != 0 ? "true" : "false"; break;
      case ExprKind::name: out_ += e.text; break;
      case ExprKind::unary:
      case ExprKind::binary: form(e.text, e); break;
      case ExprKind::call: form("call", e); break;
      case ExprKind::index: form("index", e); break;
      case ExprKind::tuple: form("tuple", e); break;
      case ExprKind::list: form("list", e); break;
      case ExprKind::colon: form(":", e); break;
      case ExprKind::conditional: form("if", e); break;
      case ExprKind::then: form("then", e); break;
      case ExprKind::member: form("." + e.text, e); break;
      case ExprKind::pinned: form("@" + e.text, e); break;
      case ExprKind::length:
        out_ += fmt::format("(length {} ", e.names.at(0).name);
        expression(e.children.at(0));
        out_ += ')';
        break;
      case ExprKind::binder: binder(e); break;
      case ExprKind::block:
        out_ += "(block";
        for (const LetBinding& let : e.lets) {
          out_ += fmt::format(fmt::runtime(let.is_tuple ? " (let ({}) " : " (let {} "), fmt::join(let.names, " "));
          expression(let.value);
          out_ += ')';
        }
        out_ += ' ';
        expression(e.children.at(0));
        out_ += ')';
        break;
      case ExprKind::quoted: {
        std::size_t at = 0;
        out_ += '\'';
        tree(e.tree, at);
        break;
      }
    }
  }

  void item(const Item& i) {
    constexpr std::string_view kinds[] = {"import", "fn",    "let",  "type", "profile",
                                          "kernel", "check", "show", "save", "assert"};
    if (i.is_builtin) out_ += "builtin ";
    out_ += fmt::format("({}", kinds[static_cast<int>(i.kind)]);
    if (i.kind == ItemKind::import || i.kind == ItemKind::save) out_ += fmt::format(" \"{}\"", i.name);
    if (i.kind == ItemKind::fn || i.kind == ItemKind::let) {
      out_ += " " + i.name;
      if (i.part) out_ += fmt::format(" part {} of {}", i.part->index, i.part->count);
      if (!i.static_parameters.empty()) out_ += fmt::format("[{}]", fmt::join(i.static_parameters, " "));
      if (i.has_parameter_list) {
        out_ += " (";
        for (const ParameterDecl& parameter : i.parameters) {
          if (&parameter != &i.parameters.front()) out_ += ' ';
          out_ += parameter.name + ":";
          type(parameter.type);
        }
        out_ += ')';
      }
      if (i.result) {
        out_ += " -> ";
        type(*i.result);
      }
      if (!i.approximated.empty()) out_ += " approximates " + i.approximated;
    }
    if (i.kind == ItemKind::profile) {
      out_ += " " + i.name;
      profile(i.profile);
    }
    if (i.kind == ItemKind::kernel) {
      out_ += " " + i.name;
      if (!i.static_parameters.empty()) out_ += fmt::format("[{}]", fmt::join(i.static_parameters, " "));
      for (const ClauseDecl& clause : i.clauses_of_kernel) {
        out_ += " (" + clause.name.text;
        for (ExprId argument : clause.arguments) labelled("", argument);
        out_ += ')';
      }
    }
    if (i.kind == ItemKind::check) {
      constexpr std::string_view relations[] = {" equal", " near", " within", " accepted", " truth", " ordered "};
      out_ += relations[static_cast<int>(i.relation)];
      out_ += i.comparison;
    }
    labelled("", i.body);
    labelled("", i.right);
    if (i.tolerance.kind != Tolerance::Kind::none) {
      constexpr std::string_view kinds_of_tolerance[] = {"none", "ulp", "absolute", "relative", "bound", "orders", "range"};
      out_ += fmt::format(" (within {}", kinds_of_tolerance[static_cast<int>(i.tolerance.kind)]);
      labelled("", i.tolerance.low);
      labelled("", i.tolerance.high);
      labelled("by ", i.tolerance.order);
      out_ += ')';
    }
    if (i.semantics) {
      out_ += " (in " + i.semantics->name;
      for (ExprId argument : i.semantics->arguments) labelled("", argument);
      out_ += ')';
    }
    for (const ForClause& clause : i.clauses) {
      constexpr std::string_view clauses[] = {"sizes", "range", "given", "all"};
      out_ +=
          fmt::format(" ({}{}{}", clauses[static_cast<int>(clause.kind)], clause.name.empty() ? "" : " ", clause.name);
      for (ExprId value : clause.values) labelled("", value);
      out_ += ')';
    }
    if (i.trials.valid()) labelled("trials ", i.trials);
    if (i.seed.valid()) labelled("seed ", i.seed);
    out_ += ')';
  }

 private:
  void profile(const ProfileDecl& p) {
    if (!p.base.text.empty()) out_ += " with " + p.base.text;
    for (const SettingDecl& setting : p.settings) {
      out_ += " (" + setting.name.text;
      for (const Word& part : setting.parts) out_ += " " + part.text;
      for (const Word& value : setting.values) out_ += " =" + value.text;
      out_ += ')';
    }
    for (const RuleDecl& rule : p.rules) {
      out_ += "\n  (rule";
      for (const RuleDecl::Operation& operation : rule.operations) {
        out_ += " " + operation.name.text;
        if (operation.has_parameters) out_ += fmt::format("({})", fmt::join(operation.parameters, " "));
      }
      for (const Word& format : rule.formats) out_ += " in:" + format.text;
      for (const PieceDecl& piece : rule.pieces) {
        out_ += rule.is_circuit ? " =" : " :";
        labelled("", piece.accuracy);
        for (const DomainDecl& domain : piece.domains) {
          out_ += fmt::format(" (for {}{}{}", domain.function.text, domain.function.text.empty() ? "" : " ",
                              domain.comparison.empty() ? domain.parameter.text : domain.comparison);
          labelled("", domain.left);
          labelled("", domain.right);
          for (const auto& [low, high] : domain.ranges) {
            labelled("", low);
            out_ += " ..";
            labelled("", high);
          }
          out_ += ')';
        }
      }
      out_ += ')';
    }
  }

  void labelled(std::string_view label, ExprId id) {
    if (!id.valid()) return;
    out_ += ' ';
    out_ += label;
    expression(id);
  }

  void form(std::string_view head, const Expr& e) {
    out_ += '(';
    out_ += head;
    for (ExprId child : e.children) labelled("", child);
    out_ += ')';
  }

  void binder(const Expr& e) {
    out_ += '(';
    out_ += word(e.binder);
    if (e.operation.valid()) labelled("with ", e.operation);
    labelled("from ", e.start);
    for (const BinderName& name : e.names) {
      out_ += " " + name.name;
      if (name.bound.valid()) {
        out_ += "<";
        expression(name.bound);
      }
    }
    labelled("where ", e.guard);
    labelled("", e.children.at(0));
    labelled("by ", e.schedule);
    labelled("else ", e.otherwise);
    out_ += ')';
  }

  void tree(const QuotedTree& quoted, std::size_t& at) {
    const std::int64_t node = quoted.prefix.at(at++);
    if (node >= 0) {
      out_ += std::to_string(node);
      return;
    }
    out_ += '(';
    tree(quoted, at);
    out_ += ' ';
    tree(quoted, at);
    out_ += ')';
  }

  void type(const TypeExpr& written) {
    if (written.name.empty()) {
      out_ += "(";
      for (const TypeExpr& part : written.parts) {
        if (&part != &written.parts.front()) out_ += ' ';
        type(part);
      }
      out_ += ')';
      return;
    }
    out_ += written.name;
    if (written.dims.empty()) return;
    out_ += '[';
    for (ExprId dim : written.dims) {
      if (!(dim == written.dims.front())) out_ += ' ';
      expression(dim);
    }
    out_ += ']';
  }

  const Program& program_;
  std::string out_;
};

}  // namespace

std::string dump(const Program& program, ExprId id) {
  Dump text(program);
  text.expression(id);
  return text.take();
}

std::string dump(const Program& program, const Item& item) {
  Dump text(program);
  text.item(item);
  return text.take();
}

std::string dump(const Program& program) {
  if (program.result.valid()) return dump(program, program.result);
  std::string all;
  for (const Item& item : program.items) {
    if (!all.empty()) all += '\n';
    all += dump(program, item);
  }
  return all;
}

}  // namespace reckon::frontend::testing
