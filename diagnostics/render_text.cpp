// Diagnostics for people: the layout that tests/golden/diagnostics shows.
#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/diagnostic.h"
#include "diagnostics/source_line.h"

namespace reckon {

namespace {

// Two labelled lines with more than this many lines between them are separated by `...`.
constexpr std::uint32_t far_apart = 8;

enum class Paint : std::uint8_t { plain, strong, error, warning, note, frame };

std::string_view escape_of(Paint paint) {
  switch (paint) {
    case Paint::plain: return "";
    case Paint::strong: return "\x1b[1m";
    case Paint::error: return "\x1b[1;31m";
    case Paint::warning: return "\x1b[1;33m";
    case Paint::note: return "\x1b[1;36m";
    case Paint::frame: return "\x1b[1;34m";
  }
  return "";
}

Paint paint_of(Severity severity) {
  switch (severity) {
    case Severity::error: return Paint::error;
    case Severity::warning: return Paint::warning;
    case Severity::note: return Paint::note;
  }
  return Paint::error;
}

std::string_view word_of(Severity severity) {
  switch (severity) {
    case Severity::error: return "error";
    case Severity::warning: return "warning";
    case Severity::note: return "note";
  }
  return "error";
}

/// A label with its place in one line of its file.
struct PlacedLabel {
  const Label* label = nullptr;
  bool primary = false;
  std::uint32_t line = 0;
  MarkedRange range;
};

/// The screen row under a source line: characters with the paint that each wears.
class MarkRow {
 public:
  void put(std::size_t column, std::string_view text, Paint paint) {
    if (text_.size() < column + text.size()) {
      text_.resize(column + text.size(), ' ');
      paint_.resize(text_.size(), Paint::plain);
    }
    std::copy(text.begin(), text.end(), text_.begin() + static_cast<std::ptrdiff_t>(column));
    std::fill_n(paint_.begin() + static_cast<std::ptrdiff_t>(column), text.size(), paint);
  }
  bool free(std::size_t first, std::size_t last) const {
    return first >= text_.size() || text_.find_first_not_of(' ', first) >= last;
  }
  std::string_view text() const { return text_; }
  const std::vector<Paint>& paint() const { return paint_; }

 private:
  std::string text_;
  std::vector<Paint> paint_;
};

class TextRenderer {
 public:
  TextRenderer(const Diagnostic& diagnostic, const SourceMap& sources, bool color)
      : diagnostic_(diagnostic), sources_(sources), color_(color) {}

  std::string render() {
    header();
    std::vector<std::pair<std::uint32_t, std::vector<PlacedLabel>>> files = placed_by_file();
    std::uint32_t last_line = 0;
    for (const auto& [file, labels] : files) {
      for (const PlacedLabel& label : labels) last_line = std::max(last_line, label.line);
    }
    number_width_ = fmt::formatted_size("{}", last_line);
    bool first = true;
    for (auto& [file, labels] : files) {
      block(file, labels, first ? "-->" : ":::");
      first = false;
    }
    footnotes(!files.empty());
    return std::move(out_);
  }

 private:
  void painted(Paint paint, std::string_view text) {
    if (!color_ || paint == Paint::plain || text.empty()) {
      out_ += text;
      return;
    }
    out_ += escape_of(paint);
    out_ += text;
    out_ += "\x1b[0m";
  }

  void header() {
    painted(paint_of(diagnostic_.severity),
            diagnostic_.code == Code{} ? std::string(word_of(diagnostic_.severity))
                                       : fmt::format("{}[{}]", word_of(diagnostic_.severity), code_text(diagnostic_.code)));
    painted(Paint::strong, fmt::format(": {}", diagnostic_.message));
    out_ += '\n';
  }

  /// The file of the primary label comes first, others in the order of their labels.
  std::vector<std::pair<std::uint32_t, std::vector<PlacedLabel>>> placed_by_file() const {
    std::vector<std::pair<std::uint32_t, std::vector<PlacedLabel>>> files;
    const auto place = [&](const Label& label, bool primary) {
      const SourceSpan span = label.span;
      if (!span.known() || span.file >= sources_.file_count()) return;
      PlacedLabel placed{&label, primary, sources_.locate(span.file, span.begin).line, {}};
      const std::string_view line = sources_.line(span.file, placed.line);
      const auto start = static_cast<std::size_t>(line.data() - sources_.text(span.file).data());
      placed.range.begin = std::min<std::size_t>(span.begin - std::min<std::size_t>(start, span.begin), line.size());
      placed.range.end = std::clamp(span.end - std::min<std::size_t>(start, span.end), placed.range.begin, line.size());
      const auto found =
          std::find_if(files.begin(), files.end(), [&](const auto& entry) { return entry.first == span.file; });
      if (found == files.end()) {
        files.push_back({span.file, {std::move(placed)}});
      } else {
        found->second.push_back(std::move(placed));
      }
    };
    place(diagnostic_.primary, true);
    for (const Label& label : diagnostic_.secondary) place(label, false);
    return files;
  }

  void gutter() { painted(Paint::frame, fmt::format("{:{}}|", "", number_width_ + 2)); }

  void block(std::uint32_t file, std::vector<PlacedLabel>& labels, std::string_view arrow) {
    const LineColumn place = sources_.locate(file, labels.front().label->span.begin);
    painted(Paint::frame, fmt::format("{:{}}{}", "", number_width_ + 1, arrow));
    out_ += fmt::format(" {}:{}:{}\n", sources_.name(file), place.line, place.column);
    gutter();
    out_ += '\n';

    std::stable_sort(labels.begin(), labels.end(), [](const PlacedLabel& a, const PlacedLabel& b) {
      return std::pair(a.line, a.range.begin) < std::pair(b.line, b.range.begin);
    });
    std::uint32_t previous = labels.front().line;
    for (std::size_t first = 0; first < labels.size();) {
      const std::uint32_t number = labels[first].line;
      const std::string_view line = sources_.line(file, number);
      std::size_t last = first + 1;
      while (last < labels.size() && labels[last].line == number &&
             shares_window(line, labels[first].range.begin, labels[last].range.begin)) {
        ++last;
      }
      if (number - previous > far_apart) out_ += "...\n";
      labelled_line(number, line,
                    {labels.begin() + static_cast<std::ptrdiff_t>(first),
                     labels.begin() + static_cast<std::ptrdiff_t>(last)});
      previous = number;
      first = last;
    }
  }

  void labelled_line(std::uint32_t number, std::string_view line, std::vector<PlacedLabel> labels) {
    std::vector<MarkedRange> ranges;
    for (const PlacedLabel& label : labels) ranges.push_back(label.range);
    const ShownLine shown = show_line(line, ranges);
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i].range = ranges[i];

    painted(Paint::frame, fmt::format(" {:>{}} |", number, number_width_));
    if (!shown.text.empty()) out_.append(1, ' ').append(shown.text);
    out_ += '\n';
    // The primary label stands nearest to the code; labels that overlap take rows of their own.
    std::stable_partition(labels.begin(), labels.end(), [](const PlacedLabel& label) { return label.primary; });
    while (!labels.empty()) labels = mark_rows(std::move(labels));
  }

  /// Writes the labels that fit beside each other under one line; returns the others.
  std::vector<PlacedLabel> mark_rows(std::vector<PlacedLabel> labels) {
    MarkRow marks;
    std::vector<PlacedLabel> here, others;
    for (PlacedLabel& label : labels) {
      const auto [first, last] = std::pair(label.range.first_column, label.range.last_column);
      if (!marks.free(first, last)) {
        others.push_back(std::move(label));
        continue;
      }
      marks.put(first, std::string(last - first, label.primary ? '^' : '-'), paint(label));
      here.push_back(std::move(label));
    }
    std::sort(here.begin(), here.end(),
              [](const PlacedLabel& a, const PlacedLabel& b) { return a.range.first_column < b.range.first_column; });
    // The text of the rightmost mark stands beside it, the others hang below theirs.
    write_row(marks, here.back().label->text, paint(here.back()));
    here.pop_back();
    std::erase_if(here, [](const PlacedLabel& label) { return label.label->text.empty(); });
    if (!here.empty()) write_row(hooks(here), {}, Paint::plain);
    while (!here.empty()) {
      const PlacedLabel last = here.back();
      here.pop_back();
      MarkRow row = hooks(here);
      write_row(row, last.label->text, paint(last), last.range.first_column);
    }
    return others;
  }

  MarkRow hooks(const std::vector<PlacedLabel>& labels) const {
    MarkRow row;
    for (const PlacedLabel& label : labels) row.put(label.range.first_column, "|", paint(label));
    return row;
  }

  /// One row under the code; `text` after the marks, or at a column of its own.
  void write_row(const MarkRow& row, std::string_view text, Paint text_paint, std::optional<std::size_t> column = {}) {
    gutter();
    out_ += ' ';
    const std::string_view marks = row.text();
    for (std::size_t at = 0; at < marks.size();) {
      std::size_t end = at + 1;
      while (end < marks.size() && row.paint()[end] == row.paint()[at]) ++end;
      painted(row.paint()[at], marks.substr(at, end - at));
      at = end;
    }
    if (!text.empty()) {
      out_.append(column ? *column - std::min(*column, marks.size()) : 1, ' ');
      painted(text_paint, text);
    }
    out_ += '\n';
  }

  Paint paint(const PlacedLabel& label) const { return label.primary ? paint_of(diagnostic_.severity) : Paint::frame; }

  void footnotes(bool after_block) {
    if (diagnostic_.notes.empty() && diagnostic_.helps.empty()) return;
    if (after_block) {
      gutter();
      out_ += '\n';
    }
    for (const std::string& note : diagnostic_.notes) footnote("note", note);
    for (const std::string& help : diagnostic_.helps) footnote("help", help);
  }

  void footnote(std::string_view word, std::string_view text) {
    painted(Paint::frame, fmt::format("{:{}}=", "", number_width_ + 2));
    out_ += ' ';
    painted(Paint::strong, word);
    out_ += ": ";
    // Further lines of a footnote stand under its first.
    const std::string indent(number_width_ + 4 + word.size() + 2, ' ');
    for (const char c : text) {
      out_ += c;
      if (c == '\n') out_ += indent;
    }
    out_ += '\n';
  }

  const Diagnostic& diagnostic_;
  const SourceMap& sources_;
  bool color_;
  std::size_t number_width_ = 1;
  std::string out_;
};

}  // namespace

std::string render_text(const Diagnostic& diagnostic, const SourceMap& sources, bool color) {
  return TextRenderer(diagnostic, sources, color).render();
}

}  // namespace reckon
