// fpsan for kernels of floats: each float is an element of Z/2^w, in the register or memory of its w bits.
#pragma once

#include <memory>
#include <vector>

#include "numerics/fpsan_constants.h"
#include "ptx/shadow/values.h"

namespace reckon::ptx {

/// Registers and memory hold carriers: the patterns of which the ring's elements are the embedding. So constants,
/// inputs and comparisons mean what they mean in a kernel that Triton's sanitizer has rewritten (docs/semantics.md,
/// "fpsan").
class RingValues final : public Values {
 public:
  explicit RingValues(const numerics::fpsan::Generation& generation);

  std::string_view name() const override { return "fpsan"; }
  bool replaces_bits() const override { return true; }
  numerics::Format format(std::uint32_t id) const override { return static_cast<numerics::Format>((id - 1) >> 1); }
  bool is_opaque(std::uint32_t id) const override { return id != 0 && ((id - 1) & 1) != 0; }
  std::uint32_t input(std::uint32_t, std::uint64_t, numerics::Format format) override { return id_of(format, false); }
  Number apply(const FloatAct& act, std::span<const Number> operands) override;
  Number dot(const DotAct& act, Number sums, std::span<const Number> x, std::span<const Number> y) override;

 private:
  static std::uint32_t id_of(numerics::Format format, bool computed) {
    return 1 + 2 * static_cast<std::uint32_t>(format) + (computed ? 1 : 0);
  }

  numerics::fpsan::Generation generation_;
  std::vector<numerics::fpsan::Embedding> embeddings_;  ///< by format, of those that operations have
};

/// Of `fpsan`, `fpsan(now, homomorphic)`, `fpsan(v38)` and `fpsan(article)`; null for other names.
std::unique_ptr<Values> ring_named(std::string_view semantics);

}  // namespace reckon::ptx
