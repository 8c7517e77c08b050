#include "check/ring.h"

namespace reckon::check {

std::vector<interp::Argument> random_elements(const ir::Module& module, const frontend::ElaboratedItem& item,
                                              const std::vector<std::vector<std::int64_t>>& shapes,
                                              const std::vector<std::int64_t>& seeds) {
  std::vector<interp::Argument> out;
  std::uint64_t row = 0;
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    interp::RandomTensor random;
    random.scalar = module.types()[item.left->parameters[k].type].scalar;
    random.shape = shapes[k];
    random.seed = static_cast<std::uint64_t>(seeds[k]);
    if (k < item.ranges.size()) {
      if (item.ranges[k].low >= 0) random.sign = interp::Draw::Sign::positive;
      else if (item.ranges[k].high <= 0) random.sign = interp::Draw::Sign::negative;
    }
    std::size_t elements = 1;
    for (std::int64_t extent : random.shape) elements *= static_cast<std::size_t>(extent);
    // Single elements where there are few, or where there is no other row.
    const bool by_rows = random.shape.size() > 1 && elements > Redraw::bits && random.shape.back() > 0;
    random.row_length = by_rows ? static_cast<std::size_t>(random.shape.back()) : 1;
    random.first_row = row;
    random.redrawn.resize(elements / random.row_length);
    row += random.redrawn.size();
    out.push_back(std::move(random));
  }
  return out;
}

void RingTally::count(std::size_t index, bool defined, std::string blame, bool degenerate) {
  ++total_;
  defined_ += defined;
  if (index >= known_.size()) known_.resize(index + 1), sound_.resize(index + 1);
  if (defined && !degenerate) sound_[index] = true;
  if (defined) {
    if (!known_[index]) known_[index] = true, ++seen_, unseen_.erase(index);
  } else if (!known_[index]) {
    unseen_.insert(index);
    if (blame_.empty()) blame_ = std::move(blame);
  }
}

std::size_t RingTally::degenerate() const {
  std::size_t out = 0;
  for (std::size_t i = 0; i < known_.size(); ++i) out += known_[i] && !sound_[i];
  return out;
}

}  // namespace reckon::check
