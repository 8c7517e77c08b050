// NumPy's .npy files, versions 1.0, 2.0 and 3.0 of the format.
// Source: NumPy Enhancement Proposal 1 and numpy.lib.format.
//
//   read as        element type ('descr')
//   f64 f32 f16    '<f8' '<f4' '<f2', and big-endian '>f8' '>f4' '>f2'
//   bool           '|b1', bytes 0 and 1 only
//   bf16           '<V2' '|V2' '>V2' 'bfloat16': NumPy has no bf16 of its own; '<V2' is what it writes for that of the
//                  package ml_dtypes, and what write_npy writes. Any file of two-byte voids is taken for bf16
//   f8e4m3         '<V1' '|V1' and f8e5m2 '<f1' '|f1', after the kinds that ml_dtypes gives float8_e4m3fn and
//   float8_e5m2
//
// tf32 has no element type: it is written as '<f4', which every tf32 value is, and so read back as f32. In the same way the
// numbers of formats of less than 8 bits are written as f8e4m3, which has them all.
//
// Fortran order is converted to row-major. Bits are kept unchanged, including the payloads of NaNs. Nothing in a file
// is executed (no pickles), and a size in it is compared with the length of the file before it is used.
#pragma once

#include <optional>
#include <string>

#include "diagnostics/diagnostic.h"
#include "ir/module.h"

namespace reckon::runtime {

/// The tensor in a file, or E0602 at `place` with the path and what was found. A file that holds more or fewer bytes
/// than its header says is refused.
Expected<ir::HostTensor> read_npy(const std::string& path, SourceSpan place);

/// Writes version 1.0, little-endian, row-major. A regular file is written beside its place and then renamed, so that
/// an older file of that name is whole until the new one is; devices and pipes are written directly. E0602 on failure.
std::optional<Diagnostic> write_npy(const std::string& path, const ir::HostTensor& tensor, SourceSpan place);

}  // namespace reckon::runtime
