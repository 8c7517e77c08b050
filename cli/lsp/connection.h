// Messages of the Language Server Protocol over two files: a header with the length, then JSON (specification 3.17,
// "Base Protocol").
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace reckon::lsp {

using Json = nlohmann::ordered_json;

struct Received {
  Json message;
  std::string problem;  ///< a sentence, if what arrived is no message
};

class Connection {
 public:
  /// Reads and writes open file descriptors, which stay the caller's.
  Connection(int input, int output) : input_(input), output_(output) {}

  /// What arrived next; nothing at the end of the input.
  std::optional<Received> read();
  /// Whether more has arrived already.
  bool is_pending() const;
  void write(const Json& message);

 private:
  bool fill();
  std::optional<std::string> take_line();

  int input_, output_;
  std::string buffer_;  ///< what has arrived and was not read
};

}  // namespace reckon::lsp
