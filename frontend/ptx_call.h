// `ptx("k.ptx", "entry", grid: 4, block: 256, x: f32[1000], f32[4], 1000)`: a kernel of PTX whose circuit is read off a
// launch (docs/ptx.md, "In the language").
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "diagnostics/source.h"
#include "ir/module.h"

namespace reckon::frontend {

struct PtxArgument {
  /// Memory of the circuit's parameter `name`; memory that nobody has written; of zeros, which are no inputs; of known
  /// integers; or a number.
  enum class Kind : std::uint8_t { input, unwritten, zeros, integers, number } kind{};
  std::string name;
  ir::Scalar scalar{};              ///< of memory
  std::vector<std::int64_t> shape;  ///< of memory
  std::shared_ptr<const ir::HostTensor> data;
  std::string number;  ///< in decimal
  SourceSpan span;
};

struct PtxCall {
  std::string name;        ///< of the circuit
  std::string path;        ///< of the text, as messages call it
  std::uint32_t file = 0;  ///< of the text in the source map
  std::string entry;
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::uint32_t shared_bytes = 0;
  bool nearest = false;  ///< `approx: nearest` is stated
  std::vector<PtxArgument> arguments;
  std::vector<std::pair<std::string, std::int64_t>> sizes;  ///< the values of the names that the circuit leaves open
  SourceSpan span, entry_span, arguments_span;
};

}  // namespace reckon::frontend
