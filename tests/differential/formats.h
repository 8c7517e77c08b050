// What the generator knows of formats by their names.
#pragma once

#include <string>

#include "numerics/format.h"
#include "numerics/integer.h"

namespace reckon::differential {

/// Null for the name of no integer type.
inline const numerics::IntegerTraits* integer_named(const std::string& name) {
  for (const numerics::IntegerTraits& each : numerics::integer_table) {
    if (each.name == name) return &each;
  }
  return nullptr;
}
inline bool is_integer(const std::string& name) { return integer_named(name) != nullptr; }

inline bool has_no_nan(const std::string& name) {
  const auto format = numerics::format_named(name);
  return format && !numerics::has_nan(*format);
}

/// `fpsan` does not have the format.
inline bool has_no_payloads(const std::string& name) {
  const auto format = numerics::format_named(name);
  return format && !numerics::fills_words(*format);
}

inline bool names_format_without_payloads(const std::string& source) {
  for (const std::string_view name : numerics::format_names()) {
    if (has_no_payloads(std::string(name)) && source.find(name) != std::string::npos) return true;
  }
  return false;
}

}  // namespace reckon::differential
