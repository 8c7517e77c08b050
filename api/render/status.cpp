// Exit statuses of outcomes.
#include <algorithm>
#include <iterator>

#include "api/reckon/render.h"

namespace reckon {

int graver_status(int one, int other) {
  const auto gravity = [](int value) {
    constexpr int order[] = {0, 4, 1, 2, 3, 69, 70, 130};
    return std::find(std::begin(order), std::end(order), value) - std::begin(order);
  };
  return gravity(other) > gravity(one) ? other : one;
}

int status_of(const Event& event, bool strict) {
  if (const auto* messages = std::get_if<std::vector<Message>>(&event)) {
    int out = 0;
    for (const Message& message : *messages) out = graver_status(out, message.status);
    return out;
  }
  const auto* check = std::get_if<Checked>(&event);
  return check != nullptr ? status_of(*check, strict) : 0;
}

int status_of(const Checked& check, bool strict) {
  if (check.interrupted) return 130;
  if (check.verdict == "fails") return 1;
  return check.verdict == "undecided" && strict ? 4 : 0;
}

}  // namespace reckon
