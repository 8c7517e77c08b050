#include "runtime/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace reckon::runtime {

bool File::close() { return descriptor_ < 0 || ::close(std::exchange(descriptor_, -1)) == 0; }

bool File::read(void* to, std::size_t size) {
  auto* bytes = static_cast<char*>(to);
  while (size > 0) {
    errno = 0;
    const ssize_t count = ::read(descriptor_, bytes, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

bool File::write(const void* from, std::size_t size) {
  const auto* bytes = static_cast<const char*>(from);
  while (size > 0) {
    const ssize_t count = ::write(descriptor_, bytes, size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

namespace {

bool write_all(File& file, std::initializer_list<std::string_view> parts) {
  for (std::string_view part : parts) {
    if (!file.write(part.data(), part.size())) return false;
  }
  return true;
}

/// A file of a new name in a folder; its name is left in `name`.
int create_beside(const std::string& folder, std::string& name) {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    name = fmt::format("{}.reckon-{}-{}.tmp", folder, getpid(), attempt);
    const int descriptor = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

}  // namespace

std::string write_file(const std::string& path, std::initializer_list<std::string_view> parts) {
  std::string target = path;
  if (char* real = realpath(path.c_str(), nullptr)) {
    target = real;
    std::free(real);
  }
  struct stat status {};
  const bool exists = stat(target.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return "it is a folder";
  if (exists && !S_ISREG(status.st_mode)) {  // /dev/null must not become a regular file
    File file(open(target.c_str(), O_WRONLY | O_CLOEXEC));
    return file && write_all(file, parts) && file.close() ? std::string() : std::strerror(errno);
  }

  const std::size_t slash = target.rfind('/');
  std::string temporary;
  File file(create_beside(slash == std::string::npos ? "" : target.substr(0, slash + 1), temporary));
  if (!file) return std::strerror(errno);
  bool written = write_all(file, parts);
  if (written && exists) written = fchmod(file.descriptor(), status.st_mode & 07777) == 0;
  // Some file systems cannot synchronise; the renaming is still atomic there.
  if (written && fsync(file.descriptor()) != 0) written = errno == EINVAL || errno == ENOTSUP;
  if (!written || !file.close() || rename(temporary.c_str(), target.c_str()) != 0) {
    const int error = errno;
    unlink(temporary.c_str());
    return std::strerror(error);
  }
  return {};
}

}  // namespace reckon::runtime
