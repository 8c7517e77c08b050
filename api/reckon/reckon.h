// Reckon embedded in C++: load a program, call its circuits, compile them, run its checks.
//
//   reckon::Session session;
//   auto loaded = session.load("fn dot(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by seq");
//   std::vector<float> x{1, 2, 3}, y{4, 5, 6};
//   auto result = session.call("dot", {reckon::Tensor::of<float>(x), reckon::Tensor::of<float>(y)});
//   result->at(0).tensor->as<float>()[0];   // 32
//
// Nothing here throws on a user's mistake: every call gives a value or messages. A Session is used by one thread at a
// time; sessions are independent of each other.
#pragma once

#if __cplusplus < 202002L
#error "reckon/reckon.h is for C++20: compile with -std=c++20"
#endif

#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

#include "export.h"  // beside this file

namespace reckon {

/// A diagnostic, as a value and as text.
struct Message {
  std::string code;                    ///< `E0303`
  std::string message;                 ///< one sentence
  std::string file;
  std::uint32_t line = 0, column = 0;  ///< from 1; 0 where there is no place
  std::vector<std::string> notes, helps;
  std::string text;                    ///< the whole report, as the command line prints it
  std::string colored;                 ///< the same with terminal colours
  std::string json;                    ///< one JSON object on one line
  /// What kind of failure it is, as an exit status: 3 the source, 69 a missing device or tool, 70 our own,
  /// 130 an interruption; 0 of a note.
  int status = 3;
};

/// A value, or at least one message.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(std::vector<Message> messages) : state_(std::in_place_index<1>, std::move(messages)) {}
  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() { return std::get<0>(state_); }
  const T& operator*() const { return std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  /// Empty if there is a value.
  const std::vector<Message>& messages() const {
    static const std::vector<Message> none;
    return state_.index() == 1 ? std::get<1>(state_) : none;
  }

 private:
  std::variant<T, std::vector<Message>> state_;
};

/// A scalar (no shape) or tensor of a format of the language or of `bool`: bit patterns, little-endian, row-major, tightly
/// packed. Bits that the format does not have (the 13 low ones of tf32) are 0, and are not looked at.
struct Tensor {
  std::string type;
  std::vector<std::int64_t> shape;
  std::vector<std::uint8_t> bytes;

  /// A tensor of `double` (f64), `float` (f32), signed integers of their width, std::uint32_t (u32) or std::uint64_t
  /// (u64); or, with a `type`, of any numbers or patterns: f16 and bf16 are std::uint16_t, as u16 is. Without a shape:
  /// one dimension.
  template <class T>
  static Tensor of(std::span<const T> values, std::vector<std::int64_t> shape = {}, std::string type = {}) {
    Tensor out;
    if (type.empty()) type = default_type<T>();
    out.type = std::move(type);
    out.shape = shape.empty() ? std::vector<std::int64_t>{static_cast<std::int64_t>(values.size())} : std::move(shape);
    out.bytes.resize(values.size_bytes());
    if (!values.empty()) std::memcpy(out.bytes.data(), values.data(), values.size_bytes());
    return out;
  }
  template <class T>
  static std::string default_type() {
    if constexpr (std::is_integral_v<T> && (std::is_signed_v<T> || sizeof(T) >= 4)) {
      return (std::is_signed_v<T> ? "i" : "u") + std::to_string(8 * sizeof(T));
    } else {
      return sizeof(T) == 8 ? "f64" : sizeof(T) == 4 ? "f32" : sizeof(T) == 2 ? "f16" : "bool";
    }
  }
  template <class T>
  static Tensor scalar(T value, std::string type = {}) {
    Tensor out = of<T>(std::span<const T>(&value, 1), {1}, std::move(type));
    out.shape.clear();
    return out;
  }
  template <class T>
  std::vector<T> as() const {
    std::vector<T> out(bytes.size() / sizeof(T));
    if (!out.empty()) std::memcpy(out.data(), bytes.data(), out.size() * sizeof(T));
    return out;
  }
};

/// The bytes of a tensor's elements; nothing if there is no such type, or if the shape is negative or too large.
RECKON_API std::optional<std::size_t> tensor_bytes(std::string_view type, std::span<const std::int64_t> shape);

/// One number as its semantics shows it: text for people, and named forms (`value`, `hex`, `bits`; `lo`, `hi`;
/// `payload`, `bits`). `alternatives` is a list in JSON, of objects with `lo` and `hi`.
struct Number {
  std::string text;
  std::vector<std::pair<std::string, std::string>> forms;
};

/// The numbers of a result, row-major. A number becomes text only when it is asked for, since there may be many.
class Numbers {
 public:
  Numbers() = default;
  Numbers(std::vector<Number> numbers) : count_(numbers.size()) {
    number_ = [all = std::move(numbers)](std::size_t k) { return all[k]; };
  }
  /// `number(k)` for k < count.
  Numbers(std::size_t count, std::function<Number(std::size_t)> number) : count_(count), number_(std::move(number)) {}
  std::size_t size() const { return count_; }
  Number operator[](std::size_t k) const { return number_(k); }

  class Iterator {
   public:
    Iterator(const Numbers& numbers, std::size_t k) : numbers_(&numbers), k_(k) {}
    Number operator*() const { return (*numbers_)[k_]; }
    Iterator& operator++() {
      ++k_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return k_ != other.k_; }

   private:
    const Numbers* numbers_;
    std::size_t k_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, count_}; }

 private:
  std::size_t count_ = 0;
  std::function<Number(std::size_t)> number_;
};

/// A scalar or tensor of values of a semantics that the program itself has added. reckon/semantics.h makes and reads it, by the
/// type of its class.
struct OwnTensor {
  const std::type_info* type = nullptr;  ///< of the class
  std::vector<std::int64_t> shape;
  std::size_t count = 0;
  std::shared_ptr<const void> data;
};

/// The static values for which a repeated item was carried out, `for k in {64, 128}: show ...`: `k` and `64`.
struct Given {
  std::vector<std::pair<std::string, std::string>> values;
  std::string label;                   ///< for people: `k = 64   `, as wide for all values of the item
};

/// A result: static (a layout, a schedule, an integer, ...) or numbers under a semantics.
struct Shown {
  bool is_static = false;
  std::string type;                    ///< `layout`, `tree`, ...; `f32`; `f32[3]` has type `f32` and a shape
  std::string text;                    ///< static: its text
  std::string decimal = {};            ///< of a static number that is no integer, at the prompt: rounded to its format
  bool plain = false;                  ///< a number without a format, which was rounded only to be shown
  std::string semantics;
  bool floats = false;  ///< each element is one float of its format, and `bits` is its pattern
  std::vector<std::int64_t> shape;
  bool is_scalar = true;
  Numbers numbers;
  std::vector<std::pair<std::string, std::string>> summary;  ///< of semantics that measure (count)
  std::optional<Tensor> tensor;        ///< the bit patterns, where the semantics has them
  std::optional<OwnTensor> own = {};   ///< the values, of a semantics that the program has added
  Given given = {};                    ///< of a `show` that is repeated
};

struct WitnessInput {
  std::string name;
  std::string type;                    ///< of an element; empty if the input belongs to no parameter
  std::string expression;              ///< makes the input again: `random(f32[1000], 42)`
  std::vector<std::string> elements;   ///< the first few
  std::int64_t left_out = 0;           ///< elements after these
};

struct Checked {
  std::string text;                    ///< the check as written
  Given given = {};                    ///< of a check that is repeated
  std::string verdict;                 ///< holds, fails, undecided
  std::string strength;                ///< proved, agreed, observed
  std::string semantics;
  /// The sizes of one evaluation: each dimension with its value.
  using NamedSizes = std::vector<std::pair<std::string, std::int64_t>>;
  /// What the verdict rests on (docs/verdicts.md): a name and a typed value, and how the verdict's line says it; without
  /// such a text it is for JSON and `--verbose`.
  struct Fact {
    std::string name;
    std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>, std::vector<NamedSizes>> value;
    std::string text;
  };
  std::vector<Fact> evidence;
  const Fact* fact(std::string_view name) const {
    for (const Fact& each : evidence) {
      if (each.name == name) return &each;
    }
    return nullptr;
  }
  std::vector<std::string> notes;
  std::vector<std::string> remarks;    ///< additional findings, which only JSON and `--verbose` show
  bool interrupted = false;            ///< the check was ended by `Session::interrupt`: this is its verdict so far
  struct Counterexample {
    std::vector<std::pair<std::string, std::int64_t>> dimensions;
    std::vector<WitnessInput> inputs;
    std::vector<std::int64_t> element;
    Number left, right;
    std::string distance, allowance, parting;
    std::optional<std::uint64_t> ulps;  ///< how many steps of the format lie between the two sides
    std::vector<std::pair<std::string, std::string>> amounts;  ///< `within bound`: allowed, allowed_left, ...
  };
  std::optional<Counterexample> counterexample;
  /// `in accept(P)`: how the results came out, in all trials.
  struct Judged {
    std::string what;                  ///< the left side as written
    std::int64_t results = 0;          ///< inside + outside + unbounded
    std::int64_t inside = 0, outside = 0;
    std::int64_t unbounded = 0;        ///< where the profile allows anything
    double worst_ulps = 0;             ///< of those outside, from the nearest permitted answer; may be infinite
    double used = 0;                   ///< of those inside: the most of what is allowed, 1 being an end of it
    std::vector<std::pair<std::string, std::int64_t>> reasons;  ///< why unbounded, and how often
  };
  std::optional<Judged> judged;
  /// `attains` of the results of several runs: which of them some order gives.
  struct Run {
    std::int64_t run = 0;
    std::vector<std::int64_t> element; ///< of the result; empty for a scalar
    Number result;
    std::string attained;              ///< yes, no, unknown
    std::string witness;               ///< of a yes: an order that gives it, as a tree; may be long
  };
  std::vector<Run> runs;
};

struct Saved {
  std::string path;
  std::string type;
};

/// The outcome of an item of a program: a show (with its parts, if it is a tuple), a check, a save, or messages.
using Event = std::variant<std::vector<Shown>, Checked, Saved, std::vector<Message>>;

/// How far a check has come.
struct Progress {
  std::string item;                    ///< the check as written
  std::string at;                      ///< the sizes under way: `n = 257`
  std::int64_t trials = 0;             ///< done so far
  std::int64_t planned = 0;            ///< of the whole check; 0: not known
  double seconds = 0, budget = 0;      ///< taken so far; at most
};

/// mpi: the ranks of a job together (reckon/ranks.h), for `call` and `run`; rank 0 gets the results. gpus: all GPUs of this
/// machine together, for `call` under `float`.
enum class On { interpreter, host, gpu, mpi, gpus };

struct SessionOptions {
  std::vector<std::string> library_folders;   ///< those with stdlib/*.rk; empty: the installed one, or $RECKON_STDLIB
  std::string semantics;                      ///< for items that name none; empty: `float` for shows, an error for checks
  std::optional<std::int64_t> seed;           ///< for checks that name none
  std::map<std::string, std::int64_t> values; ///< sizes of dimensions for which a check names none
  bool known_values_only = false;             ///< run() refuses values for names that are in no circuit or check
  /// Where compiled kernels are kept from one process to the next; empty: nowhere.
  std::string kernel_folder = {};
  double budget = 10;                         ///< seconds that a check may take
  /// A check that names its number of trials carries out all of them, unless it names its own budget, too.
  bool all_trials = false;
  /// mpi: `run` deals the trials of checks to the ranks of a job. Each rank makes the same calls; rank 0 alone gets
  /// outcomes.
  On on = On::interpreter;
  /// A file in which `run` keeps what the trials of checks have shown so far, written every few seconds. If it is there
  /// already, `run` goes on from it. Empty: none.
  std::string resume = {};
  bool explain_sweeps = false;                ///< `run` notes at its end who carried out how many trials
  /// Called a few times a second, from another thread, while a check that has taken a second is under way; with no value
  /// when it ends.
  std::function<void(const std::optional<Progress>&)> progress = {};
  bool explain_proofs = false;                ///< the evidence of what is proved has the proof's steps (docs/proofs.md)
  bool explain_rounding = false;              ///< gives notes on numbers of the text that their format cannot represent
  /// Shared libraries that add semantics (RECKON_SEMANTICS_LIBRARY, reckon/semantics.h). They are opened when a semantics is first
  /// asked for, and stay open.
  std::vector<std::string> semantics_libraries = {};
  std::string mpi_library = {};               ///< MPI's; empty: what RECKON_MPI names, or where the loader finds one
  std::string cuda_driver = {};               ///< the driver's library; empty: `libcuda.so.1`, where the loader finds it
};

/// The name of the semantics that is meant where none is named: `float`.
RECKON_API std::string usual_semantics();

struct CallOptions {
  On on = On::interpreter;
  std::string semantics = usual_semantics();
  std::map<std::string, std::int64_t> values;  ///< dimensions and static parameters (`-D`)
  std::map<std::string, std::string> formats;  ///< static parameters that are formats: `f32`
  std::string arch;                            ///< gpu: empty takes the device's own
  /// gpu: ways of placement, by what they are a choice of (docs/tuning.md); without a value those that were kept for
  /// this circuit, or else the usual ones.
  std::optional<std::map<std::string, std::string>> choices = std::nullopt;
  bool explain_ranks = false;                  ///< mpi, gpus: notes() says what was dealt to the ranks
};

/// Reads `n=1000` into the values, or `T=f32` into the formats; false if the text is neither.
RECKON_API bool read_definition(std::string_view text, std::map<std::string, std::int64_t>& values,
                                std::map<std::string, std::string>& formats);
/// Reads `product.tile=64x64x16`, a way of placement as Session::tune names it; false if the text is none such.
RECKON_API bool read_choice(std::string_view text, std::map<std::string, std::string>& choices);

/// A measurement (Session::bench). The call's sizes must be known: `values` names every dimension that no argument has.
struct BenchOptions {
  CallOptions call;
  std::map<std::string, Tensor> arguments;     ///< by parameter; a parameter without one gets random numbers
  std::uint64_t seed = 0;                      ///< of the random arguments
  double seconds = 1;                          ///< roughly how long to measure; at least 5 runs are made
};

struct Benchmark {
  std::string machine;                         ///< `NVIDIA H200`; `host, one thread`
  std::vector<double> seconds;                 ///< of a run, ascending
  double median() const { return seconds.empty() ? 0 : seconds[seconds.size() / 2]; }
  std::int64_t bytes = 0;                      ///< of the arguments and results, each once
  /// The operations as the circuit states them, each computed once; empty where lengths depend on indices.
  std::vector<std::pair<std::string, std::int64_t>> operations;
  std::int64_t arithmetic = 0;                 ///< floating-point operations among them, an fma being two
  double copy_rate = 0;                        ///< bytes a second, read and written, of a plain copy of 64 MiB to 1 GiB
  double memory_rate = 0;                      ///< bytes per second that the machine's data sheet allows; 0: unknown
  double arithmetic_rate = 0;                  ///< operations of the result's format per second; 0: unknown
};

/// A search for the fastest choices of placement on a GPU (Session::tune). `bench.seconds` is how long each is measured.
struct TuneOptions {
  BenchOptions bench;
  std::size_t most = 64;                       ///< ways that are measured, at most
  bool measures = true;                        ///< or else the ways are listed, which needs no GPU
  bool keeps = true;                           ///< the best one, in the session's folder of kernels, for later calls
};

struct Tuned {
  struct Way {
    std::map<std::string, std::string> choices;  ///< that differ from the usual ones
    std::optional<double> modelled;              ///< the least seconds that it takes, by the model of costs
    std::optional<double> measured;              ///< seconds, the median
    std::string problem;                         ///< why it was not measured
  };
  std::string machine;                         ///< `NVIDIA H200`; empty if nothing was measured
  std::vector<Way> ways;                       ///< the usual one first
  std::size_t best = 0;                        ///< its number
  std::size_t left_out = 0;                    ///< ways that were not measured because `most` had been
  bool kept = false;
};

/// What programs without Reckon use (docs/kernels_elsewhere.md): `object`, an object file for C with its `header`; and
/// `cpp_launcher`, `python_launcher`, source files that launch the kernels on a GPU. `fpcore`: the circuit in the common
/// format of tools for floating-point accuracy, written out as scalars, for which every dimension needs a value.
enum class Emit {
  ir, kernels, report, llvm, ptx, assembly, cubin, plan,
  header, object, cpp_launcher, python_launcher, fpcore
};
/// By its name on the command line: `asm` is assembly, `launcher=cpp` is cpp_launcher.
RECKON_API std::optional<Emit> emit_named(std::string_view name);

struct CompileOptions {
  Emit emit = Emit::ptx;
  bool host = false;                           ///< for the host instead of PTX; `header` and `object` are always
  std::string semantics = usual_semantics();
  /// The chip, `sm_90` if empty; on the host a processor, `x86-64-v3` or `native`: if empty, this machine's, and for
  /// `object` the oldest that is supported.
  std::string arch = {};
  bool line_info = false;                      ///< code has line tables: each instruction's line of the program
  std::map<std::string, std::int64_t> values;
  std::map<std::string, std::string> formats;
  std::string dump_after;                      ///< a pass whose result is wanted as well, or `all`
  std::vector<std::string> without_passes;     ///< passes left out
  std::map<std::string, std::string> choices = {};  ///< ptx: of placement (docs/tuning.md)
};

enum class PictureForm { text, svg, pdf };
/// By its name: `text`, `svg`, `pdf`.
RECKON_API std::optional<PictureForm> picture_form_named(std::string_view name);

struct DrawOptions {
  std::optional<std::int64_t> leaves;          ///< of schedules: at least 1; a tree has its own number
  PictureForm form = PictureForm::text;
  bool caption = true;                         ///< title, summary and notes are a part of the picture
  /// What is drawn is the name of a circuit: the orders of its reductions, one picture for each, in the order of the text.
  /// `values` and `formats` are its sizes and static parameters; `leaves` is for reductions whose length they leave open.
  bool circuit = false;
  std::map<std::string, std::int64_t> values = {};
  std::map<std::string, std::string> formats = {};
  // These are for layouts; empty: the default.
  std::string as;                              ///< grid, tv, banks, bits
  std::string label;                           ///< offset, index, coordinate, bank, thread, value
  std::string shade;                           ///< none, offset, offset:N, bank, thread, warp, value, row, column, tile
  std::vector<std::int64_t> tile;              ///< sizes
  std::int64_t element_bytes = 4;              ///< 1, 2, 4, 8 or 16
  bool alone = false;                          ///< of a call, the result without its arguments
};

struct Parameter {
  std::string name;                            ///< empty of a result
  std::string type;                            ///< element type; `T` if a static parameter says it
  std::size_t rank = 0;
  std::vector<std::string> shape = {};         ///< `n`, `2*m`
  bool row_major = true;                       ///< or it is stored as the circuit says
};

/// What a circuit takes and gives.
struct Signature {
  std::vector<std::pair<std::string, bool>> static_parameters;  ///< a name, and whether it is a format
  std::vector<Parameter> parameters, results;                   ///< tuples of results flattened
};

/// A black box that adds (docs/reveal.md). `timeout`: seconds for one answer.
struct CommandBox {
  std::string command;
  bool lines = false;                          ///< one process, a problem a line
  bool products = false;                       ///< it adds x[i] * y[i], and reads x, then y
  double timeout = 60;
};
struct LibraryBox {
  std::string path, symbol, signature;         ///< `f32(const f32*, n)`
  double timeout = 60;
};
struct CircuitBox {
  std::string circuit;                         ///< one or two vectors of n elements in, a scalar out
  CallOptions options;
};
struct KernelBox {
  std::string ptx, kernel, launch;             ///< `grid=1 block=256 args=in,out,n`
  bool products = false;
};
/// A function of this process. It gets bit patterns of the format of the elements (RevealOptions::format), and gives the
/// sum as a pattern of the result's format; nothing if it failed. `y` is empty unless it adds products.
struct FunctionBox {
  std::function<std::optional<std::uint64_t>(std::span<const std::uint64_t> x, std::span<const std::uint64_t> y)> call;
  bool products = false;
};
using SumBox = std::variant<CommandBox, LibraryBox, CircuitBox, KernelBox, FunctionBox>;
/// A function of this process that gives many sums: as many patterns at every call; nothing if it failed.
struct OutputsFunctionBox {
  std::function<std::optional<std::vector<std::uint64_t>>(std::span<const std::uint64_t> x,
                                                          std::span<const std::uint64_t> y)>
      call;
  bool products = false;
};
/// A box that gives many sums of one array, or of the products of two. A command prints all of them; a circuit takes one
/// tensor, or two, and gives one.
using OutputsBox = std::variant<CommandBox, CircuitBox, OutputsFunctionBox>;

struct RevealOptions {
  std::int64_t n = 0;
  /// Formats of elements, running sums and result, if the box does not say; empty: f32, the result's, the elements'.
  std::string format, accumulator, result;
  std::int64_t verify = 50;                    ///< random inputs on which bits are compared
  std::uint64_t seed = 0;
  /// Of the arrays that a box of many sums takes, whose elements follow each other row by row; it has no n.
  std::vector<std::int64_t> shape, second_shape;
};

/// What a box does besides adding: it multiplies or divides the sum, or each element before it is added.
struct RevealedScaling {
  std::string text;                            ///< for people; empty if the box only adds
  std::string operation;                       ///< `divide`, `multiply`; `either` by a power of two
  std::string where;                           ///< `sum`, `elements`; `either` by a power of two
  double by = 1;
  std::string name;                            ///< `n`, `1/n`, `sqrt(n)`, `1/sqrt(n)`, or empty
  std::string format;                          ///< in which the operation rounds
  bool rounded_first = false;                  ///< the sum is rounded to the result's format before it is scaled
  std::vector<double> weights;                 ///< exact factors of the elements, powers of two; empty: all 1
};

struct Revealed {
  std::string undecided;                       ///< empty, or why the order cannot be seen
  std::string tree;                            ///< `((0 1) 2)`; undecided: what the probes alone saw, if it is a tree
  std::string schedule;                        ///< the tree as a schedule for this n, if it is recognised
  std::vector<std::string> names;              ///< schedules of the standard library with this tree
  std::string arithmetic;                      ///< in which the tree gives the box's bits: `f32`, `f32 with fma`, ...
  RevealedScaling scaling;
  std::int64_t verified = 0;                   ///< random inputs on which tree, arithmetic and scaling gave the box's bits
  std::vector<std::string> notes;
  std::int64_t multiway_nodes = 0;             ///< of more than two children
  std::int64_t probes = 0, checks = 0;         ///< calls that built the tree; all others
  std::string declared;                        ///< a circuit's own tree; it agrees, or there is a message of status 70
};

/// Outputs of a box of many sums that are computed in one way, each from elements of its own.
struct RevealedGroup {
  std::vector<std::int64_t> outputs;           ///< their numbers, row by row
  std::int64_t n = 0;                          ///< elements that each depends on: the leaves of its tree
  std::string over, over_second;               ///< `x[i, :]`, `y[:, j]` where they are a slice; else empty
  Revealed found;                              ///< of each
};
struct RECKON_API RevealedOutputs {
  std::int64_t outputs = 0;
  std::vector<RevealedGroup> groups;
  /// By output, the elements that are its leaves, in the order of the leaves' numbers; the second array's, by which they
  /// are multiplied.
  std::vector<std::vector<std::int64_t>> elements, second_elements;
  std::vector<std::vector<double>> weights;    ///< by output, as RevealedScaling::weights
  std::int64_t probes = 0, checks = 0;         ///< calls that built trees; all others
  std::int64_t verified = 0;                   ///< random arrays on which all outputs were compared
  bool decided() const;                        ///< the order of every output was found
};

namespace semantics {   // reckon/semantics.h
class Maker;
}
class Prepared;         // reckon/prepared.h
class PreparedHost;
struct PrepareOptions;
struct SourceOutline;
namespace circuit {     // reckon/circuit.h
class Claim;
class Definition;
class Expression;
}  // namespace circuit

class RECKON_API Session {
 public:
  struct Implementation;  ///< the library's own

  explicit Session(SessionOptions options = {});
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  /// Reads definitions from a program's text, but does not carry out its checks, shows and saves. Relative imports
  /// start from `path`. Returns the names of the circuits that the text defines.
  Result<std::vector<std::string>> load(const std::string& text, const std::string& path = "program");

  /// Reads a program and carries out its items in order, giving each outcome to `sink` as it comes.
  void run(const std::string& text, const std::string& path, const std::function<void(const Event&)>& sink);

  /// Defines a circuit that is written in C++ (reckon/circuit.h), and those that it calls, under their names. One that the
  /// session has defined already is left as it is.
  template <class Circuit>
  Result<Circuit> define(const Circuit& circuit) {
    auto messages = define_circuit(circuit.definition());
    if (!messages.empty()) return messages;
    return circuit;
  }
  std::vector<Message> define_circuit(const std::shared_ptr<const circuit::Definition>& definition);
  /// Gives a schedule, or a layout, a name that circuits and text may use.
  std::vector<Message> define(const std::string& name, const circuit::Expression& value);
  /// Evaluates an expression that is written in C++, as `evaluate` does its text.
  Result<std::vector<Shown>> show(const circuit::Expression& expression, const std::string& semantics = {});
  /// Carries out a check that is written in C++.
  Result<Checked> check(const circuit::Claim& claim);

  /// Brings the whole standard library into scope (as `eval` and the REPL have it).
  std::vector<Message> use_library();

  /// Evaluates one expression.
  Result<std::vector<Shown>> evaluate(const std::string& expression, const std::string& name = "expression",
                                      std::uint32_t first_line = 1);

  /// One entry of a REPL: items, or an expression. `incomplete`: more lines are needed, and nothing was done.
  struct Entry {
    std::vector<Event> events;
    bool incomplete = false;
  };
  Entry enter(const std::string& text);
  /// Whether the entry is unfinished: its first mistake is that the text ends.
  bool incomplete(const std::string& text);

  /// The format in which `evaluate` and `enter` show numbers that meet no format, `f64` at first; messages if it is no
  /// float format.
  std::vector<Message> set_number_format(const std::string& format);
  /// The names that set_number_format takes.
  static std::vector<std::string> number_formats();
  /// The types of integers.
  static std::vector<std::string> integer_types();
  std::string number_format() const;
  /// The seconds that a check may take from now on.
  void set_budget(double seconds);
  double budget() const;

  /// A definition that was entered or loaded, and stands.
  struct Definition {
    std::string name;
    std::string text;                  ///< as a program has it: `let x = [1, 2]`
    std::string comment = {};          ///< the lines of comment above it, each with its line break
    std::string file = {};             ///< the path that it was read from, or the name that the caller gave the text
    std::uint32_t line = 0, column = 0;  ///< of its first character in the file, from 1
  };
  /// The definition of that name, of the standard library, too.
  std::optional<Definition> definition(const std::string& name) const;
  /// In the order in which they were made, without those of the standard library.
  std::vector<Definition> definitions() const;
  /// These definitions as a program, with the imports that it needs.
  std::string definitions_text() const;

  Result<std::vector<Parameter>> parameters(const std::string& circuit,
                                            const std::map<std::string, std::string>& formats = {});

  /// The same with sizes and results, for any static parameters.
  Result<Signature> signature(const std::string& circuit);

  /// Makes `name` this tensor, as `let name = load("...")` would.
  std::vector<Message> define(const std::string& name, const Tensor& tensor);

  /// Calls a circuit; one value per part of its result.
  Result<std::vector<Shown>> call(const std::string& circuit, const std::vector<Tensor>& arguments,
                                  const CallOptions& options = {});

  /// Adds a semantics of the program's own (include reckon/semantics.h), which this session then knows by its name: in text, in
  /// options and in checks. `maker` converts from a function that gives an object of its class. The name must be new.
  std::vector<Message> add_semantics(const std::string& name, semantics::Maker maker);
  /// Calls a circuit on values of such a semantics, which the options name; tensors are taken, too.
  Result<std::vector<Shown>> call_on_values(const std::string& circuit,
                                            const std::vector<std::variant<Tensor, OwnTensor>>& arguments,
                                            const CallOptions& options);

  /// Compiles a circuit and loads it on a GPU, to be run any number of times: include reckon/prepared.h.
  Result<Prepared> prepare(const std::string& circuit, const PrepareOptions& options);
  /// The same for the host. The options that are about a GPU are ignored.
  Result<PreparedHost> prepare_host(const std::string& circuit, const PrepareOptions& options);

  /// Times a circuit.
  Result<Benchmark> bench(const std::string& circuit, const BenchOptions& options);
  /// Finds the choices of placement with which it is fastest on this machine's GPU. They change no bit.
  Result<Tuned> tune(const std::string& circuit, const TuneOptions& options);

  /// The circuit's text at a stage of compilation (a cubin's bytes for Emit::cubin).
  Result<std::string> compile(const std::string& circuit, const CompileOptions& options = {});

  /// The tree of the circuit's first reduction for n leaves, as `((0 1) 2)`.
  Result<std::string> tree(const std::string& circuit, std::int64_t n,
                           const std::map<std::string, std::int64_t>& values = {},
                           const std::map<std::string, std::string>& formats = {});

  /// The same of a schedule: `lanes(4, tree) then tree`.
  Result<std::string> tree_of_schedule(const std::string& expression, std::int64_t n);

  /// The order in which a black box adds n numbers, from calls alone.
  Result<Revealed> reveal(const SumBox& box, const RevealOptions& options);
  /// The orders of a box that gives many sums, with `options.shape`.
  Result<RevealedOutputs> reveal_outputs(const OutputsBox& box, const RevealOptions& options);

  /// The picture of a schedule, a tree, a layout, or of the orders of a circuit, as plain text or as a file.
  Result<std::string> draw(const std::string& expression, const DrawOptions& options = {});
  Result<std::string> draw(const circuit::Expression& expression, const DrawOptions& options = {});

  /// Work that is running in this session ends soon, with the message `interrupted`; later work is not affected. May be
  /// called from another thread or a signal handler.
  void interrupt() noexcept;

  /// Notes on what was carried out that were not given yet: those of SessionOptions::explain_rounding, each place once for
  /// each semantics, and why elements of a result have no value. `run` and `enter` give theirs as events.
  std::vector<Message> notes();

  std::vector<std::string> names() const;
  std::optional<std::string> describe(const std::string& name);
  /// The text of a circuit, or of an expression, that is written in C++.
  Result<std::string> text(const std::shared_ptr<const circuit::Definition>& definition);
  Result<std::string> text(const circuit::Expression& expression);
  void set_semantics(const std::string& semantics);
  /// Nothing if the semantics exists.
  std::vector<Message> check_semantics(const std::string& semantics) const;

  static std::vector<std::string> semantics_names();
  /// Those and the ones that were added to this session.
  std::vector<std::string> all_semantics() const;
  static std::vector<std::string> keywords();
  /// The one of the words that a misspelt word may mean, if there is one.
  static std::optional<std::string> nearest(const std::string& misspelt, const std::vector<std::string>& words);
  static std::string version();

  /// Reads a tensor of this type and rank: `1.5`; `1,2` or `[1, 2]`; `[[1, 2], [3, 4]]`. Each number is rounded once.
  Result<Tensor> parse_tensor(const std::string& text, const std::string& type, std::size_t rank);
  Result<Tensor> read_npy(const std::string& path);
  /// A file's bytes (if it is too large to be a program, the first 64 MiB and a little); nothing if it cannot be read.
  static std::optional<std::string> read_text(const std::string& path);
  /// Replaces the whole file, or writes to the path if it is a device. Returns nothing, or why the write failed.
  static std::string write_file(const std::string& path, const std::string& bytes);
  std::vector<Message> write_npy(const std::string& path, const Tensor& tensor);

 private:
  friend RECKON_API SourceOutline outline_source(const Session& session);  // source.h

  std::shared_ptr<Implementation> implementation_;  ///< shared with what it prepared
};

}  // namespace reckon
