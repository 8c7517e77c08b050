// Circuits compiled for a GPU, and what their PTX has.
#pragma once

#include <regex>

#include "tests/codegen/program.h"

namespace reckon::codegen::testing {

/// How often a pattern occurs.
struct Counted {
  explicit Counted(const Compiled& compiled) : text(compiled.assembly) {}
  std::ptrdiff_t operator()(const char* pattern) const {
    const std::regex expression(pattern);
    return std::distance(std::sregex_iterator(text.begin(), text.end(), expression), std::sregex_iterator());
  }
  const std::string& text;
};

inline Compiled placed(Circuit& c, const char* arch = "sm_90",
                       const CompiledSemantics* semantics = &float_code()) {
  Compiled compiled = must_compile(c, ptx(arch, semantics));
  const PtxasResult result = check_with_ptxas(compiled.assembly, arch);
  INFO(result.message);
  CHECK(result.status != PtxasResult::Status::rejected);
  return compiled;
}

inline std::vector<std::string> names(const Compiled& compiled) {
  std::vector<std::string> out;
  for (const Kernel& kernel : compiled.plan.kernels) out.push_back(kernel.name);
  return out;
}

}  // namespace reckon::codegen::testing
