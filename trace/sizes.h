// One circuit of several: traces of a kernel at several sizes, where they differ in numbers that go by the sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace reckon::trace {

/// A circuit's text, and the values of the sizes at which it was read off.
struct Instance {
  std::vector<std::pair<std::string, std::int64_t>> sizes;
  std::string text;
};

/// The text of which all these are instances: where numbers differ, an expression of the sizes' names that has the
/// value of each instance: a multiple of a size or of a product of two, plus a constant, or a size divided by a
/// constant and rounded up or down. Nothing, and why in `problem`, if there is none. What it says of other sizes is a
/// guess.
std::optional<std::string> generalised(const std::vector<Instance>& instances, std::string& problem);

}  // namespace reckon::trace
