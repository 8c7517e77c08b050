#include <fmt/format.h>

#include "cli/options.h"

namespace reckon::cli {
namespace {

/// The tensors for a circuit's parameters, from `NAME=1,2,3` and `NAME=@FILE.npy`.
std::optional<std::vector<Tensor>> arguments(const CallCommand& options, const Common& common, Session& session,
                                             Console& console) {
  auto parameters = session.parameters(options.function, common.formats);
  if (!parameters) {
    console.print(parameters.messages());
    return std::nullopt;
  }
  auto usage = [&](const std::string& text) {
    console.complain(text);
    console.raise(wrong_usage);
  };
  std::vector<std::optional<Tensor>> found(parameters->size());
  for (const std::string& text : options.arguments) {
    const auto equals = text.find('=');
    if (equals == std::string::npos) {
      usage(fmt::format("--arg {}: write NAME=1,2,3 or NAME=@FILE.npy", text));
      return std::nullopt;
    }
    const std::string name = text.substr(0, equals), value = text.substr(equals + 1);
    std::size_t k = 0;
    while (k < parameters->size() && (*parameters)[k].name != name) ++k;
    if (k == parameters->size()) {
      usage(fmt::format("--arg {}: `{}` has no parameter `{}`", text, options.function, name));
      return std::nullopt;
    }
    const bool file = value.starts_with('@');
    auto tensor = file ? session.read_npy(value.substr(1))
                       : session.parse_tensor(value, (*parameters)[k].type, (*parameters)[k].rank);
    if (!tensor) {
      if (file) console.print(tensor.messages());
      else usage(fmt::format("--arg {}: {}", text, tensor.messages().front().message));
      return std::nullopt;
    }
    found[k] = std::move(*tensor);
  }
  std::vector<Tensor> out;
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (!found[k]) {
      usage(fmt::format("the parameter `{0}` of `{1}` has no value: --arg {0}=...", (*parameters)[k].name,
                        options.function));
      return std::nullopt;
    }
    out.push_back(std::move(*found[k]));
  }
  return out;
}

}  // namespace

int call(const CallCommand& options, const Common& common) {
  Console console(common);
  auto text = read_program(options.file, console);
  if (!text) return console.status();
  Session session(session_options(common));
  if (!semantics_exists(session, common, console)) return wrong_usage;
  if (auto loaded = session.load(*text, options.file); !loaded) {
    console.print(loaded.messages());
    return console.status();
  }
  auto tensors = arguments(options, common, session, console);
  if (!tensors) return console.status();
  CallOptions call_options;
  call_options.on = options.on == "gpu" ? On::gpu : options.on == "host" ? On::host : On::interpreter;
  if (!common.semantics.empty()) call_options.semantics = common.semantics;
  call_options.values = common.values;
  call_options.formats = common.formats;
  call_options.arch = options.arch;
  auto result = session.call(options.function, *tensors, call_options);
  console.print(session.rounding_notes());
  if (!result) {
    console.print(result.messages());
    return console.status();
  }
  if (options.output.empty()) {
    console.print(*result);
    return console.status();
  }
  if (result->size() != 1 || !result->front().tensor) {
    console.complain(result->size() != 1 ? "a tuple cannot be written to one file"
                                         : "these values have no bits to write");
    return wrong_usage;
  }
  console.print(session.write_npy(options.output, *result->front().tensor));
  return console.status();
}

}  // namespace reckon::cli
