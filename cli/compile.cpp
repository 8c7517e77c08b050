#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "cli/arguments.h"
#include "cli/options.h"

namespace reckon::cli {
namespace {

/// A word of `--emit`.
struct Emitted {
  std::string word;
  std::string only = {};  ///< the one target that has it; empty: both
  bool lines = true;      ///< whether it has instructions, and so line tables
  bool binary = false;
  Emit emit = *emit_named(word);
};
const std::vector<Emitted>& all_emitted() {
  static const std::vector<Emitted> all{{"ir", "", false},
                                        {"kernels", "", false},
                                        {"report", "", false},
                                        {"llvm"},
                                        {"ptx", "ptx"},
                                        {"cubin", "ptx", true, true},
                                        {"asm"},
                                        {"plan", "", false},
                                        {"header", "host", false},
                                        {"object", "host", true, true},
                                        {"launcher=cpp", "ptx"},
                                        {"launcher=python", "ptx"}};
  return all;
}

const Emitted& emitted_as(const std::string& word) {
  const auto& all = all_emitted();
  return *std::find_if(all.begin(), all.end(), [&](const Emitted& one) { return one.word == word; });
}

/// What the words with this property are, as a list for a sentence.
template <class Is>
std::string words_with(Is&& is) {
  std::vector<std::string> words;
  for (const Emitted& one : all_emitted()) {
    if (is(one)) words.push_back(one.word);
  }
  const std::string last = words.back();
  words.pop_back();
  return fmt::format("{} or {}", fmt::join(words, ", "), last);
}

/// Options that do not go together; empty if they do.
std::string usage_problem(const CompileCommand& options, const Emitted& emitted) {
  const std::string target = options.target.empty() ? emitted.only : options.target;
  if (!emitted.only.empty() && emitted.only != target) {
    const std::string others = words_with([&](const Emitted& one) { return one.only.empty() || one.only == target; });
    return fmt::format("--emit={} is for --target={} alone: --target={} has {}", emitted.word, emitted.only, target,
                       others);
  }
  const bool gpu_name = options.arch.starts_with("sm_"), host = target == "host";
  if (!options.arch.empty() && gpu_name == host) {
    return host ? fmt::format(
                      "--arch={} names a GPU, and --emit={} is code of the host here: name a processor like x86-64-v3, "
                      "or native",
                      options.arch, emitted.word)
                : fmt::format("--arch={} names no GPU: chips are named like sm_80, sm_90, sm_100", options.arch);
  }
  if (options.line_info && !emitted.lines) {
    return fmt::format("--line-info is for code, and --emit={} has none: it goes with {}", emitted.word,
                       words_with([](const Emitted& one) { return one.lines; }));
  }
  if (emitted.binary && options.output == "-" && isatty(STDOUT_FILENO) != 0) {
    return fmt::format("--emit={} is binary and not for a terminal: name a file, `-o {}.{}`", emitted.word,
                       options.function, emitted.emit == Emit::object ? "o" : "cubin");
  }
  return {};
}

}  // namespace

std::vector<std::string> emit_words() {
  std::vector<std::string> out;
  for (const Emitted& one : all_emitted()) out.push_back(one.word);
  return out;
}

int compile(const CompileCommand& options, const Common& common) {
  Console console(common);
  auto session = loaded_session(options.file, common, console);
  if (!session) return console.status();
  CompileOptions compile_options;
  const Emitted& emitted = emitted_as(options.emit);
  compile_options.emit = emitted.emit;
  compile_options.host = options.target == "host" || (options.target.empty() && emitted.only == "host");
  if (const std::string problem = usage_problem(options, emitted); !problem.empty()) {
    console.complain(problem);
    return wrong_usage;
  }
  compile_options.semantics = common.semantics.empty() ? usual_semantics() : common.semantics;
  compile_options.arch = options.arch;
  compile_options.line_info = options.line_info;
  compile_options.values = common.values;
  compile_options.formats = common.formats;
  compile_options.dump_after = options.dump_after;
  compile_options.without_passes = options.without;
  auto choices = read_choices(options.choices, console);
  if (!choices) return console.status();
  compile_options.choices = std::move(*choices);
  auto output = session->compile(options.function, compile_options);
  console.print(session->notes());
  if (!output) {
    console.print(output.messages());
    return console.status();
  }
  if (options.output == "-") {
    std::cout << *output << std::flush;
    return console.status();
  }
  if (const std::string problem = Session::write_file(options.output, *output); !problem.empty()) {
    console.complain("`" + options.output + "` cannot be written: " + problem);
    console.raise(wrong_usage);
  }
  return console.status();
}

}  // namespace reckon::cli
