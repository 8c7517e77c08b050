#include "cli/lsp/connection.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>

namespace reckon::lsp {
namespace {

constexpr std::size_t longest_message = std::size_t{256} << 20;

}  // namespace

bool Connection::fill() {
  std::array<char, 1 << 16> bytes;
  ssize_t count = 0;
  do {
    count = ::read(input_, bytes.data(), bytes.size());
  } while (count < 0 && errno == EINTR);
  if (count <= 0) return false;
  buffer_.append(bytes.data(), static_cast<std::size_t>(count));
  return true;
}

std::optional<std::string> Connection::take_line() {
  std::size_t end = 0;
  while ((end = buffer_.find('\n')) == std::string::npos) {
    if (buffer_.size() > longest_message || !fill()) return std::nullopt;
  }
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

std::optional<Received> Connection::read() {
  constexpr std::string_view name = "content-length:";
  std::size_t length = 0;
  bool has_length = false;
  for (;;) {
    auto line = take_line();
    if (!line) return std::nullopt;
    if (line->empty()) break;
    std::string head = line->substr(0, name.size());
    for (char& c : head) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (head != name) continue;
    const std::size_t digits = std::min(line->find_first_not_of(" \t", name.size()), line->size());
    const auto read = std::from_chars(line->data() + digits, line->data() + line->size(), length);
    has_length = read.ec == std::errc() && read.ptr == line->data() + line->size();
  }
  if (!has_length || length > longest_message) return Received{nullptr, "a message has no Content-Length that can be read"};
  while (buffer_.size() < length) {
    if (!fill()) return std::nullopt;
  }
  Json message = Json::parse(buffer_.substr(0, length), nullptr, false);
  buffer_.erase(0, length);
  if (!message.is_object()) return Received{nullptr, "a message is no JSON object"};
  return Received{std::move(message), {}};
}

bool Connection::is_pending() const {
  if (!buffer_.empty()) return true;
  pollfd file{input_, POLLIN, 0};
  return ::poll(&file, 1, 0) > 0 && (file.revents & POLLIN) != 0;
}

void Connection::write(const Json& message) {
  const std::string text = message.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::string whole = fmt::format("Content-Length: {}\r\n\r\n{}", text.size(), text);
  for (std::size_t at = 0; at < whole.size();) {
    const ssize_t count = ::write(output_, whole.data() + at, whole.size() - at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;  // nobody reads; the end of the input follows
    at += static_cast<std::size_t>(count);
  }
}

}  // namespace reckon::lsp
