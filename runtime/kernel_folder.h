// Compiled kernels in a folder, one file each (codegen/kernel_cache.h says what is in them).
#pragma once

#include <cstdint>
#include <string>

#include "codegen/compile.h"

namespace reckon::runtime {

class KernelFolder : public codegen::KernelStore {
 public:
  /// The folder is created with its first file. When the files exceed `max_bytes`, the least recently used ones are
  /// deleted until half of that is left.
  explicit KernelFolder(std::string folder, std::uint64_t max_bytes = std::uint64_t{256} << 20)
      : folder_(std::move(folder)), max_bytes_(max_bytes) {}

  std::optional<std::string> find(const std::string& name) override;
  /// A file that cannot be written is not kept. That is not an error.
  void keep(const std::string& name, const std::string& contents) override;

 private:
  void evict_old_entries() const;

  std::string folder_;
  std::uint64_t max_bytes_;
};

}  // namespace reckon::runtime
