#include "semantics/fpsan/semantics.h"
#include "semantics/registry.h"

namespace reckon::interp {

Expected<std::unique_ptr<Semantics>> make_fpsan(const std::vector<SemanticsArgument>& arguments, SourceSpan place) {
  constexpr const char* known =
      "write `fpsan`, `fpsan(now, homomorphic)` (narrowing casts truncate), `fpsan(v38)` or "
      "`fpsan(article)`";
  std::string words;
  for (const SemanticsArgument& argument : arguments) words += (words.empty() ? "" : ", ") + argument.text;
  if (const auto generation = fpsan::generation_named(words)) {
    const bool is_usual = words.empty() || words == "now";
    return std::unique_ptr<Semantics>(
        std::make_unique<FpsanSemantics>(is_usual ? "fpsan" : "fpsan(" + words + ")", *generation));
  }
  const auto is = [&](std::size_t k, std::string_view text) { return arguments[k].text == text; };
  const bool first_known = is(0, "now") || is(0, "v38") || is(0, "article");
  return no_arguments("fpsan", arguments[first_known && arguments.size() > 1 ? 1 : 0], place, known);
}

}  // namespace reckon::interp
