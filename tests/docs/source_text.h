// What the text of a C++ file says of its classes and functions, without a compiler: enough for code in this project's
// style, and no more.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace reckon::test {

struct FunctionText {
  std::string name;  ///< as it is defined: `Class::function`
  std::size_t line = 0;
  std::size_t lines = 0;  ///< from its name to its last brace
};

struct SourceText {
  std::map<std::string, std::size_t> members;            ///< member functions of each class that is defined there
  std::map<std::string, std::set<std::string>> friends;  ///< classes that a class lets see its private members
  std::vector<FunctionText> functions;                   ///< with a body
};

SourceText read_source(const std::string& text);

}  // namespace reckon::test
