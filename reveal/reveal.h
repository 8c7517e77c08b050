// Finds the order in which a black box adds from its results alone.
// Source: P. Xie et al., FPRev: Revealing the Order of Floating-Point Summation, USENIX ATC 2025 (the idea of masks and
// units, and of building the tree from the sizes of lowest common ancestors).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reveal/arithmetic.h"
#include "reveal/box.h"
#include "reveal/scaling.h"
#include "reveal/sum_tree.h"

namespace reckon::reveal {

struct Question {
  std::int64_t n = 0;
  Formats formats;
  bool products = false;     ///< the box adds x[i] * y[i]
  std::int64_t pairs = 64;   ///< pairs of leaves that are asked once more when the tree is known
  std::int64_t verify = 50;  ///< random inputs on which the tree's bits are compared with the box's
  std::uint64_t seed = 0;    ///< of both
};

/// How many calls the box took.
struct Calls {
  /// To build the tree: n - 1 if the box adds one after the other, (n/2) log2 n if it adds in a balanced tree of n =
  /// 2^k leaves, and at most n (n - 1) / 2, each pair of leaves being asked once at most.
  std::int64_t probes = 0;
  /// To see whether the method applies, and to check what it found: at most 10 + pairs + 2 verify; for a box that scales
  /// its sum some 50 more, and n if its elements have weights; for a box whose whole sum is one node some 300 more.
  std::int64_t checks = 0;
};

struct Outcome {
  /// The tree, if `undecided` is empty. Otherwise the tree that fits the probes alone, if there is one.
  std::optional<SumTree> tree;
  /// Why the order cannot be found, in one sentence.
  std::string undecided;
  /// Further findings: the arithmetic of the nodes, and what else the box may be.
  std::vector<std::string> notes;
  /// The arithmetic in which the tree has the box's bits on all random inputs: `f32`, `f32 with fma`, ...; else empty.
  std::string arithmetic;
  /// The same as a value, and how the box scales its sum.
  std::optional<Arithmetic> computed;
  Scaling scaling;
  std::int64_t verified = 0;  ///< random inputs on which tree, arithmetic and scaling have the box's bits
  Calls calls;
};

/// E0621 if the question is invalid (formats, n); the box's own diagnostic if the box fails. The depth of the C++ stack
/// grows with the depth of the tree, in the worst case with n.
Expected<Outcome> reveal(const Box& box, const Question& question);

}  // namespace reckon::reveal
