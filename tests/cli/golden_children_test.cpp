// Processes that run several at a time, and end in every way that there is.
#include "cli/golden/children.h"

#include <signal.h>
#include <catch2/catch.hpp>

#include <map>

#include "tests/support/files.h"

using namespace reckon::golden;
using namespace reckon::test;

namespace {

/// What shells with these scripts come to.
std::map<std::size_t, Ended> run(const std::vector<std::string>& scripts, ChildrenOptions options,
                                 const std::filesystem::path& folder = ".") {
  options.program = "/bin/sh";
  std::vector<Command> commands;
  for (const std::string& script : scripts) commands.push_back({{"-c", script}, folder.string()});
  std::map<std::size_t, Ended> out;
  const std::atomic<bool> stop = false;
  run_children(commands, options, stop,
               [&](std::size_t k, Ended ended) { CHECK(out.emplace(k, std::move(ended)).second); });
  CHECK(out.size() == commands.size());
  return out;
}

}  // namespace

TEST_CASE("the streams, the status and the signal of processes") {
  auto ended = run({"echo out; echo err >&2; exit 7", "kill -SEGV $$", "read line && echo there is input", "pwd",
                    "exec >&- 2>&-; sleep 0.1; exit 5"},
                   {.at_once = 3}, "/");
  CHECK(ended[0].how == Ended::How::exited);
  CHECK(ended[0].number == 7);
  CHECK(ended[0].out == "out\n");
  CHECK(ended[0].messages == "err\n");
  CHECK(ended[0].seconds > 0);
  CHECK(ended[1].how == Ended::How::signalled);
  CHECK(ended[1].number == SIGSEGV);
  CHECK(ended[2].out.empty());
  CHECK(ended[3].out == "/\n");
  CHECK(ended[4].number == 5);
}

TEST_CASE("a process that does not end is stopped with what it started, and the others go on") {
  const TemporaryFolder folder;
  auto ended = run({"echo begun; (sleep 2; touch late) & sleep 60", "trap '' TERM INT; sleep 60",
                    "exec >&- 2>&-; sleep 60", "echo done"},
                   {.at_once = 2, .timeout = std::chrono::duration<double>(0.3)}, folder.path());
  for (const std::size_t k : {0u, 1u, 2u}) {
    CHECK(ended[k].how == Ended::How::timed_out);
    CHECK(ended[k].seconds < 10);
  }
  CHECK(ended[0].out == "begun\n");
  CHECK(ended[3].out == "done\n");
  auto waited = run({"sleep 2.5"}, {});
  CHECK_FALSE(std::filesystem::exists(folder / "late"));
}

TEST_CASE("a process that writes without end is stopped") {
  auto ended = run({"while :; do echo 0123456789; done", "yes >&2"}, {.at_once = 2, .most_bytes = 1 << 20});
  CHECK(ended[0].how == Ended::How::wrote_too_much);
  CHECK(ended[1].how == Ended::How::wrote_too_much);
  CHECK(ended[0].out.size() < (2 << 20));
}

TEST_CASE("a large output arrives whole") {
  auto ended = run({"i=0; while [ $i -lt 30000 ]; do echo $i; i=$((i+1)); done"}, {});
  CHECK(ended[0].out.starts_with("0\n1\n2\n"));
  CHECK(ended[0].out.ends_with("\n29999\n"));
  CHECK(ended[0].out.size() == 168'890);
}

TEST_CASE("a process that cannot be started says why") {
  auto nowhere = run({"true"}, {}, "/no/such/folder");
  CHECK(nowhere[0].how == Ended::How::not_started);
  CHECK(nowhere[0].number == ENOENT);
}

TEST_CASE("no more processes run at a time than are allowed, and they run at a time") {
  const TemporaryFolder folder;
  // Each counts those that run when it starts.
  const std::string script = "touch r.$$; ls r.* | wc -l; sleep 0.2; rm r.$$";
  auto ended = run(std::vector<std::string>(12, script), {.at_once = 4}, folder.path());
  int most = 0;
  for (const auto& [k, one] : ended) most = std::max(most, std::stoi(one.out));
  CHECK(most <= 4);
  CHECK(most > 1);
}

TEST_CASE("stopping ends what runs and starts nothing further") {
  std::atomic<bool> stop = false;
  std::vector<std::size_t> ended;
  const std::vector<Command> commands{{{"-c", "true"}, "."}, {{"-c", "sleep 60"}, "."}, {{"-c", "sleep 60"}, "."}};
  ChildrenOptions options{.at_once = 2};
  options.program = "/bin/sh";
  const auto begin = std::chrono::steady_clock::now();
  run_children(commands, options, stop, [&](std::size_t k, Ended) {
    ended.push_back(k);
    stop = true;
  });
  CHECK(ended == std::vector<std::size_t>{0});
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
}
