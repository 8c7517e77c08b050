#include "ptx/emulate/tensor_core.h"

#include <charconv>
#include <cstring>

#include "numerics/native.h"

namespace reckon::ptx {

using numerics::Format;
using numerics::MmaModel;

std::optional<MmaModel> model_of_target(std::string_view target) {
  if (!target.starts_with("sm_")) return std::nullopt;
  int number = 0;
  std::from_chars(target.data() + 3, target.data() + target.size(), number);
  if (number >= 100) return MmaModel::blackwell;
  if (number >= 90) return MmaModel::hopper;
  if (number >= 89) return MmaModel::ada;
  if (number >= 80) return MmaModel::ampere;
  if (number >= 75) return MmaModel::turing;
  if (number >= 70) return MmaModel::volta;
  return std::nullopt;
}

std::optional<Format> operand_format(Type type) {
  switch (type) {
    case Type::f16: return Format::f16;
    case Type::bf16: return Format::bf16;
    case Type::tf32: return Format::tf32;
    case Type::e4m3: return Format::f8e4m3;
    case Type::e5m2: return Format::f8e5m2;
    default: return std::nullopt;
  }
}

double operand_value(std::uint64_t bits, Format format) {
  switch (format) {
    case Format::f16: return numerics::f16_to_f32(static_cast<std::uint16_t>(bits));
    case Format::bf16: return numerics::bf16_to_f32(static_cast<std::uint16_t>(bits));
    // Tensor cores do not read the low 13 bits.
    case Format::tf32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits) & 0xffffe000u);
    case Format::f32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    default: return numerics::widen(bits, format);
  }
}

double chain(const numerics::MmaUnit& unit, double c, std::span<const double> x, std::span<const double> y) {
  const auto length = static_cast<std::size_t>(unit.length);
  for (std::size_t k = 0; k < x.size(); k += length) {
    const std::size_t count = std::min(length, x.size() - k);
    c = numerics::mma_node(unit, c, x.subspan(k, count), y.subspan(k, count));
  }
  return c;
}

std::uint32_t sum_bits(double sum, Format accumulator) {
  if (accumulator == Format::f16)
    return sum != sum ? 0x7fffu : static_cast<std::uint32_t>(numerics::round_f64(sum, Format::f16));
  return sum != sum ? 0x7fffffffu : std::bit_cast<std::uint32_t>(static_cast<float>(sum));
}

}  // namespace reckon::ptx
