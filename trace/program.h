// Outputs of a traced kernel that are computed in one way, and the circuit of the language that they are.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "trace/expressions.h"

namespace reckon::trace {

/// An argument of the kernel that is memory.
struct Argument {
  std::string name;  ///< of the circuit's parameter
  std::string type;  ///< `f32`
  std::vector<std::int64_t> shape;
};

struct Group {
  std::vector<std::int64_t> outputs;  ///< elements of the output's memory
  std::uint32_t structure = 0;
  std::vector<Expression> expressions;  ///< of each
};

/// Outputs of one structure together, in the order of their first elements.
std::vector<Group> grouped(const std::vector<std::int64_t>& elements, const std::vector<Expression>& expressions);

/// The orders of the folds in a structure, each once, outermost first.
std::vector<std::uint32_t> orders_of(const Expressions& all, std::uint32_t structure);

struct Circuit {
  std::string text;                       ///< `fn k(x: f32[4]) -> f32[4] = for i < 4: ...`
  std::vector<std::uint32_t> parameters;  ///< the arguments that it takes, in order
};

/// A circuit of all elements of an output. Nothing, and why in `problem`, if they are not computed in one way that is
/// regular. `taken`: names that no index may have, besides the arguments'.
std::optional<Circuit> circuit_of(const Expressions& all, const std::vector<Argument>& arguments, std::uint32_t output,
                                  const std::string& name, const std::vector<Group>& groups, std::string& problem,
                                  const std::set<std::string>& taken = {});

}  // namespace reckon::trace
