// A shell command that reads numbers and prints their sum.
#pragma once

#include <chrono>
#include <string>

#include "reveal/outputs.h"

namespace reckon::reveal {

struct CommandOptions {
  std::string command;  ///< for /bin/sh -c
  /// One process for all questions: it reads a problem a line, numbers separated by spaces, and prints a sum a line,
  /// flushed. Else one process a question: a number a line, and the sum at the end of input.
  bool lines = false;
  Formats formats;
  std::chrono::milliseconds timeout = std::chrono::seconds(60);  ///< of one answer
};

/// Numbers are written in decimal with up to 17 significant digits: exact when read as f64. Of a sum of products, all x
/// come before all y. The answer is a decimal or hexadecimal (0x1.8p+3) number, `inf` or `nan`.
Expected<Box> command_box(const CommandOptions& options);

/// The same for a command that prints many sums: numbers separated by spaces or, without `lines`, by lines.
Expected<OutputsBox> outputs_command_box(const CommandOptions& options);

/// The number, rounded once into the format; nothing if the text is none.
std::optional<std::uint64_t> parse_answer(std::string_view text, Format format);

}  // namespace reckon::reveal
