// The examples of pages in Markdown: programs and commands, each with what the page says that it prints.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace reckon::test {

struct Example {
  std::size_t line = 0;      ///< of the page, where its block begins
  bool is_commands = false;  ///< a block without a language that begins with `$ `; else a ```reckon block
  std::string program;       ///< or the commands, one a line, without `$ `
  bool has_output = false;   ///< whether a ```text block follows; commands have it in their own block
  std::string output;
  std::size_t begin = 0, end = 0;  ///< where the output stands in the page
};

/// In the order of the page.
std::vector<Example> examples(const std::string& page);

/// The page with every output for which `shown` gives another text.
std::string updated(std::string page, const std::function<std::optional<std::string>(const Example&)>& shown);

}  // namespace reckon::test
