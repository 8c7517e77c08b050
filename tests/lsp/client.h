// An editor: it talks to a server that runs in another thread, through two pipes.
#pragma once

#include <catch2/catch.hpp>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include "cli/lsp/connection.h"

namespace reckon::test {

using lsp::Json;

class Client {
 public:
  /// Starts the server; with `capabilities`, sends `initialize` as well.
  explicit Client(const Json& capabilities = Json::object(), bool initialize = true);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// The answer's result; fails if it is an error.
  Json request(const std::string& method, const Json& parameters = Json::object());
  /// The whole answer.
  Json answer(const std::string& method, const Json& parameters = Json::object());
  void notify(const std::string& method, const Json& parameters = Json::object());
  /// Sends bytes as they are, and gives the next message of the server.
  Json raw(const std::string& bytes);

  /// Opens a text and gives its diagnostics.
  std::vector<Json> open(const std::string& uri, const std::string& text);
  /// Replaces the text, and gives its diagnostics.
  std::vector<Json> replace(const std::string& text);
  /// The diagnostics that come next.
  std::vector<Json> diagnostics();

  /// Parameters for the place of the `occurrence`th `words` of the text that was opened last, `after` characters further.
  Json at(const std::string& words, int occurrence = 1, int after = 0) const;
  Json document() const { return {{"textDocument", {{"uri", uri_}}}}; }
  /// The words of the text in a range.
  std::string words(const Json& range) const;

  /// Says `exit`, after a `shutdown` if that is asked for; the server's status.
  int leave(bool shut_down = true);

 private:
  Json next();
  /// The next answer; notifications before it are kept.
  Json next_answer();

  std::array<int, 2> to_server_{}, to_client_{};
  std::thread server_;
  lsp::Connection connection_;
  int status_ = -1, last_id_ = 0;
  std::vector<Json> kept_;
  std::string uri_, text_;
};

}  // namespace reckon::test
