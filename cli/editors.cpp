#include "cli/editors.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "api/reckon/explain.h"
#include "api/reckon/reckon.h"

namespace reckon::cli {
namespace {

using Json = nlohmann::ordered_json;

/// The words of the language by what they are, each list sorted.
struct Words {
  std::vector<std::string> keywords, types, constants, semantics, functions;
};

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

Words words_of_the_language() {
  Words out;
  out.types = Session::number_formats();
  for (const std::string& type : Session::integer_types()) out.types.push_back(type);
  for (const char* type : {"bool", "number"}) {
    if (!contains(out.types, type)) out.types.emplace_back(type);
  }
  for (const std::string& word : Session::keywords()) (word == "true" || word == "false" ? out.constants : out.keywords).push_back(word);
  for (const ReferenceEntry& entry : reference()) {
    for (const std::string& name : entry.names) {
      if (contains(out.keywords, name) || contains(out.types, name) || name == "_") continue;
      (entry.chapter == "Constants and formats" ? out.constants
       : entry.chapter == "Semantics"           ? out.semantics
                                                : out.functions)
          .push_back(name);
    }
  }
  for (auto* list : {&out.keywords, &out.types, &out.constants, &out.semantics, &out.functions}) std::ranges::sort(*list);
  return out;
}

/// A regular expression for any of the words; a full stop in a word stands for itself.
std::string any_of(const std::vector<std::string>& words) {
  std::string joined = fmt::format("{}", fmt::join(words, "|"));
  for (std::size_t at = joined.find('.'); at != std::string::npos; at = joined.find('.', at + 2)) joined.insert(at, "\\");
  return "\\b(?:" + joined + ")\\b";
}

Json rule(const std::string& scope, const std::string& match) {
  return {{"name", scope + ".reckon"}, {"match", match}};
}

/// The formats that bit patterns have, the longest first, since `f32` ends `tf32`.
std::string patterns_of_bits(const std::vector<std::string>& types) {
  return fmt::format("\\b(?:{})#[0-9a-fA-F]{{2,16}}(?![0-9a-zA-Z])", fmt::join(types, "|"));
}

}  // namespace

std::string textmate_grammar() {
  const Words words = words_of_the_language();
  Json definition = {
      {"match", "\\b(fn|let|type|profile|kernel)\\s+([A-Za-z_]\\w*)"},
      {"captures",
       {{"1", {{"name", "keyword.declaration.reckon"}}}, {"2", {{"name", "entity.name.function.reckon"}}}}}};
  Json string = {{"name", "string.quoted.double.reckon"},
                 {"begin", "\""},
                 {"end", "\"|$"},
                 {"patterns", Json::array({rule("constant.character.escape", "\\\\.")})}};
  Json patterns = Json::array();
  // A bit pattern comes before a comment, which begins with the same character.
  patterns.push_back(rule("constant.numeric.bits", patterns_of_bits(words.types)));
  patterns.push_back(rule("comment.line.number-sign", "#.*$"));
  patterns.push_back(string);
  patterns.push_back(definition);
  patterns.push_back(rule("constant.numeric", "\\b0x[0-9a-fA-F_]+(?:\\.[0-9a-fA-F_]+)?(?:[pP][+-]?[0-9_]+)?"));
  patterns.push_back(rule("constant.numeric", "\\b[0-9][0-9_]*(?:\\.[0-9][0-9_]*)?(?:[eE][+-]?[0-9_]+)?s?\\b"));
  patterns.push_back(rule("keyword.control", any_of(words.keywords)));
  patterns.push_back(rule("constant.language", any_of(words.constants)));
  patterns.push_back(rule("support.type", any_of(words.types)));
  patterns.push_back(rule("support.class", any_of(words.semantics)));
  patterns.push_back(rule("support.function", any_of(words.functions)));
  patterns.push_back(rule("entity.name.function", "\\b[A-Za-z_]\\w*(?=\\s*\\()"));
  patterns.push_back(rule("keyword.operator", "->|\\.\\.|===?|!=|<=|>=|<<|>>|//|[-+*/%&|<>=~@]"));
  const Json grammar = {{"name", "Reckon"}, {"scopeName", "source.reckon"}, {"fileTypes", {"rk"}}, {"patterns", patterns}};
  return grammar.dump(2) + "\n";
}

std::string vim_syntax() {
  const Words words = words_of_the_language();
  std::string out =
      "\" Vim syntax file of Reckon (.rk), written by `reckon generate vim`.\n"
      "if exists('b:current_syntax')\n  finish\nendif\n\n"
      "syntax iskeyword @,48-57,_\n";
  const auto keywords = [&](const char* group, const std::vector<std::string>& list) {
    std::vector<std::string> plain;
    for (const std::string& word : list) {
      if (word.find('.') == std::string::npos) plain.push_back(word);
      else out += fmt::format("syntax match {} /\\<{}\\>/\n", group, word.substr(0, word.find('.')) + "\\." + word.substr(word.find('.') + 1));
    }
    // Some eight words a line.
    for (std::size_t at = 0; at < plain.size(); at += 8) {
      const auto begin = plain.begin() + static_cast<std::ptrdiff_t>(at);
      const auto end = plain.begin() + static_cast<std::ptrdiff_t>(std::min(at + 8, plain.size()));
      out += fmt::format("syntax keyword {} {}\n", group, fmt::join(begin, end, " "));
    }
  };
  keywords("reckonKeyword", words.keywords);
  keywords("reckonConstant", words.constants);
  keywords("reckonSemantics", words.semantics);
  keywords("reckonFunction", words.functions);
  // A keyword has precedence over a match, and of matches that begin at one place the last has. So formats are matches: in
  // `f32#3fc00000` the format begins a bit pattern, and no comment follows it.
  out += fmt::format("syntax match reckonType /\\<\\({}\\)\\>/\n", fmt::join(words.types, "\\|"));
  out +=
      "syntax match reckonNumber /\\<\\d[0-9_]*\\(\\.\\d[0-9_]*\\)\\?\\([eE][+-]\\?\\d\\+\\)\\?s\\?\\>/\n"
      "syntax match reckonNumber /\\<0x[0-9a-fA-F_]\\+\\(\\.[0-9a-fA-F_]\\+\\)\\?\\([pP][+-]\\?\\d\\+\\)\\?/\n"
      "syntax match reckonComment /#.*$/ contains=reckonTodo,@Spell\n";
  out += fmt::format("syntax match reckonNumber /\\<\\({}\\)#\\x\\{{2,16}}\\>/\n", fmt::join(words.types, "\\|"));
  out +=
      "syntax keyword reckonTodo TODO FIXME contained\n"
      "syntax region reckonString start=/\"/ skip=/\\\\./ end=/\"/ oneline\n\n"
      "highlight default link reckonKeyword Keyword\n"
      "highlight default link reckonConstant Constant\n"
      "highlight default link reckonType Type\n"
      "highlight default link reckonSemantics Special\n"
      "highlight default link reckonFunction Function\n"
      "highlight default link reckonNumber Number\n"
      "highlight default link reckonComment Comment\n"
      "highlight default link reckonTodo Todo\n"
      "highlight default link reckonString String\n\n"
      "let b:current_syntax = 'reckon'\n";
  return out;
}

}  // namespace reckon::cli
