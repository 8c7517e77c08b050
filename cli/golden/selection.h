// Which files are tests.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace reckon::golden {

struct Selection {
  std::vector<std::string> programs;  ///< sorted, each once
  std::vector<std::string> alone;     ///< files NAME.expected in the folders that have no NAME.rk beside them, sorted
  std::vector<std::string> problems;  ///< of paths that are not there, and the like, as sentences
  std::size_t found = 0;              ///< programs before names chose among them
};

/// The files NAME.rk of the paths, which are folders, searched with all their subfolders, or files. Files and folders
/// whose names begin with a full stop are left out, and links to folders are not followed. `names`: where there are
/// any, only the files are selected whose path contains one of them.
Selection select(const std::vector<std::string>& paths, const std::vector<std::string>& names);

}  // namespace reckon::golden
