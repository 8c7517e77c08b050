// What a program of a user is expected to print, and where that is written: docs/testing.md.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace reckon::golden {

/// What one run gave, as a text: what it printed; behind a line `== messages`, what it wrote to standard error, if
/// anything; a line `== status N`, unless N is 0. Expected outputs are such texts, and are compared as texts: nobody
/// has to read one.
std::string result_text(std::string_view out, std::string_view messages, int status);

struct Expectation {
  enum class Place {
    nowhere,
    beside,  ///< in NAME.expected, beside NAME.rk
    inside,  ///< in the last lines of the program, each behind `#|`
    both,    ///< a mistake
  };
  Place place = Place::nowhere;
  std::size_t line = 1;        ///< of its file, from 1: where it begins
  std::string text;            ///< as `result_text` would write it
  std::size_t stray_line = 0;  ///< of the program: the last line `#|` before its last item; 0: there is none
};

/// NAME.expected for NAME.rk.
std::string path_beside(const std::string& program);

/// `beside`: the bytes of the file beside the program, if there is one.
Expectation read_expectation(std::string_view program, const std::optional<std::string>& beside);

/// The program with another expected output in its last lines. Its other lines, and its kind of line breaks, stay.
std::string with_expectation(std::string_view program, std::string_view result);

/// The file beside a program, with the kind of line breaks that it had.
std::string beside_file(std::string_view result, const std::optional<std::string>& before);

}  // namespace reckon::golden
