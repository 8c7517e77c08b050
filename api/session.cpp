#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "api/implementation.h"
#include "api/program_run.h"
#include "api/ptx_circuit.h"
#include "api/reference_page.h"
#include "diagnostics/codes/unknown_name.h"
#include "fpcore/program.h"
#include "frontend/parse.h"
#include "runtime/file.h"
#include "runtime/kernel_folder.h"
#include "runtime/library_function.h"
#include "runtime/npy.h"
#include "semantics/standard.h"

namespace reckon {
namespace {

constexpr std::uintmax_t largest_source = 64u << 20;

}  // namespace

std::string Session::write_file(const std::string& path, const std::string& bytes) {
  return runtime::write_file(path, {bytes});
}

std::optional<std::string> Session::read_text(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return std::nullopt;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::nullopt;
  // Reads a little more than is allowed, so that a file that is too large is recognised.
  std::string text, chunk(1 << 16, '\0');
  while (text.size() <= largest_source && stream) {
    stream.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    text.append(chunk, 0, static_cast<std::size_t>(stream.gcount()));
  }
  return text;
}

namespace {

/// The files that this code may be in: libreckon.so, or the program.
std::vector<std::filesystem::path> own_files() {
  std::vector<std::filesystem::path> out;
  std::error_code error;
  Dl_info object{};
  if (dladdr(reinterpret_cast<const void*>(&own_files), &object) != 0 && object.dli_fname != nullptr) {
    const auto path = std::filesystem::canonical(object.dli_fname, error);
    if (!error) out.push_back(path);
  }
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) out.push_back(program);
  return out;
}

std::vector<std::string> library_folders(const SessionOptions& options) {
  if (!options.library_folders.empty()) return options.library_folders;
  if (const char* folder = std::getenv("RECKON_STDLIB")) return {folder};
  // Installed with the program or library, else where it was built from.
  std::error_code error;
  for (const std::filesystem::path& file : own_files()) {
    std::filesystem::path folder = file.parent_path();
    if (std::filesystem::is_directory(folder / "stdlib", error)) return {(folder / "stdlib").string()};
    // PREFIX/bin, PREFIX/lib, or PREFIX/lib/x86_64-linux-gnu.
    for (int up = 0; up < 2; ++up) {
      folder = folder.parent_path();
      const auto installed = folder / "share" / "reckon" / "stdlib";
      if (std::filesystem::is_directory(installed, error)) return {installed.string()};
    }
  }
  return {RECKON_STDLIB_FOLDER};
}

frontend::Files files(const SessionOptions& options) {
  frontend::Files out;
  out.read_source = Session::read_text;
  out.read_tensor = runtime::read_npy;
  out.find_function = runtime::find_function;
  out.list_sources = [](const std::string& folder) {
    std::vector<std::string> paths;
    std::error_code error;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, error)) {
      if (entry.path().extension() == ".rk") paths.push_back(entry.path().string());
    }
    std::sort(paths.begin(), paths.end());
    return paths;
  };
  out.library_folders = library_folders(options);
  return out;
}

/// Files, of which some are tensors that the caller has named.
frontend::Files with_named_tensors(frontend::Files files, const std::map<std::string, ir::HostTensor>& tensors) {
  files.read_tensor = [read = files.read_tensor, &tensors](const std::string& path,
                                                           SourceSpan place) -> Expected<ir::HostTensor> {
    const auto named = tensors.find(path);
    return named != tensors.end() ? Expected<ir::HostTensor>(named->second) : read(path, place);
  };
  return files;
}

frontend::BackEnd back_end(const SourceMap& sources, std::vector<Diagnostic>& notes) {
  return {.takes_profile = interp::takes_profile,
          .asks_for_algebra = [](std::string_view semantics) { return semantics == interp::algebra_question; },
          .refused_clause = codegen::refused_clause,
          .form_of = form_of,
          .circuit_of_ptx = [&](const auto& calls) { return circuit_of_ptx(calls, sources, notes); }};
}

}  // namespace

Session::Implementation::Implementation(SessionOptions session_options)
    : options(std::move(session_options)),
      library(library_folders(options)),
      session(sources, with_named_tensors(files(options), tensors), back_end(sources, notes)) {
  session.set_entry_format(number_format);
  if (options.explain_rounding) session.keep_literal_places();
  if (!options.kernel_folder.empty()) kernels = std::make_unique<runtime::KernelFolder>(options.kernel_folder);
}

std::vector<Message> Session::Implementation::unknown_values(std::uint32_t file,
                                                           const std::vector<frontend::ElaboratedItem>& items) {
  std::vector<Message> out;
  if (!options.known_values_only || options.values.empty()) return out;
  std::vector<std::string> known = session.sizes(file);
  for (const frontend::ElaboratedItem& item : items) {
    for (const std::optional<ir::Function>& side : {item.left, item.right}) {
      if (!side) continue;
      for (ir::SymbolId dimension : side->dimensions) known.emplace_back(session.module().name(dimension));
    }
  }
  for (const auto& [name, value] : options.values) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    Diagnostic problem = bad_argument(fmt::format("-D {}={}: no circuit or check of this program has a size `{}`", name,
                                                  value, name));
    if (const auto near = nearest_name(name, known)) {
      problem.helps.push_back(fmt::format("did you mean `{}`?", *near));
    } else {
      std::sort(known.begin(), known.end());
      known.erase(std::unique(known.begin(), known.end()), known.end());
      problem.helps.push_back(known.empty() ? std::string("it has none at all")
                                            : fmt::format("it has `{}`", fmt::join(known, "`, `")));
    }
    out.push_back(messages(problem).front());
    out.back().status = 2;  // it is not a mistake of the program
  }
  return out;
}

Session::Session(SessionOptions options) : implementation_(std::make_shared<Implementation>(std::move(options))) {}
namespace {

/// The program that FPCores are, in the place of their file.
std::optional<Diagnostic> become_program(Session::Implementation& self, std::uint32_t& file, const std::string& path) {
  if (!path.ends_with(".fpcore")) return std::nullopt;
  const auto program = fpcore::program_of(self.sources, file);
  if (!program) return program.error();
  file = self.sources.add(path + ", as a program", *program);
  self.programs.insert(file);
  return std::nullopt;
}

}  // namespace

Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

Result<std::vector<std::string>> Session::load(const std::string& text, const std::string& path) {
  Result<std::vector<std::string>> out = std::vector<std::string>{};
  with_large_stack([&] {
    Implementation& self = *implementation_;
    std::uint32_t file = self.sources.add(path, text);
    self.programs.insert(file);
    if (auto problem = become_program(self, file, path)) {
      out = self.messages(*problem);
      return;
    }
    auto outcome = self.session.add(file, path, frontend::ParseAs::program);
    if (!outcome.diagnostics.empty()) {
      out = self.messages(outcome.diagnostics);
      return;
    }
    out = self.session.circuits(file);
    self.redefined(*out);
  });
  return out;
}

void Session::run(const std::string& text, const std::string& path, const std::function<void(const Event&)>& sink) {
  implementation_->interrupted = false;
  with_large_stack([&] {
    Implementation& self = *implementation_;
    std::uint32_t file = self.sources.add(path, text);
    self.programs.insert(file);
    if (auto problem = become_program(self, file, path)) return sink(self.messages(*problem));
    auto outcome = self.session.add(file, path, frontend::ParseAs::program);
    // A program with mistakes is not run in part.
    std::vector<Message> failures = self.messages(outcome.diagnostics);
    if (failures.empty()) {
      self.redefined(self.session.circuits(file));
      failures = self.unknown_values(file, outcome.items);
    }
    ProgramRun run(self);
    if (failures = run.begin(std::move(failures)); !failures.empty()) {
      sink(std::move(failures));
      return;
    }
    self.about_to_run(outcome.items);
    for (const auto& item : outcome.items) {
      const auto event = run.carry_out(item);
      if (!event) continue;
      if (!self.notes.empty()) sink(self.take_notes());
      sink(*event);
      if (self.interrupted) break;
    }
    if (auto problems = run.finish(); !problems.empty()) sink(std::move(problems));
  });
}

std::vector<Message> Session::use_library() {
  std::vector<Message> out;
  with_large_stack([&] { out = implementation_->messages(implementation_->session.import_library()); });
  return out;
}

namespace {

/// What is carried out meanwhile was entered.
class EntryGuard {
 public:
  explicit EntryGuard(Session::Implementation& self) : self_(self) { self_.in_entry = true; }
  EntryGuard(const EntryGuard&) = delete;
  ~EntryGuard() { self_.in_entry = false; }

 private:
  Session::Implementation& self_;
};

}  // namespace

Result<std::vector<Shown>> Session::evaluate(const std::string& expression, const std::string& name,
                                             std::uint32_t first_line) {
  Result<std::vector<Shown>> out = std::vector<Shown>{};
  implementation_->interrupted = false;
  with_large_stack([&] {
    Implementation& self = *implementation_;
    const EntryGuard entered(self);
    const std::uint32_t file = self.sources.add(name, expression, first_line);
    auto outcome = self.session.add(file, "", frontend::ParseAs::expression);
    if (!outcome.diagnostics.empty()) {
      out = self.messages(outcome.diagnostics);
      return;
    }
    out = self.show_lone(outcome);
  });
  return out;
}

Result<std::vector<Shown>> Session::Implementation::show_lone(const frontend::Session::Outcome& outcome) {
  Result<std::vector<Shown>> out = std::vector<Shown>{};
  about_to_run(outcome.items);
  for (const auto& item : outcome.items) {
    current = item.span;
    auto values = show(item);
    out = values ? Result<std::vector<Shown>>(std::move(*values)) : messages(values.error());
  }
  return out;
}

Session::Entry Session::enter(const std::string& text) {
  Entry out;
  implementation_->interrupted = false;
  with_large_stack([&] {
    Implementation& self = *implementation_;
    const EntryGuard entered(self);
    const std::uint32_t file = self.sources.add(fmt::format("line {}", ++self.entries), text);
    auto outcome = self.session.add(file, "", frontend::ParseAs::entry);
    out.incomplete = outcome.incomplete;
    if (out.incomplete) return;
    self.redefined(self.session.circuits(file));
    const bool sound = outcome.diagnostics.empty();
    const auto lone = outcome.lone;
    out.events = self.carry_out(std::move(outcome));
    const bool has_value = !out.events.empty() && std::holds_alternative<std::vector<Shown>>(out.events.back());
    if (sound && has_value && lone) self.session.remember("ans", *lone);
  });
  return out;
}

bool Session::incomplete(const std::string& text) {
  SourceMap sources;
  const std::uint32_t file = sources.add("entry", text);
  bool out = false;
  with_large_stack([&] { out = frontend::parse(sources, file, frontend::ParseAs::entry).incomplete; });
  return out;
}

std::vector<Message> Session::notes() { return implementation_->take_notes(); }

std::vector<std::string> Session::names() const { return implementation_->session.names(); }

std::optional<std::string> Session::describe(const std::string& name) {
  std::optional<std::string> out;
  with_large_stack([&] { out = implementation_->session.describe(name); });
  return out;
}

void Session::interrupt() noexcept { implementation_->interrupted.store(true, std::memory_order_relaxed); }

void Session::set_semantics(const std::string& semantics) { implementation_->options.semantics = semantics; }

std::vector<Message> Session::check_semantics(const std::string& semantics) const {
  auto made = implementation_->semantics(semantics, {});
  if (made) return {};
  // A profile that is not known yet may be defined by the program that comes next.
  if (made.error().code == code::unknown_name) return {};
  return implementation_->messages(made.error());
}

std::string usual_semantics() { return std::string(interp::usual_semantics); }

std::vector<std::string> Session::semantics_names() { return interp::semantics_names(); }

std::vector<std::string> Session::keywords() {
  std::vector<std::string> out = frontend::keywords();
  out.insert(out.end(), frontend::kernel_clauses().begin(), frontend::kernel_clauses().end());
  return out;
}
std::optional<std::string> Session::nearest(const std::string& misspelt, const std::vector<std::string>& words) {
  return nearest_name(misspelt, words);
}
std::string Session::version() { return RECKON_VERSION; }

Result<Tensor> Session::read_npy(const std::string& path) {
  auto tensor = runtime::read_npy(path, {});
  if (!tensor) return implementation_->messages(tensor.error());
  return public_tensor(*tensor);
}

std::vector<Message> Session::write_npy(const std::string& path, const Tensor& tensor) {
  auto host = host_tensor(tensor);
  if (!host) return implementation_->messages(host.error());
  auto failure = runtime::write_npy(path, *host, {});
  return failure ? implementation_->messages(*failure) : std::vector<Message>{};
}

}  // namespace reckon
