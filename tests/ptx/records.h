// Launches written to a folder, so that a GPU can repeat them and its bits be compared with the emulator's
// (tests/gpu/replay_kernels.py, which says how).
//
// The environment variable RECKON_PTX_RECORDS names the folder. It gets `launches.jsonl`, a line for each launch, `bytes.bin`,
// which holds what memory and parameters were, and the PTX texts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ptx/emulate/program.h"

namespace reckon::ptx::testing {

/// The tables that the environment's RECKON_PTX_TABLES names, for kernels with approximate instructions; or null.
const numerics::Chip* chip_of_records();

/// A launch that is recorded if it ends without findings, and if the environment names a folder.
class Record {
 public:
  /// Before the launch. `parameters`: their bytes, each at its offset.
  Record(const std::string& text, const Program& program, const Kernel& kernel, Memory& memory,
         const LaunchOptions& options, const std::vector<std::uint8_t>& parameters);
  /// After it.
  void finish();

 private:
  /// An address among bytes: of a place in a buffer.
  struct Pointer {
    std::size_t at = 0, buffer = 0;
    std::uint64_t offset = 0;
  };
  struct Buffer {
    std::uint64_t base = 0;
    std::string variable;  ///< of the module; empty: an argument leads to it
    std::vector<std::uint8_t> before;
    std::vector<Pointer> pointers;
  };
  std::vector<Pointer> pointers_in(const std::vector<std::uint8_t>& bytes, bool follow);

  bool is_wanted_;
  bool joins_ = false;  ///< an assembler may fuse products with sums
  const std::string& text_;
  const Kernel& kernel_;
  Memory& memory_;
  const LaunchOptions& options_;
  const std::vector<std::uint8_t>& parameters_;
  std::vector<Pointer> pointers_;
  std::vector<Buffer> buffers_;
  std::map<std::uint64_t, std::size_t> buffer_at_;  ///< by its base
};

}  // namespace reckon::ptx::testing
