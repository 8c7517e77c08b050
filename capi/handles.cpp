#include "capi/handles.h"

#include <nlohmann/json.hpp>

namespace reckon::capi {
namespace {

/// A message about a call that is wrong itself.
Message use_message(std::string sentence) {
  Message out;
  out.status = RECKON_BAD_USE;
  out.text = out.colored = "reckon: " + sentence + "\n";
  const nlohmann::ordered_json json{{"kind", "error"}, {"message", sentence}};
  out.json = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  out.message = std::move(sentence);
  return out;
}

}  // namespace

void Messages::clear() {
  list.clear();
  text.clear();
  json = "[]";
}

void Messages::set(std::vector<Message> messages) {
  list = std::move(messages);
  text.clear();
  for (const Message& message : list) text += message.text;
  json = to_json(list);
}

void Messages::add_use(std::string sentence) { set({use_message(std::move(sentence))}); }

reckon_status status_of(const std::vector<Message>& messages) {
  return static_cast<reckon_status>(reckon::status_of(Event(messages)));
}

std::optional<Tensor> read_tensor(const reckon_tensor& tensor, bool elements) {
  Tensor out;
  out.type = text_of(tensor.type);
  if (tensor.rank > 0 && tensor.shape == nullptr) return std::nullopt;
  if (tensor.rank > 0) out.shape.assign(tensor.shape, tensor.shape + tensor.rank);
  const auto bytes = tensor_bytes(out.type, out.shape);
  if (!bytes || (elements && *bytes > 0 && tensor.data == nullptr)) return std::nullopt;
  if (!elements || *bytes == 0) return out;
  out.bytes.resize(*bytes);
  std::memcpy(out.bytes.data(), tensor.data, *bytes);
  return out;
}

bool read_definitions(const char* const* definitions, std::map<std::string, std::int64_t>& values,
                      std::map<std::string, std::string>& formats, Messages& messages) {
  for (; definitions != nullptr && *definitions != nullptr; ++definitions) {
    if (read_definition(*definitions, values, formats)) continue;
    messages.add_use("the definition `" + std::string(*definitions) + "` is neither NAME=INT nor NAME=FORMAT");
    return false;
  }
  return true;
}

}  // namespace reckon::capi
