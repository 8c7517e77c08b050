#include "api/reckon/explain.h"

#include "diagnostics/pages.h"

namespace reckon {

std::vector<ErrorPage> error_pages() {
  std::vector<ErrorPage> out;
  for (const Code code : all_codes()) {
    out.push_back({code_text(code), std::string(code_title(code)), std::string(page_of(code))});
  }
  return out;
}

}  // namespace reckon
