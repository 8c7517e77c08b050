#include "reveal/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>

#include "diagnostics/codes/box_failed.h"
#include "diagnostics/codes/box_unusable.h"
#include "numerics/split_mix.h"

namespace reckon::reveal {
namespace {

using Shape = std::vector<std::int64_t>;
using Patterns = std::vector<std::uint64_t>;

std::size_t size_of(const Shape& shape) {
  std::size_t size = 1;
  for (const std::int64_t extent : shape) size *= static_cast<std::size_t>(extent);
  return size;
}

/// The coordinate of an element on an axis.
std::int64_t coordinate(const Shape& shape, std::int64_t at, std::size_t axis) {
  for (std::size_t k = shape.size(); --k > axis;) at /= shape[k];
  return at % shape[axis];
}

/// Calls the box, and counts the calls.
class Caller {
 public:
  Caller(const OutputsBox& box, std::size_t x, std::size_t y) : box_(box), x_(x), y_(y) {}
  std::optional<Diagnostic> failure;

  std::optional<Patterns> operator()(const Input& input) {
    ++calls_;
    auto results = box_(input);
    if (!results) {
      failure = results.error();
      return std::nullopt;
    }
    if (outputs_ && results->size() != *outputs_) {
      failure = Diagnostic(code::box_failed, {},
                           fmt::format("the box gave {} results, and then {}", *outputs_, results->size()));
      return std::nullopt;
    }
    outputs_ = results->size();
    return std::move(*results);
  }
  std::size_t x() const { return x_; }
  std::size_t y() const { return y_; }
  std::int64_t calls() const { return calls_; }

 private:
  const OutputsBox& box_;
  std::size_t x_, y_;
  std::optional<std::size_t> outputs_;
  std::int64_t calls_ = 0;
};

/// Outputs and elements that belong together: output o depends on elements of its block alone.
struct Blocks {
  std::vector<std::size_t> of_element, of_output;
  std::vector<std::vector<std::int64_t>> elements;  ///< of each block
};

/// Finds which elements each output depends on.
class Dependences {
 public:
  Dependences(Caller& call, const OutputsQuestion& question) : call_(call), question_(question) {}

  /// False if the box failed.
  bool find() {
    auto zeros = call_(array(0));
    if (!zeros) return false;
    zeros_ = std::move(*zeros);
    auto blocks = finest();
    return blocks && elements(*blocks);
  }
  std::size_t outputs() const { return zeros_.size(); }
  std::vector<Elements> x, y;
  std::vector<std::string> problems;  ///< by output; empty where there is none

 private:
  Format format() const { return question_.each.formats.input; }
  std::uint64_t pattern(double value) const { return numerics::round_f64(value, format()); }
  Input array(double value) const {
    Input out;
    out.x.assign(call_.x(), pattern(value));
    if (question_.each.products) out.y.assign(call_.y(), pattern(1));
    return out;
  }
  double random_number() {
    const std::uint64_t bits = numerics::split_mix(random_);
    return std::ldexp(static_cast<double>(bits >> 40), -24) + ((bits & 1) != 0 ? 1 : -2);
  }

  Blocks blocks_of(unsigned axes, std::size_t count, bool outer) const {
    Blocks out;
    out.elements.resize(count);
    for (std::size_t at = 0; at < call_.x(); ++at) {
      std::size_t block = 0;
      for (std::size_t axis = 0; axis < question_.x_shape.size(); ++axis) {
        if ((axes >> axis & 1) == 0) continue;
        block = block * static_cast<std::size_t>(question_.x_shape[axis]) +
                static_cast<std::size_t>(coordinate(question_.x_shape, static_cast<std::int64_t>(at), axis));
      }
      out.of_element.push_back(block);
      out.elements[block].push_back(static_cast<std::int64_t>(at));
    }
    for (std::size_t k = 0; k < outputs(); ++k) {
      out.of_output.push_back(outer ? k / (outputs() / count) : k % count);
    }
    return out;
  }

  /// The blocks by the most coordinates such that no output depends on another block: elements of all blocks whose
  /// number has a certain bit (or lacks it) change, and the outputs of the others must stay. Every two blocks differ in
  /// a bit. Nothing if the box failed.
  std::optional<Blocks> finest() {
    const auto rank = static_cast<unsigned>(question_.x_shape.size());
    std::vector<std::pair<std::size_t, unsigned>> choices;  // number of blocks, axes
    for (unsigned axes = 0; axes < 1U << rank; ++axes) {
      std::size_t count = 1;
      for (unsigned axis = 0; axis < rank; ++axis) {
        if ((axes >> axis & 1) != 0) count *= static_cast<std::size_t>(question_.x_shape[axis]);
      }
      if (outputs() % count == 0) choices.emplace_back(count, axes);
    }
    std::sort(choices.begin(), choices.end(), std::greater<>());
    Input base = array(0);
    for (std::uint64_t& each : base.x) each = pattern(random_number());
    for (std::uint64_t& each : base.y) each = pattern(random_number());
    const auto before = call_(base);
    if (!before) return std::nullopt;
    for (const auto& [count, axes] : choices) {
      std::vector<Blocks> left{blocks_of(axes, count, true)};
      if (count > 1 && count < outputs()) left.push_back(blocks_of(axes, count, false));
      for (int bit = 0; (count - 1) >> bit != 0 && !left.empty(); ++bit) {
        for (const std::size_t changed : {std::size_t{1}, std::size_t{0}}) {
          Input input = base;
          for (std::size_t at = 0; at < input.x.size(); ++at) {
            if ((left[0].of_element[at] >> bit & 1) == changed) input.x[at] = pattern(random_number());
          }
          const auto after = call_(input);
          if (!after) return std::nullopt;
          std::erase_if(left, [&](const Blocks& blocks) {
            for (std::size_t k = 0; k < outputs(); ++k) {
              if ((blocks.of_output[k] >> bit & 1) != changed && (*after)[k] != (*before)[k]) return true;
            }
            return false;
          });
          if (left.empty()) break;
        }
      }
      if (!left.empty()) return std::move(left[0]);
    }
    return std::nullopt;  // never reached: one block of all elements always remains
  }

  /// A 1 at one place of every block at a time: the outputs that it changes have that element.
  bool elements(const Blocks& blocks) {
    x.resize(outputs());
    y.resize(question_.each.products ? outputs() : 0);
    problems.resize(outputs());
    for (std::size_t place = 0; place < blocks.elements[0].size(); ++place) {
      Input input = array(0);
      for (const auto& block : blocks.elements) input.x[static_cast<std::size_t>(block[place])] = pattern(1);
      const auto answer = call_(input);
      if (!answer) return false;
      std::vector<std::int64_t> partners(outputs(), 0);
      if (question_.each.products && !find_partners(input, *answer, partners)) return false;
      for (std::size_t k = 0; k < outputs(); ++k) {
        if (same((*answer)[k], zeros_[k])) continue;
        x[k].at.push_back(blocks.elements[blocks.of_output[k]][place]);
        if (!question_.each.products) continue;
        if (partners[k] < 0 || partners[k] >= static_cast<std::int64_t>(call_.y())) {
          problems[k] = fmt::format("element {} of x is multiplied by no single element of y", x[k].at.back());
          partners[k] = 0;
        }
        y[k].at.push_back(partners[k]);
      }
    }
    return true;
  }

  bool same(std::uint64_t a, std::uint64_t b) const {
    const Format result = question_.each.formats.result;
    return a == b || (numerics::magnitude_bits(a, result) == 0 && numerics::magnitude_bits(b, result) == 0);
  }

  /// Which element of y each output multiplies the ones of x by. The elements of y are the digits of their numbers,
  /// from 1 on so that none is 0, and the answers to them are compared with the answers to ones.
  bool find_partners(Input input, const Patterns& ones, std::vector<std::int64_t>& partners) {
    const Format result = question_.each.formats.result;
    const int precision = std::min(numerics::traits(format()).precision, numerics::traits(result).precision);
    const std::uint64_t base = (std::uint64_t{1} << std::min(precision - 3, 20)) - 1;
    for (std::uint64_t scale = 1; scale <= std::max<std::uint64_t>(call_.y() - 1, 1); scale *= base) {
      for (std::size_t at = 0; at < input.y.size(); ++at) {
        input.y[at] = pattern(static_cast<double>(at / scale % base + 1));
      }
      const auto answer = call_(input);
      if (!answer) return false;
      for (std::size_t k = 0; k < outputs(); ++k) {
        const double one = numerics::widen(ones[k], result);
        const double digit = one == 0 ? 1 : std::nearbyint(numerics::widen((*answer)[k], result) / one) - 1;
        const bool fine = digit >= 0 && digit < static_cast<double>(base) && partners[k] >= 0;
        partners[k] = fine ? partners[k] + static_cast<std::int64_t>(digit) * static_cast<std::int64_t>(scale) : -1;
      }
    }
    return true;
  }

  Caller& call_;
  const OutputsQuestion& question_;
  Patterns zeros_;
  std::uint64_t random_ = 0x853c49e6748fea9b;
};

/// Outputs that give each element the same place in their sums, so that one call asks all of them the same.
class Companions {
 public:
  Companions(Caller& call, bool products) : call_(call), products_(products), x_(call.x(), -1), y_(call.y(), -1) {}

  /// Adds an output, if the places of its elements agree with those of the others.
  bool take(std::int64_t output, const Elements& x, const Elements* y) {
    if (!outputs_.empty() && x.at.size() != leaves_) return false;
    const auto agree = [](const std::vector<std::int64_t>& at, const std::vector<std::int64_t>& places) {
      for (std::size_t k = 0; k < at.size(); ++k) {
        const std::int64_t place = places[static_cast<std::size_t>(at[k])];
        if (place >= 0 && place != static_cast<std::int64_t>(k)) return false;
      }
      return true;
    };
    if (!agree(x.at, x_) || (y != nullptr && !agree(y->at, y_))) return false;
    leaves_ = x.at.size();
    for (std::size_t k = 0; k < leaves_; ++k) {
      x_[static_cast<std::size_t>(x.at[k])] = static_cast<std::int64_t>(k);
      if (y != nullptr) y_[static_cast<std::size_t>(y->at[k])] = static_cast<std::int64_t>(k);
    }
    outputs_.push_back(output);
    return true;
  }
  std::size_t leaves() const { return leaves_; }
  const std::vector<std::int64_t>& outputs() const { return outputs_; }

  /// The box of one output. Questions that another output asked before are answered without a call. A question that is
  /// asked k times is answered by k calls: so an order that changes is seen.
  Box box(std::size_t member) {
    asked_.clear();
    return [this, member](const Input& input) -> Expected<std::uint64_t> {
      const Key key = key_of(input);
      const std::size_t time = asked_[key]++;
      auto& answers = answers_[key];
      if (answers.size() == time) {
        auto results = call_(whole(input));
        if (!results) return *call_.failure;
        Patterns mine;
        for (const std::int64_t output : outputs_) mine.push_back((*results)[static_cast<std::size_t>(output)]);
        answers.push_back(std::move(mine));
      }
      return answers[time][member];
    };
  }

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;
  struct Hash {
    std::size_t operator()(const Key& key) const { return key.first; }
  };

  static Key key_of(const Input& input) {
    std::uint64_t a = 0x243f6a8885a308d3, b = 0x13198a2e03707344;
    for (const auto* part : {&input.x, &input.y}) {
      for (const std::uint64_t bits : *part) {
        std::uint64_t state = a ^ bits;
        a = numerics::split_mix(state);
        b = (std::rotl(b, 23) + bits) * 0x9e3779b97f4a7c15;
      }
    }
    return {a, b};
  }

  Input whole(const Input& leaves) const {
    Input out;
    for (const std::int64_t place : x_) out.x.push_back(place < 0 ? 0 : leaves.x[static_cast<std::size_t>(place)]);
    if (!products_) return out;
    for (const std::int64_t place : y_) out.y.push_back(place < 0 ? 0 : leaves.y[static_cast<std::size_t>(place)]);
    return out;
  }

  Caller& call_;
  bool products_;
  std::size_t leaves_ = 0;
  std::vector<std::int64_t> x_, y_;  ///< the place of each element, or -1
  std::vector<std::int64_t> outputs_;
  std::unordered_map<Key, std::vector<Patterns>, Hash> answers_;
  std::unordered_map<Key, std::size_t, Hash> asked_;
};

/// Whether the elements are all that have certain coordinates on some axes.
void find_slice(Elements& elements, const Shape& shape) {
  if (elements.at.empty()) return;
  std::size_t expected = 1;
  elements.fixed.clear();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::int64_t first = coordinate(shape, elements.at[0], axis);
    const bool constant = std::all_of(elements.at.begin(), elements.at.end(),
                                      [&](std::int64_t at) { return coordinate(shape, at, axis) == first; });
    if (constant && shape[axis] > 1) elements.fixed.push_back(static_cast<int>(axis));
    else expected *= static_cast<std::size_t>(shape[axis]);
  }
  elements.slice = elements.at.size() == expected && std::is_sorted(elements.at.begin(), elements.at.end());
}

std::string pattern_text(char name, const Elements& elements, const Shape& shape, char& letter) {
  if (!elements.slice) return {};
  std::string out;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const bool fixed =
        std::find(elements.fixed.begin(), elements.fixed.end(), static_cast<int>(axis)) != elements.fixed.end();
    out += (axis == 0 ? "" : ", ") + std::string(1, fixed ? letter++ : ':');
  }
  return fmt::format("{}[{}]", name, out);
}

class OutputsInvestigation {
 public:
  OutputsInvestigation(const OutputsBox& box, const OutputsQuestion& question)
      : question_(question),
        call_(box, size_of(question.x_shape), question.each.products ? size_of(question.y_shape) : 0),
        found_(call_, question) {}

  Expected<OutputsOutcome> run() {
    if (!found_.find()) return *call_.failure;
    if (found_.outputs() == 0) return Diagnostic(code::box_unusable, {}, "the box gives no result");
    outcomes_.resize(found_.outputs());
    std::vector<Companions> all;
    for (std::size_t k = 0; k < found_.outputs(); ++k) {
      const Elements* y = question_.each.products ? &found_.y[k] : nullptr;
      if (found_.x[k].at.empty()) outcomes_[k].undecided = "a 1 at any single element changes nothing";
      else if (!found_.problems[k].empty()) outcomes_[k].undecided = found_.problems[k];
      else place(all, static_cast<std::int64_t>(k), found_.x[k], y);
    }
    for (Companions& companions : all) {
      if (auto failure = ask(companions)) return *failure;
    }
    OutputsOutcome out;
    if (auto failure = compare_whole(out)) return *failure;
    out.x = std::move(found_.x);
    out.y = std::move(found_.y);
    group(out);
    out.calls.probes = std::min(probes_, call_.calls());
    out.calls.checks = call_.calls() - out.calls.probes;
    return out;
  }

 private:
  /// Adds the output to companions that take it, or to new ones.
  void place(std::vector<Companions>& all, std::int64_t output, const Elements& x, const Elements* y) {
    for (Companions& companions : all) {
      if (companions.take(output, x, y)) return;
    }
    all.emplace_back(call_, question_.each.products);
    all.back().take(output, x, y);
  }

  std::optional<Diagnostic> ask(Companions& companions) {
    Question question = question_.each;
    question.n = static_cast<std::int64_t>(companions.leaves());
    for (std::size_t member = 0; member < companions.outputs().size(); ++member) {
      const std::int64_t before = call_.calls();
      auto outcome = reveal(companions.box(member), question);
      if (!outcome) return outcome.error();
      // Of the calls that were new, as many built a tree as the order of this output took, at most.
      probes_ += std::min(outcome->calls.probes, call_.calls() - before);
      outcomes_[static_cast<std::size_t>(companions.outputs()[member])] = std::move(*outcome);
    }
    return std::nullopt;
  }

  /// Compares all outputs on random arrays, in which all elements are random, not only those of one output.
  std::optional<Diagnostic> compare_whole(OutputsOutcome& out) {
    Question whole = question_.each;
    std::uint64_t random = question_.each.seed + 2;
    for (std::int64_t k = 0; k < question_.each.verify; ++k) {
      whole.n = static_cast<std::int64_t>(std::max(call_.x(), call_.y()));
      Input input = random_input(whole, random);
      input.x.resize(call_.x());
      input.y.resize(call_.y());
      const auto results = call_(input);
      if (!results) return *call_.failure;
      for (std::size_t o = 0; o < outcomes_.size(); ++o) compare(o, input, (*results)[o]);
      ++out.verified;
    }
    return std::nullopt;
  }

  void compare(std::size_t output, const Input& input, std::uint64_t bits) {
    Outcome& outcome = outcomes_[output];
    if (!outcome.tree || !outcome.computed || !outcome.undecided.empty()) return;
    Input own;
    for (const std::int64_t at : found_.x[output].at) own.x.push_back(input.x[static_cast<std::size_t>(at)]);
    if (question_.each.products) {
      for (const std::int64_t at : found_.y[output].at) own.y.push_back(input.y[static_cast<std::size_t>(at)]);
    }
    Formats formats = question_.each.formats;
    formats.accumulator = outcome.computed->accumulator;
    const auto expected = evaluate(*outcome.computed, formats, &*outcome.tree, own, outcome.scaling);
    if (!expected || *expected == bits) return;
    outcome.undecided =
        "alone it has the bits of an order, but not among random elements: it depends on more elements than those that "
        "a 1 alone shows";
  }

  void group(OutputsOutcome& out) {
    std::map<std::string, std::size_t> groups;
    for (std::size_t k = 0; k < outcomes_.size(); ++k) {
      find_slice(out.x[k], question_.x_shape);
      char letter = 'i';
      const std::string x_pattern = pattern_text('x', out.x[k], question_.x_shape, letter);
      std::string y_pattern;
      if (question_.each.products) {
        find_slice(out.y[k], question_.y_shape);
        y_pattern = pattern_text('y', out.y[k], question_.y_shape, letter);
      }
      Outcome& outcome = outcomes_[k];
      const Format accumulator = outcome.computed ? outcome.computed->accumulator : Format::f32;
      out.weights.push_back(outcome.scaling.weights);
      // Reasons that differ in their numbers alone are one.
      std::string reason = outcome.undecided;
      std::erase_if(reason, [](char c) { return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == 'e'; });
      std::string key =
          fmt::format("{}|{}|{}|{}|{}|{}|{}", x_pattern, y_pattern, out.x[k].at.size(), reason, outcome.arithmetic,
                      outcome.scaling.text(static_cast<std::int64_t>(out.x[k].at.size()), accumulator),
                      outcome.tree ? outcome.tree->text() : "");
      const auto [at, fresh] = groups.try_emplace(std::move(key), out.groups.size());
      if (fresh) out.groups.push_back({{}, std::move(outcome), x_pattern, y_pattern});
      out.groups[at->second].outputs.push_back(static_cast<std::int64_t>(k));
    }
  }

  const OutputsQuestion& question_;
  Caller call_;
  Dependences found_;
  std::vector<Outcome> outcomes_;
  std::int64_t probes_ = 0;
};

constexpr std::size_t most_axes = 8;
constexpr std::int64_t most_elements = 1 << 22;

std::optional<Diagnostic> shape_problem(const Shape& shape) {
  if (shape.empty() || shape.size() > most_axes) {
    return unusable(fmt::format("an array has 1 to {} axes, not {}", most_axes, shape.size()));
  }
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 1) return unusable(fmt::format("an array has no axis of {} elements", extent));
    if (extent > most_elements / size) return unusable("an array of so many elements cannot be asked about");
    size *= extent;
  }
  return std::nullopt;
}

}  // namespace

Expected<OutputsOutcome> reveal_outputs(const OutputsBox& box, const OutputsQuestion& question) {
  if (auto problem = shape_problem(question.x_shape)) return *problem;
  if (question.each.products) {
    if (auto problem = shape_problem(question.y_shape)) return *problem;
  }
  return OutputsInvestigation(box, question).run();
}

}  // namespace reckon::reveal
