// The generator's state, for its own files: what is in scope, and how much may still be written.
#pragma once

#include <string>
#include <vector>

#include "numerics/integer.h"
#include "tests/differential/program.h"

namespace reckon::differential {

class Generator {
 public:
  explicit Generator(std::uint64_t seed, bool for_interval = false);
  GeneratedProgram program();

 private:
  using Format = std::string;   ///< `f32`
  using Extent = std::string;   ///< a closed text: `n`, `(n + 1)`, `3`; at least 1 for sizes of at least 1
  struct IndexVariable {
    std::string name;
    std::vector<Extent> below;  ///< it is less than each
  };
  struct Variable {
    std::string name;
    Format format;
    std::vector<Extent> extents;
  };
  struct Scope {
    std::vector<std::string> dimensions;
    std::vector<IndexVariable> indices;
    std::vector<Variable> variables;
    std::string static_parameter;  ///< a size of stages, if there is one
    int nesting = 0;               ///< loops over named dimensions around this place
    bool scalars_only = false;     ///< the body of an operation: no loops
  };

  // generate_scalar.cpp
  Node scalar(const Format& format, int depth);
  Node leaf(const Format& format);
  Node element(const Variable& tensor);
  Node literal(const Format& format);
  Node operand(const Format& format, int depth);  ///< as scalar, or a literal that takes its format from its sibling
  Node operation(const Format& format, int depth);
  Node condition(int depth, bool indices);  ///< of index values, or of numbers
  Node rootn(const Format& format, int depth, bool defined);  ///< perhaps without a value unless it is `defined`
  Node identity(const Format& format, int depth);
  Node word(const Format& format, int depth);  ///< an operation that gives an integer
  Node call_scalar(const Format& format, int depth);
  Node index(int depth);
  Node subscript(const Extent& extent);
  Format other_format(const Format& format);
  Format float_format(const Format& format);  ///< another one, of floats
  Format integer_type() { return std::string(numerics::integer_table[random_.below(numerics::integer_count)].name); }

  // generate_loop.cpp
  struct Loop {
    std::string header;   ///< `i < n`, or `i` if a subscript gives the range
    IndexVariable variable;
    bool named = false;   ///< over a named dimension
    int leaves = 0;       ///< their number, if it is written
    bool empty = false;   ///< may have none
    Extent inferred;      ///< the extent that a subscript must give
  };
  Extent extent(bool ragged = false);   ///< ragged: perhaps as many as an outer index says
  Loop loop();
  Node reduction(const Format& format, int depth);
  Node body(const Format& format, const std::vector<Loop>& loops, int depth);
  Node tensor(const Format& format, const std::vector<Extent>& extents, int depth);
  Node rounds(const Format& format, const std::vector<Extent>& extents, const Sort& sort, int depth);
  Node map(const Format& format, const std::vector<Extent>& extents, int depth);
  Node block(Node (Generator::*result)(const Format&, const std::vector<Extent>&, int), const Format& format,
             const std::vector<Extent>& extents, int depth);
  Node scalar_result(const Format& format, const std::vector<Extent>&, int depth) { return scalar(format, depth); }
  std::vector<Node> binding(int depth);
  Node call_tensor(const Format& format, int depth);

  // generate_schedule.cpp
  Node schedule(int depth, int leaves);
  Node stage(int depth);
  Node stage_size();
  Node quoted(int leaves);
  Node named_schedule(int depth);
  Node sum_schedule(const Format& format, int depth, int leaves);  ///< of a sum: `fuses_` says whether of products only
  Node accumulator(const Format& format, int depth, int leaves);
  Node tensor_cores(const Format& format, int depth);  ///< `narrow_` says what the factors are converted from
  /// With `narrow`, the factors are numbers of that format.
  Node product(const Format& format, Node one, int depth, const Format& narrow);

  // generate.cpp
  std::string operation_of(const Format& format);                      ///< defines fn op(a, b)
  std::string operation_of_tuples(const std::vector<Format>& formats);
  std::string fresh(const std::string& prefix) { return prefix + std::to_string(++names_); }
  /// The scope of a circuit of scalars: now and then with loops of known length.
  void only_scalars(std::vector<Variable> variables) {
    scope_ = {};
    scope_.scalars_only = !random_.one_in(6);
    scope_.nesting = 2;
    scope_.variables = std::move(variables);
  }
  bool spend() { return fuel_-- > 0; }

  Random random_;
  std::uint64_t seed_;
  bool for_interval_;
  std::vector<Node> items_;
  Scope scope_;
  Format format_;
  bool accumulates_ = false;  ///< the schedule is of a sum, and an accumulator may still come
  bool fuses_ = false;        ///< the sum's schedule has `fused` or `mma`
  Format narrow_;             ///< the format of the factors that the sum's `mma` takes; empty: there is none
  Format accumulated_;
  bool float_ = true;   ///< stay with what float compiles
  int names_ = 0, fuel_ = 0, nesting_ = 0;
};

/// `name($0, $1, ...)`.
Node call_node(Sort sort, const std::string& name, std::vector<Node> children);
inline Node atom(Sort sort, std::string pattern) { return {std::move(sort), std::move(pattern), {}, {}, {}}; }

}  // namespace reckon::differential
