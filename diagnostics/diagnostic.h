// Diagnostics as values: one mistake, its code, its places, and what to do about it.
// tests/golden/diagnostics fixes the text and JSON forms.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "diagnostics/source.h"

namespace reckon {

enum class Severity : std::uint8_t { error, warning, note };

/// The number of a row of diagnostics.def; `Code{}` is none. The row `syntax` is `code::syntax` in
/// diagnostics/codes/syntax.h, which the build writes (cmake/ReckonDiagnostics.cmake). If the codes were here, a new
/// row would recompile everything.
enum class Code : std::uint16_t {};

/// `E0303`.
std::string code_text(Code code);
/// The row's one-line title.
std::string_view code_title(Code code);
/// The code that code_text writes like this.
std::optional<Code> code_named(std::string_view text);

struct Label {
  SourceSpan span;
  std::string text;
};

/// A replacement that a tool could apply.
struct Suggestion {
  SourceSpan span;
  std::string replacement;
};

struct Diagnostic {
  Severity severity = Severity::error;
  Code code{};          ///< none: a note that is no mistake
  std::string message;  ///< lower case, no final full stop, code in back-ticks
  Label primary;
  std::vector<Label> secondary;
  std::vector<std::string> notes;
  std::vector<std::string> helps;
  std::optional<Suggestion> suggestion;

  Diagnostic(Code code_, SourceSpan span, std::string message_, std::string label = {});
  Diagnostic();
  Diagnostic(const Diagnostic&);
  Diagnostic(Diagnostic&&) noexcept;
  Diagnostic& operator=(const Diagnostic&);
  Diagnostic& operator=(Diagnostic&&) noexcept;
  ~Diagnostic();
  Diagnostic&& with(SourceSpan span, std::string text) &&;  ///< another label
  Diagnostic&& note(std::string text) &&;
  Diagnostic&& help(std::string text) &&;
  Diagnostic&& suggest(SourceSpan span, std::string replacement) &&;
};

/// A value, or the diagnostic that says why there is none.
template <class T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Expected(Diagnostic diagnostic) : state_(std::in_place_index<1>, std::move(diagnostic)) {}
  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() { return std::get<0>(state_); }
  const T& operator*() const { return std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const Diagnostic& error() const { return std::get<1>(state_); }
  Diagnostic& error() { return std::get<1>(state_); }

 private:
  std::variant<T, Diagnostic> state_;
};

/// The form of tests/golden/diagnostics: header line, place, labelled lines, notes, helps. Ends with a line break.
std::string render_text(const Diagnostic& diagnostic, const SourceMap& sources, bool color);
/// One JSON object on one line, no line break.
std::string render_json(const Diagnostic& diagnostic, const SourceMap& sources);

/// The name nearest to `wanted` by edit distance (transpositions counted once), if it is near enough to suggest.
std::optional<std::string> nearest_name(std::string_view wanted, const std::vector<std::string>& names);

}  // namespace reckon
