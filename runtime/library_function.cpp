#include "runtime/library_function.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cfenv>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <utility>

#include "diagnostics/codes/bad_library.h"
#include "runtime/elf_file.h"

namespace reckon::runtime {
namespace {

/// The floating-point environment as it was, whatever the code in between makes of it: libraries that were linked with
/// -ffast-math flush subnormals from their first moment on.
class KeptEnvironment {
 public:
  KeptEnvironment() { std::fegetenv(&before_); }
  KeptEnvironment(const KeptEnvironment&) = delete;
  KeptEnvironment& operator=(const KeptEnvironment&) = delete;
  ~KeptEnvironment() { std::fesetenv(&before_); }

 private:
  std::fenv_t before_{};
};

/// An open library and its function; the library is closed with it.
struct Symbol {
  Symbol(void* library_, void* address_) : library(library_), address(address_) {}
  Symbol(const Symbol&) = delete;
  Symbol& operator=(const Symbol&) = delete;
  ~Symbol() { dlclose(library); }

  void* library;
  void* address;
  std::mutex one_at_a_time;  ///< the function need not be safe to call from several threads
};

template <class T>
void call_each(void* address, const std::vector<const std::uint8_t*>& arguments, std::size_t count, std::uint8_t* out) {
  const auto value = [&](std::size_t k, std::size_t i) {
    T x;
    std::memcpy(&x, arguments[k] + i * sizeof(T), sizeof(T));
    return x;
  };
  for (std::size_t i = 0; i < count; ++i) {
    T result;
    switch (arguments.size()) {
      case 1: result = reinterpret_cast<T (*)(T)>(address)(value(0, i)); break;
      case 2: result = reinterpret_cast<T (*)(T, T)>(address)(value(0, i), value(1, i)); break;
      default: result = reinterpret_cast<T (*)(T, T, T)>(address)(value(0, i), value(1, i), value(2, i)); break;
    }
    std::memcpy(out + i * sizeof(T), &result, sizeof(T));
  }
}

void call(Symbol& symbol, ir::Scalar scalar, const std::vector<const std::uint8_t*>& arguments, std::size_t count,
          std::uint8_t* out) {
  const std::lock_guard lock(symbol.one_at_a_time);
  const KeptEnvironment kept;
  std::fesetenv(FE_DFL_ENV);
  switch (scalar) {
    case ir::Scalar::f64: return call_each<double>(symbol.address, arguments, count, out);
    case ir::Scalar::f32: return call_each<float>(symbol.address, arguments, count, out);
    default: return call_each<_Float16>(symbol.address, arguments, count, out);
  }
}

Diagnostic unusable(const std::string& path, SourceSpan place, const std::string& why) {
  return Diagnostic(code::bad_library, place, fmt::format("the library `{}` cannot be used: {}", path, why));
}

/// Why a file is no library for this machine, or nothing.
std::optional<Diagnostic> refused(const std::string& path, SourceSpan place, const std::optional<ElfFile>& file,
                                  const std::string& beginning) {
  if (!file) {
    Diagnostic out = unusable(path, place, "it is not a shared library");
    const bool archive = beginning.starts_with("!<arch>");
    const bool numbers = beginning.starts_with("\x93NUMPY");
    if (archive) out.helps.emplace_back("it is an archive (`.a`): link its objects with `-shared`");
    else if (numbers) out.helps.push_back(fmt::format("it is a NumPy file: `load(\"{}\")`", path));
    else out.helps.emplace_back("build one of your function: `cc -shared -fPIC -o libmine.so mine.c`");
    return out;
  }
  if (!file->this_machine) {
    return unusable(path, place, fmt::format("it is for another machine ({})", file->machine))
        .help("build it for the machine that `reckon` runs on");
  }
  if (file->is_library && file->whole) return std::nullopt;
  if (file->is_library) return unusable(path, place, "a part of the file is missing");
  return unusable(path, place, "it is an object file or a program, and no shared library")
      .help("link it as one: `cc -shared -fPIC -o libmine.so mine.c`");
}

/// What to do about a name that the library does not have.
std::string remedy(const std::vector<ElfFile::Symbol>& symbols, const std::string& wanted) {
  std::vector<std::string> names;
  const std::string mangled = fmt::format("_Z{}{}", wanted.size(), wanted);
  for (const ElfFile::Symbol& symbol : symbols) {
    if (!symbol.function) continue;
    if (symbol.name.starts_with(mangled)) {
      return fmt::format("it has `{}`, which is its C++ name: declare the function `extern \"C\"`", symbol.name);
    }
    names.push_back(symbol.name);
  }
  if (auto near = nearest_name(wanted, names)) return fmt::format("did you mean `{}`?", *near);
  if (names.empty()) return "it gives no functions to others: is this one `static`, or hidden?";
  if (names.size() > 6) return fmt::format("it has {} others; `nm -D` lists them", names.size());
  std::sort(names.begin(), names.end());
  return fmt::format("it has `{}`", fmt::join(names, "`, `"));
}

}  // namespace

Expected<std::shared_ptr<const ir::LibraryFunction>> find_function(const std::string& path, const std::string& symbol,
                                                                   SourceSpan place) {
  std::error_code error;
  std::string opened = path;
  std::optional<ElfFile> file;
  if (std::filesystem::exists(path, error)) {
    std::string beginning;
    if (std::filesystem::is_directory(path, error)) return unusable(path, place, "it is a folder");
    file = ElfFile::read(path, beginning);
    if (auto problem = refused(path, place, file, beginning)) return *problem;
    if (path.find('/') == std::string::npos) opened = "./" + path;
  } else if (path.empty() || path.find('/') != std::string::npos) {
    return unusable(path, place, "there is no such file");
  }

  const KeptEnvironment kept;
  void* library = dlopen(opened.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    if (!file) {
      return unusable(path, place, "there is no such file, and the system has no library of that name")
          .help("paths are relative to the folder that `reckon` is run in");
    }
    const char* reason = dlerror();
    return unusable(path, place, reason != nullptr ? reason : "the loader does not say why");
  }
  void* address = symbol.empty() ? nullptr : dlsym(library, symbol.c_str());
  auto held = std::make_shared<Symbol>(library, address);
  if (!file) {
    const link_map* map = nullptr;
    std::string beginning;
    if (dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 && map != nullptr) file = ElfFile::read(map->l_name, beginning);
  }
  const std::vector<ElfFile::Symbol> symbols = file ? file->symbols : std::vector<ElfFile::Symbol>{};
  // A name that is found only in a library that this one needs does not count.
  const auto own = std::find_if(symbols.begin(), symbols.end(), [&](const auto& each) { return each.name == symbol; });
  if (address == nullptr || (own == symbols.end() && !symbols.empty())) {
    return Diagnostic(code::bad_library, place, fmt::format("the library `{}` has no function `{}`", path, symbol))
        .help(remedy(symbols, symbol));
  }
  if (own != symbols.end() && !own->function) {
    return Diagnostic(code::bad_library, place,
                      fmt::format("`{}` of the library `{}` is data, and no function", symbol, path));
  }
  auto out = std::make_shared<ir::LibraryFunction>();
  out->path = path;
  out->symbol = symbol;
  out->call = [held](ir::Scalar scalar, const std::vector<const std::uint8_t*>& arguments, std::size_t count,
                     std::uint8_t* to) { call(*held, scalar, arguments, count, to); };
  return std::shared_ptr<const ir::LibraryFunction>(std::move(out));
}

}  // namespace reckon::runtime
