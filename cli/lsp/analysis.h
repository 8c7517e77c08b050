// What is known of a version of a text, and how the next version's is found from it.
//
// The text is cut into parts (parts.h). A part's messages and names are kept as long as neither it nor anything that it depends
// on changes. What a change touches is read again in a text of the same lines in which the other parts are blank, so that
// messages have their places without further ado.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/reckon/source.h"
#include "cli/lsp/connection.h"

namespace reckon::lsp {

/// Whether an item of the file defines the name, and no part of one.
inline bool is_global(const SourceDefinition& definition) { return definition.scope.line == 0; }

class Analysis {
 public:
  Analysis(SessionOptions options, std::string path) : options_(std::move(options)), path_(std::move(path)) {}

  /// Takes the text as it is now.
  void update(const std::string& text);
  /// Reads everything again at the next `update`: a file that is imported may be another one.
  void forget() {
    parts_.clear();
    has_all_ = false;
  }

  /// The messages about the text, in the order of their lines, as `Message::json` has them.
  std::vector<Json> messages() const;
  /// All names of the text.
  const SourceOutline& outline();
  /// A session with the definition of the name, and with all that is imported.
  Session& session_with(const std::string& name);

 private:
  struct Part {
    std::uint64_t number = 0;  ///< stays the part's while its text does
    std::uint32_t first_line = 0, lines = 0;
    std::string text;
    std::vector<Json> messages;  ///< lines count from the part's first line
    std::optional<SourceOutline> outline;  ///< likewise
  };
  using Parts = std::set<std::size_t>;

  const SourceOutline& outline_of(Part& part);
  /// Makes the outlines of all parts.
  void complete_outlines();
  /// Gives each part its share of the outline of the whole text.
  void take_outlines(SourceOutline whole);
  std::size_t part_at(std::uint32_t line) const;
  /// Reads these parts and what they depend on; `all` stands for every part.
  void read(const Parts& parts, bool all);
  /// Those that use one of the names, directly or through others, in addition.
  void add_users(Parts& parts, std::set<std::string> names);
  /// Those that define what these use, and so on, and all imports.
  void add_needed(Parts& parts);
  std::string text_of(const Parts& parts) const;
  void take_messages(const std::vector<Message>& messages, const Parts& of);

  SessionOptions options_;
  std::string path_;
  std::vector<Part> parts_;
  std::uint64_t last_number_ = 0;
  std::vector<Json> elsewhere_;        ///< messages about other files
  std::shared_ptr<Session> session_;   ///< that read the text last
  Parts in_session_;                   ///< the parts that it has
  bool has_all_ = false;               ///< it has the whole text, and the parts have no outlines yet
  std::set<std::string> known_;        ///< names of the language, of imported files and of the text
  std::optional<SourceOutline> outline_;
};

}  // namespace reckon::lsp
