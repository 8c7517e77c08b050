// A front end's session without files, for tests whose programs are texts.
#pragma once

#include "diagnostics/codes/bad_library.h"
#include "diagnostics/codes/unreadable_file.h"
#include "frontend/elaborate.h"

namespace reckon::test {

inline frontend::Files no_files() {
  frontend::Files out;
  out.read_source = [](const std::string&) { return std::optional<std::string>(); };
  out.read_tensor = [](const std::string&, SourceSpan place) -> Expected<ir::HostTensor> {
    return Diagnostic(code::unreadable_file, place, "there are no files here");
  };
  out.find_function = [](const std::string&, const std::string&,
                         SourceSpan place) -> Expected<std::shared_ptr<const ir::LibraryFunction>> {
    return Diagnostic(code::bad_library, place, "there are no libraries here");
  };
  out.list_sources = [](const std::string&) { return std::vector<std::string>(); };
  return out;
}

}  // namespace reckon::test
