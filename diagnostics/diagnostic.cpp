#include "diagnostics/diagnostic.h"

#include <fmt/format.h>

namespace reckon {

std::string code_text(Code code) { return fmt::format("E{:04}", static_cast<unsigned>(code)); }

std::string_view code_title(Code code) {
  switch (code) {
#define RECKON_DIAGNOSTIC(name, number, title) \
  case Code::name:                             \
    return title;
#include "diagnostics/diagnostics.def"
#undef RECKON_DIAGNOSTIC
  }
  return "unknown mistake";
}

}  // namespace reckon
