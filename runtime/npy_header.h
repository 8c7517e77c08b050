// The header of an .npy file: a Python dictionary literal with the keys descr, fortran_order and shape.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/type.h"

namespace reckon::runtime {

struct NpyHeader {
  ir::Scalar scalar{};
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

/// Why a file cannot be used: a clause for a message (`it ...`), and what to do about it, if anything.
struct NpyProblem {
  std::string text;
  std::string help;
};

/// Reads the dictionary. Extents are at least 0; their product is not checked here.
std::variant<NpyHeader, NpyProblem> parse_npy_header(std::string_view text);

/// The format whose elements files have for this one's: where several formats have one element type, the first of them.
ir::Scalar scalar_in_files(ir::Scalar scalar);

/// The magic string, version 1.0, and the dictionary, padded to a multiple of 64 bytes. The scalar has bits.
std::string npy_header_text(ir::Scalar scalar, const std::vector<std::int64_t>& shape);

/// Bytes from a file as they may stand in a message: printable, and cut off where they are long.
std::string printable(std::string_view bytes);

}  // namespace reckon::runtime
