#include "api/sized_circuits.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/reckon/reckon.h"

namespace reckon {
namespace {

/// The schedule of a sum `(sum k < 100: BODY by SCHEDULE)` in a text.
struct Ordered {
  std::size_t begin = 0, end = 0;  ///< of the schedule
  std::string schedule, terms;
};

std::vector<Ordered> schedules_in(const std::string& text) {
  std::vector<Ordered> out;
  std::vector<std::size_t> open;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '(') open.push_back(at);
    if (text[at] == ')' && !open.empty()) open.pop_back();
    if (text.compare(at, 4, " by ") != 0 || open.empty()) continue;
    Ordered one;
    one.begin = one.end = at + 4;
    for (int depth = 0; one.end < text.size() && depth >= 0; ++one.end)
      depth += text[one.end] == '(' ? 1 : text[one.end] == ')' ? -1 : 0;
    --one.end;
    one.schedule = text.substr(one.begin, one.end - one.begin);
    const std::size_t less = text.find("< ", open.back()), colon = text.find(':', open.back());
    if (less < colon && colon < at) one.terms = text.substr(less + 2, colon - less - 2);
    out.push_back(std::move(one));
  }
  return out;
}

std::string without_digits(std::string text) {
  std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
  return text;
}

/// Whether two schedules have one tree. Of accumulators, trees do not say what is rounded.
bool have_one_tree(const std::string& a, const std::string& b, const std::string& terms, Session& session) {
  for (const char* accumulator : {"fused", "mma", "any"}) {
    if (a.find(accumulator) != std::string::npos || b.find(accumulator) != std::string::npos) return false;
  }
  const auto same = session.evaluate(fmt::format("same({}, {}, {})", a, b, terms));
  return same && same->size() == 1 && same->front().text == "true";
}

}  // namespace

std::optional<std::string> one_circuit(std::vector<trace::Instance> instances, std::string& problem) {
  const auto largest = std::max_element(instances.begin(), instances.end(), [](const auto& a, const auto& b) {
    return a.sizes[0].second < b.sizes[0].second;
  });
  const std::vector<Ordered> wanted = schedules_in(largest->text);
  std::optional<Session> session;
  for (trace::Instance& instance : instances) {
    const std::vector<Ordered> own = schedules_in(instance.text);
    if (own.size() != wanted.size()) continue;
    for (std::size_t k = own.size(); k-- > 0;) {
      const std::string& schedule = wanted[k].schedule;
      if (own[k].terms.empty() || without_digits(own[k].schedule) == without_digits(schedule)) continue;
      if (!session) {
        session.emplace(SessionOptions{});
        if (!session->load("import \"schedules\"\n", "schedules of sizes"))
          return trace::generalised(instances, problem);
      }
      if (!have_one_tree(schedule, own[k].schedule, own[k].terms, *session)) continue;
      instance.text.replace(own[k].begin, own[k].end - own[k].begin, schedule);
    }
  }
  return trace::generalised(instances, problem);
}

}  // namespace reckon
