// What is entered at the prompt or in `eval`: numbers without a format, and the definitions of a session.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "api/implementation.h"
#include "diagnostics/codes/no_order.h"
#include "diagnostics/codes/unknown_type.h"
#include "driver/closed_numbers.h"
#include "numerics/format.h"
#include "semantics/standard.h"

namespace reckon {
namespace {

/// The number as the shortest decimal of the format; empty if it is too large or too small for the format.
std::string decimal_of(const mpq_class& value, ir::Scalar scalar) {
  const numerics::Format format = ir::format_of(scalar);
  const std::uint64_t bits = numerics::round_rational(value, format);
  const auto rounded = numerics::exact_value(bits, format);
  return rounded && *rounded != 0 ? numerics::shortest_decimal(bits, format) : std::string();
}

Shown static_number(const std::string& type, const std::string& text, ir::Scalar format) {
  Shown out;
  out.is_static = true;
  out.type = type;
  out.text = text;
  if (type == "rational" && text.find('/') != std::string::npos) out.decimal = decimal_of(mpq_class(text), format);
  return out;
}

}  // namespace

Expected<std::vector<Shown>> Session::Implementation::as_it_stands(const frontend::ElaboratedItem& item) {
  const auto& fixed = std::get<frontend::StaticResult>(*item.value);
  const bool fractions = fixed.text.find('/') != std::string::npos;
  if (in_entry && fixed.type == "list" && fractions && item.number) {
    return evaluate(session.in_format(*item.number, number_format), interp::floats(), {}, {});
  }
  if (in_entry) return std::vector<Shown>{static_number(fixed.type, fixed.text, number_format)};
  Shown out;
  out.is_static = true;
  out.type = fixed.type;
  out.text = fixed.text;
  return std::vector<Shown>{out};
}

std::optional<ir::Function> Session::Implementation::in_entry_format(const ir::Function& function,
                                                                     const driver::Traits& traits) {
  if (!in_entry || traits.closed_numbers == nullptr || traits.encloses) return std::nullopt;
  if (!session.has_numbers(function)) return std::nullopt;
  return session.in_format(function, number_format);
}

Expected<std::vector<Shown>> Session::Implementation::show_closed(const ir::Function& function,
                                                                  std::shared_ptr<interp::Semantics> with) {
  ir::Module& module = session.module();
  const ir::PlacesGuard placing(module, function.places);
  const auto number = with->traits().closed_numbers->number(module, function.body, number_format);
  if (!number) return number.error();
  if (number->exact) {
    const std::string type = number->value.get_den() == 1 ? "integer" : "rational";
    return std::vector<Shown>{static_number(type, number->value.get_str(), number_format)};
  }
  const ir::Function formatted = session.in_format(function, number_format);
  note_roundings(formatted, *with, function.span);
  auto values = evaluate(formatted, std::move(with), {}, {});
  if (values) {
    for (Shown& shown : *values) shown.plain = true;
  }
  return values;
}

std::vector<Message> Session::set_number_format(const std::string& format) {
  Implementation& self = *implementation_;
  const auto scalar = ir::scalar_named(format);
  if (!scalar || !ir::is_float(*scalar)) {
    return self.messages(Diagnostic(code::unknown_type, {}, fmt::format("`{}` is no float format", format))
                             .help(fmt::format("one of {}", fmt::join(number_formats(), ", "))));
  }
  self.number_format = *scalar;
  self.session.set_entry_format(*scalar);
  return {};
}

std::vector<std::string> Session::number_formats() {
  std::vector<std::string> out;
  for (const std::string_view name : ir::scalar_names()) {
    if (ir::is_float(*ir::scalar_named(name))) out.emplace_back(name);
  }
  return out;
}

std::vector<std::string> Session::integer_types() {
  std::vector<std::string> out;
  for (const auto& integer : numerics::integer_table) out.emplace_back(integer.name);
  return out;
}

std::string Session::number_format() const { return std::string(ir::scalar_name(implementation_->number_format)); }

void Session::set_budget(double seconds) { implementation_->options.budget = seconds; }
double Session::budget() const { return implementation_->options.budget; }

namespace {

/// The path from the folder to a file in it, without the file's ending; empty if it does not lie in the folder.
std::string path_within(const std::string& folder, std::string_view file) {
  const std::filesystem::path base = std::filesystem::path(folder).lexically_normal();
  const std::string path =
      std::filesystem::path(file).lexically_normal().lexically_relative(base).replace_extension().string();
  return path.starts_with("..") || path == "." ? std::string() : path;
}

/// As a program has it: what an entry `x = 1` means is `let x = 1`.
std::string definition_text(std::string_view text) {
  for (const char* keyword : {"let", "fn", "builtin", "type", "kernel", "profile"}) {
    const std::size_t length = std::string_view(keyword).size();
    const bool is_word = text.size() > length && std::isspace(static_cast<unsigned char>(text[length])) != 0;
    if (text.starts_with(keyword) && is_word) return std::string(text);
  }
  return "let " + std::string(text);
}

/// The names that occur in a text of the language, and others.
std::set<std::string> words_of(std::string_view text) {
  std::set<std::string> out;
  std::string word;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') word += c;
    else if (!word.empty()) out.insert(std::exchange(word, {}));
  }
  if (!word.empty()) out.insert(word);
  return out;
}

/// The lines of comment directly above a place of a text.
std::string comment_above(std::string_view text, std::size_t place) {
  std::size_t begin = text.rfind('\n', place == 0 ? 0 : place - 1);
  if (begin == std::string_view::npos) return {};
  std::size_t first = begin + 1;
  while (begin > 0) {
    const std::size_t before = text.rfind('\n', begin - 1);
    const std::size_t line = before == std::string_view::npos ? 0 : before + 1;
    if (text[line] != '#') break;
    first = line;
    if (before == std::string_view::npos) break;
    begin = before;
  }
  const std::size_t end = text.rfind('\n', place == 0 ? 0 : place - 1) + 1;
  return std::string(text.substr(first, end - first));
}

}  // namespace

std::optional<Session::Definition> Session::definition(const std::string& name) const {
  const Implementation& self = *implementation_;
  for (const auto& [each, place] : self.session.definitions()) {
    if (each != name) continue;
    const LineColumn at = self.sources.locate(place.file, place.begin);
    return Definition{name,
                      definition_text(self.sources.text(place)),
                      comment_above(self.sources.text(place.file), place.begin),
                      std::string(self.sources.name(place.file)),
                      at.line,
                      at.column};
  }
  return std::nullopt;
}

bool Session::Implementation::is_library(std::uint32_t file) const {
  if (programs.contains(file)) return false;
  return !library_path(file).empty();
}

std::string Session::Implementation::library_path(std::uint32_t file) const {
  for (const std::string& folder : library) {
    if (std::string path = path_within(folder, sources.name(file)); !path.empty()) return path;
  }
  return {};
}

Diagnostic Session::Implementation::told_to_user(Diagnostic diagnostic) const {
  if (!in_entry) return diagnostic;
  std::erase_if(diagnostic.secondary,
                [&](const Label& label) { return label.span.known() && is_library(label.span.file); });
  if (!diagnostic.primary.span.known() || !is_library(diagnostic.primary.span.file)) return diagnostic;
  if (!diagnostic.secondary.empty()) {
    diagnostic.primary = diagnostic.secondary.front();
    diagnostic.secondary.erase(diagnostic.secondary.begin());
  } else {
    diagnostic.primary = Label{current, {}};
  }
  diagnostic.suggestion.reset();
  if (diagnostic.code == code::no_order) {
    diagnostic.helps = {
        "the library's circuit leaves the order open: write it out with an order, as in `sum i: x[i] * y[i] by seq`"};
  }
  return diagnostic;
}

std::vector<Session::Definition> Session::definitions() const {
  const Implementation& self = *implementation_;
  std::vector<Definition> out;
  for (const auto& [name, place] : self.session.definitions()) {
    if (!self.is_library(place.file)) out.push_back({name, definition_text(self.sources.text(place))});
  }
  return out;
}

std::string Session::definitions_text() const {
  const Implementation& self = *implementation_;
  std::string definitions;
  std::set<std::string> own;
  std::string last;  // `let (a, b) = t` is the text of both
  for (const Definition& each : this->definitions()) {
    if (each.text != last) definitions += each.text + "\n";
    last = each.text;
    own.insert(each.name);
  }
  const std::set<std::string> words = words_of(definitions);
  std::set<std::string> imports;
  for (const auto& [name, place] : self.session.definitions()) {
    if (!self.is_library(place.file) || !words.contains(name) || own.contains(name)) continue;
    imports.insert(self.library_path(place.file));
  }
  std::string out;
  for (const std::string& each : imports) out += fmt::format("import \"{}\"\n", each);
  return out + (imports.empty() ? "" : "\n") + definitions;
}

}  // namespace reckon
