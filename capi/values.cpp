// Results.
#include <cmath>

#include "capi/handles.h"

namespace {

using reckon::Shown;

const Shown* part_of(const reckon_values* values, size_t part) {
  return values != nullptr && part < values->parts.size() ? &values->parts[part] : nullptr;
}

/// A text that stays until the next call; NULL if there is no memory for it.
template <class Make>
const char* give(reckon_values* values, Make&& make) noexcept {
  try {
    values->text = make();
    return values->text.c_str();
  } catch (...) {
    return nullptr;
  }
}

}  // namespace

void reckon_values_free(reckon_values* values) { delete values; }

size_t reckon_values_count(const reckon_values* values) { return values != nullptr ? values->parts.size() : 0; }

const char* reckon_value_type(const reckon_values* values, size_t part) {
  const Shown* shown = part_of(values, part);
  return shown != nullptr ? shown->type.c_str() : nullptr;
}

const char* reckon_value_semantics(const reckon_values* values, size_t part) {
  const Shown* shown = part_of(values, part);
  return shown != nullptr && !shown->is_static ? shown->semantics.c_str() : nullptr;
}

size_t reckon_value_rank(const reckon_values* values, size_t part) {
  const Shown* shown = part_of(values, part);
  return shown != nullptr ? shown->shape.size() : 0;
}

const int64_t* reckon_value_shape(const reckon_values* values, size_t part) {
  const Shown* shown = part_of(values, part);
  return shown != nullptr && !shown->shape.empty() ? shown->shape.data() : nullptr;
}

size_t reckon_value_elements(const reckon_values* values, size_t part) {
  const Shown* shown = part_of(values, part);
  return shown != nullptr ? shown->numbers.size() : 0;
}

const void* reckon_value_bits(const reckon_values* values, size_t part, size_t* bytes) {
  const Shown* shown = part_of(values, part);
  if (shown == nullptr || !shown->tensor) return nullptr;
  if (bytes != nullptr) *bytes = shown->tensor->bytes.size();
  static const std::uint8_t empty = 0;
  return shown->tensor->bytes.empty() ? &empty : shown->tensor->bytes.data();
}

const char* reckon_value_text(reckon_values* values, size_t part, size_t element) {
  const Shown* shown = part_of(values, part);
  if (shown == nullptr || (!shown->is_static && element >= shown->numbers.size())) return nullptr;
  return give(values, [&] { return shown->is_static ? shown->text : shown->numbers[element].text; });
}

const char* reckon_value_form(reckon_values* values, size_t part, size_t element, const char* form) {
  const Shown* shown = part_of(values, part);
  if (shown == nullptr || form == nullptr || element >= shown->numbers.size()) return nullptr;
  bool found = false;
  const char* text = give(values, [&] {
    for (auto& [name, value] : shown->numbers[element].forms) {
      found = found || name == form;
      if (name == form) return value;
    }
    return std::string();
  });
  return found ? text : nullptr;
}

reckon_status reckon_value_numbers(const reckon_values* values, size_t part, const char* form, double* out) {
  const Shown* shown = part_of(values, part);
  if (shown == nullptr || form == nullptr || out == nullptr) return RECKON_BAD_USE;
  try {
    bool found = shown->numbers.size() == 0;
    for (std::size_t k = 0; k < shown->numbers.size(); ++k) {
      const reckon::Number number = shown->numbers[k];
      for (const auto& [name, value] : number.forms) found = found || name == form;
      out[k] = reckon::form_value(number, form);
    }
    return found ? RECKON_OK : RECKON_BAD_USE;
  } catch (...) {
    return RECKON_INTERNAL;
  }
}

const char* reckon_value_summary(reckon_values* values, size_t part) {
  const Shown* shown = part_of(values, part);
  if (shown == nullptr) return nullptr;
  return give(values, [&] { return reckon::summary_json(*shown); });
}
