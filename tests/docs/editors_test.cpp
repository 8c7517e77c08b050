// The files for editors name the words that the language has now.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "api/reckon/reckon.h"
#include "tests/support/files.h"
#include "tests/support/golden.h"
#include "tests/support/process.h"

using namespace reckon;
using namespace reckon::test;

namespace {

void check_generated(const std::string& what, const std::string& file) {
  const RunResult run = run_program({"generate", what});
  CHECK(run.status == 0);
  if (updating_golden()) write_file(source_folder() / file, run.out);
  INFO(file << " is written by `reckon generate " << what << "`");
  CHECK(read_file(source_folder() / file) == run.out);
}

}  // namespace

TEST_CASE("the files for editors are those that `reckon generate` writes") {
  check_generated("textmate", "editors/vscode/syntaxes/reckon.tmLanguage.json");
  check_generated("vim", "editors/vim/syntax/reckon.vim");
}

TEST_CASE("the extension for VS Code is of this version, and its parts are there") {
  const auto package = nlohmann::json::parse(read_file(source_folder() / "editors/vscode/package.json"));
  CHECK(package["version"].get<std::string>() == Session::version());
  const auto folder = source_folder() / "editors/vscode";
  for (const auto& grammar : package["contributes"]["grammars"]) {
    CHECK(std::filesystem::exists(folder / grammar["path"].get<std::string>()));
  }
  for (const auto& language : package["contributes"]["languages"]) {
    CHECK(nlohmann::json::parse(read_file(folder / language["configuration"].get<std::string>())).is_object());
  }
}
