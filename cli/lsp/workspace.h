// The open files, and what is known of each: its mistakes, its names, and a session in which it was read.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/reckon/source.h"
#include "cli/lsp/analysis.h"
#include "cli/lsp/text_document.h"

namespace reckon::lsp {

struct OpenFile {
  std::string uri, path;
  TextDocument document;
  std::int64_t version = 0;
  std::shared_ptr<Analysis> analysis;
  bool current = false;    ///< the analysis is of this text
  bool published = false;  ///< its messages were sent
};

/// What a name at a position stands for.
struct Target {
  std::string name;
  std::string path;                       ///< of the file with the definition; empty: the language defines it
  std::optional<std::size_t> definition;  ///< among those of the file's outline
  SourcePlace at;                         ///< where the name stands that was asked about
};

/// A file in which a name is used, and where.
struct Occurrences {
  std::string uri;
  const TextDocument* document = nullptr;
  std::vector<SourcePlace> places;
};

class Workspace {
 public:
  explicit Workspace(SessionOptions options) : options_(std::move(options)) {}

  Encoding encoding = Encoding::utf16;

  OpenFile& open(const std::string& uri, std::string text, std::int64_t version);
  void close(const std::string& uri) { files_.erase(uri); }
  OpenFile* find(const std::string& uri);
  std::vector<OpenFile*> all();
  /// A file's text has changed.
  void changed(OpenFile& file);
  /// A file was saved: those that may import it are read again.
  void saved();

  /// Reads the text if that was not done yet.
  Analysis& analysis(OpenFile& file);

  std::optional<Target> target(OpenFile& file, TextDocument::At at);
  /// The definition's place, in the file that has it.
  std::optional<Occurrences> definition(const Target& target);
  /// In the file of the definition and in open files; the place of the definition comes first where it is asked for.
  std::vector<Occurrences> occurrences(const Target& target, bool with_definition);

 private:
  /// The file of the path: an open one, else one that is read from the disk.
  OpenFile* file_at(const std::string& path);

  OpenFile new_file(const std::string& uri, std::string text, std::int64_t version) const;

  SessionOptions options_;
  std::map<std::string, OpenFile> files_;   ///< by address
  std::map<std::string, OpenFile> on_disk_; ///< by path: files that were looked into and are not open
};

}  // namespace reckon::lsp
