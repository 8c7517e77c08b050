#include "trace/text.h"

#include <fmt/format.h>

#include "numerics/native.h"

namespace reckon::trace {

std::string number_text(std::uint64_t bits, numerics::Format format) {
  const std::string_view name = numerics::traits(format).name;
  const double value = numerics::widen(bits, format);
  if (format == numerics::Format::f32) return fmt::format("{}({})", name, static_cast<float>(value));
  return fmt::format("{}({})", name, value);
}

std::optional<std::string> act_text(Act act, numerics::Format format, const std::vector<std::string>& parts) {
  const std::string_view name = numerics::traits(format).name;
  switch (act) {
    case Act::add: return fmt::format("({} + {})", parts[0], parts[1]);
    case Act::sub: return fmt::format("({} - {})", parts[0], parts[1]);
    case Act::mul: return fmt::format("({} * {})", parts[0], parts[1]);
    case Act::div: return fmt::format("({} / {})", parts[0], parts[1]);
    case Act::rcp: return fmt::format("({}(1) / {})", name, parts[0]);
    case Act::neg: return fmt::format("(-{})", parts[0]);
    case Act::clamp: return fmt::format("minnum(maxnum({}, {}(0)), {}(1))", parts[0], name, name);
    case Act::relu: return fmt::format("max({}, {}(0))", parts[0], name);
    case Act::convert: return fmt::format("{}({})", name, parts[0]);
    case Act::copysign:
    case Act::dot: return std::nullopt;
    default: return fmt::format("{}({})", name_of(act), fmt::join(parts, ", "));
  }
}

std::string type_text(const Argument& argument) {
  return fmt::format("{}[{}]", argument.type, fmt::join(argument.shape, ", "));
}

}  // namespace reckon::trace
