#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/options.h"

namespace reckon::cli {
namespace {

/// `begun`: whether it came to the call, whose failures all ranks of a job know.
int call_once(const CallCommand& options, const Common& common, Console& console, bool& begun) {
  auto session = loaded_session(options.file, common, console);
  if (!session) return console.status();
  auto given = read_arguments(options.arguments, options.function, common, *session, console);
  if (!given) return console.status();
  const auto parameters = session->parameters(options.function, common.formats);
  std::vector<Tensor> tensors;
  for (const Parameter& parameter : *parameters) {
    const auto found = given->find(parameter.name);
    if (found == given->end()) {
      console.complain(fmt::format("the parameter `{0}` of `{1}` has no value: --arg {0}=...", parameter.name,
                                   options.function));
      return wrong_usage;
    }
    tensors.push_back(std::move(found->second));
  }
  CallOptions call_options;
  call_options.on = place_named(options.on);
  if (!common.semantics.empty()) call_options.semantics = common.semantics;
  call_options.values = common.values;
  call_options.formats = common.formats;
  call_options.arch = options.arch;
  call_options.explain_ranks = common.verbose;
  begun = true;
  auto result = session->call(options.function, tensors, call_options);
  console.print(session->notes());
  if (!result) {
    console.print(result.messages());
    return console.status();
  }
  if (common.silent) return console.status();  // rank 0 has the result
  if (options.output.empty()) {
    console.print(*result);
    return console.status();
  }
  if (result->size() != 1 || !result->front().tensor) {
    console.complain(result->size() != 1 ? "a tuple cannot be written to one file"
                                         : "these values have no bits to write");
    return wrong_usage;
  }
  console.print(session->write_npy(options.output, *result->front().tensor));
  return console.status();
}

}  // namespace

int call(const CallCommand& options, const Common& common) {
  return on_ranks(place_named(options.on), common, [&](const Common& shared, Console& console, bool& begun) {
    return call_once(options, shared, console, begun);
  });
}

}  // namespace reckon::cli
