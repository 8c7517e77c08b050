// Tensors as they are written on the command line: `1.5`, `1, 2, 3`, `[[1, 2], [3, 4]]`.
#include <fmt/format.h>

#include <algorithm>

#include "api/implementation.h"
#include "ir/integer.h"
#include "numerics/format.h"

namespace reckon {
namespace {

/// `-5`, `0xff`, `u32#000000ff`: the pattern of an integer.
std::optional<std::uint64_t> word_of(const std::string& text, ir::Scalar scalar) {
  const std::string mark = fmt::format("{}#", ir::scalar_name(scalar));
  if (text.starts_with(mark)) {
    const std::string digits = text.substr(mark.size());
    const bool sound = digits.size() == 2 * static_cast<std::size_t>(ir::byte_width(scalar)) &&
                       digits.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
    return sound ? std::optional<std::uint64_t>(std::stoull(digits, nullptr, 16)) : std::nullopt;
  }
  const bool negative = text.starts_with('-');
  auto value = numerics::parse_number(text.substr(negative ? 1 : 0));
  if (value && negative) *value = -*value;
  if (!value || !ir::has_integer(scalar, *value)) return std::nullopt;
  return ir::integer_pattern(scalar, value->get_num());
}

/// `-1.5`, `inf`, `nan`, `f32#3fc00000`: the bits of a float, rounded once.
std::optional<std::uint64_t> float_of(const std::string& text, ir::Scalar scalar) {
  const ir::Format format = ir::format_of(scalar);
  const bool negative = text.starts_with('-');
  const std::string magnitude = text.substr(negative || text.starts_with('+') ? 1 : 0);
  std::optional<std::uint64_t> bits;
  if (magnitude == "inf" && numerics::has_infinity(format)) {
    bits = numerics::infinity_bits(format);
  } else if (magnitude == "nan" && numerics::has_nan(format)) {
    bits = numerics::canonical_nan(format);
  } else if (const auto hash = magnitude.find('#'); hash != std::string::npos) {
    const std::string digits = magnitude.substr(hash + 1);
    const bool sound = magnitude.substr(0, hash) == ir::scalar_name(scalar) &&
                       digits.size() == static_cast<std::size_t>(numerics::word_width(format) / 4) &&
                       digits.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
    if (sound) bits = std::stoull(digits, nullptr, 16);
    if (bits && (*bits & ~numerics::storage_mask(format)) != 0) bits.reset();
  } else if (const auto value = numerics::parse_number(magnitude)) {
    bits = numerics::round_rational(*value, format);
  }
  if (bits && negative) *bits ^= numerics::sign_bit(format);
  return bits;
}

Expected<std::uint64_t> element_of(const std::string& text, ir::Scalar scalar) {
  if (scalar == ir::Scalar::boolean) {
    if (text != "true" && text != "false") return bad_argument(fmt::format("`{}` is not `true` or `false`", text));
    return std::uint64_t{text == "true"};
  }
  if (ir::is_integer(scalar)) {
    if (const auto word = word_of(text, scalar)) return *word;
    return bad_argument(fmt::format("`{}` is no `{}`", text, ir::scalar_name(scalar)))
        .help(fmt::format("{} is {}", ir::with_article(scalar), ir::integers_text(scalar)));
  }
  if (text.empty()) return bad_argument("a number is missing between commas");
  if (const auto bits = float_of(text, scalar)) return *bits;
  Diagnostic problem = bad_argument(fmt::format("`{}` is not a number", text));
  if (std::isalpha(static_cast<unsigned char>(text[0])) != 0) {
    problem.helps.push_back("an argument is made of numbers, and of no expressions; `save \"x.npy\" = ...` in a program "
                            "writes a file, which `x=@x.npy` reads");
  }
  return problem;
}

/// `[[1, 2], [3, 4]]`, in words and by example.
std::string lists_wanted(std::size_t rank) {
  if (rank == 0) return "a single number is expected, as in `1.5`";
  if (rank == 1) return "one list of numbers is expected, as in `[1, 2, 3]`";
  std::string example = "[1, 2]";
  for (std::size_t k = 1; k < rank; ++k) example = fmt::format("[{0}, {0}]", example);
  return rank <= 3 ? fmt::format("lists in lists are expected, {} deep, as in `{}`", rank, example)
                   : fmt::format("lists in lists are expected, {} deep", rank);
}

class Reader {
 public:
  Reader(std::string_view text, ir::Scalar scalar, std::size_t rank) : text_(text), scalar_(scalar), rank_(rank) {}

  Expected<ir::HostTensor> tensor() {
    skip_spaces();
    // The brackets of the only list may be left out.
    const bool bare = !at('[');
    auto problem = bare && rank_ == 1 ? elements(0, true) : value(0);
    if (problem) return *problem;
    if (position_ < text_.size()) {
      const std::string rest(text_.substr(position_));
      if (rank_ == 0 && rest.starts_with(',')) return bad_argument(lists_wanted(rank_) + ", and these are several");
      return bad_argument(rest.starts_with(']') ? "this `]` closes nothing"
                                                : fmt::format("`{}` follows the end of the list", rest));
    }
    ir::HostTensor out(scalar_, shape_);
    for (std::size_t i = 0; i < values_.size(); ++i) out.set_bits(static_cast<std::int64_t>(i), values_[i]);
    return out;
  }

 private:
  bool at(char c) const { return position_ < text_.size() && text_[position_] == c; }
  void skip_spaces() {
    while (at(' ') || at('\t')) ++position_;
  }

  /// How deep the lists are that begin here.
  std::size_t depth_here() const {
    std::size_t deep = 0;
    for (std::size_t k = position_; k < text_.size() && (text_[k] == '[' || text_[k] == ' '); ++k) deep += text_[k] == '[';
    return deep;
  }

  /// A list that is to be this deep inside of the tensor, or an element.
  std::optional<Diagnostic> value(std::size_t depth) {
    skip_spaces();
    if (at('[') != (depth < rank_)) {
      const std::size_t deep = depth + depth_here();
      if (depth > 0 && !values_.empty()) return bad_argument("a list holds both lists and single values");
      return bad_argument(lists_wanted(rank_) +
                          (deep == 0   ? ", and this is a number"
                           : deep == 1 ? ", and this is a list of numbers"
                                       : fmt::format(", and these lists are {} deep", deep)));
    }
    if (depth < rank_) {
      ++position_;
      return elements(depth, false);
    }
    const std::size_t end = std::min(text_.find_first_of(",[]", position_), text_.size());
    std::string part(text_.substr(position_, end - position_));
    part.erase(part.find_last_not_of(" \t") + 1);
    position_ = end;
    auto bits = element_of(part, scalar_);
    if (!bits) return bits.error();
    values_.push_back(*bits);
    return std::nullopt;
  }

  /// What stands between brackets, and the closing one; without brackets, up to the end of the text.
  std::optional<Diagnostic> elements(std::size_t depth, bool bare) {
    std::int64_t length = 0;
    skip_spaces();
    if (bare || !at(']')) {
      while (true) {
        if (auto problem = value(depth + 1)) return problem;
        ++length;
        skip_spaces();
        if (!at(',')) break;
        ++position_;
      }
    } else if (depth + 1 < rank_) {
      return bad_argument("an empty list says nothing of the lengths of those inside");
    }
    if (!bare) {
      if (!at(']')) {
        return bad_argument(position_ == text_.size() ? "a `[` is not closed"
                                                      : fmt::format("a `,` is missing before `{}`", text_.substr(position_)));
      }
      ++position_;
      skip_spaces();
    }
    if (depth >= shape_.size()) shape_.resize(depth + 1, -1);
    if (shape_[depth] >= 0 && shape_[depth] != length) {
      return bad_argument(fmt::format("the rows of a tensor are equally long, and these have {} and {} {}", shape_[depth],
                                      length, depth + 1 < rank_ ? "rows" : "elements"));
    }
    shape_[depth] = length;
    return std::nullopt;
  }

  std::string_view text_;
  ir::Scalar scalar_;
  std::size_t rank_;
  std::size_t position_ = 0;
  std::vector<std::int64_t> shape_;
  std::vector<std::uint64_t> values_;
};

}  // namespace

Result<Tensor> Session::parse_tensor(const std::string& text, const std::string& type, std::size_t rank) {
  const auto scalar = ir::scalar_named(type);
  if (!scalar || *scalar == ir::Scalar::number) {
    return implementation_->messages(bad_argument(fmt::format("`{}` is not an element type", type)));
  }
  auto tensor = Reader(text, *scalar, rank).tensor();
  if (!tensor) return implementation_->messages(tensor.error());
  return public_tensor(*tensor);
}

}  // namespace reckon
