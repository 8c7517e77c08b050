#include "tests/docs/source_text.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <regex>
#include <utility>

namespace reckon::test {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Where the literal that begins at `k` ends: at its last quote.
std::size_t end_of_literal(const std::string& text, std::size_t k) {
  if (text[k] == '"' && k > 0 && text[k - 1] == 'R') {
    const std::size_t open = text.find('(', k);
    const std::string close = ")" + text.substr(k + 1, open - k - 1) + "\"";
    const std::size_t end = text.find(close, open);
    return end == std::string::npos ? text.size() - 1 : end + close.size() - 1;
  }
  std::size_t end = k + 1;
  while (end + 1 < text.size() && text[end] != text[k]) end += text[end] == '\\' ? 2 : 1;
  return end;
}

/// The text without comments, literals and lines of the preprocessor, but with all its line breaks.
std::string code_of(const std::string& text) {
  std::string out;
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t k = from; k < to && k < text.size(); ++k) out += text[k] == '\n' ? '\n' : ' ';
  };
  bool starts_line = true;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    std::size_t end = k;
    if (text.compare(k, 2, "//") == 0) {
      end = std::min(text.find('\n', k), text.size());
    } else if (text.compare(k, 2, "/*") == 0) {
      end = std::min(text.find("*/", k), text.size() - 2) + 2;
    } else if (c == '#' && starts_line) {
      end = k;
      do end = std::min(text.find('\n', end + 1), text.size());
      while (end < text.size() && text[end - 1] == '\\');
    } else if (c == '"' || (c == '\'' && (k == 0 || !is_word(text[k - 1])))) {
      end = end_of_literal(text, k) + 1;
    }
    if (end > k) {
      blank(k, end);
      k = end - 1;
      continue;
    }
    if (c == '\n') starts_line = true;
    else if (c != ' ') starts_line = false;
    out += c;
  }
  return out;
}

/// Without `template <...>`, template arguments, labels and attributes.
std::string simple(std::string head) {
  static const std::regex arrow("->|>=|<=|<<|>>(?=\\s*\\()|operator\\s*(<|>)");
  static const std::regex arguments("<[^<>;]*>");
  static const std::regex other(
      "\\b(template|public|protected|private)\\b\\s*:?|\\[\\[[^\\]]*\\]\\]|\\balignas\\s*\\([^)]*\\)");
  head = std::regex_replace(head, arrow, " operator_ ");
  for (std::string before; before != head;) {
    before = head;
    head = std::regex_replace(head, arguments, " ");
  }
  return std::regex_replace(head, other, " ");
}

class Reader {
 public:
  explicit Reader(const std::string& text) : code_(code_of(text)) {}

  SourceText read() {
    for (const char c : code_) {
      if (c == '\n') ++line_;
      if (c == '(') ++depth_;
      if (c == ')') --depth_;
      if (depth_ > 0 || (c != '{' && c != '}' && c != ';')) {
        if (head_.empty() && std::isspace(static_cast<unsigned char>(c)) != 0) continue;
        if (head_.empty()) head_line_ = line_;
        head_ += c;
        continue;
      }
      if (c == ';') declaration();
      if (c == '{') open();
      if (c == '}') close();
      head_.clear();
    }
    return std::move(out_);
  }

 private:
  struct Block {
    enum class Kind { space, type, other } kind = Kind::other;
    std::string name;
    std::ptrdiff_t function = -1;  ///< of out_.functions
  };

  bool in(Block::Kind kind) const { return blocks_.empty() ? kind == Block::Kind::space : blocks_.back().kind == kind; }

  /// The name of what the head declares as a function; empty: it declares none.
  static std::string function_name(const std::string& head) {
    static const std::regex name("([\\w:~]+|\\boperator\\s*[^\\s(]+|\\boperator\\s*\\(\\s*\\))\\s*\\(");
    static const std::regex none("^\\s*(using|typedef|static_assert|friend|enum|namespace|extern)\\b");
    std::smatch match;
    if (std::regex_search(head, none) || !std::regex_search(head, match, name)) return "";
    const std::string before = match.prefix();
    // What comes after `=` is a value, and after `,` another member's.
    const bool is_operator = head.find("operator") != std::string::npos;
    if (!is_operator && before.find_first_of("=,") != std::string::npos) return "";
    return is_operator ? "operator" : match[1].str();
  }

  /// The head without the macros that declare members, each of which counts as one.
  std::string without_macros(const std::string& head) {
    static const std::regex macro("\\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\\s*\\([^)]*\\)");
    out_.members[blocks_.back().name] +=
        static_cast<std::size_t>(std::distance(std::sregex_iterator(head.begin(), head.end(), macro), {}));
    return std::regex_replace(head, macro, "");
  }

  void count_member(const std::string& head) {
    static const std::regex deleted("=\\s*delete\\s*$");
    if (!std::regex_search(head, deleted) && !function_name(head).empty()) ++out_.members[blocks_.back().name];
  }

  void declaration() {
    if (!in(Block::Kind::type)) return;
    static const std::regex friendship("^\\s*friend\\s+(class|struct)?\\s*(\\w+)\\s*$");
    const std::string head = without_macros(simple(head_));
    std::smatch match;
    if (std::regex_search(head, match, friendship)) out_.friends[blocks_.back().name].insert(match[2]);
    else count_member(head);
  }

  void open() {
    static const std::regex type("^\\s*(class|struct|union)\\s+([\\w:]+)");
    static const std::regex space("^\\s*(inline\\s+)?namespace\\b|^\\s*extern\\s*$");
    std::string head = simple(head_);
    if (in(Block::Kind::type)) head = without_macros(head);
    std::smatch match;
    Block block;
    if (in(Block::Kind::other) && !blocks_.empty()) {
      // Inside of a function.
    } else if (std::regex_search(head, match, type) && head.find('(') == std::string::npos) {
      block.kind = Block::Kind::type;
      block.name = in(Block::Kind::type) ? blocks_.back().name + "::" + match[2].str() : match[2].str();
      out_.members.try_emplace(block.name, 0);
    } else if (std::regex_search(head, space)) {
      block.kind = Block::Kind::space;
    } else {
      if (in(Block::Kind::type)) count_member(head);
      if (std::string name = function_name(head); !name.empty()) {
        if (in(Block::Kind::type)) name = blocks_.back().name + "::" + name;
        block.function = static_cast<std::ptrdiff_t>(out_.functions.size());
        out_.functions.push_back({name, head_line_, 0});
      }
    }
    blocks_.push_back(block);
  }

  void close() {
    if (blocks_.empty()) return;
    if (blocks_.back().function >= 0) {
      FunctionText& function = out_.functions[static_cast<std::size_t>(blocks_.back().function)];
      function.lines = line_ - function.line + 1;
    }
    blocks_.pop_back();
  }

  std::string code_;
  SourceText out_;
  std::vector<Block> blocks_;
  std::string head_;
  std::size_t line_ = 1, head_line_ = 1;
  int depth_ = 0;
};

}  // namespace

SourceText read_source(const std::string& text) { return Reader(text).read(); }

}  // namespace reckon::test
