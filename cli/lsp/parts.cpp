#include "cli/lsp/parts.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "api/reckon/reckon.h"

namespace reckon::lsp {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// `kernel` is not among them: it is a name elsewhere, and its items stay in the part before.
constexpr std::array<std::string_view, 9> beginnings{"import", "builtin", "fn",     "let", "profile",
                                                     "check",  "show",    "assert", "save"};

/// Goes over a text and knows how many brackets are open.
class Scan {
 public:
  explicit Scan(std::string_view text) : text_(text) {}

  std::vector<std::string_view> parts() {
    std::vector<std::string_view> out;
    std::size_t begin = 0;
    while (at_ < text_.size()) {
      if (begins_item() && at_ > begin) {
        out.push_back(text_.substr(begin, at_ - begin));
        begin = at_;
      }
      line();
    }
    if (begin < text_.size()) out.push_back(text_.substr(begin));
    return out;
  }

 private:
  bool begins_item() const {
    if (depth_ != 0 || last_word_ == "builtin") return false;
    return std::ranges::any_of(beginnings, [&](std::string_view word) {
      return text_.substr(at_).starts_with(word) && (at_ + word.size() == text_.size() || !is_word(text_[at_ + word.size()]));
    });
  }

  /// Passes the rest of the line and its end.
  void line() {
    while (at_ < text_.size() && text_[at_] != '\n') {
      const char c = text_[at_];
      if (is_word(c)) {
        word();
        continue;
      }
      ++at_;
      if (c == '(' || c == '[' || c == '{') ++depth_;
      if (c == ')' || c == ']' || c == '}') --depth_;
      if (c == '"') string();
      if (c == '#') at_ = std::min(text_.find('\n', at_), text_.size());
      if (c != ' ' && c != '\t' && c != '\r' && c != '#') last_word_ = {};
    }
    if (at_ < text_.size()) ++at_;
  }

  void string() {
    for (; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
      else if (text_[at_] == '"') break;
    }
    if (at_ < text_.size() && text_[at_] == '"') ++at_;
  }

  /// A word, with the digits of a bit pattern: `f32#3fc00000`, whose sign begins no comment.
  void word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    last_word_ = text_.substr(begin, at_ - begin);
    if (at_ >= text_.size() || text_[at_] != '#') return;
    std::size_t end = at_ + 1;
    while (end < text_.size() && std::isxdigit(static_cast<unsigned char>(text_[end])) != 0) ++end;
    const auto bytes = tensor_bytes(last_word_, {});
    const bool whole = end >= text_.size() || std::isalnum(static_cast<unsigned char>(text_[end])) == 0;
    if (bytes && last_word_ != "bool" && whole && end - at_ - 1 == 2 * *bytes) at_ = end;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string_view last_word_;  ///< the token before, if it is a word
};

}  // namespace

std::vector<std::string_view> parts_of(std::string_view text) { return Scan(text).parts(); }

}  // namespace reckon::lsp
