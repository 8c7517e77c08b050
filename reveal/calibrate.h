// Finds how a box scales its sum, from the answers to one element and to two. These do not depend on the tree.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reveal/reveal.h"
#include "reveal/scaling.h"

namespace reckon::reveal {

struct Calibrated {
  std::vector<Model> models;  ///< that explain every answer, the likeliest first
  std::string problem;        ///< why there is none
  std::int64_t calls = 0;
};

/// For a box to which n units are not n. It takes some 45 calls, and n more if elements have weights.
Expected<Calibrated> calibrate(const Box& box, const Question& question);

}  // namespace reckon::reveal
