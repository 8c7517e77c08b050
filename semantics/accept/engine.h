// Operations over arrays of answers, by a profile.
//
// Each choice of a rule is evaluated separately. The jobs for circuits that its pieces inherit from are collected,
// element by element, and every circuit is run once on all of its jobs.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "interp/semantics.h"
#include "semantics/accept/rules.h"

namespace reckon::interp::accept {

/// An operand of a kernel, with its elements by row and column.
struct Operand {
  const Answers* data = nullptr;
  std::ptrdiff_t row_stride = 0;
  const Answers& at(std::size_t row, std::size_t column) const {
    return data[static_cast<std::ptrdiff_t>(row) * row_stride + static_cast<std::ptrdiff_t>(column)];
  }
};

/// The arguments of a circuit for several jobs, and the places of their results.
struct Jobs {
  int arity = 0;
  std::vector<Answers> arguments;  ///< job k's from k * arity on
  std::vector<std::size_t> slots;  ///< the slot of each job's result
};
/// Runs the circuit of that number in a format on jobs: one result for each.
using RunCircuit =
    std::function<std::optional<Fault>(int circuit, ir::Scalar scalar, const Jobs& jobs, std::vector<Answers>& out)>;

class Engine {
 public:
  Engine(const Rules& rules, RunCircuit run) : rules_(rules), run_(std::move(run)) {}

  /// out(r, c) = op(operands(r, c)...); `out` may be one of the operands. `from` is the format of the operands, `to`
  /// that of the results; an integer is converted.
  std::optional<Fault> apply(ir::Op op, ir::Scalar from, ir::Scalar to, const Operand* operands, Answers* out,
                             std::ptrdiff_t out_row_stride, std::size_t rows, std::size_t columns) const;

  const Rules& rules() const { return rules_; }

 private:
  struct Work;
  void element(const Setting& setting, const Setting& source, const Choice& choice, ir::Op op,
               const Answers* const* arguments, Work* work, Answers& out) const;
  void combination(const Setting& setting, const Setting& source, const Choice& choice, ir::Op op,
                   const Interval* parts, const Answers* const* arguments, Work* work, Answers& out) const;

  const Rules& rules_;
  RunCircuit run_;
};

/// Compares; the answer is yes or no only if all pairs of answers agree.
Truth compare(ir::Op op, const Setting& setting, const Answers& a, const Answers& b);

}  // namespace reckon::interp::accept
