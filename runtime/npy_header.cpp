#include "runtime/npy_header.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "numerics/format.h"

namespace reckon::runtime {
namespace {

constexpr std::size_t max_dimensions = 64;  // NumPy's own limit

/// The type of elements of this kind: the first one where several formats are written alike.
std::optional<ir::Scalar> scalar_of_kind(std::string_view kind) {
  for (int k = 0; k < numerics::format_count; ++k) {
    if (kind == numerics::format_traits[k].npy) return ir::scalar_of(static_cast<ir::Format>(k));
  }
  if (kind == "bfloat16") return ir::Scalar::bf16;
  for (int k = 0; k < numerics::integer_count; ++k) {
    if (kind == numerics::integer_table[k].npy) return ir::integer_scalar(k);
  }
  if (kind == "b1" || kind == "?") return ir::Scalar::boolean;
  return std::nullopt;
}

/// The formats that scalar_of_kind gives, with commas.
std::string formats_of_files() {
  std::string out;
  for (int k = 0; k < numerics::format_count; ++k) {
    const ir::Scalar scalar = ir::scalar_of(static_cast<ir::Format>(k));
    if (scalar_in_files(scalar) != scalar) continue;
    out += fmt::format("{}{}", out.empty() ? "" : ", ", ir::scalar_name(scalar));
  }
  return out;
}

/// The element type that a descr names, or why it cannot be used.
std::variant<NpyHeader, NpyProblem> element_type(std::string_view descr) {
  NpyHeader header;
  std::string_view kind = descr;
  if (!kind.empty() && std::string_view("<>=|").find(kind.front()) != std::string_view::npos) {
    header.big_endian = kind.front() == '>';
    kind.remove_prefix(1);
  }
  if (const auto scalar = scalar_of_kind(kind)) {
    header.scalar = *scalar;
    return header;
  }
  NpyProblem problem{fmt::format("its elements are `{}`", printable(descr)), {}};
  const char letter = kind.empty() ? '\0' : kind.front();
  switch (letter) {
    case 'O':
      problem.text += ", pickled Python objects, which are never run";
      problem.help = "save numbers: `np.save(path, np.asarray(a, dtype=np.float64))`";
      break;
    case 'c':
      problem.text += ", which are complex";
      problem.help = "save the real and the imaginary part as two files";
      break;
    case 'f': problem.help = "there is no such format: save it as `np.float64`, `np.float32` or `np.float16`"; break;
    default:
      problem.text += ", which are no numbers";
      problem.help = fmt::format("a tensor holds {}, integers or bools", formats_of_files());
  }
  return problem;
}

/// Reads just enough of Python's literals. The first problem is kept, and ends the reading.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::variant<NpyHeader, NpyProblem> read() {
    std::optional<std::string> descr;
    std::optional<bool> fortran_order;
    std::optional<std::vector<std::int64_t>> shape;
    expect('{');
    while (!failed() && !accept('}')) {
      const std::string key = string("a key");
      expect(':');
      if (failed()) break;
      if ((key == "descr" && descr) || (key == "fortran_order" && fortran_order) || (key == "shape" && shape))
        return malformed(fmt::format("`{}` twice", key));
      if (key == "descr") {
        skip_space();
        if (peek() == '[')
          return NpyProblem{"its elements are records of several fields", "save each field as a file of its own"};
        descr = string("an element type");
      } else if (key == "fortran_order") {
        fortran_order = boolean();
      } else if (key == "shape") {
        shape = tuple();
      } else {
        return malformed(fmt::format("the unknown key `{}`", printable(key)));
      }
      if (!accept(',') && !failed()) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!failed() && at_ < text_.size()) fail("nothing more");
    if (failed()) return *problem_;
    if (!descr) return malformed("no `descr`");
    if (!fortran_order) return malformed("no `fortran_order`");
    if (!shape) return malformed("no `shape`");
    auto result = element_type(*descr);
    if (auto* header = std::get_if<NpyHeader>(&result)) {
      header->fortran_order = *fortran_order;
      header->shape = std::move(*shape);
    }
    return result;
  }

 private:
  static NpyProblem malformed(const std::string& what) { return {"its header has " + what, {}}; }
  bool failed() const { return problem_.has_value(); }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void fail(std::string_view wanted) {
    if (failed()) return;
    const std::string_view rest = text_.substr(std::min(at_, text_.size()), 24);
    problem_ = malformed(rest.empty() ? fmt::format("its end where {} was expected", wanted)
                                      : fmt::format("`{}` where {} was expected", printable(rest), wanted));
  }

  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }

  bool accept(char c) {
    skip_space();
    if (failed() || at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail(fmt::format("`{}`", c));
  }

  std::string string(std::string_view wanted) {
    skip_space();
    const char quote = peek();
    if (failed() || (quote != '\'' && quote != '"')) {
      fail(wanted);
      return {};
    }
    const std::size_t end = text_.find(quote, at_ + 1);
    // A backslash would be an escape; no name of an element type needs one.
    if (end == std::string_view::npos || text_.substr(at_, end - at_).find('\\') != std::string_view::npos) {
      fail(wanted);
      return {};
    }
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return std::string(inside);
  }

  bool boolean() {
    skip_space();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return value;
      }
    }
    fail("`True` or `False`");
    return false;
  }

  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> extents;
    expect('(');
    bool comma = true;
    while (!failed() && !accept(')')) {
      if (!comma) {
        fail("`,` or `)`");
        break;
      }
      extents.push_back(extent());
      comma = accept(',');
      if (extents.size() > max_dimensions && !failed())
        problem_ = malformed(fmt::format("a shape of more than {} dimensions", max_dimensions));
    }
    // `(3)` is an integer in Python; only `(3,)` is a shape.
    if (!failed() && extents.size() == 1 && !comma) problem_ = malformed("a shape that is no tuple");
    return extents;
  }

  std::int64_t extent() {
    skip_space();
    std::int64_t value = 0;
    const char* first = text_.data() + at_;
    const char* last = text_.data() + text_.size();
    const auto [end, error] = std::from_chars(first, last, value);
    if (error == std::errc::result_out_of_range && !failed()) {
      problem_ = malformed(fmt::format("the extent `{}`, which is too large",
                                       printable({first, static_cast<std::size_t>(end - first)})));
    } else if (error != std::errc{}) {
      fail("an extent");
    } else if (value < 0) {
      fail("an extent that is not negative");
    } else {
      at_ += static_cast<std::size_t>(end - first);
      if (peek() == 'L') ++at_;  // Python 2 wrote long integers so
    }
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<NpyProblem> problem_;
};

}  // namespace

std::variant<NpyHeader, NpyProblem> parse_npy_header(std::string_view text) { return Reader(text).read(); }

ir::Scalar scalar_in_files(ir::Scalar scalar) {
  return ir::is_float(scalar) ? *scalar_of_kind(numerics::traits(ir::format_of(scalar)).npy) : scalar;
}

std::string npy_header_text(ir::Scalar scalar, const std::vector<std::int64_t>& shape) {
  std::string descr = "|b1";
  if (ir::is_integer(scalar)) {
    descr = fmt::format("{}{}", ir::byte_width(scalar) == 1 ? '|' : '<', ir::integer_traits(scalar).npy);
  } else if (scalar != ir::Scalar::boolean) {
    descr = fmt::format("<{}", numerics::traits(ir::format_of(scalar)).npy);
  }
  std::string extents;
  for (const std::int64_t extent : shape) extents += fmt::format("{}{}", extents.empty() ? "" : ", ", extent);
  if (shape.size() == 1) extents += ",";
  std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                       descr, extents);
  constexpr std::size_t fixed = 10;  // magic, version, length
  const std::size_t total = (fixed + dictionary.size() + 1 + 63) / 64 * 64;
  dictionary.append(total - fixed - dictionary.size() - 1, ' ').push_back('\n');
  std::string header("\x93NUMPY\x01\x00", 8);
  header.push_back(static_cast<char>(dictionary.size() & 0xff));
  header.push_back(static_cast<char>(dictionary.size() >> 8));
  return header + dictionary;
}

std::string printable(std::string_view bytes) {
  constexpr std::size_t longest = 40;
  std::string text;
  for (const char c : bytes.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && byte != '`') text += c;
    else text += fmt::format("\\x{:02x}", byte);
  }
  if (bytes.size() > longest) text += "...";
  return text;
}

}  // namespace reckon::runtime
