#include "cli/golden/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/golden/edits.h"
#include "cli/golden/lines.h"

namespace reckon::golden {
namespace {

constexpr std::size_t context = 3;
constexpr std::string_view red = "\033[31m", green = "\033[32m", cyan = "\033[36m", reverse = "\033[7m",
                           no_reverse = "\033[27m", plain = "\033[0m", dots = "...";

constexpr std::size_t nothing = static_cast<std::size_t>(-1);

/// Of each edit, the one that it replaces or that replaces it: where lines go out and others come in, the first of the
/// ones and of the others belong together, and so on.
std::vector<std::size_t> partners(const std::vector<Edit>& all) {
  std::vector<std::size_t> out(all.size(), nothing);
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t middle = begin;
    while (middle < all.size() && all[middle].mark == '-') ++middle;
    std::size_t end = middle;
    while (end < all.size() && all[end].mark == '+') ++end;
    for (std::size_t k = 0; begin + k < middle && middle + k < end; ++k) {
      out[begin + k] = middle + k;
      out[middle + k] = begin + k;
    }
    begin = std::max(end, begin + 1);
  }
  return out;
}

/// What stands for one character on a terminal.
struct Cell {
  std::string text;
  bool differs = false;  ///< it is not in the line that stands in the place of this one, or that one has more before it
};
using Cells = std::vector<Cell>;

std::size_t bytes_of_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return 1;
  const std::size_t bytes = lead >= 0xc2 && lead < 0xe0   ? 2
                            : lead >= 0xe0 && lead < 0xf0 ? 3
                            : lead >= 0xf0 && lead < 0xf5 ? 4
                                                          : 0;
  if (bytes == 0 || bytes > text.size()) return 0;
  const bool whole = std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(bytes),
                                 [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; });
  return whole ? bytes : 0;
}

Cells cells_of(std::string_view line) {
  Cells out;
  while (!line.empty()) {
    const std::size_t bytes = bytes_of_character(line);
    const auto lead = static_cast<unsigned char>(line[0]);
    if (lead == '\t') out.push_back({"\\t"});
    else if (bytes == 0 || lead < 0x20 || lead == 0x7f) out.push_back({fmt::format("\\x{:02x}", lead)});
    else out.push_back({std::string(line.substr(0, bytes))});
    line.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return out;
}

/// The words, numbers and single other characters of a line.
std::vector<std::string_view> tokens_of(std::string_view line) {
  const auto in_word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
           c == '#';
  };
  std::vector<std::string_view> out;
  while (!line.empty()) {
    std::size_t length = 0;
    while (length < line.size() && in_word(line[length])) ++length;
    if (length == 0) length = std::max<std::size_t>(bytes_of_character(line), 1);
    out.push_back(line.substr(0, length));
    line.remove_prefix(length);
  }
  return out;
}

/// A piece of two lines, one of which stands in the place of the other.
struct Piece {
  Cells left, right;
  bool same;
};

struct Pair {
  std::vector<Piece> pieces;
  bool alike = false;  ///< so much of the lines is the same that it helps to see what is not
};

void append(Cells& to, const Cells& from) { to.insert(to.end(), from.begin(), from.end()); }

/// Marks, in both lines, the words that the other one does not have; of a word that stands for another one, what
/// follows their common beginning, up to their common end if they are equally long. Where the right line lacks a word,
/// the character after the place is marked.
Pair compared(std::string_view left, std::string_view right) {
  const std::vector<std::string_view> a = tokens_of(left), b = tokens_of(right);
  Pair out;
  std::size_t same_bytes = 0;
  const auto add = [&](std::string_view from_left, std::string_view from_right) {
    const bool same = from_left == from_right;
    if (same) same_bytes += from_left.size();
    if (out.pieces.empty() || out.pieces.back().same != same) out.pieces.push_back({{}, {}, same});
    append(out.pieces.back().left, cells_of(from_left));
    append(out.pieces.back().right, cells_of(from_right));
  };
  const std::vector<Edit> all = edits(a, b);
  const std::vector<std::size_t> partner = partners(all);
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all[k].mark == ' ') {
      add(a[all[k].left], a[all[k].left]);
    } else if (partner[k] == nothing) {
      if (all[k].mark == '-') add(a[all[k].left], {});
      else add({}, b[all[k].right]);
    } else if (all[k].mark == '-') {  // the other one of the two says nothing new
      const std::string_view one = a[all[k].left], other = b[all[partner[k]].right];
      const auto common = static_cast<std::size_t>(
          std::mismatch(one.begin(), one.end(), other.begin(), other.end()).first - one.begin());
      // The digits of two patterns of bits stand below each other; those of decimals need not.
      std::size_t after = 0;
      while (one.size() == other.size() && after < one.size() - common &&
             one[one.size() - 1 - after] == other[other.size() - 1 - after]) {
        ++after;
      }
      const auto add_if_any = [&](std::string_view part) {
        if (!part.empty()) add(part, part);
      };
      add_if_any(one.substr(0, common));
      add(one.substr(common, one.size() - common - after), other.substr(common, other.size() - common - after));
      add_if_any(one.substr(one.size() - after));
    }
  }
  for (std::size_t k = 0; k < out.pieces.size(); ++k) {
    Piece& piece = out.pieces[k];
    if (piece.same) continue;
    for (Cells* cells : {&piece.left, &piece.right}) {
      for (Cell& cell : *cells) cell.differs = true;
    }
    if (piece.right.empty() && k + 1 < out.pieces.size()) out.pieces[k + 1].right[0].differs = true;
    else if (piece.right.empty() && k > 0) out.pieces[k - 1].right.back().differs = true;
  }
  out.alike = same_bytes > 0 && 2 * same_bytes >= std::max(left.size(), right.size());
  return out;
}

std::size_t columns(const Cells& cells) {
  std::size_t out = 0;
  for (const Cell& cell : cells) out += cell.text[0] == '\\' || cell.text == dots ? cell.text.size() : 1;
  return out;
}

/// Leaves `kept` characters at each end of what is the same for long, in both lines.
void shorten(std::vector<Piece>& pieces, std::size_t kept) {
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    if (!pieces[k].same) continue;
    const std::size_t head = k == 0 ? 0 : kept, tail = k + 1 == pieces.size() ? 0 : kept;
    for (Cells* cells : {&pieces[k].left, &pieces[k].right}) {
      if (cells->size() <= head + tail + dots.size()) continue;
      const auto middle = cells->begin() + static_cast<std::ptrdiff_t>(head);
      cells->insert(cells->erase(middle, cells->end() - static_cast<std::ptrdiff_t>(tail)), {std::string(dots)});
    }
  }
}

Cells line_of(const std::vector<Piece>& pieces, char mark) {
  Cells out;
  for (const Piece& piece : pieces) append(out, mark == '-' ? piece.left : piece.right);
  return out;
}

/// One of the two lines, within the width if what differs leaves room for it.
Cells line_of(Pair pair, char mark, std::size_t width) {
  for (const std::size_t kept : {64, 32, 16, 8}) {
    if (std::max(columns(line_of(pair.pieces, '-')), columns(line_of(pair.pieces, '+'))) <= width) break;
    shorten(pair.pieces, kept);
  }
  return line_of(pair.pieces, mark);
}

/// What is beyond the width goes.
Cells cut(Cells cells, std::size_t width) {
  if (columns(cells) <= width) return cells;
  while (columns(cells) + dots.size() > width) cells.pop_back();
  cells.push_back({std::string(dots)});
  return cells;
}

std::string colored_row(char mark, const Cells& cells, bool alike) {
  std::string out;
  out += mark == '-' ? red : green;
  out += mark;
  bool reversed = false;
  for (const Cell& cell : cells) {
    if ((cell.differs && alike) != reversed) {
      reversed = !reversed;
      out += reversed ? reverse : no_reverse;
    }
    out += cell.text;
  }
  out += plain;
  return out + "\n";
}

std::string plain_row(char mark, const Cells& cells) {
  std::string out(1, mark);
  for (const Cell& cell : cells) out += cell.text;
  return out + "\n";
}

/// Carets under what differs.
std::string carets(const Cells& cells) {
  std::string out = "?";
  for (const Cell& cell : cells) out.append(columns({cell}), cell.differs ? '^' : ' ');
  return out.substr(0, out.find_last_not_of(' ') + 1) + "\n";
}

std::string range(std::size_t first, std::size_t count) {
  return count == 1 ? std::to_string(first) : fmt::format("{},{}", count == 0 ? first - 1 : first, count);
}

/// The edits [begin, end), which stand in one part.
struct Part {
  std::size_t begin, end;
};

std::vector<Part> parts(const std::vector<Edit>& all) {
  std::vector<Part> out;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all[k].mark == ' ') continue;
    const std::size_t begin = k - std::min(k, context), end = std::min(k + 1 + context, all.size());
    if (!out.empty() && begin <= out.back().end) out.back().end = end;
    else out.push_back({begin, end});
  }
  return out;
}

std::string heading(const std::vector<Edit>& all, const Part& part, std::size_t first_line) {
  std::size_t left = 0, right = 0;
  for (std::size_t k = part.begin; k < part.end; ++k) {
    left += all[k].mark != '+';
    right += all[k].mark != '-';
  }
  const Edit& first = all[part.begin];
  return fmt::format("@@ -{} +{} @@", range(first.left + first_line, left), range(first.right + 1, right));
}

}  // namespace

std::string difference(std::string_view expected, std::string_view actual, const DifferenceStyle& style) {
  const std::vector<std::string_view> left = lines_of(expected), right = lines_of(actual);
  const std::vector<Edit> all = edits(left, right);
  const std::vector<std::size_t> partner = partners(all);
  std::string out;
  std::size_t lines = 0, left_out = 0;
  const auto row = [&](char mark, const Cells& cells, bool alike) {
    out += style.colored && mark != ' ' ? colored_row(mark, cells, alike) : plain_row(mark, cells);
  };
  for (const Part& part : parts(all)) {
    if (lines < style.most_lines) {
      const std::string head = heading(all, part, style.first_line);
      out += style.colored ? fmt::format("{}{}{}\n", cyan, head, plain) : head + "\n";
    }
    for (std::size_t k = part.begin; k < part.end; ++k) {
      if (lines++ >= style.most_lines) {
        ++left_out;
        continue;
      }
      const char mark = all[k].mark;
      if (partner[k] == nothing) {
        row(mark, cut(cells_of(mark == '+' ? right[all[k].right] : left[all[k].left]), style.width), false);
        continue;
      }
      const std::size_t minus = mark == '-' ? k : partner[k], plus = mark == '-' ? partner[k] : k;
      const Pair pair = compared(left[all[minus].left], right[all[plus].right]);
      const Cells cells = cut(line_of(pair, mark, style.width), style.width);
      row(mark, cells, pair.alike);
      if (mark == '+' && pair.alike && !style.colored) out += carets(cells);
    }
  }
  if (left_out > 0) out += fmt::format("... {} more line{}\n", left_out, left_out == 1 ? "" : "s");
  return out;
}

}  // namespace reckon::golden
