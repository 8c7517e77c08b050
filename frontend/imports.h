// Imports of files and of the standard library.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "frontend/environment.h"

namespace reckon::frontend {

class Elaborator;

/// Parses a text as a program that the elaborator has besides its own, and gives its definitions; mistakes are
/// reported. `path` is what messages call it.
std::shared_ptr<Environment> declare_program(Elaborator& elaborator, const std::string& path, std::string text);

/// The files that were imported, each of which is read at most once.
class Imports {
 public:
  explicit Imports(Elaborator& elaborator) : elaborator_(elaborator) {}

  /// Brings the definitions of the file that the item imports into scope. `path` is the importing file's.
  void add(const Item& item, const std::string& path, Environment& into);
  /// Every definition of the standard library; diagnostics are reported.
  Environment library_names();
  /// Brings these into scope, under any definitions that exist.
  std::vector<Diagnostic> import_library();

 private:
  /// The definitions of a file, read and parsed at most once.
  std::shared_ptr<Environment> import_file(const std::string& path, SourceSpan place);
  std::optional<std::string> find_import(const std::string& name, const std::string& from) const;

  Elaborator& elaborator_;
  std::map<std::string, std::shared_ptr<Environment>> imported_;  ///< by path; none while a file is being read
};

}  // namespace reckon::frontend
