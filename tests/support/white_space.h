#pragma once

#include <random>
#include <string>

namespace reckon::test {

/// The text of a program with other white space: runs of spaces become other runs, with line breaks among them. Strings
/// and comments stay as they are.
std::string scrambled(const std::string& text, std::mt19937& random);

}  // namespace reckon::test
