#include "frontend/parse/token_spacing.h"

#include <ParserRuleContext.h>
#include <ReckonLexer.h>
#include <tree/TerminalNode.h>

namespace reckon::frontend {
namespace {

using grammar::ReckonLexer;
using Parser = grammar::ReckonParser;

template <class... Contexts>
bool is_any(const antlr4::ParserRuleContext& context) {
  return (... || (dynamic_cast<const Contexts*>(&context) != nullptr));
}

/// Whether a parenthesis or a bracket that opens in the context belongs to the name before it.
bool opens_after_name(const antlr4::ParserRuleContext& context) {
  if (const auto* let = dynamic_cast<const Parser::LetItemContext*>(&context)) return let->target != nullptr;
  return is_any<Parser::CallSuffixContext, Parser::IndexSuffixContext, Parser::ScheduleCallContext,
                Parser::FnItemContext, Parser::KernelItemContext, Parser::KernelClauseContext, Parser::NamedTypeContext,
                Parser::SemanticsContext, Parser::RangeDomainContext, Parser::RuledOperationContext,
                Parser::IndexBinderContext>(context);
}

/// A number, a name, a call, something in parentheses, or the negation of one: what is read as one thing beside a tight sign.
bool is_atom(antlr4::ParserRuleContext* operand) {
  if (auto* layout = dynamic_cast<Parser::LayoutContext*>(operand)) {
    return layout->stride == nullptr && is_atom(layout->shape);
  }
  if (auto* negation = dynamic_cast<Parser::NegationContext*>(operand)) return is_atom(negation->operand);
  return dynamic_cast<Parser::PostfixArithmeticContext*>(operand) != nullptr;
}

/// Whether the sign between two operands, `..` or the colon of a layout, stands close to both.
bool joins_atoms(antlr4::ParserRuleContext& context) {
  if (auto* range = dynamic_cast<Parser::RangeContext*>(&context)) return is_atom(range->low) && is_atom(range->high);
  if (auto* range = dynamic_cast<Parser::DomainRangeContext*>(&context)) return is_atom(range->low) && is_atom(range->high);
  if (auto* range = dynamic_cast<Parser::StaticRangeContext*>(&context)) return is_atom(range->low) && is_atom(range->high);
  auto* layout = dynamic_cast<Parser::LayoutContext*>(&context);
  return layout != nullptr && is_atom(layout->shape) && is_atom(layout->stride);
}

bool is_named_any(antlr4::ParserRuleContext* callee) { return callee != nullptr && callee->getText() == "any"; }

/// Whether the colon gives a name to an argument of `any`, as in `any(depth: 12)`; the grammar knows layouts only.
bool names_argument(const antlr4::ParserRuleContext& layout) {
  auto* call = dynamic_cast<antlr4::ParserRuleContext*>(layout.parent);
  while (call != nullptr && call->children.size() == 1) call = dynamic_cast<antlr4::ParserRuleContext*>(call->parent);
  if (dynamic_cast<Parser::ScheduleCallContext*>(call) != nullptr) {
    auto* stage = dynamic_cast<Parser::NamedStageContext*>(call->parent);
    return stage != nullptr && is_named_any(stage->head);
  }
  if (dynamic_cast<Parser::CallSuffixContext*>(call) == nullptr) return false;
  auto* callee = dynamic_cast<Parser::PostfixContext*>(call->parent);
  return callee != nullptr && is_named_any(callee->head);
}

TokenSpacing spacing_of(std::size_t type, antlr4::ParserRuleContext& context) {
  TokenSpacing out;
  switch (type) {
    case ReckonLexer::LEFT_PARENTHESIS:
    case ReckonLexer::LEFT_BRACKET:
      out.tight_before =
          opens_after_name(context) || (type == ReckonLexer::LEFT_BRACKET && is_any<Parser::TypeItemContext>(context));
      out.tight_after = true;
      break;
    case ReckonLexer::RIGHT_PARENTHESIS:
    case ReckonLexer::RIGHT_BRACKET:
    case ReckonLexer::COMMA:
    case ReckonLexer::SEMICOLON: out.tight_before = true; break;
    case ReckonLexer::LEFT_BRACE: out.tight_after = is_any<Parser::SetValuesContext, Parser::StaticRangeContext>(context); break;
    case ReckonLexer::RIGHT_BRACE: out.tight_before = is_any<Parser::SetValuesContext, Parser::StaticRangeContext>(context); break;
    case ReckonLexer::COLON:
      if (names_argument(context)) {
        out.tight_before = true;
        break;
      }
      out.tight_after = joins_atoms(context);
      // A rule's colon, like a layout's between sums, has a space on either side.
      out.tight_before = out.tight_after || !is_any<Parser::LayoutContext, Parser::RuleEntryContext>(context);
      break;
    case ReckonLexer::RANGE: out.tight_before = out.tight_after = joins_atoms(context); break;
    case ReckonLexer::DOT: out.tight_before = out.tight_after = true; break;
    case ReckonLexer::QUOTE: out.tight_after = true; break;
    case ReckonLexer::AT: out.tight_after = is_any<Parser::PinContext>(context); break;
    case ReckonLexer::MINUS: out.tight_after = is_any<Parser::NegationContext, Parser::NegatedLimitContext>(context); break;
    default: break;
  }
  return out;
}

class SpacingNotes {
 public:
  explicit SpacingNotes(std::vector<TokenSpacing>& spacing) : spacing_(spacing) {}

  void visit(antlr4::ParserRuleContext& context) {
    for (antlr4::tree::ParseTree* child : context.children) {
      if (auto* terminal = dynamic_cast<antlr4::tree::TerminalNode*>(child)) {
        note(*terminal->getSymbol(), context);
      } else {
        visit(dynamic_cast<antlr4::ParserRuleContext&>(*child));
      }
    }
    if (is_any<Parser::BindingContext, Parser::ProfileEntryContext>(context)) begins_statement(context);
    if (auto* block = dynamic_cast<Parser::BlockContext*>(&context)) begins_statement(*block->result);
    if (is_any<Parser::ConditionalContext>(context)) conditionals_.push_back(&context);
  }

  /// An `else` stands below its `if` where that begins a statement.
  void align_else() {
    for (antlr4::ParserRuleContext* conditional : conditionals_) {
      if (!spacing_[conditional->getStart()->getTokenIndex()].begins_statement) continue;
      for (antlr4::tree::TerminalNode* sign : conditional->getTokens(ReckonLexer::ELSE)) {
        spacing_[sign->getSymbol()->getTokenIndex()].begins_statement = true;
      }
    }
  }

 private:
  void note(const antlr4::Token& token, antlr4::ParserRuleContext& context) {
    TokenSpacing& here = spacing_[token.getTokenIndex()];
    const bool begins = here.begins_statement;
    here = spacing_of(token.getType(), context);
    here.begins_statement = begins;
  }
  void begins_statement(antlr4::ParserRuleContext& context) {
    spacing_[context.getStart()->getTokenIndex()].begins_statement = true;
  }

  std::vector<TokenSpacing>& spacing_;
  std::vector<antlr4::ParserRuleContext*> conditionals_;
};

}  // namespace

void note_spacing(grammar::ReckonParser::ItemContext& item, std::vector<TokenSpacing>& spacing) {
  SpacingNotes notes(spacing);
  notes.visit(item);
  notes.align_else();
  spacing[item.getStart()->getTokenIndex()].begins_item = true;
}

}  // namespace reckon::frontend
