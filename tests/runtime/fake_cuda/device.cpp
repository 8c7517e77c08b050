#include "tests/runtime/fake_cuda/device.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace fake_cuda {

Device& device() {
  static Device the_device;
  return the_device;
}

void note(const std::string& line) {
  device().log += line + "\n";
  const char* path = std::getenv("FAKE_CUDA_LOG");
  if (path == nullptr) return;
  if (std::FILE* file = std::fopen(path, "a")) {
    std::fprintf(file, "%s\n", line.c_str());
    std::fclose(file);
  }
}

int count_parameters(const std::string& text, const std::string& kernel) {
  const std::size_t entry = text.find(".entry " + kernel + "(");
  if (entry == std::string::npos) return 0;
  const std::size_t end = text.find(')', entry);
  int found = 0;
  for (std::size_t at = text.find(".param", entry); at < end; at = text.find(".param", at + 1)) ++found;
  return found;
}

std::string argument_text(std::uint64_t value) {
  if (!holds(device().memory, value, 1)) return std::to_string(value);
  const std::uintptr_t begin = std::prev(device().memory.upper_bound(value))->first;
  auto& met = device().met;
  auto found = std::find(met.begin(), met.end(), begin);
  if (found == met.end()) found = met.insert(met.end(), begin);
  return "#" + std::to_string(found - met.begin()) + "+" + std::to_string(value - begin);
}

int call(const char* symbol, const std::string& detail) {
  Device& fake = device();
  const int number = ++fake.calls[symbol];
  note(symbol + (detail.empty() ? "" : " " + detail));
  if (fake.sticky != 0 && std::strncmp(symbol, "cuGetError", 10) != 0) return fake.sticky;
  const char* orders = std::getenv("FAKE_CUDA_FAIL");
  const std::string wanted = std::string(symbol) + ":" + std::to_string(number) + "=";
  for (std::string rest = orders != nullptr ? orders : ""; !rest.empty();) {
    const std::size_t end = rest.find(';');
    if (rest.compare(0, wanted.size(), wanted) == 0) {
      const int error = std::atoi(rest.c_str() + wanted.size());
      if (error >= 700) fake.sticky = error;
      return error;
    }
    rest = end == std::string::npos ? "" : rest.substr(end + 1);
  }
  return 0;
}

int make(const char* kind, Object** object, const std::string& text) {
  *object = new Object{text};
  device().live[*object] = kind;
  return 0;
}

int destroy(Object* object) {
  if (device().live.erase(object) == 0) return 400;  // CUDA_ERROR_INVALID_HANDLE
  delete object;
  return 0;
}

const char* error_name(int error) {
  switch (error) {
    case 0: return "CUDA_SUCCESS";
    case 2: return "CUDA_ERROR_OUT_OF_MEMORY";
    case 100: return "CUDA_ERROR_NO_DEVICE";
    case 218: return "CUDA_ERROR_INVALID_PTX";
    case 222: return "CUDA_ERROR_UNSUPPORTED_PTX_VERSION";
    case 500: return "CUDA_ERROR_NOT_FOUND";
    case 700: return "CUDA_ERROR_ILLEGAL_ADDRESS";
    default: return nullptr;
  }
}

Object& stream_of(Object* stream) { return stream != nullptr ? *stream : device().default_stream; }

std::string on(Object* stream) { return stream != nullptr ? " @" + std::to_string(stream->number) : ""; }

void queue(Object* stream, Work work) {
  Object& here = stream_of(stream);
  if (here.capturing) here.work.push_back(std::move(work));
  else here.queue.push_back(std::move(work));
}

int run_until(Object* stream, std::size_t place) {
  // A stream that was destroyed did all of its work before.
  if (stream != nullptr && !device().live.contains(stream)) return device().sticky;
  Object& here = stream_of(stream);
  while (here.begun < place && !here.queue.empty() && device().sticky == 0) {
    const Work work = std::move(here.queue.front());
    here.queue.pop_front();
    ++here.begun;
    work();
  }
  return device().sticky;
}

int run_all(Object* stream) { return run_until(stream, SIZE_MAX); }

bool holds(const std::map<std::uintptr_t, std::size_t>& memory, std::uintptr_t address, std::size_t bytes) {
  const auto after = memory.upper_bound(address);
  if (after == memory.begin()) return false;
  const auto& [begin, size] = *std::prev(after);
  return address + bytes <= begin + size;
}

void copy(bool to_device, std::uint64_t at, void* host, std::size_t bytes) {
  if (!holds(device().memory, at, bytes)) std::abort();
  if (!holds(device().pinned, reinterpret_cast<std::uintptr_t>(host), bytes)) std::abort();
  if (to_device) std::memcpy(reinterpret_cast<void*>(at), host, bytes);
  else std::memcpy(host, reinterpret_cast<void*>(at), bytes);
}

bool meaning(std::string name, char (&verb)[16], int& first, int& second) {
  if (name.starts_with("reckon_")) name = name.substr(7);
  return std::sscanf(name.c_str(), "%15[a-z]_%d_%d", verb, &first, &second) == 3;
}

void run_kernel(const std::string& name, const std::vector<std::uint64_t>& values) {
  char verb[16] = {};
  int first = 0, second = 0;
  if (!meaning(name, verb, first, second)) return;
  if (std::strcmp(verb, "trap") == 0) device().sticky = 700;
  const auto at = [&](int position) { return reinterpret_cast<void*>(values.at(static_cast<std::size_t>(position))); };
  // From there to the end of the memory that it is in.
  const auto size = [&](int position) {
    const std::uint64_t address = values.at(static_cast<std::size_t>(position));
    if (!holds(device().memory, address, 1)) std::abort();
    const auto& [begin, bytes] = *std::prev(device().memory.upper_bound(address));
    return static_cast<std::size_t>(begin + bytes - address);
  };
  if (std::strcmp(verb, "fill") == 0) std::memset(at(first), second, size(first));
  if (std::strcmp(verb, "copy") == 0) std::memcpy(at(second), at(first), std::min(size(first), size(second)));
  if (std::strcmp(verb, "store") == 0 && size(second) >= 8)
    std::memcpy(at(second), &values.at(static_cast<std::size_t>(first)), 8);
}

}  // namespace fake_cuda
