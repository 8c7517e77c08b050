// Takes docs/reference.md apart.
#include <algorithm>

#include "api/reckon/explain.h"
#include "api/reference_page.h"

namespace reckon {
namespace {

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \n");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \n") - first + 1));
}

/// `sin, cos, tan`.
std::vector<std::string> names_of(std::string_view heading) {
  std::vector<std::string> out;
  while (!heading.empty()) {
    const auto comma = std::min(heading.find(','), heading.size());
    out.push_back(trimmed(heading.substr(0, comma)));
    heading.remove_prefix(std::min(comma + 1, heading.size()));
  }
  return out;
}

}  // namespace

std::vector<ReferenceEntry> reference() {
  std::vector<ReferenceEntry> out;
  std::string chapter;
  std::string* text = nullptr;  // what the next lines are added to
  std::string introduction;
  for (std::string_view page = reference_page(); !page.empty();) {
    const auto end = std::min(page.find('\n'), page.size());
    const std::string_view line = page.substr(0, end);
    page.remove_prefix(std::min(end + 1, page.size()));
    if (line.starts_with("## ")) {
      chapter = line.substr(3);
      introduction.clear();
      text = &introduction;
    } else if (line.starts_with("### ")) {
      out.push_back({names_of(line.substr(4)), {}, chapter, trimmed(introduction)});
      text = &out.back().text;
    } else if (text != nullptr) {
      text->append(line) += '\n';
    }
  }
  for (ReferenceEntry& entry : out) entry.text = trimmed(entry.text);
  return out;
}

std::string form_of(std::string_view name) {
  for (const ReferenceEntry& entry : reference()) {
    if (std::ranges::find(entry.names, name) == entry.names.end()) continue;
    // An entry for several names has the call of one of them.
    for (const std::string_view called : {name, std::string_view(entry.names.front())}) {
      const std::string begin = "`" + std::string(called) + "(";
      const auto at = entry.text.find(begin);
      const auto end = at == std::string::npos ? at : entry.text.find('`', at + 1);
      if (end == std::string::npos) continue;
      return std::string(name) + entry.text.substr(at + begin.size() - 1, end - at - begin.size() + 1);
    }
  }
  return {};
}

}  // namespace reckon
