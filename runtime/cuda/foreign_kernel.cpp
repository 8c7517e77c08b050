#include "runtime/cuda/foreign_kernel.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

#include "diagnostics/codes/box_unusable.h"

namespace reckon::runtime {
namespace {

using Kind = KernelLaunch::Argument::Kind;

Diagnostic malformed(const std::string& word) {
  return Diagnostic(code::box_unusable, {}, fmt::format("`{}` does not say how a kernel is launched", word))
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
    return Diagnostic(code::box_unusable, {},
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
  if (auto failure = out.context_->make_current()) return *failure;
  auto module = cuda::load_module(out.context_, ptx);
  if (!module) return module.error();
  out.module_ = std::move(*module);
  auto function = cuda::find_kernel(out.module_, kernel);
  if (!function) return function.error();
  out.function_ = *function;
  auto stream = cuda::create_stream(out.context_);
  if (!stream) return stream.error();
  out.stream_ = std::move(*stream);
  out.work_ = cuda::QueuedWork(out.context_, out.stream_.get());
  for (const KernelLaunch::Argument& argument : out.launch_.arguments) {
    Place place;
    if (argument.kind == Kind::in || argument.kind == Kind::in2) place.bytes = in_bytes;
    if (argument.kind == Kind::out) place.bytes = out_bytes;
    if (argument.kind == Kind::scratch) place.bytes = static_cast<std::size_t>(argument.value);
    if (place.bytes > 0) {
      auto memory = cuda::allocate(out.context_, place.bytes);
      if (!memory) return memory.error();
      place.memory = std::move(*memory);
    }
    if (place.bytes > 0 && argument.kind != Kind::scratch) {
      auto staging = cuda::Staging::make(out.context_, place.bytes);
      if (!staging) return staging.error();
      place.staging = std::move(*staging);
    }
    out.places_.push_back(std::move(place));
  }
  return out;
}

Expected<std::vector<std::uint8_t>> ForeignKernel::run(const std::vector<std::uint8_t>& in,
                                                       const std::vector<std::uint8_t>& in2, std::int64_t n) {
  if (auto failure = context_->make_current()) return *failure;
  std::vector<std::int64_t> values(launch_.arguments.size());
  std::vector<void*> parameters;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const KernelLaunch::Argument& argument = launch_.arguments[k];
    Place& place = places_[k];
    cuda::Failure failure;
    switch (argument.kind) {
      case Kind::in: failure = place.staging.upload(place.memory.get(), in, stream_.get()); break;
      case Kind::in2: failure = place.staging.upload(place.memory.get(), in2, stream_.get()); break;
      case Kind::out:
      case Kind::scratch: failure = cuda::clear(place.memory, place.bytes, stream_.get()); break;
      case Kind::n: values[k] = n; break;
      case Kind::integer: values[k] = argument.value; break;
    }
    if (failure) return *failure;
    // A parameter of 32 bits takes the lower half.
    if (place.memory.get() != 0) values[k] = static_cast<std::int64_t>(place.memory.get());
    parameters.push_back(&values[k]);
  }
  const auto& grid = launch_.grid;
  const auto& block = launch_.block;
  if (auto failure = context_->driver().check(context_->call().launch(function_, grid[0], grid[1], grid[2], block[0],
                                                                      block[1], block[2], launch_.shared_bytes,
                                                                      stream_.get(), parameters.data(), nullptr),
                                              fmt::format("start the kernel `{}`", name_))) {
    return *failure;
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (launch_.arguments[k].kind != Kind::out) continue;
    if (auto failure = places_[k].staging.download(places_[k].memory.get(), stream_.get())) return *failure;
  }
  if (auto failure = cuda::synchronize(*context_, stream_.get())) return *failure;
  std::vector<std::uint8_t> result;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (launch_.arguments[k].kind != Kind::out) continue;
    const auto contents = places_[k].staging.contents();
    result.assign(contents.begin(), contents.end());
  }
  return result;
}

}  // namespace reckon::runtime
