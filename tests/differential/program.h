// Random programs as trees of text: what the generator makes, the shrinker cuts down and the front end reads.
//
// A node is a piece of source text with places for its children; its sort says which other nodes may stand in its
// place. Nothing else is known of it: a cut that makes nonsense of a program is found out by the front end.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace reckon::differential {

/// SplitMix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t word() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t limit) { return word() % limit; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  template <class List>
  auto& pick(List& list) { return list[below(list.size())]; }
  template <class T, std::size_t size>
  const T& pick(const T (&list)[size]) { return list[below(size)]; }

 private:
  std::uint64_t state_;
};

/// What may stand for what: `f32` and its kin are scalars, `f32[n]` a tensor; `index`, `bool`, `schedule`, `stage`; a
/// `let`, `item` or `parameter` may be left out; everything else stays as it is.
using Sort = std::string;

/// How tightly a node's text holds together, as the grammar has it.
enum class Binding : std::uint8_t { atom, product, sum, open };

struct Node {
  Sort sort;
  std::string pattern;  ///< `$0`..`$9`: a child; `$,` and `$;`: all children, joined so
  /// The same in other words (`add(a, b)` for `(a + b)`), without parentheses around it; empty: the same words.
  std::string other;
  Binding binding = Binding::atom;  ///< of `other`
  std::vector<Node> children;
};

enum class Spelling : std::uint8_t { plain, other };

std::string text(const Node& node, Spelling spelling = Spelling::plain);
/// How many nodes there are.
std::size_t size(const Node& node);

struct GeneratedProgram {
  std::uint64_t seed = 0;
  Node root;               ///< items; the circuit `main` last
  bool float_ = true;      ///< its operations can be compiled under float (all can under fpsan)
  int nesting = 1;         ///< how deep loops over named dimensions are nested, at most
};

/// The program of a seed: the same on every machine. Of those for `interval`: only operations that can be compiled under
/// it, and divisors and radicands of which few have no value.
GeneratedProgram generate(std::uint64_t seed, bool for_interval = false);

}  // namespace reckon::differential
