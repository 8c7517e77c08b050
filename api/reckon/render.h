// Outcomes of programs as the command line prints them: text for people, and JSON for programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "export.h"  // beside this file
#include "reckon.h"

namespace reckon {

struct TextOptions {
  bool colored = false;  ///< with terminal colours
  bool verbose = false;  ///< everything that a verdict rests on
};

// Text without a line feed at its end; the middle of a long tensor is left out.

RECKON_API std::string to_text(const Shown& shown);
/// The parts of a result: `(1, 2)` of a tuple.
RECKON_API std::string to_text(const std::vector<Shown>& parts);
RECKON_API std::string to_text(const Checked& check, const TextOptions& options = {});
RECKON_API std::string to_text(const Saved& saved);

// One JSON object on one line, with all elements (docs/command_line.md, "JSON").

RECKON_API std::string to_json(const Shown& shown);
RECKON_API std::string to_json(const Checked& check);
RECKON_API std::string to_json(const Saved& saved);
/// What the evaluation measured (Shown::summary), as an object.
RECKON_API std::string summary_json(const Shown& shown);
/// A list of the messages' objects.
RECKON_API std::string to_json(const std::vector<Message>& messages);

/// The order that Session::reveal found for n elements.
RECKON_API std::string to_json(const Revealed& found, std::int64_t n);
/// The orders that Session::reveal_outputs found for arrays of these shapes. Of the elements of a slice, the first is told.
RECKON_API std::string to_json(const RevealedOutputs& found, const RevealOptions& options);

/// A form of a number (`value`, `lo`, `hi`) as f64, rounded to nearest; a NaN if it has no such form, or one that is no
/// number. `true` is 1.
RECKON_API double form_value(const Number& number, std::string_view form);

/// The checks of a program in `accept(P)`, by what they are about.
class RECKON_API Accepted {
 public:
  /// The checks of one operation (their left side) against one profile.
  struct Row {
    std::string semantics;
    std::int64_t checks = 0;
    Checked::Judged counts;
  };

  /// Counts a check that has counts (Checked::judged).
  void add(const Checked& check);
  const std::vector<Row>& rows() const { return rows_; }
  std::int64_t checks() const;

 private:
  std::vector<Row> rows_;
};

/// A row for each operation.
RECKON_API std::string to_text(const Accepted& accepted);
RECKON_API std::string to_json(const Accepted::Row& row);

/// The graver of two exit statuses: of two that are alike in gravity, the first.
RECKON_API int graver_status(int one, int other);
/// The exit status that an outcome alone gives. With `strict`, an undecided check gives 4.
RECKON_API int status_of(const Event& event, bool strict = false);
RECKON_API int status_of(const Checked& check, bool strict = false);

}  // namespace reckon
