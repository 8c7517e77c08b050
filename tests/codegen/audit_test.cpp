// The audit finds what is planted, and nothing else.
#include "tests/codegen/program.h"

namespace reckon::codegen::testing {
namespace {

std::vector<AuditFinding> audit(const std::string& line, AuditOptions options = {}) {
  return audit_ptx(".version 7.8\n.target sm_90\n{\n\t" + line + "\n}\n", options);
}

}  // namespace

TEST_CASE("instructions that round as written pass the audit") {
  for (const char* line : {"add.rn.f32 \t%r1, %r2, %r3;",
                           "sub.rn.f64 %rd1, %rd2, %rd3;",
                           "mul.rn.f32 %f1, %f2, %f3;",
                           "div.rn.f32 %f1, %f2, %f3;",
                           "sqrt.rn.f64 %f1, %f2;",
                           "rcp.rn.f64 %f1, %f2;",
                           "neg.f32 %f1, %f2;",
                           "abs.f64 %f1, %f2;",
                           "min.NaN.f32 %f1, %f2, %f3;",
                           "max.f64 %f1, %f2, %f3;",
                           "setp.lt.f32 %p1, %f1, %f2;",
                           "selp.f32 %f1, %f2, %f3, %p1;",
                           "mov.b32 %f1, 0f3F800000;",
                           "ld.global.nc.f32 %f1, [%rd1];",
                           "st.global.f32 [%rd1], %f1;",
                           "cvt.f64.f32 %d1, %f1;",
                           "cvt.f32.f16 %f1, %h1;",
                           "cvt.rn.f16.f32 %h1, %f1;",
                           "cvt.rn.f32.f64 %f1, %d1;",
                           "cvt.rn.f32.s64 %f1, %r1;",
                           "cvt.rzi.s32.f32 %r1, %f1;",
                           "cvt.rni.f32.f32 %f1, %f2;",
                           "cvt.u64.u32 %rd1, %r1;",
                           "add.s64 %rd1, %rd2, %rd3;",
                           "mad.lo.s32 %r1, %r2, %r3, %r4;",
                           "mul.wide.s32 %rd1, %r1, 4;",
                           "div.u32 %r1, %r2, %r3;",
                           "copysign.f32 %f1, %f2, %f3;",
                           "// add.f32 %f1, %f2, %f3;",
                           "/* mul.f32 */ add.rn.f32 %f1, %f2, %f3;",
                           "@%p1 bra $L__BB0_2;",
                           ".reg .f32 %f<4>;",
                           "barrier.sync 0;",
                           "brev.b64 %rd1, %rd2;"}) {
    INFO(line);
    CHECK(audit(line).empty());
  }
}

TEST_CASE("what the audit must find") {
  for (const char* line : {"add.f32 %f1, %f2, %f3;",
                           "sub.f64 %f1, %f2, %f3;",
                           "mul.f32 %f1, %f2, %f3;",
                           "div.approx.f32 %f1, %f2, %f3;",
                           "div.full.f32 %f1, %f2, %f3;",
                           "sqrt.approx.f32 %f1, %f2;",
                           "rsqrt.approx.f32 %f1, %f2;",
                           "ex2.approx.f32 %f1, %f2;",
                           "sin.approx.f32 %f1, %f2;",
                           "add.rn.ftz.f32 %f1, %f2, %f3;",
                           "setp.lt.ftz.f32 %p1, %f1, %f2;",
                           "fma.rn.f32 %f1, %f2, %f3, %f4;",
                           "mad.f32 %f1, %f2, %f3, %f4;",
                           "cvt.f16.f32 %h1, %f1;",
                           "cvt.f32.s64 %f1, %rd1;",
                           "cvt.bf16.f16 %h1, %h2;",
                           "add.f16x2 %r1, %r2, %r3;",
                           "@%p1 add.f32 %f1, %f2, %f3;",
                           "$L__BB0_1: mul.f32 %f1, %f2, %f3;",
                           "{add.f32 %f1, %f2, %f3;}",
                           "atom.global.add.f32 %f1, [%rd1], %f2;",
                           "red.global.add.f64 [%rd1], %d1;",
                           "add.rn.f32 %f1, %f2, %f3; mul.f32 %f4, %f1, %f1;",
                           "fma.rn.bf16 %h1, %h2, %h3, %h4;",
                           "tanh.approx.f32 %f1, %f2;"}) {
    INFO(line);
    const auto findings = audit(line);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].line == 4);
  }
}

TEST_CASE("an fma is expected where the program wrote one, and bf16 arithmetic uses it below sm_90") {
  CHECK(audit("fma.rn.f32 %f1, %f2, %f3, %f4;", {.fma_written = true}).empty());
  CHECK(audit("fma.f32 %f1, %f2, %f3, %f4;", {.fma_written = true}).size() == 1);
  CHECK(audit("fma.rn.bf16 %h1, %h2, %h3, %h4;", {.below_sm_90 = true}).empty());
  CHECK(audit("fma.rn.f16 %h1, %h2, %h3, %h4;", {.below_sm_90 = true}).size() == 1);
}

TEST_CASE("ends of intervals are rounded outward, and nothing else is") {
  for (const char* name : {"add", "sub", "mul", "div", "sqrt", "rcp"}) {
    const std::string operands = " %d1, %d2, %d3;", nearest = std::string(name) + ".rn.f64" + operands;
    CHECK(audit(nearest).empty());
    CHECK(audit(nearest, {.outward = true}).size() == 1);
    for (const char* way : {".rm", ".rp"}) {
      const std::string directed = std::string(name) + way + ".f64" + operands;
      CHECK(audit(directed, {.outward = true}).empty());
      CHECK(audit(directed).size() == 1);
      const std::string of_f32 = std::string(name) + way + ".f32" + operands;
      CHECK(audit(of_f32, {.outward = true}).size() == 1);
      CHECK(audit(of_f32, {.outward = true, .f32_endpoints = true}).empty());
    }
    const std::string nearest_f32 = std::string(name) + ".rn.f32" + operands;
    CHECK(audit(nearest_f32, {.outward = true}).empty());
    CHECK(audit(nearest_f32, {.outward = true, .f32_endpoints = true}).size() == 1);
    CHECK(audit(nearest_f32, {.outward = true, .nearest_too = true, .f32_endpoints = true}).size() == 1);
    CHECK(audit(nearest, {.outward = true, .nearest_too = true, .f32_endpoints = true}).empty());
    CHECK(audit(std::string(name) + ".rz.f64" + operands, {.outward = true}).size() == 1);
  }
  // The widening of f8e4m3.
  CHECK(audit("add.rn.f32 %f1, %f2, 0fBC800000;", {.outward = true, .f32_endpoints = true}).empty());
  CHECK(audit("mul.rn.f32 %f1, %f2, 0fBC800000;", {.outward = true, .f32_endpoints = true}).size() == 1);
  CHECK(audit("fma.rp.f64 %d1, %d2, %d3, %d4;", {.outward = true}).size() == 1);
  CHECK(audit("fma.rp.f64 %d1, %d2, %d3, %d4;", {.fma_written = true, .outward = true}).empty());
  CHECK(audit("fma.rn.f64 %d1, %d2, %d3, %d4;", {.fma_written = true, .outward = true}).size() == 1);
}

}  // namespace reckon::codegen::testing
