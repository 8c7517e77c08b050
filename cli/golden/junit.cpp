#include "cli/golden/junit.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace reckon::golden {
namespace {

/// The length of the character at the beginning, if it is one that XML 1.0 (section 2.2) allows; else 0.
std::size_t allowed_bytes(std::string_view text) {
  const auto at = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
  const auto follows = [&](std::size_t k) { return (at(k) & 0xc0u) == 0x80u; };
  const unsigned lead = at(0);
  if (lead < 0x80) return lead >= 0x20 || lead == '\t' || lead == '\n' ? 1 : 0;
  if (lead >= 0xc2 && lead < 0xe0) return follows(1) ? 2 : 0;
  if (lead >= 0xe0 && lead < 0xf0) {
    if (!follows(1) || !follows(2)) return 0;
    const unsigned code = (lead & 0xfu) << 12 | (at(1) & 0x3fu) << 6 | (at(2) & 0x3fu);
    return code >= 0x800 && (code < 0xd800 || code > 0xdfff) && code < 0xfffe ? 3 : 0;
  }
  if (lead >= 0xf0 && lead < 0xf5) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    const unsigned code = (lead & 7u) << 18 | (at(1) & 0x3fu) << 12 | (at(2) & 0x3fu) << 6 | (at(3) & 0x3fu);
    return code >= 0x10000 && code <= 0x10ffff ? 4 : 0;
  }
  return 0;
}

/// As content or as the value of an attribute. Bytes that XML does not allow are written as `\x1b`.
std::string escaped(std::string_view text, bool attribute) {
  std::string out;
  while (!text.empty()) {
    const std::size_t bytes = allowed_bytes(text);
    const char first = text[0];
    if (bytes == 0) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(first));
    else if (first == '&') out += "&amp;";
    else if (first == '<') out += "&lt;";
    else if (first == '>') out += "&gt;";
    else if (first == '"') out += "&quot;";
    else if (attribute && bytes == 1 && static_cast<unsigned char>(first) < 0x20) out += fmt::format("&#{};", +first);
    else out += text.substr(0, bytes);
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return out;
}

std::string attribute(const char* name, std::string_view value) {
  return fmt::format(" {}=\"{}\"", name, escaped(value, true));
}

}  // namespace

std::string junit_report(const std::vector<Outcome>& outcomes, double seconds) {
  const auto count = [&](std::string_view element) {
    return std::count_if(outcomes.begin(), outcomes.end(), [&](const Outcome& outcome) {
      const char* junit = consequence(outcome.verdict).junit;
      return junit != nullptr && junit == element;
    });
  };
  const std::string counts = fmt::format(" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3f}\"", outcomes.size(),
                                         count("failure"), count("error"), seconds);
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += fmt::format("<testsuites{}>\n<testsuite name=\"reckon test\"{} skipped=\"0\">\n", counts, counts);
  for (const Outcome& outcome : outcomes) {
    const std::size_t slash = outcome.program.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : outcome.program.substr(0, slash);
    out += "<testcase" + attribute("classname", folder) +
           attribute("name", slash == std::string::npos ? outcome.program : outcome.program.substr(slash + 1)) +
           attribute("file", outcome.program) + fmt::format(" time=\"{:.3f}\"", outcome.seconds);
    const Consequence& follows = consequence(outcome.verdict);
    if (follows.junit == nullptr) {
      out += "/>\n";
      continue;
    }
    const std::string sentence = outcome.sentence.empty() ? "differs from " + outcome.expected_file : outcome.sentence;
    out += fmt::format(">\n<{0}{1}{2}>{3}</{0}>\n</testcase>\n", follows.junit, attribute("type", follows.word),
                       attribute("message", sentence), escaped(outcome.details + outcome.difference({}), false));
  }
  return out + "</testsuite>\n</testsuites>\n";
}

}  // namespace reckon::golden
