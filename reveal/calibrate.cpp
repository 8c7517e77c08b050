#include "reveal/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "numerics/split_mix.h"

namespace reckon::reveal {
namespace {

using numerics::traits;

constexpr int single_elements = 16, large_elements = 4, pairs = 24, triples = 16;
constexpr int candidates = 30'000;  // pairs of numbers among which one is looked for on which two models differ
constexpr int most_narrower = 16;   // bits that a result may lack for such a search

class Calibration {
 public:
  Calibration(const Box& box, const Question& question)
      : box_(box), question_(question), random_(question.seed + 1), n_(static_cast<std::size_t>(question.n)) {}

  Expected<Calibrated> run() {
    const bool fine = answer_to_zeros() && answer_to_one() && weights() && filter();
    if (failure_) return *failure_;
    if (fine && out_.models.empty()) unexplained();
    for (Model& model : out_.models) {
      Scaling& scaling = model.scaling;
      scaling.weights = weights_;
      if (weights_.empty() || scaling.kind != Scaling::Kind::exact) continue;
      for (double& weight : scaling.weights) weight *= scaling.factor;
      scaling.factor = 1;
    }
    out_.calls = calls_;
    return std::move(out_);
  }

 private:
  bool problem(std::string text) {
    out_.problem = std::move(text);
    return false;
  }
  std::string shown(std::uint64_t bits) const { return numerics::shortest_decimal(bits, question_.formats.result); }
  std::string decimal(double value) const {
    return numerics::shortest_decimal(pattern(value), question_.formats.input);
  }
  std::uint64_t pattern(double value) const { return numerics::round_f64(value, question_.formats.input); }
  double value_of(std::uint64_t bits) const { return numerics::widen(bits, question_.formats.result); }

  /// The answer to a sum of zeros but for the first element and the one at `place`.
  std::optional<std::uint64_t> ask(double first, std::size_t place = 0, double second = 0) {
    Input input;
    input.x.assign(n_, 0);
    input.x[0] = pattern(first);
    if (place > 0) input.x[place] = pattern(second);
    return ask(std::move(input));
  }
  std::optional<std::uint64_t> ask(Input input) {
    if (question_.products) input.y.assign(n_, pattern(1));
    ++calls_;
    auto bits = box_(input);
    if (bits) return *bits;
    failure_ = bits.error();
    return std::nullopt;
  }

  bool answer_to_zeros() {
    const auto bits = ask(0);
    if (!bits) return false;
    if (value_of(*bits) == 0) return true;
    return problem(fmt::format("{} zeros came to {} (a sum that is shifted, or a function of it)", n_, shown(*bits)));
  }

  bool answer_to_one() {
    const auto bits = ask(1), negative = bits ? ask(-1) : std::nullopt;
    if (!negative) return false;
    one_ = value_of(*bits);
    if (!std::isfinite(one_)) return problem(fmt::format("1 beside zeros came to {}", shown(*bits)));
    if (one_ != 0 && value_of(*negative) == one_) {
      return problem(
          "1 and -1 beside zeros came to the same (a norm or a sum of squares?): squares cannot cancel, so reveal the "
          "function of two vectors that adds x[i] * y[i] instead");
    }
    if (value_of(*negative) == -one_) return true;
    return problem(fmt::format("1 and -1 beside zeros came to {} and {}", shown(*bits), shown(*negative)));
  }

  /// The elements' weights, if n ones are not n times the first one.
  bool weights() {
    Input ones;
    ones.x.assign(n_, pattern(1));
    const auto bits = ask(ones);
    if (!bits) return false;
    const Formats& formats = question_.formats;
    const int precision = std::min(traits(formats.input).precision, traits(formats.result).precision);
    const double size = static_cast<double>(n_), expected = size * one_;
    const double answer = value_of(*bits), slack = size * std::ldexp(std::fabs(expected), 1 - precision);
    if (one_ != 0 && std::fabs(answer - expected) <= slack) return true;
    std::vector<double> all{one_};
    for (std::size_t i = 1; i < n_; ++i) {
      const auto single = ask(0, i, 1);
      if (!single) return false;
      all.push_back(value_of(*single));
    }
    for (std::size_t i = 0; i < n_; ++i) {
      if (all[i] == 0 || !std::isfinite(all[i])) {
        return problem(fmt::format("a 1 at element {} alone came to {}", i, all[i] == 0 ? "0" : "no finite number"));
      }
    }
    int exponent = 0;
    const double total = [&] {
      double sum = 0;
      for (const double each : all) sum += each;
      return sum;
    }();
    double magnitude = 0;
    for (const double each : all) magnitude += std::fabs(each);
    if (std::fabs(answer - total) > size * std::ldexp(magnitude, 1 - precision)) {
      return problem(fmt::format("{} ones came to {}, and one at a time to {} in all (a function that is not linear)",
                                 n_, shown(*bits), total));
    }
    for (std::size_t i = 0; i < n_; ++i) {
      const double weight = all[i] / one_;
      if (std::fabs(std::frexp(weight, &exponent)) != 0.5) {
        return problem(fmt::format(
            "elements have factors of their own, {:.6g} for element 0 and {:.6g} for element {}: where these are no "
            "powers of two, masks do not cancel. Reveal the function of two arrays that takes the factors as well",
            one_, all[i], i));
      }
      weights_.push_back(weight);
    }
    if (std::all_of(weights_.begin(), weights_.end(), [](double weight) { return weight == 1; })) weights_.clear();
    return true;
  }

  double random_number(int low, int high) {
    const std::uint64_t bits = numerics::split_mix(random_);
    const double fraction = 1 + static_cast<double>(bits >> 12) * 0x1p-52;
    const int exponent = low + static_cast<int>(bits % static_cast<std::uint64_t>(high - low + 1));
    return numerics::widen(pattern(std::ldexp((bits >> 11) & 1 ? -fraction : fraction, exponent)),
                           question_.formats.input);
  }

  /// Keeps the models that have the box's bits for one element and for two.
  bool filter() {
    out_.models = models_of(question_.formats, question_.n, one_);
    const int emax = traits(question_.formats.input).emax;
    const bool narrow = question_.formats.input == Format::f16;
    const int low = narrow ? -2 : -(emax / 4), high = narrow ? 8 : emax / 4;
    for (int k = 0; k < single_elements && !out_.models.empty(); ++k) {
      if (!keep(random_number(low, high), 0)) return false;
    }
    // A result that is cut off at some size is no scaled sum.
    const int top = emax - 1 - std::max(0, std::ilogb(one_) + 1);
    for (int k = 0; k < large_elements && !out_.models.empty(); ++k) {
      if (!keep(random_number(top - 2, top), 0)) return false;
    }
    for (int k = 0; k < pairs && n_ > 1 && !out_.models.empty(); ++k) {
      const double first = random_number(narrow ? 0 : -4, narrow ? 3 : 4);
      const int near = std::ilogb(first);
      if (!keep(first, random_number(near - 2, near + 2))) return false;
    }
    return refine();
  }

  /// Numbers that were chosen because models differ on them. Where the result is much narrower than the sums, they
  /// hardly ever do on random ones.
  bool refine() {
    const auto apart = [](const Model& a, const Model& b) {
      return a.scaling.kind != b.scaling.kind || a.scaling.factor != b.scaling.factor ||
             a.scaling.rounded_first != b.scaling.rounded_first;
    };
    for (std::size_t other = 1; other < out_.models.size() && n_ > 1;) {
      const Model chosen = out_.models[0], second = out_.models[other];
      const int narrower = traits(chosen.accumulator).precision - traits(question_.formats.result).precision;
      std::optional<std::pair<double, double>> witness;
      if (narrower > 0 && narrower <= most_narrower && apart(chosen, second)) witness = where_apart(chosen, second);
      if (!witness) {
        ++other;
        continue;
      }
      if (!keep(witness->first, witness->second)) return false;
      other = 1;
    }
    return before_or_after();
  }

  std::optional<std::pair<double, double>> where_apart(const Model& a, const Model& b) {
    const bool narrow = question_.formats.input == Format::f16;
    for (int k = 0; k < candidates; ++k) {
      const double first = random_number(narrow ? 0 : -4, 4),
                   second = random_number(narrow ? -10 : -14, narrow ? 0 : -4);
      if (answer_to_two(a, question_.formats, first, second) != answer_to_two(b, question_.formats, first, second)) {
        return std::pair{first, second};
      }
    }
    return std::nullopt;
  }

  /// Asks for 3m - m - 2m, which is 0 in every order if the sum is scaled. If the elements are, it is the difference of
  /// three times a rounded number and a number rounded from three times as much; nothing rounds it away if that is two
  /// units of the last place of m or more.
  bool before_or_after() {
    const auto of_elements = [](const Model& model) { return model.scaling.of_elements(); };
    const auto left = [&] {
      const auto count = std::count_if(out_.models.begin(), out_.models.end(), of_elements);
      return count > 0 && static_cast<std::size_t>(count) < out_.models.size();
    };
    for (int k = 0; k < triples && n_ > 2 && weights_.empty() && left(); ++k) {
      const double m = std::ldexp(33 + 2 * static_cast<double>(numerics::split_mix(random_) % 15), 8);
      Input input;
      input.x.assign(n_, 0);
      input.x[0] = pattern(3 * m);
      input.x[1] = pattern(-m);
      input.x[n_ - 1] = pattern(-2 * m);
      const auto bits = ask(std::move(input));
      if (!bits) return false;
      const bool zero = value_of(*bits) == 0;
      std::erase_if(out_.models, [&](const Model& model) {
        if (!of_elements(model)) return !zero;
        const double once = model.scaling.element(m, 0), rest = model.scaling.element(3 * m, 0) - 3 * once;
        const double place = std::ldexp(1.0, std::ilogb(once) - traits(model.accumulator).precision + 1);
        const bool visible = numerics::magnitude_bits(numerics::round_f64(rest, question_.formats.result),
                                                      question_.formats.result) != 0;
        return zero ? std::fabs(rest) >= 2 * place && visible : rest == 0;
      });
    }
    return true;
  }

  bool keep(double first, double second) {
    const std::size_t last = second == 0 ? 0 : n_ - 1;
    const auto bits = ask(first, last, weights_.empty() || last == 0 ? second : second / weights_[last]);
    if (!bits) return false;
    std::erase_if(out_.models, [&](const Model& model) {
      const std::uint64_t own = answer_to_two(model, question_.formats, first, second);
      return own != *bits && value_of(own) != value_of(*bits);
    });
    last_ = fmt::format("{}{} came to {}", decimal(first), second == 0 ? "" : " and " + decimal(second), shown(*bits));
    return true;
  }

  void unexplained() {
    problem(
        fmt::format("a 1 beside zeros came to {}, {}{}: no factor by which the sum or its elements are multiplied or "
                    "divided, rounded in a format known here, gives that",
                    shown(numerics::round_f64(one_, question_.formats.result)), last_.empty() ? "but" : "and ", last_));
  }

  const Box& box_;
  const Question& question_;
  std::uint64_t random_;
  std::size_t n_;
  double one_ = 0;
  std::vector<double> weights_;
  std::string last_;
  std::int64_t calls_ = 0;
  Calibrated out_;
  std::optional<Diagnostic> failure_;
};

}  // namespace

Expected<Calibrated> calibrate(const Box& box, const Question& question) { return Calibration(box, question).run(); }

}  // namespace reckon::reveal
