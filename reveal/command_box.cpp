#include "reveal/command_box.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "diagnostics/codes/box_failed.h"
#include "diagnostics/codes/box_unusable.h"
#include "reveal/process.h"

namespace reckon::reveal {
namespace {

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1));
}

class CommandBox {
 public:
  explicit CommandBox(CommandOptions options) : options_(std::move(options)) {}

  Expected<std::uint64_t> operator()(const Input& input) {
    const auto text = answer(input);
    if (!text) return text.error();
    if (auto bits = parse_answer(*text, options_.formats.result)) return *bits;
    return no_number(*text).help(
        "it must print the sum alone, in decimal or as a hexadecimal float such as `0x1.8p+3`");
  }

  Expected<std::vector<std::uint64_t>> all(const Input& input) {
    const auto text = answer(input);
    if (!text) return text.error();
    std::vector<std::uint64_t> out;
    std::istringstream words(*text);
    for (std::string word; words >> word;) {
      const auto bits = parse_answer(word, options_.formats.result);
      if (!bits) {
        return no_number(word).help(
            "it must print the sums alone, in decimal or as hexadecimal floats such as `0x1.8p+3`, with spaces "
            "between");
      }
      out.push_back(*bits);
    }
    if (out.empty()) return no_number({});
    return out;
  }

 private:
  /// The text that the command prints for this input.
  Expected<std::string> answer(const Input& input) {
    const std::string text = problem(input);
    if (!process_ || !options_.lines) {
      auto started = Process::start([&] {
        execl("/bin/sh", "sh", "-c", options_.command.c_str(), static_cast<char*>(nullptr));
        return 127;
      });
      if (!started) return started.error();
      process_ = std::move(*started);
    }
    const bool lines = options_.lines;
    const auto reply = process_->exchange(
        text, !lines, [&](const std::string& bytes) { return lines && bytes.find('\n') != std::string::npos; },
        options_.timeout);
    if (reply.timed_out) {
      return failed(fmt::format("the command gave no answer within {} s", options_.timeout.count() / 1000.0))
          .help(lines ? "with `--lines` it must print one sum for each line, flushed; `--timeout` waits longer"
                      : "it must end when its input does; `--timeout` waits longer");
    }
    // The answer is one line, even if more text has arrived.
    const std::string answer = trimmed(lines ? reply.bytes.substr(0, reply.bytes.find('\n')) : reply.bytes);
    if (!lines || !reply.enough) {
      const std::string ending = process_->ending(options_.timeout);
      if (!ending.empty()) return failed(fmt::format("the command ended with {}", ending));
      if (lines) {
        return failed("the command ended before it answered")
            .help("with `--lines` it must read a problem a line until its input ends");
      }
    }
    return answer;
  }

  Diagnostic no_number(const std::string& answer) const {
    const std::string shown = answer.size() > 60 ? answer.substr(0, 60) + "..." : answer;
    return failed(answer.empty() ? std::string("the command printed nothing")
                                 : fmt::format("the command printed `{}`, which is no number", shown));
  }

  Diagnostic failed(std::string message) const {
    Diagnostic out(code::box_failed, {}, std::move(message));
    const std::string complaints = process_->complaints();
    if (!complaints.empty()) out.notes.push_back("it said: " + complaints);
    return out;
  }

  std::string problem(const Input& input) const {
    fmt::memory_buffer text;
    const char separator = options_.lines ? ' ' : '\n';
    std::uint64_t last = 0;
    std::string last_text;
    for (const auto* part : {&input.x, &input.y}) {
      for (const std::uint64_t bits : *part) {
        // Most elements of a probe are equal, so the last text is reused.
        if (last_text.empty() || bits != last)
          last_text = fmt::format("{:.17g}", numerics::widen(last = bits, options_.formats.input));
        if (text.size() > 0) text.push_back(separator);
        text.append(last_text);
      }
    }
    text.push_back('\n');
    return fmt::to_string(text);
  }

  CommandOptions options_;
  std::unique_ptr<Process> process_;
};

}  // namespace

std::optional<std::uint64_t> parse_answer(std::string_view text, Format format) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::string number(text);
  std::transform(number.begin(), number.end(), number.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  std::uint64_t bits = 0;
  if (number == "inf" || number == "infinity") {
    bits = numerics::infinity_bits(format);
  } else if (number == "nan") {
    bits = numerics::canonical_nan(format);
  } else {
    // `.5` and `1.` are numbers to C and Python, but not to the language.
    const bool hexadecimal = number.starts_with("0x");
    if (number.starts_with('.')) number.insert(0, "0");
    if (const auto point = number.find('.'); point != std::string::npos) {
      const bool digit = point + 1 < number.size() && number[point + 1] != 'e' && number[point + 1] != 'p';
      if (!digit) number.insert(point + 1, "0");
      if (hexadecimal && number.find('p') == std::string::npos) number += "p0";
    }
    if (number.find('_') != std::string::npos) return std::nullopt;
    const auto value = numerics::parse_number(number);
    if (!value) return std::nullopt;
    bits = numerics::round_rational(*value, format);
  }
  return negative ? bits ^ numerics::sign_bit(format) : bits;
}

Expected<Box> command_box(const CommandOptions& options) {
  if (trimmed(options.command).empty()) return Diagnostic(code::box_unusable, {}, "the command is empty");
  // std::function copies what it holds.
  return Box([box = std::make_shared<CommandBox>(options)](const Input& input) { return (*box)(input); });
}

Expected<OutputsBox> outputs_command_box(const CommandOptions& options) {
  if (trimmed(options.command).empty()) return Diagnostic(code::box_unusable, {}, "the command is empty");
  return OutputsBox([box = std::make_shared<CommandBox>(options)](const Input& input) { return box->all(input); });
}

}  // namespace reckon::reveal
