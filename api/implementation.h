// The implementation of Session, and the conversion of diagnostics and values to those of the public API.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <new>
#include <set>
#include <stdexcept>

#include "api/circuit/cpp_places.h"
#include "api/own_semantics.h"
#include "api/reckon/prepared.h"
#include "api/reckon/reckon.h"
#include "check/check.h"
#include "codegen/compile.h"
#include "diagnostics/codes/bad_argument.h"
#include "diagnostics/diagnostic.h"
#include "driver/prepare.h"
#include "frontend/elaborate.h"
#include "interp/all_orders.h"
#include "interp/circuit_cache.h"
#include "interp/enclosures.h"
#include "interp/evaluate.h"
#include "reveal/sum_tree.h"
#include "sweep/sweep.h"

namespace reckon {

namespace runtime {
struct GpuOptions;
}
namespace reveal {
struct Outcome;
}

/// `interval(200, x)` as a name and arguments.
frontend::SemanticsName split_semantics(const std::string& text);

Message public_message(const Diagnostic& diagnostic, const SourceMap& sources);

/// The answers to one question about enclosures (interp/enclosures.h), row-major.
struct EnclosureAnswers {
  std::string semantics;
  ir::Scalar scalar{};
  std::vector<std::int64_t> shape;
  std::vector<interp::EnclosureAnswer> answers;
  std::vector<std::array<std::string, 2>> operands;  ///< as text
  interp::EndFormat format;
};
Shown shown(const EnclosureAnswers& answers);
Checked checked(const EnclosureAnswers& answers, const frontend::ElaboratedItem& item);

struct Session::Implementation {
  explicit Implementation(SessionOptions session_options);

  SessionOptions options;
  std::unique_ptr<codegen::KernelStore> kernels;  ///< null if they are not kept
  SourceMap sources;
  std::vector<std::string> library;               ///< folders of the standard library
  std::map<std::string, semantics::Maker> own_semantics;  ///< by name
  std::map<std::string, ir::HostTensor> tensors;  ///< that the caller has named (Session::define), by their paths
  frontend::Session session;
  std::unique_ptr<interp::CircuitCache> circuits = std::make_unique<interp::CircuitCache>(session.module());
  std::atomic<bool> interrupted = false;
  std::unique_ptr<sweep::Carrier> carrier;  ///< while a program runs whose sweeps are dealt or kept (program_run.h)
  ir::Scalar number_format = ir::Scalar::f64;       ///< of numbers that meet none, where they are entered
  bool in_entry = false;       ///< what is carried out was entered, and is no program
  std::set<std::uint32_t> programs;                 ///< files that the caller has given, not imported
  SourceSpan current;          ///< of the item that is carried out
  std::uint32_t entries = 0;   ///< REPL lines and expressions so far, for their names

  std::vector<Diagnostic> notes;                          ///< those that the caller has not received yet
  std::set<std::pair<std::array<std::uint32_t, 3>, std::string>> noted;  ///< by place
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> item_ends;  ///< of shows, checks and saves, by beginning
  /// If the options ask for it: notes on how the numbers in a circuit's text are rounded under the semantics of the
  /// item that runs it (rounding_notes.cpp).
  void about_to_run(const std::vector<frontend::ElaboratedItem>& items);
  /// Errors in the values that were given for a program (SessionOptions::known_values_only).
  std::vector<Message> unknown_values(std::uint32_t file, const std::vector<frontend::ElaboratedItem>& items);
  void note_roundings(const ir::Function& function, const interp::Semantics& with, SourceSpan item = {});
  bool stands_elsewhere(SourceSpan place, SourceSpan item) const;
  std::vector<Message> take_notes();

  /// Circuits that are written in C++ (circuit/session.cpp).
  circuit::CppPlaces cpp_places;
  std::map<std::string, std::shared_ptr<const circuit::Definition>> cpp_definitions;  ///< by name in this session
  /// Defines the circuits that these nodes call and that the session does not know, and says how they are named.
  std::vector<Message> define_below(const std::vector<const circuit::Node*>& roots, const std::string& owner,
                                    circuit::DefinitionNames& names);
  Result<frontend::Session::Outcome> elaborated(const circuit::NodePointer& expression);
  /// The tree with a text of its own, which is a file of the source map.
  frontend::ParseResult printed(circuit::Translation& translation, const std::string& title);
  std::vector<Message> mistakes(const std::vector<circuit::Mistake>& mistakes);
  /// Text that was read defines these circuits now.
  void redefined(const std::vector<std::string>& circuits) {
    for (const std::string& name : circuits) cpp_definitions.erase(name);
  }

  Message message(const Diagnostic& diagnostic) {
    return public_message(told_to_user(cpp_places.told_in_cpp(diagnostic, sources)), sources);
  }
  /// Whether the file belongs to the standard library, and was not given by the caller.
  bool is_library(std::uint32_t file) const;
  /// As an import names it; empty if the file lies elsewhere.
  std::string library_path(std::uint32_t file) const;
  /// About an entry: the diagnostic without places in the standard library. Its main place is then where the entry leads
  /// there.
  Diagnostic told_to_user(Diagnostic diagnostic) const;
  std::vector<Message> messages(const std::vector<Diagnostic>& diagnostics);
  std::vector<Message> messages(const Diagnostic& diagnostic) { return {message(diagnostic)}; }

  /// The two forms of Session::call (call.cpp). `agreed`: whether the other ranks know of a failure.
  using Argument = std::variant<Tensor, OwnTensor>;
  Expected<std::vector<Shown>> called(const std::string& circuit, const std::vector<Argument>& given,
                                      const CallOptions& options, SourceSpan& place, bool& agreed);
  Result<std::vector<Shown>> call(const std::string& circuit, const std::vector<Argument>& arguments,
                                  const CallOptions& options);

  /// Adds a semantics of the program's own, or says why it cannot be added.
  std::optional<Diagnostic> add_own(const std::string& name, semantics::Maker maker);
  /// Adds those of the libraries that the options name, once.
  std::optional<Diagnostic> open_libraries();
  std::vector<std::string> own_names() const;
  Expected<std::unique_ptr<interp::Semantics>> semantics(const std::string& text, SourceSpan place);
  Expected<std::unique_ptr<interp::Semantics>> semantics(const frontend::SemanticsName& name);
  /// The semantics that an item names; if it names none, the session's; if that has none, `otherwise`.
  Expected<std::unique_ptr<interp::Semantics>> semantics_for(const frontend::ElaboratedItem& item,
                                                             std::string_view otherwise);

  std::vector<Event> carry_out(frontend::Session::Outcome outcome);
  Event carry_out(const frontend::ElaboratedItem& item);
  Expected<std::vector<Shown>> show(const frontend::ElaboratedItem& item);
  /// A static result; where it was entered, a fraction has its decimal, and a list of fractions is a tensor.
  Expected<std::vector<Shown>> as_it_stands(const frontend::ElaboratedItem& item);
  /// Entered numbers without a format, in the session's; nothing if the semantics computes with numbers itself.
  std::optional<ir::Function> in_entry_format(const ir::Function& function, const driver::Traits& traits);
  /// The same for the result of an expression of numbers alone, which is one number.
  Expected<std::vector<Shown>> show_closed(const ir::Function& function, std::shared_ptr<interp::Semantics> with);
  /// The value, or the picture, of a lone expression without mistakes.
  Result<std::vector<Shown>> show_lone(const frontend::Session::Outcome& outcome);
  Result<std::string> drawn(const frontend::Session::Outcome& outcome, const DrawOptions& options);
  /// Questions about all orders (questions.cpp): `item.value` holds one.
  /// `stop`, if it is given, ends the search for answers.
  Expected<interp::OrdersAnswer> answer(const frontend::ElaboratedItem& item, const std::atomic<bool>* stop = nullptr);
  Expected<std::vector<Shown>> show_answer(const frontend::ElaboratedItem& item);
  Event check_answer(const frontend::ElaboratedItem& item);
  /// The answer to a question about enclosures (enclosures.cpp).
  Expected<EnclosureAnswers> of_enclosures(const frontend::ElaboratedItem& item);
  interp::EvaluateOptions evaluate_options() const;
  check::Options check_options(const frontend::ElaboratedItem& item) const;
  /// The sizes that the session's options give to dimensions that the check leaves free.
  void give_sizes(frontend::ElaboratedItem& check);
  Expected<std::vector<interp::Values>> evaluated(const ir::Function& function, interp::Semantics& semantics,
                                                  const std::vector<interp::Argument>& arguments,
                                                  const ir::Dimensions& dimensions, bool uses_are_related = false);
  Expected<std::vector<Shown>> evaluate(const ir::Function& function, std::shared_ptr<interp::Semantics> semantics,
                                        const std::vector<interp::Argument>& arguments,
                                        const ir::Dimensions& dimensions);
  Event check(const frontend::ElaboratedItem& item);
  Expected<check::Outcome> outcome_of(const frontend::ElaboratedItem& item);
  Event save(const frontend::ElaboratedItem& item);

  struct Chosen {
    ir::Function function;
    ir::Dimensions dimensions;  ///< those of `values` that are the function's
  };
  /// The circuit with its static parameters, and the dimensions, that `values` gives.
  /// Without `clauses`, the clauses of a kernel are ignored.
  Expected<Chosen> choose(const std::string& circuit, const std::map<std::string, std::int64_t>& values,
                          const std::map<std::string, std::string>& formats, bool clauses = true);

  /// The error if an argument has another element type than its parameter.
  std::optional<Diagnostic> wrong_type(const std::string& circuit, const ir::Parameter& parameter,
                                       const std::string& given);

  /// The tree of the circuit's first reduction for n leaves.
  Expected<ir::TreeId> tree_of(const std::string& circuit, std::int64_t n,
                               const std::map<std::string, std::int64_t>& values,
                               const std::map<std::string, std::string>& formats);
  /// The pictures of a circuit's reductions (draw.cpp).
  Expected<std::string> drawn_circuit(const std::string& circuit, const DrawOptions& options);
  /// Schedules of the standard library that have this tree (reveal.cpp).
  std::vector<std::string> library_names(const reveal::SumTree& tree) const;
  /// An order that was found; with its schedule and the library's names, if they are wanted.
  Revealed named(const reveal::Outcome& found, std::int64_t n, bool names = true) const;

  struct Compiled {
    ir::Function function;  ///< without dimensions, and after the passes
    codegen::Compiled code;
  };
  /// Where places are, for line tables (standalone.cpp, as the two below).
  std::function<std::optional<codegen::SourceLine>(SourceSpan)> source_lines() const;
  /// The PTX after a comment from which it can be launched. `before`: the function before passes.
  Expected<std::string> described_ptx(const ir::Function& before, const codegen::Compiled& compiled,
                                      const codegen::CompileOptions& options);
  /// A header, an object or a launcher of the function.
  Expected<std::string> standalone(const ir::Function& before, const ir::Function& function,
                                   const codegen::CompileOptions& options, Emit emit);
  runtime::GpuOptions gpu(int device = 0) const;
  /// The shape of a parameter at the given dimensions; E0603 if they do not determine it.
  Expected<std::vector<std::int64_t>> shape_of(const Chosen& chosen, const ir::Parameter& parameter);
  /// The arguments of a measurement: those given, and random ones for the other parameters.
  Expected<std::vector<ir::HostTensor>> benchmark_arguments(const Chosen& chosen, const BenchOptions& bench);
  /// A circuit whose sizes are all given.
  struct Shaped {
    Chosen chosen;
    std::unique_ptr<interp::Semantics> semantics;
    driver::Shapes shapes;           ///< of the parameters
    std::vector<std::string> names;  ///< of the parameters
  };
  /// `place` becomes the circuit's. E0603 if a size is not given.
  Expected<Shaped> at_sizes(const std::string& circuit, const PrepareOptions& given, SourceSpan& place);
  Expected<Compiled> compiled(const Shaped& shaped, const CallOptions& call);
  /// The circuit as code for the host or a GPU, at these sizes.
  Expected<Compiled> compiled(const ir::Function& function, const driver::Shapes& shapes, const ir::Dimensions& given,
                              const interp::Semantics& with, const CallOptions& call_options);
};

/// Compiled results as values of the semantics.
Expected<interp::Values> compiled_values(interp::Semantics& semantics, const codegen::Plan& plan,
                                         std::uint32_t position, const ir::HostTensor& tensor);

/// A diagnostic with code E0603.
inline Diagnostic bad_argument(std::string message) { return Diagnostic(code::bad_argument, {}, std::move(message)); }

/// What the two kinds of prepared circuits share (prepared_host.cpp).
Diagnostic wrong_counts(std::size_t parameters, std::size_t results, std::size_t arguments, std::size_t memories);
template <class Tensors>
std::vector<PreparedTensor> public_tensors(Tensors tensors, const std::vector<std::string>& names) {
  std::vector<PreparedTensor> out;
  for (auto& tensor : tensors) {
    out.push_back({out.size() < names.size() ? names[out.size()] : std::string(),
                   std::string(ir::scalar_name(tensor.scalar)), std::move(tensor.shape), tensor.bytes, tensor.row_major});
  }
  return out;
}

Diagnostic out_of_memory(SourceSpan place);
/// The result of `work`, an Expected<...>; or a diagnostic that memory did not suffice.
template <class Work>
auto within_memory(const SourceSpan& place, Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const OwnSemanticsFailure& failure) {
    return failure.at(place);
  } catch (const std::bad_alloc&) {
    return out_of_memory(place);
  } catch (const std::length_error&) {  // more elements than any container has
    return out_of_memory(place);
  }
}

/// How code is compiled under a semantics; E0700 if it is not.
Expected<codegen::CompileOptions> compile_options_for(const interp::Semantics& with);

/// The shapes of the arguments of a measurement.
Expected<driver::Shapes> benchmark_shapes(Session::Implementation& session,
                                          const Session::Implementation::Chosen& chosen, const BenchOptions& bench);

/// The choices of placement that were kept for such a call on a device of that name.
codegen::StatedChoices choices_for(Session::Implementation& session, const ir::Function& function,
                                   const driver::Shapes& shapes, const ir::Dimensions& given,
                                   const interp::Semantics& with, const std::string& device);

/// A circuit as an FPCore (fpcore.cpp).
Expected<std::string> written_fpcore(Session::Implementation& self, const ir::Function& function,
                                     const ir::Dimensions& sizes);
/// The answer to a question about the worst case over ranges (worst.cpp).
Expected<std::vector<Shown>> shown_worst(Session::Implementation& self, const frontend::ElaboratedItem& item);

/// The processor that objects are for, if none is named (standalone.cpp).
std::string baseline_processor();

/// One JSON object: buffers, dimensions and kernels.
std::string plan_text(const ir::Module& module, const codegen::Plan& plan);

/// Shows values of a semantics.
Shown shown(interp::Values values, std::shared_ptr<const interp::Semantics> semantics);
Number number(const interp::Rendering& rendering);

Expected<ir::HostTensor> host_tensor(Tensor tensor);
Tensor public_tensor(ir::HostTensor tensor);

/// Runs `work` on a thread with a stack large enough for programs nested as deeply as the language allows.
void with_large_stack(const std::function<void()>& work);

}  // namespace reckon
