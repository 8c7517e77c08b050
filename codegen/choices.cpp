#include "codegen/choices.h"

namespace reckon::codegen {

std::size_t Choices::take(std::string of, std::vector<std::string> ways, std::size_t usual) {
  if (!is_open_ || ways.size() < 2) return usual;
  std::size_t taken = usual;
  if (const auto stated = stated_.find(of); stated != stated_.end()) {
    const auto found = std::ranges::find(ways, stated->second);
    if (found != ways.end()) taken = static_cast<std::size_t>(found - ways.begin());
  }
  made_.push_back({std::move(of), std::move(ways), usual, taken});
  return taken;
}

bool Choices::leaves_out(const std::string& of) {
  const auto stated = stated_.find(of);
  if (!is_open_ || stated == stated_.end() || stated->second != "no") return false;
  made_.push_back({of, {"yes", "no"}, 0, 1});
  return true;
}

void Choices::takes(std::string of) {
  if (is_open_) made_.push_back({std::move(of), {"yes", "no"}, 0, 0});
}

const StatedChoices::value_type* Choices::unmet() const {
  for (const auto& stated : stated_) {
    const bool met = std::ranges::any_of(made_, [&](const Choice& choice) {
      return choice.of == stated.first && choice.ways[choice.taken] == stated.second;
    });
    if (!met) return &stated;
  }
  return nullptr;
}

std::uint32_t threads_of_choices(Choices& choices, std::string_view kernel, std::uint32_t usual) {
  std::vector<std::uint32_t> threads;
  std::vector<std::string> ways;
  for (std::uint32_t count = 32; count <= 1024; count *= 2) threads.push_back(count);
  if (std::ranges::find(threads, usual) == threads.end()) return usual;
  for (const std::uint32_t count : threads) ways.push_back(std::to_string(count));
  const auto number = static_cast<std::size_t>(std::ranges::find(threads, usual) - threads.begin());
  return threads[choices.take(std::string(kernel) + ".threads", std::move(ways), number)];
}

std::string text_of(const StatedChoices& choices) {
  std::string out;
  for (const auto& [of, way] : choices) out += (out.empty() ? "" : " ") + of + "=" + way;
  return out;
}

bool add_choice(StatedChoices& choices, std::string_view text) {
  const std::size_t sign = text.find('=');
  if (sign == 0 || sign == std::string_view::npos || sign + 1 == text.size()) return false;
  choices[std::string(text.substr(0, sign))] = std::string(text.substr(sign + 1));
  return true;
}

}  // namespace reckon::codegen
