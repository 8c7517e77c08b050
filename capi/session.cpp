// Sessions, and programs' texts.
#include <nlohmann/json.hpp>

#include "api/reckon/ranks.h"
#include "capi/handles.h"

namespace {

using namespace reckon;
using namespace reckon::capi;

using Json = nlohmann::ordered_json;

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// Gives a text that stays until the next call.
reckon_status give(reckon_session* session, std::string text, const char** out) {
  session->text = std::move(text);
  if (out != nullptr) *out = session->text.c_str();
  return RECKON_OK;
}

reckon_status refuse(reckon_session* session, std::vector<Message> messages) {
  session->messages.set(std::move(messages));
  return status_of(session->messages.list);
}

reckon_status use(reckon_session* session, const char* sentence) { return report(session, RECKON_BAD_USE, sentence); }

/// Gives each outcome to a sink of C, and keeps the gravest status and all messages.
class Outcomes {
 public:
  Outcomes(reckon_sink sink, void* user, bool strict = false) : sink_(sink), user_(user), strict_(strict) {}

  void take(const Event& event) {
    status_ = graver_status(status_, reckon::status_of(event, strict_));
    if (const auto* messages = std::get_if<std::vector<Message>>(&event)) {
      messages_.insert(messages_.end(), messages->begin(), messages->end());
    }
    if (sink_ == nullptr) return;
    if (const auto* parts = std::get_if<std::vector<Shown>>(&event)) return take_values(*parts);
    if (const auto* check = std::get_if<Checked>(&event)) return give(to_json(*check), to_text(*check));
    if (const auto* saved = std::get_if<Saved>(&event)) return give(to_json(*saved), to_text(*saved));
    std::string text;
    for (const Message& message : std::get<std::vector<Message>>(event)) text += message.text;
    give(to_json(std::get<std::vector<Message>>(event)), text);
  }
  reckon_status finish(reckon_session* session) {
    session->messages.set(std::move(messages_));
    return static_cast<reckon_status>(status_);
  }

 private:
  void take_values(const std::vector<Shown>& parts) {
    std::string json;
    for (const Shown& part : parts) json += (json.empty() ? "" : ", ") + to_json(part);
    if (parts.size() != 1) json = "[" + json + "]";
    const reckon_values values{parts, {}};
    sink_(user_, json.c_str(), to_text(parts).c_str(), &values);
  }
  void give(const std::string& json, const std::string& text) { sink_(user_, json.c_str(), text.c_str(), nullptr); }

  reckon_sink sink_;
  void* user_;
  bool strict_;
  int status_ = 0;
  std::vector<Message> messages_;
};

reckon_status load(reckon_session* session, const std::string& text, const std::string& path) {
  auto loaded = session->session.load(text, path);
  if (!loaded) return refuse(session, loaded.messages());
  session->loaded = std::move(*loaded);
  return RECKON_OK;
}

}  // namespace

const char* reckon_version(void) {
  static const std::string version = Session::version();
  return version.c_str();
}

int reckon_abi(void) { return RECKON_ABI; }

reckon_status reckon_session_new(const reckon_session_options* options, reckon_session** session) {
  reckon_session_options given;
  if (session == nullptr || !read_options(options, given)) return RECKON_BAD_USE;
  try {
    SessionOptions out;
    if (given.library_folder != nullptr) out.library_folders = {given.library_folder};
    out.semantics = text_of(given.semantics);
    out.kernel_folder = text_of(given.kernel_folder);
    if (given.budget > 0) out.budget = given.budget;
    if (given.seed != nullptr) out.seed = *given.seed;
    out.cuda_driver = text_of(given.cuda_driver);
    *session = new reckon_session(std::move(out));
    return RECKON_OK;
  } catch (...) {
    return RECKON_INTERNAL;
  }
}

void reckon_session_free(reckon_session* session) { delete session; }

void reckon_interrupt(reckon_session* session) {
  if (session != nullptr) session->session.interrupt();
}

const char* reckon_message_text(const reckon_session* session) {
  return session != nullptr ? session->messages.text.c_str() : "";
}

const char* reckon_messages(const reckon_session* session) {
  return session != nullptr ? session->messages.json.c_str() : "[]";
}

reckon_status reckon_load(reckon_session* session, const char* text, const char* path) {
  return guarded(session, [&] {
    if (text == nullptr) return use(session, "reckon_load was given no text");
    return load(session, text, text_of(path, "program"));
  });
}

reckon_status reckon_load_file(reckon_session* session, const char* path) {
  return guarded(session, [&] {
    if (path == nullptr) return use(session, "reckon_load_file was given no path");
    const auto text = Session::read_text(path);
    if (!text) {
      session->messages.add_use("`" + std::string(path) + "` cannot be read");
      return RECKON_BAD_USE;
    }
    return load(session, *text, path);
  });
}

reckon_status reckon_use_library(reckon_session* session) {
  return guarded(session, [&] {
    auto problems = session->session.use_library();
    return problems.empty() ? RECKON_OK : refuse(session, std::move(problems));
  });
}

reckon_status reckon_names(reckon_session* session, const char** json) {
  return guarded(session, [&] { return give(session, dump(session->session.names()), json); });
}

reckon_status reckon_loaded(reckon_session* session, const char** json) {
  return guarded(session, [&] { return give(session, dump(session->loaded), json); });
}

reckon_status reckon_describe(reckon_session* session, const char* name, const char** text) {
  return guarded(session, [&] {
    auto description = session->session.describe(text_of(name));
    if (description) return give(session, std::move(*description), text);
    session->messages.add_use("there is no `" + text_of(name) + "`");
    return RECKON_BAD_USE;
  });
}

reckon_status reckon_signature(reckon_session* session, const char* circuit, const char** json) {
  return guarded(session, [&] {
    auto signature = session->session.signature(text_of(circuit));
    if (!signature) return refuse(session, signature.messages());
    Json out{{"static", Json::array()}, {"parameters", Json::array()}, {"results", Json::array()}};
    for (const auto& [name, is_format] : signature->static_parameters) {
      out["static"].push_back({{"name", name}, {"kind", is_format ? "format" : "integer"}});
    }
    for (const Parameter& each : signature->parameters) {
      out["parameters"].push_back(
          {{"name", each.name}, {"type", each.type}, {"shape", each.shape}, {"row_major", each.row_major}});
    }
    for (const Parameter& each : signature->results) {
      out["results"].push_back({{"type", each.type}, {"shape", each.shape}, {"row_major", each.row_major}});
    }
    return give(session, dump(out), json);
  });
}

reckon_status reckon_define(reckon_session* session, const char* name, const reckon_tensor* tensor) {
  return guarded(session, [&] {
    if (name == nullptr || tensor == nullptr) return use(session, "reckon_define was given no name or no tensor");
    auto contents = read_tensor(*tensor, true);
    if (!contents) return use(session, "the tensor of reckon_define has an unknown type, an impossible shape, or no data");
    auto problems = session->session.define(name, *contents);
    return problems.empty() ? RECKON_OK : refuse(session, std::move(problems));
  });
}

reckon_status reckon_run(reckon_session* session, const char* text, const char* path, reckon_sink sink, void* user) {
  return guarded(session, [&] {
    if (text == nullptr) return use(session, "reckon_run was given no text");
    Outcomes outcomes(sink, user);
    session->session.run(text, text_of(path, "program"), [&](const Event& event) { outcomes.take(event); });
    return outcomes.finish(session);
  });
}

reckon_status reckon_enter(reckon_session* session, const char* text, reckon_sink sink, void* user) {
  return guarded(session, [&] {
    if (text == nullptr) return use(session, "reckon_enter was given no text");
    Session::Entry entry = session->session.enter(text);
    if (entry.incomplete) {
      session->messages.add_use("the entry is not complete");
      return RECKON_SOURCE_ERROR;
    }
    Outcomes outcomes(sink, user);
    for (const Event& event : entry.events) outcomes.take(event);
    return outcomes.finish(session);
  });
}

reckon_status reckon_evaluate(reckon_session* session, const char* expression, reckon_values** values) {
  return guarded(session, [&] {
    if (expression == nullptr || values == nullptr) return use(session, "reckon_evaluate was given no expression");
    auto result = session->session.evaluate(expression);
    if (!result) return refuse(session, result.messages());
    *values = new reckon_values{std::move(*result), {}};
    session->messages.set(session->session.notes());
    return RECKON_OK;
  });
}

reckon_status reckon_use_ranks(reckon_session* session, uintptr_t communicator, int* rank, int* size) {
  return guarded(session, [&] {
    const auto ranks = communicator != 0 ? use_communicator(communicator) : open_ranks();
    if (!ranks) return refuse(session, ranks.messages());
    if (rank != nullptr) *rank = ranks->rank;
    if (size != nullptr) *size = ranks->size;
    return RECKON_OK;
  });
}

reckon_status reckon_call(reckon_session* session, const char* circuit, const reckon_tensor* arguments, size_t count,
                          const reckon_call_options* options, reckon_values** values) {
  return guarded(session, [&] {
    reckon_call_options given;
    if (circuit == nullptr || values == nullptr || (arguments == nullptr && count > 0) || !read_options(options, given)) {
      return use(session, "reckon_call was given no circuit, arguments, result or size of its options");
    }
    CallOptions call;
    call.on = given.on == RECKON_ON_MPI    ? On::mpi
              : given.on == RECKON_ON_GPUS ? On::gpus
              : given.on == RECKON_ON_GPU ? On::gpu
              : given.on == RECKON_ON_HOST ? On::host
                                           : On::interpreter;
    if (given.semantics != nullptr) call.semantics = given.semantics;
    call.arch = text_of(given.arch);
    if (!read_definitions(given.definitions, call.values, call.formats, session->messages)) return RECKON_BAD_USE;
    std::vector<Tensor> tensors;
    for (std::size_t k = 0; k < count; ++k) {
      auto tensor = read_tensor(arguments[k], true);
      if (!tensor) {
        return use(session, "an argument of reckon_call has an unknown type, an impossible shape, or no data");
      }
      tensors.push_back(std::move(*tensor));
    }
    auto result = session->session.call(circuit, tensors, call);
    if (!result) return refuse(session, result.messages());
    *values = new reckon_values{std::move(*result), {}};
    session->messages.set(session->session.notes());
    return RECKON_OK;
  });
}

reckon_status reckon_compile(reckon_session* session, const char* circuit, const reckon_compile_options* options,
                             const char** text, size_t* bytes) {
  return guarded(session, [&] {
    reckon_compile_options given;
    if (circuit == nullptr || !read_options(options, given)) {
      return use(session, "reckon_compile was given no circuit or no size of its options");
    }
    const auto emit = emit_named(text_of(given.emit, "ptx"));
    if (!emit) {
      session->messages.add_use("`" + text_of(given.emit) + "` is no stage of compilation");
      return RECKON_BAD_USE;
    }
    CompileOptions compile;
    compile.emit = *emit;
    compile.host = given.host != 0;
    if (given.semantics != nullptr) compile.semantics = given.semantics;
    if (given.arch != nullptr) compile.arch = given.arch;
    if (!read_definitions(given.definitions, compile.values, compile.formats, session->messages)) return RECKON_BAD_USE;
    auto result = session->session.compile(circuit, compile);
    if (!result) return refuse(session, result.messages());
    session->messages.set(session->session.notes());
    if (bytes != nullptr) *bytes = result->size();
    return give(session, std::move(*result), text);
  });
}

reckon_status reckon_tree(reckon_session* session, const char* schedule, int64_t n, const char** text) {
  return guarded(session, [&] {
    auto tree = session->session.tree_of_schedule(text_of(schedule), n);
    return tree ? give(session, std::move(*tree), text) : refuse(session, tree.messages());
  });
}

reckon_status reckon_circuit_tree(reckon_session* session, const char* circuit, int64_t n,
                                  const char* const* definitions, const char** text) {
  return guarded(session, [&] {
    std::map<std::string, std::int64_t> values;
    std::map<std::string, std::string> formats;
    if (!read_definitions(definitions, values, formats, session->messages)) return RECKON_BAD_USE;
    auto tree = session->session.tree(text_of(circuit), n, values, formats);
    return tree ? give(session, std::move(*tree), text) : refuse(session, tree.messages());
  });
}

namespace {

/// Nothing if they cannot be used; the session's messages then say why.
std::optional<DrawOptions> draw_options(const reckon_draw_options* options, Messages& messages) {
  reckon_draw_options given;
  if (!read_options(options, given)) {
    messages.add_use("a picture was asked for without the size of its options");
    return std::nullopt;
  }
  const auto form = picture_form_named(text_of(given.form, "text"));
  if (!form) {
    messages.add_use("`" + text_of(given.form) + "` is no form of pictures: text, svg or pdf");
    return std::nullopt;
  }
  DrawOptions draw;
  if (given.leaves > 0) draw.leaves = given.leaves;
  draw.form = *form;
  draw.caption = given.no_caption == 0;
  draw.as = text_of(given.as);
  draw.label = text_of(given.label);
  draw.shade = text_of(given.shade);
  if (given.tile_rank > 0) draw.tile.assign(given.tile, given.tile + given.tile_rank);
  if (given.element_bytes > 0) draw.element_bytes = given.element_bytes;
  return draw;
}

}  // namespace

reckon_status reckon_draw(reckon_session* session, const char* expression, const reckon_draw_options* options,
                          const char** text) {
  return guarded(session, [&] {
    const auto draw = draw_options(options, session->messages);
    if (!draw) return RECKON_BAD_USE;
    auto picture = session->session.draw(text_of(expression), *draw);
    return picture ? give(session, std::move(*picture), text) : refuse(session, picture.messages());
  });
}

reckon_status reckon_draw_circuit(reckon_session* session, const char* circuit, const reckon_draw_options* options,
                                  const char* const* definitions, const char** text) {
  return guarded(session, [&] {
    auto draw = draw_options(options, session->messages);
    if (!draw || !read_definitions(definitions, draw->values, draw->formats, session->messages)) return RECKON_BAD_USE;
    draw->circuit = true;
    auto picture = session->session.draw(text_of(circuit), *draw);
    return picture ? give(session, std::move(*picture), text) : refuse(session, picture.messages());
  });
}

namespace {

RevealOptions reveal_options(const reckon_reveal_options& given) {
  RevealOptions out;
  out.n = given.n;
  out.format = text_of(given.format);
  out.accumulator = text_of(given.accumulator);
  out.result = text_of(given.result);
  if (given.verify > 0) out.verify = given.verify;
  out.seed = given.seed;
  if (given.rank > 0) out.shape.assign(given.shape, given.shape + given.rank);
  if (given.second_rank > 0) out.second_shape.assign(given.second_shape, given.second_shape + given.second_rank);
  return out;
}

}  // namespace

reckon_status reckon_reveal(reckon_session* session, reckon_box box, void* user, const reckon_reveal_options* options,
                            const char** json) {
  return guarded(session, [&] {
    reckon_reveal_options given;
    if (box == nullptr || options == nullptr || !read_options(options, given)) {
      return use(session, "reckon_reveal was given no box or no options");
    }
    const RevealOptions reveal = reveal_options(given);
    FunctionBox function;
    function.products = given.products != 0;
    function.call = [box, user](std::span<const std::uint64_t> x,
                                std::span<const std::uint64_t> y) -> std::optional<std::uint64_t> {
      std::uint64_t sum = 0;
      const int failed = box(user, x.data(), y.empty() ? nullptr : y.data(), static_cast<std::int64_t>(x.size()), &sum);
      return failed == 0 ? std::optional(sum) : std::nullopt;
    };
    auto found = session->session.reveal(function, reveal);
    return found ? give(session, to_json(*found, reveal.n), json) : refuse(session, found.messages());
  });
}

reckon_status reckon_reveal_outputs(reckon_session* session, reckon_outputs_box box, void* user,
                                    const reckon_reveal_options* options, const char** json) {
  return guarded(session, [&] {
    reckon_reveal_options given;
    if (box == nullptr || options == nullptr || !read_options(options, given)) {
      return use(session, "reckon_reveal_outputs was given no box or no options");
    }
    const RevealOptions reveal = reveal_options(given);
    OutputsFunctionBox function;
    function.products = given.products != 0;
    function.call = [box, user, count = given.outputs](
                        std::span<const std::uint64_t> x,
                        std::span<const std::uint64_t> y) -> std::optional<std::vector<std::uint64_t>> {
      std::vector<std::uint64_t> sums(count);
      const int failed = box(user, x.data(), y.empty() ? nullptr : y.data(), sums.data());
      return failed == 0 ? std::optional(std::move(sums)) : std::nullopt;
    };
    auto found = session->session.reveal_outputs(function, reveal);
    return found ? give(session, to_json(*found, reveal), json) : refuse(session, found.messages());
  });
}
