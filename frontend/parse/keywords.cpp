#include <ANTLRInputStream.h>
#include <ReckonLexer.h>

#include <algorithm>
#include <cctype>

#include "frontend/parse.h"
#include "frontend/parse/token_scan.h"

namespace reckon::frontend {
namespace {

/// The words of the grammar's literal tokens that `take` accepts.
template <class Take>
std::vector<std::string> words_of_tokens(Take&& take) {
  antlr4::ANTLRInputStream nothing;
  const grammar::ReckonLexer lexer(&nothing);
  const antlr4::dfa::Vocabulary& vocabulary = lexer.getVocabulary();
  std::vector<std::string> out;
  for (std::size_t type = 0; type <= vocabulary.getMaxTokenType(); ++type) {
    const std::string literal(vocabulary.getLiteralName(type));  // in single quotes, or empty
    const bool word = literal.size() > 2 && std::isalpha(static_cast<unsigned char>(literal[1])) != 0;
    if (word && take(type)) out.push_back(literal.substr(1, literal.size() - 2));
  }
  return out;
}

}  // namespace

const std::vector<std::string>& keywords() {
  static const std::vector<std::string> words = words_of_tokens([](std::size_t) { return true; });
  return words;
}

bool is_reserved(const std::string& word) {
  static const std::vector<std::string> words = words_of_tokens([](std::size_t type) { return !is_name(type); });
  return std::find(words.begin(), words.end(), word) != words.end();
}

const std::vector<std::string>& kernel_clauses() {
  static const std::vector<std::string> words{"tile", "values", "threads", "blocks"};
  return words;
}

}  // namespace reckon::frontend
