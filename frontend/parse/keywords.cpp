#include <ANTLRInputStream.h>
#include <ReckonLexer.h>

#include <cctype>

#include "frontend/parse.h"

namespace reckon::frontend {

const std::vector<std::string>& keywords() {
  static const std::vector<std::string> words = [] {
    antlr4::ANTLRInputStream nothing;
    const grammar::ReckonLexer lexer(&nothing);
    const antlr4::dfa::Vocabulary& vocabulary = lexer.getVocabulary();
    std::vector<std::string> out;
    for (std::size_t type = 0; type <= vocabulary.getMaxTokenType(); ++type) {
      const std::string literal(vocabulary.getLiteralName(type));  // in single quotes, or empty
      const bool word = literal.size() > 2 && std::isalpha(static_cast<unsigned char>(literal[1])) != 0;
      if (word) out.push_back(literal.substr(1, literal.size() - 2));
    }
    return out;
  }();
  return words;
}

const std::vector<std::string>& kernel_clauses() {
  static const std::vector<std::string> words{"tile", "values", "threads", "blocks"};
  return words;
}

}  // namespace reckon::frontend
