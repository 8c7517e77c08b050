#include "runtime/cuda/foreign_kernel.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

namespace reckon::runtime {
namespace {

using Kind = KernelLaunch::Argument::Kind;

Diagnostic malformed(const std::string& word) {
  return Diagnostic(Code::box_unusable, {}, fmt::format("`{}` does not say how a kernel is launched", word))
      .help("write for example `grid=1 block=256 args=in,out,n`; docs/reveal.md says what may stand there");
}

std::vector<std::string> parts(const std::string& text) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c == ',') out.emplace_back();
    else out.back() += c;
  }
  return out;
}

template <class Integer>
bool number(std::string_view text, Integer& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

bool extents(const std::string& text, std::array<unsigned, 3>& out) {
  const auto words = parts(text);
  if (words.size() > 3) return false;
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (!number(words[k], out[k]) || out[k] == 0) return false;
  }
  return true;
}

bool argument(const std::string& word, KernelLaunch::Argument& out) {
  if (word == "in") out.kind = Kind::in;
  else if (word == "in2") out.kind = Kind::in2;
  else if (word == "out") out.kind = Kind::out;
  else if (word == "n") out.kind = Kind::n;
  else if (word.starts_with("scratch:")) {
    out.kind = Kind::scratch;
    return number(std::string_view(word).substr(8), out.value) && out.value > 0;
  } else {
    out.kind = Kind::integer;
    return number(word, out.value);
  }
  return true;
}

}  // namespace

Expected<KernelLaunch> KernelLaunch::parse(const std::string& text) {
  KernelLaunch out;
  std::istringstream words(text);
  bool in = false, result = false;
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals), value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (name == "grid" || name == "block") {
      if (!extents(value, name == "grid" ? out.grid : out.block)) return malformed(word);
    } else if (name == "shared") {
      if (!number(value, out.shared_bytes)) return malformed(word);
    } else if (name == "args") {
      for (const std::string& part : parts(value)) {
        Argument made;
        if (!argument(part, made)) return malformed(part);
        in = in || made.kind == Kind::in;
        result = result || made.kind == Kind::out;
        out.arguments.push_back(made);
      }
    } else {
      return malformed(word);
    }
  }
  if (!in || !result) {
    return Diagnostic(Code::box_unusable, {},
                      fmt::format("the launch `{}` has no `{}` among its arguments", text, in ? "out" : "in"))
        .help("write for example `grid=1 block=256 args=in,out,n`");
  }
  return out;
}

Expected<ForeignKernel> ForeignKernel::prepare(std::shared_ptr<const cuda::Context> context, const std::string& ptx,
                                               const std::string& kernel, KernelLaunch launch, std::size_t in_bytes,
                                               std::size_t out_bytes) {
  ForeignKernel out;
  out.context_ = std::move(context);
  out.name_ = kernel;
  out.launch_ = std::move(launch);
  out.in_bytes_ = in_bytes;
  out.out_bytes_ = out_bytes;
  if (auto failure = out.context_->make_current()) return *failure;
  auto module = cuda::load_module(out.context_, ptx);
  if (!module) return module.error();
  out.module_ = std::move(*module);
  auto function = cuda::find_kernel(out.module_, kernel);
  if (!function) return function.error();
  out.function_ = *function;
  for (const KernelLaunch::Argument& argument : out.launch_.arguments) {
    std::uint64_t bytes = 0;
    if (argument.kind == Kind::in || argument.kind == Kind::in2) bytes = in_bytes;
    if (argument.kind == Kind::out) bytes = out_bytes;
    if (argument.kind == Kind::scratch) bytes = static_cast<std::uint64_t>(argument.value);
    out.memory_.emplace_back();
    if (bytes == 0) continue;
    auto memory = cuda::allocate(out.context_, bytes);
    if (!memory) return memory.error();
    out.memory_.back() = std::move(*memory);
  }
  return out;
}

Expected<std::vector<std::uint8_t>> ForeignKernel::run(const std::vector<std::uint8_t>& in,
                                                       const std::vector<std::uint8_t>& in2, std::int64_t n) {
  if (auto failure = context_->make_current()) return *failure;
  std::vector<std::uint8_t> result(out_bytes_);
  std::vector<std::int64_t> values(launch_.arguments.size());
  std::vector<void*> parameters;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const KernelLaunch::Argument& argument = launch_.arguments[k];
    const cuda::Memory& memory = memory_[k];
    cuda::Failure failure;
    switch (argument.kind) {
      case Kind::in: failure = cuda::upload(memory, in); break;
      case Kind::in2: failure = cuda::upload(memory, in2); break;
      case Kind::out: failure = cuda::upload(memory, result); break;
      case Kind::scratch:
        failure = cuda::upload(memory, std::vector<std::uint8_t>(static_cast<std::size_t>(argument.value)));
        break;
      case Kind::n: values[k] = n; break;
      case Kind::integer: values[k] = argument.value; break;
    }
    if (failure) return *failure;
    // A parameter of 32 bits takes the lower half.
    if (memory.get() != 0) values[k] = static_cast<std::int64_t>(memory.get());
    parameters.push_back(&values[k]);
  }
  const auto& grid = launch_.grid;
  const auto& block = launch_.block;
  if (auto failure = context_->driver().check(context_->call().launch(function_, grid[0], grid[1], grid[2], block[0],
                                                                      block[1], block[2], launch_.shared_bytes, nullptr,
                                                                      parameters.data(), nullptr),
                                              fmt::format("start the kernel `{}`", name_))) {
    return *failure;
  }
  if (auto failure = context_->synchronize()) return *failure;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (launch_.arguments[k].kind != Kind::out) continue;
    if (auto failure = cuda::download(result, memory_[k])) return *failure;
  }
  return result;
}

}  // namespace reckon::runtime
