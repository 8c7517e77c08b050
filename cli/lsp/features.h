// What the server answers, as values of the protocol; a null value where there is nothing to say.
#pragma once

#include <string>

#include "cli/lsp/workspace.h"

namespace reckon::lsp {

/// An answer, or the sentence that says why there is none.
struct Reply {
  Json value;
  std::string problem = {};
};

/// The parameters of `textDocument/publishDiagnostics`.
Json diagnostics(Workspace& workspace, OpenFile& file);
/// Corrections that messages suggest within a range.
Json code_actions(Workspace& workspace, OpenFile& file, const Json& range);

Json hover(Workspace& workspace, OpenFile& file, TextDocument::At at);
Json completion(Workspace& workspace, OpenFile& file, TextDocument::At at);

Json definition(Workspace& workspace, OpenFile& file, TextDocument::At at);
Json references(Workspace& workspace, OpenFile& file, TextDocument::At at, bool with_definition);
Json highlights(Workspace& workspace, OpenFile& file, TextDocument::At at);
Json symbols(Workspace& workspace, OpenFile& file);

/// The range of the name that would be renamed; a sentence if there is none that can be.
Reply prepare_rename(Workspace& workspace, OpenFile& file, TextDocument::At at);
/// The edits; a sentence if the new name will not do.
Reply rename(Workspace& workspace, OpenFile& file, TextDocument::At at, const std::string& name);

/// One edit, or none if the text has mistakes of syntax or is formatted already.
Json formatting(OpenFile& file);

}  // namespace reckon::lsp
