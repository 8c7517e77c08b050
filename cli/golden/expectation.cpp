#include "cli/golden/expectation.h"

#include <fmt/format.h>

#include "cli/golden/lines.h"

namespace reckon::golden {
namespace {

constexpr std::string_view mark = "#|", no_output = "== status 0\n";

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r\f\v") == std::string_view::npos; }

/// The lines [begin, end) at the end of a program that begin with the mark; only blank ones follow them.
struct Block {
  std::size_t begin, end;
};

Block block_of(const std::vector<std::string_view>& lines) {
  Block out{lines.size(), lines.size()};
  while (out.end > 0 && is_blank(lines[out.end - 1])) --out.end;
  out.begin = out.end;
  while (out.begin > 0 && lines[out.begin - 1].starts_with(mark)) --out.begin;
  return out;
}

std::string with_ends(std::string_view text, bool windows) {
  if (!windows) return std::string(text);
  std::string out;
  for (const std::string_view line : lines_of(text)) {
    out += line;
    out += "\r\n";
  }
  return out;
}

/// That nothing is printed can be said by `== status 0`: where the text stands behind marks, it needs a line.
std::string normal(std::string text) { return text == no_output ? std::string() : text; }

}  // namespace

std::string result_text(std::string_view out, std::string_view messages, int status) {
  std::string text = plain_lines(out);
  if (!messages.empty()) text += "== messages\n" + plain_lines(messages);
  if (status != 0) text += fmt::format("== status {}\n", status);
  return text;
}

std::string path_beside(const std::string& program) { return program.substr(0, program.rfind(".rk")) + ".expected"; }

Expectation read_expectation(std::string_view program, const std::optional<std::string>& beside) {
  const std::vector<std::string_view> lines = lines_of(program);
  const Block block = block_of(lines);
  Expectation out;
  for (std::size_t k = block.begin; k-- > 0 && out.stray_line == 0;) {
    if (lines[k].starts_with(mark)) out.stray_line = k + 1;
  }
  const bool inside = block.begin < block.end;
  if (inside && beside) {
    out.place = Expectation::Place::both;
  } else if (beside) {
    out.place = Expectation::Place::beside;
    out.text = normal(plain_lines(*beside));
  } else if (inside) {
    out.place = Expectation::Place::inside;
    std::string text;
    for (std::size_t k = block.begin; k < block.end; ++k) {
      std::string_view line = lines[k].substr(mark.size());
      if (line.starts_with(' ')) line.remove_prefix(1);
      text += line;
      text += '\n';
    }
    out.text = normal(plain_lines(text));
  }
  if (inside) out.line = block.begin + 1;
  return out;
}

std::string with_expectation(std::string_view program, std::string_view result) {
  const std::vector<std::string_view> lines = lines_of(program);
  const Block block = block_of(lines);
  std::string marked;
  for (const std::string_view line : lines_of(result.empty() ? no_output : result)) {
    marked += mark;
    if (!line.empty()) marked += ' ';
    marked += line;
    marked += '\n';
  }
  // The bytes before the block, as they are.
  const std::size_t before = block.begin == lines.size()
                                 ? program.size()
                                 : static_cast<std::size_t>(lines[block.begin].data() - program.data());
  return std::string(program.substr(0, before)) + with_ends(marked, has_windows_ends(program));
}

std::string beside_file(std::string_view result, const std::optional<std::string>& before) {
  return with_ends(result, before && has_windows_ends(*before));
}

}  // namespace reckon::golden
