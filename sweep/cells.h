// Which cells of a sweep are done.
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "sweep/bytes.h"
#include "sweep/sweep.h"

namespace reckon::sweep {

class Cells {
 public:
  Cells() = default;
  Cells(std::int64_t from, std::int64_t to) : from_(from), needed_(to) {}

  /// Takes what was seen of new cells, and merges neighbours. A part with a cell that is done already tells nothing new
  /// and is passed over, as is one beyond the end. Whether it was taken.
  bool add(Part part, const Sweep& sweep);
  /// The end of the cells that are needed: beyond it, nothing decides anything any more.
  std::int64_t needed() const { return needed_; }
  bool finished() const;
  /// The cells from the first one on, without a gap.
  Part front() const;
  /// The first cell from `at` on that is not done, and the end of its gap; nothing beyond `needed()`.
  std::optional<std::pair<std::int64_t, std::int64_t>> gap(std::int64_t at) const;

  /// How many cells are done.
  std::int64_t done() const;

  void write(Writer& out) const;
  static Cells read(Reader& in);

 private:
  std::int64_t from_ = 0, needed_ = 0;
  std::map<std::int64_t, Part> parts_;  ///< by their first cells; no two of them meet
};

}  // namespace reckon::sweep
