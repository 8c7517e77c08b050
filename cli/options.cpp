#include "cli/options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>

#include "cli/editors.h"
#include "cli/generate.h"

namespace reckon::cli {
namespace {

/// What a message about an unknown word ends with.
std::string nearest_of(const std::string& word, const std::vector<std::string>& names) {
  const auto near = Session::nearest(word, names);
  return near ? fmt::format("; did you mean `{}`?", *near) : "";
}

/// One of some words. The library's own check would list them a second time in the help.
CLI::Validator one_of(const std::vector<std::string>& words) {
  return CLI::Validator(
      [words](const std::string& word) {
        if (std::find(words.begin(), words.end(), word) != words.end()) return std::string();
        return fmt::format("`{}` is not one of {}{}", word, fmt::join(words, ", "), nearest_of(word, words));
      },
      "");
}

void add_common(CLI::App& app, Common& common) {
  app.add_option("--in", common.semantics,
                 fmt::format("of items that name none: {}", fmt::join(Session::semantics_names(), ", ")))
      ->type_name("SEMANTICS");
  app.add_option("--semantics-library", common.semantics_libraries, "a shared library that adds semantics (docs/cpp.md)")
      ->allow_extra_args(false)
      ->type_name("FILE");
  app.add_option("-D", common.definitions, "an integer: a size of checks, a dimension or static parameter; or a format: T=f32")
      ->type_name("NAME=INT");
  app.add_option("--seed", common.seed, "seed of checks that name none")->type_name("N");
  // The programs that `reckon test` starts have the same.
  app.add_option_function<int>(
         "--threads", [](int count) { setenv("RECKON_THREADS", std::to_string(count).c_str(), 1); },
         "threads that compute on the host (all); no bit depends on it")
      ->check(CLI::Range(1, 1024, "1 to 1024"))
      ->type_name("N");
  app.add_option_function<std::string>(
         "--format", [&common](const std::string& text) { common.json = text == "json"; }, "form of the output")
      ->check(one_of({"text", "json"}))
      ->type_name("text|json");
  app.add_option("--color", common.color, "colours in messages")
      ->check(one_of({"auto", "always", "never"}))
      ->type_name("auto|always|never");
  app.add_flag("--explain-proofs", common.explain_proofs, "print the steps of what is proved in algebra, each checked");
  app.add_flag("--explain-rounding", common.explain_rounding, "note the numbers that their format does not hold exactly");
  app.add_option("--budget", common.budget, "seconds that a check may take (10); its verdict says what was done")
      ->check(CLI::Range(0.001, 1e6, "more than 0"))
      ->type_name("SECONDS");
  app.add_flag("-q,--quiet", common.quiet, "print failures only");
  app.add_flag("-v,--verbose", common.verbose, "print everything that a verdict rests on, and remarks");
  app.add_flag("--strict", common.strict, "exit with 4 if a check cannot be decided");
}

void add_layout_pictures(CLI::App& app, DrawOptions& options) {
  app.add_option("--as", options.as, "a layout as: grid (default); tv: a tile, by thread and value; banks; bits")
      ->check(one_of({"grid", "tv", "banks", "bits"}))
      ->type_name("grid|tv|banks|bits");
  app.add_option("--label", options.label, "in a cell: offset, index, coordinate, bank; of --as tv thread, value")
      ->check(one_of({"offset", "index", "coordinate", "bank", "thread", "value"}))
      ->type_name("WORD");
  app.add_option("--shade", options.shade,
                 "colours by: offset, offset:N, bank, thread, warp, value, row, column, tile; none")
      ->type_name("WORD");
  // One word: a list would take the expression, too.
  app.add_option_function<std::string>(
         "--tile",
         [&options](const std::string& text) {
           options.tile.clear();
           for (const std::string& size : CLI::detail::split(text, ',')) {
             std::int64_t value = 0;
             if (!CLI::detail::lexical_cast(size, value)) {
               throw CLI::ValidationError("--tile", fmt::format("`{}` is no list of sizes like 16,8", text));
             }
             options.tile.push_back(value);
           }
         },
         "the tile's size: of --as tv, of --shade tile")
      ->type_name("M,N");
  app.add_option("--bytes", options.element_bytes, "of an element, for banks (4)")
      ->check(one_of({"1", "2", "4", "8", "16"}))
      ->type_name("1|2|4|8|16");
  app.add_flag("--alone", options.alone, "of a call, draw the result without its arguments");
}

void add_reveal(CLI::App& app, RevealCommand& options) {
  app.add_option("file", options.file, "a program of ours, with --fn")->type_name("FILE");
  app.add_option("--n", options.n, "how many numbers are added")->type_name("N");
  app.add_option("--shape", options.shape, "of the array of a box that gives many sums, instead of --n: 64,256")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("SIZES");
  app.add_option("--second-shape", options.second_shape, "of the second array, by whose elements the first's are multiplied")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("SIZES");
  app.add_option("--fn", options.function, "the circuit: one or two vectors in, one number out")->type_name("NAME");
  app.add_option("--on", options.on, "where the circuit runs (host)")
      ->check(one_of({"interp", "host", "gpu"}))
      ->type_name("interp|host|gpu");
  app.add_option("--command", options.command, "a shell command: reads numbers, one a line, prints their sum")->type_name("CMD");
  app.add_flag("--lines", options.lines, "the command reads a problem a line, prints a sum a line");
  app.add_flag("--products", options.products, "the command or kernel adds x[i] * y[i]: all x, then all y");
  app.add_option("--library", options.library, "a shared library")->type_name("FILE");
  app.add_option("--symbol", options.symbol, "its function")->type_name("NAME");
  app.add_option("--signature", options.signature, "the function's: 'f32(const f32*, n)'")->type_name("TEXT");
  app.add_option("--ptx", options.ptx, "a file of PTX")->type_name("FILE");
  app.add_option("--kernel", options.kernel, "its kernel")->type_name("NAME");
  app.add_option("--launch", options.launch, "how: 'grid=1 block=256 shared=0 args=in,out,n'")->type_name("TEXT");
  app.add_option("--elements", options.elements, "format of the numbers (f32)")->type_name("FORMAT");
  app.add_option("--accumulate", options.accumulate, "format of the running sums (the result's)")->type_name("FORMAT");
  app.add_option("--result", options.result, "format of the sum (that of the numbers)")->type_name("FORMAT");
  app.add_option("--verify", options.verify, "random inputs on which bits are compared (50)")->type_name("N");
  app.add_option("--timeout", options.timeout, "seconds for one answer of a command or library (60)")->type_name("SECONDS");
}

/// What a launch is.
void add_launch(CLI::App& app, PtxCommand& options) {
  app.add_option("file", options.file, "a file of PTX")->required()->type_name("FILE");
  app.add_option("--grid", options.grid, "blocks of the grid (1)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->expected(1, 3)
      ->type_name("X,Y,Z");
  app.add_option("--block", options.block, "threads of a block (1)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->expected(1, 3)
      ->type_name("X,Y,Z");
  app.add_option("--shared", options.shared, "bytes of dynamic shared memory (0)")->type_name("BYTES");
  app.add_option("--arg", options.arguments,
                 "the next argument: 12, @x.npy, 'f32[8,8]' unwritten, 'zeros:f32[8]', 'x:f32[8]' random")
      ->allow_extra_args(false)
      ->type_name("VALUE");
  app.add_option("--instructions", options.instructions, "instructions of threads, at most (2^40)")->type_name("N");
  app.add_flag("--no-races", options.no_races, "look neither for races nor for memory that nobody wrote");
}

void add_ptx(CLI::App& app, PtxCommand& options) {
  add_launch(app, options);
  app.add_option("--entry", options.kernel, "the kernel to run; without it, all kernels are listed")->type_name("NAME");
  app.add_option("-o", options.outputs, "write the memory of an argument, by its place from 0: 1=y.npy")
      ->allow_extra_args(false)
      ->type_name("N=FILE");
  app.add_option("--approx", options.approximate,
                 "what .approx instructions give: the nearest number, or a chip's tables (refuse)")
      ->type_name("refuse|nearest|FILE");
  app.add_option("--report", options.report,
                 "what each line costs: printed, or written to FILE.svg, FILE.pdf or FILE.txt")
      ->expected(0, 1)
      ->default_str("-")
      ->type_name("FILE");
}

void add_trace(CLI::App& app, TraceCommand& options) {
  add_launch(app, options.launch);
  app.add_option("--entry", options.launch.kernel, "the kernel")->required()->type_name("NAME");
  app.add_option("-o", options.output, "write the circuits as a program")->type_name("FILE");
  app.add_option("--name", options.name, "of the circuit (kernel_ and the kernel's)")->type_name("NAME");
  app.add_option("--verify", options.verify, "random arguments on which bits are compared (5)")->type_name("N");
  app.add_option("--against", options.against, "compare with a circuit of this program, or a kernel of this FILE.ptx")
      ->type_name("FILE");
  app.add_option("--fn", options.function, "the circuit or kernel to compare with")->type_name("NAME");
  for (const auto& [flag, extents, what] : {std::tuple{"--other-grid", &options.other_grid, "blocks of the grid"},
                                            std::tuple{"--other-block", &options.other_block, "threads of a block"}}) {
    app.add_option(flag, *extents, fmt::format("{} of the kernel that --fn names (the same)", what))
        ->delimiter(',')
        ->allow_extra_args(false)
        ->expected(1, 3)
        ->type_name("X,Y,Z");
  }
  app.add_option("--sizes", options.sizes,
                 "one circuit for all values of a name in --arg, --grid, --block: n=1000,512,300")
      ->allow_extra_args(false)
      ->type_name("NAME=INT,...");
}

void add_test(CLI::App& app, TestCommand& options) {
  app.add_option("path", options.paths, "programs, and folders with programs NAME.rk")
      ->required()
      ->type_name("DIR|FILE");
  app.add_flag("--update", options.update, "write the expected outputs that are missing or differ");
  // One value at a time: a list would take the paths, too.
  app.add_option("-k", options.names, "only programs whose paths contain NAME; of several -k, one of the names")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option("--jobs", options.jobs, "programs that run at a time (the machine's threads)")
      ->check(CLI::Range(1, 1024, "1 to 1024"))
      ->type_name("N");
  app.add_option("--timeout", options.timeout, "seconds for one program (60)")
      ->check(CLI::Range(0.001, 1e6, "more than 0"))
      ->type_name("SECONDS");
  app.add_option("--junit", options.junit, "write a report in JUnit's XML as well")->type_name("FILE");
}

void add_explain(CLI::App& app, ExplainCommand& options) {
  app.add_option("code", options.code, "of a message: E0300 or 300; without one, lists all codes")->type_name("CODE");
}

void add_fmt(CLI::App& app, FmtCommand& options) {
  app.add_option("path", options.paths, "programs, and folders with programs NAME.rk; or -: standard input to standard output")
      ->required()
      ->type_name("DIR|FILE|-");
  app.add_flag("--check", options.check, "write nothing, and show what would change; status 1 if anything would");
}

/// Whether the word is an option of every command whose value is the next word.
bool takes_value(const CLI::App& app, const std::string& word) {
  const CLI::Option* option = word.starts_with('-') ? app.get_option_no_throw(word) : nullptr;
  return option != nullptr && option->get_items_expected_min() > 0;
}

/// `reckon eval -x`: an expression may begin with a minus. It goes to the end, behind a `--`.
void protect_expression(const CLI::App& app, std::vector<std::string>& words) {
  auto command = std::find(words.begin(), words.end(), "eval");
  if (command == words.end() || std::find(command, words.end(), "--") != words.end()) return;
  auto is_expression = [](const std::string& word) {
    return word.size() > 1 && word[0] == '-' && word[1] != '-' && word != "-q" && word != "-v" && word != "-h" && !word.starts_with("-D");
  };
  auto found = std::find_if(command, words.end(), is_expression);
  if (found == words.end() || takes_value(app, *(found - 1))) return;
  const std::string expression = *found;
  words.erase(found);
  words.insert(words.end(), {"--", expression});
}

void add_run(CLI::App& app, RunOptions& options) {
  app.add_option("file", options.file, "the program, or - for standard input")->required()->type_name("FILE");
  app.add_option("--on", options.on, "who tries checks (interp); mpi: the ranks that mpirun started")
      ->check(one_of({"interp", "mpi"}))
      ->type_name("interp|mpi");
  app.add_option("--resume", options.resume, "a file that keeps what checks have tried; go on from it, if it is there")
      ->type_name("FILE");
}

void add_eval(CLI::App& app, EvalOptions& options) {
  app.add_option("expression", options.expression, "the expression, or -")->required()->type_name("EXPR");
}

void add_compile(CLI::App& app, CompileCommand& options) {
  app.add_option("file", options.file, "the program")->required()->type_name("FILE");
  app.add_option("--fn", options.function, "the circuit")->required()->type_name("NAME");
  app.add_option("--emit", options.emit, "what to write: text, code, or files for other programs")
      ->check(one_of(emit_words()))
      ->type_name(fmt::format("{}", fmt::join(emit_words(), "|")));
  app.add_option("--target", options.target, "ptx (default), or host (that of header and object)")
      ->check(one_of({"ptx", "host"}))
      ->type_name("ptx|host");
  app.add_option("--arch", options.arch,
                   "the GPU (sm_90); of the host a processor: x86-64-v2, x86-64-v3, native, ...")
      ->type_name("ARCH");
  app.add_flag("--line-info", options.line_info, "tell each instruction's line of the program");
  app.add_option("-o", options.output, "output file, or -")->type_name("OUT");
  app.add_option("--dump-after", options.dump_after, "print the IR after a pass, or after all")
      ->type_name("PASS|all");
  app.add_option("--without", options.without, "leave out a pass")->type_name("PASS");
  app.add_option("--choose", options.choices, "a way of placement, as `reckon tune` names it")->type_name("CHOICE=WAY");
}

void add_call(CLI::App& app, CallCommand& options) {
  app.add_option("file", options.file, "the program")->required()->type_name("FILE");
  app.add_option("--fn", options.function, "the circuit")->required()->type_name("NAME");
  app.add_option("--arg", options.arguments, "an argument: numbers, or a .npy file")
      ->type_name("NAME=1,2,3|NAME=@FILE");
  app.add_option("--on", options.on, "where it runs; gpus: on all GPUs; mpi: the ranks that mpirun started")
      ->check(one_of({"interp", "host", "gpu", "gpus", "mpi"}))
      ->type_name("interp|host|gpu|gpus|mpi");
  app.add_option("--arch", options.arch, "the GPU's architecture; its own by default")->type_name("ARCH");
  app.add_option("-o", options.output, "write the result to a .npy file")->type_name("FILE");
}

void add_bench(CLI::App& app, BenchCommand& options) {
  app.add_option("file", options.file, "the program")->required()->type_name("FILE");
  app.add_option("--fn", options.function, "the circuit")->required()->type_name("NAME");
  app.add_option("--arg", options.arguments, "an argument: numbers, or a .npy file; random by default")
      ->type_name("NAME=1,2,3|NAME=@FILE");
  app.add_option("--on", options.on, "where it runs (host)")
      ->check(one_of({"interp", "host", "gpu"}))
      ->type_name("interp|host|gpu");
  app.add_option("--arch", options.arch, "the GPU's architecture")->type_name("ARCH");
  app.add_option("--seconds", options.seconds, "of measuring, about (1)")
      ->check(CLI::Range(0.0, 3600.0, "0 to 3600"))
      ->type_name("SECONDS");
  app.add_option("--choose", options.choices,
                 "a way of placement, as `reckon tune` names it; usual: none that was kept")
      ->type_name("CHOICE=WAY|usual");
}

void add_tune(CLI::App& app, TuneCommand& options) {
  app.add_option("file", options.file, "the program")->required()->type_name("FILE");
  app.add_option("--fn", options.function, "the circuit")->required()->type_name("NAME");
  app.add_option("--arg", options.arguments, "an argument: numbers, or a .npy file; random by default")
      ->type_name("NAME=1,2,3|NAME=@FILE");
  app.add_option("--arch", options.arch, "the GPU's architecture")->type_name("ARCH");
  app.add_option("--seconds", options.seconds, "of measuring each way, about (0.1)")
      ->check(CLI::Range(0.0, 3600.0, "0 to 3600"))
      ->type_name("SECONDS");
  app.add_option("--most", options.most, "ways that are measured, at most (64)")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100000}, "1 to 100000"))
      ->type_name("N");
  app.add_flag("--list", options.list, "list the ways, and measure none, which needs no GPU");
  app.add_flag("--no-keep", options.forget, "do not keep the best one for later runs");
}

void add_draw(CLI::App& app, DrawCommand& options) {
  app.add_option("expression", options.expression,
                 "a schedule, a tree, a layout, a call of a layout function; with --fn, a program")
      ->required()
      ->type_name("EXPR|FILE");
  app.add_option("--fn", options.function, "a circuit of the program: the orders in which it reduces")
      ->type_name("NAME");
  app.add_option("--n", options.options.leaves, "the number of leaves, where nothing else says it")
      ->check(CLI::Validator(
          [](const std::string& text) {
            std::int64_t n = 0;
            const bool positive = CLI::detail::lexical_cast(text, n) && n >= 1;
            return positive ? std::string() : fmt::format("`{}` is no number of leaves: at least 1", text);
          },
          ""))
      ->type_name("N");
  app.add_option("-o", options.output,
                 "write an SVG (FILE.svg), a PDF (FILE.pdf) or a text (FILE.txt); -: print the SVG")
      ->type_name("FILE");
  app.add_flag_callback(
      "--no-caption", [&options] { options.options.caption = false; }, "leave out title, summary and notes");
  add_layout_pictures(app, options.options);
}

void add_export(CLI::App& app, ExportCommand& options) {
  app.add_option("file", options.file, "the program")->required()->type_name("FILE");
  app.add_option("--fn", options.function, "the circuit; its dimensions need values: -D n=16")
      ->required()
      ->type_name("NAME");
  app.add_option("-o", options.output, "output file, or -")->type_name("OUT");
}

/// The words of the command line in the order that the library wants, the last first. `reckon FILE.rk`: the first word that
/// is neither an option nor a subcommand is a file to run.
std::vector<std::string> read_words(const CLI::App& app, std::vector<std::string> words) {
  const auto is_command = [&](const std::string& word) {
    return !app.get_subcommands([&](const CLI::App* command) { return command->get_name() == word; }).empty();
  };
  std::size_t first = 0;
  while (first < words.size() && words[first].size() > 1 && words[first][0] == '-') {
    first += takes_value(app, words[first]) ? 2 : 1;
  }
  if (first < words.size() && !is_command(words[first])) {
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(first), "run");
  }
  protect_expression(app, words);
  std::reverse(words.begin(), words.end());
  return words;
}

/// What is wrong with words that were refused, if it is that a command or an option has another name; else empty.
std::string misspelling(const CLI::App& app, const std::vector<std::string>& words) {
  std::vector<std::string> names;
  const CLI::App* command = nullptr;
  std::size_t first = 0;
  while (first < words.size() && words[first].starts_with('-')) first += takes_value(app, words[first]) ? 2 : 1;
  if (first >= words.size()) return {};
  for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(each->get_name());
    if (each->get_name() == words[first]) command = each;
  }
  std::error_code unreadable;
  if (command == nullptr && std::filesystem::exists(words[first], unreadable)) command = app.get_subcommand("run");
  if (command == nullptr) {
    return fmt::format("`{}` is no command and no file{}", words[first], nearest_of(words[first], names));
  }
  names.clear();
  for (const CLI::Option* option : command->get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (std::size_t k = first + 1; k < words.size() && words[k] != "--"; ++k) {
    const std::string name = words[k].substr(0, words[k].find('='));
    if (!name.starts_with("--") || std::ranges::find(names, name) != names.end()) continue;
    return fmt::format("`reckon {}` has no option `{}`{}", command->get_name(), name, nearest_of(name, names));
  }
  return {};
}

Status refused(const std::string& wrong) {
  fmt::print(stderr, "reckon: {}\nRun with --help for more information.\n", wrong);
  return wrong_usage;
}
/// Says what is wrong with the words, or the help that they ask for; gives the exit status.
Status refused(const CLI::App& app, const CLI::ParseError& problem, const std::vector<std::string>& words) {
  const std::string wrong = problem.get_exit_code() == 0 ? "" : misspelling(app, words);
  if (wrong.empty()) return app.exit(problem) == 0 ? good : wrong_usage;
  return refused(wrong);
}

/// `reckon NAME` is a file to run, unless it was meant as a command.
int run_file(const CLI::App& app, const RunOptions& options, const Common& common,
             const std::vector<std::string>& words) {
  std::error_code unreadable;
  if (options.file.find_first_of("./") == std::string::npos && !std::filesystem::exists(options.file, unreadable)) {
    if (const std::string wrong = misspelling(app, words); !wrong.empty()) return refused(wrong);
  }
  return run(options, common);
}

constexpr char statuses[] =
    "Exit status: 0 all good, 1 a check failed, 2 wrong usage, 3 the source has errors,\n"
    "4 undecided (--strict), 69 a device or tool is missing, 70 internal error, 130 interrupted.";

/// What an exit status means of one subcommand besides.
std::string own_status(const std::string& command) {
  if (command == "reveal") return "\nOf reveal, 4 means that the order cannot be seen.";
  if (command == "ptx") return "\nOf ptx, 1 means that the kernel does what no kernel should do.";
  if (command == "trace")
    return "\nOf trace, 1 means that the kernel does what no kernel should do, or that it is not the other circuit.";
  if (command == "test") return "\nOf test, 1 means that a result is not the expected one.";
  return "";
}

/// What `reckon generate` prints.
std::string generated_text(const CLI::App& app, const std::string& what) {
  if (what == "man") return man_page(app, Session::version());
  if (what == "bash") return bash_completion(app);
  if (what == "zsh") return zsh_completion(app);
  if (what == "fish") return fish_completion(app);
  return what == "textmate" ? textmate_grammar() : vim_syntax();
}
int print_generated(const CLI::App& app, const std::string& what) {
  std::cout << generated_text(app, what);
  return good;
}

}  // namespace

int dispatch(int argc, char** argv) {
  Common common;
  RunOptions run_options;
  EvalOptions eval_options;
  CompileCommand compile_options;
  CallCommand call_options;
  BenchCommand bench_options;
  TuneCommand tune_options;
  DrawCommand draw_options;
  ExportCommand export_options;
  RevealCommand reveal_options;
  PtxCommand ptx_options;
  TraceCommand trace_options;
  TestCommand test_options;
  ExplainCommand explain_options;
  FmtCommand fmt_options;

  CLI::App app("Reckon: arithmetic circuits, the order of their reductions, and the layouts of their data");
  app.name("reckon");
  app.set_version_flag("--version", "reckon " + Session::version());
  app.require_subcommand(0, 1);
  app.get_formatter()->column_width(34);
  app.footer(
      std::string(
          "With no arguments: the REPL on a terminal, otherwise the program on standard input.\n"
          "`reckon FILE.rk` is `reckon run FILE.rk`; a FILE.fpcore has FPCores, whose worst errors are shown.\n\n") +
      statuses);
  add_common(app, common);

  auto* run_command = app.add_subcommand("run", "run a program: print its shows, report its checks");
  add_run(*run_command, run_options);
  auto* eval_command = app.add_subcommand("eval", "evaluate an expression, or one a line from standard input");
  add_eval(*eval_command, eval_options);
  auto* compile_command = app.add_subcommand("compile", "compile a circuit");
  add_compile(*compile_command, compile_options);
  auto* call_command = app.add_subcommand("call", "run one circuit on arguments");
  add_call(*call_command, call_options);
  auto* bench_command = app.add_subcommand("bench", "time a circuit, and compare with the machine's limits");
  add_bench(*bench_command, bench_options);
  auto* tune_command = app.add_subcommand("tune", "find the fastest placement of a circuit on this machine's GPU");
  add_tune(*tune_command, tune_options);
  auto* draw_command = app.add_subcommand("draw", "draw the tree of a schedule, the orders of a circuit, or a layout");
  add_draw(*draw_command, draw_options);
  auto* export_command = app.add_subcommand("export", "write a circuit as an FPCore, for other accuracy tools");
  add_export(*export_command, export_options);
  auto* reveal_command = app.add_subcommand("reveal", "the order in which a black box adds");
  add_reveal(*reveal_command, reveal_options);
  auto* ptx_command = app.add_subcommand("ptx", "run a kernel of PTX in an emulator of a GPU");
  add_ptx(*ptx_command, ptx_options);
  auto* trace_command = app.add_subcommand("trace", "read the circuit off a kernel of PTX");
  add_trace(*trace_command, trace_options);
  auto* test_command = app.add_subcommand("test", "run programs and compare what they print with what is expected");
  add_test(*test_command, test_options);
  auto* explain_command = app.add_subcommand("explain", "what the code of a message means, with programs");
  add_explain(*explain_command, explain_options);
  auto* fmt_command = app.add_subcommand("fmt", "format programs: spaces and indentation");
  add_fmt(*fmt_command, fmt_options);
  auto* lsp_command = app.add_subcommand("lsp", "serve an editor: the Language Server Protocol on standard input and output");
  for (CLI::App* command :
       {run_command, eval_command, compile_command, call_command, bench_command, tune_command, draw_command,
        export_command, reveal_command, ptx_command, trace_command, test_command, explain_command, fmt_command, lsp_command}) {
    add_common(*command, common);
    command->get_formatter()->column_width(34);
    command->footer(statuses + own_status(command->get_name()));
  }

  // For those who package Reckon; help texts do not show it.
  std::string generated;
  auto* generate_command = app.add_subcommand("generate", "print the manual page, a shell's completion, or an editor's file")->group("");
  generate_command->add_option("what", generated)->required()->check(one_of({"man", "bash", "zsh", "fish", "textmate", "vim"}));

  try {
    app.parse(read_words(app, {argv + 1, argv + argc}));
  } catch (const CLI::ParseError& problem) {
    return refused(app, problem, {argv + 1, argv + argc});
  }
  {
    Console console(common);
    if (!read_definitions(common, console)) return console.status();
  }
  if (run_command->parsed()) return run_file(app, run_options, common, {argv + 1, argv + argc});
  if (eval_command->parsed()) return eval(eval_options, common);
  if (compile_command->parsed()) return compile(compile_options, common);
  if (draw_command->parsed()) return draw(draw_options, common);
  if (export_command->parsed()) return export_circuit(export_options, common);
  if (call_command->parsed()) return call(call_options, common);
  if (bench_command->parsed()) return bench(bench_options, common);
  if (tune_command->parsed()) return tune(tune_options, common);
  if (reveal_command->parsed()) return reveal(reveal_options, common);
  if (ptx_command->parsed()) return ptx(ptx_options, common);
  if (trace_command->parsed()) return trace(trace_options, common);
  if (test_command->parsed()) return test(test_options, common);
  if (explain_command->parsed()) return explain(explain_options, common);
  if (fmt_command->parsed()) return format(fmt_options, common);
  if (lsp_command->parsed()) return serve_editor(common);
  if (generate_command->parsed()) return print_generated(app, generated);
  if (isatty(STDIN_FILENO)) return repl(common);
  return run({.file = "-"}, common);
}

}  // namespace reckon::cli
