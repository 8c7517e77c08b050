#include "tests/support/white_space.h"

namespace reckon::test {

std::string scrambled(const std::string& text, std::mt19937& random) {
  std::string out;
  bool in_string = false, in_comment = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n') in_comment = false;
    if (!in_string && c == '#') in_comment = true;
    if (!in_comment && c == '"' && (at == 0 || text[at - 1] != '\\')) in_string = !in_string;
    out += c;
    if (in_string || in_comment || (c != ' ' && c != ',' && c != '\n')) continue;
    for (unsigned n = random() % 3; n > 0; --n) out += " \n\t"[random() % 3];
  }
  return out;
}

}  // namespace reckon::test
