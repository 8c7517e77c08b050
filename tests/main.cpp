// The test program: Catch2's, and two options of our own.
//   --folder NAME     runs the cases under tests/NAME, but not those with a tag like [.gpu]; it is a failure if there
//                     are none, or if a golden file of that folder is asked for by none of them
//   --update-golden   rewrites golden files instead of comparing, and removes those that nothing asks for
// Every case carries the tag of its folder, so that `reckon_tests "[numerics]"` works without a word in the sources.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>
#include <set>

#include "tests/support/golden.h"

namespace {

/// The folder of tests/ that a case was written in; nothing for one from elsewhere. Compilers and their caches may
/// name the source by a path relative to the build folder, so only its last parts are looked at.
std::string folder_of(const Catch::TestCaseInfo& info) {
  constexpr std::string_view tests = "/tests/";
  const std::string_view file = info.lineInfo.file;
  const std::size_t start = file.rfind(tests);
  if (start == std::string_view::npos) return {};
  const std::string_view rest = file.substr(start + tests.size());
  const std::size_t end = rest.find('/');
  return end == std::string_view::npos ? std::string() : std::string(rest.substr(0, end));
}

/// Catch2 keeps the sorted list that it hands out, which is how its own --filenames-as-tags works.
std::set<std::string> tag_by_folder(const Catch::IConfig& config) {
  std::set<std::string> folders;
  for (Catch::TestCase& test : const_cast<std::vector<Catch::TestCase>&>(Catch::getAllTestCasesSorted(config))) {
    const std::string folder = folder_of(test);
    if (folder.empty()) {
      std::cerr << test.lineInfo.file << ": the case `" << test.name << "` stands in no folder of tests/\n";
      std::exit(1);
    }
    std::vector<std::string> tags = test.tags;
    tags.push_back(folder);
    Catch::setTags(test, tags);
    folders.insert(folder);
  }
  return folders;
}

int settle_unused_golden_files(const std::string& folder) {
  int unused = 0;
  for (const std::filesystem::path& path : reckon::test::unused_golden_files(folder)) {
    if (reckon::test::updating_golden()) {
      std::filesystem::remove(path);
      std::cerr << "removed " << path.string() << ", which no test asks for\n";
    } else {
      std::cerr << "unused golden file: " << path.string() << " (`./dev golden --update` removes it)\n";
      ++unused;
    }
  }
  return unused;
}

}  // namespace

int main(int argc, char** argv) {
  // The programs that tests run keep nothing in the user's folders.
  setenv("RECKON_KERNELS", "off", 1);
  Catch::Session session;
  std::string folder;
  bool update = false;
  session.cli(session.cli() | Catch::clara::Opt(folder, "name")["--folder"]("run the cases under tests/<name>") |
              Catch::clara::Opt(update)["--update-golden"]("rewrite golden files instead of comparing"));
  if (const int status = session.applyCommandLine(argc, argv); status != 0) return status;
  reckon::test::set_updating_golden(update);

  Catch::ConfigData& options = session.configData();
  const bool whole = options.testsOrTags.empty() && !options.listTests && !options.listTags && !options.showHelp;
  if (!folder.empty()) {
    if (options.testsOrTags.empty()) options.testsOrTags.push_back("[" + folder + "]~[.]");
    options.warnings = static_cast<Catch::WarnAbout::What>(options.warnings | Catch::WarnAbout::NoTests);
  }
  std::set<std::string> folders = tag_by_folder(session.config());
  if (!folder.empty()) folders = {folder};

  const int failed = session.run();
  if (failed != 0 || !whole) return failed;
  int unused = 0;
  for (const std::string& name : folders) unused += settle_unused_golden_files(name);
  return unused == 0 ? 0 : 1;
}
