// The options of every subcommand, as plain structs. Only options.cpp and generate.cpp include the command-line
// library.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"

namespace reckon::cli {

struct RunOptions {
  std::string file, on = "interp";
  std::string resume;       ///< a restart file
};

struct EvalOptions {
  std::string expression;   ///< `-`: one expression a line from standard input
};

struct CompileCommand {
  std::string file, function, emit = "ptx", target, arch, output = "-", dump_after;
  bool line_info = false;
  std::vector<std::string> without, choices;
};

struct CallCommand {
  std::string file, function, on = "interp", output, arch;
  std::vector<std::string> arguments;   ///< NAME=VALUES or NAME=@FILE.npy
};

/// A circuit that is run again and again, to see how long it takes.
struct MeasuredCommand {
  std::string file, function, arch;
  std::vector<std::string> arguments;
  double seconds = 1;        ///< roughly how long
};

struct BenchCommand : MeasuredCommand {
  std::string on = "host";
  std::vector<std::string> choices;
};

struct TuneCommand : MeasuredCommand {
  TuneCommand() { seconds = 0.1; }  // of each way
  std::size_t most = 64;            ///< ways
  bool list = false, forget = false;
};

struct DrawCommand {
  std::string expression, function, output;  ///< with a function, the expression is a file
  DrawOptions options;
};

struct ExportCommand {
  std::string file, function, output;
};

struct RevealCommand {
  std::string file, function, on = "host";                 ///< a Reckon circuit
  std::string command, library, symbol, signature;
  std::string ptx, kernel, launch;
  std::string elements, accumulate, result;                ///< formats
  bool lines = false, products = false;
  double timeout = 60;
  std::optional<std::int64_t> n;
  std::int64_t verify = 50;
  std::vector<std::int64_t> shape, second_shape;           ///< of a box of many sums
};

struct PtxCommand {
  std::string file, kernel;
  std::vector<std::string> grid{"1"}, block{"1"};
  std::uint32_t shared = 0;
  std::vector<std::string> arguments;  ///< a number, @FILE.npy, TYPE[SIZES], zeros:TYPE[SIZES], NAME:TYPE[SIZES]
  std::vector<std::string> outputs;    ///< NUMBER=FILE.npy
  std::string approximate = "refuse";
  std::uint64_t instructions = std::uint64_t{1} << 40;
  bool no_races = false;
  std::string report;  ///< empty: none; `-`: to the output; else a file
};

struct TraceCommand {
  PtxCommand launch;
  std::string name;    ///< of the circuit
  std::string output;  ///< a file for the program
  std::int64_t verify = 5;
  std::string against, function;  ///< a program, and its circuit to compare with; or a file of PTX, and its kernel
  std::vector<std::string> other_grid, other_block;  ///< of that kernel; none: those of the first
  std::vector<std::string> sizes;                    ///< `n=1000,512,300`
};

struct TestCommand {
  std::vector<std::string> paths, names;
  bool update = false;
  int jobs = 0;              ///< 0: as many as the machine has threads
  double timeout = 60;       ///< seconds for one program
  std::string junit;
};

struct ExplainCommand {
  std::string code;          ///< empty: lists all codes
};

struct FmtCommand {
  std::vector<std::string> paths;   ///< programs and folders, or `-` alone
  bool check = false;
};

int run(const RunOptions& options, const Common& common);
int eval(const EvalOptions& options, const Common& common);
int compile(const CompileCommand& options, const Common& common);
int call(const CallCommand& options, const Common& common);
int bench(const BenchCommand& options, const Common& common);
int tune(const TuneCommand& options, const Common& common);
int draw(const DrawCommand& options, const Common& common);
int export_circuit(const ExportCommand& options, const Common& common);
int reveal(const RevealCommand& options, const Common& common);
int ptx(const PtxCommand& options, const Common& common);
int trace(const TraceCommand& options, const Common& common);
int test(const TestCommand& command, const Common& common);
int explain(const ExplainCommand& options, const Common& common);
int format(const FmtCommand& command, const Common& common);
int serve_editor(const Common& common);
int repl(const Common& common);

/// The words of `--emit`.
std::vector<std::string> emit_words();

/// Reads the command line and does what it says; the exit status.
int dispatch(int argc, char** argv);

}  // namespace reckon::cli
