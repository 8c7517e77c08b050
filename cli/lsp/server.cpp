#include "cli/lsp/server.h"

#include <fmt/format.h>

#include <functional>
#include <map>

#include "cli/lsp/features.h"

namespace reckon::lsp {
namespace {

// Codes of errors (JSON-RPC 2.0, section 5.1, and the protocol's "ErrorCodes").
constexpr int parse_error = -32700, method_not_found = -32601, invalid_parameters = -32602, not_initialized = -32002,
              invalid_request = -32600, internal_failure = -32603, request_failed = -32803;

struct Failure {
  int code;
  std::string message;
};
struct Answer {
  explicit Answer(Json result) : value(std::move(result)) {}
  Answer(Failure failure) : failed(std::move(failure)) {}
  Json value;
  std::optional<Failure> failed;
};

class Server {
 public:
  Server(Connection& connection, const SessionOptions& options) : connection_(connection), workspace_(options) {
    const auto at_position = [this](auto feature) {
      return [this, feature](const Json& parameters) {
        return in_file(parameters, [&](OpenFile& file) -> Answer {
          return feature(file, file.document.at(parameters.at("position")), parameters);
        });
      };
    };
    requests_["textDocument/hover"] = at_position([this](OpenFile& file, auto at, const Json&) { return Answer(hover(workspace_, file, at)); });
    requests_["textDocument/completion"] =
        at_position([this](OpenFile& file, auto at, const Json&) { return Answer(completion(workspace_, file, at)); });
    requests_["textDocument/definition"] =
        at_position([this](OpenFile& file, auto at, const Json&) { return Answer(definition(workspace_, file, at)); });
    requests_["textDocument/documentHighlight"] =
        at_position([this](OpenFile& file, auto at, const Json&) { return Answer(highlights(workspace_, file, at)); });
    requests_["textDocument/references"] = at_position([this](OpenFile& file, auto at, const Json& parameters) {
      const bool with_definition = parameters.value("/context/includeDeclaration"_json_pointer, false);
      return Answer(references(workspace_, file, at, with_definition));
    });
    requests_["textDocument/prepareRename"] =
        at_position([this](OpenFile& file, auto at, const Json&) { return answer(prepare_rename(workspace_, file, at)); });
    requests_["textDocument/rename"] = at_position([this](OpenFile& file, auto at, const Json& parameters) {
      return answer(rename(workspace_, file, at, parameters.at("newName")));
    });
    requests_["textDocument/documentSymbol"] = [this](const Json& parameters) {
      return in_file(parameters, [&](OpenFile& file) { return Answer(symbols(workspace_, file)); });
    };
    requests_["textDocument/formatting"] = [this](const Json& parameters) {
      return in_file(parameters, [&](OpenFile& file) { return Answer(formatting(file)); });
    };
    requests_["textDocument/codeAction"] = [this](const Json& parameters) {
      return in_file(parameters, [&](OpenFile& file) { return Answer(code_actions(workspace_, file, parameters.at("range"))); });
    };
    requests_["shutdown"] = [this](const Json&) {
      shut_down_ = true;
      return Answer(Json(nullptr));
    };
    notifications_["textDocument/didOpen"] = [this](const Json& parameters) {
      const Json& item = parameters.at("textDocument");
      workspace_.open(item.at("uri"), item.at("text"), item.value("version", std::int64_t{0}));
    };
    notifications_["textDocument/didChange"] = [this](const Json& parameters) { change(parameters); };
    notifications_["textDocument/didClose"] = [this](const Json& parameters) { close(parameters); };
    // Files that import the one that was saved are read again.
    notifications_["textDocument/didSave"] = [this](const Json&) { workspace_.saved(); };
  }

  int run() {
    while (auto message = connection_.read()) {
      if (!message->problem.empty()) {
        fail(nullptr, {parse_error, message->problem});
        continue;
      }
      if (message->message.value("method", "") == "exit") return shut_down_ ? 0 : 1;
      take(message->message);
      // Whatever has arrived is taken first: a fast typist's texts are not all worth reading.
      if (!connection_.is_pending()) publish();
    }
    return 1;
  }

 private:
  static Answer answer(Reply reply) {
    if (!reply.problem.empty()) return Failure{request_failed, std::move(reply.problem)};
    return Answer(std::move(reply.value));
  }

  Answer in_file(const Json& parameters, const std::function<Answer(OpenFile&)>& feature) {
    const std::string uri = parameters.at("textDocument").at("uri");
    OpenFile* file = workspace_.find(uri);
    if (file == nullptr) return Failure{invalid_parameters, fmt::format("{} is not open", uri)};
    return feature(*file);
  }

  void take(const Json& message) {
    const std::string method = message.value("method", "");
    const bool is_request = message.contains("id");
    if (method.empty()) return;  // an answer to a request of ours; there are none
    const Json parameters = message.value("params", Json::object());
    const Json id = is_request ? message["id"] : Json(nullptr);
    try {
      if (!is_request) {
        const auto found = notifications_.find(method);
        if (initialized_ && found != notifications_.end()) found->second(parameters);
        return;
      }
      const Answer result = answer_to(method, parameters);
      if (result.failed) return fail(id, *result.failed);
      connection_.write({{"jsonrpc", "2.0"}, {"id", id}, {"result", result.value}});
    } catch (const Json::exception& problem) {
      if (is_request) fail(id, {invalid_parameters, problem.what()});
    } catch (const std::exception& problem) {
      if (is_request) fail(id, {internal_failure, problem.what()});
    }
  }

  Answer answer_to(const std::string& method, const Json& parameters) {
    if (method == "initialize") return Answer(initialize(parameters));
    if (!initialized_) return Failure{not_initialized, "the first request is `initialize`"};
    if (shut_down_) return Failure{invalid_request, "after `shutdown` only `exit` follows"};
    const auto found = requests_.find(method);
    if (found == requests_.end()) return Failure{method_not_found, fmt::format("there is no method `{}`", method)};
    return found->second(parameters);
  }

  Json initialize(const Json& parameters) {
    initialized_ = true;
    std::string encoding = "utf-16";
    for (const Json& offered : parameters.value("/capabilities/general/positionEncodings"_json_pointer, Json::array())) {
      // Ours are code points, and so that is what costs nothing.
      if (offered == "utf-32") encoding = "utf-32";
    }
    workspace_.encoding = encoding == "utf-32" ? Encoding::utf32 : Encoding::utf16;
    constexpr int incremental = 2;
    return {{"capabilities",
             {{"positionEncoding", encoding},
              {"textDocumentSync", {{"openClose", true}, {"change", incremental}, {"save", {{"includeText", false}}}}},
              {"hoverProvider", true},
              {"completionProvider", Json::object()},
              {"definitionProvider", true},
              {"referencesProvider", true},
              {"documentHighlightProvider", true},
              {"documentSymbolProvider", true},
              {"renameProvider", {{"prepareProvider", true}}},
              {"documentFormattingProvider", true},
              {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}}}},
            {"serverInfo", {{"name", "reckon"}, {"version", Session::version()}}}};
  }

  void change(const Json& parameters) {
    const Json& item = parameters.at("textDocument");
    OpenFile* file = workspace_.find(item.at("uri"));
    if (file == nullptr) return;
    for (const Json& each : parameters.at("contentChanges")) file->document.change(each);
    file->version = item.value("version", file->version + 1);
    workspace_.changed(*file);
  }

  void close(const Json& parameters) {
    const std::string uri = parameters.at("textDocument").at("uri");
    workspace_.close(uri);
    notify("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", Json::array()}});
  }

  void publish() {
    for (OpenFile* file : workspace_.all()) {
      if (file->published) continue;
      notify("textDocument/publishDiagnostics", diagnostics(workspace_, *file));
      file->published = true;
    }
  }

  void notify(const std::string& method, const Json& parameters) {
    connection_.write({{"jsonrpc", "2.0"}, {"method", method}, {"params", parameters}});
  }
  void fail(const Json& id, const Failure& failure) {
    connection_.write({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", failure.code}, {"message", failure.message}}}});
  }

  Connection& connection_;
  Workspace workspace_;
  bool initialized_ = false, shut_down_ = false;
  std::map<std::string, std::function<Answer(const Json&)>> requests_;
  std::map<std::string, std::function<void(const Json&)>> notifications_;
};

}  // namespace

int serve(Connection& connection, const SessionOptions& options) { return Server(connection, options).run(); }

}  // namespace reckon::lsp
