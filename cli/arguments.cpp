#include "cli/arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/reckon/ranks.h"

namespace reckon::cli {

std::optional<BenchOptions> measurement(const MeasuredCommand& command, const Common& common, Session& session,
                                        Console& console) {
  auto given = read_arguments(command.arguments, command.function, common, session, console);
  if (!given) return std::nullopt;
  BenchOptions out;
  out.call.on = On::host;
  if (!common.semantics.empty()) out.call.semantics = common.semantics;
  out.call.values = common.values;
  out.call.formats = common.formats;
  out.call.arch = command.arch;
  out.arguments = std::move(*given);
  out.seed = static_cast<std::uint64_t>(common.seed.value_or(0));
  out.seconds = command.seconds;
  return out;
}

std::optional<std::map<std::string, std::string>> read_choices(const std::vector<std::string>& texts,
                                                               Console& console) {
  std::map<std::string, std::string> out;
  for (const std::string& text : texts) {
    if (read_choice(text, out)) continue;
    console.complain(fmt::format("--choose {}: write CHOICE=WAY, as `reckon tune` prints it", text));
    console.raise(wrong_usage);
    return std::nullopt;
  }
  return out;
}

std::optional<std::map<std::string, Tensor>> read_arguments(const std::vector<std::string>& texts,
                                                           const std::string& function, const Common& common,
                                                           Session& session, Console& console) {
  auto parameters = session.parameters(function, common.formats);
  if (!parameters) {
    console.print(parameters.messages());
    return std::nullopt;
  }
  auto usage = [&](const std::string& text) {
    console.complain(text);
    console.raise(wrong_usage);
    return std::nullopt;
  };
  std::map<std::string, Tensor> found;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    if (equals == std::string::npos) return usage(fmt::format("--arg {}: write NAME=1,2,3 or NAME=@FILE.npy", text));
    const std::string name = text.substr(0, equals), value = text.substr(equals + 1);
    const auto parameter = std::find_if(parameters->begin(), parameters->end(),
                                        [&](const Parameter& candidate) { return candidate.name == name; });
    if (parameter == parameters->end()) {
      return usage(fmt::format("--arg {}: `{}` has no parameter `{}`", text, function, name));
    }
    if (found.contains(name)) return usage(fmt::format("--arg {}: `{}` has a value already", text, name));
    const bool file = value.starts_with('@');
    auto tensor = file ? session.read_npy(value.substr(1))
                       : session.parse_tensor(value, parameter->type, parameter->rank);
    if (!tensor && !file) return usage(fmt::format("--arg {}: {}", text, tensor.messages().front().message));
    if (!tensor) {
      console.print(tensor.messages());
      return std::nullopt;
    }
    found[name] = std::move(*tensor);
  }
  return found;
}

On place_named(const std::string& word) {
  if (word == "gpus") return On::gpus;
  return word == "gpu" ? On::gpu : word == "host" ? On::host : word == "mpi" ? On::mpi : On::interpreter;
}

int on_ranks(On place, Common common, const std::function<int(const Common&, Console&, bool& begun)>& once) {
  bool begun = false;
  if (place != On::mpi) {
    Console console(common);
    return once(common, console, begun);
  }
  common.silent = launched_rank() != 0;
  // mpirun gives its ranks a terminal even where its own output goes to a file.
  if (common.color == "auto") common.color = "never";
  Console console(common);
  const auto ranks = open_ranks();
  if (!ranks) {
    console.print(ranks.messages());
    return console.status();
  }
  common.silent = ranks->rank != 0;
  const int status = once(common, console, begun);
  if (!begun) agree_on(console.failures());
  return status;
}

std::optional<Session> loaded_session(const std::string& file, const Common& common, Console& console) {
  auto text = read_program(file, console);
  if (!text) return std::nullopt;
  Session session(session_options(common));
  if (!semantics_exists(session, common, console)) return std::nullopt;
  if (auto loaded = session.load(*text, file); !loaded) {
    console.print(loaded.messages());
    return std::nullopt;
  }
  return session;
}

}  // namespace reckon::cli
