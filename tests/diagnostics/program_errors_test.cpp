// What the program says about each kind of mistake: tests/cli/errors/fail_*.rk, and no code without a test.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <regex>
#include <set>

#include "diagnostics/diagnostic.h"
#include "tests/support/files.h"
#include "tests/support/golden.h"
#include "tests/support/process.h"

using namespace reckon;
using namespace reckon::test;

namespace {

std::filesystem::path errors_folder() { return source_folder() / "tests" / "cli" / "errors"; }

/// The files of programs with mistakes, by name.
std::vector<std::string> failing_files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(errors_folder())) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::set<std::string> codes_in(const std::string& text) {
  static const std::regex code("\\bE[0-9]{4}\\b");
  return {std::sregex_token_iterator(text.begin(), text.end(), code), std::sregex_token_iterator()};
}

/// Long lines are shown in part, and bytes that are no text stay out of golden files.
std::string printable(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n' || (c >= ' ' && c <= '~') || static_cast<unsigned char>(c) >= 0x80) out += c;
    else out += '?';
  }
  return out;
}

}  // namespace

TEST_CASE("each mistake gives one clear error with its place and code, and status 3") {
  for (const std::string& name : failing_files()) {
    INFO(name);
    REQUIRE(name.starts_with("fail_"));
    const RunResult run =
        run_program({name + ".rk"}, RunOptions{.input = {}, .folder = errors_folder(), .environment = {}});
    CHECK(run.status == 3);
    CHECK(run.out.empty());
    CHECK(run.wall.count() < 60);
    check_golden("diagnostics/" + name.substr(5) + ".txt", printable(run.err));

    std::size_t errors = 0;
    std::string first;
    for (std::size_t at = run.err.find("error["); at != std::string::npos; at = run.err.find("\nerror[", at + 1)) {
      if (errors++ == 0) first = run.err.substr(at + 6, 5);
    }
    CHECK(errors == (name == "fail_several" ? 3 : 1));
    CHECK(run.err.find("\n  --> " + name + ".rk:") != std::string::npos);
    // The file says in its first line which code it is about.
    const std::string text = read_file(errors_folder() / (name + ".rk"));
    if (const std::string about = text.substr(0, text.find('\n')); !codes_in(about).empty()) {
      CHECK(codes_in(about) == std::set<std::string>{first});
    }
    // Lower case, no final full stop.
    const std::size_t begin = run.err.find("]: ") + 3, end = run.err.find('\n');
    const std::string message = run.err.substr(begin, end - begin);
    CHECK(message.back() != '.');
    CHECK_FALSE((message[0] >= 'A' && message[0] <= 'Z' && message.find("UTF-8") == std::string::npos &&
                 message.find("NUL") == std::string::npos));
  }
}

TEST_CASE("a mistake that an argument makes in a function of another file is told at the call, too") {
  const std::string program = "import \"schedules.rk\"\nshow sum i < 8: f32(i) by cub_device(512, 0, 64)\n";
  const RunResult run = run_program({"-"}, RunOptions{.input = program, .folder = {}, .environment = {}});
  CHECK(run.status == 3);
  CHECK(run.err.find("schedules.rk:") != std::string::npos);
  CHECK(run.err.find("in this call of `in_turns`") != std::string::npos);
  const std::size_t call = run.err.find(" 2 | show sum i < 8: f32(i) by cub_device(512, 0, 64)\n");
  REQUIRE(call != std::string::npos);
  CHECK(run.err.find("--------------------- in this call of `cub_device`", call) != std::string::npos);
}

TEST_CASE("every code is produced by a test") {
  // Codes that the program cannot be brought to, and why.
  const std::map<std::string, std::string> exempt = {
      {"E0506", "needs a class of C++ that throws; tests/api/own_semantics_mistakes_test.cpp"},
      {"E0710", "IR text is read by the compiler's own tests alone: tests/ir/parser_test.cpp"},
      {"E0711", "no source gives IR that breaks a rule; tests/ir/verifier_test.cpp"},
      {"E0902", "needs a GPU that fails; tests/runtime/cuda_launch_test.cpp with a driver that pretends to"},
      {"E0999", "a defect of ours"},
  };
  std::set<std::string> seen;
  const auto scan = [&](const std::filesystem::path& folder, const std::string& extension) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(source_folder() / "tests" / folder)) {
      // It names codes that it does not produce.
      if (entry.path().filename() == "explain_test.cpp") continue;
      if (entry.path().extension() == extension) seen.merge(codes_in(read_file(entry.path())));
    }
  };
  scan("golden/diagnostics", ".txt");
  scan("cli", ".cpp");
  scan("repl", ".cpp");
  scan("mpi", ".cpp");
  const auto row = [&](int number, const char* name) {
    const std::string code = code_text(static_cast<Code>(number));
    INFO(code << " " << name);
    CHECK(seen.contains(code) != exempt.contains(code));
  };
#define RECKON_DIAGNOSTIC(name, number, title) row(number, #name);
#include "diagnostics/diagnostics.def"
#undef RECKON_DIAGNOSTIC
}
