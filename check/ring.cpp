#include "check/ring.h"

#include "check/inputs.h"

namespace reckon::check {

void random_elements(const ir::Module& module, const frontend::ElaboratedItem& item, const std::vector<RingInput>& inputs,
                     std::vector<interp::Argument>& arguments) {
  std::uint64_t row = 0;
  for (const RingInput& input : inputs) {
    interp::RandomTensor random;
    random.scalar = module.types()[item.left->parameters[input.parameter].type].scalar;
    random.shape = input.shape;
    random.seed = static_cast<std::uint64_t>(input.seed);
    if (const frontend::RangeClause* range = range_of(item, input.parameter)) {
      if (range->low >= 0) random.sign = interp::Draw::Sign::positive;
      else if (range->high <= 0) random.sign = interp::Draw::Sign::negative;
    }
    std::size_t elements = 1;
    for (std::int64_t extent : random.shape) elements *= static_cast<std::size_t>(extent);
    // A row is a single element if there are few elements, or if no longer row is available.
    const bool by_rows = random.shape.size() > 1 && elements > Redraw::bits && random.shape.back() > 0;
    random.row_length = by_rows ? static_cast<std::size_t>(random.shape.back()) : 1;
    random.first_row = row;
    random.redrawn.resize(elements / random.row_length);
    row += random.redrawn.size();
    arguments[input.parameter] = std::move(random);
  }
}

void RingTally::count(const std::vector<Element>& elements) {
  if (elements.size() > known_.size()) known_.resize(elements.size()), sound_.resize(elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const Element& each = elements[i];
    ++total_;
    defined_ += each.defined;
    if (each.defined && !each.degenerate) sound_[i] = true;
    if (each.defined) {
      if (!known_[i]) known_[i] = true, ++seen_, unseen_.erase(i);
    } else if (!known_[i]) {
      unseen_.try_emplace(i, each.blame);
    }
  }
}

void RingTally::add(const RingTally& later) {
  if (later.known_.size() > known_.size()) known_.resize(later.known_.size()), sound_.resize(later.known_.size());
  for (std::size_t i = 0; i < later.known_.size(); ++i) {
    if (later.sound_[i]) sound_[i] = true;
    if (later.known_[i] && !known_[i]) known_[i] = true, ++seen_, unseen_.erase(i);
  }
  for (const auto& [i, blame] : later.unseen_) {
    if (!known_[i]) unseen_.try_emplace(i, blame);
  }
  total_ += later.total_;
  defined_ += later.defined_;
}

void RingTally::write(sweep::Writer& out) const {
  out.number(defined_);
  out.number(total_);
  std::string elements;  // a byte for each: known, sound
  for (std::size_t i = 0; i < known_.size(); ++i) elements += static_cast<char>((known_[i] ? 1 : 0) + (sound_[i] ? 2 : 0));
  out.text(elements);
  for (const auto& [i, blame] : unseen_) out.text(blame);
}

RingTally RingTally::read(sweep::Reader& in) {
  RingTally out;
  out.defined_ = in.number();
  out.total_ = in.number();
  for (const char element : in.text()) {
    out.known_.push_back((element & 1) != 0);
    out.sound_.push_back((element & 2) != 0);
  }
  // Whatever was looked at and is not known is unseen.
  for (std::size_t i = 0; i < out.known_.size(); ++i) {
    if (out.known_[i]) ++out.seen_;
    else out.unseen_.emplace(i, in.text());
  }
  return out;
}

std::size_t RingTally::degenerate() const {
  std::size_t out = 0;
  for (std::size_t i = 0; i < known_.size(); ++i) out += known_[i] && !sound_[i];
  return out;
}

}  // namespace reckon::check
