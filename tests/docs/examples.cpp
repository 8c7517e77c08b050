#include "tests/docs/examples.h"

#include <algorithm>

namespace reckon::test {
namespace {

struct Block {
  std::string language;
  std::size_t line = 0, begin = 0, end = 0;  ///< of what stands between the fences
};

std::vector<Block> blocks(const std::string& page) {
  std::vector<Block> out;
  bool inside = false;
  std::size_t number = 0;
  for (std::size_t at = 0, next = 0; at < page.size(); at = next) {
    next = std::min(page.find('\n', at), page.size() - 1) + 1;
    ++number;
    if (page.compare(at, 3, "```") != 0) continue;
    if (inside) out.back().end = at;
    else out.push_back({page.substr(at + 3, page.find('\n', at) - at - 3), number, next, next});
    inside = !inside;
  }
  return out;
}

}  // namespace

std::vector<Example> examples(const std::string& page) {
  std::vector<Example> out;
  for (const Block& block : blocks(page)) {
    const std::string text = page.substr(block.begin, block.end - block.begin);
    if (block.language == "reckon") {
      out.push_back({.line = block.line, .program = text});
    } else if (block.language == "text" && !out.empty() && !out.back().is_commands && !out.back().has_output) {
      Example& example = out.back();
      example.has_output = true;
      example.output = text;
      example.begin = block.begin;
      example.end = block.end;
    } else if (block.language.empty() && text.starts_with("$ ")) {
      Example example{.line = block.line, .is_commands = true, .has_output = true};
      std::size_t at = 0;
      while (text.compare(at, 2, "$ ") == 0) {
        const std::size_t next = text.find('\n', at) + 1;
        example.program += text.substr(at + 2, next - at - 2);
        at = next;
      }
      example.output = text.substr(at);
      example.begin = block.begin + at;
      example.end = block.end;
      out.push_back(example);
    }
  }
  return out;
}

std::string updated(std::string page, const std::function<std::optional<std::string>(const Example&)>& shown) {
  std::string out;
  std::size_t kept = 0;
  for (const Example& example : examples(page)) {
    if (!example.has_output) {
      static_cast<void>(shown(example));  // later commands may use what it leaves
      continue;
    }
    out += page.substr(kept, example.begin - kept);
    out += shown(example).value_or(example.output);
    kept = example.end;
  }
  return out + page.substr(kept);
}

}  // namespace reckon::test
