#include "semantics/fpsan/semantics.h"
#include "semantics/registry.h"

namespace reckon::interp {

namespace {

std::unique_ptr<Semantics> fpsan_of(std::string name, const fpsan::Generation& generation) {
  return std::make_unique<FpsanSemantics>(std::move(name), generation);
}

}  // namespace

Expected<std::unique_ptr<Semantics>> make_fpsan(const std::vector<SemanticsArgument>& arguments, SourceSpan place) {
  constexpr const char* known =
      "write `fpsan`, `fpsan(now, homomorphic)` (narrowing casts truncate), `fpsan(v38)` or "
      "`fpsan(article)`";
  const auto is = [&](std::size_t k, std::string_view text) { return k < arguments.size() && arguments[k].text == text; };
  if (arguments.empty() || (arguments.size() == 1 && is(0, "now"))) {
    return fpsan_of("fpsan", fpsan::now);
  }
  if (is(0, "now") && is(1, "homomorphic") && arguments.size() == 2) {
    return fpsan_of("fpsan(now, homomorphic)", fpsan::now_homomorphic);
  }
  if (arguments.size() == 1 && is(0, "v38")) {
    return fpsan_of("fpsan(v38)", fpsan::v38);
  }
  if (arguments.size() == 1 && is(0, "article")) {
    return fpsan_of("fpsan(article)", fpsan::article);
  }
  const bool first_known = is(0, "now") || is(0, "v38") || is(0, "article");
  return no_arguments("fpsan", arguments[first_known && arguments.size() > 1 ? 1 : 0], place, known);
}

}  // namespace reckon::interp
