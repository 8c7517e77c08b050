// The inherited circuits of a profile, run by the one evaluator on many arguments at once.
#pragma once

#include <vector>

#include "interp/circuit_cache.h"
#include "interp/evaluate.h"
#include "semantics/accept/engine.h"

namespace reckon::interp::accept {

class Circuits {
 public:
  Circuits(std::shared_ptr<const ir::Profile> profile, const std::vector<std::string>& names)
      : profile_(std::move(profile)), of_operations_(names.size()), of_builtins_(names.size()), names_(names) {}

  /// Runs the circuit that a builtin circuit's rule inherits, on its arguments.
  std::optional<Diagnostic> call(Semantics& semantics, int circuit, const std::vector<const Values*>& arguments,
                                 std::vector<Values>& out);
  /// Gives one result for each job. `semantics` is the owner of these circuits, under which they are evaluated.
  std::optional<Fault> run(Semantics& semantics, int circuit, ir::Scalar scalar, const Jobs& jobs,
                           std::vector<Answers>& out);

 private:
  struct Circuit {
    std::unique_ptr<ir::Module> module;      ///< its own: circuits evaluate each other, and evaluation adds nodes
    std::unique_ptr<CircuitCache> prepared;  ///< of this module
    ir::Function function;                   ///< for an operation, it is over vectors of any common length
    bool active = false;

    void take(std::unique_ptr<ir::Module> own);
    EvaluateOptions options() const;
  };
  /// The fault for a profile that depends on itself, which only one that was made by hand can do.
  Fault rests_on_itself(const std::string& name) const;
  std::optional<Fault> prepare(Circuit& circuit, const std::string& name, ir::Scalar scalar, std::size_t arity);

  std::shared_ptr<const ir::Profile> profile_;
  std::vector<Circuit> of_operations_, of_builtins_;  ///< by number
  std::vector<std::string> names_;
};

}  // namespace reckon::interp::accept
