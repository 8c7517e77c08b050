// Golden files: what a test expects, in tests/golden/, kept up to date by `./dev golden --update`.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace reckon::test {

/// Compares `actual`, byte for byte, with tests/golden/<name>; a difference fails the running test and shows the
/// lines that differ. Under `--update-golden` writes the file instead. `name` is `<folder>/...`, where <folder> is
/// the folder of tests/ that the test stands in: a file there that no test asks for fails the folder.
void check_golden(std::string_view name, std::string_view actual);

/// tests/golden/<name>, counted as used, for a test that compares in its own way.
std::filesystem::path golden_path(std::string_view name);

/// Whether this run was asked to rewrite what tests expect.
bool updating_golden();

/// The lines by which `expected` and `actual` differ, as `reckon test` shows them. Empty if nothing differs.
std::string line_differences(std::string_view expected, std::string_view actual);

/// For the test program itself.
void set_updating_golden(bool update);
/// The files in tests/golden/<folder> that no test has asked for so far, in order.
std::vector<std::filesystem::path> unused_golden_files(const std::string& folder);

}  // namespace reckon::test
