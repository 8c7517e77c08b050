// The handles of the C interface, and what all of its functions share.
#pragma once

#include <cstring>
#include <new>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "api/reckon/c.h"
#include "api/reckon/prepared.h"
#include "api/reckon/reckon.h"
#include "api/reckon/render.h"

namespace reckon::capi {

/// The messages of the last call with a handle.
struct Messages {
  std::vector<Message> list;
  std::string text, json = "[]";

  void clear();
  void set(std::vector<Message> messages);
  /// A message about the call itself.
  void add_use(std::string sentence);
};

/// The gravest of the messages.
reckon_status status_of(const std::vector<Message>& messages);

/// Keeps a message for `handle`, which does not throw.
template <class Handle>
reckon_status report(Handle* handle, reckon_status status, const char* sentence) noexcept {
  try {
    handle->messages.add_use(sentence);
  } catch (...) {  // there is no memory for a message
  }
  return status;
}

/// Does work that gives a reckon_status, and lets no exception out.
template <class Handle, class Work>
reckon_status guarded(Handle* handle, Work&& work) noexcept {
  if (handle == nullptr) return RECKON_BAD_USE;
  try {
    handle->messages.clear();
    return work();
  } catch (const std::bad_alloc&) {
    return report(handle, RECKON_INTERNAL, "this needs more memory than there is");
  } catch (const std::exception& problem) {
    return report(handle, RECKON_INTERNAL, problem.what());
  } catch (...) {
    return report(handle, RECKON_INTERNAL, "an exception of an unknown kind");
  }
}

/// The caller's options, with zeros for members that its version of the header does not have. Nothing if the size is
/// that of no version.
template <class Options>
bool read_options(const Options* given, Options& out) {
  static_assert(std::is_trivially_copyable_v<Options>);
  std::memset(&out, 0, sizeof out);
  if (given == nullptr) return true;
  if (given->size <= sizeof given->size) return false;
  std::memcpy(&out, given, given->size < sizeof out ? given->size : sizeof out);
  return true;
}

inline std::string text_of(const char* text, const char* otherwise = "") { return text != nullptr ? text : otherwise; }

/// The caller's tensor, with its elements if they are read; nothing if its type is unknown, its shape is impossible, or it
/// has no data.
std::optional<Tensor> read_tensor(const reckon_tensor& tensor, bool elements);

/// Reads a list of definitions that ends with a NULL; false, with a message, if one is malformed.
bool read_definitions(const char* const* definitions, std::map<std::string, std::int64_t>& values,
                      std::map<std::string, std::string>& formats, Messages& messages);

}  // namespace reckon::capi

struct reckon_session {
  explicit reckon_session(reckon::SessionOptions options) : session(std::move(options)) {}
  reckon::Session session;
  reckon::capi::Messages messages;
  std::vector<std::string> loaded;  ///< circuits of the last program
  std::string text;                 ///< the last one that was given
};

struct reckon_values {
  std::vector<reckon::Shown> parts;
  std::string text;  ///< the last one that was given
};

struct reckon_program {
  std::variant<reckon::Prepared, reckon::PreparedHost> program;
  reckon::capi::Messages messages;
};
