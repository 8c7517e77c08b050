#include "codegen/scalars/approximation.h"

namespace reckon::codegen {

std::optional<Approximation> approximation(ir::Op op, numerics::Format format) {
  using ir::Op;
  // tanh and the f16 forms came with sm_75 and PTX 7.0. Reckon asks for a chip's first PTX version, which is 7.0 or later
  // from sm_80 on.
  constexpr int any_chip = 1, from_ptx_7 = 80;
  if (format == numerics::Format::f16) {
    if (op == Op::approx_exp2) return Approximation{"ex2.approx.f16", from_ptx_7};
    if (op == Op::approx_tanh) return Approximation{"tanh.approx.f16", from_ptx_7};
    return std::nullopt;
  }
  if (format != numerics::Format::f32) return std::nullopt;
  switch (op) {
    case Op::approx_exp2: return Approximation{"ex2.approx.f32", any_chip};
    case Op::approx_log2: return Approximation{"lg2.approx.f32", any_chip};
    case Op::approx_sin: return Approximation{"sin.approx.f32", any_chip};
    case Op::approx_cos: return Approximation{"cos.approx.f32", any_chip};
    case Op::approx_tanh: return Approximation{"tanh.approx.f32", from_ptx_7};
    case Op::approx_sqrt: return Approximation{"sqrt.approx.f32", any_chip};
    case Op::approx_rsqrt: return Approximation{"rsqrt.approx.f32", any_chip};
    case Op::approx_rcp: return Approximation{"rcp.approx.f32", any_chip};
    case Op::approx_div: return Approximation{"div.approx.f32", any_chip};
    default: return std::nullopt;
  }
}

}  // namespace reckon::codegen
