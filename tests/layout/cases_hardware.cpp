// Rows of tensor-core and copy atoms, tiled instructions, and memory analysis.
#include "tests/layout/cases.h"
#include "tests/layout/notation.h"

namespace reckon::layout_tests {

std::optional<Answer> hardware_answer(const Row&) { return std::nullopt; }

}  // namespace reckon::layout_tests
