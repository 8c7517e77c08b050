// Where a program spends what it spends: a bar for each of its lines, in parts, and figures beside it.
#pragma once

#include <string>
#include <vector>

#include "draw/sheet.h"

namespace reckon::draw {

struct CostLine {
  std::string place;                 ///< `k.cu:12`
  std::vector<double> parts;         ///< for each kind; not negative
  std::vector<std::string> figures;  ///< under the headings
};
struct Costs {
  std::string title, summary;
  std::vector<std::string> kinds;     ///< of the parts
  std::vector<std::string> headings;  ///< of the figures
  std::vector<CostLine> lines;        ///< from top to bottom
};

/// The longest bar has the width of the picture. Of more than eight kinds that occur, those of the least sums are drawn
/// as one.
Sheet costs_sheet(const Costs& costs);

}  // namespace reckon::draw
