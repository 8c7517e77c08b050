// What every SVG file of ours needs.
#pragma once

#include <string>

namespace reckon::draw {

/// Text as XML has it; control characters become spaces.
std::string escaped(const std::string& text);
/// To half a pixel, without a sign of zero or trailing zeros: the same text everywhere.
std::string number(double value);

}  // namespace reckon::draw
