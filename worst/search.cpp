#include "worst/search.h"

#include <algorithm>
#include <numeric>

namespace reckon::worst {

namespace {

struct Piece {
  double bound = 0;
  Box box;
  std::vector<double> scores;  ///< their sum is 1; none where they say nothing
  Interval values{};           ///< of the real results
  std::optional<Obstacle> obstacle;
};
struct Less {
  bool operator()(const Piece& a, const Piece& b) const { return a.bound < b.bound; }
};

/// What is to be made as small as possible: larger is worse.
double measure(const BoxBound& found, Goal goal) {
  if (found.obstacle) return Forms::infinity;
  switch (goal) {
    case Goal::error: return found.error;
    case Goal::relative: return found.error == 0 ? 0 : div_up(found.error, mignitude(found.value));
    case Goal::least: return -found.value.low;
    case Goal::greatest: return found.value.high;
  }
  return Forms::infinity;
}

/// Whether it reaches over many binades of one sign.
bool is_wide(const Interval& range) { return mignitude(range) > 0 && magnitude(range) > 4 * mignitude(range); }

/// How much of the whole range it is. The width of all numbers of f64 is none of them.
double share_of(const Interval& range, const Interval& whole) {
  const double width = whole.high - whole.low;
  if (std::isfinite(width)) return (range.high - range.low) / width;
  return (range.high / 2 - range.low / 2) / (whole.high / 2 - whole.low / 2);
}

/// Where a range is cut: one of many binades by its exponents, since roundings are relative.
double middle(const Interval& range) {
  const double at = is_wide(range) ? std::copysign(std::sqrt(mignitude(range)) * std::sqrt(magnitude(range)), range.low)
                                   : range.low / 2 + range.high / 2;
  return std::clamp(at, range.low, range.high);
}

class Search {
 public:
  Search(BoxBounds& bounds, const Box& inputs, Goal goal, const Effort& effort)
      : bounds_(bounds), inputs_(inputs), goal_(goal), effort_(effort) {}

  Extreme run() {
    out_.reached = -Forms::infinity;
    add(inputs_);
    const double most = std::max(effort_.operations / bounds_.cost(), 1.0);
    while (!pieces_.empty() && out_.boxes < static_cast<std::size_t>(most)) {
      const double top = pieces_.front().bound;
      if (top <= out_.reached || (std::isfinite(top) && top - out_.reached <= effort_.tolerance * std::fabs(top)))
        break;
      if (effort_.interrupted != nullptr && *effort_.interrupted) break;
      std::pop_heap(pieces_.begin(), pieces_.end(), Less{});
      Piece piece = std::move(pieces_.back());
      pieces_.pop_back();
      const std::size_t cut = where_to_cut(piece);
      if (cut == piece.box.size()) {
        // It is a point, or too small to be cut.
        stuck_ = std::max(stuck_, piece.bound);
        if (piece.obstacle) {
          out_.obstacle = piece.obstacle;
          out_.where = piece.box;
          break;
        }
        if (stuck_ >= out_.bound) out_.bound = stuck_, out_.where = piece.box;
        settle(piece.values);
        continue;
      }
      const Interval whole = piece.box[cut];
      const double at = middle(whole);
      piece.box[cut] = {whole.low, at};
      add(piece.box);
      piece.box[cut] = {at, whole.high};
      add(std::move(piece.box));
    }
    finish();
    return std::move(out_);
  }

 private:
  void add(Box box) {
    ++out_.boxes;
    Piece piece;
    const BoxBound found = bounds_.bound(box);
    if (found.excluded) return;
    piece.bound = measure(found, goal_);
    piece.obstacle = found.obstacle;
    piece.values = found.value;
    started_ = true;
    if (piece.bound <= out_.reached) return settle(piece.values);
    if (!found.obstacle) {
      piece.scores = bounds_.cut_scores(box);
      const double sum = std::accumulate(piece.scores.begin(), piece.scores.end(), 0.0);
      if (!(sum > 0) || !std::isfinite(sum)) piece.scores.clear();
      for (double& score : piece.scores) score /= sum;
      if (goal_ == Goal::error) contract(box);
    }
    probe(box);
    piece.box = std::move(box);
    pieces_.push_back(std::move(piece));
    std::push_heap(pieces_.begin(), pieces_.end(), Less{});
  }

  /// Of a box that is cut no further.
  void settle(const Interval& values) {
    out_.values = settled_ ? hull(out_.values, values) : values;
    settled_ = true;
  }

  /// The bound at the middle: no bound of the whole can be less.
  void probe(const Box& box) {
    if (probes_ > 64 && probes_++ % 4 != 0) return;
    ++probes_;
    Box point = box;
    for (Interval& range : point) range.low = range.high = middle(range);
    const BoxBound found = bounds_.bound(point);
    const double here = measure(found, goal_);
    ++out_.boxes;
    if (!found.excluded && std::isfinite(here)) out_.reached = std::max(out_.reached, here);
  }

  /// Leaves out of the box what the affine bound shows to be no more than what was reached elsewhere.
  void contract(Box& box) const {
    const double* form = bounds_.error_form();
    if (form == nullptr) return;
    const Forms& forms = bounds_.forms();
    const double excess = forms.upper(form) - out_.reached;  // what all symbols together may lose
    if (!(excess > 0)) return;
    for (std::size_t j = 0; j < box.size(); ++j) {
      const double slope = form[j + 1], reach = 2 * std::fabs(slope);
      // With the j-th symbol at distance t from its best end, the bound falls by |slope| t.
      if (!(reach > excess * (1 + 1e-6))) continue;
      const double kept = excess / reach * (1 + 1e-9);  // of the range
      const double width = (box[j].high - box[j].low) * kept * (1 + 1e-9);
      if (slope > 0) box[j].low = std::max(box[j].low, std::nextafter(box[j].high - width, -Forms::infinity));
      else box[j].high = std::min(box[j].high, std::nextafter(box[j].low + width, Forms::infinity));
    }
  }

  std::size_t where_to_cut(const Piece& piece) const {
    std::size_t best = piece.box.size();
    double most = -1;
    for (std::size_t j = 0; j < piece.box.size(); ++j) {
      const Interval& range = piece.box[j];
      const double at = middle(range);
      if (!(range.low < at && at < range.high)) continue;
      const double part = share_of(range, inputs_[j]);
      if (part < smallest_part && !is_wide(range)) continue;
      // A cut pays by its score; where that says nothing, the widest range is cut.
      const double score = part * 1e-3 + (piece.scores.empty() ? 0 : piece.scores[j]);
      if (score > most) most = score, best = j;
    }
    return best;
  }

  void finish() {
    out_.empty = !started_;
    if (out_.obstacle) {
      out_.bound = Forms::infinity;
    } else {
      double bound = std::max(out_.reached, stuck_);
      if (!pieces_.empty() && pieces_.front().bound > bound) {
        bound = pieces_.front().bound;
        out_.where = pieces_.front().box;
        if (pieces_.front().obstacle) out_.obstacle = pieces_.front().obstacle;
      }
      for (const Piece& piece : pieces_) settle(piece.values);
      out_.bound = bound;
    }
    if (goal_ == Goal::least) out_.bound = -out_.bound, out_.reached = -out_.reached;
    if (out_.where.empty()) out_.where = inputs_;
  }

  /// Of the whole range: what no cut gets below.
  static constexpr double smallest_part = 0x1p-40;

  BoxBounds& bounds_;
  const Box& inputs_;
  const Goal goal_;
  const Effort effort_;
  Extreme out_;
  std::vector<Piece> pieces_;  ///< a heap: the largest bound is the first
  double stuck_ = -Forms::infinity;
  std::size_t probes_ = 0;
  bool started_ = false, settled_ = false;
};

}  // namespace

Extreme extreme(BoxBounds& bounds, const Box& inputs, Goal goal, const Effort& effort) {
  return Search(bounds, inputs, goal, effort).run();
}

}  // namespace reckon::worst
