// The names of semantics that a program adds to a session, itself or by shared libraries.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "api/implementation.h"
#include "diagnostics/codes/duplicate_name.h"
#include "semantics/standard.h"

namespace reckon {

std::vector<std::string> Session::Implementation::own_names() const {
  std::vector<std::string> out;
  for (const auto& [name, maker] : own_semantics) out.push_back(name);
  return out;
}

std::optional<Diagnostic> Session::Implementation::add_own(const std::string& name, semantics::Maker maker) {
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; };
  const bool is_word = !name.empty() && is_letter(static_cast<unsigned char>(name[0])) &&
                       std::ranges::all_of(name, [&](unsigned char c) { return is_letter(c) || std::isdigit(c) != 0; });
  const std::vector<std::string> words = keywords();
  if (!is_word || std::ranges::find(words, name) != words.end()) {
    return bad_argument(fmt::format("`{}` is no name for a semantics", name))
        .help("a name is a word of letters, digits and `_` that is no word of the language");
  }
  std::vector<std::string> known = semantics_names();
  known.emplace_back(interp::algebra_question);
  if (own_semantics.contains(name) || std::ranges::find(known, name) != known.end()) {
    return Diagnostic(code::duplicate_name, {}, fmt::format("there is a semantics `{}` already", name))
        .help("give yours another name");
  }
  own_semantics.emplace(name, std::move(maker));
  return std::nullopt;
}

std::optional<Diagnostic> Session::Implementation::open_libraries() {
  // One that cannot be used stays here, so that every later question is told so, too.
  while (!options.semantics_libraries.empty()) {
    const auto library = own_library(options.semantics_libraries.front());
    if (!library) return library.error();
    for (const auto& [name, maker] : **library) {
      if (auto problem = add_own(name, maker)) return problem;
    }
    options.semantics_libraries.erase(options.semantics_libraries.begin());
  }
  return std::nullopt;
}

std::vector<Message> Session::add_semantics(const std::string& name, semantics::Maker maker) {
  const auto problem = implementation_->add_own(name, std::move(maker));
  return problem ? implementation_->messages(*problem) : std::vector<Message>{};
}

std::vector<std::string> Session::all_semantics() const {
  implementation_->open_libraries();  // what is wrong with one is told where its semantics is asked for
  std::vector<std::string> out = semantics_names(), own = implementation_->own_names();
  out.insert(out.end(), own.begin(), own.end());
  return out;
}

}  // namespace reckon
