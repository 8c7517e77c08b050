// What every SVG file has.
#pragma once

#include <string>

namespace reckon::draw {

/// Text as XML has it; control characters become spaces.
std::string escaped(const std::string& text);
/// To half a pixel, without a sign of zero or trailing zeros: the same text everywhere.
std::string number(double value);
/// A text at a place, of some classes of the page's style; `classes` may be empty.
std::string words(double x, double y, const std::string& text, const char* classes);

struct Page {
  double width = 0, height = 0;
  const std::string &title, &summary;  ///< for programs that read them out
  const char* style = nullptr;         ///< a <style> with the class `page`: its ground
};
/// The whole file.
std::string page(const Page& page, const std::string& body);

}  // namespace reckon::draw
