#include "runtime/kernel_folder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "runtime/file.h"

namespace reckon::runtime {

namespace fs = std::filesystem;

namespace {

void mark_used(const fs::path& path) {
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
}

}  // namespace

std::optional<std::string> KernelFolder::find(const std::string& name) {
  const fs::path path = fs::path(folder_) / name;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string contents{std::istreambuf_iterator<char>(file), {}};
  if (!file.good() && !file.eof()) return std::nullopt;
  mark_used(path);
  return contents;
}

void KernelFolder::keep(const std::string& name, const std::string& contents) {
  std::error_code problem;
  if (fs::create_directories(folder_, problem); problem) return;
  const fs::path path = fs::path(folder_) / name;
  if (!write_file(path, {contents}).empty()) return;
  mark_used(path);  // by the same clock as in `find`: that of files is coarser
  evict_old_entries();
}

void KernelFolder::evict_old_entries() const {
  struct Entry {
    fs::path path;
    std::uint64_t bytes;
    fs::file_time_type used;
  };
  std::vector<Entry> entries;
  std::uint64_t total = 0;
  // Other processes may remove files meanwhile.
  std::error_code gone;
  for (fs::directory_iterator at(folder_, gone), end; !gone && at != end; at.increment(gone)) {
    std::error_code one;
    const std::uint64_t bytes = at->file_size(one);
    const fs::file_time_type used = at->last_write_time(one);
    if (one) continue;
    entries.push_back({at->path(), bytes, used});
    total += bytes;
  }
  if (total <= max_bytes_) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= max_bytes_ / 2) return;
    std::error_code one;
    if (fs::remove(entry.path, one)) total -= entry.bytes;
  }
}

}  // namespace reckon::runtime
