// The audit of docs/architecture.md ("Code generation"): it finds every line of PTX that breaks a rule.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace reckon::codegen {

struct AuditFinding {
  int line = 0;
  std::string text;
  std::string reason;
};

struct AuditOptions {
  bool fma_written = false;              ///< the program wrote fma (or a lowering of ours did), so fma is expected
  bool below_sm_90 = false;              ///< bf16 add and mul are fma with a constant there
  bool outward = false;                  ///< intervals: arithmetic on endpoints has to be rounded down or up,
  bool nearest_too = false;              ///< except inside elementary functions, where f64 may round to nearest
  bool f32_endpoints = false;            ///< f32 endpoints are rounded outward as well as f64 ones
  /// Instructions that the program asked for: `ex2.approx.f32`; or whose last bits change no result.
  std::set<std::string> approximations;
};

std::vector<AuditFinding> audit_ptx(std::string_view ptx, const AuditOptions& options);

}  // namespace reckon::codegen
