// Choices of placement among ways that all give the same bits: the strategy of a reduction, the shape of a tile, the
// threads of a block. Each has a usual way, which a rule finds; another one can be stated, and `reckon tune` measures
// which is the fastest (docs/tuning.md).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reckon::codegen {

struct Choice {
  std::string of;                 ///< a kernel's name and what is chosen: `product.tile`
  std::vector<std::string> ways;  ///< `128x128x16`, `64x64x16`; each once
  std::size_t usual = 0;          ///< the way that is taken where none is stated
  std::size_t taken = 0;
};

/// Ways by what they are a choice of (Choice::of).
using StatedChoices = std::map<std::string, std::string>;

/// What was chosen while a plan was placed, and what is to be chosen.
class Choices {
 public:
  Choices() = default;
  explicit Choices(StatedChoices stated) : stated_(std::move(stated)) {}

  /// The number of the way to take: the stated one if it is among the ways, else the usual one. The choice is recorded.
  /// Nothing is recorded where there is one way.
  std::size_t take(std::string of, std::vector<std::string> ways, std::size_t usual);

  /// Whether what would be taken by the way `yes` is to be left out; that is recorded. Where it is not, and is taken in
  /// the end, `takes` records it.
  bool leaves_out(const std::string& of);
  void takes(std::string of);

  /// From now on the usual ways are taken and nothing is recorded: the program itself states how a GPU carries it out.
  void close() { is_open_ = false; }

  const std::vector<Choice>& made() const { return made_; }
  /// A stated choice that is not among those that were made, or whose way is not among theirs; null: there is none.
  const StatedChoices::value_type* unmet() const;

 private:
  StatedChoices stated_;
  std::vector<Choice> made_;
  bool is_open_ = true;
};

/// Ways of a choice with what each of them stands for, the usual one first.
template <class T>
class Ways {
 public:
  Ways(T usual, std::string name) { add(std::move(usual), std::move(name)); }

  /// Adds a way, if none has this name.
  void add(T way, std::string name) {
    if (std::ranges::find(names_, name) != names_.end()) return;
    ways_.push_back(std::move(way));
    names_.push_back(std::move(name));
  }
  /// The way to take.
  T take(Choices& choices, std::string of) const { return ways_[choices.take(std::move(of), names_, 0)]; }

 private:
  std::vector<T> ways_;
  std::vector<std::string> names_;
};

/// The threads of a block, a power of two, as a choice of a kernel of that name: `usual`, or another number.
std::uint32_t threads_of_choices(Choices& choices, std::string_view kernel, std::uint32_t usual);

/// `product.tile=64x64x16`, as `--choose` takes it.
std::string text_of(const StatedChoices& choices);
/// Adds what such a text states. False if it is none.
bool add_choice(StatedChoices& choices, std::string_view text);

}  // namespace reckon::codegen
