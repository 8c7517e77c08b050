#include "tests/lsp/client.h"

#include <unistd.h>

#include <algorithm>

#include "cli/lsp/server.h"

namespace reckon::test {
namespace {

std::array<int, 2> new_pipe() {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  return ends;
}

}  // namespace

Client::Client(const Json& capabilities, bool initialize)
    : to_server_(new_pipe()), to_client_(new_pipe()), connection_(to_client_[0], to_server_[1]) {
  server_ = std::thread([this] {
    lsp::Connection connection(to_server_[0], to_client_[1]);
    status_ = lsp::serve(connection, SessionOptions());
  });
  if (initialize) {
    request("initialize", {{"capabilities", capabilities}});
    notify("initialized");
  }
}

Client::~Client() {
  close(to_server_[1]);
  if (server_.joinable()) server_.join();
  for (const int end : {to_server_[0], to_client_[0], to_client_[1]}) close(end);
}

Json Client::next() {
  auto received = connection_.read();
  REQUIRE(received);
  INFO(received->problem);
  REQUIRE(received->problem.empty());
  return std::move(received->message);
}

Json Client::next_answer() {
  for (;;) {
    Json message = next();
    if (message.contains("id")) return message;
    kept_.push_back(std::move(message));
  }
}

Json Client::answer(const std::string& method, const Json& parameters) {
  connection_.write({{"jsonrpc", "2.0"}, {"id", ++last_id_}, {"method", method}, {"params", parameters}});
  Json message = next_answer();
  CHECK(message["id"] == last_id_);
  return message;
}

Json Client::request(const std::string& method, const Json& parameters) {
  Json message = answer(method, parameters);
  INFO(message.dump());
  REQUIRE(message.contains("result"));
  return message["result"];
}

void Client::notify(const std::string& method, const Json& parameters) {
  connection_.write({{"jsonrpc", "2.0"}, {"method", method}, {"params", parameters}});
}

Json Client::raw(const std::string& bytes) {
  REQUIRE(::write(to_server_[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  return next_answer();
}

std::vector<Json> Client::open(const std::string& uri, const std::string& text) {
  uri_ = uri;
  text_ = text;
  notify("textDocument/didOpen", {{"textDocument", {{"uri", uri}, {"languageId", "reckon"}, {"version", 1}, {"text", text}}}});
  return diagnostics();
}

std::vector<Json> Client::replace(const std::string& text) {
  text_ = text;
  notify("textDocument/didChange", {{"textDocument", {{"uri", uri_}, {"version", 2}}}, {"contentChanges", {{{"text", text}}}}});
  return diagnostics();
}

std::vector<Json> Client::diagnostics() {
  Json message;
  if (kept_.empty()) {
    message = next();
  } else {
    message = std::move(kept_.front());
    kept_.erase(kept_.begin());
  }
  CHECK(message["method"] == "textDocument/publishDiagnostics");
  return message["params"]["diagnostics"];
}

Json Client::at(const std::string& words, int occurrence, int after) const {
  std::size_t found = text_.find(words);
  for (; occurrence > 1 && found != std::string::npos; --occurrence) found = text_.find(words, found + 1);
  INFO(words);
  REQUIRE(found != std::string::npos);
  found += static_cast<std::size_t>(after);
  const auto before = text_.substr(0, found);
  Json out = document();
  out["position"] = {{"line", std::count(before.begin(), before.end(), '\n')},
                     {"character", found - (before.rfind('\n') + 1)}};
  return out;
}

std::string Client::words(const Json& range) const {
  const auto offset = [&](const Json& position) {
    std::size_t at = 0;
    for (int line = position["line"]; line > 0; --line) at = text_.find('\n', at) + 1;
    return at + position["character"].get<std::size_t>();
  };
  return text_.substr(offset(range["start"]), offset(range["end"]) - offset(range["start"]));
}

int Client::leave(bool shut_down) {
  if (shut_down) request("shutdown");
  notify("exit");
  server_.join();
  return status_;
}

}  // namespace reckon::test
