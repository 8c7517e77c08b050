// Circuits written twice: as C++ and as text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/reckon/circuit.h"

namespace reckon::test {

struct CircuitPair {
  std::string name;
  std::shared_ptr<const circuit::Definition> cpp;
  std::string text;                    ///< with everything that the circuit needs
  std::vector<std::string> arguments;  ///< expressions of the language; empty: the circuit is compared as IR alone
  std::string before = {};             ///< text that both sides load first
};

/// Scalars, tensors, binders, lets and tuples.
std::vector<CircuitPair> circuit_pairs();
/// Schedules, layouts, calls and formats.
std::vector<CircuitPair> circuit_pairs_of_orders();

}  // namespace reckon::test
