#include "reveal/library_box.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "diagnostics/codes/box_failed.h"
#include "reveal/process.h"

namespace reckon::reveal {
namespace {

Diagnostic bad_signature(const std::string& text) {
  return unusable(fmt::format("`{}` is not a signature that can be called", text))
      .help(
          "write for example `f32(const f32*, n)`, `f64(int n, const f64*)`, or `f32(int n, const f32*, 1, const f32*, "
          "1)`; docs/reveal.md lists all");
}

/// Calls the function, with arguments in the order of its parameters.
template <class Result, class Element>
bool call(void* function, const std::vector<std::string>& parameters, const Element* x, const Element* y,
          std::int64_t n, double& sum) {
  const auto is = [&](std::initializer_list<const char*> wanted) {
    return std::equal(parameters.begin(), parameters.end(), wanted.begin(), wanted.end());
  };
  const auto as = [&]<class... Arguments>(Arguments... arguments) {
    sum = static_cast<double>(reinterpret_cast<Result (*)(Arguments...)>(function)(arguments...));
    return true;
  };
  const int small = static_cast<int>(n);
  if (is({"x", "n"})) return as(x, n);
  if (is({"x", "int n"})) return as(x, small);
  if (is({"n", "x"})) return as(n, x);
  if (is({"int n", "x"})) return as(small, x);
  if (is({"int n", "x", "1"})) return as(small, x, 1);
  if (is({"x", "y", "n"})) return as(x, y, n);
  if (is({"x", "y", "int n"})) return as(x, y, small);
  if (is({"n", "x", "y"})) return as(n, x, y);
  if (is({"int n", "x", "y"})) return as(small, x, y);
  if (is({"int n", "x", "1", "y", "1"})) return as(small, x, 1, y, 1);
  return false;
}

template <class Element>
double call(void* function, const Signature& signature, const Input& input) {
  const auto elements = [](const std::vector<std::uint64_t>& bits) {
    std::vector<Element> out(bits.size());
    for (std::size_t i = 0; i < bits.size(); ++i) std::memcpy(&out[i], &bits[i], sizeof(Element));
    return out;
  };
  const auto x = elements(input.x), y = elements(input.y);
  const auto n = static_cast<std::int64_t>(x.size());
  double sum = 0;
  if (signature.result == Format::f32) call<float>(function, signature.parameters, x.data(), y.data(), n, sum);
  else call<double>(function, signature.parameters, x.data(), y.data(), n, sum);
  return sum;
}

double call(void* function, const Signature& signature, const Input& input) {
  switch (signature.input) {
    case Format::f64: return call<double>(function, signature, input);
    case Format::f32: return call<float>(function, signature, input);
    default: return call<std::uint16_t>(function, signature, input);
  }
}

bool read_whole(void* to, std::size_t bytes) {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = read(STDIN_FILENO, at, bytes);
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

enum Ending : int { no_library = 40, no_symbol = 41 };

/// The child process: it answers questions (two counts and the patterns), each with the bytes of the sum.
int serve(const LibraryOptions& options, const Signature& signature) {
  // Standard output carries the answers: what the library prints goes to standard error.
  const int out = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  void* library = dlopen(options.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const std::string why = dlerror();
    return write(STDERR_FILENO, why.data(), why.size()) < 0 ? 1 : no_library;
  }
  void* function = dlsym(library, options.symbol.c_str());
  if (function == nullptr) return no_symbol;
  double sum = 0;
  if (write(out, &sum, sizeof sum) != sizeof sum) return 1;  // ready
  std::uint64_t counts[2];
  while (read_whole(counts, sizeof counts)) {
    Input input{std::vector<std::uint64_t>(counts[0]), std::vector<std::uint64_t>(counts[1])};
    if (!read_whole(input.x.data(), counts[0] * 8) || !read_whole(input.y.data(), counts[1] * 8)) return 1;
    sum = call(function, signature, input);
    if (write(out, &sum, sizeof sum) != sizeof sum) return 1;
  }
  return 0;
}

class LibraryBox {
 public:
  LibraryBox(LibraryOptions options, Signature signature, std::unique_ptr<Process> process)
      : options_(std::move(options)), signature_(std::move(signature)), process_(std::move(process)) {}

  std::optional<Diagnostic> ready() {
    double sum = 0;
    return exchange({}, sum);
  }
  Expected<std::uint64_t> operator()(const Input& input) {
    std::string text;
    const std::uint64_t counts[] = {input.x.size(), input.y.size()};
    text.append(reinterpret_cast<const char*>(counts), sizeof counts);
    text.append(reinterpret_cast<const char*>(input.x.data()), input.x.size() * 8);
    text.append(reinterpret_cast<const char*>(input.y.data()), input.y.size() * 8);
    double sum = 0;
    if (auto failure = exchange(text, sum)) return *failure;
    return numerics::round_f64(sum, signature_.result);
  }

 private:
  std::optional<Diagnostic> exchange(const std::string& text, double& sum) {
    const auto reply = process_->exchange(
        text, false, [](const std::string& bytes) { return bytes.size() >= sizeof(double); }, options_.timeout);
    if (reply.enough) {
      std::memcpy(&sum, reply.bytes.data(), sizeof sum);
      return std::nullopt;
    }
    if (reply.timed_out) {
      return Diagnostic(code::box_failed, {},
                        fmt::format("`{}` did not return within {} s", options_.symbol,
                                    options_.timeout.count() / 1000.0));
    }
    const std::string ending = process_->ending(options_.timeout), complaints = process_->complaints();
    if (ending == fmt::format("status {}", static_cast<int>(no_library))) {
      Diagnostic out = unusable(fmt::format("the library `{}` cannot be opened", options_.path));
      if (!complaints.empty()) out.notes.push_back(complaints);
      return out;
    }
    if (ending == fmt::format("status {}", static_cast<int>(no_symbol))) {
      return unusable(fmt::format("the library `{}` has no symbol `{}`", options_.path, options_.symbol))
          .help("`nm -D` lists a library's symbols; a C++ function needs `extern \"C\"`");
    }
    Diagnostic out(code::box_failed, {},
                   fmt::format("`{}` ended the process with {}", options_.symbol,
                               ending.empty() ? "status 0" : ending));
    if (!complaints.empty()) out.notes.push_back("it said: " + complaints);
    return std::move(out).help("the signature may not be the function's own");
  }

  LibraryOptions options_;
  Signature signature_;
  std::unique_ptr<Process> process_;
};

}  // namespace

Expected<Signature> parse_signature(const std::string& text) {
  std::string tight;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool between_words = text[i] == ' ' && !tight.empty() && std::isalnum(tight.back()) && i + 1 < text.size() &&
                               std::isalnum(text[i + 1]);
    if (text[i] != ' ' || between_words) tight += text[i];
  }
  const auto open = tight.find('(');
  if (open == std::string::npos || !tight.ends_with(')')) return bad_signature(text);
  Signature out;
  const auto result = numerics::format_named(tight.substr(0, open));
  if (!result || (*result != Format::f32 && *result != Format::f64)) return bad_signature(text);
  out.result = *result;
  std::string elements;
  for (std::size_t at = open + 1; at < tight.size();) {
    const auto end = std::min(tight.find(',', at), tight.size() - 1);
    const std::string parameter = tight.substr(at, end - at);
    at = end + 1;
    if (parameter.starts_with("const ") && parameter.ends_with('*')) {
      if (!elements.empty() && elements != parameter) return bad_signature(text);
      out.products = !elements.empty();
      out.parameters.emplace_back(elements.empty() ? "x" : "y");
      elements = parameter;
    } else {
      out.parameters.push_back(parameter);
    }
  }
  constexpr Format unknown = Format::tf32;  // like all formats after bf16, it is never a format of a library's sum
  const Format input =
      elements.empty() ? unknown : numerics::format_named(elements.substr(6, elements.size() - 7)).value_or(unknown);
  static const std::vector<std::vector<std::string>> known = {
      {"x", "n"},      {"x", "int n"},      {"n", "x"},      {"int n", "x"},      {"int n", "x", "1"},
      {"x", "y", "n"}, {"x", "y", "int n"}, {"n", "x", "y"}, {"int n", "x", "y"}, {"int n", "x", "1", "y", "1"}};
  const bool is_known = std::find(known.begin(), known.end(), out.parameters) != known.end();
  if (input > Format::bf16 || !is_known) return bad_signature(text);
  out.input = input;
  return out;
}

Expected<Box> library_box(const LibraryOptions& options) {
  auto signature = parse_signature(options.signature);
  if (!signature) return signature.error();
  LibraryOptions found = options;
  // A name without a slash would be looked for among the system's libraries alone.
  std::error_code error;
  if (found.path.find('/') == std::string::npos && std::filesystem::exists(found.path, error))
    found.path = "./" + found.path;
  auto process = Process::start([&] { return serve(found, *signature); });
  if (!process) return process.error();
  auto box = std::make_shared<LibraryBox>(found, *signature, std::move(*process));
  if (auto failure = box->ready()) return *failure;
  return Box([box](const Input& input) { return (*box)(input); });
}

}  // namespace reckon::reveal
