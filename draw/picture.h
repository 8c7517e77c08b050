// The picture of a schedule's tree. Positions are computed once, and the picture is then written as text (text.cpp) or
// laid out on a sheet (tree_sheet.cpp). The row of a node is its height above the leaves, so that joins that could
// happen at the same time are in one row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "draw/sheet.h"
#include "ir/module.h"

namespace reckon::draw {

using Level = ir::MachineLevel;

/// A node of a drawn tree.
struct Mark {
  enum class Kind : std::uint8_t {
    leaf,
    bundle,  ///< a subtree that is not written out
    pair,
  } kind{};
  std::string label;                  ///< leaf: its number; bundle: its leaves (`0..63`; `0,4..60`)
  std::int64_t leaves = 1;            ///< under it
  std::string form;                   ///< bundle: `in order`, `pairwise`, or empty
  std::uint32_t left = 0, right = 0;  ///< pair: places in the panel's marks
  double column = 0;                  ///< in leaves from the left; a pair stands between its operands
  int row = 0;                        ///< leaves and bundles 0, a pair one above its higher operand
  Level level = Level::none;          ///< pair
};

/// One tree, at most some dozens of leaves and bundles wide.
struct Panel {
  std::string title;          ///< may be empty
  std::vector<Mark> marks;    ///< operands before their pairs, from the left; the root is last
  int columns = 0, rows = 0;  ///< rows: the root's
  bool bundles = false;       ///< whether there are any
};

/// One stage of a schedule, or all of a small tree (then without a title).
struct Section {
  std::string title;
  std::vector<Panel> panels;
};

struct Picture {
  std::string title;    ///< the schedule
  std::string summary;  ///< `16 leaves, depth 4, 15 pairs`
  std::vector<Section> sections;
  bool caption = true;  ///< whether title and summary are shown
};

/// Up to this many leaves the whole tree is drawn; above, each stage with one tree of every form that its runs have,
/// and of large trees only the top.
constexpr std::int64_t largest_whole_tree = 64;
/// The most leaves for which a picture is made.
constexpr std::int64_t largest_drawn = 1'000'000;

/// The picture of the schedule for n leaves, 1 <= n <= largest_drawn, or why it has no tree.
struct Drawing {
  Picture picture;
  std::optional<ir::ScheduleProblem> problem;
};
Drawing picture_of(ir::Module& module, ir::ScheduleId schedule, std::int64_t n, std::string title);

/// Plain ASCII: a leaf a line, time to the right; the operands of a pair are joined on the left one's line.
std::string text(const Picture& picture);
Sheet sheet_of(const Picture& picture);

}  // namespace reckon::draw
