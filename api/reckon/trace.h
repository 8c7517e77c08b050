// The circuit of a kernel of PTX, read off a launch (docs/ptx.md, "Reading the circuit off").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ptx.h"

namespace reckon {

/// A sum or an extreme of many terms in a kernel.
struct TracedFold {
  std::int64_t terms = 0;
  std::string schedule;    ///< as the language writes it; empty if none is recognised
  std::string tree;        ///< `((0 1) 2)`: terms are numbered in the order of the elements that they read; perhaps cut
  std::string arithmetic;  ///< `f32`, `f32 with fma`, `tensor cores (hopper)`
  bool extreme = false;    ///< a minimum or maximum, which has no order
  std::int64_t multiway_nodes = 0;
};

/// Elements of an output that are computed in one way.
struct TracedGroup {
  std::vector<std::int64_t> elements;
  std::vector<TracedFold> folds;  ///< outermost first; each order once
  bool exact = true;              ///< all its instructions round as IEEE 754 says
};

/// Launches on the arguments and on random ones, compared with what a circuit gives for them.
struct TracedBits {
  std::int64_t equal = 0, compared = 0;  ///< launches after which all elements have the circuit's bits; all launches
  std::uint64_t ulps = 0;                ///< the most steps of the format between an element and the circuit's
  std::string problem;                   ///< why nothing is compared
};

struct TracedOutput {
  std::size_t argument = 0;  ///< of the kernel
  std::string name;          ///< of the circuit
  std::vector<TracedGroup> groups;
  std::string circuit;                  ///< its text, or empty
  std::string problem;                  ///< why there is none
  bool regular = false;   ///< the circuit has sums and indices; else it is written out, operation by operation
  std::string irregular;  ///< why it is not regular
  std::vector<std::size_t> parameters;  ///< the arguments that it takes
  TracedBits bits;                      ///< against the circuit's
  TracedBits other;                     ///< against those of the circuit that TraceOptions::against names
};

struct RECKON_API PtxTrace {
  PtxRun run;                         ///< the launch itself, in `float`
  std::vector<TracedOutput> outputs;  ///< of the arguments in whose memory something was stored
  std::int64_t numbers = 0;           ///< nodes of the trace
  /// The circuits as a program.
  std::string program() const;
};

struct TraceOptions {
  std::string name;         ///< of the circuit; empty: `kernel_` and the kernel's
  std::int64_t verify = 5;  ///< random arguments on which bits are compared
  std::uint64_t seed = 0;
  /// A program and a circuit of it, which takes the arguments that the kernel reads, in their order.
  std::string against, against_path, against_circuit;
  std::vector<std::string> taken = {};  ///< names that the circuits' indices do not have
};

/// One JSON object on one line.
RECKON_API std::string to_json(const TracedOutput& output);

/// The launch's `semantics` is of no matter.
RECKON_API PtxTrace trace_ptx(const std::string& text, const std::string& name, const PtxLaunch& launch,
                              const TraceOptions& options = {});

/// A launch at known sizes, by their names.
struct SizedLaunch {
  std::vector<std::pair<std::string, std::int64_t>> sizes;
  PtxLaunch launch;
};
struct SizedTrace {
  std::vector<PtxTrace> traces;  ///< of the launches, up to the first that has messages
  std::string program;           ///< of which all are instances: circuits that have the sizes' names; or empty
  std::string problem;           ///< why there is none
};
/// Traces of launches at several sizes, at least three, as one program: where their circuits differ in numbers that are
/// simple functions of the sizes. At other sizes the kernel may compute in another way.
RECKON_API SizedTrace trace_ptx_sizes(const std::string& text, const std::string& name,
                                      const std::vector<SizedLaunch>& launches, const TraceOptions& options = {});

/// What a kernel gives under any semantics, by its circuit.
struct PtxValues {
  PtxRun run;  ///< the launch that was traced, in `float`
  struct Output {
    std::size_t argument = 0;
    std::vector<Shown> values;
    std::string note;  ///< what the circuit leaves out of the kernel
  };
  std::vector<Output> outputs;
  std::vector<Message> messages;  ///< E0630 for an output that has no circuit, and what the semantics refuses
};
/// `launch.semantics` is any of the language's.
RECKON_API PtxValues values_of_ptx(const std::string& text, const std::string& name, const PtxLaunch& launch);

}  // namespace reckon
