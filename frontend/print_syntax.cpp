#include "frontend/print_syntax.h"

#include <fmt/format.h>

#include <array>

#include "ir/type.h"

namespace reckon::frontend {
namespace {

/// How tightly a construct of the grammar binds, from loose to tight. An operand that binds less than its place asks
/// for stands in parentheses.
enum class Level : std::uint8_t {
  whole,
  then = whole,
  or_,
  and_,
  not_,
  comparison,
  range,
  colon,
  bit_or,
  bit_xor,
  bit_and,
  shift,
  sum,
  product,
  negation,
  postfix
};

Level tighter(Level level) { return static_cast<Level>(static_cast<int>(level) + 1); }

Level level_of_operator(const std::string& sign) {
  if (sign == "or") return Level::or_;
  if (sign == "and") return Level::and_;
  if (sign == "..") return Level::range;
  if (sign == "|") return Level::bit_or;
  if (sign == "xor") return Level::bit_xor;
  if (sign == "&") return Level::bit_and;
  if (sign == "<<" || sign == ">>") return Level::shift;
  if (sign == "+" || sign == "-") return Level::sum;
  if (sign == "*" || sign == "/" || sign == "//" || sign == "%") return Level::product;
  return Level::comparison;
}

Level level_of(const Expr& expression) {
  switch (expression.kind) {
    case ExprKind::then: return Level::then;
    case ExprKind::unary: return expression.text == "not" ? Level::not_ : Level::negation;
    case ExprKind::binary: return level_of_operator(expression.text);
    case ExprKind::colon: return Level::colon;
    // A binder takes whatever follows it into its body.
    case ExprKind::binder:
    case ExprKind::length: return Level::whole;
    default: return Level::postfix;
  }
}

/// The exact decimal of a literal's value. Every literal has one: its denominator divides a power of ten.
std::string decimal(const mpq_class& value, bool integer_spelling) {
  mpz_class denominator = value.get_den(), scale = 1;
  std::size_t digits = 0;
  for (; scale % denominator != 0; ++digits) scale *= 10;
  const mpz_class scaled = value.get_num() * (scale / denominator);
  std::string text = scaled.get_str();
  if (digits == 0) return integer_spelling ? text : text + ".0";
  if (text.size() <= digits) text.insert(0, digits + 1 - text.size(), '0');
  text.insert(text.size() - digits, 1, '.');
  return text;
}

std::string quoted_string(const std::string& contents) {
  std::string out = "\"";
  for (const char c : contents) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case '\r': out += "\\r"; break;
      default: out += c;
    }
  }
  return out + "\"";
}

class Printer {
 public:
  Printer(Program& program, std::uint32_t file, std::vector<MovedPlace>& moved)
      : program_(program), file_(file), moved_(moved) {}

  std::string print() {
    for (Item& item : program_.items) {
      if (item.kind == ItemKind::type || item.kind == ItemKind::profile || (item.part && item.part->index > 0)) continue;
      const std::size_t begin = out_.size();
      print(item);
      settle(item.span, begin);
      out_ += '\n';
    }
    if (program_.result.valid()) print(program_.result, Level::whole);
    return std::move(out_);
  }

 private:
  /// Gives a place of the tree the text that was written since `begin`.
  void settle(SourceSpan& place, std::size_t begin) {
    const SourceSpan now{file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(out_.size())};
    moved_.push_back({place, now});
    place = now;
  }

  void word(const std::string& text, SourceSpan& place) {
    const std::size_t begin = out_.size();
    out_ += text;
    settle(place, begin);
  }

  void print(const std::vector<ExprId>& list, std::size_t first = 0) {
    for (std::size_t k = first; k < list.size(); ++k) {
      if (k > first) out_ += ", ";
      print(list[k], Level::whole);
    }
  }

  void print(ExprId id, Level least) {
    Expr& expression = program_.expressions[id.index];
    const bool grouped =
        level_of(expression) < least || (expression.parenthesised && expression.kind != ExprKind::tuple);
    if (grouped) out_ += '(';
    const std::size_t begin = out_.size();
    const bool has_operator = bare(expression);
    settle(expression.span, begin);
    if (!has_operator) expression.operator_span = expression.span;
    if (grouped) out_ += ')';
  }

  /// Whether the expression has an operator, or a head, whose place is its own.
  bool bare(Expr& expression) {
    switch (expression.kind) {
      case ExprKind::number:
        out_ += expression.text.empty() ? decimal(expression.value, expression.integer_spelling) : expression.text;
        break;
      case ExprKind::bit_pattern: out_ += bit_pattern(expression); break;
      case ExprKind::string: out_ += quoted_string(expression.text); break;
      case ExprKind::boolean: out_ += expression.bits != 0 ? "true" : "false"; break;
      case ExprKind::name: out_ += expression.text; break;
      case ExprKind::unary:
        word(expression.text, expression.operator_span);
        if (expression.text == "not") out_ += ' ';
        print(expression.children[0], level_of(expression));
        return true;
      case ExprKind::binary: binary(expression); return true;
      case ExprKind::call: applied(expression, '(', ')'); return true;
      case ExprKind::index: applied(expression, '[', ']'); return true;
      case ExprKind::tuple:
        out_ += '(';
        print(expression.children);
        out_ += expression.children.size() == 1 ? ",)" : ")";
        break;
      case ExprKind::list:
        out_ += '[';
        print(expression.children);
        out_ += ']';
        break;
      case ExprKind::colon:
        print(expression.children[0], Level::bit_or);
        word(":", expression.operator_span);
        print(expression.children[1], Level::bit_or);
        return true;
      case ExprKind::binder: binder(expression); return true;
      case ExprKind::conditional: conditional(expression); return true;
      case ExprKind::block: block(expression); return true;
      case ExprKind::quoted: quoted(expression); return true;
      case ExprKind::then: then(expression); return true;
      case ExprKind::length:
        word("length", expression.operator_span);
        out_ += ' ';
        word(expression.names[0].name, expression.names[0].span);
        out_ += ": ";
        print(expression.children[0], Level::whole);
        return true;
      case ExprKind::member:
        print(expression.children[0], Level::postfix);
        out_ += '.';
        word(expression.text, expression.operator_span);
        return true;
      case ExprKind::pinned:
        stage(expression.children[0]);
        out_ += " @";
        word(expression.text, expression.operator_span);
        return true;
    }
    return false;
  }

  static std::string bit_pattern(const Expr& expression) {
    const int digits = 2 * ir::byte_width(*ir::scalar_named(expression.text));  // as the grammar has them
    return fmt::format("{}#{:0{}x}", expression.text, expression.bits, digits);
  }

  void binary(Expr& expression) {
    const Level level = level_of(expression);
    const bool chains = level != Level::comparison && level != Level::range;
    print(expression.children[0], chains ? level : tighter(level));
    const bool spaced = expression.text != "..";
    if (spaced) out_ += ' ';
    word(expression.text, expression.operator_span);
    if (spaced) out_ += ' ';
    print(expression.children[1], tighter(level));
  }

  void applied(Expr& expression, char open, char close) {
    const std::size_t begin = out_.size();
    print(expression.children[0], Level::postfix);
    settle(expression.operator_span, begin);
    out_ += open;
    print(expression.children, 1);
    out_ += close;
  }

  void binder(Expr& expression) {
    static constexpr std::array words{"for", "sum", "prod", "min", "max", "reduce", "scan", "fold"};
    word(words[static_cast<std::size_t>(expression.binder)], expression.operator_span);
    if (expression.operation.valid()) {
      out_ += '(';
      print(expression.operation, Level::whole);
      if (expression.start.valid()) {
        out_ += ", ";
        print(expression.start, Level::whole);
      }
      out_ += ')';
    }
    for (std::size_t k = 0; k < expression.names.size(); ++k) {
      out_ += k == 0 ? " " : ", ";
      word(expression.names[k].name, expression.names[k].span);
      if (!expression.names[k].bound.valid()) continue;
      out_ += " < ";
      print(expression.names[k].bound, Level::sum);
    }
    if (expression.guard.valid()) {
      out_ += " where ";
      print(expression.guard, Level::whole);
    }
    out_ += ": ";
    // A `by` or an `else` belongs to the nearest binder on its left.
    const bool ends = expression.schedule.valid() || expression.otherwise.valid();
    print(expression.children[0],
          ends && program_[expression.children[0]].kind == ExprKind::binder ? Level::postfix : Level::whole);
    if (expression.schedule.valid()) {
      out_ += " by ";
      schedule(expression.schedule);
    }
    if (expression.otherwise.valid()) {
      out_ += " else ";
      print(expression.otherwise, Level::whole);
    }
  }

  /// What follows `by`: stages, none of which is an operator.
  void schedule(ExprId id) {
    Expr& expression = program_.expressions[id.index];
    if (expression.kind != ExprKind::then) return stage(id);
    const std::size_t begin = out_.size();
    then(expression);
    settle(expression.span, begin);
  }

  void then(Expr& expression) {
    schedule(expression.children[0]);
    out_ += ' ';
    word("then", expression.operator_span);
    out_ += ' ';
    stage(expression.children[1]);
  }

  void stage(ExprId id) {
    const Expr& expression = program_[id];
    const Expr* head = &expression;
    while (head->kind == ExprKind::call) head = &program_[head->children[0]];
    const bool plain =
        head->kind == ExprKind::name || expression.kind == ExprKind::quoted || expression.kind == ExprKind::pinned;
    if (plain) return print(id, Level::whole);
    out_ += '(';
    print(id, Level::whole);
    out_ += ')';
  }

  void conditional(Expr& expression) {
    word("if", expression.operator_span);
    out_ += ' ';
    print(expression.children[0], Level::whole);
    out_ += ' ';
    print(expression.children[1], Level::whole);
    out_ += " else ";
    print(expression.children[2], Level::whole);
  }

  void assertion(ExprId claim, const std::string& reason) {
    out_ += "assert ";
    print(claim, Level::whole);
    if (!reason.empty()) out_ += ", " + quoted_string(reason);
  }

  void block(Expr& expression) {
    const std::size_t begin = out_.size();
    out_ += '{';
    settle(expression.operator_span, begin);
    if (expression.lets.empty()) {
      out_ += ' ';
      print(expression.children[0], Level::whole);
      out_ += " }";
      return;
    }
    ++depth_;
    for (LetBinding& let : expression.lets) {
      line();
      if (let.is_claim()) {
        assertion(let.value, let.reason);
        out_ += ';';
        continue;
      }
      out_ += let.is_tuple ? "let (" : "let ";
      for (std::size_t k = 0; k < let.names.size(); ++k) {
        if (k > 0) out_ += ", ";
        word(let.names[k], let.spans[k]);
      }
      if (let.type) declared(*let.type);
      out_ += let.is_tuple ? ") = " : " = ";
      print(let.value, Level::whole);
      out_ += ';';
    }
    line();
    print(expression.children[0], Level::whole);
    --depth_;
    line();
    out_ += '}';
  }

  void declared(TypeExpr& type) {
    out_ += ": ";
    print(type);
  }

  void line() { out_.append(1, '\n').append(2 * depth_, ' '); }

  void quoted(Expr& expression) {
    word("'", expression.operator_span);
    std::vector<int> missing;  // of the pairs around: how many of their trees are still to come
    for (std::size_t k = 0; k < expression.tree.prefix.size(); ++k) {
      const std::int64_t node = expression.tree.prefix[k];
      if (!missing.empty() && missing.back() == 1) out_ += ' ';
      if (node < 0) {
        out_ += '(';
        missing.push_back(2);
        continue;
      }
      out_ += std::to_string(node);
      while (!missing.empty() && --missing.back() == 0) {
        out_ += ')';
        missing.pop_back();
      }
    }
  }

  void print(TypeExpr& type) {
    const std::size_t begin = out_.size();
    if (!type.name.empty()) {
      out_ += type.name;
      if (!type.dims.empty()) {
        out_ += '[';
        print(type.dims);
        out_ += ']';
      }
    } else {
      out_ += '(';
      for (std::size_t k = 0; k < type.parts.size(); ++k) {
        if (k > 0) out_ += ", ";
        print(type.parts[k]);
      }
      out_ += type.parts.size() == 1 ? ",)" : ")";
    }
    if (type.storage.valid()) {
      out_ += " @ ";
      print(type.storage, Level::colon);
    }
    settle(type.span, begin);
  }

  void print(StatedRange& range) {
    out_ += ' ';
    const std::size_t begin = out_.size();
    out_ += range.low.valid() ? "in " : "< ";
    if (range.low.valid()) {
      print(range.low, Level::bit_or);
      out_ += "..";
    }
    print(range.high, Level::bit_or);
    settle(range.span, begin);
  }

  void statics(Item& item) {
    if (item.static_parameters.empty()) return;
    out_ += '[';
    names(item);
    out_ += ']';
  }

  void names(Item& item) {
    for (std::size_t k = 0; k < item.static_parameters.size(); ++k) {
      if (k > 0) out_ += ", ";
      word(item.static_parameters[k], item.static_parameter_spans[k]);
    }
  }

  void print(Item& item) {
    for (std::size_t k = 0; k < item.repeated_for.size(); ++k) {
      StaticRange& range = item.repeated_for[k];
      out_ += k == 0 ? "for " : ", ";
      word(range.name.text, range.name.span);
      out_ += range.is_set ? " in {" : " in ";
      if (range.is_set) {
        print(range.values);
        out_ += '}';
      } else {
        for (std::size_t end = 0; end < range.values.size(); ++end) {
          if (end > 0) out_ += "..";
          print(range.values[end], Level::bit_or);
        }
      }
    }
    if (!item.repeated_for.empty()) out_ += ": ";
    const std::size_t begin = out_.size();
    print_repeated(item);
    if (!item.repeated_for.empty()) settle(item.repeated_span, begin);
  }

  void print_repeated(Item& item) {
    switch (item.kind) {
      case ItemKind::import: out_ += fmt::format("import {}", quoted_string(item.name)); return;
      case ItemKind::fn: function(item); return;
      case ItemKind::let:
        out_ += "let ";
        if (item.part) {
          tuple_names(item);
          break;
        }
        word(item.name, item.name_span);
        if (item.has_parameter_list) {
          out_ += '(';
          names(item);
          out_ += ')';
        }
        if (item.result) declared(*item.result);
        break;
      case ItemKind::kernel: kernel(item); return;
      case ItemKind::check: check(item); return;
      case ItemKind::show:
        out_ += "show ";
        print(item.body, Level::whole);
        options(item);
        return;
      case ItemKind::save: out_ += fmt::format("save {}", quoted_string(item.name)); break;
      case ItemKind::assertion: assertion(item.body, item.name); return;
      case ItemKind::type:
      case ItemKind::profile: return;
    }
    out_ += " = ";
    print(item.body, Level::whole);
    if (item.kind == ItemKind::save) options(item);
  }

  /// `(a, b)`: the names of the item and of those behind it.
  void tuple_names(Item& first) {
    out_ += '(';
    for (std::uint32_t k = 0; k < first.part->count; ++k) {
      if (k > 0) out_ += ", ";
      Item& each = (&first)[k];
      word(each.name, each.name_span);
    }
    out_ += ')';
  }

  void function(Item& item) {
    out_ += item.is_builtin ? "builtin fn " : "fn ";
    word(item.name, item.name_span);
    statics(item);
    out_ += '(';
    for (std::size_t k = 0; k < item.parameters.size(); ++k) {
      ParameterDecl& parameter = item.parameters[k];
      if (k > 0) out_ += ", ";
      word(parameter.name, parameter.span);
      out_ += ": ";
      print(parameter.type);
      if (parameter.range) print(*parameter.range);
    }
    out_ += ')';
    if (item.result) {
      out_ += " -> ";
      print(*item.result);
    }
    if (!item.approximated.empty()) {
      out_ += " approximates ";
      word(item.approximated, item.approximated_span);
    }
    out_ += " = ";
    print(item.body, Level::whole);
  }

  void kernel(Item& item) {
    out_ += "kernel ";
    word(item.name, item.name_span);
    statics(item);
    out_ += " = ";
    print(item.body, Level::postfix);
    for (std::size_t k = 0; k < item.clauses_of_kernel.size(); ++k) {
      ClauseDecl& clause = item.clauses_of_kernel[k];
      out_ += k == 0 ? " with " : ", ";
      const std::size_t begin = out_.size();
      word(clause.name.text, clause.name.span);
      out_ += '(';
      print(clause.arguments);
      out_ += ')';
      settle(clause.span, begin);
    }
  }

  void check(Item& item) {
    out_ += "check ";
    const bool equal = item.relation == Item::Relation::equal, ordered = item.relation == Item::Relation::ordered;
    const Level level = equal || ordered ? Level::range : Level::whole;
    print(item.body, level);
    if (item.right.valid()) {
      out_ += ' ';
      word(equal ? "==" : ordered ? item.comparison : "~", item.relation_span);
      out_ += ' ';
      print(item.right, level);
    }
    options(item);
  }

  void options(Item& item) {
    if (item.tolerance.kind != Tolerance::Kind::none) tolerance(item.tolerance);
    if (item.semantics) {
      out_ += " in ";
      const std::size_t begin = out_.size();
      out_ += item.semantics->name;
      if (!item.semantics->arguments.empty()) {
        out_ += '(';
        print(item.semantics->arguments);
        out_ += ')';
      }
      settle(item.semantics->span, begin);
      if (item.everywhere.known()) {
        out_ += ' ';
        word("everywhere", item.everywhere);
      }
    }
    for (std::size_t k = 0; k < item.clauses.size(); ++k) {
      out_ += k == 0 ? " for " : ", ";
      clause(item.clauses[k], k > 0 && item.clauses[k - 1].kind == ForClause::Kind::all);
    }
    if (item.trials.valid()) {
      out_ += " trials ";
      print(item.trials, Level::bit_or);
    }
    if (item.seed.valid()) {
      out_ += " seed ";
      print(item.seed, Level::bit_or);
    }
    if (item.budget) {
      out_ += " within ";
      word(fmt::format("{}s", *item.budget), item.budget_span);
    }
  }

  void tolerance(Tolerance& tolerance) {
    out_ += " within ";
    const std::size_t begin = out_.size();
    using Kind = Tolerance::Kind;
    const bool by_order = tolerance.kind == Kind::bound || tolerance.kind == Kind::orders;
    if (by_order) out_ += tolerance.kind == Kind::bound ? "bound" : "orders";
    if (tolerance.kind == Kind::relative) out_ += "relative ";
    if (tolerance.low.valid()) print(tolerance.low, Level::colon);
    if (tolerance.high.valid()) {
      out_ += "..";
      print(tolerance.high, Level::colon);
    }
    if (tolerance.kind == Kind::ulp) out_ += " ulp";
    if (tolerance.order.valid()) {
      out_ += " by ";
      schedule(tolerance.order);
    }
    settle(tolerance.span, begin);
  }

  /// `after_all`: the clause before it begins with `all`, which stands once for its names.
  void clause(ForClause& clause, bool after_all) {
    const std::size_t begin = out_.size();
    if (clause.kind == ForClause::Kind::condition) {
      print(clause.values[0], Level::whole);
    } else if (clause.kind == ForClause::Kind::all) {
      if (!after_all) out_ += "all ";
      word(clause.name, clause.name_span);
    } else {
      word(clause.name, clause.name_span);
      out_ += ": ";
      if (clause.kind == ForClause::Kind::sizes) {
        out_ += '{';
        print(clause.values);
        out_ += '}';
      } else {
        print(clause.values[0], Level::colon);
        out_ += "..";
        print(clause.values[1], Level::colon);
      }
    }
    settle(clause.span, begin);
  }

  Program& program_;
  std::uint32_t file_;
  std::vector<MovedPlace>& moved_;
  std::string out_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string print_syntax(Program& program, std::uint32_t file, std::vector<MovedPlace>& moved) {
  return Printer(program, file, moved).print();
}

}  // namespace reckon::frontend
