// The bytes of a source file as ANTLR's lexer reads them, so that its positions are byte offsets.
#pragma once

#include <CharStream.h>
#include <IntStream.h>
#include <misc/Interval.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace reckon::grammar {

class ByteStream final : public antlr4::CharStream {
 public:
  /// Reads `text` from byte `first` on; `text` must outlive the stream.
  explicit ByteStream(std::string_view text, std::size_t first = 0) : text_(text), first_(first), at_(first) {}

  void consume() override { ++at_; }
  std::size_t LA(ssize_t distance) override {
    const std::size_t position =
        distance > 0 ? at_ + static_cast<std::size_t>(distance) - 1 : at_ - static_cast<std::size_t>(-distance);
    if (distance == 0) return 0;
    // Before the first byte the subtraction wraps around, beyond the end.
    return position < text_.size() ? static_cast<unsigned char>(text_[position]) : antlr4::IntStream::EOF;
  }
  ssize_t mark() override { return -1; }
  void release(ssize_t) override {}
  std::size_t index() override { return at_; }
  void seek(std::size_t position) override { at_ = position; }
  std::size_t size() override { return text_.size(); }
  std::string getText(const antlr4::misc::Interval& range) override {
    const auto begin = std::min(static_cast<std::size_t>(range.a), text_.size());
    const auto end = std::min(static_cast<std::size_t>(range.b) + 1, text_.size());
    return std::string(text_.substr(begin, end > begin ? end - begin : 0));
  }
  std::string getSourceName() const override { return "source"; }
  std::string toString() const override { return std::string(text_.substr(first_)); }

 private:
  std::string_view text_;
  std::size_t first_;
  std::size_t at_;
};

}  // namespace reckon::grammar
