#include "cli/documentation.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/reckon/explain.h"

namespace reckon::cli {

std::optional<std::string> documentation(Session& session, const std::string& name) {
  // A definition of the session hides what the language calls so.
  if (const auto definition = session.definition(name)) {
    std::string out;
    if (const auto line = session.describe(name)) out += *line + "\n\n";
    return out + definition->comment + definition->text;
  }
  for (const ReferenceEntry& entry : reference()) {
    if (std::ranges::find(entry.names, name) == entry.names.end()) continue;
    return fmt::format("{}\n\n{}\n\n{}: {}", fmt::join(entry.names, ", "), entry.text, entry.chapter,
                       entry.introduction);
  }
  return session.describe(name);
}

std::vector<std::string> documented_names() {
  std::vector<std::string> out;
  for (const ReferenceEntry& entry : reference()) out.insert(out.end(), entry.names.begin(), entry.names.end());
  return out;
}

}  // namespace reckon::cli
