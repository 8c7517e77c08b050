// Arguments: bit patterns of several kinds.
#pragma once

#include "ir/module.h"

namespace reckon::differential {

/// 0: of ordinary size, so that sums depend on their order. 1: some of them special (zeros of both signs, subnormals,
/// infinities, NaNs, the largest and least). 2: any patterns, some special. 3: small integers. 4: all ones.
/// 5: sums of three signed powers of two at distances where formats end, so that what is rounded lies on, or beside,
/// a tie. 6: zeros of both signs, ones, NaNs and infinities of both signs.
ir::HostTensor make_input(ir::Scalar scalar, std::vector<std::int64_t> shape, std::uint64_t seed, int kind);

/// Ones in place of NaNs, and perhaps of +inf, which some semantics refuse.
void without_nans(ir::HostTensor& tensor, bool without_infinity = false);

/// `[3f800000, ...]`, cut after some elements.
std::string text(const ir::HostTensor& tensor);

}  // namespace reckon::differential
