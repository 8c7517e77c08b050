// The bytes of a file as ANTLR's lexer reads them, so that its positions are byte offsets.
#pragma once

#include <CharStream.h>
#include <IntStream.h>
#include <misc/Interval.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace reckon::ptx {

class ByteStream final : public antlr4::CharStream {
 public:
  /// `text` must outlive the stream.
  explicit ByteStream(std::string_view text) : text_(text) {}

  void consume() override { ++at_; }
  std::size_t LA(ssize_t distance) override {
    if (distance == 0) return 0;
    // Before the first byte the sum wraps around, beyond the end.
    const std::size_t position = at_ + static_cast<std::size_t>(distance) - (distance > 0 ? 1 : 0);
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
  std::string toString() const override { return std::string(text_); }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace reckon::ptx
