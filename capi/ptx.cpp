// Kernels of PTX.
#include <nlohmann/json.hpp>

#include "api/reckon/trace.h"
#include "capi/handles.h"

namespace {

using namespace reckon;
using namespace reckon::capi;

using Json = nlohmann::ordered_json;

/// The launch that the caller describes; nothing, with a message, if it is none.
std::optional<PtxLaunch> read_launch(reckon_session* session, const reckon_ptx_argument* arguments, std::size_t count,
                                     const reckon_ptx_options& given) {
  PtxLaunch out;
  out.kernel = text_of(given.kernel);
  for (std::size_t k = 0; k < 3; ++k) {
    out.grid[k] = std::max(given.grid[k], 1u);
    out.block[k] = std::max(given.block[k], 1u);
  }
  out.shared_bytes = given.shared_bytes;
  if (given.semantics != nullptr) out.semantics = given.semantics;
  out.seed = given.seed;
  if (given.instructions > 0) out.budget = given.instructions;
  out.races = given.no_races == 0;
  out.nearest = given.nearest != 0;
  out.tables = text_of(given.chip);
  for (std::size_t k = 0; k < count; ++k) {
    PtxArgument& made = out.arguments.emplace_back();
    if (arguments[k].number != nullptr) {
      made.number = arguments[k].number;
      continue;
    }
    made.unwritten = arguments[k].unwritten != 0;
    made.zeros = arguments[k].zeros != 0;
    made.memory = read_tensor(arguments[k].memory, !made.unwritten && !made.zeros);
    const auto bytes = made.memory ? tensor_bytes(made.memory->type, made.memory->shape) : std::nullopt;
    if (!bytes) {
      session->messages.add_use("argument " + std::to_string(k) + " of the kernel is no tensor");
      return std::nullopt;
    }
    made.memory->bytes.resize(*bytes);
  }
  return out;
}

/// The status of what was found, and its messages.
reckon_status found(reckon_session* session, std::vector<Message> messages) {
  if (messages.empty()) return RECKON_OK;
  session->messages.set(std::move(messages));
  return status_of(session->messages.list);
}

void give(reckon_session* session, const Json& made, const char** json) {
  session->text = made.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (json != nullptr) *json = session->text.c_str();
}

}  // namespace

reckon_status reckon_ptx(reckon_session* session, const char* text, const char* name,
                         const reckon_ptx_argument* arguments, size_t count, const reckon_ptx_options* options,
                         void* const* memory, const char** json) {
  return guarded(session, [&] {
    reckon_ptx_options given;
    if (options == nullptr || !read_options(options, given) || (count > 0 && arguments == nullptr))
      return report(session, RECKON_BAD_USE, "reckon_ptx was given no options or no arguments");
    const auto launch = read_launch(session, arguments, count, given);
    if (!launch) return RECKON_BAD_USE;
    const PtxRun run = run_ptx(text_of(text), text_of(name, "kernel.ptx"), *launch);
    Json out{{"kind", "launch"}, {"approximated", run.approximated}};
    for (const auto& [what, value] : run.counts) out[what] = value;
    give(session, out, json);
    for (std::size_t k = 0; memory != nullptr && k < run.memory.size(); ++k) {
      const auto& made = run.memory[k];
      if (made && memory[k] != nullptr && !made->bytes.empty())
        std::memcpy(memory[k], made->bytes.data(), made->bytes.size());
    }
    return found(session, run.messages);
  });
}

reckon_status reckon_trace(reckon_session* session, const char* text, const char* name,
                           const reckon_ptx_argument* arguments, size_t count, const reckon_ptx_options* options,
                           const char** json) {
  return guarded(session, [&] {
    reckon_ptx_options given;
    if (options == nullptr || !read_options(options, given) || (count > 0 && arguments == nullptr))
      return report(session, RECKON_BAD_USE, "reckon_trace was given no options or no arguments");
    const auto launch = read_launch(session, arguments, count, given);
    if (!launch) return RECKON_BAD_USE;
    TraceOptions how;
    how.verify = given.verify;
    how.seed = given.seed;
    const PtxTrace trace = trace_ptx(text_of(text), text_of(name, "kernel.ptx"), *launch, how);
    Json out{{"program", trace.program()}, {"numbers", trace.numbers}, {"outputs", Json::array()}};
    for (const TracedOutput& output : trace.outputs) out["outputs"].push_back(Json::parse(to_json(output)));
    give(session, out, json);
    return found(session, trace.run.messages);
  });
}
