// Answers as text, as JSON members, and as an enclosure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "interp/semantics.h"
#include "semantics/accept/answers.h"
#include "semantics/accept/number_kind.h"
#include "semantics/accept/rules.h"

namespace reckon::interp::accept {

/// `1.0000001..1.0000005`, `0..1 or 2..3`, `nan`, `unbounded: ...`. An end that is a number of the kind is written as
/// shortly as the kind allows, any other as a double.
Rendering rendered(const Answers& answers, const NumberKind& kind, const Rules& rules);
/// The intervals as a list of JSON objects `{"lo": ..., "hi": ...}`, their ends as strings.
std::string alternatives_json(const std::vector<Interval>& parts, const std::function<std::string(double)>& text);
/// Why anything is allowed.
std::string reason(const Answers& answers, const Rules& rules);
/// `valid`, `invalid` or `either`, and the operation that decides.
std::string verdict_text(const Answers& answers, const Rules& rules);

}  // namespace reckon::interp::accept
