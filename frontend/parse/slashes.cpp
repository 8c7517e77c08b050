#include "frontend/parse/slashes.h"

namespace reckon::frontend {

bool behind_slashes(std::string_view text, std::size_t place) {
  const std::string_view before = text.substr(0, place);
  bool in_string = false;
  for (std::size_t at = before.rfind('\n') + 1; at < before.size(); ++at) {  // npos + 1 is 0
    if (before[at] == '"') in_string = !in_string;
    else if (in_string && before[at] == '\\') ++at;
    else if (!in_string && before.substr(at, 2) == "//") return true;
  }
  return false;
}

}  // namespace reckon::frontend
