#include "cli/history_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace reckon::cli {
namespace {

constexpr std::size_t kept_entries = 1000;
constexpr std::size_t max_entries = 2 * kept_entries;  // in the file, before it is cut down

std::string escaped(const std::string& entry) {
  std::string line;
  for (const char c : entry) {
    if (c == '\n') line += "\\n";
    else if (c == '\\') line += "\\\\";
    else if (c != '\0' && c != '\r') line += c;
  }
  return line;
}

std::string unescaped(const std::string& line) {
  std::string entry;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\' || i + 1 == line.size()) entry += line[i];
    else entry += line[++i] == 'n' ? '\n' : line[i];
  }
  return entry;
}

/// One write, so that entries of sessions side by side do not mix. Only the user may read what was typed.
bool write_lines(const std::string& path, const std::string& lines, int flags) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);
  if (file < 0) return false;
  const bool written = write(file, lines.data(), lines.size()) == static_cast<ssize_t>(lines.size());
  return close(file) == 0 && written;
}

/// The folders of a path, as the XDG base directory specification wants them: closed to others.
void make_folders(const std::filesystem::path& folder) {
  if (folder.empty() || mkdir(folder.c_str(), 0700) == 0 || errno != ENOENT || folder == folder.parent_path()) return;
  make_folders(folder.parent_path());
  static_cast<void>(mkdir(folder.c_str(), 0700));
}

}  // namespace

std::string HistoryFile::default_path() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return std::string(state) + "/reckon/history";  // the specification: absolute
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return std::string(home) + "/.local/state/reckon/history";
  return {};
}

std::vector<std::string> HistoryFile::load() const {
  std::vector<std::string> entries;
  struct stat status {};
  if (path_.empty() || stat(path_.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return entries;
  std::ifstream file(path_, std::ios::binary);
  for (std::string line; std::getline(file, line);)
    if (!line.empty()) entries.push_back(unescaped(line));
  if (entries.size() <= kept_entries) return entries;
  const bool cut_down = entries.size() > max_entries;
  entries.erase(entries.begin(), entries.end() - static_cast<std::ptrdiff_t>(kept_entries));
  if (cut_down) {
    std::string lines;
    for (const std::string& entry : entries) lines += escaped(entry) + "\n";
    const std::string temporary = path_ + ".tmp";
    if (!write_lines(temporary, lines, O_EXCL) || rename(temporary.c_str(), path_.c_str()) != 0)
      unlink(temporary.c_str());
  }
  return entries;
}

void HistoryFile::append(const std::string& entry) const {
  if (path_.empty()) return;
  make_folders(std::filesystem::path(path_).parent_path());
  static_cast<void>(write_lines(path_, escaped(entry) + "\n", O_APPEND));
}

}  // namespace reckon::cli
