#include "cli/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/options.h"

namespace reckon::cli {
namespace {

int number_of(const std::string& code) { return std::stoi(code.substr(1)); }

/// The number of a code in one of its spellings.
std::optional<int> read_code(std::string text) {
  if (!text.empty() && (text.front() == 'E' || text.front() == 'e')) text.erase(0, 1);
  const bool digits = std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
  if (text.empty() || text.size() > 4 || !digits) return std::nullopt;
  return std::stoi(text);
}

/// The code of the same hundred (the same kind of mistake) whose number is nearest; else the one whose spelling is
/// nearest, `E0300` for `E3000`; else the nearest number. Without a number only the spelling counts.
std::optional<ErrorPage> nearest_page(const std::string& text, std::optional<int> number,
                                      const std::vector<ErrorPage>& pages) {
  const auto distance = [&](const ErrorPage& page) { return std::abs(number_of(page.code) - number.value_or(0)); };
  const auto nearest = std::ranges::min_element(pages, {}, distance);
  if (number && number_of(nearest->code) / 100 == *number / 100) return *nearest;
  std::vector<std::string> codes;
  for (const ErrorPage& page : pages) codes.push_back(page.code);
  if (const auto alike = Session::nearest(text, codes)) return *std::ranges::find(pages, *alike, &ErrorPage::code);
  return number ? std::optional(*nearest) : std::nullopt;
}

}  // namespace

std::variant<ErrorPage, std::string> find_page(const std::string& text) {
  const std::vector<ErrorPage> pages = error_pages();
  const auto number = read_code(text);
  const auto found =
      std::ranges::find_if(pages, [&](const ErrorPage& page) { return number && number_of(page.code) == *number; });
  if (found != pages.end()) return *found;
  const std::string written = number ? fmt::format("E{:04}", *number) : text;
  const auto near = nearest_page(written, number, pages);
  if (!near) return fmt::format("`{}` is no code: codes are written `E0300` or `300`", written);
  return fmt::format("there is no code `{}`; the nearest is `{}`: {}", written, near->code, near->title);
}

void explain_code(const std::string& code, bool json, Console& console) {
  using Json = nlohmann::ordered_json;
  if (code.empty()) {
    for (const ErrorPage& page : error_pages()) {
      console.line(json ? Json{{"kind", "code"}, {"code", page.code}, {"title", page.title}}.dump()
                        : fmt::format("{}  {}", page.code, page.title));
    }
    return;
  }
  const auto found = find_page(code);
  if (const auto* problem = std::get_if<std::string>(&found)) {
    console.complain(*problem);
    console.raise(wrong_usage);
    return;
  }
  const auto& page = std::get<ErrorPage>(found);
  console.line(json ? Json{{"kind", "code"}, {"code", page.code}, {"title", page.title}, {"page", page.text}}.dump()
                    : page.text.substr(0, page.text.find_last_not_of('\n') + 1));
}

int explain(const ExplainCommand& options, const Common& common) {
  Console console(common);
  explain_code(options.code, common.json, console);
  return console.status();
}

}  // namespace reckon::cli
