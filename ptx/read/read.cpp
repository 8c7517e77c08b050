#include "ptx/read/read.h"

#include <BailErrorStrategy.h>
#include <CommonTokenStream.h>
#include <Exceptions.h>
#include <atn/ParserATNSimulator.h>
#include <fmt/format.h>

#include <algorithm>

#include "grammar/byte_stream.h"
#include "ptx/read/reader.h"

namespace reckon::ptx {

Mistake mistake_at(const antlr4::Token* token, std::string message) {
  Mistake out;
  out.line = static_cast<std::uint32_t>(token->getLine());
  out.column = static_cast<std::uint32_t>(token->getCharPositionInLine());
  const bool is_text = token->getType() != antlr4::Token::EOF && token->getStopIndex() >= token->getStartIndex();
  out.length = is_text ? static_cast<std::uint32_t>(token->getStopIndex() - token->getStartIndex() + 1) : 1;
  out.message = std::move(message);
  return out;
}

namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 28;
constexpr int most_levels = 100;

/// The parser recurses where braces and brackets nest.
std::optional<Mistake> nesting(const std::vector<antlr4::Token*>& tokens, std::string_view text) {
  int level = 0;
  for (const antlr4::Token* token : tokens) {
    if (token->getType() == antlr4::Token::EOF) break;
    const char c = text[token->getStartIndex()];
    const bool alone = token->getStopIndex() == token->getStartIndex();
    if (!alone) continue;
    if (c == '{' || c == '[' || c == '(') ++level;
    if (c == '}' || c == ']' || c == ')') --level;
    if (level > most_levels) return mistake_at(token, "brackets are nested too deeply");
  }
  return std::nullopt;
}

std::string unexpected(const antlr4::Token* token, std::string_view text) {
  if (token->getType() == antlr4::Token::EOF) return "the file ends too early";
  const std::string_view word = text.substr(token->getStartIndex(), token->getStopIndex() - token->getStartIndex() + 1);
  if (word.size() == 1 && (word[0] < ' ' || word[0] > '~'))
    return fmt::format("the byte 0x{:02x} has no meaning here", static_cast<unsigned char>(word[0]));
  return fmt::format("`{}` is not expected here", word.substr(0, 60));
}

}  // namespace

ReadResult read(std::string text) {
  ReadResult out;
  Module& module = out.module;
  if (text.size() > most_bytes) {
    out.mistake = Mistake{1, 0, 1, "the file is too large: more than 256 MB"};
    return out;
  }
  if (const std::size_t at = text.find('\0'); at != std::string::npos) {
    const auto line =
        static_cast<std::uint32_t>(1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    out.mistake =
        Mistake{line, 0, 1,
                "this is no text, but holds a byte 0: PTX is what `nvcc -ptx` writes, and `cuobjdump -ptx` takes "
                "from a program"};
    return out;
  }
  module.text = std::make_shared<const std::string>(std::move(text));
  grammar::ByteStream stream(*module.text);
  grammar::PtxLexer lexer(&stream);
  lexer.removeErrorListeners();
  antlr4::CommonTokenStream tokens(&lexer);
  tokens.fill();
  if (auto mistake = nesting(tokens.getTokens(), *module.text)) {
    out.mistake = std::move(mistake);
    return out;
  }
  grammar::PtxParser parser(&tokens);
  parser.removeErrorListeners();
  parser.setErrorHandler(std::make_shared<antlr4::BailErrorStrategy>());
  parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(antlr4::atn::PredictionMode::SLL);
  try {
    Reader(module).read_module(parser.module());
  } catch (const antlr4::ParseCancellationException&) {
    const antlr4::Token* token = parser.getCurrentToken();
    out.mistake = mistake_at(token, unexpected(token, *module.text));
  } catch (Refusal& refusal) {
    out.mistake = std::move(refusal.mistake);
  }
  return out;
}

}  // namespace reckon::ptx
